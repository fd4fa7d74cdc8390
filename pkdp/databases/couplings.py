r"""Couplings of two hypotheses: transport bounds on the cost of distinguishing them.

For mechanisms that are ε_i-private, vectors b and c of bits have the distance

    d(b, c) = Σ_{i: b_i ≠ c_i} ε_i,

and no output is more than e^{d(b, c)} times as likely under b as under c. A *coupling* of two
hypotheses matches the weights of the vectors of one with those of the other, and so bounds the ε
that distinguishes them: by the largest distance of a match. `refine` computes the coupling of the
paper, `transport` the one whose largest distance is least. A finer bound is the average of
e^{d(b, c)} over all that is matched with the same c, maximized over c; `columnwise` computes it.
The least such bound is the cost of two hypotheses if a single mechanism may see all databases and
is ε_i-private in each: `joint` solves the linear program and its dual, so that a mechanism proves
the lower end, `worst_event`, and a coupling the upper end, `kernel`.

The cost if each mechanism sees only its own database is in `hypotheses`; it can be far less. All of
this is for δ = 0.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, SupportsFloat, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_choice, as_floats, as_real, as_several
from pkdp.databases._linear_program import Program, Solution
from pkdp.databases._priors import Bits, as_vector, as_vectors
from pkdp.databases.hypotheses import Prior
from pkdp.profiles._plateaus import sum_above
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.privacy_loss import Interval

__all__ = [
    "Match",
    "columnwise",
    "joint",
    "kernel",
    "largest",
    "orders",
    "refine",
    "transport",
    "worst_event",
]

Direction: TypeAlias = Literal["both", "forth", "back"]

_MOST_DATABASES: Final = 10
_LARGEST_EPS: Final = 50.0  # so that e^{Σε} is a float, and its square nearly
# How far from 1 the sum of weights may be.
_TOLERANCE: Final = Fraction(1, 10**9)
_MOST_WEIGHT: Final = 1.0 + 2e-9
# The most tuples of two hypotheses whose orders are searched: 2^14 pairs of subsets.
_MOST_ORDERED: Final = 14
# Sums of up to 2^10 products of positive floats, and exponentials of up to 500: relative errors
# below 2^10·2^-53 + 500·2^-52.
_ERROR: Final = 1e-12


class Match(NamedTuple):
    """A share of a coupling: two vectors and the weight matched between them.

    Attributes
    ----------
    bits, other : tuple of int
        Vectors of the first and of the second hypothesis.
    weight : float or Fraction
        The weight of the first that is matched with the second.
    """

    bits: Bits
    other: Bits
    weight: float | Fraction


# Couplings, exactly


def refine(prior: Prior, other: Prior) -> tuple[Match, ...]:
    """Compute the coupling of the paper's refinement of tuples, in the order of the arguments.

    Parameters
    ----------
    prior, other : mapping of tuple of int to float or Fraction, or array_like of shape (2,)*k
        Hypotheses on k ≤ 10 bits. Weights ≥ 0 that sum to 1 within 1e-9; they are divided by
        their sum. Tuples are taken in the order of a mapping; those of an array, of floats, in
        lexicographic order.

    Returns
    -------
    tuple of Match
        At most one fewer than both hypotheses have vectors of positive weight. The weights are
        fractions if both hypotheses are mappings to fractions or integers; otherwise they are
        rounded to floats.

    Raises
    ------
    ValueError
        If a weight, a sum or a shape is outside its range, or the numbers of bits differ.
    TypeError
        If a hypothesis is neither a mapping nor an array, or its weights are not numbers.

    Notes
    -----
    The smaller weight of the first remaining tuples is matched and subtracted from both: the
    north-west corner rule of transport. The paper does not say which tuples are taken, and the
    result depends on it: see `orders`.

    References
    ----------
    Hartmann, Bindschaedler and West (2022), Algorithm 3.

    Examples
    --------
    Identical hypotheses, listed in two orders:

    >>> half = Fraction(1, 2)
    >>> there, back = {(0,): half, (1,): half}, {(1,): half, (0,): half}
    >>> largest(refine(there, there), [1.0]), largest(refine(there, back), [1.0])
    (0.0, 1.0)
    """
    first, second = _as_two(prior, other)
    return _matches(_corners(list(first.items()), list(second.items())), prior, other)


def transport(prior: Prior, other: Prior, epsilons: npt.ArrayLike) -> tuple[Match, ...]:
    """Compute an optimal coupling: one whose largest distance is least (∞-Wasserstein distance).

    Parameters
    ----------
    prior, other : as in `refine`
        Hypotheses on k bits.
    epsilons : array_like, shape (k,)
        ε_i of the mechanisms, in [0, 50].

    Returns
    -------
    tuple of Match
        Its `largest` is the ∞-Wasserstein distance of the hypotheses.

    Raises
    ------
    ValueError, TypeError
        As in `refine`; also if an ε is outside its range, or their number is not k.

    Notes
    -----
    Exact: floats stand for exactly their value. The distance is not continuous in the weights, and
    1/3 is not a float; give fractions if it matters. A maximum flow decides whether a distance is
    enough, and bisection finds the least, within a second for k = 10.

    References
    ----------
    Not in the paper. S. Song, Y. Wang and K. Chaudhuri, Pufferfish privacy mechanisms for
    correlated data, 2017: the Wasserstein mechanism.

    Examples
    --------
    >>> even, odd = {(0, 0): 0.5, (1, 1): 0.5}, {(0, 1): 0.5, (1, 0): 0.5}
    >>> largest(transport(even, odd, [1.0, 2.0]), [1.0, 2.0])
    1.0
    """
    first, second = _as_two(prior, other)
    distances = _distances(_as_epsilons(epsilons, first))
    # Weights as integers, in units of the common denominator.
    common = math.lcm(*(w.denominator for w in (*first.values(), *second.values())))
    supply, demand = ([int(w * common) for w in law.values()] for law in (first, second))
    lefts, rights = ([_number(bits) for bits in law] for law in (first, second))
    between = [[distances[b ^ c] for c in rights] for b in lefts]
    levels = sorted(set(distances))

    @functools.cache
    def shipped(level: float) -> dict[tuple[int, int], int] | None:
        """Return a flow of everything over at most this distance, if there is one."""
        adjacent = [sum(1 << j for j, d in enumerate(row) if d <= level) for row in between]
        return _shipped(adjacent, supply, demand)

    enough = bisect.bisect_left(
        levels, True, hi=len(levels) - 1, key=lambda level: shipped(level) is not None
    )
    flow = shipped(levels[enough])
    assert flow is not None  # the largest level allows every match
    vectors, others = list(first), list(second)
    pairs = [(vectors[i], others[j], Fraction(n, common)) for (i, j), n in sorted(flow.items())]
    return _matches(pairs, prior, other)


def orders(prior: Prior, other: Prior, epsilons: npt.ArrayLike) -> Interval:
    """Find the least and the largest ε that `refine` proves, over all orders of the two lists.

    Parameters
    ----------
    prior, other, epsilons : as in `transport`
        Hypotheses with at most 14 vectors of positive weight in total.

    Returns
    -------
    Interval
        The `largest` distance of the coupling in the best and in the worst order.

    Raises
    ------
    ValueError, TypeError
        As in `transport`; also if there are too many vectors.

    Notes
    -----
    In the worst order the two vectors farthest apart come first, of all that are possible under the
    hypotheses. For the best order all are searched; those that begin with the same sets of tuples
    are treated as one.

    References
    ----------
    Not in the paper, which does not specify the order of its Algorithm 3.

    Examples
    --------
    >>> uniform = {(0, 0): 0.25, (0, 1): 0.25, (1, 0): 0.25, (1, 1): 0.25}
    >>> orders(uniform, uniform, [1.0, 1.0])
    Interval(lower=0.0, upper=2.0)
    """
    first, second = _as_two(prior, other)
    distances = _distances(_as_epsilons(epsilons, first))
    if len(first) + len(second) > _MOST_ORDERED:
        raise ValueError(
            f"prior and other must have at most {_MOST_ORDERED} vectors of positive weight "
            f"together, got {len(first)} and {len(second)}"
        )
    between = [[distances[_number(b) ^ _number(c)] for c in second] for b in first]
    levels = sorted({d for row in between for d in row})
    weights = list(first.values()), list(second.values())
    least = next(d for d in levels if _some_order(between, *weights, d))
    return Interval(least, levels[-1])


# What a coupling proves


def largest(matches: Iterable[Match], epsilons: npt.ArrayLike) -> float:
    """Compute the ε that a coupling proves by its largest distance.

    Parameters
    ----------
    matches : several Match
        A coupling of two hypotheses on k bits.
    epsilons : array_like, shape (k,)
        ε_i of the mechanisms, in [0, 50].

    Returns
    -------
    float
        The largest ``Σ ε_i``, over the bits in which a match differs; rounded up. The hypotheses
        are (ε, 0)-indistinguishable in both directions, adaptively chosen databases included.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    TypeError
        If `matches` are not matches.

    References
    ----------
    Hartmann, Bindschaedler and West (2022), Appendix B, where every match has the same ε.

    Examples
    --------
    >>> largest([Match((0, 0), (0, 1), 0.5), Match((1, 1), (0, 1), 0.5)], [1.0, 3.0])
    3.0
    """
    coupling = _as_matches(matches)
    eps = _as_epsilons(epsilons, {match.bits: Fraction(1) for match in coupling})
    distances = _distances(eps)
    return max(distances[_number(match.bits) ^ _number(match.other)] for match in coupling)


def columnwise(matches: Iterable[Match], other: Prior, epsilons: npt.ArrayLike) -> float:
    """Compute the ε that a coupling proves for its first hypothesis against another one.

    Parameters
    ----------
    matches : several Match
        The marginal of the first vectors is the first hypothesis p. That of the second vectors is
        arbitrary, but they must be possible under `other`.
    other : as in `refine`
        The second hypothesis q.
    epsilons : array_like, shape (k,)
        ε_i of the mechanisms, in [0, 50].

    Returns
    -------
    float
        ``ln max_c Σ_b w(b, c)·e^{d(b, c)}/q(c)``, rounded up by 1e-12; inf if a match has a second
        vector that is impossible under `other`. No output is more than e^ε times as likely under p
        as under q; for the other direction, exchange them.

    Raises
    ------
    ValueError, TypeError
        As in `transport` and in `largest`.

    References
    ----------
    Not in the paper. An average over all matches would be too small: see the page on section V-B.

    Examples
    --------
    >>> pair = [Match((0, 0), (0, 0), 0.5), Match((1, 1), (0, 0), 0.5)]
    >>> round(math.exp(columnwise(pair, {(0, 0): 1}, [math.log(2.0)] * 2)), 9)
    2.5
    """
    coupling = _as_matches(matches)
    second = _as_prior(other, "other")
    _as_two({coupling[0].bits: 1}, second)
    distances = _distances(_as_epsilons(epsilons, second))
    sums: dict[Bits, list[float]] = {}
    for bits, c, weight in coupling:
        if weight > 0.0:
            terms = sums.setdefault(c, [])
            terms.append(float(weight) * math.exp(distances[_number(bits) ^ _number(c)]))
    if any(c not in second for c in sums):
        return math.inf
    sizes = {c: float(second[c]) for c in sums}
    if 0.0 in sizes.values():  # smaller than floats
        return math.inf
    return _up(max(math.fsum(terms) / sizes[c] for c, terms in sums.items()))


# The best bound of a coupling, and a mechanism that attains it


def joint(
    prior: Prior, other: Prior, epsilons: npt.ArrayLike, *, direction: Direction = "both"
) -> Interval:
    """Bound the cost of two hypotheses if a single mechanism may see all databases.

    Parameters
    ----------
    prior, other, epsilons : as in `transport`
        Hypotheses p and q on k ≤ 10 bits, and the ε_i. The mechanism is ε_i-private in database
        i, whatever the others are.
    direction : {"both", "forth", "back"}
        The direction: outputs more likely under p than under q ("forth"), under q than under p
        ("back"), or the larger of both.

    Returns
    -------
    Interval
        The least ε such that no output of such a mechanism is more than e^ε times as likely. The
        mechanism of `worst_event` attains the lower end, and `columnwise` proves the upper end with
        `kernel`, each within 1e-12; so they hold whatever the solver returns. For ε_i up to 3 they
        were within 1e-7 of each other in all random trials, mostly within 1e-8. For larger ones
        they rarely differ more, by up to 1.

    Raises
    ------
    ValueError, TypeError
        As in `transport`; also if `direction` is another word.

    Notes
    -----
    ``max E_p f / E_q f`` over all f > 0 with ``f(b) ≤ e^{d(b, c)}·f(c)``, the probabilities f of an
    output. These are k·2^k inequalities, one for each edge of the cube. The dual moves p along the
    edges until it is as flat as possible relative to q; every unit that crosses edge i grows by
    e^{ε_i}. For k = 10 it takes seconds.

    References
    ----------
    Not in the paper, where every mechanism sees its own database.

    Examples
    --------
    The parity of two bits, which separate mechanisms hardly reveal:

    >>> even, odd = {(0, 0): 0.5, (1, 1): 0.5}, {(0, 1): 0.5, (1, 0): 0.5}
    >>> [round(eps, 9) for eps in joint(even, odd, [1.0, 1.0])]
    [1.0, 1.0]
    """
    first, second = _as_two(prior, other)
    eps = _as_epsilons(epsilons, first)
    p, q = _as_array(first), _as_array(second)
    word = as_choice(direction, "direction", get_args(Direction))
    pairs = {"forth": [(p, q)], "back": [(q, p)], "both": [(p, q), (q, p)]}[word]
    found = [Program(a, b, eps).solved() for a, b in pairs]
    lower = max(math.log(solution.lower) - _ERROR for solution in found)
    upper = max(_up(solution.upper) for solution in found)
    return Interval(max(0.0, lower), upper)


def worst_event(prior: Prior, other: Prior, epsilons: npt.ArrayLike) -> FloatArray:
    """Return the output of a joint mechanism that distinguishes two hypotheses best.

    Parameters
    ----------
    prior, other, epsilons : as in `joint`
        Hypotheses p and q, and the ε_i.

    Returns
    -------
    ndarray, shape (2,)*k
        f with largest value 1: proportional to the probability, given the bits, of the output that
        is most likely under p compared with q. Times a small number, it is the law of a single
        output that is ε_i-private in bit i, and so is the rest.

    Raises
    ------
    ValueError, TypeError
        As in `joint`.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> even, odd = {(0, 0): 0.5, (1, 1): 0.5}, {(0, 1): 0.5, (1, 0): 0.5}
    >>> worst_event(even, odd, [math.log(2.0)] * 2).round(9).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    solution = _forth(prior, other, epsilons)
    f: FloatArray = np.exp(solution.log_f - solution.log_f.max())
    return f


