"""The excess of a count over itself plus 1, as a Fourier integral: O(1) however many records.

S is the sum of independent bits and E = e^ε. Masses of S are log-concave, so that from some k on
``P[S + 1 = k]`` exceeds ``E·P[S = k]``; the excess is ``P[S + 1 ≥ k] - E·P[S ≥ k]`` for that k, and
this is no larger for any other. With the bits tilted by ε, q = expit(logit + ε), μ their mean and
``k - 1 = μ + u``, it is

    exp(-Σ KL(q‖p))·g(u),   g(u) = (1/π) Re ∫₀^π exp(Σ L(θ) - (ε + iθ)u)·h(θ) dθ,

L the logarithm of a tilted bit's characteristic function without its mean, and h a geometric
series. The best k - 1 is where the tilted masses are largest, which is less than 1 from μ (Darroch,
1964): so the larger of the two values with u next to 0 is what is sought.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pkdp.profiles.logarithms import FloatArray, relative_entropy_of_tilt

ComplexArray = npt.NDArray[np.complexfloating[Any, Any]]

# The characteristic function is cut where its modulus falls below exp(-2·24) ≈ 1e-21.
_CUT = 24.0
# Gauss-Legendre nodes per panel, and the panel's length in the variable w of θ = scale·sinh w.
_NODES, _PANEL = 16, 0.8
# So many groups of bits are worked through at a time, to bound the memory that takes.
_BLOCK = 512
# Where all angles are below this, so many terms of a series are its sum to rounding.
_SMALL_ANGLE, _PHASE_TERMS = 0.1, 6


def log_excess(logits: FloatArray, counts: FloatArray, eps: float) -> float:
    """Return ``ln Σ max(0, P[S + 1 = k] - E·P[S = k])`` of bits that are neither sure nor hopeless.

    Parameters
    ----------
    logits : ndarray, shape (g,)
        Log-odds of the bits.
    counts : ndarray, shape (g,)
        How many bits have each; real numbers where they are nodes of an interpolation.
    eps : float
        A finite ε ≥ 0 up to the largest loss ``ln(P[S = k-1]/P[S = k])``.
    """
    q, not_q = expit(logits + eps), expit(-logits - eps)
    variance = float(counts @ (q * not_q))
    theta, weights = quadrature(eps, variance, variance)
    exponent = np.zeros(theta.size, dtype=np.complex128)
    for first in range(0, q.size, _BLOCK):
        block = slice(first, first + _BLOCK)
        parts = log_characteristic(q[block, None], not_q[block, None], theta)
        # Without BLAS, whose threads take longer to meet than to multiply.
        exponent += np.einsum("g,gn->n", counts[block], parts)
    # The bits of a panel of the interpolation, of which there is a whole number, are counted by
    # their rarer value: the mean is then a sum of small terms, which have all their digits.
    likely = np.floor(logits) + 0.5 + eps > 0.0
    phase = _phase(counts, np.where(likely, -not_q, q))
    integrand = weights * kernel(eps, theta) * np.exp(exponent + 1j * theta * phase) / math.pi
    # At u = -phase, and at u = 1 - phase.
    before = float(integrand.real.sum())
    after = float((integrand * np.exp(-1j * theta)).real.sum()) * math.exp(-eps)
    log_scale = -float(counts @ relative_entropy_of_tilt(logits, eps))
    return log_scale + eps * phase + math.log(max(before, after))


def _phase(counts: FloatArray, q: FloatArray) -> float:
    """Return the fractional part of ``Σ counts·q``, which a float loses where the sum is large.

    Each product is split into two floats without an error (Dekker, 1971), and they are added up
    without one.
    """
    products = counts * q
    (count_high, count_low), (q_high, q_low) = _halves(counts), _halves(q)
    rest = count_high * q_high - products
    rest = ((rest + count_high * q_low) + count_low * q_high) + count_low * q_low
    terms = [*products.tolist(), *rest.tolist()]
    whole = math.floor(math.fsum(terms))
    return math.fsum([*terms, -whole])


def _halves(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split floats into two of half as many digits each."""
    shifted = x * (2.0**27 + 1.0)
    high = shifted - (shifted - x)
    return high, x - high


