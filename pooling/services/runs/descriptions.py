"""Names and descriptions of runs, hiding and publishing them.

Every change is a RunEvent: what, who, when.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from annotate.models import User
from annotate.services.collection.lifecycle.archive import lock_unarchived
from annotate.services.seating import note_changes
from pooling.models import Run, RunEvent
from pooling.services.runs import readings
from pooling.services.runs.matrix_storage import forget_matrix
from pooling.services.runs.runs import RunExists, check_name


class RunInUse(Exception):
    """The run is part of a pool, so it cannot be hidden or read anew; nothing was changed."""


class NotUploader(Exception):
    """Only who uploaded a run, or a site admin, may hide it; nothing was changed."""


class RunDescription(NamedTuple):
    """Name and description of a run by people. `paper` is an address: see core.files.papers."""

    name: str
    system: str = ""
    team: str = ""
    paper: str = ""
    tags: Sequence[str] = ()
    description: str = ""


def description_of(run: Run) -> RunDescription:
    """The present description of a run."""
    return RunDescription(
        run.name, run.system, run.team, run.paper, tuple(run.tags), run.description
    )


@transaction.atomic
def describe_run(*, run: Run, description: RunDescription, by: User | None) -> list[RunEvent]:
    """Rename and describe a run; returns the events of changes, if any.

    Raises BadName or RunExists.
    """
    locked_run = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    old_description = description_of(locked_run)
    description = description._replace(name=description.name.strip(), tags=tuple(description.tags))
    events = []
    if description.name != old_description.name:
        check_name(description.name)
        _require_free_name(locked_run, description.name, is_hidden=locked_run.is_hidden)
        events.append(
            _event(locked_run, RunEvent.Kind.RENAMED, by, f"before: {old_description.name}")
        )
    if changed_fields := [
        field
        for field in RunDescription._fields[1:]
        if getattr(description, field) != getattr(old_description, field)
    ]:
        events.append(_event(locked_run, RunEvent.Kind.DESCRIBED, by, ", ".join(changed_fields)))
    if events:
        _save(locked_run, **description._asdict() | {"tags": list(description.tags)})
    run.refresh_from_db()
    return events


@transaction.atomic
def hide_run(*, run: Run, by: User) -> None:
    """Hide a run from all but its uploader and site admins. Raises NotUploader, RunInUse."""
    locked_run = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if not by.is_superuser and locked_run.uploaded_by_id != by.pk:
        raise NotUploader("Only who uploaded a run may hide it.")
    if locked_run.pools.exists():
        raise RunInUse(
            f'Run "{run}" is part of a pool: its pairs are asked about, so it stays published.'
        )
    if not locked_run.is_hidden:
        _require_free_name(locked_run, locked_run.name, is_hidden=True)
        _save(locked_run, is_hidden=True)
        _event(locked_run, RunEvent.Kind.HIDDEN, by)
    run.refresh_from_db()


@transaction.atomic
def publish_run(*, run: Run, by: User | None) -> None:
    """Show a run to all leads and researchers of its collection. Raises RunExists."""
    locked_run = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if locked_run.is_hidden:
        _require_free_name(locked_run, locked_run.name, is_hidden=False)
        _save(locked_run, is_hidden=False)
        _event(locked_run, RunEvent.Kind.PUBLISHED, by)
    run.refresh_from_db()


@transaction.atomic
def reread_run(*, run: Run, score_type: str, by: User | None) -> None:
    """Forget a run's rankings and have its kept file read again, ordered by another column.

    Raises RunInUse, CollectionArchived. Refused once a pool was made of it: its pairs came from the
    order as it was.
    """
    lock_unarchived(collection_id=run.collection_id)
    locked_run = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if locked_run.pools.exists():
        raise RunInUse(
            f'Run "{run}" is part of a pool, whose pairs came from the present order; upload the '
            "file again under another name."
        )
    if locked_run.state == Run.State.READY and locked_run.is_being_read:
        raise RunInUse(f'Run "{run}" is being read again already; try once more when it is done.')
    if not locked_run.file:
        raise RunInUse(
            f'The file of run "{run}" was kept for a while only, as it was rejected; upload it '
            "again."
        )
    if locked_run.state != Run.State.RECEIVED:
        _event(
            locked_run, RunEvent.Kind.REREAD, by, f"before: {locked_run.get_score_type_display()}"
        )
        locked_run.rankings.all().delete()
        forget_matrix(run=locked_run)
        _save(
            locked_run,
            state=Run.State.RECEIVED,
            finished_at=None,
            report={},
            score_type=Run.ScoreType(score_type),
        )
        readings.request_reading(run=locked_run, kind=Run.ReadingKind.READING, by=by)
        note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()


def _require_free_name(run: Run, name: str, *, is_hidden: bool) -> None:
    """Raise RunExists if a published run, or a hidden one of the same uploader, has the name."""
    same_name = Run.objects.filter(collection=run.collection_id, name=name).exclude(pk=run.pk)
    same_name = same_name.filter(is_hidden=False) | same_name.filter(
        is_hidden=True, uploaded_by=run.uploaded_by_id
    )
    if same_name.exists():
        raise RunExists(f'Run "{name}" already exists in this collection; choose another name.')


def _save(run: Run, **fields: object) -> None:
    try:
        with transaction.atomic():
            Run.objects.filter(pk=run.pk).update(**fields)
    except IntegrityError as error:  # somebody took the name in this moment
        raise RunExists("This name was taken a moment ago; choose another name.") from error


def _event(run: Run, kind: RunEvent.Kind, by: User | None, note: str = "") -> RunEvent:
    return RunEvent.objects.create(run=run, kind=kind, by=by, note=note[:400])
