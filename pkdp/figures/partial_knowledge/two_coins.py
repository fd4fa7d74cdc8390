"""Randomized response by two fair coins: the probability of each answer, given the truth."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block
from pkdp.figures._palette import BLUE, VERMILION

TITLE = "An answer you can deny"
ALT = (
    "Two pairs of bars. The answer No has probability 75 % if the truth is No and 25 % if it is "
    "Yes. The answer Yes has probability 25 % if the truth is No and 75 % if it is Yes. In each "
    "pair the taller bar is three times as high as the other.",
)
PANEL_SIZE = (3.8, 2.7)


def data() -> Blocks:
    """Yield the probability of each answer: with probability ½ the truth, else a fair coin's.

    Yields
    ------
    Table
        Columns ``truth`` and ``x``, the answer, both 0 for No and 1 for Yes, and ``y``.
    """
    answers = np.arange(2)
    for truth in (0, 1):
        yield block(truth=truth, x=answers, y=0.5 * (answers == truth) + 0.25)


def draw(axes: Panels) -> None:
    """Draw a pair of bars for each answer."""
    (panel,) = axes
    panel.x("the answer", (-0.6, 1.6), {0: "No", 1: "Yes"})
    panel.y("probability", (0, 1), {0: "0", 0.25: "25 %", 0.5: "50 %", 0.75: "75 %"})
    panel.grid(axis="x", visible=False)
    for truth, name, colour in ((0, "No", BLUE), (1, "Yes", VERMILION)):
        bars = panel.rows(truth=truth)
        x = bars["x"] + 0.4 * truth - 0.2
        panel.bar(x, bars["y"], 0.38, color=colour)
        place = (float(x[truth]), float(bars["y"][truth]))
        panel.note(f"the truth is {name}", place, color=colour)
