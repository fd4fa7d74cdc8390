"""Figure 6 of the paper: a count with geometric noise, as published, corrected and exact."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pkdp.figures._drawing import (
    BLUE,
    BOUND,
    EXACT,
    GREEN,
    INK,
    PRINTED,
    VERMILION,
    label_line,
)
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, noise, published
from pkdp.profiles.profile import PrivacyProfile

NAME = "6"
TITLE = "A count with geometric noise, λ = 0.05: published, corrected, exact"
ALT = (
    "n = 1,000, as published. All three curves start at 0.46, eight times the exact worst case, a "
    "thin line. They cross it at ε = 0.42 to 0.44 and promise too much from there on. Those with "
    "noise fall ever more steeply, to 4·10⁻¹³ at 0.51 for p = 0.6 and at 0.69 for p = 0.5. The "
    "one without noise falls to that height at ε = 0.86 and stays on it; the exact one is 4·10⁻⁷ "
    "at 0.8 and 9·10⁻⁹ at 1.",
    "n = 1,000, corrected and exact. Without noise the exact worst case falls from 0.058 to "
    "9·10⁻⁹ at ε = 1, the blanket bound from 0.080 to 1.6·10⁻⁷. With noise both start a little "
    "lower, fall ever more steeply, and end at ε = 0.51 for p = 0.6 and at 0.69 for p = 0.5. At ε "
    "= 0.5 the exact δ is 9·10⁻⁵ without noise, 3·10⁻⁵ for p = 0.5 and 2·10⁻⁷ for p = 0.6.",
    "n = 10,000, with the noises of the caption. The exact curves without noise and with p = 0.5 "
    "nearly coincide, at 1.1·10⁻¹¹ and 8·10⁻¹² for ε = 0.3; the blanket bounds are 1.8·10⁻⁸ and "
    "1.4·10⁻⁸ there. For p = 0.75 both curves end at ε = 0.29.",
    "n = 1,000: the published curves, dotted, and the same formula without rounding errors, thin, "
    "for δ from 10⁻⁵ to 10⁻¹⁷. They coincide down to some 10⁻¹¹. Then the published ones bend "
    "into the height of 4·10⁻¹³, where the others fall on: without noise to 10⁻¹⁵ at ε = 0.88, "
    "with noise straight down.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

LAM = 0.05
DRAWN, STATED = 1000, 10_000  # how many records the figure has, and how many its caption
# The parameters of the noise, 0 for none, in the figure and in its caption; and where curves end.
DRAWN_NOISES = {0.0: 1.0, 0.5: math.log(2.0), 0.6: math.log(5 / 3)}
STATED_NOISES = {0.0: 0.42, 0.5: 0.42, 0.75: math.log(4 / 3)}
SMALLEST = 1e-15
_FAR_BELOW = 1e-25
_SERIES: dict[float, published.Figure6Series] = {
    0.0: "no noise",
    0.5: "p = 0.5",
    0.6: "p = 0.6",
}
_THIN: dict[str, Any] = EXACT | {"linewidth": 1.0}
_STYLES = {"published": PRINTED, "blanket": BOUND, "exact": EXACT, "unrounded": PRINTED}


@functools.cache
def data() -> Table:
    """Return all curves.

    Returns
    -------
    Table
        Columns ``panel`` (``drawn`` for the figure's parameters, ``stated`` for its caption's,
        ``floor``), ``p`` (the parameter of the noise, 0 for none), ``series``, ``x`` (ε) and ``y``
        (δ). Series are ``published``, ``blanket`` and ``exact``, and on the last panel
        ``published`` and ``unrounded``: the same tail, summed from its far end.
    """
    blocks = []
    for p, end in DRAWN_NOISES.items():
        grid = _grid(end, p)
        drawn = published.figure_6(_SERIES[p])
        blocks.append(_curve("drawn", p, "published", drawn, grid))
        for name, profile in _truths(DRAWN, p).items():
            blocks.append(_curve("drawn", p, name, profile, grid))
        low = np.linspace(0.5, 1.0, 51) if p == 0.0 else np.append(grid, end)
        for name, rounded in (("published", True), ("unrounded", False)):
            blocks.append(_curve("floor", p, name, published.figure_6(_SERIES[p], rounded), low))
    for p, end in STATED_NOISES.items():
        for name, profile in _truths(STATED, p).items():
            blocks.append(_curve("stated", p, name, profile, _grid(end, p)))
    return stack(*blocks)


def _grid(end: float, p: float) -> NDArray[np.float64]:
    if p == 0.0:
        return np.linspace(0.0, end, 26)
    # With noise the curves fall ever more steeply towards the end, where δ becomes 0.
    parts = [np.linspace(0.0, 0.8, 11), 1.0 - np.geomspace(0.17, 0.004, 11)]
    steps = [*parts, 1.0 - np.geomspace(0.002, 1e-8, 5)]
    return end * np.concatenate(steps)


def _truths(n: int, p: float) -> dict[str, PrivacyProfile]:
    if p == 0.0:
        return {"blanket": counting.blanket(n, LAM), "exact": counting.worst_case(n, LAM)}
    return {
        "blanket": noise.blanket(n, LAM, noise=noise.Geometric(p)),
        "exact": noise.worst_case(n, LAM, noise=noise.Geometric(p)),
    }


def _curve(
    panel: str, p: float, series: str, profile: PrivacyProfile, grid: NDArray[np.float64]
) -> Table:
    return block(panel=panel, p=p, series=series, x=grid, y=profile.delta(grid))


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw what was published, then the truth for its parameters and for the caption's."""
    left, right, stated, floor = axes
    drawn = select(data, panel="drawn")
    _frame(left, 1.0, "n = 1,000: published")
    for p in DRAWN_NOISES:
        _plot(left, select(drawn, p=p, series="published"), PRINTED)
        _plot(left, select(drawn, p=p, series="exact"), _THIN)
    _frame(right, 1.0, "n = 1,000: corrected, exact")
    _frame(stated, 0.4, "n = 10,000, as in the caption")
    for panel, name, noises in ((right, "drawn", DRAWN_NOISES), (stated, "stated", STATED_NOISES)):
        for p in noises:
            for series in ("blanket", "exact"):
                _plot(panel, select(data, panel=name, p=p, series=series), _STYLES[series])
    _floor(floor, select(data, panel="floor"))
    _labels(axes, data)


