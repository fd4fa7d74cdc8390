"""Comparison of attackers' background knowledge, and mechanisms for which its value is irrelevant.

Definition 9 orders attackers by their knowledge. For the reducible mechanisms of Definition 14 all
values of the knowledge are equivalent, so that active and passive attackers are the same
(Theorem 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pkdp._checks import as_mapping, is_among
from pkdp._order import in_order
from pkdp.worlds._exact_distributions import FrozenDict, normalized
from pkdp.worlds._output_distributions import (
    Targets,
    Worlds,
    as_targets,
    check_all_values,
    each_observed,
    one_world,
)
from pkdp.worlds.mechanisms import Mechanism, Output
from pkdp.worlds.world import Knowledge, Target, World, family

__all__ = ["Reduction", "is_reducible", "more_knowledge"]


@dataclass(frozen=True)
class Reduction:
    """Whether a mechanism is reducible, and the bijections between outputs if it is.

    Its truth value is whether the mechanism is reducible.

    Attributes
    ----------
    outputs : mapping
        ``{(target, B̂): outputs}``, the possible outputs, ordered such that those in the same
        place correspond. Targets after the first without bijections are left out; the outputs of
        that target are listed, but cannot all correspond. Read-only.
    obstacle : tuple or None
        ``(target, B1, B2)`` for which there is no bijection, or None.
    """

    outputs: Mapping[tuple[Target, Knowledge], tuple[Output, ...]]
    obstacle: tuple[Target, Knowledge, Knowledge] | None

    def __post_init__(self) -> None:
        outputs = as_mapping(self.outputs, "outputs", "outputs")
        object.__setattr__(self, "outputs", FrozenDict(outputs))

    def __bool__(self) -> bool:
        return self.obstacle is None

    def bijection(
        self, target: Target, first: Knowledge, second: Knowledge
    ) -> dict[Output, Output]:
        """Return the φ of Definition 14, from outputs under one knowledge to those under another.

        Parameters
        ----------
        target : int or callable
            One of the targets that were compared; a function must be the same object.
        first, second : hashable
            Two values of the knowledge.

        Returns
        -------
        dict
            ``{output under first: output under second}``, in order.

        Raises
        ------
        ValueError
            If the mechanism is not reducible, or the target or the knowledge is not one of those
            that were compared.

        Examples
        --------
        >>> same = Reduction({(0, "B1"): (1, 2), (0, "B2"): (5, 4)}, obstacle=None)
        >>> same.bijection(0, "B1", "B2")
        {1: 5, 2: 4}
        """
        if self.obstacle is not None:
            raise ValueError(f"the mechanism is not reducible: see the obstacle {self.obstacle!r}")
        for knowledge in (first, second):
            if not is_among((target, knowledge), self.outputs):
                raise ValueError(
                    f"target and knowledge must be among {list(self.outputs)!r}, "
                    f"got {(target, knowledge)!r}"
                )
        images = dict(zip(self.outputs[target, first], self.outputs[target, second], strict=True))
        return {output: images[output] for output in in_order(images)}


def is_reducible(world: World, mechanism: Mechanism, targets: Targets = None) -> Reduction:
    """Decide whether a mechanism is reducible, and find the bijections (Definition 14).

    For each target and any two values of the knowledge there must be a bijection between the
    outputs under which the probabilities agree for every value of the target at once. It exists if
    and only if the columns of these probabilities are the same up to their order.

    Parameters
    ----------
    world : World
        One member of Θ; a mechanism is Θ-reducible if it is reducible for each.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    targets : iterable of int or callable, optional
        By default all records. Records that the attacker knows cannot be targets: leave them out.

    Returns
    -------
    Reduction

    Raises
    ------
    ValueError
        If a target is out of range, or some knowledge excludes one of its values, so that the
        probabilities have no meaning.
    TypeError
        If `world` is not a World.

    Notes
    -----
    The bijections are between outputs of positive probability; since there are equally many of
    these, each extends to all outputs.

    References
    ----------
    Partial knowledge, Definition 14.

    Examples
    --------
    An attacker who knows a vote subtracts it from the tally:

    >>> from pkdp.worlds.mechanisms import make_threshold, total
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 2)] * 3, knowledge=[2])
    >>> is_reducible(world, total, targets=[0, 1]).bijection(0, (0,), (1,))
    {0: 1, 1: 2, 2: 3}
    >>> is_reducible(world, make_threshold(1), targets=[0, 1]).obstacle
    (0, (0,), (1,))
    """
    (wanted,) = as_targets([one_world(world)], targets)
    found: dict[tuple[Target, Knowledge], tuple[Output, ...]] = {}
    each = each_observed(world, mechanism, wanted, all_values=True)
    for target, (answers, observed) in zip(wanted, each, strict=True):
        values, shapes = check_all_values(observed), {}
        for knowledge, columns in observed.items():
            named = answers.named(columns)
            laws = [normalized(named[value]) for value in values]
            outputs = in_order(set().union(*laws))
            rows = {output: [law.get(output, 0) for law in laws] for output in outputs}
            found[target, knowledge] = tuple(sorted(outputs, key=rows.__getitem__))
            shapes[knowledge] = sorted(rows.values())
        first = world.knowledge[0]
        for knowledge in world.knowledge:
            if shapes[knowledge] != shapes[first]:
                return Reduction(found, (target, first, knowledge))
    return Reduction(found, None)


def more_knowledge(stronger: Worlds, weaker: Worlds, targets: Targets = None) -> bool:
    """Decide whether one family has more background knowledge than another (Definition 9).

    For each weaker world there must be a stronger one with the same distribution of the database
    and, for each target, a common acceptable normalization in which the stronger attacker knows
    more parameters. Parameters can be grouped into three: what both know, what only the stronger
    attacker knows, and the rest, which determines the target. So the weaker knowledge must be a
    function of the stronger; what only the stronger attacker knows must be independent of the
    weaker knowledge, and determined by it and the database; and the stronger world must be
    acceptable.

    A normalization has to be injective (Definition 7), and this can be read in three ways for a
    common one: the parameters are determined by the database alone, by the database and the
    stronger knowledge, or by the database and the weaker knowledge. Definition 7 is about a
    distribution on 𝒟 × ℬ, and the normalization must be one of either world. So the last reading
    is used here: the map is injective for either world, and the database and the weaker knowledge
    determine all parameters.

    Parameters
    ----------
    stronger, weaker : World or iterable of World
        The two families.
    targets : iterable of int or callable, optional
        By default all records, as in Definition 9. Known records never have an acceptable
        normalization unless they are constant, so you will usually leave them out.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If a family is empty, or a target is out of range.

    Notes
    -----
    To assign to each value of the stronger knowledge one of the weaker is an exact cover problem:
    values assigned to the same one have no databases in common. Forced assignments are made first,
    and values that give the databases the same probabilities are interchangeable; then the search
    backtracks. The time is in proportion to the sizes of the worlds if the knowledge is a function
    of the database, but can be exponential for worlds constructed to be hard.

    References
    ----------
    Partial knowledge, Definition 9.

    Examples
    --------
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 3)] * 3)
    >>> more_knowledge(world.knowing([1, 2]), world.knowing([2]), targets=[0])
    True
    >>> more_knowledge(world.knowing([1]), world.knowing([2]), targets=[0])
    False
    """
    strong, weak = family(stronger, name="stronger"), family(weaker, name="weaker")
    wanted = as_targets((*strong, *weak), targets)[: len(strong)]
    candidates = [
        world
        for world, those in zip(strong, wanted, strict=True)
        if all(map(world.is_acceptable, those))
    ]
    return all(any(_contains(world, other) for world in candidates) for other in weak)


def _contains(stronger: World, weaker: World) -> bool:
    """Whether the weaker knowledge is some of the stronger's parameters, for the same databases.

    Each value B of the stronger knowledge has to be placed at one value W of the weaker, so that
    the masses (D, B) add up to (D, W). As D and W determine the rest, each (D, W) is made of one
    (D, B) only. And as the rest is independent of W, the probabilities of B given W are the same
    list for all W.
    """
    if stronger.law_of(tuple) != weaker.law_of(tuple):
        return False
    # Values B with the same masses (D, B) are interchangeable.
    kinds = Counter(frozenset(part.items()) for part in stronger.shares.values())
    masses = {kind: sum((mass for _, mass in kind), Fraction(0)) for kind in kinds}
    wholes = [(set(whole.items()), sum(whole.values())) for whole in weaker.shares.values()]
    parts = Counter(masses[kind] for kind in kinds.elements())
    chances = _common_chances(parts, [Fraction(total) for _, total in wholes])
    if chances is None:
        return False
    capacity: Counter[Hashable] = Counter(kinds)
    placements: list[frozenset[Hashable]] = []
    for w, (cells, total) in enumerate(wholes):
        capacity.update({(w, chance * total): n for chance, n in chances.items()})
        capacity.update((w, database) for database, _ in cells)
        placements += [
            frozenset([kind, (w, mass), *((w, database) for database, _ in kind)])
            for kind, mass in masses.items()
            if kind <= cells and (w, mass) in capacity
        ]
    return _can_be_used_up(capacity, placements)


def _common_chances(
    parts: Counter[Fraction], wholes: Sequence[Fraction]
) -> Counter[Fraction] | None:
    """Return the one list of chances, with their numbers, that divides all wholes into the parts.

    The largest part can only be the largest chance of the largest whole, and so on.
    """
    chances: Counter[Fraction] = Counter()
    while parts:
        chance = max(parts) / max(wholes)
        needed = Counter(chance * whole for whole in wholes)
        if not needed <= parts:
            return None
        parts = parts - needed
        chances[chance] += 1
    return chances


def _can_be_used_up(capacity: Counter[Hashable], options: Iterable[frozenset[Hashable]]) -> bool:
    """Decide whether some options, each using 1 of several capacities, use up all exactly.

    Options without which a capacity could not be used up are taken first; if there is none, one of
    a capacity with the fewest options is taken, and left out if that fails.
    """
    cases = [(capacity, set(options))]
    while cases:
        left, options = cases.pop()
        by_capacity: dict[Hashable, list[frozenset[Hashable]]] = {key: [] for key in left}
        for option in options:
            for key in option:
                by_capacity[key].append(option)
        if any(n < 0 or n > len(by_capacity[key]) for key, n in left.items()):
            continue
        if not left:
            return True
        taken = {
            option
            for key, n in left.items()
            if n == len(by_capacity[key])
            for option in by_capacity[key]
        }
        if not taken:
            option = min(by_capacity.values(), key=len)[0]
            cases.append((left, options - {option}))
            taken = {option}
        rest = left.copy()
        for option in taken:
            rest.subtract(option)
        used_up = {key for key, n in rest.items() if not n}
        for key in used_up:
            del rest[key]
        cases.append((rest, {option for option in options - taken if used_up.isdisjoint(option)}))
    return False
