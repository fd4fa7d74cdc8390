"""Section 3, first part: the privacy loss, active and passive attackers, and Example 7."""

import math
import random
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
import sympy

from pkdp import figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import example_7
from pkdp.worlds import World, bits, copied, mixed
from pkdp.worlds.definitions import (
    apk_delta,
    apk_table,
    cdp_delta,
    cdp_ratio,
    dp_delta,
    np_ratio,
    ppk_delta,
    privacy_loss,
)
from pkdp.worlds.enumeration import (
    partitions,
    random_acceptable_world,
    random_mechanism,
    random_world,
    small_worlds,
)
from pkdp.worlds.mechanisms import (
    compose,
    identity,
    make_constant,
    make_threshold,
    output_law,
    total,
)
from tests.pages.partial_knowledge.small_worlds import target_is_independent

pytestmark = pytest.mark.page

HALF = Fraction(1, 2)
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(100))
VOTES = bits([Fraction(3, 10)] * 7, knowledge=(4, 5, 6))
TALLY = make_threshold(3)


# Read off the definitions once more, without the library's.


def output(world, mechanism, i, a, knowledge=None):
    """The law of the output, given D(i) = a and, if there is any, the knowledge."""
    law = {}
    for (database, known), mass in world.masses.items():
        if database[i] == a and knowledge in (None, known):
            for out, chance in output_law(mechanism, database).items():
                law[out] = law.get(out, 0) + mass * chance
    whole = sum(law.values())
    return {out: mass / whole for out, mass in law.items()}


def joint(world, mechanism, i, a):
    """The law of output and knowledge together, given D(i) = a."""
    law = {}
    for (database, known), mass in world.masses.items():
        if database[i] == a:
            for out, chance in output_law(mechanism, database).items():
                law[out, known] = law.get((out, known), 0) + mass * chance
    whole = sum(law.values())
    return {key: mass / whole for key, mass in law.items()}


def stick(P, Q, E):
    return sum(max(Fraction(0), p - E * Q.get(out, 0)) for out, p in P.items())


def both(P, Q, E):
    return max(stick(P, Q, E), stick(Q, P, E))


def distance(P, Q):
    return sum(abs(P.get(out, 0) - Q.get(out, 0)) for out in {*P, *Q}) / 2


def expected(law, E):
    """The expectation of max(0, 1 - e^{ε - L})."""
    return sum(
        chance * (1 if ratio == math.inf else max(Fraction(0), 1 - E / ratio))
        for ratio, chance in law.items()
    )


def tail(law, E):
    return sum(chance for ratio, chance in law.items() if ratio > E)


def random_law(source, size, most=6):
    weights = [source.randint(0, most) for _ in range(size)]
    weights[source.randrange(size)] += 1
    return {k: Fraction(w, sum(weights)) for k, w in enumerate(weights) if w}


def world_with(source, n, knowledge, *, free):
    """Knowledge independent of record 0; the other records depend on it, and if `free` on the
    record, too."""
    target = random_law(source, 2)
    masses = {}
    for known, share in random_law(source, knowledge).items():
        others = random_law(source, 2 ** (n - 1))
        for a, chance in target.items():
            if free:
                others = random_law(source, 2 ** (n - 1))
            for place, mass in others.items():
                rest = tuple(place >> k & 1 for k in range(n - 1))
                masses[(a, *rest), known] = share * chance * mass
    return World(masses, (0, 1))


# What is assumed


def test_acceptable_knowledge_is_independent_of_the_target_and_so_compatible_with_each_value():
    source = random.Random(301)
    for _ in range(300):
        world = random_acceptable_world(source, 2, (0, 1, 2), knowledge=3)
        for knowledge, (a, chance) in product(world.knowledge, world.law_of(0).items()):
            share = world.probability(lambda d, k, b=knowledge: k == b)
            together = world.probability(lambda d, k, b=knowledge, a=a: k == b and d[0] == a)
            assert together == share * chance > 0


def test_a_known_record_leaves_no_two_values_to_compare():
    """Definitions 12 to 14 speak of all indices; at a known one there is nothing to compare."""
    chances = (Fraction(1, 3), Fraction(2, 5), HALF)
    for size in (1, 2):
        for known in combinations(range(3), size):
            world = bits(chances, knowledge=known)
            for i in range(3):
                assert world.is_acceptable(i) is (i not in known)
                possible = {
                    knowledge: {d[i] for d, held in world.masses if held == knowledge}
                    for knowledge in world.knowledge
                }
                values = {len(found) for found in possible.values()}
                assert values == ({1} if i in known else {2})


