"""Batches: who gets which seats, for how long.

Leases run on the database's clock alone. Candidates are claimed by queues.py; the checks hidden
among them come from hidden_checks.py.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from annotate.core.labels import batches, keyed_choices
from annotate.models import Annotator, Batch, ClockTimestamp, HandOut, Policy, Seat
from annotate.services.golds.batch_checks import check_batch
from annotate.services.golds.hidden_checks import (
    due_repeats,
    n_golds_wanted,
    seat_golds,
    seat_repeats,
)
from annotate.services.judging.training_gate import is_in_training
from annotate.services.seating import lock_annotator
from annotate.services.seating.eligibility import CLAIMABLE, has_no_other_seat
from annotate.services.seating.queues import ClaimedSeat, Walk, hold, open_rounds
from annotate.statements import prepared_cursor

# an answer renews the batch's leases when less than this is left
RENEW_BEFORE = timedelta(minutes=10)
# Whether she is stopped (Annotator.is_stopped), her unfinished batch, whether a hand-out of hers
# waits for an answer, and the number of her newest batch.
_WORK_STATE = """
    SELECT (SELECT annotator.paused_at IS NOT NULL OR collection.archived_at IS NOT NULL
            FROM annotate_annotator annotator
            JOIN annotate_collection collection ON collection.id = annotator.collection_id
            WHERE annotator.id = %(annotator)s),
           (SELECT id FROM annotate_batch
            WHERE annotator_id = %(annotator)s AND finished_at IS NULL),
           EXISTS (SELECT FROM annotate_handout hand_out
                   JOIN annotate_batch batch ON batch.id = hand_out.batch_id
                   WHERE batch.annotator_id = %(annotator)s AND hand_out.answered_at IS NULL),
           (SELECT coalesce(max(number), 0) FROM annotate_batch WHERE annotator_id = %(annotator)s)
"""
# A lease of which half is left is not written again.
_RENEW = f"""
    UPDATE annotate_seat seat SET state = 'held', annotator_id = %(annotator)s,
           leased_until = clock_timestamp() + make_interval(mins => %(minutes)s)
    FROM annotate_handout hand_out JOIN annotate_batch batch ON batch.id = hand_out.batch_id
    WHERE batch.annotator_id = %(annotator)s AND hand_out.answered_at IS NULL
      AND hand_out.seat_id = seat.id
      AND (seat.state = 'held' AND seat.annotator_id = %(annotator)s
           AND seat.leased_until < clock_timestamp() + make_interval(mins => %(minutes)s) / 2
           OR {CLAIMABLE})
      AND {has_no_other_seat("%(annotator)s")}
"""  # noqa: S608 - own words
_HAND_OUT = """
    INSERT INTO annotate_handout (batch_id, seat_id, position, token)
    SELECT %(batch)s, seat, position, gen_random_uuid()
    FROM unnest(%(seats)s::bigint[]) WITH ORDINALITY AS claimed(seat, position)
"""


@transaction.atomic
def current_batch(*, annotator: Annotator) -> Batch | None:
    """Return the unfinished batch, its leases renewed, or a new one; None when nothing is left.

    Golds are placed among the candidates and held by seats like all others. A paused annotator
    gets None, one who is still to be trained, and everybody in an archived collection.
    """
    lock_annotator(annotator.pk)
    is_stopped, unfinished_pk, has_work, last_number = _read_work_state(annotator)
    if is_stopped or is_in_training(annotator=annotator):
        return None
    if has_work:
        renew_leases(annotator=annotator)
    if unfinished_pk is not None:
        batch = Batch.objects.get(pk=unfinished_pk)
        finish_if_done(batch=batch)
        if batch.finished_at is None:
            return batch
        # the golds of the batch just finished may have paused her
        if _read_work_state(annotator)[0]:
            return None
    return _open_batch(annotator, number=last_number + 1)


def _read_work_state(annotator: Annotator) -> tuple[bool, int | None, bool, int]:
    with prepared_cursor() as cursor:
        cursor.execute(_WORK_STATE, {"annotator": annotator.pk})
        return cursor.fetchone()


def renew_leases(*, annotator: Annotator) -> None:
    """Renew the leases of a person's open hand-outs, unless she is stopped.

    Those that others took are given up, and checks with them.
    """
    if annotator.is_stopped:
        return
    minutes = _policy(annotator.collection_id).lease_minutes
    with prepared_cursor() as cursor:
        cursor.execute(_RENEW, {"annotator": annotator.pk, "minutes": minutes})
    lost_hand_outs = open_hand_outs(annotator=annotator).filter(
        ~Q(seat__state=Seat.State.HELD) | ~Q(seat__annotator=annotator)
    )
    n_lost = lost_hand_outs.filter(seat__purpose=Seat.Purpose.LABEL).count()
    lost_hand_outs.update(answered_at=ClockTimestamp())
    if n_lost:
        give_up_checks(annotator=annotator, n_lost=n_lost)


def renew_leases_if_due(
    *, annotator: Annotator, leased_until: datetime | None, at: datetime
) -> None:
    """Renew an annotator's leases if little is left of one: each renewal writes the whole batch."""
    if leased_until is None or leased_until - at < RENEW_BEFORE:
        renew_leases(annotator=annotator)


