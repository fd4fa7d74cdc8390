"""Section V-B and Appendix C: the averaging recipe, subsampling, Theorem 3 and its corollaries."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from random import Random

import numpy as np
import pytest
import sympy as sp

from pkdp import accounting, hypotheses, sampling
from pkdp.databases import published
from pkdp.figures.databases import six_bounds
from pkdp.profiles.binomials import binomial_masses
from tests.oracles import hypotheses as oracle

pytestmark = pytest.mark.page

F = Fraction
HALF = F(1, 2)
RATIOS = [F(1), F(5, 4), F(2), F(4)]


def uniform_but_none(k):
    return oracle.normalized({bits: F(1) for bits in oracle.vectors(k) if any(bits)})


def point(bits):
    return {tuple(bits): F(1)}


def none(k):
    return point((0,) * k)


def distances(c, d, ratios):
    """The product of the ratios where two vectors differ: simple composition."""
    return math.prod((r for x, y, r in zip(c, d, ratios, strict=True) if x != y), start=F(1))


def leaks(c, d, deltas):
    return min(F(1), sum((x for a, b, x in zip(c, d, deltas, strict=True) if a != b), F(0)))


def north_west(prior, other, one, two):
    """Algorithm 3 with the vectors taken in two given orders: matched vectors and weights."""
    left, right = [[bits, prior[bits]] for bits in one], [[bits, other[bits]] for bits in two]
    matched = []
    while left:
        weight = min(left[0][1], right[0][1])
        matched.append((left[0][0], right[0][0], weight))
        for side in (left, right):
            side[0][1] -= weight
            if not side[0][1]:
                side.pop(0)
    return matched


def average(matched, ratios):
    return sum(w * distances(c, d, ratios) for c, d, w in matched)


# --------------------------------------------------------------------------------------------
# Computing an HDP guarantee
# --------------------------------------------------------------------------------------------


def test_the_largest_parameters_serve_a_set_of_pairs():
    draws = Random(1)
    for _ in range(30):
        ratios, deltas = zip(*oracle.guarantees(draws, 2), strict=True)
        pairs = [(oracle.random_prior(draws, 2), oracle.random_prior(draws, 2)) for _ in range(3)]
        each = [draws.choice(RATIOS) for _ in pairs]
        least = [
            oracle.delta(p, q, ratios, deltas, a) for (p, q), a in zip(pairs, each, strict=True)
        ]
        for p, q in pairs:
            assert oracle.delta(p, q, ratios, deltas, max(each)) <= max(least)


def test_positions_in_which_two_vectors_agree_do_not_matter():
    """All pairs of vectors, k = 3, unequal mechanisms: exactly the profile of the others."""
    ratios, deltas = [F(2), F(3), F(3, 2)], [F(1, 10), F(0), F(1, 4)]
    for c, d in product(oracle.vectors(3), repeat=2):
        at = [i for i in range(3) if c[i] != d[i]]
        for a in RATIOS:
            whole = oracle.one_way(point(c), point(d), ratios, deltas, a)
            part = [[side[i] for i in at] for side in (c, d, ratios, deltas)]
            assert whole == oracle.one_way(point(part[0]), point(part[1]), *part[2:], a)


def test_nor_do_they_for_attackers_who_adapt():
    draws = Random(2)
    for _ in range(60):
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, 3), strict=True))
        adversary = oracle.random_adversary(draws, ratios, deltas)
        c, d = draws.choice(oracle.vectors(3)), draws.choice(oracle.vectors(3))
        at = [i for i in range(3) if c[i] != d[i]]
        some = [[side[i] for i in at] for side in (c, d, ratios, deltas)]
        a = draws.choice(RATIOS)
        bound = oracle.one_way(point(some[0]), point(some[1]), *some[2:], a)
        assert oracle.played_one_way(adversary, point(c), point(d), a) <= bound


def test_so_the_classic_guarantee_is_loose_where_vectors_agree():
    """Any mechanism that tells something, in a position where they agree, is paid for in vain."""
    for ratio, delta in ((F(2), F(0)), (F(1), F(1, 9)), (F(3), F(1, 100))):
        whole = oracle.delta(point((1, 1)), none(2), [ratio] * 2, [delta] * 2, ratio)
        part = oracle.delta(point((1, 0)), none(2), [ratio] * 2, [delta] * 2, ratio)
        assert part < whole


def test_averages_fail_for_two_mixtures():
    """p = ½(00) + ½(11), q = ½(00) + ½(01), E = 3: the average says 2, the truth is 5/2."""
    p, q = {(0, 0): HALF, (1, 1): HALF}, {(0, 0): HALF, (0, 1): HALF}
    ratios = [F(3)] * 2
    matched = north_west(p, q, sorted(p), sorted(q))
    assert matched == [((0, 0), (0, 0), HALF), ((1, 1), (0, 1), HALF)]
    assert average(matched, ratios) == 2
    assert oracle.least_ratio(p, q, ratios) == F(5, 2)
    # For every E > 1.
    for ratio in (F(101, 100), F(7), F(100)):
        assert average(matched, [ratio] * 2) == (1 + ratio) / 2
        assert oracle.least_ratio(p, q, [ratio] * 2) == (1 + ratio**2) / (1 + ratio)
        assert 2 * (1 + ratio**2) > (1 + ratio) ** 2
    # The other order of Algorithm 3 has a larger average, which happens to suffice.
    assert average(north_west(p, q, sorted(p), sorted(q)[::-1]), ratios) == 6
    # The largest of the two, and the average for each vector of q.
    assert oracle.least_ratio(p, q, ratios) <= max(distances(c, d, ratios) for c, d, _ in matched)


def test_one_database_is_not_enough_for_that():
    grid = [F(i, 6) for i in range(7)]
    for x, y, ratio in product(grid, grid, [F(2), F(9)]):
        p, q = ({b: w for b, w in {(0,): 1 - z, (1,): z}.items() if w} for z in (x, y))
        truth = oracle.least_ratio(p, q, [ratio])
        for one, two in product(permutations(p), permutations(q)):
            assert truth <= average(north_west(p, q, one, two), [ratio])


def test_the_largest_and_the_average_by_columns_hold():
    """400 pairs of priors, unequal mechanisms with leaks, in both directions."""
    draws = Random(4)
    for _ in range(400):
        k = draws.randint(1, 3)
        p, q = oracle.random_prior(draws, k), oracle.random_prior(draws, k)
        ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
        matched = north_west(p, q, draws.sample(sorted(p), len(p)), draws.sample(sorted(q), len(q)))
        leak = sum(w * leaks(c, d, deltas) for c, d, w in matched)
        largest = max(distances(c, d, ratios) for c, d, _ in matched)
        for one, other, way in ((p, q, 0), (q, p, 1)):
            columns = {bits: F(0) for bits in other}
            for c, d, w in matched:
                to = (c, d)[1 - way]
                columns[to] += w * distances(c, d, ratios) / other[to]
            by_columns = max(columns.values())
            assert by_columns <= largest
            assert oracle.one_way(one, other, ratios, deltas, by_columns) <= leak


def test_averages_hold_against_one_vector_without_leaks():
    draws = Random(5)
    for _ in range(200):
        k = draws.randint(1, 3)
        p, d = oracle.random_prior(draws, k), draws.choice(oracle.vectors(k))
        ratios = [r for r, _ in oracle.guarantees(draws, k)]
        matched = [(c, d, w) for c, w in p.items()]
        assert oracle.least_ratio(p, point(d), ratios) <= average(matched, ratios)


# --------------------------------------------------------------------------------------------
# The example of the uniform hypothesis
# --------------------------------------------------------------------------------------------


def test_equations_3_and_4_by_the_binomial_formula():
    E, delta = sp.symbols("E delta", positive=True)
    for k in range(1, 9):
        weights = [sp.binomial(k, i) / sp.Integer(2**k - 1) for i in range(1, k + 1)]
        mean = sum(w * E**i for i, w in enumerate(weights, 1))
        assert sp.expand(mean - ((1 + E) ** k - 1) / (2**k - 1)) == 0
        leak = sum(w * i * delta for i, w in enumerate(weights, 1))
        assert sp.simplify(leak - delta * k * 2 ** (k - 1) / sp.Integer(2**k - 1)) == 0


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_equations_3_and_4_are_a_guarantee_and_tight_without_leaks(k):
    for ratio, delta in product([F(5, 4), F(4)], [F(0), F(1, 10), F(1, 2)]):
        mean = ((1 + ratio) ** k - 1) / (2**k - 1)
        leak = min(F(1), delta * k * F(2 ** (k - 1), 2**k - 1))
        exact = oracle.delta(uniform_but_none(k), none(k), [ratio] * k, [delta] * k, mean)
        assert exact == 1 - ((2 - delta) ** k - 1) / (2**k - 1)
        assert exact <= leak
        assert (exact == leak) == (k == 1 or not delta)
    assert oracle.least_ratio(uniform_but_none(k), none(k), [F(4)] * k) == (5**k - 1) / F(2**k - 1)


def test_the_factor_of_almost_two_is_that_of_delta():
    for k in (1, 2, 5, 10, 20):
        eps, delta = published.corollary_7(k, 0.1, 1e-9)
        assert k * 1e-9 / delta == pytest.approx(2.0 - 2.0 ** (1 - k))
        assert k * 0.1 / eps < 2.0


def test_for_epsilon_it_needs_small_epsilon_and_many_databases():
    def factor(k, eps):
        return k * eps / published.corollary_7(k, eps).eps

    assert 1.95 < factor(200, 0.01) < 2.0
    assert factor(2, 0.01) < 1.51
    assert factor(200, 3.0) < 1.31
    assert factor(200, 0.1) == pytest.approx(0.1 / math.log((1 + math.exp(0.1)) / 2), rel=1e-3)


def test_an_uninformed_attacker_learns_strictly_less_than_the_worst():
    for k in (2, 3):
        prior = hypotheses.not_none(hypotheses.uniform(k))
        some = hypotheses.pair(prior, hypotheses.point([0] * k), [0.5] * k).profile()
        worst = accounting.optimal(0.5, 0.0, times=k)
        for eps in (0.0, 0.3, 0.9):
            assert some.delta(eps) < worst.delta(eps)


@pytest.mark.slow
def test_simple_composition_gets_loose_with_the_number():
    quotients = [
        published.corollary_7(k, 0.1).eps / sampling.bounds(k, 0.1, 0.0, target=1e-6).exact
        for k in (1, 10, 20, 50, 100, 365)
    ]
    assert quotients[0] == pytest.approx(1.0, abs=1e-3)
    assert all(one < other for one, other in pairwise(quotients))
    assert quotients[-1] > 4.0


# --------------------------------------------------------------------------------------------
# Subsampling
# --------------------------------------------------------------------------------------------


def sampled(adversary, rates):
    """The attacker whose mechanism for bit 1 samples the record first."""
    return {
        history: (q, oracle.mixture([(1 - rates[len(history)], q), (rates[len(history)], p)]))
        for history, (q, p) in adversary.items()
    }


def test_a_database_may_be_baked_into_the_mechanism():
    """M'(S) = M(D ∪ S) for S without or with the one record r: the same replies, and as private."""

    def mechanism(database):
        return {f"{min(sum(database), 3)}?": F(2, 3), "no": F(1, 3)}

    for others in product((0, 1), repeat=2):

        def baked(some, others=others):
            return mechanism((*others, *some))

        assert baked(()) == mechanism(others)
        assert baked((1,)) == mechanism((*others, 1))
        for more in product((0, 1), repeat=2):
            # Neighbours of M' are neighbours of M.
            one, other = baked(more), baked((*more, 1))
            assert (one, other) == (mechanism((*others, *more)), mechanism((*others, *more, 1)))


