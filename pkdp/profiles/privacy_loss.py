"""Privacy loss distributions (PLD), and the composition of many releases.

Under the distribution P of the output, the *privacy loss* ``L = ln(P/Q)`` is a random number, and
``H_E(P‖Q) = E[max(0, 1 - exp(ε - L))]``; an outcome that Q excludes has the loss inf. Outputs that
are independent given the target's record and the background knowledge form a product pair, whose
loss is the sum of their losses. Here losses are discretized: put on a grid, where sums are
convolutions, and rounded in one of two directions, so that the result is a bound:

* *up*, a pessimistic estimate: a loss is split between the two points of the grid around it so that
  the masses of P and of Q both stay ("connect the dots"). That replaces an outcome by a more
  informative one, so δ can only grow, by an amount that is quadratic in the step;
* *down*, an optimistic estimate: a loss is moved to the next point below, and δ can only fall, by
  an amount that is linear in the step. `bracket` has a lower bound that is quadratic in it, too: it
  splits losses here as well, and subtracts a bound of what that adds (`_summed_losses._Bump`).

Sums of thousands of losses come from one Fourier transform, whose rounding error is relative to the
largest mass. The distribution is first tilted towards the ε in question, so that a δ far below
1e-308 has its digits, too. Bounds of the rounding error and of what lies outside the transform's
window are added to an upper bound and subtracted from a lower one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, SupportsFloat, SupportsIndex, get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from pkdp._bisection import least_passing
from pkdp._checks import as_choice, as_integer, as_real, as_several
from pkdp.profiles._equality import EqualByContents
from pkdp.profiles._summed_losses import Composed, Laws
from pkdp.profiles.laws import LOG_ERROR
from pkdp.profiles.logarithms import FloatArray, IntArray, log_positive
from pkdp.profiles.pairs import LOG_LEAST, DiscretePair, LogMasses, as_discrete
from pkdp.profiles.profile import (
    Formula,
    PrivacyProfile,
    Repeated,
    as_bound,
    largest_of,
    log_any,
    rounded_up,
    smallest,
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

# Where no step is asked for: points of the grid to a standard deviation of the summed loss (so many
# times the root of the number of losses keep both ends within some 1e-4 deviations), and points up
# to the largest single loss that matters, of a mass above the last number, a logarithm.
_FEWEST_POINTS, _POINTS_BY_ROOT, _MOST_POINTS = 2**11, 300.0, 2**16
_POINTS_TO_LARGEST, _LOG_MATTERS = 2**15, -60.0

# Multiples of the step beyond this lose their last bit as floats.
_LARGEST_INDEX = 2.0**50
_UNIT = 2.0**-53

# A curve is followed to the ε at which δ falls below this; there floats end.
_LEAST_DELTA = 1e-280
# Or to this one, beyond which exp(ε) is hardly a float.
_LAST_EPSILON = 700.0
_MOST_STEPS_OF_A_CURVE, _STEPS_ONE_BY_ONE = 10**6, 5000

_MOST_TIMES = 10**6
# Of a bound that is composed, what is beyond the ε of this δ counts as loss inf.
_LEAST_COMPOSED = 1e-40

# An ε that a profile returns is within this part of the least.
_ABOVE_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Losses(EqualByContents):
    """A discretized privacy loss distribution: that of one output, on a grid.

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
    largest : float
        What no finite loss exceeded before it was rounded up; by default the grid says.
    variance : float
        For a lower bound of losses that were split: the largest variance of ``exp(-d)``, d what a
        loss was moved by. What that adds to δ is taken off.
    pair : DiscretePair, optional
        Whose loss it is, which tells the probability of the loss inf to 50 digits; without one it
        is any number whose logarithm rounds to `log_infinite`.

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
    largest: float = math.inf
    variance: float = 0.0
    pair: DiscretePair | None = None

    def __post_init__(self) -> None:
        _as_step(self.step)
        as_real(self.largest, "largest", "in [-inf, inf]", -math.inf, math.inf)
        as_real(self.variance, "variance", "in [0, inf]", 0.0, math.inf)
        as_choice(self.rounding, "rounding", get_args(Rounding))
        as_real(self.log_infinite, "log_infinite", "in [-inf, 0]", -math.inf, 0.0)
        indices, logs = self.indices, self.log_masses
        increasing = indices.dtype.kind == "i" and bool((np.diff(indices) > 0).all())
        if not (indices.ndim == 1 and indices.shape == logs.shape and increasing):
            raise ValueError("indices must be increasing integers, one for each of log_masses")
        if indices.size and not (np.isfinite(logs).all() and logs.max() < 1e-6):
            raise ValueError("log_masses must be finite logarithms of probabilities")


