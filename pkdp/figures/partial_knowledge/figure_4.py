"""Figure 4 of the paper: ε and δ of Theorem 4 against the threshold, as published and tight."""

import math

import numpy as np
from matplotlib.ticker import MaxNLocator

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import EXACT, INK, PRINTED, VERMILION
from pkdp.figures.partial_knowledge.decisions import theorem_4
from pkdp.partial_knowledge import published, thresholding

TITLE = "ε and δ against the threshold for p = 0.5 %: published and tight"
ALT = (
    "n = 1,000, expected value 5. Both published curves begin at T = 6, ε at 2.3 and δ at 0.90; "
    "they meet as they fall to 5.1·10⁻⁶ at T = 18. The least δ that goes with ε = 0 lies below "
    "both, at 0.15 for T = 6 and 3.7·10⁻⁶ for T = 18, and goes on to the left, where Theorem 4 "
    "says nothing: 0.22 at T = 3.",
    "n = 10,000, expected value 50. The published curves begin near 0.13 at T = 60, close "
    "together, and fall to 2.9·10⁻¹⁷ at T = 120. The least δ at ε = 0 is 0.020 and 1.7·10⁻¹⁷ "
    "there. To the left it flattens: 0.056 at T = 50, 0.089 at T = 20.",
    "n = 100,000, expected value 500. The published curves begin at 0.017 for T = 550 and fall to "
    "10⁻²⁵ at T = 750, indistinguishable. The least δ at ε = 0 is 0.0015 and 3.4·10⁻²⁶ there. "
    "Below the expected value it is between 0.02 and 0.03.",
)
COLUMNS = 3
PANEL_SIZE = (2.1, 2.6)

P = 0.005
# The thresholds at which the published points lie, and where the panels begin.
THRESHOLDS = {
    1000: range(6, 19),
    10_000: range(60, 121, 10),
    100_000: range(550, 751, 20),
}
FIRST = {1000: 1, 10_000: 20, 100_000: 350}
_STEP = {1000: 1, 10_000: 2, 100_000: 10}
_SERIES = ("published eps", "published delta", "tight")


def data() -> Blocks:
    """Yield the thresholds at which the published points lie and the tight curve for each n.

    Yields
    ------
    Table
        Columns ``n``, ``series`` (``published eps``, ``published delta``, ``tight``), ``x`` (T)
        and ``y``: ε, δ, and the least δ at ε = 0; and ``applies``, the least T to which Theorem 4
        applies.
    """
    for n, thresholds in THRESHOLDS.items():
        applies = next(T for T in range(1, n) if theorem_4(n, P, T, 1.0) < math.inf)
        points = [published.figure_4(n, threshold=T) for T in thresholds]
        grid = range(FIRST[n], thresholds[-1] + 1, _STEP[n])
        tight = [thresholding.worst_case(n, P, threshold=T).delta(0.0) for T in grid]
        heights = (*zip(*points, strict=True), tight)
        for series, x, y in zip(_SERIES, (thresholds, thresholds, grid), heights, strict=True):
            at = np.array(x, dtype=float)
            yield block(n=n, series=series, x=at, y=y, applies=applies)


def draw(axes: Panels) -> None:
    """Draw one panel for each n."""
    both = "ε and δ,\nas published"
    looks = (
        (range(-2, -7, -2), 1e-6, 11, "as published", 8),
        (range(-5, -18, -5), 1e-17, 72, both, 60),
        (range(-10, -27, -10), 1e-26, 620, both, 550),
    )
    panels(axes, *(f"n = {n:,}" for n in THRESHOLDS), by="n")
    for panel, n, (marks, least, below, text, above) in zip(axes, THRESHOLDS, looks, strict=True):
        panel.x("threshold $T$", (FIRST[n], THRESHOLDS[n][-1] * 1.02))
        panel.log_y("ε, δ", (least, 30), powers(0, *marks))
        panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        panel.axvspan(FIRST[n], panel.data["applies"][0], color=INK, alpha=0.08, linewidth=0)
        panel.curve("tight", EXACT, "least δ\nat ε = 0", below, (-6, -4))
        for series in _SERIES[:2]:
            panel.curve(series, PRINTED | {"marker": "o", "markersize": 2.5})
        if n == 1000:
            panel.label("published eps", "ε", 6, (-6, 0), VERMILION, va="center")
            panel.label("published delta", "δ", 6, (-6, 0), VERMILION, va="center")
        panel.label("published eps", text, above, (6, 0), VERMILION)
