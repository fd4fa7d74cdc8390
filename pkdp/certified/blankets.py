"""The privacy blanket in ball arithmetic, with noise or without: bounds of ln δ that are proved.

The sums are those of `pkdp.engines.blankets`.

With C ~ Bin(N, 2λ) and D(c) what the best event gains of c fair coins, one more and noise, the
blanket guarantees ``Σ_c P[C = c]·D(c)``. With p as in `noise`, or p = 0 without noise,
and the masses s of c coins, an event of at least a gains

    D = ((1 - pE)·A + p·(E - p)·B)/(1 + p) - (E - 1)·T,
    T = P[S > a],  A = Σ_{j ≤ a} s_j·p^{a-j},  B = Σ_{j > a} s_j·p^{j-a-1},

and the best one is the first with ``F = (1 - pE)·A - (E - p)·B ≥ 0``; without noise F has the sign
of ``a + 1 - E·(c - a)``. With Laplace noise it gains ``D₀ + D₁·u + D₂/u``, and

    D₀ = s_a - (E - 1)·T,   D₁ = ½((E - p)·B - s_a),   D₂ = ½((1 - pE)·A - s_a).

Gains of one more coin are means of neighbours, ``D_a(c+1) = ½(D_a(c) + D_{a-1}(c))``, as masses
are. So the best event of c coins begins where that of c + 1 does, or 1 below; the sign of F tells.
And with s_a of c coins, the sums of c + 1 coins and a become

    T + s_a/2,  (2A - s_a)/(1 + p),   (2pB + s_a)/(1 + p)     for c coins and a - 1,
    T - s_a/2,  (2pA + s_a)/(1 + p),  (2B - s_a)/(1 + p)      for c coins and a.

From the upper end of a window on they are followed downwards. That loses no digits: with θ = a/c,
errors of A grow by ``ln 2 - ln(1 + p) + (1 - θ)·ln p`` a coin, those of B likewise, which is no
more than the ``ln 2 + θ·ln θ + (1 - θ)·ln(1 - θ)`` by which the masses grow (Gibbs).

The tail has ``T(c) = P[S_c ≥ x]`` in place of D(c), x the least outcome with
``x + 1 ≥ E·(c - x)``, which is where the best event begins without noise.

As noise raises no δ, neither D(c) nor T(c) is above ``e^ε·ρ^c``, and what lies outside of the
window is at most ``e^ε·E[ρ^C]`` times two tails of C tilted by ln ρ (Bernstein).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

from pkdp.certified import balls
from pkdp.certified.counts import BallCount, Run
from pkdp.certified.flint import arb
from pkdp.certified.noise import NoisyBallCount, alone
from pkdp.profiles.additive_noise import Laplace, Noise
from pkdp.releases import Blanket, BlanketTail, NoisyBlanket


def enclose(release: Blanket, eps: float) -> balls.Bounds:
    """Return bounds of ln ``E[(1 - E·Y/(X+1))_+]``; see `pkdp.engines.blankets`."""
    return _enclosed(release, eps, lambda event: event.gain())


def enclose_noisy(release: NoisyBlanket, eps: float) -> balls.Bounds:
    """Return bounds of ln ``E[D(C)]``; -inf twice from the rate of the noise on."""
    unknown, lam, noise = release.unknown, release.lam, release.noise
    nobody = alone(noise).log_excess(eps)
    if unknown == 0 or nobody[1] == -math.inf:
        return nobody
    return balls.enclosed(lambda digits: _hockey_stick(unknown, lam, arb(eps), digits, noise))


def enclose_tail(release: BlanketTail, eps: float) -> balls.Bounds:
    """Return bounds of ln ``P[(X + 1)/Y ≥ E]``; see `pkdp.engines.blankets`."""
    return balls.larger_bounds(_enclosed(release, eps, lambda event: event.probability()))


def _enclosed(release: Blanket, eps: float, value: Callable[[_BestEvent], arb]) -> balls.Bounds:
    """Return bounds of ln of a mean over the blanket; beyond all ratios it is ``P[Y = 0]``."""
    unknown, lam = release.unknown, release.lam
    if unknown == 0 or eps > math.log1p(unknown) + 1e-9:
        return BallCount([1 - Fraction(lam)], [unknown]).log_excess(math.inf)

    def mean(digits: float) -> arb:
        sizes = Sizes(unknown, lam, arb(eps), digits)
        return sizes.mean_of(_BestEvent(sizes.last, arb(eps), sizes.digits, None), value)

    return balls.enclosed(mean)


class Sizes:
    """The sizes of the blanket that matter, whose chances are in units of ``E[ρ^C]``.

    Parameters
    ----------
    unknown : int
        N ≥ 1.
    lam : float
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

    def __init__(self, unknown: int, lam: float, eps: arb, digits: float) -> None:
        self._unknown, self._chance = unknown, 2 * balls.rational(lam)
        ratio = eps.exp()
        # ln ρ = -KL(θ‖½), θ = E/(1+E)
        self.log_rho = ((1 + ratio) / 2).log() - eps * ratio / (1 + ratio)
        rho = self.log_rho.exp()
        scale = 1 - self._chance + self._chance * rho
        tilted = self._chance * rho / scale
        mean, variance = unknown * tilted, unknown * tilted * (1 - tilted)
        self.log_unit = unknown * scale.log()
        digits += 2.0 * float(eps) + math.log1p(max(0.0, balls.above(variance)))
        digits += 2.0 * math.log1p(float(eps) * balls.above(mean))
        root = math.sqrt(digits * digits / 9 + 2 * digits * max(0.0, balls.above(variance)))
        reach = math.ceil(digits / 3 + root)
        self.mean, self.digits = float(mean), digits
        self.first = max(0, balls.floor(mean) - reach)
        self.last = min(unknown, balls.ceil(mean) + reach)
        self.rest = arb(0)
        if self._chance == 1:
            self.first = self.last = unknown
        elif self.first > 0 or self.last < unknown:
            exponent = eps - arb(reach) ** 2 / (2 * (variance + arb(reach) / 3))
            self.rest = (2 * exponent.exp()).upper()

    def mean_of(self, event: _BestEvent, value: Callable[[_BestEvent], arb]) -> arb:
        """Return the mean over all sizes of a value of the best event, given that of the last."""
        size = self.last
        if self._chance == 1:
            chance = (-self.log_unit).exp()
        else:
            log_chance = balls.log_binomial_mass(self._unknown, size, arb(self._chance))
            chance = (log_chance - self.log_unit).exp()
        total = chance * value(event)
        odds = (1 - self._chance) / self._chance
        for size in range(self.last - 1, self.first - 1, -1):
            event.drop_coin()
            chance = chance * odds * (size + 1) / (self._unknown - size)
            total += chance * value(event)
        return self.log_unit.exp() * (total + arb(0, self.rest)) if event.is_known else arb.nan()


