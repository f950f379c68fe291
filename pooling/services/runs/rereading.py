"""Reading runs again from the kept upload, after items that they name joined the collection.

The old rankings and scores stay until the new ones are stored, all at once. Ranks stay as they are:
unknown targets kept theirs, so that no other moves and pools that are open need no change.
"""

import logging
from dataclasses import asdict
from functools import partial

from django.db import transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from annotate.access import LEADERS
from annotate.core.files.formats import FormatError, Problems
from annotate.models import Direction, Item, Work
from annotate.services.background import works
from annotate.services.background.progress import ProgressCallback
from annotate.services.seating import note_changes
from pooling.core.files.binary.matrix_files import MatrixTooLarge
from pooling.models import Run, RunEvent
from pooling.services.runs import holds, matrix_storage, readings
from pooling.services.runs.reports import RunReport
from pooling.services.runs.runs import Batching, read_rows, store_in_batches
from pooling.services.runs.storage import SIDES, store_rankings

log = logging.getLogger(__name__)


def note_joined_items(*, collection_id: int) -> list[int]:
    """Have the runs read again that may name items which joined a collection.

    Returns those requested now. A run that is being read is read again after that, as its reading
    may have begun without these items.
    """
    of_collection = Run.objects.filter(collection=collection_id)
    incomplete_runs = of_collection.filter(
        Q(pk__in=of_collection.lacking_items()) | Q(pk__in=_runs_with_new_sources(collection_id))
    )
    # from here on their rows are locked, and no reading of them ends
    incomplete_runs.update(reading_due_at=Now())
    idle = of_collection.filter(state=Run.State.READY, reading_due_at__isnull=False).exclude(
        pk__in=Run.objects.being_read().filter(collection=collection_id)
    )
    runs = list(idle.select_related("collection").order_by("pk"))
    for run in runs:
        readings.request_reading(run=run, kind=Run.ReadingKind.REREADING, by=None)
    return [run.pk for run in runs]


def _runs_with_new_sources(collection_id: int) -> list[int]:
    """Runs whose report counts missing sources, if the collection has more sources by now.

    A collection that has been judged gets no more sources: its query sets stay as they are.
    """
    runs = Run.objects.filter(
        collection=collection_id, state=Run.State.READY, report__has_key="n_met"
    )
    runs = runs.filter(collection__scheme_frozen_at=None)
    source_counts = list(runs.values_list("pk", "direction", "report__n_met", "report__missing__n"))
    if not source_counts:
        return []
    items = Item.objects.filter(collection=collection_id).in_use().order_by()
    counts = dict(items.values_list("side").annotate(Count("pk")))
    return [
        pk
        for pk, direction, n_met, n in source_counts
        if n_met + (n or 0) != counts.get(SIDES[Direction(direction)][0], 0)
    ]


def _on_read_again(work: Work) -> None:
    """Note why a run could not be read again, which leaves it as it was."""
    if work.state != Work.State.DONE:
        if work.begun_at is None:
            Run.objects.filter(pk=work.subject).update(reading_due_at=None)
        note = f"the kept file could not be read again: {work.error or 'somebody cancelled it'}"
        RunEvent.objects.create(run_id=work.subject, kind=RunEvent.Kind.REREAD, note=note[:400])
    readings.read_again_if_due(run_id=work.subject)


@works.performs(
    Run.ReadingKind.REREADING,
    subject="run",
    on_finished=_on_read_again,
    readers=LEADERS,
    is_hidden=readings.is_hidden,
)
def read_again(work: Work) -> None:
    """Store a run's rankings anew with the items there are by now.

    A file that cannot be read leaves it as it was.
    """
    run = Run.objects.select_related("collection").get(pk=work.subject)
    # This waits for an import that is about to bring items. What joins later sets the mark again.
    Run.objects.filter(pk=run.pk).update(reading_due_at=None)
    problems, on_progress = Problems(), works.progress_callback(work)
    try:
        store_in_batches(
            partial(_replace, run, work, problems, on_progress), on_progress=on_progress
        )
    except FileNotFoundError as error:
        raise works.Failed("no-file", "The kept file is gone.") from error
    if problems:
        raise works.Failed("refused", str(problems.errors[0].message))


@transaction.atomic
def _replace(
    run: Run, work: Work, problems: Problems, on_progress: ProgressCallback, batching: Batching
) -> None:
    run.rankings.all().delete()
    with matrix_storage.writer(run=run) as matrix:
        rows = read_rows(run=run, problems=problems, on_progress=on_progress, keep=matrix.add)
        report = store_rankings(run=run, batches=batching(rows), problems=problems)
        if not problems:
            try:
                matrix_storage.store_matrix(run=run, matrix_file=matrix.finish(), report=report)
            except MatrixTooLarge as error:
                problems.add(
                    FormatError(run.file_name, None, "", matrix_storage.refusal(error, run=run))
                )
    if problems:
        transaction.set_rollback(True)
        return
    # The run's row is locked only at the very end.
    Run.objects.filter(pk=run.pk).update(report=asdict(report))
    if not holds.has_too_many_unknown(run=run, report=report):
        Run.objects.filter(pk=run.pk).update(on_hold_since=None)
    _log_rereading(run, report)
    note_changes(collection_id=run.collection_id, pair_ids=[None])
    works.finish(work=work)


def _log_rereading(run: Run, report: RunReport) -> None:
    """Log the rereading as an event.

    The report of a run that an older version read lacks the count of unknown rows.
    """
    change = f"{run.n_unknown:,} before, {report.n_unknown:,} now"
    is_counted = "n_unknown" in run.report
    note = (
        f"items joined; unknown rows: {change}"
        if is_counted
        else "by newer rules: unknown rows keep their ranks"
    )
    RunEvent.objects.create(run=run, kind=RunEvent.Kind.REREAD, note=note)
    log.info("Run %s of %s was read again: %s", run, run.collection, note)
