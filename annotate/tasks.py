"""What runs in the background for annotate."""

from typing import Any

from celery import shared_task

from annotate.services import housekeeping


@shared_task(bind=True)
def beat_heart(self: Any) -> None:
    """Show that a worker lives."""
    housekeeping.beat_heart(name=self.request.hostname or "worker")


@shared_task
def sweep() -> None:
    """Settle what is due."""
    housekeeping.settle_batches()
