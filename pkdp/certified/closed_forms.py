"""Closed forms in ball arithmetic: the formulas of `pkdp.profiles.closed_forms`, minima proved.

Numbers are the rational ones that their floats are, and the constants those that are printed.
"""

import math
from fractions import Fraction

from scipy.optimize import brentq

from pkdp.certified import balls
from pkdp.certified.flint import arb, fmpq
from pkdp.profiles.closed_forms import BLANKET_RATE, TWO_CATEGORIES_RATE
from pkdp.releases import BerryEsseen, ClosedForm, EntropyForm


def enclose(release: ClosedForm, eps: float) -> balls.Bounds:
    """Return bounds of ln of the closed form with ε², which is a rational number."""
    share, rate = Fraction(release.lam), Fraction(BLANKET_RATE)
    if release.two_categories:
        rate = max(rate, Fraction(TWO_CATEGORIES_RATE) * (1 - share))
    nearest = float(-(Fraction(min(eps, 1.0)) ** 2) * share * release.unknown * rate)
    return math.nextafter(nearest, -math.inf), min(0.0, math.nextafter(nearest, math.inf))


def enclose_entropy_form(release: EntropyForm, eps: float) -> balls.Bounds:
    """Return bounds of ln of the form by relative entropies, at an ε in [0, inf]."""
    unknown, lam, bessel = release.unknown, balls.rational(release.lam), release.bessel

    def least(at: float) -> arb:
        forms = [_log_blanket(unknown, lam, at, bessel)]
        if release.two_categories and at < math.inf:
            forms.append(_log_two_categories(unknown, lam, at, bessel))
        return balls.smallest_of(forms)

    smaller = balls.enclosed(lambda _: balls.smallest_of([least(0.0), least(eps)]).exp())
    return balls.larger_bounds(smaller)


def _log_two_categories(unknown: int, lam: fmpq, eps: float, bessel: bool) -> arb:
    """Return ``-N·KL(q‖1-λ) + min(0, ε + ln(e^{-v}·I₀(v)))``."""
    ratio, fall = arb(eps), (-arb(eps)).exp()
    scale = 1 - lam + lam * fall
    not_q = lam * fall / scale
    log_delta = unknown * (not_q * ratio + scale.log())
    if not bessel:
        return log_delta
    log_bessel = _log_bessel(unknown * not_q * (1 - not_q))
    return log_delta + balls.smallest_of([arb(0), ratio + log_bessel])


def _log_blanket(unknown: int, lam: fmpq, eps: float, bessel: bool) -> arb:
    """Return ``N·ln(1 - 2λ(1-ρ)) + min(0, ε(1-τ) + ln(e^{-w}·I₀(w)))``."""
    fall = (-arb(eps)).exp()
    not_tau = fall / (1 + fall)
    tilted = arb(eps) * not_tau if eps < math.inf else arb(0)
    rho = (tilted + (1 + fall).log()).exp() / 2
    share = 1 - 2 * lam * (1 - rho)
    log_delta = unknown * share.log()
    if not bessel:
        return log_delta
    mean = -unknown * lam * rho * (-2 * not_tau * (1 - not_tau)).expm1() / share
    return log_delta + balls.smallest_of([arb(0), tilted + _log_bessel(mean)])


def _log_bessel(x: arb) -> arb:
    """Return ``ln(e^{-x}·I₀(x))``."""
    return x.bessel_i(0, scaled=True).log()


def enclose_berry_esseen(release: BerryEsseen, eps: float) -> balls.Bounds:
    """Return bounds of ln of `pkdp.counting.berry_esseen`.

    With V = Σp(1-p) and D = 1.12·Σp(1-p)(p² + (1-p)²)/V^{3/2} that is the least of 1 and
    ``h(x) = D·(1 + e^x) + 1.25·exp(-Vx²/2)`` over x in [0, min(ε, 1)]. The slope of h, divided by
    e^x, is D less ``1.25·Vx·exp(-Vx²/2 - x)``, which rises up to an x₀ and then falls. So h rises,
    then falls perhaps, and rises again; and it is above 1 at 0.
    """
    bits = [(balls.rational(p), k) for p, k in zip(*release.count.uncertain_bits(1), strict=True)]

    def least(_digits: float) -> arb:
        variance = balls.sum_of(arb(p * (1 - p)) * k for p, k in bits)
        moment = balls.sum_of(arb(p * (1 - p) * (p * p + (1 - p) * (1 - p))) * k for p, k in bits)
        error = fmpq(28, 25) * moment / (variance * variance.sqrt())
        return balls.smallest_of([arb(1), _least_normal_sum(error, variance, arb(min(eps, 1.0)))])

    return balls.larger_bounds(balls.enclosed(least))


def _least_normal_sum(error: arb, variance: arb, last: arb) -> arb:
    """Return the least ``D·(1 + e^x) + 1.25·exp(-Vx²/2)`` for 0 ≤ x ≤ last, or 1 if it is more."""

    def value(x: arb) -> arb:
        return error * (1 + x.exp()) + fmpq(5, 4) * (-variance * x * x / 2).exp()

    def slope(x: arb) -> arb:
        return error * x.exp() - fmpq(5, 4) * variance * x * (-variance * x * x / 2).exp()

    steepest = 2 / (1 + (1 + 4 * variance).sqrt())  # x₀
    is_rising = slope(steepest) > 0 or (last <= steepest and slope(last) > 0)
    if 2 * error >= 1 or is_rising:  # so that no value is below 1, or none below that at 0
        return arb(1)
    if slope(last) < 0:
        return value(last)
    ends = float(steepest.mid()), float(last.mid())
    if not slope(arb(ends[0])) < 0 < slope(arb(ends[1])):
        return arb.nan()
    root = brentq(lambda x: float(slope(arb(x)).mid()), *ends, xtol=1e-300, rtol=1e-15)
    low, high = root * (1 - arb(2) ** -40), root * (1 + arb(2) ** -40)
    if not slope(low) < 0 < slope(high):
        return arb.nan()
    # Between the two h first falls and then rises.
    inside = low.union(high)
    return value(low) + slope(inside) * (inside - low)
