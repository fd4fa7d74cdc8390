"""Counts over many Markov bits, day after day: forward passes for `pkdp.daily_profiles`.

The counts ``S_1, S_2, …`` of N independent bits with the same transitions form a Markov chain:
given ``S_j = y``, ``S_{j+1}`` is Bin(y, stay) + Bin(N - y, rise). An attacker who compares two
series of the target's compares these counts with the same counts moved by ``d_j`` = -1, 0 or 1.
So the privacy loss is a sum over days of

    ln P[S_{j+1} = y' | S_j = y] - ln P[S_{j+1} = y' + d_{j+1} | S_j = y + d_j],

and the pair (count, loss so far) is a Markov chain again. `LossesSplit` and `CellsMerged` follow
its law, `Moments` the exponential moments of the loss.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import daxpy
from scipy.special import logsumexp

from pkdp._checks import as_integer, as_real
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_pmf, log_binomial_tail
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.privacy_loss import split

__all__ = [
    "MOST_DAYS",
    "CellsMerged",
    "LossesSplit",
    "MarkovChain",
    "Moments",
    "Windows",
    "log_steps",
]

# A decade of days.
MOST_DAYS = 4000


@dataclass(frozen=True)
class MarkovChain:
    """A record of bits that is a Markov chain with the same transitions every day.

    Attributes
    ----------
    start : float
        Probability of a 1 on the first day, in (0, 1).
    rise : float
        Probability of a 1 after a 0, in (0, 1).
    stay : float
        Probability of a 1 after a 1, in (0, 1).
    fall, rest : float
        Probabilities of a 0 after a 1 and after a 0: ``1 - stay`` and ``1 - rise``, which for a
        `stationary` chain keep their digits where these are near 1.

    Raises
    ------
    ValueError
        If a probability lies outside (0, 1).

    Examples
    --------
    >>> chain = MarkovChain.stationary(0.5, 0.25)
    >>> chain
    MarkovChain(start=0.5, rise=0.375, stay=0.625)
    >>> chain.correlation, round(chain.c, 4)
    (0.25, 0.2877)
    """

    start: float
    rise: float
    stay: float
    fall: float = field(init=False, repr=False, compare=False)
    rest: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("start", "rise", "stay"):
            object.__setattr__(self, name, _as_inner(getattr(self, name), name))
        object.__setattr__(self, "fall", 1.0 - self.stay)
        object.__setattr__(self, "rest", 1.0 - self.rise)

    @classmethod
    def stationary(cls, p: SupportsFloat, correlation: SupportsFloat) -> MarkovChain:
        """Return the chain whose days all have the same law.

        Parameters
        ----------
        p : float
            Probability of a 1 on each day, in (0, 1).
        correlation : float
            Correlation of consecutive days, less than 1, and such that all transitions are
            possible: above ``-min(p, 1-p)/max(p, 1-p)``.

        Returns
        -------
        MarkovChain

        Raises
        ------
        ValueError
            If an argument lies outside its range.

        Examples
        --------
        >>> MarkovChain.stationary(0.25, 0.5)
        MarkovChain(start=0.25, rise=0.125, stay=0.625)
        """
        rate = _as_inner(p, "p")
        least = -min(rate, 1.0 - rate) / max(rate, 1.0 - rate)
        allowed = f"in ({least:.6g}, 1) for this p"
        rho = as_real(correlation, "correlation", allowed, least, 1.0, without=(least, 1.0))
        rise, stay = rate * (1.0 - rho), rate + rho * (1.0 - rate)
        if not (rise > 0.0 and 0.0 < stay < 1.0):
            raise ValueError(
                "correlation must let each value follow each, with a probability that a float can "
                f"tell from 0 and 1, got {correlation!r} for p={p!r}"
            )
        chain = cls(rate, rise, stay)
        object.__setattr__(chain, "fall", (1.0 - rate) * (1.0 - rho))
        object.__setattr__(chain, "rest", 1.0 - rate + rho * rate)
        return chain

    @property
    def correlation(self) -> float:
        """``stay - rise``, for stationary days the correlation of consecutive ones."""
        return self.stay - self.rise

    @property
    def limit(self) -> float:
        """The probability of a 1 that does not change from day to day, which all others tend to."""
        return self.rise / (self.fall + self.rise)

    def marginals(self, days: SupportsIndex) -> FloatArray:
        """Return the probability of a 1 on each of the first days.

        Parameters
        ----------
        days : int
            k ≥ 1.

        Returns
        -------
        ndarray, shape (k,)

        Raises
        ------
        ValueError
            If `days` is out of range.

        Examples
        --------
        >>> MarkovChain(0.5, 0.25, 0.25).marginals(3).tolist()
        [0.5, 0.25, 0.25]
        """
        number = as_integer(days, "days", 1, MOST_DAYS)
        powers = self.correlation ** np.arange(number)
        return np.asarray(self.limit + (self.start - self.limit) * powers)

    @functools.cached_property
    def c(self) -> float:
        """The least c of `pkdp.daily_counts` for all pairs of consecutive days, however many.

        The probability of a 1 tends to its limit from one side, or from both in turn, ever
        nearer; so its largest and its least value from the second day on are among those of the
        second day, of the third, and the limit.
        """
        later = [*self.marginals(3)[1:], self.limit]
        return max(
            abs(math.log(chance / p))
            for q in later
            for up, down in ((self.rise, self.rest), (self.stay, self.fall))
            for chance, p in ((up, q), (down, 1.0 - q))
        )


def _as_inner(value: SupportsFloat, name: str) -> float:
    """Return a probability as a float in (0, 1)."""
    return as_real(value, name, "in (0, 1)", 0.0, 1.0, without=(0.0, 1.0))


def log_steps(
    others: int, chain: MarkovChain, rows: npt.NDArray[np.int64], low: int, high: int
) -> FloatArray:
    """Return ln P[S_{j+1} = k | S_j = row] for all rows and k in low…high, from one recurrence.

    Given S_j = y, S_{j+1} is Bin(y, stay) + Bin(N - y, rise), with the generating function
    G = (q₁ + p₁z)^y·(q₀ + p₀z)^{N-y}. Comparing coefficients of (q₁ + p₁z)(q₀ + p₀z)·G' gives

        q₁q₀(k + 1)·g_{k+1} = (A - B·k)·g_k + p₁p₀(N - k + 1)·g_{k-1},

    A = y·p₁q₀ + (N - y)·p₀q₁ and B = q₁p₀ + p₁q₀. Upwards where k < A/B, and downwards beyond, all
    terms are positive, so that the ratios of neighbours keep their digits, and what they were
    started from is forgotten.
    """
    p1, q1, p0, q0 = chain.stay, chain.fall, chain.rise, chain.rest
    A = rows * (p1 * q0) + (others - rows) * (p0 * q1)
    B = q1 * p0 + p1 * q0
    deviation = math.sqrt(others * max(p1 * q1, p0 * q0))
    run_up = int(3.0 * deviation) + 60  # for the start to be forgotten
    first, last = max(0, low - run_up), min(others, high + run_up)
    mean = rows * p1 + (others - rows) * p0
    turn = np.clip(np.floor(A / B), first, last)

    def guess(k: int) -> FloatArray:
        """Return the ratio g_k/g_{k-1} that the recurrence at k - 1 and k would reproduce."""
        middle = A - B * (k - 0.5)
        product_ = p1 * p0 * q1 * q0 * (others - k + 1.0) * k
        root = np.sqrt(middle**2 + 4.0 * product_)
        upper = middle + root
        # Of two forms of the positive root the one without cancellation.
        return np.where(
            middle > 0.0,
            upper / (2.0 * q1 * q0 * k),
            2.0 * p1 * p0 * (others - k + 1.0) / np.maximum(root - middle, 1e-300),
        )

    # Row i: ln(g_k/g_{k-1}) at k = first + i.
    logs = np.zeros((last - first + 1, rows.size))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = A / (q1 * q0) if first == 0 else guess(first + 1)
        for k in range(first + 1, last + 1):
            logs[k - first] = np.where(k <= turn, np.log(ratio), 0.0)
            ratio = ((A - B * k) + p1 * p0 * (others - k + 1.0) / ratio) / (q1 * q0 * (k + 1.0))
        ratio = p1 * p0 / (B * others - A) if last == others else guess(last)
        for k in range(last, first, -1):
            logs[k - first] = np.where(k > turn, np.log(ratio), logs[k - first])
            ratio = p1 * p0 * (others - k + 2.0) / (q1 * q0 * k * ratio + B * (k - 1.0) - A)
    # Summed outwards from near the mode of each row, so that logarithms stay small there.
    sums = np.cumsum(logs, axis=0)
    mode = np.clip(np.rint(mean).astype(np.int64), first, last) - first
    sums -= np.take_along_axis(sums, mode[None, :], axis=0)
    sums -= logsumexp(sums, axis=0)
    return np.ascontiguousarray(sums[low - first : high - first + 1].T)


# Paths of less mass are left out of a forward pass: counted as an infinite loss above, dropped
# below. Masses may be off by the second, relatively, and losses by the third.
_LEAST_MASS, _MASS_ERROR, _LOSS_ERROR = 1e-24, 1e-9, 1e-11
# Masses of outputs of larger losses may underflow under b.
_LARGEST_LOSS = 500.0


# The first and the last of some counts.
_Range = tuple[int, int]


def _padded_start(others: int, chain: MarkovChain, counts: _Range) -> FloatArray:
    """Return ln P of some counts of the first day and one more at each end; -inf if none."""
    table = np.full(counts[1] - counts[0] + 3, -math.inf)
    first, last = _one_more(counts, others)
    law = log_binomial_pmf(np.arange(first, last + 1), others, chain.start)
    table[first - counts[0] + 1 : last - counts[0] + 2] = law
    return table


def _padded_steps(others: int, chain: MarkovChain, rows: _Range, columns: _Range) -> FloatArray:
    """Return ln P of the transitions between some counts and one more at each end; -inf if none."""
    table = np.full([high - low + 3 for low, high in (rows, columns)], -math.inf)
    (first, last), (least, most) = _one_more(rows, others), _one_more(columns, others)
    into = slice(least - columns[0] + 1, most - columns[0] + 2)
    for start in range(first, last + 1, _ROWS):
        some = np.arange(start, min(start + _ROWS, last + 1))
        table[some - rows[0] + 1, into] = log_steps(others, chain, some, least, most)
    return table


def _one_more(counts: _Range, others: int) -> _Range:
    """Return the counts with one more at each end, where there is one: for those moved by d."""
    return max(0, counts[0] - 1), min(others, counts[1] + 1)


def _inner(table: FloatArray, *by: int) -> FloatArray:
    """Return what is inside a table's rim, with the value at ``i + by`` in the place of i."""
    places = zip(by, table.shape, strict=True)
    return table[tuple(slice(1 + d, size - 1 + d) for d, size in places)]


