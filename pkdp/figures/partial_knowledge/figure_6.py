"""Figure 6 of the paper: a count with geometric noise, as published, corrected and exact."""

import math
from itertools import product

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, Table, curves, powers
from pkdp.figures._palette import BLUE, BOUND, EXACT, GREEN, INK, PRINTED, VERMILION, Style, line
from pkdp.partial_knowledge import counting, noise, published
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.profile import PrivacyProfile

TITLE = "A count with geometric noise, λ = 0.05: published, corrected, exact"
ALT = (
    "n = 1,000, as published. All three curves start at 0.46, eight times the exact worst case, a "
    "thin line. They cross it at ε = 0.42 to 0.44 and promise too much from there on. Those with "
    "noise fall ever more steeply, to 4·10⁻¹³ at 0.51 for p = 0.6 and at 0.69 for p = 0.5. The "
    "one without noise falls to that height at ε = 0.86 and stays on it; the exact one is 4·10⁻⁷ "
    "at 0.8 and 9·10⁻⁹ at 1.",
    "n = 1,000, corrected and exact. Without noise the exact worst case falls from 0.058 to "
    "9·10⁻⁹ at ε = 1, the blanket bound from 0.080 to 1.6·10⁻⁷. With noise both start a little "
    "lower, fall ever more steeply, and end at ε = 0.51 for p = 0.6 and at 0.69 for p = 0.5. At ε "
    "= 0.5 the exact δ is 9·10⁻⁵ without noise, 3·10⁻⁵ for p = 0.5 and 2·10⁻⁷ for p = 0.6.",
    "n = 10,000, with the noises of the caption. The exact curves without noise and with p = 0.5 "
    "nearly coincide, at 1.1·10⁻¹¹ and 8·10⁻¹² for ε = 0.3; the blanket bounds are 1.8·10⁻⁸ and "
    "1.4·10⁻⁸ there. For p = 0.75 both curves end at ε = 0.29.",
    "n = 1,000: the published curves, dotted, and the same formula without rounding errors, thin, "
    "for δ from 10⁻⁵ to 10⁻¹⁷. They coincide down to some 10⁻¹¹. Then the published ones bend "
    "into the height of 4·10⁻¹³, where the others fall on: without noise to 10⁻¹⁵ at ε = 0.88, "
    "with noise straight down.",
)

LAM = 0.05
DRAWN, STATED = 1000, 10_000  # how many records the figure has, and how many its caption
# The parameters of the noise, 0 for none, in the figure and in its caption; and where curves end.
DRAWN_NOISES = {0.0: 1.0, 0.5: math.log(2.0), 0.6: math.log(5 / 3)}
STATED_NOISES = {0.0: 0.42, 0.5: 0.42, 0.75: math.log(4 / 3)}
SMALLEST = 1e-15
_FAR_BELOW = 1e-25
_SERIES: dict[float, published.Figure6Series] = {0.0: "no noise", 0.5: "p = 0.5", 0.6: "p = 0.6"}


def data() -> Blocks:
    """Yield all curves.

    Yields
    ------
    Table
        Columns ``panel`` (``drawn`` for the figure's parameters, ``stated`` for its caption's,
        ``floor``), ``p`` (the parameter of the noise, 0 for none), ``series``, ``x`` (ε) and ``y``
        (δ). Series are ``published``, ``blanket`` and ``exact``, and on the last panel
        ``published`` and ``unrounded``: the same tail, summed from its far end.
    """
    for p, end in DRAWN_NOISES.items():
        grid = _grid(end, p)
        low = np.linspace(0.5, 1.0, 51) if p == 0.0 else np.append(grid, end)
        drawn, unrounded = (
            published.figure_6(_SERIES[p], rounded=rounded) for rounded in (True, False)
        )
        yield _curves({"published": drawn, **_truths(DRAWN, p)}, grid, "drawn", p)
        yield _curves({"published": drawn, "unrounded": unrounded}, low, "floor", p)
    for p, end in STATED_NOISES.items():
        yield _curves(_truths(STATED, p), _grid(end, p), "stated", p)


