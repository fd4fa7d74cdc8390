"""Size of a group: ε of its exact count, by λ and by how many records are known."""

import math

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import DASHED, DOTTED, EXACT, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting

TITLE = "How large a group must be"
ALT = (
    "ε at δ = 10⁻⁶ against the number of people in a group, from 100 to 5,000, half of them "
    "known; both axes logarithmic. All curves begin at about 2.7, for λ = 0.1 at 265 people, for "
    "0.05 at 541 and for 0.025 at 1,093; smaller groups have no ε. They fall below 1 at 691, "
    "1,361 and 2,725 people, and end at 0.28, 0.41 and 0.64. Two dots are on the curve for 0.1: "
    "three departments that were merged, 270 people, at 2.7, and a firm of 1,200 at 0.67.",
    "The same for λ = 0.1 and none, half and 90 % of the records known. All curves begin at 2.7, "
    "at 133, 265 and 1,321 people, fall below 1 at 346, 691 and 3,451, and end at 0.19, 0.28 and "
    "0.76. The same two dots are on the curve for half.",
)
PANEL_SIZE = (3.3, 2.9)

DELTA = 1e-6
# Groups of the file that the page audits, which are marked.
CASES = {270: "merged", 1200: "the firm"}
SIZES = sorted({*(round(100 * 10 ** (step / 24)) for step in range(41)), *CASES, 5000})
LAMS = (0.1, 0.05, 0.025)
SHARES = (0.0, 0.5, 0.9)


def data() -> Blocks:
    """Yield ε of the exact count of a group in the worst case, where there is one.

    Yields
    ------
    Table
        Columns ``panel`` (``lam``, ``known``), ``lam``, ``share`` (of the records that are known),
        ``x`` (people), ``y`` (ε at δ = 10⁻⁶).
    """
    for panel, lam, share in (
        *(("lam", lam, 0.5) for lam in LAMS),
        *(("known", LAMS[0], share) for share in SHARES),
    ):
        for n in (_least(lam, share), *SIZES):
            eps = counting.worst_case(n, lam, known=int(share * n)).epsilon(DELTA)
            if eps < math.inf and n >= _least(lam, share):
                yield block(panel=panel, lam=lam, share=share, x=float(n), y=eps)


def _least(lam: float, share: float) -> int:
    """Return the least size of a group whose count has an ε: all others may be alike."""
    n = 2
    while (n - 1 - int(share * n)) * math.log1p(-lam) > math.log(DELTA):
        n += 1
    return n


def draw(axes: Panels) -> None:
    """Draw a curve for each λ, and for each share of known records."""
    by_lam, by_known = panels(axes, "Half of the records known", "λ = 0.1")
    for panel in axes:
        panel.log_x("people in the group", (95, 5200), [100, 300, 1000, 3000])
        panel.log_y("ε at δ = 10⁻⁶", (0.17, 3.2), [0.2, 0.5, 1, 2])
    styles = (EXACT, line(PURPLE, DASHED, 1.6), line(VERMILION, DOTTED, 1.6))
    places = ((500, (-6, -8)), (950, (4, 4)), (1700, (4, 4)))
    texts = ("none known", "half known", "90 % known")
    for lam, style, place in zip(LAMS, styles, places, strict=True):
        by_lam.curve(
            by_lam.rows(panel="lam", lam=lam), style, "λ = " * (lam == 0.1) + str(lam), *place
        )
    for share, style, text, place in zip(SHARES, styles, texts, places, strict=True):
        by_known.curve(by_known.rows(panel="known", share=share), style, text, *place)
    for panel in axes:
        for n, text in CASES.items():
            case = panel.rows(x=float(n), lam=0.1, share=0.5)
            panel.plot(case["x"], case["y"], "o", color=INK, markersize=4.5)
            if panel is by_lam:
                panel.label(case, text, n, (-7, -5), va="center")
