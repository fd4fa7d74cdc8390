"""Output distributions of a mechanism given what is conditioned on, and their comparison.

Every definition conditions on the knowledge and on the target's value, and compares the output
distributions. They are integers in proportion to the probabilities, so that sums need no common
denominators and comparisons no divisions. The mechanism is called once for each database, however
many targets and worlds there are; after that outputs are numbered, since small integers are faster
to look up than tuples and fractions.
"""

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, permutations, product
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

from pkdp._checks import (
    MOST_IN_A_DATABASE,
    as_alphabet,
    as_integer,
    as_ratio,
    as_several,
    as_size,
    is_among,
)
from pkdp._order import in_order
from pkdp.worlds.mechanisms import Database, Mechanism, Output, output_law
from pkdp.worlds.world import Knowledge, Target, World, family

# e^ε, exactly, or inf.
Ratio: TypeAlias = Fraction | float

Worlds: TypeAlias = World | Iterable[World]
Targets: TypeAlias = Iterable[Target] | None
# Where records are replaced, targets are numbers of records.
RecordTargets: TypeAlias = Iterable[int] | None

# What the attacker is after, as a function of the database.
Secret: TypeAlias = Callable[[Database], Any]
# Integers in proportion to the probabilities of outputs, and these for each value of the target.
Weights: TypeAlias = Counter[Any]
Columns: TypeAlias = dict[Any, Weights]
# A database, its weight, and the numbers and weights of its outputs.
Case: TypeAlias = tuple[Database, int, list[tuple[int, int]]]


class OutputLaws(NamedTuple):
    """The outputs of a mechanism, and for each database the numbers and weights of its outputs.

    All weights are in the same unit.
    """

    outputs: tuple[Output, ...]
    laws: dict[Database, list[tuple[int, int]]]

    def named(self, columns: Columns) -> Columns:
        """Replace the numbers of outputs by the outputs."""
        return {
            value: Counter({self.outputs[number]: weight for number, weight in law.items()})
            for value, law in columns.items()
        }

    def weights(self) -> dict[Database, Weights]:
        """Return the distribution of the output's number for each database."""
        return {database: Counter(dict(law)) for database, law in self.laws.items()}


# Arguments


def one_world(world: World) -> World:
    """Return a world; raise TypeError for a family."""
    if not isinstance(world, World):
        raise TypeError(f"world must be one World, got {world!r}")
    return world


def as_targets(members: Sequence[World], targets: Targets) -> list[Sequence[Target]]:
    """Return the targets in each world, by default all records."""
    if targets is None:
        return [range(world.size) for world in members]
    wanted = as_several(targets, "targets", "records, as in [0], or None for all")
    if not wanted:  # usually an iterator that is used up: nothing to protect would be private
        raise ValueError("targets must be at least one, or None for all records, got none")
    for world in members:
        for target in wanted:
            world.secret(target)
    return [wanted] * len(members)


def as_records(worlds: Worlds, targets: RecordTargets) -> list[tuple[World, list[int]]]:
    """Return the worlds, and for each the targets, which must be numbers of records."""
    members = family(worlds)
    return [
        (world, [as_integer(target, "target", 0, world.size - 1) for target in wanted])  # type: ignore[arg-type]
        for world, wanted in zip(members, as_targets(members, targets), strict=True)
    ]


def check_all_values(observed: Mapping[Knowledge, Collection[Any]]) -> tuple[Any, ...]:
    """Return the target's values, in order; raise ValueError if some knowledge excludes one."""
    values = in_order({value for columns in observed.values() for value in columns})
    if any(len(columns) < len(values) for columns in observed.values()):
        check_values(observed, *values)
    return values


def check_values(observed: Mapping[Knowledge, Collection[Any]], *values: Hashable) -> None:
    """Raise ValueError if some knowledge excludes one of these values of the target."""
    for knowledge, columns in observed.items():
        for value in values:
            if not is_among(value, columns):
                raise ValueError(
                    f"the target's value {value!r} must be compatible with all knowledge; given "
                    f"{knowledge!r} only {list(columns)!r} are possible (known records cannot be "
                    "targets: leave them out)"
                )


def compatible_values(world: World, secret: Secret) -> dict[Knowledge, dict[Any, None]]:
    """Return, for each B̂, the values of the target that are compatible with it."""
    return {
        knowledge: dict.fromkeys(map(secret, part))
        for knowledge, part in world.weights_given.items()
    }


def as_databases(records: Iterable[Hashable], n: SupportsIndex) -> tuple[tuple[Any, ...], int]:
    """Return the possible records and the size of all databases that are to be listed."""
    values = as_alphabet(records)
    size = as_integer(n, "n", 1, MOST_IN_A_DATABASE)
    as_size(len(values) ** size, "databases")
    return values, size


