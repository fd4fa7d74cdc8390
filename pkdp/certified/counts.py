"""Counts in ball arithmetic: sums of some hundred terms that prove what a profile's value is.

A ball is a number with a radius, and every operation returns one that holds the true result (Arb,
through python-flint). What is left out of a sum is bounded and added to the radius. So the ends of
the last ball are a proof, as far as the arithmetic of the library behind it goes.

What is computed are expectations ``E[v(S - a)]``, S the sum of independent bits and v of a few
geometric pieces on either side of 0 (`Run`). The one that counts most is, with E = e^ε,

    excess(a) = P[S ≥ a] - E·P[S ≥ a + 1] = E[v(S - a)],    v(0) = 1,  v(y) = -(E - 1) for y > 0.

With the bits tilted by s, t the masses of their sum, and M = E[exp(s·S)], an expectation is
``M·e^{-sa}·Σ_y w(y)·t(a + y)``, ``w(y) = v(y)·e^{-sy}``. The terms |y| ≤ W are a finite Fourier
sum: with the length L = 2W + 1,

    Σ_{|y| ≤ W} w(y)·Σ_i t(a + y + iL) = (1/L) Σ_{0 ≤ l < L} ŵ(θ_l)·φ(θ_l)·e^{-iaθ_l},  θ_l = 2πl/L,

φ the characteristic function of t, and ŵ a sum of geometric series. Two things are left out:

* masses more than W from a, those that are aliased (i ≠ 0) among them. If a is at most 2 + d from
  the mean and W = R + d, they are more than r = R - 1 from the mean, on either side twice, so that
  they are at most ``4·exp(-r²/(2(σ² + r/3)))`` (Bernstein), weighted by the largest |w|.
* frequencies beyond some J: there ``|φ(θ)| ≤ exp(-2σ²·sin²(θ/2))``, and |ŵ| is at most the sum of
  all |w|.

Both fall so fast that J is about the number of digits wanted, however many bits there are.
"""

import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from scipy.optimize import brentq
from scipy.special import expit

from pkdp.certified import balls
from pkdp.certified.flint import acb, arb, fmpq
from pkdp.profiles.pairs import Pair

# Beyond this ε no finite loss of a count is left: E is then above 10¹⁰ times the inverse of the
# smallest float.
_BEYOND = 1e3


class Run(NamedTuple):
    """A piece of v: ``c·e^{-κ|y|}`` for y on one side of 0, from a first distance on.

    Attributes
    ----------
    coefficient : arb
        c.
    rate : arb
        κ; tilted it is κ + s on the side above 0 and κ - s on the other, and must not be negative
        unless only y = 0 is meant.
    side : {1, -1}
        1 for y above 0.
    first : int
        The least |y|.
    is_endless : bool
        Whether all |y| from there on are meant, or the first one only.
    """

    coefficient: arb
    rate: arb
    side: int
    first: int
    is_endless: bool = True


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
        What ``Σ_y w(y)·t(a + y)`` differs from the real part of the sum by, at most.
    """

    length: int
    angles: list[arb]
    turns: list[acb]
    weights: list[acb]
    remainder: arb

    def turned(self, index: int, by: int) -> acb:
        """Return ``e^{-i·by·θ_l}``, by any integer."""
        return acb(fmpq(-2 * (index * by % self.length), self.length)).exp_pi_i()


def fourier(
    runs: Sequence[Run],
    tilt: arb,
    records: int,
    least: arb,
    most: arb,
    digits: float,
    offset: int = 0,
) -> Fourier:
    """Return the sum for tilted variances between `least` and `most`.

    Parameters
    ----------
    runs : sequence of Run
        What v is the sum of.
    tilt : arb
        s.
    records : int
        How many bits are summed: no mass is further than that from another.
    least, most : arb
        Variances σ² of the tilted sum.
    digits : float
        The remainder is to be at most about ``exp(-digits)`` of the weights.
    offset : int
        d ≥ 0.
    """
    runs = [run._replace(rate=run.rate + run.side * tilt) for run in runs]
    if not all(run.rate >= 0 for run in runs if run.is_endless):
        return Fourier(1, [arb(0)], [acb(0)], [acb(0)], arb.pos_inf())
    variance = balls.above(most)
    reach = math.ceil(digits / 3 + math.sqrt(digits * digits / 9 + 2 * digits * variance)) + 2
    heaviest = balls.sum_of(abs(run.coefficient) * (-run.rate * run.first).exp() for run in runs)
    remainder = arb(0)
    if reach < records:
        distance = arb(reach - 1)
        remainder = 4 * heaviest * (-(distance**2) / (2 * (most + distance / 3))).exp()
        reach += offset
    else:
        reach = records + 1
    length = 2 * reach + 1
    last = reach
    if (lowest := balls.below(least)) > digits / 2:
        cut = math.asin(math.sqrt(digits / (2 * lowest)))
        last = min(last, math.ceil(cut * length / math.pi))
    if last < reach:
        half_turn = (arb.pi() * (last + 1) / length).sin()
        heavy = balls.sum_of(_sum_of_run(run, reach) for run in runs)
        remainder += heavy * (-2 * least.lower() * half_turn**2).exp()
    sums = Fourier(length, [], [], [], remainder.upper())
    for index in range(last + 1):
        theta = 2 * arb.pi() * index / length
        weight = acb(0)
        for run in runs:
            weight += run.coefficient * _series(acb(run.rate, run.side * theta), run, reach)
        sums.angles.append(theta)
        sums.turns.append(acb(0, theta).expm1())
        sums.weights.append(weight * (2 if index else 1) / length)
    return sums


def _series(step: acb, run: Run, reach: int) -> acb:
    """Return ``Σ e^{-step·j}`` over the distances j of a run, up to `reach`."""
    if not run.is_endless:
        return (-step * run.first).exp()
    terms = reach - run.first + 1
    if step == 0:
        return acb(terms)
    return (-step * run.first).exp() * (-step * terms).expm1() / (-step).expm1()


def _sum_of_run(run: Run, reach: int) -> arb:
    """Return a bound of a run's weights together, up to `reach`."""
    heaviest = abs(run.coefficient) * (-run.rate * run.first).exp()
    if not run.is_endless:
        return heaviest
    return heaviest / -(-run.rate).expm1() if run.rate * reach > 1 else heaviest * (reach + 1)


