"""Figures on pages: where they come from, and those that move."""
