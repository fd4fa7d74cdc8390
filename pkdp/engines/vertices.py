"""Worst case of a count over ``p ∈ [λ, 1-λ]^N`` in floats: a maximum over vertices of a cube.

δ(ε) of a count is convex in each p_j, so its largest value over the cube is at a vertex, and by
symmetry depends only on m, the number of records at λ (the other N - m are at 1-λ). Two facts make
the maximum over all m cheap, for N up to 10⁹ and more:

* one vertex costs O(1): its δ is a one-dimensional Fourier integral, exact at every N;
* the integrand's exponent is affine in m and u, so a second-order Taylor bound covers whole ranges
  of both at once, and branch and bound discards them. The u of the lattice jumps with m; the
  bound is for all u in [-1, 1], or for all lines on which the lattice points of a range lie.

The bounds are proved for exact integrals. Here they are sums of floats, whose error is not bounded
but checked, against ball arithmetic.

Notation, as in the chapter on counting queries: E = e^ε; a and b are λ and 1-λ tilted by ε;
μ(m) = m·a + (N-m)·b is the tilted mean; ``k - 1 = μ + u`` is where the optimal event begins; and
``δ_m = exp(-N·KL_b)·max g(m, u)`` over the two lattice points u next to 0, where

    g(m, u) = (1/π) Re ∫₀^π exp(m·Λ(θ) + N·L_b(θ) - (ε + iθ)u)·h(θ) dθ.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import replace

import mpmath
import numpy as np
from scipy.special import expit

from pkdp.engines.branch_and_bound import Boxes, boxes, maximise
from pkdp.profiles._fourier import ComplexArray, kernel, log_characteristic, quadrature
from pkdp.profiles.closed_forms import largest_loss
from pkdp.profiles.logarithms import FloatArray, IntArray, log_positive, relative_entropy_of_tilt
from pkdp.releases import WorstCount, WorstVertex

# Up to this N every vertex is evaluated.
_FEW_VERTICES = 600
# Points at which the envelope over real u is expanded; the largest denominator of lattice lines.
PHASES, _DENOMINATORS = 128, 24
# A box of at most this many vertices is evaluated outright; so many boxes are spent at most; the
# so many of the most promising boxes are searched for a large δ at every level, each among so many
# neighbours of its centre. The first m are looked at before any box.
_NARROW, _BUDGET, _PROMISING, _NEIGHBOURS, _FIRST = 9, 50_000, 8, 256, 64
# Fixed-point arithmetic for the fractional part of μ(m), which floats lose at large N.
_FRACTION_BITS = 80

# ln δ of some vertices; bounds of it over some boxes, and the u at which they are attained.
Values = Callable[[IntArray], FloatArray]
Bound = Callable[[IntArray, IntArray], tuple[FloatArray, FloatArray]]


def worst(release: WorstCount, eps: float) -> WorstVertex:
    """Return the vertex with the largest δ(ε)."""
    unknown, lam = release.unknown, release.lam
    if unknown == 0:
        return WorstVertex(0, 0.0, 0.0)
    if eps >= largest_loss(unknown, lam):
        # Only a count with everyone at 1 is left, likeliest with everyone at 1-λ.
        log_delta = unknown * math.log1p(-lam)
        return WorstVertex(0, log_delta, log_delta)
    return Vertices(unknown, lam, eps).worst(release.tol)


def log_delta_of_vertices(release: WorstCount, m: IntArray, eps: float) -> FloatArray:
    """Return ln H_E(S + 1‖S) of vertices, given in a row."""
    unknown, lam = release.unknown, release.lam
    if unknown == 0:
        return np.zeros(m.shape)
    if eps >= largest_loss(unknown, lam):
        return np.asarray(m * math.log(lam) + (unknown - m) * math.log1p(-lam))
    return Vertices(unknown, lam, eps).log_delta(m)


class Vertices:
    """All vertices of the cube for given N, λ and ε.

    Parameters
    ----------
    unknown : int
        N ≥ 1, the number of records the attacker does not know.
    lam : float
        λ in (0, ½].
    eps : float
        Finite ε ≥ 0.
    """

    def __init__(self, unknown: int, lam: float, eps: float) -> None:
        self.unknown, self.eps = unknown, eps
        logit = math.log(lam) - math.log1p(-lam)
        q_a, q_b = float(expit(logit + eps)), float(expit(-logit + eps))
        entropy_a, entropy_b = relative_entropy_of_tilt(np.array([logit, -logit]), eps)
        self.log_scale = -unknown * float(entropy_b)
        # Λ below contains this drop, so that g falls with m as δ does; at λ = ½ all m are one.
        self._drop = float(entropy_a - entropy_b)

        theta, weights = quadrature(
            eps, unknown * _bit_variance(-logit, eps), unknown * _bit_variance(logit, eps)
        )
        self.slope = eps + 1j * theta
        self._next = np.exp(-1j * theta)
        char_b = log_characteristic(q_b, float(expit(logit - eps)), theta)
        char_a = log_characteristic(q_a, float(expit(-logit - eps)), theta)
        self.per_m = char_a - char_b - self._drop
        self._base = unknown * char_b
        self._kernel = weights * kernel(eps, theta) / math.pi

        with mpmath.workdps(60):
            e = mpmath.exp(mpmath.mpf(eps))
            low, high = mpmath.mpf(lam), 1 - mpmath.mpf(lam)
            a, b = low * e / (high + low * e), high * e / (low + high * e)
            one = mpmath.mpf(2) ** _FRACTION_BITS
            self._mean_b, self._step = int(mpmath.nint(b * one)), int(mpmath.nint((b - a) * one))
            self.step = float(b - a)

    def phase(self, m: IntArray) -> FloatArray:
        """Return the fractional part of the tilted mean μ(m), exact to 1e-14 for any N."""
        mask = (1 << _FRACTION_BITS) - 1
        whole = self.unknown * self._mean_b
        parts = [((whole - int(i) * self._step) & mask) >> (_FRACTION_BITS - 53) for i in m.flat]
        return np.array(parts, dtype=np.float64).reshape(m.shape) * 2.0**-53

    def log_delta(self, m: IntArray) -> FloatArray:
        """Return ln δ of the vertices `m`."""
        return self.log_scale + self._log_g(m)

    def _log_g(self, m: IntArray) -> FloatArray:
        """Return ln δ - log_scale of the vertices `m`, each by its two lattice points."""
        best = np.empty(m.shape)
        for block in np.array_split(np.arange(m.size), 1 + m.size // 4096):
            real = self._base.real + np.outer(m[block], self.per_m.real)
            # The largest modulus is taken out, so that δ far below 1e-308 does not vanish.
            top = real[:, 0]
            f = self.phase(m[block])
            # At u = -f; at u = 1 - f there is another factor, the same for all.
            imag = self._base.imag + np.outer(m[block], self.per_m.imag)
            imag += np.outer(f, self.slope.imag)
            integrand = self._kernel * np.exp((real - top[:, None]) + 1j * imag)
            values = (
                integrand.real.sum(axis=1),
                (integrand * self._next).real.sum(axis=1) * math.exp(-self.eps),
            )
            best[block] = log_positive(np.maximum(*values)) + top + self.eps * f
        return best

    def worst(self, tol: float) -> WorstVertex:
        """Return the maximum over all m = 0…N, enclosed to a relative `tol`."""
        found = self.search(self.unknown, tol, self._log_g, self.log_bound)
        lower, upper = self.log_scale + found.log_lower, self.log_scale + found.log_upper
        # No δ exceeds 1, whatever a search of little tolerance was content with.
        return WorstVertex(found.m, lower, max(lower, min(0.0, upper)))

    def search(self, last: int, tol: float, values: Values, bound: Bound) -> WorstVertex:
        """Return the maximum of ln δ - log_scale over m = 0…last.

        Parameters
        ----------
        last, tol
            Up to which m, and how exactly.
        values, bound : callable
            ln δ - log_scale of some vertices; for some boxes a bound of it, and the u at which it
            is attained.
        """
        look = functools.partial(self.look, bound)
        if self._drop == 0.0 and self.step == 0.0:  # λ = ½: one vertex
            last = 0
        if last <= _FEW_VERTICES:
            every = np.arange(last + 1)
            return maximise(values, look, every, boxes(0, 0), tol, _BUDGET)
        # The largest δ is nearly always at a small m, whose boxes are the smallest.
        edges = [0, *(_NARROW * 4**k for k in range(32) if _NARROW * 4**k <= last), last + 1]
        start = np.array(edges[:-1]), np.array(edges[1:]) - 1
        first = np.unique(np.concatenate([np.arange(_FIRST), *start]))
        found = maximise(values, look, first, start, tol, _BUDGET)
        return replace(found, log_upper=max(found.log_lower + math.log1p(tol), found.log_upper))

    def look(
        self, bound: Bound, low: IntArray, high: IntArray
    ) -> tuple[IntArray, Boxes, FloatArray]:
        """Choose all vertices of narrow boxes, some of the promising ones, and bound the wide."""
        narrow = high - low < _NARROW
        ranges = zip(low[narrow], high[narrow], strict=True)
        chosen = [np.arange(i, j + 1) for i, j in ranges]
        low, high = low[~narrow], high[~narrow]
        bounds, phases = bound(low, high)
        # The largest δ found so far rises with every level, so that more boxes are discarded.
        promising = np.argsort(bounds)[-_PROMISING:]
        chosen += self._candidates(low[promising], high[promising], phases[promising])
        return np.concatenate(chosen), (low, high), bounds

    def _candidates(self, low: IntArray, high: IntArray, best_u: FloatArray) -> list[IntArray]:
        """Choose vertices of the boxes where δ may be largest: near the centre, with the best u."""
        centre = (low + high) // 2
        offsets = np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1)
        # Over so short a way floats keep the phase; -phase and 1 - phase are the lattice points.
        phases = (self.phase(centre)[:, None] - offsets * self.step) % 1.0
        distance = np.abs((phases + best_u[:, None] + 0.5) % 1.0 - 0.5)
        inside = (centre[:, None] + offsets >= low[:, None]) & (
            centre[:, None] + offsets <= high[:, None]
        )
        nearest = np.where(inside, distance, np.inf).argmin(axis=1)
        return [centre, centre + offsets[nearest]]

    def log_bound(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bound ln g over boxes ``low…high`` of m and all their lattice points.

        From one m to the next, u moves by `step` modulo 1. As step is close to a fraction with a
        small denominator d, all lattice points lie on lines of small slope c that cross a box's
        centre at spacing 1/d; where they move by at most 1/8 over the box, they are expanded one
        by one. Elsewhere u is treated as a free real number in [-1, 1].

        Returns the bounds and, for each box, the u at which its bound is attained.
        """
        centre = (low + high) // 2
        reach = np.maximum(high - centre, centre - low).astype(np.float64)
        bounds, best_u = np.empty(low.size), np.empty(low.size)
        denominator, slope = self.fractions[-1]
        lined = reach * abs(slope) <= 0.125
        steps = math.ceil(1.125 * denominator)
        lines = np.arange(-steps, denominator + steps + 1) / denominator
        bounds[lined], best_u[lined] = self._taylor(
            centre[lined], reach[lined], -self.phase(centre[lined]), lines, slope, 0.0
        )
        free = ~lined
        grid = np.asarray((np.arange(PHASES) + 0.5) * (2.0 / PHASES) - 1.0, dtype=np.float64)
        bounds[free], best_u[free] = self._taylor(
            centre[free], reach[free], np.zeros(np.count_nonzero(free)), grid, 0.0, 1.0 / PHASES
        )
        return bounds, best_u

    @functools.cached_property
    def fractions(self) -> list[tuple[int, float]]:
        """Denominators of ever better approximations to `step`, and the slopes they leave."""
        found: list[tuple[int, float]] = []
        for denominator in range(1, _DENOMINATORS + 1):
            slope = self.step - round(self.step * denominator) / denominator
            if not found or abs(slope) < abs(found[-1][1]):
                found.append((denominator, slope))
        return found

    def _taylor(
        self,
        centre: IntArray,
        reach: FloatArray,
        origin: FloatArray,
        grid: FloatArray,
        slope: float,
        half: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Bound ln g(m, u + slope·(m - centre) + ξ) for |m - centre| ≤ reach, |ξ| ≤ half.

        Second-order Taylor expansion with Lagrange's remainder under the integral; the modulus in
        the remainder is taken at its largest over the box. The expansion points are
        ``u = origin + grid`` as far as lattice points with u in [-1, 1] can be reached from them.
        """
        if centre.size == 0:
            return np.empty(0), np.empty(0)
        along = self.per_m - slope * self.slope
        exponent = self._base + np.outer(centre, self.per_m) - np.outer(origin, self.slope)
        top = exponent.real[:, :1]
        integrand = self._kernel * np.exp(exponent - top)
        # The remainder at the corner of the box may be far larger than g at its centre, so it is
        # kept on a scale of its own.
        corner = exponent.real + np.outer(reach, np.abs(along.real))
        corner_top = corner.max(axis=1, keepdims=True)
        spread = np.outer(reach, np.abs(along)) + half * np.abs(self.slope)
        remainder = (np.abs(self._kernel) * np.exp(corner - corner_top) * spread**2).sum(axis=1)
        waves = np.exp(-1j * np.outer(self.slope.imag, grid))
        halves = np.concatenate([waves.real, waves.imag])

        def integral(factor: ComplexArray) -> FloatArray:
            # Re(terms @ waves) without BLAS, whose threads take longer to meet than to multiply.
            terms = integrand * factor
            parts = np.concatenate([terms.real, -terms.imag], axis=1)
            return np.asarray(np.einsum("bn,nu->bu", parts, halves), dtype=np.float64)

        values = integral(np.ones_like(self.per_m))
        values += reach[:, None] * np.abs(integral(along))
        values += half * np.abs(integral(self.slope))
        expansion = log_positive(values) + top
        rest = log_positive(remainder / 2.0)[:, None] + corner_top + self.eps * half
        u = origin[:, None] + grid
        bounds = np.logaddexp(expansion, rest) - self.eps * grid
        bounds[np.abs(u) > 1.125 + half] = -np.inf
        best = bounds.argmax(axis=1)
        rows = np.arange(centre.size)
        return bounds[rows, best], u[rows, best]


def _bit_variance(logit: float, eps: float) -> float:
    """Return the variance of a bit tilted by ε; over [λ, 1-λ] it is smallest at 1-λ."""
    return float(expit(logit + eps) * expit(-logit - eps))
