"""Tables of a function over a grid of parameters, on all cores or on a cluster: `pkdp.sweep`.

Points are handed out in tasks of about a second. Rows are kept in a journal as they come, so that
nothing is lost with a process, and written in the grid's order, so that nobody can tell from a
table who computed what.
"""

from __future__ import annotations

import csv
import hashlib
import importlib
import inspect
import io
import json
import math
import multiprocessing
import os
import pickle
import sys
import tempfile
import textwrap
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import chain, product
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from pkdp._checks import (
    as_function,
    as_instance,
    as_integer,
    as_mapping,
    as_several,
    as_size,
    is_numpys,
    shown,
)
from pkdp._sources import code_digest, write_whole

if TYPE_CHECKING:
    from distributed import Client

Value: TypeAlias = bool | int | float | str
Row: TypeAlias = dict[str, Value]

# A task goes on to further points for so long. It costs a millisecond, on a cluster ten.
_SECONDS = 1.0

# So often processes may die; after that it is taken for the fault of a point. Dask counts, too.
_DEATHS, _DASKS = 3, "KilledWorker"


def sweep(
    function: Callable[..., object],
    grid: Mapping[str, Iterable[object]] | Iterable[Mapping[str, object]],
    *,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    client: Client | None = None,
    progress: bool = True,
) -> dict[str, list[Value]]:
    """Return the table of a function over a grid of parameters, computed on all cores.

    With `out`, every result is also kept in a journal beside that file, ``out`` with ``.partial``
    behind it. If the sweep ends early, the same call later computes only what is missing. At the
    end the table is written, and the journal removed.

    The table is the same, byte for byte, however it was computed, if the function gives the same
    results wherever it runs.

    Parameters
    ----------
    function : callable
        Gets a point's parameters by name, and returns a number, a text, or a mapping of names to
        such; the same names and kinds at every point. Other processes must be able to import it.
    grid : mapping or iterable of mappings
        From each parameter's name to its values, of which all combinations are meant, the last
        parameter changing fastest; or the points themselves, each a mapping from the same names
        to values. Values are numbers or texts. At most 2,000,000 points.
    out : path-like, optional
        Where to write the table: ends in ``.csv``, or in ``.parquet``, where NaN is a missing
        value.
    workers : int, optional
        How many processes compute, in 1…1000; by default one for each core. With 1 it is this one.
    client : distributed.Client, optional
        Of a Dask cluster, which then computes in place of own processes.
    progress : bool
        Show how far it is on stderr, if that is a terminal.

    Returns
    -------
    dict of lists
        Columns by name: the parameters, then what the function returns, which is ``value`` if that
        has no name. A row for each point, in the grid's order.

    Raises
    ------
    RuntimeError
        If the function fails at a point, which is named, or if processes die again and again.
        What was finished before is in the journal.
    ValueError
        If the journal is that of another grid or function, or of a function that has changed.
    ImportError
        If Parquet's library is not installed: the extra ``parquet`` has it.
    OSError
        If a file cannot be written.

    Notes
    -----
    Processes start afresh and import the module of the function. A script must therefore call this
    below ``if __name__ == "__main__":``. To go on where the function fails, let it catch its errors
    and return NaN. A journal knows the text of the function, not of what it calls: remove it if
    that has changed.

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
    processes = _cores() if workers is None else as_integer(workers, "workers", 1, 1000)
    if client is not None and workers is not None:
        raise ValueError(f"workers must be None where a client is given, got {workers!r}")
    if client is not None and not hasattr(client, "get_executor"):
        raise TypeError(f"client must be a distributed.Client, got {client!r}")
    visible = as_instance(progress, "progress", bool) and sys.stderr.isatty()
    target = None if out is None else _target(out)
    journal = None if target is None else target.with_name(f"{target.name}.partial")
    rows = {} if journal is None else _resume(journal, header)
    processes = min(processes, len(points) - len(rows))
    if client is None and processes > 1:
        _check_importable(function)

    with (
        open(journal or os.devnull, "a", encoding="utf-8") as lines,
        _bar(len(points), len(rows), visible) as draw,
    ):
        _Computation(function, points, rows, lines, draw).run(*_engine(processes, client))
    whole = [point | rows[number] for number, point in enumerate(points)]
    table = {name: [row[name] for row in whole] for name in whole[0]}
    if target is not None and journal is not None:
        write_whole(target, _parquet(table) if target.suffix == ".parquet" else _csv(table))
        journal.unlink(missing_ok=True)
    return table


# Its name is pkdp.sweep, in the reference too; doctest looks for those of this module.
sweep.__module__ = "pkdp"
__test__ = {"sweep": sweep}


# What is asked for.


def _name(function: Callable[..., object]) -> str:
    as_function(function, "function", "a point's parameters")
    if not hasattr(function, "__qualname__"):
        raise TypeError(f"function must be one that has a name, got {function!r}")
    return f"{function.__module__}.{function.__qualname__}"


def _points(
    grid: Mapping[str, Iterable[object]] | Iterable[Mapping[str, object]],
) -> list[Row]:
    """Return the points of a grid, which all have the same parameters, in the same order."""
    if isinstance(grid, Mapping):
        values = [as_several(column, f"grid[{name!r}]", "values") for name, column in grid.items()]
        as_size(math.prod(map(len, values)), "points of grid")
        given = [dict(zip(grid, point, strict=True)) for point in product(*values)]
    else:
        several = as_several(grid, "grid", "mappings, or a mapping")
        given = [dict(as_mapping(point, "each point of grid", "values")) for point in several]
        as_size(len(given), "points of grid")
    if not given or not given[0]:
        raise ValueError(f"grid must have at least one point, and one parameter, got {grid!r}")
    for name in given[0]:
        if not isinstance(name, str):
            raise TypeError(f"grid must have names as its keys, got {name!r}")
    points: list[Row] = []
    for point in given:
        if point.keys() != given[0].keys():
            raise ValueError(f"grid must have the parameters {list(given[0])} in all, got {point}")
        points.append({name: _plain(point[name], f"grid: {name}") for name in given[0]})
        if _kinds(points[-1]) != _kinds(points[0]):
            raise TypeError(f"grid must have values of one kind for each parameter, got {point}")
    return points


def _plain(value: object, name: str) -> Value:
    """Return a value as Python's own, which every kind of file can hold."""
    if is_numpys(value, "generic"):
        value = value.item()  # type: ignore[attr-defined]
    if type(value) not in (bool, int, float, str):
        raise TypeError(f"{name} must be a number or a text, got {shown(value)}")
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} must be in -2^63…2^63 - 1 if an integer, got {shown(value)}")
    return value  # type: ignore[return-value]


