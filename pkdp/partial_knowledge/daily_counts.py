"""Daily counts of the same people and their dependency: Example 9 of section 5.1.

Each record is a series of values, one a day, and every day the number of records with a property
is released. Records are independent of each other, the days of a record are not. The secret is the
target's whole series, a or b, so that with the counts ``S_1, S_2, …`` of the others the outputs are
``S_j + a_j`` or ``S_j + b_j``.

How far today depends on yesterday is measured by the least c with

    e^{-c} ≤ P[X = x, Y = y]/(P[X = x]·P[Y = y]) ≤ e^c

for each record, X its value of yesterday and Y that of today. If every record is a Markov chain,
whatever their laws, the loss of all days together exceeds the sum of the days' losses by no more
than

    µ = 2c·Σ_j ([a_j ≠ b_j] + [a_{j+1} ≠ b_{j+1}]) ≤ 4c·(k - 1),

and no constant less than 4 will do (`sharp_law`). The proof: given ``S_j = s`` and given
``S_j = s + 1`` the others' values of day j can be coupled so that one of them differs; given these
values records are independent, and in the record that differs past and future change by a factor
in ``[e^{-2c}, e^{2c}]`` each. So a day's count may be moved by one at these costs, one day after
the other.

For two days, and for bits with the same transitions, the *dependency* of the last day's count on
those of all days before is within 4c, too. For three days and different laws it need not be
(`greatest_dependency`).

All laws here are mappings to fractions, and what is computed from them is exact. For crowds there
is `pkdp.daily_profiles`.
"""

from __future__ import annotations

import math
import operator
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypeAlias

from pkdp._checks import (
    MOST_RECORDS,
    as_chance,
    as_choice,
    as_finite_ratio,
    as_integer,
    as_law,
    as_mapping,
    as_real,
    as_several,
    as_size,
)
from pkdp.partial_knowledge.composition import JointLaw, dependency_ratio
from pkdp.profiles.laws import Finite
from pkdp.profiles.pairs import Pair
from pkdp.worlds._exact_distributions import normalized, summed
from pkdp.worlds._output_distributions import greatest_ratio

__all__ = [
    "count_dependency",
    "daily_law",
    "dependence_ratio",
    "greatest_dependency",
    "growth_bound",
    "literal_constant",
    "literal_law",
    "literal_ratio",
    "one_day",
    "one_day_dependency",
    "participation",
    "questions",
    "sharp_dependency",
    "sharp_law",
]

Series: TypeAlias = tuple[Any, ...]
SeriesLaw: TypeAlias = Mapping[Series, Fraction]
Transition: TypeAlias = Mapping[Any, Mapping[Any, Fraction]]
Ratio: TypeAlias = Fraction | float
Scope: TypeAlias = Literal["last", "all"]
Counts: TypeAlias = tuple[int, ...]
CountsLaw: TypeAlias = dict[Counts, Fraction]
Weights: TypeAlias = Counter[Counts]

# --------------------------------------------------------------------------------------------
# The law of one record's series
# --------------------------------------------------------------------------------------------


def daily_law(
    start: Mapping[Any, Fraction],
    transitions: Transition | Sequence[Transition],
    *,
    days: SupportsIndex,
) -> dict[Series, Fraction]:
    """Return the law of one record's series, a Markov chain.

    Parameters
    ----------
    start : mapping
        Law ``{value: Fraction}`` of the first day.
    transitions : mapping, or sequence of mappings
        From each value to the law of the next day's; one mapping for all days, or one for each of
        the days but the first.
    days : int
        Number of days k, at least 1.

    Returns
    -------
    dict
        ``{(x_1, …, x_k): Fraction}``, the positive masses.

    Raises
    ------
    ValueError
        If a law does not sum to 1, a value has no transition, there are not as many transitions as
        days but one, or more than 2 000 000 series.
    TypeError
        If an argument has another type.

    References
    ----------
    Example 9 of the paper.

    Examples
    --------
    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> law = daily_law({0: half, 1: half}, {0: {0: 1 - third, 1: third}, 1: {1: 1}}, days=2)
    >>> {series: str(mass) for series, mass in law.items()}
    {(0, 0): '1/3', (0, 1): '1/6', (1, 1): '1/2'}
    """
    number = as_integer(days, "days", 1, 1000)
    steps = (
        [transitions] * (number - 1)
        if isinstance(transitions, Mapping)
        else as_several(transitions, "transitions", "mappings")
    )
    if len(steps) != number - 1:
        raise ValueError(f"transitions must be {number - 1}, one a day but one, got {len(steps)}")
    law: dict[Series, Fraction] = {(x,): mass for x, mass in as_law(start, "start").items()}
    for day, step in enumerate(steps, 2):
        as_mapping(step, "transitions", "laws")
        laws = {}
        for x in {series[-1] for series in law}:
            if x not in step:
                raise ValueError(f"transitions must have a law after {x!r}, got none for day {day}")
            laws[x] = as_law(step[x], f"transitions: the law after {x!r}")
        as_size(sum(len(laws[series[-1]]) for series in law), "series")
        law = {
            (*series, y): mass * chance
            for series, mass in law.items()
            for y, chance in laws[series[-1]].items()
        }
    return law


