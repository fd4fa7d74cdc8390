"""Counting queries over dependent records: their worst case, and bounds with less dependence.

Every record keeps some uncertainty, whatever the attacker may learn about all the others: given
these, it is 1 with a probability in [λ, 1-λ]. For independent records that is the assumption of
section 4.1 of the paper. Without independence it does not suffice: the count may leak nearly as
much among a million records as among a thousand. Here is how much, and what restores a guarantee.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known. The output is ``S`` or ``S + 1``, where S counts the N
others. With a = (1-λ)/λ, a *peaked* law of these gives databases with k ones a probability
proportional to ``a^min(k, 2K-k)``: each record leans towards as many ones as the peak K, as far as
it may.
"""

from __future__ import annotations

import dataclasses
import math
from typing import SupportsFloat, SupportsIndex

import numpy as np
from scipy.special import expit

from pkdp._bisection import first_passing
from pkdp._checks import MOST_RECORDS, as_integer, as_uncertainty, unknown_records
from pkdp.partial_knowledge import counting
from pkdp.profiles._plateaus import of_power
from pkdp.profiles.binomials import log_binomial_pmf, reach_of
from pkdp.profiles.laws import Finite
from pkdp.profiles.logarithms import FloatArray, log_positive, log_rest, log_sum
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import (
    Formula,
    PrivacyProfile,
    harmless,
    rounded_down,
    rounded_up,
    smallest,
    vacuous,
)

__all__ = ["any_target", "independent_blocks", "limit", "peaked", "sparse", "worst_case"]

# Laws are written out mass by mass for so many records at most.
_MOST_WRITTEN = 10**6
# Terms of a series below exp of this, times the first, are left out: they fall at least like a
# geometric series, or like the masses of a count.
_LOG_LEFT_OUT = -45.0


