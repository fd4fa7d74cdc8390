"""Figure 1 of the paper: which definition implies which, as its text says and as computed.

Only the names and the label that are written in the figure were available to us. Its arrows are
those that the text around it states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any, TypeAlias

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, INK, PURPLE, VERMILION
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.worlds.constructors import bits, copied
from pkdp.worlds.definitions import Ratio, cdp_ratio, ibcdp_ratio, np_ratio
from pkdp.worlds.mechanisms import Database, Mechanism, identity, majority, parity
from pkdp.worlds.world import World

if TYPE_CHECKING:
    from pkdp.figures._panel import Panel, Point

TITLE = "Figure 1: which definition implies which"
ALT = (
    "Four boxes: NP, CDP and DDP in a row, IBCDP below CDP. What the text states: arrows both ways "
    "between NP and CDP and both ways between CDP and IBCDP, and one from CDP to DDP. Those "
    "between NP and CDP and that from IBCDP to CDP are dashed and crossed out, the others solid.",
    "The same boxes for an acceptable law, two arrows: from CDP to DDP with the same ε, and from "
    "CDP to IBCDP with 2ε.",
    "The same boxes for one law and an attacker without knowledge: besides those two arrows one "
    "from NP to DDP with the same ε, and one from IBCDP to DDP that is dashed: the same ε if the "
    "target has two values, and false with three.",
    "The same boxes for one law and a target that is independent of all else. NP and CDP imply "
    "each other with the same ε; CDP implies DDP and IBCDP with the same ε, and each of them "
    "implies CDP with 2ε; IBCDP implies DDP with the same ε.",
)
PANEL_SIZE = (3.4, 2.2)

Arrow: TypeAlias = tuple[str, str]

DEFINITIONS = ("NP", "CDP", "DDP", "IBCDP")
ARROWS: tuple[Arrow, ...] = tuple(permutations(DEFINITIONS, 2))


def first_record(database: Database) -> Any:  # noqa: ANN401 -- whatever a record is
    """Release the first record.

    Examples
    --------
    >>> first_record((1, 0))
    1
    """
    return database[0]


# Some of 0, 1 and 2: one of them, two, or all in either order round.
GROUPS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2), (2, 1, 0))


def alone_or_not(database: Database) -> Any:  # noqa: ANN401
    """Tell the first record whether it is alone in the group that most of the others name.

    Parameters
    ----------
    database : tuple
        The first record is a value, all others are one of `GROUPS`.

    Returns
    -------
    hashable
        For a value in the group: ``("alone", value)`` if it is the only one, the value itself if
        it is one of two, the one after it if it is one of three. For another one: the member of a
        group of one, else ``"?"``, and so it is where the first record is no value.

    Examples
    --------
    >>> group = (2, 1, 0)
    >>> [alone_or_not((own, group, group, group)) for own in (0, 1, 2)]
    [2, 0, 1]
    """
    own, group = database[0], majority(database[1:])
    if own in group:
        size = len(group)
        return [("alone", own), own, group[(group.index(own) + 1) % size]][size - 1]
    return group[0] if len(group) == 1 and own in (0, 1, 2) else "?"


def ratio(definition: str, world: World, mechanism: Mechanism) -> Ratio:
    """Return the least e^ε of one of `DEFINITIONS`, for all targets; that of DDP is a lower bound.

    Examples
    --------
    >>> ratio("NP", bits([Fraction(1, 2)] * 2), parity)
    Fraction(1, 1)
    """
    if definition == "DDP":
        return ddp_ratio(world, mechanism).lower
    exact = {"NP": np_ratio, "CDP": cdp_ratio, "IBCDP": ibcdp_ratio}[definition]
    return exact(world, mechanism)


@dataclass(frozen=True)
class Witness:
    """A world and a mechanism on which one definition has e^ε = 1 and another none.

    Attributes
    ----------
    world : World
        A law that is acceptable at every record.
    mechanism : callable
        The mechanism.
    name : str
        What they are, in words.
    """

    world: World
    mechanism: Mechanism
    name: str


_COIN = {0: Fraction(1, 2), 1: Fraction(1, 2)}
_PAIR = copied(_COIN, groups=1, copies=2)
_TRIPLE = copied(_COIN, groups=1, copies=3)
_COINS = bits([Fraction(1, 2)] * 2, knowledge=parity)

_XOR = Witness(_PAIR, parity, "pair, parity")
_FIRST = Witness(_PAIR, first_record, "pair, first record")
_WHOLE = Witness(_PAIR, identity, "pair, identity")

# No smaller world does, nor fewer databases, as the tests of page 2.3 find.
WITNESSES: Mapping[Arrow, Witness] = {
    ("NP", "CDP"): _XOR,
    ("NP", "DDP"): Witness(_COINS, parity, "parity known, parity"),
    ("NP", "IBCDP"): _XOR,
    ("CDP", "NP"): Witness(_TRIPLE, majority, "triple, majority"),
    ("DDP", "NP"): _FIRST,
    ("DDP", "CDP"): _FIRST,
    ("DDP", "IBCDP"): _FIRST,
    ("IBCDP", "NP"): _WHOLE,
    ("IBCDP", "CDP"): _WHOLE,
    ("IBCDP", "DDP"): Witness(_COINS, identity, "parity known, identity"),
}

# Fifteen databases: D(0) is in the group, and the other three records name it.
_GROUPED = {
    ((own, group, group, group), None): Fraction(1, 15) for group in GROUPS for own in sorted(group)
}
THREE_VALUES = Witness(World(_GROUPED), alone_or_not, "three values, alone or not")

# What holds: by what factor ε grows.
_CAUSAL = {("CDP", "DDP"): 1, ("CDP", "IBCDP"): 2}
HOLDS: Mapping[str, Mapping[Arrow, int]] = {
    "acceptable": _CAUSAL,
    "no knowledge": _CAUSAL | {("NP", "DDP"): 1},
    "independent": {
        arrow: 1 if arrow[0] in ("NP", "CDP") or arrow == ("IBCDP", "DDP") else 2
        for arrow in ARROWS
    },
}
# What holds, without knowledge, for targets with two values, and what breaks it for three.
TWO_VALUES: Mapping[Arrow, Witness] = {("IBCDP", "DDP"): THREE_VALUES}
# What the text around the figure states.
STATED = {("NP", "CDP"): 1, ("CDP", "NP"): 1} | _CAUSAL | {("IBCDP", "CDP"): 2}

_TITLES = {
    "stated": "As the text states",
    "acceptable": "An acceptable law",
    "no knowledge": "One law, no knowledge",
    "independent": "One law, independent target",
}
_PLACES = {"NP": (0.0, 1.0), "CDP": (1.0, 1.0), "DDP": (2.0, 1.0), "IBCDP": (1.0, 0.0)}
# Start and end of each arrow that is drawn, and the place of its text; the others follow.
_DRAWN: Mapping[Arrow, tuple[Point, Point, Point]] = {
    ("NP", "CDP"): ((0.21, 1.07), (0.76, 1.07), (0.5, 1.17)),
    ("CDP", "NP"): ((0.76, 0.93), (0.21, 0.93), (0.5, 0.82)),
    ("CDP", "DDP"): ((1.24, 1.07), (1.76, 1.07), (1.5, 1.17)),
    ("DDP", "CDP"): ((1.76, 0.93), (1.24, 0.93), (1.5, 0.82)),
    ("CDP", "IBCDP"): ((0.93, 0.82), (0.93, 0.18), (0.81, 0.5)),
    ("IBCDP", "CDP"): ((1.07, 0.18), (1.07, 0.82), (1.19, 0.5)),
    ("IBCDP", "DDP"): ((1.32, 0.06), (1.9, 0.82), (1.74, 0.4)),
    ("NP", "DDP"): ((0.1, 1.14), (1.9, 1.14), (1.0, 1.42)),
}


def data() -> Blocks:
    """Yield what becomes of each arrow.

    Yields
    ------
    Table
        Columns ``panel`` (``stated``, ``acceptable``, ``no knowledge``, ``independent``),
        ``series`` (``holds``, ``fails``, ``two values``: for targets with no more), ``premise``,
        ``conclusion``, ``factor`` (of ε; 0 where the arrow fails), ``witness`` (what breaks it, or
        nothing) and ``premise ratio``, ``conclusion ratio`` (the witness's e^ε, as text).
    """
    for panel in _TITLES:
        arrows = STATED if panel == "stated" else ARROWS
        holds = HOLDS["acceptable" if panel == "stated" else panel]
        for arrow in arrows:
            series, factor = ("holds", holds[arrow]) if arrow in holds else ("fails", 0)
            broken = None if factor else WITNESSES[arrow]
            if panel == "no knowledge" and arrow in TWO_VALUES:
                series, factor, broken = "two values", 1, TWO_VALUES[arrow]
            row: dict[str, str | int] = {"premise": arrow[0], "conclusion": arrow[1]}
            row |= {"factor": factor, "witness": broken.name if broken else ""}
            for role, one in zip(("premise ratio", "conclusion ratio"), arrow, strict=True):
                row[role] = str(ratio(one, broken.world, broken.mechanism)) if broken else ""
            yield block(panel=panel, series=series, **row)


def draw(axes: Panels) -> None:
    """Draw the boxes, and the arrows from which all that hold follow."""
    panels(axes, *_TITLES.values())
    for panel, name in zip(axes, _TITLES, strict=True):
        panel.set(xlim=(-0.3, 2.3), ylim=(-0.3, 1.5))
        panel.set_axis_off()
        for name_in_box, (x, y) in _PLACES.items():
            box = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": INK}
            panel.text(x, y, name_in_box, ha="center", va="center", fontsize=9, bbox=box)
        for row in panel.records():
            arrow = row["premise"], row["conclusion"]
            # For an independent target it follows from those from NP to CDP and on to DDP.
            follows = name == "independent" and arrow == ("NP", "DDP")
            holds = row["series"] != "fails" and arrow in _DRAWN and not follows
            if name == "stated" or holds:
                _draw_arrow(panel, arrow, row["series"], row["factor"])


def _draw_arrow(panel: Panel, arrow: Arrow, series: str, factor: int) -> None:
    colour = {"holds": BLUE, "fails": VERMILION, "two values": PURPLE}[series]
    grown = "ε" if factor == 1 else f"{factor}ε"
    text = {"holds": grown, "fails": "✗", "two values": f"{grown},\ntwo values"}[series]
    start, end, place = _DRAWN[arrow]
    if series == "two values":
        place = (1.98, 0.33)
    bend = -0.16 if arrow == ("NP", "DDP") else 0.0  # over the top of CDP
    panel.link(start, end, colour, dashed=series != "holds", bend=bend)
    panel.text(*place, text, ha="center", va="center", fontsize=8.5, color=colour)
