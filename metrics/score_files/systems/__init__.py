"""The analyses of systems, of scores topic by topic."""
