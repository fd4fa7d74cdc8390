"""Formulas of "On the Choice of Databases in Differential Privacy Composition", as published.

Hartmann, Bindschaedler and West, 2022, section V-B and Appendix C. Nothing here is a guarantee: the
correct statements are in `pkdp.databases.sampling`. The text available to us lacks its formulas, so
these were reconstructed from the words around them. For Theorem 3 and its corollaries, the words
say what a formula follows from and what it implies, which leaves little choice.

Each function returns (ε', δ'). The paper's definition requires such a pair in both directions.
"""

from __future__ import annotations

import math
from typing import Final, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_each, as_floats
from pkdp.databases.sampling import Guarantee, averaged, by_first, uniform

__all__ = ["averaging", "corollary_6", "corollary_7", "theorem_3"]

_MOST_TERMS: Final = 1000  # beyond, weights are no floats


def averaging(
    weights: npt.ArrayLike, epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0
) -> Guarantee:
    """Compute the average of Equation 3, as reconstructed, for vectors matched with any vectors.

    Parameters
    ----------
    weights : array_like, shape (m,)
        Weights of the matched pairs, which sum to 1.
    epsilons : array_like, shape (m,)
        The ε_i of each pair, in [0, inf].
    deltas : array_like, shape (m,) or a number
        The δ_i of each pair, in [0, 1].

    Returns
    -------
    Guarantee
        ``ln Σ w_i·e^ε_i`` and ``Σ w_i·δ_i``: not a guarantee if both hypotheses are mixtures.

    References
    ----------
    Section V-B. The text available to us lacks the formula for two mixtures; Equation 3 has one.

    Examples
    --------
    >>> import math
    >>> eps, delta = averaging([0.5, 0.5], [0.0, math.log(3)], 0.01)
    >>> round(math.exp(eps), 12), delta
    (2.0, 0.01)
    """
    return averaged(weights, epsilons, deltas)[0]


def theorem_3(epsilons: npt.ArrayLike, deltas: npt.ArrayLike = 0.0) -> Guarantee:
    """Compute Theorem 3 as reconstructed: the uniform prior on all b except 0, against b = 0.

    Parameters
    ----------
    epsilons, deltas : array_like, shape (k,) each; deltas may be a number
        (ε_i, δ_i) of the composition of mechanism i with the subsampled mechanisms after it.

    Returns
    -------
    Guarantee
        ``ln Σ w_i·e^ε_i`` and ``Σ w_i·δ_i`` with ``w_i = 2^(k-i)/(2^k-1)``.

    References
    ----------
    Theorem 3; reconstructed from Appendix C, which divides the b by their first 1, and from
    Corollary 7.

    Examples
    --------
    >>> import math
    >>> eps, delta = theorem_3([math.log(4), math.log(7)], [0.3, 0.0])
    >>> round(math.exp(eps), 12), round(delta, 12)
    (5.0, 0.2)
    """
    each = as_floats(epsilons, "epsilons", "in [0, inf]", 0.0, math.inf)
    if each.ndim != 1 or not 1 <= each.size <= _MOST_TERMS:
        raise ValueError(
            f"epsilons must be 1…{_MOST_TERMS} numbers in a row, got shape {each.shape}"
        )
    return averaging(by_first(np.full(each.size, 0.5)), each, deltas)


def corollary_6(
    epsilons: npt.ArrayLike,
    later: npt.ArrayLike,
    deltas: npt.ArrayLike = 0.0,
    later_deltas: npt.ArrayLike = 0.0,
) -> Guarantee:
    """Compute Corollary 6 as reconstructed: Theorem 3 with simple composition in each term.

    Parameters
    ----------
    epsilons, deltas : array_like, shape (k,) each; deltas may be a number
        (ε_i, δ_i) of the mechanisms.
    later, later_deltas : array_like, shape (k,) each; later_deltas may be a number
        (ε, δ) of the composition of the subsampled mechanisms after the i-th; for the last 0.

    Returns
    -------
    Guarantee
        Theorem 3's of the sums.

    References
    ----------
    Corollary 6, reconstructed from its words.

    Examples
    --------
    >>> import math
    >>> eps, delta = corollary_6([0.0, math.log(7)], [math.log(4), 0.0], [0.3, 0.0])
    >>> round(math.exp(eps), 12), round(delta, 12)
    (5.0, 0.2)
    """
    each = as_floats(epsilons, "epsilons", "in [0, inf]", 0.0, math.inf)
    rest = as_floats(later, "later", "in [0, inf]", 0.0, math.inf)
    if rest.shape != each.shape:
        raise ValueError(f"later must have the shape of epsilons, {each.shape}, got {rest.shape}")
    leaks, more = (
        as_each(deltas, "deltas", each.size),
        as_each(later_deltas, "later_deltas", each.size),
    )
    return theorem_3(each + rest, np.minimum(leaks + more, 1.0))


def corollary_7(k: SupportsIndex, eps: SupportsFloat, delta: SupportsFloat = 0.0) -> Guarantee:
    """Compute Corollary 7, and Equations 3 and 4, as reconstructed: k equal mechanisms.

    Parameters
    ----------
    k : int
        Number of databases, in 1…10⁶.
    eps, delta : float
        The guarantee of each mechanism, ε in [0, 700] and δ in [0, 1].

    Returns
    -------
    Guarantee
        ``ln(((1+e^ε)^k - 1)/(2^k - 1))`` and ``δ·k·2^(k-1)/(2^k - 1)``, at most 1.

    References
    ----------
    Corollary 7; reconstructed from the words around Equations 3 and 4.

    Examples
    --------
    >>> import math
    >>> eps, delta = corollary_7(2, math.log(3), 0.3)
    >>> round(math.exp(eps), 12), round(delta, 12)
    (5.0, 0.4)
    """
    return uniform(k, eps, delta)
