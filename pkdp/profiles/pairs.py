"""Pairs of output distributions and their hockey-stick divergence.

An attacker sees a pair (P, Q): the distribution of the output when the target's record is a, and
when it is b. The hockey-stick divergence ``H_E(P‖Q) = Σ max(0, P - E·Q)`` at E = exp(ε) is the
least δ for which the first half of (ε, δ)-indistinguishability holds; as a curve in ε, the larger
of the two directions is the *privacy profile*.
"""

from __future__ import annotations

import functools
import math
import sys
from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from pkdp._bisection import first_passing
from pkdp._checks import MOST_RECORDS, as_instance, as_real
from pkdp.profiles._inversion import least_epsilon
from pkdp.profiles._plateaus import Plateau, larger_plateau, of_all, of_masses
from pkdp.profiles.laws import Finite, Law, PoissonBinomial, Window, unshifted
from pkdp.profiles.logarithms import FloatArray, IntArray, log_rest, log_sum
from pkdp.profiles.profile import PrivacyProfile, Release

__all__ = [
    "LOG_LEAST",
    "AnyPair",
    "DiscretePair",
    "LogMasses",
    "Pair",
    "log_excess",
]

# Outcomes are listed down to masses of this logarithm, of four times that, and so on,
# until what is left out is less than the second part of δ, of the order of its rounding.
_FIRST_LEVEL, _LOG_NEGLIGIBLE = -100.0, -30.0
_MOST_OUTCOMES = 2**25
# So many are kept for other ε, or those of one list.
_MOST_KEPT = 2**24

# What masses below this add to 1 - δ is lost in rounding.
_NEGLIGIBLE_MASS = 1e-17

# Shifts of a count of more than this variance are not listed.
_WIDE_VARIANCE = 1e4
# Up to so many tilted deviations a shift is one of masses that overlap.
_OVERLAP = 3.0

# So many different probabilities are multiplied to 50 digits.
_MOST_KINDS = 10_000

# So few outcomes, and runs of them, that only one law has are looked up one by one.
_FEW_ALONE, _FEW_RUNS = 2**16, 16

# The ε of a count is looked for in so many windows at most, until the best outcome has more than
# this part of the largest weight; outcomes with less than the first part are not looked at.
_WINDOWS, _FEW_DIGITS, _MANY_DIGITS = 50, 1e-12, 1e-3

# Masses below exp of this are negligible even when hundreds of releases are composed.
LOG_LEAST = -1500.0


class LogMasses(NamedTuple):
    """Logarithms of the masses of a pair of laws over the same outcomes.

    Outcomes of equal likelihood ratio may be merged, and their order means nothing.

    Attributes
    ----------
    log_p, log_q : ndarray, shape (outcomes,)
        ``ln P`` and ``ln Q``; -inf for a mass that is 0, and for no other.
    log_left_out : float
        Natural logarithm of an upper bound of the mass that either law has elsewhere.
    """

    log_p: FloatArray
    log_q: FloatArray
    log_left_out: float


