"""Celery tasks of pooling; all are safe to run twice."""

from celery import shared_task

from annotate.models import Collection
from annotate.task_queue import enqueue_on_commit
from pooling.models import Pool, Run
from pooling.services.pools import queue_order, run_retirement
from pooling.services.runs import matrix_storage, rejected_files

WAIT = 5  # seconds in which many labels become one new order


@shared_task
def settle_marks(*, run_id: int) -> None:
    """Update the pools of a run that was retired or brought back."""
    run_retirement.settle_marks(run=Run.objects.get(pk=run_id))


@shared_task
def settle_repeats(*, pool_id: int) -> None:
    """Update a pool whose collection has other duplicates than before."""
    run_retirement.settle_repeats(pool=Pool.objects.select_related("collection").get(pk=pool_id))


@shared_task
def reorder_pools(*, collection_id: int) -> None:
    """Bring the queues of a collection's live pools up to its labels."""
    queue_order.reorder_collection(collection=Collection.objects.get(pk=collection_id))


@shared_task
def sweep() -> None:
    """Enqueue overdue tasks again, which the broker may have lost. Delete files of no matrix."""
    matrix_storage.sweep_files()
    _settle_overdue()
    for collection_id in queue_order.overdue_collections():
        enqueue_on_commit(reorder_pools, collection_id=collection_id)


def _settle_overdue() -> None:
    """Enqueue the runs and pools whose pairs wait to be dropped or restored."""
    for run_id in run_retirement.runs_due():
        enqueue_on_commit(settle_marks, run_id=run_id)
    for pool_id in run_retirement.pools_due():
        enqueue_on_commit(settle_repeats, pool_id=pool_id)


@shared_task
def tidy() -> None:
    """Delete the files of runs that were rejected long ago."""
    rejected_files.drop_old()
