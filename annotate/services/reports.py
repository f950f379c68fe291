"""What annotators say instead of judging: that they cannot, that a lead should look, that they come back to it later.

Every turn of a report is an event, and its state is what the last one says: a lead settles it and opens it again, who
made it takes it back.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from annotate.models import (
    Annotator,
    ClockTimestamp,
    HandOut,
    Judgment,
    JudgmentEvent,
    Report,
    ReportEvent,
    ReportQuerySet,
    Seat,
    User,
)
from annotate.services import hand_outs
from annotate.services.claiming import finish_if_done, hold_again, renew
from annotate.services.hand_outs import BatchSettled
from annotate.services.seating import lock_annotator, reconcile_answered


@transaction.atomic
def report_pair(
    *,
    annotator: Annotator,
    token: UUID,
    submission_id: UUID,
    kind: Report.Kind,
    reason: str = "",
    note: str = "",
    is_change: bool = False,
    in_training: bool = False,
) -> Report:
    """Say that a pair cannot be judged, or hand it to the lead; frees the seat, is never a label.

    is_change : whether she means to take the place of what she said before, an answer or another report
    The same submission again changes nothing. Raises NotHandedOut, and BatchSettled where she has judged the pair and
    does not mean to change that, or no longer can.
    """
    lock_annotator(annotator.pk)
    known = Report.objects.filter(annotator=annotator, submission_id=submission_id).first()
    if known is not None:
        return known
    if is_change:
        hand_outs.require_going(annotator)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token, in_training=in_training)
    pair = hand_outs.lock_pair(hand_out)
    seat = hand_outs.lock_seat(hand_out)
    _make_way(annotator, hand_out, submission_id, is_change=is_change)
    report = Report.objects.create(
        collection_id=annotator.collection_id,
        pair_id=seat.pair_id,
        hand_out=hand_out,
        annotator=annotator,
        submission_id=submission_id,
        kind=kind,
        reason=reason,
        note=note,
    )
    report.refresh_from_db(fields=["at"])
    if seat.state in (Seat.State.HELD, Seat.State.DONE) and seat.annotator_id == annotator.pk:
        hand_outs.give_back(seat)
    reconcile_answered(pair=pair)
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(answered_at=ClockTimestamp())
    renew(annotator=annotator, leased_until=seat.leased_until, at=report.at)
    finish_if_done(batch=hand_out.batch)
    return report


def _make_way(annotator: Annotator, hand_out: HandOut, submission_id: UUID, *, is_change: bool) -> None:
    """Take back what she said of a hand-out before, if that is what she means and still can."""
    judgment, earlier = standing_judgment(hand_out), Report.objects.filter(hand_out=hand_out).open()
    if judgment is not None or earlier.exists():
        if not is_change:
            what = "judged this pair; undo the judgment" if judgment else "reported this pair; take that back"
            raise BatchSettled(f"You have {what} first.")
        hand_outs.require_unsettled(hand_out)
    if judgment is not None:
        undo(judgment, by=annotator.user, submission_id=submission_id)
    take_back(reports=earlier, by=annotator.user, submission_id=submission_id)


@transaction.atomic
def defer(*, annotator: Annotator, token: UUID) -> HandOut:
    """Put a hand-out at the end of its batch. Raises NotHandedOut, and BatchSettled where it waits for no answer."""
    lock_annotator(annotator.pk)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token)
    if hand_out.answered_at is not None:
        raise BatchSettled("This pair cannot be put off: you are done with it, or somebody else has it by now.")
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(deferred_at=ClockTimestamp())
    hold_again(annotator=annotator)
    return hand_out


def standing_judgment(hand_out: HandOut) -> Judgment | None:
    """The answer to a hand-out that stands: it counts, or came too late to count; neither undone nor withdrawn."""
    return Judgment.objects.standing().filter(hand_out=hand_out).order_by("-pk").first()


def undo(judgment: Judgment, *, by: User | None, submission_id: UUID | None) -> None:
    """Write down that whose answer it is takes it back."""
    JudgmentEvent.objects.create(
        judgment=judgment, kind=JudgmentEvent.Kind.UNDONE, by=by, submission_id=submission_id
    )


def settle(*, reports: ReportQuerySet, by: User | None, at: datetime | None = None) -> int:
    """Settle those of these reports that are open; how many they were.

    at : the moment of what settles them, by which they are found again; by default now
    """
    return _turn(reports.open(), ReportEvent.Kind.SETTLED, Report.State.SETTLED, by=by, at=at)


def reopen(*, reports: ReportQuerySet, by: User | None, submission_id: UUID | None = None) -> int:
    """Let those of these reports that were settled or taken back wait for a lead again; how many they were."""
    closed = reports.exclude(state=Report.State.OPEN)
    return _turn(closed, ReportEvent.Kind.REOPENED, Report.State.OPEN, by=by, submission_id=submission_id)


def take_back(*, reports: ReportQuerySet, by: User | None, submission_id: UUID | None) -> int:
    """Let those of these reports that are open be as if they had not been made; how many they were."""
    open_ = reports.open()
    return _turn(open_, ReportEvent.Kind.UNDONE, Report.State.UNDONE, by=by, submission_id=submission_id)


def _turn(
    reports: ReportQuerySet,
    kind: ReportEvent.Kind,
    state: Report.State,
    *,
    by: User | None,
    at: datetime | None = None,
    submission_id: UUID | None = None,
) -> int:
    moment = {} if at is None else {"at": at}
    ids = list(reports.order_by("pk").values_list("pk", flat=True))
    ReportEvent.objects.bulk_create(
        ReportEvent(report_id=pk, kind=kind, by=by, submission_id=submission_id, **moment) for pk in ids
    )
    return Report.objects.filter(pk__in=ids).update(state=state)
