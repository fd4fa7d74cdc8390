"""The second implementations of counts with noise agree with one another, and with rationals."""

import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import counts, noise

inner = st.floats(1e-3, 1 - 1e-3)
lambdas = st.one_of(st.just(0.5), st.floats(1e-3, 0.5))
falls = st.one_of(st.floats(0.05, 0.97), st.floats(-6, -1).map(lambda x: 10.0**x))
parts = st.one_of(st.just(0.0), st.floats(0, 0.99), st.just(1 - 1e-5))


def holds(ball, truth):
    """Whether it holds ln of a rational that is known to 50 digits."""
    with ctx.workprec(counts.PRECISION):
        near = counts.ball(truth).log() + arb(0, 1e-50)
        return ball.overlaps(near) and float(ball.rad()) < 1e-20


@pytest.mark.slow
@given(st.integers(0, 5), inner, st.integers(1, 5), inner, falls, parts)
def test_windows_of_masses_agree_with_rationals(size, p, other_size, q, fall, part):
    eps = -part * math.log(fall)
    ball = noise.log_of_many([(size, p), (other_size, q)], arb(fall), eps, False)
    bits = [Fraction(p)] * size + [Fraction(q)] * other_size
    E = noise.rational_exp(eps)
    truth, _ = noise.geometric_count_delta(bits, Fraction(fall), E)
    assert holds(ball, truth)


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(1, 4), inner, st.floats(0.3, 3), st.floats(0, 0.9))
def test_windows_of_masses_agree_with_an_integral(size, q, scale, part):
    with ctx.workprec(noise.COIN_PRECISION):
        fall = (-1 / arb(scale)).exp()
    eps = part / scale
    ball = noise.log_of_many([(size, q)], fall, eps, True)
    law = counts.count_law([Fraction(q)] * size)
    with mpmath.workdps(40):
        E = mpmath.exp(mpmath.mpf(eps))
        integral = noise.laplace_hockey_stick(counts.shifted(law), law, scale, E)
        assert abs(mpmath.mpf(ball.mid().str(40, radius=False)) - mpmath.log(integral)) < 1e-15


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(1, 12), lambdas, falls, parts)
def test_coins_taken_off_agree_with_rationals(unknown, lam, fall, part):
    eps = -part * math.log(fall)
    ball = noise.log_blanket_of_many(unknown, lam, arb(fall), eps, False)
    E = noise.rational_exp(eps)
    assert holds(ball, noise.geometric_blanket_delta(unknown, Fraction(lam), Fraction(fall), E))


@settings(max_examples=12)
@given(st.integers(60, 150), st.floats(1e-3, 0.49), falls, parts, st.booleans())
def test_coins_taken_off_agree_with_coins_added(unknown, lam, fall, part, is_laplace):
    """Where sizes follow one from another."""
    eps = -part * math.log(fall)
    args = unknown, lam, arb(fall), eps
    downwards = noise.log_blanket_of_many(*args, is_laplace)
    upwards = noise.log_blanket(*args, unknown, is_laplace)
    assert downwards.overlaps(upwards)
    assert float(downwards.rad()) < 1e-20


@settings(max_examples=15)
@given(st.integers(1, 6), lambdas, falls, parts, st.data())
def test_vertices_left_out_are_no_worse(unknown, lam, fall, part, data):
    eps, likely = -part * math.log(fall), data.draw(st.integers(0, unknown))
    ball, is_all = noise.log_worst(unknown, lam, arb(fall), eps, likely, 40, False)
    E = noise.rational_exp(eps)
    assert is_all
    assert holds(ball, noise.geometric_worst_delta(unknown, Fraction(lam), Fraction(fall), E))


@pytest.mark.parametrize("is_laplace", [False, True])
def test_windows_are_wide_enough(is_laplace, monkeypatch):
    """What is left out is bounded: a narrower window holds the truth, or says it is too narrow."""
    args = [(10**5, 0.3)], arb(0.9), 0.08, is_laplace
    wide = noise.log_of_many(*args)
    monkeypatch.setattr(noise, "NARROW", 1.0)
    monkeypatch.setattr(noise, "_REACH", 6)
    narrow = noise.log_of_many(*args)
    assert narrow.overlaps(wide)
    assert float(narrow.rad()) > float(wide.rad())
