"""When a stored page or table is stale: code counts, what is written about it does not."""

import shutil
from pathlib import Path

import pytest

from notebooks import execute
from pkdp import _sources
from pkdp.figures import _stored

ROOT = Path(__file__).resolve().parents[2]
MODULE = '''"""A module."""

import math

LEAST = 0.5
"""What LEAST is."""


class Law:
    """A law."""

    def mass(self, k: int) -> float:
        """Return the mass."""
        return f"{k:>3}" and LEAST * k  # half
'''

UNCHANGED = {
    "docstring of the module": ('"""A module."""', '"""Another, one would think."""'),
    "no docstring": ('        """Return the mass."""\n', ""),
    "docstring of a constant": ("What LEAST is.", "What is LEAST?"),
    "comment": ("# half", "# a half, that is"),
    "line breaks": ("LEAST * k", "(\n            LEAST\n            * k\n        )"),
    "quotes": ('f"{k:>3}"', "f'{k:>3}'"),
    "empty parts of an f-string": ('f"{k:>3}"', 'f"{k:>3}" ""'),
}
CHANGED = {
    "constant": ("0.5", "0.25"),
    "kind of a constant": ("0.5", "True"),
    "sign": ("* k", "* -k"),
    "name": ("LEAST * k", "least * k"),
    "annotation": ("k: int", "k: float"),
    "format": (":>3", ":>4"),
    "part of an f-string": ('f"{k:>3}"', 'f"{k:>3}."'),
    "empty text in a list": ("LEAST = 0.5", 'LEAST = ["", 0.5]'),
    "decorator": ("    def mass", "    @staticmethod\n    def mass"),
    "default": ("k: int", "k: int = 0"),
    "None": ("LEAST * k", "None"),
}


@pytest.mark.parametrize("what", UNCHANGED)
def test_what_is_written_about_code_does_not_change_its_digest(what):
    old, new = UNCHANGED[what]
    assert MODULE.count(old) == 1
    assert _sources.code_digest(MODULE.replace(old, new)) == _sources.code_digest(MODULE)


def test_whatever_code_does_changes_its_digest():
    texts = [MODULE] + [MODULE.replace(old, new, 1) for old, new in CHANGED.values()]
    assert all(MODULE.count(old) == 1 for old, _ in CHANGED.values())
    assert len({_sources.code_digest(text) for text in texts}) == len(texts)


def test_digests_are_the_same_on_every_version_of_python():
    # Trees differ between versions: in fields that are empty, for instance.
    assert _sources.code_digest(MODULE) == "2fb30df9223d4675"


def test_any_other_file_counts_byte_for_byte_and_so_does_what_is_no_python(tmp_path):
    for name in ("a.yml", "broken.py"):
        path = tmp_path / name
        path.write_text("- id: a # one\n")
        before = _sources.digest(path)
        path.write_text("- id: a # two\n")
        assert _sources.digest(path) != before


def test_the_last_expression_of_a_cell_is_shown():
    cells = ("x = 1", "x", "x;", "'one'", "'two'", "", "no python")
    assert len({_sources.cell_digest(cell) for cell in cells}) == len(cells)
    assert _sources.cell_digest("x  # one") == _sources.cell_digest("x")


def test_a_record_is_current_until_a_file_or_its_code_changes(tmp_path):
    (tmp_path / "a.yml").write_text("a")
    known = _sources.record([tmp_path / "a.yml"], tmp_path, ["code"])
    assert known.files == ("a.yml",)
    assert known.is_current(tmp_path, ["code"])
    assert not known.is_current(tmp_path, ["other"])
    (tmp_path / "a.yml").write_text("another")
    assert not known.is_current(tmp_path, ["code"])
    (tmp_path / "a.yml").unlink()
    assert not known.is_current(tmp_path, ["code"])


def test_a_lock_keeps_records(tmp_path):
    records = {"b": _sources.Record("01", ("x", "y")), "a": _sources.Record("02", ())}
    _sources.lock(tmp_path / "a.lock", records)
    assert (tmp_path / "a.lock").read_text() == "a 02\nb 01 x y\n"
    assert _sources.locked(tmp_path / "a.lock") == records
    assert _sources.locked(tmp_path / "none.lock") == {}


def test_the_modules_read_are_those_that_were_imported():
    names = {path.relative_to(ROOT).as_posix() for path in _sources.modules_read()}
    assert {"pkdp/__init__.py", "pkdp/_sources.py", "pkdp/figures/_stored.py"} <= names
    assert all(name.startswith("pkdp/") and name.endswith(".py") for name in names)


# This project's own pages and tables.


def stale(root):
    """The pages and the figures that are not up to date in a copy of the project."""
    pages = {page for page in execute.pages(root) if not execute.is_current(page, root)}
    known = _sources.locked(root / "pkdp" / "figures" / _stored.LOCK)
    return pages, {name for name, one in known.items() if not one.is_current(root)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    for room in ("book", "claims", "notebooks", "pkdp"):
        shutil.copytree(ROOT / room, root / room, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def test_what_only_draws_makes_no_table_stale(copy):
    path = copy / "pkdp" / "figures" / "_drawing.py"
    kept = path.read_text(encoding="utf-8")
    path.write_text(kept.replace("strict=False", "strict=True"), encoding="utf-8")
    pages, tables = stale(copy)
    assert len(pages) > 15
    assert tables == set()
    path.write_text(kept, encoding="utf-8")


def test_another_number_in_a_table_makes_the_pages_stale_that_show_it(copy):
    path = copy / "pkdp/figures/partial_knowledge/tables/3.csv"
    kept = path.read_text(encoding="utf-8")
    path.write_text(kept.replace("1", "2", 1), encoding="utf-8")
    pages, tables = stale(copy)
    assert "partial-knowledge/4-1-counting-queries" in pages
    assert len(pages) < 4
    assert tables == set()
    path.write_text(kept, encoding="utf-8")
