"""Save figures in a folder, and draw only those again that may look different."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pkdp import figures
from pkdp.figures import _stored


def save_all(folder: str | os.PathLike[str]) -> list[Path]:
    """Bring figures in a folder up to date, drawn by other processes.

    Files are called ``figure-NAME.KIND``, of all `pkdp.figures.FORMATS`. Those are drawn that are
    missing, or older than what they are drawn from: the figure's table, and code.

    Parameters
    ----------
    folder : path-like
        Is made if it is not there.

    Returns
    -------
    list of Path
        The files that were written, in the order of the book.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    path = Path(folder)
    due: dict[Path, str] = {}
    for name in figures.names():
        changed = max(source.stat().st_mtime_ns for source in _stored.drawn_from(name))
        for kind in figures.FORMATS:
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
