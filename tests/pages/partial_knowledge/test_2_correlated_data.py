"""Sections 2.1 and 2.2: counterexamples, corrected statements and searches, all exact."""

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import norm

from pkdp import figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import average, dependence, herd, inference
from pkdp.worlds import World, bits, copied, correlated_pairs, hidden_parameter, independent
from pkdp.worlds.definitions import (
    apk_delta,
    best_simulator,
    cdp_delta,
    cdp_ratio,
    ddp_ratio,
    dp_ratio,
    ibcdp_delta,
    ibcdp_ratio,
    np_ratio,
)
from pkdp.worlds.enumeration import (
    make_table,
    partitions,
    random_mechanism,
    random_world,
    small_worlds,
)
from pkdp.worlds.mechanisms import (
    arithmetic_mean,
    identity,
    majority,
    make_randomized_response,
    output_law,
    parity,
    post_process,
    total,
)

pytestmark = pytest.mark.page

HALF = Fraction(1, 2)
COIN = {0: HALF, 1: HALF}
PAIR = copied(COIN, groups=1)
TRIPLE = copied(COIN, groups=1, copies=3)
EVEN = World(
    {(d, ()): Fraction(1, 4) for d in product((0, 1), repeat=3) if sum(d) % 2 == 0},
)
BITS = {n: list(product((0, 1), repeat=n)) for n in (1, 2, 3)}


def replaced(database, i, b):
    return (*database[:i], b, *database[i + 1 :])


def law(world, mechanism, i, a, b=None):
    """The law of M(D), or of M(D with record i replaced by b), given D(i) = a; no knowledge."""
    weights, everything = Counter(), 0
    for (database, _), weight in world.weights.items():
        if database[i] == a:
            everything += weight
            changed = database if b is None else replaced(database, i, b)
            for output, share in output_law(mechanism, changed).items():
                weights[output] += weight * share
    return {output: Fraction(weight) / everything for output, weight in weights.items()}


def mechanism_on(source, databases, outputs=2, most=9):
    """A random mechanism that can always have each output."""
    laws = {}
    for database in databases:
        weights = [source.randint(1, most) for _ in range(outputs)]
        laws[database] = {o: Fraction(w, sum(weights)) for o, w in enumerate(weights)}
    return make_table(laws)


# --------------------------------------------------------------------------------------------
# Example 1
# --------------------------------------------------------------------------------------------


def log_density_of_the_average(t, a, n, sigma):
    """Given D(0) = a, up to a constant; posterior of µ included."""
    logs, priors = [], []
    for mu in (-1.0, 1.0):
        prior = -((a - mu) ** 2) / (2 * sigma**2)
        spread = -((n * t - a - (n - 1) * mu) ** 2) / (2 * sigma**2 * (n - 1))
        priors.append(prior)
        logs.append(prior + spread)
    return np.logaddexp(*logs) - np.logaddexp(*priors)


@pytest.mark.parametrize(("n", "sigma"), [(2, 1.0), (10, 0.5), (100, 0.1)])
def test_the_ratio_of_two_averages_of_gaussian_records_has_no_bound(n, sigma):
    a, b = 1.5, 1.0
    slope = (a - b) * n / (sigma**2 * (n - 1))
    change = [
        log_density_of_the_average(t, a, n, sigma) - log_density_of_the_average(t, b, n, sigma)
        for t in (1e2, 1e4, 1e6)
    ]
    assert change == sorted(change)
    assert change[-1] == pytest.approx(slope * 1e6, rel=1e-3)
    # The same with µ known, and causally, where the law given a is shifted to b.
    shifted = [
        log_density_of_the_average(t + (a - b) / n, a, n, sigma)
        - log_density_of_the_average(t, a, n, sigma)
        for t in (-1e2, -1e4, -1e6)
    ]
    assert shifted == sorted(shifted)
    assert shifted[-1] > 1e4


