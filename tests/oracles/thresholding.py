"""Second implementations of section 4.2: thresholded counts, in rationals and in balls.

As in `tests.oracles`, the first half works in exact rationals and straight from the definitions:
it releases counts, and takes maxima over vertices and grids. The second half works in ball
arithmetic, for as many records as one likes. Nothing here imports the library.

Directions come as pairs, (target's record 1 against 0, 0 against 1). `N` is the number of other,
unknown records, `t` is a threshold for their count: counts up to it are suppressed, and a negative
one suppresses nothing. `E` is the ratio exp(eps).
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, floor, isinf, sqrt
from typing import Any, NamedTuple

import mpmath
from flint import arb, ctx

from tests.oracles import counts as oracles
from tests.oracles.counts import Group, Law, Rational, ball

HIDDEN = "hidden"


class Both(NamedTuple):
    """Something for each direction: the target's record 1 against 0, then 0 against 1."""

    up: Any
    down: Any


def release_above(threshold: int) -> Callable[[int, int], Any]:
    """Return Definition 15's release of a count (among n records, which does not matter)."""
    return lambda count, _n: HIDDEN if count <= threshold else count


def release_between(threshold: int, symbols: int) -> Callable[[int, int], Any]:
    """Return the release that hides counts <= T and >= n - T, with one symbol or with two."""

    def release(count: int, n: int) -> Any:
        if count <= threshold:
            return HIDDEN
        if n - count <= threshold:
            return HIDDEN if symbols == 1 else "hidden at the top"
        return count

    return release


# --------------------------------------------------------------------------------------------
# Exact rationals: laws of counts
# --------------------------------------------------------------------------------------------


def released_laws(
    probabilities: Sequence[Rational], known_ones: int, n: int, release: Callable[[int, int], Any]
) -> tuple[Law, Law]:
    """Laws of the output for a target of 1 and of 0, the others' bits convolved."""
    laws: tuple[Law, Law] = {}, {}
    for count, mass in oracles.count_law(probabilities).items():
        for target, law in zip((1, 0), laws, strict=True):
            output = release(target + count + known_ones, n)
            law[output] = law.get(output, Fraction(0)) + mass
    return laws


def both_directions(probabilities: Sequence[Rational], t: int, E: Rational) -> Both:
    """Hockey-sticks of a thresholded count of independent bits, from its two laws."""
    return _both_directions(tuple(sorted(probabilities)), t, E)  # their order does not matter


@cache
def _both_directions(probabilities: tuple[Rational, ...], t: int, E: Rational) -> Both:
    one, zero = released_laws(probabilities, 0, len(probabilities) + 1, release_above(t))
    return Both(oracles.hockey_stick(one, zero, E), oracles.hockey_stick(zero, one, E))


@cache
def both_at_vertex(p: Fraction, m: int, t: int, E: Rational) -> Both:
    """`both_directions` for m records at p; records at 0 change nothing."""
    return both_directions([p] * m, t, E)


@cache
def law_at_vertex(p: Fraction, m: int) -> Law:
    """Law of the count of m records at p."""
    return oracles.count_law([p] * m)


@cache
def passive_at_vertex(p: Fraction, m: int, m_known: int, T: int, E: Rational) -> Fraction:
    """Passive delta with m of the unknown records at p, m_known of the known, the others 0."""
    means = [Fraction(0), Fraction(0)]
    for b, mass in law_at_vertex(p, m_known).items():
        for i, delta in enumerate(both_at_vertex(p, m, T - b, E)):
            means[i] += mass * delta
    return max(means)


@cache
def active_at_vertex(p: Fraction, m: int, m_known: int, T: int, E: Rational) -> Fraction:
    """Active delta at the same vertex: the worst of the observations that can be."""
    possible = [b for b, mass in law_at_vertex(p, m_known).items() if mass]
    return max(max(both_at_vertex(p, m, T - b, E)) for b in possible)


def worst_at_vertices(N: int, p: Fraction, t: int, E: Rational) -> Both:
    """Largest hockey-stick of each direction over the vertices of [0, p]^N, by enumeration."""
    every = [both_at_vertex(p, m, t, E) for m in range(N + 1)]
    return Both(max(d.up for d in every), max(d.down for d in every))


