"""Seats and resolutions made what they should be, behind the pairs' row locks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from annotate.models import Change, Pair, Resolution, Seat
from annotate.services.seating.plan import Plan, plan
from annotate.signals import pairs_changed
from annotate.statements import prepared

CHUNK = 5_000
_NOTE = """
    INSERT INTO annotate_change (collection_id, pair_id)
    SELECT %(noted_collection)s, changed
    FROM unnest(%(noted_pairs)s::bigint[]) WITH ORDINALITY AS told(changed, place) ORDER BY place
"""
_RESOLVE = """
    INSERT INTO annotate_resolution (pair_id, collection_id, status, grade, n_labels, is_complete, policy_id)
    SELECT * FROM unnest(%(pair)s::bigint[], %(collection)s::bigint[], %(status)s::text[], %(grade)s::smallint[],
                         %(n_labels)s::smallint[], %(is_complete)s::boolean[], %(policy)s::bigint[])
    ON CONFLICT (pair_id) DO UPDATE SET
        status = excluded.status, grade = excluded.grade, n_labels = excluded.n_labels,
        is_complete = excluded.is_complete, policy_id = excluded.policy_id
"""
_RESOLVE_AND_NOTE = f"WITH resolved AS ({_RESOLVE}) {_NOTE}"


@transaction.atomic(savepoint=False)
def reconcile_pairs(*, pair_ids: Iterable[int]) -> None:
    """Make each pair's free seats and resolution what judgments, open rounds and policy say.

    Safe to call at any time and twice; a constant number of queries a 5,000 pairs.
    """
    ids = sorted(set(pair_ids))
    for start in range(0, len(ids), CHUNK):
        some = Pair.objects.filter(pk__in=ids[start : start + CHUNK]).order_by("pk")
        # lock before reading: two people who answer one pair at once must see each other's label
        reconcile_locked(pairs=list(some.select_for_update(no_key=True)))


def reconcile_locked(*, pairs: Sequence[Pair]) -> Plan:
    """The same for pairs whose rows the present transaction has locked, before it read anything of them.

    Returns what it wrote.
    """
    changes = plan(pairs=pairs)
    _write_seats(changes)
    _write_resolutions(changes.resolutions, changes.unresolved)
    return changes


def reconcile_answered(*, pair: Pair) -> None:
    """The same for one pair that somebody said something of, and metrics told of it; in few statements.

    A check's answer concerns neither seats nor resolution, but must not take less time.
    """
    changes = plan(pairs=[pair])
    _write_seats(changes)
    if changes.resolutions:
        written = {**_columns(changes.resolutions), **_noted(pair.collection_id, [pair.pk])}
        with prepared() as cursor:
            cursor.execute(_RESOLVE_AND_NOTE, written)
        _tell_once_committed(pair.collection_id)
    else:
        _write_resolutions([], changes.unresolved)
        note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])


def note_changes(*, collection_id: int, pair_ids: Sequence[int | None]) -> None:
    """Tell metrics, by rows and after commit by a signal, that these pairs' labels changed.

    None stands for what concerns no single pair, such as a new reference set; and for more pairs than are worth
    telling one by one.
    """
    if len(pair_ids) > CHUNK:
        pair_ids = [None]
    with prepared() as cursor:
        cursor.execute(_NOTE, _noted(collection_id, pair_ids))
    _tell_once_committed(collection_id)


def _noted(collection_id: int, pair_ids: Sequence[int | None]) -> dict[str, object]:
    """The values of _NOTE."""
    return {"noted_collection": collection_id, "noted_pairs": list(pair_ids)}


def _tell_once_committed(collection_id: int) -> None:
    transaction.on_commit(lambda: pairs_changed.send(sender=Change, collection_id=collection_id), robust=True)


def _write_seats(changes: Plan) -> None:
    if changes.new:
        Seat.objects.bulk_create(changes.new, batch_size=CHUNK)
    # Only what is still as it was read: somebody may have claimed a seat since, or given it back.
    for (round_id, why), seats in _grouped(changes.freed, "round_id", "why").items():
        Seat.objects.filter(pk__in=seats, annotator=None).update(state=Seat.State.FREE, round_id=round_id, why=why)
    for (round_id,), seats in _grouped(changes.moved, "round_id").items():
        Seat.objects.filter(pk__in=seats, state=Seat.State.HELD).update(round_id=round_id)
    if changes.withdrawn:
        withdrawn = Seat.objects.filter(pk__in=[seat.pk for seat in changes.withdrawn], state=Seat.State.FREE)
        withdrawn.update(state=Seat.State.WITHDRAWN)


def _grouped(seats: Iterable[Seat], *fields: str) -> dict[tuple[Any, ...], list[int]]:
    """The keys of seats by some of their fields."""
    grouped: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for seat in seats:
        grouped[tuple(getattr(seat, field) for field in fields)].append(seat.pk)
    return grouped


def _write_resolutions(resolutions: list[Resolution], unresolved: list[int]) -> None:
    if resolutions:
        with prepared() as cursor:
            cursor.execute(_RESOLVE, _columns(resolutions))
    if unresolved:
        Resolution.objects.filter(pair__in=unresolved).delete()


def _columns(resolutions: list[Resolution]) -> dict[str, object]:
    """The values of _RESOLVE."""
    return {
        "pair": [each.pair_id for each in resolutions],
        "collection": [each.collection_id for each in resolutions],
        "status": [str(each.status) for each in resolutions],
        "grade": [each.grade for each in resolutions],
        "n_labels": [each.n_labels for each in resolutions],
        "is_complete": [each.is_complete for each in resolutions],
        "policy": [each.policy_id for each in resolutions],
    }


def lock_annotator(annotator_id: int) -> None:
    """Let one person's tabs take turns until the transaction ends.

    Until then the planner also keeps to indexes: plans that are kept (see annotate/statements.py) must be right for a
    table when it has grown too, and the first answers of a campaign meet tables that are read through most quickly.
    """
    with prepared() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(1, %s), set_config('enable_seqscan', 'off', true)", [annotator_id])
