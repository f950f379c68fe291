"""Views of one person of a collection."""
