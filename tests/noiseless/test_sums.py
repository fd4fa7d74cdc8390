"""Sums of blocks, against convolution in exact integers and against counts of bits."""

import functools
import itertools
import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.noiseless import _convolution, _integer_laws, _supports, _tilting, sums
from pkdp.profiles.laws import PoissonBinomial


def log_ratio(one, other):
    """ln of a quotient of integers, however long; -inf for 0."""
    return math.log(one) - math.log(other) if one else -math.inf


def weigh(rng, most=4, low=-6, high=9, weights=(1, 2, 3, 50, 10**12)):
    """Integer weights at a few different values."""
    values = rng.sample(range(low, high), rng.randint(1, most))
    return {value: rng.choice(weights) for value in values}


def convolve(blocks):
    """Integer weights of the sum of (weights, count)."""
    result = {0: 1}
    for weights, count in blocks:
        for _ in range(count):
            more = {}
            for (k, a), (j, b) in itertools.product(result.items(), weights.items()):
                more[k + j] = more.get(k + j, 0) + a * b
            result = more
    return result


def as_blocks(weighted, kind=Fraction):
    """Blocks as `sums.law` takes them."""
    return [
        ({k: kind(w) / sum(weights.values()) for k, w in weights.items()}, count)
        for weights, count in weighted
    ]


