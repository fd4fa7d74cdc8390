"""`pkdp.sweep`: the same table whoever computes it, and nothing is lost with a process."""

import csv
import functools
import importlib
import io
import itertools
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import distributed
import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pkdp
from pkdp import _sweep, sweep
from tests.swept import called, quotient, recorded

ROOT = Path(__file__).resolve().parents[1]
TEN = range(10)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "table.csv"


def journal(out):
    return out.with_name(f"{out.name}.partial")


def journalled(out):
    """The numbers of the points whose rows are in the journal, in its order."""
    return [json.loads(line)[0] for line in journal(out).read_text().splitlines()[1:]]


# What a table holds.


def test_a_table_has_a_row_for_each_point_the_last_parameter_changing_fastest(out):
    table = sweep(quotient, {"x": [1, 3], "y": np.array([2.0, 4.0])}, out=out)
    assert table == {"x": [1, 1, 3, 3], "y": [2.0, 4.0, 2.0, 4.0], "value": [0.5, 0.25, 1.5, 0.75]}
    assert {type(value) for value in table["y"]} == {float}
    assert out.read_text() == "x,y,value\n1,2.0,0.5\n1,4.0,0.25\n3,2.0,1.5\n3,4.0,0.75\n"
    assert list(out.parent.iterdir()) == [out]


numbers = st.floats() | st.integers(-(2**63), 2**63 - 1)
columns = (
    st.lists(numbers, min_size=1, max_size=3)
    | st.lists(st.booleans(), min_size=1, max_size=2)
    | st.lists(st.text(max_size=3), min_size=1, max_size=3)
)
grids = st.dictionaries(st.sampled_from("abcdé"), columns, min_size=1, max_size=3)


def results(grid, row):
    """A function that gives a number or a row, by the point's place in the grid, and the calls."""
    points = iter(range(10**6))

    def function(**point):
        assert list(point) == list(grid)
        return row(next(points))

    return function


@given(grids, st.booleans(), st.data())
def test_any_grid_agrees_with_loops_and_any_order_of_computing_gives_the_same_bytes(
    tmp_path_factory, grid, named, data
):
    found = data.draw(st.lists(numbers, min_size=27, max_size=27)) if named else None
    row = (lambda number: {"é,": found[number], "text": f"{number}"}) if named else float
    out = tmp_path_factory.mktemp("grid") / "table.csv"
    table = sweep(results(grid, row), grid, out=out, workers=1)
    points = list(itertools.product(*grid.values()))
    for place, name in enumerate(grid):
        assert [*map(repr, table[name])] == [repr(point[place]) for point in points]
    own = [row(number) for number in range(len(points))]
    for name in set(table) - set(grid):
        assert [*map(repr, table[name])] == [repr(r[name] if named else r) for r in own]
    # The file has every digit.
    with open(out, encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file)
    assert head == list(table)
    assert lines == [[str(value) for value in row] for row in zip(*table.values(), strict=True)]
    # Some points are in a journal, in any order; the others are computed.
    content = out.read_bytes()
    there = data.draw(st.permutations(range(len(points))))[: data.draw(st.integers(0, 27))]
    missing = iter([number for number in range(len(points)) if number not in there])
    function = results(grid, lambda _: row(next(missing)))
    header = _sweep._header(function, _sweep._points(grid))
    rows = [[number, own[number] if named else {"value": own[number]}] for number in there]
    journal(out).write_text("".join(json.dumps(line) + "\n" for line in [header, *rows]))
    sweep(function, grid, out=out, workers=1)
    assert out.read_bytes() == content
    assert not journal(out).exists()


# Who computes it.


def test_other_processes_compute_what_was_typed_in(out):
    code = "from pkdp import sweep\ndef f(x): return x\nprint(sweep(f, {'x': [1, 2]}, workers=2))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (run.stdout, run.stderr) == (b"{'x': [1, 2], 'value': [1, 2]}\n", b"")


