"""Laws of the privacy loss, and what many releases reveal together.

Under the law P of the output, the *privacy loss* ``L = ln(P/Q)`` is a random number, and the
hockey-stick of the pair is ``H_E(P‖Q) = E[max(0, 1 - exp(ε - L))]``, an outcome that Q excludes
having the loss inf. Outputs that are independent given the target's record form a product pair,
whose loss is the sum of independent losses. So laws of losses are put on a grid, where their sums
are convolutions, and rounded in one of two directions, so that what is computed is a bound:

* *up*: a loss is split between the two points of the grid around it so that the masses of P and
  of Q both stay ("connect the dots"). The outcome is replaced by a more informative one, and so δ
  can only grow, by an amount that is quadratic in the step;
* *down*: a loss is moved to the next point below, and δ can only fall.

Sums of thousands of losses come from one Fourier transform, whose rounding is relative to the
largest mass. As everywhere in this library, the law is tilted first, towards the ε that is asked
about; then also a δ far below 1e-308 has its digits, and bounds of the rounding and of what lies
outside the transform's window are added to an upper bound and taken off a lower one.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, SupportsFloat, SupportsIndex, get_args

import mpmath
import numpy as np
import numpy.typing as npt
from mpmath import mpf
from scipy import fft

from pkdp._checks import as_choice, as_integer, as_real, as_several
from pkdp.profiles._fourier import ComplexArray
from pkdp.profiles._pieces import ByPieces
from pkdp.profiles._plateaus import Ending, Plateau, of_any
from pkdp.profiles.laws import LOG_ERROR
from pkdp.profiles.logarithms import FloatArray, IntArray, log_sum
from pkdp.profiles.pairs import LOG_LEAST, DiscretePair, LogMasses, as_discrete
from pkdp.profiles.profile import (
    Curve,
    PrivacyProfile,
    as_bound,
    ending_of_largest,
    largest,
    log_above,
    log_any,
    rounded_up,
)

__all__ = [
    "Bracket",
    "Interval",
    "Losses",
    "both_ways",
    "bracket",
    "compose",
    "composed_bound",
    "of_pair",
    "of_profile",
    "split",
]

Rounding = Literal["up", "down"]

# Where no step is asked for: points of the grid to a standard deviation of the summed loss, some of
# them for each loss added; and points up to the largest single loss that matters, which is one of a
# mass above the last number, a logarithm.
_FEWEST_POINTS, _POINTS_FOR_EACH, _MOST_POINTS = 2**11, 100, 2**15
_POINTS_TO_LARGEST, _LOG_MATTERS = 2**15, -60.0

# Losses may have a far, rare end that attracts strong tilts, away from the ε asked about. Laws are
# cut where their tails have these probabilities (logarithms), and a cut is made only if what is
# beyond has no part in δ: less than this (logarithm) of it.
_CUTS, _LOG_NO_PART = (-60.0, -120.0, -240.0, -480.0, -960.0, -math.inf), -25.0
# The largest transform; where it is too short for the window that is wanted, bounds get looser.
_LARGEST_TRANSFORM = 2**22
# Multiples of the step beyond this lose their last bit as floats.
_LARGEST_INDEX = 2.0**50
# The part of the tilted mass that the window of a transform may miss: its logarithm; and that of a
# frequency that is left out.
_LOG_MISSED, _LOG_NOTHING = -42.0, -60.0
# Of tilted masses below this (logarithm) all sums together are nothing.
_LOG_UNLIKELY = -60.0
_UNIT = 2.0**-53
# A sum of so few frequencies is faster than a transform, and taken if so small a part is rounded.
_FEW_FREQUENCIES, _ROUNDED = 2**12, 1e-9
# How many frequencies one of a short transform stands for.
_STRIDE = 16
# Where the rounding of a transform is more than this part of δ, another one is made for the very ε.
_TOLERATED = 1e-5

# A curve is followed to the ε at which δ falls below this; there floats end.
_LEAST_DELTA = 1e-280
_MOST_POINTS_OF_A_CURVE = 20_000

_MOST_TIMES = 10**6

# An ε that a profile returns is within this part of the least.
_ABOVE_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Losses(ByPieces):
    """The law of the privacy loss of one output, on a grid.

    Attributes
    ----------
    step : float
        Distance of neighbouring points of the grid, whose points are its multiples.
    indices : ndarray of int, shape (m,)
        The losses with mass, as multiples of the step, in increasing order.
    log_masses : ndarray, shape (m,)
        Natural logarithms of their probabilities under P.
    log_infinite : float
        Natural logarithm of the probability of the loss inf.
    rounding : {"up", "down"}
        Whether profiles made of this law are upper or lower bounds.
    ending : Ending, optional
        The probability of the loss inf to 50 digits, where it is known; otherwise it is any number
        whose logarithm rounds to `log_infinite`.

    Examples
    --------
    >>> from pkdp.profiles.laws import Finite
    >>> from pkdp.profiles.pairs import Pair
    >>> coin = of_pair(Pair(Finite(0, (0.75, 0.25)), Finite(0, (0.25, 0.75))), 0.5)
    >>> coin.indices.tolist()  # the loss ln 3 = 1.098… is split between 1 and 1.5
    [-3, -2, 2, 3]
    >>> np.exp(coin.log_masses).round(4).tolist()
    [0.0399, 0.2101, 0.571, 0.179]
    """

    step: float
    indices: IntArray
    log_masses: FloatArray
    log_infinite: float
    rounding: Rounding
    ending: Ending | None = None

    def __post_init__(self) -> None:
        _as_step(self.step)
        as_choice(self.rounding, "rounding", get_args(Rounding))
        as_real(self.log_infinite, "log_infinite", "in [-inf, 0]", -math.inf, 0.0)
        indices, logs = self.indices, self.log_masses
        increasing = indices.dtype.kind == "i" and bool((np.diff(indices) > 0).all())
        if not (indices.ndim == 1 and indices.shape == logs.shape and increasing):
            raise ValueError("indices must be increasing integers, one for each of log_masses")
        if indices.size and not (np.isfinite(logs).all() and logs.max() < 1e-6):
            raise ValueError("log_masses must be finite logarithms of probabilities")

    def _pieces(self) -> tuple[Any, ...]:
        laws = self.indices, self.log_masses, self.log_infinite
        return self.step, *laws, self.rounding, self.ending

    def _leak(self) -> mpf:
        """Return the least probability that the loss inf may have."""
        end = self.ending() if self.ending is not None else None
        with mpmath.workdps(50):
            if end is not None:
                return mpmath.exp(end.log_delta)
            return mpmath.exp(self.log_infinite - mpf(math.ulp(self.log_infinite)) / 2)

    def _cut(self, log_tail: float) -> Losses:
        """Return the law without the largest losses, of at most this probability together.

        Rounded up, they become infinite, rounded down the largest that is left.
        """
        tails = np.logaddexp.accumulate(self.log_masses[::-1])[::-1]
        kept = int(np.count_nonzero(tails > log_tail))
        if kept in (0, self.indices.size):
            return self
        logs, log_infinite = self.log_masses[:kept].copy(), self.log_infinite
        if self.rounding == "up":
            log_infinite = min(0.0, float(np.logaddexp(log_infinite, tails[kept])))
        else:
            logs[-1] = np.logaddexp(logs[-1], tails[kept])
        return Losses(self.step, self.indices[:kept], logs, log_infinite, self.rounding)

    def _log_delta(self, eps: float) -> float:
        """Natural logarithm of the δ of this output alone."""
        beyond = self.step * self.indices - eps
        above = beyond > 0.0
        log_delta = self.log_infinite
        if above.any():
            logs = self.log_masses[above] + np.log(-np.expm1(-beyond[above]))
            log_finite = log_sum(logs)
            slack = LOG_ERROR * max(1.0, abs(log_finite))
            log_finite += slack if self.rounding == "up" else -slack
            log_delta = float(np.logaddexp(log_delta, log_finite))
        return min(0.0, log_delta)

    def _log_mgf(self, tilt: float) -> float:
        """Natural logarithm of ``E[exp(tilt·L); L < inf]``."""
        return log_sum(self.log_masses + tilt * self.step * self.indices)

    def _tilted(self, tilt: float) -> FloatArray:
        """Masses of the finite losses, tilted and normalized."""
        logs = self.log_masses + tilt * self.step * self.indices
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def _moments(self, tilt: float) -> tuple[float, float]:
        """Mean and variance of the tilted law."""
        weights, losses = self._tilted(tilt), self.step * self.indices
        mean = float(weights @ losses)
        return mean, float(weights @ (losses - mean) ** 2)


class Interval(NamedTuple):
    """Numbers, or arrays of one shape, between which the truth lies.

    Attributes
    ----------
    lower, upper : float or ndarray
        Its ends; the lower is never above the upper.
    """

    lower: float | FloatArray
    upper: float | FloatArray


class Bracket(NamedTuple):
    """A privacy profile, from below and from above.

    Attributes
    ----------
    lower, upper : PrivacyProfile
        Bounds, of status "lower bound" and "upper bound".

    Examples
    --------
    >>> from pkdp import counting
    >>> week = bracket([counting.pair([0.2] * 1000)], [7])
    >>> [f"{end:.4f}" for end in (*week.delta(0.5), *week.epsilon(1e-6))]
    ['0.0008', '0.0008', '0.9006', '0.9010']
    """

    lower: PrivacyProfile
    upper: PrivacyProfile

    def delta(self, eps: npt.ArrayLike) -> Interval:
        """Return between what δ(ε) lies; see `PrivacyProfile.delta`."""
        return Interval(self.lower.delta(eps), self.upper.delta(eps))

    def epsilon(
        self, delta: npt.ArrayLike | None = None, *, log_delta: npt.ArrayLike | None = None
    ) -> Interval:
        """Return between what the least ε for δ lies; see `PrivacyProfile.epsilon`."""
        # What is returned there is above the least ε, if only by so much.
        below = 1.0 - _ABOVE_LEAST
        return Interval(
            below * self.lower.epsilon(delta, log_delta=log_delta),
            self.upper.epsilon(delta, log_delta=log_delta),
        )


def _of_masses(masses: LogMasses, step: float, rounding: Rounding) -> Losses:
    up = as_choice(rounding, "rounding", get_args(Rounding)) == "up"
    possible = masses.log_p > -math.inf
    p, q = masses.log_p[possible], masses.log_q[possible]
    finite = q > -math.inf
    # Masses and losses are moved by what they may be off, in the direction of the rounding.
    slack = LOG_ERROR * np.maximum(1.0, np.abs(p))
    p = p + slack if up else p - slack
    infinite = np.append(p[~finite], masses.log_left_out if up else -math.inf)
    log_infinite = min(0.0, float(np.logaddexp.reduce(infinite)))
    p, q = p[finite], q[finite]
    hair = LOG_ERROR * (np.maximum(1.0, np.abs(p)) + np.maximum(1.0, np.abs(q)))
    losses = p - q + (hair if up else -hair)
    largest = float(np.abs(losses).max(initial=0.0))
    if largest > _LARGEST_INDEX * step:
        raise ValueError(
            f"step must be at least {largest / _LARGEST_INDEX:.3g} for a loss of {largest:.3g}, "
            f"got {step:.3g}"
        )
    below, part = split(losses, step)
    if not up:
        return _gathered(below, p, step, log_infinite, rounding)
    with np.errstate(divide="ignore"):
        shares = np.concatenate([p + np.log1p(-part), p + np.log(part)])
    return _gathered(np.concatenate([below, below + 1]), shares, step, log_infinite, rounding)


def split(losses: FloatArray, step: float) -> tuple[IntArray, FloatArray]:
    """Return the points of the grid below losses, and which parts of the masses go one further up.

    With such parts both the masses under P and those under Q stay.

    Examples
    --------
    >>> below, part = split(np.array([0.0, 0.25]), 0.5)
    >>> below.tolist(), part.round(4).tolist()
    ([0, 0], [0.0, 0.5622])
    """
    below = np.floor(losses / step).astype(np.int64)
    rest = np.clip(losses - below * step, 0.0, step)
    return below, np.clip(np.expm1(-rest) / math.expm1(-step), 0.0, 1.0)


def _gathered(
    indices: IntArray, logs: FloatArray, step: float, log_infinite: float, rounding: Rounding
) -> Losses:
    """Return a law with each point of the grid once."""
    some = logs > -math.inf
    points, where = np.unique(indices[some], return_inverse=True)
    largest = np.full(points.size, -math.inf)
    np.maximum.at(largest, where, logs[some])
    sums = np.bincount(where, np.exp(logs[some] - largest[where]), points.size)
    return Losses(step, points, largest + np.log(sums), log_infinite, rounding)


def of_pair(
    pair: DiscretePair,
    step: SupportsFloat,
    *,
    rounding: Rounding = "up",
    log_least: SupportsFloat = LOG_LEAST,
) -> Losses:
    """Return the law of the privacy loss of a pair, under its first law.

    Parameters
    ----------
    pair : DiscretePair
        Of a count, a thresholded or a noisy one.
    step : float
        Distance of the points of the grid, > 0.
    rounding : {"up", "down"}
        See the module's docstring.
    log_least : float
        Masses below ``exp(log_least)`` are left out; upper bounds count them as loss inf.

    Returns
    -------
    Losses

    Raises
    ------
    ValueError
        If `step` is not positive, or too small for the largest loss; if `log_least` lies outside
        [-1e9, 0] or `rounding` is not one of the two.

    References
    ----------
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi (2022) for "connect the dots".

    Examples
    --------
    >>> from pkdp import counting
    >>> losses = of_pair(counting.pair([0.5] * 10), step=0.01)
    >>> round(math.exp(losses.log_infinite) * 2**10, 9)
    1.0
    """
    least = as_real(log_least, "log_least", "in [-1e9, 0]", -1e9, 0.0)
    losses = _of_masses(as_discrete(pair).log_masses(least), _as_step(step), rounding)
    return replace(losses, ending=Ending(_plateau_of_pair, pair))


def _plateau_of_pair(pair: DiscretePair) -> Plateau | None:
    return pair.plateau()


def of_profile(profile: PrivacyProfile, step: SupportsFloat, *, largest: SupportsFloat) -> Losses:
    """Return the law of the loss of a pair that dominates every pair below a profile.

    Its hockey-stick is the profile at the points of the grid, and a line in E = exp(ε) between
    them; beyond `largest` it stays where it is, and it reverses as the profile does.

    Parameters
    ----------
    profile : PrivacyProfile
        The profile of a mechanism, for both directions, or an upper bound of it that is a maximum
        of such profiles.
    step : float
        Distance of the points of the grid, > 0.
    largest : float
        The last ε that is looked at; the profile is read off at ``largest/step`` points.

    Returns
    -------
    Losses
        Rounded up. The loss inf has the probability δ(`largest`), or 1e-280 if that is less.

    Raises
    ------
    ValueError
        If `step` or `largest` is not positive, there are more than 20,000 points, or the profile
        is no upper bound.

    References
    ----------
    Zhu, Dong and Wang (2022) for dominating pairs and their composition; Doroshenko et al. (2022).

    Examples
    --------
    >>> from pkdp import counting
    >>> profile = counting.worst_case(100, 0.3)
    >>> bound = compose([(of_profile(profile, 0.05, largest=8.0), 1)])
    >>> profile.delta(0.5) <= bound.delta(0.5) <= profile.delta(0.5) * 1.01
    True
    """
    profile = as_bound(profile, "profile")
    step = _as_step(step)
    end = as_real(largest, "largest", "in (0, 700]", 0.0, 700.0)
    points = math.ceil(end / step)
    if not 1 <= points <= _MOST_POINTS_OF_A_CURVE:
        raise ValueError(
            f"largest must be 1 to {_MOST_POINTS_OF_A_CURVE} times the step, {step:.3g}, "
            f"got {points} times"
        )
    deltas = []
    for i in range(points + 2):  # one more, as a curve that ends at `largest` is read a hair before
        # Rounded up by more than the curve may lack, at an ε that may be a hair less.
        value = profile.log_delta(i * step * (1.0 - 1e-12))
        if value > -math.inf:
            value += 1e-11 * max(1.0, abs(value))
        deltas.append(math.exp(min(0.0, value)))
        if deltas[-1] < _LEAST_DELTA:
            break
    ratios, values = np.exp(step * np.arange(len(deltas))), np.array(deltas)
    # What is (ε, δ)-private in both directions has a total variation of at most
    # (E - 1 + 2δ)/(E + 1); an upper bound may say less, and its slope would be that of no pair.
    values[0] = np.min((ratios - 1.0 + 2.0 * values) / (ratios + 1.0))
    hull = _lower_hull(ratios, values)
    x, y = ratios[hull], values[hull]
    slopes = np.append(np.diff(y) / np.diff(x), 0.0)
    indices = np.flatnonzero(hull)[1:]
    q_masses = np.maximum(np.diff(slopes), 0.0)
    p_masses = x[1:] * q_masses
    infinite = float(y[-1])
    # What is left of the mass has no loss.
    rest = max(0.0, 1.0 - infinite - float(p_masses.sum()) - float(q_masses.sum()))
    with np.errstate(divide="ignore"):
        logs = np.log(np.concatenate([q_masses[::-1], [rest], p_masses]))
        log_infinite = float(np.log(infinite))
    every = np.concatenate([-indices[::-1], [0], indices])
    # Slopes are differences over a step, and have lost as many digits.
    slack = 1e-11 + 8.0 * _UNIT / step
    return _gathered(every, logs + slack, step, min(0.0, log_infinite + slack), "up")


def _lower_hull(x: FloatArray, y: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which points are corners of the lower convex hull: rounding leaves dents in a curve.

    A hull of points on or above a convex curve is on or above it, too.
    """
    corners: list[int] = []
    for i in range(x.size):
        while len(corners) > 1:
            a, b = corners[-2], corners[-1]
            if (y[b] - y[a]) * (x[i] - x[b]) < (y[i] - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    chosen = np.zeros(x.size, dtype=np.bool_)
    chosen[corners] = True
    return chosen


# --------------------------------------------------------------------------------------------
# Sums of losses
# --------------------------------------------------------------------------------------------


def compose(parts: Sequence[tuple[Losses, SupportsIndex]]) -> PrivacyProfile:
    """Return ``H_E(P‖Q)`` of a product of pairs, as a curve in ε.

    Parameters
    ----------
    parts : sequence of (Losses, int)
        Laws of losses of the same step and rounding, and how often each occurs, in 1…10⁶.

    Returns
    -------
    PrivacyProfile
        Status "upper bound" or "lower bound", as the losses were rounded; of the one direction
        whose losses are given. The bounds hold, but how far they are from the truth depends on the
        step and on the losses, so that no `error` is stated: as losses are known to 1e-12 only,
        an upper bound at ε = 0 is not below 1e-12 for each output, and sums of losses of which
        some are large and extremely rare are bounded loosely. Where one transform takes over from
        another a curve may rise by a relative 1e-5.

    Raises
    ------
    ValueError
        If there is no part, steps or roundings differ, or a number is out of range.

    Notes
    -----
    One transform, of some twenty standard deviations' worth of points, serves all ε within about a
    standard deviation. It has 2²² points at most.

    Examples
    --------
    Ten fair answers to the same question, from randomized response with ε = ln 3:

    >>> from pkdp.profiles.laws import Finite
    >>> from pkdp.profiles.pairs import Pair
    >>> coin = of_pair(Pair(Finite(0, (0.75, 0.25)), Finite(0, (0.25, 0.75))), 0.001)
    >>> round(compose([(coin, 10)]).delta(3.0), 4)
    0.7055
    """
    for part in (parts := as_several(parts, "parts", "losses and how often each")):
        if not (isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], Losses)):
            raise TypeError(f"parts must be Losses and how often each, got {part!r}")
    laws = [losses for losses, _ in parts]
    times = [as_integer(number, "number of times", 1, _MOST_TIMES) for _, number in parts]
    if not laws:
        raise ValueError("parts must be at least one, got none")
    for name in ("step", "rounding"):
        if len({getattr(law, name) for law in laws}) != 1:
            raise ValueError(f"parts must have one {name}, got several")
    up = laws[0].rounding == "up"
    composed = _Composed(tuple(laws), tuple(times))
    return PrivacyProfile(
        composed,
        "upper bound" if up else "lower bound",
        error=math.inf,
        rounded_up=up,
        plateau_at=Ending(_plateau_of_losses, composed) if up else None,
    )