def test_read_literally_no_two_normal_values_are_compared():
    # Cut into cells, a normal law has none that keeps its mass as the cells shrink ...
    largest = [
        max(norm.cdf((k + 1) * h) - norm.cdf(k * h) for k in range(-40, 40))
        for h in (0.1, 0.01, 0.001)
    ]
    assert largest == sorted(largest, reverse=True)
    assert largest[-1] < 0.001 / math.sqrt(2 * math.pi)
    # ... and none is left that a definition could condition on. Where no knowledge allows two
    # values, noiseless and causal privacy already ask for nothing,
    nothing_to_compare = World({((k,), k): Fraction(1, 3) for k in range(3)})
    assert np_ratio(nothing_to_compare, identity) == cdp_ratio(nothing_to_compare, identity) == 1
    # and distributional privacy asks for nothing where not even one is left: it compares with a
    # simulator given each possible value, and its price is that of the possible values only.
    record = World({((0, 0), ()): Fraction(1, 2), ((0, 1), ()): Fraction(1, 2)}, (0, 1, 2))
    assert float(ddp_ratio(record, identity, [0])) == 1  # 1 and 2 have probability 0


@pytest.mark.parametrize("step", [1.0, 0.125])
def test_normal_values_on_a_grid_have_no_bound_either(step):
    # Two records, multiples of the step with weights of a normal density around µ: every value is
    # possible, so that the definition applies as it reads.
    sigma, a, b = 0.5, 1.0, 0.0
    grid = np.arange(-400, 401) * step

    def log_weights(mu):
        logs = -((grid - mu) ** 2) / (2 * sigma**2)
        return logs - np.logaddexp.reduce(logs)

    def log_mass(t, value):
        """Of the sum t, given D(0) = value; the centre is 1 or -1, each as likely as the other."""
        own, other = (round((x + 400 * step) / step) for x in (value, t - value))
        joint = [log_weights(mu)[own] + log_weights(mu)[other] for mu in (-1, 1)]
        prior = [log_weights(mu)[own] for mu in (-1, 1)]
        return np.logaddexp(*joint) - np.logaddexp(*prior)

    change = [log_mass(t * step, a) - log_mass(t * step, b) for t in (8, 40, 200, 390)]
    assert change == sorted(change)
    assert change[-1] > 100


def test_the_herd_s_numbers():
    hidden, known = herd.world(3), herd.world(3, reveal=True)
    assert dp_ratio(herd.noisy_majority, (0, 1), 3) == 9
    assert np_ratio(hidden, herd.noisy_majority) == Fraction(207, 43)
    assert np_ratio(known, herd.noisy_majority) == Fraction(7, 3)
    assert cdp_ratio(hidden, herd.noisy_majority) == Fraction(79, 43)
    assert cdp_ratio(known, herd.noisy_majority) == Fraction(7, 3)
    found = ddp_ratio(hidden, herd.noisy_majority)
    assert (found.lower, found.upper) == (Fraction(45, 43), Fraction(45, 43))
    best = best_simulator(hidden, herd.noisy_majority, 0)
    assert best.kernel[(0, 0)] == {(0,): 1}
    assert best.kernel[(0, 1)] == {(0,): HALF, (1,): HALF}
    assert ddp_ratio(herd.world(5), herd.noisy_majority, [0]).upper == 1


def test_a_vague_hint_raises_and_a_sure_hint_lowers_noiseless_privacy():
    none, vague, sure = (
        np_ratio(herd.hinted(3, right), herd.noisy_majority, [0])
        for right in (HALF, Fraction(3, 4), Fraction(1))
    )
    assert vague > none > sure
    assert none == np_ratio(herd.world(3), herd.noisy_majority, [0])
    assert sure == np_ratio(herd.world(3, reveal=True), herd.noisy_majority, [0])


def test_what_a_simulator_cannot_hide():
    source = random.Random(11)
    checked = 0
    while checked < 150:
        world = random_world(source, 2, (0, 1))
        if len(world.law_of(0)) < 2:
            continue
        mechanism = mechanism_on(source, BITS[2])
        rest = [law(world, lambda d: d[1], 0, a) for a in (0, 1)]
        if rest[0].keys() != rest[1].keys():
            continue
        checked += 1
        C = max(max(rest[0][z] / rest[1][z], rest[1][z] / rest[0][z]) for z in rest[0])
        lower = ddp_ratio(world, mechanism, [0], width=Fraction(1, 10**4)).upper ** 2 * C
        assert np_ratio(world, mechanism, [0]) <= lower


