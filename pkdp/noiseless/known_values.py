"""What an attacker gains who knows some of the values, exactly, on small data.

The adversary of section 2.2 knows the values of some records besides the laws of the others. Where
records are independent a known value is a constant, which she subtracts; where they are not, it
also tells about those that depend on it. Here both are computed in exact fractions from the joint
laws of groups that are independent of each other, and the worst records to know are found by trying
all sets of them.

Groups are joint laws ``{(value, …): Fraction}``; a record is named by the numbers of its group and
of its place there, both from 0.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from typing import Literal, NamedTuple, SupportsIndex

from pkdp._checks import as_choice, as_integer, as_law, as_mapping, as_ratio, as_several
from pkdp.noiseless._groups import (
    NOTIONS,
    Comparison,
    GroupLaw,
    Label,
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

__all__ = ["WorstSubset", "known_delta", "worst_subset"]

# Sums of the unknown records, one for each way in which the known ones matter to them, and sets of
# records to know: so many of either take seconds to minutes.
_MOST_CASES, _MOST_SETS = 2_000, 20_000

_Law = dict[int, Fraction]
# Laws as sets of (value, mass), each with its probability.
_Cases = dict[frozenset[tuple[int, Fraction]], Fraction]


class WorstSubset(NamedTuple):
    """The records that are worst to be known, and the δ if they are.

    Attributes
    ----------
    known : tuple of (int, int)
        Group and place of each.
    delta : Fraction
        The δ, which no other set of as many records exceeds.
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
    values: Literal["worst", "average"] = "worst",
    inserted: Iterable[SupportsIndex] | None = None,
) -> Fraction:
    """Return the exact δ of a sum, for an attacker who knows the values of some records.

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
        `pkdp.noiseless.notions`.
    values : {"worst", "average"}
        The largest δ over all values of positive probability that the known records may have: the
        attacker is active. Or the mean of δ over them, as for a passive one. They are then drawn
        as they are where the target's record has the first of two values that are compared; where
        no value of it is conditioned on, simply as they are.
    inserted : iterable of int, optional
        What an inserted or a replacing record may be, as in `pkdp.noiseless.notions`; by default
        what the law of the target's group lists for it, whether or not it can still be that, given
        what is known.

    Returns
    -------
    Fraction
        The least δ, in [0, 1]. Where knowledge excludes a value of the target, no notion that
        compares it with another says anything about this value, and it is skipped.

    Raises
    ------
    ValueError
        If an argument lies outside its range, the masses of a group do not sum to 1, a record is
        known twice or is the target's; if there are too many cases; if `values` is "average" and
        some knowledge excludes a value that is compared with another.
    TypeError
        If a mass is a float, or an argument of the wrong kind.

    References
    ----------
    Towards extending noiseless privacy, section 2.2; Partial knowledge, Definitions 12 and 13.

    Examples
    --------
    Ten dice and the target's. Who knows three of them faces seven; it does not matter what they
    show.

    >>> die = {(face,): Fraction(1, 6) for face in range(1, 7)}
    >>> know_three = known_delta([die] * 11, (0, 0), [(1, 0), (2, 0), (3, 0)], 2)
    >>> know_three == known_delta([die] * 8, (0, 0), [], 2)
    True

    Two bits that agree in three cases of four. Who knows one of them has more to tell the target
    by than who faces one bit less:

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
    as_choice(values, "values", ("worst", "average"))
    places = _as_known(known, laws, (group, place))
    own = laws[group]
    may_be = listed(own, place) if inserted is None else as_values(inserted, "inserted")
    others = _cases(
        [law for i, law in enumerate(laws) if i != group],
        [at for i, at in enumerate(places) if i != group],
    )
    seen = {
        key: comparisons(part, place, notion, may_be)
        for key, (_, part) in conditioned(own, places[group]).items()
    }
    if values == "worst":
        return max(
            (
                _excess(one, other, common, exact)
                for found in seen.values()
                for comparison in found.values()
                for one, other in _directions(comparison)
                for common in others
            ),
            default=Fraction(0),
        )
    labels = comparisons(own, place, notion, may_be).keys()
    return _largest_mean(own, place, places[group], seen, others, labels, exact)


def worst_subset(
    groups: Sequence[GroupLaw],
    target: Record,
    size: SupportsIndex,
    ratio: Fraction | int | float,
    *,
    notion: Notion = "add or remove",
) -> WorstSubset:
    """Return which records are worst to be known, of all sets of a given size.

    Parameters
    ----------
    groups, target, ratio, notion
        As for `known_delta`.
    size : int
        How many records the attacker knows, from 0 to all but the target's.

    Returns
    -------
    WorstSubset
        The first set, in the order of groups and places, whose δ no other exceeds; and this δ.

    Raises
    ------
    ValueError
        As for `known_delta`, or if there are more than 20 000 sets to try.
    TypeError
        As for `known_delta`.

    Notes
    -----
    Sets that differ only by which of several equal groups they are in are tried once.

    References
    ----------
    Towards extending noiseless privacy, section 2.2.

    Examples
    --------
    Of two pairs of bits, one of which agrees more often, a record of that one is worse to be known:

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
    """Return joint laws of fractions, values of mass 0 included."""
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
    """Return what of a set of known records makes a difference."""
    of_group: dict[int, list[int]] = {}
    for group, place in known:
        of_group.setdefault(group, []).append(place)
    ours = tuple(of_group.pop(own, ()))
    return ours, tuple(sorted((kind[group], tuple(at)) for group, at in of_group.items()))


