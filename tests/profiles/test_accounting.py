"""Composition from parameters, against products of laws in exact fractions and in balls."""

import math
import random
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from numpy.testing import assert_allclose

from pkdp import accounting, counting
from pkdp.profiles import Pair
from pkdp.profiles.laws import Finite
from tests.oracles import counts as oracles

F = Fraction


# --------------------------------------------------------------------------------------------
# Brute force: every sequence of outcomes of every release
# --------------------------------------------------------------------------------------------


def leaky_response(E, delta):
    """Randomized response of odds E that shows the record with probability delta."""
    truth, lie = (1 - delta) * E / (1 + E), (1 - delta) / (1 + F(E))
    return (
        {"shown a": delta, "says a": truth, "says b": lie},
        {"shown b": delta, "says a": lie, "says b": truth},
    )


def joint(laws):
    """The law of independent releases, by enumeration."""
    law = {}
    for row in product(*(list(one.items()) for one in laws)):
        outcome = tuple(o for o, _ in row)
        law[outcome] = math.prod((mass for _, mass in row), start=F(1))
    return law


def composed(parameters, E):
    """δ at ratio E of leaky responses of these (E_j, δ_j), outcome by outcome."""
    pairs = [leaky_response(*one) for one in parameters]
    return oracles.hockey_stick(joint(p for p, _ in pairs), joint(q for _, q in pairs), E)


def printed_kov(E, delta, k, i):
    """δ at ε' = (k-2i)ε as Kairouz, Oh and Viswanath state it."""
    tail = sum((comb(k, j) * (F(E) ** (k - j) - F(E) ** (k - 2 * i + j)) for j in range(i)), F(0))
    return 1 - (1 - delta) ** k * (1 - tail / (1 + F(E)) ** k)


PARAMETERS = [(F(1), F(0)), (F(11, 10), F(0)), (F(3, 2), F(1, 7)), (F(2), F(0)), (F(5), F(1, 100))]
RATIOS = (F(1), F(21, 20), F(3, 2), F(2), F(7, 2), F(10), F(1000))


# --------------------------------------------------------------------------------------------
# Optimal composition
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("E1", [F(1), F(11, 10), F(3, 2), F(4)])
def test_optimal_is_brute_force_in_exact_rationals(E1):
    for delta, k in product((F(0), F(1, 1000), F(1, 3)), (1, 2, 3, 5)):
        profile = accounting.optimal(math.log(E1), float(delta), times=k)
        for E in RATIOS:
            # At a ratio that is a power of E1 the loss is met exactly, and rounding may count it
            # on either side, which makes no difference.
            assert_allclose(
                profile.delta(math.log(E)), float(composed([(E1, delta)] * k, E)), atol=3e-15
            )


