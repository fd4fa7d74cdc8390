"""Formulas as printed: re-computed exactly, and shown where they promise too little.

A printed bound under-reports when it lies below the exact worst case: then it is not a privacy
guarantee. Each reading of Theorem 3 is shown to do so by an exact counterexample with the fewest
records possible, and for realistic sizes by ball arithmetic.

Convention of every reading: a ratio with Y = 0 counts as infinite, 0/0 included, which is the
choice most favourable to the printed statement.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting, published
from tests import oracles

READINGS = ("literal", "exponential", "rate", "multinomial")

eighths = st.integers(0, 40).map(lambda i: i / 8)
lams = st.sampled_from([1e-9, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5])
simple_lams = [Fraction(i, 20) for i in range(1, 11)] + [Fraction(1, 100), Fraction(1, 3)]
simple_ratios = [Fraction(i, 20) for i in (*range(20, 60), 80, 100, 200)]


def worst_at(N, lam, eps):
    """Exact rational below the worst case at a rational eps (E is rounded up)."""
    return oracles.worst_delta(N, lam, oracles.rational_above_exp(eps))


def test_the_readings_are_listed_in_ladder_order():
    assert published.THEOREM_3_READINGS == READINGS


@given(st.integers(1, 8), lams, eighths)
def test_literal_reading_agrees_with_exact_rationals(N, lam, eps):
    # eps is a binary fraction, so ties X = eps Y are decided exactly.
    truth = oracles.printed_delta(N, Fraction(lam), "literal", Fraction(eps))
    assert published.theorem_3(N + 1, lam).delta(eps) == pytest.approx(float(truth), rel=1e-11)


@pytest.mark.parametrize("reading", READINGS[1:])
@given(N=st.integers(1, 8), lam=lams, eps=eighths)
def test_other_readings_agree_with_exact_rationals(reading, N, lam, eps):
    # exp of a nonzero binary fraction is irrational: no ties, and the float is on the right side.
    truth = oracles.printed_delta(N, Fraction(lam), reading, Fraction(math.exp(eps)))
    profile = published.theorem_3(N + 1, lam, reading)
    assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-11)
    assert profile.status == "as printed"


@pytest.mark.parametrize("reading", ["literal", "exponential", "rate"])
@pytest.mark.parametrize(("n", "lam"), [(100, 0.4), (1000, 0.05), (2000, 0.003)])
def test_readings_of_many_records_agree_with_ball_arithmetic(reading, n, lam):
    profile = published.theorem_3(n, lam, reading)
    for eps in (0.125, 0.7, 2.0, 4.0):  # 0.1 is no tie in binary, and a tie for the reader
        success = Fraction(lam) * (1 if reading == "rate" else 2)
        threshold = oracles.ball(eps) if reading == "literal" else oracles.ball(eps).exp()
        truth = float(oracles.log_printed_independent(n - 1, success, threshold))
        assert profile.log_delta(eps) == pytest.approx(truth, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("reading", READINGS)
def test_knowing_m_of_n_records_is_having_m_fewer(reading):
    known = published.theorem_3(60, 0.2, reading, known=20)
    fewer = published.theorem_3(40, 0.2, reading)
    grid = np.array([0.0, 0.3, 1.0, 2.5])
    assert known.delta(grid).tolist() == fewer.delta(grid).tolist()


@pytest.mark.parametrize("reading", ["Literal", "", "tail", None, 2])
def test_an_unknown_reading_is_named(reading):
    with pytest.raises((TypeError, ValueError), match="reading") as caught:
        published.theorem_3(10, 0.1, reading)
    assert repr(reading) in str(caught.value)
    assert all(name in str(caught.value) for name in READINGS)


@pytest.mark.parametrize(
    ("arguments", "kind", "name"),
    [({"n": 1}, ValueError, "n"), ({"n": 3.0}, TypeError, "n"), ({"lam": 0.6}, ValueError, "lam"),
     ({"lam": 0.0}, ValueError, "lam"), ({"lam": math.nan}, ValueError, "lam"),
     ({"lam": "x"}, TypeError, "lam")],
)  # fmt: skip
def test_bad_input_is_named(arguments, kind, name):
    for formula in (published.theorem_3, published.figure_3):
        with pytest.raises(kind, match=rf"\b{name}\b") as caught:
            formula(**({"n": 10, "lam": 0.1} | arguments))
        assert str(arguments[name]) in str(caught.value)


# --------------------------------------------------------------------------------------------
# Where they under-report
# --------------------------------------------------------------------------------------------


def test_theorem_3_literal_reading_underreports():
    """n = 2, lam = 1/20, eps = 1/2: printed 0.91, true 0.95. Two records are the fewest."""
    lam, eps = Fraction(1, 20), Fraction(1, 2)
    printed = oracles.printed_delta(1, lam, "literal", eps)
    assert printed == Fraction(91, 100)
    assert worst_at(1, lam, eps) == Fraction(95, 100)
    # The same comparison by the library.
    assert published.theorem_3(2, 0.05).delta(0.5) == pytest.approx(0.91, rel=1e-12)
    assert counting.worst_case(2, 0.05).delta(0.5) == pytest.approx(0.95, rel=2e-8)


def test_theorem_3_literal_reading_underreports_for_two_records_at_every_lam():
    # One other record: printed 1 - 2 lam (1 - 2 lam) up to eps = 1 and 1 - 2 lam beyond.
    # The truth is 1 - lam.
    for lam in simple_lams:
        assert oracles.printed_delta(1, lam, "literal", Fraction(3, 2)) == 1 - 2 * lam
        assert worst_at(1, lam, Fraction(3, 2)) == 1 - lam
        assert oracles.printed_delta(1, lam, "literal", 1) == 1 - 2 * lam * (1 - 2 * lam)
        below = oracles.printed_delta(1, lam, "literal", 1) < worst_at(1, lam, 1)
        assert below == (lam < Fraction(1, 4))


def test_theorem_3_literal_reading_underreports_a_hundredfold_beyond_eps_one():
    n, lam, eps = 100, 0.4, 2.0
    printed = oracles.log_printed_independent(n - 1, 2 * Fraction(lam), arb(2))
    true = oracles.log_delta_at_vertex(n - 1, lam, 0, eps)  # a lower bound of the worst case
    assert float((true - printed).exp()) > 100
    profiles = published.theorem_3(n, lam), counting.worst_case(n, lam)
    assert profiles[1].delta(eps) > 100 * profiles[0].delta(eps)


def test_theorem_3_exponential_reading_underreports():
    """n = 2, lam = 1/4, E = 2: printed 1/2, true 3/4. Two records are the fewest."""
    lam, E = Fraction(1, 4), Fraction(2)
    assert oracles.printed_delta(1, lam, "exponential", E) == Fraction(1, 2)
    assert oracles.worst_delta(1, lam, E) == Fraction(3, 4)
    eps = math.log(2.5)  # any E > 1 gives the same two numbers
    assert published.theorem_3(2, 0.25, "exponential").delta(eps) == pytest.approx(0.5, rel=1e-12)
    assert counting.worst_case(2, 0.25).delta(eps) == pytest.approx(0.75, rel=2e-8)


def test_theorem_3_exponential_reading_underreports_a_thousandfold():
    n, lam, eps = 1000, 0.05, 1.0
    printed = oracles.log_printed_independent(n - 1, 2 * Fraction(lam), arb(1).exp())
    true = oracles.log_delta_at_vertex(n - 1, lam, 0, eps)
    assert 1000 < float((true - printed).exp()) < 10_000
    profiles = published.theorem_3(n, lam, "exponential"), counting.worst_case(n, lam)
    assert profiles[1].delta(eps) > 1000 * profiles[0].delta(eps)


def test_theorem_3_rate_reading_underreports():
    """n = 3, lam = 2/5, E = 5/4: printed 273/625, true 23/50. Three records are the fewest."""
    lam, E = Fraction(2, 5), Fraction(5, 4)
    printed = oracles.printed_delta(2, lam, "rate", E)
    assert printed == Fraction(273, 625)  # 0.4368
    assert oracles.worst_delta(2, lam, E) == Fraction(23, 50)  # 0.46
    eps = math.log(1.25)
    assert published.theorem_3(3, 0.4, "rate").delta(eps) == pytest.approx(0.4368, rel=1e-12)
    assert counting.worst_case(3, 0.4).delta(eps) == pytest.approx(0.46, rel=2e-8)


def test_theorem_3_rate_reading_underreports_for_a_hundred_records():
    # Independent counts wander apart less often than counts that share their records.
    n, lam, eps = 100, 0.4, 1.5
    printed = oracles.log_printed_independent(n - 1, Fraction(lam), oracles.ball(eps).exp())
    true = oracles.log_delta_at_vertex(n - 1, lam, 0, eps)
    assert float((true - printed).exp()) > 5


def test_theorem_3_multinomial_reading_underreports():
    """n = 3, lam = 2/5, E = 5/4: printed 9/25, true 23/50. Three records are the fewest."""
    lam, E = Fraction(2, 5), Fraction(5, 4)
    assert oracles.printed_delta(2, lam, "multinomial", E) == Fraction(9, 25)
    assert oracles.worst_delta(2, lam, E) == Fraction(23, 50)
    eps = math.log(1.25)
    assert published.theorem_3(3, 0.4, "multinomial").delta(eps) == pytest.approx(0.36, rel=1e-12)
    assert counting.worst_case(3, 0.4).delta(eps) == pytest.approx(0.46, rel=2e-8)


def test_theorem_3_multinomial_reading_underreports_for_three_records_at_every_lam():
    # Two other records, 1 < E < 1/(1-lam): printed (1-lam)^2, true at least 1 - (1+E) lam (1-lam).
    for lam in simple_lams:
        E = 1 + lam / 2
        assert oracles.printed_delta(2, lam, "multinomial", E) == (1 - lam) ** 2
        assert oracles.worst_delta(2, lam, E) >= 1 - (1 + E) * lam * (1 - lam) > (1 - lam) ** 2


@pytest.mark.parametrize("reading", ["rate", "multinomial"])
def test_two_records_do_not_refute_the_rate_and_multinomial_readings(reading):
    # One other record: printed 1 - lam for E > 1 and more at E = 1; the truth is 1 - lam.
    for lam in simple_lams:
        for E in simple_ratios:
            assert oracles.printed_delta(1, lam, reading, E) >= oracles.worst_delta(1, lam, E)


def test_the_strict_hypothesis_does_not_save_the_printed_theorem():
    # lam < p < 1 - lam excludes the vertices, but delta is continuous in p.
    lam, E = Fraction(1, 4), Fraction(2)
    inside = [1 - lam - Fraction(1, 100)]
    assert oracles.printed_delta(1, lam, "exponential", E) < oracles.count_delta(inside, E)
    lam, E = Fraction(2, 5), Fraction(5, 4)
    inside = [lam + Fraction(1, 100), 1 - lam - Fraction(1, 100)]
    for reading in ("rate", "multinomial"):
        assert oracles.printed_delta(2, lam, reading, E) < oracles.count_delta(inside, E)


def test_a_search_does_not_break_the_corrected_bounds():
    """2000 random (N, lam, E) in exact rationals: worst case <= blanket <= tail, every time."""
    random = np.random.default_rng(2019)
    for _ in range(2000):
        N = int(random.integers(1, 6))
        lam = Fraction(int(random.integers(1, 21)), 40)
        E = 1 + Fraction(int(random.integers(0, 60)), int(random.integers(10, 40)))
        blanket = oracles.blanket_delta(N, lam, E)
        assert oracles.worst_delta(N, lam, E) <= blanket <= oracles.tail_delta(N, lam, E)


# --------------------------------------------------------------------------------------------
# Figure 3
# --------------------------------------------------------------------------------------------


def figure_3_loss(n, lam, k):
    """Loss of S + 1 against S at k, for S ~ Binomial(n - 1, lam)."""
    return math.log(k * (1 - lam) / ((n - k) * lam))


@pytest.mark.parametrize(
    ("n", "lam", "k"),
    [
        # k is the least count with P[S >= k] <= 0.01 / n; found by an independent search.
        (100, 5e-5, 2), (100, 0.01, 7), (100, 0.05, 16), (100, 0.2, 37),
        (1000, 5e-5, 4), (1000, 0.01, 27), (1000, 0.05, 83), (1000, 0.2, 256),
        (10**4, 5e-5, 7), (10**4, 0.01, 152), (10**4, 0.05, 608), (10**4, 0.2, 2193),
        (10**5, 5e-5, 21), (10**5, 0.01, 1169), (10**5, 0.05, 5363), (10**5, 0.2, 20661),
    ],
)  # fmt: skip
def test_figure_3_plots_the_loss_of_a_binomial_count_in_one_direction(n, lam, k):
    profile = published.figure_3(n, lam)
    assert profile.epsilon(0.01 / n) == pytest.approx(figure_3_loss(n, lam, k), rel=1e-9)
    assert profile.status == "as printed"


@pytest.mark.parametrize(("n", "lam"), [(2, 0.5), (100, 0.01), (1000, 0.2), (10**5, 0.05)])
def test_figure_3_agrees_with_ball_arithmetic(n, lam):
    profile = published.figure_3(n, lam)
    for eps in (0.05, 0.3, 1.0, 3.0, 20.0):
        truth = float(oracles.log_delta_figure_3(n, lam, eps))
        assert profile.log_delta(eps) == pytest.approx(truth, rel=1e-11, abs=1e-11)


def test_figure_3_stands_still_beyond_every_finite_loss():
    # Only S = n - 1 has an infinite loss.
    for eps in (20.0, 1e3, 1e5, 1e300, math.inf):
        value = published.figure_3(1000, 0.1).log_delta(eps)
        assert value == pytest.approx(999 * math.log(0.1), rel=1e-12)


def test_figure_3_shows_a_finite_eps_where_none_exists():
    # A hundred records, delta = 1e-4: below lam = 0.0888 the others are unanimous too often.
    n, delta = 100, 1e-4
    for lam in (5e-5, 0.01, 0.05, 0.08):
        assert published.figure_3(n, lam).epsilon(delta) < 7
        assert counting.worst_case(n, lam).epsilon(delta) == math.inf


def test_figure_3_underreports_in_exact_rationals():
    """n = 2, lam = 1/4, E >= 3: plotted 1/4, true 3/4 (the other answer betrays more)."""
    lam, E = Fraction(1, 4), Fraction(4)
    law = oracles.count_law([lam])
    plotted = sum(law[k - 1] for k in (1, 2) if law[k - 1] > E * law.get(k, 0))
    assert plotted == Fraction(1, 4)
    assert oracles.worst_delta(1, lam, E) == Fraction(3, 4)
    assert published.figure_3(2, 0.25).delta(1.5) == pytest.approx(0.25, rel=1e-11)
    assert counting.worst_case(2, 0.25).delta(1.5) == pytest.approx(0.75, rel=2e-8)


# --------------------------------------------------------------------------------------------
# The closed form
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("N", [1, 2, 3, 5, 8])
def test_the_printed_condition_asks_for_a_half_up_to_eps_one(N):
    for lam in simple_lams:
        for eps in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
            assert oracles.printed_delta(N, lam, "literal", eps) >= Fraction(1, 2)


def test_the_closed_form_does_not_satisfy_the_printed_condition():
    """n = 56 is the least n, with lam < 1/2, for which the closed form says anything at all."""
    n, lam, eps = 56, Fraction(27, 55), 1
    assert Fraction(27) / (lam * (n - 1)) <= eps
    # A hair above 27/55, lest rounding put the least eps above 1.
    allowed = counting.closed_form(n, float(lam) * (1 + 1e-15)).delta(float(eps))
    assert allowed == pytest.approx(math.exp(-27 / 14))  # about 0.145
    assert oracles.printed_delta(n - 1, lam, "literal", eps) >= Fraction(1, 2) > allowed
    # One record fewer, and 27 / (lam (n - 1)) exceeds 1 for every lam < 1/2.
    assert Fraction(27) / (Fraction(1, 2) * (n - 2)) >= 1
