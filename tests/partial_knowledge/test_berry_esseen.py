"""Proposition 7, corrected, against exact values; and what the paper concludes from Figure 2.

The corrected proposition is stated here a second time, for either reading of its averages: over
the other records only, as the library has it, or over all n records, the target's included.
"""

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import ive
from scipy.stats import norm

from pkdp import counting, published
from tests.oracles import counts as oracles

pytestmark = pytest.mark.page

GRID = np.linspace(0, 3, 31)
sixteenths = st.integers(1, 15).map(lambda i: Fraction(i, 16))


def corrected(p, eps):
    """Least δ' of any ε' <= min(eps, 1) on a fine grid, at most 1; averages over the given p."""
    p = np.asarray(p, dtype=float)
    spread = p * (1 - p)
    variance, third = spread.sum(), (spread * (p**2 + (1 - p) ** 2)).sum()
    fine = np.linspace(0, 1, 2001)
    values = 1.12 * third / variance**1.5 * (1 + np.exp(fine))
    values += 1.25 * np.exp(-(fine**2) * variance / 2)
    least = np.minimum(1.0, np.minimum.accumulate(values))
    return np.interp(np.minimum(eps, 1.0), fine, least)


def crowd(random, kind):
    """Probabilities of 1 to 200 others, of one of six kinds."""
    size = int(random.integers(1, 201))
    return np.asarray(
        (
            random.random(size),
            np.full(size, random.random()),
            random.choice([0.01, 0.5, 0.99], size),
            random.beta(0.3, 0.3, size),
            0.5 + random.uniform(-0.02, 0.02, size),
            np.append(np.full(size - 1, 0.5), random.random()),
        )[kind]
    )


@cache
def crowds():
    """700 crowds, with the exact δ of each on the grid."""
    random = np.random.default_rng(2017)
    drawn = [crowd(random, i % 6) for i in range(700)]
    return [(p, oracles.count_deltas([(1 - q, q) for q in p], GRID)) for p in drawn]


@pytest.mark.slow
def test_the_crowds_deltas_are_the_library_s():
    for p, deltas in crowds()[::70]:
        exact = counting.exact(p).delta(GRID[1:])
        assert deltas[1:] == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_the_corrected_proposition_is_what_it_says():
    for p, _ in crowds()[::7]:
        # The least value may lie between two points of the oracle's grid.
        bound = counting.berry_esseen(p).delta(GRID)
        assert bound == pytest.approx(corrected(p, GRID), rel=1e-4)
        assert (bound <= corrected(p, GRID) * (1 + 1e-11)).all()


def test_the_corrected_proposition_is_never_below_the_truth():
    """700 crowds at 31 values of ε each."""
    said_something = 0
    for p, deltas in crowds():
        bound = counting.berry_esseen(p).delta(GRID)
        assert (deltas <= bound).all()
        said_something += int((bound < 1).sum())
    assert said_something > 7000


def test_the_corrected_proposition_is_dominated_by_the_largest_mass():
    for p, deltas in crowds():
        assert (deltas[0] <= counting.berry_esseen(p).delta(GRID)).all()


def test_averages_over_all_records_do_as_well():
    """The other reading: the target's own probability counts in the averages."""
    for p, deltas in crowds():
        for target in (0.5, 0.01, 0.9):
            assert (deltas[0] <= corrected([*p, target], GRID)).all()


@given(st.lists(sixteenths, min_size=1, max_size=7), st.integers(8, 30), sixteenths)
def test_the_corrected_proposition_holds_in_exact_rationals(others, eighths, target):
    E = Fraction(eighths, 8)
    true = oracles.count_delta(others, E)
    assert true <= Fraction(counting.berry_esseen([float(p) for p in others]).delta(math.log(E)))
    for p in (others, [*others, target]):  # one point of the bound, at ε' = ε, in balls
        with ctx.workprec(200):
            eps = oracles.ball(E).log().min(arb(1))
            variance = sum(q * (1 - q) for q in p)
            third = sum(q * (1 - q) * (q**2 + (1 - q) ** 2) for q in p)
            ratio = oracles.ball(Fraction(28, 25) * third) / oracles.ball(variance) ** 1.5
            rest = (-eps * eps * oracles.ball(variance) / 2).exp()
            assert oracles.ball(true) < ratio * (1 + eps.exp()) + arb(5) / 4 * rest


