"""The ground: what is judged, by whom, and what they said."""

from .collections import Collection, Guidelines, Level, Policy
from .items import (
    Direction,
    Item,
    Part,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    ReferenceSet,
    Side,
)
from .judgments import (
    Change,
    ClockTimestamp,
    Judgment,
    JudgmentComment,
    JudgmentEvent,
    Resolution,
)
from .pairs import Batch, Gold, HandOut, Pair, Report, Round, RoundPair, Seat
from .people import Annotator, ApiToken, Invitation, Membership, Role, User, WorkerHeartbeat

__all__ = [
    "Annotator", "ApiToken", "Batch", "Change", "ClockTimestamp", "Collection", "Direction", "Gold",
    "Guidelines", "HandOut", "Invitation", "Item", "Judgment", "JudgmentComment", "JudgmentEvent",
    "Level", "Membership", "Pair", "Part", "Policy", "QuerySet", "QuerySetItem", "ReferenceLabel",
    "ReferenceSet", "Report", "Resolution", "Role", "Round", "RoundPair", "Seat", "Side", "User",
    "WorkerHeartbeat",
]
