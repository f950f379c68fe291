"""A collection's policy: its versions and their effect, in words, and what its figures cost."""
