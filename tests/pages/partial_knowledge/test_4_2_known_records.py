"""Section 4.2 with knowledge: what its page says, from the definitions and in exact rationals."""

import math
import random
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations_with_replacement, product

import numpy as np
import pytest
from scipy.stats import binom

from pkdp import counting, figures, published, thresholding
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import decisions
from pkdp.profiles.binomials import log_binomial_tail
from pkdp.worlds import World, bits
from pkdp.worlds.definitions import apk_delta, ppk_delta
from pkdp.worlds.mechanisms import make_threshold, total
from tests.oracles.counts import count_law, hockey_stick

pytestmark = pytest.mark.page

HALF = Fraction(1, 2)
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(4), Fraction(20))


def f(s, n, p):
    """The binomial mass, 0 outside 0…n."""
    return math.comb(n, s) * p**s * (1 - p) ** (n - s) if 0 <= s <= n else Fraction(0)


def at_least(s, n, p):
    return sum((f(k, n, p) for k in range(max(s, 0), n + 1)), Fraction(0))


def world_of(unknown, known):
    """A fair target, then the unknown records, then the known ones."""
    everybody = [HALF, *unknown, *known]
    first = 1 + len(unknown)
    return bits(everybody, knowledge=range(first, len(everybody)))


def passive(unknown, known, T, E):
    return ppk_delta(world_of(unknown, known), make_threshold(T), E, [0])


def active(unknown, known, T, E):
    mechanism = make_threshold(T) if T >= 0 else total
    return apk_delta(world_of(unknown, known), mechanism, E, [0])


def released(unknown, b, T, target):
    """The law of the output by convolution: a quick second way for equal probabilities."""
    law = {}
    for k, mass in count_law(unknown).items():
        output = None if k + b + target <= T else k + b + target
        law[output] = law.get(output, 0) + mass
    return law


@cache
def directions(unknown, T, E):
    one, zero = released(unknown, 0, T, 1), released(unknown, 0, T, 0)
    return hockey_stick(one, zero, E), hockey_stick(zero, one, E)


def quick_passive(unknown, known, T, E):
    weights = count_law(known)
    pairs = {b: directions(tuple(unknown), max(T - b, 0), E) for b in weights}
    return max(sum(w * pairs[b][i] for b, w in weights.items()) for i in (0, 1))


def printed(n, p, T, K, b_max, away=0):
    """Theorem 4's two terms and its e^ε; None where it says nothing. `away` mends the step lost."""
    N, left = n - 1 - K, T - b_max + away
    if b_max < 1 or left < 1:
        return None
    r_b, r = p * K / ((1 - p) * b_max), p * N / ((1 - p) * left)
    if r_b >= 1 or r >= 1:
        return None
    lucky, shown = f(b_max, K, p) / (1 - r_b), f(left, N, p) / (1 - r)
    return (lucky, shown, 1 / (1 - shown)) if shown < 1 else None


def random_odds(rng, size, most=Fraction(1)):
    return [most * Fraction(rng.randrange(0, 7), 6) for _ in range(size)]


# Theorem 4 with knowledge.


def guarantees(away):
    """Each instance of the theorem that says something, with unequal probabilities up to p."""
    rng = random.Random(5)
    for n, p in product(range(3, 7), (Fraction(1, 5), Fraction(1, 12), Fraction(1, 40))):
        for K, T in product(range(1, n - 1), range(2, n)):
            for b_max in range(1, T + 1):
                claimed = printed(n, p, T, K, b_max, away)
                if claimed is None or claimed[0] + claimed[1] >= 1:
                    continue
                crowds = [[p] * (n - 1)] + [random_odds(rng, n - 1, p) for _ in range(2)]
                for crowd in crowds:
                    yield crowd[K:], crowd[:K], T, claimed


@pytest.mark.parametrize("away", [0, 1])
def test_theorem_4_with_knowledge_is_a_guarantee(away):
    seen = 0
    for unknown, known, T, (lucky, shown, E) in guarantees(away):
        assert quick_passive(unknown, known, T, E) <= lucky + shown
        seen += 1
    assert seen > 100


def test_the_quick_way_is_that_of_the_definition():
    rng = random.Random(2)
    for _ in range(20):
        unknown, known = random_odds(rng, 2), random_odds(rng, 2)
        for T, E in product(range(5), RATIOS):
            assert quick_passive(unknown, known, T, E) == passive(unknown, known, T, E)


