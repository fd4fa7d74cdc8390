"""A count of ten thousand different records, and δ of its masses, for every environment."""

import math
import statistics
import time
from collections.abc import Callable

import numpy as np

# An ε in the bulk, and one in the tail.
QUESTIONS = {"δ, different": 0.06, "δ, different, tail": 0.25}
# Of what takes so many seconds, the first run is as good as any.
LONG = 0.5


def chances() -> np.ndarray:
    """Return the probabilities of the other records."""
    return np.linspace(0.05, 0.5, 10**4)


def delta_of(masses: np.ndarray, eps: float) -> float:
    """Return δ of a count whose masses, of its other records, are these."""
    if_0, if_1 = np.append(masses, 0.0), np.append(0.0, masses)
    ratio = math.exp(eps)
    one, other = (x - ratio * y for x, y in ((if_0, if_1), (if_1, if_0)))
    return float(max(np.maximum(one, 0.0).sum(), np.maximum(other, 0.0).sum()))


def seconds_of(task: Callable[[], object]) -> float:
    """Return the median duration of a task, after one run that does not count unless it is long."""
    first = _seconds_once(task)
    if first > LONG:
        return first
    runs = min(7, max(3, round(LONG / first)))
    return statistics.median(_seconds_once(task) for _ in range(runs))


def _seconds_once(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start
