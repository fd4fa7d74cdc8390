"""Joint distributions of dependent records, and the pairs that each privacy notion compares.

A group is a joint law of its records, ``{(value, …): mass}``; groups are independent of each other.
A change of the target's record leaves the sum of all other groups as it is, so every comparison is
one of two laws of what the target's group adds to that sum. Fractions stay exact.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any, Literal, SupportsIndex, get_args

from pkdp._checks import MOST_RECORDS, as_integer, as_mapping, as_real, as_several
from pkdp.worlds._exact_distributions import summed

Mass = Fraction | float
Values = tuple[int, ...]
GroupLaw = Mapping[Values, Mass]
Groups = Sequence[GroupLaw | tuple[GroupLaw, int]]
Record = tuple[int, int]
Masses = dict[int, Mass]
Notion = Literal["add or remove", "replace", "conditional", "causal", "marginal causal"]
NOTIONS = get_args(Notion)

# So that sums of ten billion values stay far below 2⁶³.
_MOST_VALUE = 10**6
_TOLERANCE = 1e-9


def as_group(group: GroupLaw, name: str) -> dict[Values, Mass]:
    """Return a joint law, divided by its sum, including values of mass 0."""
    as_mapping(group, name, "masses, from the tuple of its records' values")
    law: dict[Values, Mass] = {}
    for values, mass in group.items():
        if not isinstance(values, tuple):
            raise TypeError(f"{name} must map tuples of integers to masses, got {values!r}")
        what = f"{name}: each value"
        numbers = tuple(as_integer(v, what, -_MOST_VALUE, _MOST_VALUE) for v in values)
        checked = as_real(mass, f"{name}: the mass of {values!r}", "in [0, 1]", 0.0, 1.0)
        # Fractions stay what they are.
        exact = isinstance(mass, int | Fraction)
        law[numbers] = Fraction(mass) if exact else checked
    lengths = {len(values) for values in law}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"{name} must have tuples of one length, at least 1, got lengths {sorted(lengths)}"
        )
    total = _sum(law.values())
    if abs(float(total) - 1.0) > _TOLERANCE:
        raise ValueError(f"{name} must have masses that sum to 1, got a sum of {float(total):.12g}")
    return _divided(law, total)


def as_groups(groups: Groups) -> list[tuple[dict[Values, Mass], int]]:
    """Return groups and how many there are of each."""
    found: list[tuple[dict[Values, Mass], int]] = []
    for index, item in enumerate(as_several(groups, "groups", "joint laws")):
        name, times = f"group {index}", 1
        law = item
        if isinstance(item, tuple):
            if len(item) != 2:
                raise TypeError(f"{name} must be a joint law or a pair of one and a count")
            law, count = item
            times = as_integer(count, f"the count of group {index}", 0, MOST_RECORDS)
        found.append((as_group(law, name), times))  # type: ignore[arg-type]
    if not found:
        raise ValueError("groups must be at least one, got none")
    return found


def as_record(record: Record, name: str, groups: Sequence[tuple[GroupLaw, int]]) -> Record:
    """Return the numbers of a group and of a record in it."""
    if not isinstance(record, tuple) or len(record) != 2:
        raise TypeError(f"{name} must be a pair (group, record), got {record!r}")
    group = as_integer(record[0], f"{name}: the group", 0, len(groups) - 1)
    law, times = groups[group]
    if times == 0:
        raise ValueError(f"{name} must be in a group that there is, got group {group}, count 0")
    return group, as_integer(record[1], f"{name}: the record", 0, length(law) - 1)


def as_values(values: Iterable[SupportsIndex], name: str) -> tuple[int, ...]:
    """Return different integers, sorted."""
    several = as_several(values, name, "integers")
    return tuple(sorted({as_integer(v, name, -_MOST_VALUE, _MOST_VALUE) for v in several}))


def length(law: GroupLaw) -> int:
    """Return how many records a group has."""
    return len(next(iter(law)))


def listed(law: GroupLaw, record: int) -> tuple[int, ...]:
    """Return the values that a law lists for a record, including those of mass 0."""
    return tuple(sorted({values[record] for values in law}))


def sum_law(law: GroupLaw, without: int | None = None) -> Masses:
    """Return the law of the sum of a group, possibly without one record."""
    masses: Iterable[tuple[int, Any]] = (
        (sum(values) - (0 if without is None else values[without]), mass)
        for values, mass in law.items()
        if mass
    )
    return summed(masses)


def conditioned(law: GroupLaw, records: Sequence[int]) -> dict[Values, GroupLaw]:
    """Return the law of a group given each possible value of some of its records."""
    parts: dict[Values, dict[Values, Mass]] = {}
    for values, mass in law.items():
        if mass:
            parts.setdefault(tuple(values[i] for i in records), {})[values] = mass
    return {seen: _divided(part, _sum(part.values())) for seen, part in parts.items()}


def moved(masses: Mapping[int, Mass], by: int) -> Masses:
    """Return the law of ``X + by``."""
    return {value + by: mass for value, mass in masses.items()}


def comparisons(
    law: GroupLaw, record: int, notion: Notion, values: Sequence[int]
) -> list[tuple[Masses, Masses]]:
    """Return the pairs of laws, of what a group adds to the sum, that a notion compares.

    Parameters
    ----------
    law : mapping
        The joint law of the target's group.
    record : int
        The target's place in it.
    notion : str
        One of `NOTIONS`.
    values : sequence of int
        Possible values of an inserted or a replacing record.

    Returns
    -------
    list of tuple
        δ is the largest over all pairs, in both directions.
    """
    whole, rest = sum_law(law), sum_law(law, record)
    if notion == "add or remove":
        return [(whole, rest), *((moved(whole, x), whole) for x in values)]
    if notion == "replace":
        return [(whole, moved(rest, x)) for x in values]
    given = {seen[0]: sum_law(part, record) for seen, part in conditioned(law, [record]).items()}
    if notion == "conditional":
        return [(moved(given[a], a), moved(given[b], b)) for a, b in combinations(given, 2)]
    if notion == "causal":
        return [(moved(given[a], a), moved(given[a], b)) for a, b in permutations(given, 2)]
    return [(moved(rest, a), moved(rest, b)) for a, b in combinations(given, 2)]


def _divided(masses: Mapping[Values, Mass], total: Mass) -> dict[Values, Mass]:
    return {values: mass / total for values, mass in masses.items()}


def _sum(masses: Iterable[Mass]) -> Mass:
    several = list(masses)
    if all(isinstance(mass, Fraction) for mass in several):
        return sum(several, Fraction(0))
    return math.fsum(several)
