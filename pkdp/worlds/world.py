"""Finite joint distributions of a database and the attacker's knowledge, in exact fractions.

A world is the paper's θ, a distribution on 𝒟 × ℬ. It is small enough to be listed, so that
`pkdp.definitions` can evaluate the definitions of sections 2 and 3 as they are stated.
"""

from __future__ import annotations

import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias

from pkdp._checks import as_function, as_hashable, as_integer, as_law, as_several, is_iterable
from pkdp._order import in_order, order_of
from pkdp.worlds._exact_distributions import FrozenDict, joint, normalized, summed
from pkdp.worlds.mechanisms import Database

__all__ = [
    "Knowledge",
    "KnowledgeOf",
    "RecordLaw",
    "Target",
    "World",
    "as_indices",
    "family",
]

# Hashable, like a record.
Knowledge: TypeAlias = Any
RecordLaw: TypeAlias = Mapping[Any, Fraction]

# What the attacker is after: the record of this number, or a function of the database.
Target: TypeAlias = int | Callable[[Database], Hashable]
# What the attacker knows: the records of these numbers, or a function of the database.
KnowledgeOf: TypeAlias = Iterable[int] | Callable[[Database], Knowledge]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class World:
    """A joint distribution of the database and the attacker's knowledge: the paper's θ.

    Parameters
    ----------
    masses : mapping
        ``{(database, knowledge): Fraction}``; databases are tuples of equally many records, and
        the probabilities sum to 1. Those that are 0 are left out.
    records : iterable, optional
        The possible records 𝒯; by default those that occur.

    Attributes
    ----------
    masses : mapping
        The positive probabilities.
    records : tuple
        The possible records, in order.
    size : int
        The number n of records of a database, the target's included.
    databases : tuple
        The databases of positive probability, in order.
    knowledge : tuple
        The values B̂ of the knowledge that have positive probability, in order.
    weights : mapping
        Integers in proportion to the probabilities.
    shares : mapping
        For each value B̂ of the knowledge, the probabilities of the databases with it.
    weights_given : mapping
        For each value B̂ of the knowledge, the weights of the databases with it.

    Raises
    ------
    ValueError
        If a probability is negative or they do not sum to 1, databases differ in length or have no
        records, or a record is not among `records` or, like NaN, does not equal itself.
    TypeError
        If `masses` is not a mapping, a probability neither an int nor a fraction, or a key not a
        pair of a tuple and something hashable.

    Notes
    -----
    Two worlds are equal if their distributions and their sets of possible records are equal.

    References
    ----------
    Partial knowledge, Table 1 and section 2.1.

    Examples
    --------
    Two fair bits that agree, one of which the attacker knows:

    >>> half = Fraction(1, 2)
    >>> world = World({((0, 0), 0): half, ((1, 1), 1): half})
    >>> world
    World(size=2, databases=2, knowledge=2)
    >>> print(world)
    database  knowledge  probability
    (0, 0)    0          1/2
    (1, 1)    1          1/2
    """

    masses: Mapping[tuple[Database, Knowledge], Fraction]
    records: tuple[Any, ...]

    def __init__(
        self,
        masses: Mapping[tuple[Database, Knowledge], Fraction | int],
        records: Iterable[Hashable] | None = None,
    ) -> None:
        law = as_law(masses, "masses")
        for key in masses:
            if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], tuple)):
                raise TypeError(
                    f"masses must have keys (database, knowledge), with a tuple first, got {key!r}"
                )
        lengths = {len(database) for database, _ in law}
        if lengths == {0} or len(lengths) != 1:
            raise ValueError(
                "databases must have equally many records, at least one, got databases of "
                f"{sorted(lengths)} records"
            )
        seen = set(chain.from_iterable(database for database, _ in law))
        alphabet = in_order(seen if records is None else set(as_hashable(records, "records")))
        if stray := in_order(seen - set(alphabet)):
            raise ValueError(f"records must be among {alphabet!r}, got {stray[0]!r} in a database")
        for record in alphabet:
            if record != record:
                raise ValueError(f"records must equal themselves, got {record!r}")
        object.__setattr__(self, "masses", FrozenDict(law))
        object.__setattr__(self, "records", alphabet)

    def __eq__(self, other: object) -> bool:
        """Whether the distributions and the possible records are equal."""
        if not isinstance(other, World):
            return NotImplemented
        return self.masses == other.masses and set(self.records) == set(other.records)

    def __hash__(self) -> int:
        # Equal distributions have equal weights, and fractions take long to hash.
        return hash((frozenset(self.weights.items()), frozenset(self.records)))

    def __repr__(self) -> str:
        return (
            f"World(size={self.size}, databases={len(self.databases)}, "
            f"knowledge={len(self.knowledge)})"
        )

    def __str__(self) -> str:
        """Return the table of probabilities, without the knowledge if it has one value only."""
        rows = [("database", "knowledge", "probability")]
        for knowledge, part in self.shares.items():
            rows += [(str(d), str(knowledge), str(part[d])) for d in sorted(part, key=order_of)]
        columns = list(zip(*rows, strict=True))
        if len(self.knowledge) == 1:
            del columns[1]
        widths = [max(map(len, column)) for column in columns]
        lines = ("  ".join(map(str.ljust, row, widths)) for row in zip(*columns, strict=True))
        return "\n".join(map(str.rstrip, lines))

    # Parts

    @functools.cached_property
    def size(self) -> int:
        """The number n of records, the target's included."""
        return len(next(iter(self.masses))[0])

    @functools.cached_property
    def databases(self) -> tuple[Database, ...]:
        """The databases of positive probability, in order."""
        return in_order(dict.fromkeys(database for database, _ in self.masses))

    @functools.cached_property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """The values B̂ of the knowledge that have positive probability, in order."""
        return in_order({knowledge for _, knowledge in self.masses})

    @functools.cached_property
    def weights(self) -> Mapping[tuple[Database, Knowledge], int]:
        """Integers in proportion to the probabilities: their sums need no common denominators."""
        scale = math.lcm(*(mass.denominator for mass in self.masses.values()))
        return FrozenDict(
            {key: mass.numerator * (scale // mass.denominator) for key, mass in self.masses.items()}
        )

    @functools.cached_property
    def shares(self) -> Mapping[Knowledge, Mapping[Database, Fraction]]:
        """For each value of the knowledge, in order, the probabilities of the databases with it."""
        return FrozenDict(
            {
                knowledge: FrozenDict({d: self.masses[d, knowledge] for d in part})
                for knowledge, part in self.weights_given.items()
            }
        )

    @functools.cached_property
    def weights_given(self) -> Mapping[Knowledge, Mapping[Database, int]]:
        """For each value of the knowledge, in order, the weights of the databases with it."""
        found: dict[Knowledge, dict[Database, int]] = {value: {} for value in self.knowledge}
        for (database, knowledge), weight in self.weights.items():
            found[knowledge][database] = weight
        return FrozenDict({value: FrozenDict(part) for value, part in found.items()})

    def secret(self, target: Target) -> Callable[[Database], Any]:
        """Return the function from a database to the target's value.

        Parameters
        ----------
        target : int or callable
            The number of the record, or a function of the database.

        Returns
        -------
        callable
            From a database to the value.

        Raises
        ------
        ValueError
            If `target` is a number outside ``0…n-1``.

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> bits([Fraction(1, 3)] * 2).secret(1)((0, 1))
        1
        """
        if callable(target):
            return target
        index = as_integer(target, "target", 0, self.size - 1)
        return operator.itemgetter(index)

    # Probabilities

    def probability(self, event: Callable[[Database, Any], object]) -> Fraction:
        """Compute the probability of an event, a predicate of database and knowledge.

        Parameters
        ----------
        event : callable
            From a database and the knowledge to true or false.

        Returns
        -------
        Fraction

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> bits([Fraction(1, 3)] * 2).probability(lambda database, knowledge: sum(database) > 0)
        Fraction(5, 9)
        """
        as_function(event, "event", "a database and the knowledge")
        true = sum(weight for key, weight in self.weights.items() if event(*key))
        return Fraction(true, sum(self.weights.values()))

    def law_of(self, target: Target) -> dict[Any, Fraction]:
        """Compute the distribution of one record, or of a function of the database.

        Parameters
        ----------
        target : int or callable
            The number of the record, or a function of the database.

        Returns
        -------
        dict
            ``{value: Fraction}``, in order.

        Raises
        ------
        ValueError
            If `target` is a number outside ``0…n-1``.

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> bits([Fraction(1, 3)] * 2).law_of(sum)
        {0: Fraction(4, 9), 1: Fraction(4, 9), 2: Fraction(1, 9)}
        """
        read = self.secret(target)
        weights = summed((read(database), weight) for (database, _), weight in self.weights.items())
        return normalized({value: weights[value] for value in in_order(weights)})

    # Other worlds from this one

    def given(self, event: Callable[[Database, Any], object]) -> World:
        """Condition the world on an event; the possible records stay the same.

        Parameters
        ----------
        event : callable
            From a database and the knowledge to true or false.

        Returns
        -------
        World

        Raises
        ------
        ValueError
            If the event has probability 0.

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> world = bits([Fraction(1, 3)] * 2)
        >>> world.given(lambda database, knowledge: sum(database) == 1).law_of(0)
        {0: Fraction(1, 2), 1: Fraction(1, 2)}
        """
        as_function(event, "event", "a database and the knowledge")
        kept = {key: weight for key, weight in self.weights.items() if event(*key)}
        if not kept:
            raise ValueError("event must have a positive probability, got one of probability 0")
        return World(normalized(kept), self.records)

    def knowing(self, knowledge: KnowledgeOf) -> World:
        """Return the world with the same distribution of the database and other knowledge.

        Parameters
        ----------
        knowledge : iterable of int, or callable
            Numbers of the known records, whose values become the knowledge, as a tuple; or a
            function from the database to the knowledge. ``()`` is no knowledge.

        Returns
        -------
        World

        Raises
        ------
        ValueError
            If a number is outside ``0…n-1``.
        TypeError
            If `knowledge` is neither several integers nor a function.

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> bits([Fraction(1, 2)] * 3).knowing([0, 2]).knowledge
        ((0, 0), (0, 1), (1, 0), (1, 1))
        """
        learn = as_learning(knowledge, self.size)
        masses = summed(
            ((database, learn(database)), mass) for (database, _), mass in self.masses.items()
        )
        return World(masses, self.records)

    def conditioned(self) -> tuple[World, ...]:
        """Condition the world on each value of the knowledge, in order, and drop the knowledge: Θ′.

        Returns
        -------
        tuple of World

        References
        ----------
        Partial knowledge, section 3.2, where a family Θ′ is made of θ.

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> len(bits([Fraction(1, 2)] * 3, knowledge=[0, 2]).conditioned())
        4
        """
        return tuple(
            World({(d, ()): mass for d, mass in normalized(part).items()}, self.records)
            for part in self.weights_given.values()
        )

    # Conditions

    def has_independent_records(self) -> bool:
        """Whether the records are mutually independent, given each value of the knowledge.

        Proposition 2 requires this.

        Returns
        -------
        bool

        Examples
        --------
        >>> from pkdp.worlds import bits
        >>> bits([Fraction(1, 2)] * 3, knowledge=[0]).has_independent_records()
        True
        >>> bits([Fraction(1, 2)] * 3, knowledge=sum).has_independent_records()
        False
        """
        return all(map(_has_independent_entries, self.weights_given.values()))

    def is_acceptable(self, target: Target) -> bool:
        """Decide whether there is an acceptable normalization at a target (Definition 8).

        There is one if and only if, for each value a of the target, the probabilities of the
        databases with that value, given B̂, are the same list for every B̂, up to order. If there is
        one, φ₀ and all parameters that the attacker does not know are independent of B and label
        these databases; conversely, the place in the sorted list can be taken as φ₀.

        Parameters
        ----------
        target : int or callable
            The number of the record, or a function of the database.

        Returns
        -------
        bool

        Raises
        ------
        ValueError
            If `target` is a number outside ``0…n-1``.

        Notes
        -----
        O(N) operations for N probabilities.

        References
        ----------
        Partial knowledge, Definitions 7 and 8.

        Examples
        --------
        >>> from pkdp.worlds import bits, copied
        >>> bits([Fraction(1, 3)] * 2, knowledge=[1]).is_acceptable(0)
        True
        >>> copied({0: Fraction(1, 2), 1: Fraction(1, 2)}, groups=1, knowledge=[1]).is_acceptable(0)
        False
        """
        read = self.secret(target)
        lists = [
            Counter((read(database), chance) for database, chance in normalized(part).items())
            for part in self.weights_given.values()
        ]
        return all(other == lists[0] for other in lists)


def family(worlds: World | Iterable[World], *, name: str = "worlds") -> tuple[World, ...]:
    """Return a family Θ as a tuple, from one world or several.

    Parameters
    ----------
    worlds : World or iterable of World
    name : str
        The name of the argument in error messages.

    Returns
    -------
    tuple of World

    Raises
    ------
    ValueError
        If there is none.
    TypeError
        If something else is given.

    Examples
    --------
    >>> from pkdp.worlds import bits
    >>> family(bits([Fraction(1, 2)]))
    (World(size=1, databases=2, knowledge=1),)
    """
    several = is_iterable(worlds) and not isinstance(worlds, World)
    members: tuple[World, ...] = tuple(worlds) if several else (worlds,)  # type: ignore[arg-type,assignment]
    if not members:
        raise ValueError(f"{name} must be a World or several, got none")
    for member in members:
        if not isinstance(member, World):
            raise TypeError(f"{name} must be a World or several, got {member!r}")
    return members


def as_indices(numbers: Iterable[int], name: str, size: int) -> list[int]:
    """Return the numbers of some records or parameters, of which there are `size`."""
    several = as_several(numbers, name, f"integers in 0…{size - 1}")
    return [as_integer(i, name, 0, size - 1) for i in several]


def as_learning(knowledge: KnowledgeOf, size: int) -> Callable[[Database], Knowledge]:
    """Return the function from a database to the knowledge; see `World.knowing`."""
    if callable(knowledge):
        return knowledge
    indices = as_indices(knowledge, "knowledge", size)
    if len(indices) > 1:
        return operator.itemgetter(*indices)
    return lambda database: tuple(database[i] for i in indices)


def _has_independent_entries(weights: Mapping[tuple[Any, ...], int]) -> bool:
    """Whether the entries of a tuple are mutually independent."""
    law = normalized(weights)
    size = len(next(iter(law)))
    marginals = [summed((entries[i], mass) for entries, mass in law.items()) for i in range(size)]
    # First the number of combinations, of which there may be too many to list.
    return len(law) == math.prod(map(len, marginals)) and law == joint(marginals)