def test_theorem_4_with_knowledge_gives_one_away():
    # One step of the threshold more is still a guarantee (above), and is smaller.
    n, p, T, K = 100, Fraction(1, 50), 12, 30
    for b_max in range(2, 8):
        kept, mended = (printed(n, p, T, K, b_max, away) for away in (0, 1))
        assert mended[0] == kept[0]
        assert mended[1] < kept[1] / 2
        assert mended[2] < kept[2]
    # Nothing known: what is printed is Theorem 4 for T - 1, and mended for T.
    r = p * (n - 1) / ((1 - p) * T)
    assert printed(n, p, T, 0, 1, away=1)[:2] == (0, f(T, n - 1, p) / (1 - r))
    assert printed(n, p, T, 0, 1) == printed(n, p, T - 1, 0, 1, away=1)


def test_theorem_4_with_knowledge_may_be_silent_although_both_ratios_are_below_1():
    n, p, T, K, b_max = 5, Fraction(1, 5), 2, 1, 1
    N = n - 1 - K
    r_b, r = p * K / ((1 - p) * b_max), p * N / ((1 - p) * (T - b_max))
    assert r_b < 1
    assert r < 1
    assert f(T - b_max, N, p) / (1 - r) > 1
    with pytest.raises(ValueError, match=r"b_max|threshold"):
        thresholding.theorem_4_terms(n, float(p), threshold=T, known=K)


def test_theorem_4_with_knowledge_is_about_a_b_max_below_the_threshold():
    # Beyond T the second ratio is negative, hence below 1, and ε is 0: f(T - b_max, N, p) = 0.
    for n, K, p, q, b_max, promised, true in (
        (3, 1, Fraction(1, 3), Fraction(1, 4), 2, Fraction(0), Fraction(3, 8)),
        (5, 3, Fraction(1, 4), Fraction(1, 5), 3, Fraction(3, 128), Fraction(308, 625)),
    ):
        T, N = 1, n - 1 - K
        r_b, r = p * K / ((1 - p) * b_max), p * N / ((1 - p) * (T - b_max))
        assert r_b < 1
        assert r < 0
        assert f(T - b_max, N, p) == 0
        assert f(b_max, K, p) / (1 - r_b) == promised
        assert passive([q] * N, [q] * K, T, Fraction(1)) == true > promised


def test_the_library_s_theorem_4_has_the_least_delta_over_b_max():
    for n, p, T, K in ((100, Fraction(1, 50), 12, 30), (60, Fraction(1, 100), 6, 5)):
        claims = {b: printed(n, p, T, K, b) for b in range(1, T)}
        best = min((c[0] + c[1], b) for b, c in claims.items() if c)
        terms = thresholding.theorem_4_terms(n, float(p), threshold=T, known=K)
        assert terms.b_max == best[1]
        assert math.exp(terms.log_delta) == pytest.approx(float(best[0]), rel=1e-10)
        assert math.exp(terms.eps) == pytest.approx(float(claims[best[1]][2]), rel=1e-10)


def test_the_three_cases_of_the_proof():
    n, p, T, K = 40, Fraction(1, 20), 10, 12
    N = n - 1 - K
    below = [1 - at_least(t + 1, N, p) for t in range(T + 1)]  # P[S ≤ t]
    for b_max in range(1, T):
        claimed = printed(n, p, T, K, b_max)
        if claimed is None:
            continue
        lucky, shown, E = claimed
        assert at_least(b_max, K, p) <= lucky
        for b in range(b_max):
            # Released with the target's 1, and all the more rarely with its 0.
            assert at_least(T - b, N, p) <= shown
            assert below[T - b - 1] <= below[T - b] <= E * below[T - b - 1]


def test_smaller_probabilities_lower_both_tails():
    rng = random.Random(3)
    p = Fraction(1, 4)
    for size in range(1, 6):
        for _ in range(10):
            law = count_law(random_odds(rng, size, p))
            for k in range(size + 1):
                assert sum(law[j] for j in range(k, size + 1)) <= at_least(k, size, p)


