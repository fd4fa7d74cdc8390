"""Worst case of a count with noise in ball arithmetic: a search over vertices, proved.

What `vertices` does for the count alone serves with noise, as what an event gains is an
expectation over the count (`noise`): a finite sum over frequencies whose exponents are
affine in m, the number of records at λ, and in u, how far from the tilted mean the event begins.
But the best events no longer begin next to the mean of bits tilted by ε. So ranges of vertices have
tilts s of their own, which have the mean there. Above the rate of the noise ``c·p^{a-S}``, what
events below a gain, cannot be summed up to a; its mean over all S is one exponential more that is
affine in m and u, and what that has too much above a is taken off there.

Where the best events begin is proved, too. With ``F(a) = P[S + k = a] - E·P[S + k = a + 1]``, which
is what the event of at least a gains more than that of at least a + 1, the best event is the first
a with ``F(a) ≥ 0``: S and the noise k have log-concave laws, and so has S + k, so that F is
negative and then is not. F is an expectation over the count, too, and bounded over ranges of m and
u as the gain is. A strip around where floats find the best events is
covered by lines on which all events of the lattice lie, or by narrow bands. If F is negative on the
unit of u before the strip and positive on its last one, then the best event of every vertex of the
range begins in the strip; and no event that begins there gains more than the lines or bands allow.

With Laplace noise events begin anywhere, at a - t for t from 0 to 1, and gain ``D₀ + D₁·u + D₂/u``,
``u = p^t``. Measured from the middle of the interval, ``u = √p·e^z``, that is

    H + σ·sinh z - κ·(cosh z - 1),    |z| ≤ rate/2,

and H, σ and -κ are means over the count, so that each combination of them is bounded as the gain
was. F, of geometric noise with ``p = e^{-1/b}``, still tells in which interval the best event is.
Of a line or band some z is taken, the best one at its centre. What the event there gains is
bounded; from there on the gain is again of the form above, in z less its value there, with a σ that
is 0 at the centre. So no event of the interval gains much more than the one at z: about
``σ²/(2κ)``, which is of second order (`_added_one_way`).

No vertex has a larger δ with noise than without. So those beyond some m need no search, as there.
"""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from pkdp.certified import balls
from pkdp.certified.counts import Run
from pkdp.certified.flint import acb, arb, ctx, fmpq
from pkdp.certified.noise import alone
from pkdp.certified.vertices import (
    Expansion,
    Frequency,
    Strip,
    VertexRange,
    last_to_search,
    log_mgfs,
    tilted,
)
from pkdp.engines.branch_and_bound import boxes, maximise
from pkdp.engines.noisy_counts import Counts
from pkdp.profiles.additive_noise import Noise
from pkdp.profiles.logarithms import FloatArray, relative_entropy_of_tilt
from pkdp.releases import WorstNoisyCount, WorstVertex

# Vertices at which floats say where the best events begin; more digits than these require, and
# units further out, for which sums are to be right.
_SAMPLES, _SPARE_DIGITS, _SPARE_UNITS = 65, 5.0, 16

# A vertex that is likely the worst counts as so much less likely than floats say.
_HAIR = 1e-3

# Of smaller variances best events are those of the lattice.
_NARROW = 4.0

# Best events of a range begin within so many standard deviations of the mean, and these differ by
# no larger a factor. Tilts are no more above ε than that, found by so many halvings.
_NEAR, _ALIKE, _MOST_TILT, _HALVINGS = 1.5, 2.0, 40.0, 50

# Up to so many vertices each is evaluated; of more, so many ranges are looked at first, and no more
# than that in all.
_FEW_VERTICES, _FIRST_BOXES, _BUDGET = 200, 32, 2000

# A best event is looked for so many times, each time in twice as wide a range.
_WIDENINGS = 10

# How many units the strip is wide that best events are proved to begin in; tried one by one. Bands
# of a unit in which the sign of F is looked at.
_WIDTHS, _COARSE = (2, 4, 8, 16), 4

# Bands of a unit in which the gains are bounded, at most.
_MOST_BANDS = 64


def enclose(release: WorstNoisyCount, eps: float) -> balls.Bounds:
    """Return bounds of the largest ln δ(ε) of all vertices."""
    noise = release.noise
    nobody = alone(noise).log_excess(eps)
    if release.unknown == 0 or nobody[1] == -math.inf:
        return nobody
    found = worst(release.unknown, release.lam, noise, eps, release.tol)
    # A search that gives up may end above what the noise alone does.
    return found.log_lower, min(found.log_upper, nobody[1])


