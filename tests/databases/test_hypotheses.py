"""Two hypotheses about databases: the exact optimum and the closed forms, against enumeration."""

import itertools
import math
from fractions import Fraction as F
from random import Random

import mpmath
import numpy as np
import pytest

from pkdp import accounting, hypotheses
from pkdp.databases import _exchangeable
from pkdp.profiles.binomials import binomial_masses
from tests.oracles import hypotheses as oracle

RATIOS = [F(1), F(3, 2), F(4), F(20)]


def as_floats(guarantees):
    """ε and δ as floats, of exact ratios and leaks."""
    ratios, leaks = zip(*guarantees, strict=True)
    return [math.log(ratio) for ratio in ratios], [float(leak) for leak in leaks]


def exactly(law):
    """The exchangeable prior of a law of the number, in fractions."""
    k = len(law) - 1
    return {
        bits: F(law[sum(bits)]) / math.comb(k, sum(bits))
        for bits in oracle.vectors(k)
        if law[sum(bits)]
    }


def random_numbers(draws, k, grain=5):
    """A law of the number, in fractions; some numbers may be impossible."""
    weights = [draws.randint(0, grain) for _ in range(k + 1)]
    weights[draws.randrange(k + 1)] += 1
    return [F(weight, sum(weights)) for weight in weights]


def same(computed, exact):
    """A float agrees with a fraction to a relative 1e-11, or is as small as rounding is."""
    assert computed == pytest.approx(float(exact), rel=1e-11, abs=1e-15)


# The exact optimum, few databases


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_that_of_enumeration_in_both_directions(seed):
    draws = Random(seed)
    for trial in range(55):  # 440 pairs of priors
        k = 4 if trial % 25 == 0 else draws.choice((1, 2, 2, 3))
        prior, other = (oracle.random_prior(draws, k) for _ in range(2))
        guarantees = list(oracle.guarantees(draws, k))
        pair = hypotheses.pair(prior, other, *as_floats(guarantees))
        profile = pair.profile()
        ratios, leaks = zip(*guarantees, strict=True)
        for ratio in RATIOS:
            eps = math.log(ratio)
            there = oracle.one_way(prior, other, ratios, leaks, ratio)
            back = oracle.one_way(other, prior, ratios, leaks, ratio)
            same(math.exp(pair.log_hockey_stick(eps)), there)
            same(math.exp(pair.reversed().log_hockey_stick(eps)), back)
            same(profile.delta(eps), max(there, back))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_adaptive_adversaries_never_exceed_the_optimum(seed):
    draws = Random(100 + seed)
    for _ in range(250):  # 1,000 attackers
        k = draws.choice((1, 2, 2, 3))
        prior, other = (oracle.random_prior(draws, k) for _ in range(2))
        guarantees = list(oracle.guarantees(draws, k))
        ratios, leaks = zip(*guarantees, strict=True)
        adversary = oracle.random_adversary(draws, ratios, leaks, outputs=2 if k == 3 else 3)
        pair = hypotheses.pair(prior, other, *as_floats(guarantees))
        for ratio in draws.sample(RATIOS, 2):
            optimum = math.exp(pair.log_hockey_stick(math.log(ratio)))
            assert oracle.played_one_way(adversary, prior, other, ratio) <= optimum + 1e-14


def test_masses_too_small_for_floats_have_their_logarithms():
    # 6 answers of ε = 200: told apart up to 1200, far beyond any float.
    none, every = hypotheses.point([0] * 6), hypotheses.point([1] * 6)
    profile = hypotheses.pair(none, every, [200.0] * 6).profile()
    assert profile.epsilon(0.0) == pytest.approx(1200.0, rel=1e-12)
    with mpmath.workdps(60):
        lie = 1 / (1 + mpmath.exp(200))
        true = mpmath.mpf(1) - lie
        expected = mpmath.log(true**6 * (1 - mpmath.exp(1100 - 1200)))
    assert profile.log_delta(1100.0) == pytest.approx(float(expected), abs=1e-15)
    # One that is half and half has the same ratios, except for a prior's own.
    half = hypotheses.pair({(0,) * 6: 0.5, (1,) * 6: 0.5}, every, [200.0] * 6).profile()
    assert half.epsilon(0.0) == pytest.approx(1200.0 - math.log(2.0), rel=1e-12)


