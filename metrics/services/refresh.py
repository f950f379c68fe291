"""From Change rows to current numbers: one refresh at a time a collection, all of it from one moment of the database.

Nothing here is needed to be told twice. Change rows are what is left to do; they are consumed in the transaction that
writes the numbers, so a refresh that dies leaves them, and the sweep finds them.
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

from annotate.models import Change, ClockTimestamp, Collection, Pair
from metrics.models import Score, Snapshot
from metrics.services import alarms, history, numbers, refresh_tries, scoring
from metrics.services.moments import one_moment
from metrics.services.scoring import Touched
from metrics.services.tallies import Tallies, read_tallies, update_tallies

log = logging.getLogger(__name__)

LOCK = 4  # the advisory locks of refreshes; annotators have 1, runs 2, pools 3
LOST_AFTER = timedelta(seconds=3)  # a Change row this old was not picked up on the ordinary way


class Refreshed(NamedTuple):
    """What a refresh did: Change rows it consumed, snapshots and scores it wrote."""

    n_changes: int
    n_snapshots: int
    n_scores: int


def refresh(*, collection: Collection) -> Refreshed | None:
    """Bring the collection's numbers up to date; None when a refresh of it is under way elsewhere.

    Safe to run at any time and twice: what has not changed is not written.
    """
    with _alone(collection) as is_mine:
        if not is_mine:
            return None
        with refresh_tries.counted(collection), one_moment():
            return _refresh(collection)


def rebuild(*, collection: Collection) -> Refreshed:
    """Forget the current numbers and compute all of them again, once a refresh under way is done; history is kept."""
    with _alone(collection, patient=True), refresh_tries.counted(collection), one_moment():
        Score.objects.filter(run__collection=collection).delete()
        Snapshot.objects.filter(collection=collection).delete()
        return _refresh(collection, afresh=True)


def due() -> list[int]:
    """Collections that wait for a refresh nobody asked for: old Change rows, or runs without scores.

    Those are left out whose refreshes came to no end lately.
    """
    oldest = Change.objects.values("collection").annotate(oldest=Min("at")).order_by()
    late = oldest.filter(oldest__lt=ClockTimestamp() - LOST_AFTER).values_list("collection", flat=True)
    return sorted({*late, *scoring.runs_without_scores()} - {*refresh_tries.waiting()})


@contextmanager
def _alone(collection: Collection, *, patient: bool = False) -> Iterator[bool]:
    """Whether nobody else refreshes the collection meanwhile; the patient wait until it is so."""
    lock = "SELECT TRUE FROM pg_advisory_lock(%s, %s)" if patient else "SELECT pg_try_advisory_lock(%s, %s)"
    # Before the transaction: inside it the moment would be fixed before the lock is had.
    with connection.cursor() as cursor:
        cursor.execute(lock, [LOCK, collection.pk])
        (is_mine,) = cursor.fetchone()
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK, collection.pk])


def _refresh(collection: Collection, *, afresh: bool = False) -> Refreshed:
    collection.refresh_from_db()
    changed = _consume(collection)
    pairs = None if afresh or None in changed else {pair for pair in changed if pair is not None}
    update_tallies(collection=collection, pairs=pairs)
    tallies = read_tallies(collection=collection)
    n_scores = scoring.update_scores(collection=collection, touched=_touched(pairs))
    n_snapshots = _update_snapshots(collection, tallies)
    alarms.watch(collection=collection)
    if (n_snapshots or n_scores) and not afresh:
        history.observe(collection=collection, n_judgments=tallies.number("judgments"))
    log.info("%s: %s changes, %s snapshots and %s scores written", collection.slug, len(changed), n_snapshots, n_scores)
    return Refreshed(len(changed), n_snapshots, n_scores)


def _consume(collection: Collection) -> list[int | None]:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM annotate_change WHERE collection_id = %s RETURNING pair_id", [collection.pk])
        return [pair for (pair,) in cursor.fetchall()]


def _touched(pairs: set[int] | None) -> Touched:
    if pairs is None:
        return Touched(everything=True, pairs=np.zeros((0, 2), dtype=np.int64))
    rows = Pair.objects.filter(pk__in=pairs).values_list("query", "document")
    return Touched(everything=False, pairs=np.array(list(rows), dtype=np.int64).reshape(-1, 2))


def _update_snapshots(collection: Collection, tallies: Tallies) -> int:
    """Compute and store the kinds whose inputs changed; returns how many."""
    known = dict(Snapshot.objects.filter(collection=collection).values_list("kind", "inputs_sha256"))
    n_written = 0
    for name, kind in numbers.KINDS.items():
        summary = kind.gather(collection, tallies)
        if known.get(name) == numbers.digest(name, summary):
            continue
        number = numbers.compute(name, summary)
        fields: dict[str, Any] = {**number._asdict(), "computed_at": Now()}
        Snapshot.objects.update_or_create(collection=collection, kind=name, defaults=fields)
        n_written += 1
    return n_written
