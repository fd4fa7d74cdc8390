"""The end of section 5.2: what is said of noise in formulas, and of chains, checked."""

import math
import random
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
import sympy as sp
from scipy.stats import binom, norm

from pkdp import counting, noise, thresholding
from pkdp.partial_knowledge import post_processing
from pkdp.worlds import enumeration
from pkdp.worlds.definitions import dp_delta
from tests.oracles.counts import count_delta, count_law, hockey_stick, shifted

pytestmark = pytest.mark.page

F = Fraction


def convolved(one, other):
    law = {}
    for (j, mass), (k, share) in product(one.items(), other.items()):
        law[j + k] = law.get(j + k, F(0)) + mass * share
    return law


def step_delta(law, E):
    """The larger of both directions for a noise and the same noise shifted by 1."""
    one = shifted(law)
    return max(hockey_stick(law, one, E), hockey_stick(one, law, E))


# --------------------------------------------------------------------------------------------
# Gaussian noise
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_sum_of_two_gaussians_is_a_gaussian():
    t, x = sp.symbols("t x", real=True)
    a, b, v, w = sp.symbols("a b v w", positive=True)

    def generating(mean, variance):
        return sp.exp(mean * t + variance * t**2 / 2)

    density = sp.exp(-((x - a) ** 2) / (2 * v)) / sp.sqrt(2 * sp.pi * v)
    found = sp.integrate(sp.exp(t * x) * density, (x, -sp.oo, sp.oo))
    assert sp.simplify(found / generating(a, v)) == 1
    assert sp.simplify(generating(a, v) * generating(b, w) / generating(a + b, v + w)) == 1


def test_a_distribution_function_with_jumps_is_half_a_jump_from_every_continuous_one():
    """A continuous one has a single value at the jump, from the left and there; take all values."""
    source = random.Random(56)
    for _ in range(100):
        probabilities = [F(source.randint(0, 12), 12) for _ in range(source.randint(1, 30))]
        variance = sum(p * (1 - p) for p in probabilities)
        law = count_law(probabilities)
        jump, m = max(law.items(), key=lambda pair: pair[1])
        before = sum(mass for k, mass in law.items() if k < jump)

        def off(value, before=before, m=m):
            return max(abs(value - before), abs(value - before - m))

        # Convex and piecewise linear in the value: its least value is at one of its corners.
        corners = (F(0), before, before + m / 2, before + m, F(1))
        assert min(map(off, corners)) == m / 2
        assert all(off(F(i, 97)) >= m / 2 for i in range(98))
        # That is never below 3/(16 sqrt n + 8), as 16 sqrt n + 8 is at least 3 over it.
        n = len(probabilities)
        assert variance <= F(n, 4)
        assert max(0, 3 / (m / 2) - 8) ** 2 <= 256 * n
    # The best continuous ones are no farther away elsewhere, for a single fair bit.
    halves = {F(-1): F(0), F(0): F(1, 4), F(1): F(3, 4), F(2): F(1)}
    assert max(abs(halves[F(0)]), abs(halves[F(0)] - F(1, 2)), abs(halves[F(1)] - 1)) == F(1, 4)


def test_the_largest_mass_is_at_least_one_over_sixteen_standard_deviations_or_so():
    source = random.Random(57)
    for _ in range(200):
        probabilities = [F(source.randint(0, 12), 12) for _ in range(source.randint(1, 30))]
        variance = sum(p * (1 - p) for p in probabilities)
        largest = max(count_law(probabilities).values())
        # m·4(4√v + 1) ≥ 3, squared where the left is not clear already.
        rest = 3 / largest - 4
        assert rest <= 0 or rest**2 <= 256 * variance


def test_the_floor_is_of_the_approximation_and_not_of_the_mechanism():
    gaps, deltas = [], []
    for n in (100, 1000, 10_000):
        k, sd = np.arange(n + 1), math.sqrt(n * 0.09)
        limit = norm.cdf(k, n * 0.1, sd)
        gaps.append(max(abs(binom.cdf(k, n, 0.1) - limit).max(), 0) * math.sqrt(n))
        deltas.append(counting.exact([0.1], multiplicities=[n - 1]).log_delta(0.5))
    assert all(0.4 < gap < 0.9 for gap in gaps)  # never below c/√n
    # δ is multiplied, where √n is: ln δ grows by a factor of more than 3 each time.
    assert deltas[1] < 3 * deltas[0]
    assert deltas[2] < 6 * deltas[1]


