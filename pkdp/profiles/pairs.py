"""Pairs of laws, and one hockey-stick for all of them.

What an attacker sees is a pair (P, Q): the law of the output when the target's record is a, and
when it is b. Its hockey-stick divergence ``H_E(P‖Q) = Σ max(0, P - E·Q)`` at E = exp(ε) is the
least δ for which the first half of (ε, δ)-indistinguishability holds; as a curve in ε, the larger
of the two directions is the *privacy profile*.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pkdp._checks import as_instance, as_real
from pkdp.profiles import _shifts
from pkdp.profiles._inversion import least_epsilon
from pkdp.profiles._plateaus import Ending, Plateau, larger_plateau, of_all, of_masses
from pkdp.profiles.laws import Finite, Law, PoissonBinomial, Window, unshifted
from pkdp.profiles.logarithms import FloatArray, IntArray, log_sum
from pkdp.profiles.profile import Curve, Enclosure, PrivacyProfile, larger_bounds

__all__ = [
    "LOG_LEAST",
    "AnyPair",
    "DiscretePair",
    "LogMasses",
    "Pair",
    "log_excess",
]

# A pair of any laws has its outcomes listed down to smaller and smaller masses, until what is left
# out is less than this part of δ, of the order of its rounding.
_LOG_NEGLIGIBLE = -40.0
_MOST_OUTCOMES = 2**25
# So many are kept for other ε, or those of one list.
_MOST_KEPT = 2**24

# Shifts of a count of more than this variance are not listed.
_WIDE_VARIANCE = 1e4

# So many different probabilities are multiplied to 50 digits.
_MOST_KINDS = 10_000

# So few outcomes, and runs of them, that only one law has are looked up one by one.
_FEW_ALONE, _FEW_RUNS = 2**16, 16

# No finite loss of a count of float probabilities is larger.
_LARGEST_LOSS = 800.0

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


class AnyPair(ABC):
    """Two laws of an output, which the attacker must tell apart: what every pair can be asked."""

    @abstractmethod
    def log_hockey_stick(self, eps: float) -> float:
        """Natural logarithm of ``H_E(P‖Q)``, E = exp(eps), for an ε in [0, inf]."""

    @abstractmethod
    def reversed(self) -> AnyPair:
        """Return the pair with the two laws exchanged."""

    @property
    def enclosure(self) -> Enclosure | None:
        """Bounds of ln δ that are proved, by ball arithmetic; None where nothing is proved."""
        return None

    def plateau(self) -> Plateau | None:
        """Return where the hockey-stick ends; None where that is not known to 50 digits."""
        return None

    def profile(self) -> PrivacyProfile:
        """Return the exact privacy profile: the larger of both directions."""
        return PrivacyProfile(
            Curve(log_larger, self, self.reversed()),
            "exact",
            enclosure_at=self.enclosure,
            plateau_at=Ending(_plateau_of_both, self),
        )


def _plateau_of_both(pair: AnyPair) -> Plateau | None:
    ends = pair.plateau(), pair.reversed().plateau()
    # At ε = 0 both directions are the total variation.
    level = [end for end in ends if end is not None and end.eps == 0.0]
    return level[0] if level else plateau_of_larger(pair, pair.reversed())


def plateau_of_count(count: PoissonBinomial, value: int) -> Plateau | None:
    """Return where a count ends that is one higher only if all bits have that value.

    None for so many different bits that their product to 50 digits would take long.
    """
    return of_all(*count.uncertain_bits(value)) if count.kinds <= _MOST_KINDS else None


def plateau_of_larger(one: AnyPair, other: AnyPair) -> Plateau | None:
    """Return where `log_larger` ends."""
    inverses = [functools.partial(least_epsilon, pair.log_hockey_stick) for pair in (one, other)]
    return larger_plateau([one.plateau(), other.plateau()], inverses)


def log_larger(one: AnyPair, other: AnyPair, eps: float) -> float:
    """Return the larger of the hockey-sticks of two pairs, mostly those of both directions."""
    return max(one.log_hockey_stick(eps), other.log_hockey_stick(eps))


class DiscretePair(AnyPair):
    """Two laws whose outcomes can be listed."""

    @abstractmethod
    def reversed(self) -> DiscretePair:
        """Return the pair with the two laws exchanged."""

    @abstractmethod
    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, without what is negligible.

        Parameters
        ----------
        log_least : float
            Outcomes may be left out that have less than ``exp(log_least)`` under each law.
        """


