"""Faults of a deployment: each has a sentence with the matter and the setting that mends it."""
