"""What the page on what an attacker concludes says about small worlds."""

import math
import random
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

from pkdp import figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import inference
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.worlds import World, bits, copied, independent
from pkdp.worlds.definitions import (
    cdp_delta,
    cdp_ratio,
    ibcdp_delta,
    ibcdp_ratio,
    np_ratio,
)
from pkdp.worlds.enumeration import (
    partitions,
    random_mechanism,
    random_world,
    small_worlds,
)
from pkdp.worlds.mechanisms import (
    identity,
    make_randomized_response,
    output_law,
    post_process,
)
from tests.pages.partial_knowledge.small_worlds import (
    BITS,
    HALF,
    PAIR,
    law,
    mechanism_on,
    replaced,
)

pytestmark = pytest.mark.page


@pytest.mark.slow
def test_within_a_factor_of_two_if_the_target_is_independent_and_has_a_common_value():
    source = random.Random(25)
    several = 0
    for _ in range(25):
        p = [[Fraction(source.randint(1, 6), 7) for _ in range(2)] for _ in range(2)]
        family = [bits(one) for one in p]
        mechanism = mechanism_on(source, BITS[2])
        noiseless = np_ratio(family, mechanism)
        assert cdp_ratio(family, mechanism) == noiseless
        inferred = ibcdp_ratio(family, mechanism)
        found = ddp_ratio(family, mechanism)
        assert found.lower <= noiseless <= found.upper**2
        assert inferred <= noiseless <= inferred**2
        several += inferred < noiseless
    assert several > 5


def test_a_family_without_a_common_value_is_another_matter():
    # A record that is always 0 in one law and always 1 in the other: no two values to compare, and
    # two outputs for a simulator that sees nothing.
    sure = [bits([Fraction(0)]), bits([Fraction(1)])]
    assert np_ratio(sure, identity) == cdp_ratio(sure, identity) == ibcdp_ratio(sure, identity) == 1
    assert ddp_ratio(sure, identity).lower == math.inf
    # Nor need a family's DDP be below its IBCDP with the same ε where the supports overlap.
    laws = [{a: HALF, b: HALF} for a, b in combinations(range(3), 2)]
    overlapping = [independent([one]) for one in laws]

    def told(database):
        return {v: Fraction(2, 5) if v == database[0] else Fraction(3, 10) for v in range(3)}

    assert {ibcdp_ratio(world, told) for world in overlapping} == {Fraction(7, 6)}
    assert all(ddp_ratio(world, told).lower <= Fraction(7, 6) for world in overlapping)
    found = ddp_ratio(overlapping, told)
    assert found.lower == pytest.approx(1.2, rel=1e-9)
    assert found.lower > Fraction(7, 6)


def condition_holds(world, mechanism):
    """Whether each t that is possible for M(D) or M(D with i := b) is possible given D(i) = b."""
    possible = cache(lambda database: output_law(mechanism, database).keys())
    for share in world.shares.values():
        for i in range(world.size):
            values = {database[i] for database in share}
            for b in values:
                own = set().union(*(possible(database) for database in share if database[i] == b))
                for database in share:  # whatever her own value is
                    if not possible(database) <= own:
                        return False
                    if not possible(replaced(database, i, b)) <= own:
                        return False
    return True


def test_the_last_factor_in_the_proof_of_proposition_1():
    # P[M(D[b]) = t | a] / P[M(D) = t | a] is the ratio of the posteriors times G/F, not F/G.
    source = random.Random(26)
    upside_down = 0
    for _ in range(100):
        world = random_world(source, 2, (0, 1))
        if any(len(world.law_of(i)) < 2 for i in (0, 1)):
            continue
        mechanism = mechanism_on(source, BITS[2])
        i, prior = 0, world.law_of(0)
        for a, b, t in product((0, 1), (0, 1), (0, 1)):
            f = {c: law(world, mechanism, i, c)[t] for c in (0, 1)}
            g = {c: law(world, mechanism, i, c, b)[t] for c in (0, 1)}
            F, G = (sum(prior[c] * x[c] for c in (0, 1)) for x in (f, g))
            posteriors = (prior[a] * g[a] / G) / (prior[a] * f[a] / F)
            assert g[a] / f[a] == posteriors * G / F
            assert (g[a] / f[a] == posteriors * F / G) == (F == G)
            upside_down += F != G
    assert upside_down > 100