def neighbouring_databases(values: Sequence[Any], size: int) -> Iterator[list[Database]]:
    """Yield the databases that differ in one record only, for each record and all others."""
    for others in product(values, repeat=size - 1):
        for i in range(size):
            yield [(*others[:i], value, *others[i:]) for value in values]


# Output distributions


def output_laws(mechanism: Mechanism, databases: Iterable[Database]) -> OutputLaws:
    """Compute the output distributions on some databases, each of which the mechanism gets once."""
    laws: dict[Database, dict[Output, Fraction]] = {}
    for database in databases:
        if database in laws:
            continue
        try:
            laws[database] = output_law(mechanism, database)
        except KeyError as error:  # usually a table that lacks the database
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
    return OutputLaws(tuple(numbers), numbered)


def _with_outputs(world: World, answers: OutputLaws) -> dict[Knowledge, list[Case]]:
    """Return the databases for each B̂, so that they are looked up once for all targets."""
    return {
        knowledge: [(database, weight, answers.laws[database]) for database, weight in part.items()]
        for knowledge, part in world.weights_given.items()
    }


def each_observed(
    worlds: Worlds, mechanism: Mechanism, targets: Targets, *, all_values: bool = False
) -> Iterator[tuple[OutputLaws, dict[Knowledge, Columns]]]:
    """Yield the output distributions given B̂ and the target's value, for each world and target.

    With `all_values`, raise ValueError if some knowledge excludes a value of a target.
    """
    members = family(worlds)
    cases = [
        (world, [world.secret(target) for target in wanted])
        for world, wanted in zip(members, as_targets(members, targets), strict=True)
    ]
    if all_values:  # before the first is yielded: the search may end before the last
        for world, secrets in cases:
            for secret in secrets:
                check_all_values(compatible_values(world, secret))
    answers = output_laws(mechanism, (d for world in members for d in world.databases))
    for world, secrets in cases:
        parts = _with_outputs(world, answers)
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
                        law[output] += weight * mass
            yield answers, observed


def active_columns(worlds: Worlds, mechanism: Mechanism, targets: Targets) -> Iterator[Columns]:
    """Yield the output distributions for the values of each target, given each B̂."""
    for _, observed in each_observed(worlds, mechanism, targets):
        yield from observed.values()


def active_laws(worlds: Worlds, mechanism: Mechanism, targets: Targets) -> Iterator[Columns]:
    """Yield `active_columns`, with the outputs themselves instead of their numbers."""
    for answers, observed in each_observed(worlds, mechanism, targets):
        yield from map(answers.named, observed.values())


def replaced_laws(
    worlds: Worlds, mechanism: Mechanism, targets: RecordTargets, *, everything: bool
) -> Iterator[dict[Knowledge, dict[Any, Columns]]]:
    """Yield, for each world and target i, the distributions of M(D_{i→b}) by B̂, D(i) = a, and b.

    The b are all possible records or, without `everything`, those that are compatible with B̂: the
    mechanism need not be defined elsewhere.
    """
    members = as_records(worlds, targets)
    databases = (_with_replacements(world, numbers, everything) for world, numbers in members)
    answers = output_laws(mechanism, chain.from_iterable(databases))
    for world, numbers in members:
        parts = _with_outputs(world, answers)
        for i in numbers:
            found: dict[Knowledge, dict[Any, Columns]] = {}
            for knowledge, values in _replacements(world, i, everything).items():
                given: dict[Any, list[Case]] = defaultdict(list)
                for case in parts[knowledge]:
                    given[case[0][i]].append(case)
                rows = found[knowledge] = {a: {b: Counter() for b in values} for a in given}
                for a, b in product(given, values):
                    law = rows[a][b]
                    for database, weight, outputs in given[a]:
                        if a != b:
                            outputs = answers.laws[(*database[:i], b, *database[i + 1 :])]
                        for output, mass in outputs:
                            law[output] += weight * mass
            yield found


def _with_replacements(
    world: World, targets: Iterable[int], everything: bool
) -> Iterator[Database]:
    """Yield the databases of a world, and those that replacing a record can give."""
    yield from world.databases
    if len(world.databases) == len(world.records) ** world.size:
        return  # there are no others
    for i in targets:
        for knowledge, values in _replacements(world, i, everything).items():
            for database, b in product(world.weights_given[knowledge], values):
                yield (*database[:i], b, *database[i + 1 :])


def _replacements(world: World, i: int, everything: bool) -> Mapping[Knowledge, Iterable[Any]]:
    if everything:
        return dict.fromkeys(world.knowledge, world.records)
    return compatible_values(world, operator.itemgetter(i))


