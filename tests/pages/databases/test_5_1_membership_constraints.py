"""Section V-A: constraints on membership, what they leave out, and parallel composition."""

import math
from collections import Counter
from fractions import Fraction as F
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from pkdp import figures
from pkdp.databases import hypotheses, memberships
from pkdp.databases.memberships import advanced, at_most, optimal, simple
from pkdp.figures._tables import select
from pkdp.figures.databases import stays as hospital_stays
from pkdp.profiles import accounting
from tests.oracles import hypotheses as oracle

pytestmark = pytest.mark.page

RATIOS = [F(1), F(3, 2), F(2), F(5, 2), F(4), F(9)]
THIRD, SIXTH = F(1, 3), F(1, 6)
# The sign of a sum of ±1 with geometric noise of ratio ½, where the others add up to 0: without
# the target, with a record of +1, and with one of -1.
SIGN = {
    0: {"-": THIRD, "0": THIRD, "+": THIRD},
    1: {"-": SIXTH, "0": SIXTH, "+": 2 * THIRD},
    -1: {"-": 2 * THIRD, "0": SIXTH, "+": SIXTH},
}


def both_ways(p, q, ratio):
    return max(oracle.hockey_stick(p, q, ratio), oracle.hockey_stick(q, p, ratio))


def together(*laws):
    """The law of independent replies."""
    law = {(): F(1)}
    for one in laws:
        law = {(*seen, o): p * q for seen, p in law.items() for o, q in one.items()}
    return law


def responses(differing, ratio):
    """The δ of so many randomized responses of ratio 2 whose bits differ."""
    ones, zeros = (1,) * differing, (0,) * differing
    ratios, deltas = (F(2),) * differing, (F(0),) * differing
    return both_ways(oracle.view(ones, ratios, deltas), oracle.view(zeros, ratios, deltas), ratio)


# Definition 4, and the largest of several profiles


def test_a_theorem_for_equal_guarantees_needs_equal_guarantees():
    equal = optimal([0.3] * 4, 1e-6)
    kairouz = accounting.optimal(0.3, 1e-6, times=4)
    for eps in (0.0, 0.2, 0.7, 1.1):
        assert equal.delta(eps) == pytest.approx(kairouz.delta(eps), rel=1e-12)
    unequal = [0.1, 0.2, 0.3, 0.4]
    exact = optimal(unequal, 1e-6)
    # For unequal ones it has no k and ε: the mean is too little, the largest is safe and loose.
    mean, most = (accounting.optimal(eps, 1e-6, times=4) for eps in (0.25, 0.4))
    assert mean.delta(0.75) < exact.delta(0.75) < most.delta(0.75)


def test_all_databases_are_the_classic_guarantee():
    # Without a constraint some pair of vectors differs everywhere, with and without b = 0.
    guarantees = [(F(3, 2), F(0)), (F(3), F(1, 50)), (F(2), F(1, 9))]
    ratios, deltas = zip(*guarantees, strict=True)
    epsilons = [math.log(ratio) for ratio in ratios]
    classic = optimal(epsilons, [float(delta) for delta in deltas])
    views = {bits: oracle.view(bits, ratios, deltas) for bits in oracle.vectors(3)}
    for ratio in RATIOS:
        unbounded = max(both_ways(views[0, 0, 0], view, ratio) for view in views.values())
        any_two = max(both_ways(p, q, ratio) for p, q in product(views.values(), repeat=2))
        assert unbounded == any_two
        assert classic.delta(math.log(ratio)) == pytest.approx(float(any_two), rel=1e-11)


# What "bounded" leaves out


def test_the_sign_of_a_noisy_sum_is_private_for_who_comes_or_goes():
    for x in (1, -1):
        assert both_ways(SIGN[0], SIGN[x], F(2)) == 0
        assert both_ways(SIGN[0], SIGN[x], F(2) - F(1, 1000)) > 0
    # It is what geometric noise makes of a sum: masses (1/3)·2^-|k|.
    noise = {k: THIRD / 2 ** abs(k) for k in range(-40, 41)}
    for x, law in SIGN.items():
        assert float(law["+"]) == pytest.approx(
            float(sum(p for k, p in noise.items() if k + x > 0))
        )
        assert law["0"] == noise[-x]


