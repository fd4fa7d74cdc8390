"""Certified worst cases and blankets: they hold what an independent computation in balls finds."""

import dataclasses
import functools
import math
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pkdp import counting, noise, thresholding
from pkdp.certified import blankets, noisy_vertices, passive
from pkdp.certified import noise as noise_in_balls
from pkdp.certified import vertices as vertices_in_balls
from pkdp.certified.vertices import PlainRange
from pkdp.engines import vertices as vertices_in_floats
from pkdp.profiles.profile import Release
from tests import certified
from tests.oracles import counts as oracles
from tests.oracles import noise as noise_oracles
from tests.oracles import thresholding as thresholded
from tests.profiles.test_certified import CHANCES, NOTHING, SIZES, holds, is_narrow, log_of

EPSILONS = st.one_of(st.just(0.0), st.floats(1e-9, 12), st.floats(-20, 0).map(lambda x: 10.0**x))

ANY_CHANCES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(1e-9, 1 - 1e-9))


def largest_of(balls):
    with ctx.workprec(oracles.PRECISION):
        return functools.reduce(arb.max, balls)


def worst_by_balls(unknown, lam, eps):
    logs = [oracles.log_delta_at_vertex(unknown, lam, m, eps) for m in range(unknown + 1)]
    return largest_of(logs)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(64, 150), st.floats(1e-4, 0.499), st.floats(0, 1))
