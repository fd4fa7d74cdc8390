"""Every profile that the library returns pickles, compares, prints itself in a line, and ends."""

import contextlib
import inspect
import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import assume, given

import pkdp
from pkdp import counting, exchange, noise, privacy_loss
from pkdp.noiseless.adversaries import Adversary
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles import Pair, PrivacyProfile
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.pairs import AnyPair
from tests.fuzz.test_calls import FUNCTIONS, calls
from tests.fuzz.test_properties import few_examples

FEW, HALF = [0.1, 0.25, 0.25, 0.7], [0.5] * 6
COUNT = counting.pair([0.2] * 50)
WORST = counting.worst_case(100, 0.2)
SERIES = MarkovChain.stationary(0.4, 0.5), (1, 0, 1), (0, 1, 1)

PROFILES = {
    name: function
    for name, function in FUNCTIONS.items()
    if re.search("Profile|Bracket|Pair|Sampled", inspect.signature(function).return_annotation)
}
# What no function returns, and what the few calls below do not come upon.
OTHERS = {
    "geometric noise": noise.Geometric(0.5).profile,
    "Laplace noise": noise.Laplace(2).profile,
    "an adversary, with noise": lambda: pkdp.adversaries.worst_case(
        50, 0.2, Adversary(0.1, 2), noise=noise.Geometric(0.5)
    ),
    "tables, upper": lambda: pkdp.suppressed_tables._upper_bound([3, 3, 30, 40], 5, hidden=2),
    "tables, lower": lambda: pkdp.suppressed_tables._lower_bound([3, 3, 30, 40], 5),
    "half-lines": lambda: pkdp.normal_bounds.for_half_lines(50.0, 0.01),
    "any pair": Pair(binomial(20, 0.5), binomial(30, 0.3)).profile,
    "both ways": lambda: exchange.from_pld(exchange.to_pld(COUNT, 0.1)).profile(),
}
# Their ends are known less exactly than floats tell them apart, so that one call has to do.
ROUGH = {
    "chains.causal": lambda: pkdp.chains.causal(60, 0.4, 0.5),
    "chains.conditional": lambda: pkdp.chains.conditional(60, 0.4, 0.5),
    "privacy_loss.composed_bound": lambda: privacy_loss.composed_bound(WORST, 3),
}


def profiles(found):
    """The profiles in what a function returned."""
    if isinstance(found, tuple):
        return [profile for one in found for profile in profiles(one)]
    return [found.profile() if isinstance(found, AnyPair) else found]


def of_some_calls(name, check):
    """Check what each of some calls of a function gives, made twice."""

    @few_examples
    @given(calls(name, odd=False))
    def holds(call):
        try:
            twice = [PROFILES[name](*call[0], **call[1]) for _ in range(2)]
        except (ValueError, TypeError):
            assume(False)
        with contextlib.suppress(ValueError):  # a refusal, which tests/fuzz/test_calls.py reads
            for both in zip(*map(profiles, twice), strict=True):
                check(*both)

    holds()


def is_itself(profile, again):
    """It pickles, prints itself in a line, and equals what another call of the same kind made."""
    eps = [0.0, 0.3, 2.0, math.inf]
    values = profile.log_delta(eps)
    copy = pickle.loads(pickle.dumps(profile))
    fresh = pickle.loads(pickle.dumps(again))
    for other in (copy, fresh):
        assert other.log_delta(eps) == pytest.approx(values, rel=1e-14, abs=0.0)
    assert dataclass_fields(copy) == dataclass_fields(profile)
    assert copy == again == profile
    assert hash(copy) == hash(again) == hash(profile)
    assert profile != PrivacyProfile(profile.log_delta_at, "approximation", error=0.5)
    assert repr(profile).startswith("PrivacyProfile(")
    assert repr(profile).endswith(f"{profile.status})")
    assert "\n" not in repr(profile)
    assert ("δ(0) = " in repr(profile)) != profile.costly


def dataclass_fields(profile):
    return (profile.status, profile.error, profile.gap, profile.rounded_up)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_pickles_compares_and_prints_itself(name):
    of_some_calls(name, is_itself)


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_other_profiles_pickle_too(make):
    is_itself(make(), make())


