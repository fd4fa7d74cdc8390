"""Hockey-stick divergence of a count as a Fourier integral: O(1), however many records.

S is the sum of independent bits and E = e^ε. Masses of S are log-concave, so that from some k on
``P[S + 1 = k]`` exceeds ``E·P[S = k]``; the excess is ``P[S + 1 ≥ k] - E·P[S ≥ k]`` for that k, and
this is no larger for any other. With the bits tilted by ε, q = expit(logit + ε), μ their mean and
``k - 1 = μ + u``, it is

    exp(-Σ KL(q‖p))·g(u),   g(u) = (1/π) Re ∫₀^π exp(Σ L(θ) - (ε + iθ)u)·h(θ) dθ,

L the logarithm of a tilted bit's characteristic function without its mean, and h a geometric
series. The best k - 1 is where the tilted masses are largest, which is less than 1 from μ (Darroch,
1964): so the larger of the two values with u next to 0 is what is sought.
"""

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
# 1/19!, -1/17!, …, 1/3!: coefficients of (x - sin x)/x³ as a polynomial in x², which ends there.
_LESS_SINE = tuple((-1.0) ** (k // 2 + 1) / math.factorial(k) for k in range(19, 2, -2))
# So many groups of bits are worked through at a time, to bound the memory that takes.
_BLOCK = 512


def log_excess(log_odds: FloatArray, counts: FloatArray, eps: float) -> FloatArray:
    """Return ``ln Σ max(0, P[S + 1 = k] - E·P[S = k])`` of bits that are neither sure nor hopeless.

    Parameters
    ----------
    log_odds : ndarray, shape (s, g)
        Those of the bits of each of some sums S. All are worked on at once, with the same nodes,
        as numpy's overhead for each call dominates.
    counts : ndarray, shape (g,)
        How many bits have each; real numbers where they are nodes of an interpolation.
    eps : float
        A finite ε ≥ 0 up to the largest loss ``ln(P[S = k-1]/P[S = k])``.

    Returns
    -------
    ndarray, shape (s,)
    """
    q, not_q = expit(log_odds + eps), expit(-log_odds - eps)
    variances = (q * not_q) @ counts
    theta, weights = quadrature(eps, float(variances.min()), float(variances.max()))
    exponent = np.zeros((len(q), theta.size), dtype=np.complex128)
    for first in range(0, counts.size, _BLOCK):
        block = slice(first, first + _BLOCK)
        parts = log_characteristic(q[:, block, None], not_q[:, block, None], theta)
        # Without BLAS, whose threads take longer to meet than to multiply.
        exponent += np.einsum("g,sgn->sn", counts[block], parts)
    # The bits of a panel of the interpolation, of which there is a whole number, are counted by
    # their rarer value: the mean is then a sum of small terms, which have all their digits.
    likely = np.floor(log_odds) + 0.5 + eps > 0.0
    phases = _phases(counts, np.where(likely, -not_q, q))
    integrand = weights * kernel(eps, theta) / math.pi
    integrand = integrand * np.exp(exponent + 1j * theta * phases[:, None])
    # At u = -phase, and at u = 1 - phase.
    before = integrand.real.sum(axis=1)
    after = (integrand * np.exp(-1j * theta)).real.sum(axis=1) * math.exp(-eps)
    log_scale = -relative_entropy_of_tilt(log_odds, eps) @ counts
    return np.asarray(log_scale + eps * phases + np.log(np.maximum(before, after)))


def _phases(counts: FloatArray, q: FloatArray) -> FloatArray:
    """Return the fractional parts of ``Σ counts·q``, which floats lose where the sums are large.

    Each product is split into two floats, and they are added up, without an error.
    """
    rows = np.concatenate(two_products(counts, q), axis=1).tolist()
    return np.array([math.fsum([*row, -math.floor(math.fsum(row))]) for row in rows])


def two_products(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return products rounded, and what they lack; together they have no error (Dekker, 1971)."""
    products = x * y
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    rest = x_high * y_high - products
    return products, ((rest + x_high * y_low) + x_low * y_high) + x_low * y_low


def _halves(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split floats into two of half as many digits each."""
    shifted = x * (2.0**27 + 1.0)
    high = shifted - (shifted - x)
    return high, x - high


def log_characteristic(
    q: float | FloatArray, not_q: float | FloatArray, theta: FloatArray
) -> ComplexArray:
    """Return ``ln(1 - q + q·e^{iθ}) - iqθ``, through the rarer of the two outcomes."""
    rare, common = np.minimum(q, not_q), np.maximum(q, not_q)
    modulus = 0.5 * np.log1p(-4 * (q * not_q) * np.sin(theta / 2) ** 2)
    # Of ((1-r) + r·e^{iθ})·e^{-irθ}, whose imaginary part is that of what sines lack: as many
    # times as there are bits, the digits that cancel without that would show.
    angles = np.array([rare * theta, common * theta])
    of_rare, of_common = _less_sine(angles)
    cosines = np.cos(angles)
    imaginary = common * of_rare - rare * of_common
    phase = np.arctan2(imaginary, common * cosines[0] + rare * cosines[1])
    return np.asarray(modulus + 1j * np.where(np.less_equal(q, not_q), phase, -phase))


def _less_sine(x: FloatArray) -> FloatArray:
    """Return ``x - sin x`` to full relative accuracy, for x ≥ 0."""
    near = x < 1.0
    square = np.where(near, x * x, 0.0)
    series = np.zeros_like(x)
    for coefficient in _LESS_SINE:  # in place: for short arrays new ones would be most of the work
        series *= square
        series += coefficient
    return np.where(near, x * square * series, x - np.sin(x))


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
