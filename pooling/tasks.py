"""What runs in the background for pooling; all of it safe to run twice."""

from celery import shared_task

from annotate.queue import enqueue_on_commit
from pooling.models import Pool, Run
from pooling.services import pools, runs, waiting


@shared_task
def ingest_run(*, run_id: int) -> None:
    """Read a received run."""
    runs.ingest_run(run=Run.objects.get(pk=run_id))


@shared_task
def open_pool(*, pool_id: int) -> None:
    """Make the pairs and seats of a pool that waits to be opened."""
    pools.open_pool(pool=Pool.objects.get(pk=pool_id))


@shared_task
def sweep() -> None:
    """Queue again what waits for longer than it should: the broker may have lost it."""
    for run_id in waiting.overdue_runs():
        enqueue_on_commit(ingest_run, run_id=run_id)
    for pool_id in waiting.overdue_pools():
        enqueue_on_commit(open_pool, pool_id=pool_id)
