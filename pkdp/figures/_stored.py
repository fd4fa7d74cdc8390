"""The stored tables of the figures, and how they are kept in step with the code.

What a figure draws is computed once, by its module's ``data()``, and stored beside the modules as
``tables/NAME.csv``, with a record of the code it was computed by (see `pkdp._sources`).
"""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from pkdp._sources import ROOT, changed, digests, modules_read
from pkdp.figures._tables import Table, from_csv, to_csv

FOLDER = Path(__file__).with_name("tables")

# These draw, and no number in a table depends on them.
_DRAW = ("__init__.py", "_drawing.py", "_svg.py")

# A table that differs from the stored one by rounding only is left as it is; by more than the
# second of these, as the tests see it, it is another table.
ROUNDING, TOLERANCE = 1e-12, 1e-6

# The child's whole task; what it prints is read by the parent.
_CHILD = "from pkdp.figures import _stored; _stored._print_computed({name!r})"


class Computed(TypedDict):
    """A table as text, and the digests of the files it was computed by."""

    table: str
    files: dict[str, str]


@functools.cache
def read(name: str) -> Table:
    """Return the stored table of a figure.

    Raises
    ------
    FileNotFoundError
        If there is none yet.
    """
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        raise FileNotFoundError(f"figure {name} has no table yet: `make figures` computes it")
    return _table(path)


def is_current(name: str) -> bool:
    """Return whether the stored table of a figure was computed by the code as it stands."""
    record = _record(name)
    return (FOLDER / f"{name}.csv").exists() and record.exists() and not changed(_files(record))


def drawn_from(name: str) -> dict[str, str]:
    """Return the digests of all that the drawing of a figure depends on: its table, and code."""
    files = [ROOT / file for file in _files(_record(name))]
    files += [FOLDER / f"{name}.csv", FOLDER.with_name("style.mplstyle")]
    return digests([*files, *(FOLDER.with_name(file) for file in _DRAW)])


def update(names: Sequence[str]) -> list[str]:
    """Compute the tables anew whose code has changed, two at a time, and return their names.

    Raises
    ------
    RuntimeError
        If a computation fails, or writes to stderr.
    """
    due = [name for name in names if not is_current(name)]
    with ThreadPoolExecutor(max_workers=2) as pool:  # the work is done by other processes
        for name, computed in zip(due, pool.map(compute, due), strict=True):
            _store(name, computed)
    return due


def compute(name: str) -> Computed:
    """Compute the table of a figure in a process of its own, which reads no more than it needs.

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
    computed: Computed = json.loads(run.stdout)
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
    if list(one) != list(other):
        return f"columns: {list(one)} for {list(other)}"
    for name in one:
        ours, theirs = one[name], other[name]
        if ours.shape != theirs.shape or ours.dtype.kind != theirs.dtype.kind:
            return f"{name}: {ours.size} rows of {ours.dtype} for {theirs.size} of {theirs.dtype}"
        apart = np.flatnonzero(~_same(ours, theirs, tolerance))
        if apart.size:
            row = int(apart[0])
            return f"{name}: {ours[row].item()!r} for {theirs[row].item()!r} in row {row}"
    return None


def _same(ours: NDArray[Any], theirs: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = ours == theirs
    if ours.dtype.kind != "f":
        return equal
    with np.errstate(invalid="ignore"):  # inf - inf
        # No absolute term: a tiny number is a number too.
        near = np.abs(ours - theirs) <= tolerance * np.maximum(np.abs(ours), np.abs(theirs))
    return np.asarray(equal | (near & np.isfinite(ours) & np.isfinite(theirs)))


def _store(name: str, computed: Computed) -> None:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.csv"
    text = computed["table"]
    if not (path.exists() and difference(_table(path), from_csv(text), ROUNDING) is None):
        path.write_text(text, encoding="utf-8", newline="\n")
    _record(name).write_text(
        json.dumps(computed["files"], indent=1) + "\n", encoding="utf-8", newline="\n"
    )
    read.cache_clear()


def _table(path: Path) -> Table:
    return from_csv(path.read_text(encoding="utf-8"))


def _record(name: str) -> Path:
    return FOLDER / f"{name}.json"


def _files(record: Path) -> dict[str, str]:
    files: dict[str, str] = json.loads(record.read_text(encoding="utf-8"))
    return files


def _print_computed(name: str) -> None:
    """Print the table of a figure as `Computed`: the child's task."""
    from pkdp import figures

    text = to_csv(figures.load(name).data())
    drawing = {FOLDER.with_name(file) for file in _DRAW}
    files = digests(path for path in modules_read() if path not in drawing)
    print(json.dumps({"table": text, "files": files}))
