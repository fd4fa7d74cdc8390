"""What holds, at a glance: the numbers and the conditions of its sentences, in exact rationals."""

import math
from fractions import Fraction as F
from itertools import product

import pytest
from scipy.stats import binom

from pkdp import composition, counting
from pkdp.worlds import bits, copied
from pkdp.worlds.definitions import apk_delta, cdp_ratio, ibcdp_ratio
from tests.oracles import counts as oracles

pytestmark = pytest.mark.page

HALF = F(1, 2)
BITS = (0, 1)


def worst(N, lam, E):
    """The δ of a count, the largest over all vertices."""
    return max(oracles.count_delta([lam] * m + [1 - lam] * (N - m), E) for m in range(N + 1))


def expectation(x, y, E):
    """(1 - E Y/(X + 1))₊."""
    return max(F(0), 1 - E * F(y, x + 1))


def independent_bound(N, lam, E):
    law = oracles.count_law([lam] * N)
    return sum(law[x] * law[y] * expectation(x, y, E) for x, y in product(range(N + 1), repeat=2))


# Theorem 3


@pytest.mark.parametrize(
    ("N", "E", "allowed", "true"), [(2, F(1), F(23, 48), HALF), (3, F(3, 2), F(139, 512), F(5, 16))]
)
def test_theorem_3_corrected_is_about_multinomial_counts(N, E, allowed, true):
    assert independent_bound(N, HALF, E) == allowed
    assert worst(N, HALF, E) == true > allowed
    assert oracles.blanket_delta(N, HALF, E) >= true


@pytest.mark.parametrize("lam", [F(1, 5), F(1, 3), HALF])
def test_corrected_theorem_3_covers_up_to_six_others(lam):
    for N, E in product(range(1, 7), (F(1), F(6, 5), F(3, 2), F(2), F(5))):
        assert worst(N, lam, E) <= oracles.blanket_delta(N, lam, E)


def test_theorem_3_with_lam_needs_zero_by_zero_infinite():
    lam = F(1, 20)
    law = oracles.count_law([lam])
    chance = {
        both: sum(
            law[x] * law[y]
            for x, y in product(BITS, repeat=2)
            if (both if x == y == 0 else y == 0 or F(x, y) >= HALF)
        )
        for both in (False, True)
    }
    assert chance == {False: F(1, 20), True: F(381, 400)}
    E = F(165, 100)  # above the square root of e
    assert F(271829, 100000) < E**2
    assert chance[False] < worst(1, lam, E) == F(19, 20) < chance[True]


def test_the_closed_form_at_a_glance_ends_at_eps_one():
    eps = math.sqrt(math.log(1e10) / (1 - 2 / math.e) / (HALF * HALF * 10))
    assert eps == pytest.approx(5.90, abs=0.005)
    assert counting.exact([0.5] * 10).delta(eps) == pytest.approx(2**-10)


# Theorem 5


def test_theorem_5_at_a_glance_needs_the_absent():
    # Values of probability 1/1000 and two near a half, nobody absent, so that the total is known.
    n, lam, k = 1000, 0.3, 400
    promised = counting.blanket(n, lam).delta(0.5) + binom.sf(k - 2, n - 1, lam)
    nobody_else = F(999, 1000) ** (n - 1)
    assert promised < 1e-10 < nobody_else
    assert float(nobody_else) == pytest.approx(0.368, abs=5e-4)


# Proposition 7


@pytest.mark.parametrize(
    ("p", "of_all", "true"),
    [([], HALF, 1), ([HALF] * 2, F(3, 8), HALF), ([HALF] * 6, F(35, 128), F(5, 16)),
     ([F(99, 100)], HALF, F(99, 100))],
)  # fmt: skip
def test_proposition_7_at_a_glance_is_about_the_others(p, of_all, true):
    assert max(oracles.count_law([HALF, *p]).values()) == of_all < true
    assert max(oracles.count_law(p).values()) == true == oracles.count_delta(p, F(1))


# Proposition 9


def test_no_two_counts_are_independent_by_the_printed_convention():
    world = bits([F(1, 3)] * 4)

    def first(d):
        return d[0] + d[1]

    def second(d):
        return d[2] + d[3]

    infinite = apk_delta(world, first, 10**9, [0])
    for convention, nu in (("repaired", 0), ("printed", infinite)):
        assert composition.nu(world, first, second, 1, [0], convention=convention) == nu
    assert infinite > 0


# Example 9


def dependency(rho):
    """The largest e^Dep of two days' counts with two others, fair bits of that correlation."""
    pair = {(x, y): (1 + rho if x == y else 1 - rho) / 4 for x, y in product(BITS, repeat=2)}

    def law(series):
        found = {}
        for u, v in product(pair, repeat=2):
            counts = tuple(map(sum, zip(u, v, series, strict=True)))
            found[counts] = found.get(counts, F(0)) + pair[u] * pair[v]
        return found

    def day(counts, number, value):
        return sum(mass for k, mass in counts.items() if k[number] == value)

    most = F(0)
    for a, b in product(pair, repeat=2):
        p, q = law(a), law(b)
        for k in p.keys() & q.keys():
            alone = math.prod(day(p, i, k[i]) / day(q, i, k[i]) for i in (0, 1))
            most = max(most, p[k] / q[k] / alone)
    return most


@pytest.mark.parametrize("rho", [F(1, 4), HALF])
def test_example_9_is_about_probabilities_and_not_odds(rho):
    by_probabilities, by_odds = 1 / (1 - rho), (1 + rho) / (1 - rho)
    assert dependency(rho) == by_probabilities**2 * (1 + rho**2)
    assert by_probabilities**2 < dependency(rho) < by_odds**2


# Proposition 1


def test_the_condition_of_proposition_1_is_about_both_databases():
    """Two equal bits; silence, but an alarm one time in a hundred if they differ."""
    twins = copied({0: HALF, 1: HALF}, groups=1)

    def outputs(database):
        alarm = F(1, 100) * (database[0] != database[1])
        return {"silent": 1 - alarm} | ({"alarm": alarm} if alarm else {})

    given = [set(outputs((x, x))) for x in BITS]
    before = set().union(*given)
    after = set().union(*(outputs((b, x)) for b, x in product(BITS, repeat=2)))
    # What can occur beforehand can occur given each value, and yet no ε is enough.
    assert all(before <= possible for possible in given)
    assert cdp_ratio(twins, outputs) == math.inf
    assert ibcdp_ratio(twins, outputs) < math.inf
    assert not all(after <= possible for possible in given)
