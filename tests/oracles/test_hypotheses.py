"""The oracle itself, against values found by hand."""

import math
from fractions import Fraction as F
from random import Random

import pytest

from tests.oracles import hypotheses as oracle

NOBODY = {(0, 0): 1}
EVERYBODY = {(1, 1): 1}
SOMEBODY = {(0, 1): F(1, 3), (1, 0): F(1, 3), (1, 1): F(1, 3)}
PURE = ([2, 2], [0, 0])


def test_one_reply():
    assert oracle.reply(1, 3, 0) == {1: F(3, 4), 0: F(1, 4)}
    assert oracle.reply(0, 3, F(1, 5)) == {"leaked 0": F(1, 5), 0: F(3, 5), 1: F(1, 5)}
    assert oracle.reply(0, 3, 1) == {"leaked 0": 1}


def test_one_database():
    # Odds 3 : 1, and a leak of 1/10.
    point, other = {(1,): 1}, {(0,): 1}
    assert oracle.least_ratio(point, other, [3]) == 3
    assert oracle.delta(point, other, [3], [0], 1) == F(1, 2)
    assert oracle.delta(point, other, [3], [0], 3) == 0
    assert oracle.delta(point, other, [3], [F(1, 10)], 3) == F(1, 10)
    assert oracle.delta(point, other, [3], [F(1, 10)], 1) == F(1, 10) + F(9, 10) * F(1, 2)
    assert oracle.delta(point, other, [3], [F(1, 10)], 100) == F(1, 10)


def test_a_prior_on_one_database():
    # With half a chance: replies 5/8 and 3/8 (odds 3 : 1) against 1/4 and 3/4.
    half = {(0,): F(3, 4), (1,): F(1, 4)}
    assert oracle.seen(half, [3], [0]) == {(1,): F(3, 8), (0,): F(5, 8)}
    assert oracle.one_way_ratio(half, {(0,): 1}, [3]) == F(3, 2)
    assert oracle.one_way_ratio({(0,): 1}, half, [3]) == F(6, 5)


def test_both_or_none_of_two_databases():
    # 4, 2, 2, 1 ninths against 1, 2, 2, 4.
    assert oracle.view((1, 1), *PURE) == {
        (1, 1): F(4, 9),
        (1, 0): F(2, 9),
        (0, 1): F(2, 9),
        (0, 0): F(1, 9),
    }
    assert oracle.least_ratio(EVERYBODY, NOBODY, PURE[0]) == 4
    assert oracle.delta(EVERYBODY, NOBODY, *PURE, 1) == F(1, 3)
    assert oracle.delta(EVERYBODY, NOBODY, *PURE, 2) == F(2, 9)
    leaks = [F(1, 3), F(1, 5)]
    assert oracle.delta(EVERYBODY, NOBODY, [2, 2], leaks, 4) == 1 - F(2, 3) * F(4, 5)


def test_some_or_none_of_two_databases():
    # 8, 7, 7, 5 parts of 27 against 3, 6, 6, 12.
    assert oracle.seen(SOMEBODY, *PURE)[0, 0] == F(5, 27)
    assert oracle.one_way_ratio(SOMEBODY, NOBODY, [2, 2]) == F(8, 3)
    assert oracle.one_way_ratio(NOBODY, SOMEBODY, [2, 2]) == F(12, 5)
    assert oracle.one_way(SOMEBODY, NOBODY, *PURE, 1) == F(7, 27)
    assert oracle.one_way(SOMEBODY, NOBODY, *PURE, 2) == F(2, 27)
    assert oracle.one_way(NOBODY, SOMEBODY, *PURE, 2) == F(2, 27)
    # A leaked one is seen with probability 1/2, 1/2 and 3/4.
    assert oracle.one_way(SOMEBODY, NOBODY, [2, 2], [F(1, 2)] * 2, F(8, 3)) == F(7, 12)


