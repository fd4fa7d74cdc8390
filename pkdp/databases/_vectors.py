"""Vectors of bits, one for each database: what a prior is a law of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from pkdp._checks import as_integer, as_law

Bits: TypeAlias = tuple[int, ...]


def as_vector(bits: object, name: str) -> Bits:
    """Return a tuple of bits."""
    if not isinstance(bits, tuple):
        raise TypeError(f"{name} must have tuples of bits, got {bits!r}")
    return tuple(as_integer(bit, f"{name}: a bit of {bits!r}", 0, 1) for bit in bits)


def as_vectors(vectors: Iterable[object], name: str, most: int) -> list[Bits]:
    """Return the vectors that a prior lists, all of one length in ``1…most``."""
    found = [as_vector(bits, name) for bits in vectors]
    lengths = sorted({len(bits) for bits in found})
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"{name} must have vectors of one length, at least 1, got lengths {lengths}"
        )
    as_integer(lengths[0], f"the number of bits of {name}", 1, most)
    return found


def as_exact_prior(prior: Mapping[Bits, object], name: str, most: int) -> dict[Bits, Fraction]:
    """Return the positive weights of a prior, on vectors of one length in ``1…most``."""
    law = as_law(prior, name)
    as_vectors(law, name, most)
    return law
