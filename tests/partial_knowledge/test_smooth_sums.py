"""Sums over the blanket through polynomials: against balls, recurrences and a single integral."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.partial_knowledge import _blanket_sums, _smooth_sums
from pkdp.partial_knowledge._smooth_sums import Multiples, OnLattice, Polynomial, Sizes, nodes
from pkdp.profiles.laws import binomial
from tests.oracles import counts as oracles

# A third of the error that profiles state.
RTOL = 3e-13


def near(found, truth, rtol=RTOL):
    return abs(found - truth) <= rtol * max(1.0, abs(truth))


def by_recurrences(sum_of_blanket, *arguments):
    """What is found where no blanket counts as large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_smooth_sums, "_MANY_COINS", math.inf)
        return sum_of_blanket(*arguments)


def is_smooth(unknown, lam, eps):
    coins = _blanket_sums._FairCoins(eps)
    return Sizes.of_blanket(unknown, lam, coins.log_rho).are_large(coins.theta * coins.phi)


@pytest.mark.parametrize("eps", [0.0, 1e-19, 1e-4, 0.05, math.log(2), 2.5])
def test_polynomials_agree_with_balls(eps):
    unknown, lam = 15_000, 0.45
    assert is_smooth(unknown, lam, eps) or eps == 2.5
    found = _blanket_sums.log_hockey_stick(unknown, lam, eps)
    assert near(found, float(oracles.log_delta_blanket(unknown, lam, eps)))
    found = _blanket_sums.log_tail(unknown, lam, 1, eps)
    assert near(found, float(oracles.log_delta_tail(unknown, lam, eps)))


@given(
    st.integers(10_000, 3_000_000),
    st.one_of(st.sampled_from([0.5, 0.25, 0.5 - 1e-6]), st.floats(0.005, 0.5)),
    st.one_of(
        st.sampled_from([0.0, 1e-20, 1e-12, math.log(1.5), math.log(2), math.log(3)]),
        st.floats(-4, 3.5).map(lambda x: 10**x),
    ),
    st.booleans(),
)
def test_polynomials_agree_with_recurrences(unknown, lam, eps, in_deviations):
    if in_deviations:
        eps /= math.sqrt(unknown * lam)
    arguments = unknown, lam, min(eps, math.log(unknown))
    one = _blanket_sums.log_hockey_stick
    assert near(one(*arguments), by_recurrences(one, *arguments))
    for offset in (0, 1):
        arguments = unknown, lam, offset, min(eps, math.log(unknown))
        other = _blanket_sums.log_tail
        assert near(other(*arguments), by_recurrences(other, *arguments))


@pytest.mark.parametrize("in_deviations", [0.0, 1e-3, 1.0, 6.0, 40.0])
def test_at_one_half_the_blanket_is_a_count_of_fair_coins(in_deviations):
    unknown = 10**12 - 1
    eps = in_deviations / math.sqrt(unknown / 2)
    truth = counting.exact([0.5], [unknown]).log_delta(eps)
    assert near(_blanket_sums.log_hockey_stick(unknown, 0.5, eps), truth)


@pytest.mark.parametrize("in_deviations", [1e-3, 1.0, 6.0, 40.0])
def test_degrees_stay_low_however_large_the_blanket(in_deviations):
    for unknown in (10**9, 10**12):
        eps = in_deviations / math.sqrt(unknown * 0.05)
        coins = _blanket_sums._FairCoins(eps)
        blanket = Sizes.of_blanket(unknown, 0.05, coins.log_rho)
        smooth = coins._smooth(blanket, eps, _blanket_sums.kernel, coins.phi, -1.0)
        assert max(smooth.coefficients.shape) <= 7


@given(
    st.floats(8, 10.5).map(lambda x: int(10**x)),
    st.one_of(st.sampled_from([0.25, 0.5 - 1e-6]), st.floats(0.005, 0.499)),
    st.one_of(st.sampled_from([0.0, 1e-20, math.log(2), math.log(3)]), st.floats(-4, 3.5)),
)
def test_sums_by_blocks_are_those_size_by_size(unknown, lam, log_of_deviations):
    special = log_of_deviations in (0.0, 1e-20, math.log(2), math.log(3))
    eps = log_of_deviations if special else 10**log_of_deviations / math.sqrt(unknown * lam)
    asked = [
        (_blanket_sums.log_hockey_stick, (unknown, lam, eps)),
        *((_blanket_sums.log_tail, (unknown, lam, offset, eps)) for offset in (0, 1)),
    ]
    for one, arguments in asked:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_smooth_sums, "_MANY_SIZES", math.inf)
            truth = one(*arguments)
        assert near(one(*arguments), truth, 3e-14)


