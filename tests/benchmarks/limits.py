"""Calls with a limit of CPU time and memory each: ``python -m tests.benchmarks.limits [WORDS]``.

Each is made in a process of its own. One that takes more than 10 seconds or 2 GB is marked, and the
exit status is 1 then. With arguments only those are made whose names have one of these words.
"""

import os
import resource
import sys
import traceback
from collections.abc import Callable

import numpy as np

from pkdp import accounting, counting, privacy_loss
from pkdp.databases import memberships, sampling
from pkdp.profiles import Pair
from pkdp.profiles.laws import Finite, binomial

SECONDS, GIGABYTES = 10.0, 2.0
MOST_SECONDS = 60  # what never ends is ended


def replies(losses: np.ndarray, leak: float = 0.0) -> list[Pair]:
    return [sampling.randomized_response(eps, leak) for eps in losses.tolist()]


def shifted(n: int, by: int) -> float:
    return Pair(binomial(n, 0.3).shift(by), binomial(n, 0.3)).profile().epsilon(1e-6)


def different(n: int) -> float:
    return Pair(binomial(n, 0.3), binomial(n, 0.3 + 0.1 / n**0.5)).profile().epsilon(1e-6)


def nearly_certain(n: int) -> float:
    rng = np.random.default_rng(1)
    chances = rng.uniform(0.0, 1e-9, n)
    sure = rng.random(n) < 0.5
    chances[sure] = 1.0 - chances[sure]
    return counting.exact(chances).epsilon(1e-6)


def geometric(loss: float) -> Pair:
    places = np.arange(-int(600 / loss), int(600 / loss) + 1)
    masses = np.exp(-loss * np.abs(places))
    law = Finite(int(places[0]), tuple((masses / masses.sum()).tolist()))
    return Pair(law.shift(1), law)


def composed(pairs: list[Pair], times: int = 1, step: float | None = None) -> object:
    return privacy_loss.bracket(pairs, [times] * len(pairs), step=step).epsilon(1e-6)


def of_samples() -> float:
    once = sampling.sampled(counting.pair([0.3] * 100), 0.01)
    return privacy_loss.composed_bound(once.profile(), 10**4).epsilon(1e-6)


def of_epsilons(largest: float, number: int) -> object:
    return accounting.heterogeneous(np.linspace(1e-4, largest, number)).epsilon(1e-6)


COUNT = counting.pair([0.1] * 999)
CALLS: dict[str, Callable[[], object]] = {
    "bounds, k = 3·10⁵": lambda: sampling.bounds(3 * 10**5, 0.01, 0.0, target=1e-9),
    "bounds, k = 10⁶": lambda: sampling.bounds(10**6, 1.0, 1e-9, target=1e-6),
    "by_sampling, 100 different replies": lambda: sampling.by_sampling(
        replies(np.linspace(0.01, 0.2, 100), 1e-9), 0.5
    ).epsilon(1e-6),
    "memberships, 50,000 of 10⁵ different": lambda: memberships.at_most(
        50_000, np.linspace(0.001, 0.01, 10**5)
    ).epsilon(1e-6),
    "a count of 10⁸ and its shift by 1000": lambda: shifted(10**8, 1000),
    "a count of 10¹⁰ and its shift by 2": lambda: shifted(10**10, 2),
    "a count of 10¹⁰ and its shift by 1000": lambda: shifted(10**10, 1000),
    "a count of 10¹⁰ and its shift by 10⁶": lambda: shifted(10**10, 10**6),
    "counts of 10¹⁰ with two probabilities": lambda: different(10**10),
    "10⁶ different records within 1e-9 of 0 or 1": lambda: nearly_certain(10**6),
    "10⁷ different records within 1e-9 of 0 or 1": lambda: nearly_certain(10**7),
    "30 counts, a step of 1e-5": lambda: composed([COUNT], 30, 1e-5),
    "30 counts, a step of 4e-6": lambda: composed([COUNT], 30, 4e-6),
    "10,000 counts, a step of 6e-5": lambda: composed([COUNT], 10**4, 6e-5),
    "1,000 different responses": lambda: composed(replies(np.linspace(0.01, 0.1, 1000))),
    "100 different counts": lambda: composed(
        [counting.pair([0.1 + i / 1000] * 999) for i in range(100)]
    ),
    "10,000 counts": lambda: composed([COUNT], 10**4),
    "1,000,000 counts": lambda: composed([COUNT], 10**6),
    "1,000,000 counts of 10⁹": lambda: composed(
        [counting.pair([0.1], multiplicities=[10**9])], 10**6
    ),
    "losses that end": lambda: composed([geometric(1.0), geometric(0.5)], 3),
    "10,000 samples of a count, by direction": of_samples,
    "10,000 different epsilons": lambda: of_epsilons(0.02, 10**4),
    "60,000 different epsilons": lambda: of_epsilons(0.006, 60_000),
}


def keeps_its_limits(name: str) -> bool:
    """Make a call in a process of its own, and print what it took."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        try:
            CALLS[name]()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    seconds, gigabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
    kept = status == 0 and seconds <= SECONDS and gigabytes <= GIGABYTES
    mark = "" if kept else "   FAILED" if status else "   OVER"
    print(f"{name:<52} {seconds:>6.1f} s {gigabytes:>6.2f} GB{mark}", flush=True)
    return kept


if __name__ == "__main__":
    words = sys.argv[1:] or [""]
    chosen = [name for name in CALLS if any(word in name for word in words)]
    kept = [keeps_its_limits(name) for name in chosen]
    sys.exit(not all(kept))