# Masses of the losses ``step·(offset + 0, 1, 2, …)``, for one count of today: of shape (1, m) those
# under a, of shape (2, m) under a and under b. None where a count is too unlikely.
_Piece = tuple[int, FloatArray]


class _Sums(NamedTuple):
    """Where the masses of the next day are added up, those of all counts one after the other.

    Attributes
    ----------
    rows : list of ndarray
        Under a, or under a and under b.
    starts : ndarray of int
        For each of several counts where the loss of a piece's first mass is, if it stays the same.
    """

    rows: list[FloatArray]
    starts: IntArray


class _Forward(ABC):
    """The law of (today's count, loss so far), followed from the first day to the last.

    Parameters
    ----------
    others : int
        N ≥ 1.
    chain : MarkovChain
    shift : ndarray of int, shape (k,)
        d = a - b.
    step : float
        Distance of the points of the grid of losses.
    """

    _upper: bool

    def __init__(self, others: int, chain: MarkovChain, shift: IntArray, step: float) -> None:
        self.step, self._infinite = step, 0.0
        every = 0, others
        start, steps = (
            _padded_start(others, chain, every),
            _padded_steps(others, chain, every, every),
        )
        laws = [_inner(start, by)[None, :] for by in (0, int(shift[0]))]
        # Before the first day the loss is 0. From above the masses under a are enough.
        today = self._follow([(0, np.ones((1 if self._upper else 2, 1)))], *laws)
        for move in pairwise(shift.tolist()):
            today = self._follow(today, _inner(steps, 0, 0), _inner(steps, *move))
        self._last = [piece for piece in today if piece is not None]

    @abstractmethod
    def _add(
        self, piece: _Piece, losses: FloatArray, p: FloatArray, q: FloatArray, to: _Sums
    ) -> None:
        """Add what becomes of a piece for several counts of the next day, and their losses."""

    @abstractmethod
    def log_delta(self, eps: float) -> float:
        """Natural logarithm of the bound of δ of a against b, at an ε in [0, inf]."""

    def _follow(
        self, today: Sequence[_Piece | None], log_p: FloatArray, log_q: FloatArray
    ) -> list[_Piece | None]:
        moves, ends = [], []
        for piece, log_p_row, log_q_row in zip(today, log_p, log_q, strict=True):
            if piece is None:
                continue
            p, mass = np.exp(log_p_row), float(piece[1][0].sum())
            told = log_q_row == -math.inf
            self._infinite += mass * float(p[told].sum())
            likely = ~told & (p * mass > _LEAST_MASS)
            self._leave_out(mass * float(p[~told & ~likely].sum()))
            columns = np.flatnonzero(likely)
            if columns.size:
                losses = log_p_row[columns] - log_q_row[columns]
                moves.append((piece, columns, losses, p[columns], np.exp(log_q_row[columns])))
                offset, length = piece[0], piece[1].shape[1]
                ends.append(offset + math.floor(losses.min() / self.step))
                ends.append(offset + length + math.ceil(losses.max() / self.step))
        if not moves:
            return [None] * log_p.shape[1]
        # One more at each end for losses that are rounded, and one for those that are split.
        first, last = min(ends) - 1, max(ends) + 2
        sums = np.zeros((len(moves[0][0][1]), log_p.shape[1], last - first))
        for piece, columns, losses, p, q in moves:
            starts = columns * (last - first) + (piece[0] - first)
            self._add(piece, losses, p, q, _Sums([of.ravel() for of in sums], starts))
        return [self._trimmed(first, sums[:, k]) for k in range(log_p.shape[1])]

    def _leave_out(self, mass: float) -> None:
        if self._upper:
            self._infinite += mass

    def _trimmed(self, first: int, total: FloatArray) -> _Piece | None:
        """Return masses without the unlikely losses at either end."""
        kept = np.flatnonzero(total[0] > _LEAST_MASS)
        if not kept.size:
            self._leave_out(float(total[0].sum()))
            return None
        low, high = int(kept[0]), int(kept[-1]) + 1
        self._leave_out(float(total[0, :low].sum() + total[0, high:].sum()))
        return first + low, total[:, low:high].copy()


