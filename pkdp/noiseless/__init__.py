"""Noiseless privacy: what a sum of uncertain records hides, by itself and beside noise.

After Grining and Klonowski (2017), of whose paper we have the model and not the theorems; what
stands in their place is proved on the pages. `sums` has the laws of sums of independent blocks;
`notions` compares them as each definition does, `known_values` for an attacker who knows some
records, and `chains` for bits that follow each other. `coins` and `adversaries` bound what
somebody learns of whom only little is known; `normal_bounds` what normal approximation gives.
`gaussian_noise`, `parity`, `smoothing` and `synergy` put noise beside uncertainty, and `release`
decides between the two.
"""
