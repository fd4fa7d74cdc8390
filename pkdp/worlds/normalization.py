"""Normalizations: databases as functions of independent parameters (Definition 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pkdp._checks import as_function, as_law, as_several, as_size
from pkdp.worlds._exact_distributions import FrozenDict, joint, summed
from pkdp.worlds.mechanisms import Database
from pkdp.worlds.world import RecordLaw, Target, World, as_indices

__all__ = ["Normalization"]


@dataclass(frozen=True)
class Normalization:
    """Independent parameters and a function that makes a database from them (Definition 7).

    Attributes
    ----------
    parameters : sequence of mappings
        Distributions ``{value: Fraction}`` of the independent φ₀, …, φ_k; kept as a tuple of
        read-only copies without probabilities that are 0.
    generate : callable
        From one value of each parameter to a database: the θ̂ of the paper.

    Raises
    ------
    ValueError
        If there is no parameter, the probabilities of one do not sum to 1, or there are more than
        2 000 000 combinations of values.

    Examples
    --------
    Two correlated votes as in Example 6: the first vote, and whether the other is the same.

    >>> votes = Normalization(
    ...     [{0: Fraction(1, 2), 1: Fraction(1, 2)}, {True: Fraction(3, 4), False: Fraction(1, 4)}],
    ...     lambda vote, same: (vote, vote if same else 1 - vote),
    ... )
    >>> print(votes.world())
    database  probability
    (0, 0)    3/8
    (0, 1)    1/8
    (1, 0)    1/8
    (1, 1)    3/8
    >>> votes.is_acceptable(0, knowledge=[1]), votes.is_acceptable(1, knowledge=[])
    (True, False)
    """

    parameters: Sequence[RecordLaw]
    generate: Callable[..., Database]

    def __post_init__(self) -> None:
        several = as_several(self.parameters, "parameters", "laws")
        laws = tuple(FrozenDict(as_law(law, f"parameter {j}")) for j, law in enumerate(several))
        as_function(self.generate, "generate", "the parameters")
        if not laws:
            raise ValueError("parameters must be at least one law, got none")
        as_size(math.prod(map(len, laws)), "combinations of parameters")
        object.__setattr__(self, "parameters", laws)

    def _outcomes(self, known: Iterable[int]) -> list[tuple[Any, Database, Any, Fraction]]:
        """Return parameters, database, knowledge and probability of each outcome."""
        return [
            (values, tuple(self.generate(*values)), tuple(values[j] for j in known), mass)
            for values, mass in joint(self.parameters).items()
        ]

    def world(self, knowledge: Iterable[int] = ()) -> World:
        """Return the world in which the attacker knows the parameters of these numbers.

        Parameters
        ----------
        knowledge : iterable of int
            Numbers of the parameters that the attacker knows.

        Returns
        -------
        World

        Raises
        ------
        ValueError
            If a number is not that of a parameter, or databases differ in length.

        Examples
        --------
        >>> fair = {0: Fraction(1, 2), 1: Fraction(1, 2)}
        >>> twice = Normalization([fair, fair], lambda first, second: (first,))
        >>> print(twice.world())
        database  probability
        (0,)      1/2
        (1,)      1/2
        """
        indices = as_indices(knowledge, "knowledge", len(self.parameters))
        return World(summed(((d, known), mass) for _, d, known, mass in self._outcomes(indices)))

    def problems(self, target: Target, knowledge: Iterable[int] = ()) -> tuple[str, ...]:
        """List what keeps the normalization from being acceptable at a target (Definition 8).

        Parameters
        ----------
        target : int or callable
            The number of the record, or a function of the database.
        knowledge : iterable of int
            Numbers of the parameters that the attacker knows.

        Returns
        -------
        tuple of str
            One sentence for each condition that is not met; empty if all are.

        Raises
        ------
        ValueError
            If a number is out of range.

        Examples
        --------
        >>> fair = {0: Fraction(1, 2), 1: Fraction(1, 2)}
        >>> twice = Normalization([fair, fair], lambda first, second: (first,))
        >>> twice.problems(0, knowledge=[1])
        ()
        >>> twice.problems(0)
        ('database and knowledge do not determine all parameters',)
        """
        indices = as_indices(knowledge, "knowledge", len(self.parameters))
        read = self.world().secret(target)
        outcomes = self._outcomes(indices)
        found = []
        if len({(d, known) for _, d, known, _ in outcomes}) < len(outcomes):
            found.append("database and knowledge do not determine all parameters")
        # If φ₀ determines the target, there are as many pairs of both as values of φ₀.
        if len({(values[0], read(d)) for values, d, _, _ in outcomes}) > len(self.parameters[0]):
            found.append("parameter 0 does not determine the target")
        if 0 in indices:
            found.append("parameter 0 is known to the attacker")
        return tuple(found)

    def is_acceptable(self, target: Target, knowledge: Iterable[int] = ()) -> bool:
        """Whether this normalization is acceptable at a target (Definition 8); see `problems`."""
        return not self.problems(target, knowledge)