def test_processes_read_modules_as_they_are_now(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for value in (1, 20):
        (tmp_path / "changing.py").write_text(f"def function(x):\n    return {value}\n")
        sys.modules.pop("changing", None)
        function = importlib.import_module("changing").function
        assert sweep(function, {"x": [1, 2]}, workers=2)["value"] == [value, value]


def test_a_cluster_gives_the_same_bytes(out):
    grid, here = {"x": TEN, "folder": [str(out.parent)]}, out.with_name("here.csv")
    with (
        distributed.Client(processes=False, dashboard_address=None) as client,
        joblib.parallel_config("dask", client=client),
    ):
        (out.parent / "stop").write_text("error")
        with pytest.raises(RuntimeError, match="failed at x=5"):
            sweep(recorded, grid, out=out)
        (out.parent / "stop").unlink()
        sweep(recorded, grid, out=out)
    sweep(recorded, grid, out=here, workers=1)
    assert out.read_bytes() == here.read_bytes()


# What is kept.


@pytest.mark.parametrize(
    ("stop", "error", "workers"),
    [
        ("error", RuntimeError, 1),
        ("error", RuntimeError, 2),
        ("interrupt", KeyboardInterrupt, 1),
        ("interrupt", KeyboardInterrupt, 2),
        ("death", RuntimeError, 2),
    ],
)
def test_what_is_computed_is_not_computed_again(stop, error, workers, out):
    folder, grid = out.parent, {"x": TEN, "folder": [str(out.parent)]}
    (folder / "stop").write_text(stop)
    with pytest.raises(error) as caught:
        sweep(recorded, grid, out=out, workers=workers)
    if stop == "error":
        assert str(caught.value) == (
            f"tests.swept.recorded failed at x=5, folder={str(folder)!r}: ValueError: stopped"
        )
        assert "in recorded\n" in caught.value.__notes__[0]
    there, before = set(journalled(out)), called(folder)
    assert there <= set(before) - {5}
    assert not out.exists()
    if stop == "error":
        assert there == set(before) - {5}
    if workers == 1:
        assert there >= {0, 1}
    (folder / "stop").unlink(missing_ok=True)
    sweep(recorded, grid, out=out, workers=3 - workers)
    assert sorted(called(folder)[len(before) :]) == sorted(set(TEN) - there)
    expected = "x,folder,seventh,parity\n" + "".join(
        f"{x},{folder},{x / 7},{'odd' if x % 2 else 'even'}\n" for x in TEN
    )
    assert out.read_text() == expected


def test_what_a_killed_sweep_has_computed_is_not_computed_again(out):
    folder, grid = out.parent, {"x": TEN, "folder": [str(out.parent)]}
    (folder / "stop").write_text("wait")
    code = (
        "from pkdp import sweep; from tests.swept import recorded; "
        f"sweep(recorded, {{'x': range(10), 'folder': [{str(folder)!r}]}}, out={str(out)!r}, "
        "workers=2)"
    )
    killed = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, start_new_session=True)
    while not (5 in called(folder) and len(journalled(out)) > 3):
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)  # with the processes that it has started
    killed.wait()
    for semaphore in Path("/dev/shm").glob(f"sem.loky-{killed.pid}-*"):
        semaphore.unlink()
    there = journalled(out)
    (folder / "stop").unlink()
    (folder / "calls").unlink()
    sweep(recorded, grid, out=out, workers=1)
    assert called(folder) == [x for x in TEN if x not in there]


@pytest.fixture
def interrupted(out):
    """A grid, the journal of it as it was when 5 failed, and the table it should become."""
    folder, grid = out.parent, {"x": TEN, "folder": [str(out.parent)]}
    sweep(recorded, grid, out=out, workers=1)
    content = out.read_bytes()
    (folder / "stop").write_text("error")
    with pytest.raises(RuntimeError):
        sweep(recorded, grid, out=out, workers=1)
    assert out.read_bytes() == content  # an older table is there until a newer one is
    (folder / "stop").unlink()
    (folder / "calls").unlink()
    return grid, journal(out).read_bytes(), content


def test_a_journal_may_end_anywhere(interrupted, out):
    grid, kept, content = interrupted
    ends = [0, *(end + 1 for end, byte in enumerate(kept) if byte == ord("\n"))]
    for length in (end + more for end in ends for more in (-2, -1, 0, 1) if end + more >= 0):
        journal(out).write_bytes(kept[:length])
        (out.parent / "calls").unlink(missing_ok=True)
        sweep(recorded, grid, out=out, workers=1)
        assert out.read_bytes() == content
        there = max(0, kept[:length].count(b"\n") - 1)
        assert called(out.parent) == [*TEN[there:]]


def test_a_journal_of_another_sweep_is_refused_and_left_as_it_is(interrupted, out):
    grid, kept, content = interrupted
    more = {**grid, "x": [*TEN, 10]}
    refused = "out must not have the journal of another sweep, got .*, which differs in its "
    for function, points, word in [
        (recorded, more, "grid: remove it, or write to another file"),
        (recorded, {"folder": grid["folder"], "x": TEN}, "grid: "),
        (called, grid, "function and its code: "),
        (called, more, "function and its code and its grid: "),
    ]:
        with pytest.raises(ValueError, match=refused + word):
            sweep(function, points, out=out, workers=1)
    header, *lines = kept.splitlines(keepends=True)
    code = json.loads(header)["code"].encode()
    for other, word in [
        (header.replace(code, code[::-1]) + b"".join(lines), "code: "),
        (b"[]\n", "form: "),
        (b"n,lam\n", "form: "),
        (b"\xff\n", "form: "),
        (header + b"3\n", "form: "),
        (header + b"\n" + b"".join(lines), "form: "),
    ]:
        journal(out).write_bytes(other)
        with pytest.raises(ValueError, match=refused + word):
            sweep(recorded, grid, out=out, workers=1)
        assert journal(out).read_bytes() == other
    assert out.read_bytes() == content
    assert called(out.parent) == []


