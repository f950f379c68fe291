"""Collections, their items, and who is in them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assayer.client.records.record import Record


@dataclass(frozen=True, kw_only=True)
class OwnCollection(Record):
    """A collection in which the owner of the token has a role."""

    url: str
    slug: str
    name: str
    is_rehearsal: bool
    roles: list[str]


@dataclass(frozen=True, kw_only=True)
class Level(Record):
    """A level of the scheme: a grade with its name."""

    grade: int
    name: str
    key: str
    sentence: str
    colour: str
    reasons: list[str | dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class QuerySetSize(Record):
    """A query set, as the facts of its collection name it."""

    name: str
    direction: str
    n_queries: int


@dataclass(frozen=True, kw_only=True)
class ReferenceSetSize(Record):
    """A reference set, as the facts of its collection name it."""

    name: str
    n_labels: int


@dataclass(frozen=True, kw_only=True)
class PolicyFigures(Record):
    """A version of the policy."""

    version: int
    labels_per_pair: int
    double_share: float
    ceiling: int
    tolerance: int
    stop_early: bool
    rule: str
    tie: str
    batch_candidates: int
    gold_positives: int
    gold_negatives: int
    lease_minutes: int
    grouped: bool
    gold_action: str
    gold_pass: float
    repeat_share: float
    repeat_after_days: int
    max_share: float
    ask_reasons: bool
    at: datetime


@dataclass(frozen=True, kw_only=True)
class NewestPolicy(PolicyFigures):
    """The newest version of the policy, in sentences too."""

    url: str
    sentences: list[str]
    n_rounds_behind: int


@dataclass(frozen=True, kw_only=True)
class Creator(Record):
    """A creator of a collection, as releases name them."""

    name: str
    affiliation: str
    orcid: str


@dataclass(frozen=True, kw_only=True)
class CollectionFacts(Record):
    """The facts and settings of a collection."""

    url: str
    slug: str
    name: str
    is_rehearsal: bool
    description: str
    created_at: datetime
    measurement: str
    positive_from: int
    query_groups: str
    hourly_pay: float | None
    currency: str
    tentative_alpha: float
    firm_alpha: float
    scheme_frozen_at: datetime | None
    archived_at: datetime | None
    levels: list[Level]
    query_sets: list[QuerySetSize]
    reference_sets: list[ReferenceSetSize]
    policy: PolicyFigures
    guidelines_version: int
    licence: str
    creators: list[Creator]
    cite_as: str
    texts_may_leave: bool
    media_may_leave: bool


@dataclass(frozen=True, kw_only=True)
class Annotator(Record):
    """An annotator under her pseudonym."""

    id: int
    url: str
    pseudonym: str
    origin: str
    paused_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Member(Record):
    """A role that a person holds in a collection."""

    id: int
    url: str
    username: str
    email: str
    role: str
    joined_at: datetime
    annotator: Annotator | None


@dataclass(frozen=True, kw_only=True)
class Source(Record):
    """A file of a part: its address and its type."""

    url: str
    type: str


@dataclass(frozen=True, kw_only=True)
class Part(Record):
    """A part of an item: text, or a medium with its sources."""

    position: int
    kind: str
    text: str | None
    sources: list[Source]
    start: float | None
    end: float | None
    checksum: str | None


@dataclass(frozen=True, kw_only=True)
class Item(Record):
    """An item, with its parts."""

    url: str
    pk: int
    id: str
    side: str
    split: str
    group: str
    warning: str
    is_in_use: bool
    excluded_at: datetime | None
    excluded_reason: str
    duplicate_of: str | None
    joined_at: datetime | None
    parts: list[Part]
