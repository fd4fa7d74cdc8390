"""Composition experiment of differential privacy and its generalization, in exact fractions.

A curator holds databases and hidden bits b₁, …, b_k. In round i the adversary names two databases
D⁰ and D¹ and a mechanism, and gets its reply on D¹ if b_i is 1, and on D⁰ otherwise. Her choice may
depend on earlier replies. Her *view* is all replies, and her own coins if she tosses any. In the
classic experiment, Algorithm 1, all bits are equal; in the generalized one, Algorithm 2, they are
any vector. A *prior* is a law of that vector, and two priors are the hypotheses between which the
adversary wants to decide.

An adversary without coins, a *strategy*, is any function from the replies so far, a tuple, to her
next `Move`; it is only evaluated at replies that can occur. With coins she is a
`RandomizedAdversary`, who draws her strategy at the start. Databases and mechanisms are those of
`pkdp.mechanisms`; bind the parameters of a mechanism, as in ``lambda database: count(database,
3)``.

All views are listed: their number grows exponentially in k. The least δ against all adversaries is
in `pkdp.hypotheses`, which needs no list.
"""

from __future__ import annotations

import math
import operator
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

from pkdp._checks import (
    as_chance,
    as_finite_ratio,
    as_function,
    as_instance,
    as_integer,
    as_parts,
    as_ratio,
    as_several,
)
from pkdp.databases._priors import Bits, as_exact_priors
from pkdp.worlds._output_distributions import comparison, worst
from pkdp.worlds.enumeration import make_table
from pkdp.worlds.mechanisms import Database, Mechanism, Output, OutputLaw, output_law

__all__ = [
    "Adversary",
    "Bits",
    "ExactPrior",
    "Move",
    "RandomizedAdversary",
    "Strategy",
    "View",
    "composition_delta",
    "hypothesis_delta",
    "leaky_response",
    "make_planned",
    "play",
    "view_law",
]

ExactPrior: TypeAlias = Mapping[Bits, Fraction]
# The replies, in order; before them the number of the strategy, if that was drawn.
View: TypeAlias = tuple[Any, ...]

_MOST_ROUNDS, _MOST_VIEWS = 10_000, 100_000


@dataclass(frozen=True)
class Move:
    """The adversary's move in one round: two databases and a mechanism.

    Parameters
    ----------
    databases : tuple of two tuples
        D⁰ and D¹: any two, neighbours or not.
    mechanism : callable
        From a database to an output, or to ``{output: Fraction}``.

    Raises
    ------
    TypeError
        If `databases` are not two tuples of records, or `mechanism` is not a function.

    References
    ----------
    Hartmann, Bindschaedler and West, Algorithm 1.

    Examples
    --------
    >>> move = Move(((1, 0), (1, 0, 1)), sum)
    >>> move.reply_law(0), move.reply_law(1)
    ({1: Fraction(1, 1)}, {2: Fraction(1, 1)})
    """

    databases: tuple[Database, Database]
    mechanism: Mechanism

    def __post_init__(self) -> None:
        """Check that there are two databases and a mechanism."""
        if not isinstance(self.databases, tuple) or [*map(type, self.databases)] != [tuple] * 2:
            raise TypeError(
                f"databases must be a tuple of two tuples of records, got {self.databases!r}"
            )
        as_function(self.mechanism, "mechanism", "a database")

    def reply_law(self, bit: int) -> OutputLaw:
        """Return the law of the curator's reply.

        Parameters
        ----------
        bit : int
            The database that is queried: 0 or 1.

        Returns
        -------
        dict
            ``{output: Fraction}``.
        """
        return output_law(self.mechanism, self.databases[as_integer(bit, "bit", 0, 1)])

    def swapped(self) -> Move:
        """Return the same move with the two databases in the other order.

        Returns
        -------
        Move
        """
        return Move((self.databases[1], self.databases[0]), self.mechanism)

    def delta(self, ratio: Fraction | int | float) -> Fraction:
        """Compute the least δ of the mechanism on these two databases.

        Parameters
        ----------
        ratio : Fraction or inf
            e^ε ≥ 1.

        Returns
        -------
        Fraction
            The larger of both directions, in [0, 1].

        Examples
        --------
        >>> leaky_response(3, Fraction(1, 100)).delta(3)
        Fraction(1, 100)
        """
        p, q = (Counter[Any](self.reply_law(bit)) for bit in (0, 1))
        return worst([comparison(p, q), comparison(q, p)], as_ratio(ratio))

    def is_private(self, ratio: Fraction | int | float, delta: Fraction | int = 0) -> bool:
        """Return whether the mechanism is (ε, δ)-private on these two databases.

        Parameters
        ----------
        ratio : Fraction or inf
            e^ε ≥ 1.
        delta : Fraction
            In [0, 1].

        Returns
        -------
        bool
        """
        return self.delta(ratio) <= as_chance(delta, "delta")