@pytest.mark.parametrize("T", [0, 1, 2, 3])
def test_the_privacy_loss_with_known_records(T):
    n, K, p = 7, 3, Fraction(2, 7)
    N = n - 1 - K
    for b in range(K + 1):
        zeros = K - b
        one, zero = (released([p] * N, b, T, target) for target in (1, 0))
        assert all(k is None or k >= max(b, T + 1) for k in {**one, **zero})
        for k in range(max(b, T + 1), n + 1):
            if k == b:
                assert (zero[k] > 0, one.get(k, 0)) == (True, 0)
            elif one.get(k, 0):
                ratio = p * (n - zeros - k) / ((1 - p) * (k - b))
                assert zero.get(k, 0) == ratio * one[k]
        if T - b >= 1:
            ratio = sum(f(s, N, p) for s in range(T - b + 1)) / sum(
                f(s, N, p) for s in range(T - b)
            )
            assert zero[None] == ratio * one[None]


# A passive attacker may know everybody.


def test_a_passive_attacker_may_know_everybody():
    rng = random.Random(7)
    for _ in range(12):
        crowd = random_odds(rng, 4)
        law = count_law(crowd)
        for T in range(1, 5):
            eta = sum(law[k] for k in range(T, 5))
            deltas = [passive(crowd[K:], crowd[:K], T, Fraction(1)) for K in range(5)]
            # Less knowledge is a part of more.
            assert deltas == sorted(deltas)
            assert deltas[-1] == eta
            assert passive([], crowd, T, Fraction(50)) == eta


def test_dependent_others_do_no_harm_to_the_passive_bound():
    rng = random.Random(11)
    for _ in range(10):
        rows = list(product((0, 1), repeat=3))
        weights = [rng.randrange(0, 6) for _ in rows]
        whole = sum(weights)
        masses = {
            ((target, *row), row[:known]): Fraction(weight, 2 * whole)
            for known in [rng.randrange(0, 4)]
            for row, weight in zip(rows, weights, strict=True)
            for target in (0, 1)
            if weight
        }
        world = World(masses)
        for T in (1, 2, 3):
            pairs = zip(rows, weights, strict=True)
            eta = Fraction(sum(w for row, w in pairs if sum(row) >= T), whole)
            assert ppk_delta(world, make_threshold(T), 1, [0]) <= eta


def test_others_that_copy_the_target_are_not_covered():
    copies = World({((t, t, t), ()): HALF for t in (0, 1)})
    assert ppk_delta(copies, make_threshold(1), 1, [0]) == 1


