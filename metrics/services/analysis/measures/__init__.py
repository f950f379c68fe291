"""The analyses of measures, each from the database to its result."""
