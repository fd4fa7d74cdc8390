"""Save figures in a folder, and draw only those again that may look different."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pkdp import figures
from pkdp.figures import _stored


def save_all(
    folder: str | os.PathLike[str],
    kinds: Iterable[str] = figures.FORMATS,
    only: Iterable[str] | None = None,
) -> list[Path]:
    """Bring figures in a folder up to date, drawn by other processes.

    Files are called ``figure-NAME.KIND``. Those are drawn that are missing, or older than what they
    are drawn from: the figure's table, and code.

    Parameters
    ----------
    folder : path-like
        Is made if it is not there.
    kinds : iterable of str
        Some of ``pdf``, ``svg``, ``png``, ``csv``; all by default.
    only : iterable of str, optional
        Names of figures; all by default.

    Returns
    -------
    list of Path
        The files that were written, in the order of the book.

    Raises
    ------
    ValueError
        If there is no such figure.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):
    ...         print([file.name for file in save_all(folder, ["csv"], ["vertices"])])
    ['figure-vertices.csv']
    []
    """
    path, kinds = Path(folder), tuple(kinds)
    due: dict[Path, str] = {}
    for name in figures.names() if only is None else only:
        changed = max(source.stat().st_mtime_ns for source in _stored.drawn_from(name))
        for kind in kinds:
            file = path / figures.file_name(name, kind)
            if not file.exists() or file.stat().st_mtime_ns < changed:
                due[file] = name
    if due:
        path.mkdir(parents=True, exist_ok=True)
        # Started afresh, lest they share threads and locks with this process.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=2, mp_context=context) as pool:
            list(pool.map(figures.save, due.values(), due))
    return list(due)
