"""Passive attackers in ball arithmetic: thresholded counts of records some of which are known.

With B the number of known 1s and H(t) what the best event that begins at t or above gains, either
direction's mean is ``Σ_b P[B = b]·H(T - b)``. With ``s_t = P[S = t]`` and positive parts only,

    H(t) - H(t+1) = s_t - E·s_{t+1}  (1 → 0),   E·s_t - s_{t+1}  (0 → 1),

until that is negative, and from there on downwards H is constant. So terms are added up from a
small b on, where H is a ball of `pkdp.certified.counts`; no digits are lost.

The terms are log-concave in b, so that geometric series bound all that is left out. For the ratio
``r_t = s_{t+1}/s_t = (N-t)/(t+1)·p/(1-p)`` is convex in t. So 1 - E·r_t and E - r_t are concave,
hence log-concave where they are positive, and so are their products with s_t. What a log-concave
sequence sums to from t on is log-concave in t. So is H (1 → 0). H (0 → 1) is such a sum less E - 1,
where that is positive; and if f = e^h is log-concave, so is f - c, as ``ln(e^h - c)`` grows with h
and is concave in it.

In the worst case a number m of the unknown records is at p and the others are 0, m = 0…N; a branch
and bound finds the best m. Let ``H_m`` be H for m records, ``a_m`` be where it ceases to grow
downwards and ``d_m`` its value there and below, that of the plain count. For all m in lo…hi

    mean(m) ≤ Σ_{t > a_hi} P[B = T - t]·H_hi(t) + P[B ≥ T - a_hi]·d_lo.

For ``d_m`` falls with m, as one more bit is noise. And one more bit adds ``p·(s_{t-1} - E·s_t)`` or
``p·(E·s_{t-1} - s_t)`` to the event at t, which is what H_m grows by from t to t - 1, times p. That
is not negative for ``t > a_m``, and ``a_m`` grows with m: so ``H_m(t) ≤ H_hi(t)`` for ``t > a_hi``.
Where there are few t in a_lo+1…a_hi, each of these terms is bounded by its own largest one over all
m (`pkdp.profiles.thresholds.worst_number`), and d_lo is needed for t ≤ a_lo only.
"""

import functools
import math
from fractions import Fraction
from typing import NamedTuple

from pkdp.certified import balls
from pkdp.certified.counts import BallCount
from pkdp.certified.flint import arb, ctx, fmpq
from pkdp.certified.thresholds import enclose_events, worst_numbers
from pkdp.engines.branch_and_bound import bisect
from pkdp.engines.passive import Direction, likely_ones
from pkdp.profiles.laws import binomial
from pkdp.releases import Passive, WorstPassive

# Beyond every finite loss of a count of float probabilities.
_NO_FINITE_LOSS = 1e3

# A sum starts so many terms before what floats say is the first that matters; every so many terms
# it is checked whether the others matter.
_SPARE, _OFTEN = 8, 32

# Digits of the means of a worst case, which are doubled so often if a mean is not known as well as
# that; and of how many m a mean is computed at most.
_DIGITS, _DOUBLINGS, _NARROW, _BUDGET = 44.0, 4, 2.0**-44, 6000
# Ranges with so few places of best events have a finer bound.
_FEW_BETWEEN = 8


def enclose(release: Passive, eps: float) -> balls.Bounds:
    """Return bounds of the mean ln δ(ε) over the number of known 1s; -inf twice if it is 0."""
    unknown, known, p, threshold = release.unknown, release.known, release.p, release.threshold
    if p in (0.0, 1.0):
        ones = known if p == 1.0 else 0
        return enclose_events(binomial(unknown, p), max(threshold - ones, 0), unknown, eps)
    eps = min(eps, _NO_FINITE_LOSS)
    means = (_Mean(unknown, known, p, threshold, eps, side) for side in (1, -1))
    return balls.larger_bounds(*(balls.enclosed(mean.ball) for mean in means))


