"""Four notions of privacy of the same sum: for pairs that agree, and with a shared coin."""

import math
from itertools import product

import numpy as np

from pkdp.figures._drawing import Panels, draw_curve, log_axes
from pkdp.figures._palette import BLUE, GREEN, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, curves, select, stack
from pkdp.noiseless import notions
from pkdp.noiseless.notions import GroupLaw

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
    "definition 3": notions.add_or_remove,
    "replacement": notions.replace,
    "conditional": notions.conditional,
    "causal": notions.causal,
}
_STYLES: dict[str, Style] = {
    "definition 3": {"color": BLUE, "linestyle": "-", "linewidth": 1.9},
    "replacement": {"color": GREEN, "linestyle": (0, (5, 1.6)), "linewidth": 1.7},
    "conditional": {"color": VERMILION, "linestyle": "-", "linewidth": 1.9},
    "causal": {"color": PURPLE, "linestyle": (0, (1.2, 1.4)), "linewidth": 2.0},
}


def pair(agree: float) -> GroupLaw:
    """Return the law of two fair bits that agree with a probability."""
    alike, unlike = agree / 2, (1 - agree) / 2
    return {(0, 0): alike, (1, 1): alike, (0, 1): unlike, (1, 0): unlike}


def followers(n: int) -> GroupLaw:
    """Return the law of n bits, each of which is as a shared fair coin in three cases of four."""
    law = {}
    for x in product((0, 1), repeat=n):
        ones = sum(x)
        heads = FOLLOW**ones * (1 - FOLLOW) ** (n - ones)
        tails = FOLLOW ** (n - ones) * (1 - FOLLOW) ** ones
        law[x] = (heads + tails) / 2
    return law


def data() -> Table:
    """Return δ of each notion.

    Returns
    -------
    Table
        Columns ``panel`` (``pairs``, ``coin``), ``series`` (``definition 3``, ``replacement``,
        ``conditional``, ``causal``), ``x`` (how often two bits agree; n) and ``y`` (δ).
    """
    eps = math.log(RATIO)
    of_pairs, of_coin = (
        {
            name: [notion([(group, count)], (0, 0)).delta(eps) for group, count in worlds]
            for name, notion in _NOTIONS.items()
        }
        for worlds in (
            [(pair(float(c)), PAIRS) for c in AGREE],
            [(followers(n), 1) for n in SIZES],
        )
    )
    return stack(
        curves(AGREE, of_pairs, panel="pairs"),
        curves(np.array(SIZES, dtype=float), of_coin, panel="coin"),
    )


def draw(axes: Panels, data: Table) -> None:
    """Draw pairs, then followers of a coin."""
    pairs, coin = axes
    for panel in axes:
        log_axes(panel, y=(0.02, 1.15))
        panel.set(ylabel="δ at $e^ε$ = 1.5")
        panel.set_yticks([0.03, 0.1, 0.3, 1], ["0.03", "0.1", "0.3", "1"])
    pairs.set(title="Pairs that agree", xlabel="how often the two agree, c", xlim=(0, 1))
    pairs.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    coin.set(title="A shared coin", xlabel="n", xlim=(SIZES[0], SIZES[-1]), xticks=SIZES[::2])
    floor = FOLLOW - RATIO * (1 - FOLLOW)
    coin.axhline(floor, color=VERMILION, linewidth=0.7)
    places = {
        "pairs": {
            "definition 3": ("Definition 3", 0.62, (-2, -4)),
            "replacement": ("replacement", 0.5, (0, -4)),
            "conditional": ("conditional", 0.7, (-4, 3)),
            "causal": ("causal", 0.2, (4, 3)),
        },
        "coin": {
            "definition 3": ("Def. 3", 5.6, (2, 3)),
            "replacement": ("replacement", 6.5, (-3, -4)),
            "conditional": ("conditional", 6, (4, 3)),
            "causal": ("causal", 8, (4, 3)),
        },
    }
    for name, panel in (("pairs", pairs), ("coin", coin)):
        for series, (text, at, offset) in places[name].items():
            curve = select(data, panel=name, series=series)
            draw_curve(panel, curve, _STYLES[series], text, at, offset)
