"""Counts over records that depend on each other, against whole databases in exact fractions."""

import itertools
import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting
from pkdp.partial_knowledge import dependent_counts

LAMS = [Fraction(1, 50), Fraction(1, 10), Fraction(1, 4), Fraction(2, 5), Fraction(1, 2)]
RATIOS = [Fraction(1), Fraction(11, 10), Fraction(2), Fraction(5), Fraction(100)]


def odds(lam):
    return (1 - lam) / lam


def normalized(masses):
    total = sum(masses)
    return [m / total for m in masses]


def pattern(N, a, rises):
    """The law of the number of ones, where the weight of a database with k + 1 ones is a times that
    with k, or a part of it."""
    weights = [Fraction(1)]
    for rise in rises:
        weights.append(weights[-1] * (a if rise else 1 / a))
    return normalized([comb(N, k) * w for k, w in enumerate(weights)])


def peaked(N, a, K):
    return normalized([comb(N, k) * a ** min(k, 2 * K - k) for k in range(N + 1)])


def excess(p, q, E):
    """H_E of two lists of masses."""
    return sum(max(0, x - E * y) for x, y in zip(p, q, strict=True))


def from_one(p, E):
    """From 1 to 0: the law of S + 1 against that of S."""
    return excess([0, *p], [*p, 0], E)


def from_zero(p, E):
    return excess([*p, 0], [0, *p], E)


def chances(law, length):
    """P[record is 1 | all others], for each record and all values of the others."""
    for i in range(length):
        for x in itertools.product((0, 1), repeat=length):
            if x[i]:
                zero = (*x[:i], 0, *x[i + 1 :])
                yield law[x] / (law[x] + law[zero])


@pytest.mark.slow
@pytest.mark.parametrize("lam", LAMS)
@pytest.mark.parametrize("N", [1, 2, 5, 7])
def test_no_pattern_of_steps_is_worse_than_a_peak(N, lam):
    """These patterns are all vertices of the set of exchangeable laws."""
    a = odds(lam)
    laws = [pattern(N, a, rises) for rises in itertools.product((0, 1), repeat=N)]
    for E in [*RATIOS, a * a, 2 * a * a]:
        worst = max(from_one(p, E) for p in laws)
        assert worst == max(from_zero(p, E) for p in laws)
        assert worst == max(from_one(peaked(N, a, K), E) for K in range(N + 1))
        found = dependent_counts.worst_case(N + 1, lam).delta(math.log(E))
        assert found == pytest.approx(float(worst), rel=2e-11, abs=0)
        assert found >= float(worst) * (1 - 1e-15)
        K = dependent_counts._worst_peak(N, lam, math.log(E))
        assert float(from_one(peaked(N, a, K), E)) == pytest.approx(float(worst), rel=1e-12)


@pytest.mark.parametrize("lam", LAMS)
@pytest.mark.parametrize("N", [3, 8, 30])
def test_as_a_function_of_the_peak_delta_rises_and_then_falls(N, lam):
    a = odds(lam)
    for E in [*RATIOS, a * a, 3 * a * a, 10**9]:
        deltas = [from_one(peaked(N, a, K), E) for K in range(N + 1)]
        steps = [y - x for x, y in itertools.pairwise(deltas)]
        last_rise = max((i for i, step in enumerate(steps) if step > 0), default=-1)
        assert all(step >= 0 for step in steps[:last_rise])
        found = dependent_counts.worst_case(N + 1, lam).log_delta(math.log(E))
        assert found == pytest.approx(math.log(max(deltas)), rel=2e-12, abs=2e-12)


@pytest.mark.parametrize("lam", [Fraction(1, 10), Fraction(1, 3), Fraction(9, 20)])
def test_a_peaked_law_leaves_every_record_uncertain_and_is_the_worst(lam):
    """Record by record over whole databases of 5, the target's, a fair coin, in front."""
    N, a = 4, odds(lam)
    for K in range(N + 1):
        law = {
            x: a ** min(sum(x[1:]), 2 * K - sum(x[1:]))
            for x in itertools.product((0, 1), repeat=N + 1)
        }
        assert all(lam <= chance <= 1 - lam for chance in chances(law, N + 1))
        counts = {b: [Fraction(0)] * (N + 2) for b in (0, 1)}
        for x, mass in law.items():
            counts[x[0]][sum(x)] += mass
        P, Q = normalized(counts[1]), normalized(counts[0])
        profile = dependent_counts.peaked(N + 1, lam, peak=K).profile()
        for E in RATIOS:
            delta = max(excess(P, Q, E), excess(Q, P, E))
            assert profile.delta(math.log(E)) == pytest.approx(float(delta), rel=1e-11)
            assert delta <= dependent_counts.worst_case(N + 1, lam).delta(math.log(E))
    # And one of them attains the worst case.
    K = dependent_counts._worst_peak(N, lam, math.log(2))
    pair = dependent_counts.peaked(N + 1, lam, peak=K)
    worst = dependent_counts.worst_case(N + 1, lam).delta(math.log(2))
    assert math.exp(pair.log_hockey_stick(math.log(2))) == pytest.approx(worst, rel=1e-11)