def unpacked(packed, bits):
    """The digits of an integer in base 2**bits."""
    size = bits // 8 + 1
    assert bits % 8 == 0
    raw = packed.to_bytes(packed.bit_length() // 8 + size, "little")
    step = bits // 8
    return [int.from_bytes(raw[i : i + step], "little") for i in range(0, len(raw), step)]


def exact_sum(weighted):
    """Weights of 0, 1, … of a sum of (weights, count), values ≥ 0, and their total."""
    total = math.prod(sum(weights.values()) ** count for weights, count in weighted)
    bits = 8 * (total.bit_length() // 8 + 2)
    packed = math.prod(
        sum(w << (bits * k) for k, w in weights.items()) ** count for weights, count in weighted
    )
    masses = unpacked(packed, bits)
    while not masses[-1]:
        masses.pop()
    return masses, total


def exact_log_delta(masses, total, shift, ratio):
    """The larger ln H_E of (S + shift, S) and of (S, S + shift)."""
    moved, still = [0] * shift + masses, masses + [0] * shift
    up, down = ratio.numerator, ratio.denominator
    both = [
        sum(x * down - y * up for x, y in zip(p, q, strict=True) if x * down > y * up)
        for p, q in ((moved, still), (still, moved))
    ]
    return log_ratio(max(both), total * down)


def close(value, truth, tolerance=1e-12):
    """Within tolerance * max(1, |truth|); infinite ones alike."""
    return value == truth or abs(value - truth) <= tolerance * max(1.0, abs(truth))


# --------------------------------------------------------------------------------------------
# Masses
# --------------------------------------------------------------------------------------------


def check_against_integers(seed, times, tolerance, **options):
    rng = random.Random(seed)
    for _ in range(times):
        weighted = [(weigh(rng, **options), rng.randint(1, 3)) for _ in range(rng.randint(1, 4))]
        exact = convolve(weighted)
        total, first, last = sum(exact.values()), min(exact), max(exact)
        law = sums.law(as_blocks(weighted))
        logs = law.log_pmf(first - 2, last + 2)
        truth = [log_ratio(exact.get(k, 0), total) for k in range(first - 2, last + 3)]
        assert all(close(x, y, tolerance) for x, y in zip(logs, truth, strict=True)), weighted
        assert law.possible(first - 2, last + 2).tolist() == [x > -math.inf for x in truth]
        assert law.gapless == (len(exact) == last - first + 1)
        assert law.span(-math.inf) == (first, last) == (law.least, law.most)
        assert law.log_least_mass <= min(x for x in truth if x > -math.inf) + 1e-9


def test_a_thousand_random_sums_agree_with_exact_integers():
    # Masses differ by up to 10^12 in a block: no two outcomes need be alike.
    check_against_integers(1, 1000, 1e-13)


def test_windows_of_tilted_laws_agree_with_exact_integers_too(monkeypatch):
    monkeypatch.setattr(_tilting, "_FEW_STEPS", 0)
    check_against_integers(2, 150, 1e-11, weights=(1, 2, 3, 50, 1000))


def test_masses_may_be_far_below_the_smallest_float():
    law = sums.law([({0: 0.5, 3: 1e-300, 10: 0.5}, 2)])
    assert law.log_pmf(6, 6)[0] == pytest.approx(-600 * math.log(10), rel=1e-14)
    assert law.log_pmf(7, 7)[0] == -math.inf
    assert law.log_least_mass == law.log_pmf(6, 6)[0]


def test_values_of_no_mass_are_as_if_they_were_not_there():
    law, padded = (sums.law([pmf]) for pmf in ({2: 0.5, 4: 0.5}, {0: 0.0, 2: 0.5, 3: 0.0, 4: 0.5}))
    assert (padded.least, padded.most, padded.gapless) == (law.least, law.most, law.gapless)
    assert padded.log_pmf(0, 5).tolist() == law.log_pmf(0, 5).tolist()
    assert padded.span(-math.inf) == (2, 4)


GAPS = [
    [({0: 1, 3: 2, 7: 1}, 600), ({0: 1, 2: 3}, 300)],
    [({0: 1, 2: 1}, 1500)],
    [({0: 1, 4: 2, 9: 1}, 300), ({0: 1, 301: 1}, 1)],
]


@functools.cache
def exact_gaps(which):
    return exact_sum(GAPS[which])


@pytest.mark.parametrize("weighted", [pytest.param(GAPS[0], marks=pytest.mark.slow), *GAPS[1:]])
def test_large_sums_with_gaps_agree_with_exact_integers(weighted):
    masses, total = exact_gaps(GAPS.index(weighted))
    law = sums.law(as_blocks(weighted))
    logs = law.log_pmf(0, len(masses) - 1)
    truth = [log_ratio(mass, total) for mass in masses]
    assert all(close(x, y, 1e-11) for x, y in zip(logs, truth, strict=True))
    assert law.possible(0, len(masses) - 1).tolist() == [mass > 0 for mass in masses]


def test_sums_of_which_hardly_any_are_odd_are_refused():
    # No transform sees them; fewer steps are convolved.
    rare = {0: 1 - 1e-14, 1: 1e-14}
    law = sums.law([({0: 0.5, 2: 0.5}, 1200), (rare, 3)])
    with pytest.raises(ValueError, match="masses differ less from their neighbours'"):
        law.log_pmf(1200, 1210)
    few = sums.law([({0: 0.5, 2: 0.5}, 1000), (rare, 3)])
    assert few.log_pmf(1001, 1001)[0] - few.log_pmf(1000, 1000)[0] < -30.0


@pytest.mark.parametrize("weighted", GAPS)
def test_each_way_of_computing_gives_the_same_masses(weighted, monkeypatch):
    rows = _integer_laws.read(as_blocks(weighted))
    direct = _convolution.log_masses(rows)
    monkeypatch.setattr(_tilting, "_FEW_STEPS", 0)
    first, last = rows.origin, rows.origin + rows.step * rows.reach
    tilted = sums.BlockSum(rows).log_pmf(first, last)[:: rows.step]
    possible = direct > -math.inf
    assert (possible == (tilted > -math.inf)).all()
    direct, tilted = direct[possible], tilted[possible]
    assert (np.abs(direct - tilted) / np.maximum(1.0, -direct)).max() < 1e-12


@pytest.mark.parametrize(
    ("weighted", "shift", "step"),
    [(0, 1, Fraction(6, 5)), (0, 3, Fraction(3, 2)), (1, 2, Fraction(7, 5)), (1, 1, 2),
     (1, 6, 3)],
)  # fmt: skip
def test_log_delta_down_to_minus_six_hundred(weighted, shift, step):
    masses, total = exact_gaps(weighted)
    profile = sums.pair(as_blocks(GAPS[weighted]), shift).profile()
    ratio, reached = Fraction(1), []
    for _ in range(8):
        reached.append(exact_log_delta(masses, total, shift, ratio))
        assert profile.log_delta(math.log(ratio)) == pytest.approx(reached[-1], rel=0, abs=1e-9)
        ratio *= step
    if (weighted, shift) in ((0, 1), (0, 3), (1, 2)):
        assert reached[-1] < -600.0
    if (weighted, shift) == (1, 1):  # the parity tells
        assert reached == [0.0] * 8


def test_uneven_ends_are_no_obstacle_to_an_epsilon():
    # Wages in tens of dollars: the largest are rare and far apart, and which sums of nearly all of
    # them are possible is nobody's business unless he asks for it.
    pmf = {}
    for j in range(250):
        wage = int(5 * 1.025**j)
        pmf[wage] = pmf.get(wage, 0.0) + math.exp(-(((j - 90) / 25) ** 2) / 2)
    pmf = {wage: mass / sum(pmf.values()) for wage, mass in pmf.items()}
    profile = sums.pair([(pmf, 28_155)], 60).profile()
    eps = profile.epsilon(1e-6)
    assert profile.delta(eps) <= 1e-6 < profile.delta(eps * (1.0 - 1e-9))
    assert eps < 0.1


def blocks_of_bits(rng, blocks, size):
    """Different blocks, each the number of ones among a few bits; and all the bits."""
    chances = rng.uniform(0.05, 0.95, (blocks, size))
    laws = np.ones((blocks, 1))
    for p in chances.T:
        more = np.zeros((blocks, laws.shape[1] + 1))
        more[:, :-1] += laws * (1.0 - p)[:, None]
        more[:, 1:] += laws * p[:, None]
        laws = more
    return [dict(enumerate(row)) for row in laws.tolist()], chances.ravel()


@pytest.mark.parametrize("blocks", [300, 2500])
def test_blocks_that_are_counts_of_bits_have_the_law_of_the_bits(blocks):
    several, bits = blocks_of_bits(np.random.default_rng(7), blocks, 5)
    law, count = sums.law(several), PoissonBinomial(bits)
    first, last = count.span(-700.0)
    logs, truth = law.log_pmf(first, last), count.log_pmf(first, last)
    assert np.abs(logs - truth).max() < 1e-11
    ours, theirs = sums.pair(several).profile(), counting.exact(bits)
    for eps in (0.0, 0.01, 0.05, 0.2):
        assert ours.log_delta(eps) == pytest.approx(theirs.log_delta(eps), rel=1e-10, abs=1e-10)
    assert ours.epsilon(1e-9) == pytest.approx(theirs.epsilon(1e-9), rel=1e-10)
    assert ours.log_delta(math.inf) == pytest.approx(theirs.log_delta(math.inf), rel=1e-12)


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 30), min_size=1, max_size=4), st.integers(1, 40)),
        min_size=1,
        max_size=4,
    )
)
def test_possible_sums_are_enumerated(blocks):
    truth = {0}
    for values, count in blocks:
        for _ in range(count):
            truth = {a + b for a in truth for b in values}
    rows = _integer_laws.read([(dict.fromkeys(v, 1.0 / len(v)), count) for v, count in blocks])
    if not rows.reach:
        return
    found = _supports.Possible.of(rows)
    outcomes = rows.origin + rows.step * np.flatnonzero(found(0, rows.reach))
    assert outcomes.tolist() == sorted(truth)
    middle = rows.reach // 3
    assert found(middle, rows.reach).tolist() == found(0, rows.reach)[middle:].tolist()


