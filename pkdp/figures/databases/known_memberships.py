"""What answers tell an attacker who knows some of the memberships."""

from fractions import Fraction

import numpy as np

from pkdp.databases import hypothesis_worlds
from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, GREEN, VERMILION, Style
from pkdp.worlds.constructors import bits
from pkdp.worlds.definitions import apk_delta, ppk_delta
from pkdp.worlds.mechanisms import Database, OutputLaw, make_randomized_response
from pkdp.worlds.world import World

TITLE = "What answers tell those who know some of the memberships"
ALT = (
    "δ at ε = 0 against the number of known memberships, 0 to 5, for an illness that makes each of "
    "five memberships 30 rather than 10 percent likely. What the answers add falls from 0.191 "
    "through 0.136 with two known to 0 with five. What they tell together with the known "
    "memberships rises from 0.191 through 0.254, 0.329, 0.386 and 0.416 to 0.422.",
    "δ at ε = 0 against the number of known memberships in four clinics, 0 to 4, for whether a "
    "fifth database invites those who are in at least two of them or the others. Active attackers "
    "start at 0.256 and are at 0.344 with one known, at 0.5 from two on. Passive ones rise more "
    "evenly, through 0.305, 0.345 and 0.395 to 0.5 with four.",
)
PANEL_SIZE = (3.3, 2.9)

K = 5
RATIO = 3  # e^ε of each mechanism
ILL, WELL = Fraction(3, 10), Fraction(1, 10)
LEAST, VISITS = 2, Fraction(1, 4)

Prior = dict[tuple[int, ...], Fraction]

_ACTIVE: Style = {"color": VERMILION, "linestyle": "-", "marker": "o", "markersize": 5}
_PASSIVE: Style = {"color": BLUE, "linestyle": "--", "marker": "s", "markersize": 5}
_TOGETHER: Style = {"color": GREEN, "linestyle": ":", "marker": "^", "markersize": 5}


def illness() -> tuple[Prior, Prior]:
    """Return what an illness says of k memberships, and what health does."""
    return _independent([ILL] * K), _independent([WELL] * K)


def rule() -> tuple[Prior, Prior]:
    """Return two rules for the last database: to invite frequent patients, or all others."""
    visits = _independent([VISITS] * (K - 1)).items()
    frequent = {(*who, int(sum(who) >= LEAST)): mass for who, mass in visits}
    return frequent, {(*who, 1 - invited): mass for (*who, invited), mass in frequent.items()}


def _independent(chances: list[Fraction]) -> Prior:
    return {memberships: mass for (memberships, _), mass in bits(chances).masses.items()}


_RESPONSE = make_randomized_response(Fraction(RATIO - 1, RATIO + 1))


def replies(database: Database) -> OutputLaw:
    """Answer for each database by randomized response, whichever hypothesis is true."""
    return dict(_RESPONSE(database[1:]))


def data() -> Blocks:
    """Yield δ at ε = 0 against the number of known memberships.

    Yields
    ------
    Table
        Columns ``panel`` (``illness``, ``rule``), ``series`` (``active``, ``passive``,
        ``together``: the known memberships count as part of what is seen), ``x`` (how many are
        known) and ``y`` (δ).
    """
    sick = [
        hypothesis_worlds.world(*illness(), known=range(1, known + 1)) for known in range(K + 1)
    ]
    invited = [hypothesis_worlds.world(*rule(), known=range(1, known + 1)) for known in range(K)]
    ill = {
        "active": [float(apk_delta(one, replies, 1, [0])) for one in sick],
        "together": [float(_together(one, known)) for known, one in enumerate(sick)],
    }
    rules = {
        "active": [float(apk_delta(one, replies, 1, [0])) for one in invited],
        "passive": [float(ppk_delta(one, replies, 1, [0])) for one in invited],
    }
    known = np.arange(K + 1.0)
    yield curves(known, ill, panel="illness")
    yield curves(known[:K], rules, panel="rule")


def _together(world: World, known: int) -> Fraction:
    """Return δ at ε = 0 of the known memberships and the answers."""

    def shown(database: Database) -> OutputLaw:
        law = replies(database)
        return {(database[1 : known + 1], reply): mass for reply, mass in law.items()}

    return apk_delta(world.knowing(()), shown, 1, [0])


def draw(axes: Panels) -> None:
    """Draw what the answers tell, for both secrets."""
    ill, invited = panels(axes, "Is she ill?", "Which rule?")
    for panel, most in ((ill, K), (invited, K - 1)):
        panel.x("known memberships", (-0.2, most + 0.2), range(most + 1))
        panel.y("δ at ε = 0", (0, 0.55), [0, 0.25, 0.5])
    ill.curve("together", _TOGETHER)
    ill.curve("active", _ACTIVE)
    ill.note("answers and known\nmemberships together", (0, 0.42), (0, 0), GREEN, ha="left")
    ill.note("answers", (2, 0.136), (-6, -16), VERMILION, ha="center")
    invited.curve("active", _ACTIVE)
    invited.curve("passive", _PASSIVE)
    invited.note("active", (1, 0.344), (-2, 10), VERMILION)
    invited.note("passive", (2, 0.345), (6, -14), BLUE)
