"""Probability mass functions of independent integer-valued blocks: checks, and equal ones."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pkdp._checks import as_integer, as_real, as_several
from pkdp.profiles.logarithms import FloatArray, IntArray

# More blocks would leave too few digits in the phase of a characteristic function.
MOST_BLOCKS = 10**9
# Values, and offsets between them, stay exact as floats and their multiples as 64-bit integers.
MOST_VALUE = 10**9
_SLACK = 1e-9

Pmf = Mapping[int, float] | Mapping[int, Fraction]
Block = Pmf | tuple[Pmf, int]


@dataclass(frozen=True)
class Rows:
    """The laws of blocks, one row for each different law, as multiples of a common step.

    Block j takes the value ``least_j + step·offsets[a]`` with probability ``masses[a]``, for a in
    ``starts[j] … starts[j + 1] - 1``; the first offset of a row is 0.

    Attributes
    ----------
    origin : int
        The least value of the sum.
    step : int
        The greatest common divisor of all differences of values of a block; 1 if there are none.
    offsets : ndarray of int
        In increasing order within a row.
    masses : ndarray
        Positive; they sum to 1 in each row.
    starts : ndarray of int, shape (rows + 1,)
        Where each row starts.
    counts : ndarray of int, shape (rows,)
        How many blocks have this law.
    """

    origin: int
    step: int
    offsets: IntArray
    masses: FloatArray
    starts: IntArray
    counts: IntArray

    @functools.cached_property
    def widths(self) -> IntArray:
        """The largest offset of each row."""
        return self.offsets[self.starts[1:] - 1]

    @functools.cached_property
    def reach(self) -> int:
        """The largest offset of the sum."""
        return sum(int(w) * int(c) for w, c in zip(self.widths, self.counts, strict=True))

    def mirrored(self) -> Rows:
        """Return the blocks with all offsets counted from the largest value downwards."""
        offsets = np.repeat(self.widths, np.diff(self.starts)) - self.offsets
        starts = self.offsets.size - self.starts[::-1]
        return Rows(
            self.origin, self.step, offsets[::-1], self.masses[::-1], starts, self.counts[::-1]
        )

    def row(self, j: int) -> tuple[IntArray, FloatArray]:
        """Return offsets and masses of a row."""
        here = slice(self.starts[j], self.starts[j + 1])
        return self.offsets[here], self.masses[here]


def read(blocks: Sequence[Block]) -> Rows:
    """Read and check the laws of blocks, and count equal ones."""
    several = as_several(blocks, "blocks", "pmfs of integers, or pairs (pmf, count)")
    if not several:
        raise ValueError("blocks must be at least one pmf, got none")
    rows: dict[tuple[tuple[int, ...], tuple[float, ...]], int] = {}
    origin, total = 0, 0
    for at, block in enumerate(several):
        pmf, count = _split(block, at)
        total += count
        values, masses = _law(pmf, at)
        least = values[0]
        origin += least * count
        if len(values) > 1:
            key = (values if least == 0 else tuple([v - least for v in values])), masses
            rows[key] = rows.get(key, 0) + count
    if total > MOST_BLOCKS:
        raise ValueError(f"blocks must be at most {MOST_BLOCKS} blocks, got {total}")
    rows = rows or {((0,), (1.0,)): 1}
    keys = sorted(rows)  # the order of the blocks makes no difference
    flat = np.array([a for offsets, _ in keys for a in offsets], dtype=np.int64)
    step = int(np.gcd.reduce(flat)) or 1
    return Rows(
        origin,
        step,
        flat // step,
        np.array([mass for _, masses in keys for mass in masses]),
        np.cumsum([0] + [len(offsets) for offsets, _ in keys]),
        np.array([rows[key] for key in keys], dtype=np.int64),
    )


def _split(block: object, at: int) -> tuple[Mapping[Any, Any], int]:
    """Return a pmf, and how many blocks have it."""
    if isinstance(block, Mapping):
        return block, 1
    if not (isinstance(block, tuple | list) and len(block) == 2 and isinstance(block[0], Mapping)):
        raise TypeError(f"blocks must be pmfs or pairs (pmf, count), got {block!r} at {at}")
    return block[0], as_integer(block[1], f"blocks: the count at {at}", 1, MOST_BLOCKS)


def _law(pmf: Mapping[Any, Any], at: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the values of positive mass in increasing order, and their masses."""
    values, masses = list(pmf), list(pmf.values())
    if not values:
        raise ValueError(f"blocks: the pmf at {at} must have at least one value, got none")
    name = f"blocks: a value of the pmf at {at}"
    values = [as_integer(value, name, -MOST_VALUE, MOST_VALUE) for value in values]
    name, given = f"blocks: a mass of the pmf at {at}", masses
    masses = [as_real(mass, name, "in [0, 1]", 0.0, 1.0 + _SLACK) for mass in given]
    if any(mass == 0.0 and exact > 0 for mass, exact in zip(masses, given, strict=True)):
        raise ValueError(f"{name} must be 0 or at least 5e-324, got one below")
    total = math.fsum(masses)
    if not abs(total - 1.0) <= _SLACK:
        raise ValueError(f"blocks: the pmf at {at} must sum to 1, got a sum of {total:.12g}")
    pairs = sorted(zip(values, masses, strict=True))
    ordered, weights = zip(*[(value, mass / total) for value, mass in pairs if mass], strict=True)
    return ordered, weights
