"""Undo: an annotator's last answers, changes, reports and deferrals, taken back one by one.

An act taken back keeps its rows, and events record it. If it had replaced an earlier answer or
report, that is in force again; if not, the hand-out waits for an answer, and the seat is hers if it
is still to be had.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q

from annotate.core.labels import keyed_choices
from annotate.models import (
    Annotator,
    ClockTimestamp,
    CountingJudgment,
    HandOut,
    Judgment,
    JudgmentComment,
    JudgmentEvent,
    Pair,
    PairExclusion,
    Report,
    ReportEvent,
    Seat,
)
from annotate.services.judging import hand_outs, reports
from annotate.services.judging.answer_statements import chain_end
from annotate.services.judging.claiming import give_up_checks, renew_leases
from annotate.services.judging.hand_outs import BatchSettled
from annotate.services.seating import lock_annotator, reconcile_answered, reconcile_locked
from annotate.statements import prepared_cursor

_OWN_FIELDS = {"id", "submission_id", "supersedes_id", "restores_id", "at"}  # of each row alone
_CHAIN_END = "SELECT " + chain_end(
    "%(annotator)s", pair="%(pair)s", purpose="%(purpose)s::text", seat="%(seat)s::bigint"
)
CHANGEABLE = 20  # number of her last pairs whose acts can be taken back
ANSWER, REPORT, DEFER = "answer", "report", "later"
# Her acts in force in batches that are not settled, the newest first. A restored answer keeps its
# place; its newest row says whether it was undone. With an answer or report that a lead withdrew or
# settled goes the one that it had replaced.
_ACTS = """
    SELECT hand_out.id, hand_out.token, act.kind, act.at, act.row
    FROM annotate_batch batch JOIN annotate_handout hand_out ON hand_out.batch_id = batch.id
    JOIN annotate_seat seat ON seat.id = hand_out.seat_id
    CROSS JOIN LATERAL (
        SELECT 'answer' AS kind, judgment.at, judgment.id AS row FROM annotate_judgment judgment
        WHERE judgment.hand_out_id = hand_out.id AND judgment.restores_id IS NULL AND (
            SELECT standing.is_in_force FROM annotate_judgmentoutcome standing
            WHERE standing.judgment_id = (SELECT max(id) FROM annotate_judgment newest
                                          WHERE newest.id = judgment.id
                                             OR newest.restores_id = judgment.id))
          AND (EXISTS (SELECT FROM annotate_report report
                       WHERE report.hand_out_id = hand_out.id AND report.state = 'open')
               OR EXISTS (
                   SELECT FROM annotate_judgment last
                   JOIN annotate_judgmentoutcome standing ON standing.judgment_id = last.id
                   WHERE last.hand_out_id = hand_out.id
                     AND standing.outcome IN ('counts', 'surplus')))
        UNION ALL
        SELECT 'report', report.at, report.id FROM annotate_report report
        WHERE report.hand_out_id = hand_out.id AND report.state = 'open'
        UNION ALL
        SELECT 'later', hand_out.deferred_at, NULL
          WHERE hand_out.deferred_at IS NOT NULL AND hand_out.answered_at IS NULL) act
    WHERE batch.annotator_id = %(annotator)s AND batch.settled_at IS NULL
      AND seat.purpose <> 'training'
    ORDER BY act.at DESC, act.row DESC