class AnyPair(Release):
    """Two distributions of an output that the attacker must tell apart."""

    def log_hockey_stick(self, eps: float) -> float:
        """Natural logarithm of ``H_E(P‖Q)``, E = exp(eps).

        Parameters
        ----------
        eps : float
            ε in [0, inf].

        Raises
        ------
        ValueError
            If `eps` is negative or NaN; if δ is so small that more than 2²⁵ outcomes would
            have to be listed.
        """
        return self._log_excess(as_real(eps, "eps", "in [0, inf]", 0.0, math.inf), False)

    @abstractmethod
    def _log_excess(self, eps: float, exchanged: bool) -> float:
        """Return ln ``H_E(P‖Q)``, or that of the laws exchanged, for an ε in [0, inf]."""

    @abstractmethod
    def reversed(self) -> Self:
        """Return the pair with the two laws exchanged."""

    @property
    def _error(self) -> float:
        """The `error` of the profile."""
        return 1e-12

    @property
    def _first_eps(self) -> float:
        """An ε at which there is not much more to compute than at 0, or 1."""
        return 1.0

    def plateau(self) -> Plateau | None:
        """Return where the hockey-stick ends; None where that is not known to 50 digits."""
        return None

    def ending(self) -> Plateau | None:
        """Return where the profile ends (see `Release.ending`)."""
        ends = self.plateau(), self.reversed().plateau()
        # At ε = 0 both directions are the total variation.
        level = [end for end in ends if end is not None and end.eps == 0.0]
        return level[0] if level else plateau_of_larger(self, self.reversed())

    def profile(self) -> PrivacyProfile:
        """Return the exact privacy profile: the larger of both directions."""
        return PrivacyProfile(self, "exact", error=self._error, first_eps=self._first_eps)

    def log_delta(self, eps: float) -> float:
        """Return the larger ln δ(ε) of both directions, at one ε in [0, inf]."""
        return max(self._log_excess(eps, exchanged) for exchanged in (False, True))


def plateau_of_count(count: PoissonBinomial, value: int) -> Plateau | None:
    """Return where a count ends that is one higher only if all bits have that value.

    None for so many different bits that their product to 50 digits would take long.
    """
    return of_all(*count.uncertain_bits(value)) if count.kinds <= _MOST_KINDS else None


def plateau_of_larger(one: AnyPair, other: AnyPair) -> Plateau | None:
    """Return where the larger of two hockey-sticks ends."""
    inverses = [functools.partial(least_epsilon, pair.log_hockey_stick) for pair in (one, other)]
    return larger_plateau([one.plateau(), other.plateau()], inverses)


