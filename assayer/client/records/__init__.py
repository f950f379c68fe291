"""Answers of the API as frozen dataclasses, by the names and fields of its schema."""
