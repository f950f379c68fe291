"""The end of a collection: its archive and its deletion, with what its page tells before."""
