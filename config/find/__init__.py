"""Finding of pages, queries, documents, runs and people by a few letters, from every page."""