def worst(unknown: int, lam: float, noise: Noise, eps: float, tol: float) -> WorstVertex:
    """Return the largest δ over all vertices, proved to lie between the ends that are returned.

    Parameters
    ----------
    unknown : int
        N ≥ 1.
    lam : float
        λ in (0, ½], taken as the rational number that it is.
    noise : Noise
        `Geometric` or `Laplace`.
    eps : float
        ε ≥ 0, below the rate of the noise.
    tol : float
        Relative width.
    """
    likely = _Guide(unknown, lam, noise, eps, unknown).likely()
    last, log_beyond = last_to_search(unknown, lam, eps, likely)
    guide = _Guide(unknown, lam, noise, eps, 0 if lam == 0.5 else last)
    likely = guide.likely()
    # Where the largest δ is likely to be goes first, so that the others are found to be smaller.
    parts = sorted(guide.parts(), key=lambda part: likely.m not in part.vertices)
    found = WorstVertex(likely.m, -math.inf, log_beyond)
    for part in parts:
        its = NoisyRange(guide, part).worst(tol, found.log_lower)
        worse = max(found, its, key=lambda vertex: vertex.log_lower)
        found = replace(worse, log_upper=max(its.log_upper, found.log_upper))
    return found


class _Part(NamedTuple):
    """Vertices whose best events begin near the mean of bits of the same tilt."""

    vertices: range
    tilt: float


class _Guide:
    """Where the best events begin, in floats. They decide where to look, and nothing else."""

    def __init__(self, unknown: int, lam: float, noise: Noise, eps: float, last: int) -> None:
        self.unknown, self.lam, self.noise, self.eps = unknown, lam, noise, eps
        self._logits = np.array([math.log(lam) - math.log1p(-lam)]) * np.array([1.0, -1.0])
        self.m = np.unique(np.rint(np.sin(np.linspace(0.0, math.pi / 2, _SAMPLES)) ** 2 * last))
        counts = Counts([lam, 1.0 - lam], unknown, unknown, eps, noise)
        self.log_delta, events = counts.best_events(self._numbers(self.m))
        # Where they would begin were the lattice anywhere, which is smooth; but next to nothing is
        # between its points where the law has next to no width.
        _, smooth = counts.best_of_all_phases(self._numbers(self.m))
        self._starts = np.where(self.variances(eps) < _NARROW, events, smooth)

    def likely(self) -> WorstVertex:
        """Return the worst of the vertices."""
        at = int(self.log_delta.argmax())
        return WorstVertex(int(self.m[at]), float(self.log_delta[at]) - _HAIR, math.inf)

    def _numbers(self, m: FloatArray) -> FloatArray:
        return np.stack([m, self.unknown - m], axis=-1)

    def starts(self, tilt: float) -> FloatArray:
        """Return how far from the mean of tilted bits the best events begin."""
        step = expit(self._logits + tilt) - expit(self._logits + self.eps)
        return np.asarray(self._starts - self._numbers(self.m) @ step)

    def log_scales(self, tilt: float) -> FloatArray:
        """Return what tilting takes from ln of the masses next to the mean."""
        return np.asarray(-self._numbers(self.m) @ relative_entropy_of_tilt(self._logits, tilt))

    def variances(self, tilt: float) -> FloatArray:
        """Return the variances of tilted bits."""
        of_bits = expit(self._logits + tilt) * expit(-self._logits - tilt)
        return np.asarray(self._numbers(self.m) @ of_bits)

    def _tilt(self, index: int) -> float:
        """Return about the tilt that has its mean next to where an event begins."""
        # Next to it will do: where hardly a bit is uncertain no tilt has it there.
        target = min(max(self.starts(self.eps)[index], -0.5), 0.5)
        low, high = 0.0, self.eps + _MOST_TILT
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.starts(middle)[index] > target else (low, middle)
        return low

    def parts(self) -> list[_Part]:
        """Cut the vertices into parts, each with a tilt of its own."""
        parts = []
        index = 0
        edges = np.append(self.m, self.m[-1] + 1.0).astype(np.int64)
        while index < self.m.size:
            # The tilt of as late a vertex as it suits the first of the part, and all in between.
            tilt, after = self._tilt(index), index + 1
            for middle in range(index + 1, self.m.size):
                other = self._tilt(middle)
                if not self._suits(other, index, middle + 1):
                    break
                tilt, after = other, middle + 1
            while after < self.m.size and self._suits(tilt, index, after + 1):
                after += 1
            parts.append(_Part(range(int(edges[index]), int(edges[after])), tilt))
            index = after
        return parts

    def _suits(self, tilt: float, first: int, after: int) -> bool:
        """Whether a tilt does for some of the sampled vertices."""
        variances = 1.0 + self.variances(tilt)[first:after]
        near = np.abs(self.starts(tilt)[first:after]) <= _NEAR * np.sqrt(variances)
        return bool(near.all() and variances.max() <= _ALIKE**2 * variances.min())


