"""Optimal composition between two hypotheses about which databases hold a person's record.

Each of k databases is queried once, by a mechanism that is (ε_i, δ_i)-private. The hidden vector b
of bits says which databases hold the target's record; a *hypothesis*, or *prior*, is a law of b.
For given (ε_i, δ_i) the worst mechanisms are randomized responses with a leak: with probability δ_i
the reply shows b_i, otherwise it is b_i with odds e^ε_i. Every other reply, adaptively chosen or
not, is a post-processing of these. So for **any** two priors the two mixtures of randomized
responses are a dominating pair:

* `pair` computes them for priors over few databases, one after another;
* `exchangeable` does so for several hundred databases if only their number matters;
* `against_none` and `number_against_none` need only a generating function, if one of the hypotheses
  is that no database holds the record; so does `ordered`, if one number is larger.

A prior is a mapping ``{(0, 1, 1): weight}`` from vectors of bits to floats or fractions, or an
array of shape ``(2,)*k`` whose axis i is bit i. Weights sum to 1 within 1e-9, and are divided by
their sum.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Self, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from pkdp._checks import (
    as_eps,
    as_floats,
    as_guarantees,
    as_integer,
    as_probabilities,
    as_real,
    as_several,
)
from pkdp.databases import _exchangeable, _replies
from pkdp.databases._priors import as_vector, as_vectors
from pkdp.profiles._equality import EqualByContents
from pkdp.profiles.logarithms import (
    FloatArray,
    IntArray,
    log_positive,
    log_sum,
)
from pkdp.profiles.pairs import LOG_LEAST, DiscretePair, ListedPair, LogMasses

__all__ = [
    "ClosedForm",
    "Prior",
    "against_none",
    "exchangeable",
    "given_number",
    "not_none",
    "number_against_none",
    "of_size",
    "ordered",
    "pair",
    "point",
    "product",
    "uniform",
]

Prior: TypeAlias = Mapping[tuple[int, ...], float | Fraction] | npt.ArrayLike

# The most databases of a prior that is an array, and outcomes of all replies.
_MOST_DATABASES, _MOST_OUTPUTS = 20, 2**22
# Up to so many outcomes are all listed, however unlikely.
_FEW_OUTCOMES = 2**18
# Relative error of the logarithm of a mass, a sum of some tens of numbers of its size.
_LOG_ERROR = 4e-15
# The most databases of a law of their number, and of a mapping.
_MOST_NUMBERED = 10**6
# How far from 1 the sum of weights may be.
_TOLERANCE = 1e-9
_LARGEST_EXPONENT = 709.0  # beyond, exp is no float
# By how much the logarithm of a ratio of laws may seem to fall because of rounding.
_FALL = 1e-12


# Priors


def point(bits: npt.ArrayLike) -> FloatArray:
    """Return the prior that is concentrated on one vector of bits.

    Parameters
    ----------
    bits : array_like of int, shape (k,)
        0 or 1 for each database; k in 1…20.

    Returns
    -------
    ndarray, shape (2, …, 2)

    Raises
    ------
    ValueError
        If a bit is neither 0 nor 1, or there are none or more than 20.

    Examples
    --------
    >>> point([0, 1]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    vector = as_vector(as_several(bits, "bits", "bits"), "bits")  # type: ignore[arg-type]
    as_integer(len(vector), "the number of bits", 1, _MOST_DATABASES)
    array = np.zeros((2,) * len(vector))
    array[vector] = 1.0
    return array


def product(probabilities: npt.ArrayLike) -> FloatArray:
    """Return the product prior: each database holds the record independently of the others.

    Parameters
    ----------
    probabilities : array_like, shape (k,)
        π_i in [0, 1]; k in 1…20.

    Returns
    -------
    ndarray, shape (2, …, 2)

    Raises
    ------
    ValueError
        If a probability is outside [0, 1], or there are none or more than 20.

    Examples
    --------
    >>> product([0.5, 0.25]).tolist()
    [[0.375, 0.125], [0.375, 0.125]]
    """
    chances = as_probabilities(probabilities, "probabilities")
    as_integer(chances.size, "the number of probabilities", 1, _MOST_DATABASES)
    rows = np.stack([1.0 - chances, chances], axis=1)
    return np.asarray(functools.reduce(np.multiply.outer, rows))


def uniform(k: SupportsIndex) -> FloatArray:
    """Return the uniform prior on all 2^k vectors.

    Parameters
    ----------
    k : int
        Number of databases, in 1…20.

    Returns
    -------
    ndarray, shape (2, …, 2)

    Examples
    --------
    >>> uniform(2).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """
    databases = as_integer(k, "k", 1, _MOST_DATABASES)
    return np.full((2,) * databases, 0.5**databases)


def not_none(prior: Prior) -> FloatArray:
    """Return a prior given that the target is in at least one database.

    Parameters
    ----------
    prior : mapping or array_like
        See the module; k in 1…20.

    Returns
    -------
    ndarray, shape (2, …, 2)

    Raises
    ------
    ValueError
        If the prior gives probability 1 to no database; otherwise as in `pair`.

    Examples
    --------
    >>> not_none(uniform(2)).round(4).tolist()
    [[0.0, 0.3333], [0.3333, 0.3333]]
    """
    array = _as_array(prior).copy()
    array[(0,) * array.ndim] = 0.0
    total = float(array.sum())
    if total == 0.0:
        raise ValueError("prior must give some weight to vectors other than 0, got none")
    return np.asarray(array / total)


def of_size(law: npt.ArrayLike) -> FloatArray:
    """Return the exchangeable prior with a given law of the number of databases.

    Parameters
    ----------
    law : array_like, shape (k+1,)
        The law of the number of databases that the target is in; k in 1…20.

    Returns
    -------
    ndarray, shape (2, …, 2)

    Raises
    ------
    ValueError
        If the law has a mass outside [0, 1], does not sum to 1 within 1e-9, or k is outside 1…20.

    Examples
    --------
    >>> of_size([0.5, 0.5, 0]).tolist()
    [[0.5, 0.25], [0.25, 0.0]]
    """
    masses = _as_law(law, "law", _MOST_DATABASES)
    k = masses.size - 1
    each = masses / [math.comb(k, number) for number in range(k + 1)]
    return np.asarray(each[np.indices((2,) * k).sum(axis=0)])


def given_number(
    law: npt.ArrayLike, least: SupportsIndex = 0, most: SupportsIndex | None = None
) -> FloatArray:
    """Return the law of a number conditioned on a range.

    Parameters
    ----------
    law : array_like, shape (k+1,)
        The law of the number of databases that the target is in; k in 1…10⁶.
    least, most : int
        The range of the number, 0 ≤ least ≤ most ≤ k; `most` is k by default.

    Returns
    -------
    ndarray, shape (k+1,)

    Raises
    ------
    ValueError
        If one of them is outside its range, or the range has no weight.

    Examples
    --------
    >>> given_number([0.25, 0.5, 0.25], least=1).round(4).tolist()
    [0.0, 0.6667, 0.3333]
    """
    masses = _as_law(law, "law", _MOST_NUMBERED)
    last = masses.size - 1 if most is None else as_integer(most, "most", 0, masses.size - 1)
    first = as_integer(least, "least", 0, last)
    kept = np.zeros_like(masses)
    kept[first : last + 1] = masses[first : last + 1]
    total = float(kept.sum())
    if total == 0.0:
        raise ValueError(f"law must give some weight to {first}…{last}, got none")
    return np.asarray(kept / total)


# The exact optimum


@dataclass(frozen=True, eq=False, repr=False)
class _Hypotheses(EqualByContents, ListedPair):
    """The pair of laws of all replies under two priors, or laws of the number of databases."""

    law: FloatArray
    other: FloatArray
    # ε and δ are those of all mechanisms, or arrays with one for each.
    eps: Any
    delta: Any

    def reversed(self) -> Self:
        """Return the pair with the two laws exchanged."""
        return replace(self, law=self.other, other=self.law)

    @property
    def _error(self) -> float:
        return max(super()._error, _LOG_ERROR * self._depth)

    @functools.cached_property
    def _largest_losses(self) -> tuple[float, float]:
        """Bounds on the privacy losses of all outcomes, in both directions."""
        either = (self.law > 0.0) | (self.other > 0.0)
        losses = log_positive(self.law[either]) - log_positive(self.other[either])
        hair = 1e-12
        return max(0.0, float(losses.max())) + hair, max(0.0, float(-losses.min())) + hair

    def _log_excess(self, eps: float, exchanged: bool) -> float:
        largest = self._largest_losses[exchanged]
        if largest <= eps and largest < math.inf:
            return -math.inf
        return super()._log_excess(eps, exchanged)


class _RepliesPair(_Hypotheses):
    """The pair of laws of all replies under two priors."""

    def __repr__(self) -> str:
        return f"pair of two priors over {self.law.ndim} databases"

    @functools.cached_property
    def _channels(self) -> list[FloatArray]:
        each = zip(self.eps.tolist(), self.delta.tolist(), strict=True)
        return [_replies.log_channel(eps, delta) for eps, delta in each]

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of all replies under both priors."""
        del log_least  # nothing is left out
        log_p, log_q = (_replies.log_seen(p, self._channels) for p in (self.law, self.other))
        possible = np.maximum(log_p, log_q) > -math.inf
        return LogMasses(log_p[possible], log_q[possible], -math.inf)

    @functools.cached_property
    def _depth(self) -> float:
        least = min(_least_log(self.law), _least_log(self.other))
        return -least - sum(float(row[row > -math.inf].min()) for row in self._channels)


class _NumbersPair(_Hypotheses):
    """The pair of laws of all replies under two laws of the number of databases."""

    def __repr__(self) -> str:
        return f"pair of two laws of the number of databases out of {self.law.size - 1}"

    def _levels(self, eps: float) -> tuple[float, ...]:
        if not 0.0 < self.delta < 1.0:
            return super()._levels(eps)
        k = self.law.size - 1
        every = _exchangeable.outcomes(k, np.arange(k + 1)) <= _FEW_OUTCOMES
        return (-60.0, -120.0, -math.inf if every else -240.0)

    def log_masses(self, log_least: float = LOG_LEAST) -> LogMasses:
        """Return the masses of all replies that matter (see `DiscretePair`)."""
        return _exchangeable.log_masses(self.law, self.other, self.eps, self.delta, log_least)

    @functools.cached_property
    def _depth(self) -> float:
        least = min(_least_log(self.law), _least_log(self.other))
        replies = _replies.log_channel(self.eps, self.delta)
        k = self.law.size - 1
        return -least - k * float(replies[replies > -math.inf].min()) + k * math.log(2.0)

    def _log_alone(self, exchanged: bool, log_least: float) -> tuple[float, float]:
        one, other = (self.other, self.law) if exchanged else (self.law, self.other)
        return _exchangeable.log_alone(one, other, self.delta, log_least)


def pair(
    prior: Prior, other: Prior, epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0
) -> DiscretePair:
    """Return the dominating pair of k private mechanisms between any two priors.

    Parameters
    ----------
    prior, other : mapping or array_like
        Laws of the bits that say which databases hold the target's record; see the module. They
        have the same number k of bits, 1…20.
    epsilons : array_like, shape (k,)
        ε of each mechanism, in [0, 700].
    deltas : array_like, shape (k,) or a number
        δ of each mechanism, in [0, 1].

    Returns
    -------
    DiscretePair
        The laws of all k replies under both priors. Its profile is exact, the least that holds for
        all such mechanisms, adaptively chosen or not, within a relative 1e-12 (more only if a reply
        has a probability below e^-250). No outcomes are left out.

    Raises
    ------
    ValueError
        If a weight or parameter is outside its range, or the lengths differ; if there are more than
        2²² different replies. An ε_i > 0 with δ_i > 0 makes 4 of each, so that 11 of these are the
        most; with δ_i = 0 it is 2.
    TypeError
        If an argument is not of the type above.

    Notes
    -----
    The law of the replies is the prior times the product of k channels, computed one database after
    another.

    References
    ----------
    Hartmann, Bindschaedler and West (2022), Definition 3, for what the profile says. P. Kairouz,
    S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy, 2015, for the worst
    mechanism.

    Examples
    --------
    Is the target in at least one of four databases, about which nothing else is known?

    >>> none, some = point([0] * 4), not_none(uniform(4))
    >>> exact = pair(some, none, [0.5] * 4).profile()
    >>> certain = pair(point([1] * 4), none, [0.5] * 4).profile()
    >>> round(exact.epsilon(0.0), 4), round(certain.epsilon(0.0), 4)
    (1.1677, 2.0)
    """
    one, two = _as_array(prior, "prior"), _as_array(other, "other")
    if one.ndim != two.ndim:
        raise ValueError(f"other must be over {one.ndim} bits, as prior is, got {two.ndim}")
    each, leaks = as_guarantees(epsilons, deltas, one.ndim, one.ndim)
    made = _RepliesPair(one, two, each, leaks)
    outputs = math.prod(len(channel) for channel in made._channels)
    if outputs > _MOST_OUTPUTS:
        raise ValueError(
            f"epsilons and deltas must make at most {_MOST_OUTPUTS} different replies, 4 for each "
            f"database with a positive delta and 2 for others, got {outputs}"
        )
    return made


def exchangeable(
    law: npt.ArrayLike, other: npt.ArrayLike, eps: SupportsFloat, delta: SupportsFloat = 0.0
) -> DiscretePair:
    """Return the dominating pair of equally private mechanisms between exchangeable priors.

    Parameters
    ----------
    law, other : array_like, shape (k+1,)
        Laws of the number of databases that hold the target's record; all sets of as many databases
        are equally likely. k in 1…1000.
    eps, delta : float
        ε in [0, 700] and δ in [0, 1] of each mechanism.

    Returns
    -------
    DiscretePair
        Of the numbers of leaks, of ones among these, and of answers "one". Its profile is exact
        within a relative 1e-12 (more only if a reply has a probability below e^-250): numbers of
        leaks that are not listed count as if they told everything, and have less than 1e-13 of δ.
        For k above 114 they may have up to 1e-104, so that a δ below 1e-91 may be rounded up by
        more.

    Raises
    ------
    ValueError
        If an argument is outside its range, or the laws differ in length; by the profile, if more
        than 2²⁴ outcomes would have to be listed, which takes k above 365 and a large δ.

    References
    ----------
    As for `pair`.

    Examples
    --------
    A hundred practices; the question is whether the target went to at least sixty of them:

    >>> from pkdp.profiles.binomials import binomial_masses
    >>> law = binomial_masses(100, 0.5)
    >>> many, few = given_number(law, least=60), given_number(law, most=59)
    >>> exact = exchangeable(many, few, eps=0.1, delta=1e-6).profile()
    >>> round(exact.epsilon(1e-4), 3)
    0.338
    """
    masses, others = _as_two_laws(law, other, _exchangeable.MOST)
    one = as_eps(eps)
    leak = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    return _NumbersPair(masses, others, one, leak)


# Closed forms


class ClosedForm(NamedTuple):
    """The cost of a prior p against another one in closed form, in both directions.

    Attributes
    ----------
    up, down : float
        For δ_i = 0 the largest losses: the least ε with ``P(S) ≤ e^ε·Q(S)`` for all S, P the law of
        the replies under the prior and Q under the other; and with P and Q exchanged.
    delta_up : float
        The δ of the first direction at ε = `up`, exactly.
    delta_down : float
        An upper bound of the δ of the second direction at ε = `down`; 0 if no δ_i is positive.
    """

    up: float
    down: float
    delta_up: float
    delta_down: float


def against_none(prior: Prior, epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0) -> ClosedForm:
    """Compute the cost of a prior against the hypothesis that no database holds the record.

    Parameters
    ----------
    prior : mapping or array_like
        See the module. A mapping may be over any number k of bits, an array over 1…20.
    epsilons : array_like, shape (k,)
        ε of each mechanism, in [0, 700].
    deltas : array_like, shape (k,) or a number
        δ of each mechanism, in [0, 1].

    Returns
    -------
    ClosedForm
        Of the prior p against b = 0: ``up = ln E_p[e^(Σ ε_i·b_i)]``,
        ``down = -ln E_p[e^(-Σ ε_i·b_i)]``, and ``delta_up = 1 - E_p[Π (1-δ_i)^b_i]``, exact but for
        a relative 1e-12; `delta_down` is ``1 - E_p[Π ((1-δ_i)·e^-ε_i)^b_i]·e^down``, rounded up.

    Raises
    ------
    ValueError
        If a weight or parameter is outside its range, or the lengths differ.
    TypeError
        If an argument is not of the type above.

    Notes
    -----
    `up` is the cumulant generating function of the number of databases, where all ε_i are equal.
    And ``down ≤ up``, so that k mechanisms with δ_i = 0 keep (`up`, 0) in both directions.

    References
    ----------
    Not in the paper, except for the uniform prior, in Corollary 7.

    Examples
    --------
    >>> form = against_none(not_none(uniform(4)), [0.5] * 4)
    >>> round(form.up, 4), round(form.down, 4)
    (1.1677, 0.9744)
    >>> against_none({(1, 0): 0.5, (0, 1): 0.5}, [1.0, 2.0], [0.1, 0.3]).delta_up
    0.2
    """
    if isinstance(prior, Mapping):
        bits, weights = _atoms(prior, "prior", _MOST_NUMBERED)
    else:
        array = _as_array(prior)
        bits, weights = np.argwhere(array > 0.0), array[array > 0.0]
    each, leaks = as_guarantees(epsilons, deltas, bits.shape[1], bits.shape[1])
    with np.errstate(divide="ignore"):
        rests = np.log1p(-leaks)
    kept = np.where(bits > 0, rests, 0.0).sum(axis=1)
    return _closed_form(weights, np.asarray(bits @ each), kept)


def number_against_none(
    law: npt.ArrayLike, eps: SupportsFloat, delta: SupportsFloat = 0.0
) -> ClosedForm:
    """Compute the same cost for a law of the number of databases and equal guarantees.

    Parameters
    ----------
    law : array_like, shape (k+1,)
        Of the number of databases that hold the target's record; k in 1…10⁶.
    eps, delta : float
        ε in [0, 700] and δ in [0, 1] of each mechanism.

    Returns
    -------
    ClosedForm
        As from `against_none`. Only the number matters, not which databases these are.

    Raises
    ------
    ValueError, TypeError
        As `against_none`.

    Examples
    --------
    >>> form = number_against_none([0.5, 0.25, 0.25], 1.0, 0.1)
    >>> round(form.up, 6) == round(math.log(0.5 + 0.25 * math.e + 0.25 * math.e**2), 6)
    True
    >>> round(form.delta_up, 6)
    0.0725
    """
    masses = _as_law(law, "law", _MOST_NUMBERED)
    one = as_eps(eps)
    leak = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    numbers = np.flatnonzero(masses)
    rest = math.log1p(-leak) if leak < 1.0 else -math.inf
    kept = np.where(numbers > 0, rest * np.maximum(numbers, 1.0), 0.0)
    return _closed_form(masses[numbers], np.asarray(one * numbers), kept)


def ordered(law: npt.ArrayLike, other: npt.ArrayLike, eps: SupportsFloat) -> tuple[float, float]:
    """Compute the cost of the larger of two likelihood-ratio ordered numbers of databases.

    Parameters
    ----------
    law, other : array_like, shape (k+1,)
        Laws of the number of databases that hold the target's record; all sets of as many databases
        are equally likely. The first must be larger in likelihood ratio: ``law(j)/other(j)`` must
        not decrease in j. k in 1…10⁶.
    eps : float
        ε of each mechanism, in [0, 700]; δ is 0.

    Returns
    -------
    up, down : float
        The largest losses of the first law against the other, ``ln M₁(ε)/M₀(ε)``, and of the other
        against the first, ``ln M₀(-ε)/M₁(-ε)``; M is the moment generating function of the number.
        Exact within 1e-11 of max(1, ε'), also if one mechanism sees all databases and is ε-private
        in each.

    Raises
    ------
    ValueError
        If an argument is outside its range, the laws differ in length, or the ratio falls by more
        than a relative 1e-12.
    TypeError
        If an argument is not of the type above.

    References
    ----------
    Not in the paper. A. Ghosh and R. Kleinberg, Inferential Privacy Guarantees for Differentially
    Private Mechanisms, 2016, have positively affiliated priors.

    Examples
    --------
    >>> from pkdp.profiles.binomials import binomial_masses
    >>> law = binomial_masses(365, 0.5)
    >>> up, down = ordered(given_number(law, least=200), given_number(law, most=199), 0.01)
    >>> round(up, 4), round(down, 4)
    (0.2132, 0.2197)
    """
    masses, others = _as_two_laws(law, other, _MOST_NUMBERED)
    one = as_eps(eps)
    either = np.flatnonzero((masses > 0.0) | (others > 0.0))
    ratios = log_positive(masses[either]) - log_positive(others[either])
    highest = np.maximum.accumulate(ratios)
    falls = np.flatnonzero(ratios < highest - _FALL * np.clip(np.abs(highest), 1.0, 1e4))
    if falls.size:
        raise ValueError(
            "law must be larger than other in likelihood ratio, so that law(j)/other(j) does not "
            f"fall in j, got one that falls at j = {either[falls[0]]}"
        )
    up, up_other, down, down_other = (
        _log_moment(x[x > 0.0], np.asarray(tilt * np.flatnonzero(x)))
        for tilt in (one, -one)
        for x in (masses, others)
    )
    return max(0.0, up - up_other), max(0.0, down_other - down)


def _log_moment(weights: FloatArray, exponents: FloatArray) -> float:
    """Return ``ln E[e^X]`` with full relative accuracy, also near 0."""
    log_mean = log_sum(np.log(weights) + exponents)
    if float(np.abs(exponents).max()) < 1.0 or (
        abs(log_mean) < 0.5 and float(exponents.max()) < _LARGEST_EXPONENT
    ):
        return math.log1p(float(weights @ np.expm1(exponents)))
    return log_mean


def _closed_form(weights: FloatArray, costs: FloatArray, kept: FloatArray) -> ClosedForm:
    """Return the closed form from weights of b, and Σ ε_i·b_i and ln Π (1-δ_i)^b_i for each."""
    leaked = -np.expm1(kept)
    down = -_log_moment(weights, -costs)
    # The tilted prior, whose weights sum to 1.
    tilted = np.exp(np.log(weights) - costs + down)
    delta_down = float(tilted @ leaked)
    return ClosedForm(
        max(0.0, _log_moment(weights, costs)),
        max(0.0, down),
        min(1.0, float(weights @ leaked)),
        # Rounded up by its error.
        min(1.0, delta_down * (1.0 + 1e-12 + 1e-14 * float(costs.max()))),
    )


# Checks


def _as_array(prior: Prior, name: str = "prior") -> FloatArray:
    """Return a prior as an array of shape (2,)·k that sums to 1."""
    if isinstance(prior, Mapping):
        bits, weights = _atoms(prior, name, _MOST_DATABASES)
        array = np.zeros((2,) * bits.shape[1])
        array[tuple(bits.T)] = weights
        return array
    array = as_floats(prior, name, "in [0, 1]", 0.0, 1.0 + _TOLERANCE)
    if not array.ndim or array.ndim > _MOST_DATABASES or set(array.shape) != {2}:
        raise ValueError(
            f"{name} must have 1…{_MOST_DATABASES} axes of length 2, got shape {array.shape}"
        )
    return _normalized(array, name)


def _atoms(prior: Mapping[Any, Any], name: str, most: int) -> tuple[IntArray, FloatArray]:
    """Return the vectors of a mapping with positive weight, and the weights, which sum to 1."""
    vectors = as_vectors(prior, name, most)
    weights = [
        as_real(weight, f"{name}: the weight of {bits!r}", "in [0, 1]", 0.0, 1.0 + _TOLERANCE)
        for bits, weight in prior.items()
    ]
    masses = _normalized(np.array(weights), name)
    bits = np.array(vectors, dtype=np.int64)
    return bits[masses > 0.0], masses[masses > 0.0]


def _as_law(law: npt.ArrayLike, name: str, most: int) -> FloatArray:
    """Return the law of a number in 0…k, k ≤ `most`, which sums to 1."""
    masses = as_probabilities(law, name)
    if not 2 <= masses.size <= most + 1:
        raise ValueError(f"{name} must have 2…{most + 1} masses, got {masses.size}")
    return _normalized(masses, name)


def _normalized(weights: FloatArray, name: str) -> FloatArray:
    total = math.fsum(weights.ravel().tolist()) if weights.size < 10**4 else float(weights.sum())
    if abs(total - 1.0) > _TOLERANCE:
        raise ValueError(f"{name} must have weights that sum to 1, got a sum of {total:.12g}")
    return np.asarray(weights / total)


def _as_two_laws(
    law: npt.ArrayLike, other: npt.ArrayLike, most: int
) -> tuple[FloatArray, FloatArray]:
    masses, others = _as_law(law, "law", most), _as_law(other, "other", most)
    if masses.size != others.size:
        raise ValueError(f"other must have {masses.size} masses, as law has, got {others.size}")
    return masses, others


def _least_log(masses: FloatArray) -> float:
    return math.log(float(masses[masses > 0.0].min()))