def uncertain_laws(rng, number, length, a, spread):
    """Random laws over databases in which no record's odds, given the others, leave [1/a, a].

    From any weights w, the largest w(y)·a^-|x - y| over all y; a step changes it by a at most.
    """
    x = np.arange(2**length)
    steps = np.array([[bin(i ^ j).count("1") for j in x] for i in x])
    weights = spread * rng.standard_normal((number, x.size))
    logs = (weights[:, None, :] - steps * math.log(a)).max(axis=2)
    return np.exp(logs - logs.max(axis=1, keepdims=True))


def of_count(laws, length):
    ones = np.array([bin(i).count("1") for i in range(2**length)])
    counts = np.stack([laws[:, ones == k].sum(axis=1) for k in range(length + 1)], axis=1)
    return counts / counts.sum(axis=1, keepdims=True)


def sticks(P, Q, E):
    return np.maximum(
        np.maximum(P - E * Q, 0.0).sum(axis=1), np.maximum(Q - E * P, 0.0).sum(axis=1)
    )


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0, 30.0])
def test_no_law_that_leaves_records_uncertain_is_above_the_worst_case(spread):
    """Ten thousand laws in all, most of them not exchangeable."""
    rng = np.random.default_rng(8)
    tightest = 0.0
    for N, lam in itertools.product((2, 3, 4, 5, 6), (0.05, 0.2, 0.3, 0.4, 0.45)):
        laws = uncertain_laws(rng, 100, N, odds(lam), spread)
        for i in range(N):  # the condition itself
            bit = np.arange(2**N) >> i & 1 == 1
            chance = laws[:, bit] / (laws[:, bit] + laws[:, ~bit])
            assert (np.abs(chance - 0.5) <= 0.5 - lam + 1e-12).all()
        s = of_count(laws, N)
        edge = np.zeros((len(s), 1))
        P, Q = np.hstack([edge, s]), np.hstack([s, edge])
        worst = dependent_counts.worst_case(N + 1, lam)
        for eps in (0.0, 0.3, 1.0, 2.5):
            share = sticks(P, Q, math.exp(eps)) / worst.delta(eps)
            assert share.max() <= 1 + 1e-12
            tightest = max(tightest, share.max())
    assert tightest > (0.4 if spread < 1 else 0.9)


def test_no_exact_law_is_above_the_worst_case():
    rng = np.random.default_rng(5)
    for _ in range(60):
        N, lam = int(rng.integers(2, 5)), LAMS[rng.integers(0, 4)]
        a = odds(lam)
        points = list(itertools.product((0, 1), repeat=N))
        raw = {x: a ** int(rng.integers(-3, 4)) for x in points}
        law = {
            x: max(w * a ** -sum(i != j for i, j in zip(x, y, strict=True)) for y, w in raw.items())
            for x in points
        }
        assert all(lam <= chance <= 1 - lam for chance in chances(law, N))
        counts = [Fraction(0)] * (N + 1)
        for x, mass in law.items():
            counts[sum(x)] += mass
        p = normalized(counts)
        for E in RATIOS:
            bound = max(from_one(peaked(N, a, K), E) for K in range(N + 1))
            assert max(from_one(p, E), from_zero(p, E)) <= bound


@pytest.mark.parametrize("lam", [Fraction(1, 10), Fraction(1, 4), Fraction(9, 20)])
def test_no_number_of_records_is_below_the_limit(lam):
    """At ratios with a rational root, in exact numbers."""
    a = odds(lam)
    for root in (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(5, 2)):
        if root > a:
            continue
        limit = (a - root) ** 2 / (a * a - 1)
        eps = 2 * math.log(root)
        assert dependent_counts.limit(lam).delta(eps) == pytest.approx(float(limit), rel=1e-11)
        for N in (1, 2, 3, 4, 10, 31):
            assert max(from_one(peaked(N, a, K), root**2) for K in range(N + 1)) > limit


