"""The figures about the choice of databases, after Hartmann, Bindschaedler and West (2022)."""

# Names and modules, in the order of the book.
FIGURES: dict[str, str] = {
    # II Background and related work
    "releases": "releases",
    # III Limitations
    "prices": "prices",
    # IV A generalized composition experiment
    "couplings": "couplings",
    # V-A Database membership constraints
    "constraints": "constraints",
    "stays": "stays",
    # V-B Prior knowledge
    "six-bounds": "six_bounds",
    # Membership knowledge is partial knowledge
    "known-memberships": "known_memberships",
}
