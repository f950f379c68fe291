"""The stack of what an annotator did last: answers, changes, reports and cards put off, taken back one after the other.

What is taken back keeps its rows, and events say that it was. Where it had taken the place of something else, that
stands again; where it had not, the hand-out waits for an answer, and the seat is hers if it is still to be had.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q

from annotate.core import ordering
from annotate.models import (
    Annotator,
    ClockTimestamp,
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
from annotate.services import hand_outs, reports
from annotate.services.claiming import give_up_checks, hold_again
from annotate.services.hand_outs import BatchSettled
from annotate.services.seating import lock_annotator, reconcile_answered, reconcile_locked
from annotate.statements import prepared

CHANGEABLE = 20  # pairs she was done with last, of which that can be taken back
ANSWER, REPORT, LATER = "answer", "report", "later"
# What stands of what she did in batches that are not settled, the newest first. An answer that was restored keeps its
# place; whether it was undone its newest row says. What a lead withdrew or settled takes along what it had replaced.
_ACTS = """
    SELECT given.id, given.token, act.kind, act.at, act.row
    FROM annotate_batch batch JOIN annotate_handout given ON given.batch_id = batch.id
    JOIN annotate_seat seat ON seat.id = given.seat_id
    CROSS JOIN LATERAL (
        SELECT 'answer' AS kind, said.at, said.id AS row FROM annotate_judgment said
        WHERE said.hand_out_id = given.id AND said.restores_id IS NULL AND coalesce((
            SELECT event.kind FROM annotate_judgmentevent event
            WHERE event.judgment_id = (SELECT max(id) FROM annotate_judgment newest
                                       WHERE newest.id = said.id OR newest.restores_id = said.id)
            ORDER BY event.id DESC LIMIT 1), 'restored') = 'restored'
          AND (EXISTS (SELECT FROM annotate_report report
                       WHERE report.hand_out_id = given.id AND report.state = 'open')
               OR EXISTS (
                   SELECT FROM annotate_judgment last
                   WHERE last.hand_out_id = given.id
                     AND NOT EXISTS (SELECT FROM annotate_judgment later WHERE later.supersedes_id = last.id)
                     AND coalesce((SELECT event.kind FROM annotate_judgmentevent event
                                   WHERE event.judgment_id = last.id ORDER BY event.id DESC LIMIT 1), 'restored')
                         = 'restored'))
        UNION ALL
        SELECT 'report', report.at, report.id FROM annotate_report report
        WHERE report.hand_out_id = given.id AND report.state = 'open'
        UNION ALL
        SELECT 'later', given.deferred_at, NULL WHERE given.deferred_at IS NOT NULL AND given.answered_at IS NULL) act
    WHERE batch.annotator_id = %(annotator)s AND batch.settled_at IS NULL AND seat.purpose <> 'training'
    ORDER BY act.at DESC, act.row DESC
