"""What metrics does when annotate tells that labels changed."""

from django.core.cache import cache
from django.dispatch import receiver

from annotate.queue import enqueue_on_commit
from annotate.signals import pairs_changed
from metrics.tasks import WAIT, refresh


@receiver(pairs_changed, dispatch_uid="metrics_refresh_soon")
def refresh_soon(*, collection_id: int, **_: object) -> None:
    """Ask for one refresh for all that changes within the next moment.

    The key lives as long as the refresh waits, so whatever finds it is seen by that refresh. Without a cache nothing
    is asked for here, and the sweep finds the Change rows.
    """
    if cache.add(f"refresh-soon-{collection_id}", 1, timeout=WAIT):
        enqueue_on_commit(refresh, countdown=WAIT, collection_id=collection_id)
