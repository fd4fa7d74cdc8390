"""Priors on membership vectors, tuples of one bit for each database: checks."""

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


def as_exact_priors(
    prior: Mapping[Bits, object], other: Mapping[Bits, object], most: int
) -> tuple[dict[Bits, Fraction], dict[Bits, Fraction]]:
    """Return the positive weights of two priors, on vectors of one length in ``1…most``."""
    first, second = as_law(prior, "prior"), as_law(other, "other")
    k, length = len(as_vectors(first, "prior", most)[0]), len(as_vectors(second, "other", most)[0])
    if length != k:
        raise ValueError(f"other must have vectors of {k} bits, as prior has, got {length}")
    return first, second
