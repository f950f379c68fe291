"""Checks of what must be true of the rows, run in the database itself."""
