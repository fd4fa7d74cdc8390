"""Second implementations of counts with noise, slow and plain; see `tests.oracles`.

Events are half-lines, noise is known by its tails, and what noise does to a count is one sum over
the counts without it: no recurrences. Nothing here imports the library.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

import mpmath
from flint import arb, arb_poly, ctx

from tests.oracles.counts import (
    NEGLIGIBLE,
    PRECISION,
    Law,
    Rational,
    ball,
    binomial_masses,
    count_law,
    log_binomial_mass,
    vertex,
)

# --------------------------------------------------------------------------------------------
# Exact rationals: two-sided geometric noise
# --------------------------------------------------------------------------------------------


def geometric_mass(k: int, p: Rational) -> Fraction:
    """Definition 19, aloud."""
    p = Fraction(p)
    return (1 - p) / (1 + p) * p ** abs(k)


def geometric_tail(k: int, p: Rational) -> Fraction:
    """P[X >= k], by summing the series."""
    p = Fraction(p)
    return p**k / (1 + p) if k > 0 else 1 - p ** (1 - k) / (1 + p)


def noisy_mass(law: Law, k: int, p: Rational) -> Fraction:
    """Mass at k of an integer with noise."""
    return sum((mass * geometric_mass(k - j, p) for j, mass in law.items()), Fraction(0))


def noisy_tail(law: Law, k: int, p: Rational) -> Fraction:
    """P[integer + noise >= k]."""
    return sum((mass * geometric_tail(k - j, p) for j, mass in law.items()), Fraction(0))


def noisy_hockey_stick(first: Law, second: Law, p: Rational, E: Rational) -> Fraction:
    """Sum of max(0, P - E Q) for two laws of integers with noise, all outputs counted.

    Above all integers and below all of them P/Q is constant, so either side is one outcome.
    """
    low, high = min((*first, *second)), max((*first, *second))
    total = Fraction(0)
    for k in range(low, high + 1):
        total += max(Fraction(0), noisy_mass(first, k, p) - E * noisy_mass(second, k, p))
    above = noisy_tail(first, high + 1, p) - E * noisy_tail(second, high + 1, p)
    below = 1 - noisy_tail(first, low, p) - E * (1 - noisy_tail(second, low, p))
    return total + max(Fraction(0), above) + max(Fraction(0), below)


def geometric_count_delta(
    probabilities: Sequence[Rational], p: Rational, E: Rational
) -> tuple[Fraction, Fraction]:
    """Hockey-sticks of a count with noise: target 1 against 0, and 0 against 1."""
    without = count_law([Fraction(x) for x in probabilities])
    with_target = {k + 1: mass for k, mass in without.items()}
    return (
        noisy_hockey_stick(with_target, without, p, E),
        noisy_hockey_stick(without, with_target, p, E),
    )


def geometric_vertex_delta(N: int, lam: Rational, m: int, p: Rational, E: Rational) -> Fraction:
    """Hockey-stick of (S + 1, S) with noise, m records at lam and N - m at 1 - lam."""
    return geometric_count_delta(vertex(N, lam, m), p, E)[0]


def geometric_worst_delta(N: int, lam: Rational, p: Rational, E: Rational) -> Fraction:
    """Largest delta of a count with noise, over all vertices."""
    return max(geometric_vertex_delta(N, lam, m, p, E) for m in range(N + 1))


def geometric_blanket_delta(N: int, lam: Rational, p: Rational, E: Rational) -> Fraction:
    """The mean delta of a noisy count of C fair bits, C ~ Bin(N, 2 lam)."""
    sizes = count_law([2 * Fraction(lam)] * N)
    half = Fraction(1, 2)
    return sum(
        (mass * geometric_count_delta([half] * c, p, E)[0] for c, mass in sizes.items()),
        Fraction(0),
    )


# --------------------------------------------------------------------------------------------
# Balls: the largest P[S + 1 + noise >= x] - E P[S + noise >= x] over all x
# --------------------------------------------------------------------------------------------

Masses = dict[int, arb]

_REACH, _WIDENINGS = 14, 4  # standard deviations that a window reaches, at first; how often more
NARROW = 2.0**-90  # no ball of a delta is wider than that part of it
_BEGINNINGS = 20  # so often a best event is looked for
COIN_PRECISION, TINY = 640, arb(2) ** -500  # coins are taken off one by one, which loses digits
Groups = Sequence[tuple[int, float | Rational]]


def rational_exp(eps: float) -> Fraction:
    """A rational within a relative 1e-60 of exp(eps)."""
    with mpmath.workdps(70):
        mantissa, exponent = mpmath.exp(mpmath.mpf(eps)).man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def log_of(delta: Fraction) -> float:
    """Logarithm of a rational that may be far below the smallest float."""
    with ctx.workprec(PRECISION):
        return float(ball(delta).log()) if delta > 0 else -math.inf


def masses_near_tilt(groups: Groups, tilt: float) -> Masses:
    """Masses of a sum of bits, where its tilt has them; what is left out is below 2^-80 of that.

    Each group is (how many bits, their probability).
    """
    E = ball(tilt).exp()
    total, start, log_mgf = arb_poly([1]), 0, arb(0)
    for n, q in groups:
        weight = 1 - ball(q) + ball(q) * E
        p = ball(q) * E / weight
        log_mgf += n * weight.log()
        centre = n * float(p)
        reach = int(11 * math.sqrt(min(centre, n - centre) + 1)) + 70
        first, last = max(0, int(centre) - reach), min(n, int(centre) + reach)
        total *= arb_poly(list(binomial_masses(n, p, first, last).values()))
        start += first
    tilted = total.coeffs()
    assert (1 - sum(tilted, arb(0))).abs_upper() < NEGLIGIBLE
    return {
        start + i: (log_mgf - ball(tilt) * (start + i)).exp() * mass
        for i, mass in enumerate(tilted)
    }


def _largest(gain: Callable[[int], arb], guess: int) -> arb:
    """The maximum of a unimodal sequence of balls, by climbing until both neighbours are lower."""
    k, here = guess, gain(guess)
    for step in (1, -1):
        while True:
            after = gain(k + step)
            if after > here:
                k, here = k + step, after
            else:
                assert after < here or after.overlaps(here)
                break
    return here.max(gain(k + 1)).max(gain(k - 1))


def log_geometric(masses: Masses, p: float, eps: float) -> arb:
    """Ball of ln H(S + 1 || S) with geometric noise."""
    with ctx.workprec(PRECISION):
        E, ratio = ball(eps).exp(), ball(p)

        def tail(k: int) -> arb:
            above = sum((m * ratio ** (k - j) for j, m in masses.items() if j < k), arb(0))
            below = sum((m * ratio ** (1 + j - k) for j, m in masses.items() if j >= k), arb(0))
            sure = sum((m for j, m in masses.items() if j >= k), arb(0))
            return (above - below) / (1 + ratio) + sure

        guess = _guess(masses, eps)
        value = _largest(lambda k: tail(k - 1) - E * tail(k), guess)
        return value.log() if value > 0 else arb.neg_inf()


def log_laplace(masses: Masses, scale: float, eps: float) -> arb:
    """Ball of ln H(S + 1 || S) with Laplace noise.

    For x = k - t, 0 <= t <= 1, P[S + noise >= x] is c0 + c1 u + c2 / u in u = exp(-t / scale).
    """
    with ctx.workprec(PRECISION):
        E, rate = ball(eps).exp(), 1 / ball(scale)
        r = (-rate).exp()

        def tail(k: int) -> tuple[arb, arb, arb]:
            sure = sum((m for j, m in masses.items() if j >= k), arb(0))
            near = sum((m * r ** (j - k) for j, m in masses.items() if j >= k), arb(0))
            far = sum((m * r ** (k - j) for j, m in masses.items() if j < k), arb(0))
            return sure, -near / 2, far / 2

        def gain(k: int) -> arb:
            c0, c1, c2 = (a - E * b for a, b in zip(tail(k - 1), tail(k), strict=True))
            best = (c0 + c1 * r + c2 / r).max(c0 + c1 + c2)
            if c1 < 0 and c2 < 0:
                u = (c2 / c1).sqrt()
                if r < u < 1:
                    best = best.max(c0 - 2 * (c1 * c2).sqrt())
            return best

        value = _largest(gain, _guess(masses, eps))
        return value.log() if value > 0 else arb.neg_inf()


def log_largest(
    masses: Masses, fall: arb, eps: float, left_out: arb, is_laplace: bool = False
) -> arb:
    """Ball of ln H(S + 1 || S) with noise that falls by so much from one integer to the next.

    As `log_geometric` and `log_laplace`, but all events are tried that begin among the masses.

    So much of the result may be left out, as a part of it.
    """
    with ctx.workprec(PRECISION):
        gains = _gains(masses, fall, ball(eps).exp(), is_laplace)
        value = reduce(arb.max, gains)
        return (value * (1 + left_out)).log() if value > 0 else arb.neg_inf()


def _gains(masses: Masses, fall: arb, E: arb, is_laplace: bool) -> list[arb]:
    """What every event gains that begins among the masses, or the best of them and those nearby."""
    law = list(masses.values())
    assert list(masses) == list(range(min(masses), min(masses) + len(law)))
    far, near, sure = [arb(0)], [arb(0)], [arb(0)]
    for mass in law:  # of falls to below k
        far.append(fall * (far[-1] + mass))
    for mass in reversed(law):  # from k on
        near.append(mass + fall * near[-1])
        sure.append(mass + sure[-1])
    near, sure = near[::-1], sure[::-1]
    events = range(1, len(law) + 1)
    if not is_laplace:
        tails = [(x - fall * y) / (1 + fall) + z for x, y, z in zip(far, near, sure, strict=True)]
        return [tails[k - 1] - E * tails[k] for k in events]
    half = E / 2
    parts = {
        k: (
            sure[k - 1] - E * sure[k],
            half * near[k] - near[k - 1] / 2,
            far[k - 1] / 2 - half * far[k],
        )
        for k in events
    }
    best = max(events, key=lambda k: (parts[k][0] + parts[k][1] + parts[k][2]).mid())
    gains = []
    for k in range(max(1, best - 1), min(len(law), best + 1) + 1):
        constant, with_u, with_inverse = parts[k]
        gains += [constant + with_u * fall + with_inverse / fall, constant + with_u + with_inverse]
        if with_u < 0 and with_inverse < 0 and fall < (with_inverse / with_u).sqrt() < 1:
            gains.append(constant - 2 * (with_u * with_inverse).sqrt())
    return gains


def log_blanket(
    N: int, lam: float, fall: arb, eps: float, most: int, is_laplace: bool = False
) -> arb:
    """Ball of ln of the mean delta with noise of C fair bits, C ~ Bin(N, 2 lam), lam < 1/2.

    More than `most` bits are not looked at: they hide the target no less than so many.
    """
    with ctx.workprec(PRECISION):
        chance, E = 2 * ball(lam), ball(eps).exp()
        law, total, seen, last = [arb(1)], arb(0), arb(0), arb(0)
        for c in range(min(N, most) + 1):
            weight = log_binomial_mass(N, chance, c).exp()
            last = reduce(arb.max, _gains(dict(enumerate(law)), fall, E, is_laplace))
            total, seen = total + weight * last, seen + weight
            law = [(x + y) / 2 for x, y in zip([*law, arb(0)], [arb(0), *law], strict=True)]
        if most < N:
            total += arb(0).union(last * (1 - seen))
        return total.log()


def _guess(masses: Masses, eps: float) -> int:
    """An outcome with a large tilted mass."""
    return max(masses, key=lambda j: float((masses[j].log() + ball(eps) * j).mid()))


# --------------------------------------------------------------------------------------------
# Balls of many records, whatever the size of delta
# --------------------------------------------------------------------------------------------


def _is_narrow(value: arb, power: int = 1) -> bool:
    return bool(value > 0 and value.rad() < NARROW**power * value.mid())


class _Tails:
    """What events gain, given consecutive masses from 0 on: by tails, as `log_geometric` has them.

    An event is known by the integer k from which on it begins, or with Laplace noise by the one
    that it begins at or less than 1 below.
    """

    def __init__(self, masses: Sequence[arb], fall: arb, E: arb, is_laplace: bool) -> None:
        self._fall, self._E, self._is_laplace = fall, E, is_laplace
        self.far, self.near, self.sure = [arb(0)], [arb(0)], [arb(0)]
        for mass in masses:  # of falls to below k
            self.far.append(fall * (self.far[-1] + mass))
        for mass in reversed(masses):  # from k on
            self.near.append(mass + fall * self.near[-1])
            self.sure.append(mass + self.sure[-1])
        self.near.reverse()
        self.sure.reverse()
        self.events = range(1, len(masses) + 1)

    def gain(self, k: int) -> arb:
        """What events gain that begin at k, or just below."""
        ends = ((self.far[i], self.near[i], self.sure[i]) for i in (k - 1, k))
        return _gain(*ends, self._fall, self._E, self._is_laplace)

    def best(self, guess: int) -> int:
        """The best event; up to it gains rise, and then they fall.

        From a guess in wider and wider steps: far from it masses may be rounding errors.
        """
        last, step = self.events[-1], 1
        low = high = min(max(guess, 1), last)
        while self._rises(high):
            low, high, step = high, min(last, high + step), 2 * step
        step = 1
        while low > 1 and not self._rises(low):
            low, high, step = max(1, low - step), low, 2 * step
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._rises(middle) else (low, middle)
        return low

    def _rises(self, k: int) -> bool:
        return k < self.events[-1] and bool(self.gain(k + 1).mid() > self.gain(k).mid())


Tail = tuple[arb, arb, arb]  # what noise brings from below k, and takes from above; P[S >= k]


def _gain(before: Tail, after: Tail, fall: arb, E: arb, is_laplace: bool) -> arb:
    """P[S + 1 + noise >= x] - E P[S + noise >= x] at k, or at its largest for k - 1 <= x <= k."""
    if not is_laplace:
        one, other = (
            (far - fall * near) / (1 + fall) + sure for far, near, sure in (before, after)
        )
        return one - E * other
    (far, near, sure), (far_after, near_after, sure_after) = before, after
    # In u, which is 1 at k and the fall at k - 1.
    constant = sure - E * sure_after
    with_u, with_inverse = (E * near_after - near) / 2, (far - E * far_after) / 2
    ends = (constant + with_u * u + with_inverse / u for u in (fall, arb(1)))
    best = reduce(arb.max, ends)
    if with_u < 0 and with_inverse < 0:
        u = (with_inverse / with_u).sqrt()
        if fall < u < 1:
            best = best.max(constant - 2 * (with_u * with_inverse).sqrt())
    return best


def log_of_many(groups: Groups, fall: arb, eps: float, is_laplace: bool, widened: int = 0) -> arb:
    """Ball of ln H(S + 1 || S), S a sum of groups of bits with noise that falls by so much.

    Masses tilted by eps are summed within 14 deviations of their means. An event that begins at k
    gains from a count j no more than E^2 exp(eps (j - k)), so that what is left out is bounded by
    what is missing from 1.
    """
    with ctx.workprec(PRECISION):
        E = ball(eps).exp()
        tilted, start, log_mgf = None, 0, arb(0)
        for n, q in groups:
            weight = 1 - ball(q) + ball(q) * E
            p, log_mgf = ball(q) * E / weight, log_mgf + n * weight.log()
            centre, rest = n * float(p), n * float((1 - ball(q)) / weight)
            reach = int(_REACH * 1.5**widened * math.sqrt(min(centre, rest))) + 120
            first, last = max(0, int(centre) - reach), min(n, int(centre) + reach)
            masses = arb_poly(list(binomial_masses(n, p, first, last).values()))
            tilted = masses if tilted is None else tilted * masses
            start += first
        law = [arb(1)] if tilted is None else tilted.coeffs()
        records = sum(n for n, _ in groups)
        lost = (1 - sum(law, arb(0))).abs_upper() if records >= len(law) else arb(0)
        scale, shrink = arb(1), (-ball(eps)).exp()
        masses = []
        for mass in law:
            masses.append(scale * mass)
            scale *= shrink
        tails = _Tails(masses, fall, E, is_laplace)
        best = tails.best(1 + max(range(len(law)), key=lambda i: float(law[i].mid())))
        gains = {k: tails.gain(k) for k in range(best - 1, best + 2) if k in tails.events}
        gains = {k: x + arb(0, E**2 * shrink ** (k - 1) * lost) for k, x in gains.items()}
        for k, gain in gains.items():
            assert k == best or not gain > gains[best], "the maximum may lie elsewhere"
        # No event is best that begins before the first possible count, or after the last.
        assert start == 0 or best - 1 in gains, "the maximum may lie lower"
        assert start + len(law) > records or best + 1 in gains, "the maximum may lie higher"
        value = reduce(arb.max, gains.values())
        if not _is_narrow(value):
            assert widened < _WIDENINGS
            return log_of_many(groups, fall, eps, is_laplace, widened + 1)
        return value.log() + log_mgf - ball(eps) * start


def log_worst(
    N: int, lam: float, fall: arb, eps: float, likely: int, most: int, is_laplace: bool
) -> tuple[arb, bool]:
    """Ball of ln of the largest delta of vertices near a likely one, and whether of all there are.

    The excess of S + 1 over S, with noise or without, is the sum of the steps down of the masses
    tilted by eps, times M exp(-eps (k - 1)), from their mode on; so it is at most
    M exp(-eps (mean - 1)). Vertices of which that is less than what was found are not looked at.
    """
    with ctx.workprec(PRECISION):
        low, E = Fraction(lam), ball(eps).exp()

        def log_delta(m: int) -> arb:
            return log_of_many([(m, low), (N - m, 1 - low)], fall, eps, is_laplace)

        entropies = []
        for q in map(ball, (low, 1 - low)):
            weight = 1 - q + q * E
            entropies.append(q * E / weight * ball(eps) - weight.log())
        drop, at_none = entropies[0] - entropies[1], ball(eps) - N * entropies[1]
        found = log_delta(likely)
        end = (at_none - found) / drop if drop > 0 else arb(N)
        last = min(N, math.ceil(float(end.upper()))) if end < N else N
        if lam == 0.5:
            last = 0
        is_all = last < most
        near = range(last + 1) if is_all else range(max(0, likely - 1), min(N, likely + 1) + 1)
        return reduce(arb.max, (log_delta(m) for m in near if m != likely), found), is_all


class _Coins:
    """What the best event of c fair coins gains, for one c after another, downwards.

    The three tails of an event follow from those of one coin more, and from those of its
    neighbour: of c + 1 coins a mass is the mean of two of c coins, and so is each tail.
    """

    def __init__(self, fall: arb, eps: float, is_laplace: bool) -> None:
        self._fall, self._E, self._is_laplace = fall, ball(eps).exp(), is_laplace
        self._tilted = 1 / (1 + math.exp(-eps))
        self._k = self._c = -1
        self._mass, self._tail = arb(0), (arb(0), arb(0), arb(0))

    def largest(self, c: int) -> arb:
        """Of c coins, one less than the last time, or of any number at first."""
        if c == self._c - 1 and 0 < self._k < self._c:
            self._take_one_off()
            value = self._climb()
            if _is_narrow(value, power=2):
                return value
        for _ in range(_BEGINNINGS):  # a long climb loses digits
            self._begin(c)
            value = self._climb()
            if _is_narrow(value, power=2):
                return value
        raise AssertionError("the best event was not found")

    def _take_one_off(self) -> None:
        c, k, fall = self._c, self._k, self._fall
        far, near, sure = self._tail
        half = self._mass * k / c  # of the mass of c - 1 coins at k - 1
        self._mass *= arb(2 * (c - k)) / c
        self._tail = (
            (far + half) * 2 * fall / (1 + fall),
            (near - half) * 2 / (1 + fall),
            sure - half,
        )
        self._c -= 1

    def _begin(self, c: int) -> None:
        """Sum the tails of an event anew, each until what follows is negligible."""
        k = min(max(self._k, 0), c) if self._c >= 0 else min(c, round(c * self._tilted))
        self._c, self._k = c, k
        self._mass = log_binomial_mass(c, arb(0.5), k).exp()
        near = sure = self._mass
        far, mass, weight = arb(0), self._mass, arb(1)
        for j in range(k + 1, c + 1):
            ratio = arb(c - j + 1) / j
            mass, weight = mass * ratio, weight * self._fall
            near, sure = near + mass * weight, sure + mass
            if ratio < 0.999 and mass < sure * TINY * (1 - ratio):
                rest = mass * ratio / (1 - ratio)
                near, sure = near + arb(0).union(rest), sure + arb(0).union(rest)
                break
        mass = self._mass
        for j in range(k - 1, -1, -1):
            ratio = self._fall * (j + 1) / (c - j)
            mass *= ratio
            far += mass
            if ratio < 0.999 and mass < far * TINY * (1 - ratio):
                far += arb(0).union(mass * ratio / (1 - ratio))
                break
        self._tail = far, near, sure

    def _climb(self) -> arb:
        """Go to the best event, whose neighbours gain less; from there on they fall."""
        here = self._gain(0)
        while True:
            above, below = self._gain(1), self._gain(-1)
            if above > here:
                self._move(1)
                here = above
            elif below > here:
                self._move(-1)
                here = below
            else:
                return here.max(above).max(below)

    def _gain(self, by: int) -> arb:
        """What the event gains that is so far from the present one."""
        mass, tail = self._moved(self._mass, self._tail, self._k, by)
        _, after = self._moved(mass, tail, self._k + by, 1)
        return _gain(tail, after, self._fall, self._E, self._is_laplace)

    def _move(self, by: int) -> None:
        self._mass, self._tail = self._moved(self._mass, self._tail, self._k, by)
        self._k += by

    def _moved(self, mass: arb, tail: Tail, k: int, by: int) -> tuple[arb, Tail]:
        fall, (far, near, sure) = self._fall, tail
        if by > 0:
            tail = fall * (far + mass), (near - mass) / fall, sure - mass
            return mass * max(0, self._c - k) / (k + 1), tail
        if by < 0:
            mass *= arb(k) / (self._c - k + 1)
            tail = far / fall - mass, mass + fall * near, sure + mass
        return mass, tail


def _beyond(n: int, p: arb, masses: Masses, first: int, last: int) -> arb:
    """Bound what a binomial law has outside a window around its mean: ratios fall away from it."""
    odds, rest = p / (1 - p), arb(0)
    for end, ratio in (
        (first, arb(first) / (odds * (n - first + 1))),
        (last, odds * (n - last) / (last + 1)),
    ):
        assert ratio < 1
        rest += masses[end] * ratio / (1 - ratio)
    return rest


def log_blanket_of_many(
    N: int, lam: float, fall: arb, eps: float, is_laplace: bool, widened: int = 0
) -> arb:
    """Ball of ln of the mean delta with noise of C fair bits, C ~ Bin(N, 2 lam).

    As in `log_worst` a delta is at most E times rho^c, and what is outside a window of the sizes
    tilted by rho is bounded by that.
    """
    if lam == 0.5:
        return log_of_many([(N, Fraction(1, 2))], fall, eps, is_laplace)
    with ctx.workprec(COIN_PRECISION):
        chance, E = 2 * ball(lam), ball(eps).exp()
        rho = ((1 + E) / 2) * (-ball(eps) * E / (1 + E)).exp()
        whole = 1 - chance + chance * rho
        p = chance * rho / whole
        centre = N * float(p)
        rest = N * float(1 - p)
        reach = int(_REACH * 1.5**widened * math.sqrt(min(centre, rest))) + 120
        first, last = max(0, int(centre) - reach), min(N, int(centre) + reach)
        weights = binomial_masses(N, p, first, last)
        lost = _beyond(N, p, weights, first, last)
        coins, total = _Coins(fall, eps, is_laplace), arb(0)
        unit, shrink = rho ** (-last), rho
        for c in range(last, first - 1, -1):
            total += weights[c] * unit * coins.largest(c)
            unit *= shrink
        total += arb(0).union(E * lost)
        if not _is_narrow(total):
            # Next to the rate of the noise δ is far below rho^c.
            assert widened < _WIDENINGS
            return log_blanket_of_many(N, lam, fall, eps, is_laplace, widened + 1)
        return total.log() + N * whole.log()


def laplace_hockey_stick(first: Law, second: Law, scale: float, E: float) -> mpmath.mpf:
    """Integral of max(0, f_P - E f_Q) for two laws of integers with Laplace noise, to 1e-20.

    Between neighbouring integers either density is a sum of a rising and a falling exponential, so
    the excess has one zero at most: it is found by halving, and the rest is left to a quadrature.
    """
    with mpmath.workdps(40):
        rate = 1 / mpmath.mpf(scale)

        def density(law: Law, x: mpmath.mpf) -> mpmath.mpf:
            terms = (
                mpmath.mpf(m.numerator) / m.denominator * mpmath.exp(-rate * abs(x - j))
                for j, m in law.items()
            )
            return rate / 2 * mpmath.fsum(terms)

        def excess(x: mpmath.mpf) -> mpmath.mpf:
            return density(first, x) - mpmath.mpf(E) * density(second, x)

        low, high = min((*first, *second)), max((*first, *second))
        total = mpmath.mpf(0)
        for end in (low, high):  # beyond, densities fall like exp(-rate |x|)
            total += max(mpmath.mpf(0), excess(mpmath.mpf(end))) / rate
        for k in range(low, high):
            left, right = mpmath.mpf(k), mpmath.mpf(k + 1)
            at_left, at_right = excess(left), excess(right)
            if at_left * at_right < 0:
                lower, upper = left, right
                for _ in range(130):
                    middle = (lower + upper) / 2
                    same = excess(middle) * at_left > 0
                    lower, upper = (middle, upper) if same else (lower, middle)
                left, right = (left, lower) if at_left > 0 else (upper, right)
            elif at_left + at_right <= 0:
                continue
            total += mpmath.quad(excess, [left, (left + right) / 2, right])
        return total
