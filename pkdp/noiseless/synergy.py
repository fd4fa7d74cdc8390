"""Noise calibration with partial knowledge: the least geometric or Gaussian noise on a count.

The attacker does not know m of the counted bits. These help to hide the target's bit, and noise is
added to hide the rest. More noise hides more, since it is less noise plus independent noise:
variances of normal laws add up; and (1 - pz)/(1 - rz) = 1 + (r - p)(z + rz² + …) has no negative
coefficients for p < r, so geometric noise of ratio r is that of ratio p plus independent noise.
Therefore bisection finds the least amount.
"""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

import numpy as np
from scipy.special import gammaln

from pkdp._bisection import first_passing, least_passing
from pkdp._checks import MOST_RECORDS, as_integer, as_real
from pkdp.noiseless import gaussian_noise
from pkdp.partial_knowledge import counting, noise
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.pairs import AnyPair, Pair

__all__ = [
    "deviation_of_shares",
    "geometric_deviation",
    "geometric_ratio",
    "least_gaussian",
    "least_geometric",
    "least_records",
    "share_masses",
]

# Relative width of the search; and the margin of ln δ, a part of max(1, |ln δ|), which is more than
# the error of profiles.
_TOLERANCE, _MARGIN = 1e-9, 2e-9

_LEAST_RATIO, _MOST_OUTCOMES = 1e-12, 10**6
_MOST_UNKNOWN = 10**9


def least_geometric(
    m: SupportsIndex, p: SupportsFloat, eps: SupportsFloat, delta: SupportsFloat
) -> float:
    """Find the least geometric noise that makes a count with m unknown bits (ε, δ)-private.

    Parameters
    ----------
    m : int
        Number of other bits that the attacker does not know, independent of each other and of the
        target's; in 0…10⁹.
    p : float
        Probability in [0, 1] that such a bit is 1.
    eps : float
        ε in [10⁻⁶, 100].
    delta : float
        δ in [10⁻³⁰⁰, 1].

    Returns
    -------
    float
        The standard deviation of the noise, rounded up by at most a relative 1e-7; 0 if none is
        needed, and otherwise at least 1.4e-6.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range, or of the wrong kind.

    Notes
    -----
    About 40 profiles are evaluated, in milliseconds each.

    References
    ----------
    Not in the part of the paper available to us, which announces a Theorem 6 about this.

    Examples
    --------
    Unknown bits save almost no noise until none is needed:

    >>> [round(least_geometric(m, 0.1, 0.3, 1e-6), 2) for m in (0, 1000, 2000, 2500)]
    [4.7, 4.55, 2.99, 0.0]
    """
    count, eps, log_delta = _checked(m, p, eps, delta)
    if _enough(count, eps, log_delta):
        return 0.0

    def enough(rate: float) -> bool:
        # rate is -ln(1 - r), which tells ratios near 1 apart.
        return _enough(noise.add(count, noise.Geometric(-math.expm1(-rate))), eps, log_delta)

    # From the ratio e^{-ε} on δ is 0.
    most = -math.log(-math.expm1(-eps)) * (1.0 + 1e-9) + 1e-9
    rate = least_passing(_LEAST_RATIO, most, enough, _TOLERANCE)
    return geometric_deviation(-math.expm1(-rate)) * (1.0 + _TOLERANCE)


def least_gaussian(
    m: SupportsIndex, p: SupportsFloat, eps: SupportsFloat, delta: SupportsFloat
) -> float:
    """Find the least Gaussian noise that makes a count with m unknown bits (ε, δ)-private.

    Parameters
    ----------
    m, p, eps, delta
        As in `least_geometric`; δ is at least 10⁻¹⁰⁰ here.

    Returns
    -------
    float
        The standard deviation of the noise, rounded up by at most a relative 1e-7; 0 if none is
        needed, and otherwise at least 0.01.

    Raises
    ------
    ValueError, TypeError
        As in `least_geometric`; ValueError also if more than 10⁵ is needed.

    References
    ----------
    Not in the part of the paper available to us.

    Examples
    --------
    Geometric noise alone, of deviation 4.70, is less than Gaussian noise with a thousand bits:

    >>> [round(least_gaussian(m, 0.1, 0.3, 1e-6), 2) for m in (0, 1000, 2000, 2500)]
    [12.99, 9.61, 3.97, 0.0]
    """
    count, eps, log_delta = _checked(m, p, eps, delta)
    if _enough(count, eps, log_delta):
        return 0.0

    def enough(scale: float) -> bool:
        return _enough(gaussian_noise.add(count, scale), eps, log_delta)

    low, high = gaussian_noise.LEAST_SCALE, gaussian_noise.LARGEST_SCALE
    if enough(low):
        return low
    if not enough(high):
        raise ValueError(
            f"delta must be one for which noise of at most {high:g} is enough at eps = {eps!r}, "
            f"got {delta!r}"
        )
    return least_passing(low, high, enough, _TOLERANCE)


