"""A count over records that depend on each other, beside independent ones of equal uncertainty."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers, seen
from pkdp.figures._palette import BLUE, DASHED, INK, SPARSE, VERMILION, line
from pkdp.partial_knowledge import counting, dependent_counts

TITLE = "What dependence does to a count"
ALT = (
    "δ against n from 2 to a million at λ = 0.4, both axes logarithmic. At ε = 0.5 the worst case "
    "over dependent records (solid) falls from 0.6 through 0.076 at n = 100 to 0.037, the limit "
    "(dotted), where it stays. At ε = 0.9 it falls to 0.013 at n = 100, 2.8e-4 at 1,000 and 2e-9 "
    "at 10,000. Independent records (dashed) reach 10⁻¹² at n = 750 for ε = 0.5, and at 270 for "
    "ε = 0.9.",
    "δ against ε from 0 to 1.6 at λ = 0.4. The limit falls from 0.2 at ε = 0 through 0.062 at 0.4 "
    "to nothing at 0.811. Dependent records (solid) stay above it: 100 have 0.24 at ε = 0 and 8e-6 "
    "at 1.6; 10,000 follow the limit and then fall steeply, to 10⁻¹² at 0.93. Independent records "
    "(dashed): 100 have 0.082 at ε = 0 and 2e-11 at 1.6; 10,000 have 0.008 at ε = 0 and 10⁻¹² at "
    "0.13.",
)
PANEL_SIZE = (3.3, 2.9)

LAM = 0.4
BELOW, ABOVE = 0.5, 0.9
SIZES = np.unique(np.geomspace(2, 10**6, 60).round().astype(np.int64))
FEW, MANY = 100, 10_000
EPS = np.unique(np.concatenate([np.linspace(0.0, 0.2, 41), np.linspace(0.0, 1.6, 65)]))
# Where the limit falls to 0.
THRESHOLD = 2.0 * math.log((1.0 - LAM) / LAM)
# What is far below the panels is drawn nowhere.
_LEAST = 1e-18


def data() -> Blocks:
    """Yield δ against n at two ε, and against ε at two n.

    Yields
    ------
    Table
        Columns ``panel`` (``size``, ``eps``), ``series`` (``dependent``, ``independent``,
        ``limit``), ``at`` (the ε, or the n; 0 for the limit against ε), ``x`` (n, or ε) and ``y``
        (δ, from 1e-18 on).
    """
    kinds = {"dependent": dependent_counts.worst_case, "independent": counting.worst_case}
    limit = dependent_counts.limit(LAM)
    sizes = SIZES.astype(float)
    for series, kind in kinds.items():
        for eps in (BELOW, ABOVE):
            y = [kind(n, LAM).delta(eps) for n in SIZES.tolist()]
            yield seen(block(panel="size", series=series, at=eps, x=sizes, y=y), _LEAST)
        for n in (FEW, MANY):
            deltas = kind(n, LAM).delta(EPS)
            yield seen(block(panel="eps", series=series, at=float(n), x=EPS, y=deltas), _LEAST)
    ends, level = [2.0, 1e6], limit.delta(BELOW)
    yield block(panel="size", series="limit", at=BELOW, x=ends, y=level)
    falling = np.append(EPS[EPS < THRESHOLD], THRESHOLD * (1.0 - np.geomspace(1e-2, 1e-9, 22)))
    falling.sort()
    left = block(panel="eps", series="limit", at=0.0, x=falling, y=limit.delta(falling))
    yield seen(left, _LEAST)


def draw(axes: Panels) -> None:
    """Draw δ against n on the left, against ε on the right."""
    size, eps = panels(axes, "More records", "More ε")
    size.log_x("n", (2, 1e6), [10, 1e3, 1e5])
    eps.x("ε", (0, 1.6), [0, 0.4, 0.8, 1.2, 1.6])
    for panel in axes:
        panel.log_y("δ", (1e-12, 3), powers(-12, -9, -6, -3, 0))
    dependent, independent = line(VERMILION), line(BLUE, DASHED, 1.6)
    limit = line(INK, SPARSE, 2.2)
    size.curve("limit", limit)
    for panel, series, value, style, text, at, offset in (
        (size, "dependent", BELOW, dependent, "dependent, ε = 0.5", 3e3, (0, 4)),
        (size, "dependent", ABOVE, dependent, "dependent, ε = 0.9", 1500, (5, 4)),
        (size, "independent", BELOW, independent, "ε = 0.5", 600, (4, 2)),
        (size, "independent", ABOVE, independent, "independent,\nε = 0.9", 165, (-5, -3)),
        (eps, "dependent", FEW, dependent, "n = 100", 1.25, (3, 4)),
        (eps, "dependent", MANY, dependent, "n = 10,000", 0.915, (5, 0)),
        (eps, "independent", FEW, independent, "n = 100", 1.2, (3, 6)),
        (eps, "independent", MANY, independent, "n = 10,000", 0.11, (5, 3)),
    ):
        panel.curve(panel.rows(series, at=value), style, text, at, offset)
    eps.curve("limit", limit, "limit", THRESHOLD * 0.9999, (-5, 0))
