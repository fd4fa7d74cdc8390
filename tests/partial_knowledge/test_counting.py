"""Counting queries, against exact rationals, ball arithmetic and the definitions."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting, noise, published
from pkdp.figures.partial_knowledge import plebiscite
from tests.oracles import counts as oracles

RTOL = 1e-12

epsilons = st.one_of(
    st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.5, math.log(2), 1.0, 5.0, 30.0]),
    st.floats(0, 40, allow_subnormal=False),
)
chances = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.25, 1e-9, 1 - 1e-9]),
    st.integers(0, 16).map(lambda i: i / 16),
    st.floats(0, 1, allow_subnormal=False),
)
lams = st.one_of(
    st.sampled_from([0.5, 0.25, 0.05, 1e-3, 1e-9]), st.floats(1e-9, 0.5, allow_subnormal=False)
)


def agrees(value, truth, rtol=RTOL):
    """Whether a float is within rtol * max(1, |truth|) of a ball (or a float)."""
    truth = float(truth)
    return abs(float(value) - truth) <= rtol * max(1.0, abs(truth))


# --------------------------------------------------------------------------------------------
# exact
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize(
    "probabilities", [(), (0.5,), (0.25, 0.75), (0.0, 0.125, 1.0), (0.25, 0.5, 0.75)]
)
def test_exact_agrees_with_the_definition_read_over_whole_databases(probabilities, eps):
    # The target's own probability does not matter; E is rational and eps its logarithm, rounded.
    E = Fraction(math.exp(eps))
    delta = oracles.active_delta([Fraction(1, 3), *map(Fraction, probabilities)], 0, [], E)
    assert counting.exact(probabilities).delta(eps) == pytest.approx(float(delta), rel=1e-13)


ZERO_TO_FIVE_AND_FAR = [0.0, 1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0]


@pytest.mark.slow
@pytest.mark.parametrize("N", [20, 200, 2000])
@pytest.mark.parametrize("kind", ["anything", "rare", "mixed"])
def test_exact_with_arbitrary_probabilities_agrees_with_ball_arithmetic(N, kind):
    random = np.random.default_rng(N)
    probabilities = {
        "anything": random.random(N),
        "rare": random.random(N) ** 6 / 100,
        "mixed": np.where(random.random(N) < 0.5, 10 ** -random.uniform(0, 9, N), 1 / 3),
    }[kind]
    profile = counting.exact(probabilities)
    for eps in ZERO_TO_FIVE_AND_FAR:
        assert agrees(profile.log_delta(eps), oracles.log_delta_any(probabilities.tolist(), eps))


@given(st.lists(chances, min_size=1, max_size=7), epsilons)
def test_records_known_for_sure_do_not_help(probabilities, eps):
    assert counting.exact([*probabilities, 0.0, 1.0]).log_delta(eps) == pytest.approx(
        counting.exact(probabilities).log_delta(eps), rel=1e-11, abs=1e-11
    )


@pytest.mark.parametrize("eps", [0.0, 1.0, 50.0])
def test_without_unknown_records_nothing_is_hidden(eps):
    assert counting.exact([]).delta(eps) == 1.0
    assert counting.exact([0.0, 1.0, 1.0]).delta(eps) == 1.0
    for bound in (counting.worst_case, counting.blanket, counting.tail, counting.closed_form):
        assert bound(12, 0.3, known=11).delta(eps) == 1.0
        assert bound(12, 0.3, known=11).epsilon(0.999) == math.inf
        assert bound(12, 0.3, known=11).epsilon(1.0) == 0.0


# --------------------------------------------------------------------------------------------
# worst_case
# --------------------------------------------------------------------------------------------


@given(st.integers(1, 10), lams, epsilons)
def test_worst_case_is_the_largest_vertex_in_exact_rationals(N, lam, eps):
    vertices = [
        oracles.log_hockey_stick(oracles.shifted(law), law, eps)
        for law in (oracles.count_law(oracles.vertex(N, Fraction(lam), m)) for m in range(N + 1))
    ]
    truth = max(map(float, vertices))
    profile = counting.worst_case(N + 1, lam)
    assert agrees(profile.log_delta(eps), truth, rtol=2e-8)
    assert profile.log_delta(eps) >= truth - RTOL * max(1, abs(truth))
    assert profile.gap <= 1e-8


@pytest.mark.parametrize("N", range(2, 13, 2))
@pytest.mark.parametrize("lam", [Fraction(part, 40) for part in (1, 3, 8, 13, 19)])
def test_without_eps_the_middle_vertex_is_the_worst(N, lam):
    deltas = [oracles.vertex_delta(N, lam, m, 1) for m in range(N + 1)]
    middle = deltas.pop(N // 2)
    assert middle == oracles.count_law(oracles.vertex(N, lam, N // 2))[N // 2] > max(deltas)


@pytest.mark.parametrize(
    ("N", "lam", "E", "turn", "worst", "delta"),
    [
        (6, Fraction(1, 5), Fraction(1), Fraction(5, 2), 3, Fraction(1309, 3125)),
        (8, Fraction(1, 3), Fraction(21, 20), Fraction(1891, 630), 4, Fraction(1805, 6561)),
    ],
)
def test_the_worst_vertex_may_lie_beyond_the_first_turn(N, lam, E, turn, worst, delta):
    a, b = (p * E / (1 - p + p * E) for p in (lam, 1 - lam))
    assert 1 / min(b - a, 1 - b + a) == turn < worst
    # The other direction of a vertex is that of N - m: worst is the middle, and the same in both.
    deltas = [oracles.vertex_delta(N, lam, m, E) for m in range(N + 1)]
    assert deltas.pop(worst) == delta > max(deltas)
    assert worst == N - worst


@pytest.mark.parametrize("n", [2, 7, 500, 2000])
@pytest.mark.parametrize("lam", [0.03, 0.1, 0.37])
def test_of_equally_bad_vertices_the_first_is_returned(n, lam):
    added = noise.Geometric(0.5)
    for found in (counting.worst_vertex(n, lam, eps=0.0),
                  noise.worst_vertex(n, lam, noise=added, eps=0.0)):  # fmt: skip
        assert found.m <= (n - 1) / 2
    one, other = counting.log_delta_vertex(n, lam, m=[found.m, n - 1 - found.m], eps=0.0)
    assert one == pytest.approx(other, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.0, 0.01, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("lam", [Fraction(1, 100), Fraction(1, 8), Fraction(2, 5)])
@pytest.mark.parametrize(("N", "steps"), [(1, 40), (2, 20), (3, 8), (4, 4), (5, 3)])
def test_worst_case_is_never_below_a_grid_of_probabilities(N, steps, lam, eps):
    E = Fraction(math.exp(eps))
    grid = oracles.worst_delta_on_grid(N, lam, E, steps)
    assert grid == oracles.worst_delta(N, lam, E)  # the grid holds the vertices, and nothing worse
    assert counting.worst_case(N + 1, float(lam)).delta(eps) >= float(grid) * (1 - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "lam", "eps"),
    [(n, lam, eps) for n in (2, 3, 11, 150, 600, 602, 2000) for lam in (0.01, 0.1, 0.3, 0.5)
     for eps in (0.0, 0.003, 0.1, 1.0, 6.0)]
    + [(10**4, 0.05, 0.1), (10**4, 0.3, 0.0), (10**4, 0.02, 0.02), (10**4, 0.2, 1.5),
       (10**4, 1e-3, 0.3), (10**4, 0.45, 1e-6)],
)  # fmt: skip
def test_worst_vertex_is_the_maximum_over_all_vertices(n, lam, eps):
    every = oracles.log_deltas_by_recurrence(n - 1, lam, eps)
    found = counting.worst_vertex(n, lam, eps=eps)
    slack = 1e-11 * max(1, abs(every.max()))
    assert found.log_lower - slack <= every.max() <= found.log_upper + slack
    assert every[found.m] == pytest.approx(found.log_lower, abs=slack)
    assert 0 <= found.log_upper - found.log_lower <= 1.01e-8 + 1e-15 * abs(found.log_lower)


@pytest.mark.parametrize(
    ("n", "lam"),
    [
        (2, 0.1),
        (8, 0.3),
        (100, 1e-9),
        (1000, 0.05),
        (10**4, 0.25),
        pytest.param(10**7, 0.01, marks=pytest.mark.slow),
    ],
)
def test_a_single_vertex_agrees_with_direct_convolution(n, lam):
    for m, eps in product((0, 1, n // 3, n // 2, n - 1), (0.0, 1e-6, 0.01, 1.0, 12.0)):
        truth = oracles.log_delta_at_vertex(n - 1, lam, m, eps)
        assert agrees(counting.log_delta_vertex(n, lam, m=m, eps=eps), truth)


def test_vertices_come_as_arrays():
    m = np.arange(20)
    values = counting.log_delta_vertex(20, 0.2, m=m, eps=0.4)
    assert values.shape == m.shape
    assert [
        float(counting.log_delta_vertex(20, 0.2, m=int(i), eps=0.4)) for i in m
    ] == pytest.approx(values.tolist(), rel=1e-13)


@pytest.mark.parametrize("n", [50, 3000, 10**6])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
def test_the_interval_of_the_maximum_is_as_narrow_as_asked(n, tol):
    for eps in (0.0, 0.01, 0.3):
        found = counting.worst_vertex(n, 0.1, eps=eps, tol=tol)
        assert 0 <= found.log_upper - found.log_lower <= 1.01 * tol
        sharp = counting.worst_vertex(n, 0.1, eps=eps, tol=1e-10)
        assert found.log_lower <= sharp.log_upper + 1e-12
        assert found.log_upper >= sharp.log_lower - 1e-12
    assert counting.worst_case(n, 0.1, tol=tol).gap <= tol


# --------------------------------------------------------------------------------------------
# blanket, tail, closed_form
# --------------------------------------------------------------------------------------------


@given(st.integers(1, 12), lams, epsilons)
def test_blanket_agrees_with_exact_rationals(N, lam, eps):
    law = oracles.trinomial(N, Fraction(lam))
    ahead = {(x + 1, y): mass for (x, y), mass in law.items()}
    behind = {(x, y + 1): mass for (x, y), mass in law.items()}
    truth = oracles.log_hockey_stick(ahead, behind, eps)
    value = counting.blanket(N + 1, lam).log_delta(eps)
    assert agrees(value, truth)
    assert value >= float(truth)  # a bound is never below the truth


@given(st.integers(2, 3000), lams, epsilons, st.integers(0, 3))
def test_the_bounds_come_in_order(n, lam, eps, known):
    known = min(known, n - 1)
    worst = counting.worst_case(n, lam, known=known)
    blanket = counting.blanket(n, lam, known=known)
    tail = counting.tail(n, lam, known=known)
    logs = [p.log_delta(eps) for p in (worst, blanket, tail)]
    slack = 1e-11 * max(1, abs(logs[1]))
    assert logs[0] <= logs[1] + worst.gap + slack
    assert logs[1] <= logs[2] + slack
    assert logs[2] <= 0


@given(st.integers(2, 10**6), lams, st.floats(0, 3))
def test_closed_form_is_never_below_the_blanket(n, lam, eps):
    blanket = counting.blanket(n, lam).log_delta(eps)
    assert published.theorem_3_closed_form(n, lam).log_delta(eps) >= blanket - 1e-11 * max(
        1, abs(blanket)
    )


@pytest.mark.parametrize(("n", "lam"), [(1000, 0.05), (10**4, 0.3), (10**6, 0.001)])
def test_closed_form_says_nothing_below_its_domain_and_stands_still_above(n, lam):
    strength = lam * (n - 1)
    edge = 27 / strength
    profile = published.theorem_3_closed_form(n, lam)
    assert profile.delta(0.0) == 1.0
    assert profile.delta(edge * (1 - 1e-9)) == 1.0
    for eps in (edge * (1 + 1e-9), (1 + edge) / 2, 1.0):
        assert profile.log_delta(eps) == pytest.approx(-(eps**2) * strength / 14, rel=1e-12)
    for eps in (1.0, 1.5, 30.0, math.inf):
        assert profile.log_delta(eps) == pytest.approx(-strength / 14, rel=1e-12)
    # the least eps: the square root, never less than the edge, and none where nothing is said
    delta = math.exp(-strength / 14 / 4)
    assert profile.epsilon(delta) == pytest.approx(max(edge, 0.5), rel=1e-9)
    assert profile.epsilon(log_delta=-strength / 14 * 1.001) == math.inf
    assert profile.epsilon(0.9999) == pytest.approx(edge, rel=1e-6)


def test_closed_form_of_few_records_says_nothing():
    profile = published.theorem_3_closed_form(500, 0.05)  # 27 / (lam N) > 1
    assert profile.delta(np.array([0.0, 0.5, 1.0, 5.0, math.inf])).tolist() == [1.0] * 5
    assert profile.epsilon(0.5) == math.inf
    assert profile.epsilon(1.0) == 0.0


def test_the_constants_of_the_closed_form_meet_the_condition_of_its_proof():
    # 1/14 <= c(1), c(eps) = 2 (1 - (1 + E)/2 exp(-eps E/(1 + E))), and c(eps)/eps^2 falls.
    def c(eps):
        E = oracles.ball(eps).exp()
        return 2 * (1 - (1 + E) / 2 * (-eps * E / (1 + E)).exp())

    assert oracles.ball(1 / 14) < c(1.0)
    strengths = [c(i / 50) / (i / 50) ** 2 for i in range(1, 51)]
    assert all(after < before for before, after in pairwise(strengths))


def test_the_closed_form_is_not_a_bound_where_the_paper_does_not_state_it():
    # Drawn on beyond eps = 1 (as Figures 2 and 5 do), exp(-eps^2 lam N / 14) drops below the truth.
    n, lam, eps = 1000, 0.05, 8.0
    drawn = -(eps**2) * lam * (n - 1) / 14
    assert drawn < counting.worst_case(n, lam).log_delta(eps) - 1


# --------------------------------------------------------------------------------------------
# All of the bounds
# --------------------------------------------------------------------------------------------

BOUNDS = [counting.worst_case, counting.blanket, counting.tail, counting.closed_form]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("lam", [0.003, 0.2, 0.5])
def test_knowing_m_of_n_records_is_having_m_fewer(bound, lam):
    for n, known in ((2, 0), (10, 4), (1000, 999), (10**6, 990_000)):
        if n - known < 2:
            continue
        for eps in (0.0, 0.1, 1.0):
            whole, fewer = bound(n, lam, known=known), bound(n - known, lam)
            assert whole.log_delta(eps) == fewer.log_delta(eps)


def test_the_referendum_of_the_introduction():
    """Ten million votes, 99 % of the others known, and nobody predicted at better than nine to one.

    What she may learn at δ = 1e-10: the odds of any vote grow by less than 6 %.
    """
    n = 10_000_001
    known = math.floor(0.99 * (n - 1))
    assert n - 1 - known == 100_000
    eps = counting.worst_case(n, 0.1, known=known).epsilon(1e-10)
    assert 0.05 < eps < math.log(1.06)
    # Whatever the unknown votes are, as long as they are uncertain: a few crowds, exactly.
    random = np.random.default_rng(4)
    for crowd in (np.full(1000, 0.1), random.uniform(0.1, 0.9, 1000), [0.1] * 300 + [0.9] * 700):
        whole = np.repeat(crowd, 100)
        assert counting.exact(whole).epsilon(1e-10) <= eps
    # Even one vote in a hundred that is uncertain to one in a hundred is enough.
    assert counting.worst_case(n, 0.01, known=known).epsilon(1e-10) < 0.2


def test_users_have_no_equal_chance_of_a_yes():
    """A poll before a plebiscite: shares of Yes foretold from other rows, and the answers."""
    found = plebiscite.attacker(plebiscite.PREDICTORS).calibration()
    assert found.predicted[0] < 0.02 < 0.9 < found.predicted[-1]
    assert found.observed[0] < 0.02 < 0.85 < found.observed[-1]
    # So far apart are tenths of equal chances, by luck alone, never.
    share = found.observed[0] * found.sizes[0] + found.observed[-1] * found.sizes[-1]
    share /= found.sizes[0] + found.sizes[-1]
    spread = math.sqrt(share * (1 - share) * (1 / found.sizes[0] + 1 / found.sizes[-1]))
    assert found.observed[-1] - found.observed[0] > 10 * spread


def test_a_tally_is_no_breach_because_votes_are_unknown():
    """The fewer votes are known, the smaller ε; if all are known, no ε is enough."""
    n, delta = 100_001, 1e-9
    known = [0, 50_000, 90_000, 99_000, 99_900]
    by_known = [counting.worst_case(n, 0.1, known=k).epsilon(delta) for k in known]
    assert by_known == sorted(by_known)
    assert by_known[0] < 0.06 < 0.6 < by_known[-2] < by_known[-1] == math.inf
    assert counting.worst_case(n, 0.1, known=n - 1).epsilon(0.999) == math.inf
    # It is the uncertainty about votes that counts, too: nothing is hidden by sure ones.
    assert counting.worst_case(n, 1e-6).epsilon(delta) == math.inf


def test_the_tail_can_grow_with_lam():
    # With two others and 1 < E <= 2 it is (1 - lam)^2 + 2 lam^2.
    tails = [counting.tail(3, lam).delta(math.log(1.5)) for lam in (0.4, 0.5)]
    assert tails == pytest.approx([0.68, 0.75], rel=1e-11)


@pytest.mark.parametrize("bound", [counting.worst_case, counting.blanket, counting.tail])
@pytest.mark.parametrize(("n", "delta"), [(100, 1e-4), (1000, 1e-6), (10, 0.05)])
def test_below_the_feasible_lam_no_eps_is_enough(bound, n, delta):
    # Everybody else may answer alike, with probability (1 - lam)^N.
    least = 1 - delta ** (1 / (n - 1))
    assert bound(n, least * (1 - 1e-6)).epsilon(delta) == math.inf
    assert 0 < bound(n, least * (1 + 1e-6)).epsilon(delta) < math.inf


@pytest.mark.parametrize("bound", [counting.worst_case, counting.blanket, counting.tail])
@pytest.mark.parametrize(("n", "lam"), [(2, 0.5), (300, 0.1), (10**7, 0.5), (10**9, 1e-3)])
def test_with_no_limit_on_eps_only_a_unanimous_answer_betrays(bound, n, lam):
    expected = (n - 1) * math.log1p(-lam)
    assert bound(n, lam).log_delta(math.inf) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bound", [counting.worst_case, counting.blanket, counting.tail])
@pytest.mark.parametrize("eps", [1e3, 1e5, 1e16, 1e300])
def test_a_huge_eps_is_as_good_as_an_infinite_one(bound, eps):
    for n, lam in ((2, 0.5), (1000, 0.05), (10**6, 1e-9)):
        expected = bound(n, lam).log_delta(math.inf)
        assert bound(n, lam).log_delta(eps) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("N", [1, 2, 5, 64, 65, 300])
@pytest.mark.parametrize("p", [1e-3, 0.3, math.nextafter(0.5, 0), 0.9])
def test_exact_agrees_with_ball_arithmetic_at_large_eps(N, p):
    # Where delta is near 1, what the laws have in common lies far from where the excess begins.
    profile = counting.exact([p], multiplicities=[N])
    for eps in (20.0, 60.0, 80.0, 150.0, 400.0, 700.0, 720.0, 740.0, 745.0, 746.0, 750.0, 800.0):
        assert agrees(profile.log_delta(eps), oracles.log_delta_binomial(N, p, eps))


@pytest.mark.parametrize("n", [10**8, 10**10])
def test_the_worst_case_of_ten_billion_records_is_found(n):
    for lam, eps in ((0.01, 20.0), (0.3, 1e-4), (1e-9, 0.5)):
        worst = counting.worst_vertex(n, lam, eps=eps)
        assert worst.log_lower <= worst.log_upper <= worst.log_lower + 1e-8 + 1e-15 * n
        truth = oracles.log_delta_at_vertex(n - 1, lam, worst.m, eps) if n * lam < 1e4 else None
        assert truth is None or agrees(worst.log_lower, truth)


@pytest.mark.parametrize("eps", [1e3, 1e5, 1e16, 1e300, math.inf])
def test_a_huge_eps_leaves_only_the_unanimous_answers(eps):
    for probabilities in ([0.3] * 5, np.linspace(0.1, 0.9, 1000), [1e-300, 0.5]):
        p = np.asarray(probabilities)
        expected = max(np.log(p).sum(), np.log1p(-p).sum())
        assert counting.exact(p).log_delta(eps) == pytest.approx(expected, rel=1e-12)


# --------------------------------------------------------------------------------------------
# Facts the derivations use, in exact rationals
# --------------------------------------------------------------------------------------------

sixteenths = st.integers(0, 16).map(lambda i: Fraction(i, 16))
ratios = st.integers(8, 40).map(lambda i: Fraction(i, 8))
small_lams = st.integers(1, 8).map(lambda i: Fraction(i, 16))


@given(st.lists(sixteenths, max_size=5), sixteenths, sixteenths, ratios)
def test_delta_is_convex_in_each_probability(others, left, right, E):
    ends = [oracles.count_delta([*others, p], E) for p in (left, right)]
    assert oracles.count_delta([*others, (left + right) / 2], E) <= sum(ends) / 2


@given(st.lists(sixteenths, min_size=2, max_size=5), st.integers(0, 4), ratios)
def test_it_does_not_matter_whether_the_attacker_picks_or_sees(probabilities, size, E):
    target, known = 0, list(range(1, len(probabilities)))[:size]
    probabilities = [Fraction(1, 2), *probabilities[1:]]
    active = oracles.active_delta(probabilities, target, known, E)
    assert active == oracles.passive_delta(probabilities, target, known, E)
    # ... and the known records may as well be absent
    unknown = [p for j, p in enumerate(probabilities) if j not in {target, *known}]
    assert active == oracles.count_delta(unknown, E)
    delta = counting.exact([float(p) for p in unknown]).delta(math.log(E))
    assert delta == pytest.approx(float(active), rel=1e-12)


@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_known_records_leave_the_worst_case_of_the_others(known):
    n, lam, E = 4, Fraction(1, 4), Fraction(3, 2)
    attained = max(
        oracles.active_delta([Fraction(1, 2), *others], 0, range(1, known + 1), E)
        for others in product([lam, 1 - lam], repeat=n - 1)
    )
    worst = counting.worst_case(n, float(lam), known=known).delta(math.log(E))
    assert worst == pytest.approx(float(attained), rel=2e-8)


@given(st.integers(1, 8).map(lambda i: Fraction(i, 17)), st.fractions(0, 1))
def test_a_bit_is_a_fair_coin_with_chance_two_lam(lam, position):
    p = lam + (1 - 2 * lam) * position  # anywhere in [lam, 1 - lam]
    input_ = (p - lam) / (1 - 2 * lam)
    assert 0 <= input_ <= 1
    assert 2 * lam * Fraction(1, 2) + (1 - 2 * lam) * input_ == p


@given(st.integers(1, 4), st.data(), ratios)
def test_no_histogram_exceeds_the_blanket(N, data, E):
    lam = Fraction(1, 8)
    records = []
    for _ in range(N):
        first = data.draw(st.integers(2, 12))
        second = data.draw(st.integers(2, 14 - first))
        records.append(
            [Fraction(first, 16), Fraction(second, 16), Fraction(16 - first - second, 16)]
        )
    assert oracles.histogram_delta(records, 0, 1, E) <= oracles.blanket_delta(N, lam, E)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
@pytest.mark.parametrize("lam", [0.05, 0.3])
def test_the_earlier_rates_follow_from_the_closed_form(n, lam):
    # eps = O(sqrt(ln(1/delta) / n)) at a fixed delta, and O(sqrt(ln(n) / n)) at delta = 1/sqrt(n).
    for delta in (1e-10, 1 / math.sqrt(n)):
        rate = math.sqrt(14 * math.log(1 / delta) / (lam * (n - 1)))
        least = 27 / (lam * (n - 1))
        assert published.theorem_3_closed_form(n, lam).epsilon(delta) == pytest.approx(
            max(rate, least)
        )
        assert counting.worst_case(n, lam).epsilon(delta) < rate


# --------------------------------------------------------------------------------------------
# What the proof of Theorem 3 takes for granted
# --------------------------------------------------------------------------------------------


@given(st.lists(sixteenths, max_size=5), st.integers(1, 64).map(lambda i: Fraction(i, 128)), ratios)
def test_a_record_nearly_known_hardly_helps(others, p, E):
    known = oracles.count_delta(others, E)
    for nearly in (p, 1 - p):
        delta = oracles.count_delta([*others, nearly], E)
        assert known - (1 + E) * p <= delta <= known


@given(st.lists(sixteenths, min_size=1, max_size=4), ratios)
def test_a_shuffle_leaves_the_count_and_no_more(others, E):
    def shuffled(target):
        law = Counter()
        for bits, mass in oracles.database_law(others).items():
            orders = list(permutations((target, *bits)))
            for order in orders:
                law[order] += mass / len(orders)
        return law

    one, zero = shuffled(1), shuffled(0)
    counts = oracles.count_law(others)
    for k, mass in counts.items():
        assert sum(m for bits, m in zero.items() if sum(bits) == k) == mass
    # Whoever sees the shuffled records knows no more than whoever sees their sum.
    delta = max(oracles.hockey_stick(one, zero, E), oracles.hockey_stick(zero, one, E))
    assert delta == oracles.count_delta(others, E)


@given(st.lists(sixteenths, max_size=3), small_lams.filter(lambda lam: lam < Fraction(1, 2)))
def test_the_target_tosses_no_coin(inputs, lam):
    # nu gives record i as 1 with probability `inputs[i]`; then each is replaced, with chance 2 lam,
    # by a fair coin. To fix the target before that is not to fix it after.
    randomised = [lam + (1 - 2 * lam) * p for p in inputs]
    for target in (0, 1):
        fixed_after = oracles.count_law([*randomised, Fraction(target)])
        fixed_before = oracles.count_law([*randomised, lam + (1 - 2 * lam) * target])
        assert oracles.hockey_stick(fixed_before, fixed_after, 1) > 0
        # Leaving the target out of the randomising mends it: the others' sum, plus the target.
        others = oracles.count_law(randomised)
        assert {k: m for k, m in fixed_after.items() if m} == {
            k + target: m for k, m in others.items() if m
        }
