"""Coins against linear programs, and what they guarantee against sums in exact fractions."""

import itertools
import math
import random
from fractions import Fraction
from functools import cache
from math import comb

import mpmath
import numpy as np
import pytest
from flint import arb, arb_poly, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from pkdp import counting
from pkdp.noiseless import _fair_coin_mixtures, privacy_blanket, sums
from pkdp.profiles.laws import PoissonBinomial, binomial
from pkdp.profiles.pairs import Pair

F = Fraction
EPS = (0.0, 1e-3, 0.1, 1.0, 3.0, 20.0, 200.0, math.inf)
RATIOS = (F(1), F(11, 10), F(2), F(5), F(100))


def random_pmf(rng, most=6, width=8):
    values = rng.sample(range(-2, width), rng.randint(1, most))
    masses = [rng.choice((1, 1, 2, 3, 5, 10, 40)) for _ in values]
    return {value: F(mass, sum(masses)) for value, mass in zip(values, masses, strict=True)}


def convolved(p, q):
    sums = {}
    for a, x in p.items():
        for b, y in q.items():
            sums[a + b] = sums.get(a + b, 0) + x * y
    return sums


def law_of_sum(blocks):
    law = {0: F(1)}
    for block in blocks:
        law = convolved(law, block)
    return law


def excess(p, q, E):
    return sum(max(0, mass - E * q.get(value, 0)) for value, mass in p.items())


def exact_delta(blocks, shift, E):
    law = law_of_sum(blocks)
    moved = {value + shift: mass for value, mass in law.items()}
    return max(excess(moved, law, E), excess(law, moved, E))


@cache
def of_coins(k, t, E):
    """The profile of k fair coins moved by t."""
    law = {x: F(comb(k, x), 2**k) for x in range(k + 1)}
    return excess({x + t: mass for x, mass in law.items()}, law, E)


def mixture(weights, t, E):
    """The coin bound in fractions."""
    number = law_of_sum([{1: F(w), 0: 1 - F(w)} for w in weights])
    return sum(mass * of_coins(k, t, E) for k, mass in number.items())


def attaining(weights, shift, step):
    """Blocks of given weights whose sum has exactly the profile of the coin bound.

    What is no coin between 0 and h lies at one value that is so large that the sum tells how many
    blocks took it.
    """
    far = step * (len(weights) + 1) + abs(shift)
    blocks = [{0: w / 2, step: w / 2, far: 1 - w} for w in weights]
    return [{value: mass for value, mass in block.items() if mass} for block in blocks]


def upwards(log_ratio):
    """A fraction a hair above exp, so that the δ at it is a hair smaller."""
    with mpmath.workdps(60):
        return F(int(mpmath.ceil(mpmath.exp(log_ratio) * 2**150)), 2**150)


def log(fraction):
    with mpmath.workdps(30):
        return float(mpmath.log(mpmath.mpf(fraction.numerator) / fraction.denominator))


# The largest weight.


@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_weight_is_that_of_a_linear_program(step):
    rng = random.Random(1)
    for _ in range(60):
        pmf = random_pmf(rng)
        values = range(min(pmf), max(pmf) + 1)
        p = [float(pmf.get(b, 0)) for b in values]
        # One unknown c_b for each b; c_b + c_{b-h} is at most the mass of b, and 0 beyond the end.
        rows = np.eye(len(p)) + np.eye(len(p), k=-step)
        beyond = [(0, 0 if i + step >= len(p) else None) for i in range(len(p))]
        found = linprog(-np.ones(len(p)), A_ub=rows, b_ub=p, bounds=beyond)
        assert 2 * -found.fun == pytest.approx(
            float(privacy_blanket.largest_weight(pmf, step)), abs=1e-9
        )


@pytest.mark.parametrize("step", [1, 2, 3])
def test_half_the_weight_is_the_mass_outside_the_likeliest_set_without_neighbours(step):
    """The dual program, by brute force: both are exact, so that each proves the other optimal."""
    rng = random.Random(2)
    for _ in range(150):
        pmf = random_pmf(rng)
        apart = [
            chosen
            for r in range(len(pmf) + 1)
            for chosen in itertools.combinations(pmf, r)
            if not any(a + step in chosen for a in chosen)
        ]
        likeliest = max(sum(pmf[b] for b in chosen) for chosen in apart)
        assert privacy_blanket.largest_weight(pmf, step) == 2 * (1 - likeliest)


