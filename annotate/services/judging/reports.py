"""Reports, made instead of a judgment: the pair cannot be judged, or a lead should look. Deferring.

Every change of a report is an event, and its state is that of the last one: a lead settles it and
opens it again, its annotator takes it back.
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
from annotate.services.judging import hand_outs
from annotate.services.judging.claiming import finish_if_done, renew_leases, renew_leases_if_due
from annotate.services.judging.hand_outs import BatchSettled
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
    """Report that a pair cannot be judged, or hand it to the lead; it frees the seat.

    is_change : whether the report replaces her earlier answer or report

    The same submission again changes nothing. Raises NotHandedOut, and BatchSettled if she has
    judged the pair and does not mean to change that, or no longer can.
    """
    lock_annotator(annotator.pk)
    earlier_report = Report.objects.filter(annotator=annotator, submission_id=submission_id).first()
    if earlier_report is not None:
        return earlier_report
    if is_change:
        hand_outs.require_not_stopped(annotator)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token, in_training=in_training)
    pair = hand_outs.lock_pair(hand_out)
    seat = hand_outs.lock_seat(hand_out)
    _take_back_earlier(annotator, hand_out, submission_id, is_change=is_change)
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
    renew_leases_if_due(annotator=annotator, leased_until=seat.leased_until, at=report.at)
    finish_if_done(batch=hand_out.batch)
    return report


def _take_back_earlier(
    annotator: Annotator, hand_out: HandOut, submission_id: UUID, *, is_change: bool
) -> None:
    """Take back her earlier answer or report of a hand-out, if she means to and still can."""
    judgment, earlier = current_judgment(hand_out), Report.objects.filter(hand_out=hand_out).open()
    if judgment is not None or earlier.exists():
        if not is_change:
            earlier_act = (
                "judged this pair; undo the judgment"
                if judgment
                else "reported this pair; take that back"
            )
            raise BatchSettled(f"You have {earlier_act} first.")
        hand_outs.require_unsettled(hand_out)
    if judgment is not None:
        undo(judgment, by=annotator.user, submission_id=submission_id)
    take_back(reports=earlier, by=annotator.user, submission_id=submission_id)


@transaction.atomic
def defer(*, annotator: Annotator, token: UUID) -> HandOut:
    """Put a hand-out at the end of its batch. Raises NotHandedOut, BatchSettled if answered."""
    lock_annotator(annotator.pk)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token)
    if hand_out.answered_at is not None:
        raise BatchSettled(
            "This pair cannot be put off: you are done with it, or somebody else has it by now."
        )
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(deferred_at=ClockTimestamp())
    renew_leases(annotator=annotator)
    return hand_out


def current_judgment(hand_out: HandOut) -> Judgment | None:
    """Return the answer in force to a hand-out: it counts, or came too late to count."""
    return Judgment.objects.current().filter(hand_out=hand_out).order_by("-pk").first()


def undo(judgment: Judgment, *, by: User | None, submission_id: UUID | None) -> None:
    """Record that the annotator takes the answer back."""
    JudgmentEvent.objects.create(
        judgment=judgment, kind=JudgmentEvent.Kind.UNDONE, by=by, submission_id=submission_id
    )


def settle(*, reports: ReportQuerySet, by: User | None, at: datetime | None = None) -> int:
    """Settle those of these reports that are open; returns their number.

    at : the moment of the act that settles them, by which they are found again; by default now
    """
    return _record_events(
        reports.open(), ReportEvent.Kind.SETTLED, Report.State.SETTLED, by=by, at=at
    )


def reopen(*, reports: ReportQuerySet, by: User | None, submission_id: UUID | None = None) -> int:
    """Open those of these reports that were settled or taken back again; returns their number."""
    closed_reports = reports.exclude(state=Report.State.OPEN)
    return _record_events(
        closed_reports,
        ReportEvent.Kind.REOPENED,
        Report.State.OPEN,
        by=by,
        submission_id=submission_id,
    )


def take_back(*, reports: ReportQuerySet, by: User | None, submission_id: UUID | None) -> int:
    """Take back those of these reports that are open; returns their number."""
    open_ = reports.open()
    return _record_events(
        open_, ReportEvent.Kind.UNDONE, Report.State.UNDONE, by=by, submission_id=submission_id
    )


def _record_events(
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
        ReportEvent(report_id=pk, kind=kind, by=by, submission_id=submission_id, **moment)
        for pk in ids
    )
    return Report.objects.filter(pk__in=ids).update(state=state)