Strategy: TypeAlias = Callable[[tuple[Output, ...]], Move]


@dataclass(frozen=True)
class RandomizedAdversary:
    """An adversary who draws one of several strategies, and remembers which.

    This covers coins that she tosses in later rounds: she can toss them at the start.

    Parameters
    ----------
    parts : sequence of (Fraction, callable)
        Weights, which sum to 1, and strategies. A view begins with the number of the strategy.

    Raises
    ------
    ValueError
        If a weight is negative, or they do not sum to 1.
    TypeError
        If a part is not a pair of a weight and a function.

    Examples
    --------
    >>> ask = make_planned([leaky_response(3)])
    >>> tell = make_planned([Move(((), ("target",)), len)])
    >>> either = RandomizedAdversary([(Fraction(1, 2), ask), (Fraction(1, 2), tell)])
    >>> {view: str(mass) for view, mass in view_law(either, (1,)).items()}
    {(0, 0): '1/8', (0, 1): '3/8', (1, 1): '1/2'}
    """

    parts: Sequence[tuple[Fraction | int, Strategy]]

    def __post_init__(self) -> None:
        """Check the law of strategies, and keep a tuple of those that are possible."""
        object.__setattr__(self, "parts", as_parts(self.parts, "strategy"))


Adversary: TypeAlias = Strategy | RandomizedAdversary


# Adversaries


def make_planned(moves: Sequence[Move]) -> Strategy:
    """Return the nonadaptive adversary with given moves.

    Parameters
    ----------
    moves : sequence of Move
        One for each round, at least one.

    Returns
    -------
    callable
        A strategy that ignores the replies.

    Raises
    ------
    ValueError
        If there is no move; on use, if there are more rounds than moves.
    TypeError
        If a move is not a `Move`.

    Examples
    --------
    >>> composition_delta(make_planned([leaky_response(3)] * 2), 2, ratio=3)
    Fraction(3, 8)
    """
    plan = as_several(moves, "moves", "moves")
    if not plan:
        raise ValueError("moves must be at least one, got none")
    for move in plan:
        as_instance(move, "moves", Move)

    def planned(replies: tuple[Output, ...]) -> Move:
        if len(replies) >= len(plan):
            raise ValueError(f"the adversary has {len(plan)} moves, and was asked for another one")
        return plan[len(replies)]

    return planned


def leaky_response(ratio: Fraction | int, delta: Fraction | int = 0) -> Move:
    """Return the worst (ε, δ)-private move: leaky randomized response.

    Parameters
    ----------
    ratio : Fraction
        e^ε ≥ 1.
    delta : Fraction
        In [0, 1]: the probability that the reply shows the bit.

    Returns
    -------
    Move
        With probability δ the reply is "leaked 0" or "leaked 1", according to the bit; otherwise it
        is 0 or 1, and e^ε times as likely to be the bit as not.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy, 2015:
    every (ε, δ)-private mechanism is a post-processing of this one on two databases.

    Examples
    --------
    >>> law = leaky_response(3, Fraction(1, 5)).reply_law(1)
    >>> {reply: str(mass) for reply, mass in law.items()}
    {'leaked 1': '1/5', 0: '1/5', 1: '3/5'}
    """
    odds = as_finite_ratio(ratio)
    leak = as_chance(delta, "delta")
    told, lied = (1 - leak) * odds / (1 + odds), (1 - leak) / (1 + odds)
    empty: Database = ()
    member: Database = ("target",)
    replies = make_table(
        {empty: {"leaked 0": leak, 0: told, 1: lied}, member: {"leaked 1": leak, 0: lied, 1: told}}
    )
    return Move((empty, member), replies)


