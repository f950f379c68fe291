"""The documents of a release, written from its manifest: data card, citation, metadata, scores."""
