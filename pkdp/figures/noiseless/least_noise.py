"""How little noise is enough beside records that the attacker does not know."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, DASHED, INK, SPARSE, VERMILION, line
from pkdp.noiseless import synergy
from pkdp.partial_knowledge import counting, noise

TITLE = "How much noise uncertain records save"
ALT = (
    "The least standard deviation of noise for ε = 0.3 and δ = 10⁻⁶ against the number m of "
    "unknown bits, 0 to 2,500, each 1 with probability 0.1. Geometric noise falls slowly from 4.70 "
    "at m = 0 through 4.55 at 1,000 and 4.16 at 1,500, then fast, through 2.99 at 2,000, to 0 at "
    "2,206. Gaussian noise falls from 12.99 through 9.61 and 7.35 to 3.97 at 2,000 and 0 at 2,206. "
    "Close below it runs a quarter of an ellipse, which ends at 1,876.",
    "δ at ε = 0.3 against m from 0 to 2,500, δ logarithmic, without noise and with geometric noise "
    "of three sizes. Without noise δ falls from 1 through 1.8e-4 at 1,000 to 1e-6 at 2,206. Noise "
    "of deviation 2 hardly changes that. With 4 it starts at 0.03 and reaches 1e-6 at about 1,600; "
    "with 4.5 it starts at 0.0075 and reaches 1e-6 at about 1,100.",
)
PANEL_SIZE = (3.3, 2.9)

P, EPS, DELTA = 0.1, 0.3, 1e-6
SIZES = (*range(0, 1800, 100), *range(1800, 2150, 50), 2160, 2180, 2190, 2200, 2205)
MOST = 2500
_GRID = (*range(0, 100, 10), *range(100, MOST + 1, 50))


def data() -> Blocks:
    """Yield the least noise against m, and δ against m for some noises.

    Yields
    ------
    Table
        Columns ``panel`` (``least``, ``delta``), ``series`` (``geometric``, ``gaussian``,
        ``ellipse``), ``deviation`` (of the noise, on the panel ``delta``), ``x`` (m) and ``y`` (a
        standard deviation, or δ).
    """
    last = synergy.least_records(P, EPS, DELTA)
    kinds = {"geometric": synergy.least_geometric, "gaussian": synergy.least_gaussian}
    sizes = np.array([*SIZES, last, MOST], dtype=float)
    for series, least in kinds.items():
        y = [*(least(m, P, EPS, DELTA) for m in SIZES), 0.0, 0.0]
        yield block(panel="least", series=series, deviation=0.0, x=sizes, y=y)
    alone = synergy.least_gaussian(0, P, EPS, DELTA)
    x = alone**2 / (P * (1.0 - P)) * np.sin(np.linspace(0.0, math.pi / 2.0, 61))
    normal = np.sqrt(np.maximum(alone**2 - P * (1.0 - P) * x, 0.0))
    yield block(panel="least", series="ellipse", deviation=0.0, x=x, y=normal)
    grid = np.array(_GRID, dtype=float)
    for deviation in (0.0, 2.0, 4.0, 4.5):
        y = [_delta(m, deviation) for m in _GRID]
        yield block(panel="delta", series="geometric", deviation=deviation, x=grid, y=y)


def _delta(m: int, deviation: float) -> float:
    pair = counting.pair([P], multiplicities=[m])
    if deviation == 0.0:
        return float(pair.profile().delta(EPS))
    noisy = noise.add(pair, noise.Geometric(synergy.geometric_ratio(deviation)))
    return float(noisy.profile().delta(EPS))


def draw(axes: Panels) -> None:
    """Draw the least noise, and δ with some noises."""
    least, delta = panels(axes, "The least noise", "What noise of a fixed size leaves")
    for panel in axes:
        panel.x("unknown bits m", (0, MOST), [0, 1000, 2000])
    least.y("standard deviation", (0, 14), [0, 5, 10])
    sparse, dashed = line(INK, SPARSE, 1.2), line(VERMILION, DASHED, 1.6)
    least.curve("ellipse", sparse, "normal data", 1150, (-4, -4))
    least.curve("gaussian", dashed, "Gaussian", 900, (4, 3))
    least.curve("geometric", line(BLUE), "geometric", 300, (3, -5))
    least.note("none", (MOST, 0.0), (0, 4), ha="right")
    delta.log_y(f"δ at ε = {EPS:g}", (1e-9, 2), powers(-9, -6, -3, 0))
    delta.axhline(DELTA, **sparse)
    for deviation, text, style, at, offset in (
        (0.0, "no noise", line(INK, DASHED, 1.6), 700.0, (4, 6)),
        (2.0, "2", line(BLUE), 1250.0, (-3, -3)),
        (4.0, "4", line(BLUE), 950.0, (-3, -3)),
        (4.5, "4.5", line(BLUE), 600.0, (-3, -3)),
    ):
        delta.curve(delta.rows(deviation=deviation), style, text, at, offset)
