"""An ε of about 2,000 is found by every function that may return one: neither inf nor too small."""

import inspect

import pytest

from pkdp.databases.sampling import Bounds
from pkdp.profiles import PrivacyProfile
from pkdp.profiles.pairs import AnyPair
from pkdp.profiles.privacy_loss import Bracket
from tests.fuzz.large import CALLS, SMALL, TARGET
from tests.fuzz.test_calls import FUNCTIONS

# What return annotations say of a profile, a bracket, a pair or a guarantee.
WORDS = ("Profile", "Bracket", "Pair", "Sampled", "Bounds", "ClosedForm", "Guarantee", "Audit")
NUMBERS = {"memberships.parallel", "hypotheses.ordered"}


def promised(result):
    """What is said to be the least and the largest ε at the target."""
    if isinstance(result, AnyPair):
        result = result.profile()
    if isinstance(result, Bracket):
        return result.epsilon(TARGET)
    if isinstance(result, PrivacyProfile):
        found = result.epsilon(TARGET)
        return (0.0 if result.status == "upper bound" else found), found
    if isinstance(result, Bounds):
        return 0.0, result.exact
    first = result[0] if isinstance(result, tuple) else result
    return (first, first) if isinstance(first, float) else promised(first)


@pytest.mark.parametrize("name", CALLS)
def test_a_large_epsilon_is_found(name):
    call, truth = CALLS[name]
    lower, upper = promised(call())
    assert 1000.0 < truth() < 4000.0
    assert lower <= truth() * (1.0 + 1e-11)
    assert truth() * (1.0 - 1e-11) <= upper <= 1.01 * truth()


def test_every_function_with_an_epsilon_is_listed():
    returning = {
        name
        for name, function in FUNCTIONS.items()
        if any(word in inspect.signature(function).return_annotation for word in WORDS)
    }
    small = {name for name in returning if not SMALL.keys().isdisjoint({name, name.split(".")[0]})}
    assert small | set(CALLS) == returning | NUMBERS
    assert small.isdisjoint(CALLS)
    assert all(any(f"{name}.".startswith(f"{key}.") for name in returning) for key in SMALL)
