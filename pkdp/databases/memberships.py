"""Membership constraints: composition for a person who can be in only some of k databases.

A year has 365 nights, so nobody is a patient of more than 365 hospitals, however many report. Then
two hypotheses about a person differ in few databases, and only the replies of those distinguish
them. The cost is that of the worst few releases instead of all of them. Which few are worst depends
on the composition theorem, so a *theorem* is an argument: any function of the ε and the δ of some
mechanisms that returns a `PrivacyProfile`. `simple`, `advanced` and `optimal` are provided.

Unbounded means that one hypothesis is "in no database", bounded that both hypotheses may be any
that the constraint allows. In both cases the hypotheses are about *which* databases hold a record
of fixed content; `changing` is for contents that may differ, too.

If a person's records beyond the allowed databases are dropped, the constraint is enforced. If it
holds except with a small probability, use `soft`.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from pkdp._checks import (
    LARGEST_EPS,
    MOST_RECORDS,
    as_floats,
    as_function,
    as_guarantees,
    as_instance,
    as_integer,
    as_real,
    as_several,
)
from pkdp.profiles import accounting
from pkdp.profiles._plateaus import float_above, of_any, sum_above
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.profile import (
    Formula,
    PrivacyProfile,
    Release,
    as_bound,
    harmless,
    largest_of,
    rounded_up,
    vacuous,
)

__all__ = [
    "Theorem",
    "advanced",
    "at_most",
    "changing",
    "either_or",
    "exactly",
    "one_of",
    "optimal",
    "parallel",
    "simple",
    "soft",
]

Theorem: TypeAlias = Callable[[FloatArray, FloatArray], PrivacyProfile]

_MOST_MECHANISMS: Final = 10**5
# The most different databases that are compared with each other, and subsets that are tried.
_MOST_KINDS, _MOST_SUBSETS = 300, 100


# Theorems of composition


def simple(epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0) -> PrivacyProfile:
    """Bound the composed profile by simple composition: the sum of all ε with the sum of all δ.

    Parameters
    ----------
    epsilons : array_like, shape (k,)
        ε of each mechanism, in [0, 700]; k in 1…10⁵.
    deltas : array_like, shape (k,) or a number
        δ of each mechanism, in [0, 1].

    Returns
    -------
    PrivacyProfile
        An upper bound: 1 below the sum of all ε, and the sum of all δ from there on.

    References
    ----------
    Hartmann, Bindschaedler and West, 2022, section II-A.

    Examples
    --------
    >>> round(simple([0.5, 0.25], 1e-6).epsilon(1e-5), 9)
    0.75
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_MECHANISMS)
    total = sum_above(each.tolist())
    log_leaks = math.log(min(1.0, leak)) if (leak := math.fsum(leaks)) > 0.0 else -math.inf
    all_leaks = min(Fraction(1), sum(map(Fraction, leaks.tolist()), Fraction()))
    step = Formula(_log_step, total, log_leaks, ending=of_any([(all_leaks, 1)], total))
    profile = rounded_up(step, "upper bound")
    return dataclasses.replace(profile, first_eps=total or 1.0)


def _log_step(least: float, log_delta: float, eps: float) -> float:
    return log_delta if eps >= least else 0.0


