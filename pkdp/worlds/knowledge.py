"""Reducible mechanisms, for which the value of the background knowledge is irrelevant.

For the reducible mechanisms of Definition 14 all values of the knowledge are equivalent, so that
active and passive attackers are the same (Theorem 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pkdp._checks import as_mapping, is_among
from pkdp._order import in_order
from pkdp.worlds._exact_distributions import FrozenDict, normalized
from pkdp.worlds._output_distributions import (
    Targets,
    as_targets,
    check_all_values,
    each_observed,
    one_world,
)
from pkdp.worlds.mechanisms import Mechanism, Output
from pkdp.worlds.world import Knowledge, Target, World

__all__ = ["Reduction", "is_reducible"]


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

    >>> from fractions import Fraction
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
            by_row = sorted(outputs, key=rows.__getitem__)
            found[target, knowledge] = tuple(by_row)
            shapes[knowledge] = [rows[output] for output in by_row]
        first = world.knowledge[0]
        for knowledge in world.knowledge:
            if shapes[knowledge] != shapes[first]:
                return Reduction(found, (target, first, knowledge))
    return Reduction(found, None)