def _forth(prior: Prior, other: Prior, epsilons: npt.ArrayLike) -> Solution:
    """Solve the linear program of one direction."""
    first, second = _as_two(prior, other)
    eps = _as_epsilons(epsilons, first)
    return Program(_as_array(first), _as_array(second), eps).solved()


def kernel(prior: Prior, other: Prior, epsilons: npt.ArrayLike) -> tuple[Match, ...]:
    """Return the coupling that proves the best bound for a hypothesis against another one.

    Parameters
    ----------
    prior, other, epsilons : as in `joint`
        Hypotheses p and q, and the ε_i.

    Returns
    -------
    tuple of Match
        The marginal of the first vectors is p, up to rounding; that of the second is arbitrary. Its
        `columnwise` bound is the upper end of `joint` in the direction "forth". Weights below 1e-30
        are omitted.

    Raises
    ------
    ValueError, TypeError
        As in `joint`.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> even, odd = {(0, 0): 0.5, (1, 1): 0.5}, {(0, 1): 0.5, (1, 0): 0.5}
    >>> best = kernel(even, odd, [1.0, 1.0])
    >>> round(columnwise(best, odd, [1.0, 1.0]), 9)
    1.0
    """
    weights = _forth(prior, other, epsilons).weights
    vectors = list(np.ndindex((2,) * (len(weights).bit_length() - 1)))
    return tuple(
        Match(vectors[b], vectors[c], float(weights[b, c]))
        for b, c in np.argwhere(weights > 1e-30).tolist()
    )


