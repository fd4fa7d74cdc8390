"""Worst case of a count over ``p ∈ [λ, 1-λ]^N`` in ball arithmetic: a search over vertices, proved.

The search is that of `pkdp.engines.vertices`. The integral becomes a finite sum over the same
frequencies for all vertices (`counts`), and bounds become upper ends of balls, so that no vertex is
above the result. Notation is as there, with ŵ and G of `counts`:

    g(m, u) = exp(-m·(KL_a - KL_b) - εu)·G,   G = Re Σ_l ŵ_l/L·exp(m·Λ_l + N·L_b,l - iθ_l·u) ± rest.

Vertices beyond some m need no search. As ``u > -1`` and ``G ≤ 1``, none of them is above
``exp(-m·(KL_a - KL_b) + ε)``, which falls with m.

With noise (`noisy_vertices`) bits are tilted by another number, which takes the place of
ε in g, but not in that bound.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import compress
from typing import NamedTuple

import numpy as np

from pkdp.certified import balls
from pkdp.certified.counts import BallCount, Fourier, Run, excess_runs, fourier
from pkdp.certified.flint import acb, acb_mat, arb, ctx, fmpq
from pkdp.engines.vertices import PHASES, Vertices
from pkdp.profiles.closed_forms import largest_loss
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.releases import WorstCount, WorstVertex

# A sum leaves out about exp(-50) of what it is; so many bits are spared for what is lost where its
# terms are larger than their sum.
_DIGITS, _SPARE_BITS = 50.0, 96


# Some u, and ``e^{-iθu}`` for every frequency and each of them.
Points = tuple[list[fmpq], acb_mat]


class Frequency(NamedTuple):
    """What does not depend on m or u at an angle θ, named as in `Vertices`."""

    base: acb  # N·L_b
    per_m: acb  # Λ - (KL_a - KL_b)
    slope: acb  # the tilt + iθ
    turn: acb  # e^{-iθ}


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


class Strip(NamedTuple):
    """All m near a centre and u with ``0 ≤ u - first - slope·(m - centre) ≤ units``."""

    centre: int
    reach: int
    first: arb
    units: int
    slope: arb


class Cover(NamedTuple):
    """Lines, or bands, that hold all events which begin in a part of a strip.

    Attributes
    ----------
    where : tuple
        Their origin, where they cross the centre from there, how they go, and half their width.
    are_within : list of bool
        Whether they enter that part at all.
    """

    where: tuple[arb, Points, arb, fmpq]
    are_within: list[bool]


class VertexRange(ABC):
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
        self._floats = Vertices(unknown, lam, tilt)
        self.unknown, self._vertices, self._offset = unknown, vertices, offset
        self._ratio, self._tilt = arb(eps), arb(tilt)
        self._chances = _chances(lam)
        lost = 3 * unknown.bit_length() + int(4.0 * math.log1p(tilt * math.sqrt(unknown)))
        self._bits = _SPARE_BITS + lost + int(3.0 * more_digits)
        with ctx.workprec(self._bits):
            (self._a, self._b), entropies = tilted(self._chances, self._tilt)
            self._ball_drop = entropies[0] - entropies[1]
            self._ball_scale = -unknown * entropies[1]
            self._choose_frequencies(more_digits)

    def _kinds(self) -> list[list[Run]]:
        """Return those v whose expectations are sought."""
        return [excess_runs(self._ratio)]

    def _choose_frequencies(self, more_digits: float) -> None:
        """Choose the frequencies of the sums for all m of the range."""
        self._of_kinds = [self._sums(runs, more_digits) for runs in self._kinds()]
        self._frequencies = []
        first = self._of_kinds[0]
        for angle, turn in zip(first.angles, first.turns, strict=True):
            log_a, log_b = ((1 + q * turn).log() - acb(0, q * angle) for q in (self._a, self._b))
            self._frequencies.append(self._frequency(log_a, log_b, acb(self._tilt, angle)))
        self._known_points: dict[tuple[range, int], Points] = {}

    def _sums(self, runs: Sequence[Run], more_digits: float) -> Fourier:
        """Return the Fourier sum of some runs for all m of the range; its angles are the same."""
        n, tilt, far = self.unknown, self._tilt, self._offset
        of_a, of_b = self._a * (1 - self._a), self._b * (1 - self._b)
        first, last = self._vertices[0], self._vertices[-1]
        ends = tuple((n - m) * of_b + m * of_a for m in (first, last))
        deviation = math.sqrt(max(balls.above(end) for end in ends))
        digits = _DIGITS + math.log1p(deviation) + 2.0 * math.log1p(self._floats.eps * deviation)
        digits += more_digits
        least, most = min(ends, key=balls.below), max(ends, key=balls.above)
        return fourier(runs, tilt, n + far, least, most, digits, far)

    def _frequency(self, log_a: acb, log_b: acb, slope: acb) -> Frequency:
        """Return the term of a sum that is what bits of either kind multiply it by."""
        per_m = log_a - log_b - self._ball_drop
        return Frequency(self.unknown * log_b, per_m, slope, (self._tilt - slope).exp())

    def _mean(self, m: int) -> arb:
        """Return μ(m)."""
        return m * self._a + (self.unknown - m) * self._b

    def _proved(self, found: WorstVertex, log_beyond: float = -math.inf) -> WorstVertex:
        """Return bounds of the largest ln δ; no vertex elsewhere is above `log_beyond`."""
        lower = balls.below(self._ball_scale + self._log_g_ball(found.m))
        upper = max(balls.above(self._ball_scale + arb(found.log_upper)), log_beyond)
        return WorstVertex(found.m, lower, max(lower, min(0.0, upper)))

    def _log_g(self, m: IntArray) -> FloatArray:
        """Return ln δ - log_scale of the vertices `m`, or a little more."""
        return np.array([balls.above(self._log_g_ball(i)) for i in m.tolist()])

    def _log_bound(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bound ln g over boxes ``low…high``; see `Vertices.log_bound`."""
        boxes = zip(low.tolist(), high.tolist(), strict=True)
        bounds, u = np.array([self._log_bound_of_box(*box) for box in boxes]).reshape(-1, 2).T
        return bounds, u

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

    def _cover(self, strip: Strip, begin: arb, units: int, bands: int) -> Cover:
        """Cover all events that begin in a part of a strip."""
        centre, reach, _, _, along = strip
        floats = self._floats
        for denominator, slope in floats.fractions:
            if reach * abs(slope) <= 0.125:
                exact = self._b - self._a - fmpq(round(floats.step * denominator), denominator)
                # So far off the strip lines that enter it are at the centre.
                off = (reach * abs(exact - along)).upper()
                mean = self._mean(centre)
                origin = balls.floor(mean + begin - off) - mean
                more = denominator * (units + 1 + balls.ceil(2 * off))
                points = self._points(range(more + 1), denominator)
                from_begin = [origin + u - begin for u in points[0]]
                are_within = [not (u < -off or u > units + off) for u in from_begin]
                return Cover((origin, points, exact, fmpq(0)), are_within)
        points = self._points(range(1, 2 * bands * units, 2), 2 * bands)
        return Cover((begin, points, along, fmpq(1, 2 * bands)), [True] * len(points[0]))

    def _largest_log(
        self, cover: Cover, bounds: Callable[..., arb], *sums: Iterable[object]
    ) -> tuple[float, float]:
        """Return the largest ln of what bounds sums at lines or bands, and at which u.

        Bounds are in units of ``e^{-tilt·u}``, u from the origin on.
        """
        (origin, (grid, _), _, _), best = cover.where, (-math.inf, 0.0)
        for u, *its in compress(zip(grid, *sums, strict=True), cover.are_within):
            bound = bounds(*its)
            if bound > 0:
                log_bound = bound.log() - self._tilt * u
                best = max(best, (balls.above(log_bound), float((origin + u).mid())))
        return best

    def _means(self, sums: Sequence[Fourier], m: int, u: arb, number: int) -> list[list[arb]]:
        """Return sums for some events, the first of which begins at u, without the drop."""
        means = [[arb(0, of_kind.remainder)] * number for of_kind in sums]
        for index, at in enumerate(self._frequencies):
            exponent = at.base + m * (at.per_m + self._ball_drop) - (at.slope - self._tilt) * u
            wave = exponent.exp()
            for its, of_kind in zip(means, sums, strict=True):
                term = of_kind.weights[index] * wave
                for start in range(number):
                    its[start] += term.real
                    term *= at.turn
        return means

    def _expand(
        self, sums: Sequence[Fourier], strip: Strip, cover: Cover, *, is_whole: bool = True
    ) -> list[list[Expansion]]:
        """Return sums near the centre of a strip, and what bounds them: see `Vertices._taylor`.

        Each at ``origin + u`` for some points u, in units of ``e^{-εu}`` there, and of g or what
        else has the same waves; or, if that is not to be the whole of g, of G alone.
        """
        drop = self._ball_drop if is_whole else arb(0)
        tilt = self._tilt if is_whole else arb(0)
        centre, reach = strip.centre, strip.reach
        origin, (grid, waves), slope, half = cover.where
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
            for which, of_kind in enumerate(sums):
                weight = of_kind.weights[index]
                for row, factor in zip(rows[which], factors, strict=True):
                    row.append(weight * wave * factor)
                remainders[which] += abs(weight) * size
        # What the sums leave out of G, at its largest in the box.
        lost = reach * abs(drop) - centre * drop + tilt * (reach * abs(slope) + half - origin)
        lost = lost.exp()
        return [
            [
                Expansion(value.real, along.real, across.real, remainder + of_kind.remainder * lost)
                for value, along, across in zip(*(acb_mat(three) * waves).table(), strict=True)
            ]
            for three, remainder, of_kind in zip(rows, remainders, sums, strict=True)
        ]


