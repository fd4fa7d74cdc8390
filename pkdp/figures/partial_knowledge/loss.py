"""The privacy loss of a small thresholded count: its law, and δ(ε) below the tail P[L > ε]."""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, EXACT, INK, PRINTED, VERMILION, label_line, leader
from pkdp.figures._tables import Table, block, select, stack
from pkdp.worlds.constructors import bits
from pkdp.worlds.definitions import privacy_loss
from pkdp.worlds.mechanisms import make_threshold
from pkdp.worlds.world import World

NAME = "loss"
TITLE = "δ counts large losses, each at a discount"
ALT = (
    "Seven bars, one for each value of the privacy loss L, with their probabilities: four between "
    "-0.83 and -0.03, which together have 0.75; 0.095 at 0.85, 0.124 at 1.95, and 0.027 at "
    "infinity. A line stands at ε = ln 2 = 0.69. Of the bars right of it a part is filled: 14 % "
    "of the first, 71 % of the second, all of the one at infinity. The filled parts add up to "
    "δ = 0.129, the bars themselves to 0.246.",
    "Two curves against ε from 0 to 3. P[L > ε] falls in steps: 0.246 up to ε = 0.85, 0.151 up to "
    "1.95, then 0.027. δ(ε) lies below it everywhere and is smooth but for kinks at the steps: it "
    "falls from 0.188 to 0.033 at ε = 1.9 and stays at 0.027 from 1.95 on, where both agree.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

RATIO = 2  # e^ε on the first panel
_INFINITE = 2.9  # where the first panel shows the loss that is infinite
_LARGEST = 3.0


def world() -> World:
    """Return the world of both panels: seven votes, of which three are known."""
    return bits([Fraction(3, 10)] * 7, knowledge=(4, 5, 6))


MECHANISM = make_threshold(3)


@functools.cache
def data() -> Table:
    """Return the law of the loss under Yes against No, and δ and the tail against ε.

    Returns
    -------
    Table
        Columns ``panel`` (``law``, ``curves``), ``series`` (``mass``, ``counted``; ``tail``,
        ``delta``), ``x`` (the loss L, with infinity at 2.9; ε) and ``y``.
    """
    law = privacy_loss(world(), MECHANISM, target=0, a=1, b=0)
    at = [_INFINITE if ratio == math.inf else math.log(ratio) for ratio in law]
    masses = np.array([float(chance) for chance in law.values()])
    discounts = np.array([_counted(ratio, Fraction(RATIO)) for ratio in law])
    losses = np.array(sorted(math.log(ratio) for ratio in law if 1 < ratio < math.inf))
    steps = np.concatenate([[0.0], np.repeat(losses, 2), [_LARGEST]])
    tails = [sum(float(c) for r, c in law.items() if math.log(r) > eps) for eps in (0.0, *losses)]
    eps = np.unique(np.concatenate([np.linspace(0.0, _LARGEST, 61), losses]))
    deltas = [
        sum(float(c) * max(0.0, -math.expm1(e - math.log(r))) for r, c in law.items()) for e in eps
    ]
    return stack(
        block(panel="law", series="mass", x=at, y=masses),
        block(panel="law", series="counted", x=at, y=masses * discounts),
        block(panel="curves", series="tail", x=steps, y=np.repeat(tails, 2)),
        block(panel="curves", series="delta", x=eps, y=deltas),
    )


def _counted(loss: Fraction | float, ratio: Fraction) -> float:
    """Return the share of a loss that δ counts: 1 - e^{ε - L}, if that is positive."""
    return 1.0 if loss == math.inf else float(max(Fraction(0), 1 - ratio / Fraction(loss)))


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw bars on the first panel, what δ counts filled; curves on the second."""
    _draw_law(axes[0], select(data, panel="law"))
    _draw_curves(axes[1], select(data, panel="curves"))


def _draw_law(panel: Axes, data: Table) -> None:
    mass, counted = (select(data, series=name) for name in ("mass", "counted"))
    panel.set_xlim(-1.1, 3.2)
    panel.set_ylim(0, 0.4)
    panel.set_xticks([-1, 0, 1, 2, _INFINITE], ["-1", "0", "1", "2", "∞"])
    panel.set_xlabel("privacy loss L")
    panel.set_ylabel("probability")
    panel.set_title("Filled: what δ counts")
    panel.bar(mass["x"], mass["y"], width=0.13, facecolor="none", edgecolor=BLUE, linewidth=1.2)
    panel.bar(counted["x"], counted["y"], width=0.13, color=BLUE)
    panel.axvline(math.log(RATIO), color=INK, linewidth=1.0, linestyle=(0, (3, 2)))
    panel.annotate(
        "ε = ln 2",
        (math.log(RATIO), 0.37),
        (4, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
    )
    whole, part = mass["y"][-3:].sum(), counted["y"].sum()
    panel.annotate(
        f"bars: P[L > ε] = {whole:.3f}\nfilled: δ = {part:.3f}",
        (float(mass["x"][-2]), float(mass["y"][-2])),
        (0, 24),
        textcoords="offset points",
        ha="center",
        fontsize=8,
        color=BLUE,
        arrowprops=leader(BLUE),
    )


def _draw_curves(panel: Axes, data: Table) -> None:
    tail, delta = (select(data, series=name) for name in ("tail", "delta"))
    panel.set_xlim(0, _LARGEST)
    panel.set_ylim(0, 0.27)
    panel.set_xlabel("ε")
    panel.set_ylabel("probability")
    panel.set_title("The gap, for every ε")
    panel.plot(tail["x"], tail["y"], **PRINTED)
    panel.plot(delta["x"], delta["y"], **EXACT)
    label_line(panel, tail, "P[L > ε]", at=1.3, offset=(0, 4), color=VERMILION, ha="left")
    label_line(
        panel,
        delta,
        "δ(ε)",
        at=0.5,
        offset=(-4, -4),
        color=BLUE,
        ha="right",
        va="top",
    )
