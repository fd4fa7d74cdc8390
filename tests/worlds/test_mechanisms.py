"""Mechanisms, against tables by hand and loops over coins."""

import inspect
import math
import statistics
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import definitions, mechanisms, worlds
from pkdp.worlds.mechanisms import Root, output_law
from tests.oracles import worlds as brute

F = Fraction
HALF = F(1, 2)

bits = st.lists(st.integers(0, 1), min_size=1, max_size=6).map(tuple)
numbers = st.fractions(-5, 5, max_denominator=6)
positive = st.fractions(F(1, 6), 6, max_denominator=6)
databases = st.lists(numbers, min_size=1, max_size=5).map(tuple)
positive_databases = st.lists(positive, min_size=1, max_size=5).map(tuple)


def random_mechanism(rng, n=2):
    """Return a random mechanism on bits, deterministic or not, that gives whole numbers."""
    return brute.random_table(rng, n, (0, 1), 3, deterministic=rng.random() < 0.3).__getitem__


# --------------------------------------------------------------------------------------------
# Deterministic ones
# --------------------------------------------------------------------------------------------


@given(databases)
def test_identity_total_and_constant_release_what_they_say(database):
    assert mechanisms.identity(database) == database
    assert mechanisms.total(database) == sum(list(database), 0)
    assert mechanisms.make_constant("silence")(database) == "silence"
    assert mechanisms.make_constant(None)(database) is None


@given(bits, st.integers(0, 7))
def test_counts_of_bits_agree_with_loops(database, T):
    ones = len([bit for bit in database if bit == 1])
    zeros = len(database) - ones
    assert mechanisms.make_count()(database) == ones
    assert mechanisms.make_count(lambda bit: bit == 0)(database) == zeros
    assert mechanisms.parity(database) == (1 if ones in (1, 3, 5) else 0)
    # Definition 15: counts up to the threshold are suppressed.
    assert mechanisms.make_threshold(T)(database) == (ones if ones > T else None)
    assert mechanisms.majority(database) == (1 if ones > zeros else 0)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=7).map(tuple))
def test_majority_is_the_first_of_the_most_frequent(database):
    found = mechanisms.majority(database)
    assert found == min(statistics.multimode(database))
    assert all(database.count(found) >= database.count(other) for other in "abc")


@given(databases, st.randoms(use_true_random=False))
def test_linear_queries_and_the_arithmetic_mean_agree_with_loops(database, rng):
    weights = [F(rng.randint(-4, 4), rng.randint(1, 3)) for _ in database]
    expected = F(0)
    for k in range(len(database)):
        expected += weights[k] * database[k]
    found = mechanisms.make_weighted_sum(weights)(database)
    assert found == expected
    assert isinstance(found, Fraction)
    assert mechanisms.make_weighted_sum([1] * len(database))(database) == mechanisms.total(database)
    mean = mechanisms.arithmetic_mean(database)
    assert mean == statistics.mean(database)
    assert isinstance(mean, Fraction)


@given(positive_databases)
def test_other_means_are_exact_and_in_order(database):
    n = len(database)
    harmonic = mechanisms.harmonic_mean(database)
    geometric, quadratic = mechanisms.geometric_mean(database), mechanisms.quadratic_mean(database)
    arithmetic = mechanisms.arithmetic_mean(database)
    assert isinstance(harmonic, Fraction)
    assert n == harmonic * sum(1 / record for record in database)
    assert geometric == Root(n, math.prod(database))
    assert quadratic == Root(2, sum(record**2 for record in database) / n)
    # Exactly, by powers: harmonic <= geometric <= arithmetic <= quadratic.
    assert harmonic**n <= geometric.radicand <= arithmetic**n
    assert arithmetic**2 <= quadratic.radicand


def test_the_quadratic_mean_needs_no_positive_records():
    assert mechanisms.quadratic_mean((-1, 7)) == mechanisms.quadratic_mean((1, 7))
    assert mechanisms.quadratic_mean((0, F(-1, 2))) == Root(2, F(1, 8))


def test_the_majority_of_unlike_records_is_the_first_in_order():
    assert mechanisms.majority((1, None)) is None
    assert mechanisms.majority(("a", 2, 10)) == 2
    assert mechanisms.majority(("a", 2, "a")) == "a"


def test_roots_are_checked_and_have_no_order():
    assert Root(2, 4) == Root(2, F(4))
    assert hash(Root(2, 4)) == hash(Root(2, F(4)))
    with pytest.raises(ValueError, match="radicand must be ≥ 0, got -1"):
        Root(2, F(-1))
    with pytest.raises(ValueError, match="degree must be an integer in 1…"):
        Root(0, F(1))
    for degree, radicand in ((2, 1.5), (2.0, 1), (True, 1)):
        with pytest.raises(TypeError, match=r"must be an (int or a Fraction|integer)"):
            Root(degree, radicand)
    # By degree first, 1 would have come before the square root of 1/4.
    with pytest.raises(TypeError, match="not supported"):
        sorted([Root(2, F(1, 4)), Root(1, F(1))])


