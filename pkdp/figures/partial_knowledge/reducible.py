"""Reducible or not: a count under two values of the knowledge, with a threshold and without."""

from fractions import Fraction

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, VERMILION, Style
from pkdp.worlds.constructors import bits
from pkdp.worlds.mechanisms import Mechanism, make_threshold, total
from pkdp.worlds.world import World

TITLE = "A count moves with what is known; a threshold cuts it off"
ALT = (
    "Two histograms of the tally for a target who votes Yes, filled if none of the four known "
    "votes is Yes, outlined if all are. Both have the same seven bars, with heights from 0.004 to "
    "0.31: the first from 1 to 7, the second from 5 to 11. One is the other, moved by 4.",
    "The same for counts that are suppressed up to 5. The outlined one has all its bars but the "
    "first, which is now at ⊥ with 0.05. Of the filled one there are two bars left, at 6 and 7 "
    "with 0.04 and 0.004; the others are one bar at ⊥ of height 0.96. No renaming of the outputs "
    "makes one histogram the other.",
)

RECORDS, KNOWN, THRESHOLD = 11, 4, 5
_HIDDEN = -1.0  # where ⊥ stands
_MECHANISMS: dict[str, Mechanism] = {"count": total, "threshold": make_threshold(THRESHOLD)}


def world() -> World:
    """Return eleven votes, of which the last four are known."""
    known = range(RECORDS - KNOWN, RECORDS)
    return bits([Fraction(2, 5)] * RECORDS, knowledge=known)


def _given_yes(votes: tuple[int, ...]) -> World:
    """Return the world in which the target votes Yes, given the known votes."""
    return world().given(lambda database, known: known == votes and database[0] == 1)


def data() -> Blocks:
    """Yield the laws of the output, given that the target votes Yes.

    Yields
    ------
    Table
        Columns ``panel`` (``count``, ``threshold``), ``known`` (number of known Yes votes, 0 or
        4), ``x`` (the output, -1 for ⊥) and ``y`` (its probability).
    """
    for panel, mechanism in _MECHANISMS.items():
        for votes in ((0,) * KNOWN, (1,) * KNOWN):
            law = _given_yes(votes).law_of(mechanism)
            x = [_HIDDEN if output is None else float(output) for output in law]
            y = [float(chance) for chance in law.values()]
            yield block(panel=panel, known=sum(votes), x=x, y=y)


def draw(axes: Panels) -> None:
    """Draw the count on the first panel, the thresholded count on the second."""
    count, cut = panels(axes, "The tally", "Counts up to 5 are suppressed")
    outline: Style = {"facecolor": "none", "edgecolor": VERMILION, "linewidth": 1.4}
    outputs = {_HIDDEN: "⊥"} | {output: str(output) for output in range(1, 12, 2)}
    for panel in axes:
        none, every = panel.rows(known=0), panel.rows(known=KNOWN)
        panel.bar(none["x"], none["y"], width=0.8, color=BLUE, alpha=0.45, linewidth=0)
        panel.bar(every["x"], every["y"], width=0.8, **outline)
        panel.x("output", (-1.8, RECORDS + 0.8), outputs)
    count.y("probability", (0, 0.42))
    count.text(3.0, 0.35, "no known Yes", color=BLUE, ha="center")
    count.text(9.0, 0.35, "four known Yes", color=VERMILION, ha="center")
    cut.y("probability", (0, 1.08))
    cut.text(0.0, 0.9, "no known Yes", color=BLUE)
    cut.text(7.6, 0.4, "four known Yes", color=VERMILION, ha="center")
