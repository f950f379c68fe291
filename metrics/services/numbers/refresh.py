"""From Change rows to current numbers: one refresh at a time a collection.

All of it reads one moment of the database. Change rows are the work left; they are consumed in the
transaction that writes the numbers, so a refresh that dies leaves them, and the sweep finds them.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Min
from django.db.models.functions import Now
from numpy.typing import NDArray

from annotate.models import Change, ClockTimestamp, Collection, Pair
from annotate.services.background.workers import LOCKS
from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import table
from annotate.services.storage.transactions import repeatable_read
from metrics.models import Score, Snapshot
from metrics.services.numbers import alarms, finished_rounds, history, numbers, refresh_tries
from metrics.services.numbers.tallies import CollectionTallies, read_tallies, update_tallies
from metrics.services.scores import scoring
from metrics.services.scores.scoring import LabelChanges

log = logging.getLogger(__name__)

LOCK = LOCKS["refresh"]
LOST_AFTER = timedelta(seconds=3)  # a Change row this old was missed by the ordinary refresh


class RefreshResult(NamedTuple):
    """Counts of a refresh: Change rows it consumed, snapshots and scores it wrote."""

    n_changes: int
    n_snapshots: int
    n_scores: int


def refresh(*, collection: Collection) -> RefreshResult | None:
    """Bring the collection's numbers up to date; None when a refresh of it is under way elsewhere.

    Safe to run at any time and twice: unchanged numbers are not written.
    """
    with refresh_lock(collection) as has_lock:
        if not has_lock:
            return None
        with refresh_tries.count_try(collection), repeatable_read():
            return _refresh(collection)


def rebuild(*, collection: Collection) -> RefreshResult:
    """Delete the current numbers and compute all of them again; history is kept.

    It waits until a refresh under way is done.
    """
    with (
        refresh_lock(collection, waits=True),
        refresh_tries.count_try(collection),
        repeatable_read(),
    ):
        return _refresh(collection, is_rebuild=True)


@contextmanager
def refresh_lock(collection: Collection, *, waits: bool = False) -> Iterator[bool]:
    """Hold the lock of the collection's refresh; yields whether it was free.

    Whoever holds it can refresh, and nobody else.
    waits : wait until it is
    """
    lock = (
        "SELECT TRUE FROM pg_advisory_lock(%s, %s)"
        if waits
        else "SELECT pg_try_advisory_lock(%s, %s)"
    )
    # Before the transaction: inside it the snapshot would be taken before the lock.
    with connection.cursor() as cursor:
        cursor.execute(lock, [LOCK, collection.pk])
        (has_lock,) = cursor.fetchone()
    try:
        yield has_lock
    finally:
        if has_lock:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK, collection.pk])


def waits_for_refresh(*, collection: Collection) -> bool:
    """True if something has changed that the numbers do not have yet."""
    return Change.objects.filter(collection=collection).exists()


def collections_due() -> list[int]:
    """Keys of collections that wait for a refresh that was not enqueued.

    They have old Change rows, or runs without scores. Collections whose refreshes failed lately are
    left out.
    """
    oldest_changes = Change.objects.values("collection").annotate(oldest=Min("at")).order_by()
    overdue = oldest_changes.filter(oldest__lt=ClockTimestamp() - LOST_AFTER).values_list(
        "collection", flat=True
    )
    return sorted(
        {*overdue, *scoring.runs_without_scores()} - {*refresh_tries.paused_collections()}
    )


def _refresh(collection: Collection, *, is_rebuild: bool = False) -> RefreshResult:
    collection.refresh_from_db()
    earlier = finished_rounds.finished_rounds(collection=collection)
    if is_rebuild:
        Score.objects.filter(run__collection=collection).delete()
        Snapshot.objects.filter(collection=collection).delete()
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM annotate_change WHERE collection_id = %s RETURNING pair_id",
            [collection.pk],
        )
        changed_pairs: list[int | None] = [pair for (pair,) in cursor.fetchall()]
    pairs = (
        None
        if is_rebuild or None in changed_pairs
        else {pair for pair in changed_pairs if pair is not None}
    )
    update_tallies(collection=collection, pairs=pairs)
    tallies = read_tallies(collection=collection)
    changes = LabelChanges(pairs is None, _affected_pairs(collection, pairs))
    n_scores = scoring.update_scores(collection=collection, changes=changes)
    n_snapshots = _update_snapshots(collection, tallies)
    alarms.check_alarms(collection=collection)
    finished_rounds.announce_finished(collection=collection, earlier=earlier)
    if (n_snapshots or n_scores) and not is_rebuild:
        history.observe(collection=collection, n_judgments=tallies.number("judgments"))
    log.info(
        "%s: %s changes, %s snapshots and %s scores written",
        collection.slug,
        len(changed_pairs),
        n_snapshots,
        n_scores,
    )
    return RefreshResult(len(changed_pairs), n_snapshots, n_scores)


def _affected_pairs(collection: Collection, pairs: set[int] | None) -> NDArray[np.int64]:
    """(n, 2) query and document of changed pairs, and of those that take their grades.

    pairs : keys of changed pairs; None where all may have changed: then none are named
    """
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64)
    rows = table(Pair.objects.filter(pk__in=pairs).values_list("query", "document"), 2)
    copies = originals_of(collection=collection).copies(*rows.T)
    return np.concatenate([rows, np.stack([copies.source, copies.target], axis=1)])


def _update_snapshots(collection: Collection, tallies: CollectionTallies) -> int:
    """Compute and store the kinds whose inputs changed; returns how many."""
    stored_digests = dict(
        Snapshot.objects.filter(collection=collection).values_list("kind", "inputs_sha256")
    )
    n_written = 0
    for name, kind in numbers.KINDS.items():
        summary = kind.gather(collection, tallies)
        if stored_digests.get(name) == numbers.digest(name, summary):
            continue
        number = numbers.compute(name, summary)
        fields: dict[str, Any] = {**number._asdict(), "computed_at": Now()}
        Snapshot.objects.update_or_create(collection=collection, kind=name, defaults=fields)
        n_written += 1
    return n_written
