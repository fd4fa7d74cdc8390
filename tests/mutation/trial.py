"""Which tests run which lines, and which mutants no test notices.

Every mutant is tried in a process of its own, forked from one that has imported everything but the
library. It runs the tests that reach the mutated statement, the quick ones first, then others of
the module, until one fails: the mutant is killed. So it is if its module cannot be imported, or
if the tests take far longer than they do.
"""

import contextlib
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

# The library's own tests. What is built from it, and what is slow by its nature, would add little.
TESTS = ("databases", "noiseless", "oracles", "pages", "partial_knowledge", "profiles")
TESTS += ("practice", "studies", "worlds")
# Seconds of tests, as they take without a mutant, that a mutant has to get past.
ENOUGH = 12.0
MEMORY = 6 << 30


class Reach(NamedTuple):
    """What the tests of one file run: ``lines[module][line]`` are tests, which take ``seconds``."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]


def test_files() -> list[str]:
    """Return the files of the library's tests, and the modules, for their examples."""
    files = [ROOT / "tests" / "test_checks.py"]
    for room in TESTS:
        files += sorted((ROOT / "tests" / room).rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in files] + numeric_modules()


def _name_of(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")


def _run(files: Sequence[str], plugin: object) -> int:
    """Run the tests of some files and return pytest's status."""
    for file in files:
        # Of a module whose package imports it, pytest makes another copy, unless it is there.
        if file.startswith("pkdp/"):
            importlib.import_module(_name_of(file))
    return pytest.main([*files, *OPTIONS], plugins=[plugin])


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


def measure_reach(file: str, out: Path) -> int:
    """Run the tests of one file and write what they reach; return pytest's status."""
    measured = coverage.Coverage(data_file=None, source=["pkdp"], messages=False)
    contexts = _Contexts(measured)
    measured.start()
    status = _run([file], contexts)
    measured.stop()
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        return status
    lines: dict[str, dict[int, list[str]]] = {}
    for module in numeric_modules():
        reached = measured.get_data().contexts_by_lineno(str(ROOT / module))
        lines[module] = {line: [test for test in tests if test] for line, tests in reached.items()}
    out.write_text(json.dumps(Reach(lines, contexts.seconds)))
    return 0


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

    def tests(self, mutant: Mutant) -> list[str]:
        """Return tests that take `ENOUGH` seconds, or all there are, those for the line first."""
        lines = self.lines.get(mutant.module, {})
        at_line = lines.get(mutant.line, set())
        others = set().union(*lines.values()) - at_line
        chosen, total = [], 0.0
        for group in (at_line, others):
            for test in sorted(group, key=lambda test: (self.seconds[test], test)):
                total += self.seconds[test]
                if total > ENOUGH and chosen:
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


def outcome_here(mutant: Mutant | None, tests: Sequence[str]) -> int:
    """Run tests against a mutant, or against the library as it is; return pytest's status."""
    if mutant is not None:
        name = _name_of(mutant.module)
        sys.meta_path.insert(0, _Finder(name, ROOT / mutant.module, mutant.source()))
        try:
            importlib.import_module(name)
        except Exception:
            return pytest.ExitCode.TESTS_FAILED
    files = sorted({test.split("::")[0] for test in tests})
    return _run(files, _Only(tests))


class Job(NamedTuple):
    """Work for a process of its own, which may take so many seconds of a core."""

    key: str
    seconds: float
    work: Callable[[], int]


def run_apart(jobs: Iterable[Job], at_a_time: int) -> Iterator[tuple[str, int]]:
    """Run jobs, each in a forked process; yield key and status, negative if a signal ended it.

    What a pool does, but that a process which is ended from outside takes no other with it.
    """
    running: dict[int, str] = {}
    left = iter(jobs)
    while True:
        for job in itertools.islice(left, at_a_time - len(running)):
            sys.stdout.flush()
            if (pid := os.fork()) == 0:
                _work_and_end(job)
            running[pid] = job.key
        if not running:
            return
        pid, status = os.wait()
        yield running.pop(pid), os.waitstatus_to_exitcode(status)


def _work_and_end(job: Job) -> NoReturn:
    status = 1
    with contextlib.suppress(BaseException), _quiet():
        seconds = math.ceil(job.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(6 * seconds + 60)  # it may wait for something, for ever
        status = job.work()
    os._exit(status)
