"""Berry-Esseen and Stein bounds: what a normal approximation of a sum implies, for half-lines only.

Theorems of the Berry-Esseen type bound the Kolmogorov distance d of a sum S from a normal law: the
largest error of the probability of a half-line. Privacy is about all events. If the best event
against ``(S + a, S)`` is a half-line, d is enough, and it is if the likelihood ratio is monotone:
if S is a count, or any sum of independent integers of log-concave laws, and a an integer. Otherwise
d is not enough. Records 0 and 2 have d = O(1/√n), and the parity of the sum reveals a record 1. A
bound for half-lines only says so in its name, and has the status "approximation".

**Lemma.** Let S less its mean be within d of N(0, σ²), and a > 0. For every half-line A and ε ≥ 0,
``P[S + a ∈ A] - e^ε·P[S ∈ A]``, and the same with S and S + a exchanged, is at most

    min over ε' ≤ ε of  δ_G(ε') + (1 + e^ε')·d,

where δ_G is that of the normal law. The minimum is at ε' = ε or where ``Φ(-(ε'σ/a + a/2σ)) = d``,
whichever comes first; beyond the second point it is ``Φ(a/σ - z) + d``, with Φ(-z) = d.

*Proof.* For upward half-lines from the mean + tσ on, the excess is at most
``Φ(a/σ - t) + d - e^ε·max(0, Φ(-t) - d)``. It increases with t up to ``min(εσ/a + a/2σ, z)``, since
the ratio of the densities is below e^ε there, and then decreases. Its value there is
δ_G(ε) + (1 + e^ε)d if the first of the two is smaller, and otherwise the stated one, which is the
value at the ε' that makes the two equal. There the sum in the minimum is least, since its
derivative with respect to e^ε' is d - Φ(-t). For S against S + a consider -S. ∎
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
from scipy.special import log_ndtr, ndtri

from pkdp._checks import MOST_RECORDS, as_choice, as_integer, as_real
from pkdp.noiseless import _integer_laws
from pkdp.noiseless._integer_laws import Block
from pkdp.profiles import closed_forms
from pkdp.profiles.closed_forms import log_gaussian
from pkdp.profiles.profile import Formula, PrivacyProfile, vacuous

__all__ = [
    "BERRY_ESSEEN",
    "STEIN",
    "Moments",
    "berry_esseen_for_half_lines",
    "epsilon_limit",
    "for_half_lines",
    "gaussian",
    "moments",
    "root_n_delta_limit",
    "stein_for_half_lines",
]

# The constant of the Berry-Esseen theorem for independent summands: 0.5600 (Shevtsova, 2010).
BERRY_ESSEEN = 0.56

# The squared constant of D^{3/2}·√(Σ E X⁴)/(√π·σ²) in `_stein_distance`.
STEIN = {"groups": 2.0, "graph": 8.0, "ross": 28.0}

_LEAST, _MOST = 1e-6, 1e9
_MOST_VARIANCE = 1e18


class Moments(NamedTuple):
    """Sums of central moments of independent records, for normal approximation.

    Attributes
    ----------
    variance : float
        Of the sum.
    third, fourth : float
        The sums of the records' absolute third and of their fourth central moments.
    """

    variance: float
    third: float
    fourth: float


def moments(blocks: Sequence[Block]) -> Moments:
    """Compute the sums of central moments of independent blocks.

    Parameters
    ----------
    blocks : sequence of (mapping or (mapping, int))
        As in `pkdp.sums.law`.

    Returns
    -------
    Moments

    Raises
    ------
    ValueError, TypeError
        As in `pkdp.sums.law`.

    Examples
    --------
    >>> moments([({0: 0.5, 1: 0.5}, 10_000)])
    Moments(variance=2500.0, third=1250.0, fourth=625.0)
    """
    rows = _integer_laws.read(blocks)
    total = np.zeros(3)
    for j, count in enumerate(rows.counts):
        offsets, masses = rows.row(j)
        away = np.abs(offsets - masses @ offsets) * rows.step
        total += count * np.array([masses @ away**power for power in (2, 3, 4)])
    return Moments(*total.tolist())


def gaussian(variance: SupportsFloat, *, step: SupportsFloat = 1.0) -> PrivacyProfile:
    """Return the profile of a normal law against its shift: the Gaussian limit, not a bound.

    ``δ(ε) = Φ(a/2σ - εσ/a) - e^ε·Φ(-a/2σ - εσ/a)``.

    Parameters
    ----------
    variance : float
        The variance σ² > 0 of the sum; at most 10¹⁸.
    step : float
        The distance a by which the target moves the sum; in 10⁻⁶…10⁹.

    Returns
    -------
    PrivacyProfile
        Status "approximation": the truth may be on either side. For noise N(0, σ²) alone it is the
        exact profile.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range or not a number.

    References
    ----------
    Balle and Wang (2018), Theorem 8.

    Examples
    --------
    >>> profile = gaussian(2500)
    >>> [f"{profile.delta(eps):.4g}" for eps in (0.0, 0.1)]
    ['0.007979', '1.124e-09']
    """
    return closed_forms.gaussian(as_step(step) / math.sqrt(as_variance(variance)))


def for_half_lines(
    variance: SupportsFloat, distance: SupportsFloat, *, step: SupportsFloat = 1.0
) -> PrivacyProfile:
    """Bound δ over all half-lines by a Kolmogorov distance; other events may tell more.

    Parameters
    ----------
    variance, step
        As in `gaussian`.
    distance : float
        The Kolmogorov distance d ≥ 0 of the sum from the normal law of its mean and variance, or an
        upper bound on it. From ½ on the bound is 1.

    Returns
    -------
    PrivacyProfile
        Status "approximation": it bounds δ only if the best events are half-lines.

    Raises
    ------
    ValueError, TypeError
        As in `gaussian`; also if `distance` is negative.

    References
    ----------
    The lemma of this module.

    Examples
    --------
    >>> profile = for_half_lines(2500, 0.001)
    >>> [round(profile.delta(eps), 6) for eps in (0.0, 0.1, 1.0)]
    [0.009979, 0.002069, 0.002069]
    """
    deviation, move = math.sqrt(as_variance(variance)), as_step(step)
    error = as_real(distance, "distance", "≥ 0", 0.0, math.inf)
    if error >= 0.5:
        return vacuous("approximation")
    return PrivacyProfile(Formula(_log_half_lines, error, move / deviation), "approximation", 1e-9)


def _log_half_lines(distance: float, mu: float, eps: float) -> float:
    if distance == 0.0:
        return log_gaussian(mu, eps) if eps < math.inf else -math.inf
    quantile = -float(ndtri(distance))
    if eps / mu + mu / 2.0 <= quantile:
        log_error = math.log(distance) + float(np.logaddexp(0.0, eps))
        return min(0.0, float(np.logaddexp(log_gaussian(mu, eps), log_error)))
    return min(0.0, float(np.logaddexp(log_ndtr(mu - quantile), math.log(distance))))


def berry_esseen_for_half_lines(
    variance: SupportsFloat,
    third: SupportsFloat,
    *,
    step: SupportsFloat = 1.0,
) -> PrivacyProfile:
    """Bound δ over all half-lines by the Berry-Esseen theorem; other events may tell more.

    The Kolmogorov distance is at most ``0.56·Σ E|X_i - E X_i|³/σ³`` for independent records. In
    groups of at most D records, independent of each other, D² times the sum of the records' third
    moments is enough, since (x₁ + … + x_D)³ ≤ D²·Σx_j³ for x_j ≥ 0.

    Parameters
    ----------
    variance, step
        As in `gaussian`.
    third : float
        The sum of the records' absolute third central moments, ≥ 0.

    Returns
    -------
    PrivacyProfile
        Status "approximation", as in `for_half_lines`.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range or not a number.

    References
    ----------
    Shevtsova (2010).

    Examples
    --------
    >>> profile = berry_esseen_for_half_lines(2500, 1250)
    >>> [round(profile.delta(eps), 5) for eps in (0.0, 0.1)]
    [0.01918, 0.01153]
    """
    spread = as_variance(variance)
    moment = _as_moment(third, "third")
    distance = BERRY_ESSEEN * moment / spread / math.sqrt(spread)
    return for_half_lines(spread, distance, step=step)


def raised(log_delta: float) -> float:
    """Return ln δ raised by more than the error of the normal law's profile."""
    if log_delta == -math.inf:
        return log_delta
    return min(0.0, log_delta + 1e-9 * max(1.0, abs(log_delta)))