def advanced(epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0) -> PrivacyProfile:
    """Bound the composed profile by advanced composition, for mechanisms whose ε may differ.

    Parameters
    ----------
    epsilons, deltas
        As in `simple`.

    Returns
    -------
    PrivacyProfile
        An upper bound: ``Σδ + δ'`` at ``√(2 ln(1/δ')·Σε²) + Σε(e^ε - 1)``. For equal ε and δ it is
        `pkdp.profiles.accounting.advanced`.

    Notes
    -----
    Given all earlier replies, the loss of a release has a mean of at most ε(e^ε - 1) and is in
    [-ε, ε]; the bound follows by the Azuma-Hoeffding inequality.

    References
    ----------
    C. Dwork, G. N. Rothblum and S. Vadhan, Boosting and Differential Privacy, 2010, for equal ε.

    Examples
    --------
    >>> round(advanced([0.05] * 365).epsilon(1e-10), 3)
    7.418
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_MECHANISMS)
    with np.errstate(over="ignore"):  # an infinite drift is as useless as a very large one
        drift = float((each * np.expm1(each)).sum())
    # Unlike a sum of squares, a hypotenuse does not underflow for small ε.
    return accounting.of_drift(drift, math.hypot(*each.tolist()), math.fsum(leaks))


def optimal(epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0) -> PrivacyProfile:
    """Compute the optimal composition of mechanisms with these guarantees.

    Parameters
    ----------
    epsilons, deltas
        As in `simple`.

    Returns
    -------
    PrivacyProfile
        The upper end of `pkdp.profiles.accounting.heterogeneous`: exact, or an upper bound if there
        are very many different sums of ε.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, 2015, for equal ε; J. Murtagh and S. Vadhan, 2016.

    Examples
    --------
    >>> round(optimal([0.05] * 365).epsilon(1e-10), 3)
    6.158
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_MECHANISMS)
    return accounting.heterogeneous(each, leaks).upper


# Constraints on membership


def at_most(
    m: SupportsIndex,
    epsilons: npt.ArrayLike,
    deltas: npt.ArrayLike = 0.0,
    *,
    bounded: bool = False,
    theorem: Theorem = optimal,
    databases: Sequence[SupportsIndex] | None = None,
    search: SupportsIndex = _MOST_SUBSETS,
) -> PrivacyProfile:
    """Compute the guarantee for a person who can be in at most m of k databases.

    Parameters
    ----------
    m : int
        The largest number of databases that hold a person's record, in 0…k.
    epsilons : array_like, shape (n,)
        ε of each mechanism for a record that is added or removed, in [0, 700]; n in 1…10⁵.
    deltas : array_like, shape (n,) or a number
        δ of each mechanism, in [0, 1].
    bounded : bool
        Whether both hypotheses may be any that the constraint allows: then they differ in up to
        ``min(k, 2m)`` databases. Otherwise one of them is "in no database", and they differ in m.
    theorem : callable
        From the ε and the δ of some mechanisms, two arrays of one shape, to a `PrivacyProfile` for
        their composition: `simple`, `advanced`, `optimal`, or another one. It must hold for
        adaptive composition if mechanisms are chosen adaptively.
    databases : sequence of int, optional
        Which database each mechanism queries, shape (n,), if some are queried several times: any
        labels, k of them different. By default mechanism i queries database i, and k is n.
    search : int
        The largest number of subsets of databases that are tried, in 1…10⁴; see Notes.

    Returns
    -------
    PrivacyProfile
        The largest of the profiles of all subsets. It is "exact" for the worst mechanisms of these
        guarantees if the profiles of the theorem are and the search was complete; otherwise it is
        an upper bound.

    Raises
    ------
    TypeError
        If an argument is not of the type above.
    ValueError
        If an argument is outside the range above or has the wrong shape, or if the theorem returns
        a profile that is not an upper bound.

    Notes
    -----
    Subsets in which a database could be replaced by one of larger ε and δ are not tried. If all δ
    are equal, only one is left: the databases of the largest ε. For mixed guarantees there can be
    many. If there are more than `search`, the theorem is applied once, to as many of the largest ε
    and of the largest δ as a subset has mechanisms. The result holds for every subset, since the
    worst mechanisms reveal more if any ε or δ grows.

    References
    ----------
    Hartmann, Bindschaedler and West, 2022, section V-A, Example 1.

    Examples
    --------
    A thousand hospitals report, and nobody was in more than 365 of them.

    >>> year = at_most(365, [0.05] * 1000)
    >>> round(year.epsilon(1e-10), 3), round(optimal([0.05] * 1000).epsilon(1e-10), 3)
    (6.158, 10.861)
    """
    kinds = _databases(epsilons, deltas, databases)
    total = len(kinds)
    most = as_integer(m, "m", 0, total)
    as_instance(bounded, "bounded", bool)
    return _worst_of(min(total, 2 * most) if bounded else most, kinds, theorem, search)


