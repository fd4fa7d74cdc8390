"""Privacy profiles: the contract every curve keeps, whatever it is the curve of."""

import math
import random
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from pkdp import counting, published
from pkdp.figures.partial_knowledge import beliefs
from pkdp.partial_knowledge import dependence
from pkdp.profiles import Pair, PrivacyProfile, Status
from pkdp.profiles._inversion import least_epsilon
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_tail
from pkdp.profiles.laws import Finite, PoissonBinomial, binomial
from pkdp.profiles.profile import Formula, log_above, rounded_up
from tests.oracles import counts as oracles

PROFILES = {
    "exact": counting.exact([0.2, 0.5, 0.5, 0.9]),
    "exact of many": counting.exact(np.full(10_000, 0.3)),
    "worst case": counting.worst_case(200, 0.1),
    "blanket": counting.blanket(5000, 0.05),
    "tail": counting.tail(5000, 0.05),
    "closed form": counting.closed_form(5000, 0.05),
    "closed form of three": counting.closed_form(5000, 0.05, categories=3),
    "closed form, printed": published.theorem_3_closed_form(5000, 0.05),
    "literal": published.theorem_3(100, 0.2),
    "rate": published.theorem_3(100, 0.2, reading="rate"),
    "figure 3": published.figure_3(1000, 0.05),
    "nobody to hide in": counting.exact([]),
    "histogram": counting.histogram(5000, 0.05, categories=3),
    "KL form": counting.kl_form(5000, 0.05),
    "KL form of three": counting.kl_form(5000, 0.05, categories=3),
    "Berry-Esseen": counting.berry_esseen([0.2, 0.5, 0.9], multiplicities=[300, 500, 100]),
    "binary queries": counting.binary_queries(1000, [0.4, 0.2, 0.1, 0.3]),
    "new users": counting.new_users([500, 90, 2000], 0.1, known=[10, 5, 0]),
    "Gaussian limit": counting.gaussian_limit(5000, 0.05),
    "Gaussian limit of few": counting.gaussian_limit(3, 0.05, categories=3),
    "proposition 7": published.proposition_7([0.2, 0.5, 0.9], multiplicities=[300, 500, 100]),
    **{f"figure 2, {name}": published.figure_2(100, name) for name in published.FIGURE_2_SERIES},
    "statement": beliefs.statement(np.linspace(0.1, 0.8, 60), known=5),
    "households": dependence.households(20, 15, size=2, p=0.3),
    "learnt rate": dependence.learnt_rate(20, 40, others=60),
}
# What a profile may state as its numerical error, where it may be more than 1e-11.
LARGEST_ERROR = {
    "Gaussian limit": 1e-10,
    "Gaussian limit of few": 1e-10,
    "households": 1e-9,
    "learnt rate": 1e-9,
}
# So large that E, and more, leaves the floats.
HUGE = (1e3, 1e6, 1e9, 1e17, 1e155, 1e300)
every_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES.keys())


@every_profile
def test_a_scalar_gives_a_float_and_an_array_an_array_of_its_shape(profile):
    for function in (profile.delta, profile.log_delta):
        assert type(function(0.5)) is float
        assert type(function(1)) is float
        assert type(function(np.float64(0.5))) is float
        for shape in ((0,), (3,), (2, 2)):
            values = function(np.full(shape, 0.5))
            assert isinstance(values, np.ndarray)
            assert values.shape == shape
            assert values.dtype == float
            assert values == pytest.approx(np.full(shape, function(0.5)), rel=1e-15)
        assert function([0.0, 0.5]) == pytest.approx([function(0.0), function(0.5)], rel=1e-15)


@every_profile
def test_delta_is_the_exponential_of_log_delta_and_at_most_one(profile):
    grid = np.array([0.0, 1e-9, 0.01, 0.3, 1.0, 4.0, 100.0, *HUGE, math.inf])
    logs, deltas = profile.log_delta(grid), profile.delta(grid)
    assert np.all(logs <= 0)
    assert np.all(deltas >= 0)
    assert deltas == pytest.approx(np.exp(logs), rel=1e-14)
    assert not np.isnan(logs).any()
    # Two values of -inf have no difference.
    assert np.all(logs[1:] <= logs[:-1] + 1.1e-8)


@pytest.mark.slow
@every_profile
def test_epsilon_of_delta_meets_delta_and_no_smaller_one_does(profile):
    draws = np.random.default_rng(11)
    for delta in (0.5, 0.1, 1 - 1e-12, *draws.uniform(0, 1, 10), *10 ** draws.uniform(-10, 0, 10)):
        eps = profile.epsilon(float(delta))
        assert profile.delta(eps) <= delta or eps == math.inf
        if delta < 0.999:  # next to 1 floats are too far apart
            assert eps in (0.0, math.inf) or profile.delta(eps * (1 - 1e-9)) > delta
            assert profile.epsilon(log_delta=math.log(delta)) == pytest.approx(eps, rel=1e-9)
    eps = profile.epsilon(log_delta=-40.0)
    assert profile.log_delta(eps) <= -40.0 or eps == math.inf


