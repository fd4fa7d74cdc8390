"""Fourier transforms of sums of independent losses, of which few frequencies matter.

The transform of a sum is a product over its laws. A frequency at which the product is negligible is
left out, and what that may change is bounded.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from scipy import fft
from scipy.sparse import csr_array

from pkdp.profiles._fourier import ComplexArray
from pkdp.profiles.logarithms import FloatArray, IntArray

# The part of a frequency that is left out: its logarithm.
LOG_NOTHING = -60.0
# A sum of so few frequencies is faster than one of the masses.
FEW_FREQUENCIES = 2**12
# Where a factor has decayed to this (logarithm), masses are left out of a sum.
LOG_DECAYED = -42.0
# How many frequencies one of a short transform stands for.
STRIDE = 16
# Of many laws so few frequencies are left that the other laws need not say which matter.
_SCREENED = 64
# How many products of a frequency and a loss are held at once.
_BLOCK = 2**18
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

    def decayed(self, place: int, rate: float, side: int = 1) -> tuple[float, float]:
        """Return ``Σ e^{-rate·i}·m_{place ± i}`` of the masses m, and a bound of its rounding."""
        number = self.size - place if side > 0 else place + 1
        if self.frequencies.size <= FEW_FREQUENCIES:
            return self._decayed_waves(place, rate, side, number)
        near = min(number, math.ceil(-LOG_DECAYED / rate)) if rate > 0.0 else number
        masses = self.masses[place : place + near]
        if side < 0:
            masses = self.masses[place + 1 - near : place + 1][::-1]
        value = float((masses * np.exp(-rate * np.arange(near))).sum())  # in pairs
        return value, 256.0 * _UNIT * value + (math.exp(LOG_DECAYED) if near < number else 0.0)

    def _decayed_waves(
        self, place: int, rate: float, side: int, number: int
    ) -> tuple[float, float]:
        """Return what `decayed` does: each frequency adds a geometric series."""
        turn = 2.0 * math.pi / self.size
        # Whole turns are taken off before they are rounded.
        origin = (self.first + place) % self.size
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


def transform_of_sum(
    indices: IntArray, masses: FloatArray, starts: IntArray, times: IntArray, size: int
) -> tuple[IntArray, ComplexArray, FloatArray]:
    """Return the transform of a sum of laws, one after the other, each so many times.

    Returns
    -------
    frequencies : ndarray of int
        Those at which it is not negligible.
    spectrum, error : ndarray
        Its values there, and how far off each may be. For a power of a factor z that is off by e,
        ``|(z + e)^k - z^k| ≤ k·e·(|z| + e)^(k-1)``, and powers are rounded, too.
    """
    frequencies, turns = _loud(indices, masses, starts, times, size), _turns(size)
    spectrum: ComplexArray = np.ones(frequencies.size, dtype=np.complex128)
    most, parts = np.ones(frequencies.size), np.zeros(frequencies.size)
    ends = np.append(starts[1:], indices.size)
    i = 0
    while i < starts.size:
        # As many laws at once as fit a block.
        fit = starts[i] + _BLOCK // max(1, frequencies.size)
        j = i + max(1, int(np.searchsorted(ends[i:], fit, side="right")))
        points, where = np.unique(indices[starts[i] : ends[j - 1]] % size, return_inverse=True)
        weights, k = masses[starts[i] : ends[j - 1]], times[i:j, None]
        if j == i + 1 and points.size * frequencies.size > 3 * size:
            folded = np.bincount(points[where], weights, size)
            factors = fft.rfft(folded)[None, frequencies]
            off = _rounding(math.sqrt(float((folded * folded).sum())), size)
        else:
            bounds = np.append(starts[i:j], ends[j - 1]) - starts[i]
            laws = csr_array((weights, where, bounds), (j - i, points.size))
            factors = laws @ turns[points[:, None] * frequencies % size]
            off = _UNIT * (32.0 + np.diff(bounds)[:, None])
        modulus, off = np.abs(factors), off + 16.0 * _UNIT
        at_most = np.minimum(modulus + off, 1.0)
        if (k > 1).any():
            factors = modulus**k * np.exp(1j * (k * np.angle(factors) % (2.0 * math.pi)))
        spectrum = spectrum * factors.prod(axis=0)
        most = most * (at_most**k).prod(axis=0)
        parts = parts + (k * (off / at_most)).sum(axis=0)
        kept = most > math.exp(LOG_NOTHING)
        frequencies, spectrum = frequencies[kept], spectrum[kept]
        most, parts = most[kept], parts[kept]
        i = j
    return frequencies, spectrum, most * parts


def _loud(
    indices: IntArray, masses: FloatArray, starts: IntArray, times: IntArray, size: int
) -> IntArray:
    """Return the frequencies at which the transform of a sum may not be negligible.

    Between two frequencies that of a law changes by no more than their distance times its mean
    deviation, so that of laws that are narrow for the size a short transform tells which.
    """
    short, rounding = size // STRIDE, _rounding(1.0, size)
    near, log_most = np.arange(short // 2 + 1), np.zeros(short // 2 + 1)
    ends = np.append(starts[1:], indices.size)
    for i in np.argsort(indices[starts] - indices[ends - 1], kind="stable"):  # the widest first
        points, weights = indices[starts[i] : ends[i]], masses[starts[i] : ends[i]]
        points = points - round(float((weights * points).sum()))
        folded = np.bincount(points % short, weights, short)
        slack = math.pi * STRIDE / size * float((weights * np.abs(points)).sum()) + rounding
        if slack < 0.5:
            modulus = np.abs(fft.rfft(folded))[near]
            log_most += times[i] * np.log(np.minimum(modulus + slack, 1.0))
            is_loud = log_most > LOG_NOTHING
            near, log_most = near[is_loud], log_most[is_loud]
        if near.size < short // _SCREENED:
            break
    every = (STRIDE * near[:, None] + np.arange(1 - STRIDE // 2, STRIDE // 2 + 1)).ravel()
    return every[(every >= 0) & (every <= size // 2)]


def _rounding(norm: float, size: int) -> float:
    """Return a bound of the rounding of a transform of masses of some norm, at each frequency."""
    return 8.0 * _UNIT * math.log2(size) * math.sqrt(size) * norm


def _turns(size: int) -> ComplexArray:
    """Return ``exp(-2πi·j/size)`` for all j, each a product of two."""
    wide = math.isqrt(size) + 1
    turn = -2j * math.pi / size
    far = np.exp(turn * (wide * np.arange(wide) % size))
    return np.asarray((far[:, None] * np.exp(turn * np.arange(wide))).ravel()[:size])