@pytest.mark.parametrize(("epsilons", "deltas"), [([0.5, 1.0, 2.0], 0.0), ([0.5, 0.5], 0.25)])
def test_all_against_none_is_optimal_composition(epsilons, deltas):
    k = len(epsilons)
    pair = hypotheses.pair(hypotheses.point([1] * k), hypotheses.point([0] * k), epsilons, deltas)
    expected = accounting.heterogeneous(epsilons, deltas).upper
    for eps in (0.0, 0.3, 1.7, 3.4, math.inf):
        assert pair.profile().delta(eps) == pytest.approx(expected.delta(eps), rel=1e-11)


def test_what_is_the_same_under_both_priors_costs_nothing():
    prior = hypotheses.not_none(hypotheses.product([0.3, 0.9, 0.5]))
    pair = hypotheses.pair(prior, prior, [1.0, 0.5, 2.0], [0.0, 0.5, 1.0])
    assert pair.profile().delta([0.0, 1.0, math.inf]).tolist() == [0.0, 0.0, 0.0]
    # A mechanism of ε = 0 says nothing; one of δ = 1 says all.
    none, every = hypotheses.point([0, 0]), hypotheses.point([1, 1])
    assert hypotheses.pair(none, every, [0.0, 0.0]).profile().delta(0.0) == 0.0
    assert hypotheses.pair(none, every, [0.0, 0.0], [1.0, 0.0]).profile().delta(50.0) == 1.0


# Priors of which only the number matters


@pytest.mark.parametrize("seed", range(4))
def test_numbers_alone_say_what_all_replies_say(seed):
    draws = Random(200 + seed)
    for _ in range(25):
        k = draws.randint(1, 4)
        law, other = random_numbers(draws, k), random_numbers(draws, k)
        (ratio, leak), *_ = oracle.guarantees(draws, 1)
        pair = hypotheses.exchangeable(law, other, math.log(ratio), float(leak))
        both = exactly(law), exactly(other)
        written = hypotheses.pair(*both, [math.log(ratio)] * k, float(leak))
        for at in RATIOS:
            exact = oracle.one_way(*both, [ratio] * k, [leak] * k, at)
            same(math.exp(pair.log_hockey_stick(math.log(at))), exact)
            same(math.exp(written.log_hockey_stick(math.log(at))), exact)
        for direction, turned in ((pair, written), (pair.reversed(), written.reversed())):
            told = math.exp(turned.log_hockey_stick(math.inf))
            same(math.exp(direction.log_hockey_stick(math.inf)), told)


@pytest.mark.parametrize(("eps", "delta"), [(0.05, 1e-4), (2.0, 1e-9), (2.0, 0.0)])
def test_so_many_against_none_is_optimal_composition_of_so_many(eps, delta):
    k, m = 365, 150
    law, none = np.zeros(k + 1), np.zeros(k + 1)
    law[m] = none[0] = 1.0
    pair = hypotheses.exchangeable(law, none, eps, delta)
    expected = accounting.optimal(eps, delta, times=m)
    # The others say nothing, yet they are seen: k = 365 replies, of which one cannot tell which.
    assert pair.profile().delta(eps) <= expected.delta(eps) * (1.0 + 1e-9)
    every = hypotheses.exchangeable(
        [*[0.0] * k, 1.0], none, eps, delta
    ).profile()  # of which one can
    expected = accounting.optimal(eps, delta, times=k)
    for at in (0.0, eps, 40 * eps):
        assert every.log_delta(at) == pytest.approx(expected.log_delta(at), abs=1e-11)
    assert every.epsilon(0.3) == pytest.approx(expected.epsilon(0.3), rel=1e-9)


def test_a_strong_answer_of_many_is_computed_in_logarithms():
    # 300 answers of ε = 20: most masses are far below any float.
    k, eps = 300, 20.0
    law, other = np.asarray(binomial_masses(k, 0.5)), np.asarray(binomial_masses(k, 0.1))
    up, down = hypotheses.ordered(law, other, eps)
    profile = hypotheses.exchangeable(law, other, eps).profile()
    assert profile.epsilon(0.0) == pytest.approx(max(up, down), rel=1e-9)
    pair = hypotheses.exchangeable(other, law, eps)
    assert pair.log_hockey_stick(down * (1 + 1e-9)) == -math.inf
    assert pair.log_hockey_stick(down * (1 - 1e-6)) > -math.inf


