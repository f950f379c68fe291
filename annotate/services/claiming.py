"""Batches: who gets which seats, for how long.

Leases run on the database's clock alone. What is claimed is in queues.py, what is placed unseen among it in unseen.py.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from annotate.core import batches, ordering
from annotate.models import Annotator, Batch, ClockTimestamp, HandOut, Policy, Seat
from annotate.services.gold_checks import check_batch
from annotate.services.queues import Claimed, Walk, hold, open_rounds
from annotate.services.seating import lock_annotator
from annotate.services.training_gate import is_in_training
from annotate.services.unseen import due_repeats, n_golds_wanted, seat_golds, seat_repeats
from annotate.statements import prepared

RENEW_BEFORE = timedelta(minutes=10)  # what is left of a lease when an answer renews the batch's
# Whether she is paused, her unfinished batch, whether anything handed to her waits for an answer, and the number of her
# newest batch.
_DESK = """
    SELECT (SELECT paused_at IS NOT NULL FROM annotate_annotator WHERE id = %(annotator)s),
           (SELECT id FROM annotate_batch WHERE annotator_id = %(annotator)s AND finished_at IS NULL),
           EXISTS (SELECT FROM annotate_handout given JOIN annotate_batch batch ON batch.id = given.batch_id
                   WHERE batch.annotator_id = %(annotator)s AND given.answered_at IS NULL),
           (SELECT coalesce(max(number), 0) FROM annotate_batch WHERE annotator_id = %(annotator)s)
"""
_HAND_OUT = """
    INSERT INTO annotate_handout (batch_id, seat_id, position, token)
    SELECT %(batch)s, seat, position, gen_random_uuid()
    FROM unnest(%(seats)s::bigint[]) WITH ORDINALITY AS given(seat, position)
"""


@transaction.atomic
def current_batch(*, annotator: Annotator) -> Batch | None:
    """The annotator's unfinished batch, its leases renewed, or a new one; None when nothing is left.

    Golds are placed among the candidates and held by seats like all others. A paused annotator
    gets nothing, nor does one who is still to be trained.
    """
    lock_annotator(annotator.pk)
    is_paused, unfinished, has_work, last = _desk(annotator)
    if is_paused or is_in_training(annotator=annotator):
        return None
    if has_work:
        hold_again(annotator=annotator)
    if unfinished is not None:
        batch = Batch.objects.get(pk=unfinished)
        finish_if_done(batch=batch)
        if batch.finished_at is None:
            return batch
        if _desk(annotator)[0]:  # the golds of the batch just finished may have paused her
            return None
    return _open_batch(annotator, number=last + 1)


def _desk(annotator: Annotator) -> tuple[bool, int | None, bool, int]:
    with prepared() as cursor:
        cursor.execute(_DESK, {"annotator": annotator.pk})
        return cursor.fetchone()


def hold_again(*, annotator: Annotator) -> None:
    """Renew the leases of what a person has left to do; give up what others took meanwhile, and checks with it.

    A paused person's leases run out.
    """
    if annotator.paused_at is not None:
        return
    minutes = _policy(annotator.collection_id).lease_minutes
    with prepared() as cursor:
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
              AND (seat.purpose = 'repeat' OR NOT EXISTS (
                  SELECT FROM annotate_seat mine WHERE mine.annotator_id = %(annotator)s
                    AND mine.pair_id = seat.pair_id AND mine.id <> seat.id))
            """,
            {"annotator": annotator.pk, "minutes": minutes},
        )
    lost = unanswered(annotator=annotator).filter(~Q(seat__state=Seat.State.HELD) | ~Q(seat__annotator=annotator))
    n_lost = lost.filter(seat__purpose=Seat.Purpose.LABEL).count()
    lost.update(answered_at=ClockTimestamp())
    if n_lost:
        give_up_checks(annotator=annotator, n_lost=n_lost)


def renew(*, annotator: Annotator, leased_until: datetime | None, at: datetime) -> None:
    """Renew the leases where somebody who is at work at a moment has little left of one.

    Not at every answer, since a renewal writes the whole batch.
    """
    if leased_until is None or leased_until - at < RENEW_BEFORE:
        hold_again(annotator=annotator)


def give_up_checks(*, annotator: Annotator, n_lost: int) -> None:
    """Give up as large a share of the golds and repeats that wait as was lost of the candidates.

    Nobody else can take those: of a batch that lapsed they would be left over, and known by it.
    """
    left = unanswered(annotator=annotator)
    n_candidates = left.filter(seat__purpose=Seat.Purpose.LABEL).count()
    checks = left.exclude(seat__purpose=Seat.Purpose.LABEL).order_by("token")
    rows = list(checks.values_list("pk", "seat"))
    rows = rows[len(rows) * n_candidates // (n_candidates + n_lost) :]
    HandOut.objects.filter(pk__in=[hand_out for hand_out, _ in rows]).update(answered_at=ClockTimestamp())
    Seat.objects.filter(pk__in=[seat for _, seat in rows]).update(state=Seat.State.WITHDRAWN, leased_until=None)


def unanswered(*, annotator: Annotator) -> QuerySet[HandOut]:
    """What a person has left to do, next card first; what was put off comes last. Nothing while paused."""
    left = HandOut.objects.filter(batch__annotator=annotator, answered_at=None)
    left = left.exclude(seat__purpose=Seat.Purpose.TRAINING)  # services/training.py hands those out
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
    check_batch(batch=batch, policy=_policy(batch.collection_id))


def _open_batch(annotator: Annotator, *, number: int) -> Batch | None:
    walk = Walk(annotator)
    policy = walk.rounds[0].policy if walk.rounds else _policy(annotator.collection_id)
    seed = ordering.keyed_hash(bytes(annotator.collection.key), annotator.pk, number)
    seats = _fill(walk, policy, seed)
    if not seats:
        return None
    hold(annotator=annotator, seats=[row.seat for row in seats], minutes=policy.lease_minutes)
    batch = Batch.objects.create(
        collection_id=annotator.collection_id, annotator=annotator, number=number, grouped=policy.grouped
    )
    order = ordering.arrange_batch([row.query for row in seats], grouped=policy.grouped, seed=seed)
    with prepared() as cursor:
        cursor.execute(_HAND_OUT, {"batch": batch.pk, "seats": [seats[index].seat for index in order]})
    return batch


def _fill(walk: Walk, policy: Policy, seed: int) -> list[Claimed]:
    """The seats of a new batch: candidates, golds and repeats; nothing where no candidate is left.

    Golds take the places of candidates, where one query's pairs come together of candidates of their query: neither the
    length of a batch nor that of a query's run tells of them.
    """
    annotator = walk.annotator
    n_golds = n_golds_wanted(policy=policy, collection_id=annotator.collection_id)
    repeats = due_repeats(annotator=annotator, policy=policy)
    walk.take(max(1, policy.batch_candidates + n_golds - len(repeats)))
    if not walk.taken:
        return []
    claimed = list(walk.taken.values())
    golds = seat_golds(annotator=annotator, policy=policy, claimed=claimed, seed=seed)
    kept = batches.leave_places(
        [row.query for row in claimed], [row.query for row in golds], grouped=policy.grouped, seed=seed
    )
    return [*(claimed[place] for place in kept), *golds, *seat_repeats(annotator=annotator, rows=repeats)]


def _policy(collection_id: int) -> Policy:
    """The policy that batches are made under: that of the open round which is served first."""
    round_ = open_rounds(collection_id=collection_id).select_related("policy").first()
    if round_ is not None:
        return round_.policy
    return Policy.objects.filter(collection=collection_id).latest("version")
