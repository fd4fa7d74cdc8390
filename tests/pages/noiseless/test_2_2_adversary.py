"""Section 2.2: what known values and dependence do, and what bounds on moments cannot do; exact.

And the sentence of section 1.1 that bounds on the size of dependent subsets and on central moments
are all that the owner needs: read in every way that we could think of.
"""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, product

import pytest

from pkdp import counting
from pkdp.noiseless import noiseless_privacy, sums
from pkdp.noiseless.adversaries import Adversary, worst_case
from pkdp.noiseless.known_values import known_delta, worst_subset
from tests.oracles.groups import COIN, HALF, bit, both_ways, moved, pair, sum_of

pytestmark = pytest.mark.page

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(3), math.inf]
NOTIONS = ("add or remove", "replace", "conditional", "causal")


def of_half_lines(p, q, ratio):
    """The largest P[S ≤ t] - E·Q[S ≤ t] or P[S ≥ t] - E·Q[S ≥ t], and with P and Q exchanged."""
    best = Fraction(0)
    for one, other in ((p, q), (q, p)):
        for t in {*p, *q}:
            for side in (t.__le__, t.__ge__):
                mass, taken = (sum(m for k, m in law.items() if side(k)) for law in (one, other))
                best = max(best, mass - ratio * taken)
    return best


def moments(law):
    """The variance, and the third and fourth absolute central moments, of one record."""
    mean = sum(values[0] * mass for values, mass in law.items())
    return [sum(abs(v[0] - mean) ** k * mass for v, mass in law.items()) for k in (2, 3, 4)]


# Known values.


def random_record(source):
    weights = [source.randint(1, 4) for _ in range(source.randint(2, 3))]
    values = source.sample(range(-2, 5), len(weights))
    return {(x,): Fraction(w, sum(weights)) for x, w in zip(values, weights, strict=True)}


def test_known_values_are_subtracted_if_records_are_independent():
    source = random.Random(1)
    for _ in range(20):
        records = [random_record(source) for _ in range(source.randint(2, 5))]
        known = sorted(source.sample(range(1, len(records)), source.randint(1, len(records) - 1)))
        left = [record for i, record in enumerate(records) if i not in known]
        for notion, ratio in product(NOTIONS, RATIOS):
            fewer = known_delta(left, (0, 0), [], ratio, notion=notion)
            seen = [(i, 0) for i in known]
            assert known_delta(records, (0, 0), seen, ratio, notion=notion) == fewer
            # It is as much for all values, and so on average over them.
            for values in product(*(records[i] for i in known)):
                told = list(records)
                for i, value in zip(known, values, strict=True):
                    told[i] = {value: 1}
                assert known_delta(told, (0, 0), seen, ratio, notion=notion) == fewer


def test_observation_1_fails_for_two_dependent_records():
    # Two fair bits that agree with probability c; who knows the other one should face one fair
    # bit, and faces one that is 1 with probability c.
    for agree in (Fraction(3, 5), Fraction(3, 4), Fraction(1)):
        for notion in ("add or remove", "replace"):
            dependent = known_delta([pair(agree)], (0, 0), [(0, 1)], 1, notion=notion)
            reduced = known_delta([COIN], (0, 0), [], 1, notion=notion)
            assert dependent == agree > reduced == HALF
    # n = 1 leaves nobody to know; so n = 2 is the least, and any dependence of fair bits breaks it.
    for step in range(33):
        agree = Fraction(step, 32)
        dependent = known_delta([pair(agree)], (0, 0), [(0, 1)], 1)
        assert dependent == max(agree, 1 - agree)


