"""Analyses of the labels: what people and reference sets say of which pairs."""