class BallCount:
    """The distribution of a count of independent bits, none of which is certain.

    Parameters
    ----------
    chances : sequence of Fraction
        Their probabilities of 1, in (0, 1).
    times : sequence of int
        How many bits have each.
    """

    def __init__(self, chances: Sequence[Fraction], times: Sequence[int]) -> None:
        self.chances = [balls.rational(p) for p in chances]
        self.times = list(times)
        self.records = sum(times)

    def log_excess(self, eps: float) -> balls.Bounds:
        """Return bounds of the logarithm of the largest ``excess(a)``.

        That is the hockey-stick divergence of S + 1 and S.
        """
        return self.log_excess_within(eps, 0, self.records)

    def log_excess_within(self, eps: float, lowest: int, highest: int) -> balls.Bounds:
        """Return bounds of the logarithm of the largest ``excess(a)``, a in lowest…highest.

        Both are -inf if none is positive.
        """
        first, last = max(lowest, 0), min(highest, self.records)
        if first > last or (eps > _BEYOND and last < self.records):
            return -math.inf, -math.inf
        return balls.enclosed(lambda digits: self.excess_within(eps, first, last, digits))

    def excess_within(self, eps: float, lowest: int, highest: int, digits: float) -> arb:
        """Return the largest ``excess(a)`` of a range of outcomes that are possible.

        What is left out is about ``exp(-digits)`` of it.

        The masses are log-concave. So the excess rises up to where the masses tilted by ε are
        largest, and then falls; that is less than 1 from their mean (Darroch, 1964).
        """
        if highest == self.records and (self.records == 0 or self._is_beyond_all_losses(eps)):
            return self._mass_of_all(self.chances)
        ratio = arb(eps)
        mean, variance = self.moments(ratio)
        first, last = max(balls.floor(mean), 0), min(balls.ceil(mean), self.records)
        if last > first + 2:  # the mean is not known well enough
            return arb.nan()
        if lowest > last or highest < first:
            return self.excess_at(lowest if lowest > last else highest, ratio, digits)
        starts = range(max(lowest, first), min(highest, last) + 1)
        # So much smaller than a mass is the best excess.
        digits += 2.0 * math.log1p(eps * math.sqrt(balls.above(variance)))
        return balls.largest_of(self.expectations(excess_runs(ratio), starts, ratio, digits))

    def excess_at(self, start: int, eps: arb, digits: float) -> arb:
        """Return ``excess(start)``, of any event."""
        if start == self.records:
            return self._mass_of_all(self.chances)
        growth = eps.expm1()
        if start == 0:
            return eps.exp() * self._mass_of_all([1 - p for p in self.chances]) - growth
        tilt = self.tilt_towards(start)
        if tilt >= 0:
            return self.expectations(excess_runs(eps), [start], tilt, digits)[0]
        # 1 - E and what the events that do not happen give back.
        return self._given_back(start, eps, tilt, digits) - growth

    def given_back(self, start: int, eps: arb, digits: float) -> arb:
        """Return ``E·P[S ≤ start] - P[S < start]``, of any integer."""
        if start < 0:
            return arb(0)
        growth = eps.expm1()
        if start > self.records:
            return growth
        if start == 0:
            return eps.exp() * self._mass_of_all([1 - p for p in self.chances])
        if start < self.records and (tilt := self.tilt_towards(start)) < 0:
            return self._given_back(start, eps, tilt, digits)
        return self.excess_at(start, eps, digits) + growth

    def _given_back(self, start: int, eps: arb, tilt: arb, digits: float) -> arb:
        runs = [at_start(eps.exp()), Run(eps.expm1(), arb(0), -1, 1)]
        return self.expectations(runs, [start], tilt, digits)[0]

    def at_least(self, start: int, digits: float) -> arb:
        """Return ``P[S ≥ start]``, of any integer."""
        if start <= 0 or start > self.records:
            return arb(int(start <= 0))
        if start == self.records:
            return self._mass_of_all(self.chances)
        tilt = self.tilt_towards(start)
        if tilt >= 0:
            return self.expectations([Run(arb(1), arb(0), 1, 0)], [start], tilt, digits)[0]
        return 1 - self.expectations([Run(arb(1), arb(0), -1, 1)], [start], tilt, digits)[0]

    def expectations(
        self, runs: Sequence[Run], starts: Sequence[int], tilt: arb, digits: float
    ) -> list[arb]:
        """Return ``E[v(S - a)]`` for some a that are next to each other, in 0…N.

        The tilt is best one that has its mean there.
        """
        mean, variance = self.moments(tilt)
        distance = max(balls.above(abs(mean - start)) for start in starts)
        if not distance < math.inf:
            return [arb.nan()]
        digits += math.log1p(math.sqrt(balls.above(variance)))
        offset = max(0, math.ceil(distance) - 2)
        parts = fourier(runs, tilt, self.records, variance, variance, digits, offset)
        odds = list(zip(self._tilted(tilt), self.times, strict=True))
        sums = [arb(0, parts.remainder) for _ in starts]
        for index, (turn, term) in enumerate(zip(parts.turns, parts.weights, strict=True)):
            for chance, times in odds:
                term *= (1 + chance * turn) ** times
            for at, start in enumerate(starts):
                sums[at] += (term * parts.turned(index, start)).real
        log_mgf = self._log_mgf(tilt)
        scales = [(log_mgf - tilt * start).exp() for start in starts]
        return [scale * total for scale, total in zip(scales, sums, strict=True)]

    def moments(self, tilt: arb) -> tuple[arb, arb]:
        """Return mean and variance of the tilted sum."""
        bits = self._tilted(tilt)
        return self._total(bits), self._total(q * (1 - q) for q in bits)

    def _total(self, of_kinds: Iterable[arb]) -> arb:
        """Return a sum over all bits, given the term of a bit of each kind."""
        return balls.sum_of(map(operator.mul, of_kinds, self.times))

    def tilt_towards(self, outcome: int) -> arb:
        """Return a tilt at which `outcome`, in 1…N-1, is about the mean."""
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

    def _log_mgf(self, tilt: arb) -> arb:
        """Return ``ln E[exp(tilt·S)]``."""
        growth = tilt.expm1()
        return self._total((p * growth).log1p() for p in self.chances)

    def _mass_of_all(self, chances: Sequence[fmpq]) -> arb:
        """Return the probability that of bits of these chances every one is what it may be."""
        return self._total(arb(p).log() for p in chances).exp()

    def _is_beyond_all_losses(self, eps: float) -> bool:
        """Whether only a count of all ones gives the target away: no other ratio exceeds E.

        ``P[S = k-1]/P[S = k]`` is largest at k = N, where it is the sum of all (1-p)/p.
        """
        if eps > _BEYOND:
            return True
        return bool(arb(eps).exp() > self._total(arb((1 - p) / p) for p in self.chances))


def enclose(pair: Pair, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) of a count that a record adds to."""
    return balls.larger_bounds(*(law.log_excess(eps) for law in counts_of(pair)))


def counts_of(pair: Pair) -> list[BallCount]:
    """Return S for a pair that is told apart like (S + 1, S), and for the laws exchanged."""
    assert pair.count is not None
    return [BallCount(*pair.count.uncertain_bits(value)) for value in (1, 0)]


def excess_runs(eps: arb) -> list[Run]:
    """Return v of ``excess``."""
    return [at_start(arb(1)), Run(-eps.expm1(), arb(0), 1, 1)]


def at_start(coefficient: arb) -> Run:
    """Return the piece of v that is at 0 only."""
    return Run(coefficient, arb(0), 1, 0, is_endless=False)
