"""Noiseless privacy: what exact answers reveal when the attacker is unsure of the data."""
