"""Section 4.2, Theorem 4 and its numbers: what the page says, in exact fractions."""

import math
from fractions import Fraction
from itertools import pairwise, product
from math import comb, factorial, floor

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy import stats

from pkdp import figures, thresholding
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import figure_4
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


def lemma_2():
    for n, p in product(range(8), (F(0), *SHARES)):
        for m in range(1, n + 4):
            ratio = p * n / ((1 - p) * m)
            if ratio < 1:
                yield n, p, m, tail(m, n, p), f(m, n, p) / (1 - ratio)


def test_lemma_2_holds_for_p_inside_and_m_up_to_n():
    found = [(left, right) for n, p, m, left, right in lemma_2() if p > 0 and m <= n]
    assert len(found) > 50
    assert all(left < right for left, right in found)


def test_lemma_2_is_an_equality_where_both_sides_are_zero():
    found = [(p, left, right) for n, p, m, left, right in lemma_2() if p == 0 or m > n]
    assert {p == 0 for p, _, _ in found} == {True, False}
    assert all(left == right == 0 for _, left, right in found)


def test_lemma_2_each_term_is_a_smaller_part_of_the_one_before():
    for n, p in product(range(1, 9), SHARES):
        for m in range(1, n + 1):
            for s in range(m, n):
                quotient = f(s + 1, n, p) / f(s, n, p)
                assert quotient == p / (1 - p) * F(n - s, s + 1)
                assert quotient < p * n / ((1 - p) * m)


def test_the_loss_of_each_output():
    for n, p, T, _ in cases():
        one, zero = released([p] * (n - 1), T)
        below = [1 - tail(T + 1, n - 1, p), 1 - tail(T, n - 1, p)]
        assert [zero[brute.HIDDEN], one[brute.HIDDEN]] == below
        for k in range(T + 1, n + 1):
            assert zero.get(k, F(0)) / one[k] == p * (n - k) / ((1 - p) * k)


def test_a_released_count_has_a_probability_of_at_most_delta():
    for n, p, T, delta in cases():
        one, zero = released([p] * (n - 1), T)
        shown = [1 - law[brute.HIDDEN] for law in (zero, one)]
        assert shown[1] == tail(T, n - 1, p)
        if n > T:
            assert shown[0] < shown[1] < delta
        else:
            assert shown[0] == shown[1] == delta == 0


def test_bottom_speaks_for_a_zero_and_softly():
    for n, p, T, delta in cases():
        one, zero = released([p] * (n - 1), T)
        assert (one[brute.HIDDEN] < zero[brute.HIDDEN]) == (n > T)
        if delta < 1 and n > T:
            loss = zero[brute.HIDDEN] / one[brute.HIDDEN]
            # F(T) is 1 where T = n - 1, so that the first step is an equality there.
            assert loss <= 1 / (1 - tail(T, n - 1, p)) < 1 / (1 - delta)
            assert (loss < 1 / (1 - tail(T, n - 1, p))) == (n - 1 > T)


def test_the_loss_exceeds_eps_with_probability_delta_at_most():
    for n, p, T, delta in cases():
        if delta < 1:
            E = 1 / (1 - delta)
            laws = released([p] * (n - 1), T)
            for P, Q in (laws, laws[::-1]):
                exceeding = sum(P[o] for o in P if P[o] > E * Q.get(o, F(0)))
                assert oracles.hockey_stick(P, Q, E) <= exceeding <= delta


def test_larger_probabilities_make_larger_counts():
    for crowd in random_crowds(7, 80, most=F(3, 4)):
        law = oracles.count_law(crowd)
        N = len(crowd)
        for k in range(N + 1):
            upper = sum((law[j] for j in range(k, N + 1)), F(0))
            assert upper <= tail(k, N, max(crowd)) <= tail(k, N, F(3, 4))


def test_the_law_of_the_output_is_not_that_of_the_count():
    # With g(s) = P[M_T = s] the proof's sums over s <= T would be 0.
    one, _ = released([F(1, 2)] * 3, 1)
    assert sum(mass for output, mass in one.items() if output in (0, 1)) == 0
    assert sum(oracles.count_law([F(1, 2)] * 3)[s] for s in (0, 1)) == F(1, 2)


