"""The privacy loss of a small thresholded count: its law, and δ(ε) below the tail P[L > ε]."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, curves, panels
from pkdp.figures._palette import BLUE, EXACT, INK, PRINTED
from pkdp.figures.partial_knowledge.theorem_1 import MECHANISM, world
from pkdp.profiles.logarithms import FloatArray
from pkdp.worlds.definitions import privacy_loss

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

RATIO = 2  # e^ε on the first panel
_INFINITE = 2.9  # where the first panel shows the loss that is infinite
_LARGEST = 3.0


def data() -> Blocks:
    """Yield the law of the loss under Yes against No, and δ and the tail against ε.

    Yields
    ------
    Table
        Columns ``panel`` (``law``, ``curves``), ``series`` (``mass``, ``counted``; ``tail``,
        ``delta``), ``x`` (the loss L, with infinity at 2.9; ε) and ``y``.
    """
    law = privacy_loss(world(), MECHANISM, target=0, a=1, b=0)
    losses = np.array([math.log(ratio) for ratio in law])
    masses = np.array([float(chance) for chance in law.values()])

    def counted(eps: float) -> FloatArray:
        return masses * np.maximum(0.0, -np.expm1(eps - losses))

    at = np.where(losses < math.inf, losses, _INFINITE)
    stairs = np.sort(losses[(losses > 0.0) & (losses < math.inf)])
    steps = np.concatenate([[0.0], np.repeat(stairs, 2), [_LARGEST]])
    tails = [masses[losses > eps].sum() for eps in (0.0, *stairs)]
    eps = np.unique(np.concatenate([np.linspace(0.0, _LARGEST, 61), stairs]))
    yield curves(at, {"mass": masses, "counted": counted(math.log(RATIO))}, panel="law")
    yield block(panel="curves", series="tail", x=steps, y=np.repeat(tails, 2))
    yield block(panel="curves", series="delta", x=eps, y=[counted(one).sum() for one in eps])


def draw(axes: Panels) -> None:
    """Draw bars on the first panel, what δ counts filled; curves on the second."""
    law, curves = panels(axes, "Filled: what δ counts", "The gap, for every ε")
    law.x("privacy loss L", (-1.1, 3.2), {-1: "−1", 0: "0", 1: "1", 2: "2", _INFINITE: "∞"})
    law.y("probability", (0, 0.4))
    mass, counted = law.rows("mass"), law.rows("counted")
    law.bar(mass["x"], mass["y"], width=0.13, facecolor="none", edgecolor=BLUE, linewidth=1.2)
    law.bar(counted["x"], counted["y"], width=0.13, color=BLUE)
    law.axvline(math.log(RATIO), color=INK, linewidth=1.0, linestyle=(0, (3, 2)))
    law.note("ε = ln 2", (math.log(RATIO), 0.37), (4, 0), va="center")
    whole, part = mass["y"][-3:].sum(), counted["y"].sum()
    text = f"bars: P[L > ε] = {whole:.3f}\nfilled: δ = {part:.3f}"
    top = float(mass["x"][-2]), float(mass["y"][-2])
    law.note(text, top, (0, 24), BLUE, va="baseline", lead=True)
    curves.x("ε", (0, _LARGEST))
    curves.y("probability", (0, 0.27))
    curves.curve("tail", PRINTED, "P[L > ε]", 1.3, (0, 4), ha="left")
    curves.curve("delta", EXACT, "δ(ε)", 0.5, (-4, -4))
