"""Section 5.1 on small worlds: dependency, Theorem 6 and Proposition 9, in exact fractions."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from operator import itemgetter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import composition, enumeration, mechanisms, published
from pkdp.partial_knowledge.composition import (
    dependency,
    dependency_law,
    mu_ratio,
    nu,
    product_delta,
)
from pkdp.worlds import World, bits
from pkdp.worlds.definitions import apk_delta, np_ratio
from pkdp.worlds.mechanisms import compose, make_randomized_response, output_law, post_process
from tests.oracles import composition as tables
from tests.oracles import worlds as brute

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
CONVENTIONS = ["repaired", "printed"]
RATIOS = [Fraction(1), Fraction(9, 8), Fraction(2), Fraction(7, 2), math.inf]

first_record, second_record = itemgetter(0), itemgetter(1)


def exclusive_or(database):
    return database[0] ^ database[1]


class Case:
    """A random world with two random mechanisms; of few databases, or hardly any is finite."""

    def __init__(self, seed, n, size, knowledge, zeros):
        rng = Random(repr((seed, n, size, knowledge, zeros)))
        masses = brute.random_masses(rng, n, range(size), knowledge, zeros=zeros)
        self.world = World(masses, range(size))
        kinds = [(seed % 2 == 0, 3), (seed % 3 == 0, 2)]
        self.m1, self.m2 = (
            brute.random_table(rng, n, range(size), outputs, deterministic).__getitem__
            for deterministic, outputs in kinds
        )

    def comparisons(self):
        """Yield i, a, b and B̂, as Definition 17 has them."""
        for target, seen in product(range(self.world.size), self.world.knowledge):
            values = {d[target] for d, B in self.world.masses if seen == B}
            for a, b in permutations(sorted(values), 2):
                yield target, a, b, seen

    def compared(self, function, target, a, b, seen, **options):
        """Return what `dependency` or `dependency_law` says of one of the comparisons."""
        return function(
            self.world, self.m1, self.m2, target=target, a=a, b=b, knowledge=seen, **options
        )

    def law(self, target, value, seen):
        """Return the law of both outputs, given D(i) and B̂, one database after the other."""
        world = self.world.given(lambda d, B: d[target] == value and seen == B)
        law = {}
        for (database, _), mass in world.masses.items():
            for one, p in output_law(self.m1, database).items():
                for other, q in output_law(self.m2, database).items():
                    law[one, other] = law.get((one, other), 0) + mass * p * q
        return law


def cases(count):
    shapes = [(1, 2, 1, 0.0), (2, 2, 1, 0.3), (2, 2, 2, 0.1), (3, 2, 1, 0.4), (2, 3, 2, 0.5)]
    for seed, shape in product(range(count), shapes):
        yield Case(seed, *shape)


def chance(law, one=None, other=None):
    """Return the probability of an event about the two outputs."""
    return sum(
        (m for (x, y), m in law.items() if one in (None, x) and other in (None, y)), Fraction(0)
    )


def loss(p, q):
    """Return e^L of two probabilities: inf or 0 where one of them is 0, None where both are."""
    if not p and not q:
        return None
    return Fraction(p, q) if q else math.inf


def read_definition_17(a_law, b_law, one, other, convention):
    """Return e^Dep from the two losses of the second mechanism; None where nothing is said."""
    second = loss(chance(a_law, other=other), chance(b_law, other=other))
    own = loss(chance(a_law, one), chance(b_law, one))
    if convention == "repaired" and (second in (0, math.inf) or own in (0, math.inf)):
        return Fraction(1)
    if not chance(a_law, one, other) and not chance(b_law, one, other):
        return None
    if own in (0, math.inf):  # the conditional loss is undefined; one record is ruled out
        return own
    conditional = loss(
        chance(a_law, one, other) / chance(a_law, one),
        chance(b_law, one, other) / chance(b_law, one),
    )
    if conditional in (0, math.inf, None):  # ±∞ - x = ±∞
        return conditional
    return conditional / second


# Definitions 17 and 18


@pytest.mark.slow
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_dependency_is_the_conditional_loss_less_the_loss(convention):
    compared = infinite = 0
    for case in cases(24):
        for target, a, b, seen in case.comparisons():
            a_law, b_law = case.law(target, a, seen), case.law(target, b, seen)
            found = case.compared(dependency, target, a, b, seen, convention=convention)
            assert found.keys() == a_law.keys() | b_law.keys()
            for (one, other), ratio in found.items():
                assert ratio == read_definition_17(a_law, b_law, one, other, convention)
                assert isinstance(ratio, Fraction) or ratio == math.inf
                infinite += ratio in (0, math.inf)
                compared += 1
    assert compared > 2500
    assert infinite > 100


@pytest.mark.slow
@pytest.mark.parametrize("outputs", ["joint", "product"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_nu_is_the_greatest_expectation_of_definition_18(convention, outputs):
    for case in cases(16):
        expected = dict.fromkeys(RATIOS, Fraction(0))
        for target, a, b, seen in case.comparisons():
            a_law, b_law = case.law(target, a, seen), case.law(target, b, seen)
            terms = {}
            for one, other in product({x for x, _ in a_law}, {y for _, y in a_law}):
                separate = chance(a_law, one) * chance(a_law, other=other)
                mass = chance(a_law, one, other) if outputs == "joint" else separate
                if mass:
                    ratio = read_definition_17(a_law, b_law, one, other, convention)
                    ratio = 1 if ratio is None else ratio
                    terms[ratio] = terms.get(ratio, 0) + mass
            if outputs == "joint":
                law = case.compared(dependency_law, target, a, b, seen, convention=convention)
                assert law == terms
                assert list(law) == sorted(law)
            for R in RATIOS:
                excess = sum(
                    mass if math.isinf(ratio) else mass * (1 - R / ratio)
                    for ratio, mass in terms.items()
                    if ratio > R or ratio == math.inf
                )
                expected[R] = max(expected[R], excess)
        for R in RATIOS:
            found = nu(case.world, case.m1, case.m2, R, convention=convention, outputs=outputs)
            assert found == expected[R]
            assert isinstance(found, Fraction)


def test_the_dependency_is_that_of_either_mechanism_on_the_other():
    for case in cases(16):
        for convention in CONVENTIONS:
            for target, a, b, seen in case.comparisons():
                there, back = (
                    dependency(
                        case.world,
                        *pair,
                        target=target,
                        a=a,
                        b=b,
                        knowledge=seen,
                        convention=convention,
                    )
                    for pair in ((case.m1, case.m2), (case.m2, case.m1))
                )
                assert there == {(y, x): ratio for (x, y), ratio in back.items()}
            assert nu(case.world, case.m1, case.m2, 2) == nu(case.world, case.m2, case.m1, 2)


def test_exchanging_the_records_inverts_the_dependency():
    for case in cases(16):
        for convention in CONVENTIONS:
            for target, a, b, seen in case.comparisons():
                there, back = (
                    case.compared(dependency, target, x, y, seen, convention=convention)
                    for x, y in ((a, b), (b, a))
                )
                for outputs, ratio in there.items():
                    inverse = math.inf if ratio == 0 else 0 if math.isinf(ratio) else 1 / ratio
                    assert back[outputs] == inverse


def test_the_repaired_convention_never_asks_for_more():
    stricter = 0
    for case in cases(16):
        for R in RATIOS:
            printed = nu(case.world, case.m1, case.m2, R, convention="printed")
            repaired = nu(case.world, case.m1, case.m2, R)
            assert repaired <= printed
            stricter += repaired < printed
    assert stricter > 50


def test_mu_ratio_is_the_least_ratio_at_which_nu_vanishes():
    for case in cases(24):
        least = mu_ratio(case.world, case.m1, case.m2)
        if least == math.inf:
            assert nu(case.world, case.m1, case.m2, math.inf) > 0
        else:
            assert nu(case.world, case.m1, case.m2, least) == 0
            if least > 1:
                assert nu(case.world, case.m1, case.m2, (least * 999 + 1) / 1000) > 0


def test_nu_of_a_family_is_that_of_its_worst_member():
    some = list(cases(3))
    for R in RATIOS:
        members = [case.world for case in some if case.world.size == 2]
        parts = [nu(world, exclusive_or, second_record, R) for world in members]
        assert nu(members, exclusive_or, second_record, R) == max(parts)


def test_for_a_negative_mu_nu_is_at_least_that_of_equal_records():
    world = bits([HALF, HALF])
    assert nu(world, first_record, second_record, Fraction(3, 4)) == Fraction(1, 4)
    assert nu(world, mechanisms.make_constant(0), mechanisms.make_constant(0), HALF) == HALF


# Theorem 6


def ratios_of(world, *mechanisms_of):
    """Return ratios at which something happens: likelihood ratios, and inf."""
    found = {Fraction(1), math.inf}
    for mechanism in mechanisms_of:
        for target, seen in product(range(world.size), world.knowledge):
            values = [
                v
                for v in world.records
                if world.probability(lambda d, B, v=v, i=target, s=seen: d[i] == v and s == B)
            ]
            for a, b in permutations(values, 2):
                laws = [brute_law(world, mechanism, target, value, seen) for value in (a, b)]
                for output in laws[0].keys() & laws[1].keys():
                    found.add(max(Fraction(1), laws[0][output] / laws[1][output]))
    return sorted(found)


def brute_law(world, mechanism, target, value, seen):
    law = {}
    given_both = world.given(lambda d, B: d[target] == value and seen == B)
    for (database, _), mass in given_both.masses.items():
        for output, share in output_law(mechanism, database).items():
            law[output] = law.get(output, 0) + mass * share
    return law


def times(*ratios):
    return math.inf if math.inf in ratios else math.prod(ratios, start=Fraction(1))


def breaks_theorem_6(world, m1, m2, R, **options):
    """Return whether ε₁ + ε₂ + µ, δ₁ + δ₂ + ν fails for some ε₁ and ε₂; and how many were tried.

    It is enough to try the ε₁ and ε₂ at which δ₁ and δ₂ have kinks: between them the difference of
    both sides is convex in each.
    """
    bound = nu(world, m1, m2, R, **options)
    deltas = [[(E, apk_delta(world, m, E)) for E in ratios_of(world, m)] for m in (m1, m2)]
    both = compose(m1, m2)
    pairs = list(product(*deltas))
    return any(
        apk_delta(world, both, times(E1, E2, R)) > d1 + d2 + bound for (E1, d1), (E2, d2) in pairs
    ), len(pairs)


def test_the_loss_of_both_outputs_is_the_sum_of_the_losses_and_the_dependency():
    finite = 0
    for case in cases(24):
        for target, a, b, seen in case.comparisons():
            a_law, b_law = case.law(target, a, seen), case.law(target, b, seen)
            found = case.compared(dependency, target, a, b, seen)
            for (one, other), ratio in found.items():
                both = loss(chance(a_law, one, other), chance(b_law, one, other))
                l1 = loss(chance(a_law, one), chance(b_law, one))
                l2 = loss(chance(a_law, other=other), chance(b_law, other=other))
                if both not in (0, math.inf):
                    assert both == l1 * l2 * ratio
                    finite += ratio != 1
                elif both == math.inf:
                    assert math.inf in (l1, l2, ratio)
    assert finite > 500


def test_theorem_6_corrected_holds_for_all_pairs_of_functions_of_two_bits():
    tried = 0
    for denominator in (1, 2, 3, 4):
        for world in enumeration.small_worlds(2, (0, 1), denominator=denominator):
            tables = list(enumeration.partitions(world.databases))
            for m1, m2 in combinations_with_replacement(tables, 2):
                tried += 1
                both = compose(m1, m2)
                least = [np_ratio(world, m) for m in (m1, m2, both)]
                mu = mu_ratio(world, m1, m2)
                assert least[2] <= times(*least[:2], mu)
                for R in {Fraction(1), mu} - {math.inf}:
                    d1, d2, d = (apk_delta(world, m, R) for m in (m1, m2, both))
                    assert apk_delta(world, both, R * R * R) <= d1 + d2 + nu(world, m1, m2, R)
                    assert d <= sum(apk_delta(world, m, 1) for m in (m1, m2)) + nu(world, m1, m2, R)
    assert tried == 484


@pytest.mark.slow
def test_theorem_6_corrected_survives_random_worlds():
    inequalities = 0
    for case in cases(4):
        for R, convention in product([Fraction(1), Fraction(5, 4), Fraction(3)], CONVENTIONS):
            broken, tried = breaks_theorem_6(case.world, case.m1, case.m2, R, convention=convention)
            assert not broken
            inequalities += tried
    assert inequalities > 1000


def test_theorem_6_corrected_holds_for_negative_mu():
    for case in cases(16):
        for R in (Fraction(1, 2), Fraction(8, 9)):
            bound = nu(case.world, case.m1, case.m2, R)
            for E1, E2 in product([Fraction(2), Fraction(3)], repeat=2):
                d1, d2 = apk_delta(case.world, case.m1, E1), apk_delta(case.world, case.m2, E2)
                both = compose(case.m1, case.m2)
                assert apk_delta(case.world, both, max(1, E1 * E2 * R)) <= d1 + d2 + bound


@given(
    *[st.fractions(1, 5, max_denominator=6)] * 3,
    st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any),
)
def test_theorem_6_corrected_is_attained_for_any_six_numbers(e1, e2, u, parts):
    d1, d2, v = (Fraction(part, sum(parts)) for part in parts[:3])
    world, m1, m2 = World(tables.extremal(e1, e2, u, d1, d2, v)), itemgetter(1), itemgetter(2)
    both = compose(m1, m2)
    assert apk_delta(world, m1, e1, [0]) == d1
    assert apk_delta(world, m2, e2, [0]) == d2
    assert nu(world, m1, m2, u, [0]) == v
    assert apk_delta(world, both, e1 * e2 * u, [0]) == d1 + d2 + v
    if parts[3] and e1 * e2 * u > 1:
        below = (e1 * e2 * u * 99 + 1) / 100
        assert apk_delta(world, both, below, [0]) > d1 + d2 + v
    if not d1 and not d2:  # then the conventions agree
        assert nu(world, m1, m2, u, [0], convention="printed") == v


def test_the_same_output_twice_breaks_the_printed_identity_and_nothing_smaller_does():
    world = World({((0, 0), ()): THIRD, ((0, 1), ()): THIRD, ((1, 0), ()): THIRD})
    ratio = dependency(world, second_record, second_record, target=0, a=0, b=1)[0, 0]
    once = apk_loss(world, second_record, 0)
    twice = apk_loss(world, compose(second_record, second_record), (0, 0))
    assert (once, twice, ratio) == (HALF, HALF, Fraction(2))
    assert twice == once * once * ratio
    assert published.theorem_6_loss(once, once, dependency=ratio) == 1
    for n, denominator in product((1, 2), (1, 2)):
        for smaller in enumeration.small_worlds(n, (0, 1), denominator=denominator):
            tables = list(enumeration.partitions(smaller.databases))
            for m1, m2 in product(tables, repeat=2):
                for target in range(n):
                    if len(smaller.law_of(target)) == 2:
                        found = dependency(
                            smaller, m1, m2, target=target, a=0, b=1, convention="printed"
                        )
                        assert set(found.values()) <= {0, 1, math.inf}


def apk_loss(world, mechanism, output):
    laws = [brute_law(world, mechanism, 0, value, ()) for value in (0, 1)]
    return laws[0][output] / laws[1][output]


def test_the_printed_corollary_fails_for_negative_mu():
    # Whoever releases a constant, too, does not become more private by it.
    world, told, nothing = (
        bits([HALF]),
        make_randomized_response(THIRD),
        mechanisms.make_constant("nothing"),
    )
    R = Fraction(3, 4)
    assert (np_ratio(world, nothing), np_ratio(world, told)) == (1, 2)
    for convention in CONVENTIONS:
        assert nu(world, nothing, told, R, convention=convention) == Fraction(1, 4)
    both = compose(nothing, told)
    assert apk_delta(world, both, 2 * R) <= Fraction(1, 4)
    assert apk_delta(world, both, 2 * R**2) == Fraction(7, 24) > Fraction(1, 4)


def test_drawing_the_outputs_from_separate_databases_breaks_theorem_6():
    # The vote hidden by a coin, and the coin.
    pad = bits([HALF, HALF])
    target = {"targets": [0]}
    for mechanism in (exclusive_or, second_record):
        assert np_ratio(pad, mechanism, **target) == 1
    for ratio in (1, 10**9):
        for convention in CONVENTIONS:
            options = {"convention": convention, **target}
            assert nu(pad, exclusive_or, second_record, ratio, **options) == 1
            separate = nu(pad, exclusive_or, second_record, ratio, outputs="product", **options)
            assert separate == HALF
    assert apk_delta(pad, compose(exclusive_or, second_record), math.inf, **target) == 1


def test_no_smaller_world_of_two_bits_breaks_theorem_6_with_separate_databases():
    tried = 0
    for denominator in (1, 2, 3):
        for world in enumeration.small_worlds(2, (0, 1), denominator=denominator):
            tables = list(enumeration.partitions(world.databases))
            for m1, m2 in combinations_with_replacement(tables, 2):
                for R in {Fraction(1), Fraction(10**9)}:
                    broken, inequalities = breaks_theorem_6(world, m1, m2, R, outputs="product")
                    assert not broken
                    tried += inequalities
    assert tried > 500


@pytest.mark.parametrize("p", [HALF, THIRD])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_two_counts_of_example_8_have_nu_1_unless_one_count_tells_all(n, p):
    world = bits([HALF] + [p] * (n - 1))
    everybody, others = sum, lambda database: sum(database[1:])
    nobody, all_of_them = (1 - p) ** (n - 1), p ** (n - 1)
    for ratio in (1, 7, math.inf):
        printed = nu(world, everybody, others, ratio, [0], convention="printed")
        assert printed == 1
        repaired = nu(world, everybody, others, ratio, [0])
        assert repaired == 1 - min(nobody, all_of_them)
        # The count of the others says nothing; with the other it says all.
        assert np_ratio(world, others, [0]) == 1
        assert apk_delta(world, compose(everybody, others), ratio, [0]) == 1
        assert apk_delta(world, everybody, math.inf, [0]) + repaired >= 1


# Beyond simple composition


def public_coin(heads):
    """Return a fair bit and a coin, and randomized response that is switched off on tails."""
    told = post_process(make_randomized_response(HALF), first_record)

    def on_heads(database):
        return told(database[:1]) if database[1] else "nothing"

    return bits([HALF, heads]), on_heads


def test_independent_loss_laws_understate_zero_dependent_mechanisms():
    world, on_heads = public_coin(Fraction(2, 3))
    for convention in CONVENTIONS:
        for a, b in permutations((0, 1)):
            found = dependency(world, on_heads, on_heads, target=0, a=a, b=b, convention=convention)
            assert set(found.values()) == {1}
            assert len(found) == 5  # both off, or two answers of two
    assert product_delta(world, [on_heads] * 2, 5, [0]) == Fraction(1, 9)
    assert apk_delta(world, compose(on_heads, on_heads), 5, [0]) == Fraction(1, 6)
    assert not composition.are_conditionally_independent(world, on_heads, on_heads, [0])


def test_renyi_divergences_of_zero_dependent_mechanisms_can_exceed_their_sum():
    world, on_heads = public_coin(Fraction(2, 3))

    def second_moment(mechanism):  # e^R₂, the expectation of e^L
        p, q = (brute_law(world, mechanism, 0, value, ()) for value in (0, 1))
        return sum(p[output] ** 2 / q[output] for output in p)

    once, twice = second_moment(on_heads), second_moment(compose(on_heads, on_heads))
    assert (once, twice) == (Fraction(17, 9), Fraction(107, 27))
    assert twice > once**2


def test_the_smallest_zero_dependency_that_neither_composition_bounds():
    # A fair coin shows which mechanism speaks; masses are tenths.
    law = {0: {(0, 2): 1, (1, 2): 1, (2, 0): 1, (2, 1): 1}, 1: {(0, 2): 1, (1, 2): 2, (2, 0): 1}}
    law[1][2, 1] = 2
    world = World(
        {((s, *o), ()): Fraction(mass, 10) for s, row in law.items() for o, mass in row.items()}
    )
    m1, m2 = itemgetter(1), itemgetter(2)
    for convention in CONVENTIONS:
        assert nu(world, m1, m2, 1, [0], convention=convention) == 0
    assert max(np_ratio(world, m, [0]) for m in (m1, m2)) == Fraction(3, 2)  # no infinite loss
    d1, d2 = (apk_delta(world, m, 1, [0]) for m in (m1, m2))
    assert d1 == d2 == Fraction(1, 12)
    truth = apk_delta(world, compose(m1, m2), 1, [0])
    assert truth == Fraction(1, 6)
    assert optimal(Fraction(1), d1, Fraction(1), d2, Fraction(1)) == Fraction(23, 144) < truth
    assert product_delta(world, [m1, m2], 1, [0]) == Fraction(19, 144) < truth


def test_two_outputs_of_finite_loss_and_zero_dependency_are_independent_or_one_says_nothing():
    # The reason why a smaller counterexample needs three outputs of either mechanism.
    seen = 0
    for masses in product(range(1, 4), repeat=8):
        a_law, b_law = (
            dict(zip(product((0, 1), repeat=2), part, strict=True))
            for part in (masses[:4], masses[4:])
        )
        laws = [
            {o: Fraction(m, sum(law.values())) for o, m in law.items()} for law in (a_law, b_law)
        ]
        if any(read_definition_17(*laws, *o, "printed") != 1 for o in laws[0]):
            continue
        independent = all(
            law[x, y] == chance(law, x) * chance(law, other=y) for law in laws for x, y in law
        )
        silent = chance(laws[0], 0) == chance(laws[1], 0) or (
            chance(laws[0], other=0) == chance(laws[1], other=0)
        )
        assert independent or silent
        seen += not independent
    assert seen > 0


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


def test_theorem_6_corrected_can_be_used_again_and_again():
    for case in cases(6):
        third, two = mechanisms.total, compose(case.m1, case.m2)
        R = Fraction(2)
        bound = nu(case.world, case.m1, case.m2, R) + nu(case.world, two, third, R)
        for E in (Fraction(1), Fraction(2)):
            deltas = [apk_delta(case.world, m, E) for m in (case.m1, case.m2, third)]
            together = apk_delta(case.world, compose(two, third), E**3 * R**2)
            assert together <= sum(deltas) + bound


def test_zero_dependency_adds_deltas_where_optimal_composition_would_not():
    world, on_heads = public_coin(HALF)

    def on_tails(database):
        return on_heads((database[0], 1 - database[1]))

    for convention in CONVENTIONS:
        assert nu(world, on_heads, on_tails, 1, [0], convention=convention) == 0
    d1, d2 = (apk_delta(world, m, 1, [0]) for m in (on_heads, on_tails))
    assert d1 == d2 == Fraction(1, 4)
    both = apk_delta(world, compose(on_heads, on_tails), 1, [0])
    assert both == d1 + d2 > 1 - (1 - d1) * (1 - d2)


def test_outright_disclosure_on_disjoint_events_adds_deltas_too():
    world = bits([HALF, HALF])
    on_heads, on_tails = (
        lambda database, side=side: database[0] if database[1] == side else "nothing"
        for side in (1, 0)
    )
    assert mu_ratio(world, on_heads, on_tails, [0]) == 1
    for ratio in (1, math.inf):
        assert apk_delta(world, on_heads, ratio, [0]) == HALF
        assert apk_delta(world, on_tails, ratio, [0]) == HALF
        assert apk_delta(world, compose(on_heads, on_tails), ratio, [0]) == 1
        assert product_delta(world, [on_heads, on_tails], ratio, [0]) == Fraction(3, 4)


def optimal(E1, d1, E2, d2, E):
    """Return δ of two mechanisms with coins of their own, (ln E1, d1) and (ln E2, d2)."""
    curve = sum(
        max(Fraction(0), p - E * q)
        for p, q in (
            (E1 * E2, Fraction(1)),
            (E1, E2),
            (E2, E1),
            (Fraction(1), E1 * E2),
        )
    ) / ((1 + E1) * (1 + E2))
    return 1 - (1 - d1) * (1 - d2) * (1 - curve)


def test_with_a_pure_second_mechanism_optimal_composition_holds_at_its_loss_plus_mu():
    compared = 0
    for case in cases(60):
        E2, R = np_ratio(case.world, case.m2), mu_ratio(case.world, case.m1, case.m2)
        if math.inf in (E2, R):
            continue
        both = compose(case.m1, case.m2)
        for E1 in (Fraction(1), Fraction(2)):
            d1 = apk_delta(case.world, case.m1, E1)
            for E in (Fraction(1), Fraction(3, 2), E1 * E2 * R):
                bound = optimal(E1, d1, E2 * R, Fraction(0), E)
                assert apk_delta(case.world, both, E) <= bound
                compared += 1
    assert compared > 300


def test_the_product_delta_is_exact_for_conditionally_independent_outputs():
    told = make_randomized_response(HALF)
    world = bits([HALF, THIRD], knowledge=[1])
    three = [told, told, mechanisms.total]
    for ratio in (1, 2, 5, math.inf):
        assert product_delta(world, three, ratio) == apk_delta(world, compose(*three), ratio)
        assert product_delta(world, three[:1], ratio) == apk_delta(world, told, ratio)


def test_the_product_delta_is_that_of_the_product_of_the_laws():
    for case in cases(6):
        expected = dict.fromkeys(RATIOS, Fraction(0))
        for target, a, b, seen in case.comparisons():
            (p1, q1), (p2, q2) = (
                [brute_law(case.world, m, target, value, seen) for value in (a, b)]
                for m in (case.m1, case.m2)
            )
            for E in RATIOS:
                excess = Fraction(0)
                for one, other in product(p1, p2):
                    p, q = p1[one] * p2[other], q1.get(one, 0) * q2.get(other, 0)
                    excess += p if not q else 0 if math.isinf(E) else max(Fraction(0), p - E * q)
                expected[E] = max(expected[E], excess)
        for E in RATIOS:
            assert product_delta(case.world, [case.m1, case.m2], E) == expected[E]


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


def two_bit_searches(most, targets=(0,)):
    for denominator in range(1, most + 1):
        for world in enumeration.small_worlds(2, (0, 1), denominator=denominator):
            tables = list(enumeration.partitions(world.databases))
            for m1, m2 in combinations_with_replacement(tables, 2):
                yield denominator, world, m1, m2


def test_the_one_time_pad_is_the_smallest_counterexample_to_proposition_9():
    found = []
    tried = 0
    for denominator, world, m1, m2 in two_bit_searches(4):
        tried += 1
        if composition.have_independent_parts(world, m1, m2) and mu_ratio(world, m1, m2, [0]) > 1:
            found.append((denominator, world, m1, m2))
    assert tried == 484
    ((denominator, world, m1, m2),) = found
    assert denominator == 4
    assert world.law_of(tuple) == bits([HALF, HALF]).law_of(tuple)
    outputs = [[m(database) for database in world.databases] for m in (m1, m2)]
    assert outputs == [[0, 1, 0, 1], [0, 1, 1, 0]]  # the coin, and the vote hidden by it
    assert nu(world, m1, m2, math.inf, [0]) == 1


def test_one_record_never_breaks_proposition_9():
    # Given the record, the outputs have nothing in common but their own coins.
    for seed in range(100):
        source = Random(repr(("one record", seed)))
        world = enumeration.random_world(source, 1, range(3), knowledge=2)
        m1, m2 = (enumeration.random_mechanism(source, world.databases, 3) for _ in range(2))
        assert composition.are_conditionally_independent(world, m1, m2)
        assert mu_ratio(world, m1, m2) == 1


def test_proposition_9_corrected_holds_for_all_pairs_of_functions_of_two_bits():
    applies = 0
    for _, world, m1, m2 in two_bit_searches(5):
        independent = composition.are_conditionally_independent(world, m1, m2)
        rectangles = composition.splits_along(world, m1, m2)
        if rectangles:
            assert independent
        if independent:
            assert nu(world, m1, m2, 1) == 0
        applies += independent
    assert applies > 300


def test_proposition_9_corrected_holds_for_random_conditional_products():
    for seed in range(150):
        source = Random(repr(("products", seed)))
        masses = {}
        for secret, knowledge in product((0, 1), repeat=2):
            one, other = ([source.randint(0, 3) for _ in range(3)] for _ in range(2))
            for (x, p), (y, q) in product(enumerate(one), enumerate(other)):
                masses[(secret, x, y), knowledge] = p * q
        total = sum(masses.values())
        if not total:
            continue
        world = World({key: Fraction(mass, total) for key, mass in masses.items()})
        databases = [(value,) for value in range(3)]
        noise = [enumeration.random_mechanism(source, databases, 3) for _ in range(2)]
        m1, m2 = (
            lambda database, k=k, m=m: m((database[k],)) for k, m in zip((1, 2), noise, strict=True)
        )
        assert composition.are_conditionally_independent(world, m1, m2, [0])
        assert mu_ratio(world, m1, m2, [0]) == 1


def test_independent_parts_are_conditionally_independent_where_the_likelihood_factorizes():
    # P[D(i) = a, B̂ | π₁, π₂] is a product of functions of π₁ and of π₂; 0 or 1 for a rectangle.
    agreed = 0
    for _, world, m1, m2 in two_bit_searches(5):
        if not composition.have_independent_parts(world, m1, m2):
            continue
        factorizes = True
        for value in (0, 1):
            table = {}
            for (database, _), mass in world.masses.items():
                key = m1(database), m2(database)
                hit, everything = table.get(key, (0, 0))
                table[key] = (hit + mass * (database[0] == value), everything + mass)
            likelihood = {
                key: Fraction(hit, everything) for key, (hit, everything) in table.items()
            }
            for (x, y), (u, v) in product(likelihood, repeat=2):
                factorizes &= (
                    likelihood[x, y] * likelihood[u, v] == likelihood[x, v] * likelihood[u, y]
                )
        independent = composition.are_conditionally_independent(world, m1, m2, [0])
        assert independent == factorizes
        agreed += not factorizes
    assert agreed > 0


def test_mechanisms_on_halves_of_independent_records_split_along_them():
    world = bits([HALF, THIRD, HALF, THIRD], knowledge=[1])
    one, other = itemgetter(0, 1), itemgetter(2, 3)
    assert composition.splits_along(world, one, other)
    for m1, m2 in (
        (lambda database: sum(database[:2]), lambda database: sum(database[2:])),
        (lambda database: database[0], lambda database: database[2] * database[3]),
    ):
        assert composition.have_independent_parts(world, m1, m2)
        assert composition.are_conditionally_independent(world, m1, m2)
    # Known is what ties the halves together.
    tied = bits([HALF] * 4, knowledge=lambda database: sum(database))
    assert composition.have_independent_parts(tied, one, other)
    assert not composition.splits_along(tied, one, other)
    assert mu_ratio(tied, itemgetter(1), itemgetter(2), [0]) == math.inf


def test_in_the_printed_convention_a_constant_and_the_secret_are_dependent():
    world, nothing = bits([HALF]), mechanisms.make_constant("nothing")
    assert composition.have_independent_parts(world, nothing, first_record)
    assert composition.are_conditionally_independent(world, nothing, first_record)
    for ratio in (1, math.inf):
        assert nu(world, nothing, first_record, ratio, convention="printed") == 1
        assert nu(world, nothing, first_record, ratio) == 0


def test_parts_with_coins_of_their_own_are_compared_by_the_laws_of_their_outputs():
    world = bits([HALF, HALF])
    half = {0: HALF, 1: HALF}
    # The outputs are fair bits whatever the database: independent of all, and so is their law.
    noise = lambda database: half  # noqa: E731
    assert composition.have_independent_parts(world, noise, mechanisms.identity)
    told = make_randomized_response(HALF)
    assert not composition.have_independent_parts(world, told, told)
