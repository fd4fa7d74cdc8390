"""Second implementations of what the library computes, slow and plain.

Two kinds. The first half works in exact rationals, straight from the definitions: databases are
enumerated one by one, events are enumerated one by one, laws are built by convolution. The second
half works in ball arithmetic (python-flint): every function returns a ball that contains the true
value, with a rigorous bound on what was left out of a sum. Floats that are passed in stand for
the binary rationals that they are.

Throughout, ``N`` is the number of other, unknown records, ``E`` is the ratio exp(eps) as a
rational, ``lam`` is lambda. Nothing here imports the library.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb, floor, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from flint import arb, arb_poly, ctx
from scipy.optimize import minimize

Rational = Fraction | int
Law = dict[Any, Fraction]

# --------------------------------------------------------------------------------------------
# Exact rationals
# --------------------------------------------------------------------------------------------


def count_law(probabilities: Sequence[Rational]) -> Law:
    """Law of a sum of independent bits, by convolution."""
    law, unit = [1], 1  # in whole parts, of which so many make 1
    for p in probabilities:
        one, none = p.numerator, p.denominator - p.numerator
        law = [none * stay + one * step for stay, step in zip([*law, 0], [0, *law], strict=True)]
        unit *= p.denominator
    return {k: Fraction(part, unit) for k, part in enumerate(law)}


def database_law(probabilities: Sequence[Rational]) -> Law:
    """Law of the whole database of independent bits, as a table."""
    return {
        bits: prod(
            (p if bit else 1 - p for p, bit in zip(probabilities, bits, strict=True)),
            start=Fraction(1),
        )
        for bits in product((0, 1), repeat=len(probabilities))
    }


def hockey_stick(p: Law, q: Law, E: Rational) -> Fraction:
    """Sum over outcomes of max(0, P - E Q)."""
    unit = math.lcm(*{mass.denominator for law in (p, q) for mass in law.values()})
    excess = 0  # in whole parts, of which E.denominator * unit make 1
    for t, mass in p.items():
        gain = E.denominator * mass.numerator * (unit // mass.denominator)
        if t in q:
            gain -= E.numerator * q[t].numerator * (unit // q[t].denominator)
        excess += max(0, gain)
    return Fraction(excess, E.denominator * unit)


def hockey_stick_by_events(p: Law, q: Law, E: Rational) -> Fraction:
    """Largest P[event] - E Q[event] over every subset of the outcomes."""
    outcomes = sorted({*p, *q})
    best = Fraction(0)
    for size in range(len(outcomes) + 1):
        for event in combinations(outcomes, size):
            weight = sum((p.get(t, Fraction(0)) - E * q.get(t, Fraction(0)) for t in event), 0)
            best = max(best, Fraction(weight))
    return best


def shifted(law: Law) -> Law:
    """Law of the count plus one."""
    return {k + 1: mass for k, mass in law.items()}


def count_delta(
    probabilities: Sequence[Rational],
    E: Rational,
    divergence: Callable[[Law, Law, Rational], Fraction] = hockey_stick,
) -> Fraction:
    """Privacy parameter delta of the count for a target whose record is 1 or 0, both orders."""
    without = count_law(probabilities)
    return max(
        divergence(shifted(without), without, E),
        divergence(without, shifted(without), E),
    )


def delta_by_observation(
    probabilities: Sequence[Rational], target: int, known: Sequence[int], E: Rational
) -> dict[tuple[int, ...], tuple[Fraction, Fraction]]:
    """Probability and delta of each observation of the known records, from whole databases.

    The definition read aloud: condition the law of the database on the target's record and on
    what the attacker sees, look at the law of the count, compare the two values of the target.
    """
    databases = database_law(probabilities)
    seen = {tuple(d[j] for j in known) for d, mass in databases.items() if mass}
    table = {}
    for observation in sorted(seen):
        outputs: list[Law] = []
        for secret in (0, 1):
            match = {
                d: mass
                for d, mass in databases.items()
                if mass and d[target] == secret and tuple(d[j] for j in known) == observation
            }
            total = sum(match.values())
            law: Law = {}
            for d, mass in match.items():
                law[sum(d)] = law.get(sum(d), Fraction(0)) + mass / total
            outputs.append(law)
        chance = sum(
            mass for d, mass in databases.items() if tuple(d[j] for j in known) == observation
        )
        delta = max(hockey_stick(*outputs, E), hockey_stick(*reversed(outputs), E))
        table[observation] = (Fraction(chance), delta)
    return table


def active_delta(
    probabilities: Sequence[Rational], target: int, known: Sequence[int], E: Rational
) -> Fraction:
    """Delta against an attacker who picks the known records' values."""
    table = delta_by_observation(probabilities, target, known, E)
    return max(delta for _, delta in table.values())


