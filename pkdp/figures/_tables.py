"""Tables that figures draw: columns of equal length, as text in CSV files."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Table: TypeAlias = Mapping[str, "NDArray[Any]"]
"""Columns by name, of equal length, read-only: text (``str``), ``int64`` or ``float64``."""

Blocks: TypeAlias = Iterator[Table]
"""The parts of a table, one below the other."""


def block(**columns: ArrayLike) -> Table:
    """Return one table from columns, scalars repeated to the length of the others.

    Examples
    --------
    >>> block(series="exact", x=[1.0, 2.0], y=[0.5, 0.25])["series"].tolist()
    ['exact', 'exact']
    """
    import numpy as np

    names = list(columns)
    arrays = np.broadcast_arrays(*(np.atleast_1d(column) for column in columns.values()))
    return _frozen({name: np.array(array) for name, array in zip(names, arrays, strict=True)})


def stack(*blocks: Table) -> Table:
    """Return the rows of all blocks, one below the other, with the columns of the first.

    All must have the same columns, in any order.

    Examples
    --------
    >>> stack(block(series="a", x=[1]), block(series="b", x=[2, 3]))["series"].tolist()
    ['a', 'b', 'b']
    """
    import numpy as np

    names = list(blocks[0])
    if any(other.keys() != blocks[0].keys() for other in blocks):
        raise ValueError(f"blocks must all have the columns {names}")
    return _frozen({name: np.concatenate([other[name] for other in blocks]) for name in names})


def select(table: Table, **values: object) -> Table:
    """Return the rows in which each named column has the given value.

    Examples
    --------
    >>> table = stack(block(series="a", x=[1]), block(series="b", x=[2, 3]))
    >>> select(table, series="b")["x"].tolist()
    [2, 3]
    """
    import numpy as np

    rows = np.ones(len(next(iter(table.values()))), dtype=bool)
    for name, value in values.items():
        rows &= table[name] == value
    return _frozen({name: column[rows] for name, column in table.items()})


def seen(table: Table, least: float = -math.inf) -> Table:
    """Return the rows whose y is finite, and at least so large.

    Examples
    --------
    >>> seen(block(x=[1, 2, 3], y=[0.5, 1e-20, float("inf")]), 1e-9)["x"].tolist()
    [1]
    """
    import numpy as np

    rows = np.isfinite(table["y"]) & (table["y"] >= least)
    return _frozen({name: column[rows] for name, column in table.items()})


def curves(x: ArrayLike, heights: Mapping[str, ArrayLike], **columns: ArrayLike) -> Table:
    """Return series that share their x, one below the other, with more columns before them.

    Examples
    --------
    >>> table = curves([1.0, 2.0], {"exact": [0.5, 0.25], "bound": 1.0}, panel="left")
    >>> list(table), table["y"].tolist()
    (['panel', 'series', 'x', 'y'], [0.5, 0.25, 1.0, 1.0])
    """
    return stack(*(block(**columns, series=name, x=x, y=y) for name, y in heights.items()))


def to_csv(table: Table) -> str:
    """Return the table as CSV; numbers with as many digits as it takes to read them back.

    Examples
    --------
    >>> print(to_csv(block(series="exact", x=[1, 2], y=[0.1, float("inf")])), end="")
    series,x,y
    exact,1,0.1
    exact,2,inf
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    # tolist() gives Python's own numbers, whose repr is the shortest that reads back the same.
    writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    return text.getvalue()


def from_csv(text: str) -> Table:
    r"""Return the table written by `to_csv`: integers, floats and text as they were.

    Examples
    --------
    >>> from_csv("series,x,y\nexact,1,0.5\n")["y"]
    array([0.5])
    """
    names, *rows = csv.reader(io.StringIO(text))
    columns = zip(*rows, strict=True)
    return _frozen(
        {name: _typed(list(column)) for name, column in zip(names, columns, strict=True)}
    )


def _typed(cells: list[str]) -> NDArray[Any]:
    import numpy as np

    for kind in (np.int64, np.float64):
        try:
            return np.array(cells).astype(kind)
        except ValueError:
            continue
    return np.array(cells)


def _frozen(columns: dict[str, NDArray[Any]]) -> Table:
    # A stored table is read once: nobody may change what the next caller will draw.
    for column in columns.values():
        column.flags.writeable = False
    return columns
