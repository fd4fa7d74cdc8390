"""Counts with noise, against exact rationals, ball arithmetic and each other."""

import bisect
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting, noise
from pkdp.partial_knowledge import _noisy_sums
from pkdp.profiles import Pair
from pkdp.profiles.laws import Finite, PoissonBinomial
from tests.oracles import counts as oracles
from tests.oracles import noise as noise_oracles
from tests.oracles.noise import log_of, rational_exp

RTOL = 1e-12

chances = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.25, 1e-9, 1 - 1e-9]), st.integers(0, 16).map(lambda i: i / 16)
)
ratios = st.sampled_from([1e-150, 1e-5, 0.1, 0.5, 0.6, 0.75, 0.9, 0.99, 0.999999])
scales = st.sampled_from([0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 1e4])
# ε as a part of the largest loss that noise allows, up to very near it.
parts = st.one_of(
    st.sampled_from([0.0, 1e-9, 0.01, 0.5, 0.9, 1 - 1e-6, 1 - 1e-8]), st.floats(0, 0.999)
)
lams = st.sampled_from([0.5, 0.499, 0.4, 0.25, 0.05, 1e-3, 1e-9])


def agrees(value, truth, rtol=RTOL, slack=0.0):
    """Whether a float is within rtol * max(1, |truth|) + slack of another."""
    return value == truth or abs(value - truth) <= rtol * max(1.0, abs(truth)) + slack


def rounding_of_eps(eps, gap, part=1e-16):
    """By how much ln delta changes if eps does by `part`: near the end it is like ln(gap)."""
    return part * max(1.0, eps) / gap


# --------------------------------------------------------------------------------------------
# The noise alone
# --------------------------------------------------------------------------------------------


@given(ratios, parts)
def test_geometric_noise_alone_agrees_with_exact_rationals(p, part):
    eps = -part * math.log(p)
    truth, _ = noise_oracles.geometric_count_delta([], Fraction(p), rational_exp(eps))
    assert agrees(noise.Geometric(p).profile().log_delta(eps), log_of(truth))


@pytest.mark.parametrize("k", [-3, -1, 0, 1, 2, 7])
def test_the_oracles_tail_of_geometric_noise_sums_definition_19(k):
    p = Fraction(3, 4)
    tail = sum(noise_oracles.geometric_mass(j, p) for j in range(k, 400))
    assert 0 < noise_oracles.geometric_tail(k, p) - tail < Fraction(1, 10**40)


@pytest.mark.parametrize("scale", [0.01, 0.5, 2.0, 1e6])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.999])
def test_laplace_noise_alone_is_a_count_of_nobody(scale, part):
    eps = part / scale
    nobody = noise.add(counting.pair([]), noise.Laplace(scale)).profile()
    assert agrees(noise.Laplace(scale).profile().log_delta(eps), nobody.log_delta(eps))
    truth = noise_oracles.laplace_hockey_stick(
        {1: Fraction(1)}, {0: Fraction(1)}, scale, math.exp(eps)
    )
    assert agrees(noise.Laplace(scale).profile().delta(eps), float(truth))


@pytest.mark.slow
@pytest.mark.parametrize("p", [1e-200, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 0.99, 1 - 1e-9])
def test_from_the_largest_loss_on_delta_is_0_and_before_it_is_not(p):
    profiles = [
        noise.Geometric(p).profile(),
        noise.add(counting.pair([0.3] * 4), noise.Geometric(p)).profile(),
        noise.worst_case(10, 0.2, noise=noise.Geometric(p)),
        noise.blanket(10, 0.2, noise=noise.Geometric(p)),
    ]
    for profile in profiles:
        for end in (math.log(1 / p), -math.log(p), -math.log(p) * 1.001, 800.0, math.inf):
            assert profile.log_delta(end) == -math.inf
            assert profile.delta(end) == 0.0
        assert profile.log_delta(-math.log(p) * (1 - 1e-7)) > -math.inf
        assert profile.epsilon(0) == pytest.approx(-math.log(p), rel=1e-8)


