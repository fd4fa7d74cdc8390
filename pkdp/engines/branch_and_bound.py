"""Branch and bound over the integers 0…N: the largest value of a function, between two bounds.

Of a range of integers, a *box*, a bound is known that no value in it exceeds. `maximise` evaluates
all boxes of a level at once, discards those whose bound is not above the largest value found, and
cuts the others into four. `bisect` suits functions that take one integer at a time: it cuts the box
with the largest bound in two.
"""

import heapq
import math
from collections.abc import Callable, Iterable
from itertools import pairwise

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
        A search gives up after more boxes than that; the gap between its bounds then shows it.
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


def bisect(
    starts: Iterable[tuple[int, int, int]],
    ends: Callable[[int, int], tuple[float, float]],
    bound: Callable[[int, int, int, float], float],
    width: float,
    budget: int,
) -> tuple[float, float]:
    """Return bounds of the largest value of functions of an integer, given by their logarithms.

    Parameters
    ----------
    starts : iterable of tuples
        ``(which, low, high)``: the number of a function, and where to look for its maximum.
    ends : callable
        Bounds of the value of a function at an integer.
    bound : callable
        A bound of the values of a function strictly between two integers. Only if it is above the
        last argument, a value attained, need it be sharp.
    width : float
        How far apart the returned bounds may be.
    budget : int
        A search gives up after so many cuts; its bounds are then further apart.
    """
    lower = upper = -math.inf
    boxes: list[tuple[float, int, int, int]] = []

    def evaluate(which: int, m: int) -> None:
        nonlocal lower, upper
        below, above = ends(which, m)
        lower, upper = max(lower, below), max(upper, above)

    def add(which: int, *numbers: int) -> None:
        for low, high in pairwise(numbers):
            if high - low > 1:
                heapq.heappush(boxes, (-bound(which, low, high, lower), which, low, high))

    for which, low, high in starts:
        evaluate(which, low)
        evaluate(which, high)
        add(which, low, high)
    for _ in range(budget):
        if not boxes or -boxes[0][0] <= lower + width:
            break
        _, which, low, high = heapq.heappop(boxes)
        middle = (low + high) // 2
        evaluate(which, middle)
        add(which, low, middle, high)
    return lower, max(upper, -boxes[0][0]) if boxes else upper


def _quartered(low: IntArray, high: IntArray) -> Boxes:
    """Cut every box into four, dropping empty parts."""
    cuts = [low + (high + 1 - low) * i // 4 for i in range(5)]
    lows = np.concatenate(cuts[:-1])
    highs = np.concatenate(cuts[1:]) - 1
    return lows[lows <= highs], highs[lows <= highs]
