"""What the figures share when they draw: axes, curves, and labels on the curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pkdp.figures._palette import INK, VERMILION, Style
from pkdp.figures._tables import Table, select, series_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

    from pkdp.figures._panel import Panel

Panels: TypeAlias = Sequence["Panel"]
Point: TypeAlias = tuple[float, float]


def panels(axes: Panels, data: Table, *, by: str = "panel", **titles: str) -> Panels:
    """Give each panel its title, and the rows in which a column has its name."""
    for panel, (name, title) in zip(axes, titles.items(), strict=True):
        panel.set_title(title)
        panel.data = select(data, **{by: name})
    return axes


def powers(*exponents: int) -> dict[float, str]:
    """Return powers of ten, for an axis: how each is written.

    Examples
    --------
    >>> powers(-12, 0)
    {1e-12: '10⁻¹²', 1.0: '1'}
    """
    return {float(f"1e{one}"): power_of_ten(one) for one in exponents}


def tex_powers(*exponents: int) -> dict[float, str]:
    """Return powers of ten, for an axis, as TeX writes them.

    Examples
    --------
    >>> tex_powers(-12, 0)
    {1e-12: '$10^{-12}$', 1.0: '1'}
    """
    return {float(f"1e{one}"): f"$10^{{{one}}}$" if one else "1" for one in exponents}


def log_axes(axes: Axes, *, x: Point | None = None, y: Point | None = None) -> None:
    """Make axes logarithmic between two ends, without marks but those that are asked for.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> log_axes(axes, y=(0.1, 100))
    >>> axes.get_xscale(), axes.get_yscale(), tuple(map(float, axes.get_ylim()))
    ('linear', 'log', (0.1, 100.0))
    """
    if x is not None:
        axes.set(xscale="log", xlim=x)
    if y is not None:
        axes.set(yscale="log", ylim=y)
    axes.minorticks_off()


def power_of_ten(exponent: float) -> str:
    """Write a power of ten, its exponent rounded to a whole number.

    Examples
    --------
    >>> power_of_ten(-12), power_of_ten(0)
    ('10⁻¹²', '1')
    """
    raised = f"{exponent:.0f}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if exponent else "1"


def power_ticks(axes: Axes, *exponents: int) -> None:
    """Mark powers of ten on the axis of y.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> power_ticks(axes, -12, 0)
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['10⁻¹²', '1']
    """
    axes.set_yticks([float(f"1e{one}") for one in exponents], [*map(power_of_ten, exponents)])


def note(
    axes: Axes,
    text: str,
    point: Point,
    offset: Point = (0.0, 4.0),
    color: str = INK,
    *,
    ha: str | None = None,
    va: str | None = None,
    lead: bool = False,
) -> Text:
    """Write near a point.

    Parameters
    ----------
    axes : Axes
    text : str
    point : tuple of float
    offset : tuple of float
        From the point to the text, in points. The text goes on from there: to the left of the
        point, to the right or, for 0, centred; below, or else above.
    color : str
    ha, va : str, optional
        Of the text, where it does not go on.
    lead : bool
        Draw a thin line from the text to the point.

    Returns
    -------
    Text

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> text = note(Figure().add_subplot(), "a dot", (0.5, 0.5), (-4, -2))
    >>> text.get_ha(), text.get_va()
    ('right', 'top')
    """
    across, up = offset
    return axes.annotate(
        text,
        point,
        xytext=offset,
        textcoords="offset points",
        color=color,
        ha=ha or ("center" if across == 0 else "left" if across > 0 else "right"),
        va=va or ("top" if up < 0 else "bottom"),
        annotation_clip=False,
        arrowprops=_leader(color) if lead else None,
    )


def callout(
    axes: Axes,
    text: str,
    point: Point,
    place: Point,
    color: str = INK,
    *,
    ha: str = "left",
    va: str = "center",
) -> Text:
    """Write at a place, with a thin line from there to a point.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> callout(Figure().add_subplot(), "a dot", (0.5, 0.5), (0.7, 0.9)).xy
    (0.5, 0.5)
    """
    return axes.annotate(text, point, place, color=color, ha=ha, va=va, arrowprops=_leader(color))


def _leader(color: str) -> Style:
    return {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 1}


def label_line(
    axes: Axes,
    curve: Table,
    text: str,
    at: float,
    offset: Point = (0.0, 4.0),
    color: str = INK,
    *,
    ha: str | None = None,
    va: str | None = None,
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
    offset, color, ha, va
        As in `note`.

    Returns
    -------
    Text

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pkdp.figures._tables import block
    >>> label_line(Figure().add_subplot(), block(x=[0, 1], y=[0, 2]), "a line", 0.5).xy
    (0.5, 1.0)
    """
    import numpy as np

    to_x, to_y = axes.xaxis.get_transform(), axes.yaxis.get_transform()
    # Between two points the curve is straight on the scales of the axes.
    heights = to_y.transform(np.asarray(curve["y"], dtype=float))
    seen = np.isfinite(heights)
    across = to_x.transform(np.asarray(curve["x"], dtype=float))
    height = np.interp(to_x.transform(np.array([at])), across[seen], heights[seen])
    point = at, float(to_y.inverted().transform(height)[0])
    return note(axes, text, point, offset, color, ha=ha, va=va)


