"""Daily counts of Markov chains of bits: forward passes over the privacy loss of a whole series.

The counts ``S_1, S_2, …`` of N independent bits with the same transitions form a Markov chain:
given ``S_j = y``, ``S_{j+1}`` is Bin(y, stay) + Bin(N - y, rise). An attacker who compares two
series of the target's compares these counts with the same counts moved by ``d_j`` = -1, 0 or 1.
So the privacy loss is a sum over days of

    ln P[S_{j+1} = y' | S_j = y] - ln P[S_{j+1} = y' + d_{j+1} | S_j = y + d_j],

and the pair (count, loss so far) is a Markov chain again. `LossesSplit` and `CellsMerged` follow
its distribution, `Moments` the exponential moments of the loss.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt
from scipy.linalg.blas import daxpy
from scipy.special import logsumexp

from pkdp._checks import as_integer, as_real
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_pmf, log_binomial_tail
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.privacy_loss import split

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


# Rows of a table of transitions that are computed at a time.
_ROWS = 1024


def _tables(others: int, chain: MarkovChain, low: int, high: int) -> tuple[FloatArray, FloatArray]:
    """Return ln P of the counts low…high of the first day, and of the transitions between them.

    Both tables have a rim, one more count at each end; -inf where there is none.
    """
    first, last = max(0, low - 1), min(others, high + 1)
    inside = slice(first - low + 1, last - low + 2)
    start = np.full(high - low + 3, -math.inf)
    start[inside] = log_binomial_pmf(np.arange(first, last + 1), others, chain.start)
    steps = np.full((start.size, start.size), -math.inf)
    for row in range(first, last + 1, _ROWS):
        rows = np.arange(row, min(row + _ROWS, last + 1))
        steps[rows - low + 1, inside] = log_steps(others, chain, rows, first, last)
    return start, steps


def _inner(table: FloatArray, *by: int) -> FloatArray:
    """Return what is inside a table's rim, with the value at ``i + by`` in the place of i."""
    places = zip(by, table.shape, strict=True)
    return table[tuple(slice(1 + d, size - 1 + d) for d, size in places)]


# Masses of the losses ``step·(offset + 0, 1, 2, …)``, for one count of today: of shape (1, m) those
# under a, of shape (2, m) under a and under b. None where a count is too unlikely.
_Piece = tuple[int, FloatArray]


