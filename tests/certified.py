"""A search for a certified value that is wrong: ``python -m tests.certified 10000``.

Random questions are asked twice: of certified profiles, and of the second implementations in
tests/oracles, which sum masses in balls one by one. The kinds of questions take turns; a seed and
names of kinds may follow, ``python -m tests.certified 1000 2 noise worst_noise``. Prints how many
there were of each kind, of how many records and how small a δ. Stops at the first value that is
outside, and at the first float that is not what its profile states: the ln δ of an ε that differs
by less than the error, but for the error. How far floats are from ln δ at the very ε asked for is
printed as a part of the error; more than 1 is right only for an ε nearby, and is counted.
"""

import bisect
import math
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import cycle, islice
from typing import NamedTuple

from flint import arb, ctx

from pkdp import counting, noise, thresholding
from pkdp.profiles.profile import PrivacyProfile
from tests.oracles import closed_forms, counts
from tests.oracles import noise as noisy
from tests.oracles import thresholding as thresholded
from tests.oracles.counts import Group


class Question(NamedTuple):
    """What is asked, and the answer.

    Of a worst case of many records the oracle has one vertex only; the truth is not below it.
    """

    records: int
    profile: PrivacyProfile
    eps: float
    truth: arb
    is_all: bool = True


def of_counts(rng: random.Random) -> Question:
    """A count of two probabilities, or of one, or of any."""
    if rng.random() < 0.5:
        n, p = _records(rng, 9), _chance(rng)
        eps = _eps_or_deep(rng, n, p)
        truth = thresholded.log_delta_thresholded(n, p, 0, eps)
        return Question(n, counting.exact([p], multiplicities=[n]), eps, truth)
    if rng.random() < 0.2:
        chances = [_chance(rng) for _ in range(_records(rng, 3))]
        eps = rng.choice([_eps(rng, sum(p * (1 - p) for p in chances)), rng.uniform(0, 800)])
        return Question(
            len(chances), counting.exact(chances), eps, counts.log_delta_any(chances, eps)
        )
    sizes = [_records(rng, 4.5) for _ in range(2)]
    chances = [_chance(rng) for _ in range(2)]
    eps = _eps(rng, sum(k * p * (1 - p) for k, p in zip(sizes, chances, strict=True)))
    groups = (Group(k, p) for k, p in zip(sizes, chances, strict=True))
    truth = counts.log_delta_two_groups(*groups, eps)
    return Question(sum(sizes), counting.exact(chances, multiplicities=sizes), eps, truth)


def of_thresholds(rng: random.Random) -> Question:
    """A thresholded count of equal records, some of them chosen by an active attacker."""
    n, p = _records(rng, 9), _chance(rng)
    threshold, eps = _threshold_and_eps(rng, n, p)
    truth = thresholded.log_delta_thresholded(n, p, threshold, eps)
    if rng.random() < 0.5:
        known = rng.randint(0, n)
        profile = thresholding.active(n + known + 1, p, threshold=threshold + known, known=known)
    else:
        profile = thresholding.exact([p], threshold=threshold, multiplicities=[n])
    return Question(n, profile, eps, truth)


