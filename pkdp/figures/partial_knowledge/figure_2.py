"""Figure 2 of the paper: δ against ε of Theorem 3 and Proposition 7, published and true."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import (
    BLUE,
    BOUND,
    EXACT,
    GREEN,
    PRINTED,
    PURPLE,
    VERMILION,
    label_line,
    leader,
)
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, published
from pkdp.profiles.profile import PrivacyProfile

NAME = "2"
TITLE = "δ against ε for λ = 0.05: published, corrected, exact"
ALT = (
    "n = 100, as published. Proposition 7 falls to 0.011 in its first case and stays at 1 in its "
    "second; the closed form of Theorem 3 falls from 1 to 0.70. The numeric form falls from 0.67 "
    "at ε = 0 to 2·10⁻¹⁵ at ε = 1.83. From ε = 0.56 on it runs below the exact worst case, a thin "
    "line; the gap between them is shaded.",
    "n = 100, corrected and exact. The exact worst case falls only from 0.19 to 0.0062, the "
    "blanket bound just above it from 0.25 to 0.0077. Proposition 7 stays above 0.33. The exact "
    "curves of the two cases fall steeply, at ε = 1 to 10⁻⁷ and 1.7·10⁻⁶.",
    "n = 10,000, as published. Proposition 7 levels off at 6.6·10⁻⁶ in its first case and at 0.26 "
    "in its second. The closed form reaches 10⁻¹⁵ at ε = 0.98, the numeric form at ε = 0.25, below "
    "the exact worst case from ε = 0.12 on, where the gap is shaded.",
    "n = 10,000, corrected and exact. The exact worst case falls from 0.018 at ε = 0 to 10⁻¹⁵ at "
    "ε = 0.38, the blanket bound to as much at ε = 0.47. Proposition 7 stays above 0.023. The "
    "exact curves of the two cases reach 10⁻¹⁵ at ε = 0.14 and 0.17.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

LAM = 0.05
SIZES = {100: 2.0, 10_000: 1.0}  # n, and where the published axis of ε ends
SMALLEST = 1e-15  # where the published axis of δ ends
_FAR_BELOW = 1e-25
_CASE: dict[str, Any] = {"color": PURPLE, "linestyle": "-", "linewidth": 1.6}
_STYLES: dict[str, dict[str, Any]] = {
    "blanket": BOUND,
    "worst case": EXACT,
    "case 1": _CASE,
    "case 2": _CASE,
    "corrected case 1": BOUND,
    "corrected case 2": BOUND,
}


@functools.cache
def data() -> Table:
    """Return all curves for both n.

    Returns
    -------
    Table
        Columns ``panel`` (``published``, ``corrected``), ``n``, ``series``, ``x`` (ε) and ``y``
        (δ). The series of the first are those of `pkdp.published.figure_2`; of the second
        ``blanket``, ``worst case``, the exact ``case 1`` and ``case 2``, and the corrected
        Proposition 7, ``corrected case 1`` and ``corrected case 2``.
    """
    blocks = []
    for n, last in SIZES.items():
        grid = last * np.linspace(0, 1, 36) ** 1.5  # closer together where the curves bend
        for series in published.FIGURE_2_SERIES:
            y = published.figure_2(n, series).delta(grid)
            blocks.append(block(panel="published", n=n, series=series, x=grid, y=y))
        for name, profile in _truths(n).items():
            y = profile.delta(grid)
            blocks.append(block(panel="corrected", n=n, series=name, x=grid, y=y))
    return stack(*blocks)


def _truths(n: int) -> dict[str, PrivacyProfile]:
    # The target is a record whose probability is ½, or nearest to it.
    first = [LAM, 0.5], [1, n - 2]
    second = np.delete(np.linspace(LAM, 1 - LAM, n), n // 2)
    return {
        "blanket": counting.blanket(n, LAM),
        "worst case": counting.worst_case(n, LAM),
        "case 1": counting.exact(*first),
        "case 2": counting.exact(second),
        "corrected case 1": counting.berry_esseen(*first),
        "corrected case 2": counting.berry_esseen(second),
    }


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw, for each n, the published curves and then the corrected and exact ones."""
    for n, left, right in zip(SIZES, axes[::2], axes[1::2], strict=True):
        shown = select(data, n=n)
        _frame(left, SIZES[n])
        left.set_title(f"n = {n:,}: published")
        _published(left, shown)
        _frame(right, SIZES[n])
        right.set_title(f"n = {n:,}: corrected, exact")
        for series, style in _STYLES.items():
            _plot(right, select(shown, panel="corrected", series=series), style)
    few, many = (select(data, n=n) for n in SIZES)
    _label_few(axes[0], axes[1], few)
    _label_many(axes[2], axes[3], many)


