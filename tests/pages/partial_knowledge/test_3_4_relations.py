"""Section 3, second part: Propositions 5 and 6, Theorems 1 and 2, and what reducible means."""

import math
import random
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
import sympy

from pkdp import counting, figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import theorem_1
from pkdp.worlds import World, bits, independent
from pkdp.worlds.definitions import (
    apk_delta,
    apk_table,
    is_reducible,
    np_ratio,
    ppk_delta,
    privacy_loss,
)
from pkdp.worlds.enumeration import (
    partitions,
    random_acceptable_world,
    random_mechanism,
    small_worlds,
)
from pkdp.worlds.mechanisms import (
    arithmetic_mean,
    geometric_mean,
    harmonic_mean,
    make_count,
    make_threshold,
    make_weighted_sum,
    mix,
    output_law,
    post_process,
    quadratic_mean,
    total,
)

pytestmark = pytest.mark.page

HALF = Fraction(1, 2)
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5))
SQUARE = list(product((0, 1), repeat=2))
THREE = bits([Fraction(1, 3), Fraction(1, 4), HALF], knowledge=[2])


def random_law(source, values, most=6):
    weights = [source.randint(1, most) for _ in values]
    return {value: Fraction(w, sum(weights)) for value, w in zip(values, weights, strict=True)}


def random_probability(source):
    return Fraction(source.randint(1, 9), 10)


# 3.4: the axioms


@pytest.mark.slow
def test_post_processing_never_reveals_more():
    source = random.Random(341)
    for _ in range(200):
        world = random_acceptable_world(source, 2, (0, 1), knowledge=2)
        mechanism = random_mechanism(source, SQUARE, 3)
        tables = [
            {out: source.randrange(2) for out in range(3)},
            {out: random_law(source, (0, 1)) for out in range(3)},  # with coins of its own
        ]
        for table, measure, E in product(tables, (apk_delta, ppk_delta), RATIOS):
            later = post_process(mechanism, table.__getitem__)
            assert measure(world, later, E, [0]) <= measure(world, mechanism, E, [0])


def test_a_coin_between_two_mechanisms_reveals_no_more_than_the_worse():
    source = random.Random(342)
    for _ in range(200):
        world = random_acceptable_world(source, 2, (0, 1), knowledge=2)
        one, two = (random_mechanism(source, SQUARE, 3) for _ in range(2))
        p = random_probability(source)
        for measure, E in product((apk_delta, ppk_delta), RATIOS):
            deltas = [measure(world, mechanism, E, [0]) for mechanism in (one, two)]
            either = measure(world, mix([(p, one), (1 - p, two)]), E, [0])
            assert either <= p * deltas[0] + (1 - p) * deltas[1] <= max(deltas)


def test_the_axioms_hold_for_families():
    source = random.Random(343)
    for _ in range(60):
        worlds = [random_acceptable_world(source, 2, (0, 1), knowledge=2) for _ in range(3)]
        one, two = (random_mechanism(source, SQUARE, 3) for _ in range(2))
        later = post_process(one, lambda out: out % 2)
        for measure, E in product((apk_delta, ppk_delta), RATIOS[:2]):
            deltas = [measure(worlds, mechanism, E, [0]) for mechanism in (one, two)]
            assert measure(worlds, later, E, [0]) <= deltas[0]
            assert measure(worlds, mix([(HALF, one), (HALF, two)]), E, [0]) <= max(deltas)


def test_the_f_divergence_is_that_of_one_convention():
    source = random.Random(344)
    differ = 0
    for _ in range(200):
        P, Q = random_law(source, range(3)), random_law(source, range(3))
        for E in RATIOS:
            wanted = sum(max(Fraction(0), P[o] - E * Q[o]) for o in P)

            def f(x, E=E):
                return max(Fraction(0), 1 - E * x)

            assert sum(P[o] * f(Q[o] / P[o]) for o in P) == wanted
            usual = sum(Q[o] * f(P[o] / Q[o]) for o in P)
            assert usual == sum(max(Fraction(0), Q[o] - E * P[o]) for o in P)
            differ += usual != wanted
    assert differ > 100


# 3.4: Theorem 1


def by_hand(world, mechanism, E, a, b):
    """PPK(i, a, b) for record 0, from the joint law of knowledge and output."""
    joint = {value: {} for value in (a, b)}
    shares = {value: {} for value in (a, b)}
    for (database, known), mass in world.masses.items():
        value = database[0]
        if value in joint:
            shares[value][known] = shares[value].get(known, 0) + mass
            for out, chance in output_law(mechanism, database).items():
                key = known, out
                joint[value][key] = joint[value].get(key, 0) + mass * chance
    found = 0
    for (known, out), mass in joint[a].items():
        p = mass / shares[a][known]
        q = joint[b].get((known, out), 0) / shares[b][known]
        found += mass / sum(shares[a].values()) * max(Fraction(0), 1 - E * q / p)
    return found


