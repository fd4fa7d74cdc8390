"""Privacy amplification by subsampling, for an attacker who is unsure about every database.

Each of k databases holds the target's record independently, database i with probability π_i. To the
attacker, its reply is that of a mechanism run on a subsample that includes the record with that
probability: its law is ``(1-π_i)·Q_i + π_i·P_i``, where P_i and Q_i are the laws of the reply with
the record and without it. So a product prior turns pairs into *sampled* pairs, and the replies of
all databases have the product of those.

The most common question is whether the target is in any database at all: the prior given ``b ≠ 0``
against ``b = 0``. As ``P_π = q₀·P_0 + (1-q₀)·P_π|≠0`` with ``q₀ = Π(1-π_i)``, for every ratio a

* ``H_a(P_π|≠0‖P_0) = H_s(P_π‖P_0)/(1-q₀)``, ``s = q₀ + a·(1-q₀)``;
* ``H_a(P_0‖P_π|≠0) = (1 + a·q₀/(1-q₀))·H_t(P_0‖P_π)``, ``t = a/(1 - q₀ + a·q₀)``:

the divergences of sampled mechanisms, which `pkdp.privacy_loss` composes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit

from pkdp._checks import (
    as_each,
    as_eps,
    as_floats,
    as_instance,
    as_integer,
    as_probabilities,
    as_real,
    as_several,
)
from pkdp.databases._sampled_products import listed, log_hockey_stick
from pkdp.profiles import accounting, privacy_loss
from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.laws import LOG_ERROR, Finite
from pkdp.profiles.logarithms import FloatArray, log_expm1, log_rest
from pkdp.profiles.pairs import (
    LOG_LEAST,
    DiscretePair,
    LogMasses,
    Pair,
    as_discrete,
)
from pkdp.profiles.privacy_loss import Bracket
from pkdp.profiles.profile import Formula, PrivacyProfile, largest, rounded_down, rounded_up

__all__ = [
    "Bounds",
    "Guarantee",
    "Sampled",
    "amplified",
    "averaged",
    "bounds",
    "by_first",
    "by_sampling",
    "randomized_response",
    "sampled",
    "uniform",
]

_MOST_DATABASES: Final = 10**6
# The most kinds of replies on a grid of losses: they take half a minute.
_MOST_KINDS: Final = 100
_TOLERANCE: Final = 1e-9
# For larger a·q₀/(1-q₀) than these, a smaller ε is tried, too.
_LOG_FACTORS: Final = tuple(math.log(10.0**digits) for digits in (0, 1, 2, 3, 4, 6, 8))
# The terms of Theorem 3 have weights 2^-i; later ones than this are counted as one.
_MOST_TERMS: Final = 40


# A pair, and its sample


def randomized_response(eps: SupportsFloat, delta: SupportsFloat = 0.0) -> Pair:
    """Return the dominating pair of (ε, δ)-private mechanisms: leaky randomized response.

    Parameters
    ----------
    eps : float
        ε in [0, 700].
    delta : float
        δ in [0, 1].

    Returns
    -------
    Pair
        Laws of four replies, with the record (bit 1) and without it (bit 0): with probability δ the
        bit is shown (reply 3, or 0); otherwise the answer 1 (reply 2) or 0 (reply 1) is true with
        odds e^ε.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy, 2015: all
    other (ε, δ)-private mechanisms are post-processings of its reply.

    Examples
    --------
    >>> import math
    >>> pair = randomized_response(math.log(3), 0.2)
    >>> [round(float(p), 12) for p in np.exp(pair.P.log_pmf(0, 3))]
    [0.0, 0.2, 0.6, 0.2]
    >>> round(pair.profile().delta(math.log(3)), 12)
    0.2
    """
    one = as_eps(eps)
    leak = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    masses = (0.0, (1.0 - leak) * float(expit(-one)), (1.0 - leak) * float(expit(one)), leak)
    return Pair(Finite(0, masses), Finite(0, masses[::-1]))


@dataclass(frozen=True)
class Sampled(DiscretePair):
    """A pair (P, Q) whose first law is that of a subsample: ``((1-rate)·Q + rate·P, Q)``.

    Attributes
    ----------
    pair : DiscretePair
        The laws of the output with the target's record, and without it.
    rate : float
        Probability that the record is sampled, in [0, 1].
    exchanged : bool
        Whether the two laws are exchanged.
    """

    pair: DiscretePair
    rate: float
    exchanged: bool = False

    def __post_init__(self) -> None:
        as_discrete(self.pair)
        as_real(self.rate, "rate", "in [0, 1]", 0.0, 1.0)
        as_instance(self.exchanged, "exchanged", bool)

    def reversed(self) -> Sampled:
        """Return the pair with the two laws exchanged."""
        return dataclasses.replace(self, exchanged=not self.exchanged)

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        """Natural logarithm of ``H_E(P'‖Q)``, or of ``H_E(Q‖P')`` if exchanged, E = exp(eps).

        With r the rate, ``H_E(P'‖Q) = r·H_A(P‖Q)`` for ``A = 1 + (E-1)/r``, and
        ``H_E(Q‖P') = c·H_{E·r/c}(Q‖P)`` for ``c = 1 - E·(1-r)`` if that is positive, else 0.
        """
        if self.rate == 0.0:
            return -math.inf
        log_rate = math.log(self.rate)
        if self.exchanged == exchanged:
            inner = float(np.logaddexp(0.0, log_expm1(eps) - log_rate))
            return log_rate + self.pair._log_excess(inner, False)
        log_unsampled = math.log1p(-self.rate) if self.rate < 1.0 else -math.inf
        if eps == math.inf:
            log_part = 0.0 if self.rate == 1.0 else -math.inf
        else:
            log_part = log_rest(eps + log_unsampled)
        if log_part == -math.inf:
            return -math.inf
        inner = max(0.0, eps + log_rate - log_part)
        return log_part + self.pair._log_excess(inner, True)

    @property
    def _error(self) -> float:
        return self.pair._error

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of both laws, without what is negligible (see `DiscretePair`)."""
        log_p, log_q, log_left_out = self.pair.log_masses(log_least)
        with np.errstate(divide="ignore"):
            mixed = np.logaddexp(np.log1p(-self.rate) + log_q, np.log(self.rate) + log_p)
        if self.exchanged:
            return LogMasses(log_q, mixed, log_left_out)
        return LogMasses(mixed, log_q, log_left_out)


def sampled(pair: DiscretePair, rate: SupportsFloat) -> Sampled:
    """Return the pair of a mechanism that is run on a Poisson subsample.

    Parameters
    ----------
    pair : DiscretePair
        The laws (P, Q) of the output with the target's record, and without it.
    rate : float
        Probability that the record is sampled, in [0, 1].

    Returns
    -------
    Sampled
        The laws ``(1-rate)·Q + rate·P`` and Q.

    Raises
    ------
    TypeError
        If `pair` is not a pair whose outcomes can be listed.
    ValueError
        If `rate` is not in [0, 1].

    References
    ----------
    B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018. Q is the law
    without the record, for any sample of the others.

    Examples
    --------
    >>> import math
    >>> half = sampled(randomized_response(math.log(3)), 0.5)
    >>> round(math.exp(half.profile().epsilon(0.0)), 9)  # (1 + 3)/2
    2.0
    """
    return Sampled(as_discrete(pair), as_real(rate, "rate", "in [0, 1]", 0.0, 1.0))


class Guarantee(NamedTuple):
    """A guarantee (ε, δ).

    Attributes
    ----------
    eps, delta : float
        ε ≥ 0, and δ in [0, 1].
    """

    eps: float
    delta: float


def amplified(eps: SupportsFloat, delta: SupportsFloat, rate: SupportsFloat) -> Guarantee:
    """Compute the guarantee of a subsampled mechanism: privacy amplification by subsampling.

    Parameters
    ----------
    eps, delta : float
        The mechanism's guarantee, ε in [0, 700] and δ in [0, 1].
    rate : float
        Probability that the record is sampled, in [0, 1].

    Returns
    -------
    Guarantee
        ``(ln(1 + rate·(e^ε - 1)), rate·δ)``, in both directions, for adding or removing a record.

    References
    ----------
    B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018, Theorem 8.

    Examples
    --------
    >>> import math
    >>> eps, delta = amplified(math.log(3), 1e-6, 0.5)
    >>> round(math.exp(eps), 12), delta
    (2.0, 5e-07)
    """
    one = as_eps(eps)
    leak = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    part = as_real(rate, "rate", "in [0, 1]", 0.0, 1.0)
    if part == 0.0:
        return Guarantee(0.0, 0.0)
    return Guarantee(float(np.logaddexp(0.0, log_expm1(one) + math.log(part))), part * leak)


# A product prior, given that it is not 0, against 0


def by_sampling(
    pairs: Sequence[DiscretePair],
    rates: npt.ArrayLike,
    times: Sequence[SupportsIndex] | None = None,
    *,
    step: SupportsFloat | None = None,
) -> Bracket:
    """Bound the profile of all replies about whether any of the databases holds the record.

    Databases hold the target's record independently. The attacker compares this prior, given that
    some database holds the record, with the hypothesis that none does.

    Parameters
    ----------
    pairs : sequence of DiscretePair
        The laws of each reply with the target's record, and without it. On a grid of losses there
        may be at most 100, which take half a minute or more.
    rates : array_like, shape (len(pairs),) or a number
        Probability that the database holds the record, in [0, 1]; not all 0.
    times : sequence of int, optional
        Number of databases of each kind, in 1…10⁶; by default one.
    step : float, optional
        Step of a grid of losses, as for `pkdp.privacy_loss.bracket`. By default no grid is used if
        the sums of losses can be listed, as for 10⁴ equal replies.

    Returns
    -------
    Bracket
        Lower and upper bound of the larger of both directions, at most a relative 1e-9 apart if
        losses are listed. On a grid their distance depends on the step: the lower bound is about
        half a step of ε for each database to the left of the truth. Rounding errors are divided
        there by the probability that a database holds the record, and multiplied by e^ε in the
        second direction; for large ε the upper bound is that of databases that all hold the record.

    Raises
    ------
    TypeError
        If `pairs` are not pairs whose outcomes can be listed, or an argument is of another type.
    ValueError
        If `rates` are all 0, or an argument is outside its range or of another length.

    Notes
    -----
    If all that is known of a reply is that it is (ε, δ)-private, the pair of `randomized_response`
    gives a bound, even if replies depend on earlier ones.

    References
    ----------
    Hartmann, Bindschaedler and West, section V-B, relate the uniform prior to subsampling; the
    identity in the head of this module makes it an equation, for every product prior.

    Examples
    --------
    >>> reply = randomized_response(0.1, 1e-10)
    >>> year = by_sampling([reply], 0.5, [365])
    >>> print("{:.6f} {:.6f}".format(*year.epsilon(1e-6)))
    4.623345 4.623345
    """
    pairs = [as_discrete(pair, "pairs") for pair in as_several(pairs, "pairs", "pairs")]
    each = as_each(rates, "rates", len(pairs))
    numbers = _as_times(times, len(pairs))
    if not each.any():
        raise ValueError("rates must not all be 0, or no database holds the record")
    chances = each.tolist()
    if step is None:
        masses = [pair.log_masses(LOG_LEAST) for pair in pairs]
        lists = listed(masses, chances, numbers)
        if lists is not None:
            lower, upper = (
                Formula(largest, tuple(Formula(log_hockey_stick, *way, up) for way in lists))
                for up in (False, True)
            )
            return Bracket(
                dataclasses.replace(rounded_down(lower), error=math.inf),
                dataclasses.replace(rounded_up(upper, "upper bound"), error=math.inf),
            )
    return _on_a_grid(pairs, chances, numbers, step)


def _as_times(times: Sequence[SupportsIndex] | None, pairs: int) -> list[int]:
    numbers = [1] * pairs if times is None else as_several(times, "times", "integers")
    if not pairs or len(numbers) != pairs:
        raise ValueError(
            f"times must be one number for each of the pairs, at least one, "
            f"got {len(numbers)} for {pairs}"
        )
    return [as_integer(number, "times", 1, _MOST_DATABASES) for number in numbers]


def _on_a_grid(
    pairs: Sequence[DiscretePair],
    rates: Sequence[float],
    times: Sequence[int],
    step: SupportsFloat | None,
) -> Bracket:
    """Return bounds from the divergences of the prior that may be 0; see the module."""
    as_integer(len(pairs), "the number of pairs on a grid of losses", 1, _MOST_KINDS)
    with np.errstate(divide="ignore"):
        log_none = float((np.array(times) * np.log1p(-np.array(rates))).sum())
    mixed = [sampled(pair, rate) for pair, rate in zip(pairs, rates, strict=True)]
    there, back = privacy_loss.both_ways(mixed, times, step=step)
    _, plain = privacy_loss.both_ways(pairs, times, step=step)
    lower, upper = (
        _conditioned(one, other, plain.upper, log_none)
        for one, other in zip(there, back, strict=True)
    )
    return Bracket(lower, upper)


def _conditioned(
    there: PrivacyProfile, back: PrivacyProfile, plain: PrivacyProfile, log_none: float
) -> PrivacyProfile:
    """Return the larger of both directions of P_π|≠0 and P_0, given those of P_π and P_0.

    The second is also at most `plain`, its value if every database holds the record.
    """
    up, log_some = there.status == "upper bound", log_rest(log_none)
    ways = (
        Formula(_log_against_none, there, log_some, up),
        Formula(_log_none_against, back, plain, log_none, log_some, up),
    )
    return PrivacyProfile(Formula(largest, ways), there.status, error=math.inf, rounded_up=up)


def _log_against_none(there: PrivacyProfile, log_some: float, up: bool, eps: float) -> float:
    """Return ln ``H_a(P_π|≠0‖P_0)``, a = exp(eps)."""
    inner = float(np.logaddexp(0.0, log_expm1(eps) + log_some))
    return _rounded(there, inner, -log_some, up)


def _log_none_against(
    back: PrivacyProfile,
    plain: PrivacyProfile,
    log_none: float,
    log_some: float,
    up: bool,
    eps: float,
) -> float:
    """Return ln ``H_a(P_0‖P_π|≠0)``, a = exp(eps)."""
    if log_none == -math.inf:
        return _rounded(back, eps, 0.0, up)
    # Beyond this ε factors, and so errors, are large. A bound at a smaller ε holds at ε.
    large = log_some - log_none
    candidates = [eps]
    if up:
        candidates += [large + more for more in _LOG_FACTORS if 0.0 <= large + more < eps]
    values = [plain.log_delta(eps)] if up and eps > large else []
    for each in candidates:
        log_factor = float(np.logaddexp(0.0, each - large))
        inner = max(0.0, -float(np.logaddexp(log_some - each, log_none)))
        values.append(_rounded(back, inner, log_factor, up))
    return min(values)


def _rounded(profile: PrivacyProfile, inner: float, log_factor: float, up: bool) -> float:
    """Return ln of a factor times δ, rounded in the right direction."""
    hair = LOG_ERROR * max(1.0, inner) if inner < math.inf else 0.0
    inner = max(0.0, inner - hair) if up else inner + hair
    value = profile.log_delta(inner)
    if value == -math.inf:
        return value
    value += log_factor
    slack = LOG_ERROR * max(1.0, abs(value)) if value < math.inf else 0.0
    return min(0.0, value + slack if up else value - slack)


# A prior, by its first database


def by_first(rates: npt.ArrayLike) -> FloatArray:
    """Return the law of the first database that holds the record, given that one does.

    Parameters
    ----------
    rates : array_like, shape (k,)
        Probabilities that a database holds the record, independently, in [0, 1]; not all 0.

    Returns
    -------
    ndarray, shape (k,)
        ``π_i·Π_{j<i}(1-π_j)``, divided by their sum: the weights of Theorem 3.

    References
    ----------
    Hartmann, Bindschaedler and West, Appendix C, for the uniform prior: ``2^(k-i)/(2^k-1)``.

    Examples
    --------
    >>> (7 * by_first([0.5, 0.5, 0.5])).round(12).tolist()
    [4.0, 2.0, 1.0]
    """
    each = as_probabilities(rates, "rates")
    if not each.any():
        raise ValueError("rates must not all be 0, or no database holds the record")
    weights = each * np.cumprod(np.append(1.0, 1.0 - each[:-1]))
    return np.asarray(weights / weights.sum())


def averaged(
    weights: npt.ArrayLike, epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0
) -> tuple[Guarantee, Guarantee]:
    """Average the guarantees of the parts of a prior against one vector of bits.

    A prior is a mixture, part i with weight w_i, and against b = 0, say, part i has the guarantee
    (ε_i, δ_i) in both directions.

    Parameters
    ----------
    weights : array_like, shape (m,)
        The w_i ≥ 0, which must sum to 1 within 1e-9.
    epsilons : array_like, shape (m,)
        The ε_i, in [0, inf].
    deltas : array_like, shape (m,) or a number
        The δ_i, in [0, 1].

    Returns
    -------
    there : Guarantee
        Of the mixture against b = 0: ``ln Σ w_i·e^ε_i`` and ``Σ w_i·δ_i``.
    back : Guarantee
        Of b = 0 against the mixture: ``-ln Σ w_i·e^-ε_i``, which is not larger, and the average of
        the δ_i with weights ``w_i·e^-ε_i``, which may be. If larger ε_i come with larger δ_i, or
        all δ_i are one, it is not.

    Both are rounded to nearest, not up.

    References
    ----------
    Hartmann, Bindschaedler and West, 2022, proof of Theorem 3, whose second direction it corrects.

    Examples
    --------
    >>> import math
    >>> there, back = averaged([0.5, 0.5], [0.0, math.log(3)], [0.1, 0.0])
    >>> round(math.exp(there.eps), 12), there.delta
    (2.0, 0.05)
    >>> round(math.exp(back.eps), 12), round(back.delta, 12)
    (1.5, 0.075)
    """
    shares = as_floats(weights, "weights", "in [0, 1]", 0.0, 1.0 + _TOLERANCE)
    if shares.ndim != 1 or not shares.size or abs(shares.sum() - 1.0) > _TOLERANCE:
        raise ValueError(
            f"weights must be numbers in a row that sum to 1, got shape {shares.shape} "
            f"and a sum of {shares.sum():.12g}"
        )
    each = as_floats(epsilons, "epsilons", "in [0, inf]", 0.0, math.inf)
    if each.shape != shares.shape:
        raise ValueError(f"epsilons must be {shares.size} numbers, got shape {each.shape}")
    positive = shares > 0.0
    log_w, each = np.log(shares[positive]), each[positive]
    leaks = as_each(deltas, "deltas", shares.size)[positive]
    there = Guarantee(
        max(0.0, float(np.logaddexp.reduce(log_w + each))),
        min(1.0, float(np.exp(log_w) @ leaks)),
    )
    log_back = float(np.logaddexp.reduce(log_w - each))
    if log_back == -math.inf:
        return there, Guarantee(math.inf, float(leaks.max()))
    tilted = np.exp(log_w - each - log_back)
    return there, Guarantee(max(0.0, -log_back), min(1.0, float(tilted @ leaks)))


def uniform(k: SupportsIndex, eps: SupportsFloat, delta: SupportsFloat = 0.0) -> Guarantee:
    """Compute a guarantee for the uniform prior on all b except 0, against b = 0.

    Parameters
    ----------
    k : int
        Number of databases, in 1…10⁶.
    eps, delta : float
        The guarantee of each mechanism, ε in [0, 700] and δ in [0, 1].

    Returns
    -------
    Guarantee
        ``ln(((1+e^ε)^k - 1)/(2^k - 1))``, which is the least for δ = 0, and
        ``δ·k·2^(k-1)/(2^k - 1)``, at most 1.

    References
    ----------
    Hartmann, Bindschaedler and West, Equations 3 and 4, and Corollary 7.

    Examples
    --------
    >>> import math
    >>> eps, delta = uniform(2, math.log(3), 0.3)
    >>> round(math.exp(eps), 12), round(delta, 12)
    (5.0, 0.4)
    """
    number = as_integer(k, "k", 1, _MOST_DATABASES)
    one = as_eps(eps)
    leak = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    # The average of e^(|b|·ε) over all b except 0, and that of |b|.
    log_top, log_below = number * float(np.logaddexp(0.0, one)), number * math.log(2.0)
    average = log_top + log_rest(-log_top) - log_below - log_rest(-log_below)
    expected = 0.5 * number / -math.expm1(-log_below)
    return Guarantee(max(0.0, average), min(1.0, expected * leak))


class Bounds(NamedTuple):
    """Six bounds on ε at one δ, for the question whether the target is in any database.

    The attacker compares the uniform prior on all nonempty sets of databases with the empty set.

    Attributes
    ----------
    simple, advanced, optimal : float
        By composition of all k mechanisms: the worst case over priors.
    corollary_7 : float
        By the average of simple compositions.
    theorem_3 : float
        By the first database that holds the record, and optimal composition of its mechanism with
        the subsampled ones that follow.
    exact : float
        The least ε for the worst mechanisms, an upper bound.

    Notes
    -----
    Each is inf where there is none at this δ. `simple`, `corollary_7` and `theorem_3` are rounded
    to nearest, the others up.
    """

    simple: float
    advanced: float
    optimal: float
    corollary_7: float
    theorem_3: float
    exact: float


def bounds(
    k: SupportsIndex, eps: SupportsFloat, delta: SupportsFloat, *, target: SupportsFloat
) -> Bounds:
    """Compute six bounds on ε for the question whether the target is in any of k databases.

    Parameters
    ----------
    k : int
        Number of databases, each with one (ε, δ)-private mechanism, in 1…10⁶.
    eps, delta : float
        ε in [0, 700] and δ in [0, 1] of each.
    target : float
        δ of the guarantee about all of them, in (0, 1].

    Returns
    -------
    Bounds
        ε at `target`.

    References
    ----------
    Hartmann, Bindschaedler and West, section V-B. For the direction that their Theorem 3 does not
    prove see `averaged`: with one δ for all terms both directions hold.

    Examples
    --------
    >>> for name, eps in bounds(50, 0.1, 1e-10, target=1e-6)._asdict().items():
    ...     print(f"{name:<12}{eps:.2f}")
    simple      5.00
    advanced    4.24
    optimal     3.17
    corollary_7 2.56
    theorem_3   1.55
    exact       1.50
    """
    number = as_integer(k, "k", 1, _MOST_DATABASES)
    one = as_eps(eps)
    leak = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    goal = as_real(target, "target", "in (0, 1]", 0.0, 1.0, without=(0.0,))
    reply = randomized_response(one, leak)
    average = uniform(number, one, leak)
    return Bounds(
        number * one if number * leak <= goal else math.inf,
        accounting.advanced(one, leak, times=number).epsilon(goal),
        accounting.optimal(one, leak, times=number).epsilon(goal),
        average.eps if average.delta <= goal else math.inf,
        _by_first_and_optimal(number, one, leak, goal),
        by_sampling([reply], 0.5, [number]).upper.epsilon(goal),
    )


def _by_first_and_optimal(number: int, eps: float, delta: float, target: float) -> float:
    """Return the ε of Theorem 3, its terms by optimal composition, each at the same δ."""
    once = amplified(eps, delta, 0.5)
    terms = min(number, _MOST_TERMS)
    each = [
        _one_and_sampled(eps, delta, once, later, target)
        for later in range(number - 1, number - 1 - terms, -1)
    ]
    # Later terms have fewer mechanisms and a smaller ε; they are counted as the last one here.
    weights = np.exp2(-np.arange(1.0, terms + 1.0))
    weights[-1] *= 2.0 if terms < number else 1.0
    return averaged(weights / weights.sum(), each, target)[0].eps


def _one_and_sampled(eps: float, delta: float, once: Guarantee, later: int, target: float) -> float:
    """Return the ε of the optimal composition of one mechanism and `later` sampled ones."""
    # By Hoeffding's inequality the sums left out have less than 1e-20 of the target δ.
    lie = float(expit(-once.eps))
    width = math.sqrt(0.5 * later * (50.0 - math.log(target)))
    first, last = max(0.0, later * lie - width), min(later, later * lie + width)
    lies = np.arange(math.floor(first), math.ceil(last) + 1)
    log_p = log_binomial_pmf(lies, later, lie)
    losses = (later - 2.0 * lies) * once.eps
    both_p = np.add.outer([float(log_expit(eps)), float(log_expit(-eps))], log_p).ravel()
    both = np.add.outer([eps, -eps], losses).ravel()
    log_kept = later * math.log1p(-once.delta)
    log_kept += math.log1p(-delta) if delta < 1.0 else -math.inf
    return accounting.of_sums(both_p, both, log_kept).epsilon(target)
