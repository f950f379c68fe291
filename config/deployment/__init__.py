"""Checks at the start: each fault has a sentence with the matter and the setting that mends it."""
