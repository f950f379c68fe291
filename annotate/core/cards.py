"""What a card shows of a pair to judge."""

from typing import NamedTuple
from uuid import UUID


class PartShown(NamedTuple):
    """One text, page or medium of an item; start, end : seconds."""

    pk: int
    kind: str
    text: str
    path: str
    start: float | None
    end: float | None


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
