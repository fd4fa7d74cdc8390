"""Daily counts: against whole databases, and the bounds of Example 9."""

import math
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkdp import daily_counts
from tests.oracles import daily_counts as oracles

HALF = Fraction(1, 2)
chances = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
some_bits = st.integers(0, 1)


def series(days):
    return st.tuples(*[some_bits] * days)


@st.composite
def chain_of_bits(draw, days):
    """Law of a record that is a Markov chain, with transitions of its own on each day."""
    start = draw(chances)
    steps = [oracles.binary_step(draw(chances), draw(chances)) for _ in range(days - 1)]
    return oracles.markov_law({1: start, 0: 1 - start}, steps)


@st.composite
def any_law(draw, days):
    """Law of a series of bits, any of which may be impossible."""
    weights = draw(
        st.lists(st.integers(0, 9), min_size=2**days, max_size=2**days).filter(lambda w: sum(w))
    )
    return {
        bits: Fraction(weight, sum(weights))
        for bits, weight in zip(product((0, 1), repeat=days), weights, strict=True)
        if weight
    }


def corner_dependency(law, others):
    """e^Dep of two days at (N, N) for N others with one law, (0, 0) against (1, 1): all or all but
    one of the others are 1 on each day."""
    x = {bit: law[bit, 0] + law[bit, 1] for bit in (0, 1)}
    y = {bit: law[0, bit] + law[1, bit] for bit in (0, 1)}
    R = {(i, j): law[i, j] / (x[i] * y[j]) for i, j in law}
    share = 0 if others == math.inf else Fraction(1, others)
    return R[1, 1] / (R[0, 0] * share + (1 - share) * R[1, 0] * R[0, 1] / R[1, 1])


def largest_ratio(laws):
    """e^c of several records, over all consecutive days."""
    days = len(next(iter(laws[0])))
    return max(
        daily_counts.dependence_ratio(law, *pair) for law in laws for pair in pairwise(range(days))
    )


def moves(a, b):
    """How many units of 2c the bound of all days allows."""
    differs = [x != y for x, y in zip(a, b, strict=True)]
    return sum(x + y for x, y in pairwise(differs))


# One record


@given(chances, st.lists(st.tuples(chances, chances), min_size=1, max_size=3))
def test_the_law_of_a_series_is_the_product_of_its_transitions(start, rates):
    first, steps = {1: start, 0: 1 - start}, [oracles.binary_step(*rate) for rate in rates]
    assert daily_counts.daily_law(first, steps, days=len(steps) + 1) == oracles.markov_law(
        first, steps
    )
    same = daily_counts.daily_law(first, steps[0], days=3)
    assert same == oracles.markov_law(first, [steps[0]] * 2)


@given(any_law(2))
def test_the_two_ratios_are_the_indistinguishability_of_their_laws(law):
    first, second = (oracles.marginal(law, [j]) for j in (0, 1))
    natural, literal = Fraction(1), Fraction(1)
    for (x,) in first:
        given_x = {y: law.get((x, y), Fraction(0)) / first[(x,)] for y in (0, 1)}
        for y in (0, 1):
            for other, so_far in ((second, "natural"), (first, "literal")):
                p, q = given_x[y], other.get((y,), Fraction(0))
                if p or q:
                    value = max(oracles.ratio(p, q), oracles.ratio(q, p))
                    if so_far == "natural":
                        natural = max(natural, value)
                    else:
                        literal = max(literal, value)
    assert daily_counts.dependence_ratio(law) == natural
    assert daily_counts.literal_ratio(law) == literal


@given(chances, st.fractions(0, Fraction(9, 10), max_denominator=10))
def test_for_stationary_records_both_readings_of_the_condition_are_one(p, keep):
    start, steps = daily_counts.participation(1, p, keep=keep)
    law = daily_counts.daily_law(start, steps, days=2)
    assert daily_counts.literal_ratio(law) == daily_counts.dependence_ratio(law)


@given(chances, chances, st.fractions(0, Fraction(9, 10), max_denominator=10))
def test_participation_is_stationary_with_the_dependence_of_its_rarest_value(chance, yes, keep):
    start, steps = daily_counts.participation(chance, yes, keep=keep)
    law = daily_counts.daily_law(start, steps, days=3)
    for day in range(3):
        assert {x: m for (x,), m in oracles.marginal(law, [day]).items()} == start
    again = 1 - keep + keep / min(start.values())
    assert daily_counts.dependence_ratio(law, 1, 2) == max(again, 1 / (1 - keep))


