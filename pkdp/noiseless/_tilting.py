"""Exponential tilting and Fourier transforms: masses of sums of many blocks.

Everything is counted in steps (`Rows`): outcome i is ``origin + step·i``, 0 ≤ i ≤ reach. The masses
w_i of a tilted law (`_windowed_laws`) come from the characteristic function Φ of the tilted sum,

    w_i = (1/L)·Σ_k Φ(2πk/L)·exp(-2πi·k·i/L).

Its relative entropy is summed block by block, so that no large numbers are subtracted.

*Which frequencies.* Since ln x ≤ x - 1, ``ln|Φ(θ)| ≤ -Σ_d R_d·(1 - cos θd)``, where R_d is the
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

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.fft import irfft, next_fast_len, rfft
from scipy.sparse import csr_array

from pkdp.noiseless import _convolution
from pkdp.noiseless._integer_laws import Rows
from pkdp.noiseless._supports import Possible
from pkdp.noiseless._windowed_laws import Tilted, WindowedLaw, range_around
from pkdp.profiles.logarithms import FloatArray, IntArray, log_positive, log_sum, x_minus_log1p

ComplexArray = npt.NDArray[np.complex128]

# Sums of at most so many steps are convolved directly.
_FEW_STEPS = 2048
# No more than exp of minus these is folded into a window, and left out of a transform.
_LOG_FOLDED, _LOG_CUT = 60.0, 50.0
# A window is used where masses are at least this part of the largest one; the second part is for
# windows of which too little would be used.
_LEAST_PARTS = 1e-2, 1e-4
# The longest window: longer ones would take gigabytes.
_LONGEST = 2**24
# Numbers in a table of intermediate results.
_TABLE = 2**21
# Outcomes near an end are convolved directly if there are at most so many times different blocks.
_NEAR_END = 2**9
# Of the distances of atoms in a block, in places, so many are used to bound frequencies.
_LAGS = 256


@dataclass(frozen=True, eq=False)
class TiltedBlocks(Tilted):
    """A sum of tilted blocks.

    Attributes
    ----------
    masses : ndarray
        The tilted masses of every row.
    centres : ndarray of int
        A likely offset of each row, near its mean; `origin` is their sum.
    """

    masses: FloatArray
    centres: IntArray


class Sum(WindowedLaw[TiltedBlocks]):
    """The sum of many blocks."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self._logs = rows, np.log(rows.masses)
        self.least, self.step = rows.origin, rows.step
        self._index = np.repeat(np.arange(rows.counts.size), np.diff(rows.starts))
        self._counts = rows.counts.astype(np.float64)

    @property
    def reach(self) -> int:
        """The last outcome, in steps."""
        return self._rows.reach

    @functools.cached_property
    def _few(self) -> FloatArray | None:
        """``ln P`` of all outcomes, one for each step; None if there are many."""
        return _convolution.log_masses(self._rows) if self.reach <= _FEW_STEPS else None

    def tilted(self, tilt: float) -> TiltedBlocks:
        """Return the blocks tilted by ``exp(tilt·offset)``, for a finite tilt."""
        heads, index, offsets = self._rows.starts[:-1], self._index, self._rows.offsets
        exponents = self._logs + tilt * offsets
        top = np.maximum.reduceat(exponents, heads)
        masses = np.exp(exponents - top[index])
        norms = np.add.reduceat(masses, heads)
        masses /= norms[index]
        means = np.add.reduceat(masses * offsets, heads)
        squares = np.add.reduceat(masses * (offsets - means[index]) ** 2, heads)
        # By Chebyshev's inequality more than half of a row's mass is so near its mean.
        far = np.abs(offsets - means[index]) > 1.5 * np.sqrt(squares)[index] + 1e-9
        likely = np.where(far, -1.0, masses)
        best = likely == np.maximum.reduceat(likely, heads)[index]
        places = np.where(best, np.arange(offsets.size), offsets.size)
        centres = offsets[np.minimum.reduceat(places, heads)]
        # ln(p/q), which is ln M - tilt·offset.
        ratios = (top + np.log(norms))[index] - tilt * offsets
        near = np.abs(ratios) < 0.5
        excess = self._rows.masses - masses * (1.0 + ratios)
        excess[near] = masses[near] * x_minus_log1p(np.expm1(ratios[near]))
        origin = int((self._rows.counts * centres).sum())
        beyond = self._total(np.add.reduceat(masses * (offsets - centres[index]), heads))
        variance = self._total(squares)
        entropy = max(0.0, self._total(np.add.reduceat(excess, heads)))
        return TiltedBlocks(
            tilt, origin + beyond, variance, entropy, origin, beyond, masses, centres
        )

    def _total(self, terms: FloatArray) -> float:
        """Return the sum over all blocks of one term for each row, pairwise, to round less."""
        return float(np.add.reduce(self._counts * terms))

    def weights(self, law: TiltedBlocks) -> tuple[int, FloatArray]:
        """Return the first outcome of a window around the mean, and tilted masses from there on.

        They are exact up to rounding, of a small sum relative to each and of a large one relative
        to the largest. Impossible outcomes have mass 0.
        """
        if self._few is not None:
            return 0, np.exp(self._few - law.log_scale(0, self._few.size))
        first, length, width = self._frame(law)
        chosen = self._frequencies(law, length)
        logs = self._log_characteristic(law, chosen, length)
        # The start of the window relative to the centres: an integer, of whose multiples only the
        # remainders matter.
        turns = chosen * ((first - law.origin) % length) % length
        spectrum = np.zeros(length // 2 + 1, dtype=np.complex128)
        # The transform uses exp(+iθn), so it is given the conjugate.
        spectrum[chosen] = np.exp(logs.conj() + 1j * (turns * (2.0 * math.pi / length)))
        weights = irfft(spectrum, length)[:width]
        return first, np.where(self._possible(first, first + width - 1), weights, 0.0)

    def _frame(self, law: TiltedBlocks) -> tuple[int, int, int]:
        """Return the first outcome of a window, the length of a transform, and the width."""
        # Bernstein's distance from the mean at which a tail is below exp(-_LOG_FOLDED).
        third = int(self._rows.widths.max()) * _LOG_FOLDED / 3.0
        beyond = math.ceil(third + math.sqrt(third**2 + 2.0 * _LOG_FOLDED * law.variance)) + 1
        middle = law.origin + round(law.beyond)
        first, last = max(0, middle - beyond), min(self.reach, middle + beyond)
        width = last - first + 1
        if width > _LONGEST:
            raise ValueError(
                f"blocks must have a sum whose likely values are at most {_LONGEST} steps of "
                f"{self.step}, got a standard deviation of {law.deviation * self.step:.3g}"
            )
        return first, next_fast_len(width, real=True), width

    def _frequencies(self, law: TiltedBlocks, length: int) -> IntArray:
        """Return which frequencies 2πk/length may matter, k ≤ length/2."""
        differences = self._differences(law)
        folded = np.bincount(np.arange(differences.size) % length, differences, length)
        transform = rfft(folded).real
        return np.flatnonzero(transform[0] - transform <= _LOG_CUT)

    def _differences(self, law: TiltedBlocks) -> FloatArray:
        """Return a lower bound on the sum over blocks of P[one copy exceeds another by d]."""
        rows, index = self._rows, self._index
        result = np.zeros(int(rows.widths.max()) + 1)
        weights = self._counts[index]
        # Any choice of distances is valid; with fewer pairs of atoms more frequencies are left.
        farthest = int(np.diff(rows.starts).max()) - 1
        for lag in np.unique(np.geomspace(1, farthest, _LAGS).astype(np.int64)).tolist():
            same = index[lag:] == index[:-lag]
            pairs = (law.masses[lag:] * law.masses[:-lag] * weights[lag:])[same]
            apart = (rows.offsets[lag:] - rows.offsets[:-lag])[same]
            found = np.bincount(apart, pairs)
            result[: found.size] += found
        return result

    def _log_characteristic(self, law: TiltedBlocks, chosen: IntArray, length: int) -> ComplexArray:
        """Return ln of the characteristic function of the sum less `origin`, at 2πk/length."""
        rows = self._rows
        away = rows.offsets - law.centres[self._index]
        low = int(away.min())
        used = np.flatnonzero(np.bincount(away - low)) + low
        weights = csr_array(
            (law.masses, np.searchsorted(used, away), rows.starts),
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

    def useful(self, law: TiltedBlocks) -> tuple[int, FloatArray]:
        """Return an outcome, and ``ln P`` from there on, as far as these are accurate.

        The range contains the mode of the tilted law.
        """
        if self._few is not None:
            return 0, self._few
        # Near an end most blocks have the same value, and masses may be uneven.
        from_end = min(law.mean, self.reach - law.mean)
        size = math.ceil(from_end + 3.0 * law.deviation) + 2
        if size * self._rows.counts.size <= _NEAR_END:
            if from_end == law.mean:
                return 0, _convolution.log_masses(self._rows, size)
            logs = _convolution.log_masses(self._rows.mirrored(), size)[::-1]
            return self.reach + 1 - size, logs
        first, weights = self.weights(law)
        possible = self._possible(first, first + weights.size - 1)
        # A smooth law is accurate for three standard deviations on either side; any law should be
        # for half of that.
        enough = 1.5 * law.deviation + 1.0
        least, most = max(law.mean - enough, 0.0), min(law.mean + enough, float(self.reach))
        mode = int(weights.argmax())
        for part in _LEAST_PARTS:
            low, high = range_around(mode, possible & (weights < part * weights[mode]))
            if first + low <= least and first + high >= most:
                break
        else:
            raise ValueError(
                "blocks must have a sum whose masses differ less from their neighbours', or of at "
                f"most {_FEW_STEPS} steps, got {self.reach} steps of {self.step}"
            )
        logs = log_positive(weights[low : high + 1])
        return first + low, logs + law.log_scale(first + low, high - low + 1)

    def span(self, log_least: float) -> tuple[int, int]:
        """Return where masses are not negligible (see `Law.span`), or a slightly larger range."""
        if self._few is None:
            return super().span(log_least)
        matters = np.flatnonzero(self._few >= min(log_least, float(self._few.max())))
        return self.least + self.step * int(matters[0]), self.least + self.step * int(matters[-1])

    def log_outside(self, first: int, last: int) -> float:
        """Return a bound on the mass elsewhere (see `Law.log_outside`)."""
        if self._few is None:
            return super().log_outside(first, last)
        low, high = self._steps(first, last)
        return log_sum(np.append(self._few[:low], self._few[high + 1 :])) + 1e-9

    @functools.cached_property
    def _possible(self) -> Possible:
        """Which steps of 0…reach are possible."""
        if self._few is None:
            return Possible.of(self._rows)
        return Possible(self.reach, self._few > -math.inf, np.ones(0, dtype=bool))

    def _log_end(self, last: bool) -> float:
        places = self._rows.starts[1:] - 1 if last else self._rows.starts[:-1]
        return self._total(self._logs[places])
