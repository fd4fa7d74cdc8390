"""Section 1: its promises on small worlds, and the related definitions against brute force."""

import math
import random
from fractions import Fraction
from itertools import product

import pytest

from pkdp import composition, counting, kanonymity, published
from pkdp.partial_knowledge import posteriors
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.worlds import World, bits, copied, enumeration, hidden_parameter, independent
from pkdp.worlds.definitions import apk_delta, cdp_ratio, dp_ratio, np_ratio, ppk_delta
from pkdp.worlds.mechanisms import (
    compose,
    identity,
    majority,
    make_randomized_response,
    make_threshold,
    output_law,
    parity,
    total,
)
from tests.pages.partial_knowledge.small_worlds import target_is_independent

pytestmark = pytest.mark.page

F = Fraction
HALF = F(1, 2)
POSTERIORS = (posteriors.posterior_ratio, posteriors.adversarial_ratio, posteriors.membership_ratio)


# --------------------------------------------------------------------------------------------
# The related definitions, from their formulas: whole events of the joint law, one by one
# --------------------------------------------------------------------------------------------


def joint_law(world, mechanism):
    return [
        (database, knowledge, output, mass * share)
        for (database, knowledge), mass in world.masses.items()
        for output, share in output_law(mechanism, database).items()
    ]


def chance(rows, event, given):
    whole = sum(mass for *row, mass in rows if given(*row))
    return sum(mass for *row, mass in rows if given(*row) and event(*row)) / whole


def prior_and_posterior(world, mechanism):
    """For each knowledge, record, value and output: P[s], P[s | t]."""
    rows = joint_law(world, mechanism)
    for seen in {knowledge for _, knowledge, _, _ in rows}:
        outputs = {output for _, knowledge, output, _ in rows if knowledge == seen}
        for i, output in product(range(world.size), outputs):
            for value in {d[i] for d, knowledge, _, _ in rows if knowledge == seen}:
                yield tuple(
                    chance(rows, lambda d, b, t, i=i, v=value: d[i] == v, given)
                    for given in (
                        lambda d, b, t, seen=seen: b == seen,
                        lambda d, b, t, seen=seen, o=output: b == seen and t == o,
                    )
                )


def quotient(above, below):
    return F(1) if above == below else above / below if below else math.inf


def definitions_by_hand(world, mechanism):
    beliefs = list(prior_and_posterior(world, mechanism))
    raised = max(quotient(after, before) for before, after in beliefs)
    lowered = max(quotient(before, after) for before, after in beliefs)
    negated = [(1 - before, 1 - after) for before, after in beliefs if before < 1]
    raised_not = max((quotient(after, before) for before, after in negated), default=F(1))
    lowered_not = max((quotient(before, after) for before, after in negated), default=F(1))
    return max(raised, lowered), raised, max(raised, lowered, raised_not, lowered_not)


def random_pair(source, n=2, records=(0, 1), knowledge=2):
    world = enumeration.random_world(source, n, records, knowledge=knowledge)
    databases = list(product(records, repeat=n))
    mechanism = enumeration.random_mechanism(
        source, databases, 2, deterministic=source.random() < 0.5
    )
    return world, mechanism


def test_related_definitions_agree_with_their_formulas():
    source = random.Random(11)
    for k in range(120):
        records = (0, 1) if k % 3 else ("a", "b", "c")
        world, mechanism = random_pair(source, records=records, knowledge=1 + k % 2)
        expected = definitions_by_hand(world, mechanism)
        assert tuple(ratio(world, mechanism) for ratio in POSTERIORS) == expected


def test_bounds_on_posteriors_and_noiseless_privacy_imply_each_other():
    source = random.Random(12)
    for k in range(150):
        records = (0, 1) if k % 3 else ("a", "b", "c")
        world, mechanism = random_pair(source, records=records)
        noiseless = np_ratio(world, mechanism)
        posterior, raised, membership = (ratio(world, mechanism) for ratio in POSTERIORS)
        assert raised <= posterior <= membership <= noiseless <= posterior**2


