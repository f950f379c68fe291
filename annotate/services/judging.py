"""Answers: a judgment, a change of mind, an undo, a report.

Each is one transaction that ends on disk before the 200 leaves. A submission id made in the
browser makes every resend harmless. A label that comes late is kept: it counts if its seat is
still to be had, and is a surplus otherwise.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Q

from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    Collection,
    Guidelines,
    HandOut,
    Judgment,
    JudgmentComment,
    JudgmentEvent,
    Level,
    Pair,
    Report,
    Seat,
)
from annotate.services.claiming import finish_if_done, hold_again
from annotate.services.seating import lock_annotator, note_changes, reconcile_pairs

MAX_ACTIVE_MS = 3_600_000
RENEW_BEFORE = timedelta(minutes=10)  # what is left of a lease when an answer renews the batch's
CHANGEABLE = 20  # a person's last judgments that can be undone or changed


class NotHandedOut(Exception):
    """This seat was never handed to this annotator."""


class UnknownGrade(Exception):
    """The collection's scheme has no such grade."""


class UnknownReason(Exception):
    """The level offers no such reason."""


class BatchSettled(Exception):
    """The answer belongs to a batch that is settled; it can no longer be changed."""


class NothingToUndo(Exception):
    """The hand-out has no answer that stands."""


class Answer(NamedTuple):
    """What an annotator says of one hand-out.

    submission_id : made by the browser, once an answer; a resend carries the same
    grade : a grade of the collection's scheme
    active_ms : time the person was active, in milliseconds; clamped to an hour
    """

    submission_id: UUID
    grade: int
    reasons: Sequence[str] = ()
    comment: str = ""
    active_ms: int | None = None


@transaction.atomic
def record_judgment(*, annotator: Annotator, token: UUID, answer: Answer) -> Judgment:
    """Store one answer and whatever follows from it; the same submission again changes nothing.

    A different grade for a hand-out already judged is a change of mind: a new row that supersedes
    the old one. The same grade under another submission id (a second tab) is already on disk.
    Raises NotHandedOut, UnknownGrade, UnknownReason, BatchSettled.
    """
    lock_annotator(annotator.pk)  # one person's tabs take turns
    replayed = Judgment.objects.filter(
        annotator=annotator, submission_id=answer.submission_id
    ).first()
    if replayed is not None:
        return replayed
    hand_out = _hand_out(annotator, token)
    level = _level(annotator.collection_id, answer)
    # lock before reading: the second of two disagreeing people must see the first one's label
    Pair.objects.select_for_update(no_key=True).get(pk=hand_out.seat.pair_id)
    seat = Seat.objects.select_for_update().get(pk=hand_out.seat_id)
    last = _last_judgment(annotator, seat)
    if last is not None and _stands(last, seat):
        if last.level_id == level.pk:
            return last
        if hand_out.batch.settled_at is not None:
            raise BatchSettled(f"Batch {hand_out.batch.number} is settled; its answers stand.")
    judgment = _store(annotator, hand_out, seat, level, answer, supersedes=last)
    _take_seat(seat, annotator, judgment)
    _freeze_scheme(annotator.collection)
    _after_answer(annotator, hand_out, seat, at=judgment.at)
    return judgment


@transaction.atomic
def undo_judgment(*, annotator: Annotator, token: UUID) -> HandOut:
    """Take back the answer to a hand-out of an unsettled batch; the seat is held by her again.

    Undoing twice is harmless. Raises NotHandedOut, NothingToUndo, BatchSettled.
    """
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    if hand_out.answered_at is None:
        return hand_out
    Pair.objects.select_for_update(no_key=True).get(pk=hand_out.seat.pair_id)
    seat = Seat.objects.select_for_update().get(pk=hand_out.seat_id)
    last = _last_judgment(annotator, seat)
    if last is None or seat.judgment_id != last.pk:
        raise NothingToUndo("There is no answer to undo: nothing was judged, or it came too late to count.")
    _require_changeable(hand_out)
    JudgmentEvent.objects.create(
        judgment=last, kind=JudgmentEvent.Kind.UNDONE, by_id=annotator.user_id
    )
    # An expired lease at once renewed: the lease's length is claiming's business.
    Seat.objects.filter(pk=seat.pk).update(
        state=Seat.State.HELD, judgment=None, leased_until=ClockTimestamp()
    )
    _reopen(hand_out)
    hold_again(annotator=annotator)
    _reconcile(seat)
    hand_out.refresh_from_db()
    return hand_out


