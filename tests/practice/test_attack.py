"""The attacker who is played: on average she gains what the definitions say, and in many rounds."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from pkdp import attack, counting, definitions, mechanisms, noise, thresholding
from pkdp.worlds import World, bits, copied

F = Fraction
ROUNDS = 100_000
# So that a run that is off is off: one interval in a million misses by chance.
SURE = 1 - 1e-6


def rumoured(unknown, known, accuracy):
    """A world of bits, of the last of which she is told, each rumour right with a probability."""
    chances = [*unknown, *known]
    masses = {}
    for database in product((0, 1), repeat=len(chances)):
        mass = math.prod((p if x else 1 - p) for x, p in zip(database, chances, strict=True))
        for told in product((0, 1), repeat=len(known)):
            pairs = zip(told, database[len(unknown) :], strict=True)
            right = math.prod((accuracy if a == b else 1 - accuracy) for a, b in pairs)
            masses[database, told] = mass * right
    return World(masses)


# On average, exactly.

WORLDS = {
    "a threshold": (bits([F(1, 4), F(1, 2), F(1, 3), F(1, 5)], knowledge=[2, 3]), 1),
    "a sum of two is known": (bits([F(1, 4)] * 4, knowledge=lambda d: d[2] + d[3]), 2),
    "rumours": (rumoured([F(1, 4), F(1, 3)], [F(1, 5), F(2, 5)], F(3, 4)), 1),
    "copies": (copied({0: F(2, 3), 1: F(1, 3)}, groups=2), 1),
}


@pytest.mark.parametrize("ratio", [1, F(3, 2), 4])
@pytest.mark.parametrize("name", WORLDS)
def test_over_all_databases_she_gains_the_delta_of_the_definitions(name, ratio):
    world, most_hidden = WORLDS[name]
    for mechanism in (
        mechanisms.make_threshold(most_hidden),
        mechanisms.post_process(mechanisms.total, lambda t: {t: F(3, 4), t + 1: F(1, 4)}),
    ):
        for kind, delta in (("active", definitions.apk_delta), ("passive", definitions.ppk_delta)):
            gains = [
                attack.on_world(
                    world, mechanism, target=0, a=a, b=1 - a, attacker=kind, ratio=ratio, rounds=1
                ).expected
                for a in (0, 1)
            ]
            assert max(gains) == delta(world, mechanism, ratio, targets=[0])
            # At 1 that is the total variation, the same in both directions where none is averaged.
            assert all(isinstance(gain, Fraction) for gain in gains)


UNKNOWN, KNOWN = [F(1, 8), F(1, 2), F(3, 4)], [F(1, 4), F(1, 4)]


@pytest.mark.parametrize("eps", [0.0, 0.4, math.log(3) + 0.01])
@pytest.mark.parametrize("threshold", [None, *range(7)])
@pytest.mark.parametrize("kind", ["passive", "active"])
def test_a_count_is_the_world_of_its_bits(kind, threshold, eps):
    # The target's own probability is no part of what is conditioned on it.
    world = bits([F(1, 2), *UNKNOWN, *KNOWN], knowledge=[4, 5])
    released = mechanisms.total if threshold is None else mechanisms.make_threshold(threshold)
    played = attack.on_count(
        [float(p) for p in UNKNOWN],
        known_probabilities=[float(p) for p in KNOWN],
        attacker=kind,
        threshold=threshold,
        eps=eps,
        rounds=1,
    )
    delta = definitions.ppk_delta if kind == "passive" else definitions.apk_delta
    expected = delta(world, released, F(math.exp(eps)), targets=[0])
    assert played.expected == pytest.approx(float(expected), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("eps", [0.0, 0.5, 2.0])
@pytest.mark.parametrize(("known", "threshold"), [(0, 8), (5, 8), (40, 8), (40, 0), (59, 3)])
def test_she_gains_what_the_bounds_on_thresholds_say(known, threshold, eps):
    n, p = 60, 0.1
    for kind, exact in (("active", thresholding.active), ("passive", thresholding.passive)):
        played = attack.on_count(
            [p] * (n - 1 - known),
            known_probabilities=[p] * known,
            attacker=kind,
            threshold=threshold,
            eps=eps,
            rounds=1,
        )
        bound = exact(n, p, threshold=threshold, known=known).delta(eps)
        assert played.expected == pytest.approx(bound, rel=1e-7, abs=1e-14)


def test_in_the_worst_cases_she_reaches_the_bounds():
    n, lam, geometric = 200, 0.1, noise.Geometric(0.5)
    for eps in (0.05, 0.3):
        vertex = counting.worst_vertex(n, lam, eps=eps).m
        worst = [lam] * vertex + [1 - lam] * (n - 1 - vertex)
        gain = attack.on_count(worst, eps=eps, rounds=1).expected
        assert gain == pytest.approx(counting.worst_case(n, lam).delta(eps), rel=1e-6)
        vertex = noise.worst_vertex(n, lam, noise=geometric, eps=eps).m
        worst = [lam] * vertex + [1 - lam] * (n - 1 - vertex)
        gain = attack.on_count(worst, noise=geometric, eps=eps, rounds=1).expected
        bound = noise.worst_case(n, lam, noise=geometric, tol=1e-8).delta(eps)
        assert gain == pytest.approx(bound, rel=1e-6)


# In many rounds.

SPREAD = np.random.default_rng(1).uniform(0.05, 0.95, 30)
PLAYS = {
    "a count": {"probabilities": [0.1] * 99},
    "different probabilities": {"probabilities": SPREAD},
    "at an epsilon": {"probabilities": [0.1] * 99, "eps": 0.2},
    "a few": {"probabilities": [0.5, 0.5], "eps": 1.0},
    "nobody": {"probabilities": []},
    "certain": {"probabilities": [0.0, 1.0, 1.0]},
    "noise": {"probabilities": [0.1] * 50, "noise": noise.Geometric(0.6)},
    "noise alone": {"probabilities": [], "noise": noise.Geometric(0.6), "eps": 0.3},
    "passive": {"probabilities": [0.2] * 20, "known_probabilities": [0.2] * 20, "threshold": 10},
    "active": {
        "probabilities": [0.2] * 20,
        "known_probabilities": [0.2] * 20,
        "threshold": 10,
        "attacker": "active",
    },
    "active, at an epsilon": {
        "probabilities": SPREAD,
        "known_probabilities": SPREAD,
        "threshold": 33,
        "attacker": "active",
        "eps": 0.3,
    },
    "passive, at an epsilon": {
        "probabilities": SPREAD,
        "known_probabilities": SPREAD,
        "threshold": 33,
        "eps": 0.1,
    },
}


@pytest.mark.parametrize("name", PLAYS)
def test_in_many_rounds_she_does_what_she_does_on_average(name):
    played = attack.on_count(**PLAYS[name], rounds=ROUNDS, seed=7)
    low, high = replace(played, confidence=SURE).interval
    assert low <= played.expected <= high
    # At least as sharp as the roots of so many rounds.
    assert high - low < 4 * 5.5 * math.exp(played.eps) / math.sqrt(ROUNDS)
    assert played == attack.on_count(**PLAYS[name], rounds=ROUNDS, seed=7)
    if played.eps == 0.0:
        assert played.right == pytest.approx(0.5 + played.advantage / 2)


@pytest.mark.parametrize("name", WORLDS)
def test_on_worlds_too(name):
    world, most_hidden = WORLDS[name]
    noisy = mechanisms.post_process(
        mechanisms.make_threshold(most_hidden), lambda t: {t: F(3, 4), "lost": F(1, 4)}
    )
    for kind in ("active", "passive"):
        played = attack.on_world(world, noisy, target=0, a=1, b=0, attacker=kind, ratio=F(5, 4))
        low, high = replace(played, confidence=SURE).interval
        assert low <= played.expected <= high
        assert high - low < 0.05


# The interval.


def test_the_interval_is_that_of_clopper_and_pearson():
    played = attack.Attack(0.5, 1, 1000, hits=600, false_alarms=10, expected=0.5, confidence=0.98)
    hit, alarm = (
        stats.binomtest(number, 1000).proportion_ci(0.99, method="exact") for number in (600, 10)
    )
    assert played.interval == pytest.approx(
        (hit.low - math.exp(0.5) * alarm.high, hit.high - math.exp(0.5) * alarm.low), rel=1e-9
    )


@pytest.mark.parametrize(("p", "q"), [(0.0, 0.0), (1.0, 0.02), (0.4, 0.3), (0.97, 0.9)])
def test_it_holds_as_often_as_it_says(p, q):
    rounds, truth = 30, p - math.exp(0.2) * q
    masses = np.outer(*(stats.binom(rounds, chance).pmf(range(rounds + 1)) for chance in (p, q)))
    held = 0.0
    for hits, alarms in product(range(rounds + 1), repeat=2):
        low, high = attack.Attack(0.2, 1, rounds, hits, alarms, truth, 0.9).interval
        held += masses[hits, alarms] * (low <= truth <= high)
    assert held >= 0.9
