"""Objects that are what they are made of: equal if their pieces are, arrays among them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


class ByPieces:
    """Equal to another one of its class that is made of equal pieces."""

    def _pieces(self) -> tuple[Any, ...]:
        """Return what it is made of, which of a dataclass are its fields."""
        return tuple(getattr(self, each.name) for each in dataclasses.fields(self))  # type: ignore[arg-type]

    def _key(self) -> tuple[Any, ...]:
        """Return the pieces, an array by its shape and contents."""
        return tuple(
            (x.shape, x.tobytes()) if isinstance(x, np.ndarray) else x for x in self._pieces()
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())