def test_a_product_prior_is_a_sample_for_attackers_who_adapt():
    draws = Random(6)
    for _ in range(40):
        k = draws.randint(1, 3)
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        adversary = oracle.random_adversary(draws, ratios, deltas)
        for rates in ([HALF] * k, [F(draws.randint(0, 4), 4) for _ in range(k)]):
            unsure = oracle.mixture(
                (w, oracle.played(adversary, bits)) for bits, w in oracle.independent(rates).items()
            )
            assert unsure == oracle.played(sampled(adversary, rates), (1,) * k)


def test_the_identity_holds_for_attackers_who_adapt():
    draws = Random(7)
    for _ in range(40):
        k = draws.randint(1, 3)
        rates = [F(draws.randint(1, 4), 4) for _ in range(k)]
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        adversary = oracle.random_adversary(draws, ratios, deltas)
        whole = oracle.independent(rates)
        prior = oracle.normalized({bits: w for bits, w in whole.items() if any(bits)})
        q0 = math.prod(1 - r for r in rates)
        of_none = oracle.played(adversary, (0,) * k)
        of_sample = oracle.played(sampled(adversary, rates), (1,) * k)
        a = draws.choice(RATIOS)
        there = oracle.played_one_way(adversary, prior, none(k), a)
        back = oracle.played_one_way(adversary, none(k), prior, a)
        s, t = q0 + a * (1 - q0), a / (1 - q0 + a * q0)
        assert there == oracle.hockey_stick(of_sample, of_none, s) / (1 - q0)
        if q0 < 1:
            factor = 1 + a * q0 / (1 - q0)
            assert back == factor * oracle.hockey_stick(of_none, of_sample, t)


