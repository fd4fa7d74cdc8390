"""Several answers and several queries, against whole databases in exact rationals."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting, published
from tests.oracles import counts as oracles

F = Fraction
ratios = st.integers(8, 40).map(lambda i: F(i, 8))
small_lams = st.sampled_from([F(1, 32), F(1, 8), F(3, 16), F(1, 4)])
sixteenths = st.integers(0, 16).map(lambda i: F(i, 16))


@st.composite
def shares(draw, categories, least=0):
    """A probability vector whose entries are at least `least`."""
    cuts = sorted(draw(st.lists(sixteenths, min_size=categories - 1, max_size=categories - 1)))
    steps = [b - a for a, b in zip([F(0), *cuts], [*cuts, F(1)], strict=True)]
    return tuple(least + (1 - categories * least) * step for step in steps)


def bit(p):
    return {1: F(p), 0: 1 - F(p)}


# --------------------------------------------------------------------------------------------
# The tally and differential privacy
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("E", [F(1), F(3, 2), F(10**9)])
@pytest.mark.parametrize("probabilities", [[F(1, 2)] * 3, [F(1, 10), F(9, 10), F(1, 3)]])
def test_whoever_knows_all_others_learns_everything(probabilities, E):
    others = [1, 2]
    assert oracles.active_delta(probabilities, 0, others, E) == 1
    assert oracles.passive_delta(probabilities, 0, others, E) == 1
    eps = math.log(E)
    assert counting.worst_case(3, 0.1, known=2).delta(eps) == 1.0
    assert counting.histogram(3, 0.1, categories=3, known=2).delta(eps) == 1.0


# --------------------------------------------------------------------------------------------
# Corollary 1
# --------------------------------------------------------------------------------------------


CASES = [
    (3, 1, F(1, 3)),
    (3, 2, F(1, 5)),
    (3, 4, F(1, 10)),
    (3, 4, F(1, 3)),
    (3, 5, F(1, 4)),
    (4, 2, F(1, 10)),
    (4, 3, F(1, 4)),
    (4, 4, F(1, 8)),
    (5, 2, F(1, 5)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("categories", "N", "lam"), CASES)
def test_for_three_or_more_categories_the_worst_case_is_the_blanket(categories, N, lam):
    for E in (F(1), F(5, 4), F(2), F(7)):
        worst = oracles.worst_histogram_delta(N, lam, categories, E)
        assert worst == oracles.blanket_delta(N, lam, E)


@pytest.mark.slow
@pytest.mark.parametrize(("categories", "N", "lam"), CASES)
def test_histogram_agrees_with_the_worst_vertex(categories, N, lam):
    # Shares that floats hold exactly, as near as they come.
    lam = min(F(round(lam * 64), 64), F(1, 4) if categories < 5 else F(1, 8))
    profile = counting.histogram(N + 1, float(lam), categories=categories)
    assert profile.status == "exact"
    for eps in (0.0, 0.25, 1.0, 3.0):
        truth = oracles.worst_histogram_delta(N, lam, categories, F(math.exp(eps)))
        assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-12)


@given(
    st.integers(3, 4).flatmap(
        lambda k: st.tuples(st.just(k), st.lists(shares(k), min_size=1, max_size=4))
    ),
    small_lams,
    ratios,
)
def test_no_histogram_exceeds_the_blanket_with_at_least_lam_on_the_target_s_values(case, lam, E):
    # Whatever the other values have, even nothing: only the target's two need lam.
    categories, records = case
    floor = [lam, lam] + [F(0)] * (categories - 2)
    shifted = [
        tuple(low + (1 - 2 * lam) * share for low, share in zip(floor, record, strict=True))
        for record in records
    ]
    delta = oracles.histogram_delta(shifted, 0, 1, E)
    assert delta <= oracles.blanket_delta(len(records), lam, E)


@given(st.lists(shares(3), max_size=3), shares(3), shares(3), sixteenths, ratios)
def test_delta_of_a_histogram_is_convex_in_each_record_s_shares(others, one, other, weight, E):
    def delta(share):
        return oracles.histogram_delta([*others, share], 0, 2, E)

    between = tuple(weight * a + (1 - weight) * b for a, b in zip(one, other, strict=True))
    assert delta(between) <= weight * delta(one) + (1 - weight) * delta(other)


def test_two_categories_are_strictly_better_than_three():
    N, lam, E = 3, F(1, 5), F(3, 2)
    assert oracles.worst_histogram_delta(N, lam, 2, E) == oracles.worst_delta(N, lam, E)
    assert oracles.worst_histogram_delta(N, lam, 2, E) == F(64, 125)
    assert oracles.worst_histogram_delta(N, lam, 3, E) == F(14, 25)


def test_more_than_three_categories_change_nothing():
    three, seven = (counting.histogram(1000, 0.1, categories=k, known=5) for k in (3, 7))
    assert three == seven


@pytest.mark.parametrize("categories", [2, 3, 10])
@pytest.mark.parametrize(("n", "lam"), [(10**3, 0.1), (10**4, 0.02), (10**6, 0.001)])
def test_the_closed_form_of_corollary_1_is_never_below_the_truth(n, lam, categories):
    truth = counting.histogram(n, lam, categories=categories)
    closed = published.theorem_3_closed_form(n, lam)
    least = 27 / (lam * (n - 1))
    assert least < 1
    for eps in np.geomspace(least * (1 + 1e-12), 1.0, 9):
        assert truth.log_delta(float(eps)) <= closed.log_delta(float(eps)) < 0


@pytest.mark.parametrize("categories", [2, 3, 5])
def test_a_randomised_response_over_all_categories_leaves_the_same_two_counts(categories):
    # With probability K*lam a record is uniform over all K categories, otherwise its owner's
    # choice. Those that came out by chance are counted, in the target's two categories.
    lam = F(1, 2 * categories)
    coin = dict.fromkeys(range(categories), lam) | {"own choice": 1 - categories * lam}
    law = {}
    for coins in product(coin, repeat=3):
        key = coins.count(0), coins.count(1)
        chance = coin[coins[0]] * coin[coins[1]] * coin[coins[2]]
        law[key] = law.get(key, F(0)) + chance
    truth = oracles.trinomial(3, lam)
    assert law == {key: mass for key, mass in truth.items() if mass}


@pytest.mark.slow
@pytest.mark.parametrize("lam", [0.02, 0.1, 0.3])
def test_the_third_category_costs_a_factor_that_tends_to_the_root_of_two_less_two_lam(lam):
    limit = math.sqrt(2 * (1 - lam))

    def factor(n, profile, log_delta):
        two, three = (profile(n, lam, categories=k).epsilon(log_delta=log_delta) for k in (2, 3))
        return three / two

    for n, rtol in ((10**6, 2e-2), (10**8, 2e-3)):
        exact = factor(n, counting.histogram, math.log(0.01 / n))
        assert limit < exact < 1.02 * limit
        # As the normal approximation has it, which tends to the limit as delta falls.
        approximate = [
            factor(n, counting.gaussian_limit, log_delta)
            for log_delta in (math.log(0.01 / n), -200.0, -2000.0, -20_000.0)
        ]
        assert exact == pytest.approx(approximate[0], rel=rtol)
        gaps = [abs(value - limit) for value in approximate]
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[-1] < 1e-3


# --------------------------------------------------------------------------------------------
# Noiseless mechanisms do not compose
# --------------------------------------------------------------------------------------------


def all_voters(database):
    return sum(database)


def all_but_the_target(database):
    return sum(database[1:])


@given(st.lists(sixteenths.map(bit), min_size=1, max_size=4), ratios)
def test_two_counts_that_are_private_alone_give_the_target_away_together(others, E):
    def both(database):
        return all_voters(database), all_but_the_target(database)

    alone = oracles.release_delta(1, 0, others, all_voters, E)
    assert alone == oracles.count_delta([other[1] for other in others], E)
    assert oracles.release_delta(1, 0, others, all_but_the_target, E) == 0
    assert oracles.release_delta(1, 0, others, both, E) == 1


# --------------------------------------------------------------------------------------------
# New users only
# --------------------------------------------------------------------------------------------

PARTS = [((0, 1, 2), (3, 4)), ((0,), (1, 2), (3, 4)), ((0, 1), (2,), (3, 4))]


@pytest.mark.parametrize("parts", PARTS)
@given(st.lists(sixteenths.map(bit), min_size=4, max_size=4), ratios)
def test_counts_over_other_users_add_nothing_to_the_target_s_own(parts, others, E):
    def counts(database):
        return tuple(sum(database[user] for user in part) for part in parts)

    def cumulative(database):
        return tuple(np.cumsum(counts(database)).tolist())

    joint = oracles.release_delta(1, 0, others, counts, E)
    # The target is user 0, in the first query.
    assert joint == oracles.count_delta([others[user - 1][1] for user in parts[0][1:]], E)
    assert oracles.release_delta(1, 0, others, cumulative, E) == joint


@given(st.lists(sixteenths.map(bit), min_size=3, max_size=3), sixteenths.map(bit), ratios)
def test_dependence_within_another_query_does_not_matter(others, shared, E):
    # The second query counts one answer three times: the target is not among those.
    def counts(database):
        return sum(database[:4]), 3 * database[4]

    joint = oracles.release_delta(1, 0, [*others, shared], counts, E)
    assert joint == oracles.count_delta([other[1] for other in others], E)


def counted_twice(first, second, E):
    """Delta of the joint release of two counts that share the target and nobody else."""

    def counts(database):
        target, *others = database
        return target + sum(others[: len(first)]), target + sum(others[len(first) :])

    return oracles.release_delta(1, 0, [bit(p) for p in (*first, *second)], counts, E)


def test_to_count_the_target_again_reveals_more():
    half = [F(1, 2)] * 3
    for E, alone, joint in ((F(1), F(3, 8), F(35, 64)), (F(2), F(1, 4), F(7, 16))):
        assert oracles.count_delta(half, E) == alone
        assert counted_twice(half, half, E) == joint


@given(
    st.lists(sixteenths, min_size=1, max_size=3),
    st.lists(sixteenths, min_size=1, max_size=2),
    ratios,
)
def test_queries_that_count_the_target_with_fresh_users_compose(first, second, E):
    # Basic composition, at the square of the ratio: eps and delta add up.
    joint = counted_twice(first, second, E * E)
    assert joint <= oracles.count_delta(first, E) + oracles.count_delta(second, E)


@pytest.mark.parametrize(("new", "known"), [([50, 8, 300], 0), ([50, 8, 300], [48, 2, 10])])
def test_new_users_is_the_worst_case_of_the_smallest_crowd(new, known):
    profile = counting.new_users(new, 0.2, known=known)
    assert profile.status == "exact"
    informed = np.broadcast_to(known, len(new))
    each = [
        counting.worst_case(size, 0.2, known=int(k)) for size, k in zip(new, informed, strict=True)
    ]
    for eps in (0.0, 0.5, 2.0):
        worst = max(one.log_delta(eps) for one in each)
        assert profile.log_delta(eps) == pytest.approx(worst, rel=2e-8)


def test_a_query_about_one_new_user_reveals_them():
    assert counting.new_users([1000, 1], 0.2).delta(30.0) == 1.0
    assert counting.new_users([1000, 7], 0.2, known=[0, 6]).delta(30.0) == 1.0


# --------------------------------------------------------------------------------------------
# Several binary queries about the same users
# --------------------------------------------------------------------------------------------

HISTORIES = list(product((0, 1), repeat=2))


def daily_counts(database):
    return tuple(sum(day) for day in zip(*database, strict=True))


@given(st.lists(shares(4, F(1, 16)), min_size=1, max_size=3), st.permutations(HISTORIES), ratios)
def test_daily_counts_reveal_no_more_than_the_histogram_of_histories(users, pair, E):
    one, other = pair[:2]
    others = [dict(zip(HISTORIES, share, strict=True)) for share in users]
    counts = oracles.release_delta(one, other, others, daily_counts, E)
    histogram = oracles.release_delta(one, other, others, oracles.tally_of(HISTORIES), E)
    assert counts <= histogram <= oracles.blanket_delta(len(users), F(1, 16), E)


def test_daily_counts_can_reveal_strictly_less():
    others = [dict.fromkeys(HISTORIES, F(1, 4))] * 3
    histogram = oracles.tally_of(HISTORIES)
    table = {
        # the other history and the ratio: by the daily counts, by the histogram
        ((0, 1), F(3, 2)): (F(5, 16), F(63, 128)),
        ((1, 1), F(3, 2)): (F(63, 128), F(63, 128)),
        ((0, 1), F(3)): (F(1, 8), F(27, 64)),
        ((1, 1), F(3)): (F(21, 64), F(27, 64)),
    }
    for (other, E), deltas in table.items():
        assert deltas == (
            oracles.release_delta((0, 0), other, others, daily_counts, E),
            oracles.release_delta((0, 0), other, others, histogram, E),
        )


def markov(start, switch, days):
    """The law of a history whose answer changes from day to day with probability `switch`."""
    law = {}
    for history in product((0, 1), repeat=days):
        chance = start if history[0] else 1 - start
        for before, after in pairwise(history):
            chance *= switch if before != after else 1 - switch
        law[history] = chance
    return law


@pytest.mark.parametrize("days", [2, 3])
def test_binary_queries_bound_the_counts_of_users_who_follow_a_chain(days):
    law = markov(F(1, 2), F(1, 4), days)
    assert sum(law.values()) == 1
    least = min(law.values())
    profile = counting.binary_queries(4, [float(mass) for mass in law.values()])
    assert profile.status == "upper bound"
    for eps in (0.0, 0.5, 2.0):
        E = F(math.exp(eps))
        assert profile.delta(eps) == pytest.approx(float(oracles.blanket_delta(3, least, E)))
        for one in law:
            if one < (0,) * days:
                continue
            delta = oracles.release_delta(one, (0,) * days, [law] * 3, daily_counts, E)
            assert float(delta) <= profile.delta(eps) * (1 + 1e-12)


@pytest.mark.parametrize(("days", "switch"), [(2, F(1, 4)), (3, F(1, 4)), (3, F(1, 10))])
def test_counts_hide_a_rare_history_behind_common_differences(days, switch):
    # From one zigzag to the other, day by day; each step is also one between two histories that
    # change once at most.
    law = markov(F(1, 2), switch, days)
    zigzag = tuple(day % 2 for day in range(days))
    zagzig = tuple(1 - answer for answer in zigzag)
    common = min(law[(1,) * k + (0,) * (days - k)] for k in range(days + 1))
    users = 3
    for E in (F(11, 10), F(3, 2), F(4)):
        step = oracles.blanket_delta(users, common, E)
        bound = sum(E**i for i in range(days)) * step
        truth = oracles.release_delta(zigzag, zagzig, [law] * users, daily_counts, E**days)
        assert truth <= bound


def test_counts_can_be_private_where_the_histogram_is_not():
    users, eps = 100, 2.0
    law = markov(F(1, 2), F(1, 10), 3)
    one_user = np.array([float(law[h]) for h in product((0, 1), repeat=3)]).reshape(2, 2, 2)
    size = (users + 2,) * 3
    counts = np.fft.ifftn(np.fft.fftn(one_user, size, (0, 1, 2)) ** users).real
    one, other = (np.roll(counts, h, axis=(0, 1, 2)) for h in ((0, 1, 0), (1, 0, 1)))
    delta = max(
        np.maximum(a - math.exp(eps) * b, 0.0).sum() for a, b in ((one, other), (other, one))
    )
    histogram = counting.blanket(users + 1, float(law[0, 1, 0])).delta(eps)
    assert delta < 0.02
    assert histogram > 0.5


@given(st.integers(1, 3), sixteenths, ratios)
def test_days_that_repeat_each_other_are_one_query(others, p, E):
    # Every user gives the same answer three times: two of the eight histories.
    laws = [{(1, 1, 1): p, (0, 0, 0): 1 - p}] * others
    delta = oracles.release_delta((1, 1, 1), (0, 0, 0), laws, daily_counts, E)
    assert delta == oracles.count_delta([p] * others, E)


def test_a_history_that_nobody_else_can_have_gives_the_target_away():
    laws = [{(1, 1): F(1, 2), (0, 0): F(1, 2)}] * 3
    delta = oracles.release_delta((0, 1), (0, 0), laws, daily_counts, F(10**9))
    assert delta == 1


def test_one_day_is_a_count_and_independent_fair_days_have_one_share():
    assert counting.binary_queries(100, [0.3, 0.4]).log_delta(0.5) == counting.worst_case(
        100, 0.3
    ).log_delta(0.5)
    for days in (2, 3, 6):
        fair = counting.binary_queries(10_000, np.full((2,) * days, 0.5**days))
        assert fair.log_delta(0.5) == counting.blanket(10_000, 0.5**days).log_delta(0.5)
        known = counting.binary_queries(10_000, np.full(2**days, 0.5**days), known=9000)
        assert known.log_delta(0.5) == counting.blanket(1000, 0.5**days).log_delta(0.5)


@pytest.mark.parametrize("n", [2, 3, 100, 10**6])
def test_rounding_of_the_histories_lets_no_bound_slip_below_the_truth(n):
    # Lower bounds above 1/4 each cannot all be true; a hair is forgiven, and brings no gain.
    for days in (1, 2, 3):
        fair = 0.5**days
        truth = counting.worst_case(n, fair) if days == 1 else counting.blanket(n, fair)
        for excess in (0.0, 1e-16, 1e-13, 2e-10 if days == 2 else 1e-12):
            bound = counting.binary_queries(n, [fair + excess] * 2**days)
            for eps in (0.0, 0.01, 0.5, 2.0, 10.0):
                assert bound.log_delta(eps) >= truth.log_delta(eps)


# --------------------------------------------------------------------------------------------
# What breaks
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outliers", [1, 2])
def test_an_outlier_costs_at_most_one_record(outliers):
    lam = F(1, 8)
    grid = [F(i, 8) for i in range(9)]
    inside = [lam, F(1, 2), 1 - lam]
    for E in (F(1), F(5, 4), F(3)):
        # At most that of the others alone, and that is reached where the outliers are certain.
        limit = oracles.worst_delta(3, lam, E)
        worst = max(
            oracles.count_delta([*far, *near], E)
            for far in combinations_with_replacement(grid, outliers)
            for near in combinations_with_replacement(inside, 3)
        )
        assert worst == limit


@given(st.integers(1, 4), sixteenths, ratios)
def test_if_everybody_else_lives_in_pairs_the_parity_tells(households, p, E):
    pairs = [{2: p, 0: 1 - p}] * households
    assert oracles.release_delta(1, 0, pairs, sum, E) == 1


@given(
    st.lists(sixteenths, max_size=3),
    st.lists(st.tuples(sixteenths, st.sampled_from([2, 3])), max_size=3),
    ratios,
)
def test_households_hide_no_worse_than_if_they_were_known(singles, households, E):
    others = [bit(p) for p in singles] + [{size: p, 0: 1 - p} for p, size in households]
    assert oracles.release_delta(1, 0, others, sum, E) <= oracles.count_delta(singles, E)


@given(st.lists(sixteenths, max_size=4), ratios)
def test_a_target_in_a_pair_among_pairs_is_a_target_among_half_as_many(households, E):
    pairs = [{2: p, 0: 1 - p} for p in households]
    assert oracles.release_delta(2, 0, pairs, sum, E) == oracles.count_delta(households, E)