# The dependency of daily counts


@settings(max_examples=150)
@given(st.data(), st.integers(2, 3), st.integers(0, 3))
def test_the_dependency_is_that_of_definition_17_on_whole_databases(data, days, others):
    laws = [data.draw(any_law(days)) for _ in range(others)]
    a, b = data.draw(series(days)), data.draw(series(days))
    under_a, under_b = oracles.counts_law(laws, a), oracles.counts_law(laws, b)
    assert daily_counts.count_dependency(laws, a, b) == oracles.dependency(under_a, under_b)
    assert daily_counts.count_dependency(laws, a, b, of="all") == oracles.excess(under_a, under_b)


# Example 9: two days


@settings(max_examples=40)
@given(st.data(), st.integers(1, 4))
def test_two_days_of_independent_records_are_2c_dependent_for_each_day_that_differs(data, others):
    laws = [data.draw(chain_of_bits(2)) for _ in range(others)]
    E = largest_ratio(laws)
    for a, b in product(product((0, 1), repeat=2), repeat=2):
        differing = sum(x != y for x, y in zip(a, b, strict=True))
        assert daily_counts.greatest_dependency(laws, a, b) <= E ** (2 * differing)


def test_the_printed_2c_fails_for_two_others():
    # Fair bits that change three times out of four: c = ln 2.
    law = oracles.markov_law(
        {0: HALF, 1: HALF}, [oracles.binary_step(Fraction(3, 4), Fraction(1, 4))]
    )
    assert daily_counts.dependence_ratio(law) == daily_counts.literal_ratio(law) == 2
    assert oracles.greatest([law] * 2, (0, 0), (1, 1)) == 5 > 2**2
    assert daily_counts.greatest_dependency([law] * 2, (0, 0), (1, 1)) == 5


@given(any_law(2))
def test_with_one_other_the_printed_2c_holds(law):
    E = daily_counts.dependence_ratio(law)
    for a, b in product(product((0, 1), repeat=2), repeat=2):
        assert daily_counts.greatest_dependency([law], a, b) <= E**2


@pytest.mark.parametrize("E", [Fraction(21, 20), Fraction(2), Fraction(10)])
def test_4c_is_sharp_for_every_c(E):
    law = daily_counts.sharp_law(E)
    assert sum(law.values()) == 1
    assert daily_counts.dependence_ratio(law) == daily_counts.literal_ratio(law) == E
    assert corner_dependency(law, math.inf) == E**4
    assert daily_counts.sharp_dependency(7, E) == corner_dependency(law, 7)
    assert E**4 > daily_counts.sharp_dependency(10**10, E) > E**4 * (1 - Fraction(1, 10**6))


@given(st.data(), st.integers(1, 6))
def test_the_corner_is_the_dependency_where_all_others_are_1(data, others):
    law = data.draw(chain_of_bits(2))
    ratios = daily_counts.count_dependency([law] * others, (0, 0), (1, 1))
    assert corner_dependency(law, others) == ratios[others, others]


@settings(max_examples=40)
@given(st.data(), st.integers(2, 3), st.integers(0, 2))
def test_the_secret_of_one_day_is_a_mixture_over_the_target_s_other_days(data, days, others):
    laws = [data.draw(any_law(days)) for _ in range(others)]
    target, day = data.draw(any_law(days)), data.draw(st.integers(0, days - 1))
    if len({s[day] for s in target}) == 1:
        with pytest.raises(ValueError, match="target must be uncertain on day"):
            daily_counts.one_day(laws, target, day)
        return
    expected = []
    for bit in (1, 0):
        mixed = {}
        own = {s: m for s, m in target.items() if s[day] == bit}
        for secret, chance in own.items():
            for o, mass in oracles.counts_law(laws, secret).items():
                mixed[o] = mixed.get(o, 0) + mass * chance / sum(own.values())
        expected.append(mixed)
    assert daily_counts.one_day(laws, target, day) == tuple(expected)
    both = (oracles.dependency(*expected), oracles.dependency(*expected[::-1]))
    greatest = max(ratio for found in both for ratio in found.values())
    assert daily_counts.one_day_dependency(laws, target, day) == max(greatest, 1)


