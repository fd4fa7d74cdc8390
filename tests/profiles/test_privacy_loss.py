"""Sums of privacy losses: certified bounds against exact fractions and against closed forms."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from flint import arb, arb_poly, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from pkdp import counting, privacy_loss, thresholding
from pkdp.databases import memberships
from pkdp.profiles import Pair, PrivacyProfile, _summed_losses, _transforms
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.pairs import LogMasses
from pkdp.profiles.profile import Formula
from tests.oracles import counts as oracles


def exact_product(pairs, eps):
    """H_E of a product of pairs of lists of fractions, by listing all outcomes."""
    ratio = oracles.rational_above_exp(Fraction(eps)) if eps else Fraction(1)
    total = Fraction(0)
    for outcomes in product(*[list(zip(p, q, strict=True)) for p, q in pairs]):
        p = math.prod((pq[0] for pq in outcomes), start=Fraction(1))
        q = math.prod((pq[1] for pq in outcomes), start=Fraction(1))
        total += max(Fraction(0), p - ratio * q)
    return total


def logs(masses):
    with np.errstate(divide="ignore"):
        return np.log(np.array([float(mass) for mass in masses]))


def of_masses(log_p, log_q, *, step, rounding="up", log_left_out=-math.inf):
    """The law of the loss of a pair given by its masses."""
    masses = LogMasses(np.asarray(log_p), np.asarray(log_q), log_left_out)
    return privacy_loss._of_masses(masses, step, rounding)


def fractions(weights):
    return [Fraction(weight, sum(weights)) for weight in weights]


def bounds(pairs, times, step):
    """Lower and upper bound of one direction."""
    return [
        privacy_loss.compose(
            [
                (of_masses(logs(p), logs(q), step=step, rounding=rounding), k)
                for (p, q), k in zip(pairs, times, strict=True)
            ]
        )
        for rounding in ("down", "up")
    ]


COINS = ([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])


weights = st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(any)


def log_delta_of_coins(times, eps):
    """ln δ of `times` randomized responses with ratio 3, to 50 digits."""
    with mpmath.workdps(50):
        loss = mpmath.log(3)
        terms = [
            mpmath.binomial(times, i)
            * mpmath.mpf(3) ** i
            / mpmath.mpf(4) ** times
            * -mpmath.expm1(eps - (2 * i - times) * loss)
            for i in range(times + 1)
            if (2 * i - times) * loss > eps
        ]
        return mpmath.log(mpmath.fsum(terms))


def test_the_error_of_the_transform_is_small_and_counted():
    # On a grid that the losses lie on, only the transform rounds: bounds then nearly meet.
    step = 1 / 64
    ratio = math.exp(1.0)
    p = [ratio / (1 + ratio), 1 / (1 + ratio)]
    up = of_masses(logs(p), logs(p[::-1]), step=step, rounding="up")
    down = of_masses(logs(p), logs(p[::-1]), step=step, rounding="down")
    # Rounded down, a loss of 1 that may have been a hair less falls by a step; put it back.
    down = privacy_loss.Losses(step, np.array([-64, 64]), down.log_masses, -math.inf, "down")
    for times, eps in [(50, 3.0), (50, 30.0), (400, 10.0), (400, 300.0)]:
        high = privacy_loss.compose([(up, times)]).log_delta(eps)
        low = privacy_loss.compose([(down, times)]).log_delta(eps)
        assert low < high < low + 1e-6


def test_a_month_of_counts_far_below_the_smallest_float():
    both = privacy_loss.bracket([counting.pair([0.3], multiplicities=[10**4])], [30])
    low, high = (curve.epsilon(log_delta=-1000.0) for curve in both)
    assert low < high < low * 1.001
    assert both.upper.log_delta(high) <= -1000.0
    # Sums of so many losses are nearly normal; the mean is half the variance.
    variance = 30 / (0.3 * 0.7 * 10**4)
    assert math.isclose(both.upper.epsilon(1e-10), 6.0 * math.sqrt(variance), rel_tol=0.1)


@pytest.mark.parametrize(("n", "p"), [(5, 0.3), (64, 0.5), (65, 0.5), (10**4, 0.05), (10**6, 1e-6)])
def test_masses_of_a_count_are_right_in_both_tails(n, p):
    law = binomial(n, p)
    first, last = law.span(-1500.0)
    masses = law.log_pmf(first - 1, last + 1)
    for k in np.unique(np.linspace(first, last, 23).astype(int)):
        with ctx.workprec(oracles.PRECISION):
            truth = oracles.log_binomial_mass(n, oracles.ball(p), int(k))
        mass = masses[k - first + 1]
        assert abs(float(truth.mid()) - mass) <= 5e-13 * max(1, abs(mass))
        assert mass >= -1510.0
    for k, beyond in ((first - 1, masses[0]), (last + 1, masses[-1])):
        assert (beyond < -1500.0) or not 0 <= k <= n
    outside = law.log_outside(first, last)
    assert outside < -1480.0
    assert outside >= max(masses[0], masses[-1])


@pytest.mark.slow
@given(weights, weights, st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_a_dominating_pair_bounds_every_pair_below_the_profile(p, q, times):
    pair = (fractions(p), fractions(q))

    def log_delta_at(eps):
        value = max(exact_product([pair], eps), exact_product([pair[::-1]], eps))
        return math.log(value) if value else -math.inf

    profile = PrivacyProfile(Formula(log_delta_at), "exact")
    bound = privacy_loss.compose([(privacy_loss.of_profile(profile, 0.1, largest=4.0), times)])
    for eps in (0.0, 0.2, 1.0, 3.0, 6.0):
        for side in (pair, pair[::-1]):
            assert bound.delta(eps) >= float(exact_product([side] * times, eps)) * (1 - 1e-9)


def test_what_is_left_out_is_lost_only_to_upper_bounds():
    p = np.log([0.6, 0.4])
    up = of_masses(p, p, step=0.1, rounding="up", log_left_out=-50.0)
    down = of_masses(p, p, step=0.1, rounding="down", log_left_out=-50.0)
    assert up.log_infinite == -50.0
    assert down.log_infinite == -math.inf
    assert math.isclose(privacy_loss.compose([(up, 7)]).log_delta(100.0), math.log(7) - 50.0)
    assert privacy_loss.compose([(up, 10**6)]).log_delta(math.inf) == pytest.approx(
        math.log(1e6) - 50
    )


# --------------------------------------------------------------------------------------------
# Laws that were bounded wrongly once
# --------------------------------------------------------------------------------------------


def true_log_delta(log_p, log_q, times, eps):
    """ln δ of a sum of so many losses, to 60 digits, by listing how often each occurs."""
    with mpmath.workdps(60):
        masses = [mpmath.exp(x) for x in log_p]
        ratios = [
            mpmath.inf if y == -math.inf else mpmath.mpf(x) - mpmath.mpf(y)
            for x, y in zip(log_p, log_q, strict=True)
        ]
        total = mpmath.mpf(0)
        for counts in multisets(times, len(log_p)):
            chance = mpmath.factorial(times)
            loss = mpmath.mpf(0)
            for count, mass, ratio in zip(counts, masses, ratios, strict=True):
                chance *= mass**count / mpmath.factorial(count)
                loss += count * ratio if count else 0
            if loss > eps:
                total += chance * -mpmath.expm1(eps - loss)
        return mpmath.log(total) if total > 0 else -math.inf


def multisets(total, parts):
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in multisets(total - first, parts - 1):
            yield (first, *rest)


def both_bounds(log_p, log_q, times, step):
    return [
        privacy_loss.compose([(of_masses(log_p, log_q, step=step, rounding=rounding), times)])
        for rounding in ("down", "up")
    ]


HALF = math.log(0.5)
FAR_BELOW = (
    [HALF, HALF, -math.inf],
    [HALF - 0.1, HALF - 300, math.log(1 - 0.5 * math.exp(-0.1))],
)
DEEP_P = np.array(
    [-0.6971551805386168, -0.6891551805386074, -961.6238163861027, -2426.1637667865807]
)
GAPS = ([-6.46e-31, -69.51430088142001], [0.0, -160.61173112626585])
OVERFLOWING = (
    [-135.93234190492637, -9.256735225818448e-60, -145.99080731290837],
    [0.0, -math.inf, -184.47037874969448],
)


NEARLY_ALWAYS_INFINITE = ([-61.09496318178613, -2.9295075260428136e-27], [0.0, -math.inf])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("log_p", "log_q", "times", "step", "eps"),
    [
        (*NEARLY_ALWAYS_INFINITE, 20, 0.05, 0.0),
        (*FAR_BELOW, 1, 0.01, 0.0),
        (DEEP_P, DEEP_P - np.array([-0.008, 0.008, 0.402, 1.0]), 1, 1e-3, 0.4),
        (*GAPS, 5, 0.003, 1.19),
        (*OVERFLOWING, 20, 0.5, 0.0),
        ([math.log1p(-1e-12), math.log(1e-12)], [-math.inf, 0.0], 1, 0.1, 0.0),
    ],
    ids=["a cut above 1", "discounts", "deep", "gaps", "overflow", "nearly sure"],
)
def test_losses_that_were_bounded_wrongly_once(log_p, log_q, times, step, eps):
    lower, upper = both_bounds(log_p, log_q, times, step)
    truth = true_log_delta(list(log_p), list(log_q), times, eps)
    # Digits of the truth, too, end somewhere.
    assert lower.log_delta(eps) <= truth + 1e-30
    assert truth - 1e-30 <= upper.log_delta(eps) < truth + 1e-2


def test_lower_bounds_far_below_the_mean_are_near_one():
    coin = of_masses(logs([0.75, 0.25]), logs([0.25, 0.75]), step=1e-2, rounding="down")
    answers = privacy_loss.compose([(coin, 2000)])
    assert all(answers.delta(eps) > 0.9 for eps in (0, 100, 300, 500, 600, 1000))
    assert 1000 < answers.epsilon(1e-6) < 2000 * math.log(3)


@st.composite
def wild_pairs(draw):
    """Laws of masses down to e^-200, as logarithms."""
    size = draw(st.integers(2, 3))
    weight = st.floats(0, 200) | st.floats(0, 3) | st.just(math.inf)
    rows = [draw(st.lists(weight, min_size=size, max_size=size)) for _ in range(2)]
    laws = []
    for row in rows:
        exponents = -np.array(row)
        top = exponents.max()
        total = np.exp(exponents - top).sum() if top > -math.inf else 0.0
        laws.append(exponents - top - math.log(total) if total else logs([1] + [0] * (size - 1)))
    return laws[0].tolist(), laws[1].tolist()


@given(wild_pairs(), st.integers(1, 8), st.sampled_from([0.5, 0.01]))
@settings(max_examples=60, deadline=None)
def test_bounds_hold_for_wild_laws_of_losses(pair, times, step):
    log_p, log_q = pair
    lower, upper = both_bounds(log_p, log_q, times, step)
    for eps in (0.0, 0.37, 2.0, 40.0, 300.0):
        truth = true_log_delta(log_p, log_q, times, eps)
        slack = 1e-11 * max(1.0, abs(float(truth))) if truth > -math.inf else 0.0
        assert lower.log_delta(eps) <= truth + slack
        assert upper.log_delta(eps) >= truth - slack


def delta_of_losses(losses, times, eps):
    """δ(ε) of so many losses of a law on a grid, as a ball: masses are coefficients of a power."""
    first = int(losses.indices[0])
    masses = [arb(0)] * (int(losses.indices[-1]) - first + 1)
    for index, log_mass in zip(losses.indices, losses.log_masses, strict=True):
        masses[index - first] = arb(float(log_mass)).exp()
    delta = 1 - (1 - arb(losses.log_infinite).exp()) ** times
    for i, mass in enumerate((arb_poly(masses) ** times).coeffs()):
        excess = (first * times + i) * arb(losses.step) - arb(eps)
        delta += mass * (1 - (-excess).exp()) if excess > 0 else 0
    return delta


@st.composite
def laws_on_a_grid(draw):
    """A law of losses on a grid, many times, and an ε on a point of the sum or right beside it."""
    indices = np.array(sorted(draw(st.sets(st.integers(-40, 40), min_size=1, max_size=8))))
    weights = np.array([draw(st.floats(0.0, 40.0)) for _ in indices])
    log_masses = weights - np.logaddexp.reduce(weights) + math.log(0.999)
    step = draw(st.floats(1e-3, 0.3))
    times = draw(st.sampled_from([1, 2, 7, 30]))
    spread = times * int(indices[-1] - indices[0])
    point = draw(st.integers(times * int(indices[0]), times * int(indices[-1])))
    if draw(st.booleans()):  # one of the largest
        point = times * int(indices[-1]) - draw(st.integers(0, min(3, spread)))
    beside = draw(st.sampled_from([0.0, 0.5, 1.0, 1e-15, 1e-9, -1e-9]))
    eps = max(0.0, float(point * step) * (1.0 - beside * 1e-3))
    eps = math.nextafter(eps, draw(st.sampled_from([0.0, eps, math.inf])))
    log_infinite = draw(st.sampled_from([-math.inf, -700.0, -8.0]))
    return step, indices, log_masses, log_infinite, times, eps


@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=5),
    st.integers(1, 12),
    st.floats(0.0, 3.0),
    st.integers(8, 40),
    st.integers(1, 8),
    st.floats(0.1, 1.0),
)
@settings(max_examples=100, deadline=None)
def test_few_frequencies_of_losses_are_off_by_no_more_than_the_theorem_says(
    weights, times, tilt, length, kept, step
):
    one = np.array(weights) / sum(weights)  # of a loss 0, step, 2·step and so on
    masses = np.array(arb_poly([arb(float(m)) for m in one]) ** times, dtype=float)
    losses = step * np.arange(masses.size)
    eps = 0.4 * losses[-1]
    tilted = masses * np.exp(tilt * losses)
    mgf, tilted = tilted.sum(), tilted / tilted.sum()
    first = round(tilted @ np.arange(masses.size)) - length // 2
    window = first + np.arange(length)
    beyond = np.maximum(step * window - eps, 0.0)
    factors = np.exp(-tilt * beyond) - np.exp(-(tilt + 1.0) * beyond)
    angles = 2.0 * math.pi * np.arange(length) / length
    spectrum = np.exp(-1j * np.outer(angles, np.arange(masses.size))) @ tilted
    is_kept = np.minimum(np.arange(length), length - np.arange(length)) < kept
    rough = np.where(is_kept, spectrum, 0.0)
    value = (rough * (np.exp(1j * np.outer(angles, window)) @ factors)).sum().real / length
    outside = tilted[~np.isin(np.arange(masses.size), window)].sum()
    off = np.linalg.norm(factors) * np.linalg.norm(rough - spectrum) / math.sqrt(length)
    truth = masses @ np.maximum(0.0, -np.expm1(eps - losses)) / mgf * math.exp(tilt * eps)
    assert abs(value - truth) <= outside + off + 1e-12


@pytest.mark.slow
@given(laws_on_a_grid())
@settings(max_examples=150, deadline=None)
def test_bounds_hold_for_given_losses_beside_points_of_the_grid(law):
    *given_law, times, eps = law
    with ctx.workprec(3000):
        losses = [privacy_loss.Losses(*given_law, rounding) for rounding in ("down", "up")]
        lower, upper = (privacy_loss.compose([(one, times)]).log_delta(eps) for one in losses)
        delta = delta_of_losses(losses[0], times, eps)
        assert lower == -math.inf or not arb(lower).exp() > delta
        assert not (arb(upper).exp() if upper > -math.inf else arb(0)) < delta


@pytest.mark.parametrize(
    "pair",
    [
        counting.pair([0.3], multiplicities=[500]),
        thresholding.pair([0.02] * 300, threshold=8),
        *(thresholding.pair([0.001] * 5000, threshold=threshold) for threshold in (20, 30, 60)),
    ],
)
def test_one_pair_is_its_own_profile_whatever_its_rare_losses(pair):
    both, exact = privacy_loss.bracket([pair]), pair.profile()
    low, true, high = (
        np.array([one.log_delta(eps) for eps in (0.0, 0.5, 1.0)])
        for one in (both[0], exact, both[1])
    )
    assert (low <= true + 1e-11 * np.maximum(1.0, -true)).all()
    assert (high >= true - 1e-11 * np.maximum(1.0, -true)).all()
    # Losses are known to 1e-12, so that upper bounds at ε = 0 are not below that.
    assert high[0] < max(true[0], math.log(1e-11)) + 0.01
    assert (high[1:] - low[1:] < 0.01).all()
    assert (np.diff(low) <= 0.0).all()
    assert (np.diff(high) <= 0.0).all()


def test_laws_that_are_far_apart_are_listed_without_the_gap():
    pair = Pair(Finite(0, (1.0,)), Finite(10**9, (1.0,)))
    assert pair.log_masses().log_p.tolist() == [0.0, -math.inf]
    assert privacy_loss.bracket([pair]).lower.delta(100.0) > 1.0 - 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("times", [[365, 400], [3, 1]])
def test_few_frequencies_matter_and_what_is_left_out_of_the_others_is_counted(times, monkeypatch):
    pairs, angle = (
        [counting.pair([0.05], multiplicities=[2000]), counting.pair([0.2], multiplicities=[300])],
        np.angle,
    )
    taken = []
    monkeypatch.setattr(_transforms, "FEW_FREQUENCIES", 0)  # all by masses, whose rounding counts

    def bounds_and_frequencies():
        taken.clear()
        both = privacy_loss.bracket(pairs, times)
        found = [curve.log_delta(eps) for curve in both for eps in (0.5, 3.0)]
        return found, sum(taken)

    def count(factors):
        taken.append(factors.size)
        return angle(factors)

    monkeypatch.setattr(np, "angle", count)
    few, of_few = bounds_and_frequencies()
    monkeypatch.setattr(_transforms, "LOG_NOTHING", -math.inf)
    most, of_most = bounds_and_frequencies()
    # What is left out costs nothing; and few frequencies are added up with less rounding.
    assert few == pytest.approx(most, rel=1e-7)
    assert all(x >= y - 1e-13 for x, y in zip(few[:2], most[:2], strict=True))
    assert all(x <= y + 1e-13 for x, y in zip(few[2:], most[2:], strict=True))
    assert of_few <= of_most / (20 if min(times) > 9 else 1)
    # All that is left out is the error then, and bounds are bounds still.
    monkeypatch.setattr(_transforms, "LOG_NOTHING", -3.0)
    rough, _ = bounds_and_frequencies()
    assert all(low <= truth for low, truth in zip(rough[:2], few[:2], strict=True))
    assert all(high >= truth for high, truth in zip(rough[2:], few[2:], strict=True))


@pytest.mark.parametrize("times", [[365, 400], [2000, 1500]])
def test_few_frequencies_are_added_up_as_masses_would_be(times, monkeypatch):
    pairs = [
        counting.pair([0.05], multiplicities=[2000]),
        counting.pair([0.2], multiplicities=[300]),
    ]

    def bounds():
        both = privacy_loss.bracket(pairs, times)
        return [np.array([curve.log_delta(eps) for eps in (0.1, 0.5, 3.0)]) for curve in both]

    of_waves = bounds()
    monkeypatch.setattr(_transforms, "FEW_FREQUENCIES", 0)
    of_masses = bounds()
    # They differ by what is counted for the rounding of hundreds of thousands of masses.
    for waves, masses in zip(of_waves, of_masses, strict=True):
        assert 0.0 < np.abs(waves - masses).max() < 3e-9
    assert (np.maximum(of_waves[0], of_masses[0]) < np.minimum(of_waves[1], of_masses[1])).all()


def test_a_step_too_fine_for_the_integers_is_refused():
    for step in (1e-20, 5e-324):
        with pytest.raises(ValueError, match="step must be at least"):
            of_masses(logs([0.75, 0.25]), logs([0.25, 0.75]), step=step)


def test_a_step_too_fine_for_the_transform_gives_looser_bounds(monkeypatch):
    truth = float(log_delta_of_coins(50, 30.0))
    widths, largest_of_all = [], _summed_losses._LARGEST_TRANSFORM
    for largest in (2**16, 2**11, 2**8):
        monkeypatch.setattr(_summed_losses, "_LARGEST_TRANSFORM", largest_of_all)
        curves = bounds([COINS], [50], 1e-3)  # of losses that are as wide is said that they are
        monkeypatch.setattr(_summed_losses, "_LARGEST_TRANSFORM", largest)
        lower, upper = (bound.log_delta(30.0) for bound in curves)
        assert lower <= truth <= upper
        widths.append(upper - lower)
    assert widths[0] < 0.1 < widths[-1]


def test_what_one_law_of_losses_says_is_rounded_in_its_direction():
    masses, indices = [0.5, 0.25, 0.125], np.array([-1, 1, 4])
    with mpmath.workdps(40):
        exact = sum(m * (1 - mpmath.exp(0.1 - 0.5 * k)) for m, k in ((0.25, 1), (0.125, 4)))
        for rounding, sign in (("up", 1), ("down", -1)):
            losses = privacy_loss.Losses(0.5, indices, np.log(masses), -math.inf, rounding)
            found = privacy_loss.compose([(losses, 1)]).log_delta(0.1)
            assert 0 < sign * (mpmath.mpf(found) - mpmath.log(exact)) < 1e-10


@pytest.mark.parametrize("times", [1, 3])
def test_losses_above_700_are_bounded_by_simple_composition(times):
    once = memberships.simple([500.0] * 4, 1e-9)
    bound = privacy_loss.composed_bound(once, times)
    assert bound.status == "upper bound"
    assert bound.epsilon(1e-6) == pytest.approx(2000.0 * times, rel=1e-12)
    assert bound.delta(2000.0 * times + 1.0) >= times * 1e-9 * (1.0 - 1e-9)
    assert bound.delta(1999.0 * times) == 1.0
