"""Counts with two-sided geometric noise in ball arithmetic; see `pkdp.profiles._balls`.

The noise k has a probability of ``(1-p)/(1+p)·p^|k|``, and what the event of at least a gains is an
expectation over the count alone:

    P[S + k ≥ a] - E·P[S + k ≥ a + 1] = E[v(S - a)],
    v(y) = p^{-y}·(1 - pE)/(1 + p)              for y ≤ 0,
    v(y) = p^y·(E - p)/(1 + p) - (E - 1)         for y > 0.

From one a to the next it falls by ``P[S + k = a] - E·P[S + k = a + 1]``, which is negative for
a < 0 and positive for a ≥ N. As both laws are log-concave, and so is that of their sum, its sign
changes but once: the best a is where it does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from pkdp._bisection import first_passing, last_passing
from pkdp.profiles._balls import BallCount, Run, below, enclosed, largest_of
from pkdp.profiles._flint import arb, fmpq

# No noise of the library has a loss above this.
_MOST = 1e3


class NoisyBallCount:
    """The law of a count of independent bits with two-sided geometric noise.

    Parameters
    ----------
    count : BallCount
        The count.
    ratio : Fraction
        p in (0, 1).
    """

    def __init__(self, count: BallCount, ratio: Fraction) -> None:
        self._count, self._p = count, fmpq(ratio.numerator, ratio.denominator)

    def log_excess(self, eps: float) -> tuple[float, float]:
        """Return bounds of the logarithm of the largest excess; -inf twice from ln(1/p) on."""
        if eps > _MOST:
            return -math.inf, -math.inf
        return enclosed(lambda digits: self._excess(arb(eps), digits))

    def _excess(self, eps: arb, digits: float) -> arb:
        p, ratio = self._p, eps.exp()
        left = 1 - p * ratio
        if not left > 0:
            return arb(-1) if left < 0 else arb.nan()
        rate = -arb(p).log()
        falls = [Run(left, rate, -1, 0), Run(-(ratio - p) / p, rate, 1, 1)]
        lowest, highest = self._best(falls, eps, digits)
        runs = excess_runs(p, eps)
        return largest_of([self._mean(runs, a, digits) for a in range(lowest, highest + 1)])

    def _best(self, falls: Sequence[Run], eps: arb, digits: float) -> tuple[int, int]:
        """Return the first and last event that may be best; more than one if a sign is in doubt."""

        def rises(start: int) -> bool:
            return bool(self._mean(falls, start, digits) < 0)

        def sinks(start: int) -> bool:
            return bool(self._mean(falls, start, digits) > 0)

        most = self._count.records
        mean, _ = self._count.moments(eps)
        low = high = min(max(math.floor(below(mean)), 0), most)
        step = 1
        while low > 0 and not rises(low):
            low, step = max(0, low - step), 2 * step
        step = 1
        while high < most and not sinks(high):
            high, step = min(most, high + step), 2 * step
        return last_passing(low, high - 1, rises) + 1, first_passing(low, high, sinks)

    def _mean(self, runs: Sequence[Run], start: int, digits: float) -> arb:
        """Return ``E[v(S - start)]``, by a tilt that no run grows under."""
        tilt = arb(0)
        if 0 < start < self._count.records:
            tilt = self._count.tilt_towards(start)
        elif start > 0:
            tilt = arb(math.inf)
        end = below(-arb(self._p).log())
        tilt = arb(min(max(float(tilt), 0.0), end))
        return self._count.expectations(runs, [start], tilt, digits)[0]


def excess_runs(p: fmpq, eps: arb) -> list[Run]:
    """Return v of what an event gains."""
    ratio, rate = eps.exp(), -arb(p).log()
    return [
        Run((1 - p * ratio) / (1 + p), rate, -1, 0),
        Run((ratio - p) / (1 + p), rate, 1, 1),
        Run(-eps.expm1(), arb(0), 1, 1),
    ]
