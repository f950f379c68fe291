"""The explorer: one query with each run's results and all labels."""
