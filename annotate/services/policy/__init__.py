"""A collection's policy: what its figures cost."""
