"""Section III: which hypotheses one bit can express, and what any two of them cost."""

import math
from fractions import Fraction as F
from random import Random

import pytest

from pkdp import accounting, experiments, hypotheses
from pkdp.databases import couplings
from pkdp.databases.experiments import Move, leaky_response, make_planned
from pkdp.profiles.binomials import binomial_masses
from tests.databases.adversaries import random_adversary, random_move
from tests.oracles import hypotheses as oracle

pytestmark = pytest.mark.page

RATIOS = [F(1), F(3, 2), F(3), F(10)]


def point(bits):
    return {tuple(bits): F(1)}


def every(k):
    """Uniform over all vectors but 0."""
    return oracle.normalized({bits: 1 for bits in oracle.vectors(k) if any(bits)})


def up_to(k, least, most):
    """Uniform over the vectors with so many ones."""
    return oracle.normalized({b: 1 for b in oracle.vectors(k) if least <= sum(b) <= most})


def exact(prior, other, ratio, k):
    """The least e^ε of both directions for k mechanisms of this ratio that never leak."""
    return oracle.least_ratio(prior, other, [ratio] * k)


def swapped(move):
    return Move(move.databases[::-1], move.mechanism)


# One bit for all rounds


def test_the_classic_experiment_answers_all_rounds_from_the_first_or_all_from_the_second():
    # Algorithm 1 is what becomes of b = 0 and b = 1, for adaptive adversaries.
    source = Random(1)
    for _ in range(40):
        k = source.randint(1, 3)
        ratios = [F(source.randint(4, 12), 4) for _ in range(k)]
        adversary = random_adversary(source, ratios, F(1, 8))
        zeros, ones = point([0] * k), point([1] * k)
        for ratio in RATIOS:
            classic = experiments.composition_delta(adversary, k, ratio)
            assert classic == experiments.hypothesis_delta(adversary, zeros, ones, ratio)
            # Both kinds of theorem, for equal and for unequal mechanisms, bound this very number.
            same = max(ratios)
            optimal = accounting.optimal(math.log(same), 0.125, times=k).delta(math.log(ratio))
            mixed = accounting.heterogeneous([math.log(r) for r in ratios], 0.125).upper
            assert float(classic) <= mixed.delta(math.log(ratio)) + 1e-12
            assert mixed.delta(math.log(ratio)) <= optimal + 1e-12


def test_one_bit_compares_a_vector_with_its_opposite():
    source = Random(2)
    for _ in range(30):
        k = source.randint(1, 4)
        moves = [
            random_move(source, F(source.randint(4, 12), 4), F(source.randint(0, 2), 8))
            for _ in range(k)
        ]
        plain = make_planned(moves)
        for order in oracle.vectors(k):
            chosen = make_planned(
                [swapped(m) if turned else m for m, turned in zip(moves, order, strict=True)]
            )
            opposite = tuple(1 - bit for bit in order)
            assert experiments.view_law(chosen, (0,) * k) == experiments.view_law(plain, order)
            assert experiments.view_law(chosen, (1,) * k) == experiments.view_law(plain, opposite)


def test_no_number_of_rounds_costs_what_the_uniform_law_over_two_does():
    none = point((0, 0))
    for ratio in (F(5, 4), F(2), F(7), F(100)):
        price = exact(every(2), none, ratio, 2)
        assert price == (ratio**2 + 2 * ratio) / 3
        assert ratio < price < ratio**2
        for rounds in range(4):  # what one bit costs after so many rounds
            together = exact(point((1,) * rounds), point((0,) * rounds), ratio, rounds)
            assert together == ratio**rounds != price


def test_at_even_odds_a_guess_is_right_as_often_as_the_bound_says():
    draws = Random(3)
    for _ in range(300):
        ratio, leak = next(oracle.guarantees(draws, 1))
        p, q = oracle.random_pair(draws, ratio, leak, outputs=4)
        guess = sum(max(p.get(o, F(0)), q.get(o, F(0))) for o in {*p, *q}) / 2
        bound = (ratio + leak) / (ratio + 1)
        assert guess <= bound
        worst = oracle.reply(0, ratio, leak), oracle.reply(1, ratio, leak)
        assert (
            sum(max(worst[0].get(o, 0), worst[1].get(o, 0)) for o in {*worst[0], *worst[1]}) / 2
            == bound
        )


def test_nothing_ties_the_memberships_together():
    # Two databases, one of which has the target: the replies have neither of the two laws that
    # one bit allows for.
    ask = make_planned([leaky_response(3)] * 2)
    views = [experiments.view_law(ask, bits) for bits in ((0, 0), (1, 1), (0, 1))]
    assert views[2] not in views[:2]