def _up(ratio: float) -> float:
    """Return the logarithm of a ratio, rounded up by the errors of floats."""
    return math.log(max(1.0, ratio)) + _ERROR


# Couplings by hand


def _corners(
    first: Sequence[tuple[Bits, Fraction]], second: Sequence[tuple[Bits, Fraction]]
) -> list[tuple[Bits, Bits, Fraction]]:
    """Match two lists of tuples with equal sums from their beginnings."""
    lefts, rights, pairs = list(first[::-1]), list(second[::-1]), []
    while lefts and rights:
        (b, beta), (c, gamma) = lefts.pop(), rights.pop()
        weight = min(beta, gamma)
        pairs.append((b, c, weight))
        if beta > weight:
            lefts.append((b, beta - weight))
        if gamma > weight:
            rights.append((c, gamma - weight))
    return pairs


def _shipped(
    adjacent: Sequence[int], supply: Sequence[int], demand: Sequence[int]
) -> dict[tuple[int, int], int] | None:
    """Find a flow from each i to those j that are bits of ``adjacent[i]``, or None."""
    right, wanting = list(demand), (1 << len(demand)) - 1
    shipped: list[Counter[int]] = [Counter() for _ in right]
    for source, left in enumerate(supply):
        while left:
            path = _augmenting(source, adjacent, shipped, wanting)
            if path is None:
                return None
            # To each j from the i before it, not from the one after.
            sources, targets = path[::2], path[1::2]
            returned = list(zip(sources[1:], targets, strict=False))
            amount = min(left, right[targets[-1]], *(shipped[j][i] for i, j in returned))
            left -= amount
            right[targets[-1]] -= amount
            wanting ^= (right[targets[-1]] == 0) << targets[-1]
            for i, j in zip(sources, targets, strict=True):
                shipped[j][i] += amount
            for i, j in returned:
                shipped[j][i] -= amount
    return {(i, j): n for j, by in enumerate(shipped) for i, n in by.items() if n}