def test_a_changed_record_costs_more_than_two_databases():
    # One database, in which everybody is (k = m = 1): ε = ln 2 says the formula, min(k, 2m) = 1.
    assert responses(1, F(2)) == 0
    changed = {ratio: both_ways(SIGN[1], SIGN[-1], ratio) for ratio in RATIOS}
    assert changed[F(2)] == F(1, 3)
    # And more than Comp of two such mechanisms, of which m = 1 of k = 2 speaks.
    assert responses(2, F(2)) == F(2, 9)
    assert [changed[ratio] for ratio in (F(1), F(2), F(3) / 2)] == [F(1, 2), F(1, 3), F(5, 12)]
    assert [responses(2, ratio) for ratio in (F(1), F(2), F(3) / 2)] == [F(1, 3), F(2, 9), F(5, 18)]
    # At ε = 2 ln 2 both have nothing left: simple composition of two covers the change, too.
    assert changed[F(4)] == responses(2, F(4)) == 0
    found = at_most(1, [math.log(2)] * 2, bounded=True)
    assert found.delta(math.log(2)) == pytest.approx(2 / 9)
    # Twice ε, of one mechanism, is enough.
    promised = memberships.changing(1, [math.log(2)])
    for ratio in RATIOS:
        assert promised.delta(math.log(ratio)) >= float(changed[ratio]) * (1 - 1e-12)


def test_common_features_must_keep_their_values():
    # A common feature, one of the free and one of the premium version, each of ratio 2.
    options = {"common": [0], "free": [1], "premium": [2]}
    promised = memberships.either_or([math.log(2)] * 3, **options, bounded=True)
    free, premium = (
        oracle.view((1, 0), (F(2),) * 2, (0, 0)),
        oracle.view((0, 1), (F(2),) * 2, (0, 0)),
    )
    same = both_ways(together(SIGN[1], free), together(SIGN[1], premium), F(2))
    assert same == responses(2, F(2)) == F(2, 9)
    assert promised.delta(math.log(2)) == pytest.approx(2 / 9)
    other = both_ways(together(SIGN[1], free), together(SIGN[-1], premium), F(2))
    assert other > F(1, 3)


def test_the_worst_change():
    for E in (F(5, 4), F(2), F(3), F(10)):
        # The ends of what an event may have with either content, by its probability without.
        def excess(r, E=E):
            p, q = min(E * r, 1 - (1 - r) / E), max(r / E, 1 - E * (1 - r))
            return p - E * q

        best = F(1) / (E + 1)
        assert excess(best) == (E - 1) / (E + 1)
        assert all(excess(F(i, 200)) <= excess(best) for i in range(201))
        p, q = E * best, best / E
        laws = [{0: 1 - x, 1: x} for x in (best, p, q)]
        assert all(both_ways(laws[0], law, E) == 0 for law in laws[1:])
        assert both_ways(laws[1], laws[2], E) == (E - 1) / (E + 1)
        two = both_ways(oracle.view((1, 1), (E, E), (0, 0)), oracle.view((0, 0), (E, E), (0, 0)), E)
        assert two == (E - 1) / (E + 1) * E / (E + 1)
    assert both_ways(SIGN[1], SIGN[-1], F(2)) == F(1, 3)


def random_triple(draws, ratio, delta):
    """Three laws of which any two are (ln ratio, delta)-indistinguishable."""
    laws = [oracle.random_law(draws, 3) for _ in range(3)]
    common = oracle.random_law(draws, 3)
    weight = F(0)
    for pair in combinations(laws, 2):
        mixed = oracle.toned_down(*pair, common, ratio, delta)
        weight = max(weight, *(_weight(*each, common) for each in zip(pair, mixed, strict=True)))
    return [oracle.mixture([(1 - weight, law), (weight, common)]) for law in laws]


def _weight(law, mixed, common):
    """Return the weight of the common law in a mixture of it with another one."""
    for o in range(3):
        a, b, c = (one.get(o, F(0)) for one in (law, mixed, common))
        if a != c:
            return (a - b) / (a - c)
    return F(0)


@pytest.mark.slow
def test_bounded_covers_values_if_each_mechanism_does():
    draws, tight = Random(11), 0
    for _ in range(60):
        k, m = draws.choice([(1, 1), (2, 1), (3, 1), (2, 2)])
        guarantees = list(oracle.guarantees(draws, k))
        triples = [random_triple(draws, *guarantee) for guarantee in guarantees]
        promised = at_most(
            m,
            [math.log(E) for E, _ in guarantees],
            [float(delta) for _, delta in guarantees],
            bounded=True,
        )
        laws = [
            together(*(triple[x] for triple, x in zip(triples, state, strict=True)))
            for state in product((0, 1, 2), repeat=k)
            if sum(x > 0 for x in state) <= m
        ]
        for ratio in (F(1), F(2), F(4)):
            truth = max(both_ways(p, q, ratio) for p, q in combinations(laws, 2))
            found = promised.delta(math.log(ratio))
            assert found >= float(truth) * (1 - 1e-12)
            tight += truth > 0 and found < 2 * float(truth)
    assert tight > 20