def participation(
    chance: Fraction | int, yes: Fraction | int, *, keep: Fraction | int = 0
) -> tuple[dict[int | None, Fraction], dict[int | None, dict[int | None, Fraction]]]:
    """Return a chain of days on which a record takes part, with the answer 1 or 0, or does not.

    Each day the record keeps the value of the day before with probability `keep`; otherwise it is
    drawn anew: None (⊥) if the record does not take part, else 1 or 0.

    Parameters
    ----------
    chance : Fraction
        Probability in [0, 1] that a record takes part on a given day.
    yes : Fraction
        Probability in [0, 1] of the answer 1, of a record that takes part.
    keep : Fraction
        Probability in [0, 1]; with 0 the days are independent.

    Returns
    -------
    start, transitions : dict
        For `daily_law`. Every day has the same law.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1].
    TypeError
        If one is neither an int nor a fraction.

    References
    ----------
    Section 5.1 of the paper, last paragraph.

    Examples
    --------
    >>> start, steps = participation(Fraction(1, 10), Fraction(1, 2), keep=Fraction(1, 3))
    >>> {value: str(mass) for value, mass in start.items()}
    {None: '9/10', 1: '1/20', 0: '1/20'}
    >>> dependence_ratio(daily_law(start, steps, days=2))
    Fraction(22, 3)
    """
    here, one = as_chance(chance, "chance"), as_chance(yes, "yes")
    kept = as_chance(keep, "keep")
    masses = {None: 1 - here, 1: here * one, 0: here * (1 - one)}
    start = {value: mass for value, mass in masses.items() if mass}
    steps = {
        value: {
            after: (1 - kept) * mass + (kept if after == value else 0)
            for after, mass in start.items()
        }
        for value in start
    }
    return start, steps


def dependence_ratio(
    law: SeriesLaw, *, first: SupportsIndex = 0, second: SupportsIndex = 1
) -> Ratio:
    """Return e^c: how far the values of a record on two days are from independent.

    Parameters
    ----------
    law : mapping
        Law ``{(x_1, …, x_k): Fraction}`` of the record's series.
    first, second : int
        Numbers of the days, from 0 on.

    Returns
    -------
    Fraction or inf
        The largest of ``P[X = x, Y = y]/(P[X = x]·P[Y = y])`` and its inverse, over all values x
        and y of positive probability; inf if a combination of these is impossible.

    Raises
    ------
    ValueError
        If the masses do not sum to 1, or a day is out of range.
    TypeError
        If `law` is no mapping from tuples to fractions.

    References
    ----------
    Example 9 of the paper, read as: the law of ``D(i)_{j+1}`` given ``D(i)_j = a`` and its law
    without this are e^c-indistinguishable. As printed it compares with another law
    (`literal_ratio`).

    Examples
    --------
    >>> sixth, third = Fraction(1, 6), Fraction(1, 3)
    >>> law = {(0, 0): third, (0, 1): sixth, (1, 0): sixth, (1, 1): third}
    >>> dependence_ratio(law)
    Fraction(3, 2)
    """
    joint, x_law, y_law = _two_days(law, first, second)
    return greatest_ratio((joint.get((x, y), 0), x_law[x] * y_law[y]) for x in x_law for y in y_law)


