"""Thresholded counts, against whole databases, exact rationals, balls and the definitions."""

import contextlib
import math
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st

from pkdp import counting, thresholding
from pkdp.partial_knowledge import _censored, _known_ones
from pkdp.profiles import laws
from pkdp.profiles.laws import log_binomial_pmf
from pkdp.worlds import bits
from pkdp.worlds.definitions import apk_delta, ppk_delta
from pkdp.worlds.mechanisms import make_threshold as threshold_mechanism
from tests.oracles import counts as oracles
from tests.oracles import thresholding as oracle

RTOL = 1e-12
GAP = 1e-8

RATIOS = [Fraction(1), Fraction(11, 10), Fraction(2), Fraction(40)]
SMALL_PS = [
    Fraction(0),
    Fraction(1, 64),
    Fraction(1, 4),
    Fraction(1, 2),
    Fraction(7, 8),
    Fraction(1),
]

epsilons = st.one_of(
    st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.5, math.log(2), 1.0, 5.0, 30.0]),
    st.floats(0, 40, allow_subnormal=False),
)
chances = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.25, 1e-9, 1 - 1e-9]),
    st.integers(0, 16).map(lambda i: i / 16),
    st.floats(0, 1, allow_subnormal=False),
)
sixteenths = st.integers(0, 16).map(lambda i: Fraction(i, 16))
ratios = st.one_of(st.just(Fraction(1)), st.integers(16, 80).map(lambda i: Fraction(i, 16)))


def close(value, truth, rtol=RTOL):
    """Whether ln δ is within rtol * max(1, |truth|) of a ball (or a float); infinite alike."""
    value, truth = float(value), float(truth)
    return value == truth or abs(value - truth) <= rtol * max(1.0, abs(truth))


def agrees(value, truth_at, eps, rtol=RTOL):
    """Whether ln δ is the truth within the error that a profile states.

    That is rtol * max(1, |truth|), at an ε within rtol * max(1, ε) of the one asked for.
    """
    if close(value, truth_at(eps), rtol):
        return True
    hair = rtol * max(1.0, eps)
    least, most = float(truth_at(eps + hair)), float(truth_at(max(0.0, eps - hair)))
    return least - rtol * max(1.0, abs(least)) <= float(value) <= most + rtol * max(1.0, abs(most))


def log_of(delta):
    """Ln of a fraction, also where it is below the smallest float."""
    return math.log(delta.numerator) - math.log(delta.denominator) if delta else -math.inf


def matches(log_delta, delta, rtol=4e-13):
    """Whether ln δ is that of a fraction computed for E, where ε is ln E, rounded.

    The absolute part is what the rounding of ε does where two terms of size 1 cancel.
    """
    return math.exp(log_delta) == pytest.approx(float(delta), rel=rtol, abs=2e-15)


def never_below(log_delta, delta):
    """The same for a profile rounded up, and for worst cases found to within the gap."""
    return (
        float(delta) * (1 - 1e-14) - 2e-15
        <= math.exp(log_delta)
        <= float(delta) * (1 + 2 * GAP) + 2e-15
    )


def eps_of(ratio):
    return math.log(ratio)


# --------------------------------------------------------------------------------------------
# The oracles agree with one another
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_whole_databases_agree_with_laws_of_counts(known):
    p, n = Fraction(1, 3), 4
    for T in range(n + 1):
        release = oracle.release_above(T)
        passive = oracle.passive_deltas([p] * n, range(1, known + 1), release, RATIOS)
        active = oracle.active_deltas([p] * n, range(1, known + 1), release, RATIOS)
        for i, E in enumerate(RATIOS):
            assert passive[i] == oracle.passive_at_vertex(p, n - 1 - known, known, T, E)
            assert active[i] == oracle.active_at_vertex(p, n - 1 - known, known, T, E)
            unknown, seen = [p] * (n - 1 - known), [p] * known
            assert passive[i] == oracle.passive_delta_of(unknown, seen, T, E)


@given(st.integers(0, 9), st.integers(1, 31), st.integers(-2, 11), epsilons)
def test_balls_agree_with_enumeration(N, p, t, eps):
    p = Fraction(p, 32)
    one, other = oracle.log_both([p] * N, t, eps)
    assert close(oracle.log_delta_thresholded(N, p, t, eps), one.max(other), 1e-15)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(1, 31), st.data(), ratios)
def test_passive_sums_agree_with_enumeration(N, known, p, data, E):
    T = data.draw(st.integers(0, N + known + 1))
    truth = oracle.passive_at_vertex(Fraction(p, 32), N, known, T, E)
    assert matches(oracle.log_delta_passive(N, known, Fraction(p, 32), T, eps_of(E)), truth)
    assert matches(oracle.log_delta_passive_directly(N, known, p / 32, T, eps_of(E)), truth)


# --------------------------------------------------------------------------------------------
# exact: all small cases
# --------------------------------------------------------------------------------------------

HETEROGENEOUS = [
    [Fraction(1, 2)],
    [Fraction(1, 4), Fraction(3, 4)],
    [Fraction(0), Fraction(1, 8), Fraction(1)],
    [Fraction(1, 64), Fraction(1, 2), Fraction(7, 8)],
    [Fraction(1, 16), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)],
    [Fraction(1), Fraction(3, 4), Fraction(0), Fraction(1, 2), Fraction(1, 32)],
    [Fraction(1, 8), Fraction(3, 8), Fraction(5, 8), Fraction(7, 8), Fraction(1, 2)],
]


@pytest.mark.slow
@pytest.mark.parametrize("others", HETEROGENEOUS, ids=len)
def test_both_directions_agree_with_whole_databases_whatever_is_known(others):
    # Every threshold, every set of known records, every observation of them, both directions.
    n = len(others) + 1
    probabilities = [Fraction(1, 3), *others]

    @cache
    def values(unknown, t):
        if t < 0:
            pair = counting.pair(unknown)
        else:  # a threshold above all counts is as good as N + 1
            pair = thresholding.pair(unknown, min(t, len(unknown) + 1))
        both = pair, pair.reversed()
        return [[one.log_hockey_stick(eps_of(E)) for one in both] for E in RATIOS]

    for size in range(n):
        for known, T in product(combinations(range(1, n), size), range(n + 1)):
            unknown = tuple(float(p) for j, p in enumerate(others, 1) if j not in known)
            table = oracle.by_observation(probabilities, known, oracle.release_above(T), RATIOS)
            for observation, (_, truths) in table.items():
                found = values(unknown, T - sum(observation))
                for (up, down), truth in zip(found, truths, strict=True):
                    assert matches(up, truth.up)
                    assert matches(down, truth.down)


@given(st.lists(chances, max_size=8), st.data(), epsilons)
def test_exact_agrees_with_exact_rationals(probabilities, data, eps):
    T = data.draw(st.integers(0, len(probabilities) + 1))
    profile = thresholding.exact(probabilities, T)

    def truth(eps):
        one, other = oracle.log_both(probabilities, T, eps)
        return one.max(other)

    assert agrees(profile.log_delta(eps), truth, eps)
    assert profile.status == "exact"
    assert profile.error <= RTOL
    assert not profile.rounded_up


@given(st.lists(chances, max_size=8), st.data(), epsilons)
def test_each_direction_agrees_with_exact_rationals(probabilities, data, eps):
    T = data.draw(st.integers(0, len(probabilities) + 1))
    pair = thresholding.pair(probabilities, T)
    up, down = pair.log_hockey_stick(eps), pair.reversed().log_hockey_stick(eps)
    assert agrees(up, lambda eps: oracle.log_both(probabilities, T, eps).up, eps)
    assert agrees(down, lambda eps: oracle.log_both(probabilities, T, eps).down, eps)