@pytest.mark.slow
def test_the_passive_delta_is_the_mean_of_the_active_ones():
    source = random.Random(345)
    for _ in range(200):
        world = random_acceptable_world(source, 2, (0, 1, 2), knowledge=3)
        mechanism = random_mechanism(source, list(product((0, 1, 2), repeat=2)), 3)
        for E in RATIOS:  # ε = 0 among them
            values = list(world.law_of(0))
            passive = Fraction(0)
            for a, b in product(values, repeat=2):
                rows = apk_table(world, mechanism, E, target=0, a=a, b=b).values()
                mean = sum(chance * delta for chance, delta in rows)
                assert mean == by_hand(world, mechanism, E, a, b)
                passive = max(passive, mean)
            assert ppk_delta(world, mechanism, E, [0]) == passive
            assert passive <= apk_delta(world, mechanism, E, [0])


@pytest.mark.slow
def test_without_delta_both_definitions_are_one():
    source = random.Random(346)
    seen = {"finite": 0, "infinite": 0, "positive": 0}
    for trial in range(240):
        n, values = ((2, (0, 1, 2)), (3, (0, 1)), (2, (0, 1)))[trial % 3]
        world = random_acceptable_world(source, n, values, knowledge=source.randint(2, 4))
        if len(world.law_of(0)) < 2:
            continue
        databases = list(product(values, repeat=n))
        mechanism = random_mechanism(source, databases, source.randint(2, 4))
        least = np_ratio(world, mechanism, [0])
        ratios = {Fraction(1), Fraction(2), Fraction(10), Fraction(1000), least}
        if least != math.inf:
            ratios.add(1 + (least - 1) * Fraction(999, 1000))  # a little below the least
        for E in ratios:
            active, passive = (
                measure(world, mechanism, E, [0]) for measure in (apk_delta, ppk_delta)
            )
            assert (active == 0) is (passive == 0)
            if math.isfinite(E):
                assert (passive == 0) is (least <= E)
            seen["positive"] += passive > 0
        seen["finite" if least < math.inf else "infinite"] += 1
    assert min(seen.values()) > 30


def test_choosing_can_be_worth_everything():
    for p in (HALF, Fraction(1, 1000)):
        world = bits([HALF, p], knowledge=[1])
        for E in (*RATIOS, math.inf):
            assert apk_delta(world, min, E, [0]) == 1
            assert ppk_delta(world, min, E, [0]) == p


def test_with_one_record_choosing_is_worth_nothing():
    tried = 0
    for world in small_worlds(1, (0, 1, 2), denominator=6, knowledge=2):
        if not world.is_acceptable(0):
            continue
        for mechanism in partitions([(0,), (1,), (2,)]):
            for E in (1, 2):
                tried += 1
                assert apk_delta(world, mechanism, E) == ppk_delta(world, mechanism, E)
    assert tried > 500


def response(truth):
    answer = {b: {b: truth, 1 - b: 1 - truth} for b in (0, 1)}
    return lambda database: answer[database[0]]


def test_delta_does_not_bound_the_mass_of_the_loss_above_eps():
    world, E = bits([HALF]), Fraction(3, 2)
    mechanism = response(Fraction(2, 3))
    law = privacy_loss(world, mechanism, target=0, a=1, b=0)
    assert sum(chance for ratio, chance in law.items() if ratio > E) == Fraction(2, 3)
    assert apk_delta(world, mechanism, E) == ppk_delta(world, mechanism, E) == Fraction(1, 6)


@pytest.mark.slow
def test_delta_bounds_the_mass_of_losses_beyond_eps_by_a_margin():
    source = random.Random(347)
    for _ in range(200):
        world = random_acceptable_world(source, 2, (0, 1), knowledge=2)
        if len(world.law_of(0)) < 2:
            continue
        mechanism = random_mechanism(source, SQUARE, 3)
        for E, step in product(RATIOS[:3], (Fraction(11, 10), Fraction(2), Fraction(9))):
            margin = 1 - 1 / step  # 1 - e^{-t}
            for a in (0, 1):
                passive = privacy_loss(world, mechanism, target=0, a=a, b=1 - a)
                active = [
                    privacy_loss(world, mechanism, target=0, a=a, b=1 - a, knowledge=k)
                    for k in world.knowledge
                ]
                beyond = [
                    sum(chance for ratio, chance in law.items() if ratio >= E * step)
                    for law in (passive, *active)
                ]
                assert beyond[0] * margin <= ppk_delta(world, mechanism, E, [0])
                assert max(beyond[1:]) * margin <= apk_delta(world, mechanism, E, [0])


# 3.5: reducible mechanisms


