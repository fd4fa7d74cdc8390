"""The reference of the library: its pages, and links between them and cells of code."""
