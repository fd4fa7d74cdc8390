"""Privacy blanket of a sum of independent integers: the fair coins that any such laws contain.

If b and b + h are both possible values of an integer, equal parts of their probabilities make a
fair coin between them, a *coin* at the step h. The largest probability that such coins can have in
total is the *coin weight* w of the law. A sum of independent blocks is then h times a count of K
fair coins, K random, plus something else; an attacker who is told all but the coins still faces a
count of K of them. This bounds the privacy profile of the sum for a shift of t·h:

    δ(ε) ≤ Σ P[K = k]·δ_k(ε),  K = Σ Bern(w_j),

where δ_k is the profile of a count of k fair coins and its shift by t. The bound uses nothing but
the weights of the blocks. For bits, w = 2·min(p, 1-p), and the bound is the privacy blanket.

A `pmf` is a mapping of integers to masses, floats or fractions. ``blocks`` are several of them,
or pairs ``(pmf, count)`` for ``count`` independent blocks of one law.
"""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, SupportsIndex, TypeAlias

import numpy.typing as npt

from pkdp._checks import as_integer, as_mapping, as_probabilities, as_real, as_several
from pkdp.noiseless import _fair_coin_mixtures
from pkdp.noiseless._integer_laws import Block, Pmf
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.profile import Formula, PrivacyProfile, harmless, rounded_up, vacuous

__all__ = ["blanket", "bound", "largest_weight"]

Blocks: TypeAlias = Iterable[Block]

# Rounding was tested for up to so many blocks; the largest value of a block.
_MOST_BLOCKS, _LARGEST = 10**9, 10**15
# How far from 1 the sum of all masses may be.
_TOLERANCE = Fraction(1, 10**9)


def largest_weight(pmf: Pmf, step: SupportsIndex = 1) -> float | Fraction:
    """Compute the largest coin weight of a law at a step.

    This is the largest ``w = 2·Σ_b c_b`` for ``c_b ≥ 0`` with ``c_b + c_{b-h} ≤ P[B = b]`` for
    every b: with probability w, B is an offset plus h times a fair coin.

    Parameters
    ----------
    pmf : mapping of int to float or Fraction
        Masses ≥ 0 that sum to 1 within 1e-9; they are divided by their sum.
    step : int
        h in 1…10¹⁵.

    Returns
    -------
    float or Fraction
        In [0, 1]. A fraction if all masses are fractions or integers; otherwise a float, computed
        exactly and rounded down.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    TypeError
        If a value or the step is not an integer, or a mass not a number.

    Notes
    -----
    Values that differ by multiples of h form paths b, b + h, b + 2h, …. From the least value of a
    path upwards, ``c_b = min(P[B = b] - c_{b-h}, P[B = b+h])`` takes as much as is left. No other
    choice has a larger sum: where it takes less at the first b at which the two differ, the
    difference can be moved there from c_{b+h}, or added. By duality w/2 is the mass outside the
    likeliest set of values no two of which are h apart. And w is between 1 - TV and 2(1 - TV), TV
    the total variation distance of B and B + h.

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
    weight = _weight(pmf, "pmf", _as_step(step))
    exact = all(isinstance(mass, numbers.Rational) for mass in pmf.values())
    return weight if exact else _down(weight)


def bound(blocks: Blocks, shift: SupportsIndex = 1, step: SupportsIndex = 1) -> PrivacyProfile:
    """Bound the privacy profile of a sum of independent blocks by their coin weights.

    Parameters
    ----------
    blocks : sequence of pmfs, or of pairs (pmf, count)
        See the module; at most 10⁹ blocks in all.
    shift : int
        How far the target's record moves the sum: a multiple t·h of the step, of either sign.
    step : int
        h in 1…10¹⁵. Every step that divides the shift gives a valid bound.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": for the laws of S + shift and S, S the sum of the blocks, and for any
        smaller multiple of the step. δ ≡ 1 if no block has a coin; 0 if the shift is 0.

    Raises
    ------
    ValueError
        If an argument is outside its range, or `shift` is not a multiple of `step`.
    TypeError
        As in `largest_weight`; also if a count is not an integer.

    Notes
    -----
    Weights are rounded down, and values up by more than any rounding error that the tests found.
    One value costs O(t·√n), or O(√n) for more than 32 steps: milliseconds for 10⁶ blocks.

    References
    ----------
    Not in the paper; it serves the purpose of its theorems on sums. For bits, Balle, Bell, Gascón
    and Nissim (2019).

    Examples
    --------
    A thousand dice, and the target's record, which adds one or nothing:

    >>> die = {face: 1 / 6 for face in range(1, 7)}
    >>> profile = bound([(die, 1000)])
    >>> round(profile.epsilon(1e-6), 4)
    0.2441
    """
    distance, by = _as_step(step), as_integer(shift, "shift", -_LARGEST, _LARGEST)
    if by % distance:
        raise ValueError(f"shift must be a multiple of the step, {distance}, got {shift!r}")
    totals: Counter[float] = Counter()
    for index, block in enumerate(as_several(blocks, "blocks", "pmfs or pairs (pmf, count)")):
        pmf, count = block if isinstance(block, tuple) and len(block) == 2 else (block, 1)
        weight = _down(_weight(pmf, f"blocks[{index}]", distance))
        totals[weight] += as_integer(count, f"blocks[{index}]: the count", 0, _MOST_BLOCKS)
    return _blanket(PoissonBinomial([*totals], [*totals.values()]), abs(by) // distance)


def blanket(
    weights: npt.ArrayLike,
    multiplicities: npt.ArrayLike | None = None,
    *,
    steps: SupportsIndex = 1,
) -> PrivacyProfile:
    """Bound the privacy profile of a sum by the coin weights of its independent blocks.

    Parameters
    ----------
    weights : array_like, shape (m,)
        Coin weights w_j in [0, 1] of independent blocks, or lower bounds of them.
    multiplicities : array_like of int, shape (m,), optional
        How many blocks share each weight; 1 each by default, at most 10⁹ in all.
    steps : int
        t in 0…10¹⁵: the target's record moves the sum by t steps.

    Returns
    -------
    PrivacyProfile
        Status "upper bound": Σ P[K = k]·δ_k(ε). Independent blocks ``{0: w/2, h: w/2, M: 1 - w}``
        with M = h·(n + 1) + t·h attain it.

    Raises
    ------
    ValueError
        If an argument is outside its range.
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


