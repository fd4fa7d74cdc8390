"""Inversion of a privacy profile: the ε at which it meets a δ."""

import functools
import math
from collections.abc import Callable

from scipy.optimize import brentq

# The search for an ε goes up to here: beyond, squares of ε are no floats.
LARGEST_EPSILON = 1e100
# How far from a guess that is right to rounding a target may be met or missed.
_NEAR = (1e-15, 4e-15, 1.6e-14)


def enclosed_epsilon(
    bounds_at: Callable[[float], tuple[float, float]], target: float, guess: float
) -> tuple[float, float]:
    """Return an ε at which ln δ is above a target, or 0, and one at which it is not, or inf.

    From a guess we step down and up, at first about as far as the bounds there say is needed.
    """
    bounds_at = functools.cache(bounds_at)
    # The logarithm of a δ was rounded, down.
    above = target + 1e-14 * max(1.0, -target) if target > -math.inf else target
    low, high = guess, guess
    if guess == math.inf:
        low = 800.0  # where to start from; it is halved until δ is above
        if bounds_at(math.inf)[0] > above:
            return math.inf, math.inf
    scale = guess if 0.0 < guess < math.inf else 1e-15
    width = bounds_at(low)[1] - bounds_at(low)[0] if math.isfinite(target) else 0.0
    first = max(1e-15, (width if width < 1.0 else 1.0) / (1.0 - target))
    step = first
    while low > 0.0 and bounds_at(low)[0] <= above:
        low = max(0.0, guess - step * scale) if guess < math.inf else low / 2.0
        low = low if step < 1.0 and low > 1e-300 else 0.0
        step *= 4.0
    step = first
    while high < math.inf and bounds_at(high)[1] > target:
        high = guess + step * scale if step < 1e300 else math.inf
        step *= 4.0
    return low, high


def least_epsilon(
    log_delta_at: Callable[[float], float],
    target: float,
    first_eps: float = 1.0,
    guess: float | None = None,
) -> float:
    """Invert a non-increasing curve, from the safe side.

    -ln δ grows roughly like ε², so the root is sought for its square root, which is nearly linear.
    A guess that is right to rounding spares the search.
    """
    # The root finder asks again about the ends of the interval it is given.
    log_delta_at = functools.cache(log_delta_at)
    if guess is not None and 0.0 < guess < LARGEST_EPSILON:
        above, below = ([guess * (1.0 + sign * step) for step in _NEAR] for sign in (1.0, -1.0))
        met = next((eps for eps in above if log_delta_at(eps) <= target), None)
        if met is not None and any(log_delta_at(eps) > target for eps in below):
            return met
    if log_delta_at(0.0) <= target:
        return 0.0
    low, high = 0.0, first_eps
    while log_delta_at(high) > target:
        # The curve meets the target at no float below inf.
        if high >= LARGEST_EPSILON or (high >= 1.0 and log_delta_at(math.inf) > target):
            return math.inf
        low, high = high, min(high * max(4.0, high / 1e8), LARGEST_EPSILON)
    while low == 0.0 and high > 1e-300:  # a small answer needs a lower end of its own size
        lower = high / 16.0
        if log_delta_at(lower) > target:
            low = lower
        else:
            high = lower
    while 0.0 < 16.0 * low < high:
        middle = math.sqrt(low) * math.sqrt(high)
        low, high = (middle, high) if log_delta_at(middle) > target else (low, middle)

    def excess(eps: float) -> float:
        log_delta = log_delta_at(eps)
        # Where δ is far below the target, or 0, it says no more than that it is.
        shown = max(log_delta, 4.0 * target - 4.0)
        above = math.sqrt(-target) - math.sqrt(max(0.0, -shown)) if math.isfinite(target) else 0.0
        # Never 0: on a plateau that meets the target no ε but the first is a root. As small as a
        # rounding elsewhere, so that the next guess is near.
        return above or (1e-16 if log_delta > target else -1e-16)

    root = float(brentq(excess, low, high, xtol=1e-300, rtol=1e-13, maxiter=1000))
    # Step up from the root, which may lie on either side, to the first ε seen to meet the target.
    step = 1e-15
    while step < 1.0:
        eps = min(root * (1.0 + step), high)
        if log_delta_at(eps) <= target:
            return eps
        step *= 4.0
    return high
