"""Analyses of measures: how they order runs, and curves of ranks."""
