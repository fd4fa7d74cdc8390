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


def largest_ratio(laws):
    """e^c of several records, over all consecutive days."""
    days = len(next(iter(laws[0])))
    return max(
        daily_counts.dependence_ratio(law, first=i, second=j)
        for law in laws
        for i, j in pairwise(range(days))
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
    assert daily_counts.dependence_ratio(law, first=1, second=2) == max(again, 1 / (1 - keep))


# The dependency of daily counts


@settings(max_examples=150)
@given(st.data(), st.integers(2, 3), st.integers(0, 3))
def test_the_dependency_is_that_of_definition_17_on_whole_databases(data, days, others):
    laws = [data.draw(any_law(days)) for _ in range(others)]
    a, b = data.draw(series(days)), data.draw(series(days))
    under_a, under_b = oracles.counts_law(laws, a), oracles.counts_law(laws, b)
    assert daily_counts.count_dependency(laws, a=a, b=b) == oracles.dependency(under_a, under_b)
    assert daily_counts.count_dependency(laws, a=a, b=b, of="all") == oracles.excess(
        under_a, under_b
    )
    assert daily_counts.greatest_dependency(laws, a=a, b=b) == oracles.greatest(laws, a, b)


# Example 9: two days


@settings(max_examples=40)
@given(st.data(), st.integers(2, 3), st.integers(0, 2))
def test_the_secret_of_one_day_is_a_mixture_over_the_target_s_other_days(data, days, others):
    laws = [data.draw(any_law(days)) for _ in range(others)]
    target, day = data.draw(any_law(days)), data.draw(st.integers(0, days - 1))
    if len({s[day] for s in target}) == 1:
        with pytest.raises(ValueError, match="target must be uncertain on day"):
            daily_counts.one_day(laws, target, day=day)
        return
    expected = []
    for bit in (1, 0):
        mixed = {}
        own = {s: m for s, m in target.items() if s[day] == bit}
        for secret, chance in own.items():
            for o, mass in oracles.counts_law(laws, secret).items():
                mixed[o] = mixed.get(o, 0) + mass * chance / sum(own.values())
        expected.append(mixed)
    assert daily_counts.one_day(laws, target, day=day) == tuple(expected)
    both = (oracles.dependency(*expected), oracles.dependency(*expected[::-1]))
    greatest = max(ratio for found in both for ratio in found.values())
    assert daily_counts.one_day_dependency(laws, target, day=day) == max(greatest, 1)


# Example 9: the condition as printed


@pytest.mark.slow
@given(st.data(), st.integers(1, 3))
def test_the_literal_condition_allows_less_than_5c(data, others):
    laws = [data.draw(chain_of_bits(2)) for _ in range(others)]
    c = math.log(max(daily_counts.literal_ratio(law) for law in laws))
    limit = daily_counts.literal_constant(c)
    assert 4 * c <= limit + 1e-12
    assert limit <= 5 * c + 1e-12
    for a, b in product(product((0, 1), repeat=2), repeat=2):
        found = math.log(daily_counts.greatest_dependency(laws, a=a, b=b))
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


@pytest.mark.slow
@settings(max_examples=100)
@given(st.data(), st.integers(2, 4), st.integers(1, 3))
def test_all_days_of_any_markov_records_stay_within_2c_for_each_neighbour(data, days, others):
    laws = [data.draw(chain_of_bits(days)) for _ in range(others)]
    E = largest_ratio(laws)
    a, b = data.draw(series(days)), data.draw(series(days))
    found = daily_counts.greatest_dependency(laws, a=a, b=b, of="all")
    assert found <= E ** (2 * moves(a, b))
    bound = daily_counts.growth_bound(math.log(E), a=a, b=b)
    assert bound == pytest.approx(2 * math.log(E) * moves(a, b))
    assert bound <= 4 * math.log(E) * (days - 1) + 1e-12


@pytest.mark.parametrize(("days", "few", "many"), [(3, 4, 12), (4, 3, 5)])
def test_4c_for_all_days_is_sharp(days, few, many):
    """E^4 for each pair of neighbouring days is approached where all days differ."""
    E = Fraction(3, 2)
    p = 1 / (1 + E)
    step = oracles.binary_step(p / E, p * E)
    law = daily_counts.daily_law({1: p, 0: 1 - p}, step, days=days)
    shares = []
    for others in (few, many):
        ratios = daily_counts.count_dependency(
            [law] * others, a=(0,) * days, b=(1,) * days, of="all"
        )
        corner = ratios[(others,) * days]
        assert corner == daily_counts.sharp_dependency(others, E) ** (days - 1)
        shares.append(math.log(corner) / (4 * (days - 1) * math.log(E)))
    assert 0.2 < shares[0] < shares[1] < 1


# Several questions
