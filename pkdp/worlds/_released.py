"""What a definition sees of a world: the laws of the output, in whole numbers.

A definition conditions on the knowledge and on the target's record, and compares the laws of the
output. These laws are gathered here as integers in proportion to the probabilities, so that sums
need no common denominators and comparisons no divisions. `pkdp.definitions`, `pkdp.posteriors` and
`pkdp.knowledge` turn them into fractions. The mechanism is called once for each database, however
many targets and worlds there are, and from then on outputs are numbers: what is looked up again and
again is a small integer, not a tuple or a fraction.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pkdp._checks import as_integer, as_ratio, as_several, is_among
from pkdp._order import in_order
from pkdp.worlds.mechanisms import Database, Mechanism, Output, output_law
from pkdp.worlds.world import Knowledge, Target, World, family

if TYPE_CHECKING:
    from pkdp.profiles.profile import PrivacyProfile

# e^ε, exactly, or inf.
Ratio: TypeAlias = Fraction | float

Worlds: TypeAlias = World | Iterable[World]
Targets: TypeAlias = Iterable[Target] | None

# Integers in proportion to probabilities: of each output, and so for each value of the target.
Weights: TypeAlias = Counter[Any]
Columns: TypeAlias = dict[Any, Weights]

# The outputs of one database, by number, with their masses, in one unit for all databases.
NumberedLaw: TypeAlias = list[tuple[int, int]]


class Released(NamedTuple):
    """What a mechanism releases: its outputs by number, and the law of these for each database."""

    outputs: tuple[Output, ...]
    laws: dict[Database, NumberedLaw]

    def named(self, columns: Columns) -> Columns:
        """Return laws of numbers as laws of the outputs."""
        return {
            value: Counter({self.outputs[number]: mass for number, mass in law.items()})
            for value, law in columns.items()
        }


@dataclass(frozen=True)
class Comparison:
    """Two laws of one output, as pairs of masses ``(P, Q)`` in units of ``1/unit``."""

    masses: Sequence[tuple[int, int]]
    unit: int

    def delta(self, ratio: Ratio) -> Fraction:
        """Return ``Σ max(0, P - ratio·Q)``."""
        return Fraction(*self.excess(ratio))

    def excess(self, ratio: Ratio) -> tuple[int, int]:
        """Return a numerator and a denominator of `delta`."""
        if isinstance(ratio, float):  # inf
            return sum(p for p, q in self.masses if not q), self.unit
        above, below = ratio.numerator, ratio.denominator
        excesses = (p * below - above * q for p, q in self.masses)
        return sum(excess for excess in excesses if excess > 0), self.unit * below

    def merged(self) -> Comparison:
        """Return the same curve with the fewest masses, so that equal curves are equal."""
        sums: dict[tuple[int, int], int] = {}
        for p, q in self.masses:
            if p:
                common = math.gcd(p, q)
                key = (p // common, q // common)
                sums[key] = sums.get(key, 0) + common
        common = math.gcd(self.unit, *sums.values())
        masses = sorted((p * k // common, q * k // common) for (p, q), k in sums.items())
        return Comparison(tuple(masses), self.unit // common)


def one_world(world: World) -> World:
    """Return a world; a family is refused."""
    if not isinstance(world, World):
        raise TypeError(f"world must be one World, got {world!r}")
    return world


def as_targets(targets: Targets) -> Callable[[World], Iterable[Target]]:
    """Return what gives the targets in a world: those asked for, or all records."""
    if targets is None:
        return lambda world: range(world.size)
    wanted = as_several(targets, "targets", "records, as in [0], or None for all")
    if not wanted:  # an iterator that is used up, as a rule: nothing to protect would be private
        raise ValueError("targets must be at least one, or None for all records, got none")
    return lambda world: wanted


def as_records(members: Sequence[World], targets: Iterable[int] | None) -> list[list[int]]:
    """Return the numbers of the targets in each world; functions are refused.

    Numbers that are asked for must be those of a record in each world.
    """
    targets_in = as_targets(targets)
    return [
        [as_integer(target, "target", 0, world.size - 1) for target in targets_in(world)]  # type: ignore[arg-type]
        for world in members
    ]


def released(mechanism: Mechanism, databases: Iterable[Database]) -> Released:
    """Return what a mechanism releases; it is called once for each database."""
    laws: dict[Database, dict[Output, Fraction]] = {}
    for database in databases:
        if database in laws:
            continue
        try:
            laws[database] = output_law(mechanism, database)
        except KeyError as error:  # a table, as a rule, of what can occur
            if error.args == (database,):
                raise ValueError(f"mechanism must be defined on {database!r}") from error
            raise
    unit = math.lcm(*{mass.denominator for law in laws.values() for mass in law.values()})
    numbers: dict[Output, int] = {}
    numbered = {
        database: [
            (numbers.setdefault(output, len(numbers)), mass.numerator * (unit // mass.denominator))
            for output, mass in law.items()
        ]
        for database, law in laws.items()
    }
    return Released(tuple(numbers), numbered)


def integer_laws(mechanism: Mechanism, databases: Iterable[Database]) -> dict[Database, Weights]:
    """Return the law of the output, by number, for each database, all in the same unit."""
    return {
        database: Counter(dict(law))
        for database, law in released(mechanism, databases).laws.items()
    }


def supports(members: Iterable[World]) -> Iterator[Database]:
    """Yield the databases of positive probability, some of them several times."""
    return (database for world in members for database, _ in world.masses)


def observed_laws(
    world: World, mechanism: Mechanism, secret: Callable[[Database], Any]
) -> dict[Knowledge, Columns]:
    """Return, for each B̂ and each compatible value of the target, the law of the output."""
    answers = released(mechanism, supports([world]))
    (observed,) = all_observed_laws(world, answers, [secret])
    return {knowledge: answers.named(columns) for knowledge, columns in observed.items()}


def all_observed_laws(
    world: World, answers: Released, secrets: Iterable[Callable[[Database], Any]]
) -> Iterator[dict[Knowledge, Columns]]:
    """Yield `observed_laws` for each secret, with outputs by number."""
    parts = {
        knowledge: [(database, weight, answers.laws[database]) for database, weight in part.items()]
        for knowledge, part in world.weights_given.items()
    }
    for secret in secrets:
        observed: dict[Knowledge, Columns] = {knowledge: {} for knowledge in parts}
        for knowledge, part in parts.items():
            columns = observed[knowledge]
            for database, weight, outputs in part:
                value = secret(database)
                law = columns.get(value)
                if law is None:
                    law = columns[value] = Counter()
                for output, mass in outputs:
                    law[output] = law.get(output, 0) + weight * mass
        yield observed


def compatible_values(
    world: World, secret: Callable[[Database], Any]
) -> dict[Knowledge, dict[Any, None]]:
    """Return, for each B̂, the values of the target that are compatible with it."""
    return {
        knowledge: dict.fromkeys(map(secret, part))
        for knowledge, part in world.weights_given.items()
    }


def each_observed(
    worlds: Worlds, mechanism: Mechanism, targets: Targets
) -> Iterator[dict[Knowledge, Columns]]:
    """Yield, for every world and every target, `observed_laws` with outputs by number."""
    return (observed for _, observed in _each_observed(worlds, mechanism, targets))


def _each_observed(
    worlds: Worlds, mechanism: Mechanism, targets: Targets, *, with_all_values: bool = False
) -> Iterator[tuple[Released, dict[Knowledge, Columns]]]:
    """Yield the same with the outputs; refuse worlds where knowledge excludes a target's value."""
    members, targets_in = family(worlds), as_targets(targets)
    secrets = [[world.secret(target) for target in targets_in(world)] for world in members]
    if with_all_values:  # all of them first: the search may end before the last
        for world, wanted in zip(members, secrets, strict=True):
            for secret in wanted:
                check_all_values(compatible_values(world, secret))
    answers = released(mechanism, supports(members))
    for world, wanted in zip(members, secrets, strict=True):
        for observed in all_observed_laws(world, answers, wanted):
            yield answers, observed


