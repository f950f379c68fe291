"""Deletion of runs that no pool was made of; others can be retired instead."""

import logging
import shlex

from django.db import transaction

from annotate.core.consequences import require_told
from annotate.models import Membership, Role, User, Work
from annotate.services.background.workers import try_lock
from annotate.services.collection.lifecycle import purging
from annotate.services.seating import note_changes
from annotate.services.storage.files import delete_on_commit
from pooling.models import Run

log = logging.getLogger(__name__)


class MayNotDelete(Exception):
    """Only who uploaded a run, a lead and site admins may delete it; nothing was deleted."""


class RunUndeletable(Exception):
    """A pool was made of the run, or it is being read; nothing was deleted."""


def delete_run(*, run: Run, by: User | None, expected: int | None = None) -> None:
    """Delete a run with its file, rankings, matrix, scores and events.

    Raises RunUndeletable, MayNotDelete, NotOwner, CountChanged.

    expected : number of rankings that was told, no more than which may go
    """
    if not may_delete(run=run, by=by):
        raise MayNotDelete(
            "Only who uploaded a run, or leads the collection, may delete it; anybody can retire "
            "it."
        )
    with try_lock(run) as is_ours:
        if not is_ours:
            raise RunUndeletable(
                f'Run "{run}" is being read at this moment; try again once that has ended.'
            )
        _delete(run, by, expected)


def may_delete(*, run: Run, by: User | None) -> bool:
    """True if a person may delete a run that is in no pool; None is the operator."""
    if by is None or by.is_superuser or run.uploaded_by_id in (None, by.pk):
        return True
    return Membership.objects.filter(user=by, collection=run.collection_id, role=Role.LEAD).exists()


@transaction.atomic
def _delete(run: Run, by: User | None, expected: int | None) -> None:
    locked_run = Run.objects.select_for_update().get(pk=run.pk)
    if locked_run.state == Run.State.RECEIVED:
        raise RunUndeletable(f'Run "{run}" waits to be read; cancel that first.')
    if pools := ", ".join(locked_run.pools.order_by("pk").values_list("name", flat=True)):
        raise RunUndeletable(f'Run "{run}" is in a pool ({pools}), so it stays; it can be retired.')
    require_told(locked_run.rankings.count(), expected=expected, noun="ranking")
    if locked_run.events.exists():
        command = f"delete_run {locked_run.collection.slug} {shlex.quote(locked_run.name)}"
        purging.allow_deleting(name=f"run {locked_run.pk}", command=command)
        # the ORM would look for rows that refer to them
        locked_run.events.all()._raw_delete(using="default")
        purging.forbid_deleting()
    was_ready = locked_run.state == Run.State.READY
    key = locked_run.pk
    locked_run.delete()  # the matrix's file goes with the next sweep
    Work.objects.filter(kind__in=Run.ReadingKind.values, subject=key).delete()
    if file_name := locked_run.file.name:
        delete_on_commit(file_name)
    if was_ready:
        note_changes(collection_id=locked_run.collection_id, pair_ids=[None])
    log.info("%s deleted the run %s of %s", by, run, run.collection)
