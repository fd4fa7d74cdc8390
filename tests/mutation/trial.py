"""Which tests run which lines, and which mutants no test notices.

Every mutant is tried in a process of its own, forked from one that has imported everything but the
library. It runs the tests that reach the mutated statement, the quick ones first, then others of
the module, until one fails: the mutant is killed. So it is if its module cannot be imported, or
if the tests take far more of a core than they do. What ends otherwise (a process stopped from
outside, one that only waited, a test that is not there) is no outcome. Nor is a failure that the
library shares as it is: what killed the mutants of a module is run once without a mutant, on the
same text written anew.
"""

import ast
import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import coverage
import pytest

from tests.mutation.mutants import ROOT, Mutant, numeric_modules

# The library's own tests. What is built from it would add little; nor is there time for those tests
# that are marked slow.
TESTS = ("databases", "noiseless", "oracles", "pages", "partial_knowledge", "profiles")
TESTS += ("practice", "studies", "worlds")
MEMORY = 6 << 30
# Outcomes of a trial: this one, and those that begin with the second.
SURVIVED, KILLED_BY = "survived", "killed by "
TOO_LONG = f"{KILLED_BY}the seconds it takes"


def digest(files: Iterable[str]) -> str:
    """Return a short digest of some files."""
    texts = (name.encode() + (ROOT / name).read_bytes() for name in sorted(files))
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


class Reach(NamedTuple):
    """What the tests of one file run: ``lines[module][line]`` are tests, which take ``seconds``.

    It is so as long as the file is what it is, and so are the modules whose lines are asked for. If
    only the file changes, only those tests are measured that it did not have.
    """

    file: str
    modules: dict[str, str]
    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def holds(self, modules: Iterable[str]) -> bool:
        """Whether some modules still are what they were, if the tests run them at all."""
        return all(
            self.modules[module] == digest([module]) for module in modules if module in self.modules
        )


NOTHING = Reach("", {}, {}, {})


def test_files() -> list[str]:
    """Return the files of the library's tests, and the modules, for their examples."""
    files = [ROOT / "tests" / "test_checks.py"]
    for room in TESTS:
        files += sorted((ROOT / "tests" / room).rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in files] + numeric_modules()