def test_under_the_printed_convention_a_boundary_output_is_infinitely_dependent():
    law = daily_counts.sharp_law(2)
    under_a, under_b = (oracles.counts_law([law] * 2, s) for s in ((1, 1), (0, 0)))
    # Count 3 is impossible under b, so L2 = inf; under the printed convention Dep = inf - inf,
    # read as inf, for an output of positive probability.
    assert under_a[3, 3] > 0
    assert oracles.marginal(under_b, [1]).get((3,), 0) == 0
    assert daily_counts.count_dependency([law] * 2, (1, 1), (0, 0))[3, 3] == 1


# Example 9: the condition as printed


@given(st.data(), st.integers(1, 3))
def test_the_literal_condition_allows_less_than_5c(data, others):
    laws = [data.draw(chain_of_bits(2)) for _ in range(others)]
    c = math.log(max(daily_counts.literal_ratio(law) for law in laws))
    limit = daily_counts.literal_constant(c)
    assert 4 * c <= limit + 1e-12
    assert limit <= 5 * c + 1e-12
    for a, b in product(product((0, 1), repeat=2), repeat=2):
        found = math.log(daily_counts.greatest_dependency(laws, a, b))
        today = limit - 2 * c  # what a move of today's count costs
        assert found <= 2 * c * (a[0] != b[0]) + today * (a[1] != b[1]) + 1e-12


def test_the_literal_condition_breaks_4c_for_five_others():
    law = daily_counts.literal_law(2)
    assert daily_counts.literal_ratio(law) == 2
    assert oracles.greatest([law] * 5, (0, 0), (1, 1)) == Fraction(82, 5) > 2**4


@pytest.mark.parametrize("E", [1.01, 1.3, 1.6, 1.7, 2.0, 8.0, 1000.0])
def test_the_literal_constant_is_the_limit_of_a_corner_and_of_no_other(E):
    """Over all laws of two bits that meet the condition, on a grid and at the corners of p."""

    def cost(p, u, w):
        q = p * u + (1 - p) * w
        R = {(1, 1): u / q, (0, 1): w / q, (1, 0): (1 - u) / (1 - q), (0, 0): (1 - w) / (1 - q)}
        today = max(abs(math.log(R[x, 1] / R[x, 0])) for x in (0, 1))
        corner = max(abs(math.log(R[x, y] ** 2 / (R[1 - x, y] * R[x, 1 - y]))) for x, y in R)
        return today, corner

    constant, largest = daily_counts.literal_constant(math.log(E)), 0.0
    for p in (*np.linspace(0.001, 0.999, 200), 1 / (1 + E), 1 - (1 + E) ** -0.5):
        low, high = max(p / E, 1 - (1 - p) * E), min(p * E, 1 - (1 - p) / E)
        for u, w in product(np.linspace(low, high, 7), repeat=2):
            today, corner = cost(p, u, w)
            assert today <= constant - 2 * math.log(E) + 1e-9
            largest = max(largest, corner)
    assert largest == pytest.approx(constant, rel=1e-9)


def test_the_literal_constant_changes_its_form_at_the_golden_ratio():
    golden = (1 + math.sqrt(5)) / 2
    E = math.exp(math.log(golden))
    closed = (E**4 - (E - 1) ** 2) / (2 * E - 1)
    assert daily_counts.literal_constant(math.log(golden)) == pytest.approx(
        2 * math.log(E) + math.log(closed), rel=1e-12
    )


@pytest.mark.parametrize(("low", "high"), [(-12.0, -0.35), (-0.35, -0.3), (-0.3, 2.47)])
def test_the_literal_constant_is_never_below_the_truth(low, high):
    """Where e^c is so large that 1 - pe^c, with p = 1/(1 + e^c), has no digits, too."""

    def truth(c):
        with mpmath.workdps(400):
            E = mpmath.exp(mpmath.mpf(c))
            p = min(1 / (1 + E), 1 - 1 / mpmath.sqrt(1 + E))
            h = 1 + (E * E - 1) * (1 - p) / (1 - p * E + p * p * (E - 1 / E))
            return 2 * mpmath.mpf(c) + mpmath.log(h)

    pinned = (25.0, 33.0, 35.0, 37.0, 237.0, 300.0) if high > 2 else ()
    for c in (*np.logspace(low, high, 60), *pinned):
        found = daily_counts.literal_constant(float(c))
        assert 0 <= found / truth(float(c)) - 1 < 3e-15


