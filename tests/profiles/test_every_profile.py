"""What every profile that the library returns does, whatever it is the profile of.

It falls in ε from at most 1, takes arrays, inverts, answers at its own plateau, can be certified if
it says so, pickles, compares and prints itself. `test_conformance` and the tests of each module
compare values with oracles.
"""

import dataclasses
import functools
import importlib
import inspect
import math
import pickle
from fractions import Fraction as F
from typing import get_args

import mpmath
import numpy as np
import pytest

import pkdp
from pkdp import counting, noise, privacy_loss, thresholding
from pkdp.databases import memberships, sampling
from pkdp.figures.noiseless import families, weekly_wages
from pkdp.noiseless import chains, gaussian_noise, normal_bounds, parity
from pkdp.noiseless.adversaries import Adversary
from pkdp.partial_knowledge import dependence
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles import Pair, PrivacyProfile, Status
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.pairs import LOG_LEAST, AnyPair, DiscretePair
from pkdp.profiles.profile import Formula
from pkdp.worlds import bits

COINS = bits([F(1, 3)] * 3, knowledge=[2])
HALF, FEW = [0.5] * 6, [0.1, 0.25, 0.25, 0.7]
CHAIN = MarkovChain.stationary(0.4, 0.5)
SERIES = {"a": (1, 0, 1), "b": (0, 1, 1)}
COUNT = counting.pair([0.2] * 50)
FINITE = Pair(Finite(0, (0.5, 0.25, 0.25)), Finite(1, (0.5, 0.5)))
WORST = counting.worst_case(100, 0.2)
NOISES = noise.Geometric(0.5), noise.Laplace(2)
THRESHOLD = {"threshold": 4, "known": 5}

ALIKE = {(0, 0): F(3, 8), (0, 1): F(1, 8), (1, 0): F(1, 8), (1, 1): F(3, 8)}
TARGET = ([(ALIKE, 3), {(0,): F(1, 3), (1,): F(2, 3)}], (0, 0))
DICE = [({0: 0.5, 1: 0.25, 2: 0.25}, 40), {0: 0.5, 3: 0.5}]
SOME = Adversary(0.1, 2)

