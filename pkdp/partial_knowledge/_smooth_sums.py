"""Sums over the size of the privacy blanket, of what is smooth but for the lattice.

The excess of a count of c fair coins is a Fourier integral over c and the distance u of an event
from the tilted mean (`pkdp.profiles._fourier`), and so analytic in both; only the distance, which
runs through the fractional parts of the multiples of a number, jumps from one c to the next. The
integral is thus evaluated at a few Chebyshev nodes, and a polynomial of low degree at all sizes;
the logarithms of the sizes' probabilities are another one. Degrees fall with the number of sizes,
and what is left is some ten nanoseconds for each of O(√N) sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.polynomial import chebyshev
from scipy.special import expit, logit

from pkdp.profiles.laws import log_binomial_pmf, reach_of
from pkdp.profiles.logarithms import FloatArray, IntArray

RealArray = npt.NDArray[np.floating[Any]] | IntArray

# Nodes of an interpolation.
_NODES = 24
# So many sizes have their probabilities computed one by one; so many are worked through at a time.
_FEW_SIZES, _BLOCK = 4096, 8192
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
            number = values.shape[axis]
            angles = (np.arange(number) + 0.5) * (np.pi / number)
            transform = np.cos(np.outer(np.arange(number), angles)) * (2.0 / number)
            transform[0] /= 2.0
            values = np.moveaxis(np.tensordot(transform, values, (1, axis)), 0, axis)
        matters = np.abs(values) > no_part * np.abs(values).max()
        kept = tuple(slice(int(indices.max(initial=0)) + 1) for indices in np.nonzero(matters))
        return cls(values[kept], intervals)

    def __call__(self, *variables: RealArray) -> FloatArray:
        """Return the values for arrays of one shape."""
        result = self.coefficients
        for x, (low, high) in zip(variables, self.intervals, strict=True):
            scaled = (2.0 * x - (low + high)) / (high - low)
            result = chebyshev.chebval(scaled, result, tensor=result is self.coefficients)
        return np.asarray(result)


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
        for start in range(first, last + 1, _BLOCK):
            sizes = np.arange(start, min(start + _BLOCK, last + 1))
            weights = np.exp(log_pmf(sizes))
            total += float(weights @ value(sizes))
            weight += float(weights.sum())
        return total / weight
