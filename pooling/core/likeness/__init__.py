"""Likeness of runs: overlap, rank-biased overlap, correlations."""
