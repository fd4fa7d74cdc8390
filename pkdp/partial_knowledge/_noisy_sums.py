"""Counts with noise, many at once: each is a one-dimensional Fourier integral, whatever its size.

What the noise module does to one law, this module does to thousands of counts of bits of a few
kinds, as the worst case over probabilities and the blanket ask for them. With the notation of
`_vertices` (tilted means μ, characteristic functions, ``k - 1 = μ + u``) the excess of the event
that S + 1 + noise is at least k is

    D(k) = e^{-Σ n·KL}·(1/π) Re ∫₀^π exp(Σ n·L(θ) - (ε + iθ)u)·h(θ)·G(θ) dθ,

where G is the moment generating function of geometric noise at ε + iθ. With Laplace noise an event
begins between two integers, at k - t; there its excess is ``D₀ + D₁·e^{-t/b} + D₂·e^{t/b}`` with
three such integrals, and the largest of these is known in closed form.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np
from scipy.special import erfcx, expit, log_ndtr

from pkdp.partial_knowledge._vertices import (
    ComplexArray,
    WorstVertex,
    kernel,
    log_characteristic,
    quadrature,
    split,
)
from pkdp.profiles.laws import FloatArray, IntArray, binomial, relative_entropy_of_tilt

# Rows worked through at once; how far around a guess events are tried; cells whose weight is below
# this part of the largest are left out.
_BLOCK, _NEAR, _NEGLIGIBLE = 1024, 2, 1e-19

# Length of the panels of a quadrature, and where the noise leaves little of ε: there the best event
# begins many standard deviations from the mean.
_PANEL, _FINE_PANEL, _LITTLE = 0.4, 0.25, 0.01

# Sizes for which the best event is guessed from a normal law, the others lying in between.
_GUESSES, _HALVINGS = 48, 20

# Excesses that are a smaller part of that of a neighbouring event are rounding errors.
_ROUNDING = 1e-14

# From a guess it takes fewer steps than this to the best event, where it is any better.
_CLIMBS = 64

# Up to so many vertices each is evaluated; of more, so many ranges are looked at first.
_FEW_VERTICES, _FIRST_BOXES = 200, 8

# So many boxes are looked at before a search gives up.
_BUDGET = 20_000


@dataclass(frozen=True)
class Decay:
    """The rate at which noise falls, with more digits than a float has.

    Next to it nothing is left of a profile but ``1 - p·E``, which floats would know to few digits.

    Attributes
    ----------
    rate : float
        ln(1/p) of geometric noise, 1/b of Laplace noise.
    correction : float
        What the float lacks.
    """

    rate: float
    correction: float

    @classmethod
    def of_ratio(cls, p: float) -> Decay:
        """Return the decay of geometric noise."""
        with mpmath.workdps(60):
            exact = -mpmath.log(mpmath.mpf(p))
            rate = float(exact)
            return cls(rate, float(exact - rate))

    @classmethod
    def of_scale(cls, scale: float) -> Decay:
        """Return the decay of Laplace noise."""
        rate = 1.0 / scale
        return cls(rate, float(1 / Fraction(scale) - Fraction(rate)))

    @property
    def end(self) -> float:
        """The ε from which on δ is 0: the rate, or less by what rounding may have added to it.

        Whoever writes ``log(1/p)`` means the same number as one who writes ``-log(p)``.
        """
        return self.rate - min(4e-16 * max(1.0, self.rate), 1e-9 * self.rate)

    def gap(self, eps: float) -> float:
        """Return the rate less ε."""
        return (self.rate - eps) + self.correction

    def rest(self, eps: float) -> float:
        """Return ``1 - p·E``, or ``1 - E·e^{-1/b}``."""
        return -math.expm1(-self.gap(eps))


class Counts:
    """Noisy counts of independent bits of a few kinds, at one ε.

    Parameters
    ----------
    probabilities : sequence of float
        The probability of each kind of bits, in (0, 1).
    fewest, most : int
        How many bits a count has at least and at most.
    eps : float
        ε ≥ 0, below the rate of the noise.
    decay : Decay
        The rate of the noise.
    laplace : bool
        Whether the noise is Laplace's; two-sided geometric otherwise.
    """

    def __init__(
        self,
        probabilities: Sequence[float],
        fewest: int,
        most: int,
        eps: float,
        decay: Decay,
        laplace: bool,
    ) -> None:
        self._eps, self._decay, self._laplace = eps, decay, laplace
        logits = np.array([math.log(p) - math.log1p(-p) for p in probabilities])
        tilted, rest = expit(logits + eps), expit(-logits - eps)
        self._variances = tilted * rest
        self._entropies = relative_entropy_of_tilt(logits, eps)
        gap = decay.gap(eps)
        nearest = min(gap, eps) if eps > 0.0 else gap
        self._largest_variance = most * float(self._variances.max())
        smallest_variance = fewest * float(self._variances.min())
        panel = _PANEL if gap > _LITTLE * decay.rate else _FINE_PANEL
        theta, weights = quadrature(nearest, smallest_variance, self._largest_variance, panel)
        self._theta = theta
        characters = [
            log_characteristic(float(q), float(not_q), theta)
            for q, not_q in zip(tilted, rest, strict=True)
        ]
        self._characters = np.array(characters)
        offsets = np.arange(-_NEAR, _NEAR + 1)
        kernels = self._kernels() * (weights / math.pi)
        self._kernels_at = kernels[:, None, :] * np.exp(-1j * np.outer(offsets, theta))
        self._offsets = offsets
        self._split_means(probabilities, most)

    def _split_means(self, probabilities: Sequence[float], most: int) -> None:
        """Split the tilted means into parts with few bits and the rest, for exact products."""
        bits = 2.0 ** (52 - max(1, most).bit_length())
        with mpmath.workdps(60):
            e = mpmath.exp(mpmath.mpf(self._eps))
            means = [p * e / (1 - p + p * e) for p in map(mpmath.mpf, probabilities)]
            high = [math.floor(float(mean) * bits) / bits for mean in means]
            self._means = (
                np.array(high),
                np.array([float(m - h) for m, h in zip(means, high, strict=True)]),
            )

    def _kernels(self) -> ComplexArray:
        """Return the integrands' factors that do not depend on the count, one row each."""
        eps, rate, theta = self._eps, self._decay.rate, self._theta
        plain = kernel(eps, theta)
        # 1 - e^{iθ} and 1 - e^{-iθ} without cancellation, and the two poles of the noise.
        turn = 2.0 * np.sin(theta / 2) ** 2 - 1j * np.sin(theta)
        ratio, other = math.exp(-self._decay.gap(eps)), math.exp(-rate - eps)
        right = self._decay.rest(eps) + ratio * turn
        left = -math.expm1(-rate - eps) + other * turn.conj()
        if not self._laplace:
            return np.array([plain * math.expm1(-rate) ** 2 / (right * left)])
        return np.array([plain, -0.5 * turn.conj() / left, -0.5 * ratio * turn / right])

    def log_delta(self, numbers: IntArray) -> FloatArray:
        """Return ln H_E(S + 1 + noise‖S + noise) for rows of numbers of bits of each kind."""
        result = np.empty(len(numbers))
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK].astype(np.float64)
            result[start : start + _BLOCK] = self._log_delta(block)
        return np.minimum(result, 0.0)

    def _log_delta(self, numbers: FloatArray) -> FloatArray:
        high, low = self._means
        mean = numbers @ high
        fraction = (mean - np.floor(mean)) + numbers @ low
        exponent = numbers @ self._characters
        log_scale = -(numbers @ self._entropies)
        deviations = np.sqrt(numbers @ self._variances)
        event = np.rint(np.interp(deviations, *self._guesses) + fraction)
        best = np.empty(len(numbers))
        rows = np.arange(len(numbers))
        for _ in range(_CLIMBS):
            if not rows.size:
                break
            u = event[rows] - fraction[rows]
            waves = np.exp(exponent[rows] - 1j * np.outer(u, self._theta))
            parts = np.einsum("rn,kon->rko", waves.real, self._kernels_at.real) - np.einsum(
                "rn,kon->rko", waves.imag, self._kernels_at.imag
            )
            excess = self._largest(parts)
            # Below the best event the excess is soon negative; a rounding error may be positive.
            excess[excess < _ROUNDING * np.abs(excess).max(axis=1, keepdims=True)] = 0.0
            with np.errstate(divide="ignore"):
                logs = np.log(np.maximum(excess, 0.0)) - self._eps * self._offsets
            found = np.where(excess.max(axis=1) > 0.0, logs.argmax(axis=1), self._offsets.size - 1)
            best[rows] = logs.max(axis=1) + log_scale[rows] - self._eps * u
            at_the_end = np.abs(self._offsets[found]) == _NEAR
            event[rows] += self._offsets[found]
            rows = rows[at_the_end]
        return best

    def _largest(self, parts: FloatArray) -> FloatArray:
        """Return the largest excess of events that begin at an outcome, or just below it."""
        if not self._laplace:
            return np.asarray(parts[:, 0])
        constant, with_u, with_inverse = parts[:, 0], parts[:, 1], parts[:, 2]
        least = math.exp(-self._decay.rate)
        inside = (with_u < 0.0) & (with_inverse < 0.0)
        ratio = np.where(inside, with_inverse, -1.0) / np.where(inside, with_u, -1.0)
        zero = np.clip(np.sqrt(ratio), least, 1.0)
        values = [constant + with_u * u + with_inverse / u for u in (zero, 1.0)]
        return np.maximum(*values)

    @functools.cached_property
    def _guesses(self) -> tuple[FloatArray, FloatArray]:
        """Return standard deviations, and where the best event begins if the count were normal.

        There e^{-gap·x} times the mass that noise brings from the left is, with its rate, what
        e^{(rate + ε)·x} times that from the right is.
        """
        near, far = self._decay.gap(self._eps), self._decay.rate + self._eps
        deviations = np.geomspace(0.1, 1.0 + math.sqrt(self._largest_variance), _GUESSES)
        low, high = np.zeros(_GUESSES), np.full(_GUESSES, 40.0)
        for _ in range(_HALVINGS):
            y = (low + high) / 2
            left = math.log(near) + _log_erfcx(near * deviations - y)
            right = math.log(far) + _log_erfcx(far * deviations + y)
            low, high = np.where(left < right, y, low), np.where(left < right, high, y)
        return deviations, deviations * (low + high) / 2


