"""What holds of every privacy profile that a public function returns.

Values have errors, and profiles say how large they are: what is compared are their `bounds`.
"""

import functools
import inspect
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pkdp import counting, noise, thresholding
from pkdp.noiseless import gaussian_noise
from pkdp.partial_knowledge import dependent_counts
from tests.fuzz.arguments import ON_REQUEST, added_noise, few, pair, probability
from tests.fuzz.test_calls import FUNCTIONS, calls

EXAMPLES = 10_000 if ON_REQUEST else 5

# All that return a profile, by what they say.
PROFILES = [
    name
    for name, function in FUNCTIONS.items()
    if inspect.signature(function).return_annotation == "PrivacyProfile"
]

few_examples = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
epsilons = st.floats(0.0, 4.0) | st.sampled_from([0.0, 0.01, 1.0, math.log(2), math.log(3)])


def bounds(profile, eps):
    """What δ(ε) is at least and at most."""
    return np.exp(profile.bounds(eps))


def assert_not_above(lower, upper, eps):
    """Of two profiles the first is not above the second, as far as both can tell."""
    assert bounds(lower, eps)[0] <= bounds(upper, eps)[1] * (1.0 + 1e-12)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_falls_and_is_convex_in_the_exponential(name):
    @few_examples
    @given(calls(name, odd=False), st.lists(epsilons, min_size=3, max_size=3, unique=True))
    def holds(call, three):
        positional, named = call
        try:
            profile = FUNCTIONS[name](*positional, **named)
        except (ValueError, TypeError):
            assume(False)
        first, middle, last = sorted(three)
        high, low, end = (bounds(profile, eps) for eps in (first, middle, last))
        if profile.status not in ("as printed", "approximation"):
            assert 0.0 <= end[0] <= low[1] * (1 + 1e-12)
            assert low[0] <= high[1] * (1 + 1e-12) <= 1 + 2e-12
        if profile.status == "exact" and math.exp(first) < math.exp(last):
            weight = (math.exp(last) - math.exp(middle)) / (math.exp(last) - math.exp(first))
            chord = weight * high[1] + (1.0 - weight) * end[1]
            assert low[0] <= chord * (1 + 1e-12)

    holds()


@few_examples
@given(pair, epsilons)
def test_a_profile_is_that_of_the_reversed_pair(one, eps):
    assert_not_above(one.profile(), one.reversed().profile(), eps)
    assert_not_above(one.reversed().profile(), one.profile(), eps)


@few_examples
@given(few(probability, 6), st.integers(0, 7), epsilons, st.data())
def test_post_processing_tells_no_more(probabilities, threshold, eps, data):
    count = counting.pair(probabilities)
    threshold = min(threshold, len(probabilities) + 1)
    for processed in (
        thresholding.exact(probabilities, threshold=threshold),
        noise.add(count, data.draw(added_noise)).profile(),
        noise.binomial(probabilities, trials=3),
        gaussian_noise.add(count, 1.5).profile(),
    ):
        assert_not_above(processed, count.profile(), eps)


@pytest.mark.parametrize(
    "profile",
    [
        counting.worst_case,
        counting.blanket,
        counting.tail,
        counting.closed_form,
        counting.kl_form,
        dependent_counts.worst_case,
        dependent_counts.any_target,
        functools.partial(counting.histogram, categories=2),
        functools.partial(counting.histogram, categories=3),
        functools.partial(noise.worst_case, noise=noise.Geometric(0.6)),
        functools.partial(noise.blanket, noise=noise.Geometric(0.6)),
    ],
)
def test_one_more_unknown_record_is_never_worse(profile):
    @few_examples
    @given(st.integers(2, 20), st.floats(0.01, 1 / 3), st.data(), epsilons)
    def holds(n, lam, data, eps):
        known = data.draw(st.integers(0, n - 1))
        fewer, more = (profile(number, lam, known=known) for number in (n, n + 1))
        assert_not_above(more, fewer, eps)

    holds()
