"""Evidence of the ledger: digests of each entry from when its verdict was confirmed.

``claims/evidence.txt`` has a line for each claim and result: its id, the digest of its text
(status, words, readings, correction and assumptions), and one of each piece of its evidence. White
space, comments, docstrings, the file of a test and its mark ``slow`` do not change a digest; an
assertion, a tolerance, a set of parameters, a helper or a constant of the same file does. A doctest
counts with its examples, a notebook with its code cells, a Coq theorem with its statement and all
it mentions.

``python -m book._ext.ledger.evidence`` says what changed, and which entries depend on it. The
subcommand ``check _build/junit.xml`` also says what did not pass in a run of tests, ``confirm
thm-3`` stores the new digests of an entry that you have read again, and ``confirm --renamed MAP``
those of tests that only have new names: each line of ``MAP`` is the old id of a test or helper, and
the new.

A test without an assertion cannot fail and is refused. For theorems, ``check`` reads what Coq said
(see `coq.check`), and names them if there is no Coq.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import hashlib
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from book._ext.claims import Claim, Ledger, Result, load, resting
from book._ext.coq import check as coq_check
from book._ext.coq import statements as coq
from book._ext.ledger import slow_tests
from pkdp._sources import cell_digest, code_digest

STORED = "evidence.txt"
ROOT = Path(__file__).resolve().parents[3]

# By the ids of the entries, the digest of the text and then those of the evidence.
Digests: TypeAlias = dict[str, list[str]]
# What became of each test, by the classname and the name that pytest reports.
Outcomes: TypeAlias = Mapping[tuple[str, str], str]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Statement: TypeAlias = Function | ast.ClassDef | ast.Assign | ast.AnnAssign

# What fails by itself if something is not so, beside `assert` and what is called assert….
_FAILING = ("raises", "warns", "fail", "deprecated_call")
_NAMED = (
    (ast.Name, "id"),
    (ast.arg, "arg"),
    (ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, "name"),
)
_AS_THEY_ARE: Mapping[str, str] = {}
_SLOW = "@pytest.mark.slow"


class EvidenceError(Exception):
    """Evidence that is missing, or that cannot fail; the message says which."""


class _Module:
    """A file of tests: its statements at the top, by the names that they define."""

    def __init__(self, path: Path, root: Path) -> None:
        self.root = root
        self.defined: dict[str, list[Statement]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ImportFrom) and not statement.level:
                for alias in statement.names:
                    name = alias.asname or alias.name
                    self.imported[name] = (statement.module or "", alias.name)
            for name in _names_defined(statement):
                assert isinstance(statement, Statement)
                self.defined.setdefault(name, []).append(statement)

    def needed(self, name: str) -> set[Statement]:
        """Return the statements that make up a name: its own, and those of what they mention."""
        found: set[Statement] = set()
        waiting = [name]
        while waiting:
            for statement in self.defined.get(waiting.pop(), ()):
                if statement not in found:
                    found.add(statement)
                    waiting += _mentioned(statement)
        return found

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
        """Return whether code, or a function that it calls, asserts something."""
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


@cache
def _mentioned(statement: Statement) -> frozenset[str]:
    """Return the names that a statement reads; a test's arguments too, which are fixtures."""
    return frozenset(
        node.id if isinstance(node, ast.Name) else node.arg
        for node in ast.walk(statement)
        if isinstance(node, ast.Name | ast.arg)
    )


@cache
def _digest(statement: Statement) -> str:
    """Return the digest of a statement; that a test is slow says when it runs, not what it asks."""
    lines = ast.unparse(statement).splitlines()
    return code_digest("\n".join(line for line in lines if line.strip() != _SLOW))


def _renamed(statement: Statement, names: Mapping[str, str]) -> Statement:
    """Return a statement with other names, if that takes none of them for another."""
    mentioned = {*_mentioned(statement), *_names_defined(statement)}
    if mentioned.isdisjoint(names) or mentioned & (set(names.values()) - names.keys()):
        return statement
    statement = deepcopy(statement)
    for node in ast.walk(statement):
        for kind, field in _NAMED:
            if isinstance(node, kind):
                name = getattr(node, field)
                setattr(node, field, names.get(name, name))
    return statement


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


def digest(evidence: str, root: Path = ROOT, names: Mapping[str, str] = _AS_THEY_ARE) -> str:
    """Return the digest of a piece of evidence: a pytest id or a theorem, as in the ledger.

    `names` gives what the names that a test has or mentions stand for. Raises EvidenceError if the
    evidence is not there, or cannot fail.
    """
    try:
        return _digest_of(evidence, root, names)
    except (EvidenceError, coq.CoqError) as error:
        raise EvidenceError(f"{evidence} {error}") from None


def _digest_of(evidence: str, root: Path, names: Mapping[str, str]) -> str:
    address, _, parameters = evidence.partition("[")
    name, *parts = address.split("::")
    path = root / name
    if not path.is_file():
        raise EvidenceError("is not there")
    if path.suffix == ".ipynb":
        return _notebook_digest(path)
    if coq.is_proof(evidence):
        return coq.read(root).digest(evidence)
    if name.startswith("tests/"):
        module = _module(path, root, path.stat().st_mtime_ns)
        needed = _needed(module, parts)
        return _together([parameters, *sorted(_digest(_renamed(one, names)) for one in needed)])
    return _doctest_digest(path, parts)