def exactly(
    m: SupportsIndex,
    epsilons: npt.ArrayLike,
    deltas: npt.ArrayLike = 0.0,
) -> PrivacyProfile:
    """Compute the guarantee for a person who is known to be in m of k databases.

    The attacker does not know which. Two choices of them differ in at most 2m databases, or
    ``2(k - m)`` if that is less.

    Parameters
    ----------
    m, epsilons, deltas
        As in `at_most`; mechanism i queries database i.

    Returns
    -------
    PrivacyProfile
        As in `at_most`, for the subsets of ``2·min(m, k - m)`` databases.

    Raises
    ------
    TypeError, ValueError
        As in `at_most`.

    Examples
    --------
    A person in two of three databases is missing from one: two replies differ, not three or four.

    >>> promised = exactly(2, [0.5] * 3), at_most(2, [0.5] * 3, bounded=True)
    >>> [round(profile.epsilon(0.0), 9) for profile in promised]
    [1.0, 1.5]
    """
    kinds = _databases(epsilons, deltas, None)
    number = as_integer(m, "m", 0, len(kinds))
    return _worst_of(2 * min(number, len(kinds) - number), kinds, optimal, _MOST_SUBSETS)


def one_of(
    epsilons: npt.ArrayLike,
    deltas: npt.ArrayLike = 0.0,
    *,
    bounded: bool = False,
) -> PrivacyProfile:
    """Compute the guarantee for a person who is in one of k databases, or in none.

    Parameters
    ----------
    epsilons, deltas
        As in `exactly`.
    bounded : bool
        Whether the attacker knows that the person is in one of them, but not in which. Otherwise
        one of the hypotheses is "in no database".

    Returns
    -------
    PrivacyProfile
        As in `at_most`: of one database, or of two if bounded. If there is only one database, δ is
        0 in the bounded case.

    Raises
    ------
    TypeError, ValueError
        As in `at_most`.

    References
    ----------
    Hartmann, Bindschaedler and West, 2022, section V-A, Example 2.

    Examples
    --------
    >>> [round(one_of([0.1, 0.3, 0.2], bounded=b).epsilon(0.0), 9) for b in (False, True)]
    [0.3, 0.5]
    """
    as_instance(bounded, "bounded", bool)
    return (exactly if bounded else at_most)(1, epsilons, deltas)