def worst_with_knowledge(
    delta: Callable[..., Fraction], N: int, known: int, p: Fraction, T: int, E: Rational
) -> Fraction:
    """Largest delta over the vertices of [0, p]^(N + known)."""
    return max(delta(p, m, k, T, E) for m in range(N + 1) for k in range(known + 1))


def grid(p: Rational, steps: int, size: int) -> Iterator[tuple[Fraction, ...]]:
    """Points of a grid of [0, p]^size; the records are exchangeable, so multisets suffice."""
    points = [Fraction(p) * i / steps for i in range(steps + 1)]
    return combinations_with_replacement(points, size)


def passive_delta_of(
    unknown: Sequence[Rational], known: Sequence[Rational], T: int, E: Rational
) -> Fraction:
    """Passive delta for any probabilities, by convolution."""
    means = [Fraction(0), Fraction(0)]
    for b, mass in oracles.count_law(known).items():
        for i, delta in enumerate(both_directions(unknown, T - b, E)):
            means[i] += mass * delta
    return max(means)


# --------------------------------------------------------------------------------------------
# Exact rationals: the paper's expressions
# --------------------------------------------------------------------------------------------


def f(s: int, n: int, p: Rational) -> Fraction:
    """Return the paper's f(s, n, p): the mass of Binomial(n, p) at s."""
    return (
        Fraction(comb(n, s) * Fraction(p) ** s * (1 - Fraction(p)) ** (n - s))
        if s <= n
        else (Fraction(0))
    )


class Terms(NamedTuple):
    """exp(eps) and delta of Theorem 4."""

    ratio: Fraction
    delta: Fraction


def lemma_2(m: int, n: int, p: Rational) -> Fraction | None:
    """Return f(m, n, p) / (1 - pn / ((1 - p) m)), or None where m <= pn / (1 - p)."""
    if (1 - Fraction(p)) * m <= Fraction(p) * n:
        return None
    return f(m, n, p) / (1 - Fraction(p) * n / ((1 - Fraction(p)) * m))


def theorem_4(n: int, p: Rational, T: int) -> Terms | None:
    """Return Theorem 4 without knowledge, or None where it says nothing."""
    hidden = lemma_2(T, n - 1, p)
    return None if hidden is None or hidden >= 1 else Terms(1 / (1 - hidden), hidden)


def theorem_4_knowing(n: int, p: Rational, T: int, known: int, b_max: int) -> Terms | None:
    """Return Theorem 4 with knowledge, or None where it says nothing."""
    seen = lemma_2(b_max, known, p)
    hidden = lemma_2(T - b_max, n - 1 - known, p) if b_max < T else None
    if seen is None or hidden is None or hidden >= 1:
        return None
    return Terms(1 / (1 - hidden), seen + hidden)


# --------------------------------------------------------------------------------------------
# Balls that contain the truth
# --------------------------------------------------------------------------------------------


def log_of(x: arb) -> arb:
    """Ln of a ball of a number that is not negative; -inf where it may be 0."""
    return x.log() if x > 0 else arb.neg_inf()


def log_hockey_stick(p: Law, q: Law, eps: float) -> arb:
    """Ball of ln of the sum of max(0, P - E Q), right also for an eps that E would swallow."""
    with ctx.workprec(oracles.PRECISION):
        if isinf(eps):
            return log_of(ball(sum(mass for x, mass in p.items() if not q.get(x))))
        excess = ball(eps).expm1()
        gains = (
            (ball(mass - q.get(x, 0)) - excess * ball(q.get(x, Fraction(0)))).nonnegative_part()
            if q.get(x)
            else ball(mass)
            for x, mass in p.items()
        )
        return log_of(sum(gains, arb(0)))


def log_both(probabilities: Sequence[Rational | float], t: int, eps: float) -> Both:
    """Balls of ln of both hockey-sticks, from the exact laws."""
    bits = [Fraction(p) for p in probabilities]
    one, zero = released_laws(bits, 0, len(bits) + 1, release_above(t))
    return Both(log_hockey_stick(one, zero, eps), log_hockey_stick(zero, one, eps))


