"""Noise against parity: closed forms against wrapped densities, sympy, and finite sums."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pkdp import noise
from pkdp.noiseless import gaussian_noise, parity
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.pairs import Pair

EPS = (0.0, 0.003, 0.1, 0.5, 2.0)


def evens(n):
    """The law of n fair records 0 and 2."""
    masses = np.zeros(2 * n + 1)
    masses[::2] = np.exp(binomial(n, 0.5).log_pmf(0, n))
    return Finite(0, tuple(masses / masses.sum()))


def wrapped(density, eps):
    """The excess of a wrapped density moved by 1, by a sum over cells."""
    x = (np.arange(4000) + 0.5) / 2000
    total = [sum(density(x - shift - 2 * j) for j in range(-60, 61)) for shift in (1, 0)]
    return 2 * np.maximum(total[0] - math.exp(eps) * total[1], 0).mean()


@pytest.mark.parametrize("s", [0.2, 0.5, 1.0, 1.5])
def test_gaussian_noise_agrees_with_the_wrapped_density(s):
    for eps in EPS:
        truth = wrapped(lambda x: np.exp(-x * x / 2 / s**2) / s / math.sqrt(2 * math.pi), eps)
        assert parity.gaussian(s).delta(eps) == pytest.approx(truth, abs=4e-6)


@pytest.mark.parametrize("b", [0.1, 0.3, 1.0, 3.0])
def test_laplace_noise_agrees_with_the_wrapped_density(b):
    for eps in EPS:
        truth = wrapped(lambda x: np.exp(-np.abs(x) / b) / 2 / b, eps)
        assert parity.laplace(b).delta(eps) == pytest.approx(truth, abs=4e-6)
    assert parity.laplace(b).delta(0) == pytest.approx(1 - 1 / math.cosh(1 / (2 * b)), rel=1e-12)


@pytest.mark.slow
def test_the_wrapped_density_of_laplace_noise_by_sympy():
    sp = pytest.importorskip("sympy")
    x, b = sp.symbols("x b", positive=True)
    r = sp.exp(-2 / b)  # the terms x + 2j, j ≥ 0, and 2j - x, j ≥ 1, for 0 < x < 1
    series = (sp.exp(-x / b) + r * sp.exp(x / b)) / (1 - r) / (2 * b)
    closed = sp.cosh((1 - x) / b) / (2 * b * sp.sinh(1 / b))
    assert sp.simplify((series - closed).rewrite(sp.exp)) == 0


@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_geometric_noise_is_randomized_response_in_rationals(p):
    # The masses (1-p)/(1+p)·p^|k| of even and of odd k, as geometric series.
    even = (1 - p) / (1 + p) * (1 + 2 * p**2 / (1 - p**2))
    odd = (1 - p) / (1 + p) * 2 * p / (1 - p**2)
    assert even + odd == 1
    assert (even, odd) == ((1 + p**2) / (1 + p) ** 2, 2 * p / (1 + p) ** 2)
    profile = parity.geometric(float(p))
    for ratio in (Fraction(1), Fraction(101, 100), Fraction(3, 2), Fraction(10)):
        truth = max(0, even - ratio * odd)
        assert profile.delta(math.log(ratio)) == pytest.approx(float(truth), abs=1e-12)
    assert profile.delta(0) == pytest.approx(math.tanh(-math.log(p) / 2) ** 2, rel=1e-12)
    alone = noise.Geometric(float(p)).profile().delta(0)
    assert alone == pytest.approx(math.tanh(-math.log(p) / 2), rel=1e-12)


def test_gaussian_noise_at_0_is_an_alternating_series_and_ends_at_a_ratio_of_thetas():
    for s in (0.3, 1.0, 2.0, 8.0):
        q = math.exp(-((math.pi * s) ** 2) / 2)
        series = sum((-1) ** j * q ** ((2 * j + 1) ** 2) / (2 * j + 1) for j in range(8))
        assert parity.gaussian(s).delta(0) == pytest.approx(4 / math.pi * series, rel=1e-12)
        theta = [1 + 2 * sum(sign**m * q ** (m * m) for m in range(1, 12)) for sign in (1, -1)]
        end = math.log(theta[0] / theta[1])
        if s < 3:
            assert parity.gaussian(s).delta(end * 0.999) > 0
        assert parity.gaussian(s).delta(end * 1.001 + 1e-15) == 0


def test_little_gaussian_noise_rarely_goes_as_far_as_the_other_parity():
    # At ε = 0 the best guess is the parity of the nearest integer.
    for s in (0.05, 0.1, 0.15, 0.25):
        wrong = math.erfc(0.5 / s / math.sqrt(2)) - math.erfc(1.5 / s / math.sqrt(2))
        assert parity.gaussian(s).delta(0.0) == pytest.approx(1.0 - 2.0 * wrong, rel=1e-13)


def test_gaussian_noise_is_rounded_down():
    for s in (0.2, 0.3, 0.37, 0.5, 0.7, 1.0, 1.3):
        with mpmath.workdps(40):
            q = mpmath.exp(-((mpmath.pi * s) ** 2) / 2)
            terms = ((-1) ** j * q ** ((2 * j + 1) ** 2) / (2 * j + 1) for j in range(30))
            exact = 4 / mpmath.pi * mpmath.fsum(terms)
            assert mpmath.exp(parity._log_gaussian(s, 0.0)) <= exact


@pytest.mark.parametrize("n", [3, 40, 300])
def test_it_is_below_every_finite_sum_and_what_they_tend_to(n):
    law = evens(n)
    pair = Pair(law.shift(1), law)
    apart = Pair(law.shift(2), law).profile().delta(0)
    for added, limit, mean in (
        (noise.Geometric(0.5), parity.geometric(0.5), 2 * 0.5 / (1 - 0.25)),
        (noise.Laplace(0.7), parity.laplace(0.7), 0.7),
        (0.6, parity.gaussian(0.6), 0.6 * math.sqrt(2 / math.pi)),
    ):
        noisy = gaussian_noise.add(pair, added) if added == 0.6 else noise.add(pair, added)
        profile = noisy.profile()
        for eps in (0.0, 0.05, 0.2):
            least = limit.delta(eps)
            most = least + (1 + math.exp(eps)) * (mean / 2 + 1.5) * apart
            assert least <= profile.delta(eps) * (1 + 1e-9)
            assert profile.delta(eps) <= most


def test_extremes_have_no_warnings():
    for profile in (parity.gaussian(0.01), parity.laplace(0.002), parity.geometric(1e-100)):
        assert profile.delta(0) == pytest.approx(1)
    for profile in (parity.gaussian(1e5), parity.laplace(1e6), parity.geometric(1 - 1e-9)):
        assert profile.delta(0) < 1e-12
        assert profile.delta(math.inf) == profile.delta(1e6) == 0
