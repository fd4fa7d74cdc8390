"""Composition over databases with uncertain membership: several releases about one person.

After Hartmann, Bindschaedler and West (2022). An attacker compares two hypotheses about which of k
databases hold a person's record, and sees one private release of each. `experiments` plays the game
of composition and its generalization in exact fractions; `hypotheses` computes the exact cost of
any two hypotheses; `hypothesis_worlds` writes the hypothesis into a world as one more record;
`sampling` relates an attacker who is unsure about every database to one who sees subsamples.
`couplings` bounds the cost by matching the hypotheses, and `memberships` does so if a person can be
in only some of the databases. `published` has the paper's formulas as printed.
"""