def causal_columns(
    worlds: Worlds, mechanism: Mechanism, targets: RecordTargets
) -> Iterator[Columns]:
    """Yield the distributions of M(D) and M(D_{i→b}), given a and B̂, for all compatible a ≠ b."""
    for found in replaced_laws(worlds, mechanism, targets, everything=False):
        for rows in found.values():
            for a, b in permutations(rows, 2):
                yield {"original": rows[a][a], "replaced": rows[a][b]}


def inferences(worlds: Worlds, mechanism: Mechanism, targets: RecordTargets) -> Iterator[Columns]:
    """Yield the distributions of D(i), given B̂ and an output t of M(D) or of M(D_{i→b})."""
    for found in replaced_laws(worlds, mechanism, targets, everything=True):
        for rows in found.values():
            before = _given_output({a: columns[a] for a, columns in rows.items()})
            for b in next(iter(rows.values())):
                after = _given_output({a: columns[b] for a, columns in rows.items()})
                for output in before.keys() & after.keys():
                    yield {"before": before[output], "after": after[output]}


def _given_output(rows: Mapping[Any, Weights]) -> dict[Output, Weights]:
    """Return the weights of the target's values given each output from those of the outputs."""
    found: dict[Output, Weights] = {}
    for value, law in rows.items():
        for output, mass in law.items():
            found.setdefault(output, Counter())[value] = mass
    return found


# Comparisons


@dataclass(frozen=True)
class Comparison:
    """Two output distributions, as pairs of probabilities ``(P, Q)`` in units of ``1/unit``."""

    masses: Sequence[tuple[int, int]]
    unit: int

    def delta(self, ratio: Ratio) -> Fraction:
        """Compute the hockey-stick divergence ``Σ max(0, P - ratio·Q)``."""
        return Fraction(*self.excess(ratio))

    def excess(self, ratio: Ratio) -> tuple[int, int]:
        """Compute a numerator and a denominator of `delta`."""
        if isinstance(ratio, float):  # inf
            return sum(p for p, q in self.masses if not q), self.unit
        above, below = ratio.numerator, ratio.denominator
        excesses = (p * below - above * q for p, q in self.masses)
        return sum(excess for excess in excesses if excess > 0), self.unit * below


def passive_comparisons(
    worlds: Worlds, mechanism: Mechanism, targets: Targets
) -> Iterator[Comparison]:
    """Yield, for each world and target, the comparisons of (B̂, output) between any two values.

    In both distributions B̂ is as likely as given the first value.
    """
    for _, observed in each_observed(worlds, mechanism, targets, all_values=True):
        for a, b in permutations(check_all_values(observed), 2):
            pairs = [(columns[a], columns[b]) for columns in observed.values()]
            unit = math.lcm(*(second.total() for _, second in pairs))
            masses = []
            for first, second in pairs:
                weight = first.total() * (unit // second.total())
                masses += [(mass * unit, second.get(t, 0) * weight) for t, mass in first.items()]
            yield Comparison(masses, sum(first.total() for first, _ in pairs) * unit)


def worst(pairs: Iterable[Comparison], ratio: Ratio) -> Fraction:
    """Compute the largest δ of several comparisons at a ratio; 0 if there are none."""
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
    """Yield the comparisons of any two distributions in the same columns, in both orders."""
    for columns in several:
        for first, second in permutations(columns.values(), 2):
            yield comparison(first, second)


def comparison(first: Weights, second: Weights) -> Comparison:
    """Compare two distributions, with a pair of probabilities for each output of the first."""
    p_unit, q_unit = first.total(), second.total()
    masses = [(mass * q_unit, second.get(output, 0) * p_unit) for output, mass in first.items()]
    return Comparison(masses, p_unit * q_unit)


def extremes(several: Iterable[Columns]) -> Iterator[tuple[int, int]]:
    """Yield, for all columns, the largest and smallest probability of each output, in some unit."""
    for columns in several:
        totals = [law.total() for law in columns.values()]
        unit = math.lcm(*totals)
        laws = [(law, unit // total) for law, total in zip(columns.values(), totals, strict=True)]
        for output in set().union(*columns.values()):
            masses = [law.get(output, 0) * scale for law, scale in laws]
            yield max(masses), min(masses)


def greatest_ratio(pairs: Iterable[tuple[Fraction | int, Fraction | int]]) -> Ratio:
    """Compute the greatest ratio of pairs of numbers ≥ 0, in either direction; 0/0 counts as 1."""
    above: Fraction | int = 1
    below: Fraction | int = 1
    for one, other in pairs:
        large, small = (one, other) if one > other else (other, one)
        if large * below > above * small:
            above, below = large, small
            if not below:
                return math.inf
    return Fraction(above, below)