def test_unequal_guarantees():
    # One database with odds 3 : 1, one with a leak: they meet in the product.
    assert oracle.delta({(1, 0): 1}, NOBODY, [3, 1], [0, F(1, 4)], 3) == 0
    assert oracle.delta({(0, 1): 1}, NOBODY, [3, 1], [0, F(1, 4)], 3) == F(1, 4)
    assert oracle.delta(EVERYBODY, NOBODY, [3, 1], [0, F(1, 4)], 1) == F(1, 4) + F(3, 4) * F(1, 2)


def test_the_same_hypothesis_costs_nothing():
    assert oracle.delta(SOMEBODY, SOMEBODY, [5, 7], [F(1, 2)] * 2, 1) == 0
    assert oracle.least_ratio(SOMEBODY, SOMEBODY, [5, 7]) == 1


def test_what_cannot_be_has_an_infinite_ratio():
    assert oracle.likelihood_ratio({0: F(1)}, {1: F(1)}) == math.inf


def test_priors():
    assert len(oracle.vectors(3)) == 8
    prior = oracle.independent([F(1, 2), F(1, 3)])
    assert prior == {(0, 0): F(1, 3), (0, 1): F(1, 6), (1, 0): F(1, 3), (1, 1): F(1, 6)}
    assert oracle.conditioned(prior, {1: 1}) == {(0, 1): F(1, 2), (1, 1): F(1, 2)}
    assert oracle.conditioned(SOMEBODY, {0: 0, 1: 0}) is None
    for seed in range(20):
        assert sum(oracle.random_prior(Random(seed), 3).values()) == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_hockey_stick_is_that_of_the_worst_event(seed):
    draws = Random(seed)
    p, q = oracle.random_law(draws, 5), oracle.random_law(draws, 5)
    ratio = 1 + F(draws.randint(0, 8), 4)
    assert oracle.hockey_stick(p, q, ratio) == oracle.largest_event(p, q, ratio)


@pytest.mark.parametrize("seed", range(60))
def test_drawn_mechanisms_have_their_guarantee_and_use_it_up(seed):
    draws = Random(seed)
    (ratio, delta), *_ = oracle.guarantees(draws, 1)
    p, q, common = (oracle.random_law(draws, 4) for _ in range(3))

    def needed(p, q):
        return max(oracle.hockey_stick(p, q, ratio), oracle.hockey_stick(q, p, ratio))

    toned = oracle.toned_down(p, q, common, ratio, delta)
    assert sum(toned[0].values()) == sum(toned[1].values()) == 1
    assert needed(*toned) == (delta if needed(p, q) > delta else needed(p, q))


@pytest.mark.parametrize("seed", range(10))
def test_an_attacker_who_does_not_adapt_sees_a_product(seed):
    draws = Random(seed)
    pairs = [oracle.random_pair(draws, 3, F(1, 8)) for _ in range(2)]
    adversary = {(): pairs[0]} | {(o,): pairs[1] for o in range(3)}
    for b, c in oracle.vectors(2):
        assert oracle.played(adversary, (b, c)) == {
            (x, y): p * q for x, p in pairs[0][b].items() for y, q in pairs[1][c].items()
        }


@pytest.mark.parametrize("seed", range(100))
def test_no_attacker_learns_more_than_from_randomized_response(seed):
    # Kairouz, Oh and Viswanath (2017), for a hypothesis against another; adaptive mechanisms.
    draws = Random(seed)
    k = draws.randint(1, 3)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    adversary = oracle.random_adversary(draws, ratios, deltas, outputs=2 + (k < 3))
    for _ in range(3):
        prior, other = oracle.random_prior(draws, k), oracle.random_prior(draws, k)
        ratio = 1 + F(draws.randint(0, 12), 4)
        found = oracle.played_one_way(adversary, prior, other, ratio)
        assert found <= oracle.one_way(prior, other, ratios, deltas, ratio)
