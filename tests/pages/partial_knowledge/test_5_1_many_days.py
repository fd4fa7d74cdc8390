"""Many days, users who stay away, several questions: what follows Example 9, claim by claim."""

import math
import random
from collections import Counter
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from pkdp import counting, daily_counts, daily_profiles, figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import daily_growth
from pkdp.profiles import closed_forms
from tests.pages.partial_knowledge.daily_series import (
    BITS,
    TWO_DAYS,
    VALUES,
    F,
    chain,
    delta,
    delta_of,
    dependencies,
    differing,
    excess,
    greatest,
    least_ratio,
    markov_law,
    neighbours,
    of_one_day,
    part,
    random_law,
    released,
    sticky,
    successive,
)

pytestmark = pytest.mark.page


# --------------------------------------------------------------------------------------------
# More than two days
# --------------------------------------------------------------------------------------------

XOR = {(x, y, x ^ y): F(1, 4) for x, y in TWO_DAYS}


def test_pairwise_independent_days_to_one_who_saw_the_target():
    assert delta_of(*of_one_day([XOR] * 2, XOR, 1), F(1)) == F(1, 2)
    for first in BITS:
        pair = (first, 1, first ^ 1), (first, 0, first)
        assert delta([XOR] * 2, *pair, F(1)) == F(5, 8)


def test_pairwise_independent_days_of_people_alike_hide_one_day_as_its_count_does():
    for number in (1, 2, 3):
        for day in range(3):
            P, Q = of_one_day([XOR] * number, XOR, day)
            for E in (F(1), F(2), F(5)):
                coins = {(0,): F(1, 2), (1,): F(1, 2)}
                assert delta_of(P, Q, E) == delta([coins] * number, (1,), (0,), E)


def test_days_that_are_independent_in_pairs_reveal_the_parity():
    for i, j in combinations(range(3), 2):
        pair = part(XOR, lambda s, i=i, j=j: (s[i], s[j]))
        assert least_ratio(pair) == 1
    for N in (1, 2, 3):
        for E in (F(1), F(1000)):
            assert delta([XOR] * N, (0, 0, 0), (0, 0, 1), E) == 1
        assert greatest([XOR] * N, (0, 0, 0), (0, 0, 1)) == math.inf


def test_the_target_may_obey_the_same_rule():
    P, Q = released([XOR] * 2, (0, 0, 0)), released([XOR] * 2, (0, 1, 1))
    found = dependencies(P, Q)
    assert found[2, 1, 1] == math.inf
    assert P[2, 1, 1] == F(1, 8)
    assert math.inf not in dependencies(released([XOR], (0, 0, 0)), released([XOR], (0, 1, 1)))


def test_mutually_independent_days_give_the_product_pair():
    source = random.Random(8)
    for _ in range(20):
        laws = []
        for _ in range(3):
            p = [F(source.randint(0, 5), 5) for _ in range(3)]
            laws.append(chain(p[0], (p[1], p[1]), (p[2], p[2])))
        for secret in ((0, 1, 0), (1, 1, 0)):
            outputs = released(laws, secret)
            days = [part(outputs, lambda o, j=j: o[j]) for j in range(3)]
            for o in product(*days):
                assert outputs[o] == math.prod(d[k] for d, k in zip(days, o, strict=True))


def test_markov_records_that_differ_remember_the_day_before_yesterday():
    laws = [sticky(F(1, 3), 3), sticky(F(0), 3)]
    assert greatest(laws, (1, 0, 0), (0, 0, 0)) == F(9, 8)