def test_observation_1_fails_for_two_others_that_depend_on_each_other():
    # The target's fair bit is independent of a pair. Whoever knows one of the pair:
    for agree in (Fraction(3, 5), Fraction(3, 4), Fraction(1)):
        groups = [COIN, pair(agree)]
        for notion in NOTIONS:
            one_known, one_less = (
                known_delta(records, (0, 0), known, Fraction(3, 2), notion=notion)
                for records, known in ((groups, [(1, 0)]), ([COIN, COIN], []))
            )
            assert one_known > one_less
        assert known_delta(groups, (0, 0), [(1, 0)], 1, notion="conditional") == agree
        # At E = 1 a target that is a fair bit itself hides that from Definition 3.
        assert known_delta(groups, (0, 0), [(1, 0)], 1) == HALF
    # And it fails for the mean over known values as it does for the worst of them: both cost that.
    for value in (0, 1):
        groups = [COIN, {(value, value): 1}]
        told = known_delta(groups, (0, 0), [(1, 0)], 1, notion="replace")
        assert told == HALF > known_delta([COIN, COIN], (0, 0), [], 1, notion="replace")


@pytest.mark.parametrize("size", [2, 3, 4])
def test_who_knows_one_of_each_group_of_copies_knows_all(size):
    # Groups of D equal bits, γ = 1/D of the records known; the target is in none of them, or one.
    copies = {(x,) * size: HALF for x in (0, 1)}
    groups = [COIN, copies, copies, copies]
    one_of_each = [(i, 0) for i in (1, 2, 3)]
    for notion in NOTIONS:
        assert known_delta(groups, (0, 0), one_of_each, math.inf, notion=notion) == (
            1 if notion in ("conditional", "causal") else HALF
        )
        # Nothing is left to hide the target's bit: it is as if there were no other record.
        for ratio in RATIOS:
            alone = known_delta([COIN], (0, 0), [], ratio, notion=notion)
            found = known_delta(groups, (0, 0), one_of_each, ratio, notion=notion)
            assert found == alone
    inside = known_delta([copies] * 2, (0, 0), [(0, 1), (1, 0)], math.inf)
    assert inside == 1


# Which records are worst to know.


def uncertainty(p):
    return min(p, 1 - p)


def deltas_of_others(target, others, ratio, notion):
    """δ if each of the others is known: that of the records but this one."""
    return [
        known_delta(
            [bit(target), *(bit(p) for j, p in enumerate(others) if j != i)],
            (0, 0),
            [],
            ratio,
            notion=notion,
        )
        for i in range(len(others))
    ]


def surprising(target, others, ratio, notion):
    """Whether a record is worse to be known than all of the most uncertain ones."""
    deltas = deltas_of_others(target, others, ratio, notion)
    most = max(uncertainty(p) for p in others)
    of_these = [d for d, p in zip(deltas, others, strict=True) if uncertainty(p) == most]
    return max(deltas) > max(of_these)


def test_the_worst_record_to_know_is_not_always_the_most_uncertain_one():
    # Three independent bits, E = 3: the target's is 1/4, the others 1/2 and 3/4.
    groups = [bit(Fraction(1, 4)), bit(HALF), bit(Fraction(3, 4))]
    for notion, deltas in (
        ("add or remove", (Fraction(1, 4), Fraction(3, 8))),
        ("replace", (Fraction(3, 16), Fraction(3, 8))),
    ):
        found = [known_delta(groups, (0, 0), [(i, 0)], 3, notion=notion) for i in (1, 2)]
        assert tuple(found) == deltas
        assert worst_subset(groups, (0, 0), 1, 3, notion=notion) == (((2, 0),), deltas[1])


@pytest.mark.parametrize("notion", ["add or remove", "replace"])
def test_that_is_the_coarsest_of_three_bits(notion):
    # At e^ε in eighths up to 4, with probabilities in halves, thirds and fourths; two bits leave
    # no choice of whom to know.
    ratios = [Fraction(k, 8) for k in range(8, 33, 4)]
    found = {
        denominator
        for denominator in (2, 3, 4)
        for target in (Fraction(i, denominator) for i in range(1, denominator))
        for others in combinations_with_replacement(
            [Fraction(i, denominator) for i in range(1, denominator)], 2
        )
        for ratio in ratios
        if surprising(target, others, ratio, notion)
    }
    assert found == {4}