class DiscretePair(AnyPair):
    """Two distributions whose outcomes can be listed."""

    @abstractmethod
    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, without what is negligible.

        Parameters
        ----------
        log_least : float
            Outcomes may be left out that have less than ``exp(log_least)`` under each law.
        """


def as_discrete(pair: DiscretePair, name: str = "pair") -> DiscretePair:
    """Return a pair whose outcomes can be listed, or raise TypeError."""
    if not isinstance(pair, DiscretePair):
        raise TypeError(f"{name} must be a pair whose outcomes can be listed, got {pair!r}")
    return pair


class ListedPair(DiscretePair):
    """Two distributions whose outcomes are listed, the likely ones first, as far as they matter."""

    def _levels(self, eps: float) -> tuple[float, ...]:
        """Return down to which masses (logarithms) outcomes are listed in turn."""
        del eps
        return (-math.inf,)

    @property
    @abstractmethod
    def _depth(self) -> float:
        """A bound on -ln of every positive mass, and so on every finite loss."""

    @functools.cached_property
    def _listings(self) -> dict[float, LogMasses]:
        return {}

    def __getstate__(self) -> dict[str, object]:
        # What can be listed again is not worth its bytes.
        return {name: value for name, value in self.__dict__.items() if name != "_listings"}

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        for log_least in self._levels(eps):
            # Beyond all finite losses only what is impossible under the second law is left.
            alone = self._log_alone(exchanged, log_least) if eps > self._depth else None
            log_delta, log_left_out = alone or self._log_listed(eps, exchanged, log_least)
            if log_left_out <= log_delta + _LOG_NEGLIGIBLE:
                break
        # As if whatever was left out told everything.
        return min(0.0, float(np.logaddexp(log_delta, log_left_out)))

    def _log_alone(self, exchanged: bool, log_least: float) -> tuple[float, float] | None:
        """Return ln of the mass that only one law has, and of what is left out, without a list."""
        del exchanged, log_least
        return None

    def _log_listed(self, eps: float, exchanged: bool, log_least: float) -> tuple[float, float]:
        """Return ln of the hockey-stick of what is listed, and of what is left out."""
        if log_least not in self._listings:
            listing = self.log_masses(log_least)
            kept = sum(masses.log_p.size for masses in self._listings.values())
            if kept + listing.log_p.size > _MOST_KEPT:
                self._listings.clear()
            self._listings[log_least] = listing
        log_p, log_q, log_left_out = self._listings[log_least]
        if exchanged:
            log_p, log_q = log_q, log_p
        log_delta = log_excess(log_p, log_q, eps)
        if log_delta > -math.log(2.0):
            # Near 1 the sum of what the laws have in common says more: 1 - δ = Σ min(P, E·Q).
            log_delta = log_rest(_log_overlap(log_p, log_q, eps))
        return log_delta, log_left_out


@dataclass(frozen=True)
class Pair(ListedPair):
    """The distributions of an integer output under two records of the target.

    Attributes
    ----------
    P, Q : Law
        Laws of integer outputs, any two.

    Raises
    ------
    TypeError
        If one of them is no `Law`.

    Notes
    -----
    For a count S and S + 1, either way round, one value costs O(1), whatever n: the masses of S
    are log-concave, so that P/Q is monotone and ``P = E·Q`` near the mode of S tilted by ±ε. All
    that matters is an integral there, or a window of masses if S is narrow. A wide count and its
    shift by more than 1 take some windows. Other laws have their outcomes listed, the
    likely ones first, until those left out no longer matter; at worst, which is where δ is 0 or
    very deep in the tails, these are all outcomes, of which there may be 2²⁵.

    Examples
    --------
    One record against another, with nobody to hide in, is told apart with certainty:

    >>> from pkdp.profiles.laws import Finite, binomial
    >>> Pair(Finite.from_dict({1: 1.0}), Finite.from_dict({0: 1.0})).profile().delta(3.0)
    1.0

    Two laws that have nothing to do with each other:

    >>> round(Pair(binomial(1000, 0.12), binomial(1000, 0.1)).profile().delta(3.0), 4)
    0.2062
    """

    P: Law
    Q: Law

    def __post_init__(self) -> None:
        for name in ("P", "Q"):
            as_instance(getattr(self, name), name, Law)

    def reversed(self) -> Pair:
        """Return the pair with the two records exchanged."""
        return Pair(self.Q, self.P)

    @functools.cached_property
    def shift(self) -> int:
        """By what P is a shift of Q; 0 if it is none."""
        (one, by), (other, other_by) = unshifted(self.P), unshifted(self.Q)
        return by - other_by if one is other or one == other else 0

    @functools.cached_property
    def counts(self) -> tuple[PoissonBinomial, PoissonBinomial] | None:
        """S for a pair that is told apart like (S + b, S), b > 0; the same for the laws exchanged.

        None for any other pair.
        """
        count = unshifted(self.P)[0]
        if not self.shift or not isinstance(count, PoissonBinomial):
            return None
        both = count, count.mirrored()  # (S, S + b) is (T + b, T) for T = -S
        return both if self.shift > 0 else both[::-1]

    @functools.cached_property
    def count(self) -> PoissonBinomial | None:
        """S for a pair that is told apart like (S + 1, S); None for any other."""
        return self.counts[0] if self.counts is not None and abs(self.shift) == 1 else None

    @functools.cached_property
    def _is_listed(self) -> bool:
        """Whether masses are listed: of all but counts, and of narrow ones unless b is 1."""
        if self.counts is None or abs(self.shift) == 1:
            return self.counts is None
        return self.counts[0].variance <= _WIDE_VARIANCE

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        if self.counts is None or self._is_listed:
            return super()._log_excess(eps, exchanged)
        return _log_excess_of_shift(self.counts[exchanged], abs(self.shift), eps)

    def log_delta(self, eps: float) -> float:
        """Return the larger ln δ(ε) of both directions (see `AnyPair.log_delta`)."""
        if self.count is not None:
            # Two integrals at once where S is wide.
            log_delta = self.count.log_excess(eps, both_ways=True)
            if log_delta is not None and log_delta <= -math.log(2.0):
                return log_delta
        return super().log_delta(eps)

    def guess_epsilon(self, log_delta: float) -> float | None:
        """Return the least ε for an ln δ, to rounding, of a count whose masses can be listed."""
        if self.counts is None or self.count is None or self.count.variance > _WIDE_VARIANCE:
            return None
        # The shorter the upper tail, the larger are the losses there.
        count = min(self.counts, key=lambda law: law.third_moment)
        return _epsilon_of_one_more(count, log_delta)

    @property
    def is_certifiable(self) -> bool:
        """Whether this is a count and its shift by 1, of which bounds are proved."""
        return self.count is not None

    @property
    def has_ending(self) -> bool:
        """Whether it is known to 50 digits where the profile ends."""
        return self.is_finite or self.count is not None

    @property
    def _error(self) -> float:
        """Each loss ln(P/Q) is known as well as these logarithms only.

        Unless laws are finite, the error is that of the least likely outcome.
        """
        if self.is_finite or not self._is_listed:
            return super()._error
        return 4.0 * max(law.log_error for law in self._unshifted)

    @property
    def _first_eps(self) -> float:
        tilt = min(law.first_tilt for law in self._unshifted)
        return min(1.0, tilt * max(1, abs(self.shift)))

    def plateau(self) -> Plateau | None:
        """Return where the hockey-stick ends, of finite laws and of a count and its shift by 1."""
        if self.count is not None:
            return plateau_of_count(self.count, 1)
        if not self.is_finite:
            return None
        (p_at, p), (q_at, q) = (_positive(law) for law in (self.P, self.Q))
        _, in_p, in_q = np.intersect1d(p_at, q_at, assume_unique=True, return_indices=True)
        return of_masses(np.delete(p, in_p).tolist(), p[in_p], q[in_q])

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws where either has its own (see `DiscretePair`)."""
        p_span, q_span = self.P.span(log_least), self.Q.span(log_least)
        (first, last), (start, stop) = spans = sorted((p_span, q_span))
        if (outcomes := last - first + stop - start + 2) > _MOST_OUTCOMES:
            raise ValueError(
                f"P and Q must have at most {_MOST_OUTCOMES} outcomes that matter to δ, got "
                f"{outcomes} at this ε"
            )
        if start <= last + 1:
            spans = [(first, max(last, stop))]
            p_span = q_span = spans[0]
        # What lies between two laws that are far apart is not listed.
        log_p, log_q = (
            np.concatenate([law.log_pmf(*span) for span in spans]) for law in (self.P, self.Q)
        )
        possible = np.maximum(log_p, log_q) > -math.inf
        log_left_out = max(self.P.log_outside(*p_span), self.Q.log_outside(*q_span))
        return LogMasses(log_p[possible], log_q[possible], log_left_out)

    @property
    def _unshifted(self) -> tuple[Law, Law]:
        return unshifted(self.P)[0], unshifted(self.Q)[0]

    @functools.cached_property
    def is_finite(self) -> bool:
        """Whether both laws are `Finite`."""
        return all(isinstance(law, Finite) for law in self._unshifted)

    def _levels(self, eps: float) -> tuple[float, ...]:
        levels = [-math.inf if self.is_finite else _FIRST_LEVEL]
        while levels[-1] > -self._depth:
            levels.append(4.0 * levels[-1])
        return (*levels[:-1], -math.inf)

    @functools.cached_property
    def _depth(self) -> float:
        return -min(self.P.log_least_mass, self.Q.log_least_mass)

    def _log_alone(self, exchanged: bool, log_least: float) -> tuple[float, float] | None:
        one, other = (self.Q, self.P) if exchanged else (self.P, self.Q)
        (first, last), (start, stop) = one.span(-math.inf), other.span(-math.inf)
        if start <= first and last <= stop and other.gapless:
            return -math.inf, -math.inf
        if self.is_finite or last - first >= _MOST_OUTCOMES:
            return None
        alone = one.possible(first, last) & ~other.possible(first, last)
        if np.count_nonzero(alone) > _FEW_ALONE:
            return None
        places = np.flatnonzero(alone) + first
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
        if len(runs) > _FEW_RUNS:
            return None
        logs = [one.log_pmf(int(run[0]), int(run[-1])) for run in runs if run.size]
        return min(0.0, log_sum(np.concatenate([np.zeros(0), *logs]))), -math.inf


