"""Enumeration and random generation of small worlds and mechanisms, to search for counterexamples.

Statements about all worlds are tested on these. An exhaustive search from small to large finds a
smallest counterexample; a statement without one is reported with the number of worlds searched.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product
from typing import Any, NoReturn

from pkdp._checks import (
    as_alphabet,
    as_hashable,
    as_instance,
    as_integer,
    as_mapping,
    as_size,
)
from pkdp.worlds._exact_distributions import normalized
from pkdp.worlds.mechanisms import Database, Mechanism
from pkdp.worlds.world import World

__all__ = [
    "make_table",
    "partitions",
    "random_acceptable_world",
    "random_mechanism",
    "random_world",
    "small_worlds",
]


def small_worlds(
    n: int, records: Sequence[Any], *, denominator: int, knowledge: int = 1
) -> Iterator[World]:
    """Enumerate the worlds whose probabilities are multiples of a given fraction.

    Parameters
    ----------
    n : int
        Number of records, at least 1.
    records : sequence
        The possible records, all different.
    denominator : int
        The probabilities are multiples of 1/denominator.
    knowledge : int
        The knowledge is one of ``0…knowledge-1``. Worlds that differ only in these names are
        repeated, also those in which fewer values occur.

    Returns
    -------
    iterator of World

    Raises
    ------
    ValueError
        If a number is less than 1, there is no possible record, one is given twice, or there are
        more than 2 000 000 cells.

    Notes
    -----
    With c = ``knowledge·len(records)**n`` cells there are C(denominator + c - 1, c - 1) worlds.

    Examples
    --------
    >>> sum(1 for world in small_worlds(2, (0, 1), denominator=4))
    35
    """
    cells = _cells(n, records, knowledge)
    unit = as_integer(denominator, "denominator", 1, 10**6)
    return (
        World({cell: Fraction(k, unit) for cell, k in zip(cells, parts, strict=True) if k}, records)
        for parts in _compositions(unit, len(cells))
    )


def random_world(
    source: random.Random, n: int, records: Sequence[Any], *, knowledge: int = 1, most: int = 6
) -> World:
    """Draw a world with random probabilities, about a third of them 0.

    Parameters
    ----------
    source : random.Random
        The source of randomness; with the same seed, the world is the same.
    n : int
        Number of records, at least 1.
    records : sequence
        The possible records, all different.
    knowledge : int
        The knowledge is one of ``0…knowledge-1``.
    most : int
        The probabilities are in proportion to integers up to this one.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If a number is less than 1, there is no possible record, one is given twice, or there are
        more than 2 000 000 cells.

    Examples
    --------
    >>> print(random_world(random.Random(1), n=2, records=(0, 1)))
    database  probability
    (0, 0)    2/7
    (0, 1)    1/7
    (1, 1)    4/7
    """
    as_instance(source, "source", random.Random)
    cells = _cells(n, records, knowledge)
    largest = as_integer(most, "most", 1, 10**6)
    choices = [source.randint(1, largest) * (source.random() < 2 / 3) for _ in cells]
    return World(_as_law(source, cells, choices), records)


def random_acceptable_world(
    source: random.Random, n: int, records: Sequence[Any], *, knowledge: int
) -> World:
    """Draw a random world with an acceptable normalization at the first record (Definition 8).

    For each value of the knowledge, the probabilities of one random distribution are permuted among
    the databases with the same first record.

    Parameters
    ----------
    source, n, records, knowledge
        As for `random_world`; each value of the knowledge has a positive probability.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If a number is less than 1, there is no possible record, one is given twice, or there are
        more than 2 000 000 cells.

    Examples
    --------
    >>> random_acceptable_world(random.Random(1), 2, (0, 1), knowledge=2).is_acceptable(0)
    True
    """
    as_instance(source, "source", random.Random)
    number = as_integer(knowledge, "knowledge", 1, 10**6)
    _cells(n, records, number)  # raises ValueError if there are too many to list
    base = random_world(source, n, records)
    shares = [source.randint(1, 6) for _ in range(number)]
    masses = {}
    for value, share in enumerate(shares):
        for record in records:
            databases = [(record, *others) for others in product(records, repeat=n - 1)]
            dealt = source.sample(databases, len(databases))
            for database, place in zip(databases, dealt, strict=True):
                mass = base.masses.get((database, 0), Fraction(0))
                masses[place, value] = mass * Fraction(share, sum(shares))
    return World(masses, records)


def partitions(databases: Sequence[Database], most: int | None = None) -> Iterator[Mechanism]:
    """Enumerate the deterministic mechanisms on some databases, up to the names of outputs.

    Parameters
    ----------
    databases : sequence of tuple
        The databases, all different; mechanisms are defined on no others.
    most : int, optional
        The largest number of outputs; by default as many as there are databases.

    Returns
    -------
    iterator of callable

    Raises
    ------
    ValueError
        If `most` is less than 1, or a database is given twice.

    Examples
    --------
    >>> sum(1 for mechanism in partitions([(0, 0), (0, 1), (1, 0), (1, 1)]))
    15
    """
    known = _as_databases(databases)
    largest = len(known) if most is None else as_integer(most, "most", 1, 10**6)
    if len(set(known)) < len(known):
        raise ValueError(f"databases must be different, got {databases!r}")
    return (
        _Table(zip(known, labels, strict=True)).__getitem__
        for labels in _growing(len(known), largest)
    )


def make_table(outputs: Mapping[Database, Any]) -> Mechanism:
    """Make the mechanism that looks up its output, or its distribution, in a table.

    Parameters
    ----------
    outputs : mapping
        ``{database: output}`` or ``{database: {output: Fraction}}``; it is copied.

    Returns
    -------
    callable
        It raises a ValueError for a database that is not in the table.

    Raises
    ------
    TypeError
        If `outputs` is not a mapping, or an output is neither a mapping nor hashable.

    Examples
    --------
    >>> make_table({(0,): "no", (1,): "yes"})((1,))
    'yes'
    """
    table = _Table()
    for database, output in as_mapping(outputs, "outputs", "outputs").items():
        is_law = isinstance(output, Mapping)
        table[database] = dict(output) if is_law else as_hashable([output], "outputs")[0]
    return table.__getitem__


class _Table(dict[Database, Any]):
    """A dict whose error for a missing key shows the database."""

    def __missing__(self, database: Database) -> NoReturn:
        raise ValueError(f"database must be one of the table's {len(self)}, got {database!r}")


def random_mechanism(
    source: random.Random,
    databases: Sequence[Database],
    outputs: int,
    *,
    deterministic: bool = False,
    most: int = 4,
) -> Mechanism:
    """Draw a random mechanism on some databases, with outputs ``0…outputs-1``.

    Parameters
    ----------
    source : random.Random
        The source of randomness.
    databases : sequence of tuple
        The databases; the mechanism is defined on no others.
    outputs : int
        Number of outputs, at least 1.
    deterministic : bool
        Whether each database has one output; otherwise the probabilities of outputs are in
        proportion to random integers in ``0…most``.
    most : int
        At least 1; of no effect if deterministic.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If `outputs` or `most` is less than 1.

    Examples
    --------
    >>> law = random_mechanism(random.Random(1), [(0,), (1,)], outputs=2)((0,))
    >>> {output: str(mass) for output, mass in law.items()}
    {0: '1/5', 1: '4/5'}
    """
    as_instance(source, "source", random.Random)
    number = as_integer(outputs, "outputs", 1, 10**6)
    largest = as_integer(most, "most", 1, 10**6)
    known = _as_databases(databases)
    if as_instance(deterministic, "deterministic", bool):
        return make_table({database: source.randrange(number) for database in known})
    laws = {}
    for database in known:
        choices = [source.randint(0, largest) for _ in range(number)]
        laws[database] = _as_law(source, range(number), choices)
    return make_table(laws)


def _as_databases(databases: Iterable[Database]) -> tuple[Database, ...]:
    known = as_hashable(databases, "databases")
    if not all(isinstance(database, tuple) for database in known):
        raise TypeError(f"databases must be several tuples of records, got {databases!r}")
    return known


def _as_law(
    source: random.Random, values: Sequence[Any], choices: list[int]
) -> dict[Any, Fraction]:
    """Return the distribution in proportion to numbers; if all are 0, of one random value."""
    if not any(choices):
        choices[source.randrange(len(choices))] = 1
    return normalized({value: k for value, k in zip(values, choices, strict=True) if k})


def _cells(n: int, records: Sequence[Any], knowledge: int) -> list[tuple[Database, int]]:
    values = as_alphabet(records)
    number = as_integer(knowledge, "knowledge", 1, 10**6)
    size = as_integer(n, "n", 1, 100)
    as_size(len(values) ** size, "databases")
    as_size(len(values) ** size * number, "cells of a world")
    return list(product(product(values, repeat=size), range(number)))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a number as an ordered sum of integers ≥ 0, by stars and bars."""
    places = total + parts - 1
    for bars in combinations(range(places), parts - 1):
        yield tuple(second - first - 1 for first, second in pairwise((-1, *bars, places)))


def _growing(length: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the restricted growth strings: each entry at most one more than the largest before."""
    labels = [0] * length
    while True:
        yield tuple(labels)
        # Increase the last place that can still grow, and reset all after it.
        tops = [-1, *accumulate(labels, max)]
        for place in reversed(range(length)):
            if labels[place] <= tops[place] and labels[place] < most - 1:
                labels[place:] = [labels[place] + 1] + [0] * (length - place - 1)
                break
        else:
            return
