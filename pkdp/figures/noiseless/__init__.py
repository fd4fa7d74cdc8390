"""The figures about "Towards extending noiseless privacy", by Grining and Klonowski."""

# Names and modules, in the order of the book.
FIGURES = {
    "conditions": "conditions",
    "notions": "notion_curves",
}
