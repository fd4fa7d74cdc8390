"""Sections 1 to 3 read aloud: every definition as a loop over whole databases, events, bijections.

A world is a plain table ``{(database, knowledge): Fraction}``, a mechanism a function from a
database to an output or to ``{output: Fraction}``, a target the index of a record (or, where the
definition allows it, a function of the database). Whatever a definition quantifies over is
enumerated: all pairs of values, all observations, all events of the output, all bijections, all
vertices of the polytope of simulators. Slow, exact, for tiny worlds. Nothing here imports the
library.

``E`` is the ratio exp(eps) as a rational; ``inf`` stands for "no eps will do".
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product
from math import lcm, prod
from operator import contains
from random import Random
from typing import Any

Rational = Fraction | int
Database = tuple[Any, ...]
Masses = Mapping[tuple[Database, Any], Rational]
Law = dict[Any, Fraction]
Mechanism = Callable[[Database], Any]
Target = int | Callable[[Database], Any]
Event = Callable[[Database, Any], bool]
Ratio = Fraction | float  # a Fraction, or math.inf

# --------------------------------------------------------------------------------------------
# Probability on a table
# --------------------------------------------------------------------------------------------


def support(masses: Masses) -> list[tuple[Database, Any]]:
    """Pairs (database, knowledge) that can happen."""
    return [pair for pair, mass in masses.items() if mass > 0]


def size(masses: Masses) -> int:
    """Number of records."""
    return len(support(masses)[0][0])


def alphabet(masses: Masses) -> list[Any]:
    """Values of records that can be seen, in any position."""
    return sorted({record for database, _ in support(masses) for record in database})


def observations(masses: Masses) -> list[Any]:
    """Values of the knowledge that can be seen, in the order of the table."""
    return list(dict.fromkeys(knowledge for _, knowledge in support(masses)))


def read(target: Target, database: Database) -> Any:
    """Return the sensitive value of a database."""
    return target(database) if callable(target) else database[target]


def values(masses: Masses, target: Target) -> list[Any]:
    """Sensitive values that can happen."""
    return list(dict.fromkeys(read(target, database) for database, _ in support(masses)))


def probability(masses: Masses, event: Event) -> Fraction:
    """Probability of an event."""
    return Fraction(sum(mass for (d, B), mass in masses.items() if event(d, B)))


def seen(B: Any, target: Target | None = None, value: Any = None) -> Event:
    """Return the event that the knowledge is B, and the target, if one is given, that value."""
    return lambda d, k: bool(k == B and (target is None or read(target, d) == value))


def replaced(database: Database, i: int, value: Any) -> Database:
    """Return the database with one record replaced."""
    return tuple(value if j == i else record for j, record in enumerate(database))


def without(database: Database, i: int) -> Database:
    """Return the other records."""
    return tuple(record for j, record in enumerate(database) if j != i)


def answer(mechanism: Mechanism, database: Database) -> Law:
    """Law of the mechanism's output on one database."""
    output = mechanism(database)
    return output if isinstance(output, dict) else {output: Fraction(1)}


