"""Exponential tilting and Fourier transforms: masses of sums of many blocks.

Everything is counted in steps (`Rows`): outcome i is ``origin + step·i``, 0 ≤ i ≤ reach. With
M_j(t) = E[exp(t·X_j)], K = Σ ln M_j, and Φ_t the characteristic function of the sum tilted by t,
whose mean is m,

    ln P[i] = -KL(t) - t·(i - m) + ln w_i,    w_i = (1/L)·Σ_k Φ_t(2πk/L)·exp(-2πi·k·i/L),

where KL(t) is the relative entropy of the tilted law. No numbers of the size of K are subtracted.

*Which frequencies.* Since ln x ≤ x - 1, ``ln|Φ_t(θ)| ≤ -Σ_d R_d·(1 - cos θd)``, where R_d is the
sum over all blocks of the probability that one copy exceeds another by d > 0. One real transform of
R bounds all frequencies, and only the few that are not negligible are evaluated. If a law is nearly
concentrated on a lattice, some of these are far from 0.

*How long.* The values of a block differ by at most w. By Bernstein's inequality the mass farther
than x from the mean is at most ``2·exp(-x²/(2·(V + w·x/3)))``, a bound on what folds into a window.

*How exact.* Blocks are centred at an atom c that is likely and near their mean. Let z_j be the
characteristic function of a centred block, q_j the mass of its atom, and u = 2⁻⁵³. Then
``1 - |z_j|² ≥ 2·q_j·E[1 - cos θ(X_j - c)] ≥ q_j·(Im z_j)²``, and ``Σ(1 - |z_j|²) ≤ 100`` wherever
|Φ| > exp(-50), so that ``Σ|Im z_j| ≤ √(100·n/q)`` there by the Cauchy–Schwarz inequality.
Logarithms and angles of z_j are exact up to a few u of these, and Φ up to a few ``u·√(100·n/q)``.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt
from scipy.fft import irfft, next_fast_len, rfft
from scipy.sparse import csr_array

from pkdp.noiseless import _convolution
from pkdp.noiseless._integer_laws import Rows
from pkdp.noiseless._supports import BoolArray, Possible
from pkdp.profiles.logarithms import FloatArray, IntArray, x_minus_log1p

ComplexArray = npt.NDArray[np.complex128]

# At most exp of minus these is folded into a window, and left out of a transform.
_LOG_FOLDED, _LOG_CUT = 60.0, 50.0
# A window is used where masses are at least this part of the largest one; the second part is for
# windows of which too little would be used.
_LEAST_PARTS = 1e-2, 1e-4
# The longest window: longer ones would take gigabytes.
_LONGEST = 2**24
# Numbers in a table of intermediate results.
_TABLE = 2**21
# Direct convolution leaves out masses below exp of minus this; its longest reach.
_LOG_LEFT_OUT, _LONGEST_CONVOLVED = 200.0, 50_000
# Outcomes near an end are convolved directly if there are at most so many times different blocks.
_NEAR_END = 2**14
# The largest difference of consecutive tilts, per step.
_LARGEST_STEP = 2.0
# Atoms of a block that are at most so many places apart are all used to bound frequencies.
_ALL_LAGS = 64


class Tilted:
    """The blocks tilted by ``exp(tilt·offset)``, with the moments of their sum.

    Parameters
    ----------
    base : Sum
        The blocks.
    tilt : float
        Per step.

    Attributes
    ----------
    masses : ndarray
        The tilted masses of every row.
    origin : int
        The sum of the blocks' centres.
    beyond : float
        The mean of the sum, less `origin`.
    variance : float
        Of the sum.
    entropy : float
        Relative entropy of the tilted law of the sum with respect to the law itself.
    """

    def __init__(self, base: Sum, tilt: float) -> None:
        self._base, self.tilt = base, tilt
        heads, index, offsets = base.rows.starts[:-1], base.index, base.rows.offsets
        exponents = base.logs + tilt * offsets
        top = np.maximum.reduceat(exponents, heads)
        masses = np.exp(exponents - top[index])
        norms = np.add.reduceat(masses, heads)
        self.masses = masses / norms[index]
        means = np.add.reduceat(self.masses * offsets, heads)
        squares = np.add.reduceat(self.masses * (offsets - means[index]) ** 2, heads)
        self.variance = _total(base.counts * squares)
        self._centres = self._likely(means, squares)
        self.origin = int((base.rows.counts * self._centres).sum())
        away = self.masses * (offsets - self._centres[index])
        self.beyond = _total(base.counts * np.add.reduceat(away, heads))
        # ln(p/q), which is ln M - tilt·offset.
        ratios = (top + np.log(norms))[index] - tilt * offsets
        near = np.abs(ratios) < 0.5
        excess = base.rows.masses - self.masses * (1.0 + ratios)
        excess[near] = self.masses[near] * x_minus_log1p(np.expm1(ratios[near]))
        self.entropy = max(0.0, _total(base.counts * np.add.reduceat(excess, heads)))

    @property
    def mean(self) -> float:
        """The mean of the sum, rounded."""
        return self.origin + self.beyond

    @property
    def deviation(self) -> float:
        """The standard deviation of the sum."""
        return math.sqrt(self.variance)

    def step_by(self, distance: float) -> float:
        """Return about the change of the tilt that moves the mean by a distance."""
        return max(-_LARGEST_STEP, min(_LARGEST_STEP, distance / max(self.variance, 1e-300)))

    def log_tail(self, i: int) -> float:
        """Return Chernoff's bound on ln of the mass from i on (away from the mean)."""
        return -self.entropy - self.tilt * ((i - self.origin) - self.beyond)

    def log_scale(self, first: int, size: int) -> FloatArray:
        """Return ln of the ratio of untilted to tilted masses, from an outcome on."""
        distance = (np.arange(first, first + size) - self.origin) - self.beyond
        return np.asarray(-self.entropy - self.tilt * distance)

    def _likely(self, means: FloatArray, squares: FloatArray) -> IntArray:
        """Return the likeliest offset of each row within 1.5 standard deviations of its mean.

        By Chebyshev's inequality more than half of a row's mass is so near.
        """
        base = self._base
        heads, index, offsets = base.rows.starts[:-1], base.index, base.rows.offsets
        far = np.abs(offsets - means[index]) > 1.5 * np.sqrt(squares)[index] + 1e-9
        weights = np.where(far, -1.0, self.masses)
        best = weights == np.maximum.reduceat(weights, heads)[index]
        places = np.where(best, np.arange(offsets.size), offsets.size)
        return offsets[np.minimum.reduceat(places, heads)]

    def differences(self) -> FloatArray:
        """Return a lower bound on the sum over blocks of P[one copy exceeds another by d]."""
        base = self._base
        result = np.zeros(base.widest + 1)
        weights = base.counts[base.index]
        for lag in _lags(int(np.diff(base.rows.starts).max())):
            same = base.index[lag:] == base.index[:-lag]
            pairs = (self.masses[lag:] * self.masses[:-lag] * weights[lag:])[same]
            apart = (base.rows.offsets[lag:] - base.rows.offsets[:-lag])[same]
            found = np.bincount(apart, pairs)
            result[: found.size] += found
        return result

    def log_characteristic(self, chosen: IntArray, length: int) -> ComplexArray:
        """Return ln of the characteristic function of the sum less `origin`, at 2πk/length."""
        base, rows = self._base, self._base.rows
        away = rows.offsets - self._centres[base.index]
        low = int(away.min())
        used = np.flatnonzero(np.bincount(away - low)) + low
        weights = csr_array(
            (self.masses, np.searchsorted(used, away), rows.starts),
            shape=(rows.counts.size, used.size),
        )
        result = np.empty(chosen.size, dtype=np.complex128)
        columns = max(1, _TABLE // max(used.size, 8 * rows.counts.size))
        for start in range(0, chosen.size, columns):
            here = slice(start, start + columns)
            turns = np.outer(used, chosen[here]) % length
            turns[2 * turns > length] -= length
            angles = turns * (2.0 * math.pi / length)
            # Real and imaginary part of E[exp(iθd) - 1], in one row for each frequency, so that
            # sums over blocks are pairwise.
            real, imaginary = (
                np.ascontiguousarray((weights @ part).T)
                for part in (-2.0 * np.sin(angles / 2.0) ** 2, np.sin(angles))
            )
            square = real * (2.0 + real) + imaginary * imaginary
            with np.errstate(divide="ignore"):  # where a block's modulus is 0
                logs = np.log1p(np.maximum(square, -1.0)) / 2.0
            angles = np.arctan2(imaginary, 1.0 + real)
            counts = rows.counts
            result[here] = (counts * logs).sum(axis=1) + 1j * (counts * angles).sum(axis=1)
        return result


class Sum:
    """The sum of many blocks, counted in steps."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.reach = rows.reach
        self.index = np.repeat(np.arange(rows.counts.size), np.diff(rows.starts))
        self.counts = rows.counts.astype(np.float64)
        self.logs = np.log(rows.masses)
        self.widest = int(rows.widths.max())
        self.possible = Possible(rows)

    def tilted(self, tilt: float) -> Tilted:
        """Return the blocks tilted by ``exp(tilt·offset)``, for a finite tilt."""
        return Tilted(self, tilt)

    def window(self, law: Tilted) -> tuple[int, FloatArray]:
        """Return the first outcome of a window around the mean, and ``w``, exact up to rounding.

        Impossible outcomes have mass 0.
        """
        first, length, width = self._frame(law)
        chosen = self._frequencies(law, length)
        logs = law.log_characteristic(chosen, length)
        # The start of the window relative to the centres: an integer, of whose multiples only the
        # remainders matter.
        turns = chosen * ((first - law.origin) % length) % length
        spectrum = np.zeros(length // 2 + 1, dtype=np.complex128)
        # The transform uses exp(+iθn), so it is given the conjugate.
        spectrum[chosen] = np.exp(logs.conj() + 1j * (turns * (2.0 * math.pi / length)))
        weights = irfft(spectrum, length)[:width]
        return first, np.where(self.possible(first, first + width - 1), weights, 0.0)

    def _frame(self, law: Tilted) -> tuple[int, int, int]:
        """Return the first outcome of a window, the length of a transform, and the width."""
        beyond = _far(law.variance, self.widest, _LOG_FOLDED)
        middle = law.origin + round(law.beyond)
        first, last = max(0, middle - beyond), min(self.reach, middle + beyond)
        width = last - first + 1
        if width > _LONGEST:
            deviation = law.deviation * self.rows.step
            raise ValueError(
                f"blocks must have a sum whose likely values are at most {_LONGEST} steps of "
                f"{self.rows.step}, got a standard deviation of {deviation:.3g}"
            )
        return first, next_fast_len(width, real=True), width

    def _frequencies(self, law: Tilted, length: int) -> IntArray:
        """Return which frequencies 2πk/length may matter, k ≤ length/2."""
        differences = law.differences()
        folded = np.bincount(np.arange(differences.size) % length, differences, length)
        transform = rfft(folded).real
        return np.flatnonzero(transform[0] - transform <= _LOG_CUT)

    def useful(self, law: Tilted) -> tuple[int, FloatArray]:
        """Return an outcome, and ``ln P`` from there on, as far as these are accurate.

        The range contains the mode of the tilted law.
        """
        first, weights = self.window(law)
        possible = self.possible(first, first + weights.size - 1)
        # A smooth law is accurate for three standard deviations on either side; any law should be
        # for half of that.
        enough = 1.5 * law.deviation + 1.0
        least, most = max(law.mean - enough, 0.0), min(law.mean + enough, float(self.reach))
        mode = int(weights.argmax())
        for part in _LEAST_PARTS:
            poor = possible & (weights < part * weights[mode])
            low, high = _range_around(mode, poor)
            if first + low <= least and first + high >= most:
                break
        else:
            return self._useful_by_convolution(law)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(weights[low : high + 1], 0.0))
        return first + low, logs + law.log_scale(first + low, high - low + 1)

    def _useful_by_convolution(self, law: Tilted) -> tuple[int, FloatArray]:
        """Return the same for a law some of whose masses are much smaller than their neighbours.

        Masses below exp(-200) are left out of convolved parts, far below other rounding.
        """
        if _far(law.variance, self.widest, _LOG_LEFT_OUT) > _LONGEST_CONVOLVED:
            raise ValueError(
                "blocks must have a sum of smaller variance, or of masses that differ less from "
                f"their neighbours', got a standard deviation of {law.deviation:.3g} "
                f"steps of {self.rows.step}"
            )
        start, logs = _convolution.log_masses_around(self.rows, law.masses)
        possible = self.possible(start, start + logs.size - 1)
        low, high = _range_around(int(logs.argmax()), possible & (logs <= -_LOG_LEFT_OUT / 2.0))
        if high - low < min(2.0 * law.deviation, self.reach):
            raise ValueError(
                f"blocks must have a sum whose masses are at least exp({-_LOG_LEFT_OUT / 2:g}) "
                "of their neighbours', got smaller ones"
            )
        return start + low, logs[low : high + 1] + law.log_scale(start + low, high - low + 1)

    @functools.cached_property
    def central(self) -> Tilted:
        """The blocks without a tilt."""
        return self.tilted(0.0)

    @functools.cached_property
    def _around_mean(self) -> Chain:
        return Chain(self, self.central)

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return ``ln P[i]`` for i in first…last, which are in 0…reach."""
        if first == last and first in (0, self.reach):
            return np.array([self._log_end(first > 0)])
        known, size = self._around_mean, last - first
        after = first - known.last > size
        # Outcomes that are far from all known masses do not need those in between.
        if not after and known.first - last <= size:
            return known.log_pmf(first, last)
        # Near an end most blocks have their largest value, and masses may be uneven.
        from_end = self.reach - first + 1 if after else last + 1
        if from_end * self.rows.counts.size <= _NEAR_END:
            logs = _convolution.log_masses_from_end(self.rows, from_end, after)
            return logs[: size + 1] if after else logs[first:]
        return Chain(self, self.tilted_towards(first if after else last)).log_pmf(first, last)

    def _log_end(self, last: bool) -> float:
        """Return ln of the mass of the last outcome, or the first one."""
        places = self.rows.starts[1:] - 1 if last else self.rows.starts[:-1]
        return _total(self.counts * self.logs[places])

    def tilted_towards(self, i: float) -> Tilted:
        """Return a tilted law whose mean is within half a standard deviation of i, in 0…reach."""
        wanted = min(max(i, 0.5), self.reach - 0.5)
        law = self.central
        low, high = -math.inf, math.inf
        for _ in range(200):
            miss = wanted - law.mean
            if abs(miss) <= 0.5 * law.deviation or law.tilt in (low, high):
                break
            low, high = (law.tilt, high) if miss > 0.0 else (low, law.tilt)
            tilt = law.tilt + law.step_by(miss)
            if not low < tilt < high:
                tilt = (low + high) / 2.0
            law = self.tilted(tilt)
        return law

    def span(self, log_least: float) -> tuple[int, int]:
        """Return a range outside which every mass and both tails are below ``exp(log_least)``."""
        if log_least == -math.inf:
            return 0, self.reach
        depth = max(-log_least, 1.0 - self._around_mean.peak)
        return self._end(depth, -1), self._end(depth, 1)

    def _end(self, depth: float, side: int) -> int:
        tilt = side * math.sqrt(2.0 * depth / self.central.variance)
        for _ in range(100):
            law = self.tilted(tilt)
            if law.entropy >= depth:
                break
            if min(law.mean, self.reach - law.mean) < 0.5:
                return self.reach if side > 0 else 0
            tilt *= min(2.0, 1.01 * math.sqrt(depth / max(law.entropy, depth / 4.0)) + 1e-3)
        end = math.ceil(law.mean) if side > 0 else math.floor(law.mean)
        return min(max(end, 0), self.reach)

    def log_outside(self, first: int, last: int) -> float:
        """Return ln of a bound on the mass outside first…last, which contain the mean."""
        logs = []
        for side, i, none in ((-1, first - 1, first <= 0), (1, last + 1, last >= self.reach)):
            if not none:
                law = self.tilted_towards(i)
                logs.append(min(law.log_tail(i), 0.0) if law.tilt * side > 0.0 else 0.0)
        return float(np.logaddexp.reduce(logs)) + 1e-9 if logs else -math.inf

    @functools.cached_property
    def log_error(self) -> float:
        """Bound on the error of the logarithm of a mass, apart from its own rounding.

        Rounding errors (see above) are multiplied by 100, the ratio of the largest mass of a window
        to the least one that is used; by 10⁴ where masses are uneven. Those of different blocks,
        and of different terms of a sum, are taken to be independent. Tests find at most a fiftieth
        of this, and a tenth where masses are uneven.
        """
        sizes = np.diff(self.rows.starts)
        return 1e-12 * math.sqrt(float(self.counts.sum()) * int(sizes.max()))

    @functools.cached_property
    def log_least_mass(self) -> float:
        """Return ln of the product of all blocks' least masses, a bound on every positive mass."""
        return _total(self.counts * np.minimum.reduceat(self.logs, self.rows.starts[:-1]))


class Chain:
    """Consecutive masses, read window by window from laws of ever larger tilts to either side."""

    def __init__(self, base: Sum, law: Tilted) -> None:
        self._base = base
        self.first, self._logs = base.useful(law)
        self.peak = float(self._logs.max())
        self._outermost = {-1: law, 1: law}

    @property
    def last(self) -> int:
        """The last outcome of known mass."""
        return self.first + self._logs.size - 1

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return ``ln P[i]`` for i in first…last, after adding windows as far as that."""
        for side, end, to in ((-1, self.first, first), (1, self.last, last)):
            parts = [self._logs]
            while side * (to - end) > 0:
                parts.append(self._beyond(end, side))
                end += side * parts[-1].size
            self._logs = np.concatenate(parts[::side])
            self.first = min(self.first, end)
        return self._logs[first - self.first : last - self.first + 1]

    def _beyond(self, end: int, side: int) -> FloatArray:
        """Return the masses beyond an end, from the window of a tilt that reaches back to it."""
        base, law = self._base, self._outermost[side]
        wanted = min(max(end + side * 2.5 * law.deviation, 0.5), base.reach - 0.5)
        step = law.step_by(wanted - law.mean)
        for _ in range(100):
            next_law = base.tilted(law.tilt + step)
            first, logs = base.useful(next_law)
            near, far = (first, first + logs.size - 1)[::side]
            if side * (near - end) <= 1 and side * (far - end) > 0:
                self._outermost[side] = next_law
                return logs[end + 1 - first :] if side > 0 else logs[: end - first]
            step *= 0.6 if side * (near - end) > 1 else 1.5  # too far, or not far enough
        raise ValueError("blocks must have a sum whose masses fall more evenly")


def _far(variance: float, width: int, log_part: float) -> int:
    """Return Bernstein's distance from the mean at which a tail is below ``exp(-log_part)``."""
    third = width * log_part / 3.0
    return math.ceil(third + math.sqrt(third**2 + 2.0 * log_part * variance)) + 1


def _range_around(mode: int, is_poor: BoolArray) -> tuple[int, int]:
    """Return the range around the mode without poor masses."""
    poor = np.flatnonzero(is_poor)
    before, after = poor[poor < mode], poor[poor > mode]
    low = int(before[-1]) + 1 if before.size else 0
    high = int(after[0]) - 1 if after.size else is_poor.size - 1
    return low, high


def _lags(most: int) -> list[int]:
    """Return which distances of atoms in a block, in places, are used to bound frequencies.

    Any choice is valid; with fewer pairs more frequencies are left.
    """
    lags = list(range(1, min(most, _ALL_LAGS + 1)))
    while len(lags) >= _ALL_LAGS and lags[-1] * 9 // 8 < most:
        lags.append(lags[-1] * 9 // 8)
    return sorted(set(lags))


def _total(terms: FloatArray) -> float:
    """Return a pairwise sum, whose rounding grows with the logarithm of its length only."""
    return float(np.add.reduce(terms))