def _positive(law: Law) -> tuple[IntArray, FloatArray]:
    """Return the outcomes of a finite law that have mass, and their masses."""
    base, by = unshifted(law)
    assert isinstance(base, Finite)
    masses = np.array(base.masses)
    some = np.flatnonzero(masses)
    return some + base.start + by, masses[some]


def log_excess(log_p: FloatArray, log_q: FloatArray, eps: float) -> float:
    """Return ``ln Σ max(0, P - E·Q)``, E = exp(eps): the hockey-stick of laws given by masses.

    Parameters
    ----------
    log_p, log_q : ndarray, shape (outcomes,)
        ``ln P`` and ``ln Q``, -inf for a mass of 0.
    eps : float
        Any real number, or inf.

    Examples
    --------
    >>> masses = np.log([0.75, 0.25]), np.log([0.25, 0.75])
    >>> round(math.exp(log_excess(*masses, 0.0)), 12), log_excess(*masses, 1.5)
    (0.5, -inf)
    """
    with np.errstate(invalid="ignore"):  # where neither law has any mass
        return log_excess_of_losses(log_p, log_p - log_q, eps)


def log_excess_of_losses(log_p: FloatArray, losses: FloatArray, eps: float) -> float:
    """Return ``ln Σ P·max(0, 1 - exp(eps - L))``: the hockey-stick of losses L = ln(P/Q).

    Parameters
    ----------
    log_p, losses : ndarray, shape (outcomes,)
        ``ln P``, and the losses; some may be infinite.
    eps : float
        Any real number, or inf.

    Examples
    --------
    >>> masses, losses = np.log([0.5, 0.25, 0.25]), np.array([0.0, math.log(2), math.inf])
    >>> [math.exp(log_excess_of_losses(masses, losses, eps)) for eps in (0.0, math.inf)]
    [0.375, 0.25]
    """
    eps = min(eps, sys.float_info.max)  # which leaves the losses that are inf
    above = losses > eps
    logs, gaps = log_p[above], eps - losses[above]
    largest = float(logs.max(initial=-math.inf))
    if largest == -math.inf:
        return largest
    return largest + math.log(-float((np.exp(logs - largest) * np.expm1(gaps)).sum()))


