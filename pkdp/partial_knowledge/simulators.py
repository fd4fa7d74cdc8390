"""Distributional differential privacy: the smallest e^ε over all simulators, certified.

Definition 4 compares the distribution of M(D) with what a simulator makes of D₋ᵢ, the database
without the target's record. The smallest e^ε is a minimum over all simulators, which is enclosed
between certified bounds: an upper one by a simulator in fractions, a lower one by multipliers in
fractions.

Notation: a *condition* c is a law θ of the family, a value B̂ of the knowledge and a value a of
D(i) that have positive probability together. Given c, the distribution of D₋ᵢ is p_c, and that of
M(D) is q_c. A simulator is a kernel s: from the database d it reads it outputs o with probability
s(d, o), hence o under c with probability ``x_c(o) = Σ_d p_c(d)·s(d, o)``. Its *ratio* is the
largest of all x_c(o)/q_c(o) and q_c(o)/x_c(o), where 0/0 is left out and anything else over 0 is
infinite. The problem is one for each target i, since D₋ᵢ comes with the numbers of its records; but
one kernel must serve all conditions.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from pkdp._checks import as_law, as_mapping, as_ratio
from pkdp._order import in_order
from pkdp.partial_knowledge._simulator_program import Condition, search, simulator_ratio
from pkdp.worlds._exact_distributions import FrozenDict, normalized
from pkdp.worlds._output_distributions import Ratio, RecordTargets, Worlds, active_laws, as_records
from pkdp.worlds.mechanisms import Database, Mechanism, Output, OutputLaw, output_law
from pkdp.worlds.world import World

__all__ = ["Enclosure", "Simulator", "best_simulator", "ddp_ratio"]

# The worlds, and the numbers of their targets.
_Cases: TypeAlias = Sequence[tuple[World, Sequence[int]]]
# Conditions under keys that tell different ones apart.
_Conditions: TypeAlias = dict[Hashable, Condition]
# The output distribution for each database, or for each that a simulator reads.
_OutputLaws: TypeAlias = dict[Database, OutputLaw]


@dataclass(frozen=True)
class Enclosure:
    """An exact lower and upper bound on a smallest e^ε.

    Attributes
    ----------
    lower, upper : Fraction or float
        The bounds, fractions in [1, inf), or both `math.inf`.

    Raises
    ------
    ValueError
        If a bound is less than 1, the lower one above the upper one, or only one is infinite.
    TypeError
        If a bound is neither an int, nor a fraction, nor inf.

    Examples
    --------
    >>> third = Enclosure(Fraction(4, 3), Fraction(4, 3))
    >>> third.is_exact, float(third), str(third)
    (True, 1.3333333333333333, '4/3')
    >>> rough = Enclosure(Fraction(1), Fraction(3, 2))
    >>> float(rough), str(rough)
    (1.25, '1.25 ± 0.25')
    """

    lower: Ratio
    upper: Ratio

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, as_ratio(getattr(self, name), name))
        if self.lower > self.upper or (self.upper == math.inf) > self.is_exact:
            raise ValueError(
                "lower and upper must be fractions in [1, inf), in this order, or both inf, got "
                f"{self.lower} and {self.upper}"
            )

    @property
    def is_exact(self) -> bool:
        """Whether both bounds are the same, perhaps infinite."""
        return self.lower == self.upper

    def __float__(self) -> float:
        """Return the middle."""
        return float((self.lower + self.upper) / 2)

    def __str__(self) -> str:
        """Return the number if it is known, else the middle and half the difference."""
        if self.is_exact:
            return str(self.lower)
        return f"{float(self):.12g} ± {float((self.upper - self.lower) / 2):.2g}"


@dataclass(frozen=True)
class Simulator:
    """A simulator for one target, with its ratio and the smallest ratio of all simulators.

    Attributes
    ----------
    kernel : mapping
        ``{d: {o: Fraction}}``: from each possible database without the target's record to the
        distribution of the simulator's output. Read-only.
    ratio : Fraction or float
        Its exact ratio, the smallest e^ε of this simulator; `math.inf` if none is finite.
    enclosure : Enclosure
        Around the smallest ratio of all simulators; its `upper` is `ratio`.
    """

    kernel: Mapping[Database, Mapping[Output, Fraction]]
    ratio: Ratio
    enclosure: Enclosure

    def __post_init__(self) -> None:
        kernel = as_mapping(self.kernel, "kernel", "laws")
        rows = {d: FrozenDict(as_law(law, f"kernel[{d!r}]")) for d, law in kernel.items()}
        object.__setattr__(self, "kernel", FrozenDict(rows))


def ddp_ratio(worlds: Worlds, mechanism: Mechanism, targets: RecordTargets = None) -> Enclosure:
    """Enclose the smallest e^ε of distributional differential privacy between certified bounds.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ; one simulator must serve all of it.
    mechanism : callable
        From a database to an output, or to ``{output: Fraction}``.
    targets : iterable of int, optional
        Numbers i of the records to protect, in each world of the family; by default all records.

    Returns
    -------
    Enclosure
        Around the largest, over the targets, of the smallest ratio of a simulator, with a relative
        width of at most 1e-9. Both bounds are `math.inf` if no ε is enough. They are equal if the
        number is a fraction with a small denominator, except in large worlds.

    Raises
    ------
    ValueError
        If a target is not the number of a record in each world, or there is none.
    TypeError
        If a target is not a number.
    RuntimeError
        If the bounds could not be brought that close, which may happen if probabilities differ by
        ten orders of magnitude.

    Notes
    -----
    A generalized fractional program [1]_: with the largest ratio so far as E, a linear program
    finds the simulator whose violation of ``q/E ≤ x ≤ E·q`` is least, and its dual the multipliers
    for a lower bound; a few rounds are enough. Each solves a linear program with one column for
    each pair of a database d and an output o, and two rows for each pair of a condition and an
    output. Databases whose probabilities under all conditions are proportional count once, as do
    outputs; 64 databases and 8 outputs take well under a second.

    References
    ----------
    Partial knowledge, Definition 4.

    .. [1] J.-P. Crouzeix, J. A. Ferland and S. Schaible, "An algorithm for generalized fractional
       programs", Journal of Optimization Theory and Applications 47 (1985) 35-49.

    Examples
    --------
    The identity on duplicates (Example 2), and on two bits that need not agree:

    >>> from pkdp.worlds.mechanisms import identity, make_randomized_response
    >>> from pkdp.worlds import copied, correlated_pairs
    >>> half = Fraction(1, 2)
    >>> print(ddp_ratio(copied({0: half, 1: half}, groups=2), identity))
    1
    >>> print(ddp_ratio(correlated_pairs([half], agree=Fraction(3, 4)), identity))
    inf

    For a randomized mechanism it is enough that the bits tend to agree; the simulator guesses:

    >>> alike = correlated_pairs([Fraction(1, 3)], agree=Fraction(9, 10))
    >>> print(ddp_ratio(alike, make_randomized_response(half)))
    152/137
    """
    cases = as_records(worlds, targets)
    laws = _laws(cases, mechanism)
    # Records that are alike have the same conditions.
    problems = {
        frozenset(conditions): list(conditions.values())
        for target in dict.fromkeys(number for _, numbers in cases for number in numbers)
        for conditions in _parts(_conditions(cases, laws, target))
    }
    lower: Ratio = Fraction(1)
    upper: Ratio = Fraction(1)
    for conditions in problems.values():
        found = search(conditions, lower)
        lower, upper = max(lower, found.lower), max(upper, found.upper)
    return Enclosure(lower, upper)


def best_simulator(worlds: Worlds, mechanism: Mechanism, target: int) -> Simulator:
    """Find a simulator for one target whose ratio is smallest, within a relative width of 1e-9.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ; one simulator must serve all of it.
    mechanism : callable
        From a database to an output, or to ``{output: Fraction}``.
    target : int
        Number i of the record to protect, in each world of the family.

    Returns
    -------
    Simulator
        Its kernel, its exact ratio, and the enclosure of the smallest ratio. If no other simulator
        is better, or if no ε is enough, it is the one that draws the missing record and runs M.

    Raises
    ------
    ValueError
        If the target is not the number of a record in each world.
    TypeError
        If the target is not a number.
    RuntimeError
        If none was found.

    References
    ----------
    Partial knowledge, Definition 4 and Example 2.

    Examples
    --------
    The simulator of Example 2 replaces the missing record by its duplicate:

    >>> from pkdp.worlds.mechanisms import identity
    >>> from pkdp.worlds import copied
    >>> found = best_simulator(copied({"a": Fraction(1, 2), "b": Fraction(1, 2)}, 1), identity, 0)
    >>> found.ratio
    Fraction(1, 1)
    >>> dict(found.kernel[("b",)])
    {('b', 'b'): Fraction(1, 1)}
    """
    cases = as_records(worlds, [target])
    laws = _laws(cases, mechanism)
    conditions = _conditions(cases, laws, target)
    lower: Ratio = Fraction(1)
    ratio: Ratio = Fraction(1)
    kernel: _OutputLaws = {}
    for part in _parts(conditions):
        found = search(list(part.values()), lower)
        lower, ratio = max(lower, found.lower), max(ratio, found.upper)
        if found.upper < math.inf:
            kernel.update(found.program.unmerged(found.kernel))
    # If several simulators are equally good, return the one that is easiest to explain.
    natural = _reconstruction(cases, laws, target)
    if (simple := simulator_ratio(conditions.values(), natural)) <= ratio:
        kernel, ratio = natural, simple
    ordered = {
        database: {output: kernel[database][output] for output in in_order(kernel[database])}
        for database in in_order(kernel)
    }
    return Simulator(ordered, ratio, Enclosure(lower, ratio))


# Conditions


def _laws(cases: _Cases, mechanism: Mechanism) -> _OutputLaws:
    """Call the mechanism once for each database of any world."""
    databases = dict.fromkeys(database for world, _ in cases for database in world.databases)
    return {database: output_law(mechanism, database) for database in databases}


def _conditions(cases: _Cases, laws: _OutputLaws, target: int) -> _Conditions:
    """Return (p_c, q_c) for every condition c, different pairs only."""
    found: _Conditions = {}
    for world in (world for world, numbers in cases if target in numbers):
        read = active_laws(world, lambda database: _without(database, target), [target])
        released = active_laws(world, laws.__getitem__, [target])
        for given, observed in zip(read, released, strict=True):
            for value, law in given.items():
                p, q = normalized(law), normalized(observed[value])
                found[frozenset(p.items()), frozenset(q.items())] = (p, q)
    return found


def _without(database: Database, target: int) -> Database:
    return database[:target] + database[target + 1 :]


def _parts(conditions: _Conditions) -> list[_Conditions]:
    """Split conditions such that no database is possible in two parts: these problems are separate.

    For the rows of a kernel can be chosen independently, and a condition is about the rows of its
    databases only.
    """
    parts: list[tuple[set[Database], _Conditions]] = []
    for key, (p, q) in conditions.items():
        joined = [part for part in parts if not part[0].isdisjoint(p)]
        parts = [part for part in parts if part[0].isdisjoint(p)]
        databases = set(p).union(*(part[0] for part in joined))
        merged = {k: pair for part in joined for k, pair in part[1].items()} | {key: (p, q)}
        parts.append((databases, merged))
    return [part for _, part in parts]


def _reconstruction(cases: _Cases, laws: _OutputLaws, target: int) -> _OutputLaws:
    """Return the simulator that draws the missing record, given the others, and runs M.

    The record's distribution is that in the mixture of all worlds of the family in equal parts.
    """
    masses: dict[Database, OutputLaw] = {}
    for world, _ in cases:
        for (database, _), mass in world.masses.items():
            law = masses.setdefault(_without(database, target), {})
            for output, chance in laws[database].items():
                law[output] = law.get(output, Fraction(0)) + mass * chance
    return {rest: normalized(law) for rest, law in masses.items()}