def test_the_identity_agrees_with_the_exact_optimum():
    draws = Random(8)
    for _ in range(25):
        k = draws.randint(1, 5)
        ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
        rates = [draws.uniform(0.05, 1.0) for _ in range(k)]
        epsilons = [math.log(r) for r in ratios]
        pairs = [sampling.randomized_response(e, d) for e, d in zip(epsilons, deltas, strict=True)]
        prior = hypotheses.not_none(hypotheses.product(rates))
        exact = hypotheses.pair(
            prior, hypotheses.point([0] * k), epsilons, [float(d) for d in deltas]
        ).profile()
        bounds = sampling.by_sampling(pairs, rates)
        for eps in (0.0, 0.4, 1.3):
            lower, upper = bounds.delta(eps)
            assert lower * (1 - 1e-9) <= exact.delta(eps) <= upper * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize(
    ("k", "rate", "delta"), [(50, 0.5, 1e-6), (365, 0.1, 0.0), (300, 0.5, 1e-4)]
)
def test_and_with_that_for_exchangeable_priors(k, rate, delta):
    law = binomial_masses(k, rate)
    some, nowhere = hypotheses.given_number(law, least=1), np.eye(k + 1)[0]
    exact = hypotheses.exchangeable(some, nowhere, 0.1, delta).profile()
    bounds = sampling.by_sampling([sampling.randomized_response(0.1, delta)], rate, [k])
    for eps in (0.0, 0.5, 1.5):
        lower, upper = bounds.delta(eps)
        assert lower == pytest.approx(exact.delta(eps), rel=1e-8)
        assert upper == pytest.approx(exact.delta(eps), rel=1e-8)


