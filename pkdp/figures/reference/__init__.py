"""The figures of the reference part: what the library's numbers are worth."""
