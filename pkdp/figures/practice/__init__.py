"""The figures of the part on practice: what attackers achieve who are played."""

# Names and modules, in the order of the book.
FIGURES = {"advantage": "advantage"}
