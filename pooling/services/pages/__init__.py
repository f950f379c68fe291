"""Figures of the pages of runs and pools, and of a pair's origin."""
