"""Sums of independent integer-valued blocks: exact distributions and privacy profiles.

A *block* is the contribution of one person, one household or one group of dependent records to a
sum; blocks are independent of each other. The law of a block is a pmf ``{value: mass}``. Unlike
counts, such sums are not log-concave, and they may have gaps: if blocks are 0 or 2 all sums are
even, and a record that adds 1 is exposed. Which sums are possible is found from the values alone,
so a computed mass is 0 if and only if the mass is 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_integer
from pkdp.noiseless._integer_laws import MOST_VALUE, Block, read
from pkdp.noiseless._tilting import Sum
from pkdp.profiles._equality import EqualByContents
from pkdp.profiles.pairs import Pair

__all__ = ["BlockSum", "law", "pair"]

# Relative rounding error of a logarithm.
_ROUNDING = 1e-14


class BlockSum(EqualByContents, Sum):
    """The distribution of a sum of independent integer-valued blocks, as returned by `law`.

    Blocks with one value only shift the sum. Equal blocks are counted.

    Examples
    --------
    >>> law([({0: 0.5, 2: 0.5}, 10**6), {-7: 1.0}])
    BlockSum(1000000 uncertain blocks, from -7 to 1999993 by 2, 999993 ± 1e+03)
    """

    def _contents(self) -> tuple[Any, ...]:
        r = self._rows
        return r.origin, r.step, r.offsets, r.masses, r.starts, r.counts

    def __reduce__(self) -> tuple[Any, ...]:
        return BlockSum, (self._rows,)  # without anything computed from them

    def __repr__(self) -> str:
        deviation = math.sqrt(self.variance)
        return (
            f"BlockSum({self.blocks} uncertain blocks, from {self.least} to {self.most} by "
            f"{self.step}, {self.mean:.6g} ± {deviation:.3g})"
        )

    @property
    def blocks(self) -> int:
        """The number of blocks of more than one value."""
        return int(self._rows.counts[self._rows.widths > 0].sum())

    @property
    def mean(self) -> float:
        """The expectation."""
        return self.least + self.step * self.central.mean

    @property
    def variance(self) -> float:
        """The variance."""
        return self.step**2 * self.central.variance

    def possible(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """Return whether each of first…last is a possible outcome (see `Law.possible`)."""
        result = np.zeros(max(0, last - first + 1), dtype=bool)
        low, high = self._steps(first, last)
        if low <= high:
            steps = result[self.least + low * self.step - first :: self.step]
            steps[: high - low + 1] = self._possible(low, high)
        return result

    @functools.cached_property
    def log_least_mass(self) -> float:
        """Natural logarithm of a lower bound on the positive masses: all blocks' least ones."""
        return self._total(np.minimum.reduceat(self._logs, self._rows.starts[:-1]))

    @functools.cached_property
    def log_error(self) -> float:
        """Bound on the error of ``log_pmf`` (see `Law.log_error`).

        Rounding errors (see `_tilting`) are multiplied by 100, the ratio of the largest mass of a
        window to the least one that is used; by 10⁴ where masses are uneven. Those of different
        blocks, and of different terms of a sum, are taken to be independent. Tests find at most a
        fiftieth of this, and a tenth where masses are uneven.
        """
        terms = self._rows.counts.sum() * np.diff(self._rows.starts).max()
        return 1e-12 * math.sqrt(float(terms)) - _ROUNDING * self.log_least_mass

    @property
    def first_tilt(self) -> float:
        """A tilt that moves the sum by about a standard deviation (see `Law.first_tilt`)."""
        return 1.0 / math.sqrt(self.variance) if self.reach else math.inf

    @property
    def gapless(self) -> bool:
        """Whether every integer between the ends is a possible outcome."""
        return self.step == 1 and self._possible.all


def law(blocks: Sequence[Block]) -> BlockSum:
    """Compute the law of a sum of independent integer-valued blocks.

    Parameters
    ----------
    blocks : sequence of (mapping or (mapping, int))
        For each block its pmf ``{value: mass}``, or for several equal ones a pair ``(pmf, count)``.
        Values are integers in ±10⁹; masses are floats or fractions, at least 0, that sum to 1
        within 1e-9 and are divided by their sum. Up to 10⁹ blocks in all.

    Returns
    -------
    BlockSum
        A `pkdp.profiles.laws.Law`.

    Raises
    ------
    ValueError
        If there are no blocks, a pmf is empty, has a negative mass or does not sum to 1, or if a
        value or a count is outside its range. On use: if a window would be longer than 2²⁴ steps (a
        step is the greatest common divisor of all differences of values), which happens from a
        standard deviation of about 750,000 steps; or if masses of a sum of more than 2048 steps are
        much smaller than their neighbours'.
    TypeError
        If a value or a count is not an integer, a mass not a number, or a pmf not a mapping.

    Notes
    -----
    Sums of at most 2048 steps are convolved directly, as floats with separate exponents; so are the
    last few masses at either end. Larger sums are tilted, and their characteristic function is
    evaluated at the few frequencies where it is not negligible; windows of many tilts make up the
    distribution. A transform would lose masses that are much smaller than their neighbours', such
    as those of odd sums if almost no block is odd; such sums are refused.

    A million equal blocks take milliseconds. Reading 10⁵ different blocks of six values each takes
    one or two seconds, and each tilt far from earlier ones a few tenths of a second.

    A profile lists the integers within some standard deviations, at most 2²⁵ of them for both
    laws. If that is too many, or if values are multiples of 50, say, count in larger units first.

    Which sums are possible follows from the sets of values alone (`BlockSum.possible`).

    Examples
    --------
    >>> law([{0: 0.5, 2: 0.5}, {-1: 0.25, 1: 0.75}]).window().weights.round(3).tolist()
    [0.125, 0.0, 0.5, 0.0, 0.375]
    >>> round(float(law([({0: 0.5, 2: 0.5}, 10**6)]).log_pmf(10**5, 10**5)[0]), 6)
    -494638.240397
    """
    return BlockSum(read(blocks))


def pair(blocks: Sequence[Block], shift: SupportsIndex = 1) -> Pair:
    """Return the pair ``(S + shift, S)`` for a sum S of independent blocks.

    Its privacy profile is that of the sum about a record that adds `shift` or nothing.

    Parameters
    ----------
    blocks : sequence of (mapping or (mapping, int))
        As in `law`.
    shift : int
        Not 0; in ±10⁹.

    Returns
    -------
    Pair
        Its profile is summed over all outcomes that matter, since the best event need not be a
        half-line.

    Raises
    ------
    ValueError
        If `shift` is 0 or outside its range; otherwise as in `law`.
    TypeError
        If `shift` is not an integer; otherwise as in `law`.

    Examples
    --------
    All sums are even, so a record that adds 1 is exposed:

    >>> pair([({0: 0.5, 2: 0.5}, 100)]).profile().delta(5.0)
    1.0

    A record that adds 2 is hidden as well as a record 1 among fair bits:

    >>> from pkdp import counting
    >>> profile = pair([({0: 0.5, 2: 0.5}, 100)], shift=2).profile()
    >>> round(profile.epsilon(1e-6), 9) == round(counting.exact([0.5] * 100).epsilon(1e-6), 9)
    True
    """
    by = as_integer(shift, "shift", -MOST_VALUE, MOST_VALUE)
    if by == 0:
        raise ValueError(f"shift must be an integer other than 0 in ±{MOST_VALUE}, got 0")
    base = law(blocks)
    return Pair(base.shift(by), base)
