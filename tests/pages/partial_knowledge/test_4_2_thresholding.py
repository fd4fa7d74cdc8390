"""Section 4.2 without knowledge: what the page says, claim by claim, in exact fractions."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from math import comb, floor

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy import stats

from pkdp import figures, thresholding
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import censored_laws, threshold_profiles
from pkdp.worlds import bits
from pkdp.worlds.definitions import apk_delta, ppk_delta
from pkdp.worlds.mechanisms import make_threshold
from tests.oracles import counts as oracles
from tests.oracles import thresholding as brute
from tests.pages.partial_knowledge.thresholds import (
    RATIOS,
    SHARES,
    cases,
    directions,
    f,
    r,
    random_crowds,
    released,
    rounded,
    tail,
)

pytestmark = pytest.mark.page

F = Fraction


# --------------------------------------------------------------------------------------------
# Motivation
# --------------------------------------------------------------------------------------------


def test_with_enough_randomness_both_answers_are_frequent():
    # Chernoff: at most half of what is expected has probability exp(-λn/8) at most; the fewest
    # ones come where every p_i is λ, since the tail falls as any p_i rises.
    for n, lam in product((5, 40, 1000), (0.02, 0.1, 0.3, 0.5)):
        half = math.floor(lam * n / 2)
        assert stats.binom.cdf(half, n, lam) <= math.exp(-lam * n / 8)
    for crowd in random_crowds(1, 40):
        law = oracles.count_law([F(1, 5) + F(3, 5) * p for p in crowd])
        fewest = oracles.count_law([F(1, 5)] * len(crowd))
        for k in range(len(crowd)):
            few = sum(law[j] for j in range(k + 1))
            assert few <= sum(fewest[j] for j in range(k + 1))
            # Zeros are counted by the same law with p and 1 - p exchanged.
            assert sum(law[len(crowd) - j] for j in range(k + 1)) <= sum(
                fewest[j] for j in range(k + 1)
            )


def test_of_many_things_most_have_few_users():
    # n users of K things, one each: at most n/(T+1) things have more than T users.
    for n, K, T in product(range(1, 7), range(1, 5), range(4)):
        most = max(
            sum(users > T for users in composition)
            for composition in product(range(n + 1), repeat=K)
            if sum(composition) == n
        )
        assert most == min(K, n // (T + 1))


def test_large_probabilities_need_the_other_end_hidden():
    for p in (0.99, 0.999):
        crowd = [p] * 99
        assert thresholding.exact(crowd, threshold=20).delta(1.0) > 0.9 * p**99
        mirrored = thresholding.exact([1 - p] * 99, threshold=20)
        both = thresholding.two_sided(crowd, threshold=20)
        assert both.delta(0.0) == pytest.approx(mirrored.delta(0.0), rel=1e-6)
        assert both.delta(0.0) < 1e-15
    mixed = [0.001] * 50 + [0.999] * 49
    for profile in (
        thresholding.exact(mixed, threshold=20),
        thresholding.two_sided(mixed, threshold=20),
    ):
        assert profile.delta(1.0) > 0.8


# --------------------------------------------------------------------------------------------
# Definition 15 and the pair
# --------------------------------------------------------------------------------------------


def test_definition_15_returns_the_count_above_the_threshold():
    for n in range(1, 6):
        for T, database in product(range(n + 1), product((0, 1), repeat=n)):
            ones = sum(database)
            assert make_threshold(T)(database) == (None if ones <= T else ones)


def test_only_the_count_itself_fits_what_the_proof_says_of_the_output():
    """Definition 15 read twice, against the losses that the proof of Theorem 4 writes down."""
    n, p = 5, F(2, 7)
    for T in range(1, n - 1):
        laws = {}
        for name in ("the count", "another k"):
            for target in (0, 1):
                law = {}
                for others in product((0, 1), repeat=n - 1):
                    count = target + sum(others)
                    mass = p ** sum(others) * (1 - p) ** (n - 1 - sum(others))
                    shown = count if name == "the count" else -1
                    output = None if count <= T else shown
                    law[output] = law.get(output, 0) + mass
                laws[name, target] = law
        assert {*laws["the count", 1]} == {None, *range(T + 1, n + 1)}
        for k in range(T + 1, n):
            loss = laws["the count", 0][k] / laws["the count", 1][k]
            assert loss == p * (n - k) / ((1 - p) * k)
        # With another k there is no output whose loss could depend on the count.
        assert {*laws["another k", 0]} == {*laws["another k", 1]} == {None, -1}


def test_the_likelihood_ratio_rises_from_bottom_on():
    for crowd in random_crowds(2, 300, largest=8):
        for T in range(len(crowd) + 1):
            one, zero = released(crowd, T)
            outputs = [brute.HIDDEN, *range(T + 1, len(crowd) + 2)]
            masses = [(one.get(o, F(0)), zero.get(o, F(0))) for o in outputs]
            possible = [pair for pair in masses if any(pair)]
            # a/b <= c/d without dividing by 0.
            assert all(a * d <= c * b for (a, b), (c, d) in pairwise(possible))


def test_the_excess_is_one_tail():
    for crowd, E in product(random_crowds(3, 60), RATIOS):
        law = oracles.count_law(crowd)
        N = len(crowd)
        G = [sum((law[i] for i in range(j, N + 1)), F(0)) for j in range(N + 2)]
        for T in range(N + 2):
            both = brute.both_directions(crowd, T, E)
            js = range(T, N + 1)
            assert both.up == max([F(0), *(G[j] - E * G[j + 1] for j in js)])
            assert both.down == max([F(0), *((1 - G[j + 1]) - E * (1 - G[j]) for j in js)])


def test_delta_falls_as_the_threshold_rises():
    for crowd, E in product(random_crowds(4, 60), RATIOS):
        found = [brute.both_directions(crowd, T, E) for T in range(len(crowd) + 2)]
        assert all(a.up >= b.up and a.down >= b.down for a, b in pairwise(found))


def test_at_eps_zero_delta_is_the_largest_mass_from_the_threshold_on():
    for crowd in random_crowds(5, 100):
        law = oracles.count_law(crowd)
        for T in range(len(crowd) + 1):
            largest = max(law[j] for j in range(T, len(crowd) + 1))
            assert brute.both_directions(crowd, T, F(1)) == (largest, largest)


# --------------------------------------------------------------------------------------------
# Theorem 4
# --------------------------------------------------------------------------------------------


@cache
def grid(N, p):
    """Multisets of N probabilities below p, and p itself."""
    return list(combinations_with_replacement([p * F(k, 3) for k in range(4)], N))


def test_theorem_4_holds_in_exact_rationals():
    checked = 0
    for n, p, T, delta in cases(5):
        if delta < 1:
            E = 1 / (1 - delta)  # its ε is a logarithm of this
            for crowd in grid(n - 1, p):
                assert max(brute.both_directions(crowd, T, E)) <= delta
                checked += 1
    assert checked > 300


def test_theorem_4_needs_a_delta_below_one():
    bad = [(n, T, p) for n, p, T, delta in cases(4) if delta >= 1]
    assert (2, 1, F(2, 5)) in bad
    assert min(n for n, _, _ in bad) == 2
    assert f(1, 1, F(2, 5)) / (1 - r(2, F(2, 5), 1)) == F(6, 5)
    # n = 2 has T = 1 alone, and p from here to 1/2; 2/5 has the least denominator.
    p = sympy.symbols("p")
    (edge,) = (x for x in sympy.solve(p / (1 - p / (1 - p)) - 1, p) if 0 < x < F(1, 2))
    assert edge == (3 - sympy.sqrt(5)) / 2
    inside = {F(a, b) for b in range(1, 6) for a in range(b) if edge <= F(a, b) < F(1, 2)}
    assert inside == {F(2, 5)}


def test_theorem_4_says_nothing_of_one_record():
    assert all(delta == 0 for n, _, _, delta in cases() if n == 1)


def test_without_knowledge_active_and_passive_are_the_same():
    for crowd in random_crowds(6, 25, largest=4):
        world = bits(crowd)
        for T, E in product(range(len(crowd) + 1), (1, F(3, 2), 4)):
            mechanism = make_threshold(T)
            assert apk_delta(world, mechanism, E) == ppk_delta(world, mechanism, E)


# The steps of its proof.


def test_most_of_the_mass_is_hidden():
    for n, p, T, delta in cases():
        one, zero = released([p] * (n - 1), T)
        assert zero[brute.HIDDEN] >= one[brute.HIDDEN] >= 1 - delta
    # And where δ exceeds ½ it may be the smaller part.
    assert released([F(9, 20)], 1)[0][brute.HIDDEN] == F(11, 20)
    assert tail(3, 4, F(3, 5)) < F(1, 2)


# --------------------------------------------------------------------------------------------
# Tight
# --------------------------------------------------------------------------------------------


def closed_form(N, p, T, E):
    return max(F(0), *directions(N, p, T, E)) if T <= N else F(0)


@pytest.mark.slow
@pytest.mark.parametrize("p", [F(1, 10), F(2, 5), F(7, 10), F(1)])
def test_the_tight_form_is_the_largest_over_all_vertices(p):
    for N in range(1, 10):
        vertices = [[p] * m + [F(0)] * (N - m) for m in range(N + 1)]
        for T, E in product(range(N + 2), RATIOS):
            largest = max(max(brute.both_directions(v, T, E)) for v in vertices)
            assert largest == closed_form(N, p, T, E)


@pytest.mark.parametrize("p", [F(1, 5), F(3, 5)])
def test_no_probabilities_up_to_p_exceed_the_tight_form(p):
    for N in (1, 2, 3, 4):
        for T, E in product(range(N + 2), RATIOS):
            bound = closed_form(N, p, T, E)
            assert all(max(brute.both_directions(c, T, E)) <= bound for c in grid(N, p))


def test_at_eps_zero_the_tight_form_is_one_binomial_mass():
    for N, p in product(range(1, 12), SHARES):
        for T in range(N + 2):
            mass = f(T, min(N, floor(T / p)), p)
            assert closed_form(N, p, T, F(1)) == mass
            if p * N <= T:
                assert mass == f(T, N, p)


def test_theorem_4_is_one_over_one_minus_r_times_too_large():
    for n, p, T, delta in cases():
        assert p * (n - 1) < T
        assert closed_form(n - 1, p, T, F(1)) == delta * (1 - r(n, p, T))


def test_each_direction_is_at_most_one_mass():
    for N, p in product((3, 6, 9), SHARES):
        for T, E in product(range(1, N + 1), RATIOS):
            m1 = min(N, T + floor(T * (1 - p) / (p * E)))
            m2 = min(N, T + floor(T * (1 - p) * E / p))
            assert closed_form(N, p, T, E) <= max(f(T, m1, p), f(T, m2, p))
    # Their expected values stay away from T by constant factors.
    for p, eps in product((0.05, 0.5), (0.2, 1.0)):
        m1, m2 = thresholding.worst_numbers(10**9, p, threshold=10**4, eps=eps)
        assert m1 * p / 10**4 == pytest.approx(p + (1 - p) * math.exp(-eps), rel=1e-3)
        assert m2 * p / 10**4 == pytest.approx(p + (1 - p) * math.exp(eps), rel=1e-3)


def test_one_record_more_at_p_helps_up_to_the_stated_number():
    for p, j, E in product(SHARES, range(1, 5), RATIOS):
        for m in range(9):
            up = [tail(j, k, p) - E * tail(j + 1, k, p) for k in (m, m + 1)]
            down = [(1 - tail(j + 1, k, p)) - E * (1 - tail(j, k, p)) for k in (m, m + 1)]
            before = f(j - 1, m, p)
            assert up[1] - up[0] == p * (before - E * f(j, m, p))
            assert down[1] - down[0] == p * (E * before - f(j, m, p))
            if m >= j - 1:
                assert (up[1] >= up[0]) == ((m + 1 - j) * p * E <= j * (1 - p))
                assert (down[1] >= down[0]) == ((m + 1 - j) * p <= j * (1 - p) * E)


def differences(m, j, p, E):
    """D_1(m, j) and D_2(m, j) of the page."""
    above, least = tail(j + 1, m, p), tail(j, m, p)
    return least - E * above, (1 - above) - E * (1 - least)


def test_one_record_more_mixes_a_threshold_and_the_one_below():
    for p, j, E in product(SHARES, range(1, 5), RATIOS):
        assert differences(0, j, p, E) == (0, 1 - E)
        for m in range(8):
            here, below = differences(m, j, p, E), differences(m, j - 1, p, E)
            mixed = tuple((1 - p) * x + p * y for x, y in zip(here, below, strict=True))
            assert differences(m + 1, j, p, E) == mixed


@pytest.mark.slow
def test_the_best_event_is_the_one_at_the_threshold():
    for p, T, E in product(SHARES, range(4), RATIOS):
        for i in (0, 1):
            largest = F(0)
            for m in range(8):
                largest = max(largest, differences(m, T, p, E)[i])
                assert all(differences(m, j, p, E)[i] <= largest for j in range(T, m + 2))


# --------------------------------------------------------------------------------------------
# Equal probabilities
# --------------------------------------------------------------------------------------------


def test_equal_probabilities_are_worst_up_to_a_ratio():
    for N, p in product(range(2, 9), SHARES):
        for T in range(1, N):
            if p * N <= T:
                edge = T * (1 - p) / (p * (N - T))
                assert edge >= 1
                for E in (*RATIOS, edge):
                    equal = max(brute.both_directions([p] * N, T, E))
                    assert equal <= closed_form(N, p, T, E)
                    if edge >= E:
                        assert equal == closed_form(N, p, T, E)
                beyond = edge * F(101, 100)
                assert closed_form(N, p, T, beyond) > max(brute.both_directions([p] * N, T, beyond))


def test_no_delta_below_the_power_of_p_can_be_had():
    for N, p in product(range(1, 8), SHARES):
        for T in range(1, N + 1):
            assert closed_form(N, p, T, F(10**30)) == p**T


# --------------------------------------------------------------------------------------------
# The remarks
# --------------------------------------------------------------------------------------------


def test_below_the_expected_value_the_worst_case_forgets_n():
    for p, T, eps in product((0.05, 0.5), (20, 100), (0.0, 0.5, 1.0)):
        m = max(thresholding.worst_numbers(10**6, p, threshold=T, eps=eps))
        sizes = (m + 1, 2 * m, 10**6, 10**9)
        values = [thresholding.worst_case(n, p, threshold=T).log_delta(eps) for n in sizes]
        assert_allclose(values, values[0], rtol=1e-11)
        assert p * m > T or eps == 0.0


def test_theorem_4_asks_for_an_expected_count_below_the_threshold():
    for n, p in product(range(2, 60), SHARES):
        for T in range(1, n + 1):
            if r(n, p, T) < 1:
                assert p * (n - 1) < T
                assert p * n < T + p


def test_protection_does_not_end_at_the_expected_value():
    # In exact fractions: any number of records, each 1 with probability at most 1/10, T = 40.
    bound = closed_form(1000, F(1, 10), 40, F(2))
    assert bound < F(1, 10**5)
    assert closed_form(10**9, F(1, 10), 40, F(2)) == bound
    at_half = thresholding.worst_case(10**6, 0.05, threshold=100).delta(0.5)
    assert at_half < 1.2e-7


# --------------------------------------------------------------------------------------------
# Both ends
# --------------------------------------------------------------------------------------------


def two_sided(crowd, T, symbols, E):
    n = len(crowd) + 1
    one, zero = brute.released_laws(crowd, 0, n, brute.release_between(T, symbols))
    return max(oracles.hockey_stick(one, zero, E), oracles.hockey_stick(zero, one, E))


def test_hiding_both_ends_is_never_worse_than_hiding_one():
    for crowd in random_crowds(8, 60):
        for T, E in product(range((len(crowd)) // 2 + 1), RATIOS):
            low = max(brute.both_directions(crowd, T, E))
            high = max(brute.both_directions([1 - p for p in crowd], T, E))
            two = two_sided(crowd, T, 2, E)
            assert two_sided(crowd, T, 1, E) <= two <= min(low, high)


def hide_from(first):
    """Counts from here on suppressed."""
    return lambda database: None if sum(database) >= first else sum(database)


def test_exchanging_zero_and_one_exchanges_the_ends():
    # Hidden are counts from n - T on: the thresholded count of the zeros.
    for crowd, E in product(random_crowds(9, 40), RATIOS):
        n = len(crowd) + 1
        for T in range(n + 1):
            laws = brute.released_laws(
                crowd, 0, n, lambda k, n, T=T: brute.HIDDEN if k >= n - T else k
            )
            upper = max(oracles.hockey_stick(*laws, E), oracles.hockey_stick(*laws[::-1], E))
            zeros = [1 - p for p in crowd]
            assert upper == max(brute.both_directions(zeros, T, E))


def test_exchanging_zero_and_one_exchanges_the_ends_also_with_known_records():
    # What known ones do at the lower end, known zeros do at the upper end.
    for crowd in random_crowds(10, 8, largest=3, most=F(5, 6)):
        known, n = [F(1, 3), F(1, 4)], len(crowd) + 3
        zeros = bits([F(1, 2), *crowd, *known], knowledge=[n - 2, n - 1])
        ones = bits(
            [F(1, 2), *(1 - p for p in crowd), *(1 - p for p in known)], knowledge=[n - 2, n - 1]
        )
        for T, E in product((2, 3), (1, F(3, 2), 4)):
            upper = hide_from(n - T)
            assert ppk_delta(zeros, upper, E, [0]) == ppk_delta(ones, make_threshold(T), E, [0])
            active = apk_delta(zeros, upper, E, [0])
            assert active == apk_delta(ones, make_threshold(T), E, [0])
            # Proposition 8, mirrored: two known zeros take two off.
            assert active == apk_delta(bits([F(1, 2), *crowd]), hide_from(n - T), E, [0])


def test_with_a_threshold_of_half_the_records_nothing_is_shown():
    for n in range(2, 9):
        for T in range(n + 1):
            release = brute.release_between(T, 1)
            shown = {release(k, n) for k in range(n + 1)} - {brute.HIDDEN}
            assert len(shown) == max(0, n - 1 - 2 * T)


def test_one_symbol_says_nothing_of_fair_coins():
    for n in range(2, 13):
        mass = [F(comb(n - 1, k), 2 ** (n - 1)) for k in range(n)]
        for T in range((n + 1) // 2):
            crowd = [F(1, 2)] * (n - 1)
            one, zero = brute.released_laws(crowd, 0, n, brute.release_between(T, 1))
            assert one[brute.HIDDEN] == zero[brute.HIDDEN]
            assert two_sided(crowd, T, 1, F(1)) == max(mass) - mass[T]
            assert two_sided(crowd, T, 2, F(1)) == max(mass)


# --------------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------------


def test_censored_laws_gives_the_numbers_of_its_texts():
    table = figures.table("censored-laws")
    p, N, T = F(1, 10), censored_laws.OTHERS, censored_laws.THRESHOLD
    counts, published = (
        [select(table, panel=panel, series=name) for name in ("one", "zero")]
        for panel in ("count", "published")
    )
    for curve, law in zip(counts, released([p] * N, -1), strict=True):
        exact = [float(law.get(k, 0)) for k in range(censored_laws.LAST + 1)]
        assert_allclose(curve["y"], exact, rtol=1e-10)
    one, zero = published
    for curve, law in zip(published, released([p] * N, T), strict=True):
        outputs = [brute.HIDDEN, *range(T + 1, censored_laws.LAST + 1)]
        assert_allclose(curve["y"], [float(law[o]) for o in outputs], rtol=1e-10)
    assert [f"{y:.2f}" for y in (one["y"][0], zero["y"][0])] == ["0.90", "0.96"]
    assert [f"{y:.3f}" for y in (one["y"][1], zero["y"][1])] == ["0.058", "0.026"]
    ratio = one["y"] / zero["y"]
    assert (np.diff(ratio) > 0).all()
    assert ratio[1] > 2
    assert [int(np.argmax(curve["y"])) for curve in counts] == [5, 4]
    assert f"{counts[1]['y'][4]:.2f}" == "0.21"


def test_threshold_profiles_gives_the_numbers_of_its_texts():
    table = figures.table("threshold-profiles")
    profile = select(table, panel="profile")
    theorem, equal, worst = (
        select(profile, series=name) for name in ("theorem 4", "equal", "worst case")
    )
    assert [rounded(theorem[c][1]) for c in "xy"] == ["5.8e-03", "5.8e-03"]
    at = {round(float(x), 2): y for x, y in zip(worst["x"], worst["y"], strict=True)}
    assert [rounded(at[x]) for x in (0.0, 1.0, 3.0)] == ["3.3e-03", "2.3e-04", "3.6e-13"]
    same = equal["y"] > worst["y"] * (1 - 1e-9)
    edge = math.log(12 * 0.995 / (0.005 * (999 - 12)))
    assert f"{edge:.2f}" == "0.88"
    assert (same == (worst["x"] <= edge)).all()
    assert 1.7 < np.interp(np.log(1e13), -np.log(equal["y"]), equal["x"]) < 1.8
    rows = select(table, panel="thresholds")
    at_hundred = []
    for eps in threshold_profiles.LEVELS:
        curve = select(rows, series=f"eps = {eps:g}")
        assert (np.diff(curve["y"]) < 0).all()
        at_hundred.append(np.exp(np.interp(100, curve["x"], np.log(curve["y"]))))
        if eps == 0:
            assert [rounded(curve["y"][k]) for k in (0, -1)] == ["3.8e-01", "2.9e-02"]
    assert [rounded(y) for y in at_hundred[1:]] == ["1.4e-03", "1.1e-07", "1.6e-18"]
