"""Forms of collections, people, golds, query sets, review, training and settings."""
