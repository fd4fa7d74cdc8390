"""Releases: what is published, and against whom, in words that an engine answers.

A release is a frozen dataclass without numerics. `pkdp.engines` computes its ln δ in floats,
`pkdp.certified` in ball arithmetic. Releases that are pairs of distributions are in
`pkdp.profiles`: counts (`pairs`), counts with a threshold (`thresholds`) and with noise (`noise`).

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
from pkdp.profiles.closed_forms import normal_bound
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.profile import Formula, Release
from pkdp.profiles.rounding import Rounding

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

    def of_smallest_m(self, unknown: int, eps: float) -> WorstVertex:
        """Return the same maximum at N - m if that is smaller and, at ε = 0, equally bad.

        Otherwise rounding would decide between the two, which machines do differently.
        """
        return self if eps > 0.0 else replace(self, m=min(self.m, unknown - self.m))


class _Described(Release):
    """A release that engines answer for."""

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
class WorstCount(_Described):
    """A count, in the worst case over probabilities in [λ, 1-λ]; `tol` is that of the search."""

    unknown: int
    lam: float
    tol: float

    def ending(self) -> Plateau:
        """Return the δ that no ε achieves: everybody else is 1, with probability 1-λ each."""
        return of_power(self.lam, self.unknown, True)

    def worst_vertex(self, eps: float) -> WorstVertex:
        """Return where the maximum is attained."""
        found: WorstVertex = _engines().worst_vertex(self, eps)
        return found.of_smallest_m(self.unknown, eps)

    def log_delta_of_vertices(self, m: IntArray, eps: float) -> FloatArray:
        """Return ln δ(ε) of vertices, for the target's record going from 1 to 0."""
        logs: FloatArray = _engines().log_delta_of_vertices(self, m, eps)
        return logs


@dataclass(frozen=True)
class WorstNoisyCount(_Described):
    """A count with noise, in the worst case over probabilities in [λ, 1-λ]."""

    unknown: int
    lam: float
    noise: Noise
    tol: float

    def worst_vertex(self, eps: float) -> WorstVertex:
        """Return where the maximum is attained."""
        found: WorstVertex = _engines().worst_vertex(self, eps)
        return found.of_smallest_m(self.unknown, eps)


@dataclass(frozen=True)
class WorstRounded(_Described):
    """A rounded count, in the worst case over probabilities in [λ, 1-λ] and known records."""

    unknown: int
    lam: float
    known: int
    rounding: Rounding
    tol: float

    @property
    def is_certifiable(self) -> bool:
        """False: there are no bounds in ball arithmetic."""
        return False


@dataclass(frozen=True)
class Blanket(_Described):
    """What the privacy blanket guarantees for a histogram."""

    unknown: int
    lam: float

    @property
    def has_ending(self) -> bool:
        """Whether two records are unknown, or more."""
        return self.unknown >= 2

    def ending(self) -> Plateau:
        """Return the δ of Y = 0; the largest finite loss is that of Y = 1 and X = N - 1."""
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


@dataclass(frozen=True)
class EntropyForm(_Described):
    """The closed form by relative entropies, with or without its Bessel functions."""

    unknown: int
    lam: float
    two_categories: bool
    bessel: bool


@dataclass(frozen=True)
class BerryEsseen(_Described):
    """What a normal approximation guarantees for a count."""

    count: PoissonBinomial

    @functools.cached_property
    def formula(self) -> Formula:
        """The bound in floats."""
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


@dataclass(frozen=True)
class WorstThreshold(_Described):
    """A thresholded count, in the worst case over probabilities up to p."""

    unknown: int
    p: float
    threshold: int

    @property
    def has_ending(self) -> bool:
        """Whether the threshold does not hide all counts of the others."""
        return self.threshold <= self.unknown

    def ending(self) -> Plateau:
        """Return the δ that no ε achieves."""
        return of_power(self.p, self.threshold)


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
