"""What values of δ cost, by algorithm and by the number of records."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, INK, PURPLE, VERMILION, line
from pkdp.figures.reference import timings

TITLE = "What answers cost"
ALT = (
    "Milliseconds for a value of δ of a count against the number of records, on logarithmic "
    "scales. Equal records and the worst case are flat up to ten billion; the blanket and the tail "
    "are flat up to a million and then rise as the square root; a first value of different records "
    "rises in proportion to their number, and one more value much less.",
    "The same for certified values. One count and the worst case are flat up to ten billion; the "
    "blanket rises about as the square root.",
    "The same for thresholds and noise. Noise in the worst case stays flat; a threshold and "
    "k-anonymity rise as the square root from ten million records on, and the passive attacker "
    "costs several times as much. A count with noise is the cheapest and rises alike.",
    "The same for the other papers. A Markov chain and a sum of equal blocks rise more slowly "
    "than the square root, databases of three kinds nearly in proportion to their number; days "
    "that are composed rise slowly.",
)
PANEL_SIZE = (3.3, 2.9)

# Algorithms by panel: the label at the end of each curve, and how many points above it. The size is
# a number of records, or what is said.
ENGINES = {
    "counts": {
        "exact, equal": ("equal records", 0.0),
        "exact, different, first value": ("different records", 0.0),
        "exact, different, one more": ("one more value", -7.0),
        "worst case": ("worst case", -5.0),
        "blanket": ("blanket", 10.0),
        "tail": ("tail", 2.0),
    },
    "certified": {
        "exact, certified": ("one count", 0.0),
        "worst case, certified": ("worst case", 0.0),
        "blanket, certified": ("blanket", 12.0),
    },
    "thresholds and noise": {
        "threshold, worst case": ("threshold,\nworst case", 0.0),
        "threshold, passive": ("threshold,\npassive", 5.0),
        "geometric noise": ("noise", 8.0),
        "geometric noise, worst case": ("noise,\nworst case", -8.0),
        "k-anonymity, corrected": ("k-anonymity", 1.0),
    },
    "other papers": {
        "chain, causal": ("Markov chain", 5.0),
        "sum of equal blocks": ("sum of equal blocks", -5.0),
        "many databases, three kinds": ("databases of three kinds", 0.0),
        "days composed, upper": ("days, composed", -8.0),
    },
}

_STYLES = (
    line(BLUE),
    line(VERMILION, DASHED, 1.7),
    line(GREEN, DOTTED),
    line(PURPLE, (0, (6, 1.5, 1, 1.5)), 1.7),
    line(INK, width=1.0),
    line(INK, (0, (3, 1.5)), 1.0),
)


def data() -> Blocks:
    """Yield the stored times of every algorithm but those for worlds.

    Yields
    ------
    Table
        Columns ``panel``, ``engine``, both numbers from 0, ``size`` and ``milliseconds``.
    """
    for panel, group in enumerate(ENGINES.values()):
        for engine, name in enumerate(group):
            found = timings.growth(name)
            milliseconds = 1e3 * np.array([*found.values()])
            yield block(panel=panel, engine=engine, size=[*found], milliseconds=milliseconds)


def draw(axes: Panels) -> None:
    """Draw what each algorithm takes, and how a square root rises."""
    least, most = 1e-2, 1e4
    titles = (name.capitalize() for name in ENGINES)
    for panel, group in zip(panels(axes, *titles), ENGINES.values(), strict=True):
        largest = panel.data["size"].max()
        panel.log_x("number of records", (1, largest), powers(0, 3, 6, 9))
        panel.set_xlim(1, largest)
        panel.log_y("milliseconds", (least, most), powers(-2, 0, 2, 4))
        root = block(x=[1, largest], y=[least, least * largest**0.5])
        panel.curve(root, line(INK, width=0.8), "as √n", 100, (4, -4))
        for engine, (text, lift) in enumerate(group.values()):
            curve = panel.rows_of("size", "milliseconds", engine=engine)
            panel.curve(curve, _STYLES[engine])
            panel.end(curve, text, _STYLES[engine]["color"], lift)
    axes[-1].set_xlabel("number of records, databases or days")
