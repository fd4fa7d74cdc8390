"""Noise on any pair: two-sided geometric noise and Laplace noise.

Nothing here is simulated: noise of two-sided geometric masses (Definition 19 of the paper) or of
Laplace's density spreads a distribution by two linear recurrences, one from the left and one from
the right,

    A_k = p·A_{k-1} + s_k,    B_k = s_k + p·B_{k+1},    s_k = P[S = k],

so that a profile costs as much as that of the count alone. Both noises have log-concave laws, and
so has a count; likelihood ratios then are monotone with noise as they are without it, and bounded:
two counts that differ by 1 have no loss above ln(1/p), and δ is 0 for every ε from there on.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import mpmath
import numpy as np

from pkdp._checks import as_real
from pkdp.profiles.laws import Window
from pkdp.profiles.logarithms import FloatArray, IntArray, decayed_sums
from pkdp.profiles.pairs import LOG_LEAST, AnyPair, DiscretePair, LogMasses, Pair, log_excess
from pkdp.profiles.profile import PrivacyProfile, Release

__all__ = ["Geometric", "Laplace", "LaplacePair", "Noise", "NoisyPair", "add", "as_noise"]

# So little noise that it makes no difference, and losses up to its end have exponentials.
_LEAST_RATIO, _LEAST_SCALE, _MOST_SCALE = 1e-200, 0.002, 1e9


@dataclass(frozen=True)
class Noise(Release):
    """Noise that falls at a rate, which is known to more digits than a float has.

    Just below it δ is about ``1 - p·E``, of which plain floats would have few digits.
    """

    @property
    @abstractmethod
    def _decay(self) -> tuple[float, float]:
        """The rate as a float, and what the float lacks."""

    @abstractmethod
    def _log_delta(self, eps: float) -> float:
        """Return ln δ of the noise alone, for an ε below its end."""

    @property
    def rate(self) -> float:
        """The loss at which δ reaches 0 if outputs differ by 1: ln(1/p) or 1/b."""
        return self._decay[0]

    @property
    def end(self) -> float:
        """The ε from which on δ is 0: the rate, or less by what rounding may have added to it.

        So ``log(1/p)`` and ``-log(p)``, which are rounded differently, are the same ε.
        """
        return self.rate - min(4e-16 * max(1.0, self.rate), 1e-9 * self.rate)

    def gap(self, eps: float) -> float:
        """Return the rate less ε."""
        rate, lacking = self._decay
        return (rate - eps) + lacking

    def rest(self, eps: float) -> float:
        """Return ``1 - p·E``, or ``1 - E·e^{-1/b}``."""
        return -math.expm1(-self.gap(eps))

    is_certifiable = True

    def profile(self) -> PrivacyProfile:
        """Return the exact profile of the noise alone, on a number that may change by 1."""
        return PrivacyProfile(self, "exact")

    def log_delta(self, eps: float) -> float:
        """Return ln δ(ε) of the noise alone (see `Release.log_delta`)."""
        return self._log_delta(eps) if eps < self.end else -math.inf


@dataclass(frozen=True)
class Geometric(Noise):
    """Two-sided geometric noise: k with probability ``(1-p)/(1+p)·p^|k|``.

    Attributes
    ----------
    p : float
        In [1e-200, 1).

    Raises
    ------
    ValueError
        If p lies outside its range.
    TypeError
        If p is not a number.

    References
    ----------
    Definition 19 of the paper.

    Examples
    --------
    Alone its δ is ``max(0, 1 - p·e^ε)/(1 + p)``, which is 0 from ln(1/p) on:

    >>> profile = Geometric(0.5).profile()
    >>> round(profile.delta(0.0), 12), profile.delta(math.log(2)), round(profile.epsilon(0), 12)
    (0.333333333333, 0.0, 0.69314718056)
    """

    p: float

    def __post_init__(self) -> None:
        p = as_real(self.p, "p", "in [1e-200, 1)", _LEAST_RATIO, 1.0, without=(1.0,))
        object.__setattr__(self, "p", p)

    @functools.cached_property
    def _decay(self) -> tuple[float, float]:
        with mpmath.workdps(60):
            exact = -mpmath.log(mpmath.mpf(self.p))
            return float(exact), float(exact - float(exact))

    def _log_delta(self, eps: float) -> float:
        return math.log(self.rest(eps)) - math.log1p(self.p)


@dataclass(frozen=True)
class Laplace(Noise):
    """Laplace noise, of the density ``e^{-|x|/b}/(2b)``.

    Attributes
    ----------
    scale : float
        b in [0.002, 1e9].

    Raises
    ------
    ValueError
        If the scale lies outside its range.
    TypeError
        If the scale is not a number.

    References
    ----------
    Balle, Barthe and Gaboardi (2018), for the closed form below.

    Examples
    --------
    Alone its δ is ``max(0, 1 - e^{(ε - 1/b)/2})``, which is 0 from 1/b on:

    >>> profile = Laplace(2).profile()
    >>> round(profile.delta(0.0), 6), profile.delta(0.5)
    (0.221199, 0.0)
    """

    scale: float

    def __post_init__(self) -> None:
        scale = as_real(self.scale, "scale", "in [0.002, 1e9]", _LEAST_SCALE, _MOST_SCALE)
        object.__setattr__(self, "scale", scale)

    @functools.cached_property
    def _decay(self) -> tuple[float, float]:
        rate = 1.0 / self.scale
        return rate, float(1 / Fraction(self.scale) - Fraction(rate))

    def _log_delta(self, eps: float) -> float:
        return math.log(-math.expm1(-self.gap(eps) / 2.0))


@dataclass(frozen=True)
class _Noised(AnyPair):
    """What pairs have in common to whose outputs noise was added.

    Attributes
    ----------
    base : Pair
        The pair without the noise.
    noise : Noise
        What is added.
    """

    base: Pair
    noise: Noise

    @property
    def is_certifiable(self) -> bool:
        """Whether this is a count with noise."""
        return self.base.is_certifiable

    def reversed(self) -> Self:
        """Return the pair with the two records exchanged."""
        return replace(self, base=self.base.reversed())

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        if eps == math.inf:  # noise reaches every output
            return -math.inf
        if abs(self.base.shift) == 1 and eps >= self.noise.end:
            return -math.inf
        counts = self.base.counts
        if counts is None or self.base.count is None:
            return min(0.0, self._log_excess_of_any(eps, exchanged))
        return min(0.0, self._log_excess_of_count(counts[exchanged].window(eps), eps))

    @abstractmethod
    def _log_excess_of_count(self, window: Window, eps: float) -> float:
        """Return ln H_E(S + 1 + noise‖S + noise), given masses of S."""

    @abstractmethod
    def _log_excess_of_any(self, eps: float, exchanged: bool) -> float:
        """Return ln of the hockey-stick of two finite laws with noise, or of them exchanged."""

    def _span(self, log_least: float) -> tuple[int, int]:
        """Return the first and the last outcome of two laws that are not negligible."""
        spans = self.base.P.span(log_least), self.base.Q.span(log_least)
        return min(spans)[0], max(last for _, last in spans)


class NoisyPair(_Noised, DiscretePair):
    """A pair to whose outputs two-sided geometric noise was added: see `add`.

    Examples
    --------
    >>> from pkdp import counting
    >>> noisy = add(counting.pair([0.5, 0.5]), Geometric(0.5))
    >>> round(math.exp(noisy.log_hockey_stick(0.5)), 6)
    0.065865
    """

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, without what is negligible (see `DiscretePair`).

        Beyond the outputs that are possible without noise (or not negligible) the likelihood ratio
        is constant, so that these outputs are merged into one on either side.
        """
        laws = self.base.P, self.base.Q
        first, last = self._span(log_least)
        log_p, log_q = (self._spread(law.log_pmf(first, last)) for law in laws)
        return LogMasses(log_p, log_q, max(law.log_outside(first, last) for law in laws))

    def _spread(self, logs: FloatArray) -> FloatArray:
        """Return ln of what noise makes of masses: left tail, outcome by outcome, right tail."""
        left, right = _log_sums(logs, self.noise.rate), _log_sums(logs[::-1], self.noise.rate)[::-1]
        log_rest = math.log(-math.expm1(-self.noise.rate))  # 1 - p
        inner = np.logaddexp(left, np.append(right[1:], -math.inf) - self.noise.rate)
        outer = np.array([right[0], left[-1]]) - self.noise.rate - log_rest
        return (
            np.concatenate([outer[:1], inner, outer[1:]])
            + log_rest
            - math.log1p(math.exp(-self.noise.rate))
        )

    def _log_excess_of_any(self, eps: float, exchanged: bool) -> float:
        log_p, log_q, _ = self.log_masses(-math.inf)
        return log_excess(log_q, log_p, eps) if exchanged else log_excess(log_p, log_q, eps)

    def _log_excess_of_count(self, window: Window, eps: float) -> float:
        # z_{k-1} - E·z_k is, up to the noise's norm, (1 - p·E)·A_{k-1} - (E - p)·B_k.
        tilt, rate = window.tilt, self.noise.rate
        left, right = _sums(window.weights, tilt, rate)
        rest = self.noise.rest(eps)  # 1 - p·E
        steps = rest * left[:-1] + math.expm1(-rate - eps) * math.exp(eps - tilt) * right[1:]
        beyond = rest * left[-1] / -math.expm1(-rate)
        log_norm = math.log(math.tanh(rate / 2.0))  # (1 - p)/(1 + p)
        return log_norm + _log_untilted(np.append(steps, beyond), steps, window, window.outcomes)


