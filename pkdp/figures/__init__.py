"""Figures of the book, one module each: draw, save and show them with the functions here.

A folder holds the figures of a paper: a module each, and ``tables/``; ``names.txt`` lists the
figures of all papers. A figure module has a ``TITLE``, one text in ``ALT`` for each panel, and two
functions: ``data()`` yields the parts of the table that is drawn, one below the other, and
``draw(axes)`` only draws, on axes of matplotlib that know the table as well
(`pkdp.figures._panel`). It may say how many panels are in a row, ``COLUMNS``, and ``PANEL_SIZE``,
their width and height in inches.

The tables are stored, and figures are drawn from them; `make figures` computes those anew whose
code has changed. Only drawing imports matplotlib: a page can use what a figure's module computes
without it.
"""

from __future__ import annotations

import html
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pkdp._sources import write_whole
from pkdp.figures import _stored, _svg
from pkdp.figures._registry import file_name, layout, load, names
from pkdp.figures._tables import Table, to_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pkdp.figures._drawing import Panels

__all__ = [
    "FORMATS",
    "STYLE",
    "InlineFigure",
    "file_name",
    "load",
    "names",
    "render",
    "save",
    "show",
    "table",
]

STYLE = Path(__file__).with_name("style.mplstyle")
FORMATS = ("pdf", "svg", "png", "csv")

# Dates and versions would make two runs differ.
_METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}


@dataclass(frozen=True)
class InlineFigure:
    """A figure as a notebook or a page shows it: SVG that follows the page's colours.

    Attributes
    ----------
    name, title : str
        Of the figure.
    markup : str
        The HTML.
    """

    name: str
    title: str
    markup: str = field(repr=False)

    def _repr_html_(self) -> str:
        return self.markup


def table(name: str) -> Table:
    """Return the stored table of a figure, the one that is drawn.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Table
        Columns by name, of equal length, read-only.

    Raises
    ------
    ValueError
        If there is no such figure.
    FileNotFoundError
        If its table has not been computed yet.

    Examples
    --------
    >>> list(table("vertices"))
    ['panel', 'eps', 'x', 'other', 'y']
    """
    load(name)
    return _stored.read(name)


def _table(name: str, anew: bool) -> Table:
    return _stored.computed(name) if anew else table(name)


def render(name: str, *, anew: bool = False) -> Figure:
    """Draw a figure, all panels on one sheet.

    Parameters
    ----------
    name : str
        One of `names`.
    anew : bool
        Compute the table now, in place of the stored one.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        If there is no such figure.

    Examples
    --------
    >>> len(render("shifted-laws").axes)
    2
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from pkdp.figures._panel import add_panel

    module = load(name)
    columns, (width, height) = layout(module)
    rows = -(-len(module.ALT) // columns)
    with matplotlib.rc_context(fname=STYLE):
        figure = Figure(
            figsize=(width * columns, height * rows),
            layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08),
        )
        axes = [add_panel(figure, rows, columns, 1 + place) for place in range(len(module.ALT))]
        _draw(module, axes, _table(name, anew))
    return figure


def _draw(module: ModuleType, axes: Panels, table: Table) -> None:
    for panel in axes:
        panel.data = table
    module.draw(axes)


def save(name: str, path: str | os.PathLike[str], *, anew: bool = False) -> None:
    """Write a figure, or with ``.csv`` the table it draws, to a file.

    The same code gives the same bytes on the same machine. A file is written whole or not
    at all.

    Parameters
    ----------
    name : str
        One of `names`.
    path : path-like
        Ends in ``.pdf``, ``.svg``, ``.png`` or ``.csv``; its folder must exist.
    anew : bool
        Compute the table now, in place of the stored one.

    Raises
    ------
    ValueError
        If there is no such figure or format.
    OSError
        If the file cannot be written.
    """
    target = Path(path)
    kind = target.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"path must end in .{', .'.join(FORMATS)}, got {str(target)!r}")
    if kind == "csv":
        content = to_csv(_table(name, anew)).encode()
    else:
        import matplotlib

        buffer = io.BytesIO()
        figure = render(name, anew=anew)
        with matplotlib.rc_context(fname=STYLE):
            figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
        content = buffer.getvalue()
    write_whole(target, content)


def show(name: str) -> InlineFigure:
    """Return a figure for a notebook or a page, each panel its own drawing.

    Panels stand side by side where there is room and below each other where there is not;
    text and frame take the colour of the surrounding text.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    InlineFigure

    Raises
    ------
    ValueError
        If there is no such figure.

    Examples
    --------
    >>> show("vertices")
    InlineFigure(name='vertices', title='The worst case sits at a vertex')
    """
    import matplotlib
    from matplotlib.figure import Figure

    from pkdp.figures._panel import add_panel

    module = load(name)
    columns, size = layout(module)
    with matplotlib.rc_context(fname=STYLE):
        figures = [Figure(figsize=size, layout="constrained") for _ in module.ALT]
        axes = [add_panel(figure) for figure in figures]
        _draw(module, axes, table(name))
        headings = [panel.get_title(loc="left") or module.TITLE for panel in axes]
        texts = list(zip(headings, module.ALT, strict=True))
        drawings = _svg.inline(figures, _svg.short(name), texts)
    grid = (
        f"display:grid;gap:1rem;max-width:{size[0] * columns * 8.5:.4g}rem;margin:0 auto;"
        f"grid-template-columns:repeat(auto-fit,minmax(min(100%,{size[0] * 6:.4g}rem),1fr))"
    )
    markup = (
        f'<figure class="pkdp-figure" aria-label="{html.escape(module.TITLE)}" style="{grid}">\n'
        + "\n".join(drawings)
        + "\n</figure>"
    )
    return InlineFigure(name, module.TITLE, markup)
