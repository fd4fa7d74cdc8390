"""Couplings against lists of all orders, all sets and all extreme mechanisms, in fractions."""

import itertools
import math
import random
from fractions import Fraction as F

import numpy as np
import pytest

from pkdp.databases import couplings
from pkdp.databases.couplings import Match
from tests.oracles import hypotheses as oracle


def differing(b, c):
    return [i for i, (x, y) in enumerate(zip(b, c, strict=True)) if x != y]


def ratio_between(b, c, ratios):
    """e^d(b, c), exactly."""
    return math.prod((F(ratios[i]) for i in differing(b, c)), start=F(1))


def log(ratios):
    return [math.log(E) for E in ratios]


def extreme_functions(ratios):
    """All extreme f: every vertex hangs, by steps that are as large as they may be, on the first.

    If f satisfies the inequalities and E_p f / E_q f is as large as can be, there is such an f: the
    program's vertices are f whose tight edges connect the cube.
    """
    k = len(ratios)
    vertices = oracle.vectors(k)
    edges = [(b, c) for b, c in itertools.combinations(vertices, 2) if len(differing(b, c)) == 1]
    for tree in itertools.combinations(edges, len(vertices) - 1):
        for signs in itertools.product((1, -1), repeat=len(tree)):
            f = {vertices[0]: F(1)}
            rest = list(zip(tree, signs, strict=True))
            while True:
                later = []
                for (b, c), sign in rest:
                    step = ratio_between(b, c, ratios) ** sign
                    if b in f and c not in f:
                        f[c] = f[b] * step
                    elif c in f and b not in f:
                        f[b] = f[c] / step
                    elif b not in f:
                        later.append(((b, c), sign))
                if not later or len(later) == len(rest):
                    break
                rest = later
            if len(f) == len(vertices) and all(
                f[b] <= f[c] * ratio_between(b, c, ratios)
                for b, c in itertools.permutations(vertices, 2)
            ):
                yield f


def whole_functions(k):
    """All φ: {0,1}^k → ℤ with φ(0) = 0 that change by at most 1 along an edge."""
    vertices = oracle.vectors(k)
    found = [{vertices[0]: 0}]
    for vertex in vertices[1:]:
        longer = []
        for phi in found:
            near = [value for b, value in phi.items() if len(differing(b, vertex)) == 1]
            for value in range(max(near) - 1, min(near) + 2):
                longer.append({**phi, vertex: value})
        found = longer
    return found


def mean(prior, f):
    return sum(weight * f[bits] for bits, weight in prior.items())


def test_the_list_of_extreme_mechanisms_is_right_for_one_bit_and_holds_whole_steps():
    assert {tuple(f.values()) for f in extreme_functions([F(3)])} == {(1, 3), (1, F(1, 3))}
    two = {frozenset(f.items()) for f in extreme_functions([F(2), F(2)])}
    steps = {frozenset((b, F(2) ** e) for b, e in phi.items()) for phi in whole_functions(2)}
    assert two < steps


# Couplings


def margins(matches):
    sides = {}, {}
    for match in matches:
        for side, bits in zip(sides, match[:2], strict=True):
            side[bits] = side.get(bits, 0) + match.weight
    return sides


def shuffled(draws, prior):
    items = list(prior.items())
    draws.shuffle(items)
    return dict(items)


def test_the_refinement_is_a_coupling_in_the_order_given():
    draws = random.Random(1)
    for _ in range(300):
        k = draws.randint(1, 4)
        p, q = (shuffled(draws, oracle.random_prior(draws, k)) for _ in range(2))
        matches = couplings.refine(p, q)
        assert margins(matches) == (p, q)
        assert len(matches) <= len(p) + len(q) - 1
        for side, prior in enumerate((p, q)):
            order = [bits for bits, _ in itertools.groupby(match[side] for match in matches)]
            assert order == list(prior)


