"""The privacy blanket with noise in ball arithmetic.

With C ~ Bin(N, 2λ), S_c a count of c fair coins and v of `_noise_in_balls`, it is

    Σ_c P[C = c]·D(c),  D(c) = max over a of D_a(c),  D_a(c) = E[v(S_c - a)].

Whatever v is, one more coin takes a mean of neighbours: ``D_a(c+1) = ½(D_a(c) + D_{a-1}(c))``. So
a row of events of one size, which is a Fourier sum for each, gives those of several sizes. It
does so for F, too, by which the gain falls from a to a + 1. The best event a(c) is the first with
``F_a(c) ≥ 0`` (`_noise_in_balls`), so that a(c+1) is a(c) or a(c) + 1: the best event is followed
upwards, and the signs of F tell which of the two it is. With Laplace noise the gain is made of
three such means, F is another one, and events begin from a to a + 1.

Noise never raises δ. So ``D(c) ≤ e^ε·ρ^c``, and what is left out is bounded as without noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from pkdp.partial_knowledge._blanket_in_balls import Sizes
from pkdp.partial_knowledge._noise_in_balls import NoisyBallCount, alone, with_noise
from pkdp.partial_knowledge._noisy_sums import Noise
from pkdp.profiles._balls import BallCount, above, below, enclosed, fourier, largest_of, within
from pkdp.profiles._flint import acb, arb, arb_mat, ctx

# For about so many sizes a row of events is computed once.
_SIZES = 14
# Bits of working precision beyond those of the digits.
_SPARE_BITS = 160
# Coins tilted further than this are as good as sure.
_MOST_TILT = 30.0


def log_hockey_stick(unknown: int, lam: float, noise: Noise, eps: float) -> tuple[float, float]:
    """Return bounds of the logarithm of ``E[D(C)]``; -inf twice from the rate of the noise on.

    Parameters
    ----------
    unknown : int
        N ≥ 0.
    lam : float
        λ in (0, ½], taken as the rational number that it is.
    noise : Noise
        `Geometric` or `Laplace`.
    eps : float
        ε ≥ 0.
    """
    share, nobody = Fraction(lam), alone(noise).log_excess(eps)
    if unknown == 0 or nobody[1] == -math.inf:
        return nobody
    if 2 * share == 1:
        return _coins(unknown, noise).log_excess(eps)
    return enclosed(lambda digits: _hockey_stick(unknown, share, noise, arb(eps), digits))


def _coins(number: int, noise: Noise) -> NoisyBallCount:
    return with_noise(BallCount([Fraction(1, 2)], [number]), noise)


def _hockey_stick(unknown: int, share: Fraction, noise: Noise, eps: arb, digits: float) -> arb:
    # What D is where most of the sum is likely to be says how many digits it takes.
    sizes = Sizes(unknown, share, eps, digits)
    middle = round(sizes.mean)
    coins = _coins(middle, noise)
    excess = coins.excess(eps, digits + coins.lost)
    if not excess > 0:
        return arb.nan()
    log_excess = excess.log()
    digits += max(0.0, above(middle * sizes.log_rho - log_excess))
    rows = _Rows(Sizes(unknown, share, eps, digits), noise, eps, middle, log_excess)
    with ctx.workprec(rows.bits):
        return rows.mean()


class _Rows:
    """What some events gain, for the sizes of a window.

    Parameters
    ----------
    sizes : Sizes
        The window.
    noise : Noise
        What is added.
    eps : arb
        ε.
    middle : int
        A size with a large part in the mean.
    log_excess : arb
        ln D there.
    """

    def __init__(self, sizes: Sizes, noise: Noise, eps: arb, middle: int, log_excess: arb) -> None:
        self._sizes, self._noise, self._eps = sizes, alone(noise), eps
        ends = [
            (size, _coins(size, noise).best(eps, sizes.digits))
            for size in (sizes.first, middle, sizes.last)
        ]
        self._candidates = ends[0][1]
        self._tilt = self._tilt_towards(middle, ends[1][1][0])
        deviation = math.sqrt(sizes.last * below(self._chance * (1 - self._chance)))
        log_unit = self._log_unit(middle, ends[1][1][0])
        self.digits = sizes.digits + self._noise.lost + max(0.0, above(log_unit - log_excess))
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
        end = below(self._noise.rate)
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
        # A gain that is one mean falls by a difference.
        parts = self._noise.parts(self._eps)
        falls = [self._noise.falls(self._eps)] if len(parts) > 1 else []
        kinds = [
            fourier(
                runs,
                self._tilt,
                self._sizes.last + 2 * self._width,
                self._sizes.first * variance,
                self._sizes.last * variance,
                self.digits,
                self._offset,
            )
            for runs in (*parts, *falls)
        ]
        self._rests, self._turned = [within(sums.remainder) for sums in kinds], kinds[0].turned
        self._bits = [1 + chance * turn for turn in kinds[0].turns]
        events = range(self._width)
        waves = [[self._turned(index, a) for a in events] for index in range(len(self._bits))]
        weighted = [
            [sums.weights[index] * wave for sums in kinds for wave in row]
            for index, row in enumerate(waves)
        ]
        # So that products with real and imaginary parts one below the other are real parts.
        self._waves = arb_mat(
            [[x.real for x in row] for row in weighted]
            + [[-x.imag for x in row] for row in weighted]
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
            rows, start = self._rows(terms, *at), at[1]
            if not high < start + len(rows[0]):
                return arb.nan()
            while size <= sizes.last and start <= low and high < start + len(rows[0]):
                while low < high and self._fall(rows, low - start) < 0:
                    low += 1
                while low < high and self._fall(rows, high - 1 - start) > 0:
                    high -= 1
                gains = [self._gain(rows, a - start) for a in range(low, high + 1)]
                total += chance * largest_of(gains)
                size, start, high = size + 1, start + 1, high + 1
                chance = sizes.chance_above(size, chance) if size <= sizes.last else chance
                rows = [[(one + other) / 2 for one, other in pairwise(row)] for row in rows]
        return sizes.whole(total)

    def _fall(self, rows: list[list[arb]], index: int) -> arb:
        """Return a number of the sign of F."""
        return rows[-1][index] if len(rows) > 1 else rows[0][index] - rows[0][index + 1]

    def _gain(self, rows: list[list[arb]], index: int) -> arb:
        """Return what an event gains."""
        parts = rows[:-1] if len(rows) > 1 else rows
        return self._noise.largest([part[index] for part in parts])

    def _rows(self, terms: list[acb], size: int, start: int) -> list[list[arb]]:
        """Return what is known of events from `start` on."""
        mean = size * self._chance
        furthest = abs(start - mean).max(abs(start + self._width - mean))
        if not furthest <= 2 + self._offset:
            return [[arb.nan()] * self._width] * len(self._rests)
        parts = [[term.real for term in terms] + [term.imag for term in terms]]
        sums = iter((arb_mat(parts) * self._waves).entries())
        unit = self._log_unit(size, start).exp()
        scales = [unit * scale for scale in self._scales]
        return [[scale * (next(sums) + rest) for scale in scales] for rest in self._rests]

    def _terms(self, size: int, start: int) -> list[acb]:
        """Return the waves of an event, without the weights."""
        return [bit**size * self._turned(i, start) for i, bit in enumerate(self._bits)]

    def _moved(self, terms: list[acb], sizes: int, events: int) -> list[acb]:
        """Return the waves of an event from those of another one, of a few coins less."""
        if (sizes, events) not in self._steps:
            self._steps[sizes, events] = self._terms(sizes, events)
        return [x * y for x, y in zip(terms, self._steps[sizes, events], strict=True)]
