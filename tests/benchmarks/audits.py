"""Audits of ten million rows, in seconds and gigabytes: ``python -m tests.benchmarks.audits``.

The file is made first, in a temporary folder, and takes half a gigabyte. Each audit is a process of
its own, as a user would start it; its memory is the largest it had.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
ROWS, GROUPS = 10_000_000, 1_000

AUDITS = {
    "one λ": ["--lam", "0.1"],
    "one λ, 1,000 groups, half known": ["--lam", "0.1", "--by", "region", "--known", "0.5"],
    "probabilities, 1,000 groups": ["--probabilities", "p", "--by", "region"],
    "probabilities, 1,000 groups, half known": [
        *("--probabilities", "p", "--by", "region", "--known", "0.5")
    ],
    "all probabilities different, half known": ["--probabilities", "q", "--known", "0.5"],
    "a model, 1,000 groups": ["--model", "age,sex", "--by", "region"],
    "households of three": ["--household", "home", "--lam", "0.1"],
}


def make(folder: Path) -> dict[str, Path]:
    """Write the rows as CSV and as Parquet."""
    files = {kind: folder / f"rows.{kind}" for kind in ("parquet", "csv")}
    columns = (
        f"'g' || CAST(floor({GROUPS} * random()) AS INTEGER) AS region, "
        "CASE WHEN random() < 0.4 THEN 'Y' ELSE 'N' END AS vote, "
        "round(0.05 + 0.9 * random(), 3) AS p, 0.05 + 0.9 * random() AS q, "
        "CAST(18 + floor(60 * random()) AS INTEGER) AS age, "
        "CASE WHEN random() < 0.5 THEN 'F' ELSE 'M' END AS sex, i // 3 AS home"
    )
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("SELECT setseed(0.5)")
        made = f"(SELECT {columns} FROM range({ROWS}) t(i))"
        database.execute(f"COPY {made} TO '{files['parquet']}' (FORMAT parquet)")
        database.execute(f"COPY (FROM '{files['parquet']}') TO '{files['csv']}' (HEADER)")
    return files


def timed(file: Path, options: list[str]) -> tuple[float, float, float, float]:
    """Return the seconds, those of the processor, the gigabytes and the ε of an audit."""
    command = [sys.executable, "-m", "pkdp", "audit", str(file), "--count", "vote=Y", *options]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--assume", "independent", "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    seconds = time.perf_counter() - began
    eps = json.loads(said)["active"]["eps"]
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20, eps


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = make(Path(folder))
        print(f"{'':40} {'file':8} {'s':>6} {'CPU s':>6} {'GB':>5} {'ε':>8}")
        for name, options in AUDITS.items():
            for kind, file in files.items():
                seconds, cpu, memory, eps = timed(file, options)
                row = f"{name:40} {kind:8} {seconds:6.1f} {cpu:6.1f} {memory:5.2f} {eps:8.4f}"
                print(row, flush=True)


if __name__ == "__main__":
    main()
