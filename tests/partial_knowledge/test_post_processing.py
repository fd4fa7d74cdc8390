"""Chained mechanisms: the bound against enumeration in exact rationals, and its equality."""

import math
import random
from fractions import Fraction
from itertools import combinations, product

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import accounting, counting
from pkdp.partial_knowledge import post_processing
from pkdp.profiles import PrivacyProfile
from pkdp.profiles.profile import Formula, vacuous
from pkdp.worlds import bits, enumeration
from pkdp.worlds.definitions import apk_delta, dp_delta, ppk_delta
from pkdp.worlds.mechanisms import output_law, post_process

F = Fraction


# --------------------------------------------------------------------------------------------
# Plain rows of fractions
# --------------------------------------------------------------------------------------------


def hockey_stick(P, Q, E):
    return sum((max(F(0), p - E * q) for p, q in zip(P, Q, strict=True)), F(0))


def through(P, K):
    return [sum(p * row[o] for p, row in zip(P, K, strict=True)) for o in range(len(K[0]))]


def of_rows(K, E):
    """The profile of a channel between any two of its inputs."""
    return max(hockey_stick(one, other, E) for one in K for other in K)


def bound(first, channel, E):
    """``h₁·h₂(1 + (E - 1)/h₁)``, for the value h₁ of the first profile at E."""
    return first * channel(1 + (E - 1) / first) if first else F(0)


def random_row(source, size, most=4):
    while True:
        weights = [source.randint(0, most) for _ in range(size)]
        if sum(weights):
            return [F(w, sum(weights)) for w in weights]


def random_ratio(source):
    return 1 + F(source.randint(0, 12), source.choice((1, 2, 3, 7)))


# --------------------------------------------------------------------------------------------
# The inequality, and that it cannot be improved
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_chain_on_a_grid_exceeds_the_bound():
    # Three inputs and three outputs, all masses multiples of one half: every chain there is.
    laws = [tuple(F(k, 2) for k in (i, j, 2 - i - j)) for i in range(3) for j in range(3 - i)]
    channels = list(product(laws, repeat=3))
    for E in (F(1), F(5, 4), F(3)):
        rows = {}
        for P, Q in product(laws, repeat=2):
            first = hockey_stick(P, Q, E)
            if not first:
                continue
            for K in channels:
                key = K, 1 + (E - 1) / first
                if key not in rows:
                    rows[key] = of_rows(*key)
                assert hockey_stick(through(P, K), through(Q, K), E) <= first * rows[key]


def test_the_ratio_for_a_channel_is_rounded_down():
    draws = random.Random(4)
    for _ in range(2000):
        log_height = -(10.0 ** draws.uniform(-3, 2.8))
        eps = 10.0 ** draws.uniform(-300, 2.5)
        if draws.random() < 0.5:  # where (E - 1)/h is about 1, and both of its parts are large
            eps = math.exp(log_height + draws.uniform(-3, 3))
        with mpmath.workdps(330):
            excess = mpmath.expm1(mpmath.mpf(eps)) * mpmath.exp(-mpmath.mpf(log_height))
            exact = mpmath.log1p(excess)
            assert 0 <= 1 - post_processing._next_loss(eps, log_height) / exact < 1e-11


@pytest.mark.slow
def test_no_random_chain_exceeds_the_bound():
    source = random.Random(51)
    attained = 0
    for _ in range(4000):
        inputs, outputs = source.randint(2, 4), source.randint(2, 4)
        P, Q = (random_row(source, inputs) for _ in range(2))
        K = [random_row(source, outputs) for _ in range(inputs)]
        E = random_ratio(source)
        most = bound(hockey_stick(P, Q, E), lambda ratio, K=K: of_rows(K, ratio), E)
        least = hockey_stick(through(P, K), through(Q, K), E)
        assert least <= most
        attained += 0 < least == most
    assert attained > 50  # the comparison is a sharp one