def log_delta_of_release(
    probabilities: Sequence[Rational | float], release: Callable[[int, int], Any], eps: float
) -> arb:
    """Ball of ln delta of any release of the count, from the exact laws."""
    bits = [Fraction(p) for p in probabilities]
    one, zero = released_laws(bits, 0, len(bits) + 1, release)
    with ctx.workprec(oracles.PRECISION):
        return log_hockey_stick(one, zero, eps).max(log_hockey_stick(zero, one, eps))


def log_binomial_pmf(k: int, n: int, p: float | Rational) -> arb:
    """Ball of ln P[Binomial(n, p) = k]."""
    with ctx.workprec(oracles.PRECISION):
        if not 0 <= k <= n or (p == 0 and k) or (p == 1 and k < n):
            return arb.neg_inf()
        return arb(0) if p in (0, 1) else oracles.log_binomial_mass(n, ball(p), k)


def log_tail_by_integral(k: int, n: int, p: float | Fraction) -> arb:
    """Return ln P[Binomial(n, p) >= k] for k > np, to 40 digits, however many terms that has.

    It is P[S = k] times the integral of (k/p) (t/p)^(k-1) ((1-t)/(1-p))^(n-k) over t in 0..p,
    which increases. All of it but 1e-45 is within 100 units of its logarithm of the upper end.
    """
    chance = float(p)
    slope = (k - 1) / chance - (n - k) / (1 - chance)
    width = min(0.99 * chance, 16 * sqrt(chance * (1 - chance) / n), 110 / max(slope, 1.0))
    with mpmath.workdps(80):
        top = mpmath.mpf(Fraction(p).numerator) / Fraction(p).denominator

        def integrand(x: mpmath.mpf) -> mpmath.mpf:  # at t = top - width x
            below, above = -width * x / top, width * x / (1 - top)
            return mpmath.exp((k - 1) * mpmath.log1p(below) + (n - k) * mpmath.log1p(above))

        panels = mpmath.linspace(0, 1, 17)
        whole = width * mpmath.quad(integrand, panels, method="gauss-legendre", maxdegree=6)
        log_ratio = mpmath.nstr(mpmath.log(whole * k / top), 60)
    with ctx.workprec(oracles.PRECISION):
        return log_binomial_pmf(k, n, p) + arb(log_ratio)


def _at_least(n: int, p: arb, k: int) -> arb:
    """P[Binomial(n, p) >= k], summed from k outwards, on the side away from the mean."""
    if k > n * float(p):
        return oracles._binomial_tail(n, p, k)
    return 1 - oracles._binomial_tail(n, 1 - p, n - k + 1)


def log_binomial_tail(k: int, n: int, p: float | Rational) -> arb:
    """Ball of ln P[Binomial(n, p) >= k]."""
    if p in (0, 1):
        return arb(0) if k <= n * p else arb.neg_inf()
    with ctx.workprec(oracles.PRECISION):
        return log_of(_at_least(n, ball(p), k))


