"""What a definition sees of a world: the laws of the output, in whole numbers.

A definition conditions on the knowledge and on the target's record, and compares the laws of the
output. These laws are gathered here as integers in proportion to the probabilities, so that sums
need no common denominators and comparisons no divisions. `pkdp.definitions`, `pkdp.posteriors` and
`pkdp.knowledge` turn them into fractions. For each world the mechanism is called once for each
database, however many targets there are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any, TypeAlias

from pkdp._checks import as_integer, as_ratio, as_several
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
Weights: TypeAlias = Counter[Output]
Columns: TypeAlias = dict[Any, Weights]

# Integers in one unit for all databases.
Released: TypeAlias = dict[Database, dict[Output, int]]


@dataclass(frozen=True)
class Comparison:
    """Two laws of one output, as pairs of masses ``(P, Q)`` in units of ``1/unit``."""

    masses: Sequence[tuple[int, int]]
    unit: int

    def delta(self, ratio: Ratio) -> Fraction:
        """Return ``Σ max(0, P - ratio·Q)``."""
        if isinstance(ratio, float):  # inf
            return Fraction(sum(p for p, q in self.masses if not q), self.unit)
        above, below = ratio.numerator, ratio.denominator
        excess = sum(max(0, p * below - above * q) for p, q in self.masses)
        return Fraction(excess, self.unit * below)

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


def integer_laws(mechanism: Mechanism, databases: Iterable[Database]) -> Released:
    """Return the output's law for each database, all in the same unit."""
    laws = {}
    for database in databases:
        try:
            laws[database] = output_law(mechanism, database)
        except KeyError as error:  # a table, as a rule, of what can occur
            if error.args == (database,):
                raise ValueError(f"mechanism must be defined on {database!r}") from error
            raise
    unit = math.lcm(*{mass.denominator for law in laws.values() for mass in law.values()})
    return {
        database: {
            output: mass.numerator * (unit // mass.denominator) for output, mass in law.items()
        }
        for database, law in laws.items()
    }


def observed_laws(
    world: World, mechanism: Mechanism, secret: Callable[[Database], Any]
) -> dict[Knowledge, Columns]:
    """Return, for each B̂ and each compatible value of the target, the law of the output."""
    return next(all_observed_laws(world, mechanism, [secret]))


def all_observed_laws(
    world: World, mechanism: Mechanism, secrets: Iterable[Callable[[Database], Any]]
) -> Iterator[dict[Knowledge, Columns]]:
    """Yield `observed_laws` for each secret."""
    laws = integer_laws(mechanism, world.databases)
    for secret in secrets:
        observed: dict[Knowledge, Columns] = {knowledge: {} for knowledge in world.knowledge}
        for (database, knowledge), weight in world.weights.items():
            columns, value = observed[knowledge], secret(database)
            law = columns.get(value)
            if law is None:
                law = columns[value] = Counter()
            for output, mass in laws[database].items():
                law[output] = law.get(output, 0) + weight * mass
        yield observed


def each_observed(
    worlds: Worlds, mechanism: Mechanism, targets: Targets
) -> Iterator[dict[Knowledge, Columns]]:
    """Yield `observed_laws` for every world and every target."""
    members = family(worlds)
    targets_in = as_targets(targets)
    secrets = [[world.secret(target) for target in targets_in(world)] for world in members]
    for world, wanted in zip(members, secrets, strict=True):
        yield from all_observed_laws(world, mechanism, wanted)


def replaced_laws(
    world: World, mechanism: Mechanism, targets: Iterable[int], *, everything: bool
) -> Iterator[dict[Knowledge, dict[Any, Columns]]]:
    """Yield, for each target, B̂, each value a of the target and each b, the law of M(D_{i→b}).

    The b are all possible records, or else those that are compatible with B̂: the mechanism need
    not be defined elsewhere.
    """
    others = {
        target: {
            knowledge: world.records if everything else {database[target] for database in share}
            for knowledge, share in world.shares.items()
        }
        for target in targets
    }
    needed = {
        variant
        for target, by_knowledge in others.items()
        for database, knowledge in world.weights
        for variant in _variants(database, target, by_knowledge[knowledge])
    }
    laws = integer_laws(mechanism, needed)
    for target, by_knowledge in others.items():
        found: dict[Knowledge, dict[Any, Columns]] = {value: {} for value in world.knowledge}
        for (database, knowledge), weight in world.weights.items():
            rows, record = found[knowledge], database[target]
            if record not in rows:
                rows[record] = {b: Counter() for b in by_knowledge[knowledge]}
            variants = _variants(database, target, rows[record])
            for law, variant in zip(rows[record].values(), variants, strict=True):
                for output, mass in laws[variant].items():
                    law[output] = law.get(output, 0) + weight * mass
        yield found


def _variants(database: Database, target: int, values: Iterable[Any]) -> list[Database]:
    """Return the databases with the target's record replaced by each of some values."""
    before, after = database[:target], database[target + 1 :]
    return [(*before, b, *after) for b in values]


def causal_columns(
    worlds: Worlds, mechanism: Mechanism, targets: Iterable[int] | None
) -> Iterator[Columns]:
    """Yield the laws of M(D) and M(D_{i→b}), given a and B̂, for all compatible a ≠ b."""
    members = family(worlds)
    for world, numbers in zip(members, as_records(members, targets), strict=True):
        for found in replaced_laws(world, mechanism, numbers, everything=False):
            for rows in found.values():
                for a, b in permutations(rows, 2):
                    yield {"original": rows[a][a], "replaced": rows[a][b]}


def inferences(
    worlds: Worlds, mechanism: Mechanism, targets: Iterable[int] | None
) -> Iterator[Columns]:
    """Yield the laws of D(i), given B̂ and an output t of M(D) or of M(D_{i→b})."""
    members = family(worlds)
    for world, numbers in zip(members, as_records(members, targets), strict=True):
        for found in replaced_laws(world, mechanism, numbers, everything=True):
            for rows in found.values():
                before = _given_output({a: columns[a] for a, columns in rows.items()})
                for b in world.records:
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
    """Yield, for each world, target and B̂, the law of the output for each value of the target."""
    for observed in each_observed(worlds, mechanism, targets):
        yield from observed.values()


def passive_comparisons(
    worlds: Worlds, mechanism: Mechanism, targets: Targets
) -> Iterator[Comparison]:
    for observed in each_observed(worlds, mechanism, targets):
        values = in_order({value for columns in observed.values() for value in columns})
        check_values(observed, *values)
        totals = {
            value: [columns[value].total() for columns in observed.values()] for value in values
        }
        units = {value: math.lcm(*of_each) for value, of_each in totals.items()}
        for a, b in permutations(values, 2):
            unit = units[b]
            masses = []
            for columns, p, q in zip(observed.values(), totals[a], totals[b], strict=True):
                first, second, weight = columns[a], columns[b], p * (unit // q)
                masses += [(mass * unit, second[t] * weight) for t, mass in first.items()]
            yield Comparison(masses, sum(totals[a]) * unit)


def worst(pairs: Iterable[Comparison], ratio: Fraction | int | float) -> Fraction:
    """Return the largest δ of several comparisons at a ratio; 0 if there is nothing to compare."""
    exact = as_ratio(ratio)
    return max((pair.delta(exact) for pair in pairs), default=Fraction(0))


def comparisons(several: Iterable[Columns]) -> Iterator[Comparison]:
    """Yield the comparisons of any two laws in the same columns, in both orders."""
    for columns in several:
        for first, second in permutations(columns.values(), 2):
            yield comparison(first, second)


def comparison(first: Weights, second: Weights) -> Comparison:
    p_unit, q_unit = first.total(), second.total()
    masses = [(mass * q_unit, second[output] * p_unit) for output, mass in first.items()]
    return Comparison(masses, p_unit * q_unit)


def extremes(several: Iterable[Columns]) -> Iterator[tuple[int, int]]:
    """Yield the largest and the smallest mass of each output under the laws of some columns."""
    for columns in several:
        totals = [law.total() for law in columns.values()]
        unit = math.lcm(*totals)
        scaled = [(law, unit // total) for law, total in zip(columns.values(), totals, strict=True)]
        for output in set().union(*columns.values()):
            masses = [law.get(output, 0) * scale for law, scale in scaled]
            yield max(masses), min(masses)


def greatest_ratio(pairs: Iterable[tuple[Fraction | int, Fraction | int]]) -> Ratio:
    """Return the greatest ratio of pairs of numbers ≥ 0, either way round; 0/0 counts as 1."""
    above: Fraction | int = 1
    below: Fraction | int = 1
    for one, other in pairs:
        large, small = (one, other) if one > other else (other, one)
        if large * below > above * small:
            above, below = large, small
    return Fraction(above, below) if below else math.inf


def added(laws: Iterable[Weights]) -> Weights:
    together: Weights = Counter()
    for law in laws:
        together.update(law)
    return together


def check_values(observed: Mapping[Knowledge, Columns], *values: Hashable) -> None:
    """Refuse values of the target that some knowledge excludes."""
    for knowledge, columns in observed.items():
        for value in values:
            if value not in list(columns):  # which does not ask for its hash
                raise ValueError(
                    f"the target's value {value!r} must be compatible with all knowledge; given "
                    f"{knowledge!r} only {list(columns)!r} are possible (known records cannot be "
                    "targets: leave them out)"
                )


def profile_of(pairs: Iterable[Comparison]) -> PrivacyProfile:
    """Return the curve of the largest δ of several comparisons, rounded up."""
    from pkdp.profiles.profile import Curve, PrivacyProfile

    curves = frozenset(pair.merged() for pair in pairs)
    ratios = [Fraction(p, q) for curve in curves for p, q in curve.masses if q]
    largest_loss = _log_above(max(ratios)) if ratios else 0.0
    beyond = math.nextafter(largest_loss, math.inf)
    # Losses of fractions may be of any size.
    return PrivacyProfile(
        Curve(_log_worst, curves, largest_loss),
        "exact",
        rounded_up=True,
        largest_eps=max(PrivacyProfile.largest_eps, beyond),
    )


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
    if not value:
        return -math.inf
    if value == 1:
        return 0.0
    import mpmath

    with mpmath.workprec(256):
        if Fraction(1, 2) < value < 2:  # close to 1 the difference of logarithms would cancel
            log = mpmath.log1p(mpmath.mpf(value.numerator - value.denominator) / value.denominator)
        else:
            log = mpmath.log(value.numerator) - mpmath.log(value.denominator)
        above = math.nextafter(float(log), math.inf)
    return min(0.0, above) if value < 1 else above