def test_one_day_may_depend_on_those_before_by_more_than_4c():
    """Three others; the third day, on the first two. All days together keep to their bound."""
    one = chain(F(1, 7), *[(F(6, 7), F(1, 42))] * 2)
    two = {(0, 0, 1): 6, (0, 1, 1): 1, (0, 0, 0): 1, (0, 1, 0): 41}
    two = {series: F(weight, 49) for series, weight in two.items()}
    assert max(least_ratio(day) for law in (one, two) for day in successive(law)) == 6
    laws, a, b = [one, two, two], (0, 1, 0), (1, 0, 0)
    P, Q = released(laws, a), released(laws, b)
    assert dependencies(P, Q)[1, 2, 3] == F(58528, 43) > 6**4
    assert greatest(laws, a, b) == F(58528, 43)
    # The second day had granted more than a factor of four.
    first_two = (part(law, lambda o: o[:2]) for law in (P, Q))
    assert dependencies(*first_two)[1, 2] == F(513, 2263)
    most = max(max(excess(P, Q).values()), max(excess(Q, P).values()))
    assert most == F(968544, 3139) < F(6) ** (2 * neighbours(a, b))


def test_markov_bits_that_change_alike_forget_the_past():
    source = random.Random(9)

    def chance():
        return F(source.randint(1, 9), 10)

    for number, days in ((2, 3), (3, 3), (2, 4)) * 4:
        steps = [(chance(), chance()) for _ in range(days - 1)]
        laws = [chain(chance(), *steps) for _ in range(number)]
        last = [part(law, lambda s: s[-2:]) for law in laws]
        E = max(map(least_ratio, last))
        a, b = (tuple(source.choice(BITS) for _ in range(days)) for _ in range(2))
        P, Q = released(laws, a), released(laws, b)
        two = dependencies(released(last, a[-2:]), released(last, b[-2:]))
        for o, ratio in dependencies(P, Q).items():
            assert ratio <= E ** (2 * differing(a[-2:], b[-2:]))
            # What the last day depends on is the day before, wherever no loss is infinite.
            if Q[o]:
                assert ratio == two[o[-2:]]


@pytest.mark.slow
def test_three_days_with_one_law_cost_2c_each():
    source = random.Random(10)
    series = tuple(product(BITS, repeat=3))
    for number in (1, 2, 3) * 8:
        law = random_law(source, series)
        if number == 2:  # some pasts are impossible
            law = {s: m for s, m in law.items() if s[:2] not in ((0, 1), (1, 0))}
            law = {s: m / sum(law.values()) for s, m in law.items()}
        E = least_ratio(law)
        for a, b in source.sample(tuple(combinations(series, 2)), 8):
            assert greatest([law] * number, a, b) <= E ** (2 * differing(a, b))


def test_four_days_exceed_2c_for_a_single_day():
    weights = (10, 1, 1, 1, 1, 1, 100, 1, 1, 1, 100, 1, 10, 10, 10, 1)
    series = product(BITS, repeat=4)
    law = {s: F(w, sum(weights)) for s, w in zip(series, weights, strict=True)}
    # Every day against all days before it.
    E = max(least_ratio(part(law, lambda s, days=days: s[:days])) for days in (2, 3, 4))
    found = greatest([law] * 2, (0, 0, 0, 0), (0, 0, 1, 0))
    assert (E, found) == (F(125, 17), F(132899, 1130))
    assert found > E**2


# --------------------------------------------------------------------------------------------
# Growth
# --------------------------------------------------------------------------------------------


def test_the_same_days_reveal_more_or_less_as_they_depend_on_each_other():
    correlations = (F(-1, 2), F(0), F(1, 2))
    changing, constant = (
        [delta([sticky(rho, 3)] * 4, a, b, F(2)) for rho in correlations]
        for a, b in (((1, 0, 1), (0, 1, 0)), ((1, 1, 1), (0, 0, 0)))
    )
    assert changing[0] < changing[1] < changing[2]
    assert constant[0] > constant[1] > constant[2]


