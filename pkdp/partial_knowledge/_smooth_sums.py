"""Sums over the size of the privacy blanket, of what is smooth but for the lattice.

The excess of a count of c fair coins is a Fourier integral over c and the distance u of an event
from the tilted mean (`pkdp.profiles._fourier`), and so analytic in both; only the distance, which
runs through the fractional parts of the multiples of a number, jumps from one c to the next. The
integral is thus evaluated at a few Chebyshev nodes, and a polynomial of low degree at all sizes;
the logarithms of the sizes' probabilities are another one. Degrees fall with the number of sizes,
and what is left is some ten nanoseconds for each of O(√N) sizes.

Nor need all of them be looked at where there are very many. Blocks of consecutive sizes have the
same fractional parts but for a shift, so that sums of powers over the parts of one block, in their
order, are those over any block: the shift tells which of its parts are beyond 1. That makes some
hundred blocks of a thousand sizes O(N^¼) for all (`_sum_of_blocks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev, chebyshev
from numpy.polynomial import Polynomial as Powers
from scipy.special import expit, logit

from pkdp.profiles.laws import log_binomial_pmf, reach_of
from pkdp.profiles.logarithms import FloatArray, IntArray

RealArray = npt.NDArray[np.floating[Any]] | IntArray

# Nodes of an interpolation.
_NODES = 24
# So many sizes have their probabilities computed one by one; so many are worked through at a time,
# as more would not fit the caches.
_FEW_SIZES, _BLOCK = 4096, 4096
# From so many sizes on they are summed block by block, if so few powers of the distance do: at
# least so many blocks, in each of which so many nodes do for a probability and a smooth function.
_MANY_SIZES, _FEW_POWERS, _BLOCKS, _IN_BLOCK = 2**16, 16, 512, 8
# Degree of the polynomial through logarithms of masses; where its coefficients count as 0.
_DEGREE, _ZERO = 12, 1e-14
# From so many coins on, of so large a variance once they are tilted, polynomials do.
_MANY_COINS, _WIDE = 4000, 32.0
# What polynomials may leave out, as a part of max(1, |ln δ|), and at most.
_NO_PART, _SMALL_PART = 1e-14, 1e-6


def no_part(log_scale: float, eps: float) -> float:
    """Return what a polynomial may leave out of its largest value, where ln δ is `log_scale`.

    By e^ε at most the largest value exceeds those that matter.
    """
    return min(_NO_PART * max(1.0, -log_scale * math.exp(-eps)), _SMALL_PART)


def nodes(low: float, high: float, number: int = _NODES) -> FloatArray:
    """Return the Chebyshev nodes of an interval."""
    x = np.cos((np.arange(number) + 0.5) * (np.pi / number))
    return np.asarray(low + (high - low) * (x + 1.0) / 2.0)


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in one or two variables through values at Chebyshev nodes.

    Attributes
    ----------
    coefficients : ndarray
        Of Chebyshev polynomials, an axis for each variable.
    intervals : tuple of (low, high)
        Where each variable lies.
    """

    coefficients: FloatArray
    intervals: tuple[tuple[float, float], ...]

    @classmethod
    def through(
        cls, values: FloatArray, *intervals: tuple[float, float], no_part: float
    ) -> Polynomial:
        """Return the polynomial that has values at nodes, in each variable of `intervals`.

        Coefficients below `no_part` of the largest are left out where none of higher degree stays.
        """
        for axis in range(values.ndim):
            transform = _to_coefficients(values.shape[axis])
            values = np.moveaxis(np.tensordot(transform, values, (1, axis)), 0, axis)
        matters = np.abs(values) > no_part * np.abs(values).max()
        kept = tuple(slice(int(indices.max(initial=0)) + 1) for indices in np.nonzero(matters))
        return cls(values[kept], intervals)

    def __call__(self, *variables: RealArray) -> FloatArray:
        """Return the values for arrays of one shape, or for several rows of the second one."""
        result = self.coefficients
        for x, (low, high) in zip(variables, self.intervals, strict=True):
            scaled = (2.0 * x - (low + high)) / (high - low)
            result = chebyshev.chebval(scaled, result, tensor=result is self.coefficients)
        return np.asarray(result)

    def from_origin(self, x: FloatArray, origin: int) -> FloatArray:
        """Return the values where the first variable is ``origin + x``, or what is left of it.

        Next to a large origin floats would have lost the last digits of x. Of two variables the
        coefficients in the second one are left, along the first axis.
        """
        low, high = self.intervals[0]
        scaled = (2.0 * x - (low + high - 2.0 * origin)) / (high - low)
        return np.asarray(chebyshev.chebval(scaled, self.coefficients))


