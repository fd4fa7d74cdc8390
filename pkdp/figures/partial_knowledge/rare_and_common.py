"""Rare, common and absent values: what each record may be, and which counts are shown."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, seen
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, line
from pkdp.profiles.binomials import log_binomial_pmf

TITLE = "Rare, common and absent values"
ALT = (
    "How probable each value is with each of eight people, on a logarithmic axis from 0.002 to 1. "
    "The dots of the rare values t and u lie below ρ = 0.01, those of the common values c and d "
    "and of absent above λ = 0.15. Those of v lie between the two lines: v is neither rare nor "
    "common.",
    "The laws of two counts among 200 other people, for a target without the value (open dots) and "
    "with it (filled dots), one step further to the right. The count of a rare value, ρ = 0.01, is "
    "near 2, far below k = 10, and suppressed with either target. The count of a common value, of "
    "probability 0.2, is near 40; it is shown, and the two laws, of height 0.07, nearly coincide.",
)

RHO, LAM = 0.01, 0.15
# About how probable each value is.
_USUAL = {"t": 0.004, "u": 0.006, "v": 0.06, "c": 0.26, "d": 0.37, "absent": 0.3}
_PEOPLE = 8
OTHERS, COMMON, K = 200, 0.2, 10
_MOST = 62  # of the counts that are drawn
_COLOURS = dict.fromkeys("tu", VERMILION) | dict.fromkeys("cd", BLUE) | {"v": INK, "absent": GREEN}


def data() -> Blocks:
    """Yield the probabilities of the values, and the laws of two counts.

    Yields
    ------
    Table
        Columns ``panel`` (``values``, ``counts``), ``series`` (the value; ``rare`` and ``common``),
        ``target`` (whether the target is counted), ``x`` (the number of the person; the count) and
        ``y`` (a probability).
    """
    people = np.arange(_PEOPLE)
    # People differ, in a way that is the same each time.
    weights = [
        usual * np.exp(0.3 * np.sin((number + 2) * (people + 1)))
        for number, usual in enumerate(_USUAL.values())
    ]
    whole = np.sum(weights, axis=0)
    for value, weight in zip(_USUAL, weights, strict=True):
        yield block(panel="values", series=value, target=0, x=people * 1.0, y=weight / whole)
    for series, probability in (("rare", RHO), ("common", COMMON)):
        for target in (0, 1):
            counts = np.arange(target, _MOST)
            masses = np.exp(log_binomial_pmf(counts - target, OTHERS, probability))
            x = counts.astype(float)
            law = block(panel="counts", series=series, target=target, x=x, y=masses)
            yield seen(law, 2e-3)


def draw(axes: Panels) -> None:
    """Draw the values on the first panel, the counts on the second."""
    values, counts = panels(axes, "What each record may be", "What is shown")
    values.log_y("probability of each value", (0.002, 1), {RHO: "ρ", LAM: "λ", 1: "1"})
    values.axhspan(0.002, RHO, color=VERMILION, alpha=0.15, linewidth=0)
    values.axhspan(LAM, 1, color=BLUE, alpha=0.15, linewidth=0)
    for place, value in enumerate(_USUAL):
        people = values.rows(value)
        x = place + (people["x"] - people["x"].mean()) / 20
        values.plot(x, people["y"], "o", color=_COLOURS[value], markersize=2.5)
    names = [f"${value}$" if len(value) == 1 else value for value in _USUAL]
    values.x("value", (-0.6, 5.6), dict(enumerate(names)))
    values.note("rare: everybody at most ρ", (1.75, 0.0045), (0, 0), VERMILION, ha="left")
    values.note("common: everybody at least λ", (-0.45, 0.55), (0, 0), BLUE, ha="left")
    values.note("neither", (2, 0.09), (0, 3))
    counts.x("count", (-1.5, _MOST), {0: "0", K: "$k$", 20: "20", 40: "40", 60: "60"})
    counts.y("probability", (0, 0.31), [0, 0.1, 0.2, 0.3], digits=1)
    counts.axvspan(-1.5, K - 0.5, color=VERMILION, alpha=0.15, linewidth=0)
    # The common value has many counts: a dot for every third is enough.
    for series, colour, every in (("rare", VERMILION, 1), ("common", BLUE, 3)):
        for target, face in ((0, "none"), (1, colour)):
            dots = {"marker": "o", "markersize": 3, "markevery": every, "markerfacecolor": face}
            counts.curve(counts.rows(series, target=target), line(colour, width=0.8) | dots)
    suppressed = "suppressed\nbelow $k$"
    counts.note(suppressed, (K + 0.5, 0.29), (0, 0), VERMILION, ha="left", va="top")
    counts.note("a rare value", (K + 0.5, 0.16), (0, 0), VERMILION, ha="left")
    counts.note("a common value", (40, 0.08), (0, 2), BLUE)
    counts.note("open: target without it\nfilled: with it", (_MOST - 1, 0.2), (0, 0), ha="right")
