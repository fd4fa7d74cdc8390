"""What composition theorems promise, by what they may use; and when the advanced one pays."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DASHED, GREEN, INK, VERMILION, line
from pkdp.profiles import accounting

TITLE = "What a composition theorem may use"
ALT = (
    "ε at δ = 10⁻⁶ against the number k of releases, 10 to 1000, both logarithmic; a tenth of the "
    "releases have ε = 0.2, the others 0.02. If only the largest ε is used, 1000 releases cost "
    "200 by simple, 77.5 by advanced and 48.9 by optimal composition. If each ε is used, they cost "
    "38 by simple and 11.3 by optimal composition. At k = 10 the five numbers are 2, 3.77, 2, 0.38 "
    "and 0.38.",
    "ε of 365 releases at δ = 10⁻⁶, as a part of the sum of their ε, against the ε of one, 0.001 "
    "to 1, logarithmic. Optimal composition rises from 0.18 through 0.28 at 0.1 to 0.67 at 1. "
    "Advanced composition rises from 0.28 through 0.38 at 0.1, crosses 1, the line of simple "
    "composition, at about 0.55, and is 1.99 at 1. From ε = ln 2 on, marked by a thin line, it is "
    "above 1 for any number of releases.",
)
PANEL_SIZE = (3.3, 2.9)

DELTA = 1e-6
LARGE, SMALL = 0.2, 0.02
NIGHTS = 365
_NUMBERS = (10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
_EPSILONS = np.geomspace(0.001, 1.0, 61)


def data() -> Blocks:
    """Yield what releases cost by each theorem.

    Yields
    ------
    Table
        Columns ``panel`` (``use``, ``pays``), ``series`` (``simple``, ``advanced``, ``optimal``,
        ``each simple``, ``each optimal``), ``x`` (k, or the ε of one release) and ``y`` (ε at
        δ = 10⁻⁶, or this as a part of the sum of all ε).
    """
    # A tenth of the releases are large. The first three know of no ε but the largest.
    mixed = [[LARGE] * (k // 10) + [SMALL] * (k - k // 10) for k in _NUMBERS]
    costs = {
        "simple": [k * LARGE for k in _NUMBERS],
        "advanced": [accounting.advanced(LARGE, 0.0, times=k).epsilon(DELTA) for k in _NUMBERS],
        "optimal": [accounting.optimal(LARGE, 0.0, times=k).epsilon(DELTA) for k in _NUMBERS],
        "each simple": [math.fsum(each) for each in mixed],
        "each optimal": [accounting.heterogeneous(each).upper.epsilon(DELTA) for each in mixed],
    }
    theorems = {"advanced": accounting.advanced, "optimal": accounting.optimal}
    parts = {
        name: [
            theorem(eps, 0.0, times=NIGHTS).epsilon(DELTA) / (NIGHTS * eps)
            for eps in _EPSILONS.tolist()
        ]
        for name, theorem in theorems.items()
    }
    yield curves(np.array(_NUMBERS, dtype=float), costs, panel="use")
    yield curves(_EPSILONS, parts, panel="pays")


def draw(axes: Panels) -> None:
    """Draw both panels."""
    use, pays = panels(axes, "What a theorem may use", f"{NIGHTS} releases of equal ε")
    use.log_x("releases k", (10, 1000), [10, 100, 1000])
    use.log_y("ε at δ = 10⁻⁶", (0.25, 400), [1, 10, 100])
    dots = (0, (1.2, 1.6))
    simple, advanced, optimal = line(INK, dots, 1.5), line(VERMILION, DASHED, 1.6), line(BLUE)
    for series, style, text, lift in (
        ("simple", simple, "simple", 0.0),
        ("advanced", advanced, "advanced", 0.0),
        ("optimal", optimal, "optimal", 0.0),
        ("each simple", line(GREEN, dots, 1.5), "simple", -3.0),
        ("each optimal", line(GREEN), "optimal", 0.0),
    ):
        use.curve(series, style)
        use.end(series, text, style["color"], lift)
    use.note("the largest ε", (11, 30), (1, 0))
    use.note("each ε", (110, 0.9), (1, 0), GREEN)
    pays.log_x("ε of one release", (0.001, 1), [0.001, 0.01, 0.1, 1])
    pays.y(f"ε of all / ({NIGHTS} ε)", (0, 2.05), [0, 1, 2])
    pays.axvline(math.log(2), color=INK, linewidth=0.6)
    pays.axhline(1.0, **simple)
    pays.curve("advanced", advanced, "advanced", 0.09, (-4, 4))
    pays.curve("optimal", optimal, "optimal", 0.05, (4, -5))
    pays.note("simple", (0.0012, 1.0), (0, 3), ha="left")
    pays.note("ln 2", (math.log(2), 0.0), (-3, 4))
