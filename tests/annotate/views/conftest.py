"""Fixtures of the person who is signed in in the test's browser."""

from tests.signed_in import annotator, lead, researcher

__all__ = ["annotator", "lead", "researcher"]
