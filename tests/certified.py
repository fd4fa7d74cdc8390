"""A search for a certified value that is wrong: ``python -m tests.certified 10000``.

Random questions are asked twice: of certified profiles, and of the second implementations in
tests/oracles, which sum masses in balls one by one. Prints how many there were of each kind, and
how large a part of their stated error floats were off by; stops at the first value that is outside.
"""

import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce

from flint import arb, ctx

from pkdp import counting, noise, thresholding
from pkdp.profiles.profile import PrivacyProfile
from tests.oracles import counts
from tests.oracles import noise as noisy
from tests.oracles import thresholding as thresholded
from tests.oracles.counts import Group

# A profile, an ε, and what its ln δ is there. Of a worst case of many records the oracle has one
# vertex only, and the truth is not below it.
Question = tuple[PrivacyProfile, float, arb, bool]


def of_counts(rng: random.Random) -> Question:
    """A count of two probabilities, of up to a billion records now and then."""
    sizes = [int(10 ** rng.uniform(0, 4.5)) for _ in range(2)]
    if rng.random() < 0.01:
        sizes = [int(10 ** rng.uniform(6, 9)), 0]
    chances = [_chance(rng) for _ in range(2)]
    variance = sum(k * p * (1 - p) for k, p in zip(sizes, chances, strict=True))
    eps = _eps(rng, variance)
    groups = (Group(k, p) for k, p in zip(sizes, chances, strict=True))
    return counting.exact(chances, sizes), eps, counts.log_delta_two_groups(*groups, eps), True


def of_thresholds(rng: random.Random) -> Question:
    """A thresholded count of equal records."""
    n, p = int(10 ** rng.uniform(0, 5)), _chance(rng)
    deviation = math.sqrt(n * p * (1 - p))
    threshold = min(max(round(n * p + rng.uniform(-6, 12) * deviation), 0), n + 1)
    eps = _eps(rng, deviation**2)
    profile = thresholding.exact([p], threshold, multiplicities=[n])
    return profile, eps, thresholded.log_delta_thresholded(n, p, threshold, eps), True


def of_noise(rng: random.Random) -> Question:
    """A count of equal records with geometric noise."""
    n, q, p = int(10 ** rng.uniform(0, 3.5)), rng.uniform(1e-3, 1 - 1e-3), rng.uniform(0.05, 0.97)
    eps = -rng.random() * 0.98 * math.log(p) / (1 + math.sqrt(n * q * (1 - q)) * rng.random())
    profile = noise.add(counting.pair([q], [n]), noise.Geometric(p)).profile()
    with ctx.workprec(noisy.PRECISION):
        either = [noisy.masses_near_tilt([(n, x)], eps) for x in (q, 1 - counts.Fraction(q))]
        # What this oracle leaves out is below 2^-80 of the masses.
        logs = [noisy.log_geometric(masses, p, eps) + arb(0, 1e-17) for masses in either]
        return profile, eps, logs[0].max(logs[1]), True


def of_blankets(rng: random.Random) -> Question:
    """A blanket."""
    n, lam = int(10 ** rng.uniform(0, 4.5)), 10 ** rng.uniform(-4, math.log10(0.5))
    eps = _eps(rng, 2 * n * lam) + 1e-9
    return counting.blanket(n + 1, lam), eps, counts.log_delta_blanket(n, lam, eps), True


def of_worst_cases(rng: random.Random) -> Question:
    """A worst case: of few records by all vertices, of many by the one that floats call worst."""
    is_small = rng.random() < 0.7
    n = rng.randint(1, 30) if is_small else int(10 ** rng.uniform(2, 5))
    lam = 10 ** rng.uniform(-6, math.log10(0.5))
    eps = _eps(rng, n * lam)
    vertices = range(n + 1)
    if not is_small:
        vertices = [counting.worst_vertex(n + 1, lam, eps=eps).m, rng.randint(0, n)]
    logs = [counts.log_delta_at_vertex(n, lam, m, eps) for m in vertices]
    with ctx.workprec(counts.PRECISION):
        return counting.worst_case(n + 1, lam), eps, reduce(arb.max, logs), is_small


def of_worst_noise(rng: random.Random) -> Question:
    """A worst case of few records with geometric noise, by all vertices."""
    n, lam, p = rng.randint(1, 30), 10 ** rng.uniform(-4, math.log10(0.5)), rng.uniform(0.05, 0.97)
    eps = -rng.random() * 0.98 * math.log(p) / (1 + math.sqrt(n * lam) * rng.random())
    low = counts.Fraction(lam)
    with ctx.workprec(noisy.PRECISION):
        groups = ([(m, low), (n - m, 1 - low)] for m in range(n + 1))
        laws = [noisy.masses_near_tilt(group, eps) for group in groups]
        logs = [noisy.log_geometric(law, p, eps) + arb(0, 1e-17) for law in laws]
        profile = noise.worst_case(n + 1, lam, noise=noise.Geometric(p))
        return profile, eps, reduce(arb.max, logs), True


KINDS: list[Callable[[random.Random], Question]] = [
    of_counts,
    of_thresholds,
    of_noise,
    of_blankets,
    of_worst_cases,
    of_worst_noise,
]


def _chance(rng: random.Random) -> float:
    small = 10 ** rng.uniform(-9, -0.31)
    return rng.choice([small, 1 - small, rng.uniform(0.01, 0.99)])


def _eps(rng: random.Random, variance: float) -> float:
    scaled = 10 ** rng.uniform(-3, 2) / math.sqrt(1 + variance)
    return rng.choice([0.0, scaled, scaled, scaled, rng.uniform(0, 8)])


def search(number: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield, for each question, its kind and what part of the stated error floats were off by."""
    rng = random.Random(seed)
    for _ in range(number):
        kind = rng.choice(KINDS)
        profile, eps, truth, is_all = kind(rng)
        lower, upper = profile.certified().bounds(eps)
        value = profile.log_delta(eps)
        what = f"{kind.__name__}: {profile!r} at {eps!r}: {lower!r}…{upper!r}, truth {truth}"
        if not truth.is_finite():
            assert lower == upper == -math.inf or upper < -1e5, what
            continue
        assert truth <= arb(upper), what
        assert not is_all or arb(lower) <= truth, what
        width = profile.gap + 1e-14 * max(1.0, -upper)
        assert upper - lower <= width, what
        allowed = profile.error * max(1.0, -upper)
        off = max(lower - value, value - upper - 2 * profile.gap, 0.0) / allowed
        # Where ⊥ loses its last privacy curves are as steep as can be: there ε is a little off.
        near = profile.bounds(eps)
        assert off <= 1.0 or (near[0] <= upper and lower <= near[1]), f"{what}, float {value!r}"
        assert not profile.rounded_up or value >= upper, f"{what}, float {value!r}"
        yield kind.__name__, off


def main() -> None:
    """Ask as many questions as the command line says, and report."""
    number, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    asked: Counter[str] = Counter()
    worst: dict[str, float] = {}
    for kind, off in search(number, seed):
        asked[kind] += 1
        worst[kind] = max(worst.get(kind, 0.0), off)
    for kind, many in asked.items():
        print(f"{kind:<15} {many:>6} values, none outside; floats off by {worst[kind]:.1e} of it")


if __name__ == "__main__":
    main()
