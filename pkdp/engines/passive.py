"""Passive attackers in floats: thresholded counts of equal records of which she sees some.

Given b known 1s the threshold is T - b, and δ is averaged over b: many thresholds at once. In the
worst case the known records are all at p and of the unknown ones a number m is, the others being 0;
the search for m is a branch and bound.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from pkdp._bisection import first_passing, last_passing
from pkdp.engines.branch_and_bound import bisect
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_pmf, reach_of
from pkdp.profiles.laws import binomial
from pkdp.profiles.logarithms import FloatArray, IntArray, log_expm1, log_positive, log_sum
from pkdp.profiles.thresholds import worst_number
from pkdp.releases import Passive, WorstPassive

# What is neglected, as a logarithm relative to what is not.
_NEGLIGIBLE = -42.0

# Beyond every finite privacy loss of counts of up to 10¹⁰ records with float probabilities.
_NO_FINITE_LOSS = 1e4

# So many intervals are split at most.
_BUDGET = 5000


@dataclass(frozen=True)
class Direction:
    """H_E(1 → 0) (side 1) or H_E(0 → 1) (side -1) of `trials` records with probability p."""

    trials: int
    p: float
    side: int

    def log_excesses(self, thresholds: IntArray, eps: float) -> FloatArray:
        """Natural logarithms for an increasing range of thresholds; those below 0 count as 0."""
        first, last = max(0, int(thresholds[0])), max(0, int(thresholds[-1]))
        eps = min(eps, _NO_FINITE_LOSS)
        if first > self.trials:
            return np.full(thresholds.size, -math.inf)
        forth = self.side == 1
        logs = self._upwards(first, last, eps) if forth else self._downwards(first, last, eps)
        return np.asarray(logs[np.clip(thresholds, 0, None) - first])

    def last_plain(self, eps: float) -> int:
        """Return a threshold up to which the excess is that of the plain count, and then falls."""
        best = binomial(self.trials, self.p).mean_at(self.side * eps)  # or one more
        return math.floor(best) if self.side == 1 else math.ceil(best) - 1

    def _upwards(self, first: int, last: int, eps: float) -> FloatArray:
        """``G(t) - E·G(t+1)``, or its maximum beyond t: a sum of positive steps from t on."""
        n, p = self.trials, self.p
        # Steps are positive where (s+1)(1-p) > E(n-s)p; few of the others are looked at.
        start = self._sign_change(n * p, (1.0 - p) * math.exp(-eps), -eps)
        low = max(first, min(start - 2, n))
        high = min(n, max(last, start) + self._reach(max(last, start)))
        outcomes = np.arange(low, high + 1)
        # From the ratio of neighbouring masses: of their logarithms, in deep tails, less is known.
        steps = 1.0 - self._odds(eps) * ((n - outcomes) / (outcomes + 1.0))
        logs = log_binomial_pmf(outcomes, n, p) + log_positive(steps)
        sums = np.logaddexp.accumulate(logs[::-1])[::-1]
        wanted = np.arange(first, last + 1)
        values = sums[np.clip(wanted, low, high) - low]
        return np.where(wanted <= n, np.minimum(values, 0.0), -math.inf)

    def _downwards(self, first: int, last: int, eps: float) -> FloatArray:
        """``F(t) - E·F(t-1)``, or its maximum beyond t, where positive."""
        # Steps s_t - E·s_{t-1} are positive for t up to the turn, and then negative.
        turn = self._turn(eps)
        begin = max(first, turn + 1)
        near = begin - turn <= self._reach(begin)
        largest = self._positive_steps_up_to(turn, eps) if near else -math.inf
        values = np.full(last - first + 1, min(largest, 0.0))
        if last > turn:
            values[begin - first :] = self._beyond_the_turn(begin, last, eps, turn, largest)
        return values

    def _turn(self, eps: float) -> int:
        return min(self.trials, self._sign_change((self.trials + 1) * self.p, 0.0, eps))

    def _positive_steps_up_to(self, turn: int, eps: float) -> float:
        """Natural logarithm of the sum of all positive ``s_t - E·s_{t-1}``."""
        outcomes = np.arange(max(0, turn - self._reach(turn)), turn + 1)
        ratios = outcomes / (self.trials - outcomes + 1.0) / self._odds(-eps)
        masses = log_binomial_pmf(outcomes, self.trials, self.p)
        return log_sum(masses + log_positive(1.0 - ratios))

    def _beyond_the_turn(
        self, first: int, last: int, eps: float, turn: int, largest: float
    ) -> FloatArray:
        """``F(t) - E·F(t-1)`` where it falls, for t in first…last; -inf where it is not positive.

        It is what the steps down leave of the steps up, or what (E-1)·F(t-1) leaves of s_t. Of the
        two minuends the smaller one is taken, from which less cancels.
        """
        n, p = self.trials, self.p
        near = largest > -math.inf
        outcomes = np.arange(turn + 1 if near else first, last + 1)
        masses = log_binomial_pmf(np.append(outcomes[0] - 1, outcomes), n, p)
        before, masses = masses[:-1], masses[1:]
        log_below = np.append(log_binomial_cdf(int(outcomes[0]) - 1, n, p), masses[:-1])
        log_taken = log_expm1(eps) + np.logaddexp.accumulate(log_below)
        possible = masses > -math.inf
        share = np.exp(np.minimum(log_taken[possible] - masses[possible], 1.0))
        values = np.full(outcomes.shape, -math.inf)
        values[possible] = masses[possible] + log_positive(1.0 - share)
        if near:
            ratios = self._odds(-eps) * (np.maximum(n - outcomes + 1.0, 0.0) / outcomes)
            losses = eps + before + log_positive(1.0 - ratios)
            lost = np.cumsum(np.exp(np.minimum(losses - largest, 1.0)))
            better = (largest < masses) & (values > -math.inf)
            values[better] = largest + log_positive(1.0 - lost[better])
        return np.asarray(np.minimum(values[first - int(outcomes[0]) :], 0.0))

    def last_lossy(self, highest: int, eps: float) -> int:
        """Return the largest threshold t ≤ highest at which ``F(t) > E·F(t-1)``; 0 always does."""
        highest, turn = min(highest, self.trials), self._turn(eps)
        if highest <= turn or eps == 0.0:
            return highest
        # At the turn it is positive, and from there on it falls.
        nearby = np.arange(turn, min(highest, turn + self._reach(turn)) + 1)
        lossy = nearby[self.log_excesses(nearby, eps) > -math.inf]
        if lossy.size < nearby.size:
            return int(lossy[-1]) if lossy.size else 0
        lost = log_expm1(eps)

        def is_lossy(t: int) -> bool:  # further out, where F is 1
            return float(log_binomial_pmf(t, self.trials, self.p)) > lost

        return last_passing(int(nearby[-1]) + 1, highest, is_lossy)

    def _sign_change(self, weighted: float, offset: float, eps: float) -> int:
        """Return about which outcome ``P[S = t] = e^eps·P[S = t-1]``, cut to 0…trials."""
        share = self.p + math.exp(min(max(eps, -700.0), 700.0)) * (1.0 - self.p)
        return int(min(max((weighted - offset) / share, 0.0), float(self.trials)))

    def _odds(self, eps: float) -> float:
        """Return ``e^eps·p/(1-p)``, kept within floats: what matters is where it exceeds ratios."""
        return math.exp(min(max(eps + float(logit(self.p)), -600.0), 600.0))

    def _reach(self, outcome: int) -> int:
        """Return how far beyond an outcome there is mass that matters next to its own."""
        rest = max(self.trials - outcome, 0)
        return reach_of(outcome * (rest / max(self.trials, 1)))


def log_mean_of_both(release: Passive, eps: float) -> float:
    """Return ln of the larger mean of both directions."""
    return max(log_mean(*terms, eps) for terms in _both_means(release))


def _both_means(release: Passive) -> Iterator[tuple[Direction, int, int]]:
    """Yield both directions, with how many records are known and the threshold."""
    for side in (1, -1):
        yield Direction(release.unknown, release.p, side), release.known, release.threshold


def log_mean(side: Direction, informed: int, threshold: int, eps: float) -> float:
    """Natural logarithm of one direction's excess, averaged over the number of known 1s."""
    eps = min(eps, _NO_FINITE_LOSS)
    ones = likely_ones(side, informed, threshold, eps)
    logs = side.log_excesses(threshold - np.array(ones)[::-1], eps)[::-1]
    logs = logs + log_binomial_pmf(ones, informed, side.p)
    return min(0.0, log_sum(logs))


