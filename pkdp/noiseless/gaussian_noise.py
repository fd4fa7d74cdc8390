"""Gaussian mechanism on an uncertain count or sum: exact privacy profiles.

The attacker sees ``S + a + Z`` or ``S + Z``, where Z is normal with mean 0 and standard deviation
s: a real number, whose density is a mixture of normal densities, one for each outcome of S. If S is
a count, its masses are log-concave, and the likelihood ratio of the two sums is increasing: given
the output, S is increasing in likelihood ratio, and ``P[S = k - a]/P[S = k]`` increases with k. So
the best event is a half-line, which begins where the ratio of the densities is E. For other laws,
such as those of even numbers, there are many such points, and each is found.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr, ndtr

from pkdp._checks import as_instance, as_real
from pkdp.profiles.laws import PoissonBinomial, unshifted
from pkdp.profiles.logarithms import FloatArray, IntArray, log_sum
from pkdp.profiles.pairs import AnyPair, Pair

__all__ = ["LARGEST_SCALE", "LEAST_SCALE", "GaussianPair", "add"]

# Less noise does not hide an integer from the next; with more, the tails differ by too few digits.
LEAST_SCALE, LARGEST_SCALE = 0.01, 1e5

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)

# Bound on the error of ln δ of a count, as a part of max(1, |ln δ|); tests find 1e-11.
_ERROR = 1e-9

# Tilts exceed the largest loss of a count by at most this much: then one outcome is left.
_BEYOND = 30.0
# Weights, which are below about 1e8, may be multiplied by exp of this without overflow.
_FLOAT_EXPONENT = 600.0

# For laws other than counts: the most outcomes, points per unit (or per s, if that is larger) at
# which the ratio is computed, the most points, and the terms left out, relative to the largest.
_MOST_OUTCOMES, _DENSITY, _MOST_POINTS, _LOG_LEFT_OUT = 2**14, 8, 2**21, 46.0
_LOG_LEAST = -800.0


@dataclass(frozen=True)
class GaussianPair(AnyPair):
    """A pair of laws of integers with Gaussian noise added; see `add`.

    Attributes
    ----------
    base : Pair
        The two laws without noise.
    scale : float
        The standard deviation s of the noise.

    Examples
    --------
    >>> from pkdp.profiles.laws import binomial
    >>> coins = binomial(100, 0.5)
    >>> noisy = add(Pair(coins.shift(1), coins), 2)
    >>> round(math.exp(noisy.log_hockey_stick(0.25)), 6)
    0.0087
    """

    base: Pair
    scale: float

    def __post_init__(self) -> None:
        as_instance(self.base, "base", Pair)
        as_scale(self.scale)

    def reversed(self) -> GaussianPair:
        """Return the pair with the two laws exchanged."""
        return GaussianPair(self.base.reversed(), self.scale)

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        if eps == math.inf:  # every output is possible under either law
            return -math.inf
        if self._count is None:
            return self._log_excess_of_any(eps, exchanged) if eps < 1e100 else -math.inf
        count, step = self._count
        return _log_excess_of_count(count.mirrored() if exchanged else count, step, self.scale, eps)

    @property
    def _error(self) -> float:
        return math.inf if self._count is None else _ERROR

    @functools.cached_property
    def _count(self) -> tuple[PoissonBinomial, int] | None:
        """The count S and a ≥ 1 if the pair is equivalent to (S + a, S), otherwise None."""
        (one, by), (other, other_by) = unshifted(self.base.P), unshifted(self.base.Q)
        if not isinstance(one, PoissonBinomial) or one != other or by == other_by:
            return None
        # (S, S + a) is (T + a, T) for T = -S, and so for the number of failures.
        return (one, by - other_by) if by > other_by else (one.mirrored(), other_by - by)

    # Laws other than counts.

    @functools.cached_property
    def _masses(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """The outcomes, and the logarithms of both laws' masses."""
        laws = self.base.P, self.base.Q
        for log_least in (-math.inf, _LOG_LEAST):
            spans = [law.span(log_least) for law in laws]
            first, last = min(span[0] for span in spans), max(span[1] for span in spans)
            if last - first < _MOST_OUTCOMES:
                break
        else:
            raise ValueError(
                f"base must be of counts, or of laws with at most {_MOST_OUTCOMES} outcomes, got "
                f"{last - first + 1} of them"
            )
        outcomes = np.arange(first, last + 1)
        logs = [law.log_pmf(first, last) for law in laws]
        possible = np.maximum(*logs) > -math.inf
        return outcomes[possible], logs[0][possible], logs[1][possible]

    @functools.cached_property
    def _ratios(self) -> tuple[FloatArray, FloatArray]:
        """Points between which ln(P/Q) is monotone, and its values there."""
        outcomes, log_p, log_q = self._masses
        step = max(self.scale, 1.0) / _DENSITY
        # Beyond these points the last outcome (or the first) is nearly all of the density.
        ends = [
            sign * _settled(sign * outcomes, logs, self.scale)
            for sign in (-1, 1)
            for logs in (log_p, log_q)
        ]
        low, high = min(ends[:2]) - step, max(ends[2:]) + step
        number = math.ceil((high - low) / step) + 1
        if number > _MOST_POINTS:
            raise ValueError(
                f"scale must be one for which {_MOST_POINTS} points cover the laws, got "
                f"{self.scale!r}, which takes {number}"
            )
        points = np.linspace(low, high, number)
        values = self._log_ratio(points)
        for _ in range(4):  # locates peaks and troughs four times as sharply each time
            peaks = _extremes(values)
            if not peaks.size:
                break
            left, right = points[peaks - 1], points[peaks + 1]
            parts = np.arange(1, 8) / 8.0
            more = np.sort((left[:, None] + (right - left)[:, None] * parts).ravel())
            points, at = np.unique(np.concatenate([points, more]), return_index=True)
            values = np.concatenate([values, self._log_ratio(more)])[at]
        return points, values

    def _log_ratio(self, points: FloatArray) -> FloatArray:
        """Return ln of the ratio of the two densities at increasing points."""
        outcomes, log_p, log_q = self._masses
        return _log_density(points, outcomes, log_p, self.scale) - _log_density(
            points, outcomes, log_q, self.scale
        )

    def _log_excess_of_any(self, eps: float, exchanged: bool) -> float:
        """Return ln H_E(P‖Q), or of the laws exchanged."""
        outcomes, *laws = self._masses
        one, other = laws[::-1] if exchanged else laws
        points, ratios = self._ratios
        side = -1.0 if exchanged else 1.0

        def gain(at: FloatArray) -> FloatArray:
            return side * self._log_ratio(at) - eps

        gains = side * ratios - eps
        last_one, last_other = (outcomes[logs > -math.inf][[0, -1]] for logs in (one, other))
        for end, sign in ((0, -1), (-1, 1)):
            # Beyond the last outcome of the other law the gain has no bound: find where it begins.
            ahead = sign * int(last_one[end] - last_other[end])
            if ahead > 0 and gains[end] <= 0.0:
                slope = ahead / self.scale**2
                beyond = points[end] + sign * (2.0 - gains[end]) * 1.01 / slope
                place = points.size if sign > 0 else 0
                points = np.insert(points, place, beyond)
                gains = np.insert(gains, place, gain(np.array([beyond])))
        above = gains > 0.0
        if not above.any():
            return -math.inf
        changes = np.flatnonzero(above[1:] != above[:-1])
        roots = _roots(gain, *(values[changes + k] for values in (points, gains) for k in (0, 1)))
        edges = np.concatenate([[-math.inf], roots, [math.inf]])
        starts = np.arange(0 if above[0] else 1, edges.size - 1, 2)
        return _log_total(outcomes, one, other, edges[starts], edges[starts + 1], self.scale, eps)


