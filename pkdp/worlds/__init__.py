"""Finite worlds in exact fractions, on which the papers' privacy definitions are plain functions.

A world is a joint distribution of a database and the attacker's knowledge. `world` has the class,
and `constructors` the distributions in the papers. `mechanisms` map databases to outputs, and
`definitions` compute how private that is against each kind of attacker. `knowledge` tells for which
mechanisms her knowledge is irrelevant. `enumeration` lists small worlds and mechanisms, to search
for counterexamples.

`knowledge` is what an attacker knows of a world; elsewhere in the library ``known`` is the number
of records that she knows. Arguments of the wrong type, and floats where a number has to be exact,
raise a TypeError that names the argument, what is allowed and what was given; docstrings of
functions do not repeat that.
"""

from pkdp._order import in_order
from pkdp.worlds.constructors import (
    bits,
    copied,
    correlated_pairs,
    hidden_parameter,
    independent,
    mixed,
)
from pkdp.worlds.world import World, family

__all__ = [
    "World",
    "bits",
    "copied",
    "correlated_pairs",
    "family",
    "hidden_parameter",
    "in_order",
    "independent",
    "mixed",
]
