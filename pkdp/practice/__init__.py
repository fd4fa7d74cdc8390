"""Privacy audits of files, and simulated attacks on releases.

`audit` reads a file and says whether counts of it may be published, by which theorem, and under
which assumptions.

`attack` plays attackers many times against releases of counts, and of any mechanism on a small
world, and counts how often they are right.
"""
