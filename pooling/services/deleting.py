"""Runs that nothing rests on can be deleted. One that a pool was made of is retired instead."""

import logging
import shlex

from django.db import transaction

from annotate.models import Membership, Role, User, Work
from annotate.services import purging
from annotate.services.background.workers import alone_with
from annotate.services.files import delete_on_commit
from annotate.services.seating import note_changes
from pooling.models import Run

log = logging.getLogger(__name__)


class NotYours(Exception):
    """Only who uploaded a run, a lead and site admins may delete it; nothing was deleted."""


class RunRests(Exception):
    """Something rests on the run, or somebody is at it; nothing was deleted."""


def delete_run(*, run: Run, by: User | None) -> None:
    """Delete a run with its file, rankings, matrix, scores and events. Raises RunRests, NotYours, NotOwner."""
    if not may_delete(run=run, by=by):
        raise NotYours("Only who uploaded a run, or leads the collection, may delete it; anybody can retire it.")
    with alone_with(run) as is_ours:
        if not is_ours:
            raise RunRests(f'Run "{run}" is being read at this moment; try again once that has ended.')
        _delete(run, by)


def may_delete(*, run: Run, by: User | None) -> bool:
    """Whether somebody may delete a run that nothing rests on; None is the operator."""
    if by is None or by.is_superuser or run.uploaded_by_id in (None, by.pk):
        return True
    return Membership.objects.filter(user=by, collection=run.collection_id, role=Role.LEAD).exists()


@transaction.atomic
def _delete(run: Run, by: User | None) -> None:
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if locked.state == Run.State.RECEIVED:
        raise RunRests(f'Run "{run}" waits to be read; cancel that first.')
    if pools := ", ".join(locked.pools.order_by("pk").values_list("name", flat=True)):
        raise RunRests(f'Run "{run}" is in a pool ({pools}), so it stays; it can be retired.')
    if locked.events.exists():
        command = f"delete_run {locked.collection.slug} {shlex.quote(locked.name)}"
        purging.unlock(name=f"run {locked.pk}", command=command)
        locked.events.all()._raw_delete(using="default")  # the ORM would look for what hangs on them
        purging.lock_again()
    was_ready = locked.state == Run.State.READY
    key = locked.pk
    locked.delete()  # the matrix's file goes with the next sweep
    Work.objects.filter(kind__in=Run.WorkKind.values, subject=key).delete()
    if locked.file:
        delete_on_commit(locked.file.name)
    if was_ready:
        note_changes(collection_id=locked.collection_id, pair_ids=[None])
    log.info("%s deleted the run %s of %s", by, run, run.collection)