def test_mechanisms_that_are_private_for_changes_only_do_not_hide_a_move():
    # Each hospital publishes how many patients it had: nothing changes if a record does.
    others = (4, 7)
    sizes = [{(others[0] + b, others[1] + c): F(1)} for b, c in ((1, 0), (0, 1))]
    assert all(both_ways(sizes[0], sizes[1], ratio) == 1 for ratio in RATIOS)


def test_a_known_number_leaves_fewer_places_to_differ():
    for k in range(1, 6):
        for m in range(k + 1):
            vectors = [bits for bits in oracle.vectors(k) if sum(bits) == m]
            most = max(sum(a != b for a, b in zip(*pair, strict=True))
                       for pair in product(vectors, repeat=2))  # fmt: skip
            assert most == 2 * min(m, k - m)
            any_number = [bits for bits in oracle.vectors(k) if sum(bits) <= m]
            most = max(sum(a != b for a, b in zip(*pair, strict=True))
                       for pair in product(any_number, repeat=2))  # fmt: skip
            assert most == min(k, 2 * m)


# When a constraint helps


def test_a_constraint_helps_unless_it_is_bounded_and_loose():
    draws = Random(12)
    for _ in range(60):
        k = draws.randint(2, 8)
        epsilons = [draws.choice([0.1, 0.2, 0.5, 1.0]) for _ in range(k)]
        m = draws.randint(0, k - 1)
        classic = math.fsum(epsilons)
        # At δ = 0 every theorem as good as simple composition says the sum.
        assert at_most(m, epsilons).epsilon(0.0) < classic - 0.05
        bounded = at_most(m, epsilons, bounded=True).epsilon(0.0)
        assert (bounded < classic - 0.05) == (2 * m < k)
    # Two subsidiaries, of one of which everybody is: no better than without the constraint.
    two = memberships.one_of([0.3, 0.5], bounded=True)
    for eps in (0.0, 0.2, 0.5, 0.7):
        assert two.delta(eps) == optimal([0.3, 0.5]).delta(eps)
    # Neither is either/or, if versions are compared and have nothing in common.
    apart = memberships.either_or([0.3] * 4, free=[0, 1], premium=[2, 3], bounded=True)
    assert apart.epsilon(0.0) == pytest.approx(1.2)
    assert memberships.either_or([0.3] * 4, free=[0, 1], premium=[2, 3]).epsilon(
        0.0
    ) == pytest.approx(0.6)


def test_three_restaurants_a_day():
    for theorem in (simple, advanced, optimal):
        limited = at_most(3 * 365, [0.05] * 5000, theorem=theorem)
        assert limited.epsilon(1e-10) == theorem([0.05] * 1095).epsilon(1e-10)
        assert limited.epsilon(1e-10) < theorem([0.05] * 1096).epsilon(1e-10)
        assert limited.epsilon(1e-10) < theorem([0.05] * 5000).epsilon(1e-10) / 2


# A bound that is estimated from the data


def chain(target, others, ratio, published):
    """What a store chain publishes: its largest number of branches, or not, and the replies."""
    k = len(target)
    largest = max(sum(b) for b in (target, *others))
    replies = oracle.view(target, (ratio,) * k, (F(0),) * k)
    return {(largest if published else "", *seen): p for seen, p in replies.items()}


def test_the_largest_number_tells_of_who_alone_has_it():
    others, none = [(0, 1, 0), (1, 0, 0)], (0, 0, 0)
    for ratio in (F(2), F(100), F(10**6)):
        alone = [chain(target, others, F(2), True) for target in ((1, 1, 0), none)]
        assert both_ways(*alone, ratio) == 1
    # Not if somebody else has as many, or if it is not published.
    shared = [chain(target, [*others, (0, 1, 1)], F(2), True) for target in ((1, 1, 0), none)]
    hidden = [chain(target, others, F(2), False) for target in ((1, 1, 0), none)]
    for ratio in RATIOS:
        assert both_ways(*shared, ratio) == both_ways(*hidden, ratio) == responses(2, ratio)
    # A single customer and a single branch are enough.
    smallest = [chain(target, [], F(2), True) for target in ((1,), (0,))]
    assert both_ways(*smallest, F(10**6)) == 1