def test_asked_of_a_known_record_too_not_even_a_constant_would_be_private():
    """If what cannot happen is given the probability 0, the loss is infinite there."""
    world = bits([HALF, Fraction(1, 3)], knowledge=[1])
    says = make_constant("-")
    for i, wanted in ((0, 0), (1, 1)):
        deltas = []
        for a in (0, 1):
            law = {}
            for (_, known), chance in joint(world, says, i, a).items():
                seen = {k for _, k in joint(world, says, i, 1 - a)}
                ratio = Fraction(1) if known in seen else math.inf
                law[ratio] = law.get(ratio, 0) + chance
            deltas.append(expected(law, 100))
        assert deltas == [wanted, wanted]
    assert ppk_delta(world, says, 100, [0]) == apk_delta(world, says, 100, [0]) == 0


def agreement(database):
    return database[0] ^ database[1]


def test_in_an_acceptable_world_noiseless_and_causal_privacy_can_differ():
    world = bits([HALF, HALF], knowledge=agreement)
    assert world.is_acceptable(0)
    assert np_ratio(world, agreement, [0]) == 1
    assert cdp_ratio(world, agreement, [0]) == math.inf
    # With one record there is nothing it could depend on.
    for world in small_worlds(1, (0, 1, 2), denominator=6, knowledge=2):
        if world.is_acceptable(0):
            assert target_is_independent(world, 0)


@pytest.mark.slow
def test_noiseless_and_causal_privacy_agree_if_the_target_is_independent_of_the_others():
    source = random.Random(302)
    compared = 0
    for _ in range(400):
        world = world_with(source, 3, 2, free=False)
        assert target_is_independent(world, 0)
        databases = list(product((0, 1), repeat=3))
        mechanism = random_mechanism(source, databases, 3)
        assert np_ratio(world, mechanism, [0]) == cdp_ratio(world, mechanism, [0])
        for E in RATIOS[:3]:
            assert apk_delta(world, mechanism, E, [0]) == cdp_delta(world, mechanism, E, [0])
        compared += len(world.law_of(0)) > 1
    assert compared > 200


# 3.1: the privacy loss


def test_the_loss_can_be_infinite_and_minus_infinity_is_not_met():
    law = privacy_loss(VOTES, TALLY, target=0, a=1, b=0)
    assert max(law) == math.inf
    assert min(law) > 0
    assert sum(law.values()) == 1
    # An output of No alone has the loss ln 0 under Yes, and probability 0.
    yes, no = (output(VOTES, TALLY, 0, a, (1, 1, 1)) for a in (1, 0))
    assert None in no
    assert None not in yes


def test_the_expectation_of_lemma_1_is_the_best_event():
    source = random.Random(303)
    for _ in range(300):
        P, Q = random_law(source, 4), random_law(source, 4)
        for E in RATIOS:
            law = {}
            for out, mass in P.items():
                ratio = mass / Q[out] if out in Q else math.inf
                law[ratio] = law.get(ratio, 0) + mass
            best = max(
                sum(P.get(o, 0) for o in event) - E * sum(Q.get(o, 0) for o in event)
                for size in range(5)
                for event in combinations(range(4), size)
            )
            assert expected(law, E) == stick(P, Q, E) == best


def test_lemma_1_restates_differential_privacy():
    source = random.Random(304)
    for _ in range(60):
        mechanism = random_mechanism(source, list(product((0, 1), repeat=2)), 3)
        for E in RATIOS[:3]:
            worst = 0
            for one, other in permutations(product((0, 1), repeat=2), 2):
                if sum(x != y for x, y in zip(one, other, strict=True)) == 1:
                    P, Q = output_law(mechanism, one), output_law(mechanism, other)
                    losses = [(p, p / Q[o] if o in Q else math.inf) for o, p in P.items()]
                    terms = (
                        p * (1 if r == math.inf else max(Fraction(0), 1 - E / r)) for p, r in losses
                    )
                    worst = max(worst, sum(terms))
            assert dp_delta(mechanism, (0, 1), 2, ratio=E) == worst


def test_the_mean_of_the_loss_is_not_what_lemma_1_averages():
    # The mean loss can be infinite where δ is small, and positive where δ is 0.
    rare = Fraction(1, 1000)
    law = {1 - rare: 1 - rare, math.inf: rare}  # P = (1 - η, η) against Q = (1, 0)
    assert sum(float(chance) * math.log(ratio) for ratio, chance in law.items()) == math.inf
    assert expected(law, 1) == rare
    told = {Fraction(3): Fraction(3, 4), Fraction(1, 3): Fraction(1, 4)}
    assert sum(float(chance) * math.log(ratio) for ratio, chance in told.items()) > 0.5
    assert expected(told, 3) == 0


