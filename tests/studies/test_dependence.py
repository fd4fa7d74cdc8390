"""Counts over dependent records: against whole databases, urns, and what they tend to."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from pkdp.partial_knowledge import dependence
from tests.oracles import counts as oracles

FAR = -620.0  # of ln δ - ε: as far as the profiles promise to be exact
RATIOS = [Fraction(1), Fraction(5, 4), Fraction(2), Fraction(6)]


@pytest.mark.parametrize(
    ("singles", "number", "size", "own"),
    [(0, 3, 2, 1), (3, 2, 2, 1), (2, 2, 2, 2), (2, 1, 3, 1), (1, 2, 3, 3), (4, 0, 3, 2)],
)
def test_households_agree_with_whole_databases(singles, number, size, own):
    p = Fraction(1, 8)
    others = [{1: p, 0: 1 - p}] * singles + [{size: p, 0: 1 - p}] * number
    profile = dependence.households(singles, number, size=size, p=1 / 8, own=own)
    for eps in (0.0, 0.5, 2.0):
        truth = oracles.release_delta(own, 0, others, sum, Fraction(math.exp(eps)))
        assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-12)


def masses_by_ratios(ratios, first=0):
    """Balls around the masses of a law, from the ratios of each to the one before."""
    masses = [arb(1)]
    for numerator, denominator in ratios:
        masses.append(masses[-1] * numerator / denominator)
    total = sum(masses, arb(0))
    return {first + k: mass / total for k, mass in enumerate(masses)}


def binomial_masses(trials, p, first=0):
    odds = arb(p) / (1 - arb(p))
    return masses_by_ratios([(odds * (trials - k), k + 1) for k in range(trials)], first)


def polya_masses(ones, zeros, draws, first=0):
    """Balls around the law of the ones in so many draws from Pólya's urn."""
    return masses_by_ratios(
        [((draws - k) * (ones + k), (k + 1) * (zeros + draws - k - 1)) for k in range(draws)],
        first,
    )


def log_delta(one, zero, eps):
    """The larger direction of a pair of laws of balls."""
    if math.isinf(eps):
        gains = [[one[k] for k in one.keys() - zero], [zero[k] for k in zero.keys() - one]]
    else:
        E = arb(eps).exp()
        gains = [
            [p.get(k, arb(0)) - E * q.get(k, arb(0)) for k in p]
            for p, q in ((one, zero), (zero, one))
        ]
    return max(
        float(sum((gain for gain in side if gain > 0), arb(0)).log()) for side in gains if side
    )


def is_exact_or_above(profile, one, zero, eps):
    """Assert what a profile promises at an ε; return whether it promises to be exact there."""
    truth, found = log_delta(one, zero, eps), profile.log_delta(eps)
    assert found >= truth - 1e-9 * max(1.0, abs(truth))
    exact = truth >= eps + FAR
    if exact:
        assert found == pytest.approx(truth, rel=1e-9, abs=1e-9)
    return exact


@pytest.mark.parametrize(
    ("singles", "p", "own"), [(10**4, 0.3, 1), (3000, 0.1, 40), (2000, 0.5, 900), (3, 1e-150, 1)]
)
def test_far_tails_of_households_are_exact_or_upper(singles, p, own):
    profile = dependence.households(singles, 0, size=1, p=p, own=own)
    one, zero = binomial_masses(singles, p, own), binomial_masses(singles, p)
    grid = [0.0, 0.5, *np.linspace(0.8, 1.0, 11), 2.0, 30.0, 300.0, 500.0, 700.0, 799.0, math.inf]
    exact = [is_exact_or_above(profile, one, zero, eps) for eps in grid]
    assert exact[0]
    assert not exact[-1]
    found = profile.log_delta(grid)
    assert (np.diff(found) <= 0).all()
    assert found.min() >= -650


def test_far_tails_of_a_learnt_rate_are_exact_or_upper():
    profile = dependence.learnt_rate(9000, 21_000, others=10_000)
    one, zero = polya_masses(9002, 21_001, 10_000, 1), polya_masses(9001, 21_002, 10_000)
    exact = [
        is_exact_or_above(profile, one, zero, eps)
        for eps in (0.0, 0.3, 0.6, 0.7, 0.8, 0.85, 0.9, 1.0, 5.0, math.inf)
    ]
    assert 3 <= sum(exact) <= 8


@pytest.mark.parametrize(("singles", "number", "size"), [(700, 300, 2), (40, 60, 7), (3, 50, 9)])
def test_many_households_agree_with_the_convolution_in_balls(singles, number, size):
    alone, together = binomial_masses(singles, 0.3), binomial_masses(number, 0.3)
    zero = {}
    for j, a in alone.items():
        for k, b in together.items():
            zero[j + size * k] = zero.get(j + size * k, arb(0)) + a * b
    one = {k + 1: mass for k, mass in zero.items()}
    profile = dependence.households(singles, number, size=size, p=0.3)
    assert all(is_exact_or_above(profile, one, zero, eps) for eps in (0.0, 0.2, 0.5, 1.0))


@pytest.mark.parametrize("p", [0.3, 1e-5])
def test_masses_too_small_for_floats_are_not_convolved(monkeypatch, p):
    # About 75 standard deviations of either law are left; all of both would cost minutes.
    products = []
    convolve = np.convolve

    def counted(a, b):
        products.append(a.size * b.size)
        return convolve(a, b)

    monkeypatch.setattr(np, "convolve", counted)
    dependence.households(50_000, 25_000, size=2, p=p)
    most = 80**2 * math.sqrt(50_000 * 25_000) * 0.3 * 0.7
    assert 0 < sum(products) < most


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
    profile = dependence.learnt_rate(yes, no, others=others)
    assert profile.status == "exact"
    for E in RATIOS:
        truth = max(oracles.hockey_stick(one, zero, E), oracles.hockey_stick(zero, one, E))
        assert profile.delta(math.log(E)) == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("yes", "no", "others"), [(10**5, 10**5, 10**5), (10**5, 3 * 10**5, 10**5)]
)
def test_a_rate_learnt_from_very_many_keeps_its_digits(yes, no, others):
    one, zero = polya_masses(yes + 2, no + 1, others, 1), polya_masses(yes + 1, no + 2, others)
    found = dependence.learnt_rate(yes, no, others=others).log_delta(0.03)
    assert found == pytest.approx(log_delta(one, zero, 0.03), rel=1e-11)
