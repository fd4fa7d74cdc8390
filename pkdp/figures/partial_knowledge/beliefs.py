"""Guarantees of a count from an attacker's beliefs about each record.

If her probability of a 1 is given for every record, the count's exact profile can be computed.
Often a simpler statement is needed: "she knows k of the records, and gives each value of the others
a probability of at least λ". Every k gives such a statement; all are true, and some are much
stronger than others.

To the attacker, records are independent here; `pkdp.partial_knowledge.dependence` has others.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from typing import NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_integer, as_probabilities, as_real
from pkdp.partial_knowledge import counting
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.profile import PrivacyProfile, vacuous

__all__ = [
    "Statement",
    "Target",
    "best_statement",
    "statement",
    "uncertainties",
    "worst_target",
]

# The numbers of known records that are tried before the search for the best: 0, 1/16 of all, ….
_FIRST_TRIES = 17


class Statement(NamedTuple):
    """That the attacker knows some records and is unsure about the others, and what it gives.

    Attributes
    ----------
    known : int
        How many records count as known to her.
    lam : float
        λ in [0, ½]: of every other record she gives each value at least this probability.
    eps : float
        The ε that follows at the δ asked for; inf if none does.
    """

    known: int
    lam: float
    eps: float


class Target(NamedTuple):
    """One record as the target.

    Attributes
    ----------
    record : int
        Its place among the records.
    eps : float
        Its exact ε at the δ asked for; inf if there is none.
    """

    record: int
    eps: float


def uncertainties(probabilities: npt.ArrayLike) -> FloatArray:
    """Return min(p, 1-p) of every record, in increasing order.

    Parameters
    ----------
    probabilities : array_like, shape (n,)
        What the attacker believes ``P[D(i) = 1]`` to be, in [0, 1], for all records, the target's
        included; n ≥ 2.

    Returns
    -------
    ndarray, shape (n,)
        Values in [0, ½]; the first is the λ of all records, and the one at k the λ that is left
        when the k most predictable records count as known.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1] or is NaN, or there are fewer than two.
    TypeError
        If the probabilities are not numbers.

    Examples
    --------
    >>> uncertainties([0.5, 0.75, 0.125]).tolist()
    [0.125, 0.25, 0.5]
    """
    beliefs = _beliefs(probabilities)
    return np.sort(np.minimum(beliefs, 1.0 - beliefs))


def statement(probabilities: npt.ArrayLike, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return what follows for a count if the most predictable records count as known.

    Parameters
    ----------
    probabilities : array_like, shape (n,)
        As in `uncertainties`.
    known : int
        How many of the records, in 0…n-1, those with the smallest min(p, 1-p).

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below the exact profile, whichever record is the target. It is
        ``counting.worst_case(n, lam, known=known)`` with λ of the records that are left; δ ≡ 1 if
        that is 0.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1] or is NaN, there are fewer than two, or `known` lies
        outside its range.
    TypeError
        If the probabilities are not numbers, or `known` is not an integer.

    Notes
    -----
    A count over fewer unknown records is the weaker hiding place: the other records only add to it
    what does not depend on the target. If the target is itself among the `known` most predictable,
    the next record takes its place, and what is left is no less uncertain.

    Examples
    --------
    Of a hundred voters, three are nearly sure and the others are not:

    >>> beliefs = [0.001] * 3 + [0.3] * 97
    >>> [round(statement(beliefs, known).epsilon(1e-3), 3) for known in (0, 3)]
    [inf, 0.573]
    """
    lambdas = uncertainties(probabilities)
    known = as_integer(known, "known", 0, lambdas.size - 1)
    return _statement(lambdas, known, known)


