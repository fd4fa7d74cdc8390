"""Beyond simple composition: what the page says, in exact fractions."""

import math
import random
import re
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pkdp import accounting, composition, counting, figures, privacy_loss
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import releases
from pkdp.worlds import World
from pkdp.worlds.definitions import apk_delta
from pkdp.worlds.mechanisms import compose
from tests.oracles import counts as oracles

pytestmark = pytest.mark.page

F = Fraction
HALF = F(1, 2)
RATIOS = (F(1), F(9, 8), F(3, 2), F(2), F(3), F(5), F(9), F(17), F(60))


def hockey_stick(pair, E):
    return oracles.hockey_stick(*pair, E)


def both_ways(pair, E):
    return max(hockey_stick(pair, E), hockey_stick(pair[::-1], E))


def response(E, delta=0):
    """Leaky randomized response: laws under a and under b."""
    truth, lie = (1 - delta) * E / (1 + E), (1 - delta) / (1 + E)
    return ({"a!": delta, "a": truth, "b": lie}, {"b!": delta, "a": lie, "b": truth})


def independent(pairs):
    """The product of pairs."""
    made = ({(): F(1)}, {(): F(1)})
    for pair in pairs:
        made = tuple(
            {(*h, o): x * y for (h, x), (o, y) in product(law.items(), one.items())}
            for law, one in zip(made, pair, strict=True)
        )
    return made


def margin(law, day):
    made = {}
    for outputs, mass in law.items():
        made[outputs[day]] = made.get(outputs[day], F(0)) + mass
    return made


def dependencies(pair):
    """e^Dep of the second of two releases on the first, where no loss is infinite."""
    p, q = pair
    p1, q1, p2, q2 = (margin(law, day) for day in (0, 1) for law in pair)
    found = {}
    for o in p.keys() | q.keys():
        masses = [law.get(o, F(0)) for law in pair]
        alone = [p1.get(o[0], 0), q1.get(o[0], 0), p2.get(o[1], 0), q2.get(o[1], 0)]
        if all(masses) and all(alone):
            found[o] = masses[0] / masses[1] * alone[1] / alone[0] * alone[3] / alone[2]
    return found


# --------------------------------------------------------------------------------------------
# Zero dependency
# --------------------------------------------------------------------------------------------


def public_coin(chance, answers):
    """A coin that everybody sees decides which of two releases answer; the others are silent."""
    made = []
    for side in (0, 1):
        law = {}
        for heads, mass in ((True, chance), (False, 1 - chance)):
            who = answers(heads)
            each = [response(F(3))[side] if on else {"silent": F(1)} for on in who]
            for (o1, x), (o2, y) in product(*(one.items() for one in each)):
                law[o1, o2] = law.get((o1, o2), F(0)) + mass * x * y
        made.append({o: x for o, x in law.items() if x})
    return tuple(made)


BOTH = public_coin(F(2, 3), lambda heads: (heads, heads))
ONE = public_coin(F(1, 2), lambda heads: (heads, not heads))


@pytest.mark.parametrize("pair", [BOTH, ONE])
def test_with_a_public_coin_there_is_no_dependency(pair):
    assert set(dependencies(pair).values()) == {F(1)}
    assert pair[0].keys() == pair[1].keys()  # no loss is infinite: under either convention


def test_without_dependency_losses_need_not_add_up_as_if_independent():
    alone = [tuple(margin(law, day) for law in BOTH) for day in (0, 1)]
    assert hockey_stick(independent(alone), F(5)) == F(1, 9)
    assert hockey_stick(BOTH, F(5)) == F(1, 6)
    # Simple composition holds: (√5, δ) twice would be weaker; at E = 5 the best split is (5, 0).
    assert all(hockey_stick(one, F(3)) == 0 for one in alone)


def test_without_dependency_the_deltas_still_add_up_in_full():
    alone = [tuple(margin(law, day) for law in ONE) for day in (0, 1)]
    assert [both_ways(one, F(1)) for one in alone] == [F(1, 4), F(1, 4)]
    assert both_ways(ONE, F(1)) == F(1, 2)
    promised = accounting.optimal(0.0, 0.25, times=2).delta(0.0)
    assert promised == pytest.approx(7 / 16, rel=1e-12)
    assert F(1, 2) > F(7, 16)