class LaplacePair(_Noised):
    """A pair to whose outputs Laplace noise was added: see `add`.

    Its outputs are real numbers and cannot be listed. Laplace noise of scale b is geometric noise
    with ``p = e^{-1/b}`` and independent noise besides, so that a `NoisyPair` with this p, which
    gives away more, serves for upper bounds.

    Examples
    --------
    >>> from pkdp import counting
    >>> noisy = add(counting.pair([0.5, 0.5]), Laplace(2))
    >>> round(math.exp(noisy.log_hockey_stick(0.25)), 6)
    0.086236
    """

    def _log_excess_of_count(self, window: Window, eps: float) -> float:
        # The cell between k-1 and k, k from start + 1 to last + 1, and what lies beyond.
        tilt, rate = window.tilt, self.noise.rate
        left, right = _sums(window.weights, tilt, rate)
        rest = self.noise.rest(eps)  # 1 - r·E
        masses = window.weights * math.exp(-tilt)  # s_{k-1} in units of A_{k-2}
        before, after = np.append(0.0, left[:-1]), np.append(right[1:], 0.0)
        after = after * (-math.expm1(-rate - eps) * math.exp(eps - 2.0 * tilt))  # (E - r)·B_k
        alpha = rest * before - masses * math.exp(eps)
        beta = masses - after
        whole = rest * before - math.expm1(eps) * masses - after
        cells = _cell_integrals(alpha, beta, whole, rate)
        terms = np.append(cells, rest * left[-1])
        outcomes = window.start + np.arange(terms.size) - 1
        return _log_untilted(terms, whole, window, outcomes) - math.log(2.0)

    def _log_excess_of_any(self, eps: float, exchanged: bool) -> float:
        laws = (self.base.Q, self.base.P) if exchanged else (self.base.P, self.base.Q)
        logs = [law.log_pmf(*self._span(-math.inf)) for law in laws]
        left_p, left_q = (_log_sums(x, self.noise.rate) for x in logs)
        right_p, right_q = (_log_sums(x[::-1], self.noise.rate)[::-1] for x in logs)
        left_q, right_q = left_q + eps, right_q + eps
        # Cells between neighbouring outcomes, each in units of its largest sum.
        sums = left_p[:-1], left_q[:-1], right_p[1:], right_q[1:]
        units = np.max(sums, axis=0)
        from_left_p, from_left_q, from_right_p, from_right_q = np.exp(sums - units)
        alpha, beta = from_left_p - from_left_q, from_right_p - from_right_q
        cells = _cell_integrals(alpha, beta, alpha + beta, self.noise.rate)
        ends = [(right_p[0], right_q[0]), (left_p[-1], left_q[-1])]
        parts = [p + math.log(-math.expm1(q - p)) for p, q in ends if p > q]
        positive = cells > 0.0
        parts.extend(units[positive] + np.log(cells[positive]))
        return float(np.logaddexp.reduce(parts)) - math.log(2.0) if parts else -math.inf


