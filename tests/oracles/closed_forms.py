"""Second implementations of closed forms, as they are printed, to 60 digits; see `tests.oracles`.

Entropies are written out from their definition, and minima are searched. Nothing here imports the
library.
"""

from collections.abc import Sequence
from fractions import Fraction

import mpmath
from flint import arb, ctx
from mpmath import mpf

from tests.oracles.counts import PRECISION, Group

DIGITS = 70


def entropy(q: mpf, p: mpf) -> mpf:
    """KL(q‖p) of two bits."""
    return sum(x * mpmath.log(x / y) if x else mpf(0) for x, y in ((q, p), (1 - q, 1 - p)))


def scaled_bessel(x: mpf) -> mpf:
    """e^{-x} I_0(x), by its series or its asymptotic one."""
    if x < 200:
        return mpmath.exp(-x) * mpmath.nsum(lambda k: (x / 2) ** (2 * k) / mpmath.factorial(k) ** 2,
                                            [0, mpmath.inf])  # fmt: skip
    total, term, k = mpf(0), mpf(1), 0
    while abs(term) > mpf(10) ** -DIGITS:
        total += term
        k += 1
        term *= mpf((2 * k - 1) ** 2) / (8 * k * x)
    return total / mpmath.sqrt(2 * mpmath.pi * x)


def log_kl_form(N: int, lam: float, eps: float, categories: int, bessel: bool) -> arb:
    """Ball of ln of the bound by relative entropies, at most what it is at eps = 0."""
    with mpmath.workdps(DIGITS):
        forms = [_log_blanket, _log_count] if categories == 2 else [_log_blanket]
        points = [mpf(0), mpf(eps)]
        return _as_ball(min(form(N, mpf(lam), x, bessel) for form in forms for x in points))


def _log_count(N: int, lam: mpf, eps: mpf, bessel: bool) -> mpf:
    ratio = mpmath.exp(eps)
    q = (1 - lam) * ratio / (lam + (1 - lam) * ratio)
    factor = mpmath.exp(eps) * scaled_bessel(N * q * (1 - q)) if bessel else mpf(1)
    return -N * entropy(q, 1 - lam) + min(mpf(0), mpmath.log(factor))


def _log_blanket(N: int, lam: mpf, eps: mpf, bessel: bool) -> mpf:
    tau = mpmath.exp(eps) / (1 + mpmath.exp(eps))
    rho = mpmath.exp(-entropy(tau, mpf(1) / 2))
    share = 1 - 2 * lam * (1 - rho)
    w = N * lam * rho * (1 - mpmath.exp(-2 * tau * (1 - tau))) / share
    factor = mpmath.exp(eps * (1 - tau)) * scaled_bessel(w) if bessel else mpf(1)
    return N * mpmath.log(share) + min(mpf(0), mpmath.log(factor))


def log_berry_esseen(groups: Sequence[Group], eps: float) -> arb:
    """Ball of ln of the mended Proposition 7 at the best eps' <= min(eps, 1), searched for."""
    bits = [(Fraction(g.p), g.size) for g in groups]
    variance = sum(k * p * (1 - p) for p, k in bits)
    moment = sum(k * p * (1 - p) * (p * p + (1 - p) ** 2) for p, k in bits)
    with mpmath.workdps(DIGITS):
        v, m = (mpf(x.numerator) / x.denominator for x in (variance, moment))
        distance = mpf("1.12") * m / v ** mpf("1.5")

        def delta(x: mpf) -> mpf:
            return distance * (1 + mpmath.exp(x)) + mpf("1.25") * mpmath.exp(-x * x * v / 2)

        # In units of a standard deviation and beyond, up to the end.
        end = min(mpf(eps), mpf(1))
        grid = [end * mpf(10) ** (-mpf(i) / 20) for i in range(400)]
        at = min(range(len(grid)), key=lambda i: delta(grid[i]))
        high, low = grid[max(at - 1, 0)], grid[at + 1] if at + 1 < len(grid) else mpf(0)
        golden = (mpmath.sqrt(5) - 1) / 2
        for _ in range(120):
            x, y = high - golden * (high - low), low + golden * (high - low)
            if delta(x) < delta(y):
                high = y
            else:
                low = x
        best = min(delta(low), delta(high), delta(end))
        return _as_ball(min(mpf(0), mpmath.log(best)))


def _as_ball(number: mpf) -> arb:
    """A ball for what was computed to many digits; no proof, but far more than are needed."""
    with ctx.workprec(PRECISION):
        middle = arb(mpmath.nstr(number, DIGITS - 10))
        return middle + arb(0, 1e-50) * (1 + abs(middle))
