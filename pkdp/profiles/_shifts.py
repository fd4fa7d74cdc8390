"""The hockey-stick of a count that is shifted by more than one, from a few windows.

S is the sum of independent bits, whose masses s are log-concave. So ``P[S + b = k]`` exceeds
``E·P[S = k]`` from some k on, E = e^ε, and with j = k - b the excess is

    Σ_{i ≥ j} (s_i - E·s_{i+b}) = P[S ≥ j] - E·P[S ≥ j + b].

Tilted by ε/b the two masses are weights of one window, next to whose middle the sum begins. If b is
no more than some deviations of it, all positive terms are added up: the two tails may be nearly the
same. If it is more, they are not, and are subtracted; the j is then found by bisection.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pkdp._bisection import first_passing
from pkdp.profiles.logarithms import log_sum

if TYPE_CHECKING:
    from pkdp.profiles.laws import PoissonBinomial

# Up to so many tilted deviations a shift is one of masses that overlap.
_OVERLAP = 3.0


def log_excess(count: PoissonBinomial, by: int, eps: float) -> float:
    """Return ``ln Σ max(0, P[S + by = k] - e^ε·P[S = k])``.

    Parameters
    ----------
    count : PoissonBinomial
        The law of S, not narrow itself.
    by : int
        A shift, of at least 1.
    eps : float
        ε in [0, inf].
    """
    tilt = eps / by
    if by <= _OVERLAP * math.sqrt(count.variance_at(tilt)):
        return _log_steps(count, by, tilt)
    last = count.most - by  # the largest outcome whose shift is one, too
    if last < count.least:
        return 0.0
    if eps == math.inf:
        return count.log_upper(last + 1)

    def passes(outcome: int) -> bool:
        return count.log_mass(outcome) - count.log_mass(outcome + by) >= eps

    # The tilt halfway is about the slope of ln s.
    guess = min(max(round(count.mean_at(tilt) - 0.5 * by), count.least), last + 1)
    reach = 1
    low, high = guess, guess
    while low > count.least and passes(low - 1):
        low, reach = max(count.least, low - reach), 2 * reach
    while high <= last and not passes(high):
        high, reach = min(last + 1, high + reach), 2 * reach
    first = first_passing(low, high, passes)
    log_p, log_q = count.log_upper(first), eps + count.log_upper(first + by)
    return log_p + math.log1p(-math.exp(min(log_q - log_p, -1e-17)))


def _log_steps(count: PoissonBinomial, by: int, tilt: float) -> float:
    """Return the logarithm of the sum of all positive terms, tilted by ε/by."""
    window = count.window(tilt)
    # E·s_{i+b}, tilted, is the weight of i + b.
    steps = window.weights - np.append(window.weights[by:], np.zeros(by))
    up = steps > 0.0
    logs = np.log(steps[up]) - tilt * (window.outcomes[up] - window.anchor)
    return min(0.0, window.log_scale + log_sum(logs))
