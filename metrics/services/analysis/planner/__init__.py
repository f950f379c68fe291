"""The analyses of the planner: each from the database to its result."""
