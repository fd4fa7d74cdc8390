"""Post-processing: chained mechanisms of which only the last output is released (section 5.2).

The first mechanism reads the database; the second is a *channel*, which reads the first one's
output. The privacy of the chain depends on the profile h₁ of the first and on the profile h₂ of the
channel between **any two** of its inputs, as in local differential privacy. With
E = exp(ε)

    δ(E) ≤ h₁(E)·h₂(1 + (E - 1)/h₁(E)),

and for every E there are mechanisms with these profiles for which it is an equality. That is the
formula of amplification by sampling, with h₁(E) in the place of the sampling rate. It says next to
nothing of noise added to a count: two far counts are far apart after the noise, too. For that,
`pkdp.noise` is exact.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, SupportsFloat, TypeVar

from pkdp._checks import LARGEST_EPS, as_finite_ratio, as_law, as_real, as_several
from pkdp.profiles import accounting
from pkdp.profiles.logarithms import log_rest
from pkdp.profiles.profile import Formula, PrivacyProfile, as_relative, log_above, rounded_up

__all__ = ["attaining_channel", "chained", "of_guarantees", "pure"]

_Output = TypeVar("_Output", bound=Hashable)

# Rounding errors of the few operations between two profiles, generously.
_ULPS = 4e-15


def chained(first: PrivacyProfile, *channels: PrivacyProfile) -> PrivacyProfile:
    """Bound the privacy profile of a mechanism whose output passes through channels.

    Parameters
    ----------
    first : PrivacyProfile
        Of the mechanism that reads the database: exact, or an upper bound.
    *channels : PrivacyProfile
        Of each channel, between any two of its inputs: exact, or upper bounds. It does not matter
        how a long chain is grouped.

    Returns
    -------
    PrivacyProfile
        An upper bound, and at each ε the least one that follows from the profiles alone.

    Raises
    ------
    ValueError
        If a profile is neither exact nor an upper bound, or states no relative error.

    References
    ----------
    Balle, Barthe, Gaboardi and Geumlek, 2019, have the inequality at one ε, in their Theorem 1.

    Examples
    --------
    A count, of which it is only told whether it is large, and that by randomized response. For the
    count no ε goes with δ = 0:

    >>> from pkdp import accounting, counting
    >>> count, response = counting.worst_case(1000, 0.1), accounting.optimal(1.0, 0.0, times=1)
    >>> [round(profile.epsilon(0.0), 5) for profile in (count, response, chained(count, response))]
    [inf, 1.0, 0.04239]
    """
    for name, profile in (("first", first), *(("channels", channel) for channel in channels)):
        as_relative(profile, name)
    return rounded_up(Formula(_log_chained, first, channels), "upper bound")


def _log_chained(first: PrivacyProfile, channels: Sequence[PrivacyProfile], eps: float) -> float:
    log_height, loss = log_above(first, eps), eps
    for channel in channels:
        if log_height == -math.inf:
            break
        # Each step leads from H_E and E to H_E·h(E') and E', where E' - 1 = (E - 1)/H_E.
        loss = _next_loss(eps, log_height)
        log_height += log_above(channel, loss)
    return log_height


def _next_loss(eps: float, log_height: float) -> float:
    """``ln(1 + (E - 1)/h)``, rounded down; 0 at ε = 0, inf at inf."""
    if eps in (0.0, math.inf):
        return eps
    log_excess = eps + log_rest(-eps)
    slack = _ULPS * (1.0 + abs(log_excess) + abs(log_height))
    exponent = log_excess - log_height - slack
    softplus = max(exponent, 0.0) + math.log1p(math.exp(-abs(exponent)))
    return max(0.0, softplus * (1.0 - _ULPS))


def of_guarantees(
    epsilons: Iterable[SupportsFloat], deltas: Iterable[SupportsFloat]
) -> PrivacyProfile:
    """Bound the privacy profile of a chain of (ε, δ)-private mechanisms.

    Parameters
    ----------
    epsilons, deltas : iterable of float
        Of each mechanism of the chain, the first one first; in [0, 700] and [0, 1], equally many,
        at least one. All but the first are about any two inputs.

    Returns
    -------
    PrivacyProfile
        An upper bound, attained at each ε by a chain of such mechanisms, with inputs and outputs
        0 and 1. For two it is ``δ₂h + (1-δ₂)((E₂-1)h - (E-1))₊/(E₂+1)`` with
        ``h = δ₁ + (1-δ₁)(E₁-E)₊/(E₁+1)``.

    Raises
    ------
    ValueError
        If a value is outside its range, or there are not equally many of both.

    Examples
    --------
    The leak of a chain is the product of its parts':

    >>> chain = of_guarantees([1.0, 1.0], [1e-3, 1e-4])
    >>> [f"{chain.delta(eps):.3g}" for eps in (0.4, 0.5, 1.0, 3.0)]
    ['0.0205', '2.88e-05', '1e-07', '1e-07']
    """
    losses = as_several(epsilons, "epsilons", "numbers")
    leaks = as_several(deltas, "deltas", "numbers")
    if not losses or len(losses) != len(leaks):
        raise ValueError(
            "epsilons and deltas must be equally many, at least one, "
            f"got {len(losses)} and {len(leaks)}"
        )
    return chained(
        *(accounting.optimal(eps, leak, times=1) for eps, leak in zip(losses, leaks, strict=True))
    )


def pure(epsilons: Sequence[SupportsFloat]) -> float:
    """Return the ε of a chain of ε-private mechanisms.

    Parameters
    ----------
    epsilons : sequence of float
        Of each mechanism, in [0, 700], at least one; as in `of_guarantees`, all but the first are
        about any two inputs. The order of the numbers makes no difference.

    Returns
    -------
    float
        The least ε that holds for all such chains, rounded up by a few units in the last place:
        ``tanh(ε/2)`` is the product of the ``tanh(εᵢ/2)``, for two
        ``e^ε = (e^(ε₁+ε₂) + 1)/(e^ε₁ + e^ε₂)``.

    Raises
    ------
    ValueError
        If there is no ε, or one is outside [0, 700].

    References
    ----------
    Erlingsson et al., 2020, appendix B, as cited by the paper.

    Examples
    --------
    >>> [round(pure([1.0] * k), 4) for k in (1, 2, 3)]
    [1.0, 0.4338, 0.198]
    """
    allowed = f"in [0, {LARGEST_EPS:g}]"
    epsilons = as_several(epsilons, "epsilons", "numbers")
    losses = [as_real(eps, "epsilons", allowed, 0.0, LARGEST_EPS) for eps in epsilons]
    if not losses:
        raise ValueError("epsilons must be at least one, got none")
    smallest = min(losses)
    if smallest == 0.0 or len(losses) == 1:
        return smallest
    log_product = math.fsum(log_rest(-eps) - math.log1p(math.exp(-eps)) for eps in losses)
    # The ε with this tanh(ε/2) is ln(1 + tanh) - ln(1 - tanh).
    eps = math.log1p(math.exp(log_product)) - log_rest(log_product)
    return min(smallest, math.nextafter(eps * (1.0 + _ULPS * len(losses)), math.inf))


def attaining_channel(
    given_a: Mapping[_Output, object],
    given_b: Mapping[_Output, object],
    *,
    row: Mapping[Any, object],
    other: Mapping[Any, object],
    ratio: Fraction | int,
) -> dict[_Output, dict[Any, Fraction]]:
    """Return the channel that gives away as much as the bound of `chained` allows, at one ε.

    Parameters
    ----------
    given_a, given_b : mapping to Fraction
        The laws P and Q of the first mechanism's output that are to be told apart.
    row, other : mapping to Fraction
        Two laws of the channel's output.
    ratio : Fraction
        E = e^ε ≥ 1.

    Returns
    -------
    dict
        For each output x of the first mechanism a law: `row` where P(x) > E·Q(x), else `other`.

    Raises
    ------
    ValueError
        If a law or the ratio is none.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> P, Q = {0: half, 1: half}, {1: half, 2: half}
    >>> channel = attaining_channel(P, Q, row={"yes": 1}, other={"no": 1}, ratio=1)
    >>> {x: str(*law) for x, law in channel.items()}
    {0: 'yes', 1: 'no', 2: 'no'}
    """
    p, q = as_law(given_a, "given_a"), as_law(given_b, "given_b")
    yes, no = as_law(row, "row"), as_law(other, "other")
    E = as_finite_ratio(ratio)
    zero = Fraction(0)
    return {x: dict(yes if p.get(x, zero) > E * q.get(x, zero) else no) for x in {**p, **q}}
