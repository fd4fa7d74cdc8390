"""Gaussian noise on integers, against sums of bells in many digits, and by other paths."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.noiseless import gaussian_noise, normal_bounds
from pkdp.profiles.laws import Finite, PoissonBinomial, binomial
from pkdp.profiles.pairs import Pair

chances = st.lists(st.sampled_from([0.5, 0.1, 0.9, 1e-3, 1.0, 0.37]), max_size=8)
scales = st.sampled_from([0.01, 0.05, 0.3, 1.0, 3.0, 20.0, 500.0, 1e4, 1e5])
epsilons = st.sampled_from([0.0, 1e-6, 0.01, 0.3, 1.0, 5.0, 30.0])


def count_masses(probabilities):
    masses = [mpmath.mpf(1)]
    for p in map(mpmath.mpf, probabilities):
        without, with_one = [*masses, 0], [0, *masses]
        masses = [(1 - p) * x + p * y for x, y in zip(without, with_one, strict=True)]
    return masses


def log_best_half_line(masses, step, scale, eps):
    """The largest of all half-lines' excesses, found by halving, in fifty digits."""
    with mpmath.workdps(50):
        ratio, s = mpmath.e ** mpmath.mpf(eps), mpmath.mpf(scale)
        size = len(masses)
        gains = [
            (masses[k - step] if k >= step else 0) - ratio * (masses[k] if k < size else 0)
            for k in range(size + step)
        ]
        low, high = -60 * (1 + s), size + step + 60 * (1 + s) + (eps + 60) * s * s
        for _ in range(150):
            x = (low + high) / 2
            if sum(g * mpmath.exp(-(((x - k) / s) ** 2) / 2) for k, g in enumerate(gains)) > 0:
                high = x
            else:
                low = x
        tail = sum(g * mpmath.erfc((low - k) / s / mpmath.sqrt(2)) for k, g in enumerate(gains))
        return mpmath.log(tail / 2)


def by_a_fine_grid(p, q, scale, eps):
    """The positive part of the densities' difference, summed over forty thousand cells."""
    first, last = min(min(p), min(q)) - 12 * scale, max(max(p), max(q)) + 12 * scale
    x = np.linspace(first, last, 40_001)
    gain = np.zeros_like(x)
    for law, weight in ((p, 1.0), (q, -math.exp(eps))):
        for k, mass in law.items():
            gain += weight * mass * np.exp(-(((x - k) / scale) ** 2) / 2)
    return np.maximum(gain, 0).sum() * (x[1] - x[0]) / scale / math.sqrt(2 * math.pi)


@pytest.mark.slow
@given(chances, st.sampled_from([1, 2, 5]), scales, epsilons)
def test_a_count_with_noise_agrees_with_fifty_digits(probabilities, step, scale, eps):
    law = PoissonBinomial(probabilities)
    pair = gaussian_noise.add(Pair(law.shift(step), law), scale)
    masses = count_masses(probabilities)
    for found, truth in (
        (pair.log_hockey_stick(eps), log_best_half_line(masses, step, scale, eps)),
        (pair.reversed().log_hockey_stick(eps), log_best_half_line(masses[::-1], step, scale, eps)),
    ):
        assert abs(found - truth) <= 1e-10 * max(1, abs(truth))


@pytest.mark.parametrize(
    ("n", "p", "scale", "eps"),
    [
        (30, 0.1, 1.0, 0.3),
        (30, 0.5, 5.0, 0.0),
        (300, 0.2, 20.0, 0.2),
        (10, 0.1, 3.0, 2.0),
        (5, 0.5, 0.01, 1.0),
        (40, 0.3, 0.5, 4.0),
    ],
)
@pytest.mark.parametrize("step", [1, 3])
def test_a_count_has_the_same_delta_when_treated_as_any_law(n, p, scale, eps, step):
    count = binomial(n, p)
    masses = np.exp(count.log_pmf(0, n))
    finite = Finite(0, tuple(masses / masses.sum()))
    for shifted in (0, step):
        one = gaussian_noise.add(Pair(count.shift(shifted), count.shift(step - shifted)), scale)
        two = gaussian_noise.add(Pair(finite.shift(shifted), finite.shift(step - shifted)), scale)
        log_delta = one.log_hockey_stick(eps)
        assert two.log_hockey_stick(eps) == pytest.approx(log_delta, abs=1e-10)
    assert one.profile().log_delta(eps) == pytest.approx(two.profile().log_delta(eps), abs=1e-10)