def as_discrete(pair: DiscretePair, name: str = "pair") -> DiscretePair:
    """Return a pair whose outcomes can be listed; others are refused."""
    if not isinstance(pair, DiscretePair):
        raise TypeError(f"{name} must be a pair whose outcomes can be listed, got {pair!r}")
    return pair


@dataclass(frozen=True)
class Pair(DiscretePair):
    """What the attacker must tell apart: the laws of the output under two records of the target.

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
    shift by more than 1 take some windows (`_shifts`). Other laws have their outcomes listed, the
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
    def unit_shift(self) -> tuple[Law, int] | None:
        """The law of S and 1 for a pair (S + 1, S), or -1 for (S, S + 1); None for any other.

        None also if a window of S does not hold all that matters (`Law.window_suffices`).
        """
        side = self._shift
        if abs(side) != 1 or not self.P.window_suffices:
            return None
        return (self.Q if side == 1 else self.P), side

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
        eps = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
        if self._is_of_a_count:
            return self._log_excess_of_a_count(eps)
        return self._log_excess_of_any(eps, False)

    @property
    def enclosure(self) -> Enclosure | None:
        """Bounds of ln δ that are proved, of a count and its shift by 1."""
        if not self._is_of_a_count:
            return None
        return Enclosure(_enclosure_of_a_count, unshifted(self.P)[0])

    def profile(self) -> PrivacyProfile:
        """Return the exact privacy profile: the larger of both directions.

        Of laws whose outcomes are listed, unless they are finite, each loss ln(P/Q) is known as
        well as these logarithms only (``1e-12·|ln P|`` for counts); the profile's `error` is that
        of the least likely outcome.
        """
        ending = Ending(_plateau_of_both, self)
        if self._is_of_a_count:
            both = Curve(_log_larger_of_a_count, self, self.reversed())
            return PrivacyProfile(both, "exact", enclosure_at=self.enclosure, plateau_at=ending)
        curve = Curve(_log_larger_of_any, self)
        if self.is_finite:
            return PrivacyProfile(curve, "exact", plateau_at=ending)
        if self._shifted_count is not None:
            return PrivacyProfile(curve, "exact")
        return PrivacyProfile(
            curve,
            "exact",
            error=4.0 * max(self.P.log_error, self.Q.log_error),
            first_eps=self._first_eps,
        )

    def plateau(self) -> Plateau | None:
        """Return where the hockey-stick ends, of finite laws and of a count and its shift by 1."""
        if self._is_of_a_count:
            return plateau_of_count(self._count, 1 if self._shift == 1 else 0)
        if not self.is_finite:
            return None
        (p_at, p), (q_at, q) = (_positive(law) for law in (self.P, self.Q))
        _, in_p, in_q = np.intersect1d(p_at, q_at, assume_unique=True, return_indices=True)
        return of_masses(np.delete(p, in_p).tolist(), p[in_p], q[in_q])

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, without what is negligible (see `DiscretePair`)."""
        return self._listing(self.P.span(log_least), self.Q.span(log_least))

    def _listing(self, p_span: tuple[int, int], q_span: tuple[int, int]) -> LogMasses:
        """Return the masses of both laws where either law has its own."""
        (first, last), (start, stop) = spans = sorted((p_span, q_span))
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

    @functools.cached_property
    def _is_of_a_count(self) -> bool:
        return self.unit_shift is not None and isinstance(unshifted(self.P)[0], PoissonBinomial)

    @functools.cached_property
    def is_finite(self) -> bool:
        """Whether both laws are `Finite`."""
        return all(isinstance(unshifted(law)[0], Finite) for law in (self.P, self.Q))

    def _levels(self, eps: float) -> tuple[float, ...]:
        """Return down to which masses outcomes are listed in turn."""
        if self.is_finite:
            return (-math.inf,)
        # The ratio of X + by and X is about e^ε where the law tilted by ε/by has its bulk.
        tilt = eps / self._shift if self._shift and eps < math.inf else 0.0
        return max(self.P.log_levels(tilt), self.Q.log_levels(tilt), key=len)

    @functools.cached_property
    def _shift(self) -> int:
        """By what P is a shift of Q; 0 if it is none."""
        (one, by), (other, other_by) = unshifted(self.P), unshifted(self.Q)
        return by - other_by if one is other or one == other else 0

    @functools.cached_property
    def _shifted_count(self) -> PoissonBinomial | None:
        """The count of a pair of its shifts, if so wide that few of its masses are best listed."""
        count = unshifted(self.P)[0]
        is_wide = isinstance(count, PoissonBinomial) and count.variance > _WIDE_VARIANCE
        return count if self._shift and isinstance(count, PoissonBinomial) and is_wide else None

    @functools.cached_property
    def _mirrored_count(self) -> PoissonBinomial:
        return self._count.mirrored()

    @property
    def _first_eps(self) -> float:
        """An ε at which there is not much more to compute than at 0, or 1."""
        tilt = min(self.P.first_tilt, self.Q.first_tilt)
        return min(1.0, tilt * max(1, abs(self._shift)))

    @functools.cached_property
    def _depth(self) -> float:
        """A bound on -ln of every positive mass, and so on every finite loss."""
        return -min(self.P.log_least_mass, self.Q.log_least_mass)

    @functools.cached_property
    def _listings(self) -> dict[float, LogMasses]:
        return {}

    def _listed(self, log_least: float) -> LogMasses:
        """Return the masses of at least ``exp(log_least)``, which are computed once."""
        if log_least not in self._listings:
            spans = self.P.span(log_least), self.Q.span(log_least)
            outcomes = sum(last - first + 1 for first, last in spans)
            if outcomes > _MOST_OUTCOMES:
                raise ValueError(
                    f"eps must be one at which δ shows among {_MOST_OUTCOMES} outcomes of these "
                    f"laws, got one for which {outcomes} would have to be listed"
                )
            kept = sum(masses.log_p.size for masses in self._listings.values())
            if kept + outcomes > _MOST_KEPT:
                self._listings.clear()
            self._listings[log_least] = self._listing(*spans)
        return self._listings[log_least]

    @functools.cached_property
    def _count(self) -> PoissonBinomial:
        count = unshifted(self.P)[0]
        assert isinstance(count, PoissonBinomial)
        return count

    @functools.cached_property
    def _largest_loss(self) -> float:
        """A hair more than the largest finite loss of a count, lest rounding make it infinite."""
        assert self.unit_shift is not None
        one_to_zero = self.unit_shift[1] == 1
        count = self._count
        return (count.largest_loss() if one_to_zero else count.largest_gain()) + 1e-9

    def _log_excess_of_a_count(self, eps: float) -> float:
        # Beyond the largest loss tilts would be so strong that masses underflow.
        eps = math.inf if eps > min(self._largest_loss, _LARGEST_LOSS) else eps
        assert self.unit_shift is not None
        tilt = self.unit_shift[1] * eps
        log_delta = self._count.log_excess(tilt) if math.isfinite(eps) else None
        if log_delta is None:
            log_delta = _log_excess(self.P.window(tilt), self.Q.window(tilt), eps)
        if log_delta <= -math.log(2.0):
            return log_delta
        # Near 1 the sum of what the laws have in common says more: 1 - δ = Σ min(P, E·Q). Its terms
        # lie where P has its mass or where the excess begins; the windows of either may miss some.
        log_common = max(_log_common(self.P.window(t), self.Q.window(t), eps) for t in (tilt, 0.0))
        return math.log1p(-math.exp(min(0.0, log_common)))

    def _log_excess_of_any(self, eps: float, exchanged: bool) -> float:
        """Return ln H_E(P‖Q), or of the laws exchanged; the outcomes are listed once for both."""
        if self._shifted_count is not None:
            count = self._shifted_count if (self._shift > 0) != exchanged else self._mirrored_count
            return _shifts.log_excess(count, abs(self._shift), eps)
        if eps > self._depth:  # then only what is impossible under the second law is left
            eps = math.inf
            one, other = (self.Q, self.P) if exchanged else (self.P, self.Q)
            (first, last), (start, stop) = one.span(-math.inf), other.span(-math.inf)
            if start <= first and last <= stop and other.gapless:
                return -math.inf
            log_alone = None if self.is_finite else _log_alone(one, other, first, last)
            if log_alone is not None:
                return log_alone
        for log_least in self._levels(eps):
            masses = self._listed(log_least)
            one_logs, other_logs = masses[1::-1] if exchanged else masses[:2]
            log_delta = log_excess(one_logs, other_logs, eps)
            if masses.log_left_out <= log_delta + _LOG_NEGLIGIBLE:
                break
        if log_delta <= -math.log(2.0):
            return log_delta
        log_common = _log_overlap(one_logs, other_logs, eps)  # see above
        return math.log1p(-math.exp(min(0.0, log_common)))


