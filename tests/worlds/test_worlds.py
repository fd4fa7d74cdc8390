"""Worlds: conditioning and conditions against loops over databases, constructors by hand."""

import copy
import datetime
import math
import pickle
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import worlds
from pkdp._order import order_of
from pkdp.partial_knowledge.normalization import Normalization
from pkdp.worlds import World
from tests.oracles import worlds as brute

F = Fraction
HALF = F(1, 2)
FAIR = {0: HALF, 1: HALF}


@st.composite
def tables(draw, sizes=(1, 2, 3), alphabet=(0, 1), knowledge=(0, 1)):
    """Masses of a random world."""
    n = draw(st.sampled_from(sizes))
    cells = list(product(product(alphabet, repeat=n), knowledge))
    weights = draw(st.lists(st.integers(0, 4), min_size=len(cells), max_size=len(cells)))
    weights[draw(st.integers(0, len(cells) - 1))] += 1
    return {cell: F(w, sum(weights)) for cell, w in zip(cells, weights, strict=True)}


def random_worlds(count, n, size, knowledge, zeros=0.3, most=3):
    """Yield masses and the world made of them."""
    for seed in range(count):
        rng = Random(repr((seed, n, size, knowledge, zeros)))
        masses = brute.random_masses(rng, n, range(size), knowledge, most=most, zeros=zeros)
        yield masses, World(masses, range(size))


# --------------------------------------------------------------------------------------------
# Parts and conditioning
# --------------------------------------------------------------------------------------------


@given(tables())
def test_parts_are_those_of_the_table(masses):
    world = World(masses)
    positive = {pair: mass for pair, mass in masses.items() if mass}
    assert dict(world.masses) == positive
    assert all(isinstance(mass, Fraction) for mass in world.masses.values())
    assert world.size == brute.size(masses)
    assert world.records == tuple(brute.alphabet(masses))
    assert world.databases == tuple(sorted({d for d, _ in positive}))
    assert world.knowledge == tuple(sorted({B for _, B in positive}))
    assert world == World(positive)
    assert hash(world) == hash(World(positive))
    assert world != World(positive, records=(0, 1, 2))
    # The weights are whole and in proportion.
    assert all(isinstance(weight, int) for weight in world.weights.values())
    total = sum(world.weights.values())
    assert {pair: F(weight, total) for pair, weight in world.weights.items()} == positive
    for parts, whole in ((world.shares, world.masses), (world.weights_given, world.weights)):
        assert tuple(parts) == world.knowledge
        assert {(d, B): mass for B, part in parts.items() for d, mass in part.items()} == whole


@given(tables(), st.data())
def test_events_and_conditioning_agree_with_the_table(masses, data):
    world = World(masses, records=(0, 1, 2))
    chosen = data.draw(st.sets(st.sampled_from(sorted(masses))))

    def event(d, B):
        return (d, B) in chosen

    chance = brute.probability(masses, event)
    assert world.probability(event) == chance
    if not chance:
        with pytest.raises(ValueError, match="event must have a positive probability"):
            world.given(event)
        return
    given_event = world.given(event)
    assert given_event.records == (0, 1, 2)
    assert dict(given_event.masses) == {
        pair: masses[pair] / chance for pair in chosen if masses[pair]
    }


@given(tables())
def test_marginal_laws_agree_with_the_table(masses):
    world = World(masses)
    for i in range(world.size):
        law = world.law_of(i)
        assert law == {
            a: brute.probability(masses, lambda d, B, i=i, a=a: d[i] == a)
            for a in brute.values(masses, i)
        }
        assert list(law) == sorted(law)
    assert world.law_of(sum) == {
        t: brute.probability(masses, lambda d, B, t=t: sum(d) == t)
        for t in brute.values(masses, sum)
    }
    assert world.law_of(tuple) == brute.database_law(masses)


