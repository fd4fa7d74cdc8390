"""Privacy loss distribution of a product of sampled pairs, with sums of losses listed exactly.

Of k equal pairs with m outcomes only the number of times that each outcome occurs matters. So a
product of few kinds of pairs has few different losses, and its hockey-stick divergence is a sum
over them, without a grid. Outcomes that are too rare to matter are left out; their mass is known,
and a pessimistic estimate counts it as a leak.

Sampled at a rate r < 1, the law P of a pair (P, Q) becomes ``(1-r)·Q·e^g``, with the *gain*
``g = ln(1 + r·P/((1-r)·Q)) ≥ 0``. Gains add up to G. With q₀ the probability that nothing is
sampled, the law of all outputs given that something is sampled is the product of all Q times
``q₀·(e^G - 1)/(1-q₀)``, in which no terms cancel.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.laws import LOG_ERROR
from pkdp.profiles.logarithms import FloatArray, log_positive, log_rest, log_sum
from pkdp.profiles.pairs import LogMasses, log_excess_of_losses
from pkdp.profiles.profile import log_any

__all__ = ["Listed", "listed", "log_hockey_stick"]

_MOST_LISTED, _MOST_WAYS = 2_000_000, 1e12
# Logarithms of the least masses that are listed: the first one with few enough outcomes is used.
_LEVELS = (-1400.0, -700.0, -300.0, -150.0)


class Listed(NamedTuple):
    """One direction of a pair: a list of masses and privacy losses.

    Attributes
    ----------
    log_p : ndarray, shape (m,)
        Natural logarithms of masses of P.
    losses : ndarray, shape (m,)
        Finite losses ln(P/Q).
    log_alone : float
        Natural logarithm of the mass of P where Q has none.
    log_left_out : float
        Natural logarithm of the mass of P that is left out.
    hair : float
        Bound on the error of losses and logarithms.
    """

    log_p: FloatArray
    losses: FloatArray
    log_alone: float
    log_left_out: float
    hair: float


def log_hockey_stick(
    log_p: FloatArray,
    losses: FloatArray,
    log_alone: float,
    log_left_out: float,
    hair: float,
    up: bool,
    eps: float,
) -> float:
    """Return ln ``H_E(P‖Q)``, E = exp(eps), rounded up or down; the rest is what `Listed` has."""
    # May be negative: at ε = 0, too, losses may be larger than they are listed.
    eps = eps - hair if up else eps + hair
    log_finite = log_excess_of_losses(log_p, losses, eps) + (hair if up else -hair)
    parts = [log_alone, log_finite, log_left_out if up else -math.inf]
    return min(0.0, float(np.logaddexp.reduce(parts)))


def listed(
    masses: Sequence[LogMasses], rates: Sequence[float], times: Sequence[int]
) -> tuple[Listed, Listed] | None:
    """List both directions of a product of pairs given that something is sampled, against none.

    Parameters
    ----------
    masses : sequence of LogMasses
        The pairs (P, Q), completely listed.
    rates : sequence of float
        Probability that each is sampled, in [0, 1]; not all 0.
    times : sequence of int
        Number of pairs of each kind.

    Returns
    -------
    tuple of two Listed, or None
        None if there are too many different losses.

    Examples
    --------
    >>> coin = LogMasses(np.log([0.75, 0.25]), np.log([0.25, 0.75]), -math.inf)
    >>> there, back = listed([coin], [1.0], [2])
    >>> np.exp(there.log_p).round(12).tolist(), np.exp(there.losses).round(12).tolist()
    ([0.5625, 0.375, 0.0625], [9.0, 1.0, 0.111111111111])
    >>> there, back = listed([coin], [0.5], [2])
    >>> np.exp(there.losses).round(12).tolist()  # ((1+3)·(1+3) - 1)/3, …
    [0.259259259259, 1.444444444444, 5.0]
    """
    if any(each.log_left_out > -math.inf for each in masses):
        return None
    with np.errstate(divide="ignore"):
        log_rates, log_rests = np.log(rates), np.log1p(-np.asarray(rates))
    log_none = float((np.array(times) * log_rests).sum())
    groups = [
        _sampled(*each, log_none == -math.inf)
        for each in zip(masses, log_rates.tolist(), log_rests.tolist(), strict=True)
    ]
    # In how many ways outcomes can occur, before rare ones are left out.
    sizes, numbers = np.array([max(1, len(each.T)) for each in groups]), np.array(times)
    log_ways = gammaln(numbers + sizes) - gammaln(numbers + 1) - gammaln(sizes)
    if log_ways.sum() >= math.log(_MOST_WAYS):
        return None
    products = (_product(groups, times, level) for level in _LEVELS)
    product = next((found for found in products if found is not None), None)
    if product is None:
        return None
    alone_p = [
        min(0.0, log_rate + _log_alone(each.log_p, each.log_q))
        for log_rate, each in zip(log_rates.tolist(), masses, strict=True)
    ]
    alone_q = [
        _log_alone(each.log_q, each.log_p) if rate == 1.0 else -math.inf
        for rate, each in zip(rates, masses, strict=True)
    ]
    largest = max(float(np.abs(each[2]).max(initial=1.0)) for each in groups)
    hair = LOG_ERROR + 2.0**-50 * sum(times) * largest
    return _given_some(*product, log_any(alone_p, times), log_any(alone_q, times), log_none, hair)


def _given_some(
    outcomes: FloatArray,
    left_out: FloatArray,
    alone_p: float,
    alone_q: float,
    log_none: float,
    hair: float,
) -> tuple[Listed, Listed]:
    """Return both directions, given the outcomes, what only one law has, and ln q₀."""
    log_p, log_q, losses = outcomes
    left_out_p, left_out_q = np.minimum(left_out, 0.0).tolist()
    if log_none > -math.inf:
        log_some = log_rest(log_none)
        log_share = log_positive(-np.expm1(-losses)) - log_some
        log_p, losses = log_p + log_share, log_none + losses + log_share
        never = losses == -math.inf
        alone_q = float(np.logaddexp(alone_q, log_sum(log_q[never])))
        log_p, log_q, losses = log_p[~never], log_q[~never], losses[~never]
        alone_p, left_out_p = (min(0.0, log - log_some) for log in (alone_p, left_out_p))
    return (
        Listed(log_p, losses, alone_p, left_out_p, hair),
        Listed(log_q, -losses, alone_q, left_out_q, hair),
    )


def _log_alone(log_one: FloatArray, log_other: FloatArray) -> float:
    return min(0.0, log_sum(log_one[(log_other == -math.inf) & (log_one > -math.inf)]))


def _sampled(masses: LogMasses, log_rate: float, log_unsampled: float, certain: bool) -> FloatArray:
    """Return the outcomes of a sampled pair that are possible under both laws, the rarest first.

    Rows are ln P, ln Q and the gains. Equal gains come once; if some pair is `certain` to be
    sampled, losses replace gains.
    """
    both = masses.log_q > -math.inf
    if log_unsampled == -math.inf:
        both &= masses.log_p > -math.inf
    log_p, log_q = masses.log_p[both], masses.log_q[both]
    if log_unsampled == -math.inf:
        gains = log_p - log_q
    else:
        gains = np.logaddexp(0.0, log_rate - log_unsampled + log_p - log_q)
        log_p = log_unsampled + log_q + gains
        gains = gains + log_unsampled if certain else gains
    gains, where = np.unique(gains, return_inverse=True)
    log_p, log_q = (
        np.array([log_sum(logs[where == at]) for at in range(gains.size)])
        for logs in (log_p, log_q)
    )
    return np.array([log_p, log_q, gains])[:, np.argsort(np.maximum(log_p, log_q))]


def _product(
    groups: Sequence[FloatArray], times: Sequence[int], level: float
) -> tuple[FloatArray, FloatArray] | None:
    """Return all outcomes of a mass of at least exp(level), and ln of what is left out of P, Q."""
    total, left_out = np.zeros((3, 1)), np.full(2, -math.inf)
    for group, number in zip(groups, times, strict=True):
        if not group.size:
            return np.empty((3, 0)), np.full(2, -math.inf)
        powers = _power(group, number, level)
        if powers is None or powers[0][0].size * total[0].size > _MOST_LISTED:
            return None
        total = (total[:, :, None] + powers[0][:, None, :]).reshape(3, -1)
        total, out = _kept(total, total[:2], level)
        left_out = np.logaddexp(left_out, np.logaddexp(powers[1], out))
    return total, left_out


def _kept(outcomes: FloatArray, log_all: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return outcomes whose continuations have a mass of at least exp(level), and ln of the rest.

    `log_all` has the masses under P and Q of all ways to continue.
    """
    keep = np.maximum(*log_all) >= level
    return outcomes[:, keep], np.array([log_sum(logs[~keep]) for logs in log_all])


