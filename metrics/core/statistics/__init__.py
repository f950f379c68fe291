"""Means over queries: groups, intervals, resampling, sample sizes; the pace of judging; roots."""
