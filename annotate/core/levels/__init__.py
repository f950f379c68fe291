"""The levels of a scheme: their rules, colours and reasons."""
