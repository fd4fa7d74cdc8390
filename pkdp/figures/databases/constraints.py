"""What 365 nights in a year save: ε against the number of hospitals, by theorem."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.databases import memberships
from pkdp.figures._drawing import Panels, draw_curve, log_axes
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, Style
from pkdp.figures._tables import Table, curves, select, stack

TITLE = "Hospitals, of which nobody visits more than 365"
ALT = (
    "ε at δ = 10⁻¹⁰ against the number k of hospitals, 100 to 10,000, both axes logarithmic; each "
    "mechanism has ε = 0.05. Up to k = 365 the constraint changes nothing. Beyond, without the "
    "constraint, simple composition rises in a straight line to 500 at 10,000, advanced to 60, "
    "optimal to 44. With it all are constant: 18.3 for simple composition, and the same for "
    "parallel composition, 7.42 for advanced, 6.16 for optimal.",
    "The same against k from 100 to 2,000 for mechanisms of which one in twenty has ε = 0.1, all "
    "others 0.03. Parallel composition is at 36.5 from k = 365 on. With the constraint simple "
    "composition reaches 12.2 at k = 365 and 18.0 at 2,000; advanced 5.3 and 8.8, optimal 4.3 and "
    "7.2. Without it the three rise to 67, 14.0 and 11.3 at 2,000.",
)
PANEL_SIZE = (3.3, 3.1)

M, DELTA = 365, 1e-10
EPS, LARGE, SMALL, ONE_IN = 0.05, 0.1, 0.03, 20
EQUAL = np.unique([*np.geomspace(100, 10_000, 31).round().astype(np.int64), M])
UNEQUAL = np.array([100, 140, 200, 260, 320, M, 440, 540, 700, 900, 1200, 1600, 2000])
THEOREMS = {
    "simple": memberships.simple,
    "advanced": memberships.advanced,
    "optimal": memberships.optimal,
}

_COLORS = {"simple": GREEN, "advanced": PURPLE, "optimal": BLUE}
_WITH: Style = {"linestyle": "-", "linewidth": 1.9}
_WITHOUT: Style = {"linestyle": (0, (1.2, 1.4)), "linewidth": 1.7}
_PARALLEL: Style = {"color": INK, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}


def guarantees(k: int, *, equal: bool) -> list[float]:
    """Return the ε of k mechanisms, of which one in twenty is large if they are not equal."""
    many = 0 if equal else k // ONE_IN
    return [EPS] * k if equal else [LARGE] * many + [SMALL] * (k - many)


def data() -> Table:
    """Return ε against k.

    Returns
    -------
    Table
        Columns ``panel`` (``equal``, ``unequal``), ``constraint`` (``none``, ``365``), ``series``
        (``simple``, ``advanced``, ``optimal``, ``parallel``), ``x`` (k) and ``y`` (ε at δ = 10⁻¹⁰).
    """
    blocks = []
    for panel, sizes in (("equal", EQUAL), ("unequal", UNEQUAL)):
        every = [guarantees(k, equal=panel == "equal") for k in sizes.tolist()]
        x = sizes.astype(float)
        # The worst 365 do not change any more once they are all large, or all alike.
        limited: dict[str, list[float]] = {
            name: [_limited(tuple(each), name) for each in every] for name in THEOREMS
        }
        limited["parallel"] = [memberships.parallel(min(M, len(each)), each) for each in every]
        free = {
            name: [theorem(each).epsilon(DELTA) for each in every]
            for name, theorem in THEOREMS.items()
        }
        blocks.append(curves(x, limited, panel=panel, constraint="365"))
        blocks.append(curves(x, free, panel=panel, constraint="none"))
    return stack(*blocks)


def _limited(each: tuple[float, ...], name: str) -> float:
    promised = memberships.at_most(min(M, len(each)), each, theorem=THEOREMS[name])
    return promised.epsilon(DELTA)


def draw(axes: Panels, data: Table) -> None:
    """Draw ε with and without the constraint, for equal and for unequal mechanisms."""
    equal, unequal = axes
    _frame(equal, "All hospitals alike", [100, 365, 1000, 10_000], 600)
    rows = select(data, panel="equal")
    _draw(
        equal,
        rows,
        {
            "simple": (4700, (0, -5), "simple, parallel"),
            "advanced": (6000, (0, 2), "advanced"),
            "optimal": (5000, (0, -5), "optimal"),
        },
    )
    draw_curve(equal, select(rows, series="parallel"), _PARALLEL)
    free = select(select(rows, constraint="none"), series="simple")
    draw_curve(equal, free, _WITHOUT | {"color": GREEN}, "no limit", 1500, (-4, 3))
    _frame(unequal, "One in twenty tells more", [100, 365, 1000, 2000], 100)
    rows = select(data, panel="unequal")
    _draw(
        unequal,
        rows,
        {
            "simple": (180, (-3, 3), "simple"),
            "advanced": (520, (0, 13), "advanced"),
            "optimal": (180, (4, -5), "optimal"),
        },
    )
    draw_curve(unequal, select(rows, series="parallel"), _PARALLEL, "parallel", 180, (-3, 4))


def _frame(panel: Axes, title: str, marks: list[int], top: float) -> None:
    log_axes(panel, x=(marks[0], marks[-1]), y=(2, top))
    panel.set(title=title, xlabel="hospitals k", ylabel="ε at δ = 10⁻¹⁰")
    panel.set_xticks(marks, [f"{mark:,}" for mark in marks])
    heights = [height for height in (2, 5, 10, 20, 50, 100, 500) if height <= top]
    panel.set_yticks(heights, [str(height) for height in heights])


def _draw(
    panel: Axes, rows: Table, places: dict[str, tuple[float, tuple[float, float], str]]
) -> None:
    for series, (at, offset, text) in places.items():
        color = {"color": _COLORS[series]}
        free = select(select(rows, constraint="none"), series=series)
        draw_curve(panel, free, _WITHOUT | color)
        limited = select(select(rows, constraint="365"), series=series)
        draw_curve(panel, limited, _WITH | color, text, at, offset)
