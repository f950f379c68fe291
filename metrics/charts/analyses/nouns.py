"""The nouns of a collection's sources and their number, for the sentences of analyses."""

from typing import NamedTuple

AXIS = {"labelAngle": 0, "labelOverlap": "greedy"}  # of bins


class Nouns(NamedTuple):
    """The nouns and numbers of a collection in one direction, for sentences.

    queries : source items in the plural; extent : how many, and of how many groups
    notes : on groups and draws
    """

    queries: str
    extent: str
    notes: list[str]
