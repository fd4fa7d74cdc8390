"""Running times of answers, how they grow, and how long other packages take.

``make benchmark RECORD=1`` times everything three times over and stores the medians. Machines
differ, so that ratios say more than seconds do. Here the stored times are read.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pkdp import _checks, tables
from pkdp.figures._drawing import Blocks, Panels, Table, block, panels, tex_powers
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile

__all__ = [
    "COMPARISONS",
    "ENGINES",
    "compared",
    "gigabytes",
    "growth",
    "of_questions",
    "versions",
]

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
PANEL_SIZE = (4.2, 3.0)

PANELS = ("counts", "certified", "thresholds and noise", "other papers")

# Questions that other packages were asked, too.
COMPARISONS = (
    "δ, from nothing",
    "δ, one more",
    "ε, from nothing",
    "δ, different",
    "δ, different, tail",
)

# Algorithms by what they are about, with the label at the end of each curve, and how many points
# above it. The size is a number of records, or what is said.
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
        "blanket, certified": ("blanket", 0.0),
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
        "days composed, upper": ("days, composed", 0.0),
    },
    "worlds": {"world of bits, PPK": ("", 0.0)},
}

_TABLE = Path(__file__).with_name("timings.json")


@functools.cache
def _stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return found


def growth(engine: str) -> Mapping[int, float]:
    """Return the seconds that an algorithm takes at several sizes.

    Parameters
    ----------
    engine : str
        One of those in `ENGINES`.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> max(growth("worst case")) == 10**10
    True
    """
    known = [name for names in ENGINES.values() for name in names]
    found = _stored()["growth"][_checks.as_choice(engine, "engine", known)]
    return {int(size): float(seconds) for size, seconds in found.items()}


def of_questions(questions: Iterable[str], *, caption: str) -> tables.Table:
    """Return a table of how long answers take.

    Parameters
    ----------
    questions : iterable of str
        Names of what ``make benchmark`` times.
    caption : str
        Of the table.

    Raises
    ------
    ValueError
        If a question was not timed.

    Examples
    --------
    >>> of_questions(["worst_case, n = 10^9, epsilon"], caption="Counts").headings
    ('question', 'time (ms)')
    """
    known = _stored()["questions"]
    asked = [_checks.as_choice(question, "questions", tuple(known)) for question in questions]
    rows = [(name, _milliseconds(known[name])) for name in asked]
    return tables.of_rows(
        ["question", "time (ms)"], rows, formats={"time (ms)": ","}, caption=caption
    )


def compared(question: str, *, caption: str) -> tables.Table:
    """Return a table of who answers a question how fast, and how far from the truth.

    Parameters
    ----------
    question : str
        One of `COMPARISONS`. Those with "different" are about 10,000 records of probabilities 0.05
        to 0.5, in equal steps; the others about ten million of probability 0.3.
    caption : str
        Of the table.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> compared("δ, one more", caption="δ").headings
    ('who', 'answer', 'error', 'time (ms)', 'times as long')
    """
    found = _stored()["packages"][_checks.as_choice(question, "question", COMPARISONS)]
    true, (ours, _) = _truth(question), found["pkdp"]
    rows = []
    for package, (seconds, value) in found.items():
        error = f"{value / true - 1:.0e}" if abs(value / true - 1) > 1e-12 else "0"
        times = f"{_rounded(seconds / ours, 2):,}"
        rows.append((package, f"{value:.6g}", error, _milliseconds(seconds), times))
    headings = ["who", "answer", "error", "time (ms)", "times as long"]
    return tables.of_rows(headings, rows, formats={"time (ms)": ","}, caption=caption)


def _milliseconds(seconds: float) -> float:
    """Return milliseconds, rounded to three digits."""
    return _rounded(1e3 * seconds, 3)


def _rounded(value: float, digits: int) -> float:
    """Round to so many digits, to an integer if there are no more before the point."""
    places = digits - 1 - math.floor(math.log10(value))
    return round(value, places) if places > 0 else int(round(value, places))


@functools.cache
def _truth(question: str) -> float:
    if question == "δ, different":
        return _different().delta(0.06)
    if question == "δ, different, tail":
        return _different().delta(0.25)
    equal = counting.exact([0.3], multiplicities=[10**7])
    return equal.epsilon(1e-10) if question == "ε, from nothing" else equal.delta(2e-3)


@functools.cache
def _different() -> PrivacyProfile:
    return counting.exact(np.linspace(0.05, 0.5, 10**4))


def gigabytes() -> float:
    """Return how much memory an answer about ten million different records took, all in all.

    Examples
    --------
    >>> gigabytes() < 2
    True
    """
    return float(_stored()["memory"])


def versions() -> tables.Table:
    """Return a table of the packages that were timed, and on what.

    Examples
    --------
    >>> versions().headings
    ('package', 'version')
    """
    stored = _stored()
    caption = f"Timed on {stored['machine']}"
    return tables.of_rows(
        ["package", "version"], sorted(stored["versions"].items()), caption=caption
    )


def data() -> Blocks:
    """Yield the stored times of every algorithm but those for worlds.

    Yields
    ------
    Table
        Columns ``panel``, ``engine``, both numbers from 0, ``size`` and ``milliseconds``.
    """
    yield from (
        _times(panel, engine, name)
        for panel, group in enumerate(PANELS)
        for engine, name in enumerate(ENGINES[group])
    )


def _times(panel: int, engine: int, name: str) -> Table:
    found = growth(name)
    milliseconds = 1e3 * np.array([*found.values()])
    return block(panel=panel, engine=engine, size=[*found], milliseconds=milliseconds)


STYLES = (
    line(BLUE),
    line(VERMILION, DASHED, 1.7),
    line(GREEN, DOTTED),
    line(PURPLE, (0, (6, 1.5, 1, 1.5)), 1.7),
    line(INK, width=1.0),
    line(INK, (0, (3, 1.5)), 1.0),
)


def draw(axes: Panels) -> None:
    """Draw what each algorithm takes, and how a square root rises."""
    smallest, largest, least, most = 1.0, 1e10, 1e-2, 1e4
    for panel, group in zip(panels(axes, *PANELS), PANELS, strict=True):
        panel.log_x("number of records", (smallest, largest), tex_powers(0, 3, 6, 9))
        panel.log_y("", (least, most), tex_powers(-2, 0, 2, 4))
        root = [least, least * largest**0.5]
        panel.plot([smallest, largest], root, color=INK, linewidth=0.8, alpha=0.4)
        for engine, (text, lift) in enumerate(ENGINES[group].values()):
            curve = panel.rows_of("size", "milliseconds", engine=engine)
            panel.curve(curve, STYLES[engine])
            panel.end(curve, text, STYLES[engine]["color"], lift)
    axes[-1].set_xlabel("number of records, databases or days")
    for panel in axes[::2]:
        panel.set_ylabel("milliseconds")
    axes[1].note("as the square root", (1e4, 1.0), (4, -4))