def test_sets_of_outputs_do_not_save_the_second_half_of_proposition_1():
    """Two equal bits; silence, or an alarm with probability η if they differ."""
    eta = Fraction(1, 100)
    twins = copied({0: Fraction(1, 2), 1: Fraction(1, 2)}, groups=1)

    def mechanism(database):
        if database[0] == database[1]:
            return {"": Fraction(1)}
        return {"": 1 - eta, "alarm": eta}

    assert cdp_ratio(twins, mechanism) == math.inf
    # Events: silence, the alarm, either. M(D) never raises it, so that the alarm alone is left out.
    worst = Fraction(1)
    for b, event in product((0, 1), (("",), ("", "alarm"))):
        weights = {}
        for a in (0, 1):
            after = mechanism((b, a))
            weights[a] = sum(after.get(t, Fraction(0)) for t in event) / 2
        for a in (0, 1):
            posterior, prior = weights[a] / sum(weights.values()), Fraction(1, 2)
            worst = max(worst, posterior / prior, prior / posterior)
    assert worst == Fraction(199, 198)


def test_inference_based_privacy_does_not_imply_causal_privacy():
    assert ibcdp_ratio(PAIR, identity) == 1
    assert cdp_ratio(PAIR, identity) == math.inf
    assert not condition_holds(PAIR, identity)
    # Nor is it closed under post-processing.
    assert ibcdp_ratio(PAIR, post_process(identity, lambda d: d[0])) == math.inf


def test_nothing_smaller_than_a_duplicated_bit_breaks_proposition_1():
    # One record with up to three values, all deterministic mechanisms and all post-processing.
    number = 0
    for world in small_worlds(1, (0, 1, 2), denominator=6):
        for mechanism in partitions([(0,), (1,), (2,)]):
            inferred, causal = ibcdp_ratio(world, mechanism), cdp_ratio(world, mechanism)
            if len(world.databases) == 3:
                assert causal <= inferred**2
                assert inferred <= causal**2
            merged = post_process(mechanism, lambda t: min(t, 1))
            assert ibcdp_ratio(world, merged) <= inferred
            number += 1
    assert number == 28 * 5
    # Two bits, two databases: only those that differ in both bits do.
    broken = set()
    for databases in combinations(BITS[2], 2):
        world = World({(d, ()): HALF for d in databases}, (0, 1))
        for mechanism in partitions(BITS[2]):
            if cdp_ratio(world, mechanism) > ibcdp_ratio(world, mechanism) ** 2:
                broken.add(databases)
    assert broken == {((0, 0), (1, 1)), ((0, 1), (1, 0))}


def test_equal_supports_do_not_repair_proposition_1():
    for E in (Fraction(2), Fraction(10)):
        world, mechanism = inference.unconditional(E)
        assert ibcdp_ratio(world, mechanism) == 1
        assert cdp_ratio(world, mechanism) == E
        for i, a, b in product(range(3), (0, 1), (0, 1)):
            before = {t for c in (0, 1) for t in law(world, mechanism, i, c)}
            after = {t for c in (0, 1) for t in law(world, mechanism, i, c, b)}
            assert before == after
            assert law(world, mechanism, i, a).keys() == law(world, mechanism, i, a, b).keys()
        assert not condition_holds(world, mechanism)


def test_a_value_that_never_occurs_breaks_the_first_half():
    def alarm(database):
        return sorted(database) == [1, 2]

    world = World(PAIR.masses, records=(0, 1, 2))
    assert cdp_ratio(world, alarm) == 1
    assert ibcdp_ratio(world, alarm) == math.inf
    # It may occur for other knowledge.
    masses = {((x, x), x == 2): Fraction(1, 3) for x in (0, 1, 2)}
    assert cdp_ratio(World(masses), alarm) == 1
    assert ibcdp_ratio(World(masses), alarm) == math.inf
    assert ibcdp_ratio(PAIR, alarm) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("values", "knowledge", "number"), [(2, 1, 900), (2, 2, 600), (3, 1, 500)])