def either_or(
    epsilons: npt.ArrayLike,
    deltas: npt.ArrayLike = 0.0,
    *,
    common: Iterable[SupportsIndex] = (),
    free: Iterable[SupportsIndex] = (),
    premium: Iterable[SupportsIndex] = (),
    bounded: bool = False,
) -> PrivacyProfile:
    """Compute the guarantee for users of one of two versions of some software.

    Each mechanism reads a column, the use of a feature, without the users who have no entry. All
    users have entries in the columns `common`, and in either the columns `free` or `premium`.

    Parameters
    ----------
    epsilons : array_like, shape (k,)
        ε of each mechanism for an entry that is added or removed, in [0, 700]; k in 1…10⁵.
    deltas : array_like, shape (k,) or a number
        δ of each mechanism, in [0, 1].
    common, free, premium : iterable of int
        Which mechanisms read the columns of each kind, numbered from 0: each mechanism once.
    bounded : bool
        Whether the two versions are also compared with each other; otherwise each is compared only
        with the absence of the user.

    Returns
    -------
    PrivacyProfile
        The largest of the profiles of ``common ∪ free`` and ``common ∪ premium``, if bounded also
        of ``free ∪ premium``, which compares two users with the same entries in common columns.

    Raises
    ------
    TypeError, ValueError
        As in `at_most`; also if the mechanisms are not divided among the three.

    References
    ----------
    Hartmann, Bindschaedler and West, 2022, section V-A, Example 3.

    Examples
    --------
    >>> features = {"common": [0, 1], "free": [2], "premium": [3, 4]}
    >>> promised = either_or([0.25] * 5, **features), optimal([0.25] * 5)
    >>> [round(profile.epsilon(0.0), 9) for profile in promised]
    [1.0, 1.25]
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_MECHANISMS)
    as_instance(bounded, "bounded", bool)
    parts = [
        [
            as_integer(number, name, 0, each.size - 1)
            for number in as_several(part, name, "numbers of mechanisms")
        ]
        for part, name in ((common, "common"), (free, "free"), (premium, "premium"))
    ]
    if sorted(itertools.chain.from_iterable(parts)) != list(range(each.size)):
        raise ValueError(
            f"common, free and premium must have each of 0…{each.size - 1} once, "
            f"got {parts[0]}, {parts[1]} and {parts[2]}"
        )
    pairs = list(zip(each.tolist(), leaks.tolist(), strict=True))
    in_common, with_free, with_premium = (tuple(pairs[i] for i in part) for part in parts)
    differing = [(in_common, with_free), (in_common, with_premium)]
    if bounded:
        differing.append((with_free, with_premium))
    return largest_of([_profile(optimal, _together(kinds)) for kinds in differing])


def changing(
    m: SupportsIndex,
    epsilons: npt.ArrayLike,
    deltas: npt.ArrayLike = 0.0,
) -> PrivacyProfile:
    """Compute the guarantee if the contents of a person's records may differ, too.

    Under each of two hypotheses a person is in at most m of k databases, and in those in which she
    is under both, her records may have different contents. If only the cost of adding or removing a
    record is known, changing one costs both: (2ε, (1 + e^ε)δ).

    Parameters
    ----------
    m, epsilons, deltas
        As in `at_most`; with k = n, and ε at most 350.

    Returns
    -------
    PrivacyProfile
        An upper bound: `optimal` for the m largest 2ε with the m largest (1 + e^ε)δ.

    Raises
    ------
    TypeError, ValueError
        As in `at_most`.

    Notes
    -----
    Removing a record from one database and adding another one to a second costs no more than a
    change in the one of larger ε and, for δ, in the one of larger δ. If mechanisms are also
    (ε, δ)-private for changes, ``at_most(m, epsilons, deltas, bounded=True)`` is enough.

    Examples
    --------
    >>> promised = changing(1, [0.5, 0.25]), at_most(1, [0.5, 0.25], bounded=True)
    >>> [round(profile.epsilon(0.0), 9) for profile in promised]
    [1.0, 0.75]
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_MECHANISMS)
    as_floats(each, "epsilons", f"in [0, {LARGEST_EPS / 2:g}]", 0.0, LARGEST_EPS / 2)
    most = as_integer(m, "m", 0, each.size)
    # Rounded up: a sum, an exponential and a product.
    doubled = np.minimum(1.0, leaks * (1.0 + np.exp(each)) * (1.0 + 1e-15))
    guarantees = tuple(
        zip(_descending(2.0 * each)[:most], _descending(doubled)[:most], strict=True)
    )
    return _as_upper(_profile(optimal, guarantees))


def soft(
    inside: PrivacyProfile, outside: SupportsFloat, beyond: PrivacyProfile | None = None
) -> PrivacyProfile:
    """Compute the guarantee if the constraint is broken with a small probability.

    Parameters
    ----------
    inside : PrivacyProfile
        The guarantee under the constraint: exact, or an upper bound.
    outside : float
        ξ in [0, 1], the probability that the constraint is broken under a hypothesis. Under the
        other hypothesis, such as "in no database", it is at most the same.
    beyond : PrivacyProfile, optional
        The guarantee without the constraint, such as ``at_most`` with m = k; by default none.

    Returns
    -------
    PrivacyProfile
        An upper bound: ``(1 - ξ)·δ(ε) + ξ·δ∞(ε)``, with δ∞ the profile `beyond`, or 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range or of the wrong type.

    Notes
    -----
    Both hypotheses are mixtures of parts inside and outside, and the hockey-stick divergence of
    mixtures with the same weights is at most the mixture of the divergences.

    Examples
    --------
    >>> stays = at_most(3, [0.5] * 20)
    >>> round(soft(stays, 1e-3).delta(1.5), 12)
    0.001
    >>> round(soft(stays, 1e-3, at_most(20, [0.5] * 20)).epsilon(1e-6), 2)
    7.94
    """
    kept = as_bound(inside, "inside")
    xi = as_real(outside, "outside", "in [0, 1]", 0.0, 1.0)
    broken = vacuous("upper bound") if beyond is None else as_bound(beyond, "beyond")
    profile = rounded_up(_Mixture(xi, kept, broken), "upper bound")
    return dataclasses.replace(profile, first_eps=kept.first_eps)


