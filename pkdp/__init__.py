"""pkdp: privacy profiles under partial knowledge (see the book for the story)."""
