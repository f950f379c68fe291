"""Work: what somebody asked for and waits for, done by a worker, one machine for every kind of it.

A kind is a function with @performs: it does the work, tells how far it is, and may write the end in its own
transaction, with `finish`, so that what was done and that it is done are stored together. The rest is here: a worker
alone with it, attempts that are counted before anything is done, the end written once, outages that count for nothing.

    ask -> a row, and on commit a message -> perform -> finish
    cancel: at once where nobody is at it, else at its next block of rows
    went_on: a stretch of it is stored, and deaths are counted from there; ask_again: what has failed is begun anew
    overdue: what the sweep hands to the next worker, for the broker may have lost it, or the worker died
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
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import BooleanField, F, Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from redis.exceptions import RedisError

from annotate.models import ClockTimestamp, Collection, User, Work
from annotate.services.background import progress
from annotate.services.background.progress import Cancelled, Job, Standing, Tell
from annotate.services.background.workers import LOCKS, alone_at, worker_is_missing
from annotate.signals import work_asked

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
OUTAGE = "outages"  # the code of what so many of them ended
MOST_OUTAGES = 1_000  # over half a day; a job that brings the database down each time must come to an end too
OVERDUE_AFTER = timedelta(seconds=20)
PAUSED_AFTER, LONGER_PAUSE = 10, timedelta(seconds=60)  # outages, and how long it rests after so many
OUTAGE_SECONDS = 900  # so long a worker waits for the database, to give an attempt back
_OUTAGE_ERRNOS = {
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ESTALE,
    errno.ETIMEDOUT, errno.ECONNRESET, errno.ECONNREFUSED, errno.EHOSTUNREACH,
}  # fmt: skip
# Of what PostgreSQL says, outages are: lost connections, no disk, memory or connections left, shutdowns, a broken disk,
# and what passes by itself: deadlocks, conflicts, locks that somebody else held.
_OUTAGE_STATES = ("08", "53100", "53200", "53300", "57P", "58", "40", "55P03")
# Of the driver's own too: Django wraps none that comes in the midst of a COPY.
FAILURES = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError, RedisError, OSError)
_WENT_DOWN = RawSQL(
    "state = 'running' AND begun_at < pg_postmaster_start_time()", (), output_field=BooleanField()
)
WORN_OUT = f"This was begun {MAX_ATTEMPTS} times and never came to its end; the worker's log says why."
OUTAGES = f"Outages of the database, Redis or the disk ended this {MOST_OUTAGES} times; the worker's log says which."
TOO_LONG = "This took longer than any work may, an hour."


class Failed(Exception):
    """Work cannot be done, however often it is begun; a code that tells why, and what people are told."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Kind(NamedTuple):
    """A kind of work.

    subject : what it is about, as in workers.LOCKS: nobody is at two works about one run at once
    do : does it, and may be begun again after it was killed; raises Failed, or lets Cancelled pass
    on_finished : what else its end changes, in the transaction that writes it
    may_cancel : whether what was done of it so far can be taken back; asked where nobody is at it. What cannot is
        stored stretch by stretch, with `went_on`, and may take as long as it likes
    advice : what is said to people after it was begun three times or took too long: what they can do
    """

    subject: str
    do: Callable[[Work], None]
    on_finished: Callable[[Work], None]
    may_cancel: Callable[[Work], bool]
    advice: str


def never(work: Work) -> bool:
    """For a kind of work that nobody can cancel."""
    return False


KINDS: dict[str, Kind] = {}


def performs(
    name: str,
    *,
    subject: str,
    on_finished: Callable[[Work], None] = lambda work: None,
    may_cancel: Callable[[Work], bool] = lambda work: True,
    advice: str = "",
) -> Callable[[Callable[[Work], None]], Callable[[Work], None]]:
    """Have a function do all work of a kind; see Kind."""
    if subject not in LOCKS:
        raise ValueError(f"workers.LOCKS has no {subject!r}; it has {', '.join(LOCKS)}.")

    def register(do: Callable[[Work], None]) -> Callable[[Work], None]:
        KINDS[name] = Kind(subject, do, on_finished, may_cancel, advice)
        return do

    return register


@transaction.atomic
def ask(*, kind: str, collection: Collection, subject: int, by: User | None, is_done_here: bool = False) -> Work:
    """Have work done in the background, or by the caller, who is to call `perform` once this is committed.

    The caller has seen, behind a lock on the subject, that no such work is unfinished.
    """
    work = Work.objects.create(kind=kind, collection=collection, subject=subject, by=by)
    if not is_done_here:
        work_asked.send(sender=Work, work_id=work.pk)
    return work


def perform(*, work: Work) -> None:
    """Do work: done with all of it, or failed or cancelled, as its kind says.

    Safe to run twice, also at once: who comes second finds it taken or finished. A worker that dies leaves it to the
    next one; after MAX_ATTEMPTS such deaths it has failed. Outages count for nothing, until there were MOST_OUTAGES.
    """
    with alone_at(KINDS[work.kind].subject, work.subject) as is_ours:
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
            raise  # the next worker goes on with the stretch that was lost
        _fail(work, "too-long", TOO_LONG)


@transaction.atomic
def _begin(work: Work) -> bool:
    """Count an attempt, committed before any work, so that one which kills its worker is counted too.

    An attempt that went down together with the database is none: nobody was left to give it back.
    """
    waiting = Work.objects.unfinished().filter(pk=work.pk)
    begun = {"state": Work.State.RUNNING, "begun_at": ClockTimestamp()}
    if waiting.filter(n_outages__gte=MOST_OUTAGES).exists():
        _fail(work, OUTAGE, OUTAGES)
    elif waiting.filter(_WENT_DOWN).update(**begun, n_outages=F("n_outages") + 1):
        work.refresh_from_db()
        return True
    elif waiting.filter(attempts__gte=MAX_ATTEMPTS).exists():
        _fail(work, "worn-out", WORN_OUT)
    is_begun = waiting.update(**begun, attempts=F("attempts") + 1) == 1
    work.refresh_from_db()
    return is_begun