@pytest.mark.parametrize("rho", [-0.4, 0.0, 1 / 3, 0.8])
def test_the_gaussian_growth_is_that_of_the_covariance_matrix(rho):
    markov = daily_profiles.MarkovChain.stationary(0.3, rho)
    for days in (1, 2, 3, 8):
        matrix = rho ** abs(np.subtract.outer(np.arange(days), np.arange(days)))
        on = [j % 2 for j in range(days)]
        for a, b, stated in (
            (on, [1 - x for x in on], 1 + (days - 1) * (1 + rho) / (1 - rho)),
            ([1] * days, [0] * days, 1 + (days - 1) * (1 - rho) / (1 + rho)),
        ):
            d = np.subtract(a, b)
            assert d @ np.linalg.solve(matrix, d) == pytest.approx(stated)
            signal = daily_profiles.gaussian_signal(markov, a=a, b=b)
            assert signal * 0.3 * 0.7 == pytest.approx(stated)
    inside = daily_profiles.gaussian_signal(markov, a=(0, 1, 0), b=(0, 0, 0))
    assert inside * 0.3 * 0.7 == pytest.approx((1 + rho**2) / (1 - rho**2))


@pytest.mark.slow
def test_the_profile_tends_to_the_gaussian_one():
    markov = daily_profiles.MarkovChain.stationary(0.5, 1 / 3)
    for a, b in (((1, 0, 1), (0, 1, 0)), ((1, 1, 1), (0, 0, 0))):
        off = []
        for n in (21, 121):
            exact = daily_profiles.bracket(n, markov, a=a, b=b)
            limit = daily_profiles.gaussian_limit(n, markov, a=a, b=b).epsilon(0.01)
            off.append(exact.upper.epsilon(0.01) / limit - 1)
            assert exact.lower.epsilon(0.01) >= exact.upper.epsilon(0.01) * 0.99
        assert abs(off[1]) < 0.05
        assert abs(off[1]) < abs(off[0])


@pytest.mark.parametrize(("a", "b"), [((1, 0, 1), (0, 1, 0)), ((1, 1, 0), (0, 0, 0))])
def test_delta_tends_to_the_gaussian_one_for_records_that_remember(a, b):
    """In units of the signal, and for series that are no Markov chains."""
    law = np.array([[[5, 1], [2, 1]], [[1, 2], [3, 6]]]) / 21
    memory = law / law.sum(axis=2, keepdims=True)
    assert abs(memory[0, 1, 1] - memory[1, 1, 1]) > 0.01
    mean = np.array([law.sum(axis=tuple({0, 1, 2} - {j}))[1] for j in range(3)])
    outer = sum(
        law[s] * np.outer(np.subtract(s, mean), np.subtract(s, mean))
        for s in product(BITS, repeat=3)
    )
    d = np.subtract(a, b)
    gamma = math.sqrt(d @ np.linalg.solve(outer, d))
    off = []
    for others in (8, 32, 128):
        size, axes = (others + 2,) * 3, (0, 1, 2)
        masses = np.fft.irfftn(np.fft.rfftn(law, size, axes) ** others, size, axes)
        P, Q = (np.roll(masses, secret, axes) for secret in (a, b))
        signal = gamma / math.sqrt(others)
        limit = closed_forms.gaussian(signal)
        off.append(
            max(
                abs(np.maximum(X - math.exp(t * signal) * Y, 0).sum() / limit.delta(t * signal) - 1)
                for t in (0.0, 0.5, 1.0)
                for X, Y in ((P, Q), (Q, P))
            )
        )
    # About like one over the root of their number.
    assert off[0] > 1.5 * off[1] > 2.25 * off[2]
    assert off[2] < 0.06


