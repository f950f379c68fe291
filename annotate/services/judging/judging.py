"""Answers: a judgment, or a change of mind.

Each is one transaction that ends on disk before the 200 leaves. A submission id made in the
browser makes every resend harmless. A label that comes late is kept: it counts if its seat is
still free or hers, and is a surplus otherwise.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from annotate.core.labels.answers import JudgmentAnswer
from annotate.core.levels import level_reasons
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
from annotate.services.judging import answer_statements, reports
from annotate.services.judging.answer_statements import AnswerContext
from annotate.services.judging.claiming import finish_if_done, renew_leases_if_due
from annotate.services.judging.hand_outs import (
    NOT_HANDED_OUT,
    BatchSettled,
    NotHandedOut,
    require_not_stopped,
    take_again,
)
from annotate.services.seating import lock_annotator, reconcile_answered


class UnknownGrade(Exception):
    """The collection's scheme has no such grade, or it was one of other levels on her screen."""


class UnknownReason(Exception):
    """The level offers no such reason."""


@transaction.atomic(savepoint=False)  # faults of an answer are found before anything is written
def record_judgment(
    *, annotator: Annotator, token: UUID, answer: JudgmentAnswer, in_training: bool = False
) -> Judgment:
    """Store one answer and its consequences; the same submission again changes nothing.

    A different grade for a hand-out already judged is a change of mind: a new row that supersedes
    the old one. The same grade under another submission id (a second tab) is already on disk,
    unless it is given as a change, with other reasons or another comment. A report of the hand-out
    that is open is taken back by it.
    Raises NotHandedOut, NotWhileStopped (of a change alone), UnknownGrade, UnknownReason,
    BatchSettled.
    """
    lock_annotator(annotator.pk)  # one person's tabs take turns
    if answer.is_change:
        require_not_stopped(annotator)
    context = answer_statements.read_context(
        annotator=annotator,
        token=token,
        submission_id=answer.submission_id,
        grade=answer.grade,
        guidelines=answer.guidelines,
    )
    if context.replayed is not None:
        return Judgment.objects.get(pk=context.replayed)
    # Where feedback was given there is no undoing, changing or putting off: training/tries.py is
    # the only way in.
    if context.hand_out is None or in_training != (context.purpose == Seat.Purpose.TRAINING):
        raise NotHandedOut(NOT_HANDED_OUT)
    _require_known(answer, context)
    earlier = _earlier_answer(context)
    if earlier is not None and _is_same_answer(earlier, answer, context):
        _finish_hand_out(context.hand_out, context)
        return earlier
    if context.is_settled and (earlier is not None or context.is_reported):
        raise BatchSettled.of(Batch.objects.get(pk=context.batch))
    pair = Pair(
        context.pair,
        collection_id=annotator.collection_id,
        query_id=context.query,
        document_id=context.document,
    )
    if context.is_reported:
        _take_back_report(annotator, context, pair, answer.submission_id)
    judgment = _store_with_comment(annotator, context, answer)
    _freeze_scheme(annotator.collection)
    reconcile_answered(pair=pair)
    renew_leases_if_due(annotator=annotator, leased_until=context.leased_until, at=judgment.at)
    if not context.n_left:
        finish_if_done(batch=Batch.objects.get(pk=context.batch))
    return judgment


def note_shown(*, hand_out: int) -> None:
    """Store when a card first became the one to judge, by the database's clock."""
    HandOut.objects.filter(pk=hand_out, shown_at=None).update(shown_at=ClockTimestamp())


def _require_known(answer: JudgmentAnswer, context: AnswerContext) -> None:
    """Raise UnknownGrade or UnknownReason if the scheme lacks the answer's grade or a reason."""
    if context.has_other_grades and context.guidelines is not None:
        # a page that was loaded before the set was replaced: its grade may mean another level now
        shown_names = {
            row["grade"]: row["name"]
            for row in Guidelines.objects.get(pk=context.guidelines).wording
        }
        name = shown_names.get(answer.grade, f"Grade {answer.grade}")
        raise UnknownGrade(
            f'The levels were changed after this page was loaded, which offered "{name}": reload '
            "it and judge the pair again."
        )
    if context.level is None:
        raise UnknownGrade(f"The scheme has no grade {answer.grade}.")
    unknown_reasons = _unknown_reasons(answer.reasons, context.level_reasons)
    if unknown_reasons and context.guidelines is not None:
        # a label is not refused because the lead took a reason away while it was on its way
        for row in Guidelines.objects.get(pk=context.guidelines).wording:
            if row["grade"] == answer.grade:
                unknown_reasons = _unknown_reasons(unknown_reasons, row.get("reasons", []))
    if unknown_reasons:
        raise UnknownReason(
            f'Level "{context.level_name}" offers no reason "{unknown_reasons[0]}".'
        )


def _unknown_reasons(
    reasons: Sequence[str], known_reasons: Sequence[level_reasons.Stored]
) -> list[str]:
    offered_codes = level_reasons.codes(known_reasons)
    return [reason for reason in reasons if reason not in offered_codes]


def _earlier_answer(context: AnswerContext) -> Judgment | None:
    """Return her earlier answer, unless it was undone or withdrawn: it counts, or is a surplus."""
    if context.last is None:
        return None
    Seat.objects.select_for_update().get(pk=context.seat)
    return Judgment.objects.current().filter(pk=context.last).first()


def _finish_hand_out(hand_out: int, context: AnswerContext) -> None:
    """Mark a pair handed to her once more as answered, though the answer says nothing new."""
    HandOut.objects.filter(pk=hand_out, answered_at=None).update(answered_at=ClockTimestamp())
    if not context.n_left:
        finish_if_done(batch=Batch.objects.get(pk=context.batch))


def _is_same_answer(earlier: Judgment, answer: JudgmentAnswer, context: AnswerContext) -> bool:
    if earlier.level_id != context.level:
        return False
    comment = earlier.comment.text if hasattr(earlier, "comment") else ""
    return not answer.is_change or (list(answer.reasons), answer.comment) == (
        earlier.reasons,
        comment,
    )


def _take_back_report(
    annotator: Annotator, context: AnswerContext, pair: Pair, submission_id: UUID
) -> None:
    """Take back her report of the pair, and give her the seat again if it is still to be had."""
    own_reports = Report.objects.filter(hand_out=context.hand_out)
    reports.take_back(reports=own_reports, by=annotator.user, submission_id=submission_id)
    reconcile_answered(pair=pair)
    take_again(annotator=annotator, seat=context.seat)


def _store_with_comment(
    annotator: Annotator, context: AnswerContext, answer: JudgmentAnswer
) -> Judgment:
    judgment = answer_statements.store_judgment(
        annotator=annotator,
        context=context,
        answer=answer,
    )
    if answer.comment:
        JudgmentComment.objects.create(judgment=judgment, text=answer.comment)
    return judgment


def _freeze_scheme(collection: Collection) -> None:
    # Only while it is read as not frozen: not every judgment of a campaign may lock the row.
    if collection.scheme_frozen_at is None:
        not_frozen = Collection.objects.filter(pk=collection.pk, scheme_frozen_at=None)
        not_frozen.update(scheme_frozen_at=ClockTimestamp())
        collection.refresh_from_db(fields=["scheme_frozen_at"])
