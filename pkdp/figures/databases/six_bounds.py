"""Six bounds of what replies tell of whether somebody is in any database."""

import numpy as np

from pkdp.databases import sampling
from pkdp.figures._drawing import Blocks, Panels, block, curves, panels
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, INK, PURPLE, SPARSE, VERMILION, line

TITLE = "Six bounds against an attacker with a uniform prior"
ALT = (
    "ε at δ = 10⁻⁶ against the number k of databases, 1 to 365, both logarithmic; each mechanism "
    "is private with ε = 0.1 and δ = 10⁻¹⁰. All start at 0.1, but for advanced composition. At "
    "k = 365 simple composition is at 36.5, Corollary 7 at 18.7, advanced composition at 13.9, "
    "optimal composition at 10.3, Theorem 3 at 4.76 and the exact optimum at 4.62.",
    "The same divided by the exact optimum. At k = 1 all but advanced composition are at 1. At "
    "k = 10 simple and optimal composition are at 1.95, Corollary 7 and Theorem 3 next to 1. "
    "Towards k = 365 simple composition rises to 7.9 and Corollary 7 to 4.0; it crosses optimal "
    "composition, which rises to 2.2, near k = 85. Advanced composition falls from 5.4 to 2.8 and "
    "ends at 3.0. Theorem 3 is nowhere above 1.06.",
)
PANEL_SIZE = (3.3, 3.0)

EPS, DELTA, TARGET = 0.1, 1e-10, 1e-6
MOST = 365
_GRID = (*range(1, 25), 26, 28, 31, 34, 38, 41, 45, 50, 55, 60, 66, 72, 79, 86, 94, 103, 124, 149)
_GRID_END = (179, 215, 258, 310, MOST)


def data() -> Blocks:
    """Yield six bounds for some k.

    Yields
    ------
    Table
        Columns ``series`` (``simple``, ``advanced``, ``optimal``, ``corollary_7``, ``theorem_3``,
        ``exact``), ``x`` (k) and ``y`` (ε).
    """
    numbers = (*_GRID, *_GRID_END)
    found = [sampling.bounds(k, EPS, DELTA, target=TARGET) for k in numbers]
    heights = zip(*found, strict=True)
    names = sampling.Bounds._fields
    yield curves(np.array(numbers, dtype=float), dict(zip(names, heights, strict=True)))


def draw(axes: Panels) -> None:
    """Draw the bounds, and their quotients by the exact optimum."""
    bounds, quotients = panels(axes, "Six bounds", "Times the exact optimum", by="")
    for panel in axes:
        panel.log_x("databases k", (1, MOST), [1, 10, 100, MOST])
    bounds.log_y("ε at δ = 10⁻⁶", (0.08, 60), [0.1, 1, 10])
    quotients.y("ε / exact ε", (0.5, 8), [1, 2, 4, 6, 8])
    exact = bounds.rows("exact")["y"]
    for series, style, text, at, offset in (
        ("simple", line(INK, SPARSE, 1.4), "simple", 150, (-5, 2)),
        ("advanced", line(INK, DASHED, 1.2), "advanced", 6, (5, 3)),
        ("optimal", line(PURPLE, width=1.4), "optimal", 4, (0, 5)),
        ("corollary_7", line(VERMILION, DOTTED), "Cor. 7", 355, (-7, 2)),
        ("theorem_3", line(GREEN, DASHED, 1.6), "Thm 3", 200, (0, 4)),
        ("exact", line(BLUE), "exact", 200, (0, -4)),
    ):
        bounds.curve(series, style)
        curve = bounds.rows(series)
        quotients.curve(block(x=curve["x"], y=curve["y"] / exact), style, text, at, offset)
    bounds.label("simple", "simple", 110, (-4, 2))
    bounds.label("advanced", "advanced", 3.5, (-2, 5))
    bounds.label("exact", "exact", 60, (4, -4), BLUE)