def _augmenting(
    source: int, adjacent: Sequence[int], shipped: Sequence[Mapping[int, int]], wanting: int
) -> list[int] | None:
    """Return a shortest path i, j, i', j', … to a j that is wanting, or None."""
    paths, waiting, seen = {source: [source]}, [source], 0
    for i in waiting:
        new = adjacent[i] & ~seen
        if new & wanting:
            return [*paths[i], (new & wanting).bit_length() - 1]
        seen |= new
        while new:
            j = new.bit_length() - 1
            new ^= 1 << j
            for k, amount in shipped[j].items():
                if amount and k not in paths:
                    paths[k] = [*paths[i], j, k]
                    waiting.append(k)
    return None


def _some_order(
    between: list[list[float]], first: list[Fraction], second: list[Fraction], most: float
) -> bool:
    """Say whether in some order no match of the refinement is farther than `most`."""

    @functools.cache
    def finishes(done: int, other: int, i: int, j: int) -> bool:
        """Say so for these sets of vectors that have been matched, of which i and j are the last.

        What is left of i or j is matched next.
        """
        if between[i][j] > most:
            return False
        ahead = _sum(first, done) - _sum(second, other)
        lefts = [m for m in range(len(first)) if not done >> m & 1] if ahead <= 0 else [i]
        rights = [n for n in range(len(second)) if not other >> n & 1] if ahead >= 0 else [j]
        ended = ahead == 0 and not lefts and not rights
        return ended or any(
            finishes(done | 1 << m, other | 1 << n, m, n) for m in lefts for n in rights
        )

    starts = itertools.product(range(len(first)), range(len(second)))
    return any(finishes(1 << i, 1 << j, i, j) for i, j in starts)