class _Mean:
    """The mean of one direction, H_E(1 → 0) (side 1) or H_E(0 → 1) (side -1)."""

    def __init__(
        self, unknown: int, informed: int, p: float, threshold: int, eps: float, side: int
    ) -> None:
        self._unknown, self._informed, self._threshold = unknown, informed, threshold
        self._eps, self._side, self._p = eps, side, Fraction(p)
        self._direction = Direction(unknown, p, side)
        self._law = BallCount([self._p if side == 1 else 1 - self._p], [unknown])
        self._chance = balls.rational(self._p)
        self._odds = self._chance / (1 - self._chance)

    def _first(self, digits: float) -> int:
        """Return a number of known 1s below which floats find little."""
        side, threshold, eps = self._direction, self._threshold, self._eps
        likely = likely_ones(side, self._informed, threshold, eps)
        plain = threshold - side.last_plain(eps) - _SPARE
        wider = int(len(likely) * max(0.0, math.sqrt(digits / 36.0) - 1.0) / 2.0)
        first = min(likely.start - wider, plain, self._informed - 1)
        if self._side == -1:
            # Further out H is 0, and what it is the positive part of has other magnitudes.
            first = max(first, threshold - side.last_lossy(threshold, eps) - 2)
        return first

    def ball(self, digits: float) -> arb:
        """Return the mean; -1 if it is 0."""
        total, rest, _ = self.sums(digits, 0)
        if total == 0 and rest == 0:
            return arb(-1)
        return total + arb(0, rest.upper()) if rest.is_finite() else arb.nan()

    def sums(self, digits: float, border: int) -> tuple[arb, arb, arb]:
        """Return a sum of terms, a bound of those left out, and that part of it with b < border."""
        lowest = max(0, self._threshold - self._unknown)
        if lowest > self._informed:
            return arb(0), arb(0), arb(0)
        digits += 2.0 * math.log1p(self._eps * math.sqrt(self._unknown))
        first = max(lowest, min(self._first(digits), self._informed - 1))
        return self._sums(first, first == lowest, digits, border)

    def _sums(self, first: int, is_all: bool, digits: float, border: int) -> tuple[arb, arb, arb]:
        """Return `sums` from b = first on; if that is all of them, there are none before."""
        informed, odds = self._informed, self._odds
        t = max(self._threshold - first, 0)
        excess = self.excess(t, digits)
        is_all |= bool(excess < 0)
        chance = balls.log_binomial_mass(informed, first, arb(self._chance)).exp()
        mass = balls.log_binomial_mass(self._unknown, t, arb(self._chance)).exp()
        negligible = arb(-digits).exp()
        total, rest, before, part = arb(0), arb(0), arb(0), arb(0)
        for ones in range(first, informed + 1):
            term = chance * excess.nonnegative_part()
            total += term
            if ones < border:
                part = total
            if ones == first + 1 and not is_all:
                rest += _beyond(before, term)
            is_whole = is_all or ones > first
            step = self._step(t)
            if is_whole and step < 0:  # H stays what it is
                at_least = BallCount([self._p], [informed]).at_least(ones + 1, digits)
                return total + excess.nonnegative_part() * at_least, rest, part
            if is_whole and not (ones - first + 1) % _OFTEN and term < total * negligible:
                return total, rest + _beyond(term, before), part
            if not step < 0:
                mass = mass * t / (odds * (self._unknown - t + 1))
                excess += mass * step.nonnegative_part()
                t -= 1
            chance = chance * (odds * (informed - ones)) / (ones + 1)
            before = term
        return total, rest, part

    def last_plain(self) -> int:
        """Return where H ceases to grow downwards, or a threshold above if that is in doubt."""
        mean, _ = self._law.moments(arb(self._eps))
        last = balls.ceil(mean) if self._side == 1 else -balls.floor(mean)
        last = min(last if self._side == 1 else last + self._unknown, self._unknown)
        while self._step(last) >= 0:
            last -= 1
        return last

    def excess(self, threshold: int, digits: float) -> arb:
        """Return H, or what it is the positive part of."""
        trials = self._unknown
        events = (threshold, trials) if self._side == 1 else (0, trials - threshold)
        return self._law.excess_within(self._eps, *events, digits)

    def _step(self, threshold: int) -> arb:
        """Return by what part of P[S = t-1] H grows from t to t - 1; negative if it does not."""
        if threshold == 0:
            return arb(-1)
        ratio = arb(self._eps).exp()
        fall = self._odds * fmpq(self._unknown - threshold + 1, threshold)
        return 1 - ratio * fall if self._side == 1 else ratio - fall


def _beyond(last: arb, before: arb) -> arb:
    """Return a bound of all terms beyond the last one, which are log-concave."""
    return last * last / (before - last) if last < before else arb.nan()


# … and in the worst case.