def test_thirty_databases_are_exact():
    draws, k, ratio = Random(7), 30, F(3, 2)
    law, other = random_numbers(draws, k), random_numbers(draws, k)

    def answers(numbers):
        """The law of the number of answers "one", in fractions."""
        true, found = ratio / (1 + ratio), [F(0)] * (k + 1)
        for j, mass in enumerate(numbers):
            for kept in range(j + 1):
                for wrong in range(k - j + 1):
                    lies = j - kept + wrong
                    ways = math.comb(j, kept) * math.comb(k - j, wrong)
                    found[kept + wrong] += mass * ways * true ** (k - lies) * (1 - true) ** lies
        return found

    pair = hypotheses.exchangeable(law, other, math.log(ratio))
    one, two = answers(law), answers(other)
    for at in (F(1), F(11, 10), F(2), F(3)):
        exact = sum(max(F(0), p - at * q) for p, q in zip(one, two, strict=True))
        same(math.exp(pair.log_hockey_stick(math.log(at))), exact)


def test_leaks_that_are_left_out_are_counted():
    law, other = np.asarray(binomial_masses(60, 0.5)), np.asarray(binomial_masses(60, 0.25))
    pair = hypotheses.exchangeable(law, other, 0.1, 0.05)
    every, some = pair.log_masses(-math.inf), pair.log_masses(-20.0)
    assert every.log_left_out == -math.inf
    assert some.log_p.size < every.log_p.size / 3
    for full, part in ((every.log_p, some.log_p), (every.log_q, some.log_q)):
        assert np.exp(full).sum() == pytest.approx(1.0, abs=1e-12)
        lacking = math.fsum([*np.exp(full), *-np.exp(part)])  # free of the rounding of a sum near 1
        assert 0.0 < lacking <= math.exp(some.log_left_out) <= math.exp(-20.0)
    # The profile lists on until what is left out does not matter.
    assert pair.profile().log_delta(4.0) == pytest.approx(
        pair._log_listed(4.0, False, -math.inf)[0], abs=1e-12
    )


def test_what_leaks_alone_tell_is_in_closed_form():
    # At least 120 databases against fewer: so many leaks must show so many ones, or zeros.
    k, m, delta = 150, 120, 1e-3
    law = np.asarray(binomial_masses(k, 0.5))
    many, few = hypotheses.given_number(law, m), hypotheses.given_number(law, 0, m - 1)
    with mpmath.workdps(40):
        exact = mpmath.fsum(
            float(many[j])
            * mpmath.binomial(j, shown)
            * mpmath.mpf(delta) ** shown
            * (1 - mpmath.mpf(delta)) ** (j - shown)
            for j in range(m, k + 1)
            for shown in range(m, j + 1)
        )
        expected = float(mpmath.log(exact))
    alone, left_out = _exchangeable.log_alone(many, few, delta)
    assert alone == pytest.approx(expected, rel=1e-12)
    assert expected < -700.0
    assert left_out == -math.inf
    # A pair counts leaks so rare as if they told everything.
    counted = hypotheses.exchangeable(many, few, 0.1, delta).log_hockey_stick(600.0)
    assert expected < counted <= -240.0


def test_a_search_does_not_list_what_does_not_matter():
    # δ at ε = 1 is below 1e-80, and to know it better would take 10^7 outcomes.
    law = np.asarray(binomial_masses(500, 0.5))
    many, few = hypotheses.given_number(law, 250), hypotheses.given_number(law, 0, 249)
    profile = hypotheses.exchangeable(many, few, 0.05, 1e-9).profile()
    assert 0.0 < profile.epsilon(0.01) < 0.02
    assert profile.log_delta(1.0) < -150.0


# Closed forms


@pytest.mark.parametrize("seed", range(4))
def test_closed_forms_against_none_are_exact(seed):
    draws = Random(300 + seed)
    for _ in range(110):  # 440 priors
        k = draws.randint(1, 4)
        prior, none = oracle.random_prior(draws, k), {(0,) * k: F(1)}
        guarantees = list(oracle.guarantees(draws, k))
        ratios, leaks = zip(*guarantees, strict=True)
        pure = hypotheses.against_none(prior, as_floats(guarantees)[0])
        same(math.exp(pure.up), oracle.one_way_ratio(prior, none, ratios))
        same(math.exp(pure.down), oracle.one_way_ratio(none, prior, ratios))
        assert pure.delta_up == pure.delta_down == 0.0
        assert pure.down <= pure.up + 1e-15
        leaky = hypotheses.against_none(prior, *as_floats(guarantees))
        assert leaky[:2] == pure[:2]
        up = sum(
            w * math.prod(r for r, b in zip(ratios, bits, strict=True) if b)
            for bits, w in prior.items()
        )
        same(leaky.delta_up, oracle.one_way(prior, none, ratios, leaks, up))
        down = 1 / sum(
            w / math.prod(r for r, b in zip(ratios, bits, strict=True) if b)
            for bits, w in prior.items()
        )
        assert oracle.one_way(none, prior, ratios, leaks, down) <= leaky.delta_down + 1e-15


