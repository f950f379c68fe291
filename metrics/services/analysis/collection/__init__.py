"""The analyses of a collection's positives and texts, each from the database to its result."""
