"""What the page on absent records and other limits says, in exact fractions."""

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import figures, kanonymity
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import absent as absent_figure
from pkdp.figures.partial_knowledge import microdata
from pkdp.worlds import independent
from pkdp.worlds.definitions import apk_delta, ppk_delta
from tests.oracles import counts as oracles
from tests.oracles.histograms import BOTTOM, excess, record, tail

pytestmark = pytest.mark.page

# --------------------------------------------------------------------------------------------
# What may be left out
# --------------------------------------------------------------------------------------------


def test_a_known_record_doubles_the_price_of_two_rare_values():
    quarter = F(1, 4)
    law = record(t=quarter, u=quarter)
    release = kanonymity.make_truncated_histogram("tu", k=2)
    for n, m, expected in ((2, 0, quarter), (2, 1, 2 * quarter), (3, 1, F(1, 2)), (3, 2, F(3, 4))):
        world = independent([law] * n, knowledge=range(n - m, n))
        assert ppk_delta(world, release, 1, targets=[0]) == expected
        allowed = kanonymity.theorem_5(n, 0.25, k=2, pair="rare/rare", known=m).delta(0.0)
        assert expected <= allowed + 1e-12
    assert tail(1, quarter, 1) == quarter
    world = independent([law] * 2, knowledge=[1])
    assert apk_delta(world, release, 1, targets=[0]) == 1


@pytest.mark.parametrize("k", [2, 3, 4])
def test_planted_records_lift_the_protection(k):
    honest, planted = record(t=F(1, 20), c=F(1, 2)), record(t=1)
    E, before = F(3), F(-1)
    for number in range(k):
        others = [honest] * 3 + [planted] * number
        value = max(excess(*pair, others, "tc", k, E) for pair in (("t", BOTTOM), (BOTTOM, "t")))
        # What the page has for planted records: k falls by their number.
        assert before < value <= tail(3, F(1, 20), k - 1 - number)
        before = value
    count = oracles.count_delta([F(1, 20)] * 3, E)
    assert before >= count > F(7, 10)


def test_one_outlier_breaks_the_bound_for_common_values():
    lam, E = F(1, 4), F(3, 2)
    others = [record(c=lam, v=1 - 2 * lam), record(v=1 - lam)]
    true = max(excess(*pair, others, "cv", 1, E) for pair in (("c", BOTTOM), (BOTTOM, "c")))
    # With it the bound for two fails; without it that for one is attained.
    assert oracles.blanket_delta(2, lam, E) < true == oracles.blanket_delta(1, lam, E) == F(3, 4)


@given(st.data())
def test_to_know_records_is_never_worse_for_the_attacker(data):
    laws = [
        record(
            **dict(
                zip(
                    "tc",
                    data.draw(st.sampled_from([(F(1, 4), F(1, 2)), (F(1, 2), F(0)), (F(0), F(1))])),
                    strict=True,
                )
            )
        )
        for _ in range(2)
    ]
    k, E = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([F(1), F(2)]))
    release = kanonymity.make_truncated_histogram("tc", k=k)
    target = record(t=F(1, 3), c=F(1, 3))
    unknown = independent([target, *laws])
    known = independent([target, *laws], knowledge=[1])
    least = ppk_delta(unknown, release, E, targets=[0])
    passive = ppk_delta(known, release, E, targets=[0])
    assert least <= passive <= apk_delta(known, release, E, targets=[0])


def test_in_a_long_tail_nearly_all_values_are_rare():
    ranks = np.arange(1, 10_001)
    shares = 1 / ranks / (1 / ranks).sum()
    for rho, part, mass in ((0.01, 0.999, 0.7), (0.001, 0.98, 0.46), (0.0001, 0.89, 0.23)):
        rare = shares <= rho
        assert rare.mean() >= part
        assert shares[rare].sum() >= mass


def test_of_any_law_few_values_are_not_rare():
    """At most 1/rho of them: otherwise they would add up to more than 1."""
    ranks = np.arange(1, 5001)
    weights = [ranks**-s for s in (0.5, 1.0, 1.5, 3.0)] + [0.99**ranks, np.ones(5000)]
    weights.append(np.array(sorted(microdata.cells().values()), dtype=float))
    for weight in weights:
        shares = weight / weight.sum()
        for rho in (0.1, 0.03, 0.01, 0.001):
            assert (shares > rho).sum() <= 1 / rho
    # It is attained, or nearly.
    assert (np.full(100, 0.01) > 0.0099).sum() == 100


