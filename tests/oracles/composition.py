"""Section 5.1 read aloud: dependency of two mechanisms, and what a composition gives away.

A world is a plain table ``{(database, knowledge): Fraction}``, as in `tests.oracles.worlds`.
Whatever a definition conditions on is conditioned on, step by step: to get the second mechanism's
law given the first one's output, databases are reweighed by how likely that output was. Nothing
here imports the library. ``E`` is exp(eps) or exp(mu), a rational; ``inf`` is an infinite loss.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from tests.oracles.worlds import (
    Law,
    Masses,
    Mechanism,
    Ratio,
    Rational,
    Target,
    answer,
    observations,
    probability,
    read,
    seen,
    values,
)

F0 = Fraction(0)

# The world as it is after some observation: databases with their weights, in any unit.
Weights = Mapping[Any, Rational]


def left_over(masses: Masses, target: Target, value: Any, B: Any) -> Weights:
    """Databases that have this value of the target and go with this knowledge."""
    unit = math.lcm(*{mass.denominator for mass in masses.values()})
    return {
        d: mass.numerator * (unit // mass.denominator)
        for (d, k), mass in masses.items()
        if mass and k == B and read(target, d) == value
    }


def after(weights: Weights, mechanism: Mechanism, output: Any) -> Weights:
    """Reweigh the databases by how likely each makes the output; the mechanism tosses own coins."""
    chances = {d: answer(mechanism, d).get(output) for d in weights}
    unit = math.lcm(*(p.denominator for p in chances.values() if p))
    return {
        d: weights[d] * (p.numerator * (unit // p.denominator)) for d, p in chances.items() if p
    }


def output_law(weights: Weights, mechanism: Mechanism) -> Law | None:
    """Law of the output; None if nothing is left to condition on."""
    total = sum(weights.values())
    if not total:
        return None
    laws = {d: answer(mechanism, d) for d in weights}
    unit = math.lcm(*{p.denominator for law in laws.values() for p in law.values()})
    parts: dict[Any, Rational] = {}
    for d, mass in weights.items():
        for output, p in laws[d].items():
            if p:
                part = mass * (p.numerator * (unit // p.denominator))
                parts[output] = parts.get(output, 0) + part
    return {output: Fraction(part, total * unit) for output, part in parts.items()}


def loss(p: Law | None, q: Law | None, output: Any) -> Ratio | None:
    """exp of the privacy loss at one output, with x/0 = infinity; None if a law does not exist."""
    if p is None or q is None:
        return None
    up, down = p.get(output, Fraction(0)), q.get(output, Fraction(0))
    return up / down if down else math.inf


def together(
    weights: Weights, first: Mechanism, second: Mechanism
) -> dict[tuple[Any, Any], Fraction]:
    """Joint law of both outputs, the database being drawn once: first the one, then the other."""
    law: dict[tuple[Any, Any], Fraction] = {}
    ones = output_law(weights, first)
    assert ones is not None
    for o1, p in ones.items():
        twos = output_law(after(weights, first, o1), second)
        assert twos is not None
        for o2, q in twos.items():
            law[o1, o2] = p * q
    return law


def dep(
    a: Weights,
    b: Weights,
    first: Mechanism,
    second: Mechanism,
    pairs: Iterable[tuple[Any, Any]],
    convention: str,
) -> dict[tuple[Any, Any], Ratio]:
    """Definition 17: exp of L2(O2, B, M1 = O1) - L2(O2, B), at pairs of outputs.

    The convention "printed" has ±∞ - x = ±∞; where the first output is impossible under b there is
    no conditional loss, and it is taken for infinite. In "repaired" the value is 1 where either
    mechanism's own loss is infinite.
    """
    ones, twos = ([output_law(w, m) for w in (a, b)] for m in (first, second))
    given = {
        o1: [output_law(after(w, first, o1), second) for w in (a, b)]
        for o1 in {o1 for o1, _ in pairs}
    }
    table: dict[tuple[Any, Any], Ratio] = {}
    for o1, o2 in pairs:
        alone1, alone2, knowing = loss(*ones, o1), loss(*twos, o2), loss(*given[o1], o2)
        assert alone1 is not None
        assert alone2 is not None
        if convention == "repaired" and math.inf in (alone1, alone2):
            table[o1, o2] = Fraction(1)
        elif knowing is None or knowing == math.inf:
            table[o1, o2] = math.inf
        elif knowing == 0:
            table[o1, o2] = Fraction(0)  # -∞ - x = -∞
        else:
            table[o1, o2] = Fraction(knowing) / Fraction(alone2)
    return table


def excess(dependency: Ratio, E: Rational) -> Fraction:
    """max(0, 1 - exp(mu - Dep))."""
    if dependency == math.inf:
        return Fraction(1)
    return max(Fraction(0), 1 - E / dependency) if dependency else Fraction(0)


def cases(
    masses: Masses, targets: Iterable[Target]
) -> Iterator[tuple[Target, Any, Any, Any, Weights, Weights]]:
    """What Definitions 17 and 18 quantify over: i, B and compatible a != b, in both orders."""
    for target, B in product(targets, observations(masses)):
        possible = [v for v in values(masses, target) if probability(masses, seen(B, target, v))]
        for a, b in permutations(possible, 2):
            yield target, B, a, b, left_over(masses, target, a, B), left_over(masses, target, b, B)


def dependency(
    masses: Masses,
    first: Mechanism,
    second: Mechanism,
    target: Target,
    a: Any,
    b: Any,
    B: Any,
    convention: str = "repaired",
) -> dict[tuple[Any, Any], Ratio]:
    """exp(Dep) at every pair of outputs that is possible given a and B."""
    under_a, under_b = left_over(masses, target, a, B), left_over(masses, target, b, B)
    pairs = together(under_a, first, second)
    return dep(under_a, under_b, first, second, pairs, convention)


def nu(
    masses: Masses,
    first: Mechanism,
    second: Mechanism,
    E: Rational,
    targets: Iterable[Target],
    convention: str = "repaired",
    outputs: str = "joint",
) -> Fraction:
    """Definition 18: the least nu for exp(mu) = E, with D drawn once, or anew for each output.

    The definition speaks of all a and b, the same one twice included; Dep is 0 there. If D is drawn
    anew, two outputs may come together that no database gives, neither under a nor under b; they
    count as Dep = 0.
    """
    worst = max(Fraction(0), 1 - Fraction(E))  # a = b
    for _, _, _, _, a, b in cases(masses, targets):
        law = possible = together(a, first, second)
        if outputs == "product":
            ones, twos = output_law(a, first), output_law(a, second)
            assert ones is not None
            assert twos is not None
            law = {(o1, o2): ones[o1] * twos[o2] for o1, o2 in product(ones, twos)}
            possible = possible | together(b, first, second)
        table = dep(a, b, first, second, law.keys() & possible.keys(), convention)
        mean = sum((p * excess(table.get(pair, Fraction(1)), E) for pair, p in law.items()), F0)
        worst = max(worst, mean)
    return worst


def pair_laws(
    masses: Masses, first: Mechanism, second: Mechanism, target: Target, a: Any, b: Any, B: Any
) -> tuple[dict[tuple[Any, Any], Fraction], dict[tuple[Any, Any], Fraction]]:
    """Joint laws of both outputs given a and given b."""
    return (
        together(left_over(masses, target, a, B), first, second),
        together(left_over(masses, target, b, B), first, second),
    )


def hockey_stick(p: Law, q: Law, E: Rational) -> Fraction:
    """Sum of max(0, P - E Q)."""
    return sum(
        (max(Fraction(0), mass - E * q.get(o, Fraction(0))) for o, mass in p.items()), Fraction(0)
    )


def delta_alone(
    masses: Masses, mechanism: Mechanism, E: Rational, targets: Iterable[Target]
) -> Fraction:
    """Least delta of one mechanism, active attacker."""
    found = Fraction(0)
    for _, _, _, _, a, b in cases(masses, targets):
        p, q = output_law(a, mechanism), output_law(b, mechanism)
        assert p is not None
        assert q is not None
        found = max(found, hockey_stick(p, q, E))
    return found


def delta_as_if_independent(
    masses: Masses, first: Mechanism, second: Mechanism, E: Rational, targets: Iterable[Target]
) -> Fraction:
    """What adding up independent losses would give: D drawn anew for the second mechanism."""
    worst = Fraction(0)
    for _, _, _, _, a, b in cases(masses, targets):
        products = []
        for weights in (a, b):
            ones, twos = output_law(weights, first), output_law(weights, second)
            assert ones is not None
            assert twos is not None
            products.append({(x, y): ones[x] * twos[y] for x, y in product(ones, twos)})
        worst = max(worst, hockey_stick(products[0], products[1], E))
    return worst


def are_independent(law: Mapping[tuple[Any, Any], Rational]) -> bool:
    """Whether a joint law, normalized or not, is a product: by all two-by-two determinants."""
    rows = {x for x, _ in law}
    columns = {y for _, y in law}
    return all(
        law.get((x, y), 0) * law.get((u, v), 0) == law.get((x, v), 0) * law.get((u, y), 0)
        for x, u in combinations(rows, 2)
        for y, v in combinations(columns, 2)
    )


def parts_law(weights: Weights, pi1: Any, pi2: Any) -> dict[tuple[Any, Any], Fraction]:
    """Weights of the pairs (pi1(D), pi2(D))."""
    law: dict[tuple[Any, Any], Fraction] = {}
    for d, mass in weights.items():
        key = (pi1(d), pi2(d))
        law[key] = law.get(key, Fraction(0)) + mass
    return law


def parts_are_independent(masses: Masses, pi1: Any, pi2: Any) -> bool:
    """Proposition 9 as printed: pi1(D) and pi2(D) are independent under theta."""
    weights: Weights = {}
    for (d, _), mass in masses.items():
        if mass:
            weights[d] = weights.get(d, Fraction(0)) + mass
    return are_independent(parts_law(weights, pi1, pi2))


def parts_are_conditionally_independent(
    masses: Masses, pi1: Any, pi2: Any, targets: Iterable[Target]
) -> bool:
    """Corrected: they are independent given D(i) = a and B, for all i, a, B."""
    return all(
        are_independent(parts_law(left_over(masses, target, a, B), pi1, pi2))
        for target, B in product(targets, observations(masses))
        for a in values(masses, target)
    )


def is_a_rectangle(masses: Masses, pi1: Any, pi2: Any, target: Target) -> bool:
    """Whether each event {D(i) = a, B} is the event that pi1 and pi2 lie in two sets."""
    all_pairs = {(pi1(d), pi2(d)) for (d, _), mass in masses.items() if mass}
    for B, a in product(observations(masses), values(masses, target)):
        inside = {
            (pi1(d), pi2(d))
            for (d, k), mass in masses.items()
            if mass and k == B and read(target, d) == a
        }
        outside = {
            (pi1(d), pi2(d))
            for (d, k), mass in masses.items()
            if mass and not (k == B and read(target, d) == a)
        }
        box = set(product({x for x, _ in inside}, {y for _, y in inside}))
        if inside & outside or (box & all_pairs) != inside:
            return False
    return True


def extremal(
    e1: Rational, e2: Rational, mu: Rational, d1: Rational, d2: Rational, v: Rational
) -> Masses:
    """World in which Theorem 6, corrected, is attained; the releases are records 1 and 2.

    Record 0 is the secret. With probabilities d1 and d2 one of the releases tells it, with
    probability v both together do, and otherwise they are correlated bits: of losses e1 and e2 and
    dependency mu where both are 1.
    """
    law: Masses = {}
    rare = 1 / ((1 + Fraction(max(e1, e2))) * (1 + mu))
    for secret in (0, 1):
        law[(secret, ("first tells", secret), "first tells"), ()] = d1 * Fraction(1, 2)
        law[(secret, "second tells", ("second tells", secret)), ()] = d2 * Fraction(1, 2)
        for coin in (0, 1):
            law[(secret, ("pad", coin), ("pad", coin ^ secret)), ()] = v * Fraction(1, 4)
        first, second, both = (
            (e1 * rare, e2 * rare, e1 * e2 * rare**2 * mu) if secret else (rare, rare, rare**2)
        )
        masses = {
            (1, 1): both,
            (1, 0): first - both,
            (0, 1): second - both,
            (0, 0): 1 - first - second + both,
        }
        for (one, other), mass in masses.items():
            bits = (secret, ("bit", one), ("bit", other))
            law[bits, ()] = mass * (1 - d1 - d2 - v) / 2
    return law
