"""Counts released day after day about many people alike: the privacy profile of a whole series.

Records are independent Markov chains of bits with the same transitions (`MarkovChain`), and the
counts of all days are released. The secret is the target's series, a or b. `pkdp.daily_counts`
bounds the loss of all days by the losses of each; this module computes it: from both sides for some
hundred records (`bracket`), from above for more (`moment_bound`), and in the limit
(`gaussian_limit`). While ε is small, it grows like the square root of the number of days.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_instance, as_integer, as_real, as_several, unknown_records
from pkdp.partial_knowledge._markov_counts import (
    MOST_DAYS,
    CellsMerged,
    LossesSplit,
    MarkovChain,
    Moments,
    Windows,
)
from pkdp.profiles import closed_forms
from pkdp.profiles.privacy_loss import Bracket
from pkdp.profiles.profile import (
    Formula,
    PrivacyProfile,
    Release,
    harmless,
    largest,
    rounded_up,
    vacuous,
)

__all__ = [
    "MarkovChain",
    "bracket",
    "gaussian_limit",
    "gaussian_signal",
    "moment_bound",
]


def _as_secrets(chain: MarkovChain, a: Sequence[int], b: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return a - b, the difference of two series of bits, equally long, of records of a chain."""
    as_instance(chain, "chain", MarkovChain)
    for name, secret in (("a", a), ("b", b)):
        if not all(x in (0, 1) for x in as_several(secret, name, "bits")):
            raise ValueError(f"{name} must be a sequence of 0s and 1s, got {secret!r}")
    if len(a) != len(b) or not 1 <= len(a) <= MOST_DAYS:
        raise ValueError(
            f"a and b must have equally many days, 1…{MOST_DAYS}, got {len(a)} and {len(b)}"
        )
    return np.array([int(x) - int(y) for x, y in zip(a, b, strict=True)], dtype=np.int64)


# Of other records that are unknown, for `bracket` and for `moment_bound`.
_MOST_FEW, _MOST_MANY = 1000, 200_000


def gaussian_signal(chain: MarkovChain, *, a: Sequence[int], b: Sequence[int]) -> float:
    """Return N·µ² of the Gaussian mechanism that the series of counts tends to as N grows.

    With Σ the covariance matrix of one record's series and d = a - b that is dᵀΣ⁻¹d. Since the
    expected value of a day is linear in the day before it is a sum over days,

        d_1²/(p_1(1-p_1)) + Σ_j (d_{j+1} - ρ·d_j)²/w_j,

    ρ the chain's `correlation`, w_j the mean variance of day j + 1 given day j.

    Parameters
    ----------
    chain : MarkovChain
    a, b : sequence of 0 and 1, length k
        The target's series under the two secrets.

    Returns
    -------
    float
        ≥ 0.

    Raises
    ------
    ValueError
        If a series holds anything else, or they differ in length.
    TypeError
        If `chain` is no `MarkovChain`.

    Examples
    --------
    >>> round(gaussian_signal(MarkovChain.stationary(0.5, 0.0), a=(1, 1, 1), b=(0, 0, 0)), 12)
    12.0
    """
    d = _as_secrets(chain, a, b).astype(np.float64)
    p = chain.marginals(d.size)
    variances = p * chain.stay * chain.fall + (1.0 - p) * chain.rise * chain.rest
    # d_{j+1} - ρ·d_j, with the digits of 1 - ρ or 1 + ρ where |ρ| is near 1.
    if chain.correlation > 0.0:
        moved = d[1:] - d[:-1] + (chain.fall + chain.rise) * d[:-1]
    else:
        moved = d[1:] + d[:-1] - (chain.stay + chain.rest) * d[:-1]
    return float(d[0] ** 2 / (p[0] * (1.0 - p[0])) + (moved**2 / variances[:-1]).sum())


def gaussian_limit(
    n: SupportsIndex,
    chain: MarkovChain,
    *,
    a: Sequence[int],
    b: Sequence[int],
    known: SupportsIndex = 0,
) -> PrivacyProfile:
    """Return the limit of the whole series' profile for many records: a Gaussian mechanism's.

    Parameters
    ----------
    n : int
        Number of records, the target's included, at least 2.
    chain, a, b
        As in `gaussian_signal`.
    known : int
        How many of the others the attacker knows; she knows no day of the rest.

    Returns
    -------
    PrivacyProfile
        Status "approximation", with µ² = `gaussian_signal`/N; on neither side of the truth.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `chain` is no `MarkovChain`, or a number something else.

    Examples
    --------
    >>> chain = MarkovChain.stationary(0.5, 0.2)
    >>> profile = gaussian_limit(10_001, chain, a=(1, 0) * 15, b=(0, 1) * 15)
    >>> round(profile.epsilon(1e-6), 4)
    0.5403
    """
    signal, unknown = gaussian_signal(chain, a=a, b=b), unknown_records(n, known)
    if unknown == 0 and signal:
        return vacuous("approximation")
    if not signal:
        return harmless("approximation")
    return closed_forms.gaussian(math.sqrt(signal / unknown))