def test_delta_is_the_probability_of_a_loss_above_eps_plus_an_exponential():
    x, gap = sympy.symbols("x gap", positive=True)
    assert sympy.integrate(sympy.exp(-x), (x, 0, gap)) == 1 - sympy.exp(-gap)
    # The same by quadrature over X, for the law of the loss in the small referendum.
    law = privacy_loss(VOTES, TALLY, target=0, a=1, b=0)
    handicaps = (np.arange(200_000) + 0.5) / 10_000
    for E in (1.0, 2.0, 5.0):
        tails = sum(
            float(chance) * (math.log(ratio) > math.log(E) + handicaps)
            for ratio, chance in law.items()
        )
        mean = float((tails * np.exp(-handicaps)).sum() / 10_000)
        assert mean == pytest.approx(float(expected(law, Fraction(E))), abs=1e-4)


def test_delta_is_at_most_the_tail_and_bounds_a_tail_further_out():
    source = random.Random(305)
    for _ in range(300):
        P, Q = random_law(source, 5), random_law(source, 5)
        law = {}
        for out, mass in P.items():
            ratio = mass / Q[out] if out in Q else math.inf
            law[ratio] = law.get(ratio, 0) + mass
        for E in RATIOS[:4]:
            delta = expected(law, E)
            assert delta <= tail(law, E)
            for step in (Fraction(11, 10), Fraction(2), Fraction(10)):  # e^t
                beyond = sum(chance for ratio, chance in law.items() if ratio >= E * step)
                assert beyond <= delta / (1 - 1 / step)


def test_delta_can_be_any_fraction_of_the_tail_and_the_bound_further_out_is_attained():
    for k in (10, 1000):
        law = {Fraction(2) + Fraction(1, k): Fraction(1)}
        assert tail(law, 2) == 1
        assert expected(law, 2) < Fraction(1, k)
    law = {Fraction(6): Fraction(1, 3), Fraction(1, 2): Fraction(2, 3)}
    assert sum(c for r, c in law.items() if r >= 2 * 3) == expected(law, 2) / (1 - Fraction(1, 3))


def test_the_loss_is_what_the_output_adds_to_the_log_odds():
    source = random.Random(306)
    for _ in range(100):
        world = random_acceptable_world(source, 2, (0, 1, 2), knowledge=2)
        mechanism = random_mechanism(source, list(product((0, 1, 2), repeat=2)), 3)
        for (a, p_a), (b, p_b) in permutations(world.law_of(0).items(), 2):
            for knowledge in world.knowledge:
                P, Q = (output(world, mechanism, 0, value, knowledge) for value in (a, b))
                for out in P.keys() & Q.keys():
                    posterior = p_a * P[out] / (p_b * Q[out])  # by Bayes' rule, B being independent
                    assert posterior / (p_a / p_b) == P[out] / Q[out]
                losses = privacy_loss(world, mechanism, target=0, a=a, b=b, knowledge=knowledge)
                assert losses.keys() == {P[o] / Q[o] if o in Q else math.inf for o in P}


def test_with_full_knowledge_the_loss_is_that_of_two_databases():
    source = random.Random(307)
    for _ in range(60):
        world = random_world(source, 2, (0, 1)).knowing([1])
        mechanism = random_mechanism(source, list(product((0, 1), repeat=2)), 3)
        for other in (0, 1):
            if {(0, other), (1, other)} <= set(world.databases):
                P, Q = (output_law(mechanism, (a, other)) for a in (1, 0))
                assert output(world, mechanism, 0, 1, (other,)) == P
                assert privacy_loss(
                    world, mechanism, target=0, a=1, b=0, knowledge=(other,)
                ).keys() == {P[o] / Q[o] if o in Q else math.inf for o in P}


# 3.2: active partial knowledge


def knowing_all_others(world, mechanism, E):
    return max(apk_delta(world.knowing([1 - i]), mechanism, E, [i]) for i in range(2))


def test_with_full_knowledge_active_is_differential_privacy_if_all_databases_are_possible():
    databases = list(product((0, 1), repeat=2))
    full, less = 0, 0
    for world in small_worlds(2, (0, 1), denominator=5):
        for mechanism in partitions(databases):
            for E in (Fraction(1), Fraction(3)):
                apk = knowing_all_others(world, mechanism, E)
                dp = dp_delta(mechanism, (0, 1), 2, ratio=E)
                assert apk <= dp
                if len(world.databases) == 4:
                    assert apk == dp
                    full += 1
                else:
                    less += apk < dp
    assert full == 4 * 15 * 2  # four worlds have no mass 0
    assert less > 0


def test_with_full_knowledge_what_cannot_happen_is_not_protected():
    # One record: the smallest world there is, certain of its value.
    certain = World({((0,), ()): 1}, records=(0, 1))
    assert apk_delta(certain, identity, 5) == 0
    assert dp_delta(identity, (0, 1), 1, ratio=5) == 1
    # Two records: a copied bit; every value of each record is possible.
    twice = copied({0: HALF, 1: HALF}, groups=1)
    assert knowing_all_others(twice, identity, 5) == 0
    assert dp_delta(identity, (0, 1), 2, ratio=5) == 1
    # It takes the knowledge to be unacceptable; a record that is always 0 does not.
    assert not twice.knowing([1]).is_acceptable(0)
    single = bits([HALF, 0])
    assert all(single.knowing([1 - i]).is_acceptable(i) for i in range(2))
    for mechanism, apk, dp in ((lambda d: d[1], 0, 1), (identity, 1, 1)):
        assert knowing_all_others(single, mechanism, 5) == apk
        assert dp_delta(mechanism, (0, 1), 2, ratio=5) == dp


