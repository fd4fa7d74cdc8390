"""Formulas for the worst case: bounds that are proved, and the limits they are measured against.

Notation of section 4.1: N unknown records, E = e^ε, and the tilt of a bit of probability p by ε is
a bit of probability ``pE/(1 - p + pE)``.

* Two categories. Every δ of a vertex is ``e^{-I - εk'}`` times a sum of differences of the masses
  of the tilted count, I the sum of the relative entropies of the tilted bits to the untilted ones.
  Entropies and variances of the tilted bits are least at 1-λ, the sum of differences is at most
  the largest mass, and that is at most ``e^{-v}·I₀(v)`` for a sum of bits of total variance v.
  Nor does δ exceed the mass of the count itself at the mode of the tilted one, which is at most
  ``e^{-N·KL}`` without any factor.
* Three or more: the same for the privacy blanket, averaged over its size.

Both are sharp up to a factor of order ``1 + t²``, t = ε·√v; with ``1 - t·R(t)``, R Mills' ratio, in
place of 1 they become asymptotically exact as ε → 0 and N → ∞. The closed forms with ε² come from
them: up to ε = 1 the exponents are at least ε² times what they are at 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, expit, i0e, log_expit, log_ndtr

from pkdp._checks import not_nan
from pkdp.profiles.logarithms import FloatArray, relative_entropy_of_tilt
from pkdp.profiles.profile import Formula, PrivacyProfile

__all__ = [
    "BLANKET_RATE",
    "TWO_CATEGORIES_RATE",
    "gaussian",
    "largest_loss",
    "log_closed_form",
    "log_gaussian",
    "log_kl_blanket",
    "log_kl_two_categories",
    "log_normal_sum",
    "normal_bound",
    "one_minus_mills",
    "tilted_blanket",
    "tilted_count",
]

# The rates of the closed forms: ∫ s·e^{-s} ds over [0, 1] = 1 - 2/e, and 2(1 - ρ) at ε = 1. Both
# are rounded down, so that the bounds are not below what is proved.
TWO_CATEGORIES_RATE = 0.2642411176571153
BLANKET_RATE = 0.2100223944862691

# Gauss-Legendre nodes for the smooth integrand of the Gaussian profile.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def largest_loss(unknown: int, lam: float) -> float:
    """Return an ε beyond every finite privacy loss of any vertex.

    The loss of an output k is ln(s_{k-1}/s_k), largest at k = N, where it is at most
    ln(N·(1-λ)/λ).
    """
    return math.log(unknown) + math.log1p(-lam) - math.log(lam) + 1e-9


def tilted_count(unknown: int, lam: float, eps: float) -> tuple[float, float]:
    """Return N·KL(q‖1-λ) and ln(N·q(1-q)), q the tilt of 1-λ by ε: rate and log variance."""
    logit = math.log1p(-lam) - math.log(lam)
    rate = unknown * float(relative_entropy_of_tilt(logit, eps))
    return rate, math.log(unknown) + float(log_expit(logit + eps) + log_expit(-logit - eps))


def tilted_blanket(unknown: int, lam: float, eps: float) -> tuple[float, float]:
    """Return ``-N·ln(1 - 2λ(1-ρ))`` and the log of the mean number of coins, weighted by ρ each.

    ρ = exp(-KL(τ‖½)), τ = E/(1+E), belongs to a fair coin tilted by ε.
    """
    log_rho = -float(relative_entropy_of_tilt(0.0, eps))
    log_share = math.log1p(2.0 * lam * math.expm1(log_rho))
    coins = math.log(unknown) + math.log(2.0 * lam) + log_rho - log_share
    return -unknown * log_share, coins


def log_closed_form(unknown: int, lam: float, two_categories: bool, eps: float) -> float:
    """``-r·N·ε²`` up to ε = 1, and its value at 1 from there on.

    r is `BLANKET_RATE` times λ, and for two categories also `TWO_CATEGORIES_RATE` times λ(1-λ),
    whichever is larger.
    """
    rate = BLANKET_RATE
    if two_categories:
        rate = max(rate, TWO_CATEGORIES_RATE * (1.0 - lam))
    return -(min(eps, 1.0) ** 2) * (lam * unknown) * rate


def log_kl_two_categories(unknown: int, lam: float, eps: float, bessel: bool = True) -> float:
    """``-N·KL(q‖1-λ) + min(0, ε + ln(e^{-v}·I₀(v)))``, q the tilt of 1-λ, v = Nq(1-q); finite ε.

    Without `bessel` the last term is left out. The formula bounds the worst case at every ε; with
    the term it rises a little near ε = 0 before it falls.
    """
    rate, log_variance = tilted_count(unknown, lam, eps)
    return (min(0.0, eps + math.log(i0e(math.exp(log_variance)))) if bessel else 0.0) - rate


def log_kl_blanket(unknown: int, lam: float, eps: float, bessel: bool = True) -> float:
    """``N·ln(1 - 2λ(1-ρ)) + min(0, ε(1-τ) + ln(e^{-w}·I₀(w)))`` for ε in [0, inf].

    With τ and ρ as in `tilted_blanket`, v = τ(1-τ) and
    ``w = N·2λρ/(1 - 2λ(1-ρ))·(1 - e^{-2v})/2``. Without `bessel` the last term is left out.
    """
    rate, log_coins = tilted_blanket(unknown, lam, eps)
    if not bessel:
        return -rate
    tau, not_tau = float(expit(eps)), float(expit(-eps))
    factor = math.log(i0e(-math.exp(log_coins) * math.expm1(-2.0 * tau * not_tau) / 2.0))
    return min(0.0, (eps * not_tau if not_tau > 0.0 else 0.0) + factor) - rate


def log_normal_sum(
    log_distance: float, variance: float, eps: float | FloatArray
) -> np.float64 | FloatArray:
    """``ln(D(1 + e^ε) + 1.25·exp(-vε²/2))``: an error D of both tails, and the Gaussian mechanism.

    This is Proposition 7's δ, as printed and corrected, which differ in D.
    """
    log_delta_2 = math.log(1.25) - 0.5 * variance * np.square(eps)
    return np.logaddexp(log_distance + np.logaddexp(0.0, eps), log_delta_2)


def normal_bound(log_distance: float, variance: float) -> Formula:
    """Return the least `log_normal_sum` at any ε' ≤ min(ε, 1), as a function of ε; at most 0.

    Parameters
    ----------
    log_distance : float
        ln D; -inf allowed.
    variance : float
        v > 0.
    """

    # The first term grows like e^ε. The slope of the second divided by e^ε is largest at `steepest`
    # (below 1), so that the sum, which exceeds 1 at ε = 0, is lowest beyond, or nowhere below that.
    def log_slope_ratio(eps: float) -> float:
        log_fall = math.log(1.25) + math.log(variance) + math.log(eps) - 0.5 * variance * eps**2
        return log_distance + eps - log_fall

    steepest, lowest = 2.0 / (1.0 + math.sqrt(1.0 + 4.0 * variance)), 1.0
    if log_slope_ratio(steepest) < 0.0 < log_slope_ratio(1.0):
        lowest = float(brentq(log_slope_ratio, steepest, 1.0, rtol=1e-12))
    return Formula(_log_normal_bound, log_distance, variance, lowest)


def _log_normal_bound(log_distance: float, variance: float, lowest: float, eps: float) -> float:
    return min(0.0, float(log_normal_sum(log_distance, variance, min(eps, lowest))))


def gaussian(mu: float) -> PrivacyProfile:
    """Return the limit of N(µ, 1) against N(0, 1), which the truth may miss on either side."""
    return PrivacyProfile(Formula(_log_gaussian, mu), "approximation", 1e-10)


def _log_gaussian(mu: float, eps: float) -> float:
    return not_nan(log_gaussian(mu, eps))


def log_gaussian(mu: float, eps: float) -> float:
    """Natural logarithm of the δ(ε) of N(µ, 1) against N(0, 1): the Gaussian mechanism.

    ``Φ(-x) - e^ε·Φ(-x-µ)`` with x = ε/µ - µ/2, which is ``φ(x)·∫ (1 - s·R(s)) ds`` over
    [x, x+µ], as Mills' ratio R has the derivative ``s·R(s) - 1``: nothing cancels for small µ.
    """
    x = eps / mu - mu / 2.0
    if x > 1e100:  # the rest is lost in the rounding of x²
        return -0.5 * x * x
    if mu > 0.1 and x < 1e4 * mu:  # or the difference would be lost
        near, far = float(log_ndtr(-x)), float(log_ndtr(-x - mu))
        return near + math.log(-math.expm1(min(eps + far - near, -1e-300)))
    area = float(_WEIGHTS @ one_minus_mills(x + (1.0 + _NODES) * mu / 2.0)) * mu / 2.0
    return math.log(area) - 0.5 * x * x - 0.5 * math.log(2.0 * math.pi)


def one_minus_mills(t: FloatArray) -> FloatArray:
    """``1 - t·R(t)``, R(t) = Φ(-t)/φ(t); positive and about 1/t² for large t."""
    far = t > 50.0  # where the difference would lose more digits than the series
    y = 1.0 / np.where(far, t, 1.0) ** 2
    series = y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y))))
    near = np.where(far, 0.0, t)
    return np.where(far, series, 1.0 - near * math.sqrt(math.pi / 2.0) * erfcx(near / math.sqrt(2)))