@given(tables(sizes=(2, 3)), st.data())
def test_other_knowledge_and_fewer_records_agree_with_the_table(masses, data):
    world = World(masses, records=(0, 1, 2))
    some = data.draw(st.lists(st.integers(0, world.size - 1), max_size=3))
    expected = Counter()
    for (d, _), mass in masses.items():
        expected[d, tuple(d[i] for i in some)] += mass
    for known in (some, iter(some), lambda d: tuple(d[i] for i in some)):
        knowing = world.knowing(known)
        assert dict(knowing.masses) == {pair: mass for pair, mass in expected.items() if mass}
        assert knowing.records == (0, 1, 2)
    assert world.knowing(()).knowledge == ((),)


@given(tables())
def test_conditioning_the_knowledge_away_gives_one_world_for_each_value(masses):
    world = World(masses)
    parts = world.conditioned()
    assert len(parts) == len(world.knowledge)
    for B, part in zip(world.knowledge, parts, strict=True):
        chance = brute.probability(masses, brute.seen(B))
        assert part.knowledge == ((),)
        assert part.records == world.records
        assert {d: mass * chance for (d, _), mass in part.masses.items()} == {
            d: mass for (d, k), mass in masses.items() if k == B and mass
        }


def test_a_world_cannot_be_changed():
    table = {((0,), 0): HALF, ((1,), 0): HALF}
    world = World(table)
    table[(2,), 0] = F(1)
    assert world == World({((0,), 0): HALF, ((1,), 0): HALF})
    with pytest.raises(AttributeError):
        world.records = ()
    with pytest.raises(TypeError):
        world.masses[(0,), 0] = F(1)


def test_values_of_any_mixture_of_types_have_an_order():
    masses = {((None, "x"), ()): HALF, ((F(1, 2), (0, "y")), "k"): F(1, 4), ((3, "x"), 7): F(1, 4)}
    world = World(masses)
    assert world.records == (None, F(1, 2), 3, "x", (0, "y"))
    assert world.knowledge == (7, "k", ())
    mixed = [None, 2, F(1, 3), "b", "a", (1,), (0, None), (0, 1), frozenset()]
    for order in ([*mixed], mixed[::-1]):
        assert worlds.in_order(order) == worlds.in_order(mixed)
    assert worlds.in_order({True, 0}) == (0, 1)


def test_numbers_sets_and_other_types_are_sorted_by_themselves():
    for values in (
        [9.0, 10.0],
        [np.int64(9), np.int64(10)],
        [-3, np.float32(0.25), F(1, 3), Decimal("0.5"), True, 9.5, 10, math.inf],
        [datetime.date(2024, 9, 30), datetime.date(2024, 10, 1)],
        [(datetime.date(2024, 9, 30), 2), (datetime.date(2024, 10, 1), 1)],
        [frozenset([2, 3]), frozenset([10])],
    ):
        assert worlds.in_order(values) == worlds.in_order(values[::-1]) == tuple(values)
    # What has no order of its own is sorted by what it shows; not a number comes anywhere.
    assert worlds.in_order([2j, 1j]) == (1j, 2j)
    assert len(worlds.in_order([math.nan, 1.0, "a"])) == 3


def test_equal_worlds_of_unlike_types_are_equal():
    sets = [frozenset([8, 0]), frozenset([0, 8])]
    first = World({((1, sets[0]), 0): HALF, ((0, sets[0]), 0): HALF})
    second = World({((1.0, sets[1]), 0): HALF, ((False, sets[1]), 0): HALF})
    assert first == second
    assert hash(first) == hash(second)
    assert order_of(1) == order_of(1.0) == order_of(Decimal(1))
    assert order_of(sets[0]) == order_of(sets[1])


def test_worlds_and_normalizations_can_be_copied_and_pickled():
    world = World({((0, 1), "b"): HALF, ((1, 1), "a"): HALF}, records=(0, 1, 2))
    assert len(world.conditioned()) == len(world.weights) == 2
    drawn = Normalization([FAIR, FAIR], max)
    for twin in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        assert twin(world) == world
        assert twin(world).records == world.records
        assert twin(world).weights == world.weights
        assert twin(drawn) == drawn
        assert hash(twin(drawn)) == hash(drawn)


def test_many_databases_are_conditioned_at_once():
    # Adding up the masses anew for each of 2**12 databases took half a minute.
    (world,) = worlds.bits([F(1, 3)] * 12).conditioned()
    assert len(world.masses) == 2**12
    assert world.is_acceptable(0)


