"""Thresholded counts: their pair of distributions, and the excess of one over the other.

Everything is about events "the count S of the others is at least j" and their excess

    D(j) = G(j) - E·G(j+1) = Σ_{i ≥ j} (s_i - E·s_{i+1}),  G(j) = P[S ≥ j],  s_i = P[S = i],

which is what a target of 1 makes of the event against a target of 0. Those of the other direction
are such events of the mirrored count, of 0s. A threshold leaves only some j to choose from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import logit

from pkdp.profiles._plateaus import Plateau
from pkdp.profiles.laws import PoissonBinomial, binomial
from pkdp.profiles.logarithms import log_expm1, log_rest
from pkdp.profiles.pairs import (
    LOG_LEAST,
    DiscretePair,
    LogMasses,
    log_excess_of_one_more,
    log_steps,
    plateau_of_count,
    tilted_steps,
)

__all__ = ["ThresholdedPair", "log_excess", "log_merged", "log_worst", "worst_number"]

# Where two terms cancel, a bound is computed for an ε smaller by this part of max(1, ε).
_HAIR = 2e-13


@dataclass(frozen=True)
class ThresholdedPair(DiscretePair):
    """What the attacker must tell apart: a thresholded count with the target's record 1 and 0.

    Attributes
    ----------
    count : PoissonBinomial
        The law of the number of 1s among the records that are unknown to her.
    threshold : int
        Counts up to here, the target's included, are replaced by ⊥; in 0…N+1.
    target : {1, 0}
        The target's record under the first law of the pair; the second has the other.

    Examples
    --------
    >>> from pkdp.partial_knowledge.thresholding import pair
    >>> one_to_zero = pair([0.5, 0.5], threshold=1)
    >>> [round(math.exp(p.log_hockey_stick(0.5)), 4) for p in (one_to_zero, one_to_zero.reversed())]
    [0.3378, 0.3378]
    """

    count: PoissonBinomial
    threshold: int
    target: Literal[1, 0] = 1

    def reversed(self) -> ThresholdedPair:
        """Return the pair with the two records exchanged."""
        return ThresholdedPair(self.count, self.threshold, 0 if self.target else 1)

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        trials = self.count.trials
        if self.target != exchanged:
            return log_excess(self.count, self.threshold, trials, eps)
        return log_excess(self.count.mirrored(), 0, trials - self.threshold, eps)

    is_certifiable = True

    def plateau(self) -> Plateau | None:
        """Return where the hockey-stick ends: that of the count, unless the threshold hides it."""
        count, hidden = self.count, self.threshold
        if hidden > (count.most if self.target == 1 else count.least):
            return Plateau(-math.inf)
        end = plateau_of_count(count, self.target)
        if end is None or self.target == 0 or hidden < count.most:
            return end
        # All that is not the largest count is one symbol, which tells of a 0.
        return end._replace(eps=0.0)

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, ⊥ first (see `DiscretePair`)."""
        span = self.count.span(log_least)
        first, last = max(span[0], self.threshold + 1), span[1] + 1
        both = []
        for own in (self.target, 1 - self.target):
            visible = self.count.log_pmf(first - own, last - own)
            both.append(np.append(self.count.log_lower(self.threshold - own), visible))
        possible = np.maximum(*both) > -math.inf
        return LogMasses(both[0][possible], both[1][possible], self.count.log_outside(*span))


def log_excess(count: PoissonBinomial, lowest: int, highest: int, eps: float) -> float:
    """Natural logarithm of the largest ``G(j) - E·G(j+1)`` over j in lowest…highest; -inf if none.

    The steps s_j - E·s_{j+1} of the difference change their sign once, from negative to positive,
    where the masses tilted by ε are largest: less than 1 from their mean (Darroch, 1964).
    """
    lowest, highest = max(lowest, count.least), min(highest, count.most)
    if lowest > highest:
        return -math.inf
    best = _best_outcomes(count, eps)
    if lowest <= best[0] and best[1] <= highest:
        return log_excess_of_one_more(count, eps)
    nearest = {min(max(j, lowest), highest) for j in best}
    return min(0.0, max(_log_excess_from(count, j, eps) for j in nearest))