def _stein_distance(
    variance: SupportsFloat,
    third: SupportsFloat,
    fourth: SupportsFloat,
    neighbourhood: SupportsIndex,
    dependence: str,
) -> float:
    """Bound the Wasserstein distance of a standardized sum from N(0, 1)."""
    spread = as_variance(variance)
    cubes, squares = _as_moment(third, "third"), _as_moment(fourth, "fourth")
    size = as_integer(neighbourhood, "neighbourhood", 1, MOST_RECORDS)
    constant = STEIN[as_choice(dependence, "dependence", STEIN)]
    root = math.sqrt(constant / math.pi * squares) * size**1.5
    return float(size**2 * cubes / spread / math.sqrt(spread) + root / spread)


def stein_for_half_lines(
    variance: SupportsFloat,
    third: SupportsFloat,
    fourth: SupportsFloat,
    *,
    neighbourhood: SupportsIndex,
    dependence: str = "graph",
    step: SupportsFloat = 1.0,
) -> PrivacyProfile:
    """Bound δ over all half-lines by Stein's method for dependent records.

    For records X_i less their means the Wasserstein distance of the standardized sum from N(0, 1)
    is at most, with C = 2, 8 or 28,

        ``w = D²·Σ E|X_i|³/σ³ + √(C/π)·D^{3/2}·√(Σ E X_i⁴)/σ²``,

    which makes the Kolmogorov distance at most ``(2/π)^{1/4}·√w``.

    Parameters
    ----------
    variance : float
        The variance σ² > 0 of the sum.
    third, fourth : float
        The sums of the records' absolute third and of their fourth central moments, ≥ 0.
    neighbourhood : int
        D ≥ 1, the most records of a neighbourhood, which counts the record itself.
    dependence : {"groups", "graph", "ross"}
        How records depend on each other. "groups": in independent groups of D.
        "graph": each has at most D - 1 neighbours, and two sets of records are independent if no
        record of one has a neighbour in the other. "ross": as in the theorem cited, with its
        constant; each record is independent of all outside its neighbourhood.
    step
        As in `gaussian`.

    Returns
    -------
    PrivacyProfile
        Status "approximation", as in `for_half_lines`.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range, or of the wrong kind.

    Notes
    -----
    By Stein's method the distance is at most ``Σ E|X_i·Y_i²|/σ³ + √(2/π)·√Var(Σ X_i·Y_i)/σ²``,
    Y_i the sum over the neighbourhood of i. The first part is at most ``D²·Σ E|X_i|³/σ³``, by
    the means of three numbers. The variance is a sum of covariances of X_i·X_j and X_k·X_l, j a
    neighbour of i and l of k (or the same), each at most ``(E X_i²X_j² + E X_k²X_l²)/2``. They
    are 0 unless k or l is in the neighbourhood of i or j, for which there are at most 4D² pairs
    (D² in groups). So the variance is at most 4D²·Σ E X_i²X_j² ≤ 4D³·Σ E X_i⁴ (without the 4 in
    groups), which makes C = 8 or 2. Ross has 14 in place of 4.

    Between the indicator of a half-line and one that falls linearly over a length h, a law with
    density at most 1/√(2π) has a mass of h/(2√(2π)) at most; the distance is at most that and w/h,
    which is least at h = √(2√(2π)·w). The result falls like n^{-1/4}, while that of
    `berry_esseen_for_half_lines` for groups falls like n^{-1/2}.

    References
    ----------
    Ross (2011), Proposition 1.2; Theorem 3.6, for C = 28; Theorem 3.1 and Lemma 2.5 for Stein's
    method.

    Examples
    --------
    Uncorrelated fair bits, each of which depends on at most four others:

    >>> for n in (10**4, 10**6, 10**8):
    ...     moments = n / 4, n / 8, n / 16
    ...     graph = stein_for_half_lines(*moments, neighbourhood=5)
    ...     ross = stein_for_half_lines(*moments, neighbourhood=5, dependence="ross")
    ...     print(f"{n:>9}", round(graph.delta(0.0), 4), round(ross.delta(0.0), 4))
        10000 1.0 1.0
      1000000 0.3706 0.4324
    100000000 0.117 0.1366
    """
    wasserstein = _stein_distance(variance, third, fourth, neighbourhood, dependence)
    distance = (2.0 / math.pi) ** 0.25 * math.sqrt(wasserstein)
    return for_half_lines(variance, distance, step=step)


