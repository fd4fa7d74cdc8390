"""Noiseless privacy: what a sum of uncertain records hides, by itself and with added noise.

After Grining and Klonowski (2017), of whose paper we have the model and not the theorems; we prove
our own in their place. `sums` computes distributions of sums of independent blocks;
`noiseless_privacy` compares them as each definition does, `known_values` does so for an attacker
who knows some records, and `chains` for a Markov chain of bits. `privacy_blanket` and `adversaries`
bound what an attacker learns who is described by few numbers; `normal_bounds` has what follows from
normal approximation. `gaussian_noise`, `parity`, `smoothing` and `synergy` combine noise with
uncertainty, and `release` chooses between the two.
"""
