"""Labels and decisions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assayer.client.records.jobs import Job
from assayer.client.records.record import Record


@dataclass(frozen=True, kw_only=True)
class Resolution(Record):
    """The grade of a pair, and how it came about."""

    pair: int
    query: str
    document: str
    state: str
    status: str | None
    grade: int | None
    n_labels: int
    is_complete: bool
    policy: int | None
    rule: str | None
    changed_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class InboxKind(Record):
    """The number of things of one kind that wait for leads."""

    kind: str
    name: str
    n: int
    url: str


@dataclass(frozen=True, kw_only=True)
class Unplayable(Record):
    """Pairs with media that do not play everywhere."""

    n_pairs: int
    n_people: int
    n_waiting: int
    types: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class StuckLabels(Record):
    """Labels that wait for a decision that stopped."""

    n_labels: int
    n_pairs: int
    is_more: bool


@dataclass(frozen=True, kw_only=True)
class Inbox(Record):
    """The things that wait for leads, by kind."""

    kinds: list[InboxKind]
    unplayable: Unplayable | None
    stuck_labels: StuckLabels | None


@dataclass(frozen=True, kw_only=True)
class Report(Record):
    """A report of an annotator on a pair."""

    id: int
    annotator: str
    kind: str
    reason: str
    why: str
    note: str
    state: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class WaitingPair(Record):
    """A pair that waits for a decision; grades are of the labels that count."""

    id: int
    url: str
    query: str
    document: str
    grades: list[int]
    n_people: int
    reports: list[Report]


@dataclass(frozen=True, kw_only=True)
class Decision(Record):
    """A decision that was made; `job` is what is done in the background."""

    url: str
    summary: str
    job: Job | None


@dataclass(frozen=True, kw_only=True)
class AlarmEvent(Record):
    """A moment at which an alarm rose or fell."""

    id: int
    alarm: int
    description: str
    kind: str
    annotator: str | None
    value: float | None
    n: int
    reading: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Alarm(Record):
    """An alarm that is set."""

    id: int
    url: str
    kind: str
    below: float
    n_at_least: int
    description: str
    state: str
    raised_by: list[AlarmEvent]
    created_at: datetime
