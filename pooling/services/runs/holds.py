"""Runs on hold: with many unknown rows, they need a researcher's consent before they are used.

An unknown row keeps its rank and counts as unjudged, so a score with many of them says more about
what the collection lacks than about the run. A run that a pool was made of is never held: its pairs
are already asked about. One with no known source waits for a source, and cannot be used before.
"""

from django.db import transaction

from annotate.models import Collection, Item, Side, User
from annotate.services.collection.lifecycle.archive import lock_unarchived
from annotate.services.seating import note_changes
from pooling.models import Run, RunEvent
from pooling.services.runs.reports import RunReport


class NotOnHold(Exception):
    """The run is not on hold; nothing was changed."""


class BadLimit(Exception):
    """The limit is no share of rows, from 0 to 1; nothing was changed."""


def has_too_many_unknown(*, run: Run, report: RunReport) -> bool:
    """True if a run that nobody has accepted has too many unknown rows, or may be labels."""
    n_ranked = report.n_unknown + report.n_kept
    if not n_ranked:
        return True
    share = report.n_unknown / n_ranked
    if share <= run.collection.unknown_limit and not report.has_grades:
        return False
    return not run.events.filter(kind=RunEvent.Kind.ACCEPTED).exists() and not run.pools.exists()


def empty_sides(*, collection: Collection) -> list[str]:
    """The sides, "queries" or "documents", without items, for which a run may wait."""
    names = {Side.QUERY: "queries", Side.DOCUMENT: "documents"}
    items = Item.objects.filter(collection=collection)
    return [name for side, name in names.items() if not items.filter(side=side).exists()]


@transaction.atomic
def accept_run(*, run: Run, by: User | None) -> None:
    """Use a run on hold with all its unknown rows.

    Raises CollectionArchived, and NotOnHold, also where none of its sources is known.
    """
    lock_unarchived(collection_id=run.collection_id)
    if run.is_waiting:
        raise NotOnHold(
            f'Run "{run}" has nothing to use yet: the collection has none of its {run.sources}.'
        )
    if not Run.objects.filter(pk=run.pk, on_hold_since__isnull=False).update(on_hold_since=None):
        raise NotOnHold(f'Run "{run}" is not on hold.')
    RunEvent.objects.create(
        run=run, kind=RunEvent.Kind.ACCEPTED, by=by, note=f"unknown rows: {run.n_unknown:,}"
    )
    note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()


@transaction.atomic
def set_limit(*, collection: Collection, share: float, by: User | None) -> list[Run]:
    """Put runs on hold above this share of unknown rows from now on.

    Returns the runs this releases. Only runs that `by` may see are returned. Runs that are in use
    stay so, whatever their share. Raises BadLimit.
    """
    if not 0 <= share <= 1:
        raise BadLimit("The share of unknown rows is from 0 to 100 %.")
    Collection.objects.filter(pk=collection.pk).update(unknown_limit=share)
    on_hold = Run.objects.select_for_update().filter(
        collection=collection, on_hold_since__isnull=False
    )
    released_runs = [
        run for run in on_hold.order_by("pk") if run.n_ranked and run.unknown_share <= share
    ]
    released_runs = [run for run in released_runs if not run.report.get("has_grades")]
    if released_runs:
        keys = [run.pk for run in released_runs]
        Run.objects.filter(pk__in=keys).update(on_hold_since=None)
        note = f"the limit is {100 * share:g} % now"
        RunEvent.objects.bulk_create(
            RunEvent(run=run, kind=RunEvent.Kind.ACCEPTED, by=by, note=note)
            for run in released_runs
        )
        note_changes(collection_id=collection.pk, pair_ids=[None])
    collection.refresh_from_db()
    visible_runs = (
        Run.objects.visible_to(by).in_use().filter(pk__in=[run.pk for run in released_runs])
    )
    return list(visible_runs.order_by("pk"))