# The arguments, once for each way a function has of making a profile.
CALLS = {
    "accounting": {
        "advanced": [(0.1, 1e-6, {"times": 3}), (0.0, 0.0, {"times": 3})],
        "heterogeneous": [([0.1, 0.2],), (np.linspace(0.01, 0.1, 40), 1e-9, {"cells": 1000})],
        "optimal": [(0.1, 1e-6, {"times": 3})],
        "renyi": [(COUNT, 3), (FINITE, 2)],
        "simple": [(WORST, 3)],
    },
    "adversaries": {
        "worst_case": [
            (50, 0.2, SOME),
            (50, 0.2, SOME, {"conditional": True}),
            (50, 0.2, SOME, {"noise": noise.Geometric(0.5)}),
        ],
    },
    "chains": {
        "causal": [(60, 0.4, 0.5), (10**5, 0.3, 0.5)],
        "conditional": [(60, 0.4, 0.5), (10**5, 0.3, 0.5), (9, 0.4, 0.5, {"position": 2})],
    },
    "privacy_blanket": {
        "blanket": [([0.2, 0.4], [30, 5])],
        "bound": [(DICE,), (DICE, 2)],
    },
    "counting": {
        "berry_esseen": [(FEW,), ([1.0],)],
        "binary_queries": [(50, [0.2] * 4)],
        "blanket": [(50, 0.1, {"known": 3}), (4, 0.25)],
        "closed_form": [(500, 0.3), (500, 0.3, {"categories": 3})],
        "exact": [(FEW,), ([0.3], {"multiplicities": [1000]}), ([0.5] * 40,), ([0.0, 1.0],)],
        "gaussian_limit": [(50, 0.1)],
        "histogram": [(50, 0.1, {"categories": 2}), (50, 0.1, {"categories": 4})],
        "kl_form": [(50, 0.1), (50, 0.1, {"categories": 3, "bessel": False})],
        "new_users": [([30, 40], 0.1)],
        "tail": [(50, 0.1), (4, 0.25)],
        "worst_case": [(50, 0.1), (2, 0.1, {"known": 1}), (2, 0.25), (10**6, 0.4)],
    },
    "daily_profiles": {
        "bracket": [(9, CHAIN, SERIES), (9, CHAIN, {"a": (1, 0), "b": (1, 0)})],
        "gaussian_limit": [(99, CHAIN, SERIES)],
        "moment_bound": [(99, CHAIN, SERIES)],
    },
    "dependent_counts": {
        "any_target": [(50, 0.4)],
        "independent_blocks": [(50, 0.4, {"size": 5})],
        "limit": [(0.4,)],
        "sparse": [(50, 0.4, {"degree": 2})],
        "worst_case": [(50, 0.4), (50, 0.4, {"known": 3})],
    },
    "hypothesis_worlds": {"parity": [([0.1, 0.2],), ([0.1] * 9, 1e-6), ([0.0, 0.2],)]},
    "kanonymity": {
        "hidden_by_rare": [(99, 0.05, {"k": 9, "rare_values": 2, "hidden": 0.02, "rare": 0.02})],
        "sampled": [({"k": 5, "rate": rate},) for rate in (0.25, 0.0)],
        "sampled_bound": [({"k": 5, "rate": rate},) for rate in (0.1, 0.0)],
        "theorem_5": [
            (99, 0.05, {"k": 9, "pair": pair, "rare": 0.01})
            for pair in ("any", "rare/absent", "rare/rare", "common/absent", "rare/common")
        ],
    },
    "memberships": {
        "advanced": [([0.1, 0.2], 1e-6), ([0.0],)],
        "at_most": [
            (2, [0.1, 0.2, 0.3], [1e-3, 1e-6, 0.0]),
            (2, [0.1, 0.2, 0.3], [1e-3, 1e-6, 0.0], {"search": 1}),
            (1, [0.1] * 4, {"bounded": True, "theorem": memberships.simple}),
            (0, [0.1]),
        ],
        "changing": [(1, [0.1, 0.2], 1e-6)],
        "either_or": [([0.1] * 3, {"common": [0], "free": [1], "premium": [2]})],
        "exactly": [(1, [0.1] * 3)],
        "one_of": [([0.1, 0.2],)],
        "optimal": [([0.1, 0.2], 1e-6)],
        "simple": [([0.1, 0.2], 1e-6), ([0.1],)],
        "soft": [
            (memberships.simple([0.1]), 0.01),
            (memberships.simple([0.1]), 1, memberships.simple([0.4])),
        ],
    },
    "noise": {
        "binomial": [(HALF, {"trials": 4})],
        "blanket": [(50, 0.1, {"noise": added}) for added in NOISES],
        "worst_case": [(50, 0.1, {"noise": added}) for added in NOISES],
    },
    "normal_bounds": {
        "berry_esseen_for_half_lines": [(50.0, 20.0)],
        "for_half_lines": [(50.0, 0.01)],
        "stein_for_half_lines": [(1e7, 1e6, 1e6, {"neighbourhood": 2})],
    },
    "noiseless_privacy": {
        "add_or_remove": [TARGET, (*TARGET, {"inserted": (1,)})],
        "causal": [TARGET],
        "conditional": [TARGET],
        "replace": [TARGET],
    },
    "parity": {"geometric": [(0.5,)], "laplace": [(2,)]},
    "post_processing": {
        "chained": [(WORST, counting.exact(HALF))],
        "of_guarantees": [([1, 2], [1e-3, 0])],
    },
    "privacy_loss": {
        "bracket": [([COUNT],), ([COUNT, thresholding.pair(HALF, threshold=2)], [2, 1])],
        "compose": [([(privacy_loss.of_pair(COUNT, 0.1), 3)],)],
        "composed_bound": [(WORST, 3)],
    },
    "published": {
        "figure_2": [(50, series) for series in pkdp.published.FIGURE_2_SERIES],
        "figure_3": [(50, 0.1)],
        "figure_6": [("p = 0.5",)],
        "proposition_7": [(FEW,)],
        "theorem_3": [(50, 0.1, {"reading": r}) for r in pkdp.published.THEOREM_3_READINGS],
        "theorem_3_closed_form": [(500, 0.3)],
        "theorem_5": [(50, 0.1, {"k": 20, "reading": "target"})],
    },
    "rounding": {
        "exact": [(HALF, {"base": 2}), (FEW, {"base": 3, "suppressed": 1, "ones": 2})],
        "worst_case": [(50, 0.1, {"base": 5}), (50, 0.1, {"base": 5, "suppressed": 7, "known": 3})],
    },
    "sampling": {
        "by_sampling": [([COUNT], 0.5, [3]), ([FINITE], [0.2], [9]), ([FINITE, COUNT], [1, 0.5])],
    },
    "smoothing": {"bound": [(50.0, 2.0, {"scale": 1.5})]},
    "thresholding": {
        "active": [(50, 0.02, THRESHOLD), (50, 0.02, {"threshold": 4, "known": 3})],
        "active_worst_case": [(50, 0.02, {"threshold": 4, "known": 3})],
        "exact": [(HALF, {"threshold": 2})],
        "passive": [(50, 0.02, THRESHOLD)],
        "passive_worst_case": [(50, 0.02, THRESHOLD)],
        "theorem_4": [(50, 0.01, {"threshold": 4})],
        "two_sided": [(HALF, {"threshold": 2, "symbols": symbols}) for symbols in (1, 2)],
        "worst_case": [(50, 0.02, {"threshold": 4})],
    },
}
OF_OBJECTS = {
    "count": COUNT.profile,
    "finite": FINITE.profile,
    "any": Pair(binomial(20, 0.5), binomial(30, 0.3)).profile,
    **{f"{added} alone": added.profile for added in NOISES},
    **{f"{added} added": noise.add(COUNT, added).profile for added in NOISES},
    "sampled": lambda: sampling.sampled(COUNT, 0.3).profile(),
    "blocks": lambda: pkdp.sums.pair(DICE, 2).profile(),
    "average wage": lambda: weekly_wages.average(12, 780, 310, unit=10),
    "largest wage": lambda: weekly_wages.maximum(12, 780, 310),
    "families": lambda: families.definition_3("Guatemala", 2),
    "families, conditional": lambda: families.conditional("Guatemala", 2),
    "families, independent": lambda: families.independent("Guatemala", 2),
    "finite laws with Gaussian noise": lambda: gaussian_noise.add(FINITE, 2.0).profile(),
    "with Gaussian noise": lambda: gaussian_noise.add(COUNT, 2.0).profile(),
    "parity with Gaussian noise": lambda: parity.gaussian(0.7),
    "Gaussian": lambda: normal_bounds.gaussian(50.0),
    "households": lambda: dependence.households(9, 4, size=2, p=0.2),
    "learnt rate": lambda: dependence.learnt_rate(3, 6, others=40),
    "two priors": lambda: pkdp.hypotheses.pair(
        [[0, 0.5], [0.5, 0]], {(0, 0): 1}, [1, 2], 0.1
    ).profile(),
    "two numbers": lambda: pkdp.hypotheses.exchangeable([0.5, 0.5], [0.2, 0.8], 1, 0.1).profile(),
}


