"""What the figures share when they draw: colours by role, and labels on the curves."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

from pkdp.figures._tables import Table

# Those of style.mplstyle.
INK = "#1a1a1a"
BLUE = "#0072b2"
VERMILION = "#b85000"
GREEN = "#007a5a"
PURPLE = "#a8507f"

# Where one figure holds an exact curve, a bound and what was printed, they look like this; the
# dashes tell the same story as the colours.
EXACT: dict[str, Any] = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}
BOUND: dict[str, Any] = {"color": GREEN, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
PRINTED: dict[str, Any] = {"color": VERMILION, "linestyle": (0, (1.2, 1.4)), "linewidth": 1.9}


def leader(colour: str) -> dict[str, Any]:
    """Return the ``arrowprops`` of a thin line from a label to what it names."""
    return {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 1}


def label_line(
    axes: Axes,
    curve: Table,
    text: str,
    *,
    at: float,
    offset: tuple[float, float] = (0.0, 4.0),
    color: str = INK,
    ha: str = "center",
    va: str = "bottom",
) -> Text:
    """Write a label at a point of a curve, in place of a legend.

    Parameters
    ----------
    axes : Axes
        Where the curve is drawn; its scales must be set already.
    curve : Table
        With columns x, increasing, and y.
    text : str
        The label.
    at : float
        The x of the point to label; y is read off the curve.
    offset : tuple of float
        From that point to the text, in points.
    color, ha, va : str
        Of the text.

    Returns
    -------
    Text
    """
    to_x, to_y = axes.xaxis.get_transform(), axes.yaxis.get_transform()
    # Between two points the curve is straight on the scales of the axes.
    heights = to_y.transform(np.asarray(curve["y"], dtype=float))
    seen = np.isfinite(heights)
    across = to_x.transform(np.asarray(curve["x"], dtype=float))
    height = np.interp(to_x.transform(np.array([at])), across[seen], heights[seen])
    return axes.annotate(
        text,
        (at, float(to_y.inverted().transform(height)[0])),
        xytext=offset,
        textcoords="offset points",
        color=color,
        ha=ha,
        va=va,
        fontsize=8,
        annotation_clip=False,
    )


def label_end(axes: Axes, curve: Table, text: str, *, color: str, lift: float = 0.0) -> Text:
    """Write a label beside the last point of a curve, `lift` points above it."""
    at = float(curve["x"][-1])
    return label_line(
        axes, curve, text, at=at, offset=(6.5, lift), color=color, ha="left", va="center"
    )
