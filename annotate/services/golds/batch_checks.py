"""The check of a finished batch by its golds, and the policy's action: none, a warning, a hold.

The check runs in the transaction that finishes the batch. Rejecting withdraws labels of many pairs,
so a worker does that: until then the batch is held, and a sweep finds those whose task was lost.
"""

from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Exists, F, Max, OuterRef, QuerySet

from annotate.core.labels.golds import MIN_GOLDS, is_failed
from annotate.models import (
    Batch,
    ClockTimestamp,
    CountingJudgment,
    Policy,
    ReviewAction,
    Seat,
)
from annotate.services.supervision import bulk_decisions, pausing, verdicts
from annotate.signals import batch_to_reject

Action = Policy.GoldAction
OVERDUE = timedelta(minutes=1)
_AT_MOST = 100  # golds that are looked at: more than two batches can hold
WARNING = (
    "In your last batch some pairs whose grade is known were graded otherwise. Please read the "
    "guidelines again; a question to the lead is always welcome."
)


class GoldCheck(NamedTuple):
    """The outcome of a batch's golds.

    n, n_right : the batch's own
    n_together, n_together_right : those that it is judged by: its own, and those of earlier batches
        that are counted with them
    first, last : the numbers of these batches
    """

    n: int
    n_right: int
    n_together: int
    n_together_right: int
    first: int
    last: int

    def is_failed(self, smallest: Decimal) -> bool:
        """True if one of its own golds was missed, and too few of all together are right."""
        has_missed = self.n_right < self.n
        return has_missed and is_failed(
            n_right=self.n_together_right, n=self.n_together, min_share=smallest
        )

    @property
    def is_joined(self) -> bool:
        """True if golds of earlier batches are counted with its own."""
        return self.first < self.last

    @property
    def reason(self) -> str:
        """The reason stored with a failed batch."""
        where = f" in batches {self.first} to {self.last}" if self.is_joined else ""
        return f"Golds: {self.n_together_right} of {self.n_together} right{where}."


def check_batch(*, batch: Batch, policy: Policy) -> None:
    """Count the golds of a batch just finished, and take the policy's action if too few are right.

    A batch with fewer than MIN_GOLDS golds, of which one was missed, is judged together with those
    before it. Checking again, after an answer was changed, counts again, for the leads alone: the
    first action stands. Otherwise she could try one answer after another and see by the action
    which pairs are golds. A batch with a verdict is left alone. Call it behind her lock.
    """
    if batch.verdict:
        return
    check = count_golds(batch=batch)
    n, n_right = check.n, check.n_right
    if batch.n_golds is not None:
        Batch.objects.filter(pk=batch.pk).update(n_golds=n, n_golds_right=n_right)
        return
    action = policy.gold_action if check.is_failed(policy.gold_pass) else ""
    Batch.objects.filter(pk=batch.pk).update(n_golds=n, n_golds_right=n_right, gold_action=action)
    if action in Batch.HOLDING:
        Batch.objects.filter(pk=batch.pk).update(
            verdict=Batch.Verdict.HELD, settled_at=F("finished_at")
        )
    if action == Action.PAUSE:
        pausing.pause(annotator=batch.annotator, by=None, reason=check.reason)
    if action == Action.REJECT:
        batch_to_reject.send(sender=Batch, batch_id=batch.pk)


def reject_failed(*, batch: Batch) -> None:
    """Withdraw the labels of a batch whose policy rejects it, unless a lead has been at it.

    While another decision about the person's answers is under way it waits: the sweep comes again.
    """
    if to_reject().filter(pk=batch.pk).exists():
        with suppress(bulk_decisions.DecisionUnderWay):
            verdicts.reject_batch(batch=batch, by=None, reason=count_golds(batch=batch).reason)


def overdue() -> list[int]:
    """Return the keys of batches to reject whose task was lost."""
    late = to_reject().filter(finished_at__lt=ClockTimestamp() - OVERDUE)
    return list(late.order_by("pk").values_list("pk", flat=True))


def to_reject() -> QuerySet[Batch]:
    """Return batches that the policy rejects and that have no verdict yet."""
    actions = ReviewAction.objects.filter(batch=OuterRef("pk"))
    return Batch.objects.filter(
        ~Exists(actions), verdict=Batch.Verdict.HELD, gold_action=Action.REJECT
    )


def warning(*, batch: Batch) -> str:
    """Return the warning to a finished batch's annotator, which names no pair; "" without one."""
    return WARNING if batch.gold_action == Action.WARN else ""


def count_golds(*, batch: Batch) -> GoldCheck:
    """Count the batch's answered golds in use, with those of earlier batches that count with them.

    Golds of batches that failed or that a lead decided about are not counted a second time.
    """
    her_batches = Batch.objects.filter(
        annotator=batch.annotator_id, number__lte=batch.number, training_try=None
    )
    decided_batches = her_batches.filter(number__lt=batch.number).exclude(
        gold_action="", verdict=""
    )
    last_decided_number = decided_batches.aggregate(Max("number"))["number__max"] or 0
    rows = _answers(
        her_batches.filter(number__gt=last_decided_number), batch.collection.positive_from
    )
    own_answers = [is_right for number, is_right in rows if number == batch.number]
    all_answers, first = list(own_answers), batch.number
    for number, is_right in rows:
        if number < batch.number and (len(all_answers) < MIN_GOLDS or number == first):
            all_answers.append(is_right)
            first = number
    first_batch = batch if first == batch.number else her_batches.get(number=first)
    return GoldCheck(
        len(own_answers),
        sum(own_answers),
        len(all_answers),
        sum(all_answers),
        first_batch.judging_number,
        batch.judging_number,
    )


def _answers(batches: QuerySet[Batch], threshold: int) -> list[tuple[int, bool]]:
    """Return batch number and correctness of each answered gold, newest first.

    An answer is right if it is on the gold's side of the relevance threshold.
    """
    answers = CountingJudgment.objects.filter(
        seat__hand_outs__batch__in=batches, purpose=Seat.Purpose.GOLD
    )
    newest_first = answers.order_by("-seat__hand_outs__batch__number", "seat")
    in_use = newest_first.filter(pair__golds__retired_at=None, pair__golds__isnull=False)
    rows = in_use.values_list("seat__hand_outs__batch__number", "grade", "pair__golds__grade")
    return [
        (number, (answer_grade >= threshold) == (gold_grade >= threshold))
        for number, answer_grade, gold_grade in rows[:_AT_MOST]
    ]
