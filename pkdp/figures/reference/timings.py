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
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile

__all__ = ["compared", "gigabytes", "growth", "of_questions", "versions"]

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
        One of those that ``make benchmark`` times at several sizes.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> max(growth("worst case")) == 10**10
    True
    """
    known = _stored()["growth"]
    found = known[_checks.as_choice(engine, "engine", known)]
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
    asked = [_checks.as_choice(question, "questions", known) for question in questions]
    rows = [(name, _milliseconds(known[name])) for name in asked]
    return tables.of_rows(
        ["question", "time (ms)"], rows, formats={"time (ms)": ","}, caption=caption
    )


def compared(question: str, *, caption: str) -> tables.Table:
    """Return a table of who answers a question how fast, and how far from the truth.

    Parameters
    ----------
    question : str
        One that other packages were asked, too. Those with "different" are about 10,000 records of
        probabilities 0.05 to 0.5, in equal steps; the others about ten million of probability 0.3.
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
    known = _stored()["packages"]
    found = known[_checks.as_choice(question, "question", known)]
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
