"""Six bounds of what replies tell of whether somebody is in any database."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.databases import sampling
from pkdp.figures._drawing import Panels, draw_curve, log_axes
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack

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

_STYLES: dict[str, Style] = {
    "simple": {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 1.4},
    "advanced": {"color": INK, "linestyle": (0, (5, 1.6)), "linewidth": 1.2},
    "optimal": {"color": PURPLE, "linestyle": "-", "linewidth": 1.4},
    "corollary_7": {"color": VERMILION, "linestyle": (0, (1.2, 1.4)), "linewidth": 1.9},
    "theorem_3": {"color": GREEN, "linestyle": (0, (5, 1.6)), "linewidth": 1.6},
    "exact": {"color": BLUE, "linestyle": "-", "linewidth": 1.9},
}
_TEXTS = {
    "simple": "simple",
    "advanced": "advanced",
    "optimal": "optimal",
    "corollary_7": "Cor. 7",
    "theorem_3": "Thm 3",
    "exact": "exact",
}


def data() -> Table:
    """Return six bounds for some k.

    Returns
    -------
    Table
        Columns ``series`` (``simple``, ``advanced``, ``optimal``, ``corollary_7``, ``theorem_3``,
        ``exact``), ``x`` (k) and ``y`` (ε).
    """
    numbers = (*_GRID, *_GRID_END)
    found = [sampling.bounds(k, EPS, DELTA, target=TARGET) for k in numbers]
    x = np.array(numbers, dtype=float)
    return stack(
        *[
            block(series=name, x=x, y=np.array([getattr(each, name) for each in found]))
            for name in _STYLES
        ]
    )


def draw(axes: Panels, data: Table) -> None:
    """Draw the bounds, and their quotients by the exact optimum."""
    bounds, quotients = axes
    _draw_bounds(bounds, data)
    _draw_quotients(quotients, data)


def _axis_of_k(panel: Axes) -> None:
    panel.set(xlabel="databases k")
    panel.set_xticks([1, 10, 100, MOST], ["1", "10", "100", "365"])


def _draw_bounds(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(1, MOST), y=(0.08, 60))
    panel.set(title="Six bounds", ylabel="ε at δ = 10⁻⁶")
    _axis_of_k(panel)
    panel.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    places = {
        "simple": (110, (-4, 2)),
        "advanced": (3.5, (-2, 5)),
        "exact": (60, (4, -4)),
    }
    for name, style in _STYLES.items():
        curve = select(data, series=name)
        if name in places:
            at, offset = places[name]
            draw_curve(panel, curve, style, _TEXTS[name], at, offset)
        else:
            draw_curve(panel, curve, style)


def _draw_quotients(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(1, MOST))
    panel.set(title="Times the exact optimum", ylabel="ε / exact ε", ylim=(0.5, 8))
    _axis_of_k(panel)
    panel.set_yticks([1, 2, 4, 6, 8])
    exact = select(data, series="exact")["y"]
    places = {
        "simple": (150, (-5, 2)),
        "advanced": (6, (5, 3)),
        "optimal": (4, (0, 5)),
        "corollary_7": (355, (-7, 2)),
        "theorem_3": (200, (0, 4)),
        "exact": (200, (0, -4)),
    }
    for name, style in _STYLES.items():
        curve = select(data, series=name)
        curve = block(x=curve["x"], y=curve["y"] / exact)
        at, offset = places[name]
        draw_curve(panel, curve, style, _TEXTS[name], at, offset)
