"""The analyses of systems: each from the database to its result."""