def _positive(law: Law) -> tuple[IntArray, FloatArray]:
    """Return the outcomes of a finite law that have mass, and their masses."""
    window = law.window()
    some = window.weights > 0.0
    return window.outcomes[some], window.weights[some]


def _enclosure_of_a_count(count: PoissonBinomial, eps: float) -> tuple[float, float]:
    """Return bounds of ln δ(ε) of a count that a record adds to, proved by ball arithmetic."""
    from pkdp.profiles._balls import BallCount  # takes python-flint

    counts = (BallCount(*count.uncertain_bits(value)) for value in (1, 0))
    return larger_bounds(*(law.log_excess(eps) for law in counts))


def _log_larger_of_a_count(one: Pair, other: Pair, eps: float) -> float:
    """Return the larger of both directions, which are two integrals at once where S is wide.

    Then no ε is beyond the largest loss: there the tilted masses rise up to the last one, so that
    the mean, and with it the variance, is less than 1 from that end.
    """
    log_delta = one._count.log_excess(eps, both_ways=True)
    if log_delta is not None and log_delta <= -math.log(2.0):
        return log_delta
    return log_larger(one, other, eps)


def _log_larger_of_any(pair: Pair, eps: float) -> float:
    return max(pair._log_excess_of_any(eps, exchanged) for exchanged in (False, True))