def test_the_refinement_depends_on_the_order():
    quarter = F(1, 4)
    uniform = dict.fromkeys(oracle.vectors(2), quarter)
    backwards = dict(reversed(uniform.items()))
    assert couplings.largest(couplings.refine(uniform, uniform), [1.0, 1.0]) == 0.0
    assert couplings.largest(couplings.refine(uniform, backwards), [1.0, 1.0]) == 2.0


def test_arrays_are_read_in_lexicographic_order():
    matches = couplings.refine([[0.5, 0.25], [0.25, 0.0]], np.full((2, 2), 0.25))
    assert matches == (
        Match((0, 0), (0, 0), 0.25),
        Match((0, 0), (0, 1), 0.25),
        Match((0, 1), (1, 0), 0.25),
        Match((1, 0), (1, 1), 0.25),
    )


@pytest.mark.slow
def test_best_and_worst_order_are_those_of_all_orders():
    draws = random.Random(2)
    eps = [1.0, 2.5, 0.5]
    for _ in range(20):
        p, q = (oracle.random_prior(draws, 3, grain=3) for _ in range(2))
        p, q = (oracle.normalized(dict(list(law.items())[:4])) for law in (p, q))
        costs = [
            couplings.largest(couplings.refine(dict(a), dict(b)), eps)
            for a in itertools.permutations(p.items())
            for b in itertools.permutations(q.items())
        ]
        assert couplings.orders(p, q, eps) == (min(costs), max(costs))


def bottleneck(p, q, eps):
    """The least t such that every set of p has room in its neighbourhood: Strassen's theorem."""
    away = {(b, c): sum(F(eps[i]) for i in differing(b, c)) for b in p for c in q}
    sets = [A for n in range(1, len(p) + 1) for A in itertools.combinations(p, n)]
    for t in sorted(set(away.values())):
        if all(
            sum(p[b] for b in A) <= sum(q[c] for c in q if any(away[b, c] <= t for b in A))
            for A in sets
        ):
            return t
    raise AssertionError


def test_transport_has_the_least_largest_distance():
    draws = random.Random(3)
    for _ in range(200):
        k = draws.randint(1, 3)
        eps = [draws.choice((0.0, 0.5, 1.0, 1.25)) for _ in range(k)]
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        matches = couplings.transport(p, q, eps)
        assert margins(matches) == (p, q)
        assert couplings.largest(matches, eps) == bottleneck(p, q, eps)


def test_distances_are_rounded_up():
    eps = [0.1] * 10
    far = couplings.largest([Match((0,) * 10, (1,) * 10, 1)], eps)
    assert F(far) >= 10 * F(0.1)
    assert far == pytest.approx(1.0)


# One mechanism that sees all databases


def random_ratios(draws, k):
    return [F(draws.randint(5, 30), 5) for _ in range(k)]


def holds(interval, truth):
    """Whether e^lower ≤ truth ≤ e^upper, with the ends no more than 1e-8 apart."""
    exact = math.log(truth)
    return interval.lower <= exact + 1e-15 and exact - 1e-15 <= interval.upper < exact + 1e-8


def test_one_bit_by_hand():
    draws = random.Random(4)
    for _ in range(100):
        [E] = random_ratios(draws, 1)
        p, q = (oracle.random_prior(draws, 1) for _ in range(2))
        x, y = (law.get((1,), F(0)) for law in (p, q))
        up, down = (1 + x * (E - 1)) / (1 + y * (E - 1)), (E + x * (1 - E)) / (E + y * (1 - E))
        assert holds(couplings.joint(p, q, log([E]), direction="forth"), max(up, down))
        assert holds(couplings.joint(p, q, log([E])), max(up, down, 1 / up, 1 / down))


def test_two_bits_against_all_extreme_mechanisms():
    draws = random.Random(5)
    for _ in range(25):
        ratios = random_ratios(draws, 2)
        p, q = (oracle.random_prior(draws, 2) for _ in range(2))
        means = [(mean(p, f), mean(q, f)) for f in extreme_functions(ratios)]
        forth, back = max(a / b for a, b in means), max(b / a for a, b in means)
        eps = log(ratios)
        assert holds(couplings.joint(p, q, eps, direction="forth"), forth)
        assert holds(couplings.joint(p, q, eps, direction="back"), back)
        assert holds(couplings.joint(p, q, eps), max(forth, back))