@given(st.lists(st.tuples(chances, st.integers(0, 4)), max_size=4), st.data(), epsilons)
def test_multiplicities_repeat_a_record(groups, data, eps):
    spelt_out = [p for p, times in groups for _ in range(times)]
    T = data.draw(st.integers(0, len(spelt_out) + 1))
    grouped = thresholding.exact(
        [p for p, _ in groups], T, multiplicities=[times for _, times in groups]
    )
    one, other = grouped.log_delta(eps), thresholding.exact(spelt_out, T).log_delta(eps)
    assert one == pytest.approx(other, rel=1e-9, abs=1e-9)


@given(st.lists(chances, max_size=6), st.data(), epsilons)
def test_swapping_the_direction_twice_changes_nothing(probabilities, data, eps):
    pair = thresholding.pair(probabilities, data.draw(st.integers(0, len(probabilities) + 1)))
    assert pair.reversed().reversed() == pair
    assert pair.profile().log_delta(eps) == max(
        pair.log_hockey_stick(eps), pair.reversed().log_hockey_stick(eps)
    )


@given(st.lists(chances, max_size=8), epsilons)
def test_delta_falls_as_the_threshold_rises_from_that_of_the_count(probabilities, eps):
    n = len(probabilities) + 1
    values = [thresholding.exact(probabilities, T).delta(eps) for T in range(n + 1)]
    assert values[0] == pytest.approx(counting.exact(probabilities).delta(eps), rel=1e-11)
    assert values[n] == 0.0  # the output is always suppressed
    assert all(after <= before * (1 + 1e-11) for before, after in pairwise(values))


@given(st.lists(sixteenths, max_size=7), st.data())
def test_the_likelihood_ratio_is_monotone(probabilities, data):
    t = data.draw(st.integers(-1, len(probabilities)))
    one, zero = oracle.released_laws(probabilities, 0, 9, oracle.release_above(t))
    outputs = sorted({*one, *zero} - {oracle.HIDDEN})
    if oracle.HIDDEN in one or oracle.HIDDEN in zero:
        outputs = [oracle.HIDDEN, *outputs]
    masses = [(one.get(k, Fraction(0)), zero.get(k, Fraction(0))) for k in outputs]
    seen = [(a, b) for a, b in masses if a or b]
    for (a, b), (c, d) in pairwise(seen):
        assert a * d <= c * b  # a/b <= c/d


@given(st.lists(sixteenths, max_size=7), st.data(), ratios)
def test_the_two_maxima_over_events(probabilities, data, E):
    N = len(probabilities)
    t = data.draw(st.integers(-1, N + 1))
    law = oracles.count_law(probabilities)

    def G(j):
        return sum((mass for k, mass in law.items() if k >= j), Fraction(0))

    def F(j):
        return 1 - G(j + 1)

    events = range(max(t, 0), N + 2)
    up = max(G(j) - E * G(j + 1) for j in events)
    down = max(Fraction(0), *(F(j) - E * F(j - 1) for j in events))
    assert oracle.both_directions(probabilities, t, E) == (up, down)


@given(st.lists(sixteenths, max_size=7), st.data())
def test_at_eps_zero_delta_is_the_largest_mass_from_the_threshold_on(probabilities, data):
    T = data.draw(st.integers(0, len(probabilities) + 1))
    law = oracles.count_law(probabilities)
    largest = max((mass for k, mass in law.items() if k >= T), default=Fraction(0))
    assert oracle.both_directions(probabilities, T, Fraction(1)) == (largest, largest)
    value = thresholding.exact([float(p) for p in probabilities], T).delta(0.0)
    assert value == pytest.approx(float(largest), rel=1e-12)


def test_at_infinity_only_certainties_remain():
    # Only a count of all the others and the target shows the target's 1; a count of 0 her 0.
    assert thresholding.exact([0.5, 0.25], 0).delta(math.inf) == pytest.approx(0.375, rel=1e-12)
    for T in (1, 2):
        assert thresholding.exact([0.5, 0.25], T).delta(math.inf) == pytest.approx(0.125, rel=1e-12)
    assert thresholding.exact([0.5, 0.25], 3).delta(math.inf) == 0.0
    assert thresholding.exact([], 0).delta(math.inf) == 1.0
    assert thresholding.exact([], 1).delta(math.inf) == 0.0
    assert thresholding.exact([1.0, 0.0], 1).delta(math.inf) == 1.0
    assert thresholding.exact([1.0, 0.0], 2).delta(0.0) == 0.0


def test_arrays_of_eps_come_back_as_arrays():
    profiles = [
        thresholding.exact([0.25] * 5, 2),
        thresholding.two_sided([0.25] * 5, 2),
        thresholding.two_sided([0.25] * 5, 1, symbols=1),
        thresholding.worst_case(6, 0.25, threshold=2),
        thresholding.passive(6, 0.25, threshold=3, known=2),
        thresholding.passive_worst_case(6, 0.25, threshold=3, known=2),
        thresholding.active(6, 0.25, threshold=3, known=2),
        thresholding.active_worst_case(6, 0.25, threshold=3, known=2),
        thresholding.theorem_4(60, 0.01, threshold=3),
    ]
    eps = np.array([[0.0, 0.5, math.inf], [1.0, 2.0, 9.0]])
    for profile in profiles:
        values = profile.delta(eps)
        assert values.shape == eps.shape
        assert values.tolist() == [[profile.delta(float(x)) for x in row] for row in eps]
        assert isinstance(profile.delta(0.5), float)
        with pytest.raises(ValueError, match=r"eps must be in \[0, inf\], got -0.5"):
            profile.delta(-0.5)
        with pytest.raises(ValueError, match="eps"):
            profile.delta(math.nan)