def test_families_and_targets_are_those_of_the_other_definitions():
    one, other = bits([F(1, 4), HALF]), bits([HALF, HALF], knowledge=[1])
    for ratio in POSTERIORS:
        assert ratio([one, other], total) == max(ratio(one, total), ratio(other, total))
        assert ratio(one, identity, [1]) == (
            2 if ratio is posteriors.adversarial_ratio else math.inf
        )
        assert ratio(one, identity, [lambda d: 0]) == 1
        with pytest.raises(ValueError, match="target"):
            ratio(one, total, [2])
        with pytest.raises(ValueError, match="world"):
            ratio([], total)
        with pytest.raises(ValueError, match="targets must be at least one"):
            ratio(one, identity, iter([]))


def test_the_mechanism_is_called_once_for_each_database():
    world = bits([HALF] * 3, knowledge=[2])
    for ratio in POSTERIORS:
        asked = []
        ratio(world, lambda d, asked=asked: asked.append(d) or sum(d))
        assert sorted(asked) == list(world.databases)


def test_pufferfish_with_values_of_records_as_secrets_is_noiseless_privacy():
    source = random.Random(13)
    for k in range(120):
        records = (0, 1) if k % 3 else ("a", "b", "c")
        world, mechanism = random_pair(source, records=records)
        pairs = [
            (lambda d, i=i, a=a: d[i] == a, lambda d, i=i, b=b: d[i] == b)
            for i in range(2)
            for a, b in product(records, repeat=2)
            if a < b
        ]
        assert posteriors.pufferfish_ratio(world, mechanism, pairs) == np_ratio(world, mechanism)


def test_pufferfish_protects_any_secret():
    fair = bits([HALF] * 3)
    agree, differ = (lambda d: d[0] == d[1]), (lambda d: d[0] != d[1])
    assert posteriors.pufferfish_ratio(fair, total, [(agree, differ)]) == math.inf
    assert posteriors.pufferfish_ratio(fair, parity, [(agree, differ)]) == 1
    assert np_ratio(fair, total, [agree]) == math.inf
    with pytest.raises(ValueError, match="secrets that exclude each other"):
        posteriors.pufferfish_ratio(fair, total, [(agree, agree)])
    # One pair that is wrong is refused whatever comes before it.
    with pytest.raises(ValueError, match="secrets that exclude each other"):
        posteriors.pufferfish_ratio(fair, total, [(agree, differ), (agree, agree)])
    with pytest.raises(ValueError, match="pairs must be at least one, got none"):
        posteriors.pufferfish_ratio(fair, total, iter([]))
    with pytest.raises(TypeError, match="pairs must be of two callables each"):
        posteriors.pufferfish_ratio(fair, total, [(agree, 1)])
    # A secret that is impossible, or sure, has nobody to be told from.
    assert posteriors.pufferfish_ratio(fair, identity, [(agree, lambda d: False)]) == 1


# --------------------------------------------------------------------------------------------
# Attackers, strong and weak
# --------------------------------------------------------------------------------------------


def test_differential_privacy_is_privacy_against_whoever_knows_all_others():
    source = random.Random(14)
    for _ in range(100):
        _, mechanism = random_pair(source)
        world = bits([F(source.randint(1, 7), 8) for _ in range(2)])  # every database is possible
        worst = max(np_ratio(world.knowing([1 - i]), mechanism, [i]) for i in (0, 1))
        assert worst == dp_ratio(mechanism, (0, 1), 2)


def test_a_weaker_attacker_needs_less_noise_or_none():
    fair = bits([HALF] * 5)
    assert dp_ratio(total, (0, 1), 5) == math.inf
    deltas = [apk_delta(fair.knowing(range(5 - k, 5)), total, 2, [0]) for k in range(5)]
    assert deltas == sorted(deltas)
    assert deltas[0] < deltas[-1] == 1


def test_who_knows_less_needs_less_noise():
    # The least k for which the count plus a uniform number of 0…k has δ <= 1/8 at e^ε = 2.
    fair = bits([HALF] * 5)

    def noisy(k):
        return lambda votes: {sum(votes) + z: F(1, k + 1) for z in range(k + 1)}

    least = [
        next(
            k
            for k in range(20)
            if apk_delta(fair.knowing(range(1, 1 + known)), noisy(k), 2, [0]) <= F(1, 8)
        )
        for known in range(5)
    ]
    assert least == sorted(least)
    assert least[0] < least[-1] == 7  # who knows all others: δ = 1/(k+1)