def test_the_attaining_channel_attains_the_bound():
    source = random.Random(52)
    for _ in range(1500):
        inputs, outputs = source.randint(2, 4), source.randint(2, 4)
        P, Q = (dict(enumerate(random_row(source, inputs))) for _ in range(2))
        row, other = (dict(enumerate(random_row(source, outputs))) for _ in range(2))
        E = random_ratio(source)
        channel = post_processing.attaining_channel(P, Q, row=row, other=other, ratio=E)
        rows = [[channel[x].get(o, F(0)) for o in range(outputs)] for x in sorted(channel)]
        P, Q = ([law.get(x, F(0)) for x in sorted(channel)] for law in (P, Q))
        most = bound(
            hockey_stick(P, Q, E),
            lambda ratio, one=row, two=other: hockey_stick(one.values(), two.values(), ratio),
            E,
        )
        assert hockey_stick(through(P, rows), through(Q, rows), E) == most


def test_chains_of_mechanisms_keep_within_the_bound():
    # By the definition of differential privacy: all pairs of neighbouring databases.
    source = random.Random(53)
    databases = list(product((0, 1), repeat=2))
    for _ in range(150):
        first = enumeration.random_mechanism(source, databases, 3, deterministic=False)
        answers = sorted({x for d in databases for x in output_law(first, d)})
        channel = enumeration.random_mechanism(
            source, [(x,) for x in answers], 3, deterministic=False
        )
        both = post_process(first, lambda x, channel=channel: channel((x,)))
        E = random_ratio(source)
        one = dp_delta(first, (0, 1), 2, ratio=E)
        assert dp_delta(both, (0, 1), 2, ratio=E) <= bound(
            one, lambda ratio, c=channel, xs=answers: dp_delta(c, xs, 1, ratio=ratio), E
        )


# --------------------------------------------------------------------------------------------
# (ε, δ) guarantees
# --------------------------------------------------------------------------------------------


def guaranteed(own, leak, E):
    """The largest δ at E of an (ln own, leak)-private mechanism."""
    return leak + (1 - leak) * max(F(0), own - E) / (1 + own)


def chain_of_two(first, second, E):
    """The closed form; each guarantee is (e^ε, δ)."""
    (E1, d1), (E2, d2) = first, second
    h = guaranteed(E1, d1, E)
    return d2 * h + (1 - d2) * max(F(0), (E2 - 1) * h - (E - 1)) / (E2 + 1)


def vertices(own, leak):
    """The corners of all (P[1], Q[1]) of (ln own, leak)-private mechanisms with outputs 0 and 1."""
    # Half-planes a·p + b·q ≤ c.
    sides = [(-1, 0, 0), (0, -1, 0), (1, 0, 1), (0, 1, 1)]
    sides += [(1, -own, leak), (-own, 1, leak)]
    sides += [(-1, own, leak + own - 1), (own, -1, leak + own - 1)]
    found = set()
    for (a, b, c), (d, e, f) in combinations(sides, 2):
        determinant = a * e - b * d
        if determinant:
            p, q = F(c * e - b * f, 1) / determinant, F(a * f - c * d, 1) / determinant
            if all(x * p + y * q <= z for x, y, z in sides):
                found.add((p, q))
    return found


GUARANTEES = [
    (F(1), F(0)),
    (F(1), F(1, 5)),
    (F(2), F(0)),
    (F(3, 2), F(1, 10)),
    (F(5), F(1, 100)),
    (F(3), F(1, 3)),
    (F(2), F(1)),
]


def test_chained_binary_mechanisms_attain_the_closed_form_and_no_more():
    # For a fixed second mechanism δ is convex in the first, and the other way round: corners do.
    for first, second in product(GUARANTEES, repeat=2):
        for E in (F(1), F(6, 5), F(3, 2), F(2), F(4)):
            best = F(0)
            for (p, q), (a, b) in product(vertices(*first), vertices(*second)):
                one, zero = p * a + (1 - p) * b, q * a + (1 - q) * b
                best = max(best, one - E * zero, (1 - one) - E * (1 - zero))
            assert best == chain_of_two(first, second, E)


def test_larger_chains_attain_no_more_than_binary_ones():
    # Random mechanisms, and the guarantee that each happens to have at a ratio of its own.
    source = random.Random(54)
    for _ in range(600):
        inputs, outputs = source.randint(2, 4), source.randint(2, 4)
        P, Q = (random_row(source, inputs) for _ in range(2))
        K = [random_row(source, outputs) for _ in range(inputs)]
        first, second = random_ratio(source), random_ratio(source)
        leak = max(hockey_stick(P, Q, first), hockey_stick(Q, P, first))
        E = random_ratio(source)
        assert hockey_stick(through(P, K), through(Q, K), E) <= chain_of_two(
            (first, leak), (second, of_rows(K, second)), E
        )