def add(pair: Pair, scale: SupportsFloat) -> GaussianPair:
    """Add Gaussian noise to the outputs of a pair: the exact privacy profile of the noisy sum.

    Parameters
    ----------
    pair : Pair
        A count of any size and its shift by an integer; or any two laws with at most 2¹⁴ outcomes
        (masses below exp(-800) may be left out).
    scale : float
        Standard deviation of the noise, in [0.01, 10⁵].

    Returns
    -------
    GaussianPair
        Its profile is exact. δ is positive for every finite ε.

    Raises
    ------
    ValueError
        If `scale` is out of its range; on use, if the laws have too many outcomes.
    TypeError
        If `pair` is not a pair of laws of integers, or `scale` not a number.

    Notes
    -----
    For a count one value costs O(√N), and the error of ln δ is below ``1e-9·max(1, |ln δ|)``. Let
    ``d_k = P[S = k - a] - E·P[S = k]``, which changes its sign once, at k₀, and let x be where the
    best event begins. Then

        δ = Σ_k d_k·φ_k·(M_k - M_{k₀}),

    where φ_k is the normal density at ``(x - k)/s`` and M_k Mills' ratio there: since the d_k·φ_k
    sum to 0 at x, a multiple of them may be subtracted, and with this one no term is negative.

    For other laws δ is within ``1e-11·P[A]`` of the truth, where A is the best event, and within
    exp(-700) if outcomes are left out. All points are found at which the ratio of the densities is
    E, except pairs of points between which it exceeds E by a relative 1e-6 or so.

    References
    ----------
    Karlin (1968), Total Positivity: monotone likelihood ratios stay monotone when noise is added.

    Examples
    --------
    >>> from pkdp import counting
    >>> count = counting.pair([0.1], multiplicities=[1000])
    >>> [f"{add(count, s).profile().delta(0.3):.3g}" for s in (1, 10)]
    ['0.000169', '6.66e-07']

    The parity of a sum of records 0 and 2 shows whether 1 was added, unless noise hides it:

    >>> from pkdp.profiles.laws import Finite
    >>> even = Finite.from_dict({0: 0.25, 2: 0.5, 4: 0.25})
    >>> pair = Pair(even.shift(1), even)
    >>> [round(add(pair, s).profile().delta(0.0), 4) for s in (0.1, 0.5, 2)]
    [1.0, 0.4698, 0.1592]
    """
    return GaussianPair(as_instance(pair, "pair", Pair), as_scale(scale))


