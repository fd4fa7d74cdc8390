"""Noisy counts in floats, many at once: each is a one-dimensional Fourier integral.

What the noise module does to one distribution, this module does to thousands of counts of bits of a
few kinds, for the worst case over probabilities and for the blanket. With the notation of
`vertices` (tilted means μ, characteristic functions, ``k - 1 = μ + u``) the excess of the event
that S + 1 + noise is at least k is

    D(k) = e^{-Σ n·KL}·(1/π) Re ∫₀^π exp(Σ n·L(θ) - (ε + iθ)u)·h(θ)·G(θ) dθ,

where G is the moment generating function of geometric noise at ε + iθ. With Laplace noise an event
begins between two integers, at k - t; with ``u = e^{-t/b}`` its excess is
``D₀ + D₁·(u - 1) + D₂·(1/u - 1)`` with three such integrals, and the largest of these is known in
closed form. Nothing cancels in it, however wide the noise.

The largest excess of all phases of the lattice, its *envelope*, is smooth in the number of records
at λ. Where vertices come close enough to its maximum, as they do of many records, a polynomial
through a few values is all the search there is; elsewhere ranges of numbers are bounded.
How far the polynomial is off is estimated and tested; what proves a maximum is
`pkdp.certified.noisy_vertices`.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
from numpy.polynomial import Chebyshev
from scipy.special import erfcx, expit, log_ndtr

from pkdp.engines.branch_and_bound import Boxes, boxes, largest, maximise
from pkdp.profiles._fourier import ComplexArray, kernel, log_characteristic, quadrature
from pkdp.profiles.additive_noise import Geometric, Noise
from pkdp.profiles.laws import binomial
from pkdp.profiles.logarithms import (
    FloatArray,
    IntArray,
    log_positive,
    log_sum,
    relative_entropy_of_tilt,
)
from pkdp.releases import NoisyBlanket, WorstNoisyCount, WorstVertex

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

# The envelope: phases of the lattice, nodes of its polynomial, from how many coefficients its error
# is estimated, and vertices next to the maximum.
_PHASES, _ENVELOPE_NODES, _LAST, _AROUND = 8, 16, 4, 32

# So many boxes are looked at before a search gives up.
_BUDGET = 20_000

# Fourier integrals are right for an ε that differs by less than this part of max(1, ε).
_HAIR = 1e-14


class Counts:
    """Noisy counts of independent bits of a few kinds, at one ε.

    Parameters
    ----------
    probabilities : sequence of float or Fraction
        The probability of each kind of bits, in (0, 1); a fraction where no float is next to 1.
    fewest, most : int
        How many bits a count has at least and at most.
    eps : float
        ε ≥ 0, below the rate of the noise.
    noise : Noise
        What is added to them.
    """

    def __init__(
        self,
        probabilities: Sequence[float | Fraction],
        fewest: int,
        most: int,
        eps: float,
        noise: Noise,
    ) -> None:
        self.eps, self._noise = eps, noise
        logits = np.array([math.log(p) - math.log(1 - p) for p in probabilities])
        tilted, rest = expit(logits + eps), expit(-logits - eps)
        self._variances = tilted * rest
        self._entropies = relative_entropy_of_tilt(logits, eps)
        gap = noise.gap(eps)
        nearest = min(gap, eps) if eps > 0.0 else gap
        self._largest_variance = most * float(self._variances.max())
        smallest_variance = fewest * float(self._variances.min())
        panel = _PANEL if gap > _LITTLE * noise.rate else _FINE_PANEL
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

    def _split_means(self, probabilities: Sequence[float | Fraction], most: int) -> None:
        """Split the tilted means into parts with few bits and the rest, for exact products."""
        bits = 2.0 ** (52 - max(1, most).bit_length())
        with mpmath.workdps(60):
            e = mpmath.exp(mpmath.mpf(self.eps))
            means = [p * e / (1 - p + p * e) for p in map(mpmath.mpmathify, probabilities)]
            high = [math.floor(float(mean) * bits) / bits for mean in means]
            self._means = (
                np.array(high),
                np.array([float(m - h) for m, h in zip(means, high, strict=True)]),
            )

    def _kernels(self) -> ComplexArray:
        """Return the integrands' factors that do not depend on the count, one row each."""
        eps, rate, theta = self.eps, self._noise.rate, self._theta
        plain = kernel(eps, theta)
        # 1 - e^{iθ} and 1 - e^{-iθ} without cancellation, and the two poles of the noise.
        turn = 2.0 * np.sin(theta / 2) ** 2 - 1j * np.sin(theta)
        ratio, other = math.exp(-self._noise.gap(eps)), math.exp(-rate - eps)
        right = self._noise.rest(eps) + ratio * turn
        left = -math.expm1(-rate - eps) + other * turn.conj()
        if isinstance(self._noise, Geometric):
            return np.array([plain * math.expm1(-rate) ** 2 / (right * left)])
        wave = np.exp(-eps - 1j * theta)
        whole = -0.5 * math.expm1(-rate) * plain * (wave / left + 1.0 / right)
        return np.array([whole, -0.5 * turn.conj() / left, -0.5 * ratio * turn / right])

    def log_delta(self, numbers: IntArray) -> FloatArray:
        """Return ln H_E(S + 1 + noise‖S + noise) for rows of numbers of bits of each kind."""
        result = np.empty(len(numbers))
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK].astype(np.float64)
            result[start : start + _BLOCK], _ = self.best_events(block)
        return np.minimum(result, 0.0)

    def log_envelope(self, numbers: FloatArray) -> FloatArray:
        """Return ln of what δ is at most for rows of numbers, were their means anything nearby.

        The numbers may be real. Between the phases of the mean that are tried δ may be larger by a
        quarter of what it falls by from the best of them to the next, to second order.
        """
        logs, _ = self._of_all_phases(numbers)
        best = logs.argmax(axis=1)[:, None]
        around = np.take_along_axis(logs, (best + np.array([-1, 0, 1])) % _PHASES, axis=1)
        return np.asarray(around[:, 1] + (around[:, 1] - around.min(axis=1)) / 2.0)

    def best_of_all_phases(self, numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the largest of the values that `log_envelope` tries, and where events begin."""
        logs, u = self._of_all_phases(numbers)
        best = np.arange(len(numbers)), logs.argmax(axis=1)
        return logs[best], u[best]

    def _of_all_phases(self, numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
        phases = np.arange(_PHASES) / _PHASES
        rows = np.repeat(numbers, _PHASES, axis=0)
        logs, u = self.best_events(rows, np.tile(phases, len(numbers)))
        return logs.reshape(-1, _PHASES), u.reshape(-1, _PHASES)

    def fractions(self, numbers: FloatArray) -> FloatArray:
        """Return the fractional parts of the means of rows of numbers, up to a rounding of 1."""
        high, low = self._means
        mean = numbers @ high
        return np.asarray((mean - np.floor(mean)) + numbers @ low)

    def best_events(
        self, numbers: FloatArray, fraction: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return ln δ for rows of numbers, and how far from the means the best events begin.

        The fractional parts of the means may be given, as if they were others.
        """
        fraction = self.fractions(numbers) if fraction is None else fraction
        exponent = numbers @ self._characters
        log_scale = -(numbers @ self._entropies)
        deviations = np.sqrt(numbers @ self._variances)
        event = np.rint(np.interp(deviations, *self._guesses) + fraction)
        best, start = np.empty(len(numbers)), np.empty(len(numbers))
        rows = np.arange(len(numbers))
        for _ in range(_CLIMBS):
            if not rows.size:
                break
            u = event[rows] - fraction[rows]
            waves = np.exp(exponent[rows] - 1j * np.outer(u, self._theta))
            parts = np.einsum("rn,kon->rko", waves.real, self._kernels_at.real) - np.einsum(
                "rn,kon->rko", waves.imag, self._kernels_at.imag
            )
            excess = self.largest(parts)
            # Below the best event the excess is soon negative; a rounding error may be positive.
            excess[excess < _ROUNDING * np.abs(excess).max(axis=1, keepdims=True)] = 0.0
            logs = log_positive(excess) - self.eps * self._offsets
            found = np.where(excess.max(axis=1) > 0.0, logs.argmax(axis=1), self._offsets.size - 1)
            best[rows] = logs.max(axis=1) + log_scale[rows] - self.eps * u
            at_the_end = np.abs(self._offsets[found]) == _NEAR
            event[rows] += self._offsets[found]
            start[rows] = u + self._offsets[found]
            rows = rows[at_the_end]
        return best, start

    def largest(self, parts: FloatArray) -> FloatArray:
        """Return the largest excess of events that begin at an outcome, or just below it."""
        if isinstance(self._noise, Geometric):
            return np.asarray(parts[:, 0])
        constant, with_u, with_inverse = parts[:, 0], parts[:, 1], parts[:, 2]
        least = math.exp(-self._noise.rate)
        inside = (with_u < 0.0) & (with_inverse < 0.0)
        ratio = np.where(inside, with_inverse, -1.0) / np.where(inside, with_u, -1.0)
        zero = np.clip(np.sqrt(ratio), least, 1.0)
        inner = constant + (with_u - with_inverse / zero) * (zero - 1.0)
        return np.asarray(np.maximum(inner, constant))

    @functools.cached_property
    def _guesses(self) -> tuple[FloatArray, FloatArray]:
        """Return standard deviations, and where the best event begins if the count were normal.

        There e^{-gap·x} times the mass that noise brings from the left is, with its rate, what
        e^{(rate + ε)·x} times that from the right is.
        """
        near, far = self._noise.gap(self.eps), self._noise.rate + self.eps
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


def log_blanket(release: NoisyBlanket, eps: float) -> float:
    """Return ln of ``E[D(C)]``, D(c) of c fair bits with noise and C ~ Bin(N, 2λ)."""
    unknown, noise = release.unknown, release.noise
    if eps >= noise.end:
        return -math.inf
    eps = _below(eps, noise)
    log_rho = -float(relative_entropy_of_tilt(0.0, eps))
    law = binomial(unknown, 2.0 * release.lam)
    window = law.window(log_rho)
    chosen = window.weights > _NEGLIGIBLE * window.weights.max()
    sizes, log_weights = window.outcomes[chosen], window.log_pmf[chosen]
    counts = Counts([0.5], int(sizes[0]), int(sizes[-1]), eps, noise)
    return log_sum(log_weights + counts.log_delta(sizes[:, None]))


def worst(release: WorstNoisyCount, eps: float) -> WorstVertex:
    """Return the largest δ over the numbers of records at λ, the others at 1-λ."""
    unknown, lam, noise, tol = release.unknown, release.lam, release.noise, release.tol
    if eps >= noise.end:
        return WorstVertex(0, -math.inf, -math.inf)
    eps = _below(eps, noise)
    if unknown > _FEW_VERTICES and lam < 0.5:
        found = _worst_of_envelope(unknown, lam, noise, tol, eps)
        if found is not None:
            return found
    return _worst_of_boxes(unknown, lam, noise, tol, eps)


def _below(eps: float, noise: Noise) -> float:
    """Return an ε a hair smaller, so that rounding does not take a bound below the truth."""
    last = noise.rate - 1e-12 * max(1.0, noise.rate)
    return max(0.0, min(eps - _HAIR * max(1.0, eps), last))


def _worst_of_envelope(
    unknown: int, lam: float, noise: Noise, tol: float, eps: float
) -> WorstVertex | None:
    """Return the largest δ if that of real numbers, whatever the lattice, is no larger than `tol`.

    The envelope over all phases of the lattice is smooth in the number of records at λ, so that a
    polynomial does for it. How well is estimated from its last coefficients, which tests compare
    with branch and bound and with balls.
    """
    counts = Counts([Fraction(lam), 1 - Fraction(lam)], unknown, unknown, eps, noise)

    def envelope(m: FloatArray) -> FloatArray:
        return counts.log_envelope(np.stack([m, unknown - m], axis=1))

    interval = 0.0, float(unknown)
    smooth = Chebyshev.interpolate(envelope, _ENVELOPE_NODES - 1, interval)
    if not np.isfinite(smooth.coef).all():
        return None
    error = float(np.abs(smooth.coef[-_LAST:]).sum())
    # The largest value is at an end, or where the slope has a root.
    places = np.clip([*interval, *smooth.deriv().roots().real], *interval)
    values = smooth(places)
    at = int(values.argmax())
    # Vertices all around, whose lattices have many phases.
    centre = min(max(round(float(places[at])), _AROUND), unknown - _AROUND)
    near = np.arange(centre - _AROUND, centre + _AROUND + 1)
    lower, best = largest(lambda i: counts.log_delta(np.stack([i, unknown - i], axis=1)), near)
    upper = min(0.0, float(values[at]) + error)
    return WorstVertex(best, lower, max(lower, upper)) if upper - lower <= math.log1p(tol) else None


def _worst_of_boxes(unknown: int, lam: float, noise: Noise, tol: float, eps: float) -> WorstVertex:
    """Return the largest δ by branch and bound.

    Of all numbers in a range, δ is at most what it is without the records that are at λ for some of
    the numbers and at 1-λ for others, which only hide the target further.
    """
    counts = Counts([Fraction(lam), 1 - Fraction(lam)], 0, unknown, eps, noise)

    def bounds(least: IntArray, most: IntArray) -> FloatArray:
        return counts.log_delta(np.stack([least, unknown - most], axis=1))

    def look(low: IntArray, high: IntArray) -> tuple[IntArray, Boxes, FloatArray]:
        wide = low < high
        return low, (low[wide], high[wide]), bounds(low[wide], high[wide])

    different = 1 if lam == 0.5 else unknown + 1
    start = boxes(different, different if different <= _FEW_VERTICES else _FIRST_BOXES)
    return maximise(lambda m: bounds(m, m), look, start[0][:1], start, tol, _BUDGET)
