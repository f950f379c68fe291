"""Batches: who gets which seats, for how long.

Leases run on the database's clock alone. A claim locks the seats it takes with SKIP LOCKED and
enters the queue at a random key, so that a hundred people do not stand in line at its head.
"""

import secrets
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Case, F, IntegerField, Max, Q, QuerySet, Value, When

from annotate.core import ordering
from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    Gold,
    HandOut,
    Policy,
    Report,
    Round,
    Seat,
)
from annotate.services.seating import lock_annotator

_CLAIMABLE = """
    SELECT seat.id, seat.pair_id, pair.query_id, seat.queue_key
    FROM annotate_seat seat JOIN annotate_pair pair ON pair.id = seat.pair_id
    WHERE seat.round_id = %(round)s AND seat.purpose = 'label' AND seat.state IN ('free', 'held')
      AND (seat.state = 'free' OR seat.leased_until < clock_timestamp())
      AND seat.queue_key >= %(start)s AND seat.queue_key < %(stop)s
      AND NOT EXISTS (SELECT FROM annotate_seat mine
                      WHERE mine.annotator_id = %(annotator)s AND mine.pair_id = seat.pair_id
                        AND mine.id <> seat.id)
      AND NOT EXISTS (SELECT FROM annotate_judgment said
                      WHERE said.annotator_id = %(annotator)s AND said.pair_id = seat.pair_id)
      AND NOT EXISTS (SELECT FROM annotate_report report
                      WHERE report.annotator_id = %(annotator)s AND report.pair_id = seat.pair_id)
    ORDER BY seat.queue_key LIMIT %(limit)s
    FOR UPDATE OF seat SKIP LOCKED
"""
_HOLD = """
    UPDATE annotate_seat SET state = 'held', annotator_id = %(annotator)s,
           leased_until = clock_timestamp() + make_interval(mins => %(minutes)s)
    WHERE id = ANY(%(seats)s)
"""
_QUEUE_END = 2**63 - 1


class Claimed(NamedTuple):
    """A seat as the queue gives it out."""

    seat: int
    pair: int
    query: int


@transaction.atomic
def current_batch(*, annotator: Annotator) -> Batch | None:
    """The annotator's unfinished batch, its leases renewed, or a new one; None when nothing is left.

    Golds are placed among the candidates and held by seats like all others. A paused annotator
    gets nothing.
    """
    lock_annotator(annotator.pk)
    if Annotator.objects.filter(pk=annotator.pk, paused_at__isnull=False).exists():
        return None
    batch = Batch.objects.filter(annotator=annotator, finished_at=None).first()
    hold_again(annotator=annotator)
    if batch is not None:
        finish_if_done(batch=batch)
        if batch.finished_at is None:
            return batch
    return _open_batch(annotator)