def _name_of(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")


def _run(files: Sequence[str], *plugins: object, options: Sequence[str] = ()) -> int:
    """Run the tests of some files and return pytest's status."""
    for file in files:
        # Of a module whose package imports it, pytest makes another copy, unless it is there.
        if file.startswith("pkdp/"):
            importlib.import_module(_name_of(file))
    return pytest.main([*files, *OPTIONS, *options], plugins=list(plugins))


class _Failed:
    """Notes what failed: tests, and files that could not be read."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.names.append(report.nodeid)


class _Contexts:
    """Tells the coverage measurement which test is running."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.measured.switch_context(item.nodeid)
        start = time.process_time()
        yield
        self.seconds[item.nodeid] = time.process_time() - start
        self.measured.switch_context("")


class _Others:
    """Runs tests but for some."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = set(known)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.known]


def measure_reach(file: str, old: Reach, out: Path) -> str:
    """Run those tests of one file that are not known, and write what all of them reach.

    Return what failed, which is left out.
    """
    measured = coverage.Coverage(data_file=None, source=["pkdp"], messages=False)
    contexts, failed = _Contexts(measured), _Failed()
    measured.start()
    options = ["--maxfail=0", "-m", "not slow"]
    _run([file], contexts, failed, _Others(old.seconds), options=options)
    measured.stop()
    lines = {
        module: {int(line): tests for line, tests in by_line.items()}
        for module, by_line in old.lines.items()
    }
    for module in numeric_modules():
        reached = measured.get_data().contexts_by_lineno(str(ROOT / module))
        for line, tests in reached.items():
            if good := [test for test in tests if test and test not in failed.names]:
                lines.setdefault(module, {}).setdefault(line, []).extend(good)
    digests = {module: digest([module]) for module in lines} | old.modules
    seconds = old.seconds | contexts.seconds
    out.write_text(json.dumps(Reach(digest([file]), digests, lines, seconds)))
    return ", ".join(failed.names)


# Nothing is kept of a run, and the first failure is enough.
OPTIONS = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let nothing be written, by whatever writes it."""
    kept = [os.dup(stream) for stream in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stdout.flush()
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        yield
    finally:
        sys.stdout.flush()
        for stream, old in zip((1, 2), kept, strict=True):
            os.dup2(old, stream)
            os.close(old)
        os.close(nowhere)


class Selection:
    """The tests for a mutant: those that reach its statement, then others of its module."""

    def __init__(self, reaches: Iterable[Reach]) -> None:
        self.lines: dict[str, dict[int, set[str]]] = {}
        self.seconds: dict[str, float] = {}
        for reach in reaches:
            self.seconds |= reach.seconds
            for module, lines in reach.lines.items():
                known = self.lines.setdefault(module, {})
                for line, tests in lines.items():
                    known.setdefault(int(line), set()).update(tests)

    def tests(self, mutant: Mutant, enough: float, passed: Iterable[str] = ()) -> list[str]:
        """Return tests that take so many seconds, or all, those for the line first; none passed."""
        lines = self.lines.get(mutant.module, {})
        at_line = lines.get(mutant.line, set())
        others = set().union(*lines.values()) - at_line
        done = set(passed)
        chosen, total = [], 0.0
        for group in (at_line, others):
            for test in sorted(group - done, key=lambda test: (self.seconds[test], test)):
                total += self.seconds[test]
                if total > enough and chosen:
                    return chosen
                chosen.append(test)
        return chosen

    def time_of(self, tests: Iterable[str]) -> float:
        """Return the seconds that some tests take without a mutant."""
        return sum(self.seconds[test] for test in tests)


class _Mutated(importlib.machinery.SourceFileLoader):
    """Loads a module from a text that is not that of its file."""

    text: str

    def get_code(self, fullname: str) -> object:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name, self.path = name, path
        self.loader = _Mutated(name, str(path))
        self.loader.text = text

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self.loader)


class _Only:
    """Runs some tests, in a given order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(kept, key=lambda item: self.order[item.nodeid])


def outcome_here(mutant: Mutant, tests: Sequence[str]) -> str:
    """Run tests against a mutant and return its outcome."""
    return _outcome(mutant.module, mutant.source(), tests)


def outcome_without(module: str, tests: Sequence[str]) -> str:
    """Run tests against the library as it is, a module of it loaded as a mutant would be."""
    return _outcome(module, ast.unparse(ast.parse((ROOT / module).read_text())), tests)


def _outcome(module: str, text: str, tests: Sequence[str]) -> str:
    name, failed = _name_of(module), _Failed()
    sys.meta_path.insert(0, _Finder(name, ROOT / module, text))
    try:
        importlib.import_module(name)
    except Exception:
        return f"{KILLED_BY}the import of its module"
    files = sorted({test.split("::")[0] for test in tests})
    status = _run(files, _Only(tests), failed)
    if status == pytest.ExitCode.OK:
        return SURVIVED
    # Interrupted is how pytest calls it if a file of tests cannot be imported.
    if status in {pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED} and failed.names:
        return f"{KILLED_BY}{failed.names[0]}"
    return f"unclear: status {status} of pytest"


class Job(NamedTuple):
    """Work for a process of its own, which may take so many seconds of a core."""

    key: str
    work: Callable[[], str]
    seconds: float


def run_apart(jobs: Iterable[Job], at_a_time: int) -> Iterator[tuple[str, str]]:
    """Run jobs, each in a forked process; yield each key, and what its work returned.

    What a pool does, but that a process which is ended from outside takes no other with it.
    """
    running: dict[int, tuple[str, int]] = {}
    left = iter(jobs)
    while True:
        for job in itertools.islice(left, at_a_time - len(running)):
            reader, writer = os.pipe()
            sys.stdout.flush()
            if (pid := os.fork()) == 0:
                os.close(reader)
                _work_and_end(job, writer)
            os.close(writer)
            running[pid] = job.key, reader
        if not running:
            return
        pid, status = os.wait()
        key, reader = running.pop(pid)
        with open(reader, encoding="utf-8") as answer:
            said = answer.read()
        code = os.waitstatus_to_exitcode(status)
        # The first of these seconds are up; nothing but the system sends that signal.
        if code == -signal.SIGXCPU:
            said = TOO_LONG
        elif code:
            said = f"unclear: the process ended with {code}"
        yield key, said


def _work_and_end(job: Job, writer: int) -> NoReturn:
    status = 1
    with contextlib.suppress(BaseException), _quiet():
        seconds = math.ceil(job.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 60))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(60 * seconds + 600)  # it may wait for something, for ever
        # Short enough for a pipe that nobody reads yet.
        os.write(writer, job.work()[:4000].encode())
        status = 0
    os._exit(status)
