"""Panels of a figure: matplotlib axes that know the rows of the table they draw."""

import math
from collections.abc import Mapping, Sequence
from functools import partialmethod
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import ArrayLike

from pkdp.figures._palette import INK, VERMILION, Style, power_of_ten
from pkdp.figures._tables import Table, block, select

Point: TypeAlias = tuple[float, float]
Ticks: TypeAlias = Sequence[float] | Mapping[float, str] | Mapping[int, str]
"""Numbers that are marked on an axis; or the text at each."""


class Panel(Axes):
    """Axes of matplotlib that draw curves of a table and write on them.

    Attributes
    ----------
    data : Table
        The rows that are drawn here.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pkdp.figures._tables import curves
    >>> panel = add_panel(Figure())
    >>> panel.data = curves([0.0, 1.0], {"bound": [2.0, 3.0], "exact": [1.0, 2.0]})
    >>> panel.log_x("n", (1e-6, 1e8), [1e-6, 0.01, 1, 10_000, 1e8])
    >>> [mark.get_text() for mark in panel.get_xticklabels()]
    ['10⁻⁶', '0.01', '1', '10,000', '10⁸']
    >>> panel.y("δ", (0, 4), [0, 0.5, 4], digits=1)
    >>> [mark.get_text() for mark in panel.get_yticklabels()]
    ['0.0', '0.5', '4.0']
    >>> panel.curve("exact", {"color": INK}, "a line", 1.0)
    >>> panel.texts[0].get_text(), panel.texts[0].xy
    ('a line', (1.0, 2.0))
    """

    data: Table

    def _mark(
        self,
        side: Literal["x", "y"],
        label: str,
        limits: Point | None = None,
        ticks: Ticks | None = None,
        digits: int | None = None,
        *,
        log: bool = False,
    ) -> None:
        """Say what an axis shows, from where to where, and what is marked, with which digits.

        If it is logarithmic, there are no marks but those that are asked for.
        """
        axis = self.xaxis if side == "x" else self.yaxis
        if log:
            self.set(**{f"{side}scale": "log"})
            self.minorticks_off()
        self.set(**{f"{side}label": label})
        if limits is not None:
            self.set(**{f"{side}lim": limits})
        if ticks is not None:
            axis.set_ticks([*ticks], _texts(ticks, digits))

    x, y = partialmethod(_mark, "x"), partialmethod(_mark, "y")
    log_x, log_y = partialmethod(_mark, "x", log=True), partialmethod(_mark, "y", log=True)

    def rows(self, series: str | Table = "", **columns: object) -> Table:
        """Return the rows of a series, or of all, where columns have the given values."""
        if not isinstance(series, str):
            return series
        return select(self.data, **({"series": series} if series else {}), **columns)

    def rows_of(self, x: str, y: str, series: str = "", **columns: object) -> Table:
        """Return the same rows, with two of their columns as x and y."""
        rows = self.rows(series, **columns)
        return block(x=rows[x], y=rows[y])

    def records(self, series: str = "", **columns: object) -> list[dict[str, Any]]:
        """Return the same rows, each as a mapping from columns to values."""
        rows = self.rows(series, **columns)
        values = zip(*(column.tolist() for column in rows.values()), strict=True)
        return [dict(zip(rows, row, strict=True)) for row in values]

    def curve(
        self,
        curve: str | Table,
        style: Style,
        text: str = "",
        at: float = 0.0,
        offset: Point = (0.0, 4.0),
        *,
        least: float = -math.inf,
        **align: str,
    ) -> None:
        """Draw a curve, and write on it in its own colour.

        Parameters
        ----------
        curve : str or Table
            A series, or rows with columns x and y.
        style : dict
            What `Axes.plot` takes, with a ``color``.
        text, at, offset, align
            As in `label`, if there is a text.
        least : float
            What is not above it is left out: where a curve falls far below the panel.
        """
        rows = self.rows(curve)
        drawn = rows["y"] > least
        self.plot(rows["x"][drawn], rows["y"][drawn], **style)
        if text:
            self.label(rows, text, at, offset, style["color"], **align)

    def label(
        self,
        curve: str | Table,
        text: str,
        at: float,
        offset: Point = (0.0, 4.0),
        color: str = INK,
        **align: str,
    ) -> Text:
        """Write at a point of a curve, in place of a legend; the scales must be set already.

        Parameters
        ----------
        curve : str or Table
            A series, or rows with columns x, increasing, and y.
        text : str
        at : float
            The x of the point; y is read off the curve.
        offset, color, align
            As in `note`.
        """
        rows = self.rows(curve)
        to_x, to_y = self.xaxis.get_transform(), self.yaxis.get_transform()
        # Between two points the curve is straight on the scales of the axes.
        heights = to_y.transform(np.asarray(rows["y"], dtype=float))
        seen = np.isfinite(heights)
        across = to_x.transform(np.asarray(rows["x"], dtype=float))
        height = np.interp(to_x.transform(np.array([at])), across[seen], heights[seen])
        point = at, float(to_y.inverted().transform(height)[0])
        return self.note(text, point, offset, color, lead=False, **align)

    def end(self, curve: str | Table, text: str, color: str, lift: float = 0.0) -> None:
        """Write beside the last point of a curve, `lift` points above it."""
        rows = self.rows(curve)
        self.label(rows, text, float(rows["x"][-1]), (6.5, lift), color, va="center")

    def note(
        self,
        text: str,
        point: Point,
        offset: Point = (0.0, 4.0),
        color: str = INK,
        *,
        lead: bool = False,
        **align: str,
    ) -> Text:
        """Write near a point.

        Parameters
        ----------
        text : str
        point : tuple of float
        offset : tuple of float
            From the point to the text, in points. The text goes on from there: to the left of
            the point, to the right or, for 0, centred; below, or else above.
        color : str
        lead : bool
            Draw a thin line from the text to the point.
        align : str
            Its ``ha`` or ``va``, where the text does not go on.
        """
        across, up = offset
        sides: Style = {
            "ha": "center" if across == 0 else "left" if across > 0 else "right",
            "va": "top" if up < 0 else "bottom",
        }
        return self.annotate(
            text,
            point,
            xytext=offset,
            textcoords="offset points",
            color=color,
            annotation_clip=False,
            arrowprops=_leader(color) if lead else None,
            **(sides | align),
        )

    def callout(
        self, text: str, point: Point, place: Point, color: str = INK, **align: str
    ) -> None:
        """Write at a place, with a thin line from there to a point."""
        sides: Style = {"ha": "left", "va": "center"} | align
        self.annotate(text, point, place, color=color, arrowprops=_leader(color), **sides)

    def link(
        self,
        start: Point,
        end: Point,
        color: str,
        *,
        dashed: bool,
        gap: float = 0.0,
        bend: float = 0.0,
    ) -> None:
        """Draw an arrow, which leaves a gap of so many points at either end."""
        style: Style = {
            "arrowstyle": "-|>",
            "mutation_scale": 8.5,
            "color": color,
            "linestyle": (0, (3, 1.6)) if dashed else "-",
            "linewidth": 1.3,
            "shrinkA": gap,
            "shrinkB": gap,
            "connectionstyle": f"arc3,rad={bend:g}",
        }
        self.annotate("", end, start, arrowprops=style)

    def shade_gap(self, x: ArrayLike, promised: ArrayLike, true: ArrayLike) -> None:
        """Shade where a curve that promises something lies below the true one."""
        below = np.less(promised, true)
        self.fill_between(x, promised, true, where=below, color=VERMILION, alpha=0.2, linewidth=0)


def add_panel(figure: Figure, rows: int = 1, columns: int = 1, place: int = 1) -> Panel:
    """Return a new panel of a figure, at a place among so many rows and columns."""
    return cast(Panel, figure.add_subplot(rows, columns, place, axes_class=Panel))


def _texts(ticks: Ticks, digits: int | None) -> list[str]:
    if isinstance(ticks, Mapping):
        return [*ticks.values()]
    texts = [_written(tick) if digits is None else f"{tick:.{digits}f}" for tick in ticks]
    return [text.replace("-", "−") for text in texts]


def _written(number: float) -> str:
    """Write a number, a very large or small one as a power of ten."""
    text = f"{number:,g}"
    return power_of_ten(math.log10(number)) if "e" in text else text


def _leader(color: str) -> Style:
    return {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 1}
