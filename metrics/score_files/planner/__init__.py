"""The analyses of the planner, of scores topic by topic."""