def _floor(panel: Axes, rows: Table) -> None:
    _frame(panel, 1.0, "n = 1,000: the floor of rounding")
    panel.set_xlim(0.4, 1.0)
    panel.set_xticks([0.4, 0.6, 0.8, 1.0], ["0.4", "0.6", "0.8", "1"])
    panel.set_ylim(1e-17, 1e-5)
    for p in DRAWN_NOISES:
        _plot(panel, select(rows, p=p, series="published"), PRINTED)
        _plot(panel, select(rows, p=p, series="unrounded"), {"color": INK, "linewidth": 0.9})


def _labels(axes: Sequence[Axes], data: Table) -> None:
    left, right, stated, floor = axes
    drawn = functools.partial(select, data, panel="drawn")
    plain = drawn(p=0.0, series="published")
    label_line(left, plain, "no noise", at=1.0, offset=(-1, 4), color=VERMILION, ha="right")
    label_line(left, drawn(p=0.0, series="exact"), "exact", at=0.8, offset=(2, 4), color=BLUE)
    for panel in (left, right):
        colour = VERMILION if panel is left else INK
        for p in (0.5, 0.6):
            x = DRAWN_NOISES[p] - 0.015
            panel.text(x, 1e-14, f"p = {p:g}", fontsize=8, color=colour, ha="right")
    blanket, exact = (drawn(p=0.0, series=series) for series in ("blanket", "exact"))
    label_line(right, blanket, "blanket bound", at=0.99, offset=(0, 26), color=GREEN, ha="right")
    label_line(right, exact, "exact\nworst case", at=0.85, offset=(0, -5), color=BLUE, va="top")
    blanket, exact = (
        select(data, panel="stated", p=0.0, series=series) for series in ("blanket", "exact")
    )
    label_line(stated, blanket, "blanket bound", at=0.26, offset=(4, 4), color=GREEN, ha="left")
    label_line(
        stated,
        exact,
        "exact\nworst case",
        at=0.16,
        offset=(-7, 4),
        color=BLUE,
        ha="right",
        va="top",
    )
    stated.text(0.326, 1e-12, "0, 0.5", fontsize=8)
    stated.text(STATED_NOISES[0.75] - 0.012, 1e-14, "p = 0.75", fontsize=8, ha="right")
    rounded, summed = (
        select(data, panel="floor", p=0.0, series=series) for series in ("published", "unrounded")
    )
    label_line(floor, rounded, "as published", at=0.99, offset=(0, 4), color=VERMILION, ha="right")
    label_line(floor, summed, "unrounded", at=0.87, offset=(-4, 0), color=INK, ha="right", va="top")


def _frame(panel: Axes, last: float, title: str) -> None:
    panel.set_yscale("log")
    panel.set_xlim(0, last)
    panel.set_ylim(SMALLEST, 1)
    panel.set_xticks([0, last / 2, last], ["0", f"{last / 2:g}", f"{last:g}"])
    panel.set_yticks([1e-15, 1e-10, 1e-5, 1], [*(f"$10^{{-{k}}}$" for k in (15, 10, 5)), "1"])
    panel.minorticks_off()
    panel.set_xlabel("ε")
    panel.set_ylabel("δ")
    panel.set_title(title)


def _plot(panel: Axes, curve: Table, style: dict[str, Any]) -> None:
    """Plot a curve, down to well below the panel."""
    seen = curve["y"] > _FAR_BELOW
    panel.plot(curve["x"][seen], curve["y"][seen], **style)