def _log_alone(one: Law, other: Law, first: int, last: int) -> float | None:
    """Return ln of the mass of a law where the other has none; None if that is at many places."""
    if last - first >= _MOST_OUTCOMES:
        return None
    alone = one.possible(first, last) & ~other.possible(first, last)
    if np.count_nonzero(alone) > _FEW_ALONE:
        return None
    places = np.flatnonzero(alone) + first
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    if len(runs) > _FEW_RUNS:
        return None
    logs = [one.log_pmf(int(run[0]), int(run[-1])) for run in runs if run.size]
    return min(0.0, log_sum(np.concatenate(logs))) if logs else -math.inf


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
    possible = log_p > -math.inf
    p, q = log_p[possible], log_q[possible]
    alone = q == -math.inf
    gap = q[~alone] + eps - p[~alone]
    above = gap < 0.0
    logs = np.concatenate([p[alone], p[~alone][above] + np.log(-np.expm1(gap[above]))])
    return log_sum(logs)


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


def _log_excess(p: Window, q: Window, eps: float) -> float:
    """Natural logarithm of ``Σ max(0, P - E·Q)`` over two windows of the same tilt."""
    start, p_mass, q_mass = _aligned(p, q)
    # E·Q in the units of P's weights. For a shifted law tilted by ε the exponent is exactly 0, and
    # neighbouring weights are subtracted as they are.
    exponent = (eps - p.tilt * (p.anchor - q.anchor)) + (q.log_scale - p.log_scale)
    if exponent == 0.0:
        excess = np.maximum(p_mass - q_mass, 0.0)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = -p_mass * np.expm1(np.minimum(exponent + np.log(q_mass) - np.log(p_mass), 0.0))
        excess[q_mass == 0.0] = p_mass[q_mass == 0.0]
        excess[p_mass == 0.0] = 0.0
    untilt = -p.tilt * (np.arange(start, start + p_mass.size) - p.anchor)
    positive = excess > 0.0
    if not positive.any():
        return -math.inf
    return p.log_scale + log_sum(np.log(excess[positive]) + untilt[positive])


def _log_common(p: Window, q: Window, eps: float) -> float:
    """Natural logarithm of ``Σ min(P, E·Q)`` over two windows."""
    first = max(p.start, q.start)
    last = min(p.start + p.weights.size, q.start + q.weights.size)
    if last <= first:
        return -math.inf
    return _log_overlap(
        p.log_pmf[first - p.start : last - p.start],
        q.log_pmf[first - q.start : last - q.start],
        eps,
    )


def _aligned(p: Window, q: Window) -> tuple[int, FloatArray, FloatArray]:
    """Return the first outcome of either window, and the weights of both from there on."""
    start = min(p.start, q.start)
    stop = max(p.start + p.weights.size, q.start + q.weights.size)
    p_mass, q_mass = np.zeros(stop - start), np.zeros(stop - start)
    p_mass[p.start - start :][: p.weights.size] = p.weights
    q_mass[q.start - start :][: q.weights.size] = q.weights
    return start, p_mass, q_mass
