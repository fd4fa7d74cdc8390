"""Theorem 5 as printed: each slip shown by an exact counterexample with the fewest records.

The truth is the largest delta over all worlds that the theorem speaks of and over all pairs of the
target's values, found at the vertices of what the conditions allow (`tests.oracles.kanonymity`).
"""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting, kanonymity, published
from tests.oracles import counts as oracles
from tests.oracles import kanonymity as brute

pytestmark = pytest.mark.page

F = Fraction
READINGS = ("literal", "threshold", "exponential", "rate", "multinomial", "target", "doubled")
LEFT = {reading: brute.SLIPS[i:] for i, reading in enumerate(READINGS)}
# Beside the ladder: what is unsound in print is mended, and nothing else.
LEFT["rate only"] = tuple(slip for slip in brute.SLIPS if slip not in ("threshold", "rate"))

lams = st.sampled_from([F(1, 40), F(1, 20), F(1, 10), F(1, 8), F(1, 5), F(1, 4), F(1, 3), F(1, 2)])


def test_the_readings_are_listed_in_ladder_order():
    assert tuple(LEFT) == published.THEOREM_5_READINGS
    assert LEFT["doubled"] == ()


@pytest.mark.parametrize("reading", LEFT)
@given(N=st.integers(1, 8), lam=lams, k=st.integers(1, 10), eps=st.integers(0, 40))
def test_every_reading_agrees_with_exact_rationals(reading, N, lam, k, eps):
    eps /= 8
    threshold = F(eps) / 2 if "logarithm" in LEFT[reading] else F(math.exp(eps / 2))
    truth = brute.printed_delta(N + 1, lam, k, LEFT[reading], threshold, F(math.exp(eps)))
    profile = published.theorem_5(N + 1, float(lam), k=k, reading=reading)
    assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-10)
    assert profile.status == "as printed"


def test_it_says_nothing_where_its_conditions_fail():
    # r = lam(n-1)/((1-lam)k) is 1, and then q = f/(1-r) is more than 1.
    assert published.theorem_5(11, 0.5, k=10).delta(9.0) == 1.0
    assert published.theorem_5(11, 0.5, k=11, reading="threshold").delta(math.inf) == pytest.approx(
        2 * 11 / 2**10
    )
    assert published.theorem_5(7, 0.4, k=5, reading="threshold").delta(math.inf) == 1.0


# --------------------------------------------------------------------------------------------
# Where they under-report
# --------------------------------------------------------------------------------------------

