"""Counts with geometric or Laplace noise in ball arithmetic; see `pkdp.certified.counts`.

Two-sided geometric noise k has a probability of ``(1-p)/(1+p)·p^|k|``, and what the event of at
least a gains is an expectation over the count alone:

    P[S + k ≥ a] - E·P[S + k ≥ a + 1] = E[v(S - a)],
    v(y) = p^{-y}·(1 - pE)/(1 + p)              for y ≤ 0,
    v(y) = p^y·(E - p)/(1 + p) - (E - 1)         for y > 0.

From one a to the next it falls by ``P[S + k = a] - E·P[S + k = a + 1]``, which is negative for
a < 0 and positive for a ≥ N. As both laws are log-concave, and so is that of their sum, its sign
changes but once: the best a is where it does.

Laplace noise has a density of ``e^{-|x|/b}/(2b)``, and events begin anywhere. With p = e^{-1/b} the
event of at least a - t, t from 0 to 1, gains ``D₀ + D₁·u + D₂/u``, u = p^t, where

    D₀ = P[S ≥ a] - E·P[S ≥ a + 1],
    D₁ = ½(E/p - 1)·E[p^{S-a}; S > a] - ½P[S = a],
    D₂ = ½(1 - pE)·E[p^{a-S}; S < a] - ½pE·P[S = a].

At the integers the densities are, up to a factor, the masses with geometric noise. So the same
sign tells between which two integers the best event begins; there D₁ and D₂ are negative, and the
largest gain is ``D₀ - 2·√(D₁·D₂)``.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from pkdp._bisection import first_passing, last_passing
from pkdp.certified import balls
from pkdp.certified.counts import BallCount, Run, at_start, counts_of, excess_runs
from pkdp.certified.flint import arb
from pkdp.profiles.additive_noise import Geometric, Laplace, LaplacePair, Noise, NoisyPair

# No noise of the library has a loss above this.
_MOST = 1e3


def enclose(pair: NoisyPair | LaplacePair, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) of a count with noise."""
    laws = counts_of(pair.base)
    return balls.larger_bounds(*(NoisyBallCount(law, pair.noise).log_excess(eps) for law in laws))