def best_statement(probabilities: npt.ArrayLike, delta: SupportsFloat) -> Statement:
    """Return how many records to count as known for the smallest ε.

    Parameters
    ----------
    probabilities : array_like, shape (n,)
        As in `uncertainties`.
    delta : float
        δ in [0, 1].

    Returns
    -------
    Statement
        The best over all ``known`` in 0…n-1. No other gives an ε smaller by more than a relative
        1e-6.

    Raises
    ------
    ValueError
        If a probability or `delta` lies outside [0, 1] or is NaN, or there are fewer than two
        probabilities.
    TypeError
        If the probabilities are not numbers, or `delta` is not one.

    Notes
    -----
    The bound grows with the number of known records and falls with λ. So for k in a range, none is
    better than the smallest k would be with the largest λ; ranges that cannot hold the best are
    dropped, the others halved. Nothing is better than ε = 0, where the search ends.

    Examples
    --------
    >>> best = best_statement([0.001] * 3 + [0.3] * 97, 1e-3)
    >>> best.known, best.lam, round(best.eps, 3)
    (3, 0.3, 0.573)
    """
    lambdas = uncertainties(probabilities)
    delta = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    allowed = math.log(delta) if delta > 0.0 else -math.inf
    last = lambdas.size - 1

    def tried(known: int) -> Statement:
        eps = _statement(lambdas, known, known).epsilon(delta)
        return Statement(known, float(lambdas[known]), eps)

    tries = np.unique(np.linspace(0, last, _FIRST_TRIES).round().astype(int))
    best = min((tried(int(known)) for known in tries), key=lambda found: found.eps)
    # Each range with what it allows at best, and the ε at which that was found.
    ranges = [(-math.inf, math.inf, 0, last)]
    while ranges and best.eps > 0.0:
        least, at, first, last = heapq.heappop(ranges)
        if best.eps < at:  # a better one has been found since
            least = _statement(lambdas, first, last).log_delta(best.eps)
        if least > allowed or (first == last == best.known):
            continue
        if first == last:
            best = min(best, tried(first), key=lambda found: found.eps)
            continue
        middle = (first + last) // 2
        for half in ((first, middle), (middle + 1, last)):
            least = _statement(lambdas, *half).log_delta(best.eps)
            heapq.heappush(ranges, (least, best.eps, *half))
    return best


def worst_target(probabilities: npt.ArrayLike, delta: SupportsFloat) -> Target:
    """Return the record about which the exact count tells most, and its ε.

    Parameters
    ----------
    probabilities : array_like, shape (n,)
        As in `uncertainties`.
    delta : float
        δ in [0, 1].

    Returns
    -------
    Target
        Its exact profile is ``counting.exact`` of the probabilities of all others.

    Raises
    ------
    ValueError
        If a probability or `delta` lies outside [0, 1] or is NaN, or there are fewer than two
        probabilities.
    TypeError
        If the probabilities are not numbers, or `delta` is not one.

    Notes
    -----
    What matters of the target is only that its own uncertainty is missing from the others'. One
    would leave out the record with p nearest to ½, whose variance is largest; but lost skewness
    can matter more, and every record is tried.

    Each of n different probabilities costs one δ of the others' count, O(√n log n), so that all
    cost O(n·√n log n) beside the n sortings of them: a second or two for a thousand. Equal
    probabilities are tried once.

    Examples
    --------
    >>> target = worst_target([0.25] * 20 + [0.5], 0.01)
    >>> target.record, round(target.eps, 3)
    (20, 1.507)
    """
    beliefs = _beliefs(probabilities)
    delta = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    allowed = math.log(delta) if delta > 0.0 else -math.inf
    worst = Target(0, -math.inf)
    # Records of one probability are as bad as each other.
    for index in np.sort(np.unique(beliefs, return_index=True)[1]).tolist():
        profile = counting.exact(np.delete(beliefs, index))
        if worst.eps < 0.0 or profile.log_delta(worst.eps) > allowed:
            worst = Target(index, profile.epsilon(delta))
        if worst.eps == math.inf:
            break
    return worst


def _beliefs(probabilities: npt.ArrayLike) -> FloatArray:
    beliefs = as_probabilities(probabilities, "probabilities")
    if beliefs.size < 2:
        raise ValueError(
            f"probabilities must be those of two or more records, got {probabilities!r}"
        )
    return beliefs


def _statement(lambdas: FloatArray, known: int, at: int) -> PrivacyProfile:
    """Return the bound for so many known records and the λ at a place of its own."""
    unknown, lam = lambdas.size - 1 - known, float(lambdas[at])
    if unknown == 0 or lam == 0.0:
        return vacuous("upper bound")
    return dataclasses.replace(
        counting.worst_case(lambdas.size, lam, known=known), status="upper bound"
    )
