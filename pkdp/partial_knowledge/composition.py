"""Composition of two mechanisms on one database (section 5.1), on finite worlds, in fractions.

Two releases M₁(D) and M₂(D) can be private one by one and not together. Definition 17 measures what
goes wrong by the *dependency*: how much the first output changes the privacy loss of the second,

    Dep(o₁, o₂) = ln(P[o₂ | o₁, a] / P[o₂ | o₁, b]) - ln(P[o₂ | a] / P[o₂ | b]),

everything given B̂. It is the same with the mechanisms exchanged. Here it is the ratio e^Dep, a
fraction, 0 or ``math.inf``, and so are e^ε and e^µ.

Definition 17 lets ``±∞ - x = ±∞``: the dependency is infinite wherever the pair of outputs rules a
value of the target out, even if one of the outputs does so on its own. This is the convention
"printed". By it a constant and the secret are dependent. In the convention "repaired", the default,
Dep is 0 where one of the two losses is infinite. As such outputs count in δ₁ or δ₂ already,
Theorem 6 is true with either; the repaired ν is never larger.

The arguments `worlds` and `targets` are those of `pkdp.definitions`, and each mechanism has coins
of its own. With three or more mechanisms, compute the dependency of one on
``pkdp.mechanisms.compose`` of those before. The time is that of active privacy for both mechanisms
together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any, Literal, NamedTuple, SupportsFloat, TypeAlias, get_args

from pkdp._checks import as_choice, as_function, as_ratio, as_real, as_several, is_among
from pkdp._order import in_order
from pkdp.profiles._plateaus import sum_above
from pkdp.worlds._exact_distributions import summed
from pkdp.worlds._output_distributions import (
    Comparison,
    Ratio,
    Targets,
    Weights,
    Worlds,
    active_columns,
    active_laws,
    as_targets,
    check_values,
    comparison,
    each_observed,
    one_world,
    worst,
)
from pkdp.worlds.mechanisms import Database, Mechanism, Output, compose, output_law
from pkdp.worlds.world import Target, World, family

__all__ = [
    "Convention",
    "Outputs",
    "are_conditionally_independent",
    "dependency",
    "dependency_law",
    "have_independent_parts",
    "mu_ratio",
    "nu",
    "product_delta",
    "splits_along",
    "theorem_6",
]

Convention: TypeAlias = Literal["repaired", "printed"]

# How Definition 18 draws its two outputs: from one database, or from two that are independent.
Outputs: TypeAlias = Literal["joint", "product"]


# --------------------------------------------------------------------------------------------
# Dependency
# --------------------------------------------------------------------------------------------


# The knowledge of an attacker who has only one.
_ONLY = object()


class JointLaw(NamedTuple):
    """The law of several outputs given the target's value: together, and of each part of them.

    Attributes
    ----------
    together : Counter
        Weights of all outputs, in units of 1/unit.
    parts : tuple of pairs
        Which outputs belong to each part, and the weights of these.
    unit : int
    """

    together: Weights
    parts: tuple[tuple[int | slice, Weights], ...]
    unit: int

    @staticmethod
    def of(law: Weights, cuts: tuple[int | slice, ...] = (0, 1)) -> JointLaw:
        """Return the law of outputs in parts; by default of two outputs."""
        sums = (summed((outputs[cut], mass) for outputs, mass in law.items()) for cut in cuts)
        parts = tuple((cut, Counter(part)) for cut, part in zip(cuts, sums, strict=True))
        return JointLaw(law, parts, law.total())

    def apart(self, outputs: tuple[Output, ...]) -> int:
        """Return the product of the weights of the parts."""
        return math.prod(law[outputs[cut]] for cut, law in self.parts)

    def pairs(self) -> Iterator[tuple[Output, Output]]:
        """Yield all pairs of outputs that two parts allow."""
        (_, first), (_, second) = self.parts
        return product(first, second)

    def is_product(self) -> bool:
        """Whether two outputs are independent."""
        return all(self.together[pair] * self.unit == self.apart(pair) for pair in self.pairs())


def dependency_ratio(
    a: JointLaw, b: JointLaw, outputs: tuple[Output, ...], *, repaired: bool = True
) -> Ratio:
    """Return e^Dep: that of all outputs, over the product of those of the parts.

    With two parts that is P_a(o₁,o₂)·P_b(o₁)·P_b(o₂) / (P_b(o₁,o₂)·P_a(o₁)·P_a(o₂)).
    """
    above, below = a.together[outputs], b.together[outputs]
    a_apart, b_apart = a.apart(outputs), b.apart(outputs)
    # The first from separate databases only.
    if not (above or below) or (repaired and not (a_apart and b_apart)):
        return Fraction(1)
    if not below:
        return math.inf
    if not above:
        return Fraction(0)
    more = len(a.parts) - 1
    return Fraction(above * b_apart * a.unit**more, below * a_apart * b.unit**more)


def dependency(
    world: World,
    m1: Mechanism,
    m2: Mechanism,
    *,
    target: Target,
    a: Hashable,
    b: Hashable,
    knowledge: Hashable = _ONLY,
    convention: Convention = "repaired",
) -> dict[tuple[Output, Output], Ratio]:
    """Return the dependency of one mechanism on another for each pair of outputs, as e^Dep.

    Parameters
    ----------
    world : World
        One world θ.
    m1, m2 : callable
        The mechanisms: from a database to an output or to ``{output: Fraction}``.
    target : int or callable
        What the attacker is after.
    a, b : hashable
        Two values of it; exchanging them inverts the ratios.
    knowledge : hashable, optional
        The value B̂ of the knowledge; can be left out if there is only one.
    convention : {"repaired", "printed"}
        What Dep is where a loss is infinite; see the module's docstring.

    Returns
    -------
    dict
        ``{(o1, o2): e^Dep}`` for the pairs that are possible under a or under b, in order: a
        fraction, 0 (Dep = -∞) or inf.

    Raises
    ------
    ValueError
        If the target is out of range, the knowledge is not possible, or excludes a or b; or if
        there are several values of the knowledge and none is given.
    TypeError
        If `world` is a family.

    References
    ----------
    Partial knowledge, Definition 17.

    Examples
    --------
    Two thirds of those who say no have a neighbour who says no. The neighbours' noes, released
    twice, lose as much as once: the dependency takes back what the losses count twice.

    >>> world = World({((0, 0), ()): Fraction(1, 3), ((0, 1), ()): Fraction(1, 6),
    ...                ((1, 0), ()): Fraction(1, 6), ((1, 1), ()): Fraction(1, 3)})
    >>> from operator import itemgetter
    >>> neighbour = itemgetter(1)
    >>> dependency(world, neighbour, neighbour, target=0, a=0, b=1)
    {(0, 0): Fraction(1, 2), (1, 1): Fraction(2, 1)}
    """
    a_law, b_law = _two_laws(world, m1, m2, target, a, b, knowledge)
    repaired = as_choice(convention, "convention", get_args(Convention)) == "repaired"
    possible = in_order(a_law.together.keys() | b_law.together.keys())
    return {pair: dependency_ratio(a_law, b_law, pair, repaired=repaired) for pair in possible}


def dependency_law(
    world: World,
    m1: Mechanism,
    m2: Mechanism,
    *,
    target: Target,
    a: Hashable,
    b: Hashable,
    knowledge: Hashable = _ONLY,
    convention: Convention = "repaired",
) -> dict[Ratio, Fraction]:
    """Return the law under a of the dependency, as that of e^Dep.

    Parameters
    ----------
    world, m1, m2, target, a, b, knowledge, convention
        As for `dependency`. Both outputs come from one database, drawn given a and B̂.

    Returns
    -------
    dict
        ``{e^Dep: probability}``, in increasing order.

    References
    ----------
    Partial knowledge, Definition 18, whose expectation is over this law.

    Examples
    --------
    A vote, hidden by a fair coin, and the coin:

    >>> from pkdp.worlds import bits
    >>> from operator import itemgetter
    >>> fair, hidden, coin = bits([Fraction(1, 2)] * 2), (lambda d: d[0] ^ d[1]), itemgetter(1)
    >>> dependency_law(fair, hidden, coin, target=0, a=0, b=1)
    {inf: Fraction(1, 1)}
    """
    a_law, b_law = _two_laws(world, m1, m2, target, a, b, knowledge)
    law = _law(a_law, b_law, convention, "joint")
    return {ratio: law[ratio] for ratio in sorted(law)}


def nu(
    worlds: Worlds,
    m1: Mechanism,
    m2: Mechanism,
    ratio: Fraction | int | float,
    targets: Targets = None,
    *,
    convention: Convention = "repaired",
    outputs: Outputs = "joint",
) -> Fraction:
    """Return the least ν for which two mechanisms are (µ, ν)-bounded dependent.

    It is the greatest, over all θ, i, a, b and B̂, of the expectation of ``(1 - e^(µ - Dep))₊``.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ.
    m1, m2 : callable
        The mechanisms; exchanging them changes nothing.
    ratio : Fraction or inf
        e^µ > 0. Below 1 (µ is negative) ν is at least ``1 - e^µ``: Definition 18 allows a = b.
    targets : iterable of int or callable, optional
        Records the attacker may be after, or functions of the database; by default all records.
    convention : {"repaired", "printed"}
        As for `dependency`.
    outputs : {"joint", "product"}
        Whether the two outputs come from one database, drawn given a and B̂, or from one each. It
        is the joint law that Theorem 6 needs. Pairs of outputs of separate databases that no single
        one can have, under a or b, count as Dep = 0.

    Returns
    -------
    Fraction
        In [0, 1].

    Raises
    ------
    ValueError
        If there is no world or no target, a target is out of range in one, or `ratio` is not
        positive.
    TypeError
        If `worlds` is something else, a target is neither a number nor a function, or `ratio` a
        float other than inf.

    References
    ----------
    Partial knowledge, Definition 18.

    Examples
    --------
    How many said yes, and how many did so without the first (Example 8): together they tell all,
    unless the first number does alone.

    >>> from pkdp.worlds import bits
    >>> world, everybody, others = bits([Fraction(1, 2)] * 3), sum, (lambda d: sum(d[1:]))
    >>> nu(world, everybody, others, 1000, targets=[0])
    Fraction(3, 4)
    >>> nu(world, everybody, others, 1000, targets=[0], convention="printed")
    Fraction(1, 1)
    """
    exact = as_ratio(ratio, below_one=True)  # e^µ, for any µ but -∞
    pairs = _all_pairs(worlds, m1, m2, targets)
    same = Fraction(0) if isinstance(exact, float) else max(Fraction(0), 1 - exact)  # a = b
    laws = (_law(a_law, b_law, convention, outputs) for a_law, b_law in pairs)
    return max((same, *(_expectation(law, exact) for law in laws)))


def mu_ratio(worlds: Worlds, m1: Mechanism, m2: Mechanism, targets: Targets = None) -> Ratio:
    """Return the least e^µ for which two mechanisms are (µ, 0)-bounded dependent, if repaired.

    Parameters
    ----------
    worlds, m1, m2, targets
        As for `nu`.

    Returns
    -------
    Fraction or inf
        At least 1.

    References
    ----------
    Partial knowledge, Definition 18.

    Examples
    --------
    >>> from pkdp.worlds import bits
    >>> from operator import itemgetter
    >>> mu_ratio(bits([Fraction(1, 3)] * 2), itemgetter(0), itemgetter(1))
    Fraction(1, 1)
    """
    greatest: Ratio = Fraction(1)
    for a_law, b_law in _all_pairs(worlds, m1, m2, targets):
        greatest = max(greatest, *_law(a_law, b_law, "repaired", "joint"))
    return greatest


def _two_laws(
    world: World,
    m1: Mechanism,
    m2: Mechanism,
    target: Target,
    a: Hashable,
    b: Hashable,
    knowledge: Hashable,
) -> tuple[JointLaw, JointLaw]:
    ((answers, observed),) = each_observed(one_world(world), _both(m1, m2), [target])
    if knowledge is _ONLY and len(observed) == 1:
        (knowledge,) = observed
    if not is_among(knowledge, observed):
        given = "none" if knowledge is _ONLY else repr(knowledge)
        raise ValueError(f"knowledge must be among {world.knowledge!r}, got {given}")
    columns = answers.named(observed[knowledge])
    check_values({knowledge: columns}, a, b)
    return JointLaw.of(columns[a]), JointLaw.of(columns[b])


def _all_pairs(
    worlds: Worlds, m1: Mechanism, m2: Mechanism, targets: Targets
) -> Iterator[tuple[JointLaw, JointLaw]]:
    """Yield the laws of both outputs given a and given b, for all that Definition 18 ranges over.

    Only a = b is left out, where the dependency is 0.
    """
    for columns in active_laws(worlds, _both(m1, m2), targets):
        laws = [JointLaw.of(law) for law in columns.values()]
        yield from permutations(laws, 2)


def _law(
    a: JointLaw, b: JointLaw, convention: Convention, outputs: Outputs
) -> dict[Ratio, Fraction]:
    """Return the law of e^Dep under a."""
    repaired = as_choice(convention, "convention", get_args(Convention)) == "repaired"
    if as_choice(outputs, "outputs", get_args(Outputs)) == "joint":
        masses = {pair: Fraction(mass, a.unit) for pair, mass in a.together.items()}
    else:
        masses = {pair: Fraction(a.apart(pair), a.unit**2) for pair in a.pairs()}
    return summed(
        (dependency_ratio(a, b, pair, repaired=repaired), mass) for pair, mass in masses.items()
    )


def _expectation(law: dict[Ratio, Fraction], ratio: Ratio) -> Fraction:
    """Return the expectation of ``(1 - e^(µ - Dep))₊``."""
    if isinstance(ratio, float):
        return law.get(math.inf, Fraction(0))
    return sum(
        (
            mass * (1 - ratio / dep) if isinstance(dep, Fraction) else mass
            for dep, mass in law.items()
            if dep > ratio
        ),
        Fraction(0),
    )


# --------------------------------------------------------------------------------------------
# Theorem 6
# --------------------------------------------------------------------------------------------


def theorem_6(
    eps1: SupportsFloat,
    delta1: SupportsFloat,
    *,
    eps2: SupportsFloat,
    delta2: SupportsFloat,
    mu: SupportsFloat,
    nu: SupportsFloat,
) -> tuple[float, float]:
    """Return the ε and δ of two mechanisms together: ``(ε₁ + ε₂ + µ, δ₁ + δ₂ + ν)``.

    The loss of both is ``L₁ + L₂ + Dep``, not ``L₁ + L₂ + 2·Dep`` as printed, and ``(1 - e^x)₊``
    is subadditive. No better can be said from these six numbers alone: a world attains them all.

    Parameters
    ----------
    eps1, delta1, eps2, delta2 : float
        The guarantees of the two mechanisms; ε in [0, inf], δ in [0, 1].
    mu, nu : float
        For which they are (µ, ν)-bounded dependent; µ in [-1e300, inf], ν in
        [0, 1].

    Returns
    -------
    tuple of float
        ε ≥ 0 and δ ≤ 1, both rounded up.

    References
    ----------
    Partial knowledge, Theorem 6, corrected.

    Examples
    --------
    >>> theorem_6(0.5, 1e-6, eps2=0.25, delta2=1e-6, mu=0.25, nu=0.0)
    (1.0, 2e-06)
    """
    losses, chances = checked_guarantees((eps1, eps2, mu), (delta1, delta2, nu))
    return max(0.0, sum_above(losses)), min(1.0, sum_above(chances))


def checked_guarantees(
    losses: Sequence[SupportsFloat], chances: Sequence[SupportsFloat]
) -> tuple[list[float], list[float]]:
    """Return ε₁, ε₂ and µ, and δ₁, δ₂ and ν, as floats; for `theorem_6`, also as it is printed."""
    least = 0.0, 0.0, -1e300
    allowed = ("eps1", "in [0, inf]"), ("eps2", "in [0, inf]"), ("mu", "in [-1e300, inf]")
    return (
        [as_real(x, *of, low, math.inf) for x, of, low in zip(losses, allowed, least, strict=True)],
        [
            as_real(x, name, "in [0, 1]", 0.0, 1.0)
            for x, name in zip(chances, ("delta1", "delta2", "nu"), strict=True)
        ],
    )


def product_delta(
    worlds: Worlds,
    mechanisms: Sequence[Mechanism],
    ratio: Fraction | int | float,
    targets: Targets = None,
) -> Fraction:
    """Return the δ that composing the laws of the losses gives, as if outputs were independent.

    For each θ, i, a, b and B̂ the outputs of different mechanisms are drawn from independent
    databases. This is what mechanisms with noise of their own obey, and what accountants compute.
    On one database it is no bound, not even for (0, 0)-bounded dependent mechanisms; it is right
    where each and those before it, composed, `are_conditionally_independent`; all pairs do not do.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ.
    mechanisms : sequence of callable
        From a database to an output or to ``{output: Fraction}``; at least one.
    ratio : Fraction or inf
        e^ε ≥ 1.
    targets : iterable of int or callable, optional
        Records the attacker may be after, or functions of the database; by default all records.

    Returns
    -------
    Fraction
        In [0, 1].

    Raises
    ------
    ValueError
        If there is no world, no mechanism or no target, a target is out of range in one, or
        `ratio` is less than 1.
    TypeError
        If `worlds` is something else, a target is neither a number nor a function, or `ratio` a
        float other than inf.

    References
    ----------
    Partial knowledge, the remark that follows the proof of Theorem 6.

    Examples
    --------
    A coin that both mechanisms see: heads, and both tell the truth three times out of four.

    >>> from pkdp.worlds.definitions import apk_delta
    >>> from pkdp.worlds.mechanisms import compose, make_randomized_response
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 2), Fraction(2, 3)])
    >>> told = make_randomized_response(Fraction(1, 2))
    >>> on_heads = lambda database: told(database[:1]) if database[1] else "nothing"
    >>> nu(world, on_heads, on_heads, 1, targets=[0])
    Fraction(0, 1)
    >>> product_delta(world, [on_heads, on_heads], 5, targets=[0])
    Fraction(1, 9)
    >>> apk_delta(world, compose(on_heads, on_heads), 5, targets=[0])
    Fraction(1, 6)
    """
    if not (mechanisms := as_several(mechanisms, "mechanisms", "functions of a database")):
        raise ValueError("mechanisms must be at least one, got none")
    members = family(worlds)
    wanted = None if targets is None else as_several(targets, "targets", "targets")
    each = [active_columns(members, mechanism, wanted) for mechanism in mechanisms]
    curves = (
        _product([columns[value] for columns in laws], [columns[other] for columns in laws])
        for laws in zip(*each, strict=True)
        for value, other in permutations(laws[0], 2)
    )
    return worst(curves, ratio)


def _product(first: Sequence[Weights], second: Sequence[Weights]) -> Comparison:
    """Compare the products of laws, of which those in the same place belong together."""
    curve = Comparison([(1, 1)], 1)
    for p, q in zip(first, second, strict=True):
        part = comparison(p, q)
        times: Counter[tuple[int, int]] = Counter()  # outputs of the same ratio count as one
        for (x, y), (u, v) in product(curve.masses, part.masses):
            common = math.gcd(x * u, y * v)
            times[x * u // common, y * v // common] += common
        masses = [(x * k, y * k) for (x, y), k in times.items()]
        curve = Comparison(masses, curve.unit * part.unit)
    return curve


# --------------------------------------------------------------------------------------------
# Proposition 9
# --------------------------------------------------------------------------------------------


def have_independent_parts(worlds: Worlds, m1: Mechanism, m2: Mechanism) -> bool:
    """Decide whether two mechanisms work on independent parts of the database, as Prop. 9 asks.

    There are such parts if and only if the *laws* of the two outputs, as functions of the database,
    are independent: each part determines the law, and the law is itself a part.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ; the parts may differ from world to world.
    m1, m2 : callable
        The mechanisms.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there is no world.
    TypeError
        If `worlds` is something else.

    References
    ----------
    Partial knowledge, Proposition 9; the condition is not enough.

    Examples
    --------
    >>> from pkdp.worlds import bits
    >>> from operator import itemgetter
    >>> fair, hidden, coin = bits([Fraction(1, 2)] * 2), (lambda d: d[0] ^ d[1]), itemgetter(1)
    >>> have_independent_parts(fair, hidden, coin), mu_ratio(fair, hidden, coin)
    (True, inf)
    """
    as_function(m1, "m1", "a database")
    as_function(m2, "m2", "a database")
    return all(
        JointLaw.of(
            Counter(summed((part, weight) for part, _, weight in _parts(world, m1, m2)))
        ).is_product()
        for world in family(worlds)
    )


def are_conditionally_independent(
    worlds: Worlds, m1: Mechanism, m2: Mechanism, targets: Targets = None
) -> bool:
    """Decide whether two outputs are independent, given the target's value and the knowledge.

    Parameters
    ----------
    worlds, m1, m2, targets
        As for `nu`.

    Returns
    -------
    bool
        If so, the mechanisms are (0, 0)-bounded dependent in the repaired convention; moreover all
        that is known about composing mechanisms with noise of their own applies to them.

    References
    ----------
    Partial knowledge, Proposition 9, corrected.

    Examples
    --------
    >>> from pkdp.worlds import bits
    >>> from operator import itemgetter
    >>> fair, hidden, coin = bits([Fraction(1, 2)] * 2), (lambda d: d[0] ^ d[1]), itemgetter(1)
    >>> are_conditionally_independent(fair, hidden, coin)
    False
    >>> are_conditionally_independent(fair, itemgetter(0), coin)
    True
    """
    return all(
        JointLaw.of(law).is_product()
        for columns in active_laws(worlds, _both(m1, m2), targets)
        for law in columns.values()
    )


def splits_along(worlds: Worlds, m1: Mechanism, m2: Mechanism, targets: Targets = None) -> bool:
    """Decide whether the database has two independent parts along which secret and knowledge split.

    The parts are independent, and for every target, a and B̂ the event ``D(i) = a, B = B̂`` says one
    thing about the first part and another about the second, and nothing else: it is a rectangle.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ.
    m1, m2 : callable
        The parts π₁ and π₂, functions of the database.
    targets : iterable of int or callable, optional
        Records the attacker may be after, or functions of the database; by default all records.

    Returns
    -------
    bool
        If so, mechanisms that work on one part each `are_conditionally_independent`.

    References
    ----------
    Partial knowledge, Proposition 9: a reading of "work on distinct parts of a database".

    Examples
    --------
    Halves of a database of independent records; and of one where only the tally is known:

    >>> from pkdp.worlds import bits
    >>> from operator import itemgetter
    >>> world, first, second = bits([Fraction(1, 3)] * 4), itemgetter(0, 1), itemgetter(2, 3)
    >>> splits_along(world, first, second), splits_along(world.knowing(sum), first, second)
    (True, False)
    """
    members = family(worlds)
    wanted = as_targets(members, targets)
    return have_independent_parts(members, m1, m2) and all(
        _are_rectangles(list(_parts(world, m1, m2)), world.secret(target))
        for world, numbers in zip(members, wanted, strict=True)
        for target in numbers
    )


def _are_rectangles(
    parts: Sequence[tuple[tuple[Any, Any], Any, int]], secret: Callable[[Database], Any]
) -> bool:
    events: dict[Any, set[tuple[Any, Any]]] = {}
    for part, (database, knowledge), _ in parts:
        events.setdefault((secret(database), knowledge), set()).add(part)
    # No parts belong to two events, and each event is a product.
    return sum(map(len, events.values())) == len(set().union(*events.values())) and all(
        len(event) == math.prod(len(set(side)) for side in zip(*event, strict=True))
        for event in events.values()
    )


def _parts(
    world: World, m1: Mechanism, m2: Mechanism
) -> Iterator[tuple[tuple[Any, Any], tuple[Database, Any], int]]:
    """Yield the laws of both outputs for each database and knowledge, with its weight."""
    laws = {
        database: tuple(frozenset(output_law(m, database).items()) for m in (m1, m2))
        for database in world.databases
    }
    for (database, knowledge), weight in world.weights.items():
        one, other = laws[database]
        yield (one, other), (database, knowledge), weight


# --------------------------------------------------------------------------------------------
# Arguments
# --------------------------------------------------------------------------------------------


def _both(m1: Mechanism, m2: Mechanism) -> Mechanism:
    """Return the mechanism that releases both outputs."""
    return compose(as_function(m1, "m1", "a database"), as_function(m2, "m2", "a database"))
