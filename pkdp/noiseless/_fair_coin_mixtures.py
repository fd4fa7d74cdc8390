"""Privacy blanket of fair coins: the mean of their profiles over a random number of coins.

Of a count S of k fair coins the attacker must tell S + t and S apart. Masses of S are log-concave,
so that the best event is "at least κ":

    D(k) = P[S ≥ κ-t] - E·P[S ≥ κ],  κ the least x with m(x-t) > E·m(x),

m the masses of S; D is the profile in both directions, as fair coins are symmetric. One coin more
raises κ by 1 or leaves it, and lowers D by

    (m(κ-t) - E·m(κ))/2   or   (E·m(κ-1) - m(κ-t-1))/2,

neither of them negative. So a window of O(√n) numbers of coins costs O(√n), and nothing cancels but
in these differences, which logarithms of m(x-t)/m(x) give: sums of t logarithms of one sign.
"""

import math

import numpy as np

from pkdp.profiles.binomials import log_binomial_pmf, reach_of
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import (
    FloatArray,
    IntArray,
    log_positive,
    log_sum,
    relative_entropy_of_tilt,
)

# Of so few uncertain coins a window of the law of their number has all masses, each to full
# relative accuracy, whatever the tilt.
_FEW = 64

# Up to so many steps a ratio of masses is a sum of as many logarithms; beyond, it is a quotient.
_FEW_STEPS = 32

# A tilt is right if the mixture's terms, over the window, rise above those in its middle by less
# than exp of this; so often it is corrected. Then all masses that matter are listed.
_RISE, _TRIES = 4.0, 8


def log_mixture(number: PoissonBinomial, steps: int, eps: float) -> float:
    """Natural logarithm of E[D(K)], where K is the number of coins.

    Parameters
    ----------
    number : PoissonBinomial
        The law of K.
    steps : int
        t ≥ 1.
    eps : float
        ε in [0, inf].
    """
    if number.most < steps:
        return 0.0
    # D(k) falls about like the mass at k·θ of k fair coins, θ/(1-θ) = exp(ε/t).
    tilt = -float(relative_entropy_of_tilt(0.0, min(eps / steps, 700.0)))
    for _ in range(_TRIES):
        window = number.window(tilt)
        sizes = window.outcomes
        logs = log_deltas(int(sizes[0]), sizes.size, steps, eps)
        terms = window.log_pmf + logs
        total = log_sum(terms)
        if number.most - number.least <= _FEW:
            return min(0.0, total)
        slope = _slope(logs, terms)
        if abs(slope - tilt) * sizes.size <= 2.0 * _RISE:
            return min(0.0, total)
        tilt = slope
    raise ArithmeticError("a computation failed; please report the arguments")


def _slope(logs: FloatArray, terms: FloatArray) -> float:
    """Return the slope of ln D where the terms of the mixture are largest: a straight line's.

    ln D(k) is a line and a sawtooth, as κ rises in jumps; a line fitted to many of its teeth sees
    nothing of them.
    """
    shares = np.exp(terms - terms.max())
    # Neighbours of a lone term let it have a slope.
    shares = np.maximum(shares, 1e-9 * (np.abs(np.arange(terms.size) - terms.argmax()) < 2))
    at = np.arange(terms.size) - shares @ np.arange(terms.size) / shares.sum()
    return float((shares * at) @ logs / ((shares * at) @ at))