def _grid(end: float, p: float) -> FloatArray:
    if p == 0.0:
        return np.linspace(0.0, end, 26)
    # With noise the curves fall ever more steeply towards the end, where δ becomes 0.
    parts = [np.linspace(0.0, 0.8, 11), 1.0 - np.geomspace(0.17, 0.004, 11)]
    steps = [*parts, 1.0 - np.geomspace(0.002, 1e-8, 5)]
    return end * np.concatenate(steps)


def _truths(n: int, p: float) -> dict[str, PrivacyProfile]:
    if p == 0.0:
        return {"blanket": counting.blanket(n, LAM), "exact": counting.worst_case(n, LAM)}
    return {
        "blanket": noise.blanket(n, LAM, noise=noise.Geometric(p)),
        "exact": noise.worst_case(n, LAM, noise=noise.Geometric(p)),
    }


def _curves(profiles: dict[str, PrivacyProfile], grid: FloatArray, panel: str, p: float) -> Table:
    deltas = {name: profile.delta(grid) for name, profile in profiles.items()}
    return curves(grid, deltas, panel=panel, p=p)


def draw(axes: Panels) -> None:
    """Draw what was published, then the truth for its parameters and for the caption's."""
    true, summed = {"blanket": BOUND, "exact": EXACT}, line(INK, width=0.9)
    looks: tuple[tuple[str, str, dict[str, Style]], ...] = (
        ("drawn", "n = 1,000: published", {"published": PRINTED, "exact": line(BLUE, width=1.0)}),
        ("drawn", "n = 1,000: corrected, exact", true),
        ("stated", "n = 10,000, as in the caption", true),
        ("floor", "n = 1,000: the floor of rounding", {"published": PRINTED, "unrounded": summed}),
    )
    for panel, (name, title, styles) in zip(axes, looks, strict=True):
        panel.data = panel.rows(panel=name)
        panel.set_title(title)
        panel.x("ε", (0, 1.0), [0, 0.5, 1])
        panel.log_y("δ", (SMALLEST, 1), powers(-15, -10, -5, 0))
        for p, (series, style) in product(np.unique(panel.data["p"]), styles.items()):
            panel.curve(panel.rows(series, p=p), style, least=_FAR_BELOW)
    left, right, stated, floor = axes
    stated.x("ε", (0, 0.4), [0, 0.2, 0.4])
    floor.x("ε", (0.4, 1.0), [0.4, 0.6, 0.8, 1.0])
    floor.set_ylim(1e-17, 1e-5)
    plain, blanket, exact = (right.rows(name, p=0.0) for name in ("published", "blanket", "exact"))
    left.label(plain, "no noise", 1.0, (-1, 4), VERMILION)
    left.label(exact, "exact", 0.8, (2, 4), BLUE, ha="center")
    for panel, colour in ((left, VERMILION), (right, INK)):
        panel.text(DRAWN_NOISES[0.6] - 0.015, 1e-14, "p = 0.6", color=colour, ha="right")
        panel.text(DRAWN_NOISES[0.5] + 0.015, 1e-14, "p = 0.5", color=colour, ha="left")
    right.label(blanket, "blanket bound", 0.99, (0, 26), GREEN, ha="right")
    right.label(exact, "exact\nworst case", 0.85, (0, -5), BLUE)
    blanket, exact = (stated.rows(name, p=0.0) for name in ("blanket", "exact"))
    stated.label(blanket, "blanket bound", 0.26, (4, 4), GREEN)
    stated.label(exact, "exact\nworst case", 0.16, (-22, -2), BLUE, va="top")
    stated.text(0.366, 8e-14, "p = 0.5,\nno noise", va="center")
    stated.text(STATED_NOISES[0.75] - 0.012, 1e-14, "p = 0.75", ha="right")
    rounded, unrounded = (floor.rows(name, p=0.0) for name in ("published", "unrounded"))
    floor.label(rounded, "as published", 0.99, (0, 4), VERMILION, ha="right")
    floor.label(unrounded, "unrounded", 0.87, (-4, 0), va="top")
