"""Composition theorems: simple, advanced, optimal and Rényi composition of k releases.

These are the theorems for differentially private mechanisms of which only parameters are known.
Under partial knowledge they need more than bounded dependency: every release must keep its promise
whatever the earlier ones showed. That is so if the releases are independent given the target's
record and the background knowledge; it is also so, with ε + µ for ε, if δ and ν are 0 from the
second release on. The page "Beyond simple composition" proves it, and shows what happens otherwise.
Where the whole profile of a release is known, `pkdp.privacy_loss` is sharper.

The worst mechanism that is (ε, δ)-indistinguishable in both directions is *randomized response
with a leak*: with probability δ it shows the record, otherwise it answers truthfully with the odds
e^ε. Its losses are inf, ε and -ε, and the sum of k of them is all there is to optimal composition.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Final, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from pkdp._checks import as_eps, as_guarantees, as_integer, as_real
from pkdp.profiles import privacy_loss
from pkdp.profiles._plateaus import (
    Plateau,
    float_above,
    of_any,
    sum_above,
)
from pkdp.profiles._summed_losses import Composed, Laws
from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.laws import LOG_ERROR
from pkdp.profiles.logarithms import FloatArray, IntArray, log_rest, log_sum
from pkdp.profiles.pairs import DiscretePair, as_discrete, log_excess_of_losses
from pkdp.profiles.privacy_loss import Bracket
from pkdp.profiles.profile import (
    Formula,
    Largest,
    PrivacyProfile,
    Repeated,
    Status,
    as_bound,
    log_any,
    rounded_down,
    rounded_up,
)

__all__ = [
    "advanced",
    "heterogeneous",
    "optimal",
    "renyi",
    "renyi_divergence",
    "simple",
]

_MOST_RELEASES: Final = 10**6
# So many different sums of losses are listed one by one; otherwise losses are put on a grid, of so
# many different ε at most, or on a lattice in so many steps.
_MOST_SUMS, _MOST_DIFFERENT, _MOST_STEPS = 200_000, 60_000, 5 * 10**9
# Smaller masses of a lattice are left out, at its ends every so many releases.
_NOTHING, _PRUNED_AFTER = 1e-300, 64


# From the parameters of one release


def simple(profile: PrivacyProfile, times: SupportsIndex) -> PrivacyProfile:
    """Compute the simple composition of releases that all have this profile.

    Parameters
    ----------
    profile : PrivacyProfile
        Of one release: exact, or an upper bound.
    times : int
        How many releases, k in 1…10⁶.

    Returns
    -------
    PrivacyProfile
        ``k·δ(ε/k)``, at most 1: an upper bound if each release and those before it, composed, are
        (0, 0)-bounded dependent.

    Raises
    ------
    TypeError
        If `profile` is no `PrivacyProfile`, or `times` not an integer.
    ValueError
        If `times` is outside its range, or `profile` is no upper bound.

    References
    ----------
    The paper, Theorem 6, repeated.

    Examples
    --------
    >>> from pkdp import counting
    >>> year = simple(counting.worst_case(100_000, 0.5), 365)
    >>> year.status, round(year.epsilon(1e-10), 2)
    ('upper bound', 14.32)
    """
    releases = _as_times(times)
    return rounded_up(Repeated(as_bound(profile, "profile"), releases), "upper bound")


def advanced(eps: SupportsFloat, delta: SupportsFloat, *, times: SupportsIndex) -> PrivacyProfile:
    r"""Compute the advanced composition of (ε, δ)-private releases.

    Parameters
    ----------
    eps : float
        ε of each release, whatever the earlier ones showed, in [0, 700].
    delta : float
        δ of each release, in [0, 1].
    times : int
        How many releases, k in 1…10⁶.

    Returns
    -------
    PrivacyProfile
        An upper bound: ``kδ + δ'`` at ``√(2k ln(1/δ'))·ε + kε(e^ε - 1)``, and 1 below the ε of
        δ' = 1.

    References
    ----------
    C. Dwork and A. Roth, The Algorithmic Foundations of Differential Privacy, 2014, Theorem 3.20,
    which the paper cites.

    Examples
    --------
    >>> round(advanced(0.05, 0.0, times=365).epsilon(1e-10), 3)
    7.418
    """
    one, leak, releases = _parameters(eps, delta, times)
    drift = releases * one * math.expm1(one)
    return of_drift(drift, math.sqrt(releases) * one, releases * leak)


def of_drift(drift: float, spread: float, leaks: float) -> PrivacyProfile:
    """Bound δ by the Azuma-Hoeffding inequality, for losses of bounded means and sizes.

    Parameters
    ----------
    drift : float
        What the means sum to at most, ≥ 0.
    spread : float
        The root of the sum of the squares of what the losses are at most, ≥ 0.
    leaks : float
        How often one of them may be larger, ≥ 0.

    Returns
    -------
    PrivacyProfile
        An upper bound: ``leaks + δ'`` at ``√(2 ln(1/δ'))·spread + drift``.

    Examples
    --------
    >>> round(of_drift(1.0, 2.0, 0.0).epsilon(1e-6), 3)
    11.513
    """
    log_leaks = math.log(min(1.0, leaks)) if leaks > 0.0 else -math.inf
    return rounded_up(Formula(_log_of_drift, drift, spread, log_leaks), "upper bound")


def _log_of_drift(drift: float, spread: float, log_leaks: float, eps: float) -> float:
    if spread == 0.0 or eps == math.inf:
        return log_leaks
    if eps <= drift:
        return 0.0
    deviations = (eps - drift) / spread
    # Never 0: it is a bound of what may be rarer than a float can say.
    log_tail = max(-0.5 * deviations * deviations, -1e308)
    return min(0.0, float(np.logaddexp(log_leaks, log_tail)))


def optimal(eps: SupportsFloat, delta: SupportsFloat, *, times: SupportsIndex) -> PrivacyProfile:
    """Compute the optimal composition of k (ε, δ)-private releases.

    Parameters
    ----------
    eps : float
        ε of each release, whatever the earlier ones showed, in [0, 700].
    delta : float
        δ of each release, in [0, 1].
    times : int
        How many releases, k in 1…10⁶.

    Returns
    -------
    PrivacyProfile
        Exact for the worst such releases, rounded up at an ε' within a relative 1e-15:
        ``1 - (1-δ)^k·(1 - Σ_i P[X = i]·(1 - e^{ε' - (2i-k)ε})₊)``, with X binomial of k trials of
        probability ``e^ε/(1 + e^ε)``.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy, 2015,
    for ε' in steps of 2ε; for all ε' J. Murtagh and S. Vadhan, 2016.

    Examples
    --------
    Two releases: both answers must be true for the loss to exceed ε.

    >>> profile = optimal(math.log(3), 0.0, times=2)
    >>> round(profile.delta(math.log(3)), 12)  # (3/4)²·(1 - 1/3)
    0.375
    >>> round(optimal(0.05, 0.0, times=365).epsilon(1e-10), 3)
    6.158

    At the δ that leaks, 1 - 0.9², it is the sum of both ε:

    >>> optimal(0.5, 0.1, times=2).epsilon(0.19)
    1.0
    """
    one, leak, releases = _parameters(eps, delta, times)
    log_p, losses = _answers(one, releases)
    ending = of_any(((leak, releases),), float_above(releases * Fraction(one)))
    return of_sums(log_p, losses, releases * _log_rest(leak), ending)


def heterogeneous(
    epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0, *, cells: SupportsIndex | None = None
) -> Bracket:
    """Compute the optimal composition of releases of different ε and δ.

    Parameters
    ----------
    epsilons : array_like, shape (k,)
        ε of each release, whatever the earlier ones showed, in [0, 700]; k in 1…10⁶, of which
        60,000 may differ.
    deltas : array_like, shape (k,) or a number
        δ of each release, in [0, 1].
    cells : int, optional
        If the loss has too many different values, each ε is rounded, once down and once up, to a
        lattice of so many cells up to their sum; 1000…10⁷, and at most 5·10⁹/k, as the time is k
        times as many steps. By default losses are put on a grid as by `privacy_loss.bracket`,
        which is faster and closer.

    Returns
    -------
    Bracket
        Lower and upper bound: the same, and exact but for rounding up, where the losses of all
        releases have at most 200,000 different sums. Otherwise what `privacy_loss.bracket` says of
        randomized responses; with `cells` the optimal compositions of smaller and of larger ε,
        ``sum(epsilons)/cells`` apart, rounded down and up, and the mass below 1e-300 that is left
        out is a leak in the upper one.

    Raises
    ------
    TypeError
        If an argument is not of the type above.
    ValueError
        If an argument is outside the range above, or has the wrong shape; if there are more than
        60,000 different ε and too many sums, or too many cells for so many.

    Notes
    -----
    To compute it exactly is #P-complete in k. A release of smaller ε is a post-processing of one of
    larger ε, so rounding gives bounds.

    References
    ----------
    J. Murtagh and S. Vadhan, The Complexity of Computing the Optimal Composition of Differential
    Privacy, 2016.

    Examples
    --------
    >>> two = heterogeneous([math.log(2), math.log(3)])
    >>> round(two.upper.delta(math.log(3)), 12)  # 2/3·3/4·(1 - 3/6)
    0.25
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_RELEASES)
    width = None if cells is None else as_integer(cells, "cells", 1000, 10**7)
    with np.errstate(divide="ignore"):
        log_kept = float(np.log1p(-leaks).sum())
    groups = Counter(each.tolist())
    if math.prod(number + 1 for number in groups.values()) <= _MOST_SUMS:
        profile = of_sums(*_all_sums(groups), log_kept, _plateau_of_all(each, leaks))
        return Bracket(profile, profile)
    ending = _plateau_of_all(each, leaks)
    if width is not None:
        if width * each.size > _MOST_STEPS:
            raise ValueError(
                f"cells must be at most {_MOST_STEPS // each.size} for {each.size} releases, "
                f"got {width}"
            )
        step = float(each.sum()) / width
        lower, upper = (_of_lattice(each, leaks, step, log_kept, up) for up in (False, True))
        return Bracket(lower, upper)
    if len(groups) > _MOST_DIFFERENT:
        raise ValueError(
            f"epsilons must have at most {_MOST_DIFFERENT} different values, got {len(groups)}"
        )
    return _of_responses(groups, log_kept, ending)


def _of_responses(groups: Counter[float], log_kept: float, ending: Plateau) -> Bracket:
    """Return bounds for randomized responses, `groups` of which have the same ε."""
    values = np.array(sorted(groups))
    times = np.array([groups[eps] for eps in values.tolist()])
    variance = float(times @ (4.0 * values**2 * expit(values) * expit(-values)))
    step = privacy_loss.best_step(variance, int(times.sum()), float(values[-1]))
    floor = Composed(_laws(values, times, step, up=False, splits=False))
    lower = Composed(_laws(values, times, step, up=False), floor)
    upper = Composed(_laws(values, times, step, up=True))
    return Bracket(
        _with_leaks(lower, log_kept, "lower bound"),
        _with_leaks(upper, log_kept, "upper bound", ending),
    )


def _plateau_of_all(epsilons: FloatArray, leaks: FloatArray) -> Plateau:
    """Return where optimal composition ends: at the sum of all ε."""
    return of_any(tuple(Counter(leaks.tolist()).items()), sum_above(epsilons.tolist()))


def of_sums(
    log_p: FloatArray,
    losses: FloatArray,
    log_kept: float,
    ending: Plateau | None = None,
    status: Status = "exact",
) -> PrivacyProfile:
    """Return ``1 - kept·(1 - h)``, h the hockey-stick divergence of losses with these masses.

    Examples
    --------
    >>> round(of_sums(np.log([0.75, 0.25]), np.log([3.0, 1 / 3]), 0.0).delta(0.0), 12)
    0.5
    """
    return _with_leaks(Formula(log_excess_of_losses, log_p, losses), log_kept, status, ending)


def _with_leaks(
    kept: Formula | Composed, log_kept: float, status: Status, ending: Plateau | None = None
) -> PrivacyProfile:
    leaky = Formula(_log_with_leaks, kept, log_kept, ending=ending)
    return rounded_down(leaky) if status == "lower bound" else rounded_up(leaky, status)


def _log_with_leaks(kept: Formula | Composed, log_kept: float, eps: float) -> float:
    return min(0.0, float(np.logaddexp(log_rest(log_kept), log_kept + kept.log_delta(eps))))


def _answers(eps: float, times: int) -> tuple[FloatArray, FloatArray]:
    """Return log masses and losses of `times` randomized responses, by the number of lies."""
    lies = np.arange(times + 1)
    losses = np.asarray((times - 2.0 * lies) * eps, dtype=np.float64)
    return log_binomial_pmf(lies, times, float(expit(-eps))), losses


def _all_sums(groups: Counter[float]) -> tuple[FloatArray, FloatArray]:
    """Return log masses and losses of all releases together, `groups` of which have the same ε."""
    log_p, losses = np.zeros(1), np.zeros(1)
    for eps, number in groups.items():
        log_more, more = _answers(eps, number)
        log_p = np.add.outer(log_p, log_more).ravel()
        losses = np.add.outer(losses, more).ravel()
    return np.asarray(log_p), np.asarray(losses)


def _laws(
    values: FloatArray, times: IntArray, step: float, *, up: bool, splits: bool = True
) -> Laws:
    """Return the laws of the losses of randomized responses, on a grid."""
    direction = 1.0 if up else -1.0
    losses, log_p = np.stack([-values, values]), np.stack([log_expit(-values), log_expit(values)])
    losses = losses + direction * 4.0 * 2.0**-53 * values
    log_p = log_p + direction * 8.0 * 2.0**-53 * np.maximum(1.0, -log_p)
    points, logs, variances = privacy_loss.on_grid(losses, log_p, step, splits=splits)
    per_law = points.shape[0] * points.shape[1]
    return Laws(
        step,
        up,
        points.transpose(2, 1, 0).ravel(),
        logs.transpose(2, 1, 0).ravel(),
        per_law * np.arange(values.size),
        times,
        -math.inf,
        math.fsum((times * values * (1.0 + 8.0 * 2.0**-53)).tolist()),
        0.0 if up else float(times @ variances.max(axis=0)),
    )


def _of_lattice(
    each: FloatArray, leaks: FloatArray, step: float, log_kept: float, up: bool
) -> PrivacyProfile:
    """Return the optimal composition of ε rounded up or down to multiples of `step`."""
    cells = (np.ceil(each / step) if up else np.floor(each / step)).astype(np.int64)
    law, first = np.ones(1), 0  # law[j]: mass of the loss (2·(first + j) - sum(cells))·step
    for count, cell in enumerate(cells.tolist(), 1):
        truth = float(expit(cell * step))
        wider = np.zeros(law.size + cell)
        wider[: law.size] += (1.0 - truth if truth < 0.5 else float(expit(-cell * step))) * law
        wider[cell:] += truth * law
        law = wider
        if count % _PRUNED_AFTER == 0:
            start, stop = np.flatnonzero(law > _NOTHING)[[0, -1]]
            law, first = law[start : stop + 1], first + int(start)
    losses = np.asarray((2.0 * (first + np.arange(law.size)) - float(cells.sum())) * step)
    kept = law > _NOTHING
    # Each mass is a sum of products of as many factors as there are releases.
    slip = 4.0 * 2.0**-53 * each.size
    if not up:
        return of_sums(np.log(law[kept]) - slip, losses[kept], log_kept, None, "lower bound")
    ending = _plateau_of_all(np.maximum(cells * step, each), leaks)
    # What is left out, less than 10⁷·_NOTHING each of so many times, leaks.
    log_kept = min(log_kept - 1e-288, math.nextafter(log_kept, -math.inf))
    return of_sums(np.log(law[kept]) + slip, losses[kept], log_kept, ending, "upper bound")


# From the exact loss, by Rényi divergences


def renyi_divergence(pair: DiscretePair, order: SupportsFloat) -> float:
    r"""Compute the Rényi divergence of a pair of distributions.

    Parameters
    ----------
    pair : DiscretePair
        The laws P and Q.
    order : float
        α in (0, inf]; 1 is the Kullback-Leibler divergence, inf the largest loss.

    Returns
    -------
    float
        ``ln(Σ P^α·Q^{1-α})/(α-1)`` in nats; inf where P has mass that Q lacks and α ≥ 1.

    Raises
    ------
    TypeError
        If `pair` is no pair whose outcomes can be listed, or `order` not a real number.
    ValueError
        If `order` is not in (0, inf].

    References
    ----------
    I. Mironov, Rényi Differential Privacy, 2017, Definition 3.

    Examples
    --------
    The target can raise the count to n, which nobody else could: a count is no match for α ≥ 1.

    >>> from pkdp import counting
    >>> pair = counting.pair([0.5] * 1000)
    >>> renyi_divergence(pair, 2.0)
    inf
    >>> round(renyi_divergence(pair, 0.5), 6)
    0.001
    """
    alpha = as_real(order, "order", "in (0, inf]", 0.0, math.inf, without=(0.0,))
    log_p, log_q, _ = as_discrete(pair).log_masses(-math.inf)
    if alpha >= 1.0 and np.any((log_q == -math.inf) & (log_p > -math.inf)):
        return math.inf
    both = (log_p > -math.inf) & (log_q > -math.inf)
    if not both.any():
        return math.inf
    only_p, only_q = (float(np.exp(log[~both]).sum()) for log in (log_p, log_q))
    log_p, losses = log_p[both], (log_p - log_q)[both]
    if alpha == math.inf:
        return max(0.0, float(losses.max()))
    more = alpha - 1.0
    if more == 0.0:
        return float(np.exp(log_p) @ (np.expm1(-losses) + losses)) + only_q
    log_moment = log_sum(log_p + more * losses)
    if abs(log_moment) < 0.1 and float(np.abs(more * losses).max()) < 500.0:
        # Close laws: with Σ P·(e^{-L} - 1) added, which is known, no term cancels another.
        excess = float(np.exp(log_p) @ (np.expm1(more * losses) + more * np.expm1(-losses)))
        log_moment = math.log1p(excess + more * (only_q - only_p) - only_p)
    return max(0.0, log_moment / more)


def renyi(pair: DiscretePair, times: SupportsIndex) -> PrivacyProfile:
    """Bound independent releases of one pair by Rényi divergences (Rényi differential privacy).

    Outcomes that only one of the laws has, whose loss is inf, are set aside: they count as δ.

    Parameters
    ----------
    pair : DiscretePair
        The laws P and Q of one release.
    times : int
        How many releases, k in 1…10⁶, independent of each other.

    Returns
    -------
    PrivacyProfile
        An upper bound, in both directions: ``1 - (1-δ∞)^k`` plus the least
        ``M(α)^k·e^{(1-α)ε}·(1-1/α)^α/(α-1)`` over α > 1, M(α) the sum of ``P^α·Q^{1-α}`` over the
        other outcomes. What the least is found by a search in α; any α gives a bound.

    Raises
    ------
    TypeError
        If `pair` is no pair whose outcomes can be listed, or `times` not an integer.
    ValueError
        If `times` is outside its range.

    References
    ----------
    I. Mironov, Rényi Differential Privacy, 2017; the conversion to δ is of C. Canonne, G. Kamath
    and T. Steinke, The Discrete Gaussian for Differential Privacy, 2020.

    Examples
    --------
    >>> from pkdp import counting
    >>> year = renyi(counting.pair([0.5], multiplicities=[99_999]), 365)
    >>> round(year.epsilon(1e-10), 3)
    0.734
    """
    releases, ways = _as_times(times), (as_discrete(pair), pair.reversed())
    return rounded_up(Largest(tuple(_moments(way, releases) for way in ways)), "upper bound")


def _moments(pair: DiscretePair, times: int) -> PrivacyProfile:
    """Return the bound of `renyi` for one direction."""
    log_p, log_q, log_left_out = pair.log_masses()
    finite = (log_q > -math.inf) & (log_p > -math.inf)
    only_p = log_p[(log_q == -math.inf) & (log_p > -math.inf)]
    log_once = log_sum(np.append(only_p, log_left_out))
    log_aside = log_any([log_once], [times])
    log_p, losses = log_p[finite], (log_p - log_q)[finite]
    end = pair.plateau()
    ending = end.composed(times) if end else None
    return PrivacyProfile(
        Formula(_log_renyi, log_p, losses, times, log_aside, ending=ending), "upper bound"
    )


def _log_renyi(
    log_p: FloatArray, losses: FloatArray, times: int, log_aside: float, eps: float
) -> float:
    if not losses.size or eps >= times * float(losses.max()):
        return log_aside

    def log_bound(log_order: float) -> float:
        more = math.exp(log_order)  # α - 1
        terms = log_p + more * losses
        top = int(np.argmax(terms))
        # By so much errors of the masses may make the terms too small.
        slip = LOG_ERROR * (1.0 + more) * (2.0 + abs(float(log_p[top])) + abs(float(losses[top])))
        log_m = log_sum(terms) + slip
        return times * log_m - more * eps + more * log_order - (1.0 + more) * math.log1p(more)

    # Convex in α, so that there is one minimum.
    found = minimize_scalar(
        log_bound, bounds=(-12.0, 25.0), method="bounded", options={"xatol": 1e-6}
    )
    return min(0.0, float(np.logaddexp(log_aside, float(found.fun))))


def _as_times(times: SupportsIndex) -> int:
    return as_integer(times, "times", 1, _MOST_RELEASES)


def _parameters(
    eps: SupportsFloat, delta: SupportsFloat, times: SupportsIndex
) -> tuple[float, float, int]:
    return (
        as_eps(eps),
        as_real(delta, "delta", "in [0, 1]", 0.0, 1.0),
        _as_times(times),
    )


def _log_rest(mass: float) -> float:
    """Return ln(1 - mass)."""
    return math.log1p(-mass) if mass < 1.0 else -math.inf
