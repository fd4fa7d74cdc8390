"""Households that answer alike: what the tally reveals if a crowd is not made of single people."""

import functools

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, BOUND, PRINTED, PURPLE, line
from pkdp.partial_knowledge import counting, dependence

TITLE = "Households that answer alike"
ALT = (
    "ε at δ = 10⁻⁶ for a target who lives alone, against the number of the 1,000 others who live "
    "alone, from 4 to 1,000, both axes logarithmic. The dotted line, ε = 0.483, takes all for "
    "independent. If the rest live in pairs (solid), ε falls from there to 0.361 at 40 singles, "
    "and then rises to 1.6 at 4; if they live in threes, it falls to 0.311 at 52 and rises to "
    "3.6. The dashed bound that counts only the singles rises from 0.483 to 2.7 at 132, and "
    "below that no ε is enough.",
    "ε at δ = 10⁻⁶ against the share of the others who live in households, from 0 to 1, when the "
    "target's own household answers alike, too. In pairs ε falls from 1.02 to 0.76, in threes from "
    "1.60 to 1.02. The dotted line of the independent, 0.483, lies below both all the way.",
)

OTHERS, P, DELTA = 1000, 0.1, 1e-6
FEWEST = 4  # singles on the first panel
_NAMES = {2: "pairs", 3: "threes"}


def data() -> Blocks:
    """Yield ε against the number of singles, and against the share of those in households.

    Yields
    ------
    Table
        Columns ``panel`` (``alone``, ``own household``), ``series`` (``pairs``, ``threes``,
        ``singles only``, ``independent``), ``x`` (singles; share) and ``y`` (ε).
    """
    independent = counting.exact([P], multiplicities=[OTHERS]).epsilon(DELTA)
    # No ε is enough if all of the singles may agree with the target.
    fewest = int(np.ceil(np.log(DELTA) / np.log1p(-P)))
    enough = np.array([fewest, *(n for n in _singles(1) if n > fewest)])
    bound = [counting.worst_case(int(n) + 1, P).epsilon(DELTA) for n in enough]
    alone, own = (functools.partial(block, panel=name) for name in ("alone", "own household"))
    yield alone(series="singles only", x=enough.astype(float), y=bound)
    for size, name in _NAMES.items():
        singles = _singles(size)
        groups = [(n, (OTHERS - n) // size) for n in singles]
        eps = [dependence.households(*group, size=size, p=P).epsilon(DELTA) for group in groups]
        yield alone(series=name, x=np.array(singles, float), y=eps)
    yield alone(series="independent", x=np.array([FEWEST, OTHERS], float), y=independent)

    shares = np.linspace(0, 1, 21)
    yield own(series="independent", x=shares, y=independent)
    for size, name in _NAMES.items():
        households = [round(share * OTHERS / size) for share in shares]
        rest = [max(OTHERS - number * size, 0) for number in households]
        eps = [
            dependence.households(n, number, size=size, p=P, own=size).epsilon(DELTA)
            for n, number in zip(rest, households, strict=True)
        ]
        yield own(series=name, x=1 - np.array(rest) / OTHERS, y=eps)


def _singles(size: int) -> list[int]:
    """Numbers of singles whose rest is made of whole households, closer together at the start."""
    possible = [n for n in range(FEWEST, OTHERS + 1) if (OTHERS - n) % size == 0]
    wanted = np.geomspace(FEWEST, OTHERS, 44).tolist()
    return sorted({min(possible, key=lambda n: abs(n - near)) for near in wanted})


def draw(axes: Panels) -> None:
    """Draw the target who lives alone on the first panel, its own household on the second."""
    alone, own = panels(axes, "A target who lives alone", "A target whose household agrees")
    marks = {4: "4", 10: "10", 100: "100", 1000: "1000"}
    alone.log_x("others who live alone, of 1,000", (FEWEST, OTHERS), marks)
    alone.log_y("ε", (0.22, 6), [0.3, 1, 3])
    own.x("share of the others in households", (0, 1))
    own.y("ε", (0, 1.8), [0, 0.5, 1, 1.5], digits=1)
    alone.curve("pairs", line(BLUE), "pairs", 9, (-6, -6))
    alone.curve("threes", line(PURPLE), "threes", 11, (7, 2))
    alone.curve("singles only", BOUND, "only singles\ncounted", 190, (-6, 0), va="center")
    alone.curve("independent", PRINTED, "if all were independent", 30, (0, 3), ha="left")
    own.curve("pairs", line(BLUE), "a pair, among pairs", 0.4, (2, 4))
    own.curve("threes", line(PURPLE), "a household of three,\namong threes", 0.4, (2, 4))
    own.curve("independent", PRINTED, "if all were independent", 0.4, (2, 4))
