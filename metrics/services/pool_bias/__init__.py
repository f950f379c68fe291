"""Bias of a pool towards its runs, and estimates from its sample."""
