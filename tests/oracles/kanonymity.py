"""k-anonymity read aloud, and a search through every world that a theorem speaks of.

A *world* here is N independent records beside the target's, each with a law on the values counted
and on being absent. Conditions like "at most rho" or "at least lam" make the laws of one record a
polytope. The least delta of a pair of the target's values is convex in the law of every record, so
its largest value over all worlds is attained where every record is at a vertex of its polytope; the
records are exchangeable, so multisets of vertices suffice. What is searched is finite, and what is
found holds for all worlds.

Probabilities are integers over a common denominator, in float64 below 2^53, so that products with
tables of zeros and ones are exact. Nothing here imports the library.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.oracles import counts as oracles
from tests.oracles.counts import Law, Rational

Vector = tuple[Fraction, ...]
# Coefficients a and a bound b: a.x >= b.
Condition = tuple[Sequence[int], Rational]
Truncated = tuple[int | None, ...]

# --------------------------------------------------------------------------------------------
# The mechanisms, and Definition 16 with whole databases
# --------------------------------------------------------------------------------------------


def truncated_tally(
    values: Sequence[Any], k: int, generalization: Mapping[Any, Any] | None = None
) -> Callable[[tuple[Any, ...]], Truncated]:
    """Return the mechanism that counts each value, and hides counts below k."""

    def release(database: tuple[Any, ...]) -> Truncated:
        if generalization is not None:
            database = tuple(generalization.get(record) for record in database)
        counts = [len([record for record in database if record == value]) for value in values]
        return tuple(None if count < k else count for count in counts)

    return release


def least_general(levels: Sequence[Mapping[Any, Any]], k: int, database: tuple[Any, ...]) -> Any:
    """Number of the first level with no count in 1..k-1 (or the last), and its counts >= k."""
    for number, level in enumerate(levels):
        general = [level[record] for record in database if record in level]
        counts = {value: general.count(value) for value in general}
        if number == len(levels) - 1 or not any(0 < count < k for count in counts.values()):
            return number, {value: count for value, count in counts.items() if count >= k}
    raise AssertionError


def with_absent(values: Sequence[Any], law: Sequence[Rational]) -> Law:
    """Law of a record from the probabilities of the values and, last, of being absent."""
    return {value: Fraction(p) for value, p in zip([*values, None], law, strict=True) if p}


# --------------------------------------------------------------------------------------------
# Polytopes of laws
# --------------------------------------------------------------------------------------------


def vertices(size: int, conditions: Iterable[Condition]) -> list[Vector]:
    """Vertices of the probability vectors of some size that meet linear conditions.

    A vertex is the one solution of `size` - 1 conditions met with equality.
    """
    every: list[Condition] = [(row, 0) for row in np.eye(size, dtype=int).tolist()]
    every += [(list(a), b) for a, b in conditions]
    found = set()
    for tight in combinations(every, size - 1):
        rows = [[*map(Fraction, a), Fraction(b)] for a, b in [*tight, ([1] * size, 1)]]
        point = solved(rows)
        if point and all(sum(x * y for x, y in zip(a, point, strict=True)) >= b for a, b in every):
            found.add(point)
    return sorted(found)


def solved(rows: list[list[Fraction]]) -> Vector | None:
    """The solution of a square system, by Gauss and Jordan; None unless there is just one."""
    for column in range(len(rows)):
        pivot = next((row for row in rows[column:] if row[column]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        pivot = [x / pivot[column] for x in pivot]
        rows = [[x - row[column] * y for x, y in zip(row, pivot, strict=True)] for row in rows]
        rows.insert(column, pivot)
    return tuple(row[-1] for row in rows)


def only(i: int, size: int, sign: int = 1) -> list[int]:
    return [sign * (i == j) for j in range(size)]


@cache
def theorem_laws(rare: int, common: int, lam: Rational, rho: Rational) -> list[Vector]:
    """Vertices of the laws of Theorem 5: rare values first, then common ones, absence last.

    Absence may be more likely than in the paper, which caps it at 1 - lam too.
    """
    size = rare + common + 1
    at_most = [(only(i, size, -1), -Fraction(rho)) for i in range(rare)]
    at_least = [(only(i, size), lam) for i in range(rare, size)]
    not_sure = [(only(i, size, -1), Fraction(lam) - 1) for i in range(rare, size - 1)]
    return vertices(size, at_most + at_least + not_sure)


@cache
def rare_laws(rho: Rational, size: int) -> list[Vector]:
    """Vertices of the laws whose first two values are rare; nothing is asked of the others."""
    return vertices(size, [(only(i, size, -1), -Fraction(rho)) for i in range(2)])


@cache
def hiding_laws(
    rare: int, common: int, lam: Rational, rho: Rational, hidden: Rational
) -> list[Vector]:
    """Vertices of the laws with rare values that together have so much, and nobody absent."""
    size = rare + common
    at_most = [(only(i, size, -1), -Fraction(rho)) for i in range(rare)]
    at_least = [(only(i, size), lam) for i in range(rare, size)]
    return vertices(size, [*at_most, *at_least, ([int(i < rare) for i in range(size)], hidden)])


# --------------------------------------------------------------------------------------------
# All worlds of vertices at once
# --------------------------------------------------------------------------------------------


class Worlds:
    """All multisets of N laws out of a list; the first `values` categories are counted.

    `masses[w, h]` is the probability of histogram h in world w, in units of 1/`unit`.
    """

    def __init__(self, laws: Sequence[Vector], N: int, values: int) -> None:
        self.laws, self.values = list(laws), values
        common = math.lcm(*(p.denominator for law in laws for p in law))
        self.unit = common**N
        assert self.unit < 2**50, "too large for exact floats"
        shape = (N + 1,) * values
        masses = np.zeros((1, *shape))
        masses[(0,) * (values + 1)] = 1.0
        self.members: list[tuple[int, ...]] = [()]
        for _ in range(N):
            parts, members = [], []
            for j, law in enumerate(laws):
                chosen = [
                    w for w, member in enumerate(self.members) if not member or member[-1] <= j
                ]
                before, after = masses[chosen], np.zeros((len(chosen), *shape))
                for i, p in enumerate(law):
                    # No count has reached N before the last record, so nothing wraps around.
                    step = np.roll(before, 1, axis=1 + i) if i < values else before
                    after += int(p * common) * step
                parts.append(after)
                members += [(*self.members[w], j) for w in chosen]
            masses, self.members = np.concatenate(parts), members
        self.histograms = list(np.ndindex(*shape))
        self.masses: npt.NDArray[np.float64] = masses.reshape(len(masses), -1)

    def outputs(
        self, k: int, targets: Sequence[int], known: Sequence[int] = ()
    ) -> dict[int, npt.NDArray[np.float64]]:
        """Laws of the truncated histogram, for each value of the target beside known records."""
        codes: dict[Truncated, int] = {}
        columns = {}
        for target in targets:
            extra = [sum(i == j for i in (target, *known)) for j in range(self.values)]
            columns[target] = [
                codes.setdefault(
                    tuple(
                        count + more if count + more >= k else None
                        for count, more in zip(histogram, extra, strict=True)
                    ),
                    len(codes),
                )
                for histogram in self.histograms
            ]
        tables = {}
        for target, outputs in columns.items():
            table = np.zeros((len(self.histograms), len(codes)))
            table[np.arange(len(outputs)), outputs] = 1.0
            tables[target] = self.masses @ table
        return tables

    def world(self, index: int) -> list[Vector]:
        """The laws of one world's records."""
        return [self.laws[j] for j in self.members[index]]


