"""Lower bounds for additive noise: a sum of even records, to which an odd one may be added.

Records 0 and 2 have as much variance as one may want, and their sum is even. With a record 1 it is
odd: however many records there are, only noise Z hides it. An attacker who sees S + Z may reduce it
modulo 2, where S is 0 and S + 1 is 1 and the law of Z is wrapped around a circle of length 2; so
the profiles here are lower bounds for any sum of even records, whatever its law, and any odd step.
They are also limits. Let D be the total variation distance of S and S + 2, which for n fair records
0 and 2 is about √(2/(πn)). Then δ(ε) is at most the bound here plus
``(1 + e^ε)·(E|Z|/2 + 3/2)·D``. For Z is U + 2K with U in [0, 2) and ``|K| ≤ |Z|/2 + 1``; given U,
the law of S + 2K is within ``E|K|·D`` of that of S, and adding U requires no further knowledge. The
same holds with 1 + Z in place of Z.
"""

from __future__ import annotations

import math
from typing import SupportsFloat

import numpy as np
from scipy.optimize import brentq

from pkdp._checks import as_real
from pkdp.noiseless.gaussian_noise import as_scale
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.profile import Formula, PrivacyProfile, rounded_down

__all__ = ["gaussian", "geometric", "laplace"]

_LEAST_SCALE, _MOST_SCALE = 0.002, 1e6

# Where δ is a small difference, this part of both terms is subtracted, to round down.
_ROUNDING = 4e-15


def geometric(p: SupportsFloat) -> PrivacyProfile:
    """Compute the lower bound that a parity gives for two-sided geometric noise.

    With e^{-ε₀} = p it is ``δ(ε) = max(0, cosh ε₀ - e^ε)/(1 + cosh ε₀)``, which is tanh²(ε₀/2) at
    ε = 0. (The noise alone has tanh(ε₀/2), on a number that may change by 1.)

    Parameters
    ----------
    p : float
        The ratio of the noise, in (0, 1): its masses are proportional to ``p^|k|``.

    Returns
    -------
    PrivacyProfile
        Status "lower bound": for every sum of even records that may increase by 1; the limit for
        sums of many such records.

    Raises
    ------
    ValueError, TypeError
        If `p` is not in (0, 1), or not a number.

    Notes
    -----
    The noise is even with probability ``(1 + p²)/(1 + p)²`` and odd with ``2p/(1 + p)²``, so this
    is randomized response about one bit.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> profile = geometric(0.5)
    >>> [round(profile.delta(eps), 6) for eps in (0.0, math.log(1.25))]
    [0.111111, 0.0]
    """
    allowed = "in (0, 1), above 1e-150"
    ratio = as_real(p, "p", allowed, 1e-150, 1.0, without=(1e-150, 1.0))
    return rounded_down(Formula(_log_geometric, ratio))


def _log_geometric(ratio: float, eps: float) -> float:
    # (1 - p)² - 2p·(E - 1), over (1 + p)².
    growth = math.expm1(eps) if eps < 700.0 else math.inf
    left = (1.0 - _ROUNDING) * (1.0 - ratio) ** 2 - 2.0 * ratio * growth
    return math.log(left) - 2.0 * math.log1p(ratio) if left > 0.0 else -math.inf


def laplace(scale: SupportsFloat) -> PrivacyProfile:
    """Compute the lower bound that a parity gives for Laplace noise.

    With c = 1/b it is ``δ(ε) = 1 - √(2·e^ε·cosh c - 1 - e^{2ε})/sinh c`` up to ε = ln cosh c, and 0
    from there on; ``1 - 1/cosh(c/2)`` at ε = 0.

    Parameters
    ----------
    scale : float
        The scale b of the noise, in [0.002, 10⁶]: its density is proportional to ``e^{-|x|/b}``.

    Returns
    -------
    PrivacyProfile
        Status "lower bound", as in `geometric`.

    Raises
    ------
    ValueError, TypeError
        If `scale` is outside its range or not a number.

    Notes
    -----
    Wrapped, the density is ``cosh((1 - |x|)/b)/(2b·sinh(1/b))`` for ``|x| ≤ 1``. The best event is
    ``|x| > x₀`` with ``cosh(x₀·c) = E·cosh((1 - x₀)·c)``.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> profile = laplace(1)
    >>> [round(profile.delta(eps), 6) for eps in (0.0, 0.2, math.log(math.cosh(1)))]
    [0.113181, 0.038191, 0.0]
    """
    allowed = f"in [{_LEAST_SCALE}, {_MOST_SCALE:g}]"
    return rounded_down(
        Formula(_log_laplace, 1.0 / as_real(scale, "scale", allowed, _LEAST_SCALE, _MOST_SCALE))
    )


