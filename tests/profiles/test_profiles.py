"""Privacy profiles in deep tails, and of an ε without a cap; see also `test_every_profile`."""

import math
import random

import numpy as np
import pytest

from pkdp import counting
from pkdp.profiles import Pair, PrivacyProfile
from pkdp.profiles._inversion import least_epsilon
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_tail
from pkdp.profiles.laws import binomial
from pkdp.profiles.profile import Formula, log_above, rounded_up
from tests.oracles import counts as oracles


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
    with pytest.raises(ValueError, match=r"^P and Q must have at most 33554432 outcomes "):
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
