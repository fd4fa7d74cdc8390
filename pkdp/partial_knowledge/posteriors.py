"""Privacy as bounds on posterior beliefs, membership privacy and Pufferfish, on finite worlds.

Section 1.2 of the paper names them as related work. Each is about an attacker's prior, a
distribution of the database; here that is a world's distribution given one value of the knowledge,
so that all of them can be compared with `pkdp.definitions` on the same worlds. As there, the
argument `worlds` is a `World` or a family, targets are indices or functions of the database, and
results are the least e^ε, a fraction or ``math.inf``.

The original definitions of adversarial and membership privacy are about whether a tuple is in the
database; the statements here are "record i is a". The papers were not available to us: the
formulas are restated from memory and from later surveys.

With N databases, n records and S outputs for each database, the time is O(n·N·S), plus, for each
B̂, the number of values of a target times that of the outputs. The mechanism is called once for
each database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from pkdp._checks import as_several
from pkdp.worlds._output_distributions import (
    Ratio,
    Targets,
    Worlds,
    active_columns,
    extremes,
    greatest_ratio,
)
from pkdp.worlds.mechanisms import Database, Mechanism
from pkdp.worlds.world import family

__all__ = ["Event", "adversarial_ratio", "membership_ratio", "posterior_ratio", "pufferfish_ratio"]

Event: TypeAlias = Callable[[Database], object]


def adversarial_ratio(worlds: Worlds, mechanism: Mechanism, targets: Targets = None) -> Fraction:
    """Compute the greatest factor by which an output raises the probability of a target's value.

    Parameters
    ----------
    worlds : World or iterable of World
        The priors: each world's distribution given each value of the knowledge.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    targets : iterable of int or callable, optional
        Indices, or functions of the database; by default all indices.

    Returns
    -------
    Fraction
        The least e^ε with ``P[D(i) = a | M(D) = t] ≤ e^ε P[D(i) = a]`` for all i, a and t. Never
        infinite: a posterior is at most 1.

    Raises
    ------
    ValueError
        If there is no world or no target, or a target is out of range in one.

    References
    ----------
    Rastogi, Hay, Miklau and Suciu 2009, adversarial privacy, with an additional δ and for the
    presence of a tuple.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import identity
    >>> from pkdp.worlds import bits
    >>> adversarial_ratio(bits([Fraction(1, 4), Fraction(1, 2)]), identity)
    Fraction(4, 1)
    """
    changes = _changes(worlds, mechanism, targets)
    return Fraction(greatest_ratio((after, before) for after, before in changes if after > before))


def posterior_ratio(worlds: Worlds, mechanism: Mechanism, targets: Targets = None) -> Ratio:
    """Compute the greatest factor by which an output changes the probability of a target's value.

    This is the greatest ratio, in either direction, of P[D(i) = a | M(D) = t, B̂] and
    P[D(i) = a | B̂]: the least e^ε for definitions that bound the posterior by the prior.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `adversarial_ratio`.

    Returns
    -------
    Fraction or inf

    Raises
    ------
    ValueError
        If there is no world or no target, or a target is out of range in one.

    References
    ----------
    Bhaskar, Bhowmick, Goyal, Laxman and Thakurta 2011, a-posteriori noiseless privacy; Partial
    knowledge, section 1.2.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import total
    >>> from pkdp.worlds import bits
    >>> posterior_ratio(bits([Fraction(1, 2)] * 2), total)
    inf
    """
    return greatest_ratio(_changes(worlds, mechanism, targets))


def membership_ratio(worlds: Worlds, mechanism: Mechanism, targets: Targets = None) -> Ratio:
    """Compute the least γ = e^ε of positive and negative membership privacy together.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `adversarial_ratio`.

    Returns
    -------
    Fraction or inf
        The least γ such that no output raises or lowers the probability of a statement
        ``D(i) = a``, or of its negation, by more than a factor γ.

    Raises
    ------
    ValueError
        If there is no world or no target, or a target is out of range in one.

    References
    ----------
    Li, Qardaji, Su, Wu and Yang 2013: the positive half bounds ``P[s | t] / P[s]`` and
    ``P[not s] / P[not s | t]``, the negative half the same with s and its negation exchanged.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_randomized_response
    >>> from pkdp.worlds import bits
    >>> membership_ratio(bits([Fraction(1, 2)]), make_randomized_response(Fraction(1, 2)))
    Fraction(2, 1)
    """
    return greatest_ratio(_changes(worlds, mechanism, targets, negated=True))


def pufferfish_ratio(
    worlds: Worlds, mechanism: Mechanism, pairs: Iterable[tuple[Event, Event]]
) -> Ratio:
    """Compute the least e^ε of Pufferfish privacy.

    Parameters
    ----------
    worlds : World or iterable of World
        The data evolution scenarios: each world's distribution given each value of the knowledge.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    pairs : iterable of (callable, callable)
        The discriminative pairs, each of two secrets: statements about the database of which at
        most one is true.

    Returns
    -------
    Fraction or inf
        The least E such that no output is more than E times as likely given one secret of a pair
        as given the other, whenever both are possible.

    Raises
    ------
    ValueError
        If there is no world or no pair, or both secrets of a pair can be true at once.

    References
    ----------
    Kifer and Machanavajjhala 2012.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_randomized_response
    >>> from pkdp.worlds import bits
    >>> world, mechanism = bits([Fraction(1, 2)] * 2), make_randomized_response(Fraction(1, 2))
    >>> pufferfish_ratio(world, mechanism, [(lambda d: d[0] == 0, lambda d: d[0] == 1)])
    Fraction(3, 1)
    """
    members = family(worlds)
    several = as_several(pairs, "pairs", "pairs of secrets")
    discriminative = [_discriminative(pair) for pair in several]
    if not discriminative:  # usually an iterator that is used up
        raise ValueError("pairs must be at least one, got none")
    databases = dict.fromkeys(database for world in members for database in world.databases)
    for told, database in product(discriminative, databases):
        if all(told(database)):
            raise ValueError(
                f"pairs must be of secrets that exclude each other, got two true of {database!r}"
            )
    return greatest_ratio(
        extremes(
            {which: law for which, law in columns.items() if any(which)}
            for columns in active_columns(members, mechanism, discriminative)
        )
    )


def _discriminative(pair: tuple[Event, Event]) -> Callable[[Database], tuple[bool, bool]]:
    """Return the function that tells which of two secrets are true of a database."""
    if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(map(callable, pair))):
        raise TypeError(f"pairs must be of two callables each, got {pair!r}")
    one, other = pair
    return lambda database: (bool(one(database)), bool(other(database)))


def _changes(
    worlds: Worlds, mechanism: Mechanism, targets: Targets, *, negated: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield numbers in proportion to the posterior and the prior for every output, given every B̂.

    They are those of every value of every target and, if `negated`, of its negation, unless that
    is impossible.
    """
    for columns in active_columns(worlds, mechanism, targets):
        outputs = sum(columns.values(), Counter())
        everything = outputs.total()
        for law in columns.values():
            statement = law.total()
            for output, mass in outputs.items():
                both = law.get(output, 0)
                yield both * everything, mass * statement
                if negated and statement < everything:
                    yield (mass - both) * everything, mass * (everything - statement)
