"""Certified values of counts: they hold what an independent computation in balls finds."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.certified.counts import BallCount
from pkdp.profiles import laws
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import Formula, PrivacyProfile
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


@given(st.lists(CHANCES, max_size=12), st.floats(0, 6))
def test_counts_of_any_probabilities(probabilities, eps):
    bounds = counting.exact(probabilities).certified().bounds(eps)
    with ctx.workprec(200):
        truth = oracles.log_delta_by_enumeration(probabilities, eps)
    assert holds(bounds, truth)
    assert is_narrow(bounds)


@given(SIZES, CHANCES, st.floats(0, 3), st.floats(0.1, 10))
def test_what_is_left_out_is_within_the_ball(size, p, eps, digits):
    """Asked for few digits, a sum leaves out much, and its ball has to be as wide."""
    with ctx.workprec(300):
        ball = BallCount([Fraction(p)], [size]).excess_within(eps, 0, size, digits)
    truth = oracles.log_delta_at_vertex(size, p, size, eps).exp()
    assert not ball.is_finite() or ball.overlaps(truth)


@given(st.lists(CHANCES, min_size=1, max_size=7), EPSILONS, st.data())
def test_events_that_begin_in_a_range(probabilities, eps, data):
    """Those of a thresholded count: it leaves fewer to choose from, on either side."""
    total = len(probabilities)
    threshold = data.draw(st.integers(0, total + 1))
    bits = [Fraction(p) for p in probabilities]
    others = [1 - p for p in bits]
    truth = thresholded.log_both(probabilities, threshold, eps)
    forth = BallCount(bits, [1] * total).log_excess_within(eps, threshold, total)
    back = BallCount(others, [1] * total).log_excess_within(eps, 0, total - threshold)
    for found, expected in zip((forth, back), truth, strict=True):
        if expected == arb.neg_inf():
            assert found == NOTHING
        else:
            assert holds(found, expected)


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


def test_sure_and_impossible_bits_change_nothing():
    profile = counting.exact([0.0, 0.3, 1.0, 0.3]).certified()
    assert profile.bounds(0.5) == counting.exact([0.3, 0.3]).certified().bounds(0.5)
    assert counting.exact([0.0, 1.0]).certified().bounds(0.5)[1] == 0.0


def test_both_records_and_any_shift_of_the_count():
    law = laws.PoissonBinomial([0.1, 0.3, 0.9], [3, 4, 5])
    expected = counting.exact([0.1, 0.3, 0.9], multiplicities=[3, 4, 5]).certified().bounds(0.3)
    mirrored = law.mirrored()
    for pair in (
        Pair(law.shift(3), law.shift(2)),
        Pair(law, law.shift(1)),
        Pair(mirrored.shift(1), mirrored),
    ):
        assert pair.profile().certified().bounds(0.3) == expected


def test_no_finite_loss_is_left_at_infinity():
    lower, upper = counting.exact([0.25, 0.5]).certified().bounds(math.inf)
    assert holds((lower, upper), log_of(Fraction(3, 8)))
    assert counting.exact([0.25, 0.5]).certified().bounds(2000.0) == (lower, upper)


def test_bounds_of_floats_are_their_margins():
    profile = counting.exact([0.3], multiplicities=[1000])
    lower, upper = profile.bounds(0.2)
    value = profile.log_delta(0.2)
    assert lower < value < upper
    assert upper - lower < 1e-9
    assert counting.worst_case(1000, 0.3).bounds(0.2)[1] == counting.worst_case(
        1000, 0.3
    ).log_delta(0.2)
    nothing = PrivacyProfile(Formula(lambda eps: -1.0), "exact", error=math.inf)
    assert nothing.bounds(1.0) == (-math.inf, 0.0)
    assert profile.bounds(math.inf)[0] < profile.log_delta(math.inf)


def test_bounds_keep_the_shape_of_their_argument():
    profile = counting.exact([0.3], multiplicities=[100]).certified()
    lower, upper = profile.bounds([[0.0, 0.1], [0.2, math.inf]])
    assert lower.shape == upper.shape == (2, 2)
    assert (lower[0, 1], upper[0, 1]) == profile.bounds(0.1)
    low, high = profile.epsilon_bounds([0.1, 1e-3])
    assert low.shape == high.shape == (2,)
    assert (low <= high).all()
    np.testing.assert_array_equal(profile.epsilon([0.1, 1e-3]), high)


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


def test_certified_values_are_upper_ends():
    profile = counting.exact([0.3], multiplicities=[100]).certified()
    assert profile.log_delta(0.4) == profile.bounds(0.4)[1]
    assert profile.delta(0.4) >= math.exp(profile.bounds(0.4)[1])
    assert profile.delta(profile.epsilon(1e-3)) <= 1e-3
    assert repr(profile) == "CertifiedProfile(exact)"


def test_without_its_library_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    for name in [name for name in sys.modules if name.startswith("pkdp.certified")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"install pkdp\[certified\]"):
        counting.exact([0.3]).certified()