def test_optimal_agrees_with_the_printed_theorem_on_its_grid():
    for E, delta, k in product((F(3, 2), F(3)), (F(0), F(1, 50)), (1, 2, 5, 20)):
        for i in range(k // 2 + 1):
            profile = accounting.optimal(math.log(E), float(delta), times=k)
            found = profile.delta((k - 2 * i) * math.log(E))
            assert_allclose(found, float(printed_kov(E, delta, k, i)), rtol=1e-11, atol=3e-15)


def ball_optimal(eps, delta, k, at):
    """Ln δ of k-fold optimal composition in balls; the floats are the binary rationals."""
    ctx.prec = 4000
    e, d, a = arb(eps), arb(delta), arb(at)
    p = e.exp() / (1 + e.exp())
    h = arb(0)
    for i in range(k + 1):
        gap = (2 * i - k) * e - a
        if gap > 0:
            h += arb(comb(k, i)) * p**i * (1 - p) ** (k - i) * (1 - (-gap).exp())
    total = 1 - (1 - d) ** k * (1 - h)
    return float(total.log().mid()) if total > 0 else -math.inf


def test_optimal_is_right_in_deep_tails():
    for eps, delta, k in product((1e-3, 0.05, 1.0, 30.0), (0.0, 1e-200, 1e-9), (3, 40, 365)):
        profile = accounting.optimal(eps, delta, times=k)
        for share in (0.0, 0.03, 0.31, 0.77, 0.995):
            at = share * k * eps
            expected = ball_optimal(eps, delta, k, at)
            assert profile.log_delta(at) >= expected
            assert_allclose(profile.log_delta(at), expected, rtol=2e-12, atol=2e-12)


def random_law(source, outcomes):
    weights = [source.randint(0, 9) for _ in range(outcomes)]
    while not sum(weights):
        weights = [source.randint(0, 9) for _ in range(outcomes)]
    return {o: F(w, sum(weights)) for o, w in enumerate(weights)}


def test_optimal_bounds_what_follows_every_history():
    # Adaptive releases: the second pair depends on what the first showed, and is (E2, δ2)-
    # indistinguishable after each.
    source = random.Random(5)
    for _ in range(150):
        first = random_law(source, 3), random_law(source, 3)
        second = [(random_law(source, 3), random_law(source, 3)) for _ in range(3)]
        E1, E2 = (F(source.randint(10, 40), 10) for _ in range(2))

        def leak(pair, E):
            return max(oracles.hockey_stick(*pair, E), oracles.hockey_stick(*pair[::-1], E))

        d1, d2 = leak(first, E1), max(leak(pair, E2) for pair in second)
        p, q = (
            {(o, t): law[o] * second[o][side][t] for o in range(3) for t in range(3)}
            for side, law in enumerate(first)
        )
        for E in (F(1), F(3, 2), E1, E1 * E2, F(20)):
            assert oracles.hockey_stick(p, q, E) <= composed([(E1, d1), (E2, d2)], E)


# --------------------------------------------------------------------------------------------
# Different parameters
# --------------------------------------------------------------------------------------------


def test_heterogeneous_is_brute_force_in_exact_rationals():
    source = random.Random(2)
    for k in (1, 2, 3, 4, 5):
        for _ in range(4):
            chosen = [source.choice(PARAMETERS) for _ in range(k)]
            found = accounting.heterogeneous(
                [math.log(E) for E, _ in chosen], [float(d) for _, d in chosen]
            )
            assert found.lower is found.upper
            assert found.upper.status == "exact"
            for E in RATIOS:
                expected = float(composed(chosen, E))
                assert_allclose(found.upper.delta(math.log(E)), expected, atol=3e-15)


def sums_by_enumeration(epsilons, at):
    """H of the composition, from all 2^k signs at once."""
    losses, masses = np.zeros(1), np.ones(1)
    for eps in epsilons:
        truth = 1 / (1 + math.exp(-eps))
        losses = np.concatenate([losses + eps, losses - eps])
        masses = np.concatenate([masses * truth, masses * (1 - truth)])
    beyond = losses > at
    return float(masses[beyond] @ -np.expm1(at - losses[beyond]))


def test_heterogeneous_brackets_what_it_cannot_list():
    source = np.random.default_rng(3)
    epsilons = source.uniform(0.0, 0.4, 19)  # 2^19 sums, more than are listed
    for cells, width in ((1000, 0.1), (100_000, 2e-3)):
        found = accounting.heterogeneous(epsilons, cells=cells)
        assert (found.lower.status, found.upper.status) == ("lower bound", "upper bound")
        for at in (0.0, 0.2, 1.0, 2.0, 3.0):
            exact = sums_by_enumeration(epsilons, at)
            assert found.lower.delta(at) <= exact * (1 + 1e-12)
            assert exact <= found.upper.delta(at) * (1 + 1e-12)
            assert found.upper.delta(at) <= (1 + width * (1 + 5 * at)) * found.lower.delta(at)


def test_the_lower_bound_of_a_lattice_is_never_above_the_truth():
    # All ε lie on the lattice, so that nothing is left but rounding; 40 digits.
    epsilons = [k / 100 for k in range(1, 21)]
    found = accounting.heterogeneous(epsilons, cells=21_000)
    assert found.lower.status == "lower bound"
    with mpmath.workdps(40):
        law = {0: mpmath.mpf(1)}  # of the loss, in hundredths
        for k in range(1, 21):
            truth = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilons[k - 1])))
            more = {}
            for loss, mass in law.items():
                for sign, chance in ((k, truth), (-k, 1 - truth)):
                    more[loss + sign] = more.get(loss + sign, 0) + mass * chance
            law = more
        for at in (0.0, 0.105, 0.505, 1.005, 1.905, 2.05):
            beyond = [(mpmath.mpf(loss) / 100, mass) for loss, mass in law.items()]
            exact = sum(m * -mpmath.expm1(at - loss) for loss, m in beyond if loss > at)
            low, high = (mpmath.mpf(side.log_delta(at)) for side in found)
            assert low <= mpmath.log(exact) <= high
            assert low >= mpmath.log(exact) - 1e-12 * max(1, abs(mpmath.log(exact)))


# --------------------------------------------------------------------------------------------
# Simple and advanced composition
# --------------------------------------------------------------------------------------------


def test_simple_composition_is_k_times_delta_at_a_kth_of_eps():
    profile = counting.exact([0.5] * 30)
    for k, eps in product((1, 2, 9), (0.0, 0.5, 3.0, math.inf)):
        expected = min(0.0, math.log(k) + profile.log_delta(eps / k))
        assert_allclose(accounting.simple(profile, k).log_delta(eps), expected, rtol=1e-11)


