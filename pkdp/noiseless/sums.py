"""Sums of independent integer-valued blocks: their laws, and what they hide.

A *block* is a number that one person, one household or one group of dependent records adds to a
sum; blocks are independent of each other. The law of a block is a pmf ``{value: mass}``. Unlike
counts, such sums are not log-concave, and they may have gaps: blocks with values 0 and 2 have even
sums only, and who adds 1 is seen.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from pkdp._checks import as_integer
from pkdp.noiseless import _blocks, _positive_sums
from pkdp.noiseless._blocks import Block, Rows
from pkdp.profiles._pieces import ByPieces
from pkdp.profiles.laws import Law, Window
from pkdp.profiles.logarithms import FloatArray, log_sum
from pkdp.profiles.pairs import Pair

__all__ = ["BlockSum", "law", "pair"]


class BlockSum(ByPieces, Law):
    """The law of a sum of independent integer-valued blocks, as `law` returns it."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def _pieces(self) -> tuple[Any, ...]:
        r = self._rows
        return r.origin, r.step, r.offsets, r.masses, r.starts, r.counts

    def __repr__(self) -> str:
        blocks = int(self._rows.counts.sum())
        return f"BlockSum({blocks} uncertain blocks, {self.least}…{self.most} by {self.step})"

    @property
    def least(self) -> int:
        """The smallest possible outcome."""
        return self._rows.origin

    @property
    def most(self) -> int:
        """The largest possible outcome."""
        return self._rows.origin + self._rows.step * self._rows.reach

    @property
    def step(self) -> int:
        """The greatest common divisor of all differences of outcomes; 1 for a constant."""
        return self._rows.step

    @functools.cached_property
    def _logs(self) -> FloatArray:
        """``ln P`` of the outcomes, one for each step."""
        return _positive_sums.log_masses(self._rows)

    def window(self, tilt: float = 0.0) -> Window:
        """All masses, in proportion to those of the tilted law (see `Law.window`)."""
        if math.isinf(tilt):
            end = self.most if tilt > 0.0 else self.least
            return Window(end, np.ones(1), 0.0, end, float(self._logs[-1 if tilt > 0.0 else 0]))
        logs = self._logs + (tilt * self.step) * np.arange(self._logs.size)
        total, mode = log_sum(logs), int(logs.argmax())
        weights = np.zeros(self.most - self.least + 1)
        weights[:: self.step] = np.exp(logs - total)
        anchor = self.least + mode * self.step
        return Window(self.least, weights, tilt, anchor, total - tilt * (anchor - self.least))

    def span(self, log_least: float) -> tuple[int, int]:
        """Return where masses are not negligible (see `Law.span`)."""
        matters = np.flatnonzero(self._logs >= min(log_least, float(self._logs.max())))
        if log_least == -math.inf:
            return self.least, self.most
        return self.least + self.step * int(matters[0]), self.least + self.step * int(matters[-1])

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return logarithms of consecutive masses (see `Law.log_pmf`)."""
        logs = np.full(max(0, last - first + 1), -math.inf)
        low = max(0, -((self.least - first) // self.step))
        high = min(self._logs.size - 1, (last - self.least) // self.step)
        if low <= high:
            at = self.least + low * self.step - first
            logs[at :: self.step][: high - low + 1] = self._logs[low : high + 1]
        return logs

    def log_outside(self, first: int, last: int) -> float:
        """Return a bound of the mass elsewhere (see `Law.log_outside`)."""
        outcomes = self.least + self.step * np.arange(self._logs.size)
        log_mass = log_sum(self._logs[(outcomes < first) | (outcomes > last)])
        return log_mass + 1e-9

    @property
    def log_least_mass(self) -> float:
        """Natural logarithm of the smallest positive mass."""
        return float(self._logs[self._logs > -math.inf].min())

    @property
    def gapless(self) -> bool:
        """Whether every integer between the ends is a possible outcome."""
        return self.step == 1 and bool((self._logs > -math.inf).all())


def law(blocks: Sequence[Block]) -> BlockSum:
    """Return the law of a sum of independent blocks.

    Parameters
    ----------
    blocks : sequence of (mapping or (mapping, int))
        A pmf ``{value: mass}`` for each block, or a pmf and how many blocks have it. Masses are
        floats or fractions that sum to 1 within 1e-9; they are divided by their sum.

    Examples
    --------
    >>> law([{0: 0.5, 2: 0.5}, {-1: 0.25, 1: 0.75}]).window().weights.round(3).tolist()
    [0.125, 0.0, 0.5, 0.0, 0.375]
    """
    return BlockSum(_blocks.read(blocks))


def pair(blocks: Sequence[Block], shift: SupportsIndex = 1) -> Pair:
    """Return the pair ``(S + shift, S)``, S the sum of independent blocks.

    Examples
    --------
    >>> pair([({0: 0.5, 2: 0.5}, 100)]).profile().delta(5.0)
    1.0
    """
    by = as_integer(shift, "shift", -_blocks.MOST_VALUE, _blocks.MOST_VALUE)
    if by == 0:
        raise ValueError("shift must be an integer other than 0, got 0")
    base = law(blocks)
    return Pair(base.shift(by), base)
