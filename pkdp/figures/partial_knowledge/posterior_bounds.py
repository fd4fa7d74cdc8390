"""Figures 2.1 and 2.2 of the thesis: how far ε-differential privacy lets a belief move."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, EXACT, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import background

TITLE = "How far a belief may move"
ALT = (
    "Posterior against prior for ε = ln 3, both from 0 to 1. Two solid curves bulge away from the "
    "diagonal, one above and one below it, symmetric about the centre; all three meet in the "
    "corners. At a prior of 50 % dots mark posteriors of 25 % and 75 %.",
    "The same two curves for ε = 1, 2, 3, 4, 5, 6 and 7: the larger ε, the closer they come to the "
    "left and upper edge, or to the right and lower one. A dot on the upper curve for ε = 5 marks "
    "a prior of 10 % and a posterior of 94.3 %.",
)
PANEL_SIZE = (3.3, 3.1)

# The first is not in our text of the thesis, which lacks formulas: it is the one that makes 75 % of
# 50 %, and that of randomized response. The others are in the text of Figure 2.2.
EPS = math.log(3)
MANY_EPS = (1, 2, 3, 4, 5, 6, 7)
# Evenly spaced in the log-odds, where the curves are straight.
_PRIORS = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-9.5, 9.5, 77))), [1.0]])


def data() -> Blocks:
    """Yield the least and the largest posterior against the prior.

    Yields
    ------
    Table
        Columns ``panel`` (``one``, ``many``), ``series`` (``lower``, ``upper``, ``dot``), ``eps``,
        ``x`` (the prior) and ``y`` (the posterior).
    """
    for panel, values in (("one", (EPS,)), ("many", MANY_EPS)):
        for eps in values:
            lower, upper = background.posterior_bounds(_PRIORS, eps)
            for series, curve in (("lower", lower), ("upper", upper)):
                yield block(panel=panel, series=series, eps=float(eps), x=_PRIORS, y=curve)
    low, high = background.posterior_bounds(0.5, EPS)
    yield block(panel="one", series="dot", eps=EPS, x=0.5, y=[low, high])
    _, high = background.posterior_bounds(0.1, 5)
    yield block(panel="many", series="dot", eps=5.0, x=0.1, y=high)


def draw(axes: Panels) -> None:
    """Draw one ε on the first panel and seven on the second."""
    one, many = panels(axes, "Figure 2.1: ε = ln 3", "Figure 2.2: ε = 1, 2, …, 7")
    percents = {part / 100: f"{part} %" if part else "0" for part in (0, 25, 50, 75, 100)}
    for panel in axes:
        panel.plot([0, 1], [0, 1], color=INK, linewidth=0.9, linestyle=(0, (3, 2)))
        panel.x("prior", (-0.01, 1.01), percents)
        panel.y("posterior", (-0.01, 1.16), percents)
        panel.set(aspect="equal")
    one.curve("lower", EXACT, "at least", 0.5, (8, -10), va="bottom")
    one.curve("upper", EXACT, "at most", 0.5, (-8, 3))
    dots = one.rows("dot")
    one.vlines(dots["x"][0], dots["y"].min(), dots["y"].max(), color=VERMILION, linewidth=0.9)
    one.plot(dots["x"], dots["y"], "o", color=VERMILION)
    one.text(0.7, 0.635, "nothing learned", rotation=45, ha="center", va="center")
    odd, even = line(BLUE, width=1.3), line(PURPLE, (0, (5, 1.4)), 1.3)
    for eps in MANY_EPS:
        style = odd if eps % 2 else even
        for series in ("lower", "upper"):
            many.curve(many.rows(series, eps=float(eps)), style)
        # Where the upper curve crosses the other diagonal, and its mirror image below.
        cross = 1 / (1 + math.exp(eps / 2))
        if eps <= 4:
            for point, offset in (((cross, 1 - cross), (5, -5)), ((1 - cross, cross), (-5, 5))):
                color = style["color"]
                text = many.note(str(eps), point, offset, color, ha="center", va="center")
                text.set_bbox({"boxstyle": "square,pad=0.1", "color": "none"})
    (dot,) = many.rows("dot")["y"]
    many.plot([0.1], [dot], "o", color=VERMILION)
    many.callout(f"from 10 % to {100 * dot:.1f} % at ε = 5", (0.1, dot), (0.11, 1.09), VERMILION)
