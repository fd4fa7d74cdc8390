"""Count over a stationary Markov chain of bits: privacy profiles under two notions.

Each of n records is 1 with probability p, records next to each other have correlation ρ, and
records at distance d have correlation ρ^d: other records carry information about a record through
its neighbours only. This is the simplest dependence of unlimited range, and two notions of privacy
treat it in opposite ways. By Definition 3 a record is added or removed and the others keep their
law, whose variance grows with ρ > 0: at small ε they hide the record better than independent
records would, at larger ε worse. By the main paper's notion the record is 1 or 0 and its neighbours
have their law given that: r = (1 + ρ)/(1 - ρ) records move along in total. For fixed δ and growing
n, ε scales by about 1/√r and √r, respectively.
"""

from __future__ import annotations

from typing import SupportsFloat, SupportsIndex

from pkdp._checks import as_integer, as_real
from pkdp.noiseless._markov_chains import LEAST_CHANGES, MOST_STIFF, Arms, is_lively
from pkdp.partial_knowledge import counting
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import PrivacyProfile

__all__ = ["causal", "conditional"]

_MOST = 10**7
# Below, generating functions underflow.
_LEAST_P = 1e-75


def causal(n: SupportsIndex, p: SupportsFloat, correlation: SupportsFloat) -> PrivacyProfile:
    """Compute the exact profile of the count if the others keep their law (Definition 3).

    The n - 1 other records are a stationary chain. The target's record is independent of them, as
    an inserted one must be, or it is at an end and is set to 1 or 0 by an intervention, whatever it
    was (given what it was, `noiseless_privacy.causal` may be larger).

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10⁷.
    p : float
        Probability of a 1 for each record, in [1e-75, 1).
    correlation : float
        Correlation ρ of neighbours, less than 1 and above ``-min(p, 1-p)/max(p, 1-p)``, so that
        each bit may follow each.

    Returns
    -------
    PrivacyProfile
        Status "exact": of (S + 1, S), S the count of the others.

    Raises
    ------
    ValueError
        If an argument is outside its range; or if there are more than 32,768 records and fewer
        than 200 of them are expected to differ from the next one.
    TypeError
        If `n` is not an integer, or `p` or `correlation` not a number.

    Notes
    -----
    Masses of S are listed as far as they matter, and the positive parts of P - E·Q are summed. For
    ρ > 0 masses need not be log-concave (for two fair bits they are not if ρ > 1/3), so the best
    event need not be a half-line. In our tests ln δ is within a relative 1e-9 of the truth down to
    -600; the profile's `error` allows for the least likely outcome of all. A million bits with
    ρ = 0.9 take a tenth of a second for the first value, and a second or two for an ε.

    References
    ----------
    Grining and Klonowski, Definition 3. The paper has no example with a chain.

    Examples
    --------
    >>> independent, alike = causal(10**4, 0.5, 0.0), causal(10**4, 0.5, 0.6)
    >>> round(independent.epsilon(1e-6) / alike.epsilon(1e-6), 2)
    2.1
    """
    count, chain, rho = _checked(n, p, correlation)
    if rho == 0.0:
        return counting.exact([chain.start], multiplicities=[count - 1])
    others = Arms(chain, ((chain.start, count - 1),))
    return Pair(others.shift(1), others).profile()


def conditional(
    n: SupportsIndex,
    p: SupportsFloat,
    correlation: SupportsFloat,
    position: SupportsIndex | None = None,
) -> PrivacyProfile:
    """Compute the exact profile of the count given that one record is 1, against 0.

    Parameters
    ----------
    n, p, correlation
        As in `causal`; all n records are one chain.
    position : int, optional
        The place of the target's record, in 1…n; by default the middle, or the first of two middle
        places. For ρ < 0 an end may tell more.

    Returns
    -------
    PrivacyProfile
        Status "exact": the count given that the target's record is 1, against the count given that
        it is 0.

    Raises
    ------
    ValueError, TypeError
        As in `causal`; also if `position` is outside its range or not an integer.

    Notes
    -----
    Given the target's record the rows to its left and right are independent, and the left one has
    the same transitions when read backwards. For ρ > 0 the middle, with neighbours on both sides,
    told more than an end in all our trials, but we do not claim that it is the worst position. Cost
    and accuracy are those of `causal`, for two laws instead of one.

    References
    ----------
    The notion of `pkdp.definitions.np_ratio`, without knowledge.

    Examples
    --------
    Neighbours that move along tell more, and neighbours that do not hide more:

    >>> ratio = conditional(10**4, 0.5, 0.6).epsilon(1e-6) / causal(10**4, 0.5, 0.6).epsilon(1e-6)
    >>> round(ratio, 2)
    4.43
    """
    count, chain, rho = _checked(n, p, correlation)
    place = as_integer((count + 1) // 2 if position is None else position, "position", 1, count)
    if rho == 0.0:
        return counting.exact([chain.start], multiplicities=[count - 1])
    lengths = place - 1, count - place
    one = Arms(chain, tuple((1.0, length) for length in lengths))
    zero = Arms(chain, tuple((0.0, length) for length in lengths))
    return Pair(one.shift(1), zero).profile()


def _checked(
    n: SupportsIndex, p: SupportsFloat, correlation: SupportsFloat
) -> tuple[int, MarkovChain, float]:
    count = as_integer(n, "n", 2, _MOST)
    likely = as_real(p, "p", "in [1e-75, 1)", _LEAST_P, 1.0, without=(1.0,))
    chain = MarkovChain.stationary(likely, correlation)
    if count > MOST_STIFF and not is_lively(chain, count):
        raise ValueError(
            f"correlation must be so far from 1 that {LEAST_CHANGES:g} neighbours are expected to "
            f"differ, among more than {MOST_STIFF} records, got {correlation!r}"
        )
    return count, chain, float(correlation)