def _log_laplace(rate: float, eps: float) -> float:
    # With g = E - 1, 2E·cosh c - 1 - E² = sinh²c - (cosh c - E)²; and E = cosh c is the end.
    if eps > rate:
        return -math.inf
    # cosh c - E, without cancellation: cosh c - 1 = 2·sinh²(c/2). All in units of e^c.
    gap = 0.5 * (1.0 - _ROUNDING) * math.expm1(-rate) ** 2 - math.expm1(eps) * math.exp(-rate)
    if gap <= 0.0:
        return -math.inf
    share = gap / (-0.5 * math.expm1(-2.0 * rate))  # (cosh c - E)/sinh c, at most 1
    # 1 - √(1 - share²)
    square = share * share
    return math.log(square / (1.0 + math.sqrt(max(0.0, 1.0 - square))))


def gaussian(scale: SupportsFloat) -> PrivacyProfile:
    """Compute the lower bound that a parity gives for Gaussian noise.

    With ``q = e^{-π²s²/2}`` it is ``δ(0) = (4/π)·Σ_j (-1)^j·q^{(2j+1)²}/(2j + 1)``, and 0 from
    ``ε = ln(ϑ₃(q)/ϑ₄(q))`` on, about 4q. For noise of a few units this is tiny, but it is a lower
    bound: the sum may tell more than its parity.

    Parameters
    ----------
    scale : float
        The standard deviation s of the noise, in [0.01, 10⁵].

    Returns
    -------
    PrivacyProfile
        Status "lower bound", as in `geometric`. For s > 17, δ is below the smallest float and given
        as 0.

    Raises
    ------
    ValueError, TypeError
        If `scale` is outside its range or not a number.

    Notes
    -----
    Wrapped, the density is ``½ + Σ_m q^{m²}·cos(πmx)``, half a theta function. The ratio ϑ₄/ϑ₃
    rises with x from 0 to 1, so the best event is ``|x| > x₀``, and

        δ = (4/π)·Σ_{m odd} q^{m²}·sin(πm·x₀)/m - (E - 1)·(1 - x₀ - (2/π)·Σ_m q^{m²}·sin(πm·x₀)/m).

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> [round(gaussian(s).delta(0.0), 6) for s in (0.25, 0.5, 1)]
    [0.908999, 0.370777, 0.009157]
    >>> f"{gaussian(2).delta(0.0):.4g}", gaussian(2).delta(1.1e-8)
    ('3.406e-09', 0.0)
    """
    return rounded_down(Formula(_log_gaussian, as_scale(scale)))


def _log_gaussian(scale: float, eps: float) -> float:
    rate = 0.5 * (math.pi * scale) ** 2
    if eps == math.inf or eps > math.log(1e300) or rate > 700.0:
        return -math.inf
    orders = np.arange(1, 3 + int(math.sqrt(750.0 / rate)))
    powers = np.exp(-rate * orders.astype(np.float64) ** 2)
    growth = math.expm1(eps)

    def gain(x: float) -> float:
        # The wrapped density at x - 1, less E times that at x.
        waves = powers * np.cos(math.pi * orders * x)
        return float(-2.0 * waves[::2].sum() - growth * (0.5 + waves.sum()))

    if gain(1.0) <= 0.0:
        return -math.inf
    start = float(brentq(gain, 0.0, 1.0, xtol=1e-300, rtol=1e-15)) if growth > 0.0 else 0.5
    return _log_from(start, orders.astype(np.float64), powers, growth)


def _log_from(start: float, orders: FloatArray, powers: FloatArray, growth: float) -> float:
    waves = powers * np.sin(math.pi * orders * start) / (math.pi * orders)
    won, lost = 4.0 * waves[::2].sum(), growth * (1.0 - start - 2.0 * waves.sum())
    delta = float((won - lost) - _ROUNDING * (np.abs(won) + np.abs(lost)))
    return math.log(min(1.0, delta)) if delta > 0.0 else -math.inf
