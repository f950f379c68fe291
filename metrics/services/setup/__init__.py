"""The way from an empty collection to its first judgment."""
