"""Jobs and imports."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assayer.client.records.record import Record


@dataclass(frozen=True, kw_only=True)
class JobProgress(Record):
    """Progress of a job: `done` of a `total`, None where it is open, in a `unit`."""

    done: int
    total: int | None
    unit: str
    seconds_left: float | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Job(Record):
    """A piece of background work that somebody asked for."""

    id: int
    url: str
    kind: str
    state: str
    is_finished: bool
    progress: JobProgress | None
    error: str
    asked_at: datetime
    finished_at: datetime | None


class MadeByJob:
    """A record of a thing that a job makes: a download, a release."""

    job: Job

    @property
    def is_finished(self) -> bool:
        """True if its making has ended, well or not."""
        return self.job.is_finished

    @property
    def progress(self) -> JobProgress | None:
        """The progress of its making."""
        return self.job.progress


@dataclass(frozen=True, kw_only=True)
class Import(Record):
    """A file that was brought into a collection, and what became of it."""

    url: str
    id: int
    kind: str
    file_name: str
    sha256: str
    parameters: dict[str, Any]
    state: str
    error: str
    progress: JobProgress | None
    report: Any
    created_at: datetime

    @property
    def is_finished(self) -> bool:
        """True if all of it is there, or it was rejected or cancelled."""
        return self.state in ("done", "rejected", "cancelled")
