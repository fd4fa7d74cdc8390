"""The privacy blanket in floats: means over the records that hide the target by pure chance.

Each unknown record is, with probability 2λ, a fair coin between the target's two possible values
(the *blanket*), whatever the rest of its law. What the blanket alone hides is a mixture over its
size ``C ~ Bin(N, 2λ)`` of quantities of a count ``S_c ~ Bin(c, ½)`` of fair coins:

* its hockey-stick ``D(c) = max_k P[S_c ≥ k] - E·P[S_c ≥ k+1]``, and
* the tail ``T(c) = P[S_c ≥ x(c)]``, ``x(c) = ⌈(E·c - a)/(1 + E)⌉``, a in {0, 1}.

Both obey a recurrence in c whose increments are single binomial masses. With θ = E/(1+E) and
φ = 1-θ, everything is kept relative to ``ρ^c``, ``ρ = exp(-KL(θ‖½))``, the rate at which both
decay; tilting C by ln ρ then centres the window where the mixture is. Thresholds follow the
multiples of φ, whose fractional parts are exact integers scaled by 2⁻⁶⁴: in floats they would lose
all digits for large c.
"""

import math
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit

from pkdp.profiles.laws import binomial
from pkdp.profiles.logarithms import (
    FloatArray,
    IntArray,
    decayed_sums,
    relative_entropy_of_tilt,
    stirling_error,
    x_minus_log1p,
)
from pkdp.releases import Blanket, BlanketTail

RealArray = npt.NDArray[np.floating[Any]]


def log_hockey_stick(release: Blanket, eps: float) -> float:
    """Return ln ``E[D(C)] = E[(1 - E·Y/(X+1))_+]``, (X, Y, rest) multinomial."""
    unknown, lam = release.unknown, release.lam
    if eps > _largest_loss(unknown):
        return unknown * math.log1p(-lam)
    coins, law = _FairCoins(eps), binomial(unknown, 2.0 * lam)
    window = law.window(coins.log_rho)
    values, _ = coins.hockey_sticks(window.outcomes)
    log_delta = law.log_mgf(coins.log_rho) + math.log(window.weights @ values)
    if log_delta <= -math.log(2.0):
        return log_delta
    # Near 1, sum 1 - D(c) instead: it is 0 at c = 0 and grows by the same increments. It does not
    # decay as D does, so that it takes the masses of C where these have all their digits.
    plain = law.window()
    sizes = np.arange(plain.start + plain.weights.size)
    _, increments = coins.hockey_sticks(sizes)
    growth = np.append(0.0, np.cumsum(increments * np.exp(coins.log_rho * sizes[:-1])))
    return math.log1p(-min(float(plain.weights @ growth[plain.start :]), 1.0))


def log_tail(release: BlanketTail, eps: float) -> float:
    """Return ln ``P[(X + a)/Y ≥ E]``, (X, Y, rest) multinomial, a in {0, 1}.

    A zero denominator counts as an infinite ratio, 0/0 included.
    """
    unknown, lam = release.unknown, release.lam
    if eps > _largest_loss(unknown):
        return unknown * math.log1p(-lam)
    coins, law = _FairCoins(eps), binomial(unknown, 2.0 * lam)
    window = law.window(coins.log_rho)
    values = coins.tails(window.outcomes, release.added)
    return min(0.0, law.log_mgf(coins.log_rho) + math.log(window.weights @ values))


def _largest_loss(unknown: int) -> float:
    """Return an ε beyond every finite privacy loss ln((X+1)/Y) ≤ ln(N+1): only Y = 0 is left."""
    return math.log1p(unknown) + 1e-9