# --------------------------------------------------------------------------------------------
# exact: many records, deep tails
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.0, 1e-9, 1e-3, 0.1, 6.0])
@pytest.mark.parametrize(
    ("N", "p"), [(999, 0.005), (10**4, 0.3), (10**5, 1e-4), (10**6, 0.5), (10**6, 1e-6)]
)
def test_exact_with_identical_probabilities_agrees_with_ball_arithmetic(N, p, eps):
    mean, deviation = N * p, math.sqrt(N * p * (1 - p))
    truth = oracle.Thresholded(N, p, eps)
    at = {round(mean + z * deviation) for z in (-30, -3, -1, 0, 1, 3, 12, 60)}
    for T in sorted({0, 1, *at, N // 2, N, N + 1}):
        if not 0 <= T <= N + 1:
            continue
        value = thresholding.exact([p], T, multiplicities=[N]).log_delta(eps)

        def truth_at(x, T=T):
            return (truth if x == eps else oracle.Thresholded(N, p, x)).log_delta(T)

        assert agrees(value, truth_at, eps), (T, value, truth_at(eps))


@pytest.mark.parametrize(
    ("N", "p", "T", "eps", "depth"),
    [
        (10**6, 1e-7, 10_000, 1.0, -105_132.6),
        (10**6, 0.3, 510_000, 0.1, -95_856.9),
        (10**6, 0.9, 999_990, 3.0, -105_000),
        (10**5, 0.25, 10**5, 8.0, -138_629.4),
        (10**6, 0.5, 10**6, 0.0, -693_147.2),
    ],
)
def test_tails_of_any_depth(N, p, T, eps, depth):
    truth = float(oracle.log_delta_thresholded(N, p, T, eps))
    assert truth == pytest.approx(depth, rel=0.02)
    assert close(thresholding.exact([p], T, multiplicities=[N]).log_delta(eps), truth)


@pytest.mark.parametrize("eps", [0.0, 1e-9, 1e-6, 0.1])
@pytest.mark.parametrize(
    ("n", "p", "T"), [(10**9, 1e-6, 1100), (10**10, 3e-7, 3100), (10**10, 1e-10, 9)]
)
def test_ten_billion_records_agree_with_ball_arithmetic(n, p, T, eps):
    for known in (0, n // 3):
        N = n - 1 - known
        truth = oracle.log_delta_passive(N, known, p, T, eps)
        assert agrees(
            thresholding.passive(n, p, threshold=T, known=known).log_delta(eps),
            lambda _, x=truth: x,
            eps,
        )
    alone = oracle.log_delta_thresholded(n - 1, p, T, eps)
    assert agrees(
        thresholding.exact([p], T, multiplicities=[n - 1]).log_delta(eps), lambda _: alone, eps
    )


def test_exact_with_arbitrary_probabilities_agrees_with_a_plain_sum():
    random = np.random.default_rng(5)
    probabilities = random.random(3000) ** 3 / 4
    law = np.ones(1)
    for p in probabilities:
        law = np.convolve(law, [1 - p, p])
    above = np.append(np.cumsum(law[::-1])[::-1], 0.0)
    below = np.append(0.0, np.cumsum(law))
    mode = int(np.argmax(law))
    for T, eps in product((0, mode - 20, mode, mode + 15, mode + 60), (0.0, 0.01, 0.2)):
        up = np.max(above[T:-1] - math.exp(eps) * above[T + 1 :])
        down = np.max(below[T + 1 :] - math.exp(eps) * below[T:-1])
        delta = thresholding.exact(probabilities, T).delta(eps)
        assert delta == pytest.approx(max(up, down, 0.0), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(("N", "p", "T"), [(20, 0.3, 7), (1000, 0.005, 9), (10**6, 0.001, 1050)])
def test_where_the_loss_of_the_suppressed_output_equals_eps(N, p, T):
    # ⊥ has loss ln F(T)/F(T-1), at which its direction falls to 0, steeper and steeper.
    with oracles.ctx.workprec(oracles.PRECISION):
        counted = oracle.Thresholded(N, p, 0.0)
        at = float((1 + counted.mass(T) / counted.below(T - 1)).log())
    down = thresholding.pair([p], T, multiplicities=[N]).reversed()
    for step in (-1e-3, -1e-6, -1e-9, -1e-11, 1e-11, 1e-9, 1e-3):
        eps = at * (1 + step)

        def truth(x):
            value = oracle.Thresholded(N, p, x)
            with oracles.ctx.workprec(oracles.PRECISION):
                return oracle.log_of(value.both(T).down)

        assert agrees(down.log_hockey_stick(eps), truth, eps)


@given(st.integers(1, 3000), st.floats(1e-6, 1 - 1e-6), st.data(), epsilons)
def test_any_number_of_equal_records_agrees_with_ball_arithmetic(N, p, data, eps):
    T = data.draw(st.integers(0, N + 1))
    value = thresholding.exact([p], T, multiplicities=[N]).log_delta(eps)
    assert agrees(value, lambda x: oracle.log_delta_thresholded(N, p, T, x), eps)


# --------------------------------------------------------------------------------------------
# Two-sided thresholds
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("symbols", [1, 2])
@pytest.mark.parametrize("others", [[], *HETEROGENEOUS], ids=len)
def test_two_sided_thresholds_agree_with_whole_databases(others, symbols):
    n = len(others) + 1
    for T in range((n - 1) // 2 + 1):
        release = oracle.release_between(T, symbols)
        truths = oracle.active_deltas([Fraction(1, 3), *others], [], release, RATIOS)
        profile = thresholding.two_sided([float(p) for p in others], T, symbols=symbols)
        assert profile.status == "exact"
        for E, truth in zip(RATIOS, truths, strict=True):
            assert matches(profile.log_delta(eps_of(E)), truth)


@given(st.lists(chances, max_size=9), st.data(), st.sampled_from([1, 2]), epsilons)
def test_two_sided_agrees_with_exact_rationals(probabilities, data, symbols, eps):
    T = data.draw(st.integers(0, len(probabilities) // 2))
    release = oracle.release_between(T, symbols)
    value = thresholding.two_sided(probabilities, T, symbols=symbols).log_delta(eps)
    assert agrees(value, lambda x: oracle.log_delta_of_release(probabilities, release, x), eps)


@given(st.lists(chances, max_size=9), st.data(), epsilons)
def test_what_hides_more_is_more_private(probabilities, data, eps):
    T = data.draw(st.integers(0, len(probabilities) // 2))
    one, two = (thresholding.two_sided(probabilities, T, symbols=k).delta(eps) for k in (1, 2))
    below = thresholding.exact(probabilities, T).delta(eps)
    assert one <= two * (1 + 1e-11) + 1e-300
    assert two <= below * (1 + 1e-11) + 1e-300
    mirrored = [1 - p for p in probabilities]
    if all(1 - q == p for p, q in zip(probabilities, mirrored, strict=True)):
        assert two == pytest.approx(
            thresholding.two_sided(mirrored, T, symbols=2).delta(eps), rel=1e-10, abs=1e-300
        )
        assert one == pytest.approx(
            thresholding.two_sided(mirrored, T, symbols=1).delta(eps), rel=1e-10, abs=1e-300
        )


@pytest.mark.parametrize("symbols", [1, 2])
@pytest.mark.parametrize(("N", "p"), [(400, 0.5), (400, 0.02), (401, 0.97)])
def test_two_sided_with_hundreds_of_records_agrees_with_exact_rationals(N, p, symbols):
    mean = min(N * p, N * (1 - p))
    for T in {0, round(mean), round(mean + 2 * math.sqrt(mean)), N // 2 - 1, N // 2}:
        if N // 2 < T:
            continue
        release = oracle.release_between(T, symbols)
        profile = thresholding.two_sided([p], T, multiplicities=[N], symbols=symbols)
        for eps in (0.0, 0.02, 1.0):
            assert agrees(
                profile.log_delta(eps),
                lambda x, release=release: log_delta_of_equal_records(N, p, release, x),
                eps,
            )


def log_delta_of_equal_records(N, p, release, eps):
    """Ball of ln δ of any release, with masses in balls as well."""
    with oracles.ctx.workprec(oracles.PRECISION):
        counted, E = oracle.Thresholded(N, p, 0.0), oracles.ball(eps).exp()
        laws = {}, {}
        for k in range(N + 1):
            for target, law in enumerate(laws):
                output = release(k + target, N + 1)
                law[output] = law.get(output, arb(0)) + counted.mass(k)
        sums = []
        for one, other in (laws, laws[::-1]):
            gains = (one[x] - E * other.get(x, arb(0)) for x in one)
            sums.append(sum((gain.nonnegative_part() for gain in gains), arb(0)))
        return oracle.log_of(sums[0].max(sums[1]))


# --------------------------------------------------------------------------------------------
# worst_case, worst_numbers
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("p", SMALL_PS, ids=str)
@pytest.mark.parametrize("N", range(1, 8))
def test_worst_case_is_the_largest_vertex(N, p):
    for T, E in product(range(N + 2), RATIOS):
        worst = oracle.worst_at_vertices(N, p, T, E)
        profile = thresholding.worst_case(N + 1, float(p), threshold=T)
        assert profile.status == "exact"
        assert profile.rounded_up
        assert never_below(profile.log_delta(eps_of(E)), max(worst))
        assert matches(profile.log_delta(eps_of(E)), max(worst), 2e-11)


@pytest.mark.parametrize("p", [p for p in SMALL_PS if p], ids=str)
@pytest.mark.parametrize("N", range(1, 8))
def test_worst_numbers_attain_the_largest_vertex(N, p):
    for T, E in product(range(N + 2), RATIOS):
        # Where a number is on the edge, ε decides, whose rounding is not E's.
        eps = math.log(E)
        numbers = thresholding.worst_numbers(N + 1, float(p), threshold=T, eps=eps)
        worst = oracle.worst_at_vertices(N, p, T, E)
        for number, direction in zip(numbers, (0, 1), strict=True):
            assert isinstance(number, int)
            assert 0 <= number <= N
            attained = oracle.both_at_vertex(p, number, T, E)[direction]
            assert float(attained) == pytest.approx(float(worst[direction]), rel=1e-13)


@given(st.integers(2, 60), st.integers(1, 40).map(lambda i: Fraction(i, 41)), st.data(), epsilons)
def test_worst_numbers_are_their_formula(n, p, data, eps):
    T = data.draw(st.integers(0, n))
    numbers = thresholding.worst_numbers(n, float(p), threshold=T, eps=eps)
    with oracles.ctx.workprec(oracles.PRECISION):
        odds, E = oracles.ball((1 - Fraction(float(p))) / Fraction(float(p))), arb(eps).exp()
        for number, quotient in zip(numbers, (T * odds / E, T * odds * E), strict=True):
            formulas = {
                min(n - 1, T + math.floor(float(quotient * (1 + 4 * sign * arb(2) ** -53))))
                for sign in (-1, 1)
            }
            assert number in formulas


def test_worst_numbers_at_the_ends():
    assert thresholding.worst_numbers(10, 0.0, threshold=3, eps=1.0) == (9, 9)
    assert thresholding.worst_numbers(10, 1.0, threshold=3, eps=1.0) == (3, 3)
    assert thresholding.worst_numbers(10, 0.3, threshold=0, eps=1.0) == (0, 0)
    assert thresholding.worst_numbers(10, 0.3, threshold=3, eps=math.inf) == (3, 9)
    assert thresholding.worst_numbers(10, 0.3, threshold=10, eps=0.5) == (9, 9)
    assert thresholding.worst_numbers(10, 0.25, threshold=2, eps=0.0) == (8, 8)  # ⌊T/p⌋, exactly


def test_either_direction_may_be_the_worse():
    # The target's 1 is nearly always the easier one to recognize; not so here, by little.
    N, p, T, E = 5, Fraction(19, 24), 4, Fraction(21, 20)
    worst = oracle.worst_at_vertices(N, p, T, E)
    assert worst.up < worst.down
    value = thresholding.worst_case(N + 1, float(p), threshold=T).log_delta(eps_of(E))
    assert matches(value, worst.down, 2e-11)
    N, known, p, E = 4, 2, Fraction(3, 4), Fraction(51, 50)
    worst = oracle.worst_with_knowledge(oracle.passive_at_vertex, N, known, p, T, E)
    value = thresholding.passive_worst_case(
        N + known + 1, float(p), threshold=T, known=known
    ).log_delta(eps_of(E))
    assert never_below(value, worst)


@pytest.mark.parametrize("E", RATIOS, ids=str)
@pytest.mark.parametrize("p", [Fraction(1, 8), Fraction(1, 2), Fraction(1)], ids=str)
@pytest.mark.parametrize(("N", "steps"), [(1, 16), (2, 8), (3, 4), (4, 2)])
def test_worst_case_is_never_below_a_grid(N, steps, p, E):
    for T in range(N + 2):
        largest = max(max(oracle.both_directions(q, T, E)) for q in oracle.grid(p, steps, N))
        assert largest == max(oracle.worst_at_vertices(N, p, T, E))
        value = thresholding.worst_case(N + 1, float(p), threshold=T).log_delta(eps_of(E))
        assert never_below(value, largest)


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=30), st.data(), epsilons)
def test_worst_case_is_never_below_any_probabilities_within_its_reach(probabilities, data, eps):
    n = len(probabilities) + 1
    T = data.draw(st.integers(0, n))
    worst = thresholding.worst_case(n, 0.3, threshold=T).log_delta(eps)
    value = thresholding.exact(probabilities, T).log_delta(eps)
    assert worst == value or worst >= value - 1e-11 * max(1, abs(worst))


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.05, 1.0, 5.0])
@pytest.mark.parametrize(
    ("n", "p", "T"),
    [
        (300, 0.005, 4), (300, 0.3, 40), (300, 0.3, 120), (300, 0.9, 299), (300, 1e-9, 2),
        (10**6, 0.001, 10), (10**6, 0.001, 1100), (10**6, 0.4, 10**5), (10**6, 0.4, 10**6 - 1),
    ],
)  # fmt: skip
def test_worst_case_of_many_records_is_rounded_up_by_no_more_than_stated(n, p, T, eps):
    profile = thresholding.worst_case(n, p, threshold=T)
    value = profile.log_delta(eps)
    directions = [
        oracle.Thresholded(m, p, eps).both(T)[i]
        for i, m in enumerate(thresholding.worst_numbers(n, p, threshold=T, eps=eps))
    ]
    with oracles.ctx.workprec(oracles.PRECISION):
        truth = oracle.log_of(directions[0].max(directions[1]))
    assert not arb(value) < truth
    assert close(value, truth)
    if n == 300 and eps in (0.05, 1.0):  # ... and no other number is worse
        every = [oracle.Thresholded(m, p, eps).log_delta(T) for m in range(1, n)]
        assert not any(arb(value) < other for other in every)


@given(st.integers(2, 20), st.integers(1, 40).map(lambda i: Fraction(i, 41)), st.data())
def test_at_eps_zero_the_worst_case_is_one_mass(n, p, data):
    T = data.draw(st.integers(0, n))
    m = min(n - 1, math.floor(T / p))
    mass = oracle.f(T, m, p)
    assert mass == max(oracle.worst_at_vertices(n - 1, p, T, Fraction(1)))
    if p * (n - 1) <= T:
        assert mass == oracle.f(T, n - 1, p)
    value = thresholding.worst_case(n, float(p), threshold=T).delta(0.0)
    assert value == pytest.approx(float(mass), rel=1e-11)


def test_without_a_threshold_somebody_may_be_alone():
    for eps in (0.0, 1.0, math.inf):
        assert thresholding.worst_case(50, 0.1, threshold=0).delta(eps) == 1.0
        assert thresholding.worst_case(50, 0.0, threshold=0).delta(eps) == 1.0
        assert thresholding.worst_case(50, 1.0, threshold=7).delta(eps) == 1.0
        assert thresholding.worst_case(50, 1.0, threshold=50).delta(eps) == 0.0
        assert thresholding.worst_case(50, 0.7, threshold=50).delta(eps) == 0.0
        assert thresholding.worst_case(50, 0.0, threshold=1).delta(eps) == 0.0
    assert thresholding.worst_case(50, 0.1, threshold=3).log_delta(math.inf) == pytest.approx(
        3 * math.log(0.1), rel=1e-11
    )


# --------------------------------------------------------------------------------------------
# passive, active, and their worst cases: all small cases
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("p", SMALL_PS, ids=str)
@pytest.mark.parametrize("n", range(2, 7))
def test_knowledge_agrees_with_enumeration(n, p):
    for known, T in product(range(n), range(n + 1)):
        passive = thresholding.passive(n, float(p), threshold=T, known=known)
        active = thresholding.active(n, float(p), threshold=T, known=known)
        assert passive.status == active.status == "exact"
        for E in RATIOS:
            eps, N = eps_of(E), n - 1 - known
            assert matches(passive.log_delta(eps), oracle.passive_at_vertex(p, N, known, T, E))
            assert matches(active.log_delta(eps), oracle.active_at_vertex(p, N, known, T, E))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p"),
    [*product(range(2, 7), (Fraction(1, 64), Fraction(1, 4), Fraction(7, 8))),
     *product((2, 4), (Fraction(0), Fraction(1, 2), Fraction(1)))],
    ids=str,
)  # fmt: skip
def test_worst_cases_with_knowledge_are_the_largest_vertex(n, p):
    for known, T in product(range(n), range(n + 1)):
        passive = thresholding.passive_worst_case(n, float(p), threshold=T, known=known)
        active = thresholding.active_worst_case(n, float(p), threshold=T, known=known)
        assert passive.status == active.status == "exact"
        assert passive.rounded_up
        assert active.rounded_up
        assert passive.gap == GAP
        for E in (RATIOS[0], RATIOS[2], RATIOS[3]):
            eps, N = eps_of(E), n - 1 - known
            for profile, delta in (
                (passive, oracle.passive_at_vertex),
                (active, oracle.active_at_vertex),
            ):
                worst = oracle.worst_with_knowledge(delta, N, known, p, T, E)
                assert never_below(profile.log_delta(eps), worst), (known, T, E)


@pytest.mark.slow
@pytest.mark.parametrize("p", [Fraction(1, 8), Fraction(2, 3)], ids=str)
@pytest.mark.parametrize(("N", "known"), [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3)])
def test_worst_cases_with_knowledge_are_never_below_a_grid(N, known, p):
    n = N + known + 1
    for T, E in product(range(n + 1), RATIOS[:2]):
        passive = max(
            oracle.passive_delta_of(unknown, seen, T, E)
            for unknown in oracle.grid(p, 4, N)
            for seen in oracle.grid(p, 2, known)
        )
        active = max(
            max(oracle.both_directions(unknown, T - b, E))
            for unknown in oracle.grid(p, 4, N)
            for b in range(known + 1)
        )
        eps = eps_of(E)
        passively = thresholding.passive_worst_case(
            n, float(p), threshold=T, known=known
        ).log_delta(eps)
        actively = thresholding.active_worst_case(n, float(p), threshold=T, known=known).log_delta(
            eps
        )
        assert math.exp(passively) >= float(passive) * (1 - 1e-13) - 2e-15
        assert math.exp(actively) >= float(active) * (1 - 1e-13) - 2e-15


@pytest.mark.parametrize("known", [[], [3], [1, 3], [1, 2, 3]], ids=len)
@pytest.mark.parametrize("p", [Fraction(1, 4), Fraction(2, 3)], ids=str)
def test_knowledge_agrees_with_the_definitions_of_section_3(p, known):
    n = 4
    world = bits([p] * n, knowledge=known)
    for T, E in product(range(n + 1), RATIOS[:3]):
        mechanism = threshold_mechanism(T)
        eps, size = eps_of(E), len(known)
        passive = ppk_delta(world, mechanism, E, targets=[0])
        active = apk_delta(world, mechanism, E, targets=[0])
        assert passive == oracle.passive_at_vertex(p, n - 1 - size, size, T, E)
        assert active == oracle.active_at_vertex(p, n - 1 - size, size, T, E)
        assert matches(
            thresholding.passive(n, float(p), threshold=T, known=size).log_delta(eps), passive
        )
        assert matches(
            thresholding.active(n, float(p), threshold=T, known=size).log_delta(eps), active
        )


@given(st.integers(2, 40), chances, st.data(), epsilons)
def test_who_knows_more_learns_more(n, p, data, eps):
    known = data.draw(st.integers(0, n - 1))
    T = data.draw(st.integers(0, n))
    slack = 1 + 1e-10
    passive, active = thresholding.passive, thresholding.active
    seen, chosen = (f(n, p, threshold=T, known=known).delta(eps) for f in (passive, active))
    worst_seen = thresholding.passive_worst_case(n, p, threshold=T, known=known).delta(eps)
    worst_chosen = thresholding.active_worst_case(n, p, threshold=T, known=known).delta(eps)
    assert seen <= chosen * slack + 1e-300
    assert seen <= worst_seen * slack + 1e-300
    assert chosen <= worst_chosen * slack + 1e-300
    assert worst_seen <= worst_chosen * slack + 1e-300
    if known:
        assert passive(n, p, threshold=T, known=known - 1).delta(eps) <= seen * slack + 1e-300
        assert active(n, p, threshold=T, known=known - 1).delta(eps) <= chosen * slack + 1e-300
    else:
        assert seen == pytest.approx(chosen, rel=1e-11)
        assert worst_seen == pytest.approx(worst_chosen, rel=2 * GAP)
        assert worst_seen == pytest.approx(
            thresholding.worst_case(n, p, threshold=T).delta(eps), rel=2 * GAP
        )


@given(st.integers(2, 30), st.integers(1, 40).map(lambda i: Fraction(i, 41)), st.data())
def test_below_the_threshold_seeing_costs_nothing(n, p, data):
    # Vandermonde's identity, at ε = 0, as long as T - b does not fall below the mode.
    known = data.draw(st.integers(0, n - 1))
    T = data.draw(st.integers(0, n))
    N = n - 1 - known
    mode = min(k for k in range(N + 1) if oracle.f(k, N, p) == max(
        oracle.f(j, N, p) for j in range(N + 1)))  # fmt: skip
    delta = oracle.passive_at_vertex(p, N, known, T, Fraction(1))
    if T - known >= mode:
        assert delta == oracle.f(T, n - 1, p)
    above = sum((oracle.f(b, known, p) for b in range(max(T - mode, -1) + 1, known + 1)), 0)
    assert delta <= oracle.f(T, n - 1, p) + above * oracle.f(mode, N, p)
    value = thresholding.passive(n, float(p), threshold=T, known=known).delta(0.0)
    assert value == pytest.approx(float(delta), rel=1e-11)


@given(st.integers(2, 9), sixteenths, st.data(), ratios)
def test_what_proposition_8_takes_for_granted(n, p, data, E):
    # The fewer 1s are known, the less is learnt; and all known records can be 1, unless p is 0.
    known = data.draw(st.integers(0, n - 1))
    T = data.draw(st.integers(known, n))
    N = n - 1 - known
    deltas = [max(oracle.both_at_vertex(p, N, T - b, E)) for b in range(known + 1)]
    assert all(one <= other for one, other in pairwise(deltas))
    reduced = max(oracle.both_directions([p] * N, T - known, E))
    if p:
        assert oracle.active_at_vertex(p, N, known, T, E) == reduced
    else:
        assert oracle.active_at_vertex(p, N, known, T, E) == deltas[0]


def test_with_probability_zero_no_known_record_is_a_one():
    for eps in (0.0, 1.0):
        assert thresholding.active(10, 0.0, threshold=3, known=5).delta(eps) == 0.0
        assert thresholding.active_worst_case(10, 0.0, threshold=3, known=5).delta(eps) == 0.0
        assert thresholding.passive(10, 0.0, threshold=3, known=5).delta(eps) == 0.0
        assert thresholding.passive_worst_case(10, 0.0, threshold=3, known=5).delta(eps) == 0.0
        assert thresholding.active(10, 0.0, threshold=0, known=5).delta(eps) == 1.0
        assert thresholding.passive(10, 0.0, threshold=0, known=5).delta(eps) == 1.0
        assert thresholding.active_worst_case(10, 0.0, threshold=0, known=5).delta(eps) == 1.0


def test_whoever_knows_all_others_only_needs_a_visible_count():
    for eps in (0.0, 2.0, math.inf):
        # T = 3 of n = 5: visible if the 4 known records and the target have more than 3 ones.
        seen = thresholding.passive(5, 0.5, threshold=3, known=4).delta(eps)
        assert seen == pytest.approx(5 / 16, rel=1e-12)
        assert thresholding.active(5, 0.5, threshold=3, known=4).delta(eps) == 1.0
        assert thresholding.active(5, 0.5, threshold=5, known=4).delta(eps) == 0.0
        assert thresholding.passive(5, 1.0, threshold=4, known=4).delta(eps) == 1.0
        assert thresholding.passive(5, 1.0, threshold=5, known=4).delta(eps) == 0.0


# --------------------------------------------------------------------------------------------
# passive: many records
# --------------------------------------------------------------------------------------------

PASSIVE = [
    (999, 0, 0.005, 20), (800, 199, 0.005, 20), (499, 500, 0.2, 190), (499, 500, 0.2, 230),
    (499, 500, 0.2, 600), (50, 949, 0.5, 510), (999, 1, 0.9, 920), (5, 5000, 0.01, 60),
    (3000, 2000, 0.3, 1000), (10**5, 2000, 1e-3, 160), (10**6 - 2000, 1999, 0.005, 5400),
    (30_000, 30_000, 0.1, 7200),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.0, 0.01, 0.6, 2.0])
@pytest.mark.parametrize(("N", "known", "p", "T"), PASSIVE)
def test_passive_agrees_with_ball_arithmetic(N, known, p, T, eps):
    value = thresholding.passive(N + known + 1, p, threshold=T, known=known).log_delta(eps)
    assert agrees(value, lambda x: oracle.log_delta_passive(N, known, p, T, x), eps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("N", "known", "p", "T", "eps"),
    [
        (5 * 10**5, 5 * 10**5 - 1, 0.3, 300_500, 0.002),
        (2 * 10**5, 8 * 10**5 - 1, 0.001, 1_200, 0.1),
    ],
)
def test_a_million_records_passively_agree_with_a_plain_sum(N, known, p, T, eps):
    value = thresholding.passive(N + known + 1, p, threshold=T, known=known).log_delta(eps)
    assert close(value, oracle.log_delta_passive_directly(N, known, p, T, eps), 1e-11)


@pytest.mark.parametrize(
    ("N", "known", "p", "T", "eps", "depth"),
    [
        (600_000, 399_999, 0.01, 83_000, 2.0, -104_000),
        (600_000, 399_999, 0.01, 83_000, 0.0, -103_000),
        (10_000, 989_999, 1e-6, 9_000, 1.0, -75_000),
    ],
)
def test_passive_tails_of_any_depth(N, known, p, T, eps, depth):
    truth = oracle.log_delta_passive(N, known, p, T, eps)
    assert float(truth) == pytest.approx(depth, rel=0.03)
    assert close(
        thresholding.passive(N + known + 1, p, threshold=T, known=known).log_delta(eps), truth
    )


@pytest.mark.slow
@pytest.mark.parametrize("known", [10**5, 3 * 10**9, 7 * 10**9])
@pytest.mark.parametrize(("n", "p"), [(10**10, 0.5), (10**10, 0.3), (10**10, 0.995)])
def test_far_above_the_mean_ten_billion_records_seen_or_not_are_a_count_of_all(n, p, known):
    # There the best event begins at the threshold whatever is seen, so that the mean over what is
    # seen is the excess of the count of all others.
    deviation = math.sqrt(n * p * (1 - p))
    T = round(n * p + 20 * deviation)
    for eps in (0.0, 0.1 / deviation, 3 / deviation):
        value = thresholding.passive(n, p, threshold=T, known=known).log_delta(eps)
        assert close(value, oracle.log_excess_by_integral(T, n - 1, p, eps), 1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.0, math.ulp(0.0), 1e-300, 1 - 2.0**-53, 1.0])
@pytest.mark.parametrize("T", [0, 3 * 10**9, 10**10])
def test_ten_billion_records_of_extreme_probabilities(p, T):
    n, known = 10**10, 10**9
    for eps in (0.0, 1.0, 800.0, math.inf):
        values = [
            thresholding.passive(n, p, threshold=T, known=known).log_delta(eps),
            thresholding.active(n, p, threshold=T, known=known).log_delta(eps),
            thresholding.worst_case(n, p, threshold=T).log_delta(eps),
        ]
        assert all(value <= 0.0 for value in values)
        if p == 0.0:  # the target alone could reach a threshold of 0, and no other
            assert math.exp(values[0]) == (T == 0)


def test_ten_billion_records_with_both_ends_hidden():
    T, n = 5 * 10**9 - 10**5, 10**10
    both = thresholding.two_sided([0.5], T, multiplicities=[n - 1], symbols=2)
    # With a symbol each what is shown of both ends is what one threshold shows of one.
    one = thresholding.exact([0.5], T, multiplicities=[n - 1])
    assert both.log_delta(1e-5) == pytest.approx(one.log_delta(1e-5), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.0, 0.02, 0.7, 3.0])
@pytest.mark.parametrize(
    ("N", "known", "p", "T"),
    [(30, 20, 0.1, 6), (40, 10, 0.3, 11), (10, 40, 0.3, 20), (60, 60, 0.02, 2), (25, 25, 0.7, 20),
     (30, 20, 0.1, 30), (40, 1, 0.9, 30)],
)  # fmt: skip
def test_passive_worst_case_is_the_largest_vertex_in_balls(N, known, p, T, eps):
    value = thresholding.passive_worst_case(N + known + 1, p, threshold=T, known=known).log_delta(
        eps
    )
    every = oracle.log_worst_passive(N, known, p, T, eps)
    assert not any(arb(value) < truth for truth in every)
    assert value == pytest.approx(max(map(float, every)), abs=1.1 * GAP, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("eps", [5e-324, 1e-60, 1e-38, 1e-18, 1e-16, 1e-14])
@pytest.mark.parametrize(("n", "p", "T", "known"), [(10**4, 0.005, 200, 1000), (50, 0.1, 25, 9)])
def test_an_eps_below_all_rounding_is_not_zero(n, p, T, known, eps):
    # ⊥'s loss may be smaller still, so that one direction is 0: rounding may not pass for more.
    N = n - 1 - known
    truth = oracle.log_delta_passive(N, known, p, T, eps)
    alone = oracle.log_delta_thresholded(N, p, T, eps)
    assert agrees(
        thresholding.passive(n, p, threshold=T, known=known).log_delta(eps), lambda _: truth, eps
    )
    assert agrees(
        thresholding.exact([p], T, multiplicities=[N]).log_delta(eps), lambda _: alone, eps
    )
    worst = thresholding.passive_worst_case(n, p, threshold=T, known=known).log_delta(eps)
    assert worst >= float(truth)
    if n == 50:
        every = oracle.log_worst_passive(N, known, p, T, eps)
        assert worst == pytest.approx(max(map(float, every)), abs=1.1 * GAP, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("N", "known", "p", "T", "eps"),
    [(217, 143, 0.9, 279, 0.5), (221, 95, 0.3, 54, 0.1)],
)
def test_a_rough_passive_worst_case_is_still_a_bound(N, known, p, T, eps):
    # So rough that no number of records near the worst is looked at.
    rough, sharp = (
        thresholding.passive_worst_case(
            N + known + 1, p, threshold=T, known=known, **options
        ).log_delta(eps)
        for options in ({"tol": 1.0}, {})
    )
    assert sharp - 2 * GAP <= rough <= sharp + math.log(2) + 2 * GAP
    numbers = range(max(T - known, 0), N + 1)
    every = [thresholding.passive(m + known + 1, p, threshold=T, known=known) for m in numbers]
    assert sharp == pytest.approx(max(one.log_delta(eps) for one in every), abs=1.1 * GAP)


@pytest.mark.slow
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
def test_the_passive_worst_case_is_as_narrow_as_asked(tol):
    for eps in (0.0, 0.1, 1.0):
        rough = thresholding.passive_worst_case(400, 0.2, threshold=90, known=150, tol=tol)
        sharp = thresholding.passive_worst_case(400, 0.2, threshold=90, known=150, tol=1e-10)
        assert rough.gap == tol
        assert 0.0 <= rough.log_delta(eps) - sharp.log_delta(eps) + 2e-10 <= tol + 1e-9


@given(st.integers(2, 25), st.integers(1, 40).map(lambda i: Fraction(i, 41)), st.data(), ratios)
def test_each_direction_rises_and_falls_with_the_number_of_records(N, p, data, E):
    t = data.draw(st.integers(0, N + 1))
    each = [oracle.both_at_vertex(p, m, t, E) for m in range(N + 1)]
    peaks = (
        min(N, t + math.floor(t * (1 - p) / (p * E))),
        min(N, t + math.floor(t * E * (1 - p) / p)),
    )
    for direction, peak in enumerate(peaks):
        values = [both[direction] for both in each]
        assert all(one <= other for one, other in pairwise(values[: peak + 1]))
        assert all(one >= other for one, other in pairwise(values[peak:]))


# --------------------------------------------------------------------------------------------
# Theorem 4
# --------------------------------------------------------------------------------------------

STATED = [
    (2, Fraction(1, 10), 1), (2, Fraction(1, 10), 2), (5, Fraction(1, 20), 1),
    (5, Fraction(1, 20), 3), (5, Fraction(1, 3), 4), (30, Fraction(1, 10), 8),
    (30, Fraction(1, 10), 29), (30, Fraction(1, 10), 30), (200, Fraction(1, 200), 6),
]  # fmt: skip


@pytest.mark.parametrize(("n", "p", "T"), STATED)
def test_theorem_4_is_its_expressions(n, p, T):
    expected = oracle.theorem_4(n, p, T)
    terms = thresholding.theorem_4_terms(n, float(p), threshold=T)
    assert terms.b_max is None
    assert terms.eps == pytest.approx(-math.log1p(-float(expected.delta)), rel=1e-12)
    assert close(terms.log_delta, log_of(expected.delta))
    profile = thresholding.theorem_4(n, float(p), threshold=T)
    assert profile.status == "upper bound"
    assert profile.rounded_up
    if expected.delta:
        assert profile.delta(terms.eps * 0.99) == 1.0
        assert profile.delta(0.0) == 1.0
    for eps in (terms.eps * (1 + 1e-12), 1.0, math.inf):
        assert profile.delta(eps) == pytest.approx(float(expected.delta), rel=1e-11)


KNOWING = [(6, Fraction(1, 20), 3, 2), (12, Fraction(1, 30), 5, 6), (40, Fraction(1, 40), 9, 20)]


@pytest.mark.parametrize(("n", "p", "T", "known"), KNOWING)
def test_theorem_4_with_knowledge_is_its_expressions(n, p, T, known):
    found = {}
    for b_max in range(1, T):
        expected = oracle.theorem_4_knowing(n, p, T, known, b_max)
        if expected is None:
            with pytest.raises(ValueError, match="b_max"):
                thresholding.theorem_4_terms(n, float(p), threshold=T, known=known, b_max=b_max)
            continue
        found[b_max] = expected
        terms = thresholding.theorem_4_terms(n, float(p), threshold=T, known=known, b_max=b_max)
        assert terms.b_max == b_max
        assert terms.eps == pytest.approx(float(log_of(expected.ratio)), rel=1e-9)
        assert close(terms.log_delta, log_of(expected.delta))
    assert found
    best = min(found, key=lambda b: found[b].delta)
    terms = thresholding.theorem_4_terms(n, float(p), threshold=T, known=known)
    assert terms.b_max == best
    assert close(terms.log_delta, log_of(found[best].delta))
    curve = thresholding.theorem_4(n, float(p), threshold=T, known=known)
    for eps in np.geomspace(1e-8, 3.0, 40):
        ratio = math.exp(eps)
        allowed = [float(x.delta) for x in found.values() if float(x.ratio) <= ratio]
        assert curve.delta(eps) == pytest.approx(min(allowed, default=1.0), rel=1e-11)


@given(st.integers(1, 30), st.integers(1, 59).map(lambda i: Fraction(i, 60)))
def test_lemma_2_falls_by_the_share_stated_and_is_convex(m, p):
    odds = p / (1 - p)
    least = math.floor(odds * m) + 1
    bounds = [oracle.f(s, m, p) / (1 - odds * m / s) for s in range(least, m + 4)]
    for s, (one, two, three) in enumerate(zip(bounds, bounds[1:], bounds[2:], strict=False), least):
        assert one - two >= two - three >= 0
        d = s - odds * m
        assert one - two == one * (d * d + s * (1 + odds * d)) / (s * (1 + d))


@pytest.mark.slow
@given(st.integers(20, 3000), st.floats(1e-4, 0.3), st.floats(0.01, 0.9), st.floats(1.05, 3))
def test_the_best_b_max_is_the_best_of_all(n, p, share, more):
    known, T = max(1, round(share * (n - 1))), math.ceil(more * n * p / (1 - p)) + 3
    try:
        found = thresholding.theorem_4_terms(n, p, threshold=min(T, n), known=known)
    except ValueError:
        assume(False)
    every = []
    for b in range(1, min(T, n)):
        with contextlib.suppress(ValueError):
            terms = thresholding.theorem_4_terms(n, p, threshold=min(T, n), known=known, b_max=b)
            every.append(terms.log_delta)
    assert found.log_delta == pytest.approx(min(every), rel=1e-14, abs=1e-14)


@given(st.integers(2, 12), st.integers(1, 30).map(lambda i: Fraction(i, 60)), st.data())
def test_theorem_4_is_never_below_the_tight_form(n, p, data):
    T = data.draw(st.integers(1, n))
    stated = oracle.theorem_4(n, p, T)
    if stated is None:
        with pytest.raises(ValueError, match=r"threshold|p must"):
            thresholding.theorem_4(n, float(p), threshold=T)
        return
    assert max(oracle.worst_at_vertices(n - 1, p, T, stated.ratio)) <= stated.delta
    # ... and its tight form needs no ε
    assert oracle.f(T, n - 1, p) <= stated.delta
    bound = thresholding.theorem_4(n, float(p), threshold=T)
    worst = thresholding.worst_case(n, float(p), threshold=T)
    for eps in (0.0, 1e-3, 0.1, 1.0, 5.0):
        assert worst.delta(eps) <= bound.delta(eps) * (1 + 1e-11) + 1e-300


@given(st.integers(3, 7), st.integers(1, 20).map(lambda i: Fraction(i, 60)), st.data())
def test_theorem_4_with_knowledge_is_never_below_the_tight_form(n, p, data):
    known = data.draw(st.integers(1, n - 1))
    T = data.draw(st.integers(2, n))
    N = n - 1 - known
    stated = [
        found
        for b_max in range(1, T)
        if (found := oracle.theorem_4_knowing(n, p, T, known, b_max)) is not None
    ]
    for one in stated:
        worst = oracle.worst_with_knowledge(oracle.passive_at_vertex, N, known, p, T, one.ratio)
        assert worst <= one.delta
    if not stated:
        with pytest.raises(ValueError, match=r"threshold|b_max|p must|known"):
            thresholding.theorem_4(n, float(p), threshold=T, known=known)
        return
    bound = thresholding.theorem_4(n, float(p), threshold=T, known=known)
    tight = thresholding.passive_worst_case(n, float(p), threshold=T, known=known)
    for eps in (0.0, 1e-3, 0.1, 1.0, 5.0):
        assert tight.delta(eps) <= bound.delta(eps) * (1 + 2 * GAP) + 1e-300


@pytest.mark.parametrize(
    ("n", "T", "known"), [(1000, 20, 0), (10**4, 90, 0), (10**6, 5600, 0), (1000, 25, 400),
                          (10**6, 6200, 10**5)],
)  # fmt: skip
def test_theorem_4_bounds_many_records(n, T, known):
    p = 0.005
    terms = thresholding.theorem_4_terms(n, p, threshold=T, known=known)
    bound = thresholding.theorem_4(n, p, threshold=T, known=known)
    tight = (
        thresholding.passive_worst_case(n, p, threshold=T, known=known)
        if known
        else thresholding.worst_case(n, p, threshold=T)
    )
    for eps in (terms.eps * (1 + 1e-12), 2 * terms.eps, 1.0):
        assert tight.log_delta(eps) <= bound.log_delta(eps) + 1e-7


def test_lemma_2():
    # Strict as printed where p > 0 and m <= n; an equality of zeros otherwise.
    for n, m, p in product(
        range(1, 8), range(1, 10), (Fraction(0), Fraction(1, 9), Fraction(1, 3))
    ):
        bound = oracle.lemma_2(m, n, p)
        if bound is not None:
            tail = sum((oracle.f(s, n, p) for s in range(m, n + 1)), Fraction(0))
            assert tail < bound if p and m <= n else tail == bound == 0


# --------------------------------------------------------------------------------------------
# ε from δ
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.01])
def test_epsilon_inverts_the_profiles(delta):
    for profile in (
        thresholding.exact([0.2] * 40, 10),
        thresholding.exact([0.2] * 40, 38),
        thresholding.two_sided([0.4] * 20, 7, symbols=1),
        thresholding.worst_case(41, 0.2, threshold=10),
        thresholding.passive(41, 0.2, threshold=14, known=10),
        thresholding.passive_worst_case(21, 0.2, threshold=9, known=5),
        thresholding.active(41, 0.2, threshold=14, known=5),
        thresholding.active_worst_case(41, 0.2, threshold=14, known=5),
        thresholding.theorem_4(400, 0.005, threshold=9),
    ):
        eps = profile.epsilon(delta)
        if eps < math.inf:
            assert profile.delta(eps) <= delta
        else:
            assert profile.delta(700.0) > delta
        if 0 < eps < math.inf:
            assert profile.delta(eps * (1 - 1e-9)) > delta