def literal_ratio(law: SeriesLaw) -> Ratio:
    """Return e^c for the condition of Example 9 as printed.

    Parameters
    ----------
    law
        As in `dependence_ratio`; of its first two days.

    Returns
    -------
    Fraction or inf
        The largest of ``P[Y = y | X = x]/P[X = y]`` and its inverse: the law of the second day
        given the first is compared with the law of the *first* day.

    Notes
    -----
    For records whose value has the same law on both days it is `dependence_ratio`.

    References
    ----------
    Example 9 of the paper.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> steps = {x: {0: 3 * half / 2, 1: half / 2} for x in (0, 1)}
    >>> law = daily_law({0: half, 1: half}, steps, days=2)
    >>> dependence_ratio(law), literal_ratio(law)
    (Fraction(1, 1), Fraction(2, 1))
    """
    joint, x_law, y_law = _two_days(law, 0, 1)
    return greatest_ratio(
        (joint.get((x, y), 0), x_law[x] * x_law.get(y, 0)) for x in x_law for y in {*x_law, *y_law}
    )


def _two_days(
    law: SeriesLaw, first: SupportsIndex, second: SupportsIndex
) -> tuple[dict[tuple[Any, Any], Fraction], dict[Any, Fraction], dict[Any, Fraction]]:
    """Return the joint law of two days and the law of each."""
    checked, days = _as_series_law(law, "law")
    i, j = as_integer(first, "first", 0, days - 1), as_integer(second, "second", 0, days - 1)
    joint = summed(((series[i], series[j]), mass) for series, mass in checked.items())
    x_law = summed((x, mass) for (x, _), mass in joint.items())
    return joint, x_law, summed((y, mass) for (_, y), mass in joint.items())


def _as_series_law(
    law: SeriesLaw, name: str, days: int | None = None
) -> tuple[dict[Series, Fraction], int]:
    """Return the positive masses of a law of series, and how many days these have."""
    checked = as_law(law, name)
    for series in checked:
        if not isinstance(series, tuple):
            raise TypeError(f"{name} must have tuples as keys, one value a day, got {series!r}")
    lengths = {len(series) for series in checked}
    if lengths == {0} or len(lengths) != 1 or (days is not None and lengths != {days}):
        wanted = "at least one, equally many" if days is None else str(days)
        raise ValueError(f"{name}: the days must be {wanted}, got series of {sorted(lengths)} days")
    return checked, lengths.pop()


# --------------------------------------------------------------------------------------------
# The dependency of daily counts
# --------------------------------------------------------------------------------------------


def count_dependency(
    laws: Iterable[SeriesLaw], *, a: Sequence[Any], b: Sequence[Any], of: Scope = "last"
) -> dict[tuple[int, ...], Ratio]:
    """Return e^Dep of the last day's count on those of all days before, or of all days.

    Databases are not enumerated: the law of the others' counts is a convolution.

    Parameters
    ----------
    laws : iterable of mappings
        For each of the N others the law ``{(x_1, …, x_k): Fraction}`` of its series, k ≥ 2. The
        records are independent; equal laws are convolved together.
    a, b : sequence, length k
        The target's series under the two secrets; what is true counts.
    of : {"last", "all"}
        The loss of all days together, less the losses of the last day and of the days before
        together ("last": Definition 17), or less those of all single days ("all": the sum of the
        dependencies of each day on those before).

    Returns
    -------
    dict
        ``{(o_1, …, o_k): ratio}`` for the outputs that are possible under a. Where one of the
        losses taken off is infinite the ratio is 1 (the repaired convention: such outputs count in
        the δ of those already); otherwise it is a fraction, or inf.

    Raises
    ------
    ValueError
        If a law does not sum to 1, there are fewer than two days, or series differ in length.
    TypeError
        If an argument has another type.

    References
    ----------
    Definition 17 of the paper, for the mechanisms of Example 9.

    Examples
    --------
    Two others who keep their answer three times out of four:

    >>> start = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    >>> steps = {x: {x: Fraction(3, 4), 1 - x: Fraction(1, 4)} for x in (0, 1)}
    >>> law = daily_law(start, steps, days=2)
    >>> ratios = count_dependency([law] * 2, a=(0, 0), b=(1, 1))
    >>> str(ratios[1, 1]), str(ratios[2, 2])
    ('5/9', '9/5')
    """
    p, q = _released(laws, a, b)
    days = len(next(iter(p)))
    if days < 2:
        raise ValueError(f"a and b must have at least two days, got {days}")
    last = as_choice(of, "of", ("last", "all")) == "last"
    cuts = [0, days - 1, days] if last else range(days + 1)
    return _dependencies(p, q, *(slice(*ends) for ends in pairwise(cuts)))


