"""Four notions of privacy of the same sum: for pairs that agree, and with a shared coin."""

import math
from itertools import product

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, PURPLE, VERMILION, line
from pkdp.noiseless import noiseless_privacy
from pkdp.noiseless.noiseless_privacy import GroupLaw

TITLE = "Four notions of the same sum"
ALT = (
    "δ, on a logarithmic axis, at ε = ln 1.5 against the probability c, from 0 to 1, with which two"
    " bits of a pair agree, for the sum of four pairs. Conditional rises from 0 at c = 0 through "
    "0.16 at ½ to 0.31 at 1. Causal and Definition 3 fall from 1 at c = 0 to 0.13 and 0.10 at ¾ "
    "and rise to 1 at c = 1; Definition 3 is a little lower. Replacement is lower than both: ½ at "
    "c = 0, 0.05 from 0.4 to 0.8, and ½ at 1. Conditional and causal cross at c = ½.",
    "δ, on a logarithmic axis, at ε = ln 1.5 against n from 2 to 12, for the sum of n bits that "
    "follow a shared coin in three cases of four. Conditional falls from 0.63 to 0.40 and stays "
    "above a thin line at 0.375. Causal falls from 0.63 to 0.12, Definition 3 from 0.31 to 0.09, "
    "replacement from 0.31 to 0.05.",
)
PANEL_SIZE = (3.3, 2.9)

RATIO = 1.5
PAIRS = 4
AGREE = np.linspace(0.0, 1.0, 101)
FOLLOW = 0.75
SIZES = tuple(range(2, 13))

_NOTIONS = {
    "definition 3": (noiseless_privacy.add_or_remove, line(BLUE)),
    "replacement": (noiseless_privacy.replace, line(GREEN, DASHED, 1.7)),
    "conditional": (noiseless_privacy.conditional, line(VERMILION)),
    "causal": (noiseless_privacy.causal, line(PURPLE, DOTTED, 2.0)),
}


def pair(agree: float) -> GroupLaw:
    """Return the law of two fair bits that agree with a probability."""
    alike, unlike = agree / 2, (1 - agree) / 2
    return {(0, 0): alike, (1, 1): alike, (0, 1): unlike, (1, 0): unlike}


def followers(n: int) -> GroupLaw:
    """Return the law of n bits, each of which is as a shared fair coin in three cases of four."""
    # That k certain bits, and no others, are as the coin.
    chances = [FOLLOW**k * (1 - FOLLOW) ** (n - k) for k in range(n + 1)]
    return {x: (chances[sum(x)] + chances[n - sum(x)]) / 2 for x in product((0, 1), repeat=n)}


def data() -> Blocks:
    """Yield δ of each notion.

    Yields
    ------
    Table
        Columns ``panel`` (``pairs``, ``coin``), ``series`` (``definition 3``, ``replacement``,
        ``conditional``, ``causal``), ``x`` (how often two bits agree; n) and ``y`` (δ).
    """
    eps = math.log(RATIO)
    for panel, x, worlds in (
        ("pairs", AGREE, [(pair(float(c)), PAIRS) for c in AGREE]),
        ("coin", np.array(SIZES, dtype=float), [(followers(n), 1) for n in SIZES]),
    ):
        deltas = {
            name: [notion([world], (0, 0)).delta(eps) for world in worlds]
            for name, (notion, _) in _NOTIONS.items()
        }
        yield curves(x, deltas, panel=panel)


def draw(axes: Panels) -> None:
    """Draw pairs, then followers of a coin."""
    pairs, coin = panels(axes, "Pairs that agree", "A shared coin")
    for panel in axes:
        panel.log_y("δ at $e^ε$ = 1.5", (0.02, 1.15), [0.03, 0.1, 0.3, 1])
    quarters = {0: "0", 0.25: "¼", 0.5: "½", 0.75: "¾", 1: "1"}
    pairs.x("how often the two agree, c", (0, 1), quarters)
    coin.x("n", (SIZES[0], SIZES[-1]), SIZES[::2])
    coin.axhline(FOLLOW - RATIO * (1 - FOLLOW), color=VERMILION, linewidth=0.7)
    for panel, series, text, at, offset in (
        (pairs, "definition 3", "Definition 3", 0.62, (-2, -4)),
        (pairs, "replacement", "replacement", 0.5, (0, -4)),
        (pairs, "conditional", "conditional", 0.7, (-4, 3)),
        (pairs, "causal", "causal", 0.2, (4, 3)),
        (coin, "definition 3", "Def. 3", 5.6, (2, 3)),
        (coin, "replacement", "replacement", 6.5, (-3, -4)),
        (coin, "conditional", "conditional", 6, (4, 3)),
        (coin, "causal", "causal", 8, (4, 3)),
    ):
        panel.curve(series, _NOTIONS[series][1], text, at, offset)