@given(
    st.integers(2, 10**10),
    st.floats(1e-6, 0.49),
    st.floats(0, 1),
)
def test_the_limit_is_a_lower_bound_at_any_size(n, lam, part):
    eps = part * 2 * math.log(odds(lam))
    worst = dependent_counts.worst_case(n, lam).log_delta(eps)
    assert worst >= dependent_counts.limit(lam).log_delta(eps)


@pytest.mark.parametrize("lam", [0.01, 0.1, 0.3, 0.45, 0.49])
def test_the_worst_case_tends_to_the_limit(lam):
    for part in (0.0, 0.2, 0.5, 0.8):
        eps = part * 2 * math.log(odds(lam))
        limit = dependent_counts.limit(lam).delta(eps)
        gaps = [
            dependent_counts.worst_case(n, lam).delta(eps) - limit for n in (10**4, 10**6, 10**9)
        ]
        assert gaps[0] > gaps[1] > gaps[2] > 0
        assert gaps[2] < 1e-3 * gaps[0]
    beyond = 2 * math.log(odds(lam)) * 1.1
    assert dependent_counts.limit(lam).delta(beyond) == 0
    assert dependent_counts.worst_case(10**9, lam).delta(beyond) < 1e-100


@pytest.mark.parametrize("lam", LAMS)
def test_dependence_costs_no_more_than_twice_the_log_odds(lam):
    """In exact numbers, from the ratio a² on, which is all that remains of it."""
    a = odds(lam)
    for N, E in itertools.product((1, 2, 3, 6, 15), (Fraction(1), Fraction(5, 4), 3, 40, 10**6)):
        binomial = normalized([comb(N, k) * a**k for k in range(N + 1)])
        dependent = max(from_one(peaked(N, a, K), E * a * a) for K in range(N + 1))
        assert dependent <= from_one(binomial, E)
        assert float(dependent) <= counting.worst_case(N + 1, lam).delta(math.log(E)) * (1 + 1e-12)


def test_it_costs_no_more_far_out_either():
    for n, lam in itertools.product((10**3, 10**6), (0.05, 0.3, 0.45)):
        shift = 2 * math.log(odds(lam))
        dependent, independent = dependent_counts.worst_case(n, lam), counting.worst_case(n, lam)
        for eps in (0.0, 0.01, 0.5, 3.0):
            assert dependent.log_delta(eps + shift + 1e-12) <= independent.log_delta(eps)


def test_fair_coins_cannot_depend_on_each_other():
    for n, eps in itertools.product((2, 3, 50, 10**4, 10**8), (0.0, 1e-4, 0.2, 3.0, math.inf)):
        found = dependent_counts.worst_case(n, 0.5).log_delta(eps)
        assert found == pytest.approx(counting.worst_case(n, 0.5).log_delta(eps), rel=2e-8)
    assert dependent_counts.limit(0.5).delta(0.0) == 0.0


def test_given_some_records_the_rest_are_as_uncertain_as_before():
    """In exact numbers, given the number of ones among two of five."""
    assert dependent_counts.peaked(5, 0.3, peak=0, known=4).profile().delta(9.0) == 1.0
    lam, N, K = Fraction(1, 4), 5, 3
    a = odds(lam)
    for ones in range(3):
        p = normalized([comb(3, k) * a ** min(k + ones, 2 * K - k - ones) for k in range(4)])
        worst = dependent_counts.worst_case(N + 1, lam, known=2).delta(math.log(2))
        assert max(from_one(p, 2), from_zero(p, 2)) <= worst


# A target that takes part.


@pytest.mark.parametrize("lam", [Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)])
def test_a_target_may_take_part_and_be_as_uncertain(lam):
    N, a = 4, odds(lam)
    for K in range(N + 1):
        # The weight of a database: on the one row a peak at K, on the other at K - 1.
        law = {}
        for x in itertools.product((0, 1), repeat=N + 1):
            k = sum(x[1:])
            one = a ** min(k, 2 * K - k)
            law[x] = one if x[0] else one * (1 / a if k >= K else a)
        assert all(lam <= chance <= 1 - lam for chance in chances(law, N + 1))
        counts = {b: [Fraction(0)] * (N + 2) for b in (0, 1)}
        for x, mass in law.items():
            counts[x[0]][sum(x)] += mass
        P, Q = normalized(counts[1]), normalized(counts[0])
        pair = dependent_counts.peaked(N + 1, lam, peak=K, target_depends=True)
        bound = dependent_counts.any_target(N + 1, lam)
        for E in RATIOS:
            found = math.exp(pair.log_hockey_stick(math.log(E)))
            assert found == pytest.approx(float(excess(P, Q, E)), rel=1e-11, abs=1e-300)
            assert max(excess(P, Q, E), excess(Q, P, E)) <= bound.delta(math.log(E))