# --------------------------------------------------------------------------------------------
# Bad input
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [thresholding.theorem_4, thresholding.theorem_4_terms])
def test_theorem_4_refuses_where_it_says_nothing(function):
    # r >= 1, r = 1, f / (1 - r) >= 1, no threshold, certain 1s
    for n, p, T in [(1000, 0.02, 20), (3, 0.5, 2), (2, 0.45, 1), (10, 0.1, 0), (10, 1.0, 9)]:
        assert p == 1 or oracle.theorem_4(n, Fraction(p), T) is None
        with pytest.raises(ValueError, match=r"threshold must|p must"):
            function(n, p, threshold=T)
    for T in (0, 1):  # no room for b_max
        with pytest.raises(ValueError, match="threshold"):
            function(10, 0.01, threshold=T, known=2)
    with pytest.raises(ValueError, match=r"threshold|p must"):  # r_b or r' is 1 or more, always
        function(1000, 0.02, threshold=20, known=500)


def test_a_search_over_very_many_records_is_refused():
    # Closed forms go further than the branch and bound of the passive worst case.
    assert thresholding.worst_case(10**10, 1e-10, threshold=5).delta(0.0) > 0
    assert thresholding.passive(10**10, 1e-10, threshold=5, known=10**9).delta(0.0) > 0
    assert thresholding.active(10**10, 1e-10, threshold=5, known=2).delta(0.0) > 0
    with pytest.raises(ValueError, match=r"n must be an integer in 2…10000000, got 10000001"):
        thresholding.passive_worst_case(10**7 + 1, 1e-12, threshold=5, known=2)


