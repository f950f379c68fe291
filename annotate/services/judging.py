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

from annotate.core import shortcomings
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
    Pair,
    Report,
    Seat,
)
from annotate.services import answers
from annotate.services.answers import Asked, Said
from annotate.services.claiming import finish_if_done, hold_again
from annotate.services.seating import lock_annotator, note_changes, reconcile_locked

MAX_ACTIVE_MS = 3_600_000
MAX_TIMES = 1_000
RENEW_BEFORE = timedelta(minutes=10)  # what is left of a lease when an answer renews the batch's
CHANGEABLE = 20  # a person's last judgments that can be undone or changed
NOT_HANDED_OUT = "This pair was not handed to you."


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
    active_ms, played_ms : time the person was active, and how much of its clips was played, in milliseconds;
        clamped to an hour
    n_replays, n_changes : how often a clip was begun anew, and the grade changed before it was sent; clamped to 1,000
    guidelines : the version of the guidelines on screen; the newest one where it is not said
    """

    submission_id: UUID
    grade: int
    reasons: Sequence[str] = ()
    comment: str = ""
    active_ms: int | None = None
    played_ms: int | None = None
    n_replays: int | None = None
    n_changes: int | None = None
    guidelines: int | None = None


@transaction.atomic
def record_judgment(*, annotator: Annotator, token: UUID, answer: Answer, in_training: bool = False) -> Judgment:
    """Store one answer and whatever follows from it; the same submission again changes nothing.

    A different grade for a hand-out already judged is a change of mind: a new row that supersedes
    the old one. The same grade under another submission id (a second tab) is already on disk.
    Raises NotHandedOut, UnknownGrade, UnknownReason, BatchSettled.
    """
    lock_annotator(annotator.pk)  # one person's tabs take turns
    asked = answers.read(
        annotator=annotator, token=token, submission_id=answer.submission_id, grade=answer.grade,
        guidelines=answer.guidelines,
    )  # fmt: skip
    if asked.replayed is not None:
        return Judgment.objects.get(pk=asked.replayed)
    # Where feedback was given there is no undoing, changing or putting off: services/training.py is the only way in.
    if asked.hand_out is None or in_training != (asked.purpose == Seat.Purpose.TRAINING):
        raise NotHandedOut(NOT_HANDED_OUT)
    _require_known(answer, asked)
    standing = _standing(asked)
    if standing is not None and standing.level_id == asked.level:
        return standing
    if standing is not None and asked.is_settled:
        raise BatchSettled(f"Batch {asked.batch_number} is settled; its answers stand.")
    judgment = answers.store(annotator=annotator, asked=asked, submission_id=answer.submission_id, said=_said(answer))
    if answer.comment:
        JudgmentComment.objects.create(judgment=judgment, text=answer.comment)
    _freeze_scheme(annotator.collection)
    _reconcile(
        Pair(asked.pair, collection_id=annotator.collection_id, query_id=asked.query, document_id=asked.document)
    )
    _renew(annotator, asked.leased_until, at=judgment.at)
    if not asked.n_left:
        finish_if_done(batch=Batch.objects.get(pk=asked.batch))
    return judgment


@transaction.atomic
def undo_judgment(*, annotator: Annotator, token: UUID, submission_id: UUID | None = None) -> HandOut:
    """Take back the answer to a hand-out of an unsettled batch; the seat is held by her again.

    Undoing twice is harmless, and so is the same submission after another answer was given: that one stays.
    Raises NotHandedOut, NothingToUndo, BatchSettled.
    """
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    if hand_out.answered_at is None or _is_replayed(annotator, submission_id):
        return hand_out
    pair = Pair.objects.select_for_update(no_key=True).get(pk=hand_out.seat.pair_id)
    seat = Seat.objects.select_for_update().get(pk=hand_out.seat_id)
    last = _last_judgment(annotator, seat)
    if last is None or seat.judgment_id != last.pk:
        raise NothingToUndo("There is no answer to undo: nothing was judged, or it came too late to count.")
    _require_changeable(hand_out)
    JudgmentEvent.objects.create(
        judgment=last, kind=JudgmentEvent.Kind.UNDONE, by_id=annotator.user_id, submission_id=submission_id
    )
    # An expired lease at once renewed: the lease's length is claiming's business.
    Seat.objects.filter(pk=seat.pk).update(state=Seat.State.HELD, judgment=None, leased_until=ClockTimestamp())
    _reopen(hand_out)
    hold_again(annotator=annotator)
    _reconcile(pair)
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
    in_training: bool = False,
) -> Report:
    """Say that a pair cannot be judged, or hand it to the lead; frees the seat, is never a label.

    The same submission again changes nothing. Raises NotHandedOut, and BatchSettled when the pair
    has been judged by her.
    """
    lock_annotator(annotator.pk)
    known = Report.objects.filter(annotator=annotator, submission_id=submission_id).first()
    if known is not None:
        return known
    hand_out = _hand_out(annotator, token, in_training=in_training)
    pair = Pair.objects.select_for_update(no_key=True).get(pk=hand_out.seat.pair_id)
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
    _reconcile(pair)
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(answered_at=ClockTimestamp())
    _renew(annotator, seat.leased_until, at=report.at)
    finish_if_done(batch=hand_out.batch)
    return report


@transaction.atomic
def defer(*, annotator: Annotator, token: UUID) -> HandOut:
    """Put a hand-out at the end of its batch. Raises NotHandedOut."""
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    HandOut.objects.filter(pk=hand_out.pk, answered_at=None).update(deferred_at=ClockTimestamp())
    hold_again(annotator=annotator)
    return hand_out


def note_shown(*, hand_out: int) -> None:
    """Keep when a card first became the one to judge, by the database's clock."""
    HandOut.objects.filter(pk=hand_out, shown_at=None).update(shown_at=ClockTimestamp())