def likely_ones(side: Direction, informed: int, threshold: int, eps: float) -> range:
    """Return the numbers of known 1s that matter for the mean.

    The known and the unknown records share the burden of reaching the threshold: both are tilted
    alike, except that the unknown ones may be tilted by ε for other reasons.
    """
    p, unknown = side.p, side.trials
    if informed == 0 or not 0.0 < p < 1.0:
        certain = informed if p == 1.0 else 0
        return range(certain, certain + 1)
    log_odds = float(logit(p))

    def reached(tilt: float) -> float:
        of_others = max(tilt, eps) if side.side == 1 else tilt
        ones = informed * expit(log_odds + tilt) + unknown * expit(log_odds + of_others)
        return float(ones) - threshold

    if reached(0.0) >= 0.0:
        tilt = 0.0
    else:
        steepest = 50.0 - log_odds  # from where on all records are 1
        tilt = brentq(reached, 0.0, steepest, xtol=1e-6) if reached(steepest) > 0.0 else steepest
    centre, least = int(informed * expit(log_odds + tilt)), 0
    if side.side == -1:
        # Only few known 1s leave a threshold beyond which ⊥ has a loss of ε or more: too many.
        least = min(informed, max(0, threshold - side.last_lossy(threshold, eps)))
    centre = max(centre, least)
    reach = reach_of(centre * ((informed - centre) / informed))
    return range(max(least, centre - reach), min(informed, centre + reach) + 1)


