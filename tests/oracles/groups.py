"""Groups of dependent records, database by database, in exact rationals.

A group is a joint law ``{(value, …): Fraction}`` of its records; groups are independent of each
other; a record is named by the numbers of its group and of its place there. Nothing here imports
the library.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

Group = Mapping[tuple[int, ...], Fraction]
Law = dict[Any, Fraction]

HALF = Fraction(1, 2)
COIN: Group = {(0,): HALF, (1,): HALF}


def bit(p: Fraction | int) -> Group:
    """Return the law of one bit."""
    return {(1,): Fraction(p), (0,): 1 - Fraction(p)}


def pair(agree: Fraction | int) -> Group:
    """Return the law of two fair bits that agree with a probability."""
    alike, unlike = Fraction(agree) / 2, (1 - Fraction(agree)) / 2
    return {(0, 0): alike, (1, 1): alike, (0, 1): unlike, (1, 0): unlike}


def random_group(
    source: random.Random, size: int, values: Sequence[int] = (-1, 0, 1, 3)
) -> dict[tuple[int, ...], Fraction]:
    """Return a joint law of so many records, of masses with a small denominator."""
    cells = [tuple(source.choice(values) for _ in range(size)) for _ in range(source.randint(1, 5))]
    weights = [source.randint(0, 3) for _ in cells[1:]] + [1]
    law: Counter[tuple[int, ...]] = Counter()
    for cell, weight in zip(cells, weights, strict=True):
        law[cell] += weight
    return {cell: Fraction(weight, sum(weights)) for cell, weight in law.items()}


def random_groups(source: random.Random) -> list[dict[tuple[int, ...], Fraction]]:
    """Return up to three groups of up to three records."""
    return [random_group(source, source.randint(1, 3)) for _ in range(source.randint(1, 3))]


def records_of(groups: Sequence[Group]) -> list[tuple[int, int]]:
    """Return all records."""
    return [(i, j) for i, group in enumerate(groups) for j in range(len(next(iter(group))))]


def place_of(groups: Sequence[Group], record: tuple[int, int]) -> int:
    """Return the number of a record among all."""
    starts = [0, *accumulate(len(next(iter(group))) for group in groups)]
    return starts[record[0]] + record[1]


def databases(groups: Sequence[Group]) -> Law:
    """Return the law of the whole database, as a table."""
    law: Law = {}
    for parts in product(*(group.items() for group in groups)):
        database = tuple(value for values, _ in parts for value in values)
        mass = math.prod((mass for _, mass in parts), start=Fraction(1))
        if mass:
            law[database] = law.get(database, Fraction(0)) + mass
    return law


def law_of(law: Law, function: Callable[[Any], Any]) -> Law:
    """Return the law of a function of the database, given masses of databases."""
    found: Law = {}
    everything = sum(law.values(), Fraction(0))
    for database, mass in law.items():
        value = function(database)
        found[value] = found.get(value, Fraction(0)) + mass / everything
    return found


def sum_of(groups: Sequence[Group]) -> Law:
    """Return the law of the sum of all records, by convolution."""
    whole: Law = {0: Fraction(1)}
    for group in groups:
        found: Law = {}
        for (k, mass), (values, share) in product(whole.items(), group.items()):
            found[k + sum(values)] = found.get(k + sum(values), Fraction(0)) + mass * share
        whole = {k: mass for k, mass in found.items() if mass}
    return whole


def moved(law: Law, by: int) -> Law:
    """Return the law of a sum plus a number."""
    return {value + by: mass for value, mass in law.items()}


def hockey_stick(p: Law, q: Law, ratio: Fraction | float) -> Fraction:
    """Return the sum over outcomes of max(0, P - E·Q), for a rational E or inf."""
    if isinstance(ratio, float):
        return sum((mass for t, mass in p.items() if not q.get(t)), Fraction(0))
    gains = (mass - ratio * q.get(t, Fraction(0)) for t, mass in p.items())
    return sum((gain for gain in gains if gain > 0), Fraction(0))


def both_ways(p: Law, q: Law, ratio: Fraction | float) -> Fraction:
    """Return the larger hockey-stick of the two directions."""
    return max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))
