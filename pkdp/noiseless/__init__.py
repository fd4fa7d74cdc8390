"""Noiseless privacy: what sums of uncertain data hide by themselves (Grining, Klonowski 2017)."""