def test_the_passive_bound_beats_theorem_4_at_every_b_max():
    seen = 0
    for n, p in product((10, 40), (Fraction(1, 10), Fraction(1, 50), Fraction(1, 500))):
        for T in range(1, min(n, 20)):
            bound, nearly = at_least(T, n - 1, p), at_least(T - 1, n - 1, p)
            for K, b_max in product((1, n // 10, n // 2, n - 1), range(1, T)):
                claimed = printed(n, p, T, K, b_max)
                if claimed:
                    assert bound <= nearly <= claimed[0] + claimed[1]
                    seen += 1
            r = p * (n - 1) / ((1 - p) * T)
            if r < 1:
                assert f(T, n - 1, p) <= bound <= f(T, n - 1, p) / (1 - r)
    assert seen > 500


def test_seeing_costs_nothing_while_the_threshold_stays_above_the_mode():
    for n, p, T in ((6, Fraction(1, 5), 2), (7, Fraction(1, 3), 4), (7, Fraction(3, 5), 4)):
        for K in range(n):
            N = n - 1 - K
            masses = [f(s, N, p) for s in range(N + 1)]
            mode, largest = masses.index(max(masses)), max(masses)
            delta = quick_passive([p] * N, [p] * K, T, Fraction(1))
            exactly = f(T, n - 1, p)
            lucky = at_least(max(T - mode, 0) + 1, K, p) if mode <= T else Fraction(1)
            assert exactly <= delta <= exactly + lucky * largest
            if mode <= T - K:
                assert delta == exactly
            library = thresholding.passive(n, float(p), threshold=T, known=K).delta(0.0)
            assert library == pytest.approx(float(delta), rel=1e-10)


# Equal probabilities are not the worst.


def test_the_example_of_five_people():
    p, E = Fraction(1, 7), Fraction(20)
    deltas = [passive([p] * m + [Fraction(0)] * (3 - m), [p], 2, E) for m in range(4)]
    assert deltas == [0, Fraction(1, 49), Fraction(1, 49), Fraction(1, 343)]
    assert printed(5, p, 2, 1, 1)


def test_fewer_than_five_people_give_no_such_example():
    seen = 0
    for n in (3, 4):
        for K, T in product(range(1, n - 1), range(2, n)):
            N = n - 1 - K
            for p in [Fraction(1, k) for k in range(3, 30)] + [
                Fraction(k, 40) for k in (15, 17, 19)
            ]:
                reach = [
                    b for b in range(1, T) if p * K < (1 - p) * b and p * N < (1 - p) * (T - b)
                ]
                if not reach:
                    continue
                for E in (1, 2, 3, 5, 8, 13, 21, 34, 100):
                    deltas = [
                        quick_passive([p] * m + [Fraction(0)] * (N - m), [p] * K, T, Fraction(E))
                        for m in range(N + 1)
                    ]
                    assert deltas[-1] == max(deltas)
                    seen += 1
    assert seen > 500


def test_the_passive_worst_case_is_at_the_vertices_with_all_known_ones_at_p():
    p = Fraction(2, 5)
    grid = [p * Fraction(i, 3) for i in range(4)]
    for K, N, T, E in ((1, 2, 1, Fraction(2)), (2, 2, 2, Fraction(6)), (1, 3, 2, Fraction(4))):
        vertices = max(
            quick_passive([p] * m + [Fraction(0)] * (N - m), [p] * K, T, E) for m in range(N + 1)
        )
        for known in combinations_with_replacement(grid, K):
            for unknown in combinations_with_replacement(grid, N):
                assert quick_passive(unknown, known, T, E) <= vertices
        library = thresholding.passive_worst_case(K + N + 1, float(p), threshold=T, known=K).delta(
            math.log(float(E))
        )
        assert library == pytest.approx(float(vertices), rel=1e-7)


@pytest.mark.parametrize("p", [Fraction(1, 8), Fraction(2, 5), Fraction(3, 4)])
def test_the_excess_rises_in_m_up_to_the_stated_number_and_falls_from_there(p):
    for t, E in product(range(1, 4), (Fraction(1), Fraction(3, 2), Fraction(5))):
        odds = (1 - p) / p
        for i, best in enumerate((t + int(t * odds / E), t + int(t * odds * E))):
            values = [directions((p,) * m, t, E)[i] for m in range(11)]
            assert values[: best + 1] == sorted(values[: best + 1])
            assert values[best:] == sorted(values[best:], reverse=True)


def test_one_known_one_not():
    # The third exercise.
    for p in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 10)):
        for E in (Fraction(1), Fraction(3, 2), Fraction(4), (1 - p) / p, Fraction(20)):
            for x in [p * Fraction(i, 8) for i in range(9)]:
                law = {k: (1 - p, p)[k] for k in (0, 1)}
                mean = sum(law[b] * directions((x,), 1 - b, E)[0] for b in law)
                assert mean == (1 - p) * x + p * max(1 - E * x, x)
            at_p = (1 - p) * p + p * max(1 - E * p, p)
            assert at_p >= p
            assert (at_p == p) == ((1 - p) / p <= E)


# Active attackers.


def test_a_lower_threshold_never_reveals_less():
    rng = random.Random(13)
    for _ in range(20):
        crowd = tuple(random_odds(rng, 4))
        for E in RATIOS:
            levels = [directions(crowd, t, E) for t in range(6)]
            for i in (0, 1):
                column = [pair[i] for pair in levels]
                assert column == sorted(column, reverse=True)


def test_an_active_attacker_lowers_the_threshold_by_the_known_records_that_can_be_1():
    rng = random.Random(17)
    for _ in range(12):
        unknown, known = random_odds(rng, 2), random_odds(rng, 2)
        can = sum(q > 0 for q in known)
        for T, E in product(range(4), (*RATIOS, math.inf)):
            assert active(unknown, known, T, E) == active(unknown, [], T - can, E)


def test_proposition_8_in_exact_rationals():
    rng = random.Random(19)
    for _ in range(12):
        unknown = random_odds(rng, 2)
        known = [Fraction(rng.randrange(1, 6), 7) for _ in range(2)]
        for T, E in product(range(2, 5), RATIOS):
            fewer = ppk_delta(bits([HALF, *unknown]), make_threshold(T - 2), E, [0])
            assert active(unknown, known, T, E) == fewer
            # With certain zeros among the known, the half that protects remains.
            assert active(unknown, [Fraction(0), *known[1:]], T, E) <= fewer


