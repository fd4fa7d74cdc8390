"""Evidence that does not rot: what each test of the ledger was when its verdict was confirmed.

``claims/evidence.txt`` has a line for each piece of evidence: a digest of what it checks, and its
id. Comments, docstrings and line breaks do not change a digest. Everything else does: an assertion,
a tolerance, a set of parameters, a helper or a constant of the same file. Of a doctest its examples
count, of a notebook its code cells, of a theorem that a machine checked its statement with all that
this mentions. ::

    python book/_ext/evidence.py               # say what changed, and which verdicts rest on it
    python book/_ext/evidence.py confirm thm-3 # after reading it again: write the new digests
    python book/_ext/evidence.py confirm --all

A test that cannot fail is no evidence: one without an assertion is refused, too.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import coq

from claims import Claim, Ledger, Result, load
from pkdp._sources import cell_digest, code_digest

STORED = "evidence.txt"
ROOT = Path(__file__).resolve().parents[2]

Digests: TypeAlias = Mapping[str, str]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Statement: TypeAlias = Function | ast.ClassDef | ast.Assign | ast.AnnAssign

# What fails by itself if something is not so, beside `assert` and what is called assert….
_FAILING = ("raises", "warns", "fail", "deprecated_call")


class EvidenceError(Exception):
    """Evidence that is missing, or that cannot fail; the message says which."""


class _Module:
    """A file of tests: its statements at the top, by the names that they define."""

    def __init__(self, path: Path, root: Path) -> None:
        self.root = root
        text = path.read_text(encoding="utf-8")
        self.lines = text.splitlines()
        self.defined: dict[str, list[Statement]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        self._mentioned: dict[int, set[str]] = {}
        self._digests: dict[int, str] = {}
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.ImportFrom) and not statement.level:
                for alias in statement.names:
                    name = alias.asname or alias.name
                    self.imported[name] = (statement.module or "", alias.name)
            for name in _names_defined(statement):
                assert isinstance(statement, Statement)
                self.defined.setdefault(name, []).append(statement)

    def needed(self, name: str) -> list[Statement]:
        """Return the statements that make up a name: its own, and those of what they mention."""
        found: dict[int, Statement] = {}
        waiting = [name]
        while waiting:
            for statement in self.defined.get(waiting.pop(), ()):
                if statement.lineno not in found:
                    found[statement.lineno] = statement
                    waiting += self.mentioned(statement)
        return [found[line] for line in sorted(found)]

    def mentioned(self, statement: Statement) -> set[str]:
        """Return the names that a statement reads; a test's arguments too, which are fixtures."""
        if statement.lineno not in self._mentioned:
            self._mentioned[statement.lineno] = {
                node.id if isinstance(node, ast.Name) else node.arg
                for node in ast.walk(statement)
                if isinstance(node, ast.Name | ast.arg)
            }
        return self._mentioned[statement.lineno]

    def digest(self, statement: Statement) -> str:
        """Return the digest of a statement."""
        if statement.lineno not in self._digests:
            decorators = getattr(statement, "decorator_list", ())
            first = min([statement.lineno, *(one.lineno for one in decorators)])
            text = "\n".join(self.lines[first - 1 : statement.end_lineno])
            self._digests[statement.lineno] = code_digest(text)
        return self._digests[statement.lineno]

    def function(self, parts: Sequence[str]) -> Function | None:
        """Return the function of ``TestClass::test_it``, in parts, or of ``test_it``."""
        first, *rest = parts
        for statement in self.defined.get(first, ()):
            if isinstance(statement, Function) and not rest:
                return statement
            if isinstance(statement, ast.ClassDef) and len(rest) == 1:
                for inner in statement.body:
                    if isinstance(inner, Function) and inner.name == rest[0]:
                        return inner
        return None

    def can_fail(self, node: ast.AST, seen: set[tuple[int, str]]) -> bool:
        """Return whether code asserts something, itself or by what it calls."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assert) and not isinstance(inner.test, ast.Constant):
                return True
            if isinstance(inner, ast.Raise):
                return True
            if isinstance(inner, ast.Call) and _call_can_fail(inner.func):
                return True
            # A fixture, or a helper that is handed on, may assert as well.
            if isinstance(inner, ast.Name | ast.arg) and self._name_can_fail(inner, seen):
                return True
        return False

    def _name_can_fail(self, inner: ast.Name | ast.arg, seen: set[tuple[int, str]]) -> bool:
        name = inner.id if isinstance(inner, ast.Name) else inner.arg
        if (id(self), name) in seen:
            return False
        seen.add((id(self), name))
        if name in self.imported:
            source, original = self.imported[name]
            path = self.root / f"{source.replace('.', '/')}.py"
            if source.startswith("tests") and path.is_file():
                other = _module(path, self.root, path.stat().st_mtime_ns)
                return any(other.can_fail(one, seen) for one in other.defined.get(original, ()))
            return original.startswith("assert")
        return any(
            self.can_fail(statement, seen)
            for statement in self.defined.get(name, ())
            if isinstance(statement, Function | ast.ClassDef)
        )


@lru_cache(maxsize=256)
def _module(path: Path, root: Path, changed_at: int) -> _Module:
    del changed_at  # it tells a changed file from the one that was read before
    return _Module(path, root)


def _call_can_fail(called: ast.expr) -> bool:
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name.startswith("assert") or name in _FAILING


def _names_defined(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, Function | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))


def digest(evidence: str, root: Path = ROOT) -> str:
    """Return the digest of a piece of evidence.

    Parameters
    ----------
    evidence : str
        A pytest id or a theorem, as in the ledger.
    root : Path
        The project's folder.

    Raises
    ------
    EvidenceError
        If it is not there, or cannot fail.
    """
    address = evidence.partition("[")[0]
    name, *parts = address.split("::")
    path = root / name
    if not path.is_file():
        raise EvidenceError("is not there")
    if path.suffix == ".ipynb":
        return _notebook_digest(path)
    if coq.is_proof(evidence):
        try:
            return coq.read(root).digest(evidence)
        except coq.CoqError as error:
            raise EvidenceError(str(error)) from None
    if name.startswith("tests/"):
        return _test_digest(path, root, parts)
    return _doctest_digest(path, parts)


def _test_digest(path: Path, root: Path, parts: Sequence[str]) -> str:
    module = _module(path, root, path.stat().st_mtime_ns)
    tests = [parts] if parts else [[n] for n in module.defined if n.startswith(("test_", "Test"))]
    for test in tests:
        function = module.function(test)
        if function is None and parts:
            raise EvidenceError("is not there")
        if function is not None and not module.can_fail(function, set()):
            raise EvidenceError("asserts nothing")
    needed = {one.lineno: one for test in tests for one in module.needed(test[0])}
    return _together(module.digest(one) for _, one in sorted(needed.items()))


def _doctest_digest(path: Path, parts: Sequence[str]) -> str:
    """Return the digest of the examples of a docstring, or of all docstrings of a file."""
    module = path.relative_to(_package_root(path)).with_suffix("").as_posix().replace("/", ".")
    module = module.removesuffix(".__init__")
    texts = dict(_docstrings(ast.parse(path.read_text(encoding="utf-8")), module))
    if parts and parts[0] not in texts:
        raise EvidenceError("is not there")
    chosen = [texts[parts[0]]] if parts else list(texts.values())
    examples = [one for text in chosen for one in doctest.DocTestParser().get_examples(text)]
    if not any(one.want for one in examples):
        raise EvidenceError("asserts nothing")
    return _together(line for one in examples for line in (one.source, one.want))


def _package_root(path: Path) -> Path:
    """Return the folder from which the file's module is imported."""
    while (path.parent / "__init__.py").is_file():
        path = path.parent
    return path.parent