def test_a_few_fair_coins_in_exact_rationals():
    # 21 others is where the corrected bound first says anything.
    spoken = []
    for N in range(1, 61):
        true = oracles.count_delta([Fraction(1, 2)] * N, 1)
        bound = counting.berry_esseen([0.5], multiplicities=[N]).delta(1.0)
        assert true < Fraction(bound)
        spoken += [N] if bound < 1 else []
    assert spoken == list(range(spoken[0], 61))
    assert spoken[0] == 21


def test_why_the_corrected_proposition_is_dominated():
    """It is at least 1.12/σ, and the largest mass at most 0.47/σ.

    p² + (1-p)² is at least 1/2, so the third moments add up to half the variance at least. The
    largest mass of a count of variance v is at most e^{-v} I_0(v), tested elsewhere.
    """
    top = minimize_scalar(lambda v: -math.sqrt(v) * ive(0, v), bounds=(0.1, 5), method="bounded")
    assert 0.468 < -top.fun < 0.47
    grid = np.geomspace(1e-6, 1e6, 20_001)
    assert (np.sqrt(grid) * ive(0, grid)).max() < 0.47
    # If the averages include a target of variance w <= 1/4, 1.12/sqrt(v + w) is enough as well:
    # either it exceeds 1, or v is so large that the target's share does not matter.
    assert (np.minimum(1.0, 1.12 / np.sqrt(grid + 0.25)) > 0.47 / np.sqrt(grid))[grid > 0.5].all()
    assert (1.12 / np.sqrt(grid + 0.25) > 1)[grid <= 1].all()
    for p, deltas in crowds()[::7]:
        deviation = math.sqrt((p * (1 - p)).sum())
        assert deltas[0] <= 0.47 / deviation
        assert counting.berry_esseen(p).delta(1.0) >= min(1.0, 1.12 / deviation)


# --------------------------------------------------------------------------------------------
# What the paper says beside Proposition 7 and Figure 2
# --------------------------------------------------------------------------------------------


def least_delta_2(n, mu2):
    """The δ₂ at which ε is 1: 1.25·exp(-nµ₂/2), to fifty digits more than it needs."""
    return mpmath.mpf("1.25") * mpmath.exp(-mpmath.mpf(n) * mu2.numerator / (2 * mu2.denominator))


@given(
    st.integers(1, 10**6),
    sixteenths.map(lambda p: p * (1 - p)),
    st.fractions(Fraction(1, 10**6), Fraction(5, 4), max_denominator=10**6),
)
def test_eps_is_at_most_one_exactly_when_delta_2_is_large_enough(n, mu2, drawn):
    # ε from δ₂, as the proposition has it, for δ₂ = 1.25 exp(-nµ₂ε²/2).
    with mpmath.workdps(80):
        least = least_delta_2(n, mu2)
        hair = mpmath.mpf(10) ** -40
        values = (
            # δ₂ that know nothing of n and µ₂,
            mpmath.mpf(drawn.numerator) / drawn.denominator,
            *(mpmath.mpf(10) ** -k for k in (0, 1, 2, 5, 10, 100, 10_000)),
            # and a hair on either side of where it turns.
            least * (1 + hair),
            least * (1 - hair),
        )
        decided = []
        for delta_2 in values:
            if delta_2 > mpmath.mpf("1.25"):  # a hair above, where nµ₂ is tiny: no such ε
                continue
            eps = mpmath.sqrt(2 * mpmath.log(mpmath.mpf("1.25") / delta_2) * mu2.denominator
                              / (n * mpmath.mpf(mu2.numerator)))  # fmt: skip
            decided.append(eps <= 1)
            assert decided[-1] == (delta_2 >= least)
        assert decided[-2:] == [True, False]


def gaussian_delta(deviation, eps):
    """δ of a Gaussian mechanism of sensitivity 1."""
    mid, shift = 1 / (2 * deviation), eps * deviation
    return norm.cdf(mid - shift) - math.exp(eps) * norm.cdf(-mid - shift)


