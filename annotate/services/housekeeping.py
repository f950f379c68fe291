"""What a worker does without being asked: show that it lives, settle old batches."""

from datetime import timedelta

from django.db import transaction

from annotate.models import Batch, ClockTimestamp, WorkerHeartbeat
from annotate.services.seating import lock_annotator

SETTLED_AFTER = timedelta(hours=1)
FORGOTTEN_AFTER = timedelta(days=1)


@transaction.atomic
def beat_heart(*, name: str) -> None:
    """Note that this worker was alive just now; workers silent for a day are forgotten."""
    WorkerHeartbeat.objects.filter(at__lt=ClockTimestamp() - FORGOTTEN_AFTER).delete()
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"at": ClockTimestamp()})


def settle_batches() -> int:
    """Let the answers of batches finished an hour ago stand for good; returns how many batches."""
    due = Batch.objects.filter(settled_at=None, finished_at__lt=ClockTimestamp() - SETTLED_AFTER)
    n_settled = 0
    for annotator_id in due.values_list("annotator_id", flat=True).distinct():
        with transaction.atomic():
            lock_annotator(annotator_id)  # an undo under way may be reopening the batch
            n_settled += due.filter(annotator=annotator_id).update(settled_at=ClockTimestamp())
    return n_settled
