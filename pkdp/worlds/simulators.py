"""Distributional differential privacy: the smallest e^ε over all simulators, certified.

Definition 4 compares the law of M(D) with what a simulator makes of D₋ᵢ, the database without the
target's record. The smallest e^ε is a minimum over all simulators; nothing here takes a computer's
word for it. Every upper bound is the exact ratio of a simulator that is written down in fractions,
every lower bound follows from multipliers that are written down in fractions (`_Program.root`), and
whether there is a finite ε at all is decided by counting (`_Program.is_finite`). Floating-point
linear programming only proposes the simulators and the multipliers; numpy and scipy are imported
for it, where counting alone does not give the answer.

Notation: a *condition* c is a law θ of the family, a value B̂ of the knowledge and a value a of
D(i) that have positive probability together. Given c, the law of D₋ᵢ is p_c, and that of M(D) is
q_c. A simulator is a kernel s: from the database d it reads it outputs o with probability s(d, o),
hence o under c with probability ``x_c(o) = Σ_d p_c(d)·s(d, o)``. Its *ratio* is the largest of all
x_c(o)/q_c(o) and q_c(o)/x_c(o), where 0/0 is left out and anything else over 0 is infinite. The
problem is one for each target i, since D₋ᵢ comes with the numbers of its records; but one kernel
must serve all conditions.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from pkdp._checks import as_fraction, as_law, as_mapping, as_ratio
from pkdp._order import in_order
from pkdp.worlds._exact_distributions import summed
from pkdp.worlds._output_distributions import Ratio, as_records, greatest_ratio
from pkdp.worlds.mechanisms import Database, Mechanism, Output, OutputLaw, output_law
from pkdp.worlds.world import World, family

__all__ = ["Enclosure", "Simulator", "best_simulator", "ddp_ratio"]

# The law of what the simulator reads, and the law of what is released: p_c and q_c.
_Law: TypeAlias = dict[Any, Fraction]
_Condition: TypeAlias = tuple[_Law, _Law]

# Linear programs for one target, and those in a row that may fail to improve a bound.
_MOST_PROGRAMS, _MOST_FAILURES = 60, 3
# The search goes on to bounds this much closer than asked for, but not below the second number.
_CLOSER, _CLOSEST = 10**4, Fraction(1, 10**14)
# A fraction is tried as the smallest ratio if one with such a denominator is in so short an
# interval with at most about this probability otherwise.
_CHANCE = Fraction(1, 1000)
# Kernels are rounded to multiples of one over this.
_UNIT = 2**80
# A kernel that misses an output is mixed with one that misses none, which gets this much weight.
_LITTLE = Fraction(1, 2**40)
# What the linear program leaves below this is taken as 0, first generously, then strictly; numbers
# that a system of equations leaves free get denominators up to this.
_ZEROS, _DENOMINATORS = (1e-9, 0.0), 10**6
# The largest system of equations that is solved in fractions, and the key of their right sides.
_MOST_UNKNOWNS, _RIGHT = 160, "right"
# Raised where quotients of probabilities do not fit floats.
_TOO_FAR_APART = (OverflowError, ZeroDivisionError, FloatingPointError)


@dataclass(frozen=True)
class Enclosure:
    """Two exact bounds around a number that is at least 1: a smallest e^ε.

    Attributes
    ----------
    lower, upper : Fraction or float
        The bounds, fractions in [1, inf), or both `math.inf`.

    Raises
    ------
    ValueError
        If a bound is less than 1, the lower one above the upper one, or just one infinite.
    TypeError
        If a bound is neither an int, nor a fraction, nor inf.

    Examples
    --------
    >>> third = Enclosure(Fraction(4, 3), Fraction(4, 3))
    >>> third.is_exact, float(third), str(third)
    (True, 1.3333333333333333, '4/3')
    >>> rough = Enclosure(Fraction(1), Fraction(3, 2))
    >>> rough.width, float(rough), str(rough)
    (Fraction(1, 2), 1.25, '1.25 ± 0.25')
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
        """Whether both bounds are the same, also where they are infinite."""
        return self.lower == self.upper

    @property
    def width(self) -> Fraction:
        """The relative width ``upper/lower - 1``; 0 where both are infinite."""
        if isinstance(self.lower, Fraction) and isinstance(self.upper, Fraction):
            return self.upper / self.lower - 1
        return Fraction(0)

    def __float__(self) -> float:
        """Return the middle; inf where it is above the largest float."""
        try:
            return float((self.lower + self.upper) / 2)
        except OverflowError:
            return math.inf

    def __str__(self) -> str:
        """Return the number where it is known, else the middle and half the width."""
        if self.is_exact:
            return str(self.lower)
        middle, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2
        return f"{_decimal(middle, 12)} ± {_decimal(half, 2)}"


