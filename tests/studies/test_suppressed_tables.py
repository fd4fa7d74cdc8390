"""Tables of a known total, against brute force in fractions: every outcome of every count."""

import math
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, permutations

import numpy as np
import pytest

from pkdp.partial_knowledge import suppressed_tables
from tests.studies import table_bounds

EPSILONS = (0.0, 0.3, 1.0, 2.5)
# Cells in increasing order: small enough to list all counts of the others, and different enough.
SMALL = [(1, 2, 3), (2, 2, 3), (1, 1, 1, 4), (1, 2, 2, 3), (1, 1, 2, 2, 2), (3, 5), (2, 2)]


@cache
def others_law(counts):
    """The law of the others' counts: n - 1 records with these shares."""
    n, cells = sum(counts), len(counts)

    def compositions(total, parts):
        if parts == 1:
            yield (total,)
        else:
            for first in range(total + 1):
                for rest in compositions(total - first, parts - 1):
                    yield (first, *rest)

    law = {}
    for found in compositions(n - 1, cells):
        ways, left = 1, n - 1
        for number in found:
            ways *= math.comb(left, number)
            left -= number
        shares = (share**number for share, number in zip(counts, found, strict=True))
        law[found] = ways * math.prod(shares)
    assert sum(law.values()) == n ** (n - 1)
    return law


@cache
def released_law(counts, target, told):
    """The law of what is shown of the counts, the target's record among them.

    Of each cell those counts are shown that are at least as large as `told` says. Masses are
    integers, in units of n^-(n-1).
    """
    law = {}
    for found, mass in others_law(counts).items():
        seen = tuple(
            None if (count := number + (cell == target)) < told[cell] else count
            for cell, number in enumerate(found)
        )
        law[seen] = law.get(seen, 0) + mass
    return law


NEVER = 10**9


def delta(counts, a, b, told, ratio):
    """H(a || b) of what is shown."""
    up, down = Fraction(ratio).as_integer_ratio()
    p, q = (released_law(counts, target, tuple(told)) for target in (a, b))
    total = sum(max(0, down * mass - up * q.get(seen, 0)) for seen, mass in p.items())
    return Fraction(total, down * sum(counts) ** (sum(counts) - 1))


def exact(counts, k, a, b, ratio, hidden=0):
    """What M_k tells, or what it does if the first cells are never released."""
    return delta(counts, a, b, [NEVER] * hidden + [k] * (len(counts) - hidden), ratio)


def eta(counts, k, hidden):
    """As the page has it, in fractions."""
    n = sum(counts)

    def tail(share, least):
        p = Fraction(share, n)
        return sum(
            math.comb(n - 1, j) * p**j * (1 - p) ** (n - 1 - j) for j in range(max(0, least), n)
        )

    *fewer, largest = counts[:hidden]
    return tail(largest, k - 1) + sum(tail(share, k) for share in fewer)


def pair_profile(counts, k, hidden, pair):
    """How well two cells are told apart if the first, the smallest, are never released."""
    first, second = (0 if place < hidden else counts[place] for place in pair)
    told = partial(suppressed_tables._told, sum(counts), sum(counts[:hidden]), k, first, second)
    return suppressed_tables._curve(told, "upper bound")


def cases():
    for counts in SMALL:
        for k in range(1, sum(counts) + 2):
            yield counts, k


def test_a_table_is_at_most_as_telling_as_one_without_the_hidden_cells_and_eta():
    # The theorem of the page: δ ≤ δ_R + η for every pair, without a factor e^ε.
    tight = 0
    for counts, k in cases():
        for hidden in range(1, len(counts) + 1):
            allowed = eta(counts, k, hidden)
            for a, b in permutations(range(len(counts)), 2):
                for ratio in (1, Fraction(3, 2), 4, 20):
                    whole = exact(counts, k, a, b, ratio)
                    without = exact(counts, k, a, b, ratio, hidden=hidden)
                    assert whole <= without + allowed, (counts, k, hidden, a, b, ratio)
                    tight += without < whole == without + allowed
    assert tight > 50


def test_hidden_cells_hide_each_other_but_for_eta():
    for counts, k in cases():
        for hidden in range(2, len(counts) + 1):
            for a, b in permutations(range(hidden), 2):
                assert exact(counts, k, a, b, 1) <= eta(counts, k, hidden)


@pytest.mark.slow
def test_pair_profile_is_what_is_left_if_all_other_cells_are_told():
    for counts, k in cases():
        for hidden in range(len(counts)):
            for a, b in combinations(range(len(counts)), 2):
                if b < hidden:
                    continue
                told = [0] * len(counts)
                told[a] = told[b] = k
                told[:hidden] = [NEVER] * hidden
                profile = pair_profile(counts, k, hidden, (a, b))
                for eps in EPSILONS:
                    ratio = math.exp(eps)
                    expected = max(
                        delta(counts, a, b, told, ratio), delta(counts, b, a, told, ratio)
                    )
                    found = profile.delta(eps)
                    assert expected <= found <= float(expected) * (1 + 1e-8) + 1e-10


