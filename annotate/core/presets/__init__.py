"""Schemes and policies in use elsewhere, to begin a collection from."""
