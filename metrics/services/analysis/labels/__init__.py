"""The analyses of the labels, each from the database to its result."""
