"""Answers: a judgment, or a change of mind.

Each is one transaction that ends on disk before the 200 leaves. A submission id made in the
browser makes every resend harmless. A label that comes late is kept: it counts if its seat is
still to be had, and is a surplus otherwise.
"""

from collections.abc import Sequence
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
    Pair,
    Report,
    Seat,
)
from annotate.services import answers, reports
from annotate.services.answers import Asked, Said
from annotate.services.claiming import finish_if_done, renew
from annotate.services.hand_outs import (
    NOT_HANDED_OUT,
    BatchSettled,
    NotHandedOut,
    require_going,
    take_again,
)
from annotate.services.seating import lock_annotator, reconcile_answered

MAX_ACTIVE_MS = 3_600_000
MAX_TIMES = 1_000


class UnknownGrade(Exception):
    """The collection's scheme has no such grade."""


class UnknownReason(Exception):
    """The level offers no such reason."""


class Answer(NamedTuple):
    """What an annotator says of one hand-out.

    submission_id : made by the browser, once an answer; a resend carries the same
    grade : a grade of the collection's scheme
    active_ms, played_ms : time the person was active, and how much of its clips was played, in milliseconds;
        clamped to an hour
    n_replays, n_changes : how often a clip was begun anew, and the grade changed before it was sent; clamped to 1,000
    guidelines : the version of the guidelines on screen; the newest one where it is not said
    is_change : whether she looked at her earlier answer and gives this one in its place, be it of the same grade
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
    is_change: bool = False


@transaction.atomic(savepoint=False)  # what is wrong with an answer is found before anything is written
def record_judgment(*, annotator: Annotator, token: UUID, answer: Answer, in_training: bool = False) -> Judgment:
    """Store one answer and whatever follows from it; the same submission again changes nothing.

    A different grade for a hand-out already judged is a change of mind: a new row that supersedes
    the old one. The same grade under another submission id (a second tab) is already on disk,
    unless it is given as a change, with other reasons or another comment. A report of the hand-out
    that is open is taken back by it.
    Raises NotHandedOut, NotWhilePaused (a change alone), UnknownGrade, UnknownReason, BatchSettled.
    """
    lock_annotator(annotator.pk)  # one person's tabs take turns
    if answer.is_change:
        require_going(annotator)
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
    if standing is not None and _says_the_same(standing, answer, asked):
        _finish_again(asked)
        return standing
    if asked.is_settled and (standing is not None or asked.is_reported):
        raise BatchSettled.of(asked.batch_number)
    pair = Pair(asked.pair, collection_id=annotator.collection_id, query_id=asked.query, document_id=asked.document)
    if asked.is_reported:
        _answer_after_all(annotator, asked, pair, answer.submission_id)
    judgment = answers.store(annotator=annotator, asked=asked, submission_id=answer.submission_id, said=_said(answer))
    if answer.comment:
        JudgmentComment.objects.create(judgment=judgment, text=answer.comment)
    _freeze_scheme(annotator.collection)
    reconcile_answered(pair=pair)
    renew(annotator=annotator, leased_until=asked.leased_until, at=judgment.at)
    if not asked.n_left:
        finish_if_done(batch=Batch.objects.get(pk=asked.batch))
    return judgment


def note_shown(*, hand_out: int) -> None:
    """Keep when a card first became the one to judge, by the database's clock."""
    HandOut.objects.filter(pk=hand_out, shown_at=None).update(shown_at=ClockTimestamp())


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


def _standing(asked: Asked) -> Judgment | None:
    """The answer she gave before, unless it was undone or withdrawn: it counts, or is a surplus."""
    if asked.last is None:
        return None
    seat = Seat.objects.select_for_update().get(pk=asked.seat)
    last = Judgment.objects.get(pk=asked.last)
    return last if seat.judgment_id == last.pk or not last.events.exists() else None


def _finish_again(asked: Asked) -> None:
    """A pair that was handed to her once more and says nothing new is done with all the same."""
    HandOut.objects.filter(pk=asked.hand_out, answered_at=None).update(answered_at=ClockTimestamp())
    if not asked.n_left:
        finish_if_done(batch=Batch.objects.get(pk=asked.batch))


def _says_the_same(standing: Judgment, answer: Answer, asked: Asked) -> bool:
    if standing.level_id != asked.level:
        return False
    comment = standing.comment.text if hasattr(standing, "comment") else ""
    return not answer.is_change or (list(answer.reasons), answer.comment) == (standing.reasons, comment)


def _answer_after_all(annotator: Annotator, asked: Asked, pair: Pair, submission_id: UUID) -> None:
    """Take back what she reported instead of an answer, and let her have her seat again where that can be."""
    mine = Report.objects.filter(hand_out=asked.hand_out)
    reports.take_back(reports=mine, by=annotator.user, submission_id=submission_id)
    reconcile_answered(pair=pair)
    take_again(annotator=annotator, seat=asked.seat)


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


def _freeze_scheme(collection: Collection) -> None:
    # Only while it is seen thawed: the row must not be locked by every judgment of a campaign.
    if collection.scheme_frozen_at is None:
        thawed = Collection.objects.filter(pk=collection.pk, scheme_frozen_at=None)
        thawed.update(scheme_frozen_at=ClockTimestamp())
        collection.refresh_from_db(fields=["scheme_frozen_at"])