def _needed(module: _Module, parts: Sequence[str]) -> set[Statement]:
    """Return the statements that make up a test, or all tests of a file."""
    tests = [parts] if parts else [[n] for n in module.defined if n.startswith(("test_", "Test"))]
    for test in tests:
        function = module.function(test)
        if function is None and parts:
            raise EvidenceError("is not there")
        if function is not None and not module.can_fail(function, set()):
            raise EvidenceError("asserts nothing")
    return {one for test in tests for one in module.needed(test[0])}


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
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10]


def texts(entry: Claim | Result) -> list[str]:
    """Return all that an entry says, and that has to be true."""
    if isinstance(entry, Result):
        return [entry.status, entry.says, *entry.assumes]
    tried = [text for one in entry.tried for text in (one.reading, one.becomes)]
    correction = entry.correction.says if entry.correction else ""
    return [entry.status, entry.says, *tried, entry.reading or "", correction]


def text_digest(entry: Claim | Result) -> str:
    """Return the digest of what an entry says; white space does not count."""
    return _together(" ".join(text.split()) for text in texts(entry))


def stored(folder: Path) -> Digests:
    """Return the digests that were confirmed."""
    path = folder / STORED
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {name: digests for name, *digests in map(str.split, lines)}


def changed(ledger: Ledger, known: Digests, root: Path = ROOT) -> tuple[str, ...]:
    """Say which entries have to be confirmed anew, since `known` digests were stored.

    There is a line for each text that is not what it was, and for each piece of evidence that is
    not, is missing, or cannot fail.
    """
    said = []
    for entry in ledger.entries:
        text, *rest = known.get(entry.id, ("",))
        if text != text_digest(entry):
            said.append(f"{entry.id}: its text is new or changed: read it, then confirm {entry.id}")
        if len(rest) > len(entry.all_evidence):
            said.append(f"{entry.id}: some evidence is gone: read it, then confirm {entry.id}")
    gone = known.keys() - {entry.id for entry in ledger.entries}
    said += [f"{name} is in the ledger no more: confirm {name}" for name in sorted(gone)]
    for evidence, names in resting(ledger.entries).items():
        try:
            now = digest(evidence, root)
        except EvidenceError as error:
            said.append(f"{error}: {', '.join(names)} cannot rest on it")
            continue
        if lacking := [name for name in names if now not in known.get(name, ())]:
            said.append(f"{evidence} is new or changed: read it, then confirm {' '.join(lacking)}")
    return tuple(said)


def confirm(ledger: Ledger, folder: Path, names: Iterable[str], root: Path = ROOT) -> None:
    """Store what the text and the evidence of entries are; forget those that are gone.

    Raises ValueError if a name is no id of the ledger, EvidenceError if a piece of evidence is
    none.
    """
    digests = stored(folder)
    entries = {entry.id: entry for entry in ledger.entries}
    if unknown := set(names) - entries.keys() - digests.keys():
        raise ValueError(f"{', '.join(sorted(unknown))}: no such entry in the ledger")
    for name in names:
        digests.pop(name, None)
        if entry := entries.get(name):
            digests[name] = [text_digest(entry), *(digest(one, root) for one in entry.all_evidence)]
    _store(digests, folder)


def _store(digests: Digests, folder: Path) -> None:
    lines = (f"{name} {' '.join(digests[name])}\n" for name in sorted(digests))
    (folder / STORED).write_text("".join(lines), encoding="utf-8")


def confirm_renamed(
    ledger: Ledger, folder: Path, renamed: Mapping[str, str], root: Path = ROOT
) -> tuple[str, ...]:
    """Store the digests of renamed tests that are otherwise what was confirmed.

    `renamed` has the new ids of tests and of helpers by the old ones; the ledger has the new ones.
    Return a line for each renamed test that is something else now.
    """
    pairs = ((old.split("::")[1:], new.split("::")[1:]) for old, new in renamed.items())
    names = {new: old for one in pairs for old, new in zip(*one, strict=False)}
    digests, refused = stored(folder), []
    for evidence, who in resting(ledger.entries).items():
        now, before = digest(evidence, root), digest(evidence, root, names)
        for name in who:
            known = digests.get(name, [])
            if now not in known and before in known:
                known[known.index(before)] = now
            elif now not in known and evidence.partition("[")[0] in renamed.values():
                refused.append(f"{evidence} is not only renamed: read it, then confirm {name}")
    _store(digests, folder)
    return tuple(refused)


