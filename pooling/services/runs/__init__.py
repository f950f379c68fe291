"""Runs: received, read, stored as rankings, described, deleted."""
