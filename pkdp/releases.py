"""Releases: what is published, and against whom, in words that an engine answers.

A release is a frozen dataclass without numerics. `pkdp.engines` computes its ln δ in floats, unless
a formula of `pkdp.profiles` is all there is to compute, and `pkdp.certified` in ball arithmetic.
Releases that are pairs of distributions are in `pkdp.profiles`: counts (`pairs`), counts with a
threshold (`thresholds`) and with noise (`additive_noise`).

Throughout, ``unknown`` is the number N of records that the attacker does not know, and ``lam`` is
λ: to her, each of them has each of its values with at least that probability. The functions of the
papers' modules check the arguments.
"""

from __future__ import annotations

import functools
import importlib
import math
from dataclasses import dataclass, replace
from types import ModuleType

from pkdp.profiles._plateaus import Plateau, of_power
from pkdp.profiles.additive_noise import Noise
from pkdp.profiles.closed_forms import (
    log_closed_form,
    log_kl_blanket,
    log_kl_two_categories,
    normal_bound,
)
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.profile import Formula, Release
from pkdp.profiles.rounded_counts import Rounding
from pkdp.profiles.thresholds import log_excess, log_merged, log_worst

__all__ = [
    "BerryEsseen",
    "Blanket",
    "BlanketTail",
    "ClosedForm",
    "EntropyForm",
    "NoisyBlanket",
    "Passive",
    "TwoSided",
    "WorstCount",
    "WorstNoisyCount",
    "WorstPassive",
    "WorstRounded",
    "WorstThreshold",
    "WorstVertex",
]


@dataclass(frozen=True)
class WorstVertex:
    """The maximum of δ over all vertices, between a value attained and a bound.

    Attributes
    ----------
    m : int
        A vertex (records at λ; the others are at 1-λ) whose δ is `log_lower`.
    log_lower, log_upper : float
        ln δ of that vertex, and a bound that no vertex exceeds. `log_upper - log_lower` is the
        relative gap, up to the spacing of floats of that size; it is 0 where every vertex was
        evaluated, and above the tolerance where the search gave up. Both are computed in floats,
        whose errors are checked by tests and not part of the gap.
    """

    m: int
    log_lower: float
    log_upper: float


class _Described(Release):
    """A release that engines answer for, unless it is a formula."""

    def log_delta(self, eps: float) -> float:
        """Return ln δ(ε) in floats (see `Release.log_delta`)."""
        return float(_engines().log_delta(self, eps))

    @property
    def is_certifiable(self) -> bool:
        """True: ball arithmetic answers, too."""
        return True


def _engines() -> ModuleType:
    return importlib.import_module("pkdp.engines")


@dataclass(frozen=True)
class _Searched(_Described):
    """A release of the worst probabilities in [λ, 1-λ], which a search finds."""

    unknown: int
    lam: float

    def log_delta(self, eps: float) -> float:
        """Return what no vertex exceeds (see `Release.log_delta`)."""
        return self.worst_vertex(eps).log_upper

    def worst_vertex(self, eps: float) -> WorstVertex:
        """Return where the maximum is attained.

        At ε = 0 vertices m and N - m are equally bad, and rounding, which differs between machines,
        does not decide between the two: the smaller m is returned.
        """
        found: WorstVertex = _engines().worst_vertex(self, eps)
        return found if eps > 0.0 else replace(found, m=min(found.m, self.unknown - found.m))


@dataclass(frozen=True)
class WorstCount(_Searched):
    """A count, in the worst case over probabilities in [λ, 1-λ]; `tol` is that of the search."""

    tol: float

    def ending(self) -> Plateau:
        """Return the δ that no ε achieves: everybody else is 1, with probability 1-λ each."""
        return of_power(self.lam, self.unknown, True)

    def log_delta_of_vertices(self, m: IntArray, eps: float) -> FloatArray:
        """Return ln δ(ε) of vertices, for the target's record going from 1 to 0."""
        logs: FloatArray = _engines().log_delta_of_vertices(self, m, eps)
        return logs


@dataclass(frozen=True)
class WorstNoisyCount(_Searched):
    """A count with noise, in the worst case over probabilities in [λ, 1-λ]."""

    noise: Noise
    tol: float


@dataclass(frozen=True)
class WorstRounded(_Described):
    """A rounded count, in the worst case over probabilities in [λ, 1-λ] and known records."""

    unknown: int
    lam: float
    known: int
    rounding: Rounding
    tol: float

    is_certifiable = False