def excess(
    p: npt.NDArray[np.float64], q: npt.NDArray[np.float64], E: Fraction
) -> npt.NDArray[np.float64]:
    """Hockey-sticks of all worlds, exact, in units of 1/(unit * denominator of E)."""
    return np.asarray(np.maximum(0.0, E.denominator * p - E.numerator * q).sum(axis=1))


def largest(worlds: Worlds, p: Any, q: Any, E: Fraction) -> tuple[Fraction, int]:
    """Largest hockey-stick, and the number of the world that has it."""
    assert worlds.unit * E.numerator < 2**53
    values = excess(p, q, E)
    index = int(values.argmax())
    return Fraction(int(values[index]), worlds.unit * E.denominator), index


@lru_cache(maxsize=32)
def theorem_worlds(rare: int, common: int, lam: Rational, N: int) -> Worlds:
    """All worlds of Theorem 5 with so many values, the rare ones at most lam; for any k and E."""
    return Worlds(theorem_laws(rare, common, lam, lam), N, rare + common)


def worst_of_all(N: int, lam: Rational, k: int, E: Fraction, most_values: int = 2) -> Fraction:
    """Largest delta over all worlds of Theorem 5 with so many values, and all pairs."""
    best = Fraction(0)
    for rare, common in product(range(most_values + 1), repeat=2):
        if 0 < rare + common <= most_values and theorem_laws(rare, common, lam, lam):
            worlds = theorem_worlds(rare, common, lam, N)
            outputs = worlds.outputs(k, range(rare + common + 1))
            for a, b in permutations(outputs, 2):
                best = max(best, largest(worlds, outputs[a], outputs[b], E)[0])
    return best


