"""Probability distributions on the integers: counts (Poisson binomial) and finite distributions.

A privacy profile at a large ε, or of many records, depends on outcomes whose probability
underflows. The remedy is exponential *tilting*: the distribution with masses proportional to
``P[X = k]·exp(tilt·k)`` has its bulk where the untilted one has the tail in question. A `Window`
holds the masses near the mode of such a tilt, as floats with one logarithmic scale. Windows are
O(√n) wide, so nothing here is as long as the database, except the caller's own probabilities.
"""

from __future__ import annotations

import copy
import functools
import math
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import mpmath
import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, log_expit

from pkdp._bisection import first_passing, last_passing
from pkdp._checks import MOST_RECORDS, as_integer, as_mapping, as_probabilities, as_real, as_size
from pkdp.profiles import _bit_sums, _fourier
from pkdp.profiles._equality import EqualByContents
from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.logarithms import (
    FloatArray,
    IntArray,
    log_mgf_of_bit,
    log_positive,
    log_rest,
    log_sum,
    relative_entropy_of_tilt,
)

__all__ = [
    "LOG_ERROR",
    "Finite",
    "Law",
    "PoissonBinomial",
    "Shifted",
    "Window",
    "binomial",
]

# Sums of at most this many records, or of smaller variance than that, are convolved term by term
# (all terms positive, so every mass has full relative accuracy). Wider laws come from their
# characteristic function, whose rounding is relative to the largest mass; that is enough there,
# because δ ≤ 1/2 and the result is only read through ln δ.
_FEW_RECORDS, _TINY_VARIANCE = _bit_sums.MOST_DEVIATIONS, 0.5
# Single masses of more equal records than that are Loader's formula.
_MANY_RECORDS = 10**6

# What `Law.log_pmf` returns is within this part of max(1, |ln P|); the tests hold it to half.
LOG_ERROR = 1e-12

# Distinct probabilities beyond this number are replaced by interpolation nodes (see `_compressed`).
_MANY_GROUPS, _PANEL_DEGREE, _WIDE_VARIANCE = 512, 20, 64.0
# For narrow laws only those whose panels have their middles so far from a fair bit, tilted.
_FAR = 2.0
# Beyond this variance for each probability, a mean in floats lacks digits that show in a tail.
_VERY_WIDE_VARIANCE = 1e6


@dataclass(frozen=True)
class Window:
    """Masses of a count around the mode of one of its tilts.

    ``ln P[X = k] = log_scale - tilt·(k - anchor) + ln weights[k - start]``.

    Attributes
    ----------
    start : int
        The smallest outcome of the window.
    weights : ndarray, shape (width,)
        Masses of the *tilted* law: non-negative, unimodal, summing to 1 up to what lies outside.
    tilt : float
        The tilt, 0 for none.
    anchor : int
        The outcome near the tilted mode at which `log_scale` is stated.
    log_scale : float
        Natural logarithm of the ratio of untilted to tilted mass at `anchor`.
    """

    start: int
    weights: FloatArray
    tilt: float
    anchor: int
    log_scale: float

    @property
    def outcomes(self) -> IntArray:
        """The outcomes, in increasing order."""
        return np.arange(self.start, self.start + self.weights.size)

    @property
    def log_pmf(self) -> FloatArray:
        """Natural logarithms of the untilted masses; -inf where the mass is 0."""
        logs = self.log_scale - self.tilt * (self.outcomes - self.anchor)
        return np.asarray(logs + log_positive(self.weights))

    def log_total(self, terms: FloatArray, outcomes: IntArray) -> float:
        """Return ln of the sum of the positive terms, given in units of the tilt at outcomes."""
        positive = terms > 0.0
        logs = np.log(terms[positive]) - self.tilt * (outcomes[positive] - self.anchor)
        return self.log_scale + log_sum(logs)


