"""Two correlated bits, told with randomized response: three definitions, as dependence grows."""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, GREEN, PURPLE, VERMILION, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.worlds.constructors import correlated_pairs
from pkdp.worlds.definitions import cdp_ratio, ddp_ratio, np_ratio
from pkdp.worlds.mechanisms import make_randomized_response
from pkdp.worlds.world import World

NAME = "dependence"
TITLE = "Three definitions as two bits become one"
ALT = (
    "ε against the correlation of two fair bits, from 0 to 1, for randomized response with truth ½ "
    "on both. Noiseless privacy rises from 1.10 to twice that, causal privacy stays at 1.10, and "
    "distributional privacy falls from 0.69 to 0 at a correlation of 0.73 and remains there.",
    "ε of distributional privacy against the correlation for truth 0.9, 0.99 and 0.999. The curves "
    "start at 2.3, 4.6 and 6.9 and fall to a low of 1.33 at 0.74, 2.6 at 0.88 and 3.8 at 0.96. "
    "From there they rise again, to 1.47 at 0.89, 3.7 at 0.99 and 6.0 at 0.999, and then drop to "
    "0, the first just before correlation 1, the others at 1.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

TRUTH = Fraction(1, 2)
TRUTHS = (Fraction(9, 10), Fraction(99, 100), Fraction(999, 1000))
# Closer together where the curves turn.
CORRELATIONS = (
    *(Fraction(k, 20) for k in range(14)),
    *(Fraction(k, 100) for k in range(70, 98)),
    *(Fraction(k, 400) for k in range(392, 400)),
    Fraction(9985, 10_000),
    Fraction(999, 1000),
    Fraction(9995, 10_000),
    Fraction(1),
)

_STYLES: dict[str, dict[str, Any]] = {
    "NP": {"color": VERMILION, "linestyle": "-", "linewidth": 1.9},
    "CDP": {"color": BLUE, "linestyle": (0, (5, 1.6)), "linewidth": 1.6},
    "DDP": {"color": GREEN, "linestyle": "-", "linewidth": 1.9},
}
_COLOURS = (BLUE, PURPLE, VERMILION)


@functools.cache
def data() -> Table:
    """Return ε against the correlation.

    Returns
    -------
    Table
        Columns ``panel`` (``definitions``, ``truths``), ``series`` (``NP``, ``CDP``, ``DDP``; the
        truth), ``x`` (correlation) and ``y`` (ε; of DDP the upper end of its enclosure).
    """
    worlds = [correlated_pairs([Fraction(1, 2)], (1 + c) / 2) for c in CORRELATIONS]
    x = np.array(CORRELATIONS, dtype=float)
    # Both records play the same part.
    told = make_randomized_response(TRUTH)
    curves = {
        "NP": [math.log(np_ratio(world, told, [0])) for world in worlds],
        "CDP": [math.log(cdp_ratio(world, told, [0])) for world in worlds],
        "DDP": _ddp(worlds, TRUTH),
    }
    return stack(
        *(block(panel="definitions", series=name, x=x, y=y) for name, y in curves.items()),
        *(block(panel="truths", series=_name(t), x=x, y=_ddp(worlds, t)) for t in TRUTHS),
    )


def _ddp(worlds: Sequence[World], truth: Fraction) -> list[float]:
    told = make_randomized_response(truth)
    return [math.log(ddp_ratio(world, told, [0]).upper) for world in worlds]


def _name(truth: Fraction) -> str:
    return f"truth {float(truth):g}"


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the definitions on the left, and what becomes of DDP as noise vanishes on the right."""
    definitions, truths = axes
    rows = select(data, panel="definitions")
    for series, style in _STYLES.items():
        curve = select(rows, series=series)
        definitions.plot(curve["x"], curve["y"], **style)
    for panel in axes:
        panel.set_xlim(0, 1)
        panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        panel.set_xlabel("correlation of the two bits")
        panel.set_ylabel("ε")
    definitions.set_ylim(0, 2.4)
    definitions.set_yticks([0, 1, 2])
    definitions.set_title("Truth ½: three answers")
    truths.set_ylim(0, 7.5)
    truths.set_title("DDP: less noise, and a turn")
    for series, offset, va in (
        ("NP", (0, 6), "bottom"),
        ("CDP", (0, -5), "top"),
        ("DDP", (6, 2), "bottom"),
    ):
        curve = select(rows, series=series)
        label_line(
            definitions,
            curve,
            series,
            at=0.4,
            offset=offset,
            va=va,
            color=_STYLES[series]["color"],
        )
    for truth, colour in zip(TRUTHS, _COLOURS, strict=True):
        curve = select(data, panel="truths", series=_name(truth))
        truths.plot(curve["x"], curve["y"], color=colour, linewidth=1.7)
        label_line(truths, curve, _name(truth), at=0.3, offset=(0, 4), color=colour)
