"""The privacy blanket in ball arithmetic: the sum of `_blanket_sums`, proved.

With C ~ Bin(N, 2λ), and D(c) the hockey-stick divergence of c fair coins and one more, it is
``Σ_c P[C = c]·D(c)``. Terms are added up from the upper end of a window downwards: there D is a
ball of `pkdp.profiles._balls`, and then, with κ where the best event of c coins starts, b the mass
there and κ' where that of c + 1 coins starts,

    D(c) - D(c+1) = ½·b·(E - κ/(c - κ + 1))       if κ' = κ,
    D(c) - D(c+1) = ½·b·(1 - E·(c - κ)/(κ + 1))   if κ' = κ + 1,

neither of which is negative, so that no digits are lost. As ``D(c) ≤ e^ε·ρ^c``, what lies outside
of the window is at most ``e^ε·E[ρ^C]`` times two tails of C tilted by ln ρ (Bernstein).
"""

from __future__ import annotations

import math
from fractions import Fraction

from pkdp.profiles._balls import BallCount, above, below, enclosed, within
from pkdp.profiles._flint import arb, ctx, fmpq

# Bits of φ beyond those of working precision, for its multiples.
_SPARE_BITS = 64


def log_hockey_stick(unknown: int, lam: float, eps: float) -> tuple[float, float]:
    """Return bounds of the logarithm of ``E[(1 - E·Y/(X+1))_+]``; see `_blanket_sums`."""
    share = Fraction(lam)
    if unknown == 0 or eps > math.log1p(unknown) + 1e-9:  # beyond all ratios: only Y = 0 is left
        return BallCount([1 - share], [unknown]).log_excess(math.inf)
    if 2 * share == 1:
        return BallCount([share], [unknown]).log_excess(eps)
    return enclosed(lambda digits: _log_hockey_stick(unknown, share, eps, digits))


def _log_hockey_stick(unknown: int, share: Fraction, eps: float, digits: float) -> arb:
    blanket, tilt = 2 * fmpq(share.numerator, share.denominator), arb(eps)
    ratio = tilt.exp()
    # ln ρ = -KL(θ‖½), θ = E/(1+E)
    rho = (1 + ratio) / 2 * (-tilt * ratio / (1 + ratio)).exp()
    scale = 1 - blanket + blanket * rho
    tilted = blanket * rho / scale
    mean, variance = unknown * tilted, unknown * tilted * (1 - tilted)
    digits += 2.0 * eps + math.log1p(above(variance)) + 2.0 * math.log1p(eps * above(mean))
    reach = math.ceil(digits / 3 + math.sqrt(digits * digits / 9 + 2 * digits * above(variance)))
    first = max(0, math.floor(below(mean)) - reach)
    last = min(unknown, math.ceil(above(mean)) + reach)
    rest = arb(0)
    if first > 0 or last < unknown:
        rest = 2 * (tilt - arb(reach) ** 2 / (2 * (variance + arb(reach) / 3))).exp()

    start_of = _BestEvents(ratio)
    odds = (1 - blanket) / blanket
    # The sum is in units of E[ρ^C], D being far below what a float can hold.
    log_unit = unknown * scale.log()
    weight = (_log_mass(unknown, last, arb(blanket)) - log_unit).exp()
    excess = BallCount([Fraction(1, 2)], [last]).excess(eps, digits)
    start = start_of(last)
    mass = _log_mass(last, start, arb(1) / 2).exp()
    total = weight * excess
    for size in range(last - 1, first - 1, -1):
        before, start = start, start_of(size)
        if start == before:
            mass = mass * (2 * (size + 1 - start)) / (size + 1)
            excess += mass * (ratio - fmpq(start, size - start + 1)) / 2
        else:
            mass = mass * (2 * before) / (size + 1)
            excess += mass * (1 - ratio * fmpq(size - start, start + 1)) / 2
        weight = weight * odds * (size + 1) / (unknown - size)
        total += weight * excess
    if start_of.in_doubt:
        return arb.nan()
    return log_unit.exp() * (total + within(rest.upper()))


class _BestEvents:
    """Where the best event of c coins starts, ``κ = c + 1 - ⌈(c + 1)φ⌉``, φ = 1/(1 + E).

    Multiples of φ are never integers unless E is 1, as E is transcendental for a rational ε > 0.
    """

    def __init__(self, ratio: arb) -> None:
        self._bits = ctx.prec + _SPARE_BITS
        scaled = (arb(2) ** self._bits) / (1 + ratio)
        self._is_half = bool(ratio == 1)
        low, high = scaled.lower().fmpq(), scaled.upper().fmpq()
        self._low, self._high = int(low.p // low.q), int(high.p // high.q) + 1
        self.in_doubt = False

    def __call__(self, size: int) -> int:
        if self._is_half:
            return (size + 1) // 2
        floor = (size + 1) * self._low >> self._bits
        self.in_doubt |= floor != (size + 1) * self._high >> self._bits
        return size - floor


def _log_mass(trials: int, outcome: int, chance: arb) -> arb:
    """Return ``ln P[X = outcome]`` for X binomial, the chance neither 0 nor 1."""
    orders = arb(trials + 1).lgamma() - arb(outcome + 1).lgamma()
    orders -= arb(trials - outcome + 1).lgamma()
    return orders + outcome * chance.log() + (trials - outcome) * (1 - chance).log()