@pytest.mark.parametrize("lam", [0.1, 0.3, 0.45])
def test_below_four_times_the_log_odds_no_number_of_records_helps_then(lam):
    a = odds(lam)
    for part in (0.0, 0.5, 0.9):
        E = a ** (4 * part)
        r = np.linspace(1 / a, a, 4001)
        limits = (a - 1 / r) * (a**2 - E * r**2) / (a * (a**2 - 1))
        limit, best = limits.max(), r[limits.argmax()]
        assert limit > 0
        for n in (3000, 30_000):
            pair = dependent_counts.peaked(n, lam, peak=round(n / (1 + best)), target_depends=True)
            found = math.exp(pair.log_hockey_stick(math.log(E)))
            assert found > 0.98 * limit
            assert found <= dependent_counts.any_target(n, lam).delta(math.log(E))


def test_the_example_with_the_target_is_not_always_the_worst():
    """For five others one step short of its limit does better."""
    lam, N, E = Fraction(1, 10), 5, 20
    examples = [
        dependent_counts.peaked(N + 1, lam, peak=K, target_depends=True) for K in range(N + 1)
    ]
    known = max(math.exp(pair.log_hockey_stick(math.log(E))) for pair in examples)
    ones = [Fraction(1, x) for x in (18, 81, 9, 1, 9, 81)]
    law = {
        (b, *x): ones[sum(x)] * (1 if b else Fraction(1, 9) if sum(x) >= 3 else 9)
        for b in (0, 1)
        for x in itertools.product((0, 1), repeat=N)
    }
    assert all(lam <= chance <= 1 - lam for chance in chances(law, N + 1))
    counts = {b: [Fraction(0)] * (N + 2) for b in (0, 1)}
    for x, mass in law.items():
        counts[x[0]][sum(x)] += mass
    found = excess(normalized(counts[1]), normalized(counts[0]), E)
    assert found > known + 1e-4
    assert found <= dependent_counts.any_target(N + 1, lam).delta(math.log(E))


@pytest.mark.parametrize("spread", [0.5, 2.0, 20.0])
def test_no_law_is_above_the_bound_for_any_target(spread):
    rng = np.random.default_rng(3)
    tightest = 0.0
    for N, lam in itertools.product((1, 2, 3, 4), (0.05, 0.2, 0.4)):
        laws = uncertain_laws(rng, 150, N + 1, odds(lam), spread)
        zero, one = of_count(laws[:, : 2**N], N), of_count(laws[:, 2**N :], N)
        edge = np.zeros((len(laws), 1))
        P, Q = np.hstack([edge, one]), np.hstack([zero, edge])
        bound = dependent_counts.any_target(N + 1, lam)
        for eps in (0.0, 1.0, 2.0, 4.0, 8.0):
            share = sticks(P, Q, math.exp(eps)) / bound.delta(eps)
            assert share.max() <= 1 + 1e-12
            tightest = max(tightest, share.max())
    assert tightest > 0.5