def test_advanced_composition_is_the_theorem():
    # The theorem from the other side: choose δ', read off ε'.
    for eps, delta, k, more in product((0.01, 0.3), (0.0, 1e-8), (1, 20, 365), (1e-12, 1e-3)):
        total = math.sqrt(2 * k * math.log(1 / more)) * eps + k * eps * math.expm1(eps)
        found = accounting.advanced(eps, delta, times=k).delta(total)
        assert_allclose(found, k * delta + more, rtol=1e-9)


def test_a_release_that_shows_nothing_may_be_repeated():
    for profile in (
        accounting.advanced(0.0, 0.0, times=100),
        accounting.optimal(0.0, 0.0, times=100),
        accounting.heterogeneous([0.0] * 5).upper,
    ):
        assert profile.delta([0.0, 1e-9, 1.0]).tolist() == [0.0, 0.0, 0.0]


# --------------------------------------------------------------------------------------------
# Rényi divergences
# --------------------------------------------------------------------------------------------


def float_pair(p, q):
    return Pair(
        Finite.from_dict({o: float(m) for o, m in p.items()}),
        Finite.from_dict({o: float(m) for o, m in q.items()}),
    )


def divergence(p, q, order):
    """In 50 digits, from the definition."""
    with mpmath.workdps(50):
        total = mpmath.mpf(0)
        for o, mass in p.items():
            other = q.get(o, F(0))
            if mass and other:
                a, b = (mpmath.mpf(m.numerator) / m.denominator for m in (mass, other))
                total += a * mpmath.log(a / b) if order == 1 else a**order * b ** (1 - order)
            elif mass and order >= 1:
                return math.inf
        return float(total if order == 1 else mpmath.log(total) / (order - 1))


def test_renyi_divergences_are_those_of_the_definition():
    source = random.Random(3)
    for _ in range(60):
        p, q = random_law(source, 4), random_law(source, 4)
        if not any(p[o] and q[o] for o in p):
            assert accounting.renyi_divergence(float_pair(p, q), 2) == math.inf
            continue
        for order in (F(1, 10), F(1, 2), F(1), F(3, 2), F(2), F(30)):
            found = accounting.renyi_divergence(float_pair(p, q), order)
            expected = divergence(p, q, mpmath.mpf(order.numerator) / order.denominator)
            assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


def test_the_renyi_divergence_of_order_inf_is_the_largest_loss():
    p, q = {0: F(1, 2), 1: F(1, 2)}, {0: F(1, 8), 1: F(7, 8)}
    found = accounting.renyi_divergence(float_pair(p, q), math.inf)
    assert found == pytest.approx(math.log(4), rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 10, 1000, 20_000])
def test_the_renyi_divergence_of_a_count_is_infinite_from_order_1_on(number):
    pair = counting.pair([0.5], multiplicities=[number])
    for order in (1, 1.0001, 2, math.inf):
        assert accounting.renyi_divergence(pair, order) == math.inf
        assert accounting.renyi_divergence(pair.reversed(), order) == math.inf
    assert 0 < accounting.renyi_divergence(pair, 0.99) < math.inf


def test_renyi_divergences_add_up():
    source = random.Random(4)
    for _ in range(10):
        p, q = random_law(source, 3), random_law(source, 3)
        if any(bool(p[o]) != bool(q[o]) for o in p):
            continue
        for order in (0.5, 1.0, 3.0):
            one = divergence(p, q, order)
            assert_allclose(divergence(joint([p] * 3), joint([q] * 3), order), 3 * one, rtol=1e-12)


def test_the_conversion_from_renyi_is_a_bound_and_touches():
    # (x - E)₊ ≤ x^α·E^{1-α}·(1-1/α)^α/(α-1), with equality at x = αE/(α-1).
    for E, alpha in product((1.0, 1.5, 20.0), (1.01, 1.5, 2.0, 17.0)):
        constant = E ** (1 - alpha) * (1 - 1 / alpha) ** alpha / (alpha - 1)
        x = np.concatenate([np.geomspace(1e-3, 1e4, 500), [alpha * E / (alpha - 1)]])
        bound = constant * x**alpha
        assert (bound >= np.maximum(x - E, 0) * (1 - 1e-12)).all()
        assert_allclose(bound[-1], x[-1] - E, rtol=1e-12)


def test_renyi_bounds_every_product_of_small_laws():
    source = random.Random(6)
    for _ in range(60):
        p, q = random_law(source, 3), random_law(source, 3)
        k = source.choice((1, 2, 4))
        profile = accounting.renyi(float_pair(p, q), k)
        assert profile.status == "upper bound"
        P, Q = joint([p] * k), joint([q] * k)
        for E in (F(1), F(5, 4), F(3), F(50)):
            exact = max(oracles.hockey_stick(P, Q, E), oracles.hockey_stick(Q, P, E))
            assert profile.delta(math.log(E)) >= float(exact) * (1 - 1e-12)


