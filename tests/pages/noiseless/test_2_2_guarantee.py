"""Section 2.2, continued: groups whose sum varies least, and what the owner of the data does."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from pkdp.noiseless.adversaries import Adversary, peaked_group, worst_case
from pkdp.noiseless.known_values import known_delta
from pkdp.noiseless.release import decide
from tests.oracles.groups import bit

pytestmark = pytest.mark.page

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(3), math.inf]


# Groups whose sum varies least.


def patterns(size, lam):
    """The vertices of the laws of a group's sum: each step is as large or as small as it may be."""
    a = (1 - lam) / lam
    for steps in product((True, False), repeat=size):
        masses = [Fraction(1)]
        for k, rises in enumerate(steps):
            masses.append(masses[-1] * Fraction(size - k, k + 1) * (a if rises else 1 / a))
        total = sum(masses)
        yield steps, [mass / total for mass in masses]


def mean_of(values, law):
    return sum(value * mass for value, mass in zip(values, law, strict=True))


def variance_of(law):
    mean = mean_of(range(len(law)), law)
    return mean_of([(k - mean) ** 2 for k in range(len(law))], law)


@pytest.mark.parametrize("lam", [Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_no_group_is_more_concentrated_than_a_peaked_one(size, lam):
    laws = list(patterns(size, lam))
    peaked = [law for steps, law in laws if list(steps) == sorted(steps, reverse=True)]
    assert len(peaked) == size + 1
    for peak, law in enumerate(sorted(peaked, reverse=True)):
        sums_of_group = Counter()
        for bits, mass in peaked_group(lam, size, peak).items():
            sums_of_group[sum(bits)] += mass
        assert [sums_of_group[k] for k in range(size + 1)] == law
    # What first falls and then rises has its least mean under a peaked law.
    source = random.Random(size)
    for _ in range(25):
        lowest, values = source.randint(0, size), [0] * (size + 1)
        for k in range(lowest - 1, -1, -1):
            values[k] = values[k + 1] + source.choice((0, 1, 2, 5))
        for k in range(lowest + 1, size + 1):
            values[k] = values[k - 1] + source.choice((0, 1, 2, 5))
        least = min(mean_of(values, law) for _, law in laws)
        assert least == min(mean_of(values, law) for law in peaked)
    # So the variance has, which lies between that of one free bit and that of so many.
    bits = min(variance_of(law) for _, law in laws) / (lam * (1 - lam))
    assert bits == min(map(variance_of, peaked)) / (lam * (1 - lam))
    assert 1 <= bits <= min(size, 2 / (1 - 2 * lam) ** 2)
    assert size != 2 or bits == 1 / (1 - lam)


# What to do.


def test_the_procedure_on_three_cases():
    city, school, village = (
        decide(n, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6, most_noise=3)
        for n in (10_000, 1_000, 100)
    )
    assert (city.action, school.action) == ("release exactly", "add noise")
    assert city.epsilon < 0.26
    assert 2.7 < school.deviation < 2.8
    assert village.action == "add noise"
    # Noise that all others are known to costs hardly more.
    alone = decide(1_000, 0.1, Adversary(0.999), eps=0.5, delta=1e-6)
    assert school.deviation < alone.deviation < 1.02 * school.deviation
    refused = decide(100, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6, most_noise=2)
    assert refused.action == "refuse"
    assert refused.noise is None


@pytest.mark.parametrize("lam", [Fraction(1, 10), Fraction(2, 5)])
def test_a_target_of_any_law_attains_the_bound_where_nobody_depends_on_others(lam):
    # Its bit is 1 for certain, and removed.
    for ratio in RATIOS[:-1]:
        worst = max(
            known_delta(
                [bit(1), *[bit(lam)] * low, *[bit(1 - lam)] * (5 - low)], (0, 0), [], ratio,
                inserted=[],
            )
            for low in range(6)
        )  # fmt: skip
        bound = worst_case(6, float(lam), Adversary(0)).delta(math.log(ratio))
        assert float(worst) == pytest.approx(bound, rel=1e-9)