@dataclass(frozen=True)
class _Mixture(Release):
    """The mixture of two curves, the second with weight ξ."""

    xi: float
    kept: PrivacyProfile
    broken: PrivacyProfile

    def log_delta(self, eps: float) -> float:
        parts = []
        if self.xi < 1.0:
            parts.append(math.log1p(-self.xi) + self.kept.log_delta(eps))
        if self.xi > 0.0:
            parts.append(math.log(self.xi) + self.broken.log_delta(eps))
        return min(0.0, float(np.logaddexp.reduce(parts)))


def parallel(
    records: SupportsIndex, epsilons: npt.ArrayLike, *, each: SupportsIndex | None = None
) -> float:
    """Compute the ε of parallel composition.

    All databases are taken as parts of one, each record of which belongs to one part, and each
    mechanism reads its part.

    Parameters
    ----------
    records : int
        The largest number of records in which the whole database may differ from a neighbour, in
        0…10¹⁰; a changed record counts twice.
    epsilons : array_like, shape (k,)
        ε of each mechanism for a record that is added or removed, in [0, 700], with δ = 0.
    each : int, optional
        The largest number of records in which each part may differ, in 1…10¹⁰: 1 if nobody has more
        than one record in a part, and none changes. By default all.

    Returns
    -------
    float
        ``records·max(epsilons)`` by default. With `each` it is the largest sum of ε over records
        within that limit: for 1 the sum of the largest ε, as in simple composition. A sum that is
        not a float is rounded up.

    Raises
    ------
    TypeError, ValueError
        As in `at_most`.

    References
    ----------
    F. McSherry, Privacy Integrated Queries, 2009; Hartmann, Bindschaedler and West, 2022,
    Definition 5, Theorem 2 and what follows it.

    Examples
    --------
    >>> parallel(2, [0.5, 0.25, 0.25]), parallel(2, [0.5, 0.25, 0.25], each=1)
    (1.0, 0.75)
    """
    costs, _ = as_guarantees(epsilons, 0.0, 1, _MOST_MECHANISMS)
    left = as_integer(records, "records", 0, MOST_RECORDS)
    most = left if each is None else as_integer(each, "each", 1, MOST_RECORDS)
    total = Fraction(0)
    for cost in _descending(costs):
        taken = min(most, left)
        if not taken:
            break
        total += taken * Fraction(cost)
        left -= taken
    return float_above(total)


# Worst subsets


# The ε and the δ of a mechanism; and those of all mechanisms that query a database, or several
# databases, in decreasing order.
Guarantee: TypeAlias = tuple[float, float]
Guarantees: TypeAlias = tuple[Guarantee, ...]


def _worst_of(
    size: int, databases: Sequence[Guarantees], theorem: Theorem, search: SupportsIndex
) -> PrivacyProfile:
    """Return the largest profile of `size` databases."""
    checked = as_function(theorem, "theorem", "the ε and the δ of mechanisms")
    limit = as_integer(search, "search", 1, 10**4)
    subsets = _candidates(size, databases, limit)
    if subsets is None:
        return _as_upper(_profile(checked, _ends(size, databases)))
    return largest_of([_profile(checked, subset) for subset in subsets])


def _candidates(size: int, databases: Sequence[Guarantees], limit: int) -> list[Guarantees] | None:
    """Return the guarantees of all subsets that may be worst, or None if there are too many."""
    counts = Counter(databases)
    # A database that dominates another one comes before it.
    kinds = sorted(counts, reverse=True)
    numbers = [counts[kind] for kind in kinds]
    if all(itertools.starmap(_dominates, itertools.pairwise(kinds))):
        chain = itertools.chain.from_iterable(
            itertools.repeat(kind, number) for kind, number in zip(kinds, numbers, strict=True)
        )
        return [_together(itertools.islice(chain, size))]
    if len(kinds) > _MOST_KINDS:
        return None
    below = np.array([[_dominates(kind, other) for other in kinds] for kind in kinds])
    none = np.zeros(len(kinds), dtype=np.bool_)
    chosen = list(itertools.islice(_upper_sets(np.array(numbers), below, size, none), limit + 1))
    subsets = (
        itertools.chain.from_iterable(map(itertools.repeat, kinds, subset)) for subset in chosen
    )
    return None if len(chosen) > limit else list(dict.fromkeys(map(_together, subsets)))