# --------------------------------------------------------------------------------------------
# Theorem 3
# --------------------------------------------------------------------------------------------


def first_parts(k):
    """The uniform prior on all b but 0, divided by the first 1: weights and parts."""
    for i in range(k):
        part = {
            (0,) * i + (1,) + rest: F(1, 2 ** (k - 1 - i))
            for rest in product((0, 1), repeat=k - 1 - i)
        }
        yield F(2 ** (k - 1 - i), 2**k - 1), part


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_vectors_divided_by_their_first_one(k):
    parts = [part for _, part in first_parts(k)]
    assert sorted(bits for part in parts for bits in part) == sorted(uniform_but_none(k))
    assert [len(part) for part in parts] == [2 ** (k - 1 - i) for i in range(k)]
    assert oracle.mixture(first_parts(k)) == uniform_but_none(k)


def terms(ratios, deltas, choose):
    """Ratios and least deltas of Theorem 3's compositions, at chosen ratios: all exact."""
    k = len(ratios)
    chosen = [choose(i) for i in range(k)]
    least = [
        oracle.delta(part, none(k), ratios, deltas, a)
        for (_, part), a in zip(first_parts(k), chosen, strict=True)
    ]
    return chosen, least


def test_each_term_is_a_mechanism_and_subsampled_ones():
    """The i-th part: bits before i are 0, bit i is 1, those after it are sampled at ½."""
    draws = Random(9)
    for k in (1, 2, 3):
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        adversary = oracle.random_adversary(draws, ratios, deltas)
        for i, (_, part) in enumerate(first_parts(k)):
            rates = [F(0)] * i + [F(1)] + [HALF] * (k - 1 - i)
            law = oracle.mixture((w, oracle.played(adversary, b)) for b, w in part.items())
            assert law == oracle.played(sampled(adversary, rates), (1,) * k)


