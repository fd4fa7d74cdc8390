"""Sums and products of exact masses, as worlds and mechanisms need them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Mass = TypeVar("_Mass", int, Fraction)


def summed(masses: Iterable[tuple[_Key, _Mass]]) -> dict[_Key, _Mass]:
    """Return, for each key, the sum of its masses."""
    sums: dict[_Key, _Mass] = {}
    for key, mass in masses:
        sums[key] = sums[key] + mass if key in sums else mass
    return sums


def joint(laws: Iterable[Mapping[Any, Fraction]]) -> dict[tuple[Any, ...], Fraction]:
    """Return the law of independent values, as that of their tuple."""
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
