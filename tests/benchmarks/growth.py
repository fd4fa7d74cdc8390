"""What an answer costs as the question grows: the same questions at many sizes.

ε shrinks with the size, so that δ hardly changes: 2 divided by the standard deviation of a count.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pkdp import (
    counting,
    definitions,
    kanonymity,
    mechanisms,
    noise,
    sampling,
    thresholding,
    worlds,
)
from pkdp.noiseless import chains, sums
from pkdp.profiles import privacy_loss

Task = Callable[[], object]

LAM = 0.05
DEVIATION = math.sqrt(LAM * (1 - LAM))


class Engine(NamedTuple):
    """An algorithm, the sizes it is asked at, and what makes a question of a size."""

    group: str
    sizes: tuple[int, ...]
    task: Callable[[int], Task]


def powers(first: int, last: int) -> tuple[int, ...]:
    """Return the powers of ten between two exponents."""
    return tuple(10**k for k in range(first, last + 1))


def loss(n: int) -> float:
    """Return an ε at which δ hardly depends on the number of records."""
    return 2.0 / (DEVIATION * math.sqrt(n))


def different(n: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(0.0, 1.0, n)


def one_more(n: int) -> Task:
    """A value of a count of different probabilities, after another one."""
    profile = counting.exact(different(n))
    profile.delta(loss(n))
    return lambda: profile.delta(1.01 * loss(n))


def noisy(n: int) -> Task:
    added = noise.add(counting.pair([LAM], [n]), noise.Geometric(0.5))
    return lambda: added.log_hockey_stick(loss(n))


def certified(profile: Callable[[int], object], n: int) -> Task:
    return lambda: profile(n).certified().bounds(loss(n))


def world(n: int) -> Task:
    """PPK for a count, of a world of n databases, a fourth of whose bits are known."""
    bits = n.bit_length() - 1
    laws = [Fraction(k, 2 * bits + 3) for k in range(2, bits + 2)]
    given = worlds.bits(laws, knowledge=range(bits // 4))
    return lambda: definitions.ppk_delta(given, mechanisms.total, 2, range(bits // 4, bits))


def three_kinds(k: int) -> Task:
    replies = [sampling.randomized_response(eps, 1e-9) for eps in (0.01, 0.012, 0.015)]
    return lambda: sampling.by_sampling(replies, [0.1, 0.2, 0.5], [k, k, k], step=1e-4).upper.delta(
        1.0
    )


ENGINES = {
    "exact, equal": Engine(
        "counts",
        powers(2, 10),
        lambda n: lambda: counting.exact([LAM], [n]).delta(loss(n)),
    ),
    "exact, different, first value": Engine(
        "counts",
        powers(2, 7),
        lambda n: (lambda p: lambda: counting.exact(p).delta(loss(n)))(different(n)),
    ),
    "exact, different, one more": Engine("counts", powers(2, 7), one_more),
    "worst case": Engine(
        "counts", powers(2, 10), lambda n: lambda: counting.worst_case(n, LAM).delta(loss(n))
    ),
    "blanket": Engine(
        "counts", powers(2, 10), lambda n: lambda: counting.blanket(n, LAM).delta(loss(n))
    ),
    "tail": Engine("counts", powers(2, 10), lambda n: lambda: counting.tail(n, LAM).delta(loss(n))),
    "exact, certified": Engine(
        "certified",
        powers(2, 10),
        lambda n: certified(lambda n: counting.exact([LAM], [n]), n),
    ),
    "worst case, certified": Engine(
        "certified", powers(2, 10), lambda n: certified(lambda n: counting.worst_case(n, LAM), n)
    ),
    "blanket, certified": Engine(
        "certified", powers(2, 9), lambda n: certified(lambda n: counting.blanket(n, LAM), n)
    ),
    "threshold, worst case": Engine(
        "thresholds and noise",
        powers(2, 10),
        lambda n: lambda: thresholding.worst_case(n, LAM, threshold=n // 20).delta(loss(n)),
    ),
    "threshold, passive": Engine(
        "thresholds and noise",
        powers(2, 10),
        lambda n: (
            lambda: thresholding.passive(n, LAM, threshold=n // 20, known=n // 2).delta(loss(n))
        ),
    ),
    "geometric noise": Engine("thresholds and noise", powers(3, 9), noisy),
    "geometric noise, worst case": Engine(
        "thresholds and noise",
        powers(3, 9),
        lambda n: lambda: noise.worst_case(n, LAM, noise=noise.Geometric(0.5)).log_delta(loss(n)),
    ),
    "k-anonymity, corrected": Engine(
        "thresholds and noise",
        powers(3, 10),
        lambda n: lambda: kanonymity.theorem_5(n, 0.02, k=n // 100, rare=1e-4).delta(loss(n)),
    ),
    "chain, causal": Engine(
        "other papers",
        powers(2, 7),
        lambda n: lambda: chains.causal(n, 0.5, 0.9).delta(2 / math.sqrt(n)),
    ),
    "sum of equal blocks": Engine(
        "other papers",
        powers(2, 7),
        lambda n: (
            lambda: sums.pair([({0: 0.25, 1: 0.25, 5: 0.5}, n)]).profile().delta(1 / math.sqrt(n))
        ),
    ),
    "many databases, three kinds": Engine("other papers", powers(1, 3), three_kinds),
    "days composed, upper": Engine(
        "other papers",
        powers(0, 4),
        lambda days: (
            lambda losses: (
                lambda: privacy_loss.compose([(losses, days)]).delta(0.1 * math.sqrt(days))
            )
        )(privacy_loss.of_pair(counting.pair([LAM], [10**4]), 1e-3)),
    ),
    "world of bits, PPK": Engine("worlds", tuple(2**k for k in range(4, 17, 2)), world),
}