def _add(factor: float, masses: FloatArray, sums: FloatArray, start: int) -> None:
    """Add masses times a factor to sums from a start on, in place and without another array."""
    daxpy(masses, sums, masses.size, factor, 0, 1, start, 1)


class LossesSplit(_Forward):
    """From above: a loss is split between the points around it, so that both masses stay.

    Examples
    --------
    >>> chain = MarkovChain(0.5, 0.25, 0.75)
    >>> week = LossesSplit(10, chain, np.array([1, 0, -1, 0, 1, 0, -1]), 0.05)
    >>> round(math.exp(week.log_delta(2.0)), 4)
    0.1637
    """

    _upper = True

    def _add(
        self, piece: _Piece, losses: FloatArray, p: FloatArray, q: FloatArray, to: _Sums
    ) -> None:
        (masses,), (sums,) = piece[1], to.rows
        below, part = split(losses + _LOSS_ERROR, self.step)
        starts, above = to.starts + below, part * p
        for k, low, high in zip(starts.tolist(), (p - above).tolist(), above.tolist(), strict=True):
            _add(low, masses, sums, k)
            _add(high, masses, sums, k + 1)

    def log_delta(self, eps: float) -> float:
        """Natural logarithm of an upper bound of δ of a against b, at an ε in [0, inf]."""
        delta = self._infinite
        for offset, masses in self._last:
            losses = self.step * np.arange(offset, offset + masses.shape[1])
            delta -= float(masses[0] @ np.expm1(np.minimum(eps - losses, 0.0)))
        return math.log(min(1.0, delta * (1.0 + _MASS_ERROR) + _LEAST_MASS))


