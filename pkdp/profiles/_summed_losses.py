"""Sums of independent privacy losses on a grid, and bounds of the δ that they give.

The engine of `pkdp.profiles.privacy_loss`. Laws are tilted towards the ε in question, and the
transform of their sum is a product over all of them, of which few frequencies matter
(`_transforms`). All that is left out is counted in the bound.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import mpmath
import numpy as np
from mpmath import mpf
from scipy import fft
from scipy.optimize import brentq

from pkdp.profiles import _transforms
from pkdp.profiles._equality import EqualByContents
from pkdp.profiles._plateaus import Plateau, of_any
from pkdp.profiles._transforms import STRIDE, TiltedWindow, transform_of_sum
from pkdp.profiles.laws import LOG_ERROR
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.pairs import DiscretePair, log_excess_of_losses
from pkdp.profiles.profile import Release, log_any

__all__ = ["Composed", "Laws"]

# Losses may have a far, rare end that attracts strong tilts, away from the ε asked about. Laws are
# cut where their tails have these probabilities (logarithms), and a cut is made only if what is
# beyond has no part in δ: less than this (logarithm) of it.
_CUTS = (*(-42.5 * 2.0 ** (i / 2) for i in range(9)), -math.inf)
_LOG_NO_PART = -25.0
# The largest transform. Untilted losses must fit it; tilts may widen their law, and where it is too
# short for the window that is wanted then, bounds get looser.
_LARGEST_TRANSFORM = 2**22
# How many deviations a window has to either side.
_DEVIATIONS = 10.5
# The part of the tilted mass that the window of a transform may miss: its logarithm. It is bounded
# with tilts of so many deviations more and less.
_LOG_MISSED, _CHERNOFF = -42.0, np.array([1.0, 2.3, 4.6, 9.2, 18.4])
# Of tilted masses below this (logarithm) all sums together are nothing.
_LOG_UNLIKELY = -60.0
_UNIT = 2.0**-53
# Where the rounding of a transform is more than this part of δ, another one is made for the very ε.
_TOLERATED = 1e-6
# Tilts are rounded to multiples of this over the standard deviation: one transform serves many ε.
_TILT_UNIT = 2.0
# Where splitting losses costs a lower bound more than this part of δ, losses that are rounded down
# are summed, too.
_COSTLY = 1e-3

Parts: TypeAlias = tuple[tuple[DiscretePair | None, float, int], ...]


@dataclass(frozen=True, eq=False)
class Laws(EqualByContents):
    """Laws of losses on one grid, one after the other, and how often each occurs.

    Attributes
    ----------
    step, up
        As in `pkdp.profiles.privacy_loss.Losses`; whether they are rounded up.
    indices, log_masses : ndarray
        Those of all laws in a row.
    starts : ndarray of int, shape (laws,)
        Where each law begins there; each has a loss, of which the first is its least and the last
        its largest.
    times : ndarray of int, shape (laws,)
        How often each occurs.
    log_infinite : float
        Natural logarithm of the probability that any of the losses is inf.
    largest : float
        What finite losses sum up to at most.
    variance : float
        What splitting added: the sum of `Losses.variance` over all occurrences.
    log_left_out : float
        Natural logarithm of a bound of the probability of what is left out, of a lower bound.
    """

    step: float
    up: bool
    indices: IntArray
    log_masses: FloatArray
    starts: IntArray
    times: IntArray
    log_infinite: float
    largest: float
    variance: float
    log_left_out: float = -math.inf

    @functools.cached_property
    def number(self) -> int:
        """How many losses are summed; none if one of them is never finite."""
        return int(self.times.sum())

    @functools.cached_property
    def ends(self) -> IntArray:
        """Where each law ends."""
        return np.append(self.starts[1:], self.indices.size)

    def cut(self, log_tail: float) -> Laws:
        """Return laws without the ends of each that are rarer than this in all.

        Rounded up, the largest losses become infinite and the least the least that is left; rounded
        down, the largest become the largest that is left, and the least are left out.
        """
        if log_tail == -math.inf:
            return self
        sizes, places = self.ends - self.starts, np.arange(self.indices.size)
        log_rare = log_tail - math.log(2 * self.number) - np.log(sizes)
        frequent = self.log_masses > np.repeat(log_rare, sizes)
        first = np.minimum.reduceat(np.where(frequent, places, places.size), self.starts)
        last = np.maximum.reduceat(np.where(frequent, places, -1), self.starts)
        whole = first >= last
        first, last = np.where(whole, self.starts, first), np.where(whole, self.ends - 1, last)
        below, above = places < np.repeat(first, sizes), places > np.repeat(last, sizes)
        if not (below | above).any():
            return self
        least, largest = (
            np.logaddexp.reduceat(np.where(end, self.log_masses, -math.inf), self.starts)
            for end in (below, above)
        )
        logs, log_infinite = self.log_masses.copy(), self.log_infinite
        to, moved = (first, least) if self.up else (last, largest)
        logs[to] = np.logaddexp(logs[to], moved)
        if self.up:
            log_infinite = log_any([log_infinite, *largest.tolist()], [1, *self.times.tolist()])
        kept = ~(below | above)
        return replace(
            self,
            indices=self.indices[kept],
            log_masses=logs[kept],
            starts=np.cumsum(last - first + 1) - (last - first + 1),
            log_infinite=log_infinite,
            log_left_out=-math.inf if self.up else log_tail,
        )

    def tilted(self, tilt: float) -> tuple[FloatArray, FloatArray]:
        """Return all masses, tilted and of a sum of 1 for each law; the logarithms of the sums."""
        logs = self.log_masses + tilt * self.step * self.indices
        largest = np.maximum.reduceat(logs, self.starts)
        sizes = self.ends - self.starts
        weights = np.exp(logs - np.repeat(largest, sizes))
        sums = np.add.reduceat(weights, self.starts)
        return weights / np.repeat(sums, sizes), largest + np.log(sums)

    def log_mgf(self, tilt: float) -> float:
        """Natural logarithm of ``E[exp(tilt·L); L < inf]`` of the sum L."""
        return float(self.times @ self.tilted(tilt)[1])

    def moments(self, tilt: float) -> tuple[float, float]:
        """Mean and variance of the sum, tilted."""
        weights, losses = self.tilted(tilt)[0], self.step * self.indices
        means = np.add.reduceat(weights * losses, self.starts)
        off = losses - np.repeat(means, self.ends - self.starts)
        variances = np.add.reduceat(weights * off * off, self.starts)
        return float(self.times @ means), float(self.times @ variances)

    def log_delta_alone(self, eps: float) -> float:
        """Natural logarithm of the δ of a single law, or of none."""
        losses = np.multiply(self.step, self.indices)
        log_finite = log_excess_of_losses(self.log_masses, losses, eps)
        if log_finite > -math.inf:
            slack = LOG_ERROR * max(1.0, abs(log_finite))
            log_finite += slack if self.up else -slack
        return min(0.0, float(np.logaddexp(self.log_infinite, log_finite)))


class Composed(EqualByContents, Release):
    """A sum of losses; it remembers its transforms.

    Where losses rounded down were split, `floor` are the same, moved to the points below. Of an
    upper bound `parts` are the pairs whose losses are summed, if they are known, ln of the
    probabilities of their infinite losses, and how often each occurs.
    """

    def __init__(self, laws: Laws, floor: Composed | None = None, parts: Parts = ()) -> None:
        self.laws, self.floor, self.parts = laws, floor, parts
        self.cut = functools.cache(lambda log_tail: _Sum(laws.cut(log_tail), floor))
        self._log_delta_at = functools.lru_cache(4)(self._on_the_grid)

    def _contents(self) -> tuple[Any, ...]:
        return self.laws, self.floor, self.parts

    def __reduce__(self) -> tuple[Any, ...]:
        return Composed, self._contents()  # without what it remembers

    def ending(self) -> Plateau | None:
        """Return where the bound ends, a hair above the sum of the largest losses."""
        leaks = []
        with mpmath.workdps(50):
            for pair, log_infinite, number in self.parts:
                end = pair.plateau() if pair is not None else None
                least = log_infinite - mpf(math.ulp(log_infinite)) / 2
                leaks.append((mpmath.exp(end.log_delta if end else least), number))
        end_of_all = max(0.0, self.laws.largest * (1.0 + 16.0 * _UNIT))
        return of_any(leaks, end_of_all) if leaks else None

    @functools.cached_property
    def least_step(self) -> float:
        """The least step with which the untilted losses fit a transform."""
        total = self.cut(_CUTS[0])
        range_of_all = (total.top - total.bottom) * total.step
        return min(2.0 * _DEVIATIONS * total.deviation, range_of_all) / (_LARGEST_TRANSFORM - 4)

    @functools.cached_property
    def first_eps(self) -> float:
        """Where few of the losses are larger."""
        if not self.laws.number:
            return 1.0
        total = self.cut(_CUTS[0])
        eps = total.mean + 6.0 * total.deviation
        return eps if eps > 0.0 else 1.0

    def log_delta(self, eps: float) -> float:
        """Return ln δ(ε) of the sum."""
        up = self.laws.up
        # Points of the grid, and their distances from ε, are rounded. So ε is moved by more than
        # that to where the bound cannot be on the wrong side.
        eps *= 1.0 + (-4.0 if up else 4.0) * _UNIT
        best = self._below_the_end(eps) if up else self._on_the_grid(eps)
        # The probability of the loss inf is rounded, too, and so is a logarithm of thousands.
        slack = 16.0 * _UNIT * max(1.0, -best) if best > -math.inf else 0.0
        return min(0.0, best + slack) if up else best - slack

    def _below_the_end(self, eps: float) -> float:
        end = self.laws.largest
        if eps >= end:
            return self.laws.log_infinite
        best = self._on_the_grid(eps)
        # The grid goes on where losses end, and their mass is split between points on either side.
        # But δ is convex in E = exp(ε), and no more than the mass of inf at the end; so up to there
        # it is below a line from a point at which hardly anything was added by splitting.
        back = max(0.0, end - 4.0 * math.sqrt(self.laws.number) * self.laws.step)
        if eps > back:
            part = math.expm1(eps - end) / math.expm1(back - end) * (1.0 + 8.0 * _UNIT)
            log_line = self._log_delta_at(back) + math.log(part) if part > 0.0 else -math.inf
            best = min(best, float(np.logaddexp(self.laws.log_infinite, log_line)))
        return best

    def _on_the_grid(self, eps: float) -> float:
        if self.laws.number <= 1:  # there is nothing to sum
            return (self.floor or self).laws.log_delta_alone(eps)
        up = self.laws.up
        best = 0.0 if up else -math.inf
        for log_tail in _CUTS:
            total = self.cut(log_tail)
            # Whatever is cut off, the result is a bound; Chernoff's is one that costs little.
            log_chernoff = total.log_chernoff(eps)
            if up:
                best = min(best, float(np.logaddexp(total.laws.log_infinite, log_chernoff)))
            if log_tail > max(log_chernoff, self.laws.log_infinite) + _LOG_NO_PART:
                continue
            log_delta = total.log_delta(eps)
            best = min(best, log_delta) if up else max(best, log_delta)
            if log_tail <= log_delta + _LOG_NO_PART:
                break
        return best


class _Bump(NamedTuple):
    """``height·exp(-sharpness·|L - ε|)``, whose mean is at least what splitting losses added to δ.

    A sum of losses l was split into l + D, where D is a sum of K independent moves, each at most a
    step h, with ``E[exp(-D_i)] = 1`` and V the sum of the variances of ``x = exp(-D_i)``. As
    ``(x^r - 1 - r·(x - 1))/(x - 1)²`` is monotone, for r = -s it is at most what it is at exp(-h),
    and so for r = s + 1 < 2; for r = s + 1 ≥ 2 what it is at exp(h). With g the larger of both,
    ``E[exp(sD)]`` and ``E[exp(-(s+1)D)]`` are at most ``A = (1 + g·V/K)^K``, and so is
    ``E[exp(-sD)]``, by Hölder's inequality.

    What a split adds to ``(1 - exp(ε - l))₊`` is, with d = |l - ε|, the mean of
    ``(1 - exp(d - D))₊`` for l ≤ ε, and of ``(exp(-D - d) - 1)₊`` for l > ε. As
    ``1 - exp(-y) ≤ c·exp(sy)`` for ``c = s^s/(1 + s)^(1 + s)`` and y > 0, either is at most
    ``c·exp(-sd)·A``. And the mean of ``exp(-s·|l + D - ε|)`` is at least
    ``exp(-sd)/E[exp(s·|D|)] ≥ exp(-sd)/2A``. Hence a height of 2cA², whatever s is. With s about
    V^-½ all of it is of the order of V, and so of h².
    """

    sharpness: float
    height: float

    @staticmethod
    def of(laws: Laws, tilt: float) -> _Bump | None:
        """Return one that is low and sharp where masses fall like ``exp(-tilt·L)``."""
        h, number = laws.step, laws.number
        s = np.geomspace(max(0.1, 1.05 * tilt), max(1.0, 2.0 * tilt, 40.0 / h), 256)
        with np.errstate(over="ignore", invalid="ignore"):
            g = np.maximum(
                (np.expm1(s * h) + s * np.expm1(-h)) / np.expm1(-h) ** 2,
                (np.expm1((s + 1.0) * h) - (s + 1.0) * np.expm1(h)) / np.expm1(h) ** 2,
            )
            log_a = number * np.log1p(1.001 * g * laws.variance / number)
            log_height = math.log(2.0) + _log_largest(s) + 2.0 * log_a
            cost = log_height + np.log(1.0 / (s - tilt) + 1.0 / (s + tilt))
        best = int(np.argmin(np.where(np.isfinite(cost), cost, math.inf)))
        if not cost[best] < 600.0:
            return None
        return _Bump(float(s[best]), math.exp(float(log_height[best])) * (1.0 + 1e-9))


def _log_largest(rate: float | FloatArray) -> float | FloatArray:
    """Return ln of the largest ``exp(-rate·y) - exp(-(rate + 1)·y)`` of all y, for a rate > 0."""
    return -np.log1p(rate) - rate * np.log1p(1.0 / rate)


class _Sum:
    """A sum of independent losses."""

    def __init__(self, laws: Laws, floor: Composed | None) -> None:
        self.laws, self.floor, self.step, self.up = laws, floor, laws.step, laws.up
        self.bottom = int(laws.times @ laws.indices[laws.starts])
        self.top = int(laws.times @ laws.indices[laws.ends - 1])
        self.largest = self.top * self.step
        self.log_mgf = functools.lru_cache(64)(laws.log_mgf)
        self.moments = functools.lru_cache(64)(laws.moments)
        self.mean, variance = self.moments(0.0)
        self.deviation = math.sqrt(variance)
        self.tilt_unit = _TILT_UNIT / self.deviation if variance > 0.0 else 1.0
        self.window = functools.lru_cache(4)(self._window)
        self.tilt_towards = functools.lru_cache(64)(self._tilt_towards)

    def log_chernoff(self, eps: float) -> float:
        """Natural logarithm of Chernoff's bound on the part of finite losses in δ(ε)."""
        if eps >= self.largest:
            return -math.inf
        tilt = self.tilt_towards(eps)
        value = self.log_mgf(tilt) - tilt * eps
        # Each law's logarithm is rounded, too.
        slack = LOG_ERROR * max(1.0, abs(value)) + 8.0 * _UNIT * (tilt * eps + self.laws.number)
        return value + slack

    def log_delta(self, eps: float) -> float:
        """Return ln δ."""
        if eps >= self.largest:
            return self.laws.log_infinite
        log_chernoff = self.log_chernoff(eps)
        if log_chernoff < self.laws.log_infinite + _LOG_NO_PART:
            log_both = float(np.logaddexp(self.laws.log_infinite, log_chernoff))
            return log_both if self.up else self.laws.log_infinite
        tilt = self.tilt_towards(eps)
        rounded = self.tilt_unit * round(tilt / self.tilt_unit)
        best, costly = 0.0 if self.up else -math.inf, False
        # Any tilt gives a bound. The one that moves the mean to ε is nearly always good; where
        # losses are rare and large it may not be, and others may do better.
        for candidate in (rounded, tilt, 0.0, 0.5 * tilt, 2.0 * tilt):
            value, error = self._excess(candidate, eps)
            if self.up:
                best = min(best, self._bound(value + error, candidate, eps))
            else:
                added = self._added(candidate, eps) if self.laws.variance and value > 0.0 else 0.0
                costly = costly or added > _COSTLY * value
                best = max(best, self._bound(max(0.0, value - added), candidate, eps))
            if error <= _TOLERATED * value:
                break
        if costly and self.floor is not None:
            best = max(best, self.floor.log_delta(eps))
        return best

    def _bound(self, value: float, tilt: float, eps: float) -> float:
        """Return ln δ, given `_excess`, rounded in the right direction."""
        log_finite = -math.inf
        if value > 0.0:
            log_finite = self.log_mgf(tilt) - tilt * eps + math.log(value)
            slack = LOG_ERROR * max(1.0, abs(log_finite)) + 8.0 * _UNIT * tilt * abs(eps)
            log_finite += slack if self.up else -slack
        return min(0.0, float(np.logaddexp(self.laws.log_infinite, log_finite)))

    def _tilt_towards(self, eps: float) -> float:
        """Return a tilt ≥ 0 at which ε is about the mean, to a twentieth of a deviation."""

        def beyond(tilt: float) -> float:
            mean, variance = self.moments(tilt)
            return mean - eps if abs(mean - eps) > 0.05 * math.sqrt(variance) else 0.0

        if eps <= self.mean:
            return 0.0
        tilt = self.tilt_unit
        while beyond(tilt) < 0.0:
            if tilt > 1024.0 / self.step:
                return tilt
            tilt *= 8.0
        # Where rare losses are large, that may be far below the unit.
        return float(brentq(beyond, 0.0, tilt, xtol=1e-300, rtol=1e-3))

    def _start(self, window: TiltedWindow, eps: float) -> int:
        """Return the place in a window of the first loss above ε."""
        return math.floor(eps / self.step) + 1 - window.first

    def _excess(self, tilt: float, eps: float) -> tuple[float, float]:
        """Return ``E[exp(-tilt·(L - ε))·(1 - exp(ε - L)); L > ε]``, L tilted, and its error.

        Rounded down, the value is a lower bound, and the error says how much may be missing.
        The factor is the difference of two that fall exponentially with the loss, and largest where
        ``exp(L - ε)`` is 1 + 1/tilt.
        """
        window = self.window(tilt)
        place = max(self._start(window, eps), 0)
        if place >= window.size:
            return 0.0, window.missed
        begin = max((window.first + place) * self.step - eps, 0.0)
        value, error = 0.0, window.missed
        for sign, rate in ((1.0, tilt), (-1.0, tilt + 1.0)):
            total, rounding = window.decayed(place, rate * self.step)
            value += sign * math.exp(-rate * begin) * total
            error += rounding
        value = max(value, 0.0)
        number = float(window.size - place)
        largest = -math.expm1(-(begin + number * self.step))
        if tilt > 0.0:  # of factors that rise to the largest and fall, bounded by an integral
            largest = min(largest, math.exp(_log_largest(tilt)))
            number = min(number, 1.0 + 1.0 / (self.step * tilt * (tilt + 1.0) * largest))
        norm = largest * math.sqrt(number) * (1.0 + 1e-9)
        error += window.error * norm + window.relative * value
        if self.up or value > 2.0 * error:
            return value if self.up else value - error, error
        # Few masses may be above what each may be off by, and add up to more than is sure of all.
        beyond = begin + self.step * np.arange(window.size - place)
        sure = np.maximum(window.masses[place:] - window.each, 0.0)
        least = float((sure * np.exp(-tilt * beyond) * -np.expm1(-beyond)).sum())
        least -= (256.0 * _UNIT + window.relative) * least + window.missed
        return max(value - error, least, 0.0), error

    def _added(self, tilt: float, eps: float) -> float:
        """Return a bound of the part of `_excess` that was added by splitting losses.

        It is the mean of ``exp(-tilt·(L - ε))`` times a `_Bump`, L tilted; these factors are at
        most 1 as the bump is sharper than the tilt. Where next to nothing is moved a whole step, so
        that V is far below h², this is less: the sum of the means of ``(1 - exp(-D_i))₊``, as that
        of a move by -r or h - r is at most its variance ``(1 - exp(r - h))·(exp(r) - 1)`` times
        ``h/(1 - exp(-h))²``.
        """
        log_scale = self.log_mgf(tilt) - tilt * eps
        log_most = math.log(self.step * self.laws.variance / math.expm1(-self.step) ** 2)
        most = math.exp(min(600.0, log_most - log_scale + 1e-9))
        bump = _Bump.of(self.laws, tilt)
        if bump is None:
            return most
        window = self.window(tilt)
        start = min(max(self._start(window, eps), 0), window.size)
        total = window.missed + math.exp(min(600.0, self.laws.log_left_out - log_scale + 1e-9))
        for side, place in ((1, start), (-1, start - 1)):
            if 0 <= place < window.size:
                rate = bump.sharpness + side * tilt
                begin = max(0.0, side * ((window.first + place) * self.step - eps))
                decayed, rounding = window.decayed(place, rate * self.step, side)
                norm = (1.0 + 1e-9) / math.sqrt(-math.expm1(-2.0 * rate * self.step))
                decayed = (max(0.0, decayed) + rounding) * (1.0 + window.relative)
                total += math.exp(-rate * begin) * (decayed + window.error * norm)
        return min(most, bump.height * total * (1.0 + 1e-12))

    def _window(self, tilt: float) -> TiltedWindow:
        """Convolve the tilted laws, modulo a length that holds all but a trace of their sum."""
        centre, variance = self.moments(tilt)
        reach, missed = self._reach(tilt, centre, variance)
        size = fft.next_fast_len(math.ceil(reach / STRIDE), real=True) * STRIDE
        laws, weights = self.laws, self.laws.tilted(tilt)[0]
        # Exponents of thousands are rounded by more than a unit of their difference. Where there is
        # next to no mass that does not matter.
        exponents = np.abs(laws.log_masses) + np.abs(tilt * self.step * laws.indices)
        exponents = np.where(weights > math.exp(_LOG_UNLIKELY), exponents, 0.0)
        largest = np.maximum.reduceat(exponents, laws.starts)
        relative = 8.0 * _UNIT * float(laws.times @ (10.0 + largest))
        frequencies, spectrum, off_by = transform_of_sum(
            laws.indices, weights, laws.starts, laws.times, size
        )
        # Sums of squares of masses are those of the transform; each frequency but 0 is there twice.
        share, quiet = math.sqrt(2.0 / size), size // 2 + 1 - frequencies.size
        nothing = math.exp(_transforms.LOG_NOTHING)
        back = share * 8.0 * _UNIT * math.log2(size) * float(np.linalg.norm(spectrum))
        error = share * math.hypot(float(np.linalg.norm(off_by)), math.sqrt(quiet) * nothing) + back
        each = share**2 * (float(off_by.sum()) + quiet * nothing) + back
        # Around the mean, but not beyond an end of the support while the other one is missed.
        last_first = max(self.bottom, self.top + 1 - size)
        first = min(max(self.bottom, math.floor(centre / self.step) - size // 2), last_first)
        return TiltedWindow(first, size, frequencies, spectrum, error, each, relative, missed)

    def _reach(self, tilt: float, centre: float, variance: float) -> tuple[int, float]:
        """Return how many points around the mean to look at, and what they may miss of the mass."""
        everything = self.top - self.bottom + 1
        if everything <= 64:
            return max(everything, 2), 0.0
        # Chernoff's bound of the tilted mass farther than that to one side, at some of the tilts at
        # which it may be good: the best one for a normal law is at 9.2 deviations.
        mores = _CHERNOFF / math.sqrt(max(variance, self.step**2))
        logs = np.array(
            [
                [self.log_mgf(tilt + side * more) - side * more * centre for more in mores.tolist()]
                for side in (1.0, -1.0)
            ]
        )
        logs -= self.log_mgf(tilt)
        width = float(((logs - _LOG_MISSED) / mores).min(axis=1).max())
        width = min(width, 0.5 * self.step * (_LARGEST_TRANSFORM - 4))
        points = math.ceil(2.0 * width / self.step) + 4
        if points >= everything:
            return everything, 0.0
        return points, 2.0 * math.exp(min(0.0, float((logs - mores * width).min(axis=1).max())))
