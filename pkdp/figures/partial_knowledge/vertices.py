"""The worst case sits at a vertex: every record at one end of [λ, 1−λ]."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting

TITLE = "The worst case sits at a vertex"
ALT = (
    "A square: across the probability of one unknown record, from λ = 0.1 to 1−λ = 0.9, up that of "
    "another. Contour lines of δ at ε = 0.5 form a valley: δ is least, 0.34, near the middle and "
    "rises to all four corners, to 0.81 where both are at λ or both at 1−λ, and to 0.76 where one "
    "is at either.",
    "δ of each vertex for 12 records and λ = 0.1, against the number of the 11 others at λ, "
    "relative to the largest: for ε = 0 the largest is in the middle, at 5 and 6; for ε = 0.25 at "
    "4, for ε = 0.5 at 2, for ε = 1 at 0. The curves have several humps.",
)

RECORDS, LAM = 12, 0.1
SQUARE_EPS, STEPS = 0.5, 25
COLOURS = {0.0: PURPLE, 0.25: GREEN, 0.5: BLUE, 1.0: VERMILION}


def data() -> Blocks:
    """Yield δ of a count with two unknown records, and δ at every vertex with eleven.

    Yields
    ------
    Table
        Columns ``panel`` (``square``, ``vertices``), ``eps``, ``x`` (the probability of one
        record; the number of records at λ), ``other`` (the probability of the other record; 0)
        and ``y`` (δ; δ over its largest value).
    """
    probabilities = np.linspace(LAM, 1 - LAM, STEPS)
    for other in probabilities:
        pairs = np.array([[p, other] for p in probabilities])
        y = [counting.exact(pair).delta(SQUARE_EPS) for pair in pairs]
        yield block(panel="square", eps=SQUARE_EPS, x=probabilities, other=other, y=y)
    at_lam = np.arange(RECORDS)
    for eps in COLOURS:
        log_delta = counting.log_delta_vertex(RECORDS, LAM, m=at_lam, eps=eps)
        relative = np.exp(log_delta - np.max(log_delta))
        yield block(panel="vertices", eps=eps, x=at_lam.astype(float), other=0.0, y=relative)


def draw(axes: Panels) -> None:
    """Draw the square on the first panel and the vertices on the second."""
    square, vertices = panels(axes, "Two unknown records", "Which vertex is worst depends on ε")
    ends = {LAM: "λ", 0.5: "0.5", 1 - LAM: "1−λ"}
    square.x("probability of one record", (-0.02, 1.02), ends)
    square.y("probability of the other", (-0.02, 1.02), ends)
    grid = square.data
    x, other, delta = (grid[name].reshape(STEPS, STEPS) for name in ("x", "other", "y"))
    levels = [0.4, 0.5, 0.6, 0.7]
    lines = square.contour(x, other, delta, levels=levels, colors=BLUE, linewidths=1)
    square.clabel(lines, fmt="%.1f", fontsize=8, colors=BLUE)
    square.grid(visible=False)
    around = [LAM, 1 - LAM, 1 - LAM, LAM, LAM], [LAM, LAM, 1 - LAM, 1 - LAM, LAM]
    square.plot(*around, color=INK, linewidth=0.8)
    for row, lift in ((0, -5), (-1, 4)):
        for column in (0, -1):
            corner = x[row, column], other[row, column]
            square.plot(*corner, "o", color=VERMILION)
            square.note(f"δ = {delta[row, column]:.2f}", corner, (0, lift), VERMILION)
    vertices.x("records at λ, the others at 1−λ", (-0.6, 11.6), range(0, 11, 2))
    vertices.y("δ, relative to the largest", (0, 1.1))
    for eps in COLOURS:
        curve, colour = vertices.rows(eps=eps), COLOURS[eps]
        vertices.curve(curve, line(colour, width=1) | {"marker": "o", "markersize": 3})
        worst = np.isclose(curve["y"], 1, rtol=1e-9)
        x, y = curve["x"][worst], curve["y"][worst]
        vertices.plot(x, y, "o", color=colour, markersize=8, markerfacecolor="none")
        vertices.end(curve, f"ε = {eps:g}", colour)
