"""Worlds of independent, copied, correlated or conditionally independent records, and mixtures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from pkdp._checks import (
    MOST_IN_A_DATABASE,
    as_chance,
    as_function,
    as_instance,
    as_integer,
    as_law,
    as_several,
    as_size,
)
from pkdp.worlds._exact_distributions import joint, summed
from pkdp.worlds.mechanisms import Database
from pkdp.worlds.world import Knowledge, KnowledgeOf, RecordLaw, World, as_learning, family

__all__ = [
    "bits",
    "copied",
    "correlated_pairs",
    "hidden_parameter",
    "independent",
    "mixed",
]


def independent(laws: Sequence[RecordLaw], *, knowledge: KnowledgeOf = ()) -> World:
    """Make a world of independent records.

    Parameters
    ----------
    laws : sequence of mappings
        One distribution ``{record: Fraction}`` for each record.
    knowledge : iterable of int, or callable
        See `World.knowing`.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If there is no distribution, one does not sum to 1, or there are more than 2 000 000
        databases.

    Examples
    --------
    >>> print(independent([{"a": Fraction(1)}, {"a": Fraction(1, 3), "b": Fraction(2, 3)}]))
    database    probability
    ('a', 'a')  1/3
    ('a', 'b')  2/3
    """
    several = as_several(laws, "laws", "laws, one a record")
    if not several:
        raise ValueError("laws must be at least one, got none")
    return World(_independent(several, knowledge))


def _independent(
    laws: Sequence[RecordLaw], knowledge: KnowledgeOf
) -> dict[tuple[Database, Knowledge], Fraction]:
    """Return the probabilities of a world of independent records."""
    checked = [as_law(law, f"law {i}") for i, law in enumerate(laws)]
    as_size(math.prod(map(len, checked)), "databases")
    learn = as_learning(knowledge, len(laws))
    return {(database, learn(database)): mass for database, mass in joint(checked).items()}


def bits(probabilities: Sequence[Fraction | int], *, knowledge: KnowledgeOf = ()) -> World:
    """Make a world of independent bits, which are 1 with the given probabilities.

    The possible records are 0 and 1, even where a probability is 0 or 1.

    Parameters
    ----------
    probabilities : sequence of Fraction
        For each record, the probability that it is 1.
    knowledge : iterable of int, or callable
        See `World.knowing`.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If a probability is outside [0, 1], there is none, or there are more than 2 000 000
        databases.

    Examples
    --------
    >>> print(bits([Fraction(1, 3)], knowledge=[0]))
    database  knowledge  probability
    (0,)      (0,)       2/3
    (1,)      (1,)       1/3
    """
    several = as_several(probabilities, "probabilities", "probabilities")
    if not several:
        raise ValueError("probabilities must be at least one, got none")
    chances = [as_chance(value, "probabilities") for value in several]
    return World(_independent([{0: 1 - p, 1: p} for p in chances], knowledge), (0, 1))


def copied(law: RecordLaw, groups: int, *, copies: int = 2, knowledge: KnowledgeOf = ()) -> World:
    """Make a world in which each of several independent values is recorded several times in a row.

    Parameters
    ----------
    law : mapping
        The distribution ``{record: Fraction}`` of one value: the R of Examples 2, 4 and 5.
    groups : int
        Number of independent values, at least 1.
    copies : int
        Number of records of each value: 2 for duplicates, 3 for triplicates.
    knowledge : iterable of int, or callable
        See `World.knowing`.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If a number is less than 1, the distribution does not sum to 1, or there are more than
        2 000 000 databases.

    References
    ----------
    Partial knowledge, Examples 2, 4 and 5.

    Examples
    --------
    >>> copied({0: Fraction(1, 2), 1: Fraction(1, 2)}, groups=2).databases
    ((0, 0, 0, 0), (0, 0, 1, 1), (1, 1, 0, 0), (1, 1, 1, 1))
    """
    number = as_integer(groups, "groups", 1, MOST_IN_A_DATABASE)
    times = as_integer(copies, "copies", 1, MOST_IN_A_DATABASE)
    checked = as_law(law, "law")
    as_size(len(checked) ** number, "databases")
    masses = {
        (tuple(value for value in values for _ in range(times)), ()): mass
        for values, mass in joint([checked] * number).items()
    }
    return World(masses).knowing(knowledge)


def correlated_pairs(
    probabilities: Sequence[Fraction | int], agree: Fraction | int, *, knowledge: KnowledgeOf = ()
) -> World:
    """Make a world of pairs of bits, the second of which equals the first with some probability.

    Parameters
    ----------
    probabilities : sequence of Fraction
        For each pair, the probability that the first record is 1.
    agree : Fraction
        Probability that the second record equals the first.
    knowledge : iterable of int, or callable
        See `World.knowing`.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If a probability is outside [0, 1], there is no pair, or there are more than 2 000 000
        databases.

    References
    ----------
    Partial knowledge, Example 6.

    Examples
    --------
    >>> print(correlated_pairs([Fraction(1, 2)], agree=Fraction(3, 4)))
    database  probability
    (0, 0)    3/8
    (0, 1)    1/8
    (1, 0)    1/8
    (1, 1)    3/8
    """
    first = as_several(probabilities, "probabilities", "probabilities")
    number = len(first)
    coins = bits([*first, *[as_chance(agree, "agree")] * number])

    def pairs(coin: Database) -> Database:
        votes = zip(coin[:number], coin[number:], strict=True)
        return tuple(record for first, same in votes for record in (first, 1 - first ^ same))

    masses = summed(((pairs(coin), ()), mass) for (coin, _), mass in coins.masses.items())
    return World(masses, (0, 1)).knowing(knowledge)


def hidden_parameter(
    parameter: RecordLaw,
    record_law: Callable[[Any], RecordLaw],
    n: int,
    *,
    knowledge: KnowledgeOf = (),
    reveal: bool = False,
) -> World:
    """Make a world whose records are independent given a random parameter.

    Parameters
    ----------
    parameter : mapping
        Distribution ``{value: Fraction}`` of the parameter, the µ of Example 1.
    record_law : callable
        From a value of the parameter to the distribution ``{record: Fraction}`` of each record.
    n : int
        Number of records.
    knowledge : iterable of int, or callable
        See `World.knowing`.
    reveal : bool
        Whether the attacker knows the parameter, too; then her knowledge is the pair of the
        parameter and what `knowledge` gives.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If a distribution does not sum to 1, `n` is less than 1, or there are more than 2 000 000
        databases under one value of the parameter.

    References
    ----------
    Partial knowledge, Examples 1 and 3.

    Examples
    --------
    >>> def near(centre):
    ...     return {centre: Fraction(3, 4), -centre: Fraction(1, 4)}
    >>> world = hidden_parameter({-1: Fraction(1, 2), 1: Fraction(1, 2)}, near, n=2)
    >>> print(world)
    database  probability
    (-1, -1)  5/16
    (-1, 1)   3/16
    (1, -1)   3/16
    (1, 1)    5/16
    """
    number = as_integer(n, "n", 1, MOST_IN_A_DATABASE)
    learn = as_learning(knowledge, number)
    drawn = as_law(parameter, "parameter")
    as_function(record_law, "record_law", "the parameter")
    as_instance(reveal, "reveal", bool)
    laws = {value: as_law(record_law(value), f"record_law({value!r})") for value in drawn}
    return World(
        summed(
            ((database, (value, seen) if reveal else seen), chance * mass)
            for value, chance in drawn.items()
            for (database, seen), mass in _independent([laws[value]] * number, learn).items()
        )
    )


def mixed(worlds: Sequence[World], weights: Sequence[Fraction | int]) -> World:
    """Make a mixture of worlds, in which the attacker knows which world was drawn.

    The knowledge is ``(k, B̂)``, with k the number of the world. For active δ, this models an
    attacker who knows how far her assumed distribution is from the true one.

    Parameters
    ----------
    worlds : sequence of World
        Worlds with databases of the same length.
    weights : sequence of Fraction
        Probabilities of the worlds, which sum to 1.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If there are not as many weights as worlds, they do not sum to 1, or databases differ in
        length.

    References
    ----------
    Partial knowledge, section 3.2, on distributions that are known approximately.

    Examples
    --------
    >>> rates = [Fraction(1, 3), Fraction(1, 2)]
    >>> world = mixed([bits([rate] * 2) for rate in rates], [Fraction(1, 4), Fraction(3, 4)])
    >>> world.knowledge
    ((0, ()), (1, ()))
    """
    members = family(worlds)
    each = as_several(weights, "weights", "probabilities, one a world")
    if len(members) != len(each):
        raise ValueError(f"weights must be {len(members)}, one a world, got {len(each)}")
    shares = as_law(dict(enumerate(each)), "weights")
    masses: dict[tuple[Database, Knowledge], Fraction] = {
        (database, (k, knowledge)): share * mass
        for k, share in shares.items()
        for (database, knowledge), mass in members[k].masses.items()
    }
    return World(masses, {record for k in shares for record in members[k].records})
