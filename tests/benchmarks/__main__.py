"""Timings of the library, printed and never tested: ``make benchmark``.

Machines differ and are noisy, so each time is the median of several runs, and the last column
relates it to the first row, which was measured in the same minute. With ``--record`` what the page
on costs shows is timed three times over, and the medians are stored in
pkdp/figures/reference/timings.json.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

from pkdp.figures.reference import timings
from tests.benchmarks import packages
from tests.benchmarks.growth import ENGINES
from tests.benchmarks.masses import seconds_of
from tests.benchmarks.questions import every_task

RUNS = 3
RECORD = Path(timings.__file__).with_name("timings.json")
# A size is not asked for if a tenth of it took longer.
LONGEST = 2.0


def machine() -> str:
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"


def growth() -> dict[str, list[tuple[int, float]]]:
    """Return the seconds of each engine at its sizes."""
    found: dict[str, list[tuple[int, float]]] = {}
    for name, engine in ENGINES.items():
        found[name] = []
        for size in engine.sizes:
            seconds = seconds_of(engine.task(size))
            found[name].append((size, seconds))
            if seconds > LONGEST:
                break
    return found


def compared() -> tuple[dict[str, str], list[tuple[str, str, float, float]]]:
    """Return versions, and package, question, seconds and answer of each comparison."""
    theirs, answers = packages.in_their_environment()
    tasks = packages.of_equal_records() | packages.of_different_records()
    rows = [(*key, seconds_of(task), task()) for key, task in tasks.items()]
    return packages.versions() | theirs, rows + [(*key, *answer) for key, answer in answers.items()]


def largest_memory() -> float:
    """Return the gigabytes that a count of ten million different records takes, all in all."""
    command = [sys.executable, "-m", "tests.benchmarks.memory"]
    said = subprocess.run(command, cwd=packages.ROOT, check=True, capture_output=True, text=True)
    return float(said.stdout)


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return the medians of what all runs have timed."""
    names = [name for name in runs[0] if all(name in run for run in runs)]
    return {name: statistics.median(run[name] for run in runs) for name in names}


def record() -> None:
    """Time what the page shows, three times over, and store the medians."""
    comparisons, growths, questions = [], [], []
    for run in range(1, RUNS + 1):
        versions, rows = compared()
        comparisons.append(rows)
        questions.append({name: seconds_of(task) for name, task in every_task().items()})
        growths.append(growth())
        print(f"run {run} of {RUNS}", flush=True)
    answered: dict[str, dict[str, tuple[float, float]]] = {}
    for same in zip(*comparisons, strict=True):
        package, question, _, answer = same[0]
        seconds = statistics.median(row[2] for row in same)
        answered.setdefault(question, {})[package] = seconds, answer
    said = {
        "machine": machine(),
        "versions": versions,
        "memory": largest_memory(),
        "packages": answered,
        "growth": {
            name: medians([{str(n): seconds for n, seconds in run[name]} for run in growths])
            for name in ENGINES
        },
        "questions": medians(questions),
    }
    RECORD.write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n")


def show() -> None:
    """Print how long everything takes, once."""
    reference = 0.0
    for name, task in every_task().items():
        seconds = seconds_of(task)
        reference = reference or seconds
        print(f"{name:<48} {1e3 * seconds:>10.2f} ms   x {seconds / reference:>8.1f}", flush=True)
    for package, question, seconds, value in compared()[1]:
        print(
            f"{package + ': ' + question:<48} {1e3 * seconds:>10.2f} ms   {value:.6g}", flush=True
        )
    for name, times in growth().items():
        print(f"{name}: " + ", ".join(f"{n:.0e} {1e3 * s:.2f} ms" for n, s in times), flush=True)


if __name__ == "__main__":
    record() if "--record" in sys.argv[1:] else show()
