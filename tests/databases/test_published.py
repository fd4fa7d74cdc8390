"""Formulas of the paper on the choice of databases: what they give, and where they fall short."""

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from pkdp.databases import published, sampling
from tests.oracles import hypotheses as oracle

F = Fraction


def uniform_but_none(k):
    return oracle.normalized({bits: F(1) for bits in oracle.vectors(k) if any(bits)})


def none(k):
    return {(0,) * k: F(1)}


def corollary_6(ratios, deltas):
    """Corollary 6 in fractions, simple composition of the subsampled mechanisms: E' and δ'."""
    k = len(ratios)
    ratio = leak = F(0)
    for i in range(k):
        weight = F(2 ** (k - 1 - i), 2**k - 1)
        later = math.prod(((1 + r) / 2 for r in ratios[i + 1 :]), start=F(1))
        ratio += weight * ratios[i] * later
        leak += weight * min(F(1), deltas[i] + sum(deltas[i + 1 :], F(0)) / 2)
    return ratio, leak


@pytest.mark.parametrize("ratio", [F(5), F(7), F(8), F(20), F(10**6)])
def test_corollary_6_and_a_leak_beside_a_loud_mechanism(ratio):
    """k = 2, a (0, δ) and an (ln E, 0) mechanism: the second direction fails just where E > 7."""
    delta = F(1, 100)
    ratios, deltas = [F(1), ratio], [delta, F(0)]
    printed, leak = corollary_6(ratios, deltas)
    assert (printed, leak) == ((1 + 2 * ratio) / 3, 2 * delta / 3)
    prior = uniform_but_none(2)
    assert oracle.one_way(prior, none(2), ratios, deltas, printed) <= leak
    back = oracle.one_way(none(2), prior, ratios, deltas, printed)
    assert back == delta * (7 * ratio - 1) / (9 * (1 + ratio))
    assert (back > leak) == (ratio > 7)
    logs = [0.0, math.log(ratio)]
    later = [sampling.amplified(logs[1], 0.0, 0.5).eps, 0.0]
    found = published.corollary_6(logs, later, [float(delta), 0.0])
    assert math.exp(found.eps) == pytest.approx(float(printed))
    assert found.delta == pytest.approx(float(leak))
    # The other order of the databases promises the same.
    assert corollary_6(ratios[::-1], deltas[::-1]) == (printed, leak)


def test_theorem_3_in_the_first_direction_and_corrected_in_both():
    """400 draws of k ≤ 3 unequal mechanisms."""
    draws = Random(3)
    for _ in range(400):
        k = draws.randint(1, 3)
        ratios, deltas = map(list, zip(*oracle.guarantees(draws, k), strict=True))
        printed, leak = corollary_6(ratios, deltas)
        prior = uniform_but_none(k)
        assert oracle.one_way(prior, none(k), ratios, deltas, printed) <= leak
        rest = [[math.prod(((1 + r) / 2 for r in ratios[i + 1 :]), start=F(1))] for i in range(k)]
        weights = [F(2 ** (k - 1 - i), 2**k - 1) for i in range(k)]
        terms = [ratios[i] * rest[i][0] for i in range(k)]
        leaks = [min(F(1), deltas[i] + sum(deltas[i + 1 :], F(0)) / 2) for i in range(k)]
        back = 1 / sum(w / e for w, e in zip(weights, terms, strict=True))
        leak_back = back * sum(w * d / e for w, d, e in zip(weights, leaks, terms, strict=True))
        assert back <= printed
        assert oracle.one_way(none(k), prior, ratios, deltas, back) <= leak_back


def test_corollary_7_is_theorem_3_of_equal_mechanisms():
    for k, eps, delta in [(1, 0.3, 0.1), (4, 1.0, 1e-3), (60, 0.2, 1e-6)]:
        once = sampling.amplified(eps, delta, 0.5)
        later = np.arange(k - 1, -1, -1)
        found = published.corollary_6(np.full(k, eps), later * once.eps, delta, later * once.delta)
        assert found == pytest.approx(published.corollary_7(k, eps, delta), rel=1e-10)
        assert published.theorem_3(eps + later * once.eps, 0.0).delta == 0.0


def test_averaging_matched_pairs_fails_for_two_priors_that_are_no_points():
    """p = ½(00) + ½(11) against q = ½(00) + ½(01): the average says (1+E)/2, at δ = 0."""
    p, q = {(0, 0): F(1, 2), (1, 1): F(1, 2)}, {(0, 0): F(1, 2), (0, 1): F(1, 2)}
    ratio = F(3)
    found = published.averaging([0.5, 0.5], [0.0, math.log(ratio)])
    assert math.exp(found.eps) == pytest.approx(2.0)
    assert oracle.least_ratio(p, q, [ratio] * 2) == (1 + ratio**2) / (1 + ratio) == F(5, 2)
