"""A sum of records that are hardly ever odd: its law, and how well it hides a 1."""

import math

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from pkdp.figures._drawing import Panels, callout, draw_curve, log_axes, note, power_ticks
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.noiseless import coins, normal_bounds, sums

TITLE = "Records that are hardly ever odd"
ALT = (
    "The probabilities of the sums from 960 to 1,040 of 1,000 records, as a comb: even sums have"
    " up to 0.023, odd ones up to 0.0023, and the normal density, 0.0126 at its top, runs "
    "between them.",
    "δ at ε = 0.1 against n from a hundred to a hundred million, both axes logarithmic. The "
    "exact curve is 0.98 at n = 100, 0.81 at 1,000 and 0.09 at 10,000, and then falls like a "
    "stone, below 10⁻¹² before 18,000; up to there it follows a thin line, what the parity of "
    "the sum tells. What Berry and Esseen say of half-lines is 0.13 at n = 100 and 0.011 at "
    "10,000, below the truth; from 14,000 on it is above it. The coin bound is never below the "
    "truth: 0.99 at n = 100, 0.51 at 10,000, 0.021 at a million and 10⁻¹² at some 75 million.",
)
PANEL_SIZE = (3.3, 3.0)

ODD = 1e-4
RECORD = {0: (1.0 - ODD) / 2.0, 1: ODD, 2: (1.0 - ODD) / 2.0}
FEW = 1001
EPS = 0.1
SIZES = np.unique(
    np.concatenate([np.geomspace(100, 1e8, 37), np.geomspace(1e4, 2e4, 25)])
    .round()
    .astype(np.int64)
)
_LEAST = 1e-15

_EXACT: Style = {"color": BLUE, "linestyle": "-", "linewidth": 2.2}
_COINS: Style = {"color": GREEN, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
_HALF_LINES: Style = {"color": VERMILION, "linestyle": (0, (1.2, 1.4)), "linewidth": 1.9}
_PARITY: Style = {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 1.2}


def parity(n: int) -> float:
    """Return what the parity of the sum tells of a 1 at ε = 0.1, at least."""
    bias = (1.0 - 2.0 * ODD) ** (n - 1)
    return max(0.0, (1.0 + bias) / 2.0 - math.exp(EPS) * (1.0 - bias) / 2.0)


def data() -> Table:
    """Return the masses of a sum, and δ at ε = 0.1 against n.

    Returns
    -------
    Table
        Columns ``panel`` (``law``, ``delta``), ``series`` (``even``, ``odd``, ``normal``;
        ``exact``, ``parity``, ``half-lines``, ``coins``), ``x`` (the sum; n) and ``y`` (its
        probability; δ from 1e-15 on).
    """
    law = sums.law([(RECORD, FEW - 1)])
    values = np.arange(FEW - 41, FEW + 40)
    masses = np.exp(law.log_pmf(int(values[0]), int(values[-1])))
    variance = normal_bounds.moments([(RECORD, FEW - 1)]).variance
    density = np.exp(-((values - (FEW - 1)) ** 2) / (2.0 * variance))
    even = values % 2 == 0
    blocks = [
        _rows("law", "even", values[even], masses[even]),
        _rows("law", "odd", values[~even], masses[~even]),
        _rows("law", "normal", values, density / math.sqrt(2.0 * math.pi * variance)),
    ]
    for series in ("exact", "parity", "half-lines", "coins"):
        x, y = [], []
        for n in SIZES.tolist():
            delta = _delta(series, n)
            if delta < _LEAST:
                break
            x.append(n)
            y.append(delta)
        blocks.append(_rows("delta", series, x, y))
    return stack(*blocks)


def _delta(series: str, n: int) -> float:
    others = [(RECORD, n - 1)]
    if series == "exact":
        return sums.pair(others).profile().delta(EPS)
    if series == "coins":
        return coins.bound(others).delta(EPS)
    if series == "parity":
        return parity(n)
    m = normal_bounds.moments(others)
    return normal_bounds.berry_esseen_for_half_lines(m.variance, m.third).delta(EPS)


def _rows(panel: str, series: str, x: ArrayLike, y: ArrayLike) -> Table:
    return block(panel=panel, series=series, x=np.asarray(x, float), y=np.asarray(y, float))


def draw(axes: Panels, data: Table) -> None:
    """Draw the law on the first panel, δ on the second."""
    _draw_law(axes[0], select(data, panel="law"))
    _draw_delta(axes[1], select(data, panel="delta"))


def _draw_law(panel: Axes, data: Table) -> None:
    panel.set(xlim=(960, 1040), ylim=(0, 0.028), xlabel="sum of 1,000 records")
    panel.set(title="The law of the sum", ylabel="probability")
    panel.set_xticks([960, 980, 1000, 1020, 1040], ["960", "980", "1,000", "1,020", "1,040"])
    panel.set_yticks([0, 0.01, 0.02])
    for series, color in (("even", BLUE), ("odd", GREEN)):
        rows = select(data, series=series)
        panel.vlines(rows["x"], 0.0, rows["y"], color=color, linewidth=1.5)
    draw_curve(panel, select(data, series="normal"), _HALF_LINES)
    note(panel, "even sums", (1000, 0.0232), (0, 3), BLUE)
    callout(panel, "odd sums", (971, 0.0012), (961, 0.0195), GREEN)
    callout(panel, "normal\ndensity", (1029, 0.0083), (1025, 0.0215), VERMILION)


def _draw_delta(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(100, 1e8), y=(1e-12, 4))
    panel.set(title="δ at ε = 0.1", xlabel="n", ylabel="δ")
    panel.set_xticks([1e2, 1e4, 1e6, 1e8], ["100", "10,000", "10⁶", "10⁸"])
    power_ticks(panel, -12, -9, -6, -3, 0)
    draw_curve(panel, select(data, series="exact"), _EXACT, "exact", 1.6e4, (-6, -8))
    draw_curve(panel, select(data, series="parity"), _PARITY)
    rows = select(data, series="half-lines")
    draw_curve(panel, rows, _HALF_LINES, "half-lines,\nBerry–Esseen", 2.2e6, (-2, -7))
    draw_curve(panel, select(data, series="coins"), _COINS, "coins", 4e7, (-6, -3))