def test_each_direction_may_be_the_larger_one():
    up, down = directions(20, F(9, 10), 10, F(11, 10))
    assert up < down
    # With probabilities up to ½ the first is never the smaller one: more of that below.
    for p, T, E in product(SHARES, range(1, 12), RATIOS):
        if p <= F(1, 2):
            for N in (T, T + 1, 2 * T, 40):
                up, down = directions(N, p, T, E)
                assert up >= down


def both_differences(N, p, T, E):
    """The two differences of the tight form, at their best numbers of records."""
    m1 = min(N, T + floor(T * (1 - p) / (p * E)))
    m2 = min(N, T + floor(T * (1 - p) * E / p))
    up = tail(T, m1, p) - E * tail(T + 1, m1, p)
    down = 1 - tail(T + 1, m2, p) - E * (1 - tail(T, m2, p))
    return up, down


def waiting(T, p, most):
    """P[I = i] for i <= most: zeros before the T-th one."""
    return [comb(T - 1 + i, i) * p**T * (1 - p) ** i for i in range(most + 1)]


@pytest.mark.parametrize("T", [1, 2, 3, 6])
@pytest.mark.parametrize("p", [F(1, 6), F(2, 5), F(1, 2), F(3, 4), F(9, 10)])
def test_the_two_directions_are_two_means_of_a_waiting_time(T, p):
    mean = T * (1 - p) / p
    for E in RATIOS[:5]:
        law = waiting(T, p, floor(mean * E))
        up, down = both_differences(10**9, p, T, E)
        assert up == sum(mass * max(0, 1 - E * i / mean) for i, mass in enumerate(law))
        # E[(W - E)+] is E[(E - W)+] less E - 1, as W has mean 1.
        assert down == sum(mass * (E - i / mean) for i, mass in enumerate(law)) - (E - 1)


