"""Receivers of annotate's signals about changed labels and items."""

from collections.abc import Sequence

from django.core.cache import cache
from django.dispatch import receiver

from annotate.signals import (
    duplicates_changed,
    items_joined,
    pairs_changed,
    round_pairs_restored,
)
from annotate.task_queue import enqueue_on_commit
from pooling.models import Pool
from pooling.services.pools import queue_order, run_retirement
from pooling.services.runs import rereading as run_rereading
from pooling.tasks import WAIT, reorder_pools, settle_marks, settle_repeats


@receiver(pairs_changed, dispatch_uid="pooling_reorder_soon")
def reorder_soon(*, collection_id: int, **_: object) -> None:
    """Enqueue one new order for all changes within the next moment.

    Without a cache the sweep does it later.
    """
    is_first = cache.add(f"reorder-soon-{collection_id}", 1, timeout=WAIT)
    if is_first and queue_order.has_live_pool(collection_id=collection_id):
        enqueue_on_commit(reorder_pools, countdown=WAIT, collection_id=collection_id)


@receiver(round_pairs_restored, dispatch_uid="pooling_settle_marks")
def settle_restored(*, round_ids: Sequence[int], **_: object) -> None:
    """Drop those pairs again that a lead restored and that something else drops."""
    for run in run_retirement.mark_retired_runs_due(round_ids=round_ids):
        enqueue_on_commit(settle_marks, run_id=run)
    pools = run_retirement.with_duplicates(Pool.objects.filter(round__in=round_ids))
    for pool_id in run_retirement.mark_repeats_due(pools=pools):
        enqueue_on_commit(settle_repeats, pool_id=pool_id)


@receiver(duplicates_changed, dispatch_uid="pooling_settle_duplicates")
def settle_duplicates(*, collection_id: int, **_: object) -> None:
    """Drop pairs of duplicates that are judged as those of their originals, or restore them."""
    for pool_id in run_retirement.mark_repeats_due(
        pools=Pool.objects.filter(collection=collection_id)
    ):
        enqueue_on_commit(settle_repeats, pool_id=pool_id)


@receiver(items_joined, dispatch_uid="pooling_read_again")
def read_again(*, collection_id: int, **_: object) -> None:
    """Have the runs read again that may name items which just joined."""
    run_rereading.note_joined_items(collection_id=collection_id)
