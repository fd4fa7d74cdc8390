"""Counting queries under partial knowledge: section 4.1 of the paper.

The output is ``S`` or ``S + 1``, where S counts the N other records that the attacker does not
know; records she knows shift the output by a number she can subtract. Everything here is a
privacy profile of that pair, or of a histogram's: exact for given probabilities, exact in the worst
case over all probabilities in [λ, 1-λ], the bounds that a privacy blanket and other proofs give,
and the limits they are measured against. Records are independent of each other to the attacker; for
others there is `pkdp.partial_knowledge.dependent_counts`.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known.
"""

from __future__ import annotations

import dataclasses
import math
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit

from pkdp._checks import (
    MOST_RECORDS,
    as_floats,
    as_integer,
    as_real,
    as_tolerance,
    as_uncertainty,
    unknown_records,
)
from pkdp.profiles import closed_forms
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import PrivacyProfile, rounded_up, vacuous
from pkdp.releases import (
    BerryEsseen,
    Blanket,
    BlanketTail,
    ClosedForm,
    EntropyForm,
    WorstCount,
    WorstVertex,
)

__all__ = [
    "berry_esseen",
    "binary_queries",
    "blanket",
    "closed_form",
    "exact",
    "gaussian_limit",
    "histogram",
    "kl_form",
    "log_delta_asymptotic",
    "log_delta_vertex",
    "new_users",
    "pair",
    "tail",
    "worst_case",
    "worst_vertex",
]

# Relative width to which a worst case is searched.
_TOL = 1e-8

# The most answers a histogram may have, far more than any ballot has options.
_MOST_CATEGORIES = 2**62


