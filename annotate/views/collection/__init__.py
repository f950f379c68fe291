"""Pages of a collection: home, its first page, imports, settings, policy."""