def _decimal(value: Ratio, digits: int) -> str:
    """Return a number with so many significant digits, also beyond the largest float."""
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:
        import mpmath

        ratio = Fraction(value)
        return str(mpmath.nstr(mpmath.mpf(ratio.numerator) / ratio.denominator, digits))


@dataclass(frozen=True)
class Simulator:
    """A simulator for one target, and how well it does.

    Attributes
    ----------
    kernel : mapping
        ``{d: {o: Fraction}}``: from each possible database without the target's record to the law
        of what the simulator outputs. Nobody can change it.
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
        rows = {d: MappingProxyType(as_law(law, f"kernel[{d!r}]")) for d, law in kernel.items()}
        object.__setattr__(self, "kernel", MappingProxyType(rows))

    def __hash__(self) -> int:
        rows = frozenset((d, frozenset(law.items())) for d, law in self.kernel.items())
        return hash((rows, self.ratio, self.enclosure))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the arguments: what protects the kernel can be neither."""
        rows = {d: dict(law) for d, law in self.kernel.items()}
        return Simulator, (rows, self.ratio, self.enclosure)


def ddp_ratio(
    worlds: World | Iterable[World],
    mechanism: Mechanism,
    targets: Iterable[int] | None = None,
    *,
    width: Fraction | int = Fraction(1, 10**9),
) -> Enclosure:
    """Return the smallest e^ε of distributional differential privacy, between certified bounds.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ; one simulator must serve all of it.
    mechanism : callable
        From a database to an output, or to ``{output: Fraction}``.
    targets : iterable of int, optional
        Numbers i of the records to protect, in each world of the family; by default all there are.
    width : Fraction
        The bounds are at most this far apart, relative to the lower one; in [1e-12, 1].

    Returns
    -------
    Enclosure
        Around the largest, over the targets, of the smallest ratio of a simulator. Both bounds are
        `math.inf` if no ε will do. They coincide where the number is a fraction with a small
        denominator, except in large worlds.

    Raises
    ------
    ValueError
        If a target is not the number of a record in each world, there is none, or `width` is out of
        range.
    TypeError
        If `width` is not an int or a fraction, or a target not a number.
    RuntimeError
        If the bounds could not be brought as close as that, which may happen where probabilities
        are ten orders of magnitude apart. A larger `width` may help, below 1.

    Notes
    -----
    A generalized fractional program [1]_: with the largest ratio so far as E, a linear program
    finds the simulator whose violation of ``q/E ≤ x ≤ E·q`` is least, and its dual the multipliers
    for a lower bound; a handful of rounds suffice. Each costs a linear program with as many columns
    as there are pairs of a database d and an output o, and twice as many rows as there are pairs of
    a condition and an output. Databases whose probabilities under all conditions are proportional
    count once, as do outputs; 64 databases and 8 outputs take well under a second.

    References
    ----------
    Partial knowledge, Definition 4.

    .. [1] J.-P. Crouzeix, J. A. Ferland and S. Schaible, "An algorithm for generalized fractional
       programs", Journal of Optimization Theory and Applications 47 (1985) 35-49.

    Examples
    --------
    The identity on duplicates (Example 2), and on two bits that are less than duplicates:

    >>> from pkdp.worlds.mechanisms import identity, make_randomized_response
    >>> from pkdp.worlds import copied, correlated_pairs
    >>> half = Fraction(1, 2)
    >>> print(ddp_ratio(copied({0: half, 1: half}, groups=2), identity))
    1
    >>> print(ddp_ratio(correlated_pairs([half], agree=Fraction(3, 4)), identity))
    inf

    With coins, likeness is enough, and the simulator guesses:

    >>> alike = correlated_pairs([Fraction(1, 3)], agree=Fraction(9, 10))
    >>> print(ddp_ratio(alike, make_randomized_response(half)))
    152/137
    """
    members = family(worlds)
    goal = _as_width(width)
    lower: Ratio = Fraction(1)
    upper: Ratio = Fraction(1)
    seen = set()  # records that play the same part have the same conditions
    numbers = as_records(members, targets)
    laws = _laws(members, mechanism)
    for target in dict.fromkeys(number for those in numbers for number in those):
        for conditions in _parts(_conditions(members, laws, target)):
            if (key := frozenset(conditions)) in seen:
                continue
            seen.add(key)
            found = _search(_Program(list(conditions.values())), goal, lower)
            lower, upper = max(lower, found.lower), max(upper, found.upper)
            if lower == math.inf:
                return Enclosure(lower, upper)
    return Enclosure(lower, upper)