def as_scale(scale: SupportsFloat) -> float:
    """Return a standard deviation of noise as a float in [0.01, 10⁵]."""
    allowed = f"in [{LEAST_SCALE}, {LARGEST_SCALE:g}]"
    return as_real(scale, "scale", allowed, LEAST_SCALE, LARGEST_SCALE)


def _differences(
    one: FloatArray, other: FloatArray, excess: float
) -> tuple[npt.NDArray[np.bool_], FloatArray]:
    """Return where ``one - e^excess·other`` is positive, and ln of its absolute value."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if excess < _FLOAT_EXPONENT:
            differences = one - math.exp(excess) * other
            return differences > 0.0, np.log(np.abs(differences))
        logs, others = np.log(one), np.log(other) + excess
        higher = np.maximum(logs, others)
        rest = np.where(higher > -math.inf, np.log(-np.expm1(-np.abs(logs - others))), 0.0)
    return logs > others, higher + rest


def _log_excess_of_count(law: PoissonBinomial, step: int, scale: float, eps: float) -> float:
    """Return ln H_E(S + step + Z ‖ S + Z)."""
    tilt, excess = eps / step, 0.0
    most = max(law.largest_loss, 0.0) + _BEYOND
    if tilt > most:
        tilt, excess = most, eps - most * step
    window = law.window(tilt)
    none = np.zeros(step)
    moved, still = np.append(none, window.weights), np.append(window.weights, none)
    gains, log_gains = _differences(moved, still, excess)
    first = int(np.argmax(gains))  # there is none before, and no loss after
    kept = np.flatnonzero(log_gains > -math.inf)
    log_gains = log_gains[kept]
    j = (kept - first).astype(np.float64)
    loses, wins = j < 0.0, j >= 0.0
    bells = log_gains - 0.5 * (j / scale) ** 2
    # Where the best event begins, at x, gains and losses are equal. With x = first + s²·(tilt + θ),
    # all numbers have the size of the result.

    def balance(theta: float) -> float:
        logs = bells + theta * j
        return log_sum(logs[wins]) - log_sum(logs[loses])

    low, high = -1.0, 1.0
    while balance(low) > 0.0:
        low *= 4.0
    while balance(high) < 0.0:
        high *= 4.0
    theta = float(brentq(balance, low, high, xtol=1e-300, rtol=1e-15, maxiter=500))
    at = scale * (tilt + theta)  # x - first, in units of the noise
    if at > 1e8:  # the rest is lost in the rounding of its square
        return -0.5 * at * at
    t = at - j / scale
    mills, reference = _log_mills(t), float(_log_mills(np.array([at]))[0])
    away = j != 0.0
    t, j, mills = t[away], j[away], mills[away]
    apart = np.log(-np.expm1(-np.abs(mills - reference)))
    common = -0.5 * at**2 - _HALF_LOG_2PI
    near = bells[away] + theta * j + np.maximum(mills, reference) + common
    # Far below x the two factors of Φ would cancel.
    far = log_gains[away] - tilt * j + log_ndtr(-t)
    terms = np.where((t < -5.0) & (j > 0.0), far, near) + apart
    outcome = window.start + first
    return min(
        0.0, log_sum(terms) + window.log_scale + tilt * step - tilt * (outcome - window.anchor)
    )


def _log_mills(t: FloatArray) -> FloatArray:
    """Return ln of Mills' ratio Φ(-t)/φ(t), which falls with t."""
    with np.errstate(over="ignore"):
        right = np.log(erfcx(np.maximum(t, -5.0) / math.sqrt(2.0))) + 0.5 * math.log(math.pi / 2.0)
    return np.where(t >= -5.0, right, log_ndtr(-t) + 0.5 * t * t + _HALF_LOG_2PI)


