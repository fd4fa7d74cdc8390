"""Where a condition on integers begins or ceases to hold."""

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
