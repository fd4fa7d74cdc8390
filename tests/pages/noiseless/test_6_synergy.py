"""Section 6: noise beside uncertain records, exactly where it can be had."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from pkdp import figures, noise
from pkdp.noiseless import gaussian_noise, parity, smoothing, sums, synergy
from pkdp.partial_knowledge import counting

pytestmark = pytest.mark.page

HALF = Fraction(1, 2)


def random_law(source, values):
    weights = [Fraction(source.randint(1, 9)) for _ in values]
    return {v: w / sum(weights) for v, w in zip(values, weights, strict=True)}


def released(law, p, step):
    """The law of S + step + X, X geometric of ratio p, with both ends taken together.

    Below the least value and above the largest one plus the step all ratios are the same.
    """
    low, high = min(law), max(law) + step
    scale = (1 - p) / (1 + p)
    masses = {
        z: sum(m * scale * p ** abs(z - step - j) for j, m in law.items())
        for z in range(low + 1, high)
    }
    masses[low] = sum(m * scale * p ** (j + step - low) for j, m in law.items()) / (1 - p)
    masses[high] = sum(m * scale * p ** (high - step - j) for j, m in law.items()) / (1 - p)
    return masses


def pair(law, p, step=1):
    low, high = min(law), max(law) + step
    # The law without the step, on the same outcomes.
    plain = {j: law.get(j, Fraction(0)) for j in range(low, high + 1)}
    return released(law, p, step), released(plain, p, 0)


def hockey_stick(one, other, ratio):
    return sum(max(Fraction(0), one[z] - ratio * other[z]) for z in one)


def profile(law, p, ratio, step=1):
    one, other = pair(law, p, step)
    return max(hockey_stick(one, other, ratio), hockey_stick(other, one, ratio))


def alone(p, ratio):
    return max(Fraction(0), 1 - p * ratio) / (1 + p)


def without_noise(law, ratio):
    moved = {z + 1: m for z, m in law.items()}
    values = law.keys() | moved.keys()
    pairs = [(moved.get(z, 0), law.get(z, 0)) for z in values]
    return max(
        sum(max(0, a - ratio * b) for a, b in pairs), sum(max(0, b - ratio * a) for a, b in pairs)
    )


RATIOS = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(9, 5), Fraction(2), Fraction(5)]


def worlds(number):
    source = random.Random(6)
    for _ in range(number):
        values = sorted(source.sample(range(-4, 8), source.randint(2, 5)))
        yield random_law(source, values), source.choice([Fraction(1, 3), HALF, Fraction(3, 4)])


def test_the_plain_computation_is_that_of_the_library():
    law = {0: Fraction(1, 4), 1: HALF, 2: Fraction(1, 4)}
    found = noise.add(counting.pair([0.5], multiplicities=[2]), noise.Geometric(0.5)).profile()
    for ratio in RATIOS:
        truth = float(profile(law, HALF, ratio))
        assert found.delta(math.log(ratio)) == pytest.approx(truth, rel=1e-9, abs=1e-15)


def test_noise_and_uncertainty_never_hurt_each_other():
    for law, p in worlds(60):
        for ratio in RATIOS:
            both = profile(law, p, ratio)
            assert both <= min(alone(p, ratio), without_noise(law, ratio))


def test_any_uncertainty_saves_some_noise():
    for law, p in worlds(60):
        for ratio in RATIOS:
            both = profile(law, p, ratio)
            if ratio < 1 / p:
                assert 0 < both < alone(p, ratio)
            else:
                assert both == alone(p, ratio) == 0
    # A constant saves nothing.
    assert profile({3: Fraction(1)}, HALF, Fraction(3, 2)) == alone(HALF, Fraction(3, 2))


def test_a_step_of_two_may_save_nothing():
    bit, constant = {0: HALF, 1: HALF}, {0: Fraction(1)}
    for p in (Fraction(1, 3), HALF, Fraction(3, 4)):
        assert profile(bit, p, 1, step=2) == profile(constant, p, 1, step=2)
        assert profile(bit, p, 1, step=1) < profile(constant, p, 1, step=1)


def test_more_noise_is_some_noise_and_more():
    # (1-r)/(1-p)·(1 + (r-p)(z + rz² + …)) times (1-p)/(1-pz) is (1-r)/(1-rz).
    p, r, terms = Fraction(1, 3), Fraction(4, 5), 30
    rest = [(1 - r) / (1 - p) * (1 if k == 0 else (r - p) * r ** (k - 1)) for k in range(terms)]
    assert min(rest) > 0
    assert 1 - sum(rest) == (r - p) / (1 - p) * r ** (terms - 1)
    for k in range(terms):
        found = sum(rest[j] * (1 - p) * p ** (k - j) for j in range(k + 1))
        assert found == (1 - r) * r**k


def test_the_least_noise_falls_with_the_number_of_unknown_bits():
    found = [synergy.least_geometric(m, 0.1, 0.3, 1e-6) for m in (0, 1, 10, 100, 1000, 2000, 2206)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[2] > found[3] > found[4] > found[5] > found[6] == 0
    assert [round(part / found[0], 2) for part in found[4:6]] == [0.97, 0.64]
    # With δ = 0 nothing is saved; 10⁻³⁰⁰ is nearly that.
    least = synergy.least_geometric(1000, 0.1, 0.3, 1e-300)
    assert least == pytest.approx(synergy.geometric_deviation(math.exp(-0.3)), rel=1e-6)


def test_variance_alone_may_save_next_to_nothing():
    # Records 0 and R: δ(0) is at least tanh(ε₀/2)·tanh(Rε₀/4), for even R.
    for p in (Fraction(1, 3), HALF, Fraction(9, 10)):
        for width in (2, 4, 6, 30):
            scale = (1 - p) / (1 + p) / (1 - p**width)
            wrapped = [scale * (p**k + p ** (width - k)) for k in range(width)]
            assert sum(wrapped) == 1
            least = sum(max(0, wrapped[k - 1] - wrapped[k]) for k in range(width))
            half = p ** (width // 2)
            assert least == (1 - p) / (1 + p) * (1 - half) / (1 + half)
            records = {0: Fraction(1, 8), width: Fraction(3, 8), 2 * width: HALF}
            assert least <= profile(records, p, 1) <= alone(p, 1)


def test_what_noise_leaves_of_a_parity_in_rationals():
    source = random.Random(7)
    for _ in range(40):
        values = sorted(source.sample(range(-6, 14, 2), source.randint(1, 6)))
        law, p = random_law(source, values), source.choice([Fraction(1, 3), HALF, Fraction(4, 5)])
        moved = {z + 2: m for z, m in law.items()}
        apart = sum(max(0, m - law.get(z, 0)) for z, m in moved.items())
        size = 2 * p / (1 - p**2)  # E|Z|
        for ratio in RATIOS:
            left = max(Fraction(0), (1 - p) ** 2 - 2 * p * (ratio - 1)) / (1 + p) ** 2
            found = profile(law, p, ratio)
            assert left <= found <= left + (1 + ratio) * (size / 2 + Fraction(3, 2)) * apart
            assert parity.geometric(float(p)).delta(math.log(ratio)) == pytest.approx(
                float(left), abs=1e-12
            )


def test_a_coin_hides_a_parity():
    # Uniform modulo 2: half of the largest mass is all that is left.
    for n in (1, 2, 5, 12):
        margin = {2 * k - n: Fraction(math.comb(n, k), 2**n) for k in range(n + 1)}
        law = {z: m / 2 for z, m in margin.items()} | {z + 1: m / 2 for z, m in margin.items()}
        assert without_noise(law, 1) == max(margin.values()) / 2
    assert without_noise({0: HALF, 1: HALF}, Fraction(100)) == HALF


def test_characteristic_functions_are_as_small_as_the_proof_says():
    random_ = np.random.default_rng(9)
    t = np.linspace(0, 2 * math.pi, 200)  # R = 1
    turn = 1 - np.cos(t)
    for _ in range(100):
        values, number = random_.uniform(0, 1, 5), int(random_.integers(1, 6))
        laws = random_.dirichlet(np.full(5, 0.4), size=number)
        means = laws @ values
        variances = laws @ values**2 - means**2
        waves = np.array(
            [law @ np.exp(1j * np.outer(values - m, t)) for law, m in zip(laws, means, strict=True)]
        )
        slopes = np.array(
            [
                law @ (1j * (values - m)[:, None] * np.exp(1j * np.outer(values - m, t)))
                for law, m in zip(laws, means, strict=True)
            ]
        )
        one = 1 - 2 * variances[:, None] * turn
        assert (np.abs(waves) ** 2 <= one + 1e-12).all()
        sigma = math.sqrt(variances.sum())
        size = np.exp(-(sigma**2) * turn)
        whole = waves.prod(axis=0)
        rest = [np.delete(waves, j, axis=0).prod(axis=0) for j in range(number)]
        slope = sum(s * r for s, r in zip(slopes, rest, strict=True))
        assert (np.abs(whole) <= size + 1e-12).all()
        most = np.minimum(sigma, sigma**2 * t * np.exp(turn / 4) * size)
        assert (np.abs(slope) <= most + 1e-12).all()


@pytest.mark.parametrize("scale", [2.0, 10.0])
def test_the_theorem_holds_for_families_too(scale):
    # Families of five who all vote alike: records −5 and 5.
    for families in (4, 40, 400):
        law = sums.law([({-5: 0.5, 5: 0.5}, families)])
        two = sums.pair([({-5: 0.5, 5: 0.5}, families)], 1)
        exact = math.exp(gaussian_noise.add(two, scale).log_hockey_stick(0.0))
        assert law.span(-math.inf) == (-5 * families, 5 * families)
        bound = smoothing.total_variation(25 * families, 10, scale=scale)
        assert exact <= bound * (1 + 1e-9)


@pytest.mark.slow
def test_the_bound_falls_with_the_variance_where_we_looked():
    for scale in (0.1, 0.3, 1.0, 5.0):
        for step in (0.5, 1.0, 3.0):
            found = [
                smoothing.total_variation(v, 1, scale=scale, step=step)
                for v in (0.0, 0.1, 0.5, 2.0, 20.0, 1e3, 1e6)
            ]
            assert all(one >= other * (1 - 1e-9) for one, other in itertools.pairwise(found))


def test_the_shares_of_the_honest_are_geometric_noise():
    p, users, compromised, most = 0.6, 10, 0.4, 400
    half = synergy.share_masses(p, 6, most=most)  # shares for six honest users
    total = np.ones(1)
    for _ in range(6):
        total = np.convolve(total, half)[: most + 1]
    np.testing.assert_allclose(total, (1 - p) * p ** np.arange(most + 1), rtol=1e-10)
    k = np.arange(most + 1)
    variance = 2 * users * float(half @ k**2 - (half @ k) ** 2)
    deviation = synergy.deviation_of_shares(p, compromised=compromised)
    assert deviation == pytest.approx(math.sqrt(variance), rel=1e-9)


def value(name, x, **columns):
    """The y of a table at an x, by the points next to it."""
    table = figures.table(f"noiseless/{name}")
    kept = np.all([table[key] == one for key, one in columns.items()], axis=0)
    return float(
        np.exp(np.interp(x, table["x"][kept], np.log(np.maximum(table["y"][kept], 1e-99))))
    )


def test_the_figures_give_the_numbers_of_their_texts():
    for series, x, y in (
        ("geometric", 0, 4.70),
        ("geometric", 1000, 4.55),
        ("geometric", 1500, 4.16),
        ("geometric", 2000, 2.99),
        ("gaussian", 0, 12.99),
        ("gaussian", 1000, 9.61),
        ("gaussian", 1500, 7.35),
        ("gaussian", 2000, 3.97),
    ):
        assert value("least-noise", x, panel="least", series=series) == pytest.approx(y, abs=0.005)
    for deviation, x, y in (
        (0.0, 1000, 1.8e-4),
        (4.0, 0, 0.03),
        (4.0, 1600, 1e-6),
        (4.5, 0, 0.0075),
        (4.5, 1100, 1e-6),
    ):
        found = value("least-noise", x, panel="delta", deviation=deviation)
        assert found == pytest.approx(y, rel=0.1)
    for series, x, y in (
        ("geometric", 1, 0.333),
        ("geometric", 2, 0.111),
        ("geometric", 10, 0.005),
        ("geometric", 100, 5e-5),
        ("laplace", 10, 0.0025),
        ("gaussian", 0.5, 0.37),
        ("gaussian", 1, 0.009),
        ("alone", 2, 0.333),
        ("alone", 10, 0.071),
    ):
        found = value("noise-on-parity", x, panel="limit", series=series)
        assert found == pytest.approx(y, rel=0.05)
    for series, x, y in (
        ("geometric", 1, 0.25),
        ("geometric", 10, 0.15),
        ("geometric", 4000, 0.111),
        ("laplace", 1, 0.21),
        ("laplace", 10, 0.12),
        ("laplace", 4000, 0.059),
        ("gaussian", 1, 0.17),
        ("gaussian", 10, 0.10),
        ("gaussian", 100, 0.039),
        ("gaussian", 4000, 0.0063),
    ):
        found = value("noise-on-parity", x, panel="votes", series=series)
        assert found == pytest.approx(y, rel=0.05)
