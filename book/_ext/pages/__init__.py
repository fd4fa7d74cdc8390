"""What all pages have: theme, formulas, references, previews, reading aids, downloads."""
