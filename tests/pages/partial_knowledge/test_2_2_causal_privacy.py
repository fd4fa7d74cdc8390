"""What the page on causal privacy says about small worlds."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pkdp.partial_knowledge.simulators import best_simulator, ddp_ratio
from pkdp.profiles.closed_forms import log_gaussian
from pkdp.worlds import World, bits, copied
from pkdp.worlds.definitions import (
    apk_delta,
    cdp_delta,
    cdp_ratio,
    dp_ratio,
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
    majority,
    parity,
    total,
)
from tests.pages.partial_knowledge.small_worlds import (
    BITS,
    COIN,
    HALF,
    PAIR,
    mechanism_on,
    near_and_far,
    possible,
)

pytestmark = pytest.mark.page

TRIPLE = copied(COIN, groups=1, copies=3)
EVEN = World(
    {(d, ()): Fraction(1, 4) for d in product((0, 1), repeat=3) if sum(d) % 2 == 0},
)


def test_the_total_is_never_causal():
    source = random.Random(12)
    for _ in range(300):
        world = random_world(source, 3, (0, 1, 4), knowledge=2)
        compared = any(
            len(given.law_of(i)) > 1 for given in world.conditioned() for i in range(world.size)
        )
        assert cdp_ratio(world, total) == (math.inf if compared else 1)


def test_a_bounded_record_among_laplace_ones_has_a_finite_ratio():
    # Not all records can have the same values: a target in {0, 1}, and the sum of two with tails.
    def density(x):
        return (1 + abs(x)) * math.exp(-abs(x)) / 4

    assert quad(density, -math.inf, math.inf)[0] == pytest.approx(1)
    assert density(0.7) == pytest.approx(
        quad(lambda y: math.exp(-abs(y) - abs(0.7 - y)) / 4, -40, 40, points=[0, 0.7])[0]
    )
    ratios = [density(x - 1) / density(x) for x in np.linspace(-100, 100, 2001)]
    assert 1 / math.e < min(ratios) < 1 < max(ratios) < math.e


def test_a_mixture_of_two_herds_is_at_most_a_gaussian_mechanism():
    n, sigma, a, b, E = 3, 0.7, 0.4, 1.3, 1.5
    spread = sigma * math.sqrt(n - 1)
    weights = np.array([math.exp(-((a - mu) ** 2) / (2 * sigma**2)) for mu in (-1, 1)])
    weights /= weights.sum()

    def density(x, record):
        z = (x - record - (n - 1) * np.array([-1, 1])) / spread
        return float(weights @ np.exp(-(z**2) / 2)) / (spread * math.sqrt(2 * math.pi))

    for P, Q in ((a, b), (b, a)):
        mixed, _ = quad(
            lambda x, P=P, Q=Q: max(0.0, density(x, P) - E * density(x, Q)), -15, 15, limit=400
        )
        # In units of the records' standard deviation, as in the figure.
        assert 0 < mixed <= delta_of_average(n, (b - a) / sigma, math.log(E)) + 1e-9


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    "R", [COIN, {0: Fraction(1, 10), 1: Fraction(9, 10)}, {k: Fraction(1, 3) for k in "abc"}]
)
def test_the_identity_on_duplicates(R, groups):
    world = copied(R, groups)
    found = ddp_ratio(world, identity)
    assert (found.lower, found.upper) == (1, 1)
    assert np_ratio(world, identity) == cdp_ratio(world, identity) == math.inf
    assert best_simulator(world, identity, 0).ratio == 1


def test_differential_privacy_implies_causal_privacy():
    source = random.Random(15)
    for _ in range(200):
        world = random_world(source, 2, (0, 1, 2), knowledge=2)
        mechanism = mechanism_on(source, list(product((0, 1, 2), repeat=2)))
        assert cdp_ratio(world, mechanism) <= dp_ratio(mechanism, (0, 1, 2), 2)
    for _ in range(20):
        mechanism = mechanism_on(source, BITS[3])
        worlds = [bits([HALF] * 3, knowledge=set(range(3)) - {i}) for i in range(3)]
        worst = max(cdp_ratio(world, mechanism, [i]) for i, world in enumerate(worlds))
        assert worst == dp_ratio(mechanism, (0, 1), 3)


def test_causal_privacy_is_an_average_over_the_others():
    assert dp_ratio(parity, (0, 1), 2) == math.inf
    assert cdp_ratio(bits([HALF] * 2), parity) == 1
    assert cdp_ratio(bits([HALF] * 2, knowledge=[1]), parity, [0]) == math.inf


def test_causal_privacy_does_not_imply_distributional_privacy():
    everything = World({((0,), 0): HALF, ((1,), 1): HALF})
    blocks = World({((k,), k == 2): Fraction(1, 3) for k in range(3)})
    for world, mechanism in ((everything, identity), (blocks, lambda d: d[0] == 2)):
        assert np_ratio(world, mechanism) == cdp_ratio(world, mechanism) == 1
        assert ddp_ratio(world, mechanism).lower == math.inf
    # In a family, too: the simulator must serve both laws.
    family = [bits([Fraction(0)]), bits([Fraction(1)])]
    assert cdp_ratio(family, identity) == 1
    assert ddp_ratio(family, identity).lower == math.inf


@pytest.mark.slow
def test_causal_privacy_implies_distributional_privacy_with_a_common_value():
    source = random.Random(16)
    checked = 0
    while checked < 200:
        worlds = [random_world(source, 2, (0, 1), knowledge=2) for _ in range(2)]
        given = [part for world in worlds for part in world.conditioned()]
        if not all(any(all(b in g.law_of(i) for g in given) for b in (0, 1)) for i in (0, 1)):
            continue
        checked += 1
        mechanism = random_mechanism(source, BITS[2], outputs=2)
        distributional = ddp_ratio(worlds, mechanism)
        assert distributional.lower <= cdp_ratio(worlds, mechanism)


@pytest.mark.slow
def test_one_law_without_knowledge_or_a_simulator_that_sees_it_needs_no_condition():
    source = random.Random(24)
    finite_ones = 0
    for _ in range(20):
        world = random_world(source, 2, (0, 1, 2), knowledge=2)
        mechanism = mechanism_on(source, list(product((0, 1, 2), repeat=2)))
        causal = cdp_ratio(world, mechanism)
        # Given one value of the knowledge a simulator need serve that value only.
        for given in world.conditioned():
            found = ddp_ratio(given, mechanism)
            assert found.lower <= cdp_ratio(given, mechanism) <= causal
            finite_ones += found.upper > 1
    assert finite_ones > 10


def test_causal_privacy_does_not_imply_noiseless_privacy():
    assert cdp_ratio(TRIPLE, majority) == 1
    assert np_ratio(TRIPLE, majority) == math.inf


def test_with_a_delta_the_average_is_causal_and_not_noiseless():
    n, sigma, eps = 10_000, 0.1, 1.0
    # Causally a record moves from one centre to the other within the sum of the others ...
    assert delta_of_average(n, 2 / sigma, eps) < 0.01
    # ... and given its value the average is on the same side as the record, but for a trifle.
    stray = math.exp(-2 / sigma**2)  # the odds that D(0) = 1 comes from the other centre
    spread = sigma * math.sqrt(n - 1)
    right = (1 - stray) * norm.sf(-((n - 1) + 1) / spread)
    wrong = stray + norm.sf(((n - 1) + 1) / spread)
    assert right - math.exp(eps) * wrong > 1 - 1e-9


def test_no_two_bits_are_causal_and_not_noiseless():
    # Whether a ratio is finite depends on supports only: all sets of databases, and all sets of
    # outputs, of three, for each database.
    subsets = [{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}]
    number = 0
    for k in (2, 3, 4):
        for databases in combinations(BITS[2], k):
            world = World({(d, ()): Fraction(1, k) for d in databases}, (0, 1))
            for outputs in product(subsets, repeat=4):
                if min(outputs[0]) > 0:  # the names of outputs do not matter
                    continue
                chosen = dict(zip(BITS[2], outputs, strict=True))
                number += 1
                if finite_causally(world, chosen) and not finite(world, chosen):
                    pytest.fail(f"{databases} {chosen}")
    assert number == 11 * 4 * 7**3


def finite(world, chosen):
    return all(
        len({frozenset(possible(world, chosen, i, a)) for a in world.law_of(i)}) == 1
        for i in range(world.size)
    )


def finite_causally(world, chosen):
    return all(
        possible(world, chosen, i, a, b) == possible(world, chosen, i, a)
        for i in range(world.size)
        for a, b in product(world.law_of(i), repeat=2)
    )


def test_the_smallest_world_that_is_noiseless_and_not_causal():
    assert np_ratio(PAIR, parity) == 1
    assert cdp_ratio(PAIR, parity) == math.inf
    # One record is independent of no others, and one database has no two values to compare.
    for world in small_worlds(1, (0, 1), denominator=4):
        for mechanism in partitions(BITS[1]):
            assert np_ratio(world, mechanism) == cdp_ratio(world, mechanism)


def outliers(farther):
    def count(database):
        middle = Fraction(sum(database), len(database))
        return sum(abs(record - middle) > farther for record in database)

    return count


def test_outliers_of_bounded_records():
    for n in (3, 4, 5):
        world = near_and_far(n)
        assert world.law_of(outliers(10)) == {0: 1}
        assert np_ratio(world, outliers(10)) == 1
        assert cdp_ratio(world, outliers(10), [0]) == math.inf


def test_given_a_far_record_all_are_outliers():
    # Whatever the other records are, within bounds: the average is pulled away from all of them.
    for n, others in ((2, 5), (4, 3), (10, 1)):
        values = [Fraction(k) for k in range(-others, others + 1)]
        tried = 0
        for sign in (1, -1):
            far = sign * 100 * n
            for rest in combinations_with_replacement(values, n - 1):
                tried += 1
                assert outliers(10)((far, *rest)) == n
        assert tried >= 2 * len(values)


def test_with_a_delta_the_outliers_are_noiseless_near_the_herds_and_not_causal():
    n, sigma = 20, 0.1
    own = sigma * math.sqrt(n - 1) / n  # of the average of all, given one record
    for away in (0.0, 1.0, 2.0):
        # A union bound: the record itself, and each of the others, given µ and D(0) = µ ± away·σ.
        shift = away * sigma
        itself = norm.sf((5 * sigma - shift * (1 - 1 / n)) / own)
        spread = sigma * math.sqrt((1 - 1 / n) ** 2 + (n - 2) / n**2)
        other = 2 * norm.sf((5 * sigma - shift / n) / spread)
        herds = math.exp(-2 / sigma**2 + 2 * shift / sigma**2)  # odds of the other centre
        assert itself + (n - 1) * other + herds < 2e-5
    # Moved a hundred standard deviations away, it is an outlier almost surely.
    assert norm.sf((100 * sigma * (1 - 1 / n) - 5 * sigma) / own) < 1e-12


def doubled(law):
    """Each record of these databases twice, in pairs."""
    return World({(tuple(x for x in d for _ in (0, 1)), ()): mass for d, mass in law.items()})


def test_the_sum_of_dependent_duplicates_can_be_noiseless():
    # The second pair is the opposite of the first: each is a fair bit, and the sum is always 2.
    opposite = doubled({(0, 1): HALF, (1, 0): HALF})
    assert all(opposite.law_of(i) == {0: HALF, 1: HALF} for i in range(4))
    assert np_ratio(opposite, total) == 1
    assert cdp_ratio(opposite, total) == math.inf
    # Not only constants: three pairs that are not all alike have the sums 2 and 4.
    for pairs in (3, 4):
        words = [w for w in product((0, 1), repeat=pairs) if len(set(w)) > 1]
        mixed = doubled(dict.fromkeys(words, Fraction(1, len(words))))
        assert len(mixed.law_of(total)) == pairs - 1
        assert np_ratio(mixed, total) == pairs - 1
        assert cdp_ratio(mixed, total) == math.inf


def test_the_sum_is_noiseless_at_eps_0_only_if_it_is_constant():
    words = list(product((0, 1), repeat=3))
    constant = 0
    for k in range(1, len(words) + 1):
        for chosen in combinations(words, k):
            world = doubled(dict.fromkeys(chosen, Fraction(1, k)))
            if np_ratio(world, total) == 1:
                assert len(world.law_of(total)) == 1
                constant += 1
    assert constant > 10
    # The same for records that are not copies, and given what the attacker knows.
    words, constant = list(product((0, 1, 3), repeat=2)), 0
    for k in range(1, 6):
        for chosen in combinations(words, k):
            for knowledge in (lambda d: 0, lambda d: d[0] == d[1]):
                world = World({(d, knowledge(d)): Fraction(1, k) for d in chosen})
                if np_ratio(world, total) == 1:
                    assert all(len(given.law_of(total)) == 1 for given in world.conditioned())
                    constant += 1
    assert constant > 50


def test_the_sum_of_independent_duplicates_is_neither_noiseless_nor_causal():
    source = random.Random(19)
    for _ in range(60):
        values = source.sample(range(7), source.choice((2, 3)))
        weights = [source.randint(1, 5) for _ in values]
        R = {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
        world = copied(R, groups=source.choice((1, 2)))
        assert set(world.law_of(lambda d: sum(d) % 2)) == {0}
        assert np_ratio(world, total) == cdp_ratio(world, total) == math.inf
    # Parity is of no use here, and not needed.
    even = copied({0: HALF, 2: HALF}, groups=2)
    assert cdp_ratio(even, parity) == 1
    assert cdp_ratio(even, total) == math.inf


def test_what_example_4_wants():
    world = copied(COIN, groups=2)
    assert np_ratio(world, lambda d: sum(d) % 4) == 1
    assert cdp_ratio(world, lambda d: sum(d) % 4) == math.inf
    deltas = [apk_delta(copied(COIN, groups), total, 2, [0]) for groups in (1, 2, 4, 8)]
    assert deltas == [1, HALF, Fraction(1, 4), Fraction(13, 128)]
    assert cdp_delta(copied(COIN, 4), total, 10**9, [0]) == 1


def random_bits(source, n, knowledge):
    """Bits that are independent given each value of the knowledge."""
    masses = {}
    shares = [source.randint(1, 4) for _ in range(knowledge)]
    for B, share in enumerate(shares):
        p = [Fraction(source.randint(0, 6), 6) for _ in range(n)]
        for (database, _), mass in bits(p).masses.items():
            masses[database, B] = mass * Fraction(share, sum(shares))
    return World(masses, (0, 1))


@pytest.mark.slow
def test_noiseless_and_causal_privacy_agree_where_records_are_independent():
    source = random.Random(20)
    finite_ones = 0
    for _ in range(400):
        worlds = [random_bits(source, 3, source.choice((1, 2))) for _ in range(2)]
        assert all(world.has_independent_records() for world in worlds)
        mechanism = random_mechanism(source, BITS[3], outputs=2)
        noiseless = np_ratio(worlds, mechanism)
        assert noiseless == cdp_ratio(worlds, mechanism)
        finite_ones += 1 < noiseless < math.inf
    assert finite_ones > 50
    # One independent target is enough, for that target.
    for _ in range(200):
        pair, p = random_world(source, 2, (0, 1)), Fraction(source.randint(1, 5), 6)
        masses = {
            ((x, *d), B): mass * (p if x else 1 - p)
            for (d, B), mass in pair.masses.items()
            for x in (0, 1)
        }
        world, mechanism = World(masses, (0, 1)), random_mechanism(source, BITS[3], outputs=2)
        assert np_ratio(world, mechanism, [0]) == cdp_ratio(world, mechanism, [0])


def test_pairwise_independence_is_not_enough():
    assert not EVEN.has_independent_records()
    for i, j in combinations(range(3), 2):
        pair = EVEN.law_of(lambda d, i=i, j=j: (d[i], d[j]))
        assert World({(d, ()): mass for d, mass in pair.items()}).has_independent_records()
    assert (np_ratio(EVEN, parity), cdp_ratio(EVEN, parity)) == (1, math.inf)


@pytest.mark.slow
def test_with_independent_records_ddp_is_within_a_root():
    source = random.Random(21)
    for _ in range(60):
        p = [Fraction(source.randint(1, 5), 6) for _ in range(2)]
        mechanism = mechanism_on(source, BITS[2])
        found, noiseless = ddp_ratio(bits(p), mechanism), np_ratio(bits(p), mechanism)
        assert found.lower <= noiseless <= found.upper**2


def repair_literally(database):
    counts = Counter(database)
    once = [value for value in counts if counts[value] == 1]
    twice = [value for value in counts if counts[value] == 2]
    if once and twice:
        return tuple(twice[0] if record == once[0] else record for record in database)
    return database


def repair_each_triple(database):
    triples = [database[k : k + 3] for k in range(0, len(database), 3)]
    return tuple(majority(triple) for triple in triples for _ in range(3))


def test_the_literal_repair_fails_for_two_triples():
    for R in (COIN, {k: Fraction(1, 3) for k in "abc"}):
        assert cdp_ratio(copied(R, 1, copies=3), repair_literally) == 1
        assert cdp_ratio(copied(R, 2, copies=3), repair_literally) == math.inf
    # Equal values in two triples, or a copy changed to the value of the other triple.
    assert repair_literally((1, 0, 0, 0, 0, 0)) == (1, 0, 0, 0, 0, 0)
    assert repair_literally((1, 0, 0, 1, 1, 1)) == (1, 0, 0, 1, 1, 1)
    # It works where a changed copy equals no other value, as almost surely without atoms.
    assert repair_literally((9, 0, 0, 1, 1, 1)) == (0, 0, 0, 1, 1, 1)


def test_repair_within_each_triple():
    for R, groups in ((COIN, 1), (COIN, 2), ({k: Fraction(1, 3) for k in "abc"}, 2)):
        world = copied(R, groups, copies=3)
        assert all(repair_each_triple(d) == d for d in world.databases)
        assert cdp_ratio(world, repair_each_triple) == 1
        assert np_ratio(world, repair_each_triple) == math.inf


def test_a_median_leaks_causally():
    def median(database):
        return sorted(database)[len(database) // 2]

    for n in (3, 4, 5):
        world = copied({k: Fraction(1, 3) for k in range(3)}, 1, copies=n)
        assert world.databases == tuple((k,) * n for k in range(3))
        assert cdp_ratio(world, median) == 1
        assert len(world.law_of(median)) == len(world.databases)


def test_codes_of_distance_three_leak_causally():
    # Hamming's code of seven bits with four free ones, with unequal probabilities.
    def encoded(free):
        a, b, c, d = free
        return (a, b, c, d, (a + b + d) % 2, (a + c + d) % 2, (b + c + d) % 2)

    code = [encoded(free) for free in product((0, 1), repeat=4)]
    distances = {sum(x != y for x, y in zip(u, v, strict=True)) for u, v in combinations(code, 2)}
    assert min(distances) == 3
    total_weight = sum(range(1, 17))
    world = World({(d, ()): Fraction(k, total_weight) for k, d in enumerate(code, start=1)})

    def nearest(database):
        return min(code, key=lambda d: sum(x != y for x, y in zip(d, database, strict=True)))

    assert all(nearest(d) == d for d in code)
    assert cdp_ratio(world, nearest) == 1


def test_a_parity_code_leaks_causally():
    def even_or_complement(database):
        return database if sum(database) % 2 == 0 else tuple(1 - x for x in database)

    assert EVEN.law_of(even_or_complement) == EVEN.law_of(identity)
    assert cdp_ratio(EVEN, even_or_complement) == 1
    assert np_ratio(EVEN, even_or_complement) == math.inf
    uneven = World(
        {(d, ()): Fraction(k, 16) for d, k in zip(EVEN.databases, (3, 4, 4, 5), strict=True)}
    )
    assert cdp_ratio(uneven, even_or_complement) > 1


def test_two_records_cannot_leak_causally():
    # All sets of at least two databases, all mechanisms that tell them apart.
    number = 0
    for k in (2, 3, 4):
        for databases in combinations(BITS[2], k):
            world = World({(d, ()): Fraction(1, k) for d in databases}, (0, 1))
            for mechanism in partitions(BITS[2]):
                if len({mechanism(d) for d in databases}) == k:
                    number += 1
                    assert cdp_ratio(world, mechanism) == math.inf
    assert number == 6 * 10 + 4 * 4 + 1
    # With three records none that differ in one record only.
    for databases in combinations(BITS[3], 2):
        if sum(x != y for x, y in zip(*databases, strict=True)) == 1:
            world = World({(d, ()): HALF for d in databases}, (0, 1))
            source = random.Random(22)
            for _ in range(20):
                mechanism = random_mechanism(source, BITS[3], outputs=4, deterministic=True)
                if len({mechanism(d) for d in databases}) == 2:
                    assert cdp_ratio(world, mechanism) == math.inf


def test_randomized_mechanisms_on_a_duplicated_bit_gain_a_square_at_most():
    source = random.Random(23)
    for _ in range(200):
        mechanism = mechanism_on(source, BITS[2])
        assert np_ratio(PAIR, mechanism) <= cdp_ratio(PAIR, mechanism) ** 2


def test_a_bounded_record_is_hidden_in_a_large_average_up_to_a_delta():
    # The other n - 1 records are the noise, and the record is shifted within their sum.
    for n, half_at in ((10, 5.9), (1000, 62), (100_000, 624)):
        rising = [delta_of_average(n, distance, 1.0) for distance in (1, half_at, 10_000)]
        assert rising[0] < 0.01 < 0.99 < rising[2]
        assert rising[1] == pytest.approx(0.5, abs=0.005)
    assert f"{delta_of_average(10, 2.0, 3.0):.0e}" == "2e-06"
    for n, at_0 in ((10, "0.26"), (100, "0.08"), (1000, "0.025")):
        falling = [delta_of_average(n, 2.0, eps) for eps in np.linspace(0.0, 3.0, 31).tolist()]
        assert f"{falling[0]:.2g}" == at_0
        assert (np.diff([x for x in falling if x > 0.0]) < 0).all()
        assert log_gaussian(2.0 / math.sqrt(n - 1), 3.0) > -math.inf  # and is never 0


def delta_of_average(n, distance, eps):
    """The δ(ε) of an average of normal records, for values of one that are so far apart."""
    return math.exp(log_gaussian(distance / math.sqrt(n - 1), eps))
