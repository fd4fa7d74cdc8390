"""What sentences of advice leave out would cost: a number for each condition that they state."""

from fractions import Fraction
from itertools import product
from math import ceil, exp, inf, log, sqrt
from random import Random

import numpy as np
import pytest
from scipy.special import ive
from scipy.stats import binom

from pkdp import (
    background,
    counting,
    definitions,
    figures,
    kanonymity,
    mechanisms,
    noise,
    published,
    thresholding,
    worlds,
)
from pkdp.figures.partial_knowledge import beliefs, decisions, microdata
from pkdp.partial_knowledge import dependence, dependent_counts, suppressed_tables
from tests import answers

pytestmark = pytest.mark.page

F = Fraction
HALF = F(1, 2)


def excess(P, Q, E):
    """H_E(P ‖ Q) of two laws given as dictionaries."""
    return sum(max(0, mass - E * Q.get(x, 0)) for x, mass in P.items())


def moved(n, p, step=0, hidden=-1):
    """The masses of step + Bin(n, p); counts up to `hidden` are one symbol."""
    masses = np.zeros(n + 13)
    masses[step : step + n + 1] = binom.pmf(np.arange(n + 1), n, p)
    return np.concatenate([[masses[: hidden + 1].sum()], masses[hidden + 1 :]])


def both(P, Q, eps):
    """The least δ of both directions."""
    return max(np.maximum(A - exp(eps) * B, 0).sum() for A, B in ((P, Q), (Q, P)))


# --------------------------------------------------------------------------------------------
# What δ bounds
# --------------------------------------------------------------------------------------------


def random_law(source, size):
    weights = [source.choice((0, 0, 1, 2, 3, 50)) for _ in range(size)]
    weights[source.randrange(size)] += 1
    return {x: F(w, sum(weights)) for x, w in enumerate(weights) if w}


def test_a_larger_rise_of_the_odds_is_as_rare_as_delta_bounds():
    source, met = Random(38), 0
    for _ in range(2000):
        P, Q = (random_law(source, 5) for _ in range(2))
        E, more = (1 + F(source.randrange(1, 40), 10) for _ in range(2))
        delta = excess(P, Q, E)
        rises = sum(mass for x, mass in P.items() if mass > E * more * Q.get(x, 0))
        assert rises <= delta / (1 - 1 / more)
        met += rises > 0
    assert met > 500


def test_the_bound_on_a_rise_is_approached():
    E, more = F(2), F(3, 2)
    share = F(1, 5)
    P = {"up": share, "rest": 1 - share}
    Q = {"up": share / (E * more) - F(1, 10**9), "rest": 0}
    Q["rest"] = 1 - Q["up"]
    bound = excess(P, Q, E) / (1 - 1 / more)
    assert share <= bound < share + F(1, 10**8)


def test_a_loss_above_eps_is_far_likelier_than_delta():
    # Randomized response with odds of three to one: the example of the page.
    assert F(3, 4) - F(1, 4) * F(exp(1.09)) == pytest.approx(0.0064, abs=5e-5)
    assert log(3) > 1.09
    # The cell "Your numbers" of counting queries, all others at 1 - λ.
    eps = counting.worst_case(2_000_000, 0.05, known=1_900_000).epsilon(1e-9)
    N = 99_999
    k = np.arange(1, N + 1)  # S = k - 1 against S = k
    losses = np.log(k) - np.log(N - k + 1) + log(0.05 / 0.95)
    first = int(k[losses > eps][0])
    assert binom.sf(first - 2, N, 0.95) > 347e-9


# --------------------------------------------------------------------------------------------
# Records that depend on the target's
# --------------------------------------------------------------------------------------------


def test_two_who_agree_move_a_belief_further_than_one():
    assert background.posterior_bounds(0.1, log(3))[1] == pytest.approx(0.25)
    yes, no = F(1, 10) * F(3, 4) ** 2, F(9, 10) * F(1, 4) ** 2
    assert yes / (yes + no) == HALF  # odds times 3² from 1 : 9


def test_noise_for_one_is_k_times_eps_for_k_who_agree():
    alone = -log(0.7)
    assert noise.Geometric(0.7).profile().epsilon(1e-300) == pytest.approx(alone)
    # The mass at a far count, with all four and with none.
    assert log(0.7**96 / 0.7**100) == pytest.approx(4 * alone)


