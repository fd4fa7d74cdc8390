"""Support of a sum of independent integers: which outcomes are possible.

Some of the blocks have a run of possible sums as long as the largest difference of consecutive
offsets of any block, and each further block makes such a run longer by its width. So all sums are
possible except for some near the two ends, where those of all blocks are enumerated. Sets of sums
are the bits of an integer.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from pkdp.noiseless._integer_laws import Rows

BoolArray = npt.NDArray[np.bool_]
Support = tuple[int, ...]

# Sums are enumerated only while no more bits than this are read and written.
_MOST_BITS = 2**34


class Possible:
    """The possible outcomes of a sum, counted in steps: 0…reach.

    Parameters
    ----------
    reach : int
        The last one.
    from_first, from_last : ndarray of bool
        Which are possible, from the first outcome upwards and from the last one downwards. All
        others are.
    """

    def __init__(self, reach: int, from_first: BoolArray, from_last: BoolArray) -> None:
        self._reach, self._ends = reach, (from_first, from_last)

    @classmethod
    def of(cls, rows: Rows) -> Possible:
        """Find the possible sums of blocks."""
        return cls(rows.reach, _irregular(rows), _irregular(rows.mirrored()))

    def __call__(self, first: int, last: int) -> BoolArray:
        """Return whether each of first…last is possible."""
        result = np.ones(last - first + 1, dtype=bool)
        ranges = (first, last), (self._reach - last, self._reach - first)
        for found, end, (start, stop) in zip(
            (result, result[::-1]), self._ends, ranges, strict=True
        ):
            found[: max(0, end.size - start)] &= end[start : stop + 1]
        return result

    @property
    def all(self) -> bool:
        """Whether all outcomes are possible."""
        return all(bool(end.all()) for end in self._ends)


def _irregular(rows: Rows) -> BoolArray:
    """Return which of the first outcomes are possible, up to those that all are."""
    supports: Counter[Support] = Counter()
    for j, count in enumerate(rows.counts.tolist()):
        supports[tuple(rows.row(j)[0].tolist())] += count
    return _sums(supports, _first_run(supports))


def _first_run(supports: Mapping[Support, int]) -> int:
    """Return where some blocks have a run of sums as long as the largest gap of any block.

    If there is none, return the number of all outcomes.
    """
    gap = max(b - a for s in supports for a, b in itertools.pairwise(s))
    some, left, used, work = 1, dict(supports), 0, 0
    next_search = gap - 1.0
    batch = 1
    while left:
        for support, number in left.items():
            times = min(batch, number)
            left[support] -= times
            used += times * support[-1]
            work += used * (len(support) * times if len(support) > 2 else times.bit_length() + 1)
            if work > _MOST_BITS:
                raise ValueError(
                    "blocks must have sums that are all possible except some near the ends, or "
                    "so few that they can be enumerated, got others"
                )
            some = _plus(some, support, times)
            if used >= next_search:
                next_search = 1.25 * used
                starts = _starts(some, gap)
                if starts:
                    return (starts & -starts).bit_length() - 1
        left = {support: number for support, number in left.items() if number}
        batch *= 2
    return used + 1


def _starts(some: int, length: int) -> int:
    """Return where runs of this many consecutive sums start."""
    so_far = 1
    while so_far < length and some:
        more = min(so_far, length - so_far)
        some &= some >> more
        so_far += more
    return some


def _plus(some: int, support: Support, times: int) -> int:
    """Return all sums of one of some numbers and `times` values of a support."""
    if len(support) > 2:
        for _ in range(times):
            some = functools.reduce(operator.or_, [some << a for a in support])
        return some
    # 0 … times multiples of one number: 1, 2, 4, … of them, and the rest.
    batch = 1
    while times:
        here = min(batch, times)
        some |= some << (here * support[1])
        times -= here
        batch *= 2
    return some


def _sums(supports: Mapping[Support, int], size: int) -> BoolArray:
    """Return which of 0…size-1 are sums of all blocks."""
    mask, some = (1 << size) - 1, 1
    for support, count in supports.items():
        near = tuple(a for a in support if a < size)
        if len(near) == 2:
            some = _plus(some, near, min(count, size // near[1] + 1)) & mask
            continue
        for _ in range(count):
            more = _plus(some, near, 1) & mask if len(near) > 2 else some
            if more == some:
                break
            some = more
    raw = np.frombuffer(some.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:size].astype(bool)
