"""Charts and sentences of the planner: numbers of queries, and what they cost."""
