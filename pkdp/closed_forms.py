"""Formulas for the worst case: bounds that are proved, and the limits they are measured against.

Notation of section 4.1: N unknown records, E = e^ε, and the tilt of a bit of probability p by ε is
a bit of probability ``pE/(1 - p + pE)``.

* Two categories. Every δ of a vertex is ``e^{-I - εk'}`` times a sum of differences of the masses
  of the tilted count, I the sum of the relative entropies of the tilted bits to the untilted ones.
  Entropies and variances of the tilted bits are least at 1-λ, the sum of differences is at most
  the largest mass, and that is at most ``e^{-v}·I₀(v)`` for a sum of bits of total variance v.
* Three or more: the same for the privacy blanket, averaged over its size.

Both are sharp up to a factor of order ``1 + t²``, t = ε·√v; with ``1 - t·R(t)``, R Mills' ratio, in
place of 1 they become asymptotically exact as ε → 0 and N → ∞.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, expit, i0e, i1e, log_ndtr

from pkdp.laws import FloatArray, relative_entropy_of_tilt

# ∫ s·e^{-s} ds over [0, 1], and 2(1 - ρ) at ε = 1: the rates that the constants of the two closed
# forms share out (see `pkdp.counting.closed_form`).
TWO_CATEGORIES_RATE = 1.0 - 2.0 * math.exp(-1.0)
BLANKET_RATE = -2.0 * math.expm1(-float(relative_entropy_of_tilt(0.0, 1.0)))

# Gauss-Legendre nodes for the smooth integrand of the Gaussian profile.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def log_kl_two_categories(unknown: int, lam: float, eps: float, bessel: bool = True) -> float:
    """``ε - N·KL(q‖1-λ) + ln(e^{-v}·I₀(v))``, q the tilt of 1-λ, v = Nq(1-q); finite ε.

    Without `bessel` the last term, which is never positive, is left out. The formula bounds the
    worst case at every ε, but rises again where N·ε·q(1-q) falls below 1.
    """
    logit = math.log1p(-lam) - math.log(lam)
    value = eps - unknown * float(relative_entropy_of_tilt(logit, eps))
    if bessel:
        value += math.log(i0e(unknown * float(expit(logit + eps) * expit(-logit - eps))))
    return value


def least_of_kl_two_categories(unknown: int, lam: float, bessel: bool = True) -> float:
    """Return the ε from which `log_kl_two_categories` only rises; 0 if it never falls."""
    logit = math.log1p(-lam) - math.log(lam)

    def slope(eps: float) -> float:
        q, not_q = float(expit(logit + eps)), float(expit(-logit - eps))
        v = unknown * q * not_q
        correction = v * (q - not_q) * float(1.0 - i1e(v) / i0e(v)) if bessel else 0.0
        return 1.0 - eps * v + correction

    # The slope is positive at 0, negative in between if anywhere, and tends to 1.
    grid = np.concatenate([[0.0], np.geomspace(1e-13, 100.0, 600)])
    falling = [eps for eps in grid if slope(float(eps)) < 0.0]
    if not falling:
        return 0.0
    last = float(max(falling))
    return float(brentq(slope, last, 200.0, rtol=1e-12))


def log_kl_blanket(unknown: int, lam: float, eps: float, bessel: bool = True) -> float:
    """``ε(1-τ) + N·ln(1 - 2λ(1-ρ)) + ln(e^{-w}·I₀(w))`` for ε in [0, inf].

    τ = E/(1+E) and ρ = exp(-KL(τ‖½)) belong to a fair coin tilted by ε, v = τ(1-τ), and
    ``w = N·2λρ/(1 - 2λ(1-ρ))·(1 - e^{-2v})/2``. Without `bessel` the last term is left out.
    """
    tau, not_tau = float(expit(eps)), float(expit(-eps))
    log_rho = -float(relative_entropy_of_tilt(0.0, eps)) if eps < math.inf else -math.log(2.0)
    log_share = math.log1p(2.0 * lam * math.expm1(log_rho))
    value = (eps * not_tau if not_tau > 0.0 else 0.0) + unknown * log_share
    if bessel:
        tilted = 2.0 * lam * math.exp(log_rho - log_share)
        value += math.log(i0e(-unknown * tilted * math.expm1(-2.0 * tau * not_tau) / 2.0))
    return value


def log_asymptotic(rate: float, deviation: float, eps: float) -> float:
    """``-rate + ln((1 - t·R(t))/(σ√(2π)))`` with t = εσ, R Mills' ratio: δ for large σ, small ε."""
    falls = _one_minus_mills(np.array([eps * deviation]))[0]
    return -rate + math.log(falls / deviation) - 0.5 * math.log(2.0 * math.pi)


def asymptotic_terms(
    unknown: int, lam: float, eps: float, two_categories: bool
) -> tuple[float, float]:
    """Return the exponential rate and the tilted standard deviation σ for `log_asymptotic`."""
    if two_categories:
        logit = math.log1p(-lam) - math.log(lam)
        rate = unknown * float(relative_entropy_of_tilt(logit, eps))
        variance = unknown * float(expit(logit + eps) * expit(-logit - eps))
    else:
        log_rho = -float(relative_entropy_of_tilt(0.0, eps))
        log_share = math.log1p(2.0 * lam * math.expm1(log_rho))
        rate = -unknown * log_share
        tilted = 2.0 * lam * math.exp(log_rho - log_share)
        variance = unknown * tilted * float(expit(eps) * expit(-eps))
    return rate, math.sqrt(variance)


def log_gaussian(mu: float, eps: float) -> float:
    """Natural logarithm of the δ(ε) of N(µ, 1) against N(0, 1): the Gaussian mechanism.

    ``Φ(-x) - e^ε·Φ(-x-µ)`` with x = ε/µ - µ/2, which is ``φ(x)·∫ (1 - s·R(s)) ds`` over
    [x, x+µ], as Mills' ratio R has the derivative ``s·R(s) - 1``: nothing cancels for small µ.
    """
    if math.isinf(eps):
        return -math.inf
    x = eps / mu - mu / 2.0
    if mu > 0.1:
        near, far = float(log_ndtr(-x)), float(log_ndtr(-x - mu))
        return near + math.log(-math.expm1(min(eps + far - near, -1e-300)))
    area = float(_WEIGHTS @ _one_minus_mills(x + (1.0 + _NODES) * mu / 2.0)) * mu / 2.0
    return math.log(area) - 0.5 * x * x - 0.5 * math.log(2.0 * math.pi)


def _one_minus_mills(t: FloatArray) -> FloatArray:
    """``1 - t·R(t)``, R(t) = Φ(-t)/φ(t); positive and about 1/t² for large t."""
    far = t > 50.0  # where the difference would lose more digits than the series
    y = 1.0 / np.where(far, t, 1.0) ** 2
    series = y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y))))
    near = np.where(far, 0.0, t)
    return np.where(far, series, 1.0 - near * math.sqrt(math.pi / 2.0) * erfcx(near / math.sqrt(2)))
