"""The worst case sits at a vertex: every record at one end of [λ, 1−λ]."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting

TITLE = "The worst case sits at a vertex"
ALT = (
    "δ against the probability of one record, from λ = 0.1 to 1−λ = 0.9, while four others stay "
    "fixed: three curves, for ε = 0.25, 0.5 and 1, each made of straight pieces, convex, and below "
    "the dotted chord between its ends. For ε = 0.25 and 0.5 the left end is the higher, for "
    "ε = 1 the right end.",
    "δ of each vertex for 12 records and λ = 0.1, against the number of the 11 others at λ, "
    "relative to the largest: for ε = 0 the largest is in the middle, at 5 and 6; for ε = 0.25 at "
    "4, for ε = 0.5 at 2, for ε = 1 at 0. The curves have several humps.",
)

RECORDS, LAM = 12, 0.1
FIXED = (0.3, 0.6, 0.2, 0.1)
MOVING_EPS = (0.25, 0.5, 1.0)
COLOURS = {0.0: PURPLE, 0.25: GREEN, 0.5: BLUE, 1.0: VERMILION}


def data() -> Blocks:
    """Yield δ as one record's probability moves, and δ at every vertex.

    Yields
    ------
    Table
        Columns ``panel`` (``convex``, ``vertices``), ``eps``, ``x`` (the moving probability;
        the number of records at λ) and ``y`` (δ; δ over its largest value).
    """
    moving = np.linspace(LAM, 1 - LAM, 81)
    profiles = [counting.exact(np.array([p, *FIXED])) for p in moving]
    for eps in MOVING_EPS:
        y = [profile.delta(eps) for profile in profiles]
        yield block(panel="convex", eps=eps, x=moving, y=y)
    at_lam = np.arange(RECORDS)
    for eps in COLOURS:
        log_delta = counting.log_delta_vertex(RECORDS, LAM, m=at_lam, eps=eps)
        relative = np.exp(log_delta - np.max(log_delta))
        yield block(panel="vertices", eps=eps, x=at_lam.astype(float), y=relative)


def draw(axes: Panels) -> None:
    """Draw convexity on the first panel and the vertices on the second."""
    convex, vertices = panels(
        axes, "Convex in each probability", "Which vertex is worst depends on ε"
    )
    ends = {LAM: "λ", 0.3: "0.3", 0.5: "0.5", 0.7: "0.7", 1 - LAM: "1−λ"}
    convex.x("probability of one record", (0.03, 0.97), ends)
    convex.y("δ(ε)", (0, 0.42), [0, 0.1, 0.2, 0.3, 0.4], digits=1)
    for eps in MOVING_EPS:
        curve, colour = convex.rows(eps=eps), COLOURS[eps]
        x, y = curve["x"][[0, -1]], curve["y"][[0, -1]]
        convex.plot(x, y, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        convex.curve(curve, line(colour, width=1.6))
        convex.plot(x, y, "o", color=colour)
        convex.end(curve, f"ε = {eps:g}", colour)
    vertices.x("records at λ, the others at 1−λ", (-0.6, 11.6), range(0, 11, 2))
    vertices.y("δ, relative to the largest", (0, 1.1))
    for eps in COLOURS:
        curve, colour = vertices.rows(eps=eps), COLOURS[eps]
        vertices.curve(curve, line(colour, width=1) | {"marker": "o", "markersize": 3})
        worst = np.isclose(curve["y"], 1, rtol=1e-9)
        x, y = curve["x"][worst], curve["y"][worst]
        vertices.plot(x, y, "o", color=colour, markersize=8, markerfacecolor="none")
        vertices.end(curve, f"ε = {eps:g}", colour)