class CellsMerged(_Forward):
    """From below: for each count of today outputs are merged whose losses lie in one cell.

    Examples
    --------
    >>> chain = MarkovChain(0.5, 0.25, 0.75)
    >>> week = CellsMerged(10, chain, np.array([1, 0, -1, 0, 1, 0, -1]), 0.05)
    >>> round(math.exp(week.log_delta(2.0)), 4)
    0.1634
    """

    _upper = False

    def _add(
        self, piece: _Piece, losses: FloatArray, p: FloatArray, q: FloatArray, to: _Sums
    ) -> None:
        offset, masses = piece
        points = np.arange(offset, offset + masses.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            within = np.log(masses[0] / masses[1]) / self.step - points
        within[~np.isfinite(within)] = 0.0  # an empty cell, whatever becomes of it
        least, most = float(within.min()), float(within.max())
        below = np.floor(losses / self.step).astype(np.int64)
        rest, starts = losses / self.step - below, to.starts + below
        limits, chances = (1.0 - rest).tolist(), np.stack([p, q], axis=1).tolist()
        for k, limit, factors in zip(starts.tolist(), limits, chances, strict=True):
            if least < limit:
                stay = masses if most < limit else masses * (within < limit)
                for factor, of, sums in zip(factors, stay, to.rows, strict=True):
                    _add(factor, of, sums, k)
            if most >= limit:
                above = masses if least >= limit else masses - stay
                for factor, of, sums in zip(factors, above, to.rows, strict=True):
                    _add(factor, of, sums, k + 1)

    def log_delta(self, eps: float) -> float:
        """Natural logarithm of a lower bound of δ of a against b, at an ε in [0, inf]."""
        delta, lost = self._infinite, 0.0
        if eps < _LARGEST_LOSS:  # beyond only the outputs matter that b excludes
            E = math.exp(eps)
            for _, (p, q) in self._last:
                delta += float(np.maximum(p - E * q, 0.0).sum())
                lost += float(p[p > E * (1.0 - 1e-6) * q].sum())
        # Rounding in masses of which little is left when they are subtracted.
        delta -= _MASS_ERROR * min(1.0, delta + lost)
        return math.log(delta) if delta > 0.0 else -math.inf


# --------------------------------------------------------------------------------------------
# Exponential moments
# --------------------------------------------------------------------------------------------

# A window reaches so many standard deviations to each side of the mean, and a little more.
_REACH, _MARGIN = 9.0, 20
# Days share a table if their windows together are no more than so many times as wide as one.
_WIDER = 1.5
# Entries of all tables together, which is 400 megabytes; and rows that are worked out at a time.
_MOST_ENTRIES, _ROWS = 50_000_000, 1024
# So many tables of weights are kept, for moves that come again.
_KEPT = 9
# Computed ln P err by less than 3e-13 of their size (tested), and those that matter exceed -60.
_LOG_ERROR = 2e-11
# The relative error that a whole series of days may add to a moment where, instead of following
# them, their common growth is bounded.
_SLACK = 1e-6
_LONGEST_PERIOD = 14


class Windows:
    """Which counts are followed, day by day, and the tables of transitions that takes.

    While the mean goes from its start to its limit, windows go with it: one for all days would be
    as wide as that way is long, and its table as large as the square of it.

    Parameters
    ----------
    others, chain
        As in `LossesSplit`.
    days : int
        k ≥ 1.

    Attributes
    ----------
    days : list of (first, last)
        The counts that are followed on each day.
    tables : list of ((first, last), (first, last))
        The counts of some days, and those of the days after them.
    table_of : list of int
        Which of the tables leads on from each day but the last.

    Raises
    ------
    ValueError
        If the tables would not fit memory.

    Examples
    --------
    >>> windows = Windows(10_000, MarkovChain(0.1, 0.25, 0.75), 9)
    >>> windows.days[:2]
    [(709, 1290), (2567, 3433)]
    >>> windows.table_of
    [0, 1, 2, 3, 3, 3, 3, 3]
    """

    def __init__(self, others: int, chain: MarkovChain, days: int) -> None:
        rates = chain.marginals(days)
        means, deviations = others * rates, np.sqrt(others * rates * (1.0 - rates))
        low = np.maximum(0, np.floor(means - _REACH * deviations).astype(np.int64) - _MARGIN)
        high = np.minimum(others, np.ceil(means + _REACH * deviations).astype(np.int64) + _MARGIN)
        # In the order of their windows, days are gathered for as long as these are nearly the same.
        self.table_of = [0] * (days - 1)
        gathered: list[list[int]] = []
        first = last = widest = -1
        for day in np.argsort(low[:-1], kind="stable").tolist():
            start, end = int(low[day]), int(high[day])
            last, widest = max(last, end), max(widest, end - start)
            if not gathered or last - first > _WIDER * widest:
                gathered.append([])
                first, last, widest = start, end, end - start
            gathered[-1].append(day)
            self.table_of[day] = len(gathered) - 1

        def window(some: Sequence[int]) -> _Range:
            return int(low[some].min()), int(high[some].max())

        self.tables = [(window(of), window([day + 1 for day in of])) for of in gathered]
        entries = sum(math.prod(b - a + 3 for a, b in table) for table in self.tables)
        if entries > _MOST_ENTRIES:
            raise ValueError(
                f"n - 1 - known must be small enough for {_MOST_ENTRIES} probabilities of "
                f"transitions to do, got {others}, which takes {entries} for counts on their way "
                f"from a probability of {chain.start:.6g} to the limit {chain.limit:.6g}"
            )
        # Those in the table that leads to a day and in the one that leads on.
        to = [window([0]), *(self.tables[k][1] for k in self.table_of)]
        on = [*(self.tables[k][0] for k in self.table_of), window([days - 1])]
        self.days = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(to, on, strict=True)]


