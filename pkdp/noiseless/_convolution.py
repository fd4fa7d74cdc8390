"""Direct convolution of scaled masses: sums with full relative accuracy in every mass.

All terms are positive, so nothing cancels. A mass is a float and a power of 2, so that it cannot
underflow; it is 0 if and only if no choice of values has that sum.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pkdp.noiseless._integer_laws import Rows
from pkdp.profiles.logarithms import FloatArray, IntArray

# Where no mass is below this part of the largest one, no product underflows.
_SAFE = 2.0**-480
_NONE = -(2**40)
# Of a window around the mean, masses of at most 2 to this are left out at either end.
_LEAST_EXPONENT = -300

Exponents = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Scaled:
    """Masses ``mantissas·2^exponents`` of consecutive outcomes; mantissas are in [½, 1) or 0."""

    mantissas: FloatArray
    exponents: Exponents
    first: int = 0

    @classmethod
    def of(cls, values: FloatArray, exponents: Exponents | int = 0, first: int = 0) -> Scaled:
        """Return masses ``values·2^exponents``."""
        mantissas, powers = np.frexp(values)
        large = powers.astype(np.int64) + exponents
        return cls(mantissas, np.where(mantissas > 0.0, large, np.int64(_NONE)), first)

    @property
    def size(self) -> int:
        """The number of masses."""
        return self.mantissas.size

    @property
    def logs(self) -> FloatArray:
        """Natural logarithms; -inf for a mass of 0."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.mantissas)
        return np.asarray(np.where(self.mantissas > 0.0, logs + self.exponents * np.log(2.0), logs))

    def part(self, start: int, stop: int) -> Scaled:
        """Return some of the masses."""
        here = slice(start, stop)
        return Scaled(self.mantissas[here], self.exponents[here], self.first + start)

    def without_tails(self) -> Scaled:
        """Return the masses between the first and the last that are not tiny."""
        matter = np.flatnonzero(self.exponents > _LEAST_EXPONENT)
        return self.part(int(matter[0]), int(matter[-1]) + 1)

    def as_floats(self) -> tuple[FloatArray, int] | None:
        """Return the masses as floats, and a common power of 2; None if their range is too wide."""
        top = int(self.exponents.max())
        values = np.ldexp(self.mantissas, np.maximum(self.exponents - top, -2000))
        tiny = (self.mantissas > 0.0) & (values < _SAFE)
        return None if tiny.any() else (values, top)

    def __mul__(self, other: Scaled) -> Scaled:
        """Return the masses of the sum of two independent numbers."""
        one, two = self.as_floats(), other.as_floats()
        if one is not None and two is not None:
            return Scaled.of(np.convolve(one[0], two[0]), one[1] + two[1], self.first + other.first)
        short, long = sorted((self, other), key=lambda factor: factor.size)
        size = short.size + long.size - 1
        used = np.flatnonzero(short.mantissas)
        # The largest power of 2 at each outcome, against which the others are added.
        top = np.full(size, _NONE, dtype=np.int64)
        for a in used:
            here = top[a : a + long.size]
            np.maximum(here, long.exponents + short.exponents[a], out=here)
        values = np.zeros(size)
        for a in used:
            powers = long.exponents + short.exponents[a] - top[a : a + long.size]
            terms = short.mantissas[a] * long.mantissas
            values[a : a + long.size] += np.ldexp(terms, np.maximum(powers, -2000))
        return Scaled.of(values, top, self.first + other.first)


Plus = Callable[[Scaled, Scaled], Scaled]


def log_masses(rows: Rows) -> FloatArray:
    """Return ``ln P`` of ``origin + step·i``, i = 0…reach; -inf for what is impossible."""
    factors = [Scaled.of(np.ones(1))]
    for j, count in enumerate(rows.counts):
        factors.append(_repeated(Scaled.of(_dense(*rows.row(j))), int(count), operator.mul))
    return _together(factors, operator.mul).logs


def _dense(offsets: IntArray, masses: FloatArray) -> FloatArray:
    """Return the masses of all outcomes up to the last offset."""
    dense = np.zeros(int(offsets[-1]) + 1)
    dense[offsets] = masses
    return dense


def _repeated(one: Scaled, count: int, plus: Plus) -> Scaled:
    """Return the sum of so many independent numbers of one law, by doubling."""
    if count == 1:
        return one
    half = _repeated(one, count // 2, plus)
    twice = plus(half, half)
    return plus(twice, one) if count % 2 else twice


def _together(parts: list[Scaled], plus: Plus) -> Scaled:
    """Return the sum of independent numbers: neighbours in size first, two by two."""
    while len(parts) > 1:
        parts.sort(key=lambda part: part.size)
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [plus(one, other) for one, other in pairs] + parts[len(parts) // 2 * 2 :]
    return parts[0]


def log_masses_from_end(rows: Rows, size: int, last: bool) -> FloatArray:
    """Return ``ln P`` of so many outcomes in steps, from the first one on or up to the last one."""

    def plus(one: Scaled, other: Scaled) -> Scaled:
        return (one * other).part(0, size)

    result = Scaled.of(np.ones(1))
    for j, count in enumerate(rows.counts):
        offsets, masses = rows.row(j)
        dense = np.zeros(size)
        away = offsets[-1] - offsets if last else offsets
        dense[away[away < size]] = masses[away < size]
        result = plus(result, _repeated(Scaled.of(dense), int(count), plus))
    logs = np.full(size, -np.inf)
    logs[: result.size] = result.logs
    return logs[::-1] if last else logs


def log_masses_around(rows: Rows, masses: FloatArray) -> tuple[int, FloatArray]:
    """Return the first outcome of a window around the mean, in steps, and ln of its masses.

    Parameters
    ----------
    rows : Rows
        The blocks.
    masses : ndarray
        To be taken in place of theirs.
    """

    def plus(one: Scaled, other: Scaled) -> Scaled:
        return (one * other).without_tails()

    parts = []
    for j, count in enumerate(rows.counts):
        here = slice(rows.starts[j], rows.starts[j + 1])
        part = Scaled.of(_dense(rows.offsets[here], masses[here]))
        parts.append(_repeated(part, int(count), plus))
    whole = _together(parts, plus)
    return whole.first, whole.logs
