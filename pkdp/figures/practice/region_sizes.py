"""Yes by region in a poll: ε against the share of the answers that the attacker knows."""

import math

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import DASHED, DOTTED, EXACT, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting

TITLE = "Yes by region, against what the attacker knows"
ALT = (
    "ε at δ = 10⁻⁶ and λ = 0.1 against the share of the answers that she knows. Santiago with "
    "the rest of its area, 971 people, rises from 0.49 for none to 2.7 at 86 %; the centre, 569 "
    "people, from 0.70 to 2.7 at 76 %; the north, 313 people, from 1.1 to 2.7 at 57.5 %. Each "
    "curve ends there: beyond it no ε holds. At one half they are at 0.78, 1.2 and 2.1.",
)
PANEL_SIZE = (3.8, 2.7)

LAM, DELTA = 0.1, 1e-6
GROUPS = {"SA and M": 971, "C": 569, "N": 313}
SHARES = [step / 80 for step in range(73)]


def data() -> Blocks:
    """Yield ε of the exact count of Yes in three areas, in the worst case, where there is one.

    Yields
    ------
    Table
        Columns ``panel`` (``share``), ``group`` (its name in the poll), ``x`` (share of its answers
        that is known), ``y`` (ε at δ = 10⁻⁶ and λ = 0.1).
    """
    for group, n in GROUPS.items():
        for share in SHARES:
            eps = counting.worst_case(n, LAM, known=int(share * n)).epsilon(DELTA)
            if eps < math.inf:
                yield block(panel="share", group=group, x=share, y=eps)


def draw(axes: Panels) -> None:
    """Draw a curve for each area."""
    (panel,) = panels(axes, "Three of the four areas, λ = 0.1")
    panel.x("share of the answers that she knows", (0, 0.92), [0, 0.25, 0.5, 0.75])
    panel.y("ε at δ = 10⁻⁶", (0, 3), [0, 1, 2, 3])
    styles = (EXACT, line(PURPLE, DOTTED, 1.6), line(VERMILION, DASHED, 1.6))
    places = ((0.55, (6, -8)), (0.56, (-3, 1)), (0.3, (-6, 5)))
    for (group, n), style, place in zip(GROUPS.items(), styles, places, strict=True):
        panel.curve(panel.rows(group=group), style, f"{group}: {n} people", *place)
