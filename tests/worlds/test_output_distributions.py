"""The laws of what is released, in whole numbers, against plain sums of fractions; and their cost.

The oracle conditions a table of masses on events, one after the other. Worlds are drawn with
records that depend on each other, knowledge that is no function of the database, masses that are 0,
and records that never occur; mechanisms with coins, and with outputs that are no small numbers.
"""

import functools
import math
from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pkdp import definitions, mechanisms, worlds
from pkdp._order import order_of
from pkdp.partial_knowledge import posteriors
from pkdp.worlds import World, _output_distributions
from tests.oracles import worlds as brute

F = Fraction
HALF = F(1, 2)
OUTPUTS = (None, F(2, 3), (0, "x"))
RATIOS = st.sampled_from([F(1), F(3, 2), F(4)])


@st.composite
def cases(draw):
    """Masses, all possible records, and a mechanism that is defined on all databases of these.

    The mechanism comes twice: as the library may be given it, and without probabilities 0.
    """
    n, letters = draw(st.sampled_from([(1, 3), (2, 2), (2, 3), (3, 2)]))
    records = ("a", "b", "c")[:letters]
    occur = records[: draw(st.integers(2, letters))]
    rng = Random(draw(st.integers(0, 2**32)))
    zeros = st.sampled_from([0.0, 0.0, 0.1, 0.4])
    masses = brute.random_masses(rng, n, occur, draw(st.integers(1, 3)), zeros=draw(zeros))
    deterministic = draw(st.integers(0, 3)) == 0
    table = brute.random_table(rng, n, records, len(OUTPUTS), deterministic, zeros=draw(zeros))
    plain = {
        d: {OUTPUTS[k]: p for k, p in brute.answer(table.__getitem__, d).items()} for d in table
    }
    if deterministic:
        told = {d: OUTPUTS[k] for d, k in table.items()}
    else:
        told = {d: dict.fromkeys(OUTPUTS, 0) | law for d, law in plain.items()}
    return masses, records, told.__getitem__, plain.__getitem__


# --------------------------------------------------------------------------------------------
# Laws and definitions
# --------------------------------------------------------------------------------------------


def conditional(observed):
    """Weights as probabilities, by knowledge and value of the target."""
    return {
        (B, a): {output: F(mass, law.total()) for output, mass in law.items()}
        for B, columns in observed.items()
        for a, law in columns.items()
    }


@given(cases())
def test_observed_laws_are_those_given_the_knowledge_and_the_target(case):
    masses, records, mechanism, plain = case
    world = World(masses, records)
    for target in (*range(world.size), lambda d: d[0] == d[-1]):
        expected = {
            (B, a): brute.output_law(masses, plain, brute.seen(B, target, a))
            for B in brute.observations(masses)
            for a in brute.values(masses, target)
        }
        ((answers, found),) = _output_distributions.each_observed(world, mechanism, [target])
        found = {B: answers.named(columns) for B, columns in found.items()}
        assert conditional(found) == {key: law for key, law in expected.items() if law}


@given(cases(), st.booleans())
def test_replaced_laws_are_those_of_databases_with_one_record_replaced(case, everything):
    masses, records, mechanism, plain = case
    world = World(masses, records)
    found = _output_distributions.replaced_laws(world, mechanism, None, everything=everything)
    for i, rows_given in enumerate(found):
        for B, rows in rows_given.items():
            compatible = [a for a in records if brute.probability(masses, brute.seen(B, i, a)) > 0]
            assert sorted(rows) == compatible
            for a, columns in rows.items():
                assert sorted(columns) == (list(records) if everything else compatible)
                for b, law in columns.items():
                    expected = brute.output_law(
                        masses,
                        plain,
                        brute.seen(B, i, a),
                        lambda d, i=i, b=b: brute.replaced(d, i, b),
                    )
                    # The outputs have numbers, of which only they know.
                    shares = [F(mass, law.total()) for mass in law.values()]
                    assert sorted(shares) == sorted(expected.values())


