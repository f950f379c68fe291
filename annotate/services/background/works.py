"""Background work that somebody asked for and waits for: one form for every kind of it.

A kind is a function with @performs: it does the work, reports its progress, and may write the end
in its own transaction, with `finish`, so that the outcome and the state are stored together. The
rest is here: a worker alone with the work, attempts counted before anything is done, the end
written once, outages that count for nothing.

    ask -> a row, and on commit a message -> perform -> finish
    cancel: at once where no worker is at it, else at its next block of rows
    reset_attempts: a stretch of it is stored, and deaths are counted from there
    ask_again: work that has failed is begun anew
    overdue: the work that the sweep hands to the next worker: the broker may have lost it, or the
        worker died
"""

import errno
import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import NamedTuple

import psycopg
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import AnonymousUser
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import BooleanField, F, Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from redis.exceptions import RedisError

from annotate.models import ClockTimestamp, Collection, HookEvent, Role, User, Work
from annotate.services.background import progress
from annotate.services.background.progress import Cancelled, Job, JobStatus, ProgressCallback
from annotate.services.background.workers import LOCKS, try_lock_subject, worker_is_missing
from annotate.services.storage import outbox
from annotate.signals import work_requested

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
OUTAGE = "outages"  # the error code of work that was ended by too many of them
# over half a day; a job that brings the database down each time must come to an end too
MOST_OUTAGES = 1_000
OVERDUE_AFTER = timedelta(seconds=20)
# outages, and how long work rests after so many
PAUSED_AFTER, LONGER_PAUSE = 10, timedelta(seconds=60)
OUTAGE_SECONDS = 900  # how long a worker waits for the database, to give an attempt back
_OUTAGE_ERRNOS = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EROFS,
    errno.ENOMEM,
    errno.EMFILE,
    errno.ENFILE,
    errno.ESTALE,
    errno.ETIMEDOUT,
    errno.ECONNRESET,
    errno.ECONNREFUSED,
    errno.EHOSTUNREACH,
}
# PostgreSQL's errors that are outages: lost connections, no disk, memory or connections left,
# shutdowns, a broken disk, and errors that pass by themselves: deadlocks, conflicts, locks held.
_OUTAGE_STATES = ("08", "53100", "53200", "53300", "57P", "58", "40", "55P03")
# The driver's own errors too: Django wraps none that comes in the midst of a COPY.
FAILURES = (
    OperationalError,
    InterfaceError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    RedisError,
    OSError,
)
_WENT_DOWN = RawSQL(
    "state = 'running' AND begun_at < pg_postmaster_start_time()", (), output_field=BooleanField()
)
WORN_OUT = (
    f"This was begun {MAX_ATTEMPTS} times and never came to its end; the worker's log says why."
)
OUTAGES = (
    f"Outages of the database, Redis or the disk ended this {MOST_OUTAGES} times; "
    "the worker's log says which."
)
TOO_LONG = "This took longer than any work may, an hour."


