"""The worst case over ``p ∈ [λ, 1-λ]^N`` in ball arithmetic: the search of `_vertices`, proved.

The search is the same, but for the integral, which becomes a finite sum over the same frequencies
for all vertices (`pkdp.profiles._balls`), and for its numbers, which are upper ends of balls. So no
vertex is above what it returns. Notation is that of `_vertices`, with ŵ and G of `_balls`:

    g(m, u) = exp(-m·(KL_a - KL_b) - εu)·G,   G = Re Σ_l ŵ_l/L·exp(m·Λ_l + N·L_b,l - iθ_l·u) ± rest.

Vertices beyond some m need no search. As ``u > -1`` and ``G ≤ 1``, none of them is above
``exp(-m·(KL_a - KL_b) + ε)``, which falls with m.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pkdp.partial_knowledge._maximiser import WorstVertex
from pkdp.partial_knowledge._vertices import PHASES, Vertices
from pkdp.profiles._balls import above, below, excess_runs, fourier, largest_of, within
from pkdp.profiles._flint import acb, acb_mat, arb, ctx, fmpq
from pkdp.profiles.logarithms import FloatArray, IntArray

# A sum leaves out about exp(-50) of what it is; so many bits are spared for what is lost where its
# terms are larger than their sum.
_DIGITS, _SPARE_BITS = 50.0, 96


class _Frequency(NamedTuple):
    """What does not depend on m or u at an angle θ, named as in `Vertices`."""

    weight: acb  # ŵ/L
    base: acb  # N·L_b
    per_m: acb  # Λ - (KL_a - KL_b)
    slope: acb  # ε + iθ
    turn: acb  # e^{-iθ}


class VerticesInBalls(Vertices):
    """All vertices of the cube for given N, λ and ε; see `Vertices`.

    Parameters
    ----------
    unknown : int
        N ≥ 1.
    lam : float
        λ in (0, ½], taken as the rational number that it is.
    eps : float
        Finite ε ≥ 0.
    """

    def __init__(self, unknown: int, lam: float, eps: float) -> None:
        super().__init__(unknown, lam, eps)
        lost = 3 * unknown.bit_length() + int(4.0 * math.log1p(eps * math.sqrt(unknown)))
        self._bits = _SPARE_BITS + lost
        # Where floats find the maximum. It decides how much is searched, and nothing else.
        likely = Vertices(unknown, lam, eps).worst(1e-6).m
        with ctx.workprec(self._bits):
            self._tilt(Fraction(lam))
            self._end = unknown
            self._choose_frequencies()
            drop = self._ball_drop.lower()
            if drop > 0:
                end = (self._ratio - self._log_g_ball(likely)) / drop
                self._end = min(unknown, max(likely, math.ceil(above(end))))
                self._choose_frequencies()

    def _tilt(self, lam: Fraction) -> None:
        """Tilt bits of either probability by ε."""
        self._ratio = ratio = arb(self.eps)
        low = fmpq(lam.numerator, lam.denominator)
        logs = [(p * ratio.expm1()).log1p() for p in (low, 1 - low)]
        self._a, self._b = (
            p * (ratio - log).exp() for p, log in zip((low, 1 - low), logs, strict=True)
        )
        entropy_a, entropy_b = (
            q * ratio - log for q, log in zip((self._a, self._b), logs, strict=True)
        )
        self._ball_drop = entropy_a - entropy_b
        self._ball_scale = -self.unknown * entropy_b

    def _choose_frequencies(self) -> None:
        """Choose the frequencies of the sums for all m up to `_end`."""
        n, ratio = self.unknown, self._ratio
        of_a, of_b = self._a * (1 - self._a), self._b * (1 - self._b)
        ends = n * of_b, (n - self._end) * of_b + self._end * of_a
        deviation = math.sqrt(max(above(end) for end in ends))
        digits = _DIGITS + math.log1p(deviation) + 2.0 * math.log1p(self.eps * deviation)
        least, most = min(ends, key=below), max(ends, key=above)
        sums = fourier(excess_runs(ratio), ratio, n, least, most, digits)
        self._rest = sums.remainder
        self._frequencies = []
        for angle, turn, weight in zip(sums.angles, sums.turns, sums.weights, strict=True):
            log_a, log_b = ((1 + q * turn).log() - acb(0, q * angle) for q in (self._a, self._b))
            self._frequencies.append(
                _Frequency(
                    weight,
                    base=n * log_b,
                    per_m=log_a - log_b - self._ball_drop,
                    slope=acb(ratio, angle),
                    turn=acb(0, -angle).exp(),
                )
            )
        self._lines: dict[int, tuple[list[fmpq], acb_mat]] = {}

    def worst(self, tol: float) -> WorstVertex:
        """Return the maximum over all m = 0…N, proved to lie between the ends that are returned."""
        with ctx.workprec(self._bits):
            found = self._search(self._end, tol)
            lower = below(self._ball_scale + self._log_g_ball(found.m))
            upper = above(self._ball_scale + arb(found.log_upper))
        return WorstVertex(found.m, lower, max(lower, min(0.0, upper)))

    def _mean(self, m: int) -> arb:
        """Return μ(m)."""
        return m * self._a + (self.unknown - m) * self._b

    def _log_g(self, m: IntArray) -> FloatArray:
        """Return ln δ - log_scale of the vertices `m`, or a little more."""
        return np.array([above(self._log_g_ball(i)) for i in m.tolist()])

    def _log_g_ball(self, m: int) -> arb:
        mean = self._mean(m)
        first = max(math.floor(below(mean)), 0)
        last = min(math.ceil(above(mean)), self.unknown)
        u = first - mean
        sums = [within(self._rest) for _ in range(first, last + 1)]
        for at in self._frequencies:
            # Without the drop, as the rest is; both are put on their scale below.
            exponent = at.base + m * (at.per_m + self._ball_drop) - acb(0, at.slope.imag * u)
            term = at.weight * exponent.exp()
            for start in range(len(sums)):
                sums[start] += term.real
                term *= at.turn
        # Of events that are no best ones the excess may be below 0.
        scaled = [total * (-self._ratio * (u + start)).exp() for start, total in enumerate(sums)]
        return largest_of(scaled).log() - m * self._ball_drop

    def _log_bound(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bound ln g over boxes ``low…high``; see `Vertices._log_bound`."""
        pairs = [
            self._log_bound_of_box(first, last)
            for first, last in zip(low.tolist(), high.tolist(), strict=True)
        ]
        return np.array([bound for bound, _ in pairs]), np.array([u for _, u in pairs])

    def _log_bound_of_box(self, low: int, high: int) -> tuple[float, float]:
        centre = (low + high) // 2
        reach = max(high - centre, centre - low)
        for denominator, slope in self._fractions:
            if reach * abs(slope) <= 0.125:
                mean = self._mean(centre)
                origin = math.floor(above(mean)) - mean
                exact = self._b - self._a - fmpq(round(self.step * denominator), denominator)
                grid, waves = self._line(denominator)
                return self._log_bound_around(centre, reach, origin, grid, waves, exact, fmpq(0))
        grid, waves = self._phases
        return self._log_bound_around(centre, reach, arb(0), grid, waves, arb(0), fmpq(1, PHASES))

    @functools.cached_property
    def _phases(self) -> tuple[list[fmpq], acb_mat]:
        return self._with_waves([fmpq(2 * i + 1, PHASES) - 1 for i in range(PHASES)])

    def _line(self, denominator: int) -> tuple[list[fmpq], acb_mat]:
        if denominator not in self._lines:
            steps = math.ceil(1.125 * denominator) + 1
            numbers = range(-steps, denominator + steps + 1)
            self._lines[denominator] = self._with_waves([fmpq(i, denominator) for i in numbers])
        return self._lines[denominator]

    def _with_waves(self, grid: list[fmpq]) -> tuple[list[fmpq], acb_mat]:
        """Return points u, and ``e^{-iθu}`` for every frequency and point."""
        rows = [[acb(0, -at.slope.imag * u).exp() for u in grid] for at in self._frequencies]
        return grid, acb_mat(rows)

    def _log_bound_around(
        self,
        centre: int,
        reach: int,
        origin: arb,
        grid: Sequence[fmpq],
        waves: acb_mat,
        slope: arb,
        half: fmpq,
    ) -> tuple[float, float]:
        """Bound ln g near a centre, and say at which u; see `Vertices._taylor`."""
        remainder = arb(0)
        rows: list[list[acb]] = [[], [], []]
        for at in self._frequencies:
            along = at.per_m - slope * at.slope
            exponent = at.base + centre * at.per_m - origin * at.slope
            term = at.weight * exponent.exp()
            for row, factor in zip(rows, (acb(1), along * reach, at.slope * half), strict=True):
                row.append(term * factor)
            corner = exponent.real + reach * abs(along.real) + half * self._ratio
            spread = reach * abs(along) + half * abs(at.slope)
            remainder += abs(at.weight) * corner.exp() * spread**2 / 2
        # What the sums leave out of G, at its largest in the box.
        lost = reach * abs(self._ball_drop) - centre * self._ball_drop
        lost += self._ratio * (reach * abs(slope) + half - origin)
        remainder += self._rest * lost.exp()
        best = -math.inf, 0.0
        for u, value, by_m, by_u in zip(grid, *(acb_mat(rows) * waves).table(), strict=True):
            position = origin + u
            if abs(position) > half + fmpq(9, 8):  # 1, and the 1/8 that a line may move by
                continue
            bound = (value.real + abs(by_m.real) + abs(by_u.real) + remainder).upper()
            if bound > 0:
                best = max(best, (above(bound.log() - self._ratio * u), float(position.mid())))
        return best
