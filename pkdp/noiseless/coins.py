"""Coins in sums: what hides a record in the sum of independent integers of any laws.

A law of an integer contains a *coin* at a step h where two of its values b and b + h are possible:
as much of either as the other has can be set apart as a fair coin between them. Its largest *coin
weight* w is the most that can be set apart in this way. So a sum of independent blocks is a sum of
a random number K of fair coins, times h, and of something else; and even who is told all but the
coins faces a count of K of them. That bounds the privacy profile of the sum under a step of t·h:

    δ(ε) ≤ Σ P[K = k]·δ_k(ε),  K = Σ Bern(w_j),

δ_k the profile of a count of k fair coins when it is moved by t. Of the blocks nothing is used but
their weights. For bits, w = 2·min(p, 1-p), and this is the privacy blanket.

A `pmf` is a mapping of integers to masses, of floats or fractions. ``blocks`` are several of them,
or of pairs ``(pmf, count)``, where ``count`` independent blocks have that law.
"""

from __future__ import annotations

import math
import numbers
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import SupportsIndex, TypeAlias

import numpy.typing as npt

from pkdp._checks import as_integer, as_mapping, as_probabilities, as_real, as_several
from pkdp.noiseless import _coin_sums
from pkdp.noiseless._blocks import Block, Pmf
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.profile import Formula, PrivacyProfile, harmless, rounded_up, vacuous

__all__ = ["attaining", "blanket", "bound", "largest_weight", "weights"]

Blocks: TypeAlias = Iterable[Block]

# The most blocks, for which the errors of floats were tested; and the largest value of one.
_MOST_BLOCKS, _LARGEST = 10**9, 10**15
# By how much masses may sum to more or less than 1.
_TOLERANCE = Fraction(1, 10**9)


def largest_weight(pmf: Pmf, step: SupportsIndex = 1) -> float | Fraction:
    """Return the largest coin weight of a law at a step.

    That is the largest ``w = 2·Σ_b c_b`` for ``c_b ≥ 0`` with ``c_b + c_{b-h} ≤ P[B = b]`` for
    every b: then B is, with probability w, an offset plus h times a fair coin.

    Parameters
    ----------
    pmf : mapping of int to float or Fraction
        Masses ≥ 0 that sum to 1 within 1e-9; they are divided by their sum.
    step : int
        h in 1…10¹⁵.

    Returns
    -------
    float or Fraction
        In [0, 1]. A fraction if all masses are fractions or integers; otherwise computed from the
        floats exactly, and rounded down to one.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If a value or the step is not an integer, or a mass not a number.

    Notes
    -----
    Values that differ by multiples of h form paths b, b + h, b + 2h, …; along each of them,
    from its least value up, ``c_b = min(P[B = b] - c_{b-h}, P[B = b+h])`` takes what is left. No
    other choice has a larger sum: where one takes less at the first b at which they differ, move
    what it lacks there from c_{b+h}, or from nowhere. By duality w/2 is the mass outside the
    likeliest set of values no two of which are h apart. And w lies between 1 - TV and
    2(1 - TV), TV the total variation distance of B and B + h.

    References
    ----------
    Not in the paper. For the lower end, Mineka's coupling, see Lindvall (1992), *Lectures on the
    Coupling Method*, section II.14.

    Examples
    --------
    >>> largest_weight({0: 0.75, 1: 0.25}), largest_weight({0: 0.5, 2: 0.5})
    (0.5, 0.0)
    >>> largest_weight({0: Fraction(1, 3), 1: Fraction(1, 3), 2: Fraction(1, 3)})
    Fraction(2, 3)
    >>> largest_weight({0: 0.5, 2: 0.5}, step=2)
    1.0
    """
    return _weight(pmf, "pmf", _as_step(step))


def weights(blocks: Blocks, step: SupportsIndex = 1) -> list[float | Fraction]:
    """Return the largest coin weight of each block, once for those that share a law.

    Parameters
    ----------
    blocks : sequence of pmfs, or of pairs (pmf, count)
        See the module.
    step : int
        As in `largest_weight`.

    Returns
    -------
    list of float or Fraction
        As long as `blocks`.

    Raises
    ------
    ValueError, TypeError
        As in `largest_weight`; also if a count is negative or not an integer.

    Examples
    --------
    >>> weights([{0: 0.5, 1: 0.5}, ({0: 0.75, 3: 0.25}, 10)], step=3)
    [0.0, 0.5]
    """
    return [weight for weight, _ in _weighed(blocks, _as_step(step))]