def tallies_with_known(known, others, target):
    """Weights of (known Yes, tally), one voter after the other; Yes has `p` parts of 20."""
    table = [[0] * (len(known) + len(others) + 2) for _ in range(len(known) + 1)]
    table[0][target] = 1
    for is_known, p in [*((True, p) for p in known), *((False, p) for p in others)]:
        after = [[(20 - p) * weight for weight in row] for row in table]
        for b, row in enumerate(table):
            for tally, weight in enumerate(row):
                if weight:
                    after[b + is_known][tally + 1] += p * weight
        table = after
    return table


@pytest.mark.parametrize("seed", [1, 2])
def test_a_tally_of_forty_is_as_private_whatever_the_known_half_votes(seed):
    source = random.Random(seed)
    known, others = ([source.randint(1, 19) for _ in range(size)] for size in (20, 19))
    no, yes = (tallies_with_known(known, others, target) for target in (0, 1))
    weights = [sum(row) for row in no]
    assert weights == [sum(row) for row in yes]
    assert sum(weights) == 20**39
    for E, (P, Q) in product((1, Fraction(11, 10), 2, 5), ((no, yes), (yes, no))):
        deltas = [
            Fraction(sum(max(0, p - E * q) for p, q in zip(one, other, strict=True)), weight)
            for one, other, weight in zip(P, Q, weights, strict=True)
        ]
        mean = sum(w * delta for w, delta in zip(weights, deltas, strict=True)) / sum(weights)
        assert max(deltas) == min(deltas) == mean > 0


@pytest.mark.parametrize("p", [np.full(999, 0.5), np.linspace(0.05, 0.95, 999)])
def test_two_thousand_voters_of_whom_a_thousand_are_known(p):
    exact = counting.exact(p)
    for yes in (0, 1, 500, 1000):
        tallies = []
        for target in (0, 1):
            law = np.array([1.0])
            for vote in (target, *np.repeat([1.0, 0.0], [yes, 1000 - yes]), *p):
                law = np.convolve(law, [1 - vote, vote])
            tallies.append(law)
        assert tallies[0].size == 2001
        for eps in (0.0, 0.1, 0.3):
            E = math.exp(eps)
            delta = max(np.maximum(P - E * Q, 0).sum() for P, Q in (tallies, tallies[::-1]))
            assert delta == pytest.approx(exact.delta(eps), rel=1e-9)


def test_for_a_tally_in_small_active_and_passive_are_those_of_the_unknown_votes():
    source = random.Random(348)
    for _ in range(20):
        p = [random_probability(source) for _ in range(6)]
        world, unknown = bits(p, knowledge=(3, 4, 5)), bits(p[:3])
        for E in RATIOS:
            active = apk_delta(world, total, E, range(3))
            assert active == ppk_delta(world, total, E, range(3)) == apk_delta(unknown, total, E)


def test_couples_make_it_matter_what_the_known_votes_are():
    eps = [
        counting.exact([0.9, 0.1], multiplicities=[b, 999 - b]).epsilon(1e-6) for b in (0, 250, 499)
    ]
    assert [f"{x:.4f}" for x in eps] == ["0.4834", "0.4438", "0.4161"]
    # The passive δ at her ε: the mean of each order, then the maximum.
    means = [0.0, 0.0]
    for b in range(300, 700):
        pair = counting.pair([0.9, 0.1], multiplicities=[b, 999 - b])
        for k, order in enumerate((pair, pair.reversed())):
            means[k] += math.comb(999, b) / 2**999 * math.exp(order.log_hockey_stick(eps[0]))
    assert [f"{mean:.3g}" for mean in means] == ["4.59e-08"] * 2
    # The same in small: two known votes, whose spouses are unknown; they agree nine times in ten.
    ninth = Fraction(9, 10)
    masses = {
        (
            (t, *known, *(k if same else 1 - k for k, same in zip(known, agree, strict=True))),
            known,
        ): (Fraction(1, 8) * math.prod(ninth if same else 1 - ninth for same in agree))
        for t in (0, 1)
        for known in SQUARE
        for agree in SQUARE
    }
    world = World(masses)
    assert world.is_acceptable(0)
    assert not is_reducible(world, total, [0])
    assert ppk_delta(world, total, 2, [0]) < apk_delta(world, total, 2, [0])


@pytest.mark.slow
def test_reducible_mechanisms_have_the_same_law_of_the_loss_for_all_knowledge():
    found = [0, 0, 0]
    for mechanism in partitions(THREE.databases):
        laws = [
            [privacy_loss(THREE, mechanism, target=0, a=a, b=1 - a, knowledge=(k,)) for a in (0, 1)]
            for k in (0, 1)
        ]
        reduction = is_reducible(THREE, mechanism, [0])
        if reduction:
            assert laws[0] == laws[1]
            images = reduction.bijection(0, (0,), (1,))
            for out, image in images.items():
                for a in (0, 1):
                    mass = [
                        THREE.probability(
                            lambda d, known, k=k, o=o, a=a, mechanism=mechanism: (
                                (known, d[0], mechanism(d)) == ((k,), a, o)
                            )
                        )
                        for k, o in ((0, out), (1, image))
                    ]
                    assert mass[0] == mass[1]  # the known bit is fair
        found[0] += 1
        found[1] += bool(reduction)
        found[2] += laws[0] == laws[1]
    assert found == [4140, 464, 924]