class NoisyRange(VertexRange):
    """The vertices of a part, with noise; see `VertexRange`.

    Parameters
    ----------
    guide : _Guide
        Where to look.
    part : _Part
        The vertices, and what bits are tilted by.
    """

    def __init__(self, guide: _Guide, part: _Part) -> None:
        self._noise = alone(guide.noise)
        starts = guide.starts(part.tilt)
        self._sampled = guide.m, starts
        inside = (guide.m >= part.vertices[0]) & (guide.m <= part.vertices[-1] + 1)
        # The gain is less than a mass by so much, and F is less than that.
        log_g = guide.log_delta - guide.log_scales(part.tilt) + part.tilt * starts
        log_g = log_g[inside & np.isfinite(log_g)]
        deviation = math.sqrt(float(guide.variances(part.tilt)[inside].max()))
        digits = float(np.max(-log_g, initial=0.0)) + 2.0 * math.log1p(deviation)
        digits += math.log1p(1.0 / guide.noise.rate) + self._noise.lost + _SPARE_DIGITS
        furthest = float(np.abs(starts[inside]).max())
        offset = math.ceil(1.25 * furthest + deviation / 4.0) + _SPARE_UNITS
        of_range = guide.unknown, guide.lam, guide.eps, part.tilt, part.vertices
        super().__init__(*of_range, more_digits=digits, offset=offset)

    def worst(self, tol: float, known: float = -math.inf) -> WorstVertex:
        """Return the largest ln δ of the part, or that none is above what is known elsewhere."""
        first, size = self._vertices[0], len(self._vertices)
        is_few = size <= _FEW_VERTICES
        numbers = np.arange(first, first + size) if is_few else np.array([first, first + size - 1])
        low, high = boxes(0 if is_few else size, _FIRST_BOXES)
        start = low + first, high + first
        look = functools.partial(self._floats.look, self._log_bound)
        with ctx.workprec(self._bits):
            least = balls.below(arb(known) - self._ball_scale)
            return self._proved(maximise(self._log_g, look, numbers, start, tol, _BUDGET, least))

    def _kinds(self) -> list[list[Run]]:
        return [self._summable(runs) for runs in self._all_runs()]

    def _all_runs(self) -> list[list[Run]]:
        """Return functions whose means are F and what events gain, or F, H, σ and -κ."""
        # F is negative where the best event begins later.
        negative = self._noise.falls(self._ratio)
        constant, *others = self._noise.parts(self._ratio)
        if not others:
            return [negative, constant]
        root = self._noise.p.sqrt()
        rises, falls = (
            [run._replace(coefficient=run.coefficient * share) for run in runs]
            for runs, share in zip(others, (root, 1 / root), strict=True)
        )
        minus = [run._replace(coefficient=-run.coefficient) for run in falls]
        return [negative, [*constant, *rises, *falls], [*rises, *minus], [*rises, *falls]]

    def _summable(self, runs: Sequence[Run]) -> list[Run]:
        """Return runs that do not grow, for `_whole` in place of each that does."""
        if self._tilt < self._noise.rate:
            return list(runs)
        # What events below a gain is taken for all of them, and taken off above.
        return [
            Run(-run.coefficient, -run.rate, 1, 1 - run.first) if run.side < 0 else run
            for run in runs
        ]

    def _choose_frequencies(self, more_digits: float) -> None:
        super()._choose_frequencies(more_digits)
        if not self._tilt < self._noise.rate:
            self._frequencies.append(self._whole())
            for of_kind, runs in zip(self._of_kinds, self._all_runs(), strict=True):
                below_start = (run.coefficient for run in runs if run.side < 0)
                of_kind.weights.append(acb(balls.sum_of(below_start)))

    def _whole(self) -> Frequency:
        """Return the mean of ``p^{a-S}``, which no tilt above the rate can sum up to a."""
        rate = self._noise.rate
        _, entropies = tilted(self._chances, self._tilt)
        log_a, log_b = (
            acb(log - rate * q + entropy)
            for log, q, entropy in zip(
                log_mgfs(self._chances, rate), (self._a, self._b), entropies, strict=True
            )
        )
        return self._frequency(log_a, log_b, acb(rate))

    def _start(self, m: int) -> float:
        """Return about how far from the mean the best event of a vertex begins."""
        return float(np.interp(m, *self._sampled))

    def _log_g_ball(self, m: int) -> arb:
        mean = self._mean(m)
        middle = balls.floor(mean) + round(self._start(m))
        first, last = middle - 1, middle + 1
        for _ in range(_WIDENINGS):
            gains = self._gains_of(m, first - mean, last - first + 1)
            # Up to the best event they rise, and then they fall; far from it little may be known.
            lower = [i for i, gain in enumerate(gains) if any(gain < x for x in gains[i + 1 :])]
            higher = [i for i, gain in enumerate(gains) if any(gain < x for x in gains[:i])]
            if lower and higher:
                best = balls.largest_of(gains[lower[-1] + 1 : higher[0]])
                return best.log() - m * self._ball_drop
            width = last - first
            first, last = first - (not lower) * width, last + (not higher) * width
        raise ArithmeticError(f"the best event of vertex {m} of {self.unknown} was not found")

    def _gains_of(self, m: int, u: arb, number: int) -> list[arb]:
        """Return what some events gain, the first of which begins at u, without the drop."""
        if not self._is_known(abs(u) + number):
            raise ArithmeticError(f"an event {u} from the mean is further out than expected")
        sums = self._means(self._of_kinds[1:], m, u, number)
        return [
            self._largest(means) * (-self._tilt * (u + start)).exp()
            for start, means in enumerate(zip(*sums, strict=True))
        ]

    def _largest(self, means: Sequence[arb]) -> arb:
        """Return the largest gain of events from one outcome to the next."""
        if len(means) == 1:
            return means[0]
        middle, slope, bend = means
        root = self._noise.p.sqrt()
        return self._noise.largest(
            [middle - bend, (bend + slope) / (2 * root), (bend - slope) * root / 2]
        )

    def _is_known(self, furthest: arb) -> bool:
        """Whether the sums are right for events no further out than that, and for the next."""
        return bool(furthest + 1 < self._offset)

    def _log_bound_of_box(self, low: int, high: int) -> tuple[float, float]:
        centre = (low + high) // 2
        reach = max(high - centre, centre - low)
        before, start, after = (self._start(m) for m in (low, centre, high))
        along = (after - before) / max(1, high - low)
        for units in _WIDTHS:
            strip = Strip(centre, reach, arb(start) - fmpq(units, 2), units, arb(along))
            if self._holds_best_events(strip):
                return self._log_bound_of_strip(strip)
        return math.inf, start

    def _holds_best_events(self, strip: Strip) -> bool:
        """Whether all best events of a range begin in a strip, which is proved."""
        ends = strip.first - 1, strip.first + strip.units - 1
        furthest = max(abs(ends[0]), abs(ends[1]) + 1) + strip.reach * abs(strip.slope)
        if not self._is_known(furthest):
            return False
        for begin, sign in zip(ends, (-1, 1), strict=True):
            cover = self._cover(strip, begin, 1, _COARSE)
            (falls,) = self._expand(self._of_kinds[:1], strip, cover, is_whole=False)
            within_part = zip(cover.are_within, falls, strict=True)
            if not all(sign * at.value - at.off > 0 for is_in, at in within_part if is_in):
                return False
        return True

    def _log_bound_of_strip(self, strip: Strip) -> tuple[float, float]:
        """Bound ln g of all events that begin in a strip, and say at which u."""
        bands = self._number_of_bands(strip)
        cover = self._cover(strip, strip.first, strip.units, bands)
        gains = zip(*self._expand(self._of_kinds[1:], strip, cover), strict=True)
        return self._largest_log(cover, self._most, gains)

    def _most(self, gain: Sequence[Expansion]) -> arb:
        """Bound what events of a line or band gain."""
        if len(gain) == 1:
            return balls.upper_end(gain[0].value + gain[0].off)
        z = self._best_phase(*gain[1:])
        there = _combined(gain, (arb(1), z.sinh(), z.cosh() - 1))
        return balls.upper_end(there.value + there.off + _added(gain, z, self._noise.rate / 2))

    def _best_phase(self, slope: Expansion, bend: Expansion) -> arb:
        """Return about where the best event of an interval begins; any number would do."""
        half = self._noise.rate / 2
        if abs(slope.value) < -bend.value * half.tanh():
            return arb((-slope.value / bend.value).atanh().mid())
        return arb((half if slope.value > 0 else -half).mid())

    def _number_of_bands(self, strip: Strip) -> int:
        """Return how many bands of a unit make u as exact as m is, a power of 2."""
        centre, reach, along = strip.centre, strip.reach, float(strip.slope)
        variance = balls.below(centre * self._a * (1 - self._a))
        variance += balls.below((self.unknown - centre) * self._b * (1 - self._b))
        floats = self._floats
        theta = floats.slope.imag
        at = min(int(np.searchsorted(theta, (1.0 + variance) ** -0.5)), theta.size - 1)
        by_m = reach * abs(floats.per_m[at] - along * floats.slope[at])
        wanted = abs(floats.slope[at]) / max(by_m, 1e-300)
        return min(_MOST_BANDS, 1 << max(0, math.ceil(math.log2(wanted))))