def test_one_per_cent_of_ten_million_are_a_hundred_thousand():
    assert 10_000_000 - 99 * 10_000_000 // 100 == 100_000


def test_the_referendum_is_private_without_noise():
    profile = counting.worst_case(10_000_000, 0.1, known=9_900_000)
    assert 0.05 < profile.epsilon(1e-10) < 0.06
    # The noise of the same guarantee against whoever knows all others: not much here, either.
    eps = profile.epsilon(1e-10)
    assert 24 < 1 / (math.sqrt(2) * math.sinh(eps / 2)) < 25
    assert counting.worst_case(10_000_000, 0.1, known=9_999_999).delta(100.0) == 1


def test_the_referendum_needs_voters_who_are_independent():
    # Of ten couples who vote alike every count is even: the odd target is read off.
    couples = copied({0: HALF, 1: HALF}, groups=4)
    masses = {
        ((target, *database), ()): mass * HALF
        for (database, _), mass in couples.masses.items()
        for target in (0, 1)
    }
    assert np_ratio(World(masses), total, [0]) == math.inf
    assert apk_delta(World(masses), total, 10**9, [0]) == 1


# --------------------------------------------------------------------------------------------
# Several mechanisms
# --------------------------------------------------------------------------------------------


def test_two_counts_together_give_all_away_or_no_more_than_the_sum():
    five = bits([HALF] * 5)

    def others(votes):
        return sum(votes[1:])

    def left(votes):
        return sum(votes[:3])

    def right(votes):
        return votes[0] + sum(votes[3:])

    alone = [apk_delta(five, m, 2, [0]) for m in (total, others, left, right)]
    assert alone == [F(3, 16), 0, F(1, 4), F(1, 4)]
    assert apk_delta(five, compose(total, others), 10**9, [0]) == 1
    assert composition.nu(five, total, others, 1, [0]) == F(15, 16)
    # The two crowds share nothing but the target.
    assert composition.nu(five, left, right, 1, [0]) == 0
    assert apk_delta(five, compose(left, right), 4, [0]) == F(7, 16) <= sum(alone[2:])


# --------------------------------------------------------------------------------------------
# Correlations
# --------------------------------------------------------------------------------------------


def near(centre):
    return {centre: F(9, 10), -centre: F(1, 10)}


def noisy_majority(database):
    """The sign of most, told by randomized response."""
    sign = majority(database)
    return {sign: F(3, 4), -sign: F(1, 4)}


def example_1(*, reveal):
    """A finite stand-in: records near a centre that is hidden or known."""
    return hidden_parameter({-1: HALF, 1: HALF}, near, 3, reveal=reveal)


def test_all_of_them_call_the_ignorant_attacker_the_stronger_one():
    hidden, known = (example_1(reveal=reveal) for reveal in (False, True))
    values = [
        (ratio(hidden, noisy_majority), ratio(known, noisy_majority))
        for ratio in (np_ratio, *POSTERIORS)
    ]
    assert values == [
        (F(141, 59), F(23, 17)),
        (F(100, 59), F(115, 88)),
        (F(141, 100), F(115, 88)),
        (F(100, 59), F(115, 88)),
    ]
    assert all(hidden_one > known_one for hidden_one, known_one in values)


def test_all_of_them_miss_what_a_changed_record_would_show():
    twins = copied({0: HALF, 1: HALF}, groups=1)
    for ratio in (np_ratio, *POSTERIORS):
        assert ratio(twins, parity) == 1
    assert cdp_ratio(twins, parity) == math.inf


def test_all_of_them_count_every_copy_of_a_record():
    twins, asked = copied({0: HALF, 1: HALF}, groups=1), make_randomized_response(HALF)
    values = [ratio(twins, asked) for ratio in (np_ratio, *POSTERIORS)]
    assert values == [9, 5, F(9, 5), 5]
    assert cdp_ratio(twins, asked) == 3
    alone = [ratio(bits([HALF]), asked) for ratio in (np_ratio, *POSTERIORS)]
    assert alone == [3, 2, F(3, 2), 2]