def test_a_world_acceptable_at_each_record_with_full_knowledge_has_independent_records():
    found = 0
    for world in small_worlds(2, (0, 1), denominator=9):
        if all(world.knowing([1 - i]).is_acceptable(i) for i in range(2)):
            assert world.has_independent_records()
            if all(len(world.law_of(i)) == 2 for i in range(2)):
                found += 1
                assert len(world.databases) == 4
    assert found > 0


@pytest.mark.slow
def test_both_forms_of_active_privacy_agree():
    source = random.Random(308)
    for _ in range(200):
        world = random_acceptable_world(source, 2, (0, 1, 2), knowledge=2)
        mechanism = random_mechanism(source, list(product((0, 1, 2), repeat=2)), 3)
        for E in RATIOS[:3]:
            by_loss, by_events = Fraction(0), Fraction(0)
            for a, b in permutations(world.law_of(0), 2):
                for knowledge in world.knowledge:
                    loss = privacy_loss(world, mechanism, target=0, a=a, b=b, knowledge=knowledge)
                    by_loss = max(by_loss, expected(loss, E))
                    laws = (output(world, mechanism, 0, value, knowledge) for value in (a, b))
                    by_events = max(by_events, stick(*laws, E))
            assert by_loss == by_events == apk_delta(world, mechanism, E, [0])


def test_active_privacy_without_delta_is_noiseless_privacy():
    source = random.Random(309)
    finite = 0
    for _ in range(300):
        world = random_world(source, 2, (0, 1), knowledge=2)
        mechanism = random_mechanism(source, list(product((0, 1), repeat=2)), 2)
        ratio = np_ratio(world, mechanism)
        # With e^ε = ∞ what remains is what one value allows and another forbids.
        assert (apk_delta(world, mechanism, ratio) == 0) is (ratio < math.inf)
        if 1 < ratio < math.inf:
            assert apk_delta(world, mechanism, 1 + (ratio - 1) * Fraction(999, 1000)) > 0
            finite += 1
    assert finite > 30


def test_the_worst_knowledge_is_that_of_the_least_privacy():
    for E in RATIOS:
        deltas = {
            knowledge: max(
                apk_table(VOTES, TALLY, E, target=0, a=a, b=b)[knowledge][1]
                for a, b in ((1, 0), (0, 1))
            )
            for knowledge in VOTES.knowledge
        }
        assert apk_delta(VOTES, TALLY, E, range(4)) == max(deltas.values())
    assert min(deltas.values()) < max(deltas.values())


def where_they_differ(database):
    t, u, k = database
    return t if u != k else 0


def test_to_set_a_record_that_others_follow_is_not_to_condition_on_it():
    honest = World({((t, k, k), k): HALF**2 for t, k in product((0, 1), repeat=2)})
    assert honest.is_acceptable(0)
    assert apk_delta(honest, where_they_differ, 1, [0]) == 0
    for forged in (0, 1):
        after = World({((t, u, forged), ()): HALF**2 for t, u in product((0, 1), repeat=2)})
        for E in RATIOS:
            assert apk_delta(after, where_they_differ, E, [0]) == HALF


def test_to_set_records_is_to_condition_on_them_if_they_are_independent_of_the_rest():
    source = random.Random(310)
    for _ in range(200):
        rest = random_world(source, 2, (0, 1))
        law = random_law(source, 2)
        masses = {
            ((*database, k), k): mass * chance
            for (database, _), mass in rest.masses.items()
            for k, chance in law.items()
        }
        world = World(masses, (0, 1))
        mechanism = random_mechanism(source, list(product((0, 1), repeat=3)), 3)
        for k, a in product(law, rest.law_of(0)):
            forged = World({((*d, k), ()): mass for (d, _), mass in rest.masses.items()}, (0, 1))
            assert output(forged, mechanism, 0, a) == output(world, mechanism, 0, a, k)


# Example 7


