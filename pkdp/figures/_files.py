"""A folder of drawn figures, in which only those are drawn again that would look different."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import matplotlib

from pkdp import figures
from pkdp._sources import write_whole
from pkdp.figures import _stored


class Folder:
    """Files ``figure-NAME.KIND``, drawn by other processes while this one goes on.

    It keeps a record of what each file was drawn from: the figure's table, and code.

    Parameters
    ----------
    path : path-like
        Is made when the first file is drawn.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as path:
    ...     for _ in range(2):
    ...         folder = Folder(path)
    ...         folder.draw("vertices", ["csv"])
    ...         print([file.name for file in folder.finish()])
    ['figure-vertices.csv']
    []
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._record = self._path / ".drawn.json"
        self._drawn: dict[str, str] = (
            json.loads(self._record.read_text(encoding="utf-8")) if self._record.exists() else {}
        )
        self._due: dict[Path, tuple[str, Future[None]]] = {}
        self._pool: ProcessPoolExecutor | None = None

    def draw(self, name: str, kinds: Iterable[str]) -> None:
        """Begin to draw a figure, but for the files that are there and up to date.

        Parameters
        ----------
        name : str
            One of `pkdp.figures.names`.
        kinds : iterable of str
            Some of ``pdf``, ``svg``, ``png`` and ``csv``.

        Raises
        ------
        ValueError
            If there is no such figure.
        OSError
            If the folder cannot be made.
        """
        figures.load(name)
        sources = {"matplotlib": matplotlib.__version__, **_stored.drawn_from(name)}
        digest = hashlib.sha256(json.dumps(sources).encode()).hexdigest()
        for kind in kinds:
            path = self._path / figures.file_name(name, kind)
            current = path.exists() and self._drawn.get(path.name) == digest
            if not current and path not in self._due:
                self._path.mkdir(parents=True, exist_ok=True)
                if self._pool is None:
                    # Started afresh, lest they share threads and locks with this process.
                    context = multiprocessing.get_context("spawn")
                    self._pool = ProcessPoolExecutor(max_workers=2, mp_context=context)
                self._due[path] = digest, self._pool.submit(figures.save, name, path)

    def finish(self) -> list[Path]:
        """Wait for what was begun, and return the files that were written.

        Raises
        ------
        OSError
            If a file cannot be written; the record then has none of those begun.
        """
        due, self._due = self._due, {}
        if self._pool is None:
            return []
        with self._pool:
            self._pool = None
            for _, written in due.values():
                written.result()
        self._drawn |= {path.name: digest for path, (digest, _) in due.items()}
        write_whole(self._record, json.dumps(self._drawn, indent=1).encode())
        return list(due)


def save_all(
    folder: str | os.PathLike[str],
    kinds: Iterable[str] = figures.FORMATS,
    only: Iterable[str] | None = None,
) -> list[Path]:
    """Bring figures in a folder up to date.

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
    """
    drawings, kinds = Folder(folder), tuple(kinds)
    for name in figures.names() if only is None else only:
        drawings.draw(name, kinds)
    return drawings.finish()