def label_end(axes: Axes, curve: Table, text: str, color: str, lift: float = 0.0) -> Text:
    """Write a label beside the last point of a curve, `lift` points above it."""
    return label_line(axes, curve, text, float(curve["x"][-1]), (6.5, lift), color, va="center")


def draw_curve(
    axes: Axes,
    curve: Table,
    style: Style,
    text: str = "",
    at: float = 0.0,
    offset: Point = (0.0, 4.0),
    *,
    ha: str | None = None,
    va: str | None = None,
    least: float = -math.inf,
) -> None:
    """Draw a curve, and write on it in its own colour.

    Parameters
    ----------
    axes : Axes
    curve : Table
        With columns x and y.
    style : dict
        What `Axes.plot` takes, with a ``color``.
    text, at, offset, ha, va
        As in `label_line`, if there is a text.
    least : float
        What is not above it is left out: where a curve falls far below the panel.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pkdp.figures._tables import block
    >>> axes = Figure().add_subplot()
    >>> draw_curve(axes, block(x=[0, 1], y=[0, 2]), {"color": INK}, "a line", 0.5)
    >>> axes.lines[0].get_color() == axes.texts[0].get_color() == INK
    True
    """
    drawn = curve["y"] > least
    axes.plot(curve["x"][drawn], curve["y"][drawn], **style)
    if text:
        label_line(axes, curve, text, at, offset, style["color"], ha=ha, va=va)


def draw_curves(axes: Axes, data: Table, styles: Mapping[str, Style]) -> list[Table]:
    """Draw the series of a table, each in its style, and return them.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pkdp.figures._tables import curves
    >>> table = curves([0.0, 1.0], {"bound": [2.0, 3.0], "exact": [1.0, 2.0]})
    >>> axes = Figure().add_subplot()
    >>> exact, bound = draw_curves(axes, table, {"exact": {"color": INK}, "bound": {}})
    >>> bound["y"].tolist()
    [2.0, 3.0]
    """
    found = series_of(data, *styles)
    for curve, style in zip(found, styles.values(), strict=True):
        draw_curve(axes, curve, style)
    return found


def shade_gap(
    axes: Axes, x: ArrayLike, promised: ArrayLike, true: ArrayLike, alpha: float = 0.2
) -> None:
    """Shade where a curve that promises something lies below the true one.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> shade_gap(axes, [0, 1], [1, 1], [2, 2])
    >>> len(axes.collections)
    1
    """
    import numpy as np

    below = np.less(promised, true)
    axes.fill_between(x, promised, true, where=below, color=VERMILION, alpha=alpha, linewidth=0)