@pytest.mark.parametrize(
    ("n", "known", "cut", "one_in", "ratio"),
    [(4, 2, 1, 3, 1), (5, 2, 2, 2, 2), (6, 2, 3, 4, 3), (5, 0, 2, 3, 2), (5, 4, 2, 3, 2)]
    + [(6, 3, cut, 3, 2) for cut in range(7)],
)
def test_example_7_in_small_agrees_with_the_world(n, known, cut, one_in, ratio):
    found = example_7.deltas(n, known, cut, one_in, ratio)
    world = bits([Fraction(1, one_in)] * n, knowledge=range(n - known, n))
    mechanism = make_threshold(cut)
    chances = dict.fromkeys(range(known + 1), Fraction(0))
    deltas = {}
    for order in ((1, 0), (0, 1)):
        a, b = order
        table = apk_table(world, mechanism, ratio, target=0, a=a, b=b)
        for votes, (chance, delta) in table.items():
            b = sum(votes)
            chances[b] += chance / 2
            deltas[order, b] = delta
    for b in range(known + 1):
        assert Fraction(found.yes[b], found.unit) == deltas[(1, 0), b]
        assert Fraction(found.no[b], found.unit) == deltas[(0, 1), b]
        assert Fraction(found.weights[b], found.known_unit) == chances[b]
    targets = range(n - known)
    assert Fraction(max(found.active), found.unit) == apk_delta(world, mechanism, ratio, targets)
    passive = Fraction(found.passive, found.unit * found.known_unit)
    assert passive == ppk_delta(world, mechanism, ratio, targets)


def real_size(ratio):
    return example_7.deltas(1000, 100, 100, 10**7, ratio)


@pytest.mark.parametrize("ratio", [1, 2, 10**3, 10**9])
def test_a_hundred_fake_votes_leave_delta_at_all_others_no_for_every_eps(ratio):
    found = real_size(ratio)
    assert found.active[100] == (10**7 - 1) ** 899
    assert max(found.active) == found.active[100]
    assert found.active[100] / found.unit == pytest.approx(0.9999101, abs=1e-7)


def test_with_a_hundred_fake_votes_the_threshold_is_pointless():
    # A plain count reveals neither more nor less; in a small copy of the example.
    world = bits([Fraction(1, 50)] * 6, knowledge=(3, 4, 5))
    for E in RATIOS:
        for a, b in ((1, 0), (0, 1)):
            plain, cut = (
                apk_table(world, mechanism, E, target=0, a=a, b=b)[1, 1, 1][1]
                for mechanism in (total, make_threshold(3))
            )
            assert plain == cut


def test_one_fake_vote_less_is_nearly_harmless():
    found = real_size(1)
    assert found.active[99] / found.unit == pytest.approx(8.99e-5, rel=1e-3)
    assert found.active[98] / found.unit < 1e-8
    at_least = example_7.deltas(1000, 100, 99, 10**7, 2)
    assert at_least.active[99] == at_least.active[100] == (10**7 - 1) ** 899
    assert at_least.active[98] / at_least.unit < 1e-4


def test_the_passive_delta_at_eps_0_is_the_chance_to_tip_the_scales():
    found = real_size(1)
    mean = found.passive
    assert mean == math.comb(999, 100) * (10**7 - 1) ** 899
    exponent = math.log10(mean) - math.log10(found.unit) - math.log10(found.known_unit)
    assert exponent == pytest.approx(-560.24, abs=0.005)


def test_watched_passively_almost_surely_all_known_votes_are_no_and_the_output_is_hidden():
    one_in = 10**7
    assert 1 - (1 - 1 / one_in) ** 100 < 1.01e-5
    shown = sum(math.comb(1000, k) * (one_in - 1) ** (1000 - k) for k in range(101, 1001))
    assert math.log10(shown) - 7000 == pytest.approx(-566.245, abs=0.001)


# A law that is known approximately


def test_knowing_which_law_it_is_gives_active_privacy_for_each_candidate():
    source = random.Random(311)
    for _ in range(150):
        worlds = [random_acceptable_world(source, 2, (0, 1), knowledge=2) for _ in range(3)]
        weights = [Fraction(k, 6) for k in (1, 2, 3)]
        mechanism = random_mechanism(source, list(product((0, 1), repeat=2)), 3)
        for E in RATIOS[:3]:
            together = apk_delta(mixed(worlds, weights), mechanism, E, [0])
            assert together == apk_delta(worlds, mechanism, E, [0])


def test_nobody_knowing_which_law_it_is_is_safer_if_the_error_is_independent_of_the_target():
    source = random.Random(312)
    for _ in range(200):
        world = world_with(source, 3, 3, free=True)
        mechanism = random_mechanism(source, list(product((0, 1), repeat=3)), 3)
        for E in RATIOS[:3]:
            unaware = apk_delta(world.knowing(()), mechanism, E, [0])
            assert unaware <= apk_delta(world, mechanism, E, [0])


def test_an_error_that_tells_of_the_target_is_not_covered():
    rates = [bits([r, r]) for r in (Fraction(1, 10), Fraction(9, 10))]
    world = mixed(rates, [HALF, HALF])
    assert not world.is_acceptable(0)
    assert apk_delta(world, lambda d: d[1], 1, [0]) == 0
    assert apk_delta(world.knowing(()), lambda d: d[1], 1, [0]) == Fraction(16, 25)


