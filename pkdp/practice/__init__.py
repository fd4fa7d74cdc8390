"""From the theorems to practice: what to ask before publishing, and what an attacker would do.

`audit` reads a file and says whether counts of it may be published, by which theorem, and what that
hangs on.

`attack` plays attackers against releases of counts, and of any mechanism on a small world, many
times over, and counts how often they are right.
"""
