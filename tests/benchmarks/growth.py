"""What an answer costs as the question grows: the same questions at many sizes.

ε shrinks with the size, so that δ hardly changes: 2 divided by the standard deviation of a count.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pkdp import counting, definitions, kanonymity, mechanisms, noise, thresholding, worlds
from pkdp.databases import sampling
from pkdp.noiseless import chains, sums
from pkdp.profiles import PrivacyProfile, privacy_loss

Task = Callable[[], object]
Maker = Callable[[int], Task]

LAM = 0.05
DEVIATION = math.sqrt(LAM * (1 - LAM))


class Engine(NamedTuple):
    """An algorithm, the sizes it is asked at, and what makes a question of a size."""

    sizes: tuple[int, ...]
    task: Maker


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
    added = noise.add(counting.pair([LAM], multiplicities=[n]), noise.Geometric(0.5))
    return lambda: added.log_hockey_stick(loss(n))


def certified(profile: Callable[[int], PrivacyProfile]) -> Maker:
    return lambda n: lambda: profile(n).certified().bounds(loss(n))


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


def value(profile: Callable[[int], PrivacyProfile], scale: float = 2.0 / DEVIATION) -> Maker:
    """A value of a profile from nothing, at an ε of so many divided by the root of the size."""
    return lambda n: lambda: profile(n).delta(scale / math.sqrt(n))


def first(n: int) -> Task:
    probabilities = different(n)
    return lambda: counting.exact(probabilities).delta(loss(n))


def days(number: int) -> Task:
    losses = privacy_loss.of_pair(counting.pair([LAM], multiplicities=[10**4]), 1e-3)
    return lambda: privacy_loss.compose([(losses, number)]).delta(0.1 * math.sqrt(number))


def exact(n: int) -> PrivacyProfile:
    return counting.exact([LAM], multiplicities=[n])


def worst_case(n: int) -> PrivacyProfile:
    return counting.worst_case(n, LAM)


def blanket(n: int) -> PrivacyProfile:
    return counting.blanket(n, LAM)


ENGINES = {
    "exact, equal": Engine(powers(2, 10), value(exact)),
    "exact, different, first value": Engine(powers(2, 7), first),
    "exact, different, one more": Engine(powers(2, 7), one_more),
    "worst case": Engine(powers(2, 10), value(worst_case)),
    "blanket": Engine(powers(2, 10), value(blanket)),
    "tail": Engine(powers(2, 10), value(lambda n: counting.tail(n, LAM))),
    "exact, certified": Engine(powers(2, 10), certified(exact)),
    "worst case, certified": Engine(powers(2, 10), certified(worst_case)),
    "blanket, certified": Engine(powers(2, 9), certified(blanket)),
    "threshold, worst case": Engine(
        powers(2, 10), value(lambda n: thresholding.worst_case(n, LAM, threshold=n // 20))
    ),
    "threshold, passive": Engine(
        powers(2, 10),
        value(lambda n: thresholding.passive(n, LAM, threshold=n // 20, known=n // 2)),
    ),
    "geometric noise": Engine(powers(3, 9), noisy),
    "geometric noise, worst case": Engine(
        powers(3, 9), value(lambda n: noise.worst_case(n, LAM, noise=noise.Geometric(0.5)))
    ),
    "k-anonymity, corrected": Engine(
        powers(3, 10), value(lambda n: kanonymity.theorem_5(n, 0.02, k=n // 100, rare=1e-4))
    ),
    "chain, causal": Engine(powers(2, 7), value(lambda n: chains.causal(n, 0.5, 0.9), 2.0)),
    "sum of equal blocks": Engine(
        powers(2, 7),
        value(lambda n: sums.pair([({0: 0.25, 1: 0.25, 5: 0.5}, n)]).profile(), 1.0),
    ),
    "many databases, three kinds": Engine(powers(1, 3), three_kinds),
    "days composed, upper": Engine(powers(0, 4), days),
    "world of bits, PPK": Engine(tuple(2**k for k in range(4, 17, 2)), world),
}
