"""The readings of runs as work: requests for them, and repeats that are due."""

from django.contrib.auth.models import AnonymousUser

from annotate.models import User, Work
from annotate.services.background import works
from pooling.models import Run


class NotBeingRead(Exception):
    """The run's file is not being read for the first time; nothing was changed."""


def is_hidden(work: Work, person: User | AnonymousUser) -> bool:
    """True if the run of a reading is hidden from a person."""
    return not Run.objects.visible_to(person).filter(pk=work.subject).exists()


def request_reading(
    *, run: Run, kind: Run.ReadingKind, by: User | None, is_done_here: bool = False
) -> None:
    """Have a run read, by a worker or by the caller.

    Call it with a lock on the run, which must not be being read.
    """
    work = works.ask(
        kind=kind, collection=run.collection, subject=run.pk, by=by, is_done_here=is_done_here
    )
    Run.objects.filter(pk=run.pk).update(work=work)
    run.work = work


def cancel_reading(*, run: Run, by: User | None) -> None:
    """Stop the reading of a received file: at once, or when its worker next looks.

    Raises NotBeingRead once it has ended.
    """
    if run.work is None or run.state != Run.State.RECEIVED:
        raise NotBeingRead("The file was read before this could stop it.")
    works.cancel(work=run.work, by=by)
    run.refresh_from_db()


def read_again_if_due(*, run_id: int) -> None:
    """Have a ready run read once more if items joined since its last reading began.

    Call it where that ends.
    """
    # The row is the lock: noting that items joined looks for a reading under way behind it, too.
    run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
    if run.state == Run.State.READY and run.reading_due_at is not None:
        request_reading(run=run, kind=Run.ReadingKind.REREADING, by=None)