def of_both_extremes(rng: random.Random) -> Question:
    """A count of which both extremes are suppressed, by a symbol for each or by the same one."""
    symbols, kind = rng.randint(1, 2), rng.random()
    if kind < 0.3:  # any probabilities: all counts are listed
        number = rng.randint(1, 12) if kind < 0.28 else rng.randint(13, 200)
        groups = [Group(1, _chance(rng)) for _ in range(number)]
    elif kind < 0.65:
        groups = [Group(_records(rng, 3.5), _chance(rng)) for _ in range(2)]
    else:
        groups = [Group(_records(rng, 9), _chance(rng))]
    sizes, chances = zip(*groups, strict=True)
    n, mean = sum(sizes), math.fsum(k * p for k, p in groups)
    at, eps = _threshold_and_eps(rng, n, mean / n)
    threshold = min(max(0, min(at, n - at)), n // 2)
    if rng.random() < 0.3:  # few counts are left
        threshold = max(0, n // 2 - _records(rng, 3))
    if kind < 0.3:
        with ctx.workprec(counts.PRECISION):
            release = thresholded.release_between(threshold, symbols)
            truth = thresholded.log_delta_of_release(chances, release, eps)
    else:
        truth = thresholded.log_delta_between(groups, threshold, symbols, eps)
    profile = thresholding.two_sided(
        chances, threshold=threshold, multiplicities=sizes, symbols=symbols
    )
    return Question(n, profile, eps, truth)


def of_worst_thresholds(rng: random.Random) -> Question:
    """A worst thresholded count: by all numbers of records at p, or by those near the best one."""
    n, p = _records(rng, 9), _chance(rng)
    threshold, eps = _threshold_and_eps(rng, n, p)
    threshold = min(max(1, threshold), n)
    sides = thresholding.worst_numbers(n + 1, p, threshold=threshold, eps=eps)
    near = [sorted({max(0, m - 1), m, min(n, m + 1)}) for m in sides]
    numbers = [range(n + 1)] * 2 if n <= 20 else near
    with ctx.workprec(counts.PRECISION):
        largest = [
            thresholded.Thresholded(m, p, eps).both(threshold)[side]
            for side in (0, 1)
            for m in numbers[side]
            if m >= threshold
        ]
        truth = reduce(arb.max, largest).log()
    return Question(n, thresholding.worst_case(n + 1, p, threshold=threshold), eps, truth)


def of_passive_attackers(rng: random.Random) -> Question:
    """A thresholded count of equal records, some of which a passive attacker sees."""
    n, p = 1 + _records(rng, 9), _chance(rng)
    known = _known(rng, n)
    threshold, eps = _threshold_and_eps(rng, n, p)
    threshold = min(n, threshold)
    profile = thresholding.passive(n, p, threshold=threshold, known=known)
    truth = thresholded.log_delta_passive(n - 1 - known, known, p, threshold, eps)
    return Question(n, profile, eps, truth)


def of_worst_passive(rng: random.Random) -> Question:
    """The worst that a passive attacker sees: of few unknown records by all numbers at p.

    Of many by some numbers only.
    """
    is_small = rng.random() < 0.7
    n, p = 2 + _records(rng, 2.5 if is_small else 7), _chance(rng)
    known = max(0, n - 1 - rng.randint(0, 20)) if is_small else _known(rng, n)
    threshold, eps = _threshold_and_eps(rng, n, p)
    threshold, unknown = min(n, threshold), n - 1 - known
    numbers = range(unknown + 1)
    if not is_small:
        low, high = 0, unknown
        thirds = [(2 * low + high) // 3, (low + 2 * high) // 3]
        numbers = [unknown, min(unknown, threshold), *thirds, rng.randint(0, unknown)]
    logs = [thresholded.log_worst_passive_at(m, known, p, threshold, eps) for m in set(numbers)]
    with ctx.workprec(counts.PRECISION):
        truth = reduce(arb.max, logs)
    tol = rng.choice([1e-8, 1e-3, 1.0])
    profile = thresholding.passive_worst_case(n, p, threshold=threshold, known=known, tol=tol)
    return Question(n, profile, eps, truth, is_small)


def of_noise(rng: random.Random) -> Question:
    """A count of equal records with noise, geometric or Laplace."""
    n, q = _records(rng, 9 if rng.random() < 0.1 else 7), rng.uniform(1e-3, 1 - 1e-3)
    added = _noise(rng)
    # The direction in which δ is larger has the probability that is.
    eps = _deep_eps(
        rng, added, n * q * (1 - q), lambda eps: n * _entropy_of_tilt(max(q, 1 - q), eps)
    )
    profile = noise.add(counting.pair([q], multiplicities=[n]), added).profile()
    fall, is_laplace = _fall(added), isinstance(added, noise.Laplace)
    either = (counts.Fraction(q), 1 - counts.Fraction(q))
    logs = [noisy.log_of_many([(n, x)], fall, eps, is_laplace) for x in either]
    with ctx.workprec(noisy.PRECISION):
        return Question(n, profile, eps, logs[0].max(logs[1]))


def of_blankets(rng: random.Random) -> Question:
    """A blanket, or a histogram of three answers."""
    n, lam = _records(rng, rng.choice([5, 5, 9])), 10 ** rng.uniform(-4, math.log10(0.5))
    eps = _eps_or_deep(rng, n, lam)
    if lam <= 1 / 3 and rng.random() < 0.5:
        profile = counting.histogram(n + 1, lam, categories=3)
    else:
        profile = counting.blanket(n + 1, lam)
    return Question(n, profile, eps, counts.log_delta_blanket(n, lam, eps))


def of_tails(rng: random.Random) -> Question:
    """The tail form of a blanket."""
    n, lam = _records(rng, rng.choice([5, 5, 9])), 10 ** rng.uniform(-4, math.log10(0.5))
    eps = _eps_or_deep(rng, n, lam)
    return Question(n, counting.tail(n + 1, lam), eps, counts.log_delta_tail(n, lam, eps))


def of_closed_forms(rng: random.Random) -> Question:
    """The form by relative entropies, for a count or a histogram, or the mended Proposition 7."""
    n, lam = _records(rng, 9), 10 ** rng.uniform(-6, math.log10(0.5))
    eps = _eps_or_deep(rng, n, lam)
    if rng.random() < 0.4:
        groups = [Group(_records(rng, 9), _chance(rng)) for _ in range(rng.randint(1, 3))]
        sizes, chances = zip(*groups, strict=True)
        truth = closed_forms.log_berry_esseen(groups, eps)
        return Question(
            sum(sizes), counting.berry_esseen(chances, multiplicities=sizes), eps, truth
        )
    categories = rng.randint(2, 3 if lam <= 1 / 3 else 2)
    bessel = rng.random() < 0.7
    truth = closed_forms.log_kl_form(n, lam, eps, categories, bessel)
    profile = counting.kl_form(n + 1, lam, categories=categories, bessel=bessel)
    return Question(n, profile, eps, truth)


def of_noisy_blankets(rng: random.Random) -> Question:
    """A blanket with noise, of up to some millions of coins.

    Next to the rate of the noise proofs for many coins take minutes, so that few are asked for.
    """
    n, added = _records(rng, 9), _noise(rng)
    coins = 10 ** rng.choice([rng.uniform(-2, 3), rng.uniform(2, 6), rng.uniform(5, 6.6)])
    lam = min(0.5, coins / (2 * n))

    def depth(eps: float) -> float:
        return -n * math.log1p(2 * lam * math.expm1(-_entropy_of_tilt(0.5, eps)))

    eps = _deep_eps(rng, added, n * lam, depth, 4.0 if coins < 1e4 else 1.5)
    is_laplace = isinstance(added, noise.Laplace)
    truth = noisy.log_blanket_of_many(n, lam, _fall(added), eps, is_laplace)
    return Question(n, noise.blanket(n + 1, lam, noise=added), eps, truth)


def of_worst_cases(rng: random.Random) -> Question:
    """A worst case: of few records by all vertices, of many by the one that floats call worst."""
    is_small = rng.random() < 0.7
    n = rng.randint(1, 30) if is_small else int(10 ** rng.uniform(2, 9))
    lam = 10 ** rng.uniform(-6, math.log10(0.5))
    eps = _eps_or_deep(rng, n, lam)
    vertices = range(n + 1)
    if not is_small:
        vertices = [counting.worst_vertex(n + 1, lam, eps=eps).m]
    logs = [counts.log_delta_at_vertex(n, lam, m, eps) for m in vertices]
    with ctx.workprec(counts.PRECISION):
        truth = reduce(arb.max, logs)
    tol = rng.choice([1e-8, 1e-3, 1.0])
    return Question(n, counting.worst_case(n + 1, lam, tol=tol), eps, truth, is_small)


def of_worst_noise(rng: random.Random) -> Question:
    """A worst case with noise, by all vertices that may be worst unless these are many."""
    is_small = rng.random() < 0.4
    n = rng.randint(1, 30) if is_small else int(10 ** rng.uniform(1.5, 9))
    lam, added = 10 ** rng.uniform(-4, math.log10(0.5)), _noise(rng)
    eps = _deep_eps(rng, added, n * lam, lambda eps: n * _entropy_of_tilt(1 - lam, eps))
    fall, is_laplace = _fall(added), isinstance(added, noise.Laplace)
    likely = noise.worst_vertex(n + 1, lam, noise=added, eps=eps).m
    width = 30 * math.sqrt(n * lam * math.exp(-eps)) + 250
    most = 40 if is_small else int(3e5 / width)
    truth, is_all = noisy.log_worst(n, lam, fall, eps, likely, most, is_laplace)
    return Question(n, noise.worst_case(n + 1, lam, noise=added), eps, truth, is_all)


KINDS: list[Callable[[random.Random], Question]] = [
    of_counts,
    of_thresholds,
    of_both_extremes,
    of_worst_thresholds,
    of_passive_attackers,
    of_worst_passive,
    of_noise,
    of_blankets,
    of_tails,
    of_closed_forms,
    of_noisy_blankets,
    of_worst_cases,
    of_worst_noise,
]


def _records(rng: random.Random, digits: float) -> int:
    return int(10 ** rng.uniform(0, digits))


def _chance(rng: random.Random) -> float:
    small = 10 ** rng.uniform(-9, -0.31)
    return rng.choice([small, 1 - small, rng.uniform(0.01, 0.99)])


def _threshold(rng: random.Random, n: int, p: float) -> int:
    deviation = math.sqrt(n * p * (1 - p))
    return min(max(round(n * p + rng.uniform(-6, 12) * deviation), 0), n + 1)


def _known(rng: random.Random, n: int) -> int:
    return rng.choice([rng.randint(0, n - 1), min(n - 1, _records(rng, 4))])


def _threshold_and_eps(rng: random.Random, n: int, p: float) -> tuple[int, float]:
    """One of the two is often such that ln δ is anywhere down to -1e6."""
    if rng.random() < 0.7:
        return _threshold(rng, n, p), _eps_or_deep(rng, n, p)
    depth = 10 ** rng.uniform(0, 6)
    share = _where(lambda x: n * _entropy(x, p) > depth, p, 1.0)
    scaled = 10 ** rng.uniform(-3, 1) / math.sqrt(1 + n * share * (1 - share))
    return math.ceil(n * share), rng.choice([0.0, scaled, scaled])


def _eps_or_deep(rng: random.Random, n: int, p: float) -> float:
    """As `_eps`, or such that ln δ of a count is anywhere down to -1e6."""
    if rng.random() < 0.6:
        return _eps(rng, n * p * (1 - p))
    depth = 10 ** rng.uniform(0, 6)

    def is_deep(eps: float) -> bool:
        either = (_entropy(x / (x + (1 - x) * math.exp(-eps)), x) for x in (p, 1 - p))
        return n * min(either) > depth

    return _where(is_deep, 0.0, 40.0)


def _where(passes: Callable[[float], bool], low: float, high: float) -> float:
    """About the first number that passes, in logarithms of its distance from the first one."""
    shares = [10 ** (i / 200) for i in range(-3000, 1)]
    at = bisect.bisect_left(shares, True, key=lambda share: passes(low + share * (high - low)))
    return low + shares[min(at, 3000)] * (high - low)


def _entropy(q: float, p: float) -> float:
    """The relative entropy of bits."""
    rest = (1 - q) * math.log((1 - q) / (1 - p)) if q < 1 else 0.0
    return q * math.log(q / p) + rest


def _eps(rng: random.Random, variance: float) -> float:
    scaled = 10 ** rng.uniform(-3, 2) / math.sqrt(1 + variance)
    return rng.choice([0.0, scaled, scaled, scaled, rng.uniform(0, 8)])


def _entropy_of_tilt(p: float, eps: float) -> float:
    """Return the relative entropy of a bit that is tilted by ε."""
    log_mgf = math.log1p(p * math.expm1(eps))
    return p * math.exp(eps - log_mgf) * eps - log_mgf


def _deep_eps(
    rng: random.Random,
    added: noise.Noise,
    variance: float,
    depth: Callable[[float], float],
    digits: float = 4.0,
) -> float:
    """Return an ε at which -ln δ, about `depth`, is log-uniform up to 2e6, if it is so large.

    It has up to so many digits in common with the rate of the noise.
    """
    most = added.rate * (1 - 10 ** -rng.uniform(0.1, digits))
    if rng.random() < 0.3:
        return most * rng.random() / rng.choice([1, 1 + math.sqrt(variance)])
    wanted, low, high = 10 ** rng.uniform(0, 6.3), 0.0, most
    if depth(most) < wanted:
        return rng.choice([most, most * rng.random()])
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if depth(middle) < wanted else (low, middle)
    return low


def _noise(rng: random.Random) -> noise.Noise:
    # Only noise that falls fast leaves room for a large ε, and so for a very small δ.
    fall = rng.choice(
        [rng.uniform(0.05, 0.97), 10 ** rng.uniform(-5, -1), 1 - 10 ** -rng.uniform(1, 3)]
    )
    return rng.choice([noise.Geometric(fall), noise.Laplace(-1 / math.log(fall))])


def _fall(added: noise.Noise) -> arb:
    """By what factor noise falls from one integer to the next."""
    with ctx.workprec(noisy.COIN_PRECISION):
        if isinstance(added, noise.Laplace):
            return (-1 / arb(added.scale)).exp()
        return arb(added.p)


class Answer(NamedTuple):
    """What was found: the kind, records, ln δ, and by what part of the stated error floats differ.

    If that is more than 1, they are within the error of ln δ at an ε nearby.
    """

    kind: str
    records: int
    log_delta: float
    off: float


def search(number: int, seed: int, names: Sequence[str] = ()) -> Iterator[Answer]:
    """Yield answers to random questions of some kinds, or of all; they are all right."""
    rng = random.Random(seed)
    kinds = {kind.__name__.removeprefix("of_"): kind for kind in KINDS}
    for name in islice(cycle(names or kinds), number):
        question = kinds[name](rng)
        upper, off = checked(question, name)
        yield Answer(name, question.records, upper, off)


def checked(question: Question, name: str) -> tuple[float, float]:
    """Return the upper end of a value, and by what part of the stated error floats are off it."""
    _, profile, eps, truth, is_all = question
    lower, upper = profile.certified().bounds(eps)
    value = profile.log_delta(eps)
    what = f"{name}: {profile!r} at {eps!r}: {lower!r}…{upper!r}, truth {truth}, float {value!r}"
    if truth == arb.neg_inf():
        assert not is_all or lower == upper == -math.inf, what
        return upper, 0.0
    with ctx.workprec(counts.PRECISION):
        # A truth of 0, or next to it, may be a ball that reaches beyond.
        is_one = upper == 0.0 and bool(truth.contains(0))
        assert truth <= arb(upper) or is_one, what
        assert not is_all or arb(lower) <= truth or is_one, what
    width = profile.gap + 1e-14 * max(1.0, -upper)
    assert upper - lower <= width, what
    allowed = profile.error * max(1.0, -upper)
    off = max(lower - value, value - upper - math.log1p(profile.gap), 0.0) / allowed
    assert off <= 1.0 or _is_right_nearby(profile, eps, value), what
    if profile.rounded_up:
        # Where a maximum was searched, the upper end of floats may be the sharper one.
        assert value >= upper or (profile.gap > 0.0 and truth <= arb(value)), what
    return upper, off


def _is_right_nearby(profile: PrivacyProfile, eps: float, value: float) -> bool:
    """Whether a float is within its error of a curve at an ε within it, which falls."""
    aside = profile.error * max(1.0, eps)
    _, upper = profile.certified().bounds(max(0.0, eps - aside))
    lower, _ = profile.certified().bounds(eps + aside)
    upper += profile.error * max(1.0, -upper) + math.log1p(profile.gap)
    return lower - profile.error * max(1.0, -lower) <= value <= upper


def main() -> None:
    """Ask as many questions as the command line says, and report."""
    number, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    names = sys.argv[3:]
    found: dict[str, list[Answer]] = defaultdict(list)
    try:
        for answer in search(number, seed, names):
            found[answer.kind].append(answer)
    finally:
        report(found)


def report(found: dict[str, list[Answer]]) -> None:
    """Print a line for each kind."""
    for kind, answers in found.items():
        logs = sorted(answer.log_delta for answer in answers if answer.log_delta > -math.inf)
        most = max(answer.records for answer in answers)
        off = [answer.off for answer in answers]
        print(
            f"{kind:<18} {len(answers):>6} values, none outside; up to {most:.0e} records, ln δ "
            f"from {logs[0]:.3g}, half below {logs[len(logs) // 2]:.3g}; floats off by "
            f"{max(off):.1e} of it, {sum(x > 1.0 for x in off)} of them right only nearby"
        )


if __name__ == "__main__":
    main()
