"""Save figures in a folder, and draw only those again that would look different."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import matplotlib

from pkdp import figures
from pkdp._sources import write_whole
from pkdp.figures import _stored


def save_all(
    folder: str | os.PathLike[str],
    kinds: Iterable[str] = figures.FORMATS,
    only: Iterable[str] | None = None,
) -> list[Path]:
    """Bring figures in a folder up to date, drawn by other processes.

    Files are called ``figure-NAME.KIND``. The folder keeps a record of what each was drawn from:
    the figure's table, and code.

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
        If a file cannot be written; the record then has none of those begun.

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
    record = path / ".drawn.json"
    drawn = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    due: dict[str, tuple[str, str]] = {}
    for name in figures.names() if only is None else only:
        sources = {"matplotlib": matplotlib.__version__, **_stored.drawn_from(name)}
        digest = hashlib.sha256(json.dumps(sources).encode()).hexdigest()
        for kind in kinds:
            file = figures.file_name(name, kind)
            if not (path / file).exists() or drawn.get(file) != digest:
                due[file] = name, digest
    if due:
        path.mkdir(parents=True, exist_ok=True)
        # Started afresh, lest they share threads and locks with this process.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=2, mp_context=context) as pool:
            names = [name for name, _ in due.values()]
            list(pool.map(figures.save, names, [path / file for file in due]))
        drawn |= {file: digest for file, (_, digest) in due.items()}
        write_whole(record, json.dumps(drawn, indent=1).encode())
    return [path / file for file in due]
