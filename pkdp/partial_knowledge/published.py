"""Formulas as printed in the paper, and curves as published in its figures.

Nothing in this module is meant as a privacy guarantee. It exists so that the book can show what is
in print next to what is true, and is imported by figures, pages and tests only.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Literal, SupportsFloat, SupportsIndex, get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, xlogy

from pkdp._checks import (
    MOST_RECORDS,
    as_choice,
    as_instance,
    as_integer,
    as_real,
    as_uncertainty,
    unknown_records,
)
from pkdp.partial_knowledge import composition, counting, thresholding
from pkdp.profiles import closed_forms
from pkdp.profiles.binomials import log_binomial_pmf, log_binomial_tail
from pkdp.profiles.closed_forms import largest_loss
from pkdp.profiles.laws import PoissonBinomial, binomial
from pkdp.profiles.logarithms import FloatArray, decayed_sums
from pkdp.profiles.profile import Formula, PrivacyProfile, vacuous
from pkdp.releases import BlanketTail

__all__ = [
    "FIGURE_2_SERIES",
    "FIGURE_5_SERIES",
    "PROPOSITION_7_READINGS",
    "THEOREM_3_READINGS",
    "THEOREM_5_READINGS",
    "Figure6Series",
    "figure_2",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_6",
    "poisson_4",
    "proposition_7",
    "theorem_3",
    "theorem_3_closed_form",
    "theorem_5",
    "theorem_6",
]

Theorem3Reading = Literal["literal", "exponential", "rate", "multinomial", "rate only"]
THEOREM_3_READINGS: tuple[Theorem3Reading, ...] = get_args(Theorem3Reading)

Proposition7Reading = Literal["sqrt(n) mu2^3", "sqrt(n mu2)^3", "sqrt(n mu2^3)"]
PROPOSITION_7_READINGS: tuple[Proposition7Reading, ...] = get_args(Proposition7Reading)

Theorem5Reading = Literal[
    "literal", "threshold", "exponential", "rate", "multinomial", "target", "doubled", "rate only"
]
THEOREM_5_READINGS: tuple[Theorem5Reading, ...] = get_args(Theorem5Reading)

Figure2Series = Literal["case 1", "case 2", "closed form", "numeric"]
FIGURE_2_SERIES: tuple[Figure2Series, ...] = get_args(Figure2Series)

Figure5Series = Literal["without noise", "with noise"]
FIGURE_5_SERIES: tuple[Figure5Series, ...] = get_args(Figure5Series)

Figure6Series = Literal["no noise", "p = 0.5", "p = 0.6"]
FIGURE_6_SERIES: tuple[Figure6Series, ...] = get_args(Figure6Series)

# Figure 2 is drawn for this λ, and Proposition 7 in it by so many points; its second case keeps a
# list of all records.
_FIGURE_2_LAM, _FIGURE_2_POINTS, _FIGURE_2_MOST = 0.05, 100, 10**7

# Figure 4 is drawn for this p.
_FIGURE_4_P = 1 / 200

# Figure 5 is drawn for these.
_FIGURE_5_N, _FIGURE_5_LAM, _FIGURE_5_DELTA, _FIGURE_5_SCALE = 100_000, 0.05, 1e-10, 2

# Figure 6 is drawn for so many others at this λ, and from its outcomes 49 or 50 to at most 143; the
# noise is cut off where it no longer matters.
_FIGURE_6_UNKNOWN, _FIGURE_6_LAM, _FIGURE_6_FIRST, _FIGURE_6_LAST = 999, 0.05, 40, 143
_FIGURE_6_REACH = 250

# The coefficients of ln Γ in the C library of BSD, from which those of most others descend.
_LOG_GAMMA = (
    4.18938533204672725052e-01,
    8.33333333333329678849e-02,
    -2.77777777728775536470e-03,
    7.93650558643019558500e-04,
    -5.95187557450339963135e-04,
    8.36339918996282139126e-04,
    -1.63092934096575273989e-03,
)


def theorem_3(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    known: SupportsIndex = 0,
    reading: Theorem3Reading = "literal",
) -> PrivacyProfile:
    """Return the condition printed in Theorem 3, ``δ ≥ P[X/Y ≥ ε]``, under one of its readings.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    lam : float
        λ in (0, ½].
    known : int
        How many other records the attacker knows, in 0…n-1.
    reading : {"literal", "exponential", "rate", "multinomial", "rate only"}
        Each of the first four corrects one slip more than the one before:

        * "literal": X, Y independent, Bin(N, 2λ); threshold ε;
        * "exponential": the threshold is e^ε, as the privacy loss is a logarithm;
        * "rate": success probability λ, as half of the blanket shows each value;
        * "multinomial": X and Y count different outcomes of the same records.

        What is still missing then is the target itself, which makes the ratio (X+1)/Y: that is
        `pkdp.counting.tail`. The last corrects one slip and no other:

        * "rate only": X, Y independent, Bin(N, λ); threshold ε.

    Returns
    -------
    PrivacyProfile
        Status "as printed". A zero denominator counts as an infinite ratio, 0/0 included, which
        is the convention most favourable to the theorem.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `known` is not an integer or `lam` not a number.

    Notes
    -----
    "rate only" is never below `pkdp.counting.blanket`, hence a guarantee, but at least ½ for all
    ε ≤ 1. Each of the others lies below `pkdp.counting.worst_case` for some n, λ and ε.

    References
    ----------
    Theorem 3 of the paper, first display.

    Examples
    --------
    >>> [round(theorem_3(1000, 0.05, reading=r).delta(1.0), 6) for r in THEOREM_3_READINGS]
    [0.51488, 0.0, 2e-06, 2e-06, 0.520495]
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    as_choice(reading, "reading", THEOREM_3_READINGS)
    return PrivacyProfile(Formula(_log_theorem_3, unknown, lam, reading), "as printed")