def test_a_bound_for_the_second_direction_is_attained():
    # One database, in which the target is or not: down is -ln(1/2 + 1/(2E)).
    prior, ratio, leak = {(0,): F(1, 2), (1,): F(1, 2)}, F(3), F(1, 4)
    form = hypotheses.against_none(prior, [math.log(ratio)], float(leak))
    exact = oracle.one_way({(0,): F(1)}, prior, [ratio], [leak], F(3, 2))
    assert form.down == pytest.approx(math.log(1.5), rel=1e-15)
    assert exact == F(1, 16)
    assert form.delta_down == pytest.approx(1 / 16, rel=1e-11)
    assert hypotheses.against_none({(1,): 1.0}, [1.0], 0.25).delta_down == pytest.approx(0.25)


@pytest.mark.parametrize("seed", range(3))
def test_the_three_closed_forms_agree(seed):
    """That of a list, that of a product, written out here, and that of a number."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 7))
    chances, epsilons, deltas = rng.uniform(0, 1, k), rng.uniform(0, 3, k), rng.uniform(0, 1, k)
    deltas[rng.integers(k)] = 0.0
    prior, ratios = hypotheses.product(chances), np.exp(epsilons)
    for some in (False, True):
        listed = hypotheses.against_none(
            hypotheses.not_none(prior) if some else prior, epsilons, deltas
        )
        none = float(np.prod(1 - chances)) if some else 0.0
        up, down, kept, tilted = (
            (float(np.prod(1 - chances + chances * factor)) - none) / (1 - none)
            for factor in (ratios, 1 / ratios, 1 - deltas, (1 - deltas) / ratios)
        )
        formula = math.log(up), -math.log(down), 1 - kept, 1 - tilted / down
        assert listed == pytest.approx(formula, rel=1e-10)
    law = rng.dirichlet(np.ones(k + 1))
    number = hypotheses.number_against_none(law, 0.7, 0.1)
    array = hypotheses.of_size(law)
    assert number == pytest.approx(hypotheses.against_none(array, [0.7] * k, 0.1), rel=1e-11)


@pytest.mark.parametrize("some", [False, True])
def test_a_number_keeps_its_digits(some):
    for chance, eps in itertools.product([0.01, 0.3, 1.0 - 1e-9], [1e-9, 0.01, 1.0]):
        law = hypotheses.given_number(binomial_masses(1000, chance), least=int(some))
        form = hypotheses.number_against_none(law, eps, 1e-7)
        with mpmath.workdps(700):
            pi, ratio, leak = mpmath.mpf(chance), mpmath.exp(mpmath.mpf(eps)), mpmath.mpf(1e-7)
            none = (1 - pi) ** 1000 if some else mpmath.mpf(0)
            up, down, kept, tilted = (
                ((1 - pi + pi * factor) ** 1000 - none) / (1 - none)
                for factor in (ratio, 1 / ratio, 1 - leak, (1 - leak) / ratio)
            )
            truth = mpmath.log(up), -mpmath.log(down), 1 - kept, 1 - tilted / down
        assert form == pytest.approx([float(x) for x in truth], rel=1e-11)


@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0, 50.0, 700.0])
@pytest.mark.parametrize("weight", [1e-300, 1e-30, 1e-10, 0.5])
def test_unlikely_databases_cost_little_and_their_digits_are_right(eps, weight):
    form = hypotheses.against_none({(0,): 1.0 - weight, (1,): weight}, [eps])
    with mpmath.workdps(400):
        gain = [mpmath.mpf(weight) * mpmath.expm1(sign * mpmath.mpf(eps)) for sign in (1, -1)]
        up, down = mpmath.log1p(gain[0]), -mpmath.log1p(gain[1])
    assert form.up == pytest.approx(float(up), rel=1e-12, abs=0.0)
    assert form.down == pytest.approx(float(down), rel=1e-12, abs=0.0)


def test_a_mapping_may_be_over_many_databases():
    k = 1000
    prior = {(1,) * 500 + (0,) * 500: 0.5, (0,) * k: 0.5}
    form = hypotheses.against_none(prior, [1.0] * k, [0.0] * 500 + [1.0] * 500)
    assert form.up == pytest.approx(500.0 - math.log(2.0), rel=1e-14)
    assert form.down == pytest.approx(math.log(2.0), rel=1e-14)
    assert form.delta_up == form.delta_down == 0.0


# Ordered numbers


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_ordered_numbers_cost_what_their_generating_functions_say(seed):
    draws = Random(400 + seed)
    for _ in range(60):
        k = draws.randint(1, 5)
        other = random_numbers(draws, k)
        tilts = [F(1)]
        for _ in range(k):
            tilts.append(tilts[-1] * F(draws.randint(4, 9), 4))
        # Any rising weights make it larger; and sometimes it has numbers that the other lacks.
        weights = [w * tilt for w, tilt in zip(other, tilts, strict=True)]
        highest = max(j for j in range(k + 1) if other[j])
        for j in range(highest + 1, k + 1):
            weights[j] = F(draws.randint(0, 3))
        law = [w / sum(weights) for w in weights]
        (ratio, _), *_ = oracle.guarantees(draws, 1)
        up, down = hypotheses.ordered(law, other, math.log(ratio))
        priors = exactly(law), exactly(other)
        same(math.exp(up), oracle.one_way_ratio(*priors, [ratio] * k))
        same(math.exp(down), oracle.one_way_ratio(*priors[::-1], [ratio] * k))
        exact = hypotheses.exchangeable(law, other, math.log(ratio)).profile().epsilon(0.0)
        assert exact == pytest.approx(max(up, down), rel=1e-9, abs=1e-13)


def test_the_usual_order_is_not_enough():
    # Two databases: one or two of them, against none or two. The first number is larger in the
    # usual order: P[|b| ≥ 1] = 1 > 1/2 and P[|b| = 2] is the same. Not so in likelihood ratio.
    law, other, ratio = [F(0), F(1, 2), F(1, 2)], [F(1, 2), F(0), F(1, 2)], F(3)
    assert all(sum(law[j:]) >= sum(other[j:]) for j in range(3))
    with pytest.raises(ValueError, match=r"law must be larger than other in likelihood ratio"):
        hypotheses.ordered(law, other, math.log(ratio))
    formula = (3 * law[1] + 9 * law[2]) / (other[0] + 9 * other[2])
    exact = oracle.one_way_ratio(exactly(law), exactly(other), [ratio] * 2)
    assert (formula, exact) == (F(6, 5), F(4, 3))
    # With one database the two orders are the same.
    for one in range(5):
        for two in range(one + 1):
            up, down = hypotheses.ordered([1 - one / 4, one / 4], [1 - two / 4, two / 4], 1.0)
            assert min(up, down) >= 0.0


# Priors


def test_priors_can_be_written_down_in_two_ways():
    mapping = {(0, 0, 1): F(1, 4), (1, 1, 0): 0.75}
    array = hypotheses._as_array(mapping)
    assert array.shape == (2, 2, 2)
    assert array[0, 0, 1] == 0.25
    assert np.array_equal(hypotheses._as_array(array), array)
    assert np.array_equal(hypotheses.product([1.0, 1.0, 0.0]), hypotheses.point([1, 1, 0]))
    assert np.array_equal(hypotheses.product([0.5] * 4), hypotheses.uniform(4))
    assert np.allclose(
        hypotheses.of_size(binomial_masses(4, 0.3)), hypotheses.product([0.3] * 4), atol=1e-15
    )
    some = hypotheses.not_none(mapping)
    assert np.array_equal(some, array)
    assert hypotheses.given_number([0.5, 0.25, 0.25], 1, 1).tolist() == [0.0, 1.0, 0.0]


def test_a_pair_does_not_change_with_the_arguments_of_its_making():
    # The other direction was made from what the array of ε had become.
    prior, other, epsilons, deltas = np.full(2, 0.5), np.array([1.0, 0.0]), np.ones(1), np.zeros(1)
    pair = hypotheses.pair(prior, other, epsilons, deltas)
    same_pair = hypotheses.pair([0.5, 0.5], [1.0, 0.0], [1.0])
    for argument in (prior, other, epsilons, deltas):
        argument[:] = 0.25
    assert pair == same_pair
    assert pair.reversed().log_hockey_stick(0.1) == same_pair.reversed().log_hockey_stick(0.1)


# Bad input

pair, numbers = hypotheses.pair, hypotheses.exchangeable


def test_a_weight_may_be_as_much_above_1_as_the_sum():
    above = {(1,): 1.0 + 5e-10, (0,): 0.0}
    assert hypotheses._as_array(above).tolist() == [0.0, 1.0]
    assert hypotheses._as_array([0.0, 1.0 + 5e-10]).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match=r"prior must be in \[0, 1\], got 1.1"):
        hypotheses._as_array([0.0, 1.1])