def passive_delta(
    probabilities: Sequence[Rational], target: int, known: Sequence[int], E: Rational
) -> Fraction:
    """Delta against an attacker who only sees the known records."""
    table = delta_by_observation(probabilities, target, known, E)
    return sum((chance * delta for chance, delta in table.values()), Fraction(0))


def vertex(N: int, lam: Rational, m: int) -> list[Fraction]:
    """The vertex of the cube [lam, 1 - lam]^N with m records at lam."""
    return [Fraction(lam)] * m + [1 - Fraction(lam)] * (N - m)


@cache
def vertex_delta(N: int, lam: Rational, m: int, E: Rational) -> Fraction:
    """Hockey-stick of (S + 1, S) at a vertex, one direction: the other is vertex N - m."""
    without = count_law(vertex(N, lam, m))
    return hockey_stick(shifted(without), without, E)


def worst_delta(N: int, lam: Rational, E: Rational) -> Fraction:
    """Largest delta over all vertices."""
    return max(vertex_delta(N, lam, m, E) for m in range(N + 1))


def worst_delta_on_grid(N: int, lam: Rational, E: Rational, steps: int) -> Fraction:
    """Largest delta over a grid of the cube; records are exchangeable, so multisets suffice."""
    points = [lam + (1 - 2 * Fraction(lam)) * Fraction(i, steps) for i in range(steps + 1)]

    def multisets(size: int, least: int) -> Iterable[list[Fraction]]:
        if size == 0:
            yield []
            return
        for i in range(least, len(points)):
            for rest in multisets(size - 1, i):
                yield [points[i], *rest]

    return max(count_delta(p, E) for p in multisets(N, 0))


def trinomial(N: int, lam: Rational) -> Law:
    """Law of (X, Y) with (X, Y, rest) ~ Multinomial(N; lam, lam, 1 - 2 lam)."""
    lam = Fraction(lam)
    return {
        (x, y): comb(N, x) * comb(N - x, y) * lam ** (x + y) * (1 - 2 * lam) ** (N - x - y)
        for x in range(N + 1)
        for y in range(N + 1 - x)
    }


def independent_pair(N: int, success: Rational) -> Law:
    """Law of (X, Y), independent, both Binomial(N, success)."""
    law = count_law([success] * N)
    return {(x, y): law[x] * law[y] for x in law for y in law}


@cache
def blanket_delta(N: int, lam: Rational, E: Rational) -> Fraction:
    """E[(1 - E Y / (X + 1))_+] for the trinomial (X, Y)."""
    return sum(
        (
            mass * max(Fraction(0), 1 - Fraction(E) * y / (x + 1))
            for (x, y), mass in trinomial(N, lam).items()
        ),
        Fraction(0),
    )


def ratio_tail(law: Law, threshold: Rational, restored: int = 0) -> Fraction:
    """P[(X + restored) / Y >= threshold], where Y = 0 counts as an infinite ratio, 0/0 too."""
    return sum(
        (mass for (x, y), mass in law.items() if y == 0 or x + restored >= threshold * y),
        Fraction(0),
    )


@cache
def tail_delta(N: int, lam: Rational, E: Rational) -> Fraction:
    """P[(X + 1) / Y >= E] for the trinomial (X, Y)."""
    return ratio_tail(trinomial(N, lam), E, restored=1)