def renyi_sum(pair, order=2):
    p, q = pair
    return sum((p[o] ** order / q[o] ** (order - 1) for o in p), F(0))


def test_without_dependency_renyi_divergences_need_not_add_up():
    alone = [tuple(margin(law, day) for law in BOTH) for day in (0, 1)]
    assert [renyi_sum(one) for one in alone] == [F(17, 9), F(17, 9)]
    assert renyi_sum(BOTH) == F(107, 27)
    assert F(107, 27) > F(17, 9) ** 2


def three_masses(source):
    weights = [source.randint(1, 9) for _ in range(3)]
    return [F(w, sum(weights)) for w in weights]


def zero_dependency(source):
    """Two releases of three outputs each, correlated by a factor that the record has no part in."""
    sides, factors = [], []
    for _ in range(2):
        a, b = three_masses(source), three_masses(source)
        # Orthogonal to both laws, so that the factor leaves each release alone as it is.
        factors.append([a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)])
        sides.append((a, b))
    products = [[x * y for y in factors[1]] for x in factors[0]]
    largest = max(abs(x) for row in products for x in row)
    share = F(source.randint(-8, 8), 8) / largest if largest else F(0)
    return tuple(
        {
            (i, j): sides[0][k][i] * sides[1][k][j] * (1 + share * products[i][j])
            for i, j in product(range(3), repeat=2)
        }
        for k in (0, 1)
    )


def test_without_dependency_the_deltas_cost_twice_their_sum_at_most():
    # 400 random pairs of mechanisms of zero dependency, with every kind of δ.
    source = random.Random(12)
    for _ in range(400):
        pair = zero_dependency(source)
        assert set(dependencies(pair).values()) <= {F(1)}
        alone = [tuple(margin(law, day) for law in pair) for day in (0, 1)]
        E1, E2 = (1 + F(source.randint(0, 12), 8) for _ in range(2))
        deltas = [both_ways(one, E) for one, E in zip(alone, (E1, E2), strict=True)]
        free = independent([response(E1), response(E2)])
        for E in (*RATIOS, E1, E1 * E2):
            more = deltas[0] * (1 + 1 / E1) + deltas[1] * (1 + 1 / E2)
            assert both_ways(pair, E) <= hockey_stick(free, E) + more


def alarms(sure, false, k):
    """A public coin says whose secret is at risk, and k releases raise an alarm if it is so."""
    made = []
    for record in ("a", "b"):
        law = {}
        for risk in ("a", "b"):
            alarm = sure if risk == record else false
            for row in product(("!", "ok"), repeat=k):
                chance = math.prod((alarm if o == "!" else 1 - alarm for o in row), start=HALF)
                law[tuple((risk, o) for o in row)] = chance
        made.append({o: mass for o, mass in law.items() if mass})
    return tuple(made)


def pure_at_0(E, k):
    """δ(0) of k responses of odds E."""
    tail = sum(comb(k, i) * max(E**i - E ** (k - i), F(0)) for i in range(k + 1))
    return tail / (1 + E) ** k


def test_without_dependency_the_deltas_can_cost_more_than_their_sum():
    E, pure = F(5, 4), F(1, 9)
    assert hockey_stick(independent([response(E)] * 2), F(1)) == pure == pure_at_0(E, 2)
    for false, each, true in ((F(0), F(1, 10), F(9, 25)), (F(1, 100), F(3, 32), F(3401, 10_000))):
        pair = alarms(1 - 1 / E, false, 2)
        assert set(dependencies(pair).values()) == {F(1)}
        alone = tuple(margin(law, 0) for law in pair)
        assert alone == tuple(margin(law, 1) for law in pair)
        assert hockey_stick(alone, E) == hockey_stick(alone[::-1], E) == each
        assert both_ways(pair, F(1)) == true > pure + 2 * each
        assert true <= pure + 2 * each * (1 + 1 / E)
    # With false alarms every output is possible under both records, as the proposition asks.
    assert pair[0].keys() == pair[1].keys()