@pytest.mark.parametrize("scale", [0.002, 0.1, 1.0, 2.0, 7.0, 1e6])
def test_from_the_largest_loss_of_laplace_noise_on_delta_is_0_and_before_it_is_not(scale):
    profiles = [
        noise.Laplace(scale).profile(),
        noise.add(counting.pair([0.3] * 4), noise.Laplace(scale)).profile(),
        noise.worst_case(10, 0.2, noise=noise.Laplace(scale)),
        noise.blanket(10, 0.2, noise=noise.Laplace(scale)),
    ]
    for profile in profiles:
        assert profile.delta(1 / scale) == profile.delta(math.inf) == 0.0
        assert profile.log_delta((1 - 1e-6) / scale) > -math.inf


# --------------------------------------------------------------------------------------------
# Geometric noise on a count
# --------------------------------------------------------------------------------------------


@given(st.lists(chances, max_size=6), ratios, parts)
def test_a_count_with_geometric_noise_agrees_with_exact_rationals(probabilities, p, part):
    eps = -part * math.log(p)
    noisy = noise.add(counting.pair(probabilities), noise.Geometric(p))
    up, down = map(
        log_of,
        noise_oracles.geometric_count_delta(probabilities, Fraction(p), rational_exp(eps)),
    )
    assert agrees(noisy.log_hockey_stick(eps), up)
    assert agrees(noisy.reversed().log_hockey_stick(eps), down)
    assert agrees(noisy.profile().log_delta(eps), max(up, down))
    assert noisy.profile().status == "exact"


# Probabilities, ratio of the noise, and ε as a part of the largest loss; δ down to e^-13000.
LARGE = [
    ([(1_000, 0.05)], 0.5, 0.3),
    ([(1_000, 0.05)], 0.5, 1 - 1e-6),
    ([(10_000, 0.05)], 0.75, 0.9),
    ([(10_000, 0.3)], 0.01, 0.7),
    ([(2_000, 0.5)], 0.999, 1 - 1e-9),
    ([(3_000, 0.05), (2_000, 0.95)], 0.6, 0.5),
    ([(100_000, 0.05)], 0.9, 0.1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "p", "part"), LARGE)
def test_a_large_count_with_geometric_noise_agrees_with_balls(groups, p, part):
    eps = -part * math.log(p)
    slack = rounding_of_eps(eps, -math.log(p) - eps)
    noisy = noise.add(
        counting.pair([q for _, q in groups], [m for m, _ in groups]), noise.Geometric(p)
    )
    mirror = [(m, 1 - Fraction(q)) for m, q in groups]
    for pair, records in ((noisy, groups), (noisy.reversed(), mirror)):
        with ctx.workprec(oracles.PRECISION):
            masses = noise_oracles.masses_near_tilt(records, eps)
        truth = float(noise_oracles.log_geometric(masses, p, eps))
        assert truth < -1.0
        assert agrees(pair.log_hockey_stick(eps), truth, slack=slack)


def test_a_million_records_with_geometric_noise_agree_with_balls():
    with ctx.workprec(oracles.PRECISION):
        masses = noise_oracles.masses_near_tilt([(10**6, 0.05)], 0.6)
    truth = float(noise_oracles.log_geometric(masses, 0.5, 0.6))
    assert truth < -6000
    noisy = noise.add(counting.pair([0.05], [10**6]), noise.Geometric(0.5))
    assert agrees(noisy.log_hockey_stick(0.6), truth)


# Masses are multiples of 1/64, so that floats hold them.
finite_laws = st.lists(st.integers(0, 8), min_size=1, max_size=6).map(
    lambda masses: {k: Fraction(m, 64) for k, m in enumerate([*masses, 64 - sum(masses)]) if m}
)


@given(
    finite_laws,
    finite_laws,
    st.integers(-3, 3),
    ratios,
    st.sampled_from([0.0, 0.1, 0.7, 2.0, 10.0]),
)
def test_finite_laws_with_geometric_noise_agree_with_exact_rationals(first, second, by, p, eps):
    laws = {k + by: mass for k, mass in first.items()}, second
    noisy = noise.add(Pair(*(Finite.from_dict(law) for law in laws)), noise.Geometric(p))
    E = rational_exp(eps)
    for both, directed in ((laws, noisy), (laws[::-1], noisy.reversed())):
        truth = noise_oracles.noisy_hockey_stick(*both, Fraction(p), E)
        # Where two masses cancel, what is left has the rounding of both.
        assert math.exp(directed.log_hockey_stick(eps)) == pytest.approx(
            float(truth), rel=1e-9, abs=1e-14
        )