def test_theorem_3_in_the_printed_direction():
    """Exact optimal compositions of the terms at random ratios, k ≤ 3, and adaptive attackers."""
    draws = Random(10)
    for _ in range(80):
        k = draws.randint(1, 3)
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        chosen, least = terms(ratios, deltas, lambda i: 1 + F(draws.randint(0, 12), 4))
        weights = [w for w, _ in first_parts(k)]
        mean = sum(w * a for w, a in zip(weights, chosen, strict=True))
        leak = sum(w * d for w, d in zip(weights, least, strict=True))
        assert oracle.one_way(uniform_but_none(k), none(k), ratios, deltas, mean) <= leak
        adversary = oracle.random_adversary(draws, ratios, deltas)
        assert oracle.played_one_way(adversary, uniform_but_none(k), none(k), mean) <= leak


def test_the_reverse_direction_fails_for_two_equal_mechanisms():
    """k = 2, (ln 2, 0) twice: exactly 38/243 where 4/27 is promised."""
    ratios, deltas = [F(2)] * 2, [F(0)] * 2
    chosen, least = terms(ratios, deltas, lambda i: (F(4, 3), F(2))[i])
    assert (chosen, least) == ([F(4, 3), F(2)], [F(2, 9), F(0)])
    found = published.theorem_3([math.log(a) for a in chosen], [float(d) for d in least])
    assert math.exp(found.eps) == pytest.approx(14 / 9)
    assert found.delta == pytest.approx(4 / 27)
    back = oracle.one_way(none(2), uniform_but_none(2), ratios, deltas, F(14, 9))
    assert back == F(38, 243) > F(4, 27)
    assert oracle.one_way(uniform_but_none(2), none(2), ratios, deltas, F(14, 9)) <= F(4, 27)
    # The corrected pair of that direction.
    _, corrected = sampling.averaged([2 / 3, 1 / 3], [math.log(a) for a in chosen], [2 / 9, 0.0])
    assert math.exp(corrected.eps) == pytest.approx(1.5)
    assert corrected.delta == pytest.approx(1 / 6)
    assert oracle.one_way(none(2), uniform_but_none(2), ratios, deltas, F(3, 2)) == F(1, 6)


def test_one_database_is_not_enough_to_break_it():
    for ratio, delta in product(RATIOS, [F(0), F(1, 5)]):
        assert oracle.delta(uniform_but_none(1), none(1), [ratio], [delta], ratio) == delta


def test_it_holds_with_one_delta_for_all_terms_and_with_parameters_that_grow_together():
    draws = Random(12)
    for _ in range(150):
        k = draws.randint(2, 3)
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        chosen, least = terms(ratios, deltas, lambda i: 1 + F(draws.randint(0, 12), 4))
        weights = [w for w, _ in first_parts(k)]
        mean = sum(w * a for w, a in zip(weights, chosen, strict=True))
        leak = sum(w * d for w, d in zip(weights, least, strict=True))
        exact = oracle.one_way(none(k), uniform_but_none(k), ratios, deltas, mean)
        assert exact <= max(least)  # one δ for all terms
        pairs = combinations(zip(chosen, least, strict=True), 2)
        if all((a - b) * (c - d) >= 0 for (a, c), (b, d) in pairs):
            assert exact <= leak


@pytest.mark.slow
def test_the_corrected_pair_holds_and_is_never_larger_in_epsilon():
    """300 draws of k ≤ 3 unequal mechanisms and ratios of the terms: exact, all in fractions."""
    draws, broken = Random(13), 0
    for _ in range(300):
        k = draws.randint(1, 3)
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        chosen, least = terms(ratios, deltas, lambda i: 1 + F(draws.randint(0, 12), 4))
        weights = [w for w, _ in first_parts(k)]
        mean = sum(w * a for w, a in zip(weights, chosen, strict=True))
        back = 1 / sum(w / a for w, a in zip(weights, chosen, strict=True))
        leak = sum(w * d for w, d in zip(weights, least, strict=True))
        leak_back = back * sum(w * d / a for w, d, a in zip(weights, least, chosen, strict=True))
        assert back <= mean
        way = none(k), uniform_but_none(k), ratios, deltas
        assert oracle.one_way(*way, back) <= leak_back
        broken += oracle.one_way(*way, mean) > leak
    assert broken  # as printed


