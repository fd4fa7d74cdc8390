"""What a chain of private mechanisms gives away: less than each of them."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BOUND, EXACT, PURPLE, line
from pkdp.partial_knowledge import post_processing
from pkdp.profiles import accounting

TITLE = "One private mechanism after another"
ALT = (
    "The ε of a chain of 1, 2, 3 and 5 mechanisms against the ε of each, from 0 to 4. One "
    "mechanism is the diagonal. Two that are 1-private make a chain of ε = 0.43, three 0.20 and "
    "five 0.042. At ε = 4 the chains of two, three and five have 3.31, 2.90 and 2.39: a constant "
    "below the diagonal.",
    "δ against ε from 0 to 2.4 for two mechanisms, (2, 10⁻³)- and (1, 10⁻³)-private, alone and in "
    "a chain. Alone, the second begins at δ = 0.46, falls to 10⁻³ at ε = 1 and stays there. Both "
    "orders of the chain begin at 0.35 and fall together to 6·10⁻⁴ or 1.3·10⁻⁴ at ε = 0.8. With "
    "the better mechanism first it is 10⁻⁶ from ε = 1 on, with the worse one first from ε = 2 on.",
)

LENGTHS = (1, 2, 3, 5)
WORSE, BETTER = (2.0, 1e-3), (1.0, 1e-3)


def data() -> Blocks:
    """Yield the curves of both panels.

    Yields
    ------
    Table
        Columns ``panel`` (``pure``, ``profile``), ``series``, ``x`` (ε of each, and ε) and ``y``
        (ε of the chain, and δ).
    """
    each = np.linspace(0, 4, 81)
    grid = np.linspace(0, 2.4, 97)
    pure = {f"{k}": [post_processing.pure([float(eps)] * k) for eps in each] for k in LENGTHS}
    profiles = {
        "alone": accounting.optimal(*BETTER, times=1),
        "better first": post_processing.of_guarantees(*zip(BETTER, WORSE, strict=True)),
        "worse first": post_processing.of_guarantees(*zip(WORSE, BETTER, strict=True)),
    }
    yield curves(each, pure, panel="pure")
    yield curves(grid, {name: p.delta(grid) for name, p in profiles.items()}, panel="profile")


def draw(axes: Panels) -> None:
    """Draw pure chains on the first panel and the profiles of two on the second."""
    pure, profile = panels(axes, "$k$ in a row, δ = 0", "Two in a row, each δ = 10⁻³")
    pure.x("ε of each", (0, 4), range(5))
    pure.y("ε of the chain", (0, 4), range(5))
    for length in LENGTHS:
        style = BOUND if length == 1 else EXACT
        pure.curve(f"{length}", style)
        pure.end(f"{length}", f"$k$ = {length}", style["color"])
    profile.x("ε", (0, 2.4), [0, 1, 2])
    profile.log_y("δ", (3e-7, 1), powers(-6, -4, -2, 0))
    profile.curve("alone", BOUND, "ε = 1 alone", 1.7)
    text = "first 2,\nthen 1"
    profile.curve("worse first", line(PURPLE), text, 1.55, (2, -4), ha="center")
    profile.curve("better first", EXACT, "first 1,\nthen 2", 0.8, (-8, -6))
