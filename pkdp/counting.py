"""Counting queries under partial knowledge: section 4.1 of the paper, up to Theorem 3.

The output is ``S`` or ``S + 1``, where S counts the N other records that the attacker does not
know; records she knows shift the output by a number she can subtract. Everything here is a
privacy profile of that pair: exact for given probabilities, exact in the worst case over all
probabilities in [λ, 1-λ], and the bounds that sampling a privacy blanket gives.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp import blanket_sums
from pkdp._checks import as_real, as_tolerance, as_uncertainty, not_nan, unknown_records
from pkdp.laws import FloatArray, PoissonBinomial
from pkdp.profiles import Pair, PrivacyProfile, Status
from pkdp.vertices import Vertices, WorstVertex, largest_loss

__all__ = [
    "WorstVertex",
    "blanket",
    "closed_form",
    "exact",
    "log_delta_vertex",
    "pair",
    "tail",
    "worst_case",
    "worst_vertex",
]

# Numerical error of every profile here, as a fraction of max(1, |ln δ|); tested against ball
# arithmetic. The computation itself does better (2e-13 at worst in those tests), and bounds are
# rounded up by what it may lack, so that they stay bounds and keep within the error stated.
_ERROR, _LACKING = 1e-12, 5e-13

# The constants of the closed form in Theorem 3.
_SLOPE, _LEAST = 14.0, 27.0


def pair(probabilities: npt.ArrayLike, multiplicities: npt.ArrayLike | None = None) -> Pair:
    """Return the pair of laws of a count with the target's record 1 and 0.

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

    References
    ----------
    Section 4.1 of the paper, first paragraph.

    Examples
    --------
    >>> pair([0.5, 0.5]).P.window().weights.tolist()
    [0.25, 0.5, 0.25]
    """
    count = PoissonBinomial(probabilities, multiplicities)
    # A hair more than the largest losses, lest rounding take one of them for infinite.
    largest = count.largest_loss() + 1e-9, count.largest_gain() + 1e-9
    return Pair(count.shift(1), count, True, largest)


def exact(
    probabilities: npt.ArrayLike, multiplicities: npt.ArrayLike | None = None
) -> PrivacyProfile:
    """Return the exact privacy profile of a count over records with given probabilities.

    Parameters
    ----------
    probabilities, multiplicities
        As in `pair`. Records known to the attacker are left out: they change nothing.

    Returns
    -------
    PrivacyProfile
        Status "exact"; δ ≡ 1 if N = 0.

    Raises
    ------
    ValueError
        As in `pair`.

    Notes
    -----
    One value costs O(√N log N) once the probabilities are grouped: milliseconds for 10⁷ equal
    ones, and about as much for 10⁶ different ones after a second of preparation.

    References
    ----------
    Definition 10 of the paper for the mechanism of section 4.1.

    Examples
    --------
    With two fair coins beside the target, the counts 0 and 3 give the target away:

    >>> profile = exact([0.5, 0.5])
    >>> round(profile.delta(0.0), 12), round(profile.delta(2.0), 12)
    (0.5, 0.25)

    Ten million of them are no more work:

    >>> round(exact([0.5], [10**7]).epsilon(1e-10), 6)
    0.003032
    """
    return pair(probabilities, multiplicities).profile()


def worst_case(
    n: SupportsIndex, lam: SupportsFloat, known: SupportsIndex = 0, tol: SupportsFloat = 1e-8
) -> PrivacyProfile:
    """Return the tight form of Theorem 3: the largest δ(ε) over all probabilities in [λ, 1-λ].

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹².
    lam : float
        λ in (0, ½].
    known : int
        How many other records the attacker knows, in 0…n-1.
    tol : float
        Relative width in [1e-10, 1] to which the maximum is certified.

    Returns
    -------
    PrivacyProfile
        Status "exact". Values are upper ends of the certified interval, never below the truth;
        `gap` is `tol`, which was reached in all our trials; `worst_vertex` tells. ε is inf for δ
        below (1-λ)^N, which no ε achieves.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `known` is not an integer, or `lam` or `tol` not a number.

    Notes
    -----
    δ is convex in each probability, hence largest at a vertex of the cube, and a vertex only
    matters through the number of records at λ. See `pkdp.vertices` for how the maximum over all
    of them is certified in milliseconds, for n up to 10⁹.

    References
    ----------
    Theorem 3 of the paper, made tight.

    Examples
    --------
    >>> profile = worst_case(10**7, 0.1, known=9_900_000)
    >>> round(profile.epsilon(1e-10), 4)
    0.057
    """
    unknown, lam, tol = unknown_records(n, known), as_uncertainty(lam), as_tolerance(tol)
    return _bound(lambda eps: _worst(unknown, lam, eps, tol).log_upper, "exact", gap=tol)


def worst_vertex(
    n: SupportsIndex,
    lam: SupportsFloat,
    eps: SupportsFloat,
    known: SupportsIndex = 0,
    tol: SupportsFloat = 1e-8,
) -> WorstVertex:
    """Return where the maximum of `worst_case` is attained, and its certificate.

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
        that no vertex exceeds.

    Raises
    ------
    ValueError, TypeError
        As in `worst_case`.

    Examples
    --------
    >>> worst_vertex(1000, 0.05, 1.0).m
    2
    """
    unknown, lam, tol = unknown_records(n, known), as_uncertainty(lam), as_tolerance(tol)
    return _worst(unknown, lam, as_real(eps, "eps", "in [0, inf]", 0.0, math.inf), tol)


def log_delta_vertex(
    n: SupportsIndex,
    lam: SupportsFloat,
    m: npt.ArrayLike,
    eps: SupportsFloat,
    known: SupportsIndex = 0,
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
    >>> np.exp(log_delta_vertex(4, 0.25, [0, 1, 2, 3], 0.5)).round(4).tolist()
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
    if unknown == 0:
        return np.zeros(numbers.shape)
    if eps >= largest_loss(unknown, lam):
        return np.asarray(numbers * math.log(lam) + (unknown - numbers) * math.log1p(-lam))
    vertices = Vertices(unknown, lam, eps)
    return vertices.log_delta(np.atleast_1d(numbers).astype(np.int64).ravel()).reshape(
        numbers.shape
    )


def blanket(n: SupportsIndex, lam: SupportsFloat, known: SupportsIndex = 0) -> PrivacyProfile:
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

    Raises
    ------
    ValueError, TypeError
        As in `worst_case`.

    Notes
    -----
    One value costs O(√N).

    References
    ----------
    Theorem 3 of the paper, corrected; Balle, Bell, Gascón and Nissim (2019), Theorem 3.1.

    Examples
    --------
    >>> blanket(3, 0.25).delta(0.5) > worst_case(3, 0.25).delta(0.5)
    True
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    return _bound(lambda eps: blanket_sums.log_hockey_stick(unknown, lam, eps), "upper bound")


def tail(n: SupportsIndex, lam: SupportsFloat, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the weaker tail form of `blanket`: ``P[(X+1)/Y ≥ E]``, Y = 0 counting as infinite.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `blanket`.

    Raises
    ------
    ValueError, TypeError
        As in `worst_case`.

    Notes
    -----
    An ε below 1e-19 counts as 0, where ties make the tail larger.

    References
    ----------
    Theorem 3 of the paper: its condition with the four slips mended.

    Examples
    --------
    >>> round(tail(2, 0.25).delta(0.0), 12)
    1.0
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    return _bound(lambda eps: blanket_sums.log_tail(unknown, lam, eps, 1), "upper bound")


def closed_form(n: SupportsIndex, lam: SupportsFloat, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the closed form of Theorem 3, on the domain where it is stated.

    ``δ = exp(-ε²λN/14)`` for ``27/(λN) ≤ ε ≤ 1``. Below, the theorem says nothing (δ = 1); above
    ε = 1 it says no more than at 1.

    Parameters
    ----------
    n, lam, known
        As in `worst_case`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `blanket`. ε is inf for δ below the value at ε = 1, and
        for every δ < 1 where 27/(λN) > 1.

    Raises
    ------
    ValueError, TypeError
        As in `worst_case`.

    References
    ----------
    Theorem 3 of the paper, second display.

    Examples
    --------
    >>> profile = closed_form(10_001, 0.1)
    >>> profile.delta(0.02), round(profile.epsilon(1e-10), 4), profile.epsilon(1e-40)
    (1.0, 0.5678, inf)
    """
    scale = as_uncertainty(lam) * unknown_records(n, known)

    def log_delta(eps: float) -> float:
        eps = min(eps, 1.0)
        return -(eps**2) * scale / _SLOPE if eps * scale >= _LEAST else 0.0

    return _bound(log_delta, "upper bound")


def _worst(unknown: int, lam: float, eps: float, tol: float) -> WorstVertex:
    if unknown == 0:
        return WorstVertex(0, 0.0, 0.0)
    if eps >= largest_loss(unknown, lam):
        # Only a count with everyone at 1 is left, likeliest with everyone at 1-λ.
        log_delta = unknown * math.log1p(-lam)
        return WorstVertex(0, log_delta, log_delta)
    return Vertices(unknown, lam, eps).worst(tol)


def _bound(log_delta: Callable[[float], float], status: Status, gap: float = 0.0) -> PrivacyProfile:
    """Wrap a computed bound, rounded up so that it stays a bound."""

    def rounded_up(eps: float) -> float:
        value = not_nan(log_delta(eps))
        return min(0.0, value + _LACKING * max(1.0, abs(value)))

    return PrivacyProfile(rounded_up, status, _ERROR, gap, rounded_up=True)
