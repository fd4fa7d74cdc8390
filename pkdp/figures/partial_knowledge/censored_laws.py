"""What a threshold leaves: one bar for all suppressed counts, and a few released ones."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, INK, VERMILION
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_pmf

TITLE = "What a threshold leaves"
ALT = (
    "Bars for the distribution of a count: 40 others, each 1 with probability 0.1. If the "
    "target's record is 0, it is highest at 4 with probability 0.21; if it is 1, at 5. A line "
    "after the count of 7 marks the threshold T = 7; little lies beyond it.",
    "The same for what is published. One bar, suppressed, holds all counts up to 7: 0.90 if the "
    "target's record is 1, 0.96 if it is 0. The released counts 8, 9, 10 and so on share the "
    "rest: 0.058 and 0.026 for a count of 8, less for the others.",
)

OTHERS, PROBABILITY, THRESHOLD = 40, 0.1, 7
LAST = 16  # the largest count of the table


def data() -> Blocks:
    """Yield the distributions of the count and of what is published.

    Yields
    ------
    Table
        Columns ``panel`` (``count``, ``published``), ``series`` (``one``, ``zero``), ``x`` the
        count, where T stands for all suppressed ones in ``published``, and ``y``.
    """
    counts = np.arange(LAST + 1)
    one, zero = (
        np.exp(log_binomial_pmf(others, OTHERS, PROBABILITY)) for others in (counts - 1, counts)
    )
    yield curves(counts, {"one": one, "zero": zero}, panel="count")
    one[THRESHOLD], zero[THRESHOLD] = (
        math.exp(log_binomial_cdf(others, OTHERS, PROBABILITY))
        for others in (THRESHOLD - 1, THRESHOLD)
    )
    released = {"one": one[THRESHOLD:], "zero": zero[THRESHOLD:]}
    yield curves(counts[THRESHOLD:], released, panel="published")


def draw(axes: Panels) -> None:
    """Draw pairs of bars for both values of the target's record."""
    count, published = panels(axes, "The count", "What is published")
    for panel in axes:
        for series, side, color in (("zero", -0.21, BLUE), ("one", 0.21, VERMILION)):
            rows = panel.rows(series)
            panel.bar(rows["x"] + side, rows["y"], 0.38, color=color)
        panel.grid(axis="x", visible=False)
    count.x("count", (-0.8, 13.8), [0, 2, 4, 6, 8, 10, 12])
    count.y("probability", (0, 0.25), [0, 0.1, 0.2], digits=1)
    count.axvline(THRESHOLD + 0.5, color=INK, linewidth=0.9, linestyle=(0, (3, 1.5)))
    count.text(7.3, 0.235, "suppressed", ha="right", va="center")
    count.text(7.8, 0.235, "released", va="center")
    outputs = {THRESHOLD: "suppressed"} | {n: str(n) for n in range(9, 14, 2)}
    published.x("output", (THRESHOLD - 0.9, 13.8), outputs)
    published.y("probability", (0, 1), [0, 0.5, 1], digits=1)
    # Each leader starts at the edge of a bar.
    published.callout("target's record 0", (THRESHOLD - 0.02, 0.93), (8.6, 0.93), BLUE)
    published.callout("target's record 1", (THRESHOLD + 0.4, 0.6), (8.6, 0.6), VERMILION)
