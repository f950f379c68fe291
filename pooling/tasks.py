"""What runs in the background for pooling; all of it safe to run twice."""

from collections.abc import Iterator
from typing import Any

from celery import Task, shared_task

from annotate.models import Collection
from annotate.queue import enqueue_on_commit
from pooling.models import Run
from pooling.services import asking, matrix_storage, ordering, rejected_files, retiring

WAIT = 5  # seconds in which many labels become one new order


@shared_task
def settle_marks(*, run_id: int) -> None:
    """Go through the pools of a run that was retired or brought back."""
    retiring.settle_marks(run=Run.objects.get(pk=run_id))


@shared_task
def preview_pool(*, collection_id: int, question: dict[str, Any]) -> None:
    """Count what a pool would hold and cost, for whoever asked."""
    asking.answer(collection=Collection.objects.get(pk=collection_id), of=asking.Question(**question))


@shared_task
def reorder_pools(*, collection_id: int) -> None:
    """Bring the queues of a collection's live pools up to its labels."""
    ordering.reorder_collection(collection=Collection.objects.get(pk=collection_id))


@shared_task
def sweep() -> None:
    """Queue again what waits for longer than it should: the broker may have lost it. Delete files of no matrix."""
    matrix_storage.sweep_files()
    for task, arguments in _overdue():
        enqueue_on_commit(task, **arguments)


@shared_task
def tidy() -> None:
    """Delete the files of runs that were rejected long ago."""
    rejected_files.drop_old()


def _overdue() -> Iterator[tuple[Task, dict[str, int]]]:
    yield from ((settle_marks, {"run_id": run}) for run in retiring.due())
    yield from ((reorder_pools, {"collection_id": collection}) for collection in ordering.overdue())
