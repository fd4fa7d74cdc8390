"""Section 5.1 on small worlds: dependency, Theorem 6 and Proposition 9, in exact fractions."""

import math
from fractions import Fraction
from itertools import permutations, product
from operator import itemgetter
from random import Random

import pytest

from pkdp import composition, mechanisms, published
from pkdp.partial_knowledge.composition import (
    dependency,
    mu_ratio,
    nu,
    product_delta,
)
from pkdp.worlds import bits, enumeration
from pkdp.worlds.definitions import apk_delta
from pkdp.worlds.mechanisms import compose, make_randomized_response
from tests.oracles import composition as tables

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
CONVENTIONS = ["repaired", "printed"]
RATIOS = [Fraction(1), Fraction(9, 8), Fraction(2), Fraction(7, 2), math.inf]

first_record, second_record = itemgetter(0), itemgetter(1)


def random_releases(number):
    """Worlds of two records with three values, something known, and two mechanisms with coins."""
    source = Random(56)
    for seed in range(number):
        world = enumeration.random_world(source, 2, range(3), knowledge=2)
        pair = [
            enumeration.random_mechanism(source, world.databases, 3, deterministic=seed % 3 == i)
            for i in range(2)
        ]
        yield CONVENTIONS[seed % 2], world, *pair


# Definitions 17 and 18


@pytest.mark.parametrize("releases", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_records_of_three_values_agree_with_a_second_implementation(releases):
    infinite = 0
    for convention, world, m1, m2 in random_releases(releases):
        for target, B, a, b, _, _ in tables.cases(world.masses, range(2)):
            expected = tables.dependency(world.masses, m1, m2, target, a, b, B, convention)
            arguments = {"target": target, "a": a, "b": b, "knowledge": B}
            found = dependency(world, m1, m2, **arguments, convention=convention)
            assert {pair: found[pair] for pair in expected} == expected
            # What only b makes possible: the loss is that of a, exchanged.
            swapped = tables.dependency(world.masses, m1, m2, target, b, a, B, convention)
            assert found.keys() == expected.keys() | swapped.keys()
            infinite += math.inf in found.values()
        for R, outputs in product(RATIOS[:-1], ("joint", "product")):
            options = {"convention": convention, "outputs": outputs}
            expected = tables.nu(world.masses, m1, m2, R, range(2), convention, outputs)
            assert nu(world, m1, m2, R, **options) == expected
    assert infinite > releases / 6


@pytest.mark.slow
def test_exchanging_the_records_inverts_the_dependency():
    for convention, world, m1, m2 in random_releases(30):
        for target, B, a, b, _, _ in tables.cases(world.masses, range(2)):
            there, back = (
                dependency(
                    world, m1, m2, target=target, a=x, b=y, knowledge=B, convention=convention
                )
                for x, y in ((a, b), (b, a))
            )
            for outputs, ratio in there.items():
                inverse = math.inf if ratio == 0 else 0 if math.isinf(ratio) else 1 / ratio
                assert back[outputs] == inverse


def test_mu_ratio_is_the_least_ratio_at_which_nu_vanishes():
    for _, world, m1, m2 in random_releases(60):
        least = mu_ratio(world, m1, m2)
        if least == math.inf:
            assert nu(world, m1, m2, math.inf) > 0
        else:
            assert nu(world, m1, m2, least) == 0
            assert least == 1 or nu(world, m1, m2, (least * 999 + 1) / 1000) > 0


def test_nu_of_a_family_is_that_of_its_worst_member():
    members = [world for _, world, _, _ in random_releases(3)]
    for R in RATIOS:
        parts = [nu(world, sum, second_record, R) for world in members]
        assert nu(members, sum, second_record, R) == max(parts)


# Theorem 6


# Beyond simple composition


def test_zero_dependency_of_all_pairs_does_not_reach_three_mechanisms():
    world = bits([HALF] * 3)
    coins = itemgetter(1), itemgetter(2)
    hidden = lambda database: sum(database) % 2  # noqa: E731
    three = [*coins, hidden]
    for m1, m2 in permutations(three, 2):
        assert nu(world, m1, m2, 1, [0], convention="printed") == 0
    assert mu_ratio(world, compose(*coins), hidden, [0]) == math.inf
    assert nu(world, compose(*coins), hidden, math.inf, [0]) == 1
    assert apk_delta(world, compose(*three), math.inf, [0]) == 1


def test_the_product_delta_is_exact_for_conditionally_independent_outputs():
    told = make_randomized_response(HALF)
    world = bits([HALF, THIRD], knowledge=[1])
    three = [told, told, mechanisms.total]
    for ratio in (1, 2, 5, math.inf):
        assert product_delta(world, three, ratio) == apk_delta(world, compose(*three), ratio)
        assert product_delta(world, three[:1], ratio) == apk_delta(world, told, ratio)


def test_theorem_6_in_numbers_rounds_up_and_stays_in_range():
    eps, delta = composition.theorem_6(0.1, 0.1, eps2=0.2, delta2=0.2, mu=0.3, nu=0.3)
    assert Fraction(eps) >= Fraction(0.1) + Fraction(0.2) + Fraction(0.3)
    assert Fraction(delta) >= Fraction(0.1) + Fraction(0.2) + Fraction(0.3)
    assert eps == pytest.approx(0.6, rel=1e-15)
    assert composition.theorem_6(1, 0.5, eps2=1, delta2=0.5, mu=-5, nu=0.5) == (0.0, 1.0)
    assert composition.theorem_6(math.inf, 0, eps2=1, delta2=0, mu=0, nu=0) == (math.inf, 0.0)
    assert composition.theorem_6(1, 0, eps2=1, delta2=0, mu=HALF, nu=0) == (2.5, 0.0)
    assert published.theorem_6(1, 0, eps2=1, delta2=0, mu=HALF, nu=0) == (3.0, 0.0)


# Proposition 9


def test_parts_with_coins_of_their_own_are_compared_by_the_laws_of_their_outputs():
    world = bits([HALF, HALF])
    half = {0: HALF, 1: HALF}
    # The outputs are fair bits whatever the database: independent of all, and so is their law.
    noise = lambda database: half  # noqa: E731
    assert composition.have_independent_parts(world, noise, mechanisms.identity)
    told = make_randomized_response(HALF)
    assert not composition.have_independent_parts(world, told, told)
