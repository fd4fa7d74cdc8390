"""Counts with noise added to them: section 5.2 of the paper.

A count with noise has two reasons to be private: the attacker does not know the other records, and
she does not know the noise. The first may fail her victims, the second does not; and as long as
both hold, the noise is added to what the records already hide. Nothing here is simulated: noise of
two-sided geometric masses (Definition 19) or of Laplace's density spreads a law by two linear
recurrences, one from the left and one from the right,

    A_k = p·A_{k-1} + s_k,    B_k = s_k + p·B_{k+1},    s_k = P[S = k],

so that a profile costs as much as that of the count alone. Both noises have log-concave laws, and
so has a count; likelihood ratios then are monotone with noise as they are without it, and bounded:
two counts that differ by 1 have no loss above ln(1/p), and δ is 0 for every ε from there on.

`Geometric` and `Laplace` are the noises: what they do alone, `Noise.profile` tells; what they add
to a pair, `add`; and what they add to a count in the worst case, `worst_case`.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known. Records are independent of each other to the attacker.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._checks import (
    MOST_RECORDS,
    as_integer,
    as_real,
    as_tolerance,
    as_uncertainty,
    unknown_records,
)
from pkdp.partial_knowledge import _noisy_sums, counting
from pkdp.partial_knowledge._maximiser import WorstVertex
from pkdp.partial_knowledge._noisy_sums import Geometric, Laplace, Noise
from pkdp.profiles.laws import Law, PoissonBinomial, Window, unshifted
from pkdp.profiles.logarithms import FloatArray, IntArray, decayed_sums, log_sum
from pkdp.profiles.pairs import LOG_LEAST, AnyPair, DiscretePair, LogMasses, Pair, log_excess
from pkdp.profiles.profile import Curve, Enclosure, PrivacyProfile, larger_bounds, rounded_up

__all__ = [
    "Geometric",
    "Laplace",
    "LaplacePair",
    "Noise",
    "NoisyPair",
    "WorstVertex",
    "add",
    "binomial",
    "blanket",
    "worst_case",
    "worst_vertex",
]

# Tilted means of more records would have too few digits.
_MOST_RECORDS = 10**9

# Fourier integrals are right for an ε that differs by less than this part of max(1, ε).
_HAIR = 1e-14


def binomial(
    probabilities: npt.ArrayLike,
    trials: SupportsIndex,
    *,
    success: SupportsFloat = 0.5,
    multiplicities: npt.ArrayLike | None = None,
) -> PrivacyProfile:
    """Return the exact profile of a count with binomial noise added to it.

    Parameters
    ----------
    probabilities, multiplicities
        As in `pkdp.counting.pair`.
    trials : int
        How many bits are added, in 0…10¹⁰.
    success : float
        The probability in [0, 1] of each of them to be 1.

    Returns
    -------
    PrivacyProfile
        Status "exact": bits of noise are as good as unknown records.

    Raises
    ------
    ValueError, TypeError
        As in `pkdp.counting.pair`; also if `trials` or `success` is outside its range.

    References
    ----------
    Section 5.2 of the paper; Dwork, Kenthapadi, McSherry, Mironov and Naor (2006).

    Examples
    --------
    Nobody's record is uncertain, and ten fair bits are added:

    >>> round(binomial([], 10).delta(0.5), 6)
    0.093579
    """
    bits = as_integer(trials, "trials", 0, MOST_RECORDS)
    chance = as_real(success, "success", "in [0, 1]", 0.0, 1.0)
    # Lets the count alone say what is wrong with its arguments.
    counting.pair(probabilities, multiplicities)
    values = np.asarray(probabilities, dtype=np.float64)
    counts = np.ones(values.size, dtype=np.int64) if multiplicities is None else multiplicities
    return counting.exact(
        np.append(values, chance), np.append(np.asarray(counts, dtype=np.int64), bits)
    )


# Bounds over many laws.


def worst_case(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    noise: Noise,
    known: SupportsIndex = 0,
    tol: SupportsFloat = 1e-4,
) -> PrivacyProfile:
    """Return the largest δ(ε) of a count with noise, over probabilities in [λ, 1-λ].

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10⁹.
    lam : float
        λ in (0, ½]. To the attacker records are independent.
    noise : Noise
        `Geometric` or `Laplace`.
    known : int
        How many other records the attacker knows, in 0…n-1.
    tol : float
        Relative width in [1e-10, 1] to which the maximum is to be searched.

    Returns
    -------
    PrivacyProfile
        Status "exact". Values are upper ends of that interval: above the truth by `tol` at most
        and by what an ε that is 1e-14·max(1, ε) smaller (1e-12 just below the rate of the noise)
        makes; `worst_vertex` tells which width was reached. That they are not below the truth is
        tested, not proved: see the notes. `certified` proves both ends. δ is 0 from the rate on,
        which is ln(1/p) or 1/b; see `add`.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `known` is not an integer, or another argument not a number.

    Notes
    -----
    δ is convex in each probability, hence largest at a vertex of the cube, where m records are at
    λ and the others at 1-λ; the other direction mirrors this one. For a fixed event the excess
    rises in m and then falls, but the best event moves with m. A branch and bound over m does with
    few of them: what a range of numbers m has in common bounds δ for each of them. Of many records
    even that is not needed, as the largest δ of all events, whatever the lattice, is smooth in m: a
    polynomial does for it. What it lacks is estimated from its last coefficients, an estimate that
    is tested against branch and bound and against `certified`; it is no bound that is proved.

    Certified values prove the maximum, too, by a branch and bound over m in ball arithmetic, and
    with Laplace noise over all real outputs at which an event may begin. One takes a second or so,
    whatever n is; next to the rate of the noise, or for a small `tol` at an ε close to 0, several
    or even a minute. A search that gives up proves ends that are further apart than `tol`.

    One value takes some ten milliseconds for n up to 10⁹, unless ε is close to 0 and `tol` too
    small for that; then all vertices have the same δ to a few digits, and the search may end early;
    the values then are less sharp, but upper ends all the same. `epsilon` asks for some 15 values,
    and more next to the rate.

    References
    ----------
    Theorem 3 of the paper, made tight, with the noise of Definition 19 or of Figure 5.

    Examples
    --------
    >>> profile = worst_case(10_000, 0.05, noise=Geometric(0.5))
    >>> [f"{profile.delta(eps):.3g}" for eps in (0.1, 0.5, 0.7)]
    ['0.000299', '6.15e-24', '0']
    >>> round(worst_case(100_000, 0.05, noise=Laplace(2), known=90_000).epsilon(1e-10), 4)
    0.2749
    """
    unknown, lam, tol = _unknown(n, known), as_uncertainty(lam), as_tolerance(tol)
    curve = Curve(_log_worst, unknown, lam, _as_noise(noise), tol)
    proved = Enclosure(_worst_enclosure, unknown, lam, noise, tol)
    return rounded_up(curve, "exact", tol, enclosure_at=proved)


def worst_vertex(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    noise: Noise,
    eps: SupportsFloat,
    known: SupportsIndex = 0,
    tol: SupportsFloat = 1e-4,
) -> WorstVertex:
    """Return where the maximum of `worst_case` is attained, and what the search found.

    Parameters
    ----------
    n, lam, noise, known, tol
        As in `worst_case`.
    eps : float
        ε in [0, inf].

    Returns
    -------
    WorstVertex
        The number m of records at λ (the others are at 1-λ, the target's record going from 1 to
        0; for the other direction the roles of λ and 1-λ are exchanged), its ln δ, and a bound
        that no vertex exceeds; of many records an estimated one, see `worst_case`. At ε = 0, where
        m and N - m have the same δ, the smaller one.

    Examples
    --------
    >>> worst_vertex(10_000, 0.05, noise=Geometric(0.5), eps=0.1).m
    7
    """
    unknown, lam, tol = _unknown(n, known), as_uncertainty(lam), as_tolerance(tol)
    eps = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
    return _worst(unknown, lam, _as_noise(noise), tol, eps).of_smallest_m(unknown, eps)


def blanket(
    n: SupportsIndex, lam: SupportsFloat, *, noise: Noise, known: SupportsIndex = 0
) -> PrivacyProfile:
    """Return what the privacy blanket and noise guarantee together.

    δ(ε) is ``E[δ_C(ε)]``, δ_c that of a count of c fair bits with the noise, C ~ Bin(N, 2λ).

    Parameters
    ----------
    n, lam, noise, known
        As in `worst_case`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": never below `worst_case`, up to the hair by which its ε is smaller;
        without noise, that of `pkdp.counting.blanket`.

    Notes
    -----
    One value costs O(√N): some 80 milliseconds for n = 10⁶, seconds for n = 10⁹. `certified`
    takes up to a second for n = 10⁶, and for n = 10⁹ half a minute; next to the rate of the noise a
    minute or more.

    References
    ----------
    Theorem 3 of the paper, corrected, with the noise of Definition 19 or of Figure 5.

    Examples
    --------
    >>> profile = blanket(10_000, 0.05, noise=Geometric(0.5))
    >>> [f"{profile.delta(eps):.3g}" for eps in (0.1, 0.5, 0.7)]
    ['0.00156', '1.47e-17', '0']
    >>> round(blanket(100_000, 0.05, noise=Laplace(2), known=90_000).epsilon(1e-10), 4)
    0.3489
    """
    unknown, lam = _unknown(n, known), as_uncertainty(lam)
    curve = Curve(_log_blanket, unknown, lam, _as_noise(noise))
    proved = Enclosure(_blanket_enclosure, unknown, lam, noise)
    return rounded_up(curve, "upper bound", enclosure_at=proved)


def _log_worst(unknown: int, lam: float, noise: Noise, tol: float, eps: float) -> float:
    return _worst(unknown, lam, noise, tol, eps).log_upper


def _worst(unknown: int, lam: float, noise: Noise, tol: float, eps: float) -> WorstVertex:
    if eps >= noise.end:
        return WorstVertex(0, -math.inf, -math.inf)
    return _noisy_sums.worst(unknown, lam, noise, tol, _below(eps, noise))


def _worst_enclosure(
    unknown: int, lam: float, noise: Noise, tol: float, eps: float
) -> tuple[float, float]:
    """Return bounds of the largest ln δ(ε) of all vertices, proved by ball arithmetic."""
    # These take python-flint.
    from pkdp.partial_knowledge import _noise_in_balls, _noisy_vertices_in_balls

    alone = _noise_in_balls.alone(noise).log_excess(eps)
    if unknown == 0 or alone[1] == -math.inf:
        return alone
    worst = _noisy_vertices_in_balls.worst(unknown, lam, noise, eps, tol)
    # A search that gives up may end above what the noise alone does.
    return worst.log_lower, min(worst.log_upper, alone[1])


def _blanket_enclosure(unknown: int, lam: float, noise: Noise, eps: float) -> tuple[float, float]:
    """Return bounds of ln δ(ε) of a blanket with noise, proved by ball arithmetic."""
    from pkdp.partial_knowledge import _blanket_in_balls  # takes python-flint

    return _blanket_in_balls.log_hockey_stick(unknown, lam, eps, noise)


def _log_blanket(unknown: int, lam: float, noise: Noise, eps: float) -> float:
    if eps >= noise.end:
        return -math.inf
    return _noisy_sums.log_blanket(unknown, lam, noise, _below(eps, noise))


def _unknown(n: SupportsIndex, known: SupportsIndex) -> int:
    """Return the number of unknown records."""
    return unknown_records(as_integer(n, "n", 2, _MOST_RECORDS), known)


def _below(eps: float, noise: Noise) -> float:
    """Return an ε a hair smaller, so that rounding does not take a bound below the truth."""
    last = noise.rate - 1e-12 * max(1.0, noise.rate)
    return max(0.0, min(eps - _HAIR * max(1.0, eps), last))


# Pairs of noisy laws.


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
    def rate(self) -> float:
        """The loss at which δ reaches 0 if outputs differ by 1: ln(1/p) or 1/b."""
        return self.noise.rate

    @property
    def enclosure(self) -> Enclosure | None:
        """Bounds of ln δ that are proved, of a count with noise."""
        if self.base.enclosure is None:
            return None
        return Enclosure(_enclosure, unshifted(self.base.P)[0], self.noise)

    def reversed(self) -> Self:
        """Return the pair with the two records exchanged."""
        return replace(self, base=self.base.reversed())

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        if eps == math.inf:  # noise reaches every output
            return -math.inf
        count = self.base.unit_shift
        if count is None:
            laws = self.base.P, self.base.Q
            return min(0.0, self._log_excess_of_any(eps, *(laws[::-1] if exchanged else laws)))
        if eps >= self.noise.end:
            return -math.inf
        law, side = count
        side = -side if exchanged else side
        window = law.window(side * eps)
        return min(0.0, self._log_excess_of_count(window if side > 0 else _negated(window), eps))

    @abstractmethod
    def _log_excess_of_count(self, window: Window, eps: float) -> float:
        """Return ln H_E(S + 1 + noise‖S + noise), given masses of S."""

    @abstractmethod
    def _log_excess_of_any(self, eps: float, one: Law, other: Law) -> float:
        """Return ln of the hockey-stick of two finite laws with noise."""


class NoisyPair(_Noised, DiscretePair):
    """A pair to whose outputs two-sided geometric noise was added: see `add`.

    Examples
    --------
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
        first, last = _both_spans(*laws, log_least)
        log_p, log_q = (self._spread(law.log_pmf(first, last)) for law in laws)
        return LogMasses(log_p, log_q, max(law.log_outside(first, last) for law in laws))

    def _spread(self, logs: FloatArray) -> FloatArray:
        """Return ln of what noise makes of masses: left tail, outcome by outcome, right tail."""
        left, right = _log_sums(logs, self.rate), _log_sums(logs[::-1], self.rate)[::-1]
        log_rest = math.log(-math.expm1(-self.rate))  # 1 - p
        inner = np.logaddexp(left, np.append(right[1:], -math.inf) - self.rate)
        outer = np.array([right[0], left[-1]]) - self.rate - log_rest
        return (
            np.concatenate([outer[:1], inner, outer[1:]])
            + log_rest
            - math.log1p(math.exp(-self.rate))
        )

    def _log_excess_of_any(self, eps: float, one: Law, other: Law) -> float:
        first, last = _both_spans(one, other, -math.inf)
        log_p, log_q = (self._spread(law.log_pmf(first, last)) for law in (one, other))
        return log_excess(log_p, log_q, eps)

    def _log_excess_of_count(self, window: Window, eps: float) -> float:
        # z_{k-1} - E·z_k is, up to the noise's norm, (1 - p·E)·A_{k-1} - (E - p)·B_k.
        tilt, rate = window.tilt, self.rate
        left, right = _sums(window.weights, tilt, rate)
        rest = self.noise.rest(eps)  # 1 - p·E
        steps = rest * left[:-1] + math.expm1(-rate - eps) * math.exp(eps - tilt) * right[1:]
        beyond = rest * left[-1] / -math.expm1(-rate)
        log_norm = math.log(math.tanh(rate / 2.0))  # (1 - p)/(1 + p)
        return log_norm + _log_untilted(np.append(steps, beyond), steps, window, window.outcomes)


