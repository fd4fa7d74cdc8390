"""Trade-off curves, advantages and bets: against every event and every way to bet, in rationals."""

import math
import re
from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import accounting
from pkdp.figures.reference import trade_off_curves
from pkdp.profiles import Pair, PrivacyProfile, trade_off
from pkdp.profiles.laws import Finite
from pkdp.profiles.profile import Formula, harmless, vacuous

F = Fraction


def laws(source):
    """Two laws of a few outcomes whose masses are binary fractions, so that floats hold them."""
    size = source.draw(st.integers(2, 4))
    found = []
    for _ in range(2):
        cuts = source.draw(st.lists(st.integers(0, 64), min_size=size - 1, max_size=size - 1))
        ends = [0, *sorted(cuts), 64]
        found.append([F(high - low, 64) for low, high in pairwise(ends)])
    return found


def profile_of(P, Q):
    return Pair(*(Finite(0, tuple(map(float, law))) for law in (P, Q))).profile()


def mass(law, event):
    return sum((law[o] for o in event), F(0))


def events(size):
    return (event for k in range(size + 1) for event in combinations(range(size), k))


def least_misses(P, Q, alpha):
    """The lower hull at α of all tests' errors, whichever of the two values they accuse."""
    points = {
        (mass(B, event), 1 - mass(A, event))
        for A, B in ((P, Q), (Q, P))
        for event in events(len(P))
    }
    found = [y for x, y in points if x == alpha]
    for (x, y), (u, v) in product(points, repeat=2):
        if x < alpha < u:
            found.append(y + (v - y) * (alpha - x) / (u - x))
    return min(found)


def best_gain(P, Q, E):
    """What all ways to bet at odds of E to 1 gain at best: on the one, on the other, or not."""
    each = zip(P, Q, strict=True)
    return sum((max(0, (p - E * q) / 2, (q - E * p) / 2) for p, q in each), F(0))


@given(st.data(), st.integers(0, 64))
def test_the_curve_is_that_of_the_best_tests(source, part):
    P, Q = laws(source)
    alpha = F(part, 64)
    truth = least_misses(P, Q, alpha)
    found = trade_off_curves.false_negatives(profile_of(P, Q), float(alpha))
    assert truth - F(1, 10**10) <= F(found) <= truth


@given(st.data(), st.fractions(1, 20, max_denominator=16))
def test_bets_gain_no_more_than_delta_and_advantage_is_that_of_the_best_event(source, E):
    P, Q = laws(source)
    profile = profile_of(P, Q)
    best = max(mass(P, event) - mass(Q, event) for event in events(len(P)))
    assert best <= F(trade_off.advantage(profile)) <= best + F(1, 10**11)
    assert best_gain(P, Q, F(1)) == best
    eps = math.log(E) * (1 - 1e-15)
    gain = best_gain(P, Q, E)
    said = trade_off_curves.in_words(profile, eps)
    wins, stake, most = re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?(?= of 100| to win| each)", said)
    assert gain <= F(most)
    assert F(wins) >= 50 + 50 * best
    assert F(stake) >= E


@pytest.mark.parametrize("eps", [0.0, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("delta", [0.0, 1e-9, 0.25, 1.0])
def test_a_guarantee_alone_has_the_curve_of_its_two_lines(eps, delta):
    # Kairouz, Oh and Viswanath: what is (ε, δ)-private and no more.
    profile = accounting.optimal(eps, delta, times=1)
    for alpha in (0.0, 1e-6, 0.1, 0.5, 0.9, 1.0):
        lines = 1 - delta - math.exp(eps) * alpha, math.exp(-eps) * (1 - delta - alpha)
        found = trade_off_curves.false_negatives(profile, alpha)
        assert found == pytest.approx(max(0.0, *lines), abs=1e-10)


def test_nothing_told_and_everything_told():
    for rate in (0.0, 0.25, 0.5, 1.0):
        found = trade_off_curves.false_negatives(harmless("exact"), rate)
        assert found == pytest.approx(1 - rate, abs=1e-10)
        assert found <= 1 - rate
        assert trade_off_curves.false_negatives(vacuous("exact"), rate) == 0
    assert trade_off.advantage(harmless("exact")) == 0.0
    assert trade_off.advantage(vacuous("exact")) == 1.0


def test_one_rate_takes_a_few_values_of_the_profile():
    asked = []

    def log_delta_at(eps):
        asked.append(eps)
        return -eps - 1.0

    trade_off_curves.false_negatives(PrivacyProfile(Formula(log_delta_at), "exact"), 0.01)
    assert len(asked) < 200
