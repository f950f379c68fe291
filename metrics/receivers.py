"""Receiver of annotate's signal that labels changed."""

from django.core.cache import cache
from django.dispatch import receiver

from annotate.signals import pairs_changed
from annotate.task_queue import enqueue_on_commit
from metrics.tasks import GATHERING_SECONDS, refresh


@receiver(pairs_changed, dispatch_uid="metrics_refresh_soon")
def refresh_soon(*, collection_id: int, **_: object) -> None:
    """Enqueue one refresh for all changes within the next moment.

    The key lives as long as the refresh waits, so a change that finds the key is included in that
    refresh. Without a cache nothing is enqueued here, and the sweep finds the Change rows.
    """
    if cache.add(f"refresh-soon-{collection_id}", 1, timeout=GATHERING_SECONDS):
        enqueue_on_commit(refresh, countdown=GATHERING_SECONDS, collection_id=collection_id)
