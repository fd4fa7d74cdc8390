"""Which theorem speaks about a thresholded count, as printed and made tight, and how well."""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pkdp._bisection import first_passing
from pkdp.figures._drawing import BLUE, GREEN, INK, VERMILION
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, thresholding

NAME = "decisions"
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
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

RECORDS, DELTA, EPS = 100_000, 1e-6, 1.0
SMALLEST, LARGEST = 0.1, 10_000.0  # expected counts on the maps, and 1…10,000 for thresholds


@functools.cache
def data() -> Table:
    """Return the borders on the two maps.

    Returns
    -------
    Table
        Columns ``panel`` (``printed``, ``tight``), ``series``, ``x`` and ``y``. A border has for
        each expected count x the least threshold y (``theorem 4``, ``at most``, ``equal``); the
        borders ``theorem 3`` and ``between`` are vertical.
    """
    others = RECORDS - 1
    counts = np.geomspace(SMALLEST, LARGEST, 41)
    printed = [_least(functools.partial(_theorem_4, x / others)) for x in counts.tolist()]
    at_most = [_least(functools.partial(_at_most, x / others)) for x in counts.tolist()]
    equal = [_least(functools.partial(_equal, x / others)) for x in counts.tolist()]
    ends = np.array([1.0, LARGEST])
    three = 14.0 * math.log(1.0 / DELTA)  # there the closed form's ε is 1
    between = _border(lambda x: counting.worst_case(RECORDS, x / others).delta(EPS) <= DELTA)
    return stack(
        block(panel="printed", series="theorem 4", x=counts, y=printed),
        block(panel="printed", series="theorem 3", x=three, y=ends),
        block(panel="tight", series="theorem 4", x=counts, y=printed),
        block(panel="tight", series="at most", x=counts, y=at_most),
        block(panel="tight", series="between", x=between, y=ends),
        block(panel="tight", series="equal", x=counts, y=equal),
    )


def _theorem_4(p: float, threshold: int) -> bool:
    """Whether Theorem 4 gives this δ."""
    try:
        return thresholding.theorem_4_terms(RECORDS, p, threshold=threshold).log_delta <= math.log(
            DELTA
        )
    except ValueError:  # it says nothing
        return False


def _at_most(p: float, threshold: int) -> bool:
    return thresholding.worst_case(RECORDS, p, threshold=threshold).delta(EPS) <= DELTA


def _equal(p: float, threshold: int) -> bool:
    return thresholding.exact([p], threshold, multiplicities=[RECORDS - 1]).delta(EPS) <= DELTA


def _least(enough: Callable[[int], bool]) -> float:
    """Return the least threshold that is enough; more are enough, too."""
    return float(first_passing(1, RECORDS, enough))


def _border(enough: Callable[[float], bool]) -> float:
    """Return the least expected count that is enough, to three digits."""
    low, high = SMALLEST, LARGEST
    while high / low > 1.0005:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the printed theorems on the first map, the tight ones on the second."""
    printed, tight = axes
    _draw_printed(printed, select(data, panel="printed"))
    _draw_tight(tight, select(data, panel="tight"))


def _map(panel: Axes, title: str) -> None:
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlim(SMALLEST, LARGEST)
    panel.set_ylim(1, LARGEST)
    panel.set_xticks([0.1, 1, 10, 100, 1000, 10_000], ["0.1", "1", "10", "100", "1000", "10⁴"])
    panel.set_yticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1000", "10⁴"])
    panel.minorticks_off()
    panel.set_xlabel("expected count")
    panel.set_ylabel("threshold T")
    panel.set_title(title)


def _name(panel: Axes, x: float, y: float, text: str, colour: str) -> None:
    panel.text(x, y, text, color=colour, fontsize=8, ha="center", va="center")


def _draw_printed(panel: Axes, data: Table) -> None:
    _map(panel, "As printed")
    four, three = (select(data, series=name) for name in ("theorem 4", "theorem 3"))
    x, y = four["x"], four["y"]
    edge = three["x"][0]
    panel.fill_between(x, y, LARGEST, color=GREEN, alpha=0.2, linewidth=0)
    panel.axvspan(edge, LARGEST, color=BLUE, alpha=0.2, linewidth=0)
    panel.fill_between(*_cut_off(x, y, edge), 1.0, color=VERMILION, alpha=0.2, linewidth=0)
    panel.plot(x, y, color=GREEN, linewidth=1.9)
    panel.plot(three["x"], three["y"], color=BLUE, linewidth=1.9)
    panel.plot([1, LARGEST], [1, LARGEST], color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
    _name(panel, 1.2, 700, "Theorem 4", GREEN)
    _name(panel, 1400, 12, "Theorem 3", BLUE)
    _name(panel, 620, 5000, "both", BLUE)
    _name(panel, 0.6, 2.2, "neither", VERMILION)


def _cut_off(
    x: NDArray[np.float64], y: NDArray[np.float64], edge: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the part of a border to the left of a vertical one."""
    left = x < edge
    last = np.exp(np.interp(np.log(edge), np.log(x), np.log(y)))
    return np.append(x[left], edge), np.append(y[left], last)


def _draw_tight(panel: Axes, data: Table) -> None:
    _map(panel, "Tight, ε ≤ 1")
    four, at_most, between, equal = (
        select(data, series=name) for name in ("theorem 4", "at most", "between", "equal")
    )
    x, y, edge = four["x"], at_most["y"], between["x"][0]
    panel.fill_between(x, y, LARGEST, color=GREEN, alpha=0.2, linewidth=0)
    panel.axvspan(edge, LARGEST, color=BLUE, alpha=0.2, linewidth=0)
    panel.fill_between(*_cut_off(x, y, edge), 1.0, color=VERMILION, alpha=0.2, linewidth=0)
    panel.plot(x, four["y"], color=GREEN, linewidth=1.0)
    panel.plot(x, y, color=GREEN, linewidth=1.9)
    panel.plot(between["x"], between["y"], color=BLUE, linewidth=1.9)
    panel.plot(x, equal["y"], color=INK, linewidth=1.2, linestyle=(0, (1.2, 1.4)))
    _name(panel, 1.2, 1500, "Theorem 4", GREEN)
    _name(panel, 1.4, 160, "above the thin line\nε = 0, passive too", GREEN)
    _name(panel, 1000, 120, "both", BLUE)
    _name(panel, 1000, 5, "Theorem 3", BLUE)
    _name(panel, 1.2, 2.2, "neither", VERMILION)
