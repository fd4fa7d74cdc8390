"""The theorem from moments with Gaussian noise, against exact total variations."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from pkdp.noiseless import gaussian_noise, normal_bounds, parity, smoothing
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.pairs import Pair


def exact(masses, scale, step):
    law = Finite(0, tuple(masses / masses.sum()))
    return math.exp(gaussian_noise.add(Pair(law.shift(step), law), scale).log_hockey_stick(0.0))


@pytest.mark.slow
def test_it_is_never_below_the_truth_for_random_sums():
    random = np.random.default_rng(8)
    nearest = math.inf
    for _ in range(60):
        masses, variance = np.ones(1), 0.0
        width = int(random.integers(1, 7))
        for _ in range(int(random.integers(1, 60))):
            law = random.dirichlet(np.full(width + 1, random.choice([0.02, 0.3, 2.0])))
            k = np.arange(width + 1)
            masses = np.convolve(masses, law)
            variance += float(law @ k**2 - (law @ k) ** 2)
        scale = width * float(random.choice([0.15, 0.3, 0.5, 1, 2]))
        step = int(random.integers(1, 2 * width + 1))
        bound = smoothing.total_variation(variance, width, scale=scale, step=step)
        truth = exact(masses, scale, step)
        assert truth <= bound * (1 + 1e-9)
        nearest = min(nearest, bound / truth)
    assert nearest < 1.5


@pytest.mark.parametrize("n", [1, 10, 100, 500])
@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0, 2.0])
def test_it_is_never_below_the_truth_for_records_0_and_2(n, scale):
    masses = np.zeros(2 * n + 1)
    masses[::2] = np.exp(binomial(n, 0.5).log_pmf(0, n))
    bound = smoothing.total_variation(n, 2, scale=scale)
    assert exact(masses, scale, 1) <= bound * (1 + 1e-9)


@pytest.mark.parametrize(("variance", "scale", "share"), [(4.0, 0.5, 0.3), (30.0, 1.5, 0.6)])
def test_the_bound_for_a_ramp_is_the_theorems(variance, scale, share):
    width, step, last = 2.0, 1.0, math.pi
    first = share * last

    def ramp(t):
        return min(max((t - first) / (last - first), 0.0), 1.0)

    def norm(function, ends):
        # The function is even.
        return math.sqrt(
            2.0 * quad(lambda t: function(t) ** 2, *ends, points=(first, last), limit=200)[0]
        )

    def both(t):
        # The ramp's slope, from two points of the same side.
        slope = (ramp(t + 1e-9) - ramp(t - 1e-9)) / 2e-9
        return math.exp(-((scale * t) ** 2) / 2), 2 * abs(math.sin(step * t / 2)), slope

    def records(t):
        return math.exp(-2.0 * variance * math.sin(t * width / 2) ** 2 / width**2)

    def low(t):
        noise, sine, _ = both(t)
        return sine * noise * records(t) * (1 - ramp(t))

    def low_slope(t):
        noise, sine, slope = both(t)
        growth = variance * t * math.exp(math.sin(t * width / 2) ** 2 / 2) * records(t)
        moving = min(math.sqrt(variance), growth)
        cosine = step * abs(math.cos(step * t / 2))
        still = records(t) * (cosine * (1 - ramp(t)) + sine * slope)
        return noise * (still + sine * (moving + scale**2 * t * records(t)) * (1 - ramp(t)))

    def high(t):
        noise, sine, _ = both(t)
        return sine * noise * ramp(t)

    def high_slope(t):
        noise, sine, slope = both(t)
        cosine = step * abs(math.cos(step * t / 2))
        return noise * (cosine * ramp(t) + sine * abs(slope - scale**2 * t * ramp(t)))

    below, above = (0.0, last), (first, last + 30.0 / scale)
    total = math.sqrt(norm(low, below) * norm(low_slope, below))
    total += math.sqrt(norm(high, above) * norm(high_slope, above))
    found = smoothing._with_ramp(variance, width, scale, step, first, last)
    assert found == pytest.approx(total / 2.0, rel=1e-6)


def test_it_falls_like_the_truth():
    # For a large variance by a factor of 1.81, (11π/8)^{1/4}/2 against 1/√(2π).
    constant = (math.pi * 11 / 8) ** 0.25 / 2
    for sigma in (1e3, 1e5, 1e7):
        bound = smoothing.total_variation(sigma**2, 1, scale=10, step=1)
        assert bound * sigma == pytest.approx(constant, rel=0.002)
    assert constant * math.sqrt(2 * math.pi) == pytest.approx(1.807, abs=1e-3)
    # What the noise has to hide, of records 0 and R against R/2, is nearly all there is besides.
    ratios = [
        smoothing.total_variation(1e16, 2, scale=s) / parity.gaussian(s).delta(0)
        for s in (0.5, 1.0, 1.5)
    ]
    assert max(ratios) < 4


def test_the_integral_of_a_function_is_at_most_what_its_transform_says():
    # ∫|u| ≤ √(‖û‖·‖û'‖), for the normal density and its derivative.
    density = math.sqrt(math.sqrt(math.sqrt(math.pi)) * math.sqrt(math.sqrt(math.pi) / 2))
    assert 1 <= density == pytest.approx(1.1195, abs=1e-4)
    slope = math.sqrt(math.sqrt(math.sqrt(math.pi) / 2) * math.sqrt(math.sqrt(math.pi) * 0.75))
    assert 2 / math.sqrt(2 * math.pi) <= slope == pytest.approx(1.0417, abs=1e-3)


def test_the_profile_is_the_smaller_of_two():
    profile = smoothing.bound(10**6, 2, scale=4)
    assert profile.status == "upper bound"
    alone = normal_bounds.gaussian(16)
    total = smoothing.total_variation(10**6, 2, scale=4)
    for eps in (0.0, 0.1, 0.5, 2.0):
        assert profile.delta(eps) == pytest.approx(min(total, alone.delta(eps)), rel=1e-6)
    nothing = smoothing.total_variation(0, 1, scale=4)
    assert nothing == pytest.approx(alone.delta(0.0), rel=1e-9)


@pytest.mark.parametrize("variance", [0.0, 1e-6, 1.0, 1e18])
@pytest.mark.parametrize("width", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize(("scale", "step"), [(0.01, 1e9), (1e5, 1e-6), (1.0, 1.0)])
def test_extremes_are_bounds_without_warnings(variance, width, scale, step):
    assert 0 < smoothing.total_variation(variance, width, scale=scale, step=step) <= 1


def test_a_total_variation_is_at_most_one():
    # Noise that hides nothing: the truth is 1 - 1e-545, which no float below 1 bounds.
    assert smoothing.total_variation(0.0, 1e-6, scale=0.01) == 1.0
    assert smoothing.bound(0.0, 1e-6, scale=0.01).delta(0.0) == 1.0
