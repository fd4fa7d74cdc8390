"""Thresholded counts of identical records, some known to a passive attacker, in ball arithmetic.

With B the number of known 1s and H(t) what the best event that begins at t or above gains, either
direction's mean is ``Σ_b P[B = b]·H(T - b)``. With ``s_t = P[S = t]`` and positive parts only,

    H(t) - H(t+1) = s_t - E·s_{t+1}  (1 → 0),   E·s_t - s_{t+1}  (0 → 1),

until that is negative, and from there on downwards H is constant. So terms are added up from a
small b on, where H is a ball of `pkdp.profiles._balls`; no digits are lost.

The terms are log-concave in b, so that geometric series bound all that is left out. For the ratio
``r_t = s_{t+1}/s_t = (N-t)/(t+1)·p/(1-p)`` is convex in t. So 1 - E·r_t and E - r_t are concave,
hence log-concave where they are positive, and so are their products with s_t. What a log-concave
sequence sums to from t on is log-concave in t. So is H (1 → 0). H (0 → 1) is such a sum less E - 1,
where that is positive; and if f = e^h is log-concave, so is f - c, as ``ln(e^h - c)`` grows with h
and is concave in it.
"""

from __future__ import annotations

import math
from fractions import Fraction

from pkdp.partial_knowledge._blanket_in_balls import log_mass
from pkdp.partial_knowledge._known_ones import Direction, last_lossy, likely_ones
from pkdp.profiles._balls import BallCount, enclosed, within
from pkdp.profiles._flint import arb, fmpq
from pkdp.profiles.profile import larger_bounds

# Beyond every finite loss of a count of float probabilities.
_NO_FINITE_LOSS = 1e3

# A sum starts so many terms before what floats say is the first that matters; every so many terms
# it is asked whether the others matter.
_SPARE, _OFTEN = 8, 32


def log_mean(
    unknown: int, informed: int, p: float, threshold: int, eps: float
) -> tuple[float, float]:
    """Return bounds of ln δ(ε), p neither 0 nor 1; -inf twice if it is 0."""
    eps = min(eps, _NO_FINITE_LOSS)
    means = (_Mean(unknown, informed, p, threshold, eps, side) for side in (1, -1))
    return larger_bounds(*(enclosed(mean.ball) for mean in means))


class _Mean:
    """The mean of one direction, H_E(1 → 0) (side 1) or H_E(0 → 1) (side -1)."""

    def __init__(
        self, unknown: int, informed: int, p: float, threshold: int, eps: float, side: int
    ) -> None:
        self._unknown, self._informed, self._threshold = unknown, informed, threshold
        self._eps, self._side, self._p = eps, side, Fraction(p)
        self._direction = Direction(unknown, p, side)
        self._law = BallCount([self._p if side == 1 else 1 - self._p], [unknown])
        self._chance = fmpq(self._p.numerator, self._p.denominator)
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
            first = max(first, threshold - last_lossy(self._unknown, side.p, threshold, eps) - 2)
        return first

    def ball(self, digits: float) -> arb:
        """Return the mean; -1 if it is 0."""
        lowest = max(0, self._threshold - self._unknown)
        if lowest > self._informed:
            return arb(-1)
        digits += 2.0 * math.log1p(self._eps * math.sqrt(self._unknown))
        first = max(lowest, min(self._first(digits), self._informed - 1))
        total, rest = self._sum(first, first == lowest, digits)
        if total == 0 and rest == 0:
            return arb(-1)
        return total + within(rest.upper()) if rest.is_finite() else arb.nan()

    def _sum(self, first: int, is_all: bool, digits: float) -> tuple[arb, arb]:
        """Return a sum of terms from b = first on, and a bound of those that it leaves out.

        If it is all of them, there are none before.
        """
        informed, odds = self._informed, self._odds
        t = max(self._threshold - first, 0)
        excess = self._excess(t, digits)
        is_all |= bool(excess < 0)
        chance = log_mass(informed, first, arb(self._chance)).exp()
        mass = log_mass(self._unknown, t, arb(self._chance)).exp()
        negligible = arb(-digits).exp()
        total, rest, before = arb(0), arb(0), arb(0)
        for ones in range(first, informed + 1):
            term = chance * excess.nonnegative_part()
            total += term
            if ones == first + 1 and not is_all:
                rest += _beyond(before, term)
            is_whole = is_all or ones > first
            step = self._step(t)
            if is_whole and step < 0:  # H stays what it is
                at_least = BallCount([self._p], [informed]).at_least(ones + 1, digits)
                return total + excess.nonnegative_part() * at_least, rest
            if is_whole and not (ones - first + 1) % _OFTEN and term < total * negligible:
                return total, rest + _beyond(term, before)
            if not step < 0:
                mass = mass * t / (odds * (self._unknown - t + 1))
                excess += mass * step.nonnegative_part()
                t -= 1
            chance = chance * (odds * (informed - ones)) / (ones + 1)
            before = term
        return total, rest

    def _excess(self, threshold: int, digits: float) -> arb:
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