def test_a_finite_law_and_its_shift_are_a_count():
    law = PoissonBinomial([0.2, 0.5, 0.9]).window()
    finite = Finite(0, tuple(law.weights))
    noisy = noise.add(Pair(finite.shift(1), finite), noise.Geometric(0.6))
    count = noise.add(counting.pair([0.2, 0.5, 0.9]), noise.Geometric(0.6))
    for eps in (0.0, 0.2, 0.5, 0.51):
        assert agrees(noisy.log_hockey_stick(eps), count.log_hockey_stick(eps))
        assert agrees(
            noisy.reversed().log_hockey_stick(eps), count.reversed().log_hockey_stick(eps)
        )


@given(st.lists(chances, max_size=6), ratios, parts)
def test_the_masses_of_a_noisy_count_give_its_profile(probabilities, p, part):
    eps = -part * math.log(p)
    noisy = noise.add(counting.pair(probabilities), noise.Geometric(p))
    for pair in (noisy, noisy.reversed()):
        masses = pair.log_masses()
        assert masses.log_left_out == -math.inf
        for logs in (masses.log_p, masses.log_q):
            assert float(np.exp(logs).sum()) == pytest.approx(1.0, rel=1e-12)
        excess = np.exp(masses.log_p) - np.exp(eps + masses.log_q)
        assert float(excess[excess > 0.0].sum()) == pytest.approx(
            math.exp(pair.log_hockey_stick(eps)), rel=1e-9, abs=1e-13
        )
        # The merged outcomes below and above all others have the largest losses.
        losses = masses.log_p - masses.log_q
        assert abs(losses[0]) == pytest.approx(-math.log(p), rel=1e-12, abs=1e-14)
        assert losses[-1] == pytest.approx(-losses[0], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("p", [0.01, 0.5, 0.99])
def test_the_masses_of_a_large_noisy_count_are_those_of_the_definition(p):
    n, q = 2_000, 0.05
    masses = noise.add(counting.pair([q], [n]), noise.Geometric(p)).log_masses()
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
# Laplace noise
# --------------------------------------------------------------------------------------------


@given(st.lists(chances, max_size=5), scales, parts)
def test_a_count_with_laplace_noise_agrees_with_balls(probabilities, scale, part):
    eps = part / scale
    noisy = noise.add(counting.pair(probabilities), noise.Laplace(scale))
    for pair, records in (
        (noisy, [Fraction(q) for q in probabilities]),
        (noisy.reversed(), [1 - Fraction(q) for q in probabilities]),
    ):
        law = oracles.count_law(records)
        with ctx.workprec(oracles.PRECISION):
            masses = {k: oracles.ball(m) for k, m in law.items() if m}
        truth = float(noise_oracles.log_laplace(masses, scale, eps))
        assert agrees(pair.log_hockey_stick(eps), truth)


@pytest.mark.parametrize(
    ("groups", "scale", "part"),
    [
        ([(1_000, 0.05)], 2.0, 0.5),
        ([(1_000, 0.05)], 1.0, 1 - 1e-6),
        ([(10_000, 0.05)], 0.05, 0.3),
        ([(2_000, 0.5)], 50.0, 0.99),
        ([(3_000, 0.05), (2_000, 0.95)], 2.0, 0.9),
    ],
)
def test_a_large_count_with_laplace_noise_agrees_with_balls(groups, scale, part):
    eps = part / scale
    slack = rounding_of_eps(eps, 1 / scale - eps)
    noisy = noise.add(
        counting.pair([q for _, q in groups], [m for m, _ in groups]), noise.Laplace(scale)
    )
    mirror = [(m, 1 - Fraction(q)) for m, q in groups]
    for pair, records in ((noisy, groups), (noisy.reversed(), mirror)):
        with ctx.workprec(oracles.PRECISION):
            masses = noise_oracles.masses_near_tilt(records, eps)
        truth = float(noise_oracles.log_laplace(masses, scale, eps))
        assert truth < -1.0
        assert agrees(pair.log_hockey_stick(eps), truth, slack=slack)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({0: Fraction(1)}, {3: Fraction(1)}),
        ({0: Fraction(1, 2), 4: Fraction(1, 2)}, {1: Fraction(1, 4), 2: Fraction(3, 4)}),
        ({-1: Fraction(1, 8), 0: Fraction(7, 8)}, {-1: Fraction(7, 8), 0: Fraction(1, 8)}),
    ],
)
@pytest.mark.parametrize("scale", [0.5, 3.0])
@pytest.mark.parametrize("eps", [0.0, 0.25, 1.0])
def test_finite_laws_with_laplace_noise_agree_with_a_quadrature(first, second, scale, eps):
    pair = Pair(Finite.from_dict(first), Finite.from_dict(second))
    noisy = noise.add(pair, noise.Laplace(scale))
    for both, directed in (((first, second), noisy), ((second, first), noisy.reversed())):
        truth = float(noise_oracles.laplace_hockey_stick(*both, scale, math.exp(eps)))
        assert math.exp(directed.log_hockey_stick(eps)) == pytest.approx(truth, abs=1e-13)