def greatest_dependency(
    laws: Iterable[SeriesLaw], *, a: Sequence[Any], b: Sequence[Any], of: Scope = "last"
) -> Ratio:
    """Return the least e^µ for which the last day's count is (µ, 0)-dependent on those before.

    Parameters
    ----------
    laws, a, b, of
        As in `count_dependency`.

    Returns
    -------
    Fraction or inf
        The largest e^Dep, of a against b and of b against a.

    References
    ----------
    Definition 18 of the paper, for two secrets, with ν = 0 and the repaired convention.

    Examples
    --------
    >>> law = sharp_law(Fraction(2))
    >>> dependence_ratio(law)  # c = ln 2, so that 2c would allow 4, and 4c allows 16
    Fraction(2, 1)
    >>> str(greatest_dependency([law] * 4, a=(0, 0), b=(1, 1)))
    '64/13'

    Records with different laws, over three days, for which 4c = 4·ln 6 is not enough. The others
    are one with the transitions of `sharp_law` and two that always begin with 0 and then have its
    law, but for the exchange of 0 and 1 on the second day:

    >>> law, E = sharp_law(6), Fraction(6)
    >>> likely, rare = E / (1 + E), 1 / (E + E * E)
    >>> steps = {1: {1: likely, 0: 1 - likely}, 0: {1: rare, 0: 1 - rare}}
    >>> one = daily_law({1: 1 - likely, 0: likely}, steps, days=3)
    >>> two = {(0, 1 - x, y): mass for (x, y), mass in law.items()}
    >>> [str(greatest_dependency([one, two, two], a=(1, 0, 0), b=(0, 1, 0), of=scope))
    ...     for scope in ("last", "all")]
    ['58528/43', '968544/3139']
    >>> 6**4
    1296
    """
    members = as_several(laws, "laws", "laws of series")
    found = (count_dependency(members, a=x, b=y, of=of) for x, y in ((a, b), (b, a)))
    return max(max(ratios.values()) for ratios in found)


def one_day(
    laws: Iterable[SeriesLaw], target: SeriesLaw, *, day: SupportsIndex
) -> tuple[CountsLaw, CountsLaw]:
    """Return the laws of all days' counts if the target has the property on one day, and if not.

    The secret is what the target did on that day; her other days follow their law, given the
    secret.

    Parameters
    ----------
    laws : iterable of mappings
        For each of the N others the law ``{(x_1, …, x_k): Fraction}`` of its series.
    target : mapping
        The law of the target's series.
    day : int
        Which day, from 0 on.

    Returns
    -------
    tuple of two dicts
        ``{(o_1, …, o_k): Fraction}``, the positive masses, with the property and without.

    Raises
    ------
    ValueError
        If a law does not sum to 1, series differ in length, there is no such day, or the target is
        certain to have the property on it, or not to have it.
    TypeError
        If an argument has another type.

    References
    ----------
    Example 9 of the paper, where "a" stands for the value of a day.

    Examples
    --------
    If all users are alike, the other days tell nothing that the count of this day does not, to one
    who knows none of the target's other days:

    >>> start = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    >>> steps = {x: {x: Fraction(3, 4), 1 - x: Fraction(1, 4)} for x in (0, 1)}
    >>> law = daily_law(start, steps, days=2)
    >>> used, did_not = one_day([law] * 2, law, day=0)
    >>> [str(used[1, o] / did_not[1, o]) for o in range(4)]
    ['1/2', '1/2', '1/2', '1/2']
    """
    used, did_not = (dict(sorted(law.items())) for law in _one_day(laws, target, day))
    return normalized(used), normalized(did_not)