@given(
    st.integers(1, 2**64 - 1) | st.sampled_from([2**63, 2**62, 2**64 // 3]),
    st.integers(2, 60),
    st.integers(1, 7),
    st.integers(0, 1),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
)
def test_a_sum_of_blocks_is_the_sum_of_its_terms(fixed, size, number, offset, coefficients):
    """In exact fractions; a φ that is a ratio of small numbers has many parts that are 0."""
    first = 10**12
    interval = float(first), float(first + size * number)
    in_c_and_r = np.array([coefficients[:2], coefficients[2:]], dtype=float)
    polynomial = Polynomial(in_c_and_r, (interval, (0.0, 1.0)))
    value = OnLattice(polynomial, Multiples(fixed << 64), offset)
    certain = Polynomial(np.zeros(1), (interval,))
    flat = _smooth_sums._sum_of_blocks(certain, value, first, size, number)
    truth = Fraction(0)
    for c in range(first, first + size * number):
        x = Fraction(2 * (c - first), size * number) - 1
        r = Fraction((c + offset) * fixed % 2**64, 2**64)
        values = [a + b * (2 * r - 1) for a, b in (coefficients[:2], coefficients[2:])]
        truth += values[0] + values[1] * x
    assert flat[0] == pytest.approx(float(truth), abs=1e-12 * size * number)
    assert flat[1] == pytest.approx(size * number)


def test_of_a_trillion_records_few_sizes_are_looked_at(monkeypatch):
    looked_at = 0

    def counted(method):
        def count(self, *variables):
            nonlocal looked_at
            looked_at += np.size(variables[0])
            return method(self, *variables)

        return count

    for name in ("__call__", "from_origin"):
        monkeypatch.setattr(Polynomial, name, counted(getattr(Polynomial, name)))
    for unknown in (10**9, 10**10, 10**12 - 1):
        for in_deviations in (0.1, 5.0):
            looked_at, eps = 0, in_deviations / math.sqrt(unknown * 0.05)
            _blanket_sums.log_hockey_stick(unknown, 0.05, eps)
            _blanket_sums.log_tail(unknown, 0.05, 1, eps)
            assert 10_000 < looked_at < 100_000


@given(st.floats(-10, 10), st.floats(0.5, 5), st.floats(0.1, 2))
def test_a_polynomial_goes_through_an_analytic_function(low, width, scale):
    intervals = (low, low + width), (0.0, 1.0)
    x, y = (nodes(*interval) for interval in intervals)
    values = np.cos(scale * x[:, None]) + np.exp(-scale * y)
    found = Polynomial.through(values, *intervals, no_part=1e-15)
    at = np.linspace(low, low + width, 9), np.linspace(0, 1, 9)
    truth = np.cos(scale * at[0]) + np.exp(-scale * at[1])
    assert np.abs(found(*at) - truth).max() < 1e-12


@pytest.mark.parametrize("p", [0.5, 1e-4, 1 - 1e-4, 1.0])
@pytest.mark.parametrize("unknown", [3, 10**4, 10**8, 10**12])
def test_sizes_have_the_mean_and_variance_of_their_law(unknown, p):
    if unknown * p * (1 - p) > 1e9:
        p = 1e-4 if p < 1.0 else p
    log_odds = math.log(p) - math.log1p(-p) if p < 1.0 else math.inf
    sizes, law = Sizes(unknown, log_odds), binomial(unknown, p)
    mean = sizes.mean(lambda c: c - law.mean)
    assert abs(mean) <= 1e-9 * max(1.0, math.sqrt(law.variance)) + 1e-15 * unknown
    assert near(sizes.mean(lambda c: (c - law.mean) ** 2), law.variance, 1e-9)
