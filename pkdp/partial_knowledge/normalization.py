"""Normalizations, and the comparison of attackers' background knowledge.

A normalization makes databases from independent parameters (Definition 7). Definition 9 orders
attackers by their knowledge, which is that of parameters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pkdp._checks import as_function, as_law, as_several, as_size
from pkdp.worlds._exact_distributions import FrozenDict, joint, summed
from pkdp.worlds._output_distributions import Targets, Worlds, as_targets
from pkdp.worlds.mechanisms import Database
from pkdp.worlds.world import RecordLaw, Target, World, as_indices, family

__all__ = ["Normalization", "more_knowledge"]


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


def more_knowledge(stronger: Worlds, weaker: Worlds, targets: Targets = None) -> bool:
    """Decide whether one family has more background knowledge than another (Definition 9).

    For each weaker world there must be a stronger one with the same distribution of the database
    and, for each target, a common acceptable normalization in which the stronger attacker knows
    more parameters. Parameters can be grouped into three: what both know, what only the stronger
    attacker knows, and the rest, which determines the target. So the weaker knowledge must be a
    function of the stronger; what only the stronger attacker knows must be independent of the
    weaker knowledge, and determined by it and the database; and the stronger world must be
    acceptable.

    A normalization has to be injective (Definition 7), and this can be read in three ways for a
    common one: the parameters are determined by the database alone, by the database and the
    stronger knowledge, or by the database and the weaker knowledge. Definition 7 is about a
    distribution on 𝒟 × ℬ, and the normalization must be one of either world. So the last reading
    is used here: the map is injective for either world, and the database and the weaker knowledge
    determine all parameters.

    Parameters
    ----------
    stronger, weaker : World or iterable of World
        The two families.
    targets : iterable of int or callable, optional
        By default all records, as in Definition 9. Known records never have an acceptable
        normalization unless they are constant, so you will usually leave them out.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If a family is empty, or a target is out of range.

    Notes
    -----
    To assign to each value of the stronger knowledge one of the weaker is an exact cover problem:
    values assigned to the same one have no databases in common. Forced assignments are made first,
    and values that give the databases the same probabilities are interchangeable; then the search
    backtracks. The time is in proportion to the sizes of the worlds if the knowledge is a function
    of the database, but can be exponential for worlds constructed to be hard.

    References
    ----------
    Partial knowledge, Definition 9.

    Examples
    --------
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 3)] * 3)
    >>> more_knowledge(world.knowing([1, 2]), world.knowing([2]), targets=[0])
    True
    >>> more_knowledge(world.knowing([1]), world.knowing([2]), targets=[0])
    False
    """
    strong, weak = family(stronger, name="stronger"), family(weaker, name="weaker")
    wanted = as_targets((*strong, *weak), targets)[: len(strong)]
    candidates = [
        world
        for world, those in zip(strong, wanted, strict=True)
        if all(map(world.is_acceptable, those))
    ]
    return all(any(_contains(world, other) for world in candidates) for other in weak)


def _contains(stronger: World, weaker: World) -> bool:
    """Whether the weaker knowledge is some of the stronger's parameters, for the same databases.

    Each value B of the stronger knowledge has to be placed at one value W of the weaker, so that
    the masses (D, B) add up to (D, W). As D and W determine the rest, each (D, W) is made of one
    (D, B) only. And as the rest is independent of W, the probabilities of B given W are the same
    list for all W.
    """
    if stronger.law_of(tuple) != weaker.law_of(tuple):
        return False
    # Values B with the same masses (D, B) are interchangeable.
    kinds = Counter(frozenset(part.items()) for part in stronger.shares.values())
    masses = {kind: sum((mass for _, mass in kind), Fraction(0)) for kind in kinds}
    wholes = [(set(whole.items()), sum(whole.values())) for whole in weaker.shares.values()]
    parts = Counter(masses[kind] for kind in kinds.elements())
    chances = _common_chances(parts, [Fraction(total) for _, total in wholes])
    if chances is None:
        return False
    capacity: Counter[Hashable] = Counter(kinds)
    placements: list[frozenset[Hashable]] = []
    for w, (cells, total) in enumerate(wholes):
        capacity.update({(w, chance * total): n for chance, n in chances.items()})
        capacity.update((w, database) for database, _ in cells)
        placements += [
            frozenset([kind, (w, mass), *((w, database) for database, _ in kind)])
            for kind, mass in masses.items()
            if kind <= cells and (w, mass) in capacity
        ]
    return _can_be_used_up(capacity, placements)


def _common_chances(
    parts: Counter[Fraction], wholes: Sequence[Fraction]
) -> Counter[Fraction] | None:
    """Return the one list of chances, with their numbers, that divides all wholes into the parts.

    The largest part can only be the largest chance of the largest whole, and so on.
    """
    chances: Counter[Fraction] = Counter()
    while parts:
        chance = max(parts) / max(wholes)
        needed = Counter(chance * whole for whole in wholes)
        if not needed <= parts:
            return None
        parts = parts - needed
        chances[chance] += 1
    return chances


def _can_be_used_up(capacity: Counter[Hashable], options: Iterable[frozenset[Hashable]]) -> bool:
    """Decide whether some options, each using 1 of several capacities, use up all exactly.

    Options without which a capacity could not be used up are taken first; if there is none, one of
    a capacity with the fewest options is taken, and left out if that fails.
    """
    cases = [(capacity, set(options))]
    while cases:
        left, options = cases.pop()
        by_capacity: dict[Hashable, list[frozenset[Hashable]]] = {key: [] for key in left}
        for option in options:
            for key in option:
                by_capacity[key].append(option)
        if any(n < 0 or n > len(by_capacity[key]) for key, n in left.items()):
            continue
        if not left:
            return True
        taken = {
            option
            for key, n in left.items()
            if n == len(by_capacity[key])
            for option in by_capacity[key]
        }
        if not taken:
            option = min(by_capacity.values(), key=len)[0]
            cases.append((left, options - {option}))
            taken = {option}
        rest = left.copy()
        for option in taken:
            rest.subtract(option)
        used_up = {key for key, n in rest.items() if not n}
        for key in used_up:
            del rest[key]
        cases.append((rest, {option for option in options - taken if used_up.isdisjoint(option)}))
    return False