def add(pair: Pair, noise: Noise) -> NoisyPair | LaplacePair:
    """Add noise to the outputs of a pair.

    Parameters
    ----------
    pair : Pair
        Of a count (`pkdp.counting.pair`) or of finite laws.
    noise : Noise
        `Geometric` or `Laplace`.

    Returns
    -------
    NoisyPair or LaplacePair
        Its profile is exact. For a count, δ is 0 from the rate of the noise on, which is ln(1/p) or
        1/b; an ε within a few units of the last place counts as the rate, and just below, δ is that
        of an ε which is as near. The δ of Laplace noise is never larger than that of geometric
        noise of the same rate.

    Raises
    ------
    ValueError
        If the laws are neither finite nor one the shift of the other by 1.
    TypeError
        If `pair` is not a pair of laws of integers, or `noise` no noise.

    Notes
    -----
    One value costs O(√N) once that of the count is known. With the sums A and B of the module's
    docstring for S the differences of the noisy masses are, with geometric noise,

        z_{k-1} - E·z_k = (1-p)/(1+p)·((1 - p·E)·A_{k-1} - (E - p)·B_k),

    which change their sign once. Beyond the largest outcome of S they are a geometric series.

    With Laplace noise the density between k - 1 and k is
    ``(A_{k-1}·e^{-t/b} + B_k·e^{-(1-t)/b})/(2b)``, t from 0 to 1, for ``p = e^{-1/b}``. There the
    excess ``f(x-1) - E·f(x)`` changes its sign where a quadratic equation says, and is integrated
    exactly.

    References
    ----------
    Section 5.2 of the paper, before Definition 19, and Figure 5.

    Examples
    --------
    >>> from pkdp import counting
    >>> count = counting.pair([0.05], multiplicities=[9_999])
    >>> noisy = add(count, Geometric(0.5))
    >>> [f"{pair.profile().delta(0.5):.3g}" for pair in (count, noisy)]
    ['2.34e-23', '6.15e-24']
    >>> noisy.profile().delta(math.log(2))
    0.0
    >>> f"{add(count, Laplace(2)).profile().delta(0.4):.3g}"
    '4.85e-18'
    """
    if not isinstance(pair, Pair):
        raise TypeError(f"pair must be a Pair of laws of integers, got {pair!r}")
    if not pair.is_finite and pair.count is None:
        raise ValueError(
            f"pair must be of finite laws, or of a law and its shift by 1, got {pair!r}"
        )
    kind = LaplacePair if isinstance(as_noise(noise), Laplace) else NoisyPair
    return kind(pair, noise)