def _log_erfcx(z: FloatArray) -> FloatArray:
    """Return ln of ``e^{z²/2}·P[normal > z]``."""
    beyond = np.log(erfcx(np.maximum(z, 0.0) / math.sqrt(2.0)) / 2.0)
    return np.where(z > 0.0, beyond, z * z / 2 + log_ndtr(-np.minimum(z, 0.0)))


def log_blanket(unknown: int, lam: float, eps: float, decay: Decay, laplace: bool) -> float:
    """Natural logarithm of ``E[D(C)]``, D(c) of c fair bits with noise and C ~ Bin(N, 2λ)."""
    if unknown == 0 or lam == 0.5:
        sizes, log_weights = np.array([unknown]), np.zeros(1)
    else:
        law = binomial(unknown, 2.0 * lam)
        window = law.window(-float(relative_entropy_of_tilt(0.0, eps)))
        chosen = window.weights > _NEGLIGIBLE * window.weights.max()
        sizes, log_weights = window.outcomes[chosen], window.log_pmf[chosen]
    counts = Counts([0.5], int(sizes[0]), int(sizes[-1]), eps, decay, laplace)
    return float(np.logaddexp.reduce(log_weights + counts.log_delta(sizes[:, None])))


def worst(
    unknown: int, lam: float, eps: float, decay: Decay, laplace: bool, tol: float
) -> WorstVertex:
    """Return the largest δ over the numbers of records at λ, the others at 1-λ.

    Branch and bound: of all numbers in a range, δ is at most what it is without the records that
    are at λ for some of the numbers and at 1-λ for others, which only hide the target further.
    """
    counts = Counts([lam, 1.0 - lam], 0, unknown, eps, decay, laplace)

    def values(least: IntArray, most: IntArray) -> FloatArray:
        return counts.log_delta(np.stack([least, unknown - most], axis=1))

    different = 1 if lam == 0.5 else unknown + 1
    edges = np.arange(different + 1)
    if different > _FEW_VERTICES:
        edges = np.linspace(0, different, _FIRST_BOXES + 1).astype(np.int64)
    low, high = edges[:-1], edges[1:] - 1
    best, m, discarded, spent = -math.inf, 0, -math.inf, 0
    while low.size:
        spent += low.size
        here = values(low, low)
        found = int(here.argmax())
        if here[found] > best:
            best, m = float(here[found]), int(low[found])
        low, high = low[low < high], high[low < high]
        bounds = values(low, high)
        # A search that takes too long gives up here, and says so through the gap.
        open_ = (bounds > best + math.log1p(tol)) & (spent <= _BUDGET)
        discarded = max(discarded, float(bounds[~open_].max(initial=-math.inf)))
        low, high = split(low[open_], high[open_])
    return WorstVertex(m, best, max(best, discarded))