def _combined(parts: Sequence[Expansion], shares: Sequence[arb]) -> Expansion:
    """Return a linear combination of sums."""
    *sums, rests = zip(*parts, strict=True)
    value, along, across = (balls.sum_of(map(operator.mul, shares, its)) for its in sums)
    return Expansion(value, along, across, balls.sum_of(map(operator.mul, map(abs, shares), rests)))


def _added(gain: Sequence[Expansion], z: arb, half: arb) -> arb:
    """Bound what other events of an interval, which reaches to ±half, gain more than that at z."""
    slope, bend, rising, falling = (
        _combined(gain[1:], shares)
        for shares in (
            (z.cosh(), z.sinh()),
            (z.sinh(), z.cosh()),
            (z.exp() / 2, z.exp() / 2),
            (-(-z).exp() / 2, (-z).exp() / 2),
        )
    )
    ways = (slope.value, rising, falling, half - z), (-slope.value, falling, rising, half + z)
    return balls.largest_of(
        [
            _added_one_way(
                (way + slope.off).upper(),
                (-bend.value - bend.off).lower(),
                (-up.value - up.off).lower(),
                (-down.value + down.off).upper(),
                furthest,
            )
            for way, up, down, furthest in ways
        ]
    )


def _added_one_way(slope: arb, bend: arb, least: arb, most: arb, furthest: arb) -> arb:
    """Bound ``f(y) = σ·sinh y - κ·(cosh y - 1)`` for y from 0 to `furthest`.

    For σ ≤ `slope` and κ ≥ `bend`, so that both may be taken to be these. As ``f/sinh y`` is
    ``σ - κ·tanh(y/2)``, f is at most ``σ·sinh(furthest)`` for σ, κ ≥ 0; for κ ≤ 0 it is positive at
    the end or nowhere; for κ > σ > 0 it is at most ``κ - √(κ² - σ²)``, where f' is 0; and for
    σ ≥ κ it rises.

    With ``A = (κ - σ)/2 ≥ least`` and ``B = (κ + σ)/2 ≤ most`` it is also
    ``(x - 1)·(B/x - A)``, ``x = e^y``. That falls if A ≥ B and A ≥ 0, is at most ``(√B - √A)²`` for
    B > A > 0, and for A ≤ 0 is positive at the end or nowhere.
    """
    zero, furthest = arb(0), arb(furthest.max(arb(0)).upper())
    if (least >= 0 and least >= most) or bend >= 0 >= slope:
        return zero
    bounds = [slope * furthest.sinh() - bend * (furthest.cosh() - 1)]
    if bend > slope > 0:
        inside = slope**2 / (bend + (bend**2 - slope**2).sqrt())
        bounds = [slope * furthest.sinh(), inside]
    if least > 0:
        bounds.append((most.sqrt() - least.sqrt()) ** 2)
    else:
        end = furthest.exp()
        bounds.append((end - 1) * (most / end - least))
    return min(balls.upper_end(bound) for bound in bounds).max(zero)