def test_laplace_noise_on_a_count_agrees_with_a_quadrature_of_its_definition():
    probabilities = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
    law = oracles.count_law(probabilities)
    noisy = noise.add(counting.pair([float(q) for q in probabilities]), noise.Laplace(2.0))
    for eps in (0.0, 0.1, 0.45):
        truth = noise_oracles.laplace_hockey_stick(oracles.shifted(law), law, 2.0, math.exp(eps))
        assert math.exp(noisy.log_hockey_stick(eps)) == pytest.approx(float(truth), rel=1e-12)


@given(st.lists(chances, max_size=6), scales, parts)
def test_laplace_noise_hides_at_least_what_geometric_noise_of_its_ratio_does(
    probabilities, scale, part
):
    # It is the sum of such noise and of independent noise: e^{-1/b} is the ratio of whole parts.
    pair = counting.pair(probabilities)
    eps = 0.999 * part / scale
    coarse = noise.add(pair, noise.Geometric(max(1e-200, math.exp(-1 / scale)))).profile()
    fine = noise.add(pair, noise.Laplace(scale)).profile()
    assert fine.log_delta(eps) <= coarse.log_delta(eps) + RTOL * max(1, -coarse.log_delta(eps))


# --------------------------------------------------------------------------------------------
# What noise does
# --------------------------------------------------------------------------------------------


@given(st.lists(chances, min_size=1, max_size=6), ratios, parts)
def test_a_noisy_count_is_at_least_as_private_as_the_count_and_as_the_noise(probabilities, p, part):
    eps = -part * math.log(p)
    pair = counting.pair(probabilities)
    noisy = noise.add(pair, noise.Geometric(p)).profile().log_delta(eps)
    alone = min(pair.profile().log_delta(eps), noise.Geometric(p).profile().log_delta(eps))
    assert noisy <= alone + RTOL * max(1.0, -alone)


@given(st.lists(chances, max_size=6), parts)
def test_more_noise_is_at_least_as_private(probabilities, part):
    pair = counting.pair(probabilities)
    eps = -part * math.log(0.9)
    for kind, levels in ((noise.Geometric, (0.1, 0.5, 0.9)), (noise.Laplace, (0.1, 2, 9))):
        deltas = [noise.add(pair, kind(level)).profile().delta(eps) for level in levels]
        assert all(b <= a * (1 + 1e-12) for a, b in pairwise(deltas))


@given(st.lists(chances, max_size=4), st.integers(0, 4), st.sampled_from([0.5, 0.25, 1.0]))
def test_binomial_noise_is_as_good_as_unknown_records(probabilities, trials, success):
    E = Fraction(3, 2)
    truth = oracles.count_delta([Fraction(q) for q in [*probabilities, *[success] * trials]], E)
    profile = noise.binomial(probabilities, trials, success=success)
    assert profile.delta(math.log(1.5)) == pytest.approx(float(truth), rel=1e-12, abs=1e-15)


def test_binomial_noise_takes_multiplicities():
    grouped = noise.binomial([0.05], 10, multiplicities=[30]).delta(0.3)
    assert grouped == pytest.approx(counting.exact([0.05] * 30 + [0.5] * 10).delta(0.3), rel=1e-12)


# --------------------------------------------------------------------------------------------
# Worst cases and the blanket
# --------------------------------------------------------------------------------------------