def test_nearly_the_right_law_costs_1_plus_e_eps_times_the_distance():
    source = random.Random(313)
    for _ in range(400):
        P, Q, P1, Q1 = (random_law(source, 4) for _ in range(4))
        eta = max(distance(P, P1), distance(Q, Q1))
        for E in RATIOS[:4]:
            assert both(P1, Q1, E) <= both(P, Q, E) + (1 + E) * eta
    P, Q = {0: HALF, 1: HALF}, {0: HALF / 2, 1: 3 * HALF / 2}
    P1, Q1 = {0: Fraction(5, 8), 1: Fraction(3, 8)}, {0: Fraction(1, 8), 1: Fraction(7, 8)}
    assert distance(P, P1) == distance(Q, Q1) == Fraction(1, 8)
    assert both(P1, Q1, 2) == both(P, Q, 2) + 3 * Fraction(1, 8)


def test_passive_privacy_survives_a_nearly_right_joint_law():
    source = random.Random(314)
    for _ in range(200):
        one, other = (world_with(source, 2, 3, free=True) for _ in range(2))
        values = one.law_of(0).keys() & other.law_of(0).keys()
        if len(values) < 2:
            continue
        eta = distance(one.masses, other.masses)
        least = min(max(one.law_of(0)[a], other.law_of(0)[a]) for a in values)
        mechanism = random_mechanism(source, list(product((0, 1), repeat=2)), 3)
        for E in RATIOS[:3]:
            slack = (1 + E) * eta / least
            assert ppk_delta(other, mechanism, E, [0]) <= ppk_delta(one, mechanism, E, [0]) + slack


def test_active_privacy_does_not_survive_a_nearly_right_joint_law():
    for rare in (Fraction(1, 10), Fraction(1, 1000)):
        gate = bits([HALF, rare], knowledge=[1])
        closed = bits([HALF, 0], knowledge=[1])
        mechanism = min  # reveals the target where the known record is 1
        assert distance(gate.masses, closed.masses) == rare
        assert apk_delta(closed, mechanism, 1, [0]) == 0
        assert apk_delta(gate, mechanism, 1, [0]) == 1
        assert ppk_delta(gate, mechanism, 1, [0]) == rare


def test_conditioning_the_knowledge_away_keeps_active_privacy_and_makes_passive_active():
    source = random.Random(315)
    differ = 0
    for _ in range(200):
        world = random_acceptable_world(source, 2, (0, 1), knowledge=3)
        mechanism = random_mechanism(source, list(product((0, 1), repeat=2)), 3)
        for E in RATIOS[:3]:
            active = apk_delta(world, mechanism, E, [0])
            family = world.conditioned()
            assert apk_delta(family, mechanism, E, [0]) == active
            assert ppk_delta(family, mechanism, E, [0]) == active
            differ += ppk_delta(world, mechanism, E, [0]) < active
    assert differ > 100


# 3.3: passive partial knowledge


def test_conditioned_on_the_knowledge_one_delta_does_not_say_what_the_passive_one_does():
    """Both sides given the knowledge: asked of each it is too strong, of most of it too weak."""
    for rare in (HALF, Fraction(1, 1000)):
        world = bits([HALF, rare], knowledge=[1])
        told = {
            known[0]: both(output(world, min, 0, 1, known), output(world, min, 0, 0, known), 2)
            for known in world.knowledge
        }
        assert told == {0: 0, 1: 1}
        assert ppk_delta(world, min, 2, [0]) == rare  # while no smaller δ holds for each knowledge


def test_the_two_orders_bound_different_quantities():
    means = [
        sum(
            chance * delta
            for chance, delta in apk_table(VOTES, TALLY, 2, target=0, a=a, b=b).values()
        )
        for a, b in ((1, 0), (0, 1))
    ]
    assert means == [Fraction(129303, 10**6), Fraction(27783, 10**6)]
    assert ppk_delta(VOTES, TALLY, 2, range(4)) == max(means)


@pytest.mark.slow
def test_the_passive_delta_averages_the_loss_over_output_and_knowledge():
    source = random.Random(316)
    for _ in range(150):
        world = random_acceptable_world(source, 2, (0, 1, 2), knowledge=2)
        mechanism = random_mechanism(source, list(product((0, 1, 2), repeat=2)), 3)
        for E in RATIOS[:3]:
            losses = [
                privacy_loss(world, mechanism, target=0, a=a, b=b)
                for a, b in permutations(world.law_of(0), 2)
            ]
            delta = max((expected(law, E) for law in losses), default=0)
            assert ppk_delta(world, mechanism, E, [0]) == delta
            assert delta <= max((tail(law, E) for law in losses), default=0)