def passive_delta(
    laws: Sequence[Vector], N: int, known: int, k: int, a: int, b: int, E: Fraction
) -> Fraction:
    """Largest delta on average over what is seen of some records, over all worlds of vertices."""
    values = len(laws[0]) - 1
    unknown = Worlds(laws, N - known, values)
    deltas = {}
    for seen in product(range(values + 1), repeat=known):
        outputs = unknown.outputs(k, (a, b), seen)
        both = (excess(outputs[a], outputs[b], E), excess(outputs[b], outputs[a], E))
        deltas[seen] = np.maximum(*both)
    best = Fraction(0)
    for informed in multisets(range(len(laws)), known):
        weights = {
            seen: math.prod(
                (laws[j][i] for j, i in zip(informed, seen, strict=True)), start=Fraction(1)
            )
            for seen in deltas
        }
        common = math.lcm(*(weight.denominator for weight in weights.values()))
        total = sum(int(weight * common) * deltas[seen] for seen, weight in weights.items())
        best = max(best, Fraction(int(np.max(total)), common * unknown.unit * E.denominator))
    return best


def multisets(items: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    return (chosen for chosen in product(items, repeat=size) if list(chosen) == sorted(chosen))


# --------------------------------------------------------------------------------------------
# Bounds
# --------------------------------------------------------------------------------------------


def tail(N: int, p: Rational, k: int) -> Fraction:
    """P[Bin(N, p) >= k], in whole numbers."""
    return Fraction(sum(_masses(N, p)[max(k, 0) :]), Fraction(p).denominator ** N)


def _masses(N: int, p: Rational) -> list[int]:
    """Masses of Bin(N, p) in units of 1/denominator^N."""
    yes, every = Fraction(p).numerator, Fraction(p).denominator
    return [math.comb(N, j) * yes**j * (every - yes) ** (N - j) for j in range(N + 1)]


def sum_tail(N: int, p: Rational, m: int, q: Rational, k: int) -> Fraction:
    """P[Bin(N, p) + Bin(m, q) >= k]."""
    law = oracles.count_law([*[p] * N, *[q] * m])
    return sum((mass for j, mass in law.items() if j >= k), Fraction(0))


def corrected_delta(
    kind: frozenset[str], N: int, lam: Rational, rho: Rational, k: int, E: Rational
) -> Fraction:
    """The corrected Theorem 5, for a pair of "rare", "common" and "absent"."""
    blanket, rare = oracles.blanket_delta(N, lam, E), tail(N, rho, k - 1)
    if "common" not in kind:
        return rare
    return min(Fraction(1), blanket + rare) if "rare" in kind else blanket


SLIPS = ("threshold", "logarithm", "rate", "independence", "target", "sum")


def printed_delta(
    n: int,
    lam: Rational,
    k: int,
    slips: Iterable[str],
    threshold: Rational,
    E: Rational,
    in_r: int | None = None,
) -> Fraction:
    """Printed Theorem 5 with some slips left in, at exp(eps) = E.

    The threshold is eps/2 itself as long as the slip "logarithm" is left in, else exp(eps/2). What
    is printed as k in r may be read as another number, `in_r`.
    """
    N, lam, left = n - 1, Fraction(lam), set(slips)
    r = lam * N / ((1 - lam) * (k if in_r is None else in_r))
    T = k if "threshold" in left else k - 1
    if r >= 1:
        return Fraction(1)
    q = oracles.count_law([lam] * N).get(T, Fraction(0)) / (1 - r)
    if q >= 1 or E * (1 - q) ** 2 < 1:
        return Fraction(1)
    success = 2 * lam if "rate" in left else lam
    make = oracles.independent_pair if "independence" in left else oracles.trinomial
    probability = oracles.ratio_tail(make(N, success), threshold, int("target" not in left))
    return min(Fraction(1), max(2 * q, probability * (1 if "sum" in left else 2)))


# --------------------------------------------------------------------------------------------
# Sampling before k-anonymity
# --------------------------------------------------------------------------------------------


def sampled_delta(k: int, rate: Rational, m: int, E: Fraction) -> Fraction:
    """Delta between m and m + 1 records of one value, each kept with some probability."""
    unit = Fraction(rate).denominator
    laws = []
    for records, scale in ((m, unit), (m + 1, 1)):
        law: dict[int | None, int] = {}
        for count, mass in enumerate(_masses(records, rate)):
            shown = count if count >= k else None
            law[shown] = law.get(shown, 0) + mass * scale
        laws.append(law)
    best = 0
    for p, q in (laws, laws[::-1]):
        gains = (E.denominator * mass - E.numerator * q.get(t, 0) for t, mass in p.items())
        best = max(best, sum(gain for gain in gains if gain > 0))
    return Fraction(best, E.denominator * unit ** (m + 1))


def sampled_tail(k: int, rate: Rational, E: Rational, most: int) -> Fraction:
    """Largest P[Bin(n, rate) > gamma n] for n from ceil(k/gamma) - 1 to `most`."""
    gamma = (Fraction(E) - 1 + Fraction(rate)) / Fraction(E)
    first = math.ceil(k / gamma) - 1
    assert most >= first
    return max(tail(n, rate, math.floor(gamma * n) + 1) for n in range(first, most + 1))