@pytest.mark.slow
def test_for_reducible_mechanisms_active_and_passive_are_one():
    reducible, equal = 0, 0
    for mechanism in partitions(THREE.databases):
        deltas = [
            (apk_delta(THREE, mechanism, E, [0]), ppk_delta(THREE, mechanism, E, [0]))
            for E in (*RATIOS, math.inf)
        ]
        agree = all(active == passive for active, passive in deltas)
        if is_reducible(THREE, mechanism, [0]):
            assert agree
            reducible += 1
        equal += agree
    assert (reducible, equal) == (464, 1216)


def law_of_output(world, mechanism, value, knowledge):
    """The law of the output given record 0 and the knowledge, from nothing but the masses."""
    law, whole = {}, Fraction(0)
    for (database, known), mass in world.masses.items():
        if database[0] == value and known == knowledge:
            whole += mass
            for out, chance in output_law(mechanism, database).items():
                law[out] = law.get(out, 0) + mass * chance
    return {out: mass / whole for out, mass in law.items()}


def hockey_stick(P, Q, E):
    return sum(max(Fraction(0), p - E * Q.get(out, 0)) for out, p in P.items())


@pytest.mark.slow
def test_random_reducible_mechanisms_do_not_tell_active_from_passive():
    """A noisy answer about target and other, under names that depend on the known record."""
    source = random.Random(349)
    hidden = told_apart = 0
    for _ in range(120):
        targets, others, knowns = (range(source.randint(2, 3)) for _ in range(3))
        target, known = random_law(source, targets), random_law(source, knowns)
        follows = {
            t: random_law(source, others) for t in targets
        }  # the other may follow the target
        world = World(
            {
                ((t, u, k), k): target[t] * follows[t][u] * known[k]
                for t, u, k in product(targets, others, knowns)
            }
        )
        noisy = random_mechanism(source, list(product(targets, others)), 4)
        names = {k: source.sample("wxyz", 4) for k in knowns}

        def renamed(database, noisy=noisy, names=names):
            *asked, k = database
            return {names[k][out]: chance for out, chance in noisy(tuple(asked)).items()}

        def merged(database, renamed=renamed):
            law = renamed(database)
            return {"all": Fraction(1)} if database[2] == 0 else law

        assert is_reducible(world, renamed, [0])
        for E in (*RATIOS, math.inf):
            active = apk_delta(world, renamed, E, [0])
            assert active == ppk_delta(world, renamed, E, [0])
            if math.isfinite(E):
                for k in knowns:  # and each knowledge gives the same, by hand
                    laws = [law_of_output(world, renamed, t, k) for t in targets]
                    assert active == max(hockey_stick(P, Q, E) for P, Q in permutations(laws, 2))
            hidden += active == 0
            # The same with the answer withheld for one value of the known record.
            deltas = [measure(world, merged, E, [0]) for measure in (apk_delta, ppk_delta)]
            assert deltas[0] == active
            if active > 0:
                assert deltas[1] < deltas[0]
                assert not is_reducible(world, merged, [0])
                told_apart += 1
    assert told_apart > 300
    assert hidden > 20


def test_a_family_must_be_reducible_law_by_law_each_by_bijections_of_its_own():
    def either_mask(database):
        target, one, two, known = database
        return target ^ (one if known else two)

    known = {0: HALF, 1: HALF}
    coins = [known] * 4
    masked = independent(coins, knowledge=[3])
    bare = independent([known, known, {0: Fraction(1)}, known], knowledge=[3])
    assert is_reducible(masked, either_mask, [0])
    assert not is_reducible(bare, either_mask, [0])
    for E in RATIOS:  # one reducible law of the family is not enough for Theorem 2
        assert apk_delta([masked, bare], either_mask, E, [0]) == 1
        assert ppk_delta([masked, bare], either_mask, E, [0]) == HALF

    def flipped(database):
        target, other, known = database
        return target ^ (other & known)

    # Given a known 1 the answer is turned over in one law and not in the other.
    laws = [independent([known, {bit: Fraction(1)}, known], knowledge=[2]) for bit in (0, 1)]
    images = [is_reducible(law, flipped, [0]).bijection(0, (0,), (1,)) for law in laws]
    assert images == [{0: 0, 1: 1}, {0: 1, 1: 0}]
    for E in RATIOS:  # no bijection serves both laws, and Theorem 2 does not need that
        assert apk_delta(laws, flipped, E, [0]) == ppk_delta(laws, flipped, E, [0]) == 1


