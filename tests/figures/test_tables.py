"""The stored tables of the figures: what the code computes, number for number."""

from dataclasses import replace

import pytest
from numpy.testing import assert_array_equal

from pkdp import figures
from pkdp._sources import lock, locked
from pkdp.figures import _stored
from pkdp.figures._registry import table_file
from pkdp.figures._tables import from_csv, to_csv

pytestmark = pytest.mark.figures

every_figure = pytest.mark.parametrize("name", figures.names())


@every_figure
def test_the_stored_table_was_computed_by_the_code_as_it_stands(name):
    assert _stored.is_current(name), "`make figures` computes it anew"


@pytest.mark.slow
@every_figure
def test_the_stored_table_is_what_the_code_computes(name):
    computed, stored = _stored.computed(name), figures.table(name)
    # Nothing gets lost where a table becomes text: numbers keep their kinds and every digit.
    again = from_csv(to_csv(computed))
    for column, values in computed.items():
        assert again[column].dtype.kind == values.dtype.kind
        assert_array_equal(again[column], values)
    advice = "`make figures` stores the table anew; see why it moved before you commit it"
    assert _stored.difference(stored, computed, _stored.TOLERANCE) is None, advice


def test_every_table_is_that_of_a_figure():
    files = set(_stored.FOLDER.glob("*/tables/*"))
    assert files == set(map(_stored._path, figures.names()))
    assert locked(_stored.FOLDER / _stored.LOCK).keys() == set(figures.names())


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("x\n1.0\n", "y\n1.0\n", "columns: ['x'] for ['y']"),
        ("x\n1.0\n", "x\n1.0\n2.0\n", "x: 1 rows of float64 for 2 of float64"),
        ("x\n1.0\n", "x\n1\n", "x: 1 rows of float64 for 1 of int64"),
        ("x\ninf\n", "x\n1e308\n", "x: inf for 1e+308 in row 0"),
        ("x\ninf\n", "x\n-inf\n", "x: inf for -inf in row 0"),
        ("x\n1e-300\n", "x\n0.0\n", "x: 1e-300 for 0.0 in row 0"),
        ("x\ninf\n0.0\n", "x\ninf\n-0.0\n", None),
        ("x\n0.5\n1.000003\n", "x\n0.5\n1.0\n", "x: 1.000003 for 1.0 in row 1"),
        ("x\n0.999997\n", "x\n1.0\n", "x: 0.999997 for 1.0 in row 0"),
        ("x\n1.0000003\n", "x\n1.0\n", None),
        ("x\n2\n", "x\n1\n", "x: 2 for 1 in row 0"),
        ("x\na\nbx\n", "x\na\nb\n", "x: 'bx' for 'b' in row 1"),
    ],
)
def test_what_differs_is_said(one, other, found):
    assert _stored.difference(from_csv(one), from_csv(other), 1e-6) == found


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A folder of its own for the tables, the one of a quick figure being there."""
    monkeypatch.setattr(_stored, "FOLDER", tmp_path)
    kept = figures.STYLE.parent
    target = table_file("vertices", tmp_path)
    target.parent.mkdir(parents=True)
    target.write_bytes(table_file("vertices", kept).read_bytes())
    lock(tmp_path / _stored.LOCK, {"vertices": locked(kept / _stored.LOCK)["vertices"]})
    _stored._read.cache_clear()
    yield target.parent
    _stored._read.cache_clear()


@pytest.mark.slow
def test_update_computes_what_is_missing_or_stale_and_nothing_else(stored):
    names = ("vertices", "loss")
    before = (stored / "vertices.csv").read_bytes()
    assert _stored.update(names) == ["loss"]
    assert _stored.update(names) == []
    assert _stored.difference(_stored.read("loss"), _stored.computed("loss"), 1e-12) is None
    file = _stored.FOLDER / _stored.LOCK
    known = locked(file)
    assert {
        "pkdp/partial_knowledge/counting.py",
        "pkdp/figures/partial_knowledge/vertices.py",
        "pkdp/profiles/laws.py",
    } <= set(known["vertices"].files)
    assert not {f"pkdp/figures/{file}" for file in _stored._DRAW} & set(known["vertices"].files)
    assert {"__init__.py", "_drawing.py", "_palette.py", "_panel.py"} <= set(_stored._DRAW)
    lock(file, {**known, "vertices": replace(known["vertices"], digest="another")})
    assert _stored.update(names) == ["vertices"]
    assert locked(file) == known
    assert (stored / "vertices.csv").read_bytes() == before
    # Two at a time, by other processes, and stored in this folder all the same.
    file.unlink()
    (stored / "loss.csv").unlink()
    assert _stored.update(names) == list(names)
    assert locked(file) == known
    assert {path.name for path in stored.iterdir()} == {f"{name}.csv" for name in names}


def test_the_figures_that_are_begun_first_are_there():
    assert set(_stored._LONGEST) <= set(figures.names())


def test_rounding_alone_is_not_stored_anew(stored):
    path = stored / "vertices.csv"
    table = _stored.read("vertices")
    computed = _stored.compute("vertices")["table"]
    for factor, kept in ((1 + 1e-14, True), (1 + 1e-9, False)):
        moved = to_csv({**table, "y": table["y"] * factor})
        path.write_text(moved)
        _stored._store("vertices", computed)
        assert (path.read_text() == moved) is kept


def test_a_table_that_is_missing_or_cannot_be_computed_is_named(stored, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"figure loss has no table yet: `make figures`"):
        figures.render("loss")
    monkeypatch.setattr(_stored, "_CHILD", "import sys; sys.exit('no ink for {name}')")
    with pytest.raises(RuntimeError, match=r"figure loss cannot be computed:\nno ink for loss"):
        _stored.update(["loss"])
    assert not (stored / "loss.csv").exists()
