"""Marginal and product distributions in exact fractions, and dicts that cannot be changed."""

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")
_Mass = TypeVar("_Mass", int, Fraction)


class FrozenDict(dict[_Key, _Value]):
    """A dict that cannot be changed, and so can be hashed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as a whole, not item by item."""
        return FrozenDict, (dict(self),)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping cannot be changed")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


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