def test_the_price_of_dependence_is_that_of_the_definition():
    law = sticky(F(1, 3))
    for N in (2, 3, 4):
        secrets = [((1, 1), (0, 0)), ((1, 0), (0, 1))]
        laws = [
            (released([law] * N, x), dependencies(released([law] * N, x), released([law] * N, y)))
            for a, b in secrets
            for x, y in ((a, b), (b, a))
        ]
        most = max(max(found.values()) for _, found in laws)
        price = daily_growth.price(N, daily_growth.CHAIN, 0.0)
        assert price == pytest.approx(math.log(most), rel=1e-9)
        for nu in (0.001, 0.02):
            mu = daily_growth.price(N, daily_growth.CHAIN, nu)
            exceeded = max(
                sum(P[o] * max(0.0, 1 - math.exp(mu) / ratio) for o, ratio in found.items())
                for P, found in laws
            )
            assert exceeded == pytest.approx(nu, rel=1e-6) or (mu == 0.0 and exceeded <= nu)


# --------------------------------------------------------------------------------------------
# ⊥, and several questions
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_count_of_values_with_bottom_obeys_the_two_day_bound():
    source = random.Random(12)
    for number in (1, 2, 3) * 4:
        laws = [random_law(source, tuple(product(VALUES, repeat=2))) for _ in range(number)]
        E = max(map(least_ratio, laws))
        for q in (bool, lambda x: x is not None, lambda x: x == 0):

            def read(values, q=q):
                return sum(map(bool, map(q, values)))

            for _ in range(4):
                a, b = (tuple(source.choice(VALUES) for _ in range(2)) for _ in range(2))
                seen = [tuple(bool(q(x)) for x in s) for s in (a, b)]
                assert greatest(laws, a, b, read) <= E ** (2 * differing(*seen))


def test_bits_of_a_chain_with_bottom_are_no_chain():
    def third_day(start, steps):
        """P[third bit is 1 | first bit, second bit 0], for both first bits."""
        law = daily_counts.daily_law(start, steps, days=3)
        seen = part(law, lambda s: tuple(int(bool(x)) for x in s))
        return [seen[x, 0, 1] / (seen[x, 0, 1] + seen[x, 0, 0]) for x in BITS]

    # Absence that lasts, between answers that do not, gives bits that remember.
    half = {None: F(1, 2), 0: F(1, 4), 1: F(1, 4)}
    away = {None: F(9, 10), 0: F(1, 20), 1: F(1, 20)}
    here = {None: F(1, 10), 0: F(9, 20), 1: F(9, 20)}
    zero, one = third_day(half, {None: away, 0: here, 1: here})
    assert zero < one
    # It need not be so: values that are kept or drawn anew have bits that are kept or drawn anew.
    zero, one = third_day(*daily_counts.participation(F(1, 2), F(1, 2), keep=F(1, 3)))
    assert zero == one


def test_rare_participation_does_not_lower_c():
    kept = []
    for chance in (F(1), F(1, 2), F(1, 10), F(1, 100)):
        law = Counter()
        for answers, mass in sticky(F(1, 3)).items():
            for here in TWO_DAYS:
                value = tuple(x if h else None for x, h in zip(answers, here, strict=True))
                law[value] += mass * chance ** sum(here) * (1 - chance) ** (2 - sum(here))
        assert least_ratio(+law) == F(3, 2)
        start, steps = daily_counts.participation(chance, F(1, 2), keep=F(1, 3))
        kept.append(least_ratio(daily_counts.daily_law(start, steps, days=2)))
    assert kept == sorted(kept)
    assert kept[-1] > 60


@pytest.mark.slow
def test_histograms_of_records_with_one_law_cost_2c_for_each_day_that_differs():
    source = random.Random(13)

    def histogram(values):
        return tuple(values.count(v) for v in VALUES)

    for number, days in ((1, 2), (2, 2), (3, 2), (2, 3)) * 3:
        law = markov_law(source, days)
        E = least_ratio(part(law, lambda s: s[-2:]))
        for _ in range(6):
            a, b = (tuple(source.choice(VALUES) for _ in range(days)) for _ in range(2))
            allowed = E ** (2 * differing(a[-2:], b[-2:]))
            assert greatest([law] * number, a, b, histogram) <= allowed


