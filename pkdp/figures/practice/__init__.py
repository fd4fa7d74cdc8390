"""The figures of the part on practice: what attackers achieve who are played."""