def _enclosure(count: PoissonBinomial, noise: Noise, eps: float) -> tuple[float, float]:
    """Return bounds of ln δ(ε) of a count with noise, proved by ball arithmetic."""
    from pkdp.partial_knowledge import _noise_in_balls  # takes python-flint
    from pkdp.profiles._balls import BallCount

    counts = (BallCount(*count.uncertain_bits(value)) for value in (1, 0))
    noisy = (_noise_in_balls.NoisyBallCount(law, noise) for law in counts)
    return larger_bounds(*(law.log_excess(eps) for law in noisy))


class LaplacePair(_Noised):
    """A pair to whose outputs Laplace noise was added: see `add`.

    Its outputs are real numbers and cannot be listed. Laplace noise of scale b is geometric noise
    with ``p = e^{-1/b}`` and independent noise besides, so that a `NoisyPair` with this p, which
    gives away more, serves for upper bounds.

    Examples
    --------
    >>> noisy = add(counting.pair([0.5, 0.5]), Laplace(2))
    >>> round(math.exp(noisy.log_hockey_stick(0.25)), 6)
    0.086236
    """

    def _log_excess_of_count(self, window: Window, eps: float) -> float:
        # The cell between k-1 and k, k from start + 1 to last + 1, and what lies beyond.
        tilt, rate = window.tilt, self.rate
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

    def _log_excess_of_any(self, eps: float, one: Law, other: Law) -> float:
        first, last = _both_spans(one, other, -math.inf)
        logs = [law.log_pmf(first, last) for law in (one, other)]
        left_p, left_q = (_log_sums(x, self.rate) for x in logs)
        right_p, right_q = (_log_sums(x[::-1], self.rate)[::-1] for x in logs)
        left_q, right_q = left_q + eps, right_q + eps
        # Cells between neighbouring outcomes, each in units of its largest sum.
        sums = left_p[:-1], left_q[:-1], right_p[1:], right_q[1:]
        units = np.max(sums, axis=0)
        from_left_p, from_left_q, from_right_p, from_right_q = np.exp(sums - units)
        alpha, beta = from_left_p - from_left_q, from_right_p - from_right_q
        cells = _cell_integrals(alpha, beta, alpha + beta, self.rate)
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
    >>> count = counting.pair([0.05], [9_999])
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
    if not pair.is_finite and pair.unit_shift is None:
        raise ValueError(
            f"pair must be of finite laws, or of a law and its shift by 1, got {pair!r}"
        )
    kind = LaplacePair if isinstance(_as_noise(noise), Laplace) else NoisyPair
    return kind(pair, noise)