def enclose_alone(noise: Noise, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) of noise alone."""
    return alone(noise).log_excess(eps)


class NoisyBallCount:
    """The law of a count of independent bits with two-sided geometric or Laplace noise.

    Parameters
    ----------
    count : BallCount
        The count.
    noise : Noise
        `Geometric` or `Laplace`.

    Attributes
    ----------
    lost : float
        How many digits are lost in the largest gain.
    """

    def __init__(self, count: BallCount, noise: Noise) -> None:
        self._count = count
        self._ratio = noise.p if isinstance(noise, Geometric) else 0.0
        self._scale = noise.scale if isinstance(noise, Laplace) else 0.0
        self.lost = 2.0 * math.log1p(self._scale)

    @property
    def p(self) -> arb:
        """By what noise falls from one integer to the next."""
        return (-self.rate).exp() if self._scale else arb(balls.rational(self._ratio))

    @property
    def rate(self) -> arb:
        """``-ln p``, which with Laplace noise is 1/b."""
        return 1 / arb(self._scale) if self._scale else -self.p.log()

    def log_excess(self, eps: float) -> balls.Bounds:
        """Return bounds of the logarithm of the largest excess; -inf twice from the rate on."""
        if eps > _MOST or Fraction(self._scale) * Fraction(eps) >= 1:
            return -math.inf, -math.inf
        return balls.enclosed(lambda digits: self.excess(arb(eps), digits + self.lost))

    def excess(self, eps: arb, digits: float) -> arb:
        """Return the largest excess of any event."""
        left = 1 - self.p * eps.exp()
        if not left > 0:
            return arb(-1) if left < 0 else arb.nan()
        lowest, highest = self.best(eps, digits)
        return balls.largest_of([self._gain(a, eps, digits) for a in range(lowest, highest + 1)])

    def _gain(self, start: int, eps: arb, digits: float) -> arb:
        """Return the excess of an event, or of the best one that begins next to it."""
        return self.largest([self.mean(v, start, digits) for v in self.parts(eps)])

    def parts(self, eps: arb) -> list[list[Run]]:
        """Return the functions v whose means at a tell what is gained there, see `largest`.

        With Laplace noise the means are D₀, D₁ and D₂.
        """
        p, ratio = self.p, eps.exp()
        if not self._scale:
            left = Run((1 - p * ratio) / (1 + p), self.rate, -1, 0)
            right = Run((ratio - p) / (1 + p), self.rate, 1, 1)
            return [[left, right, Run(-eps.expm1(), arb(0), 1, 1)]]
        with_u = [Run((ratio / p - 1) / 2, self.rate, 1, 1), at_start(arb(-1) / 2)]
        with_inverse = [Run((1 - p * ratio) / 2, self.rate, -1, 1), at_start(-p * ratio / 2)]
        return [excess_runs(eps), with_u, with_inverse]

    def largest(self, means: Sequence[arb]) -> arb:
        """Return the largest gain of an event that begins at a, or between a - 1 and a."""
        if len(means) == 1:
            return means[0]
        constant, with_u, with_inverse = means
        return _largest_sum(constant, with_u, with_inverse, self.p)

    def falls(self, eps: arb) -> list[Run]:
        """Return the function whose mean at a is negative if the best event begins after a."""
        p, ratio = self.p, eps.exp()
        return [Run(1 - p * ratio, self.rate, -1, 0), Run(-(ratio - p) / p, self.rate, 1, 1)]

    def best(self, eps: arb, digits: float) -> tuple[int, int]:
        """Return the first and last event that may be best; more than one if a sign is in doubt.

        The noise is to fall faster than e^{-ε}.
        """
        falls = self.falls(eps)

        def rises(start: int) -> bool:
            return bool(self.mean(falls, start, digits) < 0)

        def sinks(start: int) -> bool:
            return bool(self.mean(falls, start, digits) > 0)

        most = self._count.records
        mean, _ = self._count.moments(eps)
        low = high = min(max(balls.floor(mean), 0), most)
        step = 1
        while low > 0 and not rises(low):
            low, step = max(0, low - step), 2 * step
        step = 1
        while high < most and not sinks(high):
            high, step = min(most, high + step), 2 * step
        return last_passing(low, high - 1, rises) + 1, first_passing(low, high, sinks)

    def mean(self, runs: Sequence[Run], start: int, digits: float) -> arb:
        """Return ``E[v(S - start)]``, by a tilt that no run grows under."""
        tilt = arb(0)
        if 0 < start < self._count.records:
            tilt = self._count.tilt_towards(start)
        elif start > 0:
            tilt = arb(math.inf)
        tilt = arb(min(max(float(tilt), 0.0), balls.below(self.rate)))
        return self._count.expectations(runs, [start], tilt, digits)[0]


def _largest_sum(constant: arb, with_u: arb, with_inverse: arb, least: arb) -> arb:
    """Return the largest ``constant + with_u·u + with_inverse/u``, u from `least` to 1."""
    ends = balls.largest_of([constant + with_u * u + with_inverse / u for u in (least, arb(1))])
    if with_u >= 0 or with_inverse >= 0:  # it rises, or falls, or both sums are convex
        return ends
    if not (with_u < 0 and with_inverse < 0):  # a sign is in doubt: it is either of the two
        return ends.union(constant - 2 * (with_u * with_inverse).nonnegative_part().sqrt())
    ratio = with_inverse / with_u
    if ratio < least**2 or ratio > 1:
        return ends
    inside = constant - 2 * (with_u * with_inverse).sqrt()
    # If it is at an end, it is no smaller than what is at most there.
    return inside if least**2 < ratio < 1 else inside.union(ends)


def alone(noise: Noise) -> NoisyBallCount:
    """Return the law of the noise alone."""
    return NoisyBallCount(BallCount([], []), noise)