def output_law(
    masses: Masses,
    mechanism: Mechanism,
    event: Event,
    change: Callable[[Database], Database] = lambda database: database,
) -> Law | None:
    """Law of M(change(D)) given an event on (D, B); None if the event has probability 0."""
    chosen = {pair: mass for pair, mass in masses.items() if mass and event(*pair)}
    if not chosen:
        return None
    terms = [
        (output, mass.numerator * p.numerator, mass.denominator * p.denominator)
        for (d, _), mass in chosen.items()
        for output, p in answer(mechanism, change(d)).items()
    ]
    unit = lcm(*{below for _, _, below in terms})
    parts: dict[Any, int] = {}
    for output, above, below in terms:
        parts[output] = parts.get(output, 0) + above * (unit // below)
    return normalized(parts)


def events(outcomes: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Every set of outcomes."""
    listed = list(dict.fromkeys(outcomes))
    for length in range(len(listed) + 1):
        yield from combinations(listed, length)


def in_parts(p: Law, q: Law) -> tuple[list[Any], dict[Any, int], dict[Any, int], int]:
    """All outcomes of two laws, both laws in whole parts, and how many parts make 1."""
    unit = lcm(*{mass.denominator for law in (p, q) for mass in law.values()})
    outcomes = list(dict.fromkeys([*p, *q]))
    left, right = (
        {o: law[o].numerator * (unit // law[o].denominator) if o in law else 0 for o in outcomes}
        for law in (p, q)
    )
    return outcomes, left, right, unit


def chance(law: Mapping[Any, int], event: Iterable[Any]) -> int:
    """Probability of a set of outcomes, in parts."""
    return sum([law[outcome] for outcome in event])


def one_way_ratio(p: Law, q: Law) -> Ratio:
    """Least E with P[X] <= E Q[X] for every event X; events are single outcomes if too many."""
    outcomes, in_p, in_q, _ = in_parts(p, q)
    tried = events(outcomes) if len(outcomes) <= 6 else ((outcome,) for outcome in outcomes)
    above, below = 0, 1
    for event in tried:
        left, right = chance(in_p, event), chance(in_q, event)
        if left * below > above * right:
            above, below = left, right
    return Fraction(above, below) if below else math.inf


def indistinguishable_ratio(p: Law, q: Law) -> Ratio:
    """Definition 1 with delta = 0: the least exp(eps) of two laws."""
    return max(one_way_ratio(p, q), one_way_ratio(q, p), Fraction(1))


def one_way_delta(p: Law, q: Law, E: Rational) -> Fraction:
    """Least delta with P[X] <= E Q[X] + delta for every event X."""
    outcomes, in_p, in_q, unit = in_parts(p, q)
    above, below = E.numerator, E.denominator
    if len(outcomes) > 8:  # the event of all outcomes that help
        best = sum(max(0, below * in_p[o] - above * in_q[o]) for o in outcomes)
    else:
        best = max(
            below * chance(in_p, event) - above * chance(in_q, event) for event in events(outcomes)
        )
    return Fraction(best, unit * below)


def indistinguishable_delta(p: Law, q: Law, E: Rational) -> Fraction:
    """Definition 1: the least delta of two laws at a given exp(eps)."""
    return max(one_way_delta(p, q, E), one_way_delta(q, p, E))


# --------------------------------------------------------------------------------------------
# What is to be told apart, definition by definition
# --------------------------------------------------------------------------------------------


def noiseless_pairs(
    masses: Masses, mechanism: Mechanism, targets: Iterable[Target]
) -> Iterator[tuple[Law, Law]]:
    """Definitions 3 and 12: M(D) given a and B, and given b and B; in one order, for a != b."""
    for target, B in product(targets, observations(masses)):
        for a, b in combinations(values(masses, target), 2):
            p = output_law(masses, mechanism, seen(B, target, a))
            q = output_law(masses, mechanism, seen(B, target, b))
            if p is not None and q is not None:
                yield p, q


def causal_pairs(
    masses: Masses, mechanism: Mechanism, targets: Iterable[int]
) -> Iterator[tuple[Law, Law]]:
    """Definition 5: M(D) and M(D with record i replaced by b), both given a and B, for a != b."""
    for i, B in product(targets, observations(masses)):
        for a, b in permutations(values(masses, i), 2):
            kept = output_law(masses, mechanism, seen(B, i, a))
            swap = partial(replaced, i=i, value=b)
            swapped = output_law(masses, mechanism, seen(B, i, a), swap)
            if kept is not None and swapped is not None and probability(masses, seen(B, i, b)):
                yield kept, swapped


def inference_pairs(
    masses: Masses, mechanism: Mechanism, targets: Iterable[int], records: Sequence[Any]
) -> Iterator[tuple[Law, Law]]:
    """Definition 6: record i given B and M(D) = t, and given B and M(D_{i -> b}) = t.

    The value b runs over the whole alphabet, whether or not B allows it.
    """
    for i in targets:
        for B in observations(masses):
            for b in records:
                joint: dict[Any, Law] = {}
                swapped: dict[Any, Law] = {}
                for (d, k), mass in masses.items():
                    if k != B or not mass:
                        continue
                    for t, p in answer(mechanism, d).items():
                        row = joint.setdefault(t, {})
                        row[d[i]] = row.get(d[i], Fraction(0)) + mass * p
                    for t, p in answer(mechanism, replaced(d, i, b)).items():
                        row = swapped.setdefault(t, {})
                        row[d[i]] = row.get(d[i], Fraction(0)) + mass * p
                for t in joint:
                    if t in swapped:
                        yield normalized(joint[t]), normalized(swapped[t])


def normalized(law: Mapping[Any, Rational]) -> Law:
    """Return the law divided by its total."""
    unit = lcm(*{mass.denominator for mass in law.values()})
    parts = {outcome: mass.numerator * (unit // mass.denominator) for outcome, mass in law.items()}
    total = sum(parts.values())
    return {outcome: Fraction(part, total) for outcome, part in parts.items()}


def largest_ratio(pairs: Iterable[tuple[Law, Law]]) -> Ratio:
    """Least exp(eps) that serves all pairs."""
    return max((indistinguishable_ratio(p, q) for p, q in pairs), default=Fraction(1))


def largest_delta(pairs: Iterable[tuple[Law, Law]], E: Rational) -> Fraction:
    """Least delta that serves all pairs."""
    return max((indistinguishable_delta(p, q, E) for p, q in pairs), default=Fraction(0))


def np_ratio(masses: Masses, mechanism: Mechanism, targets: Iterable[Target]) -> Ratio:
    """Definition 3."""
    return largest_ratio(noiseless_pairs(masses, mechanism, targets))


def cdp_ratio(masses: Masses, mechanism: Mechanism, targets: Iterable[int]) -> Ratio:
    """Definition 5."""
    return largest_ratio(causal_pairs(masses, mechanism, targets))


def ibcdp_ratio(
    masses: Masses, mechanism: Mechanism, targets: Iterable[int], records: Sequence[Any]
) -> Ratio:
    """Definition 6."""
    return largest_ratio(inference_pairs(masses, mechanism, targets, records))


def apk_delta(
    masses: Masses, mechanism: Mechanism, E: Rational, targets: Iterable[Target]
) -> Fraction:
    """Definition 12, in its second form; observations that exclude a or b are left out."""
    return largest_delta(noiseless_pairs(masses, mechanism, targets), E)


def cdp_delta(
    masses: Masses, mechanism: Mechanism, E: Rational, targets: Iterable[int]
) -> Fraction:
    """Definition 5 with (eps, delta)-indistinguishability."""
    return largest_delta(causal_pairs(masses, mechanism, targets), E)


def ibcdp_delta(
    masses: Masses,
    mechanism: Mechanism,
    E: Rational,
    targets: Iterable[int],
    records: Sequence[Any],
) -> Fraction:
    """Definition 6 with (eps, delta)-indistinguishability."""
    return largest_delta(inference_pairs(masses, mechanism, targets, records), E)


def neighbours(records: Sequence[Any], n: int) -> Iterator[tuple[Database, Database]]:
    """Pairs of databases that differ in one record."""
    for d in product(records, repeat=n):
        for i in range(n):
            for b in records:
                if b != d[i]:
                    yield d, replaced(d, i, b)


def dp_ratio(mechanism: Mechanism, records: Sequence[Any], n: int) -> Ratio:
    """Definition 2 with delta = 0."""
    return largest_ratio(
        (answer(mechanism, d), answer(mechanism, e)) for d, e in neighbours(records, n)
    )


def dp_delta(mechanism: Mechanism, records: Sequence[Any], n: int, E: Rational) -> Fraction:
    """Definition 2."""
    return largest_delta(
        ((answer(mechanism, d), answer(mechanism, e)) for d, e in neighbours(records, n)), E
    )


# --------------------------------------------------------------------------------------------
# Definitions 11 and 13, by the privacy loss of each whole database and output
# --------------------------------------------------------------------------------------------


def some_knowledge_excludes_a_value(masses: Masses, target: Target) -> bool:
    """Whether Definition 11 breaks down: a conditional law of the output does not exist."""
    return any(
        probability(masses, seen(B, target, value)) == 0
        for B, value in product(observations(masses), values(masses, target))
    )


def loss_law(
    masses: Masses, mechanism: Mechanism, target: Target, a: Any, b: Any, only: Any = ...
) -> dict[Ratio, Fraction]:
    """Law of exp(L(O, B)) with D drawn given D(i) = a, and given B = `only` if it is given.

    Definition 11, with x/0 = infinity.
    """
    considered = {
        (d, B): mass
        for (d, B), mass in masses.items()
        if mass and read(target, d) == a and (only is ... or only == B)
    }
    total = sum(considered.values())
    law: dict[Ratio, Fraction] = {}
    for B in observations(masses):
        given_a = output_law(masses, mechanism, seen(B, target, a))
        given_b = output_law(masses, mechanism, seen(B, target, b))
        for (d, k), mass in considered.items():
            if k == B and given_a is not None and given_b is not None:
                for output, p in answer(mechanism, d).items():
                    loss = given_a[output] / given_b[output] if output in given_b else math.inf
                    law[loss] = law.get(loss, Fraction(0)) + mass * p / total
    return law


def expected_excess(law: Mapping[Ratio, Fraction], E: Rational) -> Fraction:
    """E[max(0, 1 - exp(eps - L))]."""
    return sum(
        (
            mass * (1 if isinstance(loss, float) else max(Fraction(0), 1 - Fraction(E) / loss))
            for loss, mass in law.items()
        ),
        Fraction(0),
    )


def ppk_delta(
    masses: Masses, mechanism: Mechanism, E: Rational, targets: Iterable[Target]
) -> Fraction | None:
    """Definition 13; None where some observation excludes a value, so that L is not defined."""
    worst = Fraction(0)
    for target in targets:
        if some_knowledge_excludes_a_value(masses, target):
            return None
        for a, b in permutations(values(masses, target), 2):
            worst = max(worst, expected_excess(loss_law(masses, mechanism, target, a, b), E))
    return worst


def apk_table(
    masses: Masses, mechanism: Mechanism, E: Rational, target: Target, a: Any, b: Any
) -> dict[Any, tuple[Fraction, Fraction]]:
    """Theorem 1: for each observation B, P[B | a] and the expected excess given a and B."""
    given_a = probability(masses, lambda d, k: read(target, d) == a)
    return {
        B: (
            probability(masses, seen(B, target, a)) / given_a,
            expected_excess(loss_law(masses, mechanism, target, a, b, only=B), E),
        )
        for B in observations(masses)
    }


def posterior_ratio(masses: Masses, mechanism: Mechanism, targets: Iterable[Target]) -> Ratio:
    """Largest change of P[D(i) = a | B], up or down, by any output that can be seen."""
    worst: Ratio = Fraction(1)
    for target in targets:
        for B in observations(masses):
            whole = probability(masses, seen(B))
            outputs = output_law(masses, mechanism, seen(B))
            assert outputs is not None
            for a in values(masses, target):
                prior = probability(masses, seen(B, target, a)) / whole
                if prior == 0:
                    continue
                for t in outputs:
                    both = sum(
                        mass * answer(mechanism, d).get(t, Fraction(0))
                        for (d, k), mass in masses.items()
                        if mass and k == B and read(target, d) == a
                    )
                    change = both / (outputs[t] * whole) / prior
                    worst = max(worst, change, 1 / change if change else math.inf)
    return worst


# --------------------------------------------------------------------------------------------
# Definition 4: simulators
# --------------------------------------------------------------------------------------------


def simulator_conditions(
    family: Sequence[Masses], mechanism: Mechanism, i: int
) -> list[tuple[Law, Law]]:
    """For each world, observation and value of record i: the laws of D_{-i} and of M(D)."""
    conditions = []
    for masses in family:
        for B in observations(masses):
            for a in values(masses, i):
                outputs = output_law(masses, mechanism, seen(B, i, a))
                others = output_law(masses, partial(without, i=i), seen(B, i, a))
                if outputs is not None and others is not None:
                    conditions.append((others, outputs))
    return conditions


def single_record_ddp(family: Sequence[Masses], mechanism: Mechanism) -> tuple[Ratio, Ratio]:
    """DDP for n = 1, as (E1, E2): the least E is the larger of sqrt(E1) and E2.

    The simulator sees nothing, so it is one law q of the output. With P_1, P_2, ... the laws of
    M(D) under each value, observation and world, it must satisfy max P_a / E <= q <= E min P_a
    at each output. Such a q exists iff each lower limit is at most its upper limit (E^2 min >=
    max, at each output), the lower limits sum to at most 1 (E >= sum max) and the upper limits
    to at least 1 (E >= 1 / sum min).
    """
    laws = [outputs for _, outputs in simulator_conditions(family, mechanism, 0)]
    everything = {output for law in laws for output in law}
    squared: Ratio = Fraction(1)
    most = least = Fraction(0)
    for output in everything:
        high = max(law.get(output, Fraction(0)) for law in laws)
        low = min(law.get(output, Fraction(0)) for law in laws)
        squared = max(squared, high / low if low else math.inf)
        most, least = most + high, least + low
    return squared, max(most, 1 / least if least else math.inf)


def some_simulator_has_the_right_supports(
    family: Sequence[Masses], mechanism: Mechanism, i: int
) -> bool:
    """Whether DDP's ratio is finite at i: tries every choice of what the simulator may answer."""
    conditions = simulator_conditions(family, mechanism, i)
    inputs = sorted({d for others, _ in conditions for d in others})
    outputs = list(dict.fromkeys(o for _, law in conditions for o in law))
    choices = [set(event) for event in events(outputs) if event]
    for choice in product(choices, repeat=len(inputs)):
        allowed = dict(zip(inputs, choice, strict=True))
        if all(
            set().union(*(allowed[d] for d in others)) == set(law) for others, law in conditions
        ):
            return True
    return False


def some_simulator_is_within(
    family: Sequence[Masses], mechanism: Mechanism, i: int, E: Rational
) -> bool:
    """Whether some simulator of record i reaches E: tries every vertex of the polytope.

    Unknowns are s(d, o) for the other records d and all outputs but the last. They lie in a
    cube, so the polytope of good simulators is bounded: it is empty, or has a vertex, where as
    many independent constraints as there are unknowns hold with equality.
    """
    conditions = simulator_conditions(family, mechanism, i)
    inputs = sorted({d for others, _ in conditions for d in others})
    *free, last = dict.fromkeys(o for _, law in conditions for o in law)
    unknowns = [(d, o) for d in inputs for o in free]
    E = Fraction(E)

    rows: dict[tuple[tuple[Fraction, ...], Fraction], None] = {}  # row . x <= bound

    def at_most(coefficients: Mapping[tuple[Any, Any], Rational], bound: Rational) -> None:
        row = tuple(Fraction(coefficients.get(u, 0)) for u in unknowns)
        rows[row, Fraction(bound)] = None

    for d in inputs:
        for o in free:
            at_most({(d, o): -1}, 0)
        at_most({(d, o): 1 for o in free}, 1)
    for others, law in conditions:
        for o in free:
            mean = {(d, o): weight for d, weight in others.items()}
            at_most(mean, E * law.get(o, Fraction(0)))
            at_most({u: -w for u, w in mean.items()}, -law.get(o, Fraction(0)) / E)
        rest = {(d, o): weight for d, weight in others.items() for o in free}
        at_most(rest, 1 - law.get(last, Fraction(0)) / E)
        at_most({u: -w for u, w in rest.items()}, E * law.get(last, Fraction(0)) - 1)
    constraints = list(rows)
    if not unknowns:
        return all(bound >= 0 for _, bound in constraints)
    for chosen in combinations(constraints, len(unknowns)):
        point = solve([row for row, _ in chosen], [bound for _, bound in chosen])
        if point is not None and all(
            sum(c * x for c, x in zip(row, point, strict=True)) <= bound
            for row, bound in constraints
        ):
            return True
    return False


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """Solution of a square linear system by elimination; None if it is singular."""
    table = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(table)):
        pivot = next((r for r in range(k, len(table)) if table[r][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [entry / table[k][k] for entry in table[k]]
        for r in range(len(table)):
            if r != k and table[r][k]:
                table[r] = [x - table[r][k] * y for x, y in zip(table[r], table[k], strict=True)]
    return [row[-1] for row in table]


# --------------------------------------------------------------------------------------------
# Definitions 7 to 9, 14, and independence: by trying everything
# --------------------------------------------------------------------------------------------


def records_are_independent(masses: Masses) -> bool:
    """Whether, given every observation, P[all D(i) in X_i] = prod P[D(i) in X_i] for all X_i."""
    for B in observations(masses):
        now = normalized({d: mass for (d, k), mass in masses.items() if k == B and mass})
        for sets in product(list(events(alphabet(masses))), repeat=size(masses)):
            joint = sum(p for d, p in now.items() if all(map(contains, sets, d)))
            alone = [sum(p for d, p in now.items() if d[i] in X) for i, X in enumerate(sets)]
            if joint != prod(alone):
                return False
    return True


def target_is_independent(masses: Masses, i: int) -> bool:
    """Whether, given every observation, record i is independent of all the others together."""
    for B in observations(masses):
        now = normalized({d: mass for (d, k), mass in masses.items() if k == B and mass})
        for a in values(masses, i):
            for rest in events(without(d, i) for d in now):
                joint = sum(p for d, p in now.items() if d[i] == a and without(d, i) in rest)
                first = sum(p for d, p in now.items() if d[i] == a)
                second = sum(p for d, p in now.items() if without(d, i) in rest)
                if joint != first * second:
                    return False
    return True


def acceptable_normalization(masses: Masses, target: Target) -> list[dict[Any, Database]] | None:
    """Definition 8, by search: the values of phi_0, each as a table B -> database; None if none.

    Parameters outside I may be merged into phi_0 and those in I into one, which is the knowledge
    up to names: a normalization is then a bijection (phi_0, B) -> (database, B) onto what can
    happen, with P[phi_0] P[B] = P[database, B], along which phi_0 fixes the target. The values
    of phi_0 are named by the databases under the first observation; every permutation of those
    under each other observation is tried.
    """
    first, *rest = observations(masses)
    rows = [d for d, k in support(masses) if k == first]
    chances = {B: probability(masses, seen(B)) for B in [first, *rest]}
    columns: dict[Any, tuple[Database, ...]] = {first: tuple(rows)}
    for B in rest:
        possible = [d for d, k in support(masses) if k == B]
        for order in permutations(possible):
            if len(order) == len(rows) and all(
                masses[d, B] / chances[B] == masses[row, first] / chances[first]
                and read(target, d) == read(target, row)
                for row, d in zip(rows, order, strict=True)
            ):
                columns[B] = order
                break
        else:
            return None
    return [{B: columns[B][k] for B in columns} for k in range(len(rows))]


def has_more_knowledge(stronger: Masses, weaker: Masses, targets: Iterable[Target]) -> bool:
    """Definition 9 for two worlds, by search.

    A common normalization makes the weaker knowledge a part of the stronger one: there is a map
    r with B2 = r(B1) and the law of (D, r(B1)) that of (D, B2), and the rest of B1 is another
    parameter, independent of B2: B1 <-> (B2, rest). Injectivity for the weaker world means that
    D and B2 determine that rest. Every map and every bijection is tried.
    """
    targets = list(targets)
    if database_law(stronger) != database_law(weaker):
        return False
    if not all(acceptable_normalization(stronger, target) is not None for target in targets):
        return False
    ours, theirs = observations(stronger), observations(weaker)
    chances = {B: probability(stronger, seen(B)) for B in ours}
    wanted = {pair: Fraction(mass) for pair, mass in weaker.items() if mass}
    for images in product(theirs, repeat=len(ours)):
        r = dict(zip(ours, images, strict=True))
        coarse: dict[tuple[Database, Any], Fraction] = {}
        for d, B in support(stronger):
            coarse[d, r[B]] = coarse.get((d, r[B]), Fraction(0)) + stronger[d, B]
        injective = len(coarse) == len(support(stronger))
        if injective and coarse == wanted and fibres_are_alike(r, chances):
            return True
    return False


def fibres_are_alike(r: Mapping[Any, Any], chances: Mapping[Any, Fraction]) -> bool:
    """Whether B <-> (r(B), rest) for some rest that is independent of r(B)."""
    fibres: dict[Any, list[Any]] = {}
    for B, image in r.items():
        fibres.setdefault(image, []).append(B)
    totals = {image: sum(chances[B] for B in fibre) for image, fibre in fibres.items()}
    (pattern, total), *others = ((fibres[image], totals[image]) for image in fibres)
    return all(
        any(
            len(order) == len(pattern)
            and all(
                chances[x] / total == chances[y] / weight
                for x, y in zip(pattern, order, strict=True)
            )
            for order in permutations(fibre)
        )
        for fibre, weight in others
    )


def database_law(masses: Masses) -> Law:
    """Law of the database alone."""
    law: Law = {}
    for (d, _), mass in masses.items():
        if mass:
            law[d] = law.get(d, Fraction(0)) + mass
    return law


def output_bijections(
    masses: Masses, mechanism: Mechanism, i: Target, one: Any, other: Any
) -> list[dict[Any, Any]]:
    """Definition 14: every bijection that serves all values a of the target at once.

    It maps the outputs that can be seen under one observation to those under the other; values
    of the target that either observation excludes have no conditional law and are left out.
    """

    def laws(B: Any) -> dict[Any, Law]:
        table = {}
        for a in values(masses, i):
            law = output_law(masses, mechanism, seen(B, i, a))
            if law is not None:
                table[a] = law
        return table

    first, second = laws(one), laws(other)
    left = list(dict.fromkeys(o for law in first.values() for o in law))
    right = list(dict.fromkeys(o for law in second.values() for o in law))
    if len(left) != len(right):
        return []
    both = [a for a in first if a in second]
    found = []
    for order in permutations(right):
        phi = dict(zip(left, order, strict=True))
        if all(
            first[a].get(o, Fraction(0)) == second[a].get(phi[o], Fraction(0))
            for a in both
            for o in left
        ):
            found.append(phi)
    return found


def is_reducible(masses: Masses, mechanism: Mechanism, targets: Iterable[Target]) -> bool:
    """Definition 14."""
    return all(
        output_bijections(masses, mechanism, i, one, other)
        for i in targets
        for one in observations(masses)
        for other in observations(masses)
    )


# --------------------------------------------------------------------------------------------
# Worlds and mechanisms to try
# --------------------------------------------------------------------------------------------


def random_masses(
    rng: Random,
    n: int,
    records: Sequence[Hashable],
    knowledge: int = 1,
    most: int = 5,
    zeros: float = 0.3,
) -> dict[tuple[Database, Any], Fraction]:
    """Random world: small whole weights, some of them 0, over every database and knowledge."""
    cells = [(d, k) for d in product(records, repeat=n) for k in range(knowledge)]
    while True:
        weights = [0 if rng.random() < zeros else rng.randint(1, most) for _ in cells]
        if any(weights):
            total = sum(weights)
            return {c: Fraction(w, total) for c, w in zip(cells, weights, strict=True)}


def product_masses(
    laws: Sequence[Mapping[Any, Rational]], known: Sequence[int] = ()
) -> dict[tuple[Database, Any], Fraction]:
    """Independent records, of which the attacker knows some."""
    masses = {}
    for d in product(*laws):
        mass = prod((Fraction(law[r]) for law, r in zip(laws, d, strict=True)), start=Fraction(1))
        masses[d, tuple(d[j] for j in known)] = mass
    return masses


def random_law(rng: Random, outcomes: Sequence[Any], most: int = 3, zeros: float = 0.3) -> Law:
    """Random law with small whole weights, some of them 0."""
    while True:
        weights = [0 if rng.random() < zeros else rng.randint(1, most) for _ in outcomes]
        if any(weights):
            total = sum(weights)
            return {o: Fraction(w, total) for o, w in zip(outcomes, weights, strict=True) if w}


def random_table(
    rng: Random,
    n: int,
    records: Sequence[Any],
    outputs: int,
    deterministic: bool,
    zeros: float = 0.3,
) -> dict[Database, Any]:
    """Random mechanism as a table: an output, or a law, for every database."""
    choices = range(outputs)
    return {
        d: rng.choice(choices) if deterministic else random_law(rng, choices, zeros=zeros)
        for d in product(records, repeat=n)
    }