def log_deltas(first: int, count: int, steps: int, eps: float) -> FloatArray:
    """Return ln D(k) for ``first, …, first + count - 1`` coins; 0 for fewer than t."""
    logs = np.zeros(count)
    k = np.arange(max(first, steps), first + count)
    if not k.size:
        return logs
    kappa = _thresholds(k, steps, eps)
    coins, at = k[:-1], kappa[:-1]
    rises = kappa[1:] > at
    log_ratios = _log_ratios(coins, np.where(rises, at, at - 1), steps)
    log_masses = log_binomial_pmf(np.where(rises, at - steps, at - 1), coins, 0.5)
    differences = _log_differences(-np.abs(_gaps(log_ratios, eps)))
    falls = log_masses + np.where(rises, 0.0, eps) + differences - math.log(2.0)
    last = _log_delta(int(k[-1]), int(kappa[-1]), steps, eps)
    # In units of the last, so that logarithms stay small and keep their digits.
    logs[-k.size :] = np.logaddexp.accumulate(np.append(falls, last)[::-1] - last)[::-1] + last
    return logs


def _log_delta(coins: int, kappa: int, steps: int, eps: float) -> float:
    """Return ln D(k), as a sum of positive terms."""
    last = min(coins + steps, max(kappa, coins // 2 + steps) + reach_of(coins / 4.0))
    x = np.arange(kappa, last + 1)
    log_ratios = _log_ratios(np.full(x.size, coins), x, steps)
    log_masses = log_binomial_pmf(x - steps, coins, 0.5)
    return min(0.0, log_sum(log_masses + _log_differences(_gaps(log_ratios, eps))))


def _gaps(log_ratios: FloatArray, eps: float) -> FloatArray:
    """Return ``ln(E·m(x)/m(x-t))``, which is -inf where m(x) is 0, even for an infinite ε."""
    finite = log_ratios < math.inf
    return np.where(finite, eps - np.where(finite, log_ratios, 0.0), -math.inf)


def _log_differences(gaps: FloatArray) -> FloatArray:
    """Return ``ln(1 - exp(gap))``; -inf for a gap of 0, or a rounding error above."""
    return log_positive(-np.expm1(np.minimum(gaps, 0.0)))


def _thresholds(k: IntArray, steps: int, eps: float) -> IntArray:
    """Return κ for consecutive numbers of coins, each at least t: in ``⌊(k+t)/2⌋ + 1 … k+1``."""
    least, most = (k + steps) // 2, k + 1  # the first never passes, the second always does
    # In the middle of the t factors of the ratio: each is about exp(ε/t) there.
    theta = 1.0 / (1.0 + math.exp(-eps / steps))
    middle = (steps - 1) / 2.0
    guess = np.rint(theta * (k + steps - middle) + (1.0 - theta) * middle).astype(np.int64)
    low, high = np.clip(guess - 2, least, most - 1), np.clip(guess + 2, least + 1, most)
    low = np.where(_log_ratios(k, low, steps) > eps, least, low)
    high = np.where(_log_ratios(k, high, steps) > eps, high, most)
    while (high - low > 1).any():
        between = (low + high) // 2
        passes = _log_ratios(k, between, steps) > eps
        low, high = np.where(passes, low, between), np.where(passes, between, high)
    kappa = np.where(np.isinf(eps), most, high)
    # Where two events are as good, rounding may choose either; the recurrence wants a rise of 0
    # or 1 with each coin.
    kappa = np.minimum.accumulate(kappa[::-1])[::-1]
    return np.asarray(np.maximum.accumulate((kappa - k)[::-1])[::-1] + k)


def _log_ratios(k: IntArray, x: IntArray, steps: int) -> FloatArray:
    """Return ``ln(m(x-t)/m(x))``: -inf where only m(x) is positive, inf where it is 0."""
    inside = (x >= steps) & (x <= k)
    logs = np.where(x > k, math.inf, -math.inf)
    coins, at = k[inside], x[inside]
    if steps > _FEW_STEPS:
        logs[inside] = log_binomial_pmf(at - steps, coins, 0.5) - log_binomial_pmf(at, coins, 0.5)
        return logs
    surplus, rest = (2 * at - coins - steps).astype(np.float64), coins - at
    total = np.zeros(at.size)
    for i in range(1, steps + 1):
        total += np.log1p(surplus / (rest + i))
    logs[inside] = total
    return logs