@cache
def printed_delta(N: int, lam: Rational, reading: str, threshold: Rational) -> Fraction:
    """Printed Theorem 3 under one of its readings.

    The threshold is eps itself for "literal", exp(eps) for the others.
    """
    laws = {
        "literal": lambda: independent_pair(N, 2 * Fraction(lam)),
        "exponential": lambda: independent_pair(N, 2 * Fraction(lam)),
        "rate": lambda: independent_pair(N, Fraction(lam)),
        "multinomial": lambda: trinomial(N, lam),
    }
    return ratio_tail(laws[reading](), threshold)


def histogram_delta(records: Sequence[Sequence[Rational]], a: int, b: int, E: Rational) -> Fraction:
    """Delta of a released histogram: the target is in category a or b, the others as given."""
    categories = len(records[0])
    law: Law = {(0,) * categories: Fraction(1)}
    for record in records:
        grown: Law = {}
        for counts, mass in law.items():
            for k, p in enumerate(record):
                more = (*counts[:k], counts[k] + 1, *counts[k + 1 :])
                grown[more] = grown.get(more, Fraction(0)) + mass * p
        law = grown

    def with_target(k: int) -> Law:
        return {(*c[:k], c[k] + 1, *c[k + 1 :]): mass for c, mass in law.items()}

    in_a, in_b = with_target(a), with_target(b)
    return max(hockey_stick(in_a, in_b, E), hockey_stick(in_b, in_a, E))


def rational_above_exp(eps: Rational) -> Fraction:
    """Rational at most 1e-30 above exp(eps): a hockey-stick there is at most the one at eps.

    Partial sums of the series, plus a bound on the rest (ratios below 1/2 once k > 2 eps).
    """
    term, total, k = Fraction(1), Fraction(1), 0
    while k <= 2 * eps or term > Fraction(1, 10**30):
        k += 1
        term *= Fraction(eps) / k
        total += term
    return total + 2 * term


# --------------------------------------------------------------------------------------------
# Balls that contain the truth
# --------------------------------------------------------------------------------------------

PRECISION = 320  # bits; sums lose a few dozen to cancellation and to their own length
DROPPED = 2.0**-140  # masses below this are dropped from a tilted law, and accounted for
NEGLIGIBLE = 2.0**-80  # what may be left out of a sum, relative to it


def ball(x: float | Rational) -> arb:
    """The ball of radius zero (floats, integers) or 2^-320 relative (other fractions)."""
    if isinstance(x, Fraction):
        return arb(x.numerator) / arb(x.denominator)
    return arb(x)


def log_hockey_stick(p: Law, q: Law, eps: float) -> arb:
    """Ball of ln of the sum over outcomes of max(0, P - E Q), for exact rational laws."""
    with ctx.workprec(PRECISION):
        E = ball(eps).exp()
        gains = ((ball(p[t]) - E * ball(q.get(t, 0))).nonnegative_part() for t in p)
        total = sum(gains, arb(0))
        return arb.neg_inf() if total.is_zero() else total.log()


def log_delta_by_enumeration(probabilities: Sequence[float | Rational], eps: float) -> arb:
    """Ball of ln delta of the count from its exact law; both orders."""
    without = count_law([Fraction(p) for p in probabilities])
    return log_hockey_stick(shifted(without), without, eps).max(
        log_hockey_stick(without, shifted(without), eps)
    )


def _upto(x: arb) -> arb:
    """A ball around [0, x]."""
    return arb(0).union(x)


def log_binomial_mass(n: int, p: arb, k: int) -> arb:
    """Ball of ln P[Binomial(n, p) = k], for 0 < p < 1 and 0 <= k <= n."""
    ways = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
    return ways + k * p.log() + (n - k) * (1 - p).log()


def binomial_masses(n: int, p: arb, low: int, high: int) -> dict[int, arb]:
    """Masses of Binomial(n, p) at low..high (0 outside 0..n), by ratios from one anchor."""
    masses = dict.fromkeys(range(low, high + 1), arb(0))
    first, last = max(low, 0), min(high, n)
    if first > last:
        return masses
    odds = p / (1 - p)
    anchor = min(max(floor(float(p.mid()) * n), first), last)
    masses[anchor] = log_binomial_mass(n, p, anchor).exp()
    for k in range(anchor, last):
        masses[k + 1] = masses[k] * odds * (n - k) / (k + 1)
    for k in range(anchor, first, -1):
        masses[k - 1] = masses[k] * k / (odds * (n - k + 1))
    return masses