# Example 9: more than two days


@given(st.data(), st.integers(2, 4), st.integers(1, 3))
def test_identical_markov_bits_are_4c_dependent_on_all_days_before(data, days, others):
    law = data.draw(chain_of_bits(days))
    E = daily_counts.dependence_ratio(law, days - 2, days - 1)
    a, b = data.draw(series(days)), data.draw(series(days))
    differing = sum(x != y for x, y in zip(a[-2:], b[-2:], strict=True))
    assert daily_counts.greatest_dependency([law] * others, a, b) <= E ** (2 * differing)


@settings(max_examples=30)
@given(st.data(), st.integers(1, 4))
def test_the_counts_of_identical_markov_bits_are_a_markov_chain(data, others):
    law = data.draw(chain_of_bits(3))
    counts = oracles.counts_law([law] * others, (0, 0, 0))
    pairs, first = oracles.marginal(counts, [0, 1]), oracles.marginal(counts, [1, 2])
    middle = oracles.marginal(counts, [1])
    for (x, y, z), mass in counts.items():
        assert mass / pairs[x, y] == first[y, z] / middle[(y,)]
    # So the dependency on both days before is that on yesterday alone.
    a, b = data.draw(series(3)), data.draw(series(3))
    two_days = [oracles.marginal(law, [1, 2])] * others
    last_two = daily_counts.count_dependency(two_days, a[1:], b[1:])
    for output, value in daily_counts.count_dependency([law] * others, a, b).items():
        assert value in (last_two[output[1:]], 1)


def crossing_records(E):
    """A record with the transitions of `sharp_law`, and the one that with two others breaks 4c."""
    law, start = daily_counts.sharp_law(E), Fraction(1, 1 + E)
    step = oracles.binary_step(Fraction(1, E * (1 + E)), Fraction(E, 1 + E))
    one = oracles.markov_law({1: start, 0: 1 - start}, [step, step])
    return one, {(0, 1 - x, y): mass for (x, y), mass in law.items()}


def test_different_markov_records_break_4c_on_the_third_day():
    one, two = crossing_records(6)
    assert largest_ratio([one, two]) == 6
    laws, a, b = [one, two, two], (0, 1, 0), (1, 0, 0)
    under_a, under_b = oracles.counts_law(laws, a), oracles.counts_law(laws, b)
    dependency = oracles.dependency(under_a, under_b)
    assert dependency[1, 2, 3] == Fraction(58528, 43) > 6**4
    assert daily_counts.count_dependency(laws, a, b)[1, 2, 3] == Fraction(58528, 43)
    # All days together stay within their bound, which is 6c for these secrets.
    assert oracles.greatest(laws, a, b, oracles.excess) == Fraction(968544, 3139) < 6**6


def test_different_markov_records_break_4c_for_c_of_ln_2_too():
    one, two = crossing_records(2)
    assert largest_ratio([one, two]) == 2
    assert daily_counts.greatest_dependency([one] + [two] * 14, (1, 0, 0), (0, 1, 1)) > 2**4


@pytest.mark.slow
@settings(max_examples=100)
@given(st.data())
def test_no_two_different_markov_records_were_found_that_break_4c(data):
    laws = [data.draw(chain_of_bits(3)) for _ in range(2)]
    a, b = data.draw(series(3)), data.draw(series(3))
    assert daily_counts.greatest_dependency(laws, a, b) <= largest_ratio(laws) ** 4


@pytest.mark.slow
@settings(max_examples=100)
@given(st.data(), st.integers(2, 4), st.integers(1, 3))
def test_all_days_of_any_markov_records_stay_within_2c_for_each_neighbour(data, days, others):
    laws = [data.draw(chain_of_bits(days)) for _ in range(others)]
    E = largest_ratio(laws)
    a, b = data.draw(series(days)), data.draw(series(days))
    found = daily_counts.greatest_dependency(laws, a, b, of="all")
    assert found <= E ** (2 * moves(a, b))
    bound = daily_counts.growth_bound(math.log(E), a, b)
    assert bound == pytest.approx(2 * math.log(E) * moves(a, b))
    assert bound <= 4 * math.log(E) * (days - 1) + 1e-12


