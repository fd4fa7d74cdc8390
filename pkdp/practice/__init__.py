"""From paper to practice: what an office, a team or a board asks before it publishes a count.

- `pkdp.practice.audit`: whether counts of a file may be published, and what the answer hangs on.
"""
