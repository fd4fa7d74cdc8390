"""Counts with noise, against exact rationals, ball arithmetic and each other."""

import math

import numpy as np
import pytest
from flint import ctx

from pkdp import counting, noise
from pkdp.engines import noisy_counts
from pkdp.profiles.laws import PoissonBinomial
from tests.oracles import counts as oracles
from tests.oracles import noise as noise_oracles

RTOL = 1e-12


def agrees(value, truth, rtol=RTOL, slack=0.0):
    """Whether a float is within rtol * max(1, |truth|) + slack of another."""
    return value == truth or abs(value - truth) <= rtol * max(1.0, abs(truth)) + slack


def rounding_of_eps(eps, gap, part=1e-16):
    """By how much ln delta changes if eps does by `part`: near the end it is like ln(gap)."""
    return part * max(1.0, eps) / gap


# --------------------------------------------------------------------------------------------
# Geometric noise on a count
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.01, 0.5, 0.99])
def test_the_masses_of_a_large_noisy_count_are_those_of_the_definition(p):
    n, q = 2_000, 0.05
    masses = noise.add(counting.pair([q], multiplicities=[n]), noise.Geometric(p)).log_masses()
    law = PoissonBinomial([q], [n])
    first = law.span(-1500.0)[0]
    with ctx.workprec(oracles.PRECISION):
        count = {k: oracles.log_binomial_mass(n, oracles.ball(q), k).exp() for k in range(n + 1)}
        for k in (first, first + 40, 100, 300):
            exact = sum(m * oracles.ball(p) ** abs(k - j) for j, m in count.items())
            exact *= (1 - oracles.ball(p)) / (1 + oracles.ball(p))
            assert agrees(float(masses.log_q[1 + k - first]), float(exact.log()), rtol=2e-12), k
    assert masses.log_left_out < -1400


# --------------------------------------------------------------------------------------------
# Worst cases and the blanket
# --------------------------------------------------------------------------------------------


MANY = [
    (300, 0.05, 0.5, 0.1),
    (300, 0.4, 0.9, 0.5),
    (2_000, 0.05, 0.5, 0.02),
    (2_000, 0.05, 0.75, 0.9),
    (2_000, 0.3, 0.99, 0.3),
    (2_000, 0.01, 0.5, 1 - 1e-6),
]


