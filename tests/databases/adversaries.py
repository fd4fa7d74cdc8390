"""Adversaries of the experiments that are drawn at random, and whether they keep to a guarantee."""

from collections import Counter
from fractions import Fraction
from itertools import repeat

from pkdp.databases.experiments import (
    Move,
    RandomizedAdversary,
    leaky_response,
    view_law,
)
from pkdp.worlds.enumeration import make_table, random_mechanism
from pkdp.worlds.mechanisms import output_law
from tests.oracles.hypotheses import mixture

# Random mechanisms move from private to not at all in so many steps.
STEPS = 64


def are_neighbours(first, second):
    """Whether one database is the other with one record more, wherever it stands."""
    one, other = Counter(first), Counter(second)
    return (one - other).total() + (other - one).total() == 1


def view_law_of_prior(adversary, prior):
    """The law of the adversary's view if the hidden bits are drawn from a prior."""
    return mixture((weight, view_law(adversary, bits)) for bits, weight in prior.items())


def guarantees_of(ratios, deltas):
    """(e^ε, δ) for each round; one δ may be for all."""
    each = repeat(deltas, len(ratios)) if isinstance(deltas, Fraction | int) else deltas
    return list(zip(ratios, each, strict=True))


def replies_to(move):
    return [*{**move.reply_law(0), **move.reply_law(1)}]


def respects(adversary, ratios, deltas=0):
    """Whether each move that the adversary may come to make is as private as it has to be."""

    def keeps(strategy, replies, guarantees):
        if not guarantees:
            return True
        move = strategy(replies)
        return move.is_private(*guarantees[0]) and all(
            keeps(strategy, (*replies, reply), guarantees[1:]) for reply in replies_to(move)
        )

    parts = adversary.parts if isinstance(adversary, RandomizedAdversary) else [(1, adversary)]
    return all(keeps(strategy, (), guarantees_of(ratios, deltas)) for _, strategy in parts)


def random_move(source, ratio, delta=0, *, outputs=3):
    """A random move that is (ε, δ)-private on its two databases.

    One in four is a `leaky_response`. The others are a random mechanism, whose two output laws are
    moved towards a point between them until they are (ε, δ)-private. So no theorem on what private
    mechanisms are like is put into them. In half of all moves the two databases are swapped.
    """
    worst = source.random() < 0.25
    move = leaky_response(ratio, delta) if worst else moved_together(source, ratio, delta, outputs)
    return move.swapped() if source.random() < 0.5 else move


def random_adversary(source, ratios, deltas=0, *, outputs=3):
    """A random adversary who adapts, and whose i-th move is (ε_i, δ_i)-private."""
    moves, known = {}, [()]
    for ratio, delta in guarantees_of(ratios, deltas):
        for replies in known:
            moves[replies] = random_move(source, Fraction(ratio), delta, outputs=outputs)
        known = [(*replies, reply) for replies in known for reply in replies_to(moves[replies])]
    return moves.__getitem__


def moved_together(source, ratio, delta, outputs):
    others = tuple(source.randint(0, 1) for _ in range(source.randint(0, 2)))
    databases = (others, (*others, source.randint(0, 1)))
    drawn = random_mechanism(source, databases, outputs)
    first, second = (output_law(drawn, database) for database in databases)
    middle = between(first, second, Fraction(source.randint(0, 4), 4))

    def made(steps):
        laws = (between(middle, law, Fraction(steps, STEPS)) for law in (first, second))
        return Move(databases, make_table(dict(zip(databases, laws, strict=True))))

    # The divergence is convex in the step, and 0 at none: so private up to some step.
    private, too_far = 0, STEPS + 1
    while too_far - private > 1:
        step = (private + too_far) // 2
        if made(step).is_private(ratio, delta):
            private = step
        else:
            too_far = step
    return made(private)


def between(first, second, part):
    """The law that is a part of the way from one to another."""
    return {
        output: (1 - part) * first.get(output, 0) + part * second.get(output, 0)
        for output in {**first, **second}
    }
