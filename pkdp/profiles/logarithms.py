"""Sums, rests and entropies in logarithms, to full relative accuracy however small they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit

__all__ = [
    "FloatArray",
    "IntArray",
    "decayed_sums",
    "deviance",
    "log_expm1",
    "log_mgf_of_bit",
    "log_positive",
    "log_rest",
    "log_sum",
    "relative_entropy_of_tilt",
    "stirling_error",
    "x_minus_log1p",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def log_positive(values: npt.ArrayLike) -> FloatArray:
    """Return natural logarithms of positive values; -inf for others.

    Examples
    --------
    >>> log_positive([1.0, 0.0]).tolist()
    [0.0, -inf]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(values, 0.0)))


def log_sum(logs: npt.NDArray[np.floating[Any]]) -> float:
    """Return the logarithm of a sum, given the logarithms of its terms; -inf for none.

    As exact as scipy's ``logsumexp``, which takes a tenth of a millisecond for whatever it is given
    and would be most of what a value of a profile costs.

    Examples
    --------
    >>> round(math.exp(log_sum(np.log([0.5, 0.25]))), 12), log_sum(np.array([-1e6, -math.inf]))
    (0.75, -1000000.0)
    """
    if not logs.size:
        return -math.inf
    at = int(logs.argmax())
    largest = float(logs[at])
    if largest == -math.inf:
        return -math.inf
    rest = np.exp(logs - largest)
    rest[at] = 0.0
    return largest + math.log1p(float(rest.sum()))


def decayed_sums(values: FloatArray, log_ratio: float) -> FloatArray:
    """Return ``v_k = Σ_{j ≤ k} ratio^(k-j)·values_j`` for every k, for a ratio of at most 1.

    Runs of 1, 2, 4, … terms are joined pairwise, so that rounding adds up over O(log n) sums only,
    however slowly the terms decay.

    Examples
    --------
    >>> decayed_sums(np.array([1.0, 0.0, 0.0, 1.0]), math.log(0.5)).round(12).tolist()
    [1.0, 0.5, 0.25, 1.125]
    """
    sums = values.copy()
    run = 1
    while run < sums.size and run * log_ratio > -750.0:  # beyond, the power is 0
        sums[run:] += math.exp(run * log_ratio) * sums[:-run]
        run *= 2
    return sums


def log_rest(log_mass: float) -> float:
    """Return ``ln(1 - mass)``, given ln mass, to full relative accuracy; -inf for a mass of 1.

    Examples
    --------
    >>> log_rest(-1e-20), log_rest(-50.0)
    (-46.051701859880914, -1.9287498479639178e-22)
    """
    if log_mass >= 0.0:
        return -math.inf
    if log_mass > -math.log(2.0):
        return math.log(-math.expm1(log_mass))
    return math.log1p(-math.exp(log_mass))


def log_expm1(eps: float) -> float:
    """Return ``ln(e^ε - 1)`` for an ε ≥ 0.

    Examples
    --------
    >>> log_expm1(1e-20), log_expm1(1e6)
    (-46.051701859880914, 1000000.0)
    """
    return eps + math.log(-math.expm1(-eps)) if eps > 0.0 else -math.inf


# ``ln k! - ln(√(2πk)·(k/e)^k)`` for k = 0…15; that of 0 is not used.
_STIRLING = np.array(
    [
        0.0,
        *(
            math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - math.log(2 * math.pi) / 2
            for k in range(1, 16)
        ),
    ]
)


def stirling_error(k: IntArray) -> FloatArray:
    """Return the error of Stirling's formula, ``ln k! - ln(√(2πk)·(k/e)^k)``, for k ≥ 1."""
    x = np.maximum(k, 16).astype(np.float64)
    y = 1.0 / (x * x)
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
    small = k < 16
    if not small.any():
        return np.asarray(series)
    return np.where(small, _STIRLING[np.minimum(k, 15)], series)