@pytest.mark.slow
def test_passive_privacy_is_indistinguishability_of_output_and_knowledge_together():
    source = random.Random(317)
    compared = 0
    for trial in range(400):
        if trial % 2:
            world = random_acceptable_world(source, 2, (0, 1, 2), knowledge=3)
            databases = list(product((0, 1, 2), repeat=2))
        else:
            world = world_with(source, 3, 3, free=True)
            databases = list(product((0, 1), repeat=3))
        mechanism = random_mechanism(source, databases, 3)
        for E in RATIOS[:3]:
            together = max(
                (
                    stick(joint(world, mechanism, 0, a), joint(world, mechanism, 0, b), E)
                    for a, b in permutations(world.law_of(0), 2)
                ),
                default=Fraction(0),
            )
            assert ppk_delta(world, mechanism, E, [0]) == together
            compared += together > 0
    assert compared > 500


def test_passive_privacy_is_noiseless_privacy_of_the_output_with_the_known_records():
    released = compose(TALLY, lambda database: database[4:])
    for E in (*RATIOS, math.inf):
        alone = apk_delta(VOTES.knowing(()), released, E, [0])
        assert alone == ppk_delta(VOTES, TALLY, E, [0])


def known_by(given_yes, given_no):
    law = {1: given_yes, 0: given_no}
    return World(
        {((t, k), k): HALF * (law[t] if k else 1 - law[t]) for t, k in product((0, 1), repeat=2)}
    )


def test_without_independence_either_can_be_the_larger():
    def sometimes(database):
        t, k = database
        chance = Fraction(4 if t else 1, 16) * k
        return {"o": chance, "-": 1 - chance}

    cases = [
        (known_by(Fraction(3, 4), Fraction(1, 4)), make_constant("-"), 0, Fraction(1, 4)),
        (known_by(Fraction(1, 3), HALF), sometimes, Fraction(1, 24), Fraction(1, 48)),
    ]
    for world, mechanism, passive, together in cases:
        assert ppk_delta(world, mechanism, 2, [0]) == passive
        laws = [joint(world, mechanism, 0, a) for a in (0, 1)]
        assert both(*laws, 2) == together


def twice(law):
    """The least δ with P[δ(B) > δ] ≤ δ, from the law of δ(B)."""

    def beyond(level):
        return sum(chance for delta, chance in law.items() if delta > level)

    # It is one of the values or one of the probabilities.
    levels = {*law, *(beyond(level) for level in law), beyond(-1), Fraction(0)}
    return min(level for level in levels if beyond(level) <= level)


def test_delta_used_twice_lies_between_half_the_passive_delta_and_its_root():
    source = random.Random(318)
    for _ in range(500):
        law = {}
        for chance in random_law(source, 4).values():
            delta = Fraction(source.randint(0, 40), source.choice((40, 400)))
            law[delta] = law.get(delta, 0) + chance
        mean = sum(delta * chance for delta, chance in law.items())
        assert mean <= 2 * twice(law) - twice(law) ** 2
        assert twice(law) ** 2 <= mean


def test_neither_bound_on_delta_used_twice_can_be_improved():
    delta = Fraction(1, 10)
    law = {Fraction(1): delta, delta: 1 - delta}
    assert twice(law) == delta
    assert sum(d * chance for d, chance in law.items()) == 2 * delta - delta**2
    for step in (Fraction(1, 100), Fraction(1, 10**6)):
        level = delta + step
        chance = delta**2 / level  # so that the mean is delta**2
        assert delta - step < twice({level: chance, Fraction(0): 1 - chance}) < delta


def test_in_example_7_delta_used_twice_is_half_the_exponent():
    found = real_size(2)
    beyond = np.cumsum(found.weights[::-1], dtype=object)[::-1]
    best = 0.0
    for b in range(100):
        level = math.log10(found.active[b]) - math.log10(found.unit)
        chance = math.log10(beyond[b + 1]) - math.log10(found.known_unit)
        best = min(best, max(level, chance))
    assert best == pytest.approx(-293.13, abs=0.005)


@pytest.mark.parametrize("eta", [Fraction(1, 10), Fraction(1, 1000)])
def test_the_delta_of_an_inference_is_not_the_probability_of_learning(eta):
    # A published bit; the simulator says 0, which leaves the bit at its prior law.
    world = bits([eta])
    prior, posterior = world.law_of(0), {0: Fraction(1)}
    assert both(prior, posterior, 1) == eta  # at the output 0, even with ε = 0
    assert output(world, identity, 0, 1) == {(1,): 1}  # the other output has probability η
    for a in (0, 1):  # learnt in any case
        assert privacy_loss(world, identity, target=0, a=a, b=1 - a) == {math.inf: 1}
    assert ppk_delta(world, identity, 1000) == apk_delta(world, identity, 1000) == 1


def test_a_published_rare_bit_is_inference_private_and_not_simulated():
    world = bits([Fraction(1, 1000)])
    laws = [output(world, identity, 0, a) for a in (0, 1)]
    simulators = [
        {(0,): Fraction(j, 20), (1,): Fraction(k, 20), None: Fraction(20 - j - k, 20)}
        for j in range(21)
        for k in range(21 - j)
    ]
    for E in RATIOS:
        best = min(max(both(law, said, E) for law in laws) for said in simulators)
        assert best == HALF


