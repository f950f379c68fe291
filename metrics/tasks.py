"""What runs in the background for metrics; all of it safe to run twice."""

from celery import shared_task

from annotate.models import Collection
from annotate.queue import enqueue_on_commit
from metrics.services import refresh as refreshing

WAIT = 1.5  # seconds in which what changes is gathered into one refresh


@shared_task
def refresh(*, collection_id: int) -> None:
    """Bring a collection's numbers up to date, a moment later when somebody is at it already."""
    for collection in Collection.objects.filter(pk=collection_id):
        if refreshing.refresh(collection=collection) is None:
            enqueue_on_commit(refresh, countdown=WAIT, collection_id=collection_id)


@shared_task
def sweep() -> None:
    """Ask for the refreshes that nobody asked for: the broker may have lost them."""
    for collection_id in refreshing.due():
        enqueue_on_commit(refresh, collection_id=collection_id)