def _power(group: FloatArray, times: int, level: float) -> tuple[FloatArray, FloatArray] | None:
    """Return the outcomes of so many equal pairs: how often each outcome comes; and what is left.

    Outcomes are counted kind by kind; the last row says how many are left to count.
    """
    tails = np.logaddexp.accumulate(group[:2, ::-1], axis=1)[:, ::-1]
    outcomes, left_out = np.array([[0.0], [0.0], [0.0], [times]]), np.full(2, -math.inf)
    last = len(group.T) - 1
    for at in range(last):
        left = outcomes[3].astype(np.int64)
        if int((left + 1).sum()) > _MOST_LISTED:
            return None
        before = np.repeat(np.arange(left.size), left + 1)
        first = np.cumsum(left + 1) - left - 1
        taken, of = np.arange(before.size) - first[before], left[before]
        ways = log_binomial_pmf(taken, of, 0.5) + of * math.log(2.0)
        outcomes = outcomes[:, before]
        outcomes[:2] += ways
        outcomes[:3] += taken * group[:, at, None]
        outcomes[3] -= taken
        log_all = outcomes[:2] + outcomes[3] * tails[:, at + 1, None]
        outcomes, out = _kept(outcomes, log_all, level)
        left_out = np.logaddexp(left_out, out)
    return outcomes[:3] + outcomes[3] * group[:, last, None], left_out
