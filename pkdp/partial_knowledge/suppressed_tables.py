"""A table of independent records of which the rare cells are not released, and the total is known.

The k-anonymity mechanism releases the counts that are at least k. Theorem 5 of the paper lets some
records be absent, so that nobody knows the total. Here the total is known, as it is of a survey,
and the rare cells take over the part of the absent: together they hide how many records each of
them holds. An attacker believes the others to be independent, all with the same shares.

`epsilon` bounds what such a table tells her, `least_epsilon` says how much it tells at least. With
`R` the rarest cells of all,

* what is released is, but with a small probability η, what a mechanism releases that *never* tells
  the counts of R, so that ``δ ≤ δ_R + η``;
* δ_R of two cells c and d is at most what it would be if all other cells outside R were told. What
  then remains are three counts, of c, d and R, of which the sum is known: it is computed exactly.

Each mass is a product of three Poisson masses and a correction that depends on their sum, so
that the table of all outcomes of a pair costs a few multiplications an entry.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, gammaln, xlogy

from pkdp._checks import as_integer, as_real
from pkdp.profiles.binomials import log_binomial_tail
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.profile import Formula, PrivacyProfile

__all__ = [
    "Guarantee",
    "epsilon",
    "least_epsilon",
    "suppressed",
]

# Beyond a window of counts there is less than 1e-12 of each law, by Bernstein's inequality; no
# outcome of a pair involves more than eight of them. The other part allows for rounding: of logs of
# factorials, up to ten of them, with an error of 3e-10 each for the largest table.
_LOG_OUTSIDE, _OUTSIDE, _ROUNDING = 28.4, 8e-12, 1e-8

# E beyond all likelihood ratios of floats, to stand for inf without 0·inf.
_LARGEST_RATIO = 1e300

_MOST_RECORDS = 100_000

_Bound = Literal["upper bound", "lower bound"]


@dataclass(frozen=True)
class Guarantee:
    """What `epsilon` found.

    Attributes
    ----------
    eps : float
        The ε, inf if there is none.
    hidden : int
        The number of cells, the smallest, that the proof takes for hidden.
    eta : float
        The probability that it is mistaken: the part of δ that is spent on it.
    worst : tuple of int
        The counts of the two cells that are told apart most easily; 0 stands for the hidden cells.
        Empty where no pair of cells decides: if ε = 0 is enough for all, or none is for any.
    """

    eps: float
    hidden: int
    eta: float
    worst: tuple[int, ...]


def suppressed(counts: npt.ArrayLike, *, k: SupportsIndex) -> tuple[float, float]:
    """Return the shares of records and of cells that k-anonymity suppresses in a table.

    Parameters
    ----------
    counts : array_like of int, shape (c,)
        How many records each cell holds, at least 1; two cells at least.
    k : int
        Counts below k are suppressed; in ``1…n+1``, n the sum of the counts.

    Returns
    -------
    records, cells : float
        In [0, 1].

    Raises
    ------
    ValueError
        If there are fewer than two counts, one is below 1, they sum to more than 100000, or
        `k` lies outside its range.
    TypeError
        If `counts` are not integers, or `k` is not one.

    Examples
    --------
    >>> suppressed([1, 3, 12], k=4)
    (0.25, 0.6666666666666666)
    """
    numbers = _counts(counts)
    below = numbers[numbers < _k(k, numbers)]
    return float(below.sum() / numbers.sum()), below.size / numbers.size


def epsilon(counts: npt.ArrayLike, *, k: SupportsIndex, delta: SupportsFloat) -> Guarantee:
    """Return an ε for which a k-anonymous table of a known total is (ε, δ)-private.

    Parameters
    ----------
    counts, k
        As for `suppressed`. The other n - 1 records are independent, each in a cell with
        probability ``counts/n``; the target may be in any cell.
    delta : float
        δ in [1e-10, 1].

    Returns
    -------
    Guarantee
        With the largest number of hidden cells that leaves some of δ, or the second largest, if
        that is better for a sample of the pairs of cells.

    Raises
    ------
    ValueError, TypeError
        As for `suppressed`, or if `delta` lies outside its range.

    Examples
    --------
    >>> counts = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 80, 90, 100]
    >>> found = epsilon(counts, k=24, delta=1e-4)
    >>> found.hidden, round(found.eps, 2)
    (10, 0.98)
    """
    numbers, budget = _counts(counts), _delta(delta)
    least, total = _k(k, numbers), int(numbers.sum())
    # η grows with every cell, so the cuts that leave some of δ are the first ones.
    etas = list(takewhile(lambda eta: eta < budget - 2 * _OUTSIDE, _etas(numbers, least)))
    found = Guarantee(math.inf, len(etas) - 1, etas[-1], ())
    for cut in range(len(etas))[-2:]:
        told = functools.partial(_told, total, int(numbers[:cut].sum()), least)
        few = _few(_pairs(numbers, cut))
        eps, worst = _largest_epsilon(told, few, math.log(budget - etas[cut]), "upper bound")
        if eps < found.eps:
            found = Guarantee(eps, cut, etas[cut], worst)
    # The number of hidden cells comes from a few pairs; ε must do for all of them.
    told = functools.partial(_told, total, int(numbers[: found.hidden].sum()), least)
    eps, worst = _largest_epsilon(
        told, _pairs(numbers, found.hidden), math.log(budget - found.eta), "upper bound", found.eps
    )
    return Guarantee(eps, found.hidden, found.eta, worst or found.worst)


def least_epsilon(counts: npt.ArrayLike, *, k: SupportsIndex, delta: SupportsFloat) -> float:
    """Return an ε such that for no smaller one a k-anonymous table is (ε, δ)-private.

    Parameters
    ----------
    counts, k, delta
        As for `epsilon`.

    Returns
    -------
    float
        An ε that no guarantee of this δ is below: two of the cells tell as much.

    Examples
    --------
    >>> counts = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 80, 90, 100]
    >>> round(least_epsilon(counts, k=24, delta=1e-4), 2)
    0.46
    """
    numbers, target = _counts(counts), math.log(_delta(delta))
    told = functools.partial(_least_told, int(numbers.sum()), _k(k, numbers))
    pairs = _pairs(numbers, 0)
    return _largest_epsilon(told, (*_few(pairs), *pairs), target, "lower bound")[0]


# Three counts


class _Count(NamedTuple):
    """Possible counts of a cell, or of several together, from `start` on.

    `masses` are Poisson masses of the counts, `scaled` the counts over their mean.
    """

    start: int
    masses: FloatArray
    scaled: FloatArray


class _Suppressed(NamedTuple):
    """Masses of counts of the others that are suppressed, from `start` on.

    `first` are those if the target is in the first cell of a pair, `second` if in the second.
    """

    start: int
    first: FloatArray
    second: FloatArray


class _Table:
    """The laws of the others' counts: n - 1 records, shares in multiples of 1/n.

    A share is given by its count among the n. The law of two or three counts is a product of
    Poisson masses, times a correction for each total of theirs.
    """

    def __init__(self, total: int) -> None:
        self.total, self.others = total, total - 1
        self._log_factorials = gammaln(np.arange(total + 1) + 1.0)
        self._masses = functools.cache(self._masses_of)
        self._censored = functools.cache(self._censored_of)
        self._correction = functools.lru_cache(maxsize=4096)(self._correction_of)
        # A curve of one pair is evaluated at several ε in turn.
        self._both_suppressed = functools.lru_cache(maxsize=1)(self._both_suppressed_of)

    def delta(self, a: int, b: int, rest: int, k: int, ratio: float) -> float:
        """Return the larger δ, of both ways, of two cells, or of a cell and the hidden ones (0).

        Parameters
        ----------
        a, b : int
            The counts of the cells among n, 0 for the hidden cells; not both.
        rest : int
            The count of all hidden cells together.
        k : int
            Counts below it are suppressed.
        ratio : float
            E ≥ 1.
        """
        if a and b:
            return _rounded_up(self._of_two(a, b, rest, k, ratio))
        return _rounded_up(self._against_hidden(a or b, rest, k, ratio))

    def delta_alone(self, a: int, b: int, k: int, ratio: float) -> float:
        """Return the larger δ of two cells to an attacker who sees only these two."""
        first, second = self._masses(a), self._masses(b)
        masses = self._joint(first, second, a + b)
        p, q = masses * first.scaled[:, None], masses * second.scaled
        i, j = max(0, k - first.start), max(0, k - second.start)  # suppressed is what comes before
        return _rounded_up(
            _excess(p[i:, j:], q[i:, j:], ratio)
            + _excess(p[:i, j:].sum(axis=0), q[:i, j:].sum(axis=0), ratio)
            + _excess(p[i:, :j].sum(axis=1), q[i:, :j].sum(axis=1), ratio)
            + _excess(p[:i, :j].sum(), q[:i, :j].sum(), ratio)
        )

    def _of_two(self, a: int, b: int, rest: int, k: int, ratio: float) -> FloatArray:
        """Both counts are released, either, or neither; the hidden cells fill up a known sum."""
        first, second = self._visible(a, k), self._visible(b, k)
        return (
            self._shown(first, second, a + b, ratio)
            # A suppressed count is known only in sum with those of the hidden cells.
            + self._shown(self._censored(a, rest, k), second, a + b + rest, ratio)
            + self._shown(first, self._censored(b, rest, k), a + b + rest, ratio)
            + self._merged(self._both_suppressed(a, b, rest, k), a + b + rest, ratio)
        )

    def _against_hidden(self, a: int, rest: int, k: int, ratio: float) -> FloatArray:
        """As `_of_two`, where the target is in a cell or in a hidden one."""
        released = self._shown(self._visible(a, k), self._masses(rest), a + rest, ratio)
        return released + self._merged(self._one_suppressed(a, rest, k), a + rest, ratio)

    def _shown(self, first: _Count, second: _Count, share: int, ratio: float) -> FloatArray:
        """Return both excesses over two counts, the target's record included."""
        if not (first.masses.size and second.masses.size):
            return np.zeros(2)
        masses = self._joint(first, second, share)
        return _excess(first.scaled[:, None], second.scaled, ratio, masses)

    def _joint(self, first: _Count, second: _Count, share: int) -> FloatArray:
        """Return what is common to P and Q at all pairs of counts x and y.

        Of these x + y - 1 are the others'. P has the factor x over its mean, Q has that of y.
        """
        width = second.masses.size
        correction = self._correction(
            first.start + second.start - 1, first.masses.size + width - 1, share
        )
        # Entry (i, j) is that of the sum i + j.
        step = correction.strides[0]
        shifted = np.lib.stride_tricks.as_strided(
            correction, (first.masses.size, width), (step, step)
        )
        return np.asarray(first.masses[:, None] * shifted * second.masses)

    def _merged(self, sums: _Suppressed, share: int, ratio: float) -> FloatArray:
        """Return both excesses over the known totals of what is suppressed."""
        correction = self._correction(sums.start, sums.first.size, share)
        return _excess(sums.first * correction, sums.second * correction, ratio)

    def _visible(self, count: int, k: int) -> _Count:
        start, masses, scaled = self._masses(count)
        cut = max(0, k - start)
        return _Count(start + cut, masses[cut:], scaled[cut:])

    def _masses_of(self, count: int) -> _Count:
        mean = self.others * count / self.total
        if mean == 0.0:  # an empty cell, the target included
            return _Count(0, np.ones(1), np.zeros(1))
        variance = mean * (self.total - count) / self.total
        third = _LOG_OUTSIDE / 3.0
        reach = third + math.sqrt(third * third + 2.0 * _LOG_OUTSIDE * variance)
        x = np.arange(max(0, math.floor(mean - reach)), math.ceil(mean + reach) + 2)
        masses = np.exp(xlogy(x, mean) - mean - gammaln(x + 1.0))
        return _Count(int(x[0]), masses, x / mean)

    def _censored_of(self, count: int, rest: int, k: int) -> _Count:
        """Return the masses of a count in sum with the hidden ones, where it is below k."""
        start, masses, scaled = self._masses(count + rest)
        sums = np.arange(start, start + masses.size)
        share = count / (count + rest)
        # Of the others at most k - 2 are in the cell if the target is, and otherwise k - 1.
        if k > 1:
            there = np.where(sums < k, 1.0, bdtr(k - 2, np.maximum(sums - 1, k - 1), share))
        else:
            there = np.zeros(sums.size)
        elsewhere = np.where(sums < k, 1.0, bdtr(k - 1, np.maximum(sums, k), share))
        possible = elsewhere > 0.0
        ratio = np.divide(there, elsewhere, where=possible, out=np.zeros(sums.size))
        return _Count(start, masses * elsewhere, scaled * ratio)

    def _both_suppressed_of(self, a: int, b: int, rest: int, k: int) -> _Suppressed:
        """Return the masses of the sum of two suppressed counts and the hidden ones."""
        start, hidden, _ = self._masses(rest)
        start_a, fewer_a, more_a = self._below(a, k)
        start_b, fewer_b, more_b = self._below(b, k)
        both = ((fewer_a, more_b), (more_a, fewer_b))
        sums = (_convolved(_convolved(first, second), hidden) for first, second in both)
        return _Suppressed(start + start_a + start_b, *sums)

    def _one_suppressed(self, a: int, rest: int, k: int) -> _Suppressed:
        """Return the masses of the sum of a suppressed count and the hidden ones."""
        start, hidden, _ = self._masses(rest)
        start_a, fewer, more = self._below(a, k)
        return _Suppressed(start + start_a, _convolved(fewer, hidden), _convolved(more, hidden))

    def _below(self, count: int, k: int) -> _Suppressed:
        """Return the masses of what the others have in a cell that is suppressed."""
        start, masses, _ = self._masses(count)
        suppressed = masses[: max(0, k - start)]
        with_target = np.where(start + np.arange(suppressed.size) < k - 1, suppressed, 0.0)
        return _Suppressed(start, with_target, suppressed)

    def _correction_of(self, start: int, size: int, share: int) -> FloatArray:
        """Return the binomial mass of a sum of counts, over the Poisson one; 0 outside 0…N.

        So for each of so many sums from `start` on.
        """
        n, sums = self.others, np.arange(size) + start
        inside = (sums >= 0) & (sums <= n)
        m = np.where(inside, sums, 0)
        logs = (
            self._log_factorials[n]
            - self._log_factorials[n - m]
            - m * math.log(n)
            + xlogy(n - m, (self.total - share) / self.total)
            + n * share / self.total
        )
        return np.asarray(np.where(inside, np.exp(logs), 0.0))


