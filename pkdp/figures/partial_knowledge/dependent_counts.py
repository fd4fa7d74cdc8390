"""A count over records that depend on each other, beside independent ones of equal uncertainty."""

import math

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from pkdp.figures._drawing import Panels, draw_curve, log_axes, power_ticks
from pkdp.figures._palette import BLUE, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, dependent_counts

TITLE = "What dependence does to a count"
ALT = (
    "δ against n from 2 to a million at λ = 0.4, both axes logarithmic. At ε = 0.5 the worst case "
    "over dependent records (solid) falls from 0.6 through 0.076 at n = 100 to 0.037, the limit "
    "(dotted), where it stays. At ε = 0.9 it falls to 0.013 at n = 100, 2.8e-4 at 1,000 and 2e-9 "
    "at 10,000. Independent records (dashed) reach 10⁻¹² at n = 750 for ε = 0.5, and at 270 for "
    "ε = 0.9.",
    "δ against ε from 0 to 1.6 at λ = 0.4. The limit falls from 0.2 at ε = 0 through 0.062 at 0.4 "
    "to nothing at 0.811. Dependent records (solid) stay above it: 100 have 0.24 at ε = 0 and 8e-6 "
    "at 1.6; 10,000 follow the limit and then fall steeply, to 10⁻¹² at 0.93. Independent records "
    "(dashed): 100 have 0.082 at ε = 0 and 2e-11 at 1.6; 10,000 have 0.008 at ε = 0 and 10⁻¹² at "
    "0.13.",
)
PANEL_SIZE = (3.3, 2.9)

LAM = 0.4
BELOW, ABOVE = 0.5, 0.9
SIZES = np.unique(np.geomspace(2, 10**6, 60).round().astype(np.int64))
FEW, MANY = 100, 10_000
EPS = np.unique(np.concatenate([np.linspace(0.0, 0.2, 41), np.linspace(0.0, 1.6, 65)]))
# Where the limit falls to 0.
THRESHOLD = 2.0 * math.log((1.0 - LAM) / LAM)
# What is far below the panels is drawn nowhere.
_LEAST = 1e-18

_DEPENDENT: Style = {"color": VERMILION, "linestyle": "-", "linewidth": 1.9}
_INDEPENDENT: Style = {"color": BLUE, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
_LIMIT: Style = {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 2.2}


def data() -> Table:
    """Return δ against n at two ε, and against ε at two n.

    Returns
    -------
    Table
        Columns ``panel`` (``size``, ``eps``), ``series`` (``dependent``, ``independent``,
        ``limit``), ``at`` (the ε, or the n; 0 for the limit against ε), ``x`` (n, or ε) and ``y``
        (δ, from 1e-18 on).
    """
    kinds = {"dependent": dependent_counts.worst_case, "independent": counting.worst_case}
    limit = dependent_counts.limit(LAM)
    blocks = []
    for series, kind in kinds.items():
        for eps in (BELOW, ABOVE):
            y = np.array([kind(n, LAM).delta(eps) for n in SIZES.tolist()])
            blocks.append(_rows("size", series, eps, SIZES.astype(float), y))
        for n in (FEW, MANY):
            y = np.asarray(kind(n, LAM).delta(EPS))
            blocks.append(_rows("eps", series, float(n), EPS, y))
    flat = np.full(2, limit.delta(BELOW))
    blocks.append(_rows("size", "limit", BELOW, np.array([2.0, 1e6]), flat))
    blocks.append(_rows("eps", "limit", 0.0, *_limit()))
    return stack(*blocks)


def _limit() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x = np.append(EPS[EPS < THRESHOLD], THRESHOLD * (1.0 - np.geomspace(1e-2, 1e-9, 22)))
    x.sort()
    return x, np.asarray(dependent_counts.limit(LAM).delta(x))


def _rows(panel: str, series: str, at: float, x: ArrayLike, y: ArrayLike) -> Table:
    seen = np.asarray(y) >= _LEAST
    return block(panel=panel, series=series, at=at, x=np.asarray(x)[seen], y=np.asarray(y)[seen])


def draw(axes: Panels, data: Table) -> None:
    """Draw δ against n on the left, against ε on the right."""
    size, eps = axes
    _draw_size(size, select(data, panel="size"))
    _draw_eps(eps, select(data, panel="eps"))


def _draw_size(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(2, 1e6), y=(1e-12, 3))
    panel.set(title="More records", xlabel="n", ylabel="δ")
    panel.set_xticks([10, 1e3, 1e5], ["10", "1,000", "100,000"])
    power_ticks(panel, -12, -9, -6, -3, 0)
    draw_curve(panel, select(data, series="limit"), _LIMIT)
    places = (
        ("dependent", BELOW, _DEPENDENT, 3e3, (0, 4)),
        ("dependent", ABOVE, _DEPENDENT, 1500, (5, 4)),
        ("independent", BELOW, _INDEPENDENT, 600, (4, 2)),
        ("independent", ABOVE, _INDEPENDENT, 165, (-5, -3)),
    )
    for series, eps, style, at, offset in places:
        rows = select(data, series=series, at=eps)
        text = f"ε = {eps:g}"
        if (series, eps) != ("independent", BELOW):
            text = f"{series},\n{text}" if series == "independent" else f"{series}, {text}"
        draw_curve(panel, rows, style, text, at, offset)


def _draw_eps(panel: Axes, data: Table) -> None:
    log_axes(panel, y=(1e-12, 3))
    panel.set(title="More ε", xlabel="ε", ylabel="δ", xlim=(0, 1.6))
    panel.set_xticks([0, 0.4, 0.8, 1.2, 1.6], ["0", "0.4", "0.8", "1.2", "1.6"])
    power_ticks(panel, -12, -9, -6, -3, 0)
    places = (
        ("dependent", FEW, _DEPENDENT, 1.25, (3, 4)),
        ("dependent", MANY, _DEPENDENT, 0.915, (5, 0)),
        ("independent", FEW, _INDEPENDENT, 1.2, (3, 6)),
        ("independent", MANY, _INDEPENDENT, 0.11, (5, 3)),
    )
    for series, n, style, at, offset in places:
        draw_curve(panel, select(data, series=series, at=n), style, f"n = {n:,}", at, offset)
    draw_curve(panel, select(data, series="limit"), _LIMIT, "limit", THRESHOLD * 0.9999, (-5, 0))
