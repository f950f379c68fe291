"""Analyses of plans: numbers of queries, and errors of samples."""
