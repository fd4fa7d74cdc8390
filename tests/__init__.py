"""A package of its own: among installed packages there is another that calls itself tests."""
