"""Hand-outs by their tokens, only the annotator's own; and their seats, freed and taken again."""

from uuid import UUID

from annotate.models import Annotator, Batch, HandOut, Pair, Seat
from annotate.services.seating.eligibility import CLAIMABLE, has_no_other_label
from annotate.statements import prepared_cursor

# Checks are given back by withdrawing them. The lease has expired and is renewed at once: claiming
# decides on its length.
_TAKE_AGAIN = f"""
    UPDATE annotate_seat seat SET state = 'held', annotator_id = %(annotator)s,
           leased_until = clock_timestamp()
    WHERE seat.id = %(seat)s
      AND ({CLAIMABLE} OR seat.state = 'withdrawn' AND seat.annotator_id = %(annotator)s
                          AND seat.purpose IN ('gold', 'repeat'))
      AND {has_no_other_label("%(annotator)s")}
"""  # noqa: S608 - own words
NOT_HANDED_OUT = "This pair was not handed to you."


class NotHandedOut(Exception):
    """This seat was never handed to this annotator."""


class BatchSettled(Exception):
    """The answer belongs to a batch that is settled; it can no longer be changed."""

    @classmethod
    def of(cls, batch: Batch) -> "BatchSettled":
        """Return the error for this batch."""
        return cls(f"Batch {batch.judging_number} is settled; its answers stand.")


class NotWhileStopped(Exception):
    """An annotator who is stopped can change or take back no answer and no report."""


def require_not_stopped(annotator: Annotator) -> None:
    """Raise NotWhileStopped if the annotator is paused, or her collection archived."""
    if annotator.collection.archived_at is not None:
        raise NotWhileStopped("This collection is archived: what you said stands.")
    if annotator.paused_at is not None:
        raise NotWhileStopped(
            "Your work is paused: until the lead lets you go on, what you said stands."
        )


def own_hand_out(*, annotator: Annotator, token: UUID, in_training: bool = False) -> HandOut:
    """Return the annotator's hand-out with its batch and seat. Raises NotHandedOut."""
    hand_outs = HandOut.objects.filter(token=token, batch__annotator=annotator)
    hand_out = hand_outs.select_related("batch", "seat").first()
    # Where feedback was given there is no undoing, changing or putting off: training/tries.py is
    # the only way in.
    if hand_out is None or in_training != (hand_out.seat.purpose == Seat.Purpose.TRAINING):
        raise NotHandedOut(NOT_HANDED_OUT)
    return hand_out


def require_unsettled(hand_out: HandOut) -> None:
    """Raise BatchSettled if the batch's answers can no longer be changed."""
    if hand_out.batch.settled_at is not None:
        raise BatchSettled.of(hand_out.batch)


def lock_pair(hand_out: HandOut) -> Pair:
    """Lock the hand-out's pair, before any label of it is read."""
    return Pair.objects.select_for_update(no_key=True).get(pk=hand_out.seat.pair_id)


def lock_seat(hand_out: HandOut) -> Seat:
    """Lock the hand-out's seat and return it as it is now; lock its pair first."""
    return Seat.objects.select_for_update().get(pk=hand_out.seat_id)


def give_back(seat: Seat) -> None:
    """Free a candidate's seat for others; a check's seat has no other taker."""
    state = Seat.State.FREE if seat.purpose == Seat.Purpose.LABEL else Seat.State.WITHDRAWN
    cleared_fields = {} if seat.purpose != Seat.Purpose.LABEL else {"annotator": None}
    Seat.objects.filter(pk=seat.pk).update(
        state=state, leased_until=None, judgment=None, **cleared_fields
    )


def take_again(*, annotator: Annotator, seat: int) -> bool:
    """Let her hold a seat that she gave back, unless somebody else has it or no round wants it."""
    with prepared_cursor() as cursor:
        cursor.execute(_TAKE_AGAIN, {"annotator": annotator.pk, "seat": seat})
        return bool(cursor.rowcount)


def reopen(hand_out: HandOut) -> None:
    """Make the hand-out the next card; a batch that it finished is unfinished again."""
    HandOut.objects.filter(pk=hand_out.pk).update(answered_at=None, deferred_at=None)
    unfinished_batches = Batch.objects.filter(
        annotator=hand_out.batch.annotator_id, finished_at=None
    )
    if not unfinished_batches.exists():
        Batch.objects.filter(pk=hand_out.batch_id).update(finished_at=None)