def called(module, name, arguments):
    options = arguments[-1] if isinstance(arguments[-1], dict) else {}
    made = getattr(importlib.import_module(pkdp._full_name(module)), name)(
        *arguments[: len(arguments) - bool(options)], **options
    )
    return made if isinstance(made, tuple) else (made,)


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def every_profile():
    """Ways to make each of them, or both ends of a bracket."""
    for module, functions in CALLS.items():
        for name, every in functions.items():
            for i, arguments in enumerate(every):
                make = functools.partial(called, module, name, arguments)
                yield pytest.param(make, id=f"{module}.{name}-{i}")
    for name, make in OF_OBJECTS.items():
        yield pytest.param(lambda make=make: [make()], id=name)


@pytest.fixture(scope="module", params=every_profile())
def makes(request):
    return request.param


@pytest.fixture(scope="module")
def profiles(makes):
    return makes()


EPSILONS = [0.0, 1e-9, 0.01, 0.3, 1.0, 4.0, 100.0, 1e3, 1e6, 1e17, 1e155, 1e300, math.inf]


def test_values_are_probabilities_and_fall(profiles):
    for profile in profiles:
        assert profile.status in get_args(Status)
        assert 0.0 <= profile.gap <= 1e-4
        logs, deltas = profile.log_delta(EPSILONS), profile.delta(EPSILONS)
        assert (logs <= 0.0).all()
        assert (logs[1:] <= logs[:-1] * (1 - 1e-11) + profile.gap + 1e-11).all()
        assert deltas == pytest.approx(np.exp(logs), rel=1e-14)
        # A bound below the smallest float is not 0.
        assert not profile.rounded_up or ((deltas > 0.0) == (logs > -math.inf)).all()
        lower, upper = profile.bounds(EPSILONS)
        assert ((lower <= logs) & (logs <= upper) & (upper <= 0.0)).all()
        assert profile.error <= 1e-6 or math.isinf(profile.error)
        assert not profile.rounded_up or math.isinf(profile.error) or (upper == logs).all()
        assert profile.error < math.inf or (lower[0], upper[0]) == (-math.inf, 0.0)


