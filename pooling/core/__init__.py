"""Readers of run files, strategies, likeness of runs; without any framework."""
