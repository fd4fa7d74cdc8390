"""Whatever a public function is called with, it answers, or says which argument it cannot take.

``HYPOTHESIS_PROFILE=fuzz`` makes 10,000 calls of each function, with random arguments and with the
largest sizes; otherwise there are a few, and always the same.
"""

import dataclasses
import importlib
import inspect
import itertools
import math
import re
import resource
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkdp import accounting, composition, daily_profiles, privacy_loss
from pkdp.databases import memberships
from pkdp.noiseless import chains, normal_bounds
from pkdp.partial_knowledge import dependent_counts
from pkdp.profiles import PrivacyProfile
from pkdp.profiles.pairs import AnyPair
from tests.fuzz.arguments import ODD, ON_REQUEST, strategy_of
from tests.test_architecture import OFFERING

CALLS = 10_000 if ON_REQUEST else 25
SECONDS = 10
MEMORY = 2 * 2**30

# Modules that are left out, and why: mostly the rest of the library has looked at the arguments.
TRUSTING = {
    "pkdp.profiles.closed_forms": "terms of formulas, for arguments that were checked",
    "pkdp.profiles.logarithms": "terms of formulas, for arrays that were checked",
    "pkdp.profiles.thresholds": "terms of formulas, for arguments that were checked",
    "pkdp.figures.reference.peers": "a stored table; some questions take half a minute",
    "pkdp.figures.reference.timings": "stored times and their few questions",
    "pkdp.profiles.profile": "profiles of functions, which nothing can check",
}
EXCEPTIONS = {
    **dict.fromkeys(
        ("pairs.log_excess", "privacy_loss.split", "binomials.log_binomial_pmf"),
        "terms of formulas, for arrays that were checked",
    ),
    **dict.fromkeys(
        ("binomials.log_binomial_cdf", "binomials.log_binomial_tail"),
        "terms of formulas, for numbers that were checked",
    ),
    **dict.fromkeys(
        ("audit.write_report", "audit.remove_report", "audit.write_cells"),
        "write and remove files, and tests/practice looks at that",
    ),
    "audit.as_json": "says what an audit answered, and tests/practice looks at that",
    "world.as_indices": "checks an argument of others",
}


def public_functions():
    """Every function that a public module offers, once, and by where it is."""
    found = {}
    for name in OFFERING:
        module = importlib.import_module(name)
        for offered in getattr(module, "__all__", ()):
            thing = getattr(module, offered)
            if inspect.isfunction(thing) and thing.__module__ not in TRUSTING:
                found.setdefault(thing, f"{name.rpartition('.')[2]}.{offered}")
    return {name: function for function, name in found.items() if name not in EXCEPTIONS}


FUNCTIONS = public_functions()

CHAIN = daily_profiles.MarkovChain(0.5, 0.5, 0.5)


@st.composite
def calls(draw, name, odd=True):
    """Arguments of a function: mostly such as it takes, sometimes one or two that are odd."""
    module, function = name.split(".")
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    # What arguments are called in messages is for other functions to say.
    names = [parameter.name for parameter in parameters if parameter.name != "name"]
    wrong = draw(st.lists(st.sampled_from(names), max_size=2)) if odd and names else []
    positional, named = [], {}
    for parameter in parameters:
        strategy = strategy_of(module, function, parameter.name)
        value = draw(ODD if parameter.name in wrong else strategy)
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value if isinstance(value, list) else [value]
        elif parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty or draw(st.booleans()):
                named[parameter.name] = value
        else:
            positional.append(value)
    return positional, named


def look_at(result):
    """Whatever is returned holds no NaN; profiles are asked for some values."""
    if isinstance(result, PrivacyProfile):
        delta = [result.delta(0.0), result.delta(0.5), result.log_delta(2.0), result.epsilon(1e-6)]
        look_at(delta)
        assert 0 <= delta[1] <= 1
        assert delta[3] >= 0
    elif isinstance(result, AnyPair):
        look_at(result.profile())
    elif isinstance(result, Iterator):
        look_at(list(itertools.islice(result, 9)))
    elif isinstance(result, Mapping):
        look_at([*result.keys(), *result.values()])
    elif isinstance(result, list | tuple | set | frozenset):
        for item in result:
            look_at(item)
    elif isinstance(result, np.ndarray):
        assert result.dtype.kind != "f" or not np.isnan(result).any(), result
    elif isinstance(result, float | np.floating):
        assert not math.isnan(result)
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        look_at([getattr(result, field.name) for field in dataclasses.fields(result)])


def is_named(message, names):
    """Whether a message is about an argument, or about one of several that an argument holds."""
    words = {*names, *(name.removesuffix("s") for name in names)}
    # How much there would be to list depends on several arguments; so may what a column must hold.
    several = message.startswith("the number of ") or "column '" in message
    return several or not words.isdisjoint(re.findall(r"\w+", message))


def overtime(signal_number, frame):
    raise AssertionError(f"longer than {SECONDS} seconds of a core")


@pytest.fixture
def bounded():
    """Within some seconds, an example at a time, and some gigabytes more than there are."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, limits[1]))
    handler = signal.signal(signal.SIGPROF, overtime)
    yield
    signal.signal(signal.SIGPROF, handler)
    resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_call_answers_or_names_an_argument(name, bounded):
    function = FUNCTIONS[name]
    names = list(inspect.signature(function).parameters)

    @settings(max_examples=CALLS, suppress_health_check=list(HealthCheck))
    @given(calls(name))
    def answers(call):
        positional, named = call
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            look_at(function(*positional, **named))
        except (ValueError, TypeError) as error:
            if type(error) not in (ValueError, TypeError) or not is_named(str(error), names):
                raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    answers()


# Found by the above.


def test_what_was_no_number_or_no_answer():
    # Probabilities that 1 - λ is not a float apart from 1, and tiny variances and correlations.
    assert dependent_counts.peaked(27, 5e-324, peak=0).profile().delta(0.0) == 1.0
    assert chains.causal(40, 0.5, 5e-324).delta(0.0) == pytest.approx(
        chains.causal(40, 0.5, 0.0).delta(0.0)
    )
    assert normal_bounds._stein_distance(1e-300, 1.0, 1.0, 2, "graph") == math.inf
    assert normal_bounds.berry_esseen_for_half_lines(5e-324, 100.0).delta(0.0) == 1.0
    most = {"eps2": 1e308, "delta2": 0, "mu": 1e308, "nu": 0}
    assert composition.theorem_6(1e308, 0, **most) == (math.inf, 0.0)


def test_a_guarantee_for_one_epsilon_is_composed():
    # A curve that is 1 up to ε is that of no pair, and the law of its loss had a mass beyond 1.
    once = memberships.simple([0.3], 1e-6)
    bound = privacy_loss.composed_bound(once, 8)
    exact = accounting.optimal(0.3, 1e-6, times=8)
    for eps in (0.0, 0.5, 1.0, 2.0):
        assert bound.delta(eps) >= exact.delta(eps)
