"""k-anonymous tables of a real poll: what they tell, and what they leave out, as k grows.

This module needs the extra ``data``, as the poll before a plebiscite does. What the tables tell an
attacker is computed by `pkdp.partial_knowledge.suppressed_tables`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from pkdp._checks import as_choices
from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DOTTED, GREEN, PURPLE, line
from pkdp.figures.partial_knowledge import plebiscite
from pkdp.partial_knowledge import suppressed_tables

__all__ = ["CELL_COLUMNS", "cells"]

TITLE = "A k-anonymous table of a poll, and what it leaves out"
ALT = (
    "ε at δ = 10⁻⁶ against k from 2 to 100, both logarithmic, for three tables of the poll, each "
    "with a dotted line (at least) and, on the right, a solid one (at most) that all but covers "
    "it. At k = 50 and 70 the three tables nearly agree. All four columns: 3.9 at k = 2, 1.4 at "
    "20, 0.83 at 50, 0.45 at 100, solid from k = 20 on. Without education: 3.6 at k = 2, 0.79 at "
    "50, 0.57 at 100, solid from k = 30 on, where it starts well above the dots, at 1.7. Without "
    "region: 2.8 at k = 2, 0.84 at 50, 0.56 at 100, solid from k = 50 on.",
    "The share of the records that are suppressed against the same k. All four columns: 7 % at "
    "k = 10, 22 % at 20, 70 % at 50, all of them at 100. Without education: 0.5 %, 4 %, 16 % and "
    "49 %. Without region: none, 3 %, 7 % and 21 %.",
)
PANEL_SIZE = (3.4, 2.9)

DELTA = 1e-6
CELL_COLUMNS = ("region", "sex", "education", "vote")
K = (2, 5, 10, 20, 30, 50, 70, 100)
TABLES = {
    "all four columns": CELL_COLUMNS,
    "without education": ("region", "sex", "vote"),
    "without region": ("sex", "education", "vote"),
}


def cells(columns: Iterable[str] = CELL_COLUMNS) -> Mapping[tuple[str, ...], int]:
    """Return the cells of a table of the poll, and how many records each holds.

    Parameters
    ----------
    columns : iterable of str
        Some of `CELL_COLUMNS`, at least one, each once.

    Returns
    -------
    mapping of tuple of str to int
        From the values in these columns to the number of records, in alphabetic order; of 2431
        records in all. Cells without a record are left out.

    Raises
    ------
    ValueError
        If a column is unknown or named twice, there is none, or `columns` is a single text.
    TypeError
        If `columns` is not an iterable of texts.

    References
    ----------
    FLACSO/Chile; data set Chile of the R package carData, by Fox, Weisberg and Price.

    Examples
    --------
    >>> for cell, count in cells(["sex", "vote"]).items():
    ...     print(*cell, count)
    F A 97
    F N 355
    F U 339
    F Y 459
    M A 80
    M N 512
    M U 212
    M Y 377
    """
    names = as_choices(columns, "columns", CELL_COLUMNS)
    records = plebiscite.poll()
    counted = Counter(zip(*(records[name].tolist() for name in names), strict=True))
    return MappingProxyType(dict(sorted(counted.items())))


def data() -> Blocks:
    """Yield what is promised, what is certain to be told, and what is suppressed.

    Yields
    ------
    Table
        Columns ``columns`` (a name of `TABLES`), ``panel``, ``series``, ``x`` (k) and ``y``. Panel
        ``eps``: ε at one δ, for the series ``upper`` (where it is finite) and ``lower``. Panel
        ``suppressed``: the share of records. Panel ``proof``: for the series ``hidden`` the number
        of cells that the proof of ``upper`` takes for hidden, for ``eta`` what that costs of δ,
        where it is finite.
    """
    for name, columns in TABLES.items():
        counts = list(cells(columns).values())
        found = [(k, suppressed_tables.epsilon(counts, k=k, delta=DELTA)) for k in K]
        x, finite = zip(*((k, one) for k, one in found if np.isfinite(one.eps)), strict=True)
        lower = [suppressed_tables.least_epsilon(counts, k=k, delta=DELTA) for k in K]
        share = [suppressed_tables.suppressed(counts, k=k)[0] for k in K]
        proof = {
            "hidden": [float(one.hidden) for one in finite],
            "eta": [one.eta for one in finite],
        }
        yield curves(x, {"upper": [one.eps for one in finite]}, columns=name, panel="eps")
        yield curves(K, {"lower": lower}, columns=name, panel="eps")
        yield curves(K, {"records": share}, columns=name, panel="suppressed")
        yield curves(x, proof, columns=name, panel="proof")


def draw(axes: Panels) -> None:
    """Draw ε on the first panel and the suppressed share on the second."""
    eps, suppressed = panels(axes, "What the table tells", "What it leaves out")
    eps.log_x("k", (1.85, 108), [2, 5, 10, 20, 50, 100])
    eps.log_y("ε at δ = 10⁻⁶", (0.4, 5), [0.5, 1, 2, 4])
    suppressed.log_x("k", (1.85, 260), [2, 5, 10, 20, 50, 100])  # room for two names
    percents = {0: "0", 0.25: "25 %", 0.5: "50 %", 0.75: "75 %", 1: "100 %"}
    suppressed.y("suppressed records", (-0.01, 1.02), percents)
    for name, colour, series, at, offset in (
        ("all four columns", BLUE, "lower", 4, (5, 5)),
        ("without education", PURPLE, "upper", 30, (0, 9)),
        ("without region", GREEN, "lower", 8, (-1, -14)),
    ):
        eps.curve(eps.rows("upper", columns=name), line(colour, width=1.7))
        eps.curve(eps.rows("lower", columns=name), line(colour, DOTTED, 1.7))
        eps.label(eps.rows(series, columns=name), name, at, offset, colour, va="bottom")
        share = suppressed.rows(columns=name)
        suppressed.curve(share, line(colour, width=1.7))
        if name == "all four columns":
            suppressed.label(share, name, 40, (-7, 0), colour)
        else:
            suppressed.end(share, name.replace(" ", "\n"), colour)
    eps.text(2.1, 0.47, "solid: at most\ndotted: at least", va="bottom")