def answers_at_its_end(profile, _=None):
    """At its own mass of loss inf it has an ε, and at a little less none."""
    delta, log_delta = profile.delta(math.inf), profile.log_delta(math.inf)
    if not 1e-60 < delta < 0.999:
        return
    ways = profile.epsilon(delta), profile.epsilon(log_delta=log_delta)
    for eps in ways:
        assert eps < math.inf
        assert profile.log_delta(eps) <= log_delta + 1e-9 * max(1.0, -log_delta)
    if profile.status == "exact":
        assert max(ways) - min(ways) <= 1e-8 * max(ways) + 1e-10
    if profile.status in ("exact", "upper bound"):  # others may be looser than that themselves
        assert profile.epsilon(delta * (1 - 1e-9)) == math.inf


@pytest.mark.parametrize("name", sorted(PROFILES.keys() - ROUGH))
def test_every_profile_answers_at_its_own_mass_of_loss_inf(name):
    of_some_calls(name, answers_at_its_end)


@pytest.mark.parametrize("make", [*OTHERS.values(), *ROUGH.values()])
def test_so_do_others(make):
    answers_at_its_end(make())


def test_profiles_of_other_arguments_differ():
    assert counting.worst_case(50, 0.1) != counting.worst_case(50, 0.2)
    assert counting.worst_case(50, 0.1) != counting.worst_case(50, 0.1, tol=1e-6)
    assert counting.exact(FEW) != counting.exact(HALF)
    assert counting.exact(FEW) != counting.blanket(50, 0.1)
    assert counting.exact([0.5] * 3) == counting.exact([0.5], [3])
    assert pkdp.chains.causal(50, 0.3, 0.5) != pkdp.chains.causal(50, 0.3, 0.4)
    assert noise.Geometric(0.5).profile() != noise.Geometric(0.25).profile()


def test_a_profile_prints_deltas_that_no_float_holds():
    shown = repr(counting.worst_case(10**9, 0.5))
    assert shown == "PrivacyProfile(δ(0) = 2.52e-05, δ(1) = exp(-1.10944e+08), exact)"
    failing = PrivacyProfile(lambda eps: math.log(eps - 1.0), "lower bound")
    assert repr(failing) == "PrivacyProfile(lower bound)"


def test_laws_and_pairs_print_themselves_shortly():
    assert repr(binomial(10**6, 0.5)) == "PoissonBinomial(1000000 bits, 500000 ± 500 of them 1)"
    assert len(repr(Finite(0, (1e-3,) * 1000))) < 80
    assert repr(COUNT).count("PoissonBinomial") == 2


@pytest.mark.parametrize(
    ("shape", "values"), [((), 0.1), ((3,), [0.5, 0.1, 0.0]), ((1, 2), [[0.3, 1.0]]), ((0,), [])]
)
def test_epsilon_takes_arrays(shape, values):
    found = WORST.epsilon(values)
    assert np.shape(found) == shape
    each = [WORST.epsilon(float(delta)) for delta in np.ravel(values)]
    assert np.ravel(found).tolist() == each
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(values, float))
    assert WORST.epsilon(log_delta=logs) == pytest.approx(np.reshape(each, shape), rel=1e-9)
    assert type(WORST.epsilon(0.1)) is float


def test_a_bracket_has_delta_and_epsilon():
    for bracket in (
        privacy_loss.bracket([COUNT], [5]),
        pkdp.accounting.heterogeneous([0.1, 0.2]),
        pkdp.daily_profiles.exact(9, *SERIES),
    ):
        for eps in (0.0, 0.4, [[0.1, 3.0]]):
            lower, upper = bracket.delta(eps)
            assert np.shape(lower) == np.shape(upper) == np.shape(eps)
            assert np.all(np.asarray(lower) <= upper)
            assert np.all(np.asarray(upper) == bracket.upper.delta(eps))
        for options in ({"delta": 0.01}, {"delta": [0.5, 1e-3]}, {"log_delta": -5.0}):
            lower, upper = bracket.epsilon(**options)
            assert np.all(np.asarray(lower) <= upper)
            assert np.all(np.asarray(upper) == bracket.upper.epsilon(**options))
