"""Constraints on membership: against every pair of vectors, in fractions, and every subset."""

import math
from collections import Counter
from fractions import Fraction as F
from itertools import combinations, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp.databases import memberships
from pkdp.databases.memberships import advanced, at_most, optimal, simple
from pkdp.profiles import accounting
from tests.oracles import hypotheses as oracle

# Two of the same guarantee, one that leaks most, one that tells nothing.
MIXED = [(F(3, 2), F(0)), (F(3), F(1, 100)), (F(3), F(1, 100)), (F(2), F(1, 10)), (F(1), F(0)),
         (F(5, 4), F(1, 20))]  # fmt: skip
RATIOS = [F(1), F(3, 2), F(2), F(9, 2), F(12)]


def floats(guarantees):
    """The ε and the δ of guarantees (E, δ)."""
    return [math.log(E) for E, _ in guarantees], [float(delta) for _, delta in guarantees]


def every(k, most, least=0):
    return [bits for bits in oracle.vectors(k) if least <= sum(bits) <= most]


def worst(pairs, guarantees, ratio):
    """The largest δ of pairs of vectors, both directions, every output written out."""
    ratios, deltas = zip(*guarantees, strict=True)
    views = {
        bits: oracle.view(bits, ratios, deltas)
        for bits in {bits for pair in pairs for bits in pair}
    }
    # Integers over one denominator: fractions would take ten times as long.
    unit = math.lcm(*(mass.denominator for law in views.values() for mass in law.values()))
    outputs = sorted({output for law in views.values() for output in law}, key=repr)
    whole = {
        bits: np.array([int(law.get(output, 0) * unit) for output in outputs], dtype=object)
        for bits, law in views.items()
    }
    top, bottom = ratio.numerator, ratio.denominator
    largest = 0
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            excess = bottom * whole[a] - top * whole[b]
            largest = max(largest, int(excess[excess > 0].sum()))
    return F(largest, bottom * unit)


def agrees(profile, expected):
    """Whether a profile is what it was found to be, at `RATIOS`, and never below."""
    assert profile.status == "exact"
    for ratio in RATIOS:
        # e^ε is not the ratio, but within a few units of its last digit.
        truth, found = float(expected(ratio)), profile.delta(math.log(ratio))
        assert found == pytest.approx(truth, rel=1e-11, abs=1e-14)
        assert profile.delta(math.log(ratio) * (1 - 1e-14)) >= truth * (1 - 1e-15)


# Against enumeration


@pytest.mark.parametrize("m", [0, 1, 2, 3])
@pytest.mark.parametrize("k", [3, 4, 5])
def test_at_most_m_is_the_worst_of_all_pairs_of_vectors(k, m):
    guarantees = MIXED[:k]
    allowed, none = every(k, m), (0,) * k
    unbounded = at_most(m, *floats(guarantees))
    agrees(unbounded, lambda ratio: worst([(b, none) for b in allowed], guarantees, ratio))
    bounded = at_most(m, *floats(guarantees), bounded=True)
    agrees(bounded, lambda ratio: worst(list(product(allowed, allowed)), guarantees, ratio))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_at_most_m_of_six(m):
    guarantees, none = MIXED, (0,) * 6
    pairs = [(bits, none) for bits in every(6, m)]
    agrees(at_most(m, *floats(guarantees)), lambda ratio: worst(pairs, guarantees, ratio))
    # Without leaks both of a pair can be any.
    pure = [(E, F(0)) for E, _ in guarantees]
    pairs = list(combinations(every(6, m), 2))
    found = at_most(m, *floats(pure), bounded=True)
    agrees(found, lambda ratio: worst(pairs, pure, ratio))


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_exactly_m_and_one_of(k):
    guarantees = MIXED[:k]
    for m in range(1, k):
        allowed = every(k, m, m)
        agrees(
            memberships.exactly(m, *floats(guarantees)),
            lambda ratio, allowed=allowed: worst(list(combinations(allowed, 2)), guarantees, ratio),
        )
    one = every(k, 1, 1)
    agrees(
        memberships.one_of(*floats(guarantees)),
        lambda ratio: worst([(bits, (0,) * k) for bits in one], guarantees, ratio),
    )
    agrees(
        memberships.one_of(*floats(guarantees), bounded=True),
        lambda ratio: worst(list(combinations(one, 2)), guarantees, ratio),
    )