def bound(blocks: Blocks, shift: SupportsIndex = 1, step: SupportsIndex = 1) -> PrivacyProfile:
    """Return what the coins of independent blocks guarantee for their sum.

    Parameters
    ----------
    blocks : sequence of pmfs, or of pairs (pmf, count)
        See the module; at most 10⁹ blocks in all.
    shift : int
        By how much the target's record moves the sum; a multiple t·h of the step, of either sign.
    step : int
        h in 1…10¹⁵. Steps that divide the shift give bounds of which each is valid.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": of the two laws S + shift and S, S the sum of the blocks, and of any
        smaller multiple of the step. δ ≡ 1 where no block has a coin, and 0 without a shift.

    Raises
    ------
    ValueError
        If an argument lies outside its range; if `shift` is not a multiple of `step`.
    TypeError
        As in `largest_weight`.

    Notes
    -----
    Weights are rounded down, and values up by more than any error of floats that the tests found.
    One value costs O(t·√n), for more than 32 steps O(√n): milliseconds for 10⁶ blocks.

    References
    ----------
    Not in the paper; what its theorems on sums are to do. For bits, Balle, Bell, Gascón and Nissim
    (2019).

    Examples
    --------
    A thousand dice, and a record besides that adds one or nothing:

    >>> die = {face: 1 / 6 for face in range(1, 7)}
    >>> profile = bound([(die, 1000)])
    >>> round(profile.epsilon(1e-6), 4)
    0.2441
    """
    steps = steps_of(shift, step)
    totals: defaultdict[float, int] = defaultdict(int)
    for weight, count in _weighed(blocks, _as_step(step)):
        totals[_down(weight)] += count
    return _blanket(PoissonBinomial([*totals], [*totals.values()]), steps)


def blanket(
    weights: npt.ArrayLike,
    multiplicities: npt.ArrayLike | None = None,
    *,
    steps: SupportsIndex = 1,
) -> PrivacyProfile:
    """Return what coins of given weights guarantee, whatever else the sum is made of.

    Parameters
    ----------
    weights : array_like, shape (m,)
        Coin weights w_j in [0, 1] of independent blocks, or less than these.
    multiplicities : array_like of int, shape (m,), optional
        How many blocks share each weight; 1 each by default, at most 10⁹ in all.
    steps : int
        t in 0…10¹⁵: the target's record moves the sum by t steps.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": Σ P[K = k]·δ_k(ε), which the blocks of `attaining` attain.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If an argument is not made of numbers.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> round(blanket([0.25], [1000]).epsilon(1e-6), 4)
    0.5232
    >>> blanket([0.25], [1000]).epsilon(1e-6) == bound([({0: 7/8, 1: 1/8}, 1000)]).epsilon(1e-6)
    True
    >>> round(blanket([1.0], [1000], steps=3).delta(0.1), 6)
    0.03771
    """
    number = PoissonBinomial(as_probabilities(weights, "weights"), multiplicities)
    return _blanket(number, as_integer(steps, "steps", 0, _LARGEST))


def attaining(
    weights: Iterable[float | Fraction],
    *,
    shift: SupportsIndex = 1,
    step: SupportsIndex = 1,
) -> list[dict[int, float | Fraction]]:
    """Return blocks of given weights whose sum has exactly the profile of `blanket`.

    What is no coin between 0 and h lies at one value, M, that is so large that the sum tells how
    many of the blocks took it. It then is a count of the others.

    Parameters
    ----------
    weights : sequence of float or Fraction
        Coin weights in [0, 1], at least one.
    shift, step : int
        As in `bound`.

    Returns
    -------
    list of dict
        The law of each block: ``{0: w/2, h: w/2, M: 1 - w}``, ``M = h·(n + 1) + |shift|``, without
        masses of 0.

    Raises
    ------
    ValueError
        As in `bound`.
    TypeError
        If a weight is not a number.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> attaining([0.5, 1.0], shift=2)
    [{0: 0.25, 1: 0.25, 5: 0.5}, {0: 0.5, 1: 0.5}]
    """
    steps, distance = steps_of(shift, step), _as_step(step)
    several = as_several(weights, "weights", "numbers in [0, 1]")
    far = distance * (len(several) + 1 + steps)
    blocks = []
    for weight in several:
        number = as_real(weight, "weights", "in [0, 1]", 0.0, 1.0)
        w = weight if isinstance(weight, Fraction) else number
        masses = {0: w / 2, distance: w / 2, far: 1 - w}
        blocks.append({value: mass for value, mass in masses.items() if mass})
    return blocks


