"""What follows from the golds of a finished batch, by the policy: nothing, a warning, or the batch is held.

The check runs in the transaction that finishes the batch. Rejecting withdraws labels of many pairs, so a worker does
that: until then the batch is held, and a sweep finds those whose task was lost.
"""

from contextlib import suppress
from datetime import timedelta

from django.db.models import Exists, F, OuterRef, QuerySet

from annotate.core.golds import is_failed
from annotate.models import Batch, ClockTimestamp, Gold, Policy, ReviewAction, Seat
from annotate.services import pausing, review_work, reviewing
from annotate.signals import batch_to_reject

Action = Policy.GoldAction
HOLDING = (Action.HOLD, Action.REJECT, Action.PAUSE)
OVERDUE = timedelta(minutes=1)
WARNING = (
    "In your last batch some pairs whose grade is known were graded otherwise. Please read the guidelines again; "
    "a question to the lead is always welcome."
)


def check_batch(*, batch: Batch, policy: Policy) -> None:
    """Count the golds of a batch that was just finished, and do what the policy says when too few are right.

    Checking again, after an answer was changed, counts again, for the leads alone: what is done stays as it was
    decided first. Otherwise she could try one answer after another and see by what follows which pairs are golds.
    What has a verdict is left alone. Call it behind the annotator's lock.
    """
    if batch.verdict:
        return
    right = _answers(batch)
    n, n_right = len(right), sum(right)
    if batch.n_golds is not None:
        Batch.objects.filter(pk=batch.pk).update(n_golds=n, n_golds_right=n_right)
        return
    action = policy.gold_action if is_failed(n_right=n_right, n=n, smallest=policy.gold_pass) else ""
    Batch.objects.filter(pk=batch.pk).update(n_golds=n, n_golds_right=n_right, gold_action=action)
    if action in HOLDING:
        Batch.objects.filter(pk=batch.pk).update(verdict=Batch.Verdict.HELD, settled_at=F("finished_at"))
    if action == Action.PAUSE:
        pausing.pause(annotator=batch.annotator, by=None, reason=_reason(n_right, n))
    if action == Action.REJECT:
        batch_to_reject.send(sender=Batch, batch_id=batch.pk)


def reject_failed(*, batch: Batch) -> None:
    """Withdraw the labels of a batch whose policy rejects it, unless a lead has been at it.

    While something else is being done about the person's answers it waits: the sweep comes again.
    """
    if to_reject().filter(pk=batch.pk).exists():
        with suppress(review_work.UnderWay):
            reason = _reason(batch.n_golds_right or 0, batch.n_golds or 0)
            reviewing.reject_batch(batch=batch, by=None, reason=reason)


def overdue() -> list[int]:
    """Batches to be rejected whose task was lost."""
    late = to_reject().filter(finished_at__lt=ClockTimestamp() - OVERDUE)
    return list(late.order_by("pk").values_list("pk", flat=True))


def to_reject() -> QuerySet[Batch]:
    """Batches that the policy rejects, until somebody or something gave them a verdict."""
    touched = ReviewAction.objects.filter(batch=OuterRef("pk"))
    return Batch.objects.filter(~Exists(touched), verdict=Batch.Verdict.HELD, gold_action=Action.REJECT)


def warning(*, batch: Batch) -> str:
    """What its annotator is told of a finished batch: a sentence that names no pair, or nothing."""
    return WARNING if batch.gold_action == Action.WARN else ""


def _answers(batch: Batch) -> list[bool]:
    """Whether each answered gold of the batch is on the right side of what counts as relevant."""
    seats = Seat.objects.filter(hand_outs__batch=batch, purpose=Seat.Purpose.GOLD, state=Seat.State.DONE)
    given = dict(seats.values_list("pair_id", "judgment__level__grade"))
    golds = Gold.objects.filter(pair__in=given, retired_at=None).values_list("pair_id", "grade")
    threshold = batch.collection.positive_from
    return [(given[pair] >= threshold) == (grade >= threshold) for pair, grade in golds]


def _reason(n_right: int, n: int) -> str:
    return f"Golds: {n_right} of {n} right."
