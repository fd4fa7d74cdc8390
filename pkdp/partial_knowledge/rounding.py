r"""Rounded counts: what rounding and suppression hide from an attacker with partial knowledge.

Offices publish counts as multiples of 5 or 10, often after suppressing small ones. That is a
function of the count, so no attacker learns more from it. How much less is exact here: the
likelihood ratio of the count rises with it, hence that of the intervals too, and δ(ε) is the
largest excess

    D(j) = G(j) - E·G(j+1),  G(j) = P[S ≥ j],

over the j at which an interval begins, seen from below or from above, where the plain count has the
maximum over all j. What the attacker knows moves the edges: if she knows b - 1 records or more, and
these may say anything, then some number of 1s among them puts an edge where it tells most, and
rounding to multiples of b hides nothing.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known.
"""

from __future__ import annotations

from typing import SupportsFloat, SupportsIndex

import numpy.typing as npt

from pkdp._checks import MOST_RECORDS, as_integer, as_tolerance, as_uncertainty, unknown_records
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.profile import PrivacyProfile, rounded_up
from pkdp.profiles.rounded_counts import RoundedPair, Rounding
from pkdp.releases import WorstRounded

__all__ = ["RoundedPair", "Rounding", "exact", "pair", "worst_case"]

# The default width of a search over vertices, as for plain counts.
_TOL = 1e-6


def pair(
    probabilities: npt.ArrayLike,
    *,
    base: SupportsIndex,
    suppressed: SupportsIndex = 0,
    ones: SupportsIndex = 0,
    multiplicities: npt.ArrayLike | None = None,
) -> RoundedPair:
    """Return the pair of distributions of a rounded count with the target's record 1 and 0.

    Parameters
    ----------
    probabilities : array_like, shape (N,)
        ``P[D(j) = 1]`` in [0, 1] of the records that are neither the target nor known to the
        attacker; may be empty.
    base : int
        b in 1…10¹⁰: the nearest multiple is published, of two the larger.
    suppressed : int
        T in 0…10¹⁰: of counts up to here 0 is published.
    ones : int
        How many 1s there are among the records that she knows, in 0…10¹⁰.
    multiplicities : array_like of int, shape (N,), optional
        How many records share each probability; 1 each by default.

    Returns
    -------
    RoundedPair

    Raises
    ------
    ValueError
        If a probability or an integer lies outside its range, or the probabilities are not
        one-dimensional.
    TypeError
        If the probabilities are not numbers or an integer is none.

    Examples
    --------
    >>> masses = pair([0.5, 0.5], base=2).log_masses()
    >>> masses.log_p.size  # of 0, 1, 2 and 3 is published 0, 2, 2 and 4
    3
    """
    count = PoissonBinomial(probabilities, multiplicities)
    known = as_integer(ones, "ones", 0, MOST_RECORDS)
    return RoundedPair(count, _rounding(base, suppressed), known)


def exact(
    probabilities: npt.ArrayLike,
    *,
    base: SupportsIndex,
    suppressed: SupportsIndex = 0,
    ones: SupportsIndex = 0,
    multiplicities: npt.ArrayLike | None = None,
) -> PrivacyProfile:
    """Return the exact privacy profile of a rounded count.

    Parameters
    ----------
    probabilities, base, suppressed, ones, multiplicities
        As in `pair`.

    Returns
    -------
    PrivacyProfile
        Status "exact"; never above `pkdp.counting.exact`.

    Raises
    ------
    ValueError, TypeError
        As in `pair`.

    Examples
    --------
    >>> [round(exact([0.5] * 40, base=base).delta(0.5), 4) for base in (1, 5, 10)]
    [0.0104, 0.0056, 0.0086]
    """
    return pair(
        probabilities, base=base, suppressed=suppressed, ones=ones, multiplicities=multiplicities
    ).profile()


def worst_case(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    base: SupportsIndex,
    suppressed: SupportsIndex = 0,
    known: SupportsIndex = 0,
    tol: SupportsFloat = _TOL,
) -> PrivacyProfile:
    """Return the largest δ(ε) of a rounded count over all probabilities in [λ, 1-λ].

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    lam : float
        λ in (0, ½]. To the attacker records are independent.
    base, suppressed : int
        As in `pair`.
    known : int
        How many other records the attacker knows, in 0…n-1; she chooses what they say.
    tol : float
        Relative width in [1e-10, 1] to which the search narrows the maximum.

    Returns
    -------
    PrivacyProfile
        Status "exact". Values are rounded up, as those of `pkdp.counting.worst_case`, which they
        never exceed; with ``known ≥ base - 1`` and nothing suppressed they are the same.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If an argument is of the wrong kind.

    Notes
    -----
    A vertex costs O(√n), and up to thousands are looked at: milliseconds for n = 1,000, seconds for
    10⁶.

    Examples
    --------
    Five hundred records, of which she knows none:

    >>> [round(worst_case(500, 0.1, base=base).epsilon(1e-6), 4) for base in (1, 5, 10)]
    [0.7629, 0.7567, 0.7629]
    """
    unknown = unknown_records(n, known)
    release = WorstRounded(
        unknown,
        as_uncertainty(lam),
        int(n) - 1 - unknown,
        _rounding(base, suppressed),
        as_tolerance(tol),
    )
    return rounded_up(release, "exact", release.tol)


def _rounding(base: SupportsIndex, suppressed: SupportsIndex) -> Rounding:
    return Rounding(
        as_integer(base, "base", 1, MOST_RECORDS),
        as_integer(suppressed, "suppressed", 0, MOST_RECORDS),
    )
