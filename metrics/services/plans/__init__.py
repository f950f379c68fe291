"""Plans fixed before the labels are in, and their looks."""
