"""The content of a card, which shows one pair to judge."""

from typing import NamedTuple
from uuid import UUID


class MediaSource(NamedTuple):
    """One file or URL of a medium, and its MIME type with codecs; "" where the type is unknown."""

    path: str
    type: str = ""


class CardPart(NamedTuple):
    """One text, page or medium of an item.

    start, end : seconds; also : its further sources, as stored; is_inspected : files were
        inspected; checksum : of its file, as stored
    """

    pk: int
    kind: str
    text: str
    path: str
    start: float | None
    end: float | None
    type: str
    also: list[dict[str, str]]
    is_inspected: bool
    checksum: str | None

    @property
    def sources(self) -> list[MediaSource]:
        """The files or URLs of a medium, in the order in which browsers try them."""
        return [MediaSource(self.path, self.type), *(MediaSource(**source) for source in self.also)]


class CardItem(NamedTuple):
    """One side of a card's pair: the item that it shows."""

    external_id: str
    warning: str
    parts: list[CardPart]


class Card(NamedTuple):
    """One hand-out as a card.

    position : in its batch, from 1. The key hand_out stays on the server.
    """

    hand_out: int
    token: UUID
    position: int
    query: CardItem
    document: CardItem
