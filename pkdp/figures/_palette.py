"""What curves and texts look like, by role."""

from typing import Any, TypeAlias

Style: TypeAlias = dict[str, Any]

# Those of style.mplstyle.
INK = "#1a1a1a"
BLUE = "#0072b2"
VERMILION = "#b85000"
GREEN = "#007a5a"
PURPLE = "#a8507f"

# Where one figure holds an exact curve, a bound and what was printed, they look like this; the
# dashes tell the same story as the colours.
EXACT: Style = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}
BOUND: Style = {"color": GREEN, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
PRINTED: Style = {"color": VERMILION, "linestyle": (0, (1.2, 1.4)), "linewidth": 1.9}
