"""The oracles for worlds, against tables by hand and against each other."""

import math
from fractions import Fraction
from random import Random

import pytest

from tests.oracles import worlds as brute

F = Fraction
HALF = F(1, 2)
# Two bits: the first is 1 with chance 1/3, the second repeats it with chance 3/4 and is known.
PAIR = {
    ((x, y), y): (F(1, 3) if x else F(2, 3)) * (F(3, 4) if x == y else F(1, 4))
    for x in (0, 1)
    for y in (0, 1)
}


def total(database):
    return sum(database)


def test_conditional_laws_by_hand():
    assert brute.probability(PAIR, brute.seen(1)) == F(1, 6) + F(1, 4)
    assert brute.probability(PAIR, brute.seen(1, 0, 0)) == F(1, 6)
    assert brute.output_law(PAIR, total, brute.seen(1, 0, 0)) == {1: 1}
    assert brute.output_law(PAIR, total, brute.seen(1)) == {1: F(2, 5), 2: F(3, 5)}
    assert brute.output_law(PAIR, total, brute.seen(2)) is None
    unknown = {(d, ()): mass for (d, _), mass in PAIR.items()}
    assert brute.output_law(unknown, total, brute.seen((), 0, 1)) == {1: F(1, 4), 2: F(3, 4)}
    noisy = {0: {"low": 1}, 1: {"low": HALF, "high": HALF}, 2: {"high": F(1)}}
    law = brute.output_law(unknown, lambda d: noisy[sum(d)], brute.seen((), 0, 1))
    assert law == {"low": F(1, 8), "high": F(7, 8)}


def test_definitions_by_hand():
    # The parity of the two given x and y is x xor y; without y it agrees with chance 3/4.
    unknown = {(d, ()): mass for (d, _), mass in PAIR.items()}

    def parity(database):
        return sum(database) % 2

    assert brute.np_ratio(PAIR, parity, [0]) == math.inf
    assert brute.np_ratio(unknown, parity, [0]) == 1
    assert brute.cdp_ratio(unknown, parity, [0]) == 3
    assert brute.cdp_delta(unknown, parity, 2, [0]) == F(3, 4) - 2 * F(1, 4)
    # The parity says nothing on x. With x replaced by 0 it is y, by 1 its opposite: y and x are
    # both 0 with chance 1/2, (0, 1) has 1/6, (1, 0) 1/12, (1, 1) 1/4. Given y = 0, x is 1 with
    # chance 1/7; given y = 1, with 3/5; without either with 1/3.
    assert brute.posterior_ratio(unknown, parity, [0]) == 1
    assert brute.ibcdp_ratio(unknown, parity, [0], (0, 1)) == F(1, 3) / F(1, 7)
    assert brute.ppk_delta(PAIR, parity, 2, [1]) is None
    assert brute.ppk_delta(PAIR, parity, 2, [0]) == 1
    # The sum, when x is 1: 2 with chance 3/4, 1 with 1/4; when it is 0: 1 with 1/4.
    assert brute.loss_law(unknown, total, 0, 1, 0) == {math.inf: F(3, 4), 1: F(1, 4)}
    assert brute.apk_delta(unknown, total, 2, [0]) == F(3, 4)
    assert brute.apk_table(PAIR, total, 2, 0, 1, 0) == {0: (F(1, 4), 1), 1: (F(3, 4), 1)}


def test_indistinguishability_is_about_events():
    for seed in range(100):
        rng = Random(seed)
        p, q = (brute.random_law(rng, range(4)) for _ in range(2))
        single = [
            p.get(o, F(0)) / q[o] if o in q else math.inf for o in p
        ]  # single outcomes suffice for ratios, not for deltas
        assert brute.one_way_ratio(p, q) == max(single)
        excess = sum((max(F(0), p[o] - 2 * q.get(o, F(0))) for o in p), F(0))
        assert brute.one_way_delta(p, q, 2) == excess


@pytest.mark.slow
def test_the_closed_form_of_one_record_agrees_with_the_vertices_of_all_simulators():
    for seed in range(25):
        rng = Random(seed)
        size = 2 + seed % 3
        masses = {((a,), 0): F(1, size) for a in range(size)}
        table = brute.random_table(rng, 1, range(size), 2 + seed % 2, False, zeros=0.1)
        squared, plain = brute.single_record_ddp([masses], table.__getitem__)
        finite = brute.some_simulator_has_the_right_supports([masses], table.__getitem__, 0)
        assert finite == (math.inf not in (squared, plain))
        for E in (F(1), F(6, 5), F(3, 2), F(2), F(5, 2), F(4)):
            expected = squared <= E**2 and plain <= E
            found = brute.some_simulator_is_within([masses], table.__getitem__, 0, E)
            assert found == expected, (table, E)


def test_simulators_by_hand():
    duplicates = {((x, x), 0): HALF for x in (0, 1)}
    assert brute.some_simulator_is_within([duplicates], lambda d: d, 0, 1)
    independent = {((x, y), 0): F(1, 4) for x in (0, 1) for y in (0, 1)}
    assert not brute.some_simulator_has_the_right_supports([independent], lambda d: d[0], 0)
    # A bit told with chance 3/4: a fair coin is the best simulator, with ratios 3/2 and 2. No E
    # below 2 will do, although the root of 3 would for each output by itself: the upper limits
    # E/4 must sum to at least 1 with two outputs.
    told = {0: {0: F(3, 4), 1: F(1, 4)}, 1: {0: F(1, 4), 1: F(3, 4)}}
    one = {((0,), 0): HALF, ((1,), 0): HALF}
    assert brute.single_record_ddp([one], lambda d: told[d[0]]) == (3, 2)
    assert brute.some_simulator_is_within([one], lambda d: told[d[0]], 0, 2)
    assert not brute.some_simulator_is_within([one], lambda d: told[d[0]], 0, F(19, 10))


@pytest.mark.parametrize(
    ("matrix", "right", "solution"),
    [
        ([[2, 1], [1, 3]], [3, 4], [1, 1]),
        ([[0, 1], [1, 0]], [5, 7], [7, 5]),
        ([[1, 2], [2, 4]], [1, 2], None),
    ],
)
def test_linear_systems_by_hand(matrix, right, solution):
    rows = [[F(entry) for entry in row] for row in matrix]
    assert brute.solve(rows, [F(value) for value in right]) == solution


def test_normalizations_and_bijections_by_hand():
    independent = {((x, y), y): F(1, 4) for x in (0, 1) for y in (0, 1)}
    found = brute.acceptable_normalization(independent, 0)
    assert sorted(row[1] for row in found) == [(0, 1), (1, 1)]
    assert brute.acceptable_normalization(independent, 1) is None
    assert brute.acceptable_normalization(PAIR, 0) is None
    assert brute.output_bijections(independent, total, 0, 0, 1) == [{0: 1, 1: 2}]
    # Shuffled outputs of equal chances: both bijections serve one value of the target, not two.
    mixed = {(0, 0): {0: HALF, 1: HALF}, (0, 1): {0: HALF, 1: HALF}, (1, 0): 0, (1, 1): 1}
    assert brute.output_bijections(independent, mixed.__getitem__, 0, 0, 1) == [{0: 1, 1: 0}]
    unknown = {(d, ()): mass for (d, _), mass in independent.items()}
    assert brute.has_more_knowledge(independent, unknown, [0])
    assert not brute.has_more_knowledge(unknown, independent, [0])
    assert not brute.has_more_knowledge(independent, unknown, [0, 1])
