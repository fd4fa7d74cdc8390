"""The privacy blanket with geometric noise in ball arithmetic.

With C ~ Bin(N, 2λ), S_c a count of c fair coins and v of `_noise_in_balls`, it is

    Σ_c P[C = c]·D(c),  D(c) = max over a of D_a(c),  D_a(c) = E[v(S_c - a)].

One more coin takes the mean of two neighbours: ``D_a(c+1) = ½(D_a(c) + D_{a-1}(c))``. So a row of
events of one size, which is a Fourier sum for each, gives those of several sizes, by means of what
is positive. It does so for ``F_a = D_a - D_{a+1}``, too. The best event a(c) is the first with
``F_a(c) ≥ 0`` (`_noise_in_balls`), so that a(c+1) is a(c) or a(c) + 1: the best event is followed
upwards, and the signs of F tell which of the two it is.

Noise never raises δ. So ``D(c) ≤ e^ε·ρ^c``, and what is left out is bounded as without noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from pkdp.partial_knowledge._blanket_in_balls import Sizes
from pkdp.partial_knowledge._noise_in_balls import NoisyBallCount, excess_runs
from pkdp.profiles._balls import BallCount, above, below, enclosed, fourier, largest_of, within
from pkdp.profiles._flint import acb, arb, arb_mat, ctx

# For about so many sizes a row of events is computed once.
_SIZES = 14
# Bits of working precision beyond those of the digits.
_SPARE_BITS = 160
# Coins tilted further than this are as good as sure.
_MOST_TILT = 30.0


def log_hockey_stick(unknown: int, lam: float, ratio: Fraction, eps: float) -> tuple[float, float]:
    """Return bounds of the logarithm of ``E[D(C)]``; -inf twice from ln(1/p) on.

    Parameters
    ----------
    unknown : int
        N ≥ 0.
    lam : float
        λ in (0, ½], taken as the rational number that it is.
    ratio : Fraction
        p of the noise.
    eps : float
        ε ≥ 0.
    """
    share = Fraction(lam)
    alone = NoisyBallCount(BallCount([], []), ratio).log_excess(eps)
    if unknown == 0 or alone[1] == -math.inf:
        return alone
    if 2 * share == 1:
        return _coins(unknown, ratio).log_excess(eps)
    return enclosed(lambda digits: _hockey_stick(unknown, share, ratio, arb(eps), digits))


def _coins(number: int, ratio: Fraction) -> NoisyBallCount:
    return NoisyBallCount(BallCount([Fraction(1, 2)], [number]), ratio)


def _hockey_stick(unknown: int, share: Fraction, ratio: Fraction, eps: arb, digits: float) -> arb:
    # What D is where most of the sum is likely to be says how many digits it takes.
    middle = round(Sizes(unknown, share, eps, digits).mean)
    excess = _coins(middle, ratio).excess(eps, digits)
    if not excess > 0:
        return arb.nan()
    log_excess = excess.log()
    log_rho = Sizes(unknown, share, eps, digits).log_rho
    digits += max(0.0, above(middle * log_rho - log_excess))
    rows = _Rows(Sizes(unknown, share, eps, digits), ratio, eps, middle, log_excess)
    with ctx.workprec(rows.bits):
        return rows.mean()


class _Rows:
    """What some events gain, for the sizes of a window.

    Parameters
    ----------
    sizes : Sizes
        The window.
    ratio : Fraction
        p.
    eps : arb
        ε.
    middle : int
        A size with a large part in the mean.
    log_excess : arb
        ln D there.
    """

    def __init__(
        self, sizes: Sizes, ratio: Fraction, eps: arb, middle: int, log_excess: arb
    ) -> None:
        self._sizes, self._ratio, self._eps = sizes, ratio, eps
        ends = [
            (size, _coins(size, ratio).best(eps, sizes.digits))
            for size in (sizes.first, middle, sizes.last)
        ]
        self._candidates = ends[0][1]
        self._tilt = self._tilt_towards(middle, ends[1][1][0])
        deviation = math.sqrt(sizes.last * below(self._chance * (1 - self._chance)))
        log_unit = self._log_unit(middle, ends[1][1][0])
        self.digits = sizes.digits + max(0.0, above(log_unit - log_excess))
        self.digits += 2.0 * math.log1p(deviation) + math.log1p(sizes.last - sizes.first)
        furthest = max(above(abs(a - size * self._chance)) for size, best in ends for a in best)
        self._offset = math.ceil(furthest + self.digits / 4.0 + deviation / 8.0) + 2 * _SIZES
        self._margin = math.ceil(_SIZES * above(1 - self._chance)) + 1
        self._width = _SIZES + 5
        self.bits = _SPARE_BITS + int(1.5 * self.digits)
        with ctx.workprec(self.bits):
            self._choose_frequencies()

    def _tilt_towards(self, size: int, event: int) -> arb:
        """Return a tilt that no run grows under, with its mean about where an event begins."""
        tilt = math.log(event + 0.5) - math.log(size - event + 0.5)
        end = below(_coins(0, self._ratio).rate)
        return arb(min(max(tilt, 0.0), end, _MOST_TILT))

    @property
    def _chance(self) -> arb:
        """What a tilted coin is 1 with."""
        return 1 / (1 + (-self._tilt).exp())

    def _log_unit(self, size: int, event: int) -> arb:
        """Return ln of what a sum is multiplied by."""
        return size * ((1 + self._tilt.exp()) / 2).log() - self._tilt * event

    def _choose_frequencies(self) -> None:
        chance = self._chance
        variance = chance * (1 - chance)
        sums = fourier(
            excess_runs(_coins(0, self._ratio).p, self._eps),
            self._tilt,
            self._sizes.last + 2 * self._width,
            self._sizes.first * variance,
            self._sizes.last * variance,
            self.digits,
            self._offset,
        )
        self._rest, self._turned = sums.remainder, sums.turned
        self._bits = [1 + chance * turn for turn in sums.turns]
        self._weights = sums.weights
        turned = [[sums.turned(j, a) for a in range(self._width)] for j in range(len(sums.turns))]
        # So that products with real and imaginary parts one below the other are real parts.
        self._waves = arb_mat(
            [[wave.real for wave in row] for row in turned]
            + [[-wave.imag for wave in row] for row in turned]
        )
        self._scales = [(-self._tilt * a).exp() for a in range(self._width)]
        self._steps: dict[tuple[int, int], list[acb]] = {}

    def mean(self) -> arb:
        """Return ``E[D(C)]``."""
        sizes, (low, high) = self._sizes, self._candidates
        size, total = sizes.first, arb(0)
        chance = sizes.chance(size)
        at = size, low - self._margin
        terms = self._terms(*at)
        while size <= sizes.last:
            before, at = at, (size, low - self._margin)
            if at != before:
                terms = self._moved(terms, at[0] - before[0], at[1] - before[1])
            row, start = self._row(terms, *at), at[1]
            if not high < start + len(row):
                return arb.nan()
            while size <= sizes.last and start <= low and high < start + len(row):
                while low < high and row[low - start] < row[low - start + 1]:
                    low += 1
                while low < high and row[high - start] < row[high - start - 1]:
                    high -= 1
                total += chance * largest_of(row[low - start : high - start + 1])
                size, start, high = size + 1, start + 1, high + 1
                chance = sizes.chance_above(size, chance) if size <= sizes.last else chance
                row = [(one + other) / 2 for one, other in pairwise(row)]
        return sizes.whole(total)

    def _row(self, terms: list[acb], size: int, start: int) -> list[arb]:
        """Return what events from `start` on gain."""
        mean = size * self._chance
        furthest = abs(start - mean).max(abs(start + self._width - mean))
        if not furthest <= 2 + self._offset:
            return [arb.nan()] * self._width
        parts = [[term.real for term in terms] + [term.imag for term in terms]]
        sums = (arb_mat(parts) * self._waves).entries()
        unit = self._log_unit(size, start).exp()
        rest = within(self._rest)
        return [unit * scale * (x + rest) for scale, x in zip(self._scales, sums, strict=True)]

    def _terms(self, size: int, start: int) -> list[acb]:
        """Return the terms of the sum of an event."""
        return [
            weight * bit**size * self._turned(index, start)
            for index, (weight, bit) in enumerate(zip(self._weights, self._bits, strict=True))
        ]

    def _moved(self, terms: list[acb], sizes: int, events: int) -> list[acb]:
        """Return the terms of a sum from those of another one that is a few sizes below."""
        if (sizes, events) not in self._steps:
            self._steps[sizes, events] = [
                bit**sizes * self._turned(index, events) for index, bit in enumerate(self._bits)
            ]
        return [x * y for x, y in zip(terms, self._steps[sizes, events], strict=True)]
