"""Runs that are read again from the kept upload, since items that they name joined the collection.

The old rankings and scores stand until the new ones are stored, all at once. Ranks stay as they are: what was unknown
kept its own, so that nothing else moves and pools that are open need no change.
"""

import logging
from dataclasses import asdict
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Case, Count, F, PositiveSmallIntegerField, Q, When
from django.db.models.functions import Now

from annotate.core.formats import FormatError, Problems
from annotate.models import Direction, Item
from annotate.services.background import progress
from annotate.services.background.workers import alone_with
from annotate.services.seating import note_changes
from pooling.core.matrix_files import TooLarge
from pooling.models import Run, RunEvent
from pooling.services import holding, matrix_storage
from pooling.services.run_reports import RunReport
from pooling.services.run_storage import SIDES, store_rankings
from pooling.services.runs import MAX_ATTEMPTS, Arrange, in_batches, rows_of
from pooling.services.waiting import OVERDUE_AFTER

log = logging.getLogger(__name__)


def note_joined(*, collection_id: int) -> list[int]:
    """Items joined a collection: note which runs may name them; returns those that can be read again now.

    One that is being read for the first time is read again after that, as it may have begun without these items.
    """
    of_collection = Run.objects.filter(collection=collection_id)
    lacking = of_collection.filter(Q(pk__in=of_collection.lacking_items()) | Q(pk__in=_missing_more(collection_id)))
    ready = Q(state=Run.State.READY)
    attempts = Case(When(ready, then=0), default=F("attempts"), output_field=PositiveSmallIntegerField())
    lacking.update(reading_due_at=Now(), attempts=attempts)
    return list(lacking.filter(ready).order_by("pk").values_list("pk", flat=True))


def _missing_more(collection_id: int) -> list[int]:
    """Runs whose report counts sources that their file does not name, of which there are others by now.

    A collection that has been judged gets no more sources: its query sets stay as they are.
    """
    runs = Run.objects.filter(collection=collection_id, state=Run.State.READY, report__has_key="n_met")
    runs = runs.filter(collection__scheme_frozen_at=None)
    told = list(runs.values_list("pk", "direction", "report__n_met", "report__missing__n"))
    if not told:
        return []
    items = Item.objects.filter(collection=collection_id, split="test", excluded_at=None).order_by()
    counts = dict(items.values_list("side").annotate(Count("pk")))
    return [pk for pk, way, n_met, n in told if n_met + (n or 0) != counts.get(SIDES[Direction(way)][0], 0)]


def overdue() -> list[int]:
    """Runs that wait to be read again."""
    waiting = Run.objects.filter(state=Run.State.READY, reading_due_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def read_again(*, run: Run) -> None:
    """Store a run's rankings anew with the items there are by now. Safe to run twice, also at once.

    A file that can no longer be read, or that three workers died of, leaves the run as it was and says so.
    """
    with alone_with(run) as is_ours:
        if is_ours and (since := _begin(run)):
            _read(run, since)
    run.refresh_from_db()


@transaction.atomic
def _begin(run: Run) -> datetime | None:
    """Count an attempt, committed before any work; since when the run is due, None if it is not, or given up."""
    run.refresh_from_db()
    if run.state != Run.State.READY or run.reading_due_at is None:
        return None
    if run.attempts >= MAX_ATTEMPTS:
        _give_up(run, run.reading_due_at, f"begun {MAX_ATTEMPTS} times; the worker's log says why")
        return None
    Run.objects.filter(pk=run.pk).update(attempts=F("attempts") + 1)
    return run.reading_due_at


def _read(run: Run, since: datetime) -> None:
    job, problems = progress.Job("run", run.pk), Problems()
    tell = partial(progress.advance, job=job)
    try:
        in_batches(partial(_replace, run, since, problems, tell), tell=tell)
    except progress.Cancelled:
        problems.add(FormatError(run.file_name, None, "", Run.CANCELLED))
    except FileNotFoundError:
        problems.add(FormatError(run.file_name, None, "", "The kept file is gone."))
    if problems:
        _give_up(run, since, str(problems.errors[0].message))
    progress.forget(job=job)


@transaction.atomic
def _replace(run: Run, since: datetime, problems: Problems, tell: progress.Tell, arrange: Arrange) -> None:
    run.rankings.all().delete()
    with matrix_storage.writer(run=run) as matrix:
        rows = rows_of(run=run, problems=problems, tell=tell, keep=matrix.add)
        report = store_rankings(run=run, batches=arrange(rows), problems=problems)
        if not problems:
            try:
                matrix_storage.store_matrix(run=run, written=matrix.finish(), report=report)
            except TooLarge as error:
                problems.add(FormatError(run.file_name, None, "", matrix_storage.refusal(error, run=run)))
    if problems:
        transaction.set_rollback(True)
        return
    # The run's row is locked at the very end alone; if items joined meanwhile it is read once more.
    Run.objects.filter(pk=run.pk).update(report=asdict(report))
    Run.objects.filter(pk=run.pk, reading_due_at=since).update(reading_due_at=None)
    if not holding.is_too_strange(run=run, report=report):
        Run.objects.filter(pk=run.pk).update(on_hold_since=None)
    _tell_of(run, report)
    note_changes(collection_id=run.collection_id, pair_ids=[None])


def _tell_of(run: Run, report: RunReport) -> None:
    """Note what came of it; a run that an older version read did not count its unknown rows."""
    change = f"{run.n_unknown:,} before, {report.n_unknown:,} now"
    is_counted = "n_unknown" in run.report
    note = f"items joined; unknown rows: {change}" if is_counted else "by newer rules: unknown rows keep their ranks"
    RunEvent.objects.create(run=run, kind=RunEvent.Kind.REREAD, note=note)
    log.info("Run %s of %s was read again: %s", run, run.collection, note)


def _give_up(run: Run, since: datetime, why: str) -> None:
    if Run.objects.filter(pk=run.pk, reading_due_at=since).update(reading_due_at=None):
        note = f"the kept file could not be read again: {why}"[:400]
        RunEvent.objects.create(run=run, kind=RunEvent.Kind.REREAD, note=note)
        log.warning("Run %s of %s: %s", run, run.collection, note)