def _hand_out(annotator: Annotator, token: UUID, *, in_training: bool = False) -> HandOut:
    found = HandOut.objects.filter(token=token, batch__annotator=annotator)
    hand_out = found.select_related("batch", "seat").first()
    # Where feedback was given there is no undoing, changing or putting off: services/training.py is the only way in.
    if hand_out is None or in_training != (hand_out.seat.purpose == Seat.Purpose.TRAINING):
        raise NotHandedOut(NOT_HANDED_OUT)
    return hand_out


def _is_replayed(annotator: Annotator, submission_id: UUID | None) -> bool:
    known = JudgmentEvent.objects.filter(judgment__annotator=annotator, submission_id=submission_id)
    return submission_id is not None and known.exists()


def _require_known(answer: Answer, asked: Asked) -> None:
    """Raise UnknownGrade or UnknownReason where the answer says what the scheme has not."""
    if asked.level is None:
        raise UnknownGrade(f"The scheme has no grade {answer.grade}.")
    unknown = _unknown(answer.reasons, asked.level_reasons)
    if unknown and asked.guidelines is not None:
        # a label is not refused because the lead took a reason away while it was on its way
        for row in Guidelines.objects.get(pk=asked.guidelines).wording:
            if row["grade"] == answer.grade:
                unknown = _unknown(unknown, row.get("reasons", []))
    if unknown:
        raise UnknownReason(f'Level "{asked.level_name}" offers no reason "{unknown[0]}".')


def _unknown(given: Sequence[str], offered: Sequence[shortcomings.Stored]) -> list[str]:
    known = shortcomings.codes(offered)
    return [reason for reason in given if reason not in known]


def _last_judgment(annotator: Annotator, seat: Seat) -> Judgment | None:
    """The end of this person's chain of answers to this pair, for this purpose; each check has a chain of its own."""
    said = Judgment.objects.filter(annotator=annotator, pair=seat.pair_id, purpose=seat.purpose)
    if seat.purpose not in Seat.COUNTING:
        said = said.filter(hand_out__seat=seat)
    return said.filter(superseded_by=None).order_by("-pk").first()


def _standing(asked: Asked) -> Judgment | None:
    """The answer she gave before, unless it was undone or withdrawn: it counts, or is a surplus."""
    if asked.last is None:
        return None
    seat = Seat.objects.select_for_update().get(pk=asked.seat)
    last = Judgment.objects.get(pk=asked.last)
    return last if seat.judgment_id == last.pk or not last.events.exists() else None


def _said(answer: Answer) -> Said:
    return Said(
        reasons=list(answer.reasons),
        active_ms=_clamped(answer.active_ms, MAX_ACTIVE_MS),
        played_ms=_clamped(answer.played_ms, MAX_ACTIVE_MS),
        n_replays=_clamped(answer.n_replays, MAX_TIMES),
        n_changes=_clamped(answer.n_changes, MAX_TIMES),
    )


def _clamped(value: int | None, largest: int) -> int | None:
    return None if value is None else max(0, min(value, largest))


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


def _renew(annotator: Annotator, leased_until: datetime | None, *, at: datetime) -> None:
    # Activity renews the leases; not at every answer, since a renewal writes the whole batch.
    if leased_until is None or leased_until - at < RENEW_BEFORE:
        hold_again(annotator=annotator)


def _reconcile(pair: Pair) -> None:
    """Let the pair's seats and resolution follow; a check's answer concerns neither, but must not take less time."""
    reconcile_locked(pairs=[pair])
    note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])


def _require_changeable(hand_out: HandOut) -> None:
    batch = hand_out.batch
    if batch.settled_at is not None:
        raise BatchSettled(f"Batch {batch.number} is settled; its answers stand.")
    newer = HandOut.objects.filter(
        batch__annotator=batch.annotator_id, answered_at__gt=hand_out.answered_at,
        seat__judgment__annotator=batch.annotator_id,  # what was reported or given up is no judgment
    ).exclude(seat__purpose=Seat.Purpose.TRAINING)  # fmt: skip
    if newer[: CHANGEABLE + 1].count() >= CHANGEABLE:
        raise BatchSettled(f"Only the last {CHANGEABLE} judgments can be undone.")


def _reopen(hand_out: HandOut) -> None:
    """Make the hand-out the next card; a batch finished by it is unfinished again."""
    HandOut.objects.filter(pk=hand_out.pk).update(answered_at=None, deferred_at=None)
    later = Batch.objects.filter(annotator=hand_out.batch.annotator_id, finished_at=None)
    if not later.exists():
        Batch.objects.filter(pk=hand_out.batch_id).update(finished_at=None)