"""


class NothingToUndo(Exception):
    """No act of hers on the hand-out is in force and could be taken back."""


class Act(NamedTuple):
    """One act of hers that can be taken back.

    kind : answer (a change is one), report or later (a deferral)
    row : key of the original judgment, or of the report; None of a deferral
    """

    hand_out: int
    token: UUID
    kind: str
    at: datetime
    row: int | None

    @property
    def stored_row(self) -> int:
        """The row of an answer or report."""
        assert self.row is not None, "it is no deferral"  # noqa: S101
        return self.row


def last_acts(*, annotator: Annotator) -> list[Act]:
    """Return her acts on the last CHANGEABLE pairs, and her deferrals meanwhile, newest first."""
    with prepared_cursor() as cursor:
        cursor.execute(_ACTS, {"annotator": annotator.pk})
        acts = [Act(*row) for row in cursor.fetchall()]
    done_hand_outs: set[int] = set()
    for index, act in enumerate(acts):
        if act.kind != DEFER:
            done_hand_outs.add(act.hand_out)
        if len(done_hand_outs) > CHANGEABLE:
            return acts[:index]
    return acts


def current_responses(*, hand_outs: Sequence[HandOut]) -> dict[int, Judgment | Report]:
    """Return the response in force by hand-out: an answer, or else an open report; two queries."""
    keys = [hand_out.pk for hand_out in hand_outs]
    open_reports = Report.objects.filter(hand_out__in=keys).open().order_by("pk")
    responses: dict[int, Judgment | Report] = {
        report.hand_out_id: report for report in open_reports
    }
    answers = (
        Judgment.objects.current().filter(hand_out__in=keys).select_related("level", "comment")
    )
    for answer in answers.order_by("pk"):
        assert answer.hand_out_id is not None, "it is of one of these hand-outs"  # noqa: S101
        responses[answer.hand_out_id] = answer
    return responses


def current_response(*, hand_out: HandOut) -> Judgment | Report | None:
    """Return the response in force to one hand-out, if any."""
    return current_responses(hand_outs=[hand_out]).get(hand_out.pk)


def changeable_response(*, annotator: Annotator, token: UUID) -> tuple[HandOut, Judgment | Report]:
    """Return a hand-out and its response, which she is about to change.

    Raises NotHandedOut, NotWhileStopped, NothingToUndo, BatchSettled.
    """
    hand_outs.require_not_stopped(annotator)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token)
    response = current_response(hand_out=hand_out)
    if response is None or all(
        act.hand_out != hand_out.pk for act in last_acts(annotator=annotator)
    ):
        raise _refusal(hand_out)
    return hand_out, response


def undone_answer(*, hand_out: HandOut, submission_id: UUID) -> Judgment | None:
    """Return the answer that an undo took back, if it was one."""
    undone_judgments = Judgment.objects.filter(
        hand_out=hand_out,
        events__kind=JudgmentEvent.Kind.UNDONE,
        events__submission_id=submission_id,
    )
    return undone_judgments.select_related("level", "comment").last()


@transaction.atomic
def take_back(
    *, annotator: Annotator, token: UUID, submission_id: UUID | None = None, kind: str | None = None
) -> HandOut:
    """Take back her last act on a hand-out of an unsettled batch.

    kind : the kind of act she means to take back; a later act of another kind is left alone

    Undoing twice is harmless, and so is the same submission after another answer: that one stays.
    Raises NotHandedOut, NotWhileStopped, NothingToUndo, BatchSettled.
    """
    lock_annotator(annotator.pk)
    hand_outs.require_not_stopped(annotator)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token)
    if _is_replayed(annotator, submission_id):
        return hand_out
    pair = hand_outs.lock_pair(hand_out)  # a lead may be settling the report she takes back
    act = next((act for act in last_acts(annotator=annotator) if act.hand_out == hand_out.pk), None)
    if act is None:
        if hand_out.answered_at is None:
            return hand_out
        raise _refusal(hand_out)
    if kind is not None and act.kind != kind:
        raise NothingToUndo("You did something else with this pair since; that stands.")
    if act.kind == DEFER:
        HandOut.objects.filter(pk=hand_out.pk).update(deferred_at=None)
        renew_leases(annotator=annotator)
    else:
        _take_back_response(annotator, hand_out, pair, act, submission_id)
    hand_out.refresh_from_db()
    return hand_out


def _take_back_response(
    annotator: Annotator, hand_out: HandOut, pair: Pair, act: Act, submission_id: UUID | None
) -> None:
    seat = hand_outs.lock_seat(hand_out)
    earlier = _response_before(act)
    if act.kind == REPORT:
        reports.take_back(
            reports=Report.objects.filter(pk=act.stored_row),
            by=annotator.user,
            submission_id=submission_id,
        )
    else:
        last = Judgment.objects.filter(Q(pk=act.row) | Q(restores=act.row)).latest("pk")
        reports.undo(last, by=annotator.user, submission_id=submission_id)
    if isinstance(earlier, Report):
        if _is_counting(seat, annotator):
            hand_outs.give_back(seat)
        reports.reopen(
            reports=Report.objects.filter(pk=earlier.pk),
            by=annotator.user,
            submission_id=submission_id,
        )
        _settle_decided(earlier)
    else:
        is_hers = _hold(seat, annotator, pair)
        if earlier is not None:
            _restore(earlier, submission_id, seat=seat if is_hers else None)
        elif is_hers:
            hand_outs.reopen(hand_out)
            renew_leases(annotator=annotator)
        elif seat.purpose == Seat.Purpose.LABEL:
            give_up_checks(annotator=annotator, n_lost=1)
    reconcile_answered(pair=pair)


def _response_before(act: Act) -> Judgment | Report | None:
    """Return the answer or report that the act had replaced, if any."""
    if act.kind == ANSWER:
        judgment = Judgment.objects.get(pk=act.stored_row)
        if earlier := Judgment.objects.in_force().filter(superseded_by=judgment).first():
            return earlier
        submission_id = judgment.submission_id
    else:
        submission_id = Report.objects.get(pk=act.stored_row).submission_id
    # one submission took back the one and stored the other
    same_submission = {"kind": JudgmentEvent.Kind.UNDONE, "submission_id": submission_id}
    undone_events = JudgmentEvent.objects.filter(
        judgment__hand_out=act.hand_out, **same_submission
    ).select_related("judgment")
    if event := undone_events.first():
        return event.judgment
    taken_back_events = ReportEvent.objects.filter(
        report__hand_out=act.hand_out, **same_submission
    ).select_related("report")
    report_event = taken_back_events.first()
    return report_event.report if report_event else None


def _settle_decided(report: Report) -> None:
    """Settle a reopened report at once if a lead has decided about its pair meanwhile."""
    adjudications = CountingJudgment.objects.filter(
        pair=report.pair_id, purpose=Seat.Purpose.ADJUDICATION
    ).values_list("at", flat=True)
    exclusions = PairExclusion.objects.filter(pair=report.pair_id).values_list("at", flat=True)
    for at in [*adjudications, *exclusions]:
        reports.settle(reports=Report.objects.filter(pk=report.pk), by=None, at=at)


def _is_counting(seat: Seat, annotator: Annotator) -> bool:
    return seat.state == Seat.State.DONE and seat.annotator_id == annotator.pk


def _hold(seat: Seat, annotator: Annotator, pair: Pair) -> bool:
    """Let her hold the seat of her answer, or the one she gave back, if it is to be had."""
    if _is_counting(seat, annotator):
        # A lease that has expired and is renewed at once: claiming decides on its length.
        seat_fields = {"state": Seat.State.HELD, "judgment": None, "leased_until": ClockTimestamp()}
        return bool(Seat.objects.filter(pk=seat.pk).update(**seat_fields))
    reconcile_locked(pairs=[pair])  # a report may have withdrawn seats that are wanted now
    if seat.purpose != Seat.Purpose.LABEL and _is_lost_like_candidates(seat, annotator):
        return False
    return hand_outs.take_again(annotator=annotator, seat=seat.pk)


def _is_lost_like_candidates(check: Seat, annotator: Annotator) -> bool:
    """True if a check is lost, at random, as often as the candidates reported in its batch are.

    Nobody else can take a check: if she always got it back, she would know which pairs are checks.
    """
    hand_out = HandOut.objects.filter(seat=check, batch__annotator=annotator).latest("pk")
    reports_in_batch = Report.objects.filter(
        hand_out__batch=hand_out.batch_id,
        annotator=annotator,
        hand_out__seat__purpose=Seat.Purpose.LABEL,
    )
    n_lost = (
        reports_in_batch.filter(state=Report.State.UNDONE, hand_out__answered_at__isnull=False)
        .exclude(hand_out__seat__annotator=annotator)
        .values("hand_out")
        .distinct()
        .count()
    )
    n_reported = reports_in_batch.values("hand_out").distinct().count()
    return (
        n_lost > 0
        and keyed_choices.keyed_hash(bytes(annotator.collection.key), annotator.pk, hand_out.pk)
        % n_reported
        < n_lost
    )


def _chain_end(judgment: Judgment) -> int:
    """The key of the last answer of a judgment's chain."""
    hand_out = judgment.hand_out  # imported labels were not handed out
    key: dict[str, str | int | None] = {
        "annotator": judgment.annotator_id,
        "pair": judgment.pair_id,
        "purpose": judgment.purpose,
        "seat": hand_out.seat_id if hand_out else None,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_CHAIN_END, key)
        last: int = cursor.fetchone()[0]
    return last


