"""Marginal and product distributions in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Mass = TypeVar("_Mass", int, Fraction)


def summed(masses: Iterable[tuple[_Key, _Mass]]) -> dict[_Key, _Mass]:
    """Sum the masses of each key: those of a marginal distribution."""
    sums: dict[_Key, _Mass] = {}
    for key, mass in masses:
        sums[key] = sums[key] + mass if key in sums else mass
    return sums


def normalized(masses: Mapping[_Key, Fraction | int]) -> dict[_Key, Fraction]:
    """Return the distribution in proportion to some masses."""
    total = sum(masses.values())
    return {key: Fraction(mass, total) for key, mass in masses.items()}


def joint(laws: Iterable[Mapping[Any, Fraction]]) -> dict[tuple[Any, ...], Fraction]:
    """Return the joint distribution of independent values, that of their tuple."""
    together: dict[tuple[Any, ...], int] = {(): 1}  # in units of 1/common
    common = 1
    for law in laws:
        unit = math.lcm(*(mass.denominator for mass in law.values()))
        parts = {value: mass.numerator * (unit // mass.denominator) for value, mass in law.items()}
        together = {
            (*values, value): many * part
            for values, many in together.items()
            for value, part in parts.items()
        }
        common *= unit
    return {values: Fraction(many, common) for values, many in together.items()}