def test_a_very_revealing_mechanism_passes_for_private():
    twins = copied({0: HALF, 1: HALF}, groups=2)
    assert ddp_ratio(twins, identity).upper == 1
    assert np_ratio(twins, identity) == math.inf
    # A bound on how far a belief may rise is never infinite, and lets the identity pass for ln 2.
    assert posteriors.adversarial_ratio(twins, identity) == 2


def test_the_printed_criterion_does_not_make_the_definitions_agree():
    def xor(database):
        return database[0] ^ database[1]

    world = bits([HALF, HALF]).knowing(xor)
    assert world.is_acceptable(0)
    assert not target_is_independent(world, 0)
    assert np_ratio(world, xor, [0]) == 1
    assert cdp_ratio(world, xor, [0]) == math.inf


@pytest.mark.slow
def test_under_the_criterion_noiseless_privacy_bounds_what_is_learnt_of_the_record():
    """The largest change of the odds of two values, by Bayes' rule; none is impossible."""
    source = random.Random(54)
    compared = 0
    while compared < 200:
        world = enumeration.random_world(source, 2, (0, 1), knowledge=2)
        if not world.is_acceptable(0) or len(world.law_of(0)) < 2:
            continue
        compared += 1
        prior = {}
        for (database, seen), mass in world.masses.items():
            prior[seen, database[0]] = prior.get((seen, database[0]), F(0)) + mass
        known = {seen for seen, _ in prior}
        # Every value of the knowledge leaves every value of the record possible.
        assert all(prior.get((seen, a), F(0)) > 0 for seen in known for a in world.law_of(0))
        _, mechanism = random_pair(source)
        after = {}
        for database, seen, output, mass in joint_law(world, mechanism):
            key = seen, output, database[0]
            after[key] = after.get(key, F(0)) + mass
        change = F(1)
        for seen, output in {key[:2] for key in after}:
            odds = {a: after.get((seen, output, a), F(0)) / prior[seen, a] for a in world.law_of(0)}
            low, high = min(odds.values()), max(odds.values())
            change = max(change, high / low if low else math.inf)
        assert np_ratio(world, mechanism, [0]) == change


def test_independence_excludes_copies_and_hidden_parameters():
    twins, triple = (copied({0: HALF, 1: HALF}, groups=1, copies=k) for k in (2, 3))
    for world in (twins, triple, example_1(reveal=False)):
        assert world.is_acceptable(0)
        assert not target_is_independent(world, 0)


def test_records_independent_of_the_others_make_the_definitions_agree():
    source = random.Random(15)
    for _ in range(120):
        _, mechanism = random_pair(source)
        target, rest = (
            enumeration.random_world(source, 1, (0, 1), knowledge=knowledge) for knowledge in (1, 2)
        )
        masses = {
            ((one[0], other[0]), seen): p * q
            for (one, _), p in target.masses.items()
            for (other, seen), q in rest.masses.items()
        }
        world = World(masses, (0, 1))
        assert target_is_independent(world, 0)
        if len(world.law_of(0)) == 2:
            assert np_ratio(world, mechanism, [0]) == cdp_ratio(world, mechanism, [0])


# --------------------------------------------------------------------------------------------
# Passive and active attackers
# --------------------------------------------------------------------------------------------


def told_if_known(database):
    """The first record, if the second is 1."""
    return database[0] if database[1] else None


def test_none_of_them_sees_how_lucky_the_attacker_must_be():
    lucky, unlucky = (bits([HALF, p]).knowing([1]) for p in (HALF, F(1, 100)))
    for ratio in (np_ratio, *POSTERIORS):
        assert ratio(lucky, told_if_known, [0]) == ratio(unlucky, told_if_known, [0])
    assert apk_delta(lucky, told_if_known, 2, [0]) == apk_delta(unlucky, told_if_known, 2, [0]) == 1
    assert ppk_delta(lucky, told_if_known, 2, [0]) == HALF
    assert ppk_delta(unlucky, told_if_known, 2, [0]) == F(1, 100)