def best_simulator(
    worlds: World | Iterable[World],
    mechanism: Mechanism,
    target: int,
    *,
    width: Fraction | int = Fraction(1, 10**9),
) -> Simulator:
    """Return a simulator for one target that is as good as any, up to a relative width.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ; one simulator must serve all of it.
    mechanism : callable
        From a database to an output, or to ``{output: Fraction}``.
    target : int
        Number i of the record to protect, in each world of the family.
    width : Fraction
        The ratio is at most this far above the smallest one, relative to it; in [1e-12, 1].

    Returns
    -------
    Simulator
        Its kernel, its exact ratio, and the enclosure of the smallest ratio. Where drawing the
        missing record anew and running M is as good as any other simulator, it does that; so it
        does where no ε will do.

    Raises
    ------
    ValueError
        If the target is not the number of a record in each world, or `width` is out of range.
    TypeError
        If `width` is not an int or a fraction, or the target not a number.
    RuntimeError
        If no simulator as close as that was found.

    References
    ----------
    Partial knowledge, Definition 4 and Example 2.

    Examples
    --------
    The simulator of Example 2 puts the duplicate where the record is missing:

    >>> from pkdp.worlds.mechanisms import identity
    >>> from pkdp.worlds import copied
    >>> found = best_simulator(copied({"a": Fraction(1, 2), "b": Fraction(1, 2)}, 1), identity, 0)
    >>> found.ratio
    Fraction(1, 1)
    >>> dict(found.kernel[("b",)])
    {('b', 'b'): Fraction(1, 1)}
    """
    members = family(worlds)
    goal = _as_width(width)
    index = as_records(members, [target])[0][0]
    laws = _laws(members, mechanism)
    every = _conditions(members, laws, index)
    lower: Ratio = Fraction(1)
    kernel: _OutputLaws = {}
    for conditions in _parts(every):
        program = _Program(list(conditions.values()))
        found = _search(program, goal, lower)
        lower = max(lower, found.lower)
        kernel.update(program.unmerged(found.kernel))
    ratio = _ratio(every.values(), kernel)
    # Many simulators may be as good; one that can be explained is better.
    natural = _reconstruction(members, laws, index)
    if (simple := _ratio(every.values(), natural)) <= ratio:
        kernel, ratio = natural, simple
    ordered = {
        database: {output: kernel[database][output] for output in in_order(kernel[database])}
        for database in in_order(kernel)
    }
    return Simulator(ordered, ratio, Enclosure(lower, ratio))


# What is asked


def _as_width(width: Fraction | int) -> Fraction:
    """Return a relative width in [1e-12, 1]."""
    exact = as_fraction(width, "width")
    if not Fraction(1, 10**12) <= exact <= 1:
        raise ValueError(f"width must be in [1e-12, 1], got {width}")
    return exact


# Conditions under keys that tell different ones apart.
_Conditions: TypeAlias = dict[Hashable, _Condition]
# The law of the output for each database, or for each that a simulator reads.
_OutputLaws: TypeAlias = dict[Database, OutputLaw]


def _laws(members: Sequence[World], mechanism: Mechanism) -> _OutputLaws:
    """Call the mechanism once for each database of any world."""
    databases = dict.fromkeys(database for world in members for database in world.databases)
    return {database: output_law(mechanism, database) for database in databases}


def _conditions(members: Sequence[World], laws: _OutputLaws, target: int) -> _Conditions:
    """Return (p_c, q_c) for every condition c, each pair once."""
    found: _Conditions = {}
    for world in members:
        if target >= world.size:
            continue
        shares: dict[tuple[Any, Any], dict[Database, int]] = {}
        for (database, knowledge), weight in world.weights.items():
            shares.setdefault((knowledge, database[target]), {})[database] = weight
        for share in shares.values():
            total = sum(share.values())
            # D(i) and D₋ᵢ make D: no two databases meet here.
            p = {_without(database, target): Fraction(w, total) for database, w in share.items()}
            q = _mixture(share, laws)
            found[frozenset(p.items()), frozenset(q.items())] = (p, q)
    return found


def _without(database: Database, target: int) -> Database:
    return database[:target] + database[target + 1 :]


def _mixture(share: Mapping[Database, Fraction | int], laws: _OutputLaws) -> OutputLaw:
    """Return the law of the output, given one of some databases in proportion to these masses."""
    total = sum(share.values())
    sums = summed(
        (output, weight * mass)
        for database, weight in share.items()
        for output, mass in laws[database].items()
    )
    return {output: mass / total for output, mass in sums.items()}


def _parts(conditions: _Conditions) -> list[_Conditions]:
    """Split conditions so that no database is possible in two parts: each is a problem of its own.

    For the kernel's rows are free of each other, and a condition concerns those of its databases.
    """
    parts: list[tuple[set[Database], _Conditions]] = []
    for key, (p, q) in conditions.items():
        joined = [part for part in parts if not part[0].isdisjoint(p)]
        parts = [part for part in parts if part[0].isdisjoint(p)]
        databases = set(p).union(*(part[0] for part in joined))
        merged = {k: pair for part in joined for k, pair in part[1].items()} | {key: (p, q)}
        parts.append((databases, merged))
    return [part for _, part in parts]