def enclose(release: WorstCount, eps: float) -> balls.Bounds:
    """Return bounds of ln δ(ε) of the worst vertex."""
    unknown, lam = release.unknown, release.lam
    if unknown == 0:
        return 0.0, 0.0
    if eps >= largest_loss(unknown, lam):
        everyone = BallCount([1 - Fraction(lam)], [unknown])
        return everyone.log_excess(math.inf)
    worst = PlainRange(unknown, lam, eps).worst(release.tol)
    return worst.log_lower, worst.log_upper


class PlainRange(VertexRange):
    """All vertices of the cube for given N, λ and ε; see `Vertices`."""

    def __init__(self, unknown: int, lam: float, eps: float) -> None:
        # Where floats find the maximum. It decides how much is searched, and nothing else.
        likely = Vertices(unknown, lam, eps).worst(1e-6)
        self._end, self._log_beyond = last_to_search(unknown, lam, eps, likely)
        super().__init__(unknown, lam, eps, eps, range(self._end + 1))

    def worst(self, tol: float) -> WorstVertex:
        """Return the maximum over all m = 0…N, proved to lie between the ends that are returned."""
        with ctx.workprec(self._bits):
            found = self._floats.search(self._end, tol, self._log_g, self._log_bound)
            return self._proved(found, self._log_beyond)

    def _log_g_ball(self, m: int) -> arb:
        mean = self._mean(m)
        first = max(balls.floor(mean), 0)
        last = min(balls.ceil(mean), self.unknown)
        u = first - mean
        (sums,) = self._means(self._of_kinds, m, u, last + 1 - first)
        # Of events that are no best ones the excess may be below 0.
        scaled = [total * (-self._tilt * (u + start)).exp() for start, total in enumerate(sums)]
        return balls.largest_of(scaled).log() - m * self._ball_drop

    def _log_bound_of_box(self, low: int, high: int) -> tuple[float, float]:
        centre = (low + high) // 2
        strip = Strip(centre, max(high - centre, centre - low), arb(-1), 2, arb(0))
        cover = self._cover(strip, strip.first, strip.units, PHASES // 2)
        (values,) = self._expand(self._of_kinds, strip, cover)
        return self._largest_log(cover, lambda it: balls.upper_end(it.value + it.off), values)


def last_to_search(unknown: int, lam: float, eps: float, likely: WorstVertex) -> tuple[int, float]:
    """Return a vertex beyond which all are likely far below, and a bound of their ln δ; or N."""
    with ctx.workprec(_SPARE_BITS + 3 * unknown.bit_length()):
        ratio = arb(eps)
        _, (entropy, least) = tilted(_chances(lam), ratio)
        drop, top = entropy - least, ratio - unknown * least
        if not drop > 0:
            return unknown, -math.inf
        last = max(likely.m, balls.ceil((top - likely.log_lower) / drop) + 1)
        if last >= unknown:
            return unknown, -math.inf
        return last, balls.above(top - (last + 1) * drop)


def _chances(lam: float) -> tuple[fmpq, fmpq]:
    low = balls.rational(lam)
    return low, 1 - low


def log_mgfs(chances: Sequence[fmpq], tilt: arb) -> list[arb]:
    """Return ln of the moment generating functions of bits."""
    return [(p * tilt.expm1()).log1p() for p in chances]


def tilted(chances: Sequence[fmpq], tilt: arb) -> tuple[list[arb], list[arb]]:
    """Return what bits are that are tilted, and their relative entropies."""
    logs = log_mgfs(chances, tilt)
    bits = [p * (tilt - log).exp() for p, log in zip(chances, logs, strict=True)]
    return bits, [q * tilt - log for q, log in zip(bits, logs, strict=True)]