def pair(probabilities: npt.ArrayLike, *, multiplicities: npt.ArrayLike | None = None) -> Pair:
    """Return the pair of laws of a count of independent records, the target's being 1 and 0.

    Parameters
    ----------
    probabilities : array_like, shape (N,)
        ``P[D(j) = 1]`` in [0, 1] of the records that are neither the target nor known to the
        attacker; may be empty.
    multiplicities : array_like of int, shape (N,), optional
        How many records share each probability; 1 each by default.

    Returns
    -------
    Pair
        ``(S + 1, S)``, S the Poisson-binomial count of those records.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1], is NaN, or the array is not one-dimensional; if a
        multiplicity is negative or not an integer.
    TypeError
        If the probabilities are not numbers.

    References
    ----------
    Section 4.1 of the paper, first paragraph.

    Examples
    --------
    >>> np.exp(pair([0.5, 0.5]).P.log_pmf(1, 3)).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    count = PoissonBinomial(probabilities, multiplicities)
    return Pair(count.shift(1), count)


def exact(
    probabilities: npt.ArrayLike, *, multiplicities: npt.ArrayLike | None = None
) -> PrivacyProfile:
    """Return the exact privacy profile of a count of independent records of given probabilities.

    Parameters
    ----------
    probabilities, multiplicities
        As in `pair`. Records known to the attacker are left out: they change nothing.

    Returns
    -------
    PrivacyProfile
        Status "exact"; δ ≡ 1 if N = 0.

    Notes
    -----
    One value costs O(1) once the probabilities are grouped: less than a millisecond for 10⁷ equal
    ones, and two for 10⁷ different ones, after some seconds of preparation.

    References
    ----------
    Definition 10 of the paper for the mechanism of section 4.1.

    Examples
    --------
    With two fair coins next to the target, the counts 0 and 3 give the target away:

    >>> profile = exact([0.5, 0.5])
    >>> round(profile.delta(0.0), 12), round(profile.delta(2.0), 12)
    (0.5, 0.25)

    Ten million of them are no more work:

    >>> round(exact([0.5], multiplicities=[10**7]).epsilon(1e-10), 6)
    0.003032
    """
    return pair(probabilities, multiplicities=multiplicities).profile()


def worst_case(
    n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0, tol: SupportsFloat = _TOL
) -> PrivacyProfile:
    """Return the tight form of Theorem 3: the largest δ(ε) over all probabilities in [λ, 1-λ].

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    lam : float
        λ in (0, ½]. To the attacker records are independent.
    known : int
        How many other records the attacker knows, in 0…n-1.
    tol : float
        Relative width in [1e-10, 1] to which the search narrows the maximum.

    Returns
    -------
    PrivacyProfile
        Status "exact". Values are upper ends of that interval, rounded up by more than any error
        of floats that the tests found, so as not to be below the truth; `gap` is `tol`, which was
        reached in all our trials; `worst_vertex` tells. ε is inf for δ below (1-λ)^N, which no ε
        achieves.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `known` is not an integer, or `lam` or `tol` not a number.

    Notes
    -----
    δ is convex in each probability, hence largest at a vertex of the cube, and a vertex only
    matters through the number of records at λ. See `pkdp.engines.vertices` for how the maximum over
    all of them is found in milliseconds, for n up to 10⁹: bounds that are proved for exact
    integrals, and checked against ball arithmetic for those of floats.

    References
    ----------
    Theorem 3 of the paper, made tight.

    Examples
    --------
    >>> profile = worst_case(10**7, 0.1, known=9_900_000)
    >>> round(profile.epsilon(1e-10), 4)
    0.057
    """
    tol = as_tolerance(tol)
    return rounded_up(WorstCount(unknown_records(n, known), as_uncertainty(lam), tol), "exact", tol)


def worst_vertex(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    known: SupportsIndex = 0,
    eps: SupportsFloat,
    tol: SupportsFloat = _TOL,
) -> WorstVertex:
    """Return where the maximum of `worst_case` is attained, and between which bounds it lies.

    Parameters
    ----------
    n, lam, known, tol
        As in `worst_case`.
    eps : float
        ε in [0, inf].

    Returns
    -------
    WorstVertex
        The number m of records at λ (the others are at 1-λ, the target's record going from 1 to
        0; for the other direction the roles of λ and 1-λ are exchanged), its ln δ, and a bound
        that no vertex exceeds. At ε = 0, where m and N - m have the same δ, the smaller one.

    Examples
    --------
    >>> worst_vertex(1000, 0.05, eps=1.0).m
    2
    """
    count = WorstCount(unknown_records(n, known), as_uncertainty(lam), as_tolerance(tol))
    return count.worst_vertex(as_real(eps, "eps", "in [0, inf]", 0.0, math.inf))


def log_delta_vertex(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    known: SupportsIndex = 0,
    m: npt.ArrayLike,
    eps: SupportsFloat,
) -> FloatArray:
    """Return ln H_E(S + 1‖S) for m records at λ and N - m at 1-λ.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.
    m : int or array_like of int
        Numbers in 0…N.
    eps : float
        ε in [0, inf].

    Returns
    -------
    ndarray
        Of the shape of `m`.

    Raises
    ------
    ValueError, TypeError
        As in `worst_case`; also if an m lies outside 0…N.

    Examples
    --------
    >>> np.exp(log_delta_vertex(4, 0.25, m=[0, 1, 2, 3], eps=0.5)).round(4).tolist()
    [0.4219, 0.4244, 0.2926, 0.3205]
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    eps = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
    numbers = np.asarray(m)
    if numbers.size == 0:  # an empty list has no integer type
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"m must be integers in 0…{unknown}, got {m!r}")
    if ((numbers < 0) | (numbers > unknown)).any():
        raise ValueError(f"m must be in 0…{unknown}, got {m!r}")
    row = np.atleast_1d(numbers).astype(np.int64).ravel()
    logs = WorstCount(unknown, lam, 1.0).log_delta_of_vertices(row, eps)
    return logs.reshape(numbers.shape)


