"""Partial knowledge of dependent records: the exact δ of a sum, given the values of some records.

The adversary of section 2.2 knows the values of some records and the laws of the others. If records
are independent, a known value is a constant, which she subtracts; otherwise it is also evidence
about the records that depend on it. Both are computed in exact fractions from the joint laws of
independent groups, and the worst records to know are found by trying all sets of them.

A group is a joint law ``{(value, …): Fraction}``; a record is given by the numbers of its group and
of its place there, both from 0.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, SupportsIndex

from pkdp._checks import as_choice, as_integer, as_law, as_mapping, as_ratio, as_several
from pkdp.noiseless._joint_laws import (
    NOTIONS,
    GroupLaw,
    Notion,
    Record,
    Values,
    as_groups,
    as_record,
    as_values,
    comparisons,
    conditioned,
    length,
    listed,
    sum_law,
)
from pkdp.worlds._exact_distributions import summed
from pkdp.worlds._output_distributions import comparison, worst

__all__ = ["WorstSubset", "known_delta", "worst_subset"]

# Laws of the sum of the unknown records, and sets of records to know: more take minutes.
_MOST_SUMS, _MOST_SETS = 2_000, 20_000


class WorstSubset(NamedTuple):
    """The worst records for the attacker to know, and the δ if she does.

    Attributes
    ----------
    known : tuple of (int, int)
        Group and place of each.
    delta : Fraction
        The δ, the largest over all sets of as many records.
    """

    known: tuple[Record, ...]
    delta: Fraction


def known_delta(
    groups: Sequence[GroupLaw],
    target: Record,
    known: Iterable[Record],
    ratio: Fraction | int | float,
    *,
    notion: Notion = "add or remove",
    inserted: Iterable[SupportsIndex] | None = None,
) -> Fraction:
    """Compute the exact δ of a sum for an active attacker who knows the values of some records.

    Parameters
    ----------
    groups : sequence of mappings
        Joint laws ``{(value, …): Fraction}`` of groups that are independent of each other.
    target : (int, int)
        The target's group, and its place there.
    known : iterable of (int, int)
        Group and place of each record that the attacker knows; the target's is not among them.
    ratio : Fraction or inf
        e^ε ≥ 1.
    notion : str
        "add or remove" (Definition 3), "replace", "conditional", "causal" or "marginal causal": see
        `pkdp.noiseless.noiseless_privacy`.
    inserted : iterable of int, optional
        Possible values of an inserted or a replacing record, as in
        `pkdp.noiseless.noiseless_privacy`; by default those that the law of the target's group
        lists for it, whether or not they are still possible given what is known.

    Returns
    -------
    Fraction
        The least δ in [0, 1], for the worst values of positive probability that the known records
        may have. Values of the target that these exclude are not compared.

    Raises
    ------
    ValueError
        If an argument is outside its range, the masses of a group do not sum to 1, a record is
        known twice or is the target's, or there are too many possible laws of the sum.
    TypeError
        If a mass is a float, or an argument of the wrong kind.

    References
    ----------
    Towards extending noiseless privacy, section 2.2; Partial knowledge, Definition 12.

    Examples
    --------
    Ten dice and the target's. If the attacker knows three of them, seven are left, whatever the
    three show.

    >>> die = {(face,): Fraction(1, 6) for face in range(1, 7)}
    >>> know_three = known_delta([die] * 11, (0, 0), [(1, 0), (2, 0), (3, 0)], 2)
    >>> know_three == known_delta([die] * 8, (0, 0), [], 2)
    True

    Two bits that agree with probability 0.75. Knowing one of them tells more about the target than
    having one bit less to hide it:

    >>> alike, unlike = Fraction(3, 8), Fraction(1, 8)
    >>> pair = {(0, 0): alike, (1, 1): alike, (0, 1): unlike, (1, 0): unlike}
    >>> coin = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    >>> str(known_delta([coin, pair], (0, 0), [(1, 0)], 1, notion="replace"))
    '3/8'
    >>> str(known_delta([coin, coin], (0, 0), [], 1, notion="replace"))
    '1/4'
    """
    laws = _as_exact(groups)
    group, place = as_record(target, "target", [(law, 1) for law in laws])
    exact = as_ratio(ratio)
    as_choice(notion, "notion", NOTIONS)
    places = _as_known(known, laws, (group, place))
    own = laws[group]
    may_be = listed(own, place) if inserted is None else as_values(inserted, "inserted")
    others = _sums_given(
        [law for i, law in enumerate(laws) if i != group],
        [at for i, at in enumerate(places) if i != group],
    )
    pairs = (
        (_plus(one, rest), _plus(other, rest))
        for part in conditioned(own, places[group]).values()
        for one, other in comparisons(part, place, notion, may_be)
        for rest in others
    )
    return worst((comparison(*way) for pair in pairs for way in (pair, pair[::-1])), exact)


def worst_subset(
    groups: Sequence[GroupLaw],
    target: Record,
    size: SupportsIndex,
    ratio: Fraction | int | float,
    *,
    notion: Notion = "add or remove",
) -> WorstSubset:
    """Find the worst set of records for the attacker to know, of all sets of a given size.

    Parameters
    ----------
    groups, target, ratio, notion
        As for `known_delta`.
    size : int
        How many records the attacker knows, from 0 to all but the target's.

    Returns
    -------
    WorstSubset
        The set of the largest δ, the first in the order of groups and places; and this δ.

    Raises
    ------
    ValueError
        As for `known_delta`, or if there are more than 20 000 sets to try.
    TypeError
        As for `known_delta`.

    Notes
    -----
    Sets that differ only in which of several equal groups they use are tried once.

    References
    ----------
    Towards extending noiseless privacy, section 2.2.

    Examples
    --------
    Of two pairs of bits it is worse if she knows a record of the one that agrees more often:

    >>> def pair(agree):
    ...     alike, unlike = agree / 2, (1 - agree) / 2
    ...     return {(0, 0): alike, (1, 1): alike, (0, 1): unlike, (1, 0): unlike}
    >>> coin = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    >>> groups = [coin, pair(Fraction(3, 5)), pair(Fraction(4, 5))]
    >>> worst_subset(groups, (0, 0), 1, 1, notion="replace").known
    ((2, 0),)
    """
    laws = _as_exact(groups)
    aim = as_record(target, "target", [(law, 1) for law in laws])
    records = [(i, j) for i, law in enumerate(laws) for j in range(length(law))]
    number = as_integer(size, "size", 0, len(records) - 1)
    records.remove(aim)
    sets = math.comb(len(records), number)
    if sets > _MOST_SETS:
        raise ValueError(
            f"size must be one with at most {_MOST_SETS} sets of so many records, to try them "
            f"all, got {number}, with {sets}"
        )
    kind = [laws.index(law) for law in laws]
    different: dict[tuple[object, ...], tuple[Record, ...]] = {}
    for known in itertools.combinations(records, number):
        different.setdefault(_signature(known, aim[0], kind), known)
    deltas = (known_delta(laws, aim, known, ratio, notion=notion) for known in different.values())
    return max(map(WorstSubset, different.values(), deltas), key=lambda each: each.delta)


def _as_exact(groups: Sequence[GroupLaw]) -> list[dict[Values, Fraction]]:
    """Return exact joint laws, including values of mass 0."""
    several = as_several(groups, "groups", "joint laws")
    for index, group in enumerate(several):
        as_law(as_mapping(group, f"group {index}", "fractions"), f"group {index}")
    return [law for law, _ in as_groups(several)]  # type: ignore[misc]


def _as_known(
    known: Iterable[Record], laws: Sequence[GroupLaw], target: Record
) -> list[tuple[int, ...]]:
    """Return the places that are known in each group."""
    counted = [(law, 1) for law in laws]
    records = [as_record(r, "known", counted) for r in as_several(known, "known", "records")]
    if len(set(records)) < len(records) or target in records:
        raise ValueError(
            f"known must be different records other than the target's {target}, got {records}"
        )
    return [tuple(sorted(j for i, j in records if i == group)) for group in range(len(laws))]


def _signature(known: Iterable[Record], own: int, kind: Sequence[int]) -> tuple[object, ...]:
    """Return a key that is equal for sets of known records with the same δ."""
    of_group: dict[int, list[int]] = {}
    for group, place in known:
        of_group.setdefault(group, []).append(place)
    ours = tuple(of_group.pop(own, ()))
    return ours, tuple(sorted((kind[group], tuple(at)) for group, at in of_group.items()))


def _sums_given(
    laws: Sequence[GroupLaw], places: Sequence[Sequence[int]]
) -> list[Mapping[int, Any]]:
    """Return the laws that the sum of the other groups may have, given the known values.

    Laws that differ by a constant are listed once, since both laws of a comparison move by it.
    """
    found: set[frozenset[tuple[int, Any]]] = {frozenset({(0, 1)})}
    for law, known in zip(laws, places, strict=True):
        of_group = set()
        for part in conditioned(law, known).values():
            masses = sum_law(part)
            of_group.add(frozenset((k - min(masses), Fraction(m)) for k, m in masses.items()))
        if len(found) * len(of_group) > _MOST_SUMS:
            raise ValueError(
                f"known must leave at most {_MOST_SUMS} laws to the sum of the others, got "
                f"{len(found) * len(of_group)} or more: know fewer values, or have fewer groups"
            )
        found = {
            frozenset(_plus(dict(one), dict(other)).items())
            for one, other in itertools.product(found, of_group)
        }
    return list(map(dict, found))


def _plus(one: Mapping[int, Any], other: Mapping[int, Any]) -> Counter[int]:
    """Return the law of the sum of two independent numbers."""
    return Counter(summed((i + j, p * q) for i, p in one.items() for j, q in other.items()))