def test_a_household_of_the_target_is_not_counted_as_known():
    eps = counting.worst_case(1001, 0.1, known=3).epsilon(1e-6)
    assert eps == pytest.approx(0.484, abs=5e-4)
    assert both(moved(997, 0.9, 4), moved(997, 0.9), eps) > 0.036
    assert both(moved(997, 0.9, 4), moved(997, 0.9), 2.2) > 1e-6
    # A group without the target may be counted as known: its votes only shift the tally.
    assert both(moved(997, 0.9, 1), moved(997, 0.9), eps) <= 1e-6


def test_few_neighbours_without_doubt_hide_nobody():
    promised = dependent_counts.sparse(1001, 0.1, degree=1).epsilon(1e-6)
    assert promised == pytest.approx(0.761, abs=5e-4)
    assert dependent_counts.independent_blocks(1001, 0.1, size=2).epsilon(1e-6) == promised
    # 500 couples that always agree: the tally of the others is even.
    couples = {2 * k: mass for k, mass in enumerate(binom.pmf(np.arange(501), 500, 0.1))}
    with_one = {k + 1: mass for k, mass in couples.items()}
    assert excess(with_one, couples, exp(50)) == pytest.approx(1)


def test_a_household_of_the_target_shows_it_above_a_threshold():
    promised = binom.sf(2, 999, 1e-4)
    assert promised < 2.5e-4
    shown = binom.sf(3, 996, 1e-4)  # without the household
    assert 1 - shown > 0.99  # with the four of it, always


def test_a_club_counts_by_its_size_against_a_threshold():
    T = decisions.least_threshold(0.01, 1.0, delta=1e-6)
    assert T == 25
    # 25 who act together with probability 0.01, nobody else: 26 is shown, 25 is not.
    assert both(np.array([1.0, 0.0]), np.array([0.99, 0.01]), 30.0) >= 0.01
    assert decisions.least_threshold(0.01, 1.0, delta=1e-6, known=25) == T + 25


# --------------------------------------------------------------------------------------------
# What is meant by a number
# --------------------------------------------------------------------------------------------


def test_delta_at_zero_is_the_largest_probability_of_the_others():
    assert counting.exact([0.99]).delta(0.0) == pytest.approx(0.99)
    assert np.convolve([0.5, 0.5], [0.01, 0.99]).max() == pytest.approx(0.5)
    assert counting.exact([0.5] * 2).delta(0.0) == pytest.approx(moved(2, 0.5).max())
    assert moved(3, 0.5).max() == pytest.approx(0.375)


def test_exact_is_of_the_others_without_the_target():
    assert counting.exact([0.5] * 20).epsilon(1e-6) == pytest.approx(2.993, abs=1e-3)
    assert counting.exact([0.5] * 19).epsilon(1e-6) == inf


def test_for_given_probabilities_either_direction_may_be_worse():
    for N, p, one_to_zero, zero_to_one in (
        (100, 0.05, 2.94e-4, 0.0210),
        (1000, 0.01, 4.44e-7, 2.79e-3),
    ):
        yes, no = moved(N, p, 1, hidden=1), moved(N, p, hidden=1)
        assert np.maximum(yes - exp(1) * no, 0).sum() == pytest.approx(one_to_zero, rel=5e-3)
        assert np.maximum(no - exp(1) * yes, 0).sum() == pytest.approx(zero_to_one, rel=5e-3)
        # In the worst case over all p_j at most p it is from 1 to 0 that decides.
        worst = thresholding.worst_numbers(N + 1, p, threshold=1, eps=1.0)
        at = [moved(m, p, 1, hidden=1) for m in worst], [moved(m, p, hidden=1) for m in worst]
        found = [
            np.maximum(A - exp(1) * B, 0).sum()
            for A, B in ((at[0][0], at[1][0]), (at[1][1], at[0][1]))
        ]
        assert found[0] > found[1]


def test_an_attacker_who_has_seen_fewer_records_may_learn_more():
    much, little, none = (
        dependence.learnt_rate(*seen, others=1206).epsilon(1e-6)
        for seen in ((430, 794), (5, 7), (0, 0))
    )
    assert (round(much, 3), round(little, 2), none) == (0.344, 3.03, inf)


