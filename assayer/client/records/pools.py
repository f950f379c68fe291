"""Pools and rounds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assayer.client.records.jobs import Job, JobProgress
from assayer.client.records.record import Record


@dataclass(frozen=True, kw_only=True)
class Pool(Record):
    """A pool."""

    id: int
    url: str
    name: str
    state: str
    error: str
    strategy: str
    parameters: Any
    seed: int
    query_set: str
    runs: list[str]
    policy_version: int | None
    created_at: datetime
    opened_at: datetime | None
    pairs: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class WholePool(Pool):
    """A pool as its page tells of it, with its job."""

    strategy_label: str
    created_by: str | None
    ordered_at: datetime | None
    seats: dict[str, int]
    run_details: list[dict[str, Any]]
    follows_labels: bool
    sampling: str
    stuck: dict[str, Any] | None
    job: Job | None

    @property
    def is_finished(self) -> bool:
        """True if nothing is being done with it."""
        return self.job is None or self.job.is_finished

    @property
    def progress(self) -> JobProgress | None:
        """Progress of its opening, closing or reopening is."""
        return self.job.progress if self.job else None


@dataclass(frozen=True, kw_only=True)
class RunShare(Record):
    """The share of a run in a pool."""

    pk: int
    name: str
    n_pairs: int
    n_unique: int
    n_new: int
    n_unknown: int
    doubts: str


@dataclass(frozen=True, kw_only=True)
class PoolPreview(Record):
    """The pairs and the cost of a pool that is not made yet."""

    state: str | None = None
    n_pairs: int
    n_new: int
    n_waiting: int
    n_judged: int
    n_queries: int
    n_labels: int
    n_golds: int
    n_further: int
    n_further_pairs: int
    n_unknown: int
    seconds: float
    is_measured: bool
    hours: float
    at: datetime
    cost: float | None
    currency: str
    shares: list[RunShare]


@dataclass(frozen=True, kw_only=True)
class Round(Record):
    """A round of judging: of a pool or an import."""

    id: int
    name: str
    kind: str
    state: str
    pool: str | None
    policy_version: int
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    following_since: datetime | None
    pairs: dict[str, int]
    seats: dict[str, int]