# The experiments


def play(adversary: Adversary, bits: Sequence[int], source: random.Random) -> View:
    """Play the experiment once, and return the adversary's view.

    Parameters
    ----------
    adversary : callable or RandomizedAdversary
        See the module.
    bits : sequence of int
        b in {0, 1}^k, k in 1…10,000: which database is queried in each round. All the same in the
        classic experiment.
    source : random.Random
        The source of the curator's and the adversary's randomness.

    Returns
    -------
    tuple
        The view.

    Raises
    ------
    TypeError
        If the adversary makes a move that is not a `Move`.

    References
    ----------
    Hartmann, Bindschaedler and West, Algorithms 1 and 2.

    Examples
    --------
    >>> play(make_planned([leaky_response(3)] * 5), (1,) * 5, random.Random(2))
    (0, 0, 0, 1, 1)
    """
    as_instance(source, "source", random.Random)
    hidden = _as_bits(bits)
    starts = _strategies(adversary)
    weights = {at: weight for at, (_, weight, _) in enumerate(starts)}
    known, _, strategy = starts[_drawn(weights, source) if len(starts) > 1 else 0]
    replies: View = ()
    for bit in hidden:
        replies = (*replies, _drawn(_next_move(strategy, replies).reply_law(bit), source))
    return known + replies


def view_law(adversary: Adversary, bits: Sequence[int]) -> dict[View, Fraction]:
    """Compute the law of V^b, the adversary's view if the hidden bits are b.

    Parameters
    ----------
    adversary : callable or RandomizedAdversary
        See the module.
    bits : sequence of int
        b in {0, 1}^k, k in 1…10,000: the bits of Algorithm 2. For Algorithm 1 they are all the
        same, ``(b,) * k``.

    Returns
    -------
    dict
        ``{view: Fraction}``, of positive probability.

    Raises
    ------
    ValueError
        If there are more than 100,000 views.
    TypeError
        If the adversary makes a move that is not a `Move`.

    References
    ----------
    Hartmann, Bindschaedler and West, Algorithms 1 and 2.

    Examples
    --------
    She makes two queries, the second one only if the first reply was 1:

    >>> def curious(replies):
    ...     return Move(((), ()), len) if replies == (0,) else leaky_response(3)
    >>> law = view_law(curious, (1, 1))
    >>> {view: str(mass) for view, mass in law.items()}
    {(0, 0): '1/4', (1, 0): '3/16', (1, 1): '9/16'}
    """
    hidden = _as_bits(bits)
    return {view: of_bits[hidden] for view, of_bits in _views(adversary, [hidden])}


# What the adversary learns


def hypothesis_delta(
    adversary: Adversary, prior: ExactPrior, other: ExactPrior, ratio: Fraction | int | float
) -> Fraction:
    """Compute the least δ of this adversary's views under two priors.

    Parameters
    ----------
    adversary : callable or RandomizedAdversary
        See the module.
    prior, other : mapping
        ``{bits: Fraction}``, where bits are tuples of k zeros and ones, of the same length in both;
        exact, with sum 1.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The larger of both directions, in [0, 1].

    Raises
    ------
    ValueError
        If weights are negative or do not sum to 1, vectors are of unequal length, `ratio` is less
        than 1, or there are more than 100,000 views.
    TypeError
        If a weight is neither an int nor a fraction, or a vector not a tuple of bits.

    References
    ----------
    Hartmann, Bindschaedler and West, Definition 3, for one adversary and one pair.

    Examples
    --------
    In the first or in the second database, or in none:

    >>> ask = make_planned([leaky_response(3)] * 2)
    >>> half = Fraction(1, 2)
    >>> hypothesis_delta(ask, {(0, 1): half, (1, 0): half}, {(0, 0): 1}, ratio=2)
    Fraction(3, 16)
    """
    first, second = as_exact_priors(prior, other, _MOST_ROUNDS)
    exact = as_ratio(ratio)
    views = _views(adversary, {**first, **second})
    p, q = (
        Counter[Any]({v: _mixed(law, masses) for v, masses in views}) for law in (first, second)
    )
    return worst([comparison(p, q), comparison(q, p)], exact)


