"""Direct convolution of scaled masses: sums with full relative accuracy in every mass.

All terms are positive, so nothing cancels. A mass is a float and a power of 2, so that it cannot
underflow; it is 0 if and only if no choice of values has that sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pkdp.noiseless._integer_laws import Rows
from pkdp.profiles.logarithms import FloatArray, log_positive

# Where no mass is below this part of the largest one, no product underflows.
_SAFE = 2.0**-480
_NONE = -(2**40)

Exponents = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Scaled:
    """Masses ``mantissas·2^exponents`` of consecutive outcomes; mantissas are in [½, 1) or 0."""

    mantissas: FloatArray
    exponents: Exponents

    @classmethod
    def of(cls, values: FloatArray, exponents: Exponents | int = 0) -> Scaled:
        """Return masses ``values·2^exponents``."""
        mantissas, powers = np.frexp(values)
        large = powers.astype(np.int64) + exponents
        return cls(mantissas, np.where(mantissas > 0.0, large, np.int64(_NONE)))

    @property
    def size(self) -> int:
        """The number of masses."""
        return self.mantissas.size

    @property
    def logs(self) -> FloatArray:
        """Natural logarithms; -inf for a mass of 0."""
        logs = log_positive(self.mantissas)
        return np.asarray(np.where(self.mantissas > 0.0, logs + self.exponents * np.log(2.0), logs))

    def up_to(self, size: int) -> Scaled:
        """Return the first so many masses."""
        return Scaled(self.mantissas[:size], self.exponents[:size])

    def as_floats(self) -> tuple[FloatArray, int] | None:
        """Return the masses as floats, and a common power of 2; None if their range is too wide."""
        top = int(self.exponents.max())
        values = np.ldexp(self.mantissas, np.maximum(self.exponents - top, -2000))
        tiny = (self.mantissas > 0.0) & (values < _SAFE)
        return None if tiny.any() else (values, top)

    def __mul__(self, other: Scaled) -> Scaled:
        """Return the masses of the sum of two independent numbers."""
        one = self.as_floats()
        two = one if other is self else other.as_floats()
        if one is not None and two is not None:
            return Scaled.of(np.convolve(one[0], two[0]), one[1] + two[1])
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
        return Scaled.of(values, top)


def log_masses(rows: Rows, size: int | None = None) -> FloatArray:
    """Return ``ln P`` of ``origin + step·i``, i ≤ reach or i < size; -inf for the impossible."""
    logs = np.full(rows.reach + 1 if size is None else size, -np.inf)
    found = _convolved(rows, logs.size).logs
    logs[: found.size] = found
    return logs


def _convolved(rows: Rows, size: int) -> Scaled:
    """Return the sum of all blocks; of each part of the sum only the first so many outcomes."""

    def plus(one: Scaled, other: Scaled) -> Scaled:
        return (one * other).up_to(size)

    def repeated(one: Scaled, count: int) -> Scaled:
        if count == 1:
            return one
        half = repeated(one, count // 2)
        twice = plus(half, half)
        return plus(twice, one) if count % 2 else twice

    parts = []
    for j, count in enumerate(rows.counts.tolist()):
        here = slice(rows.starts[j], rows.starts[j + 1])
        dense = np.zeros(int(rows.widths[j]) + 1)
        dense[rows.offsets[here]] = rows.masses[here]
        parts.append(repeated(Scaled.of(dense).up_to(size), count))
    while len(parts) > 1:  # neighbours in size first, two by two
        parts.sort(key=lambda part: part.size)
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [plus(one, other) for one, other in pairs] + parts[len(parts) // 2 * 2 :]
    return parts[0]
