"""The definitions of sections 1 to 3, against loops over whole databases, events and bijections."""

import math
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random

import pytest

from pkdp import definitions, mechanisms, worlds
from pkdp.partial_knowledge import posteriors
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.worlds import World
from tests.oracles import worlds as brute

HALF = Fraction(1, 2)
RATIOS = [Fraction(1), Fraction(5, 4), Fraction(2), Fraction(9, 2)]


class Case:
    """A random world with a random mechanism, as the oracles want it and as the library does."""

    def __init__(self, seed, n, alphabet, knowledge, deterministic, outputs=3, zeros=0.3):
        rng = Random(repr((seed, n, alphabet, knowledge, deterministic, outputs, zeros)))
        self.records = alphabet
        self.masses = brute.random_masses(rng, n, alphabet, knowledge, zeros=zeros)
        self.table = brute.random_table(rng, n, alphabet, outputs, deterministic)
        self.mechanism = self.table.__getitem__
        self.world = World(self.masses, records=alphabet)
        self.targets = range(n)
        self.E = rng.choice(RATIOS)

    def __repr__(self):
        return f"masses {dict(self.world.masses)!r}, mechanism {self.table!r}, ratio {self.E!r}"


def cases(count, n, size, knowledge, **options):
    """Yield cases, with deterministic and with randomized mechanisms by turns."""
    for seed in range(count):
        yield Case(seed, n, tuple(range(size)), knowledge, seed % 2 == 0, **options)


@pytest.mark.parametrize(("n", "size"), [(1, 2), (1, 3), (2, 2), (2, 3), (3, 2)])
def test_differential_privacy_agrees_with_loops_over_neighbours(n, size):
    for seed in range(40):
        rng = Random(repr((seed, n, size)))
        table = brute.random_table(rng, n, range(size), 3, seed % 3 == 0, zeros=0.1 * (seed % 4))
        mechanism, E = table.__getitem__, rng.choice(RATIOS)
        expected = brute.dp_ratio(mechanism, range(size), n)
        assert definitions.dp_ratio(mechanism, range(size), n) == expected, table
        delta = definitions.dp_delta(mechanism, range(size), n, ratio=E)
        assert delta == brute.dp_delta(mechanism, range(size), n, E), (table, E)


def test_a_family_is_as_good_as_its_worst_member():
    for seed in range(50):
        members = [Case((seed, k), 2, (0, 1), 1 + k % 2, True, zeros=0.1) for k in range(3)]
        mechanism, E = members[0].mechanism, members[0].E
        family = [case.world for case in members]
        deltas = (definitions.apk_delta, definitions.cdp_delta, definitions.ibcdp_delta)
        for function in (*RATIO_FUNCTIONS[:4], *(partial(delta, ratio=E) for delta in deltas)):
            expected = max(function(world, mechanism) for world in family)
            assert function(family, mechanism) == expected
            assert function(iter(family), mechanism, targets=iter([0, 1])) == expected
        full = [Case((seed, k), 2, (0, 1), 2, True, zeros=0.0).world for k in range(2)]
        expected = max(definitions.ppk_delta(world, mechanism, E) for world in full)
        assert definitions.ppk_delta(full, mechanism, E) == expected


# --------------------------------------------------------------------------------------------
# Hand-computed
# --------------------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------------
# The privacy loss and Theorem 1
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "size", "knowledge", "count"),
    [(1, 2, 2, 30), (2, 2, 1, 30), (2, 2, 3, 30), (2, 3, 2, 10)],
)
def test_the_loss_and_the_table_of_theorem_1_agree_with_loops(n, size, knowledge, count):
    for case in cases(count, n, size, knowledge, zeros=0.0):
        world, mechanism, masses, E = case.world, case.mechanism, case.masses, case.E
        for target in (*case.targets, sum):
            for a, b in product(brute.values(masses, target), repeat=2):
                expected = brute.loss_law(masses, mechanism, target, a, b)
                law = definitions.privacy_loss(world, mechanism, target=target, a=a, b=b)
                assert law == expected, case
                assert list(law) == sorted(law)
                assert sum(law.values()) == 1
                table = definitions.apk_table(world, mechanism, E, target=target, a=a, b=b)
                assert table == brute.apk_table(masses, mechanism, E, target, a, b), case
                for B in brute.observations(masses):
                    law = definitions.privacy_loss(
                        world, mechanism, target=target, a=a, b=b, knowledge=B
                    )
                    assert law == brute.loss_law(masses, mechanism, target, a, b, only=B), case


# --------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------

TWO = worlds.bits([HALF] * 2)
RATIO_FUNCTIONS = [
    definitions.np_ratio,
    definitions.cdp_ratio,
    definitions.ibcdp_ratio,
    posteriors.posterior_ratio,
]


@pytest.mark.parametrize("function", [*RATIO_FUNCTIONS, ddp_ratio])
def test_targets_in_worlds_of_different_sizes(function):
    one, told = worlds.bits([HALF]), mechanisms.make_randomized_response(HALF)
    alone, other, both = (function(family, told) for family in (one, TWO, [one, TWO]))
    if function is ddp_ratio:
        assert both.lower == max(alone.lower, other.lower) > 1
    else:
        assert both == max(alone, other) > 1
    for family in ([one, TWO], [TWO, one]):
        with pytest.raises(ValueError, match="target must be an integer in 0…0, got 1"):
            function(family, told, [1])


# n bits, n targets: the mechanism was called once for each target.
@pytest.mark.parametrize("function", RATIO_FUNCTIONS)
def test_the_mechanism_is_called_once_for_each_database(function):
    world, asked = worlds.bits([HALF] * 3), []
    function(world, lambda d: asked.append(d) or sum(d))
    assert sorted(asked) == list(world.databases)


def test_causal_privacy_replaces_by_compatible_records_only():
    far = World({((1, 2), ()): HALF, ((2, 2), ()): HALF}, records=(0, 1, 2))
    assert definitions.cdp_ratio(far, lambda d: Fraction(1, d[0])) == math.inf
    assert definitions.cdp_delta(far, lambda d: Fraction(1, d[0]), 2) == 1
    with pytest.raises(ZeroDivisionError):
        definitions.ibcdp_ratio(far, lambda d: Fraction(1, d[0]))
    # What she knows decides what is compatible.
    known = worlds.bits([HALF] * 2, knowledge=[0])
    table = {d: sum(d) for d in known.databases}
    assert definitions.cdp_ratio(known, table.__getitem__, [0]) == 1


@pytest.mark.parametrize("n", [30, 1000])
def test_databases_that_would_not_fit_the_memory_are_refused_at_once(n):
    with pytest.raises(ValueError, match="databases must be at most 2000000"):
        definitions.dp_ratio(mechanisms.total, (0, 1), n)


def test_the_loss_and_the_table_are_of_one_world():
    for ask in (definitions.privacy_loss, partial(definitions.apk_table, ratio=2)):
        with pytest.raises(TypeError, match="world must be one World, got"):
            ask([TWO], mechanisms.total, target=0, a=0, b=1)


def test_a_table_without_a_replaced_database_is_refused_by_name():
    twins = worlds.copied({0: HALF, 1: HALF}, groups=1)
    table = {d: sum(d) for d in twins.databases}
    for function in (definitions.cdp_ratio, definitions.ibcdp_ratio):
        with pytest.raises(ValueError, match=r"\((0, 1|1, 0)\)"):
            function(twins, table.__getitem__)
    # Any other mishap is not ours.
    with pytest.raises(KeyError, match="elsewhere"):
        definitions.cdp_ratio(twins, lambda d: {}["elsewhere"])
