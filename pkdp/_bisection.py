"""Bisection: where a condition on numbers begins or ceases to hold."""

import math
from bisect import bisect_left
from collections.abc import Callable


def first_passing(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """Return the first integer in low…high that passes, as do all after it; high if none does.

    Examples
    --------
    >>> first_passing(0, 10**12, lambda k: k * k > 50)
    8
    """
    return low + bisect_left(range(low, high), True, key=passes)


def last_passing(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """Return the last integer in low…high that passes, as do all before it; low - 1 if none does.

    Examples
    --------
    >>> last_passing(0, 10**12, lambda k: k * k < 50)
    7
    """
    return first_passing(low, high + 1, lambda k: not passes(k)) - 1


def least_passing(low: float, high: float, passes: Callable[[float], bool], part: float) -> float:
    """Return a number that passes, as do all above it, and is near the least one that does.

    That is between 0 < low < high, of which `high` is taken to pass, and is exceeded by this part
    of it at most. Halves the ratio of the two.

    Examples
    --------
    >>> round(least_passing(1e-6, 1e6, lambda x: x * x > 2, 1e-9), 6)
    1.414214
    """
    while high > low * (1.0 + part):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high