def epsilon_limit(variance: SupportsFloat, *, step: SupportsFloat = 1.0) -> float:
    """Return the constant in ``ε = O(√(ln(1/δ)/n))``: ``a·√(2/v)``.

    Parameters
    ----------
    variance : float
        The variance v > 0 of one of n independent records of one bounded law.
    step : float
        As in `gaussian`.

    Returns
    -------
    float
        The limit of ``ε·√(n/ln(1/δ))``, ε the least for δ, as δ → 0 and n → ∞ with
        ``ln(n)/ln(1/δ)`` and ``ln(1/δ)/n`` tending to 0. For a fixed δ the limit is 0, as δ(0)
        itself tends to 0.

    Examples
    --------
    >>> round(epsilon_limit(0.25), 4)
    2.8284
    """
    return as_step(step) * math.sqrt(2.0 / as_variance(variance))


def root_n_delta_limit(
    root_n_eps: SupportsFloat, variance: SupportsFloat, *, step: SupportsFloat = 1.0
) -> float:
    """Return the constant in ``δ = O(1/√n)``: the limit of ``√n·δ(c/√n)`` for n records of one law.

    With t = c√v/a it is ``(a/√v)·(φ(t) - t·Φ(-t))``, which is ``a/√(2πv)`` at ε = 0. So an ε of
    order 1/√n is enough; at the announced √(ln n/n), δ is of smaller order.

    Parameters
    ----------
    root_n_eps : float
        c ≥ 0.
    variance, step
        As in `epsilon_limit`; the records are integers of span 1, and a is an integer.

    Returns
    -------
    float
        The limit.

    Examples
    --------
    Fair bits, at ε = 0 and at ε = 2/√n:

    >>> round(root_n_delta_limit(0, 0.25), 4), round(root_n_delta_limit(2, 0.25), 4)
    (0.7979, 0.1666)
    """
    c = as_real(root_n_eps, "root_n_eps", "in [0, 1e6]", 0.0, 1e6)
    mu = as_step(step) / math.sqrt(as_variance(variance))
    t = c / mu
    density = math.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi)
    return mu * max(0.0, density - t * math.exp(float(log_ndtr(-t))))


def as_variance(variance: SupportsFloat, least: float = math.ulp(0.0)) -> float:
    """Return a variance as a float, positive unless 0 is allowed."""
    allowed = f"in {'[' if least == 0.0 else '('}0, {_MOST_VARIANCE:g}]"
    return as_real(variance, "variance", allowed, least, _MOST_VARIANCE)


def as_step(step: SupportsFloat, name: str = "step") -> float:
    """Return a length as a float in [10⁻⁶, 10⁹]."""
    return as_real(step, name, f"in [{_LEAST:g}, {_MOST:g}]", _LEAST, _MOST)


def _as_moment(moment: SupportsFloat, name: str) -> float:
    return as_real(moment, name, "in [0, 1e30]", 0.0, 1e30)