def test_who_is_known_to_be_somewhere_tells_nothing_by_that():
    for profile in (
        memberships.one_of([0.3], bounded=True),
        memberships.exactly(4, [0.3] * 4, 0.1),
        memberships.exactly(0, [0.3] * 4, 0.1),
        at_most(0, [0.3] * 4, 0.1),
    ):
        assert profile.status == "exact"
        assert profile.delta(0.0) == 0.0


def test_either_or_is_the_worst_of_three_pairs():
    guarantees = MIXED[:5]
    for parts in (([0, 3], [1], [2, 4]), ([], [4, 0], [3, 2, 1]), ([0, 1, 2], [3], [4])):
        common, free, premium = parts
        rows = [tuple(int(i in common or i in other) for i in range(5))
                for other in (free, premium)]  # fmt: skip
        none = (0,) * 5
        for bounded, pairs in (
            (False, [(rows[0], none), (rows[1], none)]),
            (True, [(rows[0], none), (rows[1], none), (rows[0], rows[1])]),
        ):
            found = memberships.either_or(
                *floats(guarantees), common=common, free=free, premium=premium, bounded=bounded
            )
            agrees(found, lambda ratio, pairs=pairs: worst(pairs, guarantees, ratio))


def test_hypotheses_that_are_laws_are_no_worse():
    draws = Random(2)
    for _ in range(30):
        k, m = draws.randint(2, 4), draws.randint(1, 2)
        guarantees = list(oracle.guarantees(draws, k))
        ratios, deltas = zip(*guarantees, strict=True)
        priors = [
            oracle.normalized(
                {bits: draws.randint(0, 4) + (sum(bits) == m) for bits in every(k, m)}
            )
            for _ in range(2)
        ]
        none = {(0,) * k: F(1)}
        for bounded, (one, other) in ((False, (priors[0], none)), (True, priors)):
            promised = at_most(m, *floats(guarantees), bounded=bounded)
            for ratio in RATIOS:
                truth = oracle.delta(one, other, ratios, deltas, ratio)
                assert promised.delta(math.log(ratio)) >= float(truth) * (1 - 1e-12)


@pytest.mark.slow
def test_adaptive_attackers_with_any_mechanisms_are_no_worse():
    draws = Random(3)
    for _ in range(40):
        k, m = 3, draws.randint(1, 2)
        guarantees = list(oracle.guarantees(draws, k))
        ratios, deltas = zip(*guarantees, strict=True)
        attacker = oracle.random_adversary(draws, ratios, deltas, outputs=2)
        views = {bits: oracle.played(attacker, bits) for bits in every(k, m)}
        for bounded in (False, True):
            promised = at_most(m, *floats(guarantees), bounded=bounded)
            pairs = product(views.values(), views.values() if bounded else [views[0, 0, 0]])
            for p, q in pairs:
                for one, other in ((p, q), (q, p)):
                    truth = oracle.hockey_stick(one, other, F(3, 2))
                    assert promised.delta(math.log(1.5)) >= float(truth) * (1 - 1e-12)


# Several mechanisms for a database


def test_a_database_that_is_asked_twice_counts_once():
    guarantees, labels = MIXED[:5], [7, 3, 7, 5, 3]
    ratios, deltas = zip(*guarantees, strict=True)
    for m, bounded in product((1, 2), (False, True)):
        found = at_most(m, *floats(guarantees), bounded=bounded, databases=labels)
        allowed = [dict(zip((7, 3, 5), bits, strict=True)) for bits in every(3, m)]
        rows = [tuple(bits[label] for label in labels) for bits in allowed]
        pairs = list(product(rows, rows if bounded else [(0,) * 5]))
        agrees(found, lambda ratio, pairs=pairs: worst(pairs, guarantees, ratio))
    with_one = at_most(1, [0.1] * 6, databases=[0, 0, 0, 1, 1, 2])
    assert with_one.delta(0.1) == optimal([0.1] * 3).delta(0.1)
    assert len(ratios) == len(deltas) == 5


# Which subset is the worst