def bracket(
    n: SupportsIndex,
    chain: MarkovChain,
    *,
    a: Sequence[int],
    b: Sequence[int],
    known: SupportsIndex = 0,
    step: SupportsFloat | None = None,
) -> Bracket:
    """Return the privacy profile of the whole series of counts, from below and from above.

    The pair (today's count of the others, the privacy loss so far) is followed through the days.
    Its loss is kept on a grid. Above, a loss is split between the two points around it so that the
    masses under both secrets stay; below, the outputs of one cell are merged. Both errors are
    quadratic in the step.

    Parameters
    ----------
    n : int
        Number of records, the target's included, of which up to 1000 others are unknown; all
        others have the law of `chain`.
    chain : MarkovChain
    a, b : sequence of 0 and 1, length k
        The target's series under the two secrets.
    known : int
        How many of the others the attacker knows; she knows no day of the rest.
    step : float, optional
        Distance of the points of the grid, in [1e-6, 1].

    Returns
    -------
    Bracket
        Two profiles. The upper is never below 1e-17 or so, and the lower is 0 where the truth is
        much less than that.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `chain` is no `MarkovChain`, or a number something else.

    Notes
    -----
    Days cost O(N·√N) operations on arrays as long as the grid is: for N = 100 and a month a second
    or less for each of the two profiles, for a year tens of seconds, for the first value.

    References
    ----------
    Not in the paper. Losses are split as in `pkdp.privacy_loss`.

    Examples
    --------
    >>> chain = MarkovChain.stationary(0.5, 0.5)
    >>> lower, upper = bracket(21, chain, a=(1, 0, 1), b=(0, 1, 0))
    >>> [round(curve.delta(1.0), 3) for curve in (lower, upper)]
    [0.196, 0.196]
    """
    shift, unknown = _as_secrets(chain, a, b), unknown_records(n, known)
    as_integer(unknown, "n - 1 - known", 0, _MOST_FEW)
    if not shift.any():
        return Bracket(harmless("lower bound"), harmless("upper bound"))
    if unknown == 0:
        return Bracket(vacuous("lower bound"), vacuous("upper bound"))
    if step is None:
        spread = math.sqrt(gaussian_signal(chain, a=a, b=b) / unknown / np.count_nonzero(shift))
        width = min(1.0, max(1e-6, spread / 8.0))
    else:
        width = as_real(step, "step", "in [1e-6, 1]", 1e-6, 1.0)
    lower, upper = (
        _Followed(kind, unknown, chain, tuple(shift.tolist()), width)
        for kind in (CellsMerged, LossesSplit)
    )
    return Bracket(
        PrivacyProfile(lower, "lower bound", error=1e-9, costly=True),
        PrivacyProfile(upper, "upper bound", error=1e-9, rounded_up=True, costly=True),
    )


@dataclass(frozen=True)
class _Followed(Release):
    """ln δ from one side; the days are followed once, for the first value."""

    kind: type[CellsMerged | LossesSplit]
    unknown: int
    chain: MarkovChain
    shift: tuple[int, ...]
    step: float

    @functools.cached_property
    def _ways(self) -> list[CellsMerged | LossesSplit]:
        shifts = _directions(self.chain, np.array(self.shift, dtype=np.int64))
        return [self.kind(self.unknown, self.chain, shift, self.step) for shift in shifts]

    def log_delta(self, eps: float) -> float:
        return max(way.log_delta(eps) for way in self._ways)


