"""From the theorems to practice: what to ask before publishing, and what an attacker would do.

`attack` plays attackers against releases of counts, and of any mechanism on a small world, many
times over, and counts how often they are right.
"""