def one_day_dependency(
    laws: Iterable[SeriesLaw], target: SeriesLaw, *, day: SupportsIndex
) -> Ratio:
    """Return e^µ as `greatest_dependency` does, if the secret is what the target did on one day.

    Parameters
    ----------
    laws, target, day
        As in `one_day`, with at least two days.

    Returns
    -------
    Fraction or inf
        The largest e^Dep of the last day's count on those before, of both orders of the secrets.

    Raises
    ------
    ValueError, TypeError
        As in `one_day`; ValueError also for fewer than two days.

    References
    ----------
    Definition 18 and Example 9 of the paper, with ν = 0 and the repaired convention.

    Examples
    --------
    Among users who are alike 2c is right. Among three with the `sharp_law` for c = ln 3, somebody
    who does the opposite exceeds it:

    >>> others = [sharp_law(3)] * 3
    >>> str(one_day_dependency(others, sharp_law(3), day=0))
    '9'
    >>> opposite = {(1, 1): 1, (1, 0): 29, (0, 1): 29, (0, 0): 241}
    >>> opposite = {series: Fraction(weight, 300) for series, weight in opposite.items()}
    >>> str(dependence_ratio(opposite)), str(one_day_dependency(others, opposite, day=0))
    ('3', '2451/251')
    """
    p, q = _one_day(laws, target, day)
    if len(next(iter(p))) < 2:
        raise ValueError("target must have series of at least two days, got one")
    parts = slice(-1), slice(-1, None)
    found = _dependencies(p, q, *parts), _dependencies(q, p, *parts)
    return max(max(ratios.values()) for ratios in found)


def growth_bound(c: SupportsFloat, *, a: Sequence[Any], b: Sequence[Any]) -> float:
    """Return by how much the loss of all days may exceed the sum of the days' losses.

    Parameters
    ----------
    c : float
        c ≥ 0, as in the module's docstring, for all records, which are Markov chains, and all days
        in a row. Values may be of any kind; what is counted each day is a property of these.
    a, b : sequence, length k
        The target's series under the two secrets.

    Returns
    -------
    float
        µ = 2c·(the number of differing days, each counted once for each neighbour that it has). If
        day j alone is (ε_j, δ_j) for these two secrets, all days together are
        (Σε_j + µ, Σδ_j). Over all secrets that is 4c·(k - 1).

    Raises
    ------
    ValueError
        If `c` is negative, or the series differ in length.

    References
    ----------
    Theorem 6 of the paper, corrected, for the mechanisms of Example 9; the proof is in the
    docstring of this module.

    Examples
    --------
    >>> growth_bound(0.1, a=(0, 0, 0, 0), b=(1, 1, 1, 1))
    1.2000000000000002
    >>> growth_bound(0.1, a=(0, 0, 0), b=(0, 1, 0))
    0.4
    """
    rate = as_real(c, "c", "in [0, inf]", 0.0, math.inf)
    differs = [x != y for x, y in zip(*_secrets(a, b), strict=True)]
    moves = sum(yesterday + today for yesterday, today in pairwise(differs))
    return 2.0 * rate * moves if moves else 0.0


def sharp_law(ratio: Fraction | int) -> dict[Series, Fraction]:
    """Return the law of a two-day record for which the constant 4 of 4c is approached.

    Parameters
    ----------
    ratio : Fraction
        E = e^c ≥ 1.

    Returns
    -------
    dict
        ``P[1, 1] = E``, ``P[0, 1] = P[1, 0] = 1`` and ``P[0, 0] = E² + E - 1``, divided by
        ``(1 + E)²``. Its `dependence_ratio` is E, and both days have the same law.

    Raises
    ------
    ValueError
        If the ratio is less than 1.
    TypeError
        If it is neither an int nor a fraction.

    Examples
    --------
    >>> {series: str(mass) for series, mass in sharp_law(2).items()}
    {(1, 1): '2/9', (0, 1): '1/9', (1, 0): '1/9', (0, 0): '5/9'}
    """
    E = as_finite_ratio(ratio)
    weights = {(1, 1): E, (0, 1): Fraction(1), (1, 0): Fraction(1), (0, 0): E * E + E - 1}
    return {series: weight / (1 + E) ** 2 for series, weight in weights.items()}