class Thresholded:
    """Hockey-sticks of the count of N records of probability p, at any threshold, in balls.

    The best event is "more than j" or "at most j" for a j >= t. Up: P[S >= j] - E P[S >= j + 1],
    which is s_j - (E - 1) P[S >= j + 1]; down: P[S <= j] - E P[S <= j - 1], which is
    s_j - (E - 1) P[S <= j - 1]. Both rise and then fall with j, as the law is log-concave, so that
    a value larger than its neighbours is the largest; on the falling side j = t is the best.
    """

    def __init__(self, N: int, p: float | Rational, eps: float, precision: int = 320) -> None:
        self.N, self.precision, self.p_given = N, precision, p
        with ctx.workprec(precision):
            self.p = ball(p)
            # eps may be a float or a ball
            self.excess = (eps if isinstance(eps, arb) else ball(eps)).expm1()
            self.odds = self.p / (1 - self.p)
        self._mass: dict[int, arb] = {}
        self._tail: dict[int, arb] = {}
        self._below: dict[int, arb] = {}
        self._peak: list[int | None] = [None, None]
        chance = float(self.p)
        self._block = 16 + int(4 * sqrt(N * chance * (1 - chance)))

    def mass(self, k: int) -> arb:
        """P[S = k], by a ratio from a neighbour if there is one."""
        if not 0 <= k <= self.N:
            return arb(0)
        if k not in self._mass:
            if k - 1 in self._mass:
                value = self._mass[k - 1] * self.odds * (self.N - k + 1) / k
            elif k + 1 in self._mass:
                value = self._mass[k + 1] * (k + 1) / (self.odds * (self.N - k))
            else:
                value = oracles.log_binomial_mass(self.N, self.p, k).exp()
            self._mass[k] = value
        return self._mass[k]

    def tail(self, k: int) -> arb:
        """P[S >= k], from a neighbour if there is one."""
        if k <= 0:
            return arb(1)
        if k > self.N:
            return arb(0)
        if k not in self._tail:
            if k + 1 in self._tail:
                value = self._tail[k + 1] + self.mass(k)
            elif k - 1 in self._tail and k - 1 < self.N * float(self.p):
                value = self._tail[k - 1] - self.mass(k - 1)
            else:
                value = _at_least(self.N, self.p, k)
                if k - 1 in self._tail:  # whoever goes that way will go on
                    far = min(k + self._block, self.N)
                    value = _at_least(self.N, self.p, far)
                    for i in range(k, far):  # masses upwards, sums downwards
                        self.mass(i)
                    for i in range(far - 1, k - 1, -1):
                        self._tail[i + 1] = value
                        value += self.mass(i)
            self._tail[k] = value
        return self._tail[k]

    def below(self, k: int) -> arb:
        """P[S <= k], from a neighbour if there is one and nothing cancels."""
        if k < 0:
            return arb(0)
        if k >= self.N:
            return arb(1)
        if k not in self._below:
            if k - 1 in self._below:
                value = self._below[k - 1] + self.mass(k)
            elif k + 1 in self._below and k + 1 > self.N * float(self.p):
                value = self._below[k + 1] - self.mass(k + 1)
            else:
                value = _at_least(self.N, 1 - self.p, self.N - k)
                if k + 1 in self._below:
                    far = max(k - self._block, 0)
                    value = _at_least(self.N, 1 - self.p, self.N - far)
                    for i in range(k, far, -1):
                        self.mass(i)
                    for i in range(far + 1, k + 1):
                        self._below[i - 1] = value
                        value += self.mass(i)
            self._below[k] = value
        return self._below[k]

    def gain(self, direction: int, j: int) -> arb:
        """Chance of the event of j, less E times its chance for the target's other value."""
        if j < 0:
            return -self.excess
        if direction == 0:
            return self.mass(j) - self.excess * self.tail(j + 1)
        return self.mass(j) - self.excess * self.below(j - 1)

    def _largest(self, direction: int) -> int:
        """Return the j of the largest gain (or a neighbour that a ball cannot tell from it)."""
        found = self._peak[direction]
        if found is None:
            p, E = float(self.p), float(self.excess) + 1
            tilted = p * E / (1 - p + p * E) if direction == 0 else p / (p + E * (1 - p))
            found = min(max(floor((self.N + 1) * tilted), 0), self.N)
            while found < self.N and self.gain(direction, found + 1) > self.gain(direction, found):
                found += 1
            while found > 0 and self.gain(direction, found - 1) > self.gain(direction, found):
                found -= 1
            self._peak[direction] = found
        return found

    def both(self, t: int) -> Both:
        """Balls of both hockey-sticks."""
        with ctx.workprec(self.precision):
            if t > self.N:
                return Both(arb(0), arb(0))
            return Both(
                *(self.gain(i, max(t, self._largest(i))).nonnegative_part() for i in (0, 1))
            )

    def log_delta(self, t: int) -> arb:
        """Ball of ln delta at a threshold."""
        with ctx.workprec(self.precision):
            up, down = self.both(t)
            return log_of(up.max(down))


def log_delta_thresholded(N: int, p: float | Rational, t: int, eps: float) -> arb:
    """Ball of ln delta of a thresholded count whose N unknown records share one probability."""
    return Thresholded(N, p, eps).log_delta(t)


