"""Thresholded counts in ball arithmetic: bounds of ln δ that are proved.

The excesses are those of `pkdp.profiles.thresholds`.
"""

from __future__ import annotations

import math

from pkdp.certified import merged
from pkdp.certified.counts import BallCount, larger_bounds, rational
from pkdp.certified.flint import arb, ctx
from pkdp.profiles.laws import PoissonBinomial, binomial
from pkdp.profiles.thresholds import ThresholdedPair, worst_number
from pkdp.releases import TwoSided, WorstThreshold


def enclose(pair: ThresholdedPair, eps: float) -> tuple[float, float]:
    """Return bounds of ln δ(ε) of a thresholded count."""
    return enclose_events(pair.count, pair.threshold, pair.count.trials, eps)


def enclose_two_sided(release: TwoSided, eps: float) -> tuple[float, float]:
    """Return bounds of ln δ(ε) of a count of which both extremes are suppressed."""
    if not release.one_symbol:
        return enclose_events(release.count, release.low, release.high, eps)
    laws = release.count, release.mirrored
    return larger_bounds(
        *(
            merged.log_merged(
                *law.uncertain_bits(1), release.low - law.least, release.high - law.least, eps
            )
            for law in laws
        )
    )


def enclose_worst(release: WorstThreshold, eps: float) -> tuple[float, float]:
    """Return bounds of ln δ(ε) for the worst numbers of records at p."""
    unknown, p, threshold = release.unknown, release.p, release.threshold
    bounds = [
        _excess_bounds(binomial(m, p), threshold, m, eps)
        for m in worst_numbers(unknown, p, threshold, -eps)
    ]
    bounds += [
        _excess_bounds(binomial(m, p).mirrored(), 0, m - threshold, eps)
        for m in worst_numbers(unknown, p, threshold, eps)
    ]
    return larger_bounds(*bounds)


def enclose_events(
    count: PoissonBinomial, lowest: int, highest: int, eps: float
) -> tuple[float, float]:
    """Return bounds of ln δ(ε) for events that begin in lowest…highest."""
    mirrored, trials = count.mirrored(), count.trials
    return larger_bounds(
        _excess_bounds(count, lowest, highest, eps),
        _excess_bounds(mirrored, trials - highest, trials - lowest, eps),
    )


def _excess_bounds(
    count: PoissonBinomial, lowest: int, highest: int, eps: float
) -> tuple[float, float]:
    """Return bounds of what `pkdp.profiles.thresholds.log_excess` returns."""
    bits = BallCount(*count.uncertain_bits(1))
    return bits.log_excess_within(eps, lowest - count.least, highest - count.least)


def worst_numbers(unknown: int, p: float, threshold: int, eps: float) -> set[int]:
    """Return `worst_number`, or two numbers of which it is one."""
    least = min(unknown, threshold)
    if least in (0, unknown) or p in (0.0, 1.0) or math.isinf(eps):
        return {worst_number(unknown, p, threshold, eps)}
    with ctx.workprec(53 + 2 * unknown.bit_length()):
        odds = rational(p)
        further = threshold * arb(eps).exp() * ((1 - odds) / odds)
        ends = (end.min(arb(unknown)).fmpq() for end in (further.lower(), further.upper()))
        return {min(unknown, threshold + int(end.p // end.q)) for end in ends}
