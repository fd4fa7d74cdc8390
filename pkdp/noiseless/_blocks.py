"""Independent integer-valued blocks, read and put in order: equal ones counted, offsets taken off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, SupportsIndex

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

    @property
    def widths(self) -> IntArray:
        """The largest offset of each row."""
        return self.offsets[self.starts[1:] - 1]

    @property
    def reach(self) -> int:
        """The largest offset of the sum."""
        return sum(int(w) * int(c) for w, c in zip(self.widths, self.counts, strict=True))

    def row(self, j: int) -> tuple[IntArray, FloatArray]:
        """Return offsets and masses of a row."""
        here = slice(self.starts[j], self.starts[j + 1])
        return self.offsets[here], self.masses[here]


def read(blocks: Sequence[Block]) -> Rows:
    """Return the laws of blocks, after a look at every number in them."""
    several = as_several(blocks, "blocks", "pmfs of integers, or pairs (pmf, count)")
    if not several:
        raise ValueError("blocks must be at least one pmf, got none")
    rows: dict[tuple[bytes, bytes], int] = {}
    origin, total = 0, 0
    for at, block in enumerate(several):
        pmf, count = _split(block, at)
        total += count
        values, masses = _law(pmf, at)
        origin += int(values[0]) * count
        if values.size > 1:
            key = (values - values[0]).tobytes(), masses.tobytes()
            rows[key] = rows.get(key, 0) + count
    if total > MOST_BLOCKS:
        raise ValueError(f"blocks must be at most {MOST_BLOCKS} blocks, got {total}")
    keys = sorted(rows)  # the order of the blocks makes no difference
    offsets = [np.frombuffer(key[0], dtype=np.int64) for key in keys]
    sizes = np.array([0] + [row.size for row in offsets], dtype=np.int64)
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *offsets])
    step = int(np.gcd.reduce(flat)) if flat.size else 1
    return Rows(
        origin,
        step,
        flat // step,
        np.frombuffer(b"".join(key[1] for key in keys), dtype=np.float64),
        np.cumsum(sizes),
        np.array([rows[key] for key in keys], dtype=np.int64),
    )


def _split(block: Any, at: int) -> tuple[Mapping[Any, Any], int]:
    """Return a pmf, and how many blocks have it."""
    if isinstance(block, Mapping):
        return block, 1
    if not (isinstance(block, tuple | list) and len(block) == 2 and isinstance(block[0], Mapping)):
        raise TypeError(f"blocks must be pmfs or pairs (pmf, count), got {block!r} at {at}")
    return block[0], as_integer(block[1], f"blocks: the count at {at}", 1, MOST_BLOCKS)


def _law(pmf: Mapping[SupportsIndex, Any], at: int) -> tuple[IntArray, FloatArray]:
    """Return the values of positive mass in increasing order, and their masses."""
    values, masses = list(pmf), list(pmf.values())
    name = f"blocks: a value of the pmf at {at}"
    if any(type(value) is not int or not -MOST_VALUE <= value <= MOST_VALUE for value in values):
        values = [as_integer(value, name, -MOST_VALUE, MOST_VALUE) for value in values]
    name = f"blocks: a mass of the pmf at {at}"
    if any(type(mass) is not float or not 0.0 <= mass <= 1.0 for mass in masses):
        given = masses
        masses = [as_real(mass, name, "in [0, 1]", 0.0, 1.0 + _SLACK) for mass in given]
        if any(mass == 0.0 and exact > 0 for mass, exact in zip(masses, given, strict=True)):
            raise ValueError(f"{name} must be 0 or at least 5e-324, got one below")
    total = math.fsum(masses)
    if abs(total - 1.0) > _SLACK:
        raise ValueError(f"blocks: the pmf at {at} must sum to 1, got a sum of {total:.12g}")
    pairs = sorted((value, mass) for value, mass in zip(values, masses, strict=True) if mass > 0.0)
    chosen = np.array([mass for _, mass in pairs])
    return np.array([value for value, _ in pairs], dtype=np.int64), chosen / total
