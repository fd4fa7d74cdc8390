"""Fourier transforms of sums of independent losses, of which few frequencies matter.

The transform of a sum is a product over its laws. A frequency at which the product of the laws
taken so far is negligible is not looked at again; what is left out is bounded.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import fft
from scipy.sparse import csr_array

from pkdp.profiles._fourier import ComplexArray
from pkdp.profiles.logarithms import FloatArray, IntArray

# The part of a frequency that is left out: its logarithm.
LOG_NOTHING = -60.0
# Few masses are added up one by one, which rounds less than a transform.
_FEW_MASSES = 8
# How many products of a frequency and a loss are held at once.
_BLOCK = 2**18
# Of more laws than this so many at a time tell which frequencies matter.
MANY_LAWS, _TOGETHER = 32, 16
# How many frequencies one of a short transform stands for.
STRIDE = 16
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class TiltedWindow:
    """The tilted law of a sum around its mean.

    It is given by its transform of some size, of which only the frequencies that are not negligible
    are kept. Each mass may have an error, whose root of the sum of squares is `error` and which is
    at most `each`, all together one of a relative `relative`, and what lies outside has a
    probability of at most `missed`.
    """

    first: int
    size: int
    frequencies: IntArray
    spectrum: ComplexArray
    error: float
    each: float
    relative: float
    missed: float

    @functools.cached_property
    def masses(self) -> FloatArray:
        spectrum = np.zeros(self.size // 2 + 1, dtype=np.complex128)
        spectrum[self.frequencies] = self.spectrum
        masses = np.maximum(fft.irfft(spectrum, self.size), 0.0)
        return np.roll(masses, -(self.first % self.size))

    def decayed(self, start: int, rate: float, side: int = 1) -> tuple[float, float]:
        """Return ``Σ e^{-rate·i}·m_{start ± i}`` of the masses m, and a bound of its rounding.

        Each frequency adds a geometric series, so that few of them need no masses.
        """
        number = self.size - start if side > 0 else start + 1
        turn = 2.0 * math.pi / self.size
        # Whole turns are taken off before they are rounded.
        origin = (self.first + start) % self.size
        begin = np.exp(1j * turn * (self.frequencies * origin % self.size))
        ends = side * turn * (self.frequencies * number % self.size)
        steps = -np.expm1(-rate + 1j * side * turn * self.frequencies)
        sums = -np.expm1(-rate * number + 1j * ends)
        level = steps == 0.0  # at the frequency 0, without a decay
        sums[level], steps[level] = number, 1.0
        # All but the first and the last of the frequencies there are stand for two.
        weights = np.where(self.frequencies % (self.size // 2) > 0, 2.0, 1.0) / self.size
        most = float((weights * np.abs(self.spectrum / steps)).sum())
        value = float((weights * (self.spectrum * begin * (sums / steps)).real).sum())
        # No term is above two of what `most` adds up. Of such a term its angles, which are at most
        # 2π, the two differences and their quotient, and its part of a sum of thousands, are
        # rounded by some 180 units of what `most` adds up together; one has the `decay`, too.
        return value, 256.0 * _UNIT * (most + 1.0)


class TransformProduct:
    """The transform of a sum, as laws are added to it, where it is not negligible.

    `most` is a bound of its modulus; the error is at most `most·parts`. For a power of a factor z
    that is off by e, ``|(z + e)^k - z^k| ≤ k·e·(|z| + e)^(k-1)``, and powers are rounded, too.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.frequencies = np.arange(size // 2 + 1)
        self.spectrum: ComplexArray = np.ones(self.frequencies.size, dtype=np.complex128)
        self.most = np.ones(self.frequencies.size)
        self.parts = np.zeros(self.frequencies.size)

    @functools.cached_property
    def table(self) -> ComplexArray:
        """All powers, each a product of two."""
        wide = math.isqrt(self.size) + 1
        turn = -2j * math.pi / self.size
        far = np.exp(turn * (wide * np.arange(wide) % self.size))
        return np.asarray((far[:, None] * np.exp(turn * np.arange(wide))).ravel()[: self.size])

    def powers(self, indices: IntArray, frequencies: IntArray) -> ComplexArray:
        """Return ``exp(-2πi·index·frequency/size)`` for all of both, an index to a row."""
        angles = (indices % self.size)[:, None] * frequencies % self.size
        if "table" in self.__dict__ or 4 * angles.size > self.size:
            return np.asarray(self.table[angles])
        return np.asarray(np.exp(-2j * math.pi / self.size * angles))

    def waves(self, indices: IntArray, weights: FloatArray, frequencies: IntArray) -> ComplexArray:
        """Return the transform of a law at some frequencies."""
        total = np.zeros(frequencies.size, dtype=np.complex128)
        block = max(1, _BLOCK // max(1, frequencies.size))
        for i in range(0, indices.size, block):
            some = weights[i : i + block].astype(np.complex128)  # or the product is slow
            total += some @ self.powers(indices[i : i + block], frequencies)
        return total

    def several(
        self, indices: IntArray, weights: FloatArray, starts: IntArray, frequencies: IntArray
    ) -> ComplexArray:
        """Return the transforms of laws, one after the other, at some frequencies."""
        points, which = np.unique(indices, return_inverse=True)
        laws = csr_array(
            (weights, which, np.append(starts, indices.size)), (starts.size, points.size)
        )
        return np.asarray(laws @ self.powers(points, frequencies))

    def transform(
        self, indices: IntArray, masses: FloatArray, frequencies: IntArray, least: float
    ) -> tuple[IntArray, ComplexArray, float]:
        """Return which of some frequencies may have a transform above `least`.

        Also the transform there, and how far off it may be. Between two frequencies it changes by
        no more than their distance times the law's mean deviation, so that of a law that is narrow
        for the size a short transform tells which few to look at.
        """
        size = self.size
        everywhere = np.arange(frequencies.size)
        off = _UNIT * (32.0 + masses.size)
        if masses.size <= _FEW_MASSES or frequencies.size * masses.size <= size:
            return everywhere, self.waves(indices, masses, frequencies), off
        centre = round(float(masses @ indices))
        half = size // 2
        points, which = np.unique((indices - centre + half) % size - half, return_inverse=True)
        folded = np.bincount(which, masses)
        rounding = 8.0 * _UNIT * math.log2(size) * math.sqrt(size) * float(np.linalg.norm(folded))
        turn = 2.0 * math.pi / size
        slack = turn * STRIDE / 2 * float(folded @ np.abs(points)) + rounding
        if slack < 0.5 * least:
            short = size // STRIDE
            is_loud = np.abs(fft.rfft(np.bincount(points % short, folded, short))) + slack > least
            nearest = np.minimum((frequencies + STRIDE // 2) // STRIDE, short // 2)
            where = np.flatnonzero(is_loud[nearest])
            if where.size * points.size <= size:
                return where, self.waves(indices, masses, frequencies[where]), off
        whole = fft.rfft(np.bincount((points + centre) % size, folded, size))
        return everywhere, np.asarray(whole[frequencies]), rounding

    def add(
        self, indices: IntArray, weights: FloatArray, starts: IntArray, times: IntArray
    ) -> None:
        """Multiply by the transforms of some laws."""
        nothing = math.exp(LOG_NOTHING)
        ends = np.append(starts[1:], indices.size)
        i = 0
        while i < starts.size:
            # As many laws at once as fit a block.
            fit = starts[i] + _BLOCK // self.frequencies.size
            j = i + max(1, int(np.searchsorted(ends[i:], fit, side="right")))
            span = slice(starts[i], ends[j - 1])
            k = times[i:j, None]
            if j == i + 1:
                where, factor, off = self.transform(
                    indices[span], weights[span], self.frequencies, nothing ** (1.0 / times[i])
                )
                factors = factor[None, :]
                self._keep(where)
            else:
                factors = self.several(
                    indices[span], weights[span], starts[i:j] - starts[i], self.frequencies
                )
                off = _UNIT * (32.0 + float((ends[i:j] - starts[i:j]).max()))
            self._multiply(factors, k, off + 16.0 * _UNIT)
            self._keep(self.most > nothing)
            i = j

    def screen(self, indices: IntArray, weights: FloatArray, starts: IntArray) -> None:
        """Drop the frequencies at which some of many laws have a negligible product.

        A few of them at a time are summed by short transforms. That rounds more than anything
        else, but all that is used of it is an upper bound.
        """
        size, bound = self.size, np.ones(self.frequencies.size)
        ends = np.append(starts[1:], indices.size)
        widths = indices[ends - 1] - indices[starts]
        together = min(_TOGETHER, size // (4 * (int(widths.mean()) + 1)))
        groups = math.ceil(starts.size / max(1, together))
        for group in range(groups if together > 1 else 0):
            laws = slice(group, None, groups)
            length = fft.next_fast_len(int(widths[laws].sum()) + 1, real=True)
            short: ComplexArray = np.ones(length // 2 + 1, dtype=np.complex128)
            for start, end in zip(starts[laws], ends[laws], strict=True):
                at = indices[start:end] - indices[start]
                short *= fft.rfft(np.bincount(at, weights[start:end]), length)
            unit = 8.0 * _UNIT * math.log2(size)
            off = unit * (math.sqrt(length) + (together + 1) * length + math.sqrt(size))
            whole = fft.rfft(fft.irfft(short, length), size)[self.frequencies]
            bound *= np.minimum(np.abs(whole) + off, 1.0)
            self._keep(loud := bound > math.exp(LOG_NOTHING))
            bound = bound[loud]
            if self.frequencies.size < size // 256:
                break

    def _multiply(self, factors: ComplexArray, k: IntArray, off: float) -> None:
        modulus = np.abs(factors)
        most = np.minimum(modulus + off, 1.0)
        if (k == 1).all():
            self.spectrum = self.spectrum * factors.prod(axis=0)
            self.most = self.most * most.prod(axis=0)
        else:
            turned = np.exp(1j * (k * np.angle(factors) % (2.0 * math.pi)))
            self.spectrum = self.spectrum * (modulus**k * turned).prod(axis=0)
            self.most = self.most * (most**k).prod(axis=0)
        self.parts = self.parts + (k * (off / most)).sum(axis=0)

    def _keep(self, where: npt.NDArray[Any]) -> None:
        self.frequencies, self.spectrum = self.frequencies[where], self.spectrum[where]
        self.most, self.parts = self.most[where], self.parts[where]
