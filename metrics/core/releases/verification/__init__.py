"""Verification of a release: what follows from its files is computed anew and compared."""
