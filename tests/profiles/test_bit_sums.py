"""Sums of bits: masses of many that are nearly certain, against all their deviations."""

import math

import mpmath
import numpy as np
import pytest

from pkdp import counting
from pkdp.profiles import _bit_sums
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.pairs import Pair

MOST = 200  # more deviations than matter


def deviations(chances: list[float], rest: bool) -> list[mpmath.mpf]:
    """Probabilities of 0, 1, … deviations of bits that have these chances, or their rest."""
    law = [mpmath.mpf(1)]
    for chance in chances:
        p = 1 - mpmath.mpf(chance) if rest else mpmath.mpf(chance)
        longer = [x * (1 - p) for x in law] + [mpmath.mpf(0)]
        for k, x in enumerate(law):
            longer[k + 1] += x * p
        law = longer[: MOST + 1]
    return law


def law_of(p: np.ndarray) -> dict[int, mpmath.mpf]:
    ones, zeros = p[p < 0.5].tolist(), p[p >= 0.5].tolist()
    law: dict[int, mpmath.mpf] = {}
    with mpmath.workdps(60):
        up, down = deviations(ones, rest=False), deviations(zeros, rest=True)
        for i, x in enumerate(up):
            for j, y in enumerate(down):
                k = len(zeros) + i - j
                law[k] = law.get(k, mpmath.mpf(0)) + x * y
    return law


def log_delta(law: dict[int, mpmath.mpf], eps: float) -> float:
    with mpmath.workdps(60):
        ratio, zero = mpmath.exp(mpmath.mpf(eps)), mpmath.mpf(0)
        sums = [
            mpmath.fsum(
                max(zero, law[k - side] - ratio * law[k])
                for k in range(min(law) + 1, max(law))  # neither end is one of all bits
            )
            for side in (1, -1)
        ]
        return float(mpmath.log(max(sums)))