def log_delta_passive(N: int, known: int, p: float | Rational, T: int, eps: float) -> arb:
    """Ball of ln of the passive delta: the mean over b ~ Binomial(known, p), then the larger."""
    with ctx.workprec(oracles.PRECISION):
        unknown, seen = Thresholded(N, p, eps), Thresholded(known, p, 0.0)
        means = [_PassiveMean(unknown, seen, T, direction).ball() for direction in (0, 1)]
        return log_of(means[0].max(means[1]))


class _PassiveMean:
    """The mean of one direction's hockey-stick H(T - b), summed from a likely b on either way.

    H falls with the threshold, and is constant up to the place of the largest gain. In direction 0
    it is at most a tail, P[S >= t]; in direction 1 at most the mass at t, if that is beyond the
    mode. Tails and masses are log-concave, and so is their product with P[b]: from where it falls
    it falls at least geometrically.
    """

    def __init__(self, unknown: Thresholded, seen: Thresholded, T: int, direction: int) -> None:
        self.unknown, self.seen, self.T, self.direction = unknown, seen, T, direction
        self.peak = unknown._largest(direction)
        self.plain = self.gain(0)
        self.mode = floor((unknown.N + 1) * float(unknown.p)) + 1

    def gain(self, t: int) -> arb:
        """H(t)."""
        if t > self.unknown.N:
            return arb(0)
        return self.unknown.gain(self.direction, max(t, self.peak)).nonnegative_part()

    def ball(self) -> arb:
        """The mean, and what is left out of it as a radius."""
        start = self.start()
        if self.gain(self.T - start).is_zero():
            return arb(0)  # and there is nothing below
        total, rest = self.walk(start, -1, arb(0))
        more, beyond = self.walk(start + 1, 1, total)
        return more + oracles._upto(rest + beyond)

    def start(self) -> int:
        """A b with a term that is large; or the last one, if all below it are 0."""
        N, known, p = self.unknown.N, self.seen.N, float(self.unknown.p)
        rate = max(p, min(1.0, self.T / max(N + known, 1)))  # of either, if their sum is T
        b = max(floor(known * p), min(round(known * rate), self.T - self.peak))
        b = min(b, known)
        if self.gain(self.T - b).is_zero():
            b = min(max(b, self.T - self.peak), known)
        return b

    def walk(self, b: int, step: int, total: arb) -> tuple[arb, arb]:
        """Add terms from b on, until all that follow matter no more; and a bound of those."""
        count = 0
        while 0 <= b <= self.seen.N:
            total += self.seen.mass(b) * self.gain(self.T - b)
            b += step
            count += 1
            if count % 16 == 0 or not 0 <= b <= self.seen.N:
                rest = self.rest(b, step)
                if rest is not None and (rest == 0 or rest < total * oracles.NEGLIGIBLE):
                    return total, rest
        return total, arb(0)

    def rest(self, b: int, step: int) -> arb | None:
        """A bound of all terms from b on, or None where there is none yet."""
        if not 0 <= b <= self.seen.N:
            return arb(0)
        first = self.gain(self.T - b)
        if step < 0 and first.is_zero():
            return first  # and so are all that follow
        bounds = []
        highest = first if step < 0 else self.plain
        if (chance := self.chance_from(b, step)) is not None:
            bounds.append(highest * chance)
        if (product := self.product_from(b, step)) is not None:
            bounds.append(product)
        return min(bounds, key=lambda bound: bound.upper()) if bounds else None

    def chance_from(self, b: int, step: int) -> arb | None:
        """A bound of P[B = b] + P[B = b + step] + …"""
        return geometric(self.seen.mass(b), self.seen.mass(b + step))

    def product_from(self, b: int, step: int) -> arb | None:
        """A bound of the terms by that of H, times P[B = b]."""
        t = self.T - b
        of = self.unknown.mass if self.direction else self.unknown.tail
        if t - 1 <= (self.mode if self.direction else self.peak):
            return None
        product = geometric(self.seen.mass(b) * of(t), self.seen.mass(b + step) * of(t - step))
        if product is None or self.direction == 0 or step < 0:
            return product
        # Up to the mode the mass is no bound of H.
        low = self.T - self.mode
        if low > self.seen.N:
            return product
        far = Thresholded(self.seen.N, self.unknown.p_given, 0.0)
        chance = geometric(far.mass(low), far.mass(low + 1))
        return None if chance is None else product + self.plain * chance