def _log_theorem_3(unknown: int, lam: float, reading: Theorem3Reading, eps: float) -> float:
    if reading == "multinomial":
        return BlanketTail(unknown, lam, added=0).log_delta(eps)
    success = lam if reading in ("rate", "rate only") else 2.0 * lam
    threshold = eps if reading in ("literal", "rate only") else math.exp(min(eps, 700.0))
    if math.isinf(eps) or threshold > unknown:  # a positive Y cannot be beaten any more
        return unknown * math.log1p(-success) if success < 1.0 else -math.inf
    return _log_ratio_tail(unknown, success, threshold)


def theorem_3_closed_form(
    n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return the closed form of Theorem 3, on the domain where it is stated.

    ``δ = exp(-ε²λN/14)`` for ``27/(λN) ≤ ε ≤ 1``. Below, the theorem says nothing (δ = 1); above
    ε = 1 it says no more than at 1.

    Parameters
    ----------
    n, lam, known
        As in `theorem_3`.

    Returns
    -------
    PrivacyProfile
        Status "as printed"; it is a true guarantee, for histograms too, and
        `pkdp.counting.closed_form` is a better one everywhere. ε is inf for δ below the value at
        ε = 1, and for every δ < 1 where 27/(λN) > 1.

    References
    ----------
    Theorem 3 of the paper, second display, and Corollary 1.

    Examples
    --------
    >>> profile = theorem_3_closed_form(10_001, 0.1)
    >>> profile.delta(0.02), round(profile.epsilon(1e-10), 4), profile.epsilon(1e-40)
    (1.0, 0.5678, inf)
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    return PrivacyProfile(Formula(_log_closed_form, unknown, lam), "as printed")


def _log_closed_form(unknown: int, lam: float, eps: float) -> float:
    """``-ε²λN/14`` for 27/(λN) ≤ ε ≤ 1, the paper's closed form; 0 below, and above as at 1."""
    eps, scale = min(eps, 1.0), lam * unknown
    return -(eps**2) * scale / 14.0 if eps * scale >= 27.0 else 0.0


def theorem_5(
    n: SupportsIndex, lam: SupportsFloat, *, k: SupportsIndex, reading: Theorem5Reading = "literal"
) -> PrivacyProfile:
    """Return the condition printed in Theorem 5, as a curve in ε, under one of its readings.

    With ``r = λ(n-1)/((1-λ)k)`` and ``q = f(T, n-1, λ)/(1-r)``, f the binomial masses, and for
    ``ε = 2ε_c ≥ -2·ln(1-q)``,

        δ = max(2q, P[X/Y ≥ ε_c]).

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    lam : float
        λ in (0, ½].
    k : int
        Counts below k ≥ 1 are suppressed.
    reading : {"literal", "threshold", "exponential", "rate", "multinomial", "target", "doubled", \
"rate only"}
        Each but the last corrects one slip more than the one before:

        * "literal": T = k; X, Y independent, Bin(n-1, 2λ);
        * "threshold": T = k-1, as a count of k is not suppressed;
        * "exponential", "rate", "multinomial": as in `theorem_3`;
        * "target": (X+1)/Y, which counts the target itself;
        * "doubled": twice the probability too, as two comparisons are chained;
        * "rate only": "threshold", and success probability λ; nothing else is corrected.

    Returns
    -------
    PrivacyProfile
        Status "as printed"; δ is 1 where r or q is no less than 1 or ε too small. A zero
        denominator counts as an infinite ratio.

    Raises
    ------
    ValueError
        If an argument lies outside its range or there is no such reading.
    TypeError
        If `n` or `k` is not an integer or `lam` not a number.

    Notes
    -----
    Theorem 4 has T in the place of k in r. To read Theorem 5 so, from "threshold" on, makes r, q,
    δ and the least ε larger: δ is then max(2q, what is returned), with the larger q.

    References
    ----------
    Theorem 5 of the paper.

    Examples
    --------
    >>> [round(theorem_5(2, 0.25, k=2, reading=r).delta(3.0), 4) for r in THEOREM_5_READINGS]
    [0.5, 0.6, 0.6, 0.75, 0.75, 0.75, 1.0, 0.75]
    """
    unknown, lam = unknown_records(n, 0), as_uncertainty(lam)
    least = as_integer(k, "k", 1, MOST_RECORDS)
    as_choice(reading, "reading", THEOREM_5_READINGS)
    ratio = lam * unknown / ((1.0 - lam) * least)
    if ratio >= 1.0:
        return vacuous("as printed")
    suppressed = least if reading == "literal" else least - 1
    log_q = float(log_binomial_pmf(suppressed, unknown, lam)) - math.log1p(-ratio)
    if log_q >= 0.0:
        return vacuous("as printed")
    start = -2.0 * math.log1p(-math.exp(log_q))
    if reading == "target" or reading == "doubled":
        tail = counting.tail(n, lam)
    else:
        tail = theorem_3(n, lam, reading="literal" if reading == "threshold" else reading)
    log_factor = math.log(2.0) if reading == "doubled" else 0.0
    return PrivacyProfile(Formula(_log_theorem_5, start, log_q, log_factor, tail), "as printed")


def _log_theorem_5(
    start: float, log_q: float, log_factor: float, tail: PrivacyProfile, eps: float
) -> float:
    if eps < start:
        return 0.0
    return min(0.0, max(math.log(2.0) + log_q, log_factor + tail.log_delta(eps / 2.0)))


def proposition_7(
    probabilities: npt.ArrayLike,
    *,
    multiplicities: npt.ArrayLike | None = None,
    reading: Proposition7Reading = "sqrt(n) mu2^3",
) -> PrivacyProfile:
    """Return the bound printed in Proposition 7, as a curve in ε.

    With averages over all n records, µ₂ of ``p(1-p)`` and µ₃ of ``p(1-p)·|1-2p|``, and for ε ≤ 1,

        δ = 1.12·µ₃/D·(1 + e^ε) + δ₂,  δ₂ = 1.25·exp(-nµ₂ε²/2).

    Parameters
    ----------
    probabilities : array_like, shape (n,)
        ``P[D(i) = 1]`` in [0, 1] of *all* records, the target's included, as in print.
    multiplicities : array_like of int, shape (n,), optional
        How many records share each probability; 1 each by default.
    reading : {"sqrt(n) mu2^3", "sqrt(n mu2)^3", "sqrt(n mu2^3)"}
        The denominator D: √n·µ₂³, with which Figure 2 is drawn; (√(nµ₂))³; or √(n·µ₂³), which is
        how the theorem of Berry and Esseen scales.

    Returns
    -------
    PrivacyProfile
        Status "as printed". At each ε the least δ of any ε' ≤ min(ε, 1), and 1 where that is more.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1] or is NaN, if the array is not one-dimensional, if a
        multiplicity is negative or not an integer, or if there is no such reading.

    References
    ----------
    Proposition 7 of the paper.

    Examples
    --------
    For fair coins µ₃ vanishes, and only δ₂ is left:

    >>> profile = proposition_7([0.5], multiplicities=[100])
    >>> [round(profile.delta(eps), 6) for eps in (0.1, 0.5, 1.0, 2.0)]
    [1.0, 0.054921, 5e-06, 5e-06]
    """
    as_choice(reading, "reading", PROPOSITION_7_READINGS)
    law = PoissonBinomial(probabilities, multiplicities)
    variance = law.variance
    if variance == 0.0:  # both terms are infinite, or say nothing
        return vacuous("as printed")
    p = np.asarray(probabilities, dtype=np.float64)
    counts = np.ones(p.size) if multiplicities is None else np.asarray(multiplicities)
    log_distance = _log_printed_distance(p, counts, variance, reading)
    return PrivacyProfile(closed_forms.normal_bound(log_distance, variance), "as printed")


def theorem_6(
    eps1: SupportsFloat,
    delta1: SupportsFloat,
    *,
    eps2: SupportsFloat,
    delta2: SupportsFloat,
    mu: SupportsFloat,
    nu: SupportsFloat,
) -> tuple[float, float]:
    """Return the ε and δ printed in Theorem 6: ``(2µ + ε₁ + ε₂, δ₁ + δ₂ + ν)``.

    Parameters
    ----------
    eps1, delta1, eps2, delta2 : float
        The guarantees of the two mechanisms; ε in [0, inf], δ in [0, 1].
    mu, nu : float
        For which they are (µ, ν)-bounded dependent; µ in [-1e300, inf], ν in
        [0, 1].

    Returns
    -------
    tuple of float
        ε and δ, to nearest. For µ ≥ 0 they are true, but ε exceeds that of
        `pkdp.composition.theorem_6` by µ; for µ < 0 they can be too small.

    References
    ----------
    Theorem 6 of the paper.

    Examples
    --------
    >>> theorem_6(0.5, 1e-6, eps2=0.25, delta2=1e-6, mu=0.25, nu=0.0)
    (1.25, 2e-06)
    """
    losses, chances = composition.checked_guarantees((eps1, eps2, mu), (delta1, delta2, nu))
    return losses[0] + losses[1] + 2.0 * losses[2], sum(chances)


def figure_2(n: SupportsIndex, series: Figure2Series) -> PrivacyProfile:
    """Return a curve as drawn in Figure 2, where λ = 0.05; the figure has n = 100 and 10,000.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10⁷.
    series : {"case 1", "case 2", "closed form", "numeric"}
        * "case 1", "case 2": Proposition 7 as printed, with ``D = √n·µ₂³``, for ``p₁ = λ`` and all
          other pᵢ = ½, and for pᵢ evenly spaced from λ to 1-λ. It is computed at 100 points evenly
          spaced in ε², from where δ₂ = 1 to ε = 1, and each is the least value so far.
        * "closed form": ``δ = exp(-ε²λ(n-1)/14)`` up to ε = 1, also below ε = 27/(λ(n-1)), where
          Theorem 3 says nothing.
        * "numeric": ``P[L ≥ ε]``, L the privacy loss of S + 1 against S for ``S ~ Bin(n-1, 2λ)``,
          computed at the values that L takes.

    Returns
    -------
    PrivacyProfile
        Status "as printed". Between computed points the curves are straight lines on a logarithmic
        axis of δ, as in the figure; beyond ε = 1 all but the last stand still.

    Raises
    ------
    ValueError
        If `n` lies outside its range or there is no such series.
    TypeError
        If `n` is not an integer.

    References
    ----------
    Figure 2 of the paper; the formulas were recovered by matching the published curves.

    Examples
    --------
    >>> [round(figure_2(100, series).delta(1.0), 6) for series in FIGURE_2_SERIES]
    [0.010565, 1.0, 0.702176, 0.000219]
    """
    records = as_integer(n, "n", 2, _FIGURE_2_MOST)
    as_choice(series, "series", FIGURE_2_SERIES)
    lam = _FIGURE_2_LAM
    if series == "closed form":
        return PrivacyProfile(Formula(_log_drawn_closed_form, lam, records - 1), "as printed")
    if series == "numeric":
        return PrivacyProfile(Formula(_log_drawn_tail, records, 2.0 * lam), "as printed")
    if series == "case 1":
        p, counts = np.array([lam, 0.5]), np.array([1, records - 1])
    else:
        p, counts = np.linspace(lam, 1.0 - lam, records), np.ones(records)
    variance = float(counts @ (p * (1.0 - p)))
    log_distance = _log_printed_distance(p, counts, variance, "sqrt(n) mu2^3")
    start = min(1.0, 2.0 * math.log(1.25) / variance)
    points = np.sqrt(np.linspace(start, 1.0, _FIGURE_2_POINTS))
    values = np.minimum.accumulate(closed_forms.log_normal_sum(log_distance, variance, points))
    values = np.minimum(values, 0.0)
    return PrivacyProfile(Formula(_on_lines, points, values), "as printed")


def _on_lines(points: FloatArray, values: FloatArray, eps: float) -> float:
    return float(np.interp(eps, points, values))


def _log_drawn_closed_form(lam: float, unknown: int, eps: float) -> float:
    return -(min(eps, 1.0) ** 2) * lam * unknown / 14.0


def figure_3(n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the profile whose ε at δ = 0.01/n is drawn in Figure 3.

    The published curve is the tail ``P[L > ε]`` of the privacy loss of one pair only: all other
    records at probability λ, and the target's record going from 1 to 0,

        L = ln P[S = K - 1] - ln P[S = K],  K = S + 1,  S ~ Bin(N, λ).

    The opposite direction, which is the worse one, is missing; so the curve is not a bound.

    Parameters
    ----------
    n, lam, known
        As in `theorem_3`.

    Returns
    -------
    PrivacyProfile
        Status "as printed".

    References
    ----------
    Figure 3 of the paper; the formula was recovered by matching the published curve.

    Examples
    --------
    >>> round(figure_3(100, 0.05).epsilon(0.01 / 100), 4)
    1.2862
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    return PrivacyProfile(Formula(_log_figure_3, unknown, lam), "as printed")


def _log_figure_3(unknown: int, lam: float, eps: float) -> float:
    if unknown == 0 or eps > largest_loss(unknown, lam):  # only L = inf is left, at K = N + 1
        return unknown * math.log(lam)
    return _log_tail(_last_with_loss(unknown, lam, eps), unknown, lam)


def _last_with_loss(unknown: int, p: float, eps: float) -> int:
    """Return the last K - 1 ≤ N with ``ln P[S = K - 1]/P[S = K] ≤ ε``: K is at most (N+1)·q there.

    S ~ Bin(N, p), and q is p tilted by ε.
    """
    logit = math.log(p) - math.log1p(-p)
    return min(math.floor((unknown + 1) * float(expit(logit + eps))), unknown)


# The curve is one of steps, and a search for its ε asks again and again about the same two.
_log_tail = functools.lru_cache(maxsize=64)(log_binomial_tail)


def figure_4(n: SupportsIndex, *, threshold: SupportsIndex) -> tuple[float, float]:
    """Return the ε and δ drawn in Figure 4, where p = 0.5 % and nobody knows anything.

    The curves are those of Theorem 4, which is true: this is `pkdp.thresholding.theorem_4_terms`.
    What is as published here is only which numbers are drawn.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰. The figure has 1,000, 10,000 and 100,000.
    threshold : int
        T in 0…n: counts up to it are suppressed.

    Returns
    -------
    tuple of float
        ε and δ.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or Theorem 4 says nothing there.
    TypeError
        If an argument is not an integer.

    References
    ----------
    Figure 4 of the paper.

    Examples
    --------
    >>> [round(value, 4) for value in figure_4(1000, threshold=8)]
    [0.1919, 0.1746]
    """
    terms = thresholding.theorem_4_terms(n, _FIGURE_4_P, threshold=threshold)
    return terms.eps, math.exp(terms.log_delta)


def poisson_4(n: SupportsIndex, p: SupportsFloat, *, threshold: SupportsIndex) -> float:
    """Return the approximation of δ that follows Theorem 4, by Poisson's law.

    It is ``(pn)ᵀ·exp(-pn)/((1-r)·T!)``, ``r = p(n-1)/((1-p)T)``: with the n of all records where
    the theorem has the n-1 others, and with the theorem's r.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    p : float
        In [0, 1]: the largest probability of a 1.
    threshold : int
        T in 0…n: counts up to it are suppressed.

    Returns
    -------
    float
        An approximation, not a bound: it can lie on either side of the theorem's δ.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or r is 1 or more.
    TypeError
        If `n` or `threshold` is not an integer, or `p` not a number.

    References
    ----------
    Theorem 4 of the paper, the sentence after its first display.

    Examples
    --------
    Where δ is small it is too large, here by 13 %:

    >>> f"{figure_4(1000, threshold=20)[1]:.3g} and {poisson_4(1000, 0.005, threshold=20):.3g}"
    '3.13e-07 and 3.53e-07'
    """
    others = unknown_records(n, 0)
    p = as_real(p, "p", "in [0, 1]", 0.0, 1.0)
    threshold = as_integer(threshold, "threshold", 0, others + 1)
    if p * others >= (1.0 - p) * threshold:
        raise ValueError(f"threshold must be more than p(n-1)/(1-p), got {threshold}")
    mean = p * (others + 1)
    r = p * others / ((1.0 - p) * threshold)
    log_law = float(xlogy(threshold, mean)) - mean - math.lgamma(threshold + 1)
    return math.exp(log_law - math.log1p(-r))


def figure_5(known: SupportsIndex, series: Figure5Series) -> float:
    """Return the ε drawn in Figure 5, where n = 100,000, λ = 0.05 and δ = 10⁻¹⁰.

    Without noise it is the closed form of Theorem 3,

        ε = √(14·ln(1/δ) / (λN)),  N = 100,001 - known,

    also where the ε exceeds 1 and the theorem says nothing. If the figure has known = 100, 200, …,
    that counts two records more than the theorem's n - 1 - known. The heights of its points tell N,
    but their places tell `known` to about 1 only. With noise it is the smaller of that and ½, the
    ε of Laplace noise of scale 2 alone.

    Parameters
    ----------
    known : int
        How many records the attacker knows, in 0…99,999. The figure has 100, 200, …, 99,900, or
        about that.
    series : {"without noise", "with noise"}
        Which curve.

    Returns
    -------
    float
        ε.

    Raises
    ------
    ValueError
        If `known` lies outside its range or there is no such series.
    TypeError
        If `known` is not an integer.

    References
    ----------
    Figure 5 of the paper; the formula was recovered by matching the published curves.

    Examples
    --------
    >>> [round(figure_5(70_000, series), 4) for series in FIGURE_5_SERIES]
    [0.4636, 0.4636]
    >>> [round(figure_5(90_000, series), 4) for series in FIGURE_5_SERIES]
    [0.8029, 0.5]
    """
    seen = as_integer(known, "known", 0, _FIGURE_5_N - 1)
    as_choice(series, "series", FIGURE_5_SERIES)
    drawn = _FIGURE_5_N + 1 - seen
    eps = math.sqrt(14.0 * math.log(1.0 / _FIGURE_5_DELTA) / (_FIGURE_5_LAM * drawn))
    return eps if series == "without noise" else min(eps, 1.0 / _FIGURE_5_SCALE)


def figure_6(series: Figure6Series, *, rounded: bool = True) -> PrivacyProfile:
    """Return a curve as drawn in Figure 6, where n = 1000 (not 10,000) and λ = 0.05.

    With ``Z = S + X``, S ~ Bin(999, λ) and X the two-sided geometric noise (or 0), it goes through

        ε = ln P[Z = k-1] - ln P[Z = k],  δ = P[Z > k]

    for all outcomes k: the privacy loss of the target going from 1 to 0, for one choice of the
    probabilities of the others, and its tail under the law of the output when the target's record
    is 0. So the curve is not a bound.

    Parameters
    ----------
    series : {"no noise", "p = 0.5", "p = 0.6"}
        Which noise; the caption says p = 0.75 where the curve has 0.6.
    rounded : bool
        Whether to compute as the authors are likely to have done: masses from the ln Γ of a C
        library, and the tail as 1 minus their sum so far. The masses of the 1000 outcomes then add
        up to 1 - 3.8·10⁻¹³, and that becomes the floor of all three curves. Otherwise the tails are
        summed from their far ends, without a floor.

    Returns
    -------
    PrivacyProfile
        Status "as printed". Between computed points the curves are straight lines on a logarithmic
        axis of δ, as in the figure; beyond the last point, k = 143, they stand still.

    Raises
    ------
    ValueError
        If there is no such series.

    References
    ----------
    Figure 6 of the paper; the formula and the way to compute it were recovered by matching the
    published curves.

    Examples
    --------
    >>> [f"{figure_6(series).delta(0.5):.2g}" for series in FIGURE_6_SERIES]
    ['2.1e-05', '7.2e-06', '5.3e-08']
    >>> curves = [figure_6("p = 0.6", rounded=rounded) for rounded in (True, False)]
    >>> [f"{curve.delta(0.51082561):.2g}" for curve in curves]
    ['3.8e-13', '5.7e-16']
    """
    as_choice(series, "series", FIGURE_6_SERIES)
    losses, log_tails = _figure_6_points(series, as_instance(rounded, "rounded", bool))
    return PrivacyProfile(Formula(_on_lines, losses, log_tails), "as printed")


@functools.cache
def _figure_6_points(series: Figure6Series, rounded: bool) -> tuple[FloatArray, FloatArray]:
    """Return ε and ln δ at the outcomes of Figure 6."""
    count = np.arange(_FIGURE_6_UNKNOWN + 1)
    if rounded:
        masses = np.array([_rounded_mass(k) for k in range(_FIGURE_6_UNKNOWN + 1)])
    else:
        masses = np.exp(log_binomial_pmf(count, _FIGURE_6_UNKNOWN, _FIGURE_6_LAM))
    origin = 0
    if series != "no noise":
        p, origin = float(series.removeprefix("p = ")), _FIGURE_6_REACH
        noise = (1.0 - p) / (1.0 + p) * p ** np.abs(np.arange(-origin, origin + 1.0))
        masses = np.convolve(masses, noise)
    outcomes = origin + np.arange(_FIGURE_6_FIRST, _FIGURE_6_LAST + 1)
    losses = np.log(masses[outcomes - 1]) - np.log(masses[outcomes])
    if rounded:
        tails = 1.0 - np.cumsum(masses)[outcomes]
    else:
        tails = np.cumsum(masses[::-1])[::-1][outcomes + 1]
    return losses, np.log(tails)


def _rounded_mass(k: int) -> float:
    """``P[S = k]`` as floats give it that take the binomial coefficient from ln Γ."""
    n, p = _FIGURE_6_UNKNOWN, _FIGURE_6_LAM
    log_ways = _log_factorial(n) - (_log_factorial(k) + _log_factorial(n - k))
    return float(math.exp(log_ways) * p**k * (1.0 - p) ** (n - k))


def _log_factorial(k: int) -> float:
    """``ln Γ(k+1)`` with the rounding errors of a C library."""
    x = k + 1.0
    if x < 8.0:  # the libraries use other formulas here, with the same result
        return math.log(math.factorial(k))
    series = 0.0
    for coefficient in _LOG_GAMMA[:0:-1]:
        series = coefficient + series / (x * x)
    return (x - 0.5) * (math.log(x) - 1.0) + (_LOG_GAMMA[0] + series / x)


def _log_printed_distance(
    p: FloatArray, counts: npt.NDArray[Any], variance: float, reading: Proposition7Reading
) -> float:
    """``ln(1.12·µ₃/D)`` for so many records of each probability; `variance` is nµ₂."""
    records = counts.sum()
    third_moment = float(counts @ (p * (1.0 - p) * np.abs(1.0 - 2.0 * p)))
    if third_moment == 0.0:
        return -math.inf
    log_n, log_mu2 = math.log(records), math.log(variance) - math.log(records)
    log_denominator = {
        "sqrt(n) mu2^3": 0.5 * log_n + 3.0 * log_mu2,
        "sqrt(n mu2)^3": 1.5 * (log_n + log_mu2),
        "sqrt(n mu2^3)": 0.5 * log_n + 1.5 * log_mu2,
    }[reading]
    return math.log(1.12 * third_moment) - log_n - log_denominator


def _log_drawn_tail(records: int, success: float, eps: float) -> float:
    """``ln P[L ≥ ε]`` at the losses ``L(k) = ln(k(1-p)/((n-k)p))``, straight lines in between."""
    unknown = records - 1
    if eps > largest_loss(unknown, success):
        return unknown * math.log(success)
    logit = math.log(success) - math.log1p(-success)
    k = _last_with_loss(unknown, success, eps)
    log_tail = log_binomial_tail(k, unknown, success)
    log_mass = log_binomial_pmf(k - 1, unknown, success)
    log_tails = [min(0.0, float(np.logaddexp(log_mass, log_tail))), log_tail]
    if k in (0, unknown):  # no finite loss on the left, where the tail is 1; or on the right
        return log_tails[0] if k else log_tails[1]
    losses = [math.log(j) - math.log(records - j) - logit for j in (k, k + 1)]
    return float(np.interp(eps, losses, log_tails))


def _log_ratio_tail(trials: int, success: float, slope: float) -> float:
    """``ln P[X ≥ slope·Y]`` for independent X, Y ~ Bin(trials, success), ``slope ≤ trials``.

    Both are tilted (X up, Y down) until their means meet the slope, as in Chernoff's bound; then
    what remains is a sum of ordinary size over two windows.
    """
    # Two laws, since each remembers its latest window only.
    x_law, y_law = binomial(trials, success), binomial(trials, success)
    tilt = 0.0
    if slope > 1.0 and success < 1.0:
        logit = math.log(success) - math.log1p(-success)

        def excess(t: float) -> float:
            return float(expit(logit + t) - slope * expit(logit - slope * t))

        high = 1.0 / slope
        while excess(high) < 0.0:
            high *= 2.0
        tilt = float(brentq(excess, 0.0, high, rtol=1e-12))
    x, y = x_law.window(tilt), y_law.window(-slope * tilt)
    # tails[i] = Σ_{k ≥ i} exp(-tilt·(k - i))·weight_k
    tails = np.append(decayed_sums(x.weights[::-1], -tilt)[::-1], 0.0)
    # Products that are integers but for rounding count as integers: X/Y = slope satisfies "≥".
    products = slope * y.outcomes
    first = np.ceil(products - 4e-16 * products).astype(np.int64)
    index = np.clip(first - x.start, 0, x.weights.size)
    # Left of X's window the tail is the window's own, only further away.
    below = np.maximum(x.start - first, 0)
    exponents = -tilt * ((first - products) - (x.anchor - slope * y.anchor) + below)
    total = float((y.weights * tails[index]) @ np.exp(exponents))
    if total <= 0.0:
        return -math.inf
    return min(0.0, x.log_scale + y.log_scale + math.log(total))
