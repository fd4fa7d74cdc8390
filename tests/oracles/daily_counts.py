"""Second implementations for daily counts: whole databases, Definition 17 read aloud, balls.

Nothing here imports the library. Databases of series are enumerated one by one; probabilities are
exact rationals, and what cannot be enumerated is computed in ball arithmetic.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb

Rational = Fraction | int
Law = dict[Any, Fraction]


def markov_law(start: Mapping[Any, Rational], steps: Sequence[Mapping[Any, Mapping]]) -> Law:
    """Law of a series, as the product of its transitions over all combinations of values."""
    values = sorted({*start, *(y for step in steps for row in step.values() for y in row)}, key=str)
    law = {}
    for series in product(values, repeat=len(steps) + 1):
        mass = Fraction(start.get(series[0], 0))
        for step, x, y in zip(steps, series, series[1:], strict=False):
            mass *= step.get(x, {}).get(y, 0)
        if mass:
            law[series] = mass
    return law


def binary_step(rise: Rational, stay: Rational) -> dict[int, Law]:
    """Transitions of a bit."""
    return {0: {0: 1 - rise, 1: Fraction(rise)}, 1: {0: 1 - stay, 1: Fraction(stay)}}


def counts_law(
    laws: Sequence[Law], secret: Sequence[Any], predicate: Callable[[Any], Any] = bool
) -> Law:
    """Law of the daily counts of a database: the target's series, and one of each of the laws."""
    law: Law = {}
    for records in product(*(list(other.items()) for other in laws)):
        database = [secret, *(series for series, _ in records)]
        mass = math.prod((mass for _, mass in records), start=Fraction(1))
        counts = tuple(
            sum(1 for value in day if predicate(value)) for day in zip(*database, strict=True)
        )
        law[counts] = law.get(counts, Fraction(0)) + mass
    return law


def marginal(law: Law, days: Sequence[int]) -> Law:
    """Law of the counts of some of the days."""
    result: Law = {}
    for counts, mass in law.items():
        kept = tuple(counts[j] for j in days)
        result[kept] = result.get(kept, Fraction(0)) + mass
    return result


def ratio(p: Rational, q: Rational) -> Fraction | float:
    """p/q, for numbers that are not both 0."""
    return Fraction(p) / q if q else math.inf


def dependency(under_a: Law, under_b: Law) -> dict[tuple[int, ...], Fraction | float]:
    """e^Dep of the last day on all before, from conditional probabilities (Definition 17).

    For outputs that are possible under a; 1 where the loss of the last day, or of the days before,
    is infinite.
    """
    days = len(next(iter(under_a)))
    before, last = range(days - 1), [days - 1]
    a1, b1, a2, b2 = (marginal(p, d) for d in (before, last) for p in (under_a, under_b))
    result: dict[tuple[int, ...], Fraction | float] = {}
    for counts, mass in under_a.items():
        o1, o2 = counts[:-1], counts[-1:]
        if not b1.get(o1, 0) or not b2.get(o2, 0):
            result[counts] = Fraction(1)
            continue
        # Loss of the second mechanism given the first output, less its loss without.
        given = ratio(mass / a1[o1], under_b.get(counts, Fraction(0)) / b1[o1])
        result[counts] = given / ratio(a2[o2], b2[o2])
    return result


def excess(under_a: Law, under_b: Law) -> dict[tuple[int, ...], Fraction | float]:
    """e to the loss of all days less the sum of the losses of each; 1 where one is infinite."""
    days = range(len(next(iter(under_a))))
    singles = [(marginal(under_a, [j]), marginal(under_b, [j])) for j in days]
    result: dict[tuple[int, ...], Fraction | float] = {}
    for counts, mass in under_a.items():
        value = ratio(mass, under_b.get(counts, Fraction(0)))
        for (p, q), o in zip(singles, counts, strict=True):
            if not q.get((o,), 0):
                value = Fraction(1)
                break
            value = value / ratio(p[(o,)], q[(o,)])
        result[counts] = value
    return result


def greatest(
    laws: Sequence[Law],
    a: Sequence[Any],
    b: Sequence[Any],
    measure: Callable[[Law, Law], dict[tuple[int, ...], Fraction | float]] = dependency,
    predicate: Callable[[Any], Any] = bool,
) -> Fraction | float:
    """The largest value of a measure, of a against b and of b against a."""
    under_a, under_b = (counts_law(laws, secret, predicate) for secret in (a, b))
    return max(max(measure(p, q).values()) for p, q in ((under_a, under_b), (under_b, under_a)))