def test_three_bits_against_all_mechanisms_of_whole_steps():
    # Steps of an extreme mechanism are powers of E, if all mechanisms have the same.
    draws, functions = random.Random(6), whole_functions(3)
    for _ in range(12):
        E = F(draws.randint(6, 25), 5)
        p, q = (oracle.random_prior(draws, 3) for _ in range(2))
        powers = {e: E**e for e in range(-3, 4)}
        truth = max(
            mean(p, f) / mean(q, f)
            for f in ({b: powers[e] for b, e in phi.items()} for phi in functions)
        )
        assert holds(couplings.joint(p, q, log([E] * 3), direction="forth"), truth)


def test_the_event_is_private_and_has_the_lower_end():
    draws = random.Random(7)
    for _ in range(40):
        k = draws.randint(1, 4)
        eps = [draws.choice((0.0, draws.uniform(0.0, 3.0))) for _ in range(k)]
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        f = couplings.worst_event(p, q, eps)
        assert f.shape == (2,) * k
        assert f.max() == 1.0
        for axis, e in enumerate(eps):
            assert (np.log(f) <= np.log(np.flip(f, axis)) + e + 1e-12).all()
        found = math.log(mean(p, f) / mean(q, f))
        low = couplings.joint(p, q, eps, direction="forth").lower
        assert found == pytest.approx(low, abs=3e-12)


def test_the_kernel_proves_the_upper_end():
    draws = random.Random(8)
    for _ in range(40):
        k = draws.randint(1, 4)
        eps = [draws.choice((0.0, draws.uniform(0.0, 3.0))) for _ in range(k)]
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        best = couplings.kernel(p, q, eps)
        first = margins(best)[0]
        assert first == pytest.approx({b: float(w) for b, w in p.items()}, abs=1e-14)
        up = couplings.joint(p, q, eps, direction="forth").upper
        assert couplings.columnwise(best, q, eps) == pytest.approx(up, abs=1e-11)


def test_any_coupling_proves_no_less():
    draws = random.Random(9)
    for _ in range(60):
        k = draws.randint(1, 4)
        eps = [draws.uniform(0.0, 3.0) for _ in range(k)]
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        low = couplings.joint(p, q, eps, direction="forth").lower
        for matches in (couplings.refine(p, q), couplings.transport(p, q, eps)):
            column = couplings.columnwise(matches, q, eps)
            assert low <= column <= couplings.largest(matches, eps) + 2e-12


@pytest.mark.slow
def test_separate_joint_columnwise_transport_refinement_on_200_pairs():
    draws = random.Random(11)
    strict = [0, 0, 0]
    for _ in range(200):
        k = draws.randint(1, 3)
        ratios = random_ratios(draws, k)
        eps = log(ratios)
        p, q = (shuffled(draws, oracle.random_prior(draws, k)) for _ in range(2))
        separate = math.log(oracle.least_ratio(p, q, ratios))
        joint = couplings.joint(p, q, eps)
        transport = couplings.largest(couplings.transport(p, q, eps), eps)
        refined = couplings.largest(couplings.refine(p, q), eps)
        assert separate <= joint.upper
        assert joint.upper - joint.lower < 1e-8
        assert joint.lower <= transport <= refined
        strict[0] += separate < joint.lower - 1e-6
        strict[1] += joint.upper < transport - 1e-6
        strict[2] += transport < refined
    assert min(strict) > 20