def _binomial_tail(n: int, p: arb, k: int) -> arb:
    """P[Binomial(n, p) >= k], summed upwards; the rest is at most geometric (log-concavity)."""
    if k <= 0:
        return arb(1)
    if k > n:
        return arb(0)
    odds = p / (1 - p)
    term = log_binomial_mass(n, p, k).exp()
    total = term
    while k < n:
        ratio = odds * (n - k) / (k + 1)
        if ratio < 0.999 and term * ratio / (1 - ratio) < total * NEGLIGIBLE:
            return total + _upto(term * ratio / (1 - ratio))
        term *= ratio
        total += term
        k += 1
    return total


class Group(NamedTuple):
    """Some records that share one probability, which lies strictly between 0 and 1."""

    size: int
    p: float | Rational


def _sum_tails(first: Group, second: Group, lowest: int, highest: int, centre: int) -> list[arb]:
    """P[Bin + Bin >= i] for i in lowest..highest, by one sum over the first group's count.

    The summand (a mass of the first times a tail of the second) is log-concave in that count,
    so beyond the ends of the window it falls at least geometrically.
    """
    p, q = ball(first.p), ball(second.p)
    spread = (first.size / 4) ** 0.5
    width = floor(14 * min(spread, (centre + 1) ** 0.5, (first.size - centre + 1) ** 0.5)) + 60
    j_low, j_high = max(0, centre - width), min(first.size, centre + width)
    masses = binomial_masses(first.size, p, j_low - 1, j_high + 1)

    bottom, top = lowest - j_high - 1, highest - j_low + 1
    seconds = binomial_masses(second.size, q, bottom, top)
    tails = {top: _binomial_tail(second.size, q, top)}
    for i in range(top - 1, bottom - 1, -1):
        tails[i] = tails[i + 1] + seconds[i]

    sums = []
    for i in range(lowest, highest + 1):
        total = sum((masses[j] * tails[i - j] for j in range(j_low, j_high + 1)), arb(0))
        rest = arb(0)
        for end, beyond in ((j_low, j_low - 1), (j_high, j_high + 1)):
            if 0 <= beyond <= first.size:
                here, next_ = masses[end] * tails[i - end], masses[beyond] * tails[i - beyond]
                if next_ > 0:
                    assert next_ < here
                    rest += next_ / (1 - next_ / here)
        assert total.is_zero() or rest < total * NEGLIGIBLE, "widen the window"
        sums.append(total + _upto(rest))
    return sums


def _one_direction(first: Group, second: Group, eps: float) -> arb:
    """Ball of ln H(S + 1 || S): the largest P[S >= k - 1] - E P[S >= k] over k.

    That difference is unimodal in k (the ratios of a log-concave law are monotone), so a value
    with smaller neighbours is the maximum; both neighbours are computed and compared.
    """
    if first.size > second.size:
        first, second = second, first
    with ctx.workprec(PRECISION):
        E = ball(eps).exp()
        N = first.size + second.size
        means = [g.size * ball(g.p) * E / (1 - ball(g.p) + ball(g.p) * E) for g in (first, second)]
        mode, centre = floor(float(means[0] + means[1])), floor(float(means[0]))
        lowest, highest = max(mode - 2, -1), min(mode + 3, N + 1)
        tails = _sum_tails(first, second, lowest, highest, centre)
        gains = [here - E * after for here, after in pairwise(tails)]
        value = gains[0]
        for gain in gains[1:]:
            value = value.max(gain)
        assert lowest == -1 or gains[0] < value, "the maximum may lie lower"
        assert highest == N + 1 or gains[-1] < value, "the maximum may lie higher"
        return value.log()


def log_delta_two_groups(first: Group, second: Group, eps: float) -> arb:
    """Ball of ln delta of a count whose unknown records have two probabilities; both orders."""
    with ctx.workprec(PRECISION):
        mirror = [Group(g.size, 1 - Fraction(g.p)) for g in (first, second)]
        one = _one_direction(first, second, eps)
        other = _one_direction(*mirror, eps)
        return one.max(other)


