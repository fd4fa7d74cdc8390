"""Branch and bound over the integers 0…N: the largest value of a function, between two bounds.

Ranges of integers, *boxes*, are looked at level by level, all of a level at once. What is known of
a box is a bound that no value in it exceeds; boxes whose bound is not above the largest value found
are let go, and the others cut into four.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.releases import WorstVertex

Boxes = tuple[IntArray, IntArray]


def boxes(total: int, number: int) -> Boxes:
    """Cut the integers below `total` into so many boxes, or fewer: their first and last ones."""
    edges = np.unique(np.linspace(0, total, number + 1).astype(np.int64))
    return edges[:-1], edges[1:] - 1


def maximise(
    values: Callable[[IntArray], FloatArray],
    look: Callable[[IntArray, IntArray], tuple[IntArray, Boxes, FloatArray]],
    first: IntArray,
    start: Boxes,
    tol: float,
    budget: int,
    known: float = -math.inf,
) -> WorstVertex:
    """Return where a function, given by its logarithm, is largest, to a relative `tol`.

    Parameters
    ----------
    values : callable
        The function at some integers.
    look : callable
        For some boxes integers worth a try, those of the boxes that they do not exhaust, and the
        bounds over these.
    first : ndarray
        Integers to begin with, at least one.
    start : pair of ndarray
        The first and last integers of the boxes to begin with.
    tol, budget
        A search that looks at more boxes than that gives up, and says so through the gap.
    known : float
        A value attained elsewhere: smaller ones are not sought.
    """
    low, high = start
    best, m = largest(values, first)
    best = max(best, known)
    discarded, spent = -math.inf, 0
    while low.size:
        spent += low.size
        numbers, (low, high), bounds = look(low, high)
        found = largest(values, numbers)
        if found[0] > best:
            best, m = found
        is_open = (bounds > best + math.log1p(tol)) & (spent <= budget)
        discarded = max(discarded, float(bounds[~is_open].max(initial=-math.inf)))
        low, high = _quartered(low[is_open], high[is_open])
    return WorstVertex(m, best, max(best, discarded))


def largest(values: Callable[[IntArray], FloatArray], numbers: IntArray) -> tuple[float, int]:
    """Return the largest value at some integers, and where it is."""
    logs = values(numbers)
    at = int(logs.argmax())
    return float(logs[at]), int(numbers[at])


def _quartered(low: IntArray, high: IntArray) -> Boxes:
    """Cut every box into four, dropping empty parts."""
    cuts = [low + (high + 1 - low) * i // 4 for i in range(5)]
    lows = np.concatenate(cuts[:-1])
    highs = np.concatenate(cuts[1:]) - 1
    return lows[lows <= highs], highs[lows <= highs]
