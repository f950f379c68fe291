"""Nouns of a collection for the sentences of analyses, and the axes of their bins."""

from collections.abc import Sequence
from typing import Any, NamedTuple

MOST_TICKS = 15
NARROW = 228  # pixels of a plot on a phone, beside an axis of numbers
LETTER, GAP = 6, 4  # pixels of a letter of a label, and between two labels


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


def bin_axis(labels: Sequence[str], *, scale: str = "x", narrow: int = NARROW) -> dict[str, Any]:
    """The axis of bins: labels of a few that do not touch, the last one among them.

    scale : Vega's name of it, with that of the view before it; narrow : pixels of a plot on a phone
    A label has its words below one another where its bin is too narrow for all of them.
    """
    longest = max(len(word) for label in labels for word in label.split())
    most = min(MOST_TICKS, narrow // (LETTER * longest + GAP))
    step = -(-len(labels) // max(1, most))
    pixels = LETTER * max(map(len, labels)) + GAP
    return {
        "labelAngle": 0,
        "labelOverlap": False,
        "values": list(labels[::-1][::step])[::-1],
        "labelExpr": (
            f"{step} * bandwidth('{scale}') < {pixels} ? split(datum.label, ' ') : datum.label"
        ),
    }
