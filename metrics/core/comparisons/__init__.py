"""Comparisons of systems: paired and multiple tests, repeated looks, swaps, Bradley-Terry."""