def _log_overlap(log_p: FloatArray, log_q: FloatArray, eps: float) -> float:
    """Return ``ln Σ min(P, E·Q)``, E = exp(eps), which for laws is ``ln(1 - δ)``; see `log_excess`.

    Examples
    --------
    >>> masses = np.log([0.75, 0.25]), np.log([0.25, 0.75])
    >>> round(math.exp(_log_overlap(*masses, 0.0)), 12)
    0.5
    """
    both = (log_p > -math.inf) & (log_q > -math.inf)
    if not both.any():
        return -math.inf
    return log_sum(np.minimum(log_p[both], eps + log_q[both]))


def _log_excess_of_shift(count: PoissonBinomial, by: int, eps: float) -> float:
    """Return ``ln Σ max(0, P[S + by = k] - e^ε·P[S = k])``, by ≥ 1; S is wide unless that is 1.

    Masses s of S are log-concave. So ``P[S + b = k]`` exceeds ``E·P[S = k]`` from some k on,
    E = e^ε, and with j = k - b the excess is

        Σ_{i ≥ j} (s_i - E·s_{i+b}) = P[S ≥ j] - E·P[S ≥ j + b].

    Tilted by ε/b the two masses are weights of one window, next to whose middle the sum begins. If
    b is no more than some deviations of it, all positive terms are added up: the two tails may be
    nearly the same. If it is more, they are not, and are subtracted; the j is found by bisection.
    """
    if by == 1:
        return log_excess_of_one_more(count, eps)
    tilt = eps / by
    if by <= _OVERLAP * math.sqrt(count.variance_at(tilt)):
        return log_steps(count, eps, by)
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


