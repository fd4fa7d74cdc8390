"""Theorem 1 on a small world: a bar for each B̂ as wide as it is likely; their area is PPK."""

import functools
import math
from fractions import Fraction

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, EXACT, INK, VERMILION, Style, line
from pkdp.worlds.constructors import bits
from pkdp.worlds.definitions import apk_table
from pkdp.worlds.mechanisms import make_threshold
from pkdp.worlds.world import World

TITLE = "The passive attacker's δ is the mean of the active one's"
ALT = (
    "Four bars side by side over the unit interval, for 0, 1, 2 and 3 Yes votes among the three "
    "known. Their widths are the probabilities 0.343, 0.441, 0.189 and 0.027; their heights, δ of "
    "Yes against No at e^ε = 2, are 0.027, 0.162, 0.225 and 0.225. A line at their mean height, "
    "0.129, is the passive attacker's δ; the highest bars are the active one's for Yes against No.",
    "δ of Yes against No, for ε from 0 to 3: thin curves for 0, 1, 2 and 3 known Yes votes start "
    "at 0.027, 0.189, 0.441 and 0.441 and end together at 0.027; that of 0 is flat, those of 2 and "
    "3 are one curve. Their upper end is the active attacker's δ in this order; the mean, a "
    "thicker line, falls from 0.188.",
)

RATIO = 2  # e^ε on the first panel
_LARGEST = 3.0


def world() -> World:
    """Return seven votes, of which three are known."""
    return bits([Fraction(3, 10)] * 7, knowledge=(4, 5, 6))


MECHANISM = make_threshold(3)


def by_number(ratio: Fraction) -> dict[int, tuple[Fraction, Fraction]]:
    """Return, for each number of known Yes votes, its probability and APK of Yes against No."""
    found: dict[int, tuple[Fraction, Fraction]] = {}
    for votes, (chance, delta) in apk_table(world(), MECHANISM, ratio, target=0, a=1, b=0).items():
        number = sum(votes)
        found[number] = (found.get(number, (Fraction(0), delta))[0] + chance, delta)
    return dict(sorted(found.items()))


def data() -> Blocks:
    """Yield the bars, and δ(ε) for each number of known Yes votes and their mean.

    Yields
    ------
    Table
        Columns ``panel`` (``bars``, ``curves``), ``series`` (``apk``, ``ppk``), ``known`` (number
        of known Yes votes; -1 for the mean), ``width`` (probability; 0 on the second panel), ``x``
        (left end of the bar; ε) and ``y`` (δ).
    """
    bars = by_number(Fraction(RATIO))
    widths = np.array([float(chance) for chance, _ in bars.values()])
    heights = np.array([float(delta) for _, delta in bars.values()])
    lefts = np.concatenate([[0.0], np.cumsum(widths)[:-1]])
    yield block(panel="bars", series="apk", known=list(bars), width=widths, x=lefts, y=heights)
    yield block(panel="bars", series="ppk", known=-1, width=1.0, x=0.0, y=_mean(bars))
    grid = np.linspace(0.0, _LARGEST, 61)
    tables = [by_number(Fraction(math.exp(eps))) for eps in grid.tolist()]
    curve = functools.partial(block, panel="curves", width=0.0, x=grid)
    for number in bars:
        y = [float(table[number][1]) for table in tables]
        yield curve(series="apk", known=number, y=y)
    yield curve(series="ppk", known=-1, y=[_mean(table) for table in tables])


def _mean(table: dict[int, tuple[Fraction, Fraction]]) -> float:
    return float(sum(chance * delta for chance, delta in table.values()))


def draw(axes: Panels) -> None:
    """Draw the bars on the first panel, the curves on the second."""
    bars, curves = panels(axes, "Area of the bars: PPK", "At every ε")
    bars.x("probability of what is known", (0, 1))
    bars.y("δ at ε = ln 2", (0, 0.28))
    style: Style = {"facecolor": VERMILION, "edgecolor": INK, "alpha": 0.35, "linewidth": 0.8}
    active = bars.rows("apk")
    bars.bar(active["x"], active["y"], active["width"], align="edge", **style)
    (height,) = bars.rows("ppk")["y"].tolist()
    bars.plot([0, 1], [height, height], **EXACT)
    bars.note("passive", (0.02, height), (0, 3), BLUE, ha="left", va="baseline")
    middles = active["x"] + active["width"] / 2
    for number, x, y in zip(active["known"], middles, active["y"], strict=True):
        # The last bar is too narrow for more than its number.
        text = f"{number} Yes" if number < 3 else f"{number}"
        bars.note(text, (x, y), (0, 2), VERMILION, va="baseline")
    curves.x("ε", (0, _LARGEST))
    curves.y("δ(ε)", (0, 0.47))
    thin = line(VERMILION, width=0.9)
    curves.curve(curves.rows(known=0), thin, "0 known Yes", 0.1, (0, 2), ha="left")
    curves.curve(curves.rows(known=1), thin, "1", 0.2, (0, 2), ha="left")
    curves.curve(curves.rows(known=2), thin, "2 or 3", 0.35, (6, 3))
    curves.curve(curves.rows(known=3), thin)
    curves.curve("ppk", EXACT, "passive", 0.55, (-6, -26), ha="left", va="bottom")
