"""Sums of masses from some outcome on, by one integral: against balls, and against their terms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pkdp.profiles._partial_sums import Bits, log_excesses, log_sums
from pkdp.profiles.laws import PoissonBinomial, binomial, log_binomial_cdf, log_binomial_tail
from tests.oracles import counts
from tests.oracles import thresholding as oracle

# A hundredth of the error that profiles state.
RTOL = 1e-14

MANY = [
    (10**4, 0.3), (10**6, 0.7), (10**9, 0.1), (10**12, 0.5), (10**12, 0.3),
    (10**12, 1 / 3), (10**12, 0.995), (10**12, 3e-9),
]  # fmt: skip


def near(found, truth, rtol=RTOL):
    return abs(float(found) - float(truth)) <= rtol * max(1.0, abs(float(truth)))


def at(n, p, in_deviations):
    return round(n * p + in_deviations * math.sqrt(n * p * (1 - p)))


def test_the_oracles_agree():
    with counts.ctx.workprec(counts.PRECISION):
        for n, p, k in ((300, 0.25, 90), (10**5, 0.5, 50_001), (10**5, 0.5, 60_000)):
            by_terms = oracle.log_binomial_tail(k, n, p)
            assert abs(oracle.log_tail_by_integral(k, n, p) - by_terms) < 1e-20 * abs(by_terms)
        thresholded = oracle.Thresholded(10**5, 0.2, 1e-4)
        for j in (20_050, 19_990):
            by_terms = thresholded.gain(0, j).log()
            found = oracle.log_excess_by_integral(j, 10**5, 0.2, 1e-4)
            assert abs(found - by_terms) < 1e-20 * abs(by_terms)


@pytest.mark.parametrize(("n", "p"), MANY)
def test_tails_of_a_trillion_trials_agree_with_balls(n, p):
    for in_deviations in (0.01, 0.5, 2.0, 7.0, 30.0):
        k = at(n, p, in_deviations)
        assert near(log_binomial_tail(k, n, p), oracle.log_tail_by_integral(k, n, p))
        k = at(n, p, -in_deviations)
        fewer = oracle.log_tail_by_integral(n - k, n, 1 - Fraction(p))
        assert near(log_binomial_cdf(k, n, p), fewer)


@pytest.mark.parametrize(("n", "p"), MANY)
def test_excesses_of_a_trillion_trials_agree_with_balls(n, p):
    bits, deviation = Bits.binomial(n, p), math.sqrt(n * p * (1 - p))
    for in_deviations in (-2.0, -0.3, 0.0, 0.4, 3.0, 20.0):
        for part in (0.0, 1e-6, 0.1, 0.5):
            # Up to half the tilt towards the outcome nothing cancels.
            eps = part * max(0.1, in_deviations) / deviation
            j = at(n, p, in_deviations)
            truth = oracle.log_excess_by_integral(j, n, p, eps)
            assert near(log_excesses(bits, np.array([j]), eps)[0], truth), (in_deviations, eps)


@given(
    st.lists(st.floats(1e-4, 1 - 1e-4), min_size=1, max_size=4),
    st.integers(1500, 6000),
    st.floats(-9, 9),
    st.floats(0, 0.9),
    st.integers(1, 300),
)
def test_steps_of_several_probabilities_agree_with_their_masses(
    probabilities, times, in_deviations, part, terms
):
    law = PoissonBinomial(probabilities, [times * 200] * len(probabilities))
    deviation = math.sqrt(law.variance)
    j = round(law.mean + in_deviations * deviation)
    masses = law.log_pmf(j, j + terms)
    found = law.log_steps(j, terms=1)
    assume(found is not None)
    assert near(found, masses[0], 1e-11)
    assume(in_deviations > 0.1)
    # Up to nearly the tilt towards the outcome, all steps are down and of some size.
    eps = part * in_deviations / deviation
    steps = masses[:-1] + np.log(-np.expm1(eps + np.diff(masses)))
    assert near(law.log_steps(j, eps, terms), np.logaddexp.reduce(steps), 1e-8)


def test_a_mirrored_law_has_the_same_sums():
    random = np.random.default_rng(3)
    law = PoissonBinomial(random.random(3000) ** 2)  # more than are kept apart
    k = round(law.mean + 40)
    assert near(law.mirrored().log_lower(law.trials - k), law.log_upper(k), 1e-13)
    assert near(law.mirrored().mirrored().log_upper(k), law.log_upper(k), 1e-13)
    window = law.window(law.tilt_towards(k))
    tail = np.logaddexp.reduce(window.log_pmf[window.outcomes >= k])
    assert near(law.log_upper(k), tail, 1e-12)


def test_outcomes_are_worked_through_in_blocks():
    bits, outcomes = Bits.binomial(10**8, 0.25), 25_000_000 + 7 * np.arange(5000.0)
    tilts = np.full(outcomes.size, 1e-3)
    together = log_sums(bits, outcomes, tilts)
    apart = [float(log_sums(bits, outcomes[[k]], tilts[[k]])[0]) for k in (0, 3333, 4999)]
    assert together[[0, 3333, 4999]].tolist() == pytest.approx(apart, rel=1e-15)
    assert log_sums(bits, outcomes[:0], tilts[:0]).size == 0


def test_an_overflowing_ratio_leaves_nothing():
    bits = Bits.binomial(10**6, 0.5)
    assert log_excesses(bits, np.array([500_900, 499_000]), 1e4).tolist() == [-math.inf] * 2


def test_a_narrow_count_is_left_to_its_masses():
    assert binomial(200, 0.3).log_steps(70) is None
    assert binomial(10**6, 0.3).log_steps(10**6 - 3) is None
    assert binomial(10**6, 0.3).log_steps(10**6) is None
    assert binomial(0, 0.3).log_steps(0) is None
