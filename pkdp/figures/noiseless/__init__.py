"""The figures about noiseless privacy, after Grining and Klonowski."""

# Names and modules, in the order of the book.
FIGURES = {
    "wages": "wages",
    "shares": "shares",
}