def subsets(size, epsilons, deltas, theorem):
    """The profiles of all subsets."""
    return [
        theorem(np.array(epsilons)[list(chosen)], np.array(deltas)[list(chosen)])
        for chosen in combinations(range(len(epsilons)), size)
    ]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0]),
            st.sampled_from([0.0, 1e-6, 1e-3, 0.05, 0.2]),
        ),
        min_size=1,
        max_size=7,
    ),
    st.data(),
)
def test_the_search_misses_no_subset_and_the_bound_is_one(guarantees, data):
    epsilons, deltas = zip(*guarantees, strict=True)
    size = data.draw(st.integers(1, len(guarantees)))
    for theorem in (simple, optimal, advanced):
        all_ = subsets(size, epsilons, deltas, theorem)
        found = at_most(size, epsilons, deltas, theorem=theorem)
        quick = at_most(size, epsilons, deltas, theorem=theorem, search=1)
        assert found.status == all_[0].status or max(*epsilons, *deltas) == 0.0
        for eps in (0.0, 0.3, 1.0, 2.5, math.inf):
            truth = max(profile.delta(eps) for profile in all_)
            assert found.delta(eps) == pytest.approx(truth, rel=1e-11)
            assert quick.delta(eps) >= found.delta(eps) * (1 - 1e-11)
        for delta in (1e-2, 0.5):
            # To fix δ and take the largest ε is the same.
            largest = max(profile.epsilon(delta) for profile in all_)
            assert found.epsilon(delta) == pytest.approx(largest, rel=1e-11)


def test_neither_the_largest_epsilons_nor_the_largest_deltas_are_the_worst():
    epsilons, deltas = [1.0, 0.9, 0.1], [0.0, 0.0, 0.01]
    found = at_most(2, epsilons, deltas)
    assert found.status == "exact"
    by_eps, by_delta = optimal([1.0, 0.9]), optimal([1.0, 0.1], [0.0, 0.01])
    for eps in (0.0, 0.5, 1.0, 1.5, 2.0):
        assert found.delta(eps) == max(by_eps.delta(eps), by_delta.delta(eps))
    assert by_eps.delta(0.5) > 1.3 * by_delta.delta(0.5)
    assert by_delta.delta(1.9) > by_eps.delta(1.9) == 0.0
    bound = at_most(2, epsilons, deltas, search=1)
    assert bound.status == "upper bound"
    both = optimal([1.0, 0.9], [0.01, 0.0])
    assert [bound.delta(eps) for eps in (0.5, 1.9)] == [both.delta(eps) for eps in (0.5, 1.9)]


def test_a_database_of_several_mechanisms_dominates_by_matching_them():
    dominates = memberships._dominates
    draws = Random(4)
    for _ in range(400):
        one, other = (
            tuple(sorted(((draws.randint(0, 3), draws.randint(0, 3))
                          for _ in range(draws.randint(1, 4))), reverse=True))
            for _ in range(2)
        )  # fmt: skip
        from_permutations = len(one) >= len(other) and any(
            all(a >= c and b >= d for (a, b), (c, d) in zip(chosen, other, strict=True))
            for chosen in permutations(one, len(other))
        )
        assert dominates(one, other) == from_permutations
        if from_permutations:
            assert one >= other


def test_the_bound_of_several_mechanisms_is_no_less_than_any_subset():
    draws = Random(5)
    for _ in range(40):
        n = draws.randint(3, 8)
        epsilons = [draws.choice([0.1, 0.5, 1.0, 2.0]) for _ in range(n)]
        deltas = [draws.choice([0.0, 1e-3, 0.1]) for _ in range(n)]
        labels = [draws.randint(0, 3) for _ in range(n)]
        m = draws.randint(1, len(set(labels)))
        quick = at_most(m, epsilons, deltas, databases=labels, search=1)
        full = at_most(m, epsilons, deltas, databases=labels, search=10**4)
        assert full.status == "exact"
        for eps in (0.0, 0.3, 1.0, 2.5, math.inf):
            chosen = [
                [i for i in range(n) if labels[i] in some]
                for some in combinations(sorted(set(labels)), m)
            ]
            truth = max(
                optimal(np.array(epsilons)[part], np.array(deltas)[part]).delta(eps)
                for part in chosen
            )
            assert full.delta(eps) == pytest.approx(truth, rel=1e-11)
            assert quick.delta(eps) >= truth * (1 - 1e-11)


def test_many_databases_of_equal_delta_need_no_search():
    epsilons = np.linspace(0.01, 0.1, 50_000)
    found = at_most(3, epsilons, 1e-9, search=1)
    assert found.status == "exact"
    assert found.epsilon(1e-8) == pytest.approx(optimal(epsilons[-3:], 1e-9).epsilon(1e-8))
    # Mixed, and too many of them: the ends.
    mixed = at_most(3, epsilons, np.linspace(1e-8, 1e-9, 50_000))
    assert mixed.status == "upper bound"
    ends = optimal(epsilons[-3:], [1e-8] * 3)
    assert mixed.delta(0.1) == pytest.approx(ends.delta(0.1), rel=1e-3)