def test_the_search_leaves_no_vertex_out(unknown, lam, eps):
    """Where it is not spared: ranges of vertices are discarded by their bounds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vertices_in_floats, "_FEW_VERTICES", 63)
        patch.setattr(vertices_in_floats, "_NARROW", 2)
        worst = PlainRange(unknown, lam, eps).worst(1e-8)
    truth = worst_by_balls(unknown, lam, eps)
    assert holds((worst.log_lower, worst.log_upper), truth)
    assert worst.log_upper - worst.log_lower < 1.1e-8 + 1e-13 * abs(worst.log_upper)


@settings(max_examples=20)
@given(st.integers(3, 60), st.floats(1e-4, 0.499), st.floats(0, 2), st.data())
def test_no_vertex_of_a_range_is_above_its_bound(unknown, lam, eps, data):
    vertices = PlainRange(unknown, lam, eps)
    first = data.draw(st.integers(0, vertices._end))
    last = data.draw(st.integers(first, vertices._end))
    with ctx.workprec(vertices._bits):
        bound, _ = vertices._log_bound_of_box(first, last)
        for m in {first, (first + last) // 2, last}:
            assert arb(bound) + vertices._ball_scale.upper() >= oracles.log_delta_at_vertex(
                unknown, lam, m, eps
            )


def test_bands_hold_every_place_of_a_best_event():
    # It begins less than 1 from the mean.
    strip = vertices_in_balls.Strip(20, 10**6, arb(-1), 2, arb(0))
    _, (middles, _), _, half = PlainRange(40, 0.2, 0.3)._cover(strip, arb(-1), 2, 64).where
    assert (middles[0] - half, middles[-1] + half) == (0, 2)
    assert all(after - before == 2 * half for before, after in pairwise(middles))


def test_vertices_that_are_not_searched_are_far_below():
    vertices = PlainRange(10_000, 0.3, 0.6)
    worst = vertices.worst(1e-8)
    assert vertices._end < 1500
    beyond = oracles.log_delta_at_vertex(10_000, 0.3, vertices._end + 1, 0.6)
    assert beyond < worst.log_lower - 1


def test_a_blanket_of_few_is_not_below_the_truth():
    """Of sizes in the tail of a tilted window, untilted, the masses are not known well."""
    profile = counting.blanket(1762, 0.00037787983840910247)
    lower, upper = profile.certified().bounds(5.134820041725206)
    assert lower <= upper <= profile.log_delta(5.134820041725206) <= upper + 1e-12


RATIOS = st.one_of(st.floats(0.01, 0.99), st.floats(-1.5, 3).map(lambda x: math.exp(-(10**-x))))
# ε as a part of the largest loss that noise allows.
PARTS = st.one_of(st.just(0.0), st.floats(0, 0.999), st.floats(1, 9).map(lambda x: 1 - 10**-x))


def noise_of(p, is_laplace):
    """Noise that falls by p from one integer to the next."""
    return noise.Laplace(-1 / math.log(p)) if is_laplace else noise.Geometric(p)


def every_vertex_with_noise(unknown, lam, added, eps):
    """The largest lower and upper end, vertex by vertex; 1 - λ must be a float."""
    assert Fraction(1 - lam) == 1 - Fraction(lam)
    pairs = (
        counting.pair([lam, 1 - lam], multiplicities=[m, unknown - m]) for m in range(unknown + 1)
    )
    ends = [noise.add(pair, added).profile().certified().bounds(eps) for pair in pairs]
    return max(lower for lower, _ in ends), max(upper for _, upper in ends)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    st.integers(3, 60),
    st.floats(-4, -0.31).map(lambda x: round(2**30 * 10.0**x) / 2**30),
    RATIOS,
    PARTS,
    st.sampled_from([1e-2, 1e-4, 1e-7]),
    st.booleans(),
)
def test_the_search_with_noise_leaves_no_vertex_out(unknown, lam, p, part, tol, is_laplace):
    """Where it is not spared: ranges of vertices are discarded by their bounds."""
    added = noise_of(p, is_laplace)
    eps = part * added.rate
    assume(eps < added.end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noisy_vertices, "_FEW_VERTICES", 1)
        patch.setattr(vertices_in_floats, "_NARROW", 1)
        worst = noisy_vertices.worst(unknown, lam, added, eps, tol)
    low, high = every_vertex_with_noise(unknown, lam, added, eps)
    assert low <= worst.log_upper
    assert worst.log_lower <= high
    assert worst.log_upper - worst.log_lower < 1.01 * tol + 1e-13 * abs(worst.log_upper)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(20, 400), st.floats(0.01, 0.499), RATIOS, PARTS, st.booleans(), st.data())
def test_no_vertex_of_a_range_with_noise_is_above_its_bound(
    unknown, lam, p, part, is_laplace, data
):
    added = noise_of(p, is_laplace)
    eps = part * added.rate
    assume(eps < added.end)
    guide = noisy_vertices._Guide(unknown, lam, added, eps, unknown)
    part = data.draw(st.sampled_from(guide.parts()))
    vertices = noisy_vertices.NoisyRange(guide, part)
    first = data.draw(st.sampled_from(part.vertices))
    last = data.draw(st.integers(first, min(first + 20, part.vertices[-1])))
    with ctx.workprec(vertices._bits):
        bound, _ = vertices._log_bound_of_box(first, last)
        assert all(bound >= vertices._log_g_ball(m).lower() for m in range(first, last + 1))
        alone, _ = vertices._log_bound_of_box(first, first)
        assert vertices._log_g_ball(first).lower() <= alone <= vertices._log_g_ball(first) + 1e-9


@settings(max_examples=40)
@given(
    st.lists(st.floats(1e-6, 1 - 1e-6), max_size=5),
    st.floats(0.2, 30),
    st.floats(0, 0.99),
    st.tuples(st.integers(0, 6), st.floats(0, 1), st.floats(-1, 1)),
)
def test_what_events_between_outcomes_gain(probabilities, scale, part, event):
    """By the tails of Laplace noise, and by three means over the count, from another event."""
    (first, before, aside), eps = event, part / scale
    with ctx.workprec(oracles.PRECISION):
        rate, E = 1 / arb(scale), arb(eps).exp()
        law = oracles.count_law([Fraction(x) for x in probabilities])

        def tail(x):
            return 1 - (rate * x).exp() / 2 if x < 0 else (-rate * x).exp() / 2

        def mean(runs):
            return sum(
                oracles.ball(mass) * run.coefficient * (-run.rate * abs(j - first)).exp()
                for run in runs
                for j, mass in law.items()
                if (far := run.side * (j - first)) == run.first
                or (run.is_endless and far > run.first)
            )

        begin = first - arb(before)
        gain = sum(
            oracles.ball(mass) * (tail(begin - j) - E * tail(begin + 1 - j))
            for j, mass in law.items()
        )
        parts = noise_in_balls.alone(noise.Laplace(scale)).parts(arb(eps))
        constant, with_u, with_inverse = map(mean, parts)
        root = (-rate / 2).exp()
        bend = -root * with_u - with_inverse / root
        slope = root * with_u - with_inverse / root
        middle = constant - bend
        z = rate * (arb(0.5) - arb(before))
        near = z + arb(aside)  # another event, and what is left to the one that is meant
        value = middle + slope * near.sinh() - bend * (near.cosh() - 1)
        slope, bend = (
            slope * near.cosh() - bend * near.sinh(),
            bend * near.cosh() - slope * near.sinh(),
        )
        y = z - near
        assert gain.overlaps(value + slope * y.sinh() - bend * (y.cosh() - 1))
        assert float(gain.rad()) < 1e-60


@given(
    st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 5),
    st.lists(st.floats(0, 1), min_size=1),
)  # fmt: skip
def test_what_other_events_of_an_interval_add(slope, bend, lower, more, furthest, parts):
    """Of any slope and bend that are no worse than the ends."""
    steep, bent = slope - lower, bend + more
    least, most = (bend - slope) / 2, (bend + slope) / 2
    for ends in ((least, most), (least + 1e-3, most + 1.0)):
        balls = map(arb, (slope, bend, *ends, furthest))
        bound = float(noisy_vertices._added_one_way(*balls))
        for y in (part * furthest for part in parts):
            inside = (bent - steep) / 2 >= ends[0] and (bent + steep) / 2 <= ends[1]
            added = steep * math.sinh(y) - bent * (math.cosh(y) - 1)
            assert not inside or added <= bound + 1e-12 * math.cosh(y)


def test_best_events_are_not_taken_to_begin_where_they_do_not():
    guide = noisy_vertices._Guide(300, 0.2, noise.Geometric(0.5), 0.3, 300)
    part = max(guide.parts(), key=lambda part: len(part.vertices))
    vertices, m = noisy_vertices.NoisyRange(guide, part), part.vertices[5]
    with ctx.workprec(vertices._bits):
        for aside, holds in ((0.0, True), (-6.0, False), (6.0, False)):
            first = arb(vertices._start(m) + aside - 1.0)
            strip = vertices_in_balls.Strip(m, 1, first, 2, arb(0))
            assert vertices._holds_best_events(strip) == holds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "lam", "added", "eps", "tol"),
    [
        (1000, 0.05, noise.Geometric(0.5), 0.3, 1e-4),
        (10_000, 0.05, noise.Geometric(0.5), 0.1, 1e-4),
        (10**6, 0.3, noise.Geometric(0.99), 0.002, 1e-4),
        (10**9 - 1, 0.05, noise.Geometric(0.9999), 1e-5, 1e-4),
        (10**6, 0.3, noise.Laplace(100), 0.002, 1e-4),
        # All vertices are nearly as bad as each other, and floats give up.
        (514_299, 0.00727, noise.Geometric(0.00138), 0.0, 1e-6),
        (514_299, 0.00727, noise.Laplace(0.151845), 0.0, 1e-6),
        # Best events begin many standard deviations from the mean that bits tilted by ε have.
        (163_404, 0.000183, noise.Geometric(0.7973), 0.22652, 1e-6),
        # A vertex is as bad as its neighbour only if its lattice is.
        (93_616, 0.3626, noise.Geometric(0.3088), 1.1748, 1e-4),
        (93_616, 0.3626, noise.Laplace(0.851), 1.1748, 1e-4),
        # Hardly a bit is uncertain.
        (1193, 3.2e-5, noise.Geometric(2.6e-13), 20.46, 1e-6),
        # The best of the real outputs moves from the end of an interval into it.
        (43_383, 4.953e-5, noise.Laplace(2.6594), 0.11796, 1e-4),
    ],
)
def test_the_worst_of_many_with_noise_takes_few_vertices(n, lam, added, eps, tol, monkeypatch):
    looked_at = []

    class Counted(noisy_vertices.NoisyRange):
        def _log_g_ball(self, m):
            looked_at.append(m)
            return super()._log_g_ball(m)

        def _log_bound_of_box(self, low, high):
            looked_at.append((low, high))
            return super()._log_bound_of_box(low, high)

    monkeypatch.setattr(noisy_vertices, "NoisyRange", Counted)
    profile = noise.worst_case(n + 1, lam, noise=added, tol=tol)
    lower, upper = profile.certified().bounds(eps)
    assert upper - lower <= 1.01 * tol + 1e-13 * abs(upper)
    assert len(looked_at) < 700
    value = noise.worst_case(n + 1, lam, noise=added).log_delta(eps)
    assert lower <= value <= lower + 1.1e-4 + 1e-10 * abs(lower)


@pytest.mark.slow
@pytest.mark.parametrize("is_laplace", [False, True])
def test_a_search_with_noise_that_gives_up_still_proves_its_ends(is_laplace, monkeypatch):
    profile = noise.worst_case(3000, 0.4, noise=noise_of(0.5, is_laplace), tol=1e-6)
    sharp = profile.certified().bounds(1e-4)
    monkeypatch.setattr(noisy_vertices, "_BUDGET", 10)
    lower, upper = profile.certified().bounds(1e-4)
    assert lower <= sharp[1]
    assert sharp[0] <= upper <= math.log(1 / 3)


@pytest.mark.parametrize("inverse", [-0.5, -0.05])
def test_the_largest_sum_where_a_sign_is_in_doubt(inverse):
    constant, least = arb(1), arb(0.5)
    found = noise_in_balls._largest_sum(constant, arb(-0.1, 0.2), arb(inverse), least)
    assert found.rad() < 1
    for tenths in (-3, -2, -1, 0, 1):
        sums = [1 + tenths / 10 * u + inverse / u for u in (0.5 + i / 200 for i in range(101))]
        assert found.lower() <= max(sums) <= found.upper()


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(50, 200), st.floats(0.01, 0.2), RATIOS, PARTS, st.floats(1, 30))
def test_what_is_left_out_of_a_noisy_blanket_is_within_the_ball(unknown, lam, p, part, digits):
    eps = -part * math.log(p) * 0.999
    with ctx.workprec(300):
        ball = blankets._hockey_stick(unknown, lam, arb(eps), digits, noise.Geometric(p))
        truth = noise_oracles.log_blanket(unknown, lam, arb(p), eps, unknown).exp()
        assert not ball.is_finite() or ball.overlaps(truth)


@given(st.integers(2, 60), ANY_CHANCES, st.floats(0, 4), st.data())
def test_a_passive_attacker(n, p, eps, data):
    known = data.draw(st.integers(0, n - 1))
    threshold = data.draw(st.integers(0, n))
    profile = thresholding.passive(n, p, threshold=threshold, known=known)
    bounds = profile.certified().bounds(eps)
    if p in (0.0, 1.0):
        left = max(0, threshold - known if p else threshold)
        unknown = n - 1 - known
        count = [Fraction(p)] * unknown
        truth = largest_of(thresholded.log_both(count, min(left, unknown + 1), eps))
    else:
        truth = thresholded.log_delta_passive(n - 1 - known, known, p, threshold, eps)
    if truth == arb.neg_inf():
        assert bounds == NOTHING
        return
    assert holds(bounds, truth) or (bounds[1] == 0.0 and truth.contains(0))
    assert is_narrow(bounds)
    assert math.isclose(profile.log_delta(eps), bounds[1], rel_tol=1e-11, abs_tol=1e-11)


@given(st.integers(0, 12), st.integers(1, 12), st.data())
def test_terms_of_a_passive_mean_are_log_concave(unknown, known, data):
    """In exact rationals, and for different probabilities of known and unknown records."""
    p, q = (Fraction(data.draw(st.integers(1, 31)), 32) for _ in range(2))
    ratio = 1 + Fraction(data.draw(st.integers(0, 64)), 16)
    threshold = data.draw(st.integers(0, unknown + known + 1))
    chances = oracles.count_law([q] * known)
    for side in (0, 1):
        terms = [
            chances[b] * thresholded.both_at_vertex(p, unknown, threshold - b, ratio)[side]
            for b in range(known + 1)
        ]
        for before, term, after in zip(terms, terms[1:], terms[2:], strict=False):
            assert term * term >= before * after


@settings(max_examples=40)
@given(SIZES, CHANCES, st.floats(-3, 6), st.floats(0, 5), st.floats(0, 1), st.floats(1, 30))
def test_what_is_left_out_of_a_mean_is_within_the_ball(size, p, in_deviations, eps, part, digits):
    """Asked for few digits a sum leaves out much, at either end; its ball has to be as wide."""
    known = round(part * size)
    deviation = math.sqrt(size * p * (1 - p))
    threshold = min(max(round(size * p + in_deviations * deviation), 0), size + 1)
    eps /= 1 + deviation
    balls = []
    with ctx.workprec(300):
        for side in (1, -1):
            mean = passive._Mean(size - known, known, p, threshold, eps, side)
            balls.append(mean.ball(digits))
        truth = thresholded.log_delta_passive(size - known, known, p, threshold, eps)
        assert not all(ball.is_finite() for ball in balls) or largest_of(balls).overlaps(
            truth.exp() if truth > arb.neg_inf() else arb(-1)
        )


@given(st.lists(st.integers(1, 31), min_size=1, max_size=7), st.integers(0, 40), st.data())
def test_what_one_symbol_gains_is_a_difference_of_events(parts, above_one, data):
    """In exact rationals."""
    bits, ratio = [Fraction(i, 32) for i in parts], 1 + Fraction(above_one, 16)
    low = data.draw(st.integers(0, len(bits)))
    top = data.draw(st.integers(low, len(bits)))
    masses = oracles.count_law(bits)

    def at_least(a):
        return sum((mass for k, mass in masses.items() if k >= a), Fraction(0))

    def excess(a):
        return at_least(a) - ratio * at_least(a + 1)

    given_back = ratio * (1 - at_least(low + 1)) - (1 - at_least(low))
    gains = [excess(a) - taken for a in range(low, top + 1) for taken in (excess(top), given_back)]
    laws = thresholded.released_laws(
        bits, 0, 0, lambda count, _: None if count <= low or count > top else count
    )
    assert oracles.hockey_stick(*laws, ratio) == max(0, *gains)


@given(st.integers(1, 31), st.integers(0, 64), st.integers(0, 12), st.data())
def test_a_range_of_numbers_of_records_is_bounded_by_its_ends(part, above_one, known, data):
    """In exact rationals, and for a B of another probability."""
    p, q = Fraction(part, 32), Fraction(data.draw(st.integers(0, 32)), 32)
    ratio = 1 + Fraction(above_one, 16)
    high = data.draw(st.integers(1, 12))
    low = data.draw(st.integers(0, high))
    threshold = data.draw(st.integers(0, high + known + 1))
    chances = oracles.count_law([q] * known)
    for side in (0, 1):

        def best(m, t, side=side):
            return thresholded.both_at_vertex(p, m, t, ratio)[side]

        border = max(t for t in range(high + 1) if best(high, t) == best(high, 0))
        bound = sum(
            chance * (best(high, t) if (t := threshold - b) > border else best(low, 0))
            for b, chance in chances.items()
        )
        for m in range(low, high + 1):
            mean = sum(c * best(m, max(threshold - b, 0)) for b, c in chances.items())
            assert mean <= bound


@given(st.lists(ANY_CHANCES, min_size=1, max_size=7), EPSILONS, st.data())
def test_both_extremes_behind_one_symbol(probabilities, eps, data):
    """Sure and impossible records among them."""
    threshold = data.draw(st.integers(0, len(probabilities) // 2))
    profile = thresholding.two_sided(probabilities, threshold=threshold, symbols=1)
    with ctx.workprec(oracles.PRECISION):
        release = thresholded.release_between(threshold, 1)
        truth = thresholded.log_delta_of_release(probabilities, release, eps)
    bounds = profile.certified().bounds(eps)
    if truth == arb.neg_inf():
        assert bounds[0] == -math.inf
        assert bounds[1] < -1000
    else:
        assert holds(bounds, truth) or (bounds[1] == 0.0 and truth.contains(0))
        assert is_narrow(bounds)


@pytest.mark.parametrize(
    ("probabilities", "threshold"),
    [([0.5] * 4, 2), ([0.5] * 5, 2), ([0.25, 0.75, 0.5], 1), ([1.0] * 6, 1), ([0.0] * 6, 3)],
)
def test_one_symbol_may_tell_nothing(probabilities, threshold):
    profile = thresholding.two_sided(probabilities, threshold=threshold, symbols=1).certified()
    assert profile.bounds(0.0) == profile.bounds(0.5) == NOTHING


def test_one_symbol_that_only_seems_to_tell_nothing():
    # Two masses are equal, of bits that are not as many 1s as 0s: all digits asked for agree.
    lower, upper = (
        thresholding.two_sided([1, 1, 0.25, 0.25, 0.25], threshold=2, symbols=1)
        .certified()
        .bounds(0)
    )
    assert lower == -math.inf < upper < -1000
    # … and where they differ in the last of a float.
    nearly = (
        thresholding.two_sided([0.5] * 4 + [0.5 + 2**-53], threshold=2, symbols=1)
        .certified()
        .bounds(0)
    )
    assert holds(nearly, log_of(Fraction(1, 2**55)))


def test_one_symbol_beyond_all_losses():
    # The second law never shows a 4, which is not hidden; but then ⊥ is all of the first law's 5.
    shown = thresholding.two_sided([0.0] * 2 + [0.25] * 3, threshold=1, symbols=1).certified()
    assert holds(shown.bounds(math.inf), log_of(Fraction(1, 4) ** 3))
    assert shown.bounds(math.inf) == shown.bounds(9000.0)
    # Of two sure records and one that is 1 with a chance of ¼ ⊥ is no count of the second law.
    hidden = thresholding.two_sided([1.0, 0.25], threshold=0, symbols=1).certified()
    assert holds(hidden.bounds(math.inf), log_of(Fraction(3, 4)))
    # ⊥ may have a finite loss beyond those of a count: here a chance of nearly 1 against 1e-160.
    many = thresholding.two_sided(
        [0.0] * 2 + [1.0 - 2**-53] * 16, threshold=2, symbols=1
    ).certified()
    assert many.bounds(400.0)[0] > -1e-14
    assert many.bounds(600.0)[1] == -math.inf


@settings(max_examples=40)
@given(st.integers(0, 9), st.integers(0, 9), ANY_CHANCES, EPSILONS, st.data())
def test_the_worst_of_what_a_passive_attacker_sees(unknown, known, p, eps, data):
    n = unknown + known + 1
    threshold = data.draw(st.integers(0, n))
    if n == 1:
        return
    profile = thresholding.passive_worst_case(n, p, threshold=threshold, known=known)
    bounds = profile.certified().bounds(eps)
    if p in (0.0, 1.0):
        assert bounds == ((0.0, 0.0) if threshold <= p * (n - 1) else NOTHING)
        return
    truth = largest_of(thresholded.log_worst_passive(unknown, known, p, threshold, eps))
    if truth == arb.neg_inf():
        assert bounds[1] == -math.inf
        return
    assert holds(bounds, truth) or (bounds[1] == 0.0 and truth.contains(0))
    assert bounds[1] - bounds[0] <= 1.01e-8 + 1e-14 * abs(bounds[1])


@settings(max_examples=25)
@given(st.integers(2, 60), st.integers(0, 60), CHANCES, st.floats(0, 3), st.floats(0, 1), st.data())
def test_no_number_of_records_is_above_the_bound_of_its_range(unknown, known, p, eps, part, data):
    threshold = round(part * (unknown + known + 1))
    low = data.draw(st.integers(0, unknown - 2))
    high = data.draw(st.integers(low + 2, unknown))
    inside = {low + 1, (low + high) // 2, high - 1}
    least = data.draw(st.sampled_from([-math.inf, math.inf]))  # the finer bound, or the simple one
    with ctx.workprec(300):
        search = passive._Search(unknown, known, p, threshold, eps)
        for side in (1, -1):
            bound = search._log_bound(side, low, high, least)
            means = [passive._Mean(m, known, p, threshold, eps, side) for m in inside]
            for ball in (mean.ball(60.0) for mean in means):
                assert not ball > 0 or ball.log() <= bound + 1e-15


@pytest.mark.parametrize(
    ("n", "p", "threshold", "known", "eps", "most"),
    [
        (2818, 4.5e-5, 1, 1776, 0.0012, 30),
        (20_000, 0.17, 3500, 10_000, 0.05, 40),
        pytest.param(10**6, 0.001, 1010, 1000, 0.3, 250, marks=pytest.mark.slow),
    ],
)
def test_the_worst_of_many_takes_few_numbers_of_records(
    n, p, threshold, known, eps, most, monkeypatch
):
    asked = []

    class Counted(passive._Mean):
        def sums(self, digits, border):
            asked.append(border)
            return super().sums(digits, border)

    monkeypatch.setattr(passive, "_Mean", Counted)
    profile = thresholding.passive_worst_case(n, p, threshold=threshold, known=known)
    lower, upper = profile.certified().bounds(eps)
    assert len(asked) < most
    assert upper - lower <= 1e-8
    assert lower <= profile.log_delta(eps) <= upper + 1.1e-8


@pytest.mark.slow
def test_a_flat_top_with_ripples_is_searched_by_the_finer_bound():
    profile = thresholding.passive_worst_case(30_000, 0.5, threshold=15_200, known=20_000)
    lower, upper = profile.certified().bounds(4.6)
    assert upper - lower <= 1e-8
    assert lower <= profile.log_delta(4.6) <= upper + 1e-8


def test_a_search_of_the_worst_that_gives_up_still_proves_its_ends(monkeypatch):
    profile = thresholding.passive_worst_case(3140, 0.06, threshold=174, known=638).certified()
    sharp = profile.bounds(0.01)
    monkeypatch.setattr(passive, "_BUDGET", 4)
    lower, upper = profile.bounds(0.01)
    assert lower <= sharp[0] <= sharp[1] < upper < 0.0


def test_the_search_for_a_wrong_value_finds_one():
    """Of the kinds that are asked for: a bound below the truth, and a float that is further off."""
    assert {answer.kind for answer in certified.search(3, 3, ["counts"])} == {"counts"}
    question = certified.of_counts(random.Random(3))
    truth = question.truth + 1e-9 * abs(question.truth)
    with pytest.raises(AssertionError):
        certified.checked(question._replace(truth=truth), "counts")
    profile = question.profile
    off = dataclasses.replace(profile, release=Raised(profile.release, 1e-8))
    with pytest.raises(AssertionError):
        certified.checked(question._replace(profile=off), "counts")


@dataclasses.dataclass(frozen=True)
class Raised(Release):
    """What floats return is too much; what is proved stays."""

    release: Release
    by: float

    def log_delta(self, eps):
        value = self.release.log_delta(eps)
        return value + self.by * max(1.0, -value)

    is_certifiable = True

    def enclose(self, eps):
        return self.release.enclose(eps)


@pytest.mark.slow
def test_a_steep_curve_is_right_for_an_epsilon_nearby():
    """Its float is that of an ε smaller by 1e-14, next to where the noise lets δ be 0."""
    profile, eps = noise.blanket(10**6, 1e-3, noise=noise.Laplace(100)), 0.0099
    lower, upper = profile.certified().bounds(eps)
    value = profile.log_delta(eps)
    assert value > upper + profile.error * max(1.0, -upper)
    assert certified._is_right_nearby(profile, eps, value)
    assert not certified._is_right_nearby(profile, eps, value + 1e-6)
    near = profile.bounds(eps)
    assert near[0] <= lower <= upper <= near[1]
