"""Guards: their marks, and the people they name."""
