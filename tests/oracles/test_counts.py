"""The second implementations agree with one another where their ranges meet."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import counts as oracles
from tests.oracles.counts import Group

eighths = st.integers(0, 8).map(lambda i: Fraction(i, 8))
inner = st.integers(1, 15).map(lambda i: Fraction(i, 16))
half = st.integers(1, 8).map(lambda i: Fraction(i, 16))
epsilons = st.one_of(st.just(0.0), st.floats(1e-30, 12))


def close(one, other):
    one, other = float(one), float(other)
    return abs(one - other) <= 1e-15 * max(1, abs(other))


@pytest.mark.slow
@given(st.lists(eighths, max_size=4), st.integers(8, 40).map(lambda i: Fraction(i, 8)))
def test_whole_databases_agree_with_convolution(probabilities, E):
    whole = oracles.active_delta([Fraction(1, 2), *probabilities], 0, [], E)
    assert whole == oracles.count_delta(probabilities, E)


@given(st.lists(eighths, min_size=1, max_size=9), epsilons)
def test_the_product_tree_agrees_with_enumeration(probabilities, eps):
    tree = oracles.log_delta_any(probabilities, eps)
    assert close(tree, oracles.log_delta_by_enumeration(probabilities, eps))


@given(inner, st.integers(0, 6), inner, st.integers(1, 6), epsilons)
def test_the_single_sum_agrees_with_enumeration(p, size, q, other_size, eps):
    single = oracles.log_delta_two_groups(Group(size, p), Group(other_size, q), eps)
    assert close(single, oracles.log_delta_by_enumeration([p] * size + [q] * other_size, eps))


def test_the_single_sum_agrees_with_the_product_tree():
    for eps in (0.0, 0.02, 0.5, 9.0):
        single = oracles.log_delta_two_groups(Group(300, 0.2), Group(500, 0.9), eps)
        assert close(single, oracles.log_delta_any([0.2] * 300 + [0.9] * 500, eps))


@given(st.integers(1, 12), half, epsilons)
def test_the_blanket_sum_agrees_with_enumeration(N, lam, eps):
    law = oracles.trinomial(N, lam)
    ahead = {(x + 1, y): mass for (x, y), mass in law.items()}
    behind = {(x, y + 1): mass for (x, y), mass in law.items()}
    truth = oracles.log_hockey_stick(ahead, behind, eps)
    assert close(oracles.log_delta_blanket(N, lam, eps), truth)
    E = Fraction(math.exp(eps))
    assert float(oracles.blanket_delta(N, lam, E)) == pytest.approx(math.exp(truth), rel=1e-9)


@given(st.integers(1, 12), half, st.integers(1, 90).map(lambda i: i / 16))
def test_the_tail_sum_agrees_with_enumeration(N, lam, eps):
    truth = oracles.tail_delta(N, lam, Fraction(math.exp(eps)))
    assert math.exp(oracles.log_delta_tail(N, lam, eps)) == pytest.approx(float(truth), rel=1e-13)


@pytest.mark.parametrize("N", [1, 2, 40, 700])
@pytest.mark.parametrize("lam", [0.01, 0.3, 0.5])
@pytest.mark.parametrize("eps", [0.0, 0.1, 2.0])
def test_the_recurrence_agrees_with_ball_arithmetic(N, lam, eps):
    every = oracles.log_deltas_by_recurrence(N, lam, eps)
    for m in {0, 1, N // 3, N // 2, N - 1, N}:
        truth = float(oracles.log_delta_at_vertex(N, lam, m, eps))
        assert every[m] == pytest.approx(truth, rel=1e-11, abs=1e-11)


def test_the_rational_above_exp_is_barely_above():
    for eps in (0, Fraction(1, 2), 1, Fraction(7, 2), 20):
        above = oracles.rational_above_exp(eps)
        with oracles.ctx.workprec(oracles.PRECISION):
            excess = oracles.ball(above) - oracles.ball(Fraction(eps)).exp()
            assert 0 <= excess < 1e-29 if eps else excess < 1e-29