# … and in the worst case.


class WorstMean:
    """Branch and bound over the number m of unknown records at p, all others being 0."""

    def __init__(self, side: Direction, informed: int, threshold: int, eps: float) -> None:
        self.side, self.informed, self.threshold, self.eps = side, informed, threshold, eps
        unknown, p = side.trials, side.p
        ones, log_neglected = self._window()
        thresholds = threshold - ones[::-1]
        weights = log_binomial_pmf(ones, informed, p)[::-1]
        numbers = np.array(
            [worst_number(unknown, p, max(0, t), -side.side * eps) for t in thresholds.tolist()]
        )
        logs = side.log_excesses(thresholds, eps)
        fewer = numbers < unknown
        logs[fewer] = _log_at_best(numbers[fewer], p, thresholds[fewer], eps, side.side)
        # What `_window` could not exclude without a look at it, but matters no more.
        matters = np.flatnonzero(weights + logs >= (weights + logs).max() + _NEGLIGIBLE)
        kept = slice(matters[0], matters[-1] + 1)
        left_out = np.delete(weights + logs, kept)
        self.log_neglected = float(np.logaddexp(log_neglected, np.logaddexp.reduce(left_out)))
        self.thresholds, self.log_weights = thresholds[kept], weights[kept]
        self.best_numbers, self.best_logs = numbers[kept], logs[kept]
        self._logs = functools.cache(self._log_excesses)

    def log_upper(self, tol: float) -> float:
        """Natural logarithm of a bound on the largest mean, within a factor of 1 + tol."""
        start = self.side.side, int(self.best_numbers.min()), int(self.best_numbers.max())
        _, upper = bisect([start], self._ends, self._log_bound, math.log1p(tol), _BUDGET)
        return min(0.0, float(np.logaddexp(upper, self.log_neglected)))

    def _window(self) -> tuple[IntArray, float]:
        """Return the numbers of known 1s that matter, and ln of a bound on what the others add."""
        informed, p = self.informed, self.side.p
        likely = likely_ones(self.side, informed, self.threshold, self.eps)
        # No more is neglected than that part of a mean that is attained.
        left = max(0, self.threshold - likely[len(likely) // 2])
        m = worst_number(self.side.trials, p, left, -self.side.side * self.eps)
        attained = replace(self.side, trials=m)
        level = log_mean(attained, informed, self.threshold, self.eps) + _NEGLIGIBLE

        def above(b: int) -> float:
            return _log_tail_bound(b + 1, informed, p)

        def below(b: int) -> float:
            return _log_tail_bound(informed - b + 1, informed, 1.0 - p)

        last = first_passing(likely[0], informed, lambda b: above(b) <= level)
        first = max(0, last_passing(0, last, lambda b: below(b) <= level))
        neglected = np.logaddexp(above(last), below(first))
        return np.arange(first, last + 1), float(neglected)

    def _log_excesses(self, m: int) -> FloatArray:
        """Natural logarithms of the excess for m records at p, given each number of known 1s."""
        return replace(self.side, trials=m).log_excesses(self.thresholds, self.eps)

    def _ends(self, _side: int, m: int) -> tuple[float, float]:
        mean = log_sum(self.log_weights + self._logs(m))
        return mean, mean

    def _log_bound(self, _side: int, low: int, high: int, _least: float) -> float:
        """Natural logarithm of a bound on the means for all m in low…high."""
        logs = np.where(self.best_numbers <= low, self._logs(low), self.best_logs)
        logs = np.where(self.best_numbers >= high, self._logs(high), logs)
        return log_sum(self.log_weights + logs)


def log_worst_mean(release: WorstPassive, eps: float) -> float:
    """Return ln of the largest mean over the number of records at p, or of slightly more."""
    return max(WorstMean(*terms, eps).log_upper(release.tol) for terms in _both_means(release))


def _log_tail_bound(k: int, n: int, p: float) -> float:
    """Return ln of a bound of ``P[X ≥ k]``, X binomial: mass ratios fall from each to the next."""
    if k > n:
        return -math.inf
    next_one, this_one = (n - k) * p, (k + 1) * (1.0 - p)
    if k <= 0 or next_one >= this_one:
        return 0.0
    return min(0.0, float(log_binomial_pmf(k, n, p)) - math.log1p(-next_one / this_one))


def _log_at_best(
    numbers: IntArray, p: float, thresholds: IntArray, eps: float, side: int
) -> FloatArray:
    """Natural logarithms of the excess at the best number of records, one for each threshold.

    It is the mass at the threshold times a sum of positive steps, whose ratios fall.
    """
    logs = np.where(thresholds <= 0, 0.0, -math.inf)
    wanted = (thresholds > 0) & (numbers >= thresholds)
    if p in (0.0, 1.0):  # nobody can be 1, or exactly so many are as it takes
        logs[wanted] = 0.0 if p == 1.0 else -math.inf
        return logs
    m, t = numbers[wanted], thresholds[wanted]
    odds, growth = p / (1.0 - p), math.exp(min(eps, 700.0))
    total, product, outcome = np.zeros(m.size), np.ones(m.size), t.astype(np.float64)
    while product.max(initial=0.0) > 1e-18:
        if side == 1:  # how much smaller the next mass is, upwards
            ratio = np.maximum(m - outcome, 0.0) / (outcome + 1.0) * odds
            outcome += 1.0
        else:  # … or downwards
            ratio = np.maximum(outcome, 0.0) / (m - outcome + 1.0) / odds
            outcome -= 1.0
        total += product * np.maximum(1.0 - growth * ratio, 0.0)
        product *= ratio
    logs[wanted] = log_binomial_pmf(t, m, p) + np.log(total)
    return logs
