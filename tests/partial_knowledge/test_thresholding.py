"""Thresholded counts, against whole databases, exact rationals, balls and the definitions."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pkdp import thresholding
from pkdp.engines import passive
from pkdp.profiles import laws, thresholds
from pkdp.worlds import bits
from pkdp.worlds.definitions import apk_delta, ppk_delta
from pkdp.worlds.mechanisms import make_threshold as threshold_mechanism
from tests.oracles import counts as oracles
from tests.oracles import thresholding as oracle

RTOL = 1e-12
GAP = 1e-8

RATIOS = [Fraction(1), Fraction(11, 10), Fraction(2), Fraction(40)]
SMALL_PS = [
    Fraction(0),
    Fraction(1, 64),
    Fraction(1, 4),
    Fraction(1, 2),
    Fraction(7, 8),
    Fraction(1),
]


def close(value, truth, rtol=RTOL):
    """Whether ln δ is within rtol * max(1, |truth|) of a ball (or a float); infinite alike."""
    value, truth = float(value), float(truth)
    return value == truth or abs(value - truth) <= rtol * max(1.0, abs(truth))


def agrees(value, truth_at, eps, rtol=RTOL):
    """Whether ln δ is the truth within the error that a profile states.

    That is rtol * max(1, |truth|), at an ε within rtol * max(1, ε) of the one asked for.
    """
    if close(value, truth_at(eps), rtol):
        return True
    hair = rtol * max(1.0, eps)
    least, most = float(truth_at(eps + hair)), float(truth_at(max(0.0, eps - hair)))
    return least - rtol * max(1.0, abs(least)) <= float(value) <= most + rtol * max(1.0, abs(most))


def log_of(delta):
    """Ln of a fraction, also where it is below the smallest float."""
    return math.log(delta.numerator) - math.log(delta.denominator) if delta else -math.inf


def matches(log_delta, delta, rtol=4e-13):
    """Whether ln δ is that of a fraction computed for E, where ε is ln E, rounded.

    The absolute part is what the rounding of ε does where two terms of size 1 cancel.
    """
    return math.exp(log_delta) == pytest.approx(float(delta), rel=rtol, abs=2e-15)


def never_below(log_delta, delta):
    """The same for a profile rounded up, and for worst cases found to within the gap."""
    return (
        float(delta) * (1 - 1e-14) - 2e-15
        <= math.exp(log_delta)
        <= float(delta) * (1 + 2 * GAP) + 2e-15
    )


def eps_of(ratio):
    return math.log(ratio)


# --------------------------------------------------------------------------------------------
# exact: many records, deep tails
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("N", "p", "T"), [(20, 0.3, 7), (1000, 0.005, 9), (10**6, 0.001, 1050)])
def test_where_the_loss_of_the_suppressed_output_equals_eps(N, p, T):
    # ⊥ has loss ln F(T)/F(T-1), at which its direction falls to 0, steeper and steeper.
    with oracles.ctx.workprec(oracles.PRECISION):
        counted = oracle.Thresholded(N, p, 0.0)
        at = float((1 + counted.mass(T) / counted.below(T - 1)).log())
    down = thresholding.pair([p], threshold=T, multiplicities=[N]).reversed()
    for step in (-1e-3, -1e-6, -1e-9, -1e-11, 1e-11, 1e-9, 1e-3):
        eps = at * (1 + step)

        def truth(x):
            value = oracle.Thresholded(N, p, x)
            with oracles.ctx.workprec(oracles.PRECISION):
                return oracle.log_of(value.both(T).down)

        assert agrees(down.log_hockey_stick(eps), truth, eps)


# --------------------------------------------------------------------------------------------
# worst_case, worst_numbers
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [p for p in SMALL_PS if p], ids=str)
@pytest.mark.parametrize("N", range(1, 8))
def test_worst_numbers_attain_the_largest_vertex(N, p):
    for T, E in product(range(N + 2), RATIOS):
        # Where a number is on the edge, ε decides, whose rounding is not E's.
        eps = math.log(E)
        numbers = thresholding.worst_numbers(N + 1, float(p), threshold=T, eps=eps)
        worst = oracle.worst_at_vertices(N, p, T, E)
        for number, direction in zip(numbers, (0, 1), strict=True):
            assert isinstance(number, int)
            assert 0 <= number <= N
            attained = oracle.both_at_vertex(p, number, T, E)[direction]
            assert float(attained) == pytest.approx(float(worst[direction]), rel=1e-13)


def test_worst_numbers_at_the_ends():
    assert thresholding.worst_numbers(10, 0.0, threshold=3, eps=1.0) == (9, 9)
    assert thresholding.worst_numbers(10, 1.0, threshold=3, eps=1.0) == (3, 3)
    assert thresholding.worst_numbers(10, 0.3, threshold=0, eps=1.0) == (0, 0)
    assert thresholding.worst_numbers(10, 0.3, threshold=3, eps=math.inf) == (3, 9)
    assert thresholding.worst_numbers(10, 0.3, threshold=10, eps=0.5) == (9, 9)
    assert thresholding.worst_numbers(10, 0.25, threshold=2, eps=0.0) == (8, 8)  # ⌊T/p⌋, exactly


def test_either_direction_may_be_the_worse():
    # The target's 1 is nearly always the easier one to recognize; not so here, by little.
    N, p, T, E = 5, Fraction(19, 24), 4, Fraction(21, 20)
    worst = oracle.worst_at_vertices(N, p, T, E)
    assert worst.up < worst.down
    value = thresholding.worst_case(N + 1, float(p), threshold=T).log_delta(eps_of(E))
    assert matches(value, worst.down, 2e-11)
    N, known, p, E = 4, 2, Fraction(3, 4), Fraction(51, 50)
    worst = oracle.worst_with_knowledge(oracle.passive_at_vertex, N, known, p, T, E)
    value = thresholding.passive_worst_case(
        N + known + 1, float(p), threshold=T, known=known
    ).log_delta(eps_of(E))
    assert never_below(value, worst)


# --------------------------------------------------------------------------------------------
# passive, active, and their worst cases: all small cases
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("p", [Fraction(1, 8), Fraction(2, 3)], ids=str)
@pytest.mark.parametrize(("N", "known"), [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3)])
def test_worst_cases_with_knowledge_are_never_below_a_grid(N, known, p):
    n = N + known + 1
    for T, E in product(range(n + 1), RATIOS[:2]):
        passive = max(
            oracle.passive_delta_of(unknown, seen, T, E)
            for unknown in oracle.grid(p, 4, N)
            for seen in oracle.grid(p, 2, known)
        )
        active = max(
            max(oracle.both_directions(unknown, T - b, E))
            for unknown in oracle.grid(p, 4, N)
            for b in range(known + 1)
        )
        eps = eps_of(E)
        passively = thresholding.passive_worst_case(
            n, float(p), threshold=T, known=known
        ).log_delta(eps)
        actively = thresholding.active_worst_case(n, float(p), threshold=T, known=known).log_delta(
            eps
        )
        assert math.exp(passively) >= float(passive) * (1 - 1e-13) - 2e-15
        assert math.exp(actively) >= float(active) * (1 - 1e-13) - 2e-15


@pytest.mark.parametrize("known", [[], [3], [1, 3], [1, 2, 3]], ids=len)
@pytest.mark.parametrize("p", [Fraction(1, 4), Fraction(2, 3)], ids=str)
def test_knowledge_agrees_with_the_definitions_of_section_3(p, known):
    n = 4
    world = bits([p] * n, knowledge=known)
    for T, E in product(range(n + 1), RATIOS[:3]):
        mechanism = threshold_mechanism(T)
        eps, size = eps_of(E), len(known)
        passive = ppk_delta(world, mechanism, E, targets=[0])
        active = apk_delta(world, mechanism, E, targets=[0])
        assert passive == oracle.passive_at_vertex(p, n - 1 - size, size, T, E)
        assert active == oracle.active_at_vertex(p, n - 1 - size, size, T, E)
        assert matches(
            thresholding.passive(n, float(p), threshold=T, known=size).log_delta(eps), passive
        )
        assert matches(
            thresholding.active(n, float(p), threshold=T, known=size).log_delta(eps), active
        )


@given(st.integers(2, 30), st.integers(1, 40).map(lambda i: Fraction(i, 41)), st.data())
def test_below_the_threshold_seeing_costs_nothing(n, p, data):
    # Vandermonde's identity, at ε = 0, as long as T - b does not fall below the mode.
    known = data.draw(st.integers(0, n - 1))
    T = data.draw(st.integers(0, n))
    N = n - 1 - known
    mode = min(k for k in range(N + 1) if oracle.f(k, N, p) == max(
        oracle.f(j, N, p) for j in range(N + 1)))  # fmt: skip
    delta = oracle.passive_at_vertex(p, N, known, T, Fraction(1))
    if T - known >= mode:
        assert delta == oracle.f(T, n - 1, p)
    above = sum((oracle.f(b, known, p) for b in range(max(T - mode, -1) + 1, known + 1)), 0)
    assert delta <= oracle.f(T, n - 1, p) + above * oracle.f(mode, N, p)
    value = thresholding.passive(n, float(p), threshold=T, known=known).delta(0.0)
    assert value == pytest.approx(float(delta), rel=1e-11)


# --------------------------------------------------------------------------------------------
# passive: many records
# --------------------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------------
# Theorem 4
# --------------------------------------------------------------------------------------------

STATED = [
    (2, Fraction(1, 10), 1), (2, Fraction(1, 10), 2), (5, Fraction(1, 20), 1),
    (5, Fraction(1, 20), 3), (5, Fraction(1, 3), 4), (30, Fraction(1, 10), 8),
    (30, Fraction(1, 10), 29), (30, Fraction(1, 10), 30), (200, Fraction(1, 200), 6),
]  # fmt: skip


@pytest.mark.parametrize(("n", "p", "T"), STATED)
def test_theorem_4_is_its_expressions(n, p, T):
    expected = oracle.theorem_4(n, p, T)
    terms = thresholding.theorem_4_terms(n, float(p), threshold=T)
    assert terms.b_max is None
    assert terms.eps == pytest.approx(-math.log1p(-float(expected.delta)), rel=1e-12)
    assert close(terms.log_delta, log_of(expected.delta))
    profile = thresholding.theorem_4(n, float(p), threshold=T)
    assert profile.status == "upper bound"
    assert profile.rounded_up
    if expected.delta:
        assert profile.delta(terms.eps * 0.99) == 1.0
        assert profile.delta(0.0) == 1.0
    for eps in (terms.eps * (1 + 1e-12), 1.0, math.inf):
        assert profile.delta(eps) == pytest.approx(float(expected.delta), rel=1e-11)


KNOWING = [(6, Fraction(1, 20), 3, 2), (12, Fraction(1, 30), 5, 6), (40, Fraction(1, 40), 9, 20)]


@pytest.mark.parametrize(("n", "p", "T", "known"), KNOWING)
def test_theorem_4_with_knowledge_is_its_expressions(n, p, T, known):
    found = {}
    for b_max in range(1, T):
        expected = oracle.theorem_4_knowing(n, p, T, known, b_max)
        if expected is None:
            continue
        found[b_max] = expected
    assert found
    best = min(found, key=lambda b: found[b].delta)
    terms = thresholding.theorem_4_terms(n, float(p), threshold=T, known=known)
    assert terms.b_max == best
    assert terms.eps == pytest.approx(float(log_of(found[best].ratio)), rel=1e-9)
    assert close(terms.log_delta, log_of(found[best].delta))


@pytest.mark.slow
@given(st.integers(20, 3000), st.floats(1e-4, 0.3), st.floats(0.01, 0.9), st.floats(1.05, 3))
def test_the_best_b_max_is_the_best_of_all(n, p, share, more):
    known, T = max(1, round(share * (n - 1))), math.ceil(more * n * p / (1 - p)) + 3
    try:
        found = thresholding.theorem_4_terms(n, p, threshold=min(T, n), known=known)
    except ValueError:
        assume(False)
    T, unknown = min(T, n), n - 1 - known
    low, high = thresholding._allowed_b_max(unknown, known, p, T)
    every = [
        np.logaddexp(
            thresholding._log_geometric(b, known, p),
            thresholding._log_geometric(T - b, unknown, p),
        )
        for b in range(low, high + 1)
    ]
    assert found.log_delta == pytest.approx(min(every), rel=1e-14, abs=1e-14)


@given(st.integers(2, 12), st.integers(1, 30).map(lambda i: Fraction(i, 60)), st.data())
def test_theorem_4_is_never_below_the_tight_form(n, p, data):
    T = data.draw(st.integers(1, n))
    stated = oracle.theorem_4(n, p, T)
    if stated is None:
        with pytest.raises(ValueError, match=r"threshold|p must"):
            thresholding.theorem_4(n, float(p), threshold=T)
        return
    assert max(oracle.worst_at_vertices(n - 1, p, T, stated.ratio)) <= stated.delta
    # ... and its tight form needs no ε
    assert oracle.f(T, n - 1, p) <= stated.delta
    bound = thresholding.theorem_4(n, float(p), threshold=T)
    worst = thresholding.worst_case(n, float(p), threshold=T)
    for eps in (0.0, 1e-3, 0.1, 1.0, 5.0):
        assert worst.delta(eps) <= bound.delta(eps) * (1 + 1e-11) + 1e-300


@pytest.mark.slow
@given(st.integers(3, 7), st.integers(1, 20).map(lambda i: Fraction(i, 60)), st.data())
def test_theorem_4_with_knowledge_is_never_below_the_tight_form(n, p, data):
    known = data.draw(st.integers(1, n - 1))
    T = data.draw(st.integers(2, n))
    N = n - 1 - known
    stated = [
        found
        for b_max in range(1, T)
        if (found := oracle.theorem_4_knowing(n, p, T, known, b_max)) is not None
    ]
    for one in stated:
        worst = oracle.worst_with_knowledge(oracle.passive_at_vertex, N, known, p, T, one.ratio)
        assert worst <= one.delta
    if not stated:
        with pytest.raises(ValueError, match=r"threshold|b_max|p must|known"):
            thresholding.theorem_4_terms(n, float(p), threshold=T, known=known)
        return
    bound = thresholding.theorem_4_terms(n, float(p), threshold=T, known=known)
    tight = thresholding.passive_worst_case(n, float(p), threshold=T, known=known)
    for eps in (bound.eps, 2.0 * bound.eps, 5.0):
        assert tight.log_delta(eps) <= bound.log_delta + 2 * GAP


# --------------------------------------------------------------------------------------------
# Bad input
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [thresholding.theorem_4, thresholding.theorem_4_terms])
def test_theorem_4_refuses_where_it_says_nothing(function):
    # r >= 1, r = 1, f / (1 - r) >= 1, no threshold, certain 1s
    for n, p, T in [(1000, 0.02, 20), (3, 0.5, 2), (2, 0.45, 1), (10, 0.1, 0), (10, 1.0, 9)]:
        assert p == 1 or oracle.theorem_4(n, Fraction(p), T) is None
        with pytest.raises(ValueError, match=r"threshold must|p must"):
            function(n, p, threshold=T)
    for T in (0, 1):  # no room for b_max
        with pytest.raises(ValueError, match="threshold"):
            thresholding.theorem_4_terms(10, 0.01, threshold=T, known=2)
    with pytest.raises(ValueError, match=r"threshold|p must"):  # r_b or r' is 1 or more, always
        thresholding.theorem_4_terms(1000, 0.02, threshold=20, known=500)


def test_a_search_over_very_many_records_is_refused():
    # Closed forms go further than the branch and bound of the passive worst case.
    assert thresholding.worst_case(10**10, 1e-10, threshold=5).delta(0.0) > 0
    assert thresholding.passive(10**10, 1e-10, threshold=5, known=10**9).delta(0.0) > 0
    assert thresholding.active(10**10, 1e-10, threshold=5, known=2).delta(0.0) > 0
    with pytest.raises(ValueError, match=r"n must be an integer in 2…10000000, got 10000001"):
        thresholding.passive_worst_case(10**7 + 1, 1e-12, threshold=5, known=2)


@pytest.mark.parametrize(("eps", "ones"), [(1.0, 2), (700.0, 2), (745.0, 1), (math.inf, 1)])
def test_the_smallest_probability_there_is(eps, ones):
    # One other must be a 1: of either of two, or of the only one that may be, if E > 1/p.
    p = math.ulp(0.0)
    value = thresholding.worst_case(3, p, threshold=1).log_delta(eps)
    assert value == pytest.approx(math.log(ones) + math.log(p), rel=1e-12)


def test_the_best_number_of_records_that_are_all_1_decides():
    # As many as the threshold are 1 for certain, or too few are.
    numbers, thresholds = np.array([5, 2, 5]), np.array([3, 3, 0])
    for side in (1, -1):
        logs = passive._log_at_best(numbers, 1.0, thresholds, 0.5, side)
        assert logs.tolist() == [0.0, -math.inf, 0.0]


def test_what_negative_steps_leave_of_positive_ones_keeps_its_digits():
    # A 10^5th of the mass at j is left; all else cancels.
    n, p, eps, j = 10**6, 0.3, 0.5, 414_037
    count = laws.PoissonBinomial([p], [n])
    assert count.log_mass(j) - count.log_mass(j + 1) < eps
    with mpmath.workdps(60):
        odds, ratio = mpmath.mpf(p) / (1 - mpmath.mpf(p)), mpmath.exp(eps)
        mass, total = mpmath.mpf(1), mpmath.mpf(0)
        for k in range(j, j + 300):
            after = mass * (n - k) / (k + 1) * odds
            total += mass - ratio * after
            mass = after
        ways = mpmath.loggamma(n + 1) - mpmath.loggamma(j + 1) - mpmath.loggamma(n - j + 1)
        expected = ways + j * mpmath.log(odds) + n * mpmath.log1p(-mpmath.mpf(p))
        expected += mpmath.log(total)
    assert thresholds._log_excess_from(count, j, eps) == pytest.approx(float(expected), abs=1e-9)
