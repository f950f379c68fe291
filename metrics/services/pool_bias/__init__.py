"""Whom a pool favours, and what its sample tells."""
