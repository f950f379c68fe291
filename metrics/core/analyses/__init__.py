"""Analyses: what the labels and scores of a collection say, each a function of arrays."""
