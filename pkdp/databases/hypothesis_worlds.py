"""Worlds of two hypotheses: the hypothesis as the target record, and the cost of a parity.

Which of two hypotheses about memberships is true can be written into the database, as one more
record. Then the definitions of `pkdp.definitions` and `pkdp.partial_knowledge.posteriors` apply to
hypotheses: the hypothesis is the target, the bits are other records, and an attacker may know some
of these.

Databases about which two hypotheses agree, jointly, can be dropped from the bound by composition.
In the extreme case they agree about all databases except any one: then they differ in a parity, and
only an attacker who sees all databases at once learns anything.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_chance, as_guarantees
from pkdp.databases._priors import as_exact_priors
from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.logarithms import FloatArray, log_rest, log_sum
from pkdp.profiles.profile import Formula, PrivacyProfile, rounded_up
from pkdp.worlds.world import World, as_indices

__all__ = ["parity", "world"]

_MOST_DATABASES: Final = 10**4
# The most sets of leaks that are listed.
_MOST_LEAKS: Final = 2**20
# Relative rounding error of a logarithm.
_ERROR: Final = 1e-15


def world(
    prior: Mapping[tuple[int, ...], Fraction | int],
    other: Mapping[tuple[int, ...], Fraction | int],
    *,
    known: Iterable[int] = (),
    chance: Fraction | int = Fraction(1, 2),
) -> World:
    """Return the world whose record 0 says which of two hypotheses is true.

    Parameters
    ----------
    prior, other : mapping
        The hypotheses, exactly: ``{bits: Fraction}`` with tuples of k bits, k ≥ 1.
    known : iterable of int
        The databases for which the attacker knows whether they hold the target, in ``1…k``.
    chance : Fraction
        Probability in (0, 1) that `prior` is the true one. Of all that is said about record 0, only
        beliefs depend on it.

    Returns
    -------
    World
        A database is ``(h, b_1, …, b_k)``: h is 1 and the bits are drawn from `prior`, or 0 and
        from `other`. The knowledge is the tuple of known bits.

    Raises
    ------
    ValueError
        If a hypothesis has probabilities that are negative or do not sum to 1, the vectors do not
        have the same number of bits, at least one, or `known` or `chance` is outside its range.
    TypeError
        If a hypothesis is not a mapping, or a probability not exact.

    References
    ----------
    Hartmann, Bindschaedler and West, Definition 3; Partial knowledge, Definitions 3, 12 and 13.

    Examples
    --------
    A person is in one of two databases or in none, and the attacker knows about the first:

    >>> one, none = {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}, {(0, 0): 1}
    >>> print(world(one, none, known=[1]))
    database   knowledge  probability
    (0, 0, 0)  (0,)       1/2
    (1, 0, 1)  (0,)       1/4
    (1, 1, 0)  (1,)       1/4
    """
    first, second = as_exact_priors(prior, other, _MOST_DATABASES)
    k = len(next(iter(first)))
    share = as_chance(chance, "chance")
    if share in (0, 1):
        raise ValueError(f"chance must be in (0, 1), got {chance}")
    numbers = as_indices(known, "known", k + 1)
    if 0 in numbers:
        raise ValueError(f"known must be in 1…{k}, got 0, which is the hypothesis")
    masses = {
        (h, *bits): weight * mass
        for h, law, weight in ((1, first, share), (0, second, 1 - share))
        for bits, mass in law.items()
    }
    return World(
        {(row, tuple(row[i] for i in numbers)): mass for row, mass in masses.items()}, (0, 1)
    )


def parity(epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0) -> PrivacyProfile:
    """Compute the profile of the parity of the number of databases that hold a person's record.

    Under both hypotheses all vectors of that parity are equally likely, so without any one of the
    databases the replies have the same law under both. Of all pairs of hypotheses that give every
    k - 1 of the k memberships the same law, these cost most.

    Parameters
    ----------
    epsilons : array_like, shape (k,)
        ε of the mechanism of each database, in [0, 700]; k in 1…10⁴.
    deltas : array_like, shape (k,) or a number
        δ of each, in [0, 1].

    Returns
    -------
    PrivacyProfile
        Exact for the worst mechanisms, rounded up. With δ = 0, ε' is given by
        ``tanh(ε'/2) = Π tanh(ε_i/2)``.

    Raises
    ------
    ValueError
        If an argument is outside its range or has the wrong shape, or if there are more than 2²⁰
        combinations of numbers of leaks for each (ε, δ), which takes at least 20 different
        mechanisms.

    Notes
    -----
    If exactly the mechanisms of a set L leak, the replies are equivalent to randomized response to
    the parity, where tanh(ε'/2) is the product over the others. δ is the mean over L.

    Examples
    --------
    >>> profile = parity([math.log(3)] * 2)  # odds (1 + 3·3) : (3 + 3)
    >>> round(math.exp(profile.epsilon(0.0)), 9)
    1.666666667
    >>> round(parity([1.0] * 10).epsilon(0.0), 6)
    0.000888
    """
    each, leaks = as_guarantees(epsilons, deltas, 1, _MOST_DATABASES)
    groups = Counter(zip(each.tolist(), leaks.tolist(), strict=True))
    ways = math.prod(number + 1 for (_, leak), number in groups.items() if 0.0 < leak < 1.0)
    if ways > _MOST_LEAKS:
        raise ValueError(f"deltas must let leaks combine in at most {_MOST_LEAKS} ways, got {ways}")
    log_weights, log_tanh = np.zeros(1), np.zeros(1)
    for (eps, leak), number in groups.items():
        log_w, log_t = _leaks(eps, leak, number)
        log_weights = np.add.outer(log_weights, log_w).ravel()
        log_tanh = np.add.outer(log_tanh, log_t).ravel()
    # δ at ε = 0 is Σ w·tanh, which may be far below all floats.
    log_delta = min(0.0, log_sum(log_weights + log_tanh))
    told = Formula(
        _log_parity, tuple(log_weights.tolist()), tuple(_doubled_artanh(log_tanh)), log_delta
    )
    return rounded_up(told, "exact")


def _leaks(eps: float, leak: float, number: int) -> tuple[FloatArray, FloatArray]:
    """Return ln of the law of how many do not leak, and of their products of tanh(ε/2)."""
    if leak in (0.0, 1.0):
        silent, log_w = np.array([number if leak == 0.0 else 0]), np.zeros(1)
    else:
        silent = np.arange(number + 1)
        log_w = np.asarray(log_binomial_pmf(number - silent, number, leak), dtype=np.float64)
    log_one = log_rest(-eps) - math.log1p(math.exp(-eps))
    # The product of none is 1 even if the factor is 0.
    log_t = np.array([n * log_one if n else 0.0 for n in silent.tolist()])
    return log_w, log_t


def _doubled_artanh(log_tanh: FloatArray) -> list[float]:
    """Return 2 artanh e^x for x ≤ 0, rounded up, exactly inf for 0."""
    return [
        (1.0 + _ERROR * (10.0 - max(x, -1e300)))  # 0 for -inf, not NaN
        * (2.0 * math.atanh(math.exp(x)) if x < -0.5 else math.log1p(math.exp(x)) - log_rest(x))
        for x in log_tanh.tolist()
    ]


def _log_parity(
    log_weights: tuple[float, ...], etas: tuple[float, ...], log_delta: float, eps: float
) -> float:
    """Return ln δ of a mixture of randomized responses, each with its own ε; given that at 0."""
    if eps == 0.0:
        return log_delta
    parts = [
        w if eta == math.inf else w + log_rest(eps - eta) - math.log1p(math.exp(-eta))
        for w, eta in zip(log_weights, etas, strict=True)
        if eta > eps or eta == math.inf
    ]
    return min(0.0, log_sum(np.array(parts))) if parts else -math.inf