def _ratio(conditions: Iterable[_Condition], kernel: Mapping[Any, _Law] | Sequence[_Law]) -> Ratio:
    """Return the exact ratio of a simulator, as the definition reads."""

    def compared() -> Iterator[tuple[Fraction, Fraction]]:
        none = Fraction(0)
        for p_c, q_c in conditions:
            x_c = summed((o, p * share) for d, p in p_c.items() for o, share in kernel[d].items())
            for o in x_c.keys() | q_c.keys():
                yield x_c.get(o, none), q_c.get(o, none)

    return greatest_ratio(compared())


def _reconstruction(members: Sequence[World], laws: _OutputLaws, target: int) -> _OutputLaws:
    """Return the simulator that draws the missing record as it is distributed, and runs M.

    Its law, given the others, is that of the mixture of all worlds of the family in equal parts.
    """
    shares: dict[Database, dict[Database, Fraction]] = {}
    for world in members:
        for (database, _), mass in world.masses.items():
            share = shares.setdefault(_without(database, target), {})
            share[database] = share.get(database, Fraction(0)) + mass
    return {rest: _mixture(share, laws) for rest, share in shares.items()}


# The program in fractions

# A simulator: the law of the output's number for the databases of each number.
_Kernel: TypeAlias = list[_Law]
# Numbers ≥ 0, not all 0, where q_c(o) > 0: u_co at (c, o, 0), l_co at (c, o, 1); those left out
# are 0.
_Multipliers: TypeAlias = Mapping[tuple[int, int, int], Fraction | int]


