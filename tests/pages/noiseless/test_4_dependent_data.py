"""Section 4: what dependence does to two notions, in exact numbers and in the limit."""

import math
import random
from fractions import Fraction as F
from itertools import pairwise, product

import numpy as np
import pytest

from pkdp import counting
from pkdp.figures.noiseless import families
from pkdp.noiseless import chains, noiseless_privacy

pytestmark = pytest.mark.page


def moments(law):
    """Of a joint law of bits: the means, the covariances, and those of the sum given each bit."""
    n = len(next(iter(law)))
    means = [sum(mass for x, mass in law.items() if x[i]) for i in range(n)]
    both = [
        [sum(mass for x, mass in law.items() if x[i] and x[j]) for j in range(n)] for i in range(n)
    ]
    covariances = [[both[i][j] - means[i] * means[j] for j in range(n)] for i in range(n)]
    given = [
        [
            sum(mass * sum(x) for x, mass in law.items() if x[i] == bit)
            / sum(mass for x, mass in law.items() if x[i] == bit)
            for bit in (0, 1)
        ]
        for i in range(n)
    ]
    return means, covariances, given


def variance_of_sum(law):
    mean = sum(mass * sum(x) for x, mass in law.items())
    return sum(mass * (sum(x) - mean) ** 2 for x, mass in law.items())


def random_law(source, n):
    while True:
        weights = [source.choice((0, 0, 1, 2, 5)) for _ in range(2**n)]
        law = dict(zip(product((0, 1), repeat=n), weights, strict=True))
        total = sum(weights)
        if total and all(0 < sum(w for x, w in law.items() if x[i]) < total for i in range(n)):
            return {x: F(w, total) for x, w in law.items() if w}


def chain_law(n, p, rho):
    """The joint law of a stationary chain."""
    after = {0: p * (1 - rho), 1: p + rho * (1 - p)}
    law = {}
    for x in product((0, 1), repeat=n):
        mass = p if x[0] else 1 - p
        for a, b in pairwise(x):
            mass *= after[a] if b else 1 - after[a]
        law[x] = mass
    return law


def test_the_pull_is_the_signal_and_its_mean_the_excess_of_variance():
    source = random.Random(4)
    for _ in range(200):
        law = random_law(source, source.randint(1, 4))
        _, covariances, given = moments(law)
        pulls = [sum(row) / row[i] for i, row in enumerate(covariances)]
        assert [one - zero for zero, one in given] == pulls
        assert variance_of_sum(law) == sum(
            pull * row[i] for i, (pull, row) in enumerate(zip(pulls, covariances, strict=True))
        )


def test_pulls_of_groups_and_chains():
    for size, rho, p in product((1, 2, 3, 5), (F(0), F(1, 5), F(1)), (F(1, 2), F(1, 7))):
        law = families.alike(size, rho, p)
        assert sum(law.values()) == 1
        means, covariances, _ = moments(law)
        assert set(means) == {p}
        assert {sum(row) / (p - p * p) for row in covariances} == {1 + (size - 1) * rho}
    n, p, rho = 7, F(1, 4), F(1, 2)
    _, covariances, _ = moments(chain_law(n, p, rho))
    for i, row in enumerate(covariances):
        assert row == [rho ** abs(i - j) * p * (1 - p) for j in range(n)]
    # Far from both ends it is 1 + 2(ρ + ρ² + …); at an end 1/(1 - ρ).
    assert float(1 + 2 * sum(rho**d for d in range(1, 60))) == float((1 + rho) / (1 - rho))


def g(size, eps, variance=0.25):
    """The limit of n independent records."""
    root = math.sqrt(size * variance)
    t = eps * root
    density = math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    return (density - t * math.erfc(t / math.sqrt(2)) / 2) / root