def test_pure_guarantees_give_the_formula_that_the_paper_cites():
    for E1, E2 in product((F(1), F(3, 2), F(2), F(7)), repeat=2):
        E = (E1 * E2 + 1) / (E1 + E2)
        assert chain_of_two((E1, F(0)), (E2, F(0)), E) == 0
        assert E == 1 or chain_of_two((E1, F(0)), (E2, F(0)), E - F(1, 10**9)) > 0
        # tanh(ε/2) is a product.
        assert (E - 1) / (E + 1) == (E1 - 1) / (E1 + 1) * (E2 - 1) / (E2 + 1)


@given(st.lists(st.floats(1e-3, 30.0), min_size=1, max_size=6))
def test_pure_is_the_product_of_hyperbolic_tangents(epsilons):
    eps = post_processing.pure(epsilons)
    assert eps == pytest.approx(post_processing.pure(epsilons[::-1]), rel=1e-13)
    ratios = [F(math.exp(e)) for e in epsilons]
    E = ratios[0]
    for own in ratios[1:]:
        E = (E * own + 1) / (E + own)
    assert math.log1p(float(E - 1)) == pytest.approx(eps, rel=1e-9)
    assert eps <= min(epsilons)


def test_pure_keeps_its_digits_where_tanh_is_one_or_nothing():
    assert post_processing.pure([700.0, 700.0]) == pytest.approx(700.0 - math.log(2.0), rel=1e-13)
    assert post_processing.pure([1e-9, 1e-9]) == pytest.approx(5e-19, rel=1e-12)
    assert 0.0 < post_processing.pure([1e-200, 1e-200]) < 1e-300
    assert post_processing.pure([0.0, 3.0]) == 0.0
    assert post_processing.pure([2.5]) == 2.5


@given(
    st.tuples(st.fractions(0, 4, max_denominator=20), st.fractions(0, 1, max_denominator=50)),
    st.tuples(st.fractions(0, 4, max_denominator=20), st.fractions(0, 1, max_denominator=50)),
    st.fractions(0, 5, max_denominator=20),
)
def test_the_profile_of_two_guarantees_is_the_closed_form_rounded_up(first, second, eps):
    profile = post_processing.of_guarantees(
        [float(first[0]), float(second[0])], [float(first[1]), float(second[1])]
    )
    # Floats stand for the binary rationals that they are; e^ε is enclosed.
    (e1, d1), (e2, d2) = ((float(e), F(float(d))) for e, d in (first, second))

    def exactly(shift):
        ratios = (F(math.exp(e)) * (1 + shift) for e in (e1, e2))
        E = max(F(1), F(math.exp(float(eps))) * (1 - shift))
        E1, E2 = (max(F(1), ratio) for ratio in ratios)
        return chain_of_two((E1, d1), (E2, d2), E)

    tiny = F(1, 2**50)
    assert float(exactly(-tiny)) * (1 - 1e-14) <= profile.delta(float(eps))
    assert profile.delta(float(eps)) <= float(exactly(F(1, 10**10))) * (1 + 1e-10) + 1e-300


# --------------------------------------------------------------------------------------------
# Profiles
# --------------------------------------------------------------------------------------------


def test_how_a_chain_is_grouped_makes_no_difference():
    one = counting.worst_case(200, 0.2)
    two, three = accounting.optimal(2.0, 1e-3, times=1), accounting.optimal(1.0, 1e-2, times=1)
    flat = post_processing.chained(one, two, three)
    left = post_processing.chained(post_processing.chained(one, two), three)
    right = post_processing.chained(one, post_processing.chained(two, three))
    for eps in (0.0, 1e-6, 0.01, 0.1, 0.5, 2.0, 30.0, math.inf):
        assert left.log_delta(eps) == pytest.approx(flat.log_delta(eps), rel=1e-10)
        assert right.log_delta(eps) == pytest.approx(flat.log_delta(eps), rel=1e-10)