def test_an_impossible_ballot_makes_c_infinite_and_the_counts_stay_private():
    voter = {(0, 0): F(1, 3), (1, 0): F(1, 3), (1, 1): F(1, 3)}
    assert least_ratio(voter) == math.inf
    for a, b in (((1, 1), (0, 0)), ((0, 1), (1, 0))):
        assert daily_counts.questions([voter] * 40, a=a, b=b).profile().delta(3.0) < 1e-3


def test_questions_agree_with_all_databases():
    source = random.Random(14)
    for number, questions in ((2, 2), (3, 2), (2, 3)):
        ballots = tuple(product(BITS, repeat=questions))
        laws = [random_law(source, ballots) for _ in range(number)]
        for a, b in source.sample(tuple(combinations(ballots, 2)), 4):
            profile = daily_counts.questions(laws, a=a, b=b).profile()
            for E in (F(1), F(2), F(7)):
                expected = float(delta(laws, a, b, E))
                assert profile.delta(math.log(E)) == pytest.approx(expected, rel=1e-9, abs=1e-15)


# --------------------------------------------------------------------------------------------
# The figure
# --------------------------------------------------------------------------------------------


@cache
def curve(panel, series):
    rows = select(figures.table("daily-growth"), panel=panel, series=series)
    return dict(zip(rows["x"].tolist(), rows["y"].tolist(), strict=True))


def test_the_text_of_the_growth_figure_says_what_is_drawn():
    days, crowd = daily_growth.ALT
    first = [curve("days", name)[1.0] for name in ("theorem 6", *daily_growth.SERIES)]
    assert {f"{y:.2f}" for y in first} == {"0.82"}
    assert round(curve("days", "theorem 6")[10.0]) == 25
    assert round(curve("days", "rare outputs")[10.0]) == 17
    assert round(curve("days", "keep changing")[10.0], 1) == 4.7
    assert round(curve("days", "constant")[10.0], 1) == 2.2
    one_day = curve("days", "one day")
    assert {round(y, 2) for x, y in one_day.items() if x >= 3} == {0.92}
    for text in ("0.82 to 25", "reaches 17", "rises to 4.7", "to 2.2", "it is 0.92 from the third"):
        assert text in days
    top, rare = curve("price", "greatest"), curve("price", "rare")
    c = daily_growth.CHAIN.c
    assert c == pytest.approx(math.log(1.5))
    assert [round(x, 2) for x in (top[2.0], 2 * c, top[200.0], 4 * c)] == [0.92, 0.81, 1.38, 1.62]
    assert round(rare[200.0], 2) == 0.32
    assert all(abs(rare[x] - top[x]) < 1e-3 for x in (2.0, 3.0, 4.0, 5.0))
    assert max(rare.values()) == rare[7.0]
    for text in ("starts at 0.92", "2c = 0.81", "1.38", "4c = 1.62", "0.32 at 200"):
        assert text in crowd


def test_the_growth_figure_shows_what_the_page_says():
    for series in daily_growth.SERIES:
        exact, limit = curve("days", series), curve("days", f"{series}, limit")
        assert all(abs(exact[x] - limit[x]) < 0.05 for x in exact)
        assert all(exact[x] <= 1.001 * curve("days", "rare outputs")[x] for x in exact)
    # Square-root growth: over ten days the Gaussian signal is 1 + 9·2, or 1 + 9/2, times as large.
    changing = curve("days", "keep changing")
    assert changing[10.0] / changing[1.0] < 1.4 * math.sqrt(1 + 9 * 2)
    assert curve("days", "theorem 6")[10.0] > 30 * curve("days", "theorem 6")[1.0]
    one = counting.exact([0.5], multiplicities=[daily_growth.OTHERS]).epsilon(daily_growth.DELTA)
    assert changing[1.0] == pytest.approx(one, rel=0.01)
    assert figures.load("daily-growth") is daily_growth