def _to_coefficients(number: int) -> FloatArray:
    """Return the matrix from values at so many nodes to coefficients of Chebyshev polynomials."""
    angles = (np.arange(number) + 0.5) * (np.pi / number)
    transform = np.cos(np.outer(np.arange(number), angles)) * (2.0 / number)
    transform[0] /= 2.0
    return np.asarray(transform)


@dataclass(frozen=True)
class Multiples:
    """The fractional parts of the multiples of a number φ in (0, 1).

    Attributes
    ----------
    fixed : int
        ⌊φ·2¹²⁸⌋: in floats fractional parts of large multiples would lose all digits.
    """

    fixed: int

    def fractions(self, first: int, count: int) -> FloatArray:
        """Return fractional parts of j·φ for j = first, …, first + count - 1."""
        # Rounding to 2⁻⁵³ may carry a fraction up to 1; it then belongs to the next integer.
        parts = self.units(first, count).astype(np.float64) * 2.0**-64
        return np.minimum(parts, np.nextafter(1.0, 0.0))

    def units(self, first: int, count: int) -> npt.NDArray[np.uint64]:
        """Return the same as multiples of 2⁻⁶⁴, rounded down; a few thousand at a time."""
        return self.unit(first) + np.uint64(self.fixed >> 64) * np.arange(count, dtype=np.uint64)

    def unit(self, j: int) -> np.uint64:
        """Return the first of `units`."""
        return np.uint64((j * self.fixed >> 64) & (2**64 - 1))


@dataclass(frozen=True)
class OnLattice:
    """A function of a size c that is smooth but for the lattice.

    Attributes
    ----------
    polynomial : Polynomial
        In c, and in the fractional part of (c + offset)·φ.
    multiples : Multiples
        Those of φ.
    offset : int
    """

    polynomial: Polynomial
    multiples: Multiples
    offset: int

    def __call__(self, sizes: IntArray) -> FloatArray:
        """Return the values for consecutive sizes."""
        parts = self.multiples.fractions(int(sizes[0]) + self.offset, sizes.size)
        return self.polynomial(sizes, parts)