@given(st.integers(0, 5), lams, ratios, parts)
def test_the_worst_case_and_the_blanket_agree_with_exact_rationals(N, lam, p, part):
    eps = -part * math.log(p)
    E = rational_exp(eps)
    slack = rounding_of_eps(eps, -math.log(p) - eps, 2e-12)
    worst = log_of(noise_oracles.geometric_worst_delta(N, Fraction(lam), Fraction(p), E))
    profile = noise.worst_case(N + 2, lam, noise=noise.Geometric(p), known=1)
    assert worst <= profile.log_delta(eps)
    assert agrees(profile.log_delta(eps), worst, slack=slack)
    blanket = log_of(noise_oracles.geometric_blanket_delta(N, Fraction(lam), Fraction(p), E))
    profile = noise.blanket(N + 2, lam, noise=noise.Geometric(p), known=1)
    assert blanket <= profile.log_delta(eps)
    assert agrees(profile.log_delta(eps), blanket, slack=slack)
    assert worst <= blanket + 1e-15


@pytest.mark.parametrize("E", [Fraction(1), Fraction(5, 4), Fraction(17, 10)])
def test_no_probabilities_of_a_grid_are_worse_than_the_vertices(E):
    lam, p = Fraction(1, 5), Fraction(1, 2)
    grid = [Fraction(k, 20) for k in range(4, 17, 3)]
    worst = noise_oracles.geometric_worst_delta(3, lam, p, E)
    for probabilities in ([a, b, c] for a in grid for b in grid for c in grid):
        assert max(noise_oracles.geometric_count_delta(probabilities, p, E)) <= worst


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(9, 10)])
def test_for_a_fixed_event_the_excess_rises_in_the_number_at_lam_and_then_falls(p):
    N, lam, E = 9, Fraction(1, 10), Fraction(21, 20)
    laws = [oracles.count_law(oracles.vertex(N, lam, m)) for m in range(N + 1)]
    peaks = []
    for k in range(-2, N + 4):
        gains = [
            noise_oracles.noisy_tail(law, k - 1, p) - E * noise_oracles.noisy_tail(law, k, p)
            for law in laws
        ]
        top = max(range(N + 1), key=gains.__getitem__)
        assert gains[: top + 1] == sorted(gains[: top + 1])
        assert gains[top:] == sorted(gains[top:], reverse=True)
        peaks.append(top)
    assert peaks == sorted(peaks, reverse=True)
    assert len(set(peaks)) > N // 2


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
    counts = _noisy_sums.Counts([lam, 1 - lam], 0, N, eps, noise.Geometric(p))
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
        counts = _noisy_sums.Counts([lam, 1 - lam], 0, N, eps, added)
        rows = np.array(
            [[0, N], [1, N - 1], [N // 3, N - N // 3], [N, 0], [N // 5, N // 7], [0, 0]]
        )
        for row, value in zip(rows, counts.log_delta(rows), strict=True):
            truth = noise.add(counting.pair([lam, 1 - lam], row), added).log_hockey_stick(eps)
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
    counts = _noisy_sums.Counts(kinds, 0, sum(row), eps, added)
    truth = noise.add(counting.pair(kinds, row), added).log_hockey_stick(eps)
    slack = rounding_of_eps(eps, added.gap(eps), 1e-14)
    assert agrees(float(counts.log_delta(np.array([row]))[0]), truth, slack=slack)


def test_masses_that_are_rounding_errors_do_not_count():
    # Far below the mode they were once magnified by untilting, here to e^-16069.
    noisy = noise.add(counting.pair([1e-4], [10**5]), noise.Laplace(0.05))
    with ctx.workprec(oracles.PRECISION):
        masses = noise_oracles.masses_near_tilt([(10**5, 1e-4)], 6.0)
    truth = float(noise_oracles.log_laplace(masses, 0.05, 6.0))
    assert truth < -19_000
    assert agrees(noisy.log_hockey_stick(6.0), truth)


@pytest.mark.parametrize(("p", "part", "m"), [(0.5, 0.1, 3), (0.9, 0.9, 0), (0.5, 0.9, 500)])
def test_no_vertex_seen_in_balls_is_above_the_worst_case(p, part, m):
    N, lam, eps = 1_000, 0.05, -part * math.log(p)
    with ctx.workprec(oracles.PRECISION):
        groups = [(m, Fraction(lam)), (N - m, 1 - Fraction(lam))]
        masses = noise_oracles.masses_near_tilt(groups, eps)
    vertex = float(noise_oracles.log_geometric(masses, p, eps))
    found = noise.worst_vertex(N + 1, lam, noise=noise.Geometric(p), eps=eps)
    assert vertex <= noise.worst_case(N + 1, lam, noise=noise.Geometric(p)).log_delta(eps)
    if found.m == m:
        slack = rounding_of_eps(eps, -math.log(p) - eps, 2e-14)
        assert agrees(found.log_lower, vertex, slack=slack)


@pytest.mark.parametrize("added", [noise.Geometric(0.6), noise.Laplace(2.0)])
def test_the_blanket_is_the_mean_over_its_size(added):
    N, lam, eps = 400, 0.05, 0.2
    sizes = PoissonBinomial([2 * lam], [N]).window()
    mean = sum(
        float(weight) * noise.add(counting.pair([0.5], [int(c)]), added).profile().delta(eps)
        for c, weight in zip(sizes.outcomes, sizes.weights, strict=True)
    )
    assert noise.blanket(N + 1, lam, noise=added).delta(eps) == pytest.approx(mean, rel=1e-10)


@pytest.mark.parametrize("part", [0.0, 0.02, 0.3, 0.9])
@pytest.mark.parametrize(("n", "lam"), [(50, 0.3), (1_000, 0.05), (10**5, 0.05), (10**4, 0.5)])
def test_the_blanket_is_never_below_the_worst_case_nor_above_noise_or_records_alone(n, lam, part):
    eps = part * math.log(2)
    blanket, worst = (
        noise.blanket(n, lam, noise=noise.Geometric(0.5)),
        noise.worst_case(n, lam, noise=noise.Geometric(0.5), tol=1e-2),
    )
    assert worst.log_delta(eps) <= blanket.log_delta(eps) + 1e-2
    for profile, alone in (
        (blanket, counting.blanket(n, lam)),
        (worst, counting.worst_case(n, lam)),
    ):
        assert profile.log_delta(eps) <= alone.log_delta(eps) + 1e-2
        assert profile.log_delta(eps) <= noise.Geometric(0.5).profile().log_delta(eps) + 1e-2


@pytest.mark.parametrize("eps", [0.02, 0.1, 0.3])
def test_almost_no_noise_leaves_the_bounds_of_the_plain_count(eps):
    n, lam = 2_000, 0.05
    assert noise.blanket(n, lam, noise=noise.Geometric(1e-12)).log_delta(eps) == pytest.approx(
        counting.blanket(n, lam).log_delta(eps), rel=1e-9
    )
    assert noise.worst_case(n, lam, noise=noise.Geometric(1e-12), tol=1e-8).log_delta(
        eps
    ) == pytest.approx(counting.worst_case(n, lam).log_delta(eps), rel=1e-7)
    assert noise.worst_case(n, lam, noise=noise.Laplace(0.01), tol=1e-8).log_delta(
        eps
    ) == pytest.approx(counting.worst_case(n, lam).log_delta(eps), rel=1e-7)


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
        found = _noisy_sums._worst_of_envelope(N, lam, added, 1e-4, eps)
        truth = _noisy_sums._worst_of_boxes(N, lam, added, 1e-4, eps)
        if found is not None:
            assert found.log_upper >= truth.log_lower
            assert found.log_lower <= truth.log_upper + 1e-12
            assert found.log_upper <= found.log_lower + 1e-4


@pytest.mark.parametrize("added", [noise.Geometric(0.5), noise.Geometric(0.9999), noise.Laplace(9)])
@pytest.mark.parametrize("in_deviations", [0.0, 1e-3, 1.0, 6.0, 100.0])
def test_the_worst_case_of_a_billion_records_takes_few_vertices(added, in_deviations, monkeypatch):
    looked_at = []

    class Counted(_noisy_sums.Counts):
        def _best_events(self, numbers, fraction):
            looked_at.append(len(numbers))
            return super()._best_events(numbers, fraction)

    monkeypatch.setattr(_noisy_sums, "Counts", Counted)
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
    monkeypatch.setattr(_noisy_sums, "_BUDGET", 300)
    certificate = noise.worst_vertex(3_000, 0.4, noise=noise.Geometric(0.5), eps=1e-4, tol=1e-6)
    assert 1e-4 < certificate.log_upper - certificate.log_lower < 1e-2
    assert certificate.log_lower <= sharp.log_upper < sharp.log_lower + 1e-6
    assert sharp.log_lower <= certificate.log_upper
    profile = noise.worst_case(3_000, 0.4, noise=noise.Geometric(0.5), tol=1e-6)
    assert certificate.log_upper <= profile.log_delta(1e-4)


def test_known_records_are_left_out():
    for bound in (noise.worst_case, noise.blanket):
        few, many = (
            bound(101, 0.1, noise=noise.Geometric(0.5)),
            bound(1001, 0.1, noise=noise.Geometric(0.5), known=900),
        )
        assert few.log_delta(0.3) == many.log_delta(0.3)
        nobody = bound(1001, 0.1, noise=noise.Geometric(0.5), known=1000)
        assert nobody.delta(0.3) == pytest.approx(
            noise.Geometric(0.5).profile().delta(0.3), rel=1e-11
        )


def test_a_weaker_attacker_is_content_with_smaller_noise():
    """The least noise for one guarantee, the more of the four others are unknown; exactly."""
    E, delta, lam = Fraction(3, 2), Fraction(1, 20), Fraction(1, 5)
    grid = [Fraction(i, 200) for i in range(1, 200)]

    def least(unknown):
        """By bisection: more noise is more private."""

        def enough(p):
            return noise_oracles.geometric_worst_delta(unknown, lam, p, E) <= delta

        return grid[bisect.bisect_left(grid, True, key=enough)]

    needed = [least(unknown) for unknown in range(5)]
    # Against whoever knows all the others it is that of the noise alone, (1 - pE)/(1 + p).
    assert needed[0] == min(p for p in grid if 1 - p * E <= delta * (1 + p))
    assert all(weak < strong for strong, weak in pairwise(needed))
    variances = [2 * p / (1 - p) ** 2 for p in needed]
    assert variances[-1] < Fraction(9, 10) * variances[0]
    # Among many the noise may become next to none; without it the count has this guarantee, too.
    eps, tiny = math.log(1.5), noise.Geometric(1e-3)
    assert counting.worst_case(201, 0.2).delta(eps) <= 0.05
    assert noise.worst_case(201, 0.2, noise=tiny).delta(eps) <= 0.05
    assert noise.worst_case(201, 0.2, noise=tiny, known=200).delta(eps) > 0.9


@pytest.mark.parametrize("laplace", [False, True])
def test_epsilon_of_a_noisy_worst_case_meets_its_delta(laplace):
    bound = (
        noise.worst_case(1_000, 0.05, noise=noise.Laplace(2))
        if laplace
        else noise.worst_case(1_000, 0.05, noise=noise.Geometric(0.5))
    )
    eps = bound.epsilon(1e-6)
    assert bound.delta(eps) <= 1e-6 < bound.delta(eps * (1 - 1e-6))


# --------------------------------------------------------------------------------------------
# Arguments
# --------------------------------------------------------------------------------------------


def test_laplace_noise_on_laws_of_which_neither_is_the_other_one_moved():
    # Of both ends of the line, and of all between, one of each has more under the first law.
    p, q = {0: 0.1, 2: 0.2, 3: 0.7}, {0: 0.6, 1: 0.3, 3: 0.1}
    x = np.linspace(-40.0, 43.0, 830_001)
    for one, other in ((p, q), (q, p)):
        at_one, at_other = (
            sum(mass * np.exp(-np.abs(x - k)) / 2 for k, mass in law.items())
            for law in (one, other)
        )
        pair = noise.add(Pair(Finite.from_dict(one), Finite.from_dict(other)), noise.Laplace(1.0))
        for eps in (0.0, 0.3):
            expected = np.maximum(0.0, at_one - math.exp(eps) * at_other).sum() * 1e-4
            assert math.exp(pair.log_hockey_stick(eps)) == pytest.approx(expected, abs=1e-6)


def test_outcomes_may_be_far_apart_in_units_of_laplace_noise():
    # e^4000 is no float.
    pair = noise.add(
        Pair(Finite.from_dict({0: 1.0}), Finite.from_dict({40: 1.0})), noise.Laplace(0.01)
    )
    assert pair.log_hockey_stick(0.5) == pytest.approx(0.0, abs=1e-12)
