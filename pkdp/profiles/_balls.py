"""Counts in ball arithmetic: sums of some hundred terms that prove what a profile's value is.

A ball is a number with a radius, and every operation returns one that holds the true result (Arb,
through python-flint). What is left out of a sum is bounded and added to the radius. So the ends of
the last ball are a proof, as far as the arithmetic of the library behind it goes.

S is the sum of independent bits, E = e^ε, and ``excess(a) = P[S ≥ a] - E·P[S ≥ a + 1]``. With the
bits tilted by s, t the masses of their sum and M = E[exp(s·S)],

    excess(a) = M·e^{-sa}·G,    G = Σ_{j ≥ 0} w_j·t_{a+j},    w_0 = 1,  w_j = -(E - 1)·e^{-sj}.

The first W + 1 terms are a finite Fourier sum: for every length L > W,

    Σ_{j ≤ W} w_j·Σ_i t_{a+j+iL} = (1/L) Σ_{0 ≤ l < L} ŵ(θ_l)·φ(θ_l)·e^{-iaθ_l},    θ_l = 2πl/L,

φ the characteristic function of t, and ŵ a geometric series. Two things are left out:

* masses more than R from a: those that are aliased (i ≠ 0) and those beyond W. With W = R and
  L = 2R + 1 they are three tails of t, and if a is less than 2 from the mean, each is at most
  ``exp(-r²/(2(σ² + r/3)))``, r = R - 1 (Bernstein). They are weighted by no more than the largest
  of all |w_j|.
* frequencies beyond some J: there ``|φ(θ)| ≤ exp(-2σ²·sin²(θ/2))``, and |ŵ| is at most the sum of
  all |w_j|.

Both fall so fast that J is about the number of digits wanted, however many bits there are. For
s = ε no weight is above 1, and their sum not above 2.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from scipy.optimize import brentq
from scipy.special import expit

from pkdp.profiles._flint import acb, arb, ctx, fmpq

# Beyond this ε no finite loss of a count is left: E is then above 10¹² times the inverse of the
# smallest float.
_BEYOND = 1e3
# A ball of ln δ is narrowed to this part of max(1, |ln δ|), or given up after so many doublings.
_NARROW, _DOUBLINGS = 2.0**-58, 6


class Fourier(NamedTuple):
    """A finite Fourier sum over tilted masses, and a bound of what it leaves out.

    Attributes
    ----------
    length : int
        L.
    angles : list of arb
        θ_l for l = 0…J.
    turns : list of acb
        ``e^{iθ_l} - 1``.
    weights : list of acb
        ``ŵ(θ_l)/L``, twice that for l > 0, whose conjugates are not summed.
    remainder : arb
        What G differs from the real part of the sum by, at most.
    """

    length: int
    angles: list[arb]
    turns: list[acb]
    weights: list[acb]
    remainder: arb

    def turned(self, index: int, by: int) -> acb:
        """Return ``e^{-i·by·θ_l}``, by any integer."""
        return acb(fmpq(-2 * (index * by % self.length), self.length)).exp_pi_i()


def fourier(growth: arb, tilt: arb, records: int, least: arb, most: arb, digits: float) -> Fourier:
    """Return the sum for tilted variances between `least` and `most`.

    Parameters
    ----------
    growth, tilt : arb
        Any g, and s ≥ 0, or any if g is 0: the weights are w_0 = 1 and ``w_j = -g·e^{-sj}``.
    records : int
        How many bits are summed: no mass is further than that from another.
    least, most : arb
        Variances σ² of the tilted sum.
    digits : float
        The remainder is to be at most about ``exp(-digits)``.
    """
    variance = above(most)
    reach = math.ceil(digits / 3 + math.sqrt(digits * digits / 9 + 2 * digits * variance)) + 2
    heaviest = largest_of([arb(1), abs(growth) * (-tilt).exp()])
    remainder = arb(0)
    if reach < records:
        distance = arb(reach - 1)
        remainder = 3 * heaviest * (-(distance**2) / (2 * (most + distance / 3))).exp()
    else:
        reach = records + 1
    length = 2 * reach + 1
    last = length // 2
    if (lowest := below(least)) > digits / 2:
        cut = math.asin(math.sqrt(digits / (2 * lowest)))
        last = min(last, math.ceil(cut * length / math.pi))
    if last < length // 2:
        half_turn = (arb.pi() * (last + 1) / length).sin()
        heavy = 1 + abs(growth) * (1 / tilt.expm1() if tilt > 0 else reach)
        remainder += heavy * (-2 * least.lower() * half_turn**2).exp()
    sums = Fourier(length, [], [], [], remainder.upper())
    for index in range(last + 1):
        theta = 2 * arb.pi() * index / length
        weight = acb(1)
        if not growth.is_zero():
            step = acb(-tilt, -theta)
            turns = step.exp() * (step * reach).expm1() / step.expm1() if step != 0 else reach
            weight -= growth * turns
        sums.angles.append(theta)
        sums.turns.append(acb(0, theta).expm1())
        sums.weights.append(weight * (2 if index else 1) / length)
    return sums


class BallCount:
    """The law of a count of independent bits, each neither sure nor hopeless.

    Parameters
    ----------
    chances : sequence of Fraction
        Their probabilities of 1, in (0, 1).
    times : sequence of int
        How many bits have each.
    """

    def __init__(self, chances: Sequence[Fraction], times: Sequence[int]) -> None:
        self.chances = [fmpq(p.numerator, p.denominator) for p in chances]
        self.times = list(times)
        self.records = sum(times)

    def log_excess(self, eps: float) -> tuple[float, float]:
        """Return bounds of the logarithm of the largest ``excess(a)``.

        That is the hockey-stick divergence of S + 1 and S.
        """
        return enclosed(lambda digits: self.excess(eps, digits))

    def log_excess_within(self, eps: float, lowest: int, highest: int) -> tuple[float, float]:
        """Return bounds of the logarithm of the largest ``excess(a)``, a in lowest…highest.

        Both are -inf if none is positive.
        """
        first, last = max(lowest, 0), min(highest, self.records)
        if first > last or (eps > _BEYOND and last < self.records):
            return -math.inf, -math.inf
        return enclosed(lambda digits: self._excess_within(eps, first, last, digits))

    def excess(self, eps: float, digits: float) -> arb:
        """Return the largest ``excess(a)``; what is left out is about ``exp(-digits)`` of it."""
        return self._excess_within(eps, 0, self.records, digits)

    def _excess_within(self, eps: float, lowest: int, highest: int, digits: float) -> arb:
        """Return the largest ``excess(a)`` of a range.

        The masses are log-concave. So the excess rises up to where the masses tilted by ε are
        largest, and then falls; that is less than 1 from their mean (Darroch, 1964).
        """
        if highest == self.records and (self.records == 0 or self._is_beyond_all_losses(eps)):
            return self._mass_of_all_ones()
        ratio = arb(eps)
        mean, _ = self._moments(ratio)
        first, last = max(math.floor(below(mean)), 0), min(math.ceil(above(mean)), self.records)
        if last > first + 2:  # the mean is not known well enough
            return arb.nan()
        if lowest > last or highest < first:
            return self._excess_at(lowest if lowest > last else highest, ratio, digits)
        starts = range(max(lowest, first), min(highest, last) + 1)
        return self._sum(starts, ratio.expm1(), ratio, digits + 2.0 * self._fall(eps))

    def _excess_at(self, start: int, eps: arb, digits: float) -> arb:
        """Return ``excess(start)``, of any event."""
        if start == self.records:
            return self._mass_of_all_ones()
        if start == 0:
            none = self._mirrored()._mass_of_all_ones()
            return none - eps.expm1() * (1 - none)
        tilt = self._tilt_towards(start)
        if tilt >= 0:
            return self._sum([start], eps.expm1(), tilt, digits)
        # From the mass there the tail beyond it is taken, which is most of all.
        mass = self._sum([start], arb(0), tilt, digits)
        mirrored = self._mirrored()
        rest = mirrored._sum([self.records - start], arb(-1), -tilt, digits)
        return mass - eps.expm1() * (1 - rest)

    def _sum(self, starts: Sequence[int], growth: arb, tilt: arb, digits: float) -> arb:
        """Return the largest ``P[S = a] - growth·P[S > a]`` of some a near the tilted mean."""
        mean, variance = self._moments(tilt)
        if not all(abs(mean - start) < 2 for start in starts):
            return arb.nan()
        digits += math.log1p(math.sqrt(above(variance)))
        parts = fourier(growth, tilt, self.records, variance, variance, digits)
        odds = list(zip(self._tilted(tilt), self.times, strict=True))
        sums = [within(parts.remainder) for _ in starts]
        for index, (turn, term) in enumerate(zip(parts.turns, parts.weights, strict=True)):
            for chance, times in odds:
                term *= (1 + chance * turn) ** times
            for at, start in enumerate(starts):
                sums[at] += (term * parts.turned(index, start)).real
        scale = (self._log_mgf(tilt) - tilt * starts[0]).exp()
        return scale * largest_of([total * (-tilt * at).exp() for at, total in enumerate(sums)])

    def _fall(self, eps: float) -> float:
        """Return about how much smaller than a mass the best excess is, as a logarithm."""
        _, variance = self._moments(arb(eps))
        return math.log1p(eps * math.sqrt(above(variance)))

    def _mirrored(self) -> BallCount:
        """Return the law of the number of 0s."""
        mirrored = copy.copy(self)
        mirrored.chances = [1 - p for p in self.chances]
        return mirrored

    def _tilt_towards(self, outcome: int) -> arb:
        """Return a tilt at which `outcome`, which is neither end, is about the mean."""
        logits = [float((arb(p) / (1 - p)).log()) for p in self.chances]
        level = math.log(outcome) - math.log(self.records - outcome)

        def surplus(tilt: float) -> float:
            means = (k * float(expit(x + tilt)) for x, k in zip(logits, self.times, strict=True))
            return math.fsum(means) - outcome

        low, high = level - max(logits) - 1.0, level - min(logits) + 1.0
        return arb(float(brentq(surplus, low, high, xtol=1e-300, rtol=1e-15)))

    def _tilted(self, tilt: arb) -> list[arb]:
        factor = tilt.exp()
        return [p * factor / (1 - p + p * factor) for p in self.chances]

    def _moments(self, tilt: arb) -> tuple[arb, arb]:
        """Return mean and variance of the tilted sum."""
        odds = self._tilted(tilt)
        pairs = list(zip(odds, self.times, strict=True))
        return sum_of(q * k for q, k in pairs), sum_of(q * (1 - q) * k for q, k in pairs)

    def _log_mgf(self, tilt: arb) -> arb:
        """Return ``ln E[exp(tilt·S)]``."""
        growth = tilt.expm1()
        pairs = zip(self.chances, self.times, strict=True)
        return sum_of((p * growth).log1p() * k for p, k in pairs)

    def _mass_of_all_ones(self) -> arb:
        """Return ``P[S = N]``."""
        logs = (arb(p).log() * k for p, k in zip(self.chances, self.times, strict=True))
        return sum_of(logs).exp()

    def _is_beyond_all_losses(self, eps: float) -> bool:
        """Whether only a count of all ones gives the target away: no other ratio exceeds E.

        ``P[S = k-1]/P[S = k]`` is largest at k = N, where it is the sum of all (1-p)/p.
        """
        if eps > _BEYOND:
            return True
        pairs = zip(self.chances, self.times, strict=True)
        return bool(arb(eps).exp() > sum_of(arb((1 - p) / p) * k for p, k in pairs))


def enclosed(compute: Callable[[float], arb]) -> tuple[float, float]:
    """Return floats below and above the logarithm of a number; -inf twice if it is negative.

    Parameters
    ----------
    compute : callable
        Returns a ball that holds the number, given how small a part of it ``exp(-digits)`` what is
        left out is to be; at a working precision that grows with that.
    """
    digits = 48.0
    for _ in range(_DOUBLINGS):
        with ctx.workprec(64 + int(3.0 * digits)):
            ball = compute(digits)
            if ball < 0:
                return -math.inf, -math.inf
            if ball > 0:
                log = ball.log()
                if float(log.rad()) <= _NARROW * max(1.0, abs(float(log.mid()))):
                    return below(log), above(log)
        digits *= 2.0
    raise ArithmeticError(f"a ball of {ball} could not be narrowed")


def below(ball: arb) -> float:
    return math.nextafter(float(ball.lower()), -math.inf)


def above(ball: arb) -> float:
    return math.nextafter(float(ball.upper()), math.inf)


def within(radius: arb) -> arb:
    """Return the ball around 0 of that radius."""
    return arb(0, radius)


def sum_of(balls: Iterable[arb]) -> arb:
    """Return a sum that is a ball also where nothing is summed."""
    return sum(balls, arb(0))


def largest_of(balls: Sequence[arb]) -> arb:
    """Return a ball that holds the largest of some numbers."""
    largest = balls[0]
    for ball in balls[1:]:
        largest = largest.max(ball)
    return largest