def test_a_binomial_count_exceeds_what_its_gaussian_promises():
    # One fair bit is enough: δ is ½ for every ε, and the Gaussian falls below it by ε = 1.1.
    bit = counting.exact([0.5])
    assert count_delta([F(1, 2)], 3) == F(1, 2)
    assert bit.delta(1.1) == pytest.approx(0.5)
    assert counting.gaussian_limit(2, 0.5).delta(1.1) < 0.4935
    for n in (101, 1001, 10_001):
        true, gauss = counting.exact([0.1], multiplicities=[n - 1]), counting.gaussian_limit(n, 0.1)
        excess = [true.log_delta(e) - gauss.log_delta(e) for e in (0.1, 0.25, 0.5, 1.0)]
        assert 0 < excess[0] < excess[1] < excess[2] < excess[3]
        assert excess[3] > 2
        # Whatever ε, all others may be 0; the Gaussian promises less than that, from some ε on.
        assert gauss.log_delta(20.0) < true.log_delta(math.inf)


def test_near_zero_the_gaussian_may_promise_no_less_than_is_true():
    for n in (11, 101, 1001):
        true, gauss = counting.exact([0.5], multiplicities=[n - 1]), counting.gaussian_limit(n, 0.5)
        # At ε = 0 it is the largest mass, of a count of n - 1.
        assert true.delta(0.0) == pytest.approx(comb(n - 1, (n - 1) // 2) / 2 ** (n - 1))
        assert 0.99 < true.delta(0.0) / gauss.delta(0.0) < 1
    true, gauss = counting.exact([0.5], multiplicities=[100]), counting.gaussian_limit(101, 0.5)
    ratios = [true.delta(eps) / gauss.delta(eps) for eps in (0.1, 0.5, 1.0)]
    assert [f"{ratio:.3g}" for ratio in ratios] == ["0.992", "1.11", "4.56"]
    assert counting.exact([0.1], multiplicities=[100]).delta(0.0) < counting.gaussian_limit(
        101, 0.1
    ).delta(0.0)


def test_thresholds_degrade_gracefully_in_delta():
    n, p, T = 10_000, 0.0005, 20
    base = thresholding.worst_case(n, p, threshold=T).delta(1.0)
    assert 1 < thresholding.worst_case(n, 1.01 * p, threshold=T).delta(1.0) / base < 1.2
    known = [
        thresholding.active_worst_case(n, p, threshold=T, known=k).delta(1.0) for k in range(T + 1)
    ]
    assert known[0] == pytest.approx(base)
    assert known[T] > 0.99
    assert all(1 < b / a < 7 for a, b in pairwise(known))


@pytest.mark.slow
def test_guarantees_degrade_gracefully_with_knowledge_and_uncertainty():
    base = counting.worst_case(10_000, 0.05).epsilon(1e-10)
    assert 1 < counting.worst_case(10_000, 0.05, known=100).epsilon(1e-10) / base < 1.006
    assert 1 < counting.worst_case(10_000, 0.0495).epsilon(1e-10) / base < 1.006
    for values in (
        [
            counting.worst_case(10_000, 0.05, known=known).epsilon(1e-10)
            for known in range(0, 9001, 1000)
        ],
        [counting.worst_case(10_000, lam).epsilon(1e-10) for lam in (0.05, 0.04, 0.03, 0.02, 0.01)],
    ):
        assert values == sorted(values)
        assert max(b / a for a, b in pairwise(values)) < 1.7


# --------------------------------------------------------------------------------------------
# Binomial noise
# --------------------------------------------------------------------------------------------


def test_binomial_laws_with_the_same_p_add_up_and_others_do_not():
    for p, n, m in product((F(1, 10), F(1, 2), F(2, 3)), (1, 3), (2, 4)):
        assert convolved(count_law([p] * n), count_law([p] * m)) == count_law([p] * (n + m))
    mixed = convolved(count_law([F(1, 3)]), count_law([F(1, 2)]))
    # (1, 3, 2)/6: with success probability r it would be r² = 1/3 and (1 - r)² = 1/3 - 1/6.
    assert mixed == {0: F(1, 3), 1: F(1, 2), 2: F(1, 6)}
    assert mixed[1] ** 2 != 4 * mixed[0] * mixed[2]


def coins_delta(coins, E):
    law = count_law([F(1, 2)] * coins)
    return max(hockey_stick(shifted(law), law, E), hockey_stick(law, shifted(law), E))


def test_binomial_noise_is_additional_records():
    source = random.Random(58)
    lam = F(1, 5)
    for _ in range(60):
        N, m = source.randint(0, 4), source.randint(0, 4)
        E = 1 + F(source.randint(0, 8), 5)
        drawn = count_law([2 * lam] * N)
        bound = sum(mass * coins_delta(c + m, E) for c, mass in drawn.items())
        probabilities = [lam + (1 - 2 * lam) * F(source.randint(0, 4), 4) for _ in range(N)]
        exact = count_delta([*probabilities, *[F(1, 2)] * m], E)
        assert exact <= bound <= coins_delta(m, E)
        for c in range(N + 2):
            assert bound <= sum(drawn[k] for k in range(min(c, N + 1))) + coins_delta(c + m, E)


def test_the_library_agrees_on_counts_with_coins():
    for coins, eps in product((1, 3, 6), (0.0, 0.2, 0.7)):
        E = F(math.exp(eps))
        exact = count_delta([F(1, 3), F(1, 4), *[F(1, 2)] * coins], E)
        found = noise.binomial([float(F(1, 3)), 0.25], trials=coins).delta(eps)
        assert found == pytest.approx(float(exact), rel=1e-9)


# --------------------------------------------------------------------------------------------
# What cannot be promised
# --------------------------------------------------------------------------------------------


def test_sampling_makes_any_mechanism_more_private():
    source = random.Random(59)
    for _ in range(60):
        databases = list(product((0, 1, None), repeat=2))
        mechanism = enumeration.random_mechanism(source, databases, 3, deterministic=False)
        rate = F(source.randint(1, 4), 5)
        E = 1 + F(source.randint(0, 6), 5)

        def sampled(database, rate=rate, mechanism=mechanism):
            law = {}
            for seen in product((True, False), repeat=2):
                chance = math.prod(rate if s else 1 - rate for s in seen)
                kept = tuple(x if s else None for x, s in zip(database, seen, strict=True))
                for output, share in mechanism(kept).items():
                    law[output] = law.get(output, F(0)) + chance * share
            return law

        whole = dp_delta(mechanism, (0, 1, None), 2, ratio=1 + (E - 1) / rate)
        assert dp_delta(sampled, (0, 1), 2, ratio=E) <= rate * whole


def truncated(E, r):
    weights = {k: F(1) / E ** abs(k) for k in range(-r, r + 1)}
    return {k: weight / sum(weights.values()) for k, weight in weights.items()}


def random_symmetric(source, r):
    half = [source.randint(0, 5) for _ in range(r + 1)]
    half[0] += 1
    total = half[0] + 2 * sum(half[1:])
    return {k: F(half[abs(k)], total) for k in range(-r, r + 1)}


def test_shuffling_makes_any_local_randomizer_more_private():
    """Whatever it is, as long as every answer is possible for every input."""
    source = random.Random(59)

    def shuffled(laws):
        """The law of how often each of three answers is given."""
        found = {(0, 0, 0): F(1)}
        for law in laws:
            more = {}
            for (counts, mass), (answer, p) in product(found.items(), enumerate(law)):
                key = tuple(c + (k == answer) for k, c in enumerate(counts))
                more[key] = more.get(key, F(0)) + mass * p
            found = more
        return found

    less = 0
    for _ in range(40):
        rows = []
        for _ in range(2):
            weights = [source.randint(1, 9) for _ in range(3)]
            rows.append([F(w, sum(weights)) for w in weights])
        others = [source.choice(rows) for _ in range(source.randint(1, 4))]
        local = [dict(enumerate(row)) for row in rows]
        together = [shuffled([row, *others]) for row in rows]
        for E in (F(1), F(5, 4), F(2)):
            for a, b in ((0, 1), (1, 0)):
                alone = hockey_stick(local[a], local[b], E)
                among = hockey_stick(together[a], together[b], E)
                assert among <= alone
                assert among < alone or alone == 0
                less += alone > 0
    assert less > 80


def test_two_arbitrary_noises_are_together_no_better_than_one():
    source = random.Random(60)
    for E, r in product((F(1), F(11, 10), F(3, 2), F(4)), (1, 2, 3, 5)):
        X = truncated(E, 2 * r)
        delta = X[-2 * r]
        assert delta == step_delta(X, E) <= F(1) / E ** (2 * r)
        noises = [truncated(E, r), *(random_symmetric(source, r) for _ in range(6))]
        for Y in noises:
            assert step_delta(convolved(X, Y), E) == delta
        # One wider by a step is enough to gain something, for the proof needs what it asks.
        assert E == 1 or step_delta(convolved(X, truncated(E, r + 1)), E) < delta
    # Both guarantees may be as strong as one likes.
    X, Y = truncated(F(3, 2), 40), truncated(F(3, 2), 20)
    assert step_delta(convolved(X, Y), F(3, 2)) == step_delta(X, F(3, 2)) < F(1, 10**7)
    assert step_delta(X, F(3, 2)) < step_delta(Y, F(3, 2)) < F(1, 10**4)


def test_two_equal_noises_are_together_no_better_at_eps_zero():
    for m in (2, 5, 10):
        flat = dict.fromkeys(range(m), F(1, m))
        assert step_delta(flat, F(1)) == step_delta(convolved(flat, flat), F(1)) == F(1, m)


def test_no_two_noises_are_worse_together_than_the_better_one():
    source = random.Random(61)
    for _ in range(200):
        X, Y = (random_symmetric(source, source.randint(1, 4)) for _ in range(2))
        E = 1 + F(source.randint(0, 6), 4)
        assert step_delta(convolved(X, Y), E) <= min(step_delta(X, E), step_delta(Y, E))


def test_two_geometric_noises_are_together_no_more_pure():
    # Masses p^|k|·(|k| + c) up to a factor: quotients of neighbours rise to 1/p and stay below.
    k, p = sp.symbols("k p", positive=True)
    j = sp.symbols("j", integer=True, positive=True)
    outside = sp.summation(p ** (2 * j), (j, 1, sp.oo)).args[0][0]
    c = 1 + 2 * outside  # Σ p^|i| p^|k-i| = p^k (k + 1 + 2 Σ p^2i)
    assert sp.simplify(c - (1 + p**2) / (1 - p**2)) == 0
    quotient = (k + c) / (p * (k + 1 + c))
    assert sp.limit(quotient, k, sp.oo) == 1 / p
    assert sp.simplify(sp.diff(quotient, k) - 1 / (p * (k + 1 + c) ** 2)) == 0
    ratio = F(2, 3)
    far = range(-120, 121)
    for at in (0, 1, 5):
        summed = sum(ratio ** (abs(i) + abs(at - i)) for i in far)
        stated = ratio**at * (at + (1 + ratio**2) / (1 - ratio**2))
        assert abs(summed - stated) < F(1, 10**30)


def test_log_concave_noises_come_as_close_as_one_likes_to_no_gain():
    E, r = F(3, 2), 2

    def sloped(width, tail):
        weights = {
            k: F(1) / E ** min(abs(k), width) * tail ** max(0, abs(k) - width)
            for k in range(-width - 9, width + 10)
        }
        total = sum(weights.values())
        law = {k: weight / total for k, weight in weights.items()}
        assert all(law[k] ** 2 >= law[k - 1] * law.get(k + 1, 0) for k in list(law)[1:])
        return law

    limit = truncated(E, 2 * r)[2 * r]
    gains = []
    for tail in (F(1, 10), F(1, 100), F(1, 1000)):
        X, Y = sloped(2 * r, tail), sloped(r, tail)
        gains.append(1 - step_delta(convolved(X, Y), E) / step_delta(X, E))
        assert abs(step_delta(X, E) - limit) < 3 * tail
    assert gains[0] > gains[1] > gains[2] > 0
    assert gains[2] < F(1, 100)


# --------------------------------------------------------------------------------------------
# A count through a channel
# --------------------------------------------------------------------------------------------


def noisy(k, top, p):
    """k plus two-sided geometric noise, moved into 0…top: beyond, the likelihood ratio is that."""
    inner = {o: (1 - p) / (1 + p) * p ** abs(o - k) for o in range(1, top)}
    return inner | {0: p**k / (1 + p), top: p ** (top - k) / (1 + p)}


def chained_and_exact(N, p, E):
    top = N + 1
    channel = {k: noisy(k, top, p) for k in range(top + 1)}
    S = {k: F(comb(N, k), 2**N) for k in range(top)} | {top: F(0)}
    P = {k: S.get(k - 1, F(0)) for k in range(top + 1)}

    def through(law):
        found = dict.fromkeys(range(top + 1), F(0))
        for k, mass in law.items():
            for o, share in channel[k].items():
                found[o] += mass * share
        return found

    h = hockey_stick(P, S, E)
    ends = hockey_stick(channel[top], channel[0], 1 + (E - 1) / h)
    return h, h * ends, hockey_stick(through(P), through(S), E)


def test_ends_stand_for_the_tails_of_the_noise():
    p, top = F(3, 5), 4
    far = 80
    for k in range(top + 1):
        whole = {o: (1 - p) / (1 + p) * p ** abs(o - k) for o in range(-far, far + 1)}
        low = sum(mass for o, mass in whole.items() if o <= 0)
        assert abs(low - noisy(k, top, p)[0]) < F(1, 10**15)
        assert sum(noisy(k, top, p).values()) == 1
        # Beyond an end the likelihood ratio of two counts does not change.
        other = {o: (1 - p) / (1 + p) * p ** abs(o - 1) for o in range(-far, far + 1)}
        assert len({whole[o] / other[o] for o in range(-5, 1)}) == 1


@pytest.mark.parametrize("p", [F(1, 2), F(3, 4)])
def test_for_a_noisy_count_the_bound_of_the_chain_is_worse_than_the_noise_alone(p):
    for E in (F(1), F(11, 10), F(6, 5), F(13, 10)):
        count, chain, exact = chained_and_exact(20, p, E)
        alone = max(F(0), (1 - p * E) / (1 + p))
        if p == F(3, 4):
            assert exact < alone < chain < count
            assert F(9, 5) < chain / exact < 22
        assert chain > F(85, 100) * count
        assert exact < F(4, 5) * min(count, alone)


def test_the_bound_of_the_chain_nears_the_count_alone_as_counts_grow():
    parts = []
    for N in (5, 10, 20, 40):
        count, chain, _ = chained_and_exact(N, F(3, 4), F(1))
        parts.append(1 - chain / count)
    assert parts == sorted(parts, reverse=True)
    assert parts[-1] < F(1, 300)


def test_a_chain_leaks_less_with_the_stricter_mechanism_first():
    for k, eps in ((2, "3.31"), (3, "2.90"), (5, "2.39")):
        found = post_processing.pure([4.0] * k)
        assert f"{found:.2f}" == eps
        # A constant below that of one: ln k, in the limit.
        assert found == pytest.approx(4 - math.log(k), abs=0.01)
    one, two = (2.0, 1e-3), (1.0, 1e-3)
    worse, better = (
        post_processing.of_guarantees(*zip(*order, strict=True))
        for order in ((one, two), (two, one))
    )
    same = post_processing.pure([1.0, 2.0])
    assert f"{same:.2f}" == "0.74"
    for eps in np.linspace(0, same, 30):
        assert better.delta(eps) == pytest.approx(worse.delta(eps))
    for eps in np.linspace(same + 1e-6, 1.99, 30):
        assert better.delta(eps) < worse.delta(eps)
    assert better.delta(1.0) == pytest.approx(1e-6) == worse.delta(2.0)
