"""A threshold against attackers who see other records: what they gain, and what is proved."""

import functools
import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, BOUND, GREEN, INK, PURPLE, VERMILION, label_line, leader
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import thresholding

NAME = "passive-knowledge"
TITLE = "What it is worth to see other records"
ALT = (
    "The passive attacker up to all 999 others, all at p = 0.005 (solid) or up to it (dashed). "
    "For ε = 0 and 1 δ stays between 1.1e-7 and 3.1e-7. For ε = 2 it rises from 1.4e-20, dashed "
    "from 1.0e-12, as more and more records are known. All curves end at 3.05e-7, the probability "
    "that at least 20 of the others are 1.",
    "What proofs give against the passive attacker, all probabilities up to 0.005. Theorem 4, at "
    "its best b_max, jumps from 3.1e-7 without knowledge to 5.0e-6 at one known record, climbs "
    "unevenly to about 6e-4 where half are known, and ends at 1.3e-6 at 999. The probability that "
    "at least 20 others are 1, 3.05e-7, is a horizontal line, just above the exact δ at ε = 0, "
    "which is 2.3e-7 up to 500 and meets it at 999.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

RECORDS, P, THRESHOLD = 1000, 0.005, 20
_COLOURS = {0.0: BLUE, 1.0: GREEN, 2.0: PURPLE}


@functools.cache
def data() -> Table:
    """Return δ of a passive attacker, and bounds on it, against the number of known records.

    Returns
    -------
    Table
        Columns ``panel`` (``passive``, ``promises``), ``series`` (``equal``, ``at most``;
        ``theorem 4``; and ``pivotal``, the probability that at least T others are 1), ``eps``,
        ``x`` (known records) and ``y`` (δ).
    """
    many = np.array([0, 25, 50, 100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 950, 980, 999])
    x = many.astype(float)
    blocks = []
    for eps in _COLOURS:
        equal = [
            thresholding.passive(RECORDS, P, threshold=THRESHOLD, known=int(m)).delta(eps)
            for m in many
        ]
        worst = [
            thresholding.passive_worst_case(
                RECORDS, P, threshold=THRESHOLD, known=int(m), tol=1e-3
            ).delta(eps)
            for m in many
        ]
        blocks += [
            block(panel="passive", series="equal", eps=eps, x=x, y=equal),
            block(panel="passive", series="at most", eps=eps, x=x, y=worst),
        ]
        if eps == 0.0:
            blocks.append(block(panel="promises", series="at most", eps=eps, x=x, y=worst))
    pivotal = thresholding.passive(RECORDS, P, threshold=THRESHOLD, known=RECORDS - 1).delta(0.0)
    ends = np.array([0.0, RECORDS - 1.0])
    blocks += [
        block(panel=panel, series="pivotal", eps=0.0, x=ends, y=pivotal)
        for panel in ("passive", "promises")
    ]
    few, some = np.arange(10), np.geomspace(10, 250, 25).astype(int)
    known = np.unique(np.concatenate([few, some, np.arange(300, 1000, 25), [RECORDS - 1]]))
    terms = [
        thresholding.theorem_4_terms(RECORDS, P, threshold=THRESHOLD, known=int(m)) for m in known
    ]
    blocks.append(
        block(
            panel="promises",
            series="theorem 4",
            eps=[one.eps for one in terms],
            x=known.astype(float),
            y=[math.exp(one.log_delta) for one in terms],
        )
    )
    return stack(*blocks)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw what is true on the first panel, what is proved on the second."""
    passive, promises = axes
    _draw_passive(passive, select(data, panel="passive"))
    _draw_promises(promises, select(data, panel="promises"))


def _draw_passive(panel: Axes, data: Table) -> None:
    panel.set_yscale("log")
    panel.set_xlim(0, RECORDS)
    panel.set_ylim(1e-22, 1e-3)
    panel.set_yticks([1e-20, 1e-15, 1e-10, 1e-5], ["10⁻²⁰", "10⁻¹⁵", "10⁻¹⁰", "10⁻⁵"])
    panel.minorticks_off()
    panel.set_xlabel("known records")
    panel.set_ylabel("δ")
    panel.set_title("A passive attacker")
    for eps, colour in _COLOURS.items():
        for series, dashes in (("at most", (0, (5, 1.6))), ("equal", "-")):
            curve = select(data, series=series, eps=eps)
            panel.plot(curve["x"], curve["y"], color=colour, linestyle=dashes, linewidth=1.6)
    equal, at_most = (select(data, series=name, eps=2.0) for name in ("equal", "at most"))
    for curve, text, at, offset, va in (
        (select(data, series="equal", eps=0.0), "ε = 0", 250, (0, 3), "bottom"),
        (select(data, series="equal", eps=1.0), "ε = 1", 250, (0, -3), "top"),
        (at_most, "ε = 2, up to 0.5 %", 30, (0, 12), "bottom"),
        (equal, "ε = 2, at 0.5 %", 400, (6, -4), "top"),
    ):
        colour = {"ε = 0": BLUE, "ε = 1": GREEN}.get(text, PURPLE)
        ha = "left" if at != 250 else "center"
        label_line(panel, curve, text, at=at, offset=offset, color=colour, ha=ha, va=va)
    pivotal = select(data, series="pivotal")
    panel.annotate(
        "she knows everybody",
        (pivotal["x"][-1], pivotal["y"][-1]),
        (-20, 22),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=8,
        color=INK,
        arrowprops=leader(INK),
    )


def _draw_promises(panel: Axes, data: Table) -> None:
    panel.set_yscale("log")
    panel.set_xlim(0, RECORDS)
    panel.set_ylim(8e-8, 3e-3)
    panel.set_yticks([1e-7, 1e-6, 1e-5, 1e-4, 1e-3], ["10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"])
    panel.minorticks_off()
    panel.set_xlabel("known records")
    panel.set_ylabel("δ")
    panel.set_title("What is promised against her")
    exact, pivotal, printed = (
        select(data, series=name) for name in ("at most", "pivotal", "theorem 4")
    )
    panel.plot(printed["x"], printed["y"], color=VERMILION, linewidth=1.6)
    panel.plot(pivotal["x"], pivotal["y"], **BOUND)
    panel.plot(exact["x"], exact["y"], color=BLUE, linewidth=1.9)
    for curve, text, at, offset, va, colour in (
        (printed, "Theorem 4, at its best", 420, (0, 6), "bottom", VERMILION),
        (pivotal, "P[at least 20 others], ε = 0", 420, (0, 4), "bottom", GREEN),
        (exact, "exact, ε = 0", 420, (0, -4), "top", BLUE),
    ):
        label_line(panel, curve, text, at=at, offset=offset, va=va, color=colour)
