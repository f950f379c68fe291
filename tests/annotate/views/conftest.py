"""Whom a test asks for sits at the browser."""

from tests.signed_in import annotator, lead, researcher

__all__ = ["annotator", "lead", "researcher"]
