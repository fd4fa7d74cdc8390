"""Calls on large laws, each of which is to take at most 10 CPU seconds and 2 GB."""

from collections.abc import Callable
from typing import Final

import numpy as np

from pkdp import counting
from pkdp.profiles import Pair
from pkdp.profiles.laws import binomial


def _shifted(n: int, by: int) -> float:
    return Pair(binomial(n, 0.3).shift(by), binomial(n, 0.3)).profile().epsilon(1e-6)


def _different(n: int) -> float:
    return Pair(binomial(n, 0.3), binomial(n, 0.3 + 0.1 / n**0.5)).profile().epsilon(1e-6)


def _nearly_certain(n: int) -> float:
    rng = np.random.default_rng(1)
    chances = rng.uniform(0.0, 1e-9, n)
    sure = rng.random(n) < 0.5
    chances[sure] = 1.0 - chances[sure]
    return counting.exact(chances).epsilon(1e-6)


ROWS: Final[list[tuple[str, Callable[[], object]]]] = [
    ("a count of 10⁸ and its shift by 1000", lambda: _shifted(10**8, 1000)),
    ("a count of 10¹⁰ and its shift by 2", lambda: _shifted(10**10, 2)),
    ("a count of 10¹⁰ and its shift by 1000", lambda: _shifted(10**10, 1000)),
    ("a count of 10¹⁰ and its shift by 10⁶", lambda: _shifted(10**10, 10**6)),
    ("counts of 10¹⁰ with two probabilities", lambda: _different(10**10)),
    ("10⁶ different records within 1e-9 of 0 or 1", lambda: _nearly_certain(10**6)),
    ("10⁷ different records within 1e-9 of 0 or 1", lambda: _nearly_certain(10**7)),
]
