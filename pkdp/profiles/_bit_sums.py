"""Masses of sums of independent bits: products of polynomials, or a characteristic function.

Outcomes are relative to the number of *likely* bits, those that are mostly 1.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.fft import next_fast_len
from scipy.special import expit, log_expit

from pkdp.profiles import _fourier
from pkdp.profiles.binomials import reach_of
from pkdp.profiles.logarithms import FloatArray

# The largest number of deviations from what is likely that a product of polynomials counts.
MOST_DEVIATIONS = 64

# Groups are worked through in blocks of this many, to bound the memory of intermediate tables.
_BLOCK = 4096


def likely_bits(logits: FloatArray, tilt: float) -> npt.NDArray[np.bool_]:
    """Return which tilted bits are mostly 1, the same for a whole panel of an interpolation."""
    return np.asarray(np.floor(logits) + 0.5 + tilt > 0.0)


def by_convolution(
    logits: FloatArray, counts: FloatArray, likely: npt.NDArray[np.bool_]
) -> tuple[int, FloatArray]:
    """Return the first outcome and the masses, by multiplying generating polynomials.

    Every term is positive, so every mass has full relative accuracy. Likely bits are counted
    through their failures; either count is cut off at `MOST_DEVIATIONS`.
    """
    halves = []
    for chosen, sign in ((~likely, 1.0), (likely, -1.0)):
        log_odds, times = sign * logits[chosen], counts[chosen]
        weights = np.ones(1)
        for odds, number in zip(np.exp(log_odds), times, strict=True):
            k = np.arange(1.0, min(number, MOST_DEVIATIONS) + 1.0)
            factor = np.cumprod(np.append(1.0, odds * (number - k + 1.0) / k))
            weights = np.convolve(weights, factor)[: MOST_DEVIATIONS + 1]
        halves.append(weights * np.exp(times @ log_expit(-log_odds)))
    successes, failures = halves
    return 1 - failures.size, np.convolve(successes, failures[::-1])


def by_inversion(
    logits: FloatArray, counts: FloatArray, anchor: int, beyond: float, least: int, most: int
) -> tuple[int, FloatArray]:
    """Return the first outcome and masses in ``least…most``, from the characteristic function.

    The mean is anchor + beyond. The modulus falls like exp(-2·variance·sin²(θ/2)), so of the
    frequencies of a window of width O(σ) only about a hundred matter, whatever n.
    """
    q, not_q = expit(logits), expit(-logits)
    variance = float(counts @ (q * not_q))
    reach = reach_of(variance)
    start = max(least, anchor - reach)
    width = min(most, anchor + reach) - start + 1
    length = next_fast_len(width, real=True)
    cut = math.asin(math.sqrt(22.5 / variance)) if variance > 22.5 else math.pi / 2.0
    frequencies = min(length // 2, int(cut * length / np.pi) + 1) + 1
    turns, turn = np.arange(frequencies), 2 * np.pi / length
    theta = np.asarray(turns * turn, dtype=np.float64)
    # Of the angles of whole outcomes only what is beyond full turns matters.
    phase = -turn * (turns * ((start - anchor) % length) % length) + theta * beyond
    log_modulus = np.zeros_like(theta)
    for first in range(0, q.size, _BLOCK):
        block = slice(first, first + _BLOCK)
        with np.errstate(divide="ignore"):  # at θ = π a fair bit's modulus is 0
            of_bits = _fourier.log_characteristic(q[block, None], not_q[block, None], theta)
        log_modulus += counts[block] @ of_bits.real
        phase += counts[block] @ of_bits.imag
    spectrum = np.zeros(length // 2 + 1, dtype=np.complex128)
    spectrum[: theta.size] = np.exp(log_modulus - 1j * phase)
    weights = np.maximum(np.fft.irfft(spectrum, length)[:width], 0.0)
    # A sum of bits is unimodal; rounding in the far tails is not, and a tilt would amplify it.
    mode = int(np.argmax(weights))
    weights[mode:] = np.minimum.accumulate(weights[mode:])
    weights[: mode + 1] = np.minimum.accumulate(weights[mode::-1])[::-1]
    return start, weights