def records(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    p = {
        "alike": rng.uniform(0, 1e-9, n),
        "apart": 10.0 ** rng.uniform(-12, -3, n),
        "few large": np.append(rng.uniform(0, 1e-6, n - 3), [0.01, 0.1, 0.2]),
        "in steps": np.repeat(10.0 ** rng.uniform(-9, -4, 700), -(-n // 700))[:n],
        "geometric": 0.5 * 0.97 ** np.arange(n),
    }[kind]
    turned = rng.random(n) < 0.4
    p[turned] = 1.0 - p[turned]
    return np.unique(p) if kind != "in steps" else p


KINDS = ["alike", "apart", "few large", "in steps", "geometric"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nearly_certain_records_agree_with_all_deviations(kind):
    p = records(kind, 1500)
    law, count = law_of(p), PoissonBinomial(p)
    assert np.unique(p).size > 512
    centre = round(count.mean)
    logs = count.log_pmf(centre - 6, centre + 6)
    for k, log in enumerate(logs.tolist(), start=centre - 6):
        truth = float(mpmath.log(law[k]))
        assert log == pytest.approx(truth, rel=1e-12, abs=1e-12)
    profile = counting.exact(p)
    for eps in (0.0, 0.1, 1.0, 3.0, 8.0):
        truth = log_delta(law, eps)
        assert profile.log_delta(eps) == pytest.approx(truth, rel=1e-12, abs=1e-12)
    for level in (-0.5, -3.0, -20.0, -60.0):
        eps = profile.epsilon(log_delta=level)
        if 0.0 < eps < 15.0:
            assert log_delta(law, eps) <= level + 1e-11 * max(1.0, -level)
            assert log_delta(law, eps * (1 - 1e-9)) > level


@pytest.mark.parametrize("n", [10**4, 10**6])
@pytest.mark.parametrize("eps", [0.0, 0.7, 4.0])
def test_many_of_a_hair_are_nearly_poisson(n, eps):
    # A sum of bits of mean m is within the sum of squares of a Poisson count of that mean.
    p = np.random.default_rng(n).uniform(0, 1e-9, n)
    mean, off = math.fsum(p), math.fsum(p * p)
    masses = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(20)]
    ratio = math.exp(eps)
    forth = math.fsum(
        max(0.0, a - ratio * b) for a, b in zip([0, *masses], [*masses, 0], strict=True)
    )
    back = math.fsum(
        max(0.0, a - ratio * b) for a, b in zip([*masses, 0], [0, *masses], strict=True)
    )
    assert counting.exact(p).delta(eps) == pytest.approx(
        max(forth, back), abs=2.0 * (1.0 + ratio) * off + 1e-14
    )


def test_windows_of_all_tilts_are_those_of_one_law():
    p = records("apart", 2000)
    law = PoissonBinomial(p)
    centre = round(law.mean)
    logs = law.log_pmf(centre - 60, centre + 60)
    for tilt in (-4.0, -1.0, 0.3, 2.0, 5.0):
        window = law.window(tilt)
        assert float(window.weights.sum()) == pytest.approx(1.0, rel=1e-12)
        likely = window.weights > 1e-6
        for k, log in zip(window.outcomes[likely], window.log_pmf[likely], strict=True):
            assert log == pytest.approx(logs[k - centre + 60], rel=1e-11, abs=1e-11)


def test_what_was_kept_for_other_tilts_does_not_change_a_value():
    p = records("few large", 1200)
    there, back = PoissonBinomial(p), PoissonBinomial(p)
    tilts = [0.0, 6.0, -6.0, 0.5, -0.5]
    kept = [there.window(tilt).log_pmf.tolist() for tilt in tilts]
    fresh = [back.window(tilt).log_pmf.tolist() for tilt in reversed(tilts)][::-1]
    for one, other in zip(kept, fresh, strict=True):
        assert one == other
    mirrored = Pair(there.shift(1), there).reversed().log_hockey_stick(0.4)
    turned = PoissonBinomial(1.0 - p)
    assert mirrored == pytest.approx(Pair(turned.shift(1), turned).log_hockey_stick(0.4), rel=1e-6)


@pytest.mark.parametrize(("odds", "counts"), [([0.5], [3]), ([0.25, 2.0, 1e-5], [2, 1, 4])])
def test_a_product_of_polynomials_is_the_law_of_few_bits(odds, counts):
    masses = np.ones(1)
    for x, number in zip(odds, counts, strict=True):
        for _ in range(number):
            masses = np.convolve(masses, [1.0 / (1.0 + x), x / (1.0 + x)])
    logits, likely = np.log(odds), np.array(odds) > 1.0
    times = np.array(counts, float)
    start, found = _bit_sums.by_convolution(logits, times, likely)
    assert start == -int(times[likely].sum())
    assert found == pytest.approx(masses, rel=1e-13)


def test_equal_bits_are_binomial():
    logits, counts = np.array([math.log(1e-4 / (1 - 1e-4))]), np.array([1e5])
    start, masses = _bit_sums.by_inversion(logits, counts, 10, 0.0, 0, 10**5)
    assert start == 0
    for k in (0, 1, 10, 40):
        truth = math.lgamma(1e5 + 1) - math.lgamma(k + 1) - math.lgamma(1e5 - k + 1)
        truth += k * math.log(1e-4) + (1e5 - k) * math.log1p(-1e-4)
        assert masses[k] == pytest.approx(math.exp(truth), rel=1e-9, abs=1e-16)


def test_a_fair_bit_among_many_is_counted_once_in_the_mirror():
    # Its log-odds of 0 are between two panels of the interpolation: an outcome was off by 1.
    p = 0.5 * 0.97 ** np.arange(600)
    p[::3] = 1.0 - p[::3]
    law = PoissonBinomial(p)
    centre = round(law.mean)
    for k in range(centre - 3, centre + 4):
        assert law.mirrored().log_mass(600 - k) == pytest.approx(law.log_mass(k), rel=1e-12)
