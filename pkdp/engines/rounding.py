"""Rounded counts in floats: the worst case over ``p ∈ [λ, 1-λ]^N`` and over what is known.

δ of a rounded count is convex in each p_j, too, so that its largest value is at a vertex. It is
never above that of the plain count at the same vertex: so the search is that of the plain count,
with its bounds, and other values.
"""

import math

import numpy as np

from pkdp._bisection import first_passing
from pkdp.engines.vertices import Vertices
from pkdp.profiles.closed_forms import largest_loss
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.rounded_counts import log_excess_from, starts_of_lower, starts_of_upper
from pkdp.releases import WorstRounded

# More than the error of ln δ of a plain count.
_SLACK = 1e-9


def log_worst(release: WorstRounded, eps: float) -> float:
    """Return ln of the largest δ(ε) over all vertices and all numbers of known 1s."""
    unknown, lam = release.unknown, release.lam
    if unknown == 0 or eps >= largest_loss(unknown, lam):
        return _log_worst_far_out(release, eps)
    plain = Vertices(unknown, lam, eps)
    best = -math.inf

    def values(m: IntArray) -> FloatArray:
        """Return ln δ of some vertices, but -inf of those that are not the worst."""
        nonlocal best
        found = np.full(m.shape, -math.inf)
        of_plain = plain.log_delta(m)
        for at in np.argsort(-of_plain).tolist():
            if of_plain[at] + _SLACK < best:
                break
            found[at] = _log_at(release, int(m[at]), eps)
            best = max(best, found[at])
        return found - plain.log_scale

    worst = plain.search(unknown, release.tol, values, plain.log_bound)
    return min(0.0, plain.log_scale + worst.log_upper)


def _log_at(release: WorstRounded, m: int, eps: float) -> float:
    """Return ln of the largest D(j) at a vertex.

    Those of the other direction are at the vertex that mirrors it.
    """
    count = PoissonBinomial([release.lam, 1.0 - release.lam], [m, release.unknown - m])
    rounding = release.rounding
    best = min(math.floor(count.mean_at(eps)), count.most)
    # Some number of known 1s puts an edge at one of the two best outcomes, or as near as it gets:
    # with fewer of them than that, the more the nearer.
    wanted = (best + 1, best + 2, release.unknown - best, release.unknown - best + 1)
    ones = {0, release.known}
    ones |= {min(release.known, rounding.edge_from(at) - at) for at in wanted}
    starts = {
        *starts_of_upper(count, rounding, ones, eps),
        *starts_of_lower(count, rounding, ones, eps),
    }
    return log_excess_from(count, starts, eps)


def _log_worst_far_out(release: WorstRounded, eps: float) -> float:
    """Return the same where ε exceeds every loss of the plain count but an infinite one.

    Then the best j is the largest that remains. D(j) is positive from some m on, as the ratio of
    G(j) to G(j+1) rises with m; and it is at most the probability that all are 1.
    """
    unknown, lam = release.unknown, release.lam
    best = _log_at(release, unknown, eps)
    if best == -math.inf:
        return best
    start = first_passing(0, unknown, lambda m: _log_at(release, m, eps) > -math.inf)
    for m in range(start, unknown + 1):
        if m * math.log(lam) + (unknown - m) * math.log1p(-lam) <= best:
            break
        best = max(best, _log_at(release, m, eps))
    return best
