"""What e^ε becomes when the attacker learns more: a lattice with, and one without the criterion."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, VERMILION
from pkdp.partial_knowledge.normalization import Normalization
from pkdp.worlds.constructors import hidden_parameter
from pkdp.worlds.definitions import Ratio, np_ratio
from pkdp.worlds.mechanisms import Mechanism, OutputLaw, post_process, total
from pkdp.worlds.world import World

TITLE = "Who knows more is stronger, where the criterion holds"
ALT = (
    "The eight sets of known parameters φ₁, φ₂, φ₃ in a lattice, from nothing at the bottom to all "
    "at the top, each with its e^ε for the vote D(1). It is 3.24 at the bottom, between 3.30 and "
    "3.40 in the second row, between 3.39 and 3.50 in the third and 3.59 at the top; along each "
    "of the twelve edges it rises.",
    "The eight sets of µ, D(1), D(2) in the same lattice, each with its e^ε for the record D(0). "
    "It is 4.95 at the bottom, 2.36 with µ, 3.00 with D(1) or D(2), and between 2.38 and 2.40 "
    "above. Along the seven edges that leave nothing, D(1) or D(2) alone it falls, dashed; along "
    "the four between sets with µ it rises, and along the last it stays.",
)
PANEL_SIZE = (3.4, 3.3)

HALF = Fraction(1, 2)
# Of a Yes from the first voter of each pair, that of the target first; and that both agree.
RATES = (HALF, HALF, Fraction(1, 4), Fraction(1, 10))
AGREE = Fraction(3, 4)
# That a record is what the hidden parameter is.
CLOSE = Fraction(9, 10)


def noisy(most: int, alpha: Fraction = HALF) -> Mechanism:
    """Return a noisy tally: k of 0…most has a probability in proportion to alpha^|k - tally|.

    It is the exponential mechanism, and ε-differentially private with e^ε less than alpha⁻².

    Examples
    --------
    >>> {output: str(mass) for output, mass in noisy(2)((0, 1)).items()}
    {0: '1/4', 1: '1/2', 2: '1/4'}
    """

    def blurred(tally: int) -> OutputLaw:
        weights = {output: alpha ** abs(output - tally) for output in range(most + 1)}
        return {output: weight / sum(weights.values()) for output, weight in weights.items()}

    return post_process(total, blurred)


def referendum(rates: Sequence[Fraction] = RATES, agree: Fraction = AGREE) -> Normalization:
    """Return the first normalization of Example 6: one parameter for each pair of voters.

    Examples
    --------
    >>> referendum().is_acceptable(1, knowledge=[2])
    True
    """
    votes = list(product((0, 1), repeat=2))
    pairs = [
        {(a, b): (rate if a else 1 - rate) * (agree if a == b else 1 - agree) for a, b in votes}
        for rate in rates
    ]
    return Normalization(pairs, lambda *values: tuple(vote for pair in values for vote in pair))


def opinion(known: Sequence[str]) -> World:
    """Return three records that are mostly equal to a fair bit µ; `known` is of µ, D(1), D(2).

    Examples
    --------
    >>> opinion(["µ", "D(1)"]).knowledge
    ((0, (0,)), (0, (1,)), (1, (0,)), (1, (1,)))
    """
    return hidden_parameter(
        {0: HALF, 1: HALF},
        lambda centre: {centre: CLOSE, 1 - centre: 1 - CLOSE},
        n=3,
        knowledge=[int(name[2]) for name in known if name != "µ"],
        reveal="µ" in known,
    )


def data() -> Blocks:
    """Yield e^ε at each node, and at both ends of each edge.

    Yields
    ------
    Table
        Columns ``panel`` (``pairs``, ``hidden``), ``series`` (``node``, ``edge``), ``known`` (the
        names, separated by spaces), ``x``, ``y``, ``to x``, ``to y`` (the upper end of an edge) and
        ``ratio``, ``to ratio`` (e^ε at both ends).
    """
    normalization = referendum()
    votes, records = noisy(8), noisy(3)
    parameters, others = ("φ₁", "φ₂", "φ₃"), ("µ", "D(1)", "D(2)")

    def of_pairs(known: tuple[str, ...]) -> Ratio:
        world = normalization.world([parameters.index(name) + 1 for name in known])
        return np_ratio(world, votes, targets=[1])

    def of_records(known: tuple[str, ...]) -> Ratio:
        return np_ratio(opinion(known), records, targets=[0])

    yield from _lattice("pairs", parameters, of_pairs)
    yield from _lattice("hidden", others, of_records)


def _lattice(
    panel: str, names: tuple[str, ...], ratio: Callable[[tuple[str, ...]], Ratio]
) -> Blocks:
    places: dict[tuple[str, ...], tuple[float, float]] = {}
    for size in range(len(names) + 1):
        level = list(combinations(names, size))
        for k, known in enumerate(level):
            places[known] = (k - (len(level) - 1) / 2, float(size))
    ratios = {known: float(ratio(known)) for known in places}
    for low, (x, y) in places.items():
        above = [high for high in places if len(high) == len(low) + 1 and {*low} <= {*high}]
        for high in (low, *above):
            to_x, to_y = places[high]
            ends = {"to x": to_x, "to y": to_y, "ratio": ratios[low], "to ratio": ratios[high]}
            kind = "node" if high == low else "edge"
            name = " ".join(low) or "nothing"
            yield block(panel=panel, series=kind, known=name, x=x, y=y, **ends)


def draw(axes: Panels) -> None:
    """Draw both lattices: edges along which e^ε falls are dashed."""
    for panel in panels(axes, "With the criterion", "Without"):
        panel.set(xlim=(-1.55, 1.55), ylim=(-0.35, 3.35))
        panel.set_axis_off()
        for row in panel.records("edge"):
            falls = row["to ratio"] < row["ratio"]
            start, end = (row["x"], row["y"]), (row["to x"], row["to y"])
            panel.link(start, end, VERMILION if falls else BLUE, dashed=falls, gap=17)
        for row in panel.records("node"):
            for text, lift, size in ((f"{row['ratio']:.2f}", 5, 10), (row["known"], -6, 8)):
                label = panel.note(text, (row["x"], row["y"]), (0, lift), va="center")
                label.set_fontsize(size)
