"""Thresholded counts in ball arithmetic: bounds of ln δ that are proved.

Excesses D(j) = P[S ≥ j] - E·P[S ≥ j + 1] are those of `pkdp.profiles.thresholds`. Both extremes of
a count may become one symbol: counts up to `low` and those above `top` become ⊥. A count k that is
shown gains ``s_{k-1} - E·s_k`` from the target. That is positive from some k on, so that the best
event of those has

    max_{low ≤ a ≤ top} D(a) - D(top).

⊥ has ``P[S < low] + P[S ≥ top]`` under the law of S + 1 and ``P[S ≤ low] + P[S > top]``
under that of S. It gains ``D(top) - R`` with R = E·P[S ≤ low] - P[S < low]. So whether or not that
is positive,

    H_E(1 → 0) = max_{low ≤ a ≤ top} max(D(a) - D(top), D(a) - R).

All three are balls of `pkdp.certified.counts`. If all that is shown lies below the mean of S, D(a)
is largest at top - 1, and what it is above 1 - E is computed in its place, as that is far less than
E - 1. Where balls cancel all the same, more digits are computed. They are equal only if E = 1, as E
is transcendental for rational ε > 0, or if nothing is shown.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from pkdp.certified import balls
from pkdp.certified.counts import BallCount
from pkdp.certified.flint import arb, ctx
from pkdp.profiles.laws import PoissonBinomial, binomial
from pkdp.profiles.thresholds import ThresholdedPair, worst_number
from pkdp.releases import TwoSided, WorstThreshold

_NOTHING = (-math.inf, -math.inf)
# Beyond this ε for each record and one more E is above the inverse of all masses: all losses that
# are left are infinite.
_BEYOND = 1e3


def enclose(pair: ThresholdedPair, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) of a thresholded count."""
    return enclose_events(pair.count, pair.threshold, pair.count.trials, eps)


def enclose_two_sided(release: TwoSided, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) of a count of which both extremes are suppressed."""
    if not release.one_symbol:
        return enclose_events(release.count, release.low, release.high, eps)
    laws = release.count, release.mirrored
    return balls.larger_bounds(
        *(
            log_merged(
                *law.uncertain_bits(1), release.low - law.least, release.high - law.least, eps
            )
            for law in laws
        )
    )


def enclose_worst(release: WorstThreshold, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) for the worst numbers of records at p."""
    unknown, p, threshold = release.unknown, release.p, release.threshold
    forth = (binomial(m, p) for m in worst_numbers(unknown, p, threshold, -eps))
    back = (binomial(m, p).mirrored() for m in worst_numbers(unknown, p, threshold, eps))
    return balls.larger_bounds(
        *(_excess_bounds(law, threshold, law.trials, eps) for law in forth),
        *(_excess_bounds(law, 0, law.trials - threshold, eps) for law in back),
    )


def enclose_events(count: PoissonBinomial, lowest: int, highest: int, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) for events that begin in lowest…highest."""
    mirrored, trials = count.mirrored(), count.trials
    return balls.larger_bounds(
        _excess_bounds(count, lowest, highest, eps),
        _excess_bounds(mirrored, trials - highest, trials - lowest, eps),
    )


def _excess_bounds(count: PoissonBinomial, lowest: int, highest: int, eps: float) -> balls.Bounds:
    """Return bounds of what `pkdp.profiles.thresholds.log_excess` returns."""
    bits = BallCount(*count.uncertain_bits(1))
    return bits.log_excess_within(eps, lowest - count.least, highest - count.least)


def worst_numbers(unknown: int, p: float, threshold: int, eps: float) -> set[int]:
    """Return `worst_number`, or two numbers of which it is one."""
    least = min(unknown, threshold)
    if least in (0, unknown) or p in (0.0, 1.0) or math.isinf(eps):
        return {worst_number(unknown, p, threshold, eps)}
    with ctx.workprec(53 + 2 * unknown.bit_length()):
        odds = balls.rational(p)
        further = threshold * arb(eps).exp() * ((1 - odds) / odds)
        ends = (end.min(arb(unknown)).fmpq() for end in (further.lower(), further.upper()))
        return {min(unknown, threshold + int(end.p // end.q)) for end in ends}


def log_merged(
    chances: Sequence[Fraction], times: Sequence[int], low: int, top: int, eps: float
) -> balls.Bounds:
    """Return bounds of ln H_E(1 → 0) where counts ≤ low and > top become one symbol.

    Both are -inf if it is 0.

    Parameters
    ----------
    chances, times
        Of the bits that are not certain, as in `BallCount`.
    low, top : int
        Less the number of bits that are sure.
    eps : float
        ε in [0, inf].
    """
    law = BallCount(chances, times)
    most = law.records
    if eps > _BEYOND * (most + 1):
        # Is there an outcome of the first law only?
        is_given_away = low <= most < top or (low < 0 and top == most)
        return law.log_excess(math.inf) if is_given_away else _NOTHING
    if low >= top or top < 0 or low > most:  # only one outcome gains, or none is shown
        return _NOTHING
    if eps == 0.0 and top == low + 1 and low + top == most and _is_even(chances, times):
        return _NOTHING
    return balls.enclosed(lambda digits: _merged(law, low, top, arb(eps), digits))


def _merged(law: BallCount, low: int, top: int, eps: arb, digits: float) -> arb:
    """Return H_E(1 → 0), or something negative if it is 0."""
    mean, _ = law.moments(arb(0))
    if top <= mean:
        # D rises up to top, and all of it is 1 - E and what the counts below give back, far less.
        first, second = (law.given_back(a, eps, digits) for a in (top - 1, top))
        hidden = eps.expm1() + law.given_back(low, eps, digits)
        return balls.largest_of([first - second, first - hidden, second - hidden])
    lowest, highest = max(low, 0), min(top - 1, law.records)
    at_top = law.excess_at(top, eps, digits) if top <= law.records else arb(0)
    given_back = law.given_back(low, eps, digits)
    gains = [at_top - given_back]
    if lowest <= highest:
        best = law.excess_within(float(eps), lowest, highest, digits)
        gains += [best - at_top, best - given_back]
    return balls.largest_of(gains)


def _is_even(chances: Sequence[Fraction], times: Sequence[int]) -> bool:
    """Whether as many bits have a chance as have its opposite."""
    pairs = sorted(zip(chances, times, strict=True))
    return pairs == sorted((1 - p, k) for p, k in pairs)
