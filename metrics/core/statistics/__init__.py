"""Means over queries: groups, intervals, resampling, sample sizes."""
