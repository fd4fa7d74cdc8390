"""Sort values of any mixture of types, so that they are listed in the same order each time."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Set
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

from pkdp._checks import is_iterable


def in_order(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values of any mixture of types, sorted.

    First None, then real numbers by their value, texts, tuples part by part, and sets by their
    sorted elements. Values of other types are sorted by the name of the type, and those of one type
    in its own order (dates, say) or, if it has none, by what they show.

    Parameters
    ----------
    values : iterable

    Returns
    -------
    tuple

    Examples
    --------
    >>> in_order({2, 10, Fraction(5, 2), None, "a"})
    (None, 2, Fraction(5, 2), 10, 'a')
    """
    if not is_iterable(values):
        raise TypeError(f"values must be several, got {values!r}")
    several = list(values)
    kinds = set(map(type, several))
    if kinds == {tuple}:
        kinds = set(map(type, chain.from_iterable(several)))
    if kinds <= {int, Fraction} or kinds == {str}:  # these compare as their keys would
        return tuple(sorted(several))
    return tuple(sorted(several, key=order_of))


def order_of(value: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Return the key that `in_order` sorts by; equal numbers, tuples and sets have equal keys.

    Examples
    --------
    >>> order_of(2) < order_of("a") < order_of((0, None)) < order_of((0, 1))
    True
    """
    kind = type(value)
    if kind is int or kind is Fraction:  # nearly always
        return (1, value)
    if isinstance(value, tuple):
        return (3, tuple(map(order_of, value)))
    if value is None:
        return (0,)
    if isinstance(value, numbers.Real | Decimal) and value == value:  # not NaN
        return (1, _comparable(value))
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, Set):
        return (4, tuple(sorted(map(order_of, value))))
    return (5, kind.__name__, _Native(value))


def _comparable(value: numbers.Real | Decimal) -> int | float | Fraction:
    """Return an equal number of a type that compares with all others."""
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    return float(value)


@dataclass(frozen=True)
class _Native:
    """A value in the order of its type, or else by what it shows."""

    value: Any

    def __lt__(self, other: _Native) -> bool:
        try:
            return bool(self.value < other.value)
        except TypeError:
            return repr(self.value) < repr(other.value)
