"""Section 3: exact sums of independent records, and what normal approximation makes of them."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from pkdp import counting, sums
from pkdp.noiseless import normal_bounds, privacy_blanket
from tests.oracles.groups import both_ways, hockey_stick, moved

pytestmark = pytest.mark.page

RATIOS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(4)]
DIE = dict.fromkeys(range(6), 1 / 6)
RARE = {0: (1 - 1e-4) / 2, 1: 1e-4, 2: (1 - 1e-4) / 2}


def convolved(laws):
    """The law of a sum of independent integers, mass by mass."""
    total = {0: Fraction(1)}
    for law in laws:
        found = {}
        for (k, p), (j, q) in product(total.items(), law.items()):
            found[k + j] = found.get(k + j, 0) + p * q
        total = found
    return total


def log_concave_law(source):
    """A random one: quotients of neighbours fall."""
    masses = [Fraction(source.randint(1, 9))]
    quotients = sorted((Fraction(source.randint(1, 12), source.randint(1, 6))
                        for _ in range(source.randint(1, 4))), reverse=True)  # fmt: skip
    for quotient in quotients:
        masses.append(masses[-1] * quotient)
    least = source.randint(-3, 3)
    return {least + k: mass / sum(masses) for k, mass in enumerate(masses)}


def half_lines(p, q, ratio):
    """The best of all upward half-lines against p ‖ q, and of all downward ones."""
    places = sorted({*p, *q})
    gains = [p.get(k, 0) - ratio * q.get(k, 0) for k in places]
    up = max(sum(gains[i:]) for i in range(len(gains) + 1))
    down = max(sum(gains[:i]) for i in range(len(gains) + 1))
    return up, down


# Half-lines


@pytest.mark.slow
def test_for_log_concave_records_no_event_beats_the_best_half_line():
    source = random.Random(3)
    for _ in range(60):
        law = convolved([log_concave_law(source) for _ in range(source.randint(1, 4))])
        for ratio in RATIOS:
            before = Fraction(0), Fraction(0)
            for a in (1, 2, 3, 5):
                one = hockey_stick(moved(law, a), law, ratio)
                other = hockey_stick(law, moved(law, a), ratio)
                assert one == half_lines(moved(law, a), law, ratio)[0] >= before[0]
                assert other == half_lines(law, moved(law, a), ratio)[1] >= before[1]
                before = one, other


def test_half_lines_do_not_suffice_for_records_of_0_and_2():
    law = convolved([{0: Fraction(1, 2), 2: Fraction(1, 2)}] * 6)
    for ratio in RATIOS:
        assert both_ways(law, moved(law, 1), ratio) == 1
        assert max(half_lines(moved(law, 1), law, ratio)) < Fraction(2, 5)


def test_the_largest_step_need_not_be_the_worst():
    law = {0: Fraction(99, 200), 1: Fraction(1, 100), 2: Fraction(99, 200)}
    deltas = [both_ways(law, moved(law, step), 1) for step in (1, 2)]
    assert deltas == [Fraction(98, 100), Fraction(101, 200)]
    floats = {k: float(mass) for k, mass in law.items()}
    for step, delta in zip((1, 2), deltas, strict=True):
        found = sums.pair([(floats, 1)], shift=step).profile().delta(0.0)
        assert found == pytest.approx(float(delta))


def kolmogorov(masses, deviation, mean):
    below = np.concatenate([[0.0], np.cumsum(masses)])
    normal = norm.cdf((np.arange(masses.size) - mean) / deviation)
    return max(np.abs(below[1:] - normal).max(), np.abs(below[:-1] - normal).max())


def test_intervals_need_the_distance_twice_and_half_lines_once():
    source = np.random.default_rng(4)
    for _ in range(40):
        masses = np.ones(1)
        for _ in range(int(source.integers(4, 20))):
            masses = np.convolve(masses, source.dirichlet(np.ones(4)))
        k = np.arange(masses.size)
        mean = float(k @ masses)
        variance = float(masses @ (k - mean) ** 2)
        distance = kolmogorov(masses, math.sqrt(variance), mean)
        for a, eps in product((1, 2), (0.0, 0.1, 1.0)):
            gain = np.append(np.zeros(a), masses) - math.exp(eps) * np.append(masses, np.zeros(a))
            sums_of = np.concatenate([[0.0], gain.cumsum()])
            ends = max(sums_of.max(), sums_of[-1] - sums_of.min())
            interval = (sums_of - np.minimum.accumulate(sums_of)).max()
            once, twice = (
                normal_bounds.for_half_lines(variance, times * distance, step=a).delta(eps)
                for times in (1, 2)
            )
            assert ends <= once * (1 + 1e-9)
            assert interval <= twice * (1 + 1e-9)


def test_the_bound_by_a_distance_is_never_below_the_largest_mass():
    source = random.Random(5)
    for _ in range(30):
        law = convolved([log_concave_law(source) for _ in range(source.randint(3, 6))])
        first, last = min(law), max(law)
        masses = np.array([float(law[k]) for k in range(first, last + 1)])
        k = np.arange(masses.size)
        mean = float(k @ masses)
        variance = float(masses @ (k - mean) ** 2)
        distance = kolmogorov(masses, math.sqrt(variance), mean)
        bound = normal_bounds.for_half_lines(variance, distance)
        largest = float(max(law.values()))
        assert both_ways(law, moved(law, 1), 1) == max(law.values())
        assert all(bound.delta(eps) >= largest * (1 - 1e-9) for eps in (0.0, 0.5, 2.0, 10.0))


def test_the_bounds_of_the_figure_are_above_the_truth_and_far():
    for n in (100, 10_000, 30_000):
        others = [(DIE, n - 1)]
        m = normal_bounds.moments(others)
        truth = sums.pair(others, 5).profile().delta(0.1)
        once = normal_bounds.berry_esseen_for_half_lines(m.variance, m.third, step=5).delta(0.1)
        stein = normal_bounds.stein_for_half_lines(
            *m, neighbourhood=1, dependence="ross", step=5
        ).delta(0.1)
        assert truth <= privacy_blanket.bound(others, 5, 5).delta(0.1) <= once <= stein
        assert once >= 1.4 / math.sqrt(n)
    # At δ = 1e-6 they say nothing up to n = 2·10¹²: the distance alone is too large.
    ratio = m.third * math.sqrt(n - 1) / m.variance**1.5
    assert 2 * 0.56 * ratio / math.sqrt(2e12) > 1e-6


def test_the_gaussian_limit_is_below_the_truth_in_the_tail():
    for n, factor in ((1000, 1.00005), (10_000, 1.002), (100_000, 1.02)):
        exact = sums.pair([(DIE, n - 1)], 5).profile().log_delta(0.1)
        limit = normal_bounds.gaussian(35 / 12 * (n - 1), step=5).log_delta(0.1)
        assert exact > limit + math.log(factor)


# Constants


def test_the_first_limit():
    n = 10**6
    for law, a, variance in ((DIE, 5, 35 / 12), ({0: 0.7, 1: 0.3}, 1, 0.21)):
        profile = sums.pair([(law, n)], a).profile()
        for c in (0.0, 1.0, 3.0):
            limit = normal_bounds.root_n_delta_limit(c, variance, step=a)
            t = c * math.sqrt(variance) / a
            form = a / math.sqrt(variance) * (norm.pdf(t) - t * norm.cdf(-t))
            assert limit == pytest.approx(form, rel=1e-12)
            assert math.sqrt(n) * profile.delta(c / math.sqrt(n)) == pytest.approx(limit, rel=5e-3)


def test_the_second_limit_is_approached_slowly():
    # The exponent between n and n², whose neglected factors are logarithms.
    variance, a, c = 0.25, 1, 4.0
    found = []
    for n in (10**3, 10**5, 10**8):
        deltas = [
            counting.exact([0.5], multiplicities=[k]).log_delta(c * math.sqrt(math.log(k) / k))
            for k in (n, 2 * n)
        ]
        found.append((deltas[1] - deltas[0]) / math.log(2))
    limit = -0.5 - c**2 * variance / (2 * a**2)
    errors = [abs(exponent - limit) for exponent in found]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.06


def test_the_third_limit():
    n = 10**8
    constant = normal_bounds.epsilon_limit(0.25)
    assert constant == pytest.approx(math.sqrt(8))
    found = []
    for power in (0.3, 0.4, 0.5):
        eps = counting.exact([0.5], multiplicities=[n]).epsilon(log_delta=-(n**power))
        found.append(eps * math.sqrt(n / n**power) / constant)
    assert found[0] < found[1] < found[2] < 1
    assert found[2] > 0.99


# Gaps


def rho(eps):
    return (1 + math.exp(eps)) / 2 * math.exp(-eps / (1 + math.exp(-eps)))


def test_rho_is_the_rate_of_fair_coins():
    for eps in (0.01, 0.5, 3.0):
        tau = math.exp(eps) / (1 + math.exp(eps))
        entropy = tau * math.log(2 * tau) + (1 - tau) * math.log(2 * (1 - tau))
        assert rho(eps) == pytest.approx(math.exp(-entropy), rel=1e-12)
        assert rho(eps) < 1
        for k in (0, 1, 5, 40):
            assert counting.exact([0.5] * k).delta(eps) <= rho(eps) ** k * (1 + 1e-12)


@pytest.mark.parametrize(
    ("values", "a", "size"),
    [((0, 2, 5), 1, 2), ((0, 5, 8), 1, 3), ((1, 7), 6, 1), ((0, 4, 6), 2, 1), ((0, 6, 10), 2, 2)],
)
def test_where_no_gap_divides_blocks_of_some_size_have_a_coin(values, a, size):
    record = {value: Fraction(1, len(values)) for value in values}
    weights = [
        privacy_blanket.largest_weight(convolved([record] * b), a) for b in range(1, size + 1)
    ]
    assert all(w == 0 for w in weights[:-1])
    law = convolved([record] * size)
    weight = 2 * max(min(p, law.get(k + a, 0)) for k, p in law.items())
    assert 0 < weight <= weights[-1]
    for number, eps in product((7, 60), (0.2, 1.0)):
        bound = (1 - float(weight) * (1 - rho(eps))) ** (number // size)
        assert sums.pair([(record, number)], a).profile().delta(eps) <= bound


def test_where_a_gap_does_not_divide_the_target_is_seen():
    for values, a in (((0, 2), 1), ((10, 25, 40), 10), ((0, 7), 5), ((-3, 3), 4)):
        record = {value: Fraction(1, len(values)) for value in values}
        for number in (1, 2, 9):
            law = convolved([record] * number)
            assert both_ways(law, moved(law, a), math.inf) == 1
        assert sums.pair([(record, 1000)], a).profile().delta(50.0) == 1.0


def test_parity_is_a_floor():
    source = random.Random(6)
    for _ in range(40):
        laws = []
        bias = Fraction(1)
        for _ in range(source.randint(1, 4)):
            masses = [Fraction(source.randint(0, 6)) for _ in range(4)]
            masses[source.randrange(4)] += 1
            law = {k: mass / sum(masses) for k, mass in enumerate(masses) if mass}
            bias *= 1 - 2 * sum(p for k, p in law.items() if k % 2)
            laws.append(law)
        law = convolved(laws)
        for ratio, a in product(RATIOS, (1, 3, -1)):
            floor = (1 + abs(bias)) / 2 - ratio * (1 - abs(bias)) / 2
            assert both_ways(law, moved(law, a), ratio) >= floor


def test_the_floor_of_rare_odd_records_ends_at_15_000():
    q = 1e-4
    last = math.log(math.tanh(0.05)) / math.log(1 - 2 * q)
    assert 14_980 < last < 14_990
    assert last == pytest.approx(math.log(1 / math.tanh(0.05)) / (2 * q), rel=2e-4)
    for number, above in ((10_000, True), (13_000, True), (20_000, False)):
        truth = sums.pair([(RARE, number)]).profile().delta(0.1)
        half = normal_bounds.berry_esseen_for_half_lines(number, number).delta(0.1)
        assert (truth > half) == above
        assert truth <= privacy_blanket.bound([(RARE, number)]).delta(0.1)
    assert truth < 1e-20
    assert privacy_blanket.largest_weight(RARE) == pytest.approx(2 * q)


def test_exact_sums_agree_with_integers():
    # 60 records of 0…5: all masses are multiples of 6⁻⁶⁰.
    ways = [1]
    for _ in range(60):
        ways = [sum(ways[max(0, k - 5) : k + 1]) for k in range(len(ways) + 5)]
    for a, ratio in ((1, Fraction(11, 10)), (5, Fraction(3))):
        p, q = [0] * a + ways, ways + [0] * a
        excess = sum(max(0, x - ratio * y) for x, y in zip(p, q, strict=True))
        truth = sums.pair([(DIE, 60)], a).profile().log_delta(math.log(ratio))
        assert truth == pytest.approx(math.log(excess / 6**60), rel=1e-10)