def test_a_channel_that_tells_all_changes_nothing_and_one_that_tells_nothing_ends_it():
    one = counting.worst_case(50, 0.2)
    all_told = post_processing.chained(one, vacuous("exact"))
    none_told = post_processing.chained(one, accounting.optimal(0.0, 0.0, times=1))
    alone = post_processing.chained(one)
    for eps in (0.0, 0.3, 2.0, math.inf):
        assert all_told.log_delta(eps) == pytest.approx(one.log_delta(eps), rel=1e-11)
        assert alone.log_delta(eps) == pytest.approx(one.log_delta(eps), rel=1e-11)
        assert one.log_delta(eps) <= alone.log_delta(eps) <= all_told.log_delta(eps)
        assert none_told.delta(eps) == 0.0


def test_sampling_is_a_chain():
    # A record that is seen with probability γ: the mechanism that erases it otherwise comes first,
    # and δ(E) ≤ γ·h(1 + (E - 1)/γ) is the theorem on subsampling.
    rate = F(1, 5)
    P, Q = [rate, F(0), 1 - rate], [F(0), rate, 1 - rate]
    for E in (F(1), F(3, 2), F(10)):
        assert hockey_stick(P, Q, E) == rate
    erased = PrivacyProfile(Formula(lambda eps: math.log(0.2)), "exact")
    sampled = post_processing.chained(erased, accounting.optimal(1.0, 1e-3, times=1))
    at = math.log1p(0.2 * math.expm1(1.0))
    assert sampled.delta(at) == pytest.approx(0.2 * 1e-3, rel=1e-9)
    # A channel that treats the blank like neither record: equality at E = 1, and less beyond.
    half, rows = F(1, 2), [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)], [F(1, 2), F(1, 2)]]
    P, Q = [half, F(0), half], [F(0), half, half]
    for E, exact, most in ((F(1), F(1, 4), F(1, 4)), (F(5, 4), F(5, 32), F(3, 16))):
        assert hockey_stick(through(P, rows), through(Q, rows), E) == exact
        assert half * of_rows(rows, 1 + (E - 1) / half) == most


def test_chains_hold_for_active_attackers_and_only_linearly_for_passive_ones():
    source = random.Random(55)
    below = 0
    for _ in range(150):
        world = bits([F(source.randint(1, 4), 5) for _ in range(2)], knowledge=[1])
        first = enumeration.random_mechanism(source, list(product((0, 1), repeat=2)), 3)
        answers = sorted({x for d in product((0, 1), repeat=2) for x in output_law(first, d)})
        channel = enumeration.random_mechanism(
            source, [(x,) for x in answers], 2, deterministic=False
        )
        both = post_process(first, lambda x, channel=channel: channel((x,)))
        E = 1 + F(source.randint(1, 8), 16)

        def rows(ratio, channel=channel, answers=answers):
            return dp_delta(channel, answers, 1, ratio=ratio)

        active, passive = (d(world, first, E, [0]) for d in (apk_delta, ppk_delta))
        assert apk_delta(world, both, E, [0]) <= bound(active, rows, E)
        assert ppk_delta(world, both, E, [0]) <= passive * rows(E)
        below += 0 < bound(passive, rows, E) < passive * rows(E)
    assert below > 10


def test_a_passive_attacker_breaks_the_bound_of_the_active_one():
    # The second bit, known to the attacker, decides whether the first is told: half of the time it
    # is. The channel then is a randomized response with e^ε = 3.
    half = F(1, 2)
    world = bits([half, half], knowledge=[1])

    def told(database):
        return database[0] if database[1] else None

    def response(x):
        return {x: F(3, 4), 1 - x: F(1, 4)} if x is not None else {0: half, 1: half}

    E = F(2)
    both = post_process(told, response)
    passive = ppk_delta(world, told, E, [0])
    rows = dp_delta(lambda d: response(d[0]), (0, 1, None), 1, ratio=E)
    at_once = dp_delta(lambda d: response(d[0]), (0, 1, None), 1, ratio=1 + (E - 1) / passive)
    assert (passive, rows, at_once) == (half, F(1, 4), 0)
    assert ppk_delta(world, both, E, [0]) == F(1, 8) == passive * rows
    assert ppk_delta(world, both, E, [0]) > passive * at_once