class _Move(NamedTuple):
    """A piece of today, and what leads from it to some counts of the next day.

    Attributes
    ----------
    piece : tuple
        The masses of the losses so far.
    columns : ndarray of int
        The next day's counts.
    losses : ndarray
        The privacy losses of the transitions.
    p, q : ndarray
        Their probabilities under a and under b.
    """

    piece: _Piece
    columns: IntArray
    losses: FloatArray
    p: FloatArray
    q: FloatArray


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
        start, steps = _tables(others, chain, 0, others)
        laws = [_inner(start, by)[None, :] for by in (0, int(shift[0]))]
        # Before the first day the loss is 0. From above the masses under a are enough.
        today = self._follow([(0, np.ones((1 if self._upper else 2, 1)))], *laws)
        for move in pairwise(shift.tolist()):
            today = self._follow(today, _inner(steps, 0, 0), _inner(steps, *move))
        self._last = [piece for piece in today if piece is not None]

    @abstractmethod
    def _add(self, move: _Move, sums: Sequence[FloatArray], starts: IntArray) -> None:
        """Add what becomes of a piece to the masses of the next day, those of all counts in a row.

        `sums` are those under a, or under a and under b; `starts` says, for each of the move's
        columns, where the loss of the piece's first mass is if it stays the same.
        """

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
                moves.append(_Move(piece, columns, losses, p[columns], np.exp(log_q_row[columns])))
                offset, length = piece[0], piece[1].shape[1]
                ends.append(offset + math.floor(losses.min() / self.step))
                ends.append(offset + length + math.ceil(losses.max() / self.step))
        if not moves:
            return [None] * log_p.shape[1]
        # One more at each end for losses that are rounded, and one for those that are split.
        first, last = min(ends) - 1, max(ends) + 2
        sums = np.zeros((len(moves[0].piece[1]), log_p.shape[1], last - first))
        for move in moves:
            starts = move.columns * (last - first) + (move.piece[0] - first)
            self._add(move, [of.ravel() for of in sums], starts)
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

    def _add(self, move: _Move, sums: Sequence[FloatArray], starts: IntArray) -> None:
        (masses,), (sum_,) = move.piece[1], sums
        below, part = split(move.losses + _LOSS_ERROR, self.step)
        above = part * move.p
        shares = (starts + below).tolist(), (move.p - above).tolist(), above.tolist()
        for k, low, high in zip(*shares, strict=True):
            _add(low, masses, sum_, k)
            _add(high, masses, sum_, k + 1)

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

    def _add(self, move: _Move, sums: Sequence[FloatArray], starts: IntArray) -> None:
        offset, masses = move.piece
        points = np.arange(offset, offset + masses.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            within = np.log(masses[0] / masses[1]) / self.step - points
        within[~np.isfinite(within)] = 0.0  # an empty cell, whatever becomes of it
        least, most = float(within.min()), float(within.max())
        below = np.floor(move.losses / self.step).astype(np.int64)
        limits = (1.0 - (move.losses / self.step - below)).tolist()
        factors = np.stack([move.p, move.q], axis=1).tolist()
        for k, limit, both in zip((starts + below).tolist(), limits, factors, strict=True):
            if least < limit:
                stay = masses if most < limit else masses * (within < limit)
                for factor, of, sum_ in zip(both, stay, sums, strict=True):
                    _add(factor, of, sum_, k)
            if most >= limit:
                above = masses if least >= limit else masses - stay
                for factor, of, sum_ in zip(both, above, sums, strict=True):
                    _add(factor, of, sum_, k + 1)

    def log_delta(self, eps: float) -> float:
        """Natural logarithm of a lower bound of δ of a against b, at an ε in [0, inf]."""
        delta, lost = self._infinite, 0.0
        if eps < _LARGEST_LOSS:  # beyond only the outputs matter that b excludes
            E = math.exp(eps)
            for _, (p, q) in self._last:
                delta += float(np.maximum(p - E * q, 0.0).sum())
                # Those outputs whose losses exceed ε or nearly do.
                lost += float(p[p > E * (1.0 - 1e-6) * q].sum())
        # Rounding in masses of which little is left when they are subtracted.
        delta -= _MASS_ERROR * min(1.0, delta + lost)
        return math.log(delta) if delta > 0.0 else -math.inf


# --------------------------------------------------------------------------------------------
# Exponential moments
# --------------------------------------------------------------------------------------------

# The window reaches so many standard deviations to each side of all means, and a little more.
_REACH, _MARGIN = 9.0, 20
# Entries of a table of transitions, which is 400 megabytes.
_MOST_ENTRIES = 50_000_000
# Computed ln P err by less than 3e-13 of their size (tested), and those that matter exceed -60.
_LOG_ERROR = 2e-11
# The relative error that a whole series of days may add to a moment where, instead of following
# them, their common growth is bounded.
_SLACK = 1e-6
_LONGEST_PERIOD = 14
# The moments of a bound are at ``t = scale·_FACTOR^i`` for i between these.
_FACTOR, _LEAST_STEPS, _MOST_STEPS = 1.1, -24, 28


def window(others: int, chain: MarkovChain, days: int) -> tuple[int, int]:
    """Return the first and the last of the counts that are followed: all likely ones of any day.

    Raises
    ------
    ValueError
        If the table of transitions between them would not fit memory.

    Examples
    --------
    >>> window(10_000, MarkovChain(0.5, 0.25, 0.75), 9)
    (4530, 5470)
    """
    rates = chain.marginals(days)
    means, deviations = others * rates, np.sqrt(others * rates * (1.0 - rates))
    low = max(0, int(np.floor(means - _REACH * deviations).min()) - _MARGIN)
    high = min(others, int(np.ceil(means + _REACH * deviations).max()) + _MARGIN)
    entries = (high - low + 3) ** 2
    if entries > _MOST_ENTRIES:
        raise ValueError(
            f"n - 1 - known must be small enough for {_MOST_ENTRIES} probabilities of "
            f"transitions to do, got {others}, which takes {entries} for counts on their way "
            f"from a probability of {chain.start:.6g} to the limit {chain.limit:.6g}"
        )
    return low, high


class Moments:
    """Bounds of ``E[exp(t·L); all counts in the window]`` for the loss L of a against b.

    Parameters
    ----------
    others, chain, shift
        As in `LossesSplit`.
    scale : float
        For δ(ε) moments at ``t = scale·1.1^i`` are tried, each computed once.

    Notes
    -----
    The moment is a product of one matrix a day, of positive entries. If the differences d repeat
    every q days, so do the matrices. With M their product over q days, and v ≥ 0, ``M·v ≤ λ·v`` in
    every entry implies ``M^m·v ≤ λ^m·v`` (Collatz and Wielandt), so that the days need only be
    followed until v hardly changes but for a factor.

    Examples
    --------
    >>> moments = Moments(10_000, MarkovChain(0.5, 0.25, 0.75), np.array([1, -1] * 100), 1.0)
    >>> round(moments.log_moment(2.0), 4)
    0.7176
    """

    def __init__(self, others: int, chain: MarkovChain, shift: IntArray, scale: float) -> None:
        self._scale = scale
        self._known: dict[int, float] = {}
        low, high = window(others, chain, shift.size)
        self._start, self._steps = _tables(others, chain, low, high)
        self._shift = shift.tolist()
        # Of each day what is outside, and the count which d moves to where there is none.
        outside = []
        for p, d in zip(chain.marginals(shift.size).tolist(), self._shift, strict=True):
            least, most = low + (low == 0 and d == -1), high - (high == others and d == 1)
            outside.append(log_binomial_cdf(least - 1, others, p))
            outside.append(log_binomial_tail(most + 1, others, p))
        self.log_left_out = min(0.0, float(np.logaddexp.reduce(outside)))

    def _repetition(self, day: int) -> tuple[int, int]:
        """Return how many days to take as one, and how often the same moves follow at once.

        That is the least period that goes on for a while, or else a single day.
        """
        moves = list(pairwise(self._shift[day:]))

        def rounds(period: int) -> int:
            pairs = zip(moves[period:], moves, strict=False)
            return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) // period

        period = next((q for q in range(1, _LONGEST_PERIOD + 1) if rounds(q) >= 3), 1)
        return period, rounds(period)

    def log_moment(self, t: float) -> float:
        """Natural logarithm of an upper bound of the moment, at t > 0."""
        logs = _log_weights(t, self._start, self._shift[0])
        log_scale = float(logs.max())
        v = np.exp(logs - log_scale)

        @functools.cache
        def weights(*move: int) -> FloatArray:
            return np.asarray(np.exp(_log_weights(t, self._steps, *move)))

        day, days = 0, len(self._shift) - 1
        while day < days:
            period, rounds = self._repetition(day)
            before = v
            for move in pairwise(self._shift[day : day + period + 1]):
                v = v @ weights(*move)
            day += period
            if rounds:
                least, most = _growth(before, v)
                if rounds * (most - least) <= _SLACK:
                    log_scale += rounds * most
                    day += rounds * period
            top = float(v.max())
            log_scale += math.log(top)
            v = v / top
        return log_scale + math.log(float(v.sum())) + _LOG_ERROR * (days + 1) * (1.0 + 2.0 * t)

    def log_delta(self, eps: float) -> float:
        """Natural logarithm of an upper bound of δ of a against b, at an ε in [0, inf]."""
        if math.isinf(eps):
            return self.log_left_out
        # The exponent is convex in t; in the Gaussian limit it is least near t = ε·scale² - ½.
        t = max(0.1, eps * self._scale - 0.5 / self._scale)
        i = min(_MOST_STEPS, max(_LEAST_STEPS, round(math.log(t) / math.log(_FACTOR))))
        value = self._exponent(i, eps)
        for step in (1, -1):
            while _LEAST_STEPS <= i + step <= _MOST_STEPS:
                next_value = self._exponent(i + step, eps)
                if next_value >= value:
                    break
                i, value = i + step, next_value
        return min(0.0, float(np.logaddexp(value, self.log_left_out)))

    def _exponent(self, i: int, eps: float) -> float:
        t = self._scale * _FACTOR**i
        if i not in self._known:
            self._known[i] = self.log_moment(t)
        return self._known[i] - t * eps + t * math.log(t) - (1.0 + t) * math.log1p(t)


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
