"""Items in the tables of analyses."""

from typing import NamedTuple


class ItemSummary(NamedTuple):
    """The id of an item, and its first text or the name of its first file, in a few words."""

    id: str
    content: str
