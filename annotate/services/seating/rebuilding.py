"""Open seats and resolutions of a whole collection, rebuilt from its judgments."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.models import Collection, Pair, Resolution
from annotate.services.seating.reconciling import CHUNK, note_changes, reconcile_locked


class RebuildCounts(NamedTuple):
    """Counts of pairs examined, and of resolutions and seats that were wrong and are corrected."""

    n_pairs: int
    n_resolutions: int
    n_seats: int


def rebuild_pairs(*, collection: Collection) -> RebuildCounts:
    """Make every pair's free seats and resolution what judgments, rounds and policies say.

    Metrics are notified of the differences. An annotator at work waits for no more than CHUNK
    pairs. Safe to call at any time and twice; if it is stopped, the chunks done stay done.
    """
    n_pairs = n_resolutions = n_seats = last_pk = 0
    while True:
        with transaction.atomic():
            rows = Pair.objects.filter(collection=collection, pk__gt=last_pk).order_by("pk")
            pairs = list(rows.select_for_update(no_key=True)[:CHUNK])
            if not pairs:
                return RebuildCounts(n_pairs, n_resolutions, n_seats)
            before = _resolutions(pairs)
            changes = reconcile_locked(pairs=pairs)
            after = _resolutions(pairs)
            changed_pairs = {
                pair for pair in {*before, *after} if before.get(pair) != after.get(pair)
            }
            seat_pairs = [
                seat.pair_id
                for seat in (
                    *changes.new_seats,
                    *changes.seats_to_free,
                    *changes.seats_to_withdraw,
                    *changes.seats_to_move,
                )
            ]
            if changed_pairs or seat_pairs:
                note_changes(
                    collection_id=collection.pk, pair_ids=sorted({*changed_pairs, *seat_pairs})
                )
        n_pairs, n_resolutions, n_seats = (
            n_pairs + len(pairs),
            n_resolutions + len(changed_pairs),
            n_seats + len(seat_pairs),
        )
        last_pk = pairs[-1].pk


def _resolutions(pairs: Sequence[Pair]) -> dict[int, tuple[object, ...]]:
    return {row.pair_id: row.content for row in Resolution.objects.filter(pair__in=pairs)}