# Theorems


def test_the_theorems_are_those_of_the_accountant():
    for eps, delta, k in ((0.05, 1e-9, 365), (0.5, 0.0, 7), (0.0, 1e-3, 2)):
        pairs = (
            (advanced([eps] * k, delta), accounting.advanced(eps, delta, times=k)),
            (optimal([eps] * k, delta), accounting.optimal(eps, delta, times=k)),
        )
        for found, expected in pairs:
            for at in (0.0, 0.3, 2.0, 6.0, math.inf):
                assert found.log_delta(at) == pytest.approx(expected.log_delta(at), rel=1e-9)
        total = simple([eps] * k, delta)
        assert total.delta(eps * k * (1 + 1e-12)) == pytest.approx(k * delta, rel=1e-10)
        assert total.delta(eps * k * (1 - 1e-12)) == (1.0 if eps else k * delta) or eps == 0.0


def test_simple_composition_does_not_round_its_sum_down():
    for each in ([0.1] * 3, [0.1] * 10, [0.7, 1e-17], [1 / 3] * 7):
        least = simple(each).epsilon(0.0)
        assert F(least) >= sum(map(F, each))
        assert least == pytest.approx(sum(each), rel=1e-11)


def test_advanced_composition_has_no_overflow():
    assert advanced([700.0] * 1000).delta(700.0) == 1.0
    assert advanced([700.0] * 1000).delta(math.inf) == 0.0
    assert simple([700.0] * 1000, 1.0).delta(0.0) == 1.0


def test_any_function_may_be_the_theorem():
    asked = []

    def counted(epsilons, deltas):
        asked.append((epsilons.tolist(), deltas.tolist()))
        return simple(epsilons, deltas)

    found = at_most(2, [0.3, 0.0, 0.5, 0.25], [0.0, 0.0, 0.0, 0.0], theorem=counted)
    assert found.epsilon(0.0) == pytest.approx(0.8)
    assert asked == [([0.5, 0.3], [0.0, 0.0])]
    assert at_most(2, [0.0] * 3, theorem=counted).delta(0.0) == 0.0
    assert len(asked) == 1  # who tells nothing is not asked about


# Changed records


def states(k, m):
    """Who is where, and with which of two records: 0 is nowhere."""
    return [s for s in product((0, 1, 2), repeat=k) if sum(x > 0 for x in s) <= m]


def random_triple(draws, ratio, delta):
    """Laws of an answer without the record, and with either of two; a change is not bounded."""
    base = oracle.random_law(draws, 3)
    ends = draws.sample(range(3), 2)  # as far apart as can be
    return base, *(oracle.toned_down({end: F(1)}, base, base, ratio, delta)[0] for end in ends)


@pytest.mark.slow
def test_no_change_of_records_tells_more_than_is_promised():
    draws = Random(6)
    above = 0
    for _ in range(60):
        k, m = draws.choice([(1, 1), (2, 1), (2, 2), (3, 1)])
        guarantees = list(oracle.guarantees(draws, k))
        triples = [random_triple(draws, *guarantee) for guarantee in guarantees]
        promised = memberships.changing(m, *floats(guarantees))
        without = at_most(m, *floats(guarantees), bounded=True)
        assert promised.status == "upper bound"
        laws = {}
        for state in states(k, m):
            law = {(): F(1)}
            for triple, x in zip(triples, state, strict=True):
                law = {(*o, a): p * q for o, p in law.items() for a, q in triple[x].items()}
            laws[state] = law
        for ratio in (F(1), F(2), F(5)):
            truth = max(oracle.hockey_stick(p, q, ratio)
                        for p, q in product(laws.values(), repeat=2))  # fmt: skip
            assert promised.delta(math.log(ratio)) >= float(truth) * (1 - 1e-12)
            above += without.delta(math.log(ratio)) < float(truth)
    assert above > 20  # so often memberships alone promised too much


