"""The database models: items, pairs and rounds, people, and their judgments."""

from .batches import Batch, HandOut
from .collections import Collection, Guidelines, Level, Policy
from .counting import CountingJudgment, JudgmentOutcome
from .guards.concerns import Concern, ConcernEvent, Guard
from .guards.marks import GuardMark
from .imports import Import
from .items import (
    Direction,
    Item,
    Part,
    QuerySet,
    QuerySetItem,
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
from .kept import Kept
from .media.previews import Preview
from .pairs import Gold, Pair, Round, RoundPair, RoundPairState, Seat
from .people import (
    Annotator,
    ApiToken,
    Invitation,
    Membership,
    Role,
    SignInTry,
    User,
    WorkerHeartbeat,
)
from .programs.hooks import Delivery, Hook, HookEvent
from .programs.receipts import Receipt
from .references import ReferenceLabel, ReferenceSet, Undrawn
from .reports import Report, ReportEvent, ReportQuerySet
from .review import Duplicate, PairExclusion, ReviewAction, ReviewWork
from .training import Quiz, QuizAttempt, Training, TrainingDecision, TrainingPair, TrainingTry
from .work import Work

__all__ = [
    "Annotator",
    "ApiToken",
    "Batch",
    "Change",
    "ClockTimestamp",
    "Collection",
    "Concern",
    "ConcernEvent",
    "CountingJudgment",
    "Delivery",
    "Direction",
    "Duplicate",
    "Gold",
    "Guard",
    "GuardMark",
    "Guidelines",
    "HandOut",
    "Hook",
    "HookEvent",
    "Import",
    "Invitation",
    "Item",
    "Judgment",
    "JudgmentComment",
    "JudgmentEvent",
    "JudgmentOutcome",
    "Kept",
    "Level",
    "Membership",
    "Pair",
    "PairExclusion",
    "Part",
    "Policy",
    "Preview",
    "QuerySet",
    "QuerySetItem",
    "Quiz",
    "QuizAttempt",
    "Receipt",
    "ReferenceLabel",
    "ReferenceSet",
    "Report",
    "ReportEvent",
    "ReportQuerySet",
    "Resolution",
    "ReviewAction",
    "ReviewWork",
    "Role",
    "Round",
    "RoundPair",
    "RoundPairState",
    "Seat",
    "Side",
    "SignInTry",
    "Training",
    "TrainingDecision",
    "TrainingPair",
    "TrainingTry",
    "Undrawn",
    "User",
    "Work",
    "WorkerHeartbeat",
]