@dataclass(frozen=True)
class Blanket(_Described):
    """What the privacy blanket guarantees for a histogram."""

    unknown: int
    lam: float

    def ending(self) -> Plateau | None:
        """Return the δ of Y = 0; the largest finite loss is that of Y = 1 and X = N - 1."""
        if self.unknown < 2:
            return None
        end = math.nextafter(math.log(self.unknown), math.inf)
        return of_power(self.lam, self.unknown, True, end)


@dataclass(frozen=True)
class BlanketTail(Blanket):
    """The probability ``P[(X + a)/Y ≥ E]`` over the privacy blanket, a = `added` in {0, 1}."""

    added: int = 1

    @property
    def is_certifiable(self) -> bool:
        """Whether a is 1."""
        return self.added == 1


@dataclass(frozen=True)
class NoisyBlanket(_Described):
    """What the privacy blanket and noise guarantee together."""

    unknown: int
    lam: float
    noise: Noise


@dataclass(frozen=True)
class ClosedForm(_Described):
    """The closed form ``exp(-r·N·ε²)``, for two categories or for more."""

    unknown: int
    lam: float
    two_categories: bool

    def log_delta(self, eps: float) -> float:
        """Return ln of the closed form (see `Release.log_delta`)."""
        return log_closed_form(self.unknown, self.lam, self.two_categories, eps)


@dataclass(frozen=True)
class EntropyForm(_Described):
    """The closed form by relative entropies, with or without its Bessel functions."""

    unknown: int
    lam: float
    two_categories: bool
    bessel: bool

    def log_delta(self, eps: float) -> float:
        """Return ln of the form, which is no larger than at ε = 0.

        With its second factor either formula rises a little near 0 before it falls.
        """
        return min(self._log_form(0.0), self._log_form(eps))

    def _log_form(self, eps: float) -> float:
        terms = self.unknown, self.lam, eps, self.bessel
        log_bound = log_kl_blanket(*terms)
        if self.two_categories and eps < math.inf:
            log_bound = min(log_bound, log_kl_two_categories(*terms))
        return log_bound


@dataclass(frozen=True)
class BerryEsseen(_Described):
    """What a normal approximation guarantees for a count."""

    count: PoissonBinomial

    def log_delta(self, eps: float) -> float:
        """Return ln of the bound (see `Release.log_delta`)."""
        return self._formula.log_delta(eps)

    @functools.cached_property
    def _formula(self) -> Formula:
        variance = self.count.variance
        log_error = math.log(1.12) + math.log(self.count.absolute_third_moment)
        return normal_bound(log_error - 1.5 * math.log(variance), variance)


@dataclass(frozen=True)
class TwoSided(_Described):
    """A count of which small and large values are replaced by one symbol, or by one for each.

    Attributes
    ----------
    count : PoissonBinomial
        The others.
    low, high : int
        Counts of the others from `low` to `high` are shown if the target's record is 0.
    one_symbol : bool
        Whether both extremes are replaced by the same symbol.
    """

    count: PoissonBinomial
    low: int
    high: int
    one_symbol: bool

    @functools.cached_property
    def mirrored(self) -> PoissonBinomial:
        """The count of 0s."""
        return self.count.mirrored()

    def log_delta(self, eps: float) -> float:
        """Return the larger ln δ(ε) of both directions (see `Release.log_delta`)."""
        low, high, trials = self.low, self.high, self.count.trials
        if self.one_symbol:
            counts = self.count, self.mirrored
            return max(log_merged(count, low, high + 1, eps) for count in counts)
        return max(
            log_excess(self.count, low, high, eps),
            log_excess(self.mirrored, trials - high, trials - low, eps),
        )


@dataclass(frozen=True)
class WorstThreshold(_Described):
    """A thresholded count, in the worst case over probabilities up to p."""

    unknown: int
    p: float
    threshold: int

    def log_delta(self, eps: float) -> float:
        """Return ln of the largest δ(ε) over all probabilities up to p."""
        return max(log_worst(self.unknown, self.p, self.threshold, eps))

    def ending(self) -> Plateau | None:
        """Return the δ that no ε achieves, unless the threshold hides all counts of the others."""
        return of_power(self.p, self.threshold) if self.threshold <= self.unknown else None


@dataclass(frozen=True)
class Passive(_Described):
    """A thresholded count of equal records, of which the attacker sees so many."""

    unknown: int
    known: int
    p: float
    threshold: int


@dataclass(frozen=True)
class WorstPassive(Passive):
    """The same in the worst case over probabilities up to p."""

    tol: float = 1e-8
