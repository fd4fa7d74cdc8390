"""Thresholded counts in floats; the excesses are in `pkdp.profiles.thresholds`."""

from __future__ import annotations

from pkdp.profiles.thresholds import log_excess, log_merged, log_worst
from pkdp.releases import TwoSided, WorstThreshold


def log_two_sided(release: TwoSided, eps: float) -> float:
    """Return ln δ(ε) of a count of which both extremes are suppressed."""
    low, high, trials = release.low, release.high, release.count.trials
    if release.one_symbol:
        counts = release.count, release.mirrored
        return max(log_merged(count, low, high + 1, eps) for count in counts)
    return max(
        log_excess(release.count, low, high, eps),
        log_excess(release.mirrored, trials - high, trials - low, eps),
    )


def log_larger_worst(release: WorstThreshold, eps: float) -> float:
    """Return ln of the largest δ(ε) over all probabilities up to p."""
    return max(log_worst(release.unknown, release.p, release.threshold, eps))
