"""Fixtures: people who are signed in."""

from tests.signed_in import annotator, lead, researcher

__all__ = ["annotator", "lead", "researcher"]