def test_proposition_1_as_repaired(values, knowledge, number):
    source = random.Random(17 + values + knowledge)
    alphabet = tuple(range(values))
    databases = list(product(alphabet, repeat=2))
    checked = 0
    while checked < number:
        world = random_world(source, 2, alphabet, knowledge=knowledge)
        # Every value is compatible with all knowledge.
        if any(len(g.law_of(i)) < values for g in world.conditioned() for i in (0, 1)):
            continue
        mechanism = random_mechanism(source, databases, outputs=source.choice((2, 3)))
        causal, inferred = cdp_ratio(world, mechanism), ibcdp_ratio(world, mechanism)
        # The first half needs no condition on outputs.
        assert inferred <= (causal if values == 2 else causal**2)
        if condition_holds(world, mechanism):
            checked += 1
            assert causal <= inferred**2


@pytest.mark.slow
def test_proposition_1_holds_as_printed_for_an_independent_target():
    source = random.Random(18)
    infinite = 0
    for _ in range(1000):
        laws = []
        for _ in range(2):
            weights = [source.randint(1, 5) for _ in range(3)]
            laws.append({k: Fraction(w, sum(weights)) for k, w in enumerate(weights)})
        world = independent(laws)
        mechanism = random_mechanism(source, list(product(range(3), repeat=2)), outputs=3)
        causal, inferred = cdp_ratio(world, mechanism), ibcdp_ratio(world, mechanism)
        assert inferred <= causal <= inferred**2
        infinite += causal == math.inf
    assert 0 < infinite < 1000


def test_the_factor_of_two_is_attained():
    for E in (Fraction(3, 2), Fraction(2), Fraction(10)):
        world, mechanism = inference.attained(E)
        assert world.size == 1
        assert condition_holds(world, mechanism)
        assert ibcdp_ratio(world, mechanism) == E
        assert cdp_ratio(world, mechanism) == E**2


def test_the_other_factor_of_two_is_approached():
    E = Fraction(2)
    values = []
    for rare in (Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000)):
        world, mechanism = inference.approached(E, rare)
        assert cdp_ratio(world, mechanism) == E
        values.append(ibcdp_ratio(world, mechanism))
        assert values[-1] == E / (rare * E + (1 - 2 * rare) / E + rare)
    assert values == sorted(values)
    assert Fraction(398, 100) < values[-1] < E**2


def test_with_a_delta_neither_form_bounds_the_other():
    def seldom(database):
        return {database[0]: Fraction(1, 100), "silent": Fraction(99, 100)}

    rare, told = bits([Fraction(1, 1000)]), make_randomized_response(Fraction(9, 10))
    for E in (1, 2, 10, math.inf):
        assert cdp_delta(bits([HALF]), seldom, E) == Fraction(1, 100)
        assert ibcdp_delta(bits([HALF]), seldom, E) == HALF
    for E in (1, 2, 10):
        assert cdp_delta(rare, told, E) == Fraction(19 - E, 20)
        assert ibcdp_delta(rare, told, E) < Fraction(1, 50)
    # Even if a share of the outputs may be bad: 0 is the output but for one time in a thousand.
    assert cdp_delta(rare, identity, 10**6) == 1
    posterior = {0: 1}
    assert sum(max(0, posterior.get(a, 0) - p) for a, p in rare.law_of(0).items()) == Fraction(
        1, 1000
    )


def test_inference_stays_between_its_lines():
    rows = figures.table("inference")
    for series, most in (("two values", 1), ("three values", 2)):
        points = select(rows, series=series)
        assert len(points["x"]) == inference.WORLDS == 60
        assert (points["y"] >= points["x"] / 2 - 1e-12).all()
        assert (points["y"] <= most * points["x"] + 1e-12).all()
        assert points["x"].max() < 4
    above = select(rows, series="three values")
    assert (above["y"] > above["x"]).any()
    attained, approached = (select(rows, series=name) for name in ("attained", "approached"))
    assert attained["y"] == pytest.approx(attained["x"] / 2)
    assert [f"{x:.2f}" for x in attained["x"][[0, -1]]] == ["0.45", "3.89"]
    assert (approached["y"] < 2 * approached["x"]).all()
    assert [f"{v:.2f}" for v in (approached["y"][-1], approached["x"][-1])] == ["3.46", "1.95"]
    assert (select(rows, series="no condition")["y"] == 0).all()
