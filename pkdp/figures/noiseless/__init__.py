"""The figures about noiseless privacy, all the companion's own."""

# Names and modules, in the order of the book.
FIGURES = {
    "least-noise": "least_noise",
    "noise-on-parity": "noise_on_parity",
    "moments": "moments",
}