def test_without_dependency_the_factor_of_2_is_needed():
    def alone_and_together(E, k):
        one, all_of_them = alarms(1 - 1 / E, F(0), 1), alarms(1 - 1 / E, F(0), k)
        return both_ways(one, E), both_ways(all_of_them, F(1))

    for E, k in product((F(5, 4), F(41, 40)), (1, 2, 5)):
        assert alone_and_together(E, k) == ((1 - 1 / E) / 2, 1 - E**-k)
    for k in (3, 5):
        pair = alarms(F(1, 5), F(1, 100), k)
        for day in range(1, k):
            assert set(history_dependencies(pair, day)) == {F(1)}
    # By these formulas, for many releases of a small ε:
    for k, ratio in ((9, F(14, 10)), (100, F(18, 10)), (1000, F(194, 100))):
        E = 1 + F(1, 100_000)
        plain = pure_at_0(E, k) + k * (1 - 1 / E) / 2
        assert ratio * plain < 1 - E**-k < 2 * plain


# --------------------------------------------------------------------------------------------
# Bounded dependency with a δ
# --------------------------------------------------------------------------------------------


def slow_poison(E1, M, days):
    """One response; then, for secret b after the answer a, each day "b!" with chance 1 - 1/M."""
    p = {("a", *("ok",) * days): E1 / (1 + E1), ("b", *("ok",) * days): 1 / (1 + E1)}
    q = {
        ("a", *("ok",) * days): 1 / (1 + E1) / M**days,
        ("b", *("ok",) * days): E1 / (1 + E1),
    }
    for day in range(days):
        told = ("a", *("ok",) * day, "b!", *("ok",) * (days - 1 - day))
        q[told] = 1 / (1 + E1) / M**day * (1 - 1 / M)
    assert sum(p.values()) == sum(q.values()) == 1
    return p, q


def history_dependencies(pair, day):
    """e^Dep of one release on all before it, where no loss is infinite."""
    before, now = ([{}, {}] for _ in range(2))
    for side, law in enumerate(pair):
        for outputs, mass in law.items():
            for made, key in ((before, outputs[:day]), (now, outputs[: day + 1])):
                made[side][key] = made[side].get(key, F(0)) + mass
    alone = [margin(law, day) for law in pair]
    for key in now[0]:
        masses = [
            law.get(k, F(0))
            for laws, k in ((now, key), (before, key[:-1]), (alone, key[-1]))
            for law in laws
        ]
        if all(masses):
            p, q, p_before, q_before, p_alone, q_alone = masses
            yield p / q * q_before / p_before * q_alone / p_alone


