"""How long answers take, how that grows with the question, and how long other packages take.

``make benchmark RECORD=1`` times everything three times over and stores it. Machines differ, so
that ratios within a run say more than seconds do. Here the stored times are read.
"""

from __future__ import annotations

import functools
import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkdp import _checks
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile
from pkdp.studies import tables

__all__ = [
    "COMPARISONS",
    "ENGINES",
    "Growth",
    "compared",
    "gigabytes",
    "growth",
    "of_questions",
    "ratios",
    "slopes",
    "versions",
]

# Questions that other packages were asked, too.
COMPARISONS = (
    "δ, from nothing",
    "δ, one more",
    "ε, from nothing",
    "δ, different",
    "δ, different, tail",
)

# Algorithms by what they are about. The size is a number of records, or what is said.
ENGINES = {
    "counts": (
        "exact, equal",
        "exact, different, first value",
        "exact, different, one more",
        "worst case",
        "blanket",
        "tail",
    ),
    "certified": ("exact, certified", "worst case, certified", "blanket, certified"),
    "thresholds and noise": (
        "threshold, worst case",
        "threshold, passive",
        "geometric noise",
        "geometric noise, worst case",
        "k-anonymity, corrected",
    ),
    "other papers": (
        "chain, causal",
        "sum of equal blocks",
        "many databases, three kinds",
        "days composed, upper",
    ),
    "worlds": ("world of bits, PPK",),
}

_TABLE = Path(__file__).with_name("timings.json")
# A slope is fitted to the times at this many of the largest sizes.
_FITTED = 4


@functools.cache
def _stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Growth:
    """What one algorithm costs at several sizes.

    Attributes
    ----------
    engine : str
        One of those in `ENGINES`.
    sizes : tuple of int
        Rising.
    seconds : tuple of float
        The median of the runs, for each size.
    """

    engine: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def slope(self) -> float:
        """The exponent s if the time grows as the size to the power s, at the largest sizes."""
        sizes, seconds = np.log(self.sizes[-_FITTED:]), np.log(self.seconds[-_FITTED:])
        return float(np.polyfit(sizes, seconds, 1)[0])


def growth(engine: str) -> Growth:
    """Return the stored times of an algorithm.

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
    >>> growth("worst case").sizes[-1] == 10**10
    True
    """
    known = [name for names in ENGINES.values() for name in names]
    _checks.as_choice(engine, "engine", known)
    # A run may have stopped at a size that took long.
    runs = [dict(run["growth"][engine]) for run in _stored()["runs"]]
    sizes = [size for size in runs[0] if all(size in run for run in runs)]
    seconds = [statistics.median(run[size] for run in runs) for size in sizes]
    return Growth(engine, tuple(sizes), tuple(seconds))


def slopes(engines: Iterable[str], *, caption: str) -> tables.Table:
    """Return a table of how the costs of algorithms grow.

    Parameters
    ----------
    engines : iterable of str
        As in `growth`.
    caption : str
        Of the table.

    Examples
    --------
    >>> slopes(["worst case"], caption="Counts").headings
    ('algorithm', 'largest size', 'time there (ms)', 'slope')
    """
    found = [growth(engine) for engine in engines]
    rows = [(g.engine, g.sizes[-1], _milliseconds(g.seconds[-1]), g.slope) for g in found]
    headings = ["algorithm", "largest size", "time there (ms)", "slope"]
    formats = {"largest size": ",", "time there (ms)": ",", "slope": ".2f"}
    return tables.of_rows(headings, rows, formats=formats, caption=caption)


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
    runs = [run["questions"] for run in _stored()["runs"]]
    asked = [_checks.as_choice(question, "questions", tuple(runs[0])) for question in questions]
    rows = [(name, _milliseconds(statistics.median(run[name] for run in runs))) for name in asked]
    return tables.of_rows(
        ["question", "time (ms)"], rows, formats={"time (ms)": ","}, caption=caption
    )


def ratios(question: str, package: str) -> tuple[float, float]:
    """Return how many times as long as this library a package takes: least and largest of the runs.

    Parameters
    ----------
    question : str
        One of `COMPARISONS`.
    package : str
        Its name.

    Raises
    ------
    ValueError
        If the package was not asked that.

    Examples
    --------
    >>> ratios("δ, one more", "pkdp")
    (1.0, 1.0)
    """
    _checks.as_choice(question, "question", COMPARISONS)
    found = []
    for run in _stored()["runs"]:
        seconds = {row[0]: row[2] for row in run["packages"] if row[1] == question}
        _checks.as_choice(package, "package", tuple(seconds))
        found.append(seconds[package] / seconds["pkdp"])
    return min(found), max(found)


def compared(question: str, *, caption: str) -> tables.Table:
    """Return a table of who answers a question how fast, and how far from the truth.

    Parameters
    ----------
    question : str
        One of `COMPARISONS`. Those with "different" are about 10,000 records of probabilities 0.05
        to 0.5, in equal steps; the others about ten million of probability 0.3.
    caption : str
        Of the table.

    Examples
    --------
    >>> compared("δ, one more", caption="δ").headings
    ('who', 'answer', 'error', 'time (ms)', 'times as long')
    """
    _checks.as_choice(question, "question", COMPARISONS)
    true = _truth(question)
    rows = []
    for package, asked, _, value in _stored()["runs"][0]["packages"]:
        if asked == question:
            seconds = _median_seconds(question, package)
            least, largest = ratios(question, package)
            ends = dict.fromkeys(map(_digits, (least, largest)))
            error = f"{value / true - 1:.0e}" if abs(value / true - 1) > 1e-12 else "0"
            time = _milliseconds(seconds)
            times = "1" if package == "pkdp" else "–".join(ends)
            rows.append((package, f"{value:.6g}", error, time, times))
    headings = ["who", "answer", "error", "time (ms)", "times as long"]
    return tables.of_rows(headings, rows, formats={"time (ms)": ","}, caption=caption)


def _median_seconds(question: str, package: str) -> float:
    found = (row for run in _stored()["runs"] for row in run["packages"])
    return statistics.median(float(row[2]) for row in found if row[:2] == [package, question])


def _milliseconds(seconds: float) -> float:
    """Return milliseconds, rounded to three digits."""
    return _rounded(1e3 * seconds, 3)


def _digits(ratio: float) -> str:
    """Write a ratio with two digits."""
    return f"{_rounded(ratio, 2):,}"


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
    equal = counting.exact([0.3], [10**7])
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