def sharp_dependency(others: SupportsIndex, ratio: Fraction | int) -> Fraction:
    """Return e^Dep where N others have the `sharp_law`, at the output (N, N).

    The target's series is (0, 0) or (1, 1), and

        e^Dep = E/((E² + E - 1)/(E²·N) + (1 - 1/N)/E³),

    which tends to E⁴ = e^{4c} as N grows, whatever c > 0 is.

    Parameters
    ----------
    others : int
        N ≥ 1.
    ratio : Fraction
        E = e^c ≥ 1.

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError, TypeError
        As in `sharp_law`; ValueError also if N is out of range.

    Examples
    --------
    >>> [round(math.log(sharp_dependency(n, 2), 2), 3) for n in (3, 4, 10, 100, 10_000)]
    [2.0, 2.3, 3.074, 3.876, 3.999]
    """
    E = as_finite_ratio(ratio)
    share = Fraction(1, as_integer(others, "others", 1, MOST_RECORDS))
    return E / ((E * E + E - 1) / (E * E) * share + (1 - share) / E**3)


def literal_law(ratio: Fraction | int) -> dict[Series, Fraction]:
    """Return the law of a two-day record that breaks 4c for the condition as printed.

    Parameters
    ----------
    ratio : Fraction
        E = e^c ≥ 1.

    Returns
    -------
    dict
        X is 1 with probability p = 1/(1 + E), and Y with probability p/E after a 1 and pE after a
        0. Its `literal_ratio` is E.

    Notes
    -----
    For E of at least the golden ratio 1.618… it approaches `literal_constant` as N grows.

    Examples
    --------
    With c = ln 2, 4c allows 16 and 6c allows 64:

    >>> str(greatest_dependency([literal_law(2)] * 5, a=(0, 0), b=(1, 1)))
    '82/5'
    """
    E = as_finite_ratio(ratio)
    p = 1 / (1 + E)
    chances = {1: p / E, 0: p * E}
    starts = {1: p, 0: 1 - p}
    return {
        (x, y): starts[x] * (chances[x] if y else 1 - chances[x]) for x in (1, 0) for y in (1, 0)
    }


def literal_constant(c: SupportsFloat) -> float:
    """Return what bounds the dependency of two days under the condition as printed.

    With E = e^c it is ``2c + ln h``, where

        h = max over 0 ≤ p ≤ 1/(1 + E) of 1 + (E² - 1)(1 - p)/(1 - pE + p²(E - 1/E)),

    attained at the lesser of 1/(1 + E) and 1 - 1/√(1 + E). A move of yesterday's count costs at
    most 2c, one of today's at most ln h; and N → ∞ records that are 1 with this p, and after a 1
    with probability p/E, after a 0 with pE, come as near to the sum as one likes.

    Parameters
    ----------
    c : float
        c in [0, 300].

    Returns
    -------
    float
        Between 4c and 5c, rounded up; the constants 4 and 5 are approached for small and for large
        c.

    Raises
    ------
    ValueError
        If c is out of range.

    References
    ----------
    Example 9 of the paper, whose condition has the law of ``D(i)_j`` on the right.

    Examples
    --------
    >>> [round(literal_constant(c) / c, 4) for c in (0.01, math.log(2), 3.0, 30.0)]
    [4.0034, 4.3219, 4.7766, 4.9769]
    """
    rate = as_real(c, "c", "in [0, 300]", 0.0, 300.0)
    if rate < _LN_GOLDEN:
        E = math.exp(rate)
        root = math.sqrt(1.0 + E)
        p = (root - 1.0) / root
        slope = 1.0 - p * E + p * p * 2.0 * math.sinh(rate)
        value = 2.0 * rate + math.log1p(math.expm1(2.0 * rate) / root / slope)
    else:
        # With p = 1/(1 + E) nothing but h = (E⁴ - E² + 2E - 1)/(2E - 1) is left, which is written
        # in powers of 1/E: 1 - pE would lose its digits, and E⁴ overflow.
        x = math.exp(-rate)
        value = 5.0 * rate + math.log1p(-x * x * (1.0 - x) ** 2) - math.log(2.0 - x)
    return value * (1.0 + 8.0 * sys.float_info.epsilon)


# ln((1 + √5)/2), up to which the best p lies inside its range.
_LN_GOLDEN = math.asinh(0.5)


def _secrets(a: Sequence[Any], b: Sequence[Any]) -> tuple[Series, Series]:
    """Return two series of equally many days."""
    one, other = (as_several(s, name, "values, one a day") for s, name in ((a, "a"), (b, "b")))
    if len(one) != len(other) or not one:
        raise ValueError(f"a and b must have equally many days, got {len(one)} and {len(other)}")
    return one, other


