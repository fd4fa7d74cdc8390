"""Binomial probabilities in logarithms: masses and tails, to full relative accuracy."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import xlog1py, xlogy

from pkdp._checks import MOST_LISTED, as_integer, as_real
from pkdp.profiles import _fourier
from pkdp.profiles.logarithms import (
    FloatArray,
    IntArray,
    deviance,
    log_rest,
    log_sum,
    stirling_error,
)

__all__ = [
    "binomial_masses",
    "log_binomial_cdf",
    "log_binomial_pmf",
    "log_binomial_tail",
]

# A window reaches this many standard deviations from the tilted mean, and a little more for laws
# so narrow that the standard deviation says nothing about their (Poisson-like) tail. What lies
# outside is below 1e-20 of the tilted mass, three orders below the rounding of what lies inside.
_REACH, _MARGIN = 9.5, 40


def log_binomial_pmf(k: npt.ArrayLike, n: npt.ArrayLike, p: float) -> FloatArray:
    """Return ``ln P[X = k]`` for X binomial, to full relative accuracy, also in deep tails.

    Parameters
    ----------
    k : array_like of int
        Outcomes; those outside 0…n have probability 0.
    n : array_like of int
        Numbers of trials ≥ 0, of a shape that broadcasts with that of `k`.
    p : float
        Success probability, in [0, 1].

    Returns
    -------
    ndarray
        Of the broadcast shape.

    References
    ----------
    Loader (2000): Stirling's formula with its error, and the deviance in a form that does not
    cancel.

    Examples
    --------
    >>> np.exp(log_binomial_pmf([0, 1, 2, 3], 2, 0.5)).round(12).tolist()
    [0.25, 0.5, 0.25, 0.0]
    >>> round(float(log_binomial_pmf(10**6, 10**7, 0.001)), 6)
    -3665937.822084
    """
    outcomes, trials = np.broadcast_arrays(np.asarray(k, np.int64), np.asarray(n, np.int64))
    rest = trials - outcomes
    logs = np.full(outcomes.shape, -math.inf)
    inner = (outcomes > 0) & (rest > 0)
    if not inner.all():
        none, all_of_them = outcomes == 0, rest == 0
        logs[none] = xlog1py(trials[none], -p)
        logs[all_of_them] = xlogy(trials[all_of_them], p)
    if 0.0 < p < 1.0 and inner.any():
        x, y, t = outcomes[inner], rest[inner], trials[inner].astype(np.float64)
        # Beyond a fair coin failures are counted: 1-p is exact there, and the smaller of the two.
        excess = _minus_product(x, t, p) if p <= 0.5 else -_minus_product(y, t, 1.0 - p)
        divergence = deviance(x, -excess, t * p) + deviance(y, excess, t * (1.0 - p))
        corrections = stirling_error(trials[inner]) - stirling_error(x) - stirling_error(y)
        logs[inner] = corrections - divergence - 0.5 * np.log(2.0 * math.pi * x * (y / t))
    return logs


def binomial_masses(trials: int, probability: float) -> FloatArray:
    """Return the masses of 0…trials, of which those of deep tails may be 0.

    Examples
    --------
    >>> binomial_masses(2, 0.5).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    number = as_integer(trials, "trials", 0, MOST_LISTED)
    success = as_real(probability, "probability", "in [0, 1]", 0.0, 1.0)
    return np.exp(log_binomial_pmf(np.arange(number + 1), number, success))


def _minus_product(x: IntArray, t: FloatArray, p: float) -> FloatArray:
    """Return ``x - t·p`` without the rounding of the product, which grows with t."""
    products, lacking = _fourier.two_products(t, np.asarray(p))
    return np.asarray((x - products) - lacking)


def log_binomial_tail(k: int, n: int, p: float) -> float:
    """Return ``ln P[X ≥ k]`` for X binomial, to full relative accuracy, also in deep tails.

    Parameters
    ----------
    k : int
        Any integer.
    n : int
        Number of trials ≥ 0.
    p : float
        Success probability, in [0, 1].

    Examples
    --------
    >>> round(math.exp(log_binomial_tail(2, 3, 0.5)), 12)
    0.5
    >>> round(log_binomial_tail(10**5, 10**7, 0.001), 6)
    -140671.70367
    """
    if k <= 0 or k > n:
        return 0.0 if k <= 0 else -math.inf
    return _log_tail(k, n, p) if k > n * p else log_rest(log_binomial_cdf(k - 1, n, p))


def log_binomial_cdf(k: int, n: int, p: float) -> float:
    """Return ``ln P[X ≤ k]`` for X binomial; see `log_binomial_tail`.

    Examples
    --------
    >>> round(math.exp(log_binomial_cdf(1, 3, 0.5)), 12)
    0.5
    """
    if k < 0 or k >= n:
        return 0.0 if k >= n else -math.inf
    return log_rest(_log_tail(k + 1, n, p)) if k >= n * p else _log_tail(k, n, p, -1)


def _log_tail(k: int, n: int, p: float, side: int = 1) -> float:
    """Return ln of the mass from k on (side 1) or up to k (side -1), k being in that tail.

    There masses fall at least as fast as from the mean of the law tilted towards k.
    """
    last = min(max(k + side * reach_of(k * ((n - k) / n)), 0), n)
    masses = log_binomial_pmf(np.arange(min(k, last), max(k, last) + 1), n, p)
    return min(0.0, log_sum(masses))


def reach_of(variance: float) -> int:
    """Return how far from its mean a count of this variance has mass that matters, or more."""
    return int(_REACH * math.sqrt(variance)) + _MARGIN
