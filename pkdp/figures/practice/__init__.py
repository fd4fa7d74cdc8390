"""The figures of the part on practice: attackers who are played, and rounded counts."""
