"""The privacy blanket in ball arithmetic: the sums of `_blanket_sums`, proved.

With C ~ Bin(N, 2λ), and D(c) the hockey-stick divergence of c fair coins and one more, the blanket
guarantees ``Σ_c P[C = c]·D(c)``. Terms are added up from the upper end of a window downwards: there
D is a ball of `pkdp.profiles._balls`, and then, with κ where the best event of c coins starts, b
the mass there and κ' where that of c + 1 coins starts,

    D(c) - D(c+1) = ½·b·(E - κ/(c - κ + 1))       if κ' = κ,
    D(c) - D(c+1) = ½·b·(1 - E·(c - κ)/(κ + 1))   if κ' = κ + 1,

neither of which is negative, so that no digits are lost. As ``D(c) ≤ e^ε·ρ^c``, what lies outside
of the window is at most ``e^ε·E[ρ^C]`` times two tails of C tilted by ln ρ (Bernstein).

The tail has ``T(c) = P[S_c ≥ x]`` in place of D(c), x = c - ⌊(c + 1)φ⌋ being κ but for ties. It
differs from T(c+1) by half the mass below x, or at x if x rises. T(c) grows downwards like ρ^c, but
not at every step; what is taken off leaves an error that does not grow. Neither is T(c) above
``e^ε·ρ^c``.
"""

from __future__ import annotations

import math
from fractions import Fraction

from pkdp.profiles._balls import (
    BallCount,
    above,
    below,
    enclosed,
    log_binomial_mass,
    rational,
    within,
)
from pkdp.profiles._flint import arb, ctx, fmpq

# Bits of φ beyond those of working precision, for its multiples.
_SPARE_BITS = 64


def log_hockey_stick(unknown: int, lam: float, eps: float) -> tuple[float, float]:
    """Return bounds of the logarithm of ``E[(1 - E·Y/(X+1))_+]``; see `_blanket_sums`."""
    share = Fraction(lam)
    if _is_beyond_all_ratios(unknown, eps):
        return _log_nobody(unknown, share)
    if 2 * share == 1:
        return BallCount([share], [unknown]).log_excess(eps)
    return enclosed(lambda digits: _hockey_stick(unknown, share, eps, digits))


def log_tail(unknown: int, lam: float, eps: float) -> tuple[float, float]:
    """Return bounds of the logarithm of ``P[(X + 1)/Y ≥ E]``; see `_blanket_sums`."""
    share = Fraction(lam)
    if _is_beyond_all_ratios(unknown, eps):
        return _log_nobody(unknown, share)
    return enclosed(lambda digits: _tail(unknown, share, eps, digits))


def _is_beyond_all_ratios(unknown: int, eps: float) -> bool:
    return unknown == 0 or eps > math.log1p(unknown) + 1e-9


def _log_nobody(unknown: int, share: Fraction) -> tuple[float, float]:
    """Return bounds of ``ln P[Y = 0]``."""
    return BallCount([1 - share], [unknown]).log_excess(math.inf)


