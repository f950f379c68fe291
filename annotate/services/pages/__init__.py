"""Figures of pages: own progress, list of collections, overview, labels nobody can give."""