def give_up_checks(*, annotator: Annotator, n_lost: int) -> None:
    """Give up as large a share of the waiting golds and repeats as was lost of the candidates.

    Nobody else can take those: left over of a batch that lapsed, they would be recognised.
    """
    hand_outs = open_hand_outs(annotator=annotator)
    n_candidates = hand_outs.filter(seat__purpose=Seat.Purpose.LABEL).count()
    checks = hand_outs.exclude(seat__purpose=Seat.Purpose.LABEL).order_by("token")
    rows = list(checks.values_list("pk", "seat"))
    rows = rows[len(rows) * n_candidates // (n_candidates + n_lost) :]
    HandOut.objects.filter(pk__in=[hand_out for hand_out, _ in rows]).update(
        answered_at=ClockTimestamp()
    )
    Seat.objects.filter(pk__in=[seat for _, seat in rows]).update(
        state=Seat.State.WITHDRAWN, leased_until=None
    )


def open_hand_outs(*, annotator: Annotator) -> QuerySet[HandOut]:
    """Return a person's open hand-outs, next card first, deferred last; none while stopped."""
    hand_outs = HandOut.objects.filter(batch__annotator=annotator, answered_at=None)
    # training/tries.py hands those out
    hand_outs = hand_outs.exclude(seat__purpose=Seat.Purpose.TRAINING)
    if annotator.is_stopped:
        return hand_outs.none()
    return hand_outs.order_by("batch__number", F("deferred_at").asc(nulls_first=True), "position")


def finish_if_done(*, batch: Batch) -> None:
    """Finish a batch whose hand-outs are all answered; that settles the batches before it."""
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
    seed = keyed_choices.keyed_hash(bytes(annotator.collection.key), annotator.pk, number)
    seats = _fill(walk, policy, seed)
    if not seats:
        return None
    # a browser asks for the next batch by itself: whoever has stopped holds it up for a short time,
    # and the first answer renews the leases
    minutes = min(policy.lease_minutes, RENEW_BEFORE // timedelta(minutes=1))
    hold(annotator=annotator, seats=[row.seat for row in seats], minutes=minutes)
    batch = Batch.objects.create(
        collection_id=annotator.collection_id,
        annotator=annotator,
        number=number,
        grouped=policy.grouped,
    )
    order = keyed_choices.arrange_batch(
        [row.query for row in seats], grouped=policy.grouped, seed=seed
    )
    with prepared_cursor() as cursor:
        cursor.execute(
            _HAND_OUT, {"batch": batch.pk, "seats": [seats[index].seat for index in order]}
        )
    return batch


def _fill(walk: Walk, policy: Policy, seed: int) -> list[ClaimedSeat]:
    """Choose the seats of a new batch: candidates, golds and repeats; none without a candidate.

    Golds take the places of candidates, and where one query's pairs come together, of candidates of
    their query: neither the length of a batch nor that of a query's run reveals them.
    """
    annotator = walk.annotator
    n_golds = n_golds_wanted(policy=policy, collection_id=annotator.collection_id)
    repeats = due_repeats(annotator=annotator, policy=policy)
    walk.take(max(1, policy.batch_candidates + n_golds - len(repeats)))
    if not walk.taken:
        return []
    claimed_seats = list(walk.taken.values())
    golds = seat_golds(annotator=annotator, policy=policy, claimed_seats=claimed_seats, seed=seed)
    candidate_indices = batches.remaining_candidates(
        [row.query for row in claimed_seats],
        [row.query for row in golds],
        grouped=policy.grouped,
        seed=seed,
    )
    return [
        *(claimed_seats[index] for index in candidate_indices),
        *golds,
        *seat_repeats(annotator=annotator, rows=repeats),
    ]


def _policy(collection_id: int) -> Policy:
    """Return the policy that batches are made under: that of the open round served first."""
    round_ = open_rounds(collection_id=collection_id).select_related("policy").first()
    if round_ is not None:
        return round_.policy
    return Policy.objects.filter(collection=collection_id).latest("version")
