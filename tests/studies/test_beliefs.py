"""What follows from beliefs about every record: against exact fractions, and against every k."""

import dataclasses
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import beliefs, counting
from pkdp.profiles.profile import Formula
from tests.oracles import counts as oracles

RATIOS = [Fraction(1), Fraction(5, 4), Fraction(2), Fraction(6)]

sixteenths = st.integers(0, 16).map(lambda k: Fraction(k, 16))
several = st.lists(sixteenths, min_size=2, max_size=6)
many = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=20)
deltas = st.sampled_from([1e-6, 1e-3, 0.05, 0.3])


def floats(probabilities):
    return [float(p) for p in probabilities]


def others(probabilities, target):
    return [p for i, p in enumerate(probabilities) if i != target]


@given(several)
def test_uncertainties_are_those_of_the_records_in_order(probabilities):
    expected = sorted(min(p, 1 - p) for p in probabilities)
    assert beliefs.uncertainties(floats(probabilities)).tolist() == floats(expected)


@given(several)
def test_a_statement_holds_for_every_target_whatever_is_counted_as_known(probabilities):
    n = len(probabilities)
    truth = [
        max(oracles.count_delta(others(probabilities, target), E) for target in range(n))
        for E in RATIOS
    ]
    for known in range(n):
        profile = beliefs.statement(floats(probabilities), known)
        assert profile.status == "upper bound"
        for E, exact in zip(RATIOS, truth, strict=True):
            assert profile.delta(math.log(E)) >= float(exact) * (1 - 1e-14)


@pytest.mark.parametrize("lam", [0.0625, 0.25, 0.5])
def test_a_statement_about_equals_is_their_worst_case(lam):
    n, eps = 6, [0.0, 0.5, 2.0]
    for known in range(n - 1):
        expected = counting.worst_case(n, lam, known=known).log_delta(eps)
        got = beliefs.statement([lam] * n, known).log_delta(eps)
        assert got.tolist() == expected.tolist()
    truth = [
        float(oracles.count_delta([Fraction(lam)], Fraction(math.exp(x)))) for x in eps
    ]  # one other record: both vertices give the same
    assert beliefs.statement([lam] * n, n - 2).delta(eps) == pytest.approx(truth, rel=1e-7)


def test_a_statement_about_sure_records_says_nothing_until_they_are_known():
    probabilities = [0.0, 1.0, 0.5, 0.25]
    for known in (0, 1, 3):
        assert (
            beliefs.statement(probabilities, known).delta([0.0, 5.0, math.inf]).tolist()
            == [1.0] * 3
        )
    assert beliefs.statement(probabilities, 2).delta(math.inf) == pytest.approx(0.75)


@given(many, deltas)
def test_the_best_statement_is_the_best_of_all(probabilities, delta):
    every = [
        beliefs.statement(probabilities, known).epsilon(delta)
        for known in range(len(probabilities))
    ]
    best = beliefs.best_statement(probabilities, delta)
    assert best.eps <= min(every) * (1 + 1e-6)
    assert best.eps == every[best.known]
    assert best.lam == beliefs.uncertainties(probabilities)[best.known]
    assert best.eps <= every[0]


@pytest.mark.slow
def test_the_best_statement_is_found_among_many_of_two_kinds():
    rng = np.random.default_rng(4)
    p = np.concatenate([rng.uniform(0.0, 0.02, 150), rng.uniform(0.2, 0.8, 250)])
    every = [beliefs.statement(p, known).epsilon(1e-5) for known in range(100, 250)]
    best = beliefs.best_statement(p, 1e-5)
    assert best.eps <= min(every) * (1 + 1e-6)
    assert 100 < best.known < 250  # all that are tried lie near the best
    assert beliefs.statement(p).epsilon(1e-5) == math.inf


@pytest.mark.parametrize("delta", [0.1, 1.0])
def test_the_search_ends_at_an_epsilon_of_0(monkeypatch, delta):
    bounds = []
    bound = beliefs._statement

    def counted(*arguments):
        bounds.append(arguments)
        return bound(*arguments)

    monkeypatch.setattr(beliefs, "_statement", counted)
    assert beliefs.best_statement(np.linspace(0.1, 0.9, 1000), delta).eps == 0.0
    assert len(bounds) == beliefs._FIRST_TRIES


def test_no_bound_is_asked_for_twice_at_one_epsilon(monkeypatch):
    bounds = []
    bound = beliefs._statement

    def counted(lambdas, known, at):
        profile = bound(lambdas, known, at)

        def log_delta_at(eps):
            if known != at:
                bounds.append((known, at, eps))
            return profile.log_delta_at(eps)

        return dataclasses.replace(profile, release=Formula(log_delta_at), margin=0.0)

    monkeypatch.setattr(beliefs, "_statement", counted)
    beliefs.best_statement(np.linspace(0.01, 0.9, 300), 1e-6)
    assert len(bounds) > 10
    assert len(set(bounds)) == len(bounds)


@pytest.mark.slow
@given(many, deltas)
def test_the_worst_target_is_the_worst_of_all(probabilities, delta):
    every = [
        counting.exact(others(probabilities, target)).epsilon(delta)
        for target in range(len(probabilities))
    ]
    worst = beliefs.worst_target(probabilities, delta)
    assert worst.eps == every[worst.record]
    assert worst.eps >= max(every) * (1 - 1e-9)


def test_the_worst_target_need_not_be_the_most_uncertain():
    probabilities = [0.5, 0.3] + [0.2] * 200 + [0.45] * 100
    eps = {i: counting.exact(others(probabilities, i)).epsilon(1e-6) for i in (0, 1, 2, 202)}
    worst = beliefs.worst_target(probabilities, 1e-6)
    assert worst.record != 0
    assert worst.eps == max(eps.values()) > eps[0]


@pytest.mark.parametrize("delta", [1e-3, 0.05])
def test_a_worst_target_by_little_is_found(delta):
    # Each next record is worse than the last, by a few millionths of δ.
    probabilities = [0.3 - k * 1e-4 for k in range(5)] + [0.3] * 40
    profiles = [counting.exact(others(probabilities, target)) for target in range(5)]
    every = [profile.epsilon(delta) for profile in profiles]
    logs = [profile.log_delta(every[0]) for profile in profiles]
    for less, more in pairwise(logs):
        assert 1e-7 < more - less < 1e-5
    assert beliefs.worst_target(probabilities, delta) == (4, every[4])


def test_without_any_delta_there_is_no_epsilon():
    assert beliefs.best_statement([0.3] * 5, 0.0).eps == math.inf
    assert beliefs.worst_target([0.3] * 5, 0.0) == (0, math.inf)
    assert beliefs.best_statement([0.3] * 5, 1.0).eps == 0.0
    assert beliefs.worst_target([0.3] * 5, 1.0).eps == 0.0
