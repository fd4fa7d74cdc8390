"""Argument checks shared by the library: each failure names argument, value and allowed range."""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt


def as_integer(value: SupportsIndex, name: str, least: int, most: int | None = None) -> int:
    """Return `value` as an int in ``least…most``."""
    allowed = f"an integer ≥ {least}" if most is None else f"an integer in {least}…{most}"
    # A bool is an int to Python, but never a number of records.
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be {allowed}, got {value!r}")
    number = value.__index__()
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def as_real(value: SupportsFloat, name: str, allowed: str, least: float, most: float) -> float:
    """Return `value` as a float in ``[least, most]``; `allowed` words the range."""
    if isinstance(value, str | bytes | bool | np.bool_) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be {allowed}, got {value!r}")
    number = float(value)
    if math.isnan(number) or not least <= number <= most:
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def as_uncertainty(lam: SupportsFloat) -> float:
    """Return λ as a float in (0, ½]."""
    number = as_real(lam, "lam", "in (0, 0.5]", 0.0, 0.5)
    if number == 0.0:
        raise ValueError(f"lam must be in (0, 0.5], got {lam!r}")
    return number


def as_tolerance(tol: SupportsFloat) -> float:
    """Return a relative tolerance as a float in [1e-10, 1]."""
    return as_real(tol, "tol", "in [1e-10, 1]", 1e-10, 1.0)


def as_probabilities(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return a one-dimensional array of floats in [0, 1]."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers in [0, 1], got {values!r}") from None
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional with values in [0, 1], got {values!r} "
            f"of shape {array.shape}"
        )
    # NaN makes both comparisons false; the extremes cost less than a mask as long as the array.
    if array.size and not (array.min() >= 0.0 and array.max() <= 1.0):
        outside = array[~((array >= 0.0) & (array <= 1.0))]
        raise ValueError(f"{name} must lie in [0, 1], got {float(outside[0])!r}")
    return array


def unknown_records(n: SupportsIndex, known: SupportsIndex) -> int:
    """Return N = n - 1 - known, the records neither targeted nor known to the attacker."""
    records = as_integer(n, "n", 2)
    return records - 1 - as_integer(known, "known", 0, records - 1)
