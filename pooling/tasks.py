"""Celery tasks of pooling; all are safe to run twice."""

from collections.abc import Iterator

from celery import Task, shared_task

from annotate.models import Collection
from annotate.task_queue import enqueue_on_commit
from pooling.models import Run
from pooling.services.pools import queue_order, run_retirement
from pooling.services.runs import matrix_storage, rejected_files

WAIT = 5  # seconds in which many labels become one new order


@shared_task
def settle_marks(*, run_id: int) -> None:
    """Update the pools of a run that was retired or brought back."""
    run_retirement.settle_marks(run=Run.objects.get(pk=run_id))


@shared_task
def reorder_pools(*, collection_id: int) -> None:
    """Bring the queues of a collection's live pools up to its labels."""
    queue_order.reorder_collection(collection=Collection.objects.get(pk=collection_id))


@shared_task
def sweep() -> None:
    """Enqueue overdue tasks again, which the broker may have lost. Delete files of no matrix."""
    matrix_storage.sweep_files()
    for task, arguments in _overdue():
        enqueue_on_commit(task, **arguments)


@shared_task
def tidy() -> None:
    """Delete the files of runs that were rejected long ago."""
    rejected_files.drop_old()


def _overdue() -> Iterator[tuple[Task, dict[str, int]]]:
    yield from ((settle_marks, {"run_id": run}) for run in run_retirement.runs_due())
    yield from (
        (reorder_pools, {"collection_id": collection})
        for collection in queue_order.overdue_collections()
    )