@every_profile
def test_delta_one_costs_nothing_and_delta_zero_is_out_of_reach(profile):
    assert profile.epsilon(1) == profile.epsilon(log_delta=0.0) == 0.0
    assert profile.epsilon(0) == profile.epsilon(log_delta=-math.inf) == math.inf


def test_delta_zero_is_reached_where_the_supports_agree():
    pair = Pair(Finite.from_dict({0: 0.75, 1: 0.25}), Finite.from_dict({0: 0.25, 1: 0.75}))
    profile = pair.profile()
    assert profile.epsilon(0.0) == pytest.approx(math.log(3), rel=1e-11)
    assert profile.delta(profile.epsilon(0.0)) == 0.0
    assert profile.log_delta(2.0) == -math.inf
    assert profile.delta(math.inf) == 0.0
    assert profile.delta(0.0) == pytest.approx(0.5, rel=1e-15)


# Pairs of any two laws, of which one need not be the other's shift by 1.


def random_law(source):
    """A law and its masses as exact rationals: a count, or a list of masses with gaps."""
    shift = source.randrange(-4, 5)
    if source.random() < 0.6:
        size = source.randrange(13)
        p = [source.choice([0.0, 1.0, 0.5, 2.0**-30, *(source.random(),) * 6]) for _ in range(size)]
        law, exact = PoissonBinomial(p), oracles.count_law([Fraction(x) for x in p])
    else:
        weights = [source.choice([0, 0, 1, 3, 2**-40, source.random()]) for _ in range(9)] + [1]
        law = Finite(0, tuple(weight / sum(weights) for weight in weights))
        exact = {k: Fraction(mass) for k, mass in enumerate(law.masses)}
    return law.shift(shift), {k + shift: mass for k, mass in exact.items()}


def log_excess_of(p, q, eps):
    if eps < math.inf:
        return float(oracles.log_hockey_stick(p, q, eps))
    alone = sum(mass for k, mass in p.items() if not q.get(k))
    return math.log(alone) if alone else -math.inf


