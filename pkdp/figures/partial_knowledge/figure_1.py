"""Figure 1 of the paper: which definition implies which, as its text says and as computed.

The figure itself was not at hand, only the names and the label that are written in it. Its arrows
are those that the text around it states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    from pkdp.figures._panel import Panel

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
PANEL_SIZE = (3.5, 2.2)

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
    exact: dict[str, Callable[[World, Mechanism], Ratio]] = {
        "NP": np_ratio,
        "CDP": cdp_ratio,
        "IBCDP": ibcdp_ratio,
        "DDP": lambda world, mechanism: ddp_ratio(world, mechanism).lower,
    }
    return exact[definition](world, mechanism)


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
        (premise, conclusion): 2
        if premise == "DDP" or (premise == "IBCDP" and conclusion != "DDP")
        else 1
        for premise, conclusion in ARROWS
    },
}
# What holds, without knowledge, for targets with two values, and what breaks it for three.
TWO_VALUES: Mapping[Arrow, Witness] = {("IBCDP", "DDP"): THREE_VALUES}
# What the text around the figure states.
STATED: Mapping[Arrow, int] = {
    ("NP", "CDP"): 1,
    ("CDP", "NP"): 1,
    ("CDP", "DDP"): 1,
    ("CDP", "IBCDP"): 2,
    ("IBCDP", "CDP"): 2,
}

_TITLES = {
    "stated": "As the text states",
    "acceptable": "An acceptable law",
    "no knowledge": "One law, no knowledge",
    "independent": "One law, independent target",
}
# The others follow from these.
_DRAWN = (*STATED, ("DDP", "CDP"), ("IBCDP", "DDP"))
_PLACES = {"NP": (0.0, 1.0), "CDP": (1.0, 1.0), "DDP": (2.0, 1.0), "IBCDP": (1.0, 0.0)}
_HALF_WIDTHS = {"NP": 0.17, "CDP": 0.2, "DDP": 0.2, "IBCDP": 0.29}
_HALF_HEIGHT = 0.14


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
        for premise, conclusion in arrows:
            factor = holds.get((premise, conclusion), 0)
            kind = "holds" if factor else "fails"
            found = None if factor else WITNESSES[premise, conclusion]
            if panel == "no knowledge" and (premise, conclusion) in TWO_VALUES:
                kind, factor, found = "two values", 1, TWO_VALUES[premise, conclusion]
            arrow: dict[str, str | int] = {"premise": premise, "conclusion": conclusion}
            arrow |= {"factor": factor, "witness": found.name if found else ""}
            for role, one in (("premise ratio", premise), ("conclusion ratio", conclusion)):
                arrow[role] = str(ratio(one, found.world, found.mechanism)) if found else ""
            yield block(panel=panel, series=kind, **arrow)


def draw(axes: Panels) -> None:
    """Draw the boxes, and the arrows from which all that hold follow."""
    panels(axes, *_TITLES.values())
    for panel, name in zip(axes, _TITLES, strict=True):
        panel.set(xlim=(-0.3, 2.3), ylim=(-0.3, 1.5))
        panel.set_axis_off()
        for name_in_box, (x, y) in _PLACES.items():
            box = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": INK}
            panel.text(x, y, name_in_box, ha="center", va="center", fontsize=9, bbox=box)
        columns = (
            panel.data[key].tolist() for key in ("series", "premise", "conclusion", "factor")
        )
        for series, premise, conclusion, factor in zip(*columns, strict=True):
            follows = name == "independent" and (premise, conclusion) not in _DRAWN
            if name == "stated" or (series != "fails" and not follows):
                _draw_arrow(panel, premise, conclusion, series, factor)


def _draw_arrow(panel: Panel, premise: str, conclusion: str, series: str, factor: int) -> None:
    colour = {"holds": BLUE, "fails": VERMILION, "two values": PURPLE}[series]
    grown = "ε" if factor == 1 else f"{factor}ε"
    text = {"holds": grown, "fails": "✗", "two values": f"{grown},\ntwo values"}[series]
    (x, y), (to_x, to_y) = _PLACES[premise], _PLACES[conclusion]
    bend = 0.0
    if {premise, conclusion} == {"NP", "DDP"}:
        # Over the top of CDP.
        start, end = (x + 0.1, y + _HALF_HEIGHT), (to_x - 0.1, to_y + _HALF_HEIGHT)
        bend, place = -0.16, (1.0, 1.42)
    elif y == to_y:
        side = 1 if to_x > x else -1
        lift = 0.07 * side
        start = (x + side * (_HALF_WIDTHS[premise] + 0.04), y + lift)
        end = (to_x - side * (_HALF_WIDTHS[conclusion] + 0.04), to_y + lift)
        place = ((x + to_x) / 2, y + (0.17 if side > 0 else -0.18))
    elif x == to_x:
        side = 1 if to_y > y else -1
        shift = 0.07 * side
        start = (x + shift, y + side * (_HALF_HEIGHT + 0.04))
        end = (to_x + shift, to_y - side * (_HALF_HEIGHT + 0.04))
        place = (x + 0.19 * side, 0.5)
    else:
        start, end = (x + 0.32, y + 0.06), (to_x - 0.1, to_y - _HALF_HEIGHT - 0.04)
        place = (1.74, 0.4) if series == "holds" else (1.98, 0.33)
    panel.link(start, end, colour, dashed=series != "holds", bend=bend)
    panel.text(*place, text, ha="center", va="center", fontsize=8.5, color=colour)