# The optimum


def test_every_private_reply_is_made_of_a_leaky_response():
    # The construction of the proof, in fractions.
    draws = Random(4)
    for _ in range(300):
        ratio, leak = next(oracle.guarantees(draws, 1))
        p, q = oracle.random_pair(draws, ratio, leak, outputs=4)
        outputs = sorted({*p, *q})
        laws = [[law.get(o, F(0)) for o in outputs] for law in (p, q)]
        kept = [
            [min(x, ratio * y) for x, y in zip(*pair, strict=True)] for pair in (laws, laws[::-1])
        ]
        more = 0 if sum(kept[0]) >= sum(kept[1]) else 1
        large, small = kept[more], kept[1 - more]
        if sum(large) > sum(small):
            low = sum(small) / ratio
            part = (sum(small) - low) / (sum(large) - low)
            kept[more] = [
                part * x + (1 - part) * y / ratio for x, y in zip(large, small, strict=True)
            ]
        total = sum(kept[0])
        assert total == sum(kept[1]) >= 1 - leak
        kept = [[x * (1 - leak) / total for x in law] for law in kept]
        for one, two, law in ((kept[0], kept[1], laws[0]), (kept[1], kept[0], laws[1])):
            assert all(x <= ratio * y for x, y in zip(one, two, strict=True))
            assert all(x <= y for x, y in zip(one, law, strict=True))
        if ratio > 1:
            answers = [
                [(ratio * x - y) / (ratio**2 - 1) for x, y in zip(*pair, strict=True)]
                for pair in (kept, kept[::-1])
            ]
        else:
            assert kept[0] == kept[1]
            answers = [[x / 2 for x in kept[0]]] * 2
        for law in answers:
            assert min(law) >= 0
            assert sum(law) == (1 - leak) / (1 + ratio)
        # A leaky response to the bit, and what is drawn for it, give the law back.
        for bit in (0, 1):
            drawn = [
                (x - y) + ratio * a + c
                for x, y, a, c in zip(
                    laws[bit], kept[bit], answers[bit], answers[1 - bit], strict=True
                )
            ]
            assert drawn == laws[bit]


# Example 1


def test_all_or_none_is_optimal_composition():
    for k, eps, delta in ((4, 0.5, 0.0), (6, 0.3, 0.01), (3, 2.0, 0.2)):
        none, all_of_them = hypotheses.point([0] * k), hypotheses.point([1] * k)
        profile = hypotheses.pair(all_of_them, none, [eps] * k, delta).profile()
        optimal = accounting.optimal(eps, delta, times=k)
        for at in (0.0, eps, 2 * eps, k * eps):
            assert profile.delta(at) == pytest.approx(optimal.delta(at), rel=1e-10, abs=1e-15)


def test_at_least_one_or_none_is_certain_and_costs_less():
    for k in (2, 3, 4):
        none = point((0,) * k)
        assert {**every(k), **none}.keys() == set(oracle.vectors(k))
        for ratio in (F(3, 2), F(4)):
            price = exact(every(k), none, ratio, k)
            assert price == ((1 + ratio) ** k - 1) / (2**k - 1)
            assert ratio < price < ratio**k
            assert exact(up_to(k, 1, 1), none, ratio, k) == ratio


def test_fifty_states_cost_less_than_composition():
    law = binomial_masses(50, 0.5)
    record, clean = hypotheses.given_number(law, 1), hypotheses.given_number(law, 0, 0)
    exact_one = hypotheses.exchangeable(record, clean, 0.1, 1e-7).profile()
    classic = accounting.optimal(0.1, 1e-7, times=50)
    for target in (1e-5, 1e-3, 0.1):
        assert 5 * exact_one.epsilon(target) < 3 * classic.epsilon(target)


# The generating function


def test_the_price_lies_between_the_mean_number_and_the_largest():
    draws = Random(5)
    for _ in range(100):
        k = draws.randint(1, 4)
        prior = oracle.random_prior(draws, k)
        mean = float(sum(weight * sum(bits) for bits, weight in prior.items()))
        most = max(map(sum, prior))
        square = float(sum(weight * sum(bits) ** 2 for bits, weight in prior.items()))
        last = mean
        for eps in (1e-4, 0.1, 1.0, 5.0, 50.0):
            form = hypotheses.against_none(prior, [eps] * k)
            assert form.down <= form.up * (1 + 1e-12)
            share = form.up / eps
            assert last - 1e-9 <= share <= most + 1e-12
            last = share
            if eps == 1e-4:
                expected = mean * eps + (square - mean**2) / 2 * eps**2
                assert form.up == pytest.approx(expected, rel=1e-7)


