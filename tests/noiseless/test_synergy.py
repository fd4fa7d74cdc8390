"""The least noise beside uncertain records, and noise that users share."""

import math

import numpy as np
import pytest

from pkdp import counting, noise
from pkdp.noiseless import gaussian_noise, synergy


def ratio_of(deviation):
    """The ratio p of geometric noise of this deviation: 2p = d²(1 - p)²."""
    half = 1 + 1 / deviation**2
    return half - math.sqrt(half**2 - 1)


@pytest.mark.parametrize(
    ("m", "geometric", "gaussian"),
    [(0, 4.70, 12.99), (1000, 4.55, 9.61), (2000, 2.99, 3.97), (2500, 0.0, 0.0)],
)
def test_the_least_noise_is_enough_and_a_little_less_is_not(m, geometric, gaussian):
    count, eps, delta = counting.pair([0.1], multiplicities=[m]), 0.3, 1e-6
    found = synergy.least_geometric(m, 0.1, eps, delta)
    assert round(found, 2) == geometric
    if found:
        for part, enough in ((1.0, True), (1 - 1e-6, False)):
            added = noise.add(count, noise.Geometric(ratio_of(found * part)))
            assert (added.profile().delta(eps) <= delta) == enough
    found = synergy.least_gaussian(m, 0.1, eps, delta)
    assert round(found, 2) == gaussian
    if found:
        for part, enough in ((1.0, True), (1 - 1e-6, False)):
            added = gaussian_noise.add(count, found * part)
            assert (added.profile().delta(eps) <= delta) == enough
    assert (count.profile().delta(eps) <= delta) == (m == 2500)


def test_the_least_number_of_records_is_enough_and_one_less_is_not():
    for p, eps, delta in ((0.1, 0.3, 1e-6), (0.5, 1.0, 1e-9), (0.5, 0.3, 0.05), (0.01, 2.0, 1e-3)):
        found = synergy.least_records(p, eps, delta)
        assert counting.exact([p], multiplicities=[found]).delta(eps) <= delta
        assert counting.exact([p], multiplicities=[found - 1]).delta(eps) > delta
        for least in (synergy.least_geometric, synergy.least_gaussian):
            assert least(found, p, eps, delta) == 0 < least(found - 1, p, eps, delta)
    assert synergy.least_records(0.5, 0.5, 1.0) == 0
    with pytest.raises(ValueError, match=r"p must be one for which 1000000000 unknown bits"):
        synergy.least_records(0, 0.5, 0.1)


def test_a_deviation_has_one_ratio():
    for deviation in (1e-6, 0.3, 4.0, 1e7):
        p = synergy.geometric_ratio(deviation)
        assert synergy.geometric_deviation(p) == pytest.approx(deviation, rel=1e-8)
        if deviation in (0.3, 4.0):
            assert p == pytest.approx(ratio_of(deviation), rel=1e-12)


def test_easy_and_hard_demands():
    assert synergy.least_geometric(0, 0.5, 0.5, 1.0) == 0
    assert synergy.least_gaussian(0, 0.5, 0.5, 1.0) == 0
    # δ = 1e-300 is nearly pure: the ratio is e^{-ε}.
    pure = synergy.geometric_deviation(math.exp(-0.3))
    assert synergy.least_geometric(0, 0.1, 0.3, 1e-300) == pytest.approx(pure, rel=1e-6)
    with pytest.raises(ValueError, match="delta must be one for which"):
        synergy.least_gaussian(0, 0.1, 1e-6, 1e-300)


@pytest.mark.parametrize(("p", "users"), [(0.5, 3), (0.9, 7)])
def test_shares_sum_to_geometric_noise(p, users):
    most = 600
    half = synergy.share_masses(p, users, most=most)
    total = np.ones(1)
    for _ in range(users):
        total = np.convolve(total, half)[: most + 1]
    np.testing.assert_allclose(total, (1 - p) * p ** np.arange(most + 1), rtol=1e-10)
    # One such less another is two-sided geometric noise.
    both = np.convolve(total, total[::-1])[most : most + 50]
    np.testing.assert_allclose(both, (1 - p) / (1 + p) * p ** np.arange(50), rtol=1e-10)
    k = np.arange(most + 1)
    variance = 2 * users * float(half @ k**2 - (half @ k) ** 2)
    assert variance == pytest.approx(synergy.geometric_deviation(p) ** 2, rel=1e-9)
    assert synergy.share_masses(0, users, most=2).tolist() == [1, 0, 0]


def test_compromised_users_cost_a_root():
    for gamma in (0.0, 0.5, 0.99):
        total = synergy.deviation_of_shares(0.7, compromised=gamma)
        assert total == pytest.approx(synergy.geometric_deviation(0.7) / math.sqrt(1 - gamma))
