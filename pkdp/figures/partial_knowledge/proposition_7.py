"""Proposition 7 for fair coins: the printed bound sinks below the truth."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, tex_powers
from pkdp.figures._palette import BOUND, EXACT, INK, PRINTED, VERMILION, line
from pkdp.partial_knowledge import counting, published

TITLE = "Proposition 7 for fair coins: printed, corrected, exact"
ALT = (
    "δ against ε for 1,000 fair coins, over sixty orders of magnitude. The printed curve and the "
    "exact one fall together, the printed one above until ε = 0.88. From there to ε = 1.03 it runs "
    "below, at ε = 1 by a factor of 200, 6.5·10⁻⁵⁵ for 1.3·10⁻⁵²; then it stands still. The "
    "corrected curve levels off at 0.081, above a line at the largest mass, 0.025.",
    "True δ divided by printed δ at ε = 1, against n, both axes logarithmic. The ratio is 0.018 at "
    "n = 100, passes 1 at n = 555 and grows ever faster, to 200 at n = 1,000 and 7·10¹³ at "
    "n = 3,000.",
)

RECORDS = 1000
LAST = 1.2  # the largest ε drawn
FEWEST, MOST = 100, 3000  # on the second panel


def data() -> Blocks:
    """Yield δ against ε for 1,000 fair coins, and the ratio at ε = 1 against their number.

    Yields
    ------
    Table
        Columns ``panel`` (``profile``, ``ratio``), ``series`` (``printed``, ``corrected``,
        ``largest mass`` and ``exact``; on the second panel ``exact / printed``), ``x`` (ε, or n)
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
    """Draw the profiles on the first panel, the ratio on the second."""
    profile, ratio = panels(axes, f"{RECORDS:,} fair coins", "At ε = 1, against n")
    profile.x("ε", (0, LAST), [0, 0.5, 1], digits=1)
    # There is room for a label above 1.
    profile.log_y("δ", (1e-60, 1e6), tex_powers(-60, -40, -20, 0))
    profile.curve("corrected", BOUND, "corrected", LAST, (0, 3), ha="right")
    thin, text = line(INK, width=1), "ε = 0 and δ = max P[S = k]"
    profile.curve("largest mass", thin, text, LAST, (0, -4), ha="right")
    printed, exact = profile.rows("printed"), profile.rows("exact")
    profile.shade_gap(printed["x"], printed["y"], exact["y"])
    profile.curve(exact, EXACT, "exact", 0.62, (-6, -2))
    profile.curve(printed, PRINTED, "as printed", 0.6, (7, 0))
    profile.callout("promises\ntoo much", (0.955, 1e-49), (0.55, 1e-49), VERMILION, ha="center")
    ratio.log_x("n", (FEWEST, MOST), [100, 300, 1000, 3000])
    ratio.log_y("true δ / printed δ", (1e-3, 1e15), tex_powers(0, 5, 10, 15))
    ratio.axhline(1, color=INK, linewidth=1)
    ratio.shade_gap(ratio.data["x"], 1, ratio.data["y"])
    ratio.curve(ratio.data, EXACT)
    ratio.text(1350, 30, "promises\ntoo much", color=VERMILION)
    ratio.callout("first above 1\nat n = 555", (555, 1), (250, 1e4), ha="center", va="baseline")
