"""Certified values of counts: they hold what an independent computation in balls finds."""

import math
import sys
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.certified.counts import BallCount
from tests.oracles import counts as oracles
from tests.oracles import thresholding as thresholded
from tests.oracles.counts import Group

CHANCES = st.one_of(
    st.floats(1e-12, 1 - 1e-12),
    st.floats(-12, -0.3).map(lambda x: 10.0**x),
    st.floats(-12, -0.3).map(lambda x: 1.0 - 10.0**x),
)
SIZES = st.floats(0, 4.5).map(lambda x: int(10**x))
# In standard deviations of an ε of 0, or as they are.
EPSILONS = st.one_of(st.just(0.0), st.floats(0, 40), st.floats(-30, 0).map(lambda x: 10.0**x))

NOTHING = (-math.inf, -math.inf)


def holds(bounds, truth):
    lower, upper = bounds
    return bool(arb(lower) <= truth) and bool(truth <= arb(upper))


def log_of(number):
    with ctx.workprec(200):
        return fraction_as_ball(number).log()


def fraction_as_ball(number):
    return arb(number.numerator) / number.denominator


def is_narrow(bounds, rtol=1e-15):
    lower, upper = bounds
    return upper - lower <= rtol * max(1.0, abs(upper))


@given(SIZES, SIZES, CHANCES, CHANCES, EPSILONS, st.booleans())
def test_counts_of_two_probabilities(size, other, p, q, eps, in_deviations):
    profile = counting.exact([p, q], multiplicities=[size, other])
    if in_deviations:
        eps /= 1.0 + math.sqrt(size * p * (1 - p) + other * q * (1 - q))
    truth = oracles.log_delta_two_groups(Group(size, p), Group(other, q), eps)
    bounds = profile.certified().bounds(eps)
    assert holds(bounds, truth)
    assert is_narrow(bounds)
    assert abs(profile.log_delta(eps) - bounds[1]) <= profile.error * max(1.0, abs(bounds[1]))


@given(SIZES, CHANCES, st.floats(0, 3), st.floats(0.1, 10))
def test_what_is_left_out_is_within_the_ball(size, p, eps, digits):
    """Asked for few digits, a sum leaves out much, and its ball has to be as wide."""
    with ctx.workprec(300):
        ball = BallCount([Fraction(p)], [size]).excess_within(eps, 0, size, digits)
    truth = oracles.log_delta_at_vertex(size, p, size, eps).exp()
    assert not ball.is_finite() or ball.overlaps(truth)


@given(SIZES, CHANCES, st.floats(0, 5), st.floats(-8, 8), st.booleans())
def test_events_anywhere_in_a_large_count(size, p, eps, in_deviations, is_scaled):
    deviation = math.sqrt(size * p * (1 - p))
    eps = eps / (1 + deviation) if is_scaled else eps
    threshold = min(max(round(size * p + in_deviations * deviation), 0), size)
    law, other = (BallCount([q], [size]) for q in (Fraction(p), 1 - Fraction(p)))
    found = law.log_excess_within(eps, threshold, size)
    other_found = other.log_excess_within(eps, 0, size - threshold)
    larger = max(found[0], other_found[0]), max(found[1], other_found[1])
    assert holds(larger, thresholded.log_delta_thresholded(size, p, threshold, eps))


@given(SIZES, CHANCES, st.floats(-40, 40))
def test_tails_of_a_count(size, p, in_deviations):
    start = round(size * p + in_deviations * math.sqrt(size * p * (1 - p)))
    with ctx.workprec(300):
        ball = BallCount([Fraction(p)], [size]).at_least(start, 60.0)
        truth = thresholded.log_binomial_tail(max(start, 0), size, p).exp()
        assert ball.overlaps(truth)
        assert ball.rel_accuracy_bits() > 70 or start > size


def test_no_event_of_an_empty_range():
    law = BallCount([Fraction(1, 3)], [5])
    assert law.log_excess_within(0.5, 6, 9) == law.log_excess_within(0.5, -3, -1) == NOTHING
    assert law.log_excess_within(math.inf, 0, 4) == NOTHING
    assert law.log_excess_within(math.inf, 0, 5) == law.log_excess(math.inf)
    # Beyond all losses of one more record, and not beyond all of several.
    assert law.log_excess_within(math.log(10.5), 0, 4)[0] > -math.inf
    assert law.log_excess_within(math.log(11.5), 0, 4) == NOTHING


def test_ten_billion_records_have_all_their_digits():
    """Of so many the angle of a bit less its mean was rounded by as much as showed in δ."""
    for eps in (1e-6, 6e-5, 6e-4):
        profile = counting.worst_case(10**10, 0.5)
        lower, upper = profile.certified().bounds(eps)
        assert lower <= profile.log_delta(eps) <= upper + 6e-13 * max(1.0, abs(upper))
        exact = counting.exact([0.3], multiplicities=[10**10 - 1])
        lower, upper = exact.certified().bounds(eps)
        assert abs(exact.log_delta(eps) - upper) <= 1e-14 * max(1.0, abs(upper))


@given(SIZES, CHANCES, st.floats(-300, 0))
def test_an_epsilon_is_enclosed(size, p, log_delta):
    profile = counting.exact([p], multiplicities=[size]).certified()
    low, high = profile.epsilon_bounds(log_delta=log_delta)
    assert low <= high
    assert profile.epsilon(log_delta=log_delta) == high
    assert high == math.inf or profile.bounds(high)[1] <= log_delta
    assert low == 0.0 or profile.bounds(low)[0] > log_delta
    if 0.0 < high < math.inf:
        assert high - low <= 1e-11 * high


def test_without_its_library_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    for name in [name for name in sys.modules if name.startswith("pkdp.certified")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"install pkdp\[certified\]"):
        counting.exact([0.3]).certified()
