"""The end of a collection: its deletion, with what its page tells of that before."""