def composition_delta(adversary: Adversary, k: int, ratio: Fraction | int | float) -> Fraction:
    """Compute the least δ of k rounds of the classic experiment against this adversary.

    Parameters
    ----------
    adversary : callable or RandomizedAdversary
        See the module.
    k : int
        Number of rounds, 1…10,000.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The larger of both directions, in [0, 1].

    Raises
    ------
    ValueError
        If an argument is outside its range, or there are more than 100,000 views.
    TypeError
        If the adversary makes a move that is not a `Move`.

    References
    ----------
    Hartmann, Bindschaedler and West, Definition 2, for one adversary.

    Examples
    --------
    >>> composition_delta(make_planned([leaky_response(3)] * 3), 3, ratio=9)
    Fraction(9, 32)
    """
    rounds = as_integer(k, "k", 1, _MOST_ROUNDS)
    none, every = {(0,) * rounds: Fraction(1)}, {(1,) * rounds: Fraction(1)}
    return hypothesis_delta(adversary, none, every, ratio)


# The tree of all games


def _strategies(adversary: Adversary) -> list[tuple[View, Fraction, Strategy]]:
    """Return the beginning of the view, the weight and the strategy, for each strategy."""
    if isinstance(adversary, RandomizedAdversary):
        return [((k,), Fraction(part[0]), part[1]) for k, part in enumerate(adversary.parts)]
    return [((), Fraction(1), as_function(adversary, "adversary", "the replies so far"))]


def _next_move(strategy: Strategy, replies: View) -> Move:
    move = strategy(replies)
    if not isinstance(move, Move):
        raise TypeError(f"the adversary's move after {replies!r} must be a Move, got {move!r}")
    return move


def _views(
    adversary: Adversary, several: Iterable[Bits]
) -> list[tuple[View, dict[Bits, Fraction]]]:
    """Return each view with its probability under each of several vectors of bits, if positive."""
    vectors = [*several]
    found: list[tuple[View, dict[Bits, Fraction]]] = []
    for known, weight, strategy in _strategies(adversary):
        nodes = [((), dict.fromkeys(vectors, weight))]
        for i in range(len(vectors[0])):
            parents, nodes = nodes, []
            for node in parents:
                nodes += _children(strategy, *node, i)
                if len(found) + len(nodes) > _MOST_VIEWS:
                    raise ValueError(
                        f"the number of views must be at most {_MOST_VIEWS}, to list them all"
                    )
        found += [(known + replies, of_bits) for replies, of_bits in nodes]
    return found


def _children(
    strategy: Strategy, replies: View, of_bits: Mapping[Bits, Fraction], i: int
) -> list[tuple[View, dict[Bits, Fraction]]]:
    """Return all continuations of some replies, with probabilities as in `_views`."""
    move = _next_move(strategy, replies)
    laws = {bit: move.reply_law(bit) for bit in {bits[i] for bits in of_bits}}
    outputs = dict.fromkeys(output for bit in sorted(laws) for output in laws[bit])
    return [
        (
            (*replies, output),
            {
                bits: mass * laws[bits[i]][output]
                for bits, mass in of_bits.items()
                if output in laws[bits[i]]
            },
        )
        for output in outputs
    ]


def _mixed(weights: Mapping[Bits, Fraction], of_bits: Mapping[Bits, Fraction]) -> Fraction:
    # A view usually has positive probability under few vectors.
    parts = (mass * weights[bits] for bits, mass in of_bits.items() if bits in weights)
    return sum(parts, Fraction(0))


def _drawn(law: Mapping[Any, Fraction], source: random.Random) -> Any:  # noqa: ANN401
    """Draw from an exact law."""
    unit = math.lcm(*(mass.denominator for mass in law.values()))
    place = source.randrange(unit)
    ends = accumulate((int(mass * unit) for mass in law.values()), operator.add)
    return next(value for value, end in zip(law, ends, strict=True) if place < end)


# Arguments


def _as_bits(bits: Sequence[int]) -> Bits:
    vector = as_several(bits, "bits", "bits")
    if not 1 <= len(vector) <= _MOST_ROUNDS:
        raise ValueError(f"bits must be 1…{_MOST_ROUNDS} bits, got {len(vector)}")
    return tuple(as_integer(bit, "bits: a bit", 0, 1) for bit in vector)