def _best_outcomes(count: PoissonBinomial, eps: float) -> tuple[int, int]:
    """Return two outcomes; the best ``G(j) - E·G(j+1)`` is that of the first or the second."""
    below = min(math.floor(count.mean_at(eps)), count.most)
    return below, min(below + 1, count.most)


def _log_excess_from(count: PoissonBinomial, j: int, eps: float) -> float:
    """Natural logarithm of ``G(j) - E·G(j+1)``; -inf below 0.

    It is what (E-1)·G(j+1) leaves of s_j, or what the negative steps leave of the positive ones. Of
    the two minuends the smaller one is taken, from which less cancels.
    """
    log_mass = count.log_mass(j)
    if j == count.most:
        return log_mass
    left = log_mass + log_rest(log_expm1(eps) + count.log_upper(j + 1) - log_mass)
    if j <= count.mean or left == -math.inf:
        return left
    window = count.window(max(eps, count.tilt_towards(j)))
    if j < window.start:
        return left
    steps, outcomes = (
        tilted_steps(window, eps)[j - window.start :],
        window.outcomes[j - window.start :],
    )
    log_up, log_down = (window.log_total(sign * steps, outcomes) for sign in (1.0, -1.0))
    return log_up + log_rest(log_down - log_up) if log_down < log_up < log_mass else left


def log_merged(count: PoissonBinomial, low: int, high: int, eps: float) -> float:
    """Natural logarithm of H_E(1 → 0) where counts ≤ low and ≥ high become one symbol."""
    visible = _log_visible(count, low, high - 2, eps)
    # ⊥ has F(low - 1) + G(high - 1) under the first law and F(low) + G(high) under the second.
    log_gained, log_lost = count.log_mass(high - 1), count.log_mass(low)
    log_hidden = float(np.logaddexp(count.log_lower(low), count.log_upper(high)))
    if log_hidden > -math.inf:  # else the second law never hides, and 0 times ∞ is 0
        log_lost = float(np.logaddexp(log_lost, log_expm1(eps) + log_hidden))
    if log_gained <= log_lost:
        return visible
    hidden = log_gained + math.log(-math.expm1(log_lost - log_gained))
    return min(0.0, float(np.logaddexp(visible, hidden)))


def _log_visible(count: PoissonBinomial, first: int, last: int, eps: float) -> float:
    """Natural logarithm of the sum of all positive ``s_j - E·s_{j+1}``, j in first…last."""
    start = max(first, _best_outcomes(count, eps)[0])  # no step before is positive
    return log_steps(count, eps, first=start, last=last) if start <= last else -math.inf


# The worst case: m records at p, the others at 0.


def worst_number(unknown: int, p: float, threshold: int, eps: float) -> int:
    """Return ``min(N, T + ⌊T·e^eps·(1-p)/p⌋)``, at which G(T) - e^{-eps}·G(T+1) is largest."""
    if threshold >= unknown or threshold == 0:
        return min(unknown, threshold)
    if p in (0.0, 1.0):
        return unknown if p == 0.0 else threshold
    # In logarithms only where e^eps or 1/p is no float, as the floor is that of the product.
    if abs(eps) < 700.0 and p > 1e-300:
        further = threshold * math.exp(eps) * (1.0 - p) / p
    else:
        further = math.exp(min(math.log(threshold) + eps - float(logit(p)), 700.0))
    return min(unknown, threshold + int(min(further, float(unknown))))


def log_worst(unknown: int, p: float, threshold: int, eps: float) -> tuple[float, float]:
    """Return ln of the largest H_E(1 → 0) and of the largest H_E(0 → 1), if no p_j exceeds p."""
    m = worst_number(unknown, p, threshold, -eps)
    forth = log_excess(binomial(m, p), threshold, m, eps)
    m = worst_number(unknown, p, threshold, eps)
    # The value is never below the truth if taken at an ε a hair smaller.
    hair = _HAIR * max(1.0, eps) if 0.0 < eps < math.inf else 0.0
    eps = max(0.0, eps - hair)
    return forth, log_excess(binomial(m, p).mirrored(), 0, m - threshold, eps)
