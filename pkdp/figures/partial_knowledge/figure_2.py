"""Figure 2 of the paper: δ against ε of Theorem 3 and Proposition 7, published and true."""

import functools

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, powers
from pkdp.figures._palette import (
    BLUE,
    BOUND,
    DASHED,
    DOTTED,
    EXACT,
    GREEN,
    PURPLE,
    VERMILION,
    line,
)
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
_THIN = line(PURPLE, width=1.6)
_LONG, _MIXED = (0, (7, 2)), (0, (4, 1.4, 1, 1.4))
_DASHES = {"numeric": DOTTED, "closed form": DASHED, "case 1": _MIXED, "case 2": _LONG}
_PROPOSITION = line(GREEN, _MIXED, 1.4)


def data() -> Blocks:
    """Yield all curves for both n.

    Yields
    ------
    Table
        Columns ``panel`` (``published``, ``corrected``), ``n``, ``series``, ``x`` (ε) and ``y``
        (δ). The series of the first are those of `pkdp.published.figure_2`; of the second
        ``blanket``, ``worst case``, the exact ``case 1`` and ``case 2``, and the corrected
        Proposition 7, ``corrected case 1`` and ``corrected case 2``.
    """
    for n, last in SIZES.items():
        grid = last * np.linspace(0, 1, 36) ** 1.5  # closer together where the curves bend
        printed = {name: published.figure_2(n, name) for name in published.FIGURE_2_SERIES}
        for panel, profiles in (("published", printed), ("corrected", _truths(n))):
            deltas = {name: profile.delta(grid) for name, profile in profiles.items()}
            yield curves(grid, deltas, panel=panel, n=n)


def _truths(n: int) -> dict[str, PrivacyProfile]:
    # The target is a record whose probability is ½, or nearest to it.
    first = [LAM] + [0.5] * (n - 2)
    second = np.delete(np.linspace(LAM, 1 - LAM, n), n // 2)
    return {
        "blanket": counting.blanket(n, LAM),
        "worst case": counting.worst_case(n, LAM),
        "case 1": counting.exact(first),
        "case 2": counting.exact(second),
        "corrected case 1": counting.berry_esseen(first),
        "corrected case 2": counting.berry_esseen(second),
    }


def draw(axes: Panels) -> None:
    """Draw, for each n, the published curves and then the corrected and exact ones."""
    for (n, last), left, right in zip(SIZES.items(), axes[::2], axes[1::2], strict=True):
        for panel, name, title in (
            (left, "published", "published"),
            (right, "corrected", "corrected, exact"),
        ):
            panel.data = panel.rows(n=n, panel=name)
            panel.set_title(f"n = {n:,}: {title}")
            panel.x("ε", (0, last), [0, last / 2, last])
            # There is room for a label above 1.
            panel.log_y("δ", (SMALLEST, 100), powers(-15, -10, -5, 0))
        for series in published.FIGURE_2_SERIES:
            left.curve(series, line(VERMILION, _DASHES[series], 1.7), least=_FAR_BELOW)
        worst, numeric = right.rows("worst case"), left.rows("numeric")["y"]
        promised = np.where(worst["y"] > _FAR_BELOW, numeric, np.inf)
        left.shade_gap(worst["x"], promised, worst["y"])
        left.curve(worst, line(BLUE, width=1), least=_FAR_BELOW)
    _finish_few(axes[:2])
    _finish_many(axes[2:])


def _finish_few(axes: Panels) -> None:
    left, right = axes
    left.label("case 2", "Prop. 7, case 2", 1.99, (0, 2), VERMILION, ha="right")
    left.label("closed form", "closed form", 1.99, (0, -4), VERMILION, ha="right")
    left.label("case 1", "Prop. 7, case 1", 1.99, (0, -6), VERMILION, ha="right")
    left.label("numeric", "numeric", 1.45, (-5, 0), VERMILION, va="top")
    left.text(1.93, 3e-9, "promises\ntoo much", color=VERMILION, ha="right")
    left.label(right.rows("worst case"), "exact\nworst case", 0.25, (0, -6), BLUE, ha="left")
    right.curve("blanket", BOUND, "blanket bound", 1.99, (0, 3.5), ha="right")
    right.curve("worst case", EXACT, "exact worst case", 1.99, (0, -4), ha="right")
    right.curve("case 1", _THIN, "case 1", 1.1, (-5, -4))
    right.curve("case 2", _THIN, "case 2", 1.45, (5, 0))
    right.curve("corrected case 1", _PROPOSITION)
    right.curve("corrected case 2", _PROPOSITION, "Prop. 7, both cases", 1.99, (0, 3), ha="right")


def _finish_many(axes: Panels) -> None:
    left, right = axes
    left.label("case 2", "Prop. 7, case 2", 0.99, (0, 3), VERMILION, ha="right")
    left.label("closed form", "closed form", 0.67, (-6, 0), VERMILION, va="top")
    left.label("case 1", "Prop. 7, case 1", 0.99, (0, 3), VERMILION, ha="right")
    left.label("numeric", "numeric", 0.243, (-5, 0), VERMILION)
    worst, height = right.rows("worst case"), 3e-7
    left.label(worst, "exact\nworst case", 0.36, (6, 0), BLUE)
    seen = functools.partial(right.curve, least=_FAR_BELOW)
    seen("blanket", BOUND, "blanket bound", 0.44, (6, 0))
    seen(worst, EXACT)
    at = float(np.interp(-np.log(height), -np.log(worst["y"]), worst["x"]))
    right.callout("exact worst case", (at, height), (0.46, height), BLUE)
    seen("case 1", _THIN, "case\n1", 0.135, (-4, 0))
    seen("case 2", _THIN, "case\n2", 0.16, (5, 0))
    seen("corrected case 1", _PROPOSITION)
    seen("corrected case 2", _PROPOSITION, "Prop. 7, both cases", 0.99, (0, 3), ha="right")
