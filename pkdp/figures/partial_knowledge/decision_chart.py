"""Which theorem applies to a thresholded count, as printed and made tight, and how well."""

import functools
import math
from collections.abc import Callable

import numpy as np

from pkdp._bisection import first_passing, least_passing
from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DOTTED, GREEN, INK, VERMILION, line
from pkdp.partial_knowledge import counting, thresholding

TITLE = "Which theorem applies to a thresholded count"
ALT = (
    "Where the theorems give anything at δ = 10⁻⁶ for 100,000 users: the expected count from 0.1 "
    "to 10,000 across, the threshold from 1 to 10,000 upwards, both logarithmic. Theorem 4 "
    "does above a line that runs from 5 at an expected count of 0.1 through 29 at 10 and 152 at "
    "100. Theorem 3 does to the right of 193. Below the line and left of 193 neither does: that "
    "includes the dotted diagonal, where the threshold is the expected count, up to 193.",
    "Where their tight forms give ε ≤ 1 at δ = 10⁻⁶, on the same axes. Above the same line (thin) "
    "ε is 0. The tight Theorem 4 gives ε ≤ 1 from thresholds of 25 on, whatever the expected count "
    "up to 1,000, and from 29 on at 10,000. The tight Theorem 3 does to the right of an expected "
    "count of 34. What is left of the gap is a corner below both. If all users have the same "
    "probability, ε is above 1 only below a dotted line, which follows the corner's upper edge up "
    "to an expected count of 7.5, is between 5 and 12 from 10 to 32, and ends before 42.",
)

RECORDS, DELTA, EPS = 100_000, 1e-6, 1.0
SMALLEST, LARGEST = 0.1, 10_000.0  # expected counts on the maps, and 1…10,000 for thresholds


def data() -> Blocks:
    """Yield the borders on the two maps.

    Yields
    ------
    Table
        Columns ``panel`` (``printed``, ``tight``), ``series``, ``x`` and ``y``. A border has for
        each expected count x the least threshold y (``theorem 4``, ``at most``, ``equal``); the
        borders ``theorem 3`` and ``between`` are vertical.
    """
    others = RECORDS - 1
    counts = np.geomspace(SMALLEST, LARGEST, 41)
    # The least threshold that is enough; all larger ones are, too.
    printed, at_most, equal = (
        [
            float(first_passing(1, RECORDS, functools.partial(enough, x / others)))
            for x in counts.tolist()
        ]
        for enough in (_theorem_4, _at_most, _equal)
    )
    ends = np.array([1.0, LARGEST])
    three = 14.0 * math.log(1.0 / DELTA)  # there the closed form's ε is 1
    between = _border(lambda x: counting.worst_case(RECORDS, x / others).delta(EPS) <= DELTA)
    yield curves(counts, {"theorem 4": printed}, panel="printed")
    yield curves(three, {"theorem 3": ends}, panel="printed")
    yield curves(counts, {"theorem 4": printed, "at most": at_most}, panel="tight")
    yield curves(between, {"between": ends}, panel="tight")
    yield curves(counts, {"equal": equal}, panel="tight")


def _theorem_4(p: float, threshold: int) -> bool:
    """Whether Theorem 4 gives this δ."""
    try:
        terms = thresholding.theorem_4_terms(RECORDS, p, threshold=threshold)
    except ValueError:  # it says nothing
        return False
    return terms.log_delta <= math.log(DELTA)


def _at_most(p: float, threshold: int) -> bool:
    return thresholding.worst_case(RECORDS, p, threshold=threshold).delta(EPS) <= DELTA


def _equal(p: float, threshold: int) -> bool:
    return (
        thresholding.exact([p], threshold=threshold, multiplicities=[RECORDS - 1]).delta(EPS)
        <= DELTA
    )


def _border(enough: Callable[[float], bool]) -> float:
    """Return the least expected count that is enough, to three digits."""
    return least_passing(SMALLEST, LARGEST, enough, 0.0005)


def draw(axes: Panels) -> None:
    """Draw the printed theorems on the first map, the tight ones on the second."""
    printed, tight = panels(axes, "As printed", "Tight, ε ≤ 1")
    marks = {mark: str(mark) for mark in (0.1, 1, 10, 100, 1000)} | {10_000: "10⁴"}
    heights = {mark: text for mark, text in marks.items() if mark >= 1}
    for panel, above, right_of in (
        (printed, "theorem 4", "theorem 3"),
        (tight, "at most", "between"),
    ):
        panel.log_x("expected count", (SMALLEST, LARGEST), marks)
        panel.log_y("threshold T", (1, LARGEST), heights)
        # Colour what either border encloses, and the corner that is left between them.
        border = panel.rows(above)
        x, y, edge = border["x"], border["y"], panel.rows(right_of)["x"][0]
        panel.fill_between(x, y, LARGEST, color=GREEN, alpha=0.2, linewidth=0)
        panel.axvspan(edge, LARGEST, color=BLUE, alpha=0.2, linewidth=0)
        left = x < edge
        last = np.exp(np.interp(np.log(edge), np.log(x), np.log(y)))
        x, y = np.append(x[left], edge), np.append(y[left], last)
        panel.fill_between(x, y, 1.0, color=VERMILION, alpha=0.2, linewidth=0)
    printed.curve("theorem 4", line(GREEN))
    printed.curve("theorem 3", line(BLUE))
    printed.plot([1, LARGEST], [1, LARGEST], color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
    tight.curve("theorem 4", line(GREEN, width=1.0))
    tight.curve("at most", line(GREEN))
    tight.curve("between", line(BLUE))
    tight.curve("equal", line(INK, DOTTED, 1.2))
    for panel, place, height, text, color in (
        (printed, 1.2, 700, "Theorem 4", GREEN),
        (printed, 1400, 12, "Theorem 3", BLUE),
        (printed, 620, 5000, "both", BLUE),
        (printed, 0.6, 2.2, "neither", VERMILION),
        (tight, 1.2, 1500, "Theorem 4", GREEN),
        (tight, 1.4, 160, "above the thin line\nε = 0, passive too", GREEN),
        (tight, 1000, 120, "both", BLUE),
        (tight, 1000, 5, "Theorem 3", BLUE),
        (tight, 1.2, 2.2, "neither", VERMILION),
    ):
        panel.text(place, height, text, color=color, ha="center", va="center")
