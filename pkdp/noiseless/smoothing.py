"""Fourier smoothing: with Gaussian noise, the variance of a sum of bounded records is enough.

Bounds on moments say nothing about a sum alone: records 0 and 2 have arbitrarily large variance,
and the parity of their sum reveals a 1. With Gaussian noise moments do suffice, as the page on
synergy proves: the Fourier transform of the difference of the densities of S + a + Z and S + Z is
split in two by a ramp. At low frequencies the characteristic function of S is small, because of the
variance; at high ones that of the noise is. The names below are those of the statement there.
"""

from __future__ import annotations

import math
from typing import SupportsFloat

import numpy as np
from scipy.special import ndtr

from pkdp.noiseless.gaussian_noise import as_scale
from pkdp.noiseless.normal_bounds import as_step, as_variance, raised
from pkdp.profiles.closed_forms import log_gaussian
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.profile import Formula, PrivacyProfile, rounded_up

__all__ = ["bound", "total_variation"]

# Possible beginnings of the ramp, as parts of T; Gauss-Legendre nodes of a panel; relative error.
_RAMPS = (0.2, 0.4, 0.55, 0.65, 0.72, 0.78, 0.83, 0.87, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_ERROR = 1e-6
# The noise is negligible beyond this frequency, in units of 1/s.
_LAST = 39.0
# The most zeros of sin and cos at which panels end.
_MOST_TURNS = 4000


def total_variation(
    variance: SupportsFloat,
    width: SupportsFloat,
    *,
    scale: SupportsFloat,
    step: SupportsFloat = 1.0,
) -> float:
    """Bound the total variation distance of S + a + Z and S + Z, for independent records.

    Parameters
    ----------
    variance : float
        The variance σ² of S, in [0, 10¹⁸]. If only a lower bound v is known, reveal records until
        the variance of the others is between v and v + R²/4.
    width : float
        The length R > 0 of an interval that contains a record, the longest one; in 10⁻⁶…10⁹. If
        records depend on each other in independent groups, the sum of a group counts as one
        record.
    scale : float
        The standard deviation s of the noise Z, in [0.01, 10⁵].
    step : float
        The number a by which the target moves the sum; in 10⁻⁶…10⁹. A smaller one may cost more: if
        several are possible, the largest of their bounds holds.

    Returns
    -------
    float
        At most the value for the noise alone, 2Φ(a/2s) - 1, rounded up; at most 1.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range or not a number.

    Notes
    -----
    For large σ this is about 0.7208·a/√(σ² + s²) (a normal law has 0.3989 in place of 0.7208), plus
    a term that falls nearly like ``exp(-2π²s²/R²)``, however large σ is. So does the true value for
    records 0 and R and a step of R/2, however large σ is: see `pkdp.noiseless.parity.gaussian`. The
    integrals are computed by quadrature, and raised by a relative 1e-6.

    References
    ----------
    Not in the paper, which announces bounds that use moments alone.

    Examples
    --------
    >>> round(total_variation(10**6, 2, scale=4), 6)
    0.000721
    >>> [round(total_variation(10**6, 2, scale=s), 4) for s in (0.5, 1, 2)]
    [0.4691, 0.0126, 0.0007]
    """
    spread = as_variance(variance, least=0.0)
    length = as_step(width, "width")
    deviation, move = as_scale(scale), as_step(step)
    alone = float(ndtr(move / (2.0 * deviation)) - ndtr(-move / (2.0 * deviation)))
    last = 2.0 * math.pi / length
    best = min(_with_ramp(spread, length, deviation, move, part * last, last) for part in _RAMPS)
    return min(1.0, alone * (1.0 + 1e-12), best * (1.0 + _ERROR))


def bound(
    variance: SupportsFloat,
    width: SupportsFloat,
    *,
    scale: SupportsFloat,
    step: SupportsFloat = 1.0,
) -> PrivacyProfile:
    """Bound the profile of a sum of independent records with Gaussian noise by its variance.

    Parameters
    ----------
    variance, width, scale, step
        As in `total_variation`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": at every ε the smaller of `total_variation`, the bound at ε = 0, and
        the profile of the noise alone.

    Raises
    ------
    ValueError, TypeError
        As in `total_variation`.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> profile = bound(10**8, 2, scale=4)
    >>> [f"{profile.delta(eps):.2g}" for eps in (0.0, 0.5, 1.5)]
    ['7.2e-05', '7.2e-05', '8.2e-11']
    """
    log_total = math.log(total_variation(variance, width, scale=scale, step=step))
    mu = as_step(step) / as_scale(scale)
    return rounded_up(Formula(_log_bound, log_total, mu), "upper bound")


def _log_bound(log_total: float, mu: float, eps: float) -> float:
    return min(log_total, raised(log_gaussian(mu, eps)))


def _with_ramp(
    variance: float, width: float, scale: float, step: float, first: float, last: float
) -> float:
    """Return the bound of the theorem for a ramp χ that rises between two frequencies."""
    near = np.geomspace(1e-3, 1e3, 61) / math.hypot(math.sqrt(variance), scale)
    turns = np.arange(1, _MOST_TURNS) * (math.pi / step)

    def at(inner: FloatArray, start: float, end: float) -> tuple[FloatArray, ...]:
        """Return nodes, their weights, the ramp and its slope, both waves and the noise."""
        t, weights = _quadrature(np.append(inner, turns), start, end)
        rise = np.clip((t - first) / (last - first), 0.0, 1.0)
        slope = np.where((t > first) & (t < last), 1.0 / (last - first), 0.0)
        return t, weights, rise, slope, *_waves(t, step), np.exp(-0.5 * (scale * t) ** 2)

    inner = np.concatenate([near, last - near, [first], np.linspace(0.0, last, 33)])
    t, weights, rise, slope, sine, cosine, noise = at(inner, 0.0, min(last, _LAST / scale))
    turn = 2.0 * np.sin(t * width / 2.0) ** 2  # c(t)
    records = np.exp(-variance * turn / width**2)
    moving = np.minimum(math.sqrt(variance), variance * t * np.exp(turn / 4.0) * records)
    low = sine * noise * records * (1.0 - rise)
    low_slope = noise * (
        records * (step * cosine * (1.0 - rise) + sine * slope)
        + sine * (moving + scale**2 * t * records) * (1.0 - rise)
    )
    total = math.sqrt(_norm(low, weights) * _norm(low_slope, weights))
    if first * scale < _LAST:
        inner, end = np.append(first + near, last), max(first, last) + _LAST / scale
        t, weights, rise, slope, sine, cosine, noise = at(inner, first, end)
        high = sine * noise * rise
        high_slope = noise * (step * cosine * rise + sine * np.abs(slope - scale**2 * t * rise))
        total += math.sqrt(_norm(high, weights) * _norm(high_slope, weights))
    return 0.5 * total


def _waves(t: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """Return ``2|sin(ta/2)|`` and ``|cos(ta/2)|``, or bounds if panels have too many waves."""
    if t.max() * step > math.pi * (_MOST_TURNS - 1):
        return 2.0 * np.minimum(1.0, t * step / 2.0), np.ones(t.size)
    return 2.0 * np.abs(np.sin(t * step / 2.0)), np.abs(np.cos(t * step / 2.0))


def _quadrature(inner: FloatArray, first: float, last: float) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights for panels that also end at given points."""
    edges = np.unique(np.concatenate([[first, last], inner[(inner > first) & (inner < last)]]))
    more = np.linspace(first, last, 257)
    edges = np.unique(np.concatenate([edges, more]))
    half, middle = np.diff(edges) / 2.0, (edges[1:] + edges[:-1]) / 2.0
    nodes = middle[:, None] + half[:, None] * _NODES
    return nodes.ravel(), (half[:, None] * _WEIGHTS).ravel()


def _norm(values: FloatArray, weights: FloatArray) -> float:
    """Return the norm in L² of an even function given at positive frequencies."""
    return math.sqrt(2.0 * float(weights @ (values * values)))
