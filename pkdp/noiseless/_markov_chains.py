"""Markov chain of bits: distribution of the number of ones, also in deep tails.

Let a bit be known, and m bits follow it. With x for a 1, the transitions are the matrix

    M(x) = [[rest, rise·x], [fall, stay·x]],

and the number of ones has the generating function ``(w₀, w₁)·M(x)^m·(1, 1)ᵀ``, where w₁ is the
probability that the bit before them is 1. M has the eigenvalues λ and ρx/λ, ρ = stay - rise, so
the function costs the same for every m. An *arm* is such a row of bits. To the left of a bit in a
stationary chain, bits follow it backwards in time with the same transitions. The ones of the arms
of one bit are counted; given the bit's value, arms are independent.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.fft import next_fast_len

from pkdp.noiseless._windowed_laws import Tilted, WindowedLaw, range_around
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles.logarithms import FloatArray

__all__ = ["LEAST_CHANGES", "MOST_FEW", "MOST_STIFF", "Arms"]

# Up to so many bits a window is the product of positive matrices, step by step: every mass has its
# digits. Beyond, it comes from the characteristic function, whose rounding is relative to the
# largest mass; that will do where bits change often enough for the law to have one mode, about.
# Where they do not, steps are taken for more bits, too.
MOST_FEW, LEAST_CHANGES, MOST_STIFF = 4096, 200.0, 2**15

# What a window leaves out of the tilted law is less than exp of this. Its masses are used if they
# exceed the first part of the largest, by steps, and the second, by frequencies.
_LOG_OUTSIDE, _LEAST_BY_STEPS, _LEAST_PART = -48.0, 1e-200, 0.01
# The steepest tilt: squares of exponentials must fit a float, Chernoff's slopes added. By then
# nearly all the tilted mass is at one end.
_STEEPEST = 250.0
# Frequencies count whose modulus is more than exp of this.
_LOG_NO_FREQUENCY = -60.0
# Slopes for Chernoff's bound: the best one is within a tenth of one of them.
_SLOPES = np.geomspace(1e-8, 60.0, 150)

ComplexArray = npt.NDArray[np.complex128]


@dataclass(frozen=True)
class Arms(WindowedLaw[Tilted]):
    """The law of the ones in some independent rows of bits of one chain.

    Attributes
    ----------
    chain : MarkovChain
        Its transitions; where it starts is of no account.
    arms : tuple of (float, int)
        Of each row the probability that the bit before it is 1, and its length ≥ 0.

    Examples
    --------
    >>> law = Arms(MarkovChain.stationary(0.5, 0.5), ((1.0, 2),))
    >>> law.window().weights.round(6).tolist()
    [0.1875, 0.25, 0.5625]
    """

    chain: MarkovChain
    arms: tuple[tuple[float, int], ...]

    @functools.cached_property
    def reach(self) -> int:
        """How many bits are counted."""
        return sum(length for _, length in self.arms)

    @functools.cached_property
    def _by_steps(self) -> bool:
        return self.reach <= MOST_FEW or not is_lively(self.chain, self.reach)

    def __reduce__(self) -> tuple[type[Arms], tuple[object, ...]]:
        return Arms, (self.chain, self.arms)  # without the masses

    @property
    def log_least_mass(self) -> float:
        """Natural logarithm of less than the smallest positive mass: of the least likely path."""
        chain = self.chain
        return self.reach * math.log(min(chain.stay, chain.fall, chain.rise, chain.rest))

    def _log_end(self, last: bool) -> float:
        c = self.chain
        after_one, after_zero = (c.stay, c.rise) if last else (c.fall, c.rest)
        again = c.stay if last else c.rest
        return sum(
            math.log(one * after_one + (1.0 - one) * after_zero) + (length - 1) * math.log(again)
            for one, length in self.arms
            if length
        )

    # --- moments --------------------------------------------------------------------------------

    def tilted(self, tilt: float) -> Tilted:
        """Return the tilted law; its moments are those of a long row."""
        tilt = min(max(tilt, -_STEEPEST), _STEEPEST)
        tilts = tilt + np.array([-5e-5, 0.0, 5e-5])
        roots = self._roots(tilts)
        below, share, above = roots.share.tolist()
        mean = self.reach * share
        entropy = tilt * round(mean) - float(self._log_mgf(tilts, roots)[1])
        variance = max(0.0, self.reach * (above - below) / 1e-4)
        return Tilted(tilt, mean, variance, entropy, round(mean), 0.0)

    def _roots(self, tilts: FloatArray) -> _Roots:
        return _Roots(self.chain, np.exp(tilts).astype(np.complex128))

    def _log_mgf(self, tilts: FloatArray, roots: _Roots | None = None) -> FloatArray:
        """Natural logarithm of ``E[exp(tilt·count)]``."""
        roots = roots or self._roots(tilts)
        # λ is 1 where x is, so that its logarithm keeps its digits near there.
        rise_of_root = np.expm1(tilts) * (roots.steep / (roots.large - self.chain.correlation)).real
        near = np.abs(tilts) < 1.0
        log_root = np.where(
            near, np.log1p(np.where(near, rise_of_root, 0.0)), np.log(roots.large.real)
        )
        total = np.zeros(tilts.shape)
        for one, length in self.arms:
            total += length * log_root + np.log(roots.factor(one, length).real)
        return total

    def _bulk(self, tilt: float, log_least: float) -> tuple[int, int]:
        """Return outcomes on either side of which the tilted law has less than ``exp(log_least)``.

        By Chernoff's bound, at the best of some slopes.
        """
        here = self._log_mgf(np.array([tilt]))[0]
        rising, falling = (self._log_mgf(tilt + s) - here - log_least for s in (_SLOPES, -_SLOPES))
        high = math.ceil(min(float((rising / _SLOPES).min()), self.reach))
        low = math.floor(max(float((-falling / _SLOPES).max()), 0.0))
        return low, high

    # --- windows --------------------------------------------------------------------------------

    def weights(self, law: Tilted) -> tuple[int, FloatArray]:
        """Return the first outcome of a window, and tilted masses from there on."""
        return self._stepped(law.tilt) if self._by_steps else self._inverted(law.tilt)

    def useful(self, law: Tilted) -> tuple[int, FloatArray]:
        """Return an outcome, and ``ln P`` from there on, as far as these are accurate."""
        first, weights = self.weights(law)
        mode = int(weights.argmax())
        least = (_LEAST_BY_STEPS if self._by_steps else _LEAST_PART) * weights[mode]
        low, high = range_around(mode, weights < least)
        logs = np.log(weights[low : high + 1])
        return first + low, logs + law.log_scale(first + low, high - low + 1)

    def _stepped(self, tilt: float) -> tuple[int, FloatArray]:
        """Return all masses of the tilted law, from products and sums of positive numbers."""
        chain, x = self.chain, math.exp(tilt)
        root = float(_Roots(chain, np.array([x], dtype=np.complex128)).large[0].real)
        rest, fall = chain.rest / root, chain.fall / root
        rise, stay = chain.rise * x / root, chain.stay * x / root
        masses = np.ones(1)
        for one, length in self.arms:
            # By the last bit, the masses so far of a last 0 and of a last 1.
            after_0, after_1 = np.zeros(length + 1), np.zeros(length + 1)
            after_0[0], after_1[0] = 1.0 - one, one
            for k in range(1, length + 1):
                zero, one_more = after_0[:k].copy(), after_1[:k].copy()
                after_0[:k] = rest * zero + fall * one_more
                after_1[1 : k + 1] = rise * zero + stay * one_more
                after_1[0] = 0.0
            masses = np.convolve(masses, after_0 + after_1)
        return 0, masses / masses.sum()

    def _inverted(self, tilt: float) -> tuple[int, FloatArray]:
        """Return the masses of the tilted law in its bulk, from its characteristic function."""
        low, high = self._bulk(tilt, _LOG_OUTSIDE)
        width = high - low + 1
        length = next_fast_len(width, real=True)
        theta = np.arange(length // 2 + 1) * (2.0 * np.pi / length)
        x = math.exp(tilt)
        here = _Roots(self.chain, np.array([x], dtype=np.complex128))
        # At most frequencies the function is 0 to any precision.
        modulus = np.abs(sum(_half_sum_and_root(self.chain, x * np.exp(1j * theta))))
        matters = np.flatnonzero(self.reach * np.log(modulus / abs(here.large)) > _LOG_NO_FREQUENCY)
        theta = theta[matters]
        there = _Roots(self.chain, x * np.exp(1j * theta))
        # exp(iθ) - 1 with all its digits, and from it the change of the root.
        turn = -2.0 * np.sin(theta / 2.0) ** 2 + 1j * np.sin(theta)
        change = x * turn * there.steep / (there.large - here.small) / here.large
        log_modulus = np.log1p((2.0 + change.real) * change.real + change.imag**2) / 2.0
        share = float(here.share[0])
        phase = np.arctan2(change.imag, 1.0 + change.real) - share * theta
        exponent = self.reach * (log_modulus + 1j * phase) - 1j * theta * (low - share * self.reach)
        spectrum = np.zeros(length // 2 + 1, dtype=np.complex128)
        spectrum[matters] = np.exp(exponent)
        for one, arm in self.arms:
            spectrum[matters] *= there.factor(one, arm) / here.factor(one, arm)
        return low, np.maximum(np.fft.irfft(spectrum.conj(), length)[:width], 0.0)


def is_lively(chain: MarkovChain, bits: int) -> bool:
    """Return whether bits are expected to change often enough for the law to have one mode."""
    return bits * 2.0 * chain.limit * chain.fall >= LEAST_CHANGES


def _half_sum_and_root(chain: MarkovChain, x: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
    """Return half the sum and half the difference of both eigenvalues, the larger one first."""
    middle, half = (chain.rest + chain.stay * x) / 2.0, (chain.rest - chain.stay * x) / 2.0
    root = np.sqrt(half * half + chain.rise * chain.fall * x)
    return middle, np.where((middle.conj() * root).real < 0.0, -root, root)


class _Roots:
    """The eigenvalues of M(x) for some x, and what follows from them, without cancellation.

    Attributes
    ----------
    x, large, small : ndarray of complex
        Where, the eigenvalue λ of the larger modulus, and the other one, ρx/λ.
    share : ndarray
        The share of ones in a long row, for real x.
    steep : ndarray of complex
        ``stay·λ - ρ``: the change from x to y is ``λ' - λ = (y - x)·steep(y)/(λ' - small(x))``.
    """

    def __init__(self, chain: MarkovChain, x: ComplexArray) -> None:
        rest, rise, fall, stay = chain.rest, chain.rise, chain.fall, chain.stay
        swap = rise * fall * x
        half = (rest - stay * x) / 2.0
        _, root = _half_sum_and_root(chain, x)
        # λ - stay·x and λ - rest have the product `swap`; the smaller is had from the larger.
        over_one, over_zero = root + half, root - half
        one_larger = np.abs(over_one) >= np.abs(over_zero)
        safe_one = np.where(one_larger, over_one, 1.0)
        safe_zero = np.where(one_larger, 1.0, over_zero)
        over_one = np.where(one_larger, over_one, swap / safe_zero)
        over_zero = np.where(one_larger, swap / safe_one, over_zero)
        self.x, self.large = x, np.where(one_larger, stay * x + over_one, rest + over_zero)
        self.small = chain.correlation * x / self.large
        self.steep = stay * over_zero + rise * fall
        self._gap = 2.0 * root
        self.share = (x * self.steep / self.large / self._gap).real
        self._from_one = fall + x * self.steep / self.large
        self._from_zero = rise * x + (rest * over_one + swap) / self.large
        self._chain = chain

    def factor(self, one: float, length: int) -> ComplexArray:
        """Return the generating function of an arm, divided by ``λ^length``."""
        if length == 0:
            return np.ones_like(self.x)
        large = (one * self._from_one + (1.0 - one) * self._from_zero) / self._gap
        ratio = (self.small / self.large) ** length
        return np.asarray(large + (1.0 - large) * ratio)