def test_example_7_is_inference_private_with_a_tiny_delta_and_far_from_simulated():
    q = example_7.binomial(899, 10**7)
    below = np.cumsum(q, dtype=object)
    # What ⊥ says about the target where at most 99 known votes are Yes: at most a factor.
    for b in range(100):
        assert below[100 - b - 1] * 2 > below[100 - b]
        assert below[100 - b - 1] * 10 ** (7 * 899) >= below[100 - b] * (10**7 - 1) ** 899
    # One simulator close to two laws makes these close to each other.
    source = random.Random(319)
    for _ in range(300):
        P, Q, S = (random_law(source, 3) for _ in range(3))
        for E in RATIOS[:3]:
            delta = max(both(P, S, E), both(Q, S, E))
            assert both(P, Q, E**2) <= (1 + E) * delta
    assert real_size(4).active[100] / real_size(4).unit / 3 > 0.333


def test_in_example_7_a_forged_vote_is_worth_six_powers_of_ten_at_first_and_four_at_the_end():
    found = real_size(2)

    def exponent(m):
        seen = example_7.binomial(100 - m, 10**7)
        value = max(
            sum(w * order[m + b] for b, w in enumerate(seen)) for order in (found.yes, found.no)
        )
        return math.log10(value) - math.log10(found.unit) - 7 * (100 - m)

    steps = [exponent(m + 1) - exponent(m) for m in (0, 25, 50, 75, 90, 99)]
    assert [f"{step:.2f}" for step in steps] == ["6.00", "5.89", "5.72", "5.43", "5.04", "4.05"]


# The figures


def like(value, text):
    digits = len(text.partition(".")[2])
    return f"{value:.{digits}f}" == text


def test_loss_gives_the_numbers_of_its_texts():
    table = figures.table("loss")
    mass, counted = (select(table, panel="law", series=s) for s in ("mass", "counted"))
    assert len(mass["x"]) == 7
    assert [f"{x:.2f}" for x in mass["x"]] == [
        *("-0.83", "-0.25", "-0.22", "-0.03", "0.85", "1.95", "2.90")
    ]
    assert like(mass["y"][:4].sum(), "0.75")
    assert [f"{y:.3f}" for y in mass["y"][4:]] == ["0.095", "0.124", "0.027"]
    shares = counted["y"] / mass["y"]
    assert [f"{share:.2f}" for share in shares] == ["0.00"] * 4 + ["0.14", "0.71", "1.00"]
    assert like(counted["y"].sum(), "0.129")
    assert like(mass["y"][4:].sum(), "0.246")
    curves = select(table, panel="curves")
    tails, deltas = (select(curves, series=s) for s in ("tail", "delta"))
    assert [f"{y:.3f}" for y in tails["y"][::2]] == ["0.246", "0.151", "0.027"]
    assert like(deltas["y"][0], "0.188")
    assert like(np.interp(1.9, deltas["x"], deltas["y"]), "0.033")
    assert deltas["y"][deltas["x"] >= 1.95] == pytest.approx(0.027)
    assert (np.diff(deltas["y"]) <= 1e-15).all()
    law = privacy_loss(VOTES, TALLY, target=0, a=1, b=0)
    for eps, delta in zip(deltas["x"].tolist(), deltas["y"].tolist(), strict=True):
        E = Fraction(math.exp(eps))
        assert float(expected(law, E)) == pytest.approx(delta, abs=1e-12)
        assert delta <= float(tail(law, Fraction(math.exp(eps - 1e-12)))) + 1e-12


def test_example_7_gives_the_numbers_of_its_texts():
    table = figures.table("example-7")
    active = select(table, panel="exponent", series="active")
    assert active["x"].tolist() == list(range(101))
    assert [f"{active['y'][b]:.1f}" for b in (0, 98, 99)] == ["-565.1", "-8.4", "-4.0"]
    assert active["y"][100] == pytest.approx(-3.9e-5, rel=1e-2)
    steps = np.diff(active["y"])
    assert (steps > 4).all()
    assert (steps < 7).all()
    passive = select(table, panel="exponent", series="passive")["y"]
    assert [f"{y:.0f}" for y in passive] == ["-560"] * 2
    share = select(table, panel="share", series="share")
    assert share["y"].argmax() == 10
    found = real_size(2)  # the order drawn is that of the larger mean
    assert found.passive == sum(w * x for w, x in zip(found.weights, found.yes, strict=True))
    assert like(share["y"].max(), "0.14")
    assert share["x"][share["y"] > 0.01].tolist() == list(range(4, 17))
    (last,) = select(table, panel="share", series="last share")["y"]
    assert like(last, "-140")