def test_a_peak_that_includes_the_target_tells_hardly_anything():
    """Given a total, an exchangeable law is the same for all: the odds are k/(n - k)."""
    lam = Fraction(1, 4)
    a = odds(lam)
    deltas = []
    for n in (10, 40, 160):
        total = peaked(n, a, n // 2)
        mean = sum(k * p for k, p in enumerate(total)) / n
        P = [p * k / (n * mean) for k, p in enumerate(total)]
        Q = [p * (n - k) / (n * (1 - mean)) for k, p in enumerate(total)]
        assert sum(P) == sum(Q) == 1
        deltas.append(float(excess(P, Q, 1)))
    assert deltas[0] > 3 * deltas[1] > 9 * deltas[2]


@pytest.mark.parametrize("lam", [Fraction(1, 10), Fraction(1, 3)])
def test_parity_alone_keeps_delta_at_zero_from_falling(lam):
    """An even number of ones a times as likely: an uncertain law, and an even sum."""
    a = odds(lam)
    law = {x: 1 if sum(x) % 2 else a for x in itertools.product((0, 1), repeat=4)}
    assert all(lam <= chance <= 1 - lam for chance in chances(law, 4))
    for N in (1, 2, 9, 40):
        p = normalized([comb(N, k) * (1 if k % 2 else a) for k in range(N + 1)])
        assert sum(p[::2]) == 1 - lam
        assert from_one(p, 1) >= 1 - 2 * lam
        # In the limit (a - E)/(a + 1), which is no more than what peaks give.
        for E in (Fraction(5, 4), Fraction(3, 2)):
            assert from_one(p, E) <= max(from_one(peaked(N, a, K), E) for K in range(N + 1))


# What restores a bound.


def test_blocks_that_are_independent_restore_a_bound():
    """Blocks of 2, and one record over, each with any law that leaves it uncertain."""
    rng = np.random.default_rng(1)
    tightest = 0.0
    for lam, number in itertools.product((0.1, 0.3, 0.45), (1, 2, 3)):
        counts = np.ones((200, 1))
        for size in [2] * number + [1]:
            block = of_count(uncertain_laws(rng, 200, size, odds(lam), 2.0), size)
            counts = np.array([np.convolve(p, q) for p, q in zip(counts, block, strict=True)])
        edge = np.zeros((200, 1))
        P, Q = np.hstack([edge, counts]), np.hstack([counts, edge])
        n = 2 * number + 2
        bound = dependent_counts.independent_blocks(n, lam, size=2)
        for eps in (0.0, 0.3, 1.0, 3.0):
            share = sticks(P, Q, math.exp(eps)) / bound.delta(eps)
            assert share.max() <= 1 + 1e-12
            tightest = max(tightest, share.max())
    assert tightest > 0.9
    assert dependent_counts.independent_blocks(10**6, 0.4, size=10).delta(0.1) < 1e-40


def test_so_do_chains():
    """Markov chains of bits: every second record is free, given the others."""
    rng = np.random.default_rng(2)
    tightest = 0.0
    for N, lam in itertools.product((2, 3, 5, 6), (0.1, 0.3, 0.45)):
        bits = np.arange(2**N)[:, None] >> np.arange(N) & 1
        # Odds given both neighbours: a product of three factors that stay within [1/a, a].
        third = math.log(odds(lam)) / 3
        half = counting.worst_case(-(-N // 2) + 1, lam)
        third_of_them = dependent_counts.sparse(N + 1, lam, degree=2)
        bounds = {eps: (half.delta(eps), third_of_them.delta(eps)) for eps in (0.0, 0.3, 1.0)}
        for _ in range(40):
            field = rng.uniform(-third, third, N)
            bond = rng.uniform(-2 * third, 2 * third, N - 1) / 2
            both = (2 * bits[:, 1:] - 1) * (2 * bits[:, :-1] - 1)
            law = np.exp(bits @ field + both @ bond / 2)[None, :]
            for i in range(N):
                one = bits[:, i] == 1
                chance = law[0, one] / (law[0, one] + law[0, ~one])
                assert (np.abs(chance - 0.5) <= 0.5 - lam + 1e-12).all()
            s = of_count(law, N)
            P, Q = np.hstack([[[0.0]], s]), np.hstack([s, [[0.0]]])
            for eps, (bound, weaker) in bounds.items():
                delta = sticks(P, Q, math.exp(eps))[0]
                share = delta / bound
                assert max(share, delta / weaker) <= 1 + 1e-12
                tightest = max(tightest, share)
    assert tightest > 0.6


def test_a_block_of_all_restores_nothing():
    n, lam = 1000, 0.3
    bound = dependent_counts.independent_blocks(n, lam, size=n - 1)
    assert bound.delta(0.0) == dependent_counts.worst_case(n, lam).delta(0.0)
    assert bound.delta(2.5) == dependent_counts.worst_case(n, lam).delta(2.5)
    alone = dependent_counts.independent_blocks(n, lam, size=1)
    assert alone.delta(0.3) == counting.worst_case(n, lam).delta(0.3)
    assert dependent_counts.sparse(n, lam, degree=0).delta(0.3) == alone.delta(0.3)


def test_the_target_may_have_a_block_too():
    """With it, the others move by a block at most: group privacy of the free records."""
    rng = np.random.default_rng(4)
    lam, size, number = 0.3, 3, 4
    a = odds(lam)
    others = np.ones(1)
    for _ in range(number):
        others = np.convolve(others, of_count(uncertain_laws(rng, 1, size, a, 2.0), size)[0])
    free = counting.worst_case(number + 1, lam)
    own = uncertain_laws(rng, 200, size, a, 5.0)
    zero, one = of_count(own[:, :4], 2), of_count(own[:, 4:], 2)
    for eps in (0.3, 1.0, 2.0, 4.0):
        E = math.exp(eps)
        bound = sum(E ** (i / size) for i in range(size)) * free.delta(eps / size)
        for p, q in zip(one, zero, strict=True):
            P = np.concatenate([[0.0], np.convolve(p, others)])
            Q = np.concatenate([np.convolve(q, others), [0.0]])
            assert sticks(P[None, :], Q[None, :], E)[0] <= bound
