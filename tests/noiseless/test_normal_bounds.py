"""Normal approximations: never below the best half-line, and what they miss."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import norm

from pkdp import counting
from pkdp.noiseless import normal_bounds
from pkdp.profiles.laws import Finite
from pkdp.profiles.pairs import Pair

EPS = (0.0, 1e-3, 0.02, 0.1, 0.5, 2.0)


def half_lines(masses, step, eps):
    """The best of all half-lines, of either kind and both ways, for masses of 0, 1, …"""
    p = np.concatenate([np.zeros(step), masses])
    q = np.concatenate([masses, np.zeros(step)])
    best = 0.0
    for one, other in ((p, q), (q, p)):
        gain = one - math.exp(eps) * other
        best = max(best, gain.cumsum().max(), gain[::-1].cumsum().max())
    return best


def kolmogorov(masses, mean, variance):
    """The distance of masses of 0, 1, … from the normal law of this mean and variance."""
    below = np.concatenate([[0.0], np.cumsum(masses)])
    normal = ndtr((np.arange(masses.size) - mean) / math.sqrt(variance))
    return max(np.abs(below[1:] - normal).max(), np.abs(below[:-1] - normal).max())


def sum_of(laws):
    masses = np.ones(1)
    for law in laws:
        masses = np.convolve(masses, law)
    return masses


def moments_of(law):
    k = np.arange(law.size)
    mean = float(k @ law)
    return mean, *(float(law @ np.abs(k - mean) ** r) for r in (2, 3, 4))


def random_laws(random, size):
    return [random.dirichlet(np.full(random.integers(2, 5), 0.7)) for _ in range(size)]


def test_the_gaussian_profile_is_the_printed_formula():
    for variance, step in ((4.0, 1), (2500.0, 1), (2500.0, 7), (0.3, 2)):
        s = math.sqrt(variance)
        profile = normal_bounds.gaussian(variance, step=step)
        assert profile.status == "approximation"
        for eps in EPS:
            near, far = step / (2 * s) - eps * s / step, -step / (2 * s) - eps * s / step
            truth = norm.cdf(near) - math.exp(eps) * norm.cdf(far)
            assert profile.delta(eps) == pytest.approx(truth, rel=1e-6, abs=1e-15)


def test_no_half_line_of_a_random_sum_exceeds_the_lemma():
    random = np.random.default_rng(3)
    for _ in range(300):
        laws = random_laws(random, int(random.integers(3, 60)))
        mean, variance, third, _ = np.sum([moments_of(law) for law in laws], axis=0)
        masses, step = sum_of(laws), int(random.integers(1, 4))
        distance = kolmogorov(masses, mean, variance)
        assert distance <= 0.56 * third / variance**1.5
        least = normal_bounds.for_half_lines(variance, distance, step=step)
        known = normal_bounds.berry_esseen_for_half_lines(variance, third, step=step)
        for eps in EPS:
            truth = half_lines(masses, step, eps)
            assert truth <= least.delta(eps) * (1 + 1e-9) <= known.delta(eps) * (1 + 2e-9)


@given(
    st.floats(0.5, 1e4),
    st.floats(1e-6, 0.4),
    st.floats(0.1, 5.0),
    st.floats(0.0, 3.0),
)
def test_the_bound_is_the_least_sum_for_any_smaller_eps(variance, distance, step, eps):
    limit = normal_bounds.gaussian(variance, step=step)
    grid = np.linspace(0, eps, 400)
    sums = limit.delta(grid) + (1 + np.exp(grid)) * distance
    found = normal_bounds.for_half_lines(variance, distance, step=step).delta(eps)
    assert found <= min(1, sums.min()) * (1 + 1e-9)
    assert found >= min(1, sums.min()) - 0.02 - 0.01 * eps


def test_the_constants_of_stein():
    for kind, constant in (("groups", 2), ("graph", 8), ("ross", 28)):
        distance = normal_bounds._stein_distance(1.0, 0.0, 1.0, 2, kind)
        assert distance == pytest.approx(math.sqrt(constant / math.pi * 2**3))


def test_half_lines_say_nothing_of_parity():
    # 400 fair records 0 and 2: bounded for half-lines, and given away by another event.
    n = 400
    masses = sum_of([np.array([0.5, 0, 0.5])] * n)
    bound = normal_bounds.berry_esseen_for_half_lines(n, n, step=1)
    assert half_lines(masses, 1, 0.5) <= bound.delta(0.5) < 0.06
    law = Finite(0, tuple(masses))
    assert Pair(law.shift(1), law).profile().delta(5.0) == pytest.approx(1)


def wasserstein(masses, mean, variance):
    """∫|F - Φ| for a standardized integer law, by a fine grid."""
    x = np.linspace(-12, 12, 200_001)
    below = np.append(0.0, np.cumsum(masses))
    index = np.clip(np.floor(x * math.sqrt(variance) + mean).astype(int) + 1, 0, masses.size)
    return float(np.abs(below[index] - ndtr(x)).sum() * (x[1] - x[0]))


def test_steins_bound_is_above_the_distance_for_moving_windows():
    # Records max(b_i, b_{i+1}) of fair bits around a circle: each has two neighbours, D = 3.
    n = 14
    counts = np.zeros(n + 1)
    for bits in itertools.product((0, 1), repeat=n):
        counts[sum(bits[i] | bits[i - 1] for i in range(n))] += 1
    masses = counts / counts.sum()
    mean, variance, _, _ = moments_of(masses)
    third = n * float(Fraction(3, 4) * Fraction(1, 4) ** 3 + Fraction(1, 4) * Fraction(3, 4) ** 3)
    fourth = n * float(Fraction(3, 4) * Fraction(1, 4) ** 4 + Fraction(1, 4) * Fraction(3, 4) ** 4)
    moments = variance, third, fourth
    assert mean == pytest.approx(n * 3 / 4)
    graph, ross = (normal_bounds._stein_distance(*moments, 3, kind) for kind in ("graph", "ross"))
    true = wasserstein(masses, mean, variance)
    assert true < graph < ross
    assert kolmogorov(masses, mean, variance) < (2 / math.pi) ** 0.25 * math.sqrt(true) + 1e-9


COIN = {0: 0.5, 1: 0.5}


@pytest.mark.slow
def test_the_constants_behind_the_announced_rates():
    coins = 0.25
    for c in (0.0, 1.0, 4.0):
        limit = normal_bounds.root_n_delta_limit(c, coins)
        n = 10**8
        exact = math.sqrt(n) * counting.exact([0.5], multiplicities=[n]).delta(c / math.sqrt(n))
        assert exact == pytest.approx(limit, rel=2e-3)
    constant = normal_bounds.epsilon_limit(coins)
    found = []
    for log_delta in (-1e2, -1e3, -1e4):
        eps = counting.exact([0.5], multiplicities=[10**9]).epsilon(log_delta=log_delta)
        found.append(eps * math.sqrt(10**9 / -log_delta) / constant)
    assert found[0] < found[1] < found[2] < 1
    assert found[2] > 0.998
    # Berry and Esseen leave 1.12 of δ√n where the truth is 0.798 at ε = 0 and nothing soon after.
    profile = normal_bounds.berry_esseen_for_half_lines(*normal_bounds.moments([(COIN, 10**8)])[:2])
    assert profile.delta(0) * 1e4 == pytest.approx(1.12 + 0.798, abs=1e-3)
    assert 1.12 < profile.delta(0.01) * 1e4 < 1.12 * (1 + math.exp(0.01)) / 2


def test_moments_are_those_of_the_definition():
    laws = [{-3: 0.25, 0: 0.5, 7: 0.25}, {1: 0.9, 5: 0.1}, {4: 1.0}]
    counts = (3, 2, 1)
    expected = [0.0, 0.0, 0.0]
    for law, count in zip(laws, counts, strict=True):
        mean = sum(k * p for k, p in law.items())
        for i, power in enumerate((2, 3, 4)):
            expected[i] += count * sum(p * abs(k - mean) ** power for k, p in law.items())
    found = normal_bounds.moments(list(zip(laws, counts, strict=True)))
    assert found == pytest.approx(tuple(expected), rel=1e-12)
    assert normal_bounds.moments([{7: 1.0}]) == (0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="blocks must be at least one pmf"):
        normal_bounds.moments([])


def test_moments_are_in_units_of_values_whatever_their_common_divisor():
    assert normal_bounds.moments([{0: 0.5, 6: 0.5}]) == (9.0, 27.0, 81.0)
