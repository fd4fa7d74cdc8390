"""The worst case over ``p ∈ [λ, 1-λ]^N`` in ball arithmetic: the search of `_vertices`, proved.

The search is the same, but for the integral, which becomes a finite sum over the same frequencies
for all vertices (`pkdp.profiles._balls`), and for its numbers, which are upper ends of balls. So no
vertex is above what it returns. Notation is that of `_vertices`, with ŵ and G of `_balls`:

    g(m, u) = exp(-m·(KL_a - KL_b) - εu)·G,   G = Re Σ_l ŵ_l/L·exp(m·Λ_l + N·L_b,l - iθ_l·u) ± rest.

Vertices beyond some m need no search. As ``u > -1`` and ``G ≤ 1``, none of them is above
``exp(-m·(KL_a - KL_b) + ε)``, which falls with m.

With noise (`_noisy_vertices_in_balls`) bits are tilted by another number, which takes the place of
ε in g, but not in that bound.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pkdp.partial_knowledge._maximiser import WorstVertex
from pkdp.partial_knowledge._vertices import PHASES, Vertices
from pkdp.profiles._balls import (
    Fourier,
    Run,
    above,
    below,
    excess_runs,
    fourier,
    largest_of,
    rational,
    upper_end,
    within,
)
from pkdp.profiles._flint import acb, acb_mat, arb, ctx, fmpq
from pkdp.profiles.logarithms import FloatArray, IntArray

# A sum leaves out about exp(-50) of what it is; so many bits are spared for what is lost where its
# terms are larger than their sum.
_DIGITS, _SPARE_BITS = 50.0, 96


# Some u, and ``e^{-iθu}`` for every frequency and each of them.
Points = tuple[list[fmpq], acb_mat]


class Frequency(NamedTuple):
    """What does not depend on m or u at an angle θ, named as in `Vertices`."""

    weight: acb  # ŵ/L
    base: acb  # N·L_b
    per_m: acb  # Λ - (KL_a - KL_b)
    slope: acb  # the tilt + iθ
    turn: acb  # e^{-iθ}


class Weights(NamedTuple):
    """A sum over the frequencies of a range: what they weigh, and what it leaves out."""

    of_frequencies: list[acb]
    rest: arb


class Expansion(NamedTuple):
    """A sum at one point of a range of m and u, and what bounds it in all of the range.

    Attributes
    ----------
    value : arb
        The sum at the point.
    along, across : arb
        Its derivatives, times how far the range reaches: along the line that the best events move
        on, and across it.
    rest : arb
        The remainder of second order.
    """

    value: arb
    along: arb
    across: arb
    rest: arb

    @property
    def off(self) -> arb:
        """By how much the sum may differ anywhere in the range."""
        return abs(self.along) + abs(self.across) + self.rest


class RangeInBalls(Vertices):
    """Sums for a range of vertices, for given N, λ and ε, and bits tilted by any number.

    Parameters
    ----------
    unknown : int
        N ≥ 1.
    lam : float
        λ in (0, ½], taken as the rational number that it is.
    eps : float
        Finite ε ≥ 0.
    tilt : float
        What bits are tilted by; in g it takes the place of ε.
    vertices : range
        The m that are meant.
    more_digits : float
        How many more digits sums are to have than those of a count.
    offset : int
        Events may begin so far from the mean, plus 2.
    """

    def __init__(
        self,
        unknown: int,
        lam: float,
        eps: float,
        tilt: float,
        vertices: range,
        more_digits: float = 0.0,
        offset: int = 0,
    ) -> None:
        super().__init__(unknown, lam, tilt)
        self._ratio, self._tilt, self._offset = arb(eps), arb(tilt), offset
        self._vertices = vertices
        self._chances = _chances(lam)
        lost = 3 * unknown.bit_length() + int(4.0 * math.log1p(tilt * math.sqrt(unknown)))
        self._bits = _SPARE_BITS + lost + int(3.0 * more_digits)
        with ctx.workprec(self._bits):
            (self._a, self._b), entropies = tilted(self._chances, self._tilt)
            self._ball_drop = entropies[0] - entropies[1]
            self._ball_scale = -unknown * entropies[1]
            self._choose_frequencies(more_digits)

    def _runs(self) -> list[Run]:
        """Return v, whose expectations are sought."""
        return excess_runs(self._ratio)

    def _choose_frequencies(self, more_digits: float) -> None:
        """Choose the frequencies of the sums for all m of the range."""
        tilt, sums = self._tilt, self._sums(self._runs(), more_digits)
        self._rest = sums.remainder
        self._frequencies = []
        for angle, turn, weight in zip(sums.angles, sums.turns, sums.weights, strict=True):
            log_a, log_b = ((1 + q * turn).log() - acb(0, q * angle) for q in (self._a, self._b))
            self._frequencies.append(self._frequency(weight, (log_a, log_b), acb(tilt, angle)))
        self._known_points: dict[tuple[range, int], Points] = {}

    def _sums(self, runs: Sequence[Run], more_digits: float) -> Fourier:
        """Return the Fourier sum of some runs for all m of the range; its angles are the same."""
        n, tilt, far = self.unknown, self._tilt, self._offset
        of_a, of_b = self._a * (1 - self._a), self._b * (1 - self._b)
        first, last = self._vertices[0], self._vertices[-1]
        ends = tuple((n - m) * of_b + m * of_a for m in (first, last))
        deviation = math.sqrt(max(above(end) for end in ends))
        digits = _DIGITS + math.log1p(deviation) + 2.0 * math.log1p(self.eps * deviation)
        digits += more_digits
        least, most = min(ends, key=below), max(ends, key=above)
        return fourier(runs, tilt, n + far, least, most, digits, far)

    def _frequency(self, weight: acb, logs: tuple[acb, acb], slope: acb) -> Frequency:
        """Return the term of a sum that is what bits of either kind multiply it by."""
        log_a, log_b = logs
        per_m = log_a - log_b - self._ball_drop
        turn = (self._tilt - slope).exp()
        return Frequency(weight, self.unknown * log_b, per_m, slope, turn)

    def _mean(self, m: int) -> arb:
        """Return μ(m)."""
        return m * self._a + (self.unknown - m) * self._b

    def _log_g(self, m: IntArray) -> FloatArray:
        """Return ln δ - log_scale of the vertices `m`, or a little more."""
        return np.array([above(self._log_g_ball(i)) for i in m.tolist()])

    def _log_bound(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bound ln g over boxes ``low…high``; see `Vertices._log_bound`."""
        pairs = [
            self._log_bound_of_box(first, last)
            for first, last in zip(low.tolist(), high.tolist(), strict=True)
        ]
        return np.array([bound for bound, _ in pairs]), np.array([u for _, u in pairs])

    @abstractmethod
    def _log_g_ball(self, m: int) -> arb:
        """Return ln δ - log_scale of a vertex."""

    @abstractmethod
    def _log_bound_of_box(self, low: int, high: int) -> tuple[float, float]:
        """Return a bound of that for the vertices of a box, and the u at which it is attained."""

    def _points(self, numerators: range, denominator: int) -> Points:
        """Return fractions with their waves, which are computed once."""
        if (numerators, denominator) not in self._known_points:
            grid = [fmpq(i, denominator) for i in numerators]
            turns = (-(at.slope - self._tilt) for at in self._frequencies)
            waves = acb_mat([[(turn * u).exp() for u in grid] for turn in turns])
            self._known_points[numerators, denominator] = grid, waves
        return self._known_points[numerators, denominator]

    @functools.cached_property
    def _weights(self) -> Weights:
        return Weights([at.weight for at in self._frequencies], self._rest)

    def _means(self, sums: Sequence[Weights], m: int, u: arb, number: int) -> list[list[arb]]:
        """Return sums for some events, the first of which begins at u, without the drop."""
        means = [[within(weights.rest)] * number for weights in sums]
        for index, at in enumerate(self._frequencies):
            exponent = at.base + m * (at.per_m + self._ball_drop) - (at.slope - self._tilt) * u
            wave = exponent.exp()
            for its, weights in zip(means, sums, strict=True):
                term = weights.of_frequencies[index] * wave
                for start in range(number):
                    its[start] += term.real
                    term *= at.turn
        return means

    def _expand(
        self,
        sums: Sequence[Weights],
        centre: int,
        reach: int,
        origin: arb,
        points: Points,
        slope: arb,
        half: fmpq,
        *,
        is_whole: bool = True,
    ) -> list[list[Expansion]]:
        """Return sums near a centre, and what bounds them there: see `Vertices._taylor`.

        Each at ``origin + u`` for some points u, in units of ``e^{-εu}`` there, and of g or what
        else has the same waves; or, if that is not to be the whole of g, of G alone.
        """
        drop = self._ball_drop if is_whole else arb(0)
        tilt = self._tilt if is_whole else arb(0)
        grid, waves = points
        furthest = max(abs(grid[0]), abs(grid[-1]))
        remainders = [arb(0) for _ in sums]
        rows: list[list[list[acb]]] = [[[], [], []] for _ in sums]
        for index, at in enumerate(self._frequencies):
            by_m, by_u = at.per_m + (self._ball_drop - drop), at.slope - (self._tilt - tilt)
            along = by_m - slope * by_u
            exponent = at.base + centre * by_m - origin * by_u
            corner = exponent.real + reach * abs(along.real) + half * abs(by_u.real)
            corner += furthest * abs(at.slope.real - self._tilt)
            spread = reach * abs(along) + half * abs(by_u)
            size = corner.exp() * spread * spread / 2
            wave = exponent.exp()
            factors = acb(1), along * reach, by_u * half
            for which, weights in enumerate(sums):
                weight = weights.of_frequencies[index]
                for row, factor in zip(rows[which], factors, strict=True):
                    row.append(weight * wave * factor)
                remainders[which] += abs(weight) * size
        # What the sums leave out of G, at its largest in the box.
        lost = reach * abs(drop) - centre * drop + tilt * (reach * abs(slope) + half - origin)
        lost = lost.exp()
        return [
            [
                Expansion(value.real, along.real, across.real, remainder + weights.rest * lost)
                for value, along, across in zip(*(acb_mat(three) * waves).table(), strict=True)
            ]
            for three, remainder, weights in zip(rows, remainders, sums, strict=True)
        ]