def test_for_equal_mechanisms_without_a_common_delta_it_fails_at_every_epsilon():
    """k = 2, the terms at 2E/(1+E) and E: more than promised by the factor (7E+5)/(6E+6)."""
    for E in (F(101, 100), F(3, 2), F(2), F(3), F(10)):
        chosen, least = terms([E] * 2, [F(0)] * 2, lambda i, E=E: (2 * E / (1 + E), E)[i])
        assert least == [E * (E - 1) / (1 + E) ** 2, 0]
        mean, leak = (2 * chosen[0] + chosen[1]) / 3, 2 * least[0] / 3
        back = oracle.one_way(none(2), uniform_but_none(2), [E] * 2, [F(0)] * 2, mean)
        assert back == leak * (7 * E + 5) / (6 * E + 6) > leak


def corollary_6(ratios, deltas):
    k = len(ratios)
    mean = leak = F(0)
    for i in range(k):
        weight = F(2 ** (k - 1 - i), 2**k - 1)
        mean += weight * ratios[i] * math.prod(((1 + r) / 2 for r in ratios[i + 1 :]), start=F(1))
        leak += weight * min(F(1), deltas[i] + sum(deltas[i + 1 :], F(0)) / 2)
    return mean, leak


def test_corollary_6_fails_in_the_reverse_direction_for_unequal_mechanisms():
    """A (0, δ) and an (ln E, 0) mechanism, in either order, just where E > 7."""
    ratios_tried = [F(11, 10), F(3, 2), F(9, 5), F(2), F(6), F(7), F(8), F(100)]
    for ratio, delta in product(ratios_tried, [F(1, 1000), F(1, 3)]):
        for order in (1, -1):
            ratios, deltas = [F(1), ratio][::order], [delta, F(0)][::order]
            mean, leak = corollary_6(ratios, deltas)
            assert (mean, leak) == ((1 + 2 * ratio) / 3, 2 * delta / 3)
            back = oracle.one_way(none(2), uniform_but_none(2), ratios, deltas, mean)
            # For a small E the reply "shown 0, answer 1" has an excess, too.
            both = ratio * (1 + 2 * ratio) < 9
            units = 8 + 6 * ratio - 2 * ratio**2 if both else 7 * ratio - 1
            assert back == delta * units / (9 * (1 + ratio))
            assert (back > leak) == (ratio > 7)


def test_with_more_databases_it_takes_mechanisms_that_hide_next_to_nothing():
    """k = 3: two that show their bit with probability δ and a loud one; δ = 0.96 is enough."""
    for delta, breaks in ((F(9, 10), False), (F(24, 25), True), (F(1), True)):
        ratios, deltas = [F(1), F(1), F(10**6)], [delta, delta, F(0)]
        mean, leak = corollary_6(ratios, deltas)
        back = oracle.one_way(none(3), uniform_but_none(3), ratios, deltas, mean)
        assert (back > leak) == breaks


