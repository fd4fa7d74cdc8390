"""Why a count hides anyone: its law with the target's record 1, and with 0, are one apart."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, Table, curves, panels
from pkdp.figures._palette import BLUE, INK, VERMILION
from pkdp.figures._panel import Panel
from pkdp.partial_knowledge import counting
from pkdp.profiles.binomials import log_binomial_pmf

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

OTHERS, PROBABILITY, EPS = 40, 0.7, 0.3


def data() -> Blocks:
    """Yield both laws over all counts, the scaled one, and the logarithm of their ratio.

    Yields
    ------
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
    laws = {"one": one, "zero": zero, "scaled zero": math.exp(EPS) * zero, "log ratio": log_ratio}
    yield curves(count, laws)
    yield curves(0, {"eps": EPS, "delta": profile.delta(EPS)})


def draw_excess(panel: Panel, one: Table, zero: Table, scaled: Table) -> None:
    """Draw two distributions as steps, and shade where the first exceeds the scaled second."""
    edges = np.arange(len(one["x"]) + 1) - 0.5
    larger = np.maximum(one["y"], scaled["y"])
    panel.stairs(larger, edges, baseline=scaled["y"], fill=True, color=VERMILION, alpha=0.5)
    panel.stairs(zero["y"], edges, color=BLUE, fill=True, alpha=0.15)
    panel.stairs(scaled["y"], edges, color=BLUE, linestyle=(0, (3, 1.5)), linewidth=1.4)
    panel.stairs(one["y"], edges, color=VERMILION, linewidth=1.6)


def draw(axes: Panels) -> None:
    """Draw the laws on the first panel and the logarithm of their ratio on the second."""
    titles = ("Two laws, one apart", "A higher count tells more")
    laws, losses = panels(axes, *titles, by="")
    one, zero, scaled, ratio = map(laws.rows, ("one", "zero", "scaled zero", "log ratio"))
    (eps,), (delta,) = (laws.rows(name)["y"] for name in ("eps", "delta"))
    draw_excess(laws, one, zero, scaled)
    laws.x("released count $k$", (15.5, 40.5))
    laws.y("probability", (0, 0.2), [0, 0.05, 0.1, 0.15], digits=2)
    laws.grid(axis="x", visible=False)
    laws.label(scaled, r"$e^{\varepsilon} Q$", 26, (-8, 3), BLUE)
    laws.text(28, 0.03, "$Q$: record 0", ha="center", color=BLUE)
    laws.label(one, "$P$: record 1", 31, (9, 8), VERMILION)
    laws.callout(f"δ = {delta:.3f}", (33.1, 0.05), (35, 0.075), VERMILION, va="baseline")

    count, loss = ratio["x"], ratio["y"]
    above = loss > eps
    losses.axhline(0, color=INK, linewidth=0.7)
    losses.axhline(eps, color=INK, linewidth=1, linestyle=(0, (3, 1.5)))
    losses.plot(count, loss, color=BLUE, linewidth=0.8)
    losses.plot(count[~above], loss[~above], "o", color=BLUE)
    losses.plot(count[above], loss[above], "o", color=VERMILION)
    losses.x("released count $k$", (15.5, 40.5))
    losses.y(r"$\ln\,(P[k]\,/\,Q[k])$", (-1.6, 2.3), {-1: "−1", 0: "0", 1: "1", 2: "2"})
    losses.text(16, eps, f"ε = {eps:g}", va="bottom")
    losses.text(36.2, 1.5, "counts that\nmake up δ", ha="right", va="bottom", color=VERMILION)