@pytest.mark.parametrize(("p", "rho"), [(0.5, 0.6), (0.2, 0.5), (0.5, -0.6), (0.3, -0.3)])
def test_a_chain_is_worth_r_times_its_records_or_one_rth(p, rho):
    n, r = 10**6, (1 + rho) / (1 - rho)
    for c in (0.0, 1.0, 3.0):
        eps = c / math.sqrt(n)
        assert chains.causal(n, p, rho).delta(eps) == pytest.approx(
            g(n * r, eps, p - p * p), rel=0.03
        )
        found = chains.conditional(n, p, rho)
        assert found.delta(eps) == pytest.approx(g(n / r, eps, p - p * p), rel=0.03)
    # At an end: 1 - ρ² times the records.
    end = chains.conditional(n, p, rho, position=1)
    assert end.delta(0.0) == pytest.approx(g(n * (1 - rho**2), 0.0, p - p * p), rel=0.03)


@pytest.mark.parametrize(
    "group",
    [
        families.alike(4, F(1, 5)),
        families.alike(3, F(1, 2), F(1, 7)),
        families.alike(2, F(-1, 2)),
        # Sums 0, 1 and 3, and never 2.
        {(0, 0, 0): F(1, 2), (1, 1, 1): F(1, 4), (1, 0, 0): F(1, 12), (0, 1, 0): F(1, 12),
         (0, 0, 1): F(1, 12)},
    ],
)  # fmt: skip
def test_groups_are_worth_r_times_their_records_or_one_rth(group):
    means, covariances, _ = moments(group)
    p, r = float(means[0]), float(sum(covariances[0]) / covariances[0][0])
    m = 10**5
    n = m * len(means)
    comes, given = (
        f([(group, m)], (0, 0))
        for f in (noiseless_privacy.add_or_remove, noiseless_privacy.conditional)
    )
    for c in (0.0, 2.0):
        eps = c / math.sqrt(n)
        assert comes.delta(eps) == pytest.approx(g(n * r, eps, p - p * p), rel=0.02)
        assert given.delta(eps) == pytest.approx(g(n / r, eps, p - p * p), rel=0.02)


def test_a_bound_on_two_steps_of_a_chain():
    # |a + bz| ≤ a + b - ab/(a + b)·(1 - cos θ), so rows of M(z)² sum to less than 1 but at z = 1.
    theta = np.linspace(-np.pi, np.pi, 201)
    for p, rho in ((0.5, 0.9), (0.1, 0.5), (0.5, -0.9), (0.8, -0.2)):
        alpha, beta = p * (1 - rho), p + rho * (1 - p)
        terms = [
            [((1 - alpha) ** 2, alpha * (1 - beta)), ((1 - alpha) * alpha, alpha * beta)],
            [((1 - beta) * (1 - alpha), beta * (1 - beta)), ((1 - beta) * alpha, beta**2)],
        ]
        for row in terms:
            sums = sum(np.abs(a + b * np.exp(1j * theta)) for a, b in row)
            kappa = sum(a * b / (a + b) for a, b in row)
            assert (sums <= 1 - kappa * (1 - np.cos(theta)) + 1e-12).all()
        M = [np.array([[1 - alpha, alpha * z], [1 - beta, beta * z]]) for z in np.exp(1j * theta)]
        for x, z in zip(M, np.exp(1j * theta), strict=True):
            square = [[a + b * z for a, b in row] for row in terms]
            assert np.allclose(np.abs(x @ x), np.abs(square))


def test_parity_gives_pairs_away_that_are_too_much_alike():
    for m, rho in product((1, 2, 5), (F(1), F(9, 10), F(1, 2), F(-1, 2), F(-9, 10), F(-1))):
        pair = families.alike(2, rho)
        even = F(1)
        for _ in range(m):
            even = even * (1 + rho) / 2 + (1 - even) * (1 - rho) / 2
        assert max(even, 1 - even) == (1 + abs(rho) ** m) / 2
        profile = noiseless_privacy.add_or_remove([(pair, m)], (0, 0))
        for eps in (0.0, 0.5, 2.0, 10.0):
            bound = (1 + abs(rho) ** m) / 2 - math.exp(eps) * (1 - abs(rho) ** m) / 2
            assert profile.delta(eps) >= float(bound) * (1 - 1e-12)
    assert (
        noiseless_privacy.add_or_remove([(families.alike(2, 1), 1000)], (0, 0)).delta(50.0) == 1.0
    )