def test_proposition_8_fails_if_a_known_record_is_surely_0():
    for E in (*RATIOS, math.inf):
        assert active([], [Fraction(0)], 1, E) == 0
        assert ppk_delta(bits([HALF]), make_threshold(0), E) == 1


def test_given_the_knowledge_only_t_minus_b_and_the_unknown_records_matter():
    p, E = [Fraction(1, 3)] * 2, Fraction(2)
    for K, T in product(range(4), range(5)):
        for b in range(min(K, T) + 1):
            one, zero = (released(p, b, T, target) for target in (1, 0))
            assert (hockey_stick(one, zero, E), hockey_stick(zero, one, E)) == directions(
                tuple(p), T - b, E
            )


def test_without_knowledge_active_and_passive_agree():
    rng = random.Random(23)
    for _ in range(10):
        world = bits(random_odds(rng, 3, Fraction(5, 6)))
        for T, E in product(range(4), RATIOS):
            assert apk_delta(world, make_threshold(T), E) == ppk_delta(world, make_threshold(T), E)


@pytest.mark.parametrize(("n", "p", "T"), [(1000, 0.005, 20), (50, 0.2, 8), (30, 0.6, 12)])
def test_the_active_worst_case_is_the_worst_case_with_a_lower_threshold(n, p, T):
    for K in range(T + 3):
        profile = thresholding.active_worst_case(n, p, threshold=T, known=K)
        equal = thresholding.active(n, p, threshold=T, known=K)
        for eps in (0.0, 0.7, 2.0):
            if T > K:
                lower = thresholding.worst_case(n - K, p, threshold=T - K).delta(eps)
                assert profile.delta(eps) == pytest.approx(lower, rel=1e-9)
            else:
                assert profile.delta(eps) == 1.0
            assert equal.delta(eps) <= profile.delta(eps) * (1 + 1e-9)


def test_with_as_many_known_as_the_threshold_it_is_a_plain_count():
    for K, T in ((2, 2), (3, 2), (3, 1)):
        unknown, known = [Fraction(1, 3), Fraction(1, 4)], [Fraction(1, 5)] * K
        for E in (*RATIOS, math.inf):
            plain = apk_delta(bits([HALF, *unknown]), total, E, [0])
            assert active(unknown, known, T, E) == plain
            assert plain >= math.prod(1 - q for q in unknown)
        nobody = [Fraction(0)] * 2
        assert active(nobody, known, T, Fraction(100)) == 1


def test_a_plain_count_of_many_uncertain_records_is_private():
    n, p, T, K = 10**6, 0.01, 5000, 5001
    eps = thresholding.active(n, p, threshold=T, known=K).epsilon(1e-6)
    assert eps < 0.04
    assert eps == pytest.approx(
        counting.exact([p], multiplicities=[n - 1 - K]).epsilon(1e-6), rel=1e-9
    )


# The practitioner's either-or.


@pytest.mark.slow
def test_between_the_theorems_there_is_a_gap():
    for expected in (10, 20, 50, 100, 193):
        advice = decisions.recommend(100_000, expected / 99_999, threshold=20, delta=1e-6)
        assert advice.theorem == "neither"
        assert advice.at_most < 1.15
        assert (advice.between < math.inf) == (expected > 10)
    assert decisions.recommend(100_000, 5 / 99_999, threshold=20, delta=1e-6).theorem == "Theorem 4"
    assert (
        decisions.recommend(100_000, 194 / 99_999, threshold=20, delta=1e-6).theorem == "Theorem 3"
    )


def printed_theorem_4(n, expected, T):
    """The δ and the ε of Theorem 4 as printed, for equal probabilities."""
    p = expected / (n - 1)
    r = p * (n - 1) / ((1 - p) * T)
    if r >= 1:
        return 1.0, math.inf
    delta = math.exp(binom.logpmf(T, n - 1, p)) / (1 - r)
    return delta, -math.log1p(-delta) if delta < 1 else math.inf


def printed_closed_form(n, expected, delta):
    """The least ε of Theorem 3's closed form; none beyond 1."""
    eps = max(math.sqrt(14 * math.log(1 / delta) / expected), 27 / expected)
    return eps if eps <= 1 else math.inf