def steps_of(shift: SupportsIndex, step: SupportsIndex) -> int:
    """Return how many steps a shift has, whichever way; it must be a multiple of the step."""
    distance, moved = _as_step(step), as_integer(shift, "shift", -_LARGEST, _LARGEST)
    if moved % distance:
        raise ValueError(f"shift must be a multiple of the step, {distance}, got {shift!r}")
    return abs(moved) // distance


def _blanket(number: PoissonBinomial, steps: int) -> PrivacyProfile:
    if number.trials > _MOST_BLOCKS:
        raise ValueError(f"blocks must be at most {_MOST_BLOCKS}, got {number.trials}")
    if steps == 0:
        return harmless("upper bound")
    if number.most < steps:
        return vacuous("upper bound")
    return rounded_up(Formula(_coin_sums.log_mixture, number, steps), "upper bound")


def _as_step(step: SupportsIndex) -> int:
    return as_integer(step, "step", 1, _LARGEST)


def _weighed(blocks: Blocks, step: int) -> list[tuple[float | Fraction, int]]:
    """Return the weight of each block, and how many there are of it."""
    several = as_several(blocks, "blocks", "pmfs or pairs (pmf, count)")
    # Who lists one and the same mapping a million times has it weighed once.
    known: dict[int, float | Fraction] = {}
    weighed = []
    for index, block in enumerate(several):
        pmf, count = block if isinstance(block, tuple) and len(block) == 2 else (block, 1)
        if type(count) is not int or count < 0:
            count = as_integer(count, f"blocks[{index}]: the count", 0, _MOST_BLOCKS)
        weight = known.get(id(pmf))
        if weight is None:
            weight = known[id(pmf)] = _weight(pmf, f"blocks[{index}]", step)
        weighed.append((weight, count))
    return weighed


def _weight(pmf: Pmf, name: str, step: int) -> float | Fraction:
    """Return the largest weight, in integers over a common denominator: floats are fractions."""
    masses = _as_masses(pmf, name)
    twice, total = 0, sum(masses.values())
    taken: dict[int, int] = {}
    for value in sorted(masses):
        mass = masses[value] - taken.get(value, 0)
        following = masses.get(value + step, 0)
        coin = mass if mass < following else following
        if coin:
            taken[value + step] = coin
            twice += 2 * coin
    exact = all(isinstance(mass, numbers.Rational) for mass in pmf.values())
    return Fraction(twice, total) if exact else _quotient_down(twice, total)


def _as_masses(pmf: Pmf, name: str) -> dict[int, int]:
    """Return the positive masses of a law, times a common denominator."""
    as_mapping(pmf, name, "masses")
    ratios = {}
    for value, mass in pmf.items():
        if type(value) is not int or abs(value) > _LARGEST:
            value = as_integer(value, f"{name}: a value", -_LARGEST, _LARGEST)
        if not (type(mass) is float and 0.0 <= mass < 2.0):
            as_real(mass, f"{name}: the mass of {value}", "in [0, 1]", 0.0, 1.0 + 1e-9)
            rational = isinstance(mass, numbers.Rational)
            mass = Fraction(mass) if rational else float(mass)
        if mass:
            ratios[value] = mass.as_integer_ratio()
    common = math.lcm(*[denominator for _, denominator in ratios.values()])
    masses = {value: top * (common // below) for value, (top, below) in ratios.items()}
    total = sum(masses.values())
    if abs(total - common) > _TOLERANCE * common:
        raise ValueError(f"{name}: masses must sum to 1, got a sum of {total / common:.12g}")
    return masses


def _quotient_down(top: int, below: int) -> float:
    """Return a quotient in [0, 1], rounded down to a float."""
    quotient = top / below
    a, b = quotient.as_integer_ratio()
    return quotient if a * below <= top * b else math.nextafter(quotient, 0.0)


def _down(weight: float | Fraction) -> float:
    return weight if isinstance(weight, float) else _quotient_down(*weight.as_integer_ratio())