def as_noise(noise: Noise) -> Noise:
    """Return noise, or raise TypeError."""
    if not isinstance(noise, Geometric | Laplace):
        raise TypeError(f"noise must be Geometric(p) or Laplace(scale), got {noise!r}")
    return noise


def _sums(weights: FloatArray, tilt: float, rate: float) -> tuple[FloatArray, FloatArray]:
    """Return A and B of tilted masses: their ratios are ``exp(±tilt - rate)``."""
    left = decayed_sums(weights, tilt - rate)
    return left, decayed_sums(weights[::-1], -tilt - rate)[::-1]


def _log_sums(logs: FloatArray, rate: float) -> FloatArray:
    """Return ``ln Σ_{j ≤ k} exp(logs_j - rate·(k - j))`` for every k.

    In blocks, so that nothing much larger than the logarithms is added to them and taken off.
    """
    result = np.empty_like(logs)
    length = max(1, int(32.0 / rate))
    carried = -math.inf
    for start in range(0, logs.size, length):
        ramp = rate * np.arange(1, min(length, logs.size - start) + 1)
        block = np.concatenate([[carried], logs[start : start + length] + ramp])
        result[start : start + length] = np.logaddexp.accumulate(block)[1:] - ramp
        carried = float(result[min(start + length, logs.size) - 1])
    return result


def _log_untilted(
    terms: FloatArray, steps: FloatArray, window: Window, outcomes: IntArray
) -> float:
    """Return ln of the sum of the positive terms, given in units of the tilt at their outcomes.

    No term is positive before the least of the steps that is negative: they change their sign once.
    Far below the mode masses are rounding errors, which being untilted would magnify.
    """
    first = int(steps.argmin()) if steps.min(initial=0.0) < 0.0 else 0
    return window.log_total(terms[first:], outcomes[first:])


def _cell_integrals(
    alpha: FloatArray, beta: FloatArray, both: FloatArray, rate: float
) -> FloatArray:
    """Return the integrals of the positive part of ``alpha·r/u² + beta`` over u from r to 1.

    Parameters
    ----------
    alpha, beta, both : ndarray
        The coefficients, and their sum, which need not be computed from them.
    rate : float
        -ln r.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        log_zero = (np.log(np.abs(alpha)) - np.log(np.abs(beta)) - rate) / 2.0  # ln u there
    log_zero = np.clip(np.nan_to_num(log_zero, nan=0.0), -rate, 0.0)
    rising = beta * np.expm1(log_zero) ** 2  # over u from the zero to 1
    falling = -beta * (math.exp(-rate / 2.0) * np.expm1(log_zero + rate)) ** 2  # from r to it
    whole = -math.expm1(-rate) * np.maximum(both, 0.0)
    rises, falls = (alpha < 0.0) & (beta > 0.0), (alpha > 0.0) & (beta < 0.0)
    result = np.where((alpha >= 0.0) & (beta >= 0.0), whole, 0.0)
    result = np.where(rises, np.where(log_zero > -rate, rising, whole), result)
    return np.where(falls, np.where(log_zero < 0.0, falling, whole), result)
