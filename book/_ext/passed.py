"""With which code the slow tests that verdicts rest on have passed.

``make test-all`` runs every test. ``make test`` leaves out slow ones, except those that a verdict
rests on if their file, or a module that this imports, changed since they passed:
``claims/passed.lock`` has a digest for each, which ``make test-all`` stores.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from pkdp._sources import Record, lock, locked, record

ROOT = Path(__file__).resolve().parents[2]
LOCK = "claims/passed.lock"
# Read by some tests without an import.
DATA = "tests/data/*.csv"


def settled(root: Path = ROOT) -> set[str]:
    """Return the ids of the tests that nothing has changed for since they passed."""
    return {
        name
        for name, known in locked(root / LOCK).items()
        if (root / _file(name)).exists() and current(name, root).digest == known.digest
    }


def current(test: str, root: Path = ROOT) -> Record:
    """Return the digest of what a test checks: its file, and all that this imports."""
    return _record(root / _file(test), root)


def store(evidence: Iterable[str], reports: Iterable[str], root: Path = ROOT) -> None:
    """Store the digests of the slow tests among some evidence that passed.

    Parameters
    ----------
    evidence : iterable of str
        Ids of tests.
    reports : iterable of paths
        Reports written with ``--junitxml``, in which slow tests have the property ``slow``.
    root : Path
        The project's folder.
    """
    slow = {name for report in reports for name in _slow(report)}
    lock(root / LOCK, {name: current(name, root) for name in slow & set(evidence)})


def _slow(report: str) -> set[str]:
    cases = ElementTree.parse(report).getroot().iter("testcase")
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name', '').split('[')[0]}"
        for case in cases
        if case.find("properties/property[@name='slow']") is not None
    }


def _file(test: str) -> str:
    return test.partition("::")[0]


@functools.cache
def _record(file: Path, root: Path) -> Record:
    found, waiting = set(root.glob(DATA)), [file]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imported(path, root)
    return Record(record(found, root).digest, ())


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
