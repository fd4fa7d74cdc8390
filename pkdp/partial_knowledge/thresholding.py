"""Thresholded counts, which are published only if they are large: section 4.2 of the paper.

The count of independent records is replaced by ⊥ if it is at most a threshold T (Definition 15).
What remains visible is the count itself, so the mechanism is as informative as ``max(count, T)``:
the count *censored* at T. In the order ⊥, T+1, T+2, … the likelihood ratio of the two laws is
monotone, as it is for the count, and so with G(j) = P[S ≥ j] and F(j) = P[S ≤ j] for the count S of
the others

    H_E(1 → 0) = max over j ≥ T of G(j) - E·G(j+1),
    H_E(0 → 1) = max over j ≥ T of F(j) - E·F(j-1),

where the plain count has the same maxima over all j.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known. Of the known records only the number of 1s matters, by which
the threshold is effectively lowered. Against a *passive* attacker δ is averaged over it, against an
*active* one it is the worst.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._bisection import first_passing, last_passing
from pkdp._checks import as_integer, as_real, as_tolerance, unknown_and_known
from pkdp.partial_knowledge import counting
from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.profile import Formula, PrivacyProfile, rounded_up, vacuous
from pkdp.profiles.thresholds import ThresholdedPair, worst_number
from pkdp.releases import Passive, TwoSided, WorstPassive, WorstThreshold

__all__ = [
    "Theorem4",
    "active",
    "active_worst_case",
    "exact",
    "pair",
    "passive",
    "passive_worst_case",
    "theorem_4",
    "theorem_4_terms",
    "two_sided",
    "worst_case",
    "worst_numbers",
]

# The passive worst case keeps a table of all numbers of known 1s, most of which do not matter.
_MOST_IN_A_SEARCH = 10**7


def pair(
    probabilities: npt.ArrayLike,
    *,
    multiplicities: npt.ArrayLike | None = None,
    threshold: SupportsIndex,
) -> ThresholdedPair:
    """Return the pair of laws of a thresholded count with the target's record 1 and 0.

    Parameters
    ----------
    probabilities : array_like, shape (N,)
        ``P[D(j) = 1]`` in [0, 1] of the records that are neither the target nor known to the
        attacker; may be empty.
    multiplicities : array_like of int, shape (N,), optional
        How many records share each probability; 1 each by default.
    threshold : int
        T in 0…N+1: counts up to T are replaced by ⊥. Known records are left out; each known 1
        lowers T by 1 (below 0, it is a plain count: `pkdp.counting.pair`).

    Returns
    -------
    ThresholdedPair

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1], is NaN, or the array is not one-dimensional; if a
        multiplicity is negative or not an integer; if the threshold lies outside its range.
    TypeError
        If the probabilities are not numbers or the threshold is not an integer.

    References
    ----------
    Definition 15 of the paper.

    Examples
    --------
    >>> pair([0.5, 0.5], threshold=1).threshold
    1
    """
    count = PoissonBinomial(probabilities, multiplicities)
    return ThresholdedPair(count, as_integer(threshold, "threshold", 0, count.trials + 1))


def exact(
    probabilities: npt.ArrayLike,
    *,
    multiplicities: npt.ArrayLike | None = None,
    threshold: SupportsIndex,
) -> PrivacyProfile:
    """Return the exact privacy profile of a thresholded count.

    Parameters
    ----------
    probabilities, multiplicities, threshold
        As in `pair`.

    Returns
    -------
    PrivacyProfile
        Status "exact".

    Notes
    -----
    One value costs O(√n) once the probabilities are grouped, milliseconds for 10⁸ equal ones, and
    O(1) where the best event is shown, as for a plain count. Where ε approaches the privacy loss of
    ⊥, one of the two directions falls to 0, steeper and steeper; there the error is that of an ε
    changed in its last digits.

    References
    ----------
    Definition 15 of the paper, under Definition 10.

    Examples
    --------
    A thousand others, each with probability 0.5 %, and counts above 20 published:

    >>> profile = exact([0.005] * 1000, threshold=20)
    >>> f"{profile.delta(0.0):.3g}, {profile.delta(1.0):.3g}"
    '2.38e-07, 1.15e-07'

    At ε = 0 that is the probability that exactly 20 others are 1, and the target tips the scales.
    Tails of any depth are computed in logarithms:

    >>> round(exact([1e-7], threshold=10_000, multiplicities=[10**6]).log_delta(1.0), 6)
    -105185.040264
    """
    return pair(probabilities, threshold=threshold, multiplicities=multiplicities).profile()


def two_sided(
    probabilities: npt.ArrayLike,
    *,
    multiplicities: npt.ArrayLike | None = None,
    threshold: SupportsIndex,
    symbols: SupportsIndex = 2,
) -> PrivacyProfile:
    """Return the exact privacy profile of a count of which both extremes are suppressed.

    Counts up to T and counts from n - T on are replaced, n = N + 1 (no record is known): by one
    symbol ⊥ for both, or by a symbol for each.

    Parameters
    ----------
    probabilities, multiplicities
        As in `pair`.
    threshold : int
        T in 0…⌊(n-1)/2⌋.
    symbols : {1, 2}
        1 if small and large counts are replaced by the same symbol.

    Returns
    -------
    PrivacyProfile
        Status "exact". With two symbols never below one, and never above `exact`. With one symbol
        two masses are subtracted: where they are equal, as for fair coins, δ may be as large as
        their rounding. What `certified` proves has all digits.

    Raises
    ------
    ValueError, TypeError
        As in `pair`; ValueError also if `symbols` is neither 1 nor 2.

    References
    ----------
    Section 4.2 of the paper, after Definition 15.

    Examples
    --------
    Two symbols reveal at which end the count is:

    >>> [round(two_sided([0.5] * 4, threshold=2, symbols=k).delta(0.0), 4) for k in (1, 2)]
    [0.0, 0.375]
    """
    both = pair(probabilities, threshold=0, multiplicities=multiplicities)
    low = as_integer(threshold, "threshold", 0, both.count.trials // 2)
    one_symbol = as_integer(symbols, "symbols", 1, 2) == 1
    high = both.count.trials - low  # the largest count that is shown, of the others
    return PrivacyProfile(TwoSided(both.count, low, high, one_symbol), "exact")


def worst_case(n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex) -> PrivacyProfile:
    """Return the tight form of Theorem 4: the largest δ(ε) over all probabilities up to p.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    p : float
        In [0, 1]: no record is 1 with a larger probability; records are independent.
    threshold : int
        T in 0…n.

    Returns
    -------
    PrivacyProfile
        Status "exact", rounded up. At ε = 0 it is ``P[Bin(m, p) = T]``, m = min(n-1, ⌊T/p⌋), which
        is already a guarantee for all ε.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `threshold` is not an integer, or `p` not a number.

    Notes
    -----
    δ is convex in each probability, hence largest where m records have probability p and the
    others 0. Which m is worst is known in closed form (`worst_numbers`), so that a value costs
    no more than that of `exact`.

    References
    ----------
    Theorem 4 of the paper, made tight.

    Examples
    --------
    >>> f"{worst_case(1000, 0.005, threshold=20).delta(0.0):.3g}"
    '2.35e-07'
    >>> f"{theorem_4(1000, 0.005, threshold=20).delta(1.0):.3g}"
    '3.13e-07'
    """
    unknown, _, p, threshold = _as_known(n, p, threshold, 0)
    return rounded_up(WorstThreshold(unknown, p, threshold), "exact")


def worst_numbers(
    n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex, eps: SupportsFloat
) -> tuple[int, int]:
    """Return how many records have probability p, and the others 0, in the worst case.

    Parameters
    ----------
    n, p, threshold
        As in `worst_case`.
    eps : float
        ε in [0, inf].

    Returns
    -------
    tuple of int
        ``min(N, T + ⌊T(1-p)/(pE)⌋)`` for the target's record going from 1 to 0, and
        ``min(N, T + ⌊T(1-p)E/p⌋)`` for the other direction, N = n - 1.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> worst_numbers(1000, 0.1, threshold=50, eps=1.0)
    (215, 999)
    """
    unknown, _, p, threshold = _as_known(n, p, threshold, 0)
    eps = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
    return worst_number(unknown, p, threshold, -eps), worst_number(unknown, p, threshold, eps)


@dataclass(frozen=True)
class Theorem4:
    """The ε and δ of Theorem 4.

    Attributes
    ----------
    eps : float
        ε ≥ 0; 0 only where p is 0.
    log_delta : float
        ln δ; 0 or more where the theorem's δ promises nothing.
    b_max : int or None
        The number of known 1s from which on nothing is claimed; None where no record is known.
    """

    eps: float
    log_delta: float
    b_max: int | None


def theorem_4(n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex) -> PrivacyProfile:
    """Return Theorem 4 as a curve: its δ from its ε on, and δ = 1 below.

    Parameters
    ----------
    n, p, threshold
        As in `theorem_4_terms`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `worst_case`.

    References
    ----------
    Theorem 4 of the paper.

    Examples
    --------
    >>> profile = theorem_4(1000, 0.005, threshold=20)
    >>> [float(f"{profile.delta(eps):.3g}") for eps in (1e-7, 1e-6)]
    [1.0, 3.13e-07]
    """
    terms = theorem_4_terms(n, p, threshold=threshold)
    return rounded_up(Formula(_log_from, terms.eps, terms.log_delta), "upper bound")


def _log_from(start: float, log_delta: float, eps: float) -> float:
    return log_delta if eps >= start else 0.0


def theorem_4_terms(
    n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex, known: SupportsIndex = 0
) -> Theorem4:
    """Return the ε and δ that Theorem 4 states, where records are known for the best b_max.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    p : float
        In [0, 1]: no record is 1 with a larger probability.
    threshold : int
        T in 0…n.
    known : int
        How many other records a passive attacker knows, in 0…n-1.

    Returns
    -------
    Theorem4
        Where records are known, with the b_max in 1…T-1 that has the least δ.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the theorem says nothing: where the ratio
        r = p(n-1)/((1-p)T) or, with known records, one of its two ratios is 1 or more, or where
        f(T, n-1, p)/(1-r), which must have a logarithm when taken from 1, is 1 or more.
    TypeError
        If `n`, `threshold` or `known` is not an integer, or `p` not a number.

    References
    ----------
    Theorem 4 of the paper.

    Examples
    --------
    >>> terms = theorem_4_terms(1000, 0.005, threshold=20, known=100)
    >>> terms.b_max, f"{terms.eps:.3g}, {math.exp(terms.log_delta):.3g}"
    (5, '7.16e-05, 0.000234')
    """
    unknown, informed, p, threshold = _as_known(n, p, threshold, known)
    if informed == 0:
        if (eps := _theorem_4_eps(unknown, p, threshold)) == math.inf:
            raise ValueError(
                f"threshold must be such that r = p·N/((1-p)·T) < 1 and f(T, N, p)/(1-r) < 1, "
                f"N = {unknown}, got {threshold} with p = {p}"
            )
        return Theorem4(eps, float(_log_geometric(threshold, unknown, p)), None)
    least, most = _allowed_b_max(unknown, informed, p, threshold)

    def log_delta(b_max: npt.ArrayLike) -> FloatArray:
        seen, hidden = np.asarray(b_max), threshold - np.asarray(b_max)
        terms = _log_geometric(seen, informed, p), _log_geometric(hidden, unknown, p)
        return np.asarray(np.logaddexp(*terms))

    # One term of δ falls with b_max and the other rises, and both are convex.
    best = first_passing(least, most, lambda b: bool(np.diff(log_delta([b, b + 1]))[0] >= 0.0))
    return Theorem4(_theorem_4_eps(unknown, p, threshold - best), float(log_delta(best)), best)


def passive(
    n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex, known: SupportsIndex
) -> PrivacyProfile:
    """Return the exact PPKDP profile of a thresholded count over identical records.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    p : float
        In [0, 1]: the probability of a 1, of every record.
    threshold : int
        T in 0…n.
    known : int
        How many other records the attacker sees, in 0…n-1.

    Returns
    -------
    PrivacyProfile
        Status "exact": each direction is averaged over the number b of known 1s, each with the
        threshold T - b, and the larger average counts.

    Notes
    -----
    One value costs O(√n), a third of a second for n = 10⁹: all thresholds T - b share one pass of
    prefix sums. `certified` adds up what matters one by one, in less than a second for n up to 10⁹.

    References
    ----------
    Definition 13 of the paper for the mechanism of Definition 15.

    Examples
    --------
    As long as the threshold less all known records stays above what the others will amount to, the
    known records cost nothing at ε = 0, and for long after hardly anything:

    >>> profiles = [passive(1000, 0.005, threshold=20, known=k) for k in (0, 15, 100, 900)]
    >>> [f"{profile.delta(0.0):.3g}" for profile in profiles]
    ['2.35e-07', '2.35e-07', '2.35e-07', '2.42e-07']
    """
    unknown, informed, p, threshold = _as_known(n, p, threshold, known)
    return PrivacyProfile(Passive(unknown, informed, p, threshold), "exact")


def passive_worst_case(
    n: SupportsIndex,
    p: SupportsFloat,
    *,
    threshold: SupportsIndex,
    known: SupportsIndex,
    tol: SupportsFloat = 1e-8,
) -> PrivacyProfile:
    """Return the largest PPKDP profile over all probabilities up to p, of known records too.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10⁷.
    threshold, known
        As in `passive`.
    p : float
        In [0, 1]: no record is 1 with a larger probability.
    tol : float
        Relative width in [1e-10, 1] to which the maximum is searched.

    Returns
    -------
    PrivacyProfile
        Status "exact". Values are upper ends of that interval, never below the truth.

    Notes
    -----
    A value takes from milliseconds to some seconds, and more for large p and ε, where it is O(n).
    Should the search end before the width is reached, the value is an upper end all the same.

    The known records are worst at p, the unknown ones at p or 0. Given b known 1s the best number
    m of unknown records at p is that of `worst_numbers` for the threshold T - b, and δ rises in m
    up to there and falls beyond. That bounds whole ranges of m, which a branch and bound discards.
    `certified` searches in balls, with a bound that takes a mean for one m alone: mostly within a
    second, and in half a minute or so where there are millions of records and the maximum is flat.

    References
    ----------
    Theorem 4 of the paper with background knowledge, made tight.

    Examples
    --------
    >>> profiles = [f(1000, 0.005, threshold=20, known=500) for f in (passive, passive_worst_case)]
    >>> [f"{profile.delta(1.0):.3g}" for profile in profiles]
    ['1.15e-07', '1.15e-07']
    """
    n = as_integer(n, "n", 2, _MOST_IN_A_SEARCH)
    unknown, informed, p, threshold = _as_known(n, p, threshold, known)
    tol = as_tolerance(tol)
    return rounded_up(WorstPassive(unknown, informed, p, threshold, tol), "exact", tol)


def active(
    n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex, known: SupportsIndex
) -> PrivacyProfile:
    """Return the exact APKDP profile of a thresholded count over identical records.

    Parameters
    ----------
    n, p, threshold
        As in `passive`.
    known : int
        How many other records the attacker has chosen, in 0…n-1.

    Returns
    -------
    PrivacyProfile
        Status "exact": `exact` with the threshold lowered by `known`, as if all of them were 1
        (as none, if p is 0, since the paper's definition only counts what can be observed); a
        plain count if `known` exceeds the threshold.

    References
    ----------
    Proposition 8 of the paper.

    Examples
    --------
    >>> [f"{active(1000, 0.005, threshold=20, known=k).delta(0.0):.3g}" for k in (0, 5, 15, 21)]
    ['2.35e-07', '0.000142', '0.176', '0.179']
    """
    unknown, informed, p, threshold = _as_known(n, p, threshold, known)
    left = _lowered(threshold, informed, p)
    if left < 0:
        return counting.exact([p], multiplicities=[unknown])
    return exact([p], threshold=min(left, unknown + 1), multiplicities=[unknown])


def active_worst_case(
    n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex, known: SupportsIndex
) -> PrivacyProfile:
    """Return the largest APKDP profile over all probabilities up to p.

    Parameters
    ----------
    n, p, threshold, known
        As in `active`.

    Returns
    -------
    PrivacyProfile
        Status "exact", rounded up: `worst_case` without the known records, with the threshold
        lowered by their number. δ ≡ 1 if that is 0 or less: nobody else may be a 1.

    References
    ----------
    Proposition 8 of the paper, with Theorem 4 made tight.

    Examples
    --------
    >>> profiles = [active_worst_case(1000, 0.005, threshold=20, known=k) for k in (0, 15, 20)]
    >>> [f"{profile.delta(0.0):.3g}" for profile in profiles]
    ['2.35e-07', '0.176', '1']
    """
    unknown, informed, p, threshold = _as_known(n, p, threshold, known)
    left = _lowered(threshold, informed, p)
    if left <= 0:
        return vacuous("exact")
    return rounded_up(WorstThreshold(unknown, p, left), "exact")


def _as_known(
    n: SupportsIndex, p: SupportsFloat, threshold: SupportsIndex, known: SupportsIndex
) -> tuple[int, int, float, int]:
    """Return N, the number of known records, p and T."""
    unknown, informed = unknown_and_known(n, known)
    p = as_real(p, "p", "in [0, 1]", 0.0, 1.0)
    return unknown, informed, p, as_integer(threshold, "threshold", 0, unknown + informed + 1)


def _lowered(threshold: int, informed: int, p: float) -> int:
    """Return the threshold of the worst observation: all known records are 1, if they can be."""
    return threshold - informed if p > 0.0 else threshold


# Theorem 4.


def _theorem_4_eps(unknown: int, p: float, threshold: int) -> float:
    """Return ``-ln(1 - f/(1-r))``, which is positive unless f is 0; inf where it is not defined."""
    if p * unknown >= (1.0 - p) * threshold:
        return math.inf
    log_term = float(_log_geometric(threshold, unknown, p))
    if log_term >= 0.0:
        return math.inf
    smallest = math.ulp(0.0) if log_term > -math.inf else 0.0
    return max(smallest, -math.log1p(-math.exp(log_term)))


def _log_geometric(s: int | IntArray, trials: int, p: float) -> FloatArray:
    """Natural logarithm of Lemma 2's bound ``f(s, trials, p)/(1-r)``, where r < 1."""
    return np.asarray(log_binomial_pmf(s, trials, p) - np.log1p(-p * trials / ((1.0 - p) * s)))


def _allowed_b_max(unknown: int, informed: int, p: float, threshold: int) -> tuple[int, int]:
    """Return the least and the largest b_max for which Theorem 4 states something."""
    # Strictly more than p·|B|/(1-p): both sides are compared as the ratios are.
    least = first_passing(1, threshold, lambda b: p * informed < (1.0 - p) * b)
    most = last_passing(
        least, threshold - 1, lambda b: _theorem_4_eps(unknown, p, threshold - b) < math.inf
    )
    if least > most:
        raise ValueError(
            f"threshold must leave a b_max in 1…T-1 with p·known/((1-p)·b_max) < 1, "
            f"r = p·N/((1-p)(T-b_max)) < 1 and f(T-b_max, N, p)/(1-r) < 1, N = {unknown}, "
            f"got {threshold} with p = {p} and known = {informed}"
        )
    return least, most
