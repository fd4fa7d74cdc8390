"""The figures of the part on practice: attackers who are played, and rounded counts."""

# Names and modules, in the order of the book.
FIGURES = {"rounding": "rounding", "advantage": "advantage"}