def outcomes(reports: Iterable[str | Path]) -> Outcomes:
    """Return from pytest's JUnit reports what became of each test, by its (classname, name).

    That is "passed", "failed" or "was skipped". Raises ValueError if a report is missing or no XML.
    """
    found: dict[tuple[str, str], str] = {}
    for report in reports:
        try:
            cases = ElementTree.parse(report).getroot().iter("testcase")
        except (OSError, ElementTree.ParseError) as error:
            raise ValueError(f"{report} is not a JUnit report: {error}") from None
        for case in cases:
            test = case.get("classname", ""), case.get("name", "")
            # A test can pass and its teardown fail: it is reported twice, and the worse counts.
            if case.find("failure") is not None or case.find("error") is not None:
                found[test] = "failed"
            elif case.find("skipped") is not None and found.get(test) != "failed":
                found[test] = "was skipped"
            else:
                found.setdefault(test, "passed")
    return found


def check(
    entries: Iterable[Claim | Result], ran: Outcomes, settled: Collection[str] = ()
) -> tuple[str, ...]:
    """Say which evidence of entries did not run, failed or was skipped: a line for each.

    A test's id stands for every set of its parameters, a file's for all that is in it. `settled`
    tests need not have run: nothing has changed since they passed. Of theorems `coq.check` knows.

    Examples
    --------
    >>> claim = Claim(
    ...     id="thm-3",
    ...     page="partial-knowledge/4-1-counting-queries",
    ...     title="Theorem 3",
    ...     source="partial-knowledge",
    ...     where="section 4.1",
    ...     version_read="arXiv version 2",
    ...     says="A count is private.",
    ...     status="holds",
    ...     by="exact",
    ...     evidence=("tests/test_a.py::test_b",),
    ... )
    >>> check([claim], {("tests.test_a", "test_b[1]"): "passed"})
    ()
    >>> check([claim], {})
    ('partial-knowledge/4-1-counting-queries: thm-3: tests/test_a.py::test_b did not run',)
    """
    problems = []
    for entry in entries:
        for evidence in entry.all_evidence:
            if coq.is_proof(evidence):
                continue
            verdicts = {ran[test] for test in ran if _is_part_of(test, evidence)}
            if not verdicts and slow_tests.without_parameters(evidence) not in settled:
                verdicts = {"did not run"}
            problems += [
                f"{entry.page}: {entry.id}: {evidence} {verdict}"
                for verdict in sorted(verdicts - {"passed"})
            ]
    return tuple(problems)


def _is_part_of(test: tuple[str, str], evidence: str) -> bool:
    """Whether the report's (classname, name) belongs to the evidence's id.

    pytest writes ``tests/test_a.py::TestB::test_c[1]`` as classname ``tests.test_a.TestB`` and name
    ``test_c[1]``; the name of a notebook keeps its suffix.
    """
    classname, name = test
    address, bracket, parameters = evidence.partition("[")
    file, *parts = address.split("::")
    module = file.removesuffix(".py").replace("/", ".")
    if not parts:
        return classname == module or classname.startswith(f"{module}.")
    *classes, function = parts
    if classname != ".".join([module, *classes]):
        return False
    if bracket:
        return name == function + bracket + parameters
    return name == function or name.startswith(f"{function}[")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 if there is a problem."""
    parser = argparse.ArgumentParser(description="The evidence of the ledger.")
    parser.add_argument("--ledger", type=Path, default=ROOT / "claims", help="its folder")
    commands = parser.add_subparsers(dest="command", metavar="confirm or check")
    confirming = commands.add_parser("confirm", help="store what claims and their evidence are now")
    confirming.add_argument("claim", nargs="*", help="an id of the ledger, such as thm-3")
    confirming.add_argument("--renamed", type=Path, metavar="MAP", help="old and new ids of tests")
    confirming.add_argument("--all", action="store_true", help=argparse.SUPPRESS)
    checking = commands.add_parser("check", help="hold the ledger against the report of a test run")
    checking.add_argument("reports", nargs="+", metavar="report.xml", help="pytest's JUnit report")
    checking.add_argument("--all", action="store_true", help="slow tests, too, must have run")
    given = parser.parse_args(arguments)
    folder = given.ledger.absolute()
    root = folder.parent
    problems: tuple[str, ...] = ()
    try:
        ledger, known = load(folder), stored(folder)
        if given.command != "confirm":
            problems = changed(ledger, known, root) if known or not given.command else ()
        elif given.all or bool(given.claim) == bool(given.renamed):
            confirming.error(
                "nobody reads all at once: name the claims whose text and evidence you read again, "
                "or say --renamed MAP of tests that have new names and are the same otherwise"
            )
        elif given.renamed:
            lines = given.renamed.read_text(encoding="utf-8").splitlines()
            problems = confirm_renamed(ledger, folder, dict(map(str.split, lines)), root)
        else:
            confirm(ledger, folder, given.claim, root)
        if given.command == "check":
            tests = map(slow_tests.without_parameters, resting(ledger.entries))
            settled = () if given.all else slow_tests.settled(tests, root)
            ran = check(ledger.entries, outcomes(given.reports), settled)
            problems = ran + coq_check.check(ledger, root) + problems
            if given.all and not problems:
                slow_tests.store(resting(ledger.entries), given.reports, root)
    except (OSError, ValueError, EvidenceError) as error:
        problems = (str(error),)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
