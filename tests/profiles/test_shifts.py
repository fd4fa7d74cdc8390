"""A count against its shift by more than one, against sums of all its masses that matter."""

import math

import mpmath
import numpy as np
import pytest

from pkdp.profiles import Pair
from pkdp.profiles.laws import PoissonBinomial, binomial
from pkdp.profiles.pairs import log_excess


def log_delta(n: int, p: float, by: int, eps: float, side: int) -> float:
    """``ln Σ_{i ≥ j} (s_i - E·s_{i+by})`` with 40 digits, S binomial; of n - S for side -1."""
    with mpmath.workdps(40):
        q = mpmath.mpf(p) if side == 1 else 1 - mpmath.mpf(p)
        ratio, odds = mpmath.exp(mpmath.mpf(eps)), q / (1 - q)

        def log_mass(i: int) -> mpmath.mpf:
            choose = mpmath.loggamma(n + 1) - mpmath.loggamma(i + 1) - mpmath.loggamma(n - i + 1)
            return choose + i * mpmath.log(q) + (n - i) * mpmath.log(1 - q)

        low, high = -1, n - by + 1
        while high - low > 1:
            middle = (low + high) // 2
            if log_mass(middle) - log_mass(middle + by) >= eps:
                high = middle
            else:
                low = middle
        scale = log_mass(high)
        one, total = mpmath.mpf(1), mpmath.mpf(0)
        other = mpmath.exp(log_mass(high + by) - scale) if high + by <= n else mpmath.mpf(0)
        for i in range(high, n + 1):
            total += one - ratio * other
            if one < mpmath.mpf(10) ** -20 * total:
                break
            one *= odds * (n - i) / (i + 1)
            other *= odds * max(0, n - i - by) / (i + by + 1)
        return float(scale + mpmath.log(total))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p", "by", "eps"),
    [
        (10**6, 0.3, 1000, 0.0),
        (10**6, 0.3, 1000, 0.1),
        (10**6, 0.3, 2, 0.05),
        (10**6, 0.3, 3, 1.0),
        (10**6, 0.5, 700, 10.0),
        (10**6, 0.5, 1400, 1.0),  # on either side of what overlaps
        (10**6, 0.5, 1600, 1.0),
        (10**6, 0.5, 2000, 3.0),
        (10**6, 0.9, 7, 20.0),
        (10**6, 0.9, 7, 60.0),  # next to the largest outcome
        (10**6, 0.9, 7, 95.0),
        (10**6, 0.3, 1000, 5000.0),
        (10**6, 0.3, 1000, 15000.0),  # beyond all losses
        (10**8, 0.3, 1000, 2.0),
        (10**8, 0.01, 2, 0.01),
    ],
)
def test_shifted_counts_agree_with_forty_digits(n, p, by, eps):
    count = binomial(n, p)
    pair = Pair(count.shift(by), count)
    for side, way in ((1, pair), (-1, pair.reversed())):
        truth = log_delta(n, p, by, eps, side)
        assert way.log_hockey_stick(eps) == pytest.approx(truth, rel=1e-12, abs=1e-12)
    lower, upper = pair.profile().bounds(eps)
    truth = max(log_delta(n, p, by, eps, side) for side in (1, -1))
    assert lower <= truth <= upper


def test_shifts_of_different_records_agree_with_their_masses():
    rng = np.random.default_rng(2)
    count = PoissonBinomial(rng.uniform(0.2, 0.7, 60_000))
    first, last = count.span(-600.0)
    logs = count.log_pmf(first, last)
    for by in (2, 15, 300, 900):
        pair = Pair(count.shift(by), count)
        gap = np.full(by, -math.inf)
        p, q = np.concatenate([gap, logs]), np.concatenate([logs, gap])
        for eps in (0.0, 0.01, 0.4):
            for way, masses in ((pair, (p, q)), (pair.reversed(), (q, p))):
                truth = log_excess(*masses, eps)
                if truth > -300.0:
                    assert way.log_hockey_stick(eps) == pytest.approx(truth, rel=1e-9, abs=1e-9)


def test_an_epsilon_of_a_group_in_ten_billion_records():
    n = 10**10
    profile = Pair(binomial(n, 0.3).shift(1000), binomial(n, 0.3)).profile()
    # Nearly that of two normal laws, 1000 apart.
    mu = 1000 / math.sqrt(0.21 * n)
    eps = profile.epsilon(1e-6)
    normal = 0.5 * math.erfc((eps / mu - mu / 2) / math.sqrt(2))
    normal -= math.exp(eps) * 0.5 * math.erfc((eps / mu + mu / 2) / math.sqrt(2))
    assert normal == pytest.approx(1e-6, rel=1e-3)
    assert profile.delta(eps) <= 1e-6 < profile.delta(eps * (1 - 1e-11))


def test_equal_counts_are_one_count():
    one, other = binomial(10**6, 0.3), binomial(10**6, 0.3)
    assert Pair(one.shift(1), other).shift == 1
    for by in (1, 7):
        values = [Pair(one.shift(by), law).profile().log_delta(0.01) for law in (one, other)]
        assert values[0] == values[1]


def test_a_shift_beyond_all_outcomes_tells_everything():
    count = binomial(10**5, 0.5)
    assert Pair(count.shift(10**5 + 1), count).profile().delta(5.0) == 1.0
    assert Pair(count.shift(10**5), count).profile().delta(5.0) == 1.0
