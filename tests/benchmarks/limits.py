"""Calls with a limit of CPU time and memory each: ``python -m tests.benchmarks.limits [WORDS]``.

Each is made in a process of its own. One that is over a limit is marked, and the exit status is 1
then. With arguments only those are made whose names have one of these words in them.
"""

import resource
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pkdp import memberships, sampling
from pkdp.profiles.pairs import DiscretePair
from tests.benchmarks import limits_laws, limits_losses
from tests.benchmarks.packages import ROOT

SECONDS, GIGABYTES = 10.0, 2.0


class Limited(NamedTuple):
    """A call that must keep within limits of CPU time, imports included, and of memory."""

    name: str
    call: Callable[[], object]
    seconds: float = SECONDS
    gigabytes: float = GIGABYTES


def replies(number: int) -> list[DiscretePair]:
    return [sampling.randomized_response(eps, 1e-9) for eps in np.linspace(0.01, 0.2, number)]


def random_vectors() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 2, (100, 1000))


CALLS = [
    Limited(
        "sampling.bounds, k = 3·10^5", lambda: sampling.bounds(3 * 10**5, 0.01, 0.0, target=1e-9)
    ),
    Limited("sampling.bounds, k = 10^6", lambda: sampling.bounds(10**6, 1.0, 1e-9, target=1e-6)),
    Limited(
        "sampling.by_sampling, 100 different replies",
        lambda: sampling.by_sampling(replies(100), 0.5).epsilon(1e-6),
    ),
    Limited(
        "memberships.at_most, 50,000 of 10^5 different",
        lambda: memberships.at_most(50_000, np.linspace(0.001, 0.01, 10**5)).epsilon(1e-6),
    ),
    Limited(
        "memberships.constrained, 100 vectors of 1000 bits",
        lambda: memberships.constrained(
            random_vectors(), np.linspace(0.001, 0.01, 1000), bounded=True
        ).epsilon(1e-6),
    ),
    *(Limited(name, call) for name, call in limits_laws.ROWS + limits_losses.ROWS),
]


def used() -> tuple[float, float]:
    """Return the seconds of CPU time and the gigabytes that this process has taken."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def keeps_its_limits(limited: Limited) -> bool:
    """Make a call in a process of its own, and print what it took."""
    command = [sys.executable, "-m", "tests.benchmarks.limits", "--alone", limited.name]
    hard = int(limited.seconds) + 50  # what never ends is ended

    def end_it() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))

    said = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, preexec_fn=end_it
    )
    if said.returncode:
        print(f"{limited.name:<52} failed {said.stderr[-300:]}", flush=True)
        return False
    seconds, gigabytes = map(float, said.stdout.split())
    kept = seconds <= limited.seconds and gigabytes <= limited.gigabytes
    mark = "" if kept else "   OVER"
    print(f"{limited.name:<52} {seconds:>6.1f} s {gigabytes:>6.2f} GB{mark}", flush=True)
    return kept


def main(words: list[str]) -> int:
    if words[:1] == ["--alone"]:
        next(each for each in CALLS if each.name == words[1]).call()
        print(*used())
        return 0
    chosen = [each for each in CALLS if not words or any(word in each.name for word in words)]
    kept = [keeps_its_limits(each) for each in chosen]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