@transaction.atomic
def report_pair(
    *,
    annotator: Annotator,
    token: UUID,
    submission_id: UUID,
    kind: Report.Kind,
    reason: str = "",
    note: str = "",
) -> Report:
    """Say that a pair cannot be judged, or hand it to the lead; frees the seat, is never a label.

    The same submission again changes nothing. Raises NotHandedOut, and BatchSettled when the pair
    has been judged by her.
    """
    lock_annotator(annotator.pk)
    known = Report.objects.filter(annotator=annotator, submission_id=submission_id).first()
    if known is not None:
        return known
    hand_out = _hand_out(annotator, token)
    Pair.objects.select_for_update(no_key=True).get(pk=hand_out.seat.pair_id)
    seat = Seat.objects.select_for_update().get(pk=hand_out.seat_id)
    if seat.state == Seat.State.DONE and seat.annotator_id == annotator.pk:
        raise BatchSettled("You have judged this pair; undo the judgment first.")
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
    if seat.state == Seat.State.HELD and seat.annotator_id == annotator.pk:
        _give_back(seat)
    _after_answer(annotator, hand_out, seat, at=report.at)
    return report


@transaction.atomic
def defer(*, annotator: Annotator, token: UUID) -> HandOut:
    """Put a hand-out at the end of its batch. Raises NotHandedOut."""
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(deferred_at=ClockTimestamp())
    hold_again(annotator=annotator)
    return hand_out


def note_shown(*, hand_out: HandOut) -> None:
    """Keep when a card first became the one to judge, by the database's clock."""
    if hand_out.shown_at is None:
        HandOut.objects.filter(pk=hand_out.pk, shown_at=None).update(shown_at=ClockTimestamp())


def _hand_out(annotator: Annotator, token: UUID) -> HandOut:
    found = HandOut.objects.filter(token=token, batch__annotator=annotator)
    hand_out = found.select_related("batch", "seat").first()
    if hand_out is None:
        raise NotHandedOut("This pair was not handed to you.")
    return hand_out


def _level(collection_id: int, answer: Answer) -> Level:
    level = Level.objects.filter(collection=collection_id, grade=answer.grade).first()
    if level is None:
        raise UnknownGrade(f"The scheme has no grade {answer.grade}.")
    unknown = [reason for reason in answer.reasons if reason not in level.reasons]
    if unknown:
        raise UnknownReason(f'Level "{level.name}" offers no reason "{unknown[0]}".')
    return level


def _last_judgment(annotator: Annotator, seat: Seat) -> Judgment | None:
    """The end of this person's chain of answers to this pair, for this purpose."""
    said = Judgment.objects.filter(annotator=annotator, pair=seat.pair_id, purpose=seat.purpose)
    return said.filter(superseded_by=None).order_by("-pk").first()


def _stands(judgment: Judgment, seat: Seat) -> bool:
    """Whether the answer was neither undone nor withdrawn: it counts, or is a surplus."""
    return seat.judgment_id == judgment.pk or not judgment.events.exists()