def test_two_common_values_need_nobody_absent():
    lam = F(1, 4)
    for N, k, E in product((2, 3), (1, 2), (F(1), F(2))):
        for p in (lam, F(1, 2), 1 - lam):
            others = [record(b=p, c=1 - p)] * N
            for pair in (("b", "c"), ("c", "b")):
                assert excess(*pair, others, "bc", k, E) <= oracles.blanket_delta(N, lam, E)


# --------------------------------------------------------------------------------------------
# Who hides the total
# --------------------------------------------------------------------------------------------


def leak(h, N, k, E, small=F(1, 1000)):
    share = (1 - h - small) / 2
    law = {"a": small, "b": share, "c": share}
    return kanonymity.worst_delta([law] * N, "abc", k=k, ratio=E, pairs=[("a", "b"), ("b", "a")])


def test_the_total_gives_a_rare_value_away():
    for E, text in ((1, "0.98110"), (3, "0.98102"), (1000, "0.98078")):
        assert f"{float(leak(F(0), 19, 3, E)):.5f}" == text


def test_absent_records_close_the_leak():
    shares = [F(0), F(1, 100), F(1, 20), F(1, 10), F(3, 10)]
    deltas = [leak(h, 19, 3, 3) for h in shares]
    assert deltas == sorted(deltas, reverse=True)
    assert f"{float(deltas[-1]):.5f}" == "0.01750"
    for h, delta in zip(shares[1:], deltas[1:], strict=True):
        told = kanonymity.theorem_5(20, float(h), k=3, pair="rare/common", rare=0.001)
        assert float(delta) <= told.delta(math.log(3))


def test_other_rare_values_close_the_leak():
    deltas, small, rare = [], F(1, 1000), F(6, 100)
    for number in range(4):
        others = dict.fromkeys("uvw"[:number], rare)
        share = (1 - small - number * rare) / 2
        law = {"t": small, **others, "b": share, "c": share}
        pairs = [("t", "b"), ("b", "t")]
        deltas.append(kanonymity.worst_delta([law] * 9, tuple(law), k=4, ratio=3, pairs=pairs))
        told = kanonymity.hidden_by_rare(
            10, 0.38, k=4, rare_values=number + 1, hidden=float(small + number * rare), rare=0.06
        )
        assert float(deltas[-1]) <= told.delta(math.log(3))
    assert deltas == sorted(deltas, reverse=True)
    assert [f"{float(delta):.5f}" for delta in deltas[:2]] == ["0.79922", "0.39875"]


# --------------------------------------------------------------------------------------------
# The figure
# --------------------------------------------------------------------------------------------


def test_the_figure_of_the_absent_gives_the_numbers_of_its_texts():
    table = figures.table("absent")
    shown = select(table, panel="shown")
    assert f"{shown['y'].max():.2f}" == "0.18"
    assert select(shown, series="a")["y"].argmax() in (14, 15)
    share = select(table, panel="share")
    for n, first, crossing in (
        (100, "0.99", "0.14"),
        (1000, "0.90", "0.013"),
        (10**4, "0.33", "0.0013"),
    ):
        exact, bound = (select(share, series=name, n=n) for name in ("exact", "bound"))
        assert f"{exact['y'][0]:.2f}" == first
        where = [
            [
                math.exp(np.interp(math.log(y), np.log(c["y"][::-1]), np.log(c["x"][::-1])))
                for y in (1e-3, 1e-4)
            ]
            for c in (exact, bound)
        ]
        assert f"{where[0][0]:.2g}" == crossing
        assert all(1 < b / e < 1.3 for e, b in zip(*where, strict=True))
        assert 12.5 < where[0][0] * n < 13.6  # so that 14 are enough for each n


def test_the_figure_of_the_absent_is_exact():
    """Against the histogram itself, with the releases of a that the figure leaves out."""
    N, h = 40, 0.1
    share = (1 - h - 1e-5) / 2
    law = {"a": F(1e-5), "b": F(share), "c": F(share)}
    E = F(math.e)
    true = kanonymity.worst_delta([law] * N, "abc", k=3, ratio=E, pairs=[("a", "b"), ("b", "a")])
    # That a or b is where k makes a difference has a probability of 1e-7.
    assert absent_figure._delta(N + 1, h) == pytest.approx(float(true), abs=1e-6)
