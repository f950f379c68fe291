"""Nouns of a collection for the sentences of analyses, and the axes of their bins."""

from collections.abc import Sequence
from typing import Any, NamedTuple

MOST_TICKS = 15


class Nouns(NamedTuple):
    """The nouns and numbers of a collection in one direction, for sentences.

    queries : source items in the plural; extent : how many, and of how many groups
    notes : on groups and draws
    """

    queries: str
    extent: str
    notes: list[str]

    @property
    def title(self) -> str:
        """The noun for the source items as a title."""
        return self.queries.capitalize()


def bin_axis(labels: Sequence[str]) -> dict[str, Any]:
    """The axis of bins: labels of a few that do not touch, the last one among them."""
    step = -(-len(labels) // max(1, min(MOST_TICKS, 90 // max(map(len, labels)))))
    ticks = list(labels[::-1][::step])
    return {"labelAngle": 0, "labelOverlap": False, "values": ticks[::-1]}
