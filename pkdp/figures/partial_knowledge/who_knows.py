"""Who knows what: the target, the records that the attacker knows, and those she does not."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, INK, VERMILION, Style
from pkdp.figures.partial_knowledge.shifted_laws import draw_excess
from pkdp.partial_knowledge import counting
from pkdp.profiles.binomials import log_binomial_pmf

TITLE = "Who knows what"
ALT = (
    "Forty people in five rows: the target, a star; fifteen known records, each a 0 or a 1; and "
    "twenty-four unknown records, each a question mark.",
    "Two step curves against the tally of the target and the 24 unknown records, each of which is "
    "1 with probability 0.3. The curve for a target's 1 is that for a 0 moved to the right by one. "
    "A dashed copy of the curve for a 0, times e to the 0.5, covers the curve for a 1 except for a "
    "small shaded area on its right flank: δ, 0.046.",
)

ROWS, SEATS, KNOWN = 5, 8, 15
UNKNOWN, PROBABILITY, EPS = ROWS * SEATS - 1 - KNOWN, 0.3, 0.5
TARGET = 20  # the seat of the target, and the known records around it
BITS = (0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1)


def data() -> Blocks:
    """Yield where everybody sits, and the two distributions of what is left of the tally.

    Yields
    ------
    Table
        Columns ``panel`` (``people``, ``tally``), ``series`` (``target``, ``0``, ``1``, ``?``;
        ``one``, ``zero``, ``scaled``, ``delta``), ``x`` and ``y``.
    """
    others = [seat for seat in range(ROWS * SEATS) if seat != TARGET]
    shown = {TARGET: "target", **dict(zip(others, map(str, BITS), strict=False))}
    for seat in range(ROWS * SEATS):
        row, place = divmod(seat, SEATS)
        yield block(
            panel="people", series=shown.get(seat, "?"), x=float(place), y=float(ROWS - 1 - row)
        )
    count = np.arange(UNKNOWN + 2)
    one, zero = (np.exp(log_binomial_pmf(k, UNKNOWN, PROBABILITY)) for k in (count - 1, count))
    for series, y in (("one", one), ("zero", zero), ("scaled", math.exp(EPS) * zero)):
        yield block(panel="tally", series=series, x=count.astype(float), y=y)
    delta = counting.exact(np.full(UNKNOWN, PROBABILITY)).delta(EPS)
    yield block(panel="tally", series="delta", x=0.0, y=delta)


def draw(axes: Panels) -> None:
    """Draw the people on the first panel, the two distributions on the second."""
    people, tally = panels(axes, "What she knows", "What the tally tells her")
    looks: dict[str, Style] = {"0": {"color": INK}, "1": {"color": INK}, "?": {"color": BLUE}}
    for series, look in looks.items():
        seats = people.rows(series)
        for x, y in zip(seats["x"], seats["y"], strict=True):
            people.text(x, y, series, ha="center", va="center", size=11, **look)
    (x,), (y,) = (people.rows("target")[name] for name in "xy")
    people.plot(x, y, "*", markersize=14, color=VERMILION)
    people.text(0, -1.0, "★ the target", color=VERMILION)
    people.text(2.6, -1.0, f"0 1  {KNOWN} known")
    people.text(5.2, -1.0, f"?  {UNKNOWN} unknown", color=BLUE)
    people.set(xlim=(-0.6, SEATS), ylim=(-1.4, ROWS - 0.4))
    people.set_axis_off()

    one, zero, scaled = map(tally.rows, ("one", "zero", "scaled"))
    (delta,) = tally.rows("delta")["y"]
    draw_excess(tally, one, zero, scaled)
    tally.x("tally without the known records", (-0.5, 18.5), range(0, 19, 3))
    tally.y("probability", (0, 0.33), [0, 0.1, 0.2, 0.3], digits=1)
    tally.grid(axis="x", visible=False)
    tally.label(scaled, r"$e^{\varepsilon} Q$", 6, (-14, 3), BLUE)
    tally.text(7.5, 0.03, "$Q$: target 0", ha="center", color=BLUE)
    tally.label(one, "$P$: target 1", 10, (9, 8), VERMILION)
    tally.callout(f"δ = {delta:.3f}", (11.4, 0.075), (12.6, 0.11), VERMILION, va="baseline")