class Law(ABC):
    """A probability distribution on the integers."""

    @abstractmethod
    def span(self, log_least: float) -> tuple[int, int]:
        """Return the first and the last outcome of a mass of at least ``exp(log_least)``, or more.

        Such outcomes are taken to be consecutive, as those of a count are. The mode is always one.
        """

    @abstractmethod
    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return ``ln P[X = k]`` for k in first…last, to full relative accuracy; -inf for 0."""

    @abstractmethod
    def log_outside(self, first: int, last: int) -> float:
        """Return ln of an upper bound of the mass outside first…last, which contain the mode."""

    @property
    @abstractmethod
    def log_least_mass(self) -> float:
        """Natural logarithm of the smallest positive mass, or of less."""

    @property
    def gapless(self) -> bool:
        """Whether all outcomes between the first and the last of `span` are possible."""
        return True

    def possible(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """Return whether each of first…last has a positive mass."""
        if not self.gapless:
            return self.log_pmf(first, last) > -math.inf
        least, most = self.span(-math.inf)
        outcomes = np.arange(first, last + 1)
        return np.asarray((outcomes >= least) & (outcomes <= most))

    # A pair reads the following from laws without their shifts, which make no difference.

    @property
    def first_tilt(self) -> float:
        """A tilt that moves the law a little, if those that move it far are costly; else inf."""
        return math.inf

    @property
    def log_error(self) -> float:
        """How far off ``log_pmf`` may be, at most."""
        return LOG_ERROR * max(1.0, -self.log_least_mass)

    def shift(self, by: int) -> Law:
        """Return the law of ``X + by``."""
        base, so_far = unshifted(self)
        return Shifted(base, so_far + by)


@dataclass(frozen=True)
class Shifted(Law):
    """The law of ``X + by``, for X of law `base`."""

    base: Law
    by: int

    def span(self, log_least: float) -> tuple[int, int]:
        """Return where masses are not negligible (see `Law.span`)."""
        first, last = self.base.span(log_least)
        return first + self.by, last + self.by

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return logarithms of consecutive masses (see `Law.log_pmf`)."""
        return self.base.log_pmf(first - self.by, last - self.by)

    def log_outside(self, first: int, last: int) -> float:
        """Return a bound of the mass elsewhere (see `Law.log_outside`)."""
        return self.base.log_outside(first - self.by, last - self.by)

    @property
    def log_least_mass(self) -> float:
        """Natural logarithm of the smallest positive mass."""
        return self.base.log_least_mass

    @property
    def gapless(self) -> bool:
        """Whether no outcome in between is impossible (see `Law.gapless`)."""
        return self.base.gapless

    def possible(self, first: int, last: int) -> npt.NDArray[np.bool_]:
        """Return which outcomes are possible (see `Law.possible`)."""
        return self.base.possible(first - self.by, last - self.by)


def unshifted(law: Law) -> tuple[Law, int]:
    """Return X and k for the law of X + k; 0 for a law that is not shifted.

    Examples
    --------
    >>> law = binomial(3, 0.5)
    >>> unshifted(law.shift(2).shift(-1)) == (law, 1), unshifted(law) == (law, 0)
    (True, True)
    """
    by = 0
    while isinstance(law, Shifted):
        by += law.by
        law = law.base
    return law, by