def _roots(
    gain: Callable[[FloatArray], FloatArray],
    old: FloatArray,
    new: FloatArray,
    old_gain: FloatArray,
    new_gain: FloatArray,
) -> FloatArray:
    """Return a root of the gain between each old and new point, by the Illinois method.

    An error of a root changes δ by its square only, so that a gain of 1e-9 is small enough.
    """
    roots, left = new.copy(), np.arange(new.size)
    for _ in range(60):
        if not left.size:
            break
        middle = new - new_gain * (new - old) / (new_gain - old_gain)
        middle_gain = gain(middle)
        changed = (middle_gain > 0.0) != (new_gain > 0.0)
        # An end that stays for the second time counts half.
        old, old_gain = np.where(changed, [new, new_gain], [old, 0.5 * old_gain])
        roots[left] = middle
        inexact = np.abs(middle_gain) > 1e-9
        left, old, old_gain = left[inexact], old[inexact], old_gain[inexact]
        new, new_gain = middle[inexact], middle_gain[inexact]
    return roots


def _settled(outcomes: IntArray, logs: FloatArray, scale: float) -> float:
    """Return a point beyond which the largest outcome has all but 1e-20 of the density."""
    possible = logs > -math.inf
    k, masses = outcomes[possible].astype(np.float64), logs[possible]
    top = int(k.argmax())
    others = np.arange(k.size) != top
    if not others.any():
        return float(k[top])
    reach = (_LOG_LEFT_OUT + masses[others] - masses[top]) * scale**2 / (k[top] - k[others])
    return max(float(k[top]), float(np.max((k[top] + k[others]) / 2.0 + reach)))


def _extremes(values: FloatArray) -> IntArray:
    """Return the indices of inner peaks and troughs, except those due to rounding."""
    noise = 1e-12 * np.maximum(1.0, np.abs(values[1:-1]))
    before, after = values[1:-1] - values[:-2], values[1:-1] - values[2:]
    peak = (np.minimum(before, after) >= 0.0) & (np.maximum(before, after) > noise)
    trough = (np.maximum(before, after) <= 0.0) & (np.minimum(before, after) < -noise)
    return np.flatnonzero(peak | trough) + 1


