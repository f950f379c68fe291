"""The differences between two states of a collection: its labels, its scores, their order."""
