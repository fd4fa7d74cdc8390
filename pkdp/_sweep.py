"""Parameter sweeps: tables of a function over a grid, computed on all cores (`pkdp.sweep`).

joblib runs the function. Rows are kept in a journal as they come, so that an interrupted
sweep loses nothing, and written in the grid's order, so that tables do not depend on scheduling.
"""

import csv
import hashlib
import inspect
import io
import json
import math
import os
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product, takewhile
from pathlib import Path
from typing import TypeAlias

from pkdp._checks import (
    as_function,
    as_integer,
    as_mapping,
    as_several,
    as_size,
    is_numpys,
    shown,
)
from pkdp._sources import code_digest, write_whole

Value: TypeAlias = bool | int | float | str
Row: TypeAlias = dict[str, Value]


def sweep(
    function: Callable[..., object],
    grid: Mapping[str, Iterable[object]],
    *,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
) -> dict[str, list[Value]]:
    """Compute the table of a function over a grid of parameters, on all cores.

    With `out`, every result is also written to a journal next to that file, whose name is that of
    the file followed by ``.partial``. If the sweep ends early, the same call later computes only
    the missing results. At the end the table is written, and the journal removed.

    The table does not depend on the number of processes, byte for byte, if the function gives the
    same results wherever it runs. On a terminal, stderr shows how many points are done.

    Parameters
    ----------
    function : callable
        From a point's parameters, given by name, to a number, a text, or a mapping of names to
        numbers and texts; the same names and kinds at every point.
    grid : mapping
        From each parameter's name to its values, numbers or texts. The points are all
        combinations, at most 2,000,000, with the last parameter changing fastest.
    out : path-like, optional
        Where to write the table: ends in ``.csv``.
    workers : int, optional
        The number of processes, in 1…1000; by default one for each core. With 1, no other process
        is started.

    Returns
    -------
    dict of lists
        Columns by name: the parameters, then the results, called ``value`` if they have no names.
        A row for each point, in the grid's order.

    Raises
    ------
    RuntimeError
        If the function fails at a point, which the message names, or if a process dies. Results
        finished before are in the journal.
    ValueError
        If the journal is that of another grid or function, or of a function that has changed.
    OSError
        If a file cannot be written.

    Notes
    -----
    To continue after a failure, let the function catch its errors and return NaN. A journal has the
    digest of the function's text, but not of other functions that it calls: remove the journal if
    one of these has changed.

    joblib runs the processes. ``with joblib.parallel_config("dask", client=client):`` around the
    call runs the processes on a Dask cluster; joblib then waits for ever if workers die at a point
    again and again.

    Examples
    --------
    >>> from pkdp import counting, sweep
    >>> def epsilon(n, lam, delta):
    ...     return counting.worst_case(n, lam=lam).epsilon(delta)
    >>> grid = {"n": [1000, 10_000], "lam": [0.1], "delta": [1e-9, 1e-6]}
    >>> table = sweep(epsilon, grid, workers=1)
    >>> table["n"], [f"{value:.3f}" for value in table["value"]]
    ([1000, 1000, 10000, 10000], ['0.688', '0.483', '0.180', '0.127'])
    """
    points = _points(grid)
    header = _header(function, points)
    if workers is not None:
        as_integer(workers, "workers", 1, 1000)
    target = None if out is None else _target(out)
    journal = None if target is None else target.with_name(f"{target.name}.partial")
    rows = {} if journal is None else _resume(journal, header)
    missing = {number: point for number, point in enumerate(points) if number not in rows}
    with open(journal or os.devnull, "a", encoding="utf-8") as lines:
        for number, row in _computed(function, missing, workers):
            _check(row, points[number], next(iter(rows.values()), row))
            rows[number] = row
            lines.write(json.dumps([number, row]) + "\n")
            lines.flush()
            if sys.stderr.isatty():
                end = "\n" if len(rows) == len(points) else ""
                sys.stderr.write(f"\r{len(rows)} of {len(points)} points {end}")
                sys.stderr.flush()
    whole = [point | rows[number] for number, point in enumerate(points)]
    table = {name: [row[name] for row in whole] for name in whole[0]}
    if target is not None and journal is not None:
        write_whole(target, _csv(table))
        journal.unlink(missing_ok=True)
    return table


# Its name is pkdp.sweep, in the reference too; doctest looks for those of this module.
sweep.__module__ = "pkdp"
__test__ = {"sweep": sweep}


# The points.


def _name(function: Callable[..., object]) -> str:
    as_function(function, "function", "a point's parameters")
    if not hasattr(function, "__qualname__"):
        raise TypeError(f"function must be one that has a name, got {function!r}")
    return f"{function.__module__}.{function.__qualname__}"


