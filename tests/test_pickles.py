"""Every profile that the library returns pickles, compares, and prints itself in a line."""

import importlib
import inspect
import math
import pickle
from fractions import Fraction as F

import numpy as np
import pytest

import pkdp
from pkdp import counting, definitions, noise, privacy_loss, thresholding
from pkdp.databases import memberships, sampling
from pkdp.figures.noiseless import families, weekly_wages
from pkdp.noiseless import chains, gaussian_noise, normal_bounds, parity
from pkdp.noiseless.adversaries import Adversary
from pkdp.partial_knowledge import dependence
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles import Pair, PrivacyProfile
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.profile import Formula
from pkdp.worlds import bits
from pkdp.worlds.mechanisms import majority

COINS = bits([F(1, 3)] * 3, knowledge=[2])
HALF, FEW = [0.5] * 6, [0.1, 0.25, 0.25, 0.7]
SERIES = MarkovChain.stationary(0.4, 0.5), (1, 0, 1), (0, 1, 1)
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
    "coins": {
        "blanket": [([0.2, 0.4], [30, 5])],
        "bound": [(DICE,), (DICE, 2)],
    },
    "counting": {
        "berry_esseen": [(FEW,), ([1.0],)],
        "binary_queries": [(50, [0.2] * 4)],
        "blanket": [(50, 0.1, {"known": 3})],
        "closed_form": [(500, 0.3), (500, 0.3, {"categories": 3})],
        "exact": [(FEW,), ([0.3], [1000])],
        "gaussian_limit": [(50, 0.1)],
        "histogram": [(50, 0.1, {"categories": 2}), (50, 0.1, {"categories": 4})],
        "kl_form": [(50, 0.1), (50, 0.1, {"categories": 3, "bessel": False})],
        "new_users": [([30, 40], 0.1)],
        "tail": [(50, 0.1)],
        "worst_case": [(50, 0.1), (2, 0.1, {"known": 1})],
    },
    "daily_profiles": {
        "exact": [(9, *SERIES), (9, SERIES[0], (1, 0), (1, 0))],
        "gaussian_limit": [(99, *SERIES)],
        "moment_bound": [(99, *SERIES)],
    },
    "dependent_counts": {
        "any_target": [(50, 0.4)],
        "independent_blocks": [(50, 0.4, {"size": 5})],
        "limit": [(0.4,)],
        "sparse": [(50, 0.4, {"degree": 2})],
        "worst_case": [(50, 0.4), (50, 0.4, {"known": 3})],
    },
    "hidden": {"parity": [([0.1, 0.2],), ([0.1] * 9, 1e-6), ([0.0, 0.2],)]},
    "kanonymity": {
        "hidden_by_rare": [(99, 0.05, {"k": 9, "rare_values": 2, "hidden": 0.02, "rare": 0.02})],
        "sampled": [(5, 0.1), (5, 0.0)],
        "sampled_bound": [(5, 0.1), (5, 0.0)],
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
        "binomial": [(HALF, 4)],
        "blanket": [(50, 0.1, {"noise": added}) for added in NOISES],
        "worst_case": [(50, 0.1, {"noise": added}) for added in NOISES],
    },
    "normal_bounds": {
        "berry_esseen_for_half_lines": [(50.0, 20.0)],
        "for_half_lines": [(50.0, 0.01)],
        "stein_for_half_lines": [(1e7, 1e6, 1e6, {"neighbourhood": 2})],
    },
    "notions": {
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
        "bracket": [([COUNT],), ([COUNT, thresholding.pair(HALF, 2)], [2, 1])],
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
    "sampling": {
        "by_sampling": [([COUNT], 0.5, [3]), ([FINITE], [0.2], [9]), ([FINITE, COUNT], [1, 0.5])],
    },
    "smoothing": {"bound": [(50.0, 2.0, {"scale": 1.5})]},
    "thresholding": {
        "active": [(50, 0.02, THRESHOLD), (50, 0.02, {"threshold": 4, "known": 3})],
        "active_worst_case": [(50, 0.02, {"threshold": 4, "known": 3})],
        "exact": [(HALF, 2)],
        "passive": [(50, 0.02, THRESHOLD)],
        "passive_worst_case": [(50, 0.02, THRESHOLD)],
        "theorem_4": [(50, 0.01, {"threshold": 4})],
        "two_sided": [(HALF, 2, {"symbols": symbols}) for symbols in (1, 2)],
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
    "worlds, active": lambda: definitions.apk_profile(COINS, majority),
    "worlds, passive": lambda: definitions.ppk_profile(COINS, majority, [0]),
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


def check(profile, again):
    """`again` was made by the same call."""
    eps = [0.0, 0.3, 2.0, math.inf]
    values = profile.log_delta(eps)
    copy = pickle.loads(pickle.dumps(profile))
    assert copy.log_delta(eps).tolist() == values.tolist()
    fresh = pickle.loads(pickle.dumps(again))
    assert fresh.log_delta(eps).tolist() == values.tolist()
    assert dataclass_fields(copy) == dataclass_fields(profile)
    assert copy == again == profile
    assert hash(copy) == hash(again) == hash(profile)
    assert profile != PrivacyProfile(Formula(profile.log_delta_at), "approximation", error=0.5)
    assert repr(profile).startswith("PrivacyProfile(")
    assert repr(profile).endswith(f"{profile.status})")
    assert "\n" not in repr(profile)
    assert ("δ(0) = " in repr(profile)) != profile.costly


def dataclass_fields(profile):
    return (profile.status, profile.error, profile.gap, profile.rounded_up)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    [
        (module, name, arguments)
        for module, functions in CALLS.items()
        for name, every in functions.items()
        for arguments in every
    ],
)
def test_a_profile_pickles_compares_and_prints_itself(module, name, arguments):
    both = called(module, name, arguments), called(module, name, arguments)
    for profile, again in zip(*both, strict=True):
        check(profile, again)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("make", OF_OBJECTS.values(), ids=OF_OBJECTS)
def test_the_profile_of_an_object_pickles_too(make):
    profile = make()
    check(profile, make())


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
    assert counting.exact([0.5] * 3) == counting.exact([0.5], [3])
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