class _NumberedWorld:
    """A world whose databases are numbers, so that replacing a record is an addition.

    With the possible records numbered 0…K-1, the database D is ``Σ_i number(D(i))·K^i``.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._places = [len(world.records) ** i for i in range(world.size)]
        self._numbers = {record: k for k, record in enumerate(world.records)}
        # For each B̂: numbers, databases and weights.
        self.parts = {
            knowledge: [
                (self._number(database), database, weight) for database, weight in part.items()
            ]
            for knowledge, part in world.weights_given.items()
        }

    def _number(self, database: Database) -> int:
        return sum(map(operator.mul, map(self._numbers.__getitem__, database), self._places))

    def summands(self, target: int) -> dict[Any, int]:
        """Return what each possible record adds to the number of a database, if it is D(i)."""
        return {record: k * self._places[target] for record, k in self._numbers.items()}

    def replacements(self, target: int, *, everything: bool) -> Mapping[Knowledge, Iterable[Any]]:
        """Return, for each B̂, all possible records, or else those that are compatible with it."""
        if everything:
            return dict.fromkeys(self.parts, self._world.records)
        return compatible_values(self._world, self._world.secret(target))

    def variants(self, targets: Iterable[int], *, everything: bool) -> dict[int, Database]:
        """Return, by number, all databases D_{i→b}."""
        found = {number: database for part in self.parts.values() for number, database, _ in part}
        if len(found) == len(self._numbers) ** self._world.size:
            return found  # there are no others
        for target in targets:
            summands = self.summands(target)
            for knowledge, values in self.replacements(target, everything=everything).items():
                for number, database, _ in self.parts[knowledge]:
                    rest = number - summands[database[target]]
                    for b in values:
                        if rest + summands[b] not in found:
                            variant = (*database[:target], b, *database[target + 1 :])
                            found[rest + summands[b]] = variant
        return found


def replaced_laws(
    worlds: Worlds, mechanism: Mechanism, targets: Iterable[int] | None, *, everything: bool
) -> Iterator[dict[Knowledge, dict[Any, Columns]]]:
    """Yield, for each world and target, for each B̂, a and b, the law of M(D_{i→b}) given a and B̂.

    The b are all possible records, or else those that are compatible with B̂: the mechanism need
    not be defined elsewhere.
    """
    members = family(worlds)
    wanted = as_records(members, targets)
    numbered = [_NumberedWorld(world) for world in members]
    variants = [
        world.variants(those, everything=everything)
        for world, those in zip(numbered, wanted, strict=True)
    ]
    answers = released(mechanism, (d for databases in variants for d in databases.values()))
    for world, those, databases in zip(numbered, wanted, variants, strict=True):
        laws = {number: answers.laws[database] for number, database in databases.items()}
        for target in those:
            yield _replaced_laws(world, laws, target, everything=everything)


def _replaced_laws(
    world: _NumberedWorld, laws: Mapping[int, NumberedLaw], target: int, *, everything: bool
) -> dict[Knowledge, dict[Any, Columns]]:
    summands = world.summands(target)
    found: dict[Knowledge, dict[Any, Columns]] = {}
    for knowledge, values in world.replacements(target, everything=everything).items():
        rows: dict[Any, list[tuple[int, Weights]]] = {}
        for number, database, weight in world.parts[knowledge]:
            a = database[target]
            row = rows.get(a)
            if row is None:
                row = rows[a] = [(summands[b], Counter()) for b in values]
            rest = number - summands[a]
            for summand, law in row:
                for output, mass in laws[rest + summand]:
                    law[output] = law.get(output, 0) + weight * mass
        found[knowledge] = {
            a: {b: law for b, (_, law) in zip(values, row, strict=True)} for a, row in rows.items()
        }
    return found


def causal_columns(
    worlds: Worlds, mechanism: Mechanism, targets: Iterable[int] | None
) -> Iterator[Columns]:
    """Yield the laws of M(D) and M(D_{i→b}), given a and B̂, for all compatible a ≠ b."""
    for found in replaced_laws(worlds, mechanism, targets, everything=False):
        for rows in found.values():
            for a, b in permutations(rows, 2):
                yield {"original": rows[a][a], "replaced": rows[a][b]}


def inferences(
    worlds: Worlds, mechanism: Mechanism, targets: Iterable[int] | None
) -> Iterator[Columns]:
    """Yield the laws of D(i), given B̂ and an output t of M(D) or of M(D_{i→b})."""
    for found in replaced_laws(worlds, mechanism, targets, everything=True):
        for rows in found.values():
            before = _given_output({a: columns[a] for a, columns in rows.items()})
            for b in next(iter(rows.values())):
                after = _given_output({a: columns[b] for a, columns in rows.items()})
                for output in before.keys() & after.keys():
                    yield {"before": before[output], "after": after[output]}


def _given_output(rows: Mapping[Any, Weights]) -> dict[Output, Weights]:
    """Turn laws of the output given the target into laws of the target given the output."""
    found: dict[Output, Weights] = {}
    for value, law in rows.items():
        for output, mass in law.items():
            found.setdefault(output, Counter())[value] = mass
    return found


def active_columns(worlds: Worlds, mechanism: Mechanism, targets: Targets) -> Iterator[Columns]:
    """Yield, for each world, target and B̂, the law of the output for each value of the target.

    The outputs are given by number, in `active_laws` as they are.
    """
    for observed in each_observed(worlds, mechanism, targets):
        yield from observed.values()


def active_laws(worlds: Worlds, mechanism: Mechanism, targets: Targets) -> Iterator[Columns]:
    """Yield `active_columns`, with the outputs themselves."""
    for answers, observed in _each_observed(worlds, mechanism, targets):
        yield from map(answers.named, observed.values())


def passive_comparisons(
    worlds: Worlds, mechanism: Mechanism, targets: Targets
) -> Iterator[Comparison]:
    """Yield, for each world and target, the comparisons of the laws of (B̂, output) given values."""
    for _, observed in _each_observed(worlds, mechanism, targets, with_all_values=True):
        values = check_all_values(observed)
        totals = {
            value: [columns[value].total() for columns in observed.values()] for value in values
        }
        units = {value: math.lcm(*of_each) for value, of_each in totals.items()}
        for a, b in permutations(values, 2):
            unit = units[b]
            masses = []
            for columns, p, q in zip(observed.values(), totals[a], totals[b], strict=True):
                first, second, weight = columns[a], columns[b], p * (unit // q)
                masses += [(mass * unit, second.get(t, 0) * weight) for t, mass in first.items()]
            yield Comparison(masses, sum(totals[a]) * unit)


def worst(pairs: Iterable[Comparison], ratio: Fraction | int | float) -> Fraction:
    """Return the largest δ of several comparisons at a ratio; 0 if there is nothing to compare."""
    exact = as_ratio(ratio)
    above, below = 0, 1
    for pair in pairs:
        excess, unit = pair.excess(exact)
        if excess * below > above * unit:
            above, below = excess, unit
            if above == below:
                break  # no δ is above 1
    return Fraction(above, below)


def comparisons(several: Iterable[Columns]) -> Iterator[Comparison]:
    """Yield the comparisons of any two laws in the same columns, in both orders."""
    for columns in several:
        for first, second in permutations(columns.values(), 2):
            yield comparison(first, second)


def comparison(first: Weights, second: Weights) -> Comparison:
    """Return the comparison of two laws, with a pair of masses for each output of the first."""
    p_unit, q_unit = first.total(), second.total()
    masses = [(mass * q_unit, second.get(output, 0) * p_unit) for output, mass in first.items()]
    return Comparison(masses, p_unit * q_unit)


def extremes(several: Iterable[Columns]) -> Iterator[tuple[int, int]]:
    """Yield the largest and the smallest mass of each output under the laws of some columns.

    Where an output is possible under some of them only, that is all there is to say: its masses,
    in some unit, are 1 and 0.
    """
    for columns in several:
        if len(columns) < 2:
            continue
        first, *others = columns.values()
        if any(law.keys() != first.keys() for law in others):
            yield 1, 0
            continue
        totals = [law.total() for law in columns.values()]
        unit = math.lcm(*totals)
        scaled = [(law, unit // total) for law, total in zip(columns.values(), totals, strict=True)]
        for output in first:
            masses = [law[output] * scale for law, scale in scaled]
            yield max(masses), min(masses)


def greatest_ratio(pairs: Iterable[tuple[Fraction | int, Fraction | int]]) -> Ratio:
    """Return the greatest ratio of pairs of numbers ≥ 0, either way round; 0/0 counts as 1."""
    above: Fraction | int = 1
    below: Fraction | int = 1
    for one, other in pairs:
        large, small = (one, other) if one > other else (other, one)
        if large * below > above * small:
            above, below = large, small
            if not below:
                return math.inf
    return Fraction(above, below)


def check_all_values(observed: Mapping[Knowledge, Collection[Any]]) -> tuple[Any, ...]:
    """Return the values of the target, in order; refuse them if some knowledge excludes one."""
    values = in_order({value for columns in observed.values() for value in columns})
    if any(len(columns) < len(values) for columns in observed.values()):
        check_values(observed, *values)
    return values


def check_values(observed: Mapping[Knowledge, Collection[Any]], *values: Hashable) -> None:
    """Refuse values of the target that some knowledge excludes."""
    for knowledge, columns in observed.items():
        for value in values:
            if not is_among(value, columns):
                raise ValueError(
                    f"the target's value {value!r} must be compatible with all knowledge; given "
                    f"{knowledge!r} only {list(columns)!r} are possible (known records cannot be "
                    "targets: leave them out)"
                )


def profile_of(pairs: Iterable[Comparison]) -> PrivacyProfile:
    """Return the curve of the largest δ of several comparisons, rounded up."""
    from pkdp.profiles._plateaus import of_fraction
    from pkdp.profiles.profile import Formula, PrivacyProfile

    curves = frozenset(pair.merged() for pair in pairs)
    ratios = [Fraction(p, q) for curve in curves for p, q in curve.masses if q]
    largest_loss = _log_above(max(ratios)) if ratios else 0.0
    ending = of_fraction(worst(curves, math.inf))
    told = Formula(_log_worst, curves, largest_loss, ending=ending)
    return PrivacyProfile(told, "exact", rounded_up=True)


def _log_worst(curves: frozenset[Comparison], largest_loss: float, eps: float) -> float:
    # From the largest finite loss on the curve is constant, and e^ε need not be known.
    ratio = math.inf if eps > largest_loss else _ratio_below(eps)
    return _log_above(worst(curves, ratio))


def _ratio_below(eps: float) -> Fraction:
    """Return e^ε, rounded down, but for e^0."""
    if eps == 0.0:
        return Fraction(1)
    import mpmath

    with mpmath.workprec(256):
        value = mpmath.exp(mpmath.mpf(eps)) * (1 - mpmath.mpf(2) ** -240)
        mantissa, exponent = value.man_exp
    return max(Fraction(1), Fraction(int(mantissa)) * Fraction(2) ** int(exponent))


def _log_above(value: Fraction) -> float:
    """Return the natural logarithm, rounded up; -inf for 0."""
    from pkdp.profiles._plateaus import of_fraction

    log = of_fraction(value).log_delta
    nearest = float(log)
    return nearest if nearest >= log else math.nextafter(nearest, math.inf)
