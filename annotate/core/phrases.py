"""Phrases of sentences on pages."""


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: 1 pair, 1,200 queries."""
    if n == 1:
        return f"{n:,} {noun}"
    return f"{n:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{n:,} {noun}s"
