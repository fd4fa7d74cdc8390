"""Counts over a Markov chain of bits: against exact integers, sums over runs, and limits."""

import math
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.noiseless import _markov_chains, chains
from pkdp.noiseless._markov_chains import Arms
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.logarithms import log_sum


def transitions(p, rho):
    """The probabilities of 0 and 1 after 0 and after 1."""
    return [[1 - p * (1 - rho), p * (1 - rho)], [(1 - p) * (1 - rho), p + rho * (1 - p)]]


def arm(one, length, steps):
    """The exact law of the ones among the bits after one that is 1 with a probability."""
    common = math.lcm(*[step.denominator for row in steps for step in row])
    (a, b), (c, d) = [[int(step * common) for step in row] for row in steps]
    scale = F(one).denominator
    zero, last = [int((1 - one) * scale)], [int(one * scale)]
    for _ in range(length):
        zero, last = (
            [a * x + c * y for x, y in zip([*zero, 0], [*last, 0], strict=True)],
            [b * x + d * y for x, y in zip([0, *zero], [0, *last], strict=True)],
        )
    whole = scale * common**length
    return [F(x + y, whole) for x, y in zip(zero, last, strict=True)]


def convolved(one, other):
    total = [F(0)] * (len(one) + len(other) - 1)
    for i, x in enumerate(one):
        for j, y in enumerate(other):
            total[i + j] += x * y
    return total


def log_delta(one, zero, eps):
    """The larger direction of a pair, P moved by 1, in exact fractions except for the last log."""
    P, Q = [0, *one], [*zero, 0]
    if eps == math.inf:
        delta = max(P[-1], Q[0])
    else:
        E = F(math.exp(eps))
        delta = max(
            sum((x - E * y for x, y in zip(a, b, strict=True) if x > E * y), F(0))
            for a, b in ((P, Q), (Q, P))
        )
    return math.log(delta.numerator) - math.log(delta.denominator) if delta else -math.inf


def laws(n, p, rho, position=None):
    """The exact laws of the others, by `causal` or given the target's bit."""
    steps = transitions(p, rho)
    if position is None:
        law = arm(p, n - 1, steps)
        return law, law
    return tuple(
        convolved(arm(bit, position - 1, steps), arm(bit, n - position, steps)) for bit in (1, 0)
    )


def same(found, truth, error=1e-9):
    return found == truth or abs(found - truth) <= error * max(1.0, abs(truth))


@given(
    st.integers(2, 9),
    st.fractions(F(1, 64), F(63, 64), max_denominator=64),
    st.fractions(F(1, 64), F(63, 64), max_denominator=64),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.25, 1.0, 2.5, math.inf]),
)
def test_any_chain_agrees_with_fractions(n, p, part, place, eps):
    # Decimals of p and ρ are rounded: the fractions are those of the floats.
    least = -min(p, 1 - p) / max(p, 1 - p)
    p, rho = F(float(p)), F(float(least + part * (1 - least)))
    position = min(place, n)
    for profile, exact in (
        (chains.causal(n, float(p), float(rho)), laws(n, p, rho)),
        (chains.conditional(n, float(p), float(rho), position), laws(n, p, rho, position)),
    ):
        assert same(profile.log_delta(eps), log_delta(*exact, eps))


def test_the_whole_database_agrees_with_every_database():
    # Not by rows from the target: all 2^n databases with their probabilities, and given one bit.
    n, p, rho, position = 6, F(1, 4), F(1, 2), 3
    steps = transitions(p, rho)
    given = [[F(0)] * n, [F(0)] * n]
    left_out = [F(0)] * n
    for number in range(2**n):
        bits = [number >> i & 1 for i in range(n)]
        mass = p if bits[0] else 1 - p
        for before, bit in pairwise(bits):
            mass *= steps[before][bit]
        target = bits[position - 1]
        given[target][sum(bits) - target] += mass / (p if target else 1 - p)
        left_out[sum(bits[:-1])] += mass
    assert (given[1], given[0]) == laws(n, p, rho, position)
    assert (left_out, left_out) == laws(n, p, rho)


