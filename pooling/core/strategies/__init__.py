"""Strategies, which choose the pairs worth judging."""
