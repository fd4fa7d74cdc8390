"""Figure 2 of the paper: δ against ε of Theorem 3 and Proposition 7, published and true."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, callout, draw_curve, label_line, log_axes, shade_gap
from pkdp.figures._palette import BLUE, BOUND, EXACT, GREEN, PRINTED, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, curves, select, series_of, stack
from pkdp.partial_knowledge import counting, published
from pkdp.profiles.profile import PrivacyProfile

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

LAM = 0.05
SIZES = {100: 2.0, 10_000: 1.0}  # n, and where the published axis of ε ends
SMALLEST = 1e-15  # where the published axis of δ ends
_FAR_BELOW = 1e-25
_CASE: Style = {"color": PURPLE}
_STYLES: dict[str, Style] = {
    "blanket": BOUND,
    "worst case": EXACT,
    "case 1": _CASE,
    "case 2": _CASE,
    "corrected case 1": BOUND,
    "corrected case 2": BOUND,
}


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
        printed = {name: published.figure_2(n, name) for name in published.FIGURE_2_SERIES}
        for panel, profiles in (("published", printed), ("corrected", _truths(n))):
            deltas = {name: profile.delta(grid) for name, profile in profiles.items()}
            blocks.append(curves(grid, deltas, panel=panel, n=n))
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


def draw(axes: Panels, data: Table) -> None:
    """Draw, for each n, the published curves and then the corrected and exact ones."""
    labels = (_label_few, _label_many)
    for n, left, right, label in zip(SIZES, axes[::2], axes[1::2], labels, strict=True):
        printed, true = (select(data, n=n, panel=name) for name in ("published", "corrected"))
        _frame(left, SIZES[n], f"n = {n:,}: published")
        _published(left, printed, select(true, series="worst case"))
        _frame(right, SIZES[n], f"n = {n:,}: corrected, exact")
        for series, style in _STYLES.items():
            draw_curve(right, select(true, series=series), style, least=_FAR_BELOW)
        label(left, right, printed, true)


def _label_few(left: Axes, right: Axes, printed: Table, true: Table) -> None:
    one, two, closed, numeric = series_of(printed, "case 1", "case 2", "closed form", "numeric")
    label_line(left, two, "Prop. 7, case 2", 1.99, (0, 2), VERMILION, ha="right")
    label_line(left, closed, "closed form", 1.99, (0, -4), VERMILION, ha="right")
    label_line(left, one, "Prop. 7, case 1", 1.99, (0, -6), VERMILION, ha="right")
    label_line(left, numeric, "numeric", 1.45, (-5, 0), VERMILION, va="top")
    left.text(1.93, 3e-9, "promises\ntoo much", color=VERMILION, ha="right")
    blanket, worst, one, two, _, proposition = series_of(true, *_STYLES)
    label_line(left, worst, "exact\nworst case", 0.25, (0, -6), BLUE, ha="left")
    label_line(right, proposition, "Prop. 7, both cases", 1.99, (0, 3), GREEN, ha="right")
    label_line(right, blanket, "blanket bound", 1.99, (0, 3.5), GREEN, ha="right")
    label_line(right, worst, "exact worst case", 1.99, (0, -4), BLUE, ha="right")
    label_line(right, one, "case 1", 1.1, (-5, -4), PURPLE)
    label_line(right, two, "case 2", 1.45, (5, 0), PURPLE)


def _label_many(left: Axes, right: Axes, printed: Table, true: Table) -> None:
    one, two, closed, numeric = series_of(printed, "case 1", "case 2", "closed form", "numeric")
    label_line(left, two, "Prop. 7, case 2", 0.99, (0, 3), VERMILION, ha="right")
    label_line(left, closed, "closed form", 0.67, (-6, 0), VERMILION, va="top")
    label_line(left, one, "Prop. 7, case 1", 0.99, (0, 3), VERMILION, ha="right")
    label_line(left, numeric, "numeric", 0.243, (-5, 0), VERMILION)
    blanket, worst, one, two, _, proposition = series_of(true, *_STYLES)
    label_line(left, worst, "exact\nworst case", 0.36, (6, 0), BLUE)
    label_line(right, proposition, "Prop. 7, both cases", 0.99, (0, 3), GREEN, ha="right")
    label_line(right, blanket, "blanket bound", 0.44, (6, 0), GREEN)
    height = 3e-7
    at = float(np.interp(-np.log(height), -np.log(worst["y"]), worst["x"]))
    callout(right, "exact worst case", (at, height), (0.46, height), BLUE)
    label_line(right, one, "case\n1", 0.135, (-4, 0), PURPLE)
    label_line(right, two, "case\n2", 0.16, (5, 0), PURPLE)


def _frame(panel: Axes, last: float, title: str) -> None:
    log_axes(panel, y=(SMALLEST, 100))  # room for a label above 1
    panel.set(title=title, xlim=(0, last), xlabel="ε", ylabel="δ")
    panel.set_xticks([0, last / 2, last], ["0", f"{last / 2:g}", f"{last:g}"])
    panel.set_yticks([1e-15, 1e-10, 1e-5, 1], [*(f"$10^{{-{k}}}$" for k in (15, 10, 5)), "1"])


def _published(panel: Axes, printed: Table, worst: Table) -> None:
    for series in published.FIGURE_2_SERIES:
        draw_curve(panel, select(printed, series=series), PRINTED, least=_FAR_BELOW)
    numeric = select(printed, series="numeric")["y"]
    seen = worst["y"] > _FAR_BELOW
    shade_gap(panel, worst["x"], np.where(seen, numeric, np.inf), worst["y"])
    draw_curve(panel, worst, {"color": BLUE, "linewidth": 1}, least=_FAR_BELOW)