@dataclass(frozen=True)
class Sizes:
    """The sizes ``C ~ Bin(N, p)`` of a blanket that have probabilities worth adding up.

    Attributes
    ----------
    unknown : int
        N.
    log_odds : float
        Of p; inf for 1.
    """

    unknown: int
    log_odds: float

    @classmethod
    def of_blanket(cls, unknown: int, lam: float, log_tilt: float) -> Sizes:
        """Return the sizes of a blanket, p = 2λ, tilted."""
        with np.errstate(divide="ignore"):
            return cls(unknown, float(logit(2.0 * lam)) + log_tilt)

    def are_large(self, variance: float) -> bool:
        """Return whether polynomials do for coins of that variance, once they are tilted."""
        return self.first >= _MANY_COINS and self.first * variance >= _WIDE

    @property
    def _is_likely(self) -> bool:
        return self.log_odds > 0.0

    @property
    def first(self) -> int:
        """The smallest of them."""
        return max(0, self._centre - self._reach)

    @property
    def last(self) -> int:
        """The largest of them."""
        return min(self.unknown, self._centre + self._reach)

    @property
    def _rarer(self) -> float:
        return float(expit(-abs(self.log_odds)))

    @property
    def _centre(self) -> int:
        missing = round(self.unknown * self._rarer)
        return self.unknown - missing if self._is_likely else missing

    @property
    def _reach(self) -> int:
        return reach_of(self.unknown * self._rarer * (1.0 - self._rarer))

    def _log_pmf(self, sizes: IntArray) -> FloatArray:
        rarer = self.unknown - sizes if self._is_likely else sizes
        return log_binomial_pmf(rarer, self.unknown, self._rarer)

    def mean(self, value: Callable[[IntArray], FloatArray]) -> float:
        """Return the mean of a function of the size."""
        log_pmf: Callable[[IntArray], FloatArray] = self._log_pmf
        first, last = self.first, self.last
        if last - first >= _FEW_SIZES:
            # Through integers next to the nodes; there is no formula in between.
            interval = float(first), float(last)
            chosen = np.rint(nodes(*interval)).astype(np.int64)
            x = (2.0 * chosen - (first + last)) / (last - first)
            fit = chebyshev.chebtrim(chebyshev.chebfit(x, self._log_pmf(chosen), _DEGREE), _ZERO)
            log_pmf = Polynomial(np.asarray(fit, dtype=np.float64), (interval,))
        total = weight = 0.0
        if (
            isinstance(value, OnLattice)
            and isinstance(log_pmf, Polynomial)
            and last - first >= _MANY_SIZES
            and value.polynomial.coefficients.shape[1] <= _FEW_POWERS
        ):
            size = min(_BLOCK, 1 << ((last - first) // _BLOCKS).bit_length() - 1)
            number = (last + 1 - first) // size
            total, weight = _sum_of_blocks(log_pmf, value, first, size, number)
            first += size * number
        for start in range(first, last + 1, _BLOCK):
            sizes = np.arange(start, min(start + _BLOCK, last + 1))
            weights = np.exp(log_pmf(sizes))
            total += float(weights @ value(sizes))
            weight += float(weights.sum())
        return total / weight


def _sum_of_blocks(
    log_pmf: Polynomial, value: OnLattice, first: int, size: int, number: int
) -> tuple[float, float]:
    """Return the sums of a probability times a function, and of probabilities, over all blocks.

    In a block the size is c = start + i, and the fractional part of its multiple is r = s + y, or
    s + y - 1 if that is not below 1, y that of i·φ. Probability and function are a polynomial in i
    and r, and so in i and y; and sums of ``T_p(i)·y^j`` over the smallest y are the same in each.
    """
    starts = size * np.arange(number)
    at = starts[:, None] + nodes(0.0, size - 1.0, _IN_BLOCK)
    weights = np.exp(log_pmf.from_origin(at, first))
    in_r = value.polynomial.from_origin(at, first)
    # Chebyshev polynomials in i, and powers of r.
    transform = _to_coefficients(_IN_BLOCK)
    in_powers = np.tensordot(_to_powers(len(in_r)), (weights * in_r) @ transform.T, 1)

    parts = value.multiples.units(0, size)
    order = np.argsort(parts)
    i = (2.0 * order - (size - 1)) / (size - 1)
    of_i = chebyshev.chebvander(i, _IN_BLOCK - 1)
    of_y = np.vander(parts[order] * 2.0**-64, len(in_r), increasing=True)
    sums = np.zeros((size + 1, _IN_BLOCK, len(in_r)))
    np.cumsum(of_i[:, :, None] * of_y[:, None, :], axis=0, out=sums[1:])

    units = np.array([value.multiples.unit(c + value.offset) for c in (first + starts).tolist()])
    carried = np.searchsorted(parts[order], ~units, side="right")  # from there on s + y ≥ 1
    shift = units * 2.0**-64
    below, beyond = sums[carried], sums[-1] - sums[carried]
    total = 0.0
    for less, of_block in ((0.0, below), (1.0, beyond)):
        in_y = in_powers.copy()
        for k in range(len(in_y) - 1):  # Taylor's shift, by Horner's rule
            for j in range(len(in_y) - 2, k - 1, -1):
                in_y[j] += (shift - less)[:, None] * in_y[j + 1]
        total += float(np.einsum("jbp,bpj->", in_y, of_block))
    return total, float((weights @ transform.T).sum(axis=0) @ sums[-1, :, 0])


def _to_powers(number: int) -> FloatArray:
    """Return the matrix from coefficients of Chebyshev polynomials on [0, 1] to those of powers."""
    columns = np.zeros((number, number))
    for k in range(number):
        in_powers = Chebyshev.basis(k, domain=[0.0, 1.0]).convert(kind=Powers, domain=[-1.0, 1.0])
        columns[: k + 1, k] = in_powers.coef
    return columns