def coin_if_known(database):
    _, other, known = database
    return other if known else "-"


def other_end(database):
    target, known = database
    return target == (2 if known else 0)


THIRDS = {value: Fraction(1, 3) for value in range(3)}
NOT_REDUCIBLE = {
    "fog": (bits([HALF] * 3, knowledge=[2]), coin_if_known),
    "other end": (independent([THIRDS, {0: HALF, 1: HALF}], knowledge=[1]), other_end),
    "likely Yes": (bits([HALF, Fraction(9, 10), HALF], knowledge=[2]), make_threshold(1)),
}


@pytest.mark.parametrize("case", NOT_REDUCIBLE)
def test_a_mechanism_that_is_not_reducible_can_have_equal_active_and_passive_deltas(case):
    world, mechanism = NOT_REDUCIBLE[case]
    assert not is_reducible(world, mechanism, [0])
    for E in (*(1 + Fraction(k, 7) for k in range(140)), math.inf):
        assert apk_delta(world, mechanism, E, [0]) == ppk_delta(world, mechanism, E, [0])


def test_fog_needs_no_bijection_under_any_independent_law():
    source = random.Random(350)
    for _ in range(40):
        world = independent([random_law(source, (0, 1)) for _ in range(3)], knowledge=[2])
        assert not is_reducible(world, coin_if_known, [0])
        for E in RATIOS:
            assert apk_delta(world, coin_if_known, E, [0]) == 0
            assert ppk_delta(world, coin_if_known, E, [0]) == 0


def test_with_two_bits_no_deterministic_mechanism_shows_that_reducible_is_not_necessary():
    for p, q in product((Fraction(1, 4), HALF, Fraction(9, 10)), repeat=2):
        world = bits([p, q], knowledge=[1])
        for mechanism in partitions(SQUARE):
            agree = all(
                apk_delta(world, mechanism, E, [0]) == ppk_delta(world, mechanism, E, [0])
                for E in RATIOS
            )
            assert agree is bool(is_reducible(world, mechanism, [0]))


def breakpoints(laws):
    """Ratios between which every δ is linear, those between them, and both ends."""
    corners = {Fraction(1)}
    corners |= {ratio for law in laws for ratio in law if 1 < ratio < math.inf}
    ordered = sorted(corners)
    middles = [(x + y) / 2 for x, y in pairwise(ordered)]
    return [*ordered, *middles, ordered[-1] + 1, math.inf]


@pytest.mark.slow
def test_choosing_helps_nobody_exactly_if_the_law_of_the_loss_is_the_same_for_all_knowledge():
    source = random.Random(349)
    seen = [0, 0]
    cases = [(THREE, mechanism) for mechanism in partitions(THREE.databases, most=3)]
    while len(cases) < 1094 + 200:
        world = random_acceptable_world(source, 2, (0, 1), knowledge=2)
        if len(world.law_of(0)) == 2:
            cases.append((world, random_mechanism(source, SQUARE, 2)))
    for world, mechanism in cases:
        laws = [
            tuple(
                privacy_loss(world, mechanism, target=0, a=a, b=1 - a, knowledge=k) for a in (0, 1)
            )
            for k in world.knowledge
        ]
        same = all(law == laws[0] for law in laws)
        equal = all(
            len(
                {
                    delta
                    for _, delta in apk_table(world, mechanism, E, target=0, a=a, b=1 - a).values()
                }
            )
            == 1
            for E in breakpoints([law for pair in laws for law in pair])
            for a in (0, 1)
        )
        assert same is equal
        seen[same] += 1
    assert min(seen) > 100


def test_one_order_of_the_hockey_stick_gives_the_other_beyond_1():
    source = random.Random(350)
    for _ in range(200):
        P, Q = random_law(source, range(4)), random_law(source, range(4))
        for E in (Fraction(1, 3), HALF, *RATIOS):
            one = sum(max(Fraction(0), P[o] - E * Q[o]) for o in P)
            other = sum(max(Fraction(0), Q[o] - P[o] / E) for o in P)
            assert one == 1 - E + E * other


# 3.5: Proposition 6

MEANS = {
    "arithmetic": (arithmetic_mean, lambda x: x, lambda m: m),
    "geometric": (geometric_mean, None, lambda m: m.radicand),
    "harmonic": (harmonic_mean, lambda x: 1 / x, lambda m: m),
    "quadratic": (quadratic_mean, lambda x: x**2, lambda m: m.radicand),
}


def normalised(law):
    return {x: mass / sum(law.values()) for x, mass in law.items()}


