"""The figures about "Differential privacy with partial knowledge", its own and the companion's."""