def log_delta_binomial(N: int, p: float | Rational, eps: float) -> arb:
    """Ball of ln delta of a count whose N unknown records share one probability."""
    return log_delta_two_groups(Group(0, Fraction(1, 2)), Group(N, p), eps)


def log_delta_at_vertex(N: int, lam: float | Rational, m: int, eps: float) -> arb:
    """Ball of ln H(S + 1 || S) with m records at lam and N - m at 1 - lam (one direction)."""
    return _one_direction(Group(m, Fraction(lam)), Group(N - m, 1 - Fraction(lam)), eps)


def _log_one_direction_any(probabilities: Sequence[float | Rational], eps: float) -> arb:
    """As below, for H(S + 1 || S)."""
    E = ball(eps).exp()
    log_mgf, tilted = arb(0), []
    for p in map(ball, probabilities):
        weight = 1 - p + p * E
        log_mgf += weight.log()
        tilted.append(arb_poly([(1 - p) / weight, p * E / weight]))
    # (offset, polynomial) pairs; coefficients too small to matter are dropped from both ends.
    factors = [(0, f) for f in tilted]
    while len(factors) > 1:
        merged = []
        for left, right in zip(factors[::2], factors[1::2], strict=False):
            coefficients = (left[1] * right[1]).coeffs()
            low, high = 0, len(coefficients)
            if high > 100:
                while coefficients[low] < DROPPED:
                    low += 1
                while coefficients[high - 1] < DROPPED:
                    high -= 1
            merged.append((left[0] + right[0] + low, arb_poly(coefficients[low:high])))
        if len(factors) % 2:
            merged.append(factors[-1])
        factors = merged
    offset, law = factors[0]
    masses = law.coeffs()
    # Dropping only lowers a mass, by at most what is missing from one in all.
    missing = _upto((1 - sum(masses, arb(0))).abs_upper())
    masses = [arb(0) + missing, *(q + missing for q in masses), arb(0) + missing]
    offset -= 1
    # The law is unimodal: before its peak no step is positive.
    peak = max(range(len(masses)), key=lambda i: float(masses[i]))
    total = arb(0)
    for i in range(max(peak, 1), len(masses)):
        step = masses[i - 1] - masses[i]
        if step > 0:
            total += (-ball(eps) * (offset + i - 1)).exp() * step
        elif not step < 0:
            total += _upto((-ball(eps) * (offset + i - 1)).exp() * step.abs_upper())
    return total.log() + log_mgf


