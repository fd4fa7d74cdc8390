"""Small worlds, and what is asked of them by the tests of several pages of section 2."""

from collections import Counter
from fractions import Fraction
from itertools import product

from pkdp.worlds import World, copied, hidden_parameter
from pkdp.worlds.enumeration import (
    make_table,
)
from pkdp.worlds.mechanisms import (
    output_law,
)

HALF = Fraction(1, 2)
COIN = {0: HALF, 1: HALF}
PAIR = copied(COIN, groups=1)
BITS = {n: list(product((0, 1), repeat=n)) for n in (1, 2, 3)}


def replaced(database, i, b):
    return (*database[:i], b, *database[i + 1 :])


def target_is_independent(world, i):
    """Whether D(i) is independent of all other records, given each value of the knowledge."""
    both = {((d[i], (*d[:i], *d[i + 1 :])), B): mass for (d, B), mass in world.masses.items()}
    return World(both).has_independent_records()


def law(world, mechanism, i, a, b=None):
    """The law of M(D), or of M(D with record i replaced by b), given D(i) = a; no knowledge."""
    weights, everything = Counter(), 0
    for (database, _), weight in world.weights.items():
        if database[i] == a:
            everything += weight
            changed = database if b is None else replaced(database, i, b)
            for output, share in output_law(mechanism, changed).items():
                weights[output] += weight * share
    return {output: Fraction(weight) / everything for output, weight in weights.items()}


def mechanism_on(source, databases, outputs=2, most=9):
    """A random mechanism that can always have each output."""
    laws = {}
    for database in databases:
        weights = [source.randint(1, most) for _ in range(outputs)]
        laws[database] = {o: Fraction(w, sum(weights)) for o, w in enumerate(weights)}
    return make_table(laws)


def near_and_far(n):
    """A herd around ±10 with a noise of ±1."""
    return hidden_parameter(
        {-1: HALF, 1: HALF}, lambda mu: {10 * mu - 1: HALF, 10 * mu + 1: HALF}, n
    )


def possible(world, chosen, i, a, b=None):
    """What can come out, given D(i) = a, with the record replaced by b."""
    return {
        t
        for d in world.databases
        if d[i] == a
        for t in chosen[d if b is None else replaced(d, i, b)]
    }