def log_characteristic(
    q: float | FloatArray, not_q: float | FloatArray, theta: FloatArray
) -> ComplexArray:
    """Return ``ln(1 - q + q·e^{iθ}) - iqθ``, through the rarer of the two outcomes."""
    rare = np.minimum(q, not_q)
    sine_squared = np.sin(theta / 2) ** 2
    modulus = 0.5 * np.log1p(-4 * (q * not_q) * sine_squared)
    if theta.max(initial=0.0) < _SMALL_ANGLE:
        phase = _small_phase(rare, theta)
    else:
        phase = np.arctan2(rare * np.sin(theta), 1 - 2 * rare * sine_squared) - rare * theta
    return np.asarray(modulus + 1j * np.where(np.less_equal(q, not_q), phase, -phase))


def _small_phase(rare: float | FloatArray, theta: FloatArray) -> FloatArray:
    """Return ``arg(1 - q + q·e^{iθ}) - qθ`` for small θ, where it is a small difference.

    With b = 1 - 2q and t = tan(θ/2) it is ``b·arctan t - arctan(b·t)``, a difference of two series.
    Of many bits it would otherwise be known no better than their mean.
    """
    bias = np.asarray(1.0 - 2.0 * rare)
    t = np.tan(theta / 2)
    square, bias_squared = t * t, bias * bias
    # Σ (-1)^k·(b - b^{2k+1})·t^{2k+1}/(2k+1), and b - b^{2k+1} = b·(1-b²)·(1 + b² + … + b^{2k-2}).
    total, power, sums = np.zeros_like(bias * t), -square * t, np.ones_like(bias)
    for k in range(1, _PHASE_TERMS + 1):
        total += power * sums / (2 * k + 1)
        power, sums = -power * square, 1.0 + bias_squared * sums
    return np.asarray(4.0 * rare * (1.0 - rare) * bias * total)


def kernel(eps: float, theta: FloatArray) -> ComplexArray:
    """Return ``h(θ) = (1 - e^{-iθ})/(1 - e^{-ε-iθ})``, a geometric series; 1 at ε = 0."""
    half = theta / 2
    # (1 - e^{-x}) = e^{-x/2}·2 sinh(x/2) for complex x; sinh(x)/sinh(y) without overflow.
    numerator = 2j * np.sin(half)
    denominator = 2 * (np.sinh(eps / 2) * np.cos(half) + 1j * np.cosh(eps / 2) * np.sin(half))
    return np.asarray(math.exp(eps / 2) * numerator / denominator)


def quadrature(
    eps: float, least: float, most: float, panel: float = _PANEL
) -> tuple[FloatArray, FloatArray]:
    """Nodes θ and weights on [0, π] for tilted variances between `least` and `most`.

    They must be dense near 0, where the kernel changes at the scale of ε and the characteristic
    function at that of 1/σ, and reach as far as the slowest characteristic function does.
    """
    cut = 2.0 * math.asin(math.sqrt(min(1.0, _CUT / least))) if least > 0.0 else math.pi
    scale = 4.0 / math.sqrt(max(most, 16.0))
    if eps > 0.0:  # below 1e-17 the kernel is 1 to rounding wherever it matters
        scale = min(scale, max(eps, 1e-17))
    length = math.asinh(cut / scale)
    panels = max(4, math.ceil(length / panel))
    nodes, weights = _gauss_legendre(_NODES)
    width = length / panels
    w = (np.arange(panels)[:, None] + (nodes + 1.0) / 2.0).ravel() * width
    theta = scale * np.sinh(w)
    return theta, np.tile(weights, panels) * (width / 2.0) * scale * np.cosh(w)


@functools.cache
def _gauss_legendre(order: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return nodes, weights
