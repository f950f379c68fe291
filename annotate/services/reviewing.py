"""What a lead does about finished work: check its golds, accept or reject a batch, withdraw labels.

Nothing is deleted: a withdrawn judgment keeps its row and gains an event that says who and why.
Its seat is withdrawn with the person on it, so that the pair never returns to her, and
reconciling wants a new label from somebody else.
"""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet

from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    Collection,
    Gold,
    HandOut,
    JudgmentEvent,
    Pair,
    Report,
    Seat,
    User,
)
from annotate.services.seating import lock_annotator, note_changes, reconcile_pairs


class BatchUnfinished(Exception):
    """The batch still has pairs to judge; it cannot be accepted or rejected yet."""


class BatchJudged(Exception):
    """Somebody gave the batch the other verdict; it stands."""


class GoldResult(NamedTuple):
    """How a batch's golds were answered: n_right of n on the right side of the threshold."""

    n_right: int
    n: int


def check_golds(*, batch: Batch) -> GoldResult:
    """Compare the batch's gold answers with the golds, by side of the positive threshold."""
    threshold = batch.collection.positive_from
    answers = Seat.objects.filter(hand_outs__batch=batch, purpose=Seat.Purpose.GOLD, state=Seat.State.DONE).values_list(
        "pair_id", "judgment__level__grade"
    )
    given = dict(answers)
    golds = Gold.objects.filter(pair__in=given).values_list("pair_id", "grade")
    right = [(given[pair] >= threshold) == (grade >= threshold) for pair, grade in golds]
    return GoldResult(n_right=sum(right), n=len(right))


@transaction.atomic
def accept_batch(*, batch: Batch) -> Batch:
    """Settle a finished batch as good work. Raises BatchUnfinished, BatchJudged."""
    return _judge_batch(batch, Batch.Verdict.ACCEPTED)


@transaction.atomic
def reject_batch(*, batch: Batch, by: User, reason: str) -> int:
    """Withdraw all labels of a finished batch; their pairs want new ones. Returns how many.

    Raises BatchUnfinished, BatchJudged.
    """
    _judge_batch(batch, Batch.Verdict.REJECTED)
    given = HandOut.objects.filter(batch=batch).values("seat")
    return _withdraw(Seat.objects.filter(pk__in=given, annotator=batch.annotator_id), by=by, reason=reason)


@transaction.atomic
def withdraw_annotator(*, annotator: Annotator, since: datetime, by: User, reason: str) -> int:
    """Withdraw one person's counting labels from a moment on. Returns how many."""
    lock_annotator(annotator.pk)
    return _withdraw(Seat.objects.filter(annotator=annotator, judgment__at__gte=since), by=by, reason=reason)


def _withdraw(seats: QuerySet[Seat], *, by: User, reason: str) -> int:
    """Let what counts for these seats no longer count; undone and surplus answers are left alone.

    To be called behind the annotator's lock: a change of mind on its way would count on.
    """
    done = list(seats.filter(state=Seat.State.DONE).values_list("judgment_id", "pair_id", "collection_id"))
    if not done:
        return 0
    pairs, collection_id = sorted({pair for _, pair, _ in done}), done[0][2]
    list(Pair.objects.filter(pk__in=pairs).order_by("pk").select_for_update(no_key=True))
    counting = [judgment for judgment, _, _ in done]
    JudgmentEvent.objects.bulk_create(
        JudgmentEvent(judgment_id=judgment, kind=JudgmentEvent.Kind.WITHDRAWN, by=by, reason=reason)
        for judgment in counting
    )
    Seat.objects.filter(judgment__in=counting).update(state=Seat.State.WITHDRAWN, judgment=None)
    reconcile_pairs(pair_ids=pairs)
    note_changes(collection_id=collection_id, pair_ids=pairs)
    return len(counting)


def open_reports(*, collection: Collection) -> QuerySet[Report]:
    """The reports that wait for a lead, newest first, with what they are about; three queries a page."""
    waiting = Report.objects.filter(collection=collection, settled_at=None).order_by("-pk")
    waiting = waiting.select_related("annotator", "pair__query", "pair__document")
    return waiting.prefetch_related("pair__query__parts", "pair__document__parts")


@transaction.atomic
def settle_report(*, report: Report, by: User) -> None:
    """Close a report; a pair without open reports returns to the queue."""
    Report.objects.filter(pk=report.pk, settled_at=None).update(settled_at=ClockTimestamp(), settled_by=by)
    reconcile_pairs(pair_ids=[report.pair_id])
    note_changes(collection_id=report.collection_id, pair_ids=[report.pair_id])


def _judge_batch(batch: Batch, verdict: Batch.Verdict) -> Batch:
    lock_annotator(batch.annotator_id)  # an undo may be reopening it, another lead judging it
    batch.refresh_from_db()
    if batch.finished_at is None:
        raise BatchUnfinished(f"Batch {batch.number} is not finished; wait, or pause the annotator first.")
    if batch.verdict and batch.verdict != verdict:
        raise BatchJudged(f"Batch {batch.number} is {batch.verdict} already.")
    Batch.objects.filter(pk=batch.pk).update(verdict=verdict)
    Batch.objects.filter(pk=batch.pk, settled_at=None).update(settled_at=F("finished_at"))
    batch.refresh_from_db()
    return batch
