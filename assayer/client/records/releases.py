"""Downloads and releases."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from assayer.client.records.jobs import Job, MadeByJob
from assayer.client.records.record import Record, frame_of

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, kw_only=True)
class Download(MadeByJob, Record):
    """A file of the page Downloads, being made or there."""

    url: str
    id: int
    kind: str
    parameters: dict[str, Any]
    made_with: str
    state: str
    file_url: str | None
    file_name: str
    n_bytes: int | None
    n_rows: int | None
    sha256: str
    as_of: datetime | None
    created_at: datetime
    requested_by: str | None
    expires_at: datetime | None
    job: Job


@dataclass(frozen=True, kw_only=True)
class ReleaseFile(Record):
    """A file of a release."""

    url: str
    path: str
    media_type: str
    about: str
    n_bytes: int
    sha256: str
    n_rows: int | None


@dataclass(frozen=True, kw_only=True)
class Release(MadeByJob, Record):
    """A release: being made, made, public or withdrawn."""

    url: str
    state: str
    version: str
    title: str
    notes: str
    licence: str
    creators: Any
    cite_as: str
    texts_leave: bool
    media_leave: bool
    released_on: date
    withdrawal_reason: str
    file_name: str
    n_bytes: int | None
    sha256: str
    as_of: datetime | None
    made_at: datetime | None
    published_at: datetime | None
    withdrawn_at: datetime | None
    archive_url: str | None
    job: Job


@dataclass(frozen=True, kw_only=True)
class WholeRelease(Release):
    """A release with its files."""

    files: list[ReleaseFile]


@dataclass(frozen=True, kw_only=True)
class DiffSide(Record):
    """One of the two states that a diff compares; `version` is None for now."""

    version: str | None
    as_of: datetime | None


@dataclass(frozen=True, kw_only=True)
class DiffTable(Record):
    """A table of what changed."""

    headline: str
    reading: str
    notes: list[str]
    columns: list[dict[str, str]]
    rows: list[dict[str, Any]]

    def to_pandas(self) -> "DataFrame":
        """The table, with the keys of its columns."""
        return frame_of(self.rows)


@dataclass(frozen=True, kw_only=True)
class ReleaseDiff(Record):
    """Changes between two releases, or a release and now, by table."""

    computed_at: datetime | None
    is_stale: bool
    before: DiffSide
    after: DiffSide
    label_source: str
    tables: dict[str, DiffTable]