def _hockey_stick(unknown: int, lam: float, eps: arb, digits: float, noise: Noise) -> arb:
    """Return what the blanket and noise guarantee, up to about ``exp(-digits)`` of it."""
    sizes = Sizes(unknown, lam, eps, digits)
    # What D is where most of the sum is likely to be says how many digits it takes.
    middle = round(sizes.mean)
    excess = _BestEvent(middle, eps, sizes.digits, noise).gain()
    if not excess > 0:
        return arb.nan()
    digits += max(0.0, balls.above(middle * sizes.log_rho - excess.log()))
    sizes = Sizes(unknown, lam, eps, digits)
    last = _BestEvent(sizes.last, eps, sizes.digits, noise)
    return sizes.mean_of(last, lambda event: event.gain())


class _BestEvent:
    """The best event of some coins with noise, from which that of one coin less follows.

    Parameters
    ----------
    size : int
        How many coins.
    eps : arb
        ε ≥ 0.
    digits : float
        The sums are to be right to about ``exp(-digits)``.
    noise : Noise, optional
        What is added.

    Attributes
    ----------
    is_known : bool
        Whether no sign was in doubt.
    """

    def __init__(self, size: int, eps: arb, digits: float, noise: Noise | None) -> None:
        coins, ratio = BallCount([Fraction(1, 2)], [size]), eps.exp()
        self._law = None if noise is None else NoisyBallCount(coins, noise)
        self._is_laplace = isinstance(noise, Laplace)
        self._has_ties = bool(eps == 0)
        start = size // 2 if self._has_ties else self._first_best(size, eps, digits)
        self.is_known = start is not None
        self._size, self._start = size, start or 0
        self._ratio, self._growth = ratio, eps.expm1()
        self._mass = balls.log_binomial_mass(size, self._start, arb(1) / 2).exp()
        self._beyond = coins.at_least(self._start + 1, digits)
        if self._law is not None:
            self._p = p = self._law.p
            digits += self._law.lost
            runs = Run(arb(1), self._law.rate, -1, 0), Run(1 / p, self._law.rate, 1, 1)
            self._sums = [self._law.mean([run], self._start, digits) for run in runs]

    def _first_best(self, size: int, eps: arb, digits: float) -> int | None:
        """Return where it begins, or nothing if a sign is in doubt."""
        if self._law is None:
            start = (size - (size + 1) / (1 + eps.exp())).ceil().unique_fmpz()
            return None if start is None else int(start)
        lowest, highest = self._law.best(eps, digits)
        return lowest if lowest == highest else None

    def drop_coin(self) -> None:
        """Go on to the best event of one coin less."""
        size, start = self._size, self._start
        mass = self._mass * (2 * (size - start)) / size
        if self._law is None:
            sign = start - self._ratio * (size - start)
        else:
            p, (below, above) = self._p, self._sums
            self._sums = [(2 * below - mass) / (1 + p), (2 * p * above + mass) / (1 + p)]
            sign = operator.sub(*self._weighted())
        self._size -= 1
        if sign > 0 or (self._has_ties and 2 * start == size):
            self._start -= 1
            self._mass = self._mass * (2 * start) / size
            self._beyond += mass / 2
            return
        self.is_known &= bool(sign < 0)
        self._mass = mass
        self._beyond -= mass / 2
        if self._law is not None:
            self._sums = [(2 * p * below + mass) / (1 + p), (2 * above - mass) / (1 + p)]

    def _weighted(self) -> tuple[arb, arb]:
        """Return ``(1 - pE)·A`` and ``(E - p)·B``, whose difference is F."""
        below, above = self._sums
        return (1 - self._p * self._ratio) * below, (self._ratio - self._p) * above

    def probability(self) -> arb:
        """Return the probability of the event, without noise."""
        return self._mass + self._beyond

    def gain(self) -> arb:
        """Return what the event gains."""
        lost = self._growth * self._beyond
        if self._law is None:
            return self._mass - lost
        below, above = self._weighted()
        if self._is_laplace:
            means = self._mass - lost, (above - self._mass) / 2, (below - self._mass) / 2
            return self._law.largest(means)
        return (below + self._p * above) / (1 + self._p) - lost