def enclose_worst(release: WorstPassive, eps: float) -> balls.Bounds:
    """Return bounds of the largest mean ln δ(ε), 0…N unknown records being at p."""
    unknown, known, p, threshold = release.unknown, release.known, release.p, release.threshold
    if p in (0.0, 1.0):  # records that can be 1 may be certain to be
        log_delta = 0.0 if threshold <= p * (unknown + known) else -math.inf
        return log_delta, log_delta
    eps = min(eps, _NO_FINITE_LOSS)
    with ctx.workprec(64 + int(3.0 * _DIGITS) + 2 * (unknown + known).bit_length()):
        return _Search(unknown, known, p, threshold, eps).bounds(release.tol)


class _Vertex(NamedTuple):
    """What is known of m records in one direction, in logarithms where it is a float."""

    lower: float
    upper: float
    cut: arb  # a bound of the sum over t > a
    chance: arb  # P[B ≥ T - a]
    plain: arb  # d
    last: int  # a


class _Search:
    """Branch and bound over the number of unknown records at p, in both directions at once."""

    def __init__(self, unknown: int, informed: int, p: float, threshold: int, eps: float) -> None:
        self._unknown, self._informed, self._p = unknown, informed, p
        self._threshold, self._eps = threshold, eps
        self._known = BallCount([Fraction(p)], [informed])
        # Of a search alone, and gone with it.
        self._vertex = functools.cache(self._evaluate)
        self._largest_term = functools.cache(self._evaluate_term)

    def bounds(self, tol: float) -> balls.Bounds:
        """Return ends between which the largest mean lies, so near to each other if possible."""
        starts = [(side, 0, self._unknown) for side in (1, -1)]
        width = math.log1p(tol) / 2.0
        lower, upper = bisect(starts, self._ends, self._log_bound, width, _BUDGET)
        return lower, min(0.0, upper)

    def _ends(self, side: int, m: int) -> balls.Bounds:
        vertex = self._vertex(side, m)
        return vertex.lower, vertex.upper

    def _log_bound(self, side: int, low: int, high: int, least: float) -> float:
        """Return a bound of the means for the numbers of records between two.

        It is a finer one where the simple one is above `least` and few t are between both a.
        """
        start, end = self._vertex(side, low), self._vertex(side, high)
        bound = _log_above(end.cut + start.plain * end.chance)
        between = range(start.last + 1, end.last + 1)
        if bound > least and len(between) <= _FEW_BETWEEN:
            terms = balls.sum_of(self._largest_term(side, t) for t in between)
            finer = end.cut + terms + start.plain * start.chance
            bound = min(bound, _log_above(finer))
        return bound

    def _evaluate_term(self, side: int, threshold: int) -> arb:
        """Return P[B = T - t]·H_m(t) at the m that makes it largest."""
        ones = self._threshold - threshold
        if not 0 <= ones <= self._informed:
            return arb(0)
        numbers = worst_numbers(self._unknown, self._p, threshold, -side * self._eps)
        means = (
            _Mean(m, self._informed, self._p, self._threshold, self._eps, side) for m in numbers
        )
        gains = [mean.excess(threshold, _DIGITS).nonnegative_part() for mean in means]
        chance = balls.log_binomial_mass(self._informed, ones, arb(balls.rational(self._p))).exp()
        return chance * balls.largest_of(gains)

    def _evaluate(self, side: int, m: int) -> _Vertex:
        mean = _Mean(m, self._informed, self._p, self._threshold, self._eps, side)
        last = mean.last_plain()
        border = self._threshold - last
        digits = _DIGITS
        for _ in range(_DOUBLINGS):
            with ctx.workprec(ctx.prec + int(3.0 * (digits - _DIGITS))):
                total, rest, part = mean.sums(digits, border)
                chance = self._known.at_least(border, digits)
                plain = mean.excess(0, digits)
                lower, upper = (total - rest).lower(), total + rest
            if upper == 0 or upper - lower < lower * _NARROW:
                break
            digits *= 2.0
        log_lower = balls.below(lower.log()) if lower > 0 else -math.inf
        return _Vertex(log_lower, _log_above(upper), part + rest, chance, plain, last)


def _log_above(ball: arb) -> float:
    """Return a float not below the logarithm of a number that is not negative."""
    top = ball.upper()
    if not top.is_finite():
        return math.inf
    return balls.above(top.log()) if top > 0 else -math.inf
