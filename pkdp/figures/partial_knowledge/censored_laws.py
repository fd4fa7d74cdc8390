"""What a threshold leaves to see: nearly always ⊥, and ⊥ says next to nothing."""

import math

import numpy as np

from pkdp.figures._drawing import Panels, panels
from pkdp.figures._palette import BLUE, INK, VERMILION
from pkdp.figures._tables import Blocks, curves
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_pmf

TITLE = "What a threshold leaves to see"
ALT = (
    "Bars for the two laws of the output of a thresholded count: 40 others, each 1 with "
    "probability 0.1, and T = 7. The output ⊥ has probability 0.90 if the target's record is 1 "
    "and 0.96 if it is 0. The released counts 8, 9, 10 and so on share the rest: 0.058 and 0.026 "
    "for a count of 8, less for the others.",
    "The logarithm of the ratio of the two laws for each output, rising throughout: -0.06 for ⊥, "
    "just below zero, then 0.78 for a count of 8, 0.93 for 9, up to 1.75 for 16.",
)

OTHERS, PROBABILITY, THRESHOLD = 40, 0.1, 7
LAST = 16  # the largest count that is drawn


def data() -> Blocks:
    """Yield both laws of the output and the logarithm of their ratio.

    Yields
    ------
    Table
        Columns ``series`` (``one``, ``zero``, ``log ratio``), ``x`` the output, where T stands
        for ⊥, and ``y``.
    """
    outputs = np.arange(THRESHOLD, LAST + 1)
    one, zero = (
        np.exp(log_binomial_pmf(others, OTHERS, PROBABILITY)) for others in (outputs - 1, outputs)
    )
    one[0], zero[0] = (
        math.exp(log_binomial_cdf(others, OTHERS, PROBABILITY))
        for others in (THRESHOLD - 1, THRESHOLD)
    )
    yield curves(outputs, {"one": one, "zero": zero, "log ratio": np.log(one / zero)})


def draw(axes: Panels) -> None:
    """Draw the laws on the first panel and the logarithm of their ratio on the second."""
    laws, ratio = panels(axes, "Two laws of the output", "Only counts tell much", by="")
    for panel, last in ((laws, LAST - 3), (ratio, LAST)):
        counts = range(THRESHOLD + 1, last + 1, 2)
        outputs = {THRESHOLD: "⊥"} | {count: str(count) for count in counts}
        panel.x("output", (THRESHOLD - 0.8, last + 0.8), outputs)
    one, zero, log_ratio = map(laws.rows, ("one", "zero", "log ratio"))
    laws.bar(zero["x"] - 0.21, zero["y"], 0.38, color=BLUE)
    laws.bar(one["x"] + 0.21, one["y"], 0.38, color=VERMILION)
    laws.y("probability", (0, 1), [0, 0.5, 1], digits=1)
    laws.grid(axis="x", visible=False)
    # Each leader starts at the edge of a bar; that of Q passes above the bar of P.
    laws.callout("$Q$: record 0", (THRESHOLD - 0.02, 0.93), (8.6, 0.93), BLUE)
    laws.callout("$P$: record 1", (THRESHOLD + 0.4, 0.6), (8.6, 0.6), VERMILION)
    ratio.axhline(0, color=INK, linewidth=0.7)
    ratio.plot(log_ratio["x"][1:], log_ratio["y"][1:], "o", color=VERMILION)
    ratio.plot(log_ratio["x"][:1], log_ratio["y"][:1], "o", color=BLUE)
    ratio.y(r"$\ln\,(P\,/\,Q)$", (-0.4, 2), [0, 1, 2])
    ratio.text(7.5, -0.2, "⊥: almost always,\nalmost nothing", color=BLUE, va="center")
    ratio.text(7.1, 1.75, "a count: seldom, much", color=VERMILION, va="center")