def _kinds(row: Row) -> dict[str, type]:
    # Integers may stand among floats.
    return {name: float if type(value) is int else type(value) for name, value in row.items()}


def _named(point: Row) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in point.items())


def _target(out: str | os.PathLike[str]) -> Path:
    if not isinstance(out, str | os.PathLike):
        raise TypeError(f"out must be a path, got {out!r}")
    path = Path(out)
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"out must end in .csv or .parquet, got {str(path)!r}")
    if path.is_dir():  # found out now, not when all is computed
        raise IsADirectoryError(f"out must be a file, got the folder {str(path)!r}")
    if path.suffix == ".parquet":
        _duckdb()
    return path


# The journal.


def _header(function: Callable[..., object], points: list[Row]) -> dict[str, str]:
    """Return the first line of a journal: what its rows were computed by, and where."""
    name = _name(function)
    try:
        code = code_digest(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError):  # there is no text of what was typed in, or is not in Python
        code = ""
    grid = hashlib.sha256(json.dumps(points).encode()).hexdigest()[:16]
    return {"function": name, "code": code, "grid": grid}


def _resume(journal: Path, header: dict[str, str]) -> dict[int, Row]:
    """Return the rows of a journal, which is begun if there is none, by their points' numbers."""
    content = journal.read_bytes() if journal.exists() else b""
    content = content[: content.rfind(b"\n") + 1]  # without a last line that was not finished
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


# What is done.

# What becomes of a task: rows of its first points, and how the next one failed, if it did.
_Done: TypeAlias = tuple[list[Row], tuple[str, str] | None]