def agrees(value, exact):
    return value == exact or value == pytest.approx(exact, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("pairs", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_pairs_of_any_two_laws_agree_with_exact_rationals(pairs):
    source = random.Random(13)
    checked = 0
    while checked < pairs:
        (one, p), (other, q) = random_law(source), random_law(source)
        pair = Pair(one, other)
        if pair.unit_shift is not None:
            continue
        checked += 1
        back, profile = pair.reversed(), pair.profile()
        for eps in (0.0, source.uniform(0, 3), source.uniform(3, 60), math.inf):
            up, down = (log_excess_of(*laws, eps) for laws in ((p, q), (q, p)))
            assert agrees(pair.log_hockey_stick(eps), up), (p, q, eps)
            assert agrees(back.log_hockey_stick(eps), down), (p, q, eps)
            assert agrees(profile.log_delta(eps), max(up, down)), (p, q, eps)


def test_a_shift_by_one_is_seen_through_other_shifts():
    law = binomial(50, 0.3)
    truth = Pair(law.shift(1), law).profile()
    for k in (-7, 1, 10**6):
        pair = Pair(law.shift(k).shift(1), law.shift(k))
        assert pair.unit_shift == (pair.Q, 1)
        assert pair.reversed().unit_shift == (pair.Q, -1)
        for eps in (0.0, 0.3, 2.0, math.inf):
            assert pair.profile().log_delta(eps) == truth.log_delta(eps)


@pytest.mark.parametrize("eps", [0.0, 0.5, 4.0, 40.0, 180.0])
def test_two_binomials_agree_with_ball_arithmetic_in_deep_tails(eps):
    n, p, q = 1000, 0.12, 0.1
    profile = Pair(binomial(n, p), binomial(n, q)).profile()
    with oracles.ctx.workprec(300):
        exact_p, exact_q = (
            {k: oracles.log_binomial_mass(n, oracles.ball(x), k).exp() for k in range(n + 1)}
            for x in (p, q)
        )
        E = oracles.ball(eps).exp()
        directions = [
            sum((x for k in a if (x := a[k] - E * b[k]) > 0), oracles.arb(0))
            for a, b in ((exact_p, exact_q), (exact_q, exact_p))
        ]
        truth = float(max(directions, key=float).log())
    assert abs(profile.log_delta(eps) - truth) <= 1e-12 * max(1.0, abs(truth))


def test_what_is_left_between_laws_far_apart_is_counted_as_left_out():
    n, least = 10**5, -60.0
    pair = Pair(binomial(n, 0.1), binomial(n, 0.9))
    (first, last), _ = spans = [law.span(least) for law in (pair.P, pair.Q)]
    masses = pair.log_masses(least)
    assert masses.log_p.size == sum(span[1] - span[0] + 1 for span in spans)
    truth = np.logaddexp(log_binomial_cdf(first - 1, n, 0.1), log_binomial_tail(last + 1, n, 0.1))
    assert truth <= masses.log_left_out < truth + 10.0


@pytest.mark.slow
def test_a_pair_whose_outcomes_are_too_many_to_list_is_refused():
    pair = Pair(binomial(2 * 10**7, 0.3), binomial(2 * 10**7, 0.31))
    assert pair.profile().delta(1.0) == 1.0
    with pytest.raises(ValueError, match=r"^eps must be one at which δ shows among 33554432 "):
        pair.profile().delta(1e6)


def test_deltas_far_below_the_smallest_float_keep_their_logarithm():
    profile = counting.exact(np.full(10**7, 0.5))
    assert profile.delta(1.0) == 0.0
    assert profile.log_delta(1.0) < -1e6
    eps = profile.epsilon(log_delta=-1e6)
    assert profile.log_delta(eps) <= -1e6 < profile.log_delta(eps * (1 - 1e-9))
    truth = float(oracles.log_delta_binomial(10**7, 0.5, eps))
    assert truth == pytest.approx(-1e6, rel=1e-9)
    assert profile.epsilon(0.0) == math.inf  # log-delta is finite everywhere


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_says_what_it_promises_and_how_well(name):
    profile = PROFILES[name]
    assert profile.status in get_args(Status)
    assert 0 <= profile.error <= LARGEST_ERROR.get(name, 1e-11)
    assert 0 <= profile.gap <= 1e-8


def test_a_bound_below_the_smallest_float_is_not_reported_as_nothing():
    profile = counting.blanket(10**6, 0.4)
    assert profile.log_delta(2.0) < -10_000
    assert profile.delta(2.0) == 5e-324
    assert profile.delta([2.0, 3.0]).tolist() == [5e-324, 5e-324]
    assert counting.exact([0.4], multiplicities=[10**6]).delta(2.0) == 0.0


@pytest.mark.parametrize("value", [Fraction(1, 2), [Fraction(1, 2), 1], np.float32(0.5)])
def test_any_real_number_will_do_for_eps(value):
    profile = PROFILES["exact"]
    expected = profile.delta(np.asarray(value, dtype=float))
    assert profile.delta(value) == pytest.approx(expected)


def test_the_relative_error_of_a_profile_is_of_its_logarithm():
    small = PrivacyProfile(Formula(lambda eps: -500.0), "exact", error=1e-3)
    assert small.bounds(1.0) == pytest.approx((-500.5, -499.5), rel=1e-12)
    # Nothing is above certainty.
    nearly = PrivacyProfile(Formula(lambda eps: -1e-9), "exact", error=1e-3)
    assert log_above(nearly, 1.0) == 0.0


@pytest.mark.parametrize("largest", [799.0, 801.0, 1e9, 1e18, 1e40])
def test_an_epsilon_has_no_cap(largest):
    profile = rounded_up(Formula(lambda eps: -eps / largest), "upper bound")
    assert profile.epsilon(log_delta=-1.0) == pytest.approx(largest, rel=1e-11)
    step = rounded_up(Formula(lambda eps: 0.0 if eps < largest else -math.inf), "upper bound")
    assert largest <= step.epsilon(0.0) <= largest * (1.0 + 1e-12)
    never = rounded_up(Formula(lambda eps: -1.0 if eps < math.inf else -math.inf), "upper bound")
    assert never.epsilon(0.0) == math.inf


@pytest.mark.parametrize("seed", range(8))
def test_the_epsilon_of_a_count_is_read_off_its_masses(seed):
    """One pass over cumulative sums and two values do for it, and find what a search finds."""
    source = random.Random(seed)
    p = [source.uniform(0.02, 0.98) for _ in range(source.randint(1, 3))]
    profile = counting.exact(p, multiplicities=[source.randint(30, 800) for _ in p])
    for log_delta in (-4.0, -14.0, -60.0, -700.0):
        guess = profile.release.guess_epsilon(log_delta)
        eps, searched = profile.epsilon(log_delta=log_delta), search(profile, log_delta)
        if eps == math.inf:
            assert searched == eps
            continue
        assert profile.log_delta(eps) <= log_delta
        assert searched * (1.0 - 1e-12) <= eps <= searched * (1.0 + 1e-14)
        assert guess <= eps * (1.0 + 1e-12)  # that of one direction
        assert len(p) > 1 or guess == pytest.approx(eps, rel=1e-12)


def search(profile, log_delta):
    return least_epsilon(profile.log_delta_at, log_delta)
