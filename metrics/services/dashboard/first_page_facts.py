"""The facts of the first page that are no numbers: what waits for a lead, and what has happened.

Few queries, read before the numbers.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import F, Min, Q
from django.utils import timezone

from annotate.models import Annotator, Collection, Report
from annotate.services.pages import stuck_labels
from annotate.services.pages.stuck_labels import StuckLabels
from annotate.services.review import inbox
from annotate.services.supervision import bulk_decisions
from pooling.models import Pool, Run


class WaitingFacts(NamedTuple):
    """Things that wait for a lead, and the people who are paused.

    counts : of the inbox
    escalated_at, cannot_at : when the oldest open report of the kind came
    stuck : labels that nobody present can give
    n_stopped : decisions that stopped half-way
    paused_people : keys of annotators
    """

    counts: inbox.Waiting
    escalated_at: datetime | None
    cannot_at: datetime | None
    stuck: StuckLabels | None
    n_stopped: int
    paused_people: tuple[int, ...]


def waiting_facts(*, collection: Collection) -> WaitingFacts:
    """The facts of a collection, in a constant number of queries."""
    reports = Report.objects.open().filter(collection=collection)
    oldest = reports.aggregate(
        escalated=Min("at", filter=Q(kind=Report.Kind.ESCALATED)),
        cannot=Min("at", filter=Q(kind=Report.Kind.CANNOT_JUDGE)),
    )
    paused = Annotator.objects.filter(collection=collection, paused_at__isnull=False)
    return WaitingFacts(
        counts=inbox.count(collection=collection),
        escalated_at=oldest["escalated"],
        cannot_at=oldest["cannot"],
        stuck=stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection)),
        n_stopped=len(bulk_decisions.failed(collection=collection)),
        paused_people=tuple(paused.order_by("pk").values_list("pk", flat=True)),
    )


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


def recent_events(*, collection: Collection) -> RecentEvents:
    """The events of a day and what has passed of an hour; two queries.

    Runs that only their uploader sees and runs that are not in use are left out.
    """
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
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
