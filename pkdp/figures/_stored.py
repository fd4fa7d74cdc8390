"""Stored tables of the figures, and how they are kept up to date with the code.

What a figure draws is computed once, by its module's ``data()``, and stored beside the modules as
``tables/NAME.csv``; ``tables.lock`` says by which code (see `pkdp._sources`). Names are those of
`names`, or with the paper's name before them.
"""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pkdp._sources import ROOT, Record, lock, locked, modules_read, record, write_whole
from pkdp.figures._registry import as_name, load, table_file
from pkdp.figures._tables import Table, from_csv, stack, to_csv

HERE = Path(__file__).parent
FOLDER = HERE  # the papers' folders are there, each with its tables
LOCK = "tables.lock"

# These draw, and no number in a table depends on them.
_DRAW = ("__init__.py", "_drawing.py", "_palette.py", "_panel.py", "_svg.py")

# A table that differs from the stored one by rounding only is left as it is; by more than the
# second of these, as the tests see it, it is another table.
ROUNDING, TOLERANCE = 1e-12, 1e-6

# These take longest, five seconds and more: begun first, lest one runs alone at the end.
_LONGEST = ("plebiscite", "microdata", "noiseless/group-profiles", "noiseless/wages")

# The child's whole task; what it prints is read by the parent.
_CHILD = "from pkdp.figures import _stored; _stored._print_computed({name!r})"


def read(name: str) -> Table:
    """Return the stored table of a figure.

    Raises
    ------
    FileNotFoundError
        If there is none yet.
    """
    return _read(as_name(name))


@functools.cache
def _read(name: str) -> Table:
    path = _path(name)
    if not path.exists():
        raise FileNotFoundError(f"figure {name} has no table yet: `make figures` computes it")
    return _table(path)


def is_current(name: str) -> bool:
    """Return whether the stored table of a figure was computed by the code as it stands."""
    known = locked(FOLDER / LOCK).get(as_name(name))
    return known is not None and known.is_current() and _path(name).exists()


def drawn_from(name: str) -> list[Path]:
    """Return the files that the drawing of a figure depends on: its table, and code."""
    files = [ROOT / file for file in locked(FOLDER / LOCK)[as_name(name)].files]
    files += [_path(name), HERE / "style.mplstyle", *(HERE / file for file in _DRAW)]
    return [file for file in files if file.is_file()]


def update(names: Sequence[str]) -> list[str]:
    """Compute the tables anew whose code has changed, on all cores, and return their names.

    Raises
    ------
    RuntimeError
        If a computation fails, or writes to stderr. Nothing is stored then.
    """
    from pkdp._sweep import sweep  # who only reads tables does without

    due = [name for name in names if not is_current(name)]
    if due:
        computed = sweep(compute, {"name": sorted(due, key=lambda name: name not in _LONGEST)})
        records = locked(FOLDER / LOCK)
        rows = zip(computed["name"], computed["table"], computed["record"], strict=True)
        for name, table, text in (map(str, row) for row in rows):
            _store(name, table)
            records[as_name(name)] = Record.read(text)
        lock(FOLDER / LOCK, records)
        _read.cache_clear()
    return due


def computed(name: str) -> Table:
    """Return the table of a figure, computed now and here."""
    return stack(*load(name).data())


def compute(name: str) -> dict[str, str]:
    """Compute the table of a figure, and return it and its record, as texts.

    A process of its own does it, which reads no more than it needs.

    Raises
    ------
    RuntimeError
        If that fails, or writes to stderr.
    """
    run = subprocess.run(
        [sys.executable, "-c", _CHILD.format(name=name)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode or run.stderr:
        raise RuntimeError(f"figure {name} cannot be computed:\n{run.stderr}")
    computed: dict[str, str] = json.loads(run.stdout)
    return computed


def difference(one: Table, other: Table, tolerance: float) -> str | None:
    r"""Say where two tables differ, or None if they do not.

    Parameters
    ----------
    one, other : Table
    tolerance : float
        By how large a part of the larger one floats may differ; text and integers may not.

    Examples
    --------
    >>> one, other = from_csv("x,y\n1,0.5\n"), from_csv("x,y\n1,0.500001\n")
    >>> difference(one, other, 1e-5), difference(one, other, 1e-7)
    (None, 'y: 0.5 for 0.500001 in row 0')
    """
    import numpy as np

    if list(one) != list(other):
        return f"columns: {list(one)} for {list(other)}"
    for name in one:
        ours, theirs = one[name], other[name]
        if ours.shape != theirs.shape or ours.dtype.kind != theirs.dtype.kind:
            return f"{name}: {ours.size} rows of {ours.dtype} for {theirs.size} of {theirs.dtype}"
        same = ours == theirs
        if ours.dtype.kind == "f":
            # No absolute term: a tiny number is a number too.
            same = np.isclose(ours, theirs, tolerance, 0.0)
            same |= np.isclose(theirs, ours, tolerance, 0.0)
        apart = np.flatnonzero(~same)
        if apart.size:
            row = int(apart[0])
            return f"{name}: {ours[row].item()!r} for {theirs[row].item()!r} in row {row}"
    return None


def _store(name: str, table: str) -> None:
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not (path.exists() and difference(_table(path), from_csv(table), ROUNDING) is None):
        write_whole(path, table.encode())


def _table(path: Path) -> Table:
    return from_csv(path.read_text(encoding="utf-8"))


def _path(name: str) -> Path:
    return table_file(as_name(name), FOLDER)


def _print_computed(name: str) -> None:
    """Print what `compute` returns: the child's task."""
    table = to_csv(computed(name))
    drawing = {HERE / file for file in _DRAW}
    files = record(path for path in modules_read() if path not in drawing)
    print(json.dumps({"table": table, "record": str(files)}))
