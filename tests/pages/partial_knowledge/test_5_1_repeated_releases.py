"""Example 9 and what follows it, claim by claim, from whole databases in exact fractions."""

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from pkdp import closed_forms, counting, daily_counts, daily_profiles, figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import daily_growth
from tests.oracles import counts as oracles

pytestmark = pytest.mark.page

F = Fraction
BITS = (0, 1)
TWO_DAYS = tuple(product(BITS, repeat=2))


# --------------------------------------------------------------------------------------------
# By the definitions: all databases, conditional probabilities
# --------------------------------------------------------------------------------------------


def released(laws, secret, read=sum):
    """The law of all days' outputs, if the target's series is this one."""
    law = Counter()
    for database in product(*(law.items() for law in laws)):
        mass = math.prod((chance for _, chance in database), start=F(1))
        series = (secret, *(one for one, _ in database))
        law[tuple(read(values) for values in zip(*series, strict=True))] += mass
    return +law


def part(law, key):
    marginal = Counter()
    for value, mass in law.items():
        marginal[key(value)] += mass
    return marginal


def dependencies(P, Q):
    """e^Dep of the last output on those before, by Definition 17; 1 where a loss is infinite."""
    (P_past, P_last), (Q_past, Q_last) = (
        (part(law, lambda o: o[:-1]), part(law, lambda o: o[-1])) for law in (P, Q)
    )
    found = {}
    for o in P:
        past, last = o[:-1], o[-1]
        if not Q_past[past] or not Q_last[last]:
            found[o] = F(1)
        elif not Q[o]:
            found[o] = math.inf
        else:
            given = (P[o] / P_past[past]) / (Q[o] / Q_past[past])
            found[o] = given / (P_last[last] / Q_last[last])
    return found


def greatest(laws, a, b, read=sum):
    P, Q = released(laws, a, read), released(laws, b, read)
    return max(*dependencies(P, Q).values(), *dependencies(Q, P).values())


def delta_of(P, Q, E):
    return max(sum((max(F(0), A[o] - E * B[o]) for o in A), F(0)) for A, B in ((P, Q), (Q, P)))


def delta(laws, a, b, E):
    return delta_of(released(laws, a), released(laws, b), E)


def least_ratio(law, past=lambda s: s[:-1], now=lambda s: s[-1], against=None):
    """e^c: of the law of `now`, given each past, against that of `against` (by default `now`)."""
    plain = part(law, against or now)
    worst = F(1)
    for seen in part(law, past):
        given = part({s: m for s, m in law.items() if past(s) == seen}, now)
        total = sum(given.values())
        for value in plain | given:
            p, q = given[value] / total, plain[value]
            worst = max(worst, math.inf if not p or not q else max(p / q, q / p))
    return worst


def sticky(rho, days=2):
    law = {}
    for series in product(BITS, repeat=days):
        mass = F(1, 2)
        for x, y in pairwise(series):
            mass *= (1 + rho) / 2 if x == y else (1 - rho) / 2
        law[series] = mass
    return law


def chain(start, *steps):
    """A Markov chain of bits: P[1] on the first day, then (P[1|1], P[1|0]) for each other."""
    law = {(1,): F(start), (0,): 1 - F(start)}
    for stay, rise in steps:
        grown = {}
        for series, mass in law.items():
            p = F(stay) if series[-1] else F(rise)
            grown[*series, 1], grown[*series, 0] = mass * p, mass * (1 - p)
        law = grown
    return law


def random_law(source, values, least=1):
    weights = [source.randint(least, 9) for _ in values]
    weights[source.randrange(len(weights))] += source.choice((0, 0, 20))
    total = sum(weights) or 1
    return {v: F(w, total) for v, w in zip(values, weights, strict=True) if w}


VALUES = (None, 0, 1)


def markov_law(source, days, values=VALUES):
    """A Markov chain with random positive weights, others on each day."""
    law = {(value,): mass for value, mass in random_law(source, values).items()}
    for _ in range(days - 1):
        steps = {x: random_law(source, values) for x in values}
        law = {(*s, y): m * p for s, m in law.items() for y, p in steps[s[-1]].items()}
    return law