def least_records(p: SupportsFloat, eps: SupportsFloat, delta: SupportsFloat) -> int:
    """Find the least number of unknown bits of probability p that make a count (ε, δ)-private.

    Parameters
    ----------
    p, eps, delta
        As in `least_geometric`.

    Returns
    -------
    int
        The least m for which `least_geometric` is 0, that is, no noise is needed. More bits need
        none either, since their sum is that of m bits plus independent bits.

    Raises
    ------
    ValueError, TypeError
        As in `least_geometric`; ValueError also if 10⁹ are not enough.

    References
    ----------
    Not in the part of the paper available to us.

    Examples
    --------
    >>> least_records(0.1, 0.3, 1e-6)
    2206
    """
    high = 0
    while not _enough(*_checked(high, p, eps, delta)):
        if high == _MOST_UNKNOWN:
            raise ValueError(
                f"p must be one for which {_MOST_UNKNOWN} unknown bits are enough at eps = {eps!r} "
                f"and delta = {delta!r}, got {p!r}"
            )
        high = min(max(1, 4 * high), _MOST_UNKNOWN)
    return first_passing(high // 4, high, lambda m: _enough(*_checked(m, p, eps, delta)))


def geometric_ratio(deviation: SupportsFloat) -> float:
    """Return the ratio of the two-sided geometric noise of a standard deviation.

    Parameters
    ----------
    deviation : float
        In [10⁻⁶, 10⁷].

    Returns
    -------
    float
        ``d²/(d² + 1 + √(2d² + 1))``, the inverse of `geometric_deviation`.

    Raises
    ------
    ValueError, TypeError
        If the argument is outside its range or not a number.

    Examples
    --------
    >>> geometric_ratio(2)
    0.5
    """
    return ratio_of(as_real(deviation, "deviation", "in [1e-6, 1e7]", 1e-6, 1e7))


def ratio_of(deviation: float) -> float:
    """Return `geometric_ratio` of any number ≥ 0; for very large ones it rounds to 1."""
    square = deviation * deviation
    return square / (square + 1.0 + math.sqrt(2.0 * square + 1.0))


def geometric_deviation(p: SupportsFloat) -> float:
    """Return the standard deviation of two-sided geometric noise, √(2p)/(1 - p).

    Parameters
    ----------
    p : float
        The ratio, in [0, 1).

    Examples
    --------
    >>> geometric_deviation(0.5)
    2.0
    """
    ratio = _as_ratio(p)
    return math.sqrt(2.0 * ratio) / (1.0 - ratio)


def share_masses(p: SupportsFloat, users: SupportsIndex, *, most: SupportsIndex) -> FloatArray:
    """Return the masses of half a user's share of geometric noise: the Pólya distribution.

    A share is the difference of two independent numbers of this law, whose generating function is
    ``((1 - p)/(1 - pz))^{1/n}``. The sum of n shares has that of two-sided geometric noise,
    ``(1 - p)²/((1 - pz)(1 - p/z))``, and is as private if only the sum is seen.

    Parameters
    ----------
    p : float
        The ratio of the noise, in [0, 1).
    users : int
        n ≥ 1, the number of users who share it.
    most : int
        The largest outcome listed, in 0…10⁶.

    Returns
    -------
    ndarray, shape (most + 1,)
        ``Γ(k + 1/n)/(Γ(1/n)·k!)·(1 - p)^{1/n}·p^k``.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range, or of the wrong kind.

    References
    ----------
    Goryczka and Xiong (2017), for sums of integers masked by their users.

    Examples
    --------
    >>> share_masses(0.5, 2, most=3).round(6).tolist()
    [0.707107, 0.176777, 0.066291, 0.027621]
    >>> np.convolve(*[share_masses(0.5, 2, most=3)] * 2)[:4].round(6).tolist()
    [0.5, 0.25, 0.125, 0.0625]
    """
    ratio = _as_ratio(p)
    part = 1.0 / as_integer(users, "users", 1, MOST_RECORDS)
    k = np.arange(as_integer(most, "most", 0, _MOST_OUTCOMES) + 1)
    if ratio == 0.0:
        return np.where(k == 0, 1.0, 0.0)
    logs = gammaln(k + part) - gammaln(part) - gammaln(k + 1.0)
    return np.asarray(np.exp(logs + part * math.log1p(-ratio) + k * math.log(ratio)))


def deviation_of_shares(p: SupportsFloat, *, compromised: SupportsFloat = 0.0) -> float:
    """Return the standard deviation of the total of all shares if the attacker knows some of them.

    So that the other shares make up noise of ratio p, each user adds a share for (1 - γ)n users;
    all n shares have the variance ``2p/(1 - p)²/(1 - γ)``, for every n. (If each user's message is
    seen, the total needs a deviation of order √n.)

    Parameters
    ----------
    p : float
        The ratio, in [0, 1).
    compromised : float
        The fraction γ in [0, 1) of users whose shares the attacker knows.

    Returns
    -------
    float
        The standard deviation.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range or not a number.

    Examples
    --------
    >>> deviation_of_shares(0.5), deviation_of_shares(0.5, compromised=0.75)
    (2.0, 4.0)
    """
    share = as_real(compromised, "compromised", "in [0, 1)", 0.0, 1.0, without=(1.0,))
    return geometric_deviation(p) / math.sqrt(1.0 - share)


def _as_ratio(p: SupportsFloat) -> float:
    return as_real(p, "p", "in [0, 1)", 0.0, 1.0, without=(1.0,))


def _checked(
    m: SupportsIndex, p: SupportsFloat, eps: SupportsFloat, delta: SupportsFloat
) -> tuple[Pair, float, float]:
    """Return the pair of a count with m unknown bits, ε and ln δ."""
    records = as_integer(m, "m", 0, _MOST_UNKNOWN)
    chance = as_real(p, "p", "in [0, 1]", 0.0, 1.0)
    return (
        counting.pair([chance], multiplicities=[records]),
        as_real(eps, "eps", "in [1e-6, 100]", 1e-6, 100.0),
        math.log(as_real(delta, "delta", "in [1e-300, 1]", 1e-300, 1.0)),
    )


def _enough(pair: AnyPair, eps: float, log_delta: float) -> bool:
    found = -math.inf if log_delta == 0.0 else pair.profile().log_delta(eps)
    return found <= log_delta - _MARGIN * max(1.0, -log_delta)