def test_it_tells_nothing_if_everybody_s_number_is_public():
    for others in ([(1, 0, 0)], [(1, 1, 0), (0, 0, 1)]):
        for number in range(4):
            allowed = [bits for bits in oracle.vectors(3) if sum(bits) == number]
            promised = memberships.exactly(number, [math.log(2)] * 3)
            for one, other in product(allowed, repeat=2):
                for ratio in RATIOS:
                    found = both_ways(
                        *(chain(bits, others, F(2), True) for bits in (one, other)), ratio
                    )
                    without = both_ways(
                        *(chain(bits, others, F(2), False) for bits in (one, other)), ratio
                    )
                    assert found == without
                    assert promised.delta(math.log(ratio)) >= float(found) * (1 - 1e-12)


def test_noise_that_is_scaled_by_the_largest_number_tells_of_it():
    # Each of three branches answers with E = 4^(1/m), so that m of them have 4 together.
    laws = []
    for target in ((1, 1, 0), (0, 0, 0)):
        m = max(1, sum(target))
        laws.append(oracle.view(target, ({1: F(4), 2: F(2)}[m],) * 3, (F(0),) * 3))
    assert oracle.likelihood_ratio(*laws) == F(10, 3) ** 2 * F(5, 3) > 4


def capped(bits, m):
    """Keep the first m contributions of a person."""
    return tuple(b if sum(bits[:i]) < m else 0 for i, b in enumerate(bits))


@pytest.mark.slow
@pytest.mark.parametrize("m", [1, 2])
def test_a_cap_keeps_the_promise_for_everybody(m):
    draws = Random(13)
    for _ in range(12):
        k = draws.randint(2, 4)
        guarantees = list(oracle.guarantees(draws, k))
        ratios, deltas = zip(*guarantees, strict=True)
        epsilons = [math.log(E) for E in ratios]
        leaks = [float(delta) for delta in deltas]
        m_here = min(m, k)
        views = {b: oracle.view(capped(b, m_here), ratios, deltas) for b in oracle.vectors(k)}
        for ratio in (F(1), F(2), F(4)):
            against_none = max(both_ways(views[(0,) * k], view, ratio) for view in views.values())
            any_two = max(both_ways(p, q, ratio) for p, q in combinations(views.values(), 2))
            for bounded, truth in ((False, against_none), (True, any_two)):
                promised = at_most(m_here, epsilons, leaks, bounded=bounded)
                assert promised.delta(math.log(ratio)) >= float(truth) * (1 - 1e-12)


# Parallel composition


def multisets(values, most):
    """All multisets of values, of at most so many elements, as sorted tuples."""
    return sorted({tuple(sorted(x)) for n in range(most + 1) for x in product(values, repeat=n)})


def difference(a, b):
    """The size of the symmetric difference of two multisets."""
    one, other = Counter(a), Counter(b)
    return sum(((one - other) + (other - one)).values())


def random_mechanism(draws, databases, ratio):
    """Laws of two outputs, as far apart as McSherry's definition lets them be, or nearer."""
    while True:
        laws = {}
        for database in draws.sample(databases, len(databases)):
            low, high = F(0), F(1)
            for other, law in laws.items():
                E, p = ratio ** difference(database, other), law[1]
                low = max(low, p / E, 1 - E * (1 - p))
                high = min(high, E * p, 1 - (1 - p) / E)
            if low > high:
                break
            p = draws.choice([low, high, (low + high) / 2]) if laws else F(draws.randint(1, 5), 6)
            laws[database] = {0: 1 - p, 1: p}
        else:
            return laws


def test_definition_5_is_definition_1_for_pure_privacy():
    draws = Random(14)
    databases = multisets("ab", 3)
    for _ in range(40):
        # Any mechanism, with all outputs possible: its ratio by Definition 1 …
        weights = {d: [draws.randint(1, 9) for _ in range(3)] for d in databases}
        laws = {d: {o: F(w, sum(ws)) for o, w in enumerate(ws)} for d, ws in weights.items()}
        pairs = list(product(databases, repeat=2))
        neighbours = [(a, b) for a, b in pairs if difference(a, b) == 1]
        ratio = max(oracle.likelihood_ratio(laws[a], laws[b]) for a, b in neighbours)
        # … is one by Definition 5, and no smaller one is.
        assert all(
            oracle.likelihood_ratio(laws[a], laws[b]) <= ratio ** difference(a, b)
            for a, b in pairs
            if a != b
        )
    # A changed record counts twice.
    assert difference("aab", "abb") == 2