# --------------------------------------------------------------------------------------------
# Conditions on a world
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "size", "knowledge", "count"),
    [(1, 2, 2, 100), (2, 2, 1, 500), (2, 2, 2, 300), (3, 2, 1, 100)],
)
def test_independence_agrees_with_all_events(n, size, knowledge, count):
    verdicts = set()
    for masses, world in random_worlds(count, n, size, knowledge, zeros=0.4, most=2):
        expected = brute.records_are_independent(masses)
        verdicts.add(expected)
        assert world.has_independent_records() == expected, masses
    assert verdicts == ({True} if n == 1 else {True, False})


def test_pairwise_independence_is_not_enough():
    parity = World({((x, y, x ^ y), ()): F(1, 4) for x in (0, 1) for y in (0, 1)})
    assert not parity.has_independent_records()
    for pair in ((0, 1), (1, 2)):
        law = parity.law_of(lambda d, pair=pair: tuple(d[i] for i in pair))
        assert World({(d, ()): mass for d, mass in law.items()}).has_independent_records()


@pytest.mark.parametrize(
    ("n", "size", "knowledge", "zeros", "count"),
    [
        (1, 2, 2, 0.3, 40),
        (2, 2, 2, 0.2, 300),
        (2, 2, 2, 0.5, 300),
        (2, 2, 3, 0.5, 200),
        (1, 3, 2, 0.3, 100),
    ],
)
def test_acceptability_agrees_with_a_search_for_a_normalization(n, size, knowledge, zeros, count):
    verdicts = []
    for masses, world in random_worlds(count, n, size, knowledge, zeros=zeros, most=2):
        for target in (*range(n), sum):
            found = brute.acceptable_normalization(masses, target)
            verdicts.append(found is not None)
            assert world.is_acceptable(target) == (found is not None), (masses, target)
    assert 5 < verdicts.count(True) < len(verdicts) - 5


# --------------------------------------------------------------------------------------------
# Constructors, by hand
# --------------------------------------------------------------------------------------------


def masses_of(world):
    """Masses of a world without knowledge, by database."""
    assert world.knowledge == ((),)
    return {d: mass for (d, _), mass in world.masses.items()}


def test_independent_and_bits_by_hand():
    world = worlds.independent([{"a": F(1, 3), "b": F(2, 3)}, {"b": F(1)}])
    assert masses_of(world) == {("a", "b"): F(1, 3), ("b", "b"): F(2, 3)}
    assert world.records == ("a", "b")
    assert dict(worlds.independent([FAIR, FAIR], knowledge=[1]).masses) == {
        ((x, y), (y,)): F(1, 4) for x in (0, 1) for y in (0, 1)
    }
    bits = worlds.bits([F(1, 3), 1, 0])
    assert masses_of(bits) == {(0, 1, 0): F(2, 3), (1, 1, 0): F(1, 3)}
    assert worlds.bits([0, 0]).records == (0, 1)
    assert worlds.bits([HALF] * 2, knowledge=sum).knowledge == (0, 1, 2)


def test_copied_and_correlated_pairs_by_hand():
    law = {"x": F(1, 3), "y": F(2, 3)}
    assert masses_of(worlds.copied(law, groups=2)) == {
        ("x", "x", "x", "x"): F(1, 9),
        ("x", "x", "y", "y"): F(2, 9),
        ("y", "y", "x", "x"): F(2, 9),
        ("y", "y", "y", "y"): F(4, 9),
    }
    assert masses_of(worlds.copied(law, 1, copies=3)) == {("x",) * 3: F(1, 3), ("y",) * 3: F(2, 3)}
    assert worlds.copied(law, 2, copies=1) == worlds.independent([law] * 2)
    assert worlds.copied(law, 2, knowledge=[0]).knowledge == (("x",), ("y",))

    assert masses_of(worlds.correlated_pairs([HALF], agree=0)) == {(0, 1): HALF, (1, 0): HALF}
    certain = worlds.correlated_pairs([HALF, HALF], agree=1)
    assert certain == worlds.copied(FAIR, groups=2)
    two = worlds.correlated_pairs([F(1, 3), F(1, 5)], agree=F(3, 4), knowledge=[0, 3])
    for d, mass in product(product((0, 1), repeat=4), [1]):
        for start, p in ((0, F(1, 3)), (2, F(1, 5))):
            mass *= (p if d[start] else 1 - p) * (F(3, 4) if d[start] == d[start + 1] else F(1, 4))
        assert two.masses[d, (d[0], d[3])] == mass


