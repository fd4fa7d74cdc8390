"""Colours and line styles of curves and texts, by role; powers of ten as text."""

from typing import Any, TypeAlias

Style: TypeAlias = dict[str, Any]

# Those of style.mplstyle.
INK = "#1a1a1a"
BLUE = "#0072b2"
VERMILION = "#b85000"
GREEN = "#007a5a"
PURPLE = "#a8507f"

DASHED, DOTTED, SPARSE = (0, (5, 1.6)), (0, (1.2, 1.4)), (0, (1, 2.4))


def line(color: str, dashes: object = "-", width: float = 1.9) -> Style:
    """Return the look of a curve."""
    return {"color": color, "linestyle": dashes, "linewidth": width}


# Where one figure holds an exact curve, a bound and what was printed, they look like this; the
# dashes tell the same story as the colours.
EXACT = line(BLUE)
BOUND = line(GREEN, DASHED, 1.6)
PRINTED = line(VERMILION, DOTTED)


def power_of_ten(exponent: float) -> str:
    """Write a power of ten, its exponent rounded to a whole number.

    Examples
    --------
    >>> power_of_ten(-12), power_of_ten(0)
    ('10⁻¹²', '1')
    """
    raised = f"{exponent:.0f}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if exponent else "1"
