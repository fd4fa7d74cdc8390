"""Proposition 7 for fair coins: the printed bound sinks below the truth."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, powers
from pkdp.figures._palette import BLUE, BOUND, EXACT, INK, PRINTED, VERMILION, line
from pkdp.partial_knowledge import counting, published

TITLE = "Proposition 7 for fair coins: printed, corrected, exact"
ALT = (
    "δ against ε for 1,000 fair coins, over sixty orders of magnitude. The printed curve and the "
    "exact one fall together, the printed one above until ε = 0.88. From there to ε = 1.03 it runs "
    "below; then it stands still. The corrected curve levels off at 0.081, above a line at the "
    "largest mass, 0.025.",
    "The printed and the exact curve again, for ε from 0.8 to 1.1. The printed one is below from "
    "0.88 to 1.03, where the gap is shaded, at ε = 1 by a factor of 200, 6.5·10⁻⁵⁵ for 1.3·10⁻⁵².",
    "True δ divided by printed δ at ε = 1, against n, both axes logarithmic. The ratio is 0.018 at "
    "n = 100, passes 1 at n = 555 and grows ever faster, to 200 at n = 1,000 and 7·10¹³ at "
    "n = 3,000.",
)

COLUMNS = 3
PANEL_SIZE = (2.1, 2.6)

RECORDS = 1000
LAST = 1.2  # the largest ε drawn
FEWEST, MOST = 100, 3000  # on the last panel


def data() -> Blocks:
    """Yield δ against ε for 1,000 fair coins, and the ratio at ε = 1 against their number.

    Yields
    ------
    Table
        Columns ``panel`` (``profile``, ``ratio``), ``series`` (``printed``, ``corrected``,
        ``largest mass`` and ``exact``; on the last panel ``exact / printed``), ``x`` (ε, or n)
        and ``y`` (δ, or the ratio).
    """
    grid = np.linspace(0, LAST, 61)
    others = RECORDS - 1  # all but the target
    # Guaranteed with ε = 0: the total variation between S and S + 1, which is the largest mass.
    largest_mass = counting.exact([0.5], multiplicities=[others]).delta(0.0)
    deltas = {
        "printed": published.proposition_7([0.5], multiplicities=[RECORDS]).delta(grid),
        "corrected": counting.berry_esseen([0.5], multiplicities=[others]).delta(grid),
        "largest mass": np.full(grid.shape, largest_mass),
        "exact": counting.exact([0.5], multiplicities=[others]).delta(grid),
    }
    numbers = np.unique([*np.geomspace(FEWEST, MOST, 60).astype(np.int64), RECORDS])
    ratio = {"exact / printed": [_ratio(int(n)) for n in numbers]}
    yield curves(grid, deltas, panel="profile")
    yield curves(numbers.astype(np.float64), ratio, panel="ratio")


def _ratio(n: int) -> float:
    """Return the true δ at ε = 1 divided by the printed one."""
    exact, printed = (
        counting.exact([0.5], multiplicities=[n - 1]),
        published.proposition_7([0.5], multiplicities=[n]),
    )
    return float(np.exp(exact.log_delta(1.0) - printed.log_delta(1.0)))


def draw(axes: Panels) -> None:
    """Draw the profiles, those near ε = 1 again, and the ratio."""
    whole, near, ratio = axes
    ratio.data = ratio.rows(panel="ratio")
    for panel, title in ((whole, f"{RECORDS:,} fair coins"), (near, "Near ε = 1")):
        panel.data = panel.rows(panel="profile")
        panel.set_title(title)
        printed, exact = panel.rows("printed"), panel.rows("exact")
        panel.x("ε", (0, LAST), [0, 0.5, 1], digits=1)
        # There is room for a label above 1.
        panel.log_y("δ", (1e-60, 1e8), powers(-60, -40, -20, 0))
        panel.shade_gap(printed["x"], printed["y"], exact["y"])
        panel.curve(exact, EXACT)
        panel.curve(printed, PRINTED)
    whole.curve("corrected", BOUND, "corrected", LAST, (0, 3), ha="right")
    whole.curve("largest mass", line(INK, width=1), "largest mass", LAST, (0, -4), ha="right")
    whole.label("exact", "exact", 0.62, (-6, -2), BLUE)
    whole.label("printed", "as printed", 0.6, (7, 0), VERMILION)
    near.x("ε", (0.8, 1.1), [0.8, 0.9, 1, 1.1], digits=1)
    near.log_y("δ", (1e-58, 1e-36), powers(-55, -50, -45, -40))
    near.label("exact", "exact", 0.93, (-6, -4), BLUE)
    near.label("printed", "as printed", 0.84, (6, 2), VERMILION)
    near.callout("promises\ntoo much", (0.98, 1e-51), (1.03, 1e-45), VERMILION, ha="center")
    ratio.set_title("At ε = 1, against n")
    ratio.log_x("n", (FEWEST, MOST), [100, 300, 1000, 3000])
    ratio.log_y("true δ / printed δ", (1e-3, 1e15), powers(0, 5, 10, 15))
    ratio.axhline(1, color=INK, linewidth=1)
    ratio.shade_gap(ratio.data["x"], 1, ratio.data["y"])
    ratio.curve(ratio.data, EXACT)
    ratio.callout("promises\ntoo much", (2300, 1e7), (420, 1e11), VERMILION, ha="center")
    ratio.callout("first above 1\nat n = 555", (555, 1), (290, 1e4), ha="center", va="baseline")
