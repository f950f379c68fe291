"""Figures of pages that look at several rooms at once."""