def test_arguments_are_numbers_or_arrays(profiles):
    for profile in profiles:
        for function in (profile.delta, profile.log_delta, profile.epsilon):
            value = function(0.5)
            assert type(value) is float
            assert value == function(F(1, 2)) == function(np.float32(0.5))
            values = function([[0.5, 1]])
            assert (values.dtype, values.shape) == (float, (1, 2))
            assert values.tolist() == [[value, function(1.0)]]
            assert function([]).shape == (0,)


def test_epsilon_is_the_least_that_meets_delta(profiles):
    for profile in profiles:
        assert profile.epsilon(1) == profile.epsilon(log_delta=0.0) == 0.0
        end = profile.epsilon(0)
        if end < math.inf > profile.error:
            assert profile.log_delta(end) == -math.inf
            assert end == 0.0 or profile.log_delta(end * (1 - 1e-7)) > -math.inf
        for log_delta in (-9.0,) if profile.gap else (-1.0, -40.0):
            eps, delta = profile.epsilon(log_delta=log_delta), math.exp(log_delta)
            assert eps == math.inf or profile.log_delta(eps) <= log_delta
            before = profile.log_delta(eps * (1 - 1e-9))
            assert eps in (0.0, math.inf) or before > log_delta - 1e-11
            again = profile.epsilon(delta)
            assert again == math.inf or profile.delta(again) <= delta
            assert again == pytest.approx(eps, rel=1e-9)


def test_epsilon_answers_at_the_delta_of_an_infinite_epsilon(profiles):
    for profile in profiles:
        delta, log_delta = profile.delta(math.inf), profile.log_delta(math.inf)
        if not -700.0 < log_delta < 0.0:
            continue
        ways = profile.epsilon(delta), profile.epsilon(log_delta=log_delta)
        slack = 1e-11 * max(1.0, -log_delta)
        for eps in ways:
            # It is on the plateau, and a little less is not or is not below it by more than floats.
            assert profile.log_delta(eps) <= log_delta + slack
            before = profile.log_delta(eps * (1 - 1e-6))
            assert eps == 0.0 or before >= log_delta - 8.0 * math.ulp(max(1.0, -log_delta))
            assert profile.log_delta(1.5 * eps + 1.0) >= log_delta - slack
        assert max(ways) - min(ways) <= 1e-8 * max(ways) + 1e-10
        # Floats next to the mass are read as it, and none below them.
        end = profile.release.ending() if profile.release.has_ending else None
        if end is not None and profile.status != "lower bound":
            mass = float(mpmath.exp(end.log_delta))
            near = [mass + units * math.ulp(mass) for units in (-1, 3)]
            assert profile.epsilon(near) == pytest.approx([ways[0]] * 2, rel=1e-8, abs=1e-10)
            assert profile.epsilon(mass - 16 * math.ulp(mass)) == math.inf
        elif profile.status in ("exact", "upper bound"):
            assert profile.epsilon(delta * (1 - 1e-9)) == math.inf
        # No other δ is read as that of the plateau.
        plain = dataclasses.replace(profile, release=Formula(profile.release.log_delta))
        if profile.gap == 0.0:  # or it takes long
            eps = profile.epsilon(log_delta=0.3 * log_delta)
            assert eps == pytest.approx(plain.epsilon(log_delta=0.3 * log_delta), rel=1e-11)


def test_a_pair_has_two_directions_and_masses(profiles):
    for profile in profiles:
        pair = profile.release
        if not isinstance(pair, AnyPair):
            continue
        back = pair.reversed()
        assert back.reversed() == pair
        for eps in (0.0, 0.3, 2.0, math.inf):
            both = pair.log_hockey_stick(eps), back.log_hockey_stick(eps)
            assert profile.log_delta(eps) == pytest.approx(max(both), rel=1e-11)
        if not isinstance(pair, DiscretePair):
            continue
        log_p, log_q, log_left_out = pair.log_masses()
        p, q = np.exp(log_p), np.exp(log_q)
        assert [p.sum(), q.sum()] == pytest.approx([1.0, 1.0], rel=1e-12)
        assert log_left_out < LOG_LEAST + 20
        for eps in (0.0, 0.3, 1.0, 2.0):
            delta = np.maximum(p - math.exp(eps) * q, 0.0).sum()
            assert math.exp(pair.log_hockey_stick(eps)) == pytest.approx(delta, rel=1e-9, abs=1e-13)