def moment_bound(
    n: SupportsIndex,
    chain: MarkovChain,
    *,
    a: Sequence[int],
    b: Sequence[int],
    known: SupportsIndex = 0,
) -> PrivacyProfile:
    """Return an upper bound for many records and days, by moments of the privacy loss L.

    The moment ``E[exp(t·L)]`` is followed through the days, in windows around the mean counts. Of
    the outputs in the windows no more than

        min over t > 0 of t^t/(1+t)^{1+t}·E[exp(t·(L - ε)); all counts in the windows]

    is left of δ, and all others count as if they gave the secret away.

    Parameters
    ----------
    n : int
        Number of records, the target's included, of which up to 200 000 others are unknown; all
        others have the law of `chain`.
    chain : MarkovChain
    a, b : sequence of 0 and 1, length k
        The target's series under the two secrets, for up to 4000 days.
    known : int
        How many of the others the attacker knows; she knows no day of the rest.

    Returns
    -------
    PrivacyProfile
        Status "upper bound". δ is never below k·1e-18 or so, and is a factor of some tens above
        the truth, so that ε is up to a tenth too large.

    Raises
    ------
    ValueError
        If an argument lies outside its range; or if there are so many records whose probability of
        a 1 starts so far from its limit that what is followed would not fit memory: never for
        N ≤ 10⁴, nor for stationary days.
    TypeError
        If `chain` is no `MarkovChain`, or a number something else.

    Notes
    -----
    A table of O(N) transition probabilities is made once, and more of them while the probability of
    a 1 goes from its start to its limit. A moment then costs O(N) for each day that is followed:
    until the pattern of a - b repeats and the effect of its beginning has worn off, some 40 days
    where days have a correlation of ½. For N = 10⁴ an ε costs a second or a few, and half a
    gigabyte at most; for N = 10⁵ half a minute.

    References
    ----------
    Not in the paper. It takes the place of Theorem 6, whose ε grows with the number of days; this
    one grows with its square root while it is small.

    Examples
    --------
    A hundred days; the limit for many records is an approximation:

    >>> n, chain, on, off = 2001, MarkovChain.stationary(0.5, 0.5), (1, 0) * 50, (0, 1) * 50
    >>> bound, limit = moment_bound(n, chain, a=on, b=off), gaussian_limit(n, chain, a=on, b=off)
    >>> [round(profile.epsilon(1e-6), 3) for profile in (bound, limit)]
    [3.908, 3.649]
    """
    shift, unknown = _as_secrets(chain, a, b), unknown_records(n, known)
    as_integer(unknown, "n - 1 - known", 0, _MOST_MANY)
    if not shift.any():
        return harmless("upper bound")
    if unknown == 0:
        return vacuous("upper bound")
    Windows(unknown, chain, shift.size)  # refuses what would not fit memory
    scale = math.sqrt(unknown / gaussian_signal(chain, a=a, b=b))
    sides = tuple(
        _MomentSide(unknown, chain, tuple(d.tolist()), scale) for d in _directions(chain, shift)
    )
    return replace(rounded_up(Formula(largest, sides), "upper bound"), costly=True)


def _directions(chain: MarkovChain, shift: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """Return a - b and b - a, or only one of them if exchanging 0 and 1 turns it round."""
    mirrored = chain.start == 0.5 and chain.rise == chain.fall
    return [shift] if mirrored else [shift, -shift]


@dataclass(frozen=True)
class _MomentSide(Release):
    """The bound of δ in one direction, from moments at t = scale·1.1^i, each computed once."""

    unknown: int
    chain: MarkovChain
    shift: tuple[int, ...]
    scale: float

    @functools.cached_property
    def _moments(self) -> Moments:
        return Moments(self.unknown, self.chain, np.array(self.shift, dtype=np.int64))

    @functools.cached_property
    def _known(self) -> dict[int, float]:
        return {}

    def log_delta(self, eps: float) -> float:
        """Return the logarithm of the bound at an ε in [0, inf]."""
        left_out = self._moments.log_left_out
        if math.isinf(eps):
            return left_out
        # The exponent is convex in t; in the Gaussian limit it is least near t = ε·scale² - ½.
        t = max(0.1, eps * self.scale - 0.5 / self.scale)
        i = min(_MOST_STEPS, max(_LEAST_STEPS, round(math.log(t) / math.log(_FACTOR))))
        value = self._exponent(i, eps)
        for step in (1, -1):
            while _LEAST_STEPS <= i + step <= _MOST_STEPS:
                next_value = self._exponent(i + step, eps)
                if next_value >= value:
                    break
                i, value = i + step, next_value
        return min(0.0, float(np.logaddexp(value, left_out)))

    def _exponent(self, i: int, eps: float) -> float:
        t = self.scale * _FACTOR**i
        if i not in self._known:
            self._known[i] = self._moments.log_moment(t)
        return self._known[i] - t * eps + t * math.log(t) - (1.0 + t) * math.log1p(t)


_FACTOR, _LEAST_STEPS, _MOST_STEPS = 1.1, -24, 28