def near_and_far(n):
    """A herd around ±10 with a noise of ±1."""
    return hidden_parameter(
        {-1: HALF, 1: HALF}, lambda mu: {10 * mu - 1: HALF, 10 * mu + 1: HALF}, n
    )


def test_a_noiseless_average_has_no_simulator():
    assert ddp_ratio(near_and_far(3), arithmetic_mean).lower == math.inf
    assert np_ratio(near_and_far(3), arithmetic_mean) == math.inf
    # Nor where the records of both herds overlap.
    for strays in (Fraction(1, 10), Fraction(2, 5)):
        world = hidden_parameter(COIN, lambda mu, q=strays: {mu: 1 - q, 1 - mu: q}, 4)
        assert ddp_ratio(world, arithmetic_mean, [0]).lower == math.inf


def least_delta_of_a_simulator(world, mechanism, E, target=0):
    """The least δ of distributional privacy, for one law without knowledge, as a linear program."""
    values = sorted(world.law_of(target))
    outputs = sorted({t for d in world.databases for t in output_law(mechanism, d)})
    rests = sorted({d[:target] + d[target + 1 :] for d in world.databases})
    m, n = len(rests) * len(outputs), len(outputs)
    size = m + 2 * len(values) * n + 1
    rows, bounds = [], []

    def row(*entries):
        full = np.zeros(size)
        for where, value in entries:
            full[where] = value
        return full

    for j, a in enumerate(values):
        given = world.given(lambda d, B, a=a: d[target] == a)
        true = law(world, mechanism, target, a)
        rest = given.law_of(lambda d: d[:target] + d[target + 1 :])
        for t, output in enumerate(outputs):
            made = slice(t, m, n)
            weights = np.array([float(rest.get(other, 0)) for other in rests])
            p = float(true.get(output, 0))
            excess = m + j * n + t, m + (len(values) + j) * n + t
            rows += [
                row((made, -E * weights), (excess[0], -1)),
                row((made, weights), (excess[1], -1)),
            ]
            bounds += [-p, E * p]
        for side in (0, 1):
            first = m + (side * len(values) + j) * n
            rows.append(row((slice(first, first + n), 1), (-1, -1)))
            bounds.append(0)
    kernels = [row((slice(y * n, y * n + n), 1)) for y in range(len(rests))]
    found = linprog(
        row((-1, 1)), A_ub=rows, b_ub=bounds, A_eq=kernels, b_eq=np.ones(len(rests)), method="highs"
    )
    return found.fun


def test_no_simulator_follows_many_far_values():
    # Two records near ±1; each is one of m far values once in a hundred times.
    for E in (1, 2):
        deltas = []
        for m in (2, 5, 10):
            far = {10 * j: Fraction(1, 100 * m) for j in range(1, m + 1)}
            world = hidden_parameter(
                {-1: HALF, 1: HALF},
                lambda mu, far=far: {mu: Fraction(9, 10), -mu: Fraction(9, 100), **far},
                2,
            )
            deltas.append(least_delta_of_a_simulator(world, total, E))
            # Sums near different far values do not overlap; the other record has one of two laws.
            near = {a: {a - 1, a + 1} for a in far}
            assert all(near[a].isdisjoint(near[b]) for a, b in combinations(far, 2))
            masses = {sum(law(world, total, 0, a)[t] for t in near[a]) for a in far}
            assert masses == {Fraction(99, 100)}
            assert deltas[-1] >= 1 - 0.01 - 2 * E / m - 1e-9
        assert deltas == sorted(deltas)
        assert deltas[-1] > 0.85
    # The program agrees with the exact one where nothing is to pay, and just below.
    for E, free in ((45 / 43, True), (44 / 43, False)):
        least = least_delta_of_a_simulator(herd.world(3), herd.noisy_majority, E)
        assert (abs(least) < 1e-9) == free


def test_far_gaussian_values_leave_no_simulator_a_delta_below_one():
    # As on the page: given a the others are near one of two centres, and averages do not overlap.
    n, sigma = 10, 0.5
    reach = (n - 1) + 6 * sigma * math.sqrt(n - 1)
    values = [3 * reach * j for j in range(1, 1001)]
    ends = [((a - reach) / n, (a + reach) / n) for a in values]
    assert all(left[1] < right[0] for left, right in pairwise(ends))
    spread = sigma * math.sqrt(n - 1)
    for mu in (-1, 1):
        outside = 1 - (
            norm.cdf((reach - (n - 1) * mu) / spread) - norm.cdf((-reach - (n - 1) * mu) / spread)
        )
        assert outside < 1e-8
    assert 1 - 1e-8 - 2 * math.e / len(values) > 0.99