@pytest.mark.parametrize(("N", "lam", "p", "part"), MANY)
def test_the_worst_case_is_the_largest_of_all_vertices(N, lam, p, part):
    eps = -part * math.log(p)
    m = np.arange(N + 1)
    counts = noisy_counts.Counts([lam, 1 - lam], 0, N, eps, noise.Geometric(p))
    deltas = counts.log_delta(np.stack([m, N - m], axis=1))
    found = noise.worst_vertex(N + 1, lam, noise=noise.Geometric(p), eps=eps, tol=1e-6)
    slack = rounding_of_eps(eps, -math.log(p) - eps, 2e-12) + 1e-11
    assert deltas.max() - 1e-6 - slack <= found.log_lower <= deltas.max() + slack
    assert found.log_upper <= found.log_lower + 1e-6 + slack
    bound = noise.worst_case(N + 1, lam, noise=noise.Geometric(p)).log_delta(eps)
    assert deltas.max() <= bound <= deltas.max() + 1e-4 + slack


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("level", [0.5, 5.0])
@pytest.mark.parametrize("part", [0.0, 1e-6, 0.05, 0.5, 0.99, 1 - 1e-6])
def test_fourier_integrals_agree_with_convolutions(laplace, level, part):
    added = noise.Laplace(level) if laplace else noise.Geometric(math.exp(-1 / level))
    eps = part * added.rate
    slack = rounding_of_eps(eps, added.gap(eps), 1e-14)
    for N, lam in ((40, 0.3), (1_000, 0.05), (10**6, 0.05), (10**5, 1e-4)):
        counts = noisy_counts.Counts([lam, 1 - lam], 0, N, eps, added)
        rows = np.array(
            [[0, N], [1, N - 1], [N // 3, N - N // 3], [N, 0], [N // 5, N // 7], [0, 0]]
        )
        for row, value in zip(rows, counts.log_delta(rows), strict=True):
            truth = noise.add(
                counting.pair([lam, 1 - lam], multiplicities=row), added
            ).log_hockey_stick(eps)
            assert agrees(float(value), truth, slack=slack), (N, lam, row)


@pytest.mark.parametrize(
    ("kinds", "row", "laplace", "level", "part"),
    [
        # Hardly any bit, and hardly any ε left by the noise: the best event is far out.
        ([0.003228, 0.996772], [599, 25], True, 0.856, 1 - 1.4e-10),
        ([0.0019146], [2029], False, 0.5, 1 - 6e-10),
        ([1.174e-6], [17742], True, 0.1613, 1 - 1.1e-9),
        # Hardly any noise: the excesses of half the events are alike.
        ([0.49, 0.51], [450_292, 442_375], False, 1.5e-187, 0.0),
        # Events next to the best one have an excess of some e^345 times minus that.
        ([0.5], [1], False, 1e-150, 1 - 1e-6),
        # Wide noise on few records: hardly any event is better than another.
        ([0.2, 0.8], [0, 9], True, 1e6, 1 - 1e-6),
    ],
)
def test_fourier_integrals_agree_with_convolutions_where_it_was_difficult(
    kinds, row, laplace, level, part
):
    added = (noise.Laplace if laplace else noise.Geometric)(level)
    eps = part * added.rate
    counts = noisy_counts.Counts(kinds, 0, sum(row), eps, added)
    truth = noise.add(counting.pair(kinds, multiplicities=row), added).log_hockey_stick(eps)
    slack = rounding_of_eps(eps, added.gap(eps), 1e-14)
    assert agrees(float(counts.log_delta(np.array([row]))[0]), truth, slack=slack)


def test_masses_that_are_rounding_errors_do_not_count():
    # Far below the mode they were once magnified by untilting, here to e^-16069.
    noisy = noise.add(counting.pair([1e-4], multiplicities=[10**5]), noise.Laplace(0.05))
    with ctx.workprec(oracles.PRECISION):
        masses = noise_oracles.masses_near_tilt([(10**5, 1e-4)], 6.0)
    truth = float(noise_oracles.log_laplace(masses, 0.05, 6.0))
    assert truth < -19_000
    assert agrees(noisy.log_hockey_stick(6.0), truth)


@pytest.mark.slow
@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("in_deviations", [0.0, 1e-3, 1.0, 5.0, 30.0])
@pytest.mark.parametrize(("N", "lam"), [(3_000, 0.3), (10**5, 0.05), (10**6, 0.4)])
def test_the_envelope_of_all_lattices_agrees_with_branch_and_bound(N, lam, in_deviations, laplace):
    deviation = math.sqrt(N * lam * (1 - lam))
    eps = in_deviations / deviation
    for level in (2.0, deviation / 40):
        added = noise.Laplace(level) if laplace else noise.Geometric(math.exp(-1 / level))
        if eps >= 0.99 * added.rate:
            continue
        found = noisy_counts._worst_of_envelope(N, lam, added, 1e-4, eps)
        truth = noisy_counts._worst_of_boxes(N, lam, added, 1e-4, eps)
        if found is not None:
            assert found.log_upper >= truth.log_lower
            assert found.log_lower <= truth.log_upper + 1e-12
            assert found.log_upper <= found.log_lower + 1e-4


@pytest.mark.parametrize("added", [noise.Geometric(0.5), noise.Geometric(0.9999), noise.Laplace(9)])
@pytest.mark.parametrize("in_deviations", [0.0, 1e-3, 1.0, 6.0, 100.0])
def test_the_worst_case_of_a_billion_records_takes_few_vertices(added, in_deviations, monkeypatch):
    looked_at = []

    class Counted(noisy_counts.Counts):
        def best_events(self, numbers, fraction=None):
            looked_at.append(len(numbers))
            return super().best_events(numbers, fraction)

    monkeypatch.setattr(noisy_counts, "Counts", Counted)
    eps = in_deviations / math.sqrt(10**9 * 0.05)
    noise.worst_case(10**9, 0.05, noise=added).log_delta(eps)
    assert sum(looked_at) <= 200


@pytest.mark.parametrize("lam", [2e-16, 1e-16, 1e-17, 1e-300, 5e-324])
@pytest.mark.parametrize("n", [2, 50, 1_000, 10**9])
@pytest.mark.parametrize("added", [noise.Geometric(0.5), noise.Laplace(2)])
def test_where_nobody_hides_the_noise_is_left_however_near_to_1_probabilities_are(n, lam, added):
    """λ once was lost in 1 - λ, which was 1, and its logarithm refused."""
    for eps in (0.0, 0.3, 0.49):
        alone = added.profile().log_delta(eps)
        bounds = [f(n, lam, noise=added).log_delta(eps) for f in (noise.worst_case, noise.blanket)]
        vertex = noise.worst_vertex(n, lam, noise=added, eps=eps)
        for found in (*bounds, vertex.log_lower, vertex.log_upper):
            # Somebody is not where all others are with a probability of 2nλ at most.
            assert agrees(found, alone, slack=2 * n * lam * math.exp(-alone))


def test_a_search_that_gives_up_still_returns_an_upper_end(monkeypatch):
    sharp = noise.worst_vertex(3_000, 0.4, noise=noise.Geometric(0.5), eps=1e-4, tol=1e-6)
    monkeypatch.setattr(noisy_counts, "_BUDGET", 300)
    certificate = noise.worst_vertex(3_000, 0.4, noise=noise.Geometric(0.5), eps=1e-4, tol=1e-6)
    assert 1e-4 < certificate.log_upper - certificate.log_lower < 1e-2
    assert certificate.log_lower <= sharp.log_upper < sharp.log_lower + 1e-6
    assert sharp.log_lower <= certificate.log_upper
    profile = noise.worst_case(3_000, 0.4, noise=noise.Geometric(0.5), tol=1e-6)
    assert certificate.log_upper <= profile.log_delta(1e-4)


@pytest.mark.parametrize(
    "kind", [noise.Laplace, lambda scale: noise.Geometric(math.exp(-1 / scale))]
)
@pytest.mark.parametrize("scale", [1e4, 1e6, 1e8])
def test_bounds_with_wide_noise_are_not_below_the_truth(kind, scale):
    # Where excesses of the size of 1 cancelled down to 1/scale, δ(0) was 4e-11 of it too low.
    for profile in (
        noise.worst_case(3, 0.2, known=1, noise=kind(scale)),
        noise.blanket(50, 0.2, noise=kind(scale)),
    ):
        lower, upper = profile.certified().bounds(0.0)
        assert lower <= profile.log_delta(0.0) <= upper + 1e-12 * -upper