def chain_law(
    others: int, start: Rational, rise: Rational, stay: Rational, secret: Sequence[int]
) -> Law:
    """Law of the daily counts with many records alike: the count itself is a Markov chain."""

    def binomial(n: int, p: Rational) -> list[Fraction]:
        return [
            math.comb(n, k) * Fraction(p) ** k * (1 - Fraction(p)) ** (n - k) for k in range(n + 1)
        ]

    def step(y: int) -> list[Fraction]:
        ones, zeros = binomial(y, stay), binomial(others - y, rise)
        law = [Fraction(0)] * (others + 1)
        for i, p in enumerate(ones):
            for j, q in enumerate(zeros):
                law[i + j] += p * q
        return law

    steps = [step(y) for y in range(others + 1)]
    law: Law = {(k,): mass for k, mass in enumerate(binomial(others, start)) if mass}
    for _ in secret[1:]:
        law = {
            (*counts, k): mass * chance
            for counts, mass in law.items()
            for k, chance in enumerate(steps[counts[-1]])
            if chance
        }
    return {tuple(s + x for s, x in zip(c, secret, strict=True)): m for c, m in law.items()}


def hockey_stick(p: Law, q: Law, E: Rational) -> Fraction:
    """Σ max(0, P - E·Q)."""
    return sum((max(Fraction(0), m - E * q.get(o, Fraction(0))) for o, m in p.items()), Fraction(0))


def delta(under_a: Law, under_b: Law, E: Rational | float) -> Fraction:
    """The larger direction of the hockey-stick; E may be inf."""
    if math.inf == E:
        sides = [sum((m for o, m in p.items() if o not in q), Fraction(0))
                 for p, q in ((under_a, under_b), (under_b, under_a))]  # fmt: skip
        return max(sides)
    return max(hockey_stick(under_a, under_b, E), hockey_stick(under_b, under_a, E))


def covariance(law: Law) -> list[list[Fraction]]:
    """Covariance matrix of the days of a series of bits."""
    days = range(len(next(iter(law))))
    mean = [sum(m * s[j] for s, m in law.items()) for j in days]
    return [
        [sum(m * s[i] * s[j] for s, m in law.items()) - mean[i] * mean[j] for j in days]
        for i in days
    ]


def quadratic_form(matrix: list[list[Fraction]], d: Sequence[int]) -> Fraction:
    """d' M^{-1} d, by Gaussian elimination."""
    rows = [[*row, Fraction(x)] for row, x in zip(matrix, d, strict=True)]
    size = len(rows)
    for i in range(size):
        for k in range(i + 1, size):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i], strict=True)]
    solution = [Fraction(0)] * size
    for i in reversed(range(size)):
        rest = sum(rows[i][k] * solution[k] for k in range(i + 1, size))
        solution[i] = (rows[i][size] - rest) / rows[i][i]
    return sum((x * y for x, y in zip(d, solution, strict=True)), Fraction(0))


def log_step_mass(others: int, y: int, k: int, rise: float, stay: float) -> arb:
    """Ball of ln P[Bin(y, stay) + Bin(others - y, rise) = k], floats taken as they are.

    Terms run outwards from the largest, by their ratios; they are log-concave, so that what
    follows a term is at most geometric.
    """
    p, q = arb(stay), arb(rise)
    odds = (p / (1 - p)) / (q / (1 - q))
    low, high = max(0, k - (others - y)), min(y, k)

    def ratio_up(i: int) -> arb:
        """Term i + 1 over term i, of terms with i ones among the y."""
        return odds * (y - i) * (k - i) / ((i + 1) * (others - y - k + i + 1))

    # The largest term by bisection: ratios fall.
    a, b = low, high
    while a < b:
        middle = (a + b) // 2
        a, b = (middle + 1, b) if ratio_up(middle) > 1 else (a, middle)
    peak = a

    def log_binomial(n: int, x: int, chance: arb) -> arb:
        ways = arb(n + 1).lgamma() - arb(x + 1).lgamma() - arb(n - x + 1).lgamma()
        return ways + x * chance.log() + (n - x) * (1 - chance).log()

    total, slack = arb(1), arb(2) ** -100
    for direction in (1, -1):
        term, i = arb(1), peak
        while low <= i + direction <= high:
            factor = ratio_up(i) if direction == 1 else 1 / ratio_up(i - 1)
            if factor < 0.999 and term * factor / (1 - factor) < slack:
                total += arb(0).union(term * factor / (1 - factor))
                break
            term *= factor
            total += term
            i += direction
    return log_binomial(y, peak, p) + log_binomial(others - y, k - peak, q) + total.log()