@pytest.mark.slow
def test_counts_and_linear_queries_are_reducible_by_the_printed_bijections():
    source = random.Random(351)
    for _ in range(40):
        known = source.sample(range(1, 4), source.randint(1, 2))
        world = bits([random_probability(source) for _ in range(4)], knowledge=known)
        weights = [Fraction(source.randint(-6, 6), source.randint(1, 3)) for _ in range(4)]
        targets = [i for i in range(4) if i not in known]
        for mechanism, alpha in (
            (make_count(), [Fraction(1)] * 4),
            (make_weighted_sum(weights), weights),
        ):
            reduction = is_reducible(world, mechanism, targets)
            assert reduction
            for target, one, two in product(targets, world.knowledge, world.knowledge):
                change = sum(alpha[j] * (y - x) for j, x, y in zip(known, one, two, strict=True))
                assert serves(world, mechanism, target, one, two, lambda m, c=change: m + c)


def law_given(world, mechanism, target, a, knowledge):
    law = {}
    for (database, known), mass in world.masses.items():
        if database[target] == a and known == knowledge:
            out = mechanism(database)
            law[out] = law.get(out, 0) + mass
    return normalised(law)


def serves(world, mechanism, target, one, two, phi):
    """Whether φ takes the law under one knowledge to that under two, for every value."""
    for a in world.law_of(target):
        before = law_given(world, mechanism, target, a, one)
        after = law_given(world, mechanism, target, a, two)
        moved = {phi(out): mass for out, mass in before.items()}
        if len(moved) < len(before) or moved != after:
            return False
    return True


@pytest.mark.parametrize("name", MEANS)
def test_means_are_reducible_by_the_corrected_bijections(name):
    source = random.Random(352)
    n = 3
    mean, term, read = MEANS[name]
    for _ in range(40):
        laws = []
        for _ in range(n):
            values = source.sample([Fraction(k, 2) for k in range(1, 9)], 2)
            laws.append(random_law(source, values))
        world = independent(laws, knowledge=[2])
        assert is_reducible(world, mean, [0, 1])

        def released(database):
            return read(mean(database))

        for one, two in product(world.knowledge, repeat=2):

            def phi(m, one=one, two=two):
                if name == "geometric":  # of the product of all records
                    return m * two[0] / one[0]
                change = term(two[0]) - term(one[0])
                if name == "harmonic":
                    return n / (n / m + change)
                return m + change / n  # of the mean of the squares, or of the records

            assert serves(world, released, 0, one, two, phi)


def test_no_bijection_of_all_natural_numbers_serves_a_sum_of_them():
    """Three records, 2^-(k+1) each; the first is the target, the last is known."""

    def sum_is(out, target, known):
        other = out - target - known
        return Fraction(1, 2 ** (other + 1)) if other >= 0 else Fraction(0)

    # Under a known 0 each output is possible with the target 0, under a known 1 the 0 is not:
    # whatever is sent to 0 has the wrong probability.
    assert sum_is(0, 0, 1) == 0
    assert all(sum_is(out, 0, 0) > 0 for out in range(1000))
    # Between the possible outputs, to add 1 is a bijection that serves.
    for out, target in product(range(1000), range(5)):
        assert sum_is(out, target, 0) == sum_is(out + 1, target, 1)


def test_between_finitely_many_outputs_each_bijection_extends_to_all():
    source = random.Random(351)
    for n, k in ((2, 1), (3, 1), (3, 2), (4, 2)):
        world = bits([random_probability(source) for _ in range(n)], knowledge=range(n - k, n))
        reduction = is_reducible(world, total, range(n - k))
        for one, two in product(world.knowledge, repeat=2):
            images = dict(reduction.bijection(0, one, two))
            left, free = (sorted({*range(n + 1)} - {*some}) for some in (images, images.values()))
            images.update(zip(left, free, strict=True))
            assert sorted(images) == sorted(images.values()) == list(range(n + 1))
            for a in (0, 1):
                P, Q = (law_of_output(world, total, a, knowledge) for knowledge in (one, two))
                assert all(P.get(out, 0) == Q.get(images[out], 0) for out in images)
    # The printed one leaves {0, …, n}: a tally of n would go to n + 1.
    assert is_reducible(THREE, total, [0]).bijection(0, (0,), (1,)) == {0: 1, 1: 2, 2: 3}


def test_with_one_denominator_the_printed_root_of_the_quadratic_mean_is_right():
    m, n, change = sympy.symbols("m n change", positive=True)
    joined = sympy.sqrt((n * m**2 + change) / n)
    assert sympy.simplify(joined - sympy.sqrt(m**2 + change / n)) == 0
    assert sympy.simplify(joined - sympy.sqrt(n * m**2 + change / n)) != 0


def test_the_bijection_of_a_linear_query_depends_on_its_weights():
    third = {0: Fraction(1, 3), 1: Fraction(2, 3)}
    world = independent([third] * 3, knowledge=[2])
    moved = set()
    for weight in (Fraction(1), Fraction(-2), Fraction(1, 3)):
        query = make_weighted_sum((Fraction(1), Fraction(4), weight))
        images = is_reducible(world, query, [0, 1]).bijection(0, (0,), (1,))
        assert {image - out for out, image in images.items()} == {weight}
        moved.add(weight)
    assert len(moved) == 3


