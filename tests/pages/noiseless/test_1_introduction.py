"""Section 1: incomes in a village, a company, a country; maxima; the noise of n users."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from operator import eq, ne

import numpy as np
import pytest

from pkdp.figures.noiseless import weekly_wages as wages
from pkdp.noiseless import synergy
from pkdp.partial_knowledge import noise
from pkdp.profiles.laws import Finite
from pkdp.profiles.pairs import Pair
from pkdp.worlds import World
from pkdp.worlds.definitions import apk_delta, dp_delta
from pkdp.worlds.mechanisms import make_randomized_response, total
from tests.oracles.groups import HALF, both_ways, hockey_stick, moved

pytestmark = pytest.mark.page

F = Fraction
RATIOS = [F(1), F(3, 2), F(10), math.inf]
DELTA = 1e-6
VILLAGE, COMPANY, TOWN, COUNTRY = 12, 400, 28_155, 10**6
# Dollars a week: the quartiles; the largest and the median.
TYPICAL, LARGEST = (780, 310), (18_780, 520)


def eps_of(n, pair):
    return wages.average(n, *pair, unit=10).epsilon(DELTA)


# Averages.


def test_the_pairs_are_quartiles_and_the_largest_against_the_median():
    assert [round(wages.quantile(share), -1) for share in (0.75, 0.25, 1, 0.5)] == [
        *TYPICAL,
        *LARGEST,
    ]


@pytest.mark.slow
def test_the_average_of_a_country_hides_everyone():
    assert eps_of(COUNTRY, TYPICAL) < 0.003
    assert eps_of(COUNTRY, LARGEST) < 0.16


def test_the_average_of_many_hides_typical_earners():
    assert eps_of(COMPANY, TYPICAL) < 0.25
    assert eps_of(TOWN, TYPICAL) < 0.021
    assert eps_of(TOWN, LARGEST) == pytest.approx(1.07, abs=0.005)


def test_the_largest_earner_is_not_hidden_among_four_hundred():
    assert eps_of(COMPANY, LARGEST) > 15
    assert wages.average(COMPANY, *LARGEST, unit=10).delta(1.0) > 0.55


def test_the_average_of_a_village_exposes():
    assert eps_of(VILLAGE, TYPICAL) > 3.89
    assert eps_of(VILLAGE, LARGEST) == math.inf
    assert wages.average(VILLAGE, *LARGEST, unit=10).delta(3.0) > 0.999


def test_what_is_known_decides():
    # Who knows 351 of the company's wages faces 49 people, and who knows one more faces 48.
    assert eps_of(400 - 351, TYPICAL) <= 1 < eps_of(400 - 352, TYPICAL)


def test_copies_of_one_coin_hide_nobody():
    # Dependence must be taken into account: a thousand fair coins hide a bit, and copies do not.
    copies = {0: HALF, 1000: HALF}
    assert all(both_ways(copies, moved(copies, 1), ratio) == 1 for ratio in RATIOS)
    coins = {k: F(math.comb(1000, k), 2**1000) for k in range(1001)}
    assert both_ways(coins, moved(coins, 1), 1) < F(1, 39)


def test_a_check_needs_the_belief_only():
    # For a guarantee of ε ≤ 0.1 at δ = 1e-6: who has no data yet knows which release passes.
    assert eps_of(TOWN, TYPICAL) <= 0.1 < eps_of(COMPANY, TYPICAL)


# The maximum.


def law_of_maximum(others, at_least):
    law = Counter()
    for values, mass in others.items():
        law[max(*values, at_least)] += mass
    return law


def test_a_maximum_has_the_probability_that_it_rules_the_value_out():
    source = random.Random(3)
    for _ in range(300):
        n = source.randint(1, 3)
        # Any joint law of the others.
        weights = {values: source.randint(0, 3) for values in product(range(4), repeat=n)}
        whole = sum(weights.values())
        others = {values: F(weight, whole) for values, weight in weights.items()}
        a = source.randint(0, 4)
        below = sum((m for values, m in others.items() if max(values) < a), F(0))
        larger = law_of_maximum(others, a)
        for b in (source.randint(-1, a - 1), -9):  # -9: the target left out
            smaller = law_of_maximum(others, b)
            for ratio in RATIOS:
                assert hockey_stick(smaller, larger, ratio) == below
                assert both_ways(larger, smaller, ratio) == below


def test_the_maximum_exposes_in_a_village_and_in_a_company():
    top = wages.quantile(1)
    assert wages.maximum(VILLAGE, top, 522).delta(5.0) > 0.999
    assert wages.maximum(COMPANY, top, 522).delta(5.0) > 0.98
    assert wages.maximum(TOWN, top, 522).delta(5.0) == pytest.approx(math.exp(-1), abs=1e-4)
    assert wages.maximum(COUNTRY, top, 522).delta(0.0) < 1e-15


def test_fourteen_who_earn_as_much_hide_from_a_maximum():
    assert 13 < math.log(1 / DELTA) < 14
    for share in (0.3, 0.75, 0.99, 1):
        wage = wages.quantile(share)
        rest = float(np.mean(wages.weekly() >= wage))
        n = math.ceil(14 / rest) + 1
        assert wages.maximum(n, wage, 50).delta(0.0) <= DELTA


def test_others_who_follow_one_coin_hide_a_maximum_like_one():
    m = 6
    alike = {((vote, *(coin,) * m), ()): F(1, 4) for vote in (0, 1) for coin in (0, 1)}
    apart = {(votes, ()): F(1, 2 ** (m + 1)) for votes in product((0, 1), repeat=m + 1)}
    for ratio in (1, 3, 10):
        assert apk_delta(World(alike), max, ratio, [0]) == F(1, 2)
        assert apk_delta(World(apart), max, ratio, [0]) == F(1, 2**m)


# Noise, and relatives.


def test_noise_for_one_hides_a_family_of_twelve_less():
    family = Pair(Finite.from_dict({12: 1.0}), Finite.from_dict({0: 1.0}))
    noisy = noise.add(family, noise.Geometric(math.exp(-1.0))).profile()
    assert noisy.epsilon(0.0) == pytest.approx(12.0)
    assert noisy.delta(1.0) == pytest.approx(0.996, abs=5e-4)


# Differential privacy.


def test_a_deterministic_answer_is_private_only_if_it_says_nothing():
    databases = list(product((0, 1), repeat=2))
    for outputs in product(range(4), repeat=4):
        answer = dict(zip(databases, outputs, strict=True))
        for ratio in RATIOS:
            found = dp_delta(answer.__getitem__, [0, 1], 2, ratio=ratio)
            assert found == (len(set(outputs)) > 1)


def test_random_answers_need_no_added_noise():
    # Noise is inevitable in the sense of randomness: randomized response adds to no answer.
    assert dp_delta(make_randomized_response(HALF), [0, 1], 2, ratio=3) == 0


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_no_exact_average_is_differentially_private(n):
    for ratio in RATIOS:
        assert dp_delta(lambda d: F(sum(d), n), [0, 1, 40], n, ratio=ratio) == 1
    assert dp_delta(total, [0, 1], n, ratio=math.inf) == 1


def test_noise_for_all_wages_drowns_a_village_and_not_a_country():
    mean, deviation = wages.weekly().mean(), wages.weekly().std()
    noise = synergy.geometric_deviation(math.exp(-1 / 18_780))
    # The sum of whole dollars moves by at most 18,780, and that costs ε = 1.
    assert noise == pytest.approx(math.sqrt(2) * 18_780, rel=1e-6)
    assert noise / VILLAGE > 3.5 * mean
    assert noise / COUNTRY < 0.03 < 0.1 * deviation / math.sqrt(COUNTRY)
    # Everybody's own noise: 26 dollars in the country.
    assert noise / math.sqrt(COUNTRY) > 26


# The noise of n users.


def random_kernel(source, outcomes):
    """Two laws on the outcomes, for the bit 0 and the bit 1, with no mass 0."""
    rows = [[source.randint(1, 5) for _ in range(outcomes)] for _ in range(2)]
    return [[F(weight, sum(row)) for weight in row] for row in rows]


def random_protocol(source, n, rounds):
    """The law of the record of all messages, for each database.

    A kernel for each user and each past: a later message depends on the bit, on all that was said,
    and through it on the user's earlier randomness.
    """
    kernels = {}
    laws = {}
    for bits in product((0, 1), repeat=n):
        law = {(): F(1)}
        for turn in range(rounds * n):
            step = {}
            for said, mass in law.items():
                if said not in kernels:
                    kernels[said] = random_kernel(source, 2)
                for message, chance in enumerate(kernels[said][bits[turn % n]]):
                    step[(*said, message)] = mass * chance
            law = step
        laws[bits] = law
    return laws


def least_error_and_ratio(laws, n):
    """The least mean squared error of an estimate of the sum under fair bits, and e^ε."""
    error, ratio = F(0), F(1)
    for record in next(iter(laws.values())):
        masses = {bits: law[record] / 2**n for bits, law in laws.items()}
        whole = sum(masses.values())
        mean = sum(sum(bits) * m for bits, m in masses.items()) / whole
        error += sum((sum(bits) - mean) ** 2 * m for bits, m in masses.items())
        for bits, m in masses.items():
            for i in range(n):
                other = (*bits[:i], 1 - bits[i], *bits[i + 1 :])
                ratio = max(ratio, m / masses[other])
    return error, ratio


@pytest.mark.parametrize(("n", "rounds"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
def test_no_protocol_whose_messages_are_seen_has_a_smaller_error(n, rounds):
    source = random.Random(10 * n + rounds)
    for _ in range(25):
        error, ratio = least_error_and_ratio(random_protocol(source, n, rounds), n)
        assert error >= n * ratio / (1 + ratio) ** 2


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("ratio", [F(3, 2), F(3)])
def test_randomized_response_has_the_least_error(n, ratio):
    right = ratio / (1 + ratio)
    laws = {
        bits: {
            told: right ** sum(map(eq, bits, told)) * (1 - right) ** sum(map(ne, bits, told))
            for told in product((0, 1), repeat=n)
        }
        for bits in product((0, 1), repeat=n)
    }
    assert least_error_and_ratio(laws, n) == (n * ratio / (1 + ratio) ** 2, ratio)
    # The unbiased estimate, on every database.
    for bits, law in laws.items():
        estimates = {told: (sum(told) - n * (1 - right)) / (2 * right - 1) for told in law}
        assert sum(m * estimates[told] for told, m in law.items()) == sum(bits)
        error = sum(m * (estimates[told] - sum(bits)) ** 2 for told, m in law.items())
        assert error == n * ratio / (ratio - 1) ** 2


def test_if_only_the_sum_is_seen_the_noise_does_not_grow():
    p, E = math.exp(-1.0), math.e
    for users in (10, 1000):
        half = synergy.share_masses(p, users, most=300)
        k = np.arange(301)
        variance = 2 * users * float(half @ k**2 - (half @ k) ** 2)
        assert variance == pytest.approx(2 * E / (E - 1) ** 2, rel=1e-9)
        # Response over shares: √(n/2).
        response = users * E / (E - 1) ** 2
        assert response / variance == pytest.approx(users / 2, rel=1e-9)
    # Nearly all add nothing: their messages must not be seen.
    assert float(half @ half) > 0.999