def _plateau_of_losses(composed: _Composed) -> Plateau:
    """Return where upper bounds of composed losses end: at a hair above the sum of the largest."""
    total = composed.cut(-math.inf)
    end = max(0.0, total.largest * (1.0 + 16.0 * _UNIT))
    leaks = [law._leak() for law in composed.laws]
    return of_any(list(zip(leaks, composed.times, strict=True)), end)


class _Composed(ByPieces):
    """ln δ of independent losses of these laws, each so many times; it remembers its transforms."""

    def __init__(self, laws: tuple[Losses, ...], times: tuple[int, ...]) -> None:
        self.laws, self.times = laws, times
        self.cut = functools.cache(self._cut)

    def _pieces(self) -> tuple[Any, ...]:
        return self.laws, self.times

    def __reduce__(self) -> tuple[Any, ...]:
        return _Composed, self._pieces()  # without what it remembers

    def _cut(self, log_tail: float) -> _Sum:
        log_each = log_tail - math.log(sum(self.times))
        return _Sum([law._cut(log_each) for law in self.laws], self.times)

    def __call__(self, eps: float) -> float:
        up = self.laws[0].rounding == "up"
        best = self._bound(eps, up)
        # The probability of the loss inf is rounded, too, and so is a logarithm of thousands.
        slack = 16.0 * _UNIT * max(1.0, -best) if best > -math.inf else 0.0
        return min(0.0, best + slack) if up else best - slack

    def _bound(self, eps: float, up: bool) -> float:
        # Points of the grid, and their distances from ε, are rounded. So ε is moved by more than
        # that to where the bound cannot be on the wrong side.
        eps *= 1.0 + (-4.0 if up else 4.0) * _UNIT
        if sum(self.times) == 1:  # there is nothing to sum
            return self.laws[0]._log_delta(eps)
        best = 0.0 if up else -math.inf
        for log_tail in _CUTS:
            total = self.cut(log_tail)
            # Whatever is cut off, the result is a bound; Chernoff's is one that costs little.
            log_chernoff = total.log_chernoff(eps)
            if up:
                best = min(best, float(np.logaddexp(total.log_infinite, log_chernoff)))
            if log_tail > max(log_chernoff, self.cut(-math.inf).log_infinite) + _LOG_NO_PART:
                continue
            log_delta = total.log_delta(eps)
            best = min(best, log_delta) if up else max(best, log_delta)
            if log_tail <= log_delta + _LOG_NO_PART:
                break
        return best