@functools.lru_cache(maxsize=4)
def _table(total: int) -> _Table:
    """Return the laws for a total; tables of one survey, cut in several ways, share them."""
    return _Table(total)


# All pairs


def _pairs(numbers: IntArray, cells: int) -> list[tuple[int, int]]:
    """Return the counts of all pairs of cells that can be told apart, each once."""
    values, times = np.unique(numbers[cells:], return_counts=True)
    counts = values.tolist()
    pairs = [(a, b) for i, a in enumerate(counts) for b in counts[i + 1 :]]
    pairs += [(a, a) for a, often in zip(counts, times.tolist(), strict=True) if often > 1]
    if cells:
        pairs += [(a, 0) for a in counts]
    return pairs


def _few(pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    return pairs[:: max(1, len(pairs) // 50)]


def _largest_epsilon(
    told: Callable[[int, int, float], float],
    pairs: Iterable[tuple[int, int]],
    target: float,
    status: _Bound,
    start: float = 0.0,
) -> tuple[float, tuple[int, ...]]:
    """Return the least ε from `start` on at which every pair meets ln δ = `target`.

    Also return the pair that needs it, empty if none does. Every pair is evaluated at an ε that is
    no larger than the one returned, so it meets the target there, too.
    """
    eps: float = start
    worst: tuple[int, ...] = ()
    for a, b in pairs:
        if eps < math.inf and _log(told(a, b, _ratio(eps))) > target:
            eps = _curve(functools.partial(told, a, b), status).epsilon(log_delta=target)
            worst = (a, b)
    return eps, worst


def _told(total: int, rest: int, k: int, a: int, b: int, ratio: float) -> float:
    return _table(total).delta(a, b, rest, k, ratio)


def _least_told(total: int, k: int, a: int, b: int, ratio: float) -> float:
    """Return δ of two cells to an attacker who sees no other, rounded down."""
    delta = _table(total).delta_alone(a, b, k, ratio)
    return max(0.0, (delta - 2 * _OUTSIDE) / (1.0 + 2 * _ROUNDING))


def _curve(delta: Callable[[float], float], status: _Bound) -> PrivacyProfile:
    """Return the profile of δ as a function of E, which is rounded already."""
    is_up = status == "upper bound"
    return PrivacyProfile(Formula(_log_of, delta), status, error=math.inf, rounded_up=is_up)


def _log_of(delta: Callable[[float], float], eps: float) -> float:
    return _log(min(1.0, delta(_ratio(eps))))


def _convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.convolve(first, second) if first.size and second.size else np.empty(0)


def _excess(
    p: FloatArray, q: FloatArray, ratio: float, common: FloatArray | float = 1.0
) -> FloatArray:
    """Sum ``(P - E·Q)₊`` and ``(Q - E·P)₊``, times a factor that both have in common."""
    both = p - ratio * q, q - ratio * p
    return np.array([(common * np.maximum(excess, 0.0)).sum() for excess in both])


def _rounded_up(deltas: FloatArray) -> float:
    return min(1.0, float(deltas.max()) * (1.0 + _ROUNDING) + _OUTSIDE)


def _ratio(eps: float) -> float:
    return math.exp(eps) if eps < math.log(_LARGEST_RATIO) else _LARGEST_RATIO


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


def _etas(numbers: IntArray, k: int) -> Iterator[float]:
    """Yield η for each number of hidden cells: what may release one of them, the target inside.

    That is ``P[Bin(N, p) ≥ k - 1]`` of the largest hidden share p, as the target may be there, and
    ``P[Bin(N, p) ≥ k]`` of each other hidden share, summed; N = n - 1.
    """
    total, smaller = int(numbers.sum()), 0.0
    yield 0.0
    for count, times in zip(*np.unique(numbers, return_counts=True), strict=True):
        tails = (log_binomial_tail(j, total - 1, float(count) / total) for j in (k - 1, k))
        own, other = map(math.exp, tails)
        for _ in range(times):
            yield min(1.0, (smaller + own) * (1.0 + 1e-11))
            smaller += other


def _counts(counts: npt.ArrayLike) -> IntArray:
    allowed = "at least two integers ≥ 1, with a sum of at most 100000"
    try:
        numbers = np.asarray(counts)
    except ValueError:  # lists of several lengths
        raise TypeError(f"counts must be {allowed}, got {counts!r}") from None
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"counts must be {allowed}, got {counts!r}")
    if numbers.ndim != 1 or numbers.size < 2 or numbers.min() < 1 or numbers.sum() > _MOST_RECORDS:
        raise ValueError(f"counts must be {allowed}, got {counts!r}")
    return np.sort(numbers.astype(np.int64))


def _delta(delta: SupportsFloat) -> float:
    return as_real(delta, "delta", "in [1e-10, 1]", 1e-10, 1.0)


def _k(k: SupportsIndex, numbers: IntArray) -> int:
    return as_integer(k, "k", 1, int(numbers.sum()) + 1)