@settings(max_examples=100)
@given(cases(), RATIOS, st.data())
def test_definitions_agree_with_loops_over_events(case, E, data):
    masses, records, mechanism, plain = case
    world = World(masses, records)
    some = data.draw(st.lists(st.integers(0, world.size - 1), min_size=1))
    targets = data.draw(st.sampled_from([some, [max, lambda d: d[0] == d[-1]]]))
    asked = {
        "np_ratio": (targets,),
        "apk_delta": (E, targets),
        "cdp_ratio": (some,),
        "cdp_delta": (E, some),
        "ibcdp_ratio": (some,),
        "ibcdp_delta": (E, some),
    }
    for name, arguments in asked.items():
        replaced_by = (records,) if name.startswith("ibcdp") else ()
        expected = getattr(brute, name)(masses, plain, *arguments, *replaced_by)
        assert getattr(definitions, name)(world, mechanism, *arguments) == expected
    posterior = brute.posterior_ratio(masses, plain, targets)
    assert posteriors.posterior_ratio(world, mechanism, targets) == posterior
    passive = brute.ppk_delta(masses, plain, E, targets)
    if passive is None:
        with pytest.raises(ValueError, match="must be compatible with all knowledge"):
            definitions.ppk_delta(world, mechanism, E, targets)
    else:
        assert definitions.ppk_delta(world, mechanism, E, targets) == passive
        reducible = definitions.is_reducible(world, mechanism, targets)
        assert bool(reducible) == brute.is_reducible(masses, plain, targets)


def test_targets_that_can_be_listed_once_only_are_enough():
    world = worlds.bits([F(1, 3), HALF])
    for function in (definitions.apk_delta, definitions.ppk_delta, definitions.cdp_delta):
        assert function(world, mechanisms.total, 2, iter([0, 1])) > 0
    assert definitions.is_reducible(world, mechanisms.total, iter([0, 1]))


def test_a_world_with_many_records_is_no_matter():
    # Databases are numbers of 900 binary digits.
    world = worlds.copied({0: HALF, 1: HALF}, groups=3, copies=300)
    assert definitions.ibcdp_ratio(world, mechanisms.identity, [0, 899]) == 1
    assert definitions.cdp_delta(world, mechanisms.parity, 2, [0, 899]) == 1


# --------------------------------------------------------------------------------------------
# Cost
# --------------------------------------------------------------------------------------------


def test_a_family_asks_once_for_each_database():
    three = worlds.bits([F(1, 3)] * 3)
    family = [three, three.knowing([0]), three.given(lambda d, _: sum(d) > 0)]
    for function in (definitions.np_ratio, definitions.cdp_ratio, definitions.ibcdp_ratio):
        asked = []
        function(family, lambda d, asked=asked: asked.append(d) or sum(d) % 2)
        assert sorted(asked) == list(three.databases)


def test_nothing_is_looked_at_once_a_ratio_is_infinite_or_a_delta_is_one():
    def comparisons():
        yield _output_distributions.Comparison([(1, 0), (1, 1)], 2)
        yield _output_distributions.Comparison([(3, 0)], 3)
        raise AssertionError

    def masses():
        yield 1, 2
        yield 0, 5
        raise AssertionError

    assert _output_distributions.worst(comparisons(), 2) == 1
    assert _output_distributions.greatest_ratio(masses()) == math.inf


def test_laws_are_added_up_once_not_for_each_output(monkeypatch):
    # The privacy loss of the identity on 2^16 databases took half a minute.
    calls = []
    total = Counter.total
    monkeypatch.setattr(Counter, "total", lambda law: calls.append(law) or total(law))
    world = worlds.bits([HALF] * 8)
    definitions.privacy_loss(world, mechanisms.identity, target=0, a=0, b=1)
    assert len(calls) < 10


# --------------------------------------------------------------------------------------------
# Order
# --------------------------------------------------------------------------------------------

NUMBERS = st.one_of(st.integers(-3, 3), st.fractions(-2, 2, max_denominator=4), st.booleans())
PARTS = st.one_of(NUMBERS, st.text("ab", max_size=2), st.none())
few = functools.partial(st.lists, max_size=6)
ALIKE = [st.integers(-3, 3), NUMBERS, st.text("ab", max_size=3), PARTS]


@given(st.sampled_from([*ALIKE, *map(few, ALIKE)]).flatmap(few))
@example([])
@example([[]])
@example([[1, 2], [1], [], [0, 5]])
@example([[], "a", 1])
def test_values_that_are_alike_are_in_the_same_order_as_all_others(values):
    hashable = [tuple(value) if isinstance(value, list) else value for value in values]
    assert worlds.in_order(hashable) == tuple(sorted(hashable, key=order_of))
