"""Theorem 1 on a small world: a bar for each B̂ as wide as it is likely; their area is PPK."""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, EXACT, INK, VERMILION, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.worlds.constructors import bits
from pkdp.worlds.definitions import apk_table
from pkdp.worlds.mechanisms import make_threshold
from pkdp.worlds.world import World

NAME = "theorem-1"
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
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

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


@functools.cache
def data() -> Table:
    """Return the bars, and δ(ε) for each number of known Yes votes and their mean.

    Returns
    -------
    Table
        Columns ``panel`` (``bars``, ``curves``), ``series`` (``apk``, ``ppk``), ``known`` (number
        of known Yes votes; -1 for the mean), ``width`` (probability; 0 on the second panel), ``x``
        (left end of the bar; ε) and ``y`` (δ).
    """
    bars = by_number(Fraction(RATIO))
    widths = np.array([float(chance) for chance, _ in bars.values()])
    heights = np.array([float(delta) for _, delta in bars.values()])
    lefts = np.concatenate([[0.0], np.cumsum(widths)[:-1]])
    mean = float(sum(chance * delta for chance, delta in bars.values()))
    blocks = [
        block(panel="bars", series="apk", known=list(bars), width=widths, x=lefts, y=heights),
        block(panel="bars", series="ppk", known=-1, width=1.0, x=0.0, y=mean),
    ]
    grid = np.linspace(0.0, _LARGEST, 61)
    tables = [by_number(Fraction(math.exp(eps))) for eps in grid.tolist()]
    for number in bars:
        deltas = [float(table[number][1]) for table in tables]
        blocks.append(
            block(panel="curves", series="apk", known=number, width=0.0, x=grid, y=deltas)
        )
    means = [float(sum(chance * delta for chance, delta in table.values())) for table in tables]
    blocks.append(block(panel="curves", series="ppk", known=-1, width=0.0, x=grid, y=means))
    return stack(*blocks)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the bars on the first panel, the curves on the second."""
    _draw_bars(axes[0], select(data, panel="bars"))
    _draw_curves(axes[1], select(data, panel="curves"))


def _draw_bars(panel: Axes, data: Table) -> None:
    bars, mean = (select(data, series=name) for name in ("apk", "ppk"))
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 0.28)
    panel.set_xlabel("probability of what is known")
    panel.set_ylabel("δ at ε = ln 2")
    panel.set_title("Area of the bars: PPK")
    panel.bar(
        bars["x"],
        bars["y"],
        width=bars["width"],
        align="edge",
        facecolor=VERMILION,
        edgecolor=INK,
        alpha=0.35,
        linewidth=0.8,
    )
    panel.plot([0, 1], [mean["y"][0]] * 2, **EXACT)
    panel.annotate(
        "passive",
        (0.02, float(mean["y"][0])),
        (0, 3),
        textcoords="offset points",
        fontsize=8,
        color=BLUE,
    )
    for number, left, width, height in zip(
        bars["known"], bars["x"], bars["width"], bars["y"], strict=True
    ):
        # The last bar is too narrow for more than its number.
        text = f"{number} Yes" if number < 3 else f"{number}"
        panel.annotate(
            text,
            (float(left + width / 2), float(height)),
            (0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=VERMILION,
        )


def _draw_curves(panel: Axes, data: Table) -> None:
    panel.set_xlim(0, _LARGEST)
    panel.set_ylim(0, 0.47)
    panel.set_xlabel("ε")
    panel.set_ylabel("δ(ε)")
    panel.set_title("At every ε")
    labels = {
        0: ("0 known Yes", 0.1, (0, 2)),
        1: ("1", 0.2, (0, 2)),
        2: ("2 or 3", 0.35, (6, 3)),
    }
    for number in range(4):
        curve = select(data, series="apk", known=number)
        panel.plot(curve["x"], curve["y"], color=VERMILION, linewidth=0.9)
        if number in labels:
            text, at, offset = labels[number]
            label_line(
                panel,
                curve,
                text,
                at=at,
                offset=offset,
                color=VERMILION,
                ha="left",
            )
    mean = select(data, series="ppk")
    panel.plot(mean["x"], mean["y"], **EXACT)
    label_line(panel, mean, "passive", at=0.55, offset=(-6, -26), color=BLUE, ha="left")