def parts(database, domains):
    return [tuple(x for x in database if x in domain) for domain in domains]


def test_parallel_composition_with_equal_and_with_different_epsilon():
    draws, attained = Random(15), 0
    domains = ("a", "b")
    databases = multisets("abc", 2)  # c is in neither part
    for _ in range(30):
        ratios = [F(draws.randint(2, 6), 2) for _ in domains]
        if draws.random() < 0.3:
            ratios[1] = ratios[0]
        mechanisms = [
            random_mechanism(draws, multisets(domain, 2), ratio)
            for domain, ratio in zip(domains, ratios, strict=True)
        ]
        laws = {
            d: together(*(m[p] for m, p in zip(mechanisms, parts(d, domains), strict=True)))
            for d in databases
        }
        for a, b in product(databases, repeat=2):
            found = oracle.likelihood_ratio(laws[a], laws[b])
            by_parts = math.prod(
                ratio ** difference(p, q)
                for ratio, p, q in zip(ratios, parts(a, domains), parts(b, domains), strict=True)
            )
            assert found <= by_parts <= max(ratios) ** difference(a, b)
            attained += difference(a, b) > 1 and found == by_parts > 1
    assert attained > 50
    # Not less than the largest ε: one part may be all that differs.
    assert memberships.parallel(1, [0.1, 0.7, 0.2]) == 0.7


def test_merged_databases_differ_in_m_records_or_in_twice_as_many():
    for k in (1, 2, 3, 4):
        for m in range(k + 1):
            # The target's records say to which database they belong, and have one of two contents.
            states = [
                tuple((i, x) for i, x in enumerate(state) if x)
                for state in product((0, 1, 2), repeat=k)
                if sum(x > 0 for x in state) <= m
            ]
            assert max(difference(a, ()) for a in states) == m
            assert max(difference(a, b) for a, b in product(states, repeat=2)) == 2 * m
            fixed = [a for a in states if all(x == 1 for _, x in a)]
            most = max(difference(a, b) for a, b in product(fixed, repeat=2))
            assert most == min(k, 2 * m)
    # For 365 nights: 365 where one hypothesis is nobody, and 730 where neither is.
    assert (365, 2 * 365) == (365, 730)
    each = [0.01] * 1000
    assert memberships.parallel(365, each) == pytest.approx(simple(each[:365]).epsilon(0.0))
    assert memberships.parallel(730, each) == pytest.approx(
        at_most(365, each, bounded=True, theorem=simple).epsilon(0.0)
    )


def test_parallel_composition_is_better_than_no_constraint_by_the_same_theorem():
    each = [0.05] * 1000
    assert memberships.parallel(365, each) < simple(each).epsilon(0.0)
    # Against better theorems only if there are many more databases than 365.
    parallel = memberships.parallel(365, each)
    assert optimal(each).epsilon(1e-10) < advanced(each).epsilon(1e-10) < parallel
    assert optimal([0.05] * 10_000).epsilon(1e-10) > parallel


def test_parallel_composition_can_improve_in_all_three_examples():
    # Against simple composition of all: Examples 1, 2 and 3, by records of the merged database.
    for epsilons, records in (([0.1, 0.2, 0.2, 0.1], 2), ([0.1, 0.2, 0.4], 1), ([0.1] * 5, 3)):
        assert memberships.parallel(records, epsilons) < simple(epsilons).epsilon(0.0)
    # It need not, if one mechanism is far less private than the others.
    uneven = [1.0, 0.01, 0.01]
    assert memberships.parallel(2, uneven) == pytest.approx(2)
    assert simple(uneven).epsilon(0.0) == pytest.approx(1.02)


def test_parallel_composition_is_worse_in_the_three_ways():
    # It takes the largest ε of all for each.
    some = [0.1] * 5 + [0.03] * 95
    assert memberships.parallel(10, some) == pytest.approx(1.0)
    assert at_most(10, some, theorem=simple).epsilon(0.0) == pytest.approx(0.65)
    # It adds up.
    alike = [0.1] * 100
    assert memberships.parallel(50, alike) == pytest.approx(5.0)
    assert at_most(50, alike).epsilon(1e-6) < 3.6
    # Its δ is 0.
    assert at_most(10, some, 1e-6).epsilon(1e-4) < 0.65