def successive(law):
    """The laws of each two days in a row."""
    days = len(next(iter(law)))
    return [part(law, lambda s, j=j: s[j : j + 2]) for j in range(days - 1)]


def count_true(values):
    return sum(map(bool, values))


def differing(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def neighbours(a, b):
    """How many neighbours the days have, in all, on which two series differ."""
    return sum(differing(a[j : j + 2], b[j : j + 2]) for j in range(len(a) - 1))


def excess(P, Q):
    """e to the loss of all days less the sum of their losses, where these are all finite."""
    days = range(len(next(iter(P))))
    alone = [[part(law, lambda o, j=j: o[j]) for j in days] for law in (P, Q)]
    found = {}
    for o in P:
        p, q = (math.prod(law[x] for law, x in zip(laws, o, strict=True)) for laws in alone)
        if q:
            found[o] = P[o] * q / (Q[o] * p) if Q[o] else math.inf
    return found


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
            assert found == daily_counts.greatest_dependency(laws, a, b)


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


def of_one_day(laws, target, day):
    """The laws of all days' outputs, if the target's bit of one day is 1 and if it is 0."""
    found = []
    for bit in (1, 0):
        own = {s: m for s, m in target.items() if s[day] == bit}
        law = Counter()
        for series, mass in own.items():
            for o, p in released(laws, series).items():
                law[o] += p * mass / sum(own.values())
        found.append(law)
    return found


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
            assert found == daily_counts.one_day_dependency([law] * number, law, day)
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
    assert daily_counts.one_day_dependency([law] * others, target, 0) == found
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


def test_pairwise_independent_days_of_people_alike_hide_one_day_as_its_count_does():
    for number in (1, 2, 3):
        for day in range(3):
            P, Q = of_one_day([XOR] * number, XOR, day)
            for E in (F(1), F(2), F(5)):
                coins = {(0,): F(1, 2), (1,): F(1, 2)}
                assert delta_of(P, Q, E) == delta([coins] * number, (1,), (0,), E)


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

XOR = {(x, y, x ^ y): F(1, 4) for x, y in TWO_DAYS}


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
            signal = daily_profiles.gaussian_signal(markov, a, b)
            assert signal * 0.3 * 0.7 == pytest.approx(stated)
    inside = daily_profiles.gaussian_signal(markov, (0, 1, 0), (0, 0, 0))
    assert inside * 0.3 * 0.7 == pytest.approx((1 + rho**2) / (1 - rho**2))


def test_the_profile_tends_to_the_gaussian_one():
    markov = daily_profiles.MarkovChain.stationary(0.5, 1 / 3)
    for a, b in (((1, 0, 1), (0, 1, 0)), ((1, 1, 1), (0, 0, 0))):
        off = []
        for n in (21, 121):
            exact = daily_profiles.exact(n, markov, a, b)
            limit = daily_profiles.gaussian_limit(n, markov, a, b).epsilon(0.01)
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
        assert daily_counts.questions([voter] * 40, a, b).profile().delta(3.0) < 1e-3


def test_questions_agree_with_all_databases():
    source = random.Random(14)
    for number, questions in ((2, 2), (3, 2), (2, 3)):
        ballots = tuple(product(BITS, repeat=questions))
        laws = [random_law(source, ballots) for _ in range(number)]
        for a, b in source.sample(tuple(combinations(ballots, 2)), 4):
            profile = daily_counts.questions(laws, a, b).profile()
            for E in (F(1), F(2), F(7)):
                expected = float(delta(laws, a, b, E))
                assert profile.delta(math.log(E)) == pytest.approx(expected, rel=1e-9, abs=1e-15)


# --------------------------------------------------------------------------------------------
# The figure
# --------------------------------------------------------------------------------------------


@cache
def curve(panel, series):
    rows = select(figures.table(daily_growth.NAME), panel=panel, series=series)
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
    one = counting.exact([0.5], [daily_growth.OTHERS]).epsilon(daily_growth.DELTA)
    assert changing[1.0] == pytest.approx(one, rel=0.01)
    assert figures.load("daily-growth") is daily_growth