def log_excess_of_one_more(count: PoissonBinomial, eps: float) -> float:
    """Return ``ln Σ max(0, P[S + 1 = k] - e^ε·P[S = k])``, ε in [0, inf]."""
    found = count.log_excess(eps)
    log_delta = log_steps(count, eps) if found is None else found
    if log_delta <= -math.log(2.0):
        return log_delta
    # Near 1 the sum of what the laws have in common says more: 1 - δ = Σ min(P, E·Q).
    plain = count.window()
    likely = plain.outcomes[plain.weights > _NEGLIGIBLE_MASS]
    masses = count.log_pmf(int(likely[0]), int(likely[-1]) + 1)
    return log_rest(_log_overlap(masses[:-1], masses[1:], eps))


def _epsilon_of_one_more(count: PoissonBinomial, log_delta: float) -> float:
    """Return the ε at which ``max_j P[S ≥ j] - e^ε·P[S ≥ j + 1]`` is δ; 0 if it is less at 0.

    Each j allows the ε at which its own difference is δ, so that ε is the largest of
    ``ln(1 + (s_j - δ)/P[S ≥ j + 1])``. The best j is in the middle of the window tilted by ε.
    """
    # What it were if the count were normal.
    eps = math.sqrt(max(0.0, -2.0 * log_delta) / max(1.0, count.variance))
    for _ in range(_WINDOWS):
        window = count.window(eps)
        mode = int(window.weights.argmax())
        logs = window.log_pmf
        masses = np.exp(np.minimum(logs - logs[mode], 600.0))
        delta = math.exp(min(log_delta - float(logs[mode]), 600.0))
        upper = np.cumsum(masses[::-1])[::-1]
        with np.errstate(all="ignore"):  # nothing is above the last outcome
            growth = (masses[:-1] - delta) / upper[1:]
        # Next to an end of the window either masses have few digits, or not all above is in it.
        growth[window.weights[:-1] < _FEW_DIGITS * window.weights[mode]] = -1.0
        if not growth.size:
            break
        best = int(growth.argmax())
        eps = math.log1p(max(float(growth[best]), 0.0))
        if window.weights[best] > _MANY_DIGITS * window.weights[mode]:
            break
    return eps


def log_steps(
    count: PoissonBinomial, eps: float, by: int = 1, first: int = 0, last: int = MOST_RECORDS
) -> float:
    """Return the logarithm of the sum of all positive ``s_j - E·s_{j+by}``, j in first…last."""
    if by == 1 and eps > count.largest_loss + 1e-9:
        eps = math.inf
    tilt = max(eps / by, count.tilt_towards(first))
    if tilt == math.inf:
        return count.log_mass(count.most) if first <= count.most <= last else -math.inf
    # Near ε share the window of a tilt that is rounded down. No step before its mode is positive.
    window = count.window(float(np.float32(tilt * (1.0 - 2.0**-24))))
    start = max(0, first - window.start, int(window.weights.argmax()) + 1 - by)
    chosen = slice(start, max(0, last + 1 - window.start))
    steps = tilted_steps(window, eps, by)
    return min(0.0, window.log_total(steps[chosen], window.outcomes[chosen]))


def tilted_steps(window: Window, eps: float, by: int = 1) -> FloatArray:
    """Return ``s_j - E·s_{j+by}`` in units of the tilted masses, for the outcomes of a window."""
    beyond = np.append(window.weights[by:], np.zeros(by))  # what is left out is negligible
    return np.asarray(window.weights - math.exp(eps - by * window.tilt) * beyond)
