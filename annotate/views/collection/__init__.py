"""Pages of a collection: the list of them, a new one, its imports, previews of their files."""