def corners_of_the_difference(T, p):
    """The first direction less the second at each convex corner E = a/i, as a quotient.

    Whole numbers: masses in units of unit^-(T + most), sums of them and of i times them so far.
    """
    share, unit = p.numerator, p.denominator
    mean = T * (unit - share)  # a = mean/share
    most = mean * mean // share**2
    mass = share**T * unit**most
    sums, moments = [0], [0]
    for i in range(most + 1):
        sums.append(sums[-1] + mass)
        moments.append(moments[-1] + i * mass)
        mass = mass * (T + i) * (unit - share) // ((i + 1) * unit)
    whole = unit ** (T + most)
    for i in range(1, mean // share + 1):
        reach = mean * mean // (share * share * i) + 1
        up = share * mean * (i * sums[i] - moments[i])
        down = mean * mean * sums[reach] - i * share**2 * moments[reach]
        down -= mean * (mean - i * share) * whole
        yield F(mean, share * i), up - down, share * mean * i * whole


# Each pair is settled for every E and every n.
SETTLED = [
    *product(range(1, 46), (F(1, 2), F(4, 9), F(3, 7), F(2, 5), F(1, 3))),
    *product(range(1, 21), (F(3, 10), F(1, 4), F(1, 5))),
    *product(range(1, 11), (F(1, 7), F(1, 10))),
    *product(range(1, 4), (F(1, 20), F(1, 40))),
]


@pytest.mark.slow
def test_one_direction_is_the_larger_wherever_p_is_at_most_one_half():
    corners = 0
    for T, p in SETTLED:
        for E, difference, _ in corners_of_the_difference(T, p):
            corners += 1
            assert difference > 0 or (difference == 0 and E == 1)
    assert corners > 10_000


@pytest.mark.slow
def test_corners_settle_all_that_lies_between_and_all_n():
    for T, p in ((1, F(1, 2)), (3, F(2, 5)), (4, F(1, 3)), (5, F(1, 2))):
        corners = {E: F(a, b) for E, a, b in corners_of_the_difference(T, p)}
        for E in (*corners, *(F(i, 16) for i in range(16, 120, 3))):
            up, down = both_differences(10**9, p, T, E)
            assert corners.get(E, up - down) == up - down >= 0
            for N in range(T, 4 * T + 12):
                up, down = both_differences(N, p, T, E)
                assert max(up, 0) >= down
            # Fewer records than the first direction wants: both are at N.
            for N in range(T, T + floor(T * (1 - p) / (p * E))):
                up, down = both_differences(N, p, T, E)
                below, above = 1 - tail(T, N, p), tail(T + 1, N, p)
                assert up - down == (E - 1) * (below - above) >= 0


def test_beyond_one_half_the_second_direction_may_win():
    assert min(a for _, a, _ in corners_of_the_difference(10, F(9, 10))) < 0
    up, down = both_differences(20, F(9, 10), 10, F(11, 10))
    assert up < down
    assert all(a >= 0 for _, a, _ in corners_of_the_difference(10, F(3, 5)))


@pytest.mark.parametrize("T", [1, 2, 5, 20, 100])
def test_one_direction_is_the_larger_for_poisson_counts(T):
    E = np.exp(np.linspace(0.0, 3.0, 61))
    up = stats.poisson.sf(T - 1, T / E) - E * stats.poisson.sf(T, T / E)
    down = stats.poisson.cdf(T, T * E) - E * stats.poisson.cdf(T - 1, T * E)
    assert np.all(up >= down - 1e-15)
    # The slopes, and the density whose sign changes once.
    step = 1e-5
    for value in (1.1, 1.7, 4.0):
        ends = np.array([value - step, value + step])
        slopes = [stats.poisson.sf(T, T / ends), stats.poisson.cdf(T - 1, T * ends)]
        log_c = (T + 1) * math.log(T) - math.lgamma(T + 1)
        first = math.exp(log_c - (T + 2) * math.log(value) - T / value)
        second = math.exp(log_c + (T - 1) * math.log(value) - T * value)
        assert_allclose([-np.diff(s)[0] / (2 * step) for s in slopes], [first, second], rtol=1e-5)
    z = sympy.symbols("z", positive=True)
    h = T * z - T / z - (2 * T + 1) * sympy.log(z)
    above = [x for x in sympy.solve(sympy.diff(h, z), z) if x > 1]
    assert h.subs(z, 1) == 0
    assert sympy.diff(h, z).subs(z, 1) < 0
    assert len(above) == 1
    # So also Ramanujan's: of mean T, less than T is at least as likely as more.
    for mean in (T, 0.9 * T, 0.5 * T):
        assert stats.poisson.cdf(T - 1, mean) >= stats.poisson.sf(T, mean)


def test_one_ratio_has_many_levels_of_protection():
    # ρ = ½ throughout, and δ falls as T grows, exponentially with the stated exponent.
    deltas = [f(T, 100 * T, F(1, 200)) for T in (5, 10, 20)]
    assert all(a > 3 * b for a, b in pairwise(deltas))
    for rho, T in product((0.3, 0.6, 0.9, 1.0), (50, 400, 3000)):
        exact = stats.binom.logpmf(T, 10**10, rho * T / 10**10)
        stated = -T * (rho - 1 - math.log(rho)) - math.log(2 * math.pi * T) / 2
        assert exact == pytest.approx(stated, abs=0.01)


def test_delta_falls_exponentially_with_n_at_a_fixed_factor():
    for factor in (1.2, 1.4, 2.0):
        logs = [
            thresholding.theorem_4_terms(n, 0.005, threshold=round(factor * 0.005 * n)).log_delta
            for n in (10**4, 10**5, 10**6)
        ]
        exponent = 0.005 * (factor * math.log(factor) - factor + 1)
        for log_delta, n in zip(logs, (10**4, 10**5, 10**6), strict=True):
            assert log_delta < -exponent * n + 3
        assert logs[2] < 8 * logs[1] < 0


def poisson_4(n, p, T):
    """The Poisson mass over the binomial one, as a float of exact parts."""
    mean = F(p) * n
    true = f(T, n - 1, F(p))
    return float(mean**T / factorial(T) / true) * math.exp(-mean)


@pytest.mark.slow
def test_the_poisson_approximation_is_right_in_the_limit():
    for mean, T in ((1, 3), (5, 20), (5, 5), (F(1, 2), 0)):
        off = [abs(poisson_4(10**k, F(mean) / 10**k, T) - 1) for k in (2, 3, 4, 5)]
        assert all(b < a / 5 for a, b in pairwise(off))
        leading = ((T - mean) ** 2 + T - 2 * mean) / F(2 * 10**5)
        assert poisson_4(10**5, F(mean) / 10**5, T) - 1 == pytest.approx(float(leading), rel=1e-2)


@pytest.mark.slow
def test_the_poisson_approximation_is_off_where_the_threshold_is_far_out():
    assert poisson_4(1000, F(1, 200), 20) == pytest.approx(1.126, abs=5e-4)
    assert poisson_4(10_000, F(1, 200), 100) == pytest.approx(1.134, abs=5e-4)
    # Too low near the expected value, too high beyond.
    for n in (1000, 10_000):
        signs = [poisson_4(n, F(1, 200), T) > 1 for T in range(n // 200, n // 50)]
        assert signs == sorted(signs)
        edge = signs.index(True)
        assert 0.5 < edge / math.sqrt(n / 200) < 1.2
        lowest = min(poisson_4(n, F(1, 200), T) for T in range(n // 200, n // 50))
        assert -0.003 < lowest - 1 < -0.002


def test_eps_and_delta_are_close_where_delta_is_small():
    for delta in (1e-12, 1e-6, 0.01, 0.1, 0.5, 0.9):
        eps = -math.log1p(-delta)
        assert delta < eps < delta / (1 - delta)


def test_eps_and_delta_are_far_apart_at_the_left_end_of_figure_4():
    terms = thresholding.theorem_4_terms(1000, 0.005, threshold=6)
    assert terms.eps > 2.5 * math.exp(terms.log_delta)
    assert 6 > 0.005 * 1000


FIGURE_4 = {  # n: the first T published, ε and δ there; both at the last; tight at both
    1000: (6, "2.3e+00", "9.0e-01", "5.1e-06", "1.5e-01", "3.7e-06", {3: "2.2e-01"}),
    10_000: (60, "1.3e-01", "1.2e-01", "2.9e-17", "2.0e-02", "1.7e-17", {50: "5.6e-02"}),
    100_000: (550, "1.7e-02", "1.7e-02", "1.0e-25", "1.5e-03", "3.4e-26", {}),
}


@pytest.mark.parametrize("n", FIGURE_4)
def test_figure_4_gives_the_numbers_of_its_texts(n):
    rows = select(figures.table("4"), n=n)
    eps, delta, tight = (
        select(rows, series=name) for name in ("published eps", "published delta", "tight")
    )
    first, eps_first, delta_first, last, tight_first, tight_last, others = FIGURE_4[n]
    assert eps["x"][0] == delta["x"][0] == first
    assert (rounded(eps["y"][0]), rounded(delta["y"][0])) == (eps_first, delta_first)
    assert rounded(eps["y"][-1]) == rounded(delta["y"][-1]) == last
    at = {int(x): y for x, y in zip(tight["x"], tight["y"], strict=True)}
    assert (rounded(at[first]), rounded(at[int(eps["x"][-1])])) == (tight_first, tight_last)
    assert {T: rounded(at[T]) for T in others} == others
    assert (np.diff(tight["y"]) < 0).all()


def log_pmf(T, N):
    """Logarithm of a binomial mass, p = 1/200, to 30 digits."""
    return float(
        (
            sympy.loggamma(N + 1)
            - sympy.loggamma(T + 1)
            - sympy.loggamma(N - T + 1)
            + T * sympy.log(sympy.Rational(1, 200))
            + (N - T) * sympy.log(1 - sympy.Rational(1, 200))
        ).evalf(30)
    )


@pytest.mark.slow
def test_figure_4_is_theorem_4_as_printed_and_the_tight_curve_is_one_mass():
    table = figures.table("4")
    p = F(1, 200)
    for n in FIGURE_4:
        rows = select(table, n=n)
        for series in ("published eps", "published delta", "tight"):
            curve = select(rows, series=series)
            for T, y in list(zip(curve["x"].astype(int), curve["y"], strict=True))[::5]:
                N = n - 1 if series != "tight" else min(n - 1, floor(int(T) / p))
                mass = math.exp(log_pmf(int(T), N))
                if series == "tight":
                    assert y == pytest.approx(mass, rel=1e-9)
                    continue
                stated = mass / (1 - float(r(n, p, int(T))))
                if series == "published eps":
                    stated = -math.log1p(-stated)
                assert y == pytest.approx(stated, rel=1e-8)


def test_figure_4_marks_where_theorem_4_begins():
    table = figures.table("4")
    for n in FIGURE_4:
        begins = int(select(table, n=n)["applies"][0])
        p = F(1, 200)
        for T, applies in ((begins, True), (begins - 1, False)):
            ratio = r(n, p, T)
            mass = math.exp(log_pmf(T, n - 1))
            assert (ratio < 1 and mass < 1 - ratio) == applies
        assert begins <= min(figure_4.THRESHOLDS[n])