def _cases(laws: Sequence[GroupLaw], places: Sequence[Sequence[int]]) -> _Cases:
    """Return the laws that the sum of the other groups may have, each with its probability.

    Laws that differ by a constant are one, since both laws of a comparison are moved by it.
    """
    cases: _Cases = {frozenset({(0, Fraction(1))}): Fraction(1)}
    for law, known in zip(laws, places, strict=True):
        of_group: _Cases = {}
        for chance, part in conditioned(law, known).values():
            masses = sum_law(part)
            block = frozenset((k - min(masses), Fraction(m)) for k, m in masses.items())
            of_group[block] = of_group.get(block, Fraction(0)) + Fraction(chance)
        if len(cases) * len(of_group) > _MOST_CASES:
            raise ValueError(
                f"known must leave at most {_MOST_CASES} laws to the sum of the others, got "
                f"{len(cases) * len(of_group)} or more: know fewer values, or have fewer groups"
            )
        found: _Cases = {}
        for (one, chance), (other, share) in itertools.product(cases.items(), of_group.items()):
            both = frozenset(_convolved(dict(one), dict(other)).items())
            found[both] = found.get(both, Fraction(0)) + chance * share
        cases = found
    return cases


def _convolved(one: Mapping[int, Fraction], other: Mapping[int, Fraction]) -> _Law:
    masses: _Law = {}
    for (i, p), (j, q) in itertools.product(one.items(), other.items()):
        masses[i + j] = masses.get(i + j, Fraction(0)) + p * q
    return masses


def _directions(comparison: Comparison) -> tuple[tuple[_Law, _Law], ...]:
    one, other = comparison.one, comparison.other
    both = ((one, other), (other, one))
    return both[:1] if comparison.one_way else both  # type: ignore[return-value]


def _excess(
    one: _Law, other: _Law, common: frozenset[tuple[int, Fraction]], ratio: Fraction | float
) -> Fraction:
    """Return H_E of two laws, to both of which an independent sum is added."""
    p, q = _convolved(one, dict(common)), _convolved(other, dict(common))
    if isinstance(ratio, float):
        return sum((mass for k, mass in p.items() if k not in q), Fraction(0))
    gains = (mass - ratio * q.get(k, Fraction(0)) for k, mass in p.items())
    return sum((gain for gain in gains if gain > 0), Fraction(0))


def _largest_mean(
    own: GroupLaw,
    place: int,
    places: Sequence[int],
    seen: Mapping[Values, Mapping[Label, Comparison]],
    others: _Cases,
    labels: Set[Label],
    ratio: Fraction | float,
) -> Fraction:
    """Return the largest mean over known values, of all comparisons and directions."""
    if any(set(found) != labels for found in seen.values()):
        raise ValueError(
            'values must be "worst" where some knowledge excludes a value of the target that is '
            'compared with another, got "average"'
        )
    best = Fraction(0)

    @functools.cache
    def chances(given: int | None) -> dict[Values, Fraction]:
        """Return the law of the group's known values, given what its record is."""
        part = own if given is None else conditioned(own, [place])[(given,)][1]
        return {key: chance for key, (chance, _) in conditioned(part, places).items()}  # type: ignore[misc]

    for label in labels:
        means = [Fraction(0), Fraction(0)]
        for key, found in seen.items():
            chance = chances(found[label].given)[key]
            for side, (one, other) in enumerate(_directions(found[label])):
                for common, share in others.items():
                    means[side] += chance * share * _excess(one, other, common, ratio)
        best = max(best, *means)
    return best