def test_with_the_target_s_bit_set_it_takes_three_others():
    # Causal or conditional. One bit p that is left: δ = max(1 - p, p) rises as it grows certain.
    for p in (Fraction(i, 24) for i in range(1, 24)):
        for ratio in RATIOS[:-1]:
            left = known_delta([COIN, bit(p)], (0, 0), [], ratio, notion="causal")
            assert left == 1 - uncertainty(p)
    # Of three others in fourths, at E = 3, there is one case.
    fourths = [Fraction(i, 4) for i in (1, 2, 3)]
    three = combinations_with_replacement(fourths, 3)
    found = [others for others in three if surprising(HALF, others, 3, "causal")]
    assert found == [tuple(fourths)]
    assert deltas_of_others(HALF, fourths, 3, "causal") == [
        Fraction(3, 8), Fraction(1, 4), Fraction(3, 8)
    ]  # fmt: skip


# "Upper bounds for the size of the greatest dependent subset and the sum of centralised third
# moments (or fourth in case of dependent data) are sufficient."

EVEN = {(0,): HALF, (2,): HALF}
OPPOSITE = {(0, 1): HALF, (1, 0): HALF}


@pytest.mark.parametrize("n", range(1, 9))
def test_parity_gives_away_a_record_among_any_number_of_independent_ones(n):
    # D = 1, and records of variance, third and fourth central moment 1. X* = 1.
    assert moments(EVEN) == [1, 1, 1]
    whole = sum_of([EVEN] * n)
    for ratio in RATIOS:
        assert both_ways(whole, moved(whole, 1), ratio) == 1
        assert known_delta([EVEN] * n, (0, 0), [], ratio, inserted=[1]) == 1


def test_parity_gives_it_away_among_ten_thousand():
    assert sums.pair([({0: 0.5, 2: 0.5}, 10_000)], 1).profile().delta(9.0) == 1.0
    assert noiseless_privacy.add_or_remove([(EVEN, 500)], (0, 0), inserted=[1]).delta(9.0) == 1.0


@pytest.mark.parametrize("groups", range(1, 7))
def test_complementary_pairs_have_a_constant_sum(groups):
    # D = 2, fair bits with the moments of fair bits: S is the number of pairs, for certain.
    whole = sum_of([OPPOSITE] * groups)
    assert whole == {groups: 1}
    for ratio in RATIOS:
        assert known_delta([OPPOSITE] * groups, (0, 0), [], ratio) == 1
        assert known_delta([OPPOSITE] * groups, (0, 0), [], ratio, notion="causal") == 1
    # Without one record the others are no longer constant, but the sum with another one is.
    assert known_delta([OPPOSITE] * groups, (0, 0), [], 1, inserted=[]) == HALF


# The readings that we tried.


