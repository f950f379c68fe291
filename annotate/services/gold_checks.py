"""What follows from the golds of a finished batch, by the policy: nothing, a warning, or the batch is held.

The check runs in the transaction that finishes the batch. Rejecting withdraws labels of many pairs, so a worker does
that: until then the batch is held, and a sweep finds those whose task was lost.
"""

from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Exists, F, Max, OuterRef, QuerySet

from annotate.core.golds import N_TELLING, is_failed
from annotate.models import Batch, ClockTimestamp, Policy, ReviewAction, Seat
from annotate.services import pausing, review_work, reviewing
from annotate.signals import batch_to_reject

Action = Policy.GoldAction
HOLDING = (Action.HOLD, Action.REJECT, Action.PAUSE)
OVERDUE = timedelta(minutes=1)
_AT_MOST = 100  # golds that are looked at: more than two batches can hold
WARNING = (
    "In your last batch some pairs whose grade is known were graded otherwise. Please read the guidelines again; "
    "a question to the lead is always welcome."
)


class GoldCheck(NamedTuple):
    """What the golds of a batch say.

    n, n_right : the batch's own
    n_together, n_together_right : those that it is judged by, its own and those of the batches before it that are
        counted with them
    first, last : the numbers of these batches
    """

    n: int
    n_right: int
    n_together: int
    n_together_right: int
    first: int
    last: int

    def is_failed(self, smallest: Decimal) -> bool:
        """Whether the batch fails: one of its own golds was missed, and too few of all together are right."""
        missed = self.n_right < self.n
        return missed and is_failed(n_right=self.n_together_right, n=self.n_together, smallest=smallest)

    @property
    def is_joined(self) -> bool:
        """Whether golds of batches before it are counted with its own."""
        return self.first < self.last

    @property
    def reason(self) -> str:
        """What is written down where it fails."""
        where = f" in batches {self.first} to {self.last}" if self.is_joined else ""
        return f"Golds: {self.n_together_right} of {self.n_together} right{where}."


def check_batch(*, batch: Batch, policy: Policy) -> None:
    """Count the golds of a batch that was just finished, and do what the policy says when too few are right.

    A batch with fewer than N_TELLING golds, of which one was missed, is judged together with those before it.
    Checking again, after an answer was changed, counts again, for the leads alone: what is done stays as it was
    decided first. Otherwise she could try one answer after another and see by what follows which pairs are golds.
    What has a verdict is left alone. Call it behind the annotator's lock.
    """
    if batch.verdict:
        return
    checked = count_golds(batch=batch)
    n, n_right = checked.n, checked.n_right
    if batch.n_golds is not None:
        Batch.objects.filter(pk=batch.pk).update(n_golds=n, n_golds_right=n_right)
        return
    action = policy.gold_action if checked.is_failed(policy.gold_pass) else ""
    Batch.objects.filter(pk=batch.pk).update(n_golds=n, n_golds_right=n_right, gold_action=action)
    if action in HOLDING:
        Batch.objects.filter(pk=batch.pk).update(verdict=Batch.Verdict.HELD, settled_at=F("finished_at"))
    if action == Action.PAUSE:
        pausing.pause(annotator=batch.annotator, by=None, reason=checked.reason)
    if action == Action.REJECT:
        batch_to_reject.send(sender=Batch, batch_id=batch.pk)


def reject_failed(*, batch: Batch) -> None:
    """Withdraw the labels of a batch whose policy rejects it, unless a lead has been at it.

    While something else is being done about the person's answers it waits: the sweep comes again.
    """
    if to_reject().filter(pk=batch.pk).exists():
        with suppress(review_work.UnderWay):
            reviewing.reject_batch(batch=batch, by=None, reason=count_golds(batch=batch).reason)


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


def count_golds(*, batch: Batch) -> GoldCheck:
    """The batch's answered golds that are in use, and those of the batches before it that are counted with them.

    What a batch failed by is counted no second time, nor what a lead has decided about.
    """
    hers = Batch.objects.filter(annotator=batch.annotator_id, number__lte=batch.number, training_try=None)
    decided = hers.filter(number__lt=batch.number).exclude(gold_action="", verdict="")
    failed = decided.aggregate(Max("number"))["number__max"] or 0
    rows = _answers(hers.filter(number__gt=failed), batch.collection.positive_from)
    own = [is_right for number, is_right in rows if number == batch.number]
    together, first = list(own), batch.number
    for number, is_right in rows:
        if number < batch.number and (len(together) < N_TELLING or number == first):
            together.append(is_right)
            first = number
    return GoldCheck(len(own), sum(own), len(together), sum(together), first, batch.number)


def _answers(batches: QuerySet[Batch], threshold: int) -> list[tuple[int, bool]]:
    """Batch number of each answered gold, newest first, and whether it is on the right side of what is relevant."""
    seats = Seat.objects.filter(hand_outs__batch__in=batches, purpose=Seat.Purpose.GOLD, state=Seat.State.DONE)
    newest = seats.order_by("-hand_outs__batch__number", "pk")
    in_use = newest.filter(pair__golds__retired_at=None, pair__golds__isnull=False)
    given = in_use.values_list("hand_outs__batch__number", "judgment__level__grade", "pair__golds__grade")
    return [(number, (said >= threshold) == (grade >= threshold)) for number, said, grade in given[:_AT_MOST]]
