"""Example 6: e^ε of a noisy tally under both normalizations, against how often a pair agrees."""

from fractions import Fraction

from pkdp.figures._drawing import Blocks, Panels, block
from pkdp.figures._palette import BLUE, BOUND, INK, PURPLE, SPARSE, VERMILION, line
from pkdp.figures.partial_knowledge.lattice import noisy, referendum
from pkdp.worlds.constructors import correlated_pairs
from pkdp.worlds.definitions import np_ratio
from pkdp.worlds.mechanisms import Database

TITLE = "Example 6: from one voter to two"
ALT = (
    "e^ε of the noisy tally of two pairs of voters against the probability that a pair agrees, "
    "from one half to 1. For the vote D(1), when the other pair is known, it rises from 2.34 to "
    "5.16; when nothing is known it stays a little below, from 2.20 to 4.96. For both votes of the "
    "pair as one secret it is 5.16 throughout. For whether the pair agrees it is 2.45 throughout "
    "when all other votes are known, and 1.90 when D(0) is not.",
)
PANEL_SIZE = (3.8, 3.0)

# Of a Yes from the first voter of each pair.
RATES = (Fraction(1, 2), Fraction(1, 4))
AGREES = tuple(Fraction(k, 40) for k in range(20, 41))


def agrees(database: Database) -> bool:
    """Say whether the first two voters agree: the secret of the second normalization.

    Examples
    --------
    >>> agrees((1, 1, 0, 1))
    True
    """
    return bool(database[0] == database[1])


def data() -> Blocks:
    """Yield e^ε against the probability that a pair agrees.

    Yields
    ------
    Table
        Columns ``series`` (``nothing`` and ``known`` for the vote D(1), ``both`` for both votes as
        one secret, ``agree`` and ``agree, D(0) hidden`` for whether they agree), ``x`` (the
        probability that a pair agrees) and ``y`` (e^ε). Where a pair always agrees, that is no
        secret, and no row.
    """
    votes = noisy(2 * len(RATES))
    first = [referendum(RATES, agree) for agree in AGREES]
    second = [correlated_pairs(RATES, agree) for agree in AGREES if agree < 1]
    ratios = {
        "both": [np_ratio(one.world([1]), votes, [lambda votes: votes[:2]]) for one in first],
        "known": [np_ratio(one.world([1]), votes, [1]) for one in first],
        "nothing": [np_ratio(one.world(), votes, [1]) for one in first],
        "agree": [np_ratio(one.knowing([0, 2, 3]), votes, [agrees]) for one in second],
        "agree, D(0) hidden": [np_ratio(one.knowing([2, 3]), votes, [agrees]) for one in second],
    }
    x = [float(agree) for agree in AGREES]
    yield from (block(series=name, x=x[: len(y)], y=[*map(float, y)]) for name, y in ratios.items())


def draw(axes: Panels) -> None:
    """Draw e^ε of each secret; the axis starts at 1, where the output says nothing."""
    (panel,) = axes
    panel.x("probability that a pair agrees", (0.5, 1))
    panel.y("$e^ε$", (1, 5.7))
    mixed = line(PURPLE, (0, (7, 1.2, 1.2, 1.2)), 1.6)
    for series, style, text, at, offset in (
        ("both", BOUND, "both votes as one secret", 0.52, (0, 4)),
        ("known", line(BLUE, width=1.6), "D(1), the other pair known", 0.52, (0, 44)),
        ("nothing", line(INK, SPARSE, 1.6), "D(1), nothing known", 0.8, (8, -14)),
        ("agree", line(VERMILION, width=1.6), "whether they agree, D(0) known", 0.68, (0, -13)),
        ("agree, D(0) hidden", mixed, "whether they agree, D(0) not known", 0.52, (0, -13)),
    ):
        panel.curve(series, style, text, at, offset, ha="left", va="bottom")
