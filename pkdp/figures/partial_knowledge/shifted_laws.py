"""Why a count hides anyone: its law with the target's record 1, and with 0, are one apart."""

import functools
import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, INK, VERMILION, label_line, leader
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting
from pkdp.profiles.laws import log_binomial_pmf

NAME = "shifted-laws"
TITLE = "Why a count hides anyone"
ALT = (
    "Step plot of two bell-shaped laws of a count of 41 records, each of the 40 others being 1 "
    "with probability 0.7. The law for target record 1 is the law for target record 0 moved one "
    "step to the right. A dashed copy of the latter, multiplied by e to the 0.3, covers the "
    "former except on the upper flank: the small shaded excess there, 4.6 percent of the whole, "
    "is δ.",
    "The logarithm of the ratio of the two laws against the count: it only ever rises, through "
    "zero near the mean count and past a horizontal line at ε = 0.3 a little above it. Counts to "
    "the right of that crossing are those that count towards δ.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

OTHERS, PROBABILITY, EPS = 40, 0.7, 0.3


@functools.cache
def data() -> Table:
    """Return both laws over all counts, the scaled one, and the logarithm of their ratio.

    Returns
    -------
    Table
        Columns ``series`` (``one``, ``zero``, ``scaled zero``, ``log ratio``, ``eps``,
        ``delta``), ``x`` the count (0 for the two constants) and ``y``.
    """
    count = np.arange(OTHERS + 2)
    one, zero = (
        np.exp(log_binomial_pmf(others, OTHERS, PROBABILITY)) for others in (count - 1, count)
    )
    with np.errstate(divide="ignore"):  # each law has one count the other lacks
        log_ratio = np.log(one) - np.log(zero)
    profile = counting.exact(np.full(OTHERS, PROBABILITY))
    return stack(
        block(series="one", x=count, y=one),
        block(series="zero", x=count, y=zero),
        block(series="scaled zero", x=count, y=math.exp(EPS) * zero),
        block(series="log ratio", x=count, y=log_ratio),
        block(series="eps", x=0, y=EPS),
        block(series="delta", x=0, y=profile.delta(EPS)),
    )


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the laws on the first panel and the logarithm of their ratio on the second."""
    _laws(axes[0], data)
    _ratio(axes[1], data)


def _laws(panel: Axes, data: Table) -> None:
    one, zero, scaled = (select(data, series=name) for name in ("one", "zero", "scaled zero"))
    delta = select(data, series="delta")["y"][0]
    edges = np.arange(len(one["x"]) + 1) - 0.5
    excess = one["y"] > scaled["y"]
    panel.stairs(
        np.where(excess, one["y"], scaled["y"]),
        edges,
        baseline=scaled["y"],
        fill=True,
        color=VERMILION,
        alpha=0.5,
    )
    panel.stairs(zero["y"], edges, color=BLUE, fill=True, alpha=0.15)
    panel.stairs(scaled["y"], edges, color=BLUE, linestyle=(0, (3, 1.5)), linewidth=1.4)
    panel.stairs(one["y"], edges, color=VERMILION, linewidth=1.6)
    panel.set_xlim(15.5, 40.5)
    panel.set_ylim(0, 0.2)
    panel.set_yticks([0, 0.05, 0.1, 0.15])
    panel.set_xlabel("released count $k$")
    panel.set_ylabel("probability")
    panel.set_title("Two laws, one apart")
    panel.grid(axis="x", visible=False)
    label_line(
        panel,
        scaled,
        r"$e^{\varepsilon} Q$",
        at=26,
        offset=(-8, 3),
        ha="right",
        color=BLUE,
    )
    panel.text(28, 0.03, "$Q$: record 0", ha="center", color=BLUE, fontsize=8)
    label_line(panel, one, "$P$: record 1", at=31, offset=(9, 8), ha="left", color=VERMILION)
    panel.annotate(
        f"δ = {delta:.3f}",
        (33.1, 0.05),
        (35, 0.075),
        color=VERMILION,
        fontsize=8,
        arrowprops=leader(VERMILION),
    )


def _ratio(panel: Axes, data: Table) -> None:
    ratio = select(data, series="log ratio")
    eps = select(data, series="eps")["y"][0]
    count, loss = ratio["x"], ratio["y"]
    above = loss > eps
    panel.axhline(0, color=INK, linewidth=0.7)
    panel.axhline(eps, color=INK, linewidth=1, linestyle=(0, (3, 1.5)))
    panel.plot(count, loss, color=BLUE, linewidth=0.8)
    panel.plot(count[~above], loss[~above], "o", color=BLUE)
    panel.plot(count[above], loss[above], "o", color=VERMILION)
    panel.set_xlim(15.5, 40.5)
    panel.set_ylim(-1.6, 2.3)
    panel.set_yticks([-1, 0, 1, 2])
    panel.text(16, eps, f"ε = {eps:g}", va="bottom", fontsize=8)
    panel.text(
        36.2, 1.5, "counts that\nmake up δ", ha="right", va="bottom", color=VERMILION, fontsize=8
    )
    panel.set_xlabel("released count $k$")
    panel.set_ylabel(r"$\ln\,(P[k]\,/\,Q[k])$")
    panel.set_title("A higher count tells more")
