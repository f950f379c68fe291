"""Runs as text: TREC runs, JSON, tables."""