def log_delta_any(probabilities: Sequence[float | Rational], eps: float) -> arb:
    """Ball of ln delta for arbitrary probabilities: a product tree of the tilted bits.

    With q the law of S tilted by eps and M its normalisation, the mass of S at k is
    M exp(-eps k) q_k, so delta = M sum_k exp(-eps (k - 1)) (q_{k-1} - q_k)_+.
    """
    with ctx.workprec(PRECISION // 2 + 32):
        one = _log_one_direction_any(probabilities, eps)
        other = _log_one_direction_any([1 - Fraction(p) for p in probabilities], eps)
        return one.max(other)


def _log_chernoff(N: int, lam: arb, E: arb, y: int, sign: int) -> arb:
    """Upper bound of ln P[X + 1 >= E Y and sign * (Y - y) >= 0], by exponential moments.

    Any s, r >= 0 give a bound: a rough minimisation in floats, then one evaluation in balls.
    """

    def bound(s: Any, r: Any, lam: Any, E: Any, log: Any, exp: Any) -> Any:
        base = 1 - 2 * lam + lam * exp(s) + lam * exp(sign * r - s * E)
        return s - sign * r * y + N * log(base)

    def rough(point: Sequence[float]) -> float:
        s, r = map(abs, point)
        if s > 600 or s * float(E) + r > 600:
            return 1e300
        return bound(s, r, float(lam), float(E), math.log, math.exp)

    start = [(float(E.log()) + 1e-3) / (1 + float(E)), 0.01]
    s, r = (arb(abs(x)) for x in minimize(rough, start, method="Nelder-Mead").x)
    return bound(s, r, lam, E, arb.log, arb.exp)


def _trinomial_event(N: int, lam: arb, threshold: Callable[[int], int], low: int, high: int) -> arb:
    """Sum over y = low..high of P[Y = y] P[X >= threshold(y) given Y = y].

    Given Y = y, X is Binomial(N - y, lam / (1 - lam)). Walking y downwards its tail only grows:
    with T a tail and b a mass, T(M + 1, t) = T(M, t) + p b(M, t - 1), and then the masses between
    the lower threshold and t are added.
    """
    if low > high:
        return arb(0)
    p = lam / (1 - lam)
    outer = binomial_masses(N, lam, low, high)
    M, t = N - high, max(threshold(high), 0)
    tail = _binomial_tail(M, p, t)
    below = binomial_masses(M, p, t - 1, t - 1)[t - 1]  # b(M, t - 1)
    total = outer[high] * tail
    for y in range(high - 1, low - 1, -1):
        tail += p * below
        M += 1
        if t:
            below *= M * (1 - p) / (M - t + 1)  # b(M, t - 1)
        least = max(threshold(y), 0)
        while t > least:
            tail += below
            t -= 1
            below *= t * (1 - p) / ((M - t + 1) * p)
        total += outer[y] * tail
    return total


def _log_trinomial_sum(
    N: int, lam: float | Rational, eps: float, window_sum: Callable[..., arb]
) -> arb:
    """Ln of a sum over all y, with a rigorous bound on the part outside a window of y.

    Each y contributes at most P[Y = y and X + 1 >= E Y].
    """
    with ctx.workprec(PRECISION):
        rate, E = ball(lam), ball(eps).exp()

        def floor_of(y: int) -> int:
            return int((E * y).floor().unique_fmpz())

        # Where the event is likeliest to happen: the trinomial tilted along (1, -E).
        s = eps / (1 + float(E))
        up, down = float(lam) * math.exp(s), float(lam) * math.exp(-s * float(E))
        centre = floor(N * down / (up + down + 1 - 2 * float(lam)))
        most = int(((N + 1) / (1 + E)).floor().unique_fmpz())  # E y <= N - y + 1
        width = floor(13 * (centre + 1) ** 0.5) + 60
        while True:
            low, high = max(0, centre - width), min(most, centre + width)
            total = window_sum(N, rate, E, floor_of, low, high)
            missing = arb(0)
            if low > 0:
                missing += _log_chernoff(N, rate, E, low - 1, -1).exp()
            if high < most:
                missing += _log_chernoff(N, rate, E, high + 1, 1).exp()
            if missing < total * NEGLIGIBLE:
                return (total + _upto(missing)).log()
            width *= 2


def log_delta_blanket(N: int, lam: float | Rational, eps: float) -> arb:
    """Ball of ln E[(1 - E Y / (X + 1))_+].

    Since y P[X = x, Y = y] / (x + 1) = P[X = x + 1, Y = y - 1], this is
    P[X + 1 > E Y] - E P[X > E (Y + 1)], up to ties that contribute nothing.
    """

    def window_sum(N: int, lam: arb, E: arb, floor_of: Any, low: int, high: int) -> arb:
        ahead = _trinomial_event(N, lam, floor_of, low, high)
        behind = _trinomial_event(N, lam, lambda y: floor_of(y + 1) + 1, max(low - 1, 0), high - 1)
        return ahead - E * behind

    if lam == 0.5:  # nobody is outside {a, b}: the count itself
        return log_delta_binomial(N, lam, eps)
    return _log_trinomial_sum(N, lam, eps, window_sum)


def log_delta_tail(N: int, lam: float | Rational, eps: float) -> arb:
    """Ball of ln P[(X + 1) / Y >= E]."""

    def window_sum(N: int, lam: arb, E: arb, _: Any, low: int, high: int) -> arb:
        return _trinomial_event(N, lam, lambda y: int((E * y).ceil().unique_fmpz()) - 1, low, high)

    if lam == 0.5:  # then X = N - Y, and the event is Y <= (N + 1) / (1 + E)
        with ctx.workprec(PRECISION):
            most = int(((N + 1) / (1 + ball(eps).exp())).floor().unique_fmpz())
            return _binomial_tail(N, arb(0.5), N - most).log()
    return _log_trinomial_sum(N, lam, eps, window_sum)


def log_delta_figure_3(n: int, lam: float | Rational, eps: float) -> arb:
    """Ball of ln P[L > eps], L the loss of S + 1 against S, S ~ Binomial(n - 1, lam).

    P[S = k - 1] / P[S = k] = k (1 - lam) / ((n - k) lam) exceeds E when k > n E lam / (1 - lam
    + E lam).
    """
    with ctx.workprec(PRECISION):
        rate, E = ball(lam), ball(eps).exp()
        last = int((n * E * rate / (1 - rate + E * rate)).floor().unique_fmpz())
        return _binomial_tail(n - 1, rate, min(last, n - 1)).log()


def log_printed_independent(N: int, success: float | Rational, threshold: arb) -> arb:
    """Ball of ln P[X >= threshold * Y], X and Y independent, both Binomial(N, success)."""
    with ctx.workprec(PRECISION):
        masses = binomial_masses(N, ball(success), 0, N)
        tails = {N + 1: arb(0)}
        for k in range(N, -1, -1):
            tails[k] = tails[k + 1] + masses[k]
        total = arb(0)
        for y in range(N + 1):
            least = int((threshold * y).ceil().unique_fmpz())
            total += masses[y] * tails[min(least, N + 1)]
        return total.log()


# --------------------------------------------------------------------------------------------
# Floats, for every vertex at once
# --------------------------------------------------------------------------------------------


def log_deltas_by_recurrence(N: int, lam: float, eps: float) -> npt.NDArray[np.float64]:
    """Ln H(S_m + 1 || S_m) for every m = 0..N, to about 1e-11 (1e-9 where N lam is about 1).

    The law q of S_m tilted by eps (m bits at a, N - m at b) satisfies

        A0 (k + 1) q_{k+1} = (B0 - A1 k) q_k + A2 (N - k + 1) q_{k-1}

    with A0 = (1 - a)(1 - b), A1 = a (1 - b) + b (1 - a), A2 = a b and
    B0 = m a (1 - b) + (N - m) b (1 - a). The ratios q_k / q_{k-1} follow from it, upwards where
    k < B0 / A1 and downwards beyond, so that no two terms cancel and a guessed start is forgotten.
    """
    E = math.exp(eps)
    a, not_a = lam * E / (1 - lam + lam * E), (1 - lam) / (1 - lam + lam * E)
    b, not_b = (1 - lam) * E / (lam + (1 - lam) * E), lam / (lam + (1 - lam) * E)
    A0, A1, A2 = not_a * not_b, a * not_b + b * not_a, a * b
    m = np.arange(N + 1)
    B0 = m * a * not_b + (N - m) * b * not_a
    mean = m * a + (N - m) * b
    deviation = np.sqrt(m * a * not_a + (N - m) * b * not_b)
    width = int(13 * deviation.max()) + 60
    low = np.clip(np.floor(mean).astype(int) - width, 0, N)
    steps = np.minimum(2 * width, N)
    low = np.minimum(low, N - steps)

    ratios = np.full((steps + 1, N + 1), np.nan)  # row i: q_k / q_{k-1} at k = low + i
    turn = np.clip(np.floor(B0 / A1).astype(int), low, low + steps)

    def guess(k: Any) -> Any:
        """Ratio x that reproduces itself: A0 k x^2 - (B0 - A1 k) x - A2 (N - k) = 0, x > 0."""
        half = (B0 - A1 * k) / 2
        root = np.sqrt(half**2 + A0 * k * A2 * (N - k))
        return np.where(half > 0, (half + root) / (A0 * np.maximum(k, 1)),
                        A2 * (N - k) / np.maximum(root - half, 1e-300))  # fmt: skip

    up = np.where(low == 0, B0 / A0, guess(low + 1))
    for i in range(1, steps + 1):
        k = low + i
        ratios[i] = np.where(k <= turn, up, ratios[i])
        with np.errstate(all="ignore"):
            up = ((B0 - A1 * k) + A2 * (N - k + 1) / up) / (A0 * (k + 1))
    top = low + steps
    down = np.where(top == N, A2 / np.where(A1 * N > B0, A1 * N - B0, np.inf), guess(top))
    for i in range(steps, 0, -1):
        k = low + i
        ratios[i] = np.where(k > turn, down, ratios[i])
        with np.errstate(all="ignore"):
            down = A2 * (N - k + 2) / (A0 * k * down + A1 * (k - 1) - B0)

    # Masses from the ratios, largest one 1.
    logs = np.vstack([np.zeros(N + 1), np.cumsum(np.log(ratios[1:]), axis=0)])
    logs -= logs.max(axis=0)
    masses = np.exp(logs)
    k = low + np.arange(steps + 1)[:, None]
    entropy = [p_ * eps - math.log1p((E - 1) * p) for p_, p in ((a, lam), (b, 1 - lam))]
    exponent = m * entropy[0] + (N - m) * entropy[1]
    after = np.vstack([masses[1:], np.zeros(N + 1)])
    peak = np.argmax(masses, axis=0)
    falls = np.where(np.arange(steps + 1)[:, None] >= peak, masses - after, 0.0)
    centre = low + peak
    total = np.sum(np.exp(np.minimum(-eps * (k - centre), 0)) * falls, axis=0)
    return np.log(total / masses.sum(axis=0)) - exponent - eps * (centre - mean)


def count_deltas(
    laws: Iterable[npt.ArrayLike], eps: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Delta at every eps, in either direction, of a sum of independent counts; to 1e-14.

    `laws` are the masses of each count at 0, 1, 2, ... Since S + 1 against S has a rising ratio,
    the best event is a tail, and delta is the largest P[S + 1 >= k] - E P[S >= k].
    """
    law = np.ones(1)
    for masses in laws:
        law = np.convolve(law, masses)
    best = np.zeros_like(eps)
    for masses in (law, law[::-1]):
        tail = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
        ahead = np.append(1.0, tail[:-1])
        gain = np.max(ahead[:, None] - np.exp(eps) * tail[:, None], axis=0)
        best = np.maximum(best, gain)
    return best


# --------------------------------------------------------------------------------------------
# Several answers, several queries: exact rationals again
# --------------------------------------------------------------------------------------------


def release_law(
    target: Any, others: Sequence[Law], release: Callable[[tuple[Any, ...]], Any]
) -> Law:
    """Law of what is released when the target's record is given, from whole databases.

    Each of the others is independent, and is given by the law of its record, whatever a record is:
    an answer, a row of answers, the number of ones in a household. `release` reads a database, the
    target's record first.
    """
    law: Law = {}
    for records in product(*(list(other.items()) for other in others)):
        output = release((target, *(record for record, _ in records)))
        chance = prod((mass for _, mass in records), start=Fraction(1))
        law[output] = law.get(output, Fraction(0)) + chance
    return law


def release_delta(
    one: Any,
    other: Any,
    others: Sequence[Law],
    release: Callable[[tuple[Any, ...]], Any],
    E: Rational,
) -> Fraction:
    """Delta of whatever is released, for a target whose record is one thing or the other."""
    a, b = (release_law(target, others, release) for target in (one, other))
    return max(hockey_stick(a, b, E), hockey_stick(b, a, E))


def tally_of(values: Sequence[Any]) -> Callable[[tuple[Any, ...]], tuple[int, ...]]:
    """Return the mechanism that counts how many records have each of these values."""
    return lambda database: tuple(sum(record == value for record in database) for value in values)


def corners(categories: int, lam: Rational) -> list[tuple[Fraction, ...]]:
    """Vertices of the set of probability vectors whose entries are all at least lam."""
    lam = Fraction(lam)
    rest = 1 - categories * lam
    return [
        tuple(lam + rest if k == corner else lam for k in range(categories))
        for corner in range(categories)
    ]


def worst_histogram_delta(N: int, lam: Rational, categories: int, E: Rational) -> Fraction:
    """Largest delta of a histogram, over all vertices and all pairs of the target's values.

    Delta is convex in each record's probabilities, so no other probabilities are worse; the
    records are exchangeable, so multisets of vertices suffice.
    """
    return max(
        histogram_delta(records, a, b, E)
        for records in combinations_with_replacement(corners(categories, lam), N)
        for a, b in combinations(range(categories), 2)
    )