def test_bounds_enclose_the_exact_privacy_of_a_table():
    apart = []
    for counts, k in cases():
        lower = table_bounds.lower_bound(counts, k)
        uppers = [
            table_bounds.upper_bound(counts, k, hidden=hidden) for hidden in range(len(counts) + 1)
        ]
        for eps in EPSILONS:
            worst = max(
                exact(counts, k, a, b, math.exp(eps))
                for a, b in permutations(range(len(counts)), 2)
            )
            assert lower.delta(eps) <= worst
            for upper in uppers:
                assert worst <= upper.delta(eps)
            apart.append(min(upper.delta(eps) for upper in uppers) - lower.delta(eps))
    # With two cells they agree, and elsewhere not always.
    assert min(apart) < 1e-9
    assert max(apart) > 0.01


def test_lower_bound_is_what_two_cells_tell():
    for counts, k in cases():
        profile = table_bounds.lower_bound(counts, k)
        for eps in EPSILONS:
            worst = 0
            for a, b in permutations(range(len(counts)), 2):
                told = [NEVER] * len(counts)
                told[a] = told[b] = k
                worst = max(worst, delta(counts, a, b, told, math.exp(eps)))
            found = profile.delta(eps)
            assert found <= worst
            assert found == pytest.approx(float(worst), rel=1e-7, abs=1e-10)


COUNTS = [1, 1, 2, 2, 3, 3, 4, 5, 30, 31, 40, 45, 70]


@pytest.mark.slow
@pytest.mark.parametrize("k", [15, 20, 30])
@pytest.mark.parametrize("delta", [1e-3, 1e-5])
def test_epsilon_meets_delta_with_every_pair(k, delta):
    found = suppressed_tables.epsilon(COUNTS, k=k, delta=delta)
    assert found.eta == list(suppressed_tables._etas(np.sort(COUNTS), k))[found.hidden]
    bound = table_bounds.upper_bound(COUNTS, k, hidden=found.hidden)
    assert bound.delta(found.eps) <= delta * (1 + 1e-9)
    if math.isfinite(found.eps):
        assert bound.epsilon(delta) == pytest.approx(found.eps, rel=1e-6)
        assert bound.delta(found.eps * (1 - 1e-4)) > delta
        assert set(found.worst) <= {*COUNTS, 0}
    assert suppressed_tables.least_epsilon(COUNTS, k=k, delta=delta) <= found.eps
    others = [table_bounds.upper_bound(COUNTS, k, hidden=hidden) for hidden in range(9)]
    assert found.eps <= min(other.epsilon(delta) for other in others) * 1.05


def test_least_epsilon_is_that_of_the_lower_bound():
    for k in (1, 5, 20):
        expected = table_bounds.lower_bound(COUNTS, k).epsilon(1e-4)
        assert suppressed_tables.least_epsilon(COUNTS, k=k, delta=1e-4) == pytest.approx(
            expected, rel=1e-6
        )


def test_without_a_cell_that_is_surely_hidden_nothing_is_promised():
    found = suppressed_tables.epsilon([10, 20, 30], k=12, delta=1e-6)
    assert (found.eps, found.hidden, found.eta, found.worst) == (math.inf, 0, 0.0, ())
    assert suppressed_tables.least_epsilon([10, 20, 30], k=12, delta=1e-6) < 3


def test_if_all_cells_are_hidden_nothing_is_told():
    found = suppressed_tables.epsilon([10, 20, 30], k=61, delta=1e-6)
    assert (found.eps, found.eta) == (0.0, 0.0)
    assert suppressed_tables.least_epsilon([10, 20, 30], k=61, delta=1e-6) == 0.0
    assert suppressed_tables.suppressed([10, 20, 30], k=61) == (1.0, 1.0)


def test_eta_is_the_sum_of_tails():
    for counts, k in cases():
        expected = [min(1.0, float(eta(counts, k, hidden))) for hidden in range(1, len(counts) + 1)]
        found = list(suppressed_tables._etas(np.array(counts), k))
        assert found == pytest.approx([0.0, *expected], rel=1e-8)


def test_suppressed_counts_records_and_cells():
    assert suppressed_tables.suppressed([5, 1, 4], k=1) == (0.0, 0.0)
    assert suppressed_tables.suppressed([5, 1, 4], k=5) == (0.5, 2 / 3)
    assert suppressed_tables.suppressed(np.array([5, 1, 4]), k=6) == (1.0, 1.0)


def test_a_large_k_costs_what_the_counts_vary_by():
    # Of 99 000 possible counts of a cell of 1000 nearly none ever is.
    laws = suppressed_tables._table(100_000)
    for found in (
        laws._both_suppressed(1000, 98_000, 1000, 99_000),
        laws._one_suppressed(99_000, 1000, 99_000),
    ):
        assert found.first.size == found.second.size < 3000
        assert 0.1 < np.sum(found.first) <= np.sum(found.second) < 1.1
    # The rarer cell is shown as good as never, so that it matters not how much larger k is.
    nearly = table_bounds.upper_bound([1000, 99_000], 97_000, hidden=0)
    assert nearly.delta(0.05) == pytest.approx(
        table_bounds.upper_bound([1000, 99_000], 2000, hidden=0).delta(0.05), abs=1e-10
    )
