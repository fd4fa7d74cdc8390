"""A threshold where the expected count is not far below it: two bounds and what lies between."""

import math
from collections.abc import Callable

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, BOUND, DASHED, EXACT, GREEN, PURPLE, line
from pkdp.partial_knowledge import counting, thresholding
from pkdp.profiles.profile import PrivacyProfile

TITLE = "What a threshold gives whatever the expected count"
ALT = (
    "δ at ε = 1 for T = 20 against the expected count from 1 to 300. If all probabilities are "
    "equal (solid), δ rises to 6e-6 at an expected count of 7, falls below 10⁻¹⁴ at 26, and has a "
    "second, lower peak of 7e-10 at 59. The tight Theorem 4 (dashed) follows the first rise and "
    "stays at 6e-6. The tight Theorem 3 (dashed) falls from 0.37 at 1 through 4e-6 at 29 to the "
    "second peak and then with the solid curve.",
    "ε at δ = 10⁻⁶ against the threshold up to 1,000, for every number of users and every "
    "expected count, if no probability exceeds 1 %, 50 % or 90 %. For 1 % ε falls from 3.9 at 4 "
    "through 1.8 at 10 to 0.12 at 1,000; for 50 % from 3.0 at 20 to 0.18; for 90 % from 2.7 at 132 "
    "to 0.46. Below these thresholds no ε is enough, but for 5.7 at 3 and 1 %, where δ is 0.01³.",
)

RECORDS, DELTA, EPS, THRESHOLD = 100_000, 1e-6, 1.0, 20
CEILINGS = (0.01, 0.5, 0.9)


def data() -> Blocks:
    """Yield δ against the expected count, and ε against the threshold.

    Yields
    ------
    Table
        Columns ``panel`` (``cut``, ``threshold``), ``series`` (``equal``, ``at most``,
        ``between``), ``p`` (on the second panel the largest probability, else 0), ``x`` (expected
        count, or threshold) and ``y`` (δ, or ε).
    """
    others = RECORDS - 1
    some = np.geomspace(1.0, 300.0, 50)
    curves: dict[str, Callable[[float], PrivacyProfile]] = {
        "equal": lambda p: thresholding.exact([p], threshold=THRESHOLD, multiplicities=[others]),
        "at most": lambda p: thresholding.worst_case(RECORDS, p, threshold=THRESHOLD),
        "between": lambda p: counting.worst_case(RECORDS, p),
    }
    for series, curve in curves.items():
        y = [curve(x / others).delta(EPS) for x in some.tolist()]
        yield block(panel="cut", series=series, p=0.0, x=some, y=y)
    for p in CEILINGS:
        first = math.floor(math.log(DELTA) / math.log(p)) + 1  # p^T < δ
        grid = np.unique(np.geomspace(first, 1000, 40).round())
        y = [thresholding.worst_case(10**9, p, threshold=int(t)).epsilon(DELTA) for t in grid]
        yield block(panel="threshold", series="at most", p=p, x=grid, y=y)


def draw(axes: Panels) -> None:
    """Draw the cut through the map on the first panel, what a threshold gives on the second."""
    cut, threshold = panels(axes, f"Across the gap, T = {THRESHOLD}", "The threshold alone, any n")
    cut.log_x("expected count, $p\\,(n-1)$", (1, 300), [1, 3, 10, 30, 100, 300])
    cut.log_y("δ at ε = 1", (1e-14, 10), powers(-12, -9, -6, -3, 0))
    cut.curve("equal", EXACT, "all\n$p_j = p$", 16, (-9, -3))
    cut.curve("at most", BOUND, "all $p_j \\leq p$", 120)
    cut.curve("between", line(PURPLE, DASHED, 1.6), "$p \\leq p_j \\leq 1 - p$", 5, (6, 4))
    marks = {mark: str(mark) for mark in (3, 10, 30, 100, 300, 1000)}
    threshold.log_x("threshold T", (3, 1000), marks)
    threshold.log_y("ε at δ = 10⁻⁶", (0.1, 20), [0.1, 0.3, 1, 3, 10])
    places = ((30, (-4, -3)), (21, (5, 3)), (160, (5, 3)))
    for p, colour, (at, offset) in zip(CEILINGS, (GREEN, BLUE, PURPLE), places, strict=True):
        text = f"all $p_j \\leq$ {100 * p:.0f} %"
        threshold.curve(threshold.rows(p=p), line(colour), text, at, offset)