def test_the_gaussian_fact_behind_the_condition_needs_it():
    """1.25 exp(-ε²σ²/2) bounds a Gaussian mechanism's δ for ε <= 1, and not beyond."""
    for eps in np.linspace(0.01, 1, 34):
        for deviation in np.geomspace(0.05, 1e3, 60):
            bound = 1.25 * math.exp(-((eps * deviation) ** 2) / 2)
            assert gaussian_delta(deviation, eps) <= bound
    # For ε = 20 and σ = 1/10 the formula has 0.17, and the truth is above 0.99.
    assert 1.25 * math.exp(-2.0) < 0.17
    assert gaussian_delta(0.1, 20.0) > 0.99


def test_one_outlier_ruins_lambda_and_not_the_averages():
    """1,000 records, one of them at 0.001, the others fair coins."""
    p, counts = [0.001, 0.5], [1, 998]
    for eps in (0.2, 0.5, 1.0):
        fair = counting.exact([0.5], multiplicities=[999]).delta(eps)
        assert 1 <= counting.exact(p, multiplicities=counts).delta(eps) / fair < 2
        bound = counting.berry_esseen([0.5], multiplicities=[999]).delta(eps)
        assert counting.berry_esseen(p, multiplicities=counts).delta(eps) == pytest.approx(
            bound, rel=0.01
        )
        # Everybody at λ = 0.001: Theorem 3's closed form is silent, and the worst case is bad.
        assert published.theorem_3_closed_form(1000, 0.001).delta(eps) == 1
        assert counting.worst_case(1000, 0.001).delta(eps) > 0.36
    printed = published.proposition_7([0.001, 0.5], multiplicities=[1, 999]).delta(1.0)
    assert printed < 1e-3


def limit_of_delta(c, variance):
    """Limit of sqrt(n) δ(c/sqrt(n)) for a count of variance n·variance."""
    t = c * math.sqrt(variance)
    return (norm.pdf(t) - t * norm.sf(t)) / math.sqrt(variance)


@pytest.mark.parametrize("c", [0.5, 2.0, 10.0])
def test_at_eps_of_order_one_over_root_n_the_true_delta_is_of_that_order(c):
    for n, rel in ((10**4, 0.04), (10**6, 0.004), (10**8, 0.0004)):
        # The next term of the expansion is of order eps, and grows with c.
        rel *= max(1.0, c)
        eps = c / math.sqrt(n)
        coins = math.sqrt(n) * counting.exact([0.5], multiplicities=[n - 1]).delta(eps)
        assert coins == pytest.approx(limit_of_delta(c, 0.25), rel=rel)
        worst = math.sqrt(n) * counting.worst_case(n, 0.05).delta(eps)
        assert worst == pytest.approx(limit_of_delta(c, 0.05 * 0.95), rel=rel)
        # The corrected condition of Theorem 3 is of that order too.
        assert (
            1 < counting.blanket(n, 0.05).delta(eps) / counting.worst_case(n, 0.05).delta(eps) < 8
        )


@pytest.mark.parametrize("c", [2.0, 10.0])
def test_at_eps_of_order_one_over_root_n_what_is_printed_stays_away_from_zero(c):
    for n in (10**4, 10**6, 10**7):
        eps = c / math.sqrt(n)
        closed = published.figure_2(n, "closed form").delta(eps)
        assert closed == pytest.approx(math.exp(-(c**2) * 0.05 / 14), rel=1e-3)
        tail = published.figure_2(n, "numeric").delta(eps)
        assert tail == pytest.approx(norm.sf(c * 0.3), rel=0.15)
        # Proposition 7: its δ₂ alone, for fair coins, does not depend on n at all.
        coins = published.proposition_7([0.5], multiplicities=[n]).delta(eps)
        assert coins == pytest.approx(1.25 * math.exp(-(c**2) / 8), rel=1e-9)


def test_proposition_7_needs_root_of_log_n_over_n_for_one_over_root_n():
    for n in (10**3, 10**5, 10**7, 10**9):
        eps = math.sqrt(4 * math.log(n) / n)  # ε² = ln(n)/(nµ₂), µ₂ = 1/4
        delta = published.proposition_7([0.5], multiplicities=[n]).delta(eps)
        assert math.sqrt(n) * delta == pytest.approx(1.25, rel=1e-9)
        mended = counting.berry_esseen([0.5], multiplicities=[n - 1]).delta(eps)
        assert 3.4 < math.sqrt(n) * mended < 4.3
        # At that ε the truth is smaller by orders of magnitude, and ever more so.
        assert counting.exact([0.5], multiplicities=[n - 1]).delta(eps) < delta / 10


