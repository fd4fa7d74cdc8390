"""Every figure of the book: one module each, drawn, saved and shown by the functions here.

A figure module has a ``NAME`` (what people type), a ``TITLE``, one text in ``ALT`` for each
panel, ``COLUMNS`` and ``PANEL_SIZE`` (width and height in inches), and two functions:
``data()`` computes the table that is drawn, and ``draw(axes, data)`` only draws.

The tables are stored beside the modules, and figures are drawn from them; `make figures` computes
those anew whose code has changed.
"""

import html
import importlib
import io
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from pkdp.figures import _stored, _svg
from pkdp.figures._tables import Table, to_csv

STYLE = Path(__file__).with_name("style.mplstyle")
FORMATS = ("pdf", "svg", "png", "csv")

# In the order of the book.
_MODULES = {
    "posterior-bounds": "posterior_bounds",
    "laplace": "laplace",
    "geometric-utility": "geometric_utility",
    "herd": "herd",
    "dependence": "dependence",
    "inference": "inference",
    "average": "average",
    "lattice": "lattice",
    "example-6": "example_6",
    "1": "figure_1",
    "loss": "loss",
    "example-7": "example_7",
    "theorem-1": "theorem_1",
    "reducible": "reducible",
    "shifted-laws": "shifted_laws",
    "vertices": "vertices",
    "slip-ladder": "slip_ladder",
    "3": "figure_3",
    "referendum": "referendum",
    "proposition-7": "proposition_7",
    "2": "figure_2",
    "growth": "growth",
    "histograms": "histograms",
    "crowds": "crowds",
    "plebiscite": "plebiscite",
    "censored-laws": "censored_laws",
    "threshold-profiles": "threshold_profiles",
    "4": "figure_4",
    "passive-knowledge": "passive_knowledge",
    "known-records": "known_records",
    "decisions": "decision_chart",
    "threshold-alone": "threshold_alone",
    "theorem-5": "theorem_5",
    "absent": "absent",
    "microdata": "microdata",
    "overlap": "overlap",
    "shared-coin": "shared_coin",
    "daily-growth": "daily_growth",
    "releases": "releases",
    "5": "figure_5",
    "6": "figure_6",
    "noise-plane": "noise_plane",
    "chains": "chains",
}

# Dates and versions would make two runs differ.
_METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}


class FigureModule(Protocol):
    """What a figure module offers."""

    NAME: str
    TITLE: str
    ALT: tuple[str, ...]
    COLUMNS: int
    PANEL_SIZE: tuple[float, float]

    def data(self) -> Table:
        """Compute the table that is drawn."""
        ...

    def draw(self, axes: Sequence[Axes], data: Table) -> None:
        """Draw the table on the panels."""
        ...


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


def names() -> tuple[str, ...]:
    """Return the names of all figures, in the order of the book.

    Examples
    --------
    >>> names()[:3]
    ('posterior-bounds', 'laplace', 'geometric-utility')
    """
    return tuple(_MODULES)


def load(name: str) -> FigureModule:
    """Return the module of a figure.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    FigureModule

    Raises
    ------
    ValueError
        If there is no such figure.

    Examples
    --------
    >>> load("3").NAME
    '3'
    """
    if name not in _MODULES:
        raise ValueError(f"figure must be one of {', '.join(names())}, got {name!r}")
    return cast(FigureModule, importlib.import_module(f"pkdp.figures.{_MODULES[name]}"))


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
    ['panel', 'eps', 'x', 'y']
    """
    load(name)
    return _stored.read(name)


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
    module = load(name)
    rows = -(-len(module.ALT) // module.COLUMNS)
    width, height = module.PANEL_SIZE
    with matplotlib.rc_context(fname=STYLE):
        figure = Figure(
            figsize=(width * module.COLUMNS, height * rows),
            layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08),
        )
        axes = [
            figure.add_subplot(rows, module.COLUMNS, panel + 1) for panel in range(len(module.ALT))
        ]
        module.draw(axes, module.data() if anew else table(name))
    return figure


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
    module = load(name)
    kind = target.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"path must end in .{', .'.join(FORMATS)}, got {str(target)!r}")
    if kind == "csv":
        content = to_csv(module.data() if anew else table(name)).encode()
    else:
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
    module = load(name)
    figures, axes = [], []
    with matplotlib.rc_context(fname=STYLE):
        for _ in module.ALT:
            figure = Figure(figsize=module.PANEL_SIZE, layout="constrained")
            figures.append(figure)
            axes.append(figure.add_subplot())
        module.draw(axes, table(name))
        headings = [panel.get_title(loc="left") or module.TITLE for panel in axes]
        drawings = _svg.inline(
            figures, f"pkdp-{name}", list(zip(headings, module.ALT, strict=True))
        )
    width = module.PANEL_SIZE[0]
    grid = (
        f"display:grid;gap:1rem;max-width:{width * module.COLUMNS * 8.5:.4g}rem;margin:0 auto;"
        f"grid-template-columns:repeat(auto-fit,minmax(min(100%,{width * 6:.4g}rem),1fr))"
    )
    markup = (
        f'<figure class="pkdp-figure" aria-label="{html.escape(module.TITLE)}" style="{grid}">\n'
        + "\n".join(drawings)
        + "\n</figure>"
    )
    return InlineFigure(name, module.TITLE, markup)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file, or leave what was there if that fails."""
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
