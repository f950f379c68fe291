"""What a pool does to scores: bias, parts of its labels, sums over its sample."""