# 1/3, 1/5, …, 1/29: coefficients of artanh(r)/r - 1 as a polynomial in r², which ends there.
_ARTANH = 1.0 / np.arange(3, 30, 2)
_POWERS = np.arange(1, _ARTANH.size + 1)
# Of fewer numbers all powers are listed, as numpy's per-call overhead dominates.
_FEW = 128


def _artanh_over_r_less_1(square: FloatArray) -> FloatArray:
    """Return ``r²/3 + r⁴/5 + …``, given r² ≤ 1/9."""
    if square.size < _FEW:
        return np.asarray(square[..., None] ** _POWERS @ _ARTANH)
    series = np.zeros_like(square)
    for coefficient in _ARTANH[::-1]:
        series += coefficient
        series *= square
    return series


def x_minus_log1p(x: FloatArray) -> FloatArray:
    """Return ``x - ln(1 + x)`` for x > -1, without cancellation near 0.

    With r = x/(2+x), ln(1+x) = 2·artanh r and x = 2r/(1-r), so the difference is
    ``2r²/(1-r) - 2(r³/3 + r⁵/5 + …)``.
    """
    small = np.abs(x) < 0.5
    only_small = small.all()
    r = (x if only_small else np.where(small, x, 0.0)) / (2.0 + x)
    square = np.asarray(r * r)
    near = 2.0 * (square / (1.0 - r) - r * _artanh_over_r_less_1(square))
    return np.asarray(near if only_small else np.where(small, near, x - np.log1p(x)))


def deviance(k: npt.NDArray[Any], excess: FloatArray, mean: FloatArray) -> FloatArray:
    """Return ``mean - k - k·ln(mean/k)`` for positive k, given the excess ``mean - k``.

    Examples
    --------
    >>> deviance(np.array([2.0]), np.array([-1.0]), np.array([1.0])).round(12).tolist()
    [0.38629436112]
    """
    x = excess / k
    near = np.abs(x) < 0.5
    far = excess - k * (np.log(mean) - np.log(k))
    return np.where(near, k * x_minus_log1p(np.where(near, x, 0.0)), far)


def log_mgf_of_bit(logits: FloatArray, tilt: float) -> FloatArray:
    """Return ``ln(1 - p + p·exp(tilt))`` for bits with the given log-odds."""
    if abs(tilt) < 1.0:
        return np.asarray(np.log1p(expit(logits) * np.expm1(tilt)))
    return np.asarray(log_expit(-logits) - log_expit(-logits - tilt))


def relative_entropy_of_tilt(logits: npt.ArrayLike, tilt: float) -> FloatArray:
    """Return KL(q‖p) for bits of log-odds `logits` (p) and ``logits + tilt`` (q).

    This is the exponent of every tail in the book, so it is computed to full relative accuracy,
    also for tilts so small that q and p agree to nearly all digits.
    """
    log_odds = np.asarray(logits, dtype=np.float64)
    # KL is unchanged when success and failure swap names; with p ≤ 1/2 nothing cancels.
    tilts: FloatArray = np.where(log_odds > 0, -tilt, tilt).astype(np.float64)
    before: FloatArray = -np.abs(log_odds)
    after: FloatArray = before + tilts
    q, not_q = expit(after), expit(-after)
    if abs(tilt) < 0.5:
        # p/q - 1 and (1-p)/(1-q) - 1, from which KL is a sum of two positive terms.
        success, failure = expit(-before) * np.expm1(-tilts), expit(before) * np.expm1(tilts)
        of_success, of_failure = x_minus_log1p(np.array([success, failure]))
        return np.asarray(q * of_success + not_q * of_failure)
    # Beyond a fair bit the tilt is taken from the failures, so that nothing of its size cancels;
    # and it is kept finite, as an infinite one times a probability of 0 would be no number.
    tilts = np.clip(tilts, -1e308, 1e308)
    from_success = tilts * q - (log_expit(-before) - log_expit(-after))
    from_failure = log_expit(after) - log_expit(before) - tilts * not_q
    return np.asarray(np.where(after > 0.0, from_failure, from_success))
