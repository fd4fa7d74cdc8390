"""Tables of the poll before a plebiscite: how many records share some of their answers.

This module needs the extra ``data``, as `pkdp.plebiscite` does. What the tables tell an attacker
is computed by `pkdp.suppressed_tables`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pkdp._checks import as_choices
from pkdp.studies import plebiscite

__all__ = ["COLUMNS", "cells"]

COLUMNS = ("region", "sex", "education", "vote")


def cells(columns: Iterable[str] = COLUMNS) -> Mapping[tuple[str, ...], int]:
    """Return the cells of a table of the poll, and how many records each holds.

    Parameters
    ----------
    columns : iterable of str
        Some of `COLUMNS`, at least one, each once.

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
    names = as_choices(columns, "columns", COLUMNS)
    records = plebiscite.poll()
    counted = Counter(zip(*(records[name].tolist() for name in names), strict=True))
    return MappingProxyType(dict(sorted(counted.items())))
