"""What pooling does when annotate tells that labels changed."""

from collections.abc import Sequence

from django.core.cache import cache
from django.dispatch import receiver

from annotate.queue import enqueue_on_commit
from annotate.signals import items_joined, pairs_changed, wishes_restored
from pooling.services import ordering, rereading, retiring
from pooling.tasks import WAIT, reorder_pools, settle_marks


@receiver(pairs_changed, dispatch_uid="pooling_reorder_soon")
def reorder_soon(*, collection_id: int, **_: object) -> None:
    """Ask for one new order for all that changes within the next moment; without a cache the sweep finds it late."""
    is_first = cache.add(f"reorder-soon-{collection_id}", 1, timeout=WAIT)
    if is_first and ordering.has_live(collection_id=collection_id):
        enqueue_on_commit(reorder_pools, countdown=WAIT, collection_id=collection_id)


@receiver(wishes_restored, dispatch_uid="pooling_settle_marks")
def settle_restored(*, round_ids: Sequence[int], **_: object) -> None:
    """Of pairs that a lead took back in, those that only retired runs hold are to be dropped again."""
    for run in retiring.recall_marks(round_ids=round_ids):
        enqueue_on_commit(settle_marks, run_id=run)


@receiver(items_joined, dispatch_uid="pooling_read_again")
def read_again(*, collection_id: int, **_: object) -> None:
    """Runs that may name items which just joined are to be read again from their kept files."""
    rereading.note_joined(collection_id=collection_id)