def test_the_gap_by_the_printed_formulas():
    n, delta = 100_000, 1e-6
    assert printed_theorem_4(n, 5, 20)[0] < delta < printed_theorem_4(n, 5.5, 20)[0]
    assert all(printed_theorem_4(n, expected, 20)[0] > delta for expected in range(6, 194))
    assert printed_closed_form(n, 193, delta) == math.inf > printed_closed_form(n, 194, delta)


def test_with_a_large_threshold_the_two_theorems_meet():
    n, delta = 100_000, 1e-6
    meet = 14 * math.log(1e6)  # 193.4
    counts = np.linspace(0.1, meet, 1000)
    assert all(printed_theorem_4(n, c, 264)[0] <= delta for c in counts)
    assert all(printed_theorem_4(n, c, 264)[1] <= 1 for c in counts)
    assert printed_theorem_4(n, meet, 250)[0] > delta
    assert printed_closed_form(n, meet * (1 + 1e-12), delta) <= 1


def test_sure_users_are_like_forged_ones():
    for sure, T in ((25, 20), (20, 20), (60, 50)):
        profile = thresholding.exact([1.0, 1e-5], threshold=T, multiplicities=[sure, 999 - sure])
        exposed = (1 - 1e-5) ** (999 - sure)
        assert exposed > 0.99
        for eps in (0.0, 1.0, 100.0):
            assert profile.delta(eps) >= exposed * (1 - 1e-9)
        # Neither hypothesis has a p or a λ that says something.
        with pytest.raises(ValueError, match=r"threshold|p "):
            thresholding.theorem_4_terms(1000, 1.0, threshold=T)
    # The same in a small world, by the definition.
    rare, sure = Fraction(1, 1000), Fraction(1)
    for E in (*RATIOS, math.inf):
        assert active([rare, sure, sure], [], 2, E) == active([rare], [sure, sure], 2, E)
        assert active([rare, sure, sure], [], 2, E) >= 1 - rare


def test_the_threshold_alone_forgets_the_number_of_records():
    for p, T, eps in ((0.01, 20, 1.0), (0.5, 60, 1.0), (0.001, 10, 0.3), (0.9, 200, 2.0)):
        limit = T + math.floor(T * (1 - p) / p * math.exp(eps))
        whole = thresholding.worst_case(10**9, p, threshold=T).delta(eps)
        for n in (limit + 1, 2 * limit, 10 * limit):
            assert thresholding.worst_case(n, p, threshold=T).delta(eps) == pytest.approx(
                whole, rel=1e-9
            )
        smaller = [
            thresholding.worst_case(n, p, threshold=T).delta(eps)
            for n in np.geomspace(T, limit, 12).astype(int)
        ]
        assert smaller == sorted(smaller)
        assert smaller[-1] <= whole * (1 + 1e-9)


def test_the_poisson_rule_of_thumb_bounds_the_first_direction():
    for T, eps in product((5, 20, 100), (0.2, 1.0, 2.0)):
        mean, E = T / math.exp(eps), math.exp(eps)
        logs = [k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(20 * T)]
        tails = [*accumulate(map(math.exp, reversed(logs)))][::-1]
        excess = tails[T] - E * tails[T + 1]
        assert excess <= math.exp(-T * (eps - 1 + 1 / E))
        rare = thresholding.worst_case(10**9, 1e-6, threshold=T).delta(eps)
        assert rare == pytest.approx(excess, rel=1e-3)


def test_all_but_k():
    rng = random.Random(29)
    p = Fraction(1, 3)
    for _ in range(15):
        K = rng.randrange(0, 3)
        exceptions, rest = random_odds(rng, K), random_odds(rng, 3, p)
        for T, E in product(range(K + 1, K + 4), RATIOS):
            vertices = max(
                max(directions((p,) * m + (Fraction(0),) * (3 - m), T - K, E)) for m in range(4)
            )
            assert active([*exceptions, *rest], [], T, E) <= vertices
            assert active(rest, exceptions, T, E) <= vertices