def geometric(first: arb, second: arb) -> arb | None:
    """A bound of the sum of a log-concave sequence that begins so, if it falls."""
    if first == 0 or second == 0:
        return first + second
    return (first / (1 - second / first)).upper() if second < first else None


def log_worst_passive(N: int, known: int, p: float | Rational, T: int, eps: float) -> list[arb]:
    """Balls of ln of the passive delta at each vertex: m = 0..N unknown records at p."""
    return [log_worst_passive_at(m, known, p, T, eps) for m in range(N + 1)]


def log_worst_passive_at(m: int, known: int, p: float | Rational, T: int, eps: float) -> arb:
    """Ball of ln of the passive delta with m unknown records at p."""
    # With nobody unknown, a count above the threshold gives the target away.
    return log_delta_passive(m, known, p, T, eps) if m else log_binomial_tail(T, known, p)


class TwoGroups:
    """The count of two groups of records, in balls: sums over the count of the first one."""

    def __init__(self, first: Group, second: Group, eps: float) -> None:
        with ctx.workprec(oracles.PRECISION):
            self.first, self.second = (Thresholded(g.size, g.p, 0.0) for g in (first, second))
            self.N, self.excess = first.size + second.size, ball(eps).expm1()
            self.start = floor(
                sum(
                    float(g.size * (p := ball(g.p)) / (p + (1 - p) * (-ball(eps)).exp()))
                    for g in (first, second)
                )
            )

    def _sum(self, of: Callable[[int], arb], k: int) -> arb:
        if self.first.N == 0:
            return of(k)
        return sum((self.first.mass(i) * of(k - i) for i in range(self.first.N + 1)), arb(0))

    def mass(self, k: int) -> arb:
        """P[S = k]."""
        return self._sum(self.second.mass, k)

    def tail(self, k: int) -> arb:
        """P[S >= k]."""
        return self._sum(self.second.tail, k)

    def below(self, k: int) -> arb:
        """P[S <= k]."""
        return self._sum(self.second.below, k)

    def gain(self, k: int) -> arb:
        """P[S >= k] - E P[S >= k + 1]."""
        return self.mass(k) - self.excess * self.tail(k + 1)

    def best_event(self) -> int:
        """The outcome from which masses less E times the next one are positive: the best event."""
        k, ratio = self.start, self.excess + 1
        while k > 0 and self.mass(k - 1) > ratio * self.mass(k):
            k -= 1
        while k < self.N and self.mass(k) < ratio * self.mass(k + 1):
            k += 1
        return k


def log_delta_between(groups: Sequence[Group], T: int, symbols: int, eps: float) -> arb:
    """Ball of ln delta of a count of one or two groups of which both extremes are hidden."""
    first, second = groups if len(groups) == 2 else (Group(0, Fraction(1, 2)), groups[0])
    mirrored = [Group(g.size, 1 - Fraction(g.p)) for g in (first, second)]
    with ctx.workprec(oracles.PRECISION):
        laws = (TwoGroups(first, second, eps), TwoGroups(*mirrored, eps))
        up, down = (_between(law, T, law.N - T, symbols) for law in laws)
        largest = up.max(down)
        assert largest > 0 or largest.is_zero(), "more precision is needed"
        return log_of(largest)


def _between(law: TwoGroups, low: int, top: int, symbols: int) -> arb:
    """H_E(1 → 0) where counts <= low and > top are hidden."""
    best = max(law.best_event(), low)
    if symbols == 2:
        return law.gain(min(best, top)).nonnegative_part()
    if low >= top:  # nothing is shown
        return arb(0)
    # What is shown is low + 1 to top; of these the ones above `best` gain by a target of 1.
    shown = law.gain(best) - law.gain(top) if best < top else arb(0)
    hidden = law.mass(top) - law.mass(low)
    hidden -= law.excess * (law.below(low) + law.tail(top + 1))
    return shown + hidden.nonnegative_part()
