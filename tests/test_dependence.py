"""Counts over dependent records: against whole databases, urns, and what they tend to."""

import math
from fractions import Fraction

import pytest

from pkdp import closed_forms, counting, dependence
from tests import oracles

RATIOS = [Fraction(1), Fraction(5, 4), Fraction(2), Fraction(6)]


@pytest.mark.parametrize(
    ("singles", "number", "size", "own"),
    [(0, 3, 2, 1), (3, 2, 2, 1), (2, 2, 2, 2), (2, 1, 3, 1), (1, 2, 3, 3), (4, 0, 3, 2)],
)
def test_households_agree_with_whole_databases(singles, number, size, own):
    p = Fraction(1, 8)
    others = [{1: p, 0: 1 - p}] * singles + [{size: p, 0: 1 - p}] * number
    profile = dependence.households(singles, number, size, 1 / 8, own)
    for eps in (0.0, 0.5, 2.0):
        truth = oracles.release_delta(own, 0, others, sum, Fraction(math.exp(eps)))
        assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-12)


def test_nobody_in_households_is_a_count_as_ever():
    for eps in (0.0, 0.3, 1.0):
        found = dependence.households(200, 0, 2, 0.1).log_delta(eps)
        assert found == pytest.approx(counting.exact([0.1], [200]).log_delta(eps), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"singles": -1}, "singles must be an integer in 0…1000000, got -1"),
        ({"size": 0}, "size must be an integer in 1…1000000, got 0"),
        ({"own": 0}, "own must be an integer in 1…1000000, got 0"),
        ({"p": 1.5}, r"p must be in \[0, 1\], got 1.5"),
        ({"number": 10**6}, r"singles \+ number·size must be at most 1000000, got 2000003"),
    ],
)
def test_a_bad_argument_of_households_is_named(change, complaint):
    arguments = {"singles": 3, "number": 2, "size": 2, "p": 0.1} | change
    with pytest.raises(ValueError, match=complaint):
        dependence.households(**arguments)


@pytest.mark.parametrize(("yes", "no", "others"), [(0, 0, 4), (3, 1, 5), (2, 9, 12), (0, 5, 0)])
def test_a_learnt_rate_gives_the_law_of_polya_s_urn(yes, no, others):
    # Draw from an urn with a ball for each record seen and one more of either kind; put each back
    # with another like it: the same law, without a rate.
    def count_after(secret):
        law = {0: Fraction(1)}
        ones, zeros = yes + 1 + secret, no + 2 - secret
        for drawn in range(others):
            after = {}
            for k, mass in law.items():
                chance = Fraction(ones + k, ones + zeros + drawn)
                after[k + 1] = after.get(k + 1, 0) + mass * chance
                after[k] = after.get(k, 0) + mass * (1 - chance)
            law = after
        return {k + secret: mass for k, mass in law.items()}

    one, zero = count_after(1), count_after(0)
    profile = dependence.learnt_rate(yes, no, others)
    assert profile.status == "exact"
    for E in RATIOS:
        truth = max(oracles.hockey_stick(one, zero, E), oracles.hockey_stick(zero, one, E))
        assert profile.delta(math.log(E)) == pytest.approx(float(truth), rel=1e-9)


def test_who_has_learnt_from_very_many_faces_independent_records():
    learnt = dependence.learnt_rate(300_000, 700_000, 200)
    independent = counting.exact([0.3], [200])
    for eps in (0.0, 0.2, 0.5):
        assert learnt.delta(eps) == pytest.approx(independent.delta(eps), rel=0.01)
        assert learnt.delta(eps) > independent.delta(eps)


def test_learning_from_as_many_as_are_counted_costs_the_root_of_two():
    # Shift and variance both double, which the Gaussian limit turns into a root.
    n = 100_000
    independent = counting.exact([0.3], [n])
    for delta in (1e-4, 1e-6):
        learnt = dependence.learnt_rate(3 * n // 10, 7 * n // 10, n).epsilon(delta)
        root = closed_forms.log_gaussian(math.sqrt(2) / math.sqrt(0.21 * n), learnt)
        assert root == pytest.approx(math.log(delta), rel=0.01)
        assert 1.41 < learnt / independent.epsilon(delta) < 1.6


@pytest.mark.parametrize("bad", [-1, 10**6 + 1])
@pytest.mark.parametrize("name", ["yes", "no", "others"])
def test_a_bad_number_seen_or_counted_is_named(name, bad):
    numbers = {"yes": 1, "no": 1, "others": 1, name: bad}
    with pytest.raises(ValueError, match=rf"{name} must be an integer in 0…1000000, got {bad}"):
        dependence.learnt_rate(**numbers)
