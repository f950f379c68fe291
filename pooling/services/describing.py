"""What people say of a run, and who may know of it. Every change is a RunEvent: what, who, when."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from annotate.models import User
from annotate.services.seating import note_changes
from pooling.models import Run, RunEvent
from pooling.services import readings
from pooling.services.matrix_storage import forget_matrix
from pooling.services.runs import RunExists, check_name


class RunInUse(Exception):
    """The run's pairs are asked about, so it can no longer be hidden or read anew; nothing was changed."""


class NotYours(Exception):
    """Only who uploaded a run, or a site admin, may hide it; nothing was changed."""


class Description(NamedTuple):
    """All that people say of a run. `paper` is an address; see pooling.core.papers."""

    name: str
    system: str = ""
    team: str = ""
    paper: str = ""
    tags: Sequence[str] = ()
    description: str = ""


def description_of(run: Run) -> Description:
    """What is said of a run now."""
    return Description(run.name, run.system, run.team, run.paper, tuple(run.tags), run.description)


@transaction.atomic
def describe_run(*, run: Run, said: Description, by: User | None) -> list[RunEvent]:
    """Rename and describe a run; returns what changed, nothing where nothing did. Raises BadName or RunExists."""
    locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    before = description_of(locked)
    said = said._replace(name=said.name.strip(), tags=tuple(said.tags))
    events = []
    if said.name != before.name:
        check_name(said.name)
        _refuse_taken(locked, said.name, is_hidden=locked.is_hidden)
        events.append(_event(locked, RunEvent.Kind.RENAMED, by, f"before: {before.name}"))
    if changed := [field for field in Description._fields[1:] if getattr(said, field) != getattr(before, field)]:
        events.append(_event(locked, RunEvent.Kind.DESCRIBED, by, ", ".join(changed)))
    if events:
        _save(locked, **said._asdict() | {"tags": list(said.tags)})
    run.refresh_from_db()
    return events


@transaction.atomic
def hide_run(*, run: Run, by: User) -> None:
    """Let nobody but who uploaded it, and site admins, know of a run. Raises NotYours, RunInUse."""
    locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if not by.is_superuser and locked.uploaded_by_id != by.pk:
        raise NotYours("Only who uploaded a run may hide it.")
    if locked.pools.exists():
        raise RunInUse(f'Run "{run}" is part of a pool: its pairs are asked about, so it stays published.')
    if not locked.is_hidden:
        _refuse_taken(locked, locked.name, is_hidden=True)
        _save(locked, is_hidden=True)
        _event(locked, RunEvent.Kind.HIDDEN, by)
    run.refresh_from_db()


@transaction.atomic
def publish_run(*, run: Run, by: User | None) -> None:
    """Let everybody who leads or researches in the collection know of a run. Raises RunExists."""
    locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if locked.is_hidden:
        _refuse_taken(locked, locked.name, is_hidden=False)
        _save(locked, is_hidden=False)
        _event(locked, RunEvent.Kind.PUBLISHED, by)
    run.refresh_from_db()


@transaction.atomic
def reread_run(*, run: Run, score_type: str, by: User | None) -> None:
    """Forget a run's rankings and have its kept file read again, ordered by another column. Raises RunInUse.

    Not once a pool was made of it: what people were asked came from the order as it was.
    """
    locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if locked.pools.exists():
        raise RunInUse(f'Run "{run}" is part of a pool, whose pairs came from the present order; upload the file again '
                       "under another name.")  # fmt: skip
    if locked.state == Run.State.READY and locked.is_being_read:
        raise RunInUse(f'Run "{run}" is being read again already; try once more when it is done.')
    if not locked.file:
        raise RunInUse(f'The file of run "{run}" was kept for a while only, as it was rejected; upload it again.')
    if locked.state != Run.State.RECEIVED:
        _event(locked, RunEvent.Kind.REREAD, by, f"before: {locked.get_score_type_display()}")
        locked.rankings.all().delete()
        forget_matrix(run=locked)
        _save(locked, state=Run.State.RECEIVED, finished_at=None, report={}, score_type=Run.ScoreType(score_type))
        readings.ask(run=locked, kind=Run.WorkKind.READING, by=by)
        note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()


def _refuse_taken(run: Run, name: str, *, is_hidden: bool) -> None:
    """A name is taken among those that can be seen: the published runs, and the uploader's own hidden ones."""
    others = Run.objects.filter(collection=run.collection_id, name=name).exclude(pk=run.pk)
    others = others.filter(is_hidden=False) | others.filter(is_hidden=True, uploaded_by=run.uploaded_by_id)
    if others.exists():
        raise RunExists(f'Run "{name}" already exists in this collection; choose another name.')


def _save(run: Run, **fields: object) -> None:
    try:
        with transaction.atomic():
            Run.objects.filter(pk=run.pk).update(**fields)
    except IntegrityError as error:  # somebody took the name in this moment
        raise RunExists("This name was taken a moment ago; choose another name.") from error


def _event(run: Run, kind: RunEvent.Kind, by: User | None, note: str = "") -> RunEvent:
    return RunEvent.objects.create(run=run, kind=kind, by=by, note=note[:400])
