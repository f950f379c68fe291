"""Comparisons of systems: paired tests, multiple comparisons, repeated looks."""
