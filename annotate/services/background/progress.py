"""Progress, the same for all background work.

Who works calls `advance` every block of rows and lets `Cancelled` roll its transaction back. A page shows `standing`
with templates/_job.html.

Progress is throw-away and stands in the cache: without Redis there is none, and the work is done all the same. The wish
to cancel is in the work's row, which a worker's open transaction sees once it is committed, and which a flushed Redis
does not lose. Telling and asking are each put off by what they cost themselves: a slow cache keeps nobody waiting who
cancelled.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from math import ceil, inf
from time import monotonic
from typing import NamedTuple, Protocol, TypeVar

from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from psycopg.pq import TransactionStatus

from annotate.services.background.workers import worker_is_missing

SECONDS_BETWEEN = 0.5
ROWS_BETWEEN = 2_000
Row = TypeVar("Row")
SHARE_OF_TIME = 0.05  # what telling may cost of a job's time, should the cache be slow, and asking likewise
KEPT_SECONDS = 3600
clock: Callable[[], float] = monotonic  # seconds; tests have one that passes as they say
_UNITS = ((1, "second", 56), (60, "minute", 7200), (3600, "hour", inf))  # size, name, used below


class Job(NamedTuple):
    """What progress is told of: a kind of work or of computed value, and the key of the work or the value."""

    kind: str
    pk: int


class Cancelled(Exception):
    """Somebody asked that this job stop; what it did is to be rolled back."""


class Progress(NamedTuple):
    """How far a job was at a moment.

    done, total : units done and in all; total is None where nobody knows
    seconds_left : at the pace so far, None until there is one
    """

    done: int
    total: int | None
    unit: str
    seconds_left: float | None
    at: datetime

    @property
    def time_left(self) -> str:
        """The time left as people say it, "" while nobody can tell; what is counted may be done before the job is."""
        if self.total and self.done >= self.total:
            return "finishing"
        return "" if self.seconds_left is None else f"{in_words(self.seconds_left)} left"


class Tell(Protocol):
    """How the readers of files say how far they are: `advance` without the job, which they need not know."""

    def __call__(self, done: int, total: int | None = None, unit: str = "rows") -> None:
        """So many are done, of so many if that is known."""


class Standing(NamedTuple):
    """What a page says of a job that has not ended."""

    progress: Progress | None
    is_cancelling: bool
    worker_missing: bool


@dataclass
class _Watch:
    """What this process knows of a job: where its present stretch began, and when to ask and to tell again."""

    unit: str
    begun: float
    done_then: int
    done: int
    ask_at: float
    tell_at: float


_watches: dict[Job, _Watch] = {}


def advance(
    *,
    job: Job,
    done: int,
    total: int | None = None,
    unit: str = "rows",
    is_cancelled: Callable[[], bool] | None = None,
) -> None:
    """Tell how far a job is, and raise Cancelled if somebody asked it to stop.

    is_cancelled : asks the database whether somebody did; None for what nobody can cancel
    Cheap enough for every block of rows: it tells and asks about twice a second. A job of several stretches may change
    `unit` or start again from a smaller `done`; the time left is that of the present stretch. While the connection
    is busy with a COPY it cannot ask, so long copies are made in blocks.
    """
    now = clock()
    watch = _watches.get(job)
    if watch is None or watch.unit != unit or done < watch.done:
        watch = _watches[job] = _Watch(unit, now, done, done, now, now)
    watch.done = done
    if is_cancelled and now >= watch.ask_at and _can_ask():
        if is_cancelled():
            raise Cancelled
        watch.ask_at = _again_at(now)
    if now >= watch.tell_at:
        begun = clock()
        _tell(job, watch, total, now)
        watch.tell_at = _again_at(begun)


def tell_nobody(done: int, total: int | None = None, unit: str = "rows") -> None:
    """For what is read in the foreground."""


def counted(rows: Iterable[Row], tell: Tell) -> Iterator[Row]:
    """The rows as they are, told every few thousand."""
    for number, row in enumerate(rows, start=1):
        if number % ROWS_BETWEEN == 0:
            tell(number)
        yield row


def progress_of(*, job: Job) -> Progress | None:
    """How far a job was when it last told; None if it has not, or Redis has lost it."""
    found = cache.get(_key(job))
    return Progress(*found) if found else None


def standing(*, job: Job) -> Standing:
    """What a page says of a value that is being computed, which nobody can cancel; see works.standing."""
    return Standing(progress_of(job=job), False, worker_is_missing())


def forget(*, job: Job) -> None:
    """Drop all that is known of a job that has ended."""
    _watches.pop(job, None)
    cache.delete(_key(job))


def in_words(seconds: float) -> str:
    """A stretch of time to come, rounded up: "35 seconds", "4 minutes", "2 hours"."""
    size, unit = next(each for each in _UNITS if seconds < each[2])[:2]
    n = max(1, ceil(seconds / size))
    if unit == "second" and n > 10:
        n = ceil(n / 5) * 5  # it changes twice a second: more would be noise
    return f"{n} {unit}" if n == 1 else f"{n} {unit}s"


def _tell(job: Job, watch: _Watch, total: int | None, now: float) -> None:
    covered = watch.done - watch.done_then
    left = None
    if total and covered > 0:
        left = max(0, total - watch.done) * (now - watch.begun) / covered
    cache.set(_key(job), (watch.done, total, watch.unit, left, timezone.now()), timeout=KEPT_SECONDS)


def _again_at(begun: float) -> float:
    """When to do again what was begun at this moment and is done now."""
    return begun + max(SECONDS_BETWEEN, (clock() - begun) / SHARE_OF_TIME)


def _can_ask() -> bool:
    """Whether the connection is free for a question; in the middle of a COPY it is not."""
    inner = connection.connection
    return inner is None or inner.info.transaction_status != TransactionStatus.ACTIVE


def _key(job: Job) -> str:
    return f"job:{job.kind}:{job.pk}"
