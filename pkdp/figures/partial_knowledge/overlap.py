"""Two counts over groups that overlap: δ of both together, and how dependent they are."""

import functools
import math
from typing import NamedTuple

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BOUND, DOTTED, EXACT, INK, line
from pkdp.profiles.binomials import binomial_masses
from pkdp.profiles.logarithms import FloatArray

TITLE = "Between independence and Example 8"
ALT = (
    "Three curves of δ at ε = 1 on a logarithmic axis, against the number of people in both "
    "groups, from 0 to 20. The first count alone is a level line at 0.0046. Both counts together "
    "start there too, stay below 0.006 up to 6 people, then rise faster and faster: 0.010 at 10, "
    "0.054 at 16, 0.26 at 19 and 1 at 20. Theorem 6 starts at the same point and ends at the same "
    "point; in between it is up to 3.4 times as high: 0.034 at 10, 0.12 at 16.",
    "Five curves of ν against µ from 0 to 2 on a logarithmic axis, for 5, 10, 15, 19 and 20 people "
    "in both groups. The one for 20 is level at 1. At µ = 0 the others are at 0.046, 0.10, 0.20 "
    "and 0.47. The first two leave the panel at the bottom, at 0.0001, before µ = 0.4 and at "
    "µ = 1.03; the third is at 0.0011 at µ = 2, and the fourth stays above 0.25.",
)

SIZE = 20  # how many others are in each group
EPS = 1.0
SHOWN = (5, 10, 15, 19, 20)
_LARGEST = 2.0


class Overlap(NamedTuple):
    """Laws of the two counts, given that the target, who is in the first group, is 1 and 0.

    Attributes
    ----------
    one, zero : ndarray of shape (SIZE + 2, SIZE + 1)
        Probability of each pair of counts, the first in the rows.
    """

    one: FloatArray
    zero: FloatArray

    def delta(self, eps: float) -> float:
        """Return the least δ of both counts together."""
        return _delta(self.one, self.zero, eps)

    def delta_alone(self, eps: float) -> float:
        """Return the least δ of the first count."""
        return _delta(self.one.sum(axis=1), self.zero.sum(axis=1), eps)

    def nu(self, mu: float) -> float:
        """Return the least ν, in the repaired convention; the second count has no loss at all."""
        orders = ((self.one, self.zero), (self.zero, self.one))
        return max(float(_excess(p, q, mu).sum()) for p, q in orders)

    def theorem_6(self, eps: float) -> float:
        """Return the least δ₁(ε - µ) + ν(µ) with µ on a grid."""
        mus = np.linspace(0.0, eps, round(100 * eps) + 1)
        return min(1.0, *(self.delta_alone(eps - mu) + self.nu(mu) for mu in mus))


def _delta(one: FloatArray, zero: FloatArray, eps: float) -> float:
    ratio = math.exp(eps)
    return max(float(np.maximum(0.0, p - ratio * q).sum()) for p, q in ((one, zero), (zero, one)))


def _excess(p: FloatArray, q: FloatArray, mu: float) -> FloatArray:
    """Return ``(P - e^µ·P·e^-Dep)₊``, where e^-Dep = Q(o₁, o₂)·P(o₁) / (P(o₁, o₂)·Q(o₁))."""
    first_p, first_q = p.sum(axis=1, keepdims=True), q.sum(axis=1, keepdims=True)
    possible = first_q > 0.0  # elsewhere the first loss is infinite, and Dep is 0 by convention
    odds = np.divide(first_p, first_q, out=np.zeros_like(first_p), where=possible)
    return np.where(possible, np.maximum(0.0, p - math.exp(mu) * q * odds), 0.0)


@functools.cache
def overlap(common: int, size: int = SIZE) -> Overlap:
    """Return the laws of two counts over `size` others each, of which so many are the same."""
    apart = binomial_masses(size - common, 0.5)
    zero = np.zeros((size + 2, size + 1))
    for shared, mass in enumerate(binomial_masses(common, 0.5)):
        inside = slice(shared, shared + size - common + 1)
        zero[inside, inside] += mass * np.outer(apart, apart)
    return Overlap(np.roll(zero, 1, axis=0), zero)


def data() -> Blocks:
    """Yield δ against the overlap, and ν against µ.

    Yields
    ------
    Table
        Columns ``panel`` (``delta``, ``nu``), ``series`` (``together``, ``theorem 6``, ``alone``;
        the overlap as text), ``x`` (number of people in both groups; µ) and ``y``.
    """
    numbers = np.arange(SIZE + 1)
    pairs = [overlap(int(common)) for common in numbers]
    mus = np.linspace(0.0, _LARGEST, 81)
    deltas = {
        "together": [pair.delta(EPS) for pair in pairs],
        "theorem 6": [pair.theorem_6(EPS) for pair in pairs],
        "alone": [pair.delta_alone(EPS) for pair in pairs],
    }
    nus = {str(common): [pairs[common].nu(mu) for mu in mus] for common in SHOWN}
    yield curves(numbers, deltas, panel="delta")
    yield curves(mus, nus, panel="nu")


def draw(axes: Panels) -> None:
    """Draw δ on the first panel, ν on the second."""
    delta, nu = panels(axes, "Two counts together", "How dependent they are")
    delta.x("people in both groups, of 20", (0, SIZE), range(0, SIZE + 1, 5))
    delta.log_y("δ at ε = 1", (2e-3, 2), powers(-2, -1, 0))
    delta.curve("alone", line(INK, DOTTED, 1.2), "the first count alone", 10, (0, -4))
    delta.curve("theorem 6", BOUND, "Theorem 6", 9, (-4, 5))
    delta.curve("together", EXACT, "both counts", 13, (5, -3))
    nu.x("µ", (0, _LARGEST))
    nu.log_y("least ν", (1e-4, 3), powers(-4, -3, -2, -1, 0))
    places = ((0.22, (4, 2)), (0.8, (4, 2)), (1.5, (4, 2)), (1.0, (0, 3)), (1.0, (0, 3)))
    for common, (at, offset) in zip(SHOWN, places, strict=True):
        text = f"{common} people in both groups" if common == SIZE else str(common)
        nu.curve(str(common), EXACT, text, at, offset)
