"""Open seats and resolutions of a whole collection made anew from what was said."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.models import Collection, Pair, Resolution
from annotate.services.seating.reconciling import CHUNK, note_changes, reconcile_locked


class Rebuilt(NamedTuple):
    """Pairs that were looked at; resolutions and seats that were not what they should be, and now are."""

    n_pairs: int
    n_resolutions: int
    n_seats: int


def rebuild_pairs(*, collection: Collection) -> Rebuilt:
    """Make every pair's free seats and resolution what judgments, rounds and policies say; metrics hear what differed.

    Who judges meanwhile waits for no more than CHUNK pairs. Safe to call at any time and twice; what it did before it
    was stopped stays done.
    """
    n_pairs = n_resolutions = n_seats = last = 0
    while True:
        with transaction.atomic():
            rows = Pair.objects.filter(collection=collection, pk__gt=last).order_by("pk")
            pairs = list(rows.select_for_update(no_key=True)[:CHUNK])
            if not pairs:
                return Rebuilt(n_pairs, n_resolutions, n_seats)
            before = _resolutions(pairs)
            changes = reconcile_locked(pairs=pairs)
            after = _resolutions(pairs)
            other = {pair for pair in {*before, *after} if before.get(pair) != after.get(pair)}
            seats = [seat.pair_id for seat in (*changes.new, *changes.freed, *changes.withdrawn, *changes.moved)]
            if other or seats:
                note_changes(collection_id=collection.pk, pair_ids=sorted({*other, *seats}))
        n_pairs, n_resolutions, n_seats = n_pairs + len(pairs), n_resolutions + len(other), n_seats + len(seats)
        last = pairs[-1].pk


def _resolutions(pairs: Sequence[Pair]) -> dict[int, tuple[object, ...]]:
    return {row.pair_id: row.content for row in Resolution.objects.filter(pair__in=pairs)}
