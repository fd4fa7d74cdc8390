"""Hypotheses as a record of a world, and the parity of memberships."""

import math
from fractions import Fraction as F
from random import Random

import mpmath
import numpy as np
import pytest

from pkdp.databases import hypothesis_worlds
from pkdp.worlds.definitions import apk_delta, np_ratio
from tests.oracles import hypotheses as oracle

ONE, NONE = {(0, 1): F(1, 2), (1, 0): F(1, 2)}, {(0, 0): 1}


def halves(k):
    """All vectors with an even number of ones, and all with an odd one."""
    even = oracle.normalized({bits: 1 for bits in oracle.vectors(k) if sum(bits) % 2 == 0})
    odd = oracle.normalized({bits: 1 for bits in oracle.vectors(k) if sum(bits) % 2})
    return even, odd


def replies(ratios, deltas):
    return lambda database: oracle.view(database[1:], ratios, deltas)


# Worlds


def test_a_world_has_the_hypothesis_before_the_bits():
    world = hypothesis_worlds.world(ONE, NONE, chance=F(1, 3))
    assert dict(world.masses) == {
        ((0, 0, 0), ()): F(2, 3),
        ((1, 0, 1), ()): F(1, 6),
        ((1, 1, 0), ()): F(1, 6),
    }
    assert world.records == (0, 1)


def test_the_knowledge_is_the_known_bits():
    world = hypothesis_worlds.world(ONE, NONE, known=[2, 1])
    assert world.masses[(1, 0, 1), (1, 0)] == F(1, 4)
    assert hypothesis_worlds.world(ONE, NONE, known=[1]) == hypothesis_worlds.world(
        ONE, NONE
    ).knowing([1])


@pytest.mark.parametrize("seed", range(20))
def test_given_the_hypothesis_the_bits_have_its_law(seed):
    draws = Random(seed)
    prior, other = oracle.random_prior(draws, 2), oracle.random_prior(draws, 2)
    world = hypothesis_worlds.world(prior, other, chance=F(draws.randint(1, 8), 9))
    for h, law in ((1, prior), (0, other)):
        given = world.given(lambda database, _, h=h: database[0] == h)
        assert given.law_of(lambda database: database[1:]) == law


# Parity


@pytest.mark.parametrize("seed", range(40))
def test_a_parity_is_as_private_as_the_exact_mixtures(seed):
    draws = Random(seed)
    k = draws.randint(1, 4)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    profile = hypothesis_worlds.parity([math.log(r) for r in ratios], [float(d) for d in deltas])
    even, odd = halves(k)
    for step in (0, 1, 2, 5, 20, 80, 1000):
        ratio = 1 + F(step, 10)
        exact = oracle.delta(even, odd, ratios, deltas, ratio)
        assert exact == oracle.one_way(even, odd, ratios, deltas, ratio)  # both ways alike
        found = profile.delta(math.log(ratio))
        assert exact <= F(found) + F(1, 10**13)
        assert found == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_without_leaks_hyperbolic_tangents_multiply(seed):
    draws = Random(seed)
    ratios = [1 + F(draws.randint(1, 30), 10) for _ in range(draws.randint(1, 4))]
    product = math.prod((r - 1) / (r + 1) for r in ratios)
    assert oracle.least_ratio(*halves(len(ratios)), ratios) == (1 + product) / (1 - product)
    found = hypothesis_worlds.parity([math.log(r) for r in ratios]).epsilon(0.0)
    assert math.exp(found) == pytest.approx(float((1 + product) / (1 - product)), rel=1e-11)


def test_through_the_definitions_of_worlds():
    world = hypothesis_worlds.world(*halves(3))
    mechanism = replies([2, 3, 4], [0, 0, 0])
    product = F(1, 3) * F(1, 2) * F(3, 5)
    assert np_ratio(world, mechanism, [0]) == (1 + product) / (1 - product) == F(11, 9)
    found = hypothesis_worlds.parity(np.log([2, 3, 4]), [0.0, 0.0, 0.0]).delta(math.log(1.1))
    assert found == pytest.approx(float(apk_delta(world, mechanism, F(11, 10), [0])), rel=1e-11)


def test_all_leak_or_only_some_do():
    profile = hypothesis_worlds.parity([1.0] * 50, 1e-3)
    assert profile.log_delta(math.inf) == pytest.approx(50 * math.log(1e-3), rel=1e-11)
    # One that does not leak: Σ over their number.
    one_left = [math.comb(50, j) * 1e-3 ** (50 - j) * 0.999**j for j in range(51)]
    expected = sum(w * math.tanh(0.5) ** j for j, w in enumerate(one_left))
    assert profile.delta(0) == pytest.approx(expected, rel=1e-9)


def test_large_and_many():
    assert hypothesis_worlds.parity([700.0]).epsilon(0.0) == pytest.approx(700.0, rel=1e-9)
    assert hypothesis_worlds.parity([700.0] * 3).epsilon(0.0) == pytest.approx(
        700 - math.log(3), rel=1e-9
    )
    assert hypothesis_worlds.parity([20.0] * 1000, 1e-9).delta(0) <= 1
    tiny = hypothesis_worlds.parity([0.1] * 100).log_delta(0)
    assert tiny == pytest.approx(100 * math.log(math.tanh(0.05)), rel=1e-10)
    # Below all floats: it was said to be 0.
    for deltas in (0.0, 1e-30):
        tiny = hypothesis_worlds.parity([0.01] * 1000, deltas).log_delta(0)
        assert tiny == pytest.approx(1000 * math.log(math.tanh(0.005)), rel=1e-12)


@pytest.mark.parametrize("eps", [1e-12, 1e-3, 0.5, 10.0])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_a_parity_is_not_below_the_truth_where_the_curve_is_steep(eps, k):
    profile = hypothesis_worlds.parity([eps] * k)
    with mpmath.workdps(200):
        tangent = mpmath.tanh(mpmath.mpf(eps) / 2) ** k
        whole = 2 * mpmath.atanh(tangent)
        assert profile.epsilon(0.0) >= whole
        for part in (1e-6, 1e-9, 1e-12):
            at = float(whole * (1 - part))
            truth = -mpmath.expm1(at - whole) / (1 + mpmath.exp(-whole))
            assert profile.log_delta(at) >= mpmath.log(truth)
