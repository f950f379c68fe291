"""Runs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assayer.client.records.jobs import Job, JobProgress
from assayer.client.records.record import Record


@dataclass(frozen=True, kw_only=True)
class Run(Record):
    """A run with the report of its reading."""

    id: int
    url: str
    name: str
    direction: str
    system: str
    team: str
    paper: str
    tags: list[str]
    description: str
    is_hidden: bool
    may_be_published: bool
    retired_at: datetime | None
    state: str
    state_text: str
    on_hold_since: datetime | None
    score_type: str
    columns: Any
    file_name: str
    sha256: str
    uploaded_by: str | None
    created_at: datetime
    finished_at: datetime | None
    unknown_share: float
    doubts_text: str
    report: Any
    job: Job | None

    @property
    def is_finished(self) -> bool:
        """True if its file has been read, or refused."""
        return self.state != "received"

    @property
    def progress(self) -> JobProgress | None:
        """Progress of its reading is."""
        return self.job.progress if self.job else None


@dataclass(frozen=True, kw_only=True)
class WholeRun(Run):
    """A run with its pools and what was done to it."""

    pools: list[dict[str, Any]]
    events: list[dict[str, Any]]