def _log_density(
    points: FloatArray, outcomes: IntArray, logs: FloatArray, scale: float
) -> FloatArray:
    """Return ln of ``Σ_k masses_k·exp(-(y - k)²/(2s²))`` at increasing points y."""
    possible = logs > -math.inf
    k, masses = outcomes[possible].astype(np.float64), logs[possible]
    result = np.empty_like(points)
    # Points are treated in blocks of neighbours, for which only nearby outcomes matter.
    cells = np.floor(points / (16.0 * max(scale, 1.0)))
    new = np.flatnonzero(np.diff(cells) > 0.0) + 1
    edges = np.concatenate([[0], new, [points.size]])
    for start, stop in itertools.pairwise(edges.tolist()):
        y = points[start:stop]
        centre = float(round((y[0] + y[-1]) / 2.0))
        kept = _near(k, masses, float(y[0]), float(y[-1]), scale)
        x, offsets = y - centre, k[kept] - centre
        terms = masses[kept] - 0.5 * (offsets / scale) ** 2 + x[:, None] * (offsets / scale**2)
        largest = terms.max(axis=1)
        sums = np.exp(terms - largest[:, None]).sum(axis=1)
        result[start:stop] = largest + np.log(sums) - 0.5 * (x / scale) ** 2
    return result


def _near(
    outcomes: FloatArray, logs: FloatArray, low: float, high: float, scale: float
) -> npt.NDArray[np.bool_]:
    """Return which outcomes contribute more than 1e-20 of the density between two points.

    Up to a common factor the logarithm of each contribution is linear in the point. Their maximum
    is convex, so it is below its chord by at most twice as much as in the middle.
    """
    middle = (low + high) / 2.0
    heights = logs - 0.5 * ((outcomes - middle) / scale) ** 2
    slopes = (outcomes - middle) * ((high - low) / 2.0 / scale**2)
    before, after = heights - slopes, heights + slopes
    tops = float(before.max()), float(after.max())
    least = _LOG_LEFT_OUT + sum(tops) - 2.0 * float(heights.max())
    return np.asarray((before >= tops[0] - least) | (after >= tops[1] - least))


def _log_total(
    outcomes: IntArray,
    one: FloatArray,
    other: FloatArray,
    starts: FloatArray,
    stops: FloatArray,
    scale: float,
    eps: float,
) -> float:
    """Return ln of the excess of one law over E times the other, summed over intervals."""
    parts, k = [], outcomes.astype(np.float64)
    for start, stop in zip(starts, stops, strict=True):
        kept = np.full(outcomes.size, True)
        if stop - start < math.inf:
            kept = _near(k, one, start, stop, scale) | _near(k, other, start, stop, scale)
        inside = _log_bell(k[kept], start, stop, scale)
        log_p, log_q = log_sum(one[kept] + inside), eps + log_sum(other[kept] + inside)
        if log_p > log_q:
            parts.append(log_p + math.log(-math.expm1(log_q - log_p)))
    return min(0.0, log_sum(np.array(parts)))


def _log_bell(outcomes: FloatArray, start: float, stop: float, scale: float) -> FloatArray:
    """Return ln P[start < k + Z < stop] for every outcome k."""
    low, high = (start - outcomes) / scale, (stop - outcomes) / scale
    # Intervals on the left are mirrored, so that both tails are small.
    turned = low + high < 0.0
    low, high = np.where(turned, -high, low), np.where(turned, -low, high)
    with np.errstate(divide="ignore"):
        tail = log_ndtr(-low)
        side = tail + np.log(-np.expm1(np.minimum(log_ndtr(-high) - tail, 0.0)))
        across = np.log(np.maximum(1.0 - ndtr(low) - ndtr(-high), 0.0))
    return np.where(low > 0.0, side, across)
