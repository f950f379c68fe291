"""Scores of sampled pools: each judged pair stands for others that were not drawn."""