@settings(max_examples=40)
@given(st.data(), st.integers(2, 3), st.integers(1, 2))
def test_that_holds_for_values_of_any_kind_of_which_a_property_is_counted(data, days, others):
    def law():
        weights = st.lists(st.integers(1, 9), min_size=3, max_size=3)

        def row():
            found = data.draw(weights)
            return {x: Fraction(w, sum(found)) for x, w in zip("abc", found, strict=True)}

        return oracles.markov_law(row(), [{x: row() for x in "abc"} for _ in range(days - 1)])

    laws = [law() for _ in range(others)]
    E = largest_ratio(laws)
    one, other = (data.draw(st.tuples(*[st.sampled_from("abc")] * days)) for _ in "ab")
    shown = "a".__eq__

    def bits(law):
        counted = {}
        for values, mass in law.items():
            key = tuple(map(shown, values))
            counted[key] = counted.get(key, 0) + mass
        return counted

    one, other = (tuple(map(shown, values)) for values in (one, other))
    exceeds = daily_counts.greatest_dependency([*map(bits, laws)], one, other, of="all")
    differs = [x != y for x, y in zip(one, other, strict=True)]
    assert exceeds <= E ** (2 * sum(x + y for x, y in pairwise(differs)))


@pytest.mark.parametrize(("days", "few", "many"), [(3, 4, 12), (4, 3, 5)])
def test_4c_for_all_days_is_sharp(days, few, many):
    """E^4 for each pair of neighbouring days is approached where all days differ."""
    E = Fraction(3, 2)
    p = 1 / (1 + E)
    step = oracles.binary_step(p / E, p * E)
    law = daily_counts.daily_law({1: p, 0: 1 - p}, step, days=days)
    shares = []
    for others in (few, many):
        ratios = daily_counts.count_dependency([law] * others, (0,) * days, (1,) * days, of="all")
        corner = ratios[(others,) * days]
        assert corner == daily_counts.sharp_dependency(others, E) ** (days - 1)
        shares.append(math.log(corner) / (4 * (days - 1) * math.log(E)))
    assert 0.2 < shares[0] < shares[1] < 1


def test_pairwise_independent_days_do_not_compose():
    """The third day is the parity of the first two: any two days are independent, so c = 0."""
    law = {(x, y, x ^ y): Fraction(1, 4) for x, y in product((0, 1), repeat=2)}
    for pair in ((0, 1), (1, 2), (0, 2)):
        assert daily_counts.dependence_ratio(law, *pair) == 1
    assert daily_counts.greatest_dependency([law], (0, 0, 0), (0, 0, 1)) == math.inf


@settings(max_examples=30)
@given(st.data(), st.integers(2, 3), st.integers(1, 3))
def test_the_series_is_private_as_the_days_and_the_bound_say(data, days, others):
    """(Σε_j + µ, Σδ_j) for all days together, from (ε_j, δ_j) for each."""
    laws = [data.draw(chain_of_bits(days)) for _ in range(others)]
    a, b = data.draw(series(days)), data.draw(series(days))
    under_a, under_b = (oracles.counts_law(laws, s) for s in (a, b))
    E = largest_ratio(laws) ** (2 * moves(a, b))
    deltas = Fraction(0)
    for j in range(days):
        ratio = data.draw(st.fractions(1, 3, max_denominator=5))
        alone = [oracles.marginal(law, [j]) for law in (under_a, under_b)]
        deltas += oracles.delta(*alone, ratio)
        E *= ratio
    assert oracles.delta(under_a, under_b, E) <= deltas


# Several questions


@given(st.data(), st.integers(1, 3), st.integers(0, 3))
def test_the_counts_of_several_questions_together(data, questions, others):
    laws = [data.draw(any_law(questions)) for _ in range(others)]
    a, b = data.draw(series(questions)), data.draw(series(questions))
    under_a, under_b = (oracles.counts_law(laws, s) for s in (a, b))
    profile = daily_counts.questions(laws, a, b).profile()
    for eps in (0.0, 0.4, 1.5, math.inf):
        E = math.inf if eps == math.inf else Fraction(math.exp(eps))
        truth = float(oracles.delta(under_a, under_b, E))
        assert profile.delta(eps) == pytest.approx(truth, abs=1e-12)
