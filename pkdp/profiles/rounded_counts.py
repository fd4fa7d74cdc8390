"""Rounded counts: the pair of distributions of a count that is published in steps.

A count that is suppressed up to T and rounded to multiples of b is published as one of some
intervals. The likelihood ratio of the count rises with it, and so does that of the intervals. So
the best events are "the published count is at least this", and of all j in

    D(j) = G(j) - E·G(j+1),  G(j) = P[S ≥ j],

as in `pkdp.profiles.thresholds`, those remain at which an interval begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pkdp.profiles._plateaus import Plateau
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.pairs import LOG_LEAST, DiscretePair, LogMasses, plateau_of_count
from pkdp.profiles.thresholds import log_excess

__all__ = ["RoundedPair", "Rounding"]


@dataclass(frozen=True)
class Rounding:
    """What is published instead of a count: 0 up to T, then the nearest multiple of b.

    A count halfway between two multiples goes up.

    Attributes
    ----------
    base : int
        b ≥ 1.
    suppressed : int
        T ≥ 0.

    Examples
    --------
    >>> [Rounding(5).published(k) for k in (2, 3, 7, 8)]
    [0, 5, 5, 10]
    >>> [Rounding(5, suppressed=7).published(k) for k in (7, 8)]
    [0, 10]
    """

    base: int
    suppressed: int = 0

    def published(self, count: int) -> int:
        """Return what is published of a count ≥ 0."""
        nearest = (count + self.base // 2) // self.base * self.base
        return 0 if count <= self.suppressed else nearest

    @property
    def first_edge(self) -> int:
        """The least count of which more than 0 is published."""
        return max(self.suppressed + 1, self.base - self.base // 2)

    def edge_from(self, count: int) -> int:
        """Return the least edge from a count on: what is published of it and of one less differ."""
        if count <= self.first_edge:
            return self.first_edge
        return count + -(count + self.base // 2) % self.base

    def edge_up_to(self, count: int) -> int | None:
        """Return the largest edge up to a count; None if there is none."""
        if count < self.first_edge:
            return None
        return max(self.first_edge, count - (count + self.base // 2) % self.base)


@dataclass(frozen=True)
class RoundedPair(DiscretePair):
    """What the attacker must tell apart: a rounded count with the target's record 1 and 0.

    Attributes
    ----------
    count : PoissonBinomial
        The law of the number of 1s among the records that are unknown to her.
    rounding : Rounding
    ones : int
        The number of 1s among the records that she knows.
    target : {1, 0}
        The target's record under the first law of the pair; the second has the other.
    """

    count: PoissonBinomial
    rounding: Rounding
    ones: int = 0
    target: int = 1

    def reversed(self) -> RoundedPair:
        """Return the pair with the two records exchanged."""
        return RoundedPair(self.count, self.rounding, self.ones, 1 - self.target)

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        if self.target != exchanged:
            starts = starts_of_upper(self.count, self.rounding, [self.ones], eps)
            return log_excess_from(self.count, starts, eps)
        mirrored = self.count.mirrored()
        starts = starts_of_lower(mirrored, self.rounding, [self.ones], eps)
        return log_excess_from(mirrored, starts, eps)

    def plateau(self) -> Plateau | None:
        """Return where the hockey-stick ends: at the outcome that only one of the records allows.

        It is hidden if something else is published as the same.
        """
        count = self.count
        end = self.ones + 1 + (count.most if self.target == 1 else count.least)
        if self.rounding.edge_from(end) != end:
            return Plateau(-math.inf, self._largest_finite_loss())
        found = plateau_of_count(count, self.target)
        return None if found is None else found._replace(eps=self._largest_finite_loss())

    def _largest_finite_loss(self) -> float | None:
        """Return it, rounded up, at least 0; None where some outcomes are too rare to be listed."""
        if self.count.span(LOG_LEAST) != (self.count.least, self.count.most):
            return None
        masses = self.log_masses()
        both = np.minimum(masses.log_p, masses.log_q) > -math.inf
        loss = float((masses.log_p[both] - masses.log_q[both]).max(initial=0.0))
        return loss * (1.0 + 4e-13)

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, from the least published count on."""
        first, last = self.count.span(log_least)
        counts = range(first, last + 2)
        published = np.array([self.rounding.published(k + self.ones) for k in counts])
        starts = np.flatnonzero(np.diff(published, prepend=-1))
        both = []
        for own in (self.target, 1 - self.target):
            logs = self.count.log_pmf(first - own, last + 1 - own)
            both.append(np.logaddexp.reduceat(logs, starts))
        possible = np.maximum(*both) > -math.inf
        return LogMasses(both[0][possible], both[1][possible], self.count.log_outside(first, last))


# The j nearest to the best outcome at which an interval begins, on either side. D(j) rises up to
# the best j and falls from there on, so that no other j is better.


def starts_of_upper(
    count: PoissonBinomial, rounding: Rounding, ones: Iterable[int], eps: float
) -> Iterator[int]:
    """Yield such j for the events "published is at least e": there S + 1 + c ≥ e."""
    best = min(math.floor(count.mean_at(eps)), count.most)
    for known in ones:
        yield rounding.edge_from(best + 2 + known) - 1 - known
        below = rounding.edge_up_to(best + 1 + known)
        if below is not None:
            yield below - 1 - known


def starts_of_lower(
    mirrored: PoissonBinomial, rounding: Rounding, ones: Iterable[int], eps: float
) -> Iterator[int]:
    """Yield such j for "published is less than e", given the law of the number of 0s, S'.

    There N - S' + c < e, so that j = N - e + 1 + c.
    """
    best = min(math.floor(mirrored.mean_at(eps)), mirrored.most)
    for known in ones:
        last = mirrored.trials + 1 + known
        above = rounding.edge_up_to(last - best - 1)
        if above is not None:
            yield last - above
        yield last - rounding.edge_from(last - best)


def log_excess_from(count: PoissonBinomial, starts: Iterable[int], eps: float) -> float:
    """Natural logarithm of the largest D(j) over the j nearest to the best outcome among some."""
    best = min(math.floor(count.mean_at(eps)), count.most)
    every = set(starts)
    nearest = {
        max((j for j in every if j <= best), default=-1),
        min((j for j in every if j > best), default=-1),
    }
    return max((log_excess(count, j, j, eps) for j in nearest), default=-math.inf)