def test_the_printed_bijection_of_the_quadratic_mean_is_none():
    world = independent([{1: HALF, 2: HALF}] * 2, knowledge=[1])

    def mean_square(database):
        return quadratic_mean(database).radicand

    n = 2
    for one, two in product(world.knowledge, repeat=2):
        change = Fraction(two[0] ** 2 - one[0] ** 2, n)
        printed, corrected = (lambda m, c=change: n * m + c), (lambda m, c=change: m + c)
        assert not serves(world, mean_square, 0, one, two, printed)
        assert serves(world, mean_square, 0, one, two, corrected)


def test_the_bijections_of_the_means_by_algebra():
    m, n, unknown, first, second = sympy.symbols("m n unknown first second", positive=True)
    means = {
        "arithmetic": (lambda s: s / n, lambda m: m + (second - first) / n),
        "harmonic": (lambda s: n / s, lambda m: n / (n / m + second - first)),
        "quadratic": (
            lambda s: sympy.sqrt(s / n),
            lambda m: sympy.sqrt(m**2 + (second - first) / n),
        ),
    }
    for mean, phi in means.values():
        assert sympy.simplify(phi(mean(unknown + first)) - mean(unknown + second)) == 0
    # With products for sums:
    geometric = (unknown * first) ** (1 / n) * (second / first) ** (1 / n)
    assert sympy.simplify(geometric - (unknown * second) ** (1 / n)) == 0
    printed = sympy.sqrt(n * m**2 + (second - first) / n)
    right = sympy.sqrt(m**2 + (second - first) / n)
    assert sympy.solve(sympy.Eq(printed**2, right**2), n) == [1]
    assert sympy.simplify(printed.subs(second, first) / m) == sympy.sqrt(n)


def test_each_bijection_increases_with_the_output():
    m, n = sympy.symbols("m n", positive=True)
    change = sympy.Symbol("change", real=True)
    ratio = sympy.Symbol("ratio", positive=True)
    slopes = [
        sympy.diff(m + change, m),
        sympy.diff(m * ratio ** (1 / n), m),
        sympy.diff(sympy.sqrt(m**2 + change), m) * sympy.sqrt(m**2 + change),
        sympy.diff(n / (n / m + change), m) * (n / m + change) ** 2,
    ]
    assert all(sympy.simplify(slope).is_positive for slope in slopes)


def test_a_known_zero_spoils_the_geometric_mean_and_not_the_quadratic():
    world = independent([{1: HALF, 2: HALF}] * 2 + [{0: HALF, 1: HALF}], knowledge=[2])
    assert not is_reducible(world, math.prod, [0])
    assert is_reducible(world, lambda d: sum(x**2 for x in d), [0])
    negative = independent([{-1: HALF, 2: HALF}] * 3, knowledge=[2])
    assert is_reducible(negative, lambda d: sum(x**2 for x in d), [0])


def test_knowing_one_user_is_not_knowing_another():
    world = bits([HALF, HALF, Fraction(1, 10)])
    assert apk_delta(world.knowing([1]), total, 2, [0]) == Fraction(9, 10)
    assert apk_delta(world.knowing([2]), total, 2, [0]) == HALF


def known_by_chance(probabilities):
    masses = {
        (database, (known, database[known])): mass / 2
        for (database, _), mass in bits(probabilities).masses.items()
        for known in (1, 2)
    }
    return World(masses)


def test_if_it_is_chance_whom_she_knows_the_tally_is_reducible_for_equal_probabilities_only():
    world = known_by_chance([HALF, HALF, Fraction(1, 10)])
    assert not is_reducible(world, total, [0])
    assert apk_delta(world, total, 2, [0]) == Fraction(9, 10)
    assert ppk_delta(world, total, 2, [0]) == Fraction(7, 10)
    assert is_reducible(known_by_chance([HALF, Fraction(1, 10), Fraction(1, 10)]), total, [0])


# 3.5: thresholds


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_threshold_is_reducible_only_if_it_hides_nothing_or_everything(n):
    source = random.Random(353)
    for known in range(n):
        for _ in range(3):
            p = [random_probability(source) for _ in range(n)]
            world = bits(p, knowledge=range(n - known, n))
            for T in range(n + 1):
                reduction = is_reducible(world, make_threshold(T), range(n - known))
                assert bool(reduction) is (known == 0 or T in (0, n))


def test_a_certain_vote_can_be_known_without_harm():
    # Why probabilities must lie strictly between 0 and 1.
    assert is_reducible(bits([HALF, HALF, 1], knowledge=[2]), make_threshold(1), [0, 1])


