"""Progress, the same for all background work.

A worker calls `advance` every block of rows and lets `Cancelled` roll its transaction back. A page
shows `job_status` with templates/parts/_job.html.

Progress is throw-away and lives in the cache: without Redis there is none, and the work is done all
the same. The request to cancel is in the work's row, which a worker's open transaction sees once it
is committed, and which a flushed Redis does not lose. Reports of progress and looks for a
cancellation are each put off by what they cost themselves: a slow cache delays no cancellation.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from math import ceil, inf
from time import monotonic
from typing import NamedTuple, Protocol, TypeVar

from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from psycopg.pq import TransactionStatus

from annotate.core.phrases import counted
from annotate.services.background.workers import worker_is_missing

SECONDS_BETWEEN = 0.5
ROWS_BETWEEN = 2_000
Row = TypeVar("Row")
# of a job's time: the most that reports may cost, and looks for a cancellation likewise
SHARE_OF_TIME = 0.05
KEPT_SECONDS = 3600
clock: Callable[[], float] = monotonic  # seconds; tests put a clock of their own here
# size, name, used below so many seconds
_UNITS = ((1, "second", 56), (60, "minute", 7200), (3600, "hour", inf))


class Job(NamedTuple):
    """A job with progress: a kind of work, or "kept" for a computed value, and its key."""

    kind: str
    pk: int | str


class Cancelled(Exception):
    """Somebody asked that this job stop; what it did is to be rolled back."""


class Progress(NamedTuple):
    """The progress of a job at a moment.

    n_done, total : units done and in all; total is None where it is unknown
    seconds_left : at the pace so far, None until there is one
    """

    n_done: int
    total: int | None
    unit: str
    seconds_left: float | None
    at: datetime

    @property
    def time_left(self) -> str:
        """The time left in words, "" if unknown; all units may be done before the job is."""
        if self.total and self.n_done >= self.total:
            return "finishing"
        return "" if self.seconds_left is None else f"{in_words(self.seconds_left)} left"

    @property
    def text(self) -> str:
        """The progress in words: "1,200 of 5,000 rows, 2 minutes left"."""
        total = f" of {self.total:,}" if self.total else ""
        time_left = f", {self.time_left}" if self.time_left else ""
        return f"{self.n_done:,}{total} {self.unit}{time_left}"


class ProgressCallback(Protocol):
    """The callback of file readers: `advance` without the job, unknown to them."""

    def __call__(self, n_done: int, total: int | None = None, unit: str = "rows") -> None:
        """Report so many units done, of so many if that is known."""


class JobStatus(NamedTuple):
    """The status of a job that has not ended, for a page; has_failed : by an error, a while ago."""

    progress: Progress | None
    is_cancelling: bool
    worker_missing: bool
    has_failed: bool = False


@dataclass
class _Watch:
    """This process's notes on a job: its present stretch, and when to ask and report again.

    begun_at, n_done_before : moment and units at which the stretch began
    ask_at : when to look next whether the job is cancelled; tell_at : when to report next
    """

    unit: str
    begun_at: float
    n_done_before: int
    n_done: int
    ask_at: float
    tell_at: float


_watches: dict[Job, _Watch] = {}
_listeners: dict[Job, ProgressCallback] = {}


@contextmanager
def listening(*, job: Job, callback: ProgressCallback) -> Iterator[None]:
    """Let a callback hear each report of a job that is done in this process, of any thread."""
    _listeners[job] = callback
    try:
        yield
    finally:
        del _listeners[job]


def advance(
    *,
    job: Job,
    n_done: int,
    total: int | None = None,
    unit: str = "rows",
    is_cancelled: Callable[[], bool] | None = None,
) -> None:
    """Report how far a job is, and raise Cancelled if somebody asked it to stop.

    is_cancelled : asks the database whether somebody did; None for a job that nobody can cancel

    Cheap enough for every block of rows: it reports and asks about twice a second. A job of several
    stretches may change `unit` or start again from a smaller `n_done`; the time left is that of the
    present stretch. While the connection is busy with a COPY it cannot ask, so long copies are made
    in blocks.
    """
    now = clock()
    watch = _watches.get(job)
    if watch is None or watch.unit != unit or n_done < watch.n_done:
        watch = _watches[job] = _Watch(unit, now, n_done, n_done, now, now)
    watch.n_done = n_done
    if listener := _listeners.get(job):
        listener(n_done, total, unit)
    if is_cancelled and now >= watch.ask_at:
        driver = connection.connection
        if driver is None or driver.info.transaction_status != TransactionStatus.ACTIVE:
            if is_cancelled():
                raise Cancelled
            watch.ask_at = _again_at(now)
    if now >= watch.tell_at:
        report_at = clock()
        _report(job, watch, total, now)
        watch.tell_at = _again_at(report_at)


def ignore_progress(n_done: int, total: int | None = None, unit: str = "rows") -> None:
    """Report nothing: the callback of readers that run in the foreground."""


def with_progress(rows: Iterable[Row], report: ProgressCallback) -> Iterator[Row]:
    """Yield the rows unchanged, and report their count every few thousand."""
    for number, row in enumerate(rows, start=1):
        if number % ROWS_BETWEEN == 0:
            report(number)
        yield row


def progress_of(*, job: Job) -> Progress | None:
    """Return how far a job was at its last report, None if there is none or Redis has lost it."""
    fields = cache.get(_key(job))
    return Progress(*fields) if fields else None


def job_status(*, job: Job) -> JobStatus:
    """Return the status of a value being computed; nobody can cancel it (see works.work_status)."""
    has_failed = cache.get(_failure_key(job)) is not None
    return JobStatus(progress_of(job=job), False, worker_is_missing(), has_failed)


def report_failure(*, job: Job, seconds: float) -> None:
    """Drop the progress of a job that an error ended, and say so for some time."""
    forget(job=job)
    cache.set(_failure_key(job), 1, timeout=seconds)


def forget(*, job: Job) -> None:
    """Drop the progress of a job that has ended."""
    _watches.pop(job, None)
    cache.delete(_key(job))
    cache.delete(_failure_key(job))


def in_words(seconds: float) -> str:
    """Return a time to come in words, rounded up: "35 seconds", "4 minutes", "2 hours"."""
    size, unit = next((size, unit) for size, unit, limit in _UNITS if seconds < limit)
    n = max(1, ceil(seconds / size))
    if unit == "second" and n > 10:
        n = ceil(n / 5) * 5  # it changes twice a second: more would be noise
    return counted(n, unit)


def _report(job: Job, watch: _Watch, total: int | None, now: float) -> None:
    n_covered = watch.n_done - watch.n_done_before
    seconds_left = None
    if total and n_covered > 0:
        seconds_left = max(0, total - watch.n_done) * (now - watch.begun_at) / n_covered
    cache.set(
        _key(job),
        (watch.n_done, total, watch.unit, seconds_left, timezone.now()),
        timeout=KEPT_SECONDS,
    )


def _again_at(begun_at: float) -> float:
    """Return when to repeat something that was begun at this moment and is finished now."""
    return begun_at + max(SECONDS_BETWEEN, (clock() - begun_at) / SHARE_OF_TIME)


def _key(job: Job) -> str:
    return f"job:{job.kind}:{job.pk}"


def _failure_key(job: Job) -> str:
    return f"{_key(job)}:failed"