def _points(grid: Mapping[str, Iterable[object]]) -> list[Row]:
    columns: list[list[Value]] = []
    for name, values in as_mapping(grid, "grid", "values").items():
        if not isinstance(name, str):
            raise TypeError(f"grid must have names as its keys, got {name!r}")
        several = as_several(values, f"grid[{name!r}]", "values")
        columns.append([_plain(value, f"grid: {name}") for value in several])
    if not as_size(math.prod(map(len, columns)), "points of grid") or not columns:
        raise ValueError(f"grid must have at least one point, and one parameter, got {grid!r}")
    points = [dict(zip(grid, point, strict=True)) for point in product(*columns)]
    for point in points:
        if _kinds(point) != _kinds(points[0]):
            raise TypeError(f"grid must have values of one kind for each parameter, got {point}")
    return points


def _plain(value: object, name: str) -> Value:
    """Return a value as Python's own, which any program can read."""
    if is_numpys(value, "generic"):
        value = value.item()  # type: ignore[attr-defined]
    if type(value) not in (bool, int, float, str):
        raise TypeError(f"{name} must be a number or a text, got {shown(value)}")
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} must be in -2^63…2^63 - 1 if an integer, got {shown(value)}")
    return value  # type: ignore[return-value]


def _kinds(row: Row) -> dict[str, type]:
    # Integers are allowed among floats.
    return {name: float if type(value) is int else type(value) for name, value in row.items()}


def _named(point: Row) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in point.items())


def _target(out: str | os.PathLike[str]) -> Path:
    if not isinstance(out, str | os.PathLike):
        raise TypeError(f"out must be a path, got {out!r}")
    path = Path(out)
    if path.suffix != ".csv":
        raise ValueError(f"out must end in .csv, got {str(path)!r}")
    if path.is_dir():  # found out now, not when all is computed
        raise IsADirectoryError(f"out must be a file, got the folder {str(path)!r}")
    return path


# The journal.


def _header(function: Callable[..., object], points: list[Row]) -> dict[str, str]:
    """Return the first line of a journal, which identifies the function and the grid."""
    name = _name(function)
    try:
        code = code_digest(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError):  # the function was typed in, or is not written in Python
        code = ""
    grid = hashlib.sha256(json.dumps(points).encode()).hexdigest()[:16]
    return {"function": name, "code": code, "grid": grid}


def _resume(journal: Path, header: dict[str, str]) -> dict[int, Row]:
    """Return the rows of a journal by the numbers of their points; start one if there is none."""
    content = journal.read_bytes() if journal.exists() else b""
    content = content[: content.rfind(b"\n") + 1]  # without an unfinished last line
    content = content or json.dumps(header).encode() + b"\n"
    try:
        found, *lines = map(json.loads, content.splitlines())
        different = [key for key, value in header.items() if found[key] != value]
        rows: dict[int, Row] = {number: row for number, row in lines}  # noqa: C416
    except (KeyError, TypeError, ValueError):
        different, rows = ["form"], {}
    if different:
        raise ValueError(
            f"out must not have the journal of another sweep, got {str(journal)!r}, which differs "
            f"in its {' and its '.join(different)}: remove it, or write to another file"
        )
    write_whole(journal, content)
    return rows


# The computation.


def _computed(
    function: Callable[..., object], points: Mapping[int, Row], workers: int | None
) -> Iterator[tuple[int, Row]]:
    """Yield the numbers of points with their rows, in any order.

    After a failure, points that were handed out are finished.
    """
    import joblib
    from joblib.externals.loky import get_reusable_executor

    failures: list[RuntimeError] = []
    left = takewhile(lambda _: not failures, points.items())
    processes = max(1, min(workers or joblib.cpu_count(), len(points)))
    # If this process is killed, the others end so many seconds later.
    parallel = joblib.Parallel(processes, return_as="generator_unordered", idle_worker_timeout=10)
    try:
        for number, row, failure in parallel(
            joblib.delayed(_task)(function, *numbered) for numbered in left
        ):
            if failure is None:
                yield number, row
                continue
            said, where = failure
            point = _named(points[number])
            failures.append(RuntimeError(f"{_name(function)} failed at {point}: {said}"))
            failures[-1].add_note(where)
    finally:
        if processes > 1:  # the next sweep would use modules as these processes have read them
            get_reusable_executor().shutdown()
    if failures:
        raise failures[0]


def _task(
    function: Callable[..., object], number: int, point: Row
) -> tuple[int, Row, tuple[str, str] | None]:
    """Return the number of a point, its row, and how the function failed, if it did."""
    try:
        result = function(**point)
        named = result if isinstance(result, Mapping) else {"value": result}
        row = {name: _plain(value, "function's result") for name, value in named.items()}
        return number, row, None
    except Exception as error:
        # As texts: not every exception can be sent to another process.
        said = "".join(traceback.format_exception_only(error)).strip()
        return number, {}, (said, "".join(traceback.format_exception(error)))


def _check(row: Row, point: Row, first: Row) -> None:
    if row.keys() & point.keys():
        raise ValueError(f"function must not return a parameter's name, got {row}")
    if _kinds(row) != _kinds(first):
        raise ValueError(
            "function must return the same names, and values of one kind for each, got "
            f"{row} at {_named(point)}, and {first} at another point"
        )


def _csv(table: dict[str, list[Value]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode()
