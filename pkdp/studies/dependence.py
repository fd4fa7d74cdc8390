"""Counts over records that are not independent: what section 4.1 assumes away.

Two ways in which records depend on each other, each with the exact privacy profile of the count:
people of one household who all give the same answer, and an attacker who has learnt the rate of a 1
from records like those that are counted.

Laws are written out mass by mass, as floats. So the profiles are exact (to a relative 1e-9 of ln δ)
where ``ln δ ≥ ε - 620``, and only upper bounds in the farther tail, where δ is never below 1e-283.
"""

from __future__ import annotations

from typing import NamedTuple, SupportsFloat, SupportsIndex

import numpy as np

from pkdp._checks import as_integer, as_real
from pkdp.profiles.binomials import binomial_masses
from pkdp.profiles.laws import Finite
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import Formula, PrivacyProfile

__all__ = ["households", "learnt_rate"]

# Of the records counted or seen: laws are written out mass by mass.
_MOST = 10**6
# Each mass is a product of many numbers, which costs digits.
_ERROR = 1e-9
# Masses below the first are left out before a convolution, so that of its result all above the
# second keep their digits; those below are left out, too. Left out of the law that is subtracted,
# they only raise δ. Left out of the other they lower it, by at most 10⁶ times the second, about
# exp(-654); that is made up for by adding exp(-650) to every δ.
_LEAST_FACTOR, _LEAST_MASS, _LOG_LEFT_OUT = 1e-300, 1e-290, -650.0


class _Masses(NamedTuple):
    """``P[X = start], P[X = start + 1], …``, of which the first and the last are not left out."""

    start: int
    masses: FloatArray


def households(
    singles: SupportsIndex,
    number: SupportsIndex,
    *,
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
        Status "exact", for the target's answer 1 against 0. That it is where ``ln δ ≥ ε - 620``;
        elsewhere, as at ε = inf, values are upper bounds, and none is below 1e-283.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If a number of people is not an integer, or `p` not a number.

    Notes
    -----
    Two binomial laws are written out and convolved without the masses below 1e-300. What remains
    of either lies within about 37 standard deviations of its mean, so that the convolution costs
    O(√(singles·number)) products (10⁹ at most), and each ε then O(√singles + size·√number).

    References
    ----------
    Section 4.1 of the paper assumes independent records; this is what it leaves out.

    Examples
    --------
    If everybody else lives in pairs, the parity of the count gives the target away:

    >>> households(0, 500, size=2, p=0.1).delta(10.0)
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
    alone, together = _binomial(singles, p), _binomial(number, p)
    masses = np.zeros(alone.masses.size + size * (together.masses.size - 1))
    # Singles that differ by whole households are convolved apart: else most products would be 0.
    for first in range(min(size, alone.masses.size)):
        part = np.convolve(alone.masses[first::size], together.masses)
        masses[first::size][: part.size] = part
    others = _Masses(alone.start + size * together.start, masses)
    return _exact(others, own, others)


def _binomial(trials: int, p: float) -> _Masses:
    return _trimmed(_Masses(0, binomial_masses(trials, p)), _LEAST_FACTOR)


def _trimmed(law: _Masses, least: float) -> _Masses:
    """Leave out the masses below `least`; between others they become 0."""
    kept = np.flatnonzero(law.masses >= least)
    masses = law.masses[kept[0] : kept[-1] + 1]
    return _Masses(law.start + int(kept[0]), np.where(masses >= least, masses, 0.0))


def learnt_rate(yes: SupportsIndex, no: SupportsIndex, *, others: SupportsIndex) -> PrivacyProfile:
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
        Status "exact". That it is where ``ln δ ≥ ε - 620``; elsewhere, as at ε = inf for many
        records, values are upper bounds, and none is below 1e-283. To her the counted records are
        not independent: a 1 makes all the others likelier to be 1.

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
    urn. Writing out the law costs O(others).

    Examples
    --------
    The fewer records she has seen beside those that are counted, the more the count tells:

    >>> [round(learnt_rate(k, 2 * k, others=600).epsilon(1e-3), 3) for k in (20, 200, 20_000)]
    [0.726, 0.259, 0.171]
    """
    yes, no = as_integer(yes, "yes", 0, _MOST), as_integer(no, "no", 0, _MOST)
    others = as_integer(others, "others", 0, _MOST)
    one, zero = _polya(yes + 2, no + 1, others), _polya(yes + 1, no + 2, others)
    return _exact(one, 1, zero)


def _polya(ones: int, zeros: int, draws: int) -> _Masses:
    """Return the law of the ones in so many draws from an urn that takes each back doubled."""
    k = np.arange(draws, dtype=np.float64)
    ratios = (draws - k) * (ones + k) / ((k + 1.0) * (zeros + draws - k - 1.0))
    logs = np.log(ratios)
    # The ratios fall, so the law rises up to its mode and falls from there. Summed outwards, the
    # logarithms near the mode stay small and keep their digits; summed from 0 they would not.
    mode = int((logs > 0.0).sum())
    below, above = -np.cumsum(logs[:mode][::-1])[::-1], np.cumsum(logs[mode:])
    return _Masses(0, np.exp(np.concatenate([below, [0.0], above])))


def _exact(with_one: _Masses, shift: int, with_zero: _Masses) -> PrivacyProfile:
    """Return the profile of the others' count, moved by `shift` if the target's answer is 1."""
    one, zero = _law(with_one, shift), _law(with_zero, 0)
    return PrivacyProfile(Formula(_with_left_out, Pair(one, zero).profile()), "exact", error=_ERROR)


def _with_left_out(kept: PrivacyProfile, eps: float) -> float:
    return min(0.0, float(np.logaddexp(kept.log_delta(eps), _LOG_LEFT_OUT)))


def _law(law: _Masses, shift: int) -> Finite:
    kept = _trimmed(law._replace(masses=law.masses / law.masses.sum()), _LEAST_MASS)
    return Finite(kept.start + shift, tuple(kept.masses.tolist()))