def _upper_sets(
    numbers: IntArray,
    below: npt.NDArray[np.bool_],
    size: int,
    blocked: npt.NDArray[np.bool_],
    here: int = 0,
) -> Iterator[tuple[int, ...]]:
    """Yield how many databases of each kind are chosen, in all ways that need be tried.

    Databases of a kind are chosen only if all databases that dominate it are. Dominating kinds come
    first; ``below[i, j]`` says that i dominates j. Kinds that a tuple omits are not chosen.
    """
    # Every way to go on ends with a subset.
    if numbers[here:][~blocked[here:]].sum() < size:
        return
    if size == 0:
        yield ()
        return
    number = int(numbers[here])
    for taken in range(1 if blocked[here] else min(number, size) + 1):
        then = blocked if taken == number else blocked | below[here]
        for rest in _upper_sets(numbers, below, size - taken, then, here + 1):
            yield taken, *rest


def _dominates(one: Guarantees, other: Guarantees) -> bool:
    """Whether each mechanism of the other can be matched with one of no smaller ε and δ."""
    if len(one) < len(other):
        return False
    free: list[float] = []
    position = 0
    for eps, delta in other:
        while position < len(one) and one[position][0] >= eps:
            bisect.insort(free, one[position][1])
            position += 1
        least = bisect.bisect_left(free, delta)
        if least == len(free):
            return False
        free.pop(least)
    return True


def _ends(size: int, databases: Sequence[Guarantees]) -> Guarantees:
    """Bound the guarantees of any `size` databases: the largest ε, with the largest δ."""
    found = []
    for column in (0, 1):
        # The mechanisms of each database by rank; a missing one has ε = δ = 0.
        ranked = [sorted((pair[column] for pair in kind), reverse=True) for kind in databases]
        ranks = itertools.zip_longest(*ranked, fillvalue=0.0)
        kept = itertools.chain.from_iterable(sorted(rank)[-size:] for rank in ranks if size)
        found.append(sorted(kept, reverse=True))
    return tuple(zip(*found, strict=True))


def _together(databases: Iterable[Guarantees]) -> Guarantees:
    return tuple(sorted(itertools.chain.from_iterable(databases), reverse=True))


def _profile(theorem: Theorem, guarantees: Guarantees) -> PrivacyProfile:
    """Apply a theorem to some mechanisms, without those of ε = δ = 0."""
    telling = [guarantee for guarantee in guarantees if guarantee != (0.0, 0.0)]
    if not telling:
        return harmless("exact")
    epsilons, deltas = np.array(telling).T
    return as_bound(theorem(epsilons.copy(), deltas.copy()), "what theorem returns")


def _as_upper(profile: PrivacyProfile) -> PrivacyProfile:
    return dataclasses.replace(profile, status="upper bound")


# Arguments


def _databases(
    epsilons: npt.ArrayLike, deltas: npt.ArrayLike, databases: Sequence[SupportsIndex] | None
) -> list[Guarantees]:
    """Return the guarantees of each database's mechanisms, the largest first."""
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_MECHANISMS)
    pairs = list(zip(each.tolist(), leaks.tolist(), strict=True))
    if databases is None:
        return [(pair,) for pair in pairs]
    labels = [
        as_integer(label, "databases", -(10**12), 10**12)
        for label in as_several(databases, "databases", "labels, one for each mechanism")
    ]
    if len(labels) != each.size:
        raise ValueError(f"databases must be {each.size} labels, got {len(labels)}")
    asked: dict[int, list[Guarantee]] = {}
    for label, pair in zip(labels, pairs, strict=True):
        asked.setdefault(label, []).append(pair)
    return [tuple(sorted(found, reverse=True)) for found in asked.values()]


def _descending(values: FloatArray) -> list[float]:
    return sorted(values.tolist(), reverse=True)