"""


class NothingToUndo(Exception):
    """Nothing that she did with the hand-out stands and could be taken back."""


class Act(NamedTuple):
    """One thing she did that can be taken back.

    kind : answer (a change is one), report or later
    row : key of the judgment as it was given, or of the report
    """

    hand_out: int
    token: UUID
    kind: str
    at: datetime
    row: int | None


def last_acts(*, annotator: Annotator) -> list[Act]:
    """What she did with the last CHANGEABLE pairs she was done with, and what she put off meanwhile; newest first."""
    with prepared() as cursor:
        cursor.execute(_ACTS, {"annotator": annotator.pk})
        acts = [Act(*row) for row in cursor.fetchall()]
    done: set[int] = set()
    for place, act in enumerate(acts):
        if act.kind != LATER:
            done.add(act.hand_out)
        if len(done) > CHANGEABLE:
            return acts[:place]
    return acts


def standing_words(*, hand_outs: Sequence[HandOut]) -> dict[int, Judgment | Report]:
    """What was said of each hand-out that stands: an answer, or else a report that is open; two queries."""
    keys = [hand_out.pk for hand_out in hand_outs]
    open_ = Report.objects.filter(hand_out__in=keys).open().order_by("pk")
    words: dict[int, Judgment | Report] = {report.hand_out_id: report for report in open_}
    answers = Judgment.objects.standing().filter(hand_out__in=keys).select_related("level", "comment")
    return words | {answer.hand_out_id: answer for answer in answers.order_by("pk")}


def standing_word(*, hand_out: HandOut) -> Judgment | Report | None:
    """The same of one hand-out."""
    return standing_words(hand_outs=[hand_out]).get(hand_out.pk)


def changeable_word(*, annotator: Annotator, token: UUID) -> tuple[HandOut, Judgment | Report]:
    """A hand-out and what she said of it, to be said anew.

    Raises NotHandedOut, NotWhilePaused, NothingToUndo, BatchSettled.
    """
    hand_outs.require_going(annotator)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token)
    word = standing_word(hand_out=hand_out)
    if word is None or all(act.hand_out != hand_out.pk for act in last_acts(annotator=annotator)):
        raise _refusal(hand_out)
    return hand_out, word


@transaction.atomic
def take_back(
    *, annotator: Annotator, token: UUID, submission_id: UUID | None = None, kind: str | None = None
) -> HandOut:
    """Take back what she did last with a hand-out of an unsettled batch.

    kind : what she means to take back; where she did something else with the hand-out since, that stands
    Undoing twice is harmless, and so is the same submission after another answer was given: that one stays.
    Raises NotHandedOut, NotWhilePaused, NothingToUndo, BatchSettled.
    """
    lock_annotator(annotator.pk)
    hand_outs.require_going(annotator)
    hand_out = hand_outs.own_hand_out(annotator=annotator, token=token)
    if _is_replayed(annotator, submission_id):
        return hand_out
    pair = hand_outs.lock_pair(hand_out)  # a lead may be settling what she takes back
    act = next((act for act in last_acts(annotator=annotator) if act.hand_out == hand_out.pk), None)
    if act is None:
        if hand_out.answered_at is None:
            return hand_out
        raise _refusal(hand_out)
    if kind is not None and act.kind != kind:
        raise NothingToUndo("You did something else with this pair since; that stands.")
    if act.kind == LATER:
        HandOut.objects.filter(pk=hand_out.pk).update(deferred_at=None)
        hold_again(annotator=annotator)
    else:
        _take_back_word(annotator, hand_out, pair, act, submission_id)
    hand_out.refresh_from_db()
    return hand_out


def _take_back_word(
    annotator: Annotator, hand_out: HandOut, pair: Pair, act: Act, submission_id: UUID | None
) -> None:
    seat = hand_outs.lock_seat(hand_out)
    before = _word_before(act)
    if act.kind == REPORT:
        reports.take_back(reports=Report.objects.filter(pk=act.row), by=annotator.user, submission_id=submission_id)
    else:
        last = Judgment.objects.filter(Q(pk=act.row) | Q(restores=act.row)).latest("pk")
        reports.undo(last, by=annotator.user, submission_id=submission_id)
    if isinstance(before, Report):
        if _counts(seat, annotator):
            hand_outs.give_back(seat)
        reports.reopen(reports=Report.objects.filter(pk=before.pk), by=annotator.user, submission_id=submission_id)
        _settle_decided(before)
    else:
        is_hers = _hold(seat, annotator, pair)
        if before is not None:
            _restore(before, submission_id, seat=seat if is_hers else None)
        elif is_hers:
            hand_outs.reopen(hand_out)
            hold_again(annotator=annotator)
        elif seat.purpose == Seat.Purpose.LABEL:
            give_up_checks(annotator=annotator, n_lost=1)
    reconcile_answered(pair=pair)


def _word_before(act: Act) -> Judgment | Report | None:
    """What had stood until this was said in its place."""
    if act.kind == ANSWER:
        judgment = Judgment.objects.get(pk=act.row)
        if earlier := Judgment.objects.in_force().filter(superseded_by=judgment).first():
            return earlier
        submission_id = judgment.submission_id
    else:
        submission_id = Report.objects.get(pk=act.row).submission_id
    together = {"kind": JudgmentEvent.Kind.UNDONE, "submission_id": submission_id}  # one submission did both
    undone = JudgmentEvent.objects.filter(judgment__hand_out=act.hand_out, **together).select_related("judgment")
    if event := undone.first():
        return event.judgment
    taken_back = ReportEvent.objects.filter(report__hand_out=act.hand_out, **together).select_related("report")
    return event.report if (event := taken_back.first()) else None


def _settle_decided(report: Report) -> None:
    """Let a report that is open again wait for nobody where a lead has decided about its pair meanwhile."""
    adjudications = Seat.objects.filter(
        pair=report.pair_id, purpose=Seat.Purpose.ADJUDICATION, state=Seat.State.DONE
    ).values_list("judgment__at", flat=True)
    exclusions = PairExclusion.objects.filter(pair=report.pair_id).values_list("at", flat=True)
    for at in [*adjudications, *exclusions]:
        reports.settle(reports=Report.objects.filter(pk=report.pk), by=None, at=at)


def _counts(seat: Seat, annotator: Annotator) -> bool:
    return seat.state == Seat.State.DONE and seat.annotator_id == annotator.pk


def _hold(seat: Seat, annotator: Annotator, pair: Pair) -> bool:
    """Let her hold the seat that her answer counted for, or the one that she gave back, if that can be."""
    if _counts(seat, annotator):
        # An expired lease at once renewed: the lease's length is claiming's business.
        held = {"state": Seat.State.HELD, "judgment": None, "leased_until": ClockTimestamp()}
        return bool(Seat.objects.filter(pk=seat.pk).update(**held))
    reconcile_locked(pairs=[pair])  # a report may have taken seats away that are wanted now
    if seat.purpose != Seat.Purpose.LABEL and _is_gone_like_others(seat, annotator):
        return False
    return hand_outs.take_again(annotator=annotator, seat=seat.pk)


def _is_gone_like_others(check: Seat, annotator: Annotator) -> bool:
    """Whether a check that nobody else can take is gone all the same, as often as the candidates reported beside it.

    Else what is hers again for certain would tell her which pairs are checks.
    """
    given = HandOut.objects.filter(seat=check, batch__annotator=annotator).latest("pk")
    beside = Report.objects.filter(
        hand_out__batch=given.batch_id, annotator=annotator, hand_out__seat__purpose=Seat.Purpose.LABEL
    )
    n_gone = beside.filter(state=Report.State.UNDONE, hand_out__answered_at__isnull=False).exclude(
        hand_out__seat__annotator=annotator
    ).values("hand_out").distinct().count()  # fmt: skip
    n = beside.values("hand_out").distinct().count()
    return n_gone > 0 and ordering.keyed_hash(bytes(annotator.collection.key), annotator.pk, given.pk) % n < n_gone


def _restore(judgment: Judgment, submission_id: UUID | None, *, seat: Seat | None) -> None:
    """Write an answer that stood once more, so that it is the end of its chain; it counts where there is a seat."""
    chain = Judgment.objects.filter(annotator=judgment.annotator_id, pair=judgment.pair_id, purpose=judgment.purpose)
    if judgment.purpose not in Seat.COUNTING:  # each check has a chain of its own
        chain = chain.filter(hand_out__seat=judgment.hand_out.seat_id)
    copied = (
        "collection_id", "pair_id", "annotator_id", "hand_out_id", "purpose", "level_id", "guidelines_id", "reasons",
        "active_ms", "grouped", "played_ms", "n_replays", "n_changes", "shown_at",
    )  # fmt: skip
    again = Judgment.objects.create(
        **{name: getattr(judgment, name) for name in copied},
        submission_id=submission_id or uuid4(),
        supersedes=chain.filter(superseded_by=None).latest("pk"),
        restores_id=judgment.restores_id or judgment.pk,
    )
    for comment in JudgmentComment.objects.filter(judgment=judgment):
        JudgmentComment.objects.create(judgment=again, text=comment.text)
    if seat is not None:
        Seat.objects.filter(pk=seat.pk).update(state=Seat.State.DONE, judgment=again, leased_until=None)


def _is_replayed(annotator: Annotator, submission_id: UUID | None) -> bool:
    if submission_id is None:
        return False
    judgments = JudgmentEvent.objects.filter(judgment__annotator=annotator, submission_id=submission_id)
    reports_ = ReportEvent.objects.filter(report__annotator=annotator, submission_id=submission_id)
    return judgments.exists() or reports_.exists()


def _refusal(hand_out: HandOut) -> Exception:
    """Why nothing of a hand-out can be taken back."""
    if hand_out.batch.settled_at is not None:
        return BatchSettled.of(hand_out.batch.number)
    if standing_word(hand_out=hand_out) is not None:
        return BatchSettled(f"Only the last {CHANGEABLE} pairs you were done with can be taken back.")
    return NothingToUndo("There is nothing of this pair to undo: your lead has settled it, or it was never answered.")