def hold_again(*, annotator: Annotator) -> None:
    """Renew the leases of what a person has left to do; give up what others took meanwhile.

    A paused person's leases run out.
    """
    if annotator.paused_at is not None:
        return
    minutes = _policy(annotator.collection_id).lease_minutes
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE annotate_seat seat SET state = 'held', annotator_id = %(annotator)s,
                   leased_until = clock_timestamp() + make_interval(mins => %(minutes)s)
            FROM annotate_handout given JOIN annotate_batch batch ON batch.id = given.batch_id
            WHERE batch.annotator_id = %(annotator)s AND given.answered_at IS NULL
              AND given.seat_id = seat.id
              AND ((seat.state = 'held' AND seat.annotator_id = %(annotator)s
                    AND seat.leased_until < clock_timestamp() + make_interval(mins => %(minutes)s) / 2)
                OR (seat.state = 'held' AND seat.leased_until < clock_timestamp())
                OR seat.state = 'free')
              AND NOT EXISTS (SELECT FROM annotate_seat mine
                              WHERE mine.annotator_id = %(annotator)s
                                AND mine.pair_id = seat.pair_id AND mine.id <> seat.id)
            """,
            {"annotator": annotator.pk, "minutes": minutes},
        )
    lost = ~Q(seat__state=Seat.State.HELD) | ~Q(seat__annotator=annotator)
    unanswered(annotator=annotator).filter(lost).update(answered_at=ClockTimestamp())


def unanswered(*, annotator: Annotator) -> QuerySet[HandOut]:
    """What a person has left to do, next card first; what was put off comes last. Nothing while paused."""
    left = HandOut.objects.filter(batch__annotator=annotator, answered_at=None)
    if annotator.paused_at is not None:
        return left.none()
    return left.order_by("batch__number", F("deferred_at").asc(nulls_first=True), "position")


def finish_if_done(*, batch: Batch) -> None:
    """Close a batch whose every hand-out is answered; the one before it is settled by that."""
    if batch.hand_outs.filter(answered_at=None).exists():
        return
    Batch.objects.filter(pk=batch.pk, finished_at=None).update(finished_at=ClockTimestamp())
    Batch.objects.filter(
        annotator=batch.annotator_id, number__lt=batch.number, settled_at=None
    ).update(settled_at=ClockTimestamp())
    batch.refresh_from_db()


def free_later(*, annotator: Annotator) -> tuple[int, float | None]:
    """What others hold that this annotator could get: how many seats, and seconds to the first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*), extract(epoch FROM min(seat.leased_until) - clock_timestamp())
            FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
            WHERE round.collection_id = %(collection)s AND round.state = 'open'
              AND seat.purpose = 'label' AND seat.state = 'held' AND seat.annotator_id <> %(annotator)s
              AND NOT EXISTS (SELECT FROM annotate_judgment said
                              WHERE said.annotator_id = %(annotator)s AND said.pair_id = seat.pair_id)
            """,
            {"collection": annotator.collection_id, "annotator": annotator.pk},
        )
        n_seats, seconds = cursor.fetchone()
    return n_seats, None if seconds is None else float(seconds)


def _open_batch(annotator: Annotator) -> Batch | None:
    policy = _policy(annotator.collection_id)
    claimed = _claim(annotator, policy)
    if not claimed:
        return None
    last = annotator.batches.aggregate(last=Max("number"))["last"] or 0
    batch = Batch.objects.create(
        collection_id=annotator.collection_id, annotator=annotator, number=last + 1
    )
    claimed += _seat_golds(annotator, policy, claimed)
    key = bytes(annotator.collection.key)
    order = ordering.arrange_batch(
        [row.query for row in claimed],
        grouped=policy.grouped,
        seed=ordering.keyed_hash(key, annotator.pk, batch.number),
    )
    HandOut.objects.bulk_create(
        HandOut(batch=batch, seat_id=claimed[index].seat, position=position)
        for position, index in enumerate(order, start=1)
    )
    return batch


def _policy(collection_id: int) -> Policy:
    """The policy that batches are made under: that of the open round which is served first."""
    round_ = _open_rounds(collection_id).select_related("policy").first()
    if round_ is not None:
        return round_.policy
    return Policy.objects.filter(collection=collection_id).latest("version")


def _open_rounds(collection_id: int) -> QuerySet[Round]:
    return Round.objects.filter(
        collection=collection_id, kind=Round.Kind.POOL, state=Round.State.OPEN
    ).order_by("-priority", "pk")


def _claim(annotator: Annotator, policy: Policy) -> list[Claimed]:
    """Hold up to a batch of candidates, one a pair, round by round in the order of priority."""
    taken: dict[int, Claimed] = {}
    for round_id in _open_rounds(annotator.collection_id).values_list("pk", flat=True):
        entry = secrets.randbelow(_QUEUE_END)
        for start, stop in ((entry, _QUEUE_END), (0, entry)):
            _take(taken, annotator, round_id, start, stop, limit=policy.batch_candidates)
    _hold(annotator, [row.seat for row in taken.values()], policy.lease_minutes)
    return list(taken.values())


def _take(
    taken: dict[int, Claimed], annotator: Annotator, round_id: int, start: int, stop: int, *, limit: int
) -> None:
    """Lock seats of one stretch of a queue until there are enough, one a pair."""
    while len(taken) < limit:
        # No more than are missing: what is locked but not taken would look taken to everybody else.
        missing = limit - len(taken)
        with connection.cursor() as cursor:
            cursor.execute(
                _CLAIMABLE,
                {"round": round_id, "annotator": annotator.pk, "start": start, "stop": stop, "limit": missing},
            )
            rows = cursor.fetchall()
        for seat, pair, query, queue_key in rows:
            taken.setdefault(pair, Claimed(seat, pair, query))
            start = queue_key + 1
        if len(rows) < missing:
            return


def _hold(annotator: Annotator, seats: list[int], minutes: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, {"annotator": annotator.pk, "minutes": minutes, "seats": seats})


def _seat_golds(annotator: Annotator, policy: Policy, claimed: list[Claimed]) -> list[Claimed]:
    """Make held gold seats on pairs this annotator has no seat of, the batch's queries first."""
    queries = {row.query for row in claimed}
    pairs = {row.pair for row in claimed}
    chosen: list[Gold] = []
    for is_positive, n in ((True, policy.gold_positives), (False, policy.gold_negatives)):
        chosen += _choose_golds(annotator, is_positive, queries, pairs, n)
    if not chosen:
        return []
    round_, _ = Round.objects.get_or_create(
        collection_id=annotator.collection_id,
        kind=Round.Kind.GOLD,
        name="gold",
        defaults={"policy": policy},
    )
    seats = [
        Seat(
            collection_id=annotator.collection_id, round=round_, pair_id=gold.pair_id, number=1,
            purpose=Seat.Purpose.GOLD,
        )
        for gold in chosen
    ]
    for seat in seats:
        # A moment in the past: `_hold` sets the lease that counts, from the database's clock.
        seat.state, seat.annotator, seat.leased_until = Seat.State.HELD, annotator, ClockTimestamp()
    Seat.objects.bulk_create(seats)
    _hold(annotator, [seat.pk for seat in seats], policy.lease_minutes)
    return [
        Claimed(seat.pk, gold.pair_id, gold.pair.query_id)
        for seat, gold in zip(seats, chosen, strict=True)
    ]


def _choose_golds(
    annotator: Annotator, is_positive: bool, queries: set[int], pairs: set[int], n: int
) -> list[Gold]:
    seen = Seat.objects.filter(annotator=annotator).values("pair")
    unjudgeable = Report.objects.filter(annotator=annotator).values("pair")
    golds = Gold.objects.filter(
        collection=annotator.collection_id, is_positive=is_positive, retired_at=None
    )
    golds = golds.exclude(pair__in=pairs).exclude(pair__in=seen).exclude(pair__in=unjudgeable)
    in_batch = Case(
        When(pair__query__in=queries, then=Value(0)), default=Value(1), output_field=IntegerField()
    )
    # A different order for everybody, and no `ORDER BY random()` over the whole table.
    mixed = (F("pair_id") * 7919 + annotator.pk * 104729) % 1_000_003
    return list(golds.select_related("pair").order_by(in_batch, mixed, "pk")[:n])
