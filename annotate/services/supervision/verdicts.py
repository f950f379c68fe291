"""Verdicts on finished batches: accept, reject, ask for the labels again, take the verdict back.

A judgment counts at once. A rejection withdraws the batch's labels and asks others for them; asking
again does the same without holding it against the person. A verdict taken back leaves the batch as
its golds left it, held or not, and its labels count again. A worker does that for a large batch,
see decisions.py.
"""

from django.db import transaction
from django.db.models import F, QuerySet

from annotate.core.consequences import require_told
from annotate.models import (
    Annotator,
    Batch,
    CountingJudgment,
    HandOut,
    Judgment,
    ReviewAction,
    ReviewWork,
    User,
)
from annotate.services.seating import lock_annotator
from annotate.services.supervision import review_log
from annotate.services.supervision.bulk_decisions import (
    Stretch,
    batch_of,
    begin,
    require_none_under_way,
    unfinished_of_annotator,
)
from annotate.services.supervision.withdrawing import restore_next, still_withdrawn, withdraw_next

Kind = ReviewAction.Kind


class BatchUnfinished(Exception):
    """The batch still has pairs to judge; it cannot be accepted or rejected yet."""


class BatchJudged(Exception):
    """Somebody gave the batch the other verdict; it stands."""


class NoVerdict(Exception):
    """The batch has no verdict that could be taken back; nothing was changed."""


@transaction.atomic
def accept_batch(*, batch: Batch, by: User | None = None, reason: str = "") -> Batch:
    """Settle a finished batch as good work. Raises BatchUnfinished, BatchJudged."""
    if _set_verdict(batch, Batch.Verdict.ACCEPTED):
        _note(Kind.BATCH_ACCEPTED, batch, by, reason)
    return batch


@transaction.atomic
def reject_batch(*, batch: Batch, by: User | None, reason: str) -> ReviewWork | None:
    """Withdraw all labels of a finished batch; their pairs want new ones. None if done before.

    Raises BatchUnfinished, BatchJudged, DecisionUnderWay.
    """
    return _withdraw_batch(batch, Batch.Verdict.REJECTED, Kind.BATCH_REJECTED, by, reason)


@transaction.atomic
def requeue_batch(*, batch: Batch, by: User | None, reason: str) -> ReviewWork | None:
    """Ask others for all labels of a finished batch, without calling it bad work.

    Returns None if done before. Raises BatchUnfinished, BatchJudged, DecisionUnderWay.
    """
    return _withdraw_batch(batch, Batch.Verdict.REQUEUED, Kind.BATCH_REQUEUED, by, reason)


@transaction.atomic
def reopen_batch(
    *,
    batch: Batch,
    by: User | None,
    reason: str = "",
    verdict: str = "",
    expected: int | None = None,
) -> ReviewWork:
    """Take a verdict back: the batch is held again if its golds called for it, its labels count.

    verdict : the one that is taken back, "" for any. Raises NoVerdict, BatchJudged where it is
    another by now, DecisionUnderWay, CountChanged.

    expected : number of answers that the lead was told of, no more than which count again
    """
    lock_annotator(batch.annotator_id)
    batch.refresh_from_db()
    if batch.verdict in ("", Batch.Verdict.HELD):
        raise NoVerdict(f"Batch {batch.judging_number} has no verdict.")
    if verdict not in ("", batch.verdict):
        present_verdict = batch.get_verdict_display().lower()
        raise BatchJudged(
            f"Batch {batch.judging_number} was judged anew since, and is {present_verdict} now."
        )
    require_none_under_way(unfinished_of_annotator(annotator=batch.annotator))
    n = n_restorable(batch=batch)
    require_told(n, expected=expected, noun="answer")
    verdict_before = Batch.Verdict.HELD if batch.gold_action in Batch.HOLDING else ""
    Batch.objects.filter(pk=batch.pk).update(verdict=verdict_before)
    batch.refresh_from_db()
    return begin(
        action=_note(Kind.BATCH_REOPENED, batch, by, reason, n), n_total=n, handler=restore_stretch
    )


def n_counting(*, batch: Batch) -> int:
    """Number of a batch's answers that count: what a rejection withdraws."""
    return _counting_answers(batch).count()


def n_restorable(*, batch: Batch) -> int:
    """Number of a batch's withdrawn answers: what counts again once its verdict is taken back."""
    if batch.verdict not in Batch.TAKEN_OUT:
        return 0
    return len(still_withdrawn(list(_answers(batch).values_list("pk", flat=True))))


def withdraw_stretch(decision: ReviewWork) -> Stretch:
    """Withdraw the next answers of a rejected or requeued batch."""
    return withdraw_next(decision, _counting_answers(batch_of(decision)))


def restore_stretch(decision: ReviewWork) -> Stretch:
    """Restore the next answers of a batch whose verdict was taken back."""
    return restore_next(decision, _answers(batch_of(decision)))


def _withdraw_batch(
    batch: Batch, verdict: Batch.Verdict, kind: Kind, by: User | None, reason: str
) -> ReviewWork | None:
    lock_annotator(batch.annotator_id)
    require_none_under_way(unfinished_of_annotator(annotator=batch.annotator))
    is_new = _set_verdict(batch, verdict)
    n = n_counting(batch=batch)
    if not is_new and not n:
        return None
    return begin(action=_note(kind, batch, by, reason, n), n_total=n, handler=withdraw_stretch)


def _counting_answers(batch: Batch) -> QuerySet[CountingJudgment]:
    seats = HandOut.objects.filter(batch=batch).values("seat")
    return CountingJudgment.objects.filter(seat__in=seats, annotator=batch.annotator_id)


def _answers(batch: Batch) -> QuerySet[Judgment]:
    return Judgment.objects.filter(hand_out__batch=batch, annotator=batch.annotator_id)


def _set_verdict(batch: Batch, verdict: Batch.Verdict) -> bool:
    """Set the verdict; False if the batch had it already. Raises BatchUnfinished, BatchJudged."""
    lock_annotator(batch.annotator_id)  # an undo may be reopening it, another lead judging it
    batch.refresh_from_db()
    if batch.finished_at is None:
        # a pause finishes no batch, as its annotator may go on
        paused_annotators = Annotator.objects.filter(paused_at__isnull=False)
        advice = (
            "Let its annotator, who is paused, go on"
            if paused_annotators.filter(pk=batch.annotator_id).exists()
            else "Wait for its last answer"
        )
        raise BatchUnfinished(
            f"Batch {batch.judging_number} is not finished. {advice}, "
            "or withdraw their labels from a moment on, on their page."
        )
    if batch.verdict not in ("", Batch.Verdict.HELD, verdict):
        present_verdict = batch.get_verdict_display().lower()
        raise BatchJudged(
            f"Batch {batch.judging_number} is {present_verdict} already; take that back first."
        )
    is_new = batch.verdict != verdict
    Batch.objects.filter(pk=batch.pk).update(verdict=verdict)
    Batch.objects.filter(pk=batch.pk, settled_at=None).update(settled_at=F("finished_at"))
    batch.refresh_from_db()
    return is_new


def _note(
    kind: ReviewAction.Kind, batch: Batch, by: User | None, reason: str, n_labels: int = 0
) -> ReviewAction:
    subject = review_log.ActionSubject(annotator=batch.annotator, batch=batch)
    return review_log.note(
        collection=batch.collection,
        kind=kind,
        by=by,
        subject=subject,
        reason=reason,
        n_labels=n_labels,
    )
