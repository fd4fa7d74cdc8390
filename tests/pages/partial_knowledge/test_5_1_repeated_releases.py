"""Example 9, claim by claim, from whole databases in exact fractions."""

import math
import random
from itertools import combinations, product

import pytest

from pkdp import daily_counts
from tests.oracles import counts as oracles
from tests.pages.partial_knowledge.daily_series import (
    BITS,
    TWO_DAYS,
    VALUES,
    F,
    chain,
    count_true,
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
# One day, two days
# --------------------------------------------------------------------------------------------


def test_each_day_alone_is_a_count_of_independent_bits():
    source = random.Random(1)
    for _ in range(20):
        laws = [random_law(source, tuple(product(BITS, repeat=3)), least=0) for _ in range(3)]
        secret = source.choice(tuple(product(BITS, repeat=3)))
        outputs = released(laws, secret)
        for day in range(3):
            p = [sum(m for s, m in law.items() if s[day]) for law in laws]
            expected = oracles.count_law(p)
            found = part(outputs, lambda o, day=day: o[day])
            assert [found[k + secret[day]] for k in range(4)] == [expected[k] for k in range(4)]


def test_one_who_saw_the_target_on_another_day_learns_more():
    law = sticky(F(4, 5))  # stays with probability 9/10
    for ratio, alone, seen in ((F(1), F(1, 2), F(163, 200)), (F(2), F(1, 4), F(289, 400))):
        both = of_one_day([law] * 2, law, 1)
        last = [part(outputs, lambda o: o[1]) for outputs in both]
        assert delta_of(*last, ratio) == delta_of(*both, ratio) == alone
        for first in BITS:
            assert delta([law] * 2, (first, 1), (first, 0), ratio) == seen


def test_the_condition_does_not_depend_on_the_order_of_the_days():
    source = random.Random(2)
    for _ in range(50):
        law = random_law(source, TWO_DAYS)
        swapped = {(y, x): mass for (x, y), mass in law.items()}
        E = least_ratio(law)
        assert least_ratio(law, past=lambda s: s[0], now=lambda s: s[1]) == E
        assert least_ratio(swapped) == E == daily_counts.dependence_ratio(law)
        # It passes to any question about the values.
        wide = random_law(source, tuple(product("abc", repeat=2)))
        most = least_ratio(wide)
        for yes in ("a", "ab", "c"):
            narrow = part(wide, lambda s, yes=yes: (s[0] in yes, s[1] in yes))
            assert least_ratio(narrow) <= most


def test_one_step_costs_at_most_2c():
    source = random.Random(3)
    for number in (1, 2, 3, 4) * 10:
        laws = [random_law(source, TWO_DAYS) for _ in range(number)]
        E = max(map(least_ratio, laws))
        law = released(laws, (0, 0))
        for day in (0, 1):
            sums = part(law, lambda o, day=day: o[day])
            for o, mass in law.items():
                moved = tuple(k + (j == day) for j, k in enumerate(o))
                if law[moved]:
                    quotient = (law[moved] / sums[moved[day]]) / (mass / sums[o[day]])
                    assert E**-2 <= quotient <= E**2


@pytest.mark.slow
def test_the_dependency_is_at_most_2c_for_each_day_that_differs():
    source = random.Random(4)
    for number in (1, 2, 3, 4) * 12:
        laws = [random_law(source, TWO_DAYS) for _ in range(number)]
        if number == 3:  # a record whose first or second day is certain depends on nothing
            laws[0] = {(1, 0): F(1, 3), (1, 1): F(2, 3)}
            laws[1] = {(0, 1): F(1, 4), (1, 1): F(3, 4)}
        E = max(map(least_ratio, laws))
        for a, b in combinations(TWO_DAYS, 2):
            found = greatest(laws, a, b)
            assert found <= E ** (2 * differing(a, b))
            assert found == daily_counts.greatest_dependency(laws, a=a, b=b)


def test_with_one_other_user_2c_is_right():
    source = random.Random(5)
    for _ in range(100):
        law = random_law(source, TWO_DAYS)
        for a, b in combinations(TWO_DAYS, 2):
            assert greatest([law], a, b) <= least_ratio(law) ** 2


def test_two_others_exceed_2c_for_every_positive_correlation():
    for rho in (F(1, 100), F(1, 3), F(1, 2), F(9, 10)):
        law = sticky(rho)
        E = least_ratio(law)
        assert least_ratio(law) == 1 / (1 - rho)
        assert greatest([law] * 2, (1, 0), (0, 1)) == E**2 * (1 + rho**2)


def test_2c_with_the_corrected_theorem_6_is_a_false_promise():
    law, coin = sticky(F(1, 2)), {(0,): F(1, 2), (1,): F(1, 2)}
    E = least_ratio(law)
    alone = delta([coin] * 2, (1,), (0,), F(2))
    assert (E, alone) == (2, F(1, 4))
    assert delta([law] * 2, (1, 0), (0, 1), 2 * 2 * E**2) == F(35, 64) > 2 * alone
    # Printed, µ = 2c counts twice, which is 4c.
    assert delta([law] * 2, (1, 0), (0, 1), 2 * 2 * E**4) <= 2 * alone


def test_with_4c_the_corrected_theorem_6_keeps_its_promise():
    source = random.Random(6)
    for number in (1, 2, 3) * 8:
        laws = [random_law(source, TWO_DAYS) for _ in range(number)]
        E = max(map(least_ratio, laws))
        for a, b in combinations(TWO_DAYS, 2):
            P, Q = released(laws, a), released(laws, b)
            for E1, E2 in product((F(1), F(3, 2), F(4)), repeat=2):
                days = [
                    delta_of(part(P, lambda o, j=j: o[j]), part(Q, lambda o, j=j: o[j]), ratio)
                    for j, ratio in enumerate((E1, E2))
                ]
                both = E1 * E2 * E ** (2 * differing(a, b))
                assert delta_of(P, Q, both) <= sum(days)


def test_4c_is_approached_for_every_c():
    for E in (F(9, 8), F(3, 2), F(2), F(5)):
        law = daily_counts.sharp_law(E)
        assert least_ratio(law) == E

        def stated(N, E=E):
            return N * E**4 / (N + (E - 1) * (E + 1) ** 2)

        for N in (1, 2, 3, 4):
            outputs = released([law] * N, (0, 0)), released([law] * N, (1, 1))
            assert dependencies(*outputs)[N, N] == stated(N)
            assert greatest([law] * N, (0, 0), (1, 0)) == E**2
        for N in (10, 10**6):
            assert daily_counts.sharp_dependency(N, E) == stated(N)
            assert (stated(N) > E**2) == (N > 1 + E)
        assert stated(10**9) > E**4 * (1 - F(1, 10**6))


# --------------------------------------------------------------------------------------------
# A secret that is one day
# --------------------------------------------------------------------------------------------


def greatest_of_one_day(laws, target, day):
    P, Q = of_one_day(laws, target, day)
    return max(*dependencies(P, Q).values(), *dependencies(Q, P).values())


def opposite(p, E):
    """Two days with P[1] = p each, of which one is as rarely like the other as E allows."""
    k = min((1 - 1 / E) * p * p, (1 - 1 / E) * (1 - p) ** 2, (E - 1) * p * (1 - p))
    law = {(x, y): (p if x else 1 - p) * (p if y else 1 - p) for x, y in TWO_DAYS}
    return {(x, y): mass + (k if x != y else -k) for (x, y), mass in law.items()}


def test_among_people_alike_the_other_days_add_nothing_to_one_day():
    """Whatever they remember; on the day itself their laws may differ."""
    source = random.Random(17)
    for number, days in ((0, 2), (1, 2), (2, 2), (3, 2), (1, 3), (2, 3)) * 4:
        day = source.randrange(days)
        series = tuple(product(BITS, repeat=days))
        law = random_law(source, series, least=0)
        while len({s[day] for s in law}) < 2:
            law = random_law(source, series, least=0)
        given = [
            {s: m / sum(m for s, m in law.items() if s[day] == bit)
             for s, m in law.items() if s[day] == bit}
            for bit in BITS
        ]  # fmt: skip
        everybody = []
        for _ in range(number + 1):
            p = F(source.randint(1, 9), 10)
            everybody.append(
                {s: m * chance for part_, chance in zip(given, (1 - p, p), strict=True)
                 for s, m in part_.items()}
            )  # fmt: skip
        P, Q = of_one_day(everybody[1:], everybody[0], day)
        P_day, Q_day = (part(law, lambda o, day=day: o[day]) for law in (P, Q))
        for o in {*P, *Q}:
            assert P[o] * Q_day[o[day]] == Q[o] * P_day[o[day]]
        for E in (F(1), F(3, 2), F(4)):
            assert delta_of(P, Q, E) == delta_of(P_day, Q_day, E)


def test_among_people_alike_2c_is_right_for_one_day():
    source = random.Random(18)
    for number in (1, 2, 3) * 10:
        law = random_law(source, TWO_DAYS)
        E = least_ratio(law)
        for day in BITS:
            found = greatest_of_one_day([law] * number, law, day)
            assert found <= E**2
            assert found == daily_counts.one_day_dependency([law] * number, law, day=day)
        # To the letter of the condition, if the secret is the earlier day.
        assert greatest_of_one_day([law] * number, law, 0) <= letter(law) ** 2
    # It is attained.
    law = daily_counts.sharp_law(3)
    assert greatest_of_one_day([law] * 3, law, 0) == least_ratio(law) ** 2 == 9


@pytest.mark.parametrize(
    ("others", "E", "p", "found", "output"),
    [
        (2, F(5), F(1, 2), F(63121, 2185), (2, 1)),
        (2, F(4), F(1, 10), F(268652, 16247), (1, 2)),
        (3, F(3), F(1, 10), F(2451, 251), (1, 3)),
        (4, F(2), F(1, 24), F(392810, 96011), (1, 4)),
    ],
)
def test_somebody_unlike_the_others_exceeds_2c_for_one_day(others, E, p, found, output):
    target, law = opposite(p, E), daily_counts.sharp_law(E)
    # The days of each have one law, so that both forms of the condition are the same.
    assert {least_ratio(x) for x in (target, law)} == {letter(x) for x in (target, law)} == {E}
    P, Q = of_one_day([law] * others, target, 0)
    assert max(dependencies(P, Q).get(output, 0), dependencies(Q, P).get(output, 0)) == found
    assert greatest_of_one_day([law] * others, target, 0) == found > E**2
    assert daily_counts.one_day_dependency([law] * others, target, day=0) == found
    assert found <= E**4


def test_for_one_day_4c_is_right_also_among_people_who_differ():
    source = random.Random(19)
    for number in (1, 2, 3) * 12:
        target, *laws = (random_law(source, TWO_DAYS) for _ in range(number + 1))
        E = max(map(least_ratio, (target, *laws)))
        for day in BITS:
            assert greatest_of_one_day(laws, target, day) <= E**4
            # With a single other user no case above 2c was found.
            if number == 1:
                assert greatest_of_one_day(laws, target, day) <= E**2


# --------------------------------------------------------------------------------------------
# To the letter
# --------------------------------------------------------------------------------------------


def letter(law):
    return least_ratio(law, against=lambda s: s[0])


def test_independent_days_with_other_laws_have_a_positive_literal_c():
    law = chain(F(1, 2), (F(3, 4), F(3, 4)))
    assert (least_ratio(law), letter(law)) == (1, 2)
    assert greatest([law] * 3, (0, 0), (1, 1)) == 1


def test_to_the_letter_four_c_is_not_enough():
    law = chain(F(2, 3), (F(1, 3), F(5, 6)))
    E = letter(law)
    assert (E, least_ratio(law), daily_counts.literal_ratio(law)) == (2, 3, 2)
    for N in (2, 4, 5):
        outputs = released([law] * N, (0, 0)), released([law] * N, (1, 1))
        found = max(*dependencies(*outputs).values(), *dependencies(*outputs[::-1]).values())
        assert found == 20 - F(18, N)
    assert 20 - F(18, 5) > E**4


# --------------------------------------------------------------------------------------------
# More than two days
# --------------------------------------------------------------------------------------------


def test_one_step_of_one_day_costs_2c_for_each_neighbour():
    source = random.Random(15)
    for number, days in ((1, 3), (2, 3), (3, 3), (2, 4)) * 6:
        laws = [markov_law(source, days, BITS) for _ in range(number)]
        E = max(least_ratio(pair) for law in laws for pair in successive(law))
        counts = released(laws, (0,) * days)
        alone = [part(counts, lambda s, j=j: s[j]) for j in range(days)]
        R = {s: p / math.prod(law[x] for law, x in zip(alone, s, strict=True))
             for s, p in counts.items()}  # fmt: skip
        for s, j in product(R, range(days)):
            moved = tuple(x + (i == j) for i, x in enumerate(s))
            if moved in R:
                most = E ** (2 * ((j > 0) + (j < days - 1)))
                assert 1 / most <= R[moved] / R[s] <= most


@pytest.mark.slow
def test_all_days_cost_2c_for_each_differing_day_and_neighbour():
    """Records that are Markov chains, each with a law of its own: bits, and values with ⊥."""
    source = random.Random(16)
    for number, days, values in ((1, 3, BITS), (3, 3, BITS), (2, 4, BITS), (2, 3, VALUES)) * 5:
        laws = [markov_law(source, days, values) for _ in range(number)]
        E = max(least_ratio(pair) for law in laws for pair in successive(law))
        for _ in range(6):
            a, b = (tuple(source.choice(values) for _ in range(days)) for _ in range(2))
            P, Q = (released(laws, secret, count_true) for secret in (a, b))
            counted = (tuple(map(bool, secret)) for secret in (a, b))
            most = E ** (2 * neighbours(*counted))
            assert all(1 / most <= ratio <= most for ratio in excess(P, Q).values())


@pytest.mark.slow
def test_all_days_are_as_private_as_the_days_and_the_bound_say():
    source = random.Random(11)
    for number, days in ((1, 2), (3, 2), (2, 3), (3, 3)) * 2:
        laws = [markov_law(source, days, BITS) for _ in range(number)]
        E = max(least_ratio(pair) for law in laws for pair in successive(law))
        for a, b in combinations(product(BITS, repeat=days), 2):
            P, Q = released(laws, a), released(laws, b)
            for ratio in (F(1), F(2)):
                each = [
                    delta_of(part(P, lambda o, j=j: o[j]), part(Q, lambda o, j=j: o[j]), ratio)
                    for j in range(days)
                ]
                assert delta_of(P, Q, ratio**days * E ** (2 * neighbours(a, b))) <= sum(each)
