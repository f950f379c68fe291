"""Runs and rankings, and the pools of pairs that strategies choose from them."""