def test_a_level_chosen_from_equal_data_gives_two_away():
    # Six people, two villages: the page's example, with last year's data equal to this year's.
    def release(ill, chosen_from):
        rule = all(2 * sum(part) <= len(part) for part in (chosen_from[:2], chosen_from[2:]))
        if rule:
            return "by village", sum(ill[:2]), sum(ill[2:])
        return ("in all", sum(ill)) if 2 * sum(ill) <= 6 else ("nothing",)

    told = {0: {}, 1: {}}
    for target, *rest in product((0, 1), repeat=6):
        ill = (target, *rest)
        mass = F(1, 10) ** sum(rest) * F(9, 10) ** (5 - sum(rest))
        out = release(ill, ill)
        told[target][out] = told[target].get(out, 0) + mass
    sure = sum(mass for out, mass in told[1].items() if out not in told[0])
    assert sure == F(1, 10) * F(9, 10) ** 4  # at every ε


def test_six_over_root_k_is_below_the_truth():
    counts = sorted(microdata.cells(figures.load("microdata").TABLES["all four columns"]).values())
    least = suppressed_tables.least_epsilon(counts, k=20, delta=1e-6)
    assert 6 / sqrt(20) < 1.35 < 1.39 < least


def test_noiseless_privacy_given_a_copy_compares_nothing():
    twins = worlds.copied({0: HALF, 1: HALF}, groups=1)
    assert definitions.np_ratio(twins, mechanisms.identity) == inf
    knowing = worlds.copied({0: HALF, 1: HALF}, groups=1, knowledge=(1,))
    assert definitions.np_ratio(knowing, mechanisms.identity, [0]) == 1


def test_a_little_doubt_about_each_vote_is_not_enough():
    for lam, hidden in ((1e-5, False), (2e-4, False), (3e-4, True)):
        worst = counting.worst_case(10_000_000, lam, known=9_900_000)
        assert (worst.epsilon(1e-10) < inf) == hidden
        assert ((1 - lam) ** 99_999 < 1e-10) == hidden


def test_published_figure_3_is_too_small_where_an_eps_exists():
    n, lam = 1000, 0.05
    delta = 0.01 / n
    assert (1 - lam) ** (n - 1) <= delta
    assert published.figure_3(n, lam).epsilon(delta) == pytest.approx(0.542, abs=5e-4)
    assert counting.worst_case(n, lam).epsilon(delta) == pytest.approx(0.629, abs=5e-4)


# --------------------------------------------------------------------------------------------
# Tables, thresholds, samples
# --------------------------------------------------------------------------------------------


def test_a_value_between_rare_and_common_is_not_covered():
    eps = kanonymity.theorem_5(10_000, 0.05, k=30, rare=0.001).epsilon(1e-5)
    assert eps == pytest.approx(0.209, abs=5e-4)
    between = both(moved(9999, 0.003, 1, hidden=29), moved(9999, 0.003, hidden=29), eps)
    assert between > 1000 * 1e-5


def test_a_rare_value_is_hidden_up_to_delta_prime():
    assert binom.sf(18, 9999, 0.001) == pytest.approx(0.0072, abs=5e-5)
    assert 7e-7 < binom.sf(28, 9999, 0.001) < 1e-6


def test_many_records_do_not_make_the_printed_condition_safe():
    printed, truth = published.theorem_3(1001, 1e-4), counting.worst_case(1001, 1e-4)
    assert printed.delta(1.0) == pytest.approx(0.849, abs=5e-4)
    assert truth.delta(1.0) == pytest.approx(0.905, abs=5e-4)
    assert truth.delta(1.0) >= (1 - 1e-4) ** 1000 > printed.delta(1.0)


@pytest.mark.parametrize("lam", [1e-3, 0.02, 0.1, 0.3, 0.5])
def test_the_printed_condition_is_safe_where_lam_n_is_2(lam):
    N = ceil(2 / lam)
    printed, truth = published.theorem_3(N + 1, lam), counting.worst_case(N + 1, lam)
    assert printed.delta(1.0) >= 0.5 > ive(0, N * lam * (1 - lam)) >= truth.delta(0.0)
    assert ive(0, 1.0) < 0.5 < ive(0, 0.85)


def test_more_answers_cost_what_a_smaller_lambda_costs():
    few = counting.histogram(10_000, 1 / 3, categories=3).epsilon(1e-6)
    many = counting.histogram(10_000, 1 / 10, categories=10).epsilon(1e-6)
    assert counting.histogram(10_000, 1 / 10, categories=3).epsilon(1e-6) == many > 1.9 * few


