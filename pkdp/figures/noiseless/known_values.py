"""What known values do: among records that depend on each other, and among three that do not."""

import math

import numpy as np
from numpy.typing import NDArray

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, VERMILION, line
from pkdp.noiseless import noiseless_privacy, sums
from pkdp.partial_knowledge import counting

TITLE = "What an attacker gains who knows some of the values"
ALT = (
    "δ at ε = 0.5 against the probability c that the bits of a pair agree, for ten pairs beside "
    "the target. Who knows one bit of each pair has 0.094 at c = ½, as ten fair bits would leave "
    "her (a flat line), but 0.16 at ¼ and ¾, 0.36 at 0.9 and 1 at both ends. Who knows nothing has "
    "1 at c = 0, 0.037 at ½, a least 0.018 at 0.84, and 1 at c = 1.",
    "δ of Definition 3 against ε from 0 to 1.5 for a target of ¼ and one of two other bits. If the "
    "other bit that is left is ¾, since she knows the fair one, δ falls from 0.63 through 0.5 at "
    "0.5 and 0.375 at 0.85 to 0.19 from 1.2 on. If it is ½, δ falls from 0.5 to 0.375 at 0.7 and "
    "stays there.",
)
PANEL_SIZE = (3.3, 2.9)

PAIRS, EPS = 10, 0.5
AGREE = np.unique(
    np.concatenate([np.linspace(0.0, 1.0, 51), np.linspace(0.9, 1.0, 21), np.linspace(0, 0.1, 21)])
)
# Where the curves of three bits have corners.
CORNERS = np.log([4 / 3, 3 / 2, 2.0, 9 / 4, 3.0, 10 / 3])
GRID = np.unique(np.concatenate([np.linspace(0.0, 1.5, 61), CORNERS]))
TARGET, SURE, FAIR = 0.25, 0.75, 0.5


def data() -> Blocks:
    """Yield δ against c for ten pairs, and against ε for three bits.

    Yields
    ------
    Table
        Columns ``panel`` (``pairs``, ``three``), ``series`` (``nothing known``, ``one of each``,
        ``ten fewer``; ``most uncertain``, ``other``, the record that is known), ``x`` (c, or ε)
        and ``y`` (δ).
    """
    pairs = {
        "nothing known": [_of_pairs(c) for c in AGREE.tolist()],
        "one of each": [_of_known(c) for c in AGREE.tolist()],
        "ten fewer": [counting.exact([0.5] * PAIRS).delta(EPS)] * AGREE.size,
    }
    three = {"most uncertain": _left(SURE), "other": _left(FAIR)}
    yield curves(AGREE, pairs, panel="pairs")
    yield curves(GRID, three, panel="three")


def _of_pairs(c: float) -> float:
    """Return δ if the attacker knows nothing: S + 1 and S, S the sum of the pairs."""
    pair = {0: c / 2, 1: 1.0 - c, 2: c / 2}
    return float(sums.pair([(pair, PAIRS)], 1).profile().delta(EPS))


def _of_known(c: float) -> float:
    """Return the largest δ over the values that one record of each pair may have."""
    laws = ([c] * ones + [1.0 - c] * (PAIRS - ones) for ones in range(PAIRS + 1))
    return max(float(counting.exact(law).delta(EPS)) for law in laws)


def _left(other: float) -> NDArray[np.float64]:
    bits: list[noiseless_privacy.GroupLaw] = [{(1,): p, (0,): 1.0 - p} for p in (TARGET, other)]
    return np.asarray(noiseless_privacy.add_or_remove(bits, (0, 0)).delta(GRID))


def draw(axes: Panels) -> None:
    """Draw the ten pairs, and the three bits."""
    pairs, three = panels(axes, "Ten pairs", "Three bits")
    fewer, known = line(BLUE, DASHED, 1.6), line(VERMILION)
    quarters = {0: "0", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
    pairs.x("c, how often a pair agrees", (0, 1), quarters)
    pairs.log_y("δ at ε = 0.5", (0.01, 1.3), powers(-2, -1, 0))
    pairs.curve("ten fewer", fewer, "ten records fewer", 0.64, (0, -3))
    pairs.curve("one of each", known, "knows one of each pair", 0.5, (0, 32))
    pairs.curve("nothing known", line(GREEN, DOTTED), "knows nothing", 0.62, (-4, -4))
    three.x("ε", (0, 1.5), {0: "0", 0.5: "0.5", 1: "1", math.log(3): "ln 3", 1.5: "1.5"})
    three.y("δ", (0, 0.7))
    three.curve("most uncertain", fewer, "knows the fair bit", 0.42, (5, 3))
    three.curve("other", known, "knows the bit of ¾", 1.18, (0, 4))
