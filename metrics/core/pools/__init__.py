"""Effects of a pool on scores: bias, parts of its labels, sums over its sample."""