def _label_few(left: Axes, right: Axes, rows: Table) -> None:
    printed = functools.partial(_label, left, rows, "published", color=VERMILION)
    printed("case 2", "Prop. 7, case 2", 1.99, (0, 2), ha="right")
    printed("closed form", "closed form", 1.99, (0, -4), ha="right", va="top")
    printed("case 1", "Prop. 7, case 1", 1.99, (0, -6), ha="right", va="top")
    printed("numeric", "numeric", 1.45, (-5, 0), ha="right", va="top")
    left.text(1.93, 3e-9, "promises\ntoo much", color=VERMILION, fontsize=8, ha="right")
    _label(
        left,
        rows,
        "corrected",
        "worst case",
        "exact\nworst case",
        0.25,
        (0, -6),
        color=BLUE,
        va="top",
    )
    true = functools.partial(_label, right, rows, "corrected")
    true("corrected case 2", "Prop. 7, both cases", 1.99, (0, 3), color=GREEN, ha="right")
    true("blanket", "blanket bound", 1.99, (0, 3.5), color=GREEN, ha="right")
    true("worst case", "exact worst case", 1.99, (0, -4), color=BLUE, ha="right", va="top")
    true("case 1", "case 1", 1.1, (-5, -4), color=PURPLE, ha="right", va="top")
    true("case 2", "case 2", 1.45, (5, 0), color=PURPLE, ha="left")


def _label_many(left: Axes, right: Axes, rows: Table) -> None:
    printed = functools.partial(_label, left, rows, "published", color=VERMILION)
    printed("case 2", "Prop. 7, case 2", 0.99, (0, 3), ha="right")
    printed("closed form", "closed form", 0.67, (-6, 0), ha="right", va="top")
    printed("case 1", "Prop. 7, case 1", 0.99, (0, 3), ha="right")
    printed("numeric", "numeric", 0.243, (-5, 0), ha="right")
    _label(left, rows, "corrected", "worst case", "exact\nworst case", 0.36, (6, 0), color=BLUE)
    true = functools.partial(_label, right, rows, "corrected")
    true("corrected case 2", "Prop. 7, both cases", 0.99, (0, 3), color=GREEN, ha="right")
    true("blanket", "blanket bound", 0.44, (6, 0), color=GREEN, ha="left")
    worst = select(rows, panel="corrected", series="worst case")
    height = 3e-7
    right.annotate(
        "exact worst case",
        (np.interp(-np.log(height), -np.log(worst["y"]), worst["x"]), height),
        (0.46, height),
        color=BLUE,
        va="center",
        fontsize=8,
        arrowprops=leader(BLUE),
    )
    true("case 1", "case\n1", 0.135, (-4, 0), color=PURPLE, ha="right")
    true("case 2", "case\n2", 0.16, (5, 0), color=PURPLE, ha="left")


def _label(
    panel: Axes,
    rows: Table,
    name: str,
    series: str,
    text: str,
    at: float,
    offset: tuple[float, float],
    *,
    color: str,
    ha: str = "left",
    va: str = "bottom",
) -> None:
    curve = select(rows, panel=name, series=series)
    label_line(panel, curve, text, at=at, offset=offset, color=color, ha=ha, va=va)


def _frame(panel: Axes, last: float) -> None:
    panel.set_yscale("log")
    panel.set_xlim(0, last)
    panel.set_ylim(SMALLEST, 100)  # room for a label above 1
    panel.set_xticks([0, last / 2, last], ["0", f"{last / 2:g}", f"{last:g}"])
    panel.set_yticks([1e-15, 1e-10, 1e-5, 1], [*(f"$10^{{-{k}}}$" for k in (15, 10, 5)), "1"])
    panel.minorticks_off()
    panel.set_xlabel("ε")
    panel.set_ylabel("δ")


def _published(panel: Axes, rows: Table) -> None:
    worst = select(rows, panel="corrected", series="worst case")
    for series in published.FIGURE_2_SERIES:
        _plot(panel, select(rows, panel="published", series=series), PRINTED)
    numeric = select(rows, panel="published", series="numeric")
    panel.fill_between(
        numeric["x"],
        numeric["y"],
        worst["y"],
        where=(numeric["y"] < worst["y"]) & (worst["y"] > _FAR_BELOW),
        color=VERMILION,
        alpha=0.2,
        linewidth=0,
    )
    _plot(panel, worst, {"color": BLUE, "linewidth": 1})


def _plot(panel: Axes, curve: Table, style: dict[str, Any]) -> None:
    """Plot a curve, down to well below the panel."""
    seen = curve["y"] > _FAR_BELOW
    panel.plot(curve["x"][seen], curve["y"][seen], **style)
