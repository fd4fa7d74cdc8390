"""The second implementations of thresholds agree with one another where their ranges meet."""

import math
from fractions import Fraction

from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import counts
from tests.oracles import thresholding as oracles
from tests.oracles.counts import Group

inner = st.integers(1, 15).map(lambda i: Fraction(i, 16))
epsilons = st.one_of(st.just(0.0), st.floats(1e-9, 6))


def agree(one, other):
    """Both are balls of the same number, or one of them may be 0 and the other one is."""
    if one.is_finite() and other.is_finite():
        return one.overlaps(other) and float(one.rad()) < 1e-20 * (1 + abs(float(one)))
    return not one > -150 and not other > -150


@given(st.lists(st.tuples(st.integers(1, 5), inner), min_size=1, max_size=2), epsilons, st.data())
def test_both_extremes_of_two_groups_agree_with_a_list_of_all_counts(groups, eps, data):
    groups = [Group(size, p) for size, p in groups]
    every = [g.p for g in groups for _ in range(g.size)]
    threshold = data.draw(st.integers(0, len(every) // 2))
    for symbols in (1, 2):
        if 2 * threshold + 1 == len(every) and symbols == 1 and eps == 0.0:
            continue  # two masses may be equal, which no ball tells
        release = oracles.release_between(threshold, symbols)
        listed = oracles.log_delta_of_release(every, release, eps)
        assert agree(oracles.log_delta_between(groups, threshold, symbols, eps), listed)


@settings(max_examples=30)
@given(st.integers(0, 60), st.integers(0, 60), st.floats(1e-6, 1 - 1e-6), epsilons, st.data())
def test_a_walk_over_what_is_known_leaves_nothing_out(unknown, known, p, eps, data):
    """Against the plain sum over all numbers of known 1s."""
    threshold = data.draw(st.integers(0, unknown + known + 1))
    with ctx.workprec(counts.PRECISION):
        law = oracles.Thresholded(unknown, p, eps)
        seen = oracles.Thresholded(known, p, 0.0)
        sums = [arb(0), arb(0)]
        for b in range(known + 1):
            for i, gain in enumerate(law.both(threshold - b)):
                sums[i] += seen.mass(b) * gain
        plain = oracles.log_of(sums[0].max(sums[1]))
        assert agree(oracles.log_delta_passive(unknown, known, p, threshold, eps), plain)


def test_a_walk_far_out_is_that_of_the_sum_of_both_counts():
    """Far above the mean the known records cost nothing: δ(0) is the mass of all at T, nearly."""
    found = oracles.log_delta_passive(4 * 10**8, 6 * 10**8, 1e-3, 4 * 10**6, 0.0)
    mass = oracles.log_binomial_pmf(4 * 10**6, 10**9, 1e-3)
    assert -3e6 < float(found) < -1e6
    assert math.isclose(float(found), float(mass), rel_tol=1e-12)
