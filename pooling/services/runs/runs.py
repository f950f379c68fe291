"""Runs: received as files, read in the background, stored as rankings, all or nothing."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from django.core.files import File
from django.db import transaction
from django.db.models.functions import Now

from annotate.access import LEADERS
from annotate.core.files.formats import FormatError, Problems, id_fault
from annotate.models import Collection, Direction, User, Work
from annotate.services.background import progress, works
from annotate.services.collection.lifecycle.archive import lock_unarchived
from annotate.services.storage.files import delete_on_commit
from pooling.core.files.binary.matrices import MatrixBlock, discard
from pooling.core.files.binary.matrix_files import MatrixTooLarge
from pooling.core.files.run_files import read_parts
from pooling.core.files.spool import ScatteredQueries, spooled_queries, whole_queries
from pooling.core.files.text.runs import ReadRun
from pooling.models import Run, RunRows
from pooling.services.runs import holds, matrix_storage, readings
from pooling.services.runs.reports import RunReport, StoredFault, stored_fault
from pooling.services.runs.storage import store_rankings

# makes batches of whole queries of the rows in the file's order
Batching = Callable[[Iterator[ReadRun]], Iterator[ReadRun]]
Result = TypeVar("Result")
MAX_NAME = 80
MEGABYTE = 1_000_000
CANCELLED = (
    "Reading was cancelled, and nothing of the file is stored; upload it again to have it read."
)


class RunExists(Exception):
    """The collection already has a run of this name with other content; nothing was stored."""


class BadName(Exception):
    """The name cannot be a run's; nothing was stored."""


class ReceivedRun(NamedTuple):
    """A received run, and whether anything changed: False for the same file and name again."""

    run: Run
    is_new: bool


def receive_run(
    *,
    collection: Collection,
    name: str,
    direction: str,
    upload: File,
    system: str = "",
    team: str = "",
    paper: str = "",
    tags: Sequence[str] = (),
    description: str = "",
    is_hidden: bool = False,
    may_be_published: bool = False,
    score_type: str = Run.ScoreType.FLOAT32,
    columns: Mapping[str, int] | None = None,
    by: User | None = None,
    is_done_here: bool = False,
) -> ReceivedRun:
    """Keep an uploaded run file, to be read in the background.

    columns : of a table without a header; see `read_parts`
    is_done_here : the caller will call `read_here`

    The same file again under the same name changes nothing; a rejected run gives its name to the
    next file. Raises BadName, CollectionArchived, or RunExists for a name
    taken by another file.
    """
    name = name.strip()
    check_name(name)
    digest = hashlib.sha256()
    for chunk in upload.chunks():
        digest.update(chunk)
    run = Run(
        collection=collection,
        name=name,
        direction=Direction(direction),
        system=system,
        team=team,
        paper=paper,
        tags=list(tags),
        description=description,
        is_hidden=is_hidden,
        may_be_published=may_be_published,
        file_name=PurePath(upload.name or "run").name[-255:],
        sha256=digest.hexdigest(),
        score_type=Run.ScoreType(score_type),
        columns=dict(columns or {}),
        uploaded_by=by,
    )
    return _store(run, upload, is_done_here=is_done_here)


@transaction.atomic
def receive_runs(
    *, collection: Collection, uploads: Sequence[tuple[str, File]], by: User, **description: Any
) -> list[ReceivedRun]:
    """Keep several run files by their names, all of them or none, each as `receive_run` does."""
    return [
        receive_run(collection=collection, name=name, upload=upload, by=by, **description)
        for name, upload in uploads
    ]


def check_name(name: str) -> None:
    """Raise BadName unless a run, or a pool, can have this name; files and pages show it."""
    if not name or len(name) > MAX_NAME:
        raise BadName(f"A name has 1 to {MAX_NAME} characters.")
    if fault := id_fault(name.replace(" ", "_")):
        raise BadName(f"The name {fault}.")


@transaction.atomic
def _store(run: Run, upload: File, *, is_done_here: bool) -> ReceivedRun:
    # The collection's row is the lock: of two uploads under one name the second sees the first.
    lock_unarchived(collection_id=run.collection_id)
    # Its own row is locked too: in this moment somebody may have the rejected file read anew.
    same_name = Run.objects.filter(collection=run.collection_id, name=run.name).visible_to(
        run.uploaded_by
    )
    existing_run = same_name.select_for_update(no_key=True).first()
    if existing_run is not None:
        is_same = all(
            getattr(existing_run, field) == getattr(run, field)
            for field in ("sha256", "direction", "score_type", "columns")
        )
        # A rejected run may be read again, even from the same file: its items may be here by now.
        if existing_run.state != Run.State.REJECTED and is_same:
            return ReceivedRun(existing_run, is_new=False)
        if existing_run.state != Run.State.REJECTED:
            raise RunExists(
                f'Run "{run.name}" already exists in this collection; choose another name.'
            )
        run.pk, run.created_at = existing_run.pk, existing_run.created_at
        if rejected_file := existing_run.file.name:
            delete_on_commit(rejected_file)
    upload.seek(0)
    run.file.save(uuid4().hex, upload, save=False)
    run.save()
    readings.request_reading(
        run=run, kind=Run.ReadingKind.READING, by=run.uploaded_by, is_done_here=is_done_here
    )
    return ReceivedRun(run, is_new=True)


def read_here(*, run: Run) -> None:
    """Read a run's file here and now, as a worker would.

    Nothing happens if no reading was requested.
    """
    run.refresh_from_db()
    if run.work is not None:
        works.perform(work=run.work)
    run.refresh_from_db()