def test_theorem_3_covers_thresholded_counts_with_the_rest_known():
    lam = 0.2
    rng = np.random.default_rng(31)
    for n_lam, T in ((20, 5), (40, 30), (60, 31)):
        middle = rng.uniform(lam, 1 - lam, n_lam)
        rest = rng.choice([0.0, 1.0, 0.01], 30)
        profile = thresholding.exact([*middle, *rest], threshold=T)
        bound = counting.worst_case(n_lam + 1, lam)
        for eps in (0.0, 0.5, 1.5):
            assert profile.delta(eps) <= bound.delta(eps)
    # The rest known: any threshold is left.
    for E in RATIOS:
        plain = apk_delta(bits([HALF, Fraction(1, 3), Fraction(2, 3)]), total, E, [0])
        for T in range(5):
            assert active([Fraction(1, 3), Fraction(2, 3)], [HALF, HALF], T, E) <= plain


def test_many_users_do_not_make_theorem_3_apply():
    # All likely, some λ: fine. All nearly sure: no λ is useful, and the count tells.
    n, T = 10_000, 20
    assert published.theorem_3_closed_form(n, 0.1).epsilon(1e-6) < 1
    sure = thresholding.exact([1 - 1e-6], threshold=T, multiplicities=[n - 1])
    assert counting.worst_case(n, 1e-6).epsilon(1e-6) == math.inf
    assert sure.delta(5.0) > 0.98


def test_theorem_3_and_publication_are_two_questions():
    n, p = 100_000, 0.00194
    assert published.theorem_3_closed_form(n, p).epsilon(1e-6) <= 1
    shown = {T: math.exp(float(log_binomial_tail(T + 1, n, p))) for T in (20, 150, 193, 250)}
    assert shown[20] > 1 - 1e-9
    assert 0.999 < shown[150] < 1
    assert 0.4 < shown[193] < 0.6
    assert shown[250] < 1e-4


def test_a_vast_majority_of_zeros_does_not_make_theorem_4_apply():
    n, p, T = 10**6, 0.01, 100
    with pytest.raises(ValueError, match="threshold"):
        thresholding.theorem_4_terms(n, p, threshold=T)
    assert math.exp(float(log_binomial_tail(T, n - 1, p))) > 1 - 1e-9
    assert thresholding.worst_case(n, p, threshold=T).epsilon(1e-6) < 0.5


# What the figures show, as their texts say.


def like(number, text):
    """Whether a number reads as the text does, to as many digits."""
    digits = len(text.partition("e")[0].replace(".", "").lstrip("0"))
    return float(f"{number:.{digits - 1}e}") == float(text)


def curve_of(name, panel, series, eps):
    rows = select(figures.table(name), panel=panel, series=series, eps=eps)
    return dict(zip(rows["x"].tolist(), rows["y"].tolist(), strict=True))


def test_known_records_gives_the_numbers_of_its_texts():
    for panel, at_two in (("equal", ("1.4e-20", "1.8e-19")), ("at most", ("1.0e-12", "1.5e-12"))):
        for eps, first, last in ((0.0, *["2.3e-7"] * 2), (1.0, *["1.1e-7"] * 2), (2.0, *at_two)):
            curve = curve_of("known-records", panel, "passive", eps)
            assert like(curve[0], first)
            assert like(curve[60], last)
    equal = {eps: curve_of("known-records", "equal", "active", eps) for eps in (0.0, 1.0, 2.0)}
    assert like(equal[0.0][15], "0.18")
    assert like(equal[1.0][7], "1.4e-4")
    assert equal[1.0][17] < 1.5e-4 < 0.014 < equal[1.0][18]
    assert like(equal[1.0][19], "0.024")
    assert equal[2.0][19] < 3e-20
    assert like(equal[2.0][20], "0.0074")
    assert 17 < math.log10(equal[2.0][20] / equal[2.0][19]) < 18
    for eps, first, at_19 in (
        (0.0, "2.3e-7", "0.37"),
        (1.0, "1.1e-7", "0.17"),
        (2.0, "1.0e-12", "0.067"),
    ):
        curve = curve_of("known-records", "at most", "active", eps)
        assert like(curve[0], first)
        assert like(curve[19], at_19)
        assert {y for x, y in curve.items() if x >= 20} == {1.0}


