"""Sections I and II: the classic experiment, what is known of composition, and where it stands."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from pkdp import accounting, definitions, worlds
from pkdp.databases.experiments import (
    Move,
    RandomizedAdversary,
    composition_delta,
    hypothesis_delta,
    leaky_response,
    make_planned,
    view_law,
)
from pkdp.partial_knowledge import posteriors
from pkdp.worlds.mechanisms import compose, mix, output_law, total
from tests.databases.adversaries import random_adversary, random_move
from tests.oracles import hypotheses as optimum

pytestmark = pytest.mark.page

HALF, TENTH, F1 = Fraction(1, 2), Fraction(1, 10), Fraction(1)
RATIOS = [F1, Fraction(3, 2), Fraction(2), Fraction(3), Fraction(9), Fraction(40)]


def hockey_stick(p, q, ratio):
    if ratio == math.inf:
        return sum((mass for t, mass in p.items() if not q.get(t)), Fraction(0))
    return sum((max(Fraction(0), mass - ratio * q.get(t, 0)) for t, mass in p.items()), Fraction(0))


def both_ways(p, q, ratio):
    return max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))


def least_ratio(p, q):
    """The least e^ε of two laws for δ = 0."""
    if p.keys() != q.keys():
        return math.inf
    return max(max(p[t] / q[t], q[t] / p[t]) for t in p)


def random_reply(source):
    """A law of two replies, both possible."""
    mass = Fraction(source.randint(1, 9), 10)
    return {0: mass, 1: 1 - mass}


def planned(ratios, deltas=None):
    deltas = deltas or [0] * len(ratios)
    return make_planned([leaky_response(*pair) for pair in zip(ratios, deltas, strict=True)])


# Section I


def test_a_private_release_moves_no_odds_by_more_than_its_ratio():
    # Bayes: posterior odds are prior odds times P/Q. A firm belief stays firm: of itself a private
    # release does not make one.
    source = random.Random(1)
    for _ in range(200):
        ratio = source.choice(RATIOS[1:])
        move = random_move(source, ratio)
        out, member = move.reply_law(0), move.reply_law(1)
        prior = Fraction(source.randint(1, 19), 20)
        for reply in {**out, **member}:
            joint = prior * member.get(reply, 0)
            posterior = joint / (joint + (1 - prior) * out.get(reply, 0))
            assert prior / (prior + ratio * (1 - prior)) <= posterior
            assert posterior <= ratio * prior / (ratio * prior + 1 - prior)


def test_one_number_computed_from_several_releases_can_tell_more_than_each():
    ask = planned([3, 3, 3])
    majority = [Counter(), Counter()]
    for bit in (0, 1):
        for view, mass in view_law(ask, (bit,) * 3).items():
            majority[bit][sum(view) >= 2] += mass
    # Each reply has the ratio 3, their majority 27/5.
    assert least_ratio(*majority) == Fraction(27, 5)
    assert both_ways(*majority, 3) == Fraction(3, 8)


def test_what_a_composition_costs_depends_on_more_than_the_sum_of_epsilons():
    # The same sum, ln 16: equal or different ε.
    equal, unequal = planned([4, 4]), planned([2, 8])
    assert composition_delta(equal, 2, 4) == Fraction(12, 25)
    assert composition_delta(unequal, 2, 4) == Fraction(4, 9)
    assert composition_delta(equal, 2, 1) == Fraction(3, 5)
    assert composition_delta(unequal, 2, 1) == Fraction(7, 9)
    # The same (ε, δ): a mechanism of which more is known costs less.
    shy = Move(((), ("target",)), lambda d: {"here": 3 * TENTH if d else TENTH,
                                             "": 7 * TENTH if d else 9 * TENTH})  # fmt: skip
    assert shy.is_private(3)
    assert not shy.is_private(Fraction(29, 10))
    for ratio in (1, 2, 3, 5):
        assert composition_delta(make_planned([shy] * 2), 2, ratio) < composition_delta(
            planned([3, 3]), 2, ratio
        )


def late_choice(choices):
    """First ε = ln 3/2; then, as the first reply was, once ln 3 and nothing, or twice ln 2."""

    def strategy(replies):
        if not replies:
            return leaky_response(Fraction(3, 2))
        return leaky_response(
            {"once": (3, 1), "twice": (2, 2)}[choices[replies[0]]][len(replies) - 1]
        )

    return strategy


def test_parameters_chosen_on_the_way_can_cost_more_than_each_plan():
    found = {
        choices: composition_delta(late_choice(choices), 3, 2)
        for choices in product(("once", "twice"), repeat=2)
    }
    assert found["once", "once"] == Fraction(1, 4)
    assert found["twice", "twice"] == Fraction(2, 9)
    assert found["once", "twice"] == found["twice", "once"] == Fraction(53, 180)
    # So no plan, nor a draw among plans, costs as much.
    for weight in (0, Fraction(1, 3), 1):
        drawn = RandomizedAdversary(
            [(weight, late_choice(("once",) * 2)), (1 - weight, late_choice(("twice",) * 2))]
        )
        assert composition_delta(drawn, 3, 2) <= Fraction(1, 4)


@pytest.mark.slow
def test_with_two_rounds_of_pure_mechanisms_that_cannot_happen():
    # The larger ε is then the better choice after every reply. All plans with ε in ln 1…ln 4.
    sizes = [F1, Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4)]
    for first, zero, one in product(sizes, repeat=3):

        def strategy(replies, first=first, zero=zero, one=one):
            return leaky_response(first if not replies else (zero, one)[replies[0]])  # fmt: skip

        for ratio in RATIOS[:-1]:
            late = composition_delta(strategy, 2, ratio)
            assert late <= composition_delta(planned([first, max(zero, one)]), 2, ratio)


def test_who_is_restricted_more_learns_no_more():
    # A tighter bound on one ε: never more, and strictly less at some ratio.
    for loose, tight in (([3, 3], [3, 2]), ([4, 4, 4], [4, 2, 2]), ([3, 2], [3, 1])):
        pairs = [
            (composition_delta(planned(tight), len(tight), ratio),
             composition_delta(planned(loose), len(loose), ratio))
            for ratio in RATIOS
        ]  # fmt: skip
        assert all(less <= more for less, more in pairs)
        assert any(less < more for less, more in pairs)
    # In floats: a tenth of 1000 releases have ε = 0.2, the others 0.02.
    each = [0.2] * 100 + [0.02] * 900
    homogeneous = accounting.optimal(0.2, 0.0, times=1000).epsilon(1e-6)
    heterogeneous = accounting.heterogeneous(each).upper.epsilon(1e-6)
    assert heterogeneous < 0.25 * homogeneous
    assert heterogeneous < 0.3 * sum(each) < sum(each) < homogeneous


@pytest.mark.parametrize("part", range(4))
def test_who_stays_in_m_hospitals_is_as_safe_as_with_m_mechanisms(part):
    # k = 2…4 hospitals, 1…k of them at most; every pattern of stays against none.
    for seed in range(part, 80, 4):
        source = random.Random(seed)
        k = source.choice([2, 3, 3, 4])
        most = source.randint(1, k)
        guarantee = source.choice([(Fraction(2), Fraction(0)), (Fraction(3), Fraction(1, 20))])
        adversary = random_adversary(source, [guarantee[0]] * k, guarantee[1], outputs=2)
        ratio = source.choice(RATIOS)
        promised = composition_delta(
            planned([guarantee[0]] * most, [guarantee[1]] * most), most, ratio
        )
        for stays in product((0, 1), repeat=k):
            if sum(stays) <= most:
                assert hypothesis_delta(adversary, {stays: F1}, {(0,) * k: F1}, ratio) <= promised


def test_the_nights_of_a_year_bound_the_cost_but_not_the_hospitals():
    # δ = 1e-6, ε = 0.05 each: 1000 hospitals, and the 365 that somebody can have slept in.
    of_all, of_some = (accounting.optimal(0.05, 0.0, times=k).epsilon(1e-6) for k in (1000, 365))
    assert of_some < 0.6 * of_all
    # With two hospitals a night, or in a leap year, the number is another one.
    leap, double = (accounting.optimal(0.05, 0.0, times=k).epsilon(1e-6) for k in (366, 730))
    assert of_some < leap < double < of_all


def test_parallel_composition_adds_up_where_composition_theorems_need_not():
    # By McSherry's definition somebody in 365 databases moves the ratio by e^{365ε}: nothing in it
    # says less. Geometric counting attains that at any distance.
    ratio = Fraction(3, 2)
    for distance in (1, 2, 5):
        law = {z: ratio ** -abs(z) for z in range(-30, 31)}
        moved = {z + distance: mass for z, mass in law.items()}
        inner = [z for z in law if z in moved]
        assert max(law[z] / moved[z] for z in inner) == ratio**distance
    # Advanced composition of 365 mechanisms is far below their sum.
    assert accounting.advanced(0.05, 0.0, times=365).epsilon(1e-6) < 0.4 * 365 * 0.05


def test_one_bit_compares_a_vector_with_its_opposite_and_nothing_else():
    k, ask = 3, planned([3, 3, 3])
    # By the order of the databases in each round Algorithm 1 reaches b against its opposite.
    for flips in product((0, 1), repeat=k):
        moves = [leaky_response(3).swapped() if flip else leaky_response(3) for flip in flips]
        for bit in (0, 1):
            vector = tuple(bit ^ flip for flip in flips)
            mirrored = view_law(make_planned(moves), (bit,) * k)
            assert mirrored == view_law(ask, vector)
    # "In some database" against "in none" is no such comparison: its views are a mixture.
    some = {bits: Fraction(1, 7) for bits in product((0, 1), repeat=k) if any(bits)}
    none = {(0,) * k: F1}
    classic = [composition_delta(ask, k, ratio) for ratio in RATIOS]
    prior = [hypothesis_delta(ask, some, none, ratio) for ratio in RATIOS]
    assert all(less < more for less, more in zip(prior, classic, strict=True) if more)
    assert prior[3] == Fraction(39, 224)
    # Nor is a constraint: with at most one database, ln 3 is enough, where one bit needs ln 27.
    one = [hypothesis_delta(ask, {bits: F1}, none, 3) for bits in some if sum(bits) == 1]
    assert one == [0, 0, 0]
    assert composition_delta(ask, k, 26) > 0
    assert composition_delta(ask, k, 27) == 0


# Section II-A


def test_without_delta_it_is_the_pure_definition():
    source = random.Random(2)
    for _ in range(100):
        move = random_move(source, source.choice(RATIOS), source.choice([0, TENTH]))
        out, member = move.reply_law(0), move.reply_law(1)
        least = least_ratio(out, member)
        for ratio in RATIOS:
            assert move.is_private(ratio, 0) == (least <= ratio)


def test_smaller_parameters_are_a_stronger_promise():
    source = random.Random(3)
    for _ in range(100):
        move = random_move(source, source.choice(RATIOS), source.choice([0, TENTH]))
        deltas = [move.delta(ratio) for ratio in RATIOS]
        assert deltas == sorted(deltas, reverse=True)
    for k in (1, 2, 3):
        smaller = composition_delta(planned([2] * k, [TENTH] * k), k, 2)
        assert smaller < composition_delta(planned([3] * k, [TENTH] * k), k, 2) or k == 1
        assert smaller < composition_delta(planned([2] * k, [2 * TENTH] * k), k, 2)


def test_unbounded_neighbours_that_exchange_a_record_cost_twice():
    # Bounded neighbours are two steps apart.
    source = random.Random(4)
    for _ in range(100):
        laws = [random_move(source, 4).reply_law(0) for _ in range(3)]
        one, other = least_ratio(laws[0], laws[1]), least_ratio(laws[1], laws[2])
        assert least_ratio(laws[0], laws[2]) <= one * other


def test_who_adapts_can_learn_more_than_who_planned_everything():
    # Her class has two mechanisms for the second round: a response of ln 3, or a leak of 1/3.
    second = {"asked": leaky_response(3), "leaked": leaky_response(1, Fraction(1, 3))}

    def strategy(choices):
        return lambda r: second[choices[r[0]]] if r else leaky_response(Fraction(3, 2))

    found = {
        choices: composition_delta(strategy(choices), 2, 2) for choices in product(second, repeat=2)
    }
    best_plan = max(found["asked", "asked"], found["leaked", "leaked"])
    assert best_plan == Fraction(1, 3)
    assert found["leaked", "asked"] == Fraction(23, 60)
    assert found["asked", "leaked"] == Fraction(23, 60)


def test_for_fixed_parameters_no_adaptation_helps_against_the_worst_mechanisms():
    for seed in range(60):
        source = random.Random(seed)
        ratios = [source.choice(RATIOS[1:4]) for _ in range(source.randint(1, 3))]
        deltas = [source.choice([Fraction(0), Fraction(1, 20)]) for _ in ratios]
        k, adversary = len(ratios), random_adversary(source, ratios, deltas, outputs=2)
        none, every = {(0,) * k: F1}, {(1,) * k: F1}
        for ratio in RATIOS[:3]:
            most = optimum.delta(none, every, ratios, deltas, ratio)
            assert composition_delta(planned(ratios, deltas), k, ratio) == most
            assert composition_delta(adversary, k, ratio) <= most


def test_a_guess_of_the_bit_is_right_as_often_as_the_bound_says_at_most():
    # ½(1 + total variation) ≤ (E + δ)/(1 + E) for a fair bit, with equality for the leaky response.
    source = random.Random(5)
    for _ in range(200):
        ratio, delta = source.choice(RATIOS), source.choice([Fraction(0), TENTH])
        move = random_move(source, ratio, delta)
        right = (1 + move.delta(1)) / 2
        assert right <= (ratio + delta) / (1 + ratio)
        assert (1 + leaky_response(ratio, delta).delta(1)) / 2 == (ratio + delta) / (1 + ratio)
    # Compositions too: their (ε, δ) bound the guess in the same way.
    ask = planned([2, 3], [TENTH, 0])
    right = (1 + composition_delta(ask, 2, 1)) / 2
    for ratio in RATIOS:
        assert right <= (ratio + composition_delta(ask, 2, ratio)) / (1 + ratio)


def random_law(source, outputs=3):
    weights = [source.randint(0, 3) for _ in range(outputs)]
    weights[source.randrange(outputs)] += 1
    return {t: Fraction(w, sum(weights)) for t, w in enumerate(weights) if w}


def test_who_knows_less_of_the_other_records_learns_no_more():
    # Two records besides the target's, of any law that does not depend on the target's bit. Three
    # rounds of two mechanisms; what is known of the others is a function of them.
    source = random.Random(6)
    for _ in range(60):
        others = list(product((0, 1), repeat=2))
        mechanisms = [
            {(rest, bit): random_law(source) for rest in others for bit in (0, 1)} for _ in range(2)
        ]
        weights = [source.randint(0, 3) for _ in others]
        weights[0] += 1

        def view(rest, bit, mechanisms=mechanisms):
            first, second = (mechanism[rest, bit] for mechanism in mechanisms)
            return {(s, t): p * q for (s, p), (t, q) in product(first.items(), second.items())}

        for ratio in (1, 2, 4):
            strong = max(both_ways(view(rest, 0), view(rest, 1), ratio) for rest in others)
            for known in (lambda _: 0, lambda rest: rest[0], sum):
                for value in {known(rest) for rest in others}:
                    kept = {
                        rest: weight
                        for rest, weight in zip(others, weights, strict=True)
                        if known(rest) == value and weight
                    }
                    unit = sum(kept.values())
                    laws = [
                        optimum.mixture(
                            (Fraction(w, unit), view(rest, bit)) for rest, w in kept.items()
                        )
                        for bit in (0, 1)
                    ]
                    if kept:
                        assert both_ways(*laws, ratio) <= strong


def test_records_that_come_with_the_target_are_another_matter():
    # A relative is in the database whenever the target is: what is learned is the effect of two.
    count = {n: optimum.mixture([(Fraction(2, 5) * Fraction(1, 2) ** abs(z - n), {z: F1})
                                 for z in range(-40, 41)]) for n in (0, 1, 2)}  # fmt: skip
    inner = range(-30, 30)
    assert max(count[1][z] / count[0][z] for z in inner) == 2
    assert max(count[2][z] / count[0][z] for z in inner) == 4


def test_the_order_of_two_databases_is_hers_to_choose():
    # In one round it exchanges the directions; δ, the larger of both, stays. In several rounds the
    # optimum is the same for every order.
    source = random.Random(7)
    for _ in range(100):
        move = random_move(source, 3, TENTH)
        assert move.swapped().delta(2) == move.delta(2)
    for k in (1, 2, 3):
        for flips in product((0, 1), repeat=k):
            moves = [leaky_response(3).swapped() if flip else leaky_response(3) for flip in flips]
            for ratio in RATIOS:
                found = composition_delta(make_planned(moves), k, ratio)
                assert found == composition_delta(planned([3] * k), k, ratio)
    # For a given mechanism the order matters: rare alarms that point in different directions.
    rare = Move(((), ("target",)), lambda d: {"alarm": HALF, "": HALF} if d else "")
    same, mixed = make_planned([rare] * 2), make_planned([rare, rare.swapped()])
    assert composition_delta(same, 2, math.inf) == Fraction(3, 4)
    assert composition_delta(mixed, 2, math.inf) == HALF


def test_one_direction_is_enough_where_all_orders_are_allowed():
    # Definition 2 asks for both inequalities. An adversary with all databases swapped turns one
    # into the other.
    source = random.Random(8)
    for _ in range(30):
        adversary = random_adversary(source, [2, 3], TENTH)

        def swapped(replies, adversary=adversary):
            return adversary(replies).swapped()

        for bit in (0, 1):
            assert view_law(swapped, (bit,) * 2) == view_law(adversary, (1 - bit,) * 2)


def test_without_her_coins_the_replies_may_say_nothing():
    # She tosses a coin for the order of the two databases. The reply alone has the same law.
    ask = leaky_response(3)
    adversary = RandomizedAdversary(
        [(HALF, make_planned([ask])), (HALF, make_planned([ask.swapped()]))]
    )
    laws = [view_law(adversary, (bit,)) for bit in (0, 1)]
    replies = [
        {reply: sum(law.get((coin, reply), 0) for coin in (0, 1)) for reply in (0, 1)}
        for law in laws
    ]
    assert replies[0] == replies[1]
    assert composition_delta(adversary, 1, 2) == ask.delta(2) == Fraction(1, 4)


@pytest.mark.parametrize("seed", range(30))
def test_epsilons_and_deltas_may_be_added(seed):
    source = random.Random(seed)
    ratios = [source.choice([F1, Fraction(3, 2), Fraction(4)]) for _ in range(source.randint(1, 3))]
    deltas = [source.choice([Fraction(0), Fraction(1, 20), Fraction(1, 4)]) for _ in ratios]
    k = len(ratios)
    worst = composition_delta(planned(ratios, deltas), k, math.prod(ratios))
    # What the worst mechanisms really have at the sum of all ε.
    assert worst == 1 - math.prod(1 - delta for delta in deltas)
    assert worst <= sum(deltas)
    adversary = random_adversary(source, ratios, deltas)
    assert composition_delta(adversary, k, math.prod(ratios)) <= worst


@pytest.mark.parametrize(("odds", "leak"), [(2, 0), (3, Fraction(1, 50)), (Fraction(5, 4), 0)])
def test_advanced_composition_is_an_upper_bound(odds, leak):
    for k in (1, 2, 4, 7):
        ask = planned([Fraction(odds)] * k, [Fraction(leak)] * k) if k < 6 or not leak else None
        bound = accounting.advanced(math.log(odds), float(leak), times=k)
        best = accounting.optimal(math.log(odds), float(leak), times=k)
        for ratio in RATIOS:
            eps = math.log(ratio)
            assert best.delta(eps) <= bound.delta(eps) * (1 + 1e-12)
            if ask:
                exact = float(composition_delta(ask, k, ratio))
                assert exact <= bound.delta(eps) * (1 + 1e-12)


def printed_advanced(eps, delta_prime, k):
    """√(2k ln(1/δ'))·ε + kε(e^ε - 1)."""
    return math.sqrt(2 * k * math.log(1 / delta_prime)) * eps + k * eps * math.expm1(eps)


def test_advanced_composition_is_better_for_many_small_epsilons():
    for eps in (0.001, 0.01, 0.1, 0.5):
        ratios = [printed_advanced(eps, 1e-6, k) / (k * eps) for k in (10**3, 10**5, 10**7, 10**9)]
        assert ratios == sorted(ratios, reverse=True)
        # From some k on it is below 1, and it tends to e^ε - 1.
        assert ratios[-1] < 1
        assert ratios[-1] == pytest.approx(math.expm1(eps), rel=0.2)
        profile = accounting.advanced(eps, 0.0, times=1000)
        if profile.epsilon(1e-6) < math.inf:
            assert profile.epsilon(1e-6) == pytest.approx(
                printed_advanced(eps, 1e-6, 1000), rel=1e-9
            )
    # With ε = 1/√k the gain is of the order √k.
    gains = [printed_advanced(k**-0.5, 1e-6, k) for k in (100, 10_000, 10**6)]
    assert max(gains) < 1.2 * min(gains)


def test_advanced_composition_never_pays_from_ln_2_on():
    for eps in (math.log(2), 0.8, 1.0, 3.0):
        for k in (1, 2, 10, 10**4, 10**8):
            for delta_prime in (0.5, 1e-6, 1e-30, 1.0):
                assert printed_advanced(eps, delta_prime, k) >= k * eps * (1 - 1e-12)
    # Below, it does for enough releases.
    assert printed_advanced(0.69, 1e-6, 10**9) < 0.69 * 10**9


# Section II-B


def test_optimal_composition_is_below_simple_and_advanced_composition():
    for eps in (0.01, 0.1, 0.5, 1.0):
        for k in (1, 2, 10, 100):
            best = accounting.optimal(eps, 0.0, times=k).epsilon(1e-6)
            assert best <= k * eps * (1 + 1e-9)
            assert best <= accounting.advanced(eps, 0.0, times=k).epsilon(1e-6)
    # Strictly, by a good part: k = 365 and ε = 0.05.
    best, advanced = (
        of(0.05, 0.0, times=365).epsilon(1e-6) for of in (accounting.optimal, accounting.advanced)
    )
    assert best < 0.8 * advanced < 0.8 * 365 * 0.05


@pytest.mark.parametrize(("odds", "delta"), [(3, 0), (2, Fraction(1, 10)), (Fraction(9, 8), TENTH)])
def test_the_homogeneous_optimum_is_attained_and_no_adversary_exceeds_it(odds, delta):
    source = random.Random(9)
    for k in (1, 2, 3):
        profile = accounting.optimal(math.log(odds), float(delta), times=k)
        for ratio in RATIOS:
            worst = composition_delta(planned([odds] * k, [delta] * k), k, ratio)
            assert profile.delta(math.log(ratio)) == pytest.approx(
                float(worst), rel=1e-9, abs=1e-14
            )
            adversary = random_adversary(source, [odds] * k, delta)
            assert composition_delta(adversary, k, ratio) <= worst


def test_the_heterogeneous_optimum_is_attained_and_no_adversary_exceeds_it():
    source = random.Random(10)
    for _ in range(20):
        k = source.randint(1, 3)
        odds = [source.choice([F1, Fraction(3, 2), Fraction(4)]) for _ in range(k)]
        deltas = [source.choice([Fraction(0), Fraction(1, 20)]) for _ in range(k)]
        bracket = accounting.heterogeneous([math.log(E) for E in odds], [float(d) for d in deltas])
        adversary = random_adversary(source, odds, deltas)
        for ratio in RATIOS:
            worst = composition_delta(planned(odds, deltas), k, ratio)
            at = bracket.upper.delta(math.log(ratio))
            assert at == pytest.approx(float(worst), rel=1e-9, abs=1e-14)
            assert composition_delta(adversary, k, ratio) <= worst


def subsets_of_half(numbers):
    return sum(
        2 * sum(a for a, chosen in zip(numbers, S, strict=True) if chosen) == sum(numbers)
        for S in product((0, 1), repeat=len(numbers))
    )


def subsets_by_delta(numbers):
    """The same from the optimal δ at ε = 0 and at ε = ln 2."""
    ask, k = planned([Fraction(2) ** a for a in numbers]), len(numbers)
    none, log_two = (composition_delta(ask, k, ratio) for ratio in (1, 2))
    unit = Fraction(2) ** (sum(numbers) // 2) / math.prod(1 + 2**a for a in numbers)
    return (1 - 3 * none + 2 * log_two) / unit


@pytest.mark.parametrize(
    "numbers",
    [(1, 1), (1, 2), (1, 1, 2), (3, 1, 2, 2, 4), (1, 2, 3, 4, 5, 6, 7), (9, 5, 7, 3, 4, 6)],
)
def test_two_values_of_the_optimum_count_the_partitions_of_integers(numbers):
    if sum(numbers) % 2:
        assert subsets_of_half(numbers) == 0
    else:
        assert subsets_by_delta(numbers) == subsets_of_half(numbers)


def test_random_partitions_are_counted_too():
    source = random.Random(11)
    for _ in range(60):
        numbers = [source.randint(1, 12) for _ in range(source.randint(2, 6))]
        if sum(numbers) % 2 == 0:
            assert subsets_by_delta(numbers) == subsets_of_half(numbers)


@pytest.mark.slow
def test_few_digits_of_the_optimum_count_partitions():
    # With ε_i = a_i/T, and no more digits than k and a few: a polynomial algorithm would do.
    source = random.Random(12)
    for _ in range(30):
        numbers = [source.randint(1, 10**6) for _ in range(source.randint(2, 8))]
        numbers += [sum(numbers)] if source.random() < 0.5 else numbers
        total = sum(numbers)
        assert total % 2 == 0
        with mpmath.workdps(40):
            step = mpmath.mpf(1) / total
            odds = [mpmath.exp(a * step) for a in numbers]
            scale = mpmath.fprod(1 + odd for odd in odds)
            # Views by the sum of the a_i whose replies are true for b = 1.
            views = Counter({0: 1})
            for a in numbers:
                views = views + Counter({s + a: n for s, n in views.items()})
            delta = [
                sum(
                    n * max(0, mpmath.exp(s * step) - E * mpmath.exp((total - s) * step))
                    for s, n in views.items()
                )
                / scale
                for E in (1, mpmath.exp(step))
            ]
            digits = len(numbers) + 12
            at_0, at_step = (mpmath.mpf(mpmath.nstr(value, digits)) for value in delta)
            left = 1 - at_0 - 2 * (at_0 - at_step) / mpmath.expm1(step)
            share = mpmath.sqrt(mpmath.e) / scale
            assert share >= mpmath.mpf(2) ** -len(numbers) / mpmath.sqrt(mpmath.e)
            assert int(mpmath.nint(left / share)) == subsets_of_half(numbers)


def by_number_of_lies(ratio, k, E):
    """The optimum for equal ε, with k + 1 terms."""
    terms = [math.comb(k, lies) * (E ** (k - lies) - ratio * E**lies) for lies in range(k + 1)]
    return sum(max(Fraction(0), term) for term in terms) / (1 + E) ** k


def by_sums(ratio, numbers):
    """The optimum for ε that are multiples of ln 2, with as many terms as their sum, exactly."""
    law = {0: 1}
    for a in numbers:
        longer = Counter()
        for lied, number in law.items():
            longer[lied] += number
            longer[lied + a] += number
        law = longer
    whole = sum(numbers)
    terms = [
        n * (Fraction(2) ** (whole - lied) - ratio * Fraction(2) ** lied) for lied, n in law.items()
    ]
    return sum(max(Fraction(0), term) for term in terms) / math.prod(1 + 2**a for a in numbers)


def test_equal_epsilons_and_small_integers_need_no_exponential_time():
    for ratio in RATIOS:
        for k in (1, 2, 5):
            assert by_number_of_lies(ratio, k, Fraction(3)) == composition_delta(
                planned([3] * k), k, ratio
            )
        numbers = (1, 2, 2, 3, 5)
        ask = planned([Fraction(2) ** a for a in numbers])
        assert by_sums(ratio, numbers) == composition_delta(ask, 5, ratio)
    # 300 mechanisms, exactly, in the wink of an eye.
    assert 0 < by_number_of_lies(Fraction(2), 300, Fraction(11, 10)) < 1
    assert 0 < by_sums(Fraction(2) ** 50, [1 + i % 7 for i in range(300)]) < 1


def test_the_optimum_is_bracketed_in_polynomial_time():
    source = random.Random(12)
    few = [source.uniform(0.1, 1.0) for _ in range(12)]
    exact = accounting.heterogeneous(few)
    assert exact.lower.delta(1.0) == pytest.approx(exact.upper.delta(1.0), rel=1e-12)
    # 300 different ε: 2^300 sums. The bracket closes as cells are added.
    many = [source.uniform(0.01, 0.09) for _ in range(300)]
    gaps = []
    for cells in (3_000, 30_000):
        lower, upper = accounting.heterogeneous(many, cells=cells)
        assert lower.delta(2.0) <= upper.delta(2.0)
        gaps.append(upper.epsilon(1e-6) - lower.epsilon(1e-6))
    assert gaps[1] < gaps[0] / 5 < 0.1


def counted(value, odds):
    """Randomized response about whether there is a record of this value, at odds : 1."""

    def answer(database):
        share = Fraction(odds, 1 + odds)
        present = value in database
        return {present: share, not present: 1 - share}  # fmt: skip

    return answer


def test_disjoint_parts_of_a_database_cost_as_one_for_a_record_that_comes_or_goes():
    both = compose(counted("a", 3), counted("b", 3))
    databases = [(), ("a",), ("b",), ("a", "b"), ("a", "a")]
    for database in databases:
        for record in ("a", "b"):
            assert Move((database, (*database, record)), both).is_private(3)
    # Different ε: the largest counts. An exchanged record touches two parts.
    unequal = compose(counted("a", 3), counted("b", 2))
    assert all(Move((d, (*d, r)), unequal).is_private(3) for d in databases for r in "ab")
    exchange = Move((("a",), ("b",)), both)
    assert not exchange.is_private(8)
    assert exchange.is_private(9)
    # Parts that overlap add up.
    overlap = Move(((), ("a",)), compose(counted("a", 3), counted("a", 3)))
    assert not overlap.is_private(8)


def test_membership_privacy_can_protect_one_side_only():
    # It says "out!" now and then, if the target is out; never anything sure if she is in.
    def tells(database):
        return {"out!": HALF, "": HALF} if not database[0] else ""

    world = worlds.bits([HALF])
    posterior = Fraction(2, 3)  # of "in", after "": HALF / (HALF + 1/4)
    positive = max(posterior / HALF, HALF / (1 - posterior))
    assert positive == Fraction(3, 2)
    # The positive half is kept with γ = 3/2; both together, and differential privacy, are not kept.
    assert posteriors.membership_ratio(world, tells) == math.inf
    assert definitions.dp_ratio(tells, [0, 1], 1) == math.inf
    law = {bit: output_law(tells, (bit,)) for bit in (0, 1)}
    assert hockey_stick(law[1], law[0], 2) == 0
    assert hockey_stick(law[0], law[1], 10**6) == HALF


def test_who_only_knows_the_law_of_the_data_may_be_shown_the_exact_sum():
    # No noise: δ = 1 to who knows all others, and little to who knows only their law.
    assert definitions.dp_delta(total, [0, 1], 3, ratio=9) == 1
    for n, most in ((3, Fraction(1, 2)), (7, Fraction(1, 3))):
        found = definitions.apk_delta(worlds.bits([HALF] * n), total, 1)
        assert found <= most


def test_seeing_part_of_the_data_costs_less_than_choosing_it():
    world = worlds.bits([HALF, Fraction(1, 4), Fraction(1, 4)], knowledge=[1])

    def alarm(database):
        return sum(database) >= 2

    # She who may choose what the known record is fares better than she who sees what it is.
    active = definitions.apk_delta(world, alarm, 2, targets=[0])
    passive = definitions.ppk_delta(world, alarm, 2, targets=[0])
    assert passive < active


def test_pufferfish_has_constraints_and_beliefs():
    # Two memberships, never both; the law is a belief. Secrets: in one of them, in none.
    third = Fraction(1, 3)
    law = {((0, 0), 0): HALF, ((0, 1), 0): third, ((1, 0), 0): HALF - third}
    world = worlds.World(law, records=(0, 1))

    def responses(database):
        return optimum.view(database, [3, 3], [0, 0])

    found = posteriors.pufferfish_ratio(world, responses, [(any, lambda d: not any(d))])
    prior = {(0, 1): Fraction(2, 3), (1, 0): third}
    # The same as a comparison of two priors: here for δ = 0.
    assert found == optimum.least_ratio(prior, {(0, 0): F1}, [3, 3])
    assert 1 < found < 9


def test_pufferfish_subsumes_two_definitions():
    # Two bits, of which the second may be absent and has a law of its own.
    source = random.Random(21)
    pairs = [
        (lambda d, x=x: d[1] == x, lambda d, y=y: d[1] == y)
        for x, y in ((0, 1), (0, None), (1, None))
    ]
    for _ in range(40):
        laws = {d: random_reply(source) for d in product((0, 1), (0, 1, None))}
        certain = [
            worlds.World({((x, y), 0): Fraction(1, 3) for y in (0, 1, None)}) for x in (0, 1)
        ]
        # Differential privacy: she is certain of all others, whatever they are.
        private = max(
            least_ratio(laws[x, y], laws[x, z])
            for x in (0, 1)
            for y, z in ((0, 1), (0, None), (1, None))
        )
        assert posteriors.pufferfish_ratio(certain, laws.__getitem__, pairs) == private
        # Noiseless privacy: she knows the law of the others.
        unsure = worlds.World(
            {((x, y), 0): Fraction(1 + x, 9) for x, y in product((0, 1), (0, 1, None))}
        )
        mixed = {
            y: optimum.mixture([(Fraction(1 + x, 3), laws[x, y]) for x in (0, 1)])
            for y in (0, 1, None)
        }
        noiseless = max(least_ratio(mixed[y], mixed[z]) for y, z in ((0, 1), (0, None), (1, None)))
        assert posteriors.pufferfish_ratio(unsure, laws.__getitem__, pairs) == noiseless


@pytest.mark.parametrize("rate", [TENTH, HALF, Fraction(9, 10)])
def test_a_random_sample_is_more_private_and_the_bound_is_tight(rate):
    source = random.Random(13)
    for _ in range(60):
        ratio = source.choice(RATIOS[1:4])
        move = random_move(source, ratio, source.choice([Fraction(0), TENTH]))
        out, member = move.reply_law(0), move.reply_law(1)
        sampled = optimum.mixture([(1 - rate, out), (rate, member)])
        amplified = 1 + rate * (ratio - 1)
        # In the direction from the sample it is an identity, so nothing better is true.
        assert hockey_stick(sampled, out, amplified) == rate * hockey_stick(member, out, ratio)
        assert hockey_stick(out, sampled, amplified) <= rate * move.delta(ratio)
        assert amplified < ratio
    leaky = leaky_response(3, Fraction(1, 100))
    drawn = Move(
        leaky.databases,
        lambda d: mix([(rate, leaky.mechanism), (1 - rate, lambda _: leaky.mechanism(()))])(d),
    )
    assert drawn.delta(1 + 2 * rate) == rate / 100