def test_what_is_certified_holds_the_value(profiles):
    for profile in profiles:
        if not profile.release.is_certifiable:
            with pytest.raises(ValueError, match="a profile must have an enclosure"):
                profile.certified()
            continue
        proved = profile.certified()
        assert repr(proved) == f"CertifiedProfile({profile.status})"
        lower, upper = proved.bounds([[0.3, 30.0]])
        least, most = profile.bounds([[0.3, 30.0]])
        assert (least - profile.gap <= lower).all()
        assert (lower <= upper).all()
        assert (upper <= most + profile.gap).all()
        assert (lower[0, 0], upper[0, 0]) == proved.bounds(0.3)
        assert proved.log_delta(0.3) == upper[0, 0]
        assert proved.delta(0.3) >= math.exp(upper[0, 0])
        if profile.gap == 0.0:  # or it takes long
            low, high = proved.epsilon_bounds([0.1])
            assert low <= high == proved.epsilon([0.1])


def test_profiles_pickle_compare_and_print_themselves(makes, profiles):
    for profile, again in zip(profiles, makes(), strict=True):
        eps = [0.0, 0.3, 2.0, math.inf]
        values = profile.log_delta(eps).tolist()
        copy, fresh = (pickle.loads(pickle.dumps(one)) for one in (profile, again))
        assert copy.log_delta(eps).tolist() == fresh.log_delta(eps).tolist() == values
        assert copy == again == profile
        assert hash(copy) == hash(again) == hash(profile)
        assert profile != PrivacyProfile(Formula(profile.log_delta_at), "approximation", error=0.5)
        shown = repr(profile)
        assert shown.startswith("PrivacyProfile(")
        assert shown.endswith(f"{profile.status})")
        assert "\n" not in shown
        assert ("δ(0) = " in shown) != profile.costly


def test_every_function_that_returns_a_profile_is_tried():
    for module in sorted({*CALLS, "closed_forms", "composition", "daily_counts"}):
        found = importlib.import_module(pkdp._full_name(module))
        returning = {
            name
            for name in found.__all__
            if inspect.isfunction(getattr(found, name))
            and getattr(found, name).__annotations__.get("return") in ("PrivacyProfile", "Bracket")
        }
        # Worlds make their profiles, and those of dependencies; their own tests are elsewhere.
        assert returning - {"gaussian"} == set(CALLS.get(module, {}))


def test_profiles_of_other_arguments_differ():
    assert counting.worst_case(50, 0.1) != counting.worst_case(50, 0.2)
    assert counting.worst_case(50, 0.1) != counting.worst_case(50, 0.1, tol=1e-6)
    assert counting.exact(FEW) != counting.exact(HALF)
    assert counting.exact(FEW) != counting.blanket(50, 0.1)
    assert counting.exact([0.5] * 3) == counting.exact([0.5], multiplicities=[3])
    assert chains.causal(50, 0.3, 0.5) != chains.causal(50, 0.3, 0.4)
    assert noise.Geometric(0.5).profile() != noise.Geometric(0.25).profile()


def test_a_profile_prints_deltas_that_no_float_holds():
    shown = repr(counting.worst_case(10**9, 0.5))
    assert shown == "PrivacyProfile(δ(0) = 2.52e-05, δ(1) = exp(-1.10944e+08), exact)"
    failing = PrivacyProfile(Formula(lambda eps: math.log(eps - 1.0)), "lower bound")
    assert repr(failing) == "PrivacyProfile(lower bound)"


def test_laws_and_pairs_print_themselves_shortly():
    assert repr(binomial(10**6, 0.5)) == "PoissonBinomial(1000000 bits, 500000 ± 500 of them 1)"
    assert len(repr(Finite(0, (1e-3,) * 1000))) < 80
    assert repr(COUNT).count("PoissonBinomial") == 2


def test_a_bracket_has_delta_and_epsilon():
    for bracket in (
        privacy_loss.bracket([COUNT], [5]),
        pkdp.accounting.heterogeneous([0.1, 0.2]),
        pkdp.daily_profiles.bracket(9, CHAIN, **SERIES),
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