def test_changes_cost_twice():
    found = memberships.changing(2, [0.1, 0.4, 0.3], [1e-3, 0.0, 1e-6])
    expected = optimal([0.8, 0.6], [1e-3 * (1 + math.exp(0.1)), 1e-6 * (1 + math.exp(0.3))])
    assert found.delta(0.9) == pytest.approx(expected.delta(0.9), rel=1e-9)
    # What a mechanism promises for changes, too, is enough as it is.
    assert memberships.changing(0, [0.1]).delta(0.0) == 0.0


# A constraint that may be broken


@pytest.mark.slow
def test_soft_constraints_hold_for_priors_with_a_part_outside():
    draws = Random(7)
    for _ in range(40):
        k, m = draws.randint(2, 4), 1
        guarantees = list(oracle.guarantees(draws, k))
        ratios, deltas = zip(*guarantees, strict=True)
        xi = F(draws.randint(0, 5), 20)
        inside = {bits: draws.randint(0, 3) + (bits[0] == 1) for bits in every(k, m)}
        outside = {bits: draws.randint(1, 3) for bits in every(k, k, m + 1)}
        prior = dict(oracle.mixture([(1 - xi, oracle.normalized(inside)),
                                     (xi, oracle.normalized(outside))]))  # fmt: skip
        none = {(0,) * k: F(1)}
        promised = at_most(m, *floats(guarantees))
        alone = memberships.soft(promised, xi)
        with_all = memberships.soft(promised, xi, at_most(k, *floats(guarantees)))
        for ratio in RATIOS:
            eps, truth = math.log(ratio), oracle.delta(prior, none, ratios, deltas, ratio)
            formula = (1 - float(xi)) * promised.delta(eps) + float(xi)
            assert alone.delta(eps) == pytest.approx(formula, rel=1e-11)
            assert alone.delta(eps) >= with_all.delta(eps) >= float(truth) * (1 - 1e-12)


def test_a_soft_constraint_at_its_ends():
    inside = at_most(1, [0.5] * 3)
    assert memberships.soft(inside, 0.0).delta(0.2) == pytest.approx(inside.delta(0.2))
    assert memberships.soft(inside, 1.0).delta(9.0) == 1.0
    everywhere = at_most(3, [0.5] * 3)
    assert memberships.soft(inside, 1, everywhere).delta(1.0) == pytest.approx(
        everywhere.delta(1.0)
    )


# Parallel composition


def test_parallel_composition_is_the_largest_sum():
    draws = Random(8)
    for _ in range(60):
        costs = [draws.choice([0.1, 0.3, 0.5, 1.25]) for _ in range(draws.randint(1, 4))]
        records, each = draws.randint(0, 5), draws.randint(1, 3)
        sums = Counter()
        for counts in product(range(records + 1), repeat=len(costs)):
            if sum(counts) <= records:
                total = sum(F(cost) * n for cost, n in zip(costs, counts, strict=True))
                sums["any"] = max(sums["any"], total)
                if max(counts) <= each:
                    sums["each"] = max(sums["each"], total)
        for found, expected in (
            (memberships.parallel(records, costs), sums["any"]),
            (memberships.parallel(records, costs, each=each), sums["each"]),
        ):
            assert F(found) >= expected
            assert found == pytest.approx(float(expected), rel=1e-15)
    assert memberships.parallel(365, [0.01] * 1000) == pytest.approx(3.65)


@given(st.lists(st.floats(0.0, 3.0), min_size=1, max_size=8), st.integers(0, 8))
def test_parallel_composition_is_never_better(epsilons, m):
    m = min(m, len(epsilons))
    for theorem in (simple, optimal):
        found = at_most(m, epsilons, theorem=theorem).epsilon(0.0)
        assert found <= memberships.parallel(m, epsilons) * (1 + 1e-11) + 1e-300
        assert memberships.parallel(m, epsilons, each=1) == pytest.approx(found, rel=1e-10)


def test_an_epsilon_beyond_eight_hundred_is_found():
    loud = [3.0] * 365
    assert memberships.simple(loud).epsilon(0.0) == 365 * 3.0
    optimal = memberships.optimal(loud).epsilon(0.3)
    assert optimal == pytest.approx(1004.1787760459638, rel=1e-9)
    assert memberships.at_most(365, loud, theorem=memberships.optimal).epsilon(0.3) == optimal
    advanced = memberships.advanced(loud).epsilon(1e-6)
    assert advanced == pytest.approx(21199.940053098417, rel=1e-9)
    assert memberships.soft(memberships.simple(loud), 0.01).epsilon(0.02) == 365 * 3.0
