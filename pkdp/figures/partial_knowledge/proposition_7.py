"""Proposition 7 for fair coins: the printed bound sinks below the truth."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, callout, draw_curve, log_axes, shade_gap
from pkdp.figures._palette import BOUND, EXACT, INK, PRINTED, VERMILION, Style
from pkdp.figures._tables import Table, curves, select, series_of, stack
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


def data() -> Table:
    """Return δ against ε for 1,000 fair coins, and the ratio at ε = 1 against their number.

    Returns
    -------
    Table
        Columns ``panel`` (``profile``, ``ratio``), ``series`` (``printed``, ``corrected``,
        ``largest mass`` and ``exact``; on the second panel ``exact / printed``), ``x`` (ε, or n)
        and ``y`` (δ, or the ratio).
    """
    grid = np.linspace(0, LAST, 61)
    others = RECORDS - 1  # all but the target
    # Guaranteed with ε = 0: the total variation between S and S + 1, which is the largest mass.
    largest_mass = counting.exact([0.5], [others]).delta(0.0)
    deltas = {
        "printed": published.proposition_7([0.5], [RECORDS]).delta(grid),
        "corrected": counting.berry_esseen([0.5], [others]).delta(grid),
        "largest mass": np.full(grid.shape, largest_mass),
        "exact": counting.exact([0.5], [others]).delta(grid),
    }
    numbers = np.unique([*np.geomspace(FEWEST, MOST, 60).astype(np.int64), RECORDS])
    ratio = {"exact / printed": [_ratio(int(n)) for n in numbers]}
    return stack(
        curves(grid, deltas, panel="profile"),
        curves(numbers.astype(np.float64), ratio, panel="ratio"),
    )


def _ratio(n: int) -> float:
    """Return the true δ at ε = 1 divided by the printed one."""
    exact, printed = counting.exact([0.5], [n - 1]), published.proposition_7([0.5], [n])
    return float(np.exp(exact.log_delta(1.0) - printed.log_delta(1.0)))


def draw(axes: Panels, data: Table) -> None:
    """Draw the profiles on the first panel, the ratio on the second."""
    _profiles(axes[0], select(data, panel="profile"))
    _ratios(axes[1], select(data, panel="ratio"))


def _profiles(panel: Axes, rows: Table) -> None:
    printed, exact = series_of(rows, "printed", "exact")
    corrected, largest_mass = series_of(rows, "corrected", "largest mass")
    log_axes(panel, y=(1e-60, 1e6))  # room for a label above 1
    panel.set(xlim=(0, LAST), xticks=[0, 0.5, 1], yticks=[1e-60, 1e-40, 1e-20, 1])
    panel.set(title=f"{RECORDS:,} fair coins", xlabel="ε", ylabel="δ")
    draw_curve(panel, corrected, BOUND, "corrected", LAST, (0, 3), ha="right")
    mass: Style = {"color": INK, "linewidth": 1}
    draw_curve(panel, largest_mass, mass, "ε = 0 and δ = max P[S = k]", LAST, (0, -4), ha="right")
    shade_gap(panel, printed["x"], printed["y"], exact["y"])
    draw_curve(panel, exact, EXACT, "exact", 0.62, (-6, -2))
    draw_curve(panel, printed, PRINTED, "as printed", 0.6, (7, 0))
    callout(panel, "promises\ntoo much", (0.955, 1e-49), (0.55, 1e-49), VERMILION, ha="center")


def _ratios(panel: Axes, rows: Table) -> None:
    log_axes(panel, x=(FEWEST, MOST), y=(1e-3, 1e15))
    panel.set_xticks([100, 300, 1000, 3000], ["100", "300", "1,000", "3,000"])
    panel.set_yticks([1, 1e5, 1e10, 1e15])
    panel.set(title="At ε = 1, against n", xlabel="n", ylabel="true δ / printed δ")
    panel.axhline(1, color=INK, linewidth=1)
    shade_gap(panel, rows["x"], 1, rows["y"])
    draw_curve(panel, rows, EXACT)
    panel.text(1350, 30, "promises\ntoo much", color=VERMILION)
    text = "first above 1\nat n = 555"
    callout(panel, text, (555, 1), (250, 1e4), ha="center", va="baseline")