# --------------------------------------------------------------------------------------------
# Random ones, and mechanisms from mechanisms
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("records", [(0, 1), ("a", "b", "c"), (5,)])
@pytest.mark.parametrize("truth", [0, F(1, 3), HALF, 1])
def test_randomized_response_agrees_with_loops_over_coins(records, truth):
    for n in (1, 2, 3):
        for database in product(records, repeat=n):
            expected = {}
            for coins in product((True, False), repeat=n):
                for draws in product(records, repeat=n):
                    chance = F(1, len(records) ** n)
                    for coin in coins:
                        chance *= truth if coin else 1 - truth
                    told = tuple(
                        record if coin else draw
                        for record, coin, draw in zip(database, coins, draws, strict=True)
                    )
                    expected[told] = expected.get(told, F(0)) + chance
            law = output_law(mechanisms.make_randomized_response(truth, records), database)
            assert law == {told: chance for told, chance in expected.items() if chance}


def test_post_processing_mixture_and_composition_agree_with_loops():
    for seed in range(150):
        rng = Random(seed)
        first, second = random_mechanism(rng), random_mechanism(rng)
        function = brute.random_table(rng, 1, range(3), 3, deterministic=seed % 2 == 0)
        weight = F(rng.randint(0, 4), 4)
        processed = mechanisms.post_process(first, lambda o, f=function: f[o,])
        mixed = mechanisms.mix([(weight, first), (1 - weight, second)])
        composed = mechanisms.compose(first, second)
        for d in product((0, 1), repeat=2):
            p, q = brute.answer(first, d), brute.answer(second, d)
            expected = {o: F(0) for o in range(3)}
            for o, chance in p.items():
                for result, share in brute.answer(function.__getitem__, (o,)).items():
                    expected[result] += chance * share
            assert output_law(processed, d) == {o: m for o, m in expected.items() if m}
            expected = {o: weight * p.get(o, 0) + (1 - weight) * q.get(o, 0) for o in range(3)}
            assert output_law(mixed, d) == {o: m for o, m in expected.items() if m}
            assert output_law(composed, d) == {(x, y): p[x] * q[y] for x in p for y in q}


def test_an_output_is_one_thing_or_a_law():
    assert output_law(mechanisms.identity, (1, 0)) == {(1, 0): 1}
    assert output_law(lambda d: {"x": 1, "y": 0}, (1,)) == {"x": 1}
    assert output_law(lambda d: None, (1,)) == {None: 1}
    assert output_law(Counter, (1,)) == {1: 1}  # a Counter is a mapping, hence a law
    law = output_law(lambda d: {"x": F(1, 3), "y": F(2, 3)}, (1,))
    assert all(isinstance(mass, Fraction) for mass in law.values())


# --------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------


def test_outputs_that_are_no_laws_are_refused():
    for law, sentence in (
        ({0: HALF}, r"output law on \(1,\): probabilities must sum to 1, got 1/2"),
        ({}, "probabilities must sum to 1, got 0"),
        ({0: 2, 1: -1}, "must be ≥ 0, got -1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            output_law(lambda d, law=law: law, (1,))
    for mass in (1.0, True, "1", None):
        with pytest.raises(TypeError, match="must be an int or a Fraction"):
            output_law(lambda d, mass=mass: {0: mass}, (1,))
    for output in ([1], (1, [2]), {3}):
        with pytest.raises(ValueError, match=r"output must be hashable.*got .* on \(1,\)"):
            output_law(lambda d, output=output: output, (1,))


MAKERS = [
    mechanisms.make_constant,
    mechanisms.make_count,
    mechanisms.make_weighted_sum,
    mechanisms.compose,
    lambda database: {mechanisms.parity: HALF, 0: HALF},
]


@pytest.mark.parametrize("maker", MAKERS)
def test_whoever_makes_a_mechanism_is_not_taken_for_one(maker):
    # As a count without its parentheses it once had δ = 1 at every ε, for ¼ at ε = ln 2.
    world = worlds.bits([HALF] * 3)
    with pytest.raises(
        ValueError, match=r"output must not be a function, got .* on \(0, 0, 0\): call"
    ):
        definitions.apk_delta(world, maker, 2)
    with pytest.raises(ValueError, match="output must not be a function"):
        output_law(mechanisms.mix([(1, maker)]), (0, 1, 1))
    assert definitions.apk_delta(world, mechanisms.make_count(), 2) == F(1, 4)


def test_nouns_are_mechanisms_and_verbs_make_them():
    makers = {"compose", "mix", "output_law", "post_process"}
    names = [
        name
        for name, value in vars(mechanisms).items()
        if inspect.isfunction(value) and value.__module__ == mechanisms.__name__ and name[0] != "_"
    ]
    assert len(names) > 12
    for name in names:
        makes = inspect.signature(getattr(mechanisms, name)).return_annotation == "Mechanism"
        assert makes is (name.startswith("make_") or name in makers - {"output_law"}), name