def _sum(weights: list[Fraction], chosen: int) -> Fraction:
    return sum((w for m, w in enumerate(weights) if chosen >> m & 1), Fraction(0))


# Hypotheses


def _as_two(prior: Prior, other: Prior) -> tuple[dict[Bits, Fraction], dict[Bits, Fraction]]:
    """Return two hypotheses on the same bits."""
    first, second = _as_prior(prior, "prior"), _as_prior(other, "other")
    k, bits = (len(next(iter(law))) for law in (first, second))
    if k != bits:
        raise ValueError(f"other must be on {k} bits, as prior is, got {bits}")
    return first, second


def _as_prior(prior: Prior, name: str) -> dict[Bits, Fraction]:
    """Return the positive weights of a hypothesis, exactly, divided by their sum."""
    items: list[Any]
    if isinstance(prior, Mapping):
        items = list(prior.items())
    else:
        array = as_floats(prior, name, "in [0, 1]", 0.0, _MOST_WEIGHT)
        if not array.ndim or set(array.shape) != {2}:
            raise ValueError(
                f"{name} must be a mapping, or of shape (2,)*k, got shape {array.shape}"
            )
        items = [(bits, array[bits]) for bits in np.ndindex(array.shape)]
    vectors = as_vectors([bits for bits, _ in items], name, _MOST_DATABASES)
    law = {
        bits: _as_weight(value, bits, name) for bits, (_, value) in zip(vectors, items, strict=True)
    }
    total = sum(law.values(), Fraction(0))
    if abs(total - 1) > _TOLERANCE:
        raise ValueError(f"{name} must have weights that sum to 1, got {float(total)}")
    return {bits: weight / total for bits, weight in law.items() if weight}