def test_half_the_price_is_for_small_eps_and_many_databases():
    shares = {}
    for k in (1, 2, 100):
        for eps in (0.01, 1.0, 10.0):
            some = hypotheses.given_number(binomial_masses(k, 0.5), least=1)
            form = hypotheses.number_against_none(some, eps)
            shares[k, eps] = form.up / (k * eps)
    assert shares[100, 0.01] == pytest.approx(0.5, abs=0.002)
    assert shares[1, 0.01] == pytest.approx(1.0)
    assert shares[2, 0.01] == pytest.approx(2 / 3, abs=0.002)
    assert shares[100, 1.0] == pytest.approx(math.log((1 + math.e) / 2), abs=1e-9)
    assert min(shares[k, 10.0] for k in (1, 2, 100)) > 0.93


# Example 2


def test_at_least_m_against_fewer_has_a_closed_form():
    for k in (2, 3, 4):
        for m in range(1, k + 1):
            many, few = up_to(k, m, k), up_to(k, 0, m - 1)
            law = [F(math.comb(k, j), 2**k) for j in range(k + 1)]
            one, two = hypotheses.given_number(law, m), hypotheses.given_number(law, 0, m - 1)
            for ratio in (F(3, 2), F(4)):
                up, down = hypotheses.ordered(one, two, math.log(ratio))
                there = oracle.one_way_ratio(many, few, [ratio] * k)
                back = oracle.one_way_ratio(few, many, [ratio] * k)
                assert math.exp(up) == pytest.approx(float(there), rel=1e-12)
                assert math.exp(down) == pytest.approx(float(back), rel=1e-12)
                # If nothing is known of how likely the vectors are, all against none is among them.
                assert max(there, back) < ratio**k
                worst = max(exact(point(b), point(c), ratio, k) for b in many for c in few)
                assert worst == ratio**k


def test_a_question_about_the_middle_is_cheap():
    law = binomial_masses(365, 0.5)
    price = {
        m: hypotheses.ordered(
            hypotheses.given_number(law, m), hypotheses.given_number(law, 0, m - 1), 0.1
        )
        for m in (1, 183, 365)
    }
    assert max(price[183]) < 1.6
    assert min(max(price[1]), max(price[365])) > 18.0
    # The direction that is the larger one changes on the way.
    assert price[1][0] > price[1][1]
    assert price[365][0] < price[365][1]
    gap = 2 * sum(abs(j - 182.5) * mass for j, mass in enumerate(law))
    assert price[183] == pytest.approx([0.1 * gap] * 2, rel=0.1)


def test_ordered_numbers_cost_no_more_if_one_mechanism_sees_everything():
    draws = Random(6)
    for _ in range(12):
        k = draws.randint(1, 3)
        weights = [F(draws.randint(1, 5)) for _ in range(k + 1)]
        rising = [F(1)]
        for _ in range(k):
            rising.append(rising[-1] * F(draws.randint(4, 8), 4))
        laws = [weights, [w * r for w, r in zip(weights, rising, strict=True)]]
        other, law = ([w / sum(x) for w in x] for x in laws)
        up, down = hypotheses.ordered(law, other, 0.7)
        priors = hypotheses.of_size(law), hypotheses.of_size(other)
        for direction, price in (("forth", up), ("back", down)):
            found = couplings.joint(*priors, [0.7] * k, direction=direction)
            assert found.lower - 1e-9 <= price <= found.upper + 1e-9
    # Numbers that are not ordered can cost more then: the parity of two bits.
    odd, even = hypotheses.of_size([0, 1, 0]), hypotheses.of_size([0.5, 0, 0.5])
    separate = hypotheses.exchangeable([0, 1, 0], [0.5, 0, 0.5], 1.0).profile().epsilon(0.0)
    assert couplings.joint(odd, even, [1.0, 1.0]).lower > 2 * separate


# What is assumed of the adversary