def test_passive_knowledge_gives_the_numbers_of_its_texts():
    (pivotal,) = set(curve_of("passive-knowledge", "promises", "pivotal", 0.0).values())
    assert like(pivotal, "3.05e-7")
    for series, first in (("equal", "1.4e-20"), ("at most", "1.0e-12")):
        for eps in (0.0, 1.0):
            curve = curve_of("passive-knowledge", "passive", series, eps)
            assert min(curve.values()) > 1.1e-7
            assert max(curve.values()) < 3.1e-7
        curve = curve_of("passive-knowledge", "passive", series, 2.0)
        assert like(curve[0], first)
        assert [*curve.values()] == sorted(curve.values())
        # The worst case is certified to a thousandth.
        assert curve[999] == pytest.approx(pivotal, rel=2e-3)
    rows = select(figures.table("passive-knowledge"), panel="promises", series="theorem 4")
    promised = dict(zip(rows["x"].tolist(), rows["y"].tolist(), strict=True))
    assert like(promised[0], "3.1e-7")
    assert like(promised[1], "5.0e-6")
    assert 5e-4 < promised[500] < 7e-4
    assert like(promised[999], "1.3e-6")
    assert max(promised.values()) < 7e-4
    exact = curve_of("passive-knowledge", "promises", "at most", 0.0)
    assert like(exact[500], "2.3e-7")
    assert min(promised.values()) > pivotal >= max(exact.values()) * (1 - 2e-3)


def chart(name, panel, series):
    rows = select(figures.table(name), panel=panel, series=series)
    return rows["x"], rows["y"]


def test_decisions_gives_the_numbers_of_its_texts():
    for panel in ("printed", "tight"):
        x, y = chart("decisions", panel, "theorem 4")
        at = {round(a, 3): b for a, b in zip(x.tolist(), y.tolist(), strict=True)}
        assert (at[0.1], at[10.0], at[100.0]) == (5, 29, 152)
        assert (np.diff(y) >= 0).all()
        assert (y > x).all()
    assert round(chart("decisions", "printed", "theorem 3")[0][0]) == 193
    assert round(chart("decisions", "tight", "between")[0][0]) == 34
    x, y = chart("decisions", "tight", "at most")
    assert set(y[(x > 9) & (x < 1001)].tolist()) == {25}
    assert y[-1] == 29
    assert (y <= chart("decisions", "tight", "theorem 4")[1]).all()
    equal_x, equal = chart("decisions", "tight", "equal")
    assert (equal <= y).all()
    assert (equal[equal_x < 7.6] == y[x < 7.6]).all()
    middle = equal[(equal_x > 9.9) & (equal_x < 32)]
    assert (middle.min(), middle.max()) == (5, 12)
    assert set(equal[equal_x > 42].tolist()) == {1}


def test_threshold_alone_gives_the_numbers_of_its_texts():
    x, equal = chart("threshold-alone", "cut", "equal")
    at_most, between = (
        chart("threshold-alone", "cut", "at most")[1],
        chart("threshold-alone", "cut", "between")[1],
    )
    peak = equal.argmax()
    assert round(x[peak]) == 7
    assert like(equal[peak], "6e-6")
    assert equal[(x > 25.9) & (x < 55)].max() < 1e-14
    second = (x > 50).nonzero()[0][equal[x > 50].argmax()]
    assert round(x[second]) == 59
    assert like(equal[second], "7e-10")
    np.testing.assert_allclose(at_most[: peak + 1], equal[: peak + 1], rtol=1e-9)
    assert all(like(y, "6e-6") for y in at_most[peak:])
    assert like(between[0], "0.37")
    near = np.abs(x - 29).argmin()
    assert round(x[near]) == 29
    assert like(between[near], "4e-6")
    # Beyond the second peak the lattice lets the two differ by a few per cent.
    np.testing.assert_allclose(between[second:], equal[second:], rtol=0.05)
    for p, first, start, end, least in (
        (0.01, 4, "3.9", "0.12", 3),
        (0.5, 20, "3.0", "0.18", 20),
        (0.9, 132, "2.7", "0.46", 132),
    ):
        rows = select(figures.table("threshold-alone"), panel="threshold", p=p)
        assert rows["x"][0] == first
        assert like(rows["y"][0], start)
        assert like(rows["y"][-1], end)
        assert (np.diff(rows["y"]) < 0).all()
        # At T = 3 the δ of an infinite ε is that of the figure: 0.01³.
        for threshold in range(least - 1, first):
            eps = thresholding.worst_case(10**9, p, threshold=threshold).epsilon(1e-6)
            assert (eps == math.inf) == (threshold < least)
            assert threshold < least or like(eps, "5.7")
