"""Proposition 7 for fair coins: the printed bound sinks below the truth."""

import functools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import (
    BLUE,
    BOUND,
    EXACT,
    GREEN,
    INK,
    PRINTED,
    VERMILION,
    label_line,
    leader,
)
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, published

NAME = "proposition-7"
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
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

RECORDS = 1000
LAST = 1.2  # the largest ε drawn
FEWEST, MOST = 100, 3000  # on the second panel


@functools.cache
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
    curves = {
        "printed": published.proposition_7([0.5], [RECORDS]).delta(grid),
        "corrected": counting.berry_esseen([0.5], [others]).delta(grid),
        "largest mass": np.full(grid.shape, largest_mass),
        "exact": counting.exact([0.5], [others]).delta(grid),
    }
    numbers = np.unique([*np.geomspace(FEWEST, MOST, 60).astype(np.int64), RECORDS])
    ratios = [_ratio(int(n)) for n in numbers]
    return stack(
        *(block(panel="profile", series=name, x=grid, y=y) for name, y in curves.items()),
        block(panel="ratio", series="exact / printed", x=numbers.astype(np.float64), y=ratios),
    )


def _ratio(n: int) -> float:
    """Return the true δ at ε = 1 divided by the printed one."""
    exact, printed = counting.exact([0.5], [n - 1]), published.proposition_7([0.5], [n])
    return float(np.exp(exact.log_delta(1.0) - printed.log_delta(1.0)))


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the profiles on the first panel, the ratio on the second."""
    _profiles(axes[0], select(data, panel="profile"))
    _ratios(axes[1], select(data, panel="ratio"))


def _profiles(panel: Axes, rows: Table) -> None:
    printed, corrected, largest_mass, exact = (
        select(rows, series=name) for name in ("printed", "corrected", "largest mass", "exact")
    )
    panel.set_yscale("log")
    panel.set_xlim(0, LAST)
    panel.set_ylim(1e-60, 1e6)  # room for a label above 1
    panel.set_xticks([0, 0.5, 1])
    panel.set_yticks([1e-60, 1e-40, 1e-20, 1])
    panel.minorticks_off()
    panel.set_xlabel("ε")
    panel.set_ylabel("δ")
    panel.set_title(f"{RECORDS:,} fair coins")
    panel.plot(corrected["x"], corrected["y"], **BOUND)
    panel.plot(largest_mass["x"], largest_mass["y"], color=INK, linewidth=1)
    panel.fill_between(
        printed["x"],
        printed["y"],
        exact["y"],
        where=printed["y"] < exact["y"],
        color=VERMILION,
        alpha=0.2,
        linewidth=0,
    )
    panel.plot(exact["x"], exact["y"], **EXACT)
    panel.plot(printed["x"], printed["y"], **PRINTED)
    for curve, text, at, offset, va, color in (
        (corrected, "corrected", LAST, (0, 3), "bottom", GREEN),
        (largest_mass, "ε = 0 and δ = max P[S = k]", LAST, (0, -4), "top", INK),
        (exact, "exact", 0.62, (-6, -2), "top", BLUE),
        (printed, "as printed", 0.6, (7, 0), "bottom", VERMILION),
    ):
        side = "left" if offset[0] > 0 else "right"
        label_line(panel, curve, text, at=at, offset=offset, ha=side, va=va, color=color)
    panel.annotate(
        "promises\ntoo much",
        (0.955, 1e-49),
        (0.55, 1e-49),
        color=VERMILION,
        ha="center",
        va="center",
        fontsize=8,
        arrowprops=leader(VERMILION),
    )


def _ratios(panel: Axes, rows: Table) -> None:
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlim(FEWEST, MOST)
    panel.set_ylim(1e-3, 1e15)
    panel.set_xticks([100, 300, 1000, 3000], ["100", "300", "1,000", "3,000"])
    panel.set_yticks([1, 1e5, 1e10, 1e15])
    panel.minorticks_off()
    panel.set_xlabel("n")
    panel.set_ylabel("true δ / printed δ")
    panel.set_title("At ε = 1, against n")
    panel.axhline(1, color=INK, linewidth=1)
    panel.fill_between(
        rows["x"], 1, rows["y"], where=rows["y"] > 1, color=VERMILION, alpha=0.2, linewidth=0
    )
    panel.plot(rows["x"], rows["y"], **EXACT)
    panel.text(1350, 30, "promises\ntoo much", color=VERMILION, fontsize=8)
    panel.annotate(
        "first above 1\nat n = 555",
        (555, 1),
        (250, 1e4),
        ha="center",
        fontsize=8,
        arrowprops=leader(INK),
    )
