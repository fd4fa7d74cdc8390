"""Noiseless privacy: what sums of uncertain data hide by themselves (Grining and Klonowski, 2017)."""
