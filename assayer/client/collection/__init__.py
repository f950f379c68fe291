"""The handle of a collection, by what is done with it."""