def _as_noise(noise: Noise) -> Noise:
    if not isinstance(noise, Geometric | Laplace):
        raise TypeError(f"noise must be Geometric(p) or Laplace(scale), got {noise!r}")
    return noise


def _both_spans(one: Law, other: Law, log_least: float) -> tuple[int, int]:
    """Return the first and the last outcome of two laws that are not negligible."""
    spans = one.span(log_least), other.span(log_least)
    return min(spans)[0], max(last for _, last in spans)


def _negated(window: Window) -> Window:
    """Return the masses of -S - 1: with them (S, S + 1), read downwards, is (· + 1, ·)."""
    last = window.start + window.weights.size - 1
    return Window(
        -1 - last, window.weights[::-1], -window.tilt, -1 - window.anchor, window.log_scale
    )


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

    If the window has a tilt, no term is positive before the least of the steps that is negative.
    """
    positive = terms > 0.0
    if window.tilt != 0.0 and steps.min(initial=0.0) < 0.0:
        # Far below the mode masses are rounding errors, which being untilted would magnify. A count
        # has no positive terms there: they change their sign once.
        positive[: int(steps.argmin())] = False
    if not positive.any():
        return -math.inf
    logs = np.log(terms[positive]) - window.tilt * (outcomes[positive] - window.anchor)
    return window.log_scale + log_sum(logs)


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