def test_with_a_delta_the_paper_s_simulator_is_good_near_the_herds():
    # It puts in the side the others are on: given a and µ, a shift of the average by (µ - a)/n,
    # but for the case that the others' sum has the wrong sign.
    n, sigma = 100, 0.1
    wrong = norm.cdf(-(n - 1) / (sigma * math.sqrt(n - 1)))
    assert wrong < 1e-300
    for away in (0.5, 1.0, 2.0):
        assert average.delta(n, away, 1.0) < 1e-6

    # The same by the definition: the law of the simulator's average against that given the record.
    def excess(n, away, eps):
        grid = np.linspace(-2, 2, 400_001)
        spread = sigma * math.sqrt(n - 1) / n
        centre = (n - 1) / n  # of the others' share, on the side of 1
        given = norm.pdf(grid, centre + (1 + away * sigma) / n, spread)
        simulated = norm.pdf(grid, centre + 1 / n, spread)
        both = (given - math.exp(eps) * simulated, simulated - math.exp(eps) * given)
        return max(np.maximum(0, one).sum() for one in both) * (grid[1] - grid[0])

    assert excess(100, 2.0, 1.0) < 1e-6
    assert excess(10, 2.0, 1.0) > 0.01  # which takes many records
    # Whatever the value, within bounds: put in 0, and it is a shift by the value itself.
    assert average.delta(10**6, 3 / sigma, 1.0) < 1e-6


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
        assert 0 < mixed <= average.delta(n, (b - a) / sigma, math.log(E)) + 1e-9


# --------------------------------------------------------------------------------------------
# Example 2 and what follows it
# --------------------------------------------------------------------------------------------


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


def test_the_identity_is_all_or_nothing():
    source = random.Random(13)
    seen = Counter()
    for _ in range(200):
        world = random_world(source, source.choice((2, 3)), (0, 1), knowledge=source.choice((1, 2)))
        if source.random() < 0.5:  # few databases, so that some are functions of others
            kept = source.sample(sorted(world.databases), min(2, len(world.databases)))
            world = world.given(lambda d, B, kept=kept: d in kept)
        determined = all(
            len({d for d in world.databases if replaced(d, i, 0) == rest}) == 1
            for i in range(world.size)
            for rest in {replaced(d, i, 0) for d in world.databases}
        )
        found = ddp_ratio(world, identity)
        assert found.is_exact
        assert found.upper == (1 if determined else math.inf)
        seen[determined] += 1
    assert min(seen.values()) > 20
    for gap in (Fraction(1, 2), Fraction(1, 10**6)):
        world = correlated_pairs([HALF], agree=1 - gap / 2)
        assert ddp_ratio(world, identity).lower == math.inf


def lower_bound(truth, correlation):
    """The page's bound on the ratio of any simulator of two told bits."""
    q, e = (1 + truth) / 2, (1 + correlation) / 2
    m = e * q + (1 - e) * (1 - q)
    return 1 / ((1 - q) * (1 - m) / (1 - e) + q * (1 - m) + (1 - q) * m)


def simulated(kernel, a, correlation):
    """The law of the simulator's output, given the first of two correlated bits."""
    e = (1 + correlation) / 2
    outputs = Counter()
    for other, chance in ((a, e), (1 - a, 1 - e)):
        for output, share in kernel[(other,)].items():
            outputs[output] += chance * share
    return outputs


