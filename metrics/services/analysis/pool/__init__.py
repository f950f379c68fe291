"""The analyses of the pool: each from the database to its result."""