def test_opposites_make_the_total_a_constant():
    pairs = [(families.alike(2, -1), 50)]
    assert noiseless_privacy.add_or_remove(pairs, (0, 0)).delta(50.0) == 1.0
    assert noiseless_privacy.conditional(pairs, (0, 0)).delta(0.0) == 0.0


def test_more_likeness_helps_by_definition_3_until_it_does_not():
    eps = [
        noiseless_privacy.add_or_remove([(families.alike(2, F(k, 1000)), 1000)], (0, 0)).epsilon(
            1e-6
        )
        for k in (0, 900, 990, 997, 999)
    ]
    assert eps[0] > eps[1] > eps[2] < eps[3] < eps[4]


def test_to_assume_independence_errs_on_both_sides():
    n, delta = 10**4, 1e-6
    alone = counting.exact([0.5], multiplicities=[n - 1]).epsilon(delta)
    for rho in (-0.6, 0.6):
        comes = chains.causal(n, 0.5, rho).epsilon(delta)
        given = chains.conditional(n, 0.5, rho).epsilon(delta)
        assert (comes < alone < given) if rho > 0 else (given < alone < comes)
    for size in (2, 3):
        comes, alone, given = (
            profile("Guatemala", size).epsilon(delta)
            for profile in (families.definition_3, families.independent, families.conditional)
        )
        assert comes < alone < given


def test_runs_give_the_law_of_a_row():
    alpha, gamma, m = F(1, 5), F(1, 10), 7

    def chance(j, n, q):
        return math.comb(n, j) * q**j * (1 - q) ** (n - j) if j <= n else 0

    law = [F(0)] * (m + 1)
    for x in product((0, 1), repeat=m):
        mass = F(1)
        for a, b in pairwise((1, *x)):
            up = 1 - gamma if a else alpha
            mass *= up if b else 1 - up
        law[sum(x)] += mass
    for k in range(m):
        assert law[k] == sum(
            chance(j, m - k - 1, alpha)
            * (gamma * chance(j, k, gamma) + alpha * chance(j + 1, k, gamma))
            for j in range(k + 1)
        )
    assert law[m] == (1 - gamma) ** m


def test_invented_families_are_refused_where_they_are_none():
    for arguments, message in (
        ((0, F(1, 2)), "size must be an integer in 1…16, got 0"),
        ((17, F(1, 2)), "size must be an integer in 1…16, got 17"),
        ((2, F(3, 2)), r"correlation must be in \[-1, 1\] here, got"),
        ((3, F(-1, 2)), r"correlation must be in \[-1/3, 1\] here, got"),
        ((2, F(1, 2), F(1)), r"p must be in \(0, 1\), got"),
        ((2, F(1, 2), F(3, 2)), r"p must be in \[0, 1\], got"),
    ):
        with pytest.raises(ValueError, match=message):
            families.alike(*arguments)
    for arguments in ((2.0, F(1, 2)), (2, 0.5), (2, F(1, 2), 0.5)):
        with pytest.raises(TypeError, match="must be"):
            families.alike(*arguments)
    assert families.alike(3, F(-1, 3))[0, 0, 0] == 0
    assert families.alike(1, F(-1, 3)) == families.alike(1, 0)


def test_the_largest_family_is_not_always_the_most_exposed():
    def alike(size, rho):
        law = dict.fromkeys(product((0, 1), repeat=size), (1 - rho) / 2**size)
        return law | {x: law[x] + rho / 2 for x in ((0,) * size, (1,) * size)}

    groups = [(alike(2, F(9, 10)), 10), (alike(4, F(1, 10)), 5)]
    of_two, of_four = (noiseless_privacy.conditional(groups, (i, 0)).delta(0.0) for i in (0, 1))
    assert of_two == pytest.approx(0.19001, abs=5e-6)
    assert of_four == pytest.approx(0.12874, abs=5e-6)