def test_what_is_active_does_not_depend_on_the_law_of_the_knowledge():
    source = random.Random(16)
    seen_to_differ = False
    for _ in range(80):
        world, mechanism = random_pair(source)
        if len(world.knowledge) < 2:
            continue
        share = {0: F(source.randint(1, 9), 10)}
        share[1] = 1 - share[0]
        before = {b: world.probability(lambda _, k, b=b: k == b) for b in (0, 1)}
        other = World(
            {(d, b): mass / before[b] * share[b] for (d, b), mass in world.masses.items()},
            world.records,
        )
        for ratio in (np_ratio, *POSTERIORS):
            assert ratio(world, mechanism) == ratio(other, mechanism)
        assert apk_delta(world, mechanism, 2) == apk_delta(other, mechanism, 2)
        try:
            passive = [ppk_delta(w, mechanism, 2) for w in (world, other)]
        except ValueError:  # some knowledge excludes a value
            continue
        assert max(passive) <= apk_delta(world, mechanism, 2)
        seen_to_differ |= passive[0] != passive[1]
    assert seen_to_differ


def test_of_a_count_an_active_attacker_learns_no_more_than_a_passive_one():
    world = bits([F(1, 3), F(1, 4), HALF, F(1, 5)], knowledge=[2, 3])
    for E in (F(1), F(3, 2), F(4)):
        assert apk_delta(world, total, E, [0]) == ppk_delta(world, total, E, [0])


def test_a_threshold_hides_a_rare_record_from_a_passive_attacker_only():
    rare = bits([F(1, 100)] * 8, knowledge=(5, 6, 7))
    suppressed = make_threshold(2)
    count_deltas = [delta(rare, total, 2, [0]) for delta in (apk_delta, ppk_delta)]
    assert count_deltas[0] == count_deltas[1] > F(96, 100)
    assert ppk_delta(rare, suppressed, 2, [0]) < F(1, 500)
    assert apk_delta(rare, suppressed, 2, [0]) == count_deltas[0]


def test_counts_have_smaller_bounds_than_before():
    # What could be said before is here in its corrected form, which is larger than the printed.
    for n in (1000, 100_000):
        before = counting.berry_esseen([0.1] * (n - 1))
        now = counting.worst_case(n, 0.1)
        assert now.delta(0.9) < before.delta(0.9) / 1000
        assert published.theorem_3_closed_form(10**5, 0.1).delta(0.9) < before.delta(0.9) / 1000


def test_a_table_without_small_counts_is_private_under_partial_knowledge():
    # Four records, each rarely "r", more often "c", or else in no count; counts of 1 are left out.
    lam, rho, k = F(1, 4), F(1, 10), 2
    mechanism = kanonymity.make_truncated_histogram(["c", "r"], k=k)
    for law in (
        {"c": lam, "r": rho, None: 1 - lam - rho},
        {"c": HALF, "r": rho, None: 1 - HALF - rho},
        {"c": 1 - lam - rho, "r": rho, None: lam},
        {"c": 1 - lam, None: lam},
    ):
        world = independent([law] * 4)
        for E in (F(1), F(2), F(5)):
            bound = kanonymity.theorem_5(4, lam, k=k, rare=rho).delta(math.log(E))
            assert 0 < float(apk_delta(world, mechanism, E)) <= bound
            assert apk_delta(world, mechanism, E) < apk_delta(world, identity, E) == 1


def test_which_small_counts_to_leave_out_depends_on_the_data():
    # As on the page: ten thousand people, rare values below 1/1000, common ones above 1/20.
    least = {
        k: kanonymity.theorem_5(10_000, 0.05, k=k, rare=0.001).epsilon(1e-6)
        for k in (5, 20, 30, 40)
    }
    assert least[5] == least[20] == math.inf
    assert 0.24 < least[40] < least[30] < 0.27
    crowd = counting.blanket(10_000, 0.05).epsilon(1e-6)
    assert crowd == pytest.approx(least[40], rel=1e-6)
