"""Counts with geometric, Laplace or binomial noise: section 5.2 of the paper.

A count with noise is private for two reasons: the attacker does not know the other records, and
she does not know the noise. The noise protects a record even if she knows all others; if she does
not, it adds to what the unknown records hide. Nothing is simulated: noise of two-sided geometric
masses (Definition 19) or of Laplace's density spreads a law by two linear recurrences, one from the
left and one from the right,

    A_k = p·A_{k-1} + s_k,    B_k = s_k + p·B_{k+1},    s_k = P[S = k],

so that a profile costs as much as that of the count alone. Both noises have log-concave laws, and
so has a count; likelihood ratios then are monotone with noise as they are without it, and bounded:
two counts that differ by 1 have no loss above ln(1/p), and δ is 0 for every ε from there on.

`Geometric` and `Laplace` are the noises. `Noise.profile` is the profile of noise alone, `add` adds
noise to a pair, and `worst_case` is the worst case of a count with noise.

Throughout, ``n`` counts all records including the target, ``known`` how many of the others the
attacker knows, and N = n - 1 - known. Records are independent of each other to the attacker.
"""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._checks import (
    MOST_RECORDS,
    as_integer,
    as_probabilities,
    as_real,
    as_tolerance,
    as_uncertainty,
    unknown_records,
)
from pkdp.partial_knowledge import counting
from pkdp.profiles.additive_noise import (
    Geometric,
    Laplace,
    Noise,
    NoisyPair,
    add,
    as_noise,
)
from pkdp.profiles.profile import PrivacyProfile, rounded_up
from pkdp.releases import NoisyBlanket, WorstNoisyCount, WorstVertex

__all__ = [
    "Geometric",
    "Laplace",
    "Noise",
    "NoisyPair",
    "add",
    "binomial",
    "blanket",
    "worst_case",
    "worst_vertex",
]

# Tilted means of more records would have too few digits.
_MOST_RECORDS = 10**9


def binomial(probabilities: npt.ArrayLike, *, trials: SupportsIndex) -> PrivacyProfile:
    """Return the exact profile of a count with binomial noise added to it: fair bits.

    Parameters
    ----------
    probabilities
        As in `pkdp.counting.pair`.
    trials : int
        How many fair bits are added, in 0…10¹⁰.

    Returns
    -------
    PrivacyProfile
        Status "exact": a bit of noise counts like an unknown record of probability ½.

    Raises
    ------
    ValueError, TypeError
        As in `pkdp.counting.pair`; also if `trials` is outside its range.

    References
    ----------
    Section 5.2 of the paper; Dwork, Kenthapadi, McSherry, Mironov and Naor (2006).

    Examples
    --------
    Nobody's record is uncertain, and ten fair bits are added:

    >>> round(binomial([], trials=10).delta(0.5), 6)
    0.093579
    """
    values = as_probabilities(probabilities, "probabilities")
    times = [1] * values.size + [as_integer(trials, "trials", 0, MOST_RECORDS)]
    return counting.exact(np.append(values, 0.5), multiplicities=times)


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
    rises in m and then falls, but the best event moves with m. A branch and bound over m
    evaluates few of them: what a range of numbers m has in common bounds δ for each of them. For
    many records a polynomial in m suffices, as the largest δ of all events, whatever the lattice,
    is smooth in m. Its error is estimated from its last coefficients; the estimate is tested
    against branch and bound and against `certified`, not proved.

    Certified values prove the maximum, too, by a branch and bound over m in ball arithmetic, and
    with Laplace noise over all real outputs at which an event may begin. One takes a second or so,
    whatever n is; next to the rate of the noise, or for a small `tol` at an ε close to 0, several
    or even a minute. A search that gives up proves ends that are further apart than `tol`.

    One value takes some ten milliseconds for n up to 10⁹, unless ε is close to 0 and `tol` too
    small for that; then all vertices have the same δ to a few digits, and the search may end early;
    the values then are less sharp, but upper ends all the same. `epsilon` computes some 15 values,
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
    return rounded_up(WorstNoisyCount(unknown, lam, as_noise(noise), tol), "exact", tol)


def worst_vertex(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    noise: Noise,
    known: SupportsIndex = 0,
    eps: SupportsFloat,
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
    return WorstNoisyCount(unknown, lam, as_noise(noise), tol).worst_vertex(eps)


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
    return rounded_up(NoisyBlanket(unknown, lam, as_noise(noise)), "upper bound")


def _unknown(n: SupportsIndex, known: SupportsIndex) -> int:
    """Return the number of unknown records."""
    return unknown_records(as_integer(n, "n", 2, _MOST_RECORDS), known)
