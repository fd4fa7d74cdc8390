"""A threshold against attackers who see other records: what they gain, and what is proved."""

import functools
import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, BOUND, DASHED, EXACT, GREEN, PURPLE, VERMILION, line
from pkdp.partial_knowledge import thresholding

TITLE = "What it is worth to see other records"
ALT = (
    "The passive attacker up to all 999 others, all at p = 0.005 (solid) or up to it (dashed). "
    "For ε = 0 and 1 δ stays between 1.1e-7 and 3.1e-7. For ε = 2 it rises from 1.4e-20, dashed "
    "from 1.0e-12, as more and more records are known. All curves end at 3.05e-7, the probability "
    "that at least 20 of the others are 1.",
    "What proofs give against the passive attacker, all probabilities up to 0.005. Theorem 4, at "
    "its best b_max, jumps from 3.1e-7 without knowledge to 5.0e-6 at one known record, climbs "
    "unevenly to about 6e-4 where half are known, and ends at 1.3e-6 at 999. The probability that "
    "at least 20 others are 1, 3.05e-7, is a horizontal line, just above the exact δ at ε = 0, "
    "which is 2.3e-7 up to 500 and meets it at 999.",
)

RECORDS, P, THRESHOLD = 1000, 0.005, 20
_COLOURS = {0.0: BLUE, 1.0: GREEN, 2.0: PURPLE}


def data() -> Blocks:
    """Yield δ of a passive attacker, and bounds on it, against the number of known records.

    Yields
    ------
    Table
        Columns ``panel`` (``passive``, ``promises``), ``series`` (``equal``, ``at most``;
        ``theorem 4``; and ``pivotal``, the probability that at least T others are 1), ``eps``,
        ``x`` (known records) and ``y`` (δ).
    """
    many = [0, 25, 50, 100, 200, 300, 400, 500, 600, 700, 800, 850, 900, 950, 980, 999]
    x = np.array(many, dtype=float)
    passive = [thresholding.passive(RECORDS, P, threshold=THRESHOLD, known=m) for m in many]
    worst = functools.partial(thresholding.passive_worst_case, RECORDS, P, threshold=THRESHOLD)
    profiles = {"equal": passive, "at most": [worst(known=m, tol=1e-3) for m in many]}
    for eps in _COLOURS:
        for series, found in profiles.items():
            y = [profile.delta(eps) for profile in found]
            yield block(panel="passive", series=series, eps=eps, x=x, y=y)
        if eps == 0.0:
            yield block(panel="promises", series="at most", eps=eps, x=x, y=y)
    for panel in ("passive", "promises"):
        level = passive[-1].delta(0.0)
        yield block(panel=panel, series="pivotal", eps=0.0, x=x[[0, -1]], y=level)
    few, some = np.arange(10), np.geomspace(10, 250, 25).astype(int)
    known = np.unique(np.concatenate([few, some, np.arange(300, 1000, 25), [RECORDS - 1]]))
    for m in known.tolist():
        term = thresholding.theorem_4_terms(RECORDS, P, threshold=THRESHOLD, known=m)
        printed = {"x": float(m), "y": math.exp(term.log_delta)}
        yield block(panel="promises", series="theorem 4", eps=term.eps, **printed)


def draw(axes: Panels) -> None:
    """Draw what is true on the first panel, what is proved on the second."""
    passive, promises = panels(axes, "A passive attacker", "What is promised against her")
    for panel in axes:
        panel.x("known records", (0, RECORDS))
    passive.log_y("δ", (1e-22, 1e-3), powers(-20, -15, -10, -5))
    for eps, colour in _COLOURS.items():
        passive.curve(passive.rows("at most", eps=eps), line(colour, DASHED, 1.6))
        passive.curve(passive.rows("equal", eps=eps), line(colour, width=1.6))
    for eps, series, text, at, offset, side in (
        (0.0, "equal", "ε = 0", 250, (0, 3), "center"),
        (1.0, "equal", "ε = 1", 250, (0, -3), "center"),
        (2.0, "at most", "ε = 2, up to 0.5 %", 30, (0, 16), "left"),
        (2.0, "equal", "ε = 2, at 0.5 %", 400, (6, -4), "left"),
    ):
        passive.label(passive.rows(series, eps=eps), text, at, offset, _COLOURS[eps], ha=side)
    pivotal = passive.rows("pivotal")
    everybody = pivotal["x"][-1], pivotal["y"][-1]
    passive.note("she knows everybody", everybody, (-20, 22), va="center", lead=True)
    promises.log_y("δ", (8e-8, 3e-3), powers(-7, -6, -5, -4, -3))
    promises.curve("theorem 4", line(VERMILION, width=1.6), "Theorem 4, at its best", 420, (0, 6))
    promises.curve("pivotal", BOUND, "P[at least 20 others], ε = 0", 420)
    promises.curve("at most", EXACT, "exact, ε = 0", 420, (0, -4))
