"""Try mutants of the numeric modules and record which survive: ``make mutants``.

``python -m tests.mutation [MODULE …] [--sample 10] [--jobs 2] [--again]``. What was tried before,
of modules that have not changed, is not tried again; ``--again`` tries those that survived again,
with tests that are new, and more of them.

The record is tests/mutation/record.yml. ``make mutants SAMPLE=5`` makes it anew, in an hour or two
of two cores, but for what it says of why a survivor survives, which people write and which is kept.
Outcomes, with the test that killed each mutant, are below _build/mutation.
"""

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tests.mutation import record
from tests.mutation.mutants import ROOT, Mutant, numeric_modules, sample
from tests.mutation.trial import (
    KILLED_BY,
    NOTHING,
    SURVIVED,
    TOO_LONG,
    Job,
    Reach,
    Selection,
    digest,
    measure_reach,
    outcome_here,
    outcome_without,
    run_apart,
    test_files,
)

KEPT = ROOT / "_build" / "mutation"
HOUR = 3600.0
# Seconds of tests, as they take without a mutant, that a mutant has to get past; and again.
ENOUGH, ENOUGH_AGAIN = 12.0, 30.0
# What a process forked from this one need not import again. The library is not among it.
IMPORTED = """
    flint hypothesis.extra.numpy mpmath numpy pandas scipy.fft scipy.integrate scipy.optimize
    scipy.signal scipy.sparse.csgraph scipy.special scipy.stats statsmodels.api sympy
"""


def reaches(modules: Sequence[str], at_a_time: int) -> list[Reach]:
    """Return what the tests of every file reach of some modules, measured unless it is known."""
    folder = KEPT / "reach"
    folder.mkdir(parents=True, exist_ok=True)
    outs = {file: folder / f"{file.replace('/', '.')}.json" for file in test_files()}
    jobs = []
    for file, out in outs.items():
        known = Reach(*json.loads(out.read_text())) if out.exists() else NOTHING
        if not known.holds(modules):
            known = NOTHING
        if known.file != digest([file]):
            jobs.append(Job(file, partial(measure_reach, file, known, out), HOUR))
    for file, failed in run_apart(jobs, at_a_time):
        left_out = f", without {failed}, which fails as it is" if failed else ""
        print(f"reach of {file}{left_out}", flush=True)
    return [Reach(*json.loads(out.read_text())) for out in outs.values()]


@dataclass
class Trials:
    """Trials of mutants of a module, and of the module as it is under the same conditions."""

    module: str
    tests: dict[str, list[str]]
    selection: Selection
    at_a_time: int

    def limit(self, tests: Sequence[str]) -> float:
        """Return the seconds of a core that a trial of some tests may take."""
        # What they take was measured with that of their lines, which slows them.
        return 8.0 + 2.0 * self.selection.time_of(tests)

    def outcomes(self, mutants: Sequence[Mutant]) -> dict[str, str]:
        """Return the outcome of each mutant that has one."""
        trials = (
            Job(mutant.name, partial(outcome_here, mutant, tests), self.limit(tests))
            for mutant in mutants
            if (tests := self.tests[mutant.name])
        )
        found = {}
        for name, said in run_apart(trials, self.at_a_time):
            if said == SURVIVED or said.startswith(KILLED_BY):
                found[name] = said
            else:
                print(f"{name}: {said}", flush=True)
        while shared := self.shared(found):
            print(f"{self.module} as it is: {shared}", flush=True)
            if not shared & set(found.values()):
                sys.exit("These tests are no measure.")
            found = {name: said for name, said in found.items() if said not in shared}
        return found

    def shared(self, outcomes: dict[str, str]) -> set[str]:
        """Return the outcomes that the module as it is has, too, where it should survive."""
        # What killed, all in one process; a test, or a file of them that could not be read.
        killers = [
            test
            for name, said in outcomes.items()
            for test in self.tests[name]
            if test.startswith(said.removeprefix(KILLED_BY))
        ]
        # What took too long, each with all of its tests.
        longest = [self.tests[name] for name, said in outcomes.items() if said == TOO_LONG]
        trials = (
            Job("", partial(outcome_without, self.module, tests), self.limit(tests))
            for tests in (list(dict.fromkeys(killers)), *longest)
            if tests
        )
        return {said for _, said in run_apart(trials, self.at_a_time)} - {SURVIVED}


def main() -> None:
    """Try the mutants that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", default=numeric_modules(), metavar="MODULE")
    parser.add_argument("--sample", type=int, default=10, help="mutants of each module (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    parser.add_argument("--again", action="store_true", help="try those again that survived")
    options = parser.parse_args()

    os.environ |= {"HYPOTHESIS_PROFILE": "mutation", "OPENBLAS_NUM_THREADS": "1"}
    for name in IMPORTED.split():
        importlib.import_module(name)
    selection = Selection(reaches(options.modules, options.jobs))
    enough = ENOUGH_AGAIN if options.again else ENOUGH

    for module in options.modules:
        mutants = sample(module, options.sample)
        kept = KEPT / f"{module.replace('/', '.')}-{digest([module])}.json"
        outcomes: dict[str, str] = {}
        passed: dict[str, list[str]] = {}
        if kept.exists():
            outcomes, passed = json.loads(kept.read_text())
        new = [mutant for mutant in mutants if mutant.name not in outcomes]
        if options.again:
            new = [mutant for mutant in mutants if outcomes.get(mutant.name, SURVIVED) == SURVIVED]
        tests = {
            mutant.name: selection.tests(mutant, enough, passed.get(mutant.name, ()))
            for mutant in new
        }
        found = Trials(module, tests, selection, options.jobs).outcomes(new)
        outcomes |= found
        for name, said in found.items():
            if said == SURVIVED:
                passed[name] = sorted({*passed.get(name, ()), *tests[name]})
        kept.write_text(json.dumps((outcomes, passed), indent=0))
        # What no test runs is noticed by none; and what is unclear is not killed.
        outcomes = {mutant.name: outcomes.get(mutant.name, SURVIVED) for mutant in mutants}
        record.write(module, outcomes)
        survivors = [name for name, said in outcomes.items() if said == SURVIVED]
        print(f"{module}: {len(mutants) - len(survivors)} of {len(mutants)} killed", flush=True)
        for name in survivors:
            print(f"    {name.partition('::')[2]}", flush=True)


if __name__ == "__main__":
    main()
