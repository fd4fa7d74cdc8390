"""Ball arithmetic: bounds in floats of what a ball holds, and sums and extremes of balls.

A ball is a number with a radius, and every operation returns one that holds the true result (Arb,
through python-flint).
"""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from pkdp.certified.flint import arb, ctx, fmpq

# Two floats between which a number lies, as a rule ln δ.
Bounds: TypeAlias = tuple[float, float]

# A ball of ln δ is narrowed to this part of max(1, |ln δ|), or given up after so many doublings.
_NARROW, _DOUBLINGS = 2.0**-58, 6


def larger_bounds(*bounds: Bounds) -> Bounds:
    """Return bounds of the largest of some ln δ, none of which is above 0.

    Examples
    --------
    >>> larger_bounds((-2.0, -1.0), (-3.0, 5e-324))
    (-2.0, 0.0)
    """
    return max(lower for lower, _ in bounds), min(0.0, max(upper for _, upper in bounds))


def enclosed(compute: Callable[[float], arb]) -> Bounds:
    """Return floats below and above the logarithm of a number; -inf twice if it is negative.

    The lower one is -inf also if it may be 0, for all that many digits tell.

    Parameters
    ----------
    compute : callable
        Returns a ball that holds the number, given how small a part of it ``exp(-digits)`` what is
        left out is to be; at a working precision that grows with that.
    """
    digits = 48.0
    for _ in range(_DOUBLINGS):
        with ctx.workprec(64 + int(3.0 * digits)):
            ball = compute(digits)
            if ball < 0:
                return -math.inf, -math.inf
            if ball > 0:
                log = ball.log()
                if float(log.rad()) <= _NARROW * max(1.0, abs(float(log.mid()))):
                    return below(log), above(log)
        digits *= 2.0
    if ball.is_finite() and ball.contains(0):
        with ctx.workprec(64 + int(3.0 * digits)):
            return -math.inf, above(ball.upper().log())
    raise ArithmeticError(f"a ball of {ball} could not be narrowed")


def rational(number: float | Fraction) -> fmpq:
    """Return the rational number that a number is."""
    return fmpq(*number.as_integer_ratio())


def log_binomial_mass(trials: int, outcome: int, chance: arb) -> arb:
    """Return ``ln P[X = outcome]`` for X binomial, the chance neither 0 nor 1."""
    orders = arb(trials + 1).lgamma() - arb(outcome + 1).lgamma()
    orders -= arb(trials - outcome + 1).lgamma()
    return orders + outcome * chance.log() + (trials - outcome) * (1 - chance).log()


def below(ball: arb) -> float:
    """Return a float below a ball."""
    return math.nextafter(float(ball.lower()), -math.inf)


def above(ball: arb) -> float:
    """Return a float above a ball."""
    return math.nextafter(float(ball.upper()), math.inf)


def floor(ball: arb) -> int:
    """Return an integer below a ball, no more than 1 below its lower end but for rounding."""
    return math.floor(below(ball))


def ceil(ball: arb) -> int:
    """Return an integer above a ball, no more than 1 above its upper end but for rounding."""
    return math.ceil(above(ball))


def upper_end(ball: arb) -> arb:
    """Return the upper end of a ball, infinity where nothing is known of the number."""
    return arb.pos_inf() if ball.is_nan() else ball.upper()


def sum_of(balls: Iterable[arb]) -> arb:
    """Return a sum that is a ball also where nothing is summed."""
    return sum(balls, arb(0))


def largest_of(balls: Sequence[arb]) -> arb:
    """Return a ball that holds the largest of some numbers."""
    return functools.reduce(arb.max, balls)


def smallest_of(balls: Sequence[arb]) -> arb:
    """Return a ball that holds the smallest of some numbers."""
    return functools.reduce(arb.min, balls)
