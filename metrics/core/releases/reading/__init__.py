"""Readers of what a release holds: its manifest, its grades, the contents of its items."""
