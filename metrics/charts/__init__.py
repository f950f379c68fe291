"""Charts of the pages, each with a table of the same numbers."""
