"""The extensions of the book: grouped by subject, and imported in one direction."""

import ast
from graphlib import TopologicalSorter

from tests.book.built import ROOT

FOLDER = ROOT / "book" / "_ext"
# From the ground up; what is at the top of the folder is the ground.
GROUPS = ("", "coq", "ledger", "figures", "library", "pages")


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def group(module):
    parts = module.split(".")
    return GROUPS.index(parts[2] if len(parts) > 3 else "")


def imports(path):
    """The modules of the folder that one of them imports, wherever in its text."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & NAMES


PATHS = [path for path in FOLDER.rglob("*.py") if path.name != "__init__.py"]
NAMES = {name_of(path) for path in PATHS}
GRAPH = {name_of(path): imports(path) for path in PATHS}


def test_no_imports_run_in_a_circle():
    assert set(TopologicalSorter(GRAPH).static_order()) == NAMES
    assert GRAPH["book._ext.ledger.evidence"] >= {"book._ext.claims", "book._ext.coq.check"}


def test_a_group_imports_only_from_itself_and_from_those_below():
    upwards = {(name, other) for name, others in GRAPH.items() for other in others}
    assert [pair for pair in upwards if group(pair[0]) < group(pair[1])] == []


def test_every_group_says_what_is_in_it():
    for name in GROUPS[1:]:
        assert ast.get_docstring(ast.parse((FOLDER / name / "__init__.py").read_text()))
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} - {"__pycache__"} == {
        *GROUPS[1:]
    }