def _store(
    annotator: Annotator,
    hand_out: HandOut,
    seat: Seat,
    level: Level,
    answer: Answer,
    *,
    supersedes: Judgment | None,
) -> Judgment:
    latest = Guidelines.objects.filter(collection=annotator.collection_id).aggregate(pk=Max("pk"))
    active_ms = None if answer.active_ms is None else max(0, min(answer.active_ms, MAX_ACTIVE_MS))
    judgment = Judgment.objects.create(
        collection_id=annotator.collection_id,
        pair_id=seat.pair_id,
        annotator=annotator,
        hand_out=hand_out,
        purpose=seat.purpose,
        level=level,
        guidelines_id=latest["pk"],
        submission_id=answer.submission_id,
        supersedes=supersedes,
        reasons=list(answer.reasons),
        active_ms=active_ms,
        shown_at=hand_out.shown_at,
    )
    if answer.comment:
        JudgmentComment.objects.create(judgment=judgment, text=answer.comment)
    return judgment


def _take_seat(seat: Seat, annotator: Annotator, judgment: Judgment) -> None:
    """Let the judgment count if the seat is hers, free, or lapsed; else it stays a surplus."""
    hers = Q(annotator=annotator, state__in=[Seat.State.HELD, Seat.State.DONE])
    free = Q(state=Seat.State.FREE)
    lapsed = Q(state=Seat.State.HELD, leased_until__lt=ClockTimestamp())
    others = Seat.objects.filter(annotator=annotator, pair=seat.pair_id, purpose__in=Seat.COUNTING)
    if seat.purpose == Seat.Purpose.LABEL and others.exclude(pk=seat.pk).exists():
        return
    Seat.objects.filter(hers | free | lapsed, pk=seat.pk).update(
        state=Seat.State.DONE, annotator=annotator, leased_until=None, judgment=judgment
    )


def _give_back(seat: Seat) -> None:
    """Free a candidate's seat for others; a check's seat has no other taker."""
    state = Seat.State.FREE if seat.purpose == Seat.Purpose.LABEL else Seat.State.WITHDRAWN
    keep = {} if seat.purpose != Seat.Purpose.LABEL else {"annotator": None}
    Seat.objects.filter(pk=seat.pk).update(state=state, leased_until=None, **keep)


def _freeze_scheme(collection: Collection) -> None:
    # Only while it is seen thawed: the row must not be locked by every judgment of a campaign.
    if collection.scheme_frozen_at is None:
        thawed = Collection.objects.filter(pk=collection.pk, scheme_frozen_at=None)
        thawed.update(scheme_frozen_at=ClockTimestamp())
        collection.refresh_from_db(fields=["scheme_frozen_at"])


def _after_answer(annotator: Annotator, hand_out: HandOut, seat: Seat, *, at: datetime) -> None:
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(answered_at=ClockTimestamp())
    _reconcile(seat)
    # Activity renews the leases; not at every answer, since a renewal writes the whole batch.
    if seat.leased_until is None or seat.leased_until - at < RENEW_BEFORE:
        hold_again(annotator=annotator)
    finish_if_done(batch=hand_out.batch)


def _reconcile(seat: Seat) -> None:
    if seat.purpose in Seat.COUNTING:
        reconcile_pairs(pair_ids=[seat.pair_id])
    note_changes(collection_id=seat.collection_id, pair_ids=[seat.pair_id])


def _require_changeable(hand_out: HandOut) -> None:
    batch = hand_out.batch
    if batch.settled_at is not None:
        raise BatchSettled(f"Batch {batch.number} is settled; its answers stand.")
    newer = HandOut.objects.filter(
        batch__annotator=batch.annotator_id, answered_at__gt=hand_out.answered_at
    )
    if newer[: CHANGEABLE + 1].count() >= CHANGEABLE:
        raise BatchSettled(f"Only the last {CHANGEABLE} judgments can be undone.")


def _reopen(hand_out: HandOut) -> None:
    """Make the hand-out the next card; a batch finished by it is unfinished again."""
    HandOut.objects.filter(pk=hand_out.pk).update(answered_at=None, deferred_at=None)
    later = Batch.objects.filter(annotator=hand_out.batch.annotator_id, finished_at=None)
    if not later.exists():
        Batch.objects.filter(pk=hand_out.batch_id).update(finished_at=None)
