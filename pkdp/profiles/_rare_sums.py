"""Distribution of a sum of many nearly certain bits, of which few deviate.

A bit is *likely* if it is mostly 1; it then deviates by being 0. With odds o of deviating the
number of 1s that were not to be is s with a weight of ``e_s = Σ Π o``, over all sets of s bits; the
same holds for 0s. A tilt by t multiplies these weights by e^{ts}, so they are computed once for all
tilts at which the same bits are likely.

The e_s of bits that are alike follow from the sums of powers of their odds, ``p_i = Σ o^i``:

    k·e_k = e_{k-1}·p_1 - e_{k-2}·p_2 + e_{k-3}·p_3 - …

Where no odds are above 1/(16·degree) of their sum each term is at most 1/16 of the one before, so
that nothing cancels and 16 sums are enough. The few bits of larger odds are multiplied one by one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit

from pkdp.profiles.logarithms import FloatArray, log_sum

# The number of deviations that are counted, as those of variances up to 64 are; so many sums of
# powers; and the sum of the odds at which weights are kept, where none leaves the floats.
_DEGREE, _POWERS, _SCALE = 320, 16, 64.0
_BLOCK = 4096


class RareSum:
    """The sum of nearly certain bits, less the number of those that are likely.

    Parameters
    ----------
    logits, counts : ndarray, shape (g,)
        Log-odds of a 1, and how many bits have each.
    likely : ndarray of bool, shape (g,)
        Which count through their 0s.
    """

    def __init__(
        self, logits: FloatArray, counts: FloatArray, likely: npt.NDArray[np.bool_]
    ) -> None:
        log_odds = np.where(likely, -logits, logits)
        self._log_none = float(counts @ log_expit(-log_odds))
        self._ones = _weights(log_odds[~likely], counts[~likely])
        self._zeros = _weights(log_odds[likely], counts[likely])

    def masses(self, tilt: float) -> tuple[int, FloatArray, float]:
        """Return the least sum, tilted masses from there on, and ln of what they sum to untilted.

        With the masses t_k and that logarithm z, ``ln P[sum = k] = z - tilt·k + ln t_k``.
        """
        ones, zeros = _tilted(*self._ones, tilt), _tilted(*self._zeros, -tilt)
        weights = np.convolve(ones, zeros[::-1])
        total = float(weights.sum())
        return 1 - zeros.size, weights / total, self._log_none + float(np.log(total))


def _tilted(weights: FloatArray, log_sum_of_odds: float, tilt: float) -> FloatArray:
    with np.errstate(under="ignore"):
        shares = np.exp((log_sum_of_odds + tilt - np.log(_SCALE)) * np.arange(weights.size))
        return np.asarray(weights * shares)


def _weights(log_odds: FloatArray, counts: FloatArray) -> tuple[FloatArray, float]:
    """Return e_0, e_1, … of odds that are scaled to have the sum `_SCALE`, and ln of their sum."""
    if not log_odds.size:
        return np.ones(1), 0.0
    order = np.argsort(-log_odds, kind="stable")
    log_odds, counts = log_odds[order], counts[order]
    log_total = log_sum(log_odds + np.log(counts))
    odds = np.exp(log_odds - log_total + np.log(_SCALE))
    rest = np.cumsum((counts * odds)[::-1])[::-1]
    alike = np.flatnonzero(16.0 * _DEGREE * odds <= rest)
    many = int(alike[0]) if alike.size else odds.size
    weights = _of_powers(odds[many:], counts[many:])
    for first in range(0, many, _BLOCK):
        block = slice(first, min(first + _BLOCK, many))
        factor = odds_polynomial(odds[block], counts[block], _DEGREE)
        weights = np.convolve(weights, factor)[: _DEGREE + 1]
    return weights, log_total


def _of_powers(odds: FloatArray, counts: FloatArray) -> FloatArray:
    if not odds.size:
        return np.ones(1)
    powers, sums = odds.copy(), np.empty(_POWERS)
    for i in range(_POWERS):
        sums[i] = (counts * powers).sum()  # by pairs, unlike a product of vectors
        powers *= odds
    sums[1::2] *= -1.0
    weights = np.zeros(_DEGREE + 1)
    weights[0] = 1.0
    for k in range(1, _DEGREE + 1):
        before = weights[max(0, k - _POWERS) : k][::-1]
        weights[k] = before @ sums[: before.size] / k
    return weights


def odds_polynomial(odds: FloatArray, counts: FloatArray, degree: int) -> FloatArray:
    """Return coefficients of ``Π (1 + odds·x)^count``, up to a degree: all terms are positive."""
    width = int(min(counts.max(initial=0.0), degree)) + 1
    factors = np.ones((odds.size, width))
    for k in range(1, width):
        factors[:, k] = factors[:, k - 1] * odds * np.maximum(counts - k + 1, 0.0) / k
    while len(factors) > 1:
        if len(factors) % 2:
            factors = np.vstack([factors, np.eye(1, factors.shape[1])])  # … and the polynomial 1
        factors = _multiply(factors[::2], factors[1::2], degree)
    return factors[0] if len(factors) else np.ones(1)


def _multiply(a: FloatArray, b: FloatArray, degree: int) -> FloatArray:
    """Multiply polynomials row by row, up to a degree."""
    width = min(a.shape[1] + b.shape[1] - 1, degree + 1)
    result = np.zeros((len(a), width))
    for i in range(a.shape[1]):
        columns = min(b.shape[1], width - i)
        result[:, i : i + columns] += a[:, i, None] * b[:, :columns]
    return result
