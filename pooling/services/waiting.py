"""What waits for a worker, and whether there is one."""

from datetime import timedelta

from django.db.models.functions import Now

from annotate.models import WorkerHeartbeat
from pooling.models import Pool, Run

OVERDUE_AFTER = timedelta(seconds=20)
SEEN_WITHIN = timedelta(seconds=60)


def overdue_runs() -> list[int]:
    """Runs received a while ago and not read yet."""
    waiting = Run.objects.filter(state=Run.State.RECEIVED, created_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def overdue_pools() -> list[int]:
    """Pools to be opened that are not open yet."""
    waiting = Pool.objects.filter(state=Pool.State.OPENING, created_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def worker_is_missing() -> bool:
    """Whether no worker has been seen for a minute, by the database's clock."""
    return not WorkerHeartbeat.objects.filter(at__gt=Now() - SEEN_WITHIN).exists()
