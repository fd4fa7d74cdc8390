"""Worlds small enough to write down, in exact fractions, and every definition evaluated on them.

A world is a joint law of a database and of what the attacker knows. `world` has the class,
`constructors` the laws that the papers speak of, `normalization` Definition 7. `mechanisms` answer
about a database; `definitions` say how private that is, for each kind of attacker; `knowledge`
compares attackers and `posteriors` what they come to believe. `background` has differential
privacy itself, `simulators` the best explanation by somebody else's output, and `enumeration`
worlds and mechanisms to search for counterexamples.

`knowledge` is what an attacker knows of a world; how many records she knows is ``known`` elsewhere
in the library. Whatever is of the wrong kind, a text for a mechanism or a mapping for a list, is
refused by a TypeError that names the argument, what is allowed and what was given; so is a float
where a number has to be exact. The functions' own docstrings need not repeat that.
"""

from pkdp._order import in_order, order_of
from pkdp.worlds.constructors import (
    bits,
    copied,
    correlated_pairs,
    hidden_parameter,
    independent,
    mixed,
)
from pkdp.worlds.normalization import Normalization
from pkdp.worlds.world import Knowledge, KnowledgeOf, RecordLaw, Target, World, family

__all__ = [
    "Knowledge",
    "KnowledgeOf",
    "Normalization",
    "RecordLaw",
    "Target",
    "World",
    "bits",
    "copied",
    "correlated_pairs",
    "family",
    "hidden_parameter",
    "in_order",
    "independent",
    "mixed",
    "order_of",
]
