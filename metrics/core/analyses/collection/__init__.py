"""Analyses of a collection: positives, lengths and likeness of its texts."""