def _on_read(work: Work) -> None:
    """Reject a run whose reading was cancelled or failed: its name is free, its report says why."""
    if work.state != Work.State.DONE:
        message = CANCELLED if work.state == Work.State.CANCELLED else work.error
        _reject(
            Run.objects.filter(pk=work.subject, state=Run.State.RECEIVED),
            RunReport(),
            [stored_fault(message)],
            1,
        )
    readings.read_again_if_due(run_id=work.subject)


@works.performs(
    Run.ReadingKind.READING,
    subject="run",
    on_finished=_on_read,
    advice="Upload the file again, or split it.",
    readers=LEADERS,
    is_hidden=readings.is_hidden,
)
def read(work: Work) -> None:
    """Read a received run's file: ready with all its rankings stored, or rejected with a report."""
    run = Run.objects.select_related("collection").get(pk=work.subject)
    # This waits for an import that is about to bring items. What joins later sets the mark again.
    Run.objects.filter(pk=run.pk).update(reading_due_at=None)
    problems, on_progress = Problems(), works.progress_callback(work)
    report = store_in_batches(
        partial(_store_all, run, work, problems, on_progress), on_progress=on_progress
    )
    if problems:
        _refuse(run, work, report, problems)


def store_in_batches(
    store: Callable[[Batching], Result], *, on_progress: progress.ProgressCallback
) -> Result:
    """Call `store` with a function that makes batches of whole queries, and return its result.

    At first each query's rows are expected together. If they are not, as in few files, `store` must
    undo what it has stored, and is called again.
    """
    try:
        return store(whole_queries)
    except ScatteredQueries:
        return store(partial(spooled_queries, on_progress=on_progress))


def read_rows(
    *,
    run: Run,
    problems: Problems,
    on_progress: progress.ProgressCallback,
    keep: Callable[[MatrixBlock], None] = discard,
) -> Iterator[ReadRun]:
    """The rows of a run's file, a part at a time; none any more once there are problems.

    keep : takes the blocks of a similarity matrix, of which the rows are only the best cells
    """
    score_type = "float64" if run.score_type == Run.ScoreType.FLOAT64 else "float32"
    with run.open_file() as stream:
        try:
            select_columns = partial(matrix_storage.ranked_columns, run)
            options = {
                "columns": run.columns,
                "score_type": score_type,
                "keep": keep,
                "select_columns": select_columns,
            }
            for part in read_parts(stream, run.file_name, problems, **options):
                if not problems:
                    yield part
                on_progress(
                    n_done=stream.tell() // MEGABYTE,
                    total=run.file.size // MEGABYTE,
                    unit="MB read",
                )
        except MatrixTooLarge as error:
            problems.add(
                FormatError(run.file_name, None, "", matrix_storage.refusal(error, run=run))
            )


def _store_all(
    run: Run,
    work: Work,
    problems: Problems,
    on_progress: progress.ProgressCallback,
    batching: Batching,
) -> RunReport:
    """Store all of a run, or nothing and add to the problems.

    The run's own row is locked only at the very end.
    """
    with matrix_storage.writer(run=run) as matrix, transaction.atomic():
        rows = read_rows(run=run, problems=problems, on_progress=on_progress, keep=matrix.add)
        report = store_rankings(run=run, batches=batching(rows), problems=problems)
        if (
            not problems
            and not report.n_kept + report.n_unknown
            # without source items in the collection it waits for some, and is then read again
            and run.sources not in holds.empty_sides(collection=run.collection)
        ):
            message = (
                f"It names none of the {run.sources} of this collection; see the first unknown ids."
            )
            if report.n_turned:
                message = (
                    f"It names none of the {run.sources} of this collection, but "
                    f"{report.n_turned:,} of its {run.targets} where {run.sources} are to stand: "
                    "choose the other direction, or swap the columns."
                )
            if not report.unknown_sources.n:
                message = (
                    f"Its {run.sources} are all of another split than test, or excluded, so "
                    "nothing of it is ranked."
                )
            problems.add(FormatError(run.file_name, None, "", message))
        if problems:
            report.n_kept = 0
            transaction.set_rollback(True)
        else:
            try:
                matrix_storage.store_matrix(run=run, matrix_file=matrix.finish(), report=report)
                _accept(run, report)
                works.finish(work=work)
            except MatrixTooLarge as error:  # another matrix took the room meanwhile
                problems.add(
                    FormatError(run.file_name, None, "", matrix_storage.refusal(error, run=run))
                )
                transaction.set_rollback(True)
    return report


def _accept(run: Run, report: RunReport) -> None:
    on_hold_since = Now() if holds.has_too_many_unknown(run=run, report=report) else None
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.READY, report=asdict(report), finished_at=Now(), on_hold_since=on_hold_since
    )


@transaction.atomic
def _refuse(run: Run, work: Work, report: RunReport, problems: Problems) -> None:
    """Reject a run for all faults found in its file."""
    errors = [
        stored_fault(error.message, line=error.line, field=error.field) for error in problems.errors
    ]
    _reject(Run.objects.filter(pk=run.pk), report, errors, problems.n)
    works.finish(work=work, state=Work.State.FAILED, code="refused", message=errors[0]["message"])


def _reject(runs: RunRows, report: RunReport, errors: list[StoredFault], n_errors: int) -> None:
    report.errors, report.n_errors = errors, n_errors
    runs.update(
        state=Run.State.REJECTED,
        report=asdict(report),
        finished_at=Now(),
        on_hold_since=None,
        reading_due_at=None,
    )