def test_in_a_small_example_7_active_and_passive_differ_so_that_it_is_not_reducible():
    world = bits([Fraction(1, 20)] * 6, knowledge=(3, 4, 5))
    for E in (*RATIOS, math.inf):
        active, passive = (
            measure(world, make_threshold(3), E, range(3)) for measure in (apk_delta, ppk_delta)
        )
        assert passive < active / 50
    assert not is_reducible(world, make_threshold(3), range(3))


def test_known_votes_are_subtracted_from_a_count_and_from_the_threshold():
    source = random.Random(354)
    for _ in range(15):
        p = [random_probability(source) for _ in range(5)]
        world, fewer = bits(p, knowledge=(3, 4)), bits(p[:3])
        for T, E, a in product(range(6), RATIOS[:3], (0, 1)):
            for known, (_, delta) in apk_table(
                world, make_threshold(T), E, target=0, a=a, b=1 - a
            ).items():
                left = T - sum(known)
                mechanism = total if left < 0 else make_threshold(left)
                assert apk_table(fewer, mechanism, E, target=0, a=a, b=1 - a)[()][1] == delta


def test_observation_1_is_right_for_counts_and_wrong_for_thresholded_counts():
    p, E = [Fraction(1, 10)] * 6, Fraction(3, 2)
    world, fewer = bits(p, knowledge=(4, 5)), bits(p[:4])
    for ratio in RATIOS:
        none = apk_delta(fewer, total, ratio)
        assert apk_delta(world, total, ratio, range(4)) == none
        assert ppk_delta(world, total, ratio, range(4)) == none
    cut = make_threshold(2)
    none = apk_delta(fewer, cut, E)
    assert none == Fraction(53, 2000)
    assert apk_delta(world, cut, E, range(4)) == Fraction(729, 1000)
    assert ppk_delta(world, cut, E, range(4)) == Fraction(6862, 10**5)


def test_functions_of_the_count_are_reducible_if_they_are_the_count_modulo_something():
    source = random.Random(355)
    for n in (3, 4, 5):
        p = [Fraction(1, k) for k in (2, 3, 5, 7, 11)[:n]]
        world = bits(p, knowledge=[n - 1])
        found = set()
        for labels in partitions([(k,) for k in range(n + 1)]):
            values = tuple(labels((k,)) for k in range(n + 1))
            if is_reducible(world, lambda d, v=values: v[sum(d)], range(n - 1)):
                found.add(values)
        assert found == {tuple(k % m for k in range(n + 1)) for m in range(1, n + 2)}
        world = bits([random_probability(source) for _ in range(n)], knowledge=[n - 1])
        for m in range(1, n + 2):
            assert is_reducible(world, lambda d, m=m: sum(d) % m, range(n - 1))


# The figures


def like(value, text):
    digits = len(text.partition(".")[2])
    return f"{value:.{digits}f}" == text


def test_theorem_1_gives_the_numbers_of_its_texts():
    table = figures.table("theorem-1")
    bars = select(table, panel="bars", series="apk")
    assert [f"{x:.3f}" for x in bars["width"]] == ["0.343", "0.441", "0.189", "0.027"]
    assert [f"{y:.3f}" for y in bars["y"]] == ["0.027", "0.162", "0.225", "0.225"]
    (mean,) = select(table, panel="bars", series="ppk")["y"]
    assert like(mean, "0.129")
    assert (bars["width"] * bars["y"]).sum() == pytest.approx(mean)
    assert bars["x"] + bars["width"] == pytest.approx([0.343, 0.784, 0.973, 1.0])
    curves = select(table, panel="curves")
    starts = [select(curves, known=b)["y"][0] for b in range(4)]
    assert [f"{y:.3f}" for y in starts] == ["0.027", "0.189", "0.441", "0.441"]
    assert [f"{select(curves, known=b)['y'][-1]:.3f}" for b in range(-1, 4)] == ["0.027"] * 5
    assert np.ptp(select(curves, known=0)["y"]) < 1e-12
    assert select(curves, known=2)["y"] == pytest.approx(select(curves, known=3)["y"])
    assert like(select(curves, known=-1)["y"][0], "0.188")
    # The other order, of which the caption speaks.
    world, mechanism = theorem_1.world(), theorem_1.MECHANISM
    assert apk_table(world, mechanism, 2, target=0, a=0, b=1)[1, 1, 1][1] == Fraction(343, 1000)
    assert apk_delta(world, mechanism, 2, range(4)) == Fraction(343, 1000)


def test_theorem_1_draws_the_deltas_of_the_definitions():
    for E in RATIOS:
        rows = theorem_1.by_number(E)
        mean = sum(chance * delta for chance, delta in rows.values())
        assert mean == by_hand(theorem_1.world(), theorem_1.MECHANISM, E, 1, 0)
