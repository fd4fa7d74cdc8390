"""Slow tests that verdicts depend on: the code with which they last passed.

``make test-all`` runs every test. ``make test`` skips slow ones, except those that a verdict
depends on if their file, or a module it imports, changed since they passed: ``make test-all``
stores a digest of each in ``claims/passed.lock``.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from pkdp._sources import Record, lock, locked, record

ROOT = Path(__file__).resolve().parents[3]
LOCK = "claims/passed.lock"
# Read by some tests without an import.
DATA = "tests/data/*.csv"


def without_parameters(evidence: str) -> str:
    """Return the id of a test without its parameters."""
    return evidence.partition("[")[0]


def cited(root: Path = ROOT) -> set[str]:
    """Return the ids of the tests that the ledger names, which is searched and not loaded."""
    texts = (path.read_text(encoding="utf-8") for path in root.glob("claims/**/*.yml"))
    return {test for text in texts for test in re.findall(r"\btests/[\w/]+\.py(?:::\w+)+", text)}


def settled(tests: Iterable[str], root: Path = ROOT) -> set[str]:
    """Return those of some tests for which nothing has changed since they passed."""
    known = locked(root / LOCK)
    return {
        test
        for test in known.keys() & set(tests)
        if (root / _file(test)).exists() and current(test, root).digest == known[test].digest
    }


def current(test: str, root: Path = ROOT) -> Record:
    """Return the digest of what a test checks: its file, and all that this imports."""
    return Record(record(read_by(root / _file(test), root), root).digest, ())


def store(evidence: Iterable[str], reports: Iterable[str], root: Path = ROOT) -> None:
    """Store the digests of the slow tests among some evidence that passed.

    In the JUnit reports slow tests have the property ``slow``, with their ids.
    """
    marks = (ElementTree.parse(one).iterfind(".//property[@name='slow']") for one in reports)
    slow = {str(mark.get("value")) for found in marks for mark in found}
    tests = slow & set(map(without_parameters, evidence))
    lock(root / LOCK, {test: current(test, root) for test in tests})


def _file(test: str) -> str:
    return test.partition("::")[0]


@functools.cache
def read_by(file: Path, root: Path) -> frozenset[Path]:
    """Return the files that running a file may read: the data, and what it imports."""
    found, waiting = set(root.glob(DATA)), [file]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imported(path, root)
    return frozenset(found)


@functools.cache
def imported(path: Path, root: Path) -> frozenset[Path]:
    """Return the files of the project that a module imports, wherever in its text."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "pkdp":
            names.add(f"pkdp.{node.attr}")
    return frozenset(file for name in names for file in _files_of(name, root))


@functools.cache
def _files_of(module: str, root: Path) -> tuple[Path, ...]:
    """Return the file of a module, and those of the packages it is in."""
    first, *rest = module.split(".")
    if first not in ("pkdp", "tests"):
        return ()
    folders = [root.joinpath(first, *rest[:depth]) for depth in range(len(rest) + 1)]
    tried = [*(folder / "__init__.py" for folder in folders), folders[-1].with_suffix(".py")]
    if first == "pkdp" and len(rest) == 1:  # a module under its own name, or the package's function
        tried += [*(root / first).glob(f"*/{rest[0]}.py"), root / first / f"_{rest[0]}.py"]
    # What `pkdp` itself lists is imported when it is asked for, under a name that is found above.
    return tuple(file for file in tried if file.exists() and file != root / "pkdp/__init__.py")
