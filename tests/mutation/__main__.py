"""Try mutants of the numeric modules and record which survive: ``make mutants``.

``python -m tests.mutation [MODULE …] [--sample 10] [--jobs 2]``. What was tried before, of modules
that have not changed, is not tried again, unless ``--again`` asks for those that survived. The
record is tests/mutation/record.yml; what it says of why a survivor survives is written by hand and
kept.
"""

import argparse
import hashlib
import importlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial

from tests.mutation import record
from tests.mutation.mutants import ROOT, Mutant, numeric_modules, sample
from tests.mutation.trial import (
    Job,
    Reach,
    Selection,
    measure_reach,
    outcome_here,
    run_apart,
    test_files,
)

KEPT = ROOT / "_build" / "mutation"
HOUR = 3600.0
# What a process forked from this one need not import again. The library is not among it.
IMPORTED = """
    flint hypothesis.extra.numpy mpmath numpy pandas scipy.fft scipy.integrate scipy.optimize
    scipy.signal scipy.sparse.csgraph scipy.special scipy.stats statsmodels.api sympy
"""


def digest(files: Iterable[str]) -> str:
    """Return a short digest of some files."""
    texts = (name.encode() + (ROOT / name).read_bytes() for name in sorted(files))
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def reaches(jobs: int) -> list[Reach]:
    """Return what the tests of every file reach, measured unless it is known."""
    folder = KEPT / "reach"
    folder.mkdir(parents=True, exist_ok=True)
    modules = digest(numeric_modules())
    outs = {
        file: folder / f"{file.replace('/', '.')}-{digest([file])}-{modules}.json"
        for file in test_files()
    }
    missing = {file: out for file, out in outs.items() if not out.exists()}
    measures = (Job(file, HOUR, partial(measure_reach, file, out)) for file, out in missing.items())
    for file, status in run_apart(measures, jobs):
        print(f"reach of {file}" + (f": status {status}" if status else ""), flush=True)
        if status:
            sys.exit(f"The tests of {file} do not pass without a mutant.")
    return [Reach(*json.loads(out.read_text())) for out in outs.values()]


def trials(mutants: Iterable[Mutant], selection: Selection, known: dict[str, str]) -> Iterator[Job]:
    """Yield the trial of each mutant that has tests and is not known."""
    for mutant in mutants:
        tests = selection.tests(mutant)
        if mutant.name not in known and tests:
            # What the tests take was measured with that of their lines, which slows them.
            seconds = 8.0 + 2.0 * selection.time_of(tests)
            yield Job(mutant.name, seconds, partial(outcome_here, mutant, tests))


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
    selection = Selection(reaches(options.jobs))

    for module in options.modules:
        mutants = sample(module, options.sample)
        kept = KEPT / f"{module.replace('/', '.')}-{digest([module])}.json"
        outcomes = json.loads(kept.read_text()) if kept.exists() else {}
        if options.again:
            outcomes = {name: outcome for name, outcome in outcomes.items() if outcome == "killed"}
        for name, status in run_apart(trials(mutants, selection, outcomes), options.jobs):
            outcomes[name] = "survived" if status == 0 else "killed"
            kept.write_text(json.dumps(outcomes, indent=0))
        # Nobody runs it, so that nothing notices.
        outcomes = {mutant.name: outcomes.get(mutant.name, "survived") for mutant in mutants}
        record.write(module, outcomes)
        survivors = [name for name, outcome in outcomes.items() if outcome == "survived"]
        print(f"{module}: {len(mutants) - len(survivors)} of {len(mutants)} killed", flush=True)
        for name in survivors:
            print(f"    {name.partition('::')[2]}", flush=True)


if __name__ == "__main__":
    main()
