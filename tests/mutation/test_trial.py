"""A mutant is killed by what fails of it alone, or takes too long; nothing else is an outcome."""

import json
import subprocess
import sys

from tests.mutation.mutants import ROOT

MODULE = "pkdp/profiles/logarithms.py"
EXAMPLE = f"{MODULE}::pkdp.profiles.logarithms.log_sum"
# In a process of its own, which may fork.
SCRIPT = f"""
import itertools, json, os
from functools import partial
from tests.mutation.mutants import mutants_of
from tests.mutation.trial import Job, outcome_here, outcome_without, run_apart

by_text = {{(mutant.function, mutant.becomes): mutant for mutant in mutants_of({MODULE!r})}}
noticed = by_text["log_sum", "return largest - math.log1p(float(rest.sum()))"]
unnoticed = by_text["decayed_sums", "run = 2"]
jobs = [
    Job("noticed", partial(outcome_here, noticed, [{EXAMPLE!r}]), 60),
    Job("unnoticed", partial(outcome_here, unnoticed, [{EXAMPLE!r}]), 60),
    Job("as it is", partial(outcome_without, {MODULE!r}, [{EXAMPLE!r}]), 60),
    Job("no such test", partial(outcome_here, noticed, [{EXAMPLE!r} + "s"]), 60),
    Job("for ever", lambda: all(itertools.repeat(1)), 1),
    Job("stopped", lambda: os.kill(os.getpid(), 9), 60),
    Job("fails", lambda: 1 / 0, 60),
]
print(json.dumps(dict(run_apart(jobs, 2))))
"""


def test_outcomes():
    command = [sys.executable, "-c", SCRIPT]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == {
        "noticed": f"killed by {EXAMPLE}",
        "unnoticed": "survived",
        "as it is": "survived",
        "no such test": "unclear: status 5 of pytest",
        "for ever": "killed by the seconds it takes",
        "stopped": "unclear: the process ended with -9",
        "fails": "unclear: the process ended with 1",
    }
