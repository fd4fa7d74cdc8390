"""Brackets of composed losses: both ends of second order, fast, and capped where losses end."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from pkdp import accounting, counting, privacy_loss
from pkdp.databases import sampling
from pkdp.profiles import Pair, PrivacyProfile
from pkdp.profiles._summed_losses import Composed
from pkdp.profiles.laws import Finite
from pkdp.profiles.pairs import LogMasses
from pkdp.profiles.profile import Formula
from tests.profiles.test_privacy_loss import exact_product, logs

EPSILONS = (0.0, 0.1, 0.7, 1.5, 3.0)


def random_law(source, outcomes):
    weights = [source.choice((0, 1, 3, 20, 1000)) for _ in range(outcomes)]
    weights[source.randrange(outcomes)] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def finite(p, q):
    return Pair(Finite(0, tuple(map(float, p))), Finite(0, tuple(map(float, q))))


def split_only(pairs, times, step):
    """The lower bound of one direction by splitting alone, and the upper one."""
    masses = [LogMasses(logs(p), logs(q), -math.inf) for p, q in pairs]
    return [
        Composed(
            privacy_loss._in_a_row(
                [privacy_loss._of_masses(m, step, way, splits=True) for m in masses], times
            )
        )
        for way in ("down", "up")
    ]


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 40))]
)
def test_brackets_of_random_pairs_hold_in_fractions(seed):
    source = random.Random(seed)
    number = source.choice((2, 3, 4, 5))
    kinds = [
        (random_law(source, 3), random_law(source, 3)) for _ in range(source.randint(1, number))
    ]
    times = [1] * len(kinds)
    times[0] += number - len(kinds)
    every = [kind for kind, k in zip(kinds, times, strict=True) for _ in range(k)]
    step = source.choice((0.5, 0.1, 0.01, 1e-3))
    both = privacy_loss.bracket([finite(*kind) for kind in kinds], times, step=step)
    lower, upper = split_only(kinds, times, step)
    for eps in EPSILONS:
        one, other = (float(exact_product([kind[::way] for kind in every], eps)) for way in (1, -1))
        assert both.lower.delta(eps) <= max(one, other) * (1.0 + 1e-12)
        assert both.upper.delta(eps) >= max(one, other) * (1.0 - 1e-12)
        assert math.exp(lower.log_delta(eps)) <= one * (1.0 + 1e-12)
        assert math.exp(upper.log_delta(eps)) >= one * (1.0 - 1e-12)


@pytest.mark.parametrize("times", [30, 1000])
def test_the_distance_of_both_ends_is_quadratic_in_the_step(times):
    pair = counting.pair([0.1] * 999)
    widths = []
    for points in (500, 1000, 2000):
        step = 0.105 * math.sqrt(times) / points / max(1.0, math.sqrt(times / 100))
        lower, upper = privacy_loss.bracket([pair], [times], step=step).epsilon(1e-6)
        widths.append(upper - lower)
    assert 3.5 < widths[0] / widths[1] < 4.5
    assert 3.5 < widths[1] / widths[2] < 4.5


@pytest.mark.parametrize(
    ("times", "low", "high"),
    [(30, 2.72052, 2.72055), (1000, 20.9950, 20.9955), (10**4, 105.667, 105.6701)],
)
def test_many_counts_are_bracketed_closely(times, low, high):
    both = privacy_loss.bracket([counting.pair([0.1] * 999)], [times]).epsilon(1e-6)
    assert low < both.lower < both.upper < high


@pytest.mark.slow
@pytest.mark.parametrize(("times", "relative"), [(100, 1e-5), (10**5, 5e-5), (10**6, 2e-3)])
def test_many_responses_agree_with_the_optimum(times, relative):
    both = privacy_loss.bracket([sampling.randomized_response(0.3)], [times]).epsilon(1e-6)
    exact = accounting.optimal(0.3, 0.0, times=times).epsilon(1e-6)
    assert (1.0 - relative) * exact < both.lower <= exact * (1.0 + 1e-12)
    assert exact * (1.0 - 1e-12) <= both.upper < (1.0 + relative / 10) * exact


@pytest.mark.slow
def test_a_thousand_different_responses_agree_with_a_lattice():
    epsilons = np.linspace(0.01, 0.1, 1000)
    pairs = [sampling.randomized_response(eps) for eps in epsilons]
    lattice = accounting.heterogeneous(epsilons, cells=400_000).epsilon(1e-6)
    grid = accounting.heterogeneous(epsilons).epsilon(1e-6)
    both = privacy_loss.bracket(pairs).epsilon(1e-6)
    for found in (both, grid):
        assert lattice.lower < found.lower < found.upper < lattice.upper
        assert found.upper - found.lower < 2e-5 * found.upper
    assert max(both.lower, grid.lower) < min(both.upper, grid.upper)


# --------------------------------------------------------------------------------------------
# Losses that end
# --------------------------------------------------------------------------------------------


def geometric(loss):
    """Two-sided geometric noise on an integer, from masses of up to e^-600."""
    places = np.arange(-int(600 / loss), int(600 / loss) + 1)
    masses = np.exp(-loss * np.abs(places))
    law = Finite(int(places[0]), tuple(masses / masses.sum()))
    return Pair(law.shift(1), law)


def test_beyond_the_largest_losses_there_is_no_delta():
    both = privacy_loss.bracket([geometric(1.0), geometric(0.5)], [3, 2])
    assert 3.999 < both.lower.epsilon(1e-14) <= 4.0 <= both.upper.epsilon(1e-14) < 4.0 + 1e-7
    assert both.upper.epsilon(1e-6) == pytest.approx(3.99999339426, abs=2e-8)
    assert both.upper.delta(4.0) < 1e-8
    assert both.upper.delta(4.0 + 1e-7) < 1e-250


def laplace(scale):
    def log_delta(eps):
        return math.log(-math.expm1((eps - 1.0 / scale) / 2.0)) if eps < 1.0 / scale else -math.inf

    return PrivacyProfile(Formula(log_delta), "exact")


@pytest.mark.slow
def test_losses_from_a_profile_end_where_it_does():
    one, other = (privacy_loss.of_profile(laplace(x), 1e-3, largest=2.0) for x in (1.0, 2.0))
    bound = privacy_loss.compose([(one, 3), (other, 2)])
    assert bound.epsilon(0.0) == pytest.approx(4.0, abs=1e-10)
    assert bound.epsilon(1e-14) <= bound.epsilon(0.0)
    assert bound.delta(4.0 + 1e-10) == 0.0
    ten = privacy_loss.of_profile(laplace(10 / 3), 1e-3, largest=2.0)
    assert privacy_loss.compose([(ten, 10)]).epsilon(0.0) == pytest.approx(3.0, abs=1e-10)


def test_losses_beyond_a_plateau_are_infinite_only():
    response = accounting.optimal(0.5, 0.01, times=1)
    law = privacy_loss.of_profile(response, 0.03, largest=2.0)
    bound = privacy_loss.compose([(law, 4)])
    assert bound.delta(2.0 + 1e-9) == pytest.approx(1.0 - 0.99**4, rel=1e-9)
    exact = accounting.optimal(0.5, 0.01, times=4)
    for eps in (0.0, 0.6, 1.5, 1.99, 2.0):
        assert exact.delta(eps) * (1.0 - 1e-12) <= bound.delta(eps)
