"""Rounded counts: ε against the number of unknown records, and against that of known ones."""

import math

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import DASHED, DOTTED, EXACT, GREEN, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting, rounding

TITLE = "What rounding buys"
ALT = (
    "ε at δ = 10⁻⁶ against the number of unknown records, from 100 to 2,000, λ = 0.1, no record "
    "known; both axes logarithmic. The count itself has an ε from 140 on, 2.6 there, 1.6 at 200, "
    "0.76 at 500 and 0.32 at 2,000. Rounded to 5 it is 2.7 at 100 and joins the count at 160; to "
    "20, 1.9 at 100; to 50, 1.5 at 100 and 1.2 at 200. From 500 on all four are within 6 %.",
    "The same for 200 unknown records, against the number of known ones, from 0 to 30. The count "
    "itself is level at 1.62. Rounded to 5 it begins at 1.52 and is level from one known record "
    "on; to 20 it begins at 1.46 and is level from 5 on; to 50 it rises from 1.24 and is level "
    "from 20 on.",
)
PANEL_SIZE = (3.3, 2.9)

LAM, DELTA = 0.1, 1e-6
BASES = (5, 20, 50)
# The first panel: numbers of unknown records, of none known. The second: so many unknown ones.
SIZES = (100, 120, 140, 160, 180, 200, 250, 300, 400, 500, 600, 800, 1000, 1300, 1600, 2000)
UNKNOWN = 200
KNOWN = range(31)


def data() -> Blocks:
    """Yield ε of counts that are rounded, and of the count itself.

    Yields
    ------
    Table
        Columns ``panel`` (``size``, ``known``), ``base`` (1 is the count itself), ``x`` (unknown
        records, or known ones), ``y`` (ε at δ = 10⁻⁶ and λ = 0.1, in the worst case; none where
        there is no ε).
    """
    for base in (1, *BASES):
        for unknown in SIZES:
            yield from _point("size", base, unknown, 0, unknown)
        for known in KNOWN:
            yield from _point("known", base, UNKNOWN, known, known)


def _point(panel: str, base: int, unknown: int, known: int, x: int) -> Blocks:
    n = unknown + known + 1
    profile = (
        counting.worst_case(n, LAM, known=known)
        if base == 1
        else rounding.worst_case(n, LAM, base=base, known=known)
    )
    eps = profile.epsilon(DELTA)
    if eps < math.inf:
        yield block(panel=panel, base=base, x=float(x), y=eps)


def draw(axes: Panels) -> None:
    """Draw a curve for each multiple, and for the count itself."""
    size, known = panels(axes, "No record known", "200 unknown records")
    size.log_x("unknown records", (56, 2100), [100, 200, 500, 1000, 2000])
    size.log_y("ε at δ = 10⁻⁶", (0.3, 4.5), [0.3, 0.5, 1, 2, 4])
    known.x("known records", (-1, 31), [0, 10, 20, 30])
    known.y("ε at δ = 10⁻⁶", (1.15, 1.7), [1.2, 1.4, 1.6])
    size.curve(size.rows(base=1), EXACT, "not rounded", 150, (14, 0), va="center")
    known.curve(known.rows(base=1), EXACT, "not rounded", 25, (0, 5))
    for base, style, at, offset in (
        (5, line(GREEN, DASHED, 1.6), 1, (4, 5)),
        (20, line(PURPLE, DOTTED, 1.6), 3, (20, -8)),
        (50, line(VERMILION, width=1.6), 10, (16, -10)),
    ):
        text = f"to {base}"
        size.curve(size.rows(base=base), style, text, SIZES[0], (-4, 0), va="center")
        known.curve(known.rows(base=base), style, text, at, offset)
