"""Compare other packages' answers with those of this library.

``make peers`` asks them (``tests/peers/ask.py``), in an environment of their own, and stores what
they say. Here the answers are read and compared with the truth, which is computed now. The
questions are about

* a count of 1,000 records, each 1 with probability 0.1, released once, 3 or 30 times: "delta" at an
  ε, "epsilon" at a δ, "misses" at a rate of false positives
  (`trade_off_curves`), and "advantage";
* "epsilon of 10000", about the same count of 10,000 records;
* "gaussian" and "gaussian delta": ε and δ of ten sums, each with Gaussian noise of five times its
  sensitivity;
* "mass": the probabilities of a count of 5,000 records, those of 0.05 to 0.5 in equal steps;
* "shuffled": ε of 10,000 answers by randomized response of ε = 2, of which the number is released.
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, SupportsFloat, SupportsIndex

import numpy as np

from pkdp import _checks, tables
from pkdp.figures.reference.trade_off_curves import false_negatives
from pkdp.noiseless import normal_bounds
from pkdp.partial_knowledge import counting
from pkdp.profiles import privacy_loss, trade_off
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.privacy_loss import Interval
from pkdp.profiles.profile import Formula, PrivacyProfile

__all__ = ["QUESTIONS", "Answer", "answers", "compared", "shuffled_responses", "truth", "versions"]

_TABLE = Path(__file__).with_name("peers.csv")

# Answers are stored with seven digits, and truths are known to more.
_ROUNDING = 6e-7


@dataclass(frozen=True)
class Answer:
    """What a package says to a question.

    Attributes
    ----------
    question : str
        One of `QUESTIONS`.
    at : float
        The ε, δ, count or rate that is asked about; 0 for the advantage.
    package, version : str
        The package that was asked, and its version.
    call : str
        How; most packages can be asked in several ways.
    value : float or None
        The answer to seven digits; None where there is none.
    failure : str
        What was said instead.
    seconds : float
        How long it took, the median of three times.
    asked_on : str
        The Python and the machine.
    """

    question: str
    at: float
    package: str
    version: str
    call: str
    value: float | None
    failure: str
    seconds: float
    asked_on: str

    def error(self) -> float | None:
        """Return how far the value is off, as a part of the truth; None without a value."""
        if self.value is None:
            return None
        true = truth(self.question, self.at)
        nearest = min(max(self.value, float(true.lower)), float(true.upper))
        return self.value / nearest - 1.0

    def is_unsafe(self) -> bool:
        """Return whether who relies on the value promises more than is true."""
        error = self.error()
        if error is None or self.question == "mass":  # which has no safe side
            return False
        # Of what the attacker misses, too much is promised; of all else, too little.
        return (error if self.question == "misses" else -error) > _ROUNDING


@functools.cache
def answers(question: str) -> tuple[Answer, ...]:
    """Return the stored answers to a question.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> [(answer.call, answer.value) for answer in answers("delta")[:2]]
    [('as it comes', 7.188713e-10), ('symmetric=False', 5.938184e-07)]
    """
    _checks.as_choice(question, "question", QUESTIONS)
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row[0] == question]
    found = []
    for _, at, package, version, call, value, failure, seconds, machine in rows:
        asked = question, float(at), package, version, call
        number = float(value) if value else None
        found.append(Answer(*asked, number, failure, float(seconds), machine))
    return tuple(found)


@functools.cache
def truth(question: str, at: SupportsFloat) -> Interval:
    """Return between what the true answer lies.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.
    at : float
        As in `Answer`.

    Returns
    -------
    Interval
        Both ends are the same but for several releases.

    Raises
    ------
    ValueError
        If there is no such question, or `at` is out of its range.

    Examples
    --------
    >>> f"{truth('delta', 0.5).upper:.4g}"
    '5.925e-07'
    """
    _checks.as_choice(question, "question", QUESTIONS)
    place = _checks.as_real(at, "at", "at least 0", 0.0, math.inf)
    value = _TRUTHS[question](place)
    return value if isinstance(value, Interval) else Interval(value, value)


def _count() -> PrivacyProfile:
    return counting.exact([0.1] * 999)


def _mixed() -> PoissonBinomial:
    return PoissonBinomial(np.linspace(0.05, 0.5, 5000))


@functools.cache
def _releases(times: int) -> privacy_loss.Bracket:
    return privacy_loss.bracket([counting.pair([0.1] * 999)], [times])


_TRUTHS: Final[Mapping[str, Callable[[float], float | Interval]]] = {
    "delta": lambda eps: _count().delta(eps),
    "epsilon": lambda delta: _count().epsilon(delta),
    "epsilon of 10000": lambda delta: counting.exact([0.1] * 9999).epsilon(delta),
    "epsilon of 3 releases": lambda delta: _releases(3).epsilon(delta),
    "epsilon of 30 releases": lambda delta: _releases(30).epsilon(delta),
    "gaussian": lambda delta: normal_bounds.gaussian(2.5).epsilon(delta),
    "gaussian delta": lambda eps: normal_bounds.gaussian(2.5).delta(eps),
    "mass": lambda count: math.exp(_mixed().log_pmf(int(count), int(count))[0]),
    "shuffled": lambda delta: shuffled_responses(10_000, 2.0).epsilon(delta),
    "misses": lambda rate: false_negatives(_count(), rate),
    "advantage": lambda _: trade_off.advantage(_count()),
}
QUESTIONS = tuple(_TRUTHS)


def shuffled_responses(n: SupportsIndex, eps: SupportsFloat) -> PrivacyProfile:
    """Return the exact profile of the number of Yes among randomized responses.

    All n answer a question with Yes or No, and each tells the truth with probability
    ``exp(eps)/(1 + exp(eps))``. Their order is lost. The attacker knows what all others think, but
    not what they said.

    Parameters
    ----------
    n : int
        All who answer, the target included, in 2…10¹⁰.
    eps : float
        What each response costs alone, in (0, 700].

    Returns
    -------
    PrivacyProfile
        Status "exact": the worst case over what the others think.

    Notes
    -----
    A lie has probability λ = 1/(1 + exp(eps)), so that the others' answers are a count that is open
    by λ, each. The target's own answer mixes the two laws of that count, whose hockey-stick is then
    λ(exp(eps) - E) times that of the count at E' = (E·exp(eps) - 1)/(exp(eps) - E).

    Examples
    --------
    >>> round(shuffled_responses(10_000, 2.0).epsilon(1e-6), 4)
    0.087
    """
    alone = _checks.as_real(eps, "eps", "in (0, 700]", 0.0, 700.0, without=(0.0,))
    lie = 1.0 / (1.0 + math.exp(alone))
    others = counting.worst_case(n, lie)
    return PrivacyProfile(Formula(_log_shuffled, others, alone), "exact")


def _log_shuffled(others: PrivacyProfile, alone: float, eps: float) -> float:
    if eps >= alone:
        return -math.inf
    log_factor = eps + math.log(math.expm1(alone - eps))
    loss = math.log(math.expm1(alone + eps)) - log_factor
    return log_factor - math.log1p(math.exp(alone)) + others.log_delta(max(0.0, loss))


def compared(question: str, *, asked: str, caption: str) -> tables.Table:
    """Return a table of all answers to a question, and how far each is off.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.
    asked : str
        What it is asked at, as a heading without the number, such as ``"δ = "``.
    caption : str
        Of the table.

    Returns
    -------
    Table
        A row for each way of asking, the first for the truth. A cell has the value and, in
        brackets, its relative error; "unsafe" marks a value on the wrong side.

    Raises
    ------
    ValueError
        If there is no such question.

    Examples
    --------
    >>> compared("advantage", asked="", caption="Advantage").rows[0]
    ('pkdp', '0.04202', '')
    """
    found = answers(question)
    places = list(dict.fromkeys(answer.at for answer in found))
    ways = list(dict.fromkeys((answer.package, answer.call) for answer in found))
    cells = {(answer.package, answer.call, answer.at): answer for answer in found}
    headings = [f"{asked}{place:g}" if asked else "value" for place in places]
    rows = [["pkdp", *(f"{float(truth(question, place).upper):.4g}" for place in places), ""]]
    for package, call in ways:
        row = [cells[package, call, place] for place in places]
        most = max(answer.seconds for answer in row)
        rows.append([f"{package}: {call}", *map(_shown, row), f"{most:.1g} s"])
    return tables.of_rows(["who", *headings, "time"], rows, caption=caption)


def _shown(answer: Answer) -> str:
    error = answer.error()
    if answer.value is None or error is None:
        return "refused" if answer.failure.startswith("ValueError") else "fails"
    if answer.value == math.inf:
        return "∞"
    value = f"{answer.value:.4g}".replace("-", "−", answer.value < 0.0)
    if abs(error) <= _ROUNDING:
        return f"{value} (right)"
    return f"{value} ({_words(error)}{', unsafe' if answer.is_unsafe() else ''})"


def _words(error: float) -> str:
    """Say how far a value is off: in per cent, or by which factor."""
    if error <= -1.0:
        return "lost" if error == -1.0 else "negative"
    factor = 1.0 + error
    if factor < 0.5:
        return f"{1.0 / factor:{',.2g' if factor > 0.01 else ',.0f'}} times too small"
    if factor > 2.0:
        return f"{factor:.2g} times" if factor < 100.0 else f"{factor:,.0f} times"
    return f"{'+' if error > 0 else '−'}{100.0 * abs(error):.2g} %"


def versions() -> tables.Table:
    """Return a table of the packages that were asked, and of their versions.

    Examples
    --------
    >>> versions().rows[0]
    ('autodp', '0.2.3.1')
    """
    found = {(a.package, a.version) for question in QUESTIONS for a in answers(question)}
    (machine,) = {a.asked_on for question in QUESTIONS for a in answers(question)}
    return tables.of_rows(["package", "version"], sorted(found), caption=f"Asked on {machine}")