def blanket(n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the corrected Theorem 3: what the privacy blanket alone guarantees.

    δ(ε) is ``E[max(0, 1 - E·Y/(X+1))]`` for ``(X, Y, rest) ~ Multinomial(N; λ, λ, 1-2λ)``.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `worst_case`, and the exact worst case for histograms
        with three or more categories.

    Notes
    -----
    One value costs O(√n): milliseconds for n = 10⁶, a fifth of a second for n = 10¹⁰.

    References
    ----------
    Theorem 3 of the paper, corrected; Balle, Bell, Gascón and Nissim (2019), Theorem 3.1.

    Examples
    --------
    >>> blanket(3, 0.25).delta(0.5) > worst_case(3, 0.25).delta(0.5)
    True
    """
    return rounded_up(Blanket(unknown_records(n, known), as_uncertainty(lam)), "upper bound")


def tail(n: SupportsIndex, lam: SupportsFloat, *, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the weaker tail form of `blanket`: ``P[(X+1)/Y ≥ E]``, Y = 0 counting as infinite.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `blanket`.

    Notes
    -----
    An ε below 1e-19 counts as 0, where ties make the tail larger.

    References
    ----------
    Theorem 3 of the paper: its condition with the four slips corrected.

    Examples
    --------
    >>> round(tail(2, 0.25).delta(0.0), 12)
    1.0
    """
    return rounded_up(BlanketTail(unknown_records(n, known), as_uncertainty(lam)), "upper bound")


def closed_form(
    n: SupportsIndex, lam: SupportsFloat, *, categories: SupportsIndex = 2, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return a closed form to solve by hand: ``δ = exp(-r·N·ε²)`` for all N, λ and ε ≤ 1.

    For any number of categories r = 0.21002λ; for two it is also 0.26424·λ(1-λ), which is larger
    where λ < 0.205. So an ε up to 1 is enough for δ if ``ε² ≥ ln(1/δ)/(r·N)``: with a constant of
    4.7614 for λN, or of 3.785 for λ(1-λ)N, in place of Theorem 3's 14, and no second condition.

    Parameters
    ----------
    n, known
        As in `worst_case`.
    lam : float
        λ in (0, 1/K].
    categories : int
        K ≥ 2: two for a count, more for a histogram.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `histogram` with as many categories. Above ε = 1 it says
        no more than at 1, so that ε is inf for a smaller δ.

    Notes
    -----
    The rates are 2(1 - ρ) at ε = 1, ρ as in `kl_form`, and 1 - 2/e. No larger ones hold for all λ,
    N and ε ≤ 1. The formula as printed is `published.theorem_3_closed_form`.

    References
    ----------
    Theorem 3 of the paper, second display, and Corollary 1, with better constants.

    Examples
    --------
    >>> [round(closed_form(10_001, 0.1, categories=k).epsilon(1e-10), 4) for k in (2, 3)]
    [0.3112, 0.3311]
    >>> profile = closed_form(10_001, 0.1)
    >>> round(profile.delta(0.02), 4), profile.epsilon(1e-200)
    (0.9093, inf)
    """
    return rounded_up(ClosedForm(*_of_categories(n, lam, known, categories)), "upper bound")


def kl_form(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    categories: SupportsIndex = 2,
    known: SupportsIndex = 0,
    bessel: bool = True,
) -> PrivacyProfile:
    """Return a closed form for every ε ≥ 0: relative entropies, sharpened by a Bessel function.

    For three or more categories δ is at most

        (1 - 2λ(1-ρ))^N·min(1, e^{ε(1-τ)}·e^{-w}·I₀(w)),

    τ = E/(1+E), ρ = exp(-KL(τ‖½)), w = N·λρ·(1 - e^{-2τ(1-τ)})/(1 - 2λ(1-ρ)). For two it is also
    at most

        e^{-N·KL(q‖1-λ)}·min(1, e^ε·e^{-v}·I₀(v)),

    q the tilt of 1-λ by ε, v = Nq(1-q).

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.
    categories : int
        K ≥ 2; Kλ ≤ 1.
    bessel : bool
        Whether to use the second factors, in which ``e^{-x}·I₀(x)`` is about 1/√(2πx).

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `histogram` with as many categories.

    Notes
    -----
    Its rate in ε and N is the true one; what it lacks is the factor 1 - t·R(t) of
    `log_delta_asymptotic`, which is about 1/(εσ)².

    References
    ----------
    Not in the paper. It answers the question before Corollary 1 for a better closed form.

    Examples
    --------
    >>> [round(kl_form(10_001, 0.1, categories=k).epsilon(1e-10), 4) for k in (2, 3)]
    [0.218, 0.2794]
    """
    unknown, lam, two_categories = _of_categories(n, lam, known, categories)
    if unknown == 0:
        return vacuous("upper bound")
    return rounded_up(EntropyForm(unknown, lam, two_categories, bool(bessel)), "upper bound")


def histogram(
    n: SupportsIndex, lam: SupportsFloat, *, categories: SupportsIndex, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return the tight form of Corollary 1: the worst case for a histogram of K categories.

    Every unknown record takes each of K values with a probability of at least λ, independently, and
    the number of records of each value is released.

    Parameters
    ----------
    n, known
        As in `worst_case`.
    lam : float
        λ in (0, 1/K].
    categories : int
        K ≥ 2.

    Returns
    -------
    PrivacyProfile
        Status "exact". For K = 2 this is `worst_case`; for K ≥ 3 the same for all K, namely
        `blanket`, which is attained where the target's two values have probability λ and the
        others the rest.

    Notes
    -----
    For K ≥ 3 one value takes milliseconds for n = 10⁶, a fifth of a second for n = 10¹⁰.

    References
    ----------
    Corollary 1 of the paper, made tight.

    Examples
    --------
    An election with four candidates, each record open to at least 5 %, against one with two:

    >>> [round(histogram(10**6, 0.05, categories=k).epsilon(1e-10), 4) for k in (4, 2)]
    [0.0331, 0.0239]
    """
    _, lam, two_categories = _of_categories(n, lam, known, categories)
    if two_categories:
        return worst_case(n, lam, known=known)
    return dataclasses.replace(blanket(n, lam, known=known), status="exact")


def binary_queries(
    n: SupportsIndex, histories: npt.ArrayLike, *, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return what the histogram of all answers guarantees for d binary queries about each user.

    A user's d answers, however they depend on each other, are one of 2^d *histories*. The d counts
    can be computed from the histogram of histories, so they reveal no more.

    Parameters
    ----------
    n, known
        As in `worst_case`, in users; users are independent of each other.
    histories : array_like, size 2^d, d ≥ 1
        For each history a probability in (0, 1] that no unknown user's falls below; their sum is at
        most 1. Only the least of them matters.

    Returns
    -------
    PrivacyProfile
        For d = 1 `worst_case`; otherwise `blanket`, an upper bound.

    Raises
    ------
    ValueError
        If an argument lies outside its range; in particular if a history is impossible, since the
        corollary then says nothing.
    TypeError
        As in `histogram`.

    References
    ----------
    Section 4.1 of the paper, last paragraph.

    Examples
    --------
    Two days, the second day's answer equal to the first with probability 0.9:

    >>> profile = binary_queries(100_000, [[0.45, 0.05], [0.05, 0.45]])
    >>> round(profile.epsilon(1e-9), 4)
    0.1005
    """
    least = as_floats(histories, "histories", "in (0, 1]", math.ulp(0.0), 1.0)
    if least.size < 2 or least.size & (least.size - 1):
        raise ValueError(
            f"histories must be 2^d probabilities in (0, 1], d ≥ 1, got {least.size} of them"
        )
    if (total := float(least.sum())) > 1.0 + 1e-9:
        raise ValueError(
            f"histories must be probabilities in (0, 1] with a sum of at most 1, got {total!r}"
        )
    lam = min(float(least.min()), 1.0 / least.size)  # a sum of 1 may be rounded up
    return worst_case(n, lam, known=known) if least.size == 2 else blanket(n, lam, known=known)


def new_users(
    new: npt.ArrayLike, lam: SupportsFloat, *, known: npt.ArrayLike = 0
) -> PrivacyProfile:
    """Return the worst case of several counting queries, each over users no other query counts.

    Users are independent. So all the counts together reveal of the target's record what its own
    query reveals; the query with the fewest unknown users is the worst.

    Parameters
    ----------
    new : array_like of int, shape (q,)
        How many new users each query counts, at least 1; users counted by another query are left
        out, as if the attacker knew them. (A target of several queries is protected by the
        sum of what their new users guarantee; this is about targets in one.)
    lam : float
        λ in (0, ½].
    known : array_like of int, shape (q,) or ()
        How many of each query's new users the attacker knows, besides the target.

    Returns
    -------
    PrivacyProfile
        Status "exact": `worst_case` for the query with the fewest unknown users.

    Raises
    ------
    ValueError
        If an argument lies outside its range or there is no query.
    TypeError
        If a number of users is not an integer.

    References
    ----------
    Section 4.1 of the paper, after Corollary 1, from Bhaskar et al. (2011), Theorem 1.

    Examples
    --------
    >>> round(new_users([5000, 900, 20_000], 0.1).epsilon(1e-6), 4)
    0.5166
    """
    sizes = np.atleast_1d(np.asarray(new, dtype=object))
    try:
        known_of = np.broadcast_to(np.asarray(known, dtype=object), sizes.shape)
    except ValueError:
        raise ValueError(
            f"known must be one number or one for each of the {sizes.size} queries, got {known!r}"
        ) from None
    if sizes.ndim != 1 or sizes.size == 0:
        raise ValueError(f"new must be one number of users or a list of them, got {new!r}")
    fewest = MOST_RECORDS
    for size, informed in zip(sizes.flat, known_of.flat, strict=True):
        users = as_integer(size, "new", 1, MOST_RECORDS)
        fewest = min(fewest, users - 1 - as_integer(informed, "known", 0, users - 1))
    return rounded_up(WorstCount(fewest, as_uncertainty(lam), _TOL), "exact", _TOL)


def berry_esseen(
    probabilities: npt.ArrayLike, *, multiplicities: npt.ArrayLike | None = None
) -> PrivacyProfile:
    """Return Proposition 7, corrected: what a normal approximation guarantees.

    For every ε' ≤ 1 the count has ``(ε', δ')``, where with sums over the unknown records

        δ' = 1.12·Σp(1-p)(p² + (1-p)²)/(Σp(1-p))^{3/2}·(1 + e^{ε'}) + 1.25·exp(-ε'²·Σp(1-p)/2).

    Parameters
    ----------
    probabilities, multiplicities
        As in `pair`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": at each ε the least δ' for an ε' ≤ min(ε, 1), and 1 where that is
        more. Never below ``exact(probabilities).delta(0)``, which alone is a better bound.

    References
    ----------
    Proposition 7 of the paper, which has p(1-p)|1-2p| for the third moment.

    Examples
    --------
    >>> profile = berry_esseen([0.5], multiplicities=[10_000])
    >>> [round(profile.delta(eps), 4) for eps in (0.02, 0.07, 0.5)]
    [0.7808, 0.0259, 0.0235]
    """
    law = PoissonBinomial(probabilities, multiplicities)
    if law.variance == 0.0:
        return vacuous("upper bound")
    return rounded_up(BerryEsseen(law), "upper bound")


def gaussian_limit(
    n: SupportsIndex, lam: SupportsFloat, *, categories: SupportsIndex = 2, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return the limit of the worst case as N grows: the profile of a Gaussian mechanism.

    Its noise has the standard deviation 1/µ in units of the sensitivity, with µ² = 1/(λ(1-λ)N) for
    two categories and 2/(λN) for more.

    Parameters
    ----------
    n, lam, categories, known
        As in `kl_form`.

    Returns
    -------
    PrivacyProfile
        Status "approximation": good while ε³·N is small, and on neither side of the truth.

    References
    ----------
    Not in the paper; for shuffled bits with a fixed number of ones, Shvets (2026).

    Examples
    --------
    >>> [round(gaussian_limit(10**6, 0.1, categories=k).epsilon(1e-9), 4) for k in (2, 3)]
    [0.0156, 0.0211]
    """
    unknown, lam, two_categories = _of_categories(n, lam, known, categories)
    if unknown == 0:
        return vacuous("approximation")
    mu = math.sqrt(1.0 / (1.0 - lam) if two_categories else 2.0) / math.sqrt(lam * unknown)
    return closed_forms.gaussian(mu)


def log_delta_asymptotic(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    categories: SupportsIndex = 2,
    known: SupportsIndex = 0,
    eps: SupportsFloat,
) -> float:
    """Return the sharp asymptotic form of ln δ of the worst case, as N → ∞ and ε → 0.

    For two categories δ is

        e^{-N·KL(q‖1-λ)}·(1 - t·R(t))/(σ√(2π)),  t = εσ,  σ² = Nq(1-q),

    up to a factor 1 + O(ε + 1/N); q is the tilt of 1-λ by ε and R(t) = Φ(-t)/φ(t). For more
    categories the rate is that of `kl_form`.

    Parameters
    ----------
    n, lam, categories, known
        As in `kl_form`, with at least one unknown record.
    eps : float
        ε in [0, 1].

    Returns
    -------
    float
        An approximation on neither side of the truth; above 0 where N is too small.

    Raises
    ------
    ValueError, TypeError
        As in `histogram`; ValueError also where no record is unknown.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> truth = worst_case(10**8, 0.1).log_delta(0.003)
    >>> abs(log_delta_asymptotic(10**8, 0.1, eps=0.003) - truth) < 0.002
    True
    """
    unknown, lam, two_categories = _of_categories(n, lam, known, categories)
    eps = as_real(eps, "eps", "in [0, 1]", 0.0, 1.0)
    if unknown == 0:
        raise ValueError(f"known must leave a record unknown, be in 0…n-2, got {known!r}")
    if two_categories:
        rate, log_variance = closed_forms.tilted_count(unknown, lam, eps)
    else:
        rate, log_coins = closed_forms.tilted_blanket(unknown, lam, eps)
        log_variance = log_coins + float(log_expit(eps) + log_expit(-eps))
    falls = closed_forms.one_minus_mills(np.array([eps * math.exp(0.5 * log_variance)]))[0]
    return math.log(falls) - rate - 0.5 * (log_variance + math.log(2.0 * math.pi))


def _of_categories(
    n: SupportsIndex, lam: SupportsFloat, known: SupportsIndex, categories: SupportsIndex
) -> tuple[int, float, bool]:
    """Return N, λ as a float in (0, 1/K], and whether K is 2."""
    unknown, least = unknown_records(n, known), as_uncertainty(lam)
    number = as_integer(categories, "categories", 2, _MOST_CATEGORIES)
    if least > 1.0 / number:
        raise ValueError(f"lam must be in (0, 1/{number}] for as many categories, got {lam!r}")
    return unknown, least, number == 2