def test_numpy_numbers_are_numbers():
    by_python = thresholding.passive(10, 0.1, threshold=4, known=2).delta(0.5)
    by_numpy = thresholding.passive(
        np.int64(10), np.float64(0.1), threshold=np.int32(4), known=np.uint8(2)
    )
    assert by_numpy.delta(np.float64(0.5)) == by_python
    assert thresholding.worst_case(10, Fraction(1, 10), threshold=4).delta(1) == pytest.approx(
        thresholding.worst_case(10, 0.1, threshold=4).delta(1.0), rel=1e-15
    )


def test_passive_needs_no_table_as_long_as_the_database():
    # Far from the mean a threshold below hides nothing, and one above, at ε = 0, costs one mass.
    n, known, p = 10**8, 10**7, 0.5
    low = thresholding.passive(n, p, threshold=10, known=known)
    plain = counting.exact([p], [n - 1 - known])
    for eps in (0.0, 1e-5, 1e-3):
        assert low.log_delta(eps) == pytest.approx(plain.log_delta(eps), rel=1e-12, abs=1e-12)
    high = 9 * 10**7
    mass = float(log_binomial_pmf(high, n - 1, p))
    assert thresholding.passive(n, p, threshold=high, known=known).log_delta(0.0) == pytest.approx(
        mass, rel=1e-12
    )