@pytest.mark.slow
@pytest.mark.parametrize(("k", "most"), [(2, 7 / 6), (3, 1.0), (4, 1.0)])
def test_a_search_for_more_than_corollary_6_promises(k, most):
    """4,000 draws with δ_i up to ½, some from the corners, and steps uphill from the best ones."""
    draws = np.random.default_rng(k)
    vectors = np.array(oracle.vectors(k))[1:]
    first = 2.0 ** -np.arange(1, k + 1) / (1 - 0.5**k)

    def quotient(logs, deltas):
        E = np.exp(logs)
        zero = np.stack(
            [deltas, (1 - deltas) * E / (1 + E), (1 - deltas) / (1 + E), 0 * E], axis=-1
        )
        laws = np.stack([zero, zero[:, ::-1]])

        def view(bits):
            law = np.ones(1)
            for i, bit in enumerate(bits):
                law = np.multiply.outer(law, laws[bit, i]).ravel()
            return law

        somewhere = sum(view(bits) for bits in vectors) / len(vectors)
        later = [np.prod((1 + E[i + 1 :]) / 2) for i in range(k)]
        leak = first @ [min(1.0, deltas[i] + deltas[i + 1 :].sum() / 2) for i in range(k)]
        least = np.maximum(view([0] * k) - first @ (E * later) * somewhere, 0.0).sum()
        return least / leak if leak > 1e-6 else 0.0  # less is rounding

    best, at = 0.0, None
    for turn in range(4000):
        if turn < 2000 or at is None:
            logs = draws.exponential(draws.choice([0.3, 2.0, 8.0]), k) * (draws.random(k) < 0.7)
            deltas = 0.5 * draws.random(k) ** draws.choice([0.2, 1, 8], k) * (draws.random(k) < 0.7)
        else:
            logs = np.abs(at[0] + draws.normal(0, 0.5, k) * (draws.random(k) < 0.5))
            deltas = np.clip(at[1] * np.exp(draws.normal(0, 0.2, k)), 0, 0.5)
        found = quotient(logs, deltas)
        if found > best:
            best, at = found, (logs, deltas)
    assert best <= most + 1e-9
    assert (best > 1.1) == (k == 2)


def test_corollary_6_holds_for_equal_mechanisms():
    for k, ratio, delta in product((1, 2, 3, 4), (F(3, 2), F(9)), (F(0), F(1, 20), F(1, 3))):
        mean, leak = corollary_6([ratio] * k, [delta] * k)
        assert oracle.delta(uniform_but_none(k), none(k), [ratio] * k, [delta] * k, mean) <= leak


@pytest.mark.slow
def test_corollary_7_recovers_equations_3_and_4():
    """By the geometric series and its derivative, as the paper says."""
    E, delta = sp.symbols("E delta", positive=True)
    for k in range(1, 9):
        weights = [sp.Rational(2 ** (k - i), 2**k - 1) for i in range(1, k + 1)]
        mean = sum(w * E * ((1 + E) / 2) ** (k - i) for i, w in enumerate(weights, 1))
        assert sp.simplify(mean - ((1 + E) ** k - 1) / (2**k - 1)) == 0
        leak = sum(w * (delta + (k - i) * delta / 2) for i, w in enumerate(weights, 1))
        assert sp.simplify(leak - delta * k * sp.Rational(2 ** (k - 1), 2**k - 1)) == 0


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_corollary_7_holds_in_both_directions(k):
    for ratio, delta in product([F(9, 8), F(3), F(20)], [F(0), F(1, 50), F(1, 4)]):
        mean = ((1 + ratio) ** k - 1) / (2**k - 1)
        leak = min(F(1), delta * k * F(2 ** (k - 1), 2**k - 1))
        prior = uniform_but_none(k)
        for one, other in ((prior, none(k)), (none(k), prior)):
            assert oracle.one_way(one, other, [ratio] * k, [delta] * k, mean) <= leak


# --------------------------------------------------------------------------------------------
# The figure
# --------------------------------------------------------------------------------------------


def test_the_figure_gives_the_numbers_of_its_text():
    at = {
        k: sampling.bounds(k, six_bounds.EPS, six_bounds.DELTA, target=1e-6) for k in (1, 10, 365)
    }
    last, first, ten = at[365], at[1], at[10]
    assert [round(x, 1) for x in last[:4]] == [36.5, 13.9, 10.3, 18.7]
    assert [round(x, 2) for x in last[4:]] == [4.76, 4.62]
    assert [round(x, 3) for x in (first.simple, *first[2:])] == [0.1] * 5
    assert ten.simple / ten.exact == pytest.approx(1.95, abs=0.005)
    assert ten.optimal / ten.exact == pytest.approx(1.95, abs=0.005)
    assert max(ten.corollary_7, ten.theorem_3) < 1.003 * ten.exact
    quotients = [x / last.exact for x in last]
    assert [round(x, 1) for x in quotients[:4]] == [7.9, 3.0, 2.2, 4.0]
    seventeen = sampling.bounds(17, six_bounds.EPS, six_bounds.DELTA, target=1e-6)
    assert seventeen.theorem_3 / seventeen.exact == pytest.approx(1.054, abs=0.001)