def test_a_gaussian_limit_is_far_off_where_lambda_is_small():
    n, quotients = 10_000, []
    for lam in (0.1, 0.01, 0.001):
        limit = counting.gaussian_limit(n, lam).epsilon(1 / n**2)
        quotients.append(counting.worst_case(n, lam).epsilon(1 / n**2) / limit)
    assert quotients[0] < 1.05 < 1.2 < quotients[1] < quotients[2] == inf


def test_shares_of_the_votes_are_no_lambda():
    assert counting.blanket(10_000, 0.3).epsilon(1e-8) == pytest.approx(0.120, abs=5e-4)
    # Half of the others sure to vote for either: the shares are ½, and nobody is in doubt.
    assert counting.exact([0.0, 1.0], multiplicities=[5000, 4999]).delta(50.0) == 1


def test_many_records_do_not_help_a_threshold_twice_the_mean():
    for n in (100, 10_000, 1_000_000):
        delta = thresholding.exact([1 / n], threshold=2, multiplicities=[n - 1]).delta(0.0)
        assert delta == pytest.approx(binom.pmf(2, n - 1, 1 / n))
        assert delta > 0.18
    assert binom.pmf(20_000, 999_999, 0.01) < 1e-300


def test_a_threshold_of_120_has_a_tenth_of_the_delta_of_100():
    million = 10**6
    at = {T: thresholding.worst_case(million, 0.05, threshold=T).delta(0.5) for T in (100, 120)}
    assert 0.1 < million * at[100] < 0.12
    assert 0.09 < at[120] / at[100] < 0.12


def test_to_replace_a_sampled_record_costs_more_than_to_add_it():
    k, rate = 50, 0.5
    eps = kanonymity.sampled(k=k, rate=rate).epsilon(1e-6)
    assert eps == pytest.approx(0.688, abs=5e-4)

    def column(others, member):
        return (1 - rate * member) * moved(others, rate, hidden=k - 1) + (
            rate * member * moved(others, rate, 1, hidden=k - 1)
        )

    at_a = np.outer(column(68, 1), column(108, 0))
    at_b = np.outer(column(68, 0), column(108, 1))
    assert both(at_a, at_b, eps) > 2e-6


def test_a_passive_attacker_learns_more_the_more_she_knows():
    deltas = [
        thresholding.passive(1000, 0.005, threshold=20, known=known).delta(2.0)
        for known in (0, 500, 999)
    ]
    assert deltas == sorted(deltas)
    assert deltas[0] < 1e-19 < 1e-7 < deltas[-1] <= (1 + 1e-9) * binom.sf(19, 999, 0.005)


def test_an_average_correlation_is_too_kind_where_users_differ():
    # Half of the users with ρ = 0.9, half with -0.9: on average 0, and Σ is the mean of both.
    lags = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    cov = (0.9**lags + (-0.9) ** lags) / 2
    d = np.array([(j % 2) * (-1) ** (j // 2) for j in range(30)])
    assert d @ np.linalg.solve(cov, d) == pytest.approx(134, abs=1)
    assert d @ d == 15


def test_thirteen_absent_people_do_not_close_the_leak():
    # If nobody else is absent, the total tells: thirteen expected are enough for 0.001 only.
    for n in (100, 1000, 10_000):
        assert (1 - 13 / n) ** (n - 1) > 5e-7
    assert (1 - 13 / 1000) ** 999 > 1e-6


@pytest.mark.slow
def test_the_least_certain_target_need_not_be_the_worst():
    p = answers.beliefs(
        *("AER", "Affairs", lambda table: table["affairs"] > 0),
        *("age", "yearsmarried", "religiousness", "rating"),
    )
    least_certain = counting.exact(answers.without_middle(p)).epsilon(1 / 601**2)
    assert 1e-5 < beliefs.worst_target(p, 1 / 601**2).eps - least_certain < 1e-4


def test_the_target_to_leave_out_can_matter():
    assert counting.exact([0.5]).delta(0.0) == pytest.approx(0.5)
    assert beliefs.worst_target([0.5, 0.99], 0.6).eps == inf
    assert counting.exact([0.5]).epsilon(0.6) == 0