def test_a_coin_in_two_records_tells_nothing_if_one_is_the_target():
    # The poison with E1 = M = 2 as a world: the secret, a die of three for the response and a coin
    # for "b!", each as the sum of two records.
    def world_of(parts):
        masses = {}
        for t, die, flip in product(("a", "b"), *(product(range(n), repeat=parts) for n in (3, 2))):
            masses[(t, *die, *flip), ()] = F(1, 2 * 3**parts * 2**parts)
        return World(masses)

    def first(d):
        parts = len(d) // 2
        lies = sum(d[1 : 1 + parts]) % 3 == 0
        return {"a": "b", "b": "a"}[d[0]] if lies else d[0]

    def second(d):
        falls = sum(d[1 + len(d) // 2 :]) % 2 == 0
        return "b!" if d[0] == "b" and first(d) == "a" and falls else "ok"

    E, M, delta = F(2), F(2), F(1, 6)
    split, whole = world_of(2), world_of(1)
    for world, targets in ((split, range(5)), (whole, [0])):
        assert apk_delta(world, first, E, targets) == 0
        assert apk_delta(world, second, 1, targets) == delta == (1 - 1 / M) / (1 + E)
        assert composition.nu(world, first, second, M, targets) == 0
        for ratio in (F(1), F(2), F(7, 2)):
            both = apk_delta(world, compose(first, second), ratio, targets)
            assert both == both_ways(slow_poison(E, M, 1), ratio)
    # A coin in one record is not so innocent.
    assert apk_delta(whole, second, 1, [1]) > delta


@pytest.mark.parametrize(("E1", "M"), [(F(9), F(2)), (F(3, 2), F(10)), (F(1000), F(11, 10))])
def test_the_slow_poison_keeps_its_promises(E1, M):
    for days in (1, 2, 5):
        pair = slow_poison(E1, M, days)
        assert both_ways(tuple(margin(law, 0) for law in pair), E1) == 0
        for day in range(1, days + 1):
            alone = both_ways(tuple(margin(law, day) for law in pair), F(1))
            assert alone <= (1 - 1 / M) / (1 + E1)
            found = list(history_dependencies(pair, day))
            assert max(max(x, 1 / x) for x in found) <= M
        p, q = pair
        first = ("a", *("ok",) * days)
        assert p[first] == E1 / (1 + E1)
        assert p[first] / q[first] == E1 * M**days
        # Theorem 6, repeated, is right and its ε the least possible.
        assert hockey_stick(pair, E1 * M**days) == 0 < hockey_stick(pair, E1 * M**days * F(99, 100))
        # In total variation the deltas add up to the truth.
        total = sum(both_ways(tuple(margin(x, d) for x in pair), F(1)) for d in range(days + 1))
        assert both_ways(pair, F(1)) == total


def test_bounded_dependency_with_a_delta_does_not_allow_optimal_composition():
    E1, M = F(9), F(2)
    pair = slow_poison(E1, M, 1)
    first, second = (tuple(margin(law, day) for law in pair) for day in (0, 1))
    assert both_ways(first, E1) == 0
    assert both_ways(second, F(1)) == F(1, 20)
    found = dependencies(pair)
    assert max(max(x, 1 / x) for x in found.values()) < M  # (ln 2, 0)-bounded, in both directions
    # Theorem 6 holds and is sharp in ε: at 18 = 9·2 only δ2 is left.
    for E in RATIOS:
        if E >= E1 * M:
            assert both_ways(pair, E) <= F(1, 20)
    assert hockey_stick(pair, F(9)) == F(9, 20)
    promised = accounting.heterogeneous([math.log(9), math.log(2)], [0.0, 1 / 20])
    assert promised.upper.delta(math.log(9)) == pytest.approx(0.335, rel=1e-12)
    # Nor if the δ are added instead.
    pure = accounting.heterogeneous([math.log(9), math.log(2)]).upper.delta(math.log(9))
    assert pure == pytest.approx(0.3, rel=1e-12)
    assert 0.3 + 1 / 20 < 9 / 20


def test_bounded_dependency_with_a_delta_does_not_allow_advanced_composition():
    E1, M, days = F(1000), F(11, 10), 100
    p, q = slow_poison(E1, M, days)
    first = ("a", *("ok",) * days)
    E = 6 * 10**6
    truth = p[first] - E * q[first]
    assert truth > F(1, 2)
    # Each day is (0, δ)-private with dependency ln(11/10) on all days before.
    deltas = [
        both_ways(tuple(margin(law, day) for law in (p, q)), F(1)) for day in range(1, days + 1)
    ]
    assert max(deltas) == deltas[0] == (1 - 1 / M) / (1 + E1)
    # Theorem 6 is right: its ε is beyond ln E.
    assert E1 * M**days > E
    # Advanced composition is not.
    eps = math.log(M)
    promised = accounting.advanced(eps, float(deltas[0]), times=days).delta(
        math.log(E) - math.log(E1)
    )
    assert promised < 0.01
    assert truth > 50 * F(promised)


# --------------------------------------------------------------------------------------------
# What is enough
# --------------------------------------------------------------------------------------------


def random_law(source, size, least=0):
    weights = [source.randint(least, 9) for _ in range(size)]
    while not sum(weights):
        weights = [source.randint(least, 9) for _ in range(size)]
    return {o: F(w, sum(weights)) for o, w in enumerate(weights)}


def test_bounded_dependency_without_a_delta_allows_optimal_composition():
    # 400 random worlds; e^{ε2+µ} is the product of the two ratios, whatever the history.
    source = random.Random(8)
    for _ in range(400):
        p, q = (
            {divmod(o, 3): mass for o, mass in random_law(source, 9, least=1).items()}
            for _ in range(2)
        )
        first, second = (tuple(margin(law, day) for law in (p, q)) for day in (0, 1))
        E1, E2 = (
            max(max(one[0][o] / one[1][o], one[1][o] / one[0][o]) for o in one[0])
            for one in (first, second)
        )
        M = max(max(x, 1 / x) for x in dependencies((p, q)).values())
        bound = independent([response(E1), response(E2 * M)])
        for E in (*RATIOS, E1, E1 * E2 * M):
            assert both_ways((p, q), E) <= hockey_stick(bound, E)


def test_the_leaky_response_dominates_whatever_keeps_the_promise():
    # At every ratio x > 0, also below 1.
    source = random.Random(9)
    grid = [F(k, 7) for k in range(0, 60)]
    for _ in range(300):
        pair = random_law(source, 4), random_law(source, 4)
        E = F(source.randint(10, 50), 10)
        worst = response(E, both_ways(pair, E))
        for x in (*grid, E, 1 / E):
            assert hockey_stick(pair, x) <= hockey_stick(worst, x)


def test_the_curve_of_the_leaky_response_is_a_chain_of_chords():
    for E, delta in product((F(1), F(3, 2), F(4)), (F(0), F(1, 9), F(1))):
        worst = response(E, delta)
        corners = {F(0): F(1), 1 / E: 1 - (1 - delta) / E, E: delta, 2 * E: delta}
        for (x, y), (z, w) in pairwise(corners.items()):
            assert hockey_stick(worst, x) == y
            if z > x:
                middle = (x + z) / 2
                assert hockey_stick(worst, middle) == (y + w) / 2


def test_one_release_after_another_is_a_mixture_of_hockey_sticks():
    source = random.Random(10)
    for _ in range(100):
        first = random_law(source, 3), random_law(source, 3)
        then = [(random_law(source, 3), random_law(source, 3)) for _ in range(3)]
        joint = tuple(
            {(o, t): law[o] * then[o][side][t] for o in law for t in range(3)}
            for side, law in enumerate(first)
        )
        for E in RATIOS:
            total = sum(
                (
                    first[0][o] * hockey_stick(then[o], E * first[1][o] / first[0][o])
                    for o in range(3)
                    if first[0][o]
                ),
                F(0),
            )
            assert hockey_stick(joint, E) == total


def test_the_mean_loss_of_a_response_gives_a_sharper_advanced_composition():
    for eps in (0.01, 0.1, 1.0, 3.0):
        truth = 1 / (1 + math.exp(-eps))
        mean = truth * eps - (1 - truth) * eps
        assert mean == pytest.approx(eps * math.tanh(eps / 2), rel=1e-12)
        assert mean <= eps * math.expm1(eps)
        for k, beyond in product((1, 10, 365), (0.5, 2.0, 4.0)):
            at = k * mean + beyond * eps * math.sqrt(k)
            hoeffding = math.exp(-(beyond**2) / 2)
            assert accounting.optimal(eps, 0.0, times=k).delta(at) <= hoeffding


# --------------------------------------------------------------------------------------------
# Independent days of counts
# --------------------------------------------------------------------------------------------


def test_a_noiseless_count_has_a_delta_at_every_eps():
    # So no theorem that asks for δ = 0 applies to it.
    for n, p in ((2, F(1, 2)), (5, F(1, 10)), (7, F(9, 10))):
        law = oracles.count_law([p] * (n - 1))
        shifted = {k + 1: mass for k, mass in law.items()}
        for E in (F(10), F(10**9)):
            assert both_ways((shifted, law), E) >= max(p, 1 - p) ** (n - 1) > 0


def test_days_that_are_independent_compose_as_the_product_of_their_pairs():
    # Two days, two other users; bits of a user on different days are independent.
    chances = (F(1, 2), F(1, 5))
    joint = []
    for a in ((1, 1), (0, 0)):
        law = {}
        for bits in product((0, 1), repeat=4):
            mass = F(1)
            for bit, p in zip(bits, (*chances, *chances), strict=True):
                mass *= p if bit else 1 - p
            counts = (a[0] + bits[0] + bits[2], a[1] + bits[1] + bits[3])
            law[counts] = law.get(counts, F(0)) + mass
        joint.append(law)
    alone = [tuple(margin(law, day) for law in joint) for day in (0, 1)]
    for E in RATIOS:
        assert both_ways(tuple(joint), E) == both_ways(independent(alone), E)


def test_the_fair_count_is_its_own_mirror_image():
    law = oracles.count_law([F(1, 2)] * 6)
    shifted = {k + 1: mass for k, mass in law.items()}
    assert {7 - k: mass for k, mass in shifted.items()} == law
    for E in RATIOS:
        assert hockey_stick((shifted, law), E) == hockey_stick((law, shifted), E)


@pytest.mark.slow
def test_worst_cases_of_days_compose():
    # Whatever the probabilities in [λ, 1-λ] are each day.
    source = np.random.default_rng(5)
    bound = privacy_loss.composed_bound(counting.worst_case(31, 0.2), 3)
    for _ in range(3):
        days = [counting.pair(source.uniform(0.2, 0.8, 30)) for _ in range(3)]
        for signs in product((False, True), repeat=3):
            turned = [
                day.reversed() if turn else day for day, turn in zip(days, signs, strict=True)
            ]
            lower = privacy_loss.bracket(turned, step=0.005).lower
            for eps in (0.0, 1.0):
                assert lower.delta(eps) <= bound.delta(eps)


def test_a_year_of_counts_by_every_account():
    pair = counting.pair([0.5], multiplicities=[4999])
    day = pair.profile()
    simple = accounting.simple(day, 365).epsilon(1e-10)
    own = 1e-10 / 730
    optimal = accounting.optimal(day.epsilon(own), own, times=365).epsilon(1e-10)
    renyi = accounting.renyi(pair, 365).epsilon(1e-10)
    exact = privacy_loss.compose([(privacy_loss.of_pair(pair, 1e-3), 365)]).epsilon(1e-10)
    assert exact < renyi < 1.05 * exact
    assert 8 * exact < optimal < 0.5 * simple
    assert 66 < simple < 67


# --------------------------------------------------------------------------------------------
# The figure
# --------------------------------------------------------------------------------------------


def rounded(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def last(table, **values):
    return float(select(table, **values)["y"][-1])


def test_releases_gives_the_numbers_of_its_texts():
    table = figures.table("releases")
    year = {
        series: last(table, panel="independent", series=series)
        for series in ("simple", "advanced", "optimal", "exact")
    }
    chained = {
        series: last(table, panel="chain", series=series)
        for series in ("theorem 6", "alternating", "constant", "exact")
    }
    for text, ends in zip(releases.ALT, (year, chained), strict=True):
        assert all(re.search(rf"\b{rounded(eps)}\b", text) for eps in ends.values())
    first = {
        series: float(select(table, panel=panel, series=series)["y"][0])
        for panel, series in zip(table["panel"].tolist(), table["series"].tolist(), strict=True)
    }
    assert {f"{first[series]:.2f}" for series in ("simple", "exact", "theorem 6")} == {"0.16"}
    assert f"{first['advanced']:.1f}" == "1.1"
    simple, advanced, optimal = (
        select(table, series=series) for series in ("simple", "advanced", "optimal")
    )
    above = advanced["y"] > simple["y"]
    assert above[simple["x"] <= 60].all()
    assert not above[simple["x"] >= 91].any()
    leaves = optimal["y"] < 0.9 * simple["y"]
    assert not leaves[simple["x"] <= 30].any()
    assert leaves[simple["x"] >= 60].all()


def test_releases_orders_its_curves():
    table = figures.table("releases")
    curves = {
        (panel, series): select(table, panel=panel, series=series)["y"]
        for panel, series in zip(table["panel"].tolist(), table["series"].tolist(), strict=True)
    }
    assert (curves["independent", "exact"] <= curves["independent", "optimal"] + 1e-12).all()
    assert (curves["independent", "optimal"] <= curves["independent", "advanced"]).all()
    assert (curves["chain", "constant"][1:] < curves["chain", "alternating"][1:]).all()
    theorem_6 = select(table, series="theorem 6")
    at = np.isin(theorem_6["x"], releases.CHAINED)
    assert (curves["chain", "alternating"][1:] < theorem_6["y"][at][1:]).all()
    for curve in curves.values():
        assert (np.diff(curve) > 0).all()


def test_theorem_6_in_the_figure_is_simple_composition_and_4c_for_each_further_day():
    table = figures.table("releases")
    simple = select(table, panel="independent", series="simple")
    bound = select(table, panel="chain", series="theorem 6")
    expected = simple["y"] + 4 * -math.log(0.8) * (bound["x"] - 1)
    assert_allclose(bound["y"], expected, rtol=1e-9)
