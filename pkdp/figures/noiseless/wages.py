"""The average and the largest of n wages: what they reveal of a typical and of the largest one."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers, seen
from pkdp.figures._palette import BLUE, DASHED, INK, VERMILION, line
from pkdp.figures.noiseless import weekly_wages as wages

TITLE = "What the average and the largest wage reveal"
ALT = (
    "ε at δ = 10⁻⁶ of the average against n, both axes logarithmic. A wage of 780 dollars a week "
    "against one of 310: 3.9 in a village of 12, 0.25 in a company of 400, 0.02 in a town of "
    "28,155 and 0.003 in a country of a million. The largest wage against the median: infinite in "
    "the village, 16 in the company, 1.1 in the town and 0.15 in the country.",
    "δ of the maximum, the same at every ε, against n up to 10⁸. For the largest wage of the "
    "survey it stays near 1 up to n = 1,000, is 0.37 in the town and falls to 10⁻⁶ at 390,000. For "
    "a wage that one man in a hundred has or exceeds it falls to 10⁻⁶ at about 1,400; for 783 "
    "dollars, the upper quartile, at 49.",
)
PANEL_SIZE = (3.3, 2.9)

DELTA = 1e-6
UNIT = 10
# Dollars a week: the quartiles; the largest and the median; all multiples of the unit.
PAIRS = {"quartiles": (780, 310), "largest": (18_780, 520)}
PLACES = {"village": 12, "company": 400, "town": 28_155, "country": 10**6}
# Closer where the curves bend.
_GRID = [*np.geomspace(2, 60, 24), *np.geomspace(60, 10**6, 20), *PLACES.values()]
SIZES = np.unique(np.round(_GRID).astype(np.int64))

SHARES = {"quartile": 0.75, "99 %": 0.99, "largest": 1.0}
MANY = np.unique(np.geomspace(2, 10**8, 200).round().astype(np.int64))


def data() -> Blocks:
    """Yield ε of the average and δ of the maximum against n.

    Yields
    ------
    Table
        Columns ``panel`` (``average``, ``maximum``), ``series``, ``x`` (n) and ``y`` (ε at
        δ = 1e-6, where it is finite; δ from 1e-9 on).
    """
    average = {
        series: [wages.average(n, a, b, unit=UNIT).epsilon(DELTA) for n in SIZES.tolist()]
        for series, (a, b) in PAIRS.items()
    }
    median = wages.quantile(0.5)
    maximum = {
        series: [wages.maximum(n, wages.quantile(share), median).delta(0.0) for n in MANY.tolist()]
        for series, share in SHARES.items()
    }
    yield seen(curves(SIZES, average, panel="average"))
    yield seen(curves(MANY, maximum, panel="maximum"), 1e-9)


def draw(axes: Panels) -> None:
    """Draw ε of the average in the first panel, δ of the maximum in the second."""
    average, maximum = panels(axes, "The average", "The largest wage")
    for panel in axes:
        panel.log_x("n", (2, 1.3e6), [10, 1e3, 1e5])
    average.log_y("ε at δ = 10⁻⁶", (1e-3, 100), [1e-3, 0.01, 0.1, 1, 10])
    for name, n in PLACES.items():
        average.axvline(n, color=INK, linewidth=0.5, alpha=0.35)
        # The four stand close: one higher than the others.
        offset = {"town": (2, 14), "country": (-2, 3)}.get(name, (2, 3))
        average.note(name, (n, 1e-3), offset)
    largest = line(VERMILION, DASHED)
    average.curve("quartiles", line(BLUE), "780 against\n310 dollars", 900, (-6, -12))
    average.curve("largest", largest, "the largest\nagainst the median", 1500, (6, 3))
    maximum.log_y("δ, at every ε", (1e-6, 3), powers(-6, -4, -2, 0))
    maximum.curve("quartile", line(BLUE), "upper\nquartile", 30, (-5, -4))
    maximum.curve("99 %", line(INK, (0, (1, 2.0))), "one in a\nhundred", 950, (5, 3))
    maximum.curve("largest", largest, "the largest", 1.2e5, (-5, -3))
