"""The law of a sum, down to its rarest values, and the windows through which it is computed."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pkdp.figures._drawing import Blocks, Panels, block
from pkdp.figures._palette import BLUE, DOTTED, GREEN, VERMILION, line, power_of_ten
from pkdp.noiseless import sums

TITLE = "The law of a sum, seen through tilted windows"
ALT = (
    "The probability of each sum of 400 records 0 to 5, each value equally likely, on a "
    "logarithmic axis from 1 down to 10⁻³¹⁵. It is a dome with its top, 0.012, at 1,000, and "
    "falls to 10⁻³¹¹ at 0 and at 2,000. A level line at 10⁻¹⁶ marks what a transform cannot see;"
    " only sums from about 730 to 1,270 lie above it. Five thick stretches of the dome are "
    "windows of tilted laws, about the sums 300, 650, 1,000, 1,350 and 1,700.",
)
PANEL_SIZE = (3.8, 3.0)

RECORDS = 400
RECORD = dict.fromkeys(range(6), 1 / 6)
CENTRES = (300, 650, 1000, 1350, 1700)
# What a transform of floats loses, relative to the largest mass and with some room.
ROUNDING = 1e-16


def _tilted(tilt: float) -> NDArray[np.float64]:
    weights = np.exp(tilt * (np.arange(6) - 2.5))
    return np.asarray(weights / weights.sum())


def tilt_to(mean: float) -> float:
    """Return the tilt that gives a record this mean."""
    return float(brentq(lambda tilt: float(_tilted(tilt) @ np.arange(6)) - mean, -20.0, 20.0))


def data() -> Blocks:
    """Yield logarithms (to base 10) of masses of the sum.

    Yields
    ------
    Table
        Columns ``series`` (``law``, ``window``, ``rounding``), ``at`` (the middle of a window, or
        0), ``x`` (the sum) and ``y`` (the logarithm).
    """
    law = sums.law([(RECORD, RECORDS)])
    logs = law.log_pmf(0, law.most) / math.log(10.0)
    x = np.arange(0, law.most + 1, 10)
    yield block(series="law", at=0, x=x, y=logs[x])
    for centre in CENTRES:
        # Three standard deviations of the tilted law to either side.
        masses = _tilted(tilt_to(centre / RECORDS))
        values = np.arange(6)
        variance = float(masses @ values**2) - float(masses @ values) ** 2
        reach = round(3.0 * math.sqrt(RECORDS * variance) / 5.0) * 5
        seen = np.arange(centre - reach, centre + reach + 1, 5)
        yield block(series="window", at=centre, x=seen, y=logs[seen])
    level = np.full(2, math.log10(ROUNDING))
    yield block(series="rounding", at=0, x=np.array([0, law.most]), y=level)


def draw(axes: Panels) -> None:
    """Draw the law, the windows and what a transform cannot see."""
    (panel,) = axes
    panel.x("sum of 400 records", (0, 2000), [0, 500, 1000, 1500, 2000])
    panel.y("probability", (-320, 15), {k: power_of_ten(k) for k in (-300, -200, -100, 0)})
    for centre in CENTRES:
        panel.curve(panel.rows("window", at=centre), line(GREEN, width=5.0) | {"alpha": 0.75})
    panel.curve("law", line(BLUE, width=1.4))
    panel.curve("rounding", line(VERMILION, DOTTED, 1.6))
    text = "what a transform\ncannot see is below"
    panel.note(text, (1000, -16), (0, -36), VERMILION, lead=True)
    panel.note("windows of\ntilted laws", (1655, -94), (-20, -34), GREEN, lead=True)
    panel.note("the exact law", (160, -150), (10, -4), BLUE, va="top")