DEEP = [
    ((F(1, 2), F(1, 2)), [0.0, 0.1, 0.5, 0.8, 0.95, 1.0]),
    ((F(1, 4), F(3, 4)), [0.0, 0.2, 0.6, 1.0, 1.4, 2.0]),
    ((F(1, 2), F(-3, 4)), [0.0, 1.0, 4.0, 5.5, 7.0, 8.0]),
    ((F(1, 8), F(-1, 8)), [0.0, 0.3, 1.0, 2.0, 4.0]),
    ((F(1, 16), F(1, 8)), [0.0, 0.3, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
]


@pytest.mark.parametrize("by_steps", [True, False])
@pytest.mark.parametrize(("chain", "grid"), DEEP)
def test_deep_tails_agree_with_exact_integers(chain, grid, by_steps, monkeypatch):
    if not by_steps:
        monkeypatch.setattr(_markov_chains, "MOST_FEW", 10)
        monkeypatch.setattr(_markov_chains, "LEAST_CHANGES", 20.0)
    n, (p, rho) = 500, chain
    exact = laws(n, p, rho)
    profile = chains.causal(n, float(p), float(rho))
    law = profile.release.Q
    assert law._by_steps == by_steps
    found = [profile.log_delta(eps) for eps in grid]
    truths = [log_delta(*exact, eps) for eps in grid]
    assert all(map(same, found, truths))
    assert min(truths) < (-600.0 if rho == F(-3, 4) else -20.0)
    logs = law.log_pmf(0, n - 1)
    masses = [math.log(x.numerator) - math.log(x.denominator) for x in exact[0]]
    assert min(masses) < -100
    assert np.abs(logs - masses).max() < 1e-9
    assert np.abs((logs - masses) / np.maximum(1.0, np.abs(masses))).max() < 1e-11


def log_mass_by_runs(one, length, k, p, rho):
    """ln P[k of the bits are 1] for an arm: a sum over the number of runs, all terms positive.

    After a 1, and with b = length - k ≥ 1 zeros, j + 1 runs of zeros have the probability
    Bin(j; b-1, rise)·(fall·Bin(j; k, fall) + rise·Bin(j+1; k, fall)).
    """
    (_, rise), (fall, _) = transitions(p, rho)
    logs = []
    for chance, ones, fall_, rise_ in ((one, k, fall, rise), (1 - one, length - k, rise, fall)):
        zeros = length - ones
        if chance == 0:
            continue
        if zeros == 0:
            logs.append(math.log(chance) + ones * math.log1p(-fall_))
            continue

        def terms(j, ones=ones, zeros=zeros, fall=fall_, rise=rise_):
            ends = np.logaddexp(
                math.log(fall) + log_binomial_pmf(j, ones, fall),
                math.log(rise) + log_binomial_pmf(j + 1, ones, fall),
            )
            return log_binomial_pmf(j, zeros - 1, rise) + ends

        # Terms rise, and then fall: beyond 10 standard deviations from the top they are nothing.
        most = min(zeros - 1, ones)
        step = most // 200 + 1
        coarse = np.arange(0, most + 1, step)
        top, reach = coarse[terms(coarse).argmax()], 2 * step + 5 * math.isqrt(most) + 30
        j = np.arange(max(0, top - reach), min(most, top + reach) + 1)
        logs.append(math.log(chance) + log_sum(terms(j)))
    return float(np.logaddexp.reduce(logs))


def test_sums_over_runs_are_exact():
    p, rho = F(1, 4), F(1, 2)
    for one in (F(1), F(0), p):
        law = arm(one, 9, transitions(p, rho))
        for k in range(10):
            found = log_mass_by_runs(float(one), 9, k, float(p), float(rho))
            assert found == pytest.approx(math.log(law[k]), rel=1e-12)


@pytest.mark.parametrize(
    ("bits", "p", "rho"),
    [
        (10**6, 0.5, 0.9),
        (10**6, 0.01, 0.5),
        (10**5, 0.5, -0.9),
        (10**5, 0.9, 0.98),
        (10**5, 0.3, 0.001),
        (4 * 10**6, 0.2, 0.6),
        (10**6, 0.001, 0.8),
    ],
)
def test_long_rows_agree_with_sums_over_runs(bits, p, rho):
    chain = MarkovChain.stationary(p, rho)
    deviation = math.sqrt(bits * p * (1 - p) * (1 + rho) / (1 - rho))
    for one in (1.0, p):
        law = Arms(chain, ((one, bits),))
        assert not law._by_steps
        for shift in (-30.0, -6.0, -0.5, 0.0, 3.0, 12.0, 33.0):
            k = round(bits * p + shift * deviation)
            if 0 <= k <= bits:
                truth = log_mass_by_runs(one, bits, k, p, rho)
                found = float(law.log_pmf(k, k)[0])
                assert found == pytest.approx(truth, rel=2e-12, abs=2e-11)


@pytest.mark.parametrize(("p", "rho"), [(0.5, 0.6), (0.05, 0.8), (0.4, -0.5), (0.97, 0.9)])
def test_frequencies_agree_with_steps(p, rho):
    law = Arms(MarkovChain.stationary(p, rho), ((1.0, 1500), (0.0, 1000)))
    assert law._by_steps
    for tilt in (0.0, 0.05, -0.1, 0.5):
        (_, by_steps), (start, found) = law._stepped(tilt), law._inverted(tilt)
        truth = by_steps[start : start + found.size]
        assert truth.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.abs(found - truth).max() < 1e-13 * truth.max() * 100


def test_two_modes():
    # The bits hardly ever change: all 0 or all 1, with little in between.
    n, p, rho = 60, F(1, 2), 1 - F(1, 2**20)
    profile, exact = chains.conditional(n, float(p), float(rho)), laws(n, p, rho, 30)
    for eps in (0.0, 1.0, 10.0, 20.0, math.inf):
        assert same(profile.log_delta(eps), log_delta(*exact, eps))
    assert profile.delta(0.0) > 0.9999
    stiff = chains.causal(6000, 0.5, 0.9999)
    assert stiff.release.Q._by_steps
    logs = stiff.release.Q.log_pmf(0, 5999)
    for k in (0, 1, 17, 3000, 5998, 5999):
        assert logs[k] == pytest.approx(log_mass_by_runs(0.5, 5999, k, 0.5, 0.9999), rel=1e-11)


def test_without_correlation_it_is_a_binomial_count():
    binomial = counting.exact([0.3], multiplicities=[9_999])
    assert chains.causal(10**4, 0.3, 0.0) == binomial
    assert chains.conditional(10**4, 0.3, 0.0, 17) == binomial
    # And nearly so with next to none, which takes the other path.
    for profile in (chains.causal(10**4, 0.3, 1e-13), chains.conditional(10**4, 0.3, 1e-13)):
        for eps in (0.0, 0.1, 0.5):
            assert same(profile.log_delta(eps), binomial.log_delta(eps), 1e-8)


def test_dependence_helps_by_one_notion_and_hurts_by_the_other():
    n, rho = 10**4, 0.6
    independent = chains.causal(n, 0.5, 0.0).epsilon(1e-6)
    causal = chains.causal(n, 0.5, rho).epsilon(1e-6)
    conditional = chains.conditional(n, 0.5, rho).epsilon(1e-6)
    assert conditional / causal == pytest.approx(4.43, abs=0.005)
    # Many records: r = (1 + ρ)/(1 - ρ) is 4, ε scales by 1/2 and 2.
    n = 10**7
    for p in (0.5, 0.2):
        independent = chains.causal(n, p, 0.0)
        causal, conditional = chains.causal(n, p, rho), chains.conditional(n, p, rho)
        root = math.sqrt((1 + rho) / (1 - rho))
        # δ at scaled ε is δ of a Gaussian shift, which is scaled, too.
        sigma = math.sqrt(n * p * (1 - p))
        assert causal.delta(0.0) == pytest.approx(independent.delta(0.0) / root, rel=1e-3)
        assert conditional.delta(0.0) == pytest.approx(independent.delta(0.0) * root, rel=2e-3)
        for t in (1.0, 3.0):
            small, large = causal.delta(t / root / sigma), conditional.delta(t * root / sigma)
            middle = independent.delta(t / sigma)
            assert small * root == pytest.approx(middle, rel=0.03)
            assert large / root == pytest.approx(middle, rel=0.03)


def test_positions_mirror():
    assert chains.conditional(9, 0.3, 0.4, 2).log_delta(0.5) == pytest.approx(
        chains.conditional(9, 0.3, 0.4, 8).log_delta(0.5), rel=1e-13
    )
    assert chains.conditional(9, 0.3, 0.4) == chains.conditional(9, 0.3, 0.4, 5)
    assert chains.conditional(8, 0.3, 0.4) == chains.conditional(8, 0.3, 0.4, 4)