def test_disjoint_parts_of_approximate_privacy():
    # Who has one record is in one part: the largest ε and the largest δ hold, (ε, δ) as they are.
    draws = Random(16)
    for _ in range(60):
        guarantees = list(oracle.guarantees(draws, 3))
        ratios, deltas = zip(*guarantees, strict=True)
        pairs = [oracle.random_pair(draws, *guarantee) for guarantee in guarantees]
        for i in range(3):
            laws = [
                together(*(pair[x if j == i else 0] for j, pair in enumerate(pairs)))
                for x in (0, 1)
            ]
            assert both_ways(*laws, max(ratios)) <= max(deltas)


# Stays, figures


def test_stays_as_prior_cap_and_worst_case():
    law, capped_law = (hospital_stays.law(cap=cap) for cap in (None, 3))
    k = 12
    for eps in (0.1, 0.5, 1.0):
        wide = np.append(law, np.zeros(k + 1 - law.size))
        nobody = np.eye(1, k + 1)[0]
        exact = hypotheses.exchangeable(wide, nobody, eps).profile().epsilon(0.0)
        assert exact == pytest.approx(hypotheses.number_against_none(law, eps).up, rel=1e-9)
        by_hand = math.log(sum(w * math.exp(eps * n) for n, w in enumerate(law)))
        assert exact == pytest.approx(by_hand, rel=1e-9)
        with_cap = hypotheses.number_against_none(capped_law, eps).up
        worst = at_most(3, [eps] * k).epsilon(0.0)
        assert with_cap < exact < at_most(8, [eps] * k).epsilon(0.0)
        assert with_cap < worst == pytest.approx(3 * eps)
    # With leaks it is no less private than the worst case.
    leaky = hypotheses.exchangeable(wide, nobody, 0.5, 1e-6).profile()
    worst = at_most(8, [0.5] * k, 1e-6)
    assert all(leaky.delta(eps) <= worst.delta(eps) for eps in (0.1, 0.5, 1.0, 2.0, 4.0))


def test_a_soft_constraint_is_attained():
    # Who breaks it is in so many databases that she is as good as seen.
    xi, m, k = F(1, 10), 1, 6
    ratio = F(50)
    prior = {(1, *[0] * (k - 1)): 1 - xi, (1,) * k: xi}
    none = {(0,) * k: F(1)}
    truth = oracle.delta(prior, none, (ratio,) * k, (F(0),) * k, ratio)
    promised = memberships.soft(at_most(m, [math.log(ratio)] * k), xi)
    assert float(truth) <= promised.delta(math.log(ratio)) < float(truth) * 1.15
    assert float(truth) > 0.087


def test_the_figures_give_the_numbers_of_their_texts():
    table = figures.table("databases/constraints")

    def at(panel, constraint, series, k):
        rows = select(select(table, panel=panel, constraint=constraint), series=series)
        return float(rows["y"][rows["x"] == k][0])

    for series, limited, free in (("simple", 18.25, 500), ("advanced", 7.42, 59.6),
                                  ("optimal", 6.16, 43.6)):  # fmt: skip
        assert at("equal", "365", series, 10_000) == pytest.approx(limited, rel=2e-3)
        assert at("equal", "none", series, 10_000) == pytest.approx(free, rel=2e-3)
    assert at("equal", "365", "parallel", 10_000) == pytest.approx(18.25)
    assert at("unequal", "365", "parallel", 2000) == pytest.approx(36.5)
    for series, some, limited, free in (("simple", 12.2, 18.0, 67.0), ("advanced", 5.3, 8.8, 14.0),
                                        ("optimal", 4.3, 7.2, 11.3)):  # fmt: skip
        assert at("unequal", "365", series, 365) == pytest.approx(some, rel=1e-2)
        assert at("unequal", "365", series, 2000) == pytest.approx(limited, rel=1e-2)
        assert at("unequal", "none", series, 2000) == pytest.approx(free, rel=1e-2)
    table = figures.table("databases/stays")
    shares = select(table, panel="dropped")
    assert (100 * shares["y"]).round(1).tolist() == [33.7, 13.3, 6.4, 3.1, 1.5, 0.7, 0.3, 0.0]
    for series, ends in (("prior", (1.52, 6.93)), ("prior, cap", (1.42, 2.55))):
        curve = select(select(table, panel="cost"), series=series)["y"]
        assert (curve[0], curve[-1]) == pytest.approx(ends, rel=5e-3)
