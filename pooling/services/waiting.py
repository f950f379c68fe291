"""What waits for a worker."""

from datetime import timedelta

from django.db.models.functions import Now

from pooling.models import Pool, Run

OVERDUE_AFTER = timedelta(seconds=20)


def overdue_runs() -> list[int]:
    """Runs received a while ago and not read yet."""
    waiting = Run.objects.filter(state=Run.State.RECEIVED, created_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def overdue_pools() -> list[int]:
    """Pools to be opened that are not open yet."""
    waiting = Pool.objects.filter(state=Pool.State.OPENING, created_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def unfinished_pools() -> list[int]:
    """Pools that are being closed or opened again, but for those that were given up."""
    waiting = Pool.objects.filter(state__in=[Pool.State.CLOSING, Pool.State.REOPENING], error="")
    return list(waiting.order_by("pk").values_list("pk", flat=True))
