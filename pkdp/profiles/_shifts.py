"""The hockey-stick of a count that is shifted by more than one, in O(log n).

S is the sum of independent bits, whose masses s are log-concave. So ``P[S + b = k]`` exceeds
``E·P[S = k]`` from some k on, E = e^ε, and with j = k - b the excess is

    Σ_{i ≥ j} (s_i - E·s_{i+b}) = P[S ≥ j] - E·P[S ≥ j + b].

The j is found by bisection. If b is no more than some tilted deviations, both the sum and the
sign of its first term are one integral, as for b = 1 (`_partial_sums`): the two tails may be nearly
the same. If it is more, they are not, and are subtracted; and where the masses have no width, which
is next to the largest outcome, they are listed.
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
# Where masses have no width, so many from the first on have all that matters.
_NARROW = 400


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
    last = count.most - by  # the largest outcome whose shift is one, too
    if last < count.least:
        return 0.0
    if eps == math.inf:
        return count.log_upper(last + 1)

    def passes(outcome: int) -> bool:
        if _overlaps(count, by, outcome):
            first = count.log_steps(outcome, eps, terms=1, by=by)
            if first is not None:
                return first > -math.inf
        return count.log_mass(outcome) - count.log_mass(outcome + by) >= eps

    # The tilt halfway is about the slope of ln s.
    guess = min(max(round(count.mean_at(eps / by) - 0.5 * by), count.least), last + 1)
    reach = 1
    low, high = guess, guess
    while low > count.least and passes(low - 1):
        low, reach = max(count.least, low - reach), 2 * reach
    while high <= last and not passes(high):
        high, reach = min(last + 1, high + reach), 2 * reach
    return _log_excess_from(count, first_passing(low, high, passes), by, eps)


def _overlaps(count: PoissonBinomial, by: int, outcome: int) -> bool:
    variance = count.variance_at(count.tilt_towards(outcome + 0.5 * by))
    return by <= _OVERLAP * math.sqrt(variance)


def _log_excess_from(count: PoissonBinomial, first: int, by: int, eps: float) -> float:
    """Return the logarithm of the sum from j on."""
    if first + by > count.most:
        return count.log_upper(first)
    if not _overlaps(count, by, first):
        log_p, log_q = count.log_upper(first), eps + count.log_upper(first + by)
        return log_p + math.log1p(-math.exp(min(log_q - log_p, -1e-17)))
    found = count.log_steps(first, eps, by=by)
    if found is not None:
        return min(0.0, found)
    outcomes = min(_NARROW, count.most - first + 1)
    logs = count.log_pmf(first, first + outcomes + by - 1)
    gaps = np.minimum(eps + logs[by:] - logs[:outcomes], 0.0)
    with np.errstate(divide="ignore"):
        return log_sum(logs[:outcomes] + np.log(-np.expm1(gaps)))
