"""Proposition 1 in a picture: causal privacy against its inference-based form."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product

from pkdp.figures._drawing import Blocks, Panels, block
from pkdp.figures._palette import BLUE, INK, PURPLE, VERMILION, Style
from pkdp.worlds.constructors import copied
from pkdp.worlds.definitions import cdp_ratio, ibcdp_ratio
from pkdp.worlds.enumeration import make_table, random_world
from pkdp.worlds.mechanisms import Mechanism
from pkdp.worlds.world import World

TITLE = "Causal privacy and what it says about inference"
ALT = (
    "The ε of inference-based causal privacy against that of causal privacy, both from 0 to 4, one "
    "point a world. 60 random worlds of two bits lie between the lines of slope ½ and 1; 60 "
    "random worlds of two records with three values lie about there too, some above slope 1. "
    "A row of squares sits on the line of slope ½ from 0.45 to 3.89. A row of diamonds keeps close "
    "to the line of slope 2 and falls a little behind, to 3.46 at 1.95. A third row, of crosses, "
    "lies on the bottom at 0: there the condition is missing.",
)
PANEL_SIZE = (3.8, 3.6)

SEED, WORLDS = 4, 60
RATIOS = tuple(Fraction(k, 4) for k in (5, 6, 7, 8, 10, 12, 16, 20, 24, 28))
RARE = Fraction(1, 100)
MOST = 4.0


def attained(E: Fraction) -> tuple[World, Mechanism]:
    """Return a bit and a mechanism with e^ε = E for inferences and E² for causes."""
    rare = 1 / (1 + E)
    low = 1 / (2 * E * E)
    world = World({((0,), ()): 1 - rare, ((1,), ()): rare})
    return world, make_table(
        {(0,): {"t": low, "s": 1 - low}, (1,): {"t": Fraction(1, 2), "s": Fraction(1, 2)}}
    )


def approached(E: Fraction, rare: Fraction) -> tuple[World, Mechanism]:
    """Return duplicates of three values, two of them rare, with e^ε = E for causes.

    For inferences it is ``E/(rare·E + (1 - 2·rare)/E + rare)``, near E².
    """
    world = copied({"a": rare, "b": rare, "c": 1 - 2 * rare}, groups=1)
    base = 1 / (2 * E)
    chances = {frozenset("ab"): E * base, frozenset("bc"): base / E}

    def mechanism(database: tuple[str, ...]) -> dict[str, Fraction]:
        t = chances.get(frozenset(database), base)
        return {"t": t, "s": 1 - t}

    return world, mechanism


def unconditional(E: Fraction) -> tuple[World, Mechanism]:
    """Return triplicates and a mechanism with e^ε = 1 for inferences and E for causes.

    It tells the majority, and how three equal records differ from others by a coin of another bias.
    """
    world = copied({0: Fraction(1, 2), 1: Fraction(1, 2)}, groups=1, copies=3)

    def mechanism(database: tuple[int, ...]) -> dict[tuple[int, str], Fraction]:
        winner = int(sum(database) > 1)
        head = Fraction(1, 2) if len(set(database)) > 1 else 1 / (2 * E)
        return {(winner, "t"): head, (winner, "s"): 1 - head}

    return world, mechanism


def _random(records: tuple[int, ...], source: random.Random) -> Iterator[tuple[World, Mechanism]]:
    """Yield random worlds of two records, and mechanisms that can always say one or the other."""
    databases = list(product(records, repeat=2))
    while True:
        world = random_world(source, 2, records)
        chances = {d: Fraction(source.randint(1, 40), 41) for d in databases}
        pair = world, make_table({d: {"t": t, "s": 1 - t} for d, t in chances.items()})
        varied = min(len(world.law_of(i)) for i in (0, 1)) == len(records)
        if varied and math.log(cdp_ratio(*pair)) < MOST:
            yield pair


def data() -> Blocks:
    """Yield both ε for random worlds and for three families.

    Yields
    ------
    Table
        Columns ``series`` (``two values``, ``three values``, ``attained``, ``approached``,
        ``no condition``), ``x`` (ε of causal privacy) and ``y`` (of its inference-based form).
    """
    source = random.Random(SEED)
    pairs = {
        "two values": list(islice(_random((0, 1), source), WORLDS)),
        "three values": list(islice(_random((0, 1, 2), source), WORLDS)),
        "attained": [attained(E) for E in RATIOS],
        "approached": [approached(E, RARE) for E in RATIOS],
        "no condition": [unconditional(E) for E in RATIOS],
    }
    for series, worlds in pairs.items():
        x = [math.log(cdp_ratio(*pair)) for pair in worlds]
        y = [math.log(ibcdp_ratio(*pair)) for pair in worlds]
        yield block(series=series, x=x, y=y)


def draw(axes: Panels) -> None:
    """Draw one point for each world, and the lines between which Proposition 1 puts them."""
    (panel,) = axes
    for slope in (0.5, 1.0, 2.0):
        ends, dashes = (0.0, MOST), (0, (4, 2))
        heights = [slope * end for end in ends]
        panel.plot(ends, heights, color=INK, linewidth=0.8, linestyle=dashes, alpha=0.7)
    panel.set_title("One world, one point")
    panel.x("ε of CDP", (0, 4), range(5))
    panel.y("ε of IBCDP", (0, 4), range(5))
    points: Style = {"linestyle": "", "markeredgewidth": 0.8, "clip_on": False}
    for series, color, marker, size, alpha, text, x, y in (
        ("two values", BLUE, "o", 2.6, 0.55, "two values", 3.2, 2.22),
        ("three values", PURPLE, "^", 2.8, 0.55, "three values", 2.15, 3.02),
        ("attained", BLUE, "s", 4.5, 1.0, "slope ½ is attained", 2.75, 1.12),
        ("approached", PURPLE, "D", 4.0, 1.0, "slope 2 is\napproached", 0.42, 2.6),
        ("no condition", VERMILION, "x", 5.0, 1.0, "without the condition", 2.1, 0.12),
    ):
        look = {"color": color, "marker": marker, "markersize": size, "alpha": alpha}
        panel.curve(series, points | look)
        panel.text(x, y, text, color=color)
