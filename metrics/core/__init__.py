"""Measures and statistics: arrays in, arrays out; a library of its own."""