# --------------------------------------------------------------------------------------------
# Pairs
# --------------------------------------------------------------------------------------------


def test_blocks_of_one_value_shift_the_sum():
    blocks = [{0: 0.5, 1: 0.5}, ({5: 1}, 3), {-2: Fraction(1)}]
    law = sums.law(blocks)
    assert (law.least, law.most, law.blocks) == (13, 14, 1)
    nobody = sums.law([{4: 1.0}])
    assert (nobody.least, nobody.most, nobody.step, nobody.variance) == (4, 4, 1, 0.0)
    assert nobody.log_pmf(3, 5).tolist() == [-math.inf, 0.0, -math.inf]
    assert nobody.gapless
    assert sums.pair([{4: 1.0}]).profile().delta(1.0) == 1.0


def test_laws_pickle_and_compare():
    blocks = as_blocks(GAPS[1])
    law, again = sums.law(blocks), sums.law([*blocks][::-1])
    assert law == again
    assert hash(law) == hash(again)
    assert law != sums.law([{0: 0.5, 2: 0.5}])
    assert sums.law([{0: 0.5, 1: 0.5}] * 2) == sums.law([({1: 0.5, 0: 0.5}, 2)])
    law.log_pmf(1400, 1600)
    copied = pickle.loads(pickle.dumps(law))
    assert copied == law
    assert copied.log_pmf(1400, 1600).tolist() == law.log_pmf(1400, 1600).tolist()
    assert repr(law) == "BlockSum(1500 uncertain blocks, from 0 to 3000 by 2, 1500 ± 38.7)"


# --------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------


def test_masses_within_rounding_are_divided_by_their_sum():
    law = sums.law([{0: 0.5 + 1e-10, 1: 0.5}])
    assert np.exp(law.log_pmf(0, 1)).sum() == pytest.approx(1.0, rel=1e-15)
    assert sums.law([{0: 1.0 + 1e-12}]).log_pmf(0, 0).tolist() == [0.0]