def _docstrings(node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, Function | ast.ClassDef | ast.Module):
        yield name, ast.get_docstring(node) or ""
        for inner in node.body:
            if isinstance(inner, Function | ast.ClassDef):
                yield from _docstrings(inner, f"{name}.{inner.name}")


def _notebook_digest(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    if not sources:
        raise EvidenceError("has no code")
    return _together(map(cell_digest, sources))


def _together(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def stored(folder: Path) -> Digests:
    """Return the digests that were confirmed, by the ids of the evidence."""
    path = folder / STORED
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {name: known for known, name in (line.split(" ", 1) for line in lines)}


def changed(
    ledger: Ledger,
    known: Digests,
    root: Path = ROOT,
    only: Callable[[str], bool] = bool,
) -> tuple[str, ...]:
    """Say which verdicts have to be confirmed anew, and why.

    Parameters
    ----------
    ledger : Ledger
        The ledger.
    known : mapping
        What `stored` returns.
    root : Path
        The project's folder.
    only : callable
        From a piece of evidence to whether it is asked about; all are by default.

    Returns
    -------
    tuple of str
        A line for each piece of evidence that is missing, cannot fail, or is not what it was.
    """
    said = []
    rests = resting(ledger.entries)
    for evidence, names in rests.items():
        if not only(evidence):
            continue
        try:
            now = digest(evidence, root)
        except EvidenceError as error:
            said.append(f"{evidence} {error}: {', '.join(names)} cannot rest on it")
            continue
        if evidence not in known:
            said.append(f"{evidence} is new: confirm {' '.join(names)}")
        elif known[evidence] != now:
            said.append(f"{evidence} changed: read it again, and confirm {' '.join(names)}")
    said += [
        f"{name} is no evidence any more: confirm --all"
        for name in known
        if name not in rests and only(name)
    ]
    return tuple(said)


def resting(entries: Iterable[Claim | Result]) -> dict[str, list[str]]:
    """Return all evidence of entries, and the ids of those that rest on it."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        for evidence in entry.all_evidence:
            found.setdefault(evidence, []).append(entry.id)
    return dict(sorted(found.items()))


def confirm(ledger: Ledger, folder: Path, names: Iterable[str] | None, root: Path = ROOT) -> None:
    """Store the digests of the evidence of some entries, of all if `names` is None.

    Raises
    ------
    ValueError
        If a name is no id of the ledger.
    EvidenceError
        If a piece of evidence is none.
    """
    entries = {entry.id: entry for entry in ledger.entries}
    chosen = set(entries) if names is None else set(names)
    if unknown := chosen - set(entries):
        raise ValueError(f"{', '.join(sorted(unknown))}: no such entry in the ledger")
    digests = dict(stored(folder))
    rests = resting(ledger.entries)
    for evidence, who in rests.items():
        if chosen & set(who):
            try:
                digests[evidence] = digest(evidence, root)
            except EvidenceError as error:
                raise EvidenceError(f"{evidence} {error}") from None
    lines = [f"{digests[name]} {name}\n" for name in sorted(digests) if name in rests]
    (folder / STORED).write_text("".join(lines), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 if something has to be confirmed."""
    parser = argparse.ArgumentParser(description="The evidence of the ledger.")
    parser.add_argument("--ledger", default=str(ROOT / "claims"), help="folder of the ledger")
    parser.add_argument("--root", default=str(ROOT), help="folder of the project")
    commands = parser.add_subparsers(dest="command", metavar="confirm")
    confirming = commands.add_parser("confirm", help="store what the evidence of claims is now")
    confirming.add_argument("claim", nargs="*", help="an id of the ledger, such as thm-3")
    confirming.add_argument("--all", action="store_true", help="of every claim and result")
    given = parser.parse_args(arguments)
    folder, root = Path(given.ledger), Path(given.root)
    try:
        ledger = load(folder)
        if given.command:
            if bool(given.claim) == given.all:
                parser.error("name the claims whose evidence you read again, or say --all")
            confirm(ledger, folder, None if given.all else given.claim, root)
            return 0
        problems = changed(ledger, stored(folder), root)
    except (ValueError, EvidenceError) as error:
        problems = (str(error),)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