class VerticesInBalls(RangeInBalls):
    """All vertices of the cube for given N, λ and ε; see `Vertices`."""

    def __init__(self, unknown: int, lam: float, eps: float) -> None:
        # Where floats find the maximum. It decides how much is searched, and nothing else.
        likely = Vertices(unknown, lam, eps).worst(1e-6)
        self._end, self._log_beyond = last_to_search(unknown, lam, eps, likely)
        super().__init__(unknown, lam, eps, eps, range(self._end + 1))

    def worst(self, tol: float) -> WorstVertex:
        """Return the maximum over all m = 0…N, proved to lie between the ends that are returned."""
        with ctx.workprec(self._bits):
            found = self._search(self._end, tol)
            lower = below(self._ball_scale + self._log_g_ball(found.m))
            upper = above(self._ball_scale + arb(found.log_upper))
        upper = max(upper, self._log_beyond)
        return WorstVertex(found.m, lower, max(lower, min(0.0, upper)))

    def _log_g_ball(self, m: int) -> arb:
        mean = self._mean(m)
        first = max(math.floor(below(mean)), 0)
        last = min(math.ceil(above(mean)), self.unknown)
        u = first - mean
        (sums,) = self._means([self._weights], m, u, last + 1 - first)
        # Of events that are no best ones the excess may be below 0.
        scaled = [total * (-self._tilt * (u + start)).exp() for start, total in enumerate(sums)]
        return largest_of(scaled).log() - m * self._ball_drop

    def _log_bound_of_box(self, low: int, high: int) -> tuple[float, float]:
        centre = (low + high) // 2
        reach = max(high - centre, centre - low)
        for denominator, slope in self._fractions:
            if reach * abs(slope) <= 0.125:
                mean = self._mean(centre)
                origin = math.floor(above(mean)) - mean
                exact = self._b - self._a - fmpq(round(self.step * denominator), denominator)
                steps = math.ceil(1.125 * denominator) + 1
                points = self._points(range(-steps, denominator + steps + 1), denominator)
                return self._log_bound_around(centre, reach, origin, points, exact, fmpq(0))
        return self._log_bound_around(centre, reach, arb(0), self._phases, arb(0), fmpq(1, PHASES))

    @property
    def _phases(self) -> Points:
        return self._points(range(1 - PHASES, PHASES, 2), PHASES)

    def _log_bound_around(
        self,
        centre: int,
        reach: int,
        origin: arb,
        points: Points,
        slope: arb,
        half: fmpq,
    ) -> tuple[float, float]:
        """Bound ln g near a centre, and say at which u; see `Vertices._taylor`."""
        (values,) = self._expand([self._weights], centre, reach, origin, points, slope, half)
        best = -math.inf, 0.0
        for u, found in zip(points[0], values, strict=True):
            position = origin + u
            if abs(position) > half + fmpq(9, 8):  # 1, and the 1/8 that a line may move by
                continue
            bound = upper_end(found.value + found.off)
            if bound > 0:
                best = max(best, (above(bound.log() - self._tilt * u), float(position.mid())))
        return best


