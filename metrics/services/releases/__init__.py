"""Releases: what is in one, how it is made, published and withdrawn."""