def test_it_reads_no_library_that_it_may_do_without():
    code = (
        "from pkdp import sweep; import sys; sweep('{x}'.format, {'x': [1, 2]}, workers=1); "
        "others = 'dask', 'distributed', 'duckdb', 'pandas', 'scipy'; "
        "print([name for name in others if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# What is said.


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_how_far_it_is(out, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    sweep(quotient, {"x": [1, 2, 3], "y": [4]}, workers=1)
    *_, last = terminal.getvalue().split("\r")
    assert last == "3 of 3 points \n"
    with pytest.raises(RuntimeError):
        sweep(quotient, {"x": [1], "y": [4, 5, 0]}, workers=1)
    *_, last = terminal.getvalue().split("\r")
    assert last == "2 of 3 points "


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"function": 3}, TypeError, "function must be a function of a point's parameters, got 3"),
        (
            {"function": functools.partial(quotient, y=1)},
            TypeError,
            r"function must be one that has a name, got functools\.partial",
        ),
        ({"grid": 3}, TypeError, "grid must be a mapping to values, got 3"),
        ({"grid": {}}, ValueError, "grid must have at least one point, and one parameter, got {}"),
        ({"grid": []}, TypeError, r"grid must be a mapping to values, got \[\]"),
        ({"grid": {"x": []}}, ValueError, "grid must have at least one point"),
        ({"grid": {"x": "ab"}}, TypeError, r"grid\['x'\] must be several values, got 'ab'"),
        ({"grid": {3: [1, 2]}}, TypeError, "grid must have names as its keys, got 3"),
        ({"grid": {"x": [None]}}, TypeError, "grid: x must be a number or a text, got None"),
        ({"grid": {"x": [2**63]}}, ValueError, r"grid: x must be in -2\^63…2\^63 - 1 if an int"),
        ({"grid": {"x": [1, "a"]}}, TypeError, "grid must have values of one kind for each par"),
        ({"grid": {"x": [1, True]}}, TypeError, "grid must have values of one kind for each pa"),
        (
            {"grid": {"x": range(2000), "y": range(2000)}},
            ValueError,
            "the number of points of grid must be at most 2000000, to list them all, got 4000000",
        ),
        ({"out": "table.txt"}, ValueError, r"out must end in \.csv, got 'table\.txt'"),
        ({"out": "missing/table.csv"}, FileNotFoundError, "missing/"),
        ({"out": "folder.csv"}, IsADirectoryError, "out must be a file, got the folder"),
        ({"out": 3}, TypeError, "out must be a path, got 3"),
        ({"workers": 0}, ValueError, r"workers must be an integer in 1…1000, got 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_computed(
    arguments, error, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    given = {"function": recorded, "grid": {"x": [1], "folder": [str(tmp_path)]}, **arguments}
    function, grid = given.pop("function"), given.pop("grid")
    with pytest.raises(error, match=words):
        sweep(function, grid, **given)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        (lambda x: None, RuntimeError, "TypeError: function's result must be a number or a text"),
        (lambda x: 2**64, RuntimeError, "failed at x=0: ValueError: function's result must be in"),
        (
            lambda x: {"x": 1},
            ValueError,
            "function must not return a parameter's name, got {'x': 1",
        ),
        (lambda x: x if x < 7 else "a", ValueError, "got {'value': 'a'} at x=7, and {'value': 0}"),
        (lambda x: {f"a{x // 7}": x}, ValueError, "function must return the same names"),
    ],
)
def test_results_that_make_no_table_are_refused(result, error, words, out):
    with pytest.raises(error, match=words):
        sweep(result, {"x": TEN}, out=out, workers=1)
    assert not out.exists()
    assert set(journalled(out)) <= set(range(7))


def test_the_script_in_the_reference_runs(tmp_path, monkeypatch):
    page = (ROOT / "book" / "api" / "index.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    sizes = []

    def at_the_corners(function, grid, out):
        sizes.append(math.prod(map(len, grid.values())))
        corners = {name: [values[0], values[-1]] for name, values in grid.items()}
        return sweep(function, corners, out=tmp_path / out, workers=1)

    monkeypatch.setattr(pkdp, "sweep", at_the_corners)
    exec(compile(script, "epsilons.py", "exec"), {"__name__": "__main__"})
    assert sizes == [5000]
    head, *rows = (tmp_path / "epsilons.csv").read_text().splitlines()
    assert head == "n,lam,delta,value"
    assert len(rows) == 8
