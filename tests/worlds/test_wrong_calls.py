"""Arguments of the wrong kind: the message names the argument, what is allowed and what came."""

import random
from fractions import Fraction

import pytest

from pkdp import background, definitions, enumeration, knowledge, mechanisms, posteriors, worlds
from pkdp.worlds import Normalization, World
from pkdp.worlds.simulators import Enclosure, Simulator

HALF = Fraction(1, 2)
COIN = {0: HALF, 1: HALF}
TWO = worlds.bits([HALF] * 2)
SOURCE = random.Random(1)
SAME = knowledge.is_reducible(TWO, mechanisms.total)


@pytest.mark.parametrize(
    ("call", "wrong", "named"),
    [
        # Functions
        (lambda x: TWO.probability(x), (None, "x", 3), "event must be a function"),
        (lambda x: TWO.given(x), (None, [TWO]), "event must be a function"),
        (lambda x: worlds.hidden_parameter(COIN, x, 2), (None, COIN), "record_law must be a func"),
        (lambda x: worlds.markov(COIN, x, 2), (None, COIN), "transition must be a function"),
        (lambda x: Normalization([COIN], x), (None, COIN), "generate must be a function"),
        (lambda x: mechanisms.make_count(x)((0,)), (None, "yes"), "predicate must be a function"),
        (lambda x: mechanisms.post_process(sum, x), (None, {0: 1}), "function must be a function"),
        (lambda x: mechanisms.post_process(x, bool), (None, TWO), "mechanism must be a function"),
        (lambda x: mechanisms.compose(sum, x)((0,)), (None, "sum"), "mechanism must be a function"),
        (lambda x: background.global_sensitivity(x, (0, 1), 1), (None, 3), "function must be a f"),
        (
            lambda x: definitions.np_ratio(TWO, x),
            (None, "sum", 2, TWO),
            "mechanism must be a funct",
        ),
        (lambda x: definitions.ddp_ratio(TWO, x), (None, TWO), "mechanism must be a function"),
        (lambda x: definitions.dp_ratio(x, (0, 1), 1), (None, [sum]), "mechanism must be a funct"),
        # Several of something: the keys of a mapping, or letters, would be taken for them
        (lambda x: worlds.bits(x), (3, "01", COIN), "probabilities must be several"),
        (lambda x: worlds.correlated_pairs(x, HALF), (3, COIN), "probabilities must be several"),
        (lambda x: worlds.independent(x), (3, COIN), "laws must be several"),
        (lambda x: worlds.mixed([TWO], x), (1, {0: 1}), "weights must be several"),
        (lambda x: worlds.bits([HALF], knowledge=x), (0, {0: 1}), "knowledge must be several"),
        (lambda x: Normalization(x, lambda v: (v,)), (3, COIN), "parameters must be several"),
        (lambda x: mechanisms.make_weighted_sum(x), (3, COIN), "weights must be several"),
        (lambda x: mechanisms.mix(x), (3, {1: sum}), "parts must be several pairs"),
        (lambda x: mechanisms.mix([x]), (3, (1, 2), (1,)), "parts must be pairs"),
        (lambda x: definitions.np_ratio(TWO, sum, x), (0, {0: 1}), "targets must be several"),
        (lambda x: posteriors.pufferfish_ratio(TWO, sum, x), (None, COIN), "pairs must be several"),
        (lambda x: knowledge.more_knowledge(x, TWO), (None, "x"), "stronger must be a World or"),
        (lambda x: knowledge.more_knowledge(TWO, x), (None, [3]), "weaker must be a World or"),
        (lambda x: worlds.in_order(x), (3, None), "values must be several"),
        # Values that can be hashed
        (lambda x: World({((0,), 0): 1}, x), (3, [[0]]), "records must be several hashable"),
        (lambda x: definitions.dp_ratio(sum, x, 1), (3, [[0]]), "records must be several hashable"),
        (
            lambda x: enumeration.small_worlds(1, x, denominator=2),
            (3, [[0]]),
            "records must be sev",
        ),
        (lambda x: enumeration.partitions(x), (3, [[0]]), "databases must be several hashable"),
        (lambda x: enumeration.partitions(x), ("abc", [0, 1]), "databases must be several tuples"),
        (
            lambda x: enumeration.random_mechanism(SOURCE, x, 2),
            ("ab",),
            "databases must be several",
        ),
        # Mappings, and instances of a class
        (lambda x: enumeration.make_table(x), (None, [((0,), 1)]), "outputs must be a mapping"),
        (lambda x: Simulator(x, 1, Enclosure(1, 1)), (None, []), "kernel must be a mapping"),
        (lambda x: knowledge.Reduction(x, None), (None, [1]), "outputs must be a mapping"),
        (lambda x: enumeration.random_world(x, 1, (0, 1)), (None, 1), "source must be a Random"),
        (
            lambda x: enumeration.random_acceptable_world(x, 1, (0, 1), knowledge=1),
            (None, 1),
            "source must be a Random",
        ),
        (
            lambda x: enumeration.random_mechanism(x, [(0,)], 2),
            (None, 1),
            "source must be a Random",
        ),
        (
            lambda x: enumeration.random_mechanism(SOURCE, [(0,)], 2, deterministic=x),
            (None, "no"),
            "deterministic must be a bool",
        ),
        (
            lambda x: worlds.hidden_parameter(COIN, lambda v: COIN, 2, reveal=x),
            (None, "no"),
            "reveal must be a bool",
        ),
        # Databases
        (mechanisms.total, (3, [1, 0], {1: 0}), "database must be a tuple of records"),
        (mechanisms.parity, (None, "01"), "database must be a tuple of records"),
        (mechanisms.majority, (None, "aab"), "database must be a tuple of records"),
        (mechanisms.arithmetic_mean, (None, b"x"), "database must be a tuple of records"),
        (mechanisms.harmonic_mean, (3, [1]), "database must be a tuple of records"),
        (mechanisms.geometric_mean, (3, [1]), "database must be a tuple of records"),
        (mechanisms.make_count(), (3, "abc"), "database must be a tuple of records"),
        (
            mechanisms.make_randomized_response(HALF),
            (3, [0]),
            "database must be a tuple of records",
        ),
    ],
)
def test_the_wrong_kind_of_argument_is_named(call, wrong, named):
    for value in wrong:
        with pytest.raises(TypeError, match=rf"^{named}.*, got ") as caught:
            call(value)
        assert repr(value) in str(caught.value) or value == [3]  # the member of a family


def test_what_cannot_be_hashed_is_no_knowledge_and_no_value():
    for call in (
        lambda: definitions.privacy_loss(TWO, sum, target=0, a=0, b=1, knowledge=[0]),
        lambda: definitions.privacy_loss(TWO, sum, target=0, a=[0], b=1),
        lambda: definitions.apk_table(TWO, sum, 2, target=0, a=0, b=[1]),
        lambda: SAME.bijection(0, [0], ()),
    ):
        with pytest.raises(ValueError, match=r"must be (among|compatible)"):
            call()


def test_who_forgets_to_make_the_mechanism_is_told():
    with pytest.raises(ValueError, match=r"must be called first, as in make_count\(\)"):
        definitions.np_ratio(TWO, mechanisms.make_count)