class _Program:
    """The conditions of one target, with proportional columns merged.

    Databases d and d′ with p_c(d)/p_c(d′) the same for all c are made one: a kernel that mixes the
    two rows in this proportion has the same x_c. Outputs o and o′ with q_c(o)/q_c(o′) the same for
    all c are made one: whatever a simulator does, ``(x_c(o)+x_c(o′))/(q_c(o)+q_c(o′))`` lies
    between the two ratios, and one that splits the merged output in this proportion has the merged
    ratio at both. So the smallest ratio is the same.

    Parameters
    ----------
    conditions : sequence of pairs of mappings
        The laws p_c and q_c.
    """

    def __init__(self, conditions: Sequence[_Condition]) -> None:
        self._views, self.p = _merged([law for law, _ in conditions])
        self._outputs, self.q = _merged([law for _, law in conditions])
        # What the simulator may output from d: where q_c(o) = 0 and p_c(d) > 0, s(d, o) > 0 would
        # make x_c(o) positive, and the ratio infinite.
        self.allowed = [
            [
                o
                for o in range(len(self._outputs))
                if all(o in q_c for p_c, q_c in zip(self.p, self.q, strict=True) if d in p_c)
            ]
            for d in range(len(self._views))
        ]

    def is_finite(self) -> bool:
        """Whether some simulator has a finite ratio.

        That is the case iff every d is allowed some output, and every o of every q_c is allowed
        for some d of p_c. *Necessary:* a finite ratio means that x_c and q_c have the same support
        for every c. Then s(d, o) > 0 only for o allowed for d, so that there is one; and
        x_c(o) > 0 needs a d with p_c(d) > 0 and s(d, o) > 0, for which o is allowed.
        *Sufficient:* let s(d, ·) be uniform on what is allowed for d. Then x_c(o) > 0 wherever
        q_c(o) > 0 by the second part, and nowhere else by the definition of "allowed".
        """
        return all(self.allowed) and all(
            any(o in self.allowed[d] for d in p_c)
            for p_c, q_c in zip(self.p, self.q, strict=True)
            for o in q_c
        )

    def ratio(self, kernel: _Kernel) -> Ratio:
        """Return the exact ratio of a simulator: an upper bound."""
        if any(min(row.values()) <= 0 or sum(row.values()) != 1 for row in kernel):
            raise ArithmeticError("a simulator's row is not a law; please report the arguments")
        return _ratio(zip(self.p, self.q, strict=True), kernel)

    def root(self, multipliers: _Multipliers, above: Fraction) -> Fraction:
        """Return the lower bound that multipliers give, exactly.

        For u, l ≥ 0, not all 0, on the pairs (c, o) with q_c(o) > 0, let

            G(E) = Σ_d min_o Σ_c p_c(d)·(u_co - E·l_co) + Σ_co q_c(o)·(l_co - E·u_co),

        with the minimum over the outputs allowed for d. *Every simulator has a ratio of at least
        any E with G(E) ≥ 0.* Proof: let R be the ratio of a simulator s, finite without loss. A
        mean over o is at least the minimum, so, s(d, ·) being a law on what is allowed for d,

            G(E) ≤ Σ_d Σ_o s(d, o) Σ_c p_c(d)·(u_co - E·l_co) + Σ_co q_c(o)·(l_co - E·u_co)
                 = Σ_co u_co·(x_c(o) - E·q_c(o)) + Σ_co l_co·(q_c(o) - E·x_c(o)).

        If E > R, then x ≤ R·q < E·q and q ≤ R·x < E·x for all these (c, o), since neither is 0. So
        the right-hand side is negative, and so is G(E).

        G is a minimum of finitely many affine functions, none of which increases: it is concave and
        piecewise affine, G(0) ≥ 0, and G is not positive at any ratio `above` of a simulator (let E
        fall to R above). So Newton's method from there goes down to the largest root, in finitely
        many steps: each step that is not the last leaves an affine piece for good. Every slope met
        is negative, for a constant piece that is negative somewhere would make G(0) negative.
        """
        numbers = multipliers.values()
        if not numbers or min(numbers) < 0 or max(numbers) == 0:
            raise ArithmeticError("multipliers are not positive; please report the arguments")
        none = Fraction(0)
        pieces = [{o: [none, none] for o in few} for few in self.allowed]
        start, slope = none, none  # the part of G without minimum is start - E·slope
        for c, (p_c, q_c) in enumerate(zip(self.p, self.q, strict=True)):
            for o, q in q_c.items():
                u, ell = multipliers.get((c, o, 0), 0), multipliers.get((c, o, 1), 0)
                if not (u or ell):
                    continue
                start, slope = start + q * ell, slope + q * u
                for d, mass in p_c.items():
                    if o in pieces[d]:
                        pieces[d][o][0] += mass * u
                        pieces[d][o][1] += mass * ell
        E = above
        while True:
            fixed, falling = start, slope
            for piece in pieces:
                # The least value; of several the steepest, with which the next step is shortest.
                value, steep = min(
                    piece.values(), key=lambda line: (line[0] - line[1] * E, -line[1])
                )
                fixed, falling = fixed + value, falling + steep
            if fixed >= falling * E:
                return max(E, Fraction(1))
            E = fixed / falling

    def uniform(self) -> _Kernel:
        """Return the simulator that is uniform on what it may output, or on all outputs."""
        everything = list(range(len(self._outputs)))
        rows = (few or everything for few in self.allowed)
        return [dict.fromkeys(row, Fraction(1, len(row))) for row in rows]

    def posterior(self) -> _Kernel:
        """Return the simulator that guesses c from d, as if all were as likely, and draws from q_c.

        It draws only what is allowed for d, and does not quite leave any of that out.
        """
        rows = []
        for d, few in enumerate(self.allowed):
            given = [(p_c[d], q_c) for p_c, q_c in zip(self.p, self.q, strict=True) if d in p_c]
            rows.append({o: sum(mass * q_c[o] for mass, q_c in given) for o in few})
        return _rounded(rows, least=1)

    def unmerged(self, kernel: _Kernel) -> _OutputLaws:
        """Return a kernel for the databases and the outputs as they were before the merger."""
        return {
            database: {
                output: share * part
                for o, share in row.items()
                for output, part in self._outputs[o].items()
            }
            for view, row in zip(self._views, kernel, strict=True)
            for database in view
        }


def _merged(laws: Sequence[_Law]) -> tuple[list[_Law], list[_Law]]:
    """Merge the items whose probabilities under all laws are proportional.

    Returns the groups, each with the share of its items, and the laws of the group's number.
    """
    columns: dict[Any, dict[int, Fraction]] = {}
    for c, law in enumerate(laws):
        for item, mass in law.items():
            columns.setdefault(item, {})[c] = mass
    groups: dict[frozenset[tuple[int, Fraction]], _Law] = {}
    for item, column in columns.items():
        total = sum(column.values(), Fraction(0))
        direction = frozenset((c, mass / total) for c, mass in column.items())
        groups.setdefault(direction, {})[item] = total
    merged: list[_Law] = [{} for _ in laws]
    shares = []
    for number, (direction, group) in enumerate(groups.items()):
        total = sum(group.values(), Fraction(0))
        shares.append({item: part / total for item, part in group.items()})
        for c, part in direction:
            merged[c][number] = part * total
    return shares, merged


def _rounded(rows: Iterable[Mapping[int, float | Fraction]], least: int = 0) -> _Kernel:
    """Return a kernel in proportion to some rows, in units of 1/`_UNIT`."""
    kernel = []
    for row in rows:
        total = sum(row.values())
        parts = {o: max(least, int(share / total * _UNIT)) for o, share in row.items()}
        largest = max(parts, key=parts.__getitem__)
        parts[largest] += _UNIT - sum(parts.values())
        kernel.append({o: Fraction(part, _UNIT) for o, part in parts.items() if part})
    return kernel