def test_a_guarantee_for_a_record_is_one_for_whatever_is_asked_about_it():
    # Databases with no record of the target, or with one of three values, everything else known.
    draws, root = Random(7), F(2)
    for _ in range(100):
        base = {o: F(draws.randint(1, 6)) for o in range(4)}
        laws = []
        for _ in range(4):
            tilted = {o: w * F(draws.randint(2, 8), 4) for o, w in base.items()}  # by ½ to 2
            total = sum(tilted.values())
            laws.append({o: w / total for o, w in tilted.items()})
        absent = {o: w / sum(base.values()) for o, w in base.items()}
        ratio = root**2
        for law in laws[:3]:
            assert (
                max(oracle.likelihood_ratio(law, absent), oracle.likelihood_ratio(absent, law))
                <= ratio
            )
        # Whatever she holds likely of the value: present against absent is as private,
        weights = [F(draws.randint(0, 5) + 1) for _ in range(3)]
        present = oracle.mixture(
            (w / sum(weights), law) for w, law in zip(weights, laws, strict=False)
        )
        assert oracle.likelihood_ratio(present, absent) <= ratio
        assert oracle.likelihood_ratio(absent, present) <= ratio
        # and one value against another within twice the ε.
        assert oracle.likelihood_ratio(laws[0], laws[1]) <= ratio**2


def test_two_values_of_a_record_can_be_two_steps_apart():
    # Odds of 2 : 1 for a Yes and 1 : 2 for a No, even odds without the record.
    yes, no, absent = ({1: F(x, 6), 0: F(6 - x, 6)} for x in (4, 2, 3))
    step = max(oracle.likelihood_ratio(a, b) for a in (yes, no) for b in (absent,))
    back = max(oracle.likelihood_ratio(absent, b) for b in (yes, no))
    assert max(step, back) == F(3, 2)
    assert oracle.likelihood_ratio(yes, no) == 2 > F(3, 2)


@pytest.mark.slow
def test_no_two_hypotheses_cost_more_than_all_or_none():
    draws = Random(8)
    for _ in range(400):
        k = draws.choice((1, 2, 2, 3))
        guarantees = list(oracle.guarantees(draws, k))
        ratios, leaks = zip(*guarantees, strict=True)
        prior, other = (oracle.random_prior(draws, k) for _ in range(2))
        zeros, ones = point([0] * k), point([1] * k)
        for ratio in RATIOS:
            classic = oracle.delta(zeros, ones, ratios, leaks, ratio)
            assert oracle.delta(prior, other, ratios, leaks, ratio) <= classic


# Example 3


def test_a_bound_on_the_number_is_a_bound_on_the_price():
    k = 4
    none = point((0,) * k)
    draws = Random(9)
    for m in (1, 2, 3):
        for ratio in (F(3, 2), F(4)):
            worst = max(exact(point(b), none, ratio, k) for b in oracle.vectors(k) if sum(b) <= m)
            assert worst == ratio**m
            for _ in range(10):
                prior = oracle.normalized(
                    {
                        b: draws.randint(0, 5) + (not any(b))
                        for b in oracle.vectors(k)
                        if sum(b) <= m
                    }
                )
                assert exact(prior, none, ratio, k) <= ratio**m


def test_halving_chances_of_further_stays_cost_little_more_than_one():
    stays = [0.0, *(0.5**j for j in range(365))]
    form = hypotheses.number_against_none([x / sum(stays) for x in stays], 0.01)
    # The mean number is 2.
    assert 0.02 < form.up < 0.0203
    assert form.down < 0.02


# Exercises


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_parity_is_hidden_by_many_answers(k):
    odd, even = (
        oracle.normalized({b: 1 for b in oracle.vectors(k) if sum(b) % 2 == side})
        for side in (1, 0)
    )
    for ratio in (F(3, 2), F(3), F(10)):
        t = ((ratio - 1) / (ratio + 1)) ** k
        assert exact(odd, even, ratio, k) == (1 + t) / (1 - t)


def test_the_price_against_none_is_at_least_the_mean_number():
    draws = Random(38)
    for _ in range(50):
        law = [draws.random() ** 9 for _ in range(draws.randint(2, 40))]
        law = [weight / math.fsum(law) for weight in law]
        mean = math.fsum(j * weight for j, weight in enumerate(law))
        eps = draws.choice([1e-3, 0.1, 2.0])
        assert hypotheses.number_against_none(law, eps).up >= eps * mean * (1 - 1e-9)


def test_a_rare_large_number_costs_far_more_than_the_mean_number():
    law = [0.0] * 1001
    law[1], law[1000] = 0.99, 0.01
    assert math.fsum(j * weight for j, weight in enumerate(law)) == pytest.approx(10.99)
    assert hypotheses.number_against_none(law, 0.01).up == pytest.approx(5.40, abs=5e-3)