def test_read_for_half_lines_parity_does_no_harm_but_complementary_pairs_do():
    for n in (2, 8, 32):
        whole = sum_of([EVEN] * n)
        # One atom of a count at most, which is 1/√(πn/2).
        assert of_half_lines(whole, moved(whole, 1), 1) == Fraction(math.comb(n, n // 2), 2**n)
    for groups in range(1, 7):
        whole = sum_of([OPPOSITE] * groups)
        for ratio in RATIOS[:-1]:
            assert of_half_lines(whole, moved(whole, 1), ratio) == 1


def test_read_for_half_lines_with_a_variance_bounded_below_it_holds_on_examples():
    # D = 2 and Var S ≥ n/4, where a normal law is near (Stein's method, Ross 2011): pairs of bits
    # that agree in three cases of four or always, or pairs of values 0 and 2. δ falls like 1/√n.
    for law in (pair(Fraction(3, 4)), pair(1), {(2 * a, 2 * b): m for (a, b), m in
                                                pair(Fraction(3, 4)).items()}):  # fmt: skip
        few, many = (
            of_half_lines(whole, moved(whole, 1), 1)
            for whole in (sum_of([law] * groups) for groups in (4, 16))
        )
        assert Fraction(2, 5) * few < many < Fraction(3, 5) * few


def test_read_for_half_lines_nearness_to_a_normal_law_is_enough():
    # If F_S is within K of a normal law of deviation σ, and records are within 0…Δ, then
    # P[t - Δ < S ≤ t] ≤ 2K + Δ/(σ√(2π)); S + X* and S without X_i lie between S - Δ and S + Δ. So a
    # bound on K in terms of D and moments is one on δ, for half-lines.
    for law, largest in (
        (pair(Fraction(3, 4)), 1),
        (pair(1), 1),
        (EVEN, 2),
        (bit(Fraction(1, 8)), 1),
    ):
        for groups in (4, 12):
            whole = sum_of([law] * groups)
            mean = sum(k * mass for k, mass in whole.items())
            sigma = math.sqrt(sum((k - mean) ** 2 * mass for k, mass in whole.items()))
            below = 0.0
            away = 0.0
            for k in sorted(whole):
                normal = math.erfc(float(mean - k) / (sigma * math.sqrt(2))) / 2
                away = max(away, abs(normal - below), abs(normal - below - float(whole[k])))
                below += float(whole[k])
            bound = 2 * away + largest / (sigma * math.sqrt(2 * math.pi))
            without = Counter()
            for (k, mass), (values, share) in product(
                sum_of([law] * (groups - 1)).items(), law.items()
            ):
                without[k + sum(values[1:])] += mass * share
            for other in [without, *(moved(whole, star) for star in range(largest + 1))]:
                assert of_half_lines(whole, other, 1) <= bound


def test_read_for_all_events_a_variance_bounded_below_does_not_help():
    # Bits, D = 2: pairs of equal ones have Var S = n/2, twice that of independent bits.
    for groups in (1, 3, 6):
        whole = sum_of([pair(1)] * groups)
        mean = sum(k * mass for k, mass in whole.items())
        assert sum((k - mean) ** 2 * mass for k, mass in whole.items()) == groups
        assert both_ways(whole, moved(whole, 1), math.inf) == 1
        assert known_delta([pair(1)] * groups, (0, 0), [], math.inf) == 1
    # D = 1: parity, above, has Var S = n.


def test_read_for_bits_it_holds_if_they_are_independent():
    # Best events are half-lines there; Var S bounded below is a bound on moments below.
    source = random.Random(7)
    for _ in range(40):
        groups = [bit(Fraction(source.randint(0, 8), 8)) for _ in range(source.randint(1, 6))]
        whole = sum_of(groups)
        for ratio in RATIOS[:-1]:
            assert both_ways(whole, moved(whole, 1), ratio) == of_half_lines(
                whole, moved(whole, 1), ratio
            )
    # But bounds above are bounds on nothing: constants have all moments 0.
    assert known_delta([bit(1)] * 5, (0, 0), [], math.inf) == 1
    # For bits with a variance Proposition 7, corrected, is such a theorem.
    assert counting.berry_esseen([0.3] * 10**5).delta(1.0) < 0.02


def test_read_with_the_records_values_alone_parity_still_tells():
    # Everybody's records are 1 or 3, independent and alike: each that comes or goes is seen.
    odd = {(1,): HALF, (3,): HALF}
    assert moments(odd) == [1, 1, 1]
    for n in range(1, 8):
        assert known_delta([odd] * n, (0, 0), [], math.inf) == 1
        assert known_delta([odd] * n, (0, 0), [], math.inf, inserted=[]) == 1
        # One that is exchanged is as well hidden as a bit.
        replaced = known_delta([odd] * n, (0, 0), [], 1, notion="replace")
        assert replaced == known_delta([COIN] * n, (0, 0), [], 1, notion="replace")


def test_two_values_tell_who_comes_or_goes_unless_their_difference_divides_both():
    # Of n records a or b, a < b, the sum is n·a and a multiple of b - a. Least: a = -1, b = 1.
    for a, b in combinations(range(-3, 5), 2):
        record = {(a,): HALF, (b,): HALF}
        seen = [known_delta([record] * n, (0, 0), [], math.inf) == 1 for n in range(6, 10)]
        assert seen == [a % (b - a) != 0] * 4
    signs = {(-1,): HALF, (1,): HALF}
    assert moments(signs) == [1, 1, 1]
    assert noiseless_privacy.add_or_remove([(signs, 1000)], (0, 0)).delta(20.0) == 1.0
    assert noiseless_privacy.replace([(signs, 1000)], (0, 0)).delta(0.0) < 0.02


def test_read_with_values_without_a_common_lattice_it_still_fails():
    # Records are 0, 1 or 2, independent and alike, and 1 is rare. Whoever adds a 1 is seen.
    for n in (1, 3, 8):
        rare = Fraction(1, 100 * n)
        record = {(0,): (1 - rare) / 2, (1,): rare, (2,): (1 - rare) / 2}
        for ratio in (1, 3):
            delta = known_delta([record] * n, (0, 0), [], ratio, notion="replace")
            # All others are even, but in one case of a hundred; so is the target's own record.
            even = (1 - rare) ** n
            assert delta >= even - ratio * (1 - even) > Fraction(19, 20)
        variance, third, fourth = moments(record)
        assert third <= 1
        assert fourth <= 1
        assert variance >= Fraction(99, 100)


def test_read_as_a_delta_of_the_order_of_one_over_root_n_it_fails():
    # δ is 1 for every n in the examples above; C/√n is not, from n = C² + 1 on.
    deltas = {
        n: (known_delta([EVEN] * n, (0, 0), [], 3, inserted=[1]),
            known_delta([OPPOSITE] * n, (0, 0), [], 3))
        for n in (1, 2, 4, 8, 12)
    }  # fmt: skip
    assert set(deltas.values()) == {(1, 1)}


def test_read_with_values_of_one_lattice_and_replacement_it_holds():
    # {0, 2} with 0 and 2 only is twice a bit, for independent records.
    for n in range(1, 7):
        for ratio in RATIOS:
            for notion in NOTIONS:
                assert known_delta([EVEN] * n, (0, 0), [], ratio, notion=notion) == known_delta(
                    [COIN] * n, (0, 0), [], ratio, notion=notion
                )
    deltas = [known_delta([EVEN] * n, (0, 0), [], 1) for n in range(1, 13)]
    assert all(later <= before for before, later in pairwise(deltas))


def test_nothing_smaller_has_an_exposed_record_and_independent_varying_others():
    # The counterexample {0, 2}: of two values 0 and d and X* in 1…d, δ = 1 at every ε for two
    # records and more exactly if X* is no multiple of d; so d = 2 and X* = 1 are the least.
    for d in (1, 2, 3, 4):
        for star in range(1, d + 1):
            for n in (2, 3):
                delta = known_delta([{(0,): HALF, (d,): HALF}] * n, (0, 0), [], math.inf,
                                    inserted=[star])  # fmt: skip
                assert (delta == 1) == (star % d != 0)
    # Two bits whose sum is constant: of all laws in eighths with an uncertain bit, only opposites.
    cells = list(product((0, 1), repeat=2))
    constant = set()
    for stars in combinations(range(8 + 3), 3):
        ends = [-1, *stars, 8 + 3]
        law = {c: Fraction(b - a - 1, 8) for c, (a, b) in zip(cells, pairwise(ends), strict=True)}
        uncertain = all(0 < sum(m for c, m in law.items() if c[i]) < 1 for i in (0, 1))
        if uncertain and len(sum_of([law])) == 1:
            constant.add(frozenset(c for c, m in law.items() if m))
    assert constant == {frozenset({(0, 1), (1, 0)})}


def test_constants_satisfy_every_bound_from_above():
    # The least of all: one record, known to be 0; D = 1, and every central moment is 0.
    nothing = {(0,): Fraction(1)}
    assert moments(nothing) == [0, 0, 0]
    for n in (1, 2, 5):
        for ratio in RATIOS:
            assert known_delta([nothing] * n, (0, 0), [], ratio, inserted=[1]) == 1


def circle(n):
    """The joint law of n moving sums of two neighbours, of n fair coins on a circle."""
    law = Counter()
    for coins in product((0, 1), repeat=n):
        law[tuple(coins[i] + coins[i - 1] for i in range(n))] += Fraction(1, 2**n)
    return dict(law)


@pytest.mark.parametrize("n", range(3, 9))
def test_moving_sums_on_a_circle_are_even_and_no_blocks_cover_them(n):
    # Values 0, 1, 2, each of positive mass; whoever adds a 1 is seen, though Var S = n.
    whole = circle(n)
    record = Counter()
    for x, mass in whole.items():
        record[x[:1]] += mass
    assert record == {(0,): Fraction(1, 4), (1,): HALF, (2,): Fraction(1, 4)}
    total = sum_of([whole])
    assert sum((k - n) ** 2 * mass for k, mass in total.items()) == n
    assert all(k % 2 == 0 for k in total)
    for ratio in RATIOS:
        assert known_delta([whole], (0, 0), [], ratio, inserted=[1]) == 1
        assert known_delta([whole], (0, 0), [], ratio) == 1
    # Each record depends on its two neighbours, and is independent of all the others.
    first = Counter()
    for x, mass in whole.items():
        first[x[0], x[2 : n - 1]] += mass
    for (one, others), mass in first.items():
        share = sum(m for (a, _), m in first.items() if a == one)
        rest = sum(m for (_, b), m in first.items() if b == others)
        assert mass == share * rest
    # But given all others it is even, or odd: it has no coin.
    parities = {(x[1:], x[0] % 2) for x in whole}
    assert len(parities) == len({others for others, _ in parities})


def test_at_least_so_many_values_are_left():
    # "At least n - γn" random variables: the known ones are a whole number.
    for n in range(2, 60):
        for top in range(20):
            gamma = Fraction(top, 20)
            left = n - Adversary(gamma).known_records(n)
            assert n - gamma * n <= left
            if gamma <= 1 - Fraction(1, n):
                assert left < n - gamma * n + 1
            else:  # the target's value is never known
                assert left == 1


def test_who_knows_all_but_one_record_is_the_attacker_of_differential_privacy():
    # γ = 1 - 1/n: an exact count has δ = 1 at every ε, whatever else is assumed.
    for n in (2, 10, 1000):
        who = Adversary(1 - Fraction(1, n))
        assert who.known_records(n) == n - 1
        assert worst_case(n, 0.5, who).delta(50.0) == 1.0
    whole = [bit(Fraction(1, 3))] * 3
    assert known_delta(whole, (0, 0), [(1, 0), (2, 0)], math.inf, notion="conditional") == 1


# What the owner chooses.


def test_upper_bounds_on_the_parameters_are_on_the_safe_side():
    for conditional in (False, True):
        for eps in (0.1, 0.5, 2.0):
            for known, group in product((0, Fraction(1, 4), Fraction(3, 4)), (1, 2, 3)):
                delta, less, fewer = (
                    worst_case(300, 0.2, who, conditional=conditional).delta(eps)
                    for who in (
                        Adversary(known, group),
                        Adversary(known / 2, group),
                        Adversary(known, max(1, group - 1)),
                    )
                )
                assert less <= delta
                assert fewer <= delta