def _restore(judgment: Judgment, submission_id: UUID | None, *, seat: Seat | None) -> None:
    """Store a copy of an earlier answer as the new end of its chain; with a seat it counts."""
    copied_fields = {field.attname for field in Judgment._meta.concrete_fields} - _OWN_FIELDS
    restored = Judgment.objects.create(
        **{name: getattr(judgment, name) for name in copied_fields},
        submission_id=submission_id or uuid4(),
        supersedes_id=_chain_end(judgment),
        restores_id=judgment.restores_id or judgment.pk,
    )
    for comment in JudgmentComment.objects.filter(judgment=judgment):
        JudgmentComment.objects.create(judgment=restored, text=comment.text)
    if seat is not None:
        Seat.objects.filter(pk=seat.pk).update(
            state=Seat.State.DONE, judgment=restored, leased_until=None
        )


def _is_replayed(annotator: Annotator, submission_id: UUID | None) -> bool:
    if submission_id is None:
        return False
    judgment_events = JudgmentEvent.objects.filter(
        judgment__annotator=annotator, submission_id=submission_id
    )
    report_events = ReportEvent.objects.filter(
        report__annotator=annotator, submission_id=submission_id
    )
    return judgment_events.exists() or report_events.exists()


def _refusal(hand_out: HandOut) -> Exception:
    """Return the error that says why no act on a hand-out can be taken back."""
    if hand_out.batch.settled_at is not None:
        return BatchSettled.of(hand_out.batch)
    if current_response(hand_out=hand_out) is not None:
        return BatchSettled(
            f"Only the last {CHANGEABLE} pairs you were done with can be taken back."
        )
    return NothingToUndo(
        "There is nothing of this pair to undo: your lead has settled it, or it was never answered."
    )