def _fail(work: Work, code: str, message: str) -> None:
    """What may happen to work of every kind."""
    message = f"{message} {KINDS[work.kind].advice}".strip()
    finish(work=work, state=Work.State.FAILED, code=code, message=message)


@transaction.atomic
def finish(*, work: Work, state: Work.State = Work.State.DONE, code: str = "", message: str = "") -> bool:
    """Write down how work ended, once; whether it was this that ended it.

    A kind may call it in the transaction that stores what it did, at its very end: until that is committed, nobody
    else can write to the work's row.
    """
    error = {"error_code": code, "error_data": {"message": message} if message else {}}
    waiting = Work.objects.unfinished().filter(pk=work.pk)
    if not waiting.update(state=state, finished_at=ClockTimestamp(), **error):
        return False
    work.refresh_from_db()
    KINDS[work.kind].on_finished(work)
    transaction.on_commit(partial(progress.forget, job=job_of(work)))
    log.info("%s of %s is %s %s", work, work.collection, state, message)
    return True


def went_on(*, work: Work) -> None:
    """Count deaths anew, within the transaction that stores a stretch of work: it came further.

    The attempt under way is then the first: three deaths end the work that have no stretch between them, however often
    workers are restarted in the course of it.
    """
    Work.objects.filter(pk=work.pk, state=Work.State.RUNNING).update(attempts=1, n_outages=0)


@transaction.atomic
def ask_again(*, work: Work) -> bool:
    """Have work that failed begun anew; whether it had.

    For what stands half done. The caller has seen that no other such work about the subject is unfinished.
    """
    anew = {
        "state": Work.State.ASKED, "asked_at": ClockTimestamp(), "attempts": 0, "n_outages": 0, "error_code": "",
        "error_data": {}, "begun_at": None, "finished_at": None, "cancel_asked_at": None, "cancelled_by": None,
    }  # fmt: skip
    if not Work.objects.filter(pk=work.pk, state=Work.State.FAILED).update(**anew):
        return False
    work.refresh_from_db()
    work_asked.send(sender=Work, work_id=work.pk)
    return True


def cancel(*, work: Work, by: User | None) -> None:
    """Stop work: at once if nobody is at it, else at its next block of rows.

    What is finished stays as it is, and so does what can no longer be taken back.
    """
    wish = Work.objects.unfinished().filter(pk=work.pk, cancel_asked_at=None)
    wish.update(cancel_asked_at=ClockTimestamp(), cancelled_by=by)
    with alone_at(KINDS[work.kind].subject, work.subject) as is_ours:
        if is_ours and may_cancel(work=work):
            finish(work=work, state=Work.State.CANCELLED)
    work.refresh_from_db()


def overdue() -> list[int]:
    """What was asked for, or begun, a while ago, and is not finished; that somebody is at it, `perform` finds out."""
    until = Now() - OVERDUE_AFTER
    paused = Now() - LONGER_PAUSE
    begun = Q(begun_at__lt=until, n_outages__lt=PAUSED_AFTER) | Q(begun_at__lt=paused)
    waiting = Work.objects.unfinished().filter(Q(begun_at=None, asked_at__lt=until) | begun)
    return list(waiting.filter(kind__in=KINDS).order_by("pk").values_list("pk", flat=True))


def teller(work: Work, *, can_be_undone: bool = True) -> Tell:
    """How a kind's `do` tells how far it is; raises Cancelled once somebody asked it to stop.

    can_be_undone : False from where what is done cannot be taken back
    """

    def tell(done: int, total: int | None = None, unit: str = "rows") -> None:
        is_cancelled = partial(is_cancelling, work=work) if can_be_undone else None
        progress.advance(job=job_of(work), done=done, total=total, unit=unit, is_cancelled=is_cancelled)

    return tell


def is_cancelling(*, work: Work) -> bool:
    """Whether somebody asked it to stop."""
    return Work.objects.filter(pk=work.pk, cancel_asked_at__isnull=False).exists()


def may_cancel(*, work: Work) -> bool:
    """Whether what was done of it so far can be taken back."""
    return KINDS[work.kind].may_cancel(work)


def standing(*, work: Work) -> Standing:
    """What a page says of work that is not finished; a wish to cancel that came too late is not heard, nor told."""
    known = progress.progress_of(job=job_of(work))
    is_heard = work.cancel_asked_at is not None and may_cancel(work=work)
    return Standing(known, is_heard, worker_is_missing(queue="long"))


def job_of(work: Work) -> Job:
    """The work as its progress is known by."""
    return Job(work.kind, work.pk)


def is_outage(error: Exception) -> bool:
    """Whether one of FAILURES is that of the database, of Redis or of the disk, and not of what was to be done."""
    if isinstance(error, OSError):
        return error.errno in _OUTAGE_ERRNOS
    state = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_OUTAGE_STATES)


def _give_back(work: Work) -> None:
    """Count an attempt that an outage ended for none, once the database is there again."""
    until = time.monotonic() + OUTAGE_SECONDS
    ours = Work.objects.filter(pk=work.pk, state=Work.State.RUNNING, begun_at=work.begun_at, attempts__gte=1)
    while True:
        try:
            connection.close_if_unusable_or_obsolete()
            ours.update(attempts=F("attempts") - 1, n_outages=F("n_outages") + 1)
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > until:
                log.warning("%s: an attempt ended by an outage could not be given back: %s", work, error)
                return
            time.sleep(1)
        else:
            return
