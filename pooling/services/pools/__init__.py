"""Pools: chosen by a strategy, previewed, opened into rounds, closed."""
