"""The figures of the reference part: what the library's numbers are worth."""

# Names and modules, in the order of the book.
FIGURES = {"few-frequencies": "few_frequencies", "cost-against-size": "timings"}
