"""The definitions of sections 1 to 3, against loops over whole databases, events and bijections."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from random import Random

import numpy as np
import pytest

from pkdp import definitions, mechanisms, posteriors, worlds
from pkdp.worlds import World
from tests.oracles import counts as oracles
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


# n, size of the alphabet, values of the knowledge, how many worlds, and how many of their masses
# are 0: with none, every knowledge is compatible with every record.
SHAPES = [
    (1, 2, 2, 150, 0.3),
    (1, 3, 2, 100, 0.3),
    (2, 2, 1, 150, 0.3),
    (2, 2, 2, 120, 0.5),
    (2, 2, 2, 60, 0.0),
    (2, 2, 3, 40, 0.2),
    (2, 3, 2, 30, 0.5),
    (2, 3, 1, 30, 0.0),
    (3, 2, 2, 30, 0.4),
    (3, 2, 1, 30, 0.0),
]
shapes = pytest.mark.parametrize(("n", "size", "knowledge", "count", "zeros"), SHAPES)


@pytest.mark.slow
@shapes
def test_ratios_agree_with_loops_over_events(n, size, knowledge, count, zeros):
    for case in cases(count, n, size, knowledge, zeros=zeros):
        world, mechanism = case.world, case.mechanism
        masses, targets = case.masses, case.targets
        np = definitions.np_ratio(world, mechanism)
        assert np == brute.np_ratio(masses, mechanism, targets), case
        cdp = definitions.cdp_ratio(world, mechanism)
        assert cdp == brute.cdp_ratio(masses, mechanism, targets), case
        ibcdp = definitions.ibcdp_ratio(world, mechanism)
        assert ibcdp == brute.ibcdp_ratio(masses, mechanism, targets, case.records), case
        posterior = posteriors.posterior_ratio(world, mechanism)
        assert posterior == brute.posterior_ratio(masses, mechanism, targets), case
        for ratio in (np, cdp, ibcdp, posterior):
            assert isinstance(ratio, Fraction) or ratio == math.inf


@pytest.mark.slow
@shapes
def test_deltas_agree_with_loops_over_events(n, size, knowledge, count, zeros):
    refused = 0
    for case in cases(count, n, size, knowledge, zeros=zeros):
        world, mechanism, E = case.world, case.mechanism, case.E
        masses, targets = case.masses, case.targets
        found = [
            definitions.apk_delta(world, mechanism, E),
            definitions.cdp_delta(world, mechanism, E),
            definitions.ibcdp_delta(world, mechanism, E),
        ]
        assert all(isinstance(delta, Fraction) for delta in found)
        assert found == [
            brute.apk_delta(masses, mechanism, E, targets),
            brute.cdp_delta(masses, mechanism, E, targets),
            brute.ibcdp_delta(masses, mechanism, E, targets, case.records),
        ], case
        passive = brute.ppk_delta(masses, mechanism, E, targets)
        if passive is None:
            refused += 1
            with pytest.raises(ValueError, match="must be compatible with all knowledge"):
                definitions.ppk_delta(world, mechanism, E)
        else:
            assert definitions.ppk_delta(world, mechanism, E) == passive, case
    if knowledge == 1 or zeros == 0:
        assert refused == 0
    elif n > 1 and zeros == 0.5:
        assert 0 < refused < count


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


def test_a_ratio_is_the_least_at_which_delta_vanishes():
    for case in cases(120, 2, 2, 2, zeros=0.2):
        for ratio_of, delta_of in (
            (definitions.np_ratio, definitions.apk_delta),
            (definitions.cdp_ratio, definitions.cdp_delta),
            (definitions.ibcdp_ratio, definitions.ibcdp_delta),
        ):
            ratio = ratio_of(case.world, case.mechanism)
            if ratio < math.inf:
                assert delta_of(case.world, case.mechanism, ratio) == 0
                if ratio > 1:
                    below = (ratio * 999 + 1) / 1000
                    assert delta_of(case.world, case.mechanism, below) > 0
            else:
                limit = delta_of(case.world, case.mechanism, math.inf)
                assert limit > 0
                # Beyond the greatest finite likelihood ratio delta no longer falls.
                assert delta_of(case.world, case.mechanism, 10**9) == limit


def test_a_family_is_as_good_as_its_worst_member():
    for seed in range(50):
        members = [Case((seed, k), 2, (0, 1), 1 + k % 2, True, zeros=0.1) for k in range(3)]
        mechanism, E = members[0].mechanism, members[0].E
        family = [case.world for case in members]
        for function in (
            definitions.np_ratio,
            definitions.cdp_ratio,
            definitions.ibcdp_ratio,
            posteriors.posterior_ratio,
        ):
            expected = max(function(world, mechanism) for world in family)
            assert function(family, mechanism) == expected
            assert function(iter(family), mechanism, iter([0, 1])) == expected
        for function in (definitions.apk_delta, definitions.cdp_delta, definitions.ibcdp_delta):
            expected = max(function(world, mechanism, E) for world in family)
            assert function(tuple(family), mechanism, E) == expected
            assert function(iter(family), mechanism, E, iter([0, 1])) == expected
        full = [Case((seed, k), 2, (0, 1), 2, True, zeros=0.0).world for k in range(2)]
        expected = max(definitions.ppk_delta(world, mechanism, E) for world in full)
        assert definitions.ppk_delta(full, mechanism, E) == expected


@pytest.mark.slow
@pytest.mark.parametrize("zeros", [0.0, 0.4])
def test_targets_may_be_some_records_or_functions_of_the_database(zeros):
    for case in cases(40, 2, 2, 2, zeros=zeros):
        world, mechanism, masses, E = case.world, case.mechanism, case.masses, case.E
        for targets in ([0], [1], [sum], [lambda d: d[0] == d[1], 1]):
            expected = brute.np_ratio(masses, mechanism, targets)
            assert definitions.np_ratio(world, mechanism, targets) == expected
            expected = brute.posterior_ratio(masses, mechanism, targets)
            assert posteriors.posterior_ratio(world, mechanism, targets) == expected
            expected = brute.apk_delta(masses, mechanism, E, targets)
            assert definitions.apk_delta(world, mechanism, E, targets) == expected
            expected = brute.ppk_delta(masses, mechanism, E, targets)
            if expected is not None:
                assert definitions.ppk_delta(world, mechanism, E, targets) == expected
        for i in (0, 1):
            expected = brute.cdp_ratio(masses, mechanism, [i])
            assert definitions.cdp_ratio(world, mechanism, [i]) == expected
            expected = brute.ibcdp_ratio(masses, mechanism, [i], (0, 1))
            assert definitions.ibcdp_ratio(world, mechanism, [i]) == expected
            assert definitions.cdp_delta(world, mechanism, E, [i]) == brute.cdp_delta(
                masses, mechanism, E, [i]
            )
            assert definitions.ibcdp_delta(world, mechanism, E, [i]) == brute.ibcdp_delta(
                masses, mechanism, E, [i], (0, 1)
            )


def test_definition_6_replaces_by_records_that_never_occur():
    masses = {((0,), 0): HALF, ((1,), 0): HALF}
    table = {(0,): {"x": Fraction(1, 3), "y": Fraction(2, 3)}, (1,): "x", (2,): "y"}
    narrow, wide = World(masses), World(masses, records=(0, 1, 2))
    # Given y the record is 0; y of a record replaced by 2 says nothing: 1 is excluded no longer.
    assert definitions.ibcdp_ratio(wide, table.__getitem__) == math.inf
    assert definitions.ibcdp_ratio(wide, table.__getitem__) == brute.ibcdp_ratio(
        masses, table.__getitem__, [0], (0, 1, 2)
    )
    assert definitions.cdp_ratio(wide, table.__getitem__) == definitions.cdp_ratio(
        narrow, table.__getitem__
    )
    # Whereas those outputs that only one of M(D) and M(D replaced) can have do not count.
    masses = {((0,), 0): Fraction(1)}
    assert definitions.ibcdp_ratio(World(masses, (0, 1)), mechanisms.identity) == 1


# --------------------------------------------------------------------------------------------
# Hand-computed
# --------------------------------------------------------------------------------------------


def test_the_definitions_on_a_fair_duplicated_bit():
    world = worlds.copied({0: HALF, 1: HALF}, groups=1)
    assert definitions.np_ratio(world, mechanisms.identity) == math.inf
    assert definitions.cdp_ratio(world, mechanisms.identity) == math.inf
    assert definitions.ibcdp_ratio(world, mechanisms.identity) == 1
    assert definitions.ddp_ratio(world, mechanisms.identity).upper == 1
    # The parity is always 0, unless one of the two is changed.
    assert definitions.np_ratio(world, mechanisms.parity) == 1
    assert definitions.cdp_ratio(world, mechanisms.parity) == math.inf
    assert definitions.cdp_delta(world, mechanisms.parity, 5) == 1
    # Randomized response on both: 3 each for NP, one of them for CDP.
    answered = mechanisms.make_randomized_response(HALF)
    assert definitions.np_ratio(world, answered) == 9
    assert definitions.cdp_ratio(world, answered) == 3
    assert definitions.dp_ratio(answered, (0, 1), 2) == 3
    assert definitions.apk_delta(world, answered, 3) == Fraction(9, 16) - Fraction(3, 16)


def test_the_count_of_three_fair_bits_by_hand():
    world = worlds.bits([HALF] * 3)
    # Given 1: 1, 2, 3 with 1/4, 1/2, 1/4. Given 0: 0, 1, 2 likewise.
    assert definitions.np_ratio(world, mechanisms.total) == math.inf
    for E, delta in [(1, HALF), (Fraction(3, 2), Fraction(3, 8)), (2, Fraction(1, 4)), (9, 0.25)]:
        assert definitions.apk_delta(world, mechanisms.total, E) == delta
    hidden = mechanisms.post_process(mechanisms.total, lambda n: n in (1, 2))
    # Given either bit: P[True] = 3/4.
    assert definitions.np_ratio(world, hidden) == 1


def test_active_and_passive_attackers_on_a_thresholded_count_by_hand():
    world = worlds.bits([Fraction(1, 4)] * 3, knowledge=[2])
    # Two unknown bits and one known: b = 1 with chance 1/4. The output is n if n >= 2.
    # b = 0: given 1 it is 2 w.p. 1/4, given 0 never. b = 1: given 1: 2 or 3; given 0: bottom or 2.
    mechanism = mechanisms.make_threshold(1)
    table = definitions.apk_table(world, mechanism, 2, target=0, a=1, b=0)
    assert table == {
        (0,): (Fraction(3, 4), Fraction(1, 4)),
        (1,): (Fraction(1, 4), Fraction(1, 4) + Fraction(3, 4) - 2 * Fraction(1, 4)),
    }
    other_way = definitions.apk_table(world, mechanism, 2, target=0, a=0, b=1)
    assert other_way == {(0,): (Fraction(3, 4), 0), (1,): (Fraction(1, 4), Fraction(3, 4))}
    assert definitions.apk_delta(world, mechanism, 2, [0, 1]) == Fraction(3, 4)
    assert definitions.ppk_delta(world, mechanism, 2, [0, 1]) == Fraction(5, 16)


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


def test_theorem_1_the_passive_delta_is_the_mean_of_the_active_ones():
    for case in cases(100, 2, 2, 3, zeros=0.0):
        world, mechanism = case.world, case.mechanism
        for E in (*RATIOS, math.inf):
            means, tops = [], []
            for i, (a, b) in product((0, 1), permutations((0, 1))):
                table = definitions.apk_table(world, mechanism, E, target=i, a=a, b=b)
                assert sum(chance for chance, _ in table.values()) == 1
                means.append(sum(chance * delta for chance, delta in table.values()))
                tops.append(max(delta for _, delta in table.values()))
            assert definitions.ppk_delta(world, mechanism, E) == max(means)
            assert definitions.apk_delta(world, mechanism, E) == max(tops)


# --------------------------------------------------------------------------------------------
# Profiles
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("knowledge", [1, 2])
def test_profiles_are_exact_and_never_below_the_truth(knowledge):
    for case in cases(12 // knowledge, 2, 2, knowledge, zeros=0.0):
        for profile, delta in (
            (definitions.apk_profile(case.world, case.mechanism), brute.apk_delta),
            (definitions.ppk_profile(case.world, case.mechanism), brute.ppk_delta),
        ):
            assert profile.status == "exact"
            assert profile.rounded_up
            for eps in (0.0, 1e-300, 1e-9, 0.1, 0.5, math.log(2), math.log(3), 1.0, 2.5, 40.0):
                above = oracles.rational_above_exp(Fraction(eps))
                below = max(Fraction(1), above - Fraction(1, 10**30))
                least = delta(case.masses, case.mechanism, above, case.targets)
                most = delta(case.masses, case.mechanism, below, case.targets)
                found = profile.delta(eps)
                # The truth lies between least and most, which are 1e-30 apart.
                assert (
                    least
                    <= Fraction(found)
                    <= most * (1 + Fraction(1, 10**13)) + Fraction(1, 10**28)
                ), (case, eps)
                log_found = profile.log_delta(eps)
                assert (log_found == -math.inf) == (most == 0)
                if least > Fraction(1, 10**20):
                    truth = float(least)
                    assert math.exp(log_found) == pytest.approx(truth, rel=1e-14)
            assert profile.delta(math.inf) >= delta(
                case.masses, case.mechanism, 10**12, case.targets
            )


def test_a_profile_inverts_to_the_exact_ratio():
    for case in cases(30, 2, 2, 2, zeros=0.0):
        ratio = definitions.np_ratio(case.world, case.mechanism)
        for profile in (
            definitions.apk_profile(case.world, case.mechanism),
            definitions.ppk_profile(case.world, case.mechanism),
        ):
            eps = profile.epsilon(0.0)  # Theorem 1: with delta = 0 both attackers are the same
            assert eps == (pytest.approx(math.log(ratio), rel=1e-9) if ratio < math.inf else ratio)
            # Nothing smaller than the truth.
            if 1 < ratio < math.inf:
                assert oracles.rational_above_exp(Fraction(eps)) >= ratio


@pytest.mark.parametrize("eps", [800.0, 1e5, 1e9, 1e300])
def test_profiles_take_any_epsilon(eps):
    profile = definitions.apk_profile(worlds.bits([HALF] * 3), mechanisms.total)
    assert profile.delta(eps) == pytest.approx(0.25, rel=1e-15)


def test_a_profile_of_nothing_to_tell_apart_is_zero():
    world = World({((0, 1), 0): 1})
    for profile in (
        definitions.apk_profile(world, mechanisms.identity),
        definitions.ppk_profile(world, mechanisms.identity),
    ):
        assert profile.delta([0.0, 1.0, math.inf]).tolist() == [0.0] * 3
        assert profile.epsilon(0.0) == 0.0


# --------------------------------------------------------------------------------------------
# Simulators (the solver has its own tests in test_simulators)
# --------------------------------------------------------------------------------------------


def close(enclosure, squared, plain):
    """Whether max(sqrt(squared), plain) lies in an enclosure, which must be narrow."""
    if math.inf in (squared, plain):
        return enclosure.lower == enclosure.upper == math.inf
    return (
        enclosure.lower <= enclosure.upper <= enclosure.lower * (1 + Fraction(1, 10**9))
        and (enclosure.lower**2 <= squared or enclosure.lower <= plain)
        and enclosure.upper**2 >= squared
        and enclosure.upper >= plain
    )


@pytest.mark.slow
@pytest.mark.parametrize(("size", "knowledge", "members"), [(2, 1, 1), (3, 1, 1), (2, 2, 2)])
def test_ddp_of_one_record_has_a_closed_form(size, knowledge, members):
    seen = set()
    for seed in range(60):
        family = [
            Case((seed, k), 1, tuple(range(size)), knowledge, False, zeros=0.1)
            for k in range(members)
        ]
        rng = Random(repr((seed, size, knowledge)))
        table = brute.random_table(rng, 1, range(size), 3, deterministic=False, zeros=0.04)
        squared, plain = brute.single_record_ddp([c.masses for c in family], table.__getitem__)
        enclosure = definitions.ddp_ratio([c.world for c in family], table.__getitem__)
        assert close(enclosure, squared, plain), (family, table)
        infinite = math.inf in (squared, plain)
        seen.add("inf" if infinite else "sum" if plain**2 > squared else "root")
    assert seen >= {"inf", "root"}
    assert "sum" in seen or size == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "size", "knowledge", "members"), [(2, 2, 1, 1), (2, 2, 2, 1), (2, 2, 1, 2), (2, 3, 1, 1)]
)
def test_ddp_agrees_with_the_vertices_of_all_simulators(n, size, knowledge, members):
    infinite = 0
    for seed in range(10 if size == 2 else 3):
        family = [
            Case((seed, k), n, tuple(range(size)), knowledge, False, 2, zeros=0.1)
            for k in range(members)
        ]
        rng = Random(repr((seed, n, size, knowledge, members)))
        table = brute.random_table(rng, n, range(size), 2, deterministic=False, zeros=0.02)
        mechanism, masses = table.__getitem__, [case.masses for case in family]
        enclosure = definitions.ddp_ratio([case.world for case in family], mechanism)
        finite = all(
            brute.some_simulator_has_the_right_supports(masses, mechanism, i) for i in range(n)
        )
        assert (enclosure.upper < math.inf) == finite, (family, table)
        if not finite:
            infinite += 1
            assert enclosure.lower == math.inf
            continue
        assert enclosure.upper <= enclosure.lower * (1 + Fraction(1, 10**9))
        assert all(
            brute.some_simulator_is_within(masses, mechanism, i, enclosure.upper) for i in range(n)
        ), (family, table)
        if enclosure.lower > 1:
            below = 1 + (enclosure.lower - 1) * (1 - Fraction(1, 10**6))
            assert not all(
                brute.some_simulator_is_within(masses, mechanism, i, below) for i in range(n)
            ), (family, table)
    assert infinite < seed


def test_ddp_is_finite_exactly_if_some_choice_of_supports_is_right():
    kinds = set()
    for case in cases(100, 2, 2, 1, outputs=3, zeros=0.4):
        finite = all(
            brute.some_simulator_has_the_right_supports([case.masses], case.mechanism, i)
            for i in (0, 1)
        )
        assert (definitions.ddp_ratio(case.world, case.mechanism).upper < math.inf) == finite, case
        kinds.add(finite)
    assert kinds == {True, False}


def test_ddp_is_at_most_cdp_and_at_least_the_root_of_np_where_these_must_hold():
    for case in cases(40, 2, 2, 1, zeros=0.0):
        # With trivial knowledge a simulator may put any record in, hence CDP => DDP.
        enclosure = definitions.ddp_ratio(case.world, case.mechanism)
        cdp = definitions.cdp_ratio(case.world, case.mechanism)
        assert enclosure.lower <= cdp, case
        if cdp < math.inf:
            assert enclosure.upper <= cdp * (1 + Fraction(1, 10**9)), case
        # With independent records all values of the target meet the same simulated law.
        rng = Random(repr(case))
        laws = [brute.random_law(rng, (0, 1), zeros=0.0) for _ in range(2)]
        world = World(brute.product_masses(laws))
        noiseless = definitions.np_ratio(world, case.mechanism)
        assert definitions.ddp_ratio(world, case.mechanism).upper ** 2 >= noiseless


# --------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------

TWO = worlds.bits([HALF] * 2)
IDENTITY = mechanisms.identity
RATIO_FUNCTIONS = [
    definitions.np_ratio,
    definitions.cdp_ratio,
    definitions.ibcdp_ratio,
    posteriors.posterior_ratio,
    definitions.apk_profile,
    definitions.ppk_profile,
]
DELTA_FUNCTIONS = [
    definitions.apk_delta,
    definitions.ppk_delta,
    definitions.cdp_delta,
    definitions.ibcdp_delta,
]


@pytest.mark.parametrize("function", [*RATIO_FUNCTIONS, definitions.ddp_ratio])
def test_targets_in_worlds_of_different_sizes(function):
    one, told = worlds.bits([HALF]), mechanisms.make_randomized_response(HALF)
    alone, other, both = (function(family, told) for family in (one, TWO, [one, TWO]))
    if function in (definitions.apk_profile, definitions.ppk_profile):
        assert both.delta(0.5) == max(alone.delta(0.5), other.delta(0.5)) > 0
    elif function is definitions.ddp_ratio:
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


def test_a_table_without_a_replaced_database_is_refused_by_name():
    twins = worlds.copied({0: HALF, 1: HALF}, groups=1)
    table = {d: sum(d) for d in twins.databases}
    for function in (definitions.cdp_ratio, definitions.ibcdp_ratio):
        with pytest.raises(ValueError, match=r"\((0, 1|1, 0)\)"):
            function(twins, table.__getitem__)
    # Any other mishap is not ours.
    with pytest.raises(KeyError, match="elsewhere"):
        definitions.cdp_ratio(twins, lambda d: {}["elsewhere"])


@pytest.mark.parametrize("function", DELTA_FUNCTIONS)
def test_bad_ratios_are_refused(function):
    for wrong in (0, Fraction(99, 100), -1):
        with pytest.raises(ValueError, match=r"ratio must be a Fraction in \[1, inf\)"):
            function(TWO, IDENTITY, wrong)
    for wrong in (2.0, math.nan, -math.inf, "2", True, None):
        with pytest.raises(TypeError, match="ratio must be"):
            function(TWO, IDENTITY, wrong)
    with pytest.raises(ValueError, match="got none"):
        function([], IDENTITY, 2)
    with pytest.raises(ValueError, match="target must be an integer in 0…1, got 5"):
        function(TWO, IDENTITY, 2, [5])
    with pytest.raises(ValueError, match="targets must be at least one"):
        function(TWO, IDENTITY, 2, iter([]))
    # What the posterior puts on each record is wrong by a half at most.
    everything = HALF if function is definitions.ibcdp_delta else 1
    for most in (1, math.inf):
        assert function(TWO, IDENTITY, most) == everything


@pytest.mark.parametrize("function", [*RATIO_FUNCTIONS, definitions.ddp_ratio])
def test_bad_mechanisms_are_refused(function):
    with pytest.raises(ValueError, match="probabilities must sum to 1, got 1/2"):
        function(TWO, lambda d: {0: HALF})
    with pytest.raises(ValueError, match="must be ≥ 0, got -1"):
        function(TWO, lambda d: {0: 2, 1: -1})
    with pytest.raises(TypeError, match=r"must be an int or a Fraction, got 0\.5"):
        function(TWO, lambda d: {0: 0.5, 1: 0.5})
    with pytest.raises(ValueError, match="must be hashable"):
        function(TWO, list)


def test_differential_privacy_refuses_what_makes_no_databases():
    with pytest.raises(
        ValueError, match=r"records must be different values, at least one, got \(\)"
    ):
        definitions.dp_ratio(IDENTITY, [], 2)
    for wrong in (0, -1):
        with pytest.raises(ValueError, match=f"n must be an integer in .*, got {wrong}"):
            definitions.dp_ratio(IDENTITY, [0, 1], wrong)
    with pytest.raises(TypeError, match="n must be an integer"):
        definitions.dp_ratio(IDENTITY, [0, 1], 1.5)
    with pytest.raises(ValueError, match="ratio must be"):
        definitions.dp_delta(IDENTITY, [0, 1], 2, ratio=Fraction(1, 2))
    with pytest.raises(ValueError, match=r"records must be different values, .* got \(0, 0\)"):
        definitions.dp_ratio(IDENTITY, [0, 0], 1)
    # Refused at once, where the list would not fit the memory.
    for n in (30, 1000):
        with pytest.raises(ValueError, match="databases must be at most 2000000"):
            definitions.dp_ratio(mechanisms.total, (0, 1), n)
    assert definitions.dp_ratio(IDENTITY, [0], 30) == 1
    assert definitions.dp_delta(IDENTITY, [0, 1], 2, ratio=math.inf) == 1


def test_the_loss_and_the_table_refuse_what_is_impossible():
    world = worlds.bits([HALF] * 3, knowledge=[2])
    for function in (
        partial(definitions.privacy_loss, world, mechanisms.total),
        partial(definitions.apk_table, world, mechanisms.total, 2),
    ):
        with pytest.raises(ValueError, match="target must be an integer in 0…2, got 3"):
            function(target=3, a=0, b=1)
        for a, b in ((0, 7), (7, 0)):
            with pytest.raises(ValueError, match="7 must be compatible with all knowledge"):
                function(target=0, a=a, b=b)
        for odd in (Decimal("sNaN"), np.array([0, 1]), [1]):  # none of these has a hash
            with pytest.raises(ValueError, match="must be compatible with all knowledge"):
                function(target=0, a=odd, b=0)
        with pytest.raises(ValueError, match="must be compatible with all knowledge"):
            function(target=2, a=0, b=1)
        # Two values and a target, all of them small integers, must not be taken for each other.
        with pytest.raises(TypeError, match="positional arguments"):
            function(0, 0, 1)
    with pytest.raises(ValueError, match="knowledge must be among"):
        definitions.privacy_loss(world, mechanisms.total, target=0, a=0, b=1, knowledge=(2,))
    with pytest.raises(ValueError, match="must be compatible"):
        definitions.privacy_loss(world, mechanisms.total, target=2, a=0, b=1, knowledge=(0,))
    for family in ([world], (world, world)):
        with pytest.raises(TypeError, match="world must be one World, got"):
            definitions.privacy_loss(family, mechanisms.total, target=0, a=0, b=1)
        with pytest.raises(TypeError, match="world must be one World, got"):
            definitions.apk_table(family, mechanisms.total, 2, target=0, a=0, b=1)
    # None is a value like another.
    with pytest.raises(ValueError, match=r"knowledge must be among .* got None"):
        definitions.privacy_loss(world, mechanisms.total, target=0, a=0, b=1, knowledge=None)
    with pytest.raises(ValueError, match="ratio must be"):
        definitions.apk_table(world, mechanisms.total, Fraction(1, 2), target=0, a=0, b=1)


def test_passive_attackers_who_may_know_the_target_are_refused():
    world = worlds.bits([HALF] * 2, knowledge=[1])
    for function in (
        lambda: definitions.ppk_delta(world, IDENTITY, 2),
        lambda: definitions.ppk_profile(world, IDENTITY),
    ):
        with pytest.raises(ValueError, match=r"with all knowledge; .*targets: leave them out\)"):
            function()
    # Active ones learn nothing new.
    assert definitions.apk_delta(world, IDENTITY, 2, [1]) == 0
    assert definitions.np_ratio(world, IDENTITY, [1]) == 1


@pytest.mark.parametrize("digits", [30, 70, 75])
def test_a_delta_next_to_1_is_rounded_up_in_logarithms(digits):
    # A difference of logarithms would cancel here.
    rest = Fraction(3, 7 * 10**digits)
    told = {(0,): {0: Fraction(1)}, (1,): {0: rest, 1: 1 - rest}}
    world = worlds.bits([Fraction(1, 2)])
    log_delta = definitions.apk_profile(world, told.__getitem__).log_delta(0.0)
    assert 0.0 > log_delta >= -float(rest) * (1.0 + 1e-15)
    assert log_delta == pytest.approx(-float(rest), rel=1e-15)