class Failed(Exception):
    """Work cannot be done, however often it is begun: an error code, and a message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class WorkKind(NamedTuple):
    """A kind of work.

    subject : a key of workers.LOCKS: no two works about one run are under way at once
    do : does it, and may be begun again after it was killed; raises Failed, or lets Cancelled pass
    on_finished : further changes at its end, in the transaction that writes it
    may_cancel : whether the part done so far can be taken back; asked where no worker is at it.
        Work that cannot be is stored stretch by stretch, with `reset_attempts`, and may take any
        time
    advice : what people can do, appended to the error after three attempts or too long a time
    readers : the roles whose holders may read of it, beside whoever asked for it
    is_hidden : whether its subject is hidden from a person, or from whoever is nobody in particular
    """

    subject: str
    do: Callable[[Work], None]
    on_finished: Callable[[Work], None]
    may_cancel: Callable[[Work], bool]
    advice: str
    readers: tuple[Role, ...]
    is_hidden: Callable[[Work, User | AnonymousUser], bool]


def never(work: Work) -> bool:
    """Answer that this work cannot be cancelled: for kinds that nobody can cancel."""
    return False


KINDS: dict[str, WorkKind] = {}


def performs(
    name: str,
    *,
    subject: str,
    on_finished: Callable[[Work], None] = lambda work: None,
    may_cancel: Callable[[Work], bool] = lambda work: True,
    advice: str = "",
    readers: tuple[Role, ...] = (),
    is_hidden: Callable[[Work, User | AnonymousUser], bool] = lambda work, person: False,
) -> Callable[[Callable[[Work], None]], Callable[[Work], None]]:
    """Register a function that does all work of a kind; see WorkKind."""
    if subject not in LOCKS:
        raise ValueError(f"workers.LOCKS has no {subject!r}; it has {', '.join(LOCKS)}.")

    def register(do: Callable[[Work], None]) -> Callable[[Work], None]:
        KINDS[name] = WorkKind(subject, do, on_finished, may_cancel, advice, readers, is_hidden)
        return do

    return register


@transaction.atomic
def ask(
    *, kind: str, collection: Collection, subject: int, by: User | None, is_done_here: bool = False
) -> Work:
    """Store work for a worker, or for the caller, who then calls `perform` after the commit.

    The caller has made sure, behind a lock on the subject, that no such work is unfinished.
    """
    work = Work.objects.create(kind=kind, collection=collection, subject=subject, by=by)
    if not is_done_here:
        work_requested.send(sender=Work, work_id=work.pk)
    return work


def perform(*, work: Work) -> None:
    """Do work until it is done, failed or cancelled, as its kind decides.

    Safe to run twice, also at once: the second caller finds it locked or finished. A worker that
    dies leaves it to the next one; after MAX_ATTEMPTS such deaths it has failed. Outages count for
    nothing, until there were MOST_OUTAGES.
    """
    with try_lock_subject(KINDS[work.kind].subject, work.subject) as is_ours:
        if is_ours and _begin(work):
            try:
                _do(work)
            except FAILURES as error:
                if is_outage(error):
                    _give_back(work)
                raise
    work.refresh_from_db()


def _do(work: Work) -> None:
    kind = KINDS[work.kind]
    try:
        kind.do(work)
        finish(work=work)
    except Cancelled:
        finish(work=work, state=Work.State.CANCELLED)
    except Failed as error:
        finish(work=work, state=Work.State.FAILED, code=error.code, message=str(error))
    except SoftTimeLimitExceeded:
        if not kind.may_cancel(work):
            raise  # the next worker repeats the stretch that was lost
        _fail(work, "too-long", TOO_LONG)


@transaction.atomic
def _begin(work: Work) -> bool:
    """Count an attempt, committed before any work, so that one that kills its worker counts too.

    An attempt that went down with the database is none: no worker was left to give it back.
    """
    unfinished_works = Work.objects.unfinished().filter(pk=work.pk)
    start_fields = {"state": Work.State.RUNNING, "begun_at": ClockTimestamp()}
    if unfinished_works.filter(n_outages__gte=MOST_OUTAGES).exists():
        _fail(work, OUTAGE, OUTAGES)
    elif unfinished_works.filter(_WENT_DOWN).update(**start_fields, n_outages=F("n_outages") + 1):
        work.refresh_from_db()
        return True
    elif unfinished_works.filter(attempts__gte=MAX_ATTEMPTS).exists():
        _fail(work, "worn-out", WORN_OUT)
    is_begun = unfinished_works.update(**start_fields, attempts=F("attempts") + 1) == 1
    work.refresh_from_db()
    return is_begun


def _fail(work: Work, code: str, message: str) -> None:
    """Finish work of any kind as failed, with the advice of its kind."""
    message = f"{message} {KINDS[work.kind].advice}".strip()
    finish(work=work, state=Work.State.FAILED, code=code, message=message)


@transaction.atomic
def finish(
    *, work: Work, state: Work.State = Work.State.DONE, code: str = "", message: str = ""
) -> bool:
    """Store how work ended, once; False if it had ended before.

    A kind may call it in the transaction that stores its outcome, at its very end: until that is
    committed, nobody else can write to the work's row.
    """
    error = {"error_code": code, "error_data": {"message": message} if message else {}}
    unfinished_works = Work.objects.unfinished().filter(pk=work.pk)
    if not unfinished_works.update(state=state, finished_at=ClockTimestamp(), **error):
        return False
    work.refresh_from_db()
    KINDS[work.kind].on_finished(work)
    _announce_end(work)
    transaction.on_commit(partial(progress.forget, job=job_of(work)))
    log.info("%s of %s is %s %s", work, work.collection, state, message)
    return True


def _announce_end(work: Work) -> None:
    """Tell webhooks of it, unless leads do not read of it, or it is hidden from some of them."""
    kind = KINDS[work.kind]
    if Role.LEAD in kind.readers and not kind.is_hidden(work, AnonymousUser()):
        facts = {
            "job": work.pk,
            "kind": work.kind,
            "state": work.state,
            "url": outbox.api_url("job", work.pk),
        }
        outbox.announce(collection=work.collection, event=HookEvent.JOB_ENDED, data=facts)


def reset_attempts(*, work: Work) -> None:
    """Count deaths anew, within the transaction that stores a stretch of work.

    The attempt under way is then the first: the work fails after three deaths with no stretch
    between them, however often workers are restarted in the course of it.
    """
    Work.objects.filter(pk=work.pk, state=Work.State.RUNNING).update(attempts=1, n_outages=0)


@transaction.atomic
def ask_again(*, work: Work) -> bool:
    """Ask once more for work that failed, perhaps half done; False if it had not failed.

    The caller has made sure that no other such work about the subject is unfinished.
    """
    reset_fields = {
        "state": Work.State.ASKED,
        "asked_at": ClockTimestamp(),
        "attempts": 0,
        "n_outages": 0,
        "error_code": "",
        "error_data": {},
        "begun_at": None,
        "finished_at": None,
        "cancel_asked_at": None,
        "cancelled_by": None,
    }
    if not Work.objects.filter(pk=work.pk, state=Work.State.FAILED).update(**reset_fields):
        return False
    work.refresh_from_db()
    work_requested.send(sender=Work, work_id=work.pk)
    return True


def cancel(*, work: Work, by: User | None) -> None:
    """Stop work: at once if no worker is at it, else at its next block of rows.

    Finished work stays as it is, and so does work that can no longer be taken back.
    """
    uncancelled = Work.objects.unfinished().filter(pk=work.pk, cancel_asked_at=None)
    uncancelled.update(cancel_asked_at=ClockTimestamp(), cancelled_by=by)
    with try_lock_subject(KINDS[work.kind].subject, work.subject) as has_lock:
        if has_lock and may_cancel(work=work):
            finish(work=work, state=Work.State.CANCELLED)
    work.refresh_from_db()


def overdue() -> list[int]:
    """Return the keys of work asked for or begun a while ago and unfinished, even if under way."""
    until = Now() - OVERDUE_AFTER
    long_ago = Now() - LONGER_PAUSE
    is_late = Q(begun_at__lt=until, n_outages__lt=PAUSED_AFTER) | Q(begun_at__lt=long_ago)
    unfinished_works = Work.objects.unfinished().filter(
        Q(begun_at=None, asked_at__lt=until) | is_late
    )
    return list(unfinished_works.filter(kind__in=KINDS).order_by("pk").values_list("pk", flat=True))


def progress_callback(work: Work, *, can_be_undone: bool = True) -> ProgressCallback:
    """Return the callback for a kind's `do`; it raises Cancelled once somebody asked to stop.

    can_be_undone : False once the work done can no longer be taken back
    """

    def report(n_done: int, total: int | None = None, unit: str = "rows") -> None:
        is_cancelled = partial(is_cancelling, work=work) if can_be_undone else None
        progress.advance(
            job=job_of(work), n_done=n_done, total=total, unit=unit, is_cancelled=is_cancelled
        )

    return report


def is_cancelling(*, work: Work) -> bool:
    """True if somebody asked the work to stop."""
    return Work.objects.filter(pk=work.pk, cancel_asked_at__isnull=False).exists()


def may_cancel(*, work: Work) -> bool:
    """True if the part done so far can be taken back."""
    return KINDS[work.kind].may_cancel(work)


def work_status(*, work: Work) -> JobStatus:
    """Return the status of unfinished work for a page; cancellations too late are not shown."""
    last_progress = progress.progress_of(job=job_of(work))
    is_heard = work.cancel_asked_at is not None and may_cancel(work=work)
    return JobStatus(last_progress, is_heard, worker_is_missing(queue="long"))


def job_of(work: Work) -> Job:
    """Return the job under which the work's progress is kept."""
    return Job(work.kind, work.pk)


def is_outage(error: Exception) -> bool:
    """True if one of FAILURES is the fault of the database, Redis or the disk."""
    if isinstance(error, OSError):
        return error.errno in _OUTAGE_ERRNOS
    state = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_OUTAGE_STATES)


def _give_back(work: Work) -> None:
    """Take back the count of an attempt that an outage ended, once the database is there again."""
    until = time.monotonic() + OUTAGE_SECONDS
    ours = Work.objects.filter(
        pk=work.pk, state=Work.State.RUNNING, begun_at=work.begun_at, attempts__gte=1
    )
    while True:
        try:
            connection.close_if_unusable_or_obsolete()
            ours.update(attempts=F("attempts") - 1, n_outages=F("n_outages") + 1)
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > until:
                log.warning(
                    "%s: an attempt ended by an outage could not be given back: %s", work, error
                )
                return
            time.sleep(1)
        else:
            return