@pytest.mark.slow
def test_random_laws_agree_with_a_fine_grid():
    random = np.random.default_rng(16)
    for _ in range(60):
        width = int(random.choice([3, 10, 40]))
        laws = []
        for _ in range(2):
            outcomes = random.choice(width, random.integers(1, min(8, width) + 1), replace=False)
            masses = random.dirichlet(np.full(outcomes.size, 0.4))
            laws.append(dict(zip(outcomes.tolist(), masses.tolist(), strict=True)))
        p, q = laws
        if random.random() < 0.5:
            q = {k + 1: mass for k, mass in p.items()}
        scale = float(random.choice([0.05, 0.2, 0.5, 1, 2, 6, 20]))
        eps = float(random.choice([0, 0.1, 0.5, 2]))
        pair = gaussian_noise.add(Pair(Finite.from_dict(p), Finite.from_dict(q)), scale)
        truth = by_a_fine_grid(p, q, scale, eps)
        assert math.exp(pair.log_hockey_stick(eps)) == pytest.approx(truth, abs=1e-6)
        back = by_a_fine_grid(q, p, scale, eps)
        larger = max(truth, back)
        assert pair.profile().delta(eps) == pytest.approx(larger, abs=1e-6)


def test_a_place_between_distant_outcomes_is_found():
    # Halves at 0 and 100, and the same moved by 1: in (50, 51) the order turns twice.
    p = {1: 0.5, 101: 0.5}
    q = {0: 0.5, 100: 0.5}
    pair = gaussian_noise.add(Pair(Finite.from_dict(p), Finite.from_dict(q)), 20.0)
    for eps in (0.0, 0.02, 0.1):
        truth = by_a_fine_grid(p, q, 20.0, eps)
        assert math.exp(pair.log_hockey_stick(eps)) == pytest.approx(truth, abs=1e-6)


def test_a_peak_between_the_first_points_is_found():
    # The largest ratio of the densities lies in (1, 1.5), between points looked at first.
    p, q = {0: 0.25, 1: 0.5, 3: 0.25}, {0: 0.4, 1: 0.2, 3: 0.4}
    x = np.linspace(1.0, 1.5, 10**6 + 1)
    at_p, at_q = (sum(m * np.exp(-((x - k) ** 2) / 2) for k, m in law.items()) for law in (p, q))
    ratios = np.log(at_p / at_q)
    peak = int(ratios.argmax())
    assert 0 < peak < 10**6
    pair = gaussian_noise.add(Pair(Finite.from_dict(p), Finite.from_dict(q)), 1.0)
    for short in (1e-3, 1e-5, 1e-7):
        eps = float(ratios[peak]) - short
        gain = np.maximum(0.0, at_p - math.exp(eps) * at_q).sum() * 5e-7 / math.sqrt(2 * math.pi)
        assert pair.log_hockey_stick(eps) == pytest.approx(math.log(gain), abs=1e-3)


def test_nobody_but_the_target_leaves_the_noise_alone():
    for scale in (0.5, 3.0, 100.0):
        alone = normal_bounds.gaussian(scale**2)
        for pair in (counting.pair([]), Pair(Finite(3, (1.0,)), Finite(2, (1.0,)))):
            noisy = gaussian_noise.add(pair, scale).profile()
            for eps in (0.0, 0.1, 1.0, 2.5):
                assert noisy.log_delta(eps) == pytest.approx(alone.log_delta(eps), rel=1e-8)


def test_equal_laws_are_not_told_apart_and_deep_tails_are_right():
    law = Finite(0, (0.2, 0.0, 0.8))
    assert gaussian_noise.add(Pair(law, law), 1.0).profile().log_delta(0.0) == -math.inf
    million = counting.pair([0.1], multiplicities=[10**6])
    pair = gaussian_noise.add(million, 5.0)
    # Near enough what it is without noise, of variance 9e4 in place of 90,025.
    for noisy, bare in ((pair, million), (pair.reversed(), million.reversed())):
        log_delta = noisy.log_hockey_stick(0.3)
        assert log_delta == pytest.approx(bare.log_hockey_stick(0.3), rel=1e-3)
        assert log_delta < bare.log_hockey_stick(0.3)
    noisy = pair.profile()
    assert noisy.log_delta(math.inf) == -math.inf
    assert noisy.delta(noisy.epsilon(1e-9)) <= 1e-9


def test_the_tail_of_little_noise_keeps_falling():
    """Far above the largest loss of the count only the noise is left: here of N(64, 1)."""
    alone = gaussian_noise.add(counting.pair([]), 1 / 64).profile()
    assert alone.epsilon(1e-6) == pytest.approx(2351.2546171322674, rel=1e-9)
    coins = gaussian_noise.add(counting.pair([0.5] * 3), 1 / 64).profile()
    # At ε = 2300 all that shows is the last outcome, of mass 1/8, which moves like no coins at all.
    lonely = alone.log_delta(2300.0) - math.log(8.0)
    assert coins.log_delta(2300.0) == pytest.approx(lonely, abs=1e-6)
    values = [coins.log_delta(eps) for eps in (600.0, 650.0, 2000.0, 2048.0, 3000.0, 1e5)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < -1e6