def worst_case(n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the largest δ(ε) over all laws of the others that leave each record uncertain.

    Each of the others is 1 with a probability in [λ, 1-λ] given the values of all others. The
    target's record is independent of them.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    lam : float
        λ in (0, ½].
    known : int
        How many other records the attacker knows, in 0…n-1.

    Returns
    -------
    PrivacyProfile
        Status "exact". It is never below `limit`, and for ε ≥ 2 ln((1-λ)/λ) never above
        `counting.worst_case` at an ε that is smaller by as much.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `known` is not an integer, or `lam` not a number.

    Notes
    -----
    The worst laws are peaked, and δ has one maximum only as a function of the peak. One value costs
    O(log N) sums of O(min(√N, 1/ln a)) terms, a = (1-λ)/λ: milliseconds, unless λ is very near ½.

    References
    ----------
    Not in the paper, whose theorems on counts are about independent records.

    Examples
    --------
    A million records that depend on each other hide less than twenty independent ones:

    >>> round(worst_case(10**6, 0.4).delta(0.0), 4)
    0.2
    >>> round(counting.worst_case(20, 0.4).delta(0.0), 4)
    0.1846
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    if unknown == 0:
        return vacuous("exact")
    ending = of_power(lam, unknown, True)
    return rounded_up(Formula(_log_worst, unknown, lam, ending=ending), "exact")


def peaked(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    peak: SupportsIndex,
    known: SupportsIndex = 0,
    target_depends: bool = False,
) -> Pair:
    """Return the pair of laws of the count, with the target's record 1 and 0, for a peaked law.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`; at most 10⁶ records.
    peak : int
        K in 0…N, the most likely number of ones among the N others.
    target_depends : bool
        Whether the target's record takes part: it then leans towards 1 where at least K of the
        others are 1, towards 0 elsewhere, as far as it may; and the peak of the others is K - 1
        where it is 0.

    Returns
    -------
    Pair
        ``(S + 1, S)``, S given that the record is 1 and 0. Masses below 1e-308 are 0.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> np.exp(peaked(3, 0.25, peak=1).P.log_pmf(1, 3)).round(6).tolist()
    [0.125, 0.75, 0.125]
    >>> round(peaked(3, 0.25, peak=1).profile().delta(0.0), 6)
    0.75
    """
    unknown, lam = unknown_records(as_integer(n, "n", 2, _MOST_WRITTEN), known), as_uncertainty(lam)
    top = as_integer(peak, "peak", 0, unknown)
    k = np.arange(unknown + 1)
    # On either side of the peak the law is a binomial one, up to a factor.
    falling = log_binomial_pmf(k, unknown, lam)
    rising = falling[::-1]  # of 1 - λ, which need not be a float
    logs = np.where(k <= top, rising - rising[top], falling - falling[top])
    if not target_depends:
        law = Finite(0, _normalized(logs))
        return Pair(law.shift(1), law)
    lean = np.where(k >= top, -_log_odds(lam), _log_odds(lam))
    return Pair(Finite(1, _normalized(logs)), Finite(0, _normalized(logs + lean)))


def limit(lam: SupportsFloat) -> PrivacyProfile:
    """Return what `worst_case` tends to as n grows, and never falls below.

    With a = (1-λ)/λ it is ``(a - e^{ε/2})²/(a² - 1)`` up to ε = 2 ln a, and 0 from there on.

    Parameters
    ----------
    lam : float
        λ in (0, ½].

    Returns
    -------
    PrivacyProfile
        Status "lower bound".

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> profile = limit(0.4)
    >>> round(profile.delta(0.0), 6), round(profile.delta(0.5), 6), profile.delta(1.0)
    (0.2, 0.037316, 0.0)
    """
    lam = as_uncertainty(lam)
    return rounded_down(Formula(_log_limit, lam)) if lam < 0.5 else harmless("lower bound")


def any_target(n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return a bound for a target whose record may depend on the others, as they on it.

    Each record, the target's too, is 1 with a probability in [λ, 1-λ] given the values of all
    others. What the others tell about it costs at most 2 ln((1-λ)/λ): δ is at most that of
    `worst_case` at an ε that is smaller by as much.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound". Below ε = 2 ln((1-λ)/λ) it is only what convexity gives.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> bound, shift = any_target(1000, 0.4), 2.0 * math.log(1.5)
    >>> round(bound.delta(shift), 6) == round(worst_case(1000, 0.4).delta(0.0), 6)
    True
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    if unknown == 0:
        return vacuous("upper bound")
    ending = of_power(lam, unknown, True)
    return rounded_up(Formula(_log_any_target, unknown, lam, ending=ending), "upper bound")


def independent_blocks(
    n: SupportsIndex, lam: SupportsFloat, *, size: SupportsIndex, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return a bound where records depend on each other only within blocks.

    The blocks are independent of each other and of the target's record. Given the others of its
    block, each record is 1 with a probability in [λ, 1-λ]. One record of each block stays free
    when all others are revealed, so the profile is that of as many independent ones, or that of
    `worst_case` where it is smaller.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`; the attacker may choose which records she knows.
    size : int
        The most records that a block has, in 1…10¹⁰.

    Returns
    -------
    PrivacyProfile
        Status "upper bound", whatever the sum of the others.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> bound = independent_blocks(10_001, 0.1, size=4)
    >>> bound.epsilon(1e-9) == counting.worst_case(2501, 0.1).epsilon(1e-9)
    True
    """
    members = as_integer(size, "size", 1, MOST_RECORDS)
    return _free(unknown_records(n, known), as_uncertainty(lam), members)


def sparse(
    n: SupportsIndex, lam: SupportsFloat, *, degree: SupportsIndex, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return a bound where each record depends directly on a few others only.

    Given all others, each record is 1 with a probability in [λ, 1-λ] that is a function of at most
    `degree` of them, its neighbours in a graph. The target's record is independent of them all.

    Parameters
    ----------
    n, lam, known
        As in `independent_blocks`.
    degree : int
        The most neighbours that a record has, in 0…10¹⁰. A Markov chain has 2; there every second
        record is free, half of them where this bound has a third.

    Returns
    -------
    PrivacyProfile
        Status "upper bound".

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> bound = sparse(10_001, 0.1, degree=2)
    >>> bound.epsilon(1e-9) == counting.worst_case(3335, 0.1).epsilon(1e-9)
    True
    """
    neighbours = as_integer(degree, "degree", 0, MOST_RECORDS)
    return _free(unknown_records(n, known), as_uncertainty(lam), neighbours + 1)


def _free(unknown: int, lam: float, of: int) -> PrivacyProfile:
    """Return a bound where one in `of` of the unknown records is free."""
    free = -(-unknown // of)
    if unknown == 0:
        return vacuous("upper bound")
    independent = counting.worst_case(free + 1, lam)
    # Where few are free, that all are uncertain says more.
    dependent = worst_case(unknown + 1, lam)
    ending = dependent.release.ending()
    smaller = Formula(smallest, (independent, dependent), ending=ending)
    return dataclasses.replace(independent, release=smaller, status="upper bound", margin=0.0)


def _log_odds(lam: float) -> float:
    """``ln a`` for a = (1-λ)/λ."""
    return math.log1p(-lam) - math.log(lam)


def _normalized(logs: FloatArray) -> tuple[float, ...]:
    masses = np.exp(logs - log_sum(logs))
    return tuple((masses / masses.sum()).tolist())


def _log_limit(lam: float, eps: float) -> float:
    log_odds = _log_odds(lam)
    if eps >= 2.0 * log_odds:
        return -math.inf
    gap = -math.expm1(eps / 2.0 - log_odds)
    return 2.0 * math.log(gap) - math.log(-math.expm1(-2.0 * log_odds))


def _log_any_target(unknown: int, lam: float, eps: float) -> float:
    shift = 2.0 * _log_odds(lam)
    # Down to the nearest float, lest the difference be rounded up.
    rest = eps - shift - 4e-16 * max(eps, shift) if eps < math.inf else eps
    if rest >= 0.0:
        return _log_worst(unknown, lam, rest)
    at_zero = math.exp(_log_worst(unknown, lam, 0.0))
    return math.log1p(-math.exp(min(0.0, eps - shift)) * (1.0 - at_zero))


def _log_worst(unknown: int, lam: float, eps: float) -> float:
    """``ln max_K H_E(S + 1‖S)`` over the peaked laws of N ≥ 1 records."""
    if eps == math.inf:
        return unknown * math.log1p(-lam)
    return min(0.0, _log_peaked(unknown, lam, eps, _worst_peak(unknown, lam, eps)))


def _worst_peak(unknown: int, lam: float, eps: float) -> int:
    """Return a K that no other exceeds; δ first rises with K, then falls."""
    if eps == math.inf or unknown == 0:
        return unknown
    # Up to the first of these δ rises; from the second on it falls.
    log_odds, ends = _log_odds(lam), []
    for log_ratio in (eps - log_odds, eps + log_odds):
        end = unknown * float(expit(log_ratio)) - float(expit(-log_ratio))
        ends.append(min(max(math.ceil(end), 0), unknown))
    # Rounding may have moved them by one.
    low, high = max(ends[0] - 1, 0), min(ends[1] + 1, unknown)

    def gain(peak: int) -> float:
        return -math.inf if peak >= high else _gain(unknown, lam, eps, peak)

    # Gallop from where it is in the limit, while there is a difference to be seen; then bisect.
    at, step = min(max(round(unknown * float(expit(eps / 2.0))), low), high), 1
    if gain(at) > 0.0:
        while gain(at + step) > 0.0:
            step *= 2
        return first_passing(at + 1, min(at + step, high), lambda peak: gain(peak) <= 0.0)
    while at - step > low and gain(at - step) < 0.0:
        step *= 2
    return first_passing(max(at - step, low), at, lambda peak: gain(peak) <= 0.0)


def _gain(unknown: int, lam: float, eps: float, peak: int) -> float:
    """Return a number that is positive if the next peak has a larger δ than this one.

    Let L be the mass up to this peak, in units of its own; R that from the next one on, in units of
    that one's, and F the excess of these. From the one to the other a law may rise by a factor u,
    or fall by d. Then δ grows if ``F·L·(u - d) > (1 - E·d)·(L + u·R)``. The number is negative
    where δ falls, and 0 where no difference can be seen.
    """
    log_odds = _log_odds(lam)
    log_fall = math.log((unknown - peak) / (peak + 1.0)) - log_odds
    log_rise = log_fall + 2.0 * log_odds
    if eps + log_rise <= 0.0:
        return -1.0
    if eps + log_fall >= 0.0:
        return 1.0
    log_excess, log_above = _above(unknown, lam, eps, peak + 1)
    log_below = _log_below(unknown, lam, peak)
    gained = log_excess + log_below + log_rise + math.log(-math.expm1(-2.0 * log_odds))
    lost = math.log(-math.expm1(eps + log_fall)) + float(
        np.logaddexp(log_below, log_rise + log_above)
    )
    seen = gained - lost
    return seen if abs(seen) > 1e-15 * (1.0 + abs(log_below) + abs(log_rise) + abs(gained)) else 0.0


def _log_peaked(unknown: int, lam: float, eps: float, peak: int) -> float:
    """``ln H_E(S + 1‖S)`` for a law with a peak between the two ends of `_worst_peak`."""
    log_excess, log_above = _above(unknown, lam, eps, peak)
    log_below = _log_below(unknown, lam, peak)
    # The mass of the peak itself is in both.
    both = max(log_below, log_above)
    log_total = both + math.log(
        math.exp(log_below - both) + math.exp(log_above - both) - math.exp(-both)
    )
    return log_excess - log_total


def _above(unknown: int, lam: float, eps: float, peak: int) -> tuple[float, float]:
    """Return ``ln Σ max(0, p_k - E·p_{k+1})`` and ``ln Σ p_k`` over all k ≥ K, for p_K = 1."""
    logs, log_steps = _log_terms(unknown - peak, peak, _log_odds(lam))
    gains = log_positive(-np.expm1(np.minimum(eps + log_steps, 0.0)))
    return log_sum(logs + gains), log_sum(logs)


def _log_below(unknown: int, lam: float, peak: int) -> float:
    """Return ``ln Σ p_k`` over all k ≤ K, for p_K = 1."""
    if peak <= unknown * (1.0 - lam):
        return log_sum(_log_terms(peak, unknown - peak, _log_odds(lam))[0])
    # The masses rise before they fall: all of them, less those above, which fall.
    log_mass = float(log_binomial_pmf(peak, unknown, 1.0 - lam))
    beyond = _log_terms(unknown - peak, peak, -_log_odds(lam))[0][1:]
    return log_rest(min(0.0, log_mass + log_sum(beyond))) - log_mass


def _log_terms(many: int, others: int, log_odds: float) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of masses on one side of the peak, that at the peak being 1.

    The i-th step from it has the factor ``(many - i)/((others + 1 + i)·a)``. Also returned is the
    logarithm of the factor from each mass to the next.
    """
    first = math.log((others + 1.0) / max(many, 0.5)) + log_odds
    number = min(many, reach_of(many * (others / (many + others))))
    if first > 0.0:
        number = min(number, math.ceil(-_LOG_LEFT_OUT / first))
    i = np.arange(number + 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        log_steps = np.log1p((many - others - 1.0 - 2.0 * i) / (others + 1.0 + i)) - log_odds
    logs = np.concatenate([[0.0], np.cumsum(log_steps[:-1])])
    return logs, log_steps
