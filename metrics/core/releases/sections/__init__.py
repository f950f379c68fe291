"""The sections of a data card, as Markdown."""
