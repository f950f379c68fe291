"""Charts and sentences of the analyses of a collection."""
