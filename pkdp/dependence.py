"""Counts over records that are not independent: what section 4.1 assumes away.

Two ways in which records depend on each other, each with the exact privacy profile of the count:
people of one household who all give the same answer, and an attacker who has learnt the rate of a 1
from records like those that are counted.
"""

from __future__ import annotations

import dataclasses
from typing import SupportsFloat, SupportsIndex

import numpy as np
from scipy.stats import binom

from pkdp._checks import as_integer, as_real
from pkdp.laws import Finite, FloatArray
from pkdp.profiles import Pair, PrivacyProfile

__all__ = ["households", "learnt_rate"]

# Of the records counted or seen: laws are written out mass by mass.
_MOST = 10**6
# Each mass is a product of many numbers, and one below the smallest float is lost.
_ERROR = 1e-9


def households(
    singles: SupportsIndex,
    number: SupportsIndex,
    size: SupportsIndex,
    p: SupportsFloat,
    own: SupportsIndex = 1,
) -> PrivacyProfile:
    """Return the exact profile of a count over singles and households that answer as one.

    Parameters
    ----------
    singles : int
        How many others live alone, in 0…10⁶.
    number, size : int
        How many households the rest form, ≥ 0, and how many members each has, ≥ 1; at most 10⁶
        people in all.
    p : float
        Probability in [0, 1] of a 1, for each single and each household, all independent.
    own : int
        Members of the target's own household, itself included, who answer as the target does; in
        1…10⁶.

    Returns
    -------
    PrivacyProfile
        Status "exact", for the target's answer 1 against 0. It is meant for δ above 1e-290.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If a number of people is not an integer, or `p` not a number.

    Notes
    -----
    One convolution, whose cost is the number of singles times that of households.

    References
    ----------
    Section 4.1 of the paper assumes independent records; this is what it leaves out.

    Examples
    --------
    If everybody else lives in pairs, the parity of the count gives the target away:

    >>> households(0, 500, 2, 0.1).delta(10.0)
    1.0
    """
    singles = as_integer(singles, "singles", 0, _MOST)
    number, size = as_integer(number, "number", 0, _MOST), as_integer(size, "size", 1, _MOST)
    own = as_integer(own, "own", 1, _MOST)
    p = as_real(p, "p", "in [0, 1]", 0.0, 1.0)
    if singles + number * size > _MOST:
        raise ValueError(
            f"singles + number·size must be at most {_MOST}, got {singles + number * size}"
        )
    spread = np.zeros(number * size + 1)
    spread[::size] = _binomial(number, p)
    return _exact(np.convolve(_binomial(singles, p), spread), own)


def _binomial(trials: int, p: float) -> FloatArray:
    return np.asarray(binom.pmf(np.arange(trials + 1), trials, p), dtype=np.float64)


def learnt_rate(yes: SupportsIndex, no: SupportsIndex, others: SupportsIndex) -> PrivacyProfile:
    """Return the exact profile of a count whose rate the attacker has learnt from other records.

    The records are independent with one common probability of a 1, which she does not know. A
    priori every value is as likely as any other; then she saw some records that are not counted.

    Parameters
    ----------
    yes, no : int
        How many 1s and 0s she saw, in 0…10⁶.
    others : int
        How many records are counted beside the target's, in 0…10⁶.

    Returns
    -------
    PrivacyProfile
        Status "exact". To her the counted records are not independent: a 1 makes all the others
        likelier to be 1.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If an argument is not an integer.

    Notes
    -----
    Given what she saw, the rate has the law Beta(yes + 1, no + 1). The target's record raises one
    of the two parameters by 1, and the count of the others is beta-binomial: it is that of Pólya's
    urn.

    Examples
    --------
    The fewer records she has seen beside those that are counted, the more the count tells:

    >>> [round(learnt_rate(k, 2 * k, 600).epsilon(1e-3), 3) for k in (20, 200, 20_000)]
    [0.726, 0.259, 0.171]
    """
    yes, no = as_integer(yes, "yes", 0, _MOST), as_integer(no, "no", 0, _MOST)
    others = as_integer(others, "others", 0, _MOST)
    one, zero = _polya(yes + 2, no + 1, others), _polya(yes + 1, no + 2, others)
    return _exact(one, 1, zero)


def _polya(ones: int, zeros: int, draws: int) -> FloatArray:
    """Return the law of the ones in so many draws from an urn that takes each back doubled."""
    k = np.arange(draws, dtype=np.float64)
    ratios = (draws - k) * (ones + k) / ((k + 1.0) * (zeros + draws - k - 1.0))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    return np.asarray(np.exp(logs - logs.max()), dtype=np.float64)


def _exact(with_one: FloatArray, shift: int, with_zero: FloatArray | None = None) -> PrivacyProfile:
    """Return the profile of the others' count, moved by `shift` if the target's answer is 1."""
    with_zero = with_one if with_zero is None else with_zero
    laws = [tuple((masses / masses.sum()).tolist()) for masses in (with_one, with_zero)]
    pair = Pair(Finite(shift, laws[0]), Finite(0, laws[1]))
    return dataclasses.replace(pair.profile(), error=_ERROR)
