"""Events of the last day, for the first page: few queries, read before the numbers."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import F, Q

from annotate.models import Collection
from pooling.models import Pool, Run


class RecentRow(NamedTuple):
    """A run or a pool by which something happened.

    round : key of a pool's round; None of a run
    """

    pk: int
    name: str
    round: int | None = None


class RecentEvents(NamedTuple):
    """Runs that were added, and pools that were opened or closed, since a moment; newest first."""

    since: datetime
    runs: tuple[RecentRow, ...] = ()
    opened_pools: tuple[RecentRow, ...] = ()
    closed_pools: tuple[RecentRow, ...] = ()


def recent_events(*, collection: Collection, now: datetime) -> RecentEvents:
    """The events of a day and what has passed of the hour of `now`; two queries.

    Runs that only their uploader sees and runs that are not in use are left out. The moment that
    they are told from makes the first page another one each hour, as counts of 24 hours shrink.
    """
    hour = now.replace(minute=0, second=0, microsecond=0)
    since = hour - timedelta(days=1)
    runs = Run.objects.in_use().published().filter(collection=collection, created_at__gte=since)
    is_closed = Q(round__closed_at__gte=since)
    pools = (
        Pool.objects.exclude(state=Pool.State.DRAFT)
        .filter(Q(opened_at__gte=since) | is_closed, collection=collection)
        .annotate(closed_at=F("round__closed_at"))
        .order_by("-pk")
        .values_list("pk", "name", "round", "opened_at", "closed_at", named=True)
    )
    run_rows = runs.order_by("-created_at", "-pk").values_list("pk", "name")
    opened_pools, closed_pools = [], []
    for pool in pools:
        row = RecentRow(pool.pk, pool.name, pool.round)
        if pool.opened_at is not None and pool.opened_at >= since:
            opened_pools.append(row)
        if pool.closed_at is not None and pool.closed_at >= since:
            closed_pools.append(row)
    return RecentEvents(
        since,
        tuple(RecentRow(*row) for row in run_rows),
        tuple(opened_pools),
        tuple(closed_pools),
    )