@dataclass(frozen=True, eq=False)
class _Window:
    """The tilted law of a sum around its mean.

    It is given by its transform of some size, of which only the frequencies that are not negligible
    are kept. Each mass may have an error, whose root of the sum of squares is `error` and which is
    at most `each`, all together one of a relative `relative`, and what lies outside has a
    probability of at most `missed`.
    """

    first: int
    size: int
    frequencies: IntArray
    spectrum: ComplexArray
    error: float
    each: float
    relative: float
    missed: float

    @functools.cached_property
    def masses(self) -> FloatArray:
        spectrum = np.zeros(self.size // 2 + 1, dtype=np.complex128)
        spectrum[self.frequencies] = self.spectrum
        masses = np.maximum(fft.irfft(spectrum, self.size), 0.0)
        return np.roll(masses, -(self.first % self.size))

    def decayed(self, start: int, rate: float) -> tuple[float, float]:
        """Return ``Σ e^{-rate·i}·m_{start+i}`` of the masses m, and a bound of its rounding.

        Each frequency adds a geometric series, so that few of them need no masses.
        """
        number = self.size - start
        turn = 2.0 * math.pi / self.size
        # Whole turns are taken off before they are rounded.
        origin = (self.first + start) % self.size
        begin = np.exp(1j * turn * (self.frequencies * origin % self.size))
        ends = turn * (self.frequencies * number % self.size)
        steps = -np.expm1(-rate + 1j * turn * self.frequencies)
        sums = -np.expm1(-rate * number + 1j * ends)
        level = steps == 0.0  # at the frequency 0, without a decay
        sums[level], steps[level] = number, 1.0
        # All but the first and the last of the frequencies there are stand for two.
        weights = np.where(self.frequencies % (self.size // 2) > 0, 2.0, 1.0) / self.size
        most = float((weights * np.abs(self.spectrum / steps)).sum())
        value = float((weights * (self.spectrum * begin * (sums / steps)).real).sum())
        # No term is above two of what `most` adds up. Of such a term its angles, which are at most
        # 2π, the two differences and their quotient, and its part of a sum of thousands, are
        # rounded by some 180 units of what `most` adds up together; one has the `decay`, too.
        return value, 256.0 * _UNIT * (most + 1.0)


def _transform(
    indices: IntArray, masses: FloatArray, size: int, frequencies: IntArray, least: float
) -> tuple[IntArray, ComplexArray, float]:
    """Return at which of some frequencies the transform of a law may be above `least`.

    Also the transform there, and how far off it may be. Between two frequencies it changes by no
    more than their distance times the law's mean deviation, so that of a law that is narrow for the
    size a short transform tells which few to look at.
    """
    centre = round(float(masses @ indices))
    half = size // 2
    points, which = np.unique((indices - centre + half) % size - half, return_inverse=True)
    folded = np.bincount(which, masses)
    off = 8.0 * _UNIT * math.log2(size) * math.sqrt(size) * float(np.linalg.norm(folded))
    turn = -2j * math.pi / size
    slack = abs(turn) * _STRIDE / 2 * float(folded @ np.abs(points)) + off
    if slack < 0.5 * least:
        short = size // _STRIDE
        is_loud = np.abs(fft.rfft(np.bincount(points % short, folded, short))) + slack > least
        nearest = np.minimum((frequencies + _STRIDE // 2) // _STRIDE, short // 2)
        where = np.flatnonzero(is_loud[nearest])
        if where.size * points.size <= size:
            near = frequencies[where]
            waves = folded * np.exp(turn * (near[:, None] * points % size))
            return where, waves.sum(axis=1) * np.exp(turn * (near * (centre % size) % size)), off
    whole = fft.rfft(np.bincount((points + centre) % size, folded, size))
    return np.arange(frequencies.size), np.asarray(whole[frequencies]), off


class _Sum:
    """A sum of independent losses."""

    def __init__(self, laws: Sequence[Losses], times: Sequence[int]) -> None:
        self.laws, self.times = laws, times
        self.step, self.up = laws[0].step, laws[0].rounding == "up"
        self.log_infinite = log_any([law.log_infinite for law in laws], times)
        # Where a law has no finite loss, neither has the sum.
        self.ever_finite = all(law.indices.size for law in laws)
        if not self.ever_finite:
            self.largest = 0.0
            return
        self.bottom = sum(k * int(law.indices[0]) for law, k in zip(laws, times, strict=True))
        self.top = sum(k * int(law.indices[-1]) for law, k in zip(laws, times, strict=True))
        self.largest = self.top * self.step
        self.mean, variance = self.moments(0.0)
        # Tilts are rounded to these, so that one transform serves many ε.
        self.tilt_unit = 0.25 / math.sqrt(variance) if variance > 0.0 else 1.0
        self.window = functools.lru_cache(8)(self._window)
        self.tilt_towards = functools.lru_cache(64)(self._tilt_towards)

    def log_mgf(self, tilt: float) -> float:
        return sum(k * law._log_mgf(tilt) for law, k in zip(self.laws, self.times, strict=True))

    def log_chernoff(self, eps: float) -> float:
        """Natural logarithm of Chernoff's bound on the part of finite losses in δ(ε)."""
        if not self.ever_finite or eps >= self.largest:
            return -math.inf
        tilt = self.tilt_towards(eps)
        return self.log_mgf(tilt) - tilt * eps

    def moments(self, tilt: float) -> tuple[float, float]:
        each = [law._moments(tilt) for law in self.laws]
        means = sum(k * mean for k, (mean, _) in zip(self.times, each, strict=True))
        return means, sum(k * variance for k, (_, variance) in zip(self.times, each, strict=True))

    def log_delta(self, eps: float) -> float:
        if not self.ever_finite or eps >= self.largest:
            return self.log_infinite
        tilt = self.tilt_towards(eps)
        rounded = self.tilt_unit * round(tilt / self.tilt_unit)
        best = 0.0 if self.up else -math.inf
        # Any tilt gives a bound. The one that moves the mean to ε is nearly always good; where
        # losses are rare and large it may not be, and others may do better.
        for candidate in (rounded, tilt, 0.0, 0.5 * tilt, 2.0 * tilt):
            value, error = self._excess(candidate, eps)
            log_delta = self._bound(value + error if self.up else value, candidate, eps)
            best = min(best, log_delta) if self.up else max(best, log_delta)
            if error <= _TOLERATED * value:
                break
        return best

    def _bound(self, value: float, tilt: float, eps: float) -> float:
        """Return ln δ, given `_excess`, rounded in the right direction."""
        log_finite = -math.inf
        if value > 0.0:
            log_finite = self.log_mgf(tilt) - tilt * eps + math.log(value)
            slack = LOG_ERROR * max(1.0, abs(log_finite)) + 8.0 * _UNIT * tilt * abs(eps)
            log_finite += slack if self.up else -slack
        return min(0.0, float(np.logaddexp(self.log_infinite, log_finite)))

    def _tilt_towards(self, eps: float) -> float:
        """Return a tilt ≥ 0 at which ε is about the mean, to a twentieth of a deviation."""
        if eps <= self.mean:
            return 0.0
        low, high, tilt = 0.0, math.inf, 4.0 * self.tilt_unit
        while True:
            mean, variance = self.moments(tilt)
            low, high = (tilt, high) if mean < eps else (low, tilt)
            near = abs(mean - eps) <= 0.05 * math.sqrt(variance) or high - low <= 1e-12 * low
            if near or (mean < eps and tilt > 1024.0 / self.step):
                return tilt
            following = tilt + (eps - mean) / max(variance, 1e-300)  # Newton's method, kept within
            if not low < following < min(high, 8.0 * tilt):
                following = 0.5 * (low + high) if math.isfinite(high) else 8.0 * tilt
            tilt = following

    def _excess(self, tilt: float, eps: float) -> tuple[float, float]:
        """Return ``E[exp(-tilt·(L - ε))·(1 - exp(ε - L)); L > ε]``, L tilted, and its error.

        Rounded down, the value is a lower bound, and the error says how much may be missing.
        """
        window = self.window(tilt)
        start = max(math.floor(eps / self.step) + 1 - window.first, 0)
        if window.frequencies.size <= _FEW_FREQUENCIES and start < window.size:
            value, sure, error, rounding = self._excess_of_waves(window, start, tilt, eps)
            if rounding <= _ROUNDED * value:
                return (value if self.up else max(value - error, sure, 0.0)), error
        # Where the factor exp(-tilt·(L - ε)) is less than what the window may miss, nothing is
        # added.
        width = -_LOG_MISSED / (tilt * self.step) if tilt > 0.0 else math.inf
        stop = start + math.ceil(width) if width < window.size else window.size
        masses = window.masses[start:stop]
        beyond = np.maximum((window.first + start + np.arange(masses.size)) * self.step - eps, 0.0)
        with np.errstate(under="ignore"):
            factors = np.exp(-tilt * beyond) * -np.expm1(-beyond)
        value = float(masses @ factors)
        missed = window.missed + (math.exp(_LOG_MISSED) if stop < window.size else 0.0)
        # An exponent is rounded by a part of what it is, up to `-_LOG_MISSED` or so.
        rounding = (4.0 * _UNIT * (masses.size + 32) + window.relative) * value
        error = window.error * float(np.linalg.norm(factors)) + rounding + missed
        if self.up:
            return value, error
        # What is missed may have been counted at the wrong end, too.
        sure = float(np.maximum(masses - window.each, 0.0) @ factors)
        return max(value - error, sure - rounding - missed, 0.0), error

    def _excess_of_waves(
        self, window: _Window, start: int, tilt: float, eps: float
    ) -> tuple[float, float, float, float]:
        """Return the value of `_excess` from few frequencies, not rounded; another lower bound.

        Also its error, and how much of that is rounding which the other way does not have. The
        factors, and their squares, are sums of exponentials of the loss.
        """
        number, begin = window.size - start, max((window.first + start) * self.step - eps, 0.0)
        value = rounding = 0.0
        for sign, rate in ((1.0, tilt), (-1.0, tilt + 1.0)):
            total, off = window.decayed(start, rate * self.step)
            value += sign * math.exp(-rate * begin) * total
            rounding += off

        def series(rate: float) -> float:
            decay = rate * self.step
            ends = math.expm1(-decay * number) / math.expm1(-decay) if decay > 0.0 else number
            return math.exp(-rate * begin) * ends

        # Rounded up, lest what cancels make them too small.
        hair = (32.0 + 4.0 * (tilt + 1.0) * begin) * _UNIT
        factors = (1.0 + hair) * series(tilt) - (1.0 - hair) * series(tilt + 1.0)
        squares = (1.0 + hair) * (series(2.0 * tilt) + series(2.0 * tilt + 2.0))
        squares -= (2.0 - hair) * series(2.0 * tilt + 1.0)
        off = rounding + window.relative * abs(value) + window.missed
        return (
            value,
            value - window.each * factors - off,
            window.error * math.sqrt(squares) + off,
            rounding,
        )

    def _window(self, tilt: float) -> _Window:
        """Convolve the tilted laws, modulo a length that holds all but a trace of their sum."""
        centre, variance = self.moments(tilt)
        reach, missed = self._reach(tilt, centre, variance)
        size = fft.next_fast_len(math.ceil(reach / _STRIDE), real=True) * _STRIDE
        every = size // 2 + 1
        frequencies, off_by, relative = np.arange(every), np.zeros(every), 0.0
        spectrum: ComplexArray = np.ones(every, dtype=np.complex128)
        for law, k in zip(self.laws, self.times, strict=True):
            tilted = law._tilted(tilt)
            # Exponents of thousands are rounded by more than a unit of their difference. Where
            # there is next to no mass that does not matter.
            exponents = np.abs(law.log_masses) + np.abs(tilt * self.step * law.indices)
            likely = tilted > math.exp(_LOG_UNLIKELY)
            relative += k * 8.0 * _UNIT * (10.0 + float(exponents[likely].max(initial=0.0)))
            least = math.exp(_LOG_NOTHING / k)
            where, factor, off = _transform(law.indices, tilted, size, frequencies, least)
            # |(z + e)^k - z^k| ≤ k·e·(|z| + e)^(k-1), and powers are rounded, too. Most of them are
            # too small to matter: whatever they are counts as an error.
            live = np.abs(factor) + off > least
            where, factor = where[live], factor[live]
            frequencies, before, grown = frequencies[where], spectrum[where], off_by[where]
            modulus = np.abs(factor)
            most = np.minimum(modulus + off, 1.0)
            powers = most ** (k - 1)
            off_by = grown * powers * most + np.abs(before) * powers * k * (off + 16.0 * _UNIT)
            turned = np.exp(1j * (k * np.angle(factor) % (2.0 * math.pi)))
            spectrum = before * modulus**k * turned
        # Sums of squares of masses are those of the transform; each frequency but 0 is there twice.
        back = math.sqrt(2.0 / size) * float(np.linalg.norm(spectrum))
        back *= 8.0 * _UNIT * math.log2(size)
        nothing, quiet = math.exp(_LOG_NOTHING), every - frequencies.size
        error = math.hypot(float(np.linalg.norm(off_by)), math.sqrt(quiet) * nothing)
        error = math.sqrt(2.0 / size) * error + back
        each = 2.0 / size * (float(off_by.sum()) + quiet * nothing) + back
        # Around the mean, but not beyond an end of the support while the other one is missed.
        last_first = max(self.bottom, self.top + 1 - size)
        first = min(max(self.bottom, math.floor(centre / self.step) - size // 2), last_first)
        return _Window(first, size, frequencies, spectrum, error, each, relative, missed)

    def _reach(self, tilt: float, centre: float, variance: float) -> tuple[int, float]:
        """Return how many points around the mean to look at, and what they may miss of the mass."""
        everything = self.top - self.bottom + 1
        if everything <= 64:
            return max(everything, 2), 0.0
        variance = max(variance, self.step**2)
        widest = 0.5 * self.step * (_LARGEST_TRANSFORM - 4)
        width = min(10.5 * math.sqrt(variance), widest)
        while (points := math.ceil(2.0 * width / self.step) + 4) < everything:
            log_missed = self._log_outside(tilt, centre, width, variance)
            if log_missed <= _LOG_MISSED or width == widest:
                return points, 2.0 * math.exp(min(0.0, log_missed))
            width = min(1.4 * width, widest)
        return everything, 0.0

    def _log_outside(self, tilt: float, centre: float, width: float, variance: float) -> float:
        """Natural logarithm of a bound of the tilted mass farther than that to one side."""
        log_mgf, logs = self.log_mgf(tilt), []
        for side in (1.0, -1.0):
            # Chernoff's bound, at some of the tilts at which it may be good.
            mores = (width / variance) * np.array([0.5, 1.0, 2.0])
            edge = side * centre + width
            logs.append(min(self.log_mgf(tilt + side * more) - more * edge for more in mores))
        return float(max(logs)) - log_mgf


def bracket(
    pairs: Sequence[DiscretePair],
    times: Sequence[SupportsIndex] | None = None,
    *,
    step: SupportsFloat | None = None,
) -> Bracket:
    """Return bounds of the profile of outputs that are independent given the record.

    Parameters
    ----------
    pairs : sequence of DiscretePair
        What the attacker must tell apart in each output, all in the same direction.
    times : sequence of int, optional
        How many outputs there are of each kind, in 1…10⁶; by default one.
    step : float, optional
        Distance of the points of the grid of losses. The lower bound is about half a step of ε
        for each output to the left of the truth; the upper one is much closer. By default that
        is below a hundredth of the standard deviation of the summed loss for up to 300 outputs.

    Returns
    -------
    Bracket
        Bounds of the larger of both directions.

    Raises
    ------
    ValueError
        If there is no pair, `times` is of another length, or an argument out of range.
    TypeError
        If a pair's outcomes cannot be listed, as those of Laplace noise, or it is no pair.

    References
    ----------
    Section 5.1 of the paper, after Theorem 6; Meiser and Mohammadi (2018).

    Examples
    --------
    >>> from pkdp import counting
    >>> month = bracket([counting.pair([0.2] * 1000)], [30])
    >>> f"{month.lower.epsilon(1e-6):.3f} {month.upper.epsilon(1e-6):.3f}"
    '1.953 1.955'
    """
    one_way, other_way = both_ways(pairs, times, step=step)
    return Bracket(
        _larger([one_way.lower, other_way.lower]), _larger([one_way.upper, other_way.upper])
    )


def both_ways(
    pairs: Sequence[DiscretePair],
    times: Sequence[SupportsIndex] | None = None,
    *,
    step: SupportsFloat | None = None,
) -> tuple[Bracket, Bracket]:
    """Return what `bracket` takes the larger of: bounds of each direction.

    Parameters
    ----------
    pairs, times, step
        As for `bracket`.

    Returns
    -------
    tuple of two Bracket
        Bounds of ``H_E(P‖Q)``, and of ``H_E(Q‖P)``, of the product of the pairs.

    Raises
    ------
    ValueError, TypeError
        As by `bracket`.

    Examples
    --------
    >>> from pkdp import thresholding
    >>> one_way, other_way = both_ways([thresholding.pair([0.02] * 50, 2)], [3])
    >>> f"{one_way.upper.delta(1.0):.3f} {other_way.upper.delta(1.0):.3f}"
    '0.132 0.000'
    """
    pairs = as_several(pairs, "pairs", "pairs")
    numbers = [1] * len(pairs) if times is None else as_several(times, "times", "integers")
    if len(numbers) != len(pairs):
        raise ValueError(
            f"times must be one number for each of the {len(pairs)} pairs, got {len(numbers)}"
        )
    if not pairs:
        raise ValueError("pairs must be at least one, got none")
    counts = [as_integer(number, "times", 1, _MOST_TIMES) for number in numbers]
    ways = pairs, [as_discrete(pair, "pairs").reversed() for pair in pairs]
    masses = [pair.log_masses(LOG_LEAST) for pair in pairs]
    width = _default_step(masses, counts) if step is None else _as_step(step)

    def bound(
        way: Sequence[DiscretePair], side: Sequence[LogMasses], rounding: Rounding
    ) -> PrivacyProfile:
        laws = [
            replace(_of_masses(m, width, rounding), ending=Ending(_plateau_of_pair, pair))
            for pair, m in zip(way, side, strict=True)
        ]
        return compose(list(zip(laws, counts, strict=True)))

    exchanged = [m._replace(log_p=m.log_q, log_q=m.log_p) for m in masses]
    one_way, other_way = (
        Bracket(bound(way, side, "down"), bound(way, side, "up"))
        for way, side in zip(ways, (masses, exchanged), strict=True)
    )
    return one_way, other_way


def _larger(curves: Sequence[PrivacyProfile]) -> PrivacyProfile:
    """Return the larger of some curves of the same status."""
    first = curves[0]
    return PrivacyProfile(
        Curve(largest, tuple(curve.log_delta_at for curve in curves)),
        first.status,
        error=first.error,
        rounded_up=first.rounded_up,
        plateau_at=ending_of_largest(curves) if first.rounded_up else None,
    )


def composed_bound(
    profile: PrivacyProfile,
    times: SupportsIndex,
    *,
    step: SupportsFloat | None = None,
    least_delta: SupportsFloat = 1e-40,
) -> PrivacyProfile:
    """Return a bound for several outputs, each below the same profile whatever the others were.

    Parameters
    ----------
    profile : PrivacyProfile
        An exact profile or an upper bound, such as a worst case over probabilities.
    times : int
        How many outputs there are, in 1…10⁶.
    step : float, optional
        Distance of the points of the grid of losses; by default 1/500 of the ε at which δ falls
        below `least_delta`.
    least_delta : float
        What is beyond the ε at which δ falls below this, in (0, 1), counts as loss inf: the bound
        is never below about `times` as much.

    Returns
    -------
    PrivacyProfile
        Status "upper bound". If that ε is above 700, where losses end, the smaller of it and of
        simple composition.

    Raises
    ------
    ValueError
        If the profile is no upper bound or an argument is out of range.

    Examples
    --------
    >>> from pkdp import counting
    >>> week = composed_bound(counting.worst_case(1000, 0.2), 7)
    >>> round(week.epsilon(1e-6), 3)
    0.902
    """
    number = as_integer(times, "times", 1, _MOST_TIMES)
    least = as_real(least_delta, "least_delta", "in [1e-280, 1)", _LEAST_DELTA, 0.999)
    wanted = as_bound(profile, "profile").epsilon(least) or 1.0
    largest = min(wanted, 700.0)
    width = largest / 500.0 if step is None else _as_step(step)
    composed = compose([(of_profile(profile, width, largest=max(largest, width)), number)])
    if wanted <= 700.0:
        return composed
    simple = rounded_up(Curve(_log_simple, profile, number), "upper bound")
    return dataclasses.replace(composed, log_delta_at=Curve(_log_smaller, composed, simple))


def _log_simple(profile: PrivacyProfile, times: int, eps: float) -> float:
    return min(0.0, math.log(times) + log_above(profile, eps / times))


def _log_smaller(one: PrivacyProfile, other: PrivacyProfile, eps: float) -> float:
    return min(one.log_delta(eps), other.log_delta(eps))


def _default_step(masses: Sequence[LogMasses], times: Sequence[int]) -> float:
    variance, largest = 0.0, 0.0
    for (log_p, log_q, _), k in zip(masses, times, strict=True):
        finite = (log_p > -math.inf) & (log_q > -math.inf)
        weights, losses = np.exp(log_p[finite]), log_p[finite] - log_q[finite]
        if weights.sum() > 0.0:
            mean = float(np.average(losses, weights=weights))
            variance += k * float(weights @ (losses - mean) ** 2)
            matter = np.abs(losses[log_p[finite] > _LOG_MATTERS])
            largest = max(largest, float(matter.max(initial=0.0)))
    points = min(max(_FEWEST_POINTS, _POINTS_FOR_EACH * sum(times)), _MOST_POINTS)
    step = max(math.sqrt(variance) / points, largest / _POINTS_TO_LARGEST)
    return step if step > 1e-9 else 1e-3


def _as_step(step: SupportsFloat) -> float:
    return as_real(step, "step", "in (0, 1e6]", 0.0, 1e6, without=(0.0,))