def test_renyi_sets_infinite_losses_aside():
    for number, k in ((3, 1), (3, 5), (10, 365)):
        profile = accounting.renyi(counting.pair([0.5] * number), k)
        expected = 1 - (1 - F(1, 2**number)) ** k
        assert_allclose(profile.delta(math.inf), float(expected), rtol=1e-11)
    year = accounting.renyi(counting.pair([0.5], multiplicities=[99_999]), 365)
    assert year.log_delta(math.inf) == pytest.approx(-1500, abs=30)  # what the masses leave out


def test_renyi_finds_the_best_order():
    pair, k = counting.pair([0.5] * 200), 20
    log_p, log_q, _ = pair.log_masses()
    both = (log_p > -math.inf) & (log_q > -math.inf)
    log_p, losses = log_p[both], (log_p - log_q)[both]
    profile = accounting.renyi(pair, k)
    for eps in (0.5, 2.0, 4.0):
        tried = [
            k * np.logaddexp.reduce(log_p + (a - 1) * losses)
            + (1 - a) * eps
            - math.log(a - 1)
            + a * math.log1p(-1 / a)
            for a in 1 + np.geomspace(1e-3, 1e3, 3000)
        ]
        assert profile.log_delta(eps) <= min(tried) + 1e-7
        assert profile.log_delta(eps) >= min(tried) - 1e-3


# --------------------------------------------------------------------------------------------
# Arguments
# --------------------------------------------------------------------------------------------


def test_parameters_as_small_and_ε_as_large_as_floats_are_no_trouble():
    assert accounting.advanced(1e-200, 0.0, times=1).delta(1.0) == math.ulp(0.0)
    assert -math.inf < accounting.advanced(0.1, 0.0, times=1).log_delta(1e200) < -1e300


@pytest.mark.slow
def test_an_epsilon_beyond_eight_hundred_is_found():
    # All of these said inf once: safe, but neither the least ε nor what the theorem says.
    loud = accounting.optimal(3.0, 0.0, times=365)
    assert loud.epsilon(0.3) == pytest.approx(1004.1787760459638, rel=1e-9)
    assert loud.delta(loud.epsilon(0.3)) <= 0.3
    assert loud.delta(loud.epsilon(0.3) - 1e-6) > 0.3
    assert loud.epsilon(0.0) == pytest.approx(365 * 3.0, rel=1e-12)
    lattice = accounting.heterogeneous([3.0 + i / 1e4 for i in range(365)])
    assert 1000.0 < lattice.lower.epsilon(0.3) < lattice.upper.epsilon(0.3) < 1012.0
    one = accounting.optimal(3.0, 0.0, times=1)
    assert accounting.simple(one, 365).epsilon(1e-6) == pytest.approx(365 * 3.0, rel=1e-6)
    advanced = accounting.advanced(3.0, 0.0, times=365)
    drift = 365 * 3.0 * math.expm1(3.0)
    expected = drift + math.sqrt(2 * 365 * math.log(1e6)) * 3.0
    assert advanced.epsilon(1e-6) == pytest.approx(expected, rel=1e-9)
    assert advanced.epsilon(0.0) == math.inf


def test_a_renyi_divergence_of_close_laws_has_its_digits_beside_an_infinite_loss():
    p, q = (0.5, 0.5 - 2.0**-40, 2.0**-40), (0.5 + 2.0**-20, 0.5 - 2.0**-20, 0.0)
    found = accounting.renyi_divergence(Pair(Finite(0, p), Finite(0, q)), 0.5)
    with mpmath.workdps(40):
        roots = [mpmath.sqrt(mpmath.mpf(x) * y) for x, y in zip(p, q, strict=True)]
        exact = -2 * mpmath.log(mpmath.fsum(roots))
    assert found == pytest.approx(float(exact), rel=1e-9, abs=0.0)


def test_what_a_lattice_leaves_out_is_counted(monkeypatch):
    # Most of the lattice has no mass, and is dropped on the way; equal ε have exact sums, too.
    exact = accounting.optimal(0.0625, 1e-6, times=3000)
    monkeypatch.setattr(accounting, "_MOST_SUMS", 1)
    bracket = accounting.heterogeneous([0.0625] * 3000, 1e-6, cells=3000)
    for eps in (0.0, 1.0, 20.0, 60.0):
        truth = exact.log_delta(eps)
        assert bracket.lower.log_delta(eps) <= truth <= bracket.upper.log_delta(eps)
        assert bracket.upper.log_delta(eps) == pytest.approx(truth, rel=1e-9)
