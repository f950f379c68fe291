"""What a card shows of a pair to judge."""

from typing import NamedTuple
from uuid import UUID


class MediaSource(NamedTuple):
    """One file or URL of a medium, and its MIME type with codecs; "" where that is not known."""

    path: str
    type: str = ""


class PartShown(NamedTuple):
    """One text, page or medium of an item.

    start, end : seconds; also : its further sources, as they are stored; is_looked_into : whether its files were
    """

    pk: int
    kind: str
    text: str
    path: str
    start: float | None
    end: float | None
    type: str
    also: list[dict[str, str]]
    is_looked_into: bool

    @property
    def sources(self) -> list[MediaSource]:
        """The files or URLs of a medium, in the order they are tried."""
        return [MediaSource(self.path, self.type), *(MediaSource(**each) for each in self.also)]


class ItemShown(NamedTuple):
    """What a card shows of one side of its pair."""

    external_id: str
    warning: str
    parts: list[PartShown]


class Dealt(NamedTuple):
    """One hand-out as a card shows it; position : in its batch, from 1. Its key (hand_out) stays on the server."""

    hand_out: int
    token: UUID
    position: int
    query: ItemShown
    document: ItemShown
