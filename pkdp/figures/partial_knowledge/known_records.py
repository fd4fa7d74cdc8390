"""A threshold against attackers who set other records, and against attackers who see them."""

import functools

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, GREEN, PURPLE, line
from pkdp.partial_knowledge import thresholding

TITLE = "A threshold against active and passive attackers"
ALT = (
    "All records at p = 0.005: δ against the number of known records, 0 to 60, for 1,000 records "
    "and T = 20. Against a passive attacker (thin) δ stays where it is, at 2.3e-7 for ε = 0, "
    "1.1e-7 for ε = 1 and near 1e-20 for ε = 2. Against an active one (thick) it rises to 0.18 by "
    "15 known records for ε = 0; for ε = 1 to 1.4e-4 by 7, and in two jumps to 0.024 at 19; for "
    "ε = 2 it stays near 1e-20 up to 19 and jumps to 0.0074 at 20.",
    "The worst case over all probabilities up to 0.005. The passive δ (thin) is flat again, for "
    "ε = 2 between 1.0e-12 and 1.5e-12. The active δ (thick) rises steeply for every ε, from "
    "2.3e-7, 1.1e-7 and 1.0e-12 without knowledge to 0.37, 0.17 and 0.067 at 19 known records, and "
    "is 1 from 20 on.",
)

RECORDS, P, THRESHOLD = 1000, 0.005, 20
MOST_SHOWN = 60  # known records on the first row
_COLOURS = {0.0: BLUE, 1.0: GREEN, 2.0: PURPLE}


def data() -> Blocks:
    """Yield δ against the number of known records.

    Yields
    ------
    Table
        Columns ``panel`` (``equal``, ``at most``), ``series`` (``active``, ``passive``), ``eps``,
        ``x`` (known records) and ``y`` (δ).
    """
    few = np.arange(MOST_SHOWN + 1)
    some = np.array([0, 10, 20, 40, 60])
    worst_case = functools.partial(thresholding.passive_worst_case, tol=1e-3)
    for panel, active, passive in (
        ("equal", thresholding.active, thresholding.passive),
        ("at most", thresholding.active_worst_case, worst_case),
    ):
        for eps in _COLOURS:
            for series, known, curve in (("active", few, active), ("passive", some, passive)):
                y = [curve(RECORDS, P, threshold=THRESHOLD, known=int(m)).delta(eps) for m in known]
                yield block(panel=panel, series=series, eps=eps, x=known.astype(float), y=y)


def draw(axes: Panels) -> None:
    """Draw equal probabilities on the first panel, the worst case on the second."""
    equal, at_most = panels(axes, "All at 0.5 %", "All up to 0.5 %")
    equal.log_y("δ", (1e-23, 30), powers(-20, -15, -10, -5, 0))
    at_most.log_y("δ", (1e-14, 30), powers(-12, -9, -6, -3, 0))
    for panel in axes:
        panel.x("known records", (0, MOST_SHOWN), [0, 20, 40, 60])
        for eps, lift in ((0.0, 3), (1.0, -3), (2.0, 7)):
            text, thin = f"ε = {eps:g}, passive", line(_COLOURS[eps], width=0.9)
            panel.curve(panel.rows("active", eps=eps), line(_COLOURS[eps], width=2.2))
            panel.curve(panel.rows("passive", eps=eps), thin, text, 58, (0, lift), ha="right")
    for eps, text, at, offset, ha in (
        (0.0, "ε = 0, active", 30, (0, 4), "center"),
        (1.0, "ε = 1, active", 30, (0, -9), "left"),
        (2.0, "ε = 2, active", 20, (5, -50), "left"),
    ):
        equal.label(equal.rows("active", eps=eps), text, at, offset, _COLOURS[eps], ha=ha)
    # One label for three curves.
    at_most.label(at_most.rows("active", eps=0.0), "active, at every ε", 30, (0, 4))