def test_more_dependence_can_cost_distributional_privacy():
    truth = Fraction(9, 10)
    told = make_randomized_response(truth)
    early, late = Fraction(74, 100), Fraction(89, 100)
    # A simulator for the weaker dependence, checked by hand ...
    world = correlated_pairs([HALF], agree=(1 + early) / 2)
    kernel = best_simulator(world, told, 0).kernel
    good = Fraction(1)
    for a in (0, 1):
        true, made = law(world, told, 0, a), simulated(kernel, a, early)
        good = max(good, *(max(true[o] / made[o], made[o] / true[o]) for o in true))
    # ... is better than any simulator for the stronger one.
    assert good < Fraction(38, 10) < Fraction(43, 10) < lower_bound(truth, late)
    found = ddp_ratio(correlated_pairs([HALF], agree=(1 + late) / 2), told)
    assert found.lower == pytest.approx(float(lower_bound(truth, late)), rel=1e-8)
    for truth in (HALF, Fraction(9, 10), Fraction(99, 100)):
        for c in (Fraction(1, 3), Fraction(4, 5), Fraction(19, 20)):
            world = correlated_pairs([HALF], agree=(1 + c) / 2)
            assert ddp_ratio(world, make_randomized_response(truth)).upper >= lower_bound(truth, c)


def test_dependence_helps_where_only_the_target_is_told():
    source = random.Random(14)
    for _ in range(60):
        values = (0, 1, 2)
        prior = {a: Fraction(1, 3) for a in values}
        told = mechanism_on(source, [(a,) for a in values], outputs=3)
        clear = mechanism_on(source, [(a,) for a in values], outputs=3)
        noise = mechanism_on(source, [(z,) for z in values], outputs=2)
        worlds = []
        for channel in (clear, post_process(clear, lambda z, noise=noise: noise((z,)))):
            masses = {
                ((a, z), ()): prior[a] * share
                for a in values
                for z, share in output_law(channel, (a,)).items()
            }
            worlds.append(World(masses))
        less, more = (ddp_ratio(world, lambda d, told=told: told((d[0],)), [0]) for world in worlds)
        assert less.lower <= more.upper


@pytest.mark.parametrize("k", [HALF, Fraction(4, 5), Fraction(9, 10)])
def test_one_told_bit_and_a_correlated_one(k):
    told = make_randomized_response(k)
    for c in (Fraction(0), Fraction(1, 4), k / 2, k, (1 + k) / 2, Fraction(1)):
        world = correlated_pairs([HALF], agree=(1 + c) / 2)
        found = ddp_ratio(world, lambda d: told((d[0],)), [0])
        expected = max(Fraction(1), (1 - c) / (1 - k))
        assert found.lower <= expected <= found.upper


# --------------------------------------------------------------------------------------------
# Causal privacy
# --------------------------------------------------------------------------------------------


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
        distributional = ddp_ratio(worlds, mechanism, width=Fraction(1, 10**4))
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
            found = ddp_ratio(given, mechanism, width=Fraction(1, 10**3))
            assert found.lower <= cdp_ratio(given, mechanism) <= causal
            finite_ones += found.upper > 1
    assert finite_ones > 10


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
        found = ddp_ratio(family, mechanism, width=Fraction(1, 10**4))
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


# --------------------------------------------------------------------------------------------
# Proposition 1
# --------------------------------------------------------------------------------------------


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


# --------------------------------------------------------------------------------------------
# Causal and noiseless privacy
# --------------------------------------------------------------------------------------------


def test_causal_privacy_does_not_imply_noiseless_privacy():
    assert cdp_ratio(TRIPLE, majority) == 1
    assert np_ratio(TRIPLE, majority) == math.inf


def test_with_a_delta_the_average_is_causal_and_not_noiseless():
    n, sigma, eps = 10_000, 0.1, 1.0
    # Causally a record moves from one centre to the other within the sum of the others ...
    assert average.delta(n, 2 / sigma, eps) < 0.01
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


def possible(world, chosen, i, a, b=None):
    """What can come out, given D(i) = a, with the record replaced by b."""
    return {
        t
        for d in world.databases
        if d[i] == a
        for t in chosen[d if b is None else replaced(d, i, b)]
    }


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


def test_with_independent_records_ddp_is_within_a_root():
    source = random.Random(21)
    for _ in range(60):
        p = [Fraction(source.randint(1, 5), 6) for _ in range(2)]
        mechanism = mechanism_on(source, BITS[2])
        found, noiseless = ddp_ratio(bits(p), mechanism), np_ratio(bits(p), mechanism)
        assert found.lower <= noiseless <= found.upper**2


# --------------------------------------------------------------------------------------------
# Example 5
# --------------------------------------------------------------------------------------------


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


# --------------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------------