def _mixed(kernel: _Kernel, other: _Kernel) -> _Kernel:
    """Mix a kernel with a little of another, which misses no output."""
    none = Fraction(0)
    return [
        {o: (1 - _LITTLE) * row.get(o, none) + _LITTLE * share for o, share in extra.items()}
        for row, extra in zip(kernel, other, strict=True)
    ]


# Proposals in floating point


class _Proposal(NamedTuple):
    """The solution of a linear program, and of its dual.

    Attributes
    ----------
    kernel : dict
        ``{(d, o): s(d, o)}``.
    slack : dict
        ``{(c, o, side): slack}`` of the inequalities ``x ≤ E(1+t)q`` (side 0) and ``x ≥ (1-t)q/E``
        (side 1), relative to q·E and q/E.
    duals : dict
        Likewise the multipliers of the inequalities, which sum to 1.
    costs : dict
        ``{(d, o): reduced cost}``.
    """

    kernel: dict[tuple[int, int], float]
    slack: dict[tuple[int, int, int], float]
    duals: dict[tuple[int, int, int], float]
    costs: dict[tuple[int, int], float]


class _Proposer:
    """The linear program of a given E: whose solution violates the inequalities least.

    They are ``x_c(o) ≤ E·q_c(o)·(1 + t)`` and ``x_c(o) ≥ q_c(o)/E·(1 - t)``, and t is to be small;
    t ≤ 0 means a ratio of at most E. So that rare outputs do not drown, they are divided by
    E·q_c(o) and q_c(o)/E, and the unknowns are s(d, o)/σ(d, o), with σ(d, o) the geometric mean of
    the smallest and the largest q_c(o) over the conditions of d.
    """

    def __init__(self, program: _Program) -> None:
        import numpy as np
        from scipy import sparse

        self._pairs = [(d, o) for d, few in enumerate(program.allowed) for o in few]
        self._rows = [(c, o) for c, q_c in enumerate(program.q) for o in q_c]
        laws = list(zip(program.p, program.q, strict=True))
        sizes = []
        for d, o in self._pairs:
            masses = [float(q_c[o]) for p_c, q_c in laws if d in p_c]
            sizes.append(math.sqrt(min(masses)) * math.sqrt(max(masses)))
        self._scale = np.array(sizes)
        column_of = {pair: k for k, pair in enumerate(self._pairs)}
        entries = [
            (row, column_of[d, o], float(mass / program.q[c][o]))
            for row, (c, o) in enumerate(self._rows)
            for d, mass in program.p[c].items()
            if (d, o) in column_of
        ]
        rows, columns, values = map(np.array, zip(*entries, strict=True))
        shape = (len(self._rows), len(self._pairs))
        # x_c(o)/q_c(o) for all (c, o), and the sums of the kernel's rows.
        ratios: Any = sparse.csc_array((values * self._scale[columns], (rows, columns)), shape)
        shape = (len(program.allowed), len(self._pairs))
        databases = np.array([d for d, _ in self._pairs])
        places = (databases, np.arange(len(self._pairs)))
        sums: Any = sparse.csc_array((self._scale, places), shape)
        # The program but for E, which divides the ratios in its upper half and multiplies those in
        # its lower half; the last column is that of the violation.
        # `Any`, for scipy's types know neither of dense blocks nor of sparse programs.
        violation: Any = -np.ones((len(self._rows), 1))
        unbound: Any = np.zeros((len(program.allowed), 1))
        blocks = [[ratios, violation], [-ratios, violation]]
        self._inequalities: Any = sparse.block_array(blocks, format="csc")
        self._in_upper_half = self._inequalities.indices < len(self._rows)
        self._sums: Any = sparse.block_array([[sums, unbound]], format="csc")
        self._bounds: Any = np.array([[0.0, np.inf]] * len(self._pairs) + [[-np.inf, np.inf]])

    def at(self, E: float) -> _Proposal | None:
        """Return the solution for a given E, or None if there is none to be had."""
        import numpy as np
        from scipy.optimize import linprog

        inequalities, ones = self._inequalities.copy(), len(self._rows) * 2
        masses = inequalities.data[:-ones]
        masses *= np.where(self._in_upper_half[:-ones], 1.0 / E, E)
        result: Any = linprog(
            np.append(np.zeros(len(self._pairs)), 1.0),
            A_ub=inequalities,
            b_ub=np.repeat([1.0, -1.0], len(self._rows)),
            A_eq=self._sums,
            b_eq=np.ones(self._sums.shape[0]),
            bounds=self._bounds,
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if not result.success:
            return None
        kernel = self._scale * result.x[:-1]
        sides = [(c, o, side) for c, o in self._rows for side in (0, 1)]
        slack, duals = (
            dict(zip(sides, np.reshape(values, (2, -1)).T.ravel().tolist(), strict=True))
            for values in (result.slack, -result.ineqlin.marginals)
        )
        costs = result.lower.marginals[:-1]
        return _Proposal(
            dict(zip(self._pairs, kernel.tolist(), strict=True)),
            slack,
            duals,
            dict(zip(self._pairs, costs.tolist(), strict=True)),
        )


def _kernel_from(program: _Program, values: Mapping[tuple[int, int], float]) -> _Kernel:
    """Round a kernel in floating point to one in fractions, whose rows sum to 1."""
    rows: list[dict[int, float]] = [{} for _ in program.allowed]
    for (d, o), share in values.items():
        rows[d][o] = max(share, 0.0)
    return _rounded(rows)


def _multipliers_from(program: _Program, proposal: _Proposal, E: float) -> _Multipliers:
    """Return the dual solution at E, in fractions."""
    return {
        (c, o, side): Fraction(dual / (float(program.q[c][o]) * (1.0 if side else E)))
        for (c, o, side), dual in proposal.duals.items()
        if dual > 0.0
    }


# The search


class _Bounds:
    """The best bounds so far, with the kernel of the upper one."""

    def __init__(self, program: _Program) -> None:
        self.program = program
        self.kernel = program.uniform()
        self.lower: Ratio = Fraction(1)
        self.upper = program.ratio(self.kernel)
        if not program.is_finite():
            self.lower = math.inf
            return
        self.spare = program.posterior()
        self.offer(self.spare)

    @property
    def width(self) -> Fraction:
        return Enclosure(self.lower, self.upper).width

    def offer(self, kernel: _Kernel) -> None:
        """Take a kernel if it is better."""
        ratio = self.program.ratio(kernel)
        if ratio == math.inf:
            kernel = _mixed(kernel, self.spare)
            ratio = self.program.ratio(kernel)
        if ratio < self.upper:
            self.kernel, self.upper = kernel, ratio

    def press(self, multipliers: _Multipliers) -> None:
        """Take multipliers if their bound is better."""
        if any(multipliers.values()) and isinstance(self.upper, Fraction):
            self.lower = max(self.lower, self.program.root(multipliers, self.upper))


def _search(program: _Program, width: Fraction, least: Ratio) -> _Bounds:
    """Bring the bounds as close as asked for, or the upper one down to `least`."""
    bounds = _Bounds(program)
    if bounds.upper <= max(least, bounds.lower):
        return bounds
    import numpy as np

    # If floats do not hold the quotients of probabilities, the bounds stay as close as they are.
    with contextlib.suppress(*_TOO_FAR_APART), np.errstate(over="raise"):
        _improve(bounds, width, least)
    if bounds.width > width and bounds.upper > least:
        lower, upper = _decimal(bounds.lower, 17), _decimal(bounds.upper, 17)
        raise RuntimeError(
            f"the smallest ratio is in [{lower}, {upper}], but was not enclosed to the relative "
            f"width {float(width):.2g}" + (": ask for a larger width" if width < 1 else "")
        )
    return bounds


def _improve(bounds: _Bounds, width: Fraction, least: Ratio) -> None:
    """Bring the bounds as close as floating point can, as `_search` asks for."""
    proposer = _Proposer(bounds.program)
    failures = 0
    closer = max(width / _CLOSER, _CLOSEST)  # cheap, for convergence is fast, and helps `_guess`
    for _ in range(_MOST_PROGRAMS):
        if bounds.width <= closer or bounds.upper <= least or failures == _MOST_FAILURES:
            break
        before = bounds.width
        E = _next_trial(bounds, failures)
        proposal = proposer.at(E)
        if proposal is not None:
            bounds.offer(_kernel_from(bounds.program, proposal.kernel))
            bounds.press(_multipliers_from(bounds.program, proposal, E))
        failures = 0 if bounds.width < before / 2 else failures + 1
    for _ in range(_MOST_FAILURES):
        if bounds.width <= width or bounds.upper <= least:
            break
        _refine(bounds, proposer, Fraction(float(bounds.upper)))
    if bounds.upper > max(least, bounds.lower):
        _guess(bounds, proposer)


def _next_trial(bounds: _Bounds, failures: int) -> float:
    """Return the E of the next linear program: the upper bound, but not a hopeless one."""
    lower, upper = float(bounds.lower), float(bounds.upper)
    if upper > 4.0 * lower:
        return math.sqrt(lower) * math.sqrt(upper)
    return upper + (lower - upper) * failures / 2


# Exact solutions


def _refine(bounds: _Bounds, proposer: _Proposer, E: Fraction) -> None:
    """Offer and press with the exact solution of the linear program at E and that of its dual.

    Both are vertices, the solutions in fractions of those inequalities that are equations there; so
    the solution in floating point need only say which these are.
    """
    proposal = proposer.at(float(E))
    if proposal is None:
        return
    for zero in _ZEROS:
        _offer_vertex(bounds, proposal, E, zero)
        _press_vertex(bounds, proposal, E, zero)


def _guess(bounds: _Bounds, proposer: _Proposer) -> None:
    """Try the simplest fraction between the bounds as the smallest ratio.

    If it is, the exact solutions there make both bounds equal to it.
    """
    lower, upper = bounds.lower, bounds.upper
    if isinstance(lower, Fraction) and isinstance(upper, Fraction):
        most = max(1, math.isqrt(int(_CHANCE / (upper - lower))))
        E = ((lower + upper) / 2).limit_denominator(most)  # there is no other one in between
        if lower <= E <= upper:
            _refine(bounds, proposer, E)


def _offer_vertex(bounds: _Bounds, proposal: _Proposal, E: Fraction, zero: float) -> None:
    """Offer the kernel at which the inequalities that are nearly equations are equations."""
    program = bounds.program
    positive = {pair: share for pair, share in proposal.kernel.items() if share > zero}
    unknowns = [*positive, "violation"]
    system: list[_Equation] = []
    for d in range(len(program.allowed)):
        row = {pair: Fraction(1) for pair in positive if pair[0] == d}
        system.append({**row, _RIGHT: Fraction(1)})
    for (c, o, side), slack in proposal.slack.items():
        if slack <= zero:  # x = q·E·(1 + t), or x = q/E·(1 - t)
            x = {(d, o): mass for d, mass in program.p[c].items() if (d, o) in positive}
            bound = program.q[c][o] / E if side else program.q[c][o] * E
            system.append({**x, "violation": bound if side else -bound, _RIGHT: bound})
    solution = _solved(system, unknowns, {**positive, "violation": 0.0})
    if solution is None or any(solution[pair] < 0 for pair in positive):
        return
    kernel: _Kernel = [{} for _ in program.allowed]
    for d, o in positive:
        if solution[d, o]:
            kernel[d][o] = solution[d, o]
    bounds.offer(kernel)


def _press_vertex(bounds: _Bounds, proposal: _Proposal, E: Fraction, zero: float) -> None:
    """Press with the multipliers at which the reduced costs that are nearly 0 are 0."""
    program = bounds.program
    total = {
        (c, o, side): program.q[c][o] * (1 if side else E)
        for (c, o, side), dual in proposal.duals.items()
        if dual > zero
    }
    positive: dict[Any, float] = {key: proposal.duals[key] / float(total[key]) for key in total}
    least = {("least", d): 0.0 for d in range(len(program.allowed))}
    system: list[_Equation] = [{**total, _RIGHT: Fraction(1)}]
    for (d, o), cost in proposal.costs.items():
        if abs(cost) > zero:
            continue
        row: dict[Any, Fraction] = {("least", d): Fraction(-1)}
        for c, other, side in positive:
            if other == o and d in program.p[c]:
                row[c, o, side] = program.p[c][d] * (-E if side else 1)
        system.append(row)
    solution = _solved(system, [*positive, *least], {**positive, **least})
    if solution is None or any(solution[key] < 0 for key in positive):
        return
    bounds.press({key: solution[key] for key in positive})


# From unknowns to coefficients; the right side is that of `_RIGHT`.
_Equation: TypeAlias = dict[Any, Fraction]


def _solved(
    system: Sequence[_Equation], unknowns: Sequence[Any], near: Mapping[Any, float]
) -> dict[Any, Fraction] | None:
    """Return a solution in fractions, None if there is none or the system is large.

    Unknowns that the equations leave free are rounded from `near`.
    """
    if len(unknowns) > _MOST_UNKNOWNS:
        return None
    reduced: dict[Any, _Equation] = {}  # by pivot; no pivot occurs in an earlier equation's row
    for equation in system:
        for pivot, by in reduced.items():
            if factor := equation.get(pivot):
                changed = {key: equation.get(key, 0) - factor * value for key, value in by.items()}
                equation = {key: value for key, value in {**equation, **changed}.items() if value}
        pivot = next((key for key in equation if key != _RIGHT), _RIGHT)
        if pivot != _RIGHT:
            reduced[pivot] = {key: value / equation[pivot] for key, value in equation.items()}
        elif equation.get(_RIGHT):
            return None
    solution = {
        key: Fraction(near[key]).limit_denominator(_DENOMINATORS)
        for key in unknowns
        if key not in reduced
    }
    for pivot, equation in reversed(reduced.items()):
        right = equation.pop(_RIGHT, Fraction(0))
        rest = (value * solution[key] for key, value in equation.items() if key != pivot)
        solution[pivot] = right - sum(rest, Fraction(0))
    return solution
