"""Plateaus of privacy profiles: δ(∞), the probability of an infinite loss, and where it begins.

The first question about composed mechanisms is what ε their total δ buys. A float of that δ may be
above or below the truth, and a computed curve is rounded in addition. So here it has 50 digits, and
a float δ is read as any number within `UNITS` units in its last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mpf, mpmathify

from pkdp.profiles.logarithms import FloatArray

# A float δ, or ln δ, is read as any number within so many units in its last place; those that are
# exactly so far away count, whatever the rounding of their 50 digits.
UNITS = 4
_DIGITS, _TIES = 50, mpf(1 + 2.0**-40)
# Of masses below this no two happen together, to all digits; others are multiplied with so many
# bits that one minus a product has these digits, too.
_RARE, _BITS = 1e-60, 500
# Plateaus whose ln δ differ by no more than this are taken to be the same.
SAME = 1e-11


class Plateau(NamedTuple):
    """What a curve is from some ε on.

    Attributes
    ----------
    log_delta : mpf
        ``ln δ(∞)``, to 50 digits.
    eps : float, optional
        The least ε with that δ, rounded up; None where only the curve itself tells.
    """

    log_delta: mpf
    eps: float | None = None

    @property
    def delta(self) -> float:
        """The float nearest to δ(∞)."""
        with mpmath.workdps(_DIGITS):
            return float(mpmath.exp(self.log_delta))

    def times(self, releases: int) -> Plateau | None:
        """Return the plateau of so many times δ at so many times ε; None if ε is not known."""
        if self.eps is None:
            return None
        with mpmath.workdps(_DIGITS):
            log_delta = min(mpf(0), self.log_delta + mpmath.log(releases))
        return Plateau(log_delta, float_above(releases * Fraction(self.eps)))

    def composed(self, releases: int) -> Plateau | None:
        """Return the plateau of the sum of so many such losses; None if ε is not known."""
        if self.eps is None:
            return None
        with mpmath.workdps(_DIGITS):
            leak = mpmath.exp(self.log_delta)
        return of_any([(leak, releases)], float_above(releases * Fraction(self.eps)))


def readings(delta: float) -> tuple[mpf, mpf]:
    """Return ln of the least and of the largest number that a float δ > 0 is read as.

    Examples
    --------
    >>> [round(float(log), 6) for log in readings(5e-324)]
    [-inf, -742.830634]
    """
    with mpmath.workdps(_DIGITS):
        off = UNITS * math.ulp(delta) * _TIES
        return mpmath.log(max(mpf(0), delta - off)), mpmath.log(delta + off)


def readings_of_log(log_delta: float) -> tuple[mpf, mpf]:
    """Return the least and the largest number that ln δ is read as; its unit is at least that of 1.

    Examples
    --------
    >>> low, high = readings_of_log(-0.5)
    >>> round(float(high - low) * 2**52, 9)
    8.0
    """
    with mpmath.workdps(_DIGITS):
        off = UNITS * math.ulp(max(1.0, -log_delta)) * _TIES
        return log_delta - off, log_delta + off


def larger_plateau(
    ends: Sequence[Plateau | None], inverses: Sequence[Callable[[float], float]]
) -> Plateau | None:
    """Return the plateau of the largest of some curves; None if one of theirs is unknown.

    Parameters
    ----------
    ends : sequence of Plateau or None
        Those of the curves; if one is None, so is the result.
    inverses : sequence of callable
        For each curve, what returns the ε at which it falls to an ln δ.
    """
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return None
    log_delta, eps = max(end.log_delta for end in known), 0.0
    below = math.nextafter(math.nextafter(float(log_delta), -math.inf), -math.inf)
    for end, inverse in zip(known, inverses, strict=True):
        if log_delta - end.log_delta > SAME:  # it may fall to that δ only at a larger ε
            eps = max(eps, inverse(below))
        elif end.eps is None:
            return Plateau(log_delta)
        else:
            eps = max(eps, end.eps)
    return Plateau(log_delta, eps)


def of_all(chances: Iterable[Fraction], times: Iterable[int]) -> Plateau:
    """Return the plateau of a count that is one higher only if all bits are 1, of these chances.

    It begins at the loss of one less, ``ln Σ (1 - p)/p``; there is none if no bit is uncertain.

    Examples
    --------
    >>> [round(float(x), 9) for x in of_all([Fraction(1, 2)], [4])]
    [-2.772588722, 1.386294361]
    """
    with mpmath.workprec(_BITS):
        mass, odds = mpf(1), mpf(0)
        for chance, number in zip(chances, times, strict=True):
            p = mpmathify(chance)
            mass *= p**number
            odds += number * (1 / p - 1)
        return Plateau(mpmath.log(mass), _log_above(odds))


def of_masses(alone: Sequence[float], p: FloatArray, q: FloatArray) -> Plateau:
    """Return the plateau of a pair: `alone` are masses of the first only, p and q of both.

    Examples
    --------
    >>> round(of_masses([0.25], np.array([0.25, 0.5]), np.array([0.75, 0.25])).eps, 9)
    0.693147181
    """
    with mpmath.workprec(_BITS):
        log_delta, ratio = mpmath.log(mpmath.fsum(alone)), mpf(0)
        losses = np.log(p) - np.log(q)
        # The largest ones, up to the rounding of logarithms.
        for i in np.flatnonzero(losses >= losses.max(initial=-math.inf) - 1e-9):
            ratio = max(ratio, mpf(float(p[i])) / mpf(float(q[i])))
        return Plateau(log_delta, _log_above(ratio))


def _log_above(ratio: mpf) -> float:
    """Return ``ln ratio``, or 0 if it is negative, rounded up."""
    return float_above(mpmath.log(ratio)) if ratio > 1 else 0.0


def of_any(
    masses: Sequence[tuple[float | Fraction | mpf, int]], eps: float | None = None
) -> Plateau:
    """Return the plateau at the probability that one of independent events happens.

    Parameters
    ----------
    masses : sequence of (float, Fraction or mpf, int)
        Probabilities, and how many events have each.
    eps : float, optional
        Where it begins.

    Examples
    --------
    >>> float(of_any([(0.5, 2)]).log_delta) == math.log(0.75)
    True
    """
    with mpmath.workprec(_BITS):
        if max(masses)[0] < _RARE:
            return Plateau(mpmath.log(mpmath.fsum(k * mpmathify(x) for x, k in masses)), eps)
        none = mpf(1)
        for mass, number in masses:
            none *= (1 - mpmathify(mass)) ** number
        return Plateau(mpmath.log1p(-none), eps) if none else Plateau(mpf(0), 0.0)


def of_power(p: float, times: int, rest: bool = False, eps: float | None = None) -> Plateau:
    """Return the plateau at ``p^times``, or of the rest: at ``(1 - p)^times``.

    Examples
    --------
    >>> round(float(of_power(0.25, 10**12, True).log_delta))
    -287682072452
    """
    with mpmath.workdps(_DIGITS):
        return Plateau(times * (mpmath.log1p(-mpf(p)) if rest else mpmath.log(p)), eps)


def float_above(number: Fraction | mpf) -> float:
    """Return the least float that is not below a number.

    Examples
    --------
    >>> float_above(Fraction(1, 3)) > Fraction(1, 3) > math.nextafter(1 / 3, 0)
    True
    """
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def sum_above(numbers: Sequence[float]) -> float:
    """Return the least float that is not below a sum.

    Examples
    --------
    >>> sum_above([0.1] * 3) - 0.3 > 0.0
    True
    """
    if math.inf in numbers:
        return math.inf
    try:
        total = math.fsum(numbers)
    except OverflowError:
        return math.inf
    return math.nextafter(total, math.inf) if math.fsum([*numbers, -total]) > 0.0 else total