def test_herd_gives_the_numbers_of_its_texts():
    rows = figures.table("herd")
    curves = {
        name: select(rows, panel="size", series=name)["y"]
        for name in ("NP", "NP, known", "CDP", "DDP")
    }
    assert [f"{y:.2f}" for y in curves["NP"][[0, 1, -1]]] == ["2.20", "1.57", "1.52"]
    assert (np.diff(curves["NP"]) < 0).all()
    assert [f"{y:.3f}" for y in curves["NP, known"][[1, -1]]] == ["0.847", "0.012"]
    assert [f"{y:.3f}" for y in curves["CDP"][[1, -1]]] == ["0.608", "0.007"]
    assert [f"{y:.2f}" for y in curves["DDP"][:2]] == ["1.61", "0.05"]
    assert (curves["DDP"][2:] == 0).all()
    hint = select(rows, panel="hint", series="NP")
    assert hint["x"][np.argmax(hint["y"])] == 0.75
    assert [f"{y:.2f}" for y in (hint["y"][0], hint["y"].max(), hint["y"][-1])] == [
        "1.57",
        "1.72",
        "0.85",
    ]
    causal = select(rows, panel="hint", series="CDP")["y"]
    assert (np.diff(causal) > 0).all()
    assert [f"{y:.2f}" for y in causal[[0, -1]]] == ["0.61", "0.85"]


def test_dependence_gives_the_numbers_of_its_texts():
    rows = figures.table("dependence")
    curves = {name: select(rows, panel="definitions", series=name) for name in ("NP", "CDP", "DDP")}
    assert (np.diff(curves["NP"]["y"]) > 0).all()
    assert curves["NP"]["y"][-1] == pytest.approx(2 * curves["NP"]["y"][0])
    assert set(curves["CDP"]["y"]) == {math.log(3)} == {curves["NP"]["y"][0]}
    ddp = curves["DDP"]
    assert (np.diff(ddp["y"]) <= 1e-12).all()
    assert f"{ddp['y'][0]:.2f}" == "0.69"
    # Exact simulation needs e/(1-e) >= q·m/((1-q)(1-m)): from the correlation √3 - 1 on.
    assert ddp["x"][ddp["y"] > 0].max() == 0.73 < math.sqrt(3) - 1
    for truth, start, low, high in (
        ("0.9", "2.3", (0.74, "1.33"), (0.89, "1.47")),
        ("0.99", "4.6", (0.88, "2.6"), (0.99, "3.7")),
        ("0.999", "6.9", (0.96, "3.8"), (0.999, "6.0")),
    ):
        curve = select(rows, panel="truths", series=f"truth {truth}")
        x, y = curve["x"], curve["y"]
        assert f"{y[0]:.1f}" == start
        valley = np.flatnonzero(x == low[0])[0]
        assert (np.diff(y[: valley + 1]) < 1e-9).all()
        peak = valley + np.argmax(y[valley:])
        assert x[peak] == high[0]
        digits = len(high[1]) - 2
        assert (f"{y[valley]:.{digits}f}", f"{y[peak]:.{digits}f}") == (low[1], high[1])
        assert (y[x == 1] == 0).all()
    assert dependence.TRUTH == HALF


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


def test_average_gives_the_numbers_of_its_texts():
    rows = figures.table("average")
    for n, half_at in ((10, "5.9"), (1000, "62"), (100_000, "624")):
        curve = select(rows, panel="distance", n=n)
        assert (np.diff(curve["y"]) >= 0).all()
        assert curve["y"][0] < 0.01
        assert curve["y"][-1] > 0.99
        at = float(half_at)
        assert average.delta(n, at * 0.99, 1.0) < 0.5 < average.delta(n, at * 1.01, 1.0)
    for n, first in ((10, "0.26"), (100, "0.080"), (1000, "0.025")):
        curve = select(rows, panel="eps", n=n)
        assert f"{curve['y'][0]:.2g}" == str(float(first))
        assert (np.diff(curve["y"]) < 0).all()
    assert f"{average.delta(10, 2.0, 3.0):.0e}" == "2e-06"
    for n, eps in ((100, 1.33), (1000, 0.40)):
        assert average.delta(n, 2.0, eps - 0.02) > average.LEAST > average.delta(n, 2.0, eps + 0.02)
