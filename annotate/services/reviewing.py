"""What a lead does about finished work: check its golds, accept or reject a batch, withdraw labels.

Nothing is deleted: a withdrawn judgment keeps its row and gains an event that says who and why.
Its seat is withdrawn with the person on it, so that the pair never returns to her, and
reconciling wants a new label from somebody else.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    Gold,
    Judgment,
    JudgmentEvent,
    Pair,
    Report,
    Seat,
    User,
)
from annotate.services.seating import note_changes, reconcile_pairs


class BatchUnfinished(Exception):
    """The batch still has pairs to judge; it cannot be accepted or rejected yet."""


class GoldResult(NamedTuple):
    """How a batch's golds were answered: n_right of n on the right side of the threshold."""

    n_right: int
    n: int


def check_golds(*, batch: Batch) -> GoldResult:
    """Compare the batch's gold answers with the golds, by side of the positive threshold."""
    threshold = batch.collection.positive_from
    answers = Seat.objects.filter(
        hand_outs__batch=batch, purpose=Seat.Purpose.GOLD, state=Seat.State.DONE
    ).values_list("pair_id", "judgment__level__grade")
    given = dict(answers)
    golds = Gold.objects.filter(pair__in=given).values_list("pair_id", "grade")
    right = [(given[pair] >= threshold) == (grade >= threshold) for pair, grade in golds]
    return GoldResult(n_right=sum(right), n=len(right))


@transaction.atomic
def accept_batch(*, batch: Batch) -> Batch:
    """Settle a finished batch as good work. Raises BatchUnfinished."""
    return _judge_batch(batch, Batch.Verdict.ACCEPTED)


@transaction.atomic
def reject_batch(*, batch: Batch, by: User, reason: str) -> int:
    """Withdraw all labels of a finished batch; their pairs want new ones. Returns how many.

    Raises BatchUnfinished.
    """
    _judge_batch(batch, Batch.Verdict.REJECTED)
    counting = Judgment.objects.filter(hand_out__batch=batch, seat__isnull=False)
    return withdraw(judgments=list(counting), by=by, reason=reason)


@transaction.atomic
def withdraw_annotator(*, annotator: Annotator, since: datetime, by: User, reason: str) -> int:
    """Withdraw one person's counting labels from a moment on. Returns how many."""
    counting = Judgment.objects.filter(annotator=annotator, at__gte=since, seat__isnull=False)
    return withdraw(judgments=list(counting), by=by, reason=reason)


@transaction.atomic
def withdraw(*, judgments: Sequence[Judgment], by: User, reason: str) -> int:
    """Let these judgments no longer count; what no longer counts already is left alone."""
    if not judgments:
        return 0
    pairs = sorted({judgment.pair_id for judgment in judgments})
    # lock before reading: an undo or a change of mind may be on its way
    list(Pair.objects.filter(pk__in=pairs).order_by("pk").select_for_update(no_key=True))
    seats = Seat.objects.filter(judgment__in=judgments, state=Seat.State.DONE)
    counting = list(seats.values_list("judgment_id", flat=True))
    JudgmentEvent.objects.bulk_create(
        JudgmentEvent(
            judgment_id=judgment, kind=JudgmentEvent.Kind.WITHDRAWN, by=by, reason=reason
        )
        for judgment in counting
    )
    Seat.objects.filter(judgment__in=counting).update(state=Seat.State.WITHDRAWN, judgment=None)
    reconcile_pairs(pair_ids=pairs)
    note_changes(collection_id=judgments[0].collection_id, pair_ids=pairs)
    return len(counting)


@transaction.atomic
def settle_report(*, report: Report, by: User) -> None:
    """Close a report; a pair without open reports returns to the queue."""
    Report.objects.filter(pk=report.pk, settled_at=None).update(
        settled_at=ClockTimestamp(), settled_by=by
    )
    reconcile_pairs(pair_ids=[report.pair_id])
    note_changes(collection_id=report.collection_id, pair_ids=[report.pair_id])


def _judge_batch(batch: Batch, verdict: Batch.Verdict) -> Batch:
    if batch.finished_at is None:
        raise BatchUnfinished(f"Batch {batch.number} is not finished; wait, or pause the annotator first.")
    Batch.objects.filter(pk=batch.pk).update(verdict=verdict)
    Batch.objects.filter(pk=batch.pk, settled_at=None).update(settled_at=F("finished_at"))
    batch.refresh_from_db()
    return batch