@dataclass(frozen=True)
class _Computation:
    """The points and the rows of those that are done, which are written as they come."""

    function: Callable[..., object]
    points: list[Row]
    rows: dict[int, Row]
    journal: TextIO
    draw: Callable[[int], None]

    def run(
        self, start: Callable[[], AbstractContextManager[Executor]], places: Callable[[], int]
    ) -> None:
        """Compute all points that have no row.

        Where processes die, new ones are started, and get the points one by one: little is lost if
        it happens again, and it is known at which points.
        """
        deaths = 0
        while missing := [n for n in range(len(self.points)) if n not in self.rows]:
            running: dict[Future[_Done], list[int]] = {}
            try:
                with start() as executor:
                    most = 1 if deaths else len(missing)
                    self._hand_out(deque(missing), running, most, executor, places)
            except Exception as error:
                # Dask's, when a task was the last of several workers, is not imported for this.
                if not isinstance(error, BrokenProcessPool) and type(error).__name__ != _DASKS:
                    raise
                deaths += 1
                if deaths > _DEATHS:
                    at = "; ".join(_named(self.points[n]) for n in chain(*running.values()))
                    raise RuntimeError(
                        f"processes died {deaths} times, at last while they computed {at}. They "
                        "must be able to import the function, and a script must call sweep below "
                        'if __name__ == "__main__"'
                    ) from error

    def _hand_out(
        self,
        queue: deque[int],
        running: dict[Future[_Done], list[int]],
        most: int,
        executor: Executor,
        places: Callable[[], int],
    ) -> None:
        """Make tasks of a queue of points, `most` in each, and keep what comes of them."""
        share, failure = 1, None
        while queue or running:
            workers = places()
            while queue and len(running) < workers:
                # Towards the end fewer, lest one worker be left with many.
                fair = -(-len(queue) // (4 * workers))
                numbers = [queue.popleft() for _ in range(min(share, fair, most))]
                task = executor.submit(_task, self.function, [self.points[n] for n in numbers])
                running[task] = numbers
            for task in wait(running, return_when=FIRST_COMPLETED).done:
                rows, error = task.result()
                numbers = running.pop(task)
                self._keep(numbers, rows)
                queue.extendleft(reversed(numbers[len(rows) :]))
                share = 2 * len(rows)
                if error and failure is None:
                    said, where = error
                    point = _named(self.points[numbers[len(rows)]])
                    failure = RuntimeError(f"{_name(self.function)} failed at {point}: {said}")
                    failure.add_note(where)
            if failure:
                queue.clear()  # what others are about to finish is kept
        if failure:
            raise failure

    def _keep(self, numbers: list[int], rows: list[Row]) -> None:
        for number, row in zip(numbers, rows, strict=False):
            point, first = self.points[number], next(iter(self.rows.values()), row)
            if row.keys() & point.keys():
                raise ValueError(f"function must not return a parameter's name, got {row}")
            if _kinds(row) != _kinds(first):
                raise ValueError(
                    "function must return the same names, and values of one kind for each, got "
                    f"{row} at {_named(point)}, and {first} at another point"
                )
            self.rows[number] = row
            self.journal.write(json.dumps([number, row]) + "\n")
        self.journal.flush()
        self.draw(len(self.rows))


def _task(function: Callable[..., object], points: list[Row]) -> _Done:
    """Compute points for a second, at least one of them."""
    rows: list[Row] = []
    end = time.monotonic() + _SECONDS
    for point in points:
        try:
            result = function(**point)
            named = result if isinstance(result, Mapping) else {"value": result}
            rows.append({name: _plain(value, "function's result") for name, value in named.items()})
        except Exception as error:
            # As texts: not every exception can be sent to another process.
            said = "".join(traceback.format_exception_only(error)).strip()
            return rows, (said, "".join(traceback.format_exception(error)))
        if time.monotonic() > end:
            break
    return rows, None


# Who does it.


def _engine(
    processes: int, client: Client | None
) -> tuple[Callable[[], AbstractContextManager[Executor]], Callable[[], int]]:
    """Return what starts those that tasks are given to, and what says how many they are."""
    if client is not None:
        nthreads: Callable[[], Mapping[str, int]] = client.nthreads  # as workers come and go
        return partial(client.get_executor, pure=False), lambda: max(1, sum(nthreads().values()))
    if processes > 1:
        return partial(_pool, processes), lambda: processes
    return _Here, lambda: 1


class _Here(Executor):
    """The process that asks, as one that tasks can be given to."""

    def submit(self, task: Callable[..., Any], /, *arguments: object) -> Future[Any]:  # type: ignore[override]
        future: Future[Any] = Future()
        future.set_result(task(*arguments))
        return future


@contextmanager
def _pool(processes: int) -> Iterator[Executor]:
    """Start processes, each with one thread for linear algebra: there is one for each core."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        # Afresh, lest they share threads and locks with this process.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context, initializer=_follow) as pool:
            yield pool
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]


def _follow() -> None:
    """Have a process end with its parent: if that is killed, it would wait for tasks for ever."""

    def leave() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
            os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def _cores() -> int:
    """Return on how many cores this process may run, which is not known everywhere."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_importable(function: Callable[..., object]) -> None:
    """Refuse what other processes would not find: inner functions, and what was typed in."""
    try:
        pickle.dumps(function)
        found = function.__module__ != "__main__" or hasattr(sys.modules["__main__"], "__file__")
    except Exception:
        found = False
    if not found:
        raise TypeError(
            f"function must be one that other processes can import, got {function!r}: put it at "
            "the top of a module, or pass workers=1"
        )


# What is shown and written.


@contextmanager
def _bar(total: int, before: int, visible: bool) -> Iterator[Callable[[int], None]]:
    """Give a function that draws how many points are done, where somebody looks on."""
    began = time.monotonic()

    def draw(done: int) -> None:
        if visible:
            seconds = (time.monotonic() - began) * (total - done) / max(1, done - before)
            bar = ("#" * (30 * done // total)).ljust(30, ".")
            rest = timedelta(seconds=round(seconds))
            print(f"\r{bar} {done}/{total}, {rest} left ", end="", file=sys.stderr, flush=True)

    try:
        yield draw
    finally:
        if visible:
            print(file=sys.stderr)


def _csv(table: dict[str, list[Value]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode()


def _parquet(table: dict[str, list[Value]]) -> bytes:
    import numpy as np

    columns = {
        name: np.array(column, dtype=object if isinstance(column[0], str) else None)
        for name, column in table.items()
    }
    with tempfile.TemporaryDirectory() as folder, _duckdb().connect() as database:
        path = Path(folder, "table.parquet")
        database.register("columns", columns)
        database.sql("FROM columns").write_parquet(str(path))
        return path.read_bytes()


def _duckdb() -> ModuleType:
    """Import the optional library where it is needed."""
    try:
        return importlib.import_module("duckdb")
    except ImportError as error:
        raise ImportError("Parquet needs duckdb: pip install pkdp[parquet]") from error