class Interval(NamedTuple):
    """The two ends of an interval, or of an array of them, that holds the truth.

    Attributes
    ----------
    lower, upper : float or ndarray
        Its ends; the lower is never above the upper.
    """

    lower: float | FloatArray
    upper: float | FloatArray


class Bracket(NamedTuple):
    """A lower and an upper bound of one privacy profile.

    Attributes
    ----------
    lower, upper : PrivacyProfile
        Bounds, of status "lower bound" and "upper bound".

    Examples
    --------
    >>> from pkdp import counting
    >>> week = bracket([counting.pair([0.2] * 1000)], [7])
    >>> [f"{end:.4f}" for end in (*week.delta(0.5), *week.epsilon(1e-6))]
    ['0.0008', '0.0008', '0.9010', '0.9010']
    """

    lower: PrivacyProfile
    upper: PrivacyProfile

    def delta(self, eps: npt.ArrayLike) -> Interval:
        """Return an interval that holds δ(ε); see `PrivacyProfile.delta`."""
        return Interval(self.lower.delta(eps), self.upper.delta(eps))

    def epsilon(
        self, delta: npt.ArrayLike | None = None, *, log_delta: npt.ArrayLike | None = None
    ) -> Interval:
        """Return an interval that holds the least ε for δ; see `PrivacyProfile.epsilon`."""
        # A profile returns an ε that is above the least by up to this part.
        below = 1.0 - _ABOVE_LEAST
        return Interval(
            below * self.lower.epsilon(delta, log_delta=log_delta),
            self.upper.epsilon(delta, log_delta=log_delta),
        )


def _of_masses(
    masses: LogMasses, step: float, rounding: Rounding, *, splits: bool = False
) -> Losses:
    """Return the loss distribution; one that is rounded down may be split all the same."""
    up = as_choice(rounding, "rounding", get_args(Rounding)) == "up"
    possible = masses.log_p > -math.inf
    p, q = masses.log_p[possible], masses.log_q[possible]
    finite = q > -math.inf
    # Masses and losses are moved by their possible error, in the direction of the rounding.
    slack = LOG_ERROR * np.maximum(1.0, np.abs(p))
    p = p + slack if up else p - slack
    infinite = np.append(p[~finite], masses.log_left_out if up else -math.inf)
    log_infinite = min(0.0, float(np.logaddexp.reduce(infinite)))
    p, q = p[finite], q[finite]
    hair = LOG_ERROR * (np.maximum(1.0, np.abs(p)) + np.maximum(1.0, np.abs(q)))
    losses = p - q + (hair if up else -hair)
    points, shares, variance = on_grid(losses, p, step, splits=up or splits)
    indices, log_masses = _gathered(points.ravel(), shares.ravel())
    largest = float(losses.max(initial=-math.inf)) if up else math.inf
    most = 0.0 if up else float(variance.max(initial=0.0))
    return Losses(step, indices, log_masses, log_infinite, rounding, largest, most)


