"""Noiseless privacy: what sums of uncertain records hide, by themselves and beside noise."""
