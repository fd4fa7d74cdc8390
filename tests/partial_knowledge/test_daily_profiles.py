"""Many users over many days: against the law of all paths, whole databases, balls."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from pkdp import daily_counts, daily_profiles
from pkdp.partial_knowledge import _markov_counts
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from tests.oracles import daily_counts as oracles

chances = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)


def series(days):
    return st.tuples(*[st.integers(0, 1)] * days)


@pytest.mark.parametrize("chain", [MarkovChain(0.25, 0.5, 0.125), MarkovChain(0.75, 0.125, 0.875)])
def test_c_is_the_largest_of_all_days(chain):
    law = oracles.markov_law(
        {1: Fraction(chain.start), 0: 1 - Fraction(chain.start)},
        [oracles.binary_step(Fraction(chain.rise), Fraction(chain.stay))] * 7,
    )
    largest = max(daily_counts.dependence_ratio(law, first=j, second=j + 1) for j in range(7))
    assert chain.c >= math.log(largest) - 1e-12
    two = max(daily_counts.dependence_ratio(law, first=j, second=j + 1) for j in (0, 1))
    still = MarkovChain(chain.limit, chain.rise, chain.stay)
    assert chain.c == pytest.approx(max(math.log(two), still.c))
    marginals = [float(oracles.marginal(law, [j])[(1,)]) for j in range(8)]
    assert chain.marginals(8) == pytest.approx(marginals)


@given(st.data(), st.integers(1, 4))
def test_the_gaussian_signal_is_the_quadratic_form_of_the_covariance(data, days):
    start, rise, stay = (data.draw(chances) for _ in range(3))
    a, b = data.draw(series(days)), data.draw(series(days))
    law = oracles.markov_law(
        {1: start, 0: 1 - start}, [oracles.binary_step(rise, stay)] * (days - 1)
    )
    d = [x - y for x, y in zip(a, b, strict=True)]
    truth = oracles.quadratic_form(oracles.covariance(law), d)
    chain = MarkovChain(float(start), float(rise), float(stay))
    assert daily_profiles.gaussian_signal(chain, a=a, b=b) == pytest.approx(
        float(truth), rel=1e-9, abs=1e-12
    )


@pytest.mark.parametrize(("p", "rho"), [(0.5, 1 - 1e-12), (0.3, 1 - 1e-12), (0.5, 1e-12 - 1)])
def test_the_signal_keeps_its_digits_where_hardly_anybody_or_everybody_changes(p, rho):
    """1 - ρ, or 1 + ρ, is not what is left of a difference of rounded transitions."""
    chain = MarkovChain.stationary(p, rho)
    exact, rate = Fraction(rho), Fraction(p)
    assert chain.rise / float(rate * (1 - exact)) == pytest.approx(1, rel=1e-15)
    assert chain.fall / float((1 - rate) * (1 - exact)) == pytest.approx(1, rel=1e-15)
    assert chain.rest / float(1 - rate + exact * rate) == pytest.approx(1, rel=1e-15)
    for a, b in (((1, 0, 1), (0, 1, 0)), ((1, 1, 1), (0, 0, 0)), ((0, 1, 0), (0, 0, 0))):
        d = [Fraction(x - y) for x, y in zip(a, b, strict=True)]
        news = sum((d[j + 1] - exact * d[j]) ** 2 for j in range(2)) / (1 - exact**2)
        truth = (d[0] ** 2 + news) / (rate * (1 - rate))
        found = Fraction(daily_profiles.gaussian_signal(chain, a=a, b=b))
        assert abs(found / truth - 1) < 1e-14


EPSILONS = [0.0, 0.3, 1.0, 2.5, 6.0, math.inf]


@pytest.mark.parametrize(
    ("others", "a", "b"),
    [
        (1, (1,), (0,)),
        (3, (1, 0, 1, 1), (0, 1, 0, 1)),
        (6, (1, 1, 1), (0, 0, 0)),
        (5, (1, 0, 0, 1), (0, 0, 1, 0)),
        (9, (0, 1), (0, 0)),
    ],
)
@pytest.mark.parametrize("chain", [MarkovChain(0.25, 0.375, 0.625), MarkovChain(0.5, 0.875, 0.25)])
def test_brackets_and_bounds_hold_the_exact_profile(others, a, b, chain):
    rates = (Fraction(x) for x in (chain.start, chain.rise, chain.stay))
    start, rise, stay = rates
    under_a, under_b = (oracles.chain_law(others, start, rise, stay, s) for s in (a, b))
    lower, upper = daily_profiles.bracket(others + 1, chain, a=a, b=b, step=0.02)
    moments = daily_profiles.moment_bound(others + 1, chain, a=a, b=b)
    for eps in EPSILONS:
        E = math.inf if eps == math.inf else Fraction(math.exp(eps))
        truth = float(oracles.delta(under_a, under_b, E))
        assert lower.delta(eps) <= truth <= upper.delta(eps)
        assert upper.delta(eps) - lower.delta(eps) <= 0.003
        assert truth <= moments.delta(eps) <= max(5 * truth, 1e-15) + 1e-12


def test_the_law_of_identical_markov_bits_is_that_of_whole_databases():
    start, rise, stay = Fraction(1, 4), Fraction(1, 3), Fraction(3, 5)
    law = oracles.markov_law({1: start, 0: 1 - start}, [oracles.binary_step(rise, stay)] * 2)
    for secret in ((0, 0, 0), (1, 0, 1)):
        chain = oracles.chain_law(3, start, rise, stay, secret)
        assert chain == oracles.counts_law([law] * 3, secret)


def exact_log_moment(others, chain, shift, t):
    """ln E[exp(t·L); L < inf] from the law of whole paths."""
    rates = [Fraction(x) for x in (chain.start, chain.rise, chain.stay)]
    nothing = oracles.chain_law(others, *rates, (0,) * len(shift))
    total = 0.0
    for path, mass in nothing.items():
        moved = nothing.get(tuple(s + d for s, d in zip(path, shift, strict=True)), 0)
        if moved:
            total += float(mass) * float(mass / moved) ** t
    return math.log(total)


@pytest.mark.parametrize("shift", [(1, -1, 1, -1), (1, 1, 1), (0, 1, 0, 0), (-1,)])
@pytest.mark.parametrize("t", [0.5, 3.0])
def test_moments_are_those_of_all_paths(shift, t):
    chain = MarkovChain(0.25, 0.375, 0.625)
    found = _markov_counts.Moments(5, chain, np.array(shift)).log_moment(t)
    assert found == pytest.approx(exact_log_moment(5, chain, shift, t), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("pattern", [(1, -1), (1,), (1, 0, 0, -1, 0)])
def test_days_that_repeat_need_not_be_followed(pattern, monkeypatch):
    chain, shift = MarkovChain.stationary(0.3, 0.6), np.array(pattern * 40)
    moments = _markov_counts.Moments(400, chain, shift)
    short = [moments.log_moment(t) for t in (1.0, 6.0)]
    monkeypatch.setattr(_markov_counts, "_SLACK", -1.0)  # no growth is uniform enough now
    whole = [moments.log_moment(t) for t in (1.0, 6.0)]
    for found, truth in zip(short, whole, strict=True):
        assert truth - 1e-9 <= found <= truth + 1e-5
        assert found != truth


ON_THEIR_WAY = [
    MarkovChain(0.1, 0.3, 0.6),
    MarkovChain(0.9, 0.01, 0.99),
    MarkovChain(0.05, 0.95, 0.02),
    MarkovChain(0.99, 0.001, 0.97),
]


@pytest.mark.slow
@pytest.mark.parametrize("chain", ON_THEIR_WAY)
def test_windows_that_go_with_the_mean_bound_what_one_for_all_days_bounds(chain, monkeypatch):
    shift = np.array([1, -1] * 30)
    narrow = _markov_counts.Moments(3000, chain, shift)
    monkeypatch.setattr(_markov_counts, "_WIDER", math.inf)
    wide = _markov_counts.Moments(3000, chain, shift)
    assert len(narrow._steps) > 1 == len(wide._steps)
    for t in (0.5, 5.0):
        assert narrow.log_moment(t) == pytest.approx(wide.log_moment(t), abs=2e-6)
    both = [math.exp(moments.log_left_out) for moments in (wide, narrow)]
    assert both[0] <= both[1] <= both[0] + 60 * 1e-18


@pytest.mark.parametrize("chain", ON_THEIR_WAY)
def test_windows_hold_what_is_likely_and_tables_are_no_larger_than_that_takes(chain):
    """A table of all pairs of counts on the way took gigabytes."""
    others, days = 10_000, 400
    windows = _markov_counts.Windows(others, chain, days)
    for p, (low, high) in zip(chain.marginals(days).tolist(), windows.days, strict=True):
        nine = 9 * math.sqrt(others * p * (1 - p))
        assert low <= max(0, others * p - nine) <= min(others, others * p + nine) <= high
    for k, day in zip(windows.table_of, range(days), strict=False):
        rows, columns = windows.tables[k]
        assert rows[0] <= windows.days[day][0] <= windows.days[day][1] <= rows[1]
        assert columns[0] <= windows.days[day + 1][0] <= windows.days[day + 1][1] <= columns[1]
    assert sum(math.prod(b - a for a, b in table) for table in windows.tables) < 3.5e7
    stationary = MarkovChain(chain.limit, chain.rise, chain.stay)
    assert len(_markov_counts.Windows(others, stationary, days).tables) == 1


@pytest.mark.parametrize(
    ("others", "rise", "stay"), [(100_000, 0.05, 0.55), (2000, 0.875, 0.25), (300, 0.01, 0.99)]
)
def test_transition_probabilities_keep_their_digits_far_from_the_mean(others, rise, stay):
    chain = MarkovChain(0.5, rise, stay)
    mean = others * chain.limit
    deviation = math.sqrt(mean * (1 - chain.limit))
    low = max(0, math.floor(mean - 9 * deviation) - 20)
    high = min(others, math.ceil(mean + 9 * deviation) + 20)
    rows = np.array([low, round(mean), high])
    table = _markov_counts.log_steps(others, chain, rows, low, high)
    before, ctx.prec = ctx.prec, 128
    try:
        for row, logs in zip(rows.tolist(), table, strict=True):
            for k in (low, (low + 3 * high) // 4, round(mean), high):
                truth = float(oracles.log_step_mass(others, row, k, rise, stay))
                assert logs[k - low] == pytest.approx(truth, rel=1e-11, abs=1e-11)
    finally:
        ctx.prec = before


def test_nothing_is_revealed_where_the_secrets_agree():
    chain, same = MarkovChain(0.5, 0.25, 0.75), (1, 0)
    agree = [
        *daily_profiles.bracket(9, chain, a=same, b=same),
        daily_profiles.moment_bound(9, chain, a=same, b=same),
        daily_profiles.gaussian_limit(9, chain, a=same, b=same),
    ]
    assert [profile.delta(0.0) for profile in agree] == [0.0] * 4


def test_what_one_day_reveals_for_certain_needs_no_further_day():
    # The other record is never 1, so that the first count is the target's value.
    chain = MarkovChain.stationary(1e-30, 0.0)
    lower, upper = daily_profiles.bracket(2, chain, a=(1, 0, 1), b=(0, 0, 1))
    assert upper.delta(5.0) == 1.0
    assert lower.delta(5.0) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(
    "kind",
    [
        _markov_counts.LossesSplit,
        pytest.param(_markov_counts.CellsMerged, marks=pytest.mark.slow),
    ],
)
def test_following_days_takes_no_memory_for_each_pair_of_counts(kind):
    tracemalloc.start()
    try:
        followed = kind(60, MarkovChain(0.5, 0.25, 0.75), np.array([1, -1] * 4), 0.05)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    longest = max(masses.nbytes for _, masses in followed._last)
    assert peak < 12 * 61 * longest


@pytest.mark.parametrize("unasked", [_markov_counts.LossesSplit, _markov_counts.CellsMerged])
def test_only_the_side_that_is_asked_for_is_followed(unasked, monkeypatch):
    def refuse(*_):
        raise AssertionError(unasked)

    monkeypatch.setattr(daily_profiles, unasked.__name__, refuse)
    lower, upper = daily_profiles.bracket(9, MarkovChain(0.5, 0.25, 0.75), a=(1, 0), b=(0, 1))
    asked, other = (lower, upper) if unasked is _markov_counts.LossesSplit else (upper, lower)
    assert 0.1 < asked.delta(0.5) < 1
    with pytest.raises(AssertionError):
        other.delta(0.5)


def test_the_bound_from_moments_is_the_least_of_those_that_are_tried():
    # Whatever moment the search begins with: the scale says which.
    for scale in (1.0, 3.0):
        side = daily_profiles._MomentSide(20, MarkovChain(0.5, 0.25, 0.75), (1, 0, -1), scale)
        tried = range(daily_profiles._LEAST_STEPS, daily_profiles._MOST_STEPS + 1)
        for eps in (0.1, 1.0):
            least = min(side._exponent(i, eps) for i in tried)
            bound = min(0.0, float(np.logaddexp(least, side._moments.log_left_out)))
            assert side.log_delta(eps) == pytest.approx(bound, rel=1e-12)


# Bad input

CHAIN = MarkovChain(0.5, 0.25, 0.75)


def test_so_many_days_and_no_more():
    days = (0,) * _markov_counts.MOST_DAYS
    assert daily_profiles.gaussian_signal(CHAIN, a=days, b=(*days[1:], 1)) > 0.0
    with pytest.raises(ValueError, match="equally many days"):
        daily_profiles.gaussian_signal(CHAIN, a=(*days, 0), b=(*days, 1))