def _released(
    laws: Iterable[SeriesLaw], a: Sequence[Any], b: Sequence[Any]
) -> tuple[Weights, Weights]:
    """Return integer weights of all counts under each secret."""
    one, other = map(_bits, _secrets(a, b))
    counts = _counts(laws, len(one))
    return _convolved(counts, Counter({one: 1})), _convolved(counts, Counter({other: 1}))


def _bits(series: Iterable[Any]) -> tuple[int, ...]:
    """Return which values are counted."""
    return tuple(int(bool(value)) for value in series)


def _counts(laws: Iterable[SeriesLaw], days: int) -> Weights:
    """Return integer weights of the others' counts."""
    counts: Weights = Counter({(0,) * days: 1})
    for law in as_several(laws, "laws", "laws of series"):
        checked, _ = _as_series_law(law, "laws", days)
        counts = _convolved(counts, _weights(checked))
    return counts


def _weights(law: SeriesLaw) -> Weights:
    """Return integer weights of what is counted of a series, in proportion to its masses."""
    scale = math.lcm(*(mass.denominator for mass in law.values()))
    return Counter(summed((_bits(series), int(mass * scale)) for series, mass in law.items()))


def _one_day(
    laws: Iterable[SeriesLaw], target: SeriesLaw, day: SupportsIndex
) -> tuple[Weights, Weights]:
    """Return integer weights of all counts, if the target has the property that day, and if not."""
    checked, days = _as_series_law(target, "target")
    when = as_integer(day, "day", 0, days - 1)
    counts = _counts(laws, days)
    found = []
    for secret in (True, False):
        own = {x: mass for x, mass in checked.items() if bool(x[when]) is secret}
        if not any(own.values()):
            raise ValueError(f"target must be uncertain on day {when}, got P[{not secret}] = 1")
        found.append(_convolved(counts, _weights(own)))
    return found[0], found[1]


def _dependencies(p: Weights, q: Weights, *cuts: slice) -> dict[Counts, Ratio]:
    """Return e^Dep between parts of the days, for each output that is possible under p."""
    p_law, q_law = JointLaw.of(p, cuts), JointLaw.of(q, cuts)
    return {output: dependency_ratio(p_law, q_law, output) for output in sorted(p)}


def _convolved(left: Weights, right: Weights) -> Weights:
    return Counter(
        summed(
            (tuple(map(operator.add, x, y)), weight * factor)
            for x, weight in left.items()
            for y, factor in right.items()
        )
    )


def questions(laws: Iterable[SeriesLaw], *, a: Sequence[Any], b: Sequence[Any]) -> Pair:
    """Return the pair of the joint counts of several days, or of several questions of a referendum.

    Parameters
    ----------
    laws, a, b
        As in `count_dependency`; one question will do. A series holds a record's answers.

    Returns
    -------
    Pair
        Laws of the d counts together, as one number: with N others, ``Σ_j o_j·(N+2)^j``.

    Raises
    ------
    ValueError
        As in `count_dependency`, or if there are more than 2 000 000 combinations ``(N+2)^d``.
    TypeError
        As in `count_dependency`.

    References
    ----------
    Section 5.1 of the paper, last paragraph: a referendum with several, correlated questions.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> law = {(0, 0): half, (1, 1): half}  # everybody answers both alike
    >>> referendum = questions([law] * 3, a=(1, 1), b=(0, 0))
    >>> round(referendum.profile().delta(0.0), 4)  # as for the one question they amount to
    0.375
    >>> questions([law] * 3, a=(0, 1), b=(1, 0)).profile().delta(5.0)
    1.0
    """
    members = as_several(laws, "laws", "laws of series")
    released = _released(members, a, b)
    base, number = len(members) + 2, len(next(iter(released[0])))
    if number >= 100:
        raise ValueError(f"a and b must be answers to fewer than 100 questions, got {number}")
    as_size(base**number, "combinations of counts")
    P, Q = (
        Finite.from_dict(
            {
                sum(o * base**j for j, o in enumerate(output)): mass / law.total()
                for output, mass in law.items()
            }
        )
        for law in released
    )
    return Pair(P, Q)