class _FairCoins:
    """Hockey-sticks and tails of counts of c fair coins, divided by ρ^c, for consecutive c."""

    def __init__(self, eps: float) -> None:
        self.eps = eps
        self.theta, self.phi = float(expit(eps)), float(expit(-eps))
        self.log_rho = -float(relative_entropy_of_tilt(0.0, eps))
        with mpmath.workdps(60):
            fixed = mpmath.mpf(2) ** 128 / (1 + mpmath.exp(mpmath.mpf(eps)))
            self._scaled_phi = int(mpmath.floor(fixed))

    def hockey_sticks(self, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return ``D(c)/ρ^c`` for all sizes, and ``(D(c) - D(c+1))/ρ^c`` for all but the last.

        The optimal event of size c starts at ``κ = c - ⌊(c+1)φ⌋``, a mode of the count
        tilted by ε, and D(c) - D(c+1) is half a difference of the two masses next to it.
        """
        floor, r = self._multiples(int(sizes[0]) + 1, sizes.size)
        kappa = sizes - floor  # c·θ + r - φ with r in [0, 1)
        c, k, r_c = sizes[:-1], kappa[:-1], r[:-1]
        mode = np.exp(self._log_masses(c, k, r_c - self.phi))
        rises = kappa[1:] > k
        rise = np.where(k == c, 1.0, r_c / ((k + 1) * self.phi)) * np.exp(
            self.eps * (self.phi - r_c)
        )
        # Where the threshold stays, 1 - r < φ, and the exponent is small.
        stay_exponent = np.where(rises, 0.0, self.eps * (1.0 + self.phi - r_c))
        stay = (1.0 - r_c) / ((c - k + 1) * self.theta) * np.exp(stay_exponent)
        increments = 0.5 * mode * np.where(rises, rise, stay)
        last = self._hockey_stick(int(sizes[-1]), int(kappa[-1]), float(r[-1]))
        return self._accumulate(last, increments), increments

    def tails(self, sizes: IntArray, numerator_offset: int) -> FloatArray:
        """Return ``T(c)/ρ^c`` for all sizes; the threshold is ``x(c) = c - ⌊(c + a)φ⌋``."""
        floor, fraction = self._multiples(int(sizes[0]) + numerator_offset, sizes.size)
        first = sizes - floor
        distance = fraction - numerator_offset * self.phi  # x(c) - c·θ
        rises = np.diff(first) == 1
        below = np.where(rises, 0, 1)
        masses = self._scaled_masses(sizes[:-1], first[:-1] - below, distance[:-1] - below)
        increments = np.where(rises, 0.5, -0.5) * masses
        c = int(sizes[-1])
        beyond = np.arange(min(c - int(first[-1]), 6 * math.isqrt(c) + 50) + 1)
        last = self._scaled_masses(
            np.full(beyond.size, c), first[-1] + beyond, distance[-1] + beyond
        )
        return self._accumulate(float(last.sum()), increments)

    def _hockey_stick(self, c: int, kappa: int, r: float) -> float:
        """``D(c)/ρ^c`` as a sum over the masses from κ on: every term is positive."""
        reach = int(10.0 * math.sqrt(c * self.theta * self.phi)) + 50
        j = np.arange(min(c - kappa, reach) + 1)
        masses = self._scaled_masses(np.full(j.size, c), kappa + j, r - self.phi + j)
        # By what part of it each tilted mass exceeds the next; the last possible one by all.
        falls = np.where(kappa + j == c, 1.0, (j + r) / ((kappa + j + 1) * self.phi))
        return float(masses @ falls)

    def _accumulate(self, last: float, increments: FloatArray) -> FloatArray:
        """Solve ``v(c) = ρ·v(c+1) + increments(c)`` downwards from the last value."""
        return decayed_sums(np.append(increments, last)[::-1], self.log_rho)[::-1]

    def _multiples(self, first: int, count: int) -> tuple[IntArray, FloatArray]:
        """Return integer and fractional parts of j·φ for j = first, …, first + count - 1."""
        start = np.uint64((first * self._scaled_phi >> 64) & (2**64 - 1))
        parts = start + np.uint64(self._scaled_phi >> 64) * np.arange(count, dtype=np.uint64)
        # Rounding to 2⁻⁵³ may carry a fraction up to 1; it then belongs to the next integer.
        fraction = np.minimum(parts.astype(np.float64) * 2.0**-64, np.nextafter(1.0, 0.0))
        j = np.arange(first, first + count)
        return np.rint(j * self.phi - fraction).astype(np.int64), fraction

    def _scaled_masses(self, c: IntArray, j: IntArray, distance: RealArray) -> FloatArray:
        """``P[S_c = j]/ρ^c`` for j at ``distance`` from c·θ; 0 outside 0…c."""
        inside = (j >= 0) & (j <= c)
        logs = self._log_masses(c[inside], j[inside], distance[inside])
        masses = np.zeros(c.size)
        masses[inside] = np.exp(logs - self.eps * distance[inside])
        return masses

    def _log_masses(self, c: IntArray, j: IntArray, distance: RealArray) -> FloatArray:
        """Return ``ln P[Bin(c, θ) = j]``, j = c·θ + distance, by Stirling with its corrections.

        The deviance ``j·ln(j/(cθ)) + …`` is written through `x_minus_log1p`, whose two terms are
        positive, so that nothing cancels however large c is.
        """
        rest = c - j
        inner = (j > 0) & (rest > 0)
        logs = np.where(rest == 0, c * float(log_expit(self.eps)), c * float(log_expit(-self.eps)))
        k, m, d = j[inner].astype(float), rest[inner].astype(float), distance[inner]
        deviance = k * x_minus_log1p(-d / k) + m * x_minus_log1p(d / m)
        corrections = stirling_error(c[inner]) - stirling_error(j[inner])
        corrections -= stirling_error(rest[inner])
        logs[inner] = corrections - deviance - 0.5 * np.log(2.0 * math.pi * k * m / (k + m))
        return logs
