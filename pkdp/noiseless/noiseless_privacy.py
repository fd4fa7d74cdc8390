"""Noiseless privacy of an exact sum: Definitions 1 and 3, and related privacy notions.

Records form groups that are independent of each other; within a group they depend on each other
according to its joint law. The attacker knows all these laws and sees the sum S of all records. The
notions differ in what she must tell apart:

- `add_or_remove` is Definition 3, with the three conditions that it needs: an inserted record is
  independent of the others, its value is one that records have, and the inequality holds in both
  directions. The others keep their joint law when a record is added or removed.
- `replace` is the same with another adjacency: a record is exchanged for an independent one.
- `conditional` is noiseless privacy in the main paper's sense, `pkdp.definitions.np_ratio` without
  knowledge: the record is a or b, and the others have their law given that.
- `causal` is the main paper's causal differential privacy, `pkdp.definitions.cdp_ratio`: the record
  is a, or set to b, and in both cases the others have their law given that it is a. (The notion
  "marginal causal" of `pkdp.known_values` sets the record to a or b, and the others have the law
  that they have without it.)

If the target's record is independent of the others, `conditional` and both causal notions coincide.

A group is a joint law ``{(value, …): mass}``; groups are a sequence of these or of pairs
``(group, count)``, and the target is given by the number of its group there and its place in it,
both from 0. If a group has a count, the target's is one of that many.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import SupportsIndex, TypeAlias

from pkdp.noiseless import sums
from pkdp.noiseless._joint_laws import (
    GroupLaw,
    Groups,
    Mass,
    Masses,
    Notion,
    Record,
    as_groups,
    as_record,
    as_values,
    comparisons,
    listed,
    moved,
    sum_law,
)
from pkdp.profiles.laws import Law
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import PrivacyProfile, largest_of

__all__ = ["GroupLaw", "Groups", "Record", "add_or_remove", "causal", "conditional", "replace"]

_Block: TypeAlias = tuple[tuple[int, float], ...]


def add_or_remove(
    groups: Groups, target: Record, *, inserted: Iterable[SupportsIndex] | None = None
) -> PrivacyProfile:
    """Compute the profile of Definition 3: the sum with the target's record, and without it.

    S is compared with the sum of the other records, which keep their joint law, and with S + X* for
    a new record X* that is independent of them all.

    Parameters
    ----------
    groups : sequence
        Joint laws ``{(value, …): mass}`` of groups that are independent of each other, or pairs of
        such a law and a count; values are integers within ±10⁶.
    target : (int, int)
        The number of the target's group, and of its place there.
    inserted : iterable of int, optional
        Possible values of X*; by default those that the law of the target's group lists for the
        target, even with mass 0. If empty, records are only removed.

    Returns
    -------
    PrivacyProfile
        Status "exact": the largest over removal, all X*, and both directions.

    Raises
    ------
    ValueError
        If an argument is outside its range, the masses of a group do not sum to 1 (within 1e-9),
        or its tuples differ in length.
    TypeError
        If an argument is of the wrong kind.

    Notes
    -----
    The law of S + X* is the mixture of the laws of S + x with the masses of X*, and hockey-stick
    divergences are convex: no X* is worse than its worst value, so values suffice.

    Each value costs a profile of `pkdp.noiseless.sums`. Equal groups cost no more than one.

    References
    ----------
    Towards extending noiseless privacy, Definitions 1 and 3.

    Examples
    --------
    A thousand voters, each of whom votes yes with probability 1/3:

    >>> voter = {(1,): 1 / 3, (0,): 2 / 3}
    >>> round(add_or_remove([(voter, 1000)], (0, 0)).delta(0.1), 6)
    0.002217

    If a 1 for each voter is added to the votes, a voter who comes or goes moves the sum by at least
    1:

    >>> named = {(2,): 1 / 3, (1,): 2 / 3}
    >>> round(add_or_remove([(named, 1000)], (0, 0)).delta(0.1), 6)
    0.018854
    """
    may_be = None if inserted is None else as_values(inserted, "inserted")
    return _profile(groups, target, "add or remove", may_be)


def replace(
    groups: Groups, target: Record, *, values: Iterable[SupportsIndex] | None = None
) -> PrivacyProfile:
    """Compute the profile of Definition 3 for replacement: a record is exchanged for another one.

    S is compared with the sum in which an X*, independent of all records, replaces the target's
    record; the others keep their joint law.

    Parameters
    ----------
    groups, target
        As for `add_or_remove`.
    values : iterable of int, optional
        Possible values of X*, at least one; by default those that the law of the target's group
        lists for the target, even with mass 0.

    Returns
    -------
    PrivacyProfile
        Status "exact": the largest over all X*, and both directions; values of X* suffice, as for
        `add_or_remove`.

    Raises
    ------
    ValueError, TypeError
        As for `add_or_remove`.

    Notes
    -----
    If every X* that may replace the record may also be inserted, (ε, δ) for `add_or_remove` implies
    (2ε, (1 + e^ε)δ) here: from S to S + X*, and from there, by removal, to the sum with X* instead
    of the record. The converse fails: see the example.

    References
    ----------
    Towards extending noiseless privacy, the remark after Definition 1.

    Examples
    --------
    Records are 10 or 11. Replacing one by the other makes little difference, but adding or removing
    one does.

    >>> record = {(10,): 0.5, (11,): 0.5}
    >>> round(replace([(record, 30)], (0, 0)).delta(0.0), 4)
    0.0722
    >>> round(add_or_remove([(record, 30)], (0, 0)).delta(0.0), 4)
    0.9572
    """
    may_be = None if values is None else as_values(values, "values")
    if may_be == ():
        raise ValueError("values must be at least one, got none")
    return _profile(groups, target, "replace", may_be)


def conditional(groups: Groups, target: Record) -> PrivacyProfile:
    """Compute the profile of noiseless privacy as the main paper defines it, without knowledge.

    The law of S given that the target's record is a is compared with that given b, for all values
    a ≠ b of positive mass. The others have their law given a, or given b.

    Parameters
    ----------
    groups, target
        As for `add_or_remove`.

    Returns
    -------
    PrivacyProfile
        Status "exact": the largest over all a and b. If the record has only one possible
        value, there is nothing to compare, and δ is 0.

    Raises
    ------
    ValueError, TypeError
        As for `add_or_remove`.

    References
    ----------
    Partial knowledge, Definition 3, for no knowledge.

    Examples
    --------
    Relatives who mostly give the same answer hide the target in the sense of Definition 3, but not
    here:

    >>> pair = {(0, 0): 0.4, (1, 1): 0.4, (0, 1): 0.1, (1, 0): 0.1}
    >>> [round(profile([(pair, 4)], (0, 0)).delta(0.5), 4) for profile in (replace, conditional)]
    [0.0345, 0.2171]
    """
    return _profile(groups, target, "conditional", None)


def causal(groups: Groups, target: Record) -> PrivacyProfile:
    """Compute the profile of causal differential privacy, without knowledge.

    The law of S given that the target's record is a is compared with the law of the same records
    after the target's was set to b, for all values a ≠ b of positive mass.

    Parameters
    ----------
    groups, target
        As for `add_or_remove`.

    Returns
    -------
    PrivacyProfile
        Status "exact": the largest over all a and b, and both directions. If the record has only
        one possible value, there is nothing to compare, and δ is 0.

    Raises
    ------
    ValueError, TypeError
        As for `add_or_remove`.

    References
    ----------
    Partial knowledge, Definition 5, for no knowledge.

    Examples
    --------
    >>> pair = {(0, 0): 0.4, (1, 1): 0.4, (0, 1): 0.1, (1, 0): 0.1}
    >>> round(causal([(pair, 4)], (0, 0)).delta(0.5), 4)
    0.1199
    """
    return _profile(groups, target, "causal", None)


def _profile(
    groups: Groups, target: Record, notion: Notion, values: tuple[int, ...] | None
) -> PrivacyProfile:
    checked = as_groups(groups)
    group, place = as_record(target, "target", checked)
    own = checked[group][0]
    counts = [times - (i == group) for i, (_, times) in enumerate(checked)]
    others = [
        (_floats(sum_law(law)), times)
        for (law, _), times in zip(checked, counts, strict=True)
        if times
    ]

    @functools.cache
    def law(block: _Block) -> Law:
        return sums.law([*others, (dict(block), 1)])

    # Each pair once, without pairs of equal laws. Laws of the target's group that differ by a
    # constant give laws of S that do, too.
    pairs: dict[frozenset[tuple[_Block, int]], Pair] = {}
    may_be = listed(own, place) if values is None else values
    for (one, start), (other, begin) in (
        map(_normalized, sides) for sides in comparisons(own, place, notion, may_be)
    ):
        if (one, start) != (other, begin):
            key = frozenset({(one, start - begin), (other, begin - start)})
            pairs.setdefault(key, Pair(law(one).shift(start), law(other).shift(begin)))
    return largest_of([pair.profile() for pair in pairs.values()])


def _normalized(masses: Masses) -> tuple[_Block, int]:
    """Return a law moved so that it begins at 0, and the value at which it began."""
    least = min(masses)
    return tuple(sorted(_floats(moved(masses, -least)).items())), least


def _floats(masses: Mapping[int, Mass]) -> dict[int, float]:
    return {value: float(mass) for value, mass in masses.items()}
