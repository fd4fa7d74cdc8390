"""A herd: what an attacker who does not know where it goes is said to learn, and one who does."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DASHED, GREEN, VERMILION, line
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.worlds.constructors import hidden_parameter
from pkdp.worlds.definitions import cdp_ratio, np_ratio
from pkdp.worlds.mechanisms import OutputLaw, majority, make_randomized_response, output_law
from pkdp.worlds.world import World

TITLE = "A herd, and an attacker who does not know where it goes"
ALT = (
    "ε against the number of records, 1 to 11, for a noisy majority of records that follow a "
    "hidden direction nine times in ten. Noiseless privacy falls from 2.20 to 1.57 at three "
    "records and stays near 1.52. With the direction known it falls to 0.85 and on to 0.012; "
    "causal privacy falls to 0.61 and 0.007, distributional privacy from 1.61 to 0.05 and, from "
    "five records on, 0.",
    "ε for three records against the probability, from a half to 1, with which a hint about the "
    "direction is right. Noiseless privacy rises from 1.57 without a hint to 1.72 at three "
    "quarters, and then falls, steeply at the end, to 0.85 with a hint that is always right; "
    "causal privacy rises from 0.61 to 0.85 throughout.",
)

# A record follows the direction but for one in ten; the majority is told with truth 4/5, a ratio 9.
STRAYS = Fraction(1, 10)
TRUTH = Fraction(4, 5)
SIZES = (1, 3, 5, 7, 9, 11)
HINTS = (
    *(Fraction(k, 40) for k in range(20, 40)),
    *(Fraction(k, 400) for k in range(391, 401)),
)


def world(n: int, reveal: bool = False) -> World:
    """Return a herd of `n` bits that follow a fair direction, which may be known."""
    fair = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    return hidden_parameter(fair, lambda up: {up: 1 - STRAYS, 1 - up: STRAYS}, n, reveal=reveal)


def hinted(n: int, right: Fraction) -> World:
    """Return a herd with a hint about the direction for knowledge, right with this probability."""
    masses: dict[tuple[tuple[Any, ...], Any], Fraction] = {}
    for (database, (direction, _)), mass in world(n, reveal=True).masses.items():
        for hint, chance in ((direction, right), (1 - direction, 1 - right)):
            masses[database, hint] = masses.get((database, hint), Fraction(0)) + mass * chance
    return World(masses)


_told = make_randomized_response(TRUTH)


def noisy_majority(database: tuple[int, ...]) -> OutputLaw:
    """Release the majority by randomized response."""
    return output_law(_told, (majority(database),))


def data() -> Blocks:
    """Yield ε against the number of records, and against how often a hint is right.

    Yields
    ------
    Table
        Columns ``panel`` (``size``, ``hint``), ``series`` (``NP``, ``NP, known``, ``CDP``, ``DDP``;
        on the second panel ``NP`` and ``CDP``), ``x`` (n; probability) and ``y`` (ε; of DDP the
        upper end of its enclosure).
    """
    herds, known = [world(n) for n in SIZES], [world(n, reveal=True) for n in SIZES]
    hints = [hinted(3, right) for right in HINTS]
    # All records play the same part.
    at_sizes = {
        "NP": [math.log(np_ratio(herd, noisy_majority, [0])) for herd in herds],
        "NP, known": [math.log(np_ratio(herd, noisy_majority, [0])) for herd in known],
        "CDP": [math.log(cdp_ratio(herd, noisy_majority, [0])) for herd in herds],
        "DDP": [math.log(ddp_ratio(herd, noisy_majority, [0]).upper) for herd in herds],
    }
    at_hints = {
        "NP": [math.log(np_ratio(herd, noisy_majority, [0])) for herd in hints],
        "CDP": [math.log(cdp_ratio(herd, noisy_majority, [0])) for herd in hints],
    }
    yield curves(np.array(SIZES, dtype=float), at_sizes, panel="size")
    yield curves(np.array(HINTS, dtype=float), at_hints, panel="hint")


def draw(axes: Panels) -> None:
    """Draw ε against the number of records on the left, against the hint on the right."""
    size, hint = panels(axes, "A record in a growing herd", "A hint about its direction")
    size.x("number of records n", (0.6, 11.4), [1, 3, 5, 7, 9, 11])
    hint.x("probability that the hint is right", (0.5, 1), {0.5: "½", 0.75: "¾", 1: "1"})
    for panel in axes:
        panel.y("ε", (0, 2.4), [0, 0.5, 1, 1.5, 2], digits=1)
    hidden, known, causal = line(VERMILION), line(VERMILION, DASHED, 1.6), line(BLUE, width=1.6)
    mixed = line(GREEN, (0, (7, 1.2, 1.2, 1.2)), 1.6)
    dots = {"marker": "o", "markersize": 3.5}
    size.curve("NP", hidden | dots, "NP, direction hidden", 6.5, (0, 5))
    size.curve("NP, known", known | dots, "NP, direction known", 3.6, (6, 2))
    size.curve("CDP", causal | dots, "CDP", 4.0, (-10, -6), ha="center")
    size.curve("DDP", mixed | dots, "DDP", 2.0, (-15, -2), ha="center")
    hint.curve("NP", hidden, "NP", 0.75, (6, 5))
    hint.curve("CDP", causal, "CDP", 0.75, (6, -6))