class Sizes:
    """The sizes of the blanket that matter, whose chances are in units of ``E[ρ^C]``.

    Parameters
    ----------
    unknown : int
        N ≥ 1.
    share : Fraction
        λ in (0, ½].
    eps : arb
        ε ≥ 0.
    digits : float
        What lies outside is to be about ``exp(-digits)``.

    Attributes
    ----------
    first, last : int
        The window.
    mean : float
        About the mean of C tilted by ln ρ.
    log_rho, log_unit : arb
        ln ρ and ln E[ρ^C].
    rest : arb
        A bound of the sum outside of the window, if no term is above ``e^ε·ρ^c``.
    """

    def __init__(self, unknown: int, share: Fraction, eps: arb, digits: float) -> None:
        self._unknown, self._chance = unknown, 2 * rational(share)
        ratio = eps.exp()
        # ln ρ = -KL(θ‖½), θ = E/(1+E)
        self.log_rho = ((1 + ratio) / 2).log() - eps * ratio / (1 + ratio)
        rho = self.log_rho.exp()
        scale = 1 - self._chance + self._chance * rho
        tilted = self._chance * rho / scale
        mean, variance = unknown * tilted, unknown * tilted * (1 - tilted)
        self.log_unit = unknown * scale.log()
        digits += 2.0 * float(eps) + math.log1p(max(0.0, above(variance)))
        digits += 2.0 * math.log1p(float(eps) * above(mean))
        root = math.sqrt(digits * digits / 9 + 2 * digits * max(0.0, above(variance)))
        reach = math.ceil(digits / 3 + root)
        self.mean, self.digits = float(mean), digits
        self.first = max(0, math.floor(below(mean)) - reach)
        self.last = min(unknown, math.ceil(above(mean)) + reach)
        self.rest = arb(0)
        if self._chance == 1:
            self.first = self.last = unknown
            return
        if self.first > 0 or self.last < unknown:
            exponent = eps - arb(reach) ** 2 / (2 * (variance + arb(reach) / 3))
            self.rest = (2 * exponent.exp()).upper()

    def chance(self, size: int) -> arb:
        """Return P[C = size]."""
        if self._chance == 1:
            return (-self.log_unit).exp()
        return (log_binomial_mass(self._unknown, size, arb(self._chance)) - self.log_unit).exp()

    def chance_below(self, size: int, chance: arb) -> arb:
        """Return P[C = size] from the next one."""
        odds = (1 - self._chance) / self._chance
        return chance * odds * (size + 1) / (self._unknown - size)

    def chance_above(self, size: int, chance: arb) -> arb:
        """Return P[C = size] from the one before."""
        odds = self._chance / (1 - self._chance)
        return chance * odds * (self._unknown - size + 1) / size

    def whole(self, total: arb) -> arb:
        """Return a sum over all sizes, given that over the window."""
        return self.log_unit.exp() * (total + within(self.rest))


def _hockey_stick(unknown: int, share: Fraction, eps: float, digits: float) -> arb:
    sizes, ratio = Sizes(unknown, share, arb(eps), digits), arb(eps).exp()
    excess = BallCount([Fraction(1, 2)], [sizes.last]).excess(eps, sizes.digits)
    return _mean(sizes, _BestEvents(ratio), excess, ratio)


def _tail(unknown: int, share: Fraction, eps: float, digits: float) -> arb:
    sizes, starts = Sizes(unknown, share, arb(eps), digits), _TailEvents(arb(eps).exp())
    tail = BallCount([Fraction(1, 2)], [sizes.last]).at_least(starts(sizes.last), sizes.digits)
    return _mean(sizes, starts, tail, arb(0))


def _mean(sizes: Sizes, start_of: _BestEvents, excess: arb, ratio: arb) -> arb:
    """Return the mean over all sizes of ``P[S ≥ a] - E·P[S > a]``, given it for the largest one."""
    size = sizes.last
    chance, start = sizes.chance(size), start_of(size)
    mass = log_binomial_mass(size, start, arb(1) / 2).exp()
    total = chance * excess
    for size in range(sizes.last - 1, sizes.first - 1, -1):
        before, start = start, start_of(size)
        mass = mass * (2 * before if start < before else 2 * (size + 1 - start)) / (size + 1)
        if start == before:
            excess += mass * (ratio - fmpq(start, size - start + 1)) / 2
        else:
            excess += mass * (1 - ratio * fmpq(size - start, start + 1)) / 2
        chance = sizes.chance_below(size, chance)
        total += chance * excess
    return arb.nan() if start_of.in_doubt else sizes.whole(total)


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
            return self._of_half(size)
        floor = (size + 1) * self._low >> self._bits
        self.in_doubt |= floor != (size + 1) * self._high >> self._bits
        return size - floor

    def _of_half(self, size: int) -> int:
        return (size + 1) // 2


class _TailEvents(_BestEvents):
    """Where the event of the tail starts, ``x = c - ⌊(c + 1)φ⌋``."""

    def _of_half(self, size: int) -> int:
        return size // 2
