"""Two correlated bits, told with randomized response: three definitions, as dependence grows."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DASHED, GREEN, PURPLE, VERMILION, line
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.worlds.constructors import correlated_pairs
from pkdp.worlds.definitions import cdp_ratio, np_ratio
from pkdp.worlds.mechanisms import make_randomized_response
from pkdp.worlds.world import World

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

TRUTH = Fraction(1, 2)
TRUTHS = (Fraction(9, 10), Fraction(99, 100), Fraction(999, 1000))
# Closer together where the curves turn.
CORRELATIONS = (
    *(Fraction(k, 20) for k in range(14)),
    *(Fraction(k, 100) for k in range(70, 98)),
    *(Fraction(k, 400) for k in range(392, 400)),
    *(Fraction(k, 2000) for k in range(1997, 2001)),
)


def data() -> Blocks:
    """Yield ε against the correlation.

    Yields
    ------
    Table
        Columns ``panel`` (``definitions``, ``truths``), ``series`` (``NP``, ``CDP``, ``DDP``; the
        truth), ``x`` (correlation) and ``y`` (ε; of DDP the upper end of its enclosure).
    """
    worlds = [correlated_pairs([Fraction(1, 2)], (1 + c) / 2) for c in CORRELATIONS]
    x = np.array(CORRELATIONS, dtype=float)
    # Both records play the same part.
    told = make_randomized_response(TRUTH)
    definitions = {
        "NP": [math.log(np_ratio(world, told, [0])) for world in worlds],
        "CDP": [math.log(cdp_ratio(world, told, [0])) for world in worlds],
        "DDP": _ddp(worlds, TRUTH),
    }
    deltas = {_name(truth): _ddp(worlds, truth) for truth in TRUTHS}
    yield curves(x, definitions, panel="definitions")
    yield curves(x, deltas, panel="truths")


def _ddp(worlds: Sequence[World], truth: Fraction) -> list[float]:
    told = make_randomized_response(truth)
    return [math.log(ddp_ratio(world, told, [0]).upper) for world in worlds]


def _name(truth: Fraction) -> str:
    return f"truth {float(truth):g}"


def draw(axes: Panels) -> None:
    """Draw the definitions on the left, and what becomes of DDP as noise vanishes on the right."""
    definitions, truths = panels(axes, "Truth ½: three answers", "DDP: less noise, and a turn")
    for panel in axes:
        panel.x("correlation of the two bits", (0, 1), [0, 0.25, 0.5, 0.75, 1])
    definitions.y("ε", (0, 2.4), [0, 1, 2])
    definitions.curve("NP", line(VERMILION), "NP", 0.4, (0, 6))
    definitions.curve("CDP", line(BLUE, DASHED, 1.6), "CDP", 0.4, (0, -5))
    definitions.curve("DDP", line(GREEN), "DDP", 0.4, (6, 2), ha="center")
    truths.y("ε", (0, 7.5))
    for truth, colour in zip(TRUTHS, (BLUE, PURPLE, VERMILION), strict=True):
        truths.curve(_name(truth), line(colour, width=1.7), _name(truth), 0.3)
