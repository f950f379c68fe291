"""Reconciling: seats and resolutions made what they should be, behind the pairs' row locks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from annotate.models import Change, Pair, Resolution, Seat
from annotate.services.seating.seat_plan import SeatPlan, plan
from annotate.signals import pairs_changed
from annotate.statements import SqlValue, prepared_cursor

CHUNK = 5_000
_NOTE = """
    INSERT INTO annotate_change (collection_id, pair_id)
    SELECT %(noted_collection)s, changed.pair_id
    FROM unnest(%(noted_pairs)s::bigint[]) WITH ORDINALITY AS changed(pair_id, position)
    ORDER BY changed.position
"""
_RESOLVE = """
    INSERT INTO annotate_resolution AS stored (
        pair_id, collection_id, status, grade, n_labels, is_complete, policy_id)
    SELECT * FROM unnest(%(pair)s::bigint[], %(collection)s::bigint[], %(status)s::text[],
                         %(grade)s::smallint[], %(n_labels)s::smallint[],
                         %(is_complete)s::boolean[], %(policy)s::bigint[])
    ON CONFLICT (pair_id) DO UPDATE SET
        status = excluded.status, grade = excluded.grade, n_labels = excluded.n_labels,
        is_complete = excluded.is_complete, policy_id = excluded.policy_id
    WHERE (stored.status, stored.grade, stored.n_labels, stored.is_complete, stored.policy_id)
          IS DISTINCT FROM (excluded.status, excluded.grade, excluded.n_labels,
                            excluded.is_complete, excluded.policy_id)
"""
_RESOLVE_AND_NOTE = f"WITH resolved AS ({_RESOLVE}) {_NOTE}"


@transaction.atomic(savepoint=False)
def reconcile_pairs(*, pair_ids: Iterable[int]) -> None:
    """Make each pair's free seats and resolution what judgments, open rounds and policy say.

    Safe to call at any time and twice; a constant number of queries a 5,000 pairs.
    """
    ids = sorted(set(pair_ids))
    for start in range(0, len(ids), CHUNK):
        chunk_pairs = Pair.objects.filter(pk__in=ids[start : start + CHUNK]).order_by("pk")
        # lock before reading: two people who answer one pair at once must see each other's label
        reconcile_locked(pairs=list(chunk_pairs.select_for_update(no_key=True)))


def reconcile_locked(*, pairs: Sequence[Pair]) -> SeatPlan:
    """Reconcile pairs that the present transaction locked before reading; return the changes."""
    changes = plan(pairs=pairs)
    _write_seats(changes)
    _write_resolutions(changes.resolutions, changes.unresolved_pairs)
    return changes


def reconcile_answered(*, pair: Pair) -> None:
    """Reconcile one pair that was just answered or reported, and notify metrics; few statements.

    A check's answer concerns neither seats nor resolution, but must not take less time.
    """
    changes = plan(pairs=[pair])
    _write_seats(changes)
    if changes.resolutions:
        parameters = {
            **_resolution_parameters(changes.resolutions),
            **_note_parameters(pair.collection_id, [pair.pk]),
        }
        with prepared_cursor() as cursor:
            cursor.execute(_RESOLVE_AND_NOTE, parameters)
        _notify_once_committed(pair.collection_id)
    else:
        _write_resolutions([], changes.unresolved_pairs)
        note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])


def note_changes(*, collection_id: int, pair_ids: Sequence[int | None]) -> None:
    """Write Change rows for these pairs, and send metrics a signal after the commit.

    None stands for a change of no single pair, such as a new reference set; and for more pairs than
    are worth listing one by one.
    """
    if len(pair_ids) > CHUNK:
        pair_ids = [None]
    with prepared_cursor() as cursor:
        cursor.execute(_NOTE, _note_parameters(collection_id, pair_ids))
    _notify_once_committed(collection_id)


def _note_parameters(collection_id: int, pair_ids: Sequence[int | None]) -> dict[str, SqlValue]:
    """Return the parameters of _NOTE."""
    return {"noted_collection": collection_id, "noted_pairs": list(pair_ids)}


def _notify_once_committed(collection_id: int) -> None:
    transaction.on_commit(
        lambda: pairs_changed.send(sender=Change, collection_id=collection_id), robust=True
    )


def _write_seats(changes: SeatPlan) -> None:
    if changes.new_seats:
        Seat.objects.bulk_create(changes.new_seats, batch_size=CHUNK)
    # Only seats that are still as they were read: one may have been claimed or given back since.
    for (round_id, why), seats in _grouped(changes.seats_to_free, "round_id", "why").items():
        Seat.objects.filter(pk__in=seats, annotator=None).update(
            state=Seat.State.FREE, round_id=round_id, why=why
        )
    for (round_id,), seats in _grouped(changes.seats_to_move, "round_id").items():
        Seat.objects.filter(pk__in=seats, state=Seat.State.HELD).update(round_id=round_id)
    if changes.seats_to_withdraw:
        free_seats = Seat.objects.filter(
            pk__in=[seat.pk for seat in changes.seats_to_withdraw], state=Seat.State.FREE
        )
        free_seats.update(state=Seat.State.WITHDRAWN)


def _grouped(seats: Iterable[Seat], *fields: str) -> dict[tuple[Any, ...], list[int]]:
    """Return the keys of seats by some of their fields."""
    seats_by_fields: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for seat in seats:
        seats_by_fields[tuple(getattr(seat, field) for field in fields)].append(seat.pk)
    return seats_by_fields


def _write_resolutions(resolutions: list[Resolution], unresolved_pairs: list[int]) -> None:
    if resolutions:
        with prepared_cursor() as cursor:
            cursor.execute(_RESOLVE, _resolution_parameters(resolutions))
    if unresolved_pairs:
        Resolution.objects.filter(pair__in=unresolved_pairs).delete()


def _resolution_parameters(resolutions: list[Resolution]) -> dict[str, SqlValue]:
    """Return the parameters of _RESOLVE."""
    return {
        "pair": [resolution.pair_id for resolution in resolutions],
        "collection": [resolution.collection_id for resolution in resolutions],
        "status": [str(resolution.status) for resolution in resolutions],
        "grade": [resolution.grade for resolution in resolutions],
        "n_labels": [resolution.n_labels for resolution in resolutions],
        "is_complete": [resolution.is_complete for resolution in resolutions],
        "policy": [resolution.policy_id for resolution in resolutions],
    }


def lock_annotator(annotator_id: int) -> None:
    """Let one person's tabs take turns until the transaction ends.

    Until then the planner also keeps to indexes: prepared plans (see annotate/statements.py) must
    stay right for a table that has grown, and the first answers of a campaign meet tables so small
    that a sequential scan is quickest.
    """
    with prepared_cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(1, %s), set_config('enable_seqscan', 'off', true)",
            [annotator_id],
        )