def test_hidden_parameter_and_markov_by_hand():
    def near(centre):
        return {centre: F(2, 3), -centre: F(1, 3)}

    law = {-1: F(1, 4), 1: F(3, 4)}
    plus, minus = F(4, 9), F(1, 9)  # both records with, or against, the parameter
    hidden = worlds.hidden_parameter(law, near, n=2)
    assert masses_of(hidden) == {
        (1, 1): F(3, 4) * plus + F(1, 4) * minus,
        (-1, -1): F(3, 4) * minus + F(1, 4) * plus,
        (1, -1): F(2, 9),
        (-1, 1): F(2, 9),
    }
    assert hidden.has_independent_records() is False
    revealed = worlds.hidden_parameter(law, near, n=2, knowledge=[1], reveal=True)
    assert revealed.masses[(1, -1), (1, (-1,))] == F(3, 4) * F(2, 9)
    assert revealed.masses[(1, -1), (-1, (-1,))] == F(1, 4) * F(2, 9)
    assert revealed.has_independent_records()
    assert worlds.hidden_parameter(law, near, n=2, knowledge=iter([1])) == hidden.knowing([1])


def test_mixed_by_hand():
    first, second = worlds.bits([F(1, 3)]), worlds.bits([HALF], knowledge=[0])
    world = worlds.mixed([first, second], [F(1, 4), F(3, 4)])
    assert dict(world.masses) == {
        ((0,), (0, ())): F(1, 6),
        ((1,), (0, ())): F(1, 12),
        ((0,), (1, (0,))): F(3, 8),
        ((1,), (1, (1,))): F(3, 8),
    }
    assert worlds.mixed([first, second], [1, 0]).conditioned() == (first,)
    assert worlds.mixed([World({((0,), 0): 1}, (0, 5)), first], [HALF, HALF]).records == (0, 1, 5)


def test_a_family_is_a_world_or_several():
    world = worlds.bits([HALF])
    assert worlds.family(world) == (world,)
    assert worlds.family(iter([world, world])) == (world, world)


# --------------------------------------------------------------------------------------------
# Normalizations
# --------------------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda law: worlds.hidden_parameter(FAIR, lambda value: law, 2),
        lambda law: Normalization([FAIR, law], lambda x, y: (x, y)),
    ],
)
def test_laws_that_are_none_are_refused(make):
    for law in ({0: HALF}, {0: 2, 1: -1}):
        with pytest.raises(ValueError, match=r"must (sum to 1|be ≥ 0, got -1)"):
            make(law)


def test_all_orders_of_a_table_make_one_world():
    cells = [(((0, 1), 0), HALF), (((1, 0), 1), F(1, 4)), (((1, 1), 1), F(1, 4))]
    assert len({World(dict(order)) for order in permutations(cells)}) == 1


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda: worlds.copied(FAIR, 1000), "about 10^301"),
        (lambda: worlds.hidden_parameter({0: 1}, lambda value: FAIR, 40), "1099511627776"),
        (lambda: Normalization([FAIR] * 22, lambda *values: values[:1]), "4194304"),
    ],
)
def test_worlds_too_large_to_be_listed_are_refused(make, size):
    message = (
        f"the number of [a-z ]* must be at most 2000000, to list them all, got {re.escape(size)}$"
    )
    with pytest.raises(ValueError, match=message):
        make()


def test_what_is_certain_does_not_count_towards_the_size():
    assert len(worlds.bits([1, 0] * 50 + [HALF]).databases) == 2
    assert len(worlds.copied({"x": 1}, 200).databases) == 1
    assert len(worlds.correlated_pairs([HALF] * 3, 1).databases) == 8