def last_to_search(unknown: int, lam: float, eps: float, likely: WorstVertex) -> tuple[int, float]:
    """Return a vertex beyond which all are likely far below, and a bound of their ln δ; or N."""
    with ctx.workprec(_SPARE_BITS + 3 * unknown.bit_length()):
        ratio = arb(eps)
        _, (entropy, least) = tilted(_chances(lam), ratio)
        drop, top = entropy - least, ratio - unknown * least
        if not drop > 0:
            return unknown, -math.inf
        last = max(likely.m, math.ceil(above((top - likely.log_lower) / drop)) + 1)
        if last >= unknown:
            return unknown, -math.inf
        return last, above(top - (last + 1) * drop)


def _chances(lam: float) -> tuple[fmpq, fmpq]:
    low = rational(lam)
    return low, 1 - low


def log_mgfs(chances: Sequence[fmpq], tilt: arb) -> list[arb]:
    """Return ln of the moment generating functions of bits."""
    return [(p * tilt.expm1()).log1p() for p in chances]


def tilted(chances: Sequence[fmpq], tilt: arb) -> tuple[list[arb], list[arb]]:
    """Return what bits are that are tilted, and their relative entropies."""
    logs = log_mgfs(chances, tilt)
    bits = [p * (tilt - log).exp() for p, log in zip(chances, logs, strict=True)]
    return bits, [q * tilt - log for q, log in zip(bits, logs, strict=True)]