# Reading, n, lam, k, the others' probabilities of the one value that is counted, exp(eps/2), or
# eps/2 itself for the literal logarithm, printed, true. Absent is all the rest. Theorem 4 has T in
# the place of k in r: the worlds are counterexamples either way.
COUNTEREXAMPLES = [
    ("literal", 2, F(1, 2), 2, [F(1, 2)], F(2), F(0), F(1, 2)),
    ("threshold", 2, F(1, 5), 2, [F(4, 5)], F(2), F(3, 5), F(4, 5)),
    ("exponential", 2, F(1, 5), 2, [F(4, 5)], F(2), F(3, 5), F(4, 5)),
    ("rate", 4, F(1, 7), 3, [F(1, 7), F(6, 7), F(6, 7)], F(14, 13),
     F(76158, 117649), F(37560, 57967)),
    ("multinomial", 4, F(1, 6), 3, [F(1, 6), F(5, 6), F(5, 6)], F(10, 9),
     F(16, 27), F(2615, 4374)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reading", "n", "lam", "k", "shares", "step", "printed", "true"), COUNTEREXAMPLES
)
def test_the_smallest_counterexample(reading, n, lam, k, shares, step, printed, true):
    literal = "logarithm" in LEFT[reading]
    E = F(55) if literal else step**2  # 55 is more than e^4, so that the truth is no less
    eps = 4.0 if literal else 2 * math.log(step)
    assert not literal or (step == 2 and math.exp(eps) < E)
    assert brute.worst_of_all(n - 1, lam, k, E) == true > printed
    for in_r in (k, k if reading == "literal" else k - 1):
        # The literal logarithm: eps = 4, and the bound that eps must keep is far from there.
        for at in (E, F(54)) if literal else (E,):
            assert brute.printed_delta(n, lam, k, LEFT[reading], step, at, in_r) == printed
    # By the library, in a world that obeys the conditions.
    assert all(lam <= p <= 1 - lam for p in shares)
    records = [{"a": p} for p in shares]
    assert kanonymity.worst_delta(records, "a", k=k, ratio=E) == true
    nearby = published.theorem_5(n, float(lam), k=k, reading=reading).delta(eps * (1 + 1e-12))
    assert nearby == pytest.approx(float(printed), rel=1e-9)


@given(st.integers(1, 12), lams, st.integers(2, 13), st.sampled_from(READINGS[1:]), st.data())
def test_with_t_in_r_more_is_allowed(N, lam, k, reading, data):
    """So that where no world is worse with k in r, none is with T."""
    step = data.draw(st.sampled_from([F(1), F(8, 7), F(4, 3), F(2), F(5, 2), F(7)]))
    with_k, with_t = (
        brute.printed_delta(N + 1, lam, k, LEFT[reading], step, step**2, in_r)
        for in_r in (k, k - 1)
    )
    assert with_t >= with_k
    assert brute.printed_delta(N + 1, lam, k, LEFT[reading], step, step**2) == with_k


@pytest.mark.parametrize("reading", ["rate", "multinomial"])
def test_three_records_are_not_enough_for_these(reading):
    tried = 0
    for n, lam, k, step in trials(most=3, denominators=range(2, 11)):
        told = brute.printed_delta(n, lam, k, LEFT[reading], step, step**2)
        if told < 1:
            tried += 1
            assert brute.worst_of_all(n - 1, lam, k, step**2) <= told
    assert tried > 100


def trials(most, denominators):
    """Sizes, and steps just above the values at which a printed condition changes."""
    for n, denominator in product(range(2, most + 1), denominators):
        for lam in {F(i, denominator) for i in range(1, denominator // 2 + 1)}:
            if lam.denominator < denominator:
                continue
            changes = {F(x, y) for x, y in product(range(1, n + 1), range(1, n)) if x >= y}
            for k in range(1, n + 1):
                r = lam * (n - 1) / ((1 - lam) * k)
                q = oracles.count_law([lam] * (n - 1))[k - 1] / (1 - r) if r < 1 else F(1)
                first = 1 / (1 - q) if q < 1 else F(1)
                for change in {*changes, first}:
                    if change >= first:
                        # In thousandths, so that whole numbers stay small.
                        yield n, lam, k, F(math.floor(1000 * change) + 1, 1000)


def rounded(E):
    """A rational number at most E, in thousandths, and one that is at least E."""
    return F(math.floor(1000 * E), 1000), F(math.ceil(1000 * E) + 1, 1000)


@pytest.mark.slow
def test_with_only_the_threshold_and_the_rate_mended_no_world_of_up_to_four_records_is_worse():
    """eps = 2 eps_c just above each ratio X/Y at which the printed condition changes."""
    tried = 0
    for n, denominator in product((2, 3, 4), (3, 4, 5, 10)):
        for lam in {F(i, denominator) for i in range(1, denominator // 2 + 1)}:
            changes = {F(x, y) for x, y in product(range(n), range(1, n))}
            for k, change in product(range(1, n + 1), changes):
                step = change + F(1, 1000)
                less, more = rounded(math.exp(2 * step))
                told = brute.printed_delta(n, lam, k, LEFT["rate only"], step, more)
                if told < 1:
                    tried += 1
                    assert brute.worst_of_all(n - 1, lam, k, max(F(1), less)) <= told
            for k in range(1, n + 1):  # and where the theorem begins to speak
                r = lam * (n - 1) / ((1 - lam) * k)
                q = oracles.count_law([lam] * (n - 1))[k - 1] / (1 - r) if r < 1 else F(1)
                if q < 1:
                    tried += 1
                    E = 1 / (1 - q) ** 2
                    half = F(math.ceil(10**9 * math.log(E) / 2), 10**9)
                    told = brute.printed_delta(n, lam, k, LEFT["rate only"], half, E)
                    assert brute.worst_of_all(n - 1, lam, k, E) <= told
    assert tried > 120


@pytest.mark.slow
def test_one_rare_and_one_common_value_among_up_to_seven_records():
    """For both readings that no world is known to break, and for the larger of the two halves."""
    tried = 0
    for N, lam in product(range(1, 7), (F(1, 10), F(1, 5), F(1, 4), F(2, 5))):
        if lam.denominator > 5 and N > 5:
            continue  # numbers too large for exact floats
        worlds = brute.Worlds(brute.theorem_laws(1, 1, lam, lam), N, 2)
        for k in range(1, N + 2):
            outputs = worlds.outputs(k, (0, 1))
            r = lam * N / ((1 - lam) * k)
            q = oracles.count_law([lam] * N)[k - 1] / (1 - r) if r < 1 else F(1)
            rare = brute.tail(N, lam, k - 1)
            for E in (F(i, 20) for i in (21, 25, 32, 45, 61, 81, 121, 200, 400, 1300)):
                if q >= 1 or E * (1 - q) ** 2 < 1:
                    continue
                tried += 1
                true = max(brute.largest(worlds, outputs[a], outputs[1 - a], E)[0] for a in (0, 1))
                assert true <= max(rare, oracles.blanket_delta(N, lam, E))
                step = F(math.ceil(10**6 * math.sqrt(E)), 10**6)
                loss = F(math.ceil(10**6 * math.log(E) / 2), 10**6)
                assert true <= brute.printed_delta(N + 1, lam, k, LEFT["target"], step, E)
                assert true <= brute.printed_delta(N + 1, lam, k, LEFT["rate only"], loss, E)
    assert tried > 300


def test_the_smallest_counterexample_needs_nobody_to_be_absent():
    """Two values, of which the other record never has one, nor hardly ever."""
    lam = F(1, 5)
    for rare in (F(0), F(1, 100)):
        other = [{"c": 1 - lam, "u": rare}]
        lost = kanonymity.worst_delta(other, "cu", k=2, ratio=F(10**6), pairs=[("c", "u")])
        assert lost >= F(79, 100) > F(3, 5)


def test_the_success_rate_alone_is_too_large():
    """All else mended: n = 3, lam = 1/4, k = 3, exp(eps) = 9: printed 1/2, true 9/16."""
    lam, k, E = F(1, 4), 3, F(9)
    for in_r in (k, k - 1):
        assert brute.printed_delta(3, lam, k, ["rate"], F(3), E, in_r) == F(1, 2)
    assert kanonymity.worst_delta([{"a": 1 - lam}] * 2, "a", k=k, ratio=E) == F(9, 16)


def test_the_threshold_is_one_too_large():
    """k = 1 suppresses nothing; "b" and absence hide no "a". Printed 3/4, true 1."""
    lam, E = F(1, 4), F(64, 25)
    assert brute.printed_delta(2, lam, 1, ["threshold", "sum"], F(8, 5), E) == F(3, 4)
    assert kanonymity.worst_delta([{"b": lam}], "ab", k=1, ratio=E) == 1
    assert brute.printed_delta(2, lam, 1, ["sum"], F(8, 5), E) == 1


@given(st.integers(1, 12), lams, st.integers(1, 13))
def test_with_k_in_r_and_k_minus_1_in_f_the_quotient_bounds_the_tail(N, lam, k):
    r = lam * N / ((1 - lam) * k)
    if r < 1:
        q = oracles.count_law([lam] * N).get(k - 1, F(0)) / (1 - r)
        assert q >= brute.tail(N, lam, k - 1)


# --------------------------------------------------------------------------------------------
# Where they do not
# --------------------------------------------------------------------------------------------


@given(st.integers(2, 400), lams, st.integers(1, 400), st.floats(0.0, 8.0))
def test_the_literal_logarithm_errs_on_the_safe_side(n, lam, k, eps):
    literal, mended = (
        published.theorem_5(n, float(lam), k=k, reading=reading)
        for reading in ("threshold", "exponential")
    )
    assert literal.log_delta(eps) >= mended.log_delta(eps) - 1e-9


@given(st.integers(2, 3000), lams, st.integers(1, 3000), st.floats(0.0, 8.0))
def test_two_eps_and_two_delta_hold_once_all_else_is_mended(n, lam, k, eps):
    """Not by transitivity, which gives (1 + e^eps) delta: the corrected theorem is better."""
    printed = published.theorem_5(n, float(lam), k=k, reading="doubled").log_delta(eps)
    corrected = kanonymity.theorem_5(n, float(lam), k=k).log_delta(eps)
    assert corrected <= printed + 1e-9 * max(1.0, abs(printed))


def test_without_doubling_no_world_of_up_to_four_records_is_worse():
    """No proof is known that there is none with more."""
    tried = 0
    for n, lam, k, step in trials(most=4, denominators=(3, 4, 5, 10)):
        told = brute.printed_delta(n, lam, k, LEFT["target"], step, step**2)
        if told < 1:
            tried += 1
            assert brute.worst_of_all(n - 1, lam, k, step**2) <= told
    assert tried > 100


# --------------------------------------------------------------------------------------------
# How far the two halves fit into the larger of the printed terms
# --------------------------------------------------------------------------------------------


def coins(c):
    """P[Y <= j] for c fair coins."""
    masses = [F(math.comb(c, j), 2**c) for j in range(c + 1)]
    return lambda j: sum(masses[: j + 1], F(0)) if j >= 0 else F(0)


@pytest.mark.parametrize("root", [F(2), F(9, 4), F(5, 2), F(3), F(19, 5), F(6), F(10)])
def test_for_so_many_coins_the_printed_probability_is_twice_the_blanket(root):
    """E = root^2. Below root coins it is once the blanket; from there on the surplus is enough."""
    E = root**2
    for c in range(45):
        F_ = coins(c)
        printed = sum((F_(y) - F_(y - 1) for y in range(c + 1) if c - y + 1 >= root * y), F(0))
        blanket = sum(
            ((F_(y) - F_(y - 1)) * (1 - E * F(y, c - y + 1)) for y in range(c + 1)
             if c - y + 1 > E * y),
            F(0),
        )  # fmt: skip
        if c < root:
            assert printed == blanket == F(1, 2**c)
        else:
            assert printed - 2 * blanket >= F(1, 2**c)


@given(st.integers(1, 25), lams, st.sampled_from([F(2), F(5, 2), F(3), F(4), F(13, 2), F(10)]))
def test_up_to_the_median_the_blanket_is_at_most_half_the_printed_probability(N, lam, root):
    others = [lam / (1 - lam)] * N
    at_least = sum((mass for x, mass in oracles.count_law(others).items() if x >= root), F(0))
    printed = oracles.ratio_tail(oracles.trinomial(N, lam), root, 1)
    surplus = printed - 2 * oracles.blanket_delta(N, lam, root**2)
    assert surplus >= (1 - lam) ** N * (2 * at_least - 1)
    if at_least >= F(1, 2):
        assert surplus >= 0


@given(st.integers(1, 20), lams, st.fractions(F(101, 100), F(1000), max_denominator=100))
def test_the_rate_alone_makes_the_common_half_true(N, lam, E):
    # A little above half of ε, and so on the side where less is promised.
    half = F(math.log(E)) / 2 + F(1, 10**9)
    promised = oracles.ratio_tail(oracles.independent_pair(N, lam), half, 0)
    assert promised >= oracles.blanket_delta(N, lam, E)
    if half <= 1:
        assert promised >= F(1, 2)


@given(st.integers(2, 3000), lams, st.integers(1, 3000), st.floats(0.0, 8.0))
def test_where_it_is_half_the_printed_promise_covers_a_rare_and_a_common_value(n, lam, k, eps):
    printed = published.theorem_5(n, float(lam), k=k, reading="target").log_delta(eps)
    blanket = kanonymity.theorem_5(n, float(lam), k=k, pair="common/absent").log_delta(eps)
    mixed = kanonymity.theorem_5(n, float(lam), k=k, pair="rare/common").log_delta(eps)
    if blanket + math.log(2) <= counting.tail(n, float(lam)).log_delta(eps / 2):
        assert mixed <= printed + 1e-9 * max(1.0, abs(printed))


def test_the_counts_are_not_independent_of_each_other():
    """The worst case of one count is no bound for two values; the blanket is, and is attained."""
    lam, E, N = F(1, 5), F(3, 2), 3
    records = [{"a": lam, "b": lam}] * N
    truth = kanonymity.worst_delta(records, "ab", k=1, ratio=E, pairs=[("a", "b")])
    assert truth == oracles.blanket_delta(N, lam, E) == F(14, 25)
    assert oracles.worst_delta(N, lam, E) == F(64, 125) < truth
    assert counting.worst_case(N + 1, 0.2).delta(math.log(1.5)) < float(truth)