@pytest.mark.parametrize(("eps", "ones"), [(1.0, 2), (700.0, 2), (745.0, 1), (math.inf, 1)])
def test_the_smallest_probability_there_is(eps, ones):
    # One other must be a 1: of either of two, or of the only one that may be, if E > 1/p.
    p = math.ulp(0.0)
    value = thresholding.worst_case(3, p, threshold=1).log_delta(eps)
    assert value == pytest.approx(math.log(ones) + math.log(p), rel=1e-12)


def test_the_best_number_of_records_that_are_all_1_decides():
    # As many as the threshold are 1 for certain, or too few are.
    numbers, thresholds = np.array([5, 2, 5]), np.array([3, 3, 0])
    for side in (1, -1):
        logs = _known_ones._log_at_best(numbers, 1.0, thresholds, 0.5, side)
        assert logs.tolist() == [0.0, -math.inf, 0.0]


def test_what_negative_steps_leave_of_positive_ones_keeps_its_digits():
    # A 10^5th of the mass at j is left; all else cancels.
    n, p, eps, j = 10**6, 0.3, 0.5, 414_037
    count = laws.PoissonBinomial([p], [n])
    assert count.log_mass_ratio(j) < eps
    with mpmath.workdps(60):
        odds, ratio = mpmath.mpf(p) / (1 - mpmath.mpf(p)), mpmath.exp(eps)
        mass, total = mpmath.mpf(1), mpmath.mpf(0)
        for k in range(j, j + 300):
            after = mass * (n - k) / (k + 1) * odds
            total += mass - ratio * after
            mass = after
        ways = mpmath.loggamma(n + 1) - mpmath.loggamma(j + 1) - mpmath.loggamma(n - j + 1)
        expected = ways + j * mpmath.log(odds) + n * mpmath.log1p(-mpmath.mpf(p))
        expected += mpmath.log(total)
    assert _censored._log_difference(count, j, eps) == pytest.approx(float(expected), abs=1e-9)


def test_theorem_4_speaks_of_a_single_known_one_too():
    assert thresholding.theorem_4_terms(50, 0.01, threshold=5, known=20, b_max=1).b_max == 1
    for b_max in (0, 5, 10, -1):
        with pytest.raises(ValueError, match=rf"b_max must be an integer in 1…4, got {b_max}"):
            thresholding.theorem_4_terms(50, 0.01, threshold=5, known=20, b_max=b_max)
    with pytest.raises(TypeError, match="b_max"):
        thresholding.theorem_4_terms(10, 0.01, threshold=4, known=2, b_max=1.5)
    with pytest.raises(ValueError, match=r"b_max must be None .* got 2"):
        thresholding.theorem_4_terms(10, 0.01, threshold=4, b_max=2)