class Moments:
    """Bounds of ``E[exp(t·L); all counts in a window]`` for the loss L of a against b.

    Parameters
    ----------
    others, chain, shift
        As in `LossesSplit`.

    Notes
    -----
    The moment is a product of one matrix a day, of positive entries. If the differences d repeat
    every q days, so do the matrices. With M their product over q days, and v ≥ 0, ``M·v ≤ λ·v`` in
    every entry implies ``M^m·v ≤ λ^m·v`` (Collatz and Wielandt), so that the days need only be
    followed until v hardly changes but for a factor.

    Examples
    --------
    >>> moments = Moments(10_000, MarkovChain(0.5, 0.25, 0.75), np.array([1, -1] * 100))
    >>> round(moments.log_moment(2.0), 4)
    0.7176
    """

    def __init__(self, others: int, chain: MarkovChain, shift: IntArray) -> None:
        self._others, self._shift = others, shift
        windows = Windows(others, chain, shift.size)
        self._tables, self._table_of = windows.tables, windows.table_of
        self._steps = [_padded_steps(others, chain, *table) for table in windows.tables]
        self._first = windows.days[0]
        self._start = _padded_start(others, chain, self._first)
        # Of each day what is outside, and the count which d moves to where there is none.
        outside = []
        rates = chain.marginals(shift.size).tolist()
        for p, d, (low, high) in zip(rates, shift.tolist(), windows.days, strict=True):
            least, most = low + (low == 0 and d == -1), high - (high == others and d == 1)
            outside.append(log_binomial_cdf(least - 1, others, p))
            outside.append(log_binomial_tail(most + 1, others, p))
        self.log_left_out = min(0.0, float(np.logaddexp.reduce(outside)))

    @functools.cached_property
    def _moves(self) -> list[tuple[int, int, int]]:
        """For each day but the last the table that leads on, d, and the next day's d."""
        shifts = self._shift.tolist()
        return list(zip(self._table_of, shifts[:-1], shifts[1:], strict=True))

    @functools.cached_property
    def _runs(self) -> dict[int, list[int]]:
        """For each period and day, how many moves from there on are those a period before."""
        moves, runs = self._moves, {}
        for period in range(1, _LONGEST_PERIOD + 1):
            run = [0] * (len(moves) + 1)
            for day in range(len(moves) - 1, period - 1, -1):
                run[day] = run[day + 1] + 1 if moves[day] == moves[day - period] else 0
            runs[period] = run
        return runs

    def _period(self, day: int) -> int:
        """Return how many days to take as one: the least period that goes on for a while."""
        for period, run in self._runs.items():
            if day + period < len(run) and run[day + period] >= 3 * period:
                return period
        return 1

    def log_moment(self, t: float) -> float:
        """Natural logarithm of an upper bound of the moment, at t > 0."""
        logs = _log_weights(t, self._start, int(self._shift[0]))
        log_scale = float(logs.max())
        v = np.zeros(self._others + 1)
        v[_slice(self._first)] = np.exp(logs - log_scale)

        @functools.lru_cache(_KEPT)
        def weights(table: int, *move: int) -> FloatArray:
            return np.asarray(np.exp(_log_weights(t, self._steps[table], *move)))

        day, days = 0, len(self._moves)
        while day < days:
            period = self._period(day)
            before = v
            for move in self._moves[day : day + period]:
                rows, columns = map(_slice, self._tables[move[0]])
                today, v = v[rows], np.zeros(v.size)
                v[columns] = today @ weights(*move)
            day += period
            rounds = self._runs[period][day] // period
            if rounds:
                least, most = _growth(before, v)
                if rounds * (most - least) <= _SLACK:
                    log_scale += rounds * most
                    day += rounds * period
            top = float(v.max())
            log_scale += math.log(top)
            v = v / top
        return log_scale + math.log(float(v.sum())) + _LOG_ERROR * (days + 1) * (1.0 + 2.0 * t)


def _slice(counts: _Range) -> slice:
    return slice(counts[0], counts[1] + 1)


def _log_weights(t: float, table: FloatArray, *by: int) -> FloatArray:
    """Return ``(1 + t)·ln P - t·ln Q`` inside a table's rim, Q moved; -inf where Q is 0."""
    plain, moved = _inner(table, *(0 for _ in by)), _inner(table, *by)
    return np.where(moved == -math.inf, -math.inf, (1.0 + t) * plain - t * moved)


def _growth(before: FloatArray, after: FloatArray) -> tuple[float, float]:
    """Return the logarithms of the least and the largest ratio of entries; 0/0 is left out."""
    if (after[before == 0.0] > 0.0).any():
        return 0.0, math.inf
    some = before > 0.0
    ratios = after[some] / before[some]
    least = float(ratios.min())
    return math.log(least) if least > 0.0 else -math.inf, math.log(float(ratios.max()))
