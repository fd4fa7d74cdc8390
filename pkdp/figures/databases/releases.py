"""What composition theorems promise, by what they may use; and when the advanced one pays."""

import math

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, draw_curve, label_end, log_axes, note
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
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

_SIMPLE: Style = {"color": INK, "linestyle": (0, (1.2, 1.6)), "linewidth": 1.5}
_ADVANCED: Style = {"color": VERMILION, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
_OPTIMAL: Style = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}
_EACH_SIMPLE: Style = {"color": GREEN, "linestyle": (0, (1.2, 1.6)), "linewidth": 1.5}
_EACH: Style = {"color": GREEN, "linestyle": "-", "linewidth": 1.9}
_LEVEL: Style = {"color": INK, "linestyle": "-", "linewidth": 0.6}


def data() -> Table:
    """Return what releases cost by each theorem.

    Returns
    -------
    Table
        Columns ``panel`` (``use``, ``pays``), ``series`` (``simple``, ``advanced``, ``optimal``,
        ``each simple``, ``each optimal``), ``x`` (k, or the ε of one release) and ``y`` (ε at
        δ = 10⁻⁶, or this as a part of the sum of all ε).
    """
    rows = np.array([_costs(k) for k in _NUMBERS])
    names = ("simple", "advanced", "optimal", "each simple", "each optimal")
    blocks = [
        block(panel="use", series=name, x=np.array(_NUMBERS, dtype=float), y=rows[:, i])
        for i, name in enumerate(names)
    ]
    theorems = {"advanced": accounting.advanced, "optimal": accounting.optimal}
    for name, theorem in theorems.items():
        found = [
            theorem(eps, 0.0, times=NIGHTS).epsilon(DELTA) / (NIGHTS * eps)
            for eps in _EPSILONS.tolist()
        ]
        blocks.append(block(panel="pays", series=name, x=_EPSILONS, y=np.array(found)))
    return stack(*blocks)


def _costs(k: int) -> tuple[float, ...]:
    """Return the ε of k releases, a tenth of them large, by five uses of what is known."""
    each = [LARGE] * (k // 10) + [SMALL] * (k - k // 10)
    return (
        k * LARGE,
        float(accounting.advanced(LARGE, 0.0, times=k).epsilon(DELTA)),
        float(accounting.optimal(LARGE, 0.0, times=k).epsilon(DELTA)),
        math.fsum(each),
        float(accounting.heterogeneous(each).upper.epsilon(DELTA)),
    )


def draw(axes: Panels, data: Table) -> None:
    """Draw both panels."""
    use, pays = axes
    _draw_use(use, select(data, panel="use"))
    _draw_pays(pays, select(data, panel="pays"))


def _draw_use(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(10, 1000), y=(0.25, 400))
    panel.set(title="What a theorem may use", xlabel="releases k", ylabel="ε at δ = 10⁻⁶")
    panel.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
    panel.set_yticks([1, 10, 100], ["1", "10", "100"])
    for series, style, text in (
        ("simple", _SIMPLE, "simple"),
        ("advanced", _ADVANCED, "advanced"),
        ("optimal", _OPTIMAL, "optimal"),
        ("each simple", _EACH_SIMPLE, "simple"),
        ("each optimal", _EACH, "optimal"),
    ):
        curve = select(data, series=series)
        draw_curve(panel, curve, style)
        label_end(panel, curve, text, style["color"], -3.0 if series == "each simple" else 0.0)
    note(panel, "the largest ε", (11, 30), (1, 0), color=INK)
    note(panel, "each ε", (110, 0.9), (1, 0), color=GREEN)


def _draw_pays(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(0.001, 1))
    panel.set(
        title=f"{NIGHTS} releases of equal ε",
        xlabel="ε of one release",
        ylabel=f"ε of all / ({NIGHTS} ε)",
        ylim=(0, 2.05),
    )
    panel.set_xticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    panel.set_yticks([0, 1, 2])
    panel.axvline(math.log(2), **_LEVEL)
    panel.axhline(1.0, **_SIMPLE)
    draw_curve(panel, select(data, series="advanced"), _ADVANCED, "advanced", 0.09, (-4, 4))
    draw_curve(panel, select(data, series="optimal"), _OPTIMAL, "optimal", 0.05, (4, -5))
    note(panel, "simple", (0.0012, 1.0), (0, 3), ha="left")
    note(panel, "ln 2", (math.log(2), 0.0), (-3, 4))