def test_the_weight_lies_between_the_overlap_and_twice_of_it():
    rng, shares = random.Random(3), []
    for _ in range(300):
        pmf, step = random_pmf(rng), rng.randint(1, 3)
        overlap = sum(min(mass, pmf.get(b + step, 0)) for b, mass in pmf.items())  # 1 - TV
        weight = privacy_blanket.largest_weight(pmf, step)
        assert overlap <= weight <= 2 * overlap
        assert weight <= 1
        shares.extend([weight / overlap] if overlap else [])
    # Both ends are attained: by two values, and by three of equal mass.
    assert max(shares) == 2
    assert min(shares) == 1
    assert privacy_blanket.largest_weight({b: F(1, 3) for b in range(3)}) == F(2, 3)


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=12), st.integers(1, 3))
def test_a_float_is_the_exact_weight_rounded_down(masses, step):
    total = math.fsum(masses)
    pmf = {b: mass / total for b, mass in enumerate(masses)}
    exact = {b: F(mass) for b, mass in pmf.items()}
    weight = privacy_blanket.largest_weight(pmf, step)
    truth = privacy_blanket.largest_weight(exact, step)
    assert isinstance(weight, float)
    assert isinstance(truth, F)
    assert F(weight) <= truth < F(math.nextafter(weight, 2.0))


def test_weights_that_are_known():
    assert privacy_blanket.largest_weight({0: 0.5, 2: 0.5}) == 0.0  # parity
    assert privacy_blanket.largest_weight({7: 1}) == F(0)
    assert privacy_blanket.largest_weight({b: F(1, 10) for b in range(10)}) == 1
    assert privacy_blanket.largest_weight({0: F(9, 10), 1: F(1, 10)}) == F(1, 5)
    tiny = {0: 1.0, 1: 1e-300}
    assert privacy_blanket.largest_weight(tiny) == pytest.approx(2e-300, rel=1e-15)


# Coins alone.


@pytest.mark.parametrize("t", [1, 2, 5, 33])
@pytest.mark.parametrize("eps", [0.0, 0.1, 1.0, 10.0, 40.0, math.inf])
def test_coins_against_fractions_down_to_the_deepest_tails(t, eps):
    got = _fair_coin_mixtures.log_deltas(0, 90, t, eps)
    E = upwards(eps) if eps < math.inf else F(10) ** 300
    for k in (0, t - 1, t, t + 1, 2 * t + 1, 60, 61, 89):
        truth = log(of_coins(k, t, E)) if k >= t else 0.0
        assert got[k] == pytest.approx(truth, rel=2e-14, abs=2e-14)


@pytest.mark.parametrize("t", [1, 3, 40])
@pytest.mark.parametrize("eps", [0.0, 0.01, 0.3])
def test_the_recurrence_against_one_sum(t, eps):
    many = _fair_coin_mixtures.log_deltas(10**6 - 3000, 3001, t, eps)
    for at in (0, 1500, 3000):
        alone = _fair_coin_mixtures.log_deltas(10**6 - 3000 + at, 1, t, eps)[0]
        assert many[at] == pytest.approx(alone, rel=2e-13, abs=2e-13)


@pytest.mark.parametrize(("n", "t"), [(500, 3), (10**4, 2), (10**4, 50)])
def test_fair_coins_against_a_pair_of_laws(n, t):
    law = binomial(n, 0.5)
    pair = Pair(law.shift(t), law).profile()
    for eps in (0.0, 0.02, 0.3):
        found = privacy_blanket.blanket([1.0], [n], steps=t).log_delta(eps)
        assert found == pytest.approx(pair.log_delta(eps), rel=3e-12, abs=3e-12)


# The bound.