def _as_weight(value: SupportsFloat, bits: Bits, name: str) -> Fraction:
    """Return the exact value of a weight."""
    what, allowed = f"{name}: the weight of {bits}", "a number in [0, 1]"
    checked = as_real(value, what, allowed, 0.0, _MOST_WEIGHT)
    return Fraction(value if isinstance(value, numbers.Rational) else checked)


def _as_epsilons(epsilons: npt.ArrayLike, law: Mapping[Bits, object]) -> FloatArray:
    """Return the ε_i of as many mechanisms as there are bits."""
    eps = as_floats(epsilons, "epsilons", f"in [0, {_LARGEST_EPS:g}]", 0.0, _LARGEST_EPS)
    k = len(next(iter(law)))
    if eps.shape != (k,):
        raise ValueError(f"epsilons must have shape ({k},), one for each bit, got {eps.shape}")
    return eps


def _as_matches(matches: Iterable[Match]) -> tuple[Match, ...]:
    """Return a coupling: of one number of bits, none of its weights negative."""
    coupling = as_several(matches, "matches", "matches (bits, other, weight)")
    if not coupling or not all(isinstance(match, tuple) and len(match) == 3 for match in coupling):
        raise TypeError(f"matches must be several (bits, other, weight), got {matches!r}")
    found = tuple(
        Match(as_vector(b, "matches"), as_vector(c, "matches"), weight) for b, c, weight in coupling
    )
    for match in found:
        _as_weight(match.weight, match.bits, "matches")
    if len({len(bits) for match in found for bits in match[:2]}) > 1:
        raise ValueError(f"matches must be on one number of bits, got {found!r}")
    return found


def _matches(pairs: Iterable[tuple[Bits, Bits, Fraction]], *laws: Prior) -> tuple[Match, ...]:
    """Return a coupling of two hypotheses, with floats unless all their weights are exact."""
    exact = all(
        isinstance(law, Mapping) and all(isinstance(w, numbers.Rational) for w in law.values())
        for law in laws
    )
    return tuple(Match(b, c, w if exact else float(w)) for b, c, w in pairs)


def _as_array(law: Mapping[Bits, Fraction]) -> FloatArray:
    k = len(next(iter(law)))
    array = np.zeros((2,) * k)
    for bits, weight in law.items():
        array[bits] = float(weight)
    return array


def _number(bits: Bits) -> int:
    """Return the place of a vector in lexicographic order."""
    return int("".join(map(str, bits)), 2)


def _distances(epsilons: FloatArray) -> list[float]:
    """Return Σ ε_i over the bits of each vector, in lexicographic order, rounded up."""
    vectors = np.ndindex((2,) * epsilons.size)
    return [sum_above((epsilons * bits).tolist()) for bits in vectors]
