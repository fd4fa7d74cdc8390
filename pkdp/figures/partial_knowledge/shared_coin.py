"""Two mechanisms that share a coin: what they lose, and what adding up their losses says."""

from fractions import Fraction
from itertools import product

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BOUND, EXACT, PRINTED
from pkdp.partial_knowledge.composition import product_delta
from pkdp.worlds.constructors import bits
from pkdp.worlds.definitions import apk_delta
from pkdp.worlds.mechanisms import (
    Database,
    Mechanism,
    OutputLaw,
    compose,
    make_randomized_response,
)
from pkdp.worlds.world import World

TITLE = "Losses that are not dependent, and do not add up"
ALT = (
    "Three curves of δ against e^ε from 1 to 9: two mechanisms that both answer or both are "
    "silent. What they lose falls in a straight line from 0.25 at 1 to 0 at 9. Independent losses "
    "are at 0.375 at first, cross it at 2.14, are at half of it, 0.094, at 3, and stay at half of "
    "it up to 9. Theorem 6 is higher than both: 0.5 at 1, 0.25 at 3, and 0 at 9.",
    "The same for two of which exactly one answers; the lines of independent losses and of Theorem "
    "6 are as before. What they lose falls in a straight line from 0.5 at 1, where it is as high "
    "as Theorem 6, to 0 at 3, and crosses independent losses at 2.14.",
)

_ANSWER = make_randomized_response(Fraction(1, 2))
_LARGEST = 9


def world() -> World:
    """Return the secret, a fair bit, and a coin."""
    return bits([Fraction(1, 2)] * 2)


def answers_if(coin: int) -> Mechanism:
    """Return the mechanism that tells the secret, three times out of four, if the coin is so."""

    def mechanism(database: Database) -> OutputLaw:
        secret, fell = database
        return _ANSWER((secret,)) if fell == coin else {"silent": Fraction(1)}

    return mechanism


PAIRS = {
    "both or none": (answers_if(0), answers_if(0)),
    "exactly one": (answers_if(0), answers_if(1)),
}


def delta(pair: str, series: str, ratio: Fraction) -> Fraction:
    """Return δ at e^ε: of the pair, of independent losses, or Theorem 6 at its best split."""
    first, second = PAIRS[pair]
    if series == "together":
        return apk_delta(world(), compose(first, second), ratio, [0])
    if series == "independent":
        return product_delta(world(), [first, second], ratio, [0])
    # δ of each is (3 - E)/8, up to E = 3: the less, the further apart the factors of e^ε are.
    larger = min(ratio, Fraction(3))
    return apk_delta(world(), first, larger, [0]) + apk_delta(world(), second, ratio / larger, [0])


def data() -> Blocks:
    """Yield δ against e^ε.

    Yields
    ------
    Table
        Columns ``panel`` (``both or none``, ``exactly one``), ``series`` (``together``,
        ``independent``, ``theorem 6``), ``x`` (e^ε) and ``y``.
    """
    ratios = np.linspace(1.0, _LARGEST, 97)
    for pair, series in product(PAIRS, ("together", "independent", "theorem 6")):
        y = [float(delta(pair, series, Fraction(ratio))) for ratio in ratios]
        yield block(panel=pair, series=series, x=ratios, y=y)


def draw(axes: Panels) -> None:
    """Draw the two mechanisms that answer together, then those that take turns."""
    together, turns = panels(axes, "Both answer, or neither does", "Exactly one answers")
    for panel, at_both, offset, at_independent in (
        (together, 2.0, (-2, -4), 4.3),
        (turns, 2.6, (-4, -4), 4.4),
    ):
        panel.x("$e^ε$", (1, _LARGEST), [1, 3, 5, 7, 9])
        panel.y("δ", (0, 0.56))
        panel.curve("independent", PRINTED, "independent", at_independent, (0, -5))
        panel.curve("theorem 6", BOUND, "Theorem 6", 2.4, (6, 4))
        panel.curve("together", EXACT, "both", at_both, offset)
