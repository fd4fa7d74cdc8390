"""The figures about noiseless privacy, after Grining and Klonowski (2017)."""

# Names and modules, in the order of the book.
FIGURES = {
    "dependence-factor": "dependence_factor",
    "group-profiles": "group_profiles",
    "families": "family_totals",
}
