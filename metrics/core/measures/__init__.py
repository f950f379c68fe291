"""Measures of runs: ranks of labelled targets, values a query, bounds while labels are missing."""
