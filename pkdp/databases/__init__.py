"""The choice of databases: what several releases tell of somebody who may be in some of them.

After Hartmann, Bindschaedler and West (2022). An attacker compares two hypotheses about which of k
databases somebody is in, and sees one private release of each. `experiments` plays the game of
composition and its generalization, in exact fractions; `hypotheses` has what two hypotheses can
cost at most, exactly; `hidden` makes a secret of a world of them; `sampling` relates an attacker
who is unsure of every database to one who sees subsamples. `couplings` bounds the cost by matching
the hypotheses, and `memberships` bounds it where somebody can be in some of the databases only.
`published` has the paper's formulas as they are printed.
"""