@pytest.mark.parametrize("lam", [1e-3, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("n", [2, 30, 1000, 10**6])
def test_bits_have_the_privacy_blanket(n, lam):
    bound = privacy_blanket.bound([({0: 1 - lam, 1: lam}, n)])
    blanket = counting.blanket(n + 1, lam)
    for eps in EPS:
        assert bound.log_delta(eps) == pytest.approx(blanket.log_delta(eps), rel=2e-12, abs=2e-12)


@pytest.mark.parametrize("t", [1, 2, 4])
def test_different_weights_against_fractions(t):
    weights = [F(1), F(1, 2), F(1, 3), F(9, 10), F(1, 50), F(1, 2), F(0)]
    profile = privacy_blanket.blanket(weights, steps=t)
    for E in RATIOS:
        truth, found = mixture(weights, t, E), profile.log_delta(math.log(E))
        assert found == pytest.approx(log(truth), rel=2e-12, abs=2e-12)
        assert profile.delta(math.log(E)) >= truth


def tail_in_balls(weights, counts, t):
    """P[fewer than t heads], in ball arithmetic: what the bound is at infinity."""
    product = arb_poly([1])
    for w, count in zip(weights, counts, strict=True):
        factor = arb_poly([1 - arb(w) / 2, arb(w) / 2])
        for bit in f"{count:b}"[::-1]:
            if bit == "1":
                product = arb_poly((product * factor).coeffs()[:t])
            factor = arb_poly((factor * factor).coeffs()[:t])
    return sum(product.coeffs(), arb(0))


def test_many_coins_of_few_weights_against_ball_arithmetic():
    rng = random.Random(6)
    for _ in range(40):
        kinds = rng.randint(1, 4)
        weights = [
            rng.choice((10 ** rng.uniform(-4, 0), 1 - 10 ** -rng.uniform(1, 5)))
            for _ in range(kinds)
        ]
        counts = [int(10 ** rng.uniform(0, 3.5)) for _ in range(kinds)]
        heads = sum(w * count for w, count in zip(weights, counts, strict=True)) / 2
        t = max(1, int(heads * rng.uniform(0.3, 1.5)))
        with ctx.workprec(200):
            truth = float(tail_in_balls(weights, counts, t).log())
        found = privacy_blanket.blanket(weights, counts, steps=t)
        assert found.log_delta(math.inf) == pytest.approx(truth, rel=7e-13, abs=7e-13)
        assert found.log_delta(math.inf) >= truth


def test_thousands_of_different_blocks():
    rng = np.random.default_rng(4)
    blocks = [dict(enumerate(row)) for row in rng.dirichlet([1.0] * 4, 3000).tolist()]
    weights = np.array([privacy_blanket.largest_weight(block) for block in blocks])
    profile = privacy_blanket.bound(blocks)
    # Not to the last bit: how numpy adds up depends on the machine, and on where an array lies.
    assert profile.delta(0.1) == pytest.approx(
        privacy_blanket.blanket(weights).delta(0.1), rel=1e-13
    )
    # A mixture over K, term by term.
    number = PoissonBinomial(weights)
    first, last = number.span(-60.0)
    terms = number.log_pmf(first, last) + _fair_coin_mixtures.log_deltas(
        first, last - first + 1, 1, 0.1
    )
    assert profile.log_delta(0.1) == pytest.approx(float(np.logaddexp.reduce(terms)), rel=1e-12)


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=80),
    st.integers(1, 4),
    st.floats(0.0, 3.0),
    st.data(),
)
def test_more_coins_hide_more_and_more_steps_tell_more(weights, t, eps, data):
    less = [data.draw(st.floats(0.0, w)) for w in weights]
    here = privacy_blanket.blanket(weights, steps=t).log_delta(eps)
    slack = 3e-12 * max(1.0, abs(here))
    assert privacy_blanket.blanket(less, steps=t).log_delta(eps) >= here - slack
    assert privacy_blanket.blanket([*weights, 0.5], steps=t).log_delta(eps) <= here + slack
    assert privacy_blanket.blanket(weights, steps=t + 1).log_delta(eps) >= here - slack


@pytest.mark.slow
def test_three_thousand_random_worlds_never_exceed_the_bound():
    rng, tight = random.Random(5), 0
    for _ in range(3000):
        blocks = [random_pmf(rng, 4, 5) for _ in range(rng.randint(1, 3))]
        step, t, E = rng.randint(1, 3), rng.randint(1, 2), rng.choice(RATIOS)
        truth = exact_delta(blocks, rng.choice((1, -1)) * t * step, E)
        in_fractions = mixture([privacy_blanket.largest_weight(b, step) for b in blocks], t, E)
        assert truth <= in_fractions
        found = privacy_blanket.bound(blocks, t * step, step).delta(math.log(E))
        assert in_fractions <= found <= in_fractions * (1 + F(1, 10**11))
        tight += truth == in_fractions
    assert tight > 300


@pytest.mark.parametrize(("step", "shift"), [(1, 1), (3, 6), (2, -2)])
def test_with_only_weights_known_the_bound_is_attained(step, shift):
    weights = [F(1, 2), F(1, 3), F(1), F(1, 10)]
    blocks = attaining(weights, shift, step)
    assert [privacy_blanket.largest_weight(block, step) for block in blocks] == weights
    for E in RATIOS:
        assert exact_delta(blocks, shift, E) == mixture(weights, abs(shift) // step, E)


def test_nothing_hides_and_nothing_moves():
    assert privacy_blanket.bound([{0: 0.5, 2: 0.5}]).delta(9.0) == 1.0
    assert privacy_blanket.bound([]).delta(0.0) == 1.0
    assert privacy_blanket.bound([({0: 0.5, 1: 0.5}, 3)], shift=4).delta(50.0) == 1.0
    assert privacy_blanket.bound([{0: 0.5, 1: 0.5}], shift=0).delta(0.0) == 0.0
    assert privacy_blanket.bound([({0: 0.5, 1: 0.5}, 0)]).delta(0.0) == 1.0


def test_a_step_other_than_one():
    even = {0: 0.5, 2: 0.5}
    found, bits = (
        privacy_blanket.bound([(even, 9)], 2, 2).delta(0.5),
        counting.blanket(10, 0.5).delta(0.5),
    )
    assert found == pytest.approx(bits, rel=2e-12)
    assert privacy_blanket.bound([(even, 9)], -2, 2) == privacy_blanket.bound([even] * 9, 2, 2)


def test_records_without_a_coin_may_hide_well_all_the_same():
    record = {0: F(1, 3), 2: F(1, 3), 5: F(1, 3)}
    assert privacy_blanket.largest_weight(record, 1) == 0
    assert privacy_blanket.bound([(record, 1000)], shift=1).delta(0.5) == 1.0
    assert sums.pair([(record, 1000)], shift=1).profile().delta(0.5) < 1e-100