def test_no_random_mechanism_tells_more():
    draws, noise = random.Random(12), np.random.default_rng(12)
    for _ in range(30):
        k = draws.randint(1, 4)
        eps = np.array([draws.uniform(0.1, 3.0) for _ in range(k)])
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        bound = couplings.joint(p, q, eps).upper
        for _ in range(20):
            log_f = noise.normal(0.0, 3.0, (2,) * k)
            for axis, e in enumerate(eps):
                log_f = np.minimum(log_f, np.flip(log_f, axis) + e)
            f = np.exp(log_f)
            assert abs(math.log(mean(p, f) / mean(q, f))) <= bound


def test_extremes_stay_safe():
    # The ends hold, if far apart: what the solver cannot do is completed by hand.
    draws = random.Random(13)
    for top in (20.0, 50.0):
        for _ in range(25):
            k = draws.randint(1, 4)
            eps = [draws.choice((1e-9, 1e-3, top)) * draws.random() for _ in range(k)]
            p, q = (oracle.random_prior(draws, k, grain=10**6) for _ in range(2))
            ends = couplings.joint(p, q, eps)
            assert 0.0 <= ends.lower <= ends.upper
            # A float is a fraction, and so is the ratio of sums that each response tells of.
            separate = oracle.least_ratio(p, q, [F(math.exp(e)) for e in eps])
            assert math.log(separate) <= ends.upper + 1e-9
            assert ends.lower <= sum(eps) + 1e-9


def test_the_ends_are_close_for_epsilons_up_to_3():
    noise = np.random.default_rng(14)
    for _ in range(40):
        k = int(noise.integers(3, 8))
        p, q = (noise.dirichlet(np.full(2**k, 0.3)).reshape((2,) * k) for _ in "pq")
        ends = couplings.joint(p, q, noise.uniform(0.0, 3.0, k), direction="forth")
        assert ends.lower <= ends.upper < ends.lower + 1e-7


def test_tiny_weights_and_blind_mechanisms():
    p, q = [[1e-300, 0.5], [0.25, 0.25]], [[0.5, 0.25], [0.25, 1e-300]]
    ends = couplings.joint(p, q, [1.0, 1.0])
    assert ends.upper - ends.lower < 1e-8
    nothing = couplings.joint(p, q, [0.0, 0.0])
    assert nothing == (0.0, pytest.approx(1e-12))
    assert couplings.worst_event(p, q, [0.0, 0.0]).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    seen = couplings.joint(p, q, [0.0, 1.0])
    marginals = [0.25, 0.75], [0.75, 0.25]
    assert seen == pytest.approx(couplings.joint(*marginals, [1.0]), abs=1e-11)
    assert couplings.columnwise([Match((0,), (1,), 1.0)], [1.0, 0.0], [1.0]) == math.inf
    assert couplings.columnwise([Match((0,), (1,), 1)], {(1,): F(1, 10**400), (0,): 1}, [1.0]) == (
        math.inf
    )


@pytest.mark.parametrize("eps", [[0.5, 30.0, 3.0], [1e-300, 30.0, 1e-12], [1e-12, 30.0, 1e-12]])
def test_the_same_hypothesis_twice_costs_nothing_whatever_the_solver_says(eps):
    # It left the upper end at 0.6.
    weights = [100, 0, 1, 2, 1, 100, 2, 0]
    law = {bits: F(w, 206) for bits, w in zip(oracle.vectors(3), weights, strict=True)}
    assert couplings.joint(law, law, eps).upper <= 2e-12
    # Nor can more than the largest ratio of weights be learned.
    mixed = {bits: w / 2 + F(1, 16) for bits, w in law.items()}
    law = {**dict.fromkeys(oracle.vectors(3), F(0)), **law}
    most = max(law[bits] / mixed[bits] for bits in mixed)
    found = couplings.joint(law, mixed, eps, direction="forth")
    assert found.upper <= math.log(most) + 2e-12


def test_weights_that_are_hardly_floats_do_not_overflow():
    rare = {(0,): 1.0, (1,): 5e-324}
    found = couplings.joint({(0,): 1e-9, (1,): 1.0 - 1e-9}, rare, [0.1])
    assert found.upper == pytest.approx(0.1, rel=1e-8)
