"""Phrases of sentences on pages."""


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: 1 pair, 1,200 pairs."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
