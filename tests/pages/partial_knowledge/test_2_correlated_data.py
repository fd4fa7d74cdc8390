"""What the page on noiseless and distributional privacy says about small worlds."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm

from pkdp import figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import herd
from pkdp.partial_knowledge.simulators import best_simulator, ddp_ratio
from pkdp.profiles.closed_forms import log_gaussian
from pkdp.worlds import World, correlated_pairs, hidden_parameter
from pkdp.worlds.definitions import (
    cdp_ratio,
    dp_ratio,
    np_ratio,
)
from pkdp.worlds.enumeration import (
    random_world,
)
from pkdp.worlds.mechanisms import (
    arithmetic_mean,
    identity,
    make_randomized_response,
    output_law,
    post_process,
    total,
)
from tests.pages.partial_knowledge.small_worlds import (
    BITS,
    COIN,
    HALF,
    law,
    mechanism_on,
    near_and_far,
    replaced,
)

pytestmark = pytest.mark.page


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


@pytest.mark.slow
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
        lower = ddp_ratio(world, mechanism, [0]).upper ** 2 * C
        assert np_ratio(world, mechanism, [0]) <= lower


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
        assert math.exp(log_gaussian(away / math.sqrt(n - 1), 1.0)) < 1e-6

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
    assert math.exp(log_gaussian(3 / sigma / math.sqrt(10**6 - 1), 1.0)) < 1e-6


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


@pytest.mark.slow
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


def test_with_a_truth_of_one_half_more_dependence_never_costs():
    told = make_randomized_response(HALF)
    correlations = [Fraction(k, 20) for k in range(14)] + [Fraction(k, 100) for k in range(70, 101)]
    worlds = [correlated_pairs([HALF], agree=(1 + c) / 2) for c in correlations]
    eps = [math.log(ddp_ratio(world, told, [0]).upper) for world in worlds]
    assert eps[0] == pytest.approx(math.log(2), rel=1e-9)
    assert (np.diff(eps) <= 1e-12).all()
    # Exact simulation needs e/(1-e) >= q·m/((1-q)(1-m)): from the correlation √3 - 1 on.
    least = min(c for c, one in zip(correlations, eps, strict=True) if one == 0)
    assert least == Fraction(74, 100) > math.sqrt(3) - 1 > 0.73
