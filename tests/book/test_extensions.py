"""The extensions of the book: grouped by subject, and imported in one direction."""

import ast
from graphlib import TopologicalSorter

from tests.book.built import ROOT

# From the ground up; what is at the top of the folder is the ground.
GROUPS = ["_ext", "coq", "ledger", "figures", "library", "pages"]
PATHS = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in (ROOT / "book" / "_ext").rglob("*.py")
    if path.name != "__init__.py"
}


def imports(path):
    """The modules of the folder that one of them imports, wherever in its text."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in found for alias in node.names}
    return (names | {node.module for node in found}) & PATHS.keys()


def test_imports_run_in_one_direction_and_never_in_a_circle():
    graph = {name: imports(path) for name, path in PATHS.items()}
    assert graph["book._ext.ledger.evidence"] >= {"book._ext.claims", "book._ext.coq.check"}
    assert {*TopologicalSorter(graph).static_order()} == PATHS.keys()
    group = {name: GROUPS.index(path.parent.name) for name, path in PATHS.items()}
    upwards = [(one, other) for one in graph for other in graph[one] if group[one] < group[other]]
    assert upwards == []
