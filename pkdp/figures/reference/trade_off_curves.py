"""Trade-off curves (f-DP), and odds: what a privacy profile means to an attacker who bets.

The attacker guesses which of two values the target's record has, and errs in two ways: with
probability α she accuses a target with the one value (*false positive*), with probability β she
misses a target with the other (*false negative*). Her *trade-off curve* f(α) is her least β. Each
point of a profile is a line below it: an event of probability q under one value has at most
``E·q + δ`` under the other, E = exp(ε), so that

    f(α) = max over ε ≥ 0 of max(0, 1 - δ(ε) - E·α, (1 - δ(ε) - α)/E).

Where δ is exact, this is the largest symmetric, convex curve that no test beats, whichever of the
two values it accuses.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from typing import SupportsFloat

from pkdp._checks import as_real
from pkdp.profiles import trade_off
from pkdp.profiles.profile import PrivacyProfile, as_relative, delta_above, log_above

__all__ = ["false_negatives", "in_words"]

# The rounding of the few operations after δ, generously; the last ε, whose exponential is still a
# float; points of a grid, and steps of a golden section.
_SLACK, _MOST_EPS, _POINTS, _STEPS = 2e-15, 700.0, 17, 60
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def false_negatives(profile: PrivacyProfile, alpha: SupportsFloat) -> float:
    """Compute the trade-off curve f(α) (f-DP): the attacker's least rate of false negatives.

    Parameters
    ----------
    profile : PrivacyProfile
        Exact, or an upper bound.
    alpha : float
        The false positives that she allows herself, in [0, 1].

    Returns
    -------
    float
        A lower bound of her false negatives, in [0, 1 - α], never above the truth; of an exact
        profile it is f(α) to 1e-10.

    Raises
    ------
    ValueError
        If α is outside its range; if the profile is neither exact nor an upper bound, or states
        no relative error.
    TypeError
        If α is not a real number, or the profile is none.

    Notes
    -----
    One α takes about 160 values of the profile.

    References
    ----------
    Wasserman and Zhou, 2010, see (ε, δ) as a test; Dong, Roth and Su, 2022, put the lines of all ε
    together, in their Proposition 2.12.

    Examples
    --------
    A count of a hundred fair coins. Who accuses one innocent in a hundred misses 98 of a hundred:

    >>> from pkdp import counting
    >>> round(false_negatives(counting.exact([0.5] * 99), 0.01), 4)
    0.9832
    """
    as_relative(profile, "profile")
    rate = as_real(alpha, "alpha", "in [0, 1]", 0.0, 1.0)

    def kept(eps: float) -> float:
        """Return 1 - δ, rounded down."""
        return -math.expm1(log_above(profile, eps)) - _SLACK

    def steep(eps: float) -> float:
        return kept(eps) - math.exp(eps) * rate * (1.0 + _SLACK)

    def flat(eps: float) -> float:
        return (kept(eps) - rate) * math.exp(-eps) * (1.0 - _SLACK)

    if rate == 0.0:
        return max(0.0, kept(math.inf))
    # A steep line is above 0 only where E·α < 1.
    found = _peak(steep, min(_MOST_EPS, -math.log(rate)))
    # The flat line of this ε is at least (1 - α)/(2E) high; those of E twice as large are below.
    far = 1.0
    while far < _MOST_EPS and kept(far) < (1.0 + rate) / 2.0:
        far *= 2.0
    found = max(found, _peak(flat, min(_MOST_EPS, far + math.log(2.0))))
    return min(max(0.0, found), 1.0 - rate)


def _peak(height: Callable[[float], float], last: float) -> float:
    """Return the largest value seen of a function in [0, last], near a peak of it.

    The profile of a mere bound may have several, so that the highest point of a grid is looked for
    first. A peak between points of the grid is then narrowed down by the golden section.
    """
    grid = [last * j / (_POINTS - 1) for j in range(_POINTS)]
    heights = [height(eps) for eps in grid]
    best = max(heights)
    at = heights.index(best)
    low, high = grid[max(0, at - 1)], grid[min(at + 1, _POINTS - 1)]
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    one, other = height(inner), height(outer)
    for _ in range(_STEPS):
        best = max(best, one, other)
        if one >= other:
            high, outer, other = outer, inner, one
            inner = high - _GOLDEN * (high - low)
            one = height(inner)
        else:
            low, inner, one = inner, outer, other
            outer = low + _GOLDEN * (high - low)
            other = height(outer)
    return max(best, one, other)


def in_words(profile: PrivacyProfile, eps: float) -> str:
    """Say what a profile means to somebody who bets on the target's record.

    Two values of it are equally likely to her before she sees the output. At odds of E = exp(ε)
    she stakes E, and wins 1 if she is right; she need not bet on every output. Her best events
    gain her H_E(P‖Q)/2 by bets on the one value, and H_E(Q‖P)/2 by bets on the other: at most δ(ε).

    Parameters
    ----------
    profile : PrivacyProfile
        Exact, or an upper bound.
    eps : float
        ε in [0, 700].

    Returns
    -------
    str
        Two sentences. All numbers are rounded up.

    Raises
    ------
    ValueError
        If `eps` is outside its range; if the profile is neither exact nor an upper bound, or states
        no relative error.
    TypeError
        If `eps` is not a real number, or the profile is none.

    Examples
    --------
    >>> from pkdp import counting
    >>> print(in_words(counting.exact([0.1] * 999), 0.5))  # doctest: +NORMALIZE_WHITESPACE
    If two values of a record are equally likely to her and she has to bet on one, she wins at most
    52.2 of 100 bets on average; guessing wins 50. If she must stake 1.65 to win 1, her bets gain
    her at most 5.93e-07 each.
    """
    eps = as_real(eps, "eps", f"in [0, {_MOST_EPS:g}]", 0.0, _MOST_EPS)
    excess, delta = 50.0 * trade_off.advantage(profile), delta_above(profile, eps)
    # Smaller ones are hardly worth their digits.
    wins = decimal.Decimal(50) + (_up(max(excess, 1e-9), 2) if excess else 0)
    return (
        "If two values of a record are equally likely to her and she has to bet on one, she wins "
        f"at most {wins:f} of 100 bets on average; guessing wins 50. "
        f"If she must stake {_up(math.exp(eps), 3):g} to win 1, "
        f"her bets gain her at most {float(_up(delta, 3)):.3g} each."
    )


def _up(value: float, digits: int) -> decimal.Decimal:
    """Return a number with a few significant digits, rounded up."""
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return context.create_decimal_from_float(value)