def test_a_slightly_larger_eps_gives_a_tiny_delta():
    lam = 0.05
    for n in (10**5, 10**6, 10**8):
        eps = math.sqrt(28 * math.log(n) / (lam * (n - 1)))
        assert 27 / (lam * (n - 1)) <= eps <= 1
        closed = published.theorem_3_closed_form(n, lam).delta(eps)
        assert closed == pytest.approx(n**-2.0, rel=1e-6)
        assert counting.worst_case(n, lam).delta(eps) < closed
        # Nothing of the kind from Proposition 7, at any ε and for any probabilities.
        assert counting.berry_esseen([0.5], multiplicities=[n - 1]).delta(
            math.inf
        ) > 1.12 / math.sqrt(n / 4)
    profile = counting.worst_case(10_000, lam)
    assert [f"{profile.delta(eps):.1e}" for eps in (0.01, 0.1, 0.2, 0.3)] == (
        ["1.4e-02", "3.1e-04", "2.4e-07", "1.1e-11"]
    )


def test_the_closed_form_is_orders_of_magnitude_above_what_can_be_computed():
    """n = 10,000 and λ = 0.05, where the closed form speaks from ε = 0.055 on."""
    n, lam = 10_000, 0.05
    closed, blanket = published.theorem_3_closed_form(n, lam), counting.blanket(n, lam)
    logs = [closed.log_delta(eps) - blanket.log_delta(eps) for eps in (0.055, 0.1, 0.2, 0.5, 1.0)]
    assert [round(log / math.log(10)) for log in logs] == [2, 3, 4, 12, 34]
    ratio = closed.epsilon(1e-10) / blanket.epsilon(1e-10)
    assert 2.2 < ratio < 2.3


def third_over_second(p):
    """µ₃/µ₂^{3/2} with the absolute third moment: what the error of Proposition 7 is made of."""
    p = np.asarray(p, dtype=float)
    spread = p * (1 - p)
    return (spread * (p**2 + (1 - p) ** 2)).mean() / spread.mean() ** 1.5


@given(st.lists(st.integers(1, 31).map(lambda i: Fraction(i, 32)), min_size=1, max_size=12))
def test_no_bits_suit_proposition_7_better_than_fair_coins(p):
    # µ₃²/µ₂³ >= 1, and 1 for fair coins only.
    spread = [q * (1 - q) for q in p]
    second = sum(spread) / len(p)
    third = sum(v * (1 - 2 * v) for v in spread) / len(p)
    assert third == sum(q * (1 - q) ** 3 + (1 - q) * q**3 for q in p) / len(p)
    assert third**2 >= second**3
    assert (third**2 == second**3) == all(q == Fraction(1, 2) for q in p)


@pytest.mark.parametrize(("n", "best"), [(100, ("0.335", "0.49")), (10_000, ("0.0235", "0.033"))])
def test_case_1_suits_proposition_7_and_not_theorem_3(n, best):
    case_1, case_2 = [0.05] + [0.5] * (n - 1), np.linspace(0.05, 0.95, n)
    # Theorem 3 knows λ only, and so underestimates the randomness, of which there is hardly less
    # than fair coins have.
    variance = sum(p * (1 - p) for p in case_1)
    assert n * 0.05 * 0.95 < 0.2 * variance
    assert variance > (n - 1) / 4
    truth = counting.exact(case_1[:-1])
    assert counting.worst_case(n, 0.05).epsilon(0.01) > 1.5 * truth.epsilon(0.01)
    # Proposition 7 does well, as well as it can to 1 %, and better than in case 2: corrected ...
    assert 1 < third_over_second(case_1) < 1.01
    assert third_over_second(case_2) > 1.39
    mended = [counting.berry_esseen(np.delete(p, n // 2)).delta(1.0) for p in (case_1, case_2)]
    assert [f"{mended[0]:.3g}", f"{mended[1]:.2g}"] == list(best)
    # ... and as printed.
    printed = [published.proposition_7(p).delta(1.0) for p in (case_1, case_2)]
    assert printed[0] < 0.02 < 0.1 < printed[1]