def on_grid(
    losses: FloatArray, log_masses: FloatArray, step: float, *, splits: bool = True
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the points of the grid around each loss, and the logarithms of its masses there.

    These are the points below and above, or the one below if no loss is split. Also return the
    variance of ``exp(-d)`` for each, where d is what the loss is moved by in splitting it.

    Examples
    --------
    >>> points, logs, variance = on_grid(np.array([0.25]), np.zeros(1), 0.5)
    >>> points.tolist(), np.exp(logs).round(4).tolist(), variance.round(4).tolist()
    ([[0], [1]], [[0.4378], [0.5622]], [0.0628])
    """
    largest = float(np.abs(losses).max(initial=0.0))
    if largest > _LARGEST_INDEX * step:
        raise ValueError(
            f"step must be at least {largest / _LARGEST_INDEX:.3g} for a loss of {largest:.3g}, "
            f"got {step:.3g}"
        )
    below, part = split(losses, step)
    if not splits:
        return below[None], log_masses[None], np.zeros_like(losses)
    with np.errstate(divide="ignore"):
        logs = np.stack([log_masses + np.log1p(-part), log_masses + np.log(part)])
    rest = np.clip(losses - below * step, 0.0, step)
    with np.errstate(over="ignore"):
        variance = -np.expm1(rest - step) * np.expm1(rest)
    return np.stack([below, below + 1]), logs, variance


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


def _gathered(indices: IntArray, logs: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each point of the grid with mass once, and the logarithm of its mass."""
    some = logs > -math.inf
    points, where = np.unique(indices[some], return_inverse=True)
    most = np.full(points.size, -math.inf)
    np.maximum.at(most, where, logs[some])
    sums = np.bincount(where, np.exp(logs[some] - most[where]), points.size)
    return points, most + np.log(sums)


def of_pair(pair: DiscretePair, step: SupportsFloat) -> Losses:
    """Return the privacy loss distribution of a pair under P, as a pessimistic estimate.

    Parameters
    ----------
    pair : DiscretePair
        Of a count, a thresholded or a noisy one.
    step : float
        Distance of the points of the grid, > 0.

    Returns
    -------
    Losses
        Rounded up.

    Raises
    ------
    ValueError
        If `step` is not positive, or too small for the largest loss.

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
    losses = _of_masses(as_discrete(pair).log_masses(LOG_LEAST), _as_step(step), "up")
    return replace(losses, pair=pair)


def of_profile(
    profile: PrivacyProfile,
    step: SupportsFloat,
    *,
    largest: SupportsFloat,
) -> Losses:
    """Return the privacy loss distribution of a dominating pair of a profile.

    Its hockey-stick is the profile at the points of the grid, and a line in E = exp(ε) between
    them; beyond `largest` it stays where it is. Beyond 5,000 steps only every second point is
    looked at, then every third, and so on.

    Parameters
    ----------
    profile : PrivacyProfile
        The profile of a mechanism, for both directions, or an upper bound of it that is a maximum
        of such profiles.
    step : float
        Distance of the points of the grid, > 0.
    largest : float
        The last ε that is looked at, at most 10⁶ steps.

    Returns
    -------
    Losses
        Rounded up. The loss inf has the probability δ(`largest`), or 1e-280 if that is less.

    Raises
    ------
    ValueError
        If `step` or `largest` is not positive, there are more than 10⁶ steps, or the profile is no
        upper bound.

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
    end = as_real(largest, "largest", "in (0, 700]", 0.0, _LAST_EPSILON)
    steps = math.ceil(end / step)
    if not 1 <= steps <= _MOST_STEPS_OF_A_CURVE:
        raise ValueError(
            f"largest must be 1 to {_MOST_STEPS_OF_A_CURVE} times the step, {step:.3g}, "
            f"got {steps} times"
        )
    places = [0]
    while places[-1] <= steps:  # one more, as a curve that ends at `largest` is read a hair before
        places.append(places[-1] + 1 + places[-1] // _STEPS_ONE_BY_ONE)
    deltas = _deltas(profile, places, step)
    indices = np.array(places[: deltas.size])
    ratios = np.exp(step * indices)
    # What is below δ in both directions has a total variation of at most (E - 1 + 2δ)/(E + 1); an
    # upper bound may say less, and its slope would be that of no pair.
    deltas[0] = np.min((ratios - 1.0 + 2.0 * deltas) / (ratios + 1.0))
    q_masses, infinite = _bends(ratios, deltas), float(deltas[-1])
    p_masses = ratios[1:] * q_masses
    # What is left of the mass has no loss.
    rest = max(0.0, 1.0 - infinite - float(p_masses.sum()) - float(q_masses.sum()))
    logs = log_positive(np.concatenate([q_masses[::-1], [rest], p_masses]))
    log_infinite = float(log_positive(infinite))
    every = np.concatenate([-indices[:0:-1], indices])
    # Slopes are differences over a step, and have lost as many digits.
    slack = 1e-11 + 8.0 * _UNIT / step
    last = _last_loss(profile, float(step * indices[-1]))
    log_infinite = min(0.0, log_infinite + slack)
    return Losses(step, *_gathered(every, logs + slack), log_infinite, "up", last)


def _deltas(profile: PrivacyProfile, places: Sequence[int], step: float) -> FloatArray:
    """Return δ at points of a grid, up to the first where it is nearly 0, or is as at the end."""

    def delta(i: int) -> float:
        # Rounded up by more than the curve may lack, at an ε that may be a hair less.
        value = profile.log_delta(i * step * (1.0 - 1e-12))
        if value > -math.inf:
            value += 1e-11 * max(1.0, abs(value))
        return math.exp(min(0.0, value))

    least = max(_LEAST_DELTA, delta(places[-1]))
    deltas = []
    for i in places:
        deltas.append(delta(i))
        if deltas[-1] <= least:
            break
    return np.array(deltas)


def _last_loss(profile: PrivacyProfile, end: float) -> float:
    """Return an ε from which on δ is what it is at the end, where the last finite loss is."""
    last = profile.log_delta_at(end)
    return least_passing(1e-16 * end, end, lambda eps: profile.log_delta_at(eps) <= last, 1e-15)


def _bends(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return by how much the slope of the lower convex hull of a curve grows after each step.

    Rounding leaves dents in a curve. A hull of points on or above a convex curve is on or above it,
    too, and its slopes are the nearest ones that increase, in the mean square. The last slope is 0.
    """
    widths = np.diff(x)
    slopes = isotonic_regression(np.diff(y) / widths, weights=widths).x
    return np.maximum(np.diff(slopes, append=0.0), 0.0)


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
        an upper bound at ε = 0 is not below 1e-12 for each output, and sums with some large
        and extremely rare losses are bounded loosely. Where one transform takes over from
        another a curve may rise by a relative 1e-5.

    Raises
    ------
    ValueError
        If there is no part, steps or roundings differ, the step is too small to add up that many
        losses, or a number is out of range.

    Notes
    -----
    One transform, of some twenty standard deviations' worth of points, serves all ε within about a
    standard deviation. A step so small that it takes more than 2²² points is refused.

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
    return _composed(laws, times)


def _in_a_row(laws: Sequence[Losses], times: Sequence[int]) -> Laws:
    """Return laws of one step and rounding; none if one of them has no finite loss."""
    first, log_infinite = laws[0], log_any([law.log_infinite for law in laws], times)
    if not all(law.indices.size for law in laws):
        laws, times = [], []
    sizes = np.array([law.indices.size for law in laws], dtype=np.int64)
    tops = [min(law.largest, law.step * int(law.indices[-1])) for law in laws]
    return Laws(
        first.step,
        first.rounding == "up",
        np.concatenate([np.zeros(0, np.int64), *(law.indices for law in laws)]),
        np.concatenate([np.zeros(0), *(law.log_masses for law in laws)]),
        np.cumsum(sizes) - sizes,
        np.array(times, dtype=np.int64),
        log_infinite,
        math.fsum(k * (top + 4.0 * _UNIT * abs(top)) for k, top in zip(times, tops, strict=True)),
        math.fsum(k * law.variance for k, law in zip(times, laws, strict=True)),
    )


def _composed(
    laws: Sequence[Losses], times: Sequence[int], floor: Composed | None = None
) -> PrivacyProfile:
    """Return the profile of a sum of losses; a step too small for it is refused."""
    up, step = laws[0].rounding == "up", laws[0].step
    parts = ((law.pair, law.log_infinite, k) for law, k in zip(laws, times, strict=True))
    curve = Composed(_in_a_row(laws, times), floor, tuple(parts) if up else ())
    if curve.laws.number > 1 and step < curve.least_step:
        raise ValueError(
            f"step must be at least {1.01 * curve.least_step:.3g} for these losses, got {step:.3g}"
        )
    return PrivacyProfile(
        curve,
        "upper bound" if up else "lower bound",
        error=math.inf,
        rounded_up=up,
        first_eps=curve.first_eps,
    )


def bracket(
    pairs: Sequence[DiscretePair],
    times: Sequence[SupportsIndex] | None = None,
    *,
    step: SupportsFloat | None = None,
) -> Bracket:
    """Bound the privacy profile of several outputs that are independent given record and knowledge.

    Parameters
    ----------
    pairs : sequence of DiscretePair
        What the attacker must tell apart in each output, all in the same direction.
    times : sequence of int, optional
        How many outputs there are of each kind, in 1…10⁶; by default one.
    step : float, optional
        Distance of the points of the grid of losses, to whose square the distance of the bounds is
        proportional. By default they are some 1e-4 standard deviations of the summed loss apart
        in ε, for up to 10⁴ outputs.

    Returns
    -------
    Bracket
        Bounds of the larger of both directions.

    Raises
    ------
    ValueError
        If there is no pair, `times` is of another length, or an argument out of range; if `step` is
        so small that the sum does not fit a transform. The message names the smallest that does.
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
    '1.955 1.955'
    """
    lower, upper = zip(*both_ways(pairs, times, step=step), strict=True)
    return Bracket(largest_of(lower), largest_of(upper))


def both_ways(
    pairs: Sequence[DiscretePair],
    times: Sequence[SupportsIndex] | None = None,
    *,
    step: SupportsFloat | None = None,
) -> tuple[Bracket, Bracket]:
    """Bound each direction of the privacy profile of several outputs; see `bracket`.

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
    >>> one_way, other_way = both_ways([thresholding.pair([0.02] * 50, threshold=2)], [3])
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
    reverse = [as_discrete(pair, "pairs").reversed() for pair in pairs]
    masses = [pair.log_masses(LOG_LEAST) for pair in pairs]
    exchanged = [m._replace(log_p=m.log_q, log_q=m.log_p) for m in masses]
    width = _default_step(masses, counts) if step is None else _as_step(step)
    return _both_ends(pairs, masses, counts, width), _both_ends(reverse, exchanged, counts, width)


def _both_ends(
    pairs: Sequence[DiscretePair], side: Sequence[LogMasses], times: Sequence[int], step: float
) -> Bracket:
    """Return both bounds of one direction."""

    def laws(rounding: Rounding, *, splits: bool = True) -> list[Losses]:
        return [
            replace(_of_masses(masses, step, rounding, splits=splits), pair=pair)
            for pair, masses in zip(pairs, side, strict=True)
        ]

    floor = Composed(_in_a_row(laws("down", splits=False), times))
    return Bracket(_composed(laws("down"), times, floor), _composed(laws("up"), times))


def composed_bound(profile: PrivacyProfile, times: SupportsIndex) -> PrivacyProfile:
    """Bound the adaptive composition of several outputs that have one profile, whatever the others.

    Parameters
    ----------
    profile : PrivacyProfile
        An exact profile or an upper bound, such as a worst case over probabilities. It is taken to
        be that of both directions; `bracket` composes each direction of a pair.
    times : int
        How many outputs there are, in 1…10⁶.

    Returns
    -------
    PrivacyProfile
        Status "upper bound". What is beyond the ε at which δ falls below 1e-40 counts as loss inf:
        the bound is never below about `times` as much. The grid of losses has the step of 1/500 of
        that ε, or of a 20th of the standard deviation of one loss if that is less. If that ε is
        above 700, where losses end, it is the smaller of this bound and of simple composition.

    Raises
    ------
    TypeError
        If `profile` is none.
    ValueError
        If the profile is no upper bound or an argument is out of range.

    Examples
    --------
    Counts of seven disjoint crowds, with the same target in each:

    >>> from pkdp import counting
    >>> seven = composed_bound(counting.worst_case(100, 0.2), 7)
    >>> round(seven.epsilon(1e-6), 3)
    3.559
    """
    number, once = as_integer(times, "times", 1, _MOST_TIMES), as_bound(profile, "profile")
    end = once.epsilon(_LEAST_COMPOSED)
    largest = min(end, _LAST_EPSILON) or 1.0

    def law(width: float) -> Losses:
        return of_profile(once, width, largest=max(largest, width))

    losses = law(largest / 500.0)
    if losses.indices.size:
        deviation = math.sqrt(_in_a_row([losses], [1]).moments(0.0)[1])
        width = max(
            min(losses.step, deviation / 20.0), deviation * math.sqrt(number) / _MOST_POINTS
        )
        width = max(width, largest / _MOST_STEPS_OF_A_CURVE)
        losses = losses if width == losses.step else law(width)
    composed = compose([(losses, number)])
    if end <= _LAST_EPSILON:
        return composed
    simple = rounded_up(Repeated(once, number), "upper bound")
    smaller = Formula(smallest, (composed, simple), ending=composed.release.ending())
    return dataclasses.replace(composed, release=smaller)


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
    return best_step(variance, sum(times), largest)


def best_step(variance: float, number: int, largest: float) -> float:
    """Return the step for a sum of losses of this variance, each up to `largest`.

    Examples
    --------
    >>> best_step(1.0, 1000, 2.0) == 1 / (300.0 * math.sqrt(1000))
    True
    """
    points = min(max(_FEWEST_POINTS, _POINTS_BY_ROOT * math.sqrt(number)), _MOST_POINTS)
    step = max(math.sqrt(variance) / points, largest / _POINTS_TO_LARGEST)
    return step if step > 1e-9 else 1e-3


def _as_step(step: SupportsFloat) -> float:
    return as_real(step, "step", "in (0, 1e6]", 0.0, 1e6, without=(0.0,))