def _blanket(number: PoissonBinomial, steps: int) -> PrivacyProfile:
    if number.trials > _MOST_BLOCKS:
        raise ValueError(f"blocks must be at most {_MOST_BLOCKS}, got {number.trials}")
    if steps == 0:
        return harmless("upper bound")
    if number.most < steps:
        return vacuous("upper bound")
    return rounded_up(Formula(_fair_coin_mixtures.log_mixture, number, steps), "upper bound")


def _as_step(step: SupportsIndex) -> int:
    return as_integer(step, "step", 1, _LARGEST)


def _weight(pmf: Pmf, name: str, step: int) -> Fraction:
    """Return the largest coin weight of a law; floats stand for exactly their value."""
    masses = _as_masses(pmf, name)
    taken: dict[int, Fraction] = {}
    for value in sorted(masses):
        left = masses[value] - taken.get(value, 0)
        taken[value + step] = min(left, masses.get(value + step, Fraction(0)))
    return 2 * sum(taken.values(), Fraction(0)) / sum(masses.values())


def _as_masses(pmf: Pmf, name: str) -> dict[int, Fraction]:
    """Return the exact masses of a law, whose sum may be a little off 1."""
    masses: dict[int, Fraction] = {}
    mass: Any
    for value, mass in as_mapping(pmf, name, "masses").items():
        number = as_integer(value, f"{name}: a value", -_LARGEST, _LARGEST)
        checked = as_real(mass, f"{name}: the mass of {value}", "in [0, 1]", 0.0, 1.0 + 1e-9)
        masses[number] = Fraction(mass if isinstance(mass, numbers.Rational) else checked)
    total = sum(masses.values(), Fraction(0))
    if abs(total - 1) > _TOLERANCE:
        raise ValueError(f"{name}: masses must sum to 1, got a sum of {float(total):.12g}")
    return masses


def _down(weight: Fraction) -> float:
    nearest = float(weight)
    return nearest if nearest <= weight else math.nextafter(nearest, 0.0)