@dataclass(frozen=True, repr=False)
class Finite(Law):
    """A distribution given by all its masses.

    Attributes
    ----------
    start : int
        The smallest outcome.
    masses : tuple of float
        ``P[X = start], P[X = start + 1], …``; in [0, 1], summing to 1 within 1e-9.

    Examples
    --------
    >>> Finite.from_dict({0: 0.25, 2: 0.75}).masses
    (0.25, 0.0, 0.75)
    """

    start: int
    masses: tuple[float, ...]

    def __post_init__(self) -> None:
        masses = as_probabilities(self.masses, "masses")
        if abs(masses.sum() - 1.0) > 1e-9:
            raise ValueError(f"masses must sum to 1, got a sum of {masses.sum():.12g}")

    def __repr__(self) -> str:
        return f"Finite(start={self.start}, masses={reprlib.repr(self.masses)})"

    @classmethod
    def from_dict(cls, masses: Mapping[int, float]) -> Finite:
        """Build a law from ``{outcome: mass}``, outcomes being integers."""
        if not as_mapping(masses, "masses", "masses, from integers"):
            raise ValueError("masses must name at least one outcome, got none")
        for outcome in masses:
            as_integer(outcome, "masses: each outcome", -MOST_RECORDS, MOST_RECORDS)
        first, last = min(masses), max(masses)
        as_size(last - first + 1, "outcomes, from the first to the last")
        return cls(first, tuple(float(masses.get(k, 0.0)) for k in range(first, last + 1)))

    def span(self, log_least: float) -> tuple[int, int]:
        """Return where masses are not negligible (see `Law.span`)."""
        possible = np.flatnonzero(self._logs >= min(log_least, self._logs.max()))
        return self.start + int(possible[0]), self.start + int(possible[-1])

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return logarithms of consecutive masses (see `Law.log_pmf`)."""
        logs = np.full(max(0, last - first + 1), -math.inf)
        low, high = max(first, self.start), min(last, self.start + self._logs.size - 1)
        if low <= high:
            logs[low - first :][: high - low + 1] = self._logs[low - self.start :][: high - low + 1]
        return logs

    def log_outside(self, first: int, last: int) -> float:
        """Return a bound of the mass elsewhere (see `Law.log_outside`)."""
        outcomes = self.start + np.arange(self._logs.size)
        return log_sum(self._logs[(outcomes < first) | (outcomes > last)]) + 1e-9

    @property
    def log_least_mass(self) -> float:
        """Natural logarithm of the smallest positive mass."""
        return float(self._logs[self._logs > -math.inf].min())

    @property
    def gapless(self) -> bool:
        """Whether every mass is positive."""
        return bool((self._logs > -math.inf).all())

    @functools.cached_property
    def _logs(self) -> FloatArray:
        return log_positive(self.masses)


class PoissonBinomial(EqualByContents, Law):
    """Poisson binomial distribution: the number of successes among independent trials.

    Parameters
    ----------
    probabilities : array_like, shape (g,)
        Success probabilities, in [0, 1].
    multiplicities : array_like of int, shape (g,), optional
        How many trials share each probability; 1 each by default.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1] or is NaN, if the array is not one-dimensional, or if
        a multiplicity is negative.

    Notes
    -----
    Each record is kept as its log-odds, to which a tilt is simply added. A window costs
    O(√n log n) once equal probabilities are grouped and more than a few hundred distinct ones are
    compressed; both are done once per law.

    Examples
    --------
    >>> law = PoissonBinomial([0.5], [2])
    >>> law.window().weights.tolist()
    [0.25, 0.5, 0.25]
    """

    def __init__(
        self, probabilities: npt.ArrayLike, multiplicities: npt.ArrayLike | None = None
    ) -> None:
        p = as_probabilities(probabilities, "probabilities")
        counts: npt.NDArray[np.integer[Any]]
        if multiplicities is None and p.size and (p == p[0]).all():  # spares sorting them
            p, counts = p[:1], np.array([p.size])
        elif multiplicities is None:
            p, counts = np.unique(p, return_counts=True)
        else:
            counts = np.asarray(multiplicities)
            if counts.size == 0:  # an empty list has no integer type
                counts = counts.astype(np.int64)
            whole = counts.shape == p.shape and counts.dtype.kind in "iu"
            # Summed as floats, since a sum of integers may overflow.
            if not (whole and (counts >= 0).all() and counts.sum(dtype=float) <= MOST_RECORDS):
                raise ValueError(
                    f"multiplicities must be integers ≥ 0, one for each of the {p.size} "
                    f"probabilities, with a sum of at most {MOST_RECORDS}, got {multiplicities!r}"
                )
            if p.size > _MANY_GROUPS:  # panels take what lies next to each other
                order = np.argsort(p, kind="stable")
                p, counts = p[order], counts[order]
        self._sure = int(counts[p == 1.0].sum())
        self._impossible = int(counts[p == 0.0].sum())
        uncertain = (p > 0.0) & (p < 1.0) & (counts > 0)
        p, counts = p[uncertain], counts[uncertain]
        self._chances, self._is_mirrored = p, False
        self._logits = np.log(p) - np.log1p(-p)
        self._counts = counts.astype(np.float64)
        self._uncertain = int(counts.sum())
        # The window computed last: bounds of one value often read it twice.
        self._latest: tuple[float, Window] | None = None

    def _contents(self) -> tuple[Any, ...]:
        return self._sure, self._impossible, self._logits, self._counts

    def __repr__(self) -> str:
        deviation = math.sqrt(self.variance)
        return f"PoissonBinomial({self.trials} bits, {self.mean:.6g} ± {deviation:.3g} of them 1)"

    @property
    def trials(self) -> int:
        """The number of trials."""
        return self._uncertain + self._sure + self._impossible

    @property
    def mean(self) -> float:
        """The expectation."""
        return self._sure + float(self._counts @ expit(self._logits))

    @property
    def variance(self) -> float:
        """The variance."""
        return float(self._counts @ (expit(self._logits) * expit(-self._logits)))

    @property
    def third_moment(self) -> float:
        """The third central moment, the sum of the trials' ``p(1-p)(1-2p)``."""
        p, not_p = expit(self._logits), expit(-self._logits)
        return float(self._counts @ (p * not_p * (not_p - p)))

    @property
    def absolute_third_moment(self) -> float:
        """The sum of the trials' absolute third central moments ``p(1-p)(p² + (1-p)²)``."""
        p, not_p = expit(self._logits), expit(-self._logits)
        return float(self._counts @ (p * not_p * (p * p + not_p * not_p)))

    @functools.cached_property
    def largest_loss(self) -> float:
        """The largest finite ``ln(P[X = k-1]/P[X = k])``; -inf if there is none.

        Masses are log-concave, so the ratio is largest at the largest k, where it is the sum of
        all (1-p)/p.
        """
        return log_sum(np.log(self._counts) - self._logits)

    def mean_at(self, tilt: float) -> float:
        """Return the expectation of the law tilted by ``exp(tilt·k)``."""
        logits, counts = self._compressed
        return self._sure + float(counts @ expit(logits + tilt))

    @property
    def kinds(self) -> int:
        """How many different probabilities there are, but for 0 and 1."""
        return self._logits.size

    @property
    def least(self) -> int:
        """The smallest possible outcome."""
        return self._sure

    @property
    def most(self) -> int:
        """The largest possible outcome."""
        return self._sure + self._uncertain

    def mirrored(self) -> PoissonBinomial:
        """Return the law of the number of failures."""
        mirror = copy.copy(self)
        for name in ("_compressed", "largest_loss"):
            mirror.__dict__.pop(name, None)
        mirror._logits, mirror._counts = -self._logits[::-1], self._counts[::-1]
        mirror._chances, mirror._is_mirrored = self._chances[::-1], not self._is_mirrored
        if self._logits.size > _MANY_GROUPS:  # which takes long
            logits, counts = self._compressed
            mirror.__dict__["_compressed"] = -logits[::-1], counts[::-1]
        mirror._sure, mirror._impossible = self._impossible, self._sure
        mirror._latest = None
        return mirror

    def uncertain_bits(self, value: int) -> tuple[list[Fraction], list[int]]:
        """Return how likely bits are to have that value, exactly, and how many have each chance.

        Those that are sure or impossible are left out.
        """
        chances = [Fraction(p) for p in self._chances.tolist()]
        if (value == 1) == self._is_mirrored:
            chances = [1 - p for p in chances]
        return chances, [int(times) for times in self._counts.tolist()]

    def tilt_towards(self, outcome: float) -> float:
        """Return the tilt at which `outcome` is the expectation; ±inf at and beyond the ends."""
        if outcome <= self.least:
            return -math.inf
        if outcome >= self.most:
            return math.inf
        logits, counts = self._compressed
        wanted = float(outcome - self._sure)
        # Were all records alike; the others' tilts lie within the spread of the log-odds.
        level = math.log(wanted) - math.log(self._uncertain - wanted)
        if logits.size == 1:
            return level - float(logits[0])
        low, high = level - float(logits.max()) - 1.0, level - float(logits.min()) + 1.0
        return float(
            brentq(lambda tilt: float(counts @ expit(logits + tilt)) - wanted, low, high, xtol=1e-9)
        )

    def log_mgf(self, tilt: float) -> float:
        """Natural logarithm of the moment generating function ``E[exp(tilt·X)]``."""
        logits, counts = self._compressed if self._uncertain else (self._logits, self._counts)
        return tilt * self._sure + float(counts @ log_mgf_of_bit(logits, tilt))

    def window(self, tilt: float = 0.0) -> Window:
        """Masses near the mode of the law tilted by ``exp(tilt·k)``.

        ``tilt`` may be ±inf, which leaves the largest (smallest) possible outcome alone.
        """
        latest = self._latest
        if latest is None or latest[0] != tilt:
            window = self._extreme(tilt > 0) if np.isinf(tilt) else self._around_mode(tilt)
            latest = self._latest = (tilt, window)
        return latest[1]

    def span(self, log_least: float) -> tuple[int, int]:
        """Return where masses are not negligible (see `Law.span`)."""
        mode = min(max(round(self.mean), self.least), self.most)
        log_least = min(log_least, self.log_mass(mode) - 1e-9)

        def may_matter(outcome: int) -> bool:  # by Chernoff's bound
            tilt = self.tilt_towards(outcome)
            if math.isinf(tilt):
                return self.log_mass(outcome) >= log_least
            return self.log_mgf(tilt) - tilt * outcome >= log_least

        return (
            first_passing(self.least, mode, may_matter),
            last_passing(mode, self.most, may_matter),
        )

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return logarithms of consecutive masses (see `Law.log_pmf`).

        They are read off windows tilted towards them, one for each six standard deviations: where a
        window comes from a characteristic function, its small masses have few right digits. Of few
        records a window has all masses, and all are right unless they underflow.
        """
        least_part = 1e-200 if self._uncertain <= _FEW_RECORDS else 0.02
        logs = np.full(max(0, last - first + 1), -math.inf)
        k = max(first, self.least)
        while k <= min(last, self.most):
            tilt = self.tilt_towards(k)
            if math.isfinite(tilt):
                beyond = k + 2.5 * math.sqrt(self.variance_at(tilt))
                tilt = self.tilt_towards(min(beyond, (k + self.most) / 2))
            window = self.window(tilt)
            at = k - window.start
            # Where the tilted variance falls fast, so many of its deviations are too far ahead.
            if at < 0 or window.weights[at] < least_part * window.weights.max():
                window = self.window(self.tilt_towards(k))
            weights = window.weights[k - window.start :]
            poor = np.flatnonzero(weights[1:] < least_part * weights.max())
            taken = min(1 + int(poor[0]) if poor.size else weights.size, last + 1 - k)
            logs[k - first :][:taken] = window.log_pmf[k - window.start :][:taken]
            k += taken
        return logs

    def log_outside(self, first: int, last: int) -> float:
        """Return a bound of the mass elsewhere (see `Law.log_outside`).

        On either side masses fall, so that none is above the next one.
        """
        sides = ((first - 1, first - self.least), (last + 1, self.most - last))
        logs = [
            math.log(outcomes) + self.log_mass(nearest)
            for nearest, outcomes in sides
            if outcomes > 0
        ]
        return float(np.logaddexp.reduce(logs)) + 1e-9 if logs else -math.inf

    @property
    def log_least_mass(self) -> float:
        """Natural logarithm of the smallest positive mass: masses rise, and then fall."""
        ends = (self.least, self.least), (self.most, self.most)
        return min(float(self.log_pmf(*end)[0]) for end in ends)

    def log_excess(self, eps: float, *, both_ways: bool = False) -> float | None:
        """Natural logarithm of ``Σ max(0, P[S + 1 = k] - e^ε·P[S = k])``; for ε < 0 of ``S - 1``.

        With `both_ways` the larger value for ε and -ε. None where the law is narrow, as it is for
        an ε beyond the largest loss: a window, which has a mass for each outcome but fewer
        frequencies, then is as fast, and the masses of the narrowest have all their digits.
        """
        logits, counts = self._compressed
        tilts = (eps, -eps) if both_ways else (eps,)
        if min(map(self.variance_at, tilts)) < max(_WIDE_VARIANCE, float(logits.size) ** 2):
            return None
        log_odds = np.array([logits if tilt >= 0.0 else -logits for tilt in tilts])
        return float(_fourier.log_excess(log_odds, counts, abs(eps)).max())

    def log_mass(self, k: int) -> float:
        """Natural logarithm of ``P[S = k]``."""
        if not self.least <= k <= self.most:
            return -math.inf
        if self.kinds == 1 and self._uncertain > _MANY_RECORDS:
            ones = self.most - k if self._is_mirrored else k - self.least
            return float(log_binomial_pmf(ones, self._uncertain, float(self._chances[0])))
        window = self.window(self.tilt_towards(k))
        return float(window.log_pmf[k - window.start])

    def log_upper(self, k: int) -> float:
        """Natural logarithm of ``P[S ≥ k]``."""
        if k <= self.least or k > self.most:
            return 0.0 if k <= self.least else -math.inf
        return self._log_tail(k, 1) if k > self.mean else log_rest(self._log_tail(k - 1, -1))

    def log_lower(self, k: int) -> float:
        """Natural logarithm of ``P[S ≤ k]``."""
        if k < self.least or k >= self.most:
            return 0.0 if k >= self.most else -math.inf
        return self._log_tail(k, -1) if k < self.mean else log_rest(self._log_tail(k + 1, 1))

    def _log_tail(self, k: int, side: int) -> float:
        # For an upper tail the window of the outcome before, whose mass is often needed, too; but
        # not below the mean, where a tilt makes larger outcomes rare that are frequent without.
        before = side > 0 and k - 1 > self.mean
        window = self.window(self.tilt_towards(k - before))
        at = k - window.start
        return min(0.0, log_sum(window.log_pmf[at:] if side > 0 else window.log_pmf[: at + 1]))

    def variance_at(self, tilt: float) -> float:
        """Return the variance of the law tilted by ``exp(tilt·k)``."""
        logits, counts = self._compressed
        return float(counts @ (expit(logits + tilt) * expit(-logits - tilt)))

    def _around_mode(self, tilt: float) -> Window:
        variance = self.variance_at(tilt)
        is_narrow = variance <= _WIDE_VARIANCE
        logits, counts = self._narrow_bits(tilt) if is_narrow else self._compressed
        # Outcomes are counted from `origin`, where every likely bit is 1: the mean then is a sum
        # of small terms, and its fractional part keeps its digits however many records there are.
        likely = _bit_sums.likely_bits(logits, tilt)
        origin = round(counts[likely].sum())
        q, not_q = expit(logits + tilt), expit(-logits - tilt)
        mean = float(counts @ np.where(likely, -not_q, q))
        anchor = round(mean)
        beyond = mean - anchor
        if variance > _VERY_WIDE_VARIANCE * logits.size and logits is self._logits:
            beyond = self._exactly_beyond(origin + anchor, tilt)
        is_tiny = variance < _TINY_VARIANCE and logits is self._logits
        if self._uncertain <= _FEW_RECORDS or is_tiny:
            start, weights = _bit_sums.by_convolution(logits + tilt, counts, likely)
        else:
            ends = -origin, self._uncertain - origin
            start, weights = _bit_sums.by_inversion(logits + tilt, counts, anchor, beyond, *ends)
        # ln P[k] = ln mgf - tilt·k + ln q_k, regrouped around the tilted mean so that nothing of
        # the size of tilt·k is ever subtracted.
        log_scale = -float(counts @ relative_entropy_of_tilt(logits, tilt)) + tilt * beyond
        origin += self._sure
        return Window(start + origin, weights, tilt, anchor + origin, log_scale)

    def _exactly_beyond(self, outcome: int, tilt: float) -> float:
        """Return by what the mean of the uncertain bits, tilted, exceeds an outcome."""
        with mpmath.workdps(40):
            growth = mpmath.exp(tilt)
            bits = zip(*self.uncertain_bits(1), strict=True)
            means = (times * growth / (growth + mpmath.mpmathify(1 / p - 1)) for p, times in bits)
            return float(mpmath.fsum(means) - outcome)

    def _narrow_bits(self, tilt: float) -> tuple[FloatArray, FloatArray]:
        """Return what gives the same sums as `_compressed` at every frequency.

        There singularities are at a log-odds of 0, tilted. So bits near it, of which a narrow law
        has some hundreds at most, are not interpolated.
        """
        if self._logits.size <= _MANY_GROUPS:
            return self._logits, self._counts
        logits, counts = self._compressed
        first, last = math.ceil(-_FAR - 0.5 - tilt), math.floor(_FAR + 0.5 - tilt)
        # Of a mirrored law panels have their upper ends, and no lower ones.
        side: Literal["left", "right"] = "right" if self._is_mirrored else "left"
        near = slice(*np.searchsorted(self._logits, (first, last), side))
        far = (logits < first) | (logits > last)
        return np.append(logits[far], self._logits[near]), np.append(
            counts[far], self._counts[near]
        )

    def _extreme(self, largest: bool) -> Window:
        outcome = self._sure + (self._uncertain if largest else 0)
        log_mass = float(self._counts @ log_expit(self._logits if largest else -self._logits))
        return Window(outcome, np.ones(1), 0.0, outcome, log_mass)

    @functools.cached_property
    def _compressed(self) -> tuple[FloatArray, FloatArray]:
        """Log-odds and real multiplicities giving the same sums, to rounding, with few nodes.

        Every quantity we need is a sum over records of one analytic function of the log-odds, with
        singularities no closer than about 2 to the real axis at the frequencies that matter. On
        panels of width 1 Chebyshev interpolation of degree 20 is then exact to rounding, and
        summing an interpolant over the records only needs the records' Chebyshev moments.
        """
        if self._logits.size <= _MANY_GROUPS:
            return self._logits, self._counts
        panel = np.floor(self._logits)
        starts = np.flatnonzero(np.diff(panel, prepend=-math.inf))
        x = 2.0 * (self._logits - panel) - 1.0
        angles = (np.arange(_PANEL_DEGREE) + 0.5) * (np.pi / _PANEL_DEGREE)
        nodes = np.cos(angles)
        previous, current = np.ones_like(x), x
        counts = np.tile(np.add.reduceat(self._counts, starts), (_PANEL_DEGREE, 1)).T
        for degree in range(1, _PANEL_DEGREE):
            moment = np.add.reduceat(self._counts * current, starts)
            counts += 2.0 * moment[:, None] * np.cos(degree * angles)
            previous, current = current, 2.0 * x * current - previous
        logits = panel[starts][:, None] + (nodes + 1.0) / 2.0
        return logits.ravel(), counts.ravel() / _PANEL_DEGREE


def binomial(trials: int, probability: float) -> PoissonBinomial:
    """Return a binomial distribution.

    Examples
    --------
    >>> round(binomial(10**7, 0.3).mean)
    3000000
    """
    number = as_integer(trials, "trials", 0, MOST_RECORDS)
    return PoissonBinomial([as_real(probability, "probability", "in [0, 1]", 0.0, 1.0)], [number])
